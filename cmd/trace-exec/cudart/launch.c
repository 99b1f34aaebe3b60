/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launches: configuration, arguments, execution.
 *
 * Always true: a launch that the modelled GPU would reject is rejected with the same status. The kernel has
 * ended when the call returns, or waits for the host (pause.c); as on a GPU, a later call returns its error.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cudart/pause.h"
#include "cudart/repeat.h"
#include "exec/check.h"
#include "exec/digest.h"
#include "lower/lower.h"
#include "machine/machine.h"

/* ---- launches written as <<< >>> ---- */

#define NESTED 16

static _Thread_local struct configuration pushed[NESTED];
static _Thread_local unsigned n_pushed;

API(unsigned, __cudaPushCallConfiguration, struct dim grid, struct dim block, size_t shared,
	struct stream *stream)
{
	if (n_pushed == NESTED)
		return 1;
	pushed[n_pushed++] = (struct configuration){
		.grid = grid, .block = block, .shared_bytes = shared, .stream = stream};
	return 0;
}

API(int, __cudaPopCallConfiguration, struct dim *grid, struct dim *block, size_t *shared, void *stream)
{
	if (!n_pushed) {
		cudart_set_last_error(cudaErrorMissingConfiguration);
		return cudaErrorMissingConfiguration;
	}
	const struct configuration *c = &pushed[--n_pushed];
	*grid = c->grid;
	*block = c->block;
	*shared = c->shared_bytes;
	memcpy(stream, &c->stream, sizeof(c->stream));
	return cudaSuccess;
}

/* ---- execution ---- */

/* Machine code of the latest kernel for --as sass; code is NULL if there is none. */
static struct {
	const struct func *kernel;
	uint32_t modules; /* number of modules when `code` was translated; a new module invalidates it */
	struct lower *code;
} lowered;

/* Returns the machine code of the kernel for --as sass, which is kept until another kernel is launched. */
static const struct lower *machine_code_of_grid(const struct grid *g)
{
	static struct fault f;

	if (!cudart.wire.binary || !g->record || g->machine)
		return NULL;
	if (!lowered.code || lowered.kernel != g->launch->kernel ||
		lowered.modules != g->code->prog->n_modules) {
		lower_free(lowered.code);
		lowered.code = lower_kernel(g->code, g->kernel, (unsigned)cudart.wire.binary, &f);
		lowered.kernel = g->launch->kernel;
		lowered.modules = g->code->prog->n_modules;
	}
	if (!lowered.code)
		die_fault(&f);
	return lowered.code;
}

struct begun_launch {
	struct launch launch;
	struct grid grid;
	struct grid_team *team;
	struct trace_sink *trace; /* trace of the launch; NULL: not traced */
	uint8_t *params;
	struct lower *own_code; /* machine code of a launch that has paused, freed at its end; NULL: none */
	bool chosen;
	struct repeat repeat;
};

static void free_launch(struct begun_launch *x)
{
	lower_free(x->own_code);
	free(x->params);
	free(x);
}

static void end_launch(struct begun_launch *x, bool good)
{
	grid_end(x->team);
	cudart_end_trace(x->trace);
	if (!x->chosen)
		memory_mark_all_set(&cudart.mem);
	cudart.warp_insts += x->grid.warp_insts;
	cudart.thread_insts += x->grid.thread_insts;
	if (x->grid.has_finding)
		cudart_send(WIRE_FOUND, NULL, 0);
	if (!good) {
		diag_fault(&x->grid.fault);
		cudart.pending = cudart_fault_status(&x->grid.fault);
		cudart_send(WIRE_FAILED, NULL, 0);
	}
	cudart_note_effect(&x->repeat, &x->grid, good);
	free_launch(x);
}

bool launch_continue(struct begun_launch *x, bool pauses)
{
	enum grid_state state = grid_continue(x->team, pauses);

	digest_end_launch(&cudart.mem, x->grid.options->check);
	if (state == GRID_PAUSED) {
		x->repeat.paused = true;
		if (x->grid.lower && x->grid.lower == lowered.code) {
			x->own_code = lowered.code;
			lowered.code = NULL;
		}
		return false;
	}
	end_launch(x, state == GRID_DONE);
	return true;
}

void launch_describe(const struct begun_launch *x, char *out, size_t cap)
{
	char kernel[KERNEL_MAX];

	position_kernel_text(x->launch.kernel, kernel);
	snprintf(out, cap, "%s, launch %u", kernel, x->launch.id);
}

static void execute_launch(const struct launch *l, const struct kernel *k, struct stream *s)
{
	struct begun_launch *x = xcalloc(1, sizeof(*x));
	struct occupancy o = {k->regs, k->shared_bytes};
	uint64_t threads = (uint64_t)l->block[0] * l->block[1] * l->block[2];

	machine_set_stack(&cudart.code, k->func, cudart_stack_limit());
	x->chosen = cudart_is_chosen(l);
	cudart.chosen_launches += x->chosen;
	x->params = xmalloc(l->kernel->param_bytes + 16u);
	memcpy(x->params, l->param, l->kernel->param_bytes + 16u);
	x->launch = *l;
	x->launch.param = x->params;
	x->grid = (struct grid){.code = &cudart.code,
		.mem = &cudart.mem,
		.textures = &cudart.textures,
		.options = x->chosen ? &cudart.exec : &cudart.unchecked,
		.launch = &x->launch,
		.timer = cudart.warp_insts,
		.n_resident = cudart.wire.sms * cudart_blocks_of_sm(k, threads, l->dyn_shared),
		.record = cudart_record_function(l),
		.print = stdout};
	if (cudart_skip_repeat(&x->repeat, &x->grid)) {
		free_launch(x);
		return;
	}
	grid_prepare(&x->grid);
	x->grid.lower = machine_code_of_grid(&x->grid);
	if (x->grid.record && x->grid.lower)
		x->grid.record = lower_write_record;
	x->trace = cudart_begin_trace(&x->grid, &o);
	x->team = grid_begin(&x->grid, cudart_trace_block, x->trace);
	if (!launch_continue(x, true))
		pause_launch(x, s);
}

/* ---- checks of a launch ---- */

#define CLUSTER_PORTABLE 8u /* largest cluster, in blocks, of every GPU with clusters */

/*
 * Returns the cluster of the launch, or else the cluster in the kernel's code, or else the one in its
 * attributes. Its x is 0 if there is none.
 */
static struct dim cluster_of_launch(const struct kernel *k, const struct configuration *c)
{
	const uint32_t *own = k->func->cluster[0] ? k->func->cluster : k->cluster;
	struct dim d = {own[0], own[1] ? own[1] : 1, own[2] ? own[2] : 1};

	return c->cluster.x ? c->cluster : d;
}

/*
 * Returns true if the cluster divides the grid, equals the cluster in the kernel's code (if there is one), and is
 * not too large.
 */
static bool is_launch_cluster_valid(const struct kernel *k, const struct configuration *c)
{
	const uint32_t grid[3] = {c->grid.x, c->grid.y, c->grid.z}, *own = k->func->cluster;
	const struct dim x = cluster_of_launch(k, c);
	uint32_t d[3] = {x.x, x.y, x.z}, most = k->large_cluster ? CLUSTER_MAX : CLUSTER_PORTABLE;

	if (own[0] && memcmp(d, own, sizeof(d)))
		return false;
	if (!d[0])
		return !k->cluster_needed && !k->func->explicit_cluster;
	if (k->func->max_cluster && (uint64_t)d[0] * d[1] * d[2] > k->func->max_cluster)
		return false;
	return d[1] && d[2] && !(grid[0] % d[0]) && !(grid[1] % d[1]) && !(grid[2] % d[2]) &&
	       (uint64_t)d[0] * d[1] * d[2] <= most &&
	       k->shared_bytes + c->shared_bytes <= CLUSTER_STRIDE - 16;
}

static int check_launch_limits(const struct kernel *k, const struct configuration *c)
{
	uint64_t threads = (uint64_t)c->block.x * c->block.y * c->block.z;
	const struct func *f = k->func;
	uint64_t most = (uint64_t)f->maxntid[0] * f->maxntid[1] * f->maxntid[2];
	uint64_t allowed = k->max_dynamic_shared > 0 ? (uint64_t)k->max_dynamic_shared : 49152;

	if (!c->grid.x || !c->grid.y || !c->grid.z || !threads || threads > 1024 || c->block.x > 1024 ||
		c->block.y > 1024 || c->block.z > 64 || c->grid.x > 0x7fffffff || c->grid.y > 65535 ||
		c->grid.z > 65535)
		return cudaErrorInvalidConfiguration;
	if (k->max_dynamic_shared <= 0)
		allowed = k->shared_bytes < allowed ? allowed - k->shared_bytes : 0;
	if (c->shared_bytes > allowed || k->shared_bytes + c->shared_bytes > cudart.wire.shared_block)
		return cudaErrorInvalidValue;
	if (most && threads > most)
		return cudaErrorInvalidValue;
	if (f->reqntid[0] &&
		(f->reqntid[0] != c->block.x || f->reqntid[1] != c->block.y || f->reqntid[2] != c->block.z))
		return cudaErrorInvalidValue;
	if (!is_launch_cluster_valid(k, c))
		return cudaErrorInvalidClusterSize;
	if ((uint64_t)k->regs * ((threads + 31) / 32 * 32) > cudart.wire.regs)
		return cudaErrorLaunchOutOfResources;
	return cudaSuccess;
}

/* Returns the address of the barrier counters of a cooperative grid, or 0 if memory is exhausted. */
static uint64_t allocate_grid_workspace(void)
{
	static uint64_t addr;

	if (!addr)
		addr = memory_allocate_buffer(&cudart.mem, "grid workspace", WORKSPACE_BYTES);
	return addr;
}

/* Sets *fit to the number of blocks that can be resident on an SM. Returns 0 or a status. */
static int count_active_blocks(int *fit, const void *host, const struct configuration *c)
{
	int cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *, const void *, int, size_t);

	return cudaOccupancyMaxActiveBlocksPerMultiprocessor(
		fit, host, (int)(c->block.x * c->block.y * c->block.z), c->shared_bytes);
}

/*
 * Checks that all blocks of a cooperative launch fit on the GPU at once. GPUs require this; the executor does
 * not.
 */
static int check_cooperative(const void *host, const struct configuration *c)
{
	int fit = 0, e = count_active_blocks(&fit, host, c);

	if (!e && (uint64_t)c->grid.x * c->grid.y * c->grid.z > (uint64_t)fit * cudart.wire.sms)
		e = cudaErrorCooperativeLaunchTooLarge;
	return e;
}

void work_free_kernel(struct kernel_work *w)
{
	free(w->params);
	free(w->args);
	w->params = NULL;
	w->args = NULL;
}

int work_prepare_kernel(
	struct kernel_work *w, const void *host, const struct configuration *c, void *const *args)
{
	const struct func *f;
	struct kernel *k;
	int e;

	k = cudart_find_kernel(host, &e);
	if (!k || (e = check_launch_limits(k, c)) || (c->cooperative && (e = check_cooperative(host, c))))
		return e;
	f = k->func;
	if (f->n_params && !args)
		return cudaErrorInvalidValue;
	*w = (struct kernel_work){.host = host,
		.config = *c,
		.params = xcalloc(f->param_bytes + 16u, 1),
		.args = xcalloc(f->n_params + 1u, sizeof(*w->args))};
	for (uint32_t i = 0; i < f->n_params; i++) {
		w->args[i] = w->params + f->param[i]->addr;
		memcpy(w->args[i], args[i], f->param[i]->size);
	}
	return cudaSuccess;
}

int work_run_kernel(const struct kernel_work *w, struct stream *s)
{
	const struct configuration *c = &w->config;
	int e;
	struct kernel *k = cudart_find_kernel(w->host, &e);
	struct launch l;
	struct dim cluster;

	if (!k)
		return e;
	cluster = cluster_of_launch(k, c);
	if (!cluster.x)
		cluster = (struct dim){0, 0, 0};
	l = (struct launch){.kernel = k->func,
		.grid = {c->grid.x, c->grid.y, c->grid.z},
		.block = {c->block.x, c->block.y, c->block.z},
		.dyn_shared = (uint32_t)c->shared_bytes,
		.cluster = {cluster.x, cluster.y, cluster.z},
		.stream = (uint32_t)cudart_stream_number(s),
		.programmatic = c->programmatic,
		.workspace = c->cooperative ? allocate_grid_workspace() : 0,
		.id = ++cudart.launches,
		.param = w->params};
	if (!cudart.pending) /* no kernel starts after one that failed */
		execute_launch(&l, k, s);
	return cudaSuccess;
}

int work_launch_kernel(const void *host, const struct configuration *c, void **args)
{
	struct graph_work w = {.kind = WORK_KERNEL, .kernel = {.host = host, .config = *c, .args = args}};
	int e;

	if (cudart_stream_number(c->stream) < 0)
		return cudaErrorInvalidResourceHandle;
	if (c->event && !cudart_is_event(c->event))
		return cudaErrorInvalidResourceHandle;
	if (capture_blocks_work(c->stream, &e)) {
		if (!e && c->event)
			e = capture_reject_call(c->stream, "cudaLaunchKernelExC with an event");
		return e ? e : capture_add_work(c->stream, &w);
	}
	if (pause_must_queue(c->stream)) {
		e = pause_queue_work(c->stream, &w);
	} else {
		e = work_prepare_kernel(&w.kernel, host, c, args);
		if (e)
			return e;
		e = work_run_kernel(&w.kernel, c->stream);
		work_free_kernel(&w.kernel);
	}
	return !e && c->event ? work_record(c->event, c->stream) : e;
}

API(int, cudaLaunchKernel, const void *host, struct dim grid, struct dim block, void **args, size_t shared,
	struct stream *stream)
{
	struct configuration c = {.grid = grid, .block = block, .shared_bytes = shared, .stream = stream};
	int e = cudart_enter(false);

	return cudart_leave(e ? e : work_launch_kernel(host, &c, args));
}
ALSO(cudaLaunchKernel_ptsz, cudaLaunchKernel);
ALSO(__cudaLaunchKernel, cudaLaunchKernel);
ALSO(__cudaLaunchKernel_ptsz, cudaLaunchKernel);

/* A kernel's handle is the stub that it was registered with. */
API(int, cudaGetKernel, const void **to, const void *host)
{
	int e = cudart_enter(false);

	*to = host;
	return cudart_leave(e);
}
ALSO(__cudaGetKernel, cudaGetKernel);
ALSO(cudaGetFuncBySymbol, cudaGetKernel);

API(int, cudaLaunchCooperativeKernel, const void *host, struct dim grid, struct dim block, void **args,
	size_t shared, struct stream *stream)
{
	struct configuration c = {
		.grid = grid, .block = block, .shared_bytes = shared, .stream = stream, .cooperative = true};
	int e = cudart_enter(false);

	return cudart_leave(e ? e : work_launch_kernel(host, &c, args));
}
ALSO(cudaLaunchCooperativeKernel_ptsz, cudaLaunchCooperativeKernel);

/* ---- launches with attributes ---- */

enum {
	ATTRIBUTE_COOPERATIVE = 2,
	ATTRIBUTE_CLUSTER = 4,
	ATTRIBUTE_PROGRAMMATIC = 6,
	ATTRIBUTE_EVENT = 7,
	ATTRIBUTE_COMPLETION = 12
};

static int apply_launch_attribute(struct configuration *c, const struct launch_attribute *a)
{
	const unsigned *v = a->value.number;

	if (a->id == ATTRIBUTE_CLUSTER)
		c->cluster = (struct dim){v[0], v[1], v[2]};
	if (a->id == ATTRIBUTE_COOPERATIVE)
		c->cooperative = v[0];
	if (a->id == ATTRIBUTE_PROGRAMMATIC)
		c->programmatic = v[0];
	if (a->id == ATTRIBUTE_EVENT || a->id == ATTRIBUTE_COMPLETION)
		memcpy(&c->event, v, sizeof(c->event));
	return cudaSuccess;
}

static int apply_launch_config(struct configuration *c, const struct launch_config *from)
{
	int e = cudaSuccess;

	if (!from || (from->n_attributes && !from->attribute))
		return cudaErrorInvalidValue;
	*c = (struct configuration){.grid = from->grid,
		.block = from->block,
		.shared_bytes = from->shared_bytes,
		.stream = from->stream};
	for (unsigned i = 0; !e && i < from->n_attributes; i++)
		e = apply_launch_attribute(c, &from->attribute[i]);
	return e;
}

API(int, cudaLaunchKernelExC, const struct launch_config *config, const void *host, void **args)
{
	int e = cudart_enter(false);
	struct configuration c;

	if (!e)
		e = apply_launch_config(&c, config);
	return cudart_leave(e ? e : work_launch_kernel(host, &c, args));
}
ALSO(cudaLaunchKernelExC_ptsz, cudaLaunchKernelExC);

/*
 * Sets *c to the launch, *n to the number of resident blocks of the GPU, and *most to the size of the largest
 * cluster. Returns 0 or a status.
 */
static int count_resident_blocks(const void *host, const struct launch_config *from, struct configuration *c,
	uint64_t *n, unsigned *most)
{
	int e = cudart_enter(false), fit = 0;
	const struct kernel *k = e ? NULL : cudart_find_kernel(host, &e);

	if (!e && !(e = apply_launch_config(c, from)))
		e = count_active_blocks(&fit, host, c);
	if (e)
		return e;
	c->cluster = cluster_of_launch(k, c);
	*n = (uint64_t)fit * cudart.wire.sms;
	*most = k->large_cluster ? CLUSTER_MAX : CLUSTER_PORTABLE;
	return cudaSuccess;
}

/* Stores the number of resident clusters, or with `largest` the number of blocks in the largest cluster. */
static int store_cluster_count(int *to, const void *host, const struct launch_config *from, bool largest)
{
	struct configuration c;
	unsigned most;
	uint64_t n, blocks;
	int e = count_resident_blocks(host, from, &c, &n, &most);

	if (!e && !to)
		e = cudaErrorInvalidValue;
	if (e)
		return cudart_leave(e);
	blocks = c.cluster.x ? (uint64_t)c.cluster.x * c.cluster.y * c.cluster.z : 1;
	if (largest)
		*to = (int)(n < most ? n : most);
	else
		*to = blocks && blocks <= most ? (int)(n / blocks) : 0;
	return cudart_leave(cudaSuccess);
}

/* A cluster may use any SMs: the configurations do not describe graphics processing clusters. */
API(int, cudaOccupancyMaxActiveClusters, int *to, const void *host, const struct launch_config *from)
{
	return store_cluster_count(to, host, from, false);
}

API(int, cudaOccupancyMaxPotentialClusterSize, int *to, const void *host, const struct launch_config *from)
{
	return store_cluster_count(to, host, from, true);
}

/* ---- host functions ---- */

API(int, cudaLaunchHostFunc, struct stream *stream, void (*call)(void *), void *arg)
{
	struct graph_work w = {.kind = WORK_HOST, .host = {call, arg}};
	int e = cudart_enter(true);

	if (!e && (!call || cudart_stream_number(stream) < 0))
		e = call ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	if (!e && work_is_kept(stream, &e))
		return cudart_leave(e ? e : work_keep(stream, &w));
	cudart_leave(e);
	if (!e)
		call(arg);
	return e;
}
ALSO(cudaLaunchHostFunc_ptsz, cudaLaunchHostFunc);

API(int, cudaStreamAddCallback, struct stream *stream, void (*call)(struct stream *, int, void *), void *arg,
	unsigned flags)
{
	int e = cudart_enter(true);

	if (!e && (!call || flags || cudart_stream_number(stream) < 0))
		e = call && !flags ? cudaErrorInvalidResourceHandle : cudaErrorInvalidValue;
	if (!e && capture_blocks_work(stream, &e) &&
		!e) /* a callback with a status argument cannot be recorded */
		e = cudaErrorStreamCaptureUnsupported;
	if (!e)
		e = pause_wait_stream(stream);
	cudart_leave(e);
	if (!e)
		call(stream, cudaSuccess, arg);
	return e;
}
ALSO(cudaStreamAddCallback_ptsz, cudaStreamAddCallback);
