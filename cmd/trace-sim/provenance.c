/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes the run record: the program and the options that produced a result, and the resulting configuration.
 *
 * Always true: without --provenance the record has no paths, so the same options on another host give the
 * same bytes. Options that only determine how a result is computed or written (-j, -o, -f, -q, -v) are never
 * in the record.
 */
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "arena.h"
#include "bytes.h"
#include "picks.h"
#include "run.h"

/*
 * Writes a field with n values, separated by blanks. With `files`, the values are paths, and only their file
 * names are written.
 */
static void record_string_list(
	struct record_writer *w, const char *name, const char *const *value, uint32_t n, bool files)
{
	size_t size = 1, n_text = 0;
	char *text;

	if (!n)
		return;
	for (uint32_t i = 0; i < n; i++)
		size += strlen(value[i]) + 1;
	text = xmalloc(size);
	for (uint32_t i = 0; i < n; i++) {
		const char *slash = files ? strrchr(value[i], '/') : NULL;

		n_text += (size_t)sprintf(text + n_text, "%s%s", i ? " " : "", slash ? slash + 1 : value[i]);
	}
	record_string(w, name, text);
	free(text);
}

/*
 * Writes the operand of -k, in which the path of "@FILE" is reduced to its file name. Also writes the hash of
 * the picks if there are any.
 */
static void record_kernel_selection(struct record_writer *w, const char *kernels, const struct picks *p)
{
	char hash[PICKS_HASH_TEXT];
	const char *slash = *kernels == '@' ? strrchr(kernels, '/') : NULL;
	char *text = xmalloc(strlen(kernels) + 2);

	sprintf(text, "%s%s", slash ? "@" : "", slash ? slash + 1 : kernels);
	record_string(w, "kernels", text);
	free(text);
	if (!p)
		return;
	picks_hash(p, hash);
	record_string(w, "picks", hash);
}

/* Writes the names and patterns of -s, separated by commas. */
static void record_figure_selection(struct record_writer *w, const struct namelist *l)
{
	struct bytes text = {0};

	for (size_t i = 0; i < l->n; i++) {
		if (i)
			bytes_puts(&text, ",");
		bytes_puts(&text, l->pattern[i]);
	}
	record_string(w, "stats", text.p);
	bytes_free(&text);
}

static void record_invocation(struct record_writer *w, const struct invocation *g)
{
	record_group(w, "given");
	record_string_list(w, "config", g->config, g->n_config, true);
	record_string_list(w, "define", g->define, g->n_define, false);
	record_string_list(w, "cubin", g->cubin, g->n_cubin, true);
	record_string_list(w, "isa", &g->isa, g->isa != NULL, true);
	record_string_list(w, "power_energies", &g->energies, g->energies != NULL, true);
	if (g->kernels)
		record_kernel_selection(w, g->kernels, g->picks);
	if (g->strict)
		record_bool(w, "strict", true);
	if (g->warm)
		record_bool(w, "warm", true);
	if (g->sample_blocks)
		record_bool(w, "sample_blocks", true);
	if (g->isolate)
		record_bool(w, "isolate", true);
	if (g->reuse)
		record_bool(w, "reuse", true);
	if (g->interval)
		record_uint(w, "interval", g->interval, "cycles");
	if (g->choice->names.n)
		record_figure_selection(w, &g->choice->names);
	if (g->choice->all_figures)
		record_bool(w, "all_figures", true);
	record_group_end(w);
}

static void list_figures(struct gpu *g, struct figure_choice *c)
{
	struct figures *f = figures_new();

	gpu_sync(g);
	figures_fill(f, g);
	figures_list(f, c);
	figures_free(f);
}

bool run_reads_change_figures(const struct run *r) { return conf_num(&r->conf, OPT_network_mode) == 1; }

void run_list_figures(struct run *r) { list_figures(&r->gpu, r->choice); }

void run_list_figures_alone(struct run *r, const struct isa *isa)
{
	struct gpu *g = xmalloc(sizeof(*g));
	struct fault fault;

	*g = r->gpu;
	g->threads = 1;
	g->joins.cubins = NULL; /* r->gpu owns the cubins */
	if (gpu_init(g, isa, &fault) < 0)
		die_fault(&fault);
	list_figures(g, r->choice);
	gpu_free(g);
	free(g);
}

/* Appends a word. Quotes it for the shell if it has a character that is not in plain[]. */
static void append_shell_word(struct bytes *to, const char *word)
{
	static const char plain[] =
		"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+,./:@%";

	if (*word && strspn(word, plain) == strlen(word)) {
		bytes_puts(to, word);
		return;
	}
	bytes_puts(to, "'");
	for (; *word; word++)
		if (*word == '\'')
			bytes_puts(to, "'\\''");
		else
			bytes_add(to, word, 1);
	bytes_puts(to, "'");
}

static void record_full_path(struct record_writer *w, const char *name, const char *path)
{
	char *full = path && strcmp(path, "-") ? realpath(path, NULL) : NULL;

	if (full || path)
		record_string(w, name, full ? full : path);
	free(full);
}

/* Writes the command line and the absolute paths of the inputs on this host, to allow the run to be repeated. */
static void record_provenance(struct record_writer *w, const struct invocation *g)
{
	struct bytes text = {0};
	char *directory = realpath(".", NULL), name[32];

	for (const char *const *word = g->command; *word; word++) {
		if (word != g->command)
			bytes_puts(&text, " ");
		append_shell_word(&text, *word);
	}
	record_group(w, "provenance");
	record_string(w, "command", text.p);
	if (directory)
		record_string(w, "folder", directory);
	record_full_path(w, "trace", g->trace ? g->trace : "-");
	for (uint32_t i = 0, k = 0; i < g->n_config; i++)
		if (!g->shipped[i]) {
			snprintf(name, sizeof(name), "config[%u]", k++);
			record_full_path(w, name, g->config[i]);
		}
	record_full_path(w, "isa", g->isa);
	record_full_path(w, "power_energies", g->energies);
	record_group_end(w);
	bytes_free(&text);
	free(directory);
}

/* Writes the XXH3-128 of the names and values that --dump-config would print. */
static void record_config_hash(const struct gpuconf *c, struct record_writer *w)
{
	XXH3_state_t *state = XXH3_createState();
	XXH128_canonical_t hash;
	char text[33];

	if (!state)
		die("out of memory");
	XXH3_128bits_reset(state);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		XXH3_128bits_update(state, conf_rows[i].name, strlen(conf_rows[i].name));
		XXH3_128bits_update(state, " ", 1);
		if (conf_rows[i].type == CONF_STRING)
			XXH3_128bits_update(state, conf_text(c, i), strlen(conf_text(c, i)));
		else
			XXH3_128bits_update(state, text,
				(size_t)snprintf(text, sizeof(text), "%lld", (long long)conf_num(c, i)));
		XXH3_128bits_update(state, "\n", 1);
	}
	XXH128_canonicalFromHash(&hash, XXH3_128bits_digest(state));
	XXH3_freeState(state);
	for (int i = 0; i < 16; i++)
		snprintf(text + 2 * i, 3, "%02x", (unsigned)hash.digest[i]);
	record_string(w, "config_hash", text);
}

void run_write_record(const struct run *r, struct record_writer *w)
{
	record_begin(w, "run");
	record_string(w, "tool", "trace-sim");
	record_string(w, "version", VERSION);
	if (r->invoked)
		record_invocation(w, r->invoked);
	run_write_skipped(r, w);
	record_config_hash(&r->conf, w);
	if (r->invoked && r->invoked->command)
		record_provenance(w, r->invoked);
	record_group(w, "config");
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		const struct conf_row *row = &conf_rows[i];

		if (row->type == CONF_STRING)
			record_string(w, row->name + 1, conf_text(&r->conf, i));
		else
			record_int(w, row->name + 1, conf_num(&r->conf, i), row->unit);
	}
	record_group_end(w);
	if (w == r->writer) /* a profile has no list of figures */
		choice_write_record(r->choice, w);
	record_end(w);
}

void run_compact_records(const struct run *r, struct record_writer *w, bool kernels)
{
	if (r->choice->names.n && !r->choice->all_figures)
		record_compact(w, r->choice->listed, r->choice->n_listed, kernels);
}

/* Returns true for an option that the original lacks. */
static bool is_own_option(const char *name)
{
	static const char *const own[] = {"-core_", "-l2_sides", "-l2_far_", "-icnt_cluster_ports",
		"-ptx_vector_access", "-ptx_streams"};

	for (size_t k = 0; k < sizeof(own) / sizeof(*own); k++)
		if (!strncmp(name, own[k], strlen(own[k])))
			return true;
	return false;
}

/*
 * Prints each option's name, left-aligned in 20 columns, and its value, right-aligned in 20 columns. Options
 * that the original lacks are printed only if they are set.
 */
void run_print_head(const struct run *r, FILE *out)
{
	struct bytes text = {0};

	bytes_printf(&text,
		"Accel-Sim [build warptools-%s]\n\n"
		"        *** GPGPU-Sim Simulator Version 4.2.0  [build warptools-%s] ***\n\n\n"
		"GPGPU-Sim: Configuration options:\n\n",
		VERSION, VERSION);
	for (unsigned i = 0; i < N_OPTIONS; i++) {
		const struct conf_row *row = &conf_rows[i];

		if (!r->conf.value[i].order && is_own_option(row->name))
			continue;
		bytes_column(&text, row->name, -20);
		bytes_puts(&text, " ");
		bytes_column(&text, conf_text(&r->conf, i), 20);
		bytes_puts(&text, " # ");
		bytes_puts(&text, row->help);
		bytes_puts(&text, "\n");
	}
	fwrite(text.p, 1, text.n, out);
	bytes_free(&text);
}
