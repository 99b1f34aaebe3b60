/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Start and end of the library: settings from trace-exec, device memory, messages to trace-exec.
 *
 * Device memory is an anonymous file that is mapped twice: completely for the executor; at the device's own
 * addresses for the program, which can access only managed and pinned memory there. A program that reads other
 * device memory on the host crashes, as it does with a GPU.
 *
 * Always true: only the first process of the program that uses the device can use it. A process forked from it
 * gets an initialization error, as with a GPU.
 */
#include <errno.h>
#include <malloc.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "arena.h"
#include "cudart/pause.h"

#define HEAP_MOST  (64ull << 30) /* size of the address range; its pages use memory when they are accessed */
#define HEAP_LEAST (1ull << 30)

struct cudart cudart;
_Thread_local bool cudart_thread_active;

/* Makes the lock recursive; runs before the constructors of the program, which register its images. */
__attribute__((constructor)) static void init_lock(void)
{
	pthread_mutexattr_t attributes;

	pthread_mutexattr_init(&attributes);
	pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&cudart.lock, &attributes);
	pthread_mutexattr_destroy(&attributes);
}

/* ---- messages to trace-exec ---- */

static void send_all_bytes(const void *bytes, size_t n)
{
	const char *p = bytes;

	while (n) {
		ssize_t written = write((int)cudart.wire.fd, p, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			die_errno("cannot write the trace");
		p += written;
		n -= (size_t)written;
	}
}

void cudart_send(enum wire_kind kind, const void *bytes, size_t n)
{
	const char *p = bytes;

	if (!cudart.has_token)
		return;
	do {
		size_t part = n < WIRE_MOST ? n : WIRE_MOST;
		struct wire_head h = {kind, (uint32_t)part};

		send_all_bytes(&h, sizeof(h));
		send_all_bytes(p, part);
		p += part;
		n -= part;
	} while (n);
}

/* Returns why a function is not executed, by the group that its name belongs to; NULL: it is in no group. */
static const char *reason_of_refusal(const char *function)
{
	static const struct {
		const char *part; /* substring of the names of the group's functions */
		const char *reason;
	} groups[] = {
		{"Ipc", "each process has a GPU of its own, so processes cannot share memory or events"},
		{"Shareable", "each process has a GPU of its own, so processes cannot share memory"},
		{"PoolExport", "each process has a GPU of its own, so processes cannot share memory"},
		{"PoolImport", "each process has a GPU of its own, so processes cannot share memory"},
		{"External", "there is no other interface to import from"},
		{"Graphics", "there is no graphics interface"},
		{"cudaGL", "there is no graphics interface"},
		{"EGL", "there is no graphics interface"},
		{"VDPAU", "there is no graphics interface"},
		{"MultiDevice", "there is one GPU"},
	};

	for (unsigned i = 0; i < sizeof(groups) / sizeof(groups[0]); i++)
		if (strstr(function, groups[i].part))
			return groups[i].reason;
	return NULL;
}

int cudart_unsupported(const char *function, const char *what)
{
	static char reported[64][192];
	static unsigned n_reported;
	char text[192];

	what = what ? what : reason_of_refusal(function);
	snprintf(text, sizeof(text), "%s%s%s", function, what ? ": " : "", what ? what : "");
	for (unsigned i = 0; i < n_reported; i++)
		if (!strcmp(reported[i], text))
			return cudaErrorNotSupported;
	if (n_reported < 64)
		memcpy(reported[n_reported++], text, sizeof(text));
	diag_error(NOWHERE, "not executed: %s (see trace-exec --run --list)", text);
	cudart_send(WIRE_FOUND, NULL, 0);
	return cudaErrorNotSupported;
}

/* Reports a message of the cuBLAS library, whose messages go through this library. */
API(int, cudart_report, const char *function, const char *what)
{
	int before = cudart_exchange_last_error(cudaSuccess), e = cudart_enter(false);

	if (!e)
		e = cudart_unsupported(function, what);
	cudart_leave(cudaSuccess);
	cudart_exchange_last_error(before);
	return e;
}

/* ---- start ---- */

static void parse_wire_settings(const char *text)
{
	struct wire *w = &cudart.wire;
	const char *gpu = strstr(text, "gpu=");

	/* Defaults, if trace-exec did not load the library: a GPU of medium size. */
	*w = (struct wire){.fd = UINT64_MAX,
		.check = 1,
		.jobs = 1,
		.limit = 4000000000u,
		.major = 8,
		.minor = 6,
		.sms = 46,
		.threads = 1536,
		.ctas = 16,
		.regs = 65536,
		.shared = 102400,
		.shared_block = 101376,
		.clock_khz = 1132000,
		.memory_khz = 3500500,
		.bus_bits = 256,
		.l2_bytes = 4 << 20,
		.memory_bytes = 8ull << 30};
	while (*text) {
		size_t n = strcspn(text, "= ");
		uint64_t v = text[n] == '=' ? strtoull(text + n + 1, NULL, 10) : 0;

#define F(name) \
	if (n == sizeof(#name) - 1 && !strncmp(text, #name, n)) \
		w->name = v;
		WIRE_FIELDS(F)
#undef F
		text += strcspn(text, " ");
		text += *text == ' ';
	}
	snprintf(w->gpu, sizeof(w->gpu), "%s", gpu ? gpu + 4 : "warptools");
}

static void open_device_memory(void)
{
	struct memory *m = &cudart.mem;
	uint64_t cap = HEAP_MOST;
	int fd = memfd_create("device memory", MFD_CLOEXEC);
	void *own = MAP_FAILED;

	for (; fd >= 0 && own == MAP_FAILED && cap >= HEAP_LEAST; cap /= 2)
		if (!ftruncate(fd, (off_t)cap)) {
			own = mmap(NULL, cap, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, fd, 0);
			m->heap_cap = cap;
		}
	if (own == MAP_FAILED)
		die_errno("cannot reserve device memory");
	/*
	 * The mapping fails under a sanitizer, which occupies these addresses. Then the host cannot access
	 * device memory.
	 */
	cudart.host_visible = mmap((void *)(uintptr_t)HEAP_BASE, m->heap_cap, PROT_NONE,
				      MAP_SHARED | MAP_NORESERVE | MAP_FIXED_NOREPLACE, fd, 0) != MAP_FAILED;
	close(fd);
	m->heap = own;
	m->statics = reserve(STATIC_LIMIT, 1);
	cudart.static_limit = cudart_find_static_limit();
	pthread_mutex_init(&m->lock, NULL);
}

/*
 * Makes malloc() keep freed memory: each launch allocates and frees the registers of its warps, often several hundred
 * KiB. A program with 4,000 launches of 3 warps of PTX takes 0.29 s of processor time instead of 2.03 s.
 */
static void keep_memory_of_launches(void)
{
#ifdef M_TRIM_THRESHOLD
	mallopt(M_MMAP_THRESHOLD, 32 << 20);
	mallopt(M_TRIM_THRESHOLD, 64 << 20);
#endif
}

static void start_device(void)
{
	const char *text = getenv(WIRE_ENV);
	char byte;

	cudart.started = true;
	cudart.pid = getpid();
	keep_memory_of_launches();
	diag_init("trace-exec");
	parse_wire_settings(text ? text : "");
	diag_quiet(cudart.wire.quiet);
	cudart.has_token = cudart.wire.fd != UINT64_MAX && read((int)cudart.wire.token, &byte, 1) == 1;
	if (cudart.wire.fd != UINT64_MAX && !cudart.has_token) {
		diag_error(NOWHERE, "a second process uses the device (only one can)");
		cudart.broken = cudaErrorDevicesUnavailable;
	}
	cudart.exec = (struct options){.check = cudart.wire.check,
		.order = cudart.wire.order,
		.stack = (uint8_t)cudart.wire.stack,
		.strict_races = cudart.wire.strict_races,
		.threads = (unsigned)cudart.wire.jobs,
		.limit = cudart.wire.limit};
	cudart.unchecked = cudart.exec;
	cudart.unchecked.check = false;
	open_device_memory();
}

int cudart_enter(bool wait)
{
	pthread_mutex_lock(&cudart.lock);
	cudart_thread_active = true;
	if (!cudart.started)
		start_device();
	if (cudart.pid != getpid())
		return cudaErrorInitializationError;
	if (wait && cudart.pending) {
		cudart.broken = cudart.pending;
		cudart.pending = 0;
	}
	return cudart.broken;
}

int cudart_leave(int status)
{
	struct user_object *dead = user_object_take_dead();

	cudart_set_last_error(status);
	pthread_mutex_unlock(&cudart.lock);
	user_object_destroy(dead);
	return status;
}

/* ---- end ---- */

__attribute__((destructor)) static void finish_device(void)
{
	struct wire_totals totals;

	if (!cudart.started || cudart.pid != getpid())
		return;
	pthread_mutex_lock(&cudart.lock); /* waits for another thread's kernel */
	pause_report_waiting();
	if (cudart.exec.check && !cudart.broken && !cudart.pending)
		cudart_report_leaks();
	totals = (struct wire_totals){.thread_insts = cudart.thread_insts,
		.warp_insts = cudart.warp_insts,
		.launches = cudart.launches,
		.chosen = cudart.chosen_launches,
		.repeats = cudart.repeats};
	cudart_send(WIRE_DONE, &totals, sizeof(totals));
	cudart.has_token = false;
	cudart.broken = cudaErrorCudartUnloading;
	pthread_mutex_unlock(&cudart.lock);
}
