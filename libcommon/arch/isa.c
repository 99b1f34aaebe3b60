/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opcodes: the built-in rows of isa.def, the user's rows that add to or replace them, and properties of an opcode's
 * text.
 *
 * Always true: rows are only added, so a row index remains valid; a stem has one row; a table does not change after
 * the first trace was opened with it.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "input.h"
#include "isa.h"
#include "num.h"

/*
 * Number of groups of stems. A table of hashes takes 35,000 host instructions to make, 3 percent of what a packed
 * vecadd takes, and few stems are looked up in it.
 */
#define STEM_GROUPS 256u

struct isa {
	struct isa_op *op; /* rows of the table */
	uint32_t n, cap;
	uint32_t last_row
		[STEM_GROUPS]; /* number plus 1 of the last row in each group of stems; 0: the group is empty */
	uint32_t *row_before; /* number plus 1 of the row before each row in the same group; 0: none */
	uint32_t cap_before;
	struct arena text; /* stems of the user's rows */
};

#define CLASS_no CLASS_NONE
#define ROW(s, k, half, a, b, c, d, e, f, g, h) \
	{#s, KIND_##k, \
		{CLASS_##a, CLASS_##b, CLASS_##c, CLASS_##d, CLASS_##e, CLASS_##f, CLASS_##g, CLASS_##h}, \
		half},
#define OP(s, k, a, b, c, d, e, f, g, h)   ROW(s, k, false, a, b, c, d, e, f, g, h)
#define HALF(s, k, a, b, c, d, e, f, g, h) ROW(s, k, true, a, b, c, d, e, f, g, h)
static const struct isa_op built_in[] = {
#include "isa.def"
};
#undef OP
#undef HALF
#undef ROW
#undef CLASS_no

#define N_BUILT_IN (sizeof(built_in) / sizeof(built_in[0]))

static const char *const class_name[N_CLASSES] = {
	[CLASS_NONE] = "-",
	[CLASS_ALU] = "ALU",
	[CLASS_INT] = "INT",
	[CLASS_SP] = "SP",
	[CLASS_DP] = "DP",
	[CLASS_SFU] = "SFU",
	[CLASS_TENSOR] = "TENSOR",
	[CLASS_LOAD] = "LOAD",
	[CLASS_STORE] = "STORE",
	[CLASS_MEMBAR] = "MEMBAR",
	[CLASS_BARRIER] = "BARRIER",
	[CLASS_BRANCH] = "BRANCH",
	[CLASS_CALL] = "CALL",
	[CLASS_RET] = "RET",
	[CLASS_EXIT] = "EXIT",
	[CLASS_SPEC1] = "SPEC1",
	[CLASS_SPEC2] = "SPEC2",
	[CLASS_SPEC3] = "SPEC3",
	[CLASS_SPEC4] = "SPEC4",
	[CLASS_SPEC5] = "SPEC5",
	[CLASS_SPEC6] = "SPEC6",
	[CLASS_SPEC7] = "SPEC7",
	[CLASS_SPEC8] = "SPEC8",
	[CLASS_TMA] = "TMA",
	[CLASS_SYNCS] = "SYNCS",
	[CLASS_FENCE] = "FENCE",
};

static const char *const arch_name[N_ARCHS] = {
	"kepler",
	"pascal",
	"volta",
	"turing",
	"ampere",
	"ada",
	"hopper",
	"blackwell",
};

static const struct {
	int version; /* number of a "-binary version" line */
	enum isa_arch arch;
} arch_of[] = {
	{35, ARCH_KEPLER},
	{60, ARCH_PASCAL},
	{61, ARCH_PASCAL},
	{70, ARCH_VOLTA},
	{75, ARCH_TURING},
	{80, ARCH_AMPERE},
	{86, ARCH_AMPERE},
	{87, ARCH_AMPERE},
	{89, ARCH_ADA},
	{90, ARCH_HOPPER},
	{100, ARCH_BLACKWELL},
	{120, ARCH_BLACKWELL},
};

/* ---- the table ---------------------------------------------------------------------------- */

/* Returns the group of a stem of n > 0 bytes. */
static unsigned stem_group(const char *s, size_t n)
{
	return ((unsigned char)s[0] * 5u + (unsigned char)s[n - 1] * 29u + (unsigned)n) % STEM_GROUPS;
}

static int find_row_of_stem(const struct isa *isa, const char *s, size_t n)
{
	for (uint32_t row = isa->last_row[stem_group(s, n)]; row; row = isa->row_before[row - 1]) {
		const char *stem = isa->op[row - 1].stem;

		if (!strncmp(stem, s, n) && !stem[n])
			return (int)row - 1;
	}
	return -1;
}

static void add_stem(struct isa *isa, uint32_t row)
{
	const char *stem = isa->op[row].stem;
	uint32_t *last = &isa->last_row[stem_group(stem, strlen(stem))];

	grow(&isa->row_before, &isa->cap_before, row + 1, sizeof(isa->row_before[0]));
	isa->row_before[row] = *last;
	*last = row + 1;
}

struct isa *isa_new(void)
{
	struct isa *isa = xcalloc(1, sizeof(*isa));
	grow(&isa->op, &isa->cap, N_BUILT_IN, sizeof(isa->op[0]));
	memcpy(isa->op, built_in, sizeof(built_in));
	grow(&isa->row_before, &isa->cap_before, N_BUILT_IN, sizeof(isa->row_before[0]));
	for (isa->n = 0; isa->n < N_BUILT_IN; isa->n++)
		add_stem(isa, isa->n);
	return isa;
}

void isa_free(struct isa *isa)
{
	if (!isa)
		return;
	arena_free(&isa->text);
	free(isa->row_before);
	free(isa->op);
	free(isa);
}

/* Returns the stem of an opcode: the part before the first '.', without leading dots (SM-inst-1). */
static const char *opcode_stem(const char *opcode, size_t *n)
{
	while (*n && *opcode == '.')
		opcode++, --*n;
	const char *dot = memchr(opcode, '.', *n);
	if (dot)
		*n = (size_t)(dot - opcode);
	return opcode;
}

int isa_find(const struct isa *isa, const char *opcode, size_t n)
{
	const char *stem = opcode_stem(opcode, &n);
	return n ? find_row_of_stem(isa, stem, n) : -1;
}

const struct isa_op *isa_row(const struct isa *isa, int row)
{
	return row >= 0 && (uint32_t)row < isa->n ? &isa->op[row] : NULL;
}

int isa_rows(const struct isa *isa) { return (int)isa->n; }

/* ---- names -------------------------------------------------------------------------------- */

int isa_arch_of(int binary_version)
{
	for (size_t i = 0; i < sizeof(arch_of) / sizeof(arch_of[0]); i++)
		if (arch_of[i].version == binary_version)
			return (int)arch_of[i].arch;
	return -1;
}

const char *isa_arch_name(enum isa_arch a) { return a < N_ARCHS ? arch_name[a] : "?"; }
const char *isa_class_name(enum isa_class c) { return c < N_CLASSES ? class_name[c] : "?"; }

static int index_of_name(const char *const *name, int n_names, const char *text, size_t n)
{
	for (int i = 0; i < n_names; i++)
		if (strlen(name[i]) == n && !memcmp(name[i], text, n))
			return i;
	return -1;
}

int isa_class_parse(const char *text, size_t n) { return index_of_name(class_name, N_CLASSES, text, n); }

/* ---- guessing ----------------------------------------------------------------------------- */

static size_t common_prefix(const char *a, const char *b, size_t n)
{
	size_t i = 0;
	while (i < n && a[i] && a[i] == b[i])
		i++;
	return i;
}

/*
 * Returns the class on the nearest architecture for which the row has one. If two are equally near, the newer one is
 * chosen.
 */
static enum isa_class nearest_class(const struct isa_op *op, int arch)
{
	for (int d = 0; d < N_ARCHS; d++) {
		if (arch + d < N_ARCHS && op->class[arch + d] != CLASS_NONE)
			return op->class[arch + d];
		if (arch - d >= 0 && op->class[arch - d] != CLASS_NONE)
			return op->class[arch - d];
	}
	return CLASS_NONE;
}

/*
 * Returns true if any opcode of the architecture has class c. A configuration lacks the specialised units that no
 * opcode uses.
 */
static bool arch_uses_class(const struct isa *isa, enum isa_arch arch, enum isa_class c)
{
	for (uint32_t r = 0; r < isa->n; r++)
		if (isa->op[r].class[arch] == c)
			return true;
	return false;
}

enum isa_class isa_guess(const struct isa *isa, enum isa_arch arch, const char *opcode, size_t n)
{
	const char *stem = opcode_stem(opcode, &n);
	int row = isa_find(isa, stem, n);
	if (row >= 0) {
		enum isa_class c = nearest_class(&isa->op[row], (int)arch);
		if (c != CLASS_NONE)
			return c < CLASS_SPEC1 || c > CLASS_SPEC8 || arch_uses_class(isa, arch, c)
				       ? c
				       : CLASS_ALU;
	}
	size_t best = 1; /* one common letter is too few */
	enum isa_class c = CLASS_ALU;
	for (uint32_t r = 0; r < isa->n; r++) {
		const struct isa_op *op = &isa->op[r];
		size_t same = common_prefix(op->stem, stem, n);
		if (same > best && op->class[arch] != CLASS_NONE) {
			best = same;
			c = op->class[arch];
		}
	}
	/* EXIT and barriers affect the whole warp, so they are never guessed. */
	return c == CLASS_EXIT || c == CLASS_BARRIER || c == CLASS_MEMBAR ? CLASS_ALU : c;
}

/* ---- opcode text -------------------------------------------------------------------------- */

/* Moves *p to the next non-empty part between dots. Returns its length, or 0 at the end. */
static size_t next_part_between_dots(const char **p, const char *end)
{
	while (*p < end && **p == '.')
		++*p;
	const char *q = *p;
	while (q < end && *q != '.')
		q++;
	return (size_t)(q - *p);
}

/* Returns the value of n > 0 decimal digits, but at most 1000000; -1 if there is another character. */
static long parse_opcode_number(const char *s, size_t n)
{
	const char *p = s;
	uint64_t v;

	return num_digits(&p, s + n, 10, 1000000, &v) != NUM_NONE && p == s + n ? (long)v : -1;
}

unsigned isa_width(const char *opcode, size_t n)
{
	const char *p = opcode, *end = opcode + n;
	for (size_t len; (len = next_part_between_dots(&p, end)) > 0; p += len) {
		bool u = *p == 'U';
		long bits = parse_opcode_number(p + u, len - u);
		if (bits >= 0)
			return bits / 8 <= UINT16_MAX ? (unsigned)(bits / 8) : 0;
	}
	return 4;
}

bool isa_strong_gpu(const char *opcode, size_t n)
{
	bool strong = false, gpu = false;
	const char *p = opcode, *end = opcode + n;
	for (size_t len; (len = next_part_between_dots(&p, end)) > 0; p += len) {
		strong |= len == 6 && !memcmp(p, "STRONG", 6);
		gpu |= len == 3 && !memcmp(p, "GPU", 3);
	}
	return strong && gpu;
}

/* ---- the user's rows ---------------------------------------------------------------------- */

struct isa_word {
	const char *s; /* start of the word */
	size_t n;      /* number of bytes of the word */
	uint32_t col;  /* column of the word in the line */
};

/* Splits a line up to '#' into words. Returns their number, or max + 1 if there are more than max. */
static int split_words(const char *line, size_t len, struct isa_word *w, int max)
{
	int n = 0;
	for (size_t i = 0; i < len && line[i] != '#';) {
		if (line[i] == ' ' || line[i] == '\t') {
			i++;
			continue;
		}
		if (n == max)
			return max + 1;
		size_t from = i;
		while (i < len && line[i] != ' ' && line[i] != '\t' && line[i] != '#')
			i++;
		w[n++] = (struct isa_word){line + from, i - from, (uint32_t)from + 1};
	}
	return n;
}

/*
 * Parses a set of architectures "arch[,arch...]": names, "-binary version" numbers or "all". Returns 0 if it is
 * invalid.
 */
static unsigned parse_arch_set(const char *s, size_t n)
{
	unsigned set = 0;
	for (const char *end = s + n; s <= end;) {
		const char *comma = memchr(s, ',', (size_t)(end - s));
		size_t len = (size_t)((comma ? comma : end) - s);
		int a = index_of_name(arch_name, N_ARCHS, s, len);
		long v = parse_opcode_number(s, len);
		if (v >= 0)
			a = isa_arch_of((int)v);
		if (len == 3 && !memcmp(s, "all", 3))
			set |= (1u << N_ARCHS) - 1;
		else if (a < 0)
			return 0;
		else
			set |= 1u << a;
		s += len + 1;
	}
	return set;
}

static struct isa_op *add_isa_row(struct isa *isa, const struct isa_word *stem)
{
	int row = find_row_of_stem(isa, stem->s, stem->n);

	if (row >= 0)
		return &isa->op[row];
	grow(&isa->op, &isa->cap, isa->n + 1, sizeof(isa->op[0]));
	isa->op[isa->n] = (struct isa_op){.stem = arena_strndup(&isa->text, stem->s, stem->n)};
	add_stem(isa, isa->n);
	return &isa->op[isa->n++];
}

static bool is_valid_stem(const struct isa_word *w)
{
	for (size_t i = 0; i < w->n; i++) {
		char c = w->s[i];
		bool letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
		if (!letter && (i == 0 || !((c >= '0' && c <= '9') || c == '_')))
			return false;
	}
	return w->n < 64;
}

static int load_isa_row(struct isa *isa, const char *line, size_t len, struct place at, struct fault *f)
{
	struct isa_word w[3];
	char q[64];
	int n = split_words(line, len, w, 3);
	if (n == 0)
		return 0;
	if (n != 3)
		return fault_set(f, at, "isa-fields", "%s (expected 'stem arch[,arch...] class')",
			n > 3    ? "more than three fields"
			: n == 2 ? "two fields"
				 : "one field");
	at.col = w[0].col;
	if (!is_valid_stem(&w[0]) || isa->n >= 0xffff)
		return fault_set(f, at, "isa-stem", "invalid stem '%s' (expected letters, digits and '_'%s)",
			diag_quote(q, sizeof(q), w[0].s, w[0].n),
			isa->n < 0xffff ? "" : ", and fewer than 65535 rows");
	unsigned set = parse_arch_set(w[1].s, w[1].n);
	at.col = w[1].col;
	if (!set)
		return fault_set(f, at, "isa-arch",
			"unknown architecture '%s' (expected a name such as ampere, a binary version such as 86, or all)",
			diag_quote(q, sizeof(q), w[1].s, w[1].n));
	int class = isa_class_parse(w[2].s, w[2].n);
	at.col = w[2].col;
	if (class < 0)
		return fault_set(f, at, "isa-class",
			"unknown class '%s' (expected one such as INT, SP, LOAD, SPEC3, or -)",
			diag_quote(q, sizeof(q), w[2].s, w[2].n));
	struct isa_op *op = add_isa_row(isa, &w[0]);
	if (op->kind == KIND_PLAIN && (class == CLASS_LOAD || class == CLASS_STORE))
		op->kind = KIND_MEM_OTHER;
	for (int a = 0; a < N_ARCHS; a++)
		if (set >> a & 1)
			op->class[a] = (uint8_t) class;
	return 0;
}

int isa_parse(struct isa *isa, struct input *in, struct fault *f)
{
	const char *line;
	size_t len;
	int r;
	while ((r = input_line(in, &line, &len, f)) > 0) {
		struct place at = {input_name(in), input_lineno(in), 0};
		if (load_isa_row(isa, line, len, at, f) < 0)
			return -1;
	}
	return r;
}

int isa_load(struct isa *isa, const char *path, struct fault *f)
{
	struct input *in = input_open(path, f);
	int r = in ? isa_parse(isa, in, f) : -1;
	input_close(in);
	return r;
}
