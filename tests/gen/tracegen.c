/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tracegen: writes a small trace from a recipe, for tests, examples and benchmarks.
 *
 * usage: tracegen [-s SEED] [-n SCALE] [-k KINDS] RECIPE DIRECTORY
 *        tracegen -l
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "gen.h"

static void die_of_error(const char *what)
{
	fprintf(stderr, "tracegen: %s: %s\n", what, strerror(errno));
	exit(2);
}

/* Returns a random number (splitmix64). The numbers are the same on every host. */
uint32_t gen_random(struct gen *g, uint32_t below)
{
	uint64_t z = g->seed += 0x9e3779b97f4a7c15u;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
	z = (z ^ z >> 27) * 0x94d049bb133111ebu;
	return (uint32_t)((z ^ z >> 31) >> 32) % below;
}

static void append_text(struct gen *g, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void append_text(struct gen *g, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (g->cap - g->len < 4096) {
		g->cap = g->cap ? 2 * g->cap : 65536;
		g->text = realloc(g->text, g->cap);
		if (!g->text)
			die_of_error("memory");
	}
	va_start(ap, fmt);
	n = vsnprintf(g->text + g->len, g->cap - g->len, fmt, ap);
	va_end(ap);
	g->len += (size_t)n;
}

static FILE *create_file(const struct gen *g, const char *name)
{
	char path[4096];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", g->directory, name);
	f = fopen(path, "w");
	if (!f)
		die_of_error(path);
	return f;
}

void gen_memcpy(struct gen *g, uint64_t address, uint64_t bytes)
{
	fprintf(g->list, "MemcpyHtoD,0x%016" PRIx64 ",%" PRIu64 "\n", address, bytes);
}

void gen_kernel(struct gen *g, struct kernel_shape k)
{
	char name[64];

	snprintf(name, sizeof(name), "kernel-%u.traceg", ++g->kernels);
	fprintf(g->list, "%s\n", name);
	g->file = create_file(g, name);
	g->block_threads = k.block;
	fprintf(g->file,
		"-kernel name = %s\n-kernel id = %u\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = %u\n"
		"-nregs = %u\n-binary version = %u\n-cuda stream id = %u\n-shmem base_addr = 0x%016" PRIx64
		"\n"
		"-local mem base_addr = 0x%016" PRIx64
		"\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
		"-enable lineinfo = 0\n\n#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] "
		"mem_width [adrrescompress?] [mem_addresses] immediate\n\n",
		k.name, g->kernels, k.grid, k.block, k.shmem, k.nregs, k.binary, k.stream, SHARED_BASE,
		LOCAL_BASE);
}

void gen_kernel_end(struct gen *g)
{
	if (fclose(g->file))
		die_of_error("kernel file");
}

void gen_block(struct gen *g, unsigned x) { fprintf(g->file, "\n#BEGIN_TB\n\nthread block = %u,0,0\n", x); }
void gen_block_end(struct gen *g) { fputs("\n#END_TB\n", g->file); }

void gen_warp(struct gen *g, unsigned warp)
{
	fprintf(g->file, "\nwarp = %u\n", warp);
	g->len = g->insts = g->pc = 0;
}

void gen_warp_end(struct gen *g)
{
	fprintf(g->file, "insts = %u\n", g->insts);
	fwrite(g->text, 1, g->len, g->file);
}

uint32_t gen_lanes(const struct gen *g, unsigned warp)
{
	unsigned left = g->block_threads - 32 * warp;

	return left >= 32 ? FULL : (1u << left) - 1;
}

static unsigned count_words(const char *s)
{
	unsigned n = 0;

	for (; *s; s++)
		n += *s != ' ' && (s[1] == ' ' || !s[1]);
	return n;
}

static void start_line(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src)
{
	append_text(g, "%04x %08x %u %s%s%s %u %s%s", g->pc, mask, count_words(dst), dst, *dst ? " " : "", op,
		count_words(src), src, *src ? " " : "");
	g->pc += 16;
	g->insts++;
}

void gen_op(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src, uint64_t imm)
{
	start_line(g, mask, dst, op, src);
	append_text(g, "0 %" PRIu64 " \n", imm);
}

void gen_mem(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src, unsigned width,
	const uint64_t lane[32])
{
	int first = -1, last = -1, active = 0;
	bool run = true;
	int64_t stride = 0;

	for (int i = 0; i < 32; i++) {
		if (!(mask >> i & 1))
			continue;
		if (last >= 0) {
			int64_t d = (int64_t)(lane[i] - lane[last]);

			run = run && i == last + 1 && (active == 1 || d == stride);
			stride = d;
		} else {
			first = i;
		}
		last = i;
		active++;
	}
	start_line(g, mask, dst, op, src);
	if (active == 0)
		append_text(g, "%u 1 0x0 0 ", width);
	else if (run && active > 1)
		append_text(g, "%u 1 0x%" PRIx64 " %" PRId64 " ", width, lane[first], stride);
	else {
		append_text(g, "%u 2 0x%" PRIx64 " ", width, lane[first]);
		for (int i = first + 1, before = first; i <= last; i++)
			if (mask >> i & 1) {
				append_text(g, "%" PRId64 " ", (int64_t)(lane[i] - lane[before]));
				before = i;
			}
	}
	append_text(g, "0 \n");
}

void gen_mem_stride(struct gen *g, uint32_t mask, const char *dst, const char *op, const char *src,
	unsigned width, uint64_t base, int64_t stride)
{
	uint64_t lane[32];

	for (int i = 0; i < 32; i++)
		lane[i] = base + (uint64_t)(stride * i);
	gen_mem(g, mask, dst, op, src, width, lane);
}

void gen_values(struct gen *g, uint32_t mask, const char *type, unsigned regs, uint32_t value[][32])
{
	g->len--; /* the newline */
	append_text(g, "STORE_DATA %s %u ", type, regs);
	for (unsigned r = 0; r < regs; r++) {
		append_text(g, "REG%u:", r);
		for (unsigned i = 0; i < 32; i++)
			if (mask >> i & 1)
				append_text(g, "T%u:0x%08x ", i, value[r][i]);
	}
	append_text(g, "\n");
}

void gen_exit(struct gen *g, uint32_t mask) { gen_op(g, mask, "", "EXIT", "", 0); }

static void usage(void)
{
	fputs("usage: tracegen [-s SEED] [-n SCALE] [-k KINDS] RECIPE DIRECTORY\n       tracegen -l\n",
		stderr);
	exit(2);
}

int main(int argc, char **argv)
{
	struct gen g = {.seed = 1, .scale = 1, .kinds = 13};
	int opt;

	while ((opt = getopt(argc, argv, "s:n:k:l")) != -1) {
		switch (opt) {
		case 's': g.seed = strtoull(optarg, NULL, 0); break;
		case 'n': g.scale = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'k': g.kinds = (unsigned)strtoul(optarg, NULL, 0); break;
		case 'l':
			for (unsigned i = 0; i < n_recipes; i++)
				printf("%-16s %s\n", recipes[i].name, recipes[i].what);
			return 0;
		default: usage();
		}
	}
	if (argc - optind != 2 || !g.scale || !g.kinds)
		usage();
	g.directory = argv[optind + 1];
	if (mkdir(g.directory, 0777) < 0 && errno != EEXIST)
		die_of_error(g.directory);
	for (unsigned i = 0; i < n_recipes; i++)
		if (!strcmp(recipes[i].name, argv[optind])) {
			g.list = create_file(&g, "kernelslist.g");
			recipes[i].write(&g);
			if (fclose(g.list))
				die_of_error("kernelslist.g");
			free(g.text);
			return 0;
		}
	fprintf(stderr, "tracegen: no recipe '%s'; tracegen -l lists them\n", argv[optind]);
	return 2;
}
