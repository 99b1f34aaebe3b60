/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks of many routers (network mode 1, NET-noc): nodes, channels, and input-queued routers with virtual
 * channels, as in BookSim.
 *
 * A plan (struct noc_plan) lists the routers, channels and nodes of a topology. Both subnets share the plan,
 * and each has its own state. All state is in arrays over global numbers. The ports of a router have
 * consecutive numbers: input or output p of router r is base[r] + p. Virtual channel v of that port is
 * (base[r] + p) * vcs + v. Flits and credits on channels are stored in a wheel of time slots.
 *
 * Always true between two cycles: bit sets have the routers, ports and nodes with work, and only these are
 * visited. Credits bound the buffers, so all queues are allocated before cycle 0. A device accesses only its
 * own node.
 */
#ifndef NOC_H
#define NOC_H

#include <assert.h>
#include "bits.h"
#include "icnt.h"
#include "net/book.h"
#include "net/net.h"
#include "net/noc_random.h"
#include "fifo.h"

/* ---- plans ---------------------------------------------------------------------------------- */

/* flag of a channel end: set if the other bits are a node number, clear if they are a router port */
#define NOC_NODE UINT32_C(0x80000000)

struct noc_end {
	uint32_t other_end; /* other end: a port of a router, or a node number with NOC_NODE */
	uint32_t latency;   /* number of cycles that a flit, or a credit in the other direction, takes */
	/*
	 * outputs only: shortest round trip of a credit, computed from the latency when the output was added
	 */
	uint32_t min_credit_rtt;
	uint32_t sender; /* inputs only: sender that receives the credits */
};

struct noc_plan {
	uint32_t nodes, routers, ports, channels, max_channel_latency, max_router_ports;
	uint32_t *first_port;   /* number of the first port of each router; last: number of ports */
	uint32_t *router_of;    /* router to which each port belongs */
	struct noc_end *in;     /* channel that enters each port */
	struct noc_end *out;    /* channel that leaves each port */
	struct noc_end *inject; /* for each node, the channel to its router */
	uint32_t *eject;        /* for each node, the output port that leads to it */
	uint16_t *table;        /* ways from each router to each node; NULL if computed at each hop */
};

struct noc_builder;

/*
 * Topologies call these functions in BookSim's order, because the ends of a router are numbered as they are
 * added.
 */
void noc_plan_begin(struct noc_builder *b, uint32_t nodes, uint32_t routers, uint32_t channels);
void noc_set_channel_latency(struct noc_builder *b, uint32_t channel, uint32_t cycles);
void noc_set_node_latency(struct noc_builder *b, uint32_t node, uint32_t cycles);
void noc_add_input(struct noc_builder *b, uint32_t router, uint32_t channel);
void noc_add_output(struct noc_builder *b, uint32_t router, uint32_t channel);
void noc_add_input_from_node(struct noc_builder *b, uint32_t router, uint32_t node);
void noc_add_output_to_node(struct noc_builder *b, uint32_t router, uint32_t node);
/* Adds both ends of a node to a router. */
void noc_connect_node(struct noc_builder *b, uint32_t router, uint32_t node);
/*
 * Returns the way from a router to a node, in the encoding of the topology's routings. Depends on its
 * arguments only.
 */
typedef uint16_t noc_toward_fn(const struct icnt *c, uint32_t router, uint32_t node);
/* Makes the table of all ways for noc_way_to_node(), unless there are too many. */
void noc_tabulate_ways(struct noc_builder *b, noc_toward_fn *toward);
/* Returns the plan of a validated network, which the caller frees. */
struct noc_plan *noc_plan_new(const struct icnt *c);
void noc_plan_delete(struct noc_plan *p);
/* Returns the table of the outputs from each router to each node, which the caller frees. */
uint16_t *noc_anynet_table(const struct anynet *a);

/* ---- ways ------------------------------------------------------------------------------------ */

/*
 * A way out of a router: the virtual channels lo to hi of output `port`. A packet requests the way of highest
 * priority first.
 */
struct noc_way {
	uint16_t port, lo, hi;
	int16_t priority;
};

#define NOC_WAYS 2

/* A packet in the network. Packets are indexed by request handle. */
struct noc_packet {
	struct book_packet book;
	uint32_t source;  /* number of the node that sends */
	uint32_t dest;    /* number of the node that receives */
	uint32_t between; /* intermediate node or router of the route */
	uint8_t kind;     /* read request, write request, read reply or write reply */
	int8_t phase; /* stage of the route; its meaning depends on the routing; -1 before the first router */
	uint8_t n_ways;
	uint16_t vc;   /* virtual channel of the head */
	uint16_t hops; /* number of routers that the head has crossed */
	struct noc_way way[NOC_WAYS];
	struct noc_way next; /* with noq: way through the next router, if the output leads to a router */
};

/* Arguments of a routing function. */
struct noc_view {
	const struct icnt *icnt;
	const struct noc_plan *plan;
	const uint32_t *used; /* for each output port, number of flits sent and not credited */
	/*
	 * With immediate_credits a credit is subtracted from `used` before its router steps. A routing
	 * function must see the credit only after that step.
	 */
	const uint32_t *credited;   /* for each output port, 1 + the time of the last credit */
	uint32_t n_routers_stepped; /* number of routers, from 0 on, that have finished or started their step */
	uint32_t now;
	struct noc_random *random;
};

static inline uint32_t noc_way_to_node(
	const struct noc_view *v, uint32_t router, uint32_t node, noc_toward_fn *toward)
{
	const uint16_t *table = v->plan->table;

	return table ? table[(size_t)router * v->plan->nodes + node] : toward(v->icnt, router, node);
}

/* Number of flits sent through an output and not credited, as a routing function should see it. */
static inline uint32_t noc_uncredited_flits(const struct noc_view *v, uint32_t router, uint32_t output)
{
	uint32_t port = v->plan->first_port[router] + output;

	return v->used[port] +
	       (v->credited && router >= v->n_routers_stepped && v->credited[port] == v->now + 1);
}

/* Returns the injection channels of a packet that waits at its node. */
typedef struct noc_way noc_injection_vcs_fn(const struct noc_view *v, const struct noc_packet *p);
/* Computes way[] and n_ways of p, whose head is in channel p->vc of input port `in` of router. */
typedef void noc_route_fn(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in);

struct noc_routing {
	noc_injection_vcs_fn *inject;
	noc_route_fn *route;
	bool reads_used_flits; /* true if the routing reads noc_view.used */
};

extern const struct noc_routing noc_routings[N_ROUTINGS];

#define TOPOLOGY(name, text) void noc_plan_##name(struct noc_builder *b, const struct icnt *c);
#include "arch/network.def"
#define ROUTING(topology, name, need, reads_used_flits, draws, inject, step, text) \
	extern noc_injection_vcs_fn noc_injection_vcs_##inject; \
	extern noc_route_fn noc_route_##step;
#include "arch/network.def"

/* Sets a single way. BookSim keeps only one of several ways of equal priority. */
static inline void noc_set_single_way(struct noc_packet *p, uint32_t port, uint32_t lo, uint32_t hi)
{
	p->way[0] = (struct noc_way){(uint16_t)port, (uint16_t)lo, (uint16_t)hi, 0};
	p->n_ways = 1;
}

/* ---- flits ----------------------------------------------------------------------------------- */

struct noc_flit {
	uint32_t req;
	uint16_t index; /* index of the flit in its packet */
	uint16_t vc;    /* virtual channel of the flit */
	uint32_t injected;
	int32_t priority;
};

/* ---- senders: credit state of downstream buffers ---------------------------------------------- */

/*
 * Credit state of each sender for the buffer at the other end of its channel. Senders are the outputs of all
 * routers, followed by the nodes.
 */
struct noc_policy;

struct noc_senders {
	uint32_t senders, vcs, words, parts;
	uint32_t *used;      /* number of flits sent and not credited, by sender */
	uint32_t *vc_used;   /* number of flits sent and not credited, by sender and channel */
	uint64_t *taken;     /* set of the channels that a packet owns, by sender */
	uint64_t *tail_sent; /* set of the channels whose owner's tail has left, by sender */
	/* shared policies */
	uint32_t *reserved;  /* reserved slots, by sender and channel */
	uint32_t *part_used; /* used slots, by sender and part */
	uint32_t *shared;    /* number of used shared slots, by sender */
	uint32_t *active, *held_max;
	/* feedback policies */
	/* limit on uncredited flits, and mean round trip, by sender and channel */
	int32_t *limit, *round_trip;
	struct ring *sent; /* send times of uncredited flits, by sender and channel */
	uint32_t *sent_slots;
	uint32_t *pending; /* uncredited flits sent before the measured one, by sender and channel */
	const uint32_t *min_credit_rtt;  /* shortest round trip of a credit, by sender */
	const struct noc_policy *policy; /* policy of the buffers; NULL for private */
	bool wait_for_tail;
};

struct noc_policy {
	bool (*full)(const struct icnt *c, const struct noc_senders *m, uint32_t sender, uint32_t vc,
		uint32_t now);
	void (*take)(const struct icnt *c, struct noc_senders *m, uint32_t sender);
	void (*send)(const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, bool tail,
		uint32_t now);
	void (*credit)(
		const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now);
};

extern const struct noc_policy noc_policies[N_POLICIES];

void noc_sender_init(
	struct noc_senders *m, const struct icnt *c, uint32_t senders, const uint32_t *min_credit_rtt);
void noc_sender_free(struct noc_senders *m);

/* Makes a packet the owner of channel vc. */
static inline void noc_sender_assign_vc(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc)
{
	size_t w = (size_t)sender * m->words + vc / 64;

	assert(!(m->taken[w] >> vc % 64 & 1));
	m->taken[w] |= 1ull << vc % 64;
	m->tail_sent[w] &= ~(1ull << vc % 64);
	if (m->policy && m->policy->take)
		m->policy->take(c, m, sender);
}

static inline void noc_sender_count_flit(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, bool tail, uint32_t now)
{
	size_t w = (size_t)sender * m->words + vc / 64;

	m->used[sender]++;
	m->vc_used[(size_t)sender * m->vcs + vc]++;
	if (m->policy)
		m->policy->send(c, m, sender, vc, tail, now);
	if (!tail)
		return;
	if (m->wait_for_tail)
		m->tail_sent[w] |= 1ull << vc % 64;
	else
		m->taken[w] &= ~(1ull << vc % 64);
}

static inline void noc_sender_count_credit(
	const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	uint32_t *vc_used = &m->vc_used[(size_t)sender * m->vcs + vc];

	assert(*vc_used);
	m->used[sender]--;
	--*vc_used;
	if (m->wait_for_tail && !*vc_used && m->tail_sent[(size_t)sender * m->words + vc / 64] >> vc % 64 & 1)
		m->taken[(size_t)sender * m->words + vc / 64] &= ~(1ull << vc % 64);
	if (m->policy)
		m->policy->credit(c, m, sender, vc, now);
}

static inline bool noc_sender_is_full(
	const struct icnt *c, const struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	if (!m->policy)
		return m->vc_used[(size_t)sender * m->vcs + vc] >= c->vc_buffer;
	return m->policy->full(c, m, sender, vc, now);
}

static inline bool noc_sender_is_vc_free(const struct noc_senders *m, uint32_t sender, uint32_t vc)
{
	return !(m->taken[(size_t)sender * m->words + vc / 64] >> vc % 64 & 1);
}

/* ---- allocators ------------------------------------------------------------------------------ */

struct noc_request {
	int32_t label, in_priority, out_priority;
};

struct noc_arbiter;

/*
 * Matches inputs with outputs that they request. Always true between two allocations: the sets have the
 * requests added since the last noc_alloc_clear(). An input or output without requests has no match.
 */
struct noc_alloc {
	struct icnt_alloc kind;
	uint32_t n_in, n_out, in_words, out_words;
	/* set of the inputs that have requests, and set of the outputs that are requested */
	uint64_t *requesting_inputs, *requested_ports;
	uint64_t *wanted_outputs; /* outputs that each input requests (n_in * out_words) */
	uint64_t *wanting_inputs; /* inputs that request each output (n_out * in_words) */
	int32_t *in_match;        /* output matched to each input; -1 if none */
	int32_t *out_match;       /* input matched to each output; -1 if none */
	/* labels of requests (n_in * n_out); NULL if the allocator ignores labels and priorities */
	struct noc_request *request_labels;
	uint32_t *in_pointer, *out_pointer;
	/* islip, pim: outputs that grant each input (n_in * out_words); empty between two allocations */
	uint64_t *granted;
	uint64_t *granted_in; /* inputs with a grant; empty between two allocations */
	int32_t *grant, *scratch;
	uint32_t turn; /* diagonal (wavefront) or input (max_size) that comes first in the next allocation */
	uint32_t n_new_requests; /* number of requests since the last allocation */
	struct noc_arbiter *in_arbiter, *out_arbiter;
	struct wave *waves; /* wavefront: requests in the order of evaluation */
};

/* Initialises an allocator. With `labels`, it stores the labels and priorities of requests. */
void noc_alloc_init(
	struct noc_alloc *a, const struct icnt_alloc *kind, uint32_t n_in, uint32_t n_out, bool labels);
void noc_alloc_free(struct noc_alloc *a);
void noc_alloc_clear(struct noc_alloc *a);
void noc_alloc_add(struct noc_alloc *a, uint32_t in, uint32_t out, struct noc_request ask);
void noc_alloc_run(struct noc_alloc *a, struct noc_random *random);

static inline bool noc_alloc_has_request(const struct noc_alloc *a, uint32_t in, uint32_t out)
{
	return a->wanted_outputs[(size_t)in * a->out_words + out / 64] >> out % 64 & 1;
}

/* noc_arbiter.c: arbiters of separable allocators. */
struct noc_arbiter *noc_arbiters_new(const struct icnt_alloc *kind, uint32_t n, uint32_t size);
void noc_arbiters_delete(struct noc_arbiter *a, uint32_t n);
void noc_arbiter_add(struct noc_arbiter *a, uint32_t which, uint32_t input, int32_t priority);
/* Returns the input that wins, or -1 if there is no request. */
int32_t noc_arbiter_pick(struct noc_arbiter *a, uint32_t which);
void noc_arbiter_won(struct noc_arbiter *a, uint32_t which);
void noc_arbiter_clear(struct noc_arbiter *a, uint32_t which);

/* ---- routers --------------------------------------------------------------------------------- */

enum noc_state { NOC_IDLE, NOC_ROUTING, NOC_WANTS, NOC_ACTIVE };

/* A virtual channel of an input. */
struct noc_vc {
	uint16_t head;  /* first slot of the ring */
	uint16_t count; /* number of flits in the ring */
	uint16_t port;  /* output port that this channel owns when active */
	uint16_t vc;    /* output channel that this channel owns when active */
	uint8_t state;
	/* fields for noc_quick.c only */
	uint8_t in;    /* number of the input port in the router */
	uint8_t in_vc; /* number of the channel in the port */
	uint8_t ways;  /* number of different output ports that the first head requests */
	uint8_t way_port[NOC_WAYS];
	uint16_t input_index;          /* number of this channel in the router: in * vcs + in_vc */
	uint16_t turn;                 /* output channel to consider first */
	struct noc_flit *slot;         /* memory of the ring */
	struct noc_quick_port *input;  /* port of the input channel */
	struct noc_quick_port *output; /* port of the output channel that this channel owns */
	uint64_t *ready;               /* this input's ready set in `output` */
	uint32_t *vc_used;             /* number of uncredited flits of the owned output channel */
	uint64_t requests[NOC_WAYS]; /* for each way of the route, mask of the output channels that it requests */
	int64_t order;               /* position in the list of waiting heads */
	int64_t batch;               /* position in the switch list; equal positions are sorted by `order` */
};

/* Entry of a router's work list: an input virtual channel with the number port * vcs + vc. */
struct noc_entry {
	uint32_t vc;
	int32_t result;
};

/*
 * Ordered list of input channels that need the same kind of work. The first `n_started` entries are processed together
 * until the end of cycle `due_at`. Later entries wait until then.
 */
struct noc_list {
	struct noc_entry *slot;
	uint32_t mask, head, count;
	uint32_t n_started, due_at;
};

struct noc_crossing {
	struct noc_flit flit;
	uint32_t output;
	uint32_t time; /* cycle in which the crossing ends; UINT32_MAX before it begins */
};

struct noc_credit {
	uint32_t port; /* output port that gets the credit */
	uint32_t time; /* cycle in which the router counts the credit */
	uint16_t vc;   /* virtual channel of the port */
};

/* Sets of a router that noc_quick.c models. Channels have the numbers port * vcs + vc. */
struct noc_quick {
	struct noc_vc *vc;                /* channels of the router's inputs */
	struct noc_vc *only_waiting_head; /* channel of the waiting head if exactly one head waits */
	struct noc_vc *next;       /* channel that can cross if there is exactly one; `ready` is then empty */
	uint64_t awaited_outputs;  /* outputs for which heads wait */
	uint64_t free_outputs;     /* outputs with a free channel */
	uint64_t crossing_outputs; /* outputs to which a flit can cross */
	struct noc_quick_port {
		uint64_t crossing_inputs; /* output port: inputs with flits that can cross to it */
		uint64_t free;            /* output port: free channels */
		uint64_t tails;           /* output port: channels whose owner's tail has left */
		/* output port: for each input, channels whose next flit can cross to it */
		uint64_t *ready;
		uint64_t *waiting;       /* output port: input channels whose heads wait for it */
		uint32_t heads;          /* output port: number of heads that wait for it */
		uint32_t next_input;     /* output port: 1 + the input that won last */
		uint32_t in_turn;        /* input port: 1 + the output that it won last */
		uint32_t vc_turn;        /* input port: 1 + the channel that won last */
		uint32_t output_end;     /* output port: other end of the channel */
		uint32_t flit_latency;   /* output port: cycles that a flit takes to `output_end` */
		uint32_t credit_sender;  /* input port: sender that receives the credits */
		uint32_t credit_latency; /* input port: cycles that a credit takes to `credit_sender` */
	} * port;
	uint32_t *turn;     /* by output channel: 1 + the input channel that owned it last */
	uint64_t *sets;     /* memory of the sets of all ports */
	uint32_t set_words; /* number of words in a set of channels */
};

struct noc_router {
	struct noc_quick quick;
	uint32_t first_port, ports, port_words; /* number of words in a set of ports */
	uint32_t id;
	struct noc_list route, vc, sw, hold;
	struct noc_alloc vc_alloc, sw_alloc, spec_alloc;
	uint32_t *next_vc_of_switch_input; /* channel to consider first, by port and input of the switch */
	int32_t *hold_vc;                  /* output channel held for each input; -1 if none */
	int32_t *hold_in;                  /* output held for each input; -1 if none */
	int32_t *hold_out;                 /* input held for each output; -1 if none */
	uint32_t *vc_turn;                 /* piggyback: channel to consider first, by output port */
	struct {
		struct noc_crossing *slot;
		uint32_t mask, head, count;
	} cross;
	struct {
		struct noc_credit *slot;
		uint32_t mask, head, count;
	} credit;
	uint64_t *new_arrivals;     /* inputs with a flit that has just arrived */
	uint64_t *queued;           /* outputs with flits to send */
	uint64_t *crediting_inputs; /* inputs with credits to send */
	uint64_t *credited;         /* inputs that sent a credit in this step */
};

/* ---- subnets --------------------------------------------------------------------------------- */

struct noc_moving {
	uint32_t target; /* input port of a router, or node */
	struct noc_flit flit;
};

struct noc_returning {
	uint32_t sender; /* sender that receives the credit */
	uint32_t vc;
};

/* Flits and credits that arrive in one cycle. */
struct noc_slot {
	struct noc_moving *flit;
	struct noc_returning *credit;
	uint32_t flits, credits;
};

/* State of a node's injection. The packets to inject are in a queue (book.h). */
struct noc_source {
	uint32_t sent; /* number of flits sent of the first packet in the queue */
	uint32_t vc;   /* virtual channel of the first packet in the queue */
	int32_t last_vc;
	uint64_t sent_packets, sent_flits;
};

FIFO(noc_flits, struct noc_flit)

struct noc_sink {
	uint64_t *filled;           /* channels whose ejection buffer is not empty */
	uint64_t *ready;            /* channels with a complete packet */
	struct noc_flits *ejection; /* ejection buffer of each channel */
	struct ring *packets;       /* complete packets of each channel */
	uint32_t *flits;            /* number of flits of each channel in the boundary buffer */
	struct noc_flits unretired; /* flits in the boundary buffer that are not retired */
	uint32_t turn;
	uint64_t received_packets, received_flits;
};

struct noc_subnet {
	struct noc *noc;
	struct noc_senders senders;
	struct noc_router *router;
	struct noc_vc *vc;              /* input channels of all routers, by port and channel */
	struct noc_flit *buffer;        /* memory of the rings of all channels (ports * vcs * buffer_cap) */
	struct noc_flit *arrived_flits; /* flit that has just arrived at each input port */
	struct noc_flits *output;       /* flits to send from each output port */
	struct noc_owed {
		uint16_t *slot;
		uint32_t head, count;
	} * credits_to_send; /* credits to send from each input port, some with NOC_MORE */
	uint64_t *active;    /* set of routers that have work */
	uint64_t *sending;   /* set of routers with flits or credits to send */
	struct noc_slot *wheel;
	struct noc_slot **doubled_wheel; /* pointers to the slots of the wheel, twice in a row */
	struct noc_slot *
		*ahead; /* slots of `doubled_wheel` for flits and credits sent in this cycle, by latency */
	struct noc_packet
		/* packets by request handle; each subnet has its own, because a handle may be in both */
		*packet;
	struct noc_source *source;
	struct book_queue *queue; /* packets to inject, a queue for each node */
	struct noc_sink *sink;
	uint64_t *sending_nodes;     /* set of nodes that may send a flit */
	uint64_t *ejecting;          /* set of nodes with flits to eject */
	uint64_t *ready;             /* set of devices with a complete packet; exact after a cycle */
	uint32_t *device_of;         /* receiving device at each node, numbered from 0 on either side */
	uint64_t flits;              /* number of flits that are not retired */
	uint64_t credits;            /* number of credits on channels or waiting to be sent */
	struct noc_moving *retiring; /* flits that left the network in this cycle */
	uint32_t n_retiring;
	uint64_t cycles_since_arrival; /* number of cycles without an arrival while the subnet has flits */
	struct noc_view view;
	uint32_t *credited;   /* array for noc_view.credited; NULL if not needed */
	uint64_t *link_flits; /* number of flits sent by each sender; NULL if not counted */
};

#define NOC_MORE 0x8000u /* flag of a credit to send: the next credit is sent in the same cycle */
#define NOC_BINS 32

struct noc {
	struct icnt conf;
	struct noc_plan *plan;
	uint32_t clusters, subs;
	uint32_t *node;           /* node of each device */
	struct noc_subnet net[2]; /* requests and replies */
	size_t packets;
	struct noc_random random;
	uint32_t *min_credit_rtt;        /* shortest round trip of a credit, by sender */
	uint32_t buffer_cap, output_cap; /* capacities of rings; powers of two */
	uint32_t wheel_mask;
	uint64_t time;
	double steps;                /* fraction of an internal step left from earlier cycles */
	struct book_numbers numbers; /* next numbers of packets and flits */
	struct book_stats stats;
	struct events *events;        /* event log; NULL if flits are not logged */
	uint64_t latencies[NOC_BINS]; /* number of packets by floor(log2) of their cycles in the network */
	/* copies of the configuration for the cycle loop */
	uint32_t vcs, vc_words, input_speedup, output_speedup;
	uint32_t routing_delay, vc_delay, sw_delay, credit_delay; /* cycles */
	int32_t output_max; /* maximum number of flits in an output queue; -1 if unlimited */
	bool lookahead, noq, speculative, check_free, check_credit, mask_by_requests, hold, shuffle,
		busy_when_full, empty_first;
	bool has_priorities;     /* true if requests have priorities */
	bool has_quick_routers;  /* true if noc_quick.c models the routers */
	bool sleep_until_credit; /* true if a source with a full buffer may sleep until a credit */
	bool immediate_credits;  /* true if a credit is counted when it arrives, not in the router's step */
	/* scratch memory of noc_quick.c, empty between two steps of a router */
	uint64_t all_vcs;
	uint64_t *inputs_granted; /* set of input channels with a grant */
	uint64_t *granted;        /* channels granted to each way of each input channel */
	struct noc_vc **crossing; /* input channels that cross in this step */
};

/*
 * Creates a network and takes over the memory that c owns. `node` is filled by icnt_assign_nodes(). `packets`
 * is the number of request handles. With `quick`, noc_quick.c models the routers if it can.
 */
struct noc *noc_new(
	struct icnt *c, uint32_t clusters, uint32_t subs, const uint32_t *node, size_t packets, bool quick);
void noc_delete(struct noc *n);
/* These functions correspond to functions of net.h and use the same device numbers. */
bool noc_has_buffer(const struct noc *n, uint32_t device, uint32_t bytes);
void noc_push(struct noc *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes, bool write);
bool noc_has_packet(const struct noc *n, uint32_t device);
uint32_t noc_pop(struct noc *n, uint32_t device);
void noc_advance(struct noc *n);
void noc_skip_cycles(struct noc *n, uint64_t k);
bool noc_is_busy(const struct noc *n);
bool noc_is_empty(const struct noc *n);
void noc_print(struct noc *n, const struct book_out *out);
/* Prints which packets wait for which channels, for a network in which no packet arrives any more. */
void noc_stuck_print(const struct noc *n, FILE *out);
void noc_report_write(const struct noc *n, enum net_report form, FILE *out);

/*
 * Runs an internal step of an active router. Returns false if nothing in the router can move before the next
 * arrival.
 */
bool noc_router_step(struct noc *n, struct noc_subnet *s, struct noc_router *r);
/* Delivers the arrivals of a cycle, and runs a step of all active routers. Only with n->quick. */
void noc_quick_deliver(struct noc *n, struct noc_subnet *s);
void noc_quick_step_routers(struct noc *n, struct noc_subnet *s);

#endif
