/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader and checks of the network file of network mode 1 (.icnt, BookSim's format).
 *
 * icnt_load() reads and validates a file: names, numbers, virtual channels that a routing needs, sizes, links of an
 * anynet. It rejects networks on which BookSim itself stops, with the place of the entry at fault.
 * icnt_assign_nodes() then checks the network against a GPU. trace-sim and trace-lint use the same functions. Always
 * true of a validated network: every field of struct icnt is in its range, and the simulator reads nothing else.
 */
#ifndef ICNT_H
#define ICNT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"
#include "input.h"
#include "params.h"

#define ICNT_PORTS_MAX 4096u /* largest number of cluster ports and of sub partition ports */
#define ICNT_NODES_MAX 8192u
#define ICNT_DEPTH_MAX 4u /* largest number of nested tree arbiters */

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
	ALLOCATOR_PIGGYBACK = N_ALLOCATORS, /* virtual channels only: granted with the switch */
	ALLOCATOR_PRIO /* allocator of the switch, by priority; for speculative requests only */
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

/* Virtual channels that a routing requires for each class of packets. */
enum icnt_need {
	NEED_ANY,   /* 1 virtual channel per class */
	NEED_PAIR,  /* 2 virtual channels per class */
	NEED_FOUR,  /* 4 virtual channels per class */
	NEED_NODES, /* one virtual channel per node */
	NEED_RADIX, /* k virtual channels */
	NEED_TWICE, /* 2 k - 1 virtual channels, where k = c */
	NEED_FIRST, /* 2 virtual channels from channel 0 on */
	NEED_TWO,   /* num_vcs is at least 2 */
	NEED_THREE, /* num_vcs is 3 */
	NEED_UNSET  /* rejected: BookSim reads an uninitialised variable */
};

struct icnt_row {
	const char *name;
	const char *text;
};

struct icnt_routing_row {
	const char *name, *text;
	enum icnt_topology topology;
	enum icnt_need need; /* virtual channels that the routing needs */
};

extern const struct icnt_row icnt_topologies[N_TOPOLOGIES];
extern const struct icnt_routing_row icnt_routings[N_ROUTINGS];

/* Allocator with its arguments in brackets. */
struct icnt_alloc {
	enum icnt_allocator kind;
	uint32_t rounds;                 /* number of iterations of the allocators islip, pim and select */
	enum icnt_arbiter arbiter;       /* innermost arbiter of separable allocators */
	uint32_t groups[ICNT_DEPTH_MAX]; /* groups of the enclosing tree arbiters, outermost first */
	uint32_t depth;                  /* number of tree arbiters */
};

/*
 * Anynet: routers and their neighbours in ascending order. node_start and link_start are the bounds of each router's
 * part of node and link.
 */
struct anynet {
	uint32_t routers;      /* number of routers */
	uint32_t nodes;        /* number of nodes */
	uint32_t links;        /* number of links */
	uint32_t *node_start;  /* first index of each router in node, then the number of nodes */
	uint32_t *node;        /* nodes, ordered by router */
	uint32_t *node_cycles; /* latency between each element of node and its router */
	uint32_t *link_start;  /* first index of each router in link, then the number of links */
	struct anynet_link {
		uint32_t to;     /* router at the end of the channel */
		uint32_t cycles; /* latency of the channel */
	} * link;                /* outgoing channels, ordered by router */
};

struct icnt_value {
	const char *text;   /* text as written; NULL: BookSim's default, because the file has no such entry */
	double number;      /* value of a number */
	struct place place; /* place of the value; for a default, the file alone */
};

struct icnt {
	const char *file;
	struct icnt_value value[N_ICNT];
	/* The validation sets the fields from here on. */
	enum icnt_topology topology;
	enum icnt_routing routing;
	uint32_t k, n, c, x, xr;         /* parameters of the topology; c is 1 if the topology has no c */
	bool chip_latency;               /* whether the latency of a channel follows its length on a chip */
	uint32_t nodes;                  /* number of nodes of the network */
	struct anynet *anynet;           /* links of an anynet; NULL for other topologies */
	uint32_t vcs;                    /* number of virtual channels */
	uint32_t vc_begin[4], vc_end[4]; /* virtual channels of read and write requests, then replies */
	uint32_t flit_bytes;             /* bytes of a flit */
	uint32_t source_max;             /* capacity of a source queue in flits */
	uint32_t boundary_max;           /* capacity of a boundary queue in flits */
	enum icnt_policy policy;
	enum icnt_priority priority;
	int32_t class_priority;
	uint32_t vc_buffer;     /* capacity of one virtual channel in flits */
	uint32_t buffer;        /* capacity of one input in flits */
	uint32_t private_bufs;  /* number of private parts of the buffer, for shared policies */
	uint32_t *private_size; /* capacity of each private part in flits; owned */
	uint32_t *private_of;   /* private part of each virtual channel; owned */
	uint32_t shared_size;   /* capacity of the shared part in flits */
	uint32_t held_max;      /* largest number of flits that a virtual channel may occupy */
	struct icnt_alloc vc_alloc, sw_alloc, spec_alloc;
	bool speculative;
	double speedup; /* number of router steps per network cycle */
	uint32_t crossbar_delay;
	uint32_t *memory_node; /* nodes of memory_node_map; owned */
	uint32_t memory_nodes; /* number of elements of memory_node */
	bool measured[64];     /* traffic classes whose statistics are printed */
};

/*
 * Reads and validates the file at path. `at` is the place of the option that names path; the fault of an unreadable
 * file has this place. Returns 0, or -1 and sets *f.
 */
int icnt_load(struct icnt *c, const char *path, struct place at, struct fault *f);
/*
 * Does the same as icnt_load(), from an open input. The link file of an anynet is looked up in the input's directory.
 */
int icnt_read(struct icnt *c, struct input *in, struct fault *f);
/* Frees the contents of c, also after icnt_load() or icnt_read() failed. */
void icnt_free(struct icnt *c);

/* Returns the value of an entry of kind NUMBER. */
static inline int32_t icnt_int(const struct icnt *c, enum icnt_id id) { return (int32_t)c->value[id].number; }

/*
 * Assigns nodes to the clusters and then to the memory sub partitions: fills node[clusters + subs]. Returns 0, or -1
 * and sets *f if there are too few nodes or no map.
 */
int icnt_assign_nodes(
	const struct icnt *c, uint32_t clusters, uint32_t subs, uint32_t *node, struct fault *f);

/*
 * Checks the network of a GPU with icnt_load() and icnt_assign_nodes(), and frees it. Returns 0, or -1 and sets *f.
 */
int icnt_check(const struct params *p, struct fault *f);

/* Ends the program if output would replace the GPU's network file or the link file of that network. */
void icnt_check_output(const struct params *p, const char *output);

/* Print the tables of trace-network(5). */
void icnt_man_topologies(FILE *out);
void icnt_man_routings(FILE *out);
void icnt_man_allocators(FILE *out);
void icnt_man_arbiters(FILE *out);
void icnt_man_policies(FILE *out);
void icnt_man_entries(FILE *out);

/* Reads the links of an anynet. Returns NULL and sets *f on failure. anynet_free() accepts NULL. */
struct anynet *anynet_read(struct input *in, struct fault *f);
void anynet_free(struct anynet *a);

#endif
