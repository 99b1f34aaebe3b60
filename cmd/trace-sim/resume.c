/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --resume: reuses the records of an earlier run that are byte for byte equal to records of this
 * run. part_sums.c finds damaged records.
 *
 * Always true: the reused bytes begin with the run record of this run, so version, configuration and options
 * are equal. They end after a complete record of a kernel. Their kernels are the first selected kernels of
 * the list, in order. A kernel that the earlier run did not finish is simulated again. So is the last kernel
 * without an end after it, if it has no checksum, because a part of its record may be missing. Each trace is read
 * before the result gets its final name. Its hash and the checksum of its decoded form must equal the recorded values.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "isolate.h"
#include "results.h"
#include "reuse.h"

/* State of reading the records of an earlier run. */
struct resume_state {
	struct resumed *resumed;
	uint32_t command;    /* next command to compare with a record */
	bool has_unfinished; /* true if kernel[done->kernels] is read but may be incomplete */
	char *name;          /* name of the kernel in kernel[done->kernels] */
	uint64_t end;        /* offset of the end of that kernel's record */
	uint64_t summed;     /* size of the records with checksums; PART_SUMS_NONE: the file has none */
};

static bool is_nonempty_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
}

static void find_earlier_result(struct resumed *l, const char *name)
{
	l->part = output_part_path(name);
	l->is_part = is_nonempty_file(l->part);
	if (l->is_part || is_nonempty_file(name))
		l->path = xstrdup(l->is_part ? l->part : name);
}

/*
 * Appends the bytes from..to of the file to k. With `compare`, appends nothing, and returns true if k has the
 * same bytes at the same offsets.
 */
static bool copy_or_compare_bytes(const char *path, uint64_t from, uint64_t to, struct spool *k, bool compare)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[1u << 13], mine[1u << 13];
	bool same = true;

	if (fd < 0)
		die_errno_at((struct place){.file = path}, "cannot be read");
	while (from < to && same) {
		size_t n = to - from < sizeof(bytes) ? (size_t)(to - from) : sizeof(bytes);
		ssize_t got = pread(fd, bytes, n, (off_t)from);

		if (got < 0)
			die_errno_at((struct place){.file = path}, "cannot be read");
		if (!got)
			same = false;
		else if (!compare)
			spool_append(k, bytes, (size_t)got);
		else
			same = pread(k->fd, mine, (size_t)got, (off_t)from) == got &&
			       !memcmp(bytes, mine, (size_t)got);
		from += (uint64_t)got;
	}
	close(fd);
	return same;
}

/* Writes the line of text, or the member of a JSON object, that contains bytes[at] to out. n: number of bytes */
static void quote_member(const char *bytes, size_t n, size_t at, char *out, unsigned cap)
{
	size_t from = at + (at < n && bytes[at] == ','), to = from;

	while (from && bytes[from - 1] != '\n' &&
		!(bytes[from] == '"' && (bytes[from - 1] == ',' || bytes[from - 1] == '{')))
		from--;
	while (to < n && bytes[to] != '\n' && bytes[to] != '}' &&
		!(bytes[to] == ',' && to + 1 < n && bytes[to + 1] == '"'))
		to++;
	diag_quote(out, cap, bytes + from, to - from);
}

/*
 * Exits because the file does not begin with the run record of this run, whose n bytes are the first of k. The message
 * has the first line or member that differs, unless the format is MessagePack or another one.
 */
static _Noreturn void reject_run_record(const char *path, uint64_t n, const struct spool *k)
{
	struct place at_file = {.file = diag_keep(path)};
	char *mine = xmalloc(n + 1), *theirs = xmalloc(n + 1), found[160], expected[160];
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t got = fd < 0 ? -1 : pread(fd, theirs, n, 0);
	size_t at = 0;

	if (got < 0)
		die_errno_at((struct place){.file = path}, "cannot be read");
	close(fd);
	spool_read(k, 0, mine, n);
	mine[n] = theirs[got] = '\0';
	while (at < (size_t)got && mine[at] == theirs[at])
		at++;
	const bool readable = at && (*mine == '{' || *mine == '#');

	if (readable) {
		quote_member(theirs, (size_t)got, at, found, sizeof(found));
		quote_member(mine, n, at, expected, sizeof(expected));
	}
	free(mine);
	free(theirs);
	if (!readable)
		die_at(at_file,
			"the records are of another version, configuration, selection or format (without --resume all kernels are simulated)");
	die_at(at_file,
		"the records are of another version, configuration, selection or format: '%s' (expected '%s'; without --resume all kernels are simulated)",
		found, expected);
}

/* Returns the command of kernel k. Exits if k is not the next selected kernel of the list. */
static uint32_t next_selected_command(
	const struct run *r, const struct result_kernel *k, struct resume_state *l)
{
	while (l->command < r->list.n_cmds) {
		uint32_t i = l->command++;
		const struct command *c = &r->list.cmd[i];

		if (c->kind != CMD_KERNEL || c->missing)
			continue;
		if (c->position == k->position && kselect_selects(r->select, c->position, k->name))
			return i;
		if (!kselect_needs_name(r->select) && kselect_selects(r->select, c->position, NULL))
			break;
	}
	die_at((struct place){.file = l->resumed->path},
		"kernel %u is not the next kernel of this list (expected the records of the same list; without --resume all kernels are simulated)",
		k->position);
}

/* Reads 32 hexadecimal digits. */
static bool parse_record_hash(const char *text, unsigned char hash[16])
{
	for (int i = 0; i < 16; i++)
		if (sscanf(text + 2 * i, "%2hhx", &hash[i]) != 1)
			return false;
	return true;
}

static void add_read_kernel(struct run *r, struct resume_state *l)
{
	struct resumed *done = l->resumed;
	unsigned char hash[16];

	if (!l->has_unfinished)
		return;
	if (!parse_record_hash(done->kernel[done->n_kernels].hash, hash))
		die_at((struct place){.file = done->path},
			"the record of kernel %u has no hash (expected the records of this run; without --resume all kernels are simulated)",
			done->kernel[done->n_kernels].position);
	XXH3_128bits_update(r->hash, hash, sizeof(hash));
	record_number_known_name(r->writer, l->name);
	done->bytes = l->end;
	done->n_kernels++;
	l->has_unfinished = false;
}

static int compare_positions(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = ((const struct resumed_kernel *)b)->position;

	return x < y ? -1 : x > y;
}

/* Exits if *k is recorded as reused from a kernel that cannot be equal to it. */
static void check_equal_kernel_of(const struct resumed *done, const struct resumed_kernel *k)
{
	const struct resumed_kernel *from;

	if (!k->reused_from)
		return;
	from = bsearch(&k->reused_from, done->kernel, done->n_kernels, sizeof(*from), compare_positions);
	if (!from || from->reused_from || from->shape != k->shape || strcmp(from->checksum, k->checksum))
		die_at((struct place){.file = done->path},
			"kernel %u cannot reuse the results of kernel %u (expected the records of this run; without --resume all kernels are simulated)",
			k->position, k->reused_from);
}

static void read_resumed_kernel(const struct run *r, const struct result_item *item, struct resume_state *l)
{
	const struct result_kernel *k = &item->kernel;
	struct resumed *done = l->resumed;
	struct resumed_kernel held = {.command = next_selected_command(r, k, l),
		.position = k->position,
		.reused_from = k->reused_from,
		.shape = reuse_shape_hash(k->name, k->grid, k->block)};

	memcpy(held.hash, k->hash, sizeof(held.hash));
	memcpy(held.checksum, k->checksum, sizeof(held.checksum));
	check_equal_kernel_of(done, &held);
	grow(&done->kernel, &done->cap_kernels, done->n_kernels + 1, sizeof(*done->kernel));
	done->kernel[done->n_kernels] = held;
	free(l->name);
	l->name = xstrdup(k->name);
	l->has_unfinished = true;
	l->end = item->end;
}

/* Returns false for every figure, so that no figure is read: only the identity of kernels is compared. */
static bool is_newline_at(const char *path, uint64_t at)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char c = '\0';

	if (fd < 0 || pread(fd, &c, 1, (off_t)at) < 0)
		die_errno_at((struct place){.file = path}, "cannot be read");
	close(fd);
	return c == '\n';
}

/* Returns true if the last kernel of the file has its whole record. */
static bool is_last_kernel_whole(const struct resume_state *l, const struct result_item *end)
{
	if (strcmp(end->status, "cut"))
		return true;
	if (l->summed != PART_SUMS_NONE)
		return l->end <= l->summed;
	return end->form == RESULT_MSGPACK ||
	       (end->form == RESULT_JSON && is_newline_at(l->resumed->path, l->end - 1));
}

static bool reject_all_figures(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return false;
}

/* Reads the records of kernels up to the end, or up to the kernel that the earlier run did not finish. */
static void read_resumed_kernels(struct run *r, struct resume_state *l)
{
	struct resumed *done = l->resumed;
	struct results *reader;
	struct result_item item;
	struct fault f;
	int event;

	reader = results_open(done->path, 0, &f);
	if (!reader)
		die_fault(&f);
	results_limit_figures(reader, reject_all_figures, NULL);
	while ((event = results_next(reader, &item, &f)) > 0 && item.run == 1) {
		if (event == RESULT_KERNEL) {
			add_read_kernel(r, l);
			if (*item.kernel.status || item.end > l->summed)
				break;
			read_resumed_kernel(r, &item, l);
		} else if (event == RESULT_DONE) {
			if (l->has_unfinished && is_last_kernel_whole(l, &item))
				add_read_kernel(r, l);
			done->complete = !done->is_part && strcmp(item.status, "cut") &&
					 strcmp(item.status, "interrupted");
			break;
		}
	}
	if (event < 0)
		die_fault(&f);
	results_close(reader);
	free(l->name);
}

void resume_read(struct run *r, const char *name, struct spool *k, struct resumed *done)
{
	uint64_t head = k->n;
	struct resume_state l = {.resumed = done, .summed = PART_SUMS_NONE};
	struct stat st;
	bool cut; /* the file ends within the run record */

	find_earlier_result(done, name);
	if (!done->path)
		return;
	if (stat(done->path, &st))
		die_errno_at((struct place){.file = done->path}, "cannot be read");
	if (done->is_part)
		l.summed = part_sums_verify(done->path, (uint64_t)st.st_size, r->format != FORMAT_MSGPACK);
	cut = (uint64_t)st.st_size < head;
	if (!copy_or_compare_bytes(done->path, 0, cut ? (uint64_t)st.st_size : head, k, true))
		reject_run_record(done->path, cut ? (uint64_t)st.st_size : head, k);
	if (!cut) {
		done->bytes = head;
		read_resumed_kernels(r, &l);
	}
	if (!done->complete && done->bytes)
		copy_or_compare_bytes(done->path, head, done->bytes, k, false);
}

void resume_free(struct resumed *done)
{
	free(done->part);
	free(done->path);
	free(done->kernel);
}

/* ---- traces --------------------------------------------------------------------------------------- */

static void ignore_trace_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

/*
 * Reads the kernel of a command. Sets `hash` to the hash of its text. Returns the checksum of its thread
 * blocks.
 */
static uint64_t checksum_kernel(
	struct run *r, const struct isa *isa, uint32_t command, unsigned char hash[16])
{
	struct code *code = code_new(isa);
	struct trace_options o = {.code = code, .computes_hash = true, .warn = ignore_trace_warning};
	struct fault f;
	struct trace *t = klist_open(&r->list, command, &o, &f);
	struct tblock tb = {0};
	uint64_t checksum;
	int more = 1;

	if (!t)
		die_fault(&f);
	while (more > 0)
		more = trace_next(t, &tb, &f);
	if (more < 0 || trace_finish(t, &f) < 0)
		die_fault(&f);
	trace_hash(t, hash);
	checksum = trace_checksum(t);
	tblock_free(&tb);
	trace_close(t);
	code_free(code);
	return checksum;
}

static void check_resumed_trace(
	struct run *r, const struct isa *isa, const struct resumed *done, const struct resumed_kernel *k)
{
	unsigned char hash[16];
	char text[33], checksum[17];

	snprintf(checksum, sizeof(checksum), "%016llx",
		(unsigned long long)checksum_kernel(r, isa, k->command, hash));
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)hash[i]);
	if (strcmp(text, k->hash))
		die_at((struct place){.file = done->path},
			"the trace of kernel %u, %s, has changed since its record was written (without --resume all kernels are simulated)",
			k->position, r->list.cmd[k->command].path);
	if (strcmp(checksum, k->checksum))
		die_at((struct place){.file = done->path},
			"checksum %s in the record of kernel %u is wrong: its trace decodes to %s (without --resume all kernels are simulated)",
			k->checksum, k->position, checksum);
}

/* Exits if the record of *k was reused from a kernel other than the first equal kernel. */
static void check_reuse_origin(
	struct run *r, struct reuse *u, const struct resumed *done, const struct resumed_kernel *k)
{
	struct reuse_identity id;
	uint32_t first, from;

	if (!reuse_identify(u, r, k->command, &id) || id.kernel == REUSE_NONE)
		return;
	first = reuse_find_set(u, id.kernel)->first_command;
	from = first == k->command ? 0 : r->list.cmd[first].position;
	if (from != k->reused_from)
		die_at((struct place){.file = done->path},
			"record of kernel %u has reused_from %u (expected %u; without --resume all kernels are simulated)",
			k->position, k->reused_from, from);
}

void resume_check(struct run *r, const struct isa *isa, const struct resumed *done)
{
	struct reuse *u = r->reuse ? reuse_new(isa) : NULL;

	for (uint32_t i = 0; i < done->n_kernels; i++) {
		check_resumed_trace(r, isa, done, &done->kernel[i]);
		if (u)
			check_reuse_origin(r, u, done, &done->kernel[i]);
	}
	reuse_free(u);
}
