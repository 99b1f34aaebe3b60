/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Static instructions of a run, each stored once.
 *
 * Always true: a handle and its instruction never move. Lines with equal opcode, registers, PC, immediate, source
 * line and file share one handle in all kernels of an architecture. Adding takes a lock, so several readers may share
 * a table; lookups by handle take no lock. One warning is printed for each opcode without a row, and for each opcode
 * that the model only approximates.
 */
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "arena.h"
#include "code.h"

#define CHUNK_BITS 14u
#define CHUNK_SIZE (1u << CHUNK_BITS) /* number of instructions of a chunk */

/* Instructions with consecutive handles. */
struct chunk {
	struct inst inst[CHUNK_SIZE];
	uint64_t hash[CHUNK_SIZE]; /* hash of each element of inst[], for growing and comparing */
};

struct code {
	uint64_t serial; /* number that is unique in the process */
	const struct isa *isa;
	atomic_uint n;       /* number of instructions */
	uint32_t *slot;      /* hash table with open addressing: handle + 1, or 0 for a free slot */
	uint32_t n_slots;    /* number of slots, a power of 2, at least twice n */
	struct arena text;   /* texts of opcodes, and registers */
	const char **warned; /* stems for which a warning was printed */
	uint32_t n_warned, cap_warned;
	pthread_mutex_t lock;
	/* Chunks by the upper bits of a handle; those of handles that are not used are NULL. */
	struct chunk *chunk[CODE_MAX / CHUNK_SIZE];
};

static struct inst *inst_at(const struct code *c, uint32_t handle)
{
	return &c->chunk[handle >> CHUNK_BITS]->inst[handle % CHUNK_SIZE];
}

static uint64_t *hash_at(const struct code *c, uint32_t handle)
{
	return &c->chunk[handle >> CHUNK_BITS]->hash[handle % CHUNK_SIZE];
}

struct code *code_new(const struct isa *isa)
{
	static _Atomic uint64_t made;
	struct code *c = xcalloc(1, sizeof(*c));

	c->serial = atomic_fetch_add(&made, 1) + 1;
	c->isa = isa;
	c->n_slots = 1024;
	c->slot = xcalloc(c->n_slots, sizeof(c->slot[0]));
	pthread_mutex_init(&c->lock, NULL);
	return c;
}

void code_free(struct code *c)
{
	if (!c)
		return;
	for (size_t i = 0; i < CODE_MAX / CHUNK_SIZE && c->chunk[i]; i++)
		reserve_free(c->chunk[i], 1, sizeof(*c->chunk[i]));
	pthread_mutex_destroy(&c->lock);
	arena_free(&c->text);
	free(c->warned);
	free(c->slot);
	free(c);
}

uint64_t code_serial(const struct code *c) { return c->serial; }

uint32_t code_count(const struct code *c) { return atomic_load(&c->n); }

const struct inst *code_at(const struct code *c, uint32_t handle)
{
	assert(handle < atomic_load_explicit(&c->n, memory_order_relaxed));
	return inst_at(c, handle);
}

uint64_t code_hash(const struct code *c, uint32_t handle) { return *hash_at(c, handle); }

bool code_has_stem(const char *opcode, size_t n, const char *stem)
{
	size_t len = strlen(stem);

	return n >= len && !memcmp(opcode, stem, len) && (n == len || opcode[len] == '.');
}

/* ---- finding ------------------------------------------------------------------------------ */

static size_t count_register_numbers(const struct draft *d)
{
	return d->n_dst + d->n_src + (d->ptx ? d->ptx->n_bank_dst + d->ptx->n_bank_src : 0);
}

/* Returns the hash of a PTX instruction's header line and of the fields that its records add. */
static uint64_t ptx_hash(const struct ptx_draft *x, uint64_t seed)
{
	uint64_t key = x->size | (uint64_t)x->form.space << 16 | (uint64_t)x->barrier << 24 |
		       (uint64_t)x->barrier_warps << 32 | (uint64_t)x->issue_mask << 40;

	return XXH3_64bits_withSeed(x->text, x->text_len, seed ^ key);
}

static bool ptx_equals_draft(const struct inst *i, const struct ptx_draft *x)
{
	const struct ptx_inst *is = i->ptx;

	if (!is || !x)
		return !is && !x;
	return i->size == x->size && is->form.space == x->form.space && is->barrier == x->barrier &&
	       is->barrier_warps == x->barrier_warps && is->issue_mask == x->issue_mask &&
	       strlen(is->text) == x->text_len && !memcmp(is->text, x->text, x->text_len);
}

static uint64_t draft_hash(const struct draft *d)
{
	uint64_t key[4] = {d->imm, (uint64_t)d->pc << 32 | d->lineno,
		(uint64_t)d->n_dst << 32 | d->n_src << 16 | (unsigned)d->arch << 8 |
			(unsigned)d->two_imms << 7 | (unsigned)d->extra << 4 | (unsigned)d->commit << 1 |
			d->has_addr,
		XXH3_64bits(d->opcode, d->opcode_len)};
	uint64_t h = XXH3_64bits(key, sizeof(key));
	h = XXH3_64bits_withSeed(d->reg, (d->n_dst + d->n_src) * sizeof(d->reg[0]), h);
	if (d->imm2)
		h = XXH3_64bits_withSeed(&d->imm2, sizeof(d->imm2), h);
	return d->ptx ? ptx_hash(d->ptx, h) : h;
}

static bool source_equals_draft(const struct inst *i, const struct draft *d)
{
	return i->lineno == d->lineno && i->file_number == d->file_number &&
	       (i->file && d->file ? !strcmp(i->file, d->file) : !i->file && !d->file);
}

static bool inst_equals_draft(const struct inst *i, const struct draft *d)
{
	return i->pc == d->pc && i->imm == d->imm && i->imm2 == d->imm2 && source_equals_draft(i, d) &&
	       i->arch == (uint8_t)d->arch && i->n_dst == d->n_dst && i->n_src == d->n_src &&
	       i->has_addr == d->has_addr && i->commit == d->commit && i->extra == d->extra &&
	       i->two_imms == d->two_imms && strlen(i->opcode) == d->opcode_len &&
	       !memcmp(i->opcode, d->opcode, d->opcode_len) &&
	       !memcmp(i->reg, d->reg, (d->n_dst + d->n_src) * sizeof(d->reg[0])) &&
	       ptx_equals_draft(i, d->ptx);
}

static uint32_t find_slot(const struct code *c, uint64_t h, const struct draft *d)
{
	uint32_t s = (uint32_t)h & (c->n_slots - 1);
	for (; c->slot[s]; s = (s + 1) & (c->n_slots - 1)) {
		uint32_t handle = c->slot[s] - 1;
		if (*hash_at(c, handle) == h && inst_equals_draft(inst_at(c, handle), d))
			break;
	}
	return s;
}

static void grow_code_slots(struct code *c, uint32_t n)
{
	uint32_t *slot = xcalloc(2 * (size_t)c->n_slots, sizeof(c->slot[0]));

	free(c->slot);
	c->slot = slot;
	c->n_slots *= 2;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t s = (uint32_t)*hash_at(c, i) & (c->n_slots - 1);
		while (c->slot[s])
			s = (s + 1) & (c->n_slots - 1);
		c->slot[s] = i + 1;
	}
}

/* ---- adding ------------------------------------------------------------------------------- */

static void warn_opcode(const struct code_place *where, const char *id, const char *what, const char *class)
{
	const struct trace_options *o = where->options;
	struct fault f;
	if (class)
		fault_set(&f, where->place, id, "%s, taken as %s", what, class);
	else
		fault_set(&f, where->place, id, "%s", what);
	if (o->warn)
		o->warn(o->ctx, &f);
	else
		diag_warn(f.place, "%s", f.text);
}

/* Returns true if the stem occurs for the first time. */
static bool is_first_warning(struct code *c, const char *stem, size_t n)
{
	for (uint32_t i = 0; i < c->n_warned; i++)
		if (strlen(c->warned[i]) == n && !memcmp(c->warned[i], stem, n))
			return false;
	if (c->n_warned < 256) {
		grow(&c->warned, &c->cap_warned, c->n_warned + 1, sizeof(c->warned[0]));
		c->warned[c->n_warned++] = arena_strndup(&c->text, stem, n);
		return true;
	}
	return false;
}

/* Sets class, row and kind of a new instruction. Warns about an opcode that the table or the model lacks. */
static int classify_sass(struct code *c, struct inst *i, const struct draft *d,
	const struct code_place *where, struct fault *f)
{
	const char *dot = memchr(d->opcode, '.', d->opcode_len);
	size_t stem = dot && dot > d->opcode ? (size_t)(dot - d->opcode) : d->opcode_len;
	bool known = code_classify(i, c->isa, d->opcode, d->opcode_len);
	enum isa_class class = (enum isa_class)i->class;
	char q[64], what[200];

	diag_quote(q, sizeof(q), d->opcode, stem);
	if (!known && where->options->strict)
		return fault_set(f, where->place, "opcode-unknown",
			"unknown opcode '%s' (%s does not have it)", q, isa_arch_name(d->arch));
	if (!known) {
		snprintf(what, sizeof(what), "opcode '%s' is not in the table of %s", q,
			isa_arch_name(d->arch));
		if (is_first_warning(c, d->opcode, stem))
			warn_opcode(where, "opcode-unknown", what, isa_class_name(class));
	} else if (i->kind == KIND_MEM_OTHER || (class == CLASS_TMA && i->kind != KIND_FLUSH &&
							!(i->kind == KIND_BULK && d->extra == EXTRA_COPY))) {
		snprintf(what, sizeof(what), "opcode '%s' (%s) is not modelled", q, isa_class_name(class));
		if (is_first_warning(c, d->opcode, stem))
			warn_opcode(where, "opcode-approximated", what,
				!d->has_addr           ? "INT"
				: class == CLASS_STORE ? "a global store"
						       : "a global load");
	}
	if (!i->size && code_kind_has_addresses(i->kind) && d->has_addr)
		return fault_set(f, where->place, "opcode-width",
			"opcode '%s' has an access width below 8 or above 524280 bits",
			diag_quote(q, sizeof(q), d->opcode, d->opcode_len));
	if (!d->has_addr)
		i->size = 0;
	return 0;
}

/* ---- PTX ---------------------------------------------------------------------------------- */

/* Returns the kind of machine instruction that corresponds to a PTX access. */
static enum isa_kind ptx_kind(const struct ptx_form *x)
{
	static const uint8_t load[N_SPACES] = {[SPACE_GLOBAL] = KIND_LDG,
		[SPACE_LOCAL] = KIND_LDL,
		[SPACE_SHARED] = KIND_LDS,
		[SPACE_GENERIC] = KIND_LD,
		[SPACE_CONST] = KIND_LDC,
		[SPACE_TEX] = KIND_MEM_OTHER,
		[SPACE_PARAM] = KIND_LDC,
		[SPACE_LOCAL_PARAM] = KIND_LDL};
	static const uint8_t store[N_SPACES] = {[SPACE_GLOBAL] = KIND_STG,
		[SPACE_LOCAL] = KIND_STL,
		[SPACE_SHARED] = KIND_STS,
		[SPACE_GENERIC] = KIND_ST,
		[SPACE_LOCAL_PARAM] = KIND_STL};

	if (x->class == CLASS_BARRIER)
		return KIND_BAR;
	if (x->op && x->op->kind == PTX_KIND_ATOM)
		return x->space == SPACE_SHARED ? KIND_ATOMS : KIND_ATOM;
	return (enum isa_kind)(x->class == CLASS_STORE ? store : load)[x->space];
}

static int classify_ptx(struct code *c, struct inst *i, const struct draft *d, const struct code_place *where,
	struct fault *f)
{
	const struct ptx_form *x = &d->ptx->form;
	const char *dot = memchr(d->opcode, '.', d->opcode_len);
	size_t stem = x->op ? strlen(x->op->stem) : dot ? (size_t)(dot - d->opcode) : d->opcode_len;
	char q[64], what[200];

	diag_quote(q, sizeof(q), d->opcode, stem);
	i->row = x->op ? 0 : 0xffff;
	i->class = x->class;
	i->kind = (uint8_t)ptx_kind(x);
	i->size = (uint16_t)d->ptx->size;
	if (!x->op && where->options->strict)
		return fault_set(
			f, where->place, "opcode-unknown", "unknown opcode '%s' (expected a PTX opcode)", q);
	if ((x->op && !x->op->reason[0]) || !is_first_warning(c, d->opcode, stem))
		return 0;
	if (x->op) {
		snprintf(what, sizeof(what), "opcode '%s' is approximated (%s)", q, x->op->reason);
		warn_opcode(where, "opcode-approximated", what, isa_class_name((enum isa_class)x->class));
	} else {
		snprintf(what, sizeof(what), "opcode '%s' is not in the table of PTX", q);
		warn_opcode(where, "opcode-unknown", what, isa_class_name((enum isa_class)x->class));
	}
	return 0;
}

static const struct ptx_inst *copy_ptx_fields(struct code *c, const struct ptx_draft *x)
{
	struct ptx_inst *to = arena_alloc(&c->text, 1, sizeof(*to));

	*to = (struct ptx_inst){.form = x->form,
		.text = arena_strndup(&c->text, x->text, x->text_len),
		.n_operands = x->n_operands,
		.n_bank_dst = (uint8_t)x->n_bank_dst,
		.n_bank_src = (uint8_t)x->n_bank_src,
		.barrier = x->barrier,
		.barrier_warps = x->barrier_warps,
		.issue_mask = x->issue_mask,
		.ends = x->ends};
	return to;
}

/* ---- adding a new instruction ------------------------------------------------------------ */

static int64_t add_inst(struct code *c, uint64_t h, uint32_t slot, const struct draft *d,
	const struct code_place *where, struct fault *f)
{
	uint32_t n = atomic_load(&c->n);
	size_t n_reg = count_register_numbers(d);
	if (n == CODE_MAX)
		return fault_set(f, where->place, "code-size",
			"more than %u distinct static instructions (are immediates or source lines damaged?)",
			CODE_MAX);
	struct inst i = {.file = d->file ? diag_keep(d->file) : NULL,
		.imm = d->imm,
		.imm2 = d->imm2,
		.pc = d->pc,
		.lineno = d->lineno,
		.file_number = d->file_number,
		.n_dst = (uint8_t)d->n_dst,
		.n_src = (uint8_t)d->n_src,
		.arch = (uint8_t)d->arch,
		.has_addr = d->has_addr,
		.commit = d->commit,
		.extra = d->extra,
		.two_imms = d->two_imms};
	if ((d->ptx ? classify_ptx : classify_sass)(c, &i, d, where, f) < 0)
		return -1;
	i.ptx = d->ptx ? copy_ptx_fields(c, d->ptx) : NULL;
	uint16_t *reg = arena_alloc(&c->text, n_reg, sizeof(reg[0]));
	memcpy(reg, d->reg, n_reg * sizeof(reg[0]));
	i.reg = reg;
	i.opcode = arena_strndup(&c->text, d->opcode, d->opcode_len);
	i.strong_gpu = isa_strong_gpu(d->opcode, d->opcode_len);
	if (n % CHUNK_SIZE == 0)
		c->chunk[n >> CHUNK_BITS] = reserve(1, sizeof(*c->chunk[0]));
	*inst_at(c, n) = i;
	*hash_at(c, n) = h;
	c->slot[slot] = n + 1;
	atomic_store_explicit(&c->n, n + 1, memory_order_release);
	if ((n + 1) * 2 > c->n_slots)
		grow_code_slots(c, n + 1);
	return n;
}

int64_t code_intern(struct code *c, const struct draft *d, const struct code_place *where, struct fault *f)
{
	uint64_t h = draft_hash(d);
	pthread_mutex_lock(&c->lock);
	uint32_t slot = find_slot(c, h, d);
	int64_t handle = c->slot[slot] ? (int64_t)c->slot[slot] - 1 : add_inst(c, h, slot, d, where, f);
	pthread_mutex_unlock(&c->lock);
	return handle;
}
