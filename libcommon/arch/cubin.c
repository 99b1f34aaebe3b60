/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of machine code in CUDA binaries.
 *
 *   cubin      ELF64, little-endian, ELF machine 190; section .text.NAME for each kernel or function NAME,
 *              instruction i at 16 i. Its flags have the compute capability in their low byte (older files) or
 *              in bits 8 .. 15.
 *   fat binary  cubin entries, see fatbin.c
 *   any other  searched for fat binaries, or if there is none for cubins, on 8-byte boundaries
 *
 * Always true: all entries together decompress to at most 16 MiB plus 64 times the bytes read; an offset is checked
 * against the remaining bytes before it is used; functions are identified by name and compute capability, and the
 * first of several equal ones counts. Other entries of a fat binary (PTX) are skipped.
 */
#include "cubin.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include "arena.h"
#include "fatbin.h"

#define FILE_MAX      (1ull << 30)
#define UNPACKED_BASE (16ull << 20) /* number of bytes that may be decompressed in any case */
#define UNPACKED_RATE 64u           /* number of further bytes that may be decompressed for each byte read */
#define FUNCTIONS_MAX 65536u
#define MACHINE_CUDA  190u

struct cubin_block {
	struct cubin_block *next;
	uint8_t bytes[];
};

struct cubins {
	struct cubin_block *blocks; /* contents of files and decompressed entries */
	struct cubin_function *function;
	uint64_t *hash; /* hash of the name and compute capability of each function */
	uint32_t n, cap, cap_hash;
	struct cubin_image *image; /* cubins that were read */
	uint32_t images, cap_image;
	uint64_t left; /* number of bytes that may still be decompressed */
};

struct cubin_span {
	const uint8_t *bytes;
	size_t n; /* number of bytes */
};

static uint64_t read_little_endian_at(const struct cubin_span *s, size_t at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)s->bytes[at + i] << 8 * i;
	return v;
}

static bool span_contains(const struct cubin_span *s, uint64_t at, uint64_t n)
{
	return at <= s->n && n <= s->n - at;
}

struct cubins *cubins_new(void)
{
	struct cubins *c = xcalloc(1, sizeof(*c));

	c->left = UNPACKED_BASE;
	return c;
}

void cubins_free(struct cubins *c)
{
	if (!c)
		return;
	while (c->blocks) {
		struct cubin_block *b = c->blocks;

		c->blocks = b->next;
		free(b);
	}
	for (uint32_t i = 0; i < c->n; i++)
		free((char *)c->function[i].name);
	free(c->function);
	free(c->hash);
	free(c->image);
	free(c);
}

static uint8_t *add_cubin_block(struct cubins *c, size_t n)
{
	struct cubin_block *b = xmalloc(sizeof(*b) + n + 1);

	b->next = c->blocks;
	c->blocks = b;
	return b->bytes;
}

uint32_t cubins_count(const struct cubins *c) { return c->n; }

const struct cubin_function *cubins_function_at(const struct cubins *c, uint32_t i)
{
	return &c->function[i];
}

uint32_t cubins_image_count(const struct cubins *c) { return c->images; }

const struct cubin_image *cubins_image(const struct cubins *c, uint32_t i) { return &c->image[i]; }

const struct cubin_function *cubins_find(const struct cubins *c, const char *name, unsigned sm)
{
	uint64_t hash = XXH3_64bits_withSeed(name, strlen(name), sm);

	for (uint32_t i = 0; i < c->n; i++)
		if (c->hash[i] == hash && c->function[i].sm == sm && !strcmp(c->function[i].name, name))
			return &c->function[i];
	return NULL;
}

/* ---- one cubin ---------------------------------------------------------------------------------- */

/* Sets *f to text. Returns -1. */
static int cubin_fault(struct fault *f, const char *file, const char *text)
{
	return fault_set(f, (struct place){.file = file}, "cubin", "%s", text);
}

static bool is_known_sm(unsigned sm) { return sm >= 70 && sm <= 121; }

/* Returns the compute capability in the flags: the second byte in newer files, the first byte in older files. */
unsigned cubin_sm(uint64_t flags)
{
	unsigned low = flags & 0xff, high = flags >> 8 & 0xff;

	return is_known_sm(high) ? high : is_known_sm(low) ? low : 0;
}

static bool is_cubin(const struct cubin_span *s)
{
	return s->n >= 64 && !memcmp(s->bytes, "\177ELF\2\1", 6) &&
	       read_little_endian_at(s, 18, 2) == MACHINE_CUDA;
}

/*
 * Adds a function unless one with the same name and compute capability exists. Returns false if there are too many
 * functions.
 */
static bool add_cubin_function(
	struct cubins *c, const char *name, size_t name_n, struct cubin_span code, unsigned sm, unsigned regs)
{
	char *text = xstrndup(name, name_n);

	if (c->n == FUNCTIONS_MAX || cubins_find(c, text, sm)) {
		free(text);
		return c->n < FUNCTIONS_MAX;
	}
	grow(&c->function, &c->cap, c->n + 1, sizeof(*c->function));
	grow(&c->hash, &c->cap_hash, c->n + 1, sizeof(*c->hash));
	c->hash[c->n] = XXH3_64bits_withSeed(text, strlen(text), sm);
	c->function[c->n++] =
		(struct cubin_function){text, code.bytes, (uint32_t)(code.n & ~(size_t)15), sm, regs};
	return true;
}

/* Finds the contents of section i. Returns false if they are not in the file. */
static bool find_section(const struct cubin_span *s, uint64_t table, unsigned i, struct cubin_span *out)
{
	uint64_t h = table + 64ull * i, at = read_little_endian_at(s, h + 24, 8),
		 n = read_little_endian_at(s, h + 32, 8);

	/* Type 8 is NOBITS: the section has no bytes in the file. */
	if (read_little_endian_at(s, h + 4, 4) == 8 || !span_contains(s, at, n))
		return false;
	*out = (struct cubin_span){s->bytes + at, n};
	return true;
}

/* Returns the contents of the section with that name; empty if there is none. */
static struct cubin_span find_section_by_name(const struct cubin_span *s, uint64_t table, unsigned n,
	const struct cubin_span *names, const char *name)
{
	struct cubin_span out;
	size_t len = strlen(name) + 1;

	for (unsigned i = 0; i < n; i++) {
		uint64_t at = read_little_endian_at(s, table + 64ull * i, 4);

		if (span_contains(names, at, len) && !memcmp(names->bytes + at, name, len) &&
			find_section(s, table, i, &out))
			return out;
	}
	return (struct cubin_span){s->bytes, 0};
}

/*
 * Returns the number of registers per thread of a function, from the info field of its code section. The high byte of
 * `field` has the number. If it is 0, as in newer files, an attribute of .nv.info has it (format 4, number 0x2f, u16
 * bytes, then u32 symbol and u32 registers); the symbol of the attribute is in the other bytes of `field`.
 */
static unsigned registers_of_function(const struct cubin_span *info, uint64_t field)
{
	uint64_t size;

	if (field >> 24)
		return (unsigned)(field >> 24);
	for (size_t at = 0; span_contains(info, at, 4); at += 4 + size) {
		size = info->bytes[at] == 4 ? read_little_endian_at(info, at + 2, 2) : 0;
		if (!span_contains(info, at + 4, size))
			break;
		if (size >= 8 && info->bytes[at + 1] == 0x2f &&
			read_little_endian_at(info, at + 4, 4) == field)
			return read_little_endian_at(info, at + 8, 4) > 255
				       ? 255
				       : (unsigned)read_little_endian_at(info, at + 8, 4);
	}
	return 0;
}

static int read_cubin(struct cubins *c, struct cubin_span s, const char *file, struct fault *f)
{
	static const char text[] = ".text.";
	uint64_t table = read_little_endian_at(&s, 40, 8);
	unsigned n = (unsigned)read_little_endian_at(&s, 60, 2),
		 names_at = (unsigned)read_little_endian_at(&s, 62, 2),
		 sm = cubin_sm(read_little_endian_at(&s, 48, 4));
	struct cubin_span names, code, info;

	grow(&c->image, &c->cap_image, c->images + 1, sizeof(*c->image));
	c->image[c->images++] = (struct cubin_image){s.bytes, s.n, sm, 0};
	if (!sm)
		return 0; /* the GPU is not supported: its control codes differ */
	if (read_little_endian_at(&s, 58, 2) != 64 || !span_contains(&s, table, 64ull * n))
		return cubin_fault(f, file, "the section table is not in the file (expected an ELF file)");
	if (names_at >= n || !find_section(&s, table, names_at, &names))
		return cubin_fault(f, file, "no section names (expected an ELF file)");
	info = find_section_by_name(&s, table, n, &names, ".nv.info");
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = read_little_endian_at(&s, table + 64ull * i, 4);
		const char *name = (const char *)names.bytes + at;
		size_t len = at < names.n ? strnlen(name, names.n - at) : 0;

		if (at + len >= names.n)
			return cubin_fault(
				f, file, "a section name is not terminated (expected an ELF file)");
		if (len <= sizeof(text) - 1 || memcmp(name, text, sizeof(text) - 1) != 0)
			continue;
		if (!find_section(&s, table, i, &code) || code.n > UINT32_MAX)
			return cubin_fault(f, file, "code is not in the file (expected an ELF file)");
		if (!add_cubin_function(c, name + sizeof(text) - 1, len - (sizeof(text) - 1), code, sm,
			    registers_of_function(
				    &info, read_little_endian_at(&s, table + 64ull * i + 44, 4))))
			return cubin_fault(f, file, "more than 65536 functions");
		c->image[c->images - 1].functions++;
	}
	return 0;
}

/* ---- fat binaries ------------------------------------------------------------------------------- */

/* Reads the cubins of the fat binary at the start of s. Sets *whole to the size of the fat binary. Skips PTX. */
static int read_fatbin(
	struct cubins *c, struct cubin_span s, size_t *whole, const char *file, struct fault *f)
{
	struct fatbin_entry e = {0};
	struct fatbin b = {0};
	int got;

	if (fatbin_open(&b, s.bytes, s.n, whole, file, f) < 0)
		return -1;
	while ((got = fatbin_next(&b, &e, f)) > 0) {
		struct cubin_span payload;

		if (e.kind != FATBIN_CUBIN)
			continue;
		if (!(payload.n = fatbin_size(&b, &e, f)))
			return -1;
		if (payload.n > c->left)
			return fault_set(f, (struct place){.file = file}, "cubin",
				"entries of fat binaries unpack to more than 16 MiB and 64 times the file's size");
		c->left -= payload.n;
		uint8_t *out = add_cubin_block(c, payload.n);
		if (fatbin_unpack(&b, &e, out, f) < 0)
			return -1;
		payload.bytes = out;
		if (!is_cubin(&payload))
			return cubin_fault(f, file,
				"an entry of the fat binary is not a cubin (expected ELF machine 190)");
		if (read_cubin(c, payload, file, f) < 0)
			return -1;
	}
	return got;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Reads the fat binaries that begin on 8-byte boundaries, or if bare is set, the cubins. */
static int read_embedded_binaries(
	struct cubins *c, struct cubin_span s, bool bare, const char *file, struct fault *f)
{
	/* A fat binary at the front must be complete. A magic number further on may be accidental. */
	bool front = true;
	size_t step;

	for (; s.n >= 16; front = false, s = (struct cubin_span){s.bytes + step, s.n - step}) {
		step = 8;
		if (!bare && fatbin_has_magic(s.bytes, s.n) &&
			(front || span_contains(&s, read_little_endian_at(&s, 6, 2),
					  read_little_endian_at(&s, 8, 8)))) {
			if (read_fatbin(c, s, &step, file, f) < 0)
				return -1;
			step = (step + 7) & ~(size_t)7;
		} else if (bare && is_cubin(&s) && read_cubin(c, s, file, f) < 0) {
			return -1;
		}
		if (step > s.n)
			break;
	}
	return 0;
}

static int read_cubin_file(struct cubins *c, struct cubin_span s, const char *file, struct fault *f)
{
	uint32_t images = c->images, n = c->n;

	if (is_cubin(&s)) {
		if (read_cubin(c, s, file, f) < 0)
			return -1;
	} else if (read_embedded_binaries(c, s, false, file, f) < 0 ||
		   (c->images == images && read_embedded_binaries(c, s, true, file, f) < 0)) {
		return -1;
	}
	if (c->images == images)
		return fault_set(f, (struct place){.file = file}, CUBINS_NONE,
			"no cubin (expected a cubin, a fat binary or a program with one)");
	if (c->n == n && !c->n)
		return fault_set(f, (struct place){.file = file}, CUBINS_NONE,
			"no function in the cubins (expected a .text section for sm_70 to sm_121)");
	return 0;
}

void cubins_add_code(struct cubins *c, const char *name, unsigned sm, const uint8_t *code, uint32_t n)
{
	uint8_t *copy = add_cubin_block(c, 16 * (size_t)n);

	if (n)
		memcpy(copy, code, 16 * (size_t)n);
	add_cubin_function(c, name, strlen(name), (struct cubin_span){copy, 16 * (size_t)n}, sm, 0);
}

int cubins_add_bytes(struct cubins *c, const void *bytes, size_t n, const char *name, struct fault *f)
{
	uint8_t *copy = add_cubin_block(c, n);

	c->left += UNPACKED_RATE * (uint64_t)n;
	if (n)
		memcpy(copy, bytes, n);
	return read_cubin_file(c, (struct cubin_span){copy, n}, name, f);
}

static int read_whole_file(FILE *in, const char *path, struct cubins *c, struct fault *f)
{
	size_t cap = 1 << 16, n = 0, got;
	uint8_t *all = xmalloc(cap);
	int rc;

	while ((got = fread(all + n, 1, cap - n, in)) > 0) {
		n += got;
		if (n > FILE_MAX) {
			free(all);
			return cubin_fault(f, path, "larger than 1 GiB");
		}
		if (n == cap)
			all = xrealloc(all, cap *= 2, 1);
	}
	if (ferror(in)) {
		fault_set(f, (struct place){.file = path}, "cubin", "cannot be read: %s", strerror(errno));
		free(all);
		return -1;
	}
	rc = cubins_add_bytes(c, all, n, path, f);
	free(all);
	return rc;
}

int cubins_add(struct cubins *c, const char *path, struct fault *f)
{
	FILE *in = fopen(path, "rb");
	int rc;

	if (!in)
		return fault_set(
			f, (struct place){.file = path}, "cubin", "cannot be opened: %s", strerror(errno));
	rc = read_whole_file(in, path, c, f);
	fclose(in);
	return rc;
}

/* ---- control codes ------------------------------------------------------------------------------ */

static unsigned get_instruction_bits(const uint8_t *at, unsigned first, unsigned n)
{
	unsigned v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (unsigned)(at[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return v;
}

void control_decode(struct control_code *k, const uint8_t at[16])
{
	*k = (struct control_code){
		.opcode = (uint16_t)get_instruction_bits(at, 0, 12),
		.guard = (uint8_t)get_instruction_bits(at, 12, 3),
		.stall = (uint8_t)get_instruction_bits(at, 105, 4),
		.yield = !get_instruction_bits(at, 109, 1),
		.write = (uint8_t)get_instruction_bits(at, 110, 3),
		.read = (uint8_t)get_instruction_bits(at, 113, 3),
		.wait = (uint8_t)get_instruction_bits(at, 116, 6),
		.reuse = (uint8_t)get_instruction_bits(at, 122, 3),
		.slot = {at[3], at[4], at[8]},
		.depbar_counter = (uint8_t)get_instruction_bits(at, 44, 3),
		.depbar_limit = (uint8_t)get_instruction_bits(at, 38, 6),
		.depbar_list = (uint8_t)get_instruction_bits(at, 32, 6),
	};
	if (k->depbar_counter > 5)
		k->depbar_counter = 5;
}

static void set_instruction_bits(uint8_t *at, unsigned first, unsigned n, unsigned v)
{
	for (unsigned i = 0; i < n; i++) {
		at[(first + i) / 8] &= (uint8_t) ~(1u << (first + i) % 8);
		at[(first + i) / 8] |= (uint8_t)((v >> i & 1) << (first + i) % 8);
	}
}

void control_encode(const struct control_code *k, uint8_t at[16])
{
	memset(at, 0, 16);
	set_instruction_bits(at, 0, 12, k->opcode);
	set_instruction_bits(at, 12, 3, k->guard);
	at[3] = k->slot[0];
	at[4] = k->slot[1];
	at[8] = k->slot[2];
	if (k->opcode == CONTROL_DEPBAR) {
		set_instruction_bits(at, 44, 3, k->depbar_counter);
		set_instruction_bits(at, 38, 6, k->depbar_limit);
		set_instruction_bits(at, 32, 6, k->depbar_list);
	}
	set_instruction_bits(at, 105, 4, k->stall);
	set_instruction_bits(at, 109, 1, !k->yield);
	set_instruction_bits(at, 110, 3, k->write);
	set_instruction_bits(at, 113, 3, k->read);
	set_instruction_bits(at, 116, 6, k->wait);
	set_instruction_bits(at, 122, 3, k->reuse);
}
