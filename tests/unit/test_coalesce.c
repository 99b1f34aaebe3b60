/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of access generation and shared memory passes: the worked examples LSU-example-1 and LSU-example-2,
 * rejected inputs, and random instructions, which are compared with a slow implementation of LSU-gen that works bit
 * by bit.
 */
#include <inttypes.h>
#include "arena.h"
#include "gpu/gpu.h"
#include "random.h"
#include "tap.h"

#define N(a) (sizeof(a) / sizeof((a)[0]))
#define X    0x7f2000000000ull

/* ---- a GPU with one warp instruction ---------------------------------------------------------------- */

struct lsu_bench {
	struct sm sm;
	struct params params;
	struct kernel kernel;
	struct warp warp[4];
	struct warp_recs recs;
	struct rec rec;
	uint64_t word[64];
	struct uop uop;
	struct winst inst;
	struct access_list got, want;
	char path[16];
};

static struct lsu_bench *bench_new(void)
{
	struct lsu_bench *b = xcalloc(1, sizeof(*b));
	struct core_params *c = &b->params.core;

	b->params.sms = 4;
	c->coalesce_arch = 70;
	c->warp_parts = 1;
	c->smem_banks = 32;
	c->local_mem_map = true;
	c->threads = 2048;
	b->sm.core = c;
	b->sm.params = &b->params;
	b->kernel.padded_threads = 32;
	b->kernel.cta_limit = 8;
	strcpy(b->path, "k.traceg");
	b->kernel.path = b->path;
	b->sm.warp = b->warp;
	b->recs = (struct warp_recs){.first_rec = 0, .n_recs = 1, .line = 17};
	b->sm.cta[0].kernel = &b->kernel;
	b->sm.cta[0].block.warp = &b->recs;
	b->sm.cta[0].block.rec = &b->rec;
	b->sm.cta[0].block.word = b->word;
	b->inst.uop = &b->uop;
	return b;
}

static void set_inst(struct lsu_bench *b, enum space space, unsigned flags, unsigned size)
{
	b->uop = (struct uop){.flags = (uint16_t)(flags | UOP_ACCESS), .size = (uint16_t)size};
	b->inst.space = (uint8_t)space;
}

/* Sets one address word per lane, from word index 2 on; index 0 is reserved for an empty list. */
static void set_address_list(struct lsu_bench *b, uint32_t mask, const uint64_t lane[32])
{
	uint32_t n = 2;

	b->inst.mask = mask;
	for (unsigned i = 0; i < 32; i++)
		if (mask >> i & 1)
			b->word[n++] = lane[i];
	b->rec = (struct rec){.mask = mask, .addr = b->inst.addr = 2 << 2 | ADDR_LIST};
}

static void set_stride(struct lsu_bench *b, uint32_t mask, uint64_t base, uint64_t stride)
{
	b->inst.mask = mask;
	b->word[2] = base;
	b->word[3] = stride;
	b->rec = (struct rec){.mask = mask, .addr = b->inst.addr = 2 << 2 | ADDR_STRIDE};
}

/* ---- LSU-gen, literally -------------------------------------------------------------------------- */

struct slow_piece {
	uint64_t segment;
	bool chunk[4], byte[128], lane[32];
};
struct pieces {
	struct slow_piece at[512];
	unsigned n;
};

static unsigned slow_segment(const struct core_params *c, const struct uop *u)
{
	bool sector = c->coalesce_arch >= 40;

	if (c->coalesce_arch >= 20 && c->coalesce_arch <= 38)
		sector = c->gmem_skip_l1d || (u->flags & UOP_BYPASS);
	if (sector || u->size == 1)
		return 32;
	return u->size == 2 ? 64 : 128;
}

static void slow_mark_bytes(struct slow_piece *p, uint64_t addr, unsigned count, unsigned lane)
{
	p->chunk[addr % 128 / 32] = true;
	p->lane[lane] = true;
	for (unsigned i = 0; i < count; i++)
		if (addr % 128 + i < 128)
			p->byte[addr % 128 + i] = true;
}

static struct slow_piece *slow_find_piece(struct pieces *p, uint64_t segment)
{
	for (unsigned i = 0; i < p->n; i++)
		if (p->at[i].segment == segment)
			return &p->at[i];
	p->at[p->n] = (struct slow_piece){.segment = segment};
	return &p->at[p->n++];
}

static void slow_access(struct pieces *p, uint64_t a, unsigned count, unsigned g, unsigned lane)
{
	uint64_t end = a + count - 1;

	slow_mark_bytes(slow_find_piece(p, a - a % g), a, count, lane);
	if (end - end % g != a - a % g)
		slow_mark_bytes(slow_find_piece(p, end - end % g), end, count, lane);
}

static void slow_atomic(struct pieces *p, uint64_t a, unsigned count, unsigned g, unsigned lane)
{
	unsigned i, k;

	for (i = 0; i < p->n; i++) {
		bool taken = p->at[i].segment != a - a % g;

		for (k = 0; k < count; k++)
			taken |= p->at[i].byte[a % 128 + k];
		if (!taken)
			break;
	}
	if (i == p->n)
		p->at[p->n++] = (struct slow_piece){.segment = a - a % g};
	slow_mark_bytes(&p->at[i], a, count, lane);
}

static void slow_local(const struct lsu_bench *b, struct pieces *p, uint64_t a, unsigned g, unsigned lane)
{
	uint32_t pad = b->kernel.padded_threads, s = b->params.sms, t = 32u * b->inst.warp + lane;
	uint32_t base = 4 * (pad * (b->sm.id + s * (t / pad)) + t % pad),
		 total = pad * b->kernel.cta_limit * s;
	unsigned d = b->uop.size;

	if (d < 4) {
		slow_access(p, a / 4 * total * 4 + a % 4 + base + 0x1F880000u, d, g, lane);
		return;
	}
	for (unsigned i = 0; i < d / 4; i++)
		slow_access(p, (a / 4 + i) * total * 4 + base + 0x1F880000u, 4, g, lane);
}

static void slow_shrink_access(const struct slow_piece *p, unsigned g, uint64_t *addr, unsigned *size)
{
	bool low = p->chunk[0] || p->chunk[1], high = p->chunk[2] || p->chunk[3];
	bool h0 = false, h1 = false;

	*addr = p->segment;
	*size = g;
	if (g == 128 && low != high) {
		*size = 64;
		*addr += low ? 0 : 64;
		h0 = low ? p->chunk[0] : p->chunk[2];
		h1 = low ? p->chunk[1] : p->chunk[3];
	} else if (g == 64) {
		h0 = p->segment % 128 ? p->chunk[2] : p->chunk[0];
		h1 = p->segment % 128 ? p->chunk[3] : p->chunk[1];
	}
	if (*size == 64 && h0 != h1) {
		*size = 32;
		*addr += h0 ? 0 : 32;
	}
}

static void slow_append(struct access_list *out, struct pieces *p, unsigned g, unsigned type)
{
	bool used[512] = {false};

	for (unsigned k = 0; k < p->n; k++) {
		struct access *a = &out->access[out->n++];
		unsigned least = p->n, size;

		for (unsigned i = 0; i < p->n; i++)
			if (!used[i] && (least == p->n || p->at[i].segment < p->at[least].segment))
				least = i;
		used[least] = true;
		*a = (struct access){.type = (uint8_t)type};
		slow_shrink_access(&p->at[least], g, &a->addr, &size);
		a->size = (uint16_t)size;
		for (unsigned i = 0; i < 128; i++)
			a->bytes[i / 64] |= (uint64_t)p->at[least].byte[i] << i % 64;
		for (unsigned i = 0; i < 32; i++)
			a->lanes |= (uint32_t)p->at[least].lane[i] << i;
		for (unsigned i = 0; i < 4; i++)
			a->sectors |= (uint8_t)(p->at[least].chunk[i] << i);
	}
	p->n = 0;
}

static void slow_coalesce(const struct lsu_bench *b, struct access_list *out)
{
	unsigned parts = b->params.core.warp_parts, g = slow_segment(&b->params.core, &b->uop);
	bool store = b->uop.flags & UOP_STORE, local = b->inst.space == SPACE_LOCAL;
	unsigned type = local ? store ? LOCAL_ACC_W : LOCAL_ACC_R : store ? GLOBAL_ACC_W : GLOBAL_ACC_R;
	static struct pieces p;
	uint64_t lane[32];

	rec_addresses(&b->sm.cta[0].block, &b->rec, lane);
	out->n = 0;
	for (unsigned k = 0; k < parts; k++) {
		for (unsigned i = k * 32 / parts; i < (k + 1) * 32 / parts; i++) {
			if (!(b->inst.mask >> i & 1))
				continue;
			if (local)
				slow_local(b, &p, lane[i], g, i);
			else if (b->uop.flags & UOP_ATOMIC)
				slow_atomic(&p, lane[i], b->uop.size, g, i);
			else if (lane[i])
				slow_access(&p, lane[i], b->uop.size, g, i);
		}
		slow_append(out, &p, g, type);
	}
}

static uint32_t slow_passes_of_lanes(const struct core_params *c, const uint64_t lane[32], uint32_t lanes)
{
	uint32_t most = 0, cast_bank = UINT32_MAX, cast_count = 0;
	uint64_t cast_word = 0;

	for (uint32_t bank = 0; bank < c->smem_banks && !cast_count; bank++)
		for (unsigned i = 0; i < 32; i++) {
			uint32_t n = 0;

			if (!(lanes >> i & 1) || lane[i] / 4 % c->smem_banks != bank)
				continue;
			for (unsigned k = 0; k < 32; k++)
				n += lanes >> k & 1 && (lane[k] & ~3ull) == (lane[i] & ~3ull);
			if (n > 1 && (!cast_count || (lane[i] & ~3ull) < cast_word)) {
				cast_bank = bank;
				cast_word = lane[i] & ~3ull;
				cast_count = n;
			}
		}
	for (uint32_t bank = 0; bank < c->smem_banks; bank++) {
		uint32_t words = 0, all = 0;

		for (unsigned i = 0; i < 32; i++) {
			bool fresh = true;

			if (!(lanes >> i & 1) || lane[i] / 4 % c->smem_banks != bank)
				continue;
			for (unsigned k = 0; k < i; k++)
				fresh &= !(lanes >> k & 1) || (lane[k] & ~3ull) != (lane[i] & ~3ull);
			words += fresh;
			all++;
		}
		if (c->smem_limited_broadcast)
			words = bank == cast_bank ? all - (cast_count - 1) : all;
		most = words > most ? words : most;
	}
	return most;
}

static uint32_t slow_passes(const struct lsu_bench *b)
{
	const struct core_params *c = &b->params.core;
	uint32_t width = 32 / c->warp_parts, total = 0;
	uint64_t lane[32];

	rec_addresses(&b->sm.cta[0].block, &b->rec, lane);
	for (uint32_t p = 0; p < c->warp_parts; p++)
		total += slow_passes_of_lanes(
			c, lane, b->inst.mask & (uint32_t)(((1ull << width) - 1) << p * width));
	return total;
}

/* ---- comparison -------------------------------------------------------------------------------------- */

static bool same_access(const struct access *a, const struct access *b)
{
	return a->addr == b->addr && a->bytes[0] == b->bytes[0] && a->bytes[1] == b->bytes[1] &&
	       a->lanes == b->lanes && a->size == b->size && a->type == b->type && a->sectors == b->sectors;
}

static void print_accesses(const char *title, const struct access_list *l)
{
	for (uint32_t i = 0; i < l->n; i++)
		printf("# %s %" PRIx64 " size %u lanes %x bytes %016" PRIx64 "%016" PRIx64
		       " sectors %x type %u\n",
			title, l->access[i].addr, l->access[i].size, l->access[i].lanes,
			l->access[i].bytes[1], l->access[i].bytes[0], l->access[i].sectors,
			l->access[i].type);
}

static bool is_coalesce_equal(struct lsu_bench *b)
{
	uint64_t lane[32];
	bool same;

	coalesce(&b->sm, &b->inst, &b->got);
	slow_coalesce(b, &b->want);
	rec_addresses(&b->sm.cta[0].block, &b->rec, lane);
	same = b->got.n == b->want.n && (!b->inst.mask || b->got.lane0 == lane[0]);
	for (uint32_t i = 0; same && i < b->got.n; i++)
		same = same_access(&b->got.access[i], &b->want.access[i]);
	if (!same) {
		print_accesses("found", &b->got);
		print_accesses("wanted", &b->want);
	}
	return same;
}

/* ---- worked examples --------------------------------------------------------------------------------- */

static void test_examples(struct lsu_bench *b)
{
	const uint64_t three[32] = {X, X + 64, X + 128};
	const uint64_t cross[32] = {X + 28};

	set_inst(b, SPACE_GLOBAL, UOP_LOAD, 4);
	set_address_list(b, 7, three);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 3, "a load of three sectors makes three accesses");
	ok(b->got.access[0].addr == X && b->got.access[0].sectors == 1 && b->got.access[1].addr == X + 64 &&
			b->got.access[1].sectors == 4 && b->got.access[2].addr == X + 128 &&
			b->got.access[2].sectors == 1,
		"the accesses of a load of three sectors are in ascending order");
	is_number(b->got.access[2].size, 32, "each access of a load of three sectors has 32 bytes");
	set_inst(b, SPACE_GLOBAL, UOP_LOAD, 8);
	set_address_list(b, 1, cross);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 2, "a load that crosses a sector border makes two accesses");
	ok(b->got.access[0].bytes[0] == 0xffull << 28 && b->got.access[1].bytes[0] == 0xffull << 35,
		"the second access of a crossing load begins at the last byte of the load");
	ok(b->got.access[0].sectors == 1 && b->got.access[1].sectors == 2,
		"the two accesses of a crossing load have consecutive sectors");
	set_inst(b, SPACE_GLOBAL, UOP_LOAD, 16);
	set_stride(b, UINT32_MAX, X, 16);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 16, "a load of 512 bytes makes 16 accesses");
	set_inst(b, SPACE_LOCAL, UOP_LOAD, 4);
	set_stride(b, UINT32_MAX, 0x1000, 0);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 4, "a load of one local word per lane makes 4 accesses");
	is_number(b->got.access[0].type, LOCAL_ACC_R,
		"a load of local words makes accesses of type LOCAL_ACC_R");
	set_inst(b, SPACE_LOCAL, UOP_LOAD, 8);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 8, "a load of two local words per lane makes 8 accesses");
	set_inst(b, SPACE_GLOBAL, UOP_LOAD | UOP_ATOMIC | UOP_BYPASS, 4);
	set_stride(b, UINT32_MAX, X, 0);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 32, "atomics of 32 lanes on one word make 32 accesses");
	set_stride(b, UINT32_MAX, X, 4);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 4, "atomics of 32 lanes on 32 words make 4 accesses");
}

static void test_no_accesses(struct lsu_bench *b)
{
	const uint64_t zero[32] = {0};

	set_inst(b, SPACE_GLOBAL, UOP_LOAD, 4);
	set_address_list(b, UINT32_MAX, zero);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 0, "a load with address 0 in all lanes makes no access");
	set_stride(b, 0xf0000000, 0, 4);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 1, "a strided load that begins at address 0 makes one access");
	ok(b->got.access[0].lanes == 0xe0000000,
		"the access of a strided load omits the lane with address 0");
	set_stride(b, 0, 0, 4);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 0, "a load without active lanes makes no access");
	set_inst(b, SPACE_SHARED, UOP_LOAD, 4);
	set_stride(b, UINT32_MAX, 0, 4);
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 0, "a shared memory load makes no access");
}

static void test_passes(struct lsu_bench *b)
{
	static const struct {
		uint64_t stride;
		uint32_t passes;
	} c[] = {
		{4, 1},
		{8, 2},
		{128, 32},
		{0, 1},
		{16, 4},
	};

	set_inst(b, SPACE_SHARED, UOP_LOAD, 4);
	for (unsigned i = 0; i < N(c); i++) {
		set_stride(b, UINT32_MAX, 0x7f0000000100ull, c[i].stride);
		is_number(coalesce_count_shared_passes(&b->sm, &b->inst), c[i].passes,
			"a strided shared memory load takes the expected number of passes");
	}
	set_stride(b, 0, 0, 0);
	is_number(coalesce_count_shared_passes(&b->sm, &b->inst), 1,
		"a shared memory load without active lanes takes one pass");
}

/* ---- rejections -------------------------------------------------------------------------------------- */

static void run_coalesce(void *arg)
{
	struct lsu_bench *b = arg;

	diag_init("trace-sim");
	coalesce(&b->sm, &b->inst, &b->got);
}

static void check_rejected(struct lsu_bench *b, const char *want, const char *name)
{
	char text[512];

	is_number(in_child(run_coalesce, b, text, sizeof(text)), EXIT_TROUBLE, name);
	is_text(text, want, name);
}

static void test_rejections(struct lsu_bench *b)
{
	set_inst(b, SPACE_GLOBAL, UOP_LOAD, 32);
	set_stride(b, 1, X, 32);
	check_rejected(b,
		"trace-sim: k.traceg:17: error: global or local access with a width of 0x20 "
		"(expected 1, 2, 4, 8 or 16 bytes per lane)\n",
		"a global access of 32 bytes per lane is rejected");
	set_inst(b, SPACE_LOCAL, UOP_LOAD, 4);
	set_stride(b, 1, 0x1002, 0);
	check_rejected(b, "trace-sim: k.traceg:17: error: local address 0x1002 (expected a multiple of 4)\n",
		"a misaligned local access of 4 bytes is rejected");
	b->uop.narrow = true;
	coalesce(&b->sm, &b->inst, &b->got);
	is_number(b->got.n, 1, "a misaligned local access is accepted if the opcode narrows to 8 or 16 bits");
	set_inst(b, SPACE_LOCAL, UOP_STORE, 2);
	set_stride(b, 1, 0x1003, 0);
	check_rejected(b,
		"trace-sim: k.traceg:17: error: local address 0x1003 (expected an access within one "
		"4-byte word)\n",
		"a local access across two words is rejected");
	set_inst(b, SPACE_GLOBAL, UOP_LOAD | UOP_ATOMIC | UOP_BYPASS, 4);
	set_stride(b, 1, X + 30, 0);
	check_rejected(b,
		"trace-sim: k.traceg:17: error: atomic access at 0x7f200000001e (expected one within a "
		"segment)\n",
		"an atomic access across two segments is rejected");
}

/* ---- random instructions ----------------------------------------------------------------------------- */

static uint32_t random_mask(void)
{
	uint32_t m = random_below(UINT32_MAX) ^ random_below(UINT32_MAX) << 7;

	switch (random_below(4)) {
	case 0: return UINT32_MAX;
	case 1: return UINT32_MAX << random_below(32) >> random_below(16);
	case 2: return m | m << 3;
	default: return m;
	}
}

/* Sets random addresses in one of several patterns. The base address is a multiple of `align`. */
static void set_random_addresses(struct lsu_bench *b, uint32_t align)
{
	uint64_t lane[32], base = (random_below(8) ? X : 0x40) + random_below(4096) / align * align;
	uint32_t mask = random_mask(), span = 1u << (3 + random_below(12)), shape = random_below(4);

	if (shape < 2) {
		uint64_t stride = shape ? b->uop.size : (uint64_t)random_below(64) * align - 16ull * align;

		set_stride(b, mask, base, stride);
		return;
	}
	for (unsigned i = 0; i < 32; i++) {
		lane[i] = base + random_below(span) / align * align;
		if (shape == 3 && !random_below(6) && b->inst.space == SPACE_GLOBAL)
			lane[i] = 0;
	}
	set_address_list(b, mask, lane);
}

static void set_random_params(struct lsu_bench *b)
{
	static const uint32_t arch[] = {13, 20, 35, 39, 61, 70, 70, 86};
	struct core_params *c = &b->params.core;

	c->coalesce_arch = arch[random_below(N(arch))];
	c->warp_parts = random_below(3) ? 1 : 1u << random_below(3);
	c->gmem_skip_l1d = !random_below(4);
	c->smem_limited_broadcast = random_below(2);
	c->smem_banks = random_below(8) ? 1u << random_below(7) : 1 + random_below(100);
	b->sm.id = random_below(4);
	b->kernel.padded_threads = 32 * (1 + random_below(4));
	b->inst.warp = (uint8_t)random_below(4);
	b->sm.cta[0].first_thread = 32u * b->inst.warp;
}

static void test_random(struct lsu_bench *b)
{
	unsigned kind, failed[4] = {0};

	for (unsigned round = 0; round < 40000; round++) {
		unsigned size = 1u << random_below(5), flags = random_below(2) ? UOP_LOAD : UOP_STORE;

		set_random_params(b);
		kind = round % 4;
		if (kind == 2)
			flags = UOP_LOAD | UOP_ATOMIC | UOP_BYPASS;
		set_inst(b, kind == 1 ? SPACE_LOCAL : kind == 3 ? SPACE_SHARED : SPACE_GLOBAL, flags, size);
		set_random_addresses(b, kind == 0   ? 1u << random_below(5)
					: kind == 3 ? 1u << random_below(3)
						    : size);
		if (kind == 3)
			failed[3] += b->inst.mask &&
				     coalesce_count_shared_passes(&b->sm, &b->inst) != slow_passes(b);
		else if (failed[kind] < 3)
			failed[kind] += !is_coalesce_equal(b);
	}
	is_number(failed[0], 0, "random global accesses equal those of the slow implementation");
	is_number(failed[1], 0, "random local accesses equal those of the slow implementation");
	is_number(failed[2], 0, "random atomics equal those of the slow implementation");
	is_number(
		failed[3], 0, "random shared memory loads take as many passes as in the slow implementation");
}

int main(void)
{
	struct lsu_bench *b = bench_new();

	test_examples(b);
	test_no_accesses(b);
	test_passes(b);
	test_rejections(b);
	test_random(b);
	free(b);
	return tap_done();
}
