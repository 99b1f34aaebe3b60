/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packing of thread blocks that are given as records, without converting them to text.
 *
 * Always true: the part equals the part that parse.c would make from the text, so the stream has the same bytes. Text
 * is made only for a thread block that does not fit any part.
 */
#include <stdio.h>
#include "addr.h"
#include "constant.h"
#include "follow.h"
#include "records.h"

#define BLOCKS_AHEAD 4u /* number of thread blocks for which the arrays of a part are made larger at a time */
#define ADDED_MOST   (1u << 16) /* number of elements of a large thread block, for which BLOCKS_AHEAD is 1 */

/* ---- lengths ------------------------------------------------------------------------------ */

/* Returns the length of PC, mask, two blanks and newline. */
static unsigned line_head_length(const struct pack_inst *x)
{
	return 11 + (x->pc > 0xffff ? hex_digits(x->pc) : 4);
}

void records_begin(struct records *r, const struct pack_code *code)
{
	const struct pack_inst *inst = code->inst;
	uint32_t n_inst = code->n;

	r->inst = inst;
	r->n_inst = n_inst;
	r->text = code->text;
	r->n_text = 0;
	records_free(r);
	r->min_present = xcalloc(2 * (size_t)n_inst + 1, sizeof(r->min_present[0]));
	r->next_payload = xcalloc(2 * (size_t)n_inst + 1, sizeof(r->next_payload[0]));
	r->fixed_bytes_before = xcalloc(2 * (size_t)n_inst + 1, sizeof(r->fixed_bytes_before[0]));
	for (uint32_t i = 0; i < n_inst; i++) {
		const unsigned text = constant_length(&inst[i]);

		r->n_text += inst[i].text_len ? text : 0;
		r->fixed_bytes_before[i + 1] = r->fixed_bytes_before[i] + line_head_length(&inst[i]) + text;
	}
	for (uint32_t i = n_inst; i < 2 * n_inst; i++) {
		r->fixed_bytes_before[i + 1] = r->fixed_bytes_before[i] + line_head_length(&inst[i - n_inst]);
		r->next_payload[i] = i;
	}
	r->next_payload[2 * (size_t)n_inst] = 2 * n_inst;
	for (uint32_t i = n_inst; i-- > 0;)
		r->next_payload[i] = inst[i].width || inst[i].open ? i : r->next_payload[i + 1];
	memset(r->list, 0, sizeof(r->list));
	memset(r->step, 0, sizeof(r->step));
	memset(r->gap, 0, sizeof(r->gap));
}

void records_free(struct records *r)
{
	free(r->min_present);
	free(r->next_payload);
	free(r->fixed_bytes_before);
	for (unsigned i = 0; i < LEADERS; i++)
		follow_words_free(&r->leader[i].words);
	free(r->follower);
	r->follower = NULL;
	r->cap_followers = 0;
}

/* Returns true if the addresses of a record with this mask are within the words of the warp. */
static bool are_addresses_within(const struct pack_warp *w, uint32_t addr, uint32_t mask)
{
	const uint64_t at = addr >> 2, lanes = (uint64_t)bit_count32(mask);

	switch (addr & 3) {
	case ADDR_NONE: return !at;
	case ADDR_LIST: return at + lanes <= w->n_words;
	case ADDR_MOVED:
		return at + 2 <= w->n_words && w->word[at + 1] <= at &&
		       at - w->word[at + 1] + lanes <= w->n_words;
	default: return at + 2 <= w->n_words;
	}
}

bool records_are_good(const struct records *r, const struct pack_warp *w)
{
	const struct pack_payload *x = w->payload, *end = x + w->n_payloads;
	uint64_t text = 0;

	for (const struct pack_run *run = w->run; run < w->run + w->n_runs; run++)
		for (uint32_t i = r->next_payload[run->id]; i < run->id + run->n;
			i = r->next_payload[i + 1], x++) {
			if (x == end || !are_addresses_within(w, x->addr, run->mask))
				return false;
			text += x->text_len;
		}
	return x == end && text <= w->n_text;
}

void records_begin_part(struct records *r, struct parsed *p)
{
	p->n_met = 2 * r->n_inst;
	p->met_static = xcalloc(p->n_met + 1u, sizeof(p->met_static[0]));
	grow(&p->part.code.statics, &p->part.code.cap_statics, r->n_inst, sizeof(p->part.code.statics[0]));
	grow(&p->columns, &p->cap_columns, r->n_inst, sizeof(p->columns[0]));
	buf_room(&p->part.code.text, r->n_text + 1);
	memset(r->min_present, 0, p->n_met * sizeof(r->min_present[0]));
	for (unsigned i = 0; i < LEADERS; i++)
		r->leader[i].warp = 0;
	r->n_followers = 0;
}

/* Returns the length of the texts " d" of all differences d between neighbours of a list. */
static uint64_t differences_length(const uint64_t *a, unsigned n)
{
	const uint32_t known = lanes_loops->differences(a, n);
	uint64_t length = 0;

	if (known != UINT32_MAX)
		return known;
	for (unsigned i = 1; i < n; i++)
		length += 1 + signed_length((int64_t)(a[i] - a[i - 1]));
	return length;
}

/* Returns true if the lists of all lanes differ by a constant. The ends exclude most lists. */
static bool lists_have_equal_steps(const uint64_t *a, const uint64_t *b)
{
	const uint64_t by = a[0] - b[0];
	uint64_t off = a[31] - b[31] - by;

	if (!off)
		for (unsigned i = 1; i < 31; i++)
			off |= (a[i] - b[i]) ^ by;
	return !off;
}

/*
 * Number of lists in a row that equal no kept one, after which only every 16th list is kept. With a checksum of vectors
 * (stream.c), packing takes 10.08 host instructions a thread instruction of local-array, not 10.24.
 */
#define LISTS_TRIED 16u

/*
 * Returns the length of the differences of a list of all lanes as text. Most lists equal the list of another warp
 * plus a constant, so the last list and its length are kept.
 */
static uint64_t list_length(struct list_length *x, const uint64_t *a)
{
	if (x->length && lists_have_equal_steps(x->list, a)) {
		x->misses = 0;
		return x->length;
	}
	const uint64_t length = differences_length(a, 32);
	if (x->misses < LISTS_TRIED || x->misses % LISTS_TRIED == 0) {
		memcpy(x->list, a, sizeof(x->list));
		x->length = length;
	}
	x->misses++;
	return length;
}

/* Returns the length of a list of all lanes at a as text. `at` is the offset of the list in the warp's words. */
static uint64_t length_of_known_list(struct records *r, uint32_t at, const uint64_t *a)
{
	uint32_t k = at / 32 % LISTS;

	if (r->list_offset[k] != at) {
		r->list_offset[k] = at;
		r->length[k] = list_length(&r->list[k], a);
	}
	return r->length[k];
}

/*
 * Returns the length of the differences of the lanes of mask, which has holes, as text. The addresses rise by `step`
 * from each lane to the next. Many accesses have the mask and the step of an earlier one, so lengths are kept.
 */
static uint64_t length_of_steps(struct records *r, uint32_t mask, uint64_t step)
{
	const uint32_t hash = (mask ^ (uint32_t)step * 0x85ebca6bu) * 0x9e3779b1u;
	struct step_length *x = &r->step[hash >> 16 & (STEPS - 1)];
	unsigned last = bit_lowest32(mask);

	if (x->mask == mask && x->step == step)
		return x->length;
	struct gap_lengths *g = &r->gap[((uint32_t)step * 0x9e3779b1u) >> 28 & (GAPS - 1)];
	if (g->step != step)
		*g = (struct gap_lengths){.step = step};
	*x = (struct step_length){.mask = mask, .step = step};
	FOR_BITS32 (l, mask & (mask - 1)) {
		uint8_t *length = &g->length[l - last];

		if (!*length)
			*length = (uint8_t)(1 + signed_length((int64_t)((l - last) * step)));
		x->length += *length;
		last = l;
	}
	return x->length;
}

/* Returns the length of " mode addresses" as text.c writes it. */
static uint64_t addresses_length(struct records *r, uint32_t addr, uint32_t mask, const uint64_t *word)
{
	uint32_t at = addr >> 2;
	const uint64_t *a = word + at;
	uint64_t by = 0;

	if (!mask) {
		r->digits++;
		return strlen(" 1 0x0 0");
	}
	if ((addr & 3) == ADDR_MOVED) {
		by = a[0];
		at -= (uint32_t)a[1];
		a = word + at;
	}
	const unsigned digits = hex_digits(a[0] + by);
	uint64_t base = strlen(" 1 0x") + digits;
	r->digits += digits;
	if (!(mask & (mask - 1)))
		return base;
	if ((addr & 3) == ADDR_STRIDE)
		return base + (mask_has_holes(mask) ? length_of_steps(r, mask, a[1])
						    : 1 + signed_length((int64_t)a[1]));
	return base + (mask == UINT32_MAX ? length_of_known_list(r, at, a)
					  : differences_length(a, bit_count32(mask)));
}

static uint64_t lines_length(struct records *r, const struct pack_warp *x, uint32_t *n)
{
	const struct pack_payload *payload = x->payload;
	uint64_t length = 0;

	memset(r->list_offset, 255, sizeof(r->list_offset));
	for (const struct pack_run *u = x->run, *end = u + x->n_runs; u < end; u++) {
		length += r->fixed_bytes_before[u->id + u->n] - r->fixed_bytes_before[u->id];
		*n += u->n;
		for (uint32_t i = r->next_payload[u->id]; i < u->id + u->n;
			i = r->next_payload[i + 1], payload++)
			length += payload->text_len +
				  (payload->addr ? addresses_length(r, payload->addr, u->mask, x->word) : 0);
	}
	return length;
}

/* Returns the entry for leaders with the runs of x. */
static struct record_leader *find_leader(struct records *r, const struct pack_warp *x)
{
	const struct pack_run *last = &x->run[x->n_runs - 1], *middle = &x->run[x->n_runs / 2];
	uint32_t h = x->n_runs * 0x9e3779b1u ^ x->n_payloads * 0x85ebca6bu ^ last->id ^ middle->mask;

	return &r->leader[(h * 0xc2b2ae35u ^ middle->n * 0x27d4eb2fu) >> 16 & (LEADERS - 1)];
}

/* Returns warp number k of the part, which may be one of the block that is not yet added. */
static struct pack_warp warp_of_part(const struct parsed *p, uint32_t k, const struct pack_warp *block)
{
	if (k >= p->n_warp)
		return block[k - p->n_warp];
	const struct pwarp *w = &p->warp[k];
	return (struct pack_warp){.run = p->run + w->first_run,
		.payload = p->payload + w->first_payload,
		.word = p->addr + w->word,
		.n_runs = w->n_runs,
		.n_payloads = w->n_payloads,
		.n_words = w->n_words};
}

/*
 * Returns the length of the lines of warp i of a block and of the number of these lines. Finds the leader of the warp.
 */
static uint64_t length_of_warp(
	struct records *r, const struct parsed *p, const struct pack_warp *warp, uint32_t i, uint32_t *insts)
{
	const struct pack_warp *x = &warp[i];
	struct record_leader *l = x->n_runs ? find_leader(r, x) : NULL;
	struct follow f;

	r->follower[i].leader = 0;
	if (l && l->warp) {
		const struct pack_warp a = warp_of_part(p, l->warp - 1, warp);

		if (follow_compare(&l->words, &a, x, &f)) {
			r->follower[i] = (struct record_follower){l->warp, f.near};
			*insts = l->insts;
			return l->length + f.digits;
		}
	}
	r->digits = 0;
	uint64_t length = lines_length(r, x, insts);
	length += decimal_digits(*insts);
	if (l && !x->n_text) {
		l->warp = p->n_warp + i + 1;
		l->insts = *insts;
		l->length = length - r->digits;
		l->words.state = FOLLOW_UNKNOWN;
	}
	return length;
}

uint64_t records_length(struct records *r, const struct parsed *p, const uint32_t id[3], const char *lines,
	const struct pack_warp *warp, uint32_t n_warps)
{
	uint64_t n = strlen(lines) + strlen("#BEGIN_TB\n\nthread block = ,,\n\n#END_TB\n");

	for (unsigned i = 0; i < 3; i++)
		n += decimal_digits(id[i]);
	r->insts = 0;
	grow(&r->follower, &r->cap_followers, n_warps, sizeof(r->follower[0]));
	r->n_followers = n_warps;
	for (uint32_t w = 0; w < n_warps; w++) {
		uint32_t insts = 0;

		n += length_of_warp(r, p, warp, w, &insts);
		n += strlen("warp = \ninsts = \n\n") + decimal_digits(w);
		r->insts += insts;
	}
	return n;
}

/* ---- records ------------------------------------------------------------------------------ */

bool records_fit(const struct records *r, uint32_t n_warps)
{
	return r->insts <= pack_limits.insts - SPAN_INSTS && n_warps <= pack_limits.warps &&
	       2 * (uint64_t)r->n_inst <= pack_limits.statics &&
	       8 * (uint64_t)r->n_inst + r->n_text <= pack_limits.text;
}

/* Appends the constant text of static instruction x to the part, and sets its place in s. */
static void add_static_text(
	const struct records *r, struct pcode *c, struct pstatic *s, const struct pack_inst *x)
{
	const char *text = r->text + x->text;
	size_t middle = x->text_len, end = x->end_len;
	char digits[12];

	s->mid = (uint32_t)c->text.n;
	if (x->columns && r->as_text) {
		middle = constant_append(&c->text, x, text);
		end = c->text.n - s->mid - middle;
	} else if (x->text_len) {
		buf_add(&c->text, text, middle + end);
	} else {
		middle = (size_t)snprintf(digits, sizeof(digits), "%u", x->width);
		end = 0;
		buf_add(&c->text, digits, middle);
	}
	s->mid_len = (uint16_t)middle;
	s->tail = (uint32_t)(s->mid + middle);
	s->tail_len = (uint16_t)end;
}

/*
 * Adds static instruction id, in the order of the runs. If id >= n_inst, its lines are text. The text of an instruction
 * with columns is only its opcode, unless the part becomes text.
 */
static void add_record_static(const struct records *r, struct parsed *p, uint32_t id)
{
	struct pcode *c = &p->part.code;
	const bool text = id >= r->n_inst;
	const struct pack_inst *x = &r->inst[text ? id - r->n_inst : id];

	grow(&c->statics, &c->cap_statics, c->n_statics + 1, sizeof(c->statics[0]));
	grow(&p->columns, &p->cap_columns, c->n_statics + 1, sizeof(p->columns[0]));
	struct pstatic *s = &c->statics[c->n_statics];

	*s = (struct pstatic){.pc = x->pc,
		.flags = text ? ST_LINE : (uint8_t)((x->width ? ST_MEM : 0) | (x->open ? ST_TAIL : 0)),
		.mid = (uint32_t)c->text.n,
		.tail = (uint32_t)c->text.n,
		.next = NONE};
	p->columns[c->n_statics].columns = 0;
	if (!text)
		add_static_text(r, c, s, x);
	if (!text && x->columns && !r->as_text)
		p->columns[c->n_statics] = *x;
	p->met_static[id] = ++c->n_statics;
}

static void add_statics(struct records *r, struct parsed *p, const struct pack_run *u)
{
	for (uint32_t i = u->id; i < u->id + u->n; i++)
		if (!p->met_static[i])
			add_record_static(r, p, i);
	r->min_present[u->id] = u->n;
}

/*
 * Makes an array with n elements larger if it lacks free entries for `added` elements and for the one that
 * parsed_reserve() needs.
 */
static void grow_for_added(void *array, uint32_t *cap, uint32_t n, uint32_t added, size_t size)
{
	if (n + added < *cap)
		return;
	grow(array, cap, n + (added < ADDED_MOST ? BLOCKS_AHEAD * added : added) + 1, size);
}

/* Makes free entries for the records of the warps. */
static void grow_for_warps(struct parsed *p, const struct pack_warp *warp, uint32_t n_warps)
{
	uint32_t runs = 0, payloads = 0, words = 0;

	for (uint32_t i = 0; i < n_warps; i++) {
		runs += warp[i].n_runs;
		payloads += warp[i].n_payloads;
		words += warp[i].n_words;
	}
	grow_for_added(&p->run, &p->cap_run, p->n_run, runs, sizeof(p->run[0]));
	grow_for_added(&p->payload, &p->cap_payloads, p->n_payloads, payloads, sizeof(p->payload[0]));
	grow_for_added(&p->addr, &p->cap_addr, p->n_addr, words, sizeof(p->addr[0]));
	grow_for_added(&p->warp, &p->cap_warp, p->n_warp, n_warps, sizeof(p->warp[0]));
	buf_room(&p->text, 1);
}

/* Adds the words of a warp, for which there are free entries. */
static void add_record_words(struct parsed *p, struct pwarp *w, const struct pack_warp *x)
{
	w->word = p->n_addr;
	w->n_words = x->n_words;
	if (!x->n_words)
		return;
	memcpy(p->addr + p->n_addr, x->word, x->n_words * sizeof(p->addr[0]));
	p->n_addr += x->n_words;
}

/* Adds warp x, which follows warp f.leader - 1 of the part. */
static void add_follower(
	struct parsed *p, struct pwarp *w, const struct pack_warp *x, struct record_follower f)
{
	struct pwarp *a = &p->warp[f.leader - 1];

	w->count = a->count;
	w->first_run = a->first_run;
	w->first_payload = a->first_payload;
	w->leader = f.leader;
	w->near = f.near;
	a->followers++;
	a->near += f.near;
	p->n_shared_payloads += x->n_payloads;
	add_record_words(p, w, x);
}

/* Adds the records of a warp, for which there are free entries. */
static void add_record_warp(struct records *r, struct parsed *p, struct pwarp *w, const struct pack_warp *x)
{
	if (!x->n_runs)
		return;
	memcpy(p->run + p->n_run, x->run, x->n_runs * sizeof(p->run[0]));
	p->n_run += x->n_runs;
	for (const struct pack_run *u = x->run, *end = u + x->n_runs; u < end; u++) {
		w->count += u->n;
		if (r->min_present[u->id] < u->n)
			add_statics(r, p, u);
	}
	if (x->n_payloads) {
		memcpy(p->payload + p->n_payloads, x->payload, x->n_payloads * sizeof(p->payload[0]));
		p->n_payloads += x->n_payloads;
	}
	add_record_words(p, w, x);
	if (x->n_text)
		buf_add(&p->text, x->text, x->n_text);
}

void records_add_block(struct records *r, struct parsed *p, const uint32_t id[3], const char *lines,
	const struct pack_warp *warp, uint32_t n_warps)
{
	struct ptb tb = {.id = {id[0], id[1], id[2]},
		.first_warp = p->n_warp,
		.n_warps = n_warps,
		.extra = (uint32_t)p->text.n,
		.extra_len = (uint32_t)strlen(lines)};

	buf_add(&p->text, lines, tb.extra_len);
	grow_for_warps(p, warp, n_warps);
	for (uint32_t i = 0; i < n_warps; i++) {
		struct pwarp *w = &p->warp[p->n_warp++];

		*w = (struct pwarp){.id = i,
			.first_run = p->n_run,
			.n_runs = warp[i].n_runs,
			.n_payloads = warp[i].n_payloads,
			.first_payload = p->n_payloads,
			.text = (uint32_t)p->text.n};
		if (i < r->n_followers && r->follower[i].leader)
			add_follower(p, w, &warp[i], r->follower[i]);
		else
			add_record_warp(r, p, w, &warp[i]);
		p->n_rec += w->count;
	}
	r->n_followers = 0;
	grow(&p->tb, &p->cap_tb, p->part.n_blocks + 1, sizeof(p->tb[0]));
	p->tb[p->part.n_blocks++] = tb;
}

/* ---- hash --------------------------------------------------------------------------------- */

/*
 * Version of XXH3_128bits_update() that uses the vectors of the processor: packing takes 24.7 host instructions a
 * thread instruction of local-array, not 25.7. Not every libxxhash has it.
 */
__attribute__((weak)) XXH_errorcode XXH3_128bits_update_dispatch(XXH3_state_t *h, const void *p, size_t n);

static void digest_bytes(XXH3_state_t *h, const void *p, size_t n)
{
	(XXH3_128bits_update_dispatch ? XXH3_128bits_update_dispatch : XXH3_128bits_update)(h, p, n);
}

void records_digest(XXH3_state_t *h, const struct parsed *p)
{
	digest_bytes(h, p->tb, p->part.n_blocks * sizeof(p->tb[0]));
	digest_bytes(h, p->warp, p->n_warp * sizeof(p->warp[0]));
	digest_bytes(h, p->run, p->n_run * sizeof(p->run[0]));
	digest_bytes(h, p->payload, p->n_payloads * sizeof(p->payload[0]));
	digest_bytes(h, p->addr, p->n_addr * sizeof(p->addr[0]));
	digest_bytes(h, p->text.p, p->text.n);
}

/* ---- text --------------------------------------------------------------------------------- */

/*
 * Converts a record for the writer of text. A moved list, and a line of lanes with holes between them, is expanded into
 * t, which then has the words.
 */
static struct rec convert_record_for_text(
	uint64_t *word, uint32_t id, uint32_t mask, uint32_t addr, struct tblock *tb, uint64_t t[32])
{
	const struct recorded g = recorded_of(word, addr, mask);

	tb->word = word;
	if ((addr & 3) != ADDR_MOVED && !recorded_is_line_with_holes(&g))
		return (struct rec){id, mask, addr};
	memmove(t, recorded_list(&g, t), 32 * sizeof(t[0]));
	tb->word = t;
	return (struct rec){id, mask, ADDR_LIST};
}

static void warp_text(struct buf *out, const struct records *r, const struct parsed *p, const struct pwarp *w,
	const struct text_in *block)
{
	struct tblock tb = *block->tb;
	struct text_in in = *block;
	const struct pack_payload *payload = p->payload + w->first_payload;
	const uint8_t *text = p->text.p + w->text;
	uint64_t t[32];

	in.tb = &tb;
	for (const struct pack_run *u = p->run + w->first_run, *end = u + w->n_runs; u < end; u++) {
		for (uint32_t i = u->id; i < u->id + u->n; i++) {
			struct pack_payload m = {0, 0};

			if (r->next_payload[i] == i)
				m = *payload++;
			if (i >= r->n_inst || !r->inst[i].width)
				m.addr = 0;
			struct rec x = convert_record_for_text(
				p->addr + w->word, p->met_static[i] - 1, u->mask, m.addr, &tb, t);
			text_put(out, &in, &x, w->id, text, m.text_len);
			text += m.text_len;
		}
	}
}

void records_append_text(struct buf *out, const struct records *r, struct parsed *p, bool first)
{
	const struct ptb *b = &p->tb[0];
	const struct tblock tb = {.x = b->id[0], .y = b->id[1], .z = b->id[2]};
	struct text_in in = {.part = &p->part,
		.tb = &tb,
		.begins_kernel = first,
		.extra = b->extra_len ? (const char *)p->text.p + b->extra : "",
		.extra_len = b->extra_len};

	parsed_reserve(p);
	text_append_block_head(out, &in);
	for (uint32_t w = 0; w < b->n_warps; w++) {
		const struct pwarp *x = &p->warp[b->first_warp + w];

		text_append_warp_head(out, x->id, x->count);
		warp_text(out, r, p, x, &in);
		buf_byte(out, '\n');
	}
	buf_add(out, "#END_TB\n", 8);
}
