/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checks the addresses of a record. One pass over its words determines the lowest address, the highest
 * address, and the bitwise or of all addresses. The following are not checked: lanes that the model ignores
 * (lanes after a hole in a stride), bulk copies, and opcodes without a rule.
 */
#include "bits.h"
#include "lint.h"

#define GPU_ADDRESS_BITS 49
#define RESERVED_BYTES   1024u               /* shared memory of a block that the system reserves */
#define WINDOW_BYTES     (UINT64_C(1) << 24) /* size of the shared window, and of the local window */
#define LOCAL_MAX        (512u << 10)        /* size of the local memory of a thread */

struct lane_span {
	uint64_t low, high;
	/* bitwise or of the addresses; only the low bits, which determine alignment, are valid */
	uint64_t bits;
	bool has_null, has_holes;
};

static inline void extend_span(struct lane_span *s, uint64_t a)
{
	s->low = a < s->low ? a : s->low;
	s->high = a > s->high ? a : s->high;
	s->bits |= a;
}

static void extend_span_by_stride(struct lane_span *s, const uint64_t *w, uint32_t mask)
{
	uint32_t run = mask >> bit_lowest32(mask), gap = ~run;
	unsigned n = gap ? bit_lowest32(gap) : 32;

	s->has_holes = run & (run + 1);
	extend_span(s, w[0]);
	extend_span(s, w[0] + w[1] * (n - 1));
	if (n > 1)
		s->bits |= w[1];
	s->has_null = !w[0] || !(w[0] + w[1] * (n - 1));
}

static void extend_span_by_deltas(struct lane_span *s, const uint64_t *w, unsigned n)
{
	uint64_t a = w[0], null = !a;

	extend_span(s, a);
	for (unsigned i = 0; i + 1 < n; i++) {
		a += (uint64_t)(int64_t)(int32_t)(uint32_t)(w[1 + i / 2] >> (i & 1) * 32);
		extend_span(s, a);
		null |= !a;
	}
	s->has_null = null;
}

static void extend_span_by_list(struct lane_span *s, const uint64_t *w, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		extend_span(s, w[i]);
	s->has_null = !s->low;
}

/* ---- valid addresses -------------------------------------------------------------------------- */

static bool is_in_window(uint64_t a, uint64_t base) { return base && a >= base && a - base < WINDOW_BYTES; }

/* Returns the offset of the last accessed byte in a window at base, or at 0 if the addresses are below base. */
static uint64_t last_accessed_offset(const struct lane_span *s, uint64_t base, unsigned width)
{
	return (base && s->low >= base ? s->high - base : s->high) + width - 1;
}

static bool is_copied_address(struct lint *l, const struct lane_span *s, unsigned width)
{
	uint64_t end = s->high + width;

	for (uint32_t i = 0; i < l->n_copies; i++) {
		uint32_t n = (l->last_copy + i) % l->n_copies;

		if (s->low >= l->copy[n].start && end <= l->copy[n].end) {
			l->last_copy = n;
			return true;
		}
	}
	return false;
}

struct address_check {
	struct lint *lint;
	const struct rec *rec;
	const struct trace_line *line;
	const struct lane_span *span;
	bool in_cluster; /* addresses of shared memory contain the rank of a thread block */
};

static bool is_first_address_finding(const struct address_check *c, enum rule_name rule)
{
	return lint_is_first_finding(c->lint, c->rec->inst, rule);
}

static struct place address_place(const struct address_check *c)
{
	return lint_place(c->lint, c->line, COLUMN_ADDRESSES);
}

/*
 * Checks a shared access. The system reserves bytes of each block. On sm_80 they come after the allocated bytes, and
 * only generic accesses may reach them: tiles of several warps of cooperative groups use them. Since sm_90 they come
 * first, so the allocated bytes end that much later.
 */
static void check_shared(const struct address_check *c, unsigned width, bool generic)
{
	const struct kernel_header *h = c->lint->head;
	uint64_t last = last_accessed_offset(c->span, h->shmem_base, width), bytes = h->shmem_bytes;

	if (c->in_cluster && last >> SHARED_OFFSET_BITS < MAX_RANKS)
		last &= SHARED_OFFSET_MASK;
	if (h->binary_version >= 90 || (generic && h->binary_version >= 80))
		bytes = (bytes + 127) / 128 * 128 + RESERVED_BYTES;
	if (last >= bytes && h->shmem_bytes != UINT32_MAX && is_first_address_finding(c, RULE_SHARED_BEYOND))
		report_at(c->lint->rep, RULE_SHARED_BEYOND, address_place(c),
			"access up to byte 0x%llx of shared memory (expected within the %u bytes of '-shmem')",
			(unsigned long long)last, h->shmem_bytes);
}

/* Checks a local access. quirk Q1-6: the model treats an access of fewer than 4 bytes as one of 4 bytes. */
static void check_local(const struct address_check *c, const struct fact *k)
{
	uint64_t last = last_accessed_offset(c->span, c->lint->head->local_base, k->width);

	if (k->flags & FACT_NARROW && c->span->bits & 3 && is_first_address_finding(c, RULE_LOCAL_NARROW))
		report_at(c->lint->rep, RULE_LOCAL_NARROW, address_place(c),
			"local addresses from 0x%llx to 0x%llx of S8 or S16 are not all multiples of 4",
			(unsigned long long)c->span->low, (unsigned long long)c->span->high);
	if (last >= LOCAL_MAX && is_first_address_finding(c, RULE_LOCAL_BEYOND))
		report_at(c->lint->rep, RULE_LOCAL_BEYOND, address_place(c),
			"access up to byte 0x%llx of local memory (expected within %u bytes)",
			(unsigned long long)last, LOCAL_MAX);
}

static void check_global(const struct address_check *c, const struct fact *k)
{
	struct lint *l = c->lint;
	const struct kernel_header *h = l->head;
	bool shared = is_in_window(c->span->low, h->shmem_base),
	     local = is_in_window(c->span->low, h->local_base);

	if (shared && k->place == PLACE_GENERIC)
		check_shared(c, k->width, true);
	if ((shared || local) && k->place == PLACE_GLOBAL && is_first_address_finding(c, RULE_ADDRESS_SPACE))
		report_at(l->rep, RULE_ADDRESS_SPACE, address_place(c),
			"address 0x%llx of a global access is in the %s window",
			(unsigned long long)c->span->low, shared ? "shared" : "local");
	if (c->span->has_null && is_first_address_finding(c, RULE_ADDRESS_NULL))
		report_at(l->rep, RULE_ADDRESS_NULL, address_place(c),
			"address 0 in an active lane of mask %08x", c->rec->mask);
	if (c->span->high >> GPU_ADDRESS_BITS && is_first_address_finding(c, RULE_ADDRESS_RANGE))
		report_at(l->rep, RULE_ADDRESS_RANGE, address_place(c),
			"address 0x%llx is too large (expected at most %d bits)",
			(unsigned long long)c->span->high, GPU_ADDRESS_BITS);
	if (shared || local || !(k->flags & FACT_LOAD) || !l->n_copies || c->span->has_null)
		return;
	if (is_copied_address(l, c->span, k->width))
		return;
	if (l->window_reported)
		report_count_only(l->rep, RULE_ADDRESS_WINDOW);
	else
		report_at(l->rep, RULE_ADDRESS_WINDOW, address_place(c),
			"load from 0x%llx to 0x%llx is outside the windows of the header and the %u %s before the kernel",
			(unsigned long long)c->span->low, (unsigned long long)c->span->high, l->n_copies,
			l->n_copies == 1 ? "copy" : "copies");
	l->window_reported = true;
}

void lint_addresses(
	struct lint *l, const struct tblock *tb, const struct rec *r, const struct trace_line *line)
{
	const struct fact *k = &l->fact[r->inst];
	const uint64_t *w = tb->word + (r->addr >> 2);
	struct lane_span s = {UINT64_MAX, 0, 0, false, false};
	struct address_check c = {l, r, line, &s, tb->cluster.is_known || kernel_cluster_blocks(l->head) > 1};

	switch ((enum addr_kind)(r->addr & 3)) {
	case ADDR_NONE: return;
	case ADDR_STRIDE: extend_span_by_stride(&s, w, r->mask); break;
	case ADDR_DELTA: extend_span_by_deltas(&s, w, bit_count32(r->mask)); break;
	case ADDR_LIST: extend_span_by_list(&s, w, bit_count32(r->mask)); break;
	}
	if (s.has_holes && is_first_address_finding(&c, RULE_STRIDE_HOLES))
		report_at(l->rep, RULE_STRIDE_HOLES, address_place(&c),
			"address mode 1 with mask %08x (expected consecutive lanes)", r->mask);
	if (s.bits & (k->width - 1u) && is_first_address_finding(&c, RULE_ADDRESS_ALIGN))
		report_at(l->rep, RULE_ADDRESS_ALIGN, address_place(&c),
			"addresses from 0x%llx to 0x%llx are not all multiples of %u",
			(unsigned long long)s.low, (unsigned long long)s.high, k->width);
	if (k->place == PLACE_SHARED)
		check_shared(&c, k->width, false);
	else if (k->place == PLACE_LOCAL)
		check_local(&c, k);
	else
		check_global(&c, k);
}
