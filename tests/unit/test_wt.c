/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of libwarptools: equal blocks from text and packed streams, seeking, errors, results, threads,
 * and the failure of each allocation. The linker wraps the allocation functions (Makefile).
 */
#include <fcntl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "pack.h"
#include "pack/codec.h"
#include "pack/limits.h"
#include "tap.h"
#include "warptools.h"

#define KERNELS 2
#define BLOCKS  2500u /* number of blocks of the first kernel */

/* ---- failing allocations ------------------------------------------------------------------ */

void *__real_malloc(size_t n);
void *__real_calloc(size_t n, size_t size);
void *__real_realloc(void *p, size_t n);
void *__wrap_malloc(size_t n);
void *__wrap_calloc(size_t n, size_t size);
void *__wrap_realloc(void *p, size_t n);
void *__real_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset);
void __lsan_disable(void) __attribute__((weak));
void __lsan_enable(void) __attribute__((weak));

/* number of allocations up to and including the one that fails; 0 if none fails */
static _Thread_local long fail_in;

static bool must_alloc_fail(void) { return fail_in && --fail_in == 0; }
void *__wrap_malloc(size_t n) { return must_alloc_fail() ? NULL : __real_malloc(n); }
void *__wrap_calloc(size_t n, size_t size) { return must_alloc_fail() ? NULL : __real_calloc(n, size); }
void *__wrap_realloc(void *p, size_t n) { return must_alloc_fail() ? NULL : __real_realloc(p, n); }
void *__wrap_mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
	return must_alloc_fail() ? MAP_FAILED : __real_mmap(at, n, prot, flags, fd, offset);
}

/* ---- traces ------------------------------------------------------------------------------- */

static char directory[] = "/tmp/test_wt.XXXXXX";
static char path[5][64]; /* paths of list, stream, kernel, empty file and results */
enum { LIST, STREAM, KERNEL, EMPTY, RESULTS };

static void write_kernel_text(FILE *out, unsigned id, unsigned blocks)
{
	uint32_t x = 12345;

	fprintf(out,
		"-kernel name = k%u\n-kernel id = %u\n-grid dim = (%u,1,1)\n-block dim = (40,1,1)\n-shmem = 64\n"
		"-nregs = 8\n-binary version = 80\n-cuda stream id = 7\n-shmem base_addr = 0x7f0000000000\n"
		"-local mem base_addr = 0x7f1000000000\n-accelsim tracer version = 4\n-enable lineinfo = 1\n\n"
		"#traces format = x\n\n",
		id, id, blocks);
	for (unsigned b = 0; b < blocks; b++) {
		fprintf(out, "#BEGIN_TB\n\nthread block = %u,0,0\n", b);
		for (unsigned w = 0; w < 2; w++) {
			const char *mask = w ? "000000ff" : "ffffffff";

			fprintf(out, "\nwarp = %u\ninsts = 8\n12 0000 %s 1 R1 MOV 0 0\n", w, mask);
			for (unsigned i = 0; i < 5; i++) {
				x = x * 1664525u + 1013904223u;
				fprintf(out, "13 %04x %s 1 R2 LDG.E.64 1 R4 8 2 0x%x", 16 + 16 * i, mask,
					x & ~7u);
				for (unsigned l = 1; l < (w ? 8u : 32u); l++) {
					x = x * 1664525u + 1013904223u;
					fprintf(out, " %d", (int)(x >> 8 & 0xfff8));
				}
				putc('\n', out);
			}
			fprintf(out,
				"14 0060 %s 0 ST.E 2 R2 R4 4 1 0x7f0000000040 4\n15 0070 %s 0 EXIT 0 0\n",
				mask, mask);
		}
		fprintf(out, "\n#END_TB\n\n");
	}
}

static void write_file_by(const char *name, void (*put)(FILE *out))
{
	FILE *out = fopen(name, "w");

	put(out);
	fclose(out);
}

static void write_first_kernel(FILE *out) { write_kernel_text(out, 1, BLOCKS); }
static void write_second_kernel(FILE *out) { write_kernel_text(out, 2, 3); }
static void write_list_text(FILE *out)
{
	fputs("MemcpyHtoD,0x100,16\nkernel-1.traceg\nkernel-2.traceg\n", out);
}
static void write_no_text(FILE *out) { (void)out; }
static void write_results_text(FILE *out)
{
	fputs("{\"record\":\"run\",\"version\":\"1\",\"configuration\":{\"gpgpu_n_clusters\":\"46\"}}\n"
	      "{\"record\":\"kernel\",\"position\":1,\"name\":\"k1\",\"id\":1,\"stream\":7,\"grid\":{\"x\":2,\"y\":1,\"z\":1},"
	      "\"block\":{\"x\":40,\"y\":1,\"z\":1},\"stats\":{\"gpu_sim_cycle\":5898,\"gpu_ipc\":1.5}}\n"
	      "{\"record\":\"end\",\"status\":\"complete\",\"kernels\":1}\n",
		out);
}

static void write_packed_stream(FILE *out)
{
	struct pack_writer *w = pack_writer_new(out, 3, 1);
	static const char list[] = "MemcpyHtoD,0x100,16\nkernel-1.traceg\nkernel-2.traceg\n";

	/* pieces are small and few pieces form a block, so that the first kernel has many blocks */
	pack_limits.columns = 1u << 18;
	pack_limits.pieces = 4;
	pack_write_list(w, "kernelslist.g", list, sizeof(list) - 1);
	for (int i = 0; i < KERNELS; i++) {
		char *text;
		size_t n;
		FILE *t = open_memstream(&text, &n);

		(i ? write_second_kernel : write_first_kernel)(t);
		fclose(t);
		pack_begin_kernel(w);
		pack_add_text(w, text, n);
		pack_end_kernel(w, NULL);
		free(text);
	}
	pack_writer_close(w);
}

static void make_files(void)
{
	static const struct {
		const char *name;
		void (*put)(FILE *out);
	} files[] = {{"kernelslist.g", write_list_text}, {"app.tpack", write_packed_stream},
		{"kernel-2.traceg", write_second_kernel}, {"empty", write_no_text},
		{"run.json", write_results_text}, {"kernel-1.traceg", write_first_kernel}};

	if (!mkdtemp(directory))
		abort();
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s/%s", directory, files[i].name);
		write_file_by(name, files[i].put);
		if (i < sizeof(path) / sizeof(path[0]))
			strcpy(path[i], name);
	}
}

static void remove_files(void)
{
	char command[80];

	snprintf(command, sizeof(command), "rm -r %s", directory);
	if (system(command))
		abort();
}

/* ---- blocks ------------------------------------------------------------------------------- */

static uint64_t hash_words(uint64_t h, const void *p, size_t n)
{
	const unsigned char *u = p;

	for (size_t i = 0; i < n; i++)
		h = (h ^ u[i]) * 0x100000001b3u;
	return h;
}

/* Returns the hash of everything in a block, including source lines only if `lines` is true. */
static uint64_t hash_block(struct wt_list *l, struct wt_kernel *k, const struct wt_block *b, bool lines)
{
	uint32_t n;
	const struct wt_instruction *in = wt_instructions(l, &n);
	const struct wt_accesses *a = wt_kernel_accesses(k, NULL);
	uint64_t h = hash_words(b->number, &b->x, 5 * sizeof(b->x));

	for (uint32_t w = 0; w < b->n_warps; w++)
		h = hash_words(h, &b->warp[w], lines ? sizeof(b->warp[w]) : 8);
	for (uint32_t i = 0; i < b->n_instructions; i++) {
		const struct wt_instruction *x = &in[b->code[i]];

		h = hash_words(h, &b->mask[i], 4);
		h = hash_words(h, x->opcode, strlen(x->opcode));
		h = hash_words(h, &x->pc, 8);
		h = hash_words(h, x->destination, x->n_destinations * sizeof(uint16_t));
		h = hash_words(h, x->source, x->n_sources * sizeof(uint16_t));
	}
	h = hash_words(h, a->instruction, a->n * sizeof(a->instruction[0]));
	return hash_words(h, a->lane, a->n * sizeof(a->lane[0]));
}

struct all_blocks {
	uint64_t block[BLOCKS + 3];
	unsigned n;
	int end;
};

/* Reads all blocks of all kernels of a list. */
static void read_all_blocks(struct wt_list *l, struct all_blocks *all)
{
	*all = (struct all_blocks){.end = -1};
	for (uint32_t p = 1; p <= KERNELS; p++) {
		struct wt_kernel *k = wt_kernel_open(l, p, NULL);
		const struct wt_block *b;

		while (k && (all->end = wt_kernel_next(k, &b, NULL)) > 0 && all->n < BLOCKS + 3)
			all->block[all->n++] = hash_block(l, k, b, true);
		wt_kernel_close(k);
	}
}

static struct all_blocks text, packed;

static void test_all_blocks(void)
{
	struct wt_error e;
	struct wt_list *l = wt_open(path[LIST], &e), *s = wt_open(path[STREAM], &e);
	uint32_t n;
	const struct wt_command *c = wt_commands(l, &n);

	ok(n == 3 && c[0].kind == WT_COPY_TO_DEVICE && c[0].address == 0x100 && c[0].bytes == 16,
		"a list gives the kind, address and size of a copy");
	ok(c[1].kind == WT_KERNEL && c[1].position == 1 && !strcmp(c[1].text, "kernel-1.traceg"),
		"a list gives the position and file name of a kernel");
	is_number(wt_kernels(s), KERNELS, "the number of kernels of a packed stream is known");
	read_all_blocks(l, &text);
	read_all_blocks(s, &packed);
	is_number(text.n, BLOCKS + 3, "all thread blocks of a text trace are read");
	is_number(text.end, 0, "reading a text trace ends without an error");
	ok(!memcmp(&text, &packed, sizeof(text)), "a packed stream gives the same thread blocks as its text");
	wt_close(l);
	wt_close(s);
}

static void test_kernel(void)
{
	struct wt_list *l = wt_open(path[KERNEL], NULL);
	struct wt_kernel *k = wt_kernel_open(l, 1, NULL);
	const struct wt_kernel_info *i = wt_kernel_info(k);
	const struct wt_block *b;
	const struct wt_accesses *a;
	const struct wt_instruction *in;
	struct wt_error e;
	uint64_t lane[WT_LANES];
	uint32_t n;

	ok(i->id == 2 && i->stream == 7 && i->grid[0] == 3 && i->block[0] == 40 && i->warps == 2 &&
			i->compute_capability == 80 && i->has_lines && !i->ptx && i->blocks == 3,
		"wt_kernel_info() gives the header of a kernel");
	ok(!wt_kernel_accesses(k, &e) && !strcmp(e.id, "no-block"),
		"wt_kernel_accesses() fails before the first thread block");
	is_number(wt_kernel_next(k, &b, NULL), 1, "the first thread block of a kernel is read");
	ok(b->n_warps == 2 && b->n_instructions == 16 && b->n_accesses == 12 && b->warp[1].first == 8,
		"a thread block gives its numbers of warps, instructions and accesses");
	in = wt_instructions(l, &n);
	is_number(n, 8, "the number of static instructions is known");
	in += b->code[1];
	ok(in->pc == 0x10 && in->line == 13 && in->size == 8 && in->n_destinations == 1 &&
			*in->destination == 3 && in->n_sources == 1 && *in->source == 5 &&
			in->space == WT_SPACE_GLOBAL && in->access == WT_LOAD &&
			!strcmp(wt_class_name(in->class_), "LOAD"),
		"wt_instructions() gives the fields of a load");
	is_text(wt_space_name(in->space), "global", "wt_space_name() names the global space");
	is_text(wt_space_name(99), "", "wt_space_name() gives \"\" for an unknown space");
	is_number(wt_kernel_addresses(k, 0, lane), 0,
		"wt_kernel_addresses() returns 0 for an instruction without addresses");
	is_number(wt_kernel_addresses(k, 16, lane), -1,
		"wt_kernel_addresses() fails for an instruction that does not exist");
	is_number(wt_kernel_addresses(k, 14, lane), 1,
		"wt_kernel_addresses() returns 1 for an instruction with addresses");
	ok(lane[7] == 0x7f000000005c && lane[8] == 0,
		"wt_kernel_addresses() gives the address of each active lane");
	a = wt_kernel_accesses(k, NULL);
	ok(a->n == 12 && a->instruction[11] == 14 && a->space[11] == WT_SPACE_SHARED &&
			a->lane[11][1] == lane[1],
		"the space of a generic access follows from its address");
	ok(!wt_kernel_source(k, 1), "machine code has no names of source files");
	wt_close(l);
}

static void test_seek(void)
{
	static const uint64_t at[] = {BLOCKS - 1, 0, 1, 1200, 1201, 700, 2400, 5, BLOCKS - 1};
	struct wt_error e;

	for (int s = LIST; s <= STREAM; s++) {
		struct wt_list *l = wt_open(path[s], NULL);
		struct wt_kernel *k = wt_kernel_open(l, 1, NULL);
		const struct wt_block *b;
		unsigned same = 0;
		uint64_t without[2] = {0};

		for (size_t i = 0; i < sizeof(at) / sizeof(at[0]); i++) {
			if (wt_kernel_seek(k, at[i], NULL) || wt_kernel_next(k, &b, NULL) != 1)
				continue;
			same += b->number == at[i] && b->x == at[i];
			without[at[i] != BLOCKS - 1 || i] ^= hash_block(l, k, b, false);
		}
		is_number(same, sizeof(at) / sizeof(at[0]), "wt_kernel_seek() finds each thread block");
		is_number(wt_kernel_next(k, &b, NULL), 0,
			"wt_kernel_next() returns 0 after the last thread block");
		ok(!b, "wt_kernel_next() gives no thread block at the end");
		ok(wt_kernel_seek(k, BLOCKS, &e) < 0 && !strcmp(e.id, "block-number"),
			"wt_kernel_seek() rejects a thread block that does not exist");
		is_text(e.text, "thread block 2500 does not exist (expected 0 to 2499)",
			"a seek to a missing thread block is reported with the valid range");
		packed.block[s] = without[1];
		wt_close(l);
	}
	ok(packed.block[LIST] == packed.block[STREAM],
		"text and packed stream give the same thread blocks after seeking");
	struct fault f;
	struct pack *p = pack_open(path[STREAM], &f);
	ok(p && p->n_entries > 2, "the packed stream of the test has several blocks of columns");
	pack_close(p);
}

static void test_descriptor(void)
{
	struct wt_error e;
	int fd = open(path[STREAM], O_RDONLY), ends[2];
	struct wt_list *l = wt_open_fd(fd, "stream", &e);
	const struct wt_block *b;

	close(fd);
	read_all_blocks(l, &packed);
	ok(!memcmp(&text, &packed, sizeof(text)), "a stream from a file descriptor gives all thread blocks");
	wt_close(l);
	fd = open(path[LIST], O_RDONLY);
	l = wt_open_fd(fd, path[LIST], &e);
	close(fd);
	read_all_blocks(l, &packed);
	ok(!memcmp(&text, &packed, sizeof(text)), "a list from a file descriptor gives all thread blocks");
	wt_close(l);
	if (pipe(ends))
		abort();
	if (!fork()) {
		dup2(ends[1], 1);
		close(ends[0]);
		close(ends[1]);
		execlp("cat", "cat", path[STREAM], (char *)NULL);
		_exit(1);
	}
	close(ends[1]);
	l = wt_open_fd(ends[0], "pipe", &e);
	close(ends[0]);
	read_all_blocks(l, &packed);
	ok(!memcmp(&text, &packed, sizeof(text)), "a stream from a pipe gives all thread blocks");
	wt_close(l);
	wait(NULL);
	fd = open(path[KERNEL], O_RDONLY);
	l = wt_open_fd(fd, "kernel", &e);
	close(fd);
	struct wt_kernel *k = wt_kernel_open(l, 1, NULL);
	is_number(wt_kernel_next(k, &b, NULL), 1, "a kernel file from a file descriptor is read");
	ok(wt_kernel_seek(k, 2, &e) == 0 && wt_kernel_seek(k, 0, &e) < 0 && !strcmp(e.id, "open"),
		"a kernel file from a file descriptor cannot seek backwards");
	ok(wt_kernel_next(k, &b, &e) < 0 && !strcmp(e.id, "closed"),
		"a kernel is closed after a failed seek");
	wt_close(l);
	ok(!wt_open_fd(-1, "none", &e) && !strcmp(e.id, "open"), "an invalid file descriptor is rejected");
}

static void test_errors(void)
{
	struct wt_error e;
	char message[5000];
	struct wt_list *l;

	ok(!wt_open("/nowhere/at/all", &e) && !strcmp(e.id, "open"),
		"a file that does not exist is rejected");
	is_text(wt_error_message(&e, message, sizeof(message)),
		"/nowhere/at/all: cannot be opened: No such file or directory",
		"the message about a missing file has its name and the reason");
	ok(!wt_open(path[EMPTY], &e) && !strcmp(e.id, "list-empty"), "an empty list is rejected");
	ok(!wt_open(path[RESULTS], &e) && e.line == 1 && e.column == 1 && strstr(e.file, "run.json"),
		"a file that is not a list is reported with its place");
	ok(!wt_open(path[EMPTY], NULL), "an empty list is rejected without struct wt_error");
	l = wt_open(path[LIST], NULL);
	ok(!wt_kernel_open(l, 3, &e) && !strcmp(e.id, "position"),
		"a kernel position that does not exist is rejected");
	is_text(e.text, "no kernel at position 3 (expected 1 to 2)",
		"a wrong kernel position is reported with the valid range");
	wt_close(l);
	wt_close(NULL);
	wt_kernel_close(NULL);
	wt_results_close(NULL);
	ok(!wt_results_open("/nowhere/at/all", 0, &e) && !strcmp(e.id, "open"),
		"a results file that does not exist is rejected");
	struct wt_results *r = wt_results_open(path[EMPTY], 0, &e);
	const struct wt_record *x;
	ok(wt_results_next(r, &x, &e) < 0 && !x && !strcmp(e.id, "no-run"),
		"an empty results file is rejected");
	wt_results_close(r);
}

static void test_results(void)
{
	struct wt_error e;
	struct wt_results *r = wt_results_open(path[RESULTS], 0, &e);
	const struct wt_record *x;
	double v = 0;

	ok(wt_results_next(r, &x, &e) == 1 && x->kind == WT_RECORD_RUN && x->n_settings > 0,
		"the first record of the results is the run");
	ok(wt_results_next(r, &x, &e) == 1 && x->kind == WT_RECORD_KERNEL && x->position == 1 &&
			!strcmp(x->name, "k1") && !strcmp(x->grid, "2x1x1") && x->stream == 7,
		"the second record of the results is the kernel");
	ok(wt_results_value(r, "gpu_sim_cycle", &v) == 1 && v == 5898,
		"wt_results_value() gives a figure by its name");
	is_number(wt_results_value(r, "gpu_nothing", &v), 0,
		"wt_results_value() returns 0 for an unknown figure");
	ok(x->n_figures == 2 && x->figure[0].whole && x->figure[0].count == 5898 &&
			!strcmp(x->figure[0].unit, "cycles"),
		"a record gives the number and the unit of a figure");
	ok(wt_results_next(r, &x, &e) == 1 && x->kind == WT_RECORD_END && !strcmp(x->status, "complete"),
		"the last record of the results is the end");
	ok(wt_results_next(r, &x, &e) == 0 && !x, "wt_results_next() returns 0 at the end of the input");
	wt_results_close(r);
	int fd = open(path[RESULTS], O_RDONLY);
	r = wt_results_open_fd(fd, "run", 0, &e);
	close(fd);
	ok(r && wt_results_next(r, &x, &e) == 1, "results from a file descriptor are read");
	wt_results_close(r);
}

/* ---- threads and memory ------------------------------------------------------------------- */

static void *read_in_thread(void *arg)
{
	struct all_blocks *all = arg;
	struct wt_list *l = wt_open(path[all->n], NULL);
	struct wt_results *r = wt_results_open(path[RESULTS], 0, NULL);
	const struct wt_record *x;

	read_all_blocks(l, all);
	while (wt_results_next(r, &x, NULL) > 0)
		;
	wt_results_close(r);
	wt_close(l);
	return NULL;
}

static void test_threads(void)
{
	static struct all_blocks all[4];
	pthread_t thread[4];
	unsigned same = 0;

	for (unsigned i = 0; i < 4; i++) {
		all[i].n = i & 1 ? STREAM : LIST;
		pthread_create(&thread[i], NULL, read_in_thread, &all[i]);
	}
	for (unsigned i = 0; i < 4; i++) {
		pthread_join(thread[i], NULL);
		same += !memcmp(&all[i], &text, sizeof(text));
	}
	is_number(same, 4, "four threads with a handle each read the same thread blocks");
}

/*
 * Reads lists or results while allocation number n fails. Returns true if fewer than n allocations occurred.
 * Sets *bad if a call failed without an error, or if the handle still worked afterwards.
 */
static bool read_with_failed_alloc(int which, long n, bool *bad)
{
	struct wt_error e = {.id = ""};
	bool done = false;
	int r = -1;

	fail_in = n;
	if (which == RESULTS) {
		struct wt_results *w = wt_results_open(path[which], 0, &e);
		const struct wt_record *x;

		while (w && (r = wt_results_next(w, &x, &e)) > 0)
			;
		done = fail_in > 0;
		fail_in = 0;
		*bad = done ? r != 0 : strcmp(e.id, "memory") || (w && wt_results_next(w, &x, NULL) >= 0);
		wt_results_close(w);
		return done;
	}
	struct wt_list *l = wt_open(path[which], &e);
	struct wt_kernel *k = l ? wt_kernel_open(l, wt_kernels(l), &e) : NULL;
	const struct wt_block *b = NULL;

	while (k && (r = wt_kernel_next(k, &b, &e)) > 0)
		if (!wt_kernel_accesses(k, &e) || (b->number == 1 && wt_kernel_seek(k, 2, &e)))
			break;
	done = fail_in > 0;
	fail_in = 0;
	*bad = done ? r != 0 : strcmp(e.id, "memory") || (k && wt_kernel_next(k, &b, NULL) >= 0);
	wt_close(l);
	return done;
}

__attribute__((unused)) static void test_memory(void)
{
	static const int which[] = {LIST, STREAM, KERNEL, RESULTS};

	if (__lsan_disable)
		__lsan_disable();
	for (size_t i = 0; i < sizeof(which) / sizeof(which[0]); i++) {
		long n = 0, wrong = 0;
		bool done = false, bad;

		while (!done && n < 100000) {
			done = read_with_failed_alloc(which[i], ++n, &bad);
			if (bad && !wrong++)
				printf("# %s: allocation %ld\n", path[which[i]], n);
		}
		ok(!wrong && done && n > 10, "the failure of each of %ld allocations is reported: %s", n - 1,
			strrchr(path[which[i]], '/'));
	}
	if (__lsan_enable)
		__lsan_enable();
}

int main(void)
{
	make_files();
	test_all_blocks();
	test_kernel();
	test_seek();
	test_descriptor();
	test_errors();
	test_results();
	test_threads();
/* after a failed allocation, locks of the handle remain held, which TSan reports */
#ifndef __SANITIZE_THREAD__
	test_memory();
#endif
	remove_files();
	return tap_done();
}
