/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints the figures of network mode 1 (NET-bstat). Numbers have the format of the original's C++ streams.
 *
 * Always true: nothing is cleared between kernels. Each printout covers the run so far. The "overall" part
 * has the averages of all printouts so far. Means without samples are NaN with the sign that x86 gives them.
 * The original also prints tables that map nodes to devices, once at creation; they are omitted here.
 */
#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include "net/book.h"

#define NO_MEAN (-(double)NAN) /* the NaN that x86 computes for 0/0 */

static double mean_or_nan(double a, double b) { return a == 0 && b == 0 ? NO_MEAN : a / b; }

static double sample_mean(const struct book_sample *s) { return mean_or_nan(s->sum, (double)s->count); }

void book_stats_init(struct book_stats *s)
{
	static const struct book_sample none = {.min = (double)NAN, .max = NO_MEAN};

	*s = (struct book_stats){none, none, none, none, none, -1, -1, {.prints = 0}};
}

static void add_sample(struct book_sample *s, double v)
{
	if (!s->count || v > s->max)
		s->max = v;
	if (!s->count || v < s->min)
		s->min = v;
	s->sum += v;
	s->count++;
}

void book_stats_add_flit(struct book_stats *s, const struct book_packet *p, const struct book_flit *f,
	uint32_t hops, uint32_t now)
{
	uint32_t flat = now - f->injected, network_latency = now - p->injected;

	if (s->slowest_flit < 0 || s->flat.max < flat)
		s->slowest_flit = (int32_t)(uint32_t)(p->flit_id + f->index);
	add_sample(&s->flat, flat);
	if (f->index + 1 < p->flits)
		return;
	add_sample(&s->hops, hops);
	/* quirk Q4-28: compares the largest latency with queueing to this packet's latency without it */
	if (s->slowest_packet < 0 || s->packet_latency.max < network_latency)
		s->slowest_packet = (int32_t)(uint32_t)p->id;
	add_sample(&s->packet_latency, now - p->created);
	add_sample(&s->network_latency, network_latency);
	add_sample(&s->fragmentation, now - p->arrived - f->index);
}

/* ---- counts of each node --------------------------------------------------------------------------- */

struct rates {
	uint64_t sum, min, max;
	uint32_t min_at, max_at;
	double mean, low, high;
};

static struct rates node_rates(const struct book_view *v, enum book_count what)
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
	r.mean = mean_or_nan((double)r.sum, time) / (double)v->nodes;
	r.low = mean_or_nan((double)r.min, time);
	r.high = mean_or_nan((double)r.max, time);
	return r;
}

/* ---- printing ---------------------------------------------------------------------------------------- */

/*
 * A printout has a part for the classes and an overall part. The averages, minima and maxima of a class are
 * in both parts. Every other line is in one part. The name of an average therefore appears twice per class,
 * and the names "minimum" and "maximum" appear sixteen times.
 */
#define FIGURES 8u /* number of figures that have an average, a minimum and a maximum */

struct printout {
	const struct book_out *out;
	uint32_t classes; /* number of printed classes */
	uint32_t rank;    /* position of the current class among them */
	bool overall;
	uint32_t n_extreme_pairs; /* number of pairs of minimum and maximum printed so far */
};

static void print_book_heading(const struct printout *p, const char *fmt, uint32_t class)
{
	char text[64];

	snprintf(text, sizeof(text), fmt, class);
	p->out->text(p->out->ctx, text);
}

/* Prints an average, which is in both parts of the printout. */
static void print_average(
	const struct printout *p, const char *name, const char *equals, double value, const char *after)
{
	struct book_name n = {name, equals, p->overall ? p->classes + p->rank : p->rank, 2 * p->classes};

	p->out->real(p->out->ctx, &n, value, after);
}

/* Name of a figure that is in only one part of the printout. */
static struct book_name name_in_one_part(const struct printout *p, const char *name)
{
	return (struct book_name){name, " = ", p->rank, p->classes};
}

static void print_single_real(const struct printout *p, const char *name, double value, const char *after)
{
	struct book_name n = name_in_one_part(p, name);

	p->out->real(p->out->ctx, &n, value, after);
}

static void print_single_count(const struct printout *p, const char *name, int64_t value, const char *after)
{
	struct book_name n = name_in_one_part(p, name);

	p->out->count(p->out->ctx, &n, value, after);
}

static void print_extremes(
	struct printout *p, double low, const char *after_low, double high, const char *after_high)
{
	struct book_name n = {"\tminimum", " = ", p->n_extreme_pairs, 2 * FIGURES * p->classes};

	p->out->real(p->out->ctx, &n, low, after_low);
	n.text = "\tmaximum";
	p->out->real(p->out->ctx, &n, high, after_high);
	p->n_extreme_pairs++;
}

static void print_sample(struct printout *p, const char *name, const struct book_sample *s, double all[3])
{
	print_average(p, name, " = ", sample_mean(s), "\n");
	print_extremes(p, s->min, "\n", s->max, "\n");
	all[0] += sample_mean(s);
	all[1] += s->min;
	all[2] += s->max;
}

static struct rates print_rates(struct printout *p, const char *name, const char *equals,
	const struct book_view *v, enum book_count what, double all[3])
{
	struct rates r = v->count ? node_rates(v, what) : (struct rates){.sum = 0};
	char low[32], high[32];

	snprintf(low, sizeof(low), " (at node %u)\n", r.min_at);
	snprintf(high, sizeof(high), " (at node %u)\n", r.max_at);
	print_average(p, name, equals, r.mean, "\n");
	print_extremes(p, r.low, low, r.high, high);
	all[0] += r.mean;
	all[1] += r.low;
	all[2] += r.high;
	return r;
}

static void print_overall_figure(
	struct printout *p, const char *name, const double all[3], int prints, const char *samples)
{
	print_average(p, name, " = ", all[0] / prints, samples);
	print_extremes(p, all[1] / prints, samples, all[2] / prints, samples);
}

static void print_overall(struct printout *p, const struct book_overall *a, uint32_t class)
{
	char samples[32];

	print_book_heading(p, "====== Traffic class %u ======\n", class);
	snprintf(samples, sizeof(samples), " (%d samples)\n", a->prints);
	print_overall_figure(p, "Packet latency average", a->packet_latency, a->prints, samples);
	print_overall_figure(p, "Network latency average", a->network_latency, a->prints, samples);
	print_overall_figure(p, "Flit latency average", a->flat, a->prints, samples);
	print_overall_figure(p, "Fragmentation average", a->fragmentation, a->prints, samples);
	print_overall_figure(p, "Injected packet rate average", a->sent_packets, a->prints, samples);
	print_overall_figure(p, "Accepted packet rate average", a->received_packets, a->prints, samples);
	print_overall_figure(p, "Injected flit rate average", a->sent_flits, a->prints, samples);
	print_overall_figure(p, "Accepted flit rate average", a->received_flits, a->prints, samples);
	print_single_real(p, "Injected packet size average",
		mean_or_nan(a->sent_flits[0], a->sent_packets[0]), samples);
	print_single_real(p, "Accepted packet size average",
		mean_or_nan(a->received_flits[0], a->received_packets[0]), samples);
	print_single_real(p, "Hops average", a->hops / a->prints, samples);
}

/* Prints the figures of a class. v->count is NULL for classes without packets. */
static void print_class(struct printout *p, struct book_stats *s, const struct book_view *v, uint32_t class)
{
	struct book_overall *a = &s->overall;
	struct rates sent_packets, received_packets, sent_flits, received_flits;
	char measured[48];

	print_book_heading(p, "Class %u:\n", class);
	print_sample(p, "Packet latency average", &s->packet_latency, a->packet_latency);
	print_sample(p, "Network latency average", &s->network_latency, a->network_latency);
	print_single_count(p, "Slowest packet", s->slowest_packet, "\n");
	print_sample(p, "Flit latency average", &s->flat, a->flat);
	print_single_count(p, "Slowest flit", s->slowest_flit, "\n");
	print_sample(p, "Fragmentation average", &s->fragmentation, a->fragmentation);
	a->hops += sample_mean(&s->hops);
	sent_packets =
		print_rates(p, "Injected packet rate average", " = ", v, SENT_PACKETS, a->sent_packets);
	received_packets =
		print_rates(p, "Accepted packet rate average", " = ", v, TAKEN_PACKETS, a->received_packets);
	sent_flits = print_rates(p, "Injected flit rate average", " = ", v, SENT_FLITS, a->sent_flits);
	received_flits =
		print_rates(p, "Accepted flit rate average", "= ", v, TAKEN_FLITS, a->received_flits);
	print_single_real(p, "Injected packet length average",
		mean_or_nan((double)sent_flits.sum, (double)sent_packets.sum), "\n");
	print_single_real(p, "Accepted packet length average",
		mean_or_nan((double)received_flits.sum, (double)received_packets.sum), "\n");
	snprintf(measured, sizeof(measured), " (%" PRIu64 " measured)\n", v->flits);
	print_single_count(p, "Total in-flight flits", (int64_t)v->flits, measured);
	a->prints++;
}

void book_print(struct book_stats *s, const struct book_view *v, const struct book_out *out)
{
	struct book_view no_packets = {.nodes = v->nodes, .time = v->time};
	struct printout p = {.out = out};
	struct book_stats none;

	for (uint32_t c = 0; c < v->classes; c++)
		p.classes += !v->measured || v->measured[c];
	if (v->measured && !v->measured[0])
		s->overall.prints++;
	for (uint32_t c = 0; c < v->classes; c++) {
		book_stats_init(&none);
		if (v->measured && !v->measured[c])
			continue;
		print_class(&p, c ? &none : s, c ? &no_packets : v, c);
		p.rank++;
	}
	out->text(out->ctx, "====== Overall Traffic Statistics ======\n");
	p.overall = true;
	p.rank = 0;
	for (uint32_t c = 0; c < v->classes; c++) {
		if (v->measured && !v->measured[c])
			continue;
		none.overall.prints = s->overall.prints;
		print_overall(&p, c ? &none.overall : &s->overall, c);
		p.rank++;
	}
}

/* ---- source queues -------------- --------------------------------------------------------------------- */

void book_push(struct book_numbers *n, struct book_queue *q, uint32_t req, struct book_packet *p)
{
	assert(p->flits);
	ring_push(&q->packets, req);
	q->flits += p->flits;
	p->id = n->next_packet++;
	p->flit_id = n->next_flit;
	n->next_flit += p->flits;
}
