/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Address mapping: the bits of an address that select channel, bank and row (MEM-addr).
 *
 * Always true afterwards: all channels, sub partitions and banks that the masks can select exist, and their numbers
 * suit the function of -gpgpu_memory_partition_indexing. Column and burst bits are ignored because they have no
 * effect. request/addrdec.c of trace-sim decodes addresses.
 */
#include <string.h>
#include "params_int.h"

/* Sets the mapping of -gpgpu_mem_address_mask, which applies without -gpgpu_mem_addr_mapping (MEM-addr-1). */
static void set_mask_mapping(struct addr_params *a, int64_t value)
{
	a->channel = 0;
	a->bank = 0x1800;
	a->row = 0x07FFE000;
	switch (value) {
	case 0: a->bank = 0x300, a->channel_at = 10; break;
	case 1: a->channel_at = 13; break;
	case 2: a->channel_at = 11; break;
	case 3: a->row = 0x0FFFE000, a->channel_at = 11; break;
	case 5:
	case 6:
	case 14:
	case 15:
	case 16: a->channel_at = (int)value; break;
	case 100: a->bank = 0x3, a->channel_at = 1; break;
	case 103: a->bank = 0x3, a->channel_at = 3; break;
	case 106: a->channel_at = 6; break;
	case 160: a->bank = 0x300, a->channel_at = 6; break;
	default: a->channel = 0x1C00, a->bank = 0x300, a->row = 0x0FFF0000, a->channel_at = 10;
	}
}

/* The format is an optional "dramid@N;", then 64 letters from bit 63 down. */
const char *params_set_mapping(struct addr_params *a, const char *text)
{
	const char *bits = strchr(text, ';'), *s = text + 7;
	uint32_t at, bit = 64;

	a->channel = a->bank = a->row = 0;
	a->channel_at = -1;
	if (bits) {
		if (strncmp(text, "dramid@", 7) != 0 || !param_number(&s, &at) || s != bits || at > 63)
			return "dramid@BIT with a bit from 0 to 63 before the ';'";
		a->channel_at = (int)at;
	}
	for (s = bits ? bits + 1 : text; *s; s++) {
		if (*s == '|' || *s == ' ' || *s == '.')
			continue;
		if (!bit--)
			return "at most 64 address bits";
		switch (*s) {
		case 'D':
		case 'd': a->channel |= 1ull << bit; break;
		case 'B':
		case 'b': a->bank |= 1ull << bit; break;
		case 'R':
		case 'r': a->row |= 1ull << bit; break;
		case 'C':
		case 'c':
		case 'S':
		case 's':
		case '0': break;
		default: return "only D B R C S 0 and separators as address bits";
		}
	}
	if (bit)
		return "at least 64 address bits";
	if (bits && a->channel)
		return "either dramid@BIT or D bits for the channel, not both";
	return NULL;
}

/* Checks -gpgpu_memory_partition_indexing (MEM-addr-5). */
static int check_indexing(const struct memory_params *m, const struct gpuconf *c, struct fault *f)
{
	const enum conf_id id = OPT_gpgpu_memory_partition_indexing;
	uint32_t power = 1;

	switch (m->addr.partition_index) {
	case 1:
		if (!is_pow2(m->channels))
			return conf_reject(c, id, f, "needs a power of two of channels, not %u", m->channels);
		return 0;
	case 2:
		while (power < m->channels)
			power *= 2;
		if (m->channels < 2 ||
			(power * m->subs != 16 && power * m->subs != 32 && power * m->subs != 64))
			return conf_reject(c, id, f,
				"needs 16, 32 or 64 slices in all, with the channels rounded up to a power of two");
		return 0;
	case 3: return conf_fault(c, id, f, "0, 1, 2, 4, 5 or 6");
	case 4:
		if (m->addr.channel_at < (int)log2_floor(m->subs))
			return conf_reject(
				c, id, f, "needs a mapping with dramid@%u or above", log2_floor(m->subs));
		return 0;
	default: return 0;
	}
}

int params_set_addresses(struct memory_params *m, const struct gpuconf *c, struct fault *f)
{
	const enum conf_id id = OPT_gpgpu_mem_addr_mapping;
	const char *text = conf_text(c, id), *wanted = NULL;
	uint32_t channel_log2 = log2_floor(m->channels), sub_log2 = log2_floor(m->subs), bank_bits,
		 channel_bits;
	struct addr_params *a = &m->addr;

	a->partition_index = conf_uint(c, OPT_gpgpu_memory_partition_indexing);
	if (strcmp(text, "NULL") == 0)
		set_mask_mapping(a, conf_num(c, OPT_gpgpu_mem_address_mask));
	else
		wanted = params_set_mapping(a, text);
	if (wanted)
		return conf_fault(c, id, f, "%s", wanted);
	bank_bits = bit_count64(a->bank);
	channel_bits = a->channel_at < 0 ? bit_count64(a->channel) : 0;
	if (a->channel_at < 0 && !is_pow2(m->channels))
		return conf_fault(
			c, id, f, "dramid@BIT for %u channels, which are no power of two", m->channels);
	if (channel_bits > channel_log2)
		return conf_fault(c, id, f, "at most %u D bits for %u channels", channel_log2, m->channels);
	if (a->channel_at >= 0 && (uint32_t)a->channel_at + channel_log2 + sub_log2 > 63)
		return conf_fault(c, id, f, "a channel number that begins at bit %u or below",
			63 - channel_log2 - sub_log2);
	if (bank_bits < sub_log2)
		return conf_fault(
			c, id, f, "at least %u B bits to select among %u slices", sub_log2, m->subs);
	/* IPOLY bank indexing uses only the low bits; the other functions require that every decoded bank exists. */
	if (bank_bits > 30 || (m->dram.bank_index != 2 && m->dram.nbk < 1u << bank_bits))
		return conf_reject(c, id, f,
			"has %u B bits, too many for the %u banks (nbk) of -gpgpu_dram_timing_opt", bank_bits,
			m->dram.nbk);
	return check_indexing(m, c, f);
}
