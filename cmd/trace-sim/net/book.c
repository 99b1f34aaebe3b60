/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The figures of network mode 1 (NET-bstat), printed as the original's streams print numbers.
 *
 * Always true: nothing is cleared between kernels, so each print shows the run so far, and the overall block
 * averages what was printed up to now. Means without samples are NaN with the sign that the original's
 * machine gives them. Leaves out the tables that map nodes to devices, which are printed once at creation.
 */
#include <inttypes.h>
#include <math.h>
#include "net/book.h"

#define NO_MEAN (-(double)NAN) /* what 0/0 gives on x86 */

static double quotient(double a, double b) { return a == 0 && b == 0 ? NO_MEAN : a / b; }

static double mean(const struct book_sample *s) { return quotient(s->sum, (double)s->count); }

void book_stats_init(struct book_stats *s)
{
	static const struct book_sample none = {.min = (double)NAN, .max = NO_MEAN};

	*s = (struct book_stats){none, none, none, none, none, -1, -1, {.prints = 0}};
}

static void sample(struct book_sample *s, double v)
{
	if (!s->count || v > s->max)
		s->max = v;
	if (!s->count || v < s->min)
		s->min = v;
	s->sum += v;
	s->count++;
}

void book_stats_retire(struct book_stats *s, const struct book_packet *p, const struct book_flit *f,
	uint32_t hops, uint32_t now)
{
	uint32_t flat = now - f->injected, nlat = now - p->injected;

	if (s->slowest_flit < 0 || s->flat.max < flat)
		s->slowest_flit = (int32_t)(uint32_t)(p->flit_id + f->index);
	sample(&s->flat, flat);
	if (f->index + 1 < p->flits)
		return;
	sample(&s->hops, hops);
	/* quirk Q4-28: the largest latency with queueing against this packet's without it. */
	if (s->slowest_packet < 0 || s->plat.max < nlat)
		s->slowest_packet = (int32_t)(uint32_t)p->id;
	sample(&s->plat, now - p->created);
	sample(&s->nlat, nlat);
	sample(&s->frag, now - p->arrived - f->index);
}

/* ---- counts by node ---------------------------------------------------------------------------------- */

struct rates {
	uint64_t sum, min, max;
	uint32_t min_at, max_at;
	double mean, low, high;
};

static struct rates rates(const struct book_view *v, enum book_count what)
{
	struct rates r = {.sum = 0, .min = UINT64_MAX};
	double time = (double)v->time;

	for (uint32_t node = 0; node < v->nodes; node++) {
		uint64_t n = v->count(v->network, what, node);

		if (n < r.min) {
			r.min = n;
			r.min_at = node;
		}
		if (n > r.max) {
			r.max = n;
			r.max_at = node;
		}
		r.sum += n;
	}
	r.mean = quotient((double)r.sum, time) / (double)v->nodes;
	r.low = quotient((double)r.min, time);
	r.high = quotient((double)r.max, time);
	return r;
}

/* ---- printing ---------------------------------------------------------------------------------------- */

static void print_sample(FILE *out, const char *name, const struct book_sample *s, double all[3])
{
	fprintf(out, "%s average = %g\n\tminimum = %g\n\tmaximum = %g\n", name, mean(s), s->min, s->max);
	all[0] += mean(s);
	all[1] += s->min;
	all[2] += s->max;
}

static struct rates print_rates(FILE *out, const char *name, const char *equals, const struct book_view *v,
	enum book_count what, double all[3])
{
	struct rates r = v->count ? rates(v, what) : (struct rates){.sum = 0};

	fprintf(out, "%s average%s%g\n\tminimum = %g (at node %u)\n\tmaximum = %g (at node %u)\n", name,
		equals, r.mean, r.low, r.min_at, r.high, r.max_at);
	all[0] += r.mean;
	all[1] += r.low;
	all[2] += r.high;
	return r;
}

static void print_mean(FILE *out, const char *name, double v, int prints)
{
	fprintf(out, "%s = %g (%d samples)\n", name, v, prints);
}

static void print_three(FILE *out, const char *name, const double all[3], int prints)
{
	fprintf(out, "%s average = %g (%d samples)\n", name, all[0] / prints, prints);
	print_mean(out, "\tminimum", all[1] / prints, prints);
	print_mean(out, "\tmaximum", all[2] / prints, prints);
}

static void print_overall(const struct book_overall *a, uint32_t class, FILE *out)
{
	fprintf(out, "====== Traffic class %u ======\n", class);
	print_three(out, "Packet latency", a->plat, a->prints);
	print_three(out, "Network latency", a->nlat, a->prints);
	print_three(out, "Flit latency", a->flat, a->prints);
	print_three(out, "Fragmentation", a->frag, a->prints);
	print_three(out, "Injected packet rate", a->sent_packets, a->prints);
	print_three(out, "Accepted packet rate", a->taken_packets, a->prints);
	print_three(out, "Injected flit rate", a->sent_flits, a->prints);
	print_three(out, "Accepted flit rate", a->taken_flits, a->prints);
	print_mean(out, "Injected packet size average", quotient(a->sent_flits[0], a->sent_packets[0]),
		a->prints);
	print_mean(out, "Accepted packet size average", quotient(a->taken_flits[0], a->taken_packets[0]),
		a->prints);
	print_mean(out, "Hops average", a->hops / a->prints, a->prints);
}

/* One class; v->count is NULL for those without packets. */
static void print_class(struct book_stats *s, const struct book_view *v, uint32_t class, FILE *out)
{
	struct book_overall *a = &s->all;
	struct rates sent_packets, taken_packets, sent_flits, taken_flits;

	fprintf(out, "Class %u:\n", class);
	print_sample(out, "Packet latency", &s->plat, a->plat);
	print_sample(out, "Network latency", &s->nlat, a->nlat);
	fprintf(out, "Slowest packet = %d\n", s->slowest_packet);
	print_sample(out, "Flit latency", &s->flat, a->flat);
	fprintf(out, "Slowest flit = %d\n", s->slowest_flit);
	print_sample(out, "Fragmentation", &s->frag, a->frag);
	a->hops += mean(&s->hops);
	sent_packets = print_rates(out, "Injected packet rate", " = ", v, SENT_PACKETS, a->sent_packets);
	taken_packets = print_rates(out, "Accepted packet rate", " = ", v, TAKEN_PACKETS, a->taken_packets);
	sent_flits = print_rates(out, "Injected flit rate", " = ", v, SENT_FLITS, a->sent_flits);
	taken_flits = print_rates(out, "Accepted flit rate", "= ", v, TAKEN_FLITS, a->taken_flits);
	fprintf(out, "Injected packet length average = %g\nAccepted packet length average = %g\n",
		quotient((double)sent_flits.sum, (double)sent_packets.sum),
		quotient((double)taken_flits.sum, (double)taken_packets.sum));
	fprintf(out, "Total in-flight flits = %" PRIu64 " (%" PRIu64 " measured)\n", v->flits, v->flits);
	a->prints++;
}

void book_print(struct book_stats *s, const struct book_view *v, FILE *out)
{
	struct book_view nobody = {.nodes = v->nodes, .time = v->time};
	struct book_stats none;

	if (v->measured && !v->measured[0])
		s->all.prints++;
	for (uint32_t c = 0; c < v->classes; c++) {
		book_stats_init(&none);
		if (!v->measured || v->measured[c])
			print_class(c ? &none : s, c ? &nobody : v, c, out);
	}
	fputs("====== Overall Traffic Statistics ======\n", out);
	for (uint32_t c = 0; c < v->classes; c++) {
		if (v->measured && !v->measured[c])
			continue;
		none.all.prints = s->all.prints;
		print_overall(c ? &none.all : &s->all, c, out);
	}
}
