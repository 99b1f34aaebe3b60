/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loads of constants, loads and stores of matrices in shared memory, copies from global to shared memory, fences.
 *
 * Always true: an instruction that starts a copy makes the whole copy. The checks report uses before a DEPBAR.LE that
 * waits for it.
 */
#include "exec/check.h"
#include "machine/memory.h"
#include "sem/matrix.h"
#include "sem/sem.h"

/* ---- constants ---- */

static void copy_constants(struct warp *w, const struct op *o, uint32_t m)
{
	u32 *d = REG(u32, w, o->d);
	const u32 *a = REG(u32, w, o->a);

	for (unsigned k = 0; 4 * k < o->bytes; k++)
		if (m == ALL_LANES)
			memcpy(d + k * LANES, a + k * LANES, VECTOR);
		else
			FOR_BITS32 (i, m)
				d[k * LANES + i] = a[k * LANES + i];
}

/* Loads words of constant bank o->n. The offset is a register plus a constant. */
static void load_constant(struct warp *w, const struct op *o, uint32_t m)
{
	uint32_t n;
	const uint8_t *bank = machine_constant_bank(w->grid, o->func->machine_code, o->n, &n);
	u32 *d = REG(u32, w, o->d);
	const u32 *a = REG(u32, w, o->a);

	FOR_BITS32 (i, m) {
		u32 at = a[i] + (u32)o->imm;
		uint8_t v[16] = {0};

		if (!bank || at > n || n - at < o->bytes) {
			exec_fail(w, o, 1u << i, "out-of-bounds",
				"read of %u bytes at byte %u of constant bank %u, which has %u bytes",
				o->bytes, at, o->n, n);
			return;
		}
		memcpy(v, bank + at, o->bytes);
		if (o->is_signed)
			memset(v + o->bytes, v[o->bytes - 1] & 0x80 ? 0xff : 0, 4u - o->bytes);
		for (unsigned k = 0; k < (o->bytes + 3u) / 4; k++)
			memcpy(&d[i + k * LANES], v + 4 * k, 4);
	}
}

int mbind_ldc(struct mbind *b, struct op *o)
{
	static const uint8_t size[8] = {1, 1, 2, 2, 4, 8, 16, 16};
	unsigned n = (unsigned)field(b, 73, 3), bank = (unsigned)field(b, 54, 5), opcode = b->inst->opcode;
	bool uniform = opcode != 0xb82,
	     indexed = uniform ? opcode == 0xabb || opcode == 0x7ac : field(b, 24, 8) != RZ;
	unsigned words = (size[n] + 3u) / 4;
	uint32_t offset = opcode == 0x7ac ? (uint32_t)field(b, 37, 17) : (uint32_t)field(b, 38, 16);

	o->d = uniform ? mbind_udst(b, 16) : mbind_dst(b, 16, words);
	o->bytes = size[n];
	o->is_signed = n == 1 || n == 3;
	if (indexed)
		o->a = uniform ? mbind_ureg(b, 24) : mbind_reg(b, 24, 1);
	indexed = indexed && o->a != FRAME_ZERO;
	if (!uniform && field(b, 78, 2))
		return mbind_refuse(b, "mode of the index");
	if (bit(b, 91) && !uniform)
		return mbind_refuse(b, "bank in a uniform register");
	if (!indexed && size[n] >= 4 && bank != 3) {
		o->a = mbind_bank_constant(b, bank, offset, words);
		machine_set_function(o, copy_constants);
		return 0;
	}
	o->n = (uint8_t)bank;
	o->imm = indexed && !uniform ? signed_field(b, 38, 16) : (int64_t)offset;
	machine_set_function(o, load_constant);
	return 0;
}

/* ---- matrices ---- */

/* Fails the launch, and returns false, unless all lanes execute. */
static bool check_matrix_lanes(struct warp *w, const struct op *o, uint32_t m)
{
	char text[SASS_TEXT_MAX];

	if (m == ALL_LANES)
		return true;
	machine_write_op_text(o, text);
	exec_fail(w, o, m, "matrix-divergent", "%u lanes at %s (expected all 32)", bit_count32(m), text);
	return false;
}

/* Moves o->n matrices of 8 rows between shared memory and registers. Each lane has the address of a row. */
static void move_shared_matrices(struct warp *w, const struct op *o, uint32_t m, bool store)
{
	uint8_t *at[LANES];
	unsigned count = o->n;
	uint32_t rows = count == 4 ? ALL_LANES : (1u << 8 * count) - 1;
	u32 *r = REG(u32, w, o->d);

	if (!check_matrix_lanes(w, o, m) || !memory_find_hosts(w, o, rows, 16, at, store))
		return;
	for (unsigned i = 0; i < count * LANES; i++) {
		unsigned l = i % LANES;
		u16 h[2] = {(u16)r[i], (u16)(r[i] >> 16)};

		for (unsigned e = 0; e < 2; e++) {
			unsigned row = o->is_signed ? l % 4 * 2 + e : l / 4,
				 col = o->is_signed ? l / 4 : l % 4 * 2 + e;
			uint8_t *element = at[i / LANES * 8 + row] + 2 * col;

			memcpy(store ? (void *)element : &h[e], store ? (void *)&h[e] : element, 2);
		}
		if (!store)
			r[i] = h[0] | (u32)h[1] << 16;
	}
	for (unsigned l = bit_count32(rows); l < LANES; l++)
		w->addr[l] = w->addr[l % bit_count32(rows)];
}

static void load_matrices(struct warp *w, const struct op *o, uint32_t m)
{
	move_shared_matrices(w, o, m, false);
}

static void store_matrices(struct warp *w, const struct op *o, uint32_t m)
{
	move_shared_matrices(w, o, m, true);
}

/* Executes LDSM or STSM of 8-bit elements. o->bytes: bytes of a row; o->mode: the shape times 2. */
static void move_byte_matrices_of(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];
	uint32_t rows = o->n == 4 ? ALL_LANES : (1u << 8 * o->n) - 1;
	enum matrix_shape shape = (enum matrix_shape)(o->mode / 2);
	u32 *r[4];

	if (!check_matrix_lanes(w, o, m) ||
		!memory_find_hosts(w, o, rows, o->bytes, at, shape == MATRIX_16X8))
		return;
	for (unsigned k = 0; k < o->n; k++)
		r[k] = REG(u32, w, o->d) + k * LANES;
	matrix_move_bytes(r, o->n, shape, o->bytes, at);
	for (unsigned l = bit_count32(rows); l < LANES; l++)
		w->addr[l] = w->addr[l % bit_count32(rows)];
}

/*
 * Sets the shape and the bytes of a row of matrices of 8-bit elements. Bits 75-77 are the type in memory: for a load 5
 * (4 bits), 6 (6 bits) or 7 (8 bits), for a store 1 (8 bits). Bits 78-80 are the shape: 2 is MATRIX_8X16 for a load and
 * MATRIX_16X8 for a store, 4 is MATRIX_16X16. Returns false for other combinations.
 */
static bool take_byte_matrices(const struct mbind *b, struct op *o, bool store)
{
	unsigned type = (unsigned)field(b, 75, 3), shape = (unsigned)field(b, 78, 3);

	o->bytes = type == 5 ? 8 : type == 6 ? 12 : 16;
	o->mode |= (uint8_t)(2 * (store ? MATRIX_16X8 : shape == 4 ? MATRIX_16X16 : MATRIX_8X16));
	if (shape == 4)
		o->n = (uint8_t)(2 * o->n);
	return o->n <= 4 && (store                             ? type == 1 && shape == 2
				    : (type == 5 || type == 6) ? shape == 2 || shape == 4
							       : type == 7 && shape == 4);
}

/* Binds LDSM or STSM. fn: function that executes it; ur: first bit of the field with the uniform register. */
static int bind_shared_matrices(struct mbind *b, struct op *o, unsigned ur, op_fn *fn)
{
	static const uint8_t count[4] = {1, 2, 4, 0};
	unsigned n = count[field(b, 72, 2)];
	bool load = fn == load_matrices;

	memory_bind_address(b, o, SP_SHARED, ur);
	if (!n)
		return mbind_refuse(b, "number of matrices");
	o->n = (uint8_t)n;
	o->bytes = 16;
	o->is_signed = bit(b, 78);
	if (field(b, 75, 3) || field(b, 79, 2)) {
		if (!take_byte_matrices(b, o, fn == store_matrices))
			return mbind_refuse(b, "shape");
		fn = move_byte_matrices_of;
	}
	o->d = load ? mbind_dst(b, 16, o->n) : mbind_reg(b, 32, o->n);
	machine_set_function(o, fn);
	return 0;
}

int mbind_ldsm(struct mbind *b, struct op *o) { return bind_shared_matrices(b, o, 32, load_matrices); }

int mbind_stsm(struct mbind *b, struct op *o) { return bind_shared_matrices(b, o, 64, store_matrices); }

/* Transposes the 8x8 matrix of 16-bit elements in a register. */
static void execute_movm(struct warp *w, const struct op *o, uint32_t m)
{
	const u32 *a = REG(u32, w, o->a);
	u16 v[8][8];

	(void)m;
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned e = 0; e < 2; e++)
			v[l / 4][l % 4 * 2 + e] = (u16)(a[l] >> 16 * e);
	for (unsigned l = 0; l < LANES; l++)
		REG(u32, w, o->d)[l] = v[l % 4 * 2][l / 4] | (u32)v[l % 4 * 2 + 1][l / 4] << 16;
}

/*
 * MOVM.U4TO8: a row of 32 numbers of 4 bits, 8 in each of 4 lanes, becomes a row of bytes in the operand layout
 * of IMMA: each lane has 4 bytes of the first half and 4 of the second.
 */
static void widen_nibbles(struct warp *w, const struct op *o, uint32_t m)
{
	u32 from[LANES], *d = REG(u32, w, o->d);

	(void)m;
	memcpy(from, REG(u32, w, o->a), sizeof(from));
	memset(d, 0, (size_t)2 * VECTOR);
	for (unsigned l = 0; l < LANES; l++)
		for (unsigned k = 0; k < 32; k++)
			if (k % 16 / 4 == l % 4)
				d[k / 16 * LANES + l] |= (from[l / 4 * 4 + k / 8] >> k % 8 * 4 & 15)
							 << k % 4 * 8;
}

int mbind_movm(struct mbind *b, struct op *o)
{
	bool widen = bit(b, 75) && bit(b, 78);

	o->d = mbind_dst(b, 16, widen ? 2 : 1);
	o->a = mbind_reg(b, 24, 1);
	machine_set_function(o, widen ? widen_nibbles : execute_movm);
	return bit(b, 75) == bit(b, 78) ? 0 : mbind_refuse(b, "form");
}

/* ---- copies to shared memory ---- */

/*
 * Executes LDGSTS. The address in shared memory is the sum of o->d, the uniform register o->b and o->x->aux[0].
 Lanes whose
 * predicate is false store zeros: the compiler writes this for cp.async with a size of 0 or a source to ignore.
 */
static void copy_to_shared(struct warp *w, const struct op *o, uint32_t m)
{
	struct op to = *o;
	uint8_t *shared[LANES], *global[LANES];
	uint32_t on = m & pred_value(w, (int64_t)o->x->value[0]), zeros = m & ~on;
	u32 missing[LANES];

	to.space = SP_SHARED;
	to.a = o->d;
	to.c = o->b;
	to.imm = (int32_t)o->x->aux[0];
	to.is_param = 0;
	if (!(on | zeros) || !memory_find_hosts(w, &to, on | zeros, o->bytes, shared, true))
		return;
	FOR_BITS32 (i, zeros)
		memset(shared[i], 0, o->bytes);
	memory_addresses(w, o);
	FOR_BITS32 (i, on) /* with ZFILL the low bits of the address are the number of zero bytes */
		missing[i] = o->is_signed ? (u32)w->addr[i] & (o->bytes - 1u) : 0;
	if (!on)
		return;
	FOR_BITS32 (i, on)
		w->addr[i] -= missing[i];
	uint64_t kept[LANES];
	memcpy(kept, w->addr, sizeof(kept));
	FOR_BITS32 (i, on) {
		w->addr[i] = kept[i];
		if (!mem_find_host(w, o, 1u << i, SP_GLOBAL, o->bytes - missing[i], global) ||
			(w->grid->options->check &&
				!check_read(w, o, 1u << i, o->bytes - missing[i], global)))
			return;
		memcpy(shared[i], global[i], o->bytes - missing[i]);
		memset(shared[i] + o->bytes - missing[i], 0, missing[i]);
	}
	if (w->grid->options->check)
		flight_begin(w, on, o->bytes, shared);
}

int mbind_ldgsts(struct mbind *b, struct op *o)
{
	static const uint8_t size[8] = {0, 0, 0, 0, 4, 8, 16, 0}, size_100[4] = {4, 8, 16, 0};
	bool late = b->code->sm >= 100, added = b->inst->opcode == 0xdae;

	memory_bind_address(b, o, SP_GLOBAL, 64);
	o->x = arena_alloc(&b->bound->arena, 1, sizeof(*o->x));
	o->bytes = late ? size_100[field(b, 74, 2)] : size[field(b, 73, 3)];
	o->mode = ADDRESS_64;
	o->a = mbind_reg(b, 24, 2);
	o->d = mbind_reg(b, 16, 1);
	o->imm = signed_field(b, 32, 12);
	o->x->aux[0] = (u32)signed_field(b, 44, 20);
	o->x->value[0] = (u64)mbind_pred(b, 87, false);
	o->c = FRAME_ZERO;
	o->b = FRAME_ZERO;
	if (added)
		o->b = mbind_ureg(b, 64);
	else if (!bit(b, 76))
		o->c = mbind_ureg(b, 64);
	o->is_signed = bit(b, 82);
	b->func->inst[b->index].opcode = I_cp;
	machine_set_function(o, copy_to_shared);
	return !o->bytes ? mbind_refuse(b, "size") : 0;
}

/*
 * Ends a group of copies. LDGDEPBAR and UTMACMDFLUSH end groups of different copies, but DEPBAR.LE counts both, so each
 * of them ends a group of both kinds.
 */
static void commit_copies(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	if (w->async)
		flight_commit(w, m);
	bulk_flight_commit(w, m);
}

int mbind_ldgdepbar(struct mbind *b, struct op *o)
{
	(void)b;
	machine_set_function(o, commit_copies);
	return 0;
}

static void wait_for_copies(struct warp *w, const struct op *o, uint32_t m)
{
	if (w->async)
		flight_wait(w, m, o->n);
	bulk_flight_wait(w, m, o->n);
}

int mbind_depbar(struct mbind *b, struct op *o)
{
	struct control_code k;
	uint8_t bytes[16];

	memcpy(bytes, b->inst->word, 16);
	control_decode(&k, bytes);
	o->n = k.depbar_limit;
	machine_set_function(o, wait_for_copies);
	return 0;
}

/* ---- fences and instructions without effect on values ---- */

static void order_accesses(struct warp *w, const struct op *o, uint32_t m)
{
	(void)o;
	(void)m;
	checker_note_barrier(w->cta);
}

int mbind_nothing(struct mbind *b, struct op *o)
{
	(void)b;
	machine_set_function(o, machine_execute_nothing);
	return 0;
}

int mbind_fence(struct mbind *b, struct op *o)
{
	char text[SASS_TEXT_MAX];

	sass_opcode_text(b->inst, text);
	if (strstr(text,
		    ".VC")) /* code without optimisation has it before each EXIT; no fence of a program becomes it */
		return mbind_nothing(b, o);
	machine_set_function(o, order_accesses);
	memory_bind_order(b, false, !strstr(text, "CTA"));
	return 0;
}
