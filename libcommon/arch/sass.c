/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Scheduling classes and distances: the tables of sass.def and latency.def as arrays (see sass.h). Always true: the
 * rows of sass.def are sorted for binary search.
 */
#include "sass.h"
#include <string.h>

static const struct row {
	const char *stem;
	uint8_t sm_90, sm_100; /* classes up to sm_90, and from sm_100 on */
} rows[] = {
#define SASS(stem, a, b) {stem, SASS_##a, SASS_##b},
#include "sass.def"
#undef SASS
};

#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

static const char *const names[N_SASS_CLASSES] = {
	"NONE",
	"FXU",
	"FE",
	"FMAI",
	"IMAD",
	"IMAD_LOW",
	"HALF",
	"FP64",
	"HFMA2_MMA",
	"CLMAD",
	"HMMA",
	"IMMA",
	"DMMA",
	"FAST",
	"SLOW",
	"BRU",
	"R2UR",
	"S2UR",
	"UDP",
	"ULDC",
	"UMOV",
	"LDCU",
	"TMA",
	"TMEM",
};

const char *sass_class_name(enum sass_class c) { return names[c]; }

/* Stems with a second part. */
static const char *const two_parts[] = {"HFMA2.MMA", "UIADD3.64", "UMOV.64"};

size_t sass_stem(const char *opcode, size_t n)
{
	const char *dot = memchr(opcode, '.', n);

	for (size_t i = 0; i < sizeof(two_parts) / sizeof(*two_parts); i++) {
		size_t k = strlen(two_parts[i]);

		if (n >= k && !memcmp(opcode, two_parts[i], k) && (n == k || opcode[k] == '.'))
			return k;
	}
	return dot ? (size_t)(dot - opcode) : n;
}

static int compare_stem(const char *stem, const char *text, size_t n)
{
	int d = strncmp(stem, text, n);

	return d ? d : stem[n] != '\0';
}

static const struct row *find_sass_row(const char *text, size_t n)
{
	size_t low = 0, high = N_ROWS;

	while (low < high) {
		size_t mid = (low + high) / 2;
		int d = compare_stem(rows[mid].stem, text, n);

		if (!d)
			return &rows[mid];
		if (d < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return NULL;
}

enum sass_class sass_class_of(const char *opcode, size_t n, unsigned sm, bool *known)
{
	size_t k = sass_stem(opcode, n);
	const struct row *r = find_sass_row(opcode, k);

	if (!r && k > strcspn(opcode, ".")) /* there is no row for the stem with its second part */
		r = find_sass_row(opcode, strcspn(opcode, "."));
	if (known)
		*known = r != NULL;
	if (r) {
		uint8_t first = sm >= 100 ? r->sm_100 : r->sm_90;

		return first != SASS_NONE ? first : sm >= 100 ? r->sm_90 : r->sm_100;
	}
	return k && opcode[0] == 'U' ? SASS_UDP : SASS_FXU;
}

/* ---- distances ---------------------------------------------------------------------------------- */

#define N_GPR_COLUMNS 13

static const struct gpr_row {
	uint8_t family, producer, cycles[N_GPR_COLUMNS];
} gpr_rows[] = {
#define GPR(family, producer, ...) {family, SASS_##producer, {__VA_ARGS__}},
#define FORWARD(sm, producer, operand, cycles)
#define UGPR(producer, ...)
#define PREDICATE(producer, cycles)
#define OVERWRITE(family, producer, cycles)
#include "latency.def"
#undef GPR
#undef FORWARD
};

static const struct forward_row {
	uint8_t sm, producer, operand, cycles; /* first compute capability, classes, and distance in cycles */
} forward_rows[] = {
#define GPR(family, producer, ...)
#define FORWARD(sm, producer, operand, cycles) {sm, SASS_##producer, READ_##operand, cycles},
#include "latency.def"
#undef FORWARD
#undef UGPR
};

static const struct ugpr_row {
	uint8_t producer, cycles[6];
} ugpr_rows[] = {
#define FORWARD(sm, producer, operand, cycles)
#define UGPR(producer, ...) {SASS_##producer, {__VA_ARGS__}},
#include "latency.def"
#undef UGPR
#undef PREDICATE
};

static const struct predicate_row {
	uint8_t producer, cycles;
} predicate_rows[] = {
#define UGPR(producer, ...)
#define PREDICATE(producer, cycles) {SASS_##producer, cycles},
#include "latency.def"
#undef PREDICATE
#undef OVERWRITE
};

static const struct overwrite_row {
	uint8_t family, producer, cycles;
} overwrite_rows[] = {
#define PREDICATE(producer, cycles)
#define OVERWRITE(family, producer, cycles) {family, SASS_##producer, cycles},
#include "latency.def"
};

#define EACH(row, list) for (const struct row *r = (list); r < (list) + sizeof(list) / sizeof(list)[0]; r++)

/* Sets the distances of GPUs before sm_80: those in compiled code for sm_75. sm_70 is assumed to be alike. */
static void set_older_gpu(struct sass_latency *l)
{
	for (unsigned i = 0; i < N_GPR_COLUMNS; i++)
		l->after[SASS_HALF][i] = i == READ_HALF ? 6 : 8;
	for (unsigned i = 0; i < N_SASS_CLASSES; i++)
		if (l->predicate[i] == 13)
			l->predicate[i] = 12;
}

static void shorten_distance(uint8_t *distance, uint8_t cycles)
{
	if (*distance > cycles)
		*distance = cycles;
}

/* Applies the FORWARD rows. Those of IMAD also hold for the low register of IMAD.WIDE. */
static void shorten_distances(struct sass_latency *l, unsigned sm)
{
	EACH (forward_row, forward_rows) {
		if (r->sm > sm)
			continue;
		shorten_distance(&l->after[r->producer][r->operand], r->cycles);
		if (r->producer == SASS_IMAD)
			shorten_distance(&l->after[SASS_IMAD_LOW][r->operand], r->cycles);
	}
}

void sass_latency(struct sass_latency *l, unsigned family, unsigned sm, bool forwarding)
{
	memset(l, 0, sizeof(*l));
	memset(l->overwrite, 1, sizeof(l->overwrite));
	EACH (gpr_row, gpr_rows)
		if (!r->family || r->family == family)
			memcpy(l->after[r->producer], r->cycles, N_GPR_COLUMNS);
	EACH (ugpr_row, ugpr_rows)
		memcpy(&l->after[r->producer][READ_UDP], r->cycles, sizeof(r->cycles));
	EACH (predicate_row, predicate_rows)
		l->predicate[r->producer] = r->cycles;
	EACH (overwrite_row, overwrite_rows)
		if (!r->family || r->family == family)
			l->overwrite[r->producer] = r->cycles;
	if (sm < 80)
		set_older_gpu(l);
	memcpy(l->after[SASS_IMAD_LOW], l->after[SASS_IMAD], sizeof(l->after[SASS_IMAD]));
	if (forwarding)
		shorten_distances(l, sm);
	memcpy(l->after[SASS_FE], l->after[SASS_FXU], sizeof(l->after[SASS_FE]));
}

enum sass_operand sass_operand_of(enum sass_class c)
{
	switch (c) {
	case SASS_FMAI: return READ_FMAI;
	case SASS_IMAD: return READ_IMAD;
	case SASS_HALF: return READ_HALF;
	case SASS_FP64: return READ_FP64;
	case SASS_HFMA2_MMA: return READ_HFMA2_MMA;
	case SASS_FAST: return READ_FAST;
	case SASS_SLOW:
	case SASS_TMEM: return READ_SLOW;
	case SASS_BRU: return READ_BRU;
	case SASS_R2UR:
	case SASS_S2UR: return READ_R2UR;
	case SASS_HMMA:
	case SASS_IMMA:
	case SASS_DMMA: return READ_MMA;
	case SASS_CLMAD: return READ_CLMAD;
	default: return READ_FXU;
	}
}

enum sass_operand sass_uniform_operand_of(enum sass_class c)
{
	switch (c) {
	case SASS_UDP: return READ_UDP;
	case SASS_ULDC:
	case SASS_LDCU: return READ_ULDC;
	case SASS_UMOV: return READ_UMOV;
	case SASS_TMA:
	case SASS_TMEM: return READ_TMA;
	case SASS_FAST:
	case SASS_SLOW:
	case SASS_BRU: return READ_UMEMORY;
	default: return READ_UMATH;
	}
}
