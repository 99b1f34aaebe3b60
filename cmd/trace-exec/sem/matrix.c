/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves small matrices between shared memory and the lanes: ldmatrix stmatrix movmatrix.
 *
 * Always true: lane l has the address of row l mod 8 of matrix l / 8. Lane l holds elements 2 (l mod 4) and
 * 2 (l mod 4) + 1 of row l / 4, or of column l / 4 if transposed.
 */
#include "sem/sem.h"

static bool check_all_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	if (m == ALL_LANES)
		return true;
	exec_fail(
		w, o, m, "matrix-divergent", "%u lanes at %s (expected all 32)", bit_count32(m), o->in->text);
	return false;
}

static void move_matrices(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	uint32_t rows = o->n == 4 ? ALL_LANES : (1u << 8 * o->n) - 1;

	if (!check_all_lanes(w, o, m))
		return;
	if (!(o->is_signed ? mem_write : mem_read)(w, o, rows, 16, at))
		return;
	for (unsigned k = 0; k < o->n; k++) {
		u32 *r = REG(u32, w, o->x->slot[k]);

		for (unsigned l = 0; l < LANES; l++)
			for (unsigned e = 0; e < 2; e++) {
				unsigned row = o->reg_bytes ? l % 4 * 2 + e : l / 4,
					 col = o->reg_bytes ? l / 4 : l % 4 * 2 + e;
				uint8_t *p = at[8 * k + row] + 2 * col;
				u16 h = (u16)(r[l] >> 16 * e);

				if (o->is_signed) {
					memcpy(p, &h, 2);
				} else {
					memcpy(&h, p, 2);
					r[l] = e ? (r[l] & 0xffff) | (u32)h << 16 : (r[l] & 0xffff0000u) | h;
				}
			}
	}
	for (unsigned l = bit_count32(rows); l < LANES; l++)
		w->addr[l] = w->addr[l % bit_count32(rows)];
}

int bind_ldmatrix(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	bool store = in->op == I_stmatrix;
	const struct operand *k = in->operand, *vec = &k[store];
	struct ext *x = bind_ext(b, o);

	if (bind_types(b, 1) || bind_operands(b, 2, 2))
		return -1;
	if (in->type[0] != T_B16 || !stmt_has(in, M_M8N8))
		return bind_refuse(b, "matrices of other shapes than .m8n8 of .b16");
	o->n = stmt_has(in, M_X4) ? 4 : stmt_has(in, M_X2) ? 2 : 1;
	o->reg_bytes = stmt_has(in, M_TRANS);
	o->is_signed = store;
	o->memory = 1;
	o->bytes = 16;
	o->fn = move_matrices;
	if (vec->kind != O_VEC || vec->n != o->n)
		return bind_fault(b, vec, "operand", "no vector of %u elements (expected {..})", o->n);
	for (unsigned i = 0; i < o->n; i++)
		if ((x->slot[i] = store ? bind_src(b, &vec->elem[i], T_B32)
					: bind_dst(b, &vec->elem[i], 32)) == UINT32_MAX)
			return -1;
	return mem_bind_space(b, o, &k[!store], store);
}

static void transpose_matrix(struct warp *w, const struct op *o, uint32_t m)
{
	u16 v[8][8];

	if (!check_all_lanes(w, o, m))
		return;
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned e = 0; e < 2; e++)
			v[l / 4][l % 4 * 2 + e] = (u16)(REG(u32, w, o->a)[l] >> 16 * e);
	for (unsigned l = 0; l < LANES; l++)
		REG(u32, w, o->d)[l] = v[l % 4 * 2][l / 4] | (u32)v[l % 4 * 2 + 1][l / 4] << 16;
}

int bind_movmatrix(struct bind *b, struct op *o)
{
	return bind_types(b, 1) ? -1
				: BIND(b, o, b->in->type[0] == T_B16 ? transpose_matrix : NULL, T_B32, T_B32);
}
