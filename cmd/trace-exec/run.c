/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Running a script: buffers are filled, kernels executed and traced, results saved, in the order of the
 * lines.
 *
 * Always true: the kernel list is known before the first launch, so a stream can begin with it; a failed
 * kernel ends the run, and no half-written file keeps its final name.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "bytes.h"
#include "lower/lower.h"
#include "machine/machine.h"
#include "output.h"
#include "pack.h"
#include "run.h"
#include "trace_out.h"

#define STREAM_LEVEL PACK_FAST /* level of compression; trace-pack can make the stream smaller */

struct script_run {
	struct script *script;
	const struct run_options *options;
	struct memory mem;
	struct textures textures;
	bool has_finding;   /* a finding was reported; it does not end the run */
	struct output *out; /* TRACE_STREAM */
	struct pack_writer *pack;
	FILE *trace;                       /* trace of the running kernel, if it is text */
	struct lower *lower;               /* code of the kernel launched last (--as sass) */
	const struct func *lowered_kernel; /* kernel whose code is in `lower` */
	uint64_t warp_insts, thread_insts;
};

/* ---- traces ---- */

static bool is_step_chosen(const struct script_run *r, const struct step *c)
{
	return choice_includes_launch(&r->options->choice, c->launch.id, c->launch.kernel->name);
}

/* Warns if no launch is chosen: nothing is checked or traced then, as after a misspelt name. */
static void warn_if_none_chosen(const struct script_run *r)
{
	uint32_t launches = 0, chosen = 0;

	for (uint32_t i = 0; i < r->script->n_commands; i++) {
		if (r->script->command[i].kind != CMD_LAUNCH)
			continue;
		launches++;
		chosen += is_step_chosen(r, &r->script->command[i]);
	}
	if (launches && !chosen)
		diag_warn((struct place){.file = r->script->path},
			"--kernels and --launches choose none of the launches (there are %u)", launches);
}

static bool is_step_traced(const struct script_run *r, const struct step *c)
{
	return r->options->trace_to != TRACE_NONE && is_step_chosen(r, c);
}

static struct bytes write_kernel_list(const struct script_run *r)
{
	const struct script *s = r->script;
	struct bytes list = {0};

	bytes_puts(&list, "");
	for (uint32_t i = 0; i < s->n_commands; i++) {
		const struct step *c = &s->command[i];

		if (c->kind == CMD_BUFFER && !c->nocopy && c->init.kind != INIT_UNSET)
			bytes_printf(&list, "MemcpyHtoD,0x%llx,%llu\n", (unsigned long long)c->addr,
				(unsigned long long)c->bytes);
		else if (c->kind == CMD_LAUNCH && is_step_traced(r, c))
			bytes_printf(&list, "kernel-%u.traceg\n", c->launch.id);
	}
	return list;
}

char *run_join_path(const char *directory, const char *name)
{
	size_t n = strlen(directory) + strlen(name) + 2;
	char *p = xmalloc(n);

	snprintf(p, n, "%s%s%s", directory, *directory && directory[strlen(directory) - 1] != '/' ? "/" : "",
		name);
	return p;
}

/* Returns the path of a file to be saved. check_saved_name() has checked that its name has no "..". */
static char *saved_path(const struct script_run *r, const struct step *c)
{
	return run_join_path(r->options->saves ? r->options->saves : r->script->directory, c->path);
}

/*
 * Exits with a message if the last `n` bytes of a path, which come from a launch file, lead through a symbolic
 * link, or to an existing file that is not a regular file.
 */
static void check_saved_path(char *path, size_t n)
{
	size_t len = strlen(path);
	struct stat st;

	for (char *s = path + len - n; s; s = s ? strchr(s, '/') : NULL) {
		s = strchr(s + (*s == '/'), '/');
		if (s)
			*s = '\0';
		bool exists = !lstat(path, &st), link = exists && S_ISLNK(st.st_mode);
		if (s)
			*s = '/';
		if (link || (!s && exists && !S_ISREG(st.st_mode)))
			die_at((struct place){.file = path},
				"cannot save to a %s (expected a regular file or a new name)",
				link ? "symbolic link" : "directory, device or pipe");
	}
}

/* Returns the path of a kernel's file, "kernel-1.traceg". */
static char *kernel_path(const struct script_run *r, uint32_t id)
{
	char name[40];

	snprintf(name, sizeof(name), "kernel-%u.traceg", id);
	return run_join_path(r->options->output, name);
}

/* Exits with a message if the trace or a saved file would replace a file that is read. */
static void protect_inputs(const struct script_run *r)
{
	bool directory = r->options->trace_to == TRACE_DIRECTORY,
	     file = r->options->trace_to == TRACE_STREAM && r->options->output;
	char *path = directory ? run_join_path(r->options->output, "kernelslist.g")
		     : file    ? xstrdup(r->options->output)
			       : NULL;

	script_protect_files(r->script, path, true);
	free(path);
	for (uint32_t i = 0; i < r->script->n_commands; i++) {
		const struct step *c = &r->script->command[i];

		path = NULL;
		if (c->kind == CMD_SAVE || c->kind == CMD_SAVESYM)
			check_saved_path(path = saved_path(r, c), strlen(c->path));
		else if (c->kind == CMD_LAUNCH && directory && is_step_traced(r, c))
			path = kernel_path(r, c->launch.id);
		script_protect_files(r->script, path, c->kind == CMD_LAUNCH);
		free(path);
	}
}

static void write_list(struct script_run *r)
{
	struct bytes list = write_kernel_list(r);
	char *path = run_join_path(r->options->output, "kernelslist.g");
	struct output *out = output_open(path, r->options->force);

	fwrite(list.p, 1, list.n, output_stream(out));
	output_commit(out);
	free(path);
	bytes_free(&list);
}

static void open_trace_outputs(struct script_run *r)
{
	if (r->options->trace_to == TRACE_DIRECTORY) {
		if (mkdir(r->options->output, 0777) && errno != EEXIST)
			die_errno_at(
				(struct place){.file = r->options->output}, "cannot create the directory");
	} else if (r->options->trace_to != TRACE_NONE) {
		if (isatty(STDOUT_FILENO) && (!r->options->output || !strcmp(r->options->output, "-")))
			die("standard output is a terminal (use -n, -o DIR or a redirection)");
		r->out = output_open(r->options->output, r->options->force);
		r->pack = pack_writer_new(output_stream(r->out), STREAM_LEVEL, r->options->exec.threads);
		struct bytes list = write_kernel_list(r);
		pack_write_list(r->pack, "kernelslist.g", list.p, list.n);
		bytes_free(&list);
	}
}

static bool trace_executed_block(void *ctx, struct cta *c)
{
	struct script_run *r = ctx;

	if (r->trace)
		trace_out_write_block(r->trace, c);
	else if (r->pack)
		trace_out_write_packed_block(r->pack, c);
	return true;
}

static ssize_t write_to_packer(void *ctx, const char *bytes, size_t n)
{
	pack_add_text(ctx, bytes, n);
	return (ssize_t)n;
}

/*
 * Begins a kernel's trace. Sets *out to its file and *code to its static code. close_kernel_trace() closes and
 * frees them.
 */
static void open_kernel_trace(struct script_run *r, const struct grid *g, const struct occupancy *k,
	struct output **out, struct pack_code *code)
{
	if (r->options->trace_to == TRACE_DIRECTORY) {
		char *path = kernel_path(r, g->launch->id);

		*out = output_open(path, r->options->force);
		r->trace = output_stream(*out);
		free(path);
	} else if (r->pack) {
		pack_begin_kernel(r->pack);
		bool text = !trace_out_has_records(g);

		if (text)
			r->trace =
				fopencookie(r->pack, "w", (cookie_io_functions_t){.write = write_to_packer});
		else
			trace_out_write_packed_header(r->pack, g, k, code);
		if (text && !r->trace)
			die_errno("out of memory");
	}
	if (r->trace)
		trace_out_write_header(r->trace, g, k);
}

static void close_kernel_trace(struct script_run *r, struct output *out, struct pack_code *code, bool good)
{
	if (r->trace && r->pack)
		fclose(r->trace);
	if (r->pack && good) {
		pack_end_kernel(r->pack, NULL);
	} else if (out && good) {
		output_commit(out);
	} else if (out) {
		output_discard(out);
	}
	r->trace = NULL;
	pack_code_free(code);
}

/*
 * Returns the machine code of the kernel for --as sass, reused while the kernel is the same. Returns NULL for
 * PTX.
 */
static const struct lower *machine_code_of_kernel(struct script_run *r, const struct grid *g)
{
	struct fault f;

	if (!r->options->binary || !g->record || g->machine)
		return NULL;
	if (r->lowered_kernel != g->launch->kernel) {
		lower_free(r->lower);
		r->lower = lower_kernel(g->code, g->kernel, r->options->binary, &f);
		r->lowered_kernel = g->launch->kernel;
	}
	if (!r->lower)
		die_fault(&f);
	return r->lower;
}

static int run_launch(struct script_run *r, struct step *c)
{
	bool traced = is_step_traced(r, c), chosen = is_step_chosen(r, c);
	struct options unchecked = r->options->exec;
	struct grid g = {.code = &r->script->code,
		.mem = &r->mem,
		.options = chosen ? &r->options->exec : &unchecked,
		.launch = &c->launch,
		.timer = r->warp_insts,
		.textures = &r->textures,
		.record = !traced ? NULL
			  : r->options->binary && !c->launch.kernel->machine
				  ? lower_write_record
				  : trace_out_record_function(c->launch.kernel, r->pack),
		.print = r->options->trace_to == TRACE_STREAM ? stderr : stdout};
	struct occupancy k = {c->regs, c->shared_bytes};
	struct output *out = NULL;
	struct pack_code code = {NULL, 0, NULL, 0};
	bool good;

	unchecked.check = false;
	grid_prepare(&g);
	g.lower = machine_code_of_kernel(r, &g);
	if (traced)
		open_kernel_trace(r, &g, &k, &out, &code);
	good = grid_run(&g, traced ? trace_executed_block : NULL, r);
	if (!chosen)
		memory_mark_all_set(&r->mem);
	r->warp_insts += g.warp_insts;
	r->thread_insts += g.thread_insts;
	if (traced)
		close_kernel_trace(r, out, &code, good);
	r->has_finding |= g.has_finding;
	return good ? 0 : diag_fault(&g.fault);
}

/* ---- commands other than launches ---- */

static void save_file(struct script_run *r, const struct step *c, const uint8_t *bytes)
{
	char *path = saved_path(r, c);
	struct output *out = output_open(path, true);

	fwrite(bytes, 1, c->bytes, output_stream(out));
	output_commit(out);
	free(path);
}

static int compare_file(const struct step *c, const uint8_t *bytes)
{
	struct init init = {.kind = INIT_FILE, .text = c->path};
	uint8_t *want = xmalloc(c->bytes ? c->bytes : 1);
	struct fault f;
	int status = 0;

	if (init_fill_bytes(&init, want, c->bytes, c->place, &f))
		die_fault(&f);
	for (uint64_t i = 0; i < c->bytes && !status; i++)
		if (want[i] != bytes[i])
			status =
				diag_error(c->place, "byte %llu of '%s' is 0x%02x (expected 0x%02x as in %s)",
					(unsigned long long)i, c->name, bytes[i], want[i], c->path);
	free(want);
	return status;
}

static int run_step(struct script_run *r, struct step *c)
{
	uint8_t *bytes = memory_host_address(&r->mem, c->addr, c->bytes);
	struct fault f;

	switch (c->kind) {
	case CMD_BUFFER:
		if (!memory_allocate_buffer(&r->mem, c->name, c->bytes))
			die_at(c->place, "out of memory: %llu bytes for '%s'", (unsigned long long)c->bytes,
				c->name);
		if (c->init.kind == INIT_UNSET)
			memory_mark_unset(&r->mem, c->addr, c->bytes);
		else if (c->init.kind != INIT_ZERO &&
			 init_fill_bytes(&c->init, memory_host_address(&r->mem, c->addr, c->bytes), c->bytes,
				 c->place, &f))
			die_fault(&f);
		return 0;
	case CMD_SYMBOL:
		if (init_fill_bytes(
			    &c->init, r->mem.statics + c->sym->addr + c->addr, c->bytes, c->place, &f))
			die_fault(&f);
		return 0;
	case CMD_TEXTURE:
		texture_add(&r->textures, &c->texture);
		if (c->sym)
			memcpy(r->mem.statics + c->sym->addr, &c->addr, sizeof(c->addr));
		return 0;
	case CMD_SAVE: save_file(r, c, bytes); return 0;
	case CMD_SAVESYM: save_file(r, c, r->mem.statics + c->sym->addr); return 0;
	case CMD_EXPECT: return compare_file(c, bytes);
	default: return run_launch(r, c);
	}
}

#define DEVICE_HEAP (64ull << 20) /* size of the heap for malloc in kernels */

int run_script(struct script *s, const struct run_options *o)
{
	struct script_run r = {.script = s, .options = o};
	int status = EXIT_GOOD;

	protect_inputs(&r);
	warn_if_none_chosen(&r);
	memory_open(&r.mem, s->heap_bytes + (s->code.uses_malloc ? DEVICE_HEAP : 0));
	memory_add_statics(&r.mem, &s->prog);
	open_trace_outputs(&r);
	for (uint32_t i = 0; i < s->n_commands && status == EXIT_GOOD; i++)
		if (run_step(&r, &s->command[i]))
			status = EXIT_NO;
	if (r.pack) {
		if (status == EXIT_GOOD) {
			pack_writer_close(r.pack);
			output_commit(r.out);
		} else {
			pack_writer_discard(r.pack);
			output_discard(r.out);
		}
	} else if (o->trace_to == TRACE_DIRECTORY && status == EXIT_GOOD) {
		write_list(&r);
	}
	if (status == EXIT_GOOD && (r.has_finding | (o->exec.check && memory_report_leaks(&r.mem, true))))
		status = EXIT_NO;
	if (o->verbose)
		fprintf(stderr, "%s: %llu thread instructions, %llu warp instructions\n", diag_program(),
			(unsigned long long)r.thread_insts, (unsigned long long)r.warp_insts);
	lower_free(r.lower);
	free(r.textures.texture);
	memory_free(&r.mem);
	return status;
}
