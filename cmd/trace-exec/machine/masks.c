/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Barriers of the cluster, convergence barriers and masks of lanes as registers (BMOV), and BPT, which ends the launch.
 */
#include "exec/check.h"
#include "exec/lanes.h"
#include "machine/code.h"

uint32_t mbind_barrier(const struct mbind *b, unsigned at)
{
	uint32_t n = (uint32_t)field(b, at, 4);

	b->code->barriers = max_u32(b->code->barriers, n + 1);
	return FRAME_B + n * VECTOR;
}

/* ---- barriers of the cluster ---- */

static void arrive_at_cluster(struct warp *w, const struct op *o, uint32_t m)
{
	(void)m;
	cluster_arrive(w, o, group_lanes(w));
}

int mbind_cluster_arrive(struct mbind *b, struct op *o)
{
	machine_set_function(o, arrive_at_cluster);
	return bit(b, 72) ? mbind_refuse(b, "mode") : 0;
}

int mbind_cluster_wait(struct mbind *b, struct op *o)
{
	(void)b;
	o->flow = MF_CLUSTER;
	return 0;
}

/* ---- convergence barriers and masks of lanes as registers ---- */

/* Numbers of masks in BMOV: lanes that have ended, lanes of the running group. */
enum { STATE_ENDED = 24, STATE_RUNNING = 26 };

LANE_OP1(copy_barrier, u32, u32, a)

static void copy_and_clear(struct warp *w, const struct op *o, uint32_t m)
{
	copy_barrier(w, o, m);
	FOR_BITS32 (i, m)
		REG(u32, w, o->a)[i] = 0;
}

/* Copies the mask of the lanes that have ended, or of the running group, to the result. */
static void copy_warp_mask(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d), v = o->n == STATE_ENDED ? w->ended : group_lanes(w);

	FOR_BITS32 (i, m)
		d[i] = v;
}

/* Returns true if the code from here to the MF_QUADS_END has no branches. */
static bool is_straight_to_quads_end(const struct mbind *b)
{
	for (uint32_t i = b->index + 1; i < b->code->n; i++) {
		const struct sass_inst *in = &b->code->inst[i];

		if (in->opcode == 0xf56 && sass_bits(in->word, 24, 5) == STATE_RUNNING)
			return !sass_bits(in->word, 84, 1);
		if (in->row && machine_is_flow(in))
			return false;
	}
	return false;
}

static int bind_warp_mask(struct mbind *b, struct op *o, unsigned state)
{
	o->d = b->inst->opcode == 0x355 ? mbind_dst(b, 16, 1) : mbind_barrier(b, 16);
	o->n = (uint8_t)state;
	machine_set_function(o, copy_warp_mask);
	return bit(b, 84) || (state != STATE_ENDED && state != STATE_RUNNING)
		       ? mbind_refuse(b, "state of the warp")
		       : 0;
}

int mbind_bmov(struct mbind *b, struct op *o)
{
	unsigned opcode = b->inst->opcode, state = (unsigned)field(b, 24, 6);

	if ((opcode == 0x355 || opcode == 0xf55) && state < 16) {
		machine_set_function(o, bit(b, 84) ? copy_and_clear : copy_barrier);
		o->d = opcode == 0x355 ? mbind_dst(b, 16, 1) : mbind_barrier(b, 16);
		o->a = mbind_barrier(b, 24);
		return 0;
	}
	if (opcode == 0x355 || opcode == 0xf55)
		return bind_warp_mask(b, o, state);
	if (opcode == 0xf56) {
		o->flow = bit(b, 84) ? MF_QUADS : MF_QUADS_END;
		return state != STATE_RUNNING || (o->flow == MF_QUADS && !is_straight_to_quads_end(b))
			       ? mbind_refuse(b, "state of the warp")
			       : 0;
	}
	machine_set_function(o, copy_barrier);
	o->d = mbind_barrier(b, 24);
	o->a = opcode == 0x956   ? mbind_number(b, field(b, 32, 32), 1)
	       : opcode == 0xb56 ? mbind_constant(b, 1)
				 : mbind_reg(b, 32, 1);
	return state > 15 ? mbind_refuse(b, "state of the warp") : 0;
}

static void trap_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	exec_fail(w, o, m, "trap", "trap executed");
}

int mbind_trap(struct mbind *b, struct op *o)
{
	(void)b;
	machine_set_function(o, trap_lanes);
	return 0;
}
