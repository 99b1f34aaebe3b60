/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The static instructions of a part while it is parsed: the table of distinct constant texts of lines, the effect of
 * opcodes on the flow of a warp, and the numbers of memory instructions.
 */
#include <xxhash.h>
#include "parse.h"

static bool equals_found_static(const struct pcode *c, const struct pstatic *s, const struct found *f)
{
	size_t mid = (size_t)(f->mid_end - f->mid), tail = (size_t)(f->tail_end - f->tail);

	return s->pc == f->pc && s->lineno == f->lineno && s->flags == f->flags && s->mid_len == mid &&
	       s->tail_len == tail && !memcmp(c->text.p + s->mid, f->mid, mid) &&
	       !memcmp(c->text.p + s->tail, f->tail, tail);
}

static uint64_t found_hash(const struct found *f)
{
	uint64_t h = XXH3_64bits_withSeed(
		f->mid, (size_t)(f->mid_end - f->mid), (uint64_t)f->pc << 32 | f->lineno);

	return XXH3_64bits_withSeed(f->tail, (size_t)(f->tail_end - f->tail), h);
}

static uint64_t static_hash(const struct pcode *c, const struct pstatic *s)
{
	const char *t = (const char *)c->text.p;
	struct found f = {.pc = s->pc,
		.lineno = s->lineno,
		.mid = t + s->mid,
		.mid_end = t + s->mid + s->mid_len,
		.tail = t + s->tail,
		.tail_end = t + s->tail + s->tail_len};

	return found_hash(&f);
}

static void grow_static_slots(struct parsed *p)
{
	const struct pcode *c = &p->part.code;

	free(p->slot);
	p->n_slots = p->n_slots ? p->n_slots * 4 : 1024;
	p->slot = xcalloc(p->n_slots, sizeof(p->slot[0]));
	for (uint32_t i = 0; i < c->n_statics; i++) {
		uint32_t at = (uint32_t)static_hash(c, &c->statics[i]) & (p->n_slots - 1);

		while (p->slot[at])
			at = (at + 1) & (p->n_slots - 1);
		p->slot[at] = i + 1;
	}
}

uint32_t static_intern(struct parsed *p, const struct found *f)
{
	struct pcode *c = &p->part.code;

	if (c->n_statics * 2 >= p->n_slots)
		grow_static_slots(p);
	uint32_t at = (uint32_t)found_hash(f) & (p->n_slots - 1);
	for (; p->slot[at]; at = (at + 1) & (p->n_slots - 1))
		if (equals_found_static(c, &c->statics[p->slot[at] - 1], f))
			return p->slot[at] - 1;
	if (c->n_statics >= pack_limits.statics ||
		c->text.n + (size_t)(f->head_end - f->head + f->mid_end - f->mid + f->tail_end - f->tail) >
			pack_limits.text)
		return NONE;
	grow(&c->statics, &c->cap_statics, c->n_statics + 1, sizeof(c->statics[0]));
	struct pstatic *s = &c->statics[c->n_statics];
	*s = (struct pstatic){.pc = f->pc, .lineno = f->lineno, .flags = f->flags, .next = NONE};
	s->mid_len = (uint16_t)(f->mid_end - f->mid);
	s->tail_len = (uint16_t)(f->tail_end - f->tail);
	s->head = keep_text_bytes(&c->text, f->head, f->head_end);
	s->head_len = (uint8_t)(f->head_end - f->head);
	s->mid = keep_text_bytes(&c->text, f->mid, f->mid_end);
	s->tail = keep_text_bytes(&c->text, f->tail, f->tail_end);
	p->slot[at] = ++c->n_statics;
	return c->n_statics - 1;
}

enum ctl static_control_of(const char *opcode, size_t n)
{
	static const struct {
		const char *stem;
		size_t n;
		enum ctl ctl; /* effect on the flow of a warp */
	} is[] = {
		{"BRA", sizeof("BRA") - 1, CTL_BRANCH},
		{"EXIT", sizeof("EXIT") - 1, CTL_EXIT},
		{"BSSY", sizeof("BSSY") - 1, CTL_SET},
		{"BSYNC", sizeof("BSYNC") - 1, CTL_SYNC},
		{"SSY", sizeof("SSY") - 1, CTL_SET},
		{"PBK", sizeof("PBK") - 1, CTL_SET},
		{"PCNT", sizeof("PCNT") - 1, CTL_SET},
		{"SYNC", sizeof("SYNC") - 1, CTL_SETTLE},
		{"BRK", sizeof("BRK") - 1, CTL_SETTLE},
		{"CONT", sizeof("CONT") - 1, CTL_SETTLE},
		{"JMP", sizeof("JMP") - 1, CTL_BRANCH},
		{"BRX", sizeof("BRX") - 1, CTL_BRANCH},
		{"JMX", sizeof("JMX") - 1, CTL_BRANCH},
		{"CALL", sizeof("CALL") - 1, CTL_CALL},
		{"CAL", sizeof("CAL") - 1, CTL_CALL},
		{"JCAL", sizeof("JCAL") - 1, CTL_CALL},
		{"RET", sizeof("RET") - 1, CTL_RETURN},
		{"BRXU", sizeof("BRXU") - 1, CTL_BRANCH},
		{"KILL", sizeof("KILL") - 1, CTL_EXIT},
	};
	static const char first_letters[] = "BEKCJPRS"; /* first letters of all stems */

	if (!n || !memchr(first_letters, *opcode, sizeof(first_letters) - 1))
		return CTL_NONE;
	const char *dot = memchr(opcode, '.', n);
	size_t stem = dot ? (size_t)(dot - opcode) : n;

	for (size_t i = 0; i < sizeof(is) / sizeof(is[0]); i++)
		if (is[i].n == stem && *is[i].stem == *opcode && !memcmp(is[i].stem, opcode, stem))
			return is[i].ctl;
	return CTL_NONE;
}

void static_number_memory(struct pcode *c)
{
	const uint8_t *t = c->text.p;

	c->n_mem = 0;
	for (uint32_t i = 0; i < c->n_statics; i++) {
		struct pstatic *s = &c->statics[i], *o = i ? s - 1 : s;
		bool variant = i && o->flags & ST_MEM && o->pc == s->pc && o->mid_len == s->mid_len &&
			       !memcmp(t + o->mid, t + s->mid, s->mid_len);

		if (s->flags & ST_MEM)
			s->mem = variant ? o->mem : c->n_mem++;
	}
}
