/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * A whole GPU that runs one kernel from a file, for tests of the SM cores.
 *
 * Order of use: gpu_fixture_init(), gpu_fixture_header(), write the thread blocks after the header, gpu_fixture_run(),
 * gpu_fixture_free(). Kernels start without launch latency. After the run, `log` has the event lines.
 */
#ifndef GPU_FIXTURE_H
#define GPU_FIXTURE_H

#include "arena.h"
#include "gpu/launch.h"
#include "tap.h"

#define MAX_STEPS 400000u

struct gpu_fixture {
	struct gpuconf conf;
	struct isa *isa;
	struct gpu gpu;
	struct events events;
	char *log; /* event lines of the run */
	size_t log_bytes;
	char path[40];   /* trace file of the kernel */
	uint64_t cycles; /* cycles of the kernel; 0 if the kernel did not end */
};

static inline void exit_on_fault(int rc, const struct fault *f)
{
	if (rc >= 0)
		return;
	printf("Bail out! %s\n", f->text);
	exit(1);
}

/* Builds a supplied GPU. option[] has texts "NAME=VALUE" and ends with NULL. It may be NULL. */
static inline void gpu_fixture_init(struct gpu_fixture *m, const char *gpu, const char *const *option)
{
	struct fault f;

	gpuconf_init(&m->conf);
	exit_on_fault(gpuconf_shipped(&m->conf, gpu, &f), &f);
	exit_on_fault(gpuconf_override(&m->conf, "gpgpu_kernel_launch_latency=0", &f), &f);
	for (; option && *option; option++)
		exit_on_fault(gpuconf_override(&m->conf, *option, &f), &f);
	exit_on_fault(params_init(&m->gpu.params, &m->conf, &f), &f);
	m->isa = isa_new();
	m->events.out = open_memstream(&m->log, &m->log_bytes);
	m->gpu.events = &m->events;
	exit_on_fault(gpu_init(&m->gpu, m->isa, &f), &f);
}

/*
 * Opens the file of the kernel and writes its header. The caller writes the thread blocks and closes the
 * file.
 */
static inline FILE *gpu_fixture_header(
	struct gpu_fixture *m, unsigned ctas, unsigned threads, unsigned binary)
{
	FILE *out;
	int fd;

	strcpy(m->path, "/tmp/test_kernel.XXXXXX");
	fd = mkstemp(m->path);
	out = fd < 0 ? NULL : fdopen(fd, "w");
	if (!out)
		abort();
	fprintf(out,
		"-kernel name = k\n-kernel id = 1\n-grid dim = (%u,1,1)\n-block dim = (%u,1,1)\n-shmem = 0\n"
		"-nregs = 8\n-binary version = %u\n-cuda stream id = 0\n-shmem base_addr = 0x00007f5000000000\n"
		"-local mem base_addr = 0x00007f4f00000000\n-nvbit version = 1.7\n-accelsim tracer version = 5\n"
		"-enable lineinfo = 0\n\n#traces format = PC mask\n\n",
		ctas, threads, binary);
	return out;
}

/*
 * Runs the kernel. With `sleepless`, every cycle of each SM with a CTA is simulated, and no idle cycles are
 * skipped.
 */
static inline void gpu_fixture_run(struct gpu_fixture *m, bool sleepless)
{
	struct trace_options o = {.code = m->gpu.code};
	struct fault f;
	struct trace *t = trace_open(m->path, &o, &f);

	exit_on_fault(t ? 0 : -1, &f);
	exit_on_fault(launch_load_kernel(&m->gpu, t, m->path, 1, &f) ? 0 : -1, &f);
	launch_kernels(&m->gpu);
	for (unsigned i = 0; i < MAX_STEPS && !m->gpu.launch->n_finished; i++) {
		for (uint32_t k = 0; sleepless && k < m->gpu.params.sms; k++)
			sm_wake(&m->gpu.sm[k]);
		gpu_step(&m->gpu);
	}
	m->cycles = m->gpu.launch->n_finished ? m->gpu.cycle : 0;
	gpu_sync(&m->gpu);
	fflush(m->events.out);
}

static inline void gpu_fixture_free(struct gpu_fixture *m)
{
	gpu_free(&m->gpu);
	isa_free(m->isa);
	gpuconf_free(&m->conf);
	fclose(m->events.out);
	unlink(m->path);
	free(m->log);
}

#endif
