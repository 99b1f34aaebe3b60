/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of reading machine code from cubins and fat binaries: small files (tests/data/corpus/cubin), many kinds
 * of damage, encoding and decoding of control codes, and cubins of ptxas if it is installed.
 */
#include "arena.h"
#include "cubin.h"
#include "tap.h"

static uint8_t *read_cubin_file(const char *path, size_t *n)
{
	FILE *in = fopen(path, "rb");
	uint8_t *all = xcalloc(1, 1 << 20);

	*n = in ? fread(all, 1, 1 << 20, in) : 0;
	if (in)
		fclose(in);
	return all;
}

/* ---- contents -------------------------------------------------------------------------------------- */

static void test_file(const char *path, const char *name, unsigned sm, uint32_t bytes)
{
	struct cubins *c = cubins_new();
	const struct cubin_function *k;
	struct fault f;
	bool read = cubins_add(c, path, &f) == 0;

	k = cubins_find(c, name, sm);
	ok(read && k && k->bytes == bytes, "the cubin file %s has the function %s for sm_%u", path, name, sm);
	ok(!cubins_find(c, name, sm + 1) && !cubins_find(c, "three", sm),
		"a function of another target or another name is not found");
	cubins_free(c);
}

static void test_codes(void)
{
	struct control_code a = {.opcode = CONTROL_DEPBAR,
				    .guard = 3,
				    .stall = 13,
				    .yield = true,
				    .write = 7,
				    .read = 2,
				    .wait = 0x25,
				    .reuse = 5,
				    .slot = {0, 0, 9},
				    .depbar_counter = 4,
				    .depbar_limit = 33,
				    .depbar_list = 0x2a},
			    b, known;
	/* DEPBAR.LE SB0, 0x1 with stall 4 and a yield, as ptxas 13.0 writes it for sm_80 */
	static const uint8_t depbar[16] = {0x1a, 0x79, 0, 0, 0x40, 0x80, 0, 0, 0, 0, 0, 0, 0, 0xc8, 0x0f, 0};
	uint8_t at[16];

	control_encode(&a, at);
	control_decode(&b, at);
	ok(a.opcode == b.opcode && a.guard == b.guard && a.stall == b.stall && a.yield == b.yield &&
			a.write == b.write && a.read == b.read && a.wait == b.wait && a.reuse == b.reuse &&
			a.slot[2] == b.slot[2] && a.depbar_counter == b.depbar_counter &&
			a.depbar_limit == b.depbar_limit && a.depbar_list == b.depbar_list,
		"decoding restores an encoded control code");
	control_decode(&known, depbar);
	ok(known.opcode == CONTROL_DEPBAR && known.stall == 4 && known.yield && known.write == 7 &&
			known.read == 7 && known.depbar_counter == 0 && known.depbar_limit == 1 &&
			!known.depbar_list && known.guard == 7,
		"the fields of a DEPBAR.LE that ptxas wrote are decoded");
}

/* ---- damage ----------------------------------------------------------------------------------------- */

struct damage {
	const char *file;
	size_t at;      /* offset of the change; with CUT, size of the truncated file */
	uint64_t value; /* value written at this offset, with `bytes` bytes */
	unsigned bytes;
};

#define CUT  0
#define ELF  "tests/data/corpus/cubin/elf80"
#define ZSTD "tests/data/corpus/cubin/fat_zstd"
#define LZ4  "tests/data/corpus/cubin/fat_lz4"

static const struct damage damages[] = {
	{ELF, 0, 0, CUT},
	{ELF, 1, 0, CUT},
	{ELF, 16, 0, CUT},
	{ELF, 63, 0, CUT},
	{ELF, 64, 0, CUT},
	{ELF, 100, 0, CUT},
	{ELF, 300, 0, CUT},
	{ELF, 495, 0, CUT},
	{ELF, 0, 'X', 1},
	{ELF, 4, 1, 1},
	{ELF, 5, 2, 1},
	{ELF, 18, 62, 2},
	{ELF, 40, 0, 8},
	{ELF, 40, 497, 8},
	{ELF, 40, UINT64_MAX, 8},
	{ELF, 40, 1ull << 63, 8},
	{ELF, 58, 63, 2},
	{ELF, 58, 0, 2},
	{ELF, 60, 0, 2},
	{ELF, 60, 65535, 2},
	{ELF, 62, 4, 2},
	{ELF, 62, 65535, 2},
	{ELF, 240 + 64 + 24, 10000, 8},
	{ELF, 240 + 64 + 24, UINT64_MAX, 8},
	{ELF, 240 + 64 + 32, UINT64_MAX, 8},
	{ELF, 240 + 64 + 32, 0, 8},
	{ELF, 240 + 64 + 32, 12, 8},
	{ELF, 240 + 64 + 4, 8, 4},
	{ELF, 240 + 128, 10000, 4},
	{ELF, 240 + 128, UINT32_MAX, 4},
	{ELF, 240 + 128 + 24, 490, 8},
	{ELF, 240 + 128 + 32, 1ull << 40, 8},
	{ELF, 240 + 128 + 4, 8, 4},
	{ELF, 240 + 192 + 24, UINT64_MAX - 8, 8},
	{ELF, 48, 0, 4},
	{ELF, 48, 0x3232, 4},
	{ZSTD, 8, 0, 8},
	{ZSTD, 8, 10000, 8},
	{ZSTD, 8, UINT64_MAX, 8},
	{ZSTD, 6, 15, 2},
	{ZSTD, 4, 2, 2},
	{ZSTD, 40, 0, CUT},
	{ZSTD, 100, 0, CUT},
	{ZSTD, 700, 0, CUT},
	{ZSTD, 16 + 4, 63, 4},
	{ZSTD, 16 + 4, UINT32_MAX, 4},
	{ZSTD, 16 + 8, UINT64_MAX, 8},
	{ZSTD, 16 + 8, 20000, 8},
	{LZ4, 16 + 56, 0, 8},
	{LZ4, 16 + 56, 495, 8},
	{LZ4, 16 + 56, 497, 8},
	{LZ4, 16 + 56, UINT64_MAX, 8},
	{LZ4, 16 + 16, 3, 4},
	{LZ4, 16 + 40, 0, 8},
	{LZ4, 16 + 40, 1u << 15, 8},
	{LZ4, 16 + 64, 0xff, 1},
	{LZ4, 16 + 64, 0x0f, 1},
	{LZ4, 16 + 65, 0xff, 1},
	{LZ4, 16 + 66, 0, 8},
	{LZ4, 300, 0, CUT},
};

/* Checks that there is a fault or that all functions are within the file. */
static void test_damage(const struct damage *d, unsigned *rejected)
{
	struct cubins *c = cubins_new();
	struct fault f = {0};
	uint8_t *all;
	size_t n;
	uint32_t sum = 0;
	bool good, read;

	all = read_cubin_file(d->file, &n);
	if (d->bytes == CUT)
		n = d->at;
	for (unsigned i = 0; i < d->bytes; i++)
		all[d->at + i] = (uint8_t)(d->value >> 8 * i);
	read = cubins_add_bytes(c, all, n, "damaged", &f) == 0;
	*rejected += !read;
	good = read || (f.id && (!strcmp(f.id, "cubin") || !strcmp(f.id, CUBINS_NONE)) && f.text[0]);
	free(all);
	for (uint32_t i = 0; i < cubins_count(c); i++)
		for (uint32_t k = 0; k < cubins_function_at(c, i)->bytes; k++)
			sum += cubins_function_at(c, i)->code[k];
	if (!ok(good && sum != UINT32_MAX, "%s damaged at %zu is %s", d->file, d->at,
		    read ? "read within bounds" : "rejected"))
		printf("# %s\n", read ? "functions" : f.text);
	cubins_free(c);
}

/* ---- cubins of ptxas ---------------------------------------------------------------------------------- */

static const char ptx[] =
	".version 7.8\n.target %s\n.address_size 64\n.visible .entry twice(.param .u64 p)\n{\n"
	".reg .b64 %%a;\n.reg .f32 %%x;\nld.param.u64 %%a, [p];\nld.global.f32 %%x, [%%a];\n"
	"add.f32 %%x, %%x, %%x;\nst.global.f32 [%%a], %%x;\nret;\n}\n";

static bool run_ptxas(const char *dir, unsigned sm)
{
	char path[100], command[400], target[16];
	FILE *out;

	snprintf(path, sizeof(path), "%s/k.ptx", dir);
	out = fopen(path, "w");
	if (!out)
		return false;
	snprintf(target, sizeof(target), "sm_%u", sm < 90 ? sm : 90);
	fprintf(out, ptx, target);
	fclose(out);
	snprintf(command, sizeof(command),
		"PATH=$PATH:/usr/local/cuda/bin ptxas -arch=sm_%u -o %s/k.cubin %s 2>/dev/null", sm, dir,
		path);
	return system(command) == 0;
}

static void test_ptxas(void)
{
	static const unsigned sms[] = {75, 80, 86, 89, 90, 100, 120};
	char dir[] = "/tmp/test_cubin.XXXXXX", path[100];

	if (!mkdtemp(dir))
		abort();
	snprintf(path, sizeof(path), "%s/k.cubin", dir);
	for (size_t i = 0; i < sizeof(sms) / sizeof(*sms); i++) {
		struct cubins *c = cubins_new();
		const struct cubin_function *k;
		struct control_code code = {0};
		struct fault f;
		bool waits = false;

		if (!run_ptxas(dir, sms[i])) {
			ok(true, "ptxas writes a cubin for sm_%u # skip ptxas does not support it", sms[i]);
			cubins_free(c);
			continue;
		}
		k = cubins_add(c, path, &f) == 0 ? cubins_find(c, "twice", sms[i]) : NULL;
		for (uint32_t at = 0; k && at < k->bytes; at += 16) {
			control_decode(&code, k->code + at);
			waits |= code.wait != 0; /* the addition waits for the load */
		}
		ok(k && k->bytes >= 96 && waits && k->regs >= 4,
			"the function of a cubin that ptxas wrote for sm_%u is found", sms[i]);
		cubins_free(c);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/k.ptx", dir);
	unlink(path);
	rmdir(dir);
}

int main(void)
{
	unsigned rejected = 0;

	test_file(ELF, "two", 80, 112);
	test_file("tests/data/corpus/cubin/elf90", "one", 90, 64);
	test_file(ZSTD, "one", 90, 64);
	test_file(ZSTD, "one", 80, 32);
	test_file(LZ4, "two", 80, 112);
	test_file("tests/data/corpus/cubin/host", "one", 90, 64);
	test_codes();
	for (size_t i = 0; i < sizeof(damages) / sizeof(*damages); i++)
		test_damage(&damages[i], &rejected);
	ok(rejected >= 40, "at least 40 damaged files are rejected: %u", rejected);
	test_ptxas();
	return tap_done();
}
