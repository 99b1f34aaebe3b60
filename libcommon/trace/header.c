/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The header of a kernel trace: "-key words = value" lines up to the first line that begins with '#'.
 *
 * Always true of a header that was read: it has grid, block, registers, shared memory and binary version; each
 * dimension is at least 1; products do not overflow. Unknown keys are skipped. If a key occurs twice, the last value
 * applies, as in the original (kernel-trace(5)). The limits of the GPU are not checked.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "reader.h"

#define BLOCK_THREADS_MAX 65536u /* above the hardware's limit; bounds the memory for a damaged file */
#define NREGS_MAX         512u

enum key {
	KEY_NAME,
	KEY_ID,
	KEY_GRID,
	KEY_BLOCK,
	KEY_CLUSTER,
	KEY_PROGRAMMATIC,
	KEY_SHMEM,
	KEY_NREGS,
	KEY_STREAM,
	KEY_BINARY,
	KEY_LINEINFO,
	KEY_TRACER,
	KEY_SHMEM_BASE,
	KEY_LOCAL_BASE,
	KEY_SLICE,
	KEY_ISA,
	KEY_PTX_HASH,
	KEY_DYNAMIC,
	KEY_CODE_END,
	KEY_FILE,
	KEY_LINE,
	N_KEYS
};

/* Known keys. The first two words identify a key. */
static const struct {
	const char *first, *second, *shown; /* words of the key, and its name in messages */
	bool must;                          /* whether the header must have the key */
} keys[N_KEYS] = {
	[KEY_NAME] = {"kernel", "name", "-kernel name", false},
	[KEY_ID] = {"kernel", "id", "-kernel id", false},
	[KEY_GRID] = {"grid", "dim", "-grid dim", true},
	[KEY_BLOCK] = {"block", "dim", "-block dim", true},
	[KEY_CLUSTER] = {"cluster", "dim", "-cluster dim", false},
	[KEY_PROGRAMMATIC] = {"programmatic", "launch", "-programmatic launch", false},
	[KEY_SHMEM] = {"shmem", "=", "-shmem", true},
	[KEY_NREGS] = {"nregs", NULL, "-nregs", true},
	[KEY_STREAM] = {"cuda", "stream", "-cuda stream id", false},
	[KEY_BINARY] = {"binary", "version", "-binary version", true},
	[KEY_LINEINFO] = {"enable", "lineinfo", "-enable lineinfo", false},
	[KEY_TRACER] = {"accelsim", "tracer", "-accelsim tracer version", false},
	[KEY_SHMEM_BASE] = {"shmem", "base_addr", "-shmem base_addr", false},
	[KEY_LOCAL_BASE] = {"local", "mem", "-local mem base_addr", false},
	[KEY_SLICE] = {"slice", NULL, "-slice", false},
	[KEY_ISA] = {"isa", NULL, "-isa", false},
	[KEY_PTX_HASH] = {"ptx", "hash", "-ptx hash", false},
	[KEY_DYNAMIC] = {"dynamic", "shmem", "-dynamic shmem", false},
	[KEY_CODE_END] = {"code", "end", "-code end", false},
	[KEY_FILE] = {"file", NULL, "-file", false},
	[KEY_LINE] = {"line", NULL, "-line", false},
};

struct value {
	struct tok text; /* text of the value */
	struct place place;
	const char *key; /* name of the key for messages */
};

static int set_value_fault(const struct value *v, struct fault *f, const char *wanted)
{
	char q[80];
	return fault_set(f, v->place, "header-value", "invalid value '%s = %s' (expected %s)", v->key,
		diag_quote(q, sizeof(q), v->text.s, v->text.n), wanted);
}

static int parse_header_number(const struct value *v, uint64_t max, uint64_t *to, struct fault *f)
{
	char wanted[64];
	if (tok_parse_u64(v->text, to) && *to <= max)
		return 0;
	snprintf(wanted, sizeof(wanted), "a whole number from 0 to %llu", (unsigned long long)max);
	return set_value_fault(v, f, wanted);
}

static int parse_value_u32(const struct value *v, uint32_t max, uint32_t *to, struct fault *f)
{
	uint64_t n;
	if (parse_header_number(v, max, &n, f) < 0)
		return -1;
	*to = (uint32_t)n;
	return 0;
}

static int parse_value_int(const struct value *v, int *to, struct fault *f)
{
	uint64_t n;
	if (parse_header_number(v, INT32_MAX, &n, f) < 0)
		return -1;
	*to = (int)n;
	return 0;
}

/* Parses "(x,y,z)". Blanks may be anywhere. */
static int parse_value_dims(const struct value *v, uint32_t dim[3], uint64_t max, struct fault *f)
{
	const char *p = v->text.s, *end = p + v->text.n;
	uint64_t product = 1;
	char wanted[80];
	for (int i = 0; i < 3; i++) {
		while (p < end && is_space(*p))
			p++;
		if (p == end || *p++ != (i ? ',' : '('))
			return set_value_fault(v, f, "(x,y,z)");
		while (p < end && is_space(*p))
			p++;
		const char *from = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		uint64_t n;
		if (!tok_parse_u64((struct tok){from, (size_t)(p - from)}, &n))
			return set_value_fault(v, f, "(x,y,z), three whole numbers");
		snprintf(wanted, sizeof(wanted), "dimensions of at least 1 with a product of at most %llu",
			(unsigned long long)max);
		if (!n || n > UINT32_MAX || __builtin_mul_overflow(product, n, &product) || product > max)
			return set_value_fault(v, f, wanted);
		dim[i] = (uint32_t)n;
	}
	while (p < end && is_space(*p))
		p++;
	return p + 1 == end && *p == ')' ? 0 : set_value_fault(v, f, "(x,y,z)");
}

static int parse_value_hex(const struct value *v, uint64_t *to, struct fault *f)
{
	return tok_parse_hex(v->text, to) ? 0 : set_value_fault(v, f, "a hexadecimal address");
}

static int set_binary_version(struct kernel_header *h, const struct value *v, struct fault *f)
{
	if (parse_value_int(v, &h->binary_version, f) < 0)
		return -1;
	int arch = isa_arch_of(h->binary_version);
	if (arch < 0) {
		h->binary_version = 0;
		return set_value_fault(v, f, "one of 35, 60, 61, 70, 75, 80, 86, 87, 89, 90, 100, 120");
	}
	h->arch = (enum isa_arch)arch;
	return 0;
}

/* Sets the dialect of the lines from a word of columns.def. After "ptx", the version follows. */
static int set_isa(struct kernel_header *h, const struct value *v, struct fault *f)
{
	struct tok w = v->text;
	enum line_dialect d = line_dialect_named(w.s, w.s + w.n);
	bool good = d < LINE_DIALECTS && (d != DIALECT_PTX || w.n > 4);
	for (size_t i = 4; good && d == DIALECT_PTX && i < w.n; i++)
		good = (w.s[i] >= '0' && w.s[i] <= '9') || w.s[i] == '.';
	if (!good)
		return set_value_fault(v, f, "ptx and its version");
	h->dialect = d;
	h->ptx = d == DIALECT_PTX;
	return 0;
}

static int check_ptx_hash(const struct value *v, struct fault *f)
{
	for (size_t i = 0; i < v->text.n; i++)
		if (!memchr("0123456789abcdef", v->text.s[i], 16))
			return set_value_fault(v, f, "32 hexadecimal digits");
	return v->text.n == 32 ? 0 : set_value_fault(v, f, "32 hexadecimal digits");
}

static int set_code_end(struct kernel_header *h, const struct value *v, struct fault *f)
{
	uint64_t n;
	if (!tok_parse_hex(v->text, &n) || n % 8 || n > PTX_CODE_MAX)
		return set_value_fault(v, f, "a hexadecimal multiple of 8 up to 10000000");
	h->code_end = (uint32_t)n;
	return 0;
}

static int set_header_value(struct kernel_header *h, enum key key, const struct value *v, struct fault *f)
{
	uint64_t n = 0;
	char *name;
	int r = 0;
	switch (key) {
	case KEY_NAME:
		name = xstrndup(v->text.s, v->text.n);
		free(h->name);
		h->name = name;
		break;
	case KEY_ID: return parse_value_u32(v, UINT32_MAX, &h->id, f);
	case KEY_GRID: return parse_value_dims(v, h->grid, UINT32_MAX, f);
	case KEY_BLOCK: return parse_value_dims(v, h->block, BLOCK_THREADS_MAX, f);
	case KEY_CLUSTER: return parse_value_dims(v, h->cluster, CLUSTER_BLOCKS_MAX, f);
	case KEY_PROGRAMMATIC:
		r = parse_header_number(v, 1, &n, f);
		h->programmatic = n != 0;
		break;
	case KEY_SHMEM: return parse_value_u32(v, INT32_MAX, &h->shmem_bytes, f);
	case KEY_NREGS: return parse_value_u32(v, NREGS_MAX, &h->nregs, f);
	case KEY_STREAM: return parse_header_number(v, UINT64_MAX, &h->stream, f);
	case KEY_BINARY: return set_binary_version(h, v, f);
	case KEY_TRACER: return parse_value_int(v, &h->tracer_version, f);
	case KEY_SHMEM_BASE: return parse_value_hex(v, &h->shmem_base, f);
	case KEY_LOCAL_BASE: return parse_value_hex(v, &h->local_base, f);
	case KEY_LINEINFO:
		r = parse_header_number(v, INT32_MAX, &n, f);
		h->lineinfo = n != 0;
		break;
	case KEY_SLICE:
		r = parse_header_number(v, INT32_MAX, &n, f);
		h->is_slice = n != 0;
		break;
	case KEY_ISA: return set_isa(h, v, f);
	case KEY_PTX_HASH: return check_ptx_hash(v, f);
	case KEY_DYNAMIC: return parse_value_u32(v, INT32_MAX, &h->dynamic_shmem, f);
	case KEY_CODE_END: return set_code_end(h, v, f);
	case KEY_FILE: /* source.c reads these lines */
	case KEY_LINE:
	case N_KEYS: break;
	}
	return r;
}

/* Returns true if a key is known but not used by the model. */
static bool is_unused_key(struct tok first, struct tok second)
{
	return tok_is(first, "nvbit") && tok_is(second, "version");
}

static void report_unknown_key(struct trace *t, const char *line, struct tok key, struct fault *f)
{
	char q[60];
	fault_set(f, text_place(t, line, line), "header-unknown", "unknown key '-%s' is ignored",
		diag_quote(q, sizeof(q), key.s, key.n));
	trace_report_fault(t, f);
}

/* Replaces an invalid value by a value that passes the checks. */
static void replace_invalid_value(struct kernel_header *h, int key)
{
	if (key == KEY_NREGS)
		h->nregs = 0;
	if (key == KEY_SHMEM)
		h->shmem_bytes = UINT32_MAX;
}

static int read_header_line(struct trace *t, const char *line, size_t len, unsigned *had, struct fault *f)
{
	const char *p = line + 1, *end = line + len;
	struct tok first = tok_next(&p, end);
	struct tok second = tok_next(&p, end);
	int key = 0;
	if (t->header.ptx && tok_is(first, "code") && !tok_is(second, "end"))
		return ptx_code_line(t, line, first.s + first.n, end, f);
	while (key < N_KEYS &&
		!(tok_is(first, keys[key].first) && (!keys[key].second || tok_is(second, keys[key].second))))
		key++;
	if (key == N_KEYS) {
		if (t->options.watch && !is_unused_key(first, second))
			report_unknown_key(t, line, first, f);
		return 0;
	}
	if (t->options.watch && *had >> key & 1 && key != KEY_FILE && key != KEY_LINE) {
		fault_set(f, text_place(t, line, line), "header-repeated",
			"'%s' occurs twice; the last one is used", keys[key].shown);
		trace_report_fault(t, f);
	}
	*had |= 1u << key;
	replace_invalid_value(&t->header, key);
	const char *eq = memchr(line, '=', len);
	if (!eq)
		return fault_set(f, (struct place){t->name, t->line, 0}, "header-value",
			"no '=' after '%s' (expected '%s = value')", keys[key].shown, keys[key].shown);
	p = eq + 1;
	while (p < end && is_space(*p))
		p++;
	while (end > p && is_space(end[-1]))
		end--;
	struct value v = {{p, (size_t)(end - p)}, text_place(t, line, p), keys[key].shown};
	if (key == KEY_FILE)
		source_add_file(t, second, v.text);
	if (key == KEY_LINE)
		return source_add_line(t, second, v.text, v.place, f);
	return set_header_value(&t->header, (enum key)key, &v, f);
}

/* Reports missing keys that have a default. */
static void report_defaults(const struct trace *t, unsigned had, struct fault *f)
{
	static const enum key hint[] = {KEY_NAME, KEY_ID, KEY_STREAM, KEY_TRACER};
	for (size_t i = 0; i < sizeof(hint) / sizeof(hint[0]); i++) {
		if (had >> hint[i] & 1 || (hint[i] == KEY_TRACER && t->header.ptx))
			continue;
		fault_set(f, (struct place){t->name, t->line, 0}, "header-default",
			"header has no line '%s = ...'", keys[hint[i]].shown);
		trace_report_fault(t, f);
	}
}

/* Checks that grid, block and architecture are present, because the checks of all lines need them. */
static int check_required_keys(struct trace *t, unsigned had, struct fault *f)
{
	report_defaults(t, had, f);
	if (t->header.grid[2] && t->header.block[2] && (t->header.binary_version || t->header.ptx))
		return 0;
	f->id = NULL;
	return -1;
}

static int check_complete(struct trace *t, unsigned had, struct fault *f)
{
	for (int k = 0; k < N_KEYS; k++) {
		bool must = t->header.ptx && (k == KEY_BINARY || k == KEY_CODE_END) ? k == KEY_CODE_END
										    : keys[k].must;
		if (!must || had >> k & 1)
			continue;
		fault_set(f, (struct place){t->name, t->line, 0}, "header-missing",
			"header has no line '%s = ...'", keys[k].shown);
		if (!trace_report_fault(t, f))
			return -1;
		replace_invalid_value(&t->header, k);
	}
	uint32_t last = ptx_code_last(t->ptx);
	if (t->header.ptx && last >= t->header.code_end && last)
		return fault_set(f, (struct place){t->name, t->line, 0}, "code-line",
			"instruction at pc 0x%x (expected all before the end of code at 0x%x)", last,
			t->header.code_end);
	if (t->options.watch && check_required_keys(t, had, f) < 0)
		return -1;
	if (!t->header.name)
		t->header.name = xstrdup(t->name);
	t->dialect.form = t->header.dialect;
	t->dialect.prefix_columns = line_dialect_has(t->dialect.form, COLUMN_PREFIX) ? -1 : 0;
	t->dialect.imms = line_dialect_has(t->dialect.form, COLUMN_IMMEDIATES) ? -1 : 0;
	if (had >> KEY_LINEINFO & 1)
		t->dialect.has_lineno = t->header.lineinfo;
	return 0;
}

static bool has_control_characters(const char *line, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if ((unsigned char)line[i] < ' ' && !is_space(line[i]))
			return true;
	return false;
}

int header_read(struct trace *t, struct fault *f)
{
	unsigned had = 0, returns = 0;
	const char *line = NULL;
	size_t len = 0;
	char q[80];
	int r;
	t->dialect.has_lineno =
		true; /* a single column before the PC is a line number unless the header says otherwise */
	while ((r = text_line(t, &line, &len, f)) > 0) {
		const char *p = line;
		struct tok w = tok_next(&p, line + len);
		if (w.n && w.s[0] == '#')
			break;
		struct place at = text_place(t, line, w.s);
		bool bad_line = w.n && w.s[0] != '-';
		if (bad_line)
			fault_set(f, at, "header-line",
				"unexpected '%s' (expected a header line that begins with '-', or '#')",
				diag_quote(q, sizeof(q), w.s, (size_t)(line + len - w.s)));
		else if (w.n)
			bad_line = read_header_line(t, w.s, (size_t)(line + len - w.s), &had, f) < 0;
		if (bad_line && (has_control_characters(line, len) || !trace_report_fault(t, f)))
			return -1;
		if (t->options.watch && len && line[len - 1] == '\r' && !returns++) {
			fault_set(f, text_place(t, line, line + len - 1), "line-end",
				"carriage return before the end of the line");
			trace_report_fault(t, f);
		}
		text_next(t, line + len);
	}
	if (r < 0)
		return -1;
	if (r == 0 && !had)
		return fault_set(f, (struct place){t->name, t->line, 0}, "truncated",
			"file is empty (expected a kernel header)");
	if (r == 0)
		return fault_set(f, (struct place){t->name, t->line, 0}, "truncated",
			"file ends in the header (expected thread blocks after a line that begins with '#')");
	return check_complete(t, had, f);
}
