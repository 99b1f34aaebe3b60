/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Random warps of test_records.c: their records, and the text that the records represent. The code is PTX or machine
 * code.
 */
#ifndef RECORDS_FIXTURE_H
#define RECORDS_FIXTURE_H

#include "bits.h"
#include "pack.h"
#include "pack/buf.h"
#include "random.h"
#include "tap.h"

#define INSTS  40u
#define WARPS  3u
#define BLOCKS 25u

static const char header[] =
	"-kernel name = k\n-kernel id = 1\n-grid dim = (5,5,1)\n-block dim = (80,1,1)\n-shmem = 0\n-nregs = 8\n"
	"-cuda stream id = 0\n-isa = ptx 7.0\n-code end = 0x1000000\n-code 0000 ret\n"
	"#traces format = PC mask width [mode addresses] [i:issue] [b:barrier] [s:space]\n";

static const char machine_header[] =
	"-kernel name = k\n-kernel id = 1\n-grid dim = (5,5,1)\n-block dim = (80,1,1)\n-shmem = 0\n-nregs = 8\n"
	"-binary version = 80\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
	"-local mem base_addr = 0x00007f1000000000\n-accelsim tracer version = 5\n-enable lineinfo = 0\n\n"
	"#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress?] [mem_addresses] immediate\n";

/* A warp in two forms: as runs of records, and as text. */
struct warp_forms {
	struct pack_run run[400];
	struct pack_payload payload[400];
	uint64_t word[400 * 32];
	struct buf texts;
	uint32_t n_runs, n_payloads, n_words;
	/* index in word[] of its last list of addresses of all lanes; UINT32_MAX before the first */
	uint32_t list;
};

static struct pack_inst inst[INSTS];
static char middle[INSTS][48],
	tail[INSTS][16]; /* constant text of each instruction before and after the addresses */
static char texts[INSTS * 64];
static struct pack_code code = {inst, INSTS, texts, 0};
static bool machine_code; /* true if the kernels are machine code */
static bool regular;      /* true if a warp follows the same warp of the previous thread block */
static bool steady; /* true if addresses are long, so that followers rarely change their number of digits */
static bool predictable;        /* true if most addresses are a function of warp and thread block */
static uint64_t address_offset; /* distance of these addresses from those of the first warp */
static struct warp_forms warp_form[WARPS];
static struct buf kernel_text;

static void append_format(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void append_format(struct buf *b, const char *fmt, ...)
{
	char line[1200];
	va_list args;

	va_start(args, fmt);
	buf_add(b, line, (size_t)vsnprintf(line, sizeof(line), fmt, args));
	va_end(args);
}

/* Returns a random mask: no lane, one lane, a run of lanes, or any lanes. */
static uint32_t random_mask(void)
{
	switch (random_below(6)) {
	case 0: return 0;
	case 1: return 1u << random_below(32);
	case 2: return (1u << (1 + random_below(31))) - 1;
	case 3: return ((1u << (1 + random_below(15))) - 1) << random_below(16);
	case 4: return random_below(UINT32_MAX);
	default: return UINT32_MAX;
	}
}

/*
 * Adds the warp's last list of addresses of all lanes, with an offset. Returns false if the warp has no such
 * list.
 */
static bool add_shifted_addresses(struct warp_forms *m, uint32_t mask, uint32_t *addr)
{
	uint64_t *word = m->word + m->n_words, by = random_below(4) ? random_below(1u << 30) : 0;

	if (m->list == UINT32_MAX || mask != UINT32_MAX)
		return false;
	if (random_below(2))
		by = 0 - by;
	*addr = m->n_words << 2 | ADDR_MOVED;
	word[0] = by;
	word[1] = m->n_words - m->list;
	m->n_words += 2;
	const uint64_t *a = m->word + m->list;
	append_format(&kernel_text, " 2 0x%llx", (unsigned long long)(a[0] + by));
	for (uint32_t i = 1; i < 32; i++)
		append_format(&kernel_text, " %lld", (long long)(a[i] - a[i - 1]));
	return true;
}

/*
 * Appends the text of the addresses of lanes with holes between them, which is a list. The addresses rise by a
 * stride from each lane to the next, active or not.
 */
static void append_line_with_holes(uint32_t mask, uint64_t base, int64_t stride)
{
	unsigned last = bit_lowest32(mask);

	append_format(&kernel_text, " 2 0x%llx", (unsigned long long)base);
	FOR_BITS32 (l, mask & (mask - 1)) {
		append_format(&kernel_text, " %lld", (long long)(l - last) * stride);
		last = l;
	}
}

/*
 * Adds addresses and their text. They have a stride that fits in 32 bits, a stride that does not, or no
 * stride.
 */
static void add_addresses(struct warp_forms *m, uint32_t mask, uint32_t *addr)
{
	static const int64_t strides[] = {
		0, 4, -4, 128, 100000, -2147483648LL, 2147483647, 2147483648LL, -2147483649LL};
	uint32_t n = bit_count32(mask), run = mask ? mask >> bit_lowest32(mask) : 0;
	bool hole = run & (run + 1);
	int64_t stride = strides[random_below(9)];
	uint64_t a[32] = {0},
		 base = steady || random_below(3) ? 0xc0000000u + random_below(1u << 20) : random_below(3);
	bool line = n > 1 && !hole && stride == (int32_t)stride && random_below(3);

	if (hole && stride == (int32_t)stride && random_below(3)) {
		*addr = m->n_words << 2 | ADDR_STRIDE;
		m->word[m->n_words++] = base;
		m->word[m->n_words++] = (uint64_t)stride;
		append_line_with_holes(mask, base, stride);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		a[i] = line              ? base + i * (uint64_t)stride
		       : i == n - 1 && i ? a[i - 1] + 1 + (uint64_t)(a[1] - a[0])
		       : random_below(4)
			       ? base + i * (uint64_t)stride
			       : base + random_below(UINT32_MAX) * (uint64_t)(1 + random_below(1u << 30));
	if (n == 2 && !hole && !line) /* two adjacent lanes always have a stride unless it is too large */
		a[1] = a[0] + (1ull << 40);
	*addr = m->n_words << 2 | (line || n < 2 ? ADDR_STRIDE : ADDR_LIST);
	m->word[m->n_words] = n ? a[0] : 0;
	m->word[m->n_words + 1] = line ? (uint64_t)stride : 0;
	if (!line && n > 1)
		memcpy(m->word + m->n_words, a, n * sizeof(a[0]));
	if (!line && n == 32)
		m->list = m->n_words;
	m->n_words += line || n < 2 ? 2 : n;
	if (!n) {
		append_format(&kernel_text, " 1 0x0 0");
	} else if (line) {
		append_format(&kernel_text, " 1 0x%llx %lld", (unsigned long long)base, (long long)stride);
	} else {
		append_format(&kernel_text, " 2 0x%llx", (unsigned long long)a[0]);
		for (uint32_t i = 1; i < n; i++)
			append_format(&kernel_text, " %lld", (long long)(a[i] - a[i - 1]));
	}
}

/*
 * Adds addresses of all lanes of instruction k, and their text. Most differ from those of the first warp by
 * address_offset or twice address_offset.
 */
static void add_predictable_addresses(struct warp_forms *m, uint32_t k, uint32_t *addr)
{
	const uint64_t base =
		0xc0000000u + k * 65536u + address_offset * (k % 9 ? 1 : 2) + (random_below(200) ? 0 : 32);
	const bool moved = m->list != UINT32_MAX && k % 2, line = !moved && k % 4;
	uint64_t *word = m->word + m->n_words, a[32];

	for (uint32_t i = 0; i < 32; i++)
		a[i] = base + (line ? i * 4 : (i ^ 1) * 8);
	*addr = m->n_words << 2 | (uint32_t)(line ? ADDR_STRIDE : moved ? ADDR_MOVED : ADDR_LIST);
	if (line || moved) {
		word[0] = line ? base : a[0] - m->word[m->list];
		word[1] = line ? 4 : m->n_words - m->list;
		m->n_words += 2;
	} else {
		memcpy(word, a, sizeof(a));
		m->list = m->n_words;
		m->n_words += 32;
	}
	append_format(&kernel_text, " %d 0x%llx", line ? 1 : 2, (unsigned long long)a[0]);
	for (uint32_t i = 1; i < (line ? 2 : 32); i++)
		append_format(&kernel_text, " %lld", (long long)(a[i] - a[i - 1]));
}

/* Adds one instruction. */
static void add_run(struct warp_forms *m, uint32_t id, uint32_t mask)
{
	struct pack_run *last = m->n_runs ? &m->run[m->n_runs - 1] : NULL;

	if (last && last->id + last->n == id && last->mask == mask)
		last->n++;
	else
		m->run[m->n_runs++] = (struct pack_run){id, 1, mask};
}

/* Sets the static code. */
static void make_static_code(void)
{
	code.n_text = 0;
	for (uint32_t i = 0; i < INSTS; i++) {
		struct pack_inst *x = &inst[i];

		*x = (struct pack_inst){
			.pc = i > 35 ? 0xfff0 + 8 * i : 8 * i, .width = i % 3 ? 0 : 1u << i % 5};
		if (!machine_code)
			continue;
		const char *opcode = x->width ? "LDG.E" : "IADD3";
		const int imm = i % 4 ? 0 : (int)i - 9;

		x->text = (uint32_t)code.n_text;
		x->open = !regular && i % 5 == 3;
		x->columns = i % 2;
		sprintf(middle[i], "1 R%u %s 1 UR2 %u", i, opcode, x->width);
		sprintf(tail[i], " %d ", imm);
		if (x->columns) {
			x->n_results = x->n_sources = x->n_imms = 1;
			x->reg[0] = (uint8_t)i;
			x->reg[1] = 2;
			x->kind[1] = 1;
			x->imm[0] = imm;
			x->end = PACK_END_BLANK;
		} else {
			x->end_len = (uint16_t)strlen(tail[i]);
		}
		x->text_len = (uint16_t)sprintf(texts + x->text, "%s", x->columns ? opcode : middle[i]);
		memcpy(texts + x->text + x->text_len, tail[i], x->end_len);
		code.n_text += x->text_len + x->end_len;
	}
}

/* Appends the text of instruction k between the mask and the addresses. */
static void append_text_after_mask(uint32_t k)
{
	if (machine_code)
		append_format(&kernel_text, "%s", middle[k]);
	else
		append_format(&kernel_text, "%u", inst[k].width);
}

/* Adds values of registers as the text of an open instruction. */
static void add_values(struct warp_forms *m, struct pack_payload *payload)
{
	const size_t at = kernel_text.n;

	append_format(&kernel_text, "Val 1 %08x ", random_below(2) ? random_below(UINT32_MAX) : 7);
	payload->text_len = (uint32_t)(kernel_text.n - at);
	buf_add(&m->texts, kernel_text.p + at, payload->text_len);
}

static void make_warp(struct warp_forms *m, uint32_t n)
{
	m->n_runs = m->n_payloads = m->n_words = 0;
	m->texts.n = 0;
	m->list = UINT32_MAX;
	for (uint32_t i = 0; i < n; i++) {
		uint32_t k = i % INSTS, mask = predictable            ? UINT32_MAX
					       : i && random_below(2) ? m->run[m->n_runs - 1].mask
								      : random_mask();
		struct pack_payload *payload = &m->payload[m->n_payloads];
		bool text = !regular && !random_below(8);

		*payload = (struct pack_payload){0, 0};
		m->n_payloads += text || inst[k].width || inst[k].open;
		add_run(m, text ? k + INSTS : k, mask);
		append_format(&kernel_text, "%04x %08x ", inst[k].pc, mask);
		if (text) {
			size_t at = kernel_text.n;

			append_format(&kernel_text, "%u", inst[k].width);
			if (inst[k].width)
				append_format(&kernel_text, " 1 0x%x 4", random_below(99));
			append_format(&kernel_text, " i:%08x", UINT32_MAX);
			payload->text_len = (uint32_t)(kernel_text.n - at);
			buf_add(&m->texts, kernel_text.p + at, payload->text_len);
		} else {
			append_text_after_mask(k);
			if (inst[k].width && predictable)
				add_predictable_addresses(m, k, &payload->addr);
			else if (inst[k].width &&
				 (random_below(3) == 0 || !add_shifted_addresses(m, mask, &payload->addr)))
				add_addresses(m, mask, &payload->addr);
			if (machine_code)
				append_format(&kernel_text, "%s", tail[k]);
			if (inst[k].open)
				add_values(m, payload);
		}
		append_format(&kernel_text, "\n");
	}
}

/* Moves the addresses of an access of the lanes of mask and appends them as text. */
static void move_access(struct warp_forms *m, uint32_t addr, uint32_t mask, uint64_t by)
{
	const uint32_t n = bit_count32(mask);
	const bool line = (addr & 3) == ADDR_STRIDE, moved = (addr & 3) == ADDR_MOVED;
	uint64_t *word = m->word + (addr >> 2), a[32] = {0};
	const uint64_t *list = moved ? word - word[1] : word;

	for (uint32_t i = 0; i < (line || moved ? n != 0 : n); i++)
		word[i] += by;
	if (line && mask_has_holes(mask)) {
		append_line_with_holes(mask, word[0], (int64_t)word[1]);
		return;
	}
	for (uint32_t i = 0; i < n; i++)
		a[i] = line ? word[0] + i * word[1] : list[i] + (moved ? word[0] : 0);
	append_format(&kernel_text, " %d 0x%llx", line && n != 1 ? 1 : 2, (unsigned long long)a[0]);
	if (line && n != 1)
		append_format(&kernel_text, " %lld", (long long)word[1]);
	for (uint32_t i = 1; i < n && !line; i++)
		append_format(&kernel_text, " %lld", (long long)(a[i] - a[i - 1]));
}

/* Makes a warp that differs from m, a warp without texts, only in the first addresses of its accesses. */
static void make_follower(struct warp_forms *m)
{
	const bool apart = !random_below(4); /* accesses move by different distances */
	const struct pack_payload *payload = m->payload;
	static const uint64_t far[] = {
		1u << 27, (1u << 28) - 32, 1u << 28, (1u << 30) - 32, 1u << 31, 1u << 31};
	uint64_t by = 32 * random_below(99) + !random_below(4);

	if (steady && !random_below(3))
		by += far[random_below(6)];
	if (steady && random_below(2))
		by = 0 - by;

	for (const struct pack_run *r = m->run; r < m->run + m->n_runs; r++)
		for (uint32_t i = r->id; i < r->id + r->n; i++) {
			append_format(&kernel_text, "%04x %08x ", inst[i].pc, r->mask);
			append_text_after_mask(i);
			if (inst[i].width)
				move_access(m, payload++->addr, r->mask, apart ? random_below(1u << 20) : by);
			if (machine_code)
				append_format(&kernel_text, "%s", tail[i]);
			append_format(&kernel_text, "\n");
		}
}

/* Returns the number of instructions of a warp. */
static uint32_t count_insts(const struct warp_forms *m)
{
	uint32_t n = 0;

	for (uint32_t i = 0; i < m->n_runs; i++)
		n += m->run[i].n;
	return n;
}

#endif
