/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for configurations: the input is an option file that is read after a valid configuration. The
 * dump of an accepted configuration must be accepted and must have the same dump. It must describe a possible
 * GPU if and only if the input does. No other files are read: texts with "-config" are skipped.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "params.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A valid configuration, so that an input of one option reaches the checks after the parser. */
static const char base[] =
	"-gpgpu_n_mem 4 -gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_shmem_warp_parts 1 -network_mode 2\n"
	"-ptx_opcode_latency_fp 4,6,4,5,39 -ptx_opcode_latency_dp 8,12,8,8,330 -gpgpu_coalesce_arch 70\n"
	"-gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:8,16:0,32\n"
	"-gpgpu_cache:il1 N:64:128:4,L:R:f:N:L,S:2:48,4 -gpgpu_const_cache:l1 N:32:64:4,L:R:f:N:L,S:2:64,4\n"
	"-gpgpu_tex_cache:l1 N:4:128:8,L:R:m:N:L,T:16:8,128:2\n"
	"-gpgpu_cache:dl2 S:32:128:8,L:B:m:L:P,A:64:4,32:0,32 -gpgpu_frfcfs_dram_sched_queue_size 16\n"
	"-gpgpu_mem_addr_mapping "
	"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS\n"
	"-gpgpu_dram_timing_opt "
	"nbk=16:CCD=2:RRD=3:RCD=12:RAS=28:RP=12:RC=40:CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4\n";

static int read_option_bytes(struct gpuconf *c, const void *data, size_t size, struct fault *f)
{
	FILE *in = fmemopen((void *)(uintptr_t)data, size, "r");

	if (!in)
		abort();
	int rc = gpuconf_stream(c, in, "fuzz", f);
	fclose(in);
	return rc;
}

static char *dump_of(const struct gpuconf *c, size_t *n)
{
	char *text = NULL;
	FILE *out = open_memstream(&text, n);

	gpuconf_dump(c, out);
	fclose(out);
	return text;
}

static void check_dump_reloads(const struct gpuconf *c)
{
	struct gpuconf again;
	struct params p, q;
	struct fault f;
	size_t n = 0, m = 0;
	char *text = dump_of(c, &n);

	gpuconf_init(&again);
	if (read_option_bytes(&again, text, n, &f) < 0)
		abort();
	char *second = dump_of(&again, &m);
	if (n != m || memcmp(text, second, n) != 0)
		abort();
	int first = params_init(&p, c, &f);
	if (first != params_init(&q, &again, &f) ||
		(first == 0 && p.mem.dram.write_queue != q.mem.dram.write_queue))
		abort();
	free(text);
	free(second);
	gpuconf_free(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct gpuconf c;
	struct fault f;

	if (size == 0 || size > 65536 || memmem(data, size, "-config", 7))
		return 0;
	gpuconf_init(&c);
	if (read_option_bytes(&c, base, sizeof(base) - 1, &f) < 0)
		abort();
	if (read_option_bytes(&c, data, size, &f) == 0)
		check_dump_reloads(&c);
	else if (!f.id || !f.text[0] || !f.place.file)
		abort();
	gpuconf_free(&c);
	return 0;
}
