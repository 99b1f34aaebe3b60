/* SPDX-License-Identifier: BSD-2-Clause */
/* How each instruction treats undefined sources (exec/undefined.c). Bindings that are not listed are VALUE_PLAIN. */
#include "machine/code.h"
#include "sem/mma.h"

static const struct {
	mbind_fn *bind;
	enum value_class class;
} classes[] = {
	{mbind_mov, VALUE_LOGIC},
	{mbind_sel, VALUE_LOGIC},
	{mbind_sel64, VALUE_LOGIC},
	{mbind_fsel, VALUE_LOGIC},
	{mbind_lop3, VALUE_LOGIC},
	{mbind_plop3, VALUE_LOGIC},
	{mbind_isetp, VALUE_COMPARE},
	{mbind_fsetp, VALUE_COMPARE},
	{mbind_dsetp, VALUE_COMPARE},
	{mbind_prmt, VALUE_PACK},
	{mbind_vote, VALUE_WARP},
	{mbind_match, VALUE_WARP},
	{mbind_redux, VALUE_WARP},
	{mbind_credux, VALUE_WARP},
	{mbind_elect, VALUE_WARP},
	{mbind_r2ur, VALUE_WARP},
	{mbind_fswzadd, VALUE_WARP},
	{mbind_movm, VALUE_WARP},
	{mbind_imma, VALUE_PRODUCT},
	{mbind_hmma, VALUE_PRODUCT},
	{mbind_hmma884, VALUE_WARP},
	{mbind_qmma, VALUE_PRODUCT},
	{mbind_scaled_product, VALUE_WARP},
	{mbind_dmma, VALUE_WARP},
	{mbind_bmma, VALUE_PRODUCT},
	{mbind_gmma, VALUE_WARP},
	{mbind_shfl, VALUE_SHUFFLE},
	{mbind_load, VALUE_LOAD},
	{mbind_load_wide, VALUE_LOAD},
	{mbind_ldsm, VALUE_LOAD_ROWS},
	{mbind_store, VALUE_STORE},
	{mbind_store_wide, VALUE_STORE},
	{mbind_stsm, VALUE_STORE_ROWS},
	{mbind_ldc, VALUE_USE},
	{mbind_ldgsts, VALUE_USE},
	{mbind_atom, VALUE_USE},
	{mbind_flow, VALUE_USE},
	{mbind_bmov, VALUE_PLAIN},
	{mbind_arrive, VALUE_USE},
	{mbind_phase, VALUE_USE},
	{mbind_mbarrier_init, VALUE_USE},
	{mbind_mbarrier_inval, VALUE_USE},
	{mbind_copies_arrive, VALUE_USE},
	{mbind_bulk, VALUE_USE},
	{mbind_next_work, VALUE_USE},
	{mbind_bulk_zero, VALUE_USE},
	{mbind_bulk_prefetch, VALUE_USE},
	{mbind_store_async, VALUE_USE},
	{mbind_tensor, VALUE_USE},
	{mbind_fetch, VALUE_USE},
	{mbind_query_texture, VALUE_USE},
	{mbind_load_surface, VALUE_USE},
	{mbind_store_surface, VALUE_USE},
	{mbind_reduce_surface, VALUE_USE},
};

enum value_class machine_value_class(mbind_fn *bind)
{
	for (unsigned i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (classes[i].bind == bind)
			return classes[i].class;
	return VALUE_PLAIN;
}

/*
 * Returns true if an argument of the instruction is a register from which register n may follow. first: the argument
 * from which to search, end: the one after the last.
 */
static bool names_register(const struct sass_inst *in, unsigned first, unsigned end, bool uniform, uint32_t n)
{
	for (unsigned i = first; i < end; i++) {
		const struct sass_arg *a = &in->arg[i];

		if (uniform ? (a->kind == SASS_UREG || a->kind == SASS_GDESC || a->kind == SASS_DESCRIPTOR) &&
					a->reg <= n
			    : a->kind == SASS_REG && a->reg <= n)
			return true;
		if (a->kind == SASS_MEM && (uniform ? a->ureg : a->reg) <= n)
			return true;
	}
	return false;
}

/* Makes the uniform registers of a load or store part of its address. */
static void list_uniform_addresses(struct mbind *b)
{
	unsigned n;
	uint32_t *word = operands_pending(b->bound, &n);

	for (unsigned i = 0; i < n; i++)
		if (operand_slot_of(word[i]) >= FRAME_UR && operand_role_of(word[i]) == OPERAND_SOURCE)
			word[i] = (word[i] & ~3u) | OPERAND_ADDRESS;
}

/*
 * Removes operands that only seem to be there, because the instruction does not use a field, or uses it for another
 * purpose: registers that no argument of the instruction may name.
 */
static void remove_unused_fields(struct mbind *b)
{
	unsigned n;
	uint32_t *word = operands_pending(b->bound, &n);

	for (unsigned i = 0; i < n; i++) {
		uint32_t slot = operand_slot_of(word[i]);
		bool uniform = slot >= FRAME_UR, result = operand_role_of(word[i]) == OPERAND_RESULT;
		uint32_t reg = (slot - (uniform ? FRAME_UR : FRAME_R)) / VECTOR;

		if (slot < FRAME_R || reg >= RZ)
			continue;
		if (!names_register(b->inst, result ? 0 : b->inst->n_results,
			    result ? b->inst->n_results : b->inst->n_args, uniform, reg))
			word[i] &= 63; /* an operand that is not a register */
	}
}

void machine_classify(struct mbind *b, mbind_fn *bind, enum value_class class, const struct op *o)
{
	static const uint8_t combination[4] = {COMBINE_AND, COMBINE_OR, COMBINE_XOR, COMBINE_NONE};
	bool compare = class == VALUE_COMPARE;

	if (bind == mbind_shf && o->a != FRAME_ZERO && o->c != FRAME_ZERO) /* of two words */
		class = VALUE_PACK;
	if (class == VALUE_PRODUCT && o->x->matrix->sparse)
		class = VALUE_WARP;
	if (class == VALUE_LOAD_ROWS && (o->is_signed || o->mode / 2)) /* transposed, or elements of 8 bits */
		class = VALUE_LOAD_MATRICES;
	remove_unused_fields(b);
	if (class >= VALUE_LOAD && class <= VALUE_STORE_ROWS)
		list_uniform_addresses(b);
	operands_end(b->bound, (uint32_t)(o - b->bound->op), class,
		compare ? combination[field(b, 74, 2)] : COMBINE_NONE, compare && bit(b, 90));
}
