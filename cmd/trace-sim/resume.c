/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * --resume: reading of the records of an earlier run, as far as this run would write the same bytes.
 *
 * Always true: the records taken over begin with the run record of this run, byte for byte, so version,
 * configuration and options are the same. They end after a whole record of a kernel. Each kernel is the next
 * selected one, and its text still has the same hash and decodes to the same checksum. A kernel in which the
 * run ended is simulated again. So is the last kernel of a text that ends early, because its record could be
 * cut between two lines.
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

/* A kernel whose record may be the last one and incomplete. */
struct held {
	bool valid;
	uint32_t position;
	uint64_t end; /* end of its record in the file */
	unsigned char hash[16];
};

struct earlier {
	char *path; /* path of the records; NULL: none */
	bool part;
	struct held held;
};

static bool is_nonempty_file(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISREG(st.st_mode) && st.st_size > 0;
}

static void find_earlier_records(struct earlier *l, const char *name)
{
	size_t n = strlen(name);

	l->path = xmalloc(n + sizeof(".part"));
	memcpy(l->path, name, n);
	strcpy(l->path + n, ".part");
	l->part = is_nonempty_file(l->path);
	if (l->part)
		return;
	l->path[n] = '\0';
	if (!is_nonempty_file(l->path)) {
		free(l->path);
		l->path = NULL;
	}
}

/*
 * Copies bytes from..to of the file to k or, with compare, compares them with those of k; false: different
 * or too short.
 */
static bool copy_or_compare(const char *path, uint64_t from, uint64_t to, struct kept *k, bool compare)
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

static void ignore_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

/* Reads the kernel of a command. Returns the checksum of its decoded thread blocks. */
static uint64_t read_kernel_again(
	struct run *r, const struct isa *isa, uint32_t command, unsigned char hash[16])
{
	struct code *code = code_new(isa);
	struct trace_options o = {.code = code, .hash = true, .warn = ignore_warning};
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

/*
 * The command of the selected kernel after position `after`, which must be k. Ends the program if it is not.
 */
static uint32_t next_selected_command(
	const struct run *r, uint32_t after, const struct result_kernel *k, const struct earlier *l)
{
	for (uint32_t i = 0; i < r->list.n_cmds; i++) {
		const struct command *c = &r->list.cmd[i];

		if (c->kind != CMD_KERNEL || c->position <= after)
			continue;
		if (c->position == k->position && kselect_has(r->select, c->position, k->name))
			return i;
		if (!kselect_needs_name(r->select) && kselect_has(r->select, c->position, NULL))
			break;
	}
	die_at((struct place){.file = l->path},
		"found kernel %u where this list has another, wanted the records of the same run: without --resume all of it is simulated",
		k->position);
}

/* Takes over the held kernel, whose record is known to be complete. */
static void take_held(struct run *r, struct held *h, struct resumed *done)
{
	if (!h->valid)
		return;
	XXH3_128bits_update(r->hash, h->hash, sizeof(h->hash));
	done->bytes = h->end;
	done->position = h->position;
	done->kernels++;
	done->done++;
	h->valid = false;
}

/* Checks a kernel against the list and holds it until its record is known to be complete. */
static void hold_kernel(struct run *r, const struct isa *isa, const struct result_item *item,
	struct earlier *l, uint32_t after)
{
	uint32_t command = next_selected_command(r, after, &item->kernel, l);
	struct held *h = &l->held;
	char text[33], checksum[17];

	*h = (struct held){.valid = true, .position = item->kernel.position, .end = item->end};
	snprintf(checksum, sizeof(checksum), "%016llx",
		(unsigned long long)read_kernel_again(r, isa, command, h->hash));
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)h->hash[i]);
	if (strcmp(text, item->kernel.hash))
		die_at((struct place){.file = l->path},
			"found kernel %u of another text than %s has now, wanted the records of the same traces: without --resume all of it is simulated",
			h->position, r->list.cmd[command].path);
	if (strcmp(checksum, item->kernel.checksum))
		die_at((struct place){.file = l->path},
			"checksum '%s' of kernel %u in the record does not match its trace, which decodes to %s: the record is wrong; without --resume all kernels are simulated again",
			item->kernel.checksum, h->position, checksum);
}

/* Takes over kernels up to one in which the run ended, the end of the run, or the end of the records. */
static void read_earlier_kernels(
	struct run *r, const struct isa *isa, struct earlier *l, struct resumed *done)
{
	struct results *reader;
	struct result_item item;
	struct fault f;
	int event;

	reader = results_open(l->path, 0, &f);
	if (!reader)
		die_fault(&f);
	while ((event = results_next(reader, &item, &f)) > 0 && item.run == 1) {
		if (event == RESULT_KERNEL) {
			take_held(r, &l->held, done);
			if (*item.kernel.status)
				break;
			hold_kernel(r, isa, &item, l, done->position);
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
	struct earlier l = {.path = NULL};
	struct stat st;
	bool cut; /* the file ends within the run record */

	find_earlier_records(&l, name);
	if (!l.path)
		return;
	if (stat(l.path, &st))
		die_errno("%s", l.path);
	cut = (uint64_t)st.st_size < head;
	if (!copy_or_compare(l.path, 0, cut ? (uint64_t)st.st_size : head, k, true))
		die_at((struct place){.file = diag_keep(l.path)},
			"found the records of another version, configuration, selection or format, wanted those of this run: without --resume all of it is simulated");
	if (!cut) {
		done->bytes = head;
		read_earlier_kernels(r, isa, &l, done);
	}
	if (!done->complete && done->bytes)
		copy_or_compare(l.path, head, done->bytes, k, false);
	free(l.path);
}
