/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * CUDA graphs: work that a program builds node by node, or captures from its streams, and launches
 * repeatedly.
 *
 *   graph.c        graphs and their nodes       graph_exec.c      instances, launches, updates
 *   graph_edges.c  dependencies                 launch.c, copy.c  work of kernels, copies and fills
 *   capture.c      recording streams           condition.c   nodes with a condition
 *   graph_node.c   nodes of every kind        dot.c             graphs as text
 *   user_object.c  data that graphs refer to    graph_symbol.c    copies of variables
 *   graph_kernel.c  parameters and attributes of kernel nodes; the graphs of child nodes
 *
 * Always true: a node has its own copy of its work, with the kernel arguments. An instance is a copy of its
 * graph. It executes a node after all nodes that the node depends on; among the nodes that are ready, the one
 * added first is next.
 */
#ifndef GRAPH_H
#define GRAPH_H

#include "cudart/cudart.h"

struct configuration {
	struct dim grid;
	struct dim block;
	struct dim cluster; /* cluster.x 0: use the kernel's own cluster */
	size_t shared_bytes;
	struct stream *stream;
	struct event *event; /* event to record after the launch; NULL: none */
	bool cooperative;
	bool programmatic; /* programmatic stream serialization */
};

/* A launch with its own copy of the kernel's arguments. */
struct kernel_work {
	const void *host;
	struct configuration config;
	uint8_t *params;
	void **args; /* address of each argument */
};

/*
 * Structures in the runtime's layout. The first dimension of positions and of the extent counts texels if
 * either end is an array, else bytes.
 */
struct copy_3d {
	const struct array *source_array;
	struct position source_position;
	struct pitched source;
	const struct array *target_array;
	struct position target_position;
	struct pitched target;
	struct extent extent;
	int kind;
};
struct fill_2d {
	void *base;
	size_t pitch;
	unsigned value;
	unsigned unit; /* bytes of an element: 1, 2, 4 */
	size_t width;  /* number of elements of a row */
	size_t height;
};
struct host_call {
	void (*call)(void *);
	void *arg;
};

/* Memory that a node allocates or frees. Its address is set when the node is added. */
struct graph_memory {
	uint64_t addr;
	uint64_t bytes; /* size, only if the node allocates */
};

struct kernel_params {
	const void *host;
	struct dim grid, block;
	unsigned shared_bytes;
	void **args, **extra;
};

/* The runtime's numbers of node types. */
enum work_kind {
	WORK_KERNEL,
	WORK_COPY,
	WORK_FILL,
	WORK_HOST,
	WORK_GRAPH,
	WORK_EMPTY,
	WORK_WAIT,
	WORK_RECORD,
	WORK_ALLOCATE = 10,
	WORK_FREE,
	WORK_CONDITION = 13
};

enum condition_kind { CONDITION_IF, CONDITION_WHILE, CONDITION_SWITCH };

/* Graphs of a conditional node. The value of the condition selects the graph that is executed, or none. */
struct conditional {
	uint64_t handle; /* device address of the condition, a word of 32 bits */
	int kind;
	uint32_t n_bodies;
	struct cuda_graph **body; /* NULL: empty graphs are created with the node */
};

/* cudaGraphNodeParams. The parameters of a kind have the layout that the kind's own functions take. */
struct node_params {
	int type, reserved[3];
	union {
		long long words[29];
		struct kernel_params kernel;
		struct {
			int flags, reserved[3];
			struct copy_3d params;
		} copy;
		struct fill_2d fill;
		struct host_call host;
		struct cuda_graph *child;
		struct event *event;
		void *memory;
		struct {
			uint64_t handle;
			int kind;
			unsigned n_bodies;
			struct cuda_graph **body; /* graphs, written by the runtime */
		} conditional;
	};
	long long last;
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
		struct graph_memory memory;
		struct conditional conditional;
	};
};

/* Value of an attribute that a program sets and reads, and that has no effect. */
struct hint {
	char value[64];
};
#define N_HINTS 17 /* the numbers of attributes are smaller */

struct graph_node {
	struct cuda_graph *graph;
	struct graph_work work;
	struct graph_node **dependencies; /* nodes that this node depends on */
	uint32_t n_after, cap_after;
	uint64_t serial; /* unique number of the node; unlike its address, it is never reused */
	uint64_t origin; /* in a copy: serial of the copied node; 0: not a copy */
	bool disabled;
	struct hint *hint; /* of a kernel: attributes by the runtime's number; NULL: none was set */
};

struct user_object;

/* References of a graph to a user object. */
struct held_object {
	struct user_object *object;
	uint64_t references;
};

struct cuda_graph {
	struct cuda_graph *next;
	struct graph_node **node; /* nodes in the order in which they were added */
	uint32_t n_nodes, cap_nodes;
	struct held_object *held_objects;
	uint32_t n_held, cap_held;
	bool is_body; /* the graph belongs to a conditional node */
};

/* graph.c: the caller holds the lock. Functions that return an int return 0 or a status. */
bool graph_exists(const struct cuda_graph *g);
struct cuda_graph *graph_new(void);
/* Makes a copied graph visible to the program, as the body of a conditional node. */
void graph_publish_body(struct cuda_graph *g);
void graph_free(struct cuda_graph *g);
/* Copies g to *to, with the nodes in the same order. The copy is not visible to the program. */
int graph_copy(struct cuda_graph **to, const struct cuda_graph *g);
void graph_copy_free(struct cuda_graph *g);
bool graph_has_node(const struct cuda_graph *g, const struct graph_node *n);
/* Returns the index of the node in g->node, or g->n_nodes if the graph does not have it. */
uint32_t graph_index_of_node(const struct cuda_graph *g, const struct graph_node *n);
/* Adds a node, with a copy of the work, that depends on the n nodes in `after`. */
int graph_add_node(struct cuda_graph *g, struct graph_node *const *after, size_t n,
	const struct graph_work *w, struct graph_node **to);
int graph_add_edge(struct graph_node *n, struct graph_node *on);
bool graph_has_edge(const struct graph_node *n, const struct graph_node *on);
/* Returns n if it is a node of one of the program's graphs, else NULL. */
struct graph_node *graph_find_node(struct graph_node *n);
/* Returns the node of g that is a copy of the program's node `of`, or NULL if there is none. */
struct graph_node *graph_find_copied_node(const struct cuda_graph *g, const struct graph_node *of);
/* Replaces the work of a node by other work of the same kind. */
int graph_set_work(struct graph_node *n, const struct graph_work *w);
/*
 * Sets order[] to the indices of the nodes in order of execution. Returns cudaErrorInvalidValue if the edges
 * form a cycle.
 */
int graph_sort_nodes(const struct cuda_graph *g, uint32_t *order);

/* Begins a call on a node of this kind. Returns 0 or a status. */
int graph_begin_node_call(struct graph_node *n, const void *params, int kind);

/* graph_kernel.c: copies the attributes that have no effect. */
void graph_copy_hints(struct graph_node *to, const struct graph_node *from);
/* Gives the work of a kernel node the attributes that the node has in place of those of *w. */
void graph_keep_attributes(struct graph_work *w, const struct graph_node *n);

/* Sets *w to the work of a kernel node with these parameters. Returns false if they are invalid. */
bool graph_make_kernel_work(struct graph_work *w, const struct kernel_params *p);

/*
 * condition.c: copies the graphs of a conditional node, or makes empty graphs if c->body is NULL. Returns 0 or
 * a status.
 */
int conditional_copy(struct conditional *to, const struct conditional *c);
void conditional_free(struct conditional *c);
/* Resets the conditions of a graph, and of the graphs in it, as a launch does. */
void condition_reset_in_graph(const struct cuda_graph *g);
/* Returns the index of the graph that the condition selects. An index of n_bodies or more means no graph. */
uint32_t condition_selected_graph(const struct conditional *c);
bool condition_exists(uint64_t handle);

/* user_object.c: adds the references of one graph to another, as for a copy. */
void user_object_copy_references(struct cuda_graph *to, const struct cuda_graph *from);
/* Drops all references of a graph that is being freed. */
void user_object_drop_references(struct cuda_graph *g);

/* graph_node.c: marks memory at addr as allocated by a node, and counts it. */
void graph_note_allocation(uint64_t addr);

/* Sets *w to the work of a node that allocates n bytes, and reserves their addresses. Returns 0 or a status. */
int graph_make_allocation(struct graph_work *w, size_t n);

/* launch.c: checks a launch and copies its arguments to w, which work_free_kernel frees. */
int work_prepare_kernel(
	struct kernel_work *w, const void *host, const struct configuration *c, void *const *args);
void work_free_kernel(struct kernel_work *w);
/* Launches a kernel on stream s instead of the stream of its configuration. */
int work_run_kernel(const struct kernel_work *w, struct stream *s);

/* graph_exec.c: executes the work on stream s. Returns 0 or a status. */
int work_run(const struct graph_work *w, struct stream *s);

/* Launches a kernel on the stream of its configuration, or records the launch. Returns 0 or a status. */
int work_launch_kernel(const void *host, const struct configuration *c, void **args);

/* Configuration of a launch with attributes, in the runtime's layout. */
struct launch_attribute {
	int id, unused;
	union {
		unsigned number[16];
		char reserved[64];
	} value;
};
struct launch_config {
	struct dim grid, block;
	size_t shared_bytes;
	struct stream *stream;
	struct launch_attribute *attribute;
	unsigned n_attributes;
};

/* copy.c */
int work_check_copy(const struct copy_3d *c);
int work_run_copy(const struct copy_3d *c);
int work_run_fill(const struct fill_2d *f);
/* Fills memory on stream s, or records the fill. */
int work_run_fill_on_stream(const struct fill_2d *f, struct stream *s);
/* Returns the parameters of a copy of n contiguous bytes. */
struct copy_3d work_make_byte_copy(void *to, const void *from, size_t n, int kind);
/*
 * Sets *c to a copy of n bytes between `other` and the byte `offset` of a variable. kind: the direction that the
 * program names. Returns 0 or a status.
 */
int work_make_variable_copy(struct copy_3d *c, const void *symbol, void *other, size_t n, size_t offset,
	int kind, bool to_symbol);

/* stream.c: records an event on a stream. */
int work_record(struct event *event, struct stream *s);
/* Records the event at once. work_record() queues this call if earlier work is not done. */
int work_record_now(struct event *event);
bool cudart_is_event(const struct event *event);
/* Returns true if the legacy stream waits for stream s. */
bool cudart_is_stream_blocking(const struct stream *s);

/*
 * capture.c: returns true if the caller must not execute work on the stream. *status is 0 if the stream
 * records. Otherwise it is an error: the recording is broken, or the work would make the legacy stream wait for
 * a recording stream, which breaks that recording.
 */
bool capture_blocks_work(const struct stream *s, int *status);
/* Adds the work as a node after the last nodes of the recording stream. */
int capture_add_work(const struct stream *s, const struct graph_work *w);
/* Breaks the recording of stream s. Returns the status of a call that s forbids while it records. */
int capture_break_recording(const struct stream *s);
/* Breaks all recordings, if there are any, for a call that they forbid. Returns 0 if there are none, or a status. */
int capture_break_all(void);
/* Rejects a call that cannot be recorded, and breaks the recording. Returns 0 if the stream does not record. */
int capture_reject_call(const struct stream *s, const char *what);
/*
 * Checks a call that recording streams may forbid. Breaks the recordings that forbid it. Returns 0 or the
 * status of the call.
 */
int capture_check_forbidden(void);
/*
 * Add the record of an event, or a wait for an event, to the recording of a stream. Both return false if the
 * stream does not record.
 */
bool capture_record_event(const struct event *event, const struct stream *s, int *status);
bool capture_wait_event(const struct event *event, const struct stream *s, int *status);
/* Returns true if the event was last recorded by a recording stream. */
bool capture_has_event(const struct event *event);
/* Forgets a destroyed stream or event, or an event that was recorded again on a stream that does not record. */
void capture_forget_owner(const void *stream_or_event);

#endif
