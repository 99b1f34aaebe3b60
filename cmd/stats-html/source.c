/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writes source files with the cycles and the instructions of each line, and the table of all instructions.
 *
 * Always true: no file outside the directory of --source is read, regardless of names and links. A file is
 * searched by its path, then by shorter and shorter ends of the path.
 */
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "demangle.h"
#include "report.h"

#define SOURCE_BYTES (16u << 20) /* maximum size of a file that is shown */
#define SHOWN_BYTES  400u        /* maximum length of a shown line in bytes; longer lines are truncated */
#define CONTEXT      6u          /* number of lines shown before and after a line with instructions */

/* Instructions of a run, sorted by file, line and cycles. */
struct source_view {
	const struct html_run *run;
	const struct html_inst **inst;
	struct source_range { /* range of the instructions of a file */
		uint32_t first, n;
		double cycles;
	} * file; /* hottest first */
	uint32_t n_files, cap_files;
	double total_cycles;
};

static int compare_inst_lines(const void *pa, const void *pb)
{
	const struct html_inst *a = *(const struct html_inst *const *)pa,
			       *b = *(const struct html_inst *const *)pb;
	int order = strcmp(a->file, b->file);

	if (order)
		return order;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a < b ? -1 : a > b; /* keeps the order of run->inst, which is sorted by decreasing cycles */
}

static int compare_file_cycles(const void *pa, const void *pb)
{
	const struct source_range *a = pa, *b = pb;

	if (a->cycles != b->cycles)
		return a->cycles > b->cycles ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static void make_source_view(struct source_view *v, const struct html_run *run)
{
	*v = (struct source_view){.run = run};
	v->inst = xcalloc(run->n_insts + 1u, sizeof(*v->inst));
	for (uint32_t i = 0; i < run->n_insts; i++) {
		v->inst[i] = &run->inst[i];
		v->total_cycles += run->inst[i].total_cycles;
	}
	qsort(v->inst, run->n_insts, sizeof(*v->inst), compare_inst_lines);
	for (uint32_t i = 0; i < run->n_insts; i++) {
		if (!i || strcmp(v->inst[i - 1]->file, v->inst[i]->file)) {
			grow(&v->file, &v->cap_files, v->n_files + 1, sizeof(*v->file));
			v->file[v->n_files++] = (struct source_range){.first = i};
		}
		v->file[v->n_files - 1].n++;
		v->file[v->n_files - 1].cycles += v->inst[i]->total_cycles;
	}
	if (v->n_files)
		qsort(v->file, v->n_files, sizeof(*v->file), compare_file_cycles);
}

static void free_view(struct source_view *v)
{
	free(v->inst);
	free(v->file);
}

static double share_of_cycles(const struct source_view *v, double cycles)
{
	return v->total_cycles > 0 ? 100 * cycles / v->total_cycles : (double)NAN;
}

/* ---- files below a directory ------------------------------------------------------------------ */

static bool has_parent_component(const char *path)
{
	for (const char *p = path; (p = strstr(p, "..")); p++)
		if ((p == path || p[-1] == '/') && (!p[2] || p[2] == '/'))
			return true;
	return false;
}

/*
 * Opens a regular file whose real path is below the real path of a directory. Returns NULL if there is none.
 */
static FILE *open_below_directory(const char *directory, const char *path)
{
	char *real = realpath(path, NULL);
	size_t n = strlen(directory);
	struct stat st;
	FILE *in = NULL;
	int fd = -1;

	if (real && !strncmp(real, directory, n) && (real[n] == '/' || !strcmp(directory, "/")))
		fd = open(real, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size <= (off_t)SOURCE_BYTES)
		in = fdopen(fd, "r");
	if (!in && fd >= 0)
		close(fd);
	free(real);
	return in;
}

/* Opens a source file below the directory of --source. Returns NULL if the directory has no such file. */
static FILE *open_source(const char *directory, const char *file)
{
	char *root = realpath(directory, NULL), *path;
	FILE *in = NULL;

	if (!root)
		return NULL;
	path = xmalloc(strlen(root) + strlen(file) + 2);
	for (const char *name = file; name && !in; name = strchr(name, '/')) {
		name += strspn(name, "/");
		if (!*name)
			break;
		if (has_parent_component(name))
			continue;
		sprintf(path, "%s/%s", root, name);
		in = open_below_directory(root, path);
	}
	free(path);
	free(root);
	return in;
}

/* ---- lines ---------------------------------------------------------------------------------------------- */

/* Begins the table row of an instruction with its PC, opcode and kernel. */
static void begin_inst_row(const struct html_inst *in, FILE *out)
{
	char *shown = demangle(in->kernel, DEMANGLE_SHORT);

	fputs("<tr><td class=\"code\">", out);
	html_write_text(out, in->pc);
	fputs("</td><th class=\"code\">", out);
	html_write_text(out, in->opcode);
	fputs("</th><td class=\"word\">", out);
	html_write_text(out, shown);
	fputs("</td>", out);
	free(shown);
}

/* Writes the instructions of one line, the hottest first. Omits instructions that the page does not show. */
static void write_line_insts(const struct source_view *v, uint32_t from, uint32_t to, FILE *out)
{
	fputs("<table class=\"insts\"><tbody>\n", out);
	for (uint32_t i = from; i < to; i++) {
		const struct html_inst *in = v->inst[i];

		if (in - v->run->inst >= (ptrdiff_t)HTML_PCS)
			continue;
		begin_inst_row(in, out);
		html_write_cell(out, "%.1f", share_of_cycles(v, in->total_cycles));
		html_write_bar(out, in->cycles);
		fputs("</tr>\n", out);
	}
	fputs("</tbody></table>", out);
}

/*
 * Writes a source line. Its instructions are `from` to `to` - 1. `text` is the text of the line, or NULL if
 * it is unknown.
 */
static void write_line(const struct source_view *v, uint32_t line, const char *text, uint32_t from,
	uint32_t to, bool open, FILE *out)
{
	double cycles[HOTSPOTS_N_REASONS] = {0}, sum = 0;

	for (uint32_t i = from; i < to; i++) {
		sum += v->inst[i]->total_cycles;
		for (int c = 0; c < HOTSPOTS_N_REASONS; c++)
			cycles[c] += v->inst[i]->cycles[c];
	}
	fprintf(out, "<tr><td>%u</td>", line);
	html_write_cell(out, "%.1f", sum > 0 ? share_of_cycles(v, sum) : (double)NAN);
	html_write_bar(out, cycles);
	fputs("<td class=\"text\">", out);
	if (from < to)
		fprintf(out, "<details%s><summary>", open ? " open" : "");
	if (text)
		html_write_text(out, text);
	else
		fprintf(out, "line %u", line);
	if (from < to) {
		fputs("</summary>", out);
		write_line_insts(v, from, to, out);
		fputs("</details>", out);
	}
	fputs("</td></tr>\n", out);
}

/* Position in the instructions of a file while its lines are written. */
struct line_walk {
	const struct source_range *file;
	uint32_t at;       /* first instruction of the current line or of a later one */
	uint32_t end;      /* end of the instructions of the file */
	uint32_t hottest;  /* line with most cycles */
	uint32_t previous; /* last line with instructions; 0 if there is none */
};

static void start_line_walk(struct line_walk *w, const struct source_view *v, const struct source_range *f)
{
	double most = -1, sum = 0;

	*w = (struct line_walk){.file = f, .at = f->first, .end = f->first + f->n};
	for (uint32_t i = w->at; i < w->end; i++) {
		sum = i > w->at && v->inst[i]->line == v->inst[i - 1]->line ? sum + v->inst[i]->total_cycles
									    : v->inst[i]->total_cycles;
		if (sum > most) {
			most = sum;
			w->hottest = v->inst[i]->line;
		}
	}
	while (w->at < w->end && !v->inst[w->at]->line)
		w->at++;
}

/* Returns the end of the instructions of `line`. The first one is w->at, if the line has instructions. */
static uint32_t end_of_line_insts(const struct line_walk *w, const struct source_view *v, uint32_t line)
{
	uint32_t i = w->at;

	while (i < w->end && v->inst[i]->line == line)
		i++;
	return i;
}

static bool is_near_instruction(const struct line_walk *w, const struct source_view *v, uint32_t line)
{
	return (w->previous && line - w->previous <= CONTEXT) ||
	       (w->at < w->end && v->inst[w->at]->line - line <= CONTEXT);
}

/* Writes the text of a file: lines with instructions and the lines around them. */
static void write_source_text(const struct source_view *v, const struct source_range *f, FILE *in, FILE *out)
{
	struct line_walk w;
	char *text = NULL;
	size_t cap = 0;
	bool gap = false;

	start_line_walk(&w, v, f);
	for (uint32_t line = 1; getline(&text, &cap, in) >= 0; line++) {
		uint32_t end = end_of_line_insts(&w, v, line);

		text[strcspn(text, "\r\n")] = '\0';
		if (strlen(text) > SHOWN_BYTES)
			memcpy(text + SHOWN_BYTES - 3, "...", 4);
		if (end > w.at)
			w.previous = line;
		if (end > w.at || is_near_instruction(&w, v, line)) {
			write_line(v, line, text, w.at, end, line == w.hottest, out);
			gap = false;
		} else if (!gap) {
			fputs("<tr class=\"gap\"><td colspan=\"4\">⋯</td></tr>\n", out);
			gap = true;
		}
		w.at = end;
	}
	for (uint32_t end; w.at < w.end; w.at = end) { /* instructions of lines beyond the end of the text */
		end = end_of_line_insts(&w, v, v->inst[w.at]->line);
		write_line(v, v->inst[w.at]->line, NULL, w.at, end, false, out);
	}
	free(text);
}

/* Writes the lines of a file with unknown text. */
static void write_line_numbers(const struct source_view *v, const struct source_range *f, FILE *out)
{
	struct line_walk w;

	start_line_walk(&w, v, f);
	for (uint32_t end; w.at < w.end; w.at = end) {
		end = end_of_line_insts(&w, v, v->inst[w.at]->line);
		write_line(v, v->inst[w.at]->line, NULL, w.at, end, v->inst[w.at]->line == w.hottest, out);
	}
}

static void write_source_file(const struct html_report *r, const struct source_view *v,
	const struct source_range *f, bool open, FILE *out)
{
	const char *name = v->inst[f->first]->file;
	FILE *in = r->source ? open_source(r->source, name) : NULL;

	fprintf(out, "<details class=\"file\"%s><summary><b>", open ? " open" : "");
	html_write_text(out, name);
	fprintf(out, "</b> %.1f %%", share_of_cycles(v, f->cycles));
	if (r->source && !in)
		fputs(" (not found below the directory of --source)", out);
	fputs("</summary><div class=\"scroll\"><table class=\"lines\"><thead><tr><th>line</th><th>share %</th>"
	      "<th class=\"word\">cycles by reason</th><th class=\"word\">source</th></tr></thead><tbody>\n",
		out);
	if (in)
		write_source_text(v, f, in, out);
	else
		write_line_numbers(v, f, out);
	fputs("</tbody></table></div></details>\n", out);
	if (in)
		fclose(in);
}

/* ---- instructions --------------------------------------------------------------------------------------- */

static void write_inst_place(const struct html_inst *in, FILE *out)
{
	const char *slash = strrchr(in->file, '/');

	if (!in->line) {
		fputs("<td class=\"word\"></td>", out);
		return;
	}
	fputs("<td class=\"word\" title=\"", out);
	html_write_text(out, in->file);
	fputs("\">", out);
	html_write_text(out, slash ? slash + 1 : in->file);
	fprintf(out, "%s%u</td>", *in->file ? ":" : "", in->line);
}

static void write_inst_row(const struct html_inst *in, double all, FILE *out)
{
	begin_inst_row(in, out);
	write_inst_place(in, out);
	html_write_cell(out, "%.1f", all > 0 ? 100 * in->total_cycles / all : (double)NAN);
	html_write_bar(out, in->cycles);
	html_write_cell(out, "%.0f", in->issues);
	html_write_cell(
		out, "%.1f", in->requests > 0 && in->sectors > 0 ? in->sectors / in->requests : (double)NAN);
	html_write_cell(out, "%.1f", html_hit_rate(in->l1_accesses, in->l1_accesses - in->l1_hits));
	html_write_cell(out, "%.1f", html_hit_rate(in->l2_accesses, in->l2_accesses - in->l2_hits));
	html_write_cell(out, "%.0f", in->bank_conflicts > 0 ? in->bank_conflicts : (double)NAN);
	fputs("</tr>\n", out);
}

#define INST_HEAD \
	"<h3>Instructions</h3><div class=\"scroll\"><table class=\"sort all-insts\"><thead><tr>" \
	"<th>PC</th><th>instruction</th>" \
	"<th class=\"word\">kernel</th><th class=\"word\">source</th><th>share %</th>" \
	"<th class=\"word\">cycles by reason</th>" \
	"<th>issued</th><th>sectors/request</th><th>L1 hit %</th><th>L2 hit %</th><th>bank conflicts</th></tr></thead>" \
	"<tbody>\n"

static void write_run_sources(const struct html_report *r, const struct html_run *run, FILE *out)
{
	struct source_view v;
	bool open = true;

	make_source_view(&v, run);
	for (uint32_t i = 0; i < v.n_files; i++)
		if (*v.inst[v.file[i].first]->file) {
			write_source_file(r, &v, &v.file[i], open, out);
			open = false;
		}
	fputs(INST_HEAD, out);
	for (uint32_t k = 0; k < run->n_insts && k < HTML_PCS; k++)
		write_inst_row(&run->inst[k], v.total_cycles, out);
	fputs("</tbody></table></div>\n", out);
	if (run->n_insts > HTML_PCS)
		fprintf(out, "<p>%u instructions with fewer cycles are left out.</p>",
			run->n_insts - HTML_PCS);
	free_view(&v);
}

void html_write_source(const struct html_report *r, FILE *out)
{
	bool any = false;

	for (uint32_t i = 0; i < r->n_runs && i < HTML_RUNS; i++) {
		if (!r->run[i].n_insts)
			continue;
		any = true;
		if (r->n_runs > 1) {
			fputs("<h3>", out);
			html_write_text(out, r->run[i].name);
			fputs("</h3>", out);
		}
		write_run_sources(r, &r->run[i], out);
	}
	if (!any)
		fputs("<p class=\"none\">No profile was given (<code>trace-sim --profile FILE</code>, "
		      "<code>stats-html --profile FILE</code>).</p>",
			out);
}
