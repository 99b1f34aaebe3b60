/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Implements --isolate: a separate process simulates each kernel, with up to -j processes at the same time.
 * Each process simulates a cold GPU from cycle 0, without earlier memory copies. Records are written in the
 * order of the list.
 *
 * Always true: the records of a process depend on its kernel alone, so the result is the same for any -j.
 * Each running process has one open file and one pipe. A process ends when its parent ends. If a kernel
 * cannot be simulated, the run ends once the records of all kernels before it are written. With --reuse, a
 * kernel that equals an earlier one has no process: its record has the figures of the earlier kernel. Logs
 * are not available. Accel-Sim's format is not available either, because its totals continue from kernel to
 * kernel. In MessagePack, a process writes the name of its kernel. The parent numbers the names in the order
 * of the list, after the numbers in resumed records.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "bytes.h"
#include "isolate.h"
#include "reuse.h"

/* Results of a process other than its records, in memory that it shares with its parent. */
struct outcome {
	char status[16], limit[48];
	unsigned char hash[16];
	uint32_t kernels;      /* number of kernels with a record */
	uint32_t kernels_done; /* number of kernels simulated to their end */
	struct kernel_outcome kernel;
};

struct child {
	pid_t pid; /* process id; 0 if this entry is unused */
	int pipe;  /* pipe that is readable once the process has ended */
	FILE *records;
	uint32_t command; /* command that the child simulates */
};

#define STARTS_PER_CALL 64u

enum child_state { WAITING, RUNNING, READY, FAILED };

struct child_result {
	uint8_t state;
	uint64_t spool_offset;      /* offset of the command's records in isolate.spool */
	uint64_t spool_n;           /* size of the command's records in isolate.spool, in bytes */
	uint64_t end_offset_in_all; /* end offset of the command's records in isolate.all_records */
	struct outcome outcome;
	uint32_t figures_command;       /* command that provides the figures (--reuse), or REUSE_NONE */
	struct reuse_identity identity; /* with --reuse */
};

struct isolate {
	struct run *run;
	const struct isa *isa;
	unsigned jobs;    /* maximum number of processes (-j) */
	unsigned running; /* number of running processes */
	struct child child[MAX_THREADS];
	struct outcome *outcome;     /* outcome of each child */
	struct child_result *result; /* result of each command */
	uint32_t next_start;         /* next command to start */
	uint32_t next_write;         /* next command whose records are written */
	uint32_t failed;             /* first command that cannot be simulated; n_cmds if there is none */
	struct spool spool;          /* records that wait for the records of an earlier kernel */
	struct spool all_records;    /* all written records, for the totals */
	struct part_sums sums;       /* checksums of these records */
	uint32_t kernels;            /* number of kernels with a record */
	uint32_t kernels_done;       /* number of kernels simulated to their end */
	struct reuse *reuse;         /* sets of equal kernels; NULL without --reuse */
	struct bytes reused_record;  /* record of a kernel that was not simulated */
	FILE *reused_stream;         /* stream that writes to reused_record */
	struct record_writer *reused_writer; /* record writer for reused_stream */
	struct child check;                  /* process that reads the traces of resumed kernels */
	uint64_t resumed_bytes;              /* number of bytes that an earlier run has written */
	uint32_t resumed_commands;           /* number of commands that an earlier run has done */
	char limit[48]; /* limit reached by the first kernel that reached one; "" if none did */
	const void *kept_for_leak_check[2]; /* objects of the parent that a child keeps for leak checkers */
	uint32_t earlier_kernels;           /* number of kernels that an earlier run has done */
	uint32_t selected_kernels;          /* number of kernels of the list that this run selects */
	uint32_t n_kernels_passed;          /* number of selected kernels that are done */
	uint32_t reused_kernels;            /* number of kernels that were not simulated */
	double progress_shown_at;           /* time at which the progress line was last written */
	bool terminal; /* true if stderr is a terminal; the progress line is then redrawn */
	bool shown;    /* true if the terminal shows a line without newline */
};

static void append_to_spool(void *ctx, const char *p, size_t n) { spool_append(ctx, p, n); }

static void write_to_file(void *ctx, const char *p, size_t n) { fwrite(p, 1, n, ctx); }

/* ---- a process ------------------------------------------------------------------------------------ */

static _Noreturn void run_child_kernel(struct isolate *o, const struct child *c, struct outcome *t)
{
	struct run *r = o->run;
	struct fault f;
	int status;

	o->kept_for_leak_check[0] = r->writer;
	o->kept_for_leak_check[1] = r->hash;
	r->progress = false;
	r->selection = NULL; /* the parent checks that the name of some kernel matches -k */
	r->next_command = c->command;
	r->list.n_cmds = c->command + 1;
	r->isolated = true;
	r->result = NULL;
	r->gpu.threads = 1;
	if (gpu_init(&r->gpu, o->isa, &f) < 0)
		die_fault(&f);
	r->gpu.launch->next_uid = r->list.cmd[c->command].position - 1;
	r->writer = record_open(c->records, (enum record_format)r->format);
	run_compact_records(r, r->writer, false);
	status = run_application(r);
	snprintf(t->status, sizeof(t->status), "%s", r->status ? r->status : "");
	snprintf(t->limit, sizeof(t->limit), "%s", r->limit ? r->limit : "");
	memcpy(t->hash, r->last_hash, sizeof(t->hash));
	t->kernel = r->last_outcome;
	t->kernels = r->kernels_loaded;
	t->kernels_done = r->kernels_done;
	if (fflush(c->records) == EOF)
		die_errno("cannot write a temporary file");
	_exit(status);
}

/* Forks. Returns true in the child, which is killed when its parent ends. */
static bool fork_child(struct child *c)
{
	pid_t parent = getpid();
	int ends[2];

	if (pipe(ends))
		die_errno("cannot create a pipe");
	fflush(stdout);
	c->pid = fork();
	if (c->pid < 0)
		die_errno("cannot fork");
	close(ends[c->pid ? 1 : 0]);
	c->pipe = ends[0];
	if (c->pid)
		return false;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) || getppid() != parent)
		_exit(EXIT_TROUBLE);
	/* The child ignores signals that the terminal sends to all processes: the parent handles them. */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	signal(SIGUSR1, SIG_IGN);
	return true;
}

static void start_child(struct isolate *o, uint32_t command)
{
	struct child *c = o->child;

	while (c->pid)
		c++;
	*c = (struct child){.command = command, .records = output_open_unnamed()};
	klist_prepare(&o->run->list, command);
	o->outcome[c - o->child] = (struct outcome){.kernels = 0};
	if (fork_child(c))
		run_child_kernel(o, c, &o->outcome[c - o->child]);
	o->result[command].state = RUNNING;
	o->running++;
}

static int wait_for_child(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			die_errno("cannot wait for a process");
	return status;
}

static void release_child(struct isolate *o, struct child *c)
{
	close(c->pipe);
	fclose(c->records);
	c->pid = 0;
	o->running--;
}

/* Starts a process that checks the traces of resumed kernels while other kernels are simulated. */
static void start_trace_check(struct isolate *o, const struct resumed *done)
{
	if (!done->n_kernels)
		return;
	if (fork_child(&o->check)) {
		resume_check(o->run, o->isa, done);
		_exit(EXIT_GOOD);
	}
}

/* Kills the processes of all commands from `first` on. */
static void kill_children(struct isolate *o, uint32_t first)
{
	for (struct child *c = o->child; c < o->child + o->jobs; c++)
		if (c->pid && c->command >= first) {
			kill(c->pid, SIGKILL);
			wait_for_child(c->pid);
			release_child(o, c);
		}
}

/* Waits for the process of start_trace_check(). If a trace has changed, removes the new records and exits. */
static void finish_trace_check(struct isolate *o)
{
	int status;

	if (!o->check.pid)
		return;
	status = wait_for_child(o->check.pid);
	close(o->check.pipe);
	o->check.pid = 0;
	if (WIFEXITED(status) && WEXITSTATUS(status) == EXIT_GOOD)
		return;
	if (WIFSIGNALED(status))
		diag_error(NOWHERE, "process ended by signal: %s", strsignal(WTERMSIG(status)));
	kill_children(o, 0);
	output_truncate(o->run->result, o->resumed_bytes);
	part_sums_keep(&o->sums, o->resumed_bytes);
	exit(EXIT_TROUBLE); /* the process has already printed the reason */
}

static void reap_child(struct isolate *o, struct child *c)
{
	struct child_result *to = &o->result[c->command];
	int status = wait_for_child(c->pid);
	off_t n = lseek(fileno(c->records), 0, SEEK_END);

	to->outcome = o->outcome[c - o->child];
	to->state = READY;
	if (WIFSIGNALED(status))
		diag_error((struct place){.file = o->run->list.cmd[c->command].path},
			"process ended by signal: %s", strsignal(WTERMSIG(status)));
	else if (n < 0)
		diag_error(NOWHERE, "cannot read a temporary file: %s", strerror(errno));
	if (!WIFEXITED(status) || WEXITSTATUS(status) > EXIT_NO || n < 0) {
		to->state = FAILED;
		if (c->command < o->failed)
			o->failed = c->command;
	} else {
		to->spool_offset = o->spool.n;
		to->spool_n = (uint64_t)n;
		spool_pass_bytes(fileno(c->records), 0, to->spool_n, append_to_spool, &o->spool);
	}
	release_child(o, c);
}

static bool may_start_child(const struct isolate *o)
{
	return o->next_start < o->run->list.n_cmds && o->failed == o->run->list.n_cmds &&
	       o->running < o->jobs;
}

/* Waits until a process ends, a signal arrives or 200 ms have passed. Does not wait if a process can be started. */
static void wait_for_children(struct isolate *o)
{
	struct pollfd fd[MAX_THREADS + 1];
	struct child *of[MAX_THREADS];
	nfds_t n = 0;

	for (struct child *c = o->child; c < o->child + o->jobs; c++)
		if (c->pid) {
			of[n] = c;
			fd[n++] = (struct pollfd){.fd = c->pipe, .events = POLLIN};
		}
	fd[n] = (struct pollfd){.fd = o->check.pid ? o->check.pipe : -1, .events = POLLIN};
	if (poll(fd, n + 1, may_start_child(o) ? 0 : 200) <= 0)
		return;
	if (fd[n].revents)
		finish_trace_check(o);
	for (nfds_t i = 0; i < n; i++)
		if (fd[i].revents)
			reap_child(o, of[i]);
}

/* ---- the records ---------------------------------------------------------------------------------- */

static void show_isolate_progress(struct isolate *o, bool keep)
{
	double seconds = progress_seconds();
	uint32_t now = o->n_kernels_passed, left = o->selected_kernels - now;

	fprintf(stderr, "%s%u of %u kernels done", o->shown ? "\r\033[K" : "", o->earlier_kernels + now,
		o->earlier_kernels + o->selected_kernels);
	if (o->reuse)
		fprintf(stderr, ", %u reused", o->reused_kernels);
	fprintf(stderr, ", %u running%s, %.0f s, %.0f s left%s", o->running,
		o->check.pid ? ", checking earlier traces" : "", seconds, now ? seconds / now * left : 0,
		keep ? "\n" : "");
	o->shown = !keep;
	o->progress_shown_at = seconds;
}

/* Redraws the progress line on a terminal, at most twice a second. */
static void redraw_isolate_progress(struct isolate *o)
{
	if (o->run->progress && o->terminal && progress_seconds() - o->progress_shown_at >= 0.5)
		show_isolate_progress(o, false);
}

/*
 * Writes the record of a kernel that has the figures of an earlier, equal kernel. If the kernel is the first
 * of a set of equal kernels, writes nothing and returns false, because its process has written its record.
 */
static bool write_reused_record(struct isolate *o, struct child_result *to)
{
	struct run *r = o->run;
	uint32_t command = (uint32_t)(to - o->result);
	const struct child_result *from = &o->result[to->figures_command];
	size_t n = from->outcome.kernel.figures_bytes, name, at;
	char *group;

	if (reuse_find_set(o->reuse, to->identity.kernel)->first_command == command)
		return false;
	group = xmalloc(n + 1);
	if (from == to)
		spool_read(&o->spool, to->spool_offset + to->spool_n - n, group, n);
	else
		spool_read(&o->all_records, from->end_offset_in_all - n, group, n);
	reuse_write_record(o->reuse, r, o->reused_writer, r->list.cmd[command].position, &to->identity,
		&from->outcome.kernel, group);
	free(group);
	fflush(o->reused_stream);
	at = record_last_name(o->reused_writer, &name);
	isolate_write_record(r, &o->all_records, &o->reused_record, at, name);
	o->reused_record.n = 0;
	return true;
}

/*
 * Copies the outcome of the equal kernel that provides the figures of *to. If *to was itself simulated,
 * checks that its process read the same text as reuse_identify().
 */
static void copy_reused_outcome(struct isolate *o, struct child_result *to)
{
	const struct child_result *from = &o->result[to->figures_command];
	const struct command *c = &o->run->list.cmd[to - o->result];

	if (from != to) {
		to->outcome = from->outcome;
		o->reused_kernels += from->outcome.kernels;
	}
	if (from == to && to->outcome.kernel.has_text_hash &&
		memcmp(to->outcome.hash, to->identity.hash, sizeof(to->identity.hash)))
		die_at((struct place){.file = c->path}, "the trace changed while it was simulated");
	if (to->outcome.kernel.has_text_hash)
		memcpy(to->outcome.hash, to->identity.hash, sizeof(to->identity.hash));
}

static void write_result(struct isolate *o, struct child_result *done)
{
	struct run *r = o->run;

	if (done->figures_command == REUSE_NONE || !write_reused_record(o, done))
		isolate_write_records(r, &o->all_records, &o->spool, done->spool_offset, done->spool_n,
			&done->outcome.kernel);
	done->end_offset_in_all = o->all_records.n;
	part_sums_add(&o->sums, &o->all_records);
	output_keep_part(r->result);
	XXH3_128bits_update(r->hash, done->outcome.hash, sizeof(done->outcome.hash));
	r->status = isolate_worse_status(r->status, done->outcome.status);
	if (!r->limit && *done->outcome.limit) {
		memcpy(o->limit, done->outcome.limit, sizeof(o->limit));
		r->limit = o->limit;
	}
	o->kernels += done->outcome.kernels;
	o->kernels_done += done->outcome.kernels_done;
}

/* Returns true if the command is a kernel that this run may select: any kernel, if -k selects by name. */
static bool is_command_selected(const struct isolate *o, uint32_t command)
{
	const struct run *r = o->run;
	const struct command *c = &r->list.cmd[command];

	return c->kind == CMD_KERNEL && !c->missing && command >= o->resumed_commands &&
	       (kselect_needs_name(r->select) || kselect_selects(r->select, c->position, NULL));
}

static void write_ready_results(struct isolate *o)
{
	while (o->next_write < o->run->list.n_cmds) {
		struct child_result *next = &o->result[o->next_write];
		bool mine = o->run->list.cmd[o->next_write].kind == CMD_KERNEL;

		if (next->state == READY && next->figures_command != REUSE_NONE)
			copy_reused_outcome(o, next);
		if (next->state == READY && next->outcome.kernels)
			write_result(o, next);
		if (next->state == READY && is_command_selected(o, o->next_write)) {
			o->n_kernels_passed++;
			if (o->run->progress && !o->terminal && next->outcome.kernels)
				show_isolate_progress(o, true);
		} else if (next->state != READY && (mine || o->next_write >= o->next_start))
			break;
		o->next_write++;
	}
	if (o->next_write == o->next_start && !o->running)
		o->spool.n = 0;
}

/* Returns true if the kernel must be simulated: its name is selected, and no earlier kernel has its figures. */
static bool must_simulate_kernel(struct isolate *o, uint32_t command)
{
	struct child_result *to = &o->result[command];
	struct reuse_kernel *k;

	if (!o->reuse)
		return true;
	if (!reuse_identify(o->reuse, o->run, command, &to->identity))
		return false;
	if (to->identity.kernel == REUSE_NONE)
		return true;
	k = reuse_find_set(o->reuse, to->identity.kernel);
	to->figures_command = k->result_command == REUSE_NONE ? command : k->result_command;
	k->result_command = to->figures_command;
	return to->figures_command == command;
}

/*
 * Starts processes while fewer than -j are running. Commands that need no process become READY. Returns after
 * STARTS_PER_CALL commands, so that the caller can write records.
 */
static void start_children(struct isolate *o)
{
	for (unsigned n = 0; o->next_start < o->run->list.n_cmds && o->failed == o->run->list.n_cmds &&
			     n < STARTS_PER_CALL;
		o->next_start++, n++) {
		bool mine = is_command_selected(o, o->next_start);

		if (mine && o->running == o->jobs)
			break;
		if (mine && must_simulate_kernel(o, o->next_start))
			start_child(o, o->next_start);
		else
			o->result[o->next_start].state = READY;
	}
}

static void run_children(struct isolate *o)
{
	while (o->next_write < o->run->list.n_cmds && o->next_write <= o->failed) {
		start_children(o);
		write_ready_results(o);
		if (o->next_write >= o->run->list.n_cmds || o->result[o->next_write].state == FAILED)
			break;
		wait_for_children(o);
		kill_children(o, o->failed);
		redraw_isolate_progress(o);
		if (progress_is_requested())
			show_isolate_progress(o, true);
		if (progress_is_interrupted()) {
			o->run->status = "interrupted";
			break;
		}
	}
	kill_children(o, 0);
	while (o->check.pid && o->failed == o->run->list.n_cmds && !progress_is_interrupted()) {
		wait_for_children(o);
		redraw_isolate_progress(o);
	}
	if (o->shown)
		fputs("\r\033[K", stderr);
}

/* ---- the run ---------------------------------------------------------------------------------------- */

static void start_isolated_result(
	struct isolate *o, const char *output, bool force, bool resume, struct resumed *done)
{
	struct run *r = o->run;
	struct bytes head = {0};
	FILE *memory = bytes_stream(&head);

	run_list_figures_alone(r, o->isa);
	r->writer = record_open(memory, (enum record_format)r->format);
	run_write_record(r, r->writer);
	fclose(memory);
	run_compact_records(r, r->writer, true);
	spool_open(&o->all_records);
	spool_append(&o->all_records, head.p, head.n);
	bytes_free(&head);
	r->hash = XXH3_createState();
	if (!r->hash)
		die("out of memory");
	XXH3_128bits_reset(r->hash);
	if (resume)
		resume_read(r, output, &o->all_records, done);
	if (done->complete)
		return;
	if (done->is_part && done->bytes)
		r->result = output_reopen_part(output, done->bytes);
	else
		r->result = output_open_part(output, force || done->bytes);
	r->out = output_stream(r->result);
	record_redirect(r->writer, r->out);
	if (o->reuse) {
		o->reused_stream = bytes_stream(&o->reused_record);
		o->reused_writer = record_open(o->reused_stream, (enum record_format)r->format);
		run_compact_records(r, o->reused_writer, false);
	}
	part_sums_open(&o->sums, output_flushed_path(r->result), done->is_part ? done->bytes : 0);
	if (done->n_kernels && (!done->is_part || o->sums.file))
		part_sums_add(&o->sums, &o->all_records);
	if (!done->is_part || !done->bytes)
		spool_pass_bytes(o->all_records.fd, 0, o->all_records.n, write_to_file, r->out);
	output_flush(r->result);
	if (done->n_kernels)
		output_keep_part(r->result);
	o->kernels = o->kernels_done = o->earlier_kernels = done->n_kernels;
	o->resumed_bytes = o->all_records.n;
	start_trace_check(o, done);
	for (uint32_t i = 0; o->reuse && i < done->n_kernels; i++)
		if (!done->kernel[i].reused_from)
			reuse_add_resumed(o->reuse, &done->kernel[i]);
}

/* Allocates the shared memory and the results. */
static void prepare_isolated_results(struct isolate *o)
{
	o->outcome = mmap(NULL, sizeof(struct outcome) * MAX_THREADS, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (o->outcome == MAP_FAILED)
		die_errno("out of memory");
	o->result = xcalloc(o->run->list.n_cmds, sizeof(*o->result));
	for (uint32_t i = 0; i < o->run->list.n_cmds; i++)
		o->result[i].figures_command = REUSE_NONE;
	o->failed = o->run->list.n_cmds;
	o->run->status = "complete";
	spool_open(&o->spool);
}

int isolate_run(
	struct run *r, const struct isa *isa, const char *output, bool force, bool resume, unsigned jobs)
{
	struct isolate *o = xcalloc(1, sizeof(*o));
	struct resumed done = {0};
	int status = EXIT_GOOD;

	*o = (struct isolate){.run = r, .isa = isa, .jobs = jobs};
	prepare_isolated_results(o);
	o->reuse = r->reuse ? reuse_new(isa) : NULL;
	start_isolated_result(o, output, force, resume, &done);
	if (done.complete) {
		resume_check(r, isa, &done);
		part_sums_discard(done.part);
	} else {
		progress_start(r);
		o->resumed_commands = done.n_kernels ? done.kernel[done.n_kernels - 1].command + 1 : 0;
		for (uint32_t i = o->resumed_commands; i < r->list.n_cmds; i++)
			o->selected_kernels += is_command_selected(o, i);
		o->terminal = isatty(STDERR_FILENO);
		run_children(o);
		if (o->failed < r->list.n_cmds && !progress_is_interrupted())
			exit(EXIT_TROUBLE); /* the process has already printed the reason */
		finish_trace_check(o);
		if (r->selection && !o->kernels && !progress_is_interrupted())
			die("-k '%s' matches none of %u kernel%s", r->selection, r->list.n_kernels,
				r->list.n_kernels == 1 ? "" : "s");
		isolate_write_end(r, &o->all_records, o->kernels_done);
		output_commit(r->result);
		part_sums_remove(&o->sums);
		progress_end(r);
		status = strcmp(r->status, "complete") && strcmp(r->status, "limit") ? EXIT_NO : EXIT_GOOD;
	}
	record_close(r->writer);
	XXH3_freeState(r->hash);
	spool_close(&o->spool);
	spool_close(&o->all_records);
	if (o->reused_stream) {
		record_close(o->reused_writer);
		fclose(o->reused_stream);
		bytes_free(&o->reused_record);
	}
	reuse_free(o->reuse);
	munmap(o->outcome, sizeof(struct outcome) * MAX_THREADS);
	resume_free(&done);
	free(o->result);
	free(o);
	return status;
}
