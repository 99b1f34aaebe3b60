/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address decoder (MEM-addr): channel, sub partition, bank and row of an address.
 *
 * A field consists of the address bits under a mask, packed together. A mask is stored as its runs of ones, each with
 * the shift that moves the run down. If the numbers of channels and slices are powers of two, every bit of the result
 * is a sum modulo 2 of address bits, for all index functions except RANDOM. Then tables have the result for each value
 * of each byte of an address, and the results of the bytes are added. Column and burst bits have no effect, and are not
 * decoded. -gpgpu_mem_addr_test only prints.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "request/addrdec.h"
#include "request/hash.h"

enum { INDEX_CONSECUTIVE, INDEX_BITWISE, INDEX_POLY, INDEX_HOLE, INDEX_RANDOM, INDEX_SAME, INDEX_GROUPS };
enum field { FIELD_CHANNEL, FIELD_BANK, FIELD_ROW, FIELD_PARTITION, N_FIELDS };

#define MAX_RUNS  64
#define LINE_LOG2 7 /* binary logarithm of the size of a line in bytes */

/* Bit positions of bank and slice in a result, which is one word; the row has the low bits. */
#define BANK_AT 32
#define SUB_AT  48

struct address_field {
	uint32_t n;
	struct bit_run {
		uint64_t mask;
		uint32_t shift;
	} run[MAX_RUNS / 2 + 1]; /* the mask of a run applies after the shift of the run */
};

/*
 * State of RANDOM indexing: a hash table of blocks of addresses (keys) and their random slices. It is at most half
 * full.
 */
struct random {
	uint64_t *key; /* block of addresses + 1; 0: the entry is free */
	uint16_t *sub;
	uint32_t size, used;
	uint32_t state[31]; /* state of the generator, see draw_random() */
	uint32_t next;      /* index in `state` of the next number */
};

struct addrdec {
	struct address_field field[N_FIELDS];
	uint64_t sub_mask; /* mask of the lowest log2(subs) bank bits in the address */
	int channel_at;    /* position of the channel bits; -1: every bit has its own position */
	/* number of channels; slices of a channel on one side of the L2 (MEM-sides); number of the index function */
	uint32_t channels, subs, index;
	uint32_t sides, clusters;
	bool sides_alternate;   /* true if neighbouring clusters are on different sides */
	bool gap;               /* true if the number of channels is not a power of two */
	bool line_in_one_slice; /* true if all bytes of a line are in the same slice */
	uint32_t high_shift;    /* number of low address bits that the hash functions ignore */
	uint32_t ipoly_n;       /* number of slices for IPOLY: channels are rounded up to a power of two */
	uint32_t group; /* slices of a group: largest power of two that divides the number of slices */
	struct random random;
	/*
	 * true if result_by_byte[] is valid. These tables save 8.9 M of 729 M instructions on gemm-hmma-86 and 3.4 M of
	 * 568 M on bfs-rodinia-a100 (rtx3070, -j 1).
	 */
	bool has_byte_tables;
	uint64_t result_by_byte[8][256];
};

/* ---- masks ---------------------------------------------------------------------------------- */

static void init_address_field(struct address_field *g, uint64_t mask)
{
	uint32_t to = 0;

	g->n = 0;
	while (mask) {
		uint32_t from = bit_lowest64(mask);
		uint64_t above = ~(mask >> from);
		uint32_t len = above ? bit_lowest64(above) : 64;
		uint64_t ones = len < 64 ? (1ull << len) - 1 : ~0ull;

		assert(to < 64);
		g->run[g->n++] = (struct bit_run){ones << to, from - to};
		mask &= ~(ones << from);
		to += len;
	}
}

/* Packs the bits of v under the mask of *g. Most masks have at most two runs; the mask of an unused run is 0. */
static uint64_t pack_address_field(const struct address_field *g, uint64_t v)
{
	uint64_t out = (v >> g->run[0].shift & g->run[0].mask) | (v >> g->run[1].shift & g->run[1].mask);

	for (uint32_t i = 2; i < g->n; i++)
		out |= v >> g->run[i].shift & g->run[i].mask;
	return out;
}

/* Moves the bits of `mask` from position `at` on up by n positions, and fills the gap with zeros. */
static uint64_t insert_zero_bits(uint64_t mask, uint32_t at, uint32_t n)
{
	uint64_t low = mask & ((1ull << at) - 1);

	return low | (mask ^ low) << n;
}

static uint64_t lowest_bits(uint64_t mask, uint32_t n)
{
	uint64_t low = 0;

	while (n-- && mask) {
		low |= mask & -mask;
		mask &= mask - 1;
	}
	return low;
}

static void set_field_masks(struct addrdec *d, const struct addr_params *p)
{
	uint32_t nbits = log2_floor(d->channels), sub_log2 = log2_floor(d->subs);
	uint64_t channel = p->channel, bank = p->bank, row = p->row;

	d->channel_at = p->channel_at;
	if (d->channel_at >= 0 && !d->gap) {
		uint32_t at = (uint32_t)d->channel_at;

		bank = insert_zero_bits(bank, at, nbits);
		row = insert_zero_bits(row, at, nbits);
		channel = ((1ull << nbits) - 1) << at;
	}
	d->sub_mask = lowest_bits(bank, sub_log2);
	init_address_field(&d->field[FIELD_CHANNEL], channel);
	init_address_field(&d->field[FIELD_BANK], bank);
	init_address_field(&d->field[FIELD_ROW], row);
	init_address_field(&d->field[FIELD_PARTITION], ~(d->gap ? d->sub_mask : d->sub_mask | channel));
	/* quirk Q4-26: if the channel bits are given one by one, channel_at is -1, and the shift is one less. */
	if (d->channel_at >= 0 || nbits + sub_log2)
		d->high_shift = (uint32_t)(d->channel_at + (int)(nbits + sub_log2));
	int lowest = d->index == INDEX_RANDOM ? d->channel_at - (int)sub_log2
		     : d->gap                 ? d->channel_at
					      : (int)d->high_shift;
	d->line_in_one_slice =
		lowest >= LINE_LOG2 && !(((d->gap ? 0 : channel) | bank) & ((1u << LINE_LOG2) - 1));
}

/* ---- RANDOM indexing ------------------------------------------------------------------------ */

/*
 * Draws a random number. quirk Q4-25: the original uses rand() of the C library with seed 1. This is the additive
 * generator of glibc, of degree 31 and distance 3, which discards its first 310 values. It is built in, so that the
 * numbers are the same on every host.
 */
static uint32_t draw_random(struct random *r)
{
	uint32_t i = r->next, v = r->state[i] += r->state[(i + 28) % 31];

	r->next = (i + 1) % 31;
	return v >> 1;
}

static void init_random(struct random *r)
{
	int64_t v = 1;

	r->state[0] = 1;
	for (int i = 1; i < 31; i++) {
		v = v * 16807 % 2147483647;
		r->state[i] = (uint32_t)v;
	}
	r->next = 3;
	for (int i = 0; i < 310; i++)
		(void)draw_random(r);
	r->size = 4096;
	r->key = xcalloc(r->size, sizeof(*r->key));
	r->sub = xcalloc(r->size, sizeof(*r->sub));
}

static uint32_t find_random_slot(const struct random *r, uint64_t key)
{
	uint32_t at = (uint32_t)((key * 0x9E3779B97F4A7C15ull) >> 32) & (r->size - 1);

	while (r->key[at] && r->key[at] != key + 1)
		at = (at + 1) & (r->size - 1);
	return at;
}

/* Doubles the table. It grows during a simulation, because the footprint of a run is not known beforehand. */
static void grow_random_table(struct random *r)
{
	struct random old = *r;

	r->size *= 2;
	r->key = xcalloc(r->size, sizeof(*r->key));
	r->sub = xcalloc(r->size, sizeof(*r->sub));
	for (uint32_t i = 0; i < old.size; i++) {
		if (old.key[i]) {
			uint32_t at = find_random_slot(r, old.key[i] - 1);

			r->key[at] = old.key[i];
			r->sub[at] = old.sub[i];
		}
	}
	free(old.key);
	free(old.sub);
}

static uint32_t random_slice_of(struct random *r, uint64_t key, uint32_t n)
{
	uint32_t at = find_random_slot(r, key);

	if (!r->key[at]) {
		if (r->used * 2 >= r->size) {
			grow_random_table(r);
			at = find_random_slot(r, key);
		}
		r->key[at] = key + 1;
		r->sub[at] = (uint16_t)(draw_random(r) % n);
		r->used++;
	}
	return r->sub[at];
}

/* ---- decoding ------------------------------------------------------------------------------- */

/*
 * Returns the address without its channel. Sets *channel to the channel, and *high to the address for hash functions.
 */
static uint64_t address_without_channel(
	const struct addrdec *d, uint64_t addr, uint32_t *channel, uint64_t *high)
{
	uint64_t quotient;

	if (!d->gap) {
		*channel = (uint32_t)pack_address_field(&d->field[FIELD_CHANNEL], addr);
		*high = addr >> d->high_shift;
		return addr;
	}
	quotient = (addr >> d->channel_at) / d->channels;
	*channel = (uint32_t)((addr >> d->channel_at) % d->channels);
	*high = quotient;
	return quotient << d->channel_at | (addr & ((1ull << d->channel_at) - 1));
}

/*
 * Returns the home side of an address (MEM-sides-2). Whatever the size of a footprint, each side is the home of half
 * of the lines of every set of a slice.
 */
static uint32_t home_side_of_address(uint32_t channel, uint64_t high)
{
	return (channel ^ bit_count64(high & 15)) & 1;
}

uint32_t addrdec_home_side(const struct addrdec *d, uint64_t addr)
{
	uint32_t channel;
	uint64_t high;

	address_without_channel(d, addr, &channel, &high);
	return home_side_of_address(channel, high);
}

/* Returns the slice of index mode 6 (MEM-addr-9). Different indices with the same `high` have different slices. */
static uint32_t slice_in_groups(const struct addrdec *d, uint32_t index, uint64_t high)
{
	uint32_t groups = d->channels * d->subs / d->group;

	return (uint32_t)((index / d->group + high) % groups) * d->group +
	       hash_ipoly(high, index % d->group, d->group);
}

/*
 * Returns the sub partition of an address. quirk Q4-27: IPOLY omits the bank bits below the channel bits, or uses them
 * twice.
 */
static uint32_t sub_partition_of(
	struct addrdec *d, uint64_t addr, uint32_t channel, uint32_t bank, uint64_t high)
{
	uint32_t local = bank & (d->subs - 1), sub;

	switch (d->index) {
	case INDEX_BITWISE: channel ^= (uint32_t)high & (d->channels - 1); break;
	case INDEX_POLY:
		sub = hash_ipoly(high, channel * d->subs + local, d->ipoly_n);
		return d->gap ? sub % (d->channels * d->subs) : sub;
	case INDEX_GROUPS: return slice_in_groups(d, channel * d->subs + local, high);
	case INDEX_RANDOM:
		return random_slice_of(&d->random, addr >> ((uint32_t)d->channel_at - log2_floor(d->subs)),
			d->channels * d->subs);
	default: break;
	}
	return channel * d->subs + local;
}

/* Returns the slice on a side of the L2 (MEM-sides-1). `sub` is the slice on one side alone. */
static uint32_t slice_on_side(const struct addrdec *d, uint32_t sub, uint32_t side)
{
	return sub / d->subs * d->subs * d->sides + side * d->subs + sub % d->subs;
}

uint32_t addrdec_cluster_side(const struct addrdec *d, uint32_t cluster)
{
	return (d->sides_alternate ? cluster : cluster * d->sides / d->clusters) % d->sides;
}

/* Returns slice, bank and row of an address in one word. */
static uint64_t decode_address(struct addrdec *d, uint64_t addr)
{
	uint32_t channel, bank;
	uint64_t high, local = address_without_channel(d, addr, &channel, &high);

	bank = (uint32_t)pack_address_field(&d->field[FIELD_BANK], local);
	return (uint64_t)sub_partition_of(d, addr, channel, bank, high) << SUB_AT |
	       (uint64_t)(uint8_t)bank << BANK_AT | (uint32_t)pack_address_field(&d->field[FIELD_ROW], local);
}

/* Returns the result of decode_address(), from the tables if they exist. */
static uint64_t decode_by_tables(struct addrdec *d, uint64_t addr)
{
	uint64_t sum = 0;

	if (!d->has_byte_tables)
		return decode_address(d, addr);
	for (unsigned i = 0; i < 8; i++)
		sum ^= d->result_by_byte[i][addr >> 8 * i & 255];
#ifdef CHECK_INVARIANTS
	assert(sum == decode_address(d, addr));
#endif
	return sum;
}

void addrdec_decode_request(struct addrdec *d, struct req *r)
{
	uint64_t a = decode_by_tables(d, r->addr);
	uint32_t sub = (uint32_t)(a >> SUB_AT);

	r->sub = (uint16_t)sub;
	r->channel = (uint16_t)(sub / d->subs);
	if (d->sides > 1)
		r->sub = (uint16_t)slice_on_side(d, sub, addrdec_cluster_side(d, r->cluster));
	r->bank = (uint8_t)(a >> BANK_AT); /* quirk Q4-22: the index function does not change the bank */
	r->row = (uint32_t)a;
}

bool addrdec_line_has_one_slice(const struct addrdec *d) { return d->line_in_one_slice; }

uint32_t addrdec_sub_for_cluster(struct addrdec *d, uint64_t addr, uint32_t cluster)
{
	uint32_t sub = (uint32_t)(decode_by_tables(d, addr) >> SUB_AT);

	return d->sides > 1 ? slice_on_side(d, sub, addrdec_cluster_side(d, cluster)) : sub;
}

/* Returns the sub partition of an address on its home side (MEM-sides-2). */
uint32_t addrdec_home_sub_partition(struct addrdec *d, uint64_t addr)
{
	uint32_t channel, sub;
	uint64_t high, local = address_without_channel(d, addr, &channel, &high);

	sub = sub_partition_of(
		d, addr, channel, (uint32_t)pack_address_field(&d->field[FIELD_BANK], local), high);
	return d->sides > 1 ? slice_on_side(d, sub, home_side_of_address(channel, high)) : sub;
}

uint64_t addrdec_partition_address(const struct addrdec *d, uint64_t addr)
{
	uint32_t channel;
	uint64_t high;

	return pack_address_field(
		&d->field[FIELD_PARTITION], address_without_channel(d, addr, &channel, &high));
}

bool addrdec_is_random(const struct addrdec *d) { return d->index == INDEX_RANDOM; }

/* ---- life --------------------------------------------------------------------------------------- */

/*
 * Fills the tables. An entry is the sum of two entries filled before: the one of its highest set bit alone, and the
 * one of its other bits.
 */
static void make_byte_tables(struct addrdec *d)
{
	for (uint32_t bit = 0; bit < 64; bit++) {
		uint64_t *of = d->result_by_byte[bit / 8], one = decode_address(d, 1ull << bit);

		for (uint32_t v = 1u << bit % 8; v < 2u << bit % 8; v++)
			of[v] = of[v - (1u << bit % 8)] ^ one;
	}
}

struct addrdec *addrdec_new(const struct params *p)
{
	struct addrdec *d = xcalloc(1, sizeof(*d));
	uint32_t power = 1;

	d->channels = p->mem.channels;
	d->sides = p->mem.l2_sides;
	d->sides_alternate = p->mem.l2_sides_alternate;
	d->subs = p->mem.subs / d->sides;
	d->clusters = p->clusters;
	d->gap = !is_pow2(d->channels);
	d->index = p->mem.addr.partition_index; /* quirk Q4-17: index 5 means the same as index 0 */
	while (power < d->channels)
		power *= 2;
	d->ipoly_n = power * d->subs;
	d->group = 1u << bit_lowest64(d->channels * d->subs);
	set_field_masks(d, &p->mem.addr);
	if (d->index == INDEX_RANDOM)
		init_random(&d->random);
	d->has_byte_tables = !d->gap && is_pow2(d->subs) && d->index != INDEX_RANDOM;
	if (d->has_byte_tables)
		make_byte_tables(d);
	return d;
}

void addrdec_delete(struct addrdec *d)
{
	if (!d)
		return;
	free(d->random.key);
	free(d->random.sub);
	free(d);
}
