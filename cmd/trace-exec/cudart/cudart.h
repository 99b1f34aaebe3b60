/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CUDA runtime's interface over the executor: a shared library that trace-exec --run loads in front of
 * the runtime that a program was linked with.
 *
 *   start.c    settings, device memory, the end           status.c   codes, names, the last error
 *   register.c registration of fat binaries              image.c    fat binaries, kernels
 *   launch.c   launches                                   pause.c    launches that wait for the host
 *   trace.c    traces of launches                         extent.c   sizes of fat binaries
 *   variable.c variables                              repeat.c   launches that repeat
 *   allocate.c memory of every kind                       copy.c     copies and fills
 *   pool.c     pools of memory                        managed.c  hints about managed memory
 *   advice.c   queries of these hints
 *   pointer.c  attributes of addresses                    pages.c    host memory that kernels access
 *   array.c    arrays and copies of them                  texture.c  textures and surfaces over memory
 *   graph.h    graphs and stream capture
 *   stream.c   streams and events                         device.c   properties of the GPU
 *   occupancy.c resident blocks                           ipc.c      handles for other processes
 *   refused.c functions that are not executed
 *   cudart.def every function of the interface
 *
 * Always true: calls run one at a time. A call completes its work before it returns, unless a kernel waits for
 * the host (pause.c); otherwise a stream is never busy, and a recorded event has happened. Pointers to device
 * memory are the executor's addresses. Managed and pinned memory has the same address on the host; other device
 * memory has no host address. An error of a kernel stays, as with the real runtime; the next call that waits
 * for the device returns it.
 */
#ifndef CUDART_H
#define CUDART_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "exec/exec.h"
#include "table.h"
#include "wire.h"

enum {
#define E(code, name, text) name = code,
#include "cudart/errors.def"
#undef E
};

/* Defines a function of the interface. The library exports only these functions. */
#define API(type, name, ...) \
	type name(__VA_ARGS__); \
	__attribute__((visibility("default"))) type name(__VA_ARGS__)
/* Exports a function under another name, for per-thread default streams or a later version. */
#define ALSO(other, name) extern __typeof__(name) other __attribute__((alias(#name), visibility("default")))

struct dim {
	unsigned x, y, z;
};
struct extent {
	size_t width, height, depth;
};
struct position {
	size_t x, y, z;
};
struct pitched {
	char *base;
	size_t pitch, width, height;
};

/* ---- registered images, kernels and variables ---- */

struct image {
	const void *bytes;        /* the fat binary, or a cubin; NULL: unregistered */
	size_t n_cubin;           /* bytes of the cubin; 0: a fat binary, whose header has its size */
	const char *const *texts; /* PTX texts instead of a fat binary, ended by NULL; NULL: no texts */
	const void *const *parts; /* fat binaries of separately compiled files, ended by NULL; NULL: none */
	struct module **module;
	uint32_t n_modules, cap_modules;
	struct cubins *cubins; /* machine code of the fat binary, for registers and shared memory */
	bool has_ptx;
	unsigned ignored_ptx; /* architecture of PTX for later GPUs that is not read; 0: none */
	bool refused;         /* the PTX cannot be executed, which is reported at a kernel's first use */
	struct fault fault;
};

struct kernel {
	const void *host; /* address of its stub, which the program uses as handle */
	const char *name;
	uint32_t image;
	struct func *func; /* function of the kernel; NULL: not loaded, or the image lacks the kernel */
	uint32_t regs, shared_bytes;
	int max_dynamic_shared; /* largest dynamic shared memory, in bytes */
	int carveout;           /* set by the program; -1: not set */
	int scheduling;         /* set by the program; 0: not set */
	bool cluster_needed;    /* the kernel must be launched with a cluster; set by the program */
	bool large_cluster;     /* the cluster may exceed the portable size; set by the program */
	uint32_t cluster[3];    /* cluster set by the program; 0: none */
};

struct variable {
	const void *host;
	void **managed; /* the program's pointer to the variable; NULL: not managed */
	const char *name;
	uint32_t image;
	size_t size;
	bool normalized; /* a texture reference that reads integers as floating point */
};

struct pool;
struct cuda_context;

enum grant_kind { GRANT_DEVICE, GRANT_PINNED, GRANT_MANAGED };

/* Memory allocated for the program. */
struct grant {
	uint64_t addr, bytes;
	uint8_t kind;
	bool live;
	bool is_variable;     /* the memory of a variable, which the program cannot free */
	bool from_graph_node; /* allocated by a node of a graph */
	unsigned flags;
	struct pool *pool;            /* memory pool of the allocation; NULL: none */
	struct cuda_context *context; /* context that was current at the allocation */
};

/* A handle of memory or of an event for another process, which a program copies as bytes. */
struct ipc_handle {
	uint32_t mark;
	int32_t process;
	uint64_t object; /* address of the allocation, or of the event */
	char unused[48];
};

struct event;
struct stream;
struct user_object;
struct array;
struct mipmap;

struct cudart {
	pthread_mutex_t lock;
	struct wire wire;
	bool started;
	bool has_token;    /* this process may send messages to trace-exec */
	bool host_visible; /* the host can map device memory */
	int pid;
	int broken;            /* error that every later call returns; 0: none */
	uint64_t static_limit; /* lowest address of host memory */
	int pending;           /* error of a kernel that the program has not seen yet */
	struct options exec;
	struct options unchecked; /* like `exec`, without checks, for launches that are not chosen */

	struct memory mem;
	struct textures textures;
	struct program prog;
	struct bound_code code;
	struct image *image;
	struct kernel *kernel;
	struct variable *variable;
	uint32_t n_images, cap_images, n_kernels, cap_kernels, n_variables, cap_variables, n_loaded;
	struct table kernels;   /* kernels by host address */
	struct table variables; /* variables by host address */
	uint32_t launches, chosen_launches;
	uint64_t warp_insts, thread_insts;
	uint64_t moved_lines; /* lines of 128 bytes that copies and fills have written */
	uint64_t repeats;     /* launches that were not executed because they repeat an earlier one */

	struct grant *grant;
	uint32_t n_grants; /* number of grants, which are in ascending order of addresses */
	uint32_t cap_grants;
	uint32_t n_allocations; /* number of allocations so far */
	uint64_t allocated_bytes;
};
extern struct cudart cudart;
/* True if the calling thread has called the runtime. The runtime's context is then current. */
extern _Thread_local bool cudart_thread_active;

/*
 * start.c: every function of the interface begins with cudart_enter() and ends with cudart_leave(). Both return
 * a status. wait: cudart_enter() also waits for the device.
 */
int cudart_enter(bool wait);
int cudart_leave(int status);
void cudart_send(enum wire_kind kind, const void *bytes, size_t n);
/*
 * Reports, once for each text, that a function, or its use `what`, is not supported. Returns
 * cudaErrorNotSupported.
 */
int cudart_unsupported(const char *function, const char *what);

/*
 * user_object.c: returns the user objects that lost their last reference, and forgets them. The caller destroys
 * them when it has released the lock.
 */
struct user_object *user_object_take_dead(void);
void user_object_destroy(struct user_object *o);

/* status.c */
void cudart_set_last_error(int status);
/* Replaces the last error of the thread. Returns the previous one. */
int cudart_exchange_last_error(int status);
int cudart_fault_status(const struct fault *f);

/*
 * extent.c: returns the size of a fat binary from its header, limited to the end of the loaded file that
 * contains it; 0: not a fat binary. Outside of loaded files the header is trusted.
 */
size_t cudart_fatbin_extent(const void *bytes);

/* register.c: returns the number of the image with this handle. */
uint32_t cudart_image_of_handle(void *const *handle);
/* Returns the hash of an address of the program for cudart.kernels and cudart.variables. */
uint64_t cudart_address_hash(const void *p);

/* image.c: loads the registered fat binaries. Returns 0 or a status. */
int cudart_load_images(void);
struct kernel *cudart_find_kernel(const void *host, int *status);
/* occupancy.c: returns the number of blocks, with `dynamic` bytes of dynamic shared memory, that fit on an SM. */
uint64_t cudart_blocks_of_sm(const struct kernel *k, uint64_t threads, uint64_t dynamic);
/*
 * Adds an image that the program loads by a call, and sets *image to its number. It refers to the bytes and
 * texts of `from` until cudart_drop_image(). Returns 0 or a status. Sets *why to the fault of an image that
 * cannot be executed.
 */
int cudart_add_image(const struct image *from, uint32_t *image, struct fault *why);
/* Drops the bytes of an image and the kernels that cudart_find_image_kernel() added. */
void cudart_drop_image(uint32_t image);
/* Finds the handle of a kernel of the image by its name. Returns 0 or a status. */
int cudart_find_image_kernel(uint32_t image, const char *name, const void **handle);
/* Returns the name of entry `number` of the image, or NULL if there are fewer entries. */
const char *cudart_image_kernel_name(uint32_t image, uint32_t number);
/* Stores the address and size of a variable. Returns 0 or a status. */
int cudart_find_symbol(const void *host, uint64_t *addr, size_t *size);
/* Returns the variable that the program registered with address host, or NULL if there is none. */
struct variable *cudart_variable_of_host(const void *host);

/*
 * variable.c: allocates the variables of an image that are in the heap, before linking. Returns 0 or a
 * status.
 */
int cudart_place_variables(uint32_t image);
/*
 * Sets the initial values and the names of a module's variables. cudart_reset_variables() resets the variables
 * of all modules.
 */
void cudart_init_variables(const struct module *m);
void cudart_reset_variables(void);
/* Returns the variable of this name that the image defines, or NULL if there is none. */
struct symbol *cudart_find_variable(const struct image *m, const char *name);
/* Returns the lowest address of host memory; static variables must be below it. */
uint64_t cudart_find_static_limit(void);

/* allocate.c */
int cudart_allocate(uint64_t *addr, size_t n, enum grant_kind kind, unsigned flags, const char *what);
/* Returns the current context of the calling thread; set by the driver's interface. */
extern struct cuda_context *(*cudart_current_context)(void);
/* Returns the live grant that contains addr, or NULL if there is none. */
struct grant *cudart_find_grant(uint64_t addr);
/*
 * Returns the host address of n bytes at p, a device or host address, or NULL if they are not in one
 * allocation.
 */
void *cudart_host_address(const void *p, size_t n);
/* Returns true if p is in device or managed memory, or in a variable. */
bool cudart_is_device_memory(const void *p);
void cudart_report_leaks(void);
/* Frees device or managed memory of cudart_allocate() or cudart_map_memory(). Returns 0 or a status. */
int cudart_release(uint64_t addr);
/* Frees pinned memory of cudart_allocate(). Returns 0 or a status. */
int cudart_release_pinned(uint64_t addr);
/*
 * Reserves n addresses, aligned to `unit`, that no allocation uses. Returns the first address, or 0 if too few
 * are left.
 */
uint64_t cudart_reserve(uint64_t n, uint64_t unit);
/* Frees reserved addresses. Returns false if addr is not the start of n reserved addresses. */
bool cudart_unreserve(uint64_t addr, uint64_t n);
/* Returns true if n addresses starting at addr are within one reservation. */
bool cudart_is_reserved(uint64_t addr, uint64_t n);
/* Allocates device memory at reserved addresses. Kernels may access it after cudart_allow_access(). */
void cudart_map_memory(uint64_t addr, uint64_t n, const char *what);
void cudart_allow_access(uint64_t addr, bool allowed);

/* pointer.c: returns true if p is in memory that the program registered with cudaHostRegister(). */
bool cudart_is_registered(const void *p);

/*
 * pages.c: makes the pages of n bytes at `start` accessible to kernels, and sets *addr to the device address of
 * `start`. function: named if the pages are rejected. Returns 0 or a status. Call pages_unshare() once for each such
 * call.
 */
int pages_share(uint64_t start, uint64_t n, uint64_t *addr, const char *function);
void pages_unshare(uint64_t start);

/* pool.c: the two functions add to, and subtract from, the bytes of a pool that are in use. */
void cudart_pool_add_used(struct pool *p, uint64_t bytes);
void cudart_pool_subtract_used(struct pool *p, uint64_t bytes);

/*
 * copy.c: copies `height` rows of `width` bytes. The starts of rows are a pitch apart. kind: as for
 * cudaMemcpy().
 */
int cudart_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind);

/*
 * occupancy.c: attributes in the runtime's layout. The members from cluster_needed on exist since release 12.
 */
struct func_attributes {
	size_t shared_bytes, constant_bytes, local_bytes;
	int threads, regs, ptx_version, binary_version, cache_mode, max_dynamic_shared, carveout;
	int cluster_needed, cluster[3], scheduling, large_cluster, reserved[16];
};

/* array.c */
struct channels { /* cudaChannelFormatDesc: bits of each channel, and their common kind */
	int bits[4], kind;
};
/* Sets the format of a texel from its channels. Returns 0 or a status. */
int cudart_set_channels(struct texture *t, const struct channels *c);
/* Returns the array as a texture without a sampler, or NULL if `a` is not an array. */
const struct texture *cudart_array_texture(const struct array *a);
/* Returns the mipmapped array as a texture without a sampler, or NULL if `m` is not a mipmapped array. */
const struct texture *cudart_mipmap_texture(const struct mipmap *m);
/* Returns the bytes of a texel of the array, or 0 if `a` is not an array. */
size_t cudart_array_texel_bytes(const struct array *a);
/*
 * Finds the box of an array that begins at byte x, row y, plane z; extent: bytes, rows, planes. Returns 0 or a
 * status.
 */
int cudart_array_box(const struct array *a, struct position start, struct extent extent, struct pitched *out,
	size_t *slice_pitch);

/* device.c: returns the bytes of stack of a thread that the program has set. */
size_t cudart_stack_limit(void);
/* device.c: returns the release of the runtime that the program was linked with. */
int cudart_runtime_release(void);

/* trace.c: tests whether the launch is one of --kernels and --launches. */
bool cudart_is_chosen(const struct launch *l);
/* Returns the function that records the launch's instructions; NULL: the launch is not traced. */
record_fn *cudart_record_function(const struct launch *l);
/* Begins the trace of a launch. Returns NULL if the launch is not traced. */
struct trace_sink *cudart_begin_trace(const struct grid *g, const struct occupancy *k);
void cudart_end_trace(struct trace_sink *t);
/* Sends the trace of a thread block that has ended. trace_sink: the launch's struct trace_sink, or NULL. */
bool cudart_trace_block(void *trace_sink, struct cta *c);

/* stream.c: returns the stream's number in the trace; -1: `s` is not a stream. */
int64_t cudart_stream_number(const struct stream *s);
/* Sets and returns the context to which a stream of the program belongs. NULL: the primary context. */
void cudart_set_stream_context(struct stream *s, struct cuda_context *c);
struct cuda_context *cudart_stream_context(const struct stream *s);
/* Returns true if `e` is an event that may be shared with other processes. */
bool cudart_is_shared_event(const struct event *e);
/* Returns true if s is the default, legacy or per-thread stream: they have fixed handles. */
static inline bool cudart_is_default_stream(const struct stream *s) { return (uintptr_t)s <= 2; }

#endif
