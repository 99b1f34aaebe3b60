/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output of a packed stream other than records: text and descriptions of kernels, their control codes, the directory,
 * and verification.
 *
 * Always true: text is passed on in order, in pieces of about OUT_TEXT bytes. The first fault ends the output.
 */
#include <xxhash.h>
#include "codec.h"
#include "control.h"
#include "cubin.h"
#include "directory.h"

#define OUT_TEXT (1u << 20) /* number of bytes of text that are passed on at a time */

struct out {
	struct pack *pack;
	uint64_t first_block; /* first thread block to write */
	uint64_t last_block;  /* last thread block to write */
	bool all_blocks;      /* whether all thread blocks are written */
	bool (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
	struct fault *fault; /* first fault of the output */
	struct buf text;
	struct tblock tb;
	bool has_blocks; /* true after a thread block was written */
};

static int write_fault(struct out *o)
{
	return fault_set(o->fault, (struct place){o->pack->name, 0, 0}, "write", "cannot write");
}

static int send_text(struct out *o)
{
	if (o->text.n && !o->write(o->ctx, o->text.p, o->text.n))
		return write_fault(o);
	o->text.n = 0;
	return 0;
}

/* Writes the header. If thread blocks are omitted, a mark follows the last field. */
static int send_header(struct out *o, const struct buf *h)
{
	size_t at = 0;

	for (size_t i = 0; i < h->n; i++)
		if (h->p[i] == '\n' && i && (i + 1 == h->n || h->p[i + 1] != '-') && !at)
			at = i + 1;
	bool marked = memmem(h->p, h->n, "\n-slice = 1\n", 12) != NULL;
	if (o->all_blocks || marked || !at) {
		buf_add(&o->text, h->p, h->n);
	} else {
		buf_add(&o->text, h->p, at);
		buf_add(&o->text, "-slice = 1\n", 11);
		buf_add(&o->text, h->p + at, h->n - at);
	}
	return send_text(o);
}

static int report_damaged_block(const struct out *o, const struct walk *w)
{
	return pack_bad(o->pack, block_offset(o->pack, w->block->number), o->fault, "pack-damaged",
		"the columns of a block do not fit its tables");
}

static int send_span(struct out *o, const struct walk *w, struct replay *r, uint64_t number)
{
	struct text_in in;
	int got;

	for (; (got = replay_block(r, NULL, &o->tb, &in)) > 0; number++) {
		bool wanted = number >= o->first_block && number <= o->last_block;
		size_t had = o->text.n;

		if (!o->all_blocks)
			in.begins_kernel = !o->has_blocks;
		if (!text_append_block(&o->text, &in, replay_tails(r)))
			return report_damaged_block(o, w);
		if (wanted)
			o->has_blocks = true;
		else
			o->text.n = had;
		if (o->text.n >= OUT_TEXT && send_text(o) < 0)
			return -1;
	}
	return got < 0 ? report_damaged_block(o, w) : send_text(o);
}

static int send_part(struct out *o, const struct walk *w, const struct read_piece *c)
{
	const struct part *part = c->part;
	struct replay *r = replay_new(part);
	uint64_t at = part->first_block;
	int ret = 0;

	for (uint32_t i = 0; i < part->n_spans && ret == 0; at += part->span[i++].blocks) {
		if (at > o->last_block || at + part->span[i].blocks <= o->first_block)
			continue;
		ret = replay_begin_span(r, i, c->col, at) ? send_span(o, w, r, at)
							  : report_damaged_block(o, w);
	}
	replay_free(r);
	return ret;
}

static int pass_on_piece(struct out *o, const struct walk *w, const struct read_piece *c)
{
	if (c->flags & PIECE_BEGINS && send_header(o, &c->header) < 0)
		return -1;
	if (c->flags & PIECE_PART && send_part(o, w, c) < 0)
		return -1;
	if (!(c->flags & PIECE_STORED))
		return 0;
	const uint8_t *s = c->col[COL_STORED].p + c->stored;
	if (!o->all_blocks) {
		if (stream_is_blank(s, c->n_stored))
			return 0;
		return fault_set(o->fault, (struct place){o->pack->name, 0, 0}, "pack-stored",
			"kernel %u (%s) is kept as plain text, since it is not a regular trace: its thread blocks cannot be selected",
			c->kernel + 1, o->pack->kernel[c->kernel]);
	}
	return c->n_stored && !o->write(o->ctx, s, c->n_stored) ? write_fault(o) : 0;
}

int pack_piece_text(struct walk *w, const struct read_piece *c,
	bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx, struct fault *f)
{
	struct out o = {.pack = w->pack,
		.last_block = UINT64_MAX,
		.all_blocks = true,
		.write = write,
		.ctx = ctx,
		.fault = f};
	int r = pass_on_piece(&o, w, c);

	tblock_free(&o.tb);
	buf_free(&o.text);
	return r;
}

/* Moves the walk from the first block to the block with the first wanted thread block. */
static void skip_to_block(struct walk *w, uint64_t first)
{
	uint32_t to = w->pack->input ? 0 : pack_first_entry(w->pack, w->kernel, first);

	if (to < w->next_block || w->ended)
		return;
	block_put(w->pack, w->block);
	w->block = NULL;
	w->next_block = to;
}

int pack_pass_text(struct pack *p, uint32_t kernel, uint64_t first, uint64_t last,
	bool (*write)(void *ctx, const void *bytes, size_t n), void *ctx, struct fault *f)
{
	struct out o = {
		.pack = p, .first_block = first, .last_block = last, .write = write, .ctx = ctx, .fault = f};
	struct walk w;
	struct read_piece *c = NULL;
	int r;

	o.all_blocks = first == 0 && last == UINT64_MAX;
	walk_start(&w, p, kernel, 0);
	while ((r = walk_next(&w, &c, f)) > 0) {
		uint64_t after = c->part->first_block + c->part->n_blocks;

		if (pass_on_piece(&o, &w, c) < 0) {
			r = -1;
			break;
		}
		if (!o.all_blocks && c->flags & PIECE_PART && after > last) {
			r = 0;
			break;
		}
		if (c->flags & PIECE_BEGINS && first > after)
			skip_to_block(&w, first);
	}
	walk_end(&w);
	tblock_free(&o.tb);
	buf_free(&o.text);
	if (r == 0 && !o.all_blocks && !o.has_blocks)
		return fault_set(f, (struct place){p->name, 0, 0}, "no-block",
			"no selected thread block in kernel %u (%s)", kernel + 1, p->kernel[kernel]);
	return r;
}

/* ---- facts -------------------------------------------------------------------------------- */

/* Returns an array that says which static instructions of the part are marks. Returns NULL if none is. */
static bool *find_marks(const struct part *part, const struct isa *isa)
{
	bool *mark = NULL;

	for (uint32_t i = 0; i < part->code.n_statics; i++) {
		size_t n;
		const char *opcode = pstatic_opcode(part, &part->code.statics[i], &n);
		int row = opcode ? isa_find(isa, opcode, n) : -1;

		if (row < 0 || isa_row(isa, row)->kind != KIND_MARK)
			continue;
		if (!mark)
			mark = xcalloc(part->code.n_statics, sizeof(*mark));
		mark[i] = true;
	}
	return mark;
}

/* Adds the marks of the span to *marks. Returns false if the data are damaged. */
static bool count_span_marks(struct replay *r, const bool *mark, uint64_t *marks)
{
	struct tblock tb = {.n_recs = 0};
	struct text_in in;
	int got;

	while ((got = replay_block(r, NULL, &tb, &in)) > 0)
		for (uint32_t i = 0; i < tb.n_recs; i++)
			*marks += mark[tb.rec[i].inst];
	tblock_free(&tb);
	return got == 0;
}

/*
 * Removes marks of the tracer, which are not instructions (HOPPER-mark-1), from the count. Only parts with marks are
 * decoded. The marks of damaged data, which readers of the kernel report, stay in the count.
 */
static void subtract_marks(struct pack_kernel *k, const struct read_piece *c, const struct isa *isa)
{
	const struct part *part = c->part;
	bool *mark = c->flags & PIECE_PART ? find_marks(part, isa) : NULL;
	uint64_t at = part->first_block, marks = 0;
	bool good = true;

	if (!mark)
		return;
	struct replay *r = replay_new(part);
	for (uint32_t i = 0; i < part->n_spans && good; at += part->span[i++].blocks)
		good = replay_begin_span(r, i, c->col, at) && count_span_marks(r, mark, &marks);
	replay_free(r);
	free(mark);
	k->insts -= good ? marks : 0;
}

int pack_kernel(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct fault *f)
{
	struct walk w;
	struct read_piece *c;
	struct isa *isa = isa_new();
	int r;

	*k = (struct pack_kernel){.name = xstrdup("")};
	walk_start(&w, p, kernel, 0);
	while ((r = walk_next(&w, &c, f)) > 0) {
		if (c->flags & PIECE_BEGINS) {
			free(k->name);
			k->name = NULL;
			header_kernel(k, (const char *)c->header.p, c->header.n);
			if (!k->name)
				k->name = xstrdup("");
		}
		k->insts += c->part->n_insts;
		subtract_marks(k, c, isa);
		k->blocks += c->part->n_blocks;
		if (c->flags & PIECE_STORED &&
			!stream_is_blank(c->col[COL_STORED].p + c->stored, c->n_stored))
			k->stored += c->n_stored;
		k->text += c->bytes;
		k->codes += c->n_codes;
	}
	walk_end(&w);
	isa_free(isa);
	if (r < 0) {
		free(k->name);
		k->name = NULL;
	}
	return r;
}

/* ---- control codes ------------------------------------------------------------------------ */

/* Finds the function that the header of the piece names. The piece begins a kernel. */
bool pack_piece_codes(const struct pack_block *b, const struct read_piece *c, struct cubins *to)
{
	struct cur in = cur_of(b->col[COL_CODES].p, b->col[COL_CODES].n);
	struct function_name name;
	uint8_t *code;

	if (!c->n_codes || !pack_function_name(&name, (const char *)c->header.p, c->header.n))
		return false;
	code = xmalloc(INST_BYTES * (size_t)c->n_codes);
	in.p += c->codes;
	bool good = pack_control_unpack(&in, code, c->n_codes);
	char *text = xstrndup(name.name, name.len);
	if (good)
		cubins_add_code(to, text, name.sm, code, c->n_codes);
	free(text);
	free(code);
	return good;
}

int pack_codes(struct pack *p, uint32_t kernel, struct cubins *to, struct fault *f)
{
	struct walk w;
	struct read_piece *c;

	if (!pack_has_codes(p))
		return 0;
	walk_start(&w, p, kernel, 0);
	int r = walk_next(&w, &c, f);
	if (r > 0)
		r = pack_piece_codes(w.block, c, to);
	walk_end(&w);
	return r;
}

/* ---- the directory ------------------------------------------------------------------------ */

/*
 * Returns the directory, which the first call unpacks. Returns NULL if it is absent or damaged; *damaged
 * distinguishes the two, and *f is set only if it is damaged.
 */
static struct directory *load_directory(struct pack *p, bool *damaged, struct fault *f)
{
	*damaged = false;
	pthread_mutex_lock(&p->lock);
	if (!p->directory && p->packed.n) {
		p->directory = xcalloc(1, sizeof(*p->directory));
		*damaged =
			!directory_unpack(p->directory, p->n_kernels, p->packed.p, p->packed.n, p->unpacked);
		if (*damaged) {
			directory_free(p->directory);
			free(p->directory);
			p->directory = NULL;
			pack_bad(p, p->size, f, "pack-damaged", "the directory does not fit the list");
		}
	}
	pthread_mutex_unlock(&p->lock);
	return p->directory;
}

bool pack_has_directory(const struct pack *p) { return p->packed.n != 0; }

int pack_tally(struct pack *p, uint32_t kernel, struct pack_kernel *k, struct tally *t, struct fault *f)
{
	bool damaged;
	const struct directory *d = load_directory(p, &damaged, f);

	if (!d || !d->row[kernel].name_number)
		return damaged ? -1 : 0;
	const struct directory_row *r = &d->row[kernel];
	*k = (struct pack_kernel){.insts = r->insts,
		.blocks = r->blocks,
		.name = xstrdup(d->name[r->name_number - 1]),
		.stream = r->stream};
	memcpy(k->grid, r->grid, sizeof(k->grid));
	memcpy(k->block, r->block, sizeof(k->block));
	*t = r->tally;
	return 1;
}

/* ---- verifying ---------------------------------------------------------------------------- */

struct text_sum {
	uint64_t bytes; /* number of bytes of text so far */
	XXH3_state_t *hash;
};

static bool add_bytes_to_sum(void *ctx, const void *bytes, size_t n)
{
	struct text_sum *s = ctx;

	XXH3_128bits_update(s->hash, bytes, n);
	s->bytes += n;
	return true;
}

/* Reads the length of a kernel's text. If the stream has its hash, reads that, too, and sets *has_hash. */
static int read_stored_sum(struct pack *p, uint32_t kernel, uint64_t *bytes, unsigned char hash[16],
	bool *has_hash, struct fault *f)
{
	struct walk w;
	struct read_piece *c = NULL;
	int r;

	*bytes = 0;
	*has_hash = false;
	walk_start(&w, p, kernel, 0);
	while ((r = walk_next(&w, &c, f)) > 0) {
		*bytes += c->bytes;
		if ((*has_hash = c->hash != NULL))
			memcpy(hash, c->hash, 16);
	}
	walk_end(&w);
	return r;
}

int pack_sum_text(struct pack *p, uint32_t kernel, uint64_t *bytes, unsigned char hash[16], struct fault *f)
{
	struct text_sum s = {0, XXH3_createState()};
	XXH128_canonical_t c;

	if (!s.hash)
		die("out of memory");
	XXH3_128bits_reset(s.hash);
	int r = pack_pass_text(p, kernel, 0, UINT64_MAX, add_bytes_to_sum, &s, f);
	XXH128_canonicalFromHash(&c, XXH3_128bits_digest(s.hash));
	memcpy(hash, c.digest, 16);
	*bytes = s.bytes;
	XXH3_freeState(s.hash);
	return r;
}

static int verify_kernel(struct pack *p, uint32_t i, struct fault *f)
{
	struct place at = {p->name, 0, 0};
	unsigned char stored[16], hash[16];
	uint64_t expected, bytes;
	bool has_hash;

	if (pack_sum_text(p, i, &bytes, hash, f) < 0 ||
		read_stored_sum(p, i, &expected, stored, &has_hash, f) < 0)
		return -1;
	if (bytes != expected)
		return fault_set(f, at, "pack-damaged", "kernel %u (%s): %llu bytes of text (expected %llu)",
			i + 1, p->kernel[i], (unsigned long long)bytes, (unsigned long long)expected);
	if (has_hash && memcmp(hash, stored, 16))
		return fault_set(f, at, "pack-damaged",
			"kernel %u (%s): the hash of the text differs from the stream's", i + 1,
			p->kernel[i]);
	return 0;
}

int pack_verify(struct pack *p, struct fault *f)
{
	bool damaged;
	int r = 0;

	for (uint32_t i = 0; i < p->n_kernels && r == 0; i++)
		r = verify_kernel(p, i, f);
	load_directory(p, &damaged, f);
	if (r < 0 || damaged)
		return -1;
	uint32_t kernels = 0;
	for (uint32_t i = 0; i < p->n_entries; i++) {
		struct pack_block *b = block_get(p, i, f);

		if (!b)
			return -1;
		if (b->n_pieces)
			kernels = b->piece[b->n_pieces - 1].kernel + 1;
		block_put(p, b);
	}
	if (kernels > p->n_kernels)
		return fault_set(f, (struct place){p->name, 0, 0}, "pack-damaged",
			"%u kernels (expected %u, the kernels of the list without the missing ones)", kernels,
			p->n_kernels);
	return 0;
}
