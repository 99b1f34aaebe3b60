/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of the registers of static instructions to streams and back (registers.h).
 *
 * Streams are in the order of forms and their operands. Registers of each kind have their own order of last use, in
 * which the sources of an instruction precede its destinations.
 */
#include "bits.h"
#include "registers.h"

enum coding { CODED_PLAIN, CODED_DIFFERENCE, CODED_RANK, CODINGS };
#define KINDS 4u

/* A stream of the registers of an operand. */
struct reg_stream {
	size_t at;      /* position of the next register */
	size_t end;     /* position after the stream */
	uint8_t coding; /* reader: coding of the stream */
	uint8_t last;   /* last register */
};

struct reg_streams {
	struct reg_stream *stream;
	uint32_t *first; /* first stream of each form; after the forms, number of streams */
	size_t n_dst, n_src;
	uint8_t order[KINDS][256]; /* registers of each kind in the order of last use */
};

static void streams_free(struct reg_streams *s)
{
	free(s->stream);
	free(s->first);
}

/* Finds the place of each stream: streams of destinations in one table, streams of sources in another. */
static void streams_new(struct reg_streams *s, const struct operands *o)
{
	uint32_t *uses = xcalloc(o->n_forms + 1u, sizeof(*uses));

	*s = (struct reg_streams){.first = xcalloc(o->n_forms + 1u, sizeof(s->first[0]))};
	for (uint32_t f = 0; f < o->n_forms; f++)
		s->first[f + 1] = s->first[f] + o->count[f][0] + o->count[f][1];
	s->stream = xcalloc(s->first[o->n_forms] + 1u, sizeof(s->stream[0]));
	for (uint32_t i = 0; i < o->n; i++)
		uses[o->form[i]]++;
	for (uint32_t f = 0; f < o->n_forms; f++)
		for (unsigned k = 0; k < o->count[f][0] + 0u + o->count[f][1]; k++) {
			size_t *n = k < o->count[f][0] ? &s->n_dst : &s->n_src;

			s->stream[s->first[f] + k].at = *n;
			*n += uses[f];
			s->stream[s->first[f] + k].end = *n;
		}
	for (unsigned k = 0; k < KINDS; k++)
		for (unsigned r = 0; r < 256; r++)
			s->order[k][r] = (uint8_t)r;
	free(uses);
}

/* Moves the register at position `rank` of an order to its front. Returns the register. */
static uint8_t use_register(uint8_t order[256], unsigned rank)
{
	const uint8_t r = order[rank];

	memmove(order + 1, order, rank);
	return order[0] = r;
}

static unsigned rank_of_register(const uint8_t order[256], uint8_t r)
{
	return (unsigned)((const uint8_t *)memchr(order, r, 256) - order);
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Adds a register to a stream: sets the next elements of the stream in plain[] and rank[]. */
static void add_to_stream(
	struct reg_streams *s, uint32_t stream, unsigned kind, uint8_t r, uint8_t *plain, uint8_t *rank)
{
	const size_t at = s->stream[stream].at++;

	plain[at] = r;
	rank[at] = (uint8_t)rank_of_register(s->order[kind], r);
	use_register(s->order[kind], rank[at]);
}

static unsigned bits_of_register(uint8_t v) { return v ? log2_floor(v) + 2 : 0; }

/* Appends a stream of n registers with the coding that has the fewest bits. */
static void put_register_stream(
	struct buf *out, struct buf *coding, const uint8_t *plain, const uint8_t *rank, size_t n)
{
	unsigned bits[CODINGS] = {0}, best = 0;

	for (size_t i = 0; i < n; i++) {
		bits[CODED_PLAIN] += bits_of_register(plain[i]);
		bits[CODED_DIFFERENCE] += bits_of_register((uint8_t)(plain[i] - (i ? plain[i - 1] : 0)));
		bits[CODED_RANK] += bits_of_register(rank[i]);
	}
	for (unsigned c = 1; c < CODINGS; c++)
		best = bits[c] < bits[best] ? c : best;
	buf_byte(coding, (uint8_t)best);
	for (size_t i = 0; i < n; i++)
		buf_byte(out, best == CODED_PLAIN  ? plain[i]
			      : best == CODED_RANK ? rank[i]
						   : (uint8_t)(plain[i] - (i ? plain[i - 1] : 0)));
}

void registers_pack(const struct operands *o, struct buf *dst, struct buf *src, struct buf *coding)
{
	struct reg_streams s;
	struct cur kinds = o->kinds;
	const uint8_t *d = dst->p, *c = src->p;
	struct buf to_dst = {0}, to_src = {0};

	streams_new(&s, o);
	uint8_t *plain[2] = {xmalloc(s.n_dst + 1), xmalloc(s.n_src + 1)};
	uint8_t *rank[2] = {xmalloc(s.n_dst + 1), xmalloc(s.n_src + 1)};
	for (uint32_t i = 0; i < o->n; i++) {
		const uint32_t f = o->form[i];
		const unsigned n_dst = o->count[f][0], n = n_dst + o->count[f][1];
		const uint8_t *kind = cur_left(&kinds) >= n ? cur_bytes(&kinds, n) : NULL;

		for (unsigned k = n_dst; k < n; k++)
			add_to_stream(&s, s.first[f] + k, kind ? kind[k] : 0, *c++, plain[1], rank[1]);
		for (unsigned k = 0; k < n_dst; k++)
			add_to_stream(&s, s.first[f] + k, kind ? kind[k] : 0, *d++, plain[0], rank[0]);
	}
	size_t at[2] = {0, 0};
	for (uint32_t f = 0; f < o->n_forms; f++)
		for (uint32_t k = s.first[f]; k < s.first[f + 1]; k++) {
			const unsigned t = k - s.first[f] >= o->count[f][0];
			const size_t n = s.stream[k].end - at[t];

			put_register_stream(
				t ? &to_src : &to_dst, coding, plain[t] + at[t], rank[t] + at[t], n);
			at[t] += n;
		}
	for (unsigned t = 0; t < 2; t++) {
		free(plain[t]);
		free(rank[t]);
	}
	streams_free(&s);
	buf_free(dst);
	buf_free(src);
	*dst = to_dst;
	*src = to_src;
}

/* ---- reading ------------------------------------------------------------------------------ */

/* Returns the next register of a stream. */
static uint8_t next_register(struct reg_streams *s, uint32_t stream, unsigned kind, const uint8_t *table)
{
	struct reg_stream *x = &s->stream[stream];
	uint8_t v = table[x->at++], *order = s->order[kind];

	if (x->coding == CODED_DIFFERENCE)
		v = (uint8_t)(v + x->last);
	return x->last = use_register(order, x->coding == CODED_RANK ? v : rank_of_register(order, v));
}

/* Reads the registers of one instruction. Returns false if their kinds are damaged. */
static bool read_registers(struct reg_streams *s, const struct operands *o, uint32_t f, struct cur *kinds,
	const uint8_t *table[2], struct buf *to[2])
{
	const unsigned n_dst = o->count[f][0], n = n_dst + o->count[f][1];
	const uint8_t *kind = o->kinds.p == o->kinds.end ? NULL : cur_bytes(kinds, n);

	if (kinds->bad)
		return false;
	for (unsigned k = n_dst; k < n; k++)
		buf_byte(to[1], next_register(s, s->first[f] + k, kind ? kind[k] % KINDS : 0, table[1]));
	for (unsigned k = 0; k < n_dst; k++)
		buf_byte(to[0], next_register(s, s->first[f] + k, kind ? kind[k] % KINDS : 0, table[0]));
	return true;
}

bool registers_unpack(const struct operands *o, struct cur *dst, struct cur *src, struct cur *coding,
	struct buf *to_dst, struct buf *to_src)
{
	struct reg_streams s;
	struct cur kinds = o->kinds;
	struct buf *to[2] = {to_dst, to_src};

	streams_new(&s, o);
	const uint32_t n = s.first[o->n_forms];
	bool good = cur_left(dst) == s.n_dst && cur_left(src) == s.n_src && cur_left(coding) == n;
	const uint8_t *table[2] = {dst->p, src->p};
	for (uint32_t k = 0; good && k < n; k++) {
		s.stream[k].coding = cur_byte(coding);
		good = s.stream[k].coding < CODINGS;
	}
	for (uint32_t i = 0; good && i < o->n; i++)
		good = read_registers(&s, o, o->form[i], &kinds, table, to);
	streams_free(&s);
	return good;
}
