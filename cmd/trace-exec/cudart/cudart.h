/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The CUDA runtime's interface over the executor: a shared library that trace-exec --run loads in front of the
 * runtime that a program was linked with.
 *
 *   start.c    what trace-exec says, memory, the end       status.c   codes, names, the last error
 *   image.c    fat binaries, kernels                      launch.c   launches
 *   variable.c variables
 *   allocate.c memory of every kind                       copy.c     copies and fills
 *   pool.c     pools of memory                        managed.c  hints about managed memory
 *   pointer.c  what addresses are                     driver.c   what the driver is asked for
 *   array.c    arrays and copies of them                  texture.c  textures and surfaces over memory
 *   graph.h    graphs and streams that record
 *   stream.c   streams and events                         device.c   what the GPU is
 *   occupancy.c what fits                                 refused.c  what is not there
 *   cudart.def every function of the interface
 *
 * Always true: everything happens in the call that asks for it, in the order of the calls, one at a time, so
 * that a stream is never busy and an event has happened when it was recorded; pointers to device memory are
 * the executor's addresses; managed and pinned memory has the same address on the host, other device memory
 * none. An error of a kernel stays, as with the real runtime, and shows in the next call that waits for the
 * device.
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

/* A function of the interface: exported, whatever the rest is. */
#define API(type, name, ...) \
	type name(__VA_ARGS__); \
	__attribute__((visibility("default"))) type name(__VA_ARGS__)
/* The same function under another name: per-thread default streams, later versions. */
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
	char *at;
	size_t pitch, width, height;
};

/* ---- what is registered ---- */

struct image {
	const void *bytes;        /* the fat binary; NULL: unregistered */
	const void *const *parts; /* fat binaries of separate compilation, NULL after the last; NULL: none */
	struct module **module;
	uint32_t n_modules, cap_modules;
	struct cubins *cubins; /* of the same fat binary; registers and shared memory of kernels */
	bool found,
		refused; /* found: it has PTX; refused: the PTX is not executable, reported at a kernel's first use */
	struct fault fault;
};

struct kernel {
	const void *host; /* the stub by which the program knows it */
	const char *name;
	uint32_t image;
	struct func *func; /* NULL: not loaded, or no such kernel */
	uint32_t regs, shared;
	int dynamic_most;                   /* bytes of dynamic shared memory that it may ask for */
	int carveout, scheduling;           /* as the program wanted them; -1 or 0: it did not */
	bool cluster_needed, large_cluster; /* likewise; large: of more blocks than all GPUs have together */
	uint32_t cluster[3];                /* that the program gave it; 0: none */
};

struct variable {
	const void *host;
	void **managed; /* where the program keeps its pointer to it; NULL: not managed */
	const char *name;
	uint32_t image;
	size_t size;
	bool normalized; /* of a texture reference: integers are read as floating point */
};

struct pool;

enum grant_kind { GRANT_DEVICE, GRANT_PINNED, GRANT_MANAGED };

/* Memory that the program was given. */
struct grant {
	uint64_t addr, bytes;
	uint8_t kind;
	bool live, lasting; /* lasting: a variable, which the program cannot free */
	unsigned flags;
	struct pool *pool; /* that it came from; NULL: none */
};

struct stream;
struct array;
struct mipmap;

struct cudart {
	pthread_mutex_t lock;
	struct wire wire;
	bool started, telling; /* telling: this process has the token */
	bool shown;            /* device memory can be shown to the host */
	int pid, broken;       /* broken: the error that stays */
	uint64_t static_limit; /* addresses below it are the device's, if anything */
	int pending;           /* of a kernel, not yet seen by the program */
	struct options exec;

	struct memory mem;
	struct textures textures;
	struct program prog;
	struct bound_code code;
	struct image *image;
	struct kernel *kernel;
	struct variable *variable;
	uint32_t n_images, cap_images, n_kernels, cap_kernels, n_variables, cap_variables, n_loaded;
	struct table kernels, variables; /* by host address */
	uint32_t launches;
	uint64_t warp_insts, thread_insts;

	struct grant *grant;
	uint32_t n_grants, cap_grants, given; /* in ascending order; given: how many there were */
	uint64_t live_bytes;
};
extern struct cudart cudart;

/* start.c: every function of the interface begins and ends with these. wait: it waits for the device. */
int cudart_enter(bool wait);
int cudart_leave(int status);
void cudart_send(enum wire_kind kind, const void *bytes, size_t n);
/* Not executed: a message, once for each text; cudaErrorNotSupported. */
int cudart_unsupported(const char *function, const char *what);

/* status.c */
void cudart_set_last(int status);
int cudart_fault_status(const struct fault *f);

/* image.c: load what was registered. 0 or a status. */
int cudart_load(void);
struct kernel *cudart_find_kernel(const void *host, int *status);
/* Address and size of a variable. */
int cudart_find_symbol(const void *host, uint64_t *addr, size_t *size);
/* The variable that the program knows by that address; NULL: none. */
struct variable *cudart_variable(const void *host);

/* variable.c: allocates the variables of an image that are in the heap, before linking. 0 or a status. */
int cudart_place_variables(uint32_t image);
/* Gives variables their initial values and names; resets all to these values. */
void cudart_init_variables(const struct module *m);
void cudart_reset_variables(void);
/* One that the image defines; NULL: none such. */
struct symbol *cudart_find_variable(const struct image *m, const char *name);
/* Address at which static variables must end, as the host has memory above it. */
uint64_t cudart_find_static_limit(void);

/* allocate.c */
int cudart_allocate(uint64_t *addr, size_t n, enum grant_kind kind, unsigned flags, const char *what);
struct grant *cudart_find_grant(uint64_t addr); /* that holds addr and lives; NULL: none */
/*
 * Host address of n bytes at p, which is a device address or one of the host. NULL: not all in one piece.
 */
void *cudart_host_address(const void *p, size_t n);
bool cudart_is_device(const void *p); /* memory that the host cannot reach, or a variable */
void cudart_report_leaks(void);
/* Frees device memory of cudart_allocate(). 0 or a status. */
int cudart_release(uint64_t addr);

/* pointer.c: is p in memory registered with cudaHostRegister()? */
bool cudart_is_registered(const void *p);

/* pool.c: adds to the bytes of a pool that are in use; subtracts from them. */
void cudart_pool_add_used(struct pool *p, uint64_t bytes);
void cudart_pool_subtract_used(struct pool *p, uint64_t bytes);

/* copy.c: copies height rows of width bytes, pitch bytes apart; kind as in cudaMemcpy(). */
int cudart_copy_rows(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
	size_t height, int kind);

/* array.c */
struct channels { /* as the program describes a texel: bits of each channel, and their kind */
	int bits[4], kind;
};
/* The form of a texel of those channels; 0 or a status. */
int cudart_set_channels(struct texture *t, const struct channels *c);
/* The array as a texture without a sampler; NULL: no such array. */
const struct texture *cudart_array_form(const struct array *a);
/* The mipmapped array as a texture without a sampler; NULL: no such array. */
const struct texture *cudart_mipmap_form(const struct mipmap *m);
/* Bytes of a texel of the array; 0: none such. */
size_t cudart_array_texel_bytes(const struct array *a);
/*
 * Finds the box of an array that begins at byte x, row y, plane z; extent: bytes, rows, planes. 0 or a status.
 */
int cudart_array_box(
	const struct array *a, struct position at, struct extent extent, struct pitched *out, size_t *slice);

/* device.c: release of the runtime that the program was linked with */
int cudart_runtime_release(void);

/* stream.c: the stream's number for the trace; -1: none such */
int64_t cudart_stream_number(const struct stream *s);

#endif
