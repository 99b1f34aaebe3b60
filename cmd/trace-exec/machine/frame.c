/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Creates the frame of a warp. Registers start as zeros, predicates as false. Constants are copied from their banks
 * when the frame is created, because they do not change during a launch. Bank 0 holds launch values and parameters at
 * offsets that depend on the architecture.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "machine/code.h"

/* ---- constant banks ---- */

/* Offsets of launch values in bank 0, by architecture. */
struct bank0_layout {
	uint16_t block, grid; /* dimensions */
	/* bases of the windows of shared and local memory; shared_window: until sm_99 */
	uint16_t shared_window, local_window;
	uint16_t stack;   /* bytes of local memory of a lane */
	uint16_t dynamic; /* bytes of dynamic shared memory */
	uint16_t grid_id;
	uint16_t constants; /* generic address of constant bank 3 */
	uint16_t reserved;  /* bytes of shared memory that are reserved for the system; sm_80 and later */
	/* sm_90 and later: */
	uint16_t in_cluster;         /* 1 if the kernel is launched with clusters */
	uint16_t cluster;            /* dimensions of a cluster in thread blocks */
	uint16_t cluster_reciprocal; /* reciprocals of the dimensions of a cluster */
	uint16_t clusters;           /* dimensions of the grid in clusters */
	uint16_t cluster_blocks;     /* number of thread blocks of a cluster */
	uint16_t parameters;         /* generic address of the parameters */
};
#define CONSTANTS_90 0xd0 /* bank0_layout.constants of sm_90 */
#define BANK0_80     0x40 /* offset of the word with the generic address of bank 0, until sm_89 */
static const struct bank0_layout layouts[] = {
	{0x0, 0xc, 0x18, 0x20, 0x28, 0x2c, 0x30, 0x50, 0x114, 0x140, 0x144, 0x150, 0x15c, 0x188, 0x198},
	{0x360, 0x370, 0, 0x2f8, 0x37c, 0x2ac, 0x140, 0x120, 0x16c, 0x36c, 0x2a0, 0x2b0, 0x2c0, 0x2cc, 0x348},
};

/*
 * Returns the offset of the first environment register. From sm_100 on it depends on SR_CgaSize, which is 0 here.
 */
static uint32_t environment_offset(unsigned sm) { return sm >= 100 ? 0x250 : sm >= 90 ? 0x40 : 0x88; }

/*
 * Returns the offset in bank 0 of the word with the end of the reserved shared memory. The next word has the address of
 * a part of this memory.
 */
static uint32_t reserved_end_offset(unsigned sm) { return sm >= 90 ? environment_offset(sm) + 0x28 : 0x120; }

#define LDC_OPCODE 0xb82 /* low 12 bits of LDC */

/*
 * Returns true if an instruction has the offset of bank 0 as a constant, or as a number for the LDC after it, which
 * ptxas writes without optimisation.
 */
static bool has_offset(const struct machine_code *c, uint32_t i, int64_t offset)
{
	bool before_ldc = i + 1 < c->n && c->inst[i + 1].opcode == LDC_OPCODE;

	for (unsigned k = 0; k < c->inst[i].n_args; k++) {
		const struct sass_arg *a = &c->inst[i].arg[k];

		if (a->value == offset &&
			((a->kind == SASS_CONST && !a->bank) || (a->kind == SASS_INT && before_ldc)))
			return true;
	}
	return false;
}

uint8_t frame_find_reserved(const struct machine_code *c)
{
	const int64_t at = reserved_end_offset(c->sm);

	for (uint32_t i = 0; i < c->n && c->sm >= 80; i++)
		if (has_offset(c, i, at) || has_offset(c, i, at + 4))
			return c->sm >= 90 ? RESERVED_FIRST : RESERVED_LAST;
	return 0;
}

static void write_bank0_value(struct grid *g, uint32_t at, uint64_t v, unsigned bytes)
{
	if (at + bytes <= g->bank0_bytes)
		memcpy(g->bank0 + at, &v, bytes);
}

/* Writes the size and the places of the reserved shared memory to bank 0. */
static void write_bank0_reserved(struct grid *g, const struct bank0_layout *x, unsigned sm)
{
	uint32_t at = reserved_end_offset(sm);

	if (sm >= 90 || g->reserved_at != UINT32_MAX)
		write_bank0_value(g, x->reserved, RESERVED_SHARED, 4);
	if (g->reserved_at != UINT32_MAX) {
		write_bank0_value(g, at, grid_sreg_value(g, S_RESERVED_SMEM_END), 4);
		write_bank0_value(g, at + 4, grid_sreg_value(g, S_RESERVED_SMEM_1), 4);
	}
}

/*
 * Writes the cluster's size and its reciprocals to bank 0. Kernels divide by multiplying with a reciprocal, so the
 * reciprocals are rounded up.
 */
static void write_bank0_cluster(struct grid *g, const struct bank0_layout *x)
{
	bool in_cluster = g->launch->cluster[0] || g->launch->kernel->cluster[0];

	write_bank0_value(g, x->in_cluster, in_cluster, 4);
	write_bank0_value(g, x->cluster_blocks, g->cluster_size, 4);
	write_bank0_value(g, x->parameters, PARAM_BASE, 8);
	for (unsigned i = 0; i < 3; i++) {
		float r = 1.0F / (float)g->cluster[i];

		if ((double)r * g->cluster[i] < 1)
			r = nextafterf(r, 2);
		write_bank0_value(g, x->cluster + 4 * i, g->cluster[i], 4);
		write_bank0_value(g, x->cluster_reciprocal + 4 * i, ieee_f32_bits(r), 4);
		write_bank0_value(g, x->clusters + 4 * i, g->launch->grid[i] / g->cluster[i], 4);
	}
}

void frame_open(struct grid *g)
{
	const struct machine_code *c = g->launch->kernel->machine_code;
	const struct sass_function *k = c->kernel;
	const struct bank0_layout *x = &layouts[c->sm >= 100];

	g->param_at = k->param_offset;
	g->bank0_bytes = machine_bank_bytes(c, 0);
	g->bank0 = xcalloc(g->bank0_bytes + 16u, 1);
	if (k->bank0)
		memcpy(g->bank0, k->bank0, k->bank0_bytes);
	for (unsigned i = 0; i < 3; i++) {
		write_bank0_value(g, x->block + 4 * i, g->launch->block[i], 4);
		write_bank0_value(g, x->grid + 4 * i, g->launch->grid[i], 4);
	}
	if (c->sm < 100)
		write_bank0_value(g, x->shared_window, SHARED_WINDOW_BASE, 8);
	write_bank0_value(g, x->local_window, LOCAL_WINDOW_BASE, 8);
	write_bank0_value(g, x->stack, (uint32_t)g->launch->kernel->local_bytes, 4);
	write_bank0_value(g, x->dynamic, g->launch->dyn_shared, 4);
	write_bank0_value(g, x->grid_id, g->launch->id, 8);
	/*
	 * Cooperative groups read the workspace of the grid's barrier from these two registers;
	 * exec_sreg_value() returns the same.
	 */
	write_bank0_value(g, environment_offset(c->sm) + 4, g->launch->workspace >> 32, 4);
	write_bank0_value(g, environment_offset(c->sm) + 8, (uint32_t)g->launch->workspace, 4);
	if (c->module->bank3)
		write_bank0_value(g, c->sm >= 90 && c->sm < 100 ? CONSTANTS_90 : x->constants,
			c->module->bank3->addr, 8);
	if (c->sm < 90)
		write_bank0_value(g, BANK0_80, PARAM_BASE - k->param_offset, 8);
	write_bank0_reserved(g, x, c->sm);
	if (c->sm >= 90)
		write_bank0_cluster(g, x);
	if (g->launch->param)
		memcpy(g->bank0 + k->param_offset, g->launch->param, k->param_bytes);
}

void frame_close(struct grid *g)
{
	free(g->bank0);
	g->bank0 = NULL;
}

uint32_t machine_bank_bytes(const struct machine_code *c, unsigned bank)
{
	const struct machine_module *m = c->module;
	const struct sass_function *k = c->kernel;

	switch (bank) {
	case 0: return max_u32(max_u32(k->param_offset + k->param_bytes, 0x400), k->bank0_bytes);
	case 2: return k->bank2 ? k->bank2_bytes : (uint32_t)m->image->bank[2].n;
	case 3: return m->bank3 ? (uint32_t)m->bank3->size : 0;
	default: return bank > 7 ? 0 : (uint32_t)m->image->bank[bank].n;
	}
}

const uint8_t *machine_constant_bank(
	const struct grid *g, const struct machine_code *c, unsigned bank, uint32_t *n)
{
	const struct machine_module *m = c->module;

	*n = machine_bank_bytes(c, bank);
	if (!*n)
		return NULL;
	switch (bank) {
	case 0: return g->bank0;
	case 2: return c->kernel->bank2 ? c->kernel->bank2 : m->image->bank[2].p;
	case 3: return memory_host_address(g->mem, m->bank3->addr, m->bank3->size);
	case 4: return m->bank4;
	default: return m->image->bank[bank].p;
	}
}

static uint32_t read_constant(
	const struct grid *g, const struct machine_code *c, const struct machine_constant *k)
{
	uint32_t n, v = 0;

	if (k->bank == BANK_NUMBER)
		return k->value;
	const uint8_t *bank = machine_constant_bank(g, c, k->bank, &n);
	memcpy(&v, bank + k->value,
		n - k->value < 4 ? n - k->value : 4); /* machine_bind() rejects other offsets */
	return v;
}

/* ---- frames ---- */

/* Sets n vectors to v. This takes fewer instructions than memset(), which stores many bytes one by one. */
LANE_FN static void fill_vectors(uint32_t *to, uint32_t n, uint32_t v)
{
	for (; n; n--, to += LANES)
		EACH_LANE (i)
			to[i] = v;
}

static void create_frame(struct warp *w, const struct machine_code *c)
{
	size_t bytes = FRAME_CONSTANTS + (size_t)c->n_constants * VECTOR;

	w->frames = aligned_alloc(64, bytes);
	if (!w->frames)
		die("out of memory");
	w->frames_cap = bytes;
	w->frame = w->frames;
	memset(w->frame, 0, FRAME_R); /* frame_start() sets the registers to zero */
	special_make_thread_index(w);
	for (uint32_t i = 0; i < c->n_constants; i++)
		fill_vectors(REG(uint32_t, w, FRAME_CONSTANTS + i * VECTOR), 1,
			read_constant(w->grid, c, &c->constant[i]));
}

void frame_start(struct warp *w)
{
	const struct machine_code *c = w->grid->launch->kernel->machine_code;

	if (!w->frames)
		create_frame(w, c);
	w->func = w->grid->kernel;
	memset(w->frame, 0, FRAME_ZERO);
	fill_vectors(REG(uint32_t, w, FRAME_R), c->registers, 0);
	fill_vectors(REG(uint32_t, w, FRAME_UR), c->uniforms, 0);
	fill_vectors(REG(uint32_t, w, FRAME_RETURN), 2, 0);
	fill_vectors(REG(uint32_t, w, FRAME_B), c->barriers, 0);
	PRED(w, FRAME_PT) = ALL_LANES;
	group_start(w, w->grid->launch->kernel->first_pc);
}
