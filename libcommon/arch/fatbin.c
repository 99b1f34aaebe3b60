/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of fat binaries.
 *
 *   header   magic 0xba55ed50, u16 version 1, u16 bytes of this header, u64 bytes after it
 *   entries  u16 kind (1: PTX, 2: cubin), u32 bytes of the entry's header at 4, u64 bytes of payload at 8,
 *            u32 used bytes of a compressed payload at 16, u32 compute capability at 28, u64 flags at 40
 *            (bit 13: LZ4, bit 15: zstd, bit 20: target sm_NNa, bit 21: target sm_NNf), u64 decompressed
 *            bytes at 56
 *
 * Always true: an offset is checked against the remaining bytes before it is used; a payload decompresses to
 * exactly the size in its header, at most UNPACKED_MAX.
 */
#include "fatbin.h"
#include <limits.h>
#include <lz4.h>
#include <string.h>
#include <zstd.h>

#define UNPACKED_MAX (1u << 28)
#define FATBIN_MAGIC 0xba55ed50u
#define PACKED_LZ4   (1u << 13)
#define PACKED_ZSTD  (1u << 15)
#define TARGET_A     (1u << 20)
#define TARGET_F     (1u << 21)

static uint64_t read_fatbin_number(const uint8_t *at, unsigned bytes)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bytes; i++)
		v |= (uint64_t)at[i] << 8 * i;
	return v;
}

/* Sets *f to text. Returns -1. */
static int fatbin_fault(struct fault *f, const char *file, const char *text)
{
	return fault_set(f, (struct place){.file = file}, "cubin", "%s", text);
}

/* ---- payloads ----------------------------------------------------------------------------------- */

struct fatbin_span {
	const uint8_t *bytes;
	size_t n; /* number of bytes */
};

static bool is_inside_fatbin(const struct fatbin_span *s, uint64_t at, uint64_t n)
{
	return at <= s->n && n <= s->n - at;
}

char fatbin_variant(const struct fatbin_entry *e)
{
	return e->flags & TARGET_A ? 'a' : e->flags & TARGET_F ? 'f' : '\0';
}

static bool is_compressed(const struct fatbin_entry *e) { return e->flags & (PACKED_LZ4 | PACKED_ZSTD); }

size_t fatbin_size(const struct fatbin *b, const struct fatbin_entry *e, struct fault *f)
{
	if (is_compressed(e) && e->unpacked && e->unpacked <= UNPACKED_MAX)
		return e->unpacked;
	if (!is_compressed(e) && e->n && e->n <= UNPACKED_MAX)
		return e->n;
	fatbin_fault(f, b->file, "an entry of the fat binary is empty or larger than 256 MiB");
	return 0;
}

int fatbin_unpack(const struct fatbin *b, const struct fatbin_entry *e, uint8_t *out, struct fault *f)
{
	bool good = true;

	if (!is_compressed(e)) {
		memcpy(out, e->bytes, e->n);
		return 0;
	}
	memset(out, 0, e->unpacked);
	good = e->flags & PACKED_ZSTD
		       ? ZSTD_decompress(out, e->unpacked, e->bytes, e->n) == e->unpacked
		       : e->n <= INT_MAX && LZ4_decompress_safe((const char *)e->bytes, (char *)out,
						    (int)e->n, (int)e->unpacked) == (int)e->unpacked;
	return good ? 0
		    : fatbin_fault(f, b->file, "a packed entry of the fat binary ends early or is damaged");
}

/* ---- headers ------------------------------------------------------------------------------------ */

uint64_t fatbin_whole_size(const void *header)
{
	const uint8_t *h = header;
	uint64_t head = read_fatbin_number(h + 6, 2), size = read_fatbin_number(h + 8, 8);

	return read_fatbin_number(h, 4) == FATBIN_MAGIC && read_fatbin_number(h + 4, 2) == 1 && head >= 16 &&
			       size <= UINT64_MAX - head
		       ? head + size
		       : 0;
}

bool fatbin_has_magic(const void *bytes, size_t n)
{
	const uint8_t *h = bytes;

	return n >= 16 && read_fatbin_number(h, 4) == FATBIN_MAGIC && read_fatbin_number(h + 4, 2) == 1 &&
	       read_fatbin_number(h + 6, 2) >= 16;
}

int fatbin_open(
	struct fatbin *b, const void *bytes, size_t n, size_t *whole, const char *file, struct fault *f)
{
	const uint8_t *h = bytes;
	struct fatbin_span s = {h, n};
	uint64_t head, size;

	if (!fatbin_has_magic(bytes, n))
		return fatbin_fault(f, file, "not a fat binary of version 1");
	head = read_fatbin_number(h + 6, 2);
	size = read_fatbin_number(h + 8, 8);
	if (!is_inside_fatbin(&s, head, size))
		return fatbin_fault(f, file, "the fat binary ends early");
	*whole = head + size;
	*b = (struct fatbin){h + head, size, file};
	return 0;
}

int fatbin_next(struct fatbin *b, struct fatbin_entry *e, struct fault *f)
{
	struct fatbin_span s = {b->rest, b->n};
	uint64_t head, size, counts;

	if (!s.n)
		return 0;
	if (s.n < 64)
		return fatbin_fault(f, b->file, "the header of an entry of the fat binary ends early");
	head = read_fatbin_number(s.bytes + 4, 4);
	size = read_fatbin_number(s.bytes + 8, 8);
	counts = read_fatbin_number(s.bytes + 16, 4);
	if (head < 64 || !is_inside_fatbin(&s, head, size))
		return fatbin_fault(f, b->file, "an entry of the fat binary ends early");
	*e = (struct fatbin_entry){(unsigned)read_fatbin_number(s.bytes, 2),
		(unsigned)read_fatbin_number(s.bytes + 28, 4), s.bytes + head, size,
		read_fatbin_number(s.bytes + 40, 8), read_fatbin_number(s.bytes + 56, 8)};
	if (is_compressed(e) && counts && counts < size)
		e->n = counts;
	b->rest += head + size;
	b->n -= head + size;
	return 1;
}
