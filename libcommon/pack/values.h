/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Groups of register values in texts: the values of traces of version 6, as "2 0000001f 00000020 ". Internal to
 * libcommon.
 *
 * A group is stored as the number of its values, if it changed, and as byte planes of differences from the best of
 * several predictions. A group that equals an earlier group of the text, or the group in the previous text of the
 * instruction, takes one byte. Floating-point numbers that nothing predicts are stored as they are, with the exponent
 * in a plane of its own.
 */
#ifndef PACK_VALUES_H
#define PACK_VALUES_H

#include "format.h"

#define VALUE_GROUPS 8u /* largest number of groups in a text */
#define VALUE_PLANES 4u /* planes of a value */

struct value_group {
	uint32_t n; /* number of values; 0: the instruction had no group yet */
	uint32_t value[32];
};

/* Sets *g to the group at p. Returns its length in bytes, or 0 if there is none. */
size_t values_parse(const uint8_t *p, const uint8_t *end, struct value_group *g);
/* Writes the text of a group. Returns its length. */
size_t values_text(uint8_t *o, const struct value_group *g);

/* Inputs of predictions of a group. */
struct value_before {
	const struct value_group *last; /* same group of the previous text of the instruction */
	uint32_t address; /* low half of the first active lane's address; 0: no active lane has one */
};

/* Appends group k of a text to the columns. group: the groups of this text. */
void values_put(
	const struct value_group *group, unsigned k, const struct value_before *b, struct buf col[N_COLUMNS]);
/* Reads group k of a text from the columns of widths and planes. Returns false if it is damaged. */
bool values_next(struct value_group *group, unsigned k, const struct value_before *b, struct cur *width,
	struct cur plane[2 * VALUE_PLANES]);

#endif
