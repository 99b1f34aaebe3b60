/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for PTX modules: the module is read, linked and bound, and every kernel is executed with two
 * warps. All parameters are the address of a small buffer. No access may be outside the buffer. A limit ends
 * every run. Kernels that are executed without checks are recorded as machine code, each for a different GPU.
 * Handles from TEXTURE_HANDLE on are textures and surfaces in the buffer and a sampler.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "exec/exec.h"
#include "images.h"
#include "lower/lower.h"
#include "trace_out.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct texture images[] = {
	IMAGE_2D,
	IMAGE_CUBE,
	IMAGE_1D,
	IMAGE_3D,
	{.shape = TEXTURE_SAMPLER, .width = 1, .sampler = {.linear = true, .mode = {TEXTURE_MIRROR}}},
};

static void run_ptx_kernel(
	const struct bound_code *code, const struct func *kernel, struct memory *mem, bool check)
{
	const struct textures textures = {images, sizeof(images) / sizeof(images[0]), 0};
	struct options opt = {.check = check,
		.stack = kernel->number % 2 ? STACK_VOLTA : STACK_SIMT,
		.threads = 1,
		.limit = 20000};
	uint8_t *param = xcalloc(kernel->param_bytes + 16u, 1);
	struct launch l = {.kernel = kernel,
		.grid = {2, 1, 1},
		.block = {11, 3, 1},
		.dyn_shared = 64,
		.cluster = {2, 1, 1},
		.id = 1,
		.param = param};
	struct grid g = {.code = code,
		.mem = mem,
		.textures = &textures,
		.options = &opt,
		.launch = &l,
		.record = trace_out_write_line,
		.print = stderr};
	static const unsigned binaries[] = {61, 70, 75, 80, 90};
	uint64_t address = HEAP_BASE;
	struct lower *lower = NULL;
	struct fault f = {0};

	for (uint32_t i = 0; i + 8 <= kernel->param_bytes; i += 8)
		memcpy(param + i, &address, 8);
	grid_prepare(&g);
	if (!check)
		g.lower = lower = lower_kernel(code, g.kernel, binaries[g.kernel / 2 % 5], &f);
	if (lower)
		g.record = lower_write_record;
	if (!check && !lower && (!f.id || !*f.text))
		abort();
	if (!grid_run(&g, NULL, NULL) && (!g.fault.id || !*g.fault.text))
		abort();
	lower_free(lower);
	free(param);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fault f = {0};
	struct program p = {0};
	struct bound_code c;
	struct memory mem;
	struct module *m;

	diag_quiet(true);
	for (unsigned i = 0; i < sizeof(images) / sizeof(images[0]); i++) {
		images[i].addr = HEAP_BASE;
		texture_set_defaults(&images[i]);
		if (images[i].shape != TEXTURE_SAMPLER && texture_find_fault(&images[i], 4096))
			abort();
	}
	if (!(m = module_read_text("fuzz", data, size, &f))) {
		if (!f.id || !*f.text)
			abort();
		return 0;
	}
	program_add_module(&p, m);
	if (program_link(&p, &f) || bind_program(&c, &p, &f)) {
		if (!f.id || !*f.text)
			abort();
		program_free(&p);
		return 0;
	}
	if (p.static_end < 1 << 20) {
		memory_open(&mem, 65536);
		memory_add_statics(&mem, &p);
		memory_allocate_buffer(&mem, "A", 4096);
		for (uint32_t i = 0; i < p.n_funcs && i < 16; i++)
			if (p.func[i]->entry && p.func[i]->local_bytes < 65536 && c.local_bytes < 65536)
				run_ptx_kernel(&c, p.func[i], &mem, i & 1);
		memory_free(&mem);
	}
	bind_free(&c);
	program_free(&p);
	return 0;
}
