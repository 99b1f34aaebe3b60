/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Logs of Accel-Sim, and what trace-sim -F accelsim prints: from "kernel_name = " to the line
 * "END-of-Interconnect-DETAILS" stands the block of one kernel, in between whatever else a log holds.
 *
 * Always true: only the configuration, blocks, host times and the closing lines are read. A block that does
 * not reach its last line gives no kernel. A log with another log behind it is told by a line that starts
 * one, or by a second kernel with the number 1.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "num.h"

static bool starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* ---- between blocks ------------------------------------------------------------------------- */

/* "-name   value # what it means" */
static void option_line(struct results *r, char *line)
{
	char *value = line + strcspn(line, " \t"), *end = strstr(line, " # ");

	if (!end || value > end)
		return;
	if (*value)
		*value++ = '\0';
	while (value < end && (*value == ' ' || *value == '\t'))
		value++;
	while (end > value && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = '\0';
	read_option(r, line + 1, value < end ? value : "", false);
}

/* A log starts here; false: the one before must end first. */
static bool start_log(struct results *r, bool options)
{
	if (r->in_run && options && !r->log.blocks && !r->n_options)
		return true;
	if (!read_begin(r, READ_RUN))
		return false;
	r->record = READ_NONE;
	return true;
}

static void end_log(struct results *r, const char *status)
{
	if (!r->in_run)
		return;
	list_totals(r);
	read_finish_run(r, status);
}

static void outside_line(struct results *r, char *line)
{
	static const char head[] = "GPGPU-Sim: ** ";

	if (starts(line, "Accel-Sim [")) {
		r->held = !start_log(r, false);
	} else if (starts(line, "GPGPU-Sim: Configuration options:") ||
		   starts(line, "GPGPU-Sim Simulator Version")) {
		r->held = !start_log(r, true);
	} else if (*line == '-' && r->in_run && !r->log.blocks) {
		option_line(r, line);
	} else if (starts(line, "GPGPU-Sim: *** exit detected ***")) {
		end_log(r, r->log.limit ? "limit" : "complete");
		r->log.limit = false;
	} else if (starts(line, "GPGPU-Sim: ** break due to reaching the maximum")) {
		r->log.limit = true;
	} else if (starts(line, head) && strstr(line, "deadlock")) {
		end_log(r, "deadlock");
	} else if (starts(line, head) && strstr(line, "interrupted")) {
		end_log(r, "interrupted");
	}
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void start_block(struct results *r, const char *name)
{
	struct log_state *l = &r->log;

	l->in_block = true;
	l->begun = l->complete = l->in_net = l->distro = l->occupancy = false;
	l->prefix[0] = l->row[0] = '\0';
	snprintf(l->name, sizeof(l->name), "%s", name);
	for (size_t n = strlen(l->name); n && l->name[n - 1] == ' '; n--)
		l->name[n - 1] = '\0';
}

/* The record begins once the kernel's number is known; false: another run ends first. */
static bool begin_block(struct results *r, uint64_t id)
{
	struct log_state *l = &r->log;

	if (id == 1 && l->first_id_seen && r->in_run) {
		read_cut(r, "another kernel 1 follows before 'exit detected'");
		r->held = true;
		return false;
	}
	read_begin(r, READ_KERNEL);
	if (id == 1)
		l->first_id_seen = true;
	l->begun = true;
	l->blocks++;
	read_set_kernel_name(r, l->name);
	r->kernel.id = id;
	return true;
}

void read_accelsim_end(struct results *r)
{
	struct log_state *l = &r->log;

	if (!l->in_block)
		return;
	l->in_block = false;
	if (l->complete)
		read_complete(r);
}

/* A line that ends the block before it, whole or not. */
static bool ends_block(const char *line)
{
	return starts(line, "kernel_name = ") || starts(line, "GPGPU-Sim: *** exit detected") ||
	       starts(line, "GPGPU-Sim: ** ") || starts(line, "Accel-Sim [");
}

static int block_line(struct results *r, char *line, struct fault *f)
{
	struct log_state *l = &r->log;

	if (starts(line, "kernel_launch_uid = ") && !l->begun) {
		begin_block(r, num_leading(line + 20));
		return 0;
	}
	if (!l->begun && !begin_block(r, 0))
		return 0;
	if (starts(line, "kernel_stream_id = ")) {
		r->kernel.stream = num_leading(line + 19);
		return 0;
	}
	if (strstr(line, "END-of-Interconnect-DETAILS")) {
		l->complete = true;
		l->in_net = false;
		return 0;
	}
	return l->complete ? log_host(r, line, f) : log_figures(r, line, f);
}

int read_accelsim_line(struct results *r, char *line, struct fault *f)
{
	struct log_state *l = &r->log;

	if (l->in_block && ends_block(line)) {
		if (!l->complete && starts(line, "kernel_name = ")) {
			read_cut(r, "another block starts inside the block of a kernel");
			l->in_block = false;
		}
		read_accelsim_end(r);
		r->held = true;
		return 0;
	}
	if (l->in_block)
		return block_line(r, line, f);
	if (starts(line, "kernel_name = "))
		start_block(r, line + 14);
	else
		outside_line(r, line);
	return 0;
}
