/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * msgpack values of packed traces. msgpack-c writes them. The reader in this file reads one value after another from
 * memory without building objects, so a damaged stream cannot cause a large allocation.
 */
#include <msgpack.h>
#include "buf.h"

static int write_to(void *to, const char *p, size_t n)
{
	buf_add(to, p, n);
	return 0;
}

void mp_uint(struct buf *b, uint64_t v)
{
	msgpack_packer k;

	msgpack_packer_init(&k, b, write_to);
	msgpack_pack_uint64(&k, v);
}

void mp_int(struct buf *b, int64_t v)
{
	msgpack_packer k;

	msgpack_packer_init(&k, b, write_to);
	msgpack_pack_int64(&k, v);
}

void mp_str(struct buf *b, const void *s, size_t n)
{
	msgpack_packer k;

	msgpack_packer_init(&k, b, write_to);
	msgpack_pack_str(&k, n);
	msgpack_pack_str_body(&k, s, n);
}

void mp_bin(struct buf *b, const void *s, size_t n)
{
	msgpack_packer k;

	msgpack_packer_init(&k, b, write_to);
	msgpack_pack_bin(&k, n);
	msgpack_pack_bin_body(&k, s, n);
}

/* ---- reading ------------------------------------------------------------------------------ */

static uint64_t get_big_endian(struct cur *c, unsigned n)
{
	const uint8_t *p = cur_bytes(c, n);
	uint64_t v = 0;

	for (unsigned i = 0; p && i < n; i++)
		v = v << 8 | p[i];
	return v;
}

static uint64_t bad_msgpack(struct cur *c)
{
	c->bad = true;
	return 0;
}

uint64_t mp_get_uint(struct cur *c, uint64_t max)
{
	uint8_t t = cur_byte(c);
	uint64_t v = t < 0x80                 ? t
		     : t >= 0xcc && t <= 0xcf ? get_big_endian(c, 1u << (t - 0xcc))
					      : bad_msgpack(c);

	return v <= max && !c->bad ? v : bad_msgpack(c);
}

int64_t mp_get_int(struct cur *c)
{
	uint8_t t = cur_byte(c);

	if (t < 0x80 || t >= 0xe0)
		return (int8_t)t;
	if (t >= 0xcc && t <= 0xcf)
		return (int64_t)get_big_endian(c, 1u << (t - 0xcc));
	switch (t) {
	case 0xd0: return (int8_t)get_big_endian(c, 1);
	case 0xd1: return (int16_t)get_big_endian(c, 2);
	case 0xd2: return (int32_t)get_big_endian(c, 4);
	case 0xd3: return (int64_t)get_big_endian(c, 8);
	default: return (int64_t)bad_msgpack(c);
	}
}

const uint8_t *mp_get_str(struct cur *c, size_t *n)
{
	uint8_t t = cur_byte(c);

	*n = 0;
	if ((t & 0xe0) == 0xa0)
		*n = t & 31;
	else if (t >= 0xd9 && t <= 0xdb)
		*n = get_big_endian(c, 1u << (t - 0xd9));
	else if (t >= 0xc4 && t <= 0xc6)
		*n = get_big_endian(c, 1u << (t - 0xc4));
	else
		c->bad = true;
	const uint8_t *p = c->bad ? NULL : cur_bytes(c, *n);
	if (!p)
		*n = 0;
	return p;
}
