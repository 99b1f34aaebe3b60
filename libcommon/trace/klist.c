/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of kernel lists: reads the whole list, checks it line by line, and prefixes names with the list's directory.
 *
 * Always true of a list that was read: it has a command; every copy has an address and a count below 4 GiB; commands
 * are in the order of the file. The first characters of a file that is neither a directory nor "-" decide whether it
 * is a kernel file or a list.
 */
#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "input.h"
#include "klist.h"
#include "output.h"
#include "pack.h"
#include "trace.h"

struct list_field {
	const char *s; /* start of the field */
	size_t n;      /* number of bytes */
};

/* Callback for faults. NULL: reading ends at the first fault. */
struct fault_receiver {
	bool (*fault)(void *ctx, const struct fault *f);
	void *ctx;
	bool reported_line_end;
};

static bool is_list_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static bool list_line_begins(struct list_field l, const char *word)
{
	return l.n >= strlen(word) && !memcmp(l.s, word, strlen(word));
}

static struct list_field trim_list_line(const char *s, size_t n)
{
	while (n && is_list_blank(s[n - 1]))
		n--;
	while (n && is_list_blank(*s))
		s++, n--;
	return (struct list_field){s, n};
}

static int digit_value(char c)
{
	if (c >= '0' && c <= '9')
		return c - '0';
	if (c >= 'a' && c <= 'f')
		return c - 'a' + 10;
	return c >= 'A' && c <= 'F' ? c - 'A' + 10 : 99;
}

/*
 * Parses the whole field as a number of the base. Returns false if the field is empty, has another character, or is a
 * number above 64 bits.
 */
static bool parse_list_number(struct list_field w, unsigned base, uint64_t *v)
{
	if (base == 16 && w.n > 2 && w.s[0] == '0' && (w.s[1] == 'x' || w.s[1] == 'X'))
		w.s += 2, w.n -= 2;
	*v = 0;
	for (size_t i = 0; i < w.n; i++) {
		unsigned d = (unsigned)digit_value(w.s[i]);
		if (d >= base || __builtin_mul_overflow(*v, base, v) || __builtin_add_overflow(*v, d, v))
			return false;
	}
	return w.n > 0;
}

/* Parses "MemcpyHtoD,<hex address>,<decimal bytes>[,<file>]", or the same with DtoH. The model ignores the file. */
static int parse_memcpy(struct command *c, struct list_field line, struct place at, struct fault *f)
{
	struct list_field part[4];
	char q[80];
	int n = 0;
	const char *s = line.s, *end = line.s + line.n;
	while (n < 4) {
		const char *comma = n < 3 ? memchr(s, ',', (size_t)(end - s)) : NULL;
		part[n++] = trim_list_line(s, (size_t)((comma ? comma : end) - s));
		if (!comma)
			break;
		s = comma + 1;
	}
	if (n < 3 || part[0].n != strlen("MemcpyHtoD"))
		return fault_set(f, at, "memcpy-fields",
			"unexpected '%s' (expected 'MemcpyHtoD,<hex address>,<bytes>')",
			diag_quote(q, sizeof(q), line.s, line.n));
	at.col += (uint32_t)(part[1].s - line.s);
	if (!parse_list_number(part[1], 16, &c->address))
		return fault_set(f, at, "memcpy-address",
			"invalid address '%s' (expected a hexadecimal number of at most 64 bits)",
			diag_quote(q, sizeof(q), part[1].s, part[1].n));
	at.col += (uint32_t)(part[2].s - part[1].s);
	if (!parse_list_number(part[2], 10, &c->bytes) || c->bytes > UINT32_MAX)
		return fault_set(f, at, "memcpy-count",
			"invalid byte count '%s' (expected a decimal number below 4294967296)",
			diag_quote(q, sizeof(q), part[2].s, part[2].n));
	return 0;
}

static char *join_list_path(const char *directory, struct list_field name)
{
	size_t n = directory ? strlen(directory) : 0;
	bool slash = n && directory[n - 1] != '/' && name.s[0] != '/';
	if (name.s[0] == '/')
		n = 0;
	char *path = xmalloc(n + slash + name.n + 1);
	if (n)
		memcpy(path, directory, n);
	if (slash)
		path[n] = '/';
	memcpy(path + n + slash, name.s, name.n);
	path[n + slash + name.n] = '\0';
	return path;
}

static struct command *add_command(
	struct klist *k, uint32_t *cap, enum command_kind kind, uint64_t line, struct list_field text)
{
	grow(&k->cmd, cap, k->n_cmds + 1, sizeof(k->cmd[0]));
	struct command *c = &k->cmd[k->n_cmds];
	*c = (struct command){.kind = kind, .line = line, .text = xstrndup(text.s, text.n)};
	k->n_cmds++;
	return c;
}

static int parse_list_line(struct klist *k, uint32_t *cap, struct list_field line, const char *directory,
	struct place at, struct fault *f)
{
	char q[100];
	if (memchr(line.s, '\0', line.n))
		return fault_set(f, at, "list-line", "NUL byte in a kernel list (expected a text file)");
	if (list_line_begins(line, "kernel")) {
		struct command *c = add_command(k, cap, CMD_KERNEL, at.line, line);
		c->path = join_list_path(directory, line);
		c->position = ++k->n_kernels;
		return 0;
	}
	if (list_line_begins(line, "MemcpyHtoD")) {
		struct command c = {0};
		if (parse_memcpy(&c, line, at, f) < 0)
			return -1;
		struct command *to = add_command(k, cap, CMD_MEMCPY, at.line, line);
		to->address = c.address;
		to->bytes = c.bytes;
		return 0;
	}
	if (list_line_begins(
		    line, "MemcpyDtoH")) { /* faults are ignored, since the original ignores the line */
		struct command c = {0}, *to;
		struct fault ignored;
		if (parse_memcpy(&c, line, at, &ignored) < 0)
			return 0;
		to = add_command(k, cap, CMD_COPY_BACK, at.line, line);
		to->address = c.address;
		to->bytes = c.bytes;
		return 0;
	}
	return fault_set(f, at, "list-line",
		"unexpected '%s' (expected a kernel file name that begins with 'kernel', or 'MemcpyHtoD,<hex address>,<bytes>')",
		diag_quote(q, sizeof(q), line.s, line.n));
}

/*
 * Reports blanks and carriage returns around the text of a line. If newline is set, text[len] is the first byte of
 * the line's end.
 */
static void report_blanks_around_line(struct fault_receiver *receiver, const char *text, size_t len,
	bool newline, struct list_field line, struct place at, struct fault *f)
{
	if (!receiver->fault || !line.n)
		return;
	size_t after = len - (size_t)(line.s - text) - line.n;
	if (newline && text[len] == '\r') {
		fault_set(f, (struct place){at.file, at.line, (uint32_t)len + 1}, "line-end",
			"carriage return before the end of the line");
		if (!receiver->reported_line_end)
			receiver->fault(receiver->ctx, f);
		receiver->reported_line_end = true;
	}
	if (line.s == text && !after)
		return;
	at.col = line.s == text ? (uint32_t)line.n + 1 : 1;
	fault_set(f, at, "list-blank", "blanks %s the line's text", line.s == text ? "after" : "before");
	receiver->fault(receiver->ctx, f);
}

static int parse_list_input(struct klist *k, struct input *in, const char *directory,
	struct fault_receiver *receiver, struct fault *f)
{
	const char *text;
	size_t len;
	uint32_t cap = k->n_cmds;
	int r;
	input_skip_byte_order_mark(in);
	while ((r = input_line(in, &text, &len, f)) > 0) {
		struct list_field line = trim_list_line(text, len);
		struct place at = {input_name(in), input_lineno(in), place_column(text, line.s)};
		report_blanks_around_line(receiver, text, len, input_line_had_newline(in), line, at, f);
		if (line.n && parse_list_line(k, &cap, line, directory, at, f) < 0 &&
			!(receiver->fault && receiver->fault(receiver->ctx, f)))
			return -1;
	}
	if (r < 0)
		return -1;
	uint32_t needed = 0;
	for (uint32_t i = 0; i < k->n_cmds; i++)
		needed += k->cmd[i].kind != CMD_COPY_BACK;
	if (!needed)
		return fault_set(f, (struct place){input_name(in), 0, 0}, "list-empty",
			"kernel list is empty (expected lines that name kernel files)");
	return 0;
}

int klist_parse(struct klist *k, struct input *in, const char *directory, struct fault *f)
{
	struct fault_receiver silent = {NULL, NULL, false};
	return parse_list_input(k, in, directory, &silent, f);
}

int klist_check_line(const char *text, size_t n, struct place at, struct fault *f)
{
	struct klist list = {.path = NULL};
	struct list_field line = trim_list_line(text, n);
	uint32_t cap = 0;
	at.col = place_column(text, line.s);
	int r = line.n ? parse_list_line(&list, &cap, line, NULL, at, f) : 0;
	klist_free(&list);
	return r;
}

/* ---- opening a list by its path ---------------------------------------------------------- */

/*
 * Returns true if the directory has raw kernel files, or the list that the tracer writes for them. Kernels in archives
 * (.tracez) are not raw.
 */
static bool directory_has_raw(const char *path)
{
	DIR *d = opendir(path);
	bool raw = false;

	if (!d)
		return false;
	for (struct dirent *e; (e = readdir(d));) {
		const char *trace = strncmp(e->d_name, "kernel-", 7) ? NULL : strstr(e->d_name, ".trace");

		raw |= (trace && trace[6] != 'g' && trace[6] != 'z') || !strcmp(e->d_name, "kernelslist") ||
		       (!strncmp(e->d_name, "kernelslist_ctx_", 16) && !strchr(e->d_name, '.'));
	}
	closedir(d);
	return raw;
}

/* Returns the path of the first list of a context, kernelslist_ctx_*.g, and sets *n to the number of such lists. */
static char *find_context_list(const char *directory, unsigned *n)
{
	DIR *d = opendir(directory);
	char *list = NULL;

	*n = 0;
	if (!d)
		return NULL;
	for (struct dirent *e; (e = readdir(d));) {
		size_t len = strlen(e->d_name);

		if (!strncmp(e->d_name, "kernelslist_ctx_", 16) && !strcmp(e->d_name + len - 2, ".g") &&
			!(*n)++)
			list = join_list_path(directory, (struct list_field){e->d_name, len});
	}
	closedir(d);
	return list;
}

/* Replaces the directory in k->path by the path of its list. */
static int list_in_directory(struct klist *k, struct fault *f)
{
	struct place at = {diag_keep(k->path), 0, 0};
	char *list = join_list_path(k->path, (struct list_field){"kernelslist.g", 13});
	char q[120];
	struct stat st;
	unsigned n;

	if (stat(list, &st) < 0) {
		free(list);
		if (access(k->path, R_OK | X_OK))
			return fault_set(f, at, "open", "directory cannot be read");
		list = find_context_list(k->path, &n);
		if (n != 1) {
			free(list);
			if (!n && directory_has_raw(k->path))
				return fault_set(f, at, "list-raw",
					"raw traces, not grouped by thread block and warp (group them with trace-pack --group %s -C DIR)",
					diag_quote(q, sizeof(q), k->path, strlen(k->path)));
			if (!n)
				return fault_set(f, at, "list-missing",
					"no kernel list in the directory (expected kernelslist.g)");
			return fault_set(f, at, "list-missing",
				"%u files kernelslist_ctx_*.g and no kernelslist.g in the directory (name one of the lists)",
				n);
		}
	}
	free(k->path);
	k->path = list;
	return 0;
}

/*
 * Checks whether the first non-blank character begins a header line of a kernel. Returns 1 or 0, or -1 if the file is
 * unreadable.
 */
static int is_kernel_file(struct input *in, struct fault *f)
{
	const char *text;
	long had = 0;
	for (;;) {
		long n = input_window(in, (size_t)had + 1, &text, f);
		if (n < 0)
			return -1;
		for (long i = had; i < n; i++)
			if (!is_list_blank(text[i]) && text[i] != '\n')
				return text[i] == '-';
		if (n == had || n > INPUT_LINE_MAX)
			return 0;
		had = n;
	}
}

static void make_list_of_one_kernel(struct klist *k, struct input *in)
{
	uint32_t cap = 0;
	struct command *c =
		add_command(k, &cap, CMD_KERNEL, 0, (struct list_field){k->path, strlen(k->path)});
	c->path = xstrdup(k->path);
	c->position = ++k->n_kernels;
	c->input = in;
}

/* Reads the list from its input and closes the input. The list is opened only once, so k->path may be a pipe. */
static int read_list_file(struct klist *k, struct input *in, struct fault_receiver *receiver, struct fault *f)
{
	if (!in)
		return -1;
	bool packed = pack_input_begins(in);
	int r = packed ? 0 : is_kernel_file(in, f);
	if (packed) {
		k->pack = pack_open_input(&in, f);
		r = k->pack ? pack_read_klist(k->pack, k, f) : -1;
	} else if (r == 1) {
		make_list_of_one_kernel(k, in);
		in = NULL;
		r = 0;
	} else if (r == 0) {
		const char *slash = strrchr(k->path, '/');
		char *directory = slash ? xstrndup(k->path, (size_t)(slash - k->path) + 1) : NULL;
		r = parse_list_input(k, in, directory, receiver, f);
		free(directory);
	}
	input_close(in);
	return r;
}

int klist_read(struct klist *k, const char *path, struct fault *f)
{
	return klist_read_on(k, path, NULL, NULL, f);
}

int klist_read_on(struct klist *k, const char *path, bool (*on_fault)(void *ctx, const struct fault *f),
	void *ctx, struct fault *f)
{
	struct fault_receiver receiver = {on_fault, ctx, false};
	*k = (struct klist){.path = xstrdup(path)};
	struct stat st;
	bool directory = strcmp(path, "-") && stat(path, &st) == 0 && S_ISDIR(st.st_mode);
	return directory && list_in_directory(k, f) < 0
		       ? -1
		       : read_list_file(k, input_open(k->path, f), &receiver, f);
}

int klist_read_descriptor(struct klist *k, int fd, const char *name, struct fault *f)
{
	struct fault_receiver silent = {NULL, NULL, false};
	*k = (struct klist){.path = xstrdup(name)};
	return read_list_file(k, input_descriptor(fd, name, f), &silent, f);
}

/* ---- kernels ------------------------------------------------------------------------------ */

struct trace *klist_open(struct klist *k, uint32_t cmd, const struct trace_options *o, struct fault *f)
{
	struct command *c = &k->cmd[cmd];
	struct input *in = c->input;
	if (k->pack && c->missing) {
		fault_set(f, (struct place){diag_keep(c->path), 0, 0}, "open",
			"is missing in the packed stream");
		return NULL;
	}
	if (k->pack)
		return pack_open_trace(k->pack, c->kernel, o, f);
	c->input = NULL;
	return in ? trace_open_input(in, o, f) : trace_open(c->path, o, f);
}

int klist_pass_text(const struct klist *k, uint32_t cmd, klist_use *use, void *ctx, struct fault *f)
{
	const struct command *c = &k->cmd[cmd];
	const char *bytes;
	struct input *in;
	bool more = true;
	long n;

	if (k->pack)
		return pack_pass_text(k->pack, c->kernel, 0, UINT64_MAX, use, ctx, f);
	in = input_open(c->path, f);
	if (!in)
		return -1;
	while (more && (n = input_window(in, 1, &bytes, f)) > 0) {
		more = use(ctx, bytes, (size_t)n);
		input_consume(in, (size_t)n, 0);
	}
	input_close(in);
	return more && n < 0 ? -1 : 0;
}

void klist_prepare(const struct klist *k, uint32_t cmd)
{
	if (k->pack)
		pack_prepare(k->pack, k->cmd[cmd].kernel);
}

bool klist_can_reread(const struct klist *k, uint32_t cmd)
{
	struct stat st;

	return k->pack || (!k->cmd[cmd].input && !stat(k->cmd[cmd].path, &st) && S_ISREG(st.st_mode));
}

int klist_check(const struct klist *k, uint32_t cmd)
{
	const struct command *c = &k->cmd[cmd];
	if (k->pack && c->missing) {
		errno = ENOENT;
		return -1;
	}
	return k->pack || c->input || !strcmp(c->path, "-") ? 0 : access(c->path, R_OK);
}

bool klist_file_missing(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
}

bool klist_missing(struct klist *k, uint32_t cmd)
{
	struct command *c = &k->cmd[cmd];

	if (!k->pack)
		c->missing = !c->input && strcmp(c->path, "-") != 0 && klist_file_missing(c->path);
	return c->missing;
}

void klist_skip(struct klist_skipped *s, uint32_t cmd)
{
	if (!s->n++)
		s->first_command = cmd;
}

void klist_warn_skipped(const struct klist *k, const struct klist_skipped *s)
{
	const struct command *c = &k->cmd[s->first_command];
	char q[200];

	if (s->n)
		diag_warn((struct place){.file = strcmp(k->path, "-") ? k->path : "<stdin>", .line = c->line},
			"%u of %u kernels %s missing and skipped, the first is kernel %u, %s", s->n,
			k->n_kernels, s->n == 1 ? "is" : "are", c->position,
			diag_quote(q, sizeof(q), c->text, strlen(c->text)));
}

void klist_check_output(const struct klist *k, const char *output)
{
	struct stat st, is;

	output_check_input(output, k->path);
	if (!output || k->pack || stat(output, &st) || !S_ISREG(st.st_mode))
		return;
	for (uint32_t i = 0; i < k->n_cmds; i++)
		if (k->cmd[i].path && !stat(k->cmd[i].path, &is) && is.st_dev == st.st_dev &&
			is.st_ino == st.st_ino)
			output_check_input(output, k->cmd[i].path);
}

void klist_free(struct klist *k)
{
	for (uint32_t i = 0; i < k->n_cmds; i++) {
		input_close(k->cmd[i].input);
		free(k->cmd[i].text);
		free(k->cmd[i].path);
	}
	pack_close(k->pack);
	free(k->cmd);
	free(k->path);
	*k = (struct klist){0};
}
