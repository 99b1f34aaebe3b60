/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Counts of a piece from its parsed records. They equal the counts that a reader of the kernel would compute.
 *
 * Pieces of traces from PTX have no counts, nor have pieces with architectures or lines that only the text reader
 * understands.
 */
#include "addr.h"
#include "directory.h"
#include "follow.h"
#include "trace/code.h"

/*
 * Decodes the fields of a static instruction that counting needs. Returns false if only the text reader can decode
 * them.
 */
static bool decode_static(
	struct inst *in, const struct part *p, const struct pstatic *s, const struct isa *isa)
{
	size_t n;
	const char *opcode = pstatic_opcode(p, s, &n);

	if (!opcode)
		return false;
	code_classify(in, isa, opcode, n);
	in->has_addr = s->flags & ST_MEM;
	return in->size || !in->has_addr;
}

#define SHAPES_KNOWN 8u
/*
 * Number of shapes after which shapes are no longer used if less than half of the accesses had a known shape. Packing
 * local-array, where each access has another shape, takes 27.0 host instructions a thread instruction, not 29.0.
 */
#define SHAPES_TRIED 32u

/*
 * Numbers of sectors of accesses by all lanes, whose addresses differ by a constant from those of the first access.
 * sectors[] is indexed by this constant modulo the size of a sector.
 */
struct known_shape {
	const uint64_t *first_list; /* list of the first access; NULL: the entry is empty */
	const uint64_t *last_list;  /* list of the last access, which often is the next one's, too */
	uint64_t first_addr;        /* address of lane 0 in the first access */
	uint64_t lowest_addr;       /* lowest address in the first access */
	uint32_t size;              /* number of bytes that a lane accesses */
	uint32_t sectors[32];       /* number of sectors; 0: not known */
};

struct counted { /* a static instruction */
	const struct inst *inst;
	bool lanes;                /* addresses of its accesses are counted */
	struct known_shape *shape; /* shape of the last access; NULL: none */
	uint64_t accesses;         /* number of accesses so far, if they are counted */
	uint64_t sectors;          /* number of their sectors */
};

/* State of a count: per static instruction, and the address patterns seen last. */
struct counting {
	const struct parsed *parsed;
	struct counted *counted; /* counts, indexed by static instruction */
	struct known_shape shape[SHAPES_KNOWN];
	uint32_t n_shapes; /* number of shapes so far; the oldest is replaced */
	uint32_t n_found;  /* number of accesses whose shape was known */
	struct next_counted {
		uint32_t number;   /* number of this or the next instruction with counted addresses */
		uint32_t payloads; /* number of instructions before this one that have payloads */
	} * next;                  /* by the numbers of instructions in runs */
};

/* Makes the addresses of g a known shape. Returns NULL for addresses from 2^62 on, because a sum could wrap around. */
static struct known_shape *add_shape(struct counting *n, const struct recorded *g, uint32_t size)
{
	struct known_shape *k = &n->shape[n->n_shapes % SHAPES_KNOWN];
	uint64_t all = 0, least = UINT64_MAX;

	for (unsigned l = 0; l < 32; l++) {
		uint64_t a = g->words[l] + g->addend;

		all |= a;
		least = a < least ? a : least;
	}
	if (all >> 62)
		return NULL;
	n->n_shapes++;
	*k = (struct known_shape){g->words, g->words, g->words[0] + g->addend, least, size, {0}};
	return k;
}

/* Returns true if two lists differ by a constant. */
static bool differ_by_constant(const uint64_t *a, const uint64_t *b)
{
	uint64_t off = 0, by = a[0] - b[0];

	if (a[31] - b[31] != by || a[1] - b[1] != by)
		return false;
	for (unsigned l = 2; l < 31; l++)
		off |= (a[l] - b[l]) ^ by;
	return !off;
}

/* Returns the known shape of an access, or NULL. */
static struct known_shape *find_shape(struct counting *n, const struct recorded *g, struct counted *x)
{
	if (x->shape && x->shape->last_list == g->words && x->shape->size == x->inst->size)
		return x->shape;
	for (struct known_shape *k = n->shape; k < n->shape + SHAPES_KNOWN && k->first_list; k++) {
		if (k->size != x->inst->size ||
			(k->last_list != g->words && !differ_by_constant(k->first_list, g->words)))
			continue;
		k->last_list = g->words;
		return x->shape = k;
	}
	return NULL;
}

/* Returns the shape of an access. Adds it if it is not known; returns NULL if that is not possible or not useful. */
static struct known_shape *find_or_add_shape(struct counting *n, const struct recorded *g, struct counted *x)
{
	if (n->n_shapes >= SHAPES_TRIED && n->n_found < n->n_shapes)
		return NULL;
	struct known_shape *k = find_shape(n, g, x);
	if (k) {
		n->n_found++;
		return k;
	}
	return x->shape = add_shape(n, g, x->inst->size);
}

/* Returns the sectors of an access of all lanes to a list plus a base. */
static uint32_t sectors_of_full_list(struct counting *n, const struct recorded *g, struct counted *x)
{
	struct known_shape *k = find_or_add_shape(n, g, x);
	const uint64_t by = k ? g->words[0] + g->addend - k->first_addr : 0;
	uint64_t t[32];

	if (!k || (k->lowest_addr + by) >> 62)
		return tally_sectors(x->inst, recorded_list(g, t), g->mask);
	if (!k->sectors[by % 32])
		k->sectors[by % 32] = tally_sectors(x->inst, recorded_list(g, t), g->mask);
	return k->sectors[by % 32];
}

/* Returns the sectors of an access that is no line, or whose lanes are apart. */
static uint32_t sectors_of_access(struct counting *n, const struct recorded *g, struct counted *x)
{
	uint64_t t[32];

	if (g->mask == UINT32_MAX && !g->line)
		return sectors_of_full_list(n, g, x);
	/* Sectors do not depend on lanes, so the addresses may be those of the first lanes. */
	return tally_sectors(x->inst, recorded_list(g, t),
		g->mask == UINT32_MAX ? g->mask : (1u << recorded_lanes(g)) - 1);
}

/*
 * Change of the number of executions from one instruction to the next, by its number in runs: runs that begin at the
 * instruction minus runs that end before it. [1]: with active lanes, [0]: without. The sum of the changes up to an
 * instruction is the number of its executions.
 */
struct changes {
	uint64_t n[2];
};

/* Counts the runs of all warps that have the same path as w. w is the first of these warps. */
static void count_path(
	struct census *c, const struct parsed *p, const struct pwarp *w, struct changes *change)
{
	const uint64_t warps = w->weight;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		change[r->id].n[r->mask != 0] += warps;
		change[r->id + r->n].n[r->mask != 0] -= warps;
	}
	c->tally.lanes += warps * lanes_loops->thread_insts(p->run + w->first_run, w->n_runs);
}

/* Removes the marks in the runs of all warps with the path of w from the instructions and their lanes. */
static void remove_path_marks(
	struct census *c, const struct parsed *p, const struct pwarp *w, const struct counted *of)
{
	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++)
		for (uint32_t i = r->id; i < r->id + r->n; i++)
			if (p->static_of[i] != NONE && of[p->static_of[i]].inst->kind == KIND_MARK) {
				c->insts -= w->weight;
				c->tally.lanes -= (uint64_t)w->weight * bit_count32(r->mask);
			}
}

/* Removes marks of the tracer, which are not instructions (HOPPER-mark-1). Few traces have them. */
static void remove_marks(struct census *c, const struct parsed *p, const struct counted *of)
{
	bool any = false;

	for (uint32_t i = 0; i < p->part.code.n_statics; i++)
		any |= of[i].inst->kind == KIND_MARK;
	for (uint32_t i = 0; any && i < p->n_warp; i++)
		if (p->warp[i].first_alike == i)
			remove_path_marks(c, p, &p->warp[i], of);
}

/* Counts everything that is equal in all warps with the same path. */
static void count_all_paths(struct census *c, const struct parsed *p, const struct counted *of)
{
	struct changes *change = xcalloc(p->n_met + 1u, sizeof(*change));
	uint64_t n[2] = {0, 0};

	for (uint32_t i = 0; i < p->n_warp; i++)
		if (p->warp[i].first_alike == i)
			count_path(c, p, &p->warp[i], change);
	for (uint32_t i = 0; i < p->n_met; i++) {
		for (unsigned k = 0; k < 2; k++)
			n[k] += change[i].n[k];
		if (p->static_of[i] == NONE || !(n[0] | n[1]))
			continue;
		const struct counted *x = &of[p->static_of[i]];
		if (x->inst->kind == KIND_MARK)
			continue;
		c->tally.of_class[x->inst->class] += n[0] + n[1];
		if (!n[1] || !x->inst->has_addr || x->lanes)
			continue;
		struct tally once = {.lanes = 0};
		tally_access(&once, x->inst, NULL, UINT32_MAX);
		c->tally.shared += n[1] * once.shared;
	}
	free(change);
	remove_marks(c, p, of);
}

/* Counts an access once for each of `warps` warps. */
static void count_access(struct counting *n, struct counted *x, const struct recorded *g, uint32_t warps)
{
	uint32_t sectors = g->line ? tally_line_sectors(x->inst, g->words[0], g->words[1], g->mask) : 0;

	x->accesses += warps;
	x->sectors += (uint64_t)warps * (sectors ? sectors : sectors_of_access(n, g, x));
}

/* Counts the accesses of w once for each of `warps` warps, which touch as many sectors as w. */
static void count_accesses(struct counting *n, const struct pwarp *w, uint32_t warps)
{
	const struct parsed *p = n->parsed;
	const struct pack_payload *payload = p->payload + w->first_payload;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end; r++) {
		const struct next_counted *first = &n->next[r->id], *after = &n->next[r->id + r->n];

		for (uint32_t i = first->number; r->mask && i < r->id + r->n; i = n->next[i + 1].number) {
			const uint32_t k = n->next[i].payloads - first->payloads;
			const struct recorded g = recorded_of(p->addr + w->word, payload[k].addr, r->mask);

			count_access(n, &n->counted[p->static_of[i]], &g, warps);
		}
		payload += after->payloads - first->payloads;
	}
}

/* Finds the counted instruction that is next after each one. */
static void find_next_counted(struct counting *n)
{
	const struct parsed *p = n->parsed;
	uint32_t payloads = 0;

	n->next = xmalloc((p->n_met + 1u) * sizeof(n->next[0]));
	for (uint32_t i = 0; i <= p->n_met; i++) {
		n->next[i].payloads = payloads;
		payloads += i < p->n_met && p->next_payload[i] == i;
	}
	n->next[p->n_met].number = p->n_met;
	for (uint32_t i = p->n_met; i-- > 0;)
		n->next[i].number = p->next_payload[i] == i && n->counted[p->static_of[i]].lanes
					    ? i
					    : n->next[i + 1].number;
}

/*
 * Returns true if the counted addresses of w are at least 2 * FOLLOW_NEAR from 0 and 2^64, so that no address of a near
 * follower wraps around.
 */
static bool is_far_from_zero(const struct parsed *p, const struct pwarp *w, const struct counted *of)
{
	const struct pack_payload *payload = p->payload + w->first_payload;
	bool far = true;

	for (const struct pack_run *r = p->run + w->first_run, *end = r + w->n_runs; r < end && far; r++)
		FOR_PAYLOADS (i, payload, p, r) {
			const struct recorded g = recorded_of(p->addr + w->word, payload->addr, r->mask);
			uint64_t t[32];
			const uint64_t *a = recorded_list(&g, t);

			for (unsigned l = 0, n = recorded_lanes(&g); l < n && of[p->static_of[i]].lanes; l++)
				far &= a[l] - 2 * FOLLOW_NEAR < UINT64_MAX - 4 * FOLLOW_NEAR;
		}
	return far;
}

/* Counts the accesses of all warps. Near followers are counted with their leader. */
static void count_all_accesses(struct counting *n)
{
	const struct parsed *p = n->parsed;
	bool *alone = xcalloc(p->n_warp + 1u,
		sizeof(*alone)); /* by leader: true if near followers are not counted with it */

	find_next_counted(n);
	for (uint32_t i = 0; i < p->n_warp; i++) {
		const struct pwarp *w = &p->warp[i];

		if (!w->leader && w->near)
			alone[i] = !is_far_from_zero(p, w, n->counted);
		if (!w->leader || !w->near || alone[w->leader - 1])
			count_accesses(n, w, w->leader || alone[i] ? 1 : 1 + w->near);
	}
	free(alone);
	free(n->next);
}

/*
 * Decodes the static instructions, those of one form once. in[] has an element for each form and each instruction.
 * Returns false if only the text reader can decode one of them.
 */
static bool decode_all_statics(
	struct counted *of, struct inst *in, const struct part *part, const struct isa *isa, uint8_t arch)
{
	const struct pcode *code = &part->code;
	const uint32_t forms = code_form_count(code);
	bool known = true;

	for (uint32_t i = 0; i < forms; i++)
		in[i].arch = N_ARCHS; /* not decoded */
	for (uint32_t i = 0; i < code->n_statics && known; i++) {
		const struct pstatic *s = &code->statics[i];
		struct inst *x = &in[s->form ? s->form - 1 : forms + i];

		if (!s->form || x->arch == N_ARCHS) {
			*x = (struct inst){.arch = arch};
			known = decode_static(x, part, s, isa);
		}
		of[i] = (struct counted){.inst = x, .lanes = tally_wants_lanes(x)};
	}
	return known;
}

void census_add_part(struct census *c, const struct parsed *p, const struct isa *isa, int binary)
{
	const struct part *part = &p->part;
	const struct pcode *code = &part->code;
	int arch = isa_arch_of(binary);
	struct counted *of = xmalloc((code->n_statics + 1) * sizeof(*of));
	struct inst *in = xmalloc((code->n_statics + code_form_count(code) + 1) * sizeof(*in));
	struct counting n = {.parsed = p, .counted = of};

	*c = (struct census){.has_counts = arch >= 0 && part_dialect(part) == DIALECT_SASS,
		.blocks = part->n_blocks,
		.insts = p->n_rec};
	if (c->has_counts)
		c->has_counts = decode_all_statics(of, in, part, isa, (uint8_t)arch);
	if (c->has_counts)
		count_all_paths(c, p, of);
	if (c->has_counts)
		count_all_accesses(&n);
	for (uint32_t i = 0; i < code->n_statics && c->has_counts; i++)
		if (of[i].accesses)
			tally_add_sectors(&c->tally, of[i].inst, of[i].accesses, of[i].sectors);
	free(in);
	free(of);
}
