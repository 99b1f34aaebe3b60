/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The interface of the CUDA driver (libcuda.so.1), over the objects of the runtime in cudart/: driver and runtime
 * share streams, events, graphs, arrays and pools, and a kernel has the same handle in both.
 *
 *   context.c  initialisation, the device, contexts      module.c  modules, libraries, linking
 *   memory.c   allocation, copies, fills, pointers        virtual.c reserved addresses and memory mapped there
 *   launch.c   launches, attributes, occupancy            stream.c  streams and events
 *   graph.c, graph_node.c graphs                          entry.c   functions by name, errors, refused functions
 *   launch_older.c launches of the first releases
 *   array.c    arrays, textures and surfaces              tensor_map.c tensor maps
 *   green.c    contexts for a part of the SMs             batch.c   batches of copies and hints, also of the runtime
 *   library.c  libraries of the runtime                  copy_array.c copies of rows of arrays
 *   texture_reference.c textures and surfaces that modules name
 *   cuda.def   every function of the driver
 *
 * Always true: a function of the driver does not change the runtime's last error. All contexts share one device
 * and its memory; destroying the last one frees the memory.
 */
#ifndef CUDA_H
#define CUDA_H

#include "cuda/runtime.h"

struct cuda_context;

/*
 * context.c: cuda_enter() begins a function that needs a context, cuda_enter_device() one that needs only
 * initialisation, cuda_enter_stream() one that needs a context only if s is a default stream. Return 0 or a
 * status.
 */
int cuda_enter(void);
int cuda_enter_device(void);
int cuda_enter_stream(const struct stream *s);
/* Ends a function that began with one of the three functions above. Returns the driver's code for a status. */
int cuda_leave(int status);
/* Returns the context of the calling thread, or NULL if it has none. */
struct cuda_context *cuda_current_context(void);
/* Returns the context of a valid stream. A default stream belongs to the current context. */
struct cuda_context *cuda_stream_context(const struct stream *s);
struct cuda_context *cuda_primary_context(void);
/* Creates a context, without making it current. */
struct cuda_context *cuda_make_context(unsigned flags);
/* Returns true if a handle is a context that was not destroyed. */
bool cuda_is_live_context(const struct cuda_context *c);
unsigned long long cuda_context_id(const struct cuda_context *c);
/* Destroys a context. Destroying the last one frees the memory of the device. Returns 0 or a status. */
int cuda_end_context(struct cuda_context *c);
/* Checks the number of a device. Returns 0 or a status. */
int cuda_check_device(int device);

/* Defines a function that needs a context and returns the status of `call`. */
#define DRIVER(name, call, ...) \
	API(int, name, __VA_ARGS__) \
	{ \
		int entered = cuda_enter(); \
\
		return cuda_leave(entered ? entered : (call)); \
	}
/* Defines a function as DRIVER() does, also under `other`, its name for per-thread default streams. */
#define DRIVER_TOO(name, other, call, ...) DRIVER(name, call, __VA_ARGS__) ALSO(other, name);
/*
 * Defines a function of stream `s` that returns the status of `call`. It needs a context only if s is a default
 * stream, because other streams belong to a context.
 */
#define STREAM(name, call, ...) \
	API(int, name, __VA_ARGS__) \
	{ \
		int entered = cuda_enter_stream(s); \
\
		return cuda_leave(entered ? entered : (call)); \
	}
/* Defines a function as STREAM() does, also under `other`, its name for per-thread default streams. */
#define STREAM_TOO(name, other, call, ...) STREAM(name, call, __VA_ARGS__) ALSO(other, name);
/* Defines a function that needs only initialisation. */
#define DEVICE(name, call, ...) \
	API(int, name, __VA_ARGS__) \
	{ \
		int entered = cuda_enter_device(); \
\
		return cuda_leave(entered ? entered : (call)); \
	}

static inline void *cuda_address(uint64_t addr) { return (void *)(uintptr_t)addr; }

/* Stores a value at `to`. Yields 0, or cudaErrorInvalidValue if `to` is NULL. */
#define STORED(to, value) ((to) ? (*(to) = (value), cudaSuccess) : cudaErrorInvalidValue)

/*
 * stream.c: record an event after all work of a context, and let all later work of a context wait for one. live:
 * the context exists. Return 0 or a status.
 */
int cuda_record_context_event(struct event *event, bool live, const char *function);
int cuda_wait_context_event(const struct event *event, bool live, const char *function);

/* CUDA_MEMCPY3D, for memory.c. x and width are in bytes, even for arrays. */
struct cuda_copy_end {
	size_t x, y, z, level;
	unsigned kind;
	char *host;
	uint64_t device;
	struct array *array;
	void *reserved;
	size_t pitch, height;
};
struct cuda_copy_3d {
	struct cuda_copy_end source, target;
	size_t width, height, depth;
};
/* Converts *c to the runtime's structure. Returns 0 or a status. */
int cuda_convert_copy(struct copy_3d *to, const struct cuda_copy_3d *c);
enum memory_kind { KIND_HOST = 1, KIND_DEVICE, KIND_ARRAY, KIND_UNIFIED };
/* Copies a box on stream s. Returns 0 or a status. */
int cuda_copy_box(const struct cuda_copy_3d *c, struct stream *s);

struct cuda_module;
/* module.c: finds a variable of a module by its name. Returns 0 or a status. */
int cuda_find_variable(const struct symbol **to, const struct cuda_module *m, const char *name);

/*
 * launch.c: sets *made to the addresses of the arguments in the buffer that `extra` describes, or to NULL if
 * `extra` is NULL. The caller frees *made. Returns 0 or a status.
 */
int cuda_collect_arguments(const void *kernel, void **args, void **extra, void ***made);
/* Launches a kernel with `args`, or with the buffer that `extra` describes. Returns 0 or a status. */
int cuda_launch_kernel(const void *kernel, const struct launch_config *c, void **args, void **extra);

/* CUDA_KERNEL_NODE_PARAMS_v2. Version 1 ends before the member `kernel`. */
struct cuda_kernel_params {
	const void *function;
	struct dim grid, block;
	unsigned shared_bytes;
	void **args, **extra;
	const void *kernel; /* kernel to launch if `function` is NULL */
	struct cuda_context *context;
};

/*
 * graph.c: converts the parameters of a kernel node. *made: addresses of the arguments, which the caller frees.
 * second: *p has version 2. Returns 0 or a status.
 */
int cuda_convert_kernel(
	struct kernel_params *to, const struct cuda_kernel_params *p, bool second, void ***made);

#endif
