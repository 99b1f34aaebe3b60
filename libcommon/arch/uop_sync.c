/* SPDX-License-Identifier: BSD-2-Clause */
/* Synchronising instructions of machine code: mbarriers, bulk copies, fences, numbered barriers. */
#include <stdio.h>
#include <string.h>
#include "uop_int.h"

#define BARRIERS    16u
#define BAR_THREADS 2048u
#define MAXREG_MOST 256u /* most registers of a thread */

/* Returns true if the opcode has this part after one of its dots. */
static bool opcode_has_dot_part(const char *opcode, const char *part)
{
	size_t n = strlen(part);

	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.'))
		if (!strncmp(p + 1, part, n) && (!p[1 + n] || p[1 + n] == '.'))
			return true;
	return false;
}

/*
 * Returns the effects of SYNCS.ARRIVE. A suffix A?T? gives the number of arrivals and of expected bytes: 0, 1, or R
 * for the value of the register. A0TX completes that number of bytes. Without this suffix it is A1TR. RED is an
 * arrival without result; only this form may name the mbarrier of another thread block.
 */
static uint32_t arrive_effects(const char *opcode)
{
	static const struct {
		const char *part; /* suffix of the opcode */
		uint32_t effects; /* set of enum sync_effect */
	} rows[] = {
		{"A1T0", SYNC_ARRIVES},
		{"ART0", SYNC_ARRIVES_VALUE},
		{"A0T1", SYNC_EXPECTS},
		{"A0TR", SYNC_EXPECTS_VALUE},
		{"A0TX", SYNC_COMPLETES_VALUE},
		{"A1T1", SYNC_ARRIVES | SYNC_EXPECTS},
	};
	uint32_t other = (opcode_has_dot_part(opcode, "OPTOUT") ? SYNC_DROPS : 0u) |
			 (opcode_has_dot_part(opcode, "RED") ? SYNC_REMOTE : 0u);

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (opcode_has_dot_part(opcode, rows[i].part))
			return rows[i].effects | other;
	return SYNC_ARRIVES | SYNC_EXPECTS_VALUE | other;
}

static enum uop_sync syncs_operation(const char *opcode)
{
	if (opcode_has_dot_part(opcode, "EXCH"))
		return SYNC_INIT;
	if (opcode_has_dot_part(opcode, "ARRIVE"))
		return SYNC_ARRIVE;
	if (opcode_has_dot_part(opcode, "CCTL"))
		return SYNC_END;
	return opcode_has_dot_part(opcode, "TRYWAIT") ? SYNC_WAIT : SYNC_TEST;
}

static bool is_bulk_store(const char *opcode)
{
	return strstr(opcode, ".G.S") || !strncmp(opcode, "UTMASTG", 7) || !strncmp(opcode, "UTMAREDG", 8);
}

/*
 * Sets the barrier number and the thread count of a BAR whose line has two immediates; other lines lack these
 * (quirk Q2-7). A register at the place of the result contains the number, a source register the thread count; both are
 * read at run time (SYNC_BAR). The other operands are immediates.
 */
static int set_bar_attributes(struct uop *u, const struct inst *in, struct fault *f)
{
	uint64_t number = in->n_dst ? 0 : in->imm, threads = in->n_src ? 0 : in->n_dst ? in->imm : in->imm2;

	if (!in->two_imms)
		return 0;
	if (number >= BARRIERS || threads > BAR_THREADS)
		return fault_set(f, NOWHERE, "barrier",
			"'%.60s' at pc 0x%x has barrier %lld of %lld threads (expected a number below %u and at most %u threads)",
			in->opcode, in->pc, (long long)number, (long long)threads, BARRIERS, BAR_THREADS);
	u->groups = (uint32_t)number | (uint32_t)(threads + 31) / 32 << 8;
	if (opcode_has_dot_part(in->opcode, "ARV"))
		u->flags |= UOP_ARRIVE;
	if (in->n_dst + in->n_src && in->extra == EXTRA_VALUES)
		u->sync = SYNC_BAR;
	u->flags |= u->sync ? UOP_SYNC : 0;
	return 0;
}

void uop_set_sync(struct uop *u, enum uop_sync sync)
{
	u->sync = (uint8_t)sync;
	u->flags |= UOP_SYNC;
}

int uop_sync_attributes(struct uop *u, const struct inst *in, struct fault *f)
{
	if (!strncmp(in->opcode, "UCGABAR_ARV", 11))
		u->flags |= UOP_GANG | UOP_ARRIVE;
	else if (!strncmp(in->opcode, "UCGABAR_WAIT", 12))
		u->flags |= UOP_GANG;
	else if (!strncmp(in->opcode, "PREEXIT", 7))
		uop_set_sync(u, SYNC_PREEXIT);
	else if (!strncmp(in->opcode, "ACQBULK", 7))
		uop_set_sync(u, SYNC_ACQBULK);
	switch ((enum isa_kind)in->kind) {
	case KIND_SYNCS:
		if (!in->has_addr)
			return 0;
		u->sync = (uint8_t)syncs_operation(in->opcode);
		if (u->sync == SYNC_ARRIVE)
			u->groups = arrive_effects(in->opcode);
		break;
	case KIND_ARRIVES:
		if (!in->has_addr)
			return 0;
		u->sync = SYNC_COPIES;
		u->groups = opcode_has_dot_part(in->opcode, "ARVCNT") ? SYNC_ARRIVES : SYNC_COMPLETES;
		break;
	case KIND_STAS:
		if (!in->has_addr)
			return 0;
		u->sync = SYNC_STORE;
		break;
	case KIND_BULK:
		if (in->extra != EXTRA_COPY)
			return 0;
		u->sync = is_bulk_store(in->opcode) ? SYNC_BULK_STORE : SYNC_BULK;
		break;
	case KIND_FLUSH: u->sync = SYNC_FLUSH; break;
	case KIND_FENCE: u->sync = SYNC_FENCE; break;
	case KIND_MAXREG:
		if (!in->imm)
			return 0; /* traces that do not contain the number */
		u->sync = SYNC_MAXREG;
		u->groups = (uint32_t)(in->imm < MAXREG_MOST ? in->imm : MAXREG_MOST);
		break;
	case KIND_BAR: return set_bar_attributes(u, in, f);
	default: return 0;
	}
	u->flags |= UOP_SYNC;
	return 0;
}
