/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Packing of the lines before the first thread block: as a few values, or as text if they are not in the tracer's
 * form. "-code" lines of PTX become numbers (lines.c) if the stream's version allows it.
 *
 * Always true: a header is stored as values only if they reproduce the text. The kernel's id is relative to the id of
 * the preceding kernel in the block, so repeated kernels have equal bytes.
 */
#include <stdio.h>
#include "format.h"
#include "lines.h"
#include "pack.h"

enum { H_WINDOWS = 1, H_NVBIT = 2, H_LINEINFO = 4, H_SLICE = 8, H_LINES = 64, H_RAW = 128 };
#define ADDRESS_LOW 24 /* number of low bits of the window addresses that are 0 */

struct values {
	const char *name, *nvbit, *format; /* texts of the header's fields */
	size_t name_len, nvbit_len, format_len;
	uint64_t flags, id, grid[3], block[3], shmem, nregs, binary, stream, windows[2], tracer, lineinfo;
	uint64_t blank_before; /* number of empty lines before the format line */
	uint64_t blank_after;  /* number of empty lines after the format line */
};

/* Known format lines. A header is packed with the index of its format line plus 1; 0: the line follows. */
static const char *const formats[] = {
	"[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
	"[mem_addresses] immediate",
	"threadblock_x threadblock_y threadblock_z warpid_tb PC mask dest_num [reg_dests] opcode src_num "
	"[reg_srcs] "
	"mem_width [adrrescompress?] [mem_addresses]",
	"[line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] "
	"[mem_addresses]",
	"threadblock_x threadblock_y threadblock_z warpid_tb PC mask dest_num reg_dests opcode src_num "
	"reg_srcs "
	"mem_width mem_addresses",
	"PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] "
	"immediate",
};
#define N_FORMATS (sizeof(formats) / sizeof(formats[0]))

static void append_header_text(struct buf *b, const struct values *v)
{
	char t[512];
	int n;

	buf_add(b, "-kernel name = ", 15);
	buf_add(b, v->name, v->name_len);
#define P(...) (n = snprintf(t, sizeof(t), __VA_ARGS__), buf_add(b, t, (size_t)n))
#define U(x)   (unsigned long long)(x)
	P("\n-kernel id = %llu\n-grid dim = (%llu,%llu,%llu)\n-block dim = (%llu,%llu,%llu)\n-shmem = %llu\n"
	  "-nregs = %llu\n-binary version = %llu\n-cuda stream id = %llu\n",
		U(v->id), U(v->grid[0]), U(v->grid[1]), U(v->grid[2]), U(v->block[0]), U(v->block[1]),
		U(v->block[2]), U(v->shmem), U(v->nregs), U(v->binary), U(v->stream));
	if (v->flags & H_WINDOWS)
		P("-shmem base_addr = 0x%016llx\n-local mem base_addr = 0x%016llx\n", U(v->windows[0]),
			U(v->windows[1]));
	if (v->flags & H_NVBIT) {
		buf_add(b, "-nvbit version = ", 17);
		buf_add(b, v->nvbit, v->nvbit_len);
		P("\n-accelsim tracer version = %llu\n", U(v->tracer));
	}
	if (v->flags & H_LINEINFO)
		P("-enable lineinfo = %llu\n", U(v->lineinfo));
	if (v->flags & H_SLICE)
		buf_add(b, "-slice = 1\n", 11);
	for (uint64_t i = 0; i < v->blank_before; i++)
		buf_byte(b, '\n');
	buf_add(b, "#traces format = ", 17);
	buf_add(b, v->format, v->format_len);
	for (uint64_t i = 0; i <= v->blank_after; i++)
		buf_byte(b, '\n');
#undef P
#undef U
}

/* ---- parsing of the text ------------------------------------------------------------------ */

struct header_scan {
	const char *p;   /* position in the header */
	const char *end; /* end of the header */
};

static bool skip_header_text(struct header_scan *s, const char *word)
{
	size_t n = strlen(word);

	if ((size_t)(s->end - s->p) < n || memcmp(s->p, word, n))
		return false;
	s->p += n;
	return true;
}

static uint64_t header_number(struct header_scan *s, unsigned base)
{
	uint64_t v = 0;

	for (; s->p < s->end; s->p++) {
		char c = *s->p;
		unsigned d = c >= '0' && c <= '9'   ? (unsigned)(c - '0')
			     : c >= 'a' && c <= 'f' ? (unsigned)(c - 'a') + 10
						    : 99;

		if (d >= base)
			break;
		v = v * base + d;
	}
	return v;
}

static void scan_header_string(struct header_scan *s, const char **p, size_t *n)
{
	const char *nl = memchr(s->p, '\n', (size_t)(s->end - s->p));

	*p = s->p;
	*n = (size_t)((nl ? nl : s->end) - s->p);
	s->p += *n;
}

static void scan_header_triple(struct header_scan *s, uint64_t v[3])
{
	for (int i = 0; i < 3; i++) {
		v[i] = header_number(s, 10);
		if (i < 2)
			skip_header_text(s, ",");
	}
	skip_header_text(s, ")");
}

/*
 * Reads the values of a header. Wrong values are detected later, when the header is printed from the values and
 * compared.
 */
static void read_values(struct values *v, struct header_scan s)
{
	skip_header_text(&s, "-kernel name = ");
	scan_header_string(&s, &v->name, &v->name_len);
	skip_header_text(&s, "\n-kernel id = "), v->id = header_number(&s, 10);
	skip_header_text(&s, "\n-grid dim = ("), scan_header_triple(&s, v->grid);
	skip_header_text(&s, "\n-block dim = ("), scan_header_triple(&s, v->block);
	skip_header_text(&s, "\n-shmem = "), v->shmem = header_number(&s, 10);
	skip_header_text(&s, "\n-nregs = "), v->nregs = header_number(&s, 10);
	skip_header_text(&s, "\n-binary version = "), v->binary = header_number(&s, 10);
	skip_header_text(&s, "\n-cuda stream id = "), v->stream = header_number(&s, 10);
	if (skip_header_text(&s, "\n-shmem base_addr = 0x")) {
		v->flags |= H_WINDOWS;
		v->windows[0] = header_number(&s, 16);
		skip_header_text(&s, "\n-local mem base_addr = 0x"), v->windows[1] = header_number(&s, 16);
	}
	if (skip_header_text(&s, "\n-nvbit version = ")) {
		v->flags |= H_NVBIT;
		scan_header_string(&s, &v->nvbit, &v->nvbit_len);
		skip_header_text(&s, "\n-accelsim tracer version = "), v->tracer = header_number(&s, 10);
	}
	if (skip_header_text(&s, "\n-enable lineinfo = "))
		v->flags |= H_LINEINFO, v->lineinfo = header_number(&s, 10);
	if (skip_header_text(&s, "\n-slice = 1"))
		v->flags |= H_SLICE;
	skip_header_text(&s, "\n");
	for (; v->blank_before < 15 && skip_header_text(&s, "\n"); v->blank_before++)
		;
	skip_header_text(&s, "#traces format = ");
	scan_header_string(&s, &v->format, &v->format_len);
	skip_header_text(&s, "\n");
	for (; v->blank_after < 15 && skip_header_text(&s, "\n"); v->blank_after++)
		;
}

static const char *find_header_line(const char *text, size_t n, const char *key)
{
	const char *at = n ? memmem(text, n, key, strlen(key)) : NULL;

	return at && (at == text || at[-1] == '\n') ? at + strlen(key) : NULL;
}

/* Returns the dialect of a name. An unknown name may get any dialect, because the reader rejects the name. */
static enum line_dialect dialect_of(const char *isa, const char *end)
{
	const char *nl = memchr(isa, '\n', (size_t)(end - isa));
	enum line_dialect d = line_dialect_named(isa, nl ? nl : end);

	return d == LINE_DIALECTS ? DIALECT_SASS : d;
}

#define FIRST_WITH_VALUES 6u /* first version of the tracer that logs register values */
#define HOPPER            90 /* version of Hopper's machine code */

struct header_facts header_facts(const char *text, size_t n)
{
	struct header_facts h = {.dialect = DIALECT_SASS};
	uint64_t g[3] = {0, 0, 0}, b[3] = {0, 0, 0};
	const char *at = find_header_line(text, n, "-grid dim = ("),
		   *isa = find_header_line(text, n, "-isa = ");

	if (isa)
		h.dialect = dialect_of(isa, text + n);
	if (at)
		scan_header_triple(&(struct header_scan){at, text + n}, g);
	at = find_header_line(text, n, "-block dim = (");
	if (at)
		scan_header_triple(&(struct header_scan){at, text + n}, b);
	for (int i = 0; i < 3; i++) {
		h.grid[i] = g[i] < NONE ? (uint32_t)g[i] : 0;
		b[i] = b[i] > pack_limits.threads ? 0 : b[i];
	}
	at = find_header_line(text, n, "-binary version = ");
	uint64_t binary = at ? header_number(&(struct header_scan){at, text + n}, 10) : 0;
	h.binary = binary < INT32_MAX ? (int)binary : 0;
	at = find_header_line(text, n, "-accelsim tracer version = ");
	uint64_t tracer = at ? header_number(&(struct header_scan){at, text + n}, 10) : 0;
	h.may_have_values = tracer >= FIRST_WITH_VALUES || h.binary >= HOPPER;
	uint64_t t = b[0] * b[1] * b[2];
	h.threads = t <= pack_limits.threads ? (uint32_t)t : 0;
	return h;
}

void header_kernel(struct pack_kernel *k, const char *text, size_t n)
{
	const char *at = find_header_line(text, n, "-kernel name = ");
	struct header_facts h = header_facts(text, n);
	uint64_t b[3] = {0, 0, 0};
	size_t len;

	if (at) {
		scan_header_string(&(struct header_scan){at, text + n}, &at, &len);
		k->name = xstrndup(at, len);
	}
	at = find_header_line(text, n, "-block dim = (");
	if (at)
		scan_header_triple(&(struct header_scan){at, text + n}, b);
	for (int i = 0; i < 3; i++)
		k->block[i] = b[i] < NONE ? (uint32_t)b[i] : 0;
	at = find_header_line(text, n, "-cuda stream id = ");
	k->stream = at ? header_number(&(struct header_scan){at, text + n}, 10) : 0;
	memcpy(k->grid, h.grid, sizeof(k->grid));
	k->is_slice = n && memmem(text, n, "\n-slice = 1\n", 12);
}

/* ---- values ------------------------------------------------------------------------------- */

static void pack_window(struct buf *out, uint64_t w, uint64_t from)
{
	uint64_t low = (UINT64_C(1) << ADDRESS_LOW) - 1;
	bool round = !(w & low) && !(from & low);

	mp_int(out, round ? (int64_t)(w >> ADDRESS_LOW) - (int64_t)(from >> ADDRESS_LOW) : 0);
	if (!round || w == from) /* 0 means that the value follows */
		mp_uint(out, w);
}

static uint64_t unpack_window(struct cur *in, uint64_t from)
{
	int64_t d = mp_get_int(in);

	return d ? (uint64_t)((int64_t)(from >> ADDRESS_LOW) + d) << ADDRESS_LOW
		 : mp_get_uint(in, UINT64_MAX);
}

static void pack_values(struct buf *out, const struct values *v, struct header_state *s)
{
	uint64_t format = 0;

	while (format < N_FORMATS && (strlen(formats[format]) != v->format_len ||
					     memcmp(formats[format], v->format, v->format_len)))
		format++;
	format = format == N_FORMATS ? 0 : format + 1;
	mp_uint(out, v->flags);
	mp_str(out, v->name, v->name_len);
	mp_int(out, (int64_t)(v->id - s->id - 1));
	for (int i = 0; i < 3; i++)
		mp_uint(out, v->grid[i]);
	for (int i = 0; i < 3; i++)
		mp_uint(out, v->block[i]);
	mp_uint(out, v->shmem);
	mp_uint(out, v->nregs);
	mp_uint(out, v->binary);
	mp_uint(out, v->stream);
	if (v->flags & H_WINDOWS) {
		pack_window(out, v->windows[0], 0);
		pack_window(out, v->windows[1], v->windows[0]);
	}
	if (v->flags & H_NVBIT) {
		mp_str(out, v->nvbit, v->nvbit_len);
		mp_uint(out, v->tracer);
	}
	if (v->flags & H_LINEINFO)
		mp_uint(out, v->lineinfo);
	mp_uint(out, v->blank_before);
	mp_uint(out, v->blank_after);
	mp_uint(out, format);
	if (!format)
		mp_str(out, v->format, v->format_len);
	s->id = v->id;
	s->stream = v->stream;
}

/* Finds the first "-code" line and the end of the last one. Returns false if there are none. */
static bool find_code_lines(const char *text, size_t n, size_t *from, size_t *to)
{
	const char *at = find_header_line(text, n, "-code end"), *end = text + n;

	at = at ? memmem(at, (size_t)(end - at), "\n-code ", 7) : NULL;
	if (!at)
		return false;
	*from = *to = (size_t)(at + 1 - text);
	while (n - *to > 6 && !memcmp(text + *to, "-code ", 6)) {
		const char *nl = memchr(text + *to, '\n', n - *to);

		*to = nl ? (size_t)(nl + 1 - text) : n;
	}
	return true;
}

/*
 * Packs text with its "-code" lines as numbers. Returns false if it has no such lines, or if the numbers would not
 * reproduce the text.
 */
static bool pack_lines(struct buf *out, const char *text, size_t n)
{
	struct buf lines = {0}, again = {0};
	size_t from, to;
	bool good = find_code_lines(text, n, &from, &to) && lines_pack(&lines, text + from, text + to) &&
		    lines_unpack(&again, cur_of(lines.p, lines.n)) && again.n == to - from &&
		    !memcmp(again.p, text + from, again.n);

	if (good) {
		mp_uint(out, H_LINES);
		mp_str(out, text, from);
		mp_bin(out, lines.p, lines.n);
		mp_str(out, text + to, n - to);
	}
	buf_free(&lines);
	buf_free(&again);
	return good;
}

static bool unpack_lines(struct cur *in, struct buf *text)
{
	size_t n;
	const uint8_t *s = mp_get_str(in, &n);

	buf_add(text, s, s ? n : 0);
	s = mp_get_str(in, &n);
	if (in->bad || !lines_unpack(text, cur_of(s, n)))
		return false;
	s = mp_get_str(in, &n);
	buf_add(text, s, s ? n : 0);
	return !in->bad;
}

void header_pack(struct buf *out, struct header_state *s, const char *text, size_t n, bool lines)
{
	struct values v = {0};
	struct buf again = {0};

	read_values(&v, (struct header_scan){text, text + n});
	append_header_text(&again, &v);
	if (again.n == n && !memcmp(again.p, text, n)) {
		pack_values(out, &v, s);
	} else if (!lines || !pack_lines(out, text, n)) {
		mp_uint(out, H_RAW);
		mp_str(out, text, n);
	}
	buf_free(&again);
}

bool header_unpack(struct cur *in, struct header_state *s, struct buf *text, bool lines)
{
	struct values v = {.flags = mp_get_uint(in, H_RAW)};

	if (v.flags == H_RAW) {
		size_t n;
		const uint8_t *raw = mp_get_str(in, &n);

		buf_add(text, raw, n);
		return !in->bad;
	}
	if (v.flags & H_LINES)
		return lines && v.flags == H_LINES && unpack_lines(in, text);
	v.name = (const char *)mp_get_str(in, &v.name_len);
	v.id = s->id = s->id + 1 + (uint64_t)mp_get_int(in);
	for (int i = 0; i < 3; i++)
		v.grid[i] = mp_get_uint(in, UINT64_MAX);
	for (int i = 0; i < 3; i++)
		v.block[i] = mp_get_uint(in, UINT64_MAX);
	v.shmem = mp_get_uint(in, UINT64_MAX);
	v.nregs = mp_get_uint(in, UINT64_MAX);
	v.binary = mp_get_uint(in, UINT64_MAX);
	v.stream = s->stream = mp_get_uint(in, UINT64_MAX);
	if (v.flags & H_WINDOWS) {
		v.windows[0] = unpack_window(in, 0);
		v.windows[1] = unpack_window(in, v.windows[0]);
	}
	if (v.flags & H_NVBIT) {
		v.nvbit = (const char *)mp_get_str(in, &v.nvbit_len);
		v.tracer = mp_get_uint(in, UINT64_MAX);
	}
	if (v.flags & H_LINEINFO)
		v.lineinfo = mp_get_uint(in, UINT64_MAX);
	v.blank_before = mp_get_uint(in, 15);
	v.blank_after = mp_get_uint(in, 15);
	uint64_t format = mp_get_uint(in, N_FORMATS);
	if (format) {
		v.format = formats[format - 1];
		v.format_len = strlen(v.format);
	} else {
		v.format = (const char *)mp_get_str(in, &v.format_len);
	}
	if (!in->bad)
		append_header_text(text, &v);
	return !in->bad;
}

/* ---- header text without id and stream --------------------------------------------------- */

static const char *const changing[] = {"-kernel id = ", "-cuda stream id = "};
#define N_CHANGING (sizeof(changing) / sizeof(changing[0]))

/*
 * Finds the numbers of id and stream in the text, in order, and returns how many there are. which[] is 0 for the id,
 * 1 for the stream.
 */
static unsigned find_id_and_stream(
	const char *text, size_t n, const char *at[N_CHANGING], unsigned which[N_CHANGING])
{
	unsigned found = 0;

	for (unsigned i = 0; i < N_CHANGING; i++) {
		at[found] = find_header_line(text, n, changing[i]);
		which[found] = i;
		found += at[found] != NULL;
	}
	if (found == N_CHANGING && at[0] > at[1]) {
		const char *first = at[1];

		at[1] = at[0];
		at[0] = first;
		which[0] = 1;
		which[1] = 0;
	}
	return found;
}

void header_restore(struct buf *out, const struct header_state *s, const char *text, size_t n)
{
	const char *at[N_CHANGING], *from = text;
	unsigned which[N_CHANGING], found = find_id_and_stream(text, n, at, which);
	char t[24];

	for (unsigned i = 0; i < found; from = at[i++]) {
		uint64_t v = which[i] ? s->stream : s->id;

		buf_add(out, from, (size_t)(at[i] - from));
		buf_add(out, t, (size_t)snprintf(t, sizeof(t), "%llu", (unsigned long long)v));
	}
	buf_add(out, from, (size_t)(text + n - from));
}

bool header_strip(struct buf *out, struct header_state *s, const char *text, size_t n)
{
	const char *at[N_CHANGING], *from = text;
	unsigned which[N_CHANGING], found = find_id_and_stream(text, n, at, which);
	struct buf again = {0};
	size_t had = out->n;

	for (unsigned i = 0; i < found; i++) {
		struct header_scan in = {at[i], text + n};

		*(which[i] ? &s->stream : &s->id) = header_number(&in, 10);
		buf_add(out, from, (size_t)(at[i] - from));
		from = in.p;
	}
	buf_add(out, from, (size_t)(text + n - from));
	header_restore(&again, s, (const char *)out->p + had, out->n - had);
	bool same = again.n == n && (!n || !memcmp(again.p, text, n));
	buf_free(&again);
	return same;
}
