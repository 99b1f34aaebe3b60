/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures walks: dependent loads of one thread, as in pointer chases of published tables that name a level of
 * the memory hierarchy instead of a footprint.
 *
 * A walk has a list of addresses. Some programs compute each address from a loaded index, and some read the
 * clock before and after each load. The figure is the mean of the loads, or a percentile of single loads.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "request/addrdec.h"
#include "selftest/bench.h"
#include "selftest/order.h"
#include "selftest/probe.h"

#define LINE        128u
#define WALK_LEAD   64u   /* number of loads before the timed ones */
#define WALK_LOADS  1024u /* number of timed loads */
#define WALK_UNROLL 32u
#define SMALL_ARRAY 32768u /* bytes of the array in the chases of L1 and L2 */
#define SMALL_PASS  (SMALL_ARRAY / 8)
#define SMALL_TIMES 8.0 /* number of passes of these chases */

enum walk_order {
	IN_SEQUENCE,   /* consecutive places at a distance of `step` bytes */
	AT_RANDOM,     /* places in random order over the footprint */
	ON_OWN_SIDE,   /* lines in random order whose home is the side of the SM in an L2 of two sides */
	ON_OTHER_SIDE, /* lines in random order whose home is the other side */
};

enum walk_l2 {
	L2_COLD,
	L2_WARM_HOME,  /* lines are in their home slices */
	L2_WARM_SIDES, /* SMs on both sides have read the lines */
};

enum walk_flag {
	BY_INDEX = 1,  /* an instruction computes the address from the loaded value */
	CLOCKED = 2,   /* the clock is read before and after each load */
	COLD_PASS = 4, /* the first of SMALL_TIMES passes begins with an empty L1 */
};

/* Parameters of a walk, except its addresses. */
struct walk_kind {
	const char *name; /* params, or whole workload, of a row */
	enum walk_order order;
	enum walk_l2 l2;
	uint32_t step;      /* distance between places in bytes */
	uint32_t bytes;     /* size of a load in bytes */
	uint64_t footprint; /* in bytes, of places in random order */
	const char *op;
	uint32_t flags; /* set of enum walk_flag */
};

#define MIB (UINT64_C(1) << 20)

/*
 * Chases that name a level: those of the workload "pointer-chase", whose programs were published, then workloads of
 * which only results were published. These programs measured 30 cycles for shared memory, which includes the
 * computation of the address from an index.
 */
static const struct walk_kind named_walks[] = {
	{"L1", IN_SEQUENCE, L2_WARM_HOME, 8, 8, 0, "LDG.E.64.STRONG.SM", COLD_PASS},
	{"L2", IN_SEQUENCE, L2_WARM_HOME, 8, 8, 0, "LDG.E.64.STRONG.GPU", 0},
	{"global", IN_SEQUENCE, L2_COLD, 32, 8, 0, "LDG.E.64.STRONG.GPU", 0},
	{"L2 partition: near hit", ON_OWN_SIDE, L2_WARM_HOME, LINE, 8, 8 * MIB, "LDG.E.64.STRONG.GPU", 0},
	{"L2 partition: far hit", ON_OTHER_SIDE, L2_WARM_HOME, LINE, 8, 8 * MIB, "LDG.E.64.STRONG.GPU", 0},
	{"L2 partition: near miss", ON_OWN_SIDE, L2_COLD, LINE, 8, 512 * MIB, "LDG.E.64.STRONG.GPU", 0},
	{"L2 partition: far miss", ON_OTHER_SIDE, L2_COLD, LINE, 8, 512 * MIB, "LDG.E.64.STRONG.GPU", 0},
	{"shared memory", IN_SEQUENCE, L2_COLD, 8, 4, 0, "LDS", BY_INDEX},
	{"L1 chase", AT_RANDOM, L2_WARM_SIDES, LINE, 4, MIB / 256, "LDG.E", BY_INDEX},
	{"L2 chase, median", AT_RANDOM, L2_WARM_SIDES, LINE, 4, MIB, "LDG.E.STRONG.GPU", BY_INDEX},
};

struct load_walk {
	const struct walk_kind *kind;
	uint64_t *address;
	uint32_t loads; /* number of loads */
	uint32_t insts; /* number of instructions per load */
};

static bool is_shared_walk(const struct walk_kind *k) { return !strcmp(k->op, "LDS"); }

static void write_walk_load(struct scribe *s, const struct walk_kind *k, uint64_t address)
{
	if (k->flags & CLOCKED) {
		scribe_op(s, "R4", "CS2R", "", 0);
		scribe_op(s, "R2", "LOP3.LUT", "R2 R4", 0);
	}
	if (k->flags & BY_INDEX)
		scribe_op(s, "R2", is_shared_walk(k) ? "LEA" : "IMAD.WIDE", "R2 R10", 0);
	scribe_mem(s, 1, "R2", k->op, "R2", k->bytes, address, 0);
	if (k->flags & CLOCKED) {
		scribe_op(s, "R2", "LOP3.LUT", "R2 R10", 0);
		scribe_op(s, "R6", "CS2R", "R2", 0);
	}
}

static void write_walk_body(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct load_walk *w = m->arg;

	(void)block;
	(void)warp;
	scribe_op(s, "R2", "MOV", "", 0);
	for (uint32_t i = 0; i < w->loads; i++) {
		if (i % WALK_UNROLL == 0)
			s->pc = 0x100;
		write_walk_load(s, w->kind, w->address[i]);
	}
	s->pc = 0x4000;
	scribe_write_exit(s);
}

static void init_walk(struct load_walk *w, const struct walk_kind *k)
{
	struct scribe s = {.pc = 0};

	write_walk_load(&s, k, MICRO_DATA);
	*w = (struct load_walk){.kind = k, .insts = s.insts, .loads = WALK_LEAD + WALK_LOADS};
	if (k->flags & COLD_PASS)
		w->loads += SMALL_PASS;
	w->address = xcalloc(w->loads, sizeof(*w->address));
	bytes_free(&s.text);
}

/* Sets the addresses of a walk of the SM of cluster 0. */
static void set_walk_addresses(struct load_walk *w, const struct addrdec *dec)
{
	const struct walk_kind *k = w->kind;
	uint32_t side = addrdec_cluster_side(dec, 0) ^ (k->order == ON_OTHER_SIDE), n = 0;
	struct line_order o;

	order_init(&o, k->order == IN_SEQUENCE ? 1 : k->footprint / k->step);
	for (uint64_t i = 0; n < w->loads; i++) {
		uint64_t at = MICRO_DATA;

		if (is_shared_walk(k))
			at = MICRO_SHARED + i * k->step % 1024;
		else if (k->order != IN_SEQUENCE)
			at += order_line(&o, i % o.lines) * k->step;
		else
			at += k->l2 == L2_COLD ? i * k->step : i * k->step % SMALL_ARRAY;
		if (k->order >= ON_OWN_SIDE && addrdec_home_side(dec, at) != side)
			continue;
		w->address[n++] = at;
	}
}

/* Returns a cluster on a side of the L2. */
static uint32_t cluster_on_side(const struct addrdec *dec, const struct subject *s, uint32_t side)
{
	uint32_t c = 0;

	while (c + 1 < s->params.clusters && addrdec_cluster_side(dec, c) != side)
		c++;
	return c;
}

static void warm_walk(struct bench *b, const struct subject *s, const struct load_walk *w)
{
	const struct addrdec *dec = b->run.gpu.dec;
	bool sides = s->params.mem.l2_sides > 1;

	for (uint32_t i = 0; i < w->loads && w->kind->l2 != L2_COLD; i++) {
		uint64_t at = w->address[i];
		uint32_t home = sides ? addrdec_home_side(dec, at) : 0;

		bench_warm_l2(b, at, w->kind->bytes, cluster_on_side(dec, s, home), false);
		if (sides && w->kind->l2 == L2_WARM_SIDES)
			bench_warm_l2(b, at, w->kind->bytes, cluster_on_side(dec, s, !home), false);
	}
}

static int compare_load_times(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Returns the percentile of the times between the two clock reads of each of the last WALK_LOADS loads. */
static double walk_percentile(
	struct bench *b, const struct micro *m, const struct load_walk *w, double percent)
{
	uint64_t *at = xcalloc(2 * WALK_LOADS, sizeof(*at)), *time = xcalloc(2 * WALK_LOADS, sizeof(*time));
	double *load = xcalloc(WALK_LOADS, sizeof(*load)), result;

	for (uint32_t i = 0; i < WALK_LOADS; i++) {
		at[2 * i] = 1 + (uint64_t)(w->loads - WALK_LOADS + i) * w->insts + 1;
		at[2 * i + 1] = at[2 * i] + w->insts - 1;
	}
	bench_time_insts(b, m, at, time, 2 * WALK_LOADS);
	for (uint32_t i = 0; i < WALK_LOADS; i++)
		load[i] = (double)(time[2 * i + 1] - time[2 * i]);
	qsort(load, WALK_LOADS, sizeof(*load), compare_load_times);
	result = load[(uint32_t)(percent / 100 * (WALK_LOADS - 1))];
	free(at);
	free(time);
	free(load);
	return result;
}

/* Returns the mean time of a load. The time of a first pass counts by its share of all passes. */
static double walk_mean(struct bench *b, const struct micro *m, const struct load_walk *w)
{
	uint32_t pass = w->kind->flags & COLD_PASS ? SMALL_PASS : 0;
	uint64_t at[] = {1 + (uint64_t)w->insts, 1 + (uint64_t)(pass + WALK_LEAD) * w->insts,
		1 + (uint64_t)w->loads * w->insts};
	uint64_t time[3];
	double later;

	bench_time_insts(b, m, at, time, 3);
	later = (double)(time[2] - time[1]) / WALK_LOADS;
	if (!pass)
		return later;
	return ((double)(time[1] - time[0]) / (pass + WALK_LEAD) + (SMALL_TIMES - 1) * later) / SMALL_TIMES;
}

/* Returns the mean of the loads of a walk, or a percentile if `percent` is not negative. */
static double time_walk(const struct subject *s, const struct walk_kind *k, double percent)
{
	struct load_walk w;
	struct micro m = {.name = "walk",
		.blocks = 1,
		.threads = 32,
		.shmem = is_shared_walk(k) ? 1024 : 0,
		.nregs = 24,
		.arch = s->arch,
		.body = write_walk_body,
		.arg = &w};
	struct bench *b = bench_open(&s->params, s->isa);
	double result;

	init_walk(&w, k);
	set_walk_addresses(&w, b->run.gpu.dec);
	warm_walk(b, s, &w);
	result = percent < 0 ? walk_mean(b, &m, &w) : walk_percentile(b, &m, &w, percent);
	bench_close(b);
	free(w.address);
	return result;
}

/* ---- chases with a named level ---------------------------------------------------------------- */

static const struct walk_kind *find_named_walk(const char *name)
{
	for (unsigned i = 0; i < sizeof(named_walks) / sizeof(*named_walks); i++)
		if (!strcmp(named_walks[i].name, name))
			return &named_walks[i];
	return NULL;
}

/* Returns the walk of a probe of the workload "pointer-chase", or of a workload with the name of a walk. */
static const struct walk_kind *walk_of_probe(const struct probe *p)
{
	return find_named_walk(*p->params ? p->params : p->kind->workload);
}

double probe_named_walk(const struct probe *p, const struct subject *s)
{
	return time_walk(s, walk_of_probe(p), -1);
}

bool probe_named_walk_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	const struct walk_kind *k = walk_of_probe(p);

	(void)r;
	strcpy(p->group, "named chases");
	*why = "unknown chase (expected footprint_kB=N, L1, L2, global, shared memory, or L2 partition: near or far hit or miss)";
	if (!k)
		return false;
	*why = "the L2 of this GPU has only one side";
	return k->order < ON_OWN_SIDE || s->params.mem.l2_sides > 1;
}

/* ---- chases of indices ------------------------------------------------------------------------- */

/*
 * Parses "1 GiB stride 256 cold", "1 MiB stride 128 L2 hit" and "256 MiB cold, percentile 10", whose stride is
 * 256. Returns false for other texts.
 */
static bool parse_index_walk(const struct probe *p, struct walk_kind *k, double *percent)
{
	char *end;
	double size = strtod(p->params, &end), step = 256;

	*k = (struct walk_kind){.order = AT_RANDOM, .bytes = 4, .op = "LDG.E.STRONG.GPU", .flags = BY_INDEX};
	*percent = -1;
	if (!strncmp(end, " GiB ", 5))
		size *= 1024;
	else if (strncmp(end, " MiB ", 5) != 0)
		return false;
	end += 5;
	if (!strncmp(end, "stride ", 7))
		step = strtod(end + 7, &end);
	end += *end == ' ';
	if (!strcmp(end, "L2 hit"))
		k->l2 = L2_WARM_SIDES;
	else if (!strncmp(end, "cold, percentile ", 17))
		*percent = strtod(end + 17, &end);
	else if (strcmp(end, "cold") != 0)
		return false;
	if (*percent >= 0)
		k->flags |= CLOCKED;
	k->footprint = (uint64_t)(size * (double)MIB);
	k->step = (uint32_t)step;
	return size >= 1 && size <= 65536 && step >= 32 && step <= 65536 && *percent <= 100 &&
	       (*percent >= 0) == !strcmp(p->kind->workload, "single load");
}

double probe_index_walk(const struct probe *p, const struct subject *s)
{
	struct walk_kind k;
	double percent;

	parse_index_walk(p, &k, &percent);
	return time_walk(s, &k, percent);
}

bool probe_index_walk_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct walk_kind k;
	double percent;

	(void)s;
	strcpy(p->group, "cold chases");
	*why = "unknown chase (expected N MiB or GiB, stride N, and cold or L2 hit; single loads: cold, percentile N)";
	if (!parse_index_walk(p, &k, &percent) || strcmp(r->unit, "cycles") != 0)
		return false;
	if (k.l2 != L2_COLD)
		strcpy(p->group, "named chases");
	return true;
}
