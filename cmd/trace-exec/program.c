/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --run: starts the program with the library preloaded in place of its CUDA runtime and driver, receives copies and
 * kernels, writes the trace.
 *
 * A stream begins with its list, which is known when the program has ended. Until then kernels are kept,
 * compressed, in a file without a name in $TMPDIR. Kernels of a folder are written as they arrive, its list
 * last.
 *
 * Always true: no stream and no list are left by a kernel that failed or a program that was killed or ended
 * without exit(). The program's output never mixes with the trace: when the trace goes to stdout, the program's
 * stdout is stderr.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zstd.h>
#include "arena.h"
#include "bytes.h"
#include "linkage.h"
#include "output.h"
#include "pack.h"
#include "program.h"

#ifndef LIBDIR
#define LIBDIR "/usr/local/lib/warptools"
#endif
#define LIBRARY "libtrace-exec-cudart.so"
#define CHUNK   (1u << 16)

struct kept_text {
	FILE *file;
	ZSTD_CStream *z;
	uint64_t *bytes; /* size of each kernel's text */
	uint32_t n, cap;
};

struct receiver {
	const struct run_options *o;
	const struct gpu_choice *gpu;
	const char *program;
	int fd;
	struct bytes list;
	struct output *kernel; /* file of the current kernel in a folder */
	struct kept_text kept;
	uint64_t insts[2]; /* thread instructions, warp instructions */
	bool failed, found, done;
};

/* ---- kernels of a stream, kept until the list is known ---- */

static void keep_open(struct kept_text *k)
{
	k->file = output_spool();
	k->z = ZSTD_createCStream();
	if (!k->file)
		die_errno("the temporary file");
	if (!k->z)
		die("out of memory");
	ZSTD_initCStream(k->z, 1);
}

static void keep_kernel_text(struct kept_text *k, const void *bytes, size_t n, ZSTD_EndDirective end)
{
	ZSTD_inBuffer in = {bytes, n, 0};
	char buffer[CHUNK];
	size_t left;

	do {
		ZSTD_outBuffer out = {buffer, sizeof(buffer), 0};

		left = ZSTD_compressStream2(k->z, &out, &in, end);
		if (ZSTD_isError(left))
			die("packing failed: %s", ZSTD_getErrorName(left));
		if (fwrite(buffer, 1, out.pos, k->file) != out.pos)
			die_errno("the temporary file");
	} while (in.pos < in.size || (end == ZSTD_e_end && left));
	if (k->n)
		k->bytes[k->n - 1] += n;
}

static void feed_kernels(struct kept_text *k, struct pack_writer *w)
{
	ZSTD_DStream *z = ZSTD_createDStream();
	char packed[CHUNK], text[CHUNK];
	ZSTD_inBuffer in = {packed, 0, 0};
	uint32_t at = 0;
	uint64_t fed = 0;

	if (!z)
		die("out of memory");
	keep_kernel_text(k, NULL, 0, ZSTD_e_end);
	rewind(k->file);
	while (at < k->n) {
		ZSTD_outBuffer out = {text, sizeof(text), 0};

		if (in.pos == in.size) {
			in.size = fread(packed, 1, sizeof(packed), k->file);
			in.pos = 0;
		}
		size_t rc = ZSTD_decompressStream(z, &out, &in);
		if (ZSTD_isError(rc) || (!out.pos && !in.size))
			die("the temporary file is damaged");
		for (size_t done = 0; done < out.pos;) {
			size_t part = out.pos - done;

			if (!fed)
				pack_begin(w);
			if (part > k->bytes[at] - fed)
				part = k->bytes[at] - fed;
			pack_feed(w, text + done, part);
			done += part;
			fed += part;
			if (fed == k->bytes[at]) {
				pack_end(w, NULL);
				fed = 0;
				at++;
			}
		}
	}
	ZSTD_freeDStream(z);
}

/* ---- the trace ---- */

static void open_trace(struct receiver *r)
{
	const char *to = r->o->output;

	if (r->o->to == TRACE_FOLDER && (!*to || (mkdir(to, 0777) && errno != EEXIST)))
		die_errno("%s", to);
	if (r->o->to == TRACE_STREAM && isatty(STDOUT_FILENO))
		die("stdout is a terminal (use -n, -o DIR or a redirection)");
	if (r->o->to == TRACE_STREAM)
		keep_open(&r->kept);
	bytes_puts(&r->list, "");
}

static void end_kernel(struct receiver *r)
{
	if (r->kernel)
		output_commit(r->kernel);
	r->kernel = NULL;
}

/* Opens a file of the folder for writing; ends the program if it is the program's or the GPU's. */
static struct output *open_in_folder(const struct receiver *r, const char *name)
{
	char *path = run_path(r->o->output, name);
	struct output *out;

	output_spare(path, r->program);
	gpu_spare(r->gpu, path);
	out = output_open(path, r->o->force);
	free(path);
	return out;
}

static void receive_kernel(struct receiver *r, const char *name)
{
	end_kernel(r);
	bytes_printf(&r->list, "%s\n", name);
	if (r->o->to == TRACE_FOLDER) {
		r->kernel = open_in_folder(r, name);
	} else {
		grow(&r->kept.bytes, &r->kept.cap, r->kept.n + 1, sizeof(*r->kept.bytes));
		r->kept.bytes[r->kept.n++] = 0;
	}
}

static void write_trace(struct receiver *r)
{
	struct output *out;

	end_kernel(r);
	if (r->o->to == TRACE_FOLDER) {
		out = open_in_folder(r, "kernelslist.g");
		fwrite(r->list.p, 1, r->list.n, output_stream(out));
	} else {
		out = output_open(NULL, false);
		struct pack_writer *w = pack_writer_new(output_stream(out), PACK_DEFAULT, r->o->exec.threads);

		pack_put_list(w, "kernelslist.g", r->list.p, r->list.n);
		feed_kernels(&r->kept, w);
		pack_writer_close(w);
	}
	output_commit(out);
}

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

/* Reads and handles one message. Returns false after the last one. */
static bool handle_message(struct receiver *r)
{
	static char body[WIRE_MOST + 1];
	struct wire_head h;

	if (!receive_bytes(r, &h, sizeof(h)) || h.bytes > WIRE_MOST || !receive_bytes(r, body, h.bytes))
		return false;
	body[h.bytes] = '\0';
	switch (h.kind) {
	case WIRE_COPY: bytes_printf(&r->list, "%s\n", body); break;
	case WIRE_KERNEL: receive_kernel(r, body); break;
	case WIRE_DATA:
		if (r->kernel)
			fwrite(body, 1, h.bytes, output_stream(r->kernel));
		else if (r->kept.n)
			keep_kernel_text(&r->kept, body, h.bytes, ZSTD_e_continue);
		break;
	case WIRE_FAILED: r->failed = true; break;
	case WIRE_FOUND: r->found = true; break;
	case WIRE_DONE:
		r->done = true;
		if (h.bytes == sizeof(r->insts))
			memcpy(r->insts, body, sizeof(r->insts));
		return false;
	default: return false;
	}
	return true;
}

/* Reads messages until WIRE_DONE, or until the program has ended and the pipe is empty. Returns its wait status. */
static int receive_all(struct receiver *r, pid_t program)
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
	while (!ended && waitpid(program, &status, 0) < 0 && errno == EINTR)
		;
	return status;
}

/* ---- the program ---- */

/*
 * Finds the library: named by the environment, in trace-exec's directory, installed relative to it, installed
 * in LIBDIR.
 */
static void find_library(char path[PATH_MAX])
{
	const char *named = getenv("WARPTOOLS_CUDART");
	char exe[PATH_MAX - 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	static const char *const places[] = {"", "../lib/warptools/"};

	if (named) {
		if (!realpath(named, path))
			die_errno("%s", named);
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
		die_errno("%s", path);
}

/* Adds an entry to a list separated by colons, at its end or at its start. */
static void add_entry(const char *variable, const char *entry, bool at_end)
{
	const char *now = getenv(variable);
	size_t n = strlen(entry) + (now ? strlen(now) : 0) + 2;
	char *text = xmalloc(n);

	if (!now || !*now)
		snprintf(text, n, "%s", entry);
	else
		snprintf(text, n, "%s:%s", at_end ? now : entry, at_end ? entry : now);
	if (setenv(variable, text, 1))
		die_errno("the environment");
	free(text);
}

/*
 * Replaces a path that the loader would split or expand (LD_PRELOAD at blanks and colons, LD_LIBRARY_PATH at
 * colons and semicolons, "$ORIGIN" in both) by the name of a descriptor, which the program inherits. false:
 * the file cannot be opened.
 */
static bool name_for_loader(char *path, size_t cap)
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

/*
 * Sets the variables of the program. The directory of links to the library satisfies the loader if the system has
 * no runtime of the release that the program needs. The directory of cuBLAS precedes that of the system.
 */
static void set_environment(const struct wire *w, const char *found, bool real_libs)
{
	char text[1024], folder[PATH_MAX + 16], library[PATH_MAX];
	size_t n = 0;

#define F(name) \
	n += (size_t)snprintf(text + n, sizeof(text) - n, #name "=%llu ", (unsigned long long)w->name);
	WIRE_FIELDS(F)
#undef F
	snprintf(text + n, sizeof(text) - n, "gpu=%s", w->gpu);
	if (setenv(WIRE_ENV, text, 1))
		die_errno("the environment");
	snprintf(folder, sizeof(folder), "%.*scudart", (int)(strrchr(found, '/') - found) + 1, found);
	if (name_for_loader(folder, sizeof(folder)))
		add_entry("LD_LIBRARY_PATH", folder, true);
	snprintf(folder, sizeof(folder), "%.*scublas", (int)(strrchr(found, '/') - found) + 1, found);
	if (!real_libs && !access(folder, X_OK) && name_for_loader(folder, sizeof(folder)))
		add_entry("LD_LIBRARY_PATH", folder, false);
	snprintf(library, sizeof(library), "%s", found);
	if (!name_for_loader(library, sizeof(library)))
		die_errno("%s", found);
	add_entry("LD_PRELOAD", library, false);
}

static _Noreturn void become_program(char **argv, bool stdout_taken, int trouble)
{
	int e;

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
		die_errno("a pipe");
}

static pid_t start_program(
	char **argv, struct wire *w, bool stdout_taken, bool real_libs, int *fd, int *token)
{
	int data[2], tokens[2], trouble[2], e;
	char library[PATH_MAX];
	pid_t child;

	find_library(library);
	open_pipe(data, 0);
	open_pipe(tokens, O_NONBLOCK);
	open_pipe(trouble, O_CLOEXEC);
	if (write(tokens[1], "", 1) != 1)
		die_errno("a pipe");
	w->fd = (uint64_t)data[1];
	w->token = (uint64_t)tokens[0];
	fflush(NULL);
	child = fork();
	if (child < 0)
		die_errno("a process");
	if (!child) {
		close(data[0]);
		close(tokens[1]);
		set_environment(w, library, real_libs);
		become_program(argv, stdout_taken, trouble[1]);
	}
	close(data[1]);
	close(tokens[1]);
	close(trouble[1]);
	if (read(trouble[0], &e, sizeof(e)) == sizeof(e)) {
		errno = e;
		die_errno("%s", argv[0]);
	}
	close(trouble[0]);
	*fd = data[0];
	*token = tokens[0];
	return child;
}

/* Returns the exit status after a program that ended with status own without a call of the library. */
static int judge_uncalled(const char *name, int own)
{
	enum program_linkage l = linkage_of(name);

	if (l == LINKAGE_STATIC || l == LINKAGE_STATIC_RUNTIME) {
		diag_error(NOWHERE,
			"%s: linked statically%s, its calls cannot be executed (link it with nvcc -cudart shared)",
			name, l == LINKAGE_STATIC ? "" : " with the CUDA runtime");
		return EXIT_TROUBLE;
	}
	if (!own)
		diag_warn(NOWHERE, "%s: ended without a call of the CUDA runtime or driver%s", name,
			l == LINKAGE_RUNTIME
				? ""
				: " (programs that it starts must be linked with nvcc -cudart shared)");
	return own;
}

/* Reports an end that leaves the trace incomplete. Returns the exit status: trace-exec(1) has the table. */
static int judge_end(struct receiver *r, const char *name, int status, int token)
{
	int own = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	char byte;

	if (WIFSIGNALED(status))
		diag_error(NOWHERE, "%s: ended by signal %d (%s)", name, WTERMSIG(status),
			strsignal(WTERMSIG(status)));
	if (!r->done && read(token, &byte, 1) == 1)
		return judge_uncalled(name, own);
	if (!r->done && !WIFSIGNALED(status)) {
		diag_error(NOWHERE, "%s: ended without exit(): its trace is incomplete", name);
		return own ? own : EXIT_TROUBLE;
	}
	return own ? own : r->failed || r->found ? EXIT_NO : EXIT_GOOD;
}

int program_run(char **argv, const struct run_options *o, const struct gpu_choice *g)
{
	struct receiver r = {.o = o, .gpu = g, .program = argv[0]};
	struct wire w = {.trace = o->to != TRACE_NONE,
		.check = o->exec.check,
		.limit = o->exec.limit,
		.jobs = o->exec.threads,
		.order = o->exec.order,
		.stack = o->exec.stack,
		.strict_races = o->exec.strict_races,
		.leaks = o->leaks,
		.quiet = o->quiet,
		.code = o->code,
		.binary = o->binary};
	pid_t child;
	int token, status;

	gpu_figures(g, &w);
	open_trace(&r);
	child = start_program(argv, &w, o->to == TRACE_STREAM, o->real_libs, &r.fd, &token);
	status = receive_all(&r, child);
	status = judge_end(&r, argv[0], status, token);
	if (o->to != TRACE_NONE && r.done && !r.failed)
		write_trace(&r);
	else if (r.kernel)
		output_discard(r.kernel);
	if (o->verbose && r.done)
		fprintf(stderr, "%s: %llu thread instructions, %llu warp instructions\n", diag_program(),
			(unsigned long long)r.insts[0], (unsigned long long)r.insts[1]);
	bytes_free(&r.list);
	ZSTD_freeCStream(r.kept.z);
	if (r.kept.file)
		fclose(r.kept.file);
	free(r.kept.bytes);
	return status;
}
