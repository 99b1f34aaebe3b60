/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Moves small matrices between shared memory and the lanes: ldmatrix stmatrix movmatrix.
 *
 * Always true for elements of 16 bits: lane l has the address of row l mod 8 of matrix l / 8. Lane l holds elements
 * 2 (l mod 4) and 2 (l mod 4) + 1 of row l / 4, or of column l / 4 if transposed.
 */
#include "sem/matrix.h"

static bool check_all_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	if (m == ALL_LANES)
		return true;
	exec_fail(w, o, m, "matrix-divergent", "%u lanes at %s (expected all 32)", bit_count32(m),
		o->stmt->text);
	return false;
}

/* Returns element i of a row of elements of `bits` bits. */
static u32 row_element(const uint8_t *row, unsigned i, unsigned bits)
{
	unsigned first = i * bits;
	u32 v = row[first / 8];

	if (first % 8 + bits > 8)
		v |= (u32)row[first / 8 + 1] << 8;
	return v >> first % 8 & ((1u << bits) - 1);
}

void matrix_move_bytes(
	u32 *const *r, unsigned n, enum matrix_shape shape, unsigned row_bytes, uint8_t *const *at)
{
	for (unsigned i = 0; i < n * LANES * 4; i++) {
		unsigned k = i / 4 / LANES, l = i / 4 % LANES, e = i % 4, row, col;
		u32 *to = &r[k][l];

		switch (shape) {
		case MATRIX_8X16:
			row = 8 * k + l / 4;
			col = l % 4 * 4 + e;
			break;
		case MATRIX_16X16:
			row = k / 2 * 16 + l % 4 * 4 + e;
			col = l / 4 + k % 2 * 8;
			break;
		default: at[8 * k + l % 4 * 2 + e % 2][l / 4 + e / 2 * 8] = (uint8_t)(*to >> 8 * e); continue;
		}
		*to = (*to & ~(0xffu << 8 * e)) | row_element(at[row], col, row_bytes / 2) << 8 * e;
	}
}

/* Executes ldmatrix or stmatrix of 8-bit elements. o->bytes: row_bytes; o->reg_bytes: the matrix is transposed. */
static void move_byte_matrices(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	uint32_t rows = o->n == 4 ? ALL_LANES : (1u << 8 * o->n) - 1;
	u32 *r[4];

	if (!check_all_lanes(w, o, m))
		return;
	if (!(o->is_signed ? mem_write : mem_read)(w, o, rows, o->bytes, at))
		return;
	for (unsigned k = 0; k < o->n; k++)
		r[k] = REG(u32, w, o->x->slot[k]);
	matrix_move_bytes(r, o->n,
		o->is_signed   ? MATRIX_16X8
		: o->reg_bytes ? MATRIX_16X16
			       : MATRIX_8X16,
		o->bytes, at);
	for (unsigned l = bit_count32(rows); l < LANES; l++)
		w->addr[l] = w->addr[l % bit_count32(rows)];
}

/* Moves element e of lane l between the lane's register and a matrix whose rows are at row[]. */
static void move_matrix_element(const struct op *o, uint8_t *const *row, unsigned l, unsigned e, u32 *reg)
{
	const unsigned major = l / 4, minor = l % 4 * 2 + e;
	uint8_t *p = o->reg_bytes ? row[minor] + 2 * major : row[major] + 2 * minor;
	u16 half = (u16)(*reg >> 16 * e);

	if (o->is_signed) {
		memcpy(p, &half, 2);
		return;
	}
	memcpy(&half, p, 2);
	*reg = e ? (*reg & 0xffff) | (u32)half << 16 : (*reg & 0xffff0000u) | half;
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
			for (unsigned e = 0; e < 2; e++)
				move_matrix_element(o, at + 8 * k, l, e, &r[l]);
	}
	for (unsigned l = bit_count32(rows); l < LANES; l++)
		w->addr[l] = w->addr[l % bit_count32(rows)];
}

/*
 * Sets the number of registers and the bytes of a row of ldmatrix or stmatrix of 8-bit elements. Returns false if the
 * shape, the type and .trans do not fit together.
 */
static bool take_byte_matrix(const struct stmt *in, struct op *o)
{
	bool store = in->opcode == I_stmatrix, trans = stmt_has(in, M_TRANS), six = stmt_has(in, M_B6X16_P32),
	     four = stmt_has(in, M_B4X16_P64), unpacks = stmt_has(in, M_B8X16) && six != four,
	     plain = in->n_types == 1 && in->type[0] == T_B8 && !stmt_has(in, M_B8X16) && !six && !four;

	o->bytes = six ? 12 : four ? 8 : 16;
	o->execute = move_byte_matrices;
	if (stmt_has(in, M_M16N16))
		o->n = (uint8_t)(2 * o->n);
	return store ? stmt_has(in, M_M16N8) && trans && plain
		     : (stmt_has(in, M_M16N16) && trans && o->n <= 4 && (plain || unpacks)) ||
			       (stmt_has(in, M_M8N16) && !trans && unpacks);
}

int bind_ldmatrix(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	bool store = in->opcode == I_stmatrix;
	const struct operand *k = in->operand, *vec = &k[store];
	struct ext *x = bind_ext(b, o);

	if (bind_types(b, stmt_has(in, M_B8X16) ? 0 : 1) || bind_operands(b, 2, 2))
		return -1;
	o->n = stmt_has(in, M_X4) ? 4 : stmt_has(in, M_X2) ? 2 : 1;
	o->reg_bytes = stmt_has(in, M_TRANS);
	o->is_signed = store;
	o->memory = 1;
	o->bytes = 16;
	o->execute = move_matrices;
	if ((in->type[0] != T_B16 || !stmt_has(in, M_M8N8)) && !take_byte_matrix(in, o))
		return bind_refuse(b, "this shape with this type");
	if (vec->kind != O_VEC || vec->n != o->n)
		return bind_fault(b, vec, "operand", "not a vector of %u elements (expected {..})", o->n);
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
	return bind_types(b, 1)
		       ? -1
		       : BIND(b, o, b->stmt->type[0] == T_B16 ? transpose_matrix : NULL, T_B32, T_B32);
}
