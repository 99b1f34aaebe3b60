/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Translation of static instructions (SM-inst, SM-unit). Always true of a uop: its unit exists, and instructions can
 * be issued to it.
 */
#include <stdio.h>
#include <string.h>
#include "bits.h"
#include "gmma.h"
#include "uop_int.h"

/*
 * Returns the class in the model. An instruction of an unmodelled class is treated as a global access if its records
 * have addresses, else as INT.
 */
static enum isa_class class_in_model(const struct inst *in)
{
	bool other = in->class == CLASS_TMA || in->class == CLASS_SYNCS || in->class == CLASS_FENCE;

	if (in->class == CLASS_FENCE)
		return CLASS_INT;
	if (!other && in->kind != KIND_MEM_OTHER)
		return in->class;
	if (!in->has_addr)
		return CLASS_INT;
	return in->class == CLASS_STORE ? CLASS_STORE : CLASS_LOAD;
}

/*
 * Sets flags, space and size by kind (SM-inst-6). quirk Q1-28: STRONG.GPU affects three kinds of loads. The latency
 * and interval of an ATOM are those of its original class, which then changes.
 */
static void set_sass_memory_access(struct uop *u, const struct inst *in)
{
	static const struct {
		uint32_t flags; /* set of enum uop_flag */
		uint8_t space;
		bool strong_bypasses; /* whether STRONG.GPU bypasses the L1 */
	} rows[N_KINDS] = {
		[KIND_LDC] = {UOP_LOAD, SPACE_NONE, false},
		[KIND_LDG] = {UOP_LOAD, SPACE_GLOBAL, true},
		[KIND_LDL] = {UOP_LOAD, SPACE_LOCAL, true},
		[KIND_LDGSTS] = {UOP_LOAD | UOP_LDGSTS, SPACE_GLOBAL, true},
		[KIND_STG] = {UOP_STORE, SPACE_GLOBAL, false},
		[KIND_STL] = {UOP_STORE, SPACE_LOCAL, false},
		[KIND_ATOM] = {UOP_LOAD | UOP_ATOMIC | UOP_BYPASS, SPACE_GLOBAL, false},
		[KIND_ATOMS] = {UOP_LOAD | UOP_ATOMIC, SPACE_SHARED, false},
		[KIND_LDS] = {UOP_LOAD, SPACE_SHARED, false},
		[KIND_LDSM] = {UOP_LOAD, SPACE_SHARED, false},
		[KIND_STS] = {UOP_STORE, SPACE_SHARED, false},
		[KIND_LD] = {UOP_LOAD, SPACE_GENERIC, false},
		[KIND_ST] = {UOP_STORE, SPACE_GENERIC, false},
		[KIND_LDGDEPBAR] = {UOP_LDGDEPBAR, SPACE_NONE, false},
		[KIND_DEPBAR] = {UOP_DEPBAR, SPACE_NONE, false},
		[KIND_SYNCS] = {0, SPACE_SHARED, false},
		[KIND_STAS] = {UOP_STORE, SPACE_SHARED, false},
		[KIND_BULK] = {UOP_BYPASS, SPACE_NONE, false},
	};

	u->flags |= rows[in->kind].flags;
	if (rows[in->kind].strong_bypasses && in->strong_gpu)
		u->flags |= UOP_BYPASS;
	if (rows[in->kind].space != SPACE_NONE)
		u->space = rows[in->kind].space;
	if (in->kind == KIND_LDC)
		u->size = 4;
	else if (in->kind == KIND_ATOM)
		u->class = CLASS_LOAD;
	else if (in->kind == KIND_DEPBAR)
		u->groups = (uint32_t)in->imm;
}

static void set_class_attributes(struct uop *u)
{
	switch (u->class) {
	case CLASS_LOAD: u->flags |= UOP_LOAD | UOP_ACCESS; break;
	case CLASS_STORE: u->flags |= UOP_STORE | UOP_ACCESS; break;
	case CLASS_BARRIER: u->flags |= UOP_BARRIER; return;
	case CLASS_MEMBAR: u->flags |= UOP_MEMBAR; return;
	case CLASS_EXIT: u->flags |= UOP_EXIT; return;
	default: return;
	}
	if (u->space == SPACE_NONE) /* an opcode without its own rule accesses global memory */
		u->space = SPACE_GLOBAL;
	if (!u->size)
		u->size = 4;
}

/* Returns the unit of a class, which always exists (SM-unit). quirk Q2-22: no opcode has class TENSOR. */
static unsigned unit_of_class(enum isa_class c, const struct core_params *p)
{
	if (c == CLASS_LOAD || c == CLASS_STORE || c == CLASS_MEMBAR)
		return UNIT_MEM;
	if (c == CLASS_SFU)
		return UNIT_SFU;
	if (c == CLASS_DP)
		return p->unit[UNIT_DP].units ? UNIT_DP : UNIT_SFU;
	if (c == CLASS_TENSOR)
		return UNIT_TENSOR;
	if (c >= CLASS_SPEC1 && c <= CLASS_SPEC8)
		return UNIT_SPEC + (unsigned)(c - CLASS_SPEC1);
	return p->unit[UNIT_INT].units && c != CLASS_SP ? UNIT_INT : UNIT_SP;
}

static enum collector_kind collector_of_unit(unsigned unit)
{
	switch (unit) {
	case UNIT_SP: return COLLECT_SP;
	case UNIT_DP: return COLLECT_DP;
	case UNIT_INT: return COLLECT_INT;
	case UNIT_SFU: return COLLECT_SFU;
	case UNIT_TENSOR: return COLLECT_TENSOR;
	case UNIT_MEM: return COLLECT_MEM;
	default: return COLLECT_GEN;
	}
}

/*
 * Returns true if the instructions of the unit have an input port to collector units, and these units have output
 * ports (SM-coll-3).
 */
static bool has_collector_route(unsigned unit, const struct core_params *p)
{
	const struct collector_params *gen = &p->collector[COLLECT_GEN];
	const struct collector_params *own = &p->collector[collector_of_unit(unit)];
	bool gen_set = gen->units && gen->out_ports;

	if (unit == UNIT_TENSOR && !p->tensor_avail)
		return false;
	if (gen->in_ports && gen_set)
		return true;
	return unit < UNIT_SPEC && p->special_collectors && own->in_ports &&
	       ((own->units && own->out_ports) || gen_set);
}

static const char *find_missing_unit_part(const struct uop *op, const struct core_params *p)
{
	unsigned unit = op->unit;
	const struct unit_params *u = &p->unit[unit];
	uint32_t slots = p->sub_core ? p->schedulers : 1;

	if (unit >= UNIT_SPEC && unit - UNIT_SPEC >= p->n_specs)
		return "specialized unit";
	if (!u->units)
		return "function unit";
	if (u->collector_in_width < slots || u->unit_in_width < slots)
		return "pipeline register for each scheduler (-gpgpu_pipeline_widths)";
	if (!has_collector_route(unit, p))
		return "operand collector port (-gpgpu_operand_collector_num_*)";
	if (unit != UNIT_MEM && (uint32_t)(op->latency - op->interval) >= u->depth)
		return "pipeline of more stages than its latency minus its interval (-ptx_opcode_latency_*, or the third field of -specialized_unit_N)";
	return NULL;
}

static void write_unit_option_name(unsigned unit, char *out, size_t cap)
{
	static const char *const count[] = {
		[UNIT_SP] = "-gpgpu_num_sp_units",
		[UNIT_DP] = "-gpgpu_num_dp_units",
		[UNIT_INT] = "-gpgpu_num_int_units",
		[UNIT_SFU] = "-gpgpu_num_sfu_units",
		[UNIT_TENSOR] = "-gpgpu_num_tensor_core_units",
		[UNIT_MEM] = "-gpgpu_pipeline_widths",
	};

	if (unit < UNIT_SPEC)
		snprintf(out, cap, "%s", count[unit]);
	else
		snprintf(out, cap, "-specialized_unit_%u", unit - UNIT_SPEC + 1);
}

int uop_unit(struct uop *u, const struct inst *in, const struct core_params *p, struct fault *f)
{
	const char *missing;
	char option[64], opcode[64];

	u->unit = (uint8_t)unit_of_class((enum isa_class)u->class, p);
	missing = find_missing_unit_part(u, p);
	if (p->sub_core && u->unit != UNIT_MEM && p->unit[u->unit].units < p->schedulers)
		u->flags |= UOP_SOME_SCHEDULERS;
	if (!missing)
		return 0;
	write_unit_option_name(u->unit, option, sizeof(option));
	return fault_set(f, NOWHERE, "unit-missing", "opcode '%s' of class %s at pc 0x%x needs a %s (%s)",
		diag_quote(opcode, sizeof(opcode), in->opcode, strlen(in->opcode)),
		isa_class_name((enum isa_class)in->class), in->pc, missing, option);
}

bool uop_reads_bank(const struct uop *u, unsigned source)
{
	const uint16_t *src = u->reg + u->bank_from;

	if (src[source] >= REG_UR0 && !uop_is_ptx(u))
		return false;
	for (unsigned i = 0; i < source; i++)
		if (src[i] == src[source])
			return false;
	return true;
}

/* Returns a number's bit, repeated every `period` bits. The period is a power of 2 up to 64. */
static uint64_t repeated_bit(unsigned n, uint32_t period)
{
	uint64_t m = 0;

	for (unsigned i = n % period; i < 64; i += period)
		m |= 1ull << i;
	return m;
}

static void set_bank_reads(struct uop *u, const struct core_params *p)
{
	uint32_t span = uop_bank_span(p);
	uint64_t third = 0;

	if (!is_pow2(span) || span > 64 || u->n_bank_src > 32)
		return;
	FOR_BITS32 (i, u->bank_src) {
		uint64_t bank = repeated_bit(u->reg[u->bank_from + i], span);

		third |= u->bank_reads[1] & bank;
		u->bank_reads[1] |= u->bank_reads[0] & bank;
		u->bank_reads[0] |= bank;
	}
	u->bank_reads_valid = !third;
}

void uop_derive(struct uop *u, const struct core_params *p)
{
	u->next = u->pc + u->bytes;
	for (unsigned i = 0; i < (unsigned)u->n_dst + u->n_src; i++)
		u->registers |= 1ull << u->reg[i] % 64;
	for (unsigned i = 0; i < u->n_bank_src && i < 32; i++)
		u->bank_src |= (uint32_t)uop_reads_bank(u, i) << i;
	set_bank_reads(u, p);
}

/* Returns true if the opcode has the suffix S8 or S16. */
static bool has_narrow_suffix(const char *opcode)
{
	for (const char *p = strchr(opcode, '.'); p; p = strchr(p + 1, '.')) {
		size_t n = strcspn(p + 1, ".");

		if ((n == 2 && !memcmp(p, ".S8", 3)) || (n == 3 && !memcmp(p, ".S16", 4)))
			return true;
	}
	return false;
}

/*
 * Sets the attributes of a matrix product. Its latency is the time of the tensor core or the time to read its
 * operands from shared memory, whichever is longer. It accesses registers asynchronously: WARPGROUP.DEPBAR waits for
 * it, and its registers are not marked as in use.
 */
static int set_gmma_attributes(struct uop *u, const struct inst *in, const struct params *p, struct fault *f)
{
	struct gmma g;
	char opcode[64];
	uint32_t products, reads;

	if (in->kind == KIND_WARPGROUP && strstr(in->opcode, ".DEPBAR")) {
		u->gmma = GMMA_WAIT;
		u->flags |= UOP_GMMA;
		u->groups = in->imm < UINT32_MAX ? (uint32_t)in->imm : UINT32_MAX;
	}
	if (in->kind != KIND_GMMA)
		return 0;
	if (!gmma_shape(&g, in->opcode))
		return fault_set(f, NOWHERE, "opcode-shape",
			"'%s' at pc 0x%x has no valid shape (expected 64xNxK for its type, N a multiple of 8 up to 256)",
			diag_quote(opcode, sizeof(opcode), in->opcode, strlen(in->opcode)), in->pc);
	products = gmma_product_cycles(&g, p->modern.tensor_rate);
	reads = gmma_read_cycles(&g, gmma_a_source(in) < 0, p->modern.shared_bytes);
	u->latency = u->interval = (uint16_t)(products > reads ? products : reads);
	u->gmma = in->commit == COMMIT_NO ? GMMA_PRODUCT : GMMA_LAST;
	u->flags |= UOP_GMMA;
	u->n_dst = u->n_src = u->n_operands = u->n_bank_dst = u->n_bank_src = u->bank_from = 0;
	return 0;
}

/* Returns true if the opcode consists of the stem, alone or with suffixes. */
static bool opcode_is_stem(const char *opcode, const char *stem)
{
	size_t n = strlen(stem);

	return !strncmp(opcode, stem, n) && (!opcode[n] || opcode[n] == '.');
}

/*
 * Marks an instruction of the tensor memory accelerator as a bulk copy. It is neither a load nor a store, because no
 * register and no fence waits for it.
 */
static void set_bulk_attributes(struct uop *u, const struct inst *in)
{
	static const struct {
		const char *stem;
		uint8_t bulk;
		bool tensor; /* whether the stem names a tensor copy */
	} rows[] = {{"UTMALDG", BULK_LOAD, true}, {"UTMASTG", BULK_STORE, true},
		{"UTMAREDG", BULK_REDUCE, true}, {"UTMAPF", BULK_PREFETCH, true},
		{"UBLKCP", BULK_LOAD, false}, {"UBLKRED", BULK_REDUCE, false},
		{"UBLKPF", BULK_PREFETCH, false}};

	if (in->kind != KIND_BULK || !in->has_addr)
		return;
	for (unsigned i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		if (!opcode_is_stem(in->opcode, rows[i].stem))
			continue;
		u->bulk = rows[i].bulk;
		u->has_descriptor = rows[i].tensor;
		if (u->bulk == BULK_LOAD && strstr(in->opcode, ".G.S"))
			u->bulk = BULK_STORE;
		if (strstr(in->opcode, ".S.S"))
			u->bulk = BULK_CLUSTER;
		u->flags = (u->flags & ~(uint32_t)(UOP_LOAD | UOP_STORE | UOP_ACCESS)) | UOP_BULK;
	}
}

int uop_make(struct uop *u, const struct inst *in, const struct params *p, struct fault *f)
{
	const struct core_params *core = &p->core;
	enum isa_class class = class_in_model(in);
	struct latency t = core->latency[class];

	if (in->ptx)
		return uop_make_ptx(u, in, p, f);
	if (in->half_rate)
		t.interval = t.interval / 2 ? t.interval / 2 : 1;
	*u = (struct uop){
		.reg = in->reg,
		.pc = in->pc,
		.latency = (uint16_t)t.latency,
		.interval = (uint16_t)t.interval,
		.size = in->size,
		.n_dst = in->n_dst,
		.n_src = in->n_src,
		.n_operands = in->n_src,
		.n_bank_dst = in->n_dst,
		.bank_from = in->n_dst,
		.n_bank_src = in->n_src,
		.bytes = 16,
		.class = (uint8_t) class,
		.narrow = has_narrow_suffix(in->opcode),
	};
	set_sass_memory_access(u, in);
	set_class_attributes(u);
	set_bulk_attributes(u, in);
	if (uop_sync_attributes(u, in, f) < 0)
		return -1;
	if (set_gmma_attributes(u, in, p, f) < 0)
		return -1;
	if (u->flags & UOP_ACCESS && !in->has_addr) {
		char opcode[64];

		return fault_set(f, NOWHERE, "addresses-missing",
			"'%s' at pc 0x%x has no addresses (expected a width and addresses)",
			diag_quote(opcode, sizeof(opcode), in->opcode, strlen(in->opcode)), in->pc);
	}
	uop_derive(u, core);
	return p->modern.enabled ? 0 : uop_unit(u, in, core, f);
}
