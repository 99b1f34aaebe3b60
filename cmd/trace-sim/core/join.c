/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Control codes for a kernel (--cubin): its function is found by name and machine, and joined with the trace by PC.
 *
 * Always true: a kernel runs by control codes as a whole or not at all; it does where every instruction of its first
 * thread block stands in the function and no opcode of the binary stands for two stems of the trace. Which stem an
 * opcode number stands for is learnt from the trace itself, so no list of opcodes is needed. A function is joined
 * once; launches of the same name share the result.
 */
#include <stdlib.h>
#include "arena.h"
#include "core/core.h"
#include "cubin.h"
#include "gpu/gpu.h"

struct core_join {
	struct core_join *next;
	char *name;
	unsigned sm;
	struct core_control *codes; /* NULL: not joined */
	uint32_t n_codes;
};

#define OPCODES 4096u

/* What is known while a function is looked at. */
struct look {
	const struct cubin_function *f;
	const struct inst *bound[OPCODES]; /* the first instruction seen with the opcode */
	uint64_t *seen;                    /* handles */
	uint32_t matched, mismatched;
	uint32_t pc; /* of the first mismatch */
	char text[200];
};

static bool same_stem(const char *a, const char *b)
{
	size_t n = sass_stem(a, strlen(a));

	return n == sass_stem(b, strlen(b)) && !memcmp(a, b, n);
}

static void mismatch(struct look *k, const struct inst *in, const char *what, const char *other)
{
	char shown[64];

	if (k->mismatched++)
		return;
	k->pc = in->pc;
	snprintf(k->text, sizeof k->text, "%s at pc 0x%x, where the function has %s%s",
		diag_quote(shown, sizeof shown, in->opcode, strlen(in->opcode)), in->pc, what, other);
}

static void check(struct look *k, const struct inst *in)
{
	struct control_code code;

	if (in->pc % 16 || in->pc >= k->f->bytes) {
		mismatch(k, in, "no instruction", "");
		return;
	}
	control_decode(&code, k->f->code + in->pc);
	if (!k->bound[code.opcode])
		k->bound[code.opcode] = in;
	if (same_stem(k->bound[code.opcode]->opcode, in->opcode))
		k->matched++;
	else
		mismatch(k, in, "the opcode of ", k->bound[code.opcode]->opcode);
}

static void check_block(struct look *k, const struct gpu *g, const struct tblock *tb)
{
	for (uint32_t i = 0; i < tb->n_recs; i++) {
		uint32_t h = tb->rec[i].inst;

		if (bitset_test(k->seen, h))
			continue;
		bitset_set(k->seen, h);
		check(k, code_at(g->code, h));
	}
}

static struct core_control *codes_of(const struct cubin_function *f)
{
	uint32_t n = f->bytes / 16;
	struct core_control *c = xcalloc(n ? n : 1, sizeof *c);

	for (uint32_t i = 0; i < n; i++) {
		struct control_code k;

		control_decode(&k, f->code + 16 * (size_t)i);
		c[i] = (struct core_control){.stall = k.stall,
			.write = k.write,
			.read = k.read,
			.wait = k.wait,
			.reuse = k.reuse,
			.yield = k.yield,
			.slot = {k.slot[0], k.slot[1], k.slot[2]},
			.depbar_counter = k.depbar_counter,
			.depbar_most = k.depbar_most,
			.depbar_list = k.depbar_list};
	}
	return c;
}

/* Without them the kernel runs by registers, unless control codes are demanded. */
static void without(const struct gpu *g, const struct kernel *k, const char *found)
{
	struct place at = {.file = k->path};

	if (g->params.modern.dependence == DEPEND_CONTROL)
		die_at(at, "found %s, wanted control codes for every kernel (-core_dependence control)",
			found);
	diag_warn(at, "found %s, wanted the function that was traced: the kernel runs without control codes",
		found);
}

static void join(struct gpu *g, const struct kernel *k, const struct tblock *tb, struct core_join *j)
{
	char found[320];
	struct look *l;

	l = xcalloc(1, sizeof *l);
	l->f = cubins_find(g->cubins, k->head->name, (unsigned)k->head->binary_version);
	if (!l->f) {
		snprintf(found, sizeof found, "no function %.200s for sm_%d in the files of --cubin",
			k->head->name, k->head->binary_version);
		without(g, k, found);
		free(l);
		return;
	}
	l->seen = xcalloc(BITSET_WORDS(code_count(g->code)) + 1, sizeof *l->seen);
	check_block(l, g, tb);
	g->control_mismatches += l->mismatched;
	if (l->mismatched) {
		snprintf(found, sizeof found, "%s (%u of %u instructions match)", l->text, l->matched,
			l->matched + l->mismatched);
		without(g, k, found);
	} else {
		g->control_insts += l->matched;
		j->codes = codes_of(l->f);
		j->n_codes = l->f->bytes / 16;
	}
	free(l->seen);
	free(l);
}

static bool is_of(const struct core_join *j, const struct kernel *k)
{
	return j->sm == (unsigned)k->head->binary_version && !strcmp(j->name, k->head->name);
}

void core_join(struct gpu *g, struct kernel *k, const struct tblock *tb)
{
	struct core_join *j = g->joins;

	if (!g->params.modern.on || g->params.modern.dependence == DEPEND_SCOREBOARD)
		return;
	if (!g->cubins) {
		if (g->params.modern.dependence == DEPEND_CONTROL)
			without(g, k, "no --cubin");
		return;
	}
	while (j && !is_of(j, k))
		j = j->next;
	if (!j) {
		j = xcalloc(1, sizeof *j);
		j->name = xstrdup(k->head->name);
		j->sm = (unsigned)k->head->binary_version;
		j->next = g->joins;
		g->joins = j;
		join(g, k, tb, j);
	}
	k->codes = j->codes;
	k->n_codes = j->n_codes;
}

void core_join_free(struct gpu *g)
{
	while (g->joins) {
		struct core_join *j = g->joins;

		g->joins = j->next;
		free(j->name);
		free(j->codes);
		free(j);
	}
	cubins_free(g->cubins);
}
