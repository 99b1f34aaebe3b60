/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Compares the tag array with a slow tag array that follows CACHE-line, CACHE-probe and CACHE-tag literally.
 * The slow array scans all ways, stores every state separately, and has no lists and no hash. Both execute
 * the same random operations with random parameters. Every lookup, eviction, count and line must be equal.
 * The seed is fixed.
 */
#include "arena.h"
#include "cache/tag.h"
#include "tap.h"
#include "request/hash.h"

/* ---- slow array ------------------------------------------------------------------------------- */

enum slow_state { INVALID, RESERVED, VALID, MODIFIED };

struct slow_line {
	uint64_t tag, bytes[2];
	enum slow_state state[4];
	bool unreadable[4], mod_on_fill[4], read_on_fill[4], bytes_on_fill;
	uint32_t allocated, accessed;
};

struct slow_tags {
	struct cache_params p;
	uint32_t ways, n, dirty; /* `n` is the number of sectors per line */
	bool on_miss, used;
	struct slow_line *line;
};

static bool any_sector_has_state(const struct slow_tags *s, const struct slow_line *l, enum slow_state st)
{
	for (uint32_t i = 0; i < s->n; i++)
		if (l->state[i] == st)
			return true;
	return false;
}

static bool is_invalid(const struct slow_tags *s, const struct slow_line *l)
{
	return !any_sector_has_state(s, l, RESERVED) && !any_sector_has_state(s, l, VALID) &&
	       !any_sector_has_state(s, l, MODIFIED);
}

static enum cache_status slow_match(const struct slow_line *l, uint32_t i, bool write)
{
	switch (l->state[i]) {
	case RESERVED: return STATUS_HIT_RESERVED;
	case VALID: return STATUS_HIT;
	case MODIFIED: return write || !l->unreadable[i] ? STATUS_HIT : STATUS_SECTOR_MISS;
	default: return STATUS_SECTOR_MISS;
	}
}

static enum cache_status slow_probe(
	const struct slow_tags *s, uint64_t addr, uint32_t i, bool write, uint32_t *at)
{
	uint64_t tag = addr & ~(uint64_t)(s->p.line_bytes - 1);
	uint32_t set = hash_index(s->p.index, tag, s->p.sets, s->p.line_log2), best = UINT32_MAX;
	int64_t invalid = -1, candidate = -1;

	for (uint32_t w = 0; w < s->ways; w++) {
		const struct slow_line *l = &s->line[set * s->ways + w];
		float p = ((float)s->dirty / (float)(s->p.sets * s->ways)) * 100;
		uint32_t stamp = s->p.replacement == REPLACE_FIFO ? l->allocated : l->accessed;

		*at = set * s->ways + w;
		if (l->tag == tag && !is_invalid(s, l))
			return slow_match(l, i, write);
		if (any_sector_has_state(s, l, RESERVED) ||
			(any_sector_has_state(s, l, MODIFIED) && p < (float)s->p.write_ratio))
			continue;
		if (is_invalid(s, l)) {
			invalid = *at;
		} else if (stamp < best) {
			best = stamp;
			candidate = *at;
		}
	}
	if (invalid < 0 && candidate < 0)
		return STATUS_RESERVATION_FAIL;
	*at = (uint32_t)(invalid >= 0 ? invalid : candidate);
	return STATUS_MISS;
}

static void slow_allocate_line(struct slow_tags *s, uint32_t at, uint64_t addr, uint32_t i, uint32_t now)
{
	struct slow_line *l = &s->line[at], old = *l;

	*l = (struct slow_line){.allocated = now, .accessed = now};
	l->tag = addr & ~(uint64_t)(s->p.line_bytes - 1);
	if (s->p.kind == CACHE_LINE) {
		l->unreadable[0] = old.unreadable[0];
		memcpy(l->bytes, old.bytes, sizeof(l->bytes));
	}
	l->state[i] = RESERVED;
}

static void slow_allocate_sector(struct slow_tags *s, uint32_t at, uint32_t i, uint32_t now)
{
	struct slow_line *l = &s->line[at];

	l->mod_on_fill[i] = l->state[i] == MODIFIED;
	l->read_on_fill[i] = false;
	l->state[i] = RESERVED;
	l->unreadable[i] = false;
	l->accessed = now;
}

static enum cache_status slow_access(struct slow_tags *s, uint64_t addr, uint32_t i, bool write, uint32_t now,
	uint32_t *at, struct evicted *out)
{
	enum cache_status st = slow_probe(s, addr, i, write, at);
	struct slow_line *l = &s->line[*at];
	bool was = any_sector_has_state(s, l, MODIFIED);

	s->used = true;
	if (st == STATUS_HIT || st == STATUS_HIT_RESERVED) {
		l->accessed = now;
	} else if (st == STATUS_MISS && s->on_miss) {
		if (was) {
			*out = (struct evicted){.needs_write_back = true, .tag = l->tag};
			memcpy(out->bytes, l->bytes, sizeof(l->bytes));
			for (uint32_t k = 0; k < 4; k++)
				out->sectors |= s->n == 1 || l->state[k] == MODIFIED ? 1u << k : 0;
			for (uint32_t k = 0; k < 4; k++)
				out->size += (out->sectors >> k & 1) * 32;
			s->dirty--;
		}
		slow_allocate_line(s, *at, addr, i, now);
	} else if (st == STATUS_SECTOR_MISS && s->on_miss) {
		slow_allocate_sector(s, *at, i, now);
		if (was && !any_sector_has_state(s, l, MODIFIED))
			s->dirty--;
	}
	return st;
}

static void slow_fill(struct slow_tags *s, uint32_t at, uint32_t i, const uint64_t bytes[2])
{
	struct slow_line *l = &s->line[at];
	bool was = any_sector_has_state(s, l, MODIFIED);

	l->state[i] = l->mod_on_fill[i] ? MODIFIED : VALID;
	if (l->read_on_fill[i]) {
		l->unreadable[i] = false;
		if (s->p.kind == CACHE_SECTOR)
			l->read_on_fill[i] = false;
	}
	for (int k = 0; k < 2; k++)
		l->bytes[k] |= l->bytes_on_fill ? bytes[k] : 0;
	if (!was && any_sector_has_state(s, l, MODIFIED))
		s->dirty++;
}

static void slow_fill_addr(
	struct slow_tags *s, uint64_t addr, uint32_t i, bool write, const uint64_t bytes[2], uint32_t now)
{
	uint32_t at;
	enum cache_status st = slow_probe(s, addr, i, write, &at);
	bool was = any_sector_has_state(s, &s->line[at], MODIFIED);

	if (st == STATUS_RESERVATION_FAIL)
		return;
	if (st == STATUS_MISS)
		slow_allocate_line(s, at, addr, i, now);
	else if (st == STATUS_SECTOR_MISS)
		slow_allocate_sector(s, at, i, now);
	if (was && !any_sector_has_state(s, &s->line[at], MODIFIED))
		s->dirty--;
	slow_fill(s, at, i, bytes);
}

static void slow_empty(struct slow_tags *s, bool modified_only)
{
	if (!s->used)
		return;
	for (uint32_t at = 0; at < s->p.sets * s->ways; at++)
		if (!modified_only || any_sector_has_state(s, &s->line[at], MODIFIED))
			memset(s->line[at].state, 0, sizeof(s->line[at].state));
	s->dirty = 0;
	s->used = false;
}

/* ---- comparison of both arrays ----------------------------------------------------------------- */

struct flight {
	uint32_t line, sector;
	uint64_t bytes[2];
};

struct tag_pair {
	struct tags fast;
	struct slow_tags slow;
	uint64_t seed;
	uint32_t now, n_flights;
	struct flight flight[64];
	const char *wrong;
};

static uint32_t random_below(struct tag_pair *x, uint32_t n)
{
	x->seed = x->seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((x->seed >> 33) % n);
}

static struct cache_params random_params(struct tag_pair *x)
{
	static const uint32_t sets[] = {1, 2, 4, 32}, ways[] = {1, 2, 3, 8, 24, 63, 64, 65, 130};
	static const uint32_t ratio[] = {0, 0, 10, 25, 60};
	struct cache_params p = {.present = true, .line_bytes = 128, .line_log2 = 7};

	p.kind = random_below(x, 3) ? CACHE_SECTOR : CACHE_LINE;
	p.sets = sets[random_below(x, 4)];
	p.ways = ways[random_below(x, 9)];
	p.ways_max = p.ways * (1 + random_below(x, 4));
	p.replacement = random_below(x, 4) ? REPLACE_LRU : REPLACE_FIFO;
	p.alloc = random_below(x, 4) ? ALLOC_ON_MISS : ALLOC_ON_FILL;
	p.index = p.sets == 32 && random_below(x, 2) ? INDEX_IPOLY
		  : random_below(x, 2)               ? INDEX_LINEAR
						     : INDEX_XOR;
	p.write_ratio = ratio[random_below(x, 5)];
	return p;
}

static uint32_t line_flags_word(const struct slow_line *l)
{
	uint32_t v = l->bytes_on_fill ? LINE_BYTES_ON_FILL : 0;

	for (unsigned i = 0; i < 4; i++) {
		v |= (l->state[i] == RESERVED ? LINE_RESERVED : 0u) << i;
		v |= (l->state[i] == VALID ? LINE_VALID : 0u) << i;
		v |= (l->state[i] == MODIFIED ? LINE_MODIFIED : 0u) << i;
		v |= (l->unreadable[i] ? LINE_UNREADABLE : 0u) << i;
		v |= (l->mod_on_fill[i] ? LINE_MOD_ON_FILL : 0u) << i;
		v |= (l->read_on_fill[i] ? LINE_READ_ON_FILL : 0u) << i;
	}
	return v;
}

static bool report_difference(struct tag_pair *x, bool differs, const char *part)
{
	if (differs && !x->wrong)
		x->wrong = part;
	return x->wrong;
}

static void compare_lines(struct tag_pair *x)
{
	const struct slow_tags *s = &x->slow;

	for (uint32_t at = 0; at < s->p.sets * s->p.ways_max; at++) {
		const struct slow_line *l = &s->line[at];
		const struct cache_line *f = &x->fast.line[at + 1];
		uint32_t stamp = s->p.replacement == REPLACE_FIFO ? l->allocated : l->accessed;

		report_difference(x, f->tag != l->tag, "tag");
		report_difference(x, f->state != line_flags_word(l), "state");
		report_difference(x, f->stamp != stamp, "stamp");
		report_difference(x, memcmp(x->fast.bytes[at + 1], l->bytes, sizeof(l->bytes)), "bytes");
	}
}

static void modify_in_both(struct tag_pair *x, uint32_t line, uint32_t i, const uint64_t bytes[2])
{
	struct slow_tags *s = &x->slow;

	s->dirty += !any_sector_has_state(s, &s->line[line], MODIFIED);
	s->line[line].state[i] = MODIFIED;
	s->line[line].bytes[0] |= bytes[0];
	s->line[line].bytes[1] |= bytes[1];
	tag_modify_sector(&x->fast, line + 1, 1u << i, bytes);
}

static void set_flags_in_both(struct tag_pair *x, uint32_t line, uint32_t i)
{
	struct slow_line *l = &x->slow.line[line];
	uint32_t which = random_below(x, 4), on = random_below(x, 2), bit = 1u << i;

	if (which == 0 && x->slow.p.kind == CACHE_SECTOR) {
		l->unreadable[i] = on;
		bit *= LINE_UNREADABLE;
	} else if (which == 1) {
		l->mod_on_fill[i] = on;
		bit *= LINE_MOD_ON_FILL;
	} else if (which == 2) {
		l->read_on_fill[i] = on;
		bit *= LINE_READ_ON_FILL;
	} else {
		l->bytes_on_fill = on;
		bit = LINE_BYTES_ON_FILL;
	}
	tag_change_flags(&x->fast, line + 1, on ? 0 : bit, on ? bit : 0);
}

static void access_both_arrays(struct tag_pair *x, uint64_t addr, uint32_t i, const uint64_t bytes[2])
{
	struct evicted a = {0}, b = {0};
	struct lookup l;
	bool write = random_below(x, 2);
	uint32_t at;
	enum cache_status st = slow_probe(&x->slow, addr, i, write, &at);

	tag_lookup(&x->fast, &l, addr, 1u << i, write);
	if (report_difference(x, l.status != st, "lookup") || st == STATUS_RESERVATION_FAIL ||
		random_below(x, 16) == 0)
		return;
	slow_access(&x->slow, addr, i, write, x->now, &at, &a);
	tag_access(&x->fast, &l, x->now, &b);
	if (report_difference(x, l.slot != at + 1, "slot") ||
		report_difference(x, a.needs_write_back != b.needs_write_back, "eviction"))
		return;
	report_difference(x,
		a.needs_write_back && (a.tag != b.tag || a.size != b.size || a.sectors != b.sectors ||
					      memcmp(a.bytes, b.bytes, sizeof(a.bytes))),
		"evicted line");
	if ((x->slow.on_miss || st == STATUS_HIT) && random_below(x, 3) == 0) {
		modify_in_both(x, at, i, bytes);
		if (random_below(x, 2))
			set_flags_in_both(x, at, i);
	}
	if (st != STATUS_HIT && x->n_flights < 64)
		x->flight[x->n_flights++] = (struct flight){at, i, {bytes[0], bytes[1]}};
}

static void fill_both_arrays(struct tag_pair *x)
{
	uint32_t k = random_below(x, x->n_flights);
	struct flight f = x->flight[k];

	x->flight[k] = x->flight[--x->n_flights];
	slow_fill(&x->slow, f.line, f.sector, f.bytes);
	tag_fill_slot(&x->fast, f.line + 1, 1u << f.sector, f.bytes);
}

static void drop_in_both_arrays(struct tag_pair *x, uint64_t addr, uint32_t i)
{
	struct lookup l;

	tag_lookup(&x->fast, &l, addr, 1u << i, true);
	if (l.status != STATUS_HIT)
		return;
	tag_drop_sector(&x->fast, l.slot, l.sector);
	x->slow.line[l.slot - 1].state[i] = INVALID;
}

static void do_rare_operation(struct tag_pair *x)
{
	uint32_t ways = 1 + random_below(x, x->slow.p.ways_max);

	switch (random_below(x, 5)) {
	case 0:
		tag_invalidate(&x->fast);
		slow_empty(&x->slow, false);
		break;
	case 1:
		tag_flush(&x->fast);
		slow_empty(&x->slow, true);
		break;
	case 2:
		x->now -= 50; /* simulates the overflow of a 32-bit clock */
		break;
	case 3: x->fast.on_miss = x->slow.on_miss = !x->slow.on_miss; break;
	default: tag_set_ways(&x->fast, ways); x->slow.ways = ways;
	}
}

static void do_random_step(struct tag_pair *x)
{
	const struct cache_params *p = &x->slow.p;
	uint64_t addr = random_below(x, p->sets * p->ways * 2 + 2) * 128ull +
			(random_below(x, 4) ? 0 : 0x7f0000000000);
	uint32_t i = p->kind == CACHE_SECTOR ? random_below(x, 4) : 0, choice = random_below(x, 64);
	uint64_t bytes[2] = {0};

	bytes[i / 2] = (uint64_t)random_below(x, UINT32_MAX) << i % 2 * 32;
	x->now += random_below(x, 3);
	if (choice < 40)
		access_both_arrays(x, addr, i, bytes);
	else if (choice < 58 && x->n_flights)
		fill_both_arrays(x);
	else if (choice < 61)
		drop_in_both_arrays(x, addr, i);
	else if (choice < 63 || random_below(x, 8)) {
		bool write = random_below(x, 2);

		slow_fill_addr(&x->slow, addr, i, write, bytes, x->now);
		tag_fill_addr(&x->fast, addr, 1u << i, write, bytes, x->now);
	} else {
		do_rare_operation(x);
	}
	report_difference(x, x->fast.n_modified != x->slow.dirty, "n_modified");
}

static void run_random_steps(uint64_t seed, unsigned steps)
{
	struct tag_pair x = {.seed = seed * 0x9E3779B97F4A7C15u, .now = 1000};
	struct cache_params p = random_params(&x);
	unsigned n = 0;

	tag_init(&x.fast, &p, NULL);
	x.slow = (struct slow_tags){.p = p, .ways = p.ways, .on_miss = x.fast.on_miss};
	x.slow.n = p.kind == CACHE_SECTOR ? 4 : 1;
	x.slow.line = xcalloc((size_t)p.sets * p.ways_max, sizeof(*x.slow.line));
	for (; n < steps && !x.wrong; n++) {
		do_random_step(&x);
		if (n % 64 == 0)
			compare_lines(&x);
	}
	compare_lines(&x);
	ok(!x.wrong, "equal tag arrays: %s %ux%u (at most %u) %s ratio %u index %d, seed %u",
		p.kind == CACHE_SECTOR ? "sectors" : "lines", p.sets, p.ways, p.ways_max,
		p.replacement == REPLACE_FIFO ? "FIFO" : "LRU", p.write_ratio, (int)p.index, (unsigned)seed);
	if (x.wrong)
		printf("# first difference at step %u: %s\n", n, x.wrong);
	free(x.slow.line);
	tag_free(&x.fast);
}

int main(int argc, char **argv)
{
	unsigned runs = argc > 1 ? (unsigned)atoi(argv[1]) : 60;
	unsigned steps = argc > 2 ? (unsigned)atoi(argv[2]) : 6000;

	for (unsigned s = 1; s <= runs; s++)
		run_random_steps(s, steps);
	return tap_done();
}
