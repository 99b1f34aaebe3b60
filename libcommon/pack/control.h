/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Conversion of control codes to bytes of the stream, and search for the function that a kernel's header names.
 * Internal to libcommon.
 */
#ifndef PACK_CONTROL_H
#define PACK_CONTROL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "buf.h"

#define INST_BYTES 16u /* size of an instruction of machine code in bytes */

/*
 * Finds the name of the function and its compute capability in the text of the header. Returns false if one of them
 * is missing.
 */
struct function_name {
	const char *name;
	size_t len;
	unsigned sm; /* compute capability */
};
bool pack_function_name(struct function_name *f, const char *header, size_t n);

/* Returns the number of bytes that pack_control() appends for the n instructions at code. */
size_t pack_control_size(const uint8_t *code, uint32_t n);
/* Appends the control codes of n instructions, field by field. */
void pack_control(struct buf *out, const uint8_t *code, uint32_t n);
/*
 * Reverses pack_control(). control_decode() gives the original fields for the n instructions at out; their other bits
 * are 0. If out is NULL, skips the bytes. Returns false if there are too few bytes.
 */
bool pack_control_unpack(struct cur *in, uint8_t *out, uint32_t n);

#endif
