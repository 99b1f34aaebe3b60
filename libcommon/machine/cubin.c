/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reading machine code out of CUDA binaries.
 *
 *   cubin      ELF64, little-endian, machine 190; a section .text.NAME for each kernel or function NAME, instruction
 *              i at 16 i. Its flags hold the compute capability in their low byte (older) or in bits 8 .. 15.
 *   fat binary magic 0xba55ed50, u16 version, u16 bytes of this header, u64 bytes behind it; then entries: u16 kind
 *              (2: cubin), u32 bytes of the entry's header at 4, u64 bytes of payload at 8, u32 bytes of it that
 *              count when compressed at 16, u64 flags at 40 (bit 13: LZ4, bit 15: zstd), u64 unpacked bytes at 56
 *   any other  is searched for fat binaries, and where there is none for cubins, on 8-byte boundaries
 *
 * Always true: an offset is checked against what is left before it is used; a compressed payload is unpacked into
 * as many bytes as its header says, at most UNPACKED_MAX; a function is known by name and compute capability, and
 * the first of equals counts. What is no cubin inside of a fat binary (PTX) is passed over.
 */
#include "cubin.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>
#include <zstd.h>
#include "arena.h"

#define FILE_MAX      (1ull << 30)
#define UNPACKED_MAX  (1u << 28)
#define FUNCTIONS_MAX 65536u
#define MACHINE_CUDA  190u
#define FATBIN_MAGIC  0xba55ed50u
#define PACKED_LZ4    (1u << 13)
#define PACKED_ZSTD   (1u << 15)

struct block {
	struct block *next;
	uint8_t bytes[];
};

struct cubins {
	struct block *blocks; /* files and what was unpacked of them */
	struct cubin_function *function;
	uint64_t *hash; /* of its name and machine */
	uint32_t n, cap, cap_hash;
	uint32_t images; /* cubins seen */
};

struct span {
	const uint8_t *at;
	size_t n;
};

static uint64_t get(const struct span *s, size_t at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)s->at[at + i] << 8 * i;
	return v;
}

static bool inside(const struct span *s, uint64_t at, uint64_t n) { return at <= s->n && n <= s->n - at; }

struct cubins *cubins_new(void) { return xcalloc(1, sizeof(struct cubins)); }

void cubins_free(struct cubins *c)
{
	if (!c)
		return;
	while (c->blocks) {
		struct block *b = c->blocks;

		c->blocks = b->next;
		free(b);
	}
	for (uint32_t i = 0; i < c->n; i++)
		free((char *)c->function[i].name);
	free(c->function);
	free(c->hash);
	free(c);
}

static uint8_t *new_block(struct cubins *c, size_t n)
{
	struct block *b = xmalloc(sizeof *b + n + 1);

	b->next = c->blocks;
	c->blocks = b;
	return b->bytes;
}

uint32_t cubins_count(const struct cubins *c) { return c->n; }

const struct cubin_function *cubins_at(const struct cubins *c, uint32_t i) { return &c->function[i]; }

const struct cubin_function *cubins_find(const struct cubins *c, const char *name, unsigned sm)
{
	uint64_t hash = XXH3_64bits_withSeed(name, strlen(name), sm);

	for (uint32_t i = 0; i < c->n; i++)
		if (c->hash[i] == hash && c->function[i].sm == sm && !strcmp(c->function[i].name, name))
			return &c->function[i];
	return NULL;
}

/* ---- one cubin ---------------------------------------------------------------------------------- */

static int bad(struct fault *f, const char *file, const char *found, const char *wanted)
{
	return fault_set(f, (struct place){.file = file}, "cubin", "found %s, wanted %s", found, wanted);
}

static bool known_sm(unsigned sm) { return sm >= 70 && sm <= 121; }

/* Newer files have the capability in the second byte of the flags, older in the first. */
static unsigned sm_of(uint64_t flags)
{
	unsigned low = flags & 0xff, high = flags >> 8 & 0xff;

	return known_sm(high) ? high : known_sm(low) ? low : 0;
}

static bool is_cubin(const struct span *s)
{
	return s->n >= 64 && !memcmp(s->at, "\177ELF\2\1", 6) && get(s, 18, 2) == MACHINE_CUDA;
}

/* True: known now. */
static bool add_function(struct cubins *c, const char *name, size_t name_n, struct span code, unsigned sm)
{
	char *text = xstrndup(name, name_n);

	if (c->n == FUNCTIONS_MAX || cubins_find(c, text, sm)) {
		free(text);
		return c->n < FUNCTIONS_MAX;
	}
	grow(&c->function, &c->cap, c->n + 1, sizeof *c->function);
	grow(&c->hash, &c->cap_hash, c->n + 1, sizeof *c->hash);
	c->hash[c->n] = XXH3_64bits_withSeed(text, strlen(text), sm);
	c->function[c->n++] = (struct cubin_function){text, code.at, (uint32_t)(code.n & ~(size_t)15), sm};
	return true;
}

/* Section header number i: where its contents are; false: not in the file. */
static bool section(const struct span *s, uint64_t table, unsigned i, struct span *out)
{
	uint64_t h = table + 64ull * i, at = get(s, h + 24, 8), n = get(s, h + 32, 8);

	if (get(s, h + 4, 4) == 8 || !inside(s, at, n)) /* 8: takes no room in the file */
		return false;
	*out = (struct span){s->at + at, n};
	return true;
}

static int read_cubin(struct cubins *c, struct span s, const char *file, struct fault *f)
{
	static const char text[] = ".text.";
	uint64_t table = get(&s, 40, 8);
	unsigned n = (unsigned)get(&s, 60, 2), names_at = (unsigned)get(&s, 62, 2),
		 sm = sm_of(get(&s, 48, 4));
	struct span names, code;

	c->images++;
	if (!sm)
		return 0; /* of a machine whose instructions have other control codes */
	if (get(&s, 58, 2) != 64 || !inside(&s, table, 64ull * n))
		return bad(f, file, "a section table that is not in the file",
			"an ELF file as compilers write it");
	if (names_at >= n || !section(&s, table, names_at, &names))
		return bad(f, file, "no section names in the file", "an ELF file as compilers write it");
	for (unsigned i = 0; i < n; i++) {
		uint64_t at = get(&s, table + 64ull * i, 4);
		const char *name = (const char *)names.at + at;
		size_t len = at < names.n ? strnlen(name, names.n - at) : 0;

		if (at + len >= names.n)
			return bad(f, file, "a section name without an end",
				"an ELF file as compilers write it");
		if (len <= sizeof text - 1 || memcmp(name, text, sizeof text - 1) != 0)
			continue;
		if (!section(&s, table, i, &code) || code.n > UINT32_MAX)
			return bad(
				f, file, "code that is not in the file", "an ELF file as compilers write it");
		if (!add_function(c, name + sizeof text - 1, len - (sizeof text - 1), code, sm))
			return bad(f, file, "more than 65536 functions", "fewer");
	}
	return 0;
}

/* ---- fat binaries ------------------------------------------------------------------------------- */

/* A length that goes on in bytes of 255; false: beyond the input. */
static bool lz4_length(const struct span *in, size_t *at, size_t *n)
{
	uint8_t more = 255;

	if (*n != 15)
		return true;
	while (more == 255) {
		if (*at == in->n || *n > UNPACKED_MAX)
			return false;
		more = in->at[(*at)++];
		*n += more;
	}
	return true;
}

/* An LZ4 block: literals, then a copy from what is there already, and so on. True: it fills out. */
static bool unpack_lz4(struct span in, uint8_t *out, size_t room)
{
	size_t at = 0, done = 0;

	while (at < in.n) {
		size_t literals = in.at[at] >> 4, copy = in.at[at] & 15, back;

		at++;
		if (!lz4_length(&in, &at, &literals) || !inside(&in, at, literals) || literals > room - done)
			return false;
		memcpy(out + done, in.at + at, literals);
		at += literals;
		done += literals;
		if (at == in.n)
			break;
		if (!inside(&in, at, 2))
			return false;
		back = (size_t)get(&in, at, 2);
		at += 2;
		if (!lz4_length(&in, &at, &copy) || !back || back > done || copy + 4 > room - done)
			return false;
		for (copy += 4; copy; copy--, done++)
			out[done] = out[done - back];
	}
	return done == room;
}

static int unpack(struct cubins *c, struct span *payload, uint64_t flags, uint64_t unpacked, const char *file,
	struct fault *f)
{
	uint8_t *out;
	bool good;

	if (!unpacked || unpacked > UNPACKED_MAX)
		return bad(f, file, "a packed cubin of no or more than 256 MiB", "one that can be unpacked");
	out = new_block(c, unpacked);
	memset(out, 0, unpacked + 1);
	good = flags & PACKED_ZSTD ? ZSTD_decompress(out, unpacked, payload->at, payload->n) == unpacked
				   : unpack_lz4(*payload, out, unpacked);
	if (!good)
		return bad(f, file, "a packed cubin that ends early or is damaged",
			"one that unpacks to the size in its header");
	*payload = (struct span){out, unpacked};
	return 0;
}

/* The entry at the front of s; *whole: its bytes. */
static int read_entry(struct cubins *c, struct span s, size_t *whole, const char *file, struct fault *f)
{
	uint64_t head, size, counts, flags;
	struct span payload;

	if (s.n < 64)
		return bad(f, file, "an entry of a fat binary that ends early", "its header of 64 bytes");
	head = get(&s, 4, 4);
	size = get(&s, 8, 8);
	counts = get(&s, 16, 4);
	flags = get(&s, 40, 8);
	if (head < 64 || !inside(&s, head, size))
		return bad(
			f, file, "an entry of a fat binary that does not end in the file", "one that does");
	*whole = head + size;
	payload = (struct span){s.at + head, size};
	if (get(&s, 0, 2) != 2)
		return 0;
	if (flags & (PACKED_LZ4 | PACKED_ZSTD)) {
		if (counts && counts < size)
			payload.n = counts;
		if (unpack(c, &payload, flags, get(&s, 56, 8), file, f) < 0)
			return -1;
	}
	if (!is_cubin(&payload))
		return bad(f, file, "an entry of a fat binary that is no cubin", "one of machine 190");
	return read_cubin(c, payload, file, f);
}

static bool is_fatbin(const struct span *s)
{
	return s->n >= 16 && get(s, 0, 4) == FATBIN_MAGIC && get(s, 4, 2) == 1 && get(s, 6, 2) >= 16;
}

static int read_fatbin(struct cubins *c, struct span s, size_t *whole, const char *file, struct fault *f)
{
	uint64_t head = get(&s, 6, 2), size = get(&s, 8, 8);
	size_t n = 0;

	if (!inside(&s, head, size))
		return bad(f, file, "a fat binary that does not end in the file", "one that does");
	*whole = head + size;
	s = (struct span){s.at + head, size};
	while (s.n) {
		if (read_entry(c, s, &n, file, f) < 0)
			return -1;
		s = (struct span){s.at + n, s.n - n};
	}
	return 0;
}

/* ---- files -------------------------------------------------------------------------------------- */

/* Fat binaries, or with bare cubins, wherever they begin on a boundary of 8 bytes. */
static int search(struct cubins *c, struct span s, bool bare, const char *file, struct fault *f)
{
	bool front = true; /* where a fat binary must be whole; further on its magic may stand by chance */
	size_t step;

	for (; s.n >= 16; front = false, s = (struct span){s.at + step, s.n - step}) {
		step = 8;
		if (!bare && is_fatbin(&s) && (front || inside(&s, get(&s, 6, 2), get(&s, 8, 8)))) {
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

static int read_any(struct cubins *c, struct span s, const char *file, struct fault *f)
{
	uint32_t images = c->images, n = c->n;

	if (is_cubin(&s)) {
		if (read_cubin(c, s, file, f) < 0)
			return -1;
	} else if (search(c, s, false, file, f) < 0 ||
		   (c->images == images && search(c, s, true, file, f) < 0)) {
		return -1;
	}
	if (c->images == images)
		return bad(f, file, "no cubin in the file", "a cubin, a fat binary or a program with one");
	if (c->n == n && !c->n)
		return bad(f, file, "no function in the cubins of the file",
			"a .text section for sm_70 to sm_121");
	return 0;
}

void cubins_add_code(struct cubins *c, const char *name, unsigned sm, const uint8_t *code, uint32_t n)
{
	uint8_t *copy = new_block(c, 16 * (size_t)n);

	if (n)
		memcpy(copy, code, 16 * (size_t)n);
	add_function(c, name, strlen(name), (struct span){copy, 16 * (size_t)n}, sm);
}

int cubins_add_bytes(struct cubins *c, const void *bytes, size_t n, const char *name, struct fault *f)
{
	uint8_t *copy = new_block(c, n);

	if (n)
		memcpy(copy, bytes, n);
	return read_any(c, (struct span){copy, n}, name, f);
}

static int file_bytes(FILE *in, const char *path, struct cubins *c, struct fault *f)
{
	size_t cap = 1 << 16, n = 0, got;
	uint8_t *all = xmalloc(cap);
	int rc;

	while ((got = fread(all + n, 1, cap - n, in)) > 0) {
		n += got;
		if (n > FILE_MAX) {
			free(all);
			return bad(f, path, "a file of more than 1 GiB", "a smaller one");
		}
		if (n == cap)
			all = xrealloc(all, cap *= 2, 1);
	}
	if (ferror(in)) {
		free(all);
		return bad(f, path, strerror(errno), "a file that can be read");
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
		return bad(f, path, strerror(errno), "a file that can be read");
	rc = file_bytes(in, path, c, f);
	fclose(in);
	return rc;
}

/* ---- control codes ------------------------------------------------------------------------------ */

static unsigned bits(const uint8_t *at, unsigned first, unsigned n)
{
	unsigned v = 0;

	for (unsigned i = 0; i < n; i++)
		v |= (unsigned)(at[(first + i) / 8] >> (first + i) % 8 & 1) << i;
	return v;
}

void control_decode(struct control_code *k, const uint8_t at[16])
{
	*k = (struct control_code){
		.opcode = (uint16_t)bits(at, 0, 12),
		.guard = (uint8_t)bits(at, 12, 3),
		.stall = (uint8_t)bits(at, 105, 4),
		.yield = !bits(at, 109, 1),
		.write = (uint8_t)bits(at, 110, 3),
		.read = (uint8_t)bits(at, 113, 3),
		.wait = (uint8_t)bits(at, 116, 6),
		.reuse = (uint8_t)bits(at, 122, 3),
		.slot = {at[3], at[4], at[8]},
		.depbar_counter = (uint8_t)bits(at, 44, 3),
		.depbar_most = (uint8_t)bits(at, 38, 6),
		.depbar_list = (uint8_t)bits(at, 32, 6),
	};
	if (k->depbar_counter > 5)
		k->depbar_counter = 5;
}

static void set_bits(uint8_t *at, unsigned first, unsigned n, unsigned v)
{
	for (unsigned i = 0; i < n; i++) {
		at[(first + i) / 8] &= (uint8_t) ~(1u << (first + i) % 8);
		at[(first + i) / 8] |= (uint8_t)((v >> i & 1) << (first + i) % 8);
	}
}

void control_encode(const struct control_code *k, uint8_t at[16])
{
	memset(at, 0, 16);
	set_bits(at, 0, 12, k->opcode);
	set_bits(at, 12, 3, k->guard);
	at[3] = k->slot[0];
	at[4] = k->slot[1];
	at[8] = k->slot[2];
	if (k->opcode == CONTROL_DEPBAR) {
		set_bits(at, 44, 3, k->depbar_counter);
		set_bits(at, 38, 6, k->depbar_most);
		set_bits(at, 32, 6, k->depbar_list);
	}
	set_bits(at, 105, 4, k->stall);
	set_bits(at, 109, 1, !k->yield);
	set_bits(at, 110, 3, k->write);
	set_bits(at, 113, 3, k->read);
	set_bits(at, 116, 6, k->wait);
	set_bits(at, 122, 3, k->reuse);
}
