/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks of many routers (network mode 1, NET-noc): nodes, channels, and input-queued routers with virtual
 * channels, modelled like BookSim's.
 *
 * A plan (struct noc_plan) lists the routers, channels and nodes; each topology makes one. Both subnets share
 * the plan, and each has its own state. All state is in arrays over global numbers. The ports of a router
 * have consecutive numbers: port p of router r is base[r] + p, for inputs and for outputs. Virtual channel v
 * of that port is (base[r] + p) * vcs + v. Flits and credits on channels are stored in a wheel of time slots.
 *
 * Always true between two cycles: bit sets hold the routers, ports and nodes with work, and only these are
 * visited. Credits bound the buffers, so all queues are allocated before cycle 0. A device touches only its
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

#define NOC_NODE \
	UINT32_C(0x80000000) /* flag of a channel end: set for a node number, clear for a port of a router */

struct noc_end {
	uint32_t to; /* other end: input port or NOC_NODE of an output, output port or NOC_NODE of an input */
	uint32_t latency; /* cycles of a flit, and of a credit in the other direction */
	/* outputs: shortest round trip of a credit, computed from the latency when the output was added */
	uint32_t min_credit_rtt;
	uint32_t sender; /* inputs: index of the sender to return credits to (outputs first, then nodes) */
};

struct noc_plan {
	uint32_t nodes, routers, ports, channels, most_latency, most_ports;
	uint32_t *base;           /* by router: number of its first port; last element: number of ports */
	uint32_t *router_of;      /* router of a port */
	struct noc_end *in, *out; /* by port: the channel that enters or leaves it */
	struct noc_end *inject;   /* by node: channel to its input port */
	uint32_t *eject;          /* by node: its output port */
	uint16_t *table; /* routers * nodes: way from a router to a node; NULL: computed at each hop */
};

struct noc_builder;

/*
 * Topologies call these functions in BookSim's order, because the ends of a router are numbered as they are
 * added.
 */
void noc_begin(struct noc_builder *b, uint32_t nodes, uint32_t routers, uint32_t channels);
void noc_latency(struct noc_builder *b, uint32_t channel, uint32_t cycles);
void noc_node_latency(struct noc_builder *b, uint32_t node, uint32_t cycles);
void noc_input(struct noc_builder *b, uint32_t router, uint32_t channel);
void noc_output(struct noc_builder *b, uint32_t router, uint32_t channel);
void noc_from_node(struct noc_builder *b, uint32_t router, uint32_t node);
void noc_to_node(struct noc_builder *b, uint32_t router, uint32_t node);
/* Adds both ends of a node to a router. */
void noc_join_node(struct noc_builder *b, uint32_t router, uint32_t node);
/* Returns the way from a router to a node, in the encoding of the topology's routings. A pure function. */
typedef uint16_t noc_toward_fn(const struct icnt *c, uint32_t router, uint32_t node);
/* Tabulates all ways for noc_way_to_node(), unless there are too many. */
void noc_table(struct noc_builder *b, noc_toward_fn *toward);
/* Returns the plan of a validated network; the caller frees it. */
struct noc_plan *noc_plan_new(const struct icnt *c);
void noc_plan_delete(struct noc_plan *p);
/* Returns a table of outputs by router and node; the caller frees it. */
uint16_t *noc_anynet_table(const struct anynet *a);

/* ---- ways ------------------------------------------------------------------------------------ */

/*
 * Way out of a router: virtual channels lo to hi of output `port`. A packet requests ways of higher priority
 * first.
 */
struct noc_way {
	uint16_t port, lo, hi;
	int16_t priority;
};

#define NOC_WAYS 2

/* A packet in the network, by request handle. */
struct noc_packet {
	struct book_packet book;
	uint32_t source, dest; /* numbers of nodes */
	uint32_t between;      /* intermediate node or router of the route */
	/* class of virtual channels: read requests, write requests, read replies, write replies */
	uint8_t kind;
	int8_t phase; /* -1: not routed yet */
	uint8_t n_ways;
	uint16_t vc;   /* virtual channel of the head */
	uint16_t hops; /* routers that the head has crossed */
	struct noc_way way[NOC_WAYS];
	struct noc_way next; /* noq: way through the next router, if the output leads to a router */
};

/* Arguments of a routing function. */
struct noc_view {
	const struct icnt *c;
	const struct noc_plan *plan;
	const uint32_t *used; /* flits sent and not credited, by output port */
	/*
	 * With immediate_credits a credit is subtracted from `used` before its router steps. A routing
	 * function must see the credit only after that step.
	 */
	const uint32_t *credited; /* 1 + time of the last credit, by output port */
	uint32_t stepped;         /* routers with lower numbers have stepped or started to step */
	uint32_t now;
	struct noc_random *random;
};

static inline uint32_t noc_way_to_node(
	const struct noc_view *v, uint32_t router, uint32_t node, noc_toward_fn *toward)
{
	const uint16_t *table = v->plan->table;

	return table ? table[(size_t)router * v->plan->nodes + node] : toward(v->c, router, node);
}

/* Number of flits sent through an output and not credited, as far as a routing function sees them. */
static inline uint32_t noc_used(const struct noc_view *v, uint32_t router, uint32_t output)
{
	uint32_t port = v->plan->base[router] + output;

	return v->used[port] + (v->credited && router >= v->stepped && v->credited[port] == v->now + 1);
}

/* Returns the injection channels of a packet that waits at its node. */
typedef struct noc_way noc_inject_fn(const struct noc_view *v, const struct noc_packet *p);
/* Computes way[] and n_ways of p, whose head is in channel p->vc of input port `in` of router. */
typedef void noc_route_fn(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in);

struct noc_routing {
	noc_inject_fn *inject;
	noc_route_fn *route;
	bool reads_used_flits; /* the routing reads noc_view.used */
};

extern const struct noc_routing noc_routings[N_ROUTINGS];

#define TOPOLOGY(name, text) void noc_plan_##name(struct noc_builder *b, const struct icnt *c);
#include "arch/network.def"
#define ROUTING(topology, name, need, reads_used_flits, draws, inject, step, text) \
	extern noc_inject_fn noc_inject_##inject; \
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
	uint16_t vc;    /* virtual channel that it is on */
	uint32_t injected;
	int32_t priority;
};

/* ---- senders: credit state of downstream buffers ---------------------------------------------- */

/*
 * Credit state that each sender keeps of the buffer at the other end of its channel. Senders are the outputs
 * of all routers, followed by the nodes.
 */
struct noc_policy;

struct noc_senders {
	uint32_t senders, vcs, words, parts;
	uint32_t *used;      /* by sender: flits sent and not credited */
	uint32_t *vc_used;   /* by sender and channel: flits sent and not credited */
	uint64_t *taken;     /* by sender: channels owned by a packet */
	uint64_t *tail_sent; /* by sender: channels that the tail of their packet has left */
	/* shared policies */
	uint32_t *reserved;  /* by sender and channel */
	uint32_t *part_used; /* by sender and part */
	uint32_t *shared;    /* by sender */
	uint32_t *active, *held_max;
	/* feedback policies */
	int32_t *limit, *round_trip; /* by sender and channel */
	struct ring *sent;           /* by sender and channel: send times of uncredited flits */
	uint32_t *sent_slots;
	uint32_t *pending;               /* by sender and channel */
	const uint32_t *min_credit_rtt;  /* by sender: shortest round trip of a credit */
	const struct noc_policy *policy; /* NULL: private */
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

/* Gives channel vc to a packet. */
static inline void noc_sender_take(const struct icnt *c, struct noc_senders *m, uint32_t sender, uint32_t vc)
{
	size_t w = (size_t)sender * m->words + vc / 64;

	assert(!(m->taken[w] >> vc % 64 & 1));
	m->taken[w] |= 1ull << vc % 64;
	m->tail_sent[w] &= ~(1ull << vc % 64);
	if (m->policy && m->policy->take)
		m->policy->take(c, m, sender);
}

static inline void noc_sender_send(
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

static inline void noc_sender_credit(
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

static inline bool noc_sender_full(
	const struct icnt *c, const struct noc_senders *m, uint32_t sender, uint32_t vc, uint32_t now)
{
	if (!m->policy)
		return m->vc_used[(size_t)sender * m->vcs + vc] >= c->vc_buffer;
	return m->policy->full(c, m, sender, vc, now);
}

static inline bool noc_sender_free_vc(const struct noc_senders *m, uint32_t sender, uint32_t vc)
{
	return !(m->taken[(size_t)sender * m->words + vc / 64] >> vc % 64 & 1);
}

/* ---- allocators ------------------------------------------------------------------------------ */

struct noc_request {
	int32_t label, in_priority, out_priority;
};

struct noc_arbiter;

/*
 * Matches inputs with outputs that they request. Always true between two allocations: the sets hold the
 * requests added since the last noc_alloc_clear(), and inputs and outputs without requests have no match.
 */
struct noc_alloc {
	struct icnt_alloc kind;
	uint32_t n_in, n_out, in_words, out_words;
	/* inputs that have requests, outputs that are requested */
	uint64_t *requesting_inputs, *requested_ports;
	uint64_t *wanted_outputs;      /* by input: outputs that it requests (n_in * out_words) */
	uint64_t *wanting_inputs;      /* by output: inputs that request it (n_out * in_words) */
	int32_t *in_match, *out_match; /* by input and by output: its match; -1: none */
	/* n_in * n_out; NULL if the allocator ignores labels and priorities */
	struct noc_request *request_labels;
	uint32_t *in_pointer, *out_pointer;
	uint64_t *granted;    /* islip, pim: n_in * out_words; zero between two allocations */
	uint64_t *granted_in; /* inputs with a grant; empty between two allocations */
	int32_t *grant, *scratch;
	uint32_t turn, n_new_requests; /* wavefront, max_size */
	struct noc_arbiter *in_arbiter, *out_arbiter;
	struct wave *waves; /* wavefront: requests in order */
};

/* labels: stores the labels and priorities of requests. */
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

/* noc_arbiter.c: for separable allocators. */
struct noc_arbiter *noc_arbiters_new(const struct icnt_alloc *kind, uint32_t n, uint32_t size);
void noc_arbiters_delete(struct noc_arbiter *a, uint32_t n);
void noc_arbiter_add(struct noc_arbiter *a, uint32_t which, uint32_t input, int32_t priority);
/* Returns the winner; -1 without a request. */
int32_t noc_arbiter_pick(struct noc_arbiter *a, uint32_t which);
void noc_arbiter_won(struct noc_arbiter *a, uint32_t which);
void noc_arbiter_clear(struct noc_arbiter *a, uint32_t which);

/* ---- routers --------------------------------------------------------------------------------- */

enum noc_state { NOC_IDLE, NOC_ROUTING, NOC_WANTS, NOC_ACTIVE };

/* A virtual channel of an input. */
struct noc_vc {
	uint16_t head, count; /* ring of flits */
	uint16_t port, vc;    /* output channel that it owns, when active */
	uint8_t state;
	/* used by noc_quick.c only */
	uint8_t in, in_vc; /* input port of the router, and channel of that port */
	uint8_t ways;      /* number of different output ports that the head at the front requests */
	uint8_t way_port[NOC_WAYS];
	uint16_t input_index;          /* number of the input channel in the router: in * vcs + in_vc */
	uint16_t turn;                 /* output channel to consider first */
	struct noc_flit *slot;         /* slots of the ring */
	struct noc_quick_port *input;  /* port of the input channel */
	struct noc_quick_port *output; /* port of the channel that it owns */
	uint64_t *ready;               /* `output`'s ready set for this input */
	uint32_t *vc_used;             /* uncredited flits of the channel that it owns */
	uint64_t requests[NOC_WAYS];   /* by way: requested channels of the port */
	int64_t order;                 /* position in the list of waiting heads */
	int64_t batch; /* position in the switch list; equal positions are sorted by `order` */
};

/* Entry of a router's work lists: an input virtual channel, as port * vcs + vc. */
struct noc_entry {
	uint32_t vc;
	int32_t result;
};

/*
 * Ordered list of input channels that need the same kind of work. The first `begun` entries were evaluated
 * together and complete at the end of cycle `due`. Later entries wait for them.
 */
struct noc_list {
	struct noc_entry *slot;
	uint32_t mask, head, count;
	uint32_t begun, due;
};

struct noc_crossing {
	struct noc_flit flit;
	uint32_t output;
	uint32_t time; /* UINT32_MAX: not begun */
};

struct noc_credit {
	uint32_t port, time;
	uint16_t vc;
};

/* Sets of a router of noc_quick.c. Its channels are numbered port * vcs + vc. */
struct noc_quick {
	struct noc_vc *vc; /* channels of its inputs */
	/* channel of the waiting head if there is exactly one; `waiting` is then empty */
	struct noc_vc *lone_head;
	struct noc_vc *next; /* the channel that can cross if there is exactly one; `ready` is then empty */
	uint64_t awaited_outputs;  /* outputs for which heads wait */
	uint64_t free_outputs;     /* outputs with a free channel */
	uint64_t crossing_outputs; /* outputs to which a flit can cross */
	struct noc_quick_port {
		uint64_t crossing_inputs; /* output: inputs with flits that can cross to it */
		uint64_t free;            /* output: free channels */
		uint64_t tails;           /* output: channels that the tail of their packet has left */
		uint64_t *ready;          /* output: by input, channels that can send their next flit there */
		uint64_t *waiting;        /* output: channels of inputs whose heads wait for it */
		uint32_t heads;           /* output: number of heads that wait for it */
		uint32_t out_turn; /* output: 1 + the input that won last; the search for a winner starts there */
		uint32_t in_turn;        /* input: 1 + the output that it won last */
		uint32_t vc_turn;        /* input: 1 + the channel that won last */
		uint32_t to;             /* output: other end of the channel */
		uint32_t flit_latency;   /* output: cycles until a flit reaches `to` */
		uint32_t from;           /* input: sender to which credits return */
		uint32_t credit_latency; /* input: cycles until a credit reaches `from` */
	} * port;
	/* by output channel: 1 + the input channel that owned it last, where the next search starts */
	uint32_t *turn;
	uint64_t *sets; /* memory of the sets of all ports */
	uint32_t words; /* words of a set of channels */
};

struct noc_router {
	struct noc_quick quick;
	uint32_t base, ports, words; /* words of a set of ports */
	uint32_t id;
	struct noc_list route, vc, sw, hold;
	struct noc_alloc vc_alloc, sw_alloc, spec_alloc;
	uint32_t *sw_turn; /* by port and input of the switch: channel to consider first */
	int32_t *hold_vc, *hold_in, *hold_out; /* -1: none */
	uint32_t *vc_turn;                     /* piggyback, by output port: channel to consider first */
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
	uint32_t to; /* input port or node */
	struct noc_flit flit;
};

struct noc_returning {
	uint32_t to; /* sender that receives the credit */
	uint32_t vc;
};

/* Arrivals of one cycle. */
struct noc_slot {
	struct noc_moving *flit;
	struct noc_returning *credit;
	uint32_t flits, credits;
};

/* Injection state of a node; its packets are in a queue (book.h). */
struct noc_source {
	uint32_t sent; /* flits of the first packet already sent */
	uint32_t vc;   /* virtual channel of that packet */
	int32_t last_vc;
	uint64_t sent_packets, sent_flits;
};

FIFO(noc_flits, struct noc_flit)

struct noc_sink {
	uint64_t *filled;           /* channels whose ejection buffer is not empty */
	uint64_t *ready;            /* channels with a complete packet */
	struct noc_flits *ejection; /* by channel */
	struct ring *packets;       /* by channel: complete packets */
	uint32_t *flits;            /* by channel: flits in the boundary buffer */
	struct noc_flits unretired; /* flits in the boundary buffer, not retired */
	uint32_t turn;
	uint64_t taken_packets, taken_flits;
};

struct noc_subnet {
	struct noc *noc;
	struct noc_senders senders;
	struct noc_router *router;
	struct noc_vc *vc;        /* by input port and channel */
	struct noc_flit *buffer;  /* rings of all channels: ports * vcs * buffer_cap */
	struct noc_flit *latch;   /* by input port: the flit that has just arrived */
	struct noc_flits *output; /* by output port: flits to send */
	struct noc_owed {
		uint16_t *slot;
		uint32_t head, count;
	} * owed;          /* by port: credits to send; NOC_MORE: the next credit is sent in the same cycle */
	uint64_t *active;  /* set of routers that have work */
	uint64_t *sending; /* routers with flits or credits to send */
	struct noc_slot *wheel;
	struct noc_slot **wheel_twice; /* pointers to the slots of the wheel, twice in a row */
	struct noc_slot *
		*ahead; /* part of `round` for this cycle: by latency, slot for flits and credits sent now */
	struct noc_packet
		*packet; /* by request handle; one array per subnet, because a handle may be in both */
	struct noc_source *source;
	struct book_queue *queue; /* by node: packets to inject */
	struct noc_sink *sink;
	uint64_t *sending_nodes; /* nodes that may send a flit */
	uint64_t *ejecting;      /* nodes with flits to eject */
	uint64_t *ready;         /* devices with a complete packet; exact after a cycle */
	uint32_t *device_of;     /* by node: device that receives packets there, numbered from 0 per side */
	uint64_t flits;          /* flits that are not retired */
	uint64_t credits;        /* credits on channels or waiting to be sent */
	struct noc_moving *retiring; /* flits that left nodes in this cycle */
	uint32_t n_retiring;
	uint64_t cycles_since_arrival; /* cycles since the last flit arrived, while the subnet holds flits */
	struct noc_view view;
	uint32_t *credited;   /* see noc_view.credited; NULL: the routing does not read noc_view.used */
	uint64_t *link_flits; /* by sender: flits sent; NULL: not counted */
};

#define NOC_MORE 0x8000u
#define NOC_BINS 32

struct noc {
	struct icnt conf;
	struct noc_plan *plan;
	uint32_t clusters, subs;
	uint32_t *node; /* node of a device */
	struct noc_subnet net[2];
	size_t packets;
	struct noc_random random;
	uint32_t *min_credit_rtt;        /* by sender: shortest round trip of a credit */
	uint32_t buffer_cap, output_cap; /* powers of two */
	uint32_t wheel_mask;
	uint64_t time;
	double steps; /* fraction of an internal step carried over */
	struct book_numbers numbers;
	struct book_stats stats;
	struct events *events;        /* NULL: flits are not logged */
	uint64_t latencies[NOC_BINS]; /* packets by floor(log2) of cycles in the network */
	/* copies of the configuration for the cycle loop */
	uint32_t vcs, vc_words, input_speedup, output_speedup;
	uint32_t routing_delay, vc_delay, sw_delay, credit_delay; /* cycles */
	int32_t output_max;                                       /* -1: none */
	bool lookahead, noq, speculative, check_free, check_credit, mask_by_requests, hold, shuffle,
		busy_when_full, empty_first;
	bool priorities; /* requests have priorities */
	bool quick; /* noc_quick.c models the routers: a flit that leaves an input is on its channel immediately */
	/* a source with a full buffer draws no random number before a credit arrives */
	bool sleep_until_credit;
	bool immediate_credits; /* credits are counted when they arrive, not in their router's step */
	/* scratch of noc_quick.c, empty between two steps of a router */
	uint64_t all_vcs;
	uint64_t *inputs_granted; /* input channels with a grant */
	uint64_t *granted;        /* by input channel and way: granted channels */
	struct noc_vc **crossing; /* input channels that cross */
};

/*
 * Creates a network and takes over the memory that c owns. node: filled by icnt_assign_nodes(). packets: number of
 * request handles. quick: allows the routers of noc_quick.c if they can model the network.
 */
struct noc *noc_new(
	struct icnt *c, uint32_t clusters, uint32_t subs, const uint32_t *node, size_t packets, bool quick);
void noc_delete(struct noc *n);
/* Like the functions of net.h, with the same device numbers. */
bool noc_has_buffer(const struct noc *n, uint32_t device, uint32_t bytes);
void noc_push(struct noc *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes, bool write);
bool noc_has_packet(const struct noc *n, uint32_t device);
uint32_t noc_pop(struct noc *n, uint32_t device);
void noc_advance(struct noc *n);
void noc_skip_cycles(struct noc *n, uint64_t k);
bool noc_busy(const struct noc *n);
bool noc_empty(const struct noc *n);
void noc_print(struct noc *n, const struct book_out *out);
/* Prints which packets wait for which channels, for a network in which packets no longer arrive. */
void noc_stuck(const struct noc *n, FILE *out);
void noc_report(const struct noc *n, enum net_report form, FILE *out);

/* Runs an internal step of an active router; returns false if nothing can move in it before an arrival. */
bool noc_router_step(struct noc *n, struct noc_subnet *s, struct noc_router *r);
/* With n->quick: delivers the arrivals of a cycle, and steps all active routers. */
void noc_quick_deliver(struct noc *n, struct noc_subnet *s);
void noc_quick_routers(struct noc *n, struct noc_subnet *s);

#endif
