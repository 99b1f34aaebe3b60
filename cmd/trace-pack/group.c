/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Converts raw traces, in which the lines of all warps are mixed, to text grouped by thread block and warp.
 *
 * Lines are collected by warp in memory. When they reach the memory limit, they are sorted by thread block
 * and warp, and written as one run to an unnamed temporary file. At the end, the runs are merged.
 *
 * Always true: the lines of a warp keep their order. Thread blocks are written in raster order. A block that
 * has at least one line is written with all of its warps. The memory needed is the limit plus a few words per
 * run, regardless of the grid. If the tracer logged an LDGSTS twice, its line with the shared-memory
 * addresses is dropped.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "columns.h"
#include "output.h"
#include "table.h"
#include "tool.h"

#define SHARED_BITS 24u /* binary logarithm of the size of the shared window */
#define HEAD_TEXT   (1u << 20)
#define MIN_GROW    128u

#define N_CLUSTER_IDS 7u

/* Description of the lines of one warp. In a run, it precedes the text of the lines. */
struct group_head {
	/* number of the warp: raster number of the thread block * warps per block + warp in the block */
	uint64_t key;
	uint64_t insts, bytes;
	/* ids of the cluster in the grid, ids of the thread block in the cluster, and rank */
	uint32_t cluster[N_CLUSTER_IDS];
};

struct warp_lines {
	struct group_head head;
	char *text;
	size_t cap;
};

struct line_run {
	uint64_t next_head; /* position of the next head in the file */
	uint64_t end;       /* position of the end of the run */
	struct group_head head;
	uint32_t number;
};

struct group {
	struct input *in;
	struct fault *fault;
	const struct sink *sink;
	uint32_t grid[3], warps;
	uint32_t n_prefix_columns; /* number of columns that grouped text lacks: 0, 4, 11 or 13 */
	uint32_t lineinfo;         /* 1 if a source line precedes the PC, otherwise 0 */
	bool measured;             /* true if the number of columns was determined from the first line */
	uint64_t shared_window;    /* base address of the shared window */
	struct table lines_by_key; /* indices of `lines` by key */
	struct warp_lines *lines;
	uint32_t n_lines, cap_lines;
	uint64_t bytes_in_memory; /* number of bytes of the lines that are in memory */
	uint64_t memory_limit;    /* operand of --memory */
	FILE *spool;              /* temporary file of sorted runs; NULL until lines are spooled */
	uint64_t spool_bytes;     /* size of the temporary file */
	struct line_run *run;     /* heap of the runs to merge; the run with the lowest head is first */
	uint32_t n_runs, cap_runs;
	uint64_t block;                  /* number of the thread block being written, plus 1 */
	uint64_t next_warp;              /* number of the warp of this thread block that is written next */
	uint32_t cluster[N_CLUSTER_IDS]; /* cluster ids of this thread block */
};

static struct place group_place(const struct group *g)
{
	return (struct place){input_name(g->in), input_lineno(g->in), 0};
}

static int set_spool_fault(const struct group *g, const char *what)
{
	return fault_set(
		g->fault, group_place(g), "spool", "cannot %s a temporary file: %s", what, strerror(errno));
}

static int write_grouped(const struct group *g, const void *text, size_t n)
{
	return g->sink->write(g->sink->ctx, text, n)
		       ? 0
		       : fault_set(g->fault, group_place(g), "write", "cannot write");
}

/* ---- the header --------------------------------------------------------------------------- */

static bool starts_with_key(const char *line, size_t n, const char *word)
{
	return n >= strlen(word) && !memcmp(line, word, strlen(word));
}

int group_is_raw(struct input *in, struct fault *f)
{
	const char *p;
	long n = input_window(in, HEAD_TEXT, &p, f);

	if (n < 0)
		return -1;
	enum line_dialect d = DIALECT_SASS;
	bool format = false;
	for (const char *s = p, *end = p + n; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((nl ? nl : end) - s);

		if (starts_with_key(s, len, "#BEGIN_TB"))
			return 0;
		if (format && len && *s != '#' && *s != '\r')
			return line_prefix(d, s, len) >= 4;
		if (starts_with_key(s, len, "-isa = "))
			d = line_dialect_named(s + strlen("-isa = "), s + len);
		if (d == LINE_DIALECTS)
			return 0;
		format |= starts_with_key(s, len, "#traces format");
		s += len + 1;
	}
	return 0;
}

/*
 * Reads `count` numbers below 2^32 from "key = (v,v,v)" or "key = v" into v. Does not change v for any other
 * text.
 */
static void read_header_numbers(const char *line, size_t n, const char *key, uint32_t *v, unsigned count)
{
	const char *p = line + strlen(key), *end = line + n;
	uint32_t got[3] = {0};

	if (!starts_with_key(line, n, key))
		return;
	for (unsigned i = 0; i < count; i++) {
		uint64_t x = 0;
		const char *from = p += i > 0;

		for (; p < end && *p >= '0' && *p <= '9' && x <= UINT32_MAX; p++)
			x = x * 10 + (uint64_t)(*p - '0');
		if (p == from || x > UINT32_MAX || (i + 1 < count && (p == end || *p != ',')))
			return;
		got[i] = (uint32_t)x;
	}
	memcpy(v, got, count * sizeof(*v));
}

static void read_shared_window(const char *line, size_t n, uint64_t *v)
{
	static const char key[] = "-shmem base_addr = 0x";
	char t[20];

	if (!starts_with_key(line, n, key))
		return;
	snprintf(
		t, sizeof(t), "%.*s", (int)(n - strlen(key) < 16 ? n - strlen(key) : 16), line + strlen(key));
	*v = strtoull(t, NULL, 16);
}

/* Copies the lines up to the blank line after the format line. */
static int copy_raw_header(struct group *g)
{
	uint32_t block[3] = {0}, version = 0;
	const char *line;
	size_t n;
	int r;
	bool format = false;

	while ((r = input_line(g->in, &line, &n, g->fault)) > 0) {
		if (write_grouped(g, line, n) < 0 || write_grouped(g, "\n", 1) < 0)
			return -1;
		if (format && !n)
			break;
		if (format)
			return fault_set(g->fault, group_place(g), "header-line",
				"line of a warp in the header (expected an empty line after '#traces format')");
		format |= starts_with_key(line, n, "#traces format");
		read_header_numbers(line, n, "-grid dim = (", g->grid, 3);
		read_header_numbers(line, n, "-block dim = (", block, 3);
		read_header_numbers(line, n, "-accelsim tracer version = ", &version, 1);
		read_header_numbers(line, n, "-enable lineinfo = ", &g->lineinfo, 1);
		read_shared_window(line, n, &g->shared_window);
	}
	if (r < 0)
		return -1;
	uint64_t threads = (uint64_t)block[0] * block[1], blocks = (uint64_t)g->grid[0] * g->grid[1];
	bool good = threads <= UINT32_MAX && blocks <= UINT32_MAX;
	threads *= block[2];
	blocks *= g->grid[2];
	if (!good || !threads || threads > 65536 || !blocks || blocks > UINT32_MAX)
		return fault_set(g->fault, group_place(g), "header-value",
			"header of a raw trace has no usable grid and block dimensions");
	g->warps = (uint32_t)((threads + 31) / 32);
	g->n_prefix_columns = version >= 3 ? 4 : 0;
	return 0;
}

/* ---- lines -------------------------------------------------------------------------------- */

static int compare_line_keys(const void *a, const void *b)
{
	const struct warp_lines *x = a, *y = b;

	return (x->head.key > y->head.key) - (x->head.key < y->head.key);
}

static void discard_lines(struct group *g)
{
	for (uint32_t i = 0; i < g->n_lines; i++)
		free(g->lines[i].text);
	g->n_lines = 0;
	g->bytes_in_memory = 0;
	table_free(&g->lines_by_key);
}

/* Writes all lines in memory to the temporary file, as a sorted run. */
static int write_sorted_run(struct group *g)
{
	uint64_t from = g->spool_bytes;

	if (!g->spool && !(g->spool = output_try_unnamed()))
		return set_spool_fault(g, "make");
	qsort(g->lines, g->n_lines, sizeof(g->lines[0]), compare_line_keys);
	for (uint32_t i = 0; i < g->n_lines; i++) {
		const struct warp_lines *l = &g->lines[i];

		if (fwrite(&l->head, sizeof(l->head), 1, g->spool) != 1 ||
			fwrite(l->text, 1, l->head.bytes, g->spool) != l->head.bytes)
			return set_spool_fault(g, "write");
		g->spool_bytes += sizeof(l->head) + l->head.bytes;
	}
	grow(&g->run, &g->cap_runs, g->n_runs + 1, sizeof(g->run[0]));
	g->run[g->n_runs] = (struct line_run){.next_head = from, .end = g->spool_bytes, .number = g->n_runs};
	g->n_runs++;
	discard_lines(g);
	return 0;
}

/* Returns true if the line is the shared-memory line of an LDGSTS that was logged twice. */
static bool is_shared_side_of_ldgsts(const struct group *g, const char *line, size_t n)
{
	const char *op = memmem(line, n, " LDGSTS", 7);
	const char *at = op ? memmem(op, (size_t)(line + n - op), " 0x", 3) : NULL;

	if (!at)
		return false;
	char t[20];
	snprintf(t, sizeof(t), "%.*s", (int)(line + n - at - 3 < 16 ? line + n - at - 3 : 16), at + 3);
	uint64_t a = strtoull(t, NULL, 16);
	return a >> SHARED_BITS == g->shared_window >> SHARED_BITS || !(a >> SHARED_BITS);
}

static int set_cluster_fault(const struct group *g, uint64_t block)
{
	return fault_set(g->fault, group_place(g), "prefix",
		"lines of thread block %llu,%llu,%llu name different clusters (columns 5 to 11)",
		(unsigned long long)(block % g->grid[0]),
		(unsigned long long)(block / g->grid[0] % g->grid[1]),
		(unsigned long long)(block / g->grid[0] / g->grid[1]));
}

/*
 * Sets the number of columns that grouped text lacks. Since Accel-Sim 2.0 the cluster ids follow the warp.
 * With TOOL_TRACE_CORE, the SM and the warp's slot follow the cluster ids.
 */
static void determine_prefix_columns(struct group *g, const char *line, size_t n)
{
	int columns = line_prefix(DIALECT_SASS, line, n) - (g->lineinfo ? 1 : 0);

	if (columns == 11 || columns == 13)
		g->n_prefix_columns = (uint32_t)columns;
	g->measured = true;
}

/* Returns the lines of the warp with the given key. Adds the warp, with these cluster ids, if it is new. */
static struct warp_lines *lines_of_warp(struct group *g, uint64_t key, const uint32_t cluster[N_CLUSTER_IDS])
{
	uint64_t hash = table_hash_words(&key, 1);

	FOR_TABLE (w, &g->lines_by_key, hash)
		if (g->lines[w.number].head.key == key)
			return &g->lines[w.number];
	table_add(&g->lines_by_key, hash, g->n_lines);
	grow(&g->lines, &g->cap_lines, g->n_lines + 1, sizeof(g->lines[0]));
	g->lines[g->n_lines] = (struct warp_lines){.head.key = key};
	memcpy(g->lines[g->n_lines].head.cluster, cluster, sizeof(g->lines[0].head.cluster));
	g->bytes_in_memory += sizeof(struct warp_lines) + 2 * sizeof(struct table_slot);
	return &g->lines[g->n_lines++];
}

static void append_line_to_warp(struct group *g, struct warp_lines *l, const char *line, size_t n)
{
	if (l->cap - l->head.bytes < n + 1) {
		size_t cap = l->cap * 2 > MIN_GROW ? l->cap * 2 : MIN_GROW;

		cap = cap < l->head.bytes + n + 1 ? l->head.bytes + n + 1 : cap;
		l->text = xrealloc(l->text, cap, 1);
		g->bytes_in_memory += cap - l->cap;
		l->cap = cap;
	}
	memcpy(l->text + l->head.bytes, line, n);
	l->text[l->head.bytes + n] = '\n';
	l->head.bytes += n + 1;
	l->head.insts++;
}

static int process_raw_line(struct group *g, const char *line, size_t n)
{
	const uint32_t limit[4] = {g->grid[0], g->grid[1], g->grid[2], g->warps};
	const char *end = line + n;
	uint32_t id[4], cluster[N_CLUSTER_IDS] = {0}, place_on_gpu[2];
	unsigned bad;

	if (!g->measured)
		determine_prefix_columns(g, line, n);
	const char *s = columns_read_numbers(line, end, 4, id, &bad);

	for (unsigned i = 4; s && i-- > 0;)
		bad = id[i] < limit[i] ? bad : i;
	if (!s || id[bad] >= limit[bad])
		return fault_set(g->fault, group_place(g), "prefix",
			"column %u of a raw trace is not a %s below %u (expected thread block x, y, z and warp before the PC)",
			bad + 1, bad < 3 ? "thread block id" : "warp id", limit[bad]);
	if (is_shared_side_of_ldgsts(g, line, n))
		return 0;
	if (g->n_prefix_columns >= 11)
		s = columns_read_numbers(s, end, N_CLUSTER_IDS, cluster, &bad);
	if (s && g->n_prefix_columns == 13)
		s = columns_read_numbers(s, end, 2, place_on_gpu, &bad);
	uint64_t block = id[0] + (uint64_t)g->grid[0] * (id[1] + (uint64_t)g->grid[1] * id[2]);
	struct warp_lines *l = lines_of_warp(g, block * g->warps + id[3], cluster);
	if (!s)
		return fault_set(g->fault, group_place(g), "prefix",
			"column %u of a raw trace is not a number (expected cluster x, y, z, thread block in the cluster x, y, z, and rank after the warp)",
			bad + 5);
	if (memcmp(l->head.cluster, cluster, sizeof(cluster)))
		return set_cluster_fault(g, block);
	const char *from = g->n_prefix_columns ? s : line;
	append_line_to_warp(g, l, from, (size_t)(end - from));
	return g->bytes_in_memory > g->memory_limit ? write_sorted_run(g) : 0;
}

/* ---- the result --------------------------------------------------------------------------- */

static int write_empty_warps(struct group *g, uint64_t up_to)
{
	char t[64];

	for (; g->next_warp < up_to; g->next_warp++)
		if (write_grouped(g, t,
			    (size_t)snprintf(t, sizeof(t), "warp = %llu\ninsts = 0\n\n",
				    (unsigned long long)g->next_warp)) < 0)
			return -1;
	return 0;
}

static int finish_grouped_block(struct group *g)
{
	if (!g->block)
		return 0;
	return write_empty_warps(g, g->warps) < 0 ? -1 : write_grouped(g, "#END_TB\n", 8);
}

/* Writes the lines that begin thread block b. c has its cluster ids. */
static int begin_grouped_block(struct group *g, uint64_t b, const uint32_t c[N_CLUSTER_IDS])
{
	char t[320];
	int n = snprintf(t, sizeof(t), "\n#BEGIN_TB\n\nthread block = %llu,%llu,%llu\n",
		(unsigned long long)(b % g->grid[0]), (unsigned long long)(b / g->grid[0] % g->grid[1]),
		(unsigned long long)(b / g->grid[0] / g->grid[1]));

	if (g->n_prefix_columns >= 11)
		n += snprintf(t + n, sizeof(t) - (size_t)n,
			"cluster id = %u,%u,%u\ncluster cta = %u,%u,%u\ncluster rank = %u\n", c[0], c[1],
			c[2], c[3], c[4], c[5], c[6]);
	t[n++] = '\n';
	memcpy(g->cluster, c, sizeof(g->cluster));
	g->block = b + 1;
	g->next_warp = 0;
	return write_grouped(g, t, (size_t)n);
}

/* Writes the lines that begin a warp. `insts` is the number of its instructions in all runs. */
static int begin_grouped_warp(struct group *g, const struct group_head *head, uint64_t insts)
{
	uint64_t b = head->key / g->warps, w = head->key % g->warps;
	char t[80];
	int n;

	if (b + 1 != g->block &&
		(finish_grouped_block(g) < 0 || begin_grouped_block(g, b, head->cluster) < 0))
		return -1;
	if (memcmp(g->cluster, head->cluster, sizeof(g->cluster)))
		return set_cluster_fault(g, b);
	if (write_empty_warps(g, w) < 0)
		return -1;
	g->next_warp = w + 1;
	n = snprintf(t, sizeof(t), "warp = %llu\ninsts = %llu\n", (unsigned long long)w,
		(unsigned long long)insts);
	return write_grouped(g, t, (size_t)n);
}

/* Writes the lines in memory to the sink. Used if no run was written. */
static int write_gathered_lines(struct group *g)
{
	if (g->n_lines)
		qsort(g->lines, g->n_lines, sizeof(g->lines[0]), compare_line_keys);
	for (uint32_t i = 0; i < g->n_lines; i++) {
		const struct warp_lines *l = &g->lines[i];

		if (begin_grouped_warp(g, &l->head, l->head.insts) < 0 ||
			write_grouped(g, l->text, l->head.bytes) < 0 || write_grouped(g, "\n", 1) < 0)
			return -1;
	}
	return finish_grouped_block(g);
}

static int read_run_bytes(const struct group *g, uint64_t at, void *to, size_t n)
{
	for (char *t = to; n;) {
		ssize_t got = pread(fileno(g->spool), t, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return set_spool_fault(g, "read");
		t += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

static bool line_precedes(const struct line_run *a, const struct line_run *b)
{
	return a->head.key != b->head.key ? a->head.key < b->head.key : a->number < b->number;
}

/* Restores the heap property if run i has become greater than one of its children. */
static void sift_run_down(struct group *g, uint32_t i)
{
	for (;;) {
		uint32_t k = 2 * i + 1;

		if (k >= g->n_runs)
			return;
		if (k + 1 < g->n_runs && line_precedes(&g->run[k + 1], &g->run[k]))
			k++;
		if (line_precedes(&g->run[i], &g->run[k]))
			return;
		struct line_run r = g->run[i];
		g->run[i] = g->run[k];
		g->run[k] = r;
		i = k;
	}
}

/* Reads the next head of run i of the heap, or removes the run if it has ended. */
static int read_next_head(struct group *g, uint32_t i)
{
	struct line_run *r = &g->run[i];

	if (r->next_head == r->end) {
		*r = g->run[--g->n_runs];
	} else {
		if (read_run_bytes(g, r->next_head, &r->head, sizeof(r->head)) < 0)
			return -1;
		r->next_head += sizeof(r->head);
	}
	sift_run_down(g, i);
	return 0;
}

/* Writes the lines of the next warp of the first run in the heap, and reads the run's next head. */
static int write_first_warp(struct group *g)
{
	struct line_run *r = &g->run[0];
	char buf[16384];

	for (uint64_t left = r->head.bytes; left;) {
		size_t n = left < sizeof(buf) ? (size_t)left : sizeof(buf);

		if (read_run_bytes(g, r->next_head, buf, n) < 0 || write_grouped(g, buf, n) < 0)
			return -1;
		r->next_head += n;
		left -= n;
	}
	return read_next_head(g, 0);
}

/*
 * Returns the number of instructions with this key in run i of the heap and its descendants. `key` is the
 * lowest key, so the runs that have it are connected at the top of the heap.
 */
static uint64_t count_key_insts(const struct group *g, uint32_t i, uint64_t key)
{
	if (i >= g->n_runs || g->run[i].head.key != key)
		return 0;
	return g->run[i].head.insts + count_key_insts(g, 2 * i + 1, key) + count_key_insts(g, 2 * i + 2, key);
}

static int merge_runs(struct group *g)
{
	if ((g->n_lines && write_sorted_run(g) < 0) || (fflush(g->spool) && set_spool_fault(g, "write")))
		return -1;
	for (uint32_t i = 0; i < g->n_runs; i++) {
		if (read_run_bytes(g, g->run[i].next_head, &g->run[i].head, sizeof(struct group_head)) < 0)
			return -1;
		g->run[i].next_head += sizeof(struct group_head);
	}
	for (uint32_t i = g->n_runs / 2; i-- > 0;)
		sift_run_down(g, i);
	while (g->n_runs) {
		uint64_t key = g->run[0].head.key;

		if (begin_grouped_warp(g, &g->run[0].head, count_key_insts(g, 0, key)) < 0)
			return -1;
		while (g->n_runs && g->run[0].head.key == key)
			if (memcmp(g->cluster, g->run[0].head.cluster, sizeof(g->cluster)))
				return set_cluster_fault(g, key / g->warps);
			else if (write_first_warp(g) < 0)
				return -1;
		if (write_grouped(g, "\n", 1) < 0)
			return -1;
	}
	return finish_grouped_block(g);
}

int group_text(struct input *in, uint64_t memory, const struct sink *to, struct fault *f)
{
	struct group g = {.in = in, .fault = f, .memory_limit = memory, .sink = to};
	const char *line;
	size_t n;
	int r = copy_raw_header(&g);

	while (r == 0 && (r = input_line(in, &line, &n, f)) > 0)
		r = n ? process_raw_line(&g, line, n) : 0;
	if (r == 0 && write_grouped(&g, "\n", 1) < 0)
		r = -1;
	if (r == 0)
		r = g.n_runs ? merge_runs(&g) : write_gathered_lines(&g);
	discard_lines(&g);
	free(g.lines);
	free(g.run);
	if (g.spool)
		fclose(g.spool);
	return r;
}
