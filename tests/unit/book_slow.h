/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A network of mode 1 for test_booksim.c: a literal implementation of NET-step and NET-router, with the
 * lists, links and allocator pointers that the model page describes.
 */
#ifndef BOOK_SLOW_H
#define BOOK_SLOW_H

#include <stdbool.h>
#include <string.h>
#include "net/booksim.h"

#define K   12
#define CAP 4096

struct list {
	int at[CAP], n;
};

struct slow_book_flit {
	int req, dest;
	bool head, tail;
};

/* A link: a register `in`, a FIFO of at most two elements, and a register `out`. An empty register is -1. */
struct slow_link {
	int in, fifo[4], n, out;
};

struct slow_net {
	struct list source[K], fifo[K], queue[K], ejection[K], boundary[K];
	struct slow_link inject[K], inject_credit[K], eject[K], eject_credit[K];
	int state[K], output[K], owner[K], down[K], occ_in[K], ejected[K], credits[K], latched[K];
	int vc_grant[K], vc_accept[K], sw_grant[K], sw_accept[K];
	struct list vc, sw, cross, credit_in; /* `cross` is flit * K + output */
	bool active;
	double steps;
};

static struct slow_book_flit flits[1 << 17];
static int n_flits;
static struct slow_net slow[2];

static void append_to_slow_list(struct list *l, int v) { l->at[l->n++ % CAP] = v; }

static int shift_slow_list(struct list *l)
{
	int v = l->at[0];

	memmove(l->at, l->at + 1, (size_t)--l->n * sizeof(l->at[0]));
	return v;
}

static void read_slow_link(struct slow_link *l)
{
	if (l->in >= 0)
		l->fifo[l->n++] = l->in;
	l->in = -1;
}

static void write_slow_link(struct slow_link *l)
{
	l->out = l->n ? l->fifo[0] : -1;
	if (l->n)
		memmove(l->fifo, l->fifo + 1, (size_t)--l->n * sizeof(l->fifo[0]));
}

static void slow_init(struct slow_net *x)
{
	*x = (struct slow_net){.active = false};
	for (int n = 0; n < K; n++) {
		x->inject[n].in = x->inject[n].out = x->inject_credit[n].in = x->inject_credit[n].out = -1;
		x->eject[n].in = x->eject[n].out = x->eject_credit[n].in = x->eject_credit[n].out = -1;
		x->owner[n] = x->latched[n] = -1;
	}
}

static void slow_send_and_eject(struct slow_net *x, const struct booksim_conf *c)
{
	for (int n = 0; n < K; n++) {
		if (x->eject[n].out >= 0)
			append_to_slow_list(&x->ejection[n], x->eject[n].out);
		x->ejected[n] = -1;
		if (x->ejection[n].n && x->boundary[n].n < (int)c->boundary_max) {
			x->ejected[n] = shift_slow_list(&x->ejection[n]);
			append_to_slow_list(&x->boundary[n], x->ejected[n]);
		}
		x->occ_in[n] -= x->inject_credit[n].out >= 0;
	}
	for (int n = 0; n < K; n++) {
		read_slow_link(&x->inject[n]);
		read_slow_link(&x->inject_credit[n]);
		read_slow_link(&x->eject[n]);
		read_slow_link(&x->eject_credit[n]);
		x->latched[n] = x->inject[n].out;
		if (x->eject_credit[n].out >= 0)
			append_to_slow_list(&x->credit_in, n);
		x->active |= x->latched[n] >= 0 || x->credit_in.n;
	}
}

/*
 * Runs one iteration of iSLIP. request[i] is the output that input i requests, or -1. Sets got[i] to the
 * granted output.
 */
static void islip(const int *request, int *got, int *grant, int *accept)
{
	int granted[K];

	for (int o = 0; o < K; o++) {
		granted[o] = -1;
		for (int j = 0; j < K && granted[o] < 0; j++)
			if (request[(grant[o] + j) % K] == o)
				granted[o] = (grant[o] + j) % K;
	}
	for (int i = 0; i < K; i++) {
		got[i] = -1;
		for (int j = 0; j < K && got[i] < 0; j++)
			if (granted[(accept[i] + j) % K] == i)
				got[i] = (accept[i] + j) % K;
		if (got[i] < 0)
			continue;
		grant[got[i]] = (i + 1) % K;
		accept[i] = (got[i] + 1) % K;
	}
}

static void slow_request_vc(struct slow_net *x, int i)
{
	x->state[i] = INPUT_WANTS;
	x->output[i] = flits[x->fifo[i].at[0]].dest;
	append_to_slow_list(&x->vc, i);
}

static void slow_process_inputs(struct slow_net *x)
{
	for (int i = 0; i < K; i++) {
		if (x->latched[i] < 0)
			continue;
		append_to_slow_list(&x->fifo[i], x->latched[i]);
		if (x->state[i] == INPUT_IDLE)
			slow_request_vc(x, i);
		else if (x->state[i] == INPUT_ACTIVE && x->fifo[i].n == 1)
			append_to_slow_list(&x->sw, i);
		x->latched[i] = -1;
	}
	while (x->credit_in.n)
		x->down[shift_slow_list(&x->credit_in)]--;
}

static void slow_cross_switch(struct slow_net *x, int i, int o)
{
	int f = shift_slow_list(&x->fifo[i]);

	x->down[o]++;
	if (flits[f].tail)
		x->owner[o] = -1;
	append_to_slow_list(&x->cross, f * K + o);
	x->credits[i]++;
	if (!x->fifo[i].n)
		x->state[i] = flits[f].tail ? INPUT_IDLE : INPUT_ACTIVE;
	else if (flits[f].tail)
		slow_request_vc(x, i);
	else
		append_to_slow_list(&x->sw, i);
}

static void slow_internal_step(struct slow_net *x, const struct booksim_conf *c)
{
	int vc_want[K], sw_want[K], vc_got[K], sw_got[K], n_vc, n_sw, n_cross;

	if (!x->active)
		return;
	slow_process_inputs(x);
	for (int i = 0; i < K; i++)
		vc_want[i] = sw_want[i] = -1;
	for (int i = 0; i < x->vc.n; i++)
		if (x->owner[x->output[x->vc.at[i]]] < 0)
			vc_want[x->vc.at[i]] = x->output[x->vc.at[i]];
	for (int i = 0; i < x->sw.n; i++)
		if (x->down[x->output[x->sw.at[i]]] < (int)c->buffer)
			sw_want[x->sw.at[i]] = x->output[x->sw.at[i]];
	islip(vc_want, vc_got, x->vc_grant, x->vc_accept);
	islip(sw_want, sw_got, x->sw_grant, x->sw_accept);
	n_vc = x->vc.n;
	n_sw = x->sw.n;
	n_cross = x->cross.n;
	while (n_vc--) {
		int i = shift_slow_list(&x->vc);

		if (vc_got[i] < 0) {
			append_to_slow_list(&x->vc, i);
			continue;
		}
		x->owner[vc_got[i]] = i;
		x->state[i] = INPUT_ACTIVE;
		append_to_slow_list(&x->sw, i);
	}
	while (n_sw--) {
		int i = shift_slow_list(&x->sw);

		if (sw_got[i] < 0)
			append_to_slow_list(&x->sw, i);
		else
			slow_cross_switch(x, i, sw_got[i]);
	}
	while (n_cross--) {
		int e = shift_slow_list(&x->cross);

		append_to_slow_list(&x->queue[e % K], e / K);
	}
	x->active = x->vc.n || x->sw.n || x->cross.n;
}

static void slow_step(struct slow_net *x, const struct booksim_conf *c)
{
	slow_send_and_eject(x, c);
	for (int n = 0; n < K; n++) {
		if (x->source[n].n && x->occ_in[n] < (int)c->buffer) {
			x->inject[n].in = shift_slow_list(&x->source[n]);
			x->occ_in[n]++;
		}
		if (x->ejected[n] >= 0)
			x->eject_credit[n].in = 1;
	}
	for (x->steps += c->speedup; x->steps >= 1; x->steps -= 1)
		slow_internal_step(x, c);
	for (int n = 0; n < K; n++) {
		write_slow_link(&x->inject[n]);
		write_slow_link(&x->inject_credit[n]);
		write_slow_link(&x->eject[n]);
		write_slow_link(&x->eject_credit[n]);
		if (x->queue[n].n)
			x->eject[n].in = shift_slow_list(&x->queue[n]);
		if (x->credits[n]) {
			x->credits[n]--;
			x->inject_credit[n].in = 1;
		}
	}
}

static int slow_pop_packet(struct slow_net *x, int node)
{
	int req = 0, tails = 0;

	for (int i = 0; i < x->boundary[node].n; i++)
		tails += flits[x->boundary[node].at[i]].tail;
	while (tails && !req) {
		int f = shift_slow_list(&x->boundary[node]);

		req = flits[f].tail ? flits[f].req : 0;
	}
	return req;
}

#endif
