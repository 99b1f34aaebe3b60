/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Measures clock windows: instructions with control codes between two reads of the clock, on a core that
 * obeys the codes.
 *
 * The params of a row are the code, with " | " between instructions. Each instruction has the form
 *
 *   PC [B012345:Rn:Wn:Y:Snn] OPCODE OPERANDS
 *
 * with wait mask, read counter, write counter, yield and stall. A '-' replaces an absent one. An operand whose register
 * is kept for reuse is marked .reuse.
 *
 * The probe adds the code before the window: independent moves and, for queued shared loads, a store and a
 * barrier, as in the measured programs. Its instructions hit in their caches. The programs of "cggty_policy"
 * read two special registers before the window and wait for them after it. Their caches are empty at first,
 * as in the measurement, because the start of each warp is part of the figure. The text determines all fields
 * of an encoded instruction that the core uses, so no assembler is needed.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bytes.h"
#include "cubin.h"
#include "num.h"
#include "selftest/bench.h"
#include "selftest/probe.h"

#define LINES_MOST 96u
#define STEMS_MOST 32u
#define NO_REG     255u

struct probe_line {
	char op[32], dst[8], src[40];
	struct control_code code;
};

struct probe_window {
	struct probe_line line[LINES_MOST];
	uint32_t n;           /* number of lines */
	uint32_t first_clock; /* index of the line with the first clock read */
	uint32_t last_clock;  /* index of the line with the last clock read */
	char stem[STEMS_MOST][16];
	uint32_t n_stems;
};

/* ---- one instruction ---------------------------------------------------------------------------- */

static bool parse_counter(char c, uint8_t *n)
{
	*n = c == '-' ? 7 : (uint8_t)(c - '0');
	return c == '-' || (c >= '0' && c <= '5');
}

/*
 * Parses a control code such as "[B------:R-:W2:-:S04] ". Returns the text after it, or NULL if it is not a
 * control code.
 */
static const char *parse_control(const char *s, struct control_code *k)
{
	static const char form[] = "[B......:R.:W.:.:S..] ";

	for (size_t i = 0; form[i]; i++)
		if (!s[i] || (form[i] != '.' && s[i] != form[i]))
			return NULL;
	*k = (struct control_code){.guard = 7, .slot = {NO_REG, NO_REG, NO_REG}};
	for (unsigned i = 0; i < 6; i++)
		if (s[2 + i] >= '0' && s[2 + i] <= '5')
			k->wait |= (uint8_t)(1u << (s[2 + i] - '0'));
		else if (s[2 + i] != '-')
			return NULL;
	k->yield = s[15] == 'Y';
	if (!parse_counter(s[10], &k->read) || !parse_counter(s[13], &k->write) ||
		!isdigit((unsigned char)s[18]) || !isdigit((unsigned char)s[19]))
		return NULL;
	k->stall = (uint8_t)((s[18] - '0') * 10 + s[19] - '0');
	return k->stall < 16 ? s + sizeof(form) - 1 : NULL;
}

/*
 * Assigns the opcode number of the line's stem. Stems are numbered in order of appearance. Returns false if
 * there are too many stems.
 */
static bool assign_opcode(struct probe_window *w, struct probe_line *l)
{
	size_t n = strcspn(l->op, ".");
	uint32_t i = 0;

	if (n >= sizeof(*w->stem))
		return false;
	if (n == 6 && !memcmp(l->op, "DEPBAR", n)) {
		l->code.opcode = CONTROL_DEPBAR;
		return true;
	}
	while (i < w->n_stems && (strlen(w->stem[i]) != n || memcmp(w->stem[i], l->op, n) != 0))
		i++;
	if (i == STEMS_MOST)
		return false;
	if (i == w->n_stems) {
		memcpy(w->stem[w->n_stems], l->op, n);
		w->stem[w->n_stems++][n] = '\0';
	}
	l->code.opcode = (uint16_t)(0x100 + i);
	return true;
}

static bool is_store_line(const struct probe_line *l) { return !strncmp(l->op, "ST", 2); }

/* Parses operand number *n, a register such as "R12" or "RZ", and increments *n. */
static bool parse_code_register(struct probe_line *l, const char *s, const char *end, uint32_t *n)
{
	unsigned reg = s[1] == 'Z' ? NO_REG : (unsigned)strtoul(s + 1, NULL, 10);
	bool dst = !*n && !is_store_line(l);
	uint32_t slot = *n - !is_store_line(l);

	if (reg > NO_REG)
		return false;
	++*n;
	if (dst) {
		snprintf(l->dst, sizeof(l->dst), "R%u", reg);
		return true;
	}
	if (strlen(l->src) + 6 > sizeof(l->src))
		return false;
	snprintf(l->src + strlen(l->src), 7, "%sR%u", *l->src ? " " : "", reg);
	if (slot < 3) {
		l->code.slot[slot] = (uint8_t)reg;
		if (!strncmp(end, ".reuse", 6))
			l->code.reuse |= (uint8_t)(1u << slot);
	}
	return true;
}

static bool parse_code_operands(struct probe_line *l, const char *s, const char *end)
{
	const char *counter = strstr(s, "SB");
	uint32_t n = 0;

	if (l->code.opcode == CONTROL_DEPBAR) {
		if (!counter || counter + 2 >= end || counter[2] < '0' || counter[2] > '5')
			return false;
		l->code.depbar_counter = (uint8_t)(counter[2] - '0');
		counter = strchr(counter, ',');
		l->code.depbar_limit =
			(uint8_t)(counter && counter < end ? strtoul(counter + 1, NULL, 0) & 63 : 0);
		return true;
	}
	for (; s < end; s++) {
		const char *from = s;

		if (*s != 'R' || isalnum((unsigned char)s[-1]) || s[-1] == '_' ||
			!(s[1] == 'Z' || isdigit((unsigned char)s[1])))
			continue;
		s += strspn(s + 1, "0123456789Z"); /* here s points to the last character of the register */
		if (!parse_code_register(l, from, s + 1, &n))
			return false;
	}
	return true;
}

/* Parses the instruction from s to `end`, skips its address, and appends it. */
static bool append_code_line(struct probe_window *w, const char *s, const char *end)
{
	struct probe_line *l = &w->line[w->n];
	size_t n;

	s += strspn(s, " ");
	s += strspn(s, "0123456789abcdef");
	s += strspn(s, " ");
	if (w->n == LINES_MOST || s >= end)
		return false;
	*l = (struct probe_line){.op = ""};
	s = parse_control(s, &l->code);
	if (!s || s >= end)
		return false;
	n = strcspn(s, " |");
	if (n >= sizeof(l->op) || !n)
		return false;
	memcpy(l->op, s, n);
	w->n++;
	return assign_opcode(w, l) && parse_code_operands(l, s + n, end);
}

static bool append_code_text(struct probe_window *w, const char *text)
{
	return append_code_line(w, text, text + strlen(text));
}

/* ---- the window --------------------------------------------------------------------------------- */

/* Builds the window of a row. Returns NULL if the params do not describe a window. */
static struct probe_window *new_probe_window(const struct probe *p)
{
	struct probe_window *w = xcalloc(1, sizeof(*w));
	const char *code = p->params;
	bool good = true, span = !strcmp(p->rest, "cggty_policy");

	if (span) {
		good &= append_code_text(w, "[B------:R-:W-:-:S02] IMAD.MOV.U32 R1, RZ, RZ");
		good &= append_code_text(w, "[B------:R-:W0:-:S04] S2R R8, SR");
		good &= append_code_text(w, "[B------:R-:W1:-:S02] S2R R0, SR");
	}
	for (unsigned i = 0; i < 4 && !span; i++)
		good &= append_code_text(w, "[B------:R-:W-:-:S04] MOV R20, R21");
	if (!strcmp(p->rest, "queue_throughput") || !strcmp(p->rest, "four_subcores")) {
		good &= append_code_text(w, "[B------:R-:W-:-:S04] STS [R11], R12");
		good &= append_code_text(w, "[B------:R-:W-:-:S06] BAR.SYNC");
	}
	w->first_clock = w->n;
	while (good && code) {
		const char *end = strstr(code, " | ");

		good = append_code_line(w, code, end ? end : code + strlen(code));
		code = end ? end + 3 : NULL;
	}
	w->last_clock = w->n - 1;
	if (span)
		good &= append_code_text(w, "[B0-----:R-:W-:Y:S13] LOP3.LUT RZ, R8, RZ");
	good = good && append_code_text(w, "[B------:R-:W-:-:S05] EXIT") &&
	       !strncmp(w->line[w->first_clock].op, "CS2R", 4) &&
	       !strncmp(w->line[w->last_clock].op, "CS2R", 4) && w->last_clock > w->first_clock;
	if (!good) {
		free(w);
		w = NULL;
	}
	return w;
}

static void write_clock_window(struct scribe *s, const struct micro *m, uint32_t block, uint32_t warp)
{
	const struct probe_window *w = m->arg;

	(void)block;
	(void)warp;
	for (uint32_t i = 0; i < w->n; i++) {
		const struct probe_line *l = &w->line[i];

		if (!strncmp(l->op, "LDG", 3))
			scribe_mem(s, LANES_ALL, l->dst, l->op, l->src, 4, MICRO_DATA, 4);
		else if (!strncmp(l->op, "LDS", 3) || !strncmp(l->op, "STS", 3))
			scribe_mem(s, LANES_ALL, l->dst, l->op, l->src, 4, MICRO_SHARED, 4);
		else
			scribe_op(s, l->dst, l->op, l->src, 0);
	}
}

/* ---- cycles from the event log ---------------------------------------------------------------- */

enum probe_reading { READ_FIRST, READ_LEAST, READ_SPAN };

bool probe_issue_event(const char *at, uint64_t *cycle, uint64_t *warp, uint64_t *pc)
{
	uint64_t sm;

	if (num_digits(&at, NULL, 10, UINT64_MAX, cycle) != NUM_GOOD || strncmp(at, "\tissue\t", 7))
		return false;
	at += 7;
	if (num_digits(&at, NULL, 10, UINT32_MAX, &sm) != NUM_GOOD || *at++ != '\t' ||
		num_digits(&at, NULL, 10, UINT32_MAX, warp) != NUM_GOOD || *at++ != '\t')
		return false;
	at += at[0] == '0' && at[1] == 'x' ? 2 : 0;
	return num_digits(&at, NULL, 16, UINT32_MAX, pc) == NUM_GOOD;
}

/*
 * Number of cycles from the first to the last clock read. `how` is READ_FIRST for warp 0, READ_LEAST for the
 * minimum over all warps, or READ_SPAN for the time from the first read of any warp to the last read of any
 * warp.
 */
static double window_cycles(
	const char *log, const struct probe_window *w, enum probe_reading how, uint32_t warps)
{
	uint64_t start[32] = {0}, stop[32] = {0}, least = UINT64_MAX, from = UINT64_MAX, to = 0;

	for (const char *at = log; *at; at = strchr(at, '\n') + 1) {
		uint64_t cycle, warp, pc;

		if (probe_issue_event(at, &cycle, &warp, &pc) && warp < 32) {
			if (pc == 16 * w->first_clock)
				start[warp] = cycle;
			if (pc == 16 * w->last_clock)
				stop[warp] = cycle;
		}
	}
	for (uint32_t i = 0; i < warps; i++) {
		from = start[i] < from ? start[i] : from;
		to = stop[i] > to ? stop[i] : to;
		least = stop[i] - start[i] < least ? stop[i] - start[i] : least;
	}
	return (double)(how == READ_FIRST ? stop[0] - start[0] : how == READ_LEAST ? least : to - from);
}

static struct cubins *window_cubins(const struct probe_window *w, const struct micro *m)
{
	struct cubins *c = cubins_new();
	uint8_t(*code)[16] = xcalloc(w->n, sizeof(*code));

	for (uint32_t i = 0; i < w->n; i++)
		control_encode(&w->line[i].code, code[i]);
	cubins_add_code(c, m->name, m->arch, code[0], w->n);
	free(code);
	return c;
}

double probe_codes(const struct probe *p, const struct subject *s)
{
	enum probe_reading how = !strcmp(p->rest, "cggty_policy")    ? READ_SPAN
				 : !strcmp(p->rest, "four_subcores") ? READ_LEAST
								     : READ_FIRST;
	struct micro m = {.name = "window",
		.blocks = 1,
		.threads = how == READ_SPAN    ? 416
			   : how == READ_LEAST ? 128
					       : 32,
		.nregs = 32,
		.shmem = 1024,
		.arch = s->arch,
		.same_for_all_warps = true,
		.body = write_clock_window};
	struct params *params = xcalloc(1, sizeof(*params));
	struct probe_window *w = new_probe_window(p);
	struct bytes log = {0};
	struct events events = {.out = bytes_stream(&log)};
	struct bench *b;
	double cycles;

	m.arg = w;
	*params = s->params;
	params->core.perfect_icache = how != READ_SPAN;
	b = bench_open_logged(params, s->isa, &events);
	b->run.gpu.joins.cubins = window_cubins(w, &m);
	for (uint64_t at = 0; at < 128; at += 32)
		bench_warm_l2(b, MICRO_DATA + at, 32, 0, false);
	bench_run_kernel(b, &m);
	bench_close(b);
	fclose(events.out);
	cycles = window_cycles(log.p, w, how, m.threads / 32);
	bytes_free(&log);
	free(w);
	free(params);
	return cycles;
}

bool probe_codes_prepare(
	struct probe *p, const struct measured_row *r, const struct subject *s, const char **why)
{
	struct probe_window *w;

	(void)r;
	snprintf(p->group, sizeof(p->group), "windows%s%s", *p->rest == 'c' || *p->rest == 'f' ? " " : "",
		!strcmp(p->rest, "cggty_policy")    ? "of warps"
		: !strcmp(p->rest, "four_subcores") ? "of sub-cores"
						    : "");
	if (strstr(p->params, "LDG"))
		snprintf(p->group, sizeof(p->group), "windows with L2");
	*why = "requires a modern core of four sub-cores, which obeys control codes";
	if (!s->params.modern.enabled || s->params.core.schedulers != 4)
		return false;
	*why = "params are not a window (expected instructions 'PC [B------:R-:W-:-:S01] OPCODE OPERANDS' from CS2R to CS2R, with ' | ' between them)";
	w = new_probe_window(p);
	free(w);
	return w != NULL;
}
