/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Matrix products of a warpgroup (wgmma): D (64 x N) in registers += A (64 x K) times B (K x N). B is in
 * shared memory, with a descriptor; A is in shared memory or registers.
 *
 * Each of the four warps computes its own 16 rows when it issues the instruction, as PTX permits. Its own groups
 * are therefore always complete: wgmma.fence does nothing, and wait_group waits only until the other warps have issued
 * as many products. The checks need the groups that commit_group ends (exec/warpgroup.c). Always true: the start,
 * leading and stride offsets of a descriptor count 16 bytes. The swizzle permutes the 16-byte pieces (bits 4 to 6 of
 * the address) by the bits from 7 up, minus the descriptor's base offset. A sparse A holds half of its columns; each
 * warp's metadata has the layout of mma.sp of the same depth. Elements of B of other columns take no part.
 */
#include <stdlib.h>
#include <string.h>
#include "exec/check.h"
#include "exec/warpgroup.h"
#include "sem/mma.h"

struct shared_matrix {    /* matrix in shared memory, with M or N rows */
	uint64_t start;   /* offset in shared memory */
	uint64_t lead;    /* leading dimension byte offset of the descriptor */
	uint64_t stride;  /* stride dimension byte offset of the descriptor */
	uint64_t offset;  /* base offset of the descriptor */
	unsigned swizzle; /* bytes of the swizzle; 0: none */
	bool trans;       /* the elements of a column are contiguous, else the elements of a row */
	enum type type;
	uint32_t *marks; /* of reads by products (exec/warpgroup.h); NULL: none */
};

static struct shared_matrix read_descriptor(u64 desc, enum type t, bool trans, uint32_t *marks)
{
	static const unsigned spans[4] = {0, 128, 64, 32};

	return (struct shared_matrix){(desc & 0x3fff) << 4, (desc >> 16 & 0x3fff) << 4,
		(desc >> 32 & 0x3fff) << 4, desc >> 49 & 7, spans[desc >> 62], trans, t, marks};
}

/* Returns the offset in shared memory of element (row, k); elements of one bit share bytes. */
static uint64_t matrix_element_offset(const struct shared_matrix *v, unsigned row, unsigned k)
{
	uint64_t at, bits = types[v->type].bits, row_byte = row * bits / 8, k_byte = k * bits / 8;

	if (!v->swizzle)
		return v->start +
		       (v->trans ? row / 8 * v->stride + k / 8 * v->lead + k % 8 * 16 + row_byte % 16
				 : row / 8 * v->stride + k_byte / 16 * v->lead + row % 8 * 16 + k_byte % 16);
	at = v->start + (v->trans ? row_byte % v->swizzle + row_byte / v->swizzle * v->lead +
						k % 8 * v->swizzle + k / 8 * v->stride
				  : row / 8 * v->stride + row % 8 * v->swizzle + k_byte);
	return at ^ (((at >> 7) - v->offset) & (v->swizzle / 16 - 1)) << 4;
}

static bool load_matrix_element(struct warp *w, const struct op *o, const struct shared_matrix *v,
	unsigned row, unsigned k, double *out)
{
	uint64_t at = matrix_element_offset(v, row, k),
		 bytes = types[v->type].bits < 8 ? 1 : types[v->type].bits / 8;
	u64 bits = 0;

	if (at + bytes > w->cta->shared_bytes) {
		exec_fail(w, o, ALL_LANES, "out-of-bounds",
			"element (%u,%u) of a matrix at byte %llu of .shared, outside its %u bytes", row, k,
			(unsigned long long)at, w->cta->shared_bytes);
		return false;
	}
	if (v->marks)
		v->marks[at / WARPGROUP_PIECE] = (uint32_t)w->products + 1;
	memcpy(&bits, w->cta->shared + at, bytes);
	*out = mma_element(bits, types[v->type].bits == 1 ? k % 8 : 0, v->type);
	return true;
}

/*
 * Reports a read of rows from `first` on of a matrix that copies in flight write. Looks at the first 16 bytes of each
 * 8 rows, because copies write larger tiles.
 */
static void check_matrix_in_flight(struct warp *w, const struct op *o, const struct shared_matrix *v,
	unsigned first, unsigned rows, unsigned columns)
{
	const uint8_t *states = checker_bulk_states(w->cta);
	unsigned step = v->trans ? 8 : 128 / (unsigned)types[v->type].bits;

	for (unsigned row = first; states && row < first + rows; row += 8)
		for (unsigned k = 0; k < columns; k += step) {
			uint64_t at = matrix_element_offset(v, row, k);

			if (at < w->cta->shared_bytes && states[at] & SHARED_BULK_WRITES)
				bulk_flight_report(w, o, 0, w->cta, (uint32_t)at, 1, false);
		}
}

struct wgmma_inputs {
	double *a;    /* 16 rows of k elements */
	double *b;    /* n columns of k elements */
	bool *stored; /* sparse: elements of A that the metadata selects */
};

/* Returns the element of in->a for stored column k of A, in row m of the warp's rows. */
static double *element_of_a(
	const struct warp *w, const struct wgmma *x, const struct wgmma_inputs *in, unsigned m, unsigned k)
{
	if (x->sparse) {
		k = mma_sparse_column(REG(u32, w, x->slot_meta), x->a, x->k, x->selector, m, k);
		in->stored[m * x->k + k] = true;
	}
	return &in->a[m * x->k + k];
}

static void read_a_from_registers(struct warp *w, const struct wgmma *x, const struct wgmma_inputs *in)
{
	const unsigned p = mma_elements_per_register(x->a);

	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned r = 0; r < 4; r++)
			for (unsigned e = 0; e < p; e++) {
				const unsigned row = lane / 4 + 8 * (r % 2),
					       col = lane % 4 * p + e + 4 * p * (r / 2);

				*element_of_a(w, x, in, row, col) =
					mma_element(REG(u32, w, x->slot_a[r])[lane], e, x->a);
			}
}

static bool read_a_from_shared(struct warp *w, const struct op *o, const struct wgmma *x, uint32_t *marks,
	const struct wgmma_inputs *in)
{
	const struct shared_matrix va =
		read_descriptor(REG(u64, w, x->slot_a[0])[0], x->a, x->a_trans, marks);
	const unsigned first = w->index % 4 * 16, columns = x->k / (x->sparse ? 2u : 1u);

	for (unsigned m = 0; m < 16; m++)
		for (unsigned k = 0; k < columns; k++)
			if (!load_matrix_element(w, o, &va, first + m, k, element_of_a(w, x, in, m, k)))
				return false;
	check_matrix_in_flight(w, o, &va, first, 16, columns);
	return true;
}

/* Reads the warp's 16 rows of A, and B; in->stored must be false. Returns false if the launch has failed. */
static bool read_wgmma_inputs(
	struct warp *w, const struct op *o, const struct wgmma *x, const struct wgmma_inputs *in)
{
	uint32_t *marks = warpgroup_read_marks(w);
	struct shared_matrix vb = read_descriptor(REG(u64, w, x->slot_b)[0], x->b, x->b_trans, marks);
	const unsigned row_bytes = (unsigned)types[x->b].bits * x->k / 8;

	if (vb.swizzle && !vb.trans && row_bytes > vb.swizzle) {
		exec_fail(w, o, ALL_LANES, "swizzle",
			"swizzle of %u bytes for rows of %u bytes (expected at least a row)", vb.swizzle,
			row_bytes);
		return false;
	}
	if (x->in_regs)
		read_a_from_registers(w, x, in);
	else if (!read_a_from_shared(w, o, x, marks, in))
		return false;
	for (unsigned n = 0; n < x->n; n++)
		for (unsigned k = 0; k < x->k; k++)
			if (!load_matrix_element(w, o, &vb, n, k, &in->b[n * x->k + k]))
				return false;
	check_matrix_in_flight(w, o, &vb, 0, x->n, x->k);
	return true;
}

/* Returns element (row, col) of the result, whose element before the product is d. */
static double wgmma_sum(
	const struct wgmma *x, const struct wgmma_inputs *in, unsigned row, unsigned col, double d)
{
	double sign = x->a_minus != x->b_minus ? -1 : 1;
	const double *a = in->a + row * x->k, *b = in->b + col * x->k;

	for (unsigned k = 0; k < x->k; k++)
		if (!x->sparse || in->stored[row * x->k + k])
			d += sign * (a[k] * b[k]);
	if (x->d != T_S32)
		return d;
	return x->saturate ? d > 2147483647.0    ? 2147483647.0
			     : d < -2147483648.0 ? -2147483648.0
						 : d
			   : (double)(s32)(u32)(s64)d;
}

static void multiply_wgmma_row(struct warp *w, const struct wgmma *x, const struct wgmma_inputs *in)
{
	unsigned p = mma_elements_per_register(x->d), bits = types[x->d].bits;
	bool add = PRED(w, x->scale) & 1;

	for (unsigned lane = 0; lane < LANES; lane++)
		for (unsigned r = 0; r < x->n_d; r++) {
			u32 *d = &REG(u32, w, x->slot_d[r])[lane], v = 0;

			for (unsigned e = 0; e < p; e++) {
				unsigned i = r * p + e, row = lane / 4 + 8 * (i / 2 % 2),
					 col = i / 4 * 8 + lane % 4 * 2 + i % 2;
				double s = wgmma_sum(x, in, row, col, add ? mma_element(*d, e, x->d) : 0);

				v |= (u32)mma_bits_of_sum(s, x->d) << bits % 32 * e;
			}
			*d = v;
		}
}

void wgmma_run(struct warp *w, const struct op *o, uint32_t m)
{
	const struct wgmma *x = o->x->family;
	struct wgmma_inputs in;

	if (m != ALL_LANES) {
		exec_fail(w, o, m, "mma-divergent", "%u lanes at a matrix product (expected all 32)",
			bit_count32(m));
		return;
	}
	in.a = xcalloc((size_t)(16 + x->n) * x->k, sizeof(*in.a));
	in.b = in.a + 16 * x->k;
	in.stored = xcalloc(16u * x->k, sizeof(*in.stored));
	if (read_wgmma_inputs(w, o, x, &in))
		multiply_wgmma_row(w, x, &in);
	free(in.stored);
	free(in.a);
	warpgroup_count_product(w);
}

/* ---- binding ---- */

/* Reads a shape such as ".m64n128k16" from the text. Returns false if there is none. */
static bool find_wgmma_shape(const char *text, struct wgmma *x)
{
	const char *s = strstr(text, ".m64n");
	char *end;

	if (!s)
		return false;
	unsigned long n = strtoul(s + 5, &end, 10), k = *end == 'k' ? strtoul(end + 1, &end, 10) : 0;
	x->n = (uint16_t)n;
	x->k = (uint16_t)k;
	return n && n <= WGMMA_N_MOST && n % 8 == 0 && k && k <= 256 && (!*end || *end == '.');
}

bool wgmma_is_known(const struct wgmma *x)
{
	unsigned bits = types[x->a].bits;
	bool small = x->a == T_E4M3 || x->a == T_E5M2;

	if (bits != types[x->b].bits || bits * x->k != (x->sparse ? 512u : 256u) || (x->sparse && bits < 8) ||
		(types[x->a].kind == K_FLOAT) != (types[x->b].kind == K_FLOAT))
		return false;
	if (x->d == T_S32)
		return (x->n == 8 || x->n == 24 || x->n % 16 == 0) && types[x->a].kind != K_FLOAT &&
		       (bits == 8 || (bits == 1 && x->popc));
	if (x->a != x->b && !small)
		return false;
	return x->d == T_F32 ? small || x->a == T_F16 || x->a == T_BF16 || x->a == T_TF32
			     : x->d == T_F16 && (small || x->a == T_F16);
}

/* Binds the numbers after the predicate: signs, then transpositions. */
static int bind_wgmma_numbers(struct bind *b, struct wgmma *x, const struct operand *k, unsigned n)
{
	bool *trans[2] = {&x->a_trans, &x->b_trans};
	unsigned from = x->in_regs ? 1 : 0, may = x->d == T_S32 ? 0 : types[x->a].bits == 16 ? 4 - from : 2;

	if (n > may || (n && n < 2))
		return bind_fault(
			b, NULL, "operands", "%u numbers after the predicate (expected %u)", n, may);
	for (unsigned i = 0; i < n; i++) {
		bool sign = i < 2;

		if (k[i].kind != O_INT ||
			(sign ? k[i].value != 1 && k[i].value != -1 : k[i].value < 0 || k[i].value > 1))
			return bind_fault(b, &k[i], "operand", "wrong operand (expected %s)",
				sign ? "1 or -1" : "0 or 1");
		if (!sign)
			*trans[i - 2 + from] = k[i].value;
	}
	x->a_minus = n && k[0].value < 0;
	x->b_minus = n && k[1].value < 0;
	return 0;
}

/* Binds the metadata and the selector of a sparse product. */
static int bind_wgmma_metadata(struct bind *b, struct wgmma *x, const struct operand *k)
{
	int64_t most = types[x->a].bits >= 16;

	if (k[1].kind != O_INT || k[1].value < 0 || k[1].value > most)
		return bind_fault(b, &k[1], "operand", "no sparsity selector (expected a number up to %u)",
			(unsigned)most);
	x->selector = (uint8_t)k[1].value;
	return (x->slot_meta = bind_src(b, &k[0], T_B32)) == UINT32_MAX ? -1 : 0;
}

static int bind_matrices(struct bind *b, struct wgmma *x, const struct operand *k)
{
	x->in_regs = k[1].kind == O_VEC;
	x->n_d = (uint16_t)(x->n / 2 / mma_elements_per_register(x->d));
	if (k[0].kind != O_VEC || k[0].n != x->n_d || (x->in_regs && k[1].n != 4))
		return bind_fault(b, &k[k[0].kind == O_VEC && k[0].n == x->n_d], "operand",
			"wrong number of registers (expected %u and 4)", x->n_d);
	for (unsigned i = 0; i < x->n_d; i++)
		if ((x->slot_d[i] = bind_dst(b, &k[0].elem[i], 32)) == UINT32_MAX ||
			/* the register is also a source: the earlier sum */
			bind_src(b, &k[0].elem[i], T_B32) == UINT32_MAX)
			return -1;
	for (unsigned i = 0; i < (x->in_regs ? 4u : 1u); i++)
		if ((x->slot_a[i] = x->in_regs ? bind_src(b, &k[1].elem[i], T_B32)
					       : bind_src(b, &k[1], T_B64)) == UINT32_MAX)
			return -1;
	x->slot_b = bind_src(b, &k[2], T_B64);
	if (x->sparse && bind_wgmma_metadata(b, x, &k[3]))
		return -1;
	x->scale = bind_src(b, &k[x->sparse ? 5 : 3], T_PRED);
	return x->slot_b == UINT32_MAX || x->scale == UINT32_MAX ? -1 : 0;
}

int bind_setmaxnreg(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;

	if (bind_operands(b, 1, 1))
		return -1;
	if (stmt_has(b->stmt, M_INC) == stmt_has(b->stmt, M_DEC))
		return bind_fault(b, NULL, "suffix", "%s (expected .inc or .dec)", b->stmt->text);
	if (k->kind != O_INT || k->value < 24 || k->value > 256 || k->value % 8)
		return bind_fault(b, k, "operand",
			"wrong number of registers (expected a multiple of 8 from 24 to 256)");
	return bind_nothing(b, o);
}

int bind_wgmma(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	bool wait = stmt_has(in, M_WAIT_GROUP);

	if (wait || stmt_has(in, M_FENCE) || stmt_has(in, M_COMMIT_GROUP)) {
		if (bind_operands(b, wait, wait))
			return -1;
		if (wait && (in->operand[0].kind != O_INT || in->operand[0].value < 0))
			return bind_fault(b, &in->operand[0], "operand",
				"invalid number of groups (expected a constant of at least 0)");
		if (stmt_has(in, M_FENCE))
			return bind_nothing(b, o);
		o->imm = wait ? in->operand[0].value : 0;
		o->execute = wait ? warpgroup_wait : warpgroup_commit;
		return 0;
	}
	struct wgmma *x = bind_ext(b, o)->family = arena_alloc(&b->code->arena, 1, sizeof(*x));
	unsigned least = stmt_has(in, M_SP) ? 6 : 4;

	if (bind_types(b, 3) || bind_operands(b, least, least + 4))
		return -1;
	x->sparse = stmt_has(in, M_SP);
	x->d = (enum type)in->type[0];
	x->a = (enum type)in->type[1];
	x->b = (enum type)in->type[2];
	x->saturate = stmt_has(in, M_SATFINITE);
	x->popc = stmt_has(in, M_POPC) && stmt_has(in, M_AND);
	if (x->saturate && x->d != T_S32)
		return bind_fault(b, NULL, "suffix", "%s with .satfinite (expected integers)", in->text);
	if (!find_wgmma_shape(in->text, x) || !wgmma_is_known(x))
		return bind_refuse(b, "this shape with these types");
	o->execute = wgmma_run;
	return bind_matrices(b, x, in->operand) ||
			       bind_wgmma_numbers(b, x, in->operand + least, in->n_operands - least)
		       ? -1
		       : 0;
}
