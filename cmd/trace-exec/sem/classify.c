/* SPDX-License-Identifier: BSD-2-Clause */
/* How each PTX instruction treats undefined sources (exec/undefined.c). Opcodes that are not listed are VALUE_PLAIN. */
#include "exec/operands.h"
#include "sem/sem.h"

static const uint8_t class_of_opcode[N_OPCODES] = {
	[I_and] = VALUE_LOGIC,
	[I_or] = VALUE_LOGIC,
	[I_xor] = VALUE_LOGIC,
	[I_not] = VALUE_LOGIC,
	[I_lop3] = VALUE_LOGIC,
	[I_selp] = VALUE_LOGIC,
	[I_setp] = VALUE_COMPARE,
	[I_prmt] = VALUE_PACK,
	[I_shf] = VALUE_PACK,
	[I_bfi] = VALUE_PACK,
	[I_vote] = VALUE_WARP,
	[I_match] = VALUE_WARP,
	[I_redux] = VALUE_WARP,
	[I_elect] = VALUE_WARP,
	[I_mma] = VALUE_PRODUCT,
	[I_wmma] = VALUE_WARP,
	[I_wgmma] = VALUE_WARP,
	[I_movmatrix] = VALUE_WARP,
	[I_shfl] = VALUE_SHUFFLE,
	[I_ld] = VALUE_LOAD,
	[I_ldu] = VALUE_LOAD,
	[I_ldmatrix] = VALUE_LOAD_ROWS,
	[I_st] = VALUE_STORE,
	[I_stmatrix] = VALUE_STORE_ROWS,
	[I_atom] = VALUE_USE,
	[I_red] = VALUE_USE,
	[I_bar] = VALUE_USE,
	[I_barrier] = VALUE_USE,
	[I_brx] = VALUE_USE,
	[I_call] = VALUE_USE,
	[I_cp] = VALUE_USE,
	[I_mbarrier] = VALUE_USE,
	[I_tex] = VALUE_USE,
	[I_tld4] = VALUE_USE,
	[I_txq] = VALUE_USE,
	[I_suld] = VALUE_USE,
	[I_sust] = VALUE_USE,
	[I_sured] = VALUE_USE,
	[I_suq] = VALUE_USE,
};

static unsigned combination_of_compare(const struct stmt *in)
{
	return stmt_has(in, M_AND)   ? COMBINE_AND
	       : stmt_has(in, M_OR)  ? COMBINE_OR
	       : stmt_has(in, M_XOR) ? COMBINE_XOR
				     : COMBINE_NONE;
}

void classify_operands(struct bind *b, const struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *last = in->n_operands ? &in->operand[in->n_operands - 1] : NULL;
	enum value_class class = (enum value_class)class_of_opcode[in->opcode];
	bool compare = class == VALUE_COMPARE;

	if (in->opcode == I_mov && last && last->kind == O_VEC)
		class = VALUE_PACK;
	if (in->opcode == I_mma && in->n_operands != 4) /* a sparse or scaled product */
		class = VALUE_WARP;
	if (in->opcode == I_ldmatrix && (stmt_has(in, M_TRANS) || !stmt_has(in, M_M8N8)))
		class = VALUE_LOAD_MATRICES;
	if (in->opcode == I_wmma && (stmt_has(in, M_LOAD) || stmt_has(in, M_STORE)))
		class = VALUE_USE;
	if (in->opcode == I_st && (stmt_has(in, M_ASYNC) || stmt_has(in, M_BULK)))
		class = VALUE_USE;
	if (o->flow == FLOW_CALL || o->flow == FLOW_CALL_REG)
		class = VALUE_CALL;
	operands_end(b->code, (uint32_t)(o - b->code->op), class,
		compare ? combination_of_compare(in) : COMBINE_NONE, compare && last && last->inverted);
}
