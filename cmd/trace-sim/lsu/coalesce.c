/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Generates the memory accesses of a warp's load or store (LSU-gen, LSU-local), and computes the number of passes of a
 * shared memory instruction (LSU-smem).
 *
 * Always true: an access list has at most one access for each segment and part of the warp (atomics: for each
 * transaction). Accesses are in the order of the parts and, within a part, in the order of ascending segments. In
 * sector mode every access is one sector of 32 bytes. readonly.c makes the accesses to constants and textures.
 */
#include <inttypes.h>
#include <string.h>
#include "ldst_int.h"
#include "sm/kernel.h"

#define LINE_MASK  127u
#define LOCAL_BASE 0x1F880000u /* address at which local memory begins */

/* Segments of one part of the warp while its lanes are gathered; `order` sorts them by address, then by age. */
struct segments {
	uint32_t n, segment_bytes;
	uint8_t order[MAX_ACCESSES];
	struct access access[MAX_ACCESSES];
};

_Noreturn static void reject_access(
	const struct sm *s, const struct winst *w, const char *found, uint64_t value, const char *want)
{
	sm_fatal(s, w, "access", "%s 0x%" PRIx64 " (expected %s)", found, value, want);
}

/* Sets n bits of a line's byte mask from bit `offset` on, except bits beyond the line. n is at most 32. */
static void mark_written_bytes(uint64_t bytes[2], unsigned offset, unsigned n)
{
	uint64_t m = (1ull << n) - 1;

	if (offset >= 64) {
		bytes[1] |= m << (offset - 64);
		return;
	}
	bytes[0] |= m << offset;
	if (offset + n > 64)
		bytes[1] |= m >> (64 - offset);
}

static bool overlaps_bytes(const struct access *a, unsigned offset, unsigned n)
{
	uint64_t m[2] = {0, 0};

	mark_written_bytes(m, offset, n);
	return (a->bytes[0] & m[0]) || (a->bytes[1] & m[1]);
}

/* Adds a segment at position k of the order. */
static struct access *insert_segment(struct segments *t, uint32_t k, uint64_t segment)
{
	struct access *a = &t->access[t->n];

	assert(t->n < MAX_ACCESSES);
	memmove(&t->order[k + 1], &t->order[k], t->n - k);
	t->order[k] = (uint8_t)t->n++;
	*a = (struct access){.addr = segment};
	return a;
}

/*
 * Returns the entry of a segment, which is added if it is missing. Searches from the end, because addresses usually
 * ascend.
 */
static struct access *find_or_add_segment(struct segments *t, uint64_t segment)
{
	uint32_t k = t->n;

	while (k && t->access[t->order[k - 1]].addr > segment)
		k--;
	if (k && t->access[t->order[k - 1]].addr == segment)
		return &t->access[t->order[k - 1]];
	return insert_segment(t, k, segment);
}

/*
 * Returns, for atomics, the first transaction of the segment that has none of the n bytes from `offset` on. If there
 * is none, adds a transaction after the others of the segment.
 */
static struct access *find_or_add_transaction(
	struct segments *t, uint64_t segment, unsigned offset, unsigned n)
{
	uint32_t k = 0;

	while (k < t->n && t->access[t->order[k]].addr < segment)
		k++;
	for (; k < t->n && t->access[t->order[k]].addr == segment; k++)
		if (!overlaps_bytes(&t->access[t->order[k]], offset, n))
			return &t->access[t->order[k]];
	return insert_segment(t, k, segment);
}

static void mark_lane_bytes(struct access *a, unsigned offset, unsigned n, unsigned lane)
{
	a->sectors |= (uint8_t)(1u << offset / 32);
	a->lanes |= 1u << lane;
	mark_written_bytes(a->bytes, offset, n);
}

/*
 * Marks the sectors and bytes of a lane in one segment or, if the access crosses segments, in two. quirk Q1-13: in the
 * second segment, the marked bytes begin at the access's last byte, and their number is the size of the access
 * (LSU-gen-5).
 */
static void mark_lane_access(struct segments *t, uint64_t addr, unsigned size, unsigned lane)
{
	uint64_t low = t->segment_bytes - 1, last = addr + size - 1;

	mark_lane_bytes(find_or_add_segment(t, addr & ~low), addr & LINE_MASK, size, lane);
	if ((last & ~low) != (addr & ~low))
		mark_lane_bytes(find_or_add_segment(t, last & ~low), last & LINE_MASK, size, lane);
}

/* Halves the segment as long as only one of its halves is used (LSU-gen-7). */
static void halve_segment(struct access *a, uint32_t segment_bytes)
{
	unsigned q = a->sectors;
	uint32_t size = segment_bytes;

	if (size == 128) {
		if (!(q & 12)) {
			size = 64;
		} else if (!(q & 3)) {
			size = 64;
			a->addr += 64;
		}
	}
	if (size == 64) {
		unsigned half = a->addr & 64 ? q >> 2 : q & 3;

		if (half == 2)
			a->addr += 32;
		if (half != 3)
			size = 32;
	}
	a->size = (uint16_t)size;
}

static void append_accesses(struct access_list *out, struct segments *t, uint8_t type)
{
	for (uint32_t k = 0; k < t->n; k++) {
		struct access *a = &out->access[out->n++];

		assert(out->n <= MAX_ACCESSES);
		*a = t->access[t->order[k]];
		a->type = type;
		halve_segment(a, t->segment_bytes);
	}
	t->n = 0;
}

/* Returns true in sector mode (LSU-gen-3). quirk Q1-15: architecture 39 is not in sector mode. */
static bool is_sector_mode(const struct core_params *c, const struct uop *u)
{
	if (c->coalesce_arch >= 40)
		return true;
	if (c->coalesce_arch < 20 || c->coalesce_arch > 38)
		return false;
	return c->gmem_skip_l1d || u->flags & UOP_BYPASS;
}

/* Returns the number of bytes of a segment; 0: the original has no segment for accesses of `size` bytes. */
static uint32_t segment_bytes(unsigned size, bool sectors)
{
	switch (size) {
	case 1: return 32;
	case 2: return sectors ? 32 : 64;
	case 4:
	case 8:
	case 16: return sectors ? 32 : 128;
	default: return 0;
	}
}

/*
 * Translates a local address into up to 8 word addresses (LSU-local), and returns their number. Returns 0 if the thread
 * is beyond the local memory of the GPU. addr and size satisfy LSU-local-2.
 */
static unsigned translate_local_address(
	const struct sm *s, unsigned warp, unsigned lane, uint64_t addr, unsigned size, uint64_t out[8])
{
	const struct kernel *k = s->cta[s->warp[warp].cta].kernel;
	uint32_t t = 32 * warp + lane, total, base;
	unsigned i;

	/*
	 * If kernels share an SM, CTA slots have different sizes. The original then divides by zero (LSU-local-1).
	 */
	if (s->core->local_mem_map && !s->params->concurrent_kernels && !k->early) {
		uint32_t p = k->padded_threads;

		base = 4 * (p * (s->id + s->params->sms * (t / p)) + t % p);
		total = p * k->cta_limit * s->params->sms;
	} else {
		base = 4 * (s->core->threads * s->id + t);
		total = s->params->sms * s->core->threads;
	}
	if (base >= 4 * total)
		return 0;
	if (size < 4) {
		out[0] = addr / 4 * total * 4 + addr % 4 + base + LOCAL_BASE;
		return 1;
	}
	for (i = 0; i < size / 4 && i < 8; i++)
		out[i] = (addr / 4 + i) * total * 4 + base + LOCAL_BASE;
	return i;
}

static void check_local_address(const struct sm *s, const struct winst *w, uint64_t addr, unsigned size)
{
	if (size >= 4 && addr % 4 && !w->uop->narrow)
		reject_access(s, w, "local address", addr, "a multiple of 4");
	if (size < 4 && addr % 4 + size > 4)
		reject_access(s, w, "local address", addr, "an access within one 4-byte word");
}

static void gather_local(
	struct sm *s, const struct winst *w, const uint64_t lane[32], uint32_t lanes, struct segments *t)
{
	unsigned size = w->uop->size, piece = size >= 4 ? 4 : size;
	uint64_t word[8];

	FOR_BITS32 (i, lanes) {
		unsigned n;

		check_local_address(s, w, lane[i], size);
		n = translate_local_address(s, w->warp, i, lane[i], size, word);
		if (!n)
			reject_access(s, w, "local access of warp slot", w->warp,
				"a slot within the local memory of the SM");
		for (unsigned k = 0; k < n && word[k]; k++)
			mark_lane_access(t, word[k], piece, i);
	}
}

static void gather_atomic(
	struct sm *s, const struct winst *w, const uint64_t lane[32], uint32_t lanes, struct segments *t)
{
	unsigned size = w->uop->size;
	uint64_t low = t->segment_bytes - 1;

	FOR_BITS32 (i, lanes) {
		unsigned offset = lane[i] & LINE_MASK;

		if (((lane[i] + size - 1) & ~low) != (lane[i] & ~low))
			reject_access(s, w, "atomic access at", lane[i], "one within a segment");
		mark_lane_bytes(find_or_add_transaction(t, lane[i] & ~low, offset, size), offset, size, i);
	}
}

/* Gathers the segments of global accesses. quirk Q1-5: a lane with address 0 makes no access. */
static void gather_global(const uint64_t lane[32], unsigned size, uint32_t lanes, struct segments *t)
{
	FOR_BITS32 (i, lanes)
		if (lane[i])
			mark_lane_access(t, lane[i], size, i);
}

/*
 * Generates, in sector mode and without a table, the accesses of consecutive lanes at consecutive aligned addresses.
 * Returns false for other patterns. No address is 0 and no lane crosses a sector, so the list is the same as with a
 * table.
 */
static bool coalesce_unit_stride(
	const struct tblock *tb, const struct rec *r, unsigned size, uint8_t type, struct access_list *out)
{
	const uint64_t *word = &tb->word[r->addr >> 2];
	unsigned first = bit_lowest32(r->mask), shift = log2_floor(size);
	uint32_t run = r->mask >> first;
	uint64_t base, end;

	if ((r->addr & 3) != ADDR_STRIDE || word[1] != size || (run & (run + 1)))
		return false;
	base = word[0];
	if (!base || base % size || base >> 63)
		return false;
	end = base + ((uint64_t)bit_count32(run) << shift);
	out->lane0 = first ? 0 : base;
	for (uint64_t at = base, stop; at < end; at = stop) {
		struct access *a = &out->access[out->n++];
		unsigned offset = at & LINE_MASK, n;

		stop = (at | 31) + 1;
		if (stop > end)
			stop = end;
		n = (unsigned)(stop - at) >> shift;
		*a = (struct access){.addr = at & ~31ull,
			.lanes = (uint32_t)(((1ull << n) - 1) << first),
			.size = 32,
			.type = type,
			.sectors = (uint8_t)(1u << offset / 32)};
		a->bytes[offset / 64] = ((1ull << (stop - at)) - 1) << offset % 64;
		first += n;
	}
	return true;
}

static uint8_t access_type(const struct winst *w)
{
	bool store = w->uop->flags & UOP_STORE;

	if (w->space == SPACE_LOCAL)
		return store ? LOCAL_ACC_W : LOCAL_ACC_R;
	return store ? GLOBAL_ACC_W : GLOBAL_ACC_R;
}

void coalesce(struct sm *s, const struct winst *w, struct access_list *out)
{
	const struct tblock *tb = &s->cta[w->cta].block;
	const struct uop *u = w->uop;
	uint32_t parts = s->core->warp_parts, width = 32 / parts;
	uint64_t lane[32];
	struct segments t;

	out->n = 0;
	out->lane0 = 0;
	if (w->mask && (w->space == SPACE_CONST || w->space == SPACE_TEX))
		readonly_generate_accesses(s, w, out);
	if (!(u->flags & UOP_ACCESS) || !w->mask || (w->space != SPACE_GLOBAL && w->space != SPACE_LOCAL))
		return;
	t.segment_bytes = segment_bytes(u->size, is_sector_mode(s->core, u));
	if (!t.segment_bytes)
		reject_access(s, w, "global or local access with a width of", u->size,
			"1, 2, 4, 8 or 16 bytes per lane");
	if (w->space == SPACE_GLOBAL && !(u->flags & UOP_ATOMIC) && parts == 1 && t.segment_bytes == 32 &&
		coalesce_unit_stride(tb, &w->record, u->size, access_type(w), out))
		return;
	rec_addresses(tb, &w->record, lane);
	out->lane0 = lane[0];
	t.n = 0;
	for (uint32_t p = 0; p < parts; p++) {
		uint32_t lanes = w->mask & (uint32_t)(((1ull << width) - 1) << p * width);

		if (w->space == SPACE_LOCAL)
			gather_local(s, w, lane, lanes, &t);
		else if (u->flags & UOP_ATOMIC)
			gather_atomic(s, w, lane, lanes, &t);
		else
			gather_global(lane, u->size, lanes, &t);
		append_accesses(out, &t, access_type(w));
	}
}

/* ---- shared memory (LSU-smem) ----------------------------------------------------------------------- */

/*
 * A word of shared memory that lanes access, its bank, and the number of accesses. quirk Q1-14: only the first word of
 * a lane counts, whatever the width of the access.
 */
struct bank_word {
	uint64_t word;
	uint32_t bank, count;
};

/*
 * Stores in out[] the different words of the lanes, with the number of accesses to each. Returns the number of words.
 */
static uint32_t find_distinct_words(
	const uint64_t lane[32], uint32_t lanes, uint32_t banks, struct bank_word *out)
{
	uint32_t n = 0, k;

	FOR_BITS32 (i, lanes) {
		uint64_t word = lane[i] & ~3ull;

		for (k = n; k && out[k - 1].word != word; k--)
			;
		if (k)
			out[k - 1].count++;
		else
			out[n++] = (struct bank_word){word, (uint32_t)(word / 4 % banks), 1};
	}
	return n;
}

static uint32_t most_words_of_a_bank(const struct bank_word *w, uint32_t n)
{
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++) {
		uint32_t same = 0;

		for (uint32_t k = 0; k < n; k++)
			same += w[k].bank == w[i].bank;
		if (same > most)
			most = same;
	}
	return most;
}

/*
 * Returns the largest number of accesses to one bank with -gpgpu_shmem_limited_broadcast. In this mode only one word
 * is broadcast, so that its accesses count as one: the first word, in the first bank, that several lanes access.
 */
static uint32_t most_accesses_of_a_bank(struct bank_word *w, uint32_t n)
{
	struct bank_word *cast = NULL;
	uint32_t most = 0;

	for (uint32_t i = 0; i < n; i++)
		if (w[i].count > 1 && (!cast || w[i].bank < cast->bank ||
					      (w[i].bank == cast->bank && w[i].word < cast->word)))
			cast = &w[i];
	if (cast)
		cast->count = 1;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t sum = 0;

		for (uint32_t k = 0; k < n; k++)
			if (w[k].bank == w[i].bank)
				sum += w[k].count;
		if (sum > most)
			most = sum;
	}
	return most;
}

/*
 * Returns the number of passes if consecutive lanes have a constant stride of k words; 0: another pattern. Lanes i and
 * j use the same bank if (i - j) * k is a multiple of the number of banks, which is a power of 2. They use the same
 * word only if k is 0, or so large that addresses wrap.
 */
static inline uint32_t passes_of_word_stride(const struct tblock *tb, const struct winst *w, uint32_t banks)
{
	uint32_t run = w->mask >> bit_lowest32(w->mask), k, period;
	uint64_t stride;

	if ((w->addr & 3) != ADDR_STRIDE || run & (run + 1) || !is_pow2(banks))
		return 0;
	stride = tb->word[(w->addr >> 2) + 1];
	if (stride & 3 || (stride + 0x80000000u) >> 32)
		return 0;
	if (!stride)
		return 1;
	k = (uint32_t)(stride >> 2) & (banks - 1);
	period = k ? banks >> bit_lowest32(k) : 1;
	if (period >= 32)
		return 1;
	return ((run == UINT32_MAX ? 32 : bit_count32(run)) + period - 1) / period;
}

/*
 * Returns the largest number of different words in one bank, without limited broadcast. Compares each word only with
 * the words of its bank. latest[b] is the lane of bank b's last new word; before[i] is the lane of the new word before
 * lane i's in the same bank.
 */
static NOINLINE uint32_t most_words_per_bank(const uint64_t lane[32], uint32_t lanes, uint32_t banks)
{
	uint8_t latest[64], count[64], before[32];
	uint64_t used = 0;
	uint32_t most = 1;

	FOR_BITS32 (i, lanes) {
		uint32_t b = (uint32_t)(lane[i] / 4 & (banks - 1)), k = 0, l = 0;

		if (used >> b & 1) {
			for (k = 0, l = latest[b]; k < count[b] && (lane[l] ^ lane[i]) & ~3ull; k++)
				l = before[l];
			if (k < count[b])
				continue;
			before[i] = latest[b];
		} else {
			used |= 1ull << b;
			count[b] = 0;
			before[i] = 0;
		}
		latest[b] = (uint8_t)i;
		if (++count[b] > most)
			most = count[b];
	}
	return most;
}

/*
 * Returns `lanes` without the lanes that use the same word as the lane before. Neighbouring lanes often share a word.
 */
static uint32_t drop_repeated_words(const uint64_t lane[32], uint32_t lanes)
{
	uint32_t same = 0;

	for (unsigned i = 1; i < 32; i++)
		same |= (uint32_t)(lane[i] / 4 == lane[i - 1] / 4) << i;
	return lanes & ~(same & lanes << 1);
}

/* Returns true if all lanes use different banks. There are at most 64 banks. */
static bool use_different_banks(const uint64_t lane[32], uint32_t lanes, uint32_t banks)
{
	uint64_t used = 0;

	FOR_BITS32 (i, lanes) {
		uint64_t bit = 1ull << (lane[i] / 4 & (banks - 1));

		if (used & bit)
			return false;
		used |= bit;
	}
	return true;
}

static NOINLINE uint32_t count_passes_of_words(
	const struct core_params *c, const uint64_t lane[32], uint32_t lanes)
{
	struct bank_word word[32];
	uint32_t n = find_distinct_words(lane, lanes, c->smem_banks, word);

	return c->smem_limited_broadcast ? most_accesses_of_a_bank(word, n) : most_words_of_a_bank(word, n);
}

static NOINLINE uint32_t count_shared_passes(struct sm *s, const struct winst *w)
{
	const struct core_params *c = s->core;
	uint32_t width = 32 / c->warp_parts, total = 0;
	bool masks = c->smem_banks <= 64 && is_pow2(c->smem_banks);
	uint64_t lane[32];

	rec_addresses(&s->cta[w->cta].block, &w->record, lane);
	for (uint32_t p = 0; p < c->warp_parts; p++) {
		uint32_t lanes = w->mask & (uint32_t)(((1ull << width) - 1) << p * width);

		if (!lanes)
			continue;
		if (!c->smem_limited_broadcast)
			lanes = drop_repeated_words(lane, lanes);
		if (masks && use_different_banks(lane, lanes, c->smem_banks))
			total++;
		else if (masks && !c->smem_limited_broadcast)
			total += most_words_per_bank(lane, lanes, c->smem_banks);
		else
			total += count_passes_of_words(c, lane, lanes);
	}
	return total;
}

uint32_t coalesce_count_shared_passes(struct sm *s, const struct winst *w)
{
	uint32_t passes;

	if (!w->mask)
		return 1;
	if (s->core->warp_parts == 1) {
		passes = passes_of_word_stride(&s->cta[w->cta].block, w, s->core->smem_banks);
		if (passes)
			return passes;
	}
	return count_shared_passes(s, w);
}
