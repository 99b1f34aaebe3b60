/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for the execution of machine code: the first byte of the input selects the architecture and the
 * options. The other bytes are the instructions of a kernel. Rejected instructions are replaced by NOP. The
 * kernel runs with two warps per block and is recorded. Both parameters are the address of a small buffer.
 * Handles 0 to 4 are textures and surfaces in the buffer. No access may be outside the buffer. A limit ends
 * every run.
 */
#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"
#include "images.h"
#include "machine/code.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define INSTRUCTIONS 96u
#define BYTES        16u /* size of an instruction in bytes */
#define REGISTERS    64u
/* highest offset of the parameters in the constant bank, used by the newest architectures */
#define PARAMETERS 0x380u

enum { NONE, NAMES, STRINGS, SYMBOLS, WHOLE, BANK, TEXT, INFO, SHARED, SECTIONS };

struct file {
	Elf64_Ehdr head;
	Elf64_Shdr section[SECTIONS];
	char names[96], strings[4];
	Elf64_Sym symbol[2];
	uint32_t whole[6], info[12];
	uint8_t bank[PARAMETERS + 16], code[INSTRUCTIONS * BYTES];
};

static void set_section(
	struct file *f, int i, uint32_t type, const void *at, size_t n, uint32_t link, uint32_t info)
{
	static const char *const name[] = {"", ".shstrtab", ".strtab", ".symtab", ".nv.info",
		".nv.constant0.k", ".text.k", ".nv.info.k", ".nv.shared.k"};
	size_t used = 0;

	for (int k = 0; k < i; k++)
		used += strlen(name[k]) + 1;
	memcpy(f->names + used, name[i], strlen(name[i]) + 1);
	f->section[i] = (Elf64_Shdr){.sh_name = (uint32_t)used,
		.sh_type = type,
		.sh_flags = type == SHT_PROGBITS ? SHF_ALLOC | (i == TEXT ? SHF_EXECINSTR : 0) : 0,
		.sh_offset = at ? (uint64_t)((const uint8_t *)at - (const uint8_t *)f) : 0,
		.sh_size = n,
		.sh_link = link,
		.sh_info = info,
		.sh_addralign = 16,
		.sh_entsize = type == SHT_SYMTAB ? sizeof(Elf64_Sym) : 0};
}

/* Writes a cubin with n bytes of code. */
static void make_cubin_file(struct file *f, unsigned sm, const uint8_t *code, size_t n)
{
	const uint32_t at = sm < 90 ? 0x160 : sm < 100 ? 0x210 : PARAMETERS, kernel = REGISTERS << 24 | 1;
	const uint32_t whole[] = {0x00082f04, 1, REGISTERS, 0x00081204, 1, 0};
	const uint32_t flags = 8u << 18 | 0x1f000;
	const uint32_t info[] = {0x00080a04, 2, 16u << 16 | at, 0x00101903, 0x000c1704, 0, 0, flags,
		0x000c1704, 0, 8u << 16 | 1, flags};

	memset(f, 0, sizeof(*f));
	memcpy(f->strings, "\0k", 3);
	memcpy(f->whole, whole, sizeof(whole));
	memcpy(f->info, info, sizeof(info));
	memcpy(f->code, code, n);
	f->symbol[1] =
		(Elf64_Sym){.st_name = 1, .st_info = 0x12, .st_other = 0x10, .st_shndx = TEXT, .st_size = n};
	set_section(f, NONE, SHT_NULL, NULL, 0, 0, 0);
	set_section(f, NAMES, SHT_STRTAB, f->names, sizeof(f->names), 0, 0);
	set_section(f, STRINGS, SHT_STRTAB, f->strings, sizeof(f->strings), 0, 0);
	set_section(f, SYMBOLS, SHT_SYMTAB, f->symbol, sizeof(f->symbol), STRINGS, 1);
	set_section(f, WHOLE, 0x70000000, f->whole, sizeof(f->whole), SYMBOLS, 0);
	set_section(f, BANK, SHT_PROGBITS, f->bank, at + 16, 0, TEXT);
	set_section(f, TEXT, SHT_PROGBITS, f->code, n, SYMBOLS, kernel);
	set_section(f, INFO, 0x70000000, f->info, sizeof(f->info), SYMBOLS, TEXT);
	set_section(f, SHARED, SHT_NOBITS, NULL, 2048, 0, TEXT);
	f->head = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', 2, 1, 0x33, 7},
		.e_type = 2,
		.e_machine = 190,
		.e_version = 1,
		.e_shoff = offsetof(struct file, section),
		.e_flags = sm << 16 | 5 << 8 | sm,
		.e_ehsize = sizeof(f->head),
		.e_shentsize = sizeof(f->section[0]),
		.e_shnum = SECTIONS,
		.e_shstrndx = NAMES};
}

/* Adds textures and surfaces in the buffer. Their handles are 0, 1 and so on. */
static struct texture images[] = {
	IMAGE_2D,
	IMAGE_3D,
	IMAGE_1D,
	IMAGE_CUBE,
	{.shape = TEXTURE_2D,
		.width = 8,
		.height = 6,
		.kind = TEXEL_UNSIGNED,
		.bits = 32,
		.channels = 1,
		.surface = true},
};

static void place_images(void)
{
	for (size_t i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		images[i].addr = HEAP_BASE;
		texture_set_defaults(&images[i]);
		if (texture_find_fault(&images[i], 4096))
			abort();
	}
}

static void run_machine_kernel(const struct bound_code *code, const struct func *kernel, struct memory *mem,
	bool check, bool cluster)
{
	static FILE *nowhere;
	struct options opt = {.check = check, .threads = 1, .limit = 20000};
	uint64_t param[4] = {HEAP_BASE, HEAP_BASE};
	struct launch l = {.kernel = kernel,
		.grid = {2, 1, 1},
		.block = {21, 3, 1},
		.dyn_shared = 1024,
		.cluster = {cluster ? 2 : 0, cluster, cluster},
		.id = 1,
		.param = (uint8_t *)param};
	struct textures textures = {.texture = images, .n = sizeof(images) / sizeof(images[0])};
	struct grid g = {.code = code,
		.mem = mem,
		.textures = &textures,
		.options = &opt,
		.launch = &l,
		.record = machine_record,
		.print = stderr};
	const struct occupancy k = {0};

	if (!nowhere)
		nowhere = fopen("/dev/null", "w");
	if (!nowhere)
		abort();
	place_images();
	grid_prepare(&g);
	text_prepare(true);
	machine_header(nowhere, &g, &k);
	if (!grid_run(&g, NULL, NULL) && (!g.fault.id || !*g.fault.text))
		abort();
}

/* Binds and runs the kernel. Returns the PC of a rejected instruction, or -1 if none was rejected. */
static long run_until_rejected(const struct file *file, bool check, bool cluster)
{
	struct fault f = {0};
	struct program p = {0};
	struct bound_code c;
	struct memory mem;
	struct module *m = machine_module("fuzz", file, sizeof(*file), &f);
	long at = -1;

	if (!m)
		abort();
	program_add_module(&p, m);
	if (program_link(&p, &f) || bind_program(&c, &p, &f)) {
		const char *pc = strstr(f.text, "PC 0x");

		if (!f.id || !pc)
			abort();
		at = strtol(pc + 3, NULL, 16);
	} else {
		memory_open(&mem, 65536);
		memory_add_statics(&mem, &p);
		memory_allocate_buffer(&mem, "A", 4096);
		run_machine_kernel(&c, p.func[0], &mem, check, cluster);
		memory_free(&mem);
		bind_free(&c);
	}
	program_free(&p);
	return at;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const unsigned char architecture[8] = {90, 75, 80, 86, 89, 90, 100, 120};
	static const uint64_t nop[2] = {0x7918, 0x000fc00000000000};
	static struct file file;
	size_t n = size ? (size - 1) / BYTES : 0;
	long at;

	diag_quiet(true);
	n = n < INSTRUCTIONS ? n : INSTRUCTIONS;
	if (!n)
		return 0;
	make_cubin_file(&file, architecture[data[0] & 7], data + 1, n * BYTES);
	/* the most frequent reasons for a rejection are removed first, without run_until_rejected() */
	for (size_t i = 0; i < n; i++) {
		uint64_t rest[2], known[2];
		struct sass_inst in;

		if (sass_decode(&in, file.code + i * BYTES, 0, architecture[data[0] & 7]) ||
			!machine_executes(&in)) {
			memcpy(file.code + i * BYTES, nop, sizeof(nop));
		} else if (sass_unused_bits(&in, rest)) { /* bits without a known meaning */
			known[0] = in.word[0] & ~rest[0];
			known[1] = in.word[1] & ~rest[1];
			memcpy(file.code + i * BYTES, known, sizeof(known));
		}
	}
	for (unsigned i = 0; i <= n && (at = run_until_rejected(&file, data[0] & 8, data[0] & 16)) >= 0;
		i++) {
		if ((size_t)at >= n * BYTES)
			abort();
		memcpy(file.code + at, nop, sizeof(nop));
	}
	return 0;
}
