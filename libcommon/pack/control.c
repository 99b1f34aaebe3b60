/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control codes of functions as bytes of the stream: for each field that control_decode() reads, its values in all
 * instructions. No other part of the machine code is stored.
 *
 * Always true: an instruction takes 8 bytes, a DEPBAR.LE 9. Unpacked code decodes to the original fields.
 */
#include <string.h>
#include "cubin.h"
#include "control.h"

/* Bytes of an instruction that are stored unchanged: opcode and guard, and the registers in slots a, b and c. */
static const uint8_t kept[] = {0, 1, 3, 4, 8};

#define N_KEPT       (sizeof(kept) / sizeof(kept[0]))
#define N_CONTROL    3u /* size of a control code in bytes */
#define CONTROL_BIT  105u
#define CONTROL_BITS 21u
#define DEPBAR_BYTE  5u /* index of the byte with further operands of DEPBAR.LE */

static bool is_depbar(const uint8_t *inst) { return (inst[0] | (inst[1] & 15u) << 8) == CONTROL_DEPBAR; }

static uint32_t control_bits(const uint8_t *inst)
{
	uint32_t v = (uint32_t)inst[13] | (uint32_t)inst[14] << 8 | (uint32_t)inst[15] << 16;

	return v >> (CONTROL_BIT - 8 * 13) & ((1u << CONTROL_BITS) - 1);
}

size_t pack_control_size(const uint8_t *code, uint32_t n)
{
	size_t size = (N_KEPT + N_CONTROL) * (size_t)n;

	for (uint32_t i = 0; i < n; i++)
		size += is_depbar(code + INST_BYTES * (size_t)i);
	return size;
}

void pack_control(struct buf *out, const uint8_t *code, uint32_t n)
{
	for (size_t k = 0; k < N_KEPT; k++)
		for (uint32_t i = 0; i < n; i++)
			buf_byte(out, code[INST_BYTES * (size_t)i + kept[k]]);
	for (unsigned k = 0; k < N_CONTROL; k++)
		for (uint32_t i = 0; i < n; i++)
			buf_byte(out, (uint8_t)(control_bits(code + INST_BYTES * (size_t)i) >> 8 * k));
	for (uint32_t i = 0; i < n; i++)
		if (is_depbar(code + INST_BYTES * (size_t)i))
			buf_byte(out, code[INST_BYTES * (size_t)i + DEPBAR_BYTE]);
}

bool pack_control_unpack(struct cur *in, uint8_t *out, uint32_t n)
{
	const uint8_t *field = cur_bytes(in, (N_KEPT + N_CONTROL) * (size_t)n);

	if (!field)
		return false;
	for (uint32_t i = 0; i < n; i++) {
		uint8_t inst[INST_BYTES] = {0};
		uint32_t v = 0;

		for (size_t k = 0; k < N_KEPT; k++)
			inst[kept[k]] = field[k * n + i];
		for (unsigned k = 0; k < N_CONTROL; k++)
			v |= (uint32_t)field[(N_KEPT + k) * n + i] << 8 * k;
		v = (v & ((1u << CONTROL_BITS) - 1)) << (CONTROL_BIT - 8 * 13);
		for (unsigned k = 0; k < N_CONTROL; k++)
			inst[13 + k] = (uint8_t)(v >> 8 * k);
		if (is_depbar(inst))
			inst[DEPBAR_BYTE] = cur_byte(in);
		if (out)
			memcpy(out + INST_BYTES * (size_t)i, inst, INST_BYTES);
	}
	return !in->bad;
}

/*
 * Returns the text after a word that begins a line, up to the line's end. Returns NULL if no line begins with the
 * word.
 */
static const char *text_after_word(const char *text, size_t n, const char *word, size_t *len)
{
	const char *at = n ? memmem(text, n, word, strlen(word)) : NULL;

	while (at && at > text && at[-1] != '\n')
		at = memmem(at + 1, (size_t)(text + n - at - 1), word, strlen(word));
	if (!at)
		return NULL;
	at += strlen(word);
	const char *nl = memchr(at, '\n', (size_t)(text + n - at));
	*len = (size_t)((nl ? nl : text + n) - at);
	return at;
}

bool pack_function_name(struct function_name *f, const char *header, size_t n)
{
	size_t len = 0;
	const char *sm = text_after_word(header, n, "-binary version = ", &len);

	f->sm = 0;
	for (size_t i = 0; sm && i < len && sm[i] >= '0' && sm[i] <= '9' && f->sm < 1000; i++)
		f->sm = 10 * f->sm + (unsigned)(sm[i] - '0');
	f->name = text_after_word(header, n, "-kernel name = ", &f->len);
	while (f->name && f->len && strchr(" \t\r", f->name[f->len - 1]))
		f->len--;
	return f->sm && f->name && f->len;
}
