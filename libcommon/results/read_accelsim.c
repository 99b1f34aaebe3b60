/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of logs of Accel-Sim and of the output of trace-sim -F accelsim. The block of a kernel extends from
 * "kernel_name = " to the line "END-of-Interconnect-DETAILS".
 *
 * Always true: only the configuration, blocks, host times and the closing lines are read. A block without its last
 * line is ignored, and its run is not complete. A line that starts a log, or a second kernel with number 1, begins
 * another run.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "num.h"

static bool accelsim_line_starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* ---- between blocks ------------------------------------------------------------------------- */

/* Reads "-name   value # what it means". */
static void read_option_line(struct results *r, char *line)
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

/* Starts a run. Returns false if the previous run must end first. */
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
	list_run_totals(r);
	read_finish_run(r, status);
}

static void read_line_outside_run(struct results *r, char *line)
{
	static const char head[] = "GPGPU-Sim: ** ";

	if (accelsim_line_starts(line, "Accel-Sim [")) {
		r->read_again = !start_log(r, false);
	} else if (accelsim_line_starts(line, "GPGPU-Sim: Configuration options:") ||
		   accelsim_line_starts(line, "GPGPU-Sim Simulator Version")) {
		r->read_again = !start_log(r, true);
	} else if (*line == '-' && r->in_run && !r->log.blocks) {
		read_option_line(r, line);
	} else if (accelsim_line_starts(line, "GPGPU-Sim: *** exit detected ***")) {
		end_log(r, r->log.limit_reported ? "limit" : "complete");
		r->log.limit_reported = false;
	} else if (accelsim_line_starts(line, "GPGPU-Sim: ** break due to reaching the maximum")) {
		r->log.limit_reported = true;
	} else if (accelsim_line_starts(line, head) && strstr(line, "deadlock")) {
		end_log(r, "deadlock");
	} else if (accelsim_line_starts(line, head) && strstr(line, "interrupted")) {
		end_log(r, "interrupted");
	}
}

/* ---- blocks --------------------------------------------------------------------------------- */

static void start_block(struct results *r, const char *name)
{
	struct log_state *l = &r->log;

	l->in_block = true;
	l->record_begun = l->complete = l->in_net = l->distro = l->occupancy = false;
	l->prefix[0] = l->row[0] = '\0';
	snprintf(l->name, sizeof(l->name), "%s", name);
	for (size_t n = strlen(l->name); n && l->name[n - 1] == ' '; n--)
		l->name[n - 1] = '\0';
}

/* Begins the record after the kernel's number was read. Returns false if the previous run must end first. */
static bool begin_kernel_block(struct results *r, uint64_t id)
{
	struct log_state *l = &r->log;

	if (id == 1 && l->first_id_seen && r->in_run) {
		read_cut_run(r, "another kernel 1 follows before 'exit detected'");
		r->read_again = true;
		return false;
	}
	read_begin(r, READ_KERNEL);
	if (id == 1)
		l->first_id_seen = true;
	l->record_begun = true;
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

/* Returns true if a line ends the preceding block, complete or not. */
static bool ends_kernel_block(const char *line)
{
	return accelsim_line_starts(line, "kernel_name = ") ||
	       accelsim_line_starts(line, "GPGPU-Sim: *** exit detected") ||
	       accelsim_line_starts(line, "GPGPU-Sim: ** ") || accelsim_line_starts(line, "Accel-Sim [");
}

/*
 * Returns true if a line shows that the run continues, or ends as planned. The block of the kernel before this line
 * must be complete.
 */
static bool is_part_of_whole_run(const char *line)
{
	return accelsim_line_starts(line, "kernel_name = ") ||
	       accelsim_line_starts(line, "GPGPU-Sim: *** exit detected") ||
	       accelsim_line_starts(line, "GPGPU-Sim: ** break due to reaching the maximum");
}

static int read_block_line(struct results *r, char *line, struct fault *f)
{
	struct log_state *l = &r->log;

	if (accelsim_line_starts(line, "kernel_launch_uid = ") && !l->record_begun) {
		begin_kernel_block(r, num_leading(line + 20));
		return 0;
	}
	if (!l->record_begun && !begin_kernel_block(r, 0))
		return 0;
	if (accelsim_line_starts(line, "kernel_stream_id = ")) {
		r->kernel.stream = num_leading(line + 19);
		return 0;
	}
	if (strstr(line, "END-of-Interconnect-DETAILS")) {
		l->complete = true;
		l->in_net = false;
		return 0;
	}
	return l->complete ? log_read_host_line(r, line, f) : log_read_line(r, line, f);
}

int read_accelsim_line(struct results *r, char *line, struct fault *f)
{
	struct log_state *l = &r->log;

	if (l->in_block && ends_kernel_block(line)) {
		if (!l->complete && is_part_of_whole_run(line)) {
			read_cut_run(r,
				accelsim_line_starts(line, "kernel_name = ")
					? "another block starts inside the block of a kernel"
					: "the block of a kernel ends without the line 'END-of-Interconnect-DETAILS'");
			l->in_block = false;
		}
		read_accelsim_end(r);
		r->read_again = true;
		return 0;
	}
	if (l->in_block)
		return read_block_line(r, line, f);
	if (accelsim_line_starts(line, "kernel_name = "))
		start_block(r, line + 14);
	else
		read_line_outside_run(r, line);
	return 0;
}
