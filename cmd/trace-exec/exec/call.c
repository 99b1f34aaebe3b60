/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Calls: frames of registers and local memory above the caller's, arguments in, results out.
 *
 * Always true: lanes that return wait until the last lane of their call has returned; a result is copied for
 * all lanes that made the call. Built-in functions read their arguments from the caller's local frame, where a
 * call stores them.
 */
#include <string.h>
#include "exec/check.h"
#include "exec/digest.h"
#include "exec/print.h"
#include "exec/stack.h"
#include "exec/undefined.h"

static unsigned slot_width(const struct func *fn, uint32_t reg)
{
	unsigned bits = types[fn->reg[reg].type].bits;

	return bits == 1 ? 0 : bits <= 16 ? 2 : bits / 8;
}

/*
 * Copies a register of `bytes` bytes (0: a predicate) for the lanes of mask. Offsets are relative to w->frames.
 */
static void copy_slot(struct warp *w, size_t to, size_t from, unsigned bytes, uint32_t mask)
{
	uint8_t *d = w->frames + to, *s = w->frames + from;

	if (w->n_undefined)
		undefined_copy_register(w, to, from, mask);
	if (!bytes) {
		uint32_t a, b;

		memcpy(&a, d, 4);
		memcpy(&b, s, 4);
		a = (a & ~mask) | (b & mask);
		memcpy(d, &a, 4);
	} else if (bytes == 16) {
		copy_slot(w, to, from, 8, mask);
		copy_slot(w, to + 8 * LANES, from + 8 * LANES, 8, mask);
	} else {
		FOR_BITS32 (i, mask)
			memcpy(d + (size_t)i * bytes, s + (size_t)i * bytes, bytes);
	}
}

static void copy_reg_argument(struct warp *w, const struct func *callee, const struct symbol *formal,
	const struct argument *a, size_t caller, size_t called, bool ret, uint32_t mask)
{
	for (unsigned e = 0; e < a->n && e < 4; e++) {
		uint32_t slot = callee->reg[formal->first_reg + e].slot;
		unsigned bytes = slot_width(callee, formal->first_reg + e);

		if (slot)
			copy_slot(w, ret ? caller + a->slot[e] : called + slot,
				ret ? called + slot : caller + a->slot[e], bytes, mask);
	}
}

static void copy_local(struct warp *w, uint8_t *to, const uint8_t *from, uint64_t bytes)
{
	w->changed_local = true;
	memcpy(to, from, bytes);
	if (w->undefined)
		undefined_copy_local(w, to, from, bytes);
}

/* Copies a lane's register at `from` in w->frames to local memory. */
static void copy_value_to_local(struct warp *w, uint8_t *to, size_t from, unsigned lane, uint64_t bytes)
{
	w->changed_local = true;
	memcpy(to, w->frames + from + (size_t)lane * (bytes < 2 ? 2 : bytes), bytes);
	if (w->undefined)
		undefined_copy_to_local(w, to, from, lane, bytes);
}

static bool check_local_memory(struct warp *w, const struct op *o, uint32_t exec, uint64_t end)
{
	if (end <= w->local_stride)
		return true;
	exec_fail(w, o, exec, "local-memory", "calls use %llu bytes of local memory (expected at most %u)",
		(unsigned long long)end, w->local_stride);
	return false;
}

uint32_t call_frame_end(const struct warp *w)
{
	return w->local_base + w->grid->code->prog->func[w->func]->local_bytes;
}

/* Saves the ends of the memory that the caller allocated. Returns the offset after all of it in the lanes of exec. */
static uint32_t save_dynamic_ends(struct warp *w, struct call_frame *c, uint32_t exec)
{
	uint32_t end = call_frame_end(w);

	if (!w->grid->code->allocates_local)
		return end;
	memcpy(c->dynamic_end, w->dynamic_end, sizeof(c->dynamic_end));
	FOR_BITS32 (i, exec) {
		end = max_u32(end, w->dynamic_end[i]);
		w->dynamic_end[i] = 0;
	}
	return end;
}

static void restore_dynamic_ends(struct warp *w, const struct call_frame *c, uint32_t mask)
{
	FOR_BITS32 (i, w->grid->code->allocates_local ? mask : 0)
		w->dynamic_end[i] = c->dynamic_end[i];
}

void call_enter(struct warp *w, const struct op *o, uint32_t func, uint32_t exec)
{
	const struct func *callee = w->grid->code->prog->func[func];
	const struct call_site *site = o->x->site;
	uint32_t base = w->local_base;
	size_t at = w->frame_at;

	if (w->n_calls >= 4096) {
		exec_fail(w, o, exec, "call-depth", "calls nested too deeply (expected at most 4096)");
		return;
	}
	if (w->n_calls == w->cap_calls)
		grow(&w->call, &w->cap_calls, w->n_calls + 1, sizeof(*w->call));
	struct call_frame *c = &w->call[w->n_calls];
	uint32_t frame = func_frame_start(callee, save_dynamic_ends(w, c, exec));
	if (!check_local_memory(w, o, exec, (uint64_t)frame + callee->local_bytes))
		return;
	w->n_calls++;
	c->base = w->depth;
	c->live = w->live;
	c->exec = exec;
	c->func = w->func;
	c->local_base = base;
	c->frame_at = at;
	c->op = o;
	w->frame_at += w->grid->code->frame[w->func].bytes;
	w->local_base = frame;
	exec_open_frame(w, func);
	for (uint32_t i = 0; i < site->n_args; i++) {
		const struct argument *a = &site->arg[i];
		const struct symbol *f = callee->param[i];

		if (f->kind == SYM_REG) {
			if (a->kind == ARG_REG)
				copy_reg_argument(w, callee, f, a, at, w->frame_at, false, exec);
			continue;
		}
		FOR_BITS32 (lane, exec) {
			uint8_t *local = w->local + (size_t)w->local_stride * lane,
				*to = local + w->local_base + f->addr;
			uint64_t bytes = a->bytes < f->size ? a->bytes : f->size;

			if (a->kind == ARG_PARAM)
				copy_local(w, to, local + base + a->param_offset, bytes);
			else if (a->kind == ARG_VALUE)
				copy_value_to_local(w, to, at + a->slot[0], lane, bytes);
		}
	}
	w->live = exec;
	stack_call(w, callee->first_pc, exec);
}

void call_copy_results(struct warp *w, const struct call_frame *c, uint32_t mask)
{
	const struct func *callee = w->grid->code->prog->func[w->func];
	const struct call_site *site = c->op->x->site;

	restore_dynamic_ends(w, c, mask);
	for (uint32_t i = 0; i < site->n_rets; i++) {
		const struct argument *a = &site->ret[i];
		const struct symbol *f = callee->ret[i];

		if (f->kind == SYM_REG) {
			if (a->kind == ARG_REG)
				copy_reg_argument(w, callee, f, a, c->frame_at, w->frame_at, true, mask);
			continue;
		}
		FOR_BITS32 (lane, a->kind == ARG_PARAM ? mask : 0) {
			uint8_t *own = w->local + (size_t)w->local_stride * lane;

			copy_local(w, own + c->local_base + a->param_offset, own + w->local_base + f->addr,
				a->bytes < f->size ? a->bytes : f->size);
		}
	}
}

void call_return_to_caller(struct warp *w, const struct call_frame *c)
{
	w->depth = c->base;
	w->func = c->func;
	w->frame_at = c->frame_at;
	w->frame = w->frames + w->frame_at;
	w->local_base = c->local_base;
	w->live = c->live & ~w->ended;
}

void call_leave(struct warp *w)
{
	const struct call_frame *c = &w->call[--w->n_calls];

	call_copy_results(w, c, c->exec);
	if (w->n_undefined)
		undefined_clear_registers(w, w->frame_at, w->grid->code->frame[w->func].bytes);
	call_return_to_caller(w, c);
}

bool call_may_enter(const struct call_site *s, const struct func *f)
{
	bool listed = !s->n_targets;

	for (uint32_t i = 0; i < s->n_targets && !listed; i++)
		listed = s->target[i] == f;
	return listed && !f->entry && func_has_same_signature(s->proto, f);
}

/* ---- built-in functions ---- */

static uint64_t built_in_param_value(const struct warp *w, const struct op *o, unsigned n, unsigned lane)
{
	const struct argument *a = &o->x->site->arg[n];
	uint64_t v = 0;

	if (a->kind == ARG_PARAM)
		memcpy(&v, w->local + (size_t)w->local_stride * lane + w->local_base + a->param_offset,
			a->bytes < 8 ? a->bytes : 8);
	else if (a->kind == ARG_VALUE || a->kind == ARG_REG)
		memcpy(&v, w->frame + a->slot[0] + (size_t)lane * (a->bytes ? a->bytes : 8),
			a->bytes ? a->bytes : 8);
	return v;
}

static void set_built_in_result(struct warp *w, const struct op *o, unsigned lane, uint64_t v)
{
	const struct call_site *s = o->x->site;

	const struct argument *a = s->n_rets ? &s->ret[0] : NULL;
	const size_t bytes = a && a->bytes < 8 ? a->bytes : 8;

	if (a && a->kind == ARG_PARAM)
		memcpy(w->local + (size_t)w->local_stride * lane + w->local_base + a->param_offset, &v,
			bytes);
	else if (a && a->kind == ARG_REG)
		memcpy(w->frame + a->slot[0] + lane * bytes, &v, bytes);
}

static void execute_printf(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		int n = print_lane(
			w, o, i, built_in_param_value(w, o, 0, i), built_in_param_value(w, o, 1, i));

		if (w->stop & WARP_STOP)
			return;
		set_built_in_result(w, o, i, (uint64_t)(int64_t)n);
	}
}

uint64_t call_malloc(struct warp *w, const struct op *o, uint64_t n)
{
	uint64_t a = n && n < 1ull << 32 ? memory_allocate_buffer(w->mem, "device malloc", n) : 0;

	w->cta->has_outside_effect = w->changed = true;
	if (!a)
		return 0;
	char kernel[KERNEL_MAX], line[LINES_MAX], text[KERNEL_MAX + LINES_MAX];

	position_kernel_text(w->grid->launch->kernel, kernel);
	position_instruction_text(o, line, sizeof(line));
	snprintf(text, sizeof(text), "%s%s", kernel, line);
	memory_note_allocating_call(w->mem, stmt_place(o->func, o->stmt), text);
	if (w->grid->options->check)
		memory_mark_unset(w->mem, a, n);
	return a;
}

static void execute_malloc(struct warp *w, const struct op *o, uint32_t m)
{
	pthread_mutex_lock(&w->mem->lock);
	FOR_BITS32 (i, m)
		set_built_in_result(w, o, i, call_malloc(w, o, built_in_param_value(w, o, 0, i)));
	pthread_mutex_unlock(&w->mem->lock);
}

bool call_free(struct warp *w, const struct op *o, unsigned lane, uint64_t a)
{
	pthread_mutex_lock(&w->mem->lock);
	struct buffer *b = (struct buffer *)memory_nearest_buffer(w->mem, a);
	w->cta->has_outside_effect = w->changed = true;
	bool good = !a || (b && b->addr == a && b->live && !strcmp(b->name, "device malloc"));

	if (a && good)
		b->live = false;
	pthread_mutex_unlock(&w->mem->lock);
	if (!good)
		exec_fail(w, o, 1u << lane, "free",
			"free of 0x%llx (expected an address that malloc returned)", (unsigned long long)a);
	return good;
}

static void execute_free(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		if (!call_free(w, o, i, built_in_param_value(w, o, 0, i)))
			return;
}

/* Stores the address of new memory, and returns a status of the CUDA runtime. */
static void execute_runtime_malloc(struct warp *w, const struct op *o, uint32_t m)
{
	enum { OUT_OF_MEMORY = 2 };

	FOR_BITS32 (i, m) {
		uint64_t at = built_in_param_value(w, o, 0, i), a;
		uint8_t *to = print_find_bytes(w, i, at, sizeof(a));

		if (!to) {
			checker_report_outside(w, o, i, SP_GLOBAL, at, sizeof(a));
			return;
		}
		pthread_mutex_lock(&w->mem->lock);
		a = call_malloc(w, o, built_in_param_value(w, o, 1, i));
		pthread_mutex_unlock(&w->mem->lock);
		if (a) {
			memcpy(to, &a, sizeof(a));
			checker_mark_written(w->cta, to, sizeof(a));
		}
		set_built_in_result(w, o, i, a ? 0 : OUT_OF_MEMORY);
	}
}

static void execute_runtime_free(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		if (!call_free(w, o, i, built_in_param_value(w, o, 0, i)))
			return;
		set_built_in_result(w, o, i, 0);
	}
}

void call_fail_assert(
	struct warp *w, const struct op *o, uint32_t m, uint64_t text, uint64_t file, unsigned line)
{
	unsigned lane = bit_lowest32(m);
	char asserted[128], name[128];

	print_string(w, lane, text, asserted, sizeof(asserted));
	print_string(w, lane, file, name, sizeof(name));
	exec_fail(w, o, m, "assert", "%s:%u: assertion '%s' failed", name, line, asserted);
}

static void execute_assert(struct warp *w, const struct op *o, uint32_t m)
{
	unsigned lane = bit_lowest32(m);

	call_fail_assert(w, o, m, built_in_param_value(w, o, 0, lane), built_in_param_value(w, o, 1, lane),
		(unsigned)built_in_param_value(w, o, 2, lane));
}

void call_set_condition(struct warp *w, const struct op *o, unsigned lane, uint64_t handle, uint32_t value)
{
	const struct buffer *b = memory_nearest_buffer(w->mem, handle);
	uint8_t *to = b && !strcmp(b->name, MEMORY_CONDITIONS) && handle % 4 == 0
			      ? memory_host_address(w->mem, handle, 4)
			      : NULL;

	if (to) {
		digest_note_write(w->mem->digests, handle - HEAP_BASE, 4);
		memcpy(to, &value, 4);
	} else {
		exec_fail(w, o, 1u << lane, "condition", "0x%llx is not the handle of a graph condition",
			(unsigned long long)handle);
	}
}

static void execute_set_condition(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		call_set_condition(w, o, i, built_in_param_value(w, o, 0, i),
			(uint32_t)built_in_param_value(w, o, 1, i));
}

static const struct call_built_in built_in[] = {
	{"vprintf", execute_printf, 2, ORDER_SHOWS, false},
	{"malloc", execute_malloc, 1, ORDER_SHOWS, true},
	{"free", execute_free, 1, ORDER_SHOWS, false},
	{"__assertfail", execute_assert, 3, 0, false},
	{"cudaGraphSetConditional", execute_set_condition, 2, ORDER_SHOWS, false},
	/* cudaMalloc() and cudaFree() of the device runtime, versions 1 and 2 */
	{"cudaMalloc", execute_runtime_malloc, 2, ORDER_SHOWS, true},
	{"cudaFree", execute_runtime_free, 1, ORDER_SHOWS, false},
	{"__cudaCDP2Malloc", execute_runtime_malloc, 2, ORDER_SHOWS, true},
	{"__cudaCDP2Free", execute_runtime_free, 1, ORDER_SHOWS, false},
};

const struct call_built_in *call_find_built_in(const char *name)
{
	for (unsigned i = 0; i < sizeof(built_in) / sizeof(built_in[0]); i++)
		if (!strcmp(built_in[i].name, name))
			return &built_in[i];
	return NULL;
}

/* ---- reachable functions ---- */

void call_find_reachable(const struct bound_code *c, uint32_t n, uint8_t *on)
{
	const struct func *f = c->prog->func[n];

	if (on[n])
		return;
	on[n] = 1;
	for (uint32_t i = 0; i < f->n_insts; i++) {
		const struct op *o = &c->op[f->first_pc + i];

		if (o->flow == FLOW_CALL)
			call_find_reachable(c, c->owner[o->target], on);
		else if (o->flow == FLOW_CALL_REG)
			for (uint32_t k = 0; k < c->prog->n_funcs; k++)
				if (!c->prog->func[k]->entry)
					call_find_reachable(c, k, on);
	}
}
