/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The network of network mode 1 as its file (.icnt, BookSim's format) describes it, and whether it can be
 * run.
 *
 * icnt_load reads a file and judges it: names, numbers, what a routing needs of virtual channels, sizes, the
 * links of an anynet. What BookSim itself stops on is refused at the entry that makes it so. icnt_fit then
 * judges it for a machine. Both trace-sim and trace-lint speak through these calls. Always true of a judged
 * network: every field below is in its range, so that the simulator need not look at the file again.
 */
#ifndef ICNT_H
#define ICNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"
#include "input.h"
#include "params.h"

#define ICNT_PORTS_MAX 4096u /* clusters; memory sub partitions */
#define ICNT_NODES_MAX 8192u
#define ICNT_DEPTH_MAX 4u /* tree arbiters in each other */

enum icnt_id {
#define ICNT(name, kind, def, least, most, unit, help) ICNT_##name,
#include "arch/icnt.def"
#undef ICNT
	N_ICNT
};

enum icnt_topology {
#define TOPOLOGY(name, text) TOPOLOGY_##name,
#include "arch/network.def"
	N_TOPOLOGIES
};

enum icnt_routing {
#define ROUTING(topology, name, need, looks, draws, inject, step, text) ROUTING_##topology##_##name,
#include "arch/network.def"
	N_ROUTINGS
};

enum icnt_allocator {
#define ALLOCATOR(name, id, text) ALLOCATOR_##id,
#include "arch/network.def"
	N_ALLOCATORS,
	ALLOCATOR_PIGGYBACK = N_ALLOCATORS, /* virtual channels only: no allocator of their own */
	ALLOCATOR_PRIO                      /* speculative requests only: the switch allocator, by priority */
};

enum icnt_arbiter {
#define ARBITER(name, id, text) ARBITER_##id,
#include "arch/network.def"
	N_ARBITERS
};

enum icnt_policy {
#define POLICY(name, id, text) POLICY_##id,
#include "arch/network.def"
	N_POLICIES
};

enum icnt_priority {
	PRIORITY_NONE,
	PRIORITY_CLASS,
	PRIORITY_AGE,
	PRIORITY_NETWORK_AGE,
	PRIORITY_LOCAL_AGE,
	PRIORITY_QUEUE_LENGTH,
	PRIORITY_HOP_COUNT,
	PRIORITY_SEQUENCE
};

/* Virtual channels that each class of packets must have for a routing. */
enum icnt_need {
	NEED_ANY,   /* 1 */
	NEED_PAIR,  /* 2 */
	NEED_FOUR,  /* 4 */
	NEED_NODES, /* one for each node */
	NEED_RADIX, /* k */
	NEED_TWICE, /* 2 k - 1, and k = c */
	NEED_FIRST, /* 2, from channel 0 on */
	NEED_TWO,   /* num_vcs at least 2 */
	NEED_THREE, /* num_vcs = 3 */
	NEED_UNSET  /* refused: BookSim decides by what it never set */
};

struct icnt_row {
	const char *name;
	const char *text;
};

struct icnt_routing_row {
	const char *name, *text;
	enum icnt_topology topology;
	enum icnt_need need;
};

extern const struct icnt_row icnt_topologies[N_TOPOLOGIES];
extern const struct icnt_routing_row icnt_routings[N_ROUTINGS];

/* An allocator with what stands in brackets behind it. */
struct icnt_alloc {
	enum icnt_allocator kind;
	uint32_t rounds;                 /* islip, pim, select */
	enum icnt_arbiter arbiter;       /* separable: the innermost */
	uint32_t groups[ICNT_DEPTH_MAX]; /* of the tree arbiters around it, outermost first */
	uint32_t depth;
};

/* An anynet: routers and their neighbours in ascending order, as arrays of starts and entries. */
struct anynet {
	uint32_t routers, nodes, links;
	uint32_t *node_start;  /* routers + 1: into node */
	uint32_t *node;        /* nodes of a router, ascending */
	uint32_t *node_cycles; /* of a node: latency to and from its router */
	uint32_t *link_start;  /* routers + 1: into link */
	struct anynet_link {
		uint32_t to, cycles;
	} * link; /* channels out of a router, by router */
};

struct icnt_value {
	const char *text; /* as written; NULL: not there, number and list are BookSim's */
	double number;
	struct place at; /* of the value; the file when it is not there */
};

struct icnt {
	const char *file;
	struct icnt_value value[N_ICNT];
	/* judged */
	enum icnt_topology topology;
	enum icnt_routing routing;
	uint32_t k, n, c, x, xr; /* c: 1 where it has no meaning */
	bool chip_latency;
	uint32_t nodes;
	struct anynet *any;                   /* owned; NULL but for anynet */
	uint32_t vcs, vc_begin[4], vc_end[4]; /* of read and write requests, read and write replies */
	uint32_t flit_bytes, source_max, boundary_max;
	enum icnt_policy policy;
	enum icnt_priority priority;
	int32_t class_priority;
	uint32_t vc_buffer;     /* flits that one virtual channel may hold at most */
	uint32_t buffer;        /* flits of an input */
	uint32_t private_bufs;  /* shared policies: */
	uint32_t *private_size; /* flits of each; owned */
	uint32_t *private_of;   /* virtual channel -> part; owned */
	uint32_t shared_size, held_max;
	struct icnt_alloc vc_alloc, sw_alloc, spec_alloc;
	bool speculative;
	double speedup;
	uint32_t crossbar_delay;
	uint32_t *memory_node; /* nodes of memory_node_map; owned */
	uint32_t memory_nodes;
	bool measured[64]; /* traffic classes that are printed */
};

/* Read and judge path. at: the option that names it, for a file that cannot be read. 0, or -1 and *f. */
int icnt_load(struct icnt *c, const char *path, struct place at, struct fault *f);
/* The same of an input; the links of an anynet are looked for beside it. */
int icnt_read(struct icnt *c, struct input *in, struct fault *f);
/* Also after a failure of the two. */
void icnt_free(struct icnt *c);

/* A number as judged: a whole number for NUMBER. */
static inline int32_t icnt_int(const struct icnt *c, enum icnt_id id) { return (int32_t)c->value[id].number; }

/*
 * For clusters and sub partitions (devices, clusters first): fills node[clusters + subs]. 0, or -1 and *f:
 * too few nodes, no map.
 */
int icnt_fit(const struct icnt *c, uint32_t clusters, uint32_t subs, uint32_t *node, struct fault *f);

/* Load and fit the network of a machine, of which nothing is kept. 0, or -1 and *f. */
int icnt_check(const struct params *p, struct fault *f);

/* Ends the program when output would replace a machine's network file or the file of links that it names. */
void icnt_spare(const struct params *p, const char *output);

/* Tables of trace-network(5). */
void icnt_man_topologies(FILE *out);
void icnt_man_routings(FILE *out);
void icnt_man_allocators(FILE *out);
void icnt_man_arbiters(FILE *out);
void icnt_man_policies(FILE *out);
void icnt_man_entries(FILE *out);

/* The links of an anynet. NULL and *f. anynet_free: also NULL. */
struct anynet *anynet_read(struct input *in, struct fault *f);
void anynet_free(struct anynet *a);

#endif
