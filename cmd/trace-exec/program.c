/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option --run: starts the program with the library preloaded in place of its CUDA runtime and driver, and
 * receives the library's messages.
 *
 * Always true: a kernel that failed, and a program that was killed or ended without exit(), leave neither a
 * stream nor a list. The program's output never mixes with the trace: when the trace is written to stdout, the
 * program's stdout is stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "arena.h"
#include "linkage.h"
#include "program.h"
#include "program_trace.h"

#ifndef LIBDIR
#define LIBDIR "/usr/local/lib/warptools"
#endif
#define LIBRARY "libtrace-exec-cudart.so"

struct receiver {
	struct program_trace trace;
	int fd;
	struct wire_totals totals;
	bool failed, has_finding, done;
};

/* ---- messages ---- */

static bool receive_bytes(struct receiver *r, void *to, size_t n)
{
	char *p = to;

	while (n) {
		ssize_t got = read(r->fd, p, n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		p += got;
		n -= (size_t)got;
	}
	return true;
}

/* Reads the body of a message into the trace's buffer, after the parts that came before. */
static bool receive_body(struct receiver *r, const struct wire_head *h)
{
	struct bytes *b = &r->trace.body;

	if (h->bytes > WIRE_MOST)
		return false;
	bytes_reserve(b, h->bytes);
	if (!receive_bytes(r, b->p + b->n, h->bytes))
		return false;
	b->n += h->bytes;
	b->p[b->n] = '\0';
	return true;
}

/* Reads and handles one message. Returns false after the last one. */
static bool handle_message(struct receiver *r)
{
	struct bytes *b = &r->trace.body;
	struct wire_head h;

	if (!receive_bytes(r, &h, sizeof(h)) || !receive_body(r, &h))
		return false;
	switch (h.kind) {
	case WIRE_PART: return true;
	case WIRE_COPY: program_trace_add_copy(&r->trace); break;
	case WIRE_KERNEL: program_trace_begin_kernel(&r->trace); break;
	case WIRE_DATA: program_trace_add_text(&r->trace); break;
	case WIRE_CODE:
	case WIRE_BLOCK:
		if (!(h.kind == WIRE_CODE ? program_trace_add_code : program_trace_add_block)(&r->trace))
			return false;
		break;
	case WIRE_FAILED: r->failed = true; break;
	case WIRE_FOUND: r->has_finding = true; break;
	case WIRE_DONE:
		r->done = true;
		if (b->n == sizeof(r->totals))
			memcpy(&r->totals, b->p, sizeof(r->totals));
		return false;
	default: return false;
	}
	b->n = 0;
	return true;
}

/* Reads messages until WIRE_DONE, or until the program has ended and the pipe is empty. Returns its wait status. */
static int receive_all_messages(struct receiver *r, pid_t program)
{
	struct pollfd p = {.fd = r->fd, .events = POLLIN};
	int status = 0;
	bool ended = false;

	for (;;) {
		int ready = poll(&p, 1, ended ? 0 : 50);

		if (ready > 0 && !handle_message(r))
			break;
		if (ready == 0 && ended)
			break;
		if (!ended && ready == 0)
			ended = waitpid(program, &status, WNOHANG) == program;
	}
	close(r->fd); /* a program whose message was damaged must not wait for a reader */
	while (!ended && waitpid(program, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* ---- the program ---- */

/*
 * Finds the library: as named by the environment, else in trace-exec's directory, in ../lib/warptools, or in
 * LIBDIR.
 */
static void find_library(char path[PATH_MAX])
{
	const char *named = getenv("WARPTOOLS_CUDART");
	char exe[PATH_MAX - 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	static const char *const places[] = {"", "../lib/warptools/"};

	if (named) {
		if (!realpath(named, path))
			die_errno_at(
				(struct place){.file = named}, "cannot open the library of WARPTOOLS_CUDART");
		return;
	}
	for (unsigned i = 0; n > 0 && i < 2; i++) {
		exe[n] = '\0';
		*(strrchr(exe, '/') + 1) = '\0';
		snprintf(path, PATH_MAX, "%s%s%s", exe, places[i], LIBRARY);
		if (!access(path, R_OK))
			return;
	}
	snprintf(path, PATH_MAX, "%s/%s", LIBDIR, LIBRARY);
	if (access(path, R_OK))
		die_errno_at((struct place){.file = path}, "cannot open the library");
}

/* Adds an entry to a list separated by colons, at its end or at its start. */
static void add_search_path(const char *variable, const char *entry, bool at_end)
{
	const char *now = getenv(variable);
	size_t n = strlen(entry) + (now ? strlen(now) : 0) + 2;
	char *text = xmalloc(n);

	if (!now || !*now)
		snprintf(text, n, "%s", entry);
	else
		snprintf(text, n, "%s:%s", at_end ? now : entry, at_end ? entry : now);
	if (setenv(variable, text, 1))
		die_errno("cannot set environment variables");
	free(text);
}

/*
 * Replaces a path that the loader would split or expand by the name of a descriptor, which the program
 * inherits. The loader splits LD_PRELOAD at blanks and colons, LD_LIBRARY_PATH at colons and semicolons, and
 * expands "$ORIGIN" in both. Returns false if the file cannot be opened.
 */
static bool replace_unsafe_path(char *path, size_t cap)
{
	int fd;

	if (!strpbrk(path, " \t\n:;$"))
		return true;
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	snprintf(path, cap, "/proc/self/fd/%d", fd);
	return true;
}

/* Sets a variable, or removes it if it has no value. Returns 0, or -1 with errno set. */
static int set_or_unset_variable(const char *variable, const char *value)
{
	return value ? setenv(variable, value, 1) : unsetenv(variable);
}

/*
 * Sets the environment variables of the program. The directory `cudart` contains links to the library under the
 * names of the runtime, for a system that lacks the release of the runtime that the program needs. The directory
 * of cuBLAS comes before the directories of the system.
 */
static void set_environment(const struct wire *w, const char *found, const struct run_options *o)
{
	char text[1024], directory[PATH_MAX + 16], library[PATH_MAX];
	size_t n = 0;

#define F(name) \
	n += (size_t)snprintf(text + n, sizeof(text) - n, #name "=%llu ", (unsigned long long)w->name);
	WIRE_FIELDS(F)
#undef F
	snprintf(text + n, sizeof(text) - n, "gpu=%s", w->gpu);
	if (setenv(WIRE_ENV, text, 1) || set_or_unset_variable(WIRE_ENV_KERNELS, o->kernels) ||
		set_or_unset_variable(WIRE_ENV_LAUNCHES, o->launches))
		die_errno("cannot set environment variables");
	snprintf(directory, sizeof(directory), "%.*scudart", (int)(strrchr(found, '/') - found) + 1, found);
	if (replace_unsafe_path(directory, sizeof(directory)))
		add_search_path("LD_LIBRARY_PATH", directory, true);
	snprintf(directory, sizeof(directory), "%.*scublas", (int)(strrchr(found, '/') - found) + 1, found);
	if (!o->real_libs && !access(directory, X_OK) && replace_unsafe_path(directory, sizeof(directory)))
		add_search_path("LD_LIBRARY_PATH", directory, false);
	snprintf(library, sizeof(library), "%s", found);
	if (!replace_unsafe_path(library, sizeof(library)))
		die_errno_at((struct place){.file = found}, "cannot open the library");
	add_search_path("LD_PRELOAD", library, false);
}

static bool is_trace_on_stdout(const struct run_options *o)
{
	return o->trace_to == TRACE_STREAM && (!o->output || !strcmp(o->output, "-"));
}

/* Executes the program. Linux kills it when trace-exec ends, even if a signal ends trace-exec. */
static _Noreturn void exec_traced_program(char **argv, pid_t parent, bool stdout_taken, int trouble)
{
	int e;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(EXIT_TROUBLE);
	if (stdout_taken)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	execvp(argv[0], argv);
	e = errno;
	if (write(trouble, &e, sizeof(e)) < 0)
		_exit(EXIT_TROUBLE);
	_exit(EXIT_TROUBLE);
}

static void open_pipe(int fd[2], int flags)
{
	if (pipe2(fd, flags))
		die_errno("cannot create a pipe");
}

static pid_t start_program(char **argv, struct wire *w, const struct run_options *o, int *fd, int *token)
{
	int data[2], tokens[2], trouble[2], e;
	char library[PATH_MAX];
	pid_t parent = getpid(), child;

	find_library(library);
	open_pipe(data, 0);
	open_pipe(tokens, O_NONBLOCK);
	open_pipe(trouble, O_CLOEXEC);
	if (write(tokens[1], "", 1) != 1)
		die_errno("cannot create a pipe");
	w->fd = (uint64_t)data[1];
	w->token = (uint64_t)tokens[0];
	fflush(NULL);
	child = fork();
	if (child < 0)
		die_errno("cannot create a process");
	if (!child) {
		close(data[0]);
		close(tokens[1]);
		set_environment(w, library, o);
		exec_traced_program(argv, parent, is_trace_on_stdout(o), trouble[1]);
	}
	close(data[1]);
	close(tokens[1]);
	close(trouble[1]);
	if (read(trouble[0], &e, sizeof(e)) == sizeof(e)) {
		errno = e;
		die_errno_at((struct place){.file = argv[0]},
			e == ENOENT && strchr(argv[0], '/') && !access(argv[0], F_OK)
				? "the interpreter that its first line or its ELF header names cannot be executed"
				: "cannot be executed");
	}
	close(trouble[0]);
	*fd = data[0];
	*token = tokens[0];
	return child;
}

/* Returns the exit status after a program that ended with status `own` without a call of the library. */
static int status_without_library_call(const char *name, int own)
{
	enum program_linkage l = linkage_of_program(name);

	if (l == LINKAGE_FOREIGN) {
		diag_error((struct place){.file = name},
			"program for another processor (compile it on this computer)");
		return EXIT_TROUBLE;
	}
	if (l == LINKAGE_STATIC || l == LINKAGE_STATIC_RUNTIME) {
		diag_error((struct place){.file = name},
			"linked statically%s: its calls cannot be executed (link it with nvcc -cudart shared)",
			l == LINKAGE_STATIC ? "" : " with the CUDA runtime");
		return EXIT_TROUBLE;
	}
	if (!own)
		diag_warn((struct place){.file = name},
			"ended without a call of the CUDA runtime or driver%s",
			l == LINKAGE_RUNTIME
				? ""
				: " (programs that it starts must be linked with nvcc -cudart shared)");
	return own;
}

/* Reports an end that leaves the trace incomplete. Returns the exit status: trace-exec(1) has the table. */
static int report_incomplete_end(struct receiver *r, const char *name, int status, int token)
{
	int own = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	char byte;

	if (WIFSIGNALED(status))
		diag_error((struct place){.file = name}, "ended by signal %d (%s)", WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	if (!r->done && read(token, &byte, 1) == 1)
		return status_without_library_call(name, own);
	if (!r->done && !WIFSIGNALED(status)) {
		diag_error((struct place){.file = name}, "ended without exit(): its trace is incomplete");
		return own ? own : EXIT_TROUBLE;
	}
	return own ? own : r->failed || r->has_finding ? EXIT_NO : EXIT_GOOD;
}

int program_run(char **argv, const struct run_options *o, const struct gpu_choice *g)
{
	static struct receiver r;
	struct wire w = {.trace = o->trace_to != TRACE_NONE,
		.packed = o->trace_to == TRACE_STREAM && o->records,
		.check = o->exec.check,
		.limit = o->exec.limit,
		.jobs = o->exec.threads,
		.order = o->exec.order,
		.stack = o->exec.stack,
		.strict_races = o->exec.strict_races,
		.every_launch = o->every_launch,
		.leaks = o->leaks,
		.quiet = o->quiet,
		.code = o->code,
		.binary = o->binary};
	pid_t child;
	int token, status;

	gpu_fill_wire(g, &w);
	program_trace_open(&r.trace, o, g, argv[0]);
	child = start_program(argv, &w, o, &r.fd, &token);
	status = receive_all_messages(&r, child);
	status = report_incomplete_end(&r, argv[0], status, token);
	program_trace_close(&r.trace, r.done && !r.failed);
	if (r.totals.launches && !r.totals.chosen)
		diag_warn((struct place){.file = argv[0]},
			"--kernels and --launches choose none of the launches (there are %llu)",
			(unsigned long long)r.totals.launches);
	if (o->verbose && r.done)
		fprintf(stderr, "%s: %llu thread instructions, %llu warp instructions\n", diag_program(),
			(unsigned long long)r.totals.thread_insts, (unsigned long long)r.totals.warp_insts);
	if (o->verbose && r.totals.repeats)
		fprintf(stderr, "%s: %llu launches were not executed because they repeat\n", diag_program(),
			(unsigned long long)r.totals.repeats);
	return status;
}
