/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Graphs: what a program has put together, or captured from its streams, to be done as a whole and again.
 *
 *   graph.c        graphs and their nodes       graph_exec.c      instances, launches, updates
 *   graph_edges.c  what depends on what         launch.c, copy.c  what kernels, copies and fills are
 *   capture.c      streams that record
 *
 * Always true: a node's work is a copy of what the program said, kernel arguments too; an instance is a copy
 * of its graph, and does its nodes in an order of their own: each behind those it depends on, of several that
 * could be next the one that was added first.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "cudart/cudart.h"

struct configuration {
	struct dim grid, block, cluster; /* cluster.x 0: as the kernel has it */
	size_t shared;
	struct stream *stream;
	struct event *event; /* that happens with the launch; NULL: none */
	bool cooperative;
};

/* A launch with the kernel's arguments, which are its own. */
struct kernel_work {
	const void *host;
	struct configuration c;
	uint8_t *params;
	void **args; /* address of each argument */
};

/*
 * The runtime's structures. Positions and the extent of a copy count texels along the first dimension where an
 * array takes part, else bytes.
 */
struct copy_3d {
	const struct array *from_array;
	struct position from_at;
	struct pitched from;
	const struct array *to_array;
	struct position to_at;
	struct pitched to;
	struct extent extent;
	int kind;
};
struct fill_2d {
	void *at;
	size_t pitch;
	unsigned value, unit; /* unit: bytes of an element: 1, 2, 4 */
	size_t width, height; /* width: elements */
};
struct host_call {
	void (*call)(void *);
	void *with;
};

struct kernel_params {
	const void *host;
	struct dim grid, block;
	unsigned shared;
	void **args, **extra;
};

/* Numbers as the runtime has them. */
enum work_kind {
	WORK_KERNEL,
	WORK_COPY,
	WORK_FILL,
	WORK_HOST,
	WORK_GRAPH,
	WORK_EMPTY,
	WORK_WAIT,
	WORK_RECORD
};

struct graph_work {
	int kind;
	union {
		struct kernel_work kernel;
		struct copy_3d copy;
		struct fill_2d fill;
		struct host_call host;
		struct cuda_graph *child;
		struct event *event;
	};
};

struct graph_node {
	struct cuda_graph *graph;
	struct graph_work work;
	struct graph_node **after; /* what it depends on */
	uint32_t n_after, cap_after;
	const struct graph_node *of; /* in a copy: the node copied */
	bool disabled;
};

struct cuda_graph {
	struct cuda_graph *next;
	struct graph_node **node; /* in the order in which they were added */
	uint32_t n_nodes, cap_nodes;
};

/* graph.c. All but graph_exists: 0 or a status; the lock is held. */
bool graph_exists(const struct cuda_graph *g);
struct cuda_graph *graph_new(void);
void graph_free(struct cuda_graph *g);
/* A copy in *to, its nodes in the same order; no graph of the program. */
int graph_copy(struct cuda_graph **to, const struct cuda_graph *g);
void graph_copy_free(struct cuda_graph *g);
bool graph_has_node(const struct cuda_graph *g, const struct graph_node *n);
/* A node with a copy of the work. */
int graph_add(struct cuda_graph *g, struct graph_node *const *after, size_t n, const struct graph_work *w,
	struct graph_node **to);
int graph_add_edge(struct graph_node *n, struct graph_node *on);
bool graph_has_edge(const struct graph_node *n, const struct graph_node *on);
/* The program's node, wherever it is; NULL: none such. */
struct graph_node *graph_find_node(struct graph_node *n);
/* Another work of the same kind for a node. */
int graph_set_work(struct graph_node *n, const struct graph_work *w);
/* The order of the nodes' work: by node's number. cudaErrorInvalidValue: they go round. */
int graph_order(const struct cuda_graph *g, uint32_t *order);

/* The work that a kernel's parameters mean; false: none. */
bool graph_kernel_work(struct graph_work *w, const struct kernel_params *p);

/* launch.c: is a launch possible? Its arguments in w (NULL: none), to be freed by work_free. */
int work_prepare_kernel(struct kernel_work *w, const void *host, const struct configuration *c, void *const *args);
void work_free(struct kernel_work *w);
/* On a stream, whatever the work's own is. */
int work_launch(const struct kernel_work *w, struct stream *s);

/* copy.c */
int work_check_copy(const struct copy_3d *c);
int work_copy(const struct copy_3d *c);
int work_fill(const struct fill_2d *f);
/* The parameters of a copy of bytes in one piece. */
struct copy_3d work_copy_of_bytes(void *to, const void *from, size_t n, int kind);

/* stream.c: an event happens on a stream. */
int work_record(struct event *event, struct stream *s);
bool cudart_is_event(const struct event *event);
/* Does the legacy stream wait for it? */
bool cudart_stream_blocks(const struct stream *s);

/*
 * capture.c: true: nothing is to be done on the stream, as it records, *status 0, or is in the way of one
 * that does,
 * *status why.
 */
bool capture_blocks(const struct stream *s, int *status);
/* Adds the work as a node after the last ones of the recording stream. */
int capture_add(const struct stream *s, const struct graph_work *w);
/*
 * The recording on the stream, which there is, ends in an error for a call that it cannot have: its status.
 */
int capture_break(const struct stream *s);
/*
 * What cannot be recorded here is refused, and the recording ends in an error: 0 where the stream does not
 * record.
 */
int capture_rejects(const struct stream *s, const char *what);
/* A call that no thread may make while it records: 0, or the status that ends the recording. */
int capture_forbids(void);
/* What event calls mean then: false: nothing, the stream does not record. */
bool capture_record(const struct event *event, const struct stream *s, int *status);
bool capture_wait(const struct event *event, const struct stream *s, int *status);
/* Was it recorded last by a stream that records? */
bool capture_has_event(const struct event *event);
/* The stream or event is no more, or the event is recorded by a stream that does not. */
void capture_forget(const void *stream_or_event);

#endif
