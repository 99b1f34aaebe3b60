/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The walk over the GPU and the sinks that it feeds; used by stats_*.c only.
 *
 * The walk names every figure once, in the order of the original's block. A sink is either the printer
 * (stats_accelsim.c), which writes the block, or the collector (stats_record.c), which keeps a table of names
 * and running values. Only the printer receives text that is not a figure. Always true: the recorded name is
 * the sink's prefix followed by the printed name without leading blanks and with '_' for inner blanks.
 * results/stats.def has its unit and kind. In a sparse part of the walk the collector leaves out zeros;
 * stats.def marks such figures as sparse.
 */
#ifndef STATS_INT_H
#define STATS_INT_H

#include <inttypes.h>
#include <stdarg.h>
#include "bytes.h"
#include "inlining.h"
#include "stats.h"

/* Formats in which a real number is printed. */
enum real_style { F12_4, F9_6, F4, F3, F6, G4, G6 };
/* Widths in which an integer is printed. The original shows many counters as 32-bit signed ones. */
enum count_style { SHOW_64, SHOW_32 };

/* A ratio. Records have num / den * scale. The block has `shown`, which is computed like the original's value. */
struct quotient {
	double num, den, scale, shown;
};

struct stats_sink {
	/* printer: text of the block so far; NULL: the sink is the collector */
	struct bytes *out;
	struct figures *table;           /* collector */
	const struct stats_block *block; /* printer: kernels, stream and time of the printed block */
	bool sparse;
	char prefix[64]; /* text that precedes the recorded names */
};

static inline bool is_sink_collecting(const struct stats_sink *s) { return !s->out; }

/*
 * Functions for the printer only. stats_printf() prints formatted text. The others print frequent items without the
 * cost of printf(): a text, a right-aligned number, a count between two texts, a real number.
 */
void stats_printf(struct stats_sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
static ALWAYS_INLINE void stats_text(struct stats_sink *s, const char *text)
{
	if (s->out)
		bytes_puts(s->out, text);
}
static ALWAYS_INLINE void stats_int(struct stats_sink *s, int64_t v, unsigned width)
{
	if (s->out)
		bytes_signed(s->out, v, width);
}
static ALWAYS_INLINE void stats_value(struct stats_sink *s, const char *before, uint64_t v, const char *after)
{
	if (!s->out)
		return;
	bytes_puts(s->out, before);
	bytes_unsigned(s->out, v);
	bytes_puts(s->out, after);
}
void stats_real(struct stats_sink *s, enum real_style style, double v);
/* Sets the prefix of the names that are recorded after it; "": none. */
void stats_prefix(struct stats_sink *s, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Functions for the collector only. fmt: name after the prefix. */
void stats_record_count(struct stats_sink *s, uint64_t value, const char *fmt, ...) PRINTF_LIKE(3, 4);
void stats_record_ratio(struct stats_sink *s, const char *name, double num, double den, double scale);

/*
 * stats_record.c: record a real number, or the product of two running values. The record of a kernel has the product
 * of the differences since the last kernel.
 */
void stats_record_real(struct stats_sink *s, const char *name, double v);
void stats_record_product(struct stats_sink *s, const char *name, double a, double b);

/* stats_record.c: append a row to the table of the collector. */
void stats_collect_count(struct stats_sink *s, const char *name, uint64_t running);
void stats_collect_ratio(struct stats_sink *s, const char *name, struct quotient q);

/*
 * Passes a figure to the sink. The printer prints `shown` between two texts; the collector records `running`.
 */
static ALWAYS_INLINE void emit_field_count(struct stats_sink *s, const char *name, const char *before,
	uint64_t shown, uint64_t running, enum count_style style, const char *after)
{
	if (is_sink_collecting(s)) {
		stats_collect_count(s, name, running);
		return;
	}
	bytes_puts(s->out, name);
	bytes_puts(s->out, before);
	if (style == SHOW_32)
		bytes_signed(s->out, (int32_t)(uint32_t)shown, 0);
	else
		bytes_unsigned(s->out, shown);
	bytes_puts(s->out, after);
}

static ALWAYS_INLINE void emit_field64(
	struct stats_sink *s, const char *name, const char *before, uint64_t v, const char *after)
{
	emit_field_count(s, name, before, v, v, SHOW_64, after);
}

static ALWAYS_INLINE void emit_field_real(struct stats_sink *s, const char *name, const char *before,
	enum real_style style, struct quotient q, const char *after)
{
	if (is_sink_collecting(s)) {
		stats_collect_ratio(s, name, q);
		return;
	}
	bytes_puts(s->out, name);
	bytes_puts(s->out, before);
	stats_real(s, style, q.shown);
	bytes_puts(s->out, after);
}

/* Functions that emit a line "NAME = value". */
static ALWAYS_INLINE void stats_line64(struct stats_sink *s, const char *name, uint64_t value)
{
	emit_field64(s, name, " = ", value, "\n");
}

static ALWAYS_INLINE void stats_line32(struct stats_sink *s, const char *name, uint64_t value)
{
	emit_field_count(s, name, " = ", value, value, SHOW_32, "\n");
}

static ALWAYS_INLINE void stats_line_real(
	struct stats_sink *s, const char *name, enum real_style style, struct quotient q)
{
	emit_field_real(s, name, " = ", style, q, "\n");
}

/* Returns a / b in single precision. 0 / 0 is a negative NaN on every host, as on x86. */
double stats_divide_single(uint64_t a, uint64_t b);
struct quotient quotient(uint64_t num, uint64_t den); /* single precision */
struct quotient quotient_double(double num, double den);

/* stats_walk.c */
void stats_walk(struct stats_sink *s, struct gpu *g);
/* stats_cache.c */
void stats_emit_core_caches(struct stats_sink *s, struct gpu *g);
void stats_emit_l2(struct stats_sink *s, struct gpu *g);
/* stats_core.c */
void stats_emit_cores(struct stats_sink *s, struct gpu *g);
/* stats_mem.c */
void stats_emit_latency(struct stats_sink *s, struct gpu *g);
void stats_emit_channels(struct stats_sink *s, struct gpu *g);
/* stats_net.c */
void stats_emit_flits(struct stats_sink *s, struct gpu *g);
void stats_emit_network(struct stats_sink *s, struct gpu *g);
void stats_emit_links(struct stats_sink *s, struct gpu *g); /* recorded only */
/* stats_more.c: figures that the original does not have; recorded only. */
void stats_record_more(struct stats_sink *s, struct gpu *g);
/* stats_power.c: power and energies; recorded only. */
void stats_emit_power(struct stats_sink *s, const struct gpu *g);

#endif
