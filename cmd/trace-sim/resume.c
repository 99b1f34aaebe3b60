/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --resume: reuses the records of an earlier run that this run would write byte for byte.
 *
 * Always true: the reused bytes begin with the run record of this run, so version, configuration and options are
 * equal, and end after a whole record of a kernel. Each such kernel is the next selected one; its trace has the
 * recorded hash and decodes to the recorded checksum. A kernel in which the earlier run ended is simulated again.
 * So is the last kernel of a text that stops early, since its record may be torn between two lines.
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

/* A kernel whose record may be the last one and torn. */
struct held {
	bool pending;
	uint32_t position;
	uint64_t end; /* end of its record */
	unsigned char hash[16];
};

/* Records that an earlier run left. */
struct left {
	char *path;       /* path of the records; NULL: none */
	bool part;        /* path ends in .part */
	uint32_t command; /* next command to be compared with a record */
	struct held held;
};

static bool has_content(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
}

static void find_left(struct left *l, const char *name)
{
	size_t n = strlen(name);

	l->path = xmalloc(n + sizeof(".part"));
	memcpy(l->path, name, n);
	strcpy(l->path + n, ".part");
	l->part = has_content(l->path);
	if (l->part)
		return;
	l->path[n] = '\0';
	if (!has_content(l->path)) {
		free(l->path);
		l->path = NULL;
	}
}

/* Appends bytes from..to of the file to k; with compare: returns whether k has the same bytes there. */
static bool transfer(const char *path, uint64_t from, uint64_t to, struct kept *k, bool compare)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	char bytes[1u << 15], mine[1u << 15];
	bool same = true;

	if (fd < 0)
		die_errno("%s", path);
	while (from < to && same) {
		size_t n = to - from < sizeof(bytes) ? (size_t)(to - from) : sizeof(bytes);
		ssize_t got = pread(fd, bytes, n, (off_t)from);

		if (got < 0)
			die_errno("%s", path);
		if (!got)
			same = false;
		else if (!compare)
			kept_add(k, bytes, (size_t)got);
		else
			same = pread(k->fd, mine, (size_t)got, (off_t)from) == got &&
			       !memcmp(bytes, mine, (size_t)got);
		from += (uint64_t)got;
	}
	close(fd);
	return same;
}

static void no_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

/* Reads the kernel of a command; returns the checksum of its decoded thread blocks. */
static uint64_t read_kernel(struct run *r, const struct isa *isa, uint32_t command, unsigned char hash[16])
{
	struct code *code = code_new(isa);
	struct trace_options o = {.code = code, .hash = true, .warn = no_warning};
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

/* Returns the command of kernel k, the next selected one; exits if it is another. */
static uint32_t next_command(const struct run *r, const struct result_kernel *k, struct left *l)
{
	while (l->command < r->list.n_cmds) {
		uint32_t i = l->command++;
		const struct command *c = &r->list.cmd[i];

		if (c->kind != CMD_KERNEL || c->missing)
			continue;
		if (c->position == k->position && kselect_has(r->select, c->position, k->name))
			return i;
		if (!kselect_needs_name(r->select) && kselect_has(r->select, c->position, NULL))
			break;
	}
	die_at((struct place){.file = l->path},
		"kernel %u is not the next kernel of this list (expected the records of the same list; without --resume all kernels are simulated)",
		k->position);
}

static void take_held(struct run *r, struct held *h, struct resumed *done)
{
	if (!h->pending)
		return;
	XXH3_128bits_update(r->hash, h->hash, sizeof(h->hash));
	done->bytes = h->end;
	done->position = h->position;
	done->kernels++;
	done->done++;
	h->pending = false;
}

static void hold_kernel(struct run *r, const struct isa *isa, const struct result_item *item, struct left *l)
{
	uint32_t command = next_command(r, &item->kernel, l);
	struct held *h = &l->held;
	char text[33], checksum[17];

	*h = (struct held){.pending = true, .position = item->kernel.position, .end = item->end};
	snprintf(checksum, sizeof(checksum), "%016llx",
		(unsigned long long)read_kernel(r, isa, command, h->hash));
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)h->hash[i]);
	if (strcmp(text, item->kernel.hash))
		die_at((struct place){.file = l->path},
			"the trace of kernel %u, %s, has changed since its record was written (without --resume all kernels are simulated)",
			h->position, r->list.cmd[command].path);
	if (strcmp(checksum, item->kernel.checksum))
		die_at((struct place){.file = l->path},
			"checksum %s in the record of kernel %u is wrong: its trace decodes to %s (without --resume all kernels are simulated)",
			item->kernel.checksum, h->position, checksum);
}

/* Only the identity of kernels is compared. */
static bool wants_no_figure(void *ctx, const char *name)
{
	(void)ctx;
	(void)name;
	return false;
}

/* Reads kernels up to the one in which the earlier run ended, or to the end of the records. */
static void read_kernels(struct run *r, const struct isa *isa, struct left *l, struct resumed *done)
{
	struct results *reader;
	struct result_item item;
	struct fault f;
	int event;

	reader = results_open(l->path, 0, &f);
	if (!reader)
		die_fault(&f);
	results_want(reader, wants_no_figure, NULL);
	while ((event = results_next(reader, &item, &f)) > 0 && item.run == 1) {
		if (event == RESULT_KERNEL) {
			take_held(r, &l->held, done);
			if (*item.kernel.status)
				break;
			hold_kernel(r, isa, &item, l);
		} else if (event == RESULT_DONE) {
			if (item.form != RESULT_TEXT || strcmp(item.status, "cut"))
				take_held(r, &l->held, done);
			done->complete =
				!l->part && strcmp(item.status, "cut") && strcmp(item.status, "interrupted");
			break;
		}
	}
	if (event < 0)
		die_fault(&f);
	results_close(reader);
}

void resume_read(struct run *r, const struct isa *isa, const char *name, struct kept *k, struct resumed *done)
{
	uint64_t head = k->n;
	struct left l = {.path = NULL};
	struct stat st;
	bool cut; /* within the run record */

	find_left(&l, name);
	if (!l.path)
		return;
	if (stat(l.path, &st))
		die_errno("%s", l.path);
	cut = (uint64_t)st.st_size < head;
	if (!transfer(l.path, 0, cut ? (uint64_t)st.st_size : head, k, true))
		die_at((struct place){.file = diag_keep(l.path)},
			"the records are of another version, configuration, selection or format (without --resume all kernels are simulated)");
	if (!cut) {
		done->bytes = head;
		read_kernels(r, isa, &l, done);
	}
	if (!done->complete && done->bytes)
		transfer(l.path, head, done->bytes, k, false);
	free(l.path);
}
