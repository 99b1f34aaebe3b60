/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Prints progress on stderr, and handles signals. On a terminal, one line is redrawn twice a second.
 * Elsewhere -v prints a line every ten seconds and at the end of each kernel. A line has the kernel, cycles,
 * warp instructions per cycle and per second, share of thread blocks, time left, and, with the power model,
 * the mean power so far. SIGUSR1 prints one line, even without -v. SIGINT, SIGTERM and SIGHUP (unless ignored
 * by nohup) end the run after the current step with valid statistics. Progress lines do not change the
 * result.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include "arena.h"
#include "power/meter.h"
#include "run.h"

struct progress {
	double last;       /* time of the last line */
	double last_insns; /* instructions up to the last line */
	unsigned steps;
	bool terminal; /* true if stderr is a terminal, where one line is redrawn */
	bool shown;    /* true if the terminal shows a line without newline */
};

static volatile sig_atomic_t stop_signal, show_signal;
static struct timespec start;

/* A second signal ends the program at once. */
static void note_stop_signal(int sig)
{
	if (stop_signal) {
		output_discard_all();
		signal(sig, SIG_DFL);
		raise(sig);
	}
	stop_signal = sig;
}
static void note_usr1_signal(int sig) { show_signal = sig; }

double progress_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)(t.tv_sec - start.tv_sec) + 1e-9 * (double)(t.tv_nsec - start.tv_nsec);
}

bool progress_is_interrupted(void) { return stop_signal != 0; }

bool progress_is_requested(void)
{
	bool asked = show_signal != 0;

	show_signal = 0;
	return asked;
}

void progress_start(struct run *r)
{
	struct sigaction stop = {.sa_handler = note_stop_signal, .sa_flags = SA_RESTART},
			 show = {.sa_handler = note_usr1_signal, .sa_flags = SA_RESTART}, old;

	clock_gettime(CLOCK_MONOTONIC, &start);
	sigaction(SIGINT, &stop, NULL);
	sigaction(SIGTERM, &stop, NULL);
	if (!sigaction(SIGHUP, NULL, &old) && old.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &stop, NULL);
	sigaction(SIGUSR1, &show, NULL);
	r->progress_state = xcalloc(1, sizeof(*r->progress_state));
	r->progress_state->terminal = isatty(STDERR_FILENO);
}

static uint64_t count_warp_insts(const struct gpu *g)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < g->params.sms; i++)
		n += g->sm[i].n.warp_insts;
	return n;
}

/*
 * Writes to `out` the mean power up to the last sample or end of a kernel. Writes "" without the power model.
 */
static void format_watts(char *out, size_t cap, const struct power_meter *m)
{
	*out = 0;
	if (m && m->energy.seconds > 0)
		snprintf(out, cap, ", %.1f W", power_energies_total(&m->energy) / m->energy.seconds);
}

static void print_progress(struct run *r, double seconds, bool keep)
{
	const struct gpu *g = &r->gpu;
	const struct kernel *k = g->launch->n_loaded ? g->launch->loaded[0] : NULL;
	const char *running = k ? k->head->name : "";
	char name[4 * 40 + 1], watts[32];
	double insns = (double)count_warp_insts(g), share = 0, left = 0;
	double rate = seconds > r->progress_state->last
			      ? (insns - r->progress_state->last_insns) / (seconds - r->progress_state->last)
			      : 0;

	if (k && k->n_ctas && !k->done) /* a finished kernel is already counted in kernels_done */
		share = (double)k->next_cta / (double)k->n_ctas;
	const uint32_t kernels = r->list.n_kernels - r->skipped.n;
	share = ((double)r->kernels_done + share) / (double)(kernels ? kernels : 1);
	if (share > 0)
		left = seconds / share - seconds;
	format_watts(watts, sizeof(watts), g->power);
	fprintf(stderr,
		"%skernel %u/%u %s: cycle %llu, IPC %.2f of warps, %.0f warp insts/s, %.1f%% of thread blocks, %.0f s left%s%s",
		r->progress_state->shown ? "\r\033[K" : "", k ? k->position : r->kernels_done,
		r->list.n_kernels, diag_quote(name, sizeof(name), running, strnlen(running, 40)),
		(unsigned long long)gpu_now(g), gpu_now(g) ? insns / (double)gpu_now(g) : 0, rate,
		100 * share, left, watts, keep ? "\n" : "");
	r->progress_state->shown = !keep;
	r->progress_state->last = seconds;
	r->progress_state->last_insns = insns;
}

void progress_print_if_due(struct run *r)
{
	double seconds;

#ifdef CHECK_TURNS
	(void)getppid(); /* tests/fault/signal_at.c counts iterations of the main loop */
#endif
	if (show_signal && progress_is_requested())
		print_progress(r, progress_seconds(), true);
	if (!r->progress || ++r->progress_state->steps % 512)
		return;
	seconds = progress_seconds();
	if (seconds - r->progress_state->last >= (r->progress_state->terminal ? 0.5 : 10))
		print_progress(r, seconds, !r->progress_state->terminal);
}

void progress_kernel_done(struct run *r)
{
	if (r->progress && !r->progress_state->terminal)
		print_progress(r, progress_seconds(), true);
}

void progress_end(struct run *r)
{
	if (r->progress_state->shown)
		fputs("\r\033[K", stderr);
	free(r->progress_state);
	r->progress_state = NULL;
}
