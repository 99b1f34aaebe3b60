/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Undefined registers: registers of a lane with a value that was read from memory that was never written. They are
 * reported when the value is used, not when it is read, because correct programs read more than they use.
 */
#ifndef UNDEFINED_H
#define UNDEFINED_H

#include "exec/exec.h"

/*
 * A read of bytes that were never written. Its text is made when it is reported: `conversion` of HeCBench, with 131,072
 * elements, takes 1.6 s instead of 3.8 s.
 */
struct unset_read {
	/* Writes the text of the read by op o. */
	void (*describe)(
		const struct warp *w, const struct op *o, const struct unset_read *r, char *out, size_t cap);
	uint64_t address;
	uint64_t bytes;     /* number of bytes */
	bool all_unwritten; /* all bytes are unwritten */
	uint32_t stored_read; /* 1 + number of the read whose undefined value was stored there (shared.c); 0: none */
};

/*
 * Updates the undefined registers for op o, before the op is executed. mask: lanes that run; exec: lanes that execute
 * the op. Reports uses of undefined registers.
 */
void undefined_step(struct warp *w, const struct op *o, uint32_t mask, uint32_t exec);
/* Returns the lanes in which a register is undefined. Called only if w->undefined is not NULL. */
uint32_t undefined_lanes(const struct warp *w, uint32_t slot);
/*
 * Notes that a read of the lane includes bytes that were never written: bit b of unset is set for byte b.
 */
void undefined_note_read(
	struct warp *w, const struct op *o, unsigned lane, uint64_t unset, const struct unset_read *r);
/*
 * Notes an access of the lanes of m that was checked, so that bytes in memory keep the state of a register. Called only
 * if w->undefined is not NULL.
 */
void undefined_note_access(
	struct warp *w, const struct op *o, uint32_t m, uint64_t bytes, uint8_t *const *at, bool write);
/* Reports bytes of local memory with undefined values that are printed. */
void undefined_note_print(
	struct warp *w, const struct op *o, unsigned lane, const uint8_t *at, uint64_t bytes);

/* The functions copy and clear states for calls. Offsets of registers are relative to w->frames. */
void undefined_copy_register(struct warp *w, size_t to, size_t from, uint32_t mask);
void undefined_copy_local(struct warp *w, const uint8_t *to, const uint8_t *from, uint64_t bytes);
void undefined_copy_to_local(struct warp *w, const uint8_t *to, size_t from, unsigned lane, uint64_t bytes);
void undefined_clear_registers(struct warp *w, size_t at, size_t bytes);

/* States of the registers of a parked call. */
struct undefined_registers {
	uint32_t *lanes; /* NULL: all are defined */
	uint16_t *origin;
	size_t n;
};
/* Moves the states of registers to *to. Called only if w->undefined is not NULL. */
void undefined_take_registers(struct warp *w, size_t at, size_t bytes, struct undefined_registers *to);
/* Sets the states of registers, whose frame is new, to *from. */
void undefined_put_registers(struct warp *w, size_t at, const struct undefined_registers *from);
void undefined_free_registers(struct undefined_registers *r);

/* Makes all registers and bytes defined. */
void undefined_reset(struct warp *w);
void undefined_free(struct warp *w);

#endif
