/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Decodes static instructions for the modern core: class, unit, registers, interval. Each instruction is decoded once,
 * at its first occurrence. Properties that follow from the opcode's text are determined once for each text.
 *
 * Always true: every register of an operand has its own entry in core_inst.src. RZ and URZ have none. An instruction
 * without INST_FIXED ends with an event. The number of registers of an operand follows from the opcode, because a
 * trace names only the first register. Operands that are predicates or constants are not modelled, because traces
 * lack them.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "core/core.h"
#include "core/code.h"

#define CODES_MAX (1u << 22)
#define SPAN_MAX  64
#define REG_RZ    (REG_R0 + 255)
#define REG_URZ   (REG_UR0 + 255)

static void set_dependence_distances(struct core_code *c)
{
	for (unsigned i = 0; i < N_SASS_CLASSES; i++) {
		memcpy(c->issue_distance[i], c->latency.after[i], N_SASS_OPERANDS);
		c->issue_distance[i][READ_OVERWRITE] = c->latency.overwrite[i];
		for (unsigned k = 0; k <= N_SASS_OPERANDS; k++)
			if (c->issue_distance[i][k] > c->longest_distance)
				c->longest_distance = c->issue_distance[i][k];
	}
}

struct core_code *core_code_new(const struct params *p)
{
	struct core_code *c = xcalloc(1, sizeof(*c));

	c->params = p;
	c->inst = reserve(CODES_MAX, sizeof(*c->inst));
	sass_latency(&c->latency, p->modern.family, p->modern.sm, p->modern.forwarding);
	/* A result that ends with an event is ready for all readers the same number of cycles after the event. */
	memset(c->latency.after[SASS_FAST], (int)p->modern.sb_release, N_SASS_OPERANDS);
	set_dependence_distances(c);
	return c;
}

void core_code_free(struct core_code *c)
{
	if (!c)
		return;
	reserve_free(c->inst, CODES_MAX, sizeof(*c->inst));
	arena_free(&c->arena);
	table_free(&c->kinds);
	free(c->kind);
	free(c);
}

/* ---- opcode text -------------------------------------------------------------------------------- */

static bool opcode_stem_is(const char *op, const char *stem)
{
	size_t n = strlen(stem);

	return !strncmp(op, stem, n) && (!op[n] || op[n] == '.');
}

/* Returns true if the opcode begins with `text`. LD matches LDG, LDS and so on. */
static bool opcode_starts_with(const char *op, const char *text) { return !strncmp(op, text, strlen(text)); }

/* Returns true if `suffix` is one of the opcode's parts after a dot. */
static bool has_suffix(const char *op, const char *suffix)
{
	size_t n = strlen(suffix);

	for (const char *s = strchr(op, '.'); s; s = strchr(s + 1, '.'))
		if (!strncmp(s + 1, suffix, n) && (!s[1 + n] || s[1 + n] == '.'))
			return true;
	return false;
}

static bool has_any_stem(const char *op, const char *const *stems)
{
	for (; *stems; stems++)
		if (opcode_stem_is(op, *stems))
			return true;
	return false;
}

/* ---- units -------------------------------------------------------------------------------------- */

static const char *const sfu_stems[] = {"MUFU", "POPC", "FLO", "BREV", "F2F", "F2I", "I2F", "FRND", "FCHK",
	"IPA", "F2FP", "I2FP", "I2I", "F2IP", NULL};
static const char *const misc_stems[] = {"S2R", "S2UR", "B2R", "R2B", "BAR", "CS2UR", NULL};
static const char *const no_unit_stems[] = {"NOP", "DEPBAR", "LDGDEPBAR", "MEMBAR", "ERRBAR", "FENCE",
	"NANOSLEEP", "CGAERRBAR", "CCTL", "CCTLL", "CCTLT", "WARPGROUP", "WARPGROUPSET", NULL};

static enum core_unit core_unit_of(const struct modern_params *m, const char *op, enum sass_class c)
{
	if (has_any_stem(op, no_unit_stems))
		return CORE_NO_UNIT;
	if (has_any_stem(op, misc_stems))
		return CORE_MISC;
	switch (c) {
	case SASS_FMAI: return op[0] == 'F' ? CORE_FP32 : CORE_IMAD;
	case SASS_IMAD: return CORE_IMAD;
	case SASS_HALF:
	case SASS_HFMA2_MMA: return CORE_HALF;
	case SASS_FP64:
	case SASS_CLMAD: return m->fp64_shared ? CORE_FP64_SHARED : CORE_FP64;
	case SASS_HMMA:
	case SASS_IMMA:
	case SASS_DMMA: return CORE_TENSOR;
	case SASS_BRU: return CORE_BRANCH;
	case SASS_FE: return CORE_NO_UNIT;
	case SASS_UDP:
	case SASS_ULDC:
	case SASS_UMOV:
	case SASS_R2UR:
	case SASS_LDCU:
	case SASS_TMEM: return CORE_UNIFORM;
	case SASS_S2UR: return CORE_MISC;
	case SASS_FAST:
	case SASS_SLOW: return has_any_stem(op, sfu_stems) ? CORE_SFU : CORE_MEMORY;
	case SASS_TMA: return CORE_MEMORY;
	default: return CORE_INT;
	}
}

static enum core_path memory_path(const char *op, const struct uop *u)
{
	if (opcode_stem_is(op, "LDC") || opcode_stem_is(op, "LDCU"))
		return PATH_CONST;
	return u->flags & UOP_ACCESS || u->space != SPACE_NONE ? PATH_ACCESS : PATH_EXCHANGE;
}

/* ---- matrix instructions ------------------------------------------------------------------------ */

/* Shape of a matrix instruction of one warp (HOPPER-mma-1). */
struct mma {
	uint8_t regs_a, regs_b, regs_c; /* numbers of registers of the matrices */
	uint16_t multiplications;
};

/* Returns the shape that the opcode names. The shape of a sparse instruction includes the zeros of A. */
static struct mma dense_mma_shape_of(const char *op)
{
	bool f32 = has_suffix(op, "F32");

	if (has_suffix(op, "16864"))
		return (struct mma){8, 4, 4, 4096};
	if (has_suffix(op, "16816"))
		return opcode_starts_with(op, "IMMA") ? (struct mma){2, 1, 4, 1024}
						      : (struct mma){4, 2, f32 ? 4 : 2, 2048};
	if (has_suffix(op, "16832"))
		return (struct mma){4, 2, 4, 2048};
	if (has_suffix(op, "1688"))
		return (struct mma){2, 1, f32 ? 4 : 2, 1024};
	if (has_suffix(op, "1684"))
		return (struct mma){2, 1, 4, 512};
	if (has_suffix(op, "8816") || has_suffix(op, "8832"))
		return (struct mma){1, 1, 2, 512};
	if (opcode_starts_with(op, "DMMA"))
		return (struct mma){2, 2, 4, 1024};
	return (struct mma){2, 2, f32 ? 4 : 2, 256}; /* HMMA.884, one of four steps */
}

static struct mma mma_shape_of(const char *op)
{
	struct mma k = dense_mma_shape_of(op);

	if (has_suffix(op, "TF32")) { /* a TF32 element has twice the size of a half */
		k.regs_a = (uint8_t)(2 * k.regs_a);
		k.regs_b = (uint8_t)(2 * k.regs_b);
		k.multiplications *= 2;
	}
	if (has_suffix(op, "SP")) {
		k.regs_a = k.regs_a > 1 ? k.regs_a / 2 : 1;
		k.multiplications /= 2;
	}
	return k;
}

static void set_matrix_timing(struct core_inst *i, const struct modern_params *m, const char *op)
{
	struct mma k = mma_shape_of(op);
	uint32_t interval = (k.multiplications + m->tensor_rate - 1) / m->tensor_rate;
	uint32_t whole = has_suffix(op, "SP") ? 2u * k.multiplications
					      : k.multiplications; /* multiplications with the zeros of A */

	interval += i->class == SASS_DMMA ? 0 : m->mma_setup;
	if (interval < m->interval[CORE_TENSOR])
		interval = m->interval[CORE_TENSOR];
	i->interval = (uint16_t)interval;
	if (m->sm < 90 && i->class == SASS_HMMA)
		i->result_delay = whole >= 2048 ? 26 - 27 : 18 - 27;
}

/* ---- registers of operands ---------------------------------------------------------------------- */

/* Returns the number of registers of loaded or stored data, by the width in the opcode. */
static unsigned count_data_registers(const char *op, const struct inst *in)
{
	if (has_suffix(op, "128"))
		return 4;
	if (has_suffix(op, "64"))
		return 2;
	return in->size > 4 && in->size <= 16 ? in->size / 4u : 1;
}

/* Returns true if the instruction moves matrices between shared memory and registers. */
static bool moves_matrices(const char *op)
{
	return opcode_starts_with(op, "LDSM") || opcode_stem_is(op, "STSM");
}

/* Returns the number of matrices that LDSM or STSM moves. Each matrix occupies one register. */
static unsigned count_moved_matrices(const char *op)
{
	return has_suffix(op, "4") || has_suffix(op, "x4")   ? 4
	       : has_suffix(op, "2") || has_suffix(op, "x2") ? 2
							     : 1;
}

static unsigned count_result_registers(const char *op, const struct inst *in, enum sass_class c)
{
	if (moves_matrices(op))
		return count_moved_matrices(op);
	if (opcode_starts_with(op, "LD") || opcode_starts_with(op, "ATOM"))
		return count_data_registers(op, in);
	if (c == SASS_HMMA || c == SASS_IMMA || c == SASS_DMMA)
		return mma_shape_of(op).regs_c;
	if (c == SASS_FP64 && !opcode_stem_is(op, "DSETP"))
		return 2;
	if (opcode_stem_is(op, "CS2R"))
		return has_suffix(op, "32") ? 1 : 2;
	if (has_suffix(op, "WIDE") && opcode_starts_with(op, "IMAD"))
		return 2;
	return has_suffix(op, "F64") && (opcode_starts_with(op, "I2F") ||
						(opcode_starts_with(op, "F2F") && strstr(op, ".F64.F32")))
		       ? 2
		       : 1;
}

static bool is_store(const char *op)
{
	return opcode_starts_with(op, "ST") || opcode_starts_with(op, "RED") ||
	       opcode_starts_with(op, "ATOM");
}

/* Returns the number of registers of source operand n. */
static unsigned count_source_registers(const char *op, const struct inst *in, enum sass_class c, unsigned n)
{
	if (c == SASS_HMMA || c == SASS_IMMA || c == SASS_DMMA)
		return n == 0   ? mma_shape_of(op).regs_a
		       : n == 1 ? mma_shape_of(op).regs_b
		       : n == 2 ? mma_shape_of(op).regs_c
				: 1;
	if (c == SASS_FP64)
		return 2;
	if (has_suffix(op, "WIDE") && opcode_starts_with(op, "IMAD") && n == 2)
		return 2;
	if (!in->has_addr)
		return 1;
	if (n == 0)
		return has_suffix(op, "E") ? 2 : 1;
	if (opcode_stem_is(op, "STSM"))
		return count_moved_matrices(op);
	return is_store(op) ? count_data_registers(op, in) : 1;
}

static enum sass_operand operand_role(enum sass_class c, unsigned n)
{
	enum sass_operand r = sass_operand_of(c);

	return r == READ_MMA && n == 2 ? READ_MMA_C : r;
}

static bool is_tracked_register(unsigned reg) { return reg != REG_RZ && reg != REG_URZ; }

static bool is_uniform_register(unsigned reg) { return reg >= REG_UR0; }

static unsigned zero_register_of(unsigned reg) { return is_uniform_register(reg) ? REG_URZ : REG_RZ; }

static void add_destinations(struct core_inst *i, const struct inst *in, struct core_source *dst)
{
	unsigned n = 0;

	for (unsigned d = 0; d < in->n_dst; d++)
		for (unsigned k = 0; is_tracked_register(in->reg[d]) && k < i->result_regs && n < SPAN_MAX;
			k++)
			if (in->reg[d] + k < zero_register_of(in->reg[d]))
				dst[n++] = (struct core_source){
					.reg = (uint16_t)(in->reg[d] + k), .read = READ_OVERWRITE};
	i->n_dst = (uint8_t)n;
}

static void add_sources(
	struct core_inst *i, const struct core_kind *kind, const struct inst *in, struct core_source *src)
{
	const uint16_t *reg = in->reg + in->n_dst;
	unsigned n = 0;

	for (unsigned s = 0; s < in->n_src; s++) {
		unsigned at = s < KIND_SOURCES ? s : KIND_SOURCES - 1,
			 regs = is_uniform_register(reg[s]) ? 1 : kind->regs[at];

		for (unsigned k = 0; is_tracked_register(reg[s]) && k < regs && n < SPAN_MAX; k++)
			if (reg[s] + k < zero_register_of(reg[s]))
				src[n++] = (struct core_source){.reg = (uint16_t)(reg[s] + k),
					.slot = (uint8_t)(s < 3 ? s : 2),
					.read = is_uniform_register(reg[s]) ? kind->read_uniform
									    : kind->read[at]};
	}
	i->n_src = (uint8_t)n;
}

static void set_core_operands(
	struct core_inst *i, struct core_code *c, const struct core_kind *kind, const struct inst *in)
{
	struct core_source all[2 * SPAN_MAX], *at;

	add_sources(i, kind, in, all);
	add_destinations(i, in, all + i->n_src);
	at = arena_alloc(&c->arena, (i->n_src + i->n_dst) * sizeof(*at) + 1, sizeof(at->reg));
	memcpy(at, all, (i->n_src + i->n_dst) * sizeof(*at));
	i->src = at;
}

/* ---- matrix products of warpgroups --------------------------------------------------------------- */

#define GMMA_A_REGS 4u /* number of registers of each warp that hold A */

/*
 * Sets the times and operands of a product of a warpgroup. Only the registers of A are operands. Accumulators cause no
 * dependence: the next product may use them at once, and other instructions come after a wait.
 */
static void set_gmma_timing(
	struct core_inst *i, struct core_code *c, const struct core_kind *kind, const struct inst *in)
{
	const struct modern_params *m = &c->params->modern;
	int a = gmma_a_source(in);
	struct inst just_a = *in;
	struct core_kind with_a = *kind;
	struct gmma g;

	if (!gmma_shape(&g, in->opcode)) /* uop_make() has rejected the instruction */
		return;
	i->interval = (uint16_t)gmma_product_cycles(&g, m->tensor_rate);
	i->shared_read_cycles = (uint16_t)gmma_read_cycles(&g, a < 0, m->shared_bytes);
	i->a_read_cycles = (uint16_t)(a < 0 ? core_div_up(g.a_bytes, m->shared_bytes) : 0);
	i->link_cycles = (uint8_t)(a < 0 ? 0 : core_div_up(g.a_bytes / GMMA_WARPS, m->link_bytes));
	i->result_regs = 1;
	just_a.reg = in->reg + in->n_dst + (a < 0 ? 0 : a);
	just_a.n_dst = 0;
	just_a.n_src = a < 0 ? 0 : 1;
	with_a.regs[0] = GMMA_A_REGS;
	with_a.read[0] = READ_MMA;
	set_core_operands(i, c, &with_a, &just_a);
}

/* ---- the whole instruction ---------------------------------------------------------------------- */

static const char *const predicate_readers[] = {
	"BRA", "EXIT", "BRX", "BRXU", "JMP", "JMX", "RET", "BREAK", NULL};

static bool sets_predicate(const char *op)
{
	size_t n = strcspn(op, ".");

	return (n >= 4 && !memcmp(op + n - 4, "SETP", 4)) || opcode_stem_is(op, "PLOP3") ||
	       opcode_stem_is(op, "R2P") || opcode_stem_is(op, "VOTE") || opcode_stem_is(op, "HSETP2");
}

static unsigned fence_scope_of(const char *op)
{
	return has_suffix(op, "CTA") ? 0 : has_suffix(op, "SYS") ? 2 : 1;
}

/* Flags that an instruction has in both decoded forms. */
static const struct {
	unsigned of_uop, of_inst;
} same_flags[] = {
	{UOP_BARRIER, INST_BARRIER},
	{UOP_MEMBAR, INST_MEMBAR},
	{UOP_LDGDEPBAR, INST_LDGDEPBAR},
	{UOP_DEPBAR, INST_DEPBAR},
	{UOP_LDGSTS, INST_LDGSTS},
	{UOP_SYNC, INST_SYNC},
};

static unsigned core_flags_of(const char *op, const struct uop *u, const struct core_inst *i)
{
	unsigned f =
		i->unit <= CORE_NO_UNIT && i->class != SASS_DMMA && i->class != SASS_LDCU ? INST_FIXED : 0u;

	f |= sets_predicate(op) ? INST_SETS_P : 0u;
	f |= has_any_stem(op, predicate_readers) ? INST_READS_P : 0u;
	for (unsigned k = 0; k < sizeof(same_flags) / sizeof(*same_flags); k++)
		f |= u->flags & same_flags[k].of_uop ? same_flags[k].of_inst : 0u;
	f |= i->unit <= CORE_TENSOR ? INST_RFC : 0u;
	f |= u->gmma == GMMA_WAIT ? INST_GMMA_WAIT : u->gmma ? INST_GMMA : 0u;
	f |= u->bulk ? INST_BULK : 0u;
	if (u->flags & UOP_GANG)
		f |= u->flags & UOP_ARRIVE ? INST_GANG_ARRIVE : INST_GANG_WAIT;
	f |= opcode_stem_is(op, "STSM") || (moves_matrices(op) && i->result_regs > 1) ? INST_LDSM_N : 0u;
	return f;
}

/* Returns the cycles from issue until the slowest reader may issue. A result without readers is written by then. */
static unsigned longest_result_latency(const struct sass_latency *l, enum sass_class c)
{
	unsigned most = 1;

	for (unsigned o = 0; o < READ_UDP; o++)
		if (l->after[c][o] > most && o != READ_SLOW && o != READ_MMA && o != READ_MMA_C)
			most = l->after[c][o];
	return most;
}

static void make_opcode_kind(
	struct core_code *c, struct core_kind *kind, const struct inst *in, const struct uop *u)
{
	const struct modern_params *m = &c->params->modern;
	struct core_inst *i = &kind->inst;
	const char *op = in->opcode;
	unsigned regs;
	bool known = true;

	*kind = (struct core_kind){.opcode = op,
		.size = in->size,
		.uop_flags = u->flags,
		.space = u->space,
		.has_addr = in->has_addr};
	i->class = i->first_class = (uint8_t)sass_class_of(op, strlen(op), m->sm, &known);
	i->unit = (uint8_t)core_unit_of(m, op, i->class);
	if (in->has_addr && i->unit <= CORE_NO_UNIT)
		i->unit = CORE_MEMORY;
	if (u->gmma && u->gmma != GMMA_WAIT)
		i->unit = CORE_WARPGROUP;
	i->path = i->unit == CORE_MEMORY ? (uint8_t)memory_path(op, u) : PATH_NONE;
	i->interval = (uint16_t)m->interval[i->unit];
	i->scope = (uint8_t)fence_scope_of(op);
	if (i->unit == CORE_TENSOR)
		set_matrix_timing(i, m, op);
	regs = count_result_registers(op, in, i->class);
	i->result_regs = (uint8_t)(regs ? regs : 1);
	for (unsigned s = 0; s < KIND_SOURCES; s++) {
		kind->regs[s] = (uint8_t)count_source_registers(op, in, i->class, s);
		kind->read[s] = (uint8_t)operand_role(i->class, s);
	}
	kind->read_uniform = (uint8_t)sass_uniform_operand_of(i->class);
	i->flags = (uint16_t)core_flags_of(op, u, i);
	i->pipeline_cycles = (uint16_t)((int)longest_result_latency(&c->latency, i->class) + i->result_delay);
	if (opcode_starts_with(op, "IMAD") && has_suffix(op, "WIDE")) {
		i->first_class = SASS_IMAD_LOW;
		i->extra_port_cycles = (uint8_t)m->port_imad_wide;
		i->interval = (uint16_t)m->imad_wide;
	} else if (opcode_stem_is(op, "ERRBAR")) {
		i->extra_port_cycles = 1;
	}
	if (!known && !c->warned) {
		c->warned = true;
		diag_warn(NOWHERE, "opcode '%s' has no scheduling class in the modern core: class %s is used",
			op, sass_class_name(i->class));
	}
}

static bool opcode_kind_matches(const struct core_kind *k, const struct inst *in, const struct uop *u)
{
	return k->size == in->size && k->has_addr == in->has_addr && k->uop_flags == u->flags &&
	       k->space == u->space && !strcmp(k->opcode, in->opcode);
}

static const struct core_kind *find_opcode_kind(
	struct core_code *c, const struct inst *in, const struct uop *u)
{
	uint64_t hash = table_hash(in->opcode, strlen(in->opcode));

	FOR_TABLE (w, &c->kinds, hash)
		if (opcode_kind_matches(&c->kind[w.number], in, u))
			return &c->kind[w.number];
	grow(&c->kind, &c->cap_kinds, c->n_kinds + 1, sizeof(*c->kind));
	make_opcode_kind(c, &c->kind[c->n_kinds], in, u);
	table_add(&c->kinds, hash, c->n_kinds);
	return &c->kind[c->n_kinds++];
}

void core_code_add(struct core_code *c, uint32_t h, const struct inst *in, const struct uop *u)
{
	const struct core_kind *kind = find_opcode_kind(c, in, u);
	struct core_inst *i = &c->inst[h];

	assert(h < CODES_MAX);
	*i = kind->inst;
	i->pc = in->pc;
	i->groups = u->groups;
	if (i->flags & INST_GMMA)
		set_gmma_timing(i, c, kind, in);
	else
		set_core_operands(i, c, kind, in);
}
