/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Local memory that a function allocates while it runs: alloca, stacksave, stackrestore.
 *
 * Always true: this memory follows the frame of the running function, separately in each lane. Frames of calls begin
 * after it. It is freed when the function returns.
 */
#include "exec/call.h"
#include "sem/sem.h"

enum { ALIGN_DEFAULT = 8, ALIGN_MOST = 1 << 23 };

static void set_stack_register(struct warp *w, const struct op *o, unsigned lane, uint64_t v)
{
	if (o->reg_bytes == 8)
		REG(u64, w, o->d)[lane] = v;
	else
		REG(u32, w, o->d)[lane] = (u32)v;
}

static u64 read_stack_register(struct warp *w, const struct op *o, unsigned lane)
{
	return o->reg_bytes == 8 ? REG(u64, w, o->a)[lane] : REG(u32, w, o->a)[lane];
}

static void execute_alloca(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		u64 unit = (u64)o->imm, n = read_stack_register(w, o, i),
		    at = round_up_u64(call_local_end(w, i), unit);

		if (at > w->local_stride || n > w->local_stride - at) {
			exec_fail(w, o, 1u << i, "local-memory",
				"%s of %llu bytes at byte %llu of local memory (expected at most %u bytes in all)",
				o->stmt->text, (unsigned long long)n, (unsigned long long)at,
				w->local_stride);
			return;
		}
		w->dynamic_end[i] = (u32)(at + n);
		set_stack_register(w, o, i, at);
	}
}

static void execute_stacksave(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		set_stack_register(w, o, i, call_local_end(w, i));
}

static void execute_stackrestore(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m) {
		u64 a = read_stack_register(w, o, i);
		u32 low = call_frame_end(w), high = call_local_end(w, i);

		if (a < low || a > high) {
			exec_fail(w, o, 1u << i, "local-memory", "%s to byte %llu (expected %u to %u)",
				o->stmt->text, (unsigned long long)a, low, high);
			return;
		}
		w->dynamic_end[i] = (u32)a;
	}
}

int bind_dynamic_local(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;
	bool allocates = b->stmt->opcode == I_alloca;
	enum type t = (enum type)b->stmt->type[0];

	if (bind_types(b, 1) || bind_operands(b, allocates ? 2 : 1, allocates ? 3 : 1))
		return -1;
	if (t != T_U32 && t != T_U64)
		return bind_fault(b, NULL, "types", "type .%s (expected .u32 or .u64)", types[t].name);
	b->code->allocates_local |= allocates;
	o->reg_bytes = (uint8_t)(types[t].bits / 8);
	o->imm = ALIGN_DEFAULT;
	if (b->stmt->n_operands == 3) {
		o->imm = k[2].value;
		if (k[2].kind != O_INT || o->imm < 1 || o->imm > ALIGN_MOST || !is_pow2((u64)o->imm))
			return bind_fault(b, &k[2], "immediate",
				"alignment (expected a power of two of at most %d)", ALIGN_MOST);
	}
	o->execute = allocates                        ? execute_alloca
		     : b->stmt->opcode == I_stacksave ? execute_stacksave
						      : execute_stackrestore;
	o->d = b->stmt->opcode == I_stackrestore ? 0 : bind_dst(b, &k[0], types[t].bits);
	o->a = b->stmt->opcode == I_stacksave ? 0 : bind_src(b, &k[allocates], t);
	return o->d == UINT32_MAX || o->a == UINT32_MAX ? -1 : 0;
}
