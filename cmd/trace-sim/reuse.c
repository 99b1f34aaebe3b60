/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds kernels that are equal except for id and stream (LAUNCH-reuse).
 *
 * Always true: equal kernels decode to the same thread blocks, because the decoder reads the same lines. The
 * hash has a random secret, so that a collision of two traces cannot be constructed. The result
 * does not depend on the secret. Equal kernels have the figures of the first of them in the list, regardless
 * of the order in which the processes run.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "bytes.h"
#include "cubin.h"
#include "reuse.h"
#include "table.h"

#define SECRET_BYTES 192u
/* The lines with id and stream are within this number of bytes from the start of a text. */
#define HEAD_BYTES (64u << 10)

struct reuse {
	struct code *code; /* instructions, for klist_open(); always empty, because only headers are read */
	struct reuse_kernel *kernel;
	uint32_t n_kernels, cap_kernels;
	struct table keys; /* numbers of kernels, by key */
	struct resumed_kernel
		*resumed; /* kernels of an earlier run; their `command` is REUSE_NONE once the key is known */
	uint32_t n_resumed, cap_resumed;
	struct table shapes;     /* numbers of resumed kernels, by shape */
	struct bytes head;       /* first HEAD_BYTES of the text */
	XXH3_state_t *text_hash; /* state of the hash of the whole text */
	XXH3_state_t *key_hash;  /* state of the hash of the text without id and stream */
	bool is_head_in_key;     /* true if `head` is already in the key */
	unsigned char secret[SECRET_BYTES];
};

struct reuse *reuse_new(const struct isa *isa)
{
	struct reuse *u = xcalloc(1, sizeof(*u));

	u->code = code_new(isa);
	u->text_hash = XXH3_createState();
	u->key_hash = XXH3_createState();
	if (!u->text_hash || !u->key_hash)
		die("out of memory");
	if (getrandom(u->secret, SECRET_BYTES, 0) != SECRET_BYTES)
		die_errno("cannot get random numbers for --reuse");
	return u;
}

void reuse_free(struct reuse *u)
{
	if (!u)
		return;
	for (uint32_t i = 0; i < u->n_kernels; i++)
		free(u->kernel[i].name);
	free(u->kernel);
	free(u->resumed);
	table_free(&u->keys);
	table_free(&u->shapes);
	bytes_free(&u->head);
	XXH3_freeState(u->text_hash);
	XXH3_freeState(u->key_hash);
	code_free(u->code);
	free(u);
}

struct reuse_kernel *reuse_find_set(struct reuse *u, uint32_t kernel) { return &u->kernel[kernel]; }

/* ---- keys ----------------------------------------------------------------------------------------- */

/* Returns true if the whole line is "-kernel id = N" or "-cuda stream id = N". */
static bool is_id_or_stream_line(const char *line, size_t n)
{
	static const char *const own[] = {"-kernel id = ", "-cuda stream id = "};

	for (unsigned i = 0; i < 2; i++) {
		size_t at = strlen(own[i]);

		if (n <= at || memcmp(line, own[i], at))
			continue;
		while (at < n && line[at] >= '0' && line[at] <= '9')
			at++;
		return at == n;
	}
	return false;
}

/* Adds u->head, the start of the text, to the key, except the header lines with the id and the stream. */
static void add_head_to_key(struct reuse *u)
{
	const char *line = u->head.p, *end = line + u->head.n, *nl;

	while (line < end && *line == '-' && (nl = memchr(line, '\n', (size_t)(end - line)))) {
		if (!is_id_or_stream_line(line, (size_t)(nl - line)))
			XXH3_128bits_update(u->key_hash, line, (size_t)(nl + 1 - line));
		line = nl + 1;
	}
	XXH3_128bits_update(u->key_hash, line, (size_t)(end - line));
	u->is_head_in_key = true;
}

static bool add_text_to_key(void *ctx, const void *bytes, size_t n)
{
	struct reuse *u = ctx;
	size_t head = u->is_head_in_key ? 0 : HEAD_BYTES - u->head.n;

	head = head < n ? head : n;
	XXH3_128bits_update(u->text_hash, bytes, n);
	bytes_add(&u->head, bytes, head);
	if (!u->is_head_in_key && u->head.n == HEAD_BYTES)
		add_head_to_key(u);
	if (n > head)
		XXH3_128bits_update(u->key_hash, (const char *)bytes + head, n - head);
	return true;
}

/* Adds the kernel's control codes to the key, if the kernel is in a packed stream that has them. */
static void add_control_codes_to_key(struct reuse *u, const struct cubins *codes)
{
	for (uint32_t i = 0; codes && i < cubins_count(codes); i++) {
		const struct cubin_function *c = cubins_function_at(codes, i);
		const uint32_t about[3] = {c->bytes, c->sm, c->regs};

		XXH3_128bits_update(u->key_hash, about, sizeof(about));
		XXH3_128bits_update(u->key_hash, c->name, strlen(c->name));
		XXH3_128bits_update(u->key_hash, c->code, c->bytes);
	}
}

/* Sets the key of a kernel and the hash of its text. Returns 0 or -1. */
static int make_reuse_key(struct reuse *u, struct run *r, uint32_t command, const struct cubins *codes,
	uint64_t key[2], unsigned char hash[16])
{
	XXH128_canonical_t text;
	XXH128_hash_t h;
	struct fault f;

	u->head.n = 0;
	u->is_head_in_key = false;
	XXH3_128bits_reset(u->text_hash);
	XXH3_128bits_reset_withSecret(u->key_hash, u->secret, SECRET_BYTES);
	if (klist_pass_text(&r->list, command, add_text_to_key, u, &f) < 0)
		return -1;
	if (!u->is_head_in_key && u->head.n)
		add_head_to_key(u);
	add_control_codes_to_key(u, codes);
	h = XXH3_128bits_digest(u->key_hash);
	key[0] = h.low64;
	key[1] = h.high64;
	XXH128_canonicalFromHash(&text, XXH3_128bits_digest(u->text_hash));
	memcpy(hash, text.digest, sizeof(text.digest));
	return 0;
}

/* ---- kernels -------------------------------------------------------------------------------------- */

static uint32_t find_reuse_kernel(const struct reuse *u, const uint64_t key[2])
{
	FOR_TABLE (w, &u->keys, key[0])
		if (u->kernel[w.number].key[0] == key[0] && u->kernel[w.number].key[1] == key[1])
			return w.number;
	return REUSE_NONE;
}

static uint32_t add_reuse_kernel(
	struct reuse *u, const uint64_t key[2], uint32_t command, const struct kernel_header *h)
{
	struct reuse_kernel k = {.key = {key[0], key[1]},
		.first_command = command,
		.result_command = REUSE_NONE,
		.name = xstrdup(h->name),
		.grid = {h->grid[0], h->grid[1], h->grid[2]},
		.block = {h->block[0], h->block[1], h->block[2]},
		.is_slice = h->is_slice};

	grow(&u->kernel, &u->cap_kernels, u->n_kernels + 1, sizeof(*u->kernel));
	u->kernel[u->n_kernels] = k;
	table_add(&u->keys, key[0], u->n_kernels);
	return u->n_kernels++;
}

static void ignore_header_warning(void *ctx, const struct fault *f)
{
	(void)ctx;
	(void)f;
}

/*
 * Opens the kernel to read its header and control codes. Returns NULL on a fault, or if the kernel can be
 * read only once.
 */
static struct trace *open_kernel_header(struct reuse *u, struct run *r, uint32_t command)
{
	const struct trace_options o = {.code = u->code, .warn = ignore_header_warning};
	struct fault f;

	return klist_can_reread(&r->list, command) ? klist_open(&r->list, command, &o, &f) : NULL;
}

uint64_t reuse_shape_hash(const char *name, const char *grid, const char *block)
{
	char *text = record_utf8(name);
	const uint64_t part[3] = {table_hash(text, strnlen(text, RECORD_NAME_MAX)),
		table_hash(grid, strlen(grid)), table_hash(block, strlen(block))};

	free(text);
	return table_hash_words(part, 3);
}

void reuse_add_resumed(struct reuse *u, const struct resumed_kernel *k)
{
	grow(&u->resumed, &u->cap_resumed, u->n_resumed + 1, sizeof(*u->resumed));
	table_add(&u->shapes, k->shape, u->n_resumed);
	u->resumed[u->n_resumed++] = *k;
}

/*
 * Computes the key of a kernel of an earlier run, and adds the kernel to u->kernel unless an equal kernel is
 * already there.
 */
static void add_resumed_key(struct reuse *u, struct run *r, struct resumed_kernel *k)
{
	struct trace *t = open_kernel_header(u, r, k->command);
	unsigned char hash[16];
	char text[33];
	uint64_t key[2];

	if (!t || make_reuse_key(u, r, k->command, trace_codes(t), key, hash) < 0)
		die_at((struct place){.file = r->list.cmd[k->command].path},
			"the trace of a kernel with a record cannot be read again (expected the trace of the earlier run)");
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)hash[i]);
	if (strcmp(text, k->hash))
		die_at((struct place){.file = r->list.cmd[k->command].path},
			"the trace has changed since its record was written (without --resume all kernels are simulated)");
	if (find_reuse_kernel(u, key) == REUSE_NONE)
		add_reuse_kernel(u, key, k->command, trace_header(t));
	trace_close(t);
	k->command = REUSE_NONE;
}

/* Computes the keys of all kernels of an earlier run that have the name, grid and block size of *h. */
static void add_resumed_keys(struct reuse *u, struct run *r, const struct kernel_header *h)
{
	char grid[40], block[40];

	snprintf(grid, sizeof(grid), "%ux%ux%u", h->grid[0], h->grid[1], h->grid[2]);
	snprintf(block, sizeof(block), "%ux%ux%u", h->block[0], h->block[1], h->block[2]);
	FOR_TABLE (w, &u->shapes, reuse_shape_hash(h->name, grid, block))
		if (u->resumed[w.number].command != REUSE_NONE)
			add_resumed_key(u, r, &u->resumed[w.number]);
}

bool reuse_identify(struct reuse *u, struct run *r, uint32_t command, struct reuse_identity *id)
{
	struct trace *t = open_kernel_header(u, r, command);
	const struct kernel_header *h;
	bool selected = true;
	uint64_t key[2];

	*id = (struct reuse_identity){.kernel = REUSE_NONE};
	if (!t)
		return true;
	h = trace_header(t);
	selected = kselect_selects(r->select, r->list.cmd[command].position, h->name);
	if (selected && make_reuse_key(u, r, command, trace_codes(t), key, id->hash) == 0) {
		id->stream = h->stream;
		id->kernel = find_reuse_kernel(u, key);
		if (id->kernel == REUSE_NONE) {
			add_resumed_keys(u, r, h);
			id->kernel = find_reuse_kernel(u, key);
		}
		if (id->kernel == REUSE_NONE)
			id->kernel = add_reuse_kernel(u, key, command, h);
	}
	trace_close(t);
	return selected;
}

void reuse_write_record(const struct reuse *u, const struct run *r, struct record_writer *w,
	uint32_t position, const struct reuse_identity *id, const struct kernel_outcome *from,
	const void *group)
{
	const struct reuse_kernel *k = &u->kernel[id->kernel];
	struct kernel_record rec = {.position = position,
		.uid = position,
		.name = k->name,
		.stream = id->stream,
		.grid = {k->grid[0], k->grid[1], k->grid[2]},
		.block = {k->block[0], k->block[1], k->block[2]},
		.checksum = from->checksum,
		.is_slice = k->is_slice,
		.unfinished = from->unfinished,
		.reused_from = r->list.cmd[k->first_command].position};

	if (from->has_text_hash)
		memcpy(rec.hash, id->hash, sizeof(rec.hash));
	stats_reused_record(w, &rec, group, from->figures_bytes);
}
