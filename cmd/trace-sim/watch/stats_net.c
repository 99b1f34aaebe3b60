/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Statistics of the network: flits, constant latency lines, and the block between the dashed lines
 * (NET-stat, NET-bstat).
 *
 * Always true: mode 1 prints its own lines (net_print_booksim), and each print counts in its averages; so
 * one moment of a run prints, or is collected, once. Its figures are averages since the start of the run
 * and are never subtracted. Names that it prints several times are numbered in order of appearance.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "stats_int.h"

static void show_distribution(struct sink *s, const char *name, int n)
{
	show(s, "%s", name);
	while (n--)
		show(s, " 0");
	show(s, "\n");
}

void walk_flits(struct sink *s, struct gpu *g)
{
	uint64_t in = 0, out = 0;

	for (uint32_t i = 0; i < g->params.clusters; i++)
		in += g->cluster[i].flits_in;
	for (uint32_t i = 0; i < g->params.sms; i++)
		out += g->sm[i].n.flits_out;
	show(s, "\n");
	s->ops->count(s, "icnt_total_pkts_mem_to_simt", "=", in, in, SHOW_64, "\n");
	s->ops->count(s, "icnt_total_pkts_simt_to_mem", "=", out, out, SHOW_64, "\n");
	show_distribution(s, "LD_mem_lat_dist ", 27);
	show_distribution(s, "ST_mem_lat_dist ", 26);
}

/* ---- mode 2 ---------------------------------------------------------------------------------- */

/* A mean over ports too: a third division by their number, in single precision as the others. */
static struct quotient per_port(uint64_t sum, uint64_t cycles, uint32_t ports)
{
	struct quotient q = quotient(sum, cycles);

	q.den *= ports;
	q.shown = (double)((float)q.shown / (float)ports);
	return q;
}

/* Where the two crossbars' lines differ in blanks. */
struct crossbar {
	const char *name, *equals, *after;
	uint32_t inputs, outputs;
};

static void walk_crossbar(struct sink *s, const struct crossbar *x, const struct xbar_counts *c)
{
	uint64_t n = c->cycles;
	char name[64];

#define NAMED(suffix) (snprintf(name, sizeof(name), "%s_" suffix, x->name), name)
	line64(s, NAMED("Network_injected_packets_num"), c->packets);
	line64(s, NAMED("Network_cycles"), n);
	field_real(s, NAMED("Network_injected_packets_per_cycle"), x->equals, F12_4, quotient(c->packets, n),
		x->after);
	field_real(
		s, NAMED("Network_conflicts_per_cycle"), x->equals, F12_4, quotient(c->conflicts, n), "\n");
	line_real(s, NAMED("Network_conflicts_per_cycle_util"), F12_4,
		quotient(c->conflicts_util, c->cycles_util));
	line_real(s, NAMED("Bank_Level_Parallism"), F12_4, quotient(c->reqs_util, c->cycles_util));
	line_real(s, NAMED("Network_in_buffer_full_per_cycle"), F12_4, quotient(c->in_full, n));
	line_real(s, NAMED("Network_in_buffer_avg_util"), F12_4, per_port(c->in_util, n, x->inputs));
	line_real(s, NAMED("Network_out_buffer_full_per_cycle"), F12_4, quotient(c->out_full, n));
	line_real(s, NAMED("Network_out_buffer_avg_util"), F12_4, per_port(c->out_util, n, x->outputs));
#undef NAMED
}

static void walk_crossbars(struct sink *s, const struct gpu *g)
{
	uint32_t clusters = g->params.clusters, subs = memory_sub_partitions(g->mem);
	struct crossbar req = {"Req", " = ", " \n", clusters, subs};
	struct crossbar reply = {"Reply", " =  ", "\n", subs, clusters};
	struct xbar_counts c = net_xbar_counts(g->net, 0);

	walk_crossbar(s, &req, &c);
	show(s, "\n");
	c = net_xbar_counts(g->net, 1);
	walk_crossbar(s, &reply, &c);
}

/* ---- mode 1 ---------------------------------------------------------------------------------- */

#define MAX_LINES 128
#define NAME_CAP  48

struct booksim_line {
	char name[NAME_CAP];
	double value;
};

/* "name = value" of one line of text; false for headings. */
static bool parse_line(struct booksim_line *l, const char *text)
{
	const char *equals = strchr(text, '=');
	size_t n = 0;
	char *end;

	if (!equals || equals == text || equals[1] != ' ')
		return false;
	text += strspn(text, " \t");
	while (text + n < equals && n + 1 < NAME_CAP) {
		l->name[n] = text[n] == ' ' ? '_' : text[n];
		n++;
	}
	while (n && l->name[n - 1] == '_')
		n--;
	l->name[n] = '\0';
	l->value = strtod(equals + 1, &end);
	return n && end != equals + 1;
}

static void note_booksim(struct sink *s, const struct booksim_line *line, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		char name[NAME_CAP + 8];
		unsigned before = 0, same = 0;

		for (unsigned k = 0; k < n; k++) {
			bool equal = !strcmp(line[k].name, line[i].name);

			same += equal;
			before += equal && k < i;
		}
		if (same > 1)
			snprintf(name, sizeof(name), "%s[%u]", line[i].name, before);
		else
			snprintf(name, sizeof(name), "%s", line[i].name);
		note_ratio(s, name, line[i].value, 1, 1);
	}
}

static void collect_booksim(struct sink *s, struct gpu *g)
{
	struct booksim_line *line = xcalloc(MAX_LINES, sizeof(*line));
	unsigned n = 0;
	char *text = NULL, *at, *next;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		die_errno("statistics of the network");
	net_print_booksim(g->net, f);
	if (fclose(f))
		die_errno("statistics of the network");
	for (at = text; at && *at && n < MAX_LINES; at = next) {
		next = strchr(at, '\n');
		if (next)
			*next++ = '\0';
		n += parse_line(&line[n], at);
	}
	note_booksim(s, line, n);
	free(line);
	free(text);
}

void walk_network(struct sink *s, struct gpu *g)
{
	show(s, "----------------------------Interconnect-DETAILS--------------------------------\n");
	if (g->params.net.mode == 2)
		walk_crossbars(s, g);
	else if (collecting(s))
		collect_booksim(s, g);
	else
		net_print_booksim(g->net, s->out);
	show(s, "----------------------------END-of-Interconnect-DETAILS-------------------------\n");
}
