/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Finds the control codes of a kernel. Its function is searched by name and architecture in the files of --cubin, then
 * in the packed stream of the kernel. The control codes of the function are joined with the trace by PC.
 *
 * Always true: control codes apply to all instructions of a kernel or to none, and only if every instruction of
 * its first thread block matches (cubin.h). A kernel whose dependences follow from registers takes only the guards
 * from its function. A function is joined once; launches of the same name share the result.
 */
#include <stdlib.h>
#include "arena.h"
#include "core/core.h"
#include "core/join.h"
#include "cubin.h"

struct core_join {
	struct core_join *next;
	char *name;
	unsigned sm;
	struct core_control *codes; /* control codes, indexed by pc / 16; NULL: not joined */
	uint32_t n_codes;
	uint32_t matched;    /* number of instructions that match the function */
	uint32_t mismatched; /* number of instructions that differ from the function */
};

/* State of a comparison of a function with a trace. */
struct code_comparison {
	struct cubin_join *join;
	uint64_t *compared; /* bit set of the handles of instructions already compared */
	uint32_t matched, mismatched;
	char text[200]; /* text of the first mismatch */
};

static void compare_instruction(struct code_comparison *k, const struct inst *in)
{
	const char *bound = "";
	enum cubin_match got = cubin_join_compare(k->join, in->pc, in->opcode, &bound);
	char shown[64];

	if (got == CUBIN_MATCHES) {
		k->matched++;
		return;
	}
	if (k->mismatched++)
		return;
	snprintf(k->text, sizeof(k->text), "%s at pc 0x%x, where the function has %s%s",
		diag_quote(shown, sizeof(shown), in->opcode, strlen(in->opcode)), in->pc,
		got == CUBIN_NO_CODE ? "no instruction" : "the opcode of ", bound);
}

static void compare_first_block(struct code_comparison *k, const struct code *code, const struct tblock *tb)
{
	for (uint32_t i = 0; i < tb->n_recs; i++) {
		uint32_t h = tb->rec[i].inst;

		if (bitset_test(k->compared, h))
			continue;
		bitset_set(k->compared, h);
		compare_instruction(k, code_at(code, h));
	}
}

static struct core_control *decode_control_codes(const struct cubin_function *f)
{
	uint32_t n = f->bytes / 16;
	struct core_control *c = xcalloc(n ? n : 1, sizeof(*c));

	for (uint32_t i = 0; i < n; i++) {
		struct control_code k;

		control_decode(&k, f->code + 16 * (size_t)i);
		c[i] = (struct core_control){.stall = k.stall,
			.write = k.write,
			.read = k.read,
			.wait = k.wait,
			.reuse = k.reuse,
			.yield = k.yield,
			.guarded = k.guard != 7,
			.slot = {k.slot[0], k.slot[1], k.slot[2]},
			.depbar_counter = k.depbar_counter,
			.depbar_limit = k.depbar_limit,
			.depbar_list = k.depbar_list};
	}
	return c;
}

/* Warns that the kernel runs without control codes; with -core_dependence control, ends the run. */
static void report_missing_codes(enum core_dependence by, const struct kernel *k, const char *found)
{
	struct place at = {.file = k->path};

	if (by == DEPEND_CONTROL)
		die_at(at, "%s (-core_dependence control requires control codes)", found);
	diag_warn(at, "%s: the kernel runs without %s", found,
		by == DEPEND_SCOREBOARD ? "its guards" : "control codes");
}

/* Finds the function of the kernel in the files of --cubin, else in the packed stream. */
static const struct cubin_function *cubin_function_of(const struct cubins *files, const struct kernel *k)
{
	const struct cubins *in[] = {files, trace_codes(k->trace)};
	const struct cubin_function *f = NULL;

	for (unsigned i = 0; i < 2 && !f; i++)
		if (in[i])
			f = cubins_find(in[i], k->head->name, (unsigned)k->head->binary_version);
	return f;
}

static void join_function(struct core_join *j, const struct cubin_function *f, enum core_dependence by,
	const struct code *code, const struct kernel *k, const struct tblock *tb)
{
	struct code_comparison l = {.join = NULL};
	char found[320];

	if (!f) {
		snprintf(found, sizeof(found), "no function %.200s for sm_%d in the files of --cubin",
			k->head->name, k->head->binary_version);
		report_missing_codes(by, k, found);
		return;
	}
	l.join = cubin_join_new(f);
	l.compared = xcalloc(BITSET_WORDS(code_count(code)) + 1, sizeof(*l.compared));
	compare_first_block(&l, code, tb);
	j->mismatched = l.mismatched;
	if (l.mismatched) {
		snprintf(found, sizeof(found), "%s (%u of %u instructions match)", l.text, l.matched,
			l.matched + l.mismatched);
		report_missing_codes(by, k, found);
	} else {
		j->matched = l.matched;
		j->codes = decode_control_codes(f);
		j->n_codes = f->bytes / 16;
	}
	free(l.compared);
	cubin_join_free(l.join);
}

static bool join_matches(const struct core_join *j, const struct kernel *k)
{
	return j->sm == (unsigned)k->head->binary_version && !strcmp(j->name, k->head->name);
}

void core_join(struct core_joins *all, enum core_dependence by, const struct code *code, struct kernel *k,
	const struct tblock *tb)
{
	struct core_join *j = all->first;

	if (!all->cubins && !trace_codes(k->trace)) {
		if (by == DEPEND_CONTROL)
			report_missing_codes(
				by, k, "no control codes: neither --cubin nor the trace has any");
		return;
	}
	while (j && !join_matches(j, k))
		j = j->next;
	if (!j) {
		j = xcalloc(1, sizeof(*j));
		j->name = xstrdup(k->head->name);
		j->sm = (unsigned)k->head->binary_version;
		j->next = all->first;
		all->first = j;
		join_function(j, cubin_function_of(all->cubins, k), by, code, k, tb);
	}
	k->codes = j->codes;
	k->n_codes = j->n_codes;
	if (by != DEPEND_SCOREBOARD)
		all->insts += j->matched;
	all->mismatches += j->mismatched;
}

void core_joins_free(struct core_joins *all)
{
	while (all->first) {
		struct core_join *j = all->first;

		all->first = j->next;
		free(j->name);
		free(j->codes);
		free(j);
	}
	cubins_free(all->cubins);
}
