/* SPDX-License-Identifier: BSD-2-Clause */
/* Counts of a kernel's work. Generic accesses are counted as global ones, because most of them are. */
#include <stdbool.h>
#include <string.h>
#include "bits.h"
#include "tally.h"
#include "trace/lanes.h"

/* Twice the largest number of sectors of a warp's access, so that a free slot is found soon. */
#define SLOTS 128u

/* Set of sectors. */
struct sector_set {
	unsigned bits;        /* logarithm of the number of slots in use */
	uint64_t slot[SLOTS]; /* numbers of the sectors plus 1, by their hash; 0: free */
};

/* Adds a sector. Returns true if the set did not contain it. */
static bool add_sector(struct sector_set *s, uint64_t sector)
{
	uint32_t at = (uint32_t)(sector * 0x9e3779b97f4a7c15u >> (64 - s->bits));

	for (; s->slot[at]; at = (at + 1) & ((1u << s->bits) - 1))
		if (s->slot[at] == sector + 1)
			return false;
	s->slot[at] = sector + 1;
	return true;
}

static uint32_t count_scattered_sectors(const uint64_t lane[32], uint32_t mask, uint32_t more)
{
	struct sector_set s;
	uint32_t n = 0;

	/* two sectors a lane, and as many free slots */
	s.bits = 2 + log2_floor(2 * bit_count32(mask) - 1);
	memset(s.slot, 0, sizeof(s.slot[0]) << s.bits);
	FOR_BITS32 (i, mask) {
		uint64_t first = lane[i] / 32, last = (lane[i] + more) / 32;

		n += add_sector(&s, first);
		n += last > first && add_sector(&s, first + 1);
	}
	return n;
}

/*
 * Returns the number of distinct 32-byte sectors of the active lanes. Of a lane's access, only the first sector and
 * the next one are counted, regardless of its size.
 */
static uint32_t count_sectors(const uint64_t lane[32], uint32_t mask, uint32_t size)
{
	uint64_t next = 0; /* number of the sector after the last counted one */
	uint32_t n = 0, more = size ? size - 1 : 0;

	FOR_BITS32 (i, mask) {
		uint64_t first = lane[i] / 32, end = (lane[i] + more) / 32 + 1;

		end = end > first + 2 ? first + 2 : end;
		/* lanes are usually in the order of their addresses, so this is rare */
		if (first + 1 < next || end <= first)
			return count_scattered_sectors(lane, mask, more);
		n += (uint32_t)(end <= next ? 0 : end - (first > next ? first : next));
		next = end > next ? end : next;
	}
	return n;
}

enum touch { TOUCH_NOTHING, TOUCH_LOAD, TOUCH_STORE, TOUCH_ATOMIC, TOUCH_LOCAL, TOUCH_SHARED };

static enum touch access_kind_of_ptx(const struct inst *in)
{
	switch (in->ptx->form.space) {
	case SPACE_GLOBAL:
	case SPACE_GENERIC: return in->class == CLASS_STORE ? TOUCH_STORE : TOUCH_LOAD;
	case SPACE_LOCAL:
	case SPACE_LOCAL_PARAM: return TOUCH_LOCAL;
	case SPACE_SHARED: return TOUCH_SHARED;
	default: return TOUCH_NOTHING;
	}
}

static enum touch access_kind_of_inst(const struct inst *in)
{
	if (!in->has_addr)
		return TOUCH_NOTHING;
	if (in->ptx)
		return access_kind_of_ptx(in);
	switch (in->kind) {
	case KIND_LDG:
	case KIND_LDGSTS:
	case KIND_LD: return TOUCH_LOAD;
	case KIND_STG:
	case KIND_ST: return TOUCH_STORE;
	case KIND_ATOM: return TOUCH_ATOMIC;
	case KIND_LDL:
	case KIND_STL: return TOUCH_LOCAL;
	case KIND_ATOMS:
	case KIND_LDS:
	case KIND_STS:
	case KIND_STAS:
	case KIND_LDSM: return TOUCH_SHARED;
	default: return TOUCH_NOTHING;
	}
}

bool tally_wants_lanes(const struct inst *in)
{
	enum touch t = access_kind_of_inst(in);

	return t != TOUCH_NOTHING && t != TOUCH_SHARED;
}

uint32_t tally_sectors(const struct inst *in, const uint64_t lane[32], uint32_t mask)
{
	uint64_t more = in->size ? in->size - 1u : 0, near = 0;

	if (mask == UINT32_MAX && more <= 32)
		near = lanes_loops->sectors(lane, more);
	return near ? bit_count64(near) : count_sectors(lane, mask, in->size);
}

void tally_add_sectors(struct tally *t, const struct inst *in, uint64_t accesses, uint64_t sectors)
{
	enum touch touch = access_kind_of_inst(in);

	t->atomics += touch == TOUCH_ATOMIC ? accesses : 0;
	switch (touch) {
	case TOUCH_LOAD: t->loads += sectors; break;
	case TOUCH_STORE:
	case TOUCH_ATOMIC: t->stores += sectors; break;
	case TOUCH_LOCAL: t->local += sectors; break;
	default: break;
	}
}

void tally_access(struct tally *t, const struct inst *in, const uint64_t lane[32], uint32_t mask)
{
	enum touch touch = mask ? access_kind_of_inst(in) : TOUCH_NOTHING;

	t->shared += touch == TOUCH_SHARED;
	if (touch != TOUCH_NOTHING && touch != TOUCH_SHARED)
		tally_add_sectors(t, in, 1, tally_sectors(in, lane, mask));
}

void tally_add(struct tally *to, const struct tally *from)
{
#define TALLY_FIELD(name) to->name += from->name;
	TALLY_FIELDS(TALLY_FIELD)
#undef TALLY_FIELD
	for (unsigned i = 0; i < N_CLASSES; i++)
		to->of_class[i] += from->of_class[i];
}
