/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements the two arbiters of the local crossbar (NET-islip, NET-rr). Both visit only inputs with a packet
 * and outputs with a request. The results are the same as with a scan over all devices.
 */
#include "bits.h"
#include "crossbar.h"

static void grant_head_by_islip(struct xbar *x, uint32_t o)
{
	uint32_t i = bitset_next_cyclic(&x->requests[(size_t)o * x->in_words], x->in_words, x->pointer[o]);

	xbar_move_head(x, i, o);
	if (x->grant_count == 1)
		x->pointer[o] = i + 1 < x->n_in ? i + 1 : 0;
}

/*
 * quirk Q4-3: an input may send several packets in an advance. After output o has taken the head of an input,
 * the next packet of that input leaves in the same advance if its output has a higher number than o. The loop
 * therefore reads requested_outputs again at each step.
 */
void xbar_arbitrate_islip(struct xbar *x, uint32_t filled)
{
	/* number of inputs whose head requests the same output as the head of a lower-numbered input */
	uint32_t conflict = filled - bitset_count(x->requested_outputs, x->out_words), granted = 0;

	x->n.conflicts += conflict;
	x->n.out_full += x->n_full_outputs;
	for (uint32_t w = 0; w < x->out_words; w++) {
		uint64_t ahead = ~0ull, m;

		while ((m = x->requested_outputs[w] & ahead) != 0) {
			unsigned b = bit_lowest64(m);

			ahead = ~0ull << b << 1;
			if (x->out[w * 64 + b].count >= x->out_limit)
				continue;
			grant_head_by_islip(x, w * 64 + b);
			granted++;
		}
	}
	x->n.conflicts_util += conflict;
	x->n.cycles_util++;
	x->n.reqs_util += granted;
	/* quirk Q4-23: with grant_cycles 0 the counter wraps around and the pointers never move. */
	x->grant_count = x->grant_count == 1 ? x->grant_cycles : x->grant_count - 1;
}

/*
 * Moves the head of input i unless its output is full or in the set `served`. Increments *conflict or
 * *granted.
 */
static void visit_input_round_robin(
	struct xbar *x, uint32_t i, uint64_t *served, uint32_t *conflict, uint32_t *granted)
{
	uint32_t o = port_first_packet(&x->in[i])->output;
	bool again = bitset_test(served, o);

	if (x->out[o].count >= x->out_limit) {
		x->n.out_full++;
		*conflict += again;
	} else if (again) {
		++*conflict;
	} else {
		xbar_move_head(x, i, o);
		bitset_set(served, o);
		++*granted;
	}
}

void xbar_arbitrate_round_robin(struct xbar *x, uint32_t filled)
{
	uint64_t served[BITSET_WORDS(ICNT_PORTS_MAX)] = {0};
	uint32_t first = x->next_node - x->first_node, conflict = 0, granted = 0;

	/* in the scan, devices without an input precede or follow the inputs */
	if (x->next_node < x->first_node || first >= x->n_in)
		first = 0;
	for (uint32_t i = first; filled; filled--) {
		i = bitset_next_cyclic(x->filled, x->in_words, i);
		visit_input_round_robin(x, i, served, &conflict, &granted);
		i = i + 1 < x->n_in ? i + 1 : 0;
	}
	x->next_node = x->next_node + 1 < x->nodes ? x->next_node + 1 : 0;
	x->n.conflicts += conflict;
	x->n.conflicts_util += conflict;
	x->n.cycles_util++;
	x->n.reqs_util += granted;
}
