/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Networks of many routers (network mode 1, NET-noc): nodes, channels, and input-queued routers with virtual
 * channels, as BookSim has them.
 *
 * A plan (struct noc_plan) says how routers, channels and nodes lie; each topology makes one. Both subnets
 * have the same plan and their own state. Everything is an array over global numbers: a router's ports follow
 * each other, so that port p of router r is base[r] + p, on the input side as on the output side; its virtual
 * channel v is (base[r] + p) * vcs + v. What is under way on channels stands in a wheel of time slots.
 *
 * Always true between two cycles: sets hold who has work, and nobody else is visited; buffers are bounded by
 * credits, so that all queues have their places before cycle 0. A device touches only its own node.
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

/* ---- how a network lies ------------------------------------------------------------------------------- */

#define NOC_NODE UINT32_C(0x80000000) /* an end of a channel: this bit and the node, or a port of a router */

struct noc_end {
	uint32_t to; /* output: input port or NOC_NODE; input: output port or NOC_NODE that it comes from */
	uint32_t latency; /* cycles, of flits one way and credits the other */
	uint32_t least; /* outputs: shortest way round of a credit, as BookSim knew it when it joined them */
	uint32_t room;  /* inputs: that credits go to: of an output, or behind all of these of a node */
};

struct noc_plan {
	uint32_t nodes, routers, ports, channels, most_latency, most_ports;
	uint32_t *base;           /* routers + 1 */
	uint32_t *router_of;      /* of a port */
	struct noc_end *in, *out; /* ports */
	struct noc_end *inject;   /* nodes: the input port behind */
	uint32_t *eject;          /* nodes: the output port before */
	uint16_t *table; /* routers * nodes: ways of routers towards nodes; NULL: found at each hop */
};

struct noc_builder;

/* For topologies, in BookSim's order of joining: ends of a router are numbered as they are added. */
void noc_begin(struct noc_builder *b, uint32_t nodes, uint32_t routers, uint32_t channels);
void noc_latency(struct noc_builder *b, uint32_t channel, uint32_t cycles);
void noc_node_latency(struct noc_builder *b, uint32_t node, uint32_t cycles);
void noc_input(struct noc_builder *b, uint32_t router, uint32_t channel);
void noc_output(struct noc_builder *b, uint32_t router, uint32_t channel);
void noc_from_node(struct noc_builder *b, uint32_t router, uint32_t node);
void noc_to_node(struct noc_builder *b, uint32_t router, uint32_t node);
/* Both of these. */
void noc_join_node(struct noc_builder *b, uint32_t router, uint32_t node);
/* The way of a router towards a node, as a topology's routings number ways; a pure function. */
typedef uint16_t noc_toward_fn(const struct icnt *c, uint32_t router, uint32_t node);
/* All ways are found at once, for noc_toward, unless there are too many. */
void noc_table(struct noc_builder *b, noc_toward_fn *toward);
/* The plan of a judged network. Owned by the caller. */
struct noc_plan *noc_plan_new(const struct icnt *c);
void noc_plan_delete(struct noc_plan *p);
/* Outputs of all routers for all nodes; owned by the caller. */
uint16_t *noc_anynet_table(const struct anynet *a);

/* ---- ways ------------------------------------------------------------------------------------ */

/* Virtual channels lo to hi of an output. A packet asks for those of higher priority first. */
struct noc_way {
	uint16_t port, lo, hi;
	int16_t priority;
};

#define NOC_WAYS 2

/* A packet under way, by request handle. */
struct noc_packet {
	struct book_packet book;
	uint32_t source, dest; /* nodes */
	uint32_t between;      /* node or router that it goes to first */
	uint8_t kind;          /* class of virtual channels: read, write requests, read, write replies */
	int8_t phase;          /* -1: not routed yet */
	uint8_t n_ways;
	uint16_t vc;   /* in which the head is */
	uint16_t hops; /* of the head */
	struct noc_way way[NOC_WAYS];
	struct noc_way next; /* noq: its way through the router after this one, if there is one */
};

/* What a routing looks at. */
struct noc_view {
	const struct icnt *c;
	const struct noc_plan *plan;
	const uint32_t *used; /* flits sent and not credited, by output port */
	/*
	 * Where credits count before their router has stepped: one more than when the last came, by output
	 * port; how many routers have stepped, in the order of their numbers, or begun to. To a routing it
	 * counts from then on.
	 */
	const uint32_t *credited;
	uint32_t stepped, now;
	struct noc_random *random;
};

static inline uint32_t noc_toward(
	const struct noc_view *v, uint32_t router, uint32_t node, noc_toward_fn *toward)
{
	const uint16_t *table = v->plan->table;

	return table ? table[(size_t)router * v->plan->nodes + node] : toward(v->c, router, node);
}

/* Flits sent and not credited behind an output of a router, as a routing is to know it. */
static inline uint32_t noc_used(const struct noc_view *v, uint32_t router, uint32_t output)
{
	uint32_t port = v->plan->base[router] + output;

	return v->used[port] + (v->credited && router >= v->stepped && v->credited[port] == v->now + 1);
}

/* First channels for a packet that waits at its node. */
typedef struct noc_way noc_inject_fn(const struct noc_view *v, const struct noc_packet *p);
/* The ways of p, whose head is in channel p->vc of input port `in` of router: fills way[] and n_ways. */
typedef void noc_route_fn(const struct noc_view *v, struct noc_packet *p, uint32_t router, uint32_t in);

struct noc_routing {
	noc_inject_fn *inject;
	noc_route_fn *route;
	bool looks; /* at noc_view.used */
};

extern const struct noc_routing noc_routings[N_ROUTINGS];

#define TOPOLOGY(name, text) void noc_plan_##name(struct noc_builder *b, const struct icnt *c);
#include "arch/network.def"
#define ROUTING(topology, name, need, looks, draws, inject, step, text) \
	extern noc_inject_fn noc_inject_##inject; \
	extern noc_route_fn noc_route_##step;
#include "arch/network.def"

/* One way; a second of the same priority is lost, as in BookSim's set of ways. */
static inline void noc_one_way(struct noc_packet *p, uint32_t port, uint32_t lo, uint32_t hi)
{
	p->way[0] = (struct noc_way){(uint16_t)port, (uint16_t)lo, (uint16_t)hi, 0};
	p->n_ways = 1;
}

/* ---- flits ----------------------------------------------------------------------------------- */

struct noc_flit {
	uint32_t req;
	uint16_t index, vc; /* in the packet; virtual channel of the channel that it is on */
	uint32_t injected;
	int32_t priority;
};

/* ---- room behind outputs --------------------------------------------------------------------- */

/*
 * What an output (or a node, in front of the network) knows of the buffer behind it. Rooms: outputs of all
 * routers, then nodes.
 */
struct noc_policy;

struct noc_room {
	uint32_t rooms, vcs, words, parts;
	uint32_t *used;      /* rooms: flits sent and not credited */
	uint32_t *vc_used;   /* rooms * vcs */
	uint64_t *taken;     /* rooms * words: channels that belong to a packet */
	uint64_t *tail_sent; /* the same: its tail has left */
	/* shared policies */
	uint32_t *reserved;  /* rooms * vcs */
	uint32_t *part_used; /* rooms * parts */
	uint32_t *shared;    /* rooms */
	uint32_t *active, *held_max;
	/* feedback policies */
	int32_t *limit, *round_trip; /* rooms * vcs */
	struct ring *sent;           /* rooms * vcs: when flits were sent */
	uint32_t *sent_slots;
	uint32_t *pending;               /* rooms * vcs */
	const uint32_t *least;           /* rooms: shortest way round */
	const struct noc_policy *policy; /* NULL: private */
	bool wait_for_tail;
};

struct noc_policy {
	bool (*full)(
		const struct icnt *c, const struct noc_room *m, uint32_t room, uint32_t vc, uint32_t now);
	void (*take)(const struct icnt *c, struct noc_room *m, uint32_t room);
	void (*send)(const struct icnt *c, struct noc_room *m, uint32_t room, uint32_t vc, bool tail,
		uint32_t now);
	void (*credit)(const struct icnt *c, struct noc_room *m, uint32_t room, uint32_t vc, uint32_t now);
};

extern const struct noc_policy noc_policies[N_POLICIES];

void noc_room_init(struct noc_room *m, const struct icnt *c, uint32_t rooms, const uint32_t *least);
void noc_room_free(struct noc_room *m);

/* A packet takes a channel; a flit is sent into it; a credit comes back. */
static inline void noc_room_take(const struct icnt *c, struct noc_room *m, uint32_t room, uint32_t vc)
{
	size_t w = (size_t)room * m->words + vc / 64;

	assert(!(m->taken[w] >> vc % 64 & 1));
	m->taken[w] |= 1ull << vc % 64;
	m->tail_sent[w] &= ~(1ull << vc % 64);
	if (m->policy && m->policy->take)
		m->policy->take(c, m, room);
}

static inline void noc_room_send(
	const struct icnt *c, struct noc_room *m, uint32_t room, uint32_t vc, bool tail, uint32_t now)
{
	size_t w = (size_t)room * m->words + vc / 64;

	m->used[room]++;
	m->vc_used[(size_t)room * m->vcs + vc]++;
	if (m->policy)
		m->policy->send(c, m, room, vc, tail, now);
	if (!tail)
		return;
	if (m->wait_for_tail)
		m->tail_sent[w] |= 1ull << vc % 64;
	else
		m->taken[w] &= ~(1ull << vc % 64);
}

static inline void noc_room_credit(
	const struct icnt *c, struct noc_room *m, uint32_t room, uint32_t vc, uint32_t now)
{
	uint32_t *vc_used = &m->vc_used[(size_t)room * m->vcs + vc];

	assert(*vc_used);
	m->used[room]--;
	--*vc_used;
	if (m->wait_for_tail && !*vc_used && m->tail_sent[(size_t)room * m->words + vc / 64] >> vc % 64 & 1)
		m->taken[(size_t)room * m->words + vc / 64] &= ~(1ull << vc % 64);
	if (m->policy)
		m->policy->credit(c, m, room, vc, now);
}

static inline bool noc_room_full(
	const struct icnt *c, const struct noc_room *m, uint32_t room, uint32_t vc, uint32_t now)
{
	if (!m->policy)
		return m->vc_used[(size_t)room * m->vcs + vc] >= c->vc_buffer;
	return m->policy->full(c, m, room, vc, now);
}

static inline bool noc_room_free_vc(const struct noc_room *m, uint32_t room, uint32_t vc)
{
	return !(m->taken[(size_t)room * m->words + vc / 64] >> vc % 64 & 1);
}

/* ---- allocators ------------------------------------------------------------------------------ */

struct noc_ask {
	int32_t label, in_priority, out_priority;
};

struct noc_arbiter;

/*
 * Matches inputs with outputs that they ask for. Always true between two allocations: what is in the sets was
 * asked since the last noc_alloc_clear; inputs and outputs without requests have no match.
 */
struct noc_alloc {
	struct icnt_alloc kind;
	uint32_t n_in, n_out, in_words, out_words;
	uint64_t *in_busy, *out_busy;  /* with requests */
	uint64_t *in_want;             /* n_in * out_words */
	uint64_t *out_want;            /* n_out * in_words */
	int32_t *in_match, *out_match; /* -1: none */
	struct noc_ask *ask;           /* n_in * n_out; NULL where labels and priorities do not matter */
	uint32_t *in_pointer, *out_pointer;
	uint64_t *granted;    /* islip, pim: n_in * out_words; zero between two allocations */
	uint64_t *granted_in; /* inputs with a grant; likewise */
	int32_t *grant, *scratch;
	uint32_t turn, asks; /* wavefront, max_size */
	struct noc_arbiter *in_arbiter, *out_arbiter;
	struct wave *waves; /* wavefront: requests in order */
};

/* labels: requests have labels or priorities that are asked for later. */
void noc_alloc_init(
	struct noc_alloc *a, const struct icnt_alloc *kind, uint32_t n_in, uint32_t n_out, bool labels);
void noc_alloc_free(struct noc_alloc *a);
void noc_alloc_clear(struct noc_alloc *a);
void noc_alloc_add(struct noc_alloc *a, uint32_t in, uint32_t out, struct noc_ask ask);
void noc_alloc_run(struct noc_alloc *a, struct noc_random *random);

static inline bool noc_alloc_asked(const struct noc_alloc *a, uint32_t in, uint32_t out)
{
	return a->in_want[(size_t)in * a->out_words + out / 64] >> out % 64 & 1;
}

/* noc_arbiter.c: for separable allocators. */
struct noc_arbiter *noc_arbiters_new(const struct icnt_alloc *kind, uint32_t n, uint32_t size);
void noc_arbiters_delete(struct noc_arbiter *a, uint32_t n);
void noc_arbiter_add(struct noc_arbiter *a, uint32_t which, uint32_t input, int32_t priority);
/* The winner, or -1 without a request. */
int32_t noc_arbiter_pick(struct noc_arbiter *a, uint32_t which);
void noc_arbiter_won(struct noc_arbiter *a, uint32_t which);
void noc_arbiter_clear(struct noc_arbiter *a, uint32_t which);

/* ---- routers --------------------------------------------------------------------------------- */

enum noc_state { NOC_IDLE, NOC_ROUTING, NOC_WANTS, NOC_ACTIVE };

/* A virtual channel of an input. */
struct noc_vc {
	uint16_t head, count; /* ring of flits */
	uint16_t port, vc;    /* that it owns, when active */
	uint8_t state;
	uint8_t in, in_vc; /* input port of the router, and channel of that; the rest: noc_quick.c */
	uint8_t ways;      /* of the head at the front: different ports */
	uint8_t way_port[NOC_WAYS];
	uint16_t at;                           /* in * vcs + in_vc */
	uint16_t turn;                         /* output channel of the router that is next for it */
	struct noc_flit *slot;                 /* the ring */
	struct noc_quick_port *input, *output; /* its own, and that it owns a channel of */
	uint64_t *ready;                       /* of that output: of the input */
	uint32_t *room;                        /* flits behind the channel that it owns */
	uint64_t asks[NOC_WAYS];               /* channels of the ports */
	int64_t order;                         /* heads that wait stand in this one */
	int64_t batch;                         /* those with an output in this one, then that */
};

/* An entry of a router's lists: an input and virtual channel, as port * vcs + vc. */
struct noc_entry {
	uint32_t vc;
	int32_t result;
};

/*
 * Work of one kind, in order. The first `begun` entries have been evaluated together and are done at the end
 * of cycle `due`; those behind wait for them.
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

/* noc_quick.c: a router's sets. Channels of it are numbered port * vcs + vc. */
struct noc_quick {
	struct noc_vc *vc;   /* of its inputs */
	struct noc_vc *lone; /* the only head that waits, if there is but one; then `waiting` is empty */
	struct noc_vc *next; /* the only channel that could cross, if there is but one; then `ready` is empty */
	uint64_t asked;      /* outputs that heads wait for */
	uint64_t open;       /* outputs with a channel that is nobody's */
	uint64_t wanted;     /* outputs that a flit could cross to */
	struct noc_quick_port {
		uint64_t wants;    /* output: inputs with flits that could cross to it */
		uint64_t free;     /* output: channels that are nobody's */
		uint64_t tails;    /* output: channels whose packet's tail has left */
		uint64_t *ready;   /* output: by input, channels that could send their next flit there */
		uint64_t *waiting; /* output: channels of inputs whose heads wait for it */
		uint32_t heads;    /* output: that wait for it */
		uint32_t out_turn; /* output: the input that is next, one more than the last that won, as below */
		uint32_t in_turn;       /* input: the output that is next */
		uint32_t vc_turn;       /* input: its channel that is next */
		uint32_t to, to_in;     /* output: the other end, and steps until a flit is there */
		uint32_t from, from_in; /* input: the room that credits go to, and cycles */
	} * port;
	uint32_t *turn; /* output channels: one more than the input channel that had it last, which is next */
	uint64_t *sets; /* of all ports */
	uint32_t words; /* of a set of channels */
};

struct noc_router {
	struct noc_quick quick;
	uint32_t base, ports, words; /* words of a set of ports */
	uint32_t id;
	struct noc_list route, vc, sw, hold;
	struct noc_alloc vc_alloc, sw_alloc, spec_alloc;
	uint32_t *sw_turn;                     /* ports * input speedup */
	int32_t *hold_vc, *hold_in, *hold_out; /* -1: none */
	uint32_t *vc_turn;                     /* piggyback: ports */
	struct {
		struct noc_crossing *slot;
		uint32_t mask, head, count;
	} cross;
	struct {
		struct noc_credit *slot;
		uint32_t mask, head, count;
	} credit;
	uint64_t *latched;  /* inputs with a flit that has just come */
	uint64_t *queued;   /* outputs with flits to send */
	uint64_t *owing;    /* inputs with credits to send */
	uint64_t *credited; /* inputs that sent a credit in this step */
};

/* ---- subnets --------------------------------------------------------------------------------- */

struct noc_moving {
	uint32_t to; /* input port or node */
	struct noc_flit flit;
};

struct noc_returning {
	uint32_t to; /* room */
	uint32_t vc;
};

/* What arrives in one cycle. */
struct noc_slot {
	struct noc_moving *flit;
	struct noc_returning *credit;
	uint32_t flits, credits;
};

/* A device's end; its packets are in a queue (book.h). */
struct noc_source {
	uint32_t sent; /* flits of the first packet that have left */
	uint32_t vc;   /* of that packet */
	int32_t last_vc;
	uint64_t sent_packets, sent_flits;
};

FIFO(noc_flits, struct noc_flit)

struct noc_sink {
	uint64_t *filled;           /* channels whose ejection buffer is not empty */
	uint64_t *ready;            /* channels with a complete packet */
	struct noc_flits *ejection; /* by channel */
	struct ring *packets;       /* by channel: complete ones */
	uint32_t *flits;            /* by channel: in the boundary buffer */
	struct noc_flits left;      /* moved on, not retired */
	uint32_t turn;
	uint64_t taken_packets, taken_flits;
};

struct noc_subnet {
	struct noc *noc;
	struct noc_room room;
	struct noc_router *router;
	struct noc_vc *vc;        /* ports * vcs */
	struct noc_flit *buffer;  /* ports * vcs * buffer_cap */
	struct noc_flit *latch;   /* ports */
	struct noc_flits *output; /* ports */
	struct noc_owed {
		uint16_t *slot;
		uint32_t head, count;
	} * owed;          /* ports: credits to send; NOC_MORE: the next goes with it */
	uint64_t *active;  /* routers */
	uint64_t *sending; /* routers with flits or credits to send */
	struct noc_slot *wheel;
	struct noc_slot **round; /* the slots of the wheel, twice round */
	struct noc_slot **ahead; /* of `round`: what arrives after a latency when it is sent in this cycle */
	struct noc_packet *packet; /* by request handle; a handle may stand for one in each subnet */
	struct noc_source *source;
	struct book_queue *queue; /* nodes */
	struct noc_sink *sink;
	uint64_t *sending_nodes, *ejecting; /* nodes: that may send a flit; with flits to take */
	uint64_t *ready;                    /* devices: with a complete packet; exact after a cycle */
	uint32_t *device_of;         /* nodes: the device that takes packets there, numbered on its side */
	uint64_t flits, credits;     /* not retired; on channels or waiting for one */
	struct noc_moving *retiring; /* nodes: flits that left in this cycle */
	uint32_t n_retiring;
	uint64_t quiet; /* cycles with flits and without an arrival */
	struct noc_view view;
	uint32_t *credited; /* ports: one more than when a credit came last; NULL: no routing looks so early */
	uint64_t *link_flits; /* ports: sent by outputs; then nodes: sent by sources. NULL: not wanted */
};

#define NOC_MORE 0x8000u
#define NOC_BINS 32

struct noc {
	struct icnt conf;
	struct noc_plan *plan;
	uint32_t clusters, subs;
	uint32_t *node; /* of a device */
	struct noc_subnet net[2];
	size_t packets;
	struct noc_random random;
	uint32_t *least;                 /* rooms: shortest way round of a credit */
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
	bool lookahead, noq, speculative, check_free, check_room, mask_by_asks, hold, shuffle, busy_when_full,
		empty_first;
	bool priorities; /* of requests */
	bool quick;   /* every router as noc_quick.c has it: what leaves an input is on its channel at once */
	bool patient; /* a node without room has none before a credit comes, and draws no number meanwhile */
	bool at_once; /* credits count when they arrive, not in their router's step */
	uint64_t all_vcs; /* noc_quick.c */
	uint64_t *chosen; /* input channels of one router, who are granted something; empty between two steps */
	uint64_t *granted;  /* of each way of these: channels; likewise */
	struct noc_vc **go; /* who cross one router in this step */
};

/*
 * Takes over what c owns. node: as icnt_fit filled it. packets: as many handles as there can be. quick:
 * routers may be those of noc_quick.c, where these are the same.
 */
struct noc *noc_new(
	struct icnt *c, uint32_t clusters, uint32_t subs, const uint32_t *node, size_t packets, bool quick);
void noc_delete(struct noc *n);
/* As the calls of net.h; device numbers are those of net.h, subnet s: 0 requests, 1 replies. */
bool noc_has_buffer(const struct noc *n, uint32_t device, uint32_t bytes);
void noc_push(struct noc *n, uint32_t from, uint32_t to, uint32_t req, uint32_t bytes, bool write);
bool noc_has_packet(const struct noc *n, uint32_t device);
uint32_t noc_pop(struct noc *n, uint32_t device);
void noc_advance(struct noc *n);
void noc_idle(struct noc *n, uint64_t k);
bool noc_busy(const struct noc *n);
bool noc_empty(const struct noc *n);
void noc_print(struct noc *n, const struct book_out *out);
/* Who waits for whom, when packets stop arriving. */
void noc_stuck(const struct noc *n, FILE *out);
void noc_report(const struct noc *n, enum net_report form, FILE *out);

/* One internal step of an active router; false: nothing can move in it until something comes. */
bool noc_router_step(struct noc *n, struct noc_subnet *s, struct noc_router *r);
/* Where n->quick: what arrives in a cycle, at nodes and routers, and a step of all active routers. */
void noc_quick_deliver(struct noc *n, struct noc_subnet *s);
void noc_quick_routers(struct noc *n, struct noc_subnet *s);

#endif
