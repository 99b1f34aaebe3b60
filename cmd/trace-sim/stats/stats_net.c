/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of the network: flits, lines that are always 0, and the block between the dashed lines
 * (NET-stat, NET-bstat).
 *
 * Always true: mode 1 prints its own lines (net_print_booksim), and each print is counted in its averages. So
 * the lines of each moment of a run are printed or collected only once. Its figures are averages since the
 * start of the run and are never subtracted. Names that it prints several times are numbered in order of
 * appearance.
 */
#include "net/book.h"
#include "stats_int.h"

static void show_distribution(struct stats_sink *s, const char *name, int n)
{
	stats_text(s, name);
	while (n--)
		stats_text(s, " 0");
	stats_text(s, "\n");
}

void stats_emit_flits(struct stats_sink *s, struct gpu *g)
{
	uint64_t in = 0, out = 0;

	for (uint32_t i = 0; i < g->params.clusters; i++)
		in += g->cluster[i].flits_in;
	for (uint32_t i = 0; i < g->params.sms; i++)
		out += g->sm[i].n.flits_out;
	stats_text(s, "\n");
	emit_field_count(s, "icnt_total_pkts_mem_to_simt", "=", in, in, SHOW_64, "\n");
	emit_field_count(s, "icnt_total_pkts_simt_to_mem", "=", out, out, SHOW_64, "\n");
	show_distribution(s, "LD_mem_lat_dist ", 27);
	show_distribution(s, "ST_mem_lat_dist ", 26);
}

/* ---- mode 2 ---------------------------------------------------------------------------------- */

/* Returns sum / cycles / ports. The second division is also in single precision. */
static struct quotient mean_per_port(uint64_t sum, uint64_t cycles, uint32_t ports)
{
	struct quotient q = quotient(sum, cycles);

	q.den *= ports;
	q.shown = (double)((float)q.shown / (float)ports);
	return q;
}

/* Names of the lines of a crossbar, and the blanks before their values. The two crossbars differ in blanks. */
struct crossbar {
	const char *name, *equals, *after;
	uint32_t inputs, outputs;
};

static void emit_crossbar_figures(struct stats_sink *s, const struct crossbar *x, const struct xbar_counts *c)
{
	uint64_t n = c->cycles;
	char name[64];

#define NAMED(suffix) (snprintf(name, sizeof(name), "%s_" suffix, x->name), name)
	stats_line64(s, NAMED("Network_injected_packets_num"), c->packets);
	stats_line64(s, NAMED("Network_cycles"), n);
	emit_field_real(s, NAMED("Network_injected_packets_per_cycle"), x->equals, F12_4,
		quotient(c->packets, n), x->after);
	emit_field_real(
		s, NAMED("Network_conflicts_per_cycle"), x->equals, F12_4, quotient(c->conflicts, n), "\n");
	stats_line_real(s, NAMED("Network_conflicts_per_cycle_util"), F12_4,
		quotient(c->conflicts_util, c->cycles_util));
	stats_line_real(s, NAMED("Bank_Level_Parallism"), F12_4, quotient(c->reqs_util, c->cycles_util));
	stats_line_real(s, NAMED("Network_in_buffer_full_per_cycle"), F12_4, quotient(c->in_full, n));
	stats_line_real(
		s, NAMED("Network_in_buffer_avg_util"), F12_4, mean_per_port(c->in_util, n, x->inputs));
	stats_line_real(s, NAMED("Network_out_buffer_full_per_cycle"), F12_4, quotient(c->out_full, n));
	stats_line_real(
		s, NAMED("Network_out_buffer_avg_util"), F12_4, mean_per_port(c->out_util, n, x->outputs));
#undef NAMED
}

static void emit_both_crossbars(struct stats_sink *s, const struct gpu *g)
{
	uint32_t clusters = g->params.clusters, subs = memory_sub_partitions(g->mem);
	struct crossbar req = {"Req", " = ", " \n", clusters, subs};
	struct crossbar reply = {"Reply", " =  ", "\n", subs, clusters};
	struct xbar_counts c = net_xbar_counts(g->net, 0);

	emit_crossbar_figures(s, &req, &c);
	stats_text(s, "\n");
	c = net_xbar_counts(g->net, 1);
	emit_crossbar_figures(s, &reply, &c);
}

/* ---- mode 1 ---------------------------------------------------------------------------------- */

/* Returns the recorded name, with a number if several figures have the same name. */
static const char *numbered_name(char out[64], const struct book_name *n)
{
	const char *text = n->text + (*n->text == '\t');

	if (n->n > 1)
		snprintf(out, 64, "%s[%u]", text, n->index);
	else
		snprintf(out, 64, "%s", text);
	return out;
}

static void emit_booksim_text(void *ctx, const char *text) { stats_text(ctx, text); }

static void emit_booksim_real(void *ctx, const struct book_name *n, double value, const char *after)
{
	struct stats_sink *s = ctx;
	struct quotient q = {value, 1, 1, value};
	char name[64];

	emit_field_real(s, is_sink_collecting(s) ? numbered_name(name, n) : n->text, n->equals, G6, q, after);
}

static void emit_booksim_count(void *ctx, const struct book_name *n, int64_t value, const char *after)
{
	struct stats_sink *s = ctx;
	char name[64];

	if (is_sink_collecting(s))
		stats_record_ratio(s, numbered_name(name, n), (double)value, 1, 1);
	else
		stats_printf(s, "%s%s%" PRId64 "%s", n->text, n->equals, value, after);
}

static void record_link_flits(void *ctx, unsigned subnet, uint32_t router, uint32_t output, uint64_t flits)
{
	stats_record_count(ctx, flits, "link_flits[%u][%u][%u]", subnet, router, output);
}

void stats_emit_links(struct stats_sink *s, struct gpu *g) { net_visit_links(g->net, record_link_flits, s); }

void stats_emit_network(struct stats_sink *s, struct gpu *g)
{
	stats_text(s, "----------------------------Interconnect-DETAILS--------------------------------\n");
	if (g->params.net.mode == 2)
		emit_both_crossbars(s, g);
	else
		net_print_booksim(g->net,
			&(struct book_out){s, emit_booksim_text, emit_booksim_real, emit_booksim_count});
	stats_text(s, "----------------------------END-of-Interconnect-DETAILS-------------------------\n");
}
