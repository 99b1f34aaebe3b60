/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Binds matrix products of a warp: shapes, types and registers of mma.sync and wmma, and the memory
 * accesses of wmma. sem/product.c computes the products.
 */
#include "exec/check.h"
#include "sem/mma.h"

static const struct {
	enum modifier modifier;
	struct mma_shape shape;
} shapes[] = {
	{M_M8N8K4, {8, 8, 4}},
	{M_M8N8K16, {8, 8, 16}},
	{M_M8N8K32, {8, 8, 32}},
	{M_M8N8K128, {8, 8, 128}},
	{M_M16N8K4, {16, 8, 4}},
	{M_M16N8K8, {16, 8, 8}},
	{M_M16N8K16, {16, 8, 16}},
	{M_M16N8K32, {16, 8, 32}},
	{M_M16N8K64, {16, 8, 64}},
	{M_M16N8K128, {16, 8, 128}},
	{M_M16N8K256, {16, 8, 256}},
	{M_M16N16K16, {16, 16, 16}},
	{M_M32N8K16, {32, 8, 16}},
	{M_M8N32K16, {8, 32, 16}},
	{M_M16N16K8, {16, 16, 8}},
};

static bool find_mma_shape(const struct stmt *in, struct mma_shape *s)
{
	for (unsigned i = 0; i < sizeof(shapes) / sizeof(shapes[0]); i++)
		if (stmt_has(in, shapes[i].modifier)) {
			*s = shapes[i].shape;
			return true;
		}
	return false;
}

/*
 * Returns the number of registers per lane for rows x cols elements. eight: the elements are f16 inputs of
 * wmma, which always use eight registers.
 */
static unsigned fragment_registers(unsigned rows, unsigned cols, enum type t, bool eight)
{
	return eight ? 8 : rows * cols / LANES / mma_elements_per_register(t);
}

static int bind_fragment(
	struct bind *b, const struct operand *k, unsigned n, enum type t, bool dst, uint32_t *slot)
{
	unsigned bits = types[t].bits == 64 ? 64 : 32;
	const struct operand *e = k->kind == O_VEC ? k->elem : k;

	if ((k->kind == O_VEC ? k->n : 1) != n)
		return bind_fault(b, k, "operand", "%u registers of a fragment of .%s (expected %u)",
			k->kind == O_VEC ? k->n : 1, types[t].name, n);
	for (unsigned i = 0; i < n; i++) {
		slot[i] = dst ? bind_dst(b, &e[i], bits)
			      : bind_src(b, &e[i],
					bits == 64   ? T_F64
					: t == T_F32 ? T_F32
						     : T_B32);
		if (slot[i] == UINT32_MAX)
			return -1;
	}
	return 0;
}

/* Returns true if the types of the four matrices go together. */
static bool are_mma_types_known(const struct matrix *x)
{
	const unsigned bits = types[x->a].bits;
	const bool floats = !mma_is_int((enum type)x->a);

	if (floats != !mma_is_int((enum type)x->b) || floats != !mma_is_int((enum type)x->c) ||
		floats != !mma_is_int((enum type)x->d))
		return false;
	if (bits != types[x->b].bits || (x->a == T_F64) != (x->d == T_F64) ||
		(x->c == T_F64) != (x->d == T_F64))
		return false;
	if (floats && x->a != T_F64 && x->d != T_F32 && !(x->d == T_F16 && (x->a == T_F16 || bits == 8)))
		return false;
	return floats || (x->d == T_S32 && x->c == T_S32 && bits <= 8);
}

/* Returns true if a product of these types and this shape exists. A row of A has 128, 256 or 512 bits. */
static bool is_known_mma(const struct matrix *x)
{
	const unsigned bits = types[x->a].bits, row_bits = bits * x->shape.k;

	if (!are_mma_types_known(x))
		return false;
	if (x->wmma)
		return x->a == T_F64    ? x->shape.m == 8 && x->shape.k == 4
		       : x->a == T_TF32 ? x->shape.k == 8
		       : bits >= 8      ? x->shape.k == 16 && x->shape.m * x->shape.n == 256
					: x->shape.m == 8 && row_bits == 128;
	if (x->a == T_F64)
		return x->shape.k <= 16 && !x->sparse;
	if (x->sparse)
		return x->shape.m == 16 && bits > 1 && (row_bits == 256 || row_bits == 512);
	if (x->shape.m == 8)
		return row_bits == 128 && mma_is_int((enum type)x->a);
	return row_bits == 128 || row_bits == 256;
}

static int bind_mma_operands(struct bind *b, struct op *o, struct matrix *x, const struct operand *k)
{
	uint32_t *slot = bind_ext(b, o)->slot;
	bool eight = x->wmma && x->a == T_F16;

	x->n_a = (uint8_t)fragment_registers(
		x->shape.m, x->sparse ? x->shape.k / 2u : x->shape.k, (enum type)x->a, eight);
	x->n_b = (uint8_t)fragment_registers(x->shape.k, x->shape.n, (enum type)x->b, eight);
	x->n_c = (uint8_t)fragment_registers(x->shape.m, x->shape.n, (enum type)x->c, false);
	x->n_d = (uint8_t)fragment_registers(x->shape.m, x->shape.n, (enum type)x->d, false);
	if (x->volta) {
		x->n_a = x->n_b = 2;
		x->n_c = x->c == T_F16 ? 4 : 8;
		x->n_d = x->d == T_F16 ? 4 : 8;
		x->part_c.end = x->part_d.end = VOLTA_ELEMENTS;
	}
	o->execute = x->volta ? mma_execute_volta : mma_execute;
	o->x->matrix = arena_alloc(&b->code->arena, 1, sizeof(*x));
	memcpy(o->x->matrix, x, sizeof(*x));
	return bind_fragment(b, &k[0], x->n_d, (enum type)x->d, true, slot) ||
			       bind_fragment(b, &k[1], x->n_a, (enum type)x->a, false, slot + x->n_d) ||
			       bind_fragment(
				       b, &k[2], x->n_b, (enum type)x->b, false, slot + x->n_d + x->n_a) ||
			       bind_fragment(b, &k[3], x->n_c, (enum type)x->c, false,
				       slot + x->n_d + x->n_a + x->n_b)
		       ? -1
		       : 0;
}

/* Sets the rounding. Checks for suffixes that the product ignores, and for required ones that are missing. */
static int check_mma_suffixes(struct bind *b, struct matrix *x, bool layouts)
{
	const struct stmt *in = b->stmt;

	x->rounding = (uint8_t)sem_rounding_suffix(in);
	if (x->a != T_F64 && (x->rounding || stmt_has(in, M_RN)))
		return bind_fault(b, NULL, "suffix", "%s with a rounding (expected .f64)", in->text);
	if (x->saturate && (!mma_is_int((enum type)x->d) || x->a == T_B1))
		return bind_fault(b, NULL, "suffix", "%s with .satfinite (expected integers)", in->text);
	if (x->a == T_B1 ? stmt_has(in, M_XOR) == stmt_has(in, M_AND) || !stmt_has(in, M_POPC)
			 : stmt_has(in, M_XOR) || stmt_has(in, M_AND) || stmt_has(in, M_POPC))
		return bind_fault(
			b, NULL, "suffix", "%s (expected .xor.popc or .and.popc for .b1 only)", in->text);
	if (layouts && !strstr(in->text, ".row.col"))
		return bind_fault(b, NULL, "suffix", "%s (expected .row.col)", in->text);
	return 0;
}

/* Binds the metadata and the selector of a sparse product, operands 4 and 5. */
static int bind_mma_metadata(struct bind *b, struct op *o, struct matrix *x)
{
	const struct operand *k = b->stmt->operand;
	unsigned bits = types[x->a].bits, deep = bits * x->shape.k,
		 most = deep == 256 ? bits >= 16 ? 3 : 1 : bits >= 16;

	if (k[5].kind != O_INT || k[5].value < 0 || k[5].value > most)
		return bind_fault(
			b, &k[5], "operand", "no sparsity selector (expected a number up to %u)", most);
	x->selector = (uint8_t)k[5].value;
	return (o->a = bind_src(b, &k[4], T_B32)) == UINT32_MAX ? -1 : 0;
}

/* Kinds of products of narrow numbers, and the numbers of scale factors per row that each kind permits. */
static const struct product_kind {
	enum modifier modifier;
	uint8_t k;                /* columns of A; twice as many in a sparse product */
	uint8_t factors_ue8m0[2]; /* permitted numbers of factors of type .ue8m0 */
	uint8_t factors_ue4m3;    /* permitted number of factors of type .ue4m3 */
	bool packed;              /* .e2m1 has 4 bits; else all types have 8 */
} product_kinds[] = {
	{M_KIND__F8F6F4, 32, {0, 0}, 0, false},
	{M_KIND__MXF8F6F4, 32, {1, 1}, 0, false},
	{M_KIND__MXF4, 64, {2, 2}, 0, true},
	{M_KIND__MXF4NVF4, 64, {2, 2}, 4, true},
};

static bool is_narrow_float(enum type t)
{
	return t == T_E4M3 || t == T_E5M2 || t == T_E2M3 || t == T_E3M2 || t == T_E2M1;
}

/* Returns the number of factors of .scale_vec, or of the kind if the suffix is absent. */
static unsigned number_of_factors(const struct stmt *in, const struct product_kind *kind)
{
	return stmt_has(in, M_SCALE_VEC__1X)   ? 1
	       : stmt_has(in, M_SCALE_VEC__2X) ? 2
	       : stmt_has(in, M_SCALE_VEC__4X) ? 4
					       : kind->factors_ue8m0[0];
}

/* Returns the row of the kind of a product, or NULL if the product has no kind. */
static const struct product_kind *find_product_kind(const struct stmt *in)
{
	for (unsigned i = 0; i < sizeof(product_kinds) / sizeof(*product_kinds); i++)
		if (stmt_has(in, product_kinds[i].modifier))
			return &product_kinds[i];
	return NULL;
}

/* Returns true if the type exists only in products of a kind: a float of 6 or 4 bits. */
static bool needs_product_kind(enum type t) { return t == T_E2M1 || t == T_E2M3 || t == T_E3M2; }

/* Returns true if the kind has the types and the number of the scales, and the result has the type of such products. */
static bool are_scales_valid(const struct matrix *x, const struct product_kind *kind)
{
	if (x->d != T_F32 || x->c != T_F32)
		return false;
	return x->scales.type == T_UE8M0   ? x->scales.n == kind->factors_ue8m0[0]
	       : x->scales.type == T_UE4M3 ? x->scales.n == kind->factors_ue4m3
					   : false;
}

/*
 * Sets the types of A and B and the scales of a product of a kind. Returns false if the shape, the types or the scales
 * do not exist. A product without kind is valid unless it has types of 6 or 4 bits or scales.
 */
static bool take_product_kind(const struct stmt *in, struct matrix *x)
{
	enum type a = (enum type)x->a, b = (enum type)x->b;
	bool scaled = stmt_has(in, M_BLOCK_SCALE);
	const struct product_kind *kind = find_product_kind(in);

	if (!kind)
		return !scaled && !needs_product_kind(a) && !needs_product_kind(b);
	x->scales.n = (uint8_t)(scaled ? number_of_factors(in, kind) : 0);
	x->scales.type = scaled ? in->type[4] : T_NONE;
	if (kind->packed) {
		if (a != T_E2M1 || b != T_E2M1)
			return false;
		x->a = x->b = T_E2M1_PACKED;
	}
	if (x->shape.m != 16 || x->shape.k != (x->sparse ? 2 : 1) * kind->k)
		return false;
	if (!is_narrow_float(a) || !is_narrow_float(b) || scaled != (kind->factors_ue8m0[0] != 0))
		return false;
	return !scaled || are_scales_valid(x, kind);
}

/* Binds one matrix of factors: {register}, {byte, t}. */
static int bind_factors(struct bind *b, const struct operand *k, uint32_t *factors, uint32_t *select)
{
	const struct operand *e = k[0].kind == O_VEC ? k[0].elem : &k[0];

	if ((k[0].kind == O_VEC && k[0].n != 1) || k[1].kind != O_VEC || k[1].n != 2)
		return bind_fault(
			b, &k[0], "operand", "invalid scale factors (expected {register}, {byte, lane})");
	*factors = bind_src(b, e, T_B32);
	for (unsigned i = 0; i < 2; i++)
		select[i] = bind_src(b, &k[1].elem[i], T_U16);
	return *factors == UINT32_MAX || select[0] == UINT32_MAX || select[1] == UINT32_MAX ? -1 : 0;
}

/* Sets the layouts of A and B from .row and .col. Only the text of the opcode has the order of the two words. */
static void set_volta_layouts(struct matrix *x, const char *text)
{
	const char *row = strstr(text, ".row"), *col = strstr(text, ".col");

	x->a_col = col && (!row || col < row);
	x->b_row = row && (!col || col < row);
}

int bind_mma(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	struct matrix x = {0};

	x.sparse = stmt_has(in, M_SP) || stmt_has(in, M_SP__ORDERED_METADATA);
	bool scaled = stmt_has(in, M_BLOCK_SCALE);
	unsigned n = (x.sparse ? 6u : 4u) + (scaled ? 4u : 0u);

	if (bind_types(b, scaled ? 5 : 4) || bind_operands(b, n, n))
		return -1;
	if (!find_mma_shape(in, &x.shape))
		return bind_fault(
			b, NULL, "suffix", "%s has no shape (expected one such as .m16n8k16)", in->text);
	x.d = in->type[0];
	x.a = in->type[1];
	x.b = in->type[2];
	x.c = in->type[3];
	x.saturate = stmt_has(in, M_SATFINITE);
	x.b1_operation = x.a == T_B1 ? stmt_has(in, M_XOR) ? 1 : 2 : 0;
	x.volta = x.a == T_F16 && x.shape.m == 8 && !x.sparse;
	x.a_col = stmt_has(in, M_COL) && !stmt_has(in, M_ROW);
	x.b_row = stmt_has(in, M_ROW) && !stmt_has(in, M_COL);
	if (x.volta) {
		set_volta_layouts(&x, in->text);
		if (types[x.c].bits != types[x.d].bits && x.c != T_F32 && x.c != T_F16)
			return bind_refuse(b, "this shape with these types");
	} else if (!take_product_kind(in, &x) || !is_known_mma(&x)) {
		return bind_refuse(b, "this shape with these types");
	}
	if (scaled && (bind_factors(b, in->operand + n - 4, &x.scales.a, x.scales.select) ||
			      bind_factors(b, in->operand + n - 2, &x.scales.b, x.scales.select + 2)))
		return -1;
	return check_mma_suffixes(b, &x, !x.volta) || (x.sparse && bind_mma_metadata(b, o, &x))
		       ? -1
		       : bind_mma_operands(b, o, &x, in->operand);
}

/* ---- wmma ---- */

/* Returns the offset of element (row, col) of a matrix in memory. o->imm bit 0: stored by columns. */
static uint64_t wmma_offset(const struct op *o, unsigned row, unsigned col, uint64_t stride)
{
	return o->imm & 1 ? (uint64_t)col * stride + row : (uint64_t)row * stride + col;
}

/*
 * Moves an element between a lane's register and memory, where its first bit is `bit`. o->is_signed: the
 * direction is to memory.
 */
static void move_matrix_element(
	struct warp *w, const struct op *o, unsigned lane, unsigned i, uint64_t bit, uint8_t *at)
{
	enum type t = (enum type)o->x->matrix->a;
	unsigned p = mma_elements_per_register(t), bits = types[t].bits, shift = i % p * bits;
	uint32_t slot = o->x->slot[i / p];
	u64 v = 0;

	if (o->is_signed) {
		v = mma_register_bits(w, slot, t, lane) >> shift;
		memcpy(at, &v, bits / 8);
		return;
	}
	memcpy(&v, at, bits < 8 ? 1 : bits / 8);
	if (bits < 8)
		v = v >> bit % 8 & ((1u << bits) - 1);
	if (bits == 64) {
		REG(u64, w, slot)[lane] = v;
	} else {
		u32 *r = &REG(u32, w, slot)[lane],
		    others = bits == 32 ? 0 : *r & ~(((1u << bits) - 1) << shift);

		*r = others | (u32)v << shift;
	}
}

/* Sets bit[] to the first bits of element i of each lane, relative to the matrix. */
static void place_elements(
	const struct warp *w, const struct op *o, unsigned n, unsigned i, uint64_t bit[LANES])
{
	const struct matrix *x = o->x->matrix;

	for (unsigned lane = 0; lane < LANES; lane++) {
		unsigned row, col;

		mma_place_fragment(x->shape.m, x->shape.n, n, lane, i, &row, &col);
		bit[lane] = wmma_offset(o, row, col, REG(u32, w, o->b)[lane]) * types[x->a].bits;
	}
}

/*
 * Returns true if the elements of the register whose first element is i, with first bits bit[], are a word of memory in
 * each lane.
 */
static bool is_register_word(
	const struct warp *w, const struct op *o, unsigned n, unsigned i, const uint64_t bit[LANES])
{
	enum type t = (enum type)o->x->matrix->a;
	unsigned p = mma_elements_per_register(t), bits = types[t].bits;
	uint64_t last[LANES], differ = 0;

	if (bits < 8 || bits * p != 32)
		return false;
	place_elements(w, o, n, i + p - 1, last);
	for (unsigned lane = 0; lane < LANES; lane++)
		differ |= (last[lane] - bit[lane] - 32 + bits) | (w->addr[lane] & 3);
	return !differ;
}

static void wmma_move(struct warp *w, const struct op *o, uint32_t m)
{
	const struct matrix *x = o->x->matrix;
	unsigned p = mma_elements_per_register((enum type)x->a), n = x->n_a * p, bits = types[x->a].bits;
	uint64_t base[LANES], bit[LANES], bytes = bits < 8 ? 1 : bits / 8;
	uint8_t *at[LANES];
	struct op plain = *o;
	bool word = false;

	if (!mma_check_lanes(w, o, m, "access"))
		return;
	plain.imm = (int64_t)o->x->value[0];
	exec_compute_addresses(w, &plain);
	memcpy(base, w->addr, sizeof(base));
	for (unsigned i = 0; i < n; i++) {
		place_elements(w, o, n, i, bit);
		for (unsigned lane = 0; lane < LANES; lane++)
			w->addr[lane] = base[lane] + bit[lane] / 8;
		if (!mem_find_host(w, o, m, (enum state_space)o->space, bytes, at))
			return;
		if (w->grid->options->check && i % p == 0)
			word = is_register_word(w, o, n, i, bit);
		if (w->grid->options->check && (!word || i % p == 0) &&
			!(o->is_signed ? check_write : check_read)(w, o, m, word ? 4 : bytes, at))
			return;
		for (unsigned lane = 0; lane < LANES; lane++)
			move_matrix_element(w, o, lane, i, bit[lane], at[lane]);
	}
	w->changed = w->changed || o->is_signed;
	memcpy(w->addr, base, sizeof(base));
	mem_find_host(
		w, &plain, m, (enum state_space)o->space, 1, at); /* the trace has the matrix's address */
}

static int bind_wmma_product(struct bind *b, struct op *o, struct mma_shape s)
{
	const struct stmt *in = b->stmt;
	struct matrix x = {.wmma = true, .shape = s};

	if (in->n_types != 2 && in->n_types != 4)
		return bind_types(b, 4);
	x.d = in->type[0];
	x.a = in->n_types == 2 ? T_F16 : in->type[1];
	x.b = in->n_types == 2 ? T_F16 : in->type[2];
	x.c = in->type[in->n_types - 1];
	x.saturate = stmt_has(in, M_SATFINITE);
	x.b1_operation = x.a == T_B1 ? stmt_has(in, M_XOR) ? 1 : 2 : 0;
	if (!is_known_mma(&x))
		return bind_refuse(b, "this shape with these types");
	return check_mma_suffixes(b, &x, false) || bind_operands(b, 4, 4)
		       ? -1
		       : bind_mma_operands(b, o, &x, in->operand);
}

static int bind_wmma_move(struct bind *b, struct op *o, struct mma_shape s)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	bool store = stmt_has(in, M_STORE), of_a = strstr(in->text, ".a.") != NULL,
	     of_b = strstr(in->text, ".b.") != NULL, by_col = stmt_has(in, M_COL);
	struct matrix x = {.wmma = true};

	if (bind_types(b, 1) || bind_operands(b, 2, 3))
		return -1;
	x.a = in->type[0];
	x.shape = (struct mma_shape){of_b ? (uint8_t)s.k : s.m, of_a ? (uint8_t)s.k : s.n, 0};
	x.n_a = (uint8_t)fragment_registers(
		x.shape.m, x.shape.n, (enum type)x.a, (of_a || of_b) && x.a == T_F16);
	if (s.k > 128 || !x.n_a || x.n_a > 16 || (store && types[x.a].bits < 16))
		return bind_refuse(b, "this shape with this type");
	if (mem_bind_space(b, o, &k[!store], store) ||
		bind_fragment(b, &k[store], x.n_a, (enum type)x.a, !store, bind_ext(b, o)->slot))
		return -1;
	o->b = in->n_operands == 3 ? bind_src(b, &k[2], T_U32)
				   : bind_const(b, by_col ? x.shape.m : x.shape.n, 4);
	o->x->value[0] = (uint64_t)o->imm;
	o->imm = by_col;
	o->is_signed = store;
	o->memory = 1;
	o->bytes = (uint8_t)(types[x.a].bits < 8 ? 1 : types[x.a].bits / 8);
	o->n = 1;
	o->execute = wmma_move;
	o->x->matrix = arena_alloc(&b->code->arena, 1, sizeof(x));
	memcpy(o->x->matrix, &x, sizeof(x));
	return o->b == UINT32_MAX ? -1 : 0;
}

int bind_wmma(struct bind *b, struct op *o)
{
	struct mma_shape s;

	if (!find_mma_shape(b->stmt, &s))
		return bind_fault(b, NULL, "suffix", "%s has no shape (expected one such as .m16n16k16)",
			b->stmt->text);
	return stmt_has(b->stmt, M_STORE) || stmt_has(b->stmt, M_LOAD) ? bind_wmma_move(b, o, s)
								       : bind_wmma_product(b, o, s);
}
