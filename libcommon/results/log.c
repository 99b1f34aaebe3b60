/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the lines of a kernel's block in Accel-Sim's log, by their form. Names are converted to the names of
 * trace-stats(5).
 *
 * Always true: a line of unknown form is skipped; values that are not finite numbers are absent. A line with a single
 * unknown "name = number" is a figure with that name, so that the figures of forks are kept.
 */
#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "log.h"
#include "num.h"

static bool log_line_starts(const char *s, const char *with) { return !strncmp(s, with, strlen(with)); }

/* Adds a printed number. A rate printed as "438" is a rounded rate, not a count. */
static int add_printed_number(struct results *r, const char *name, struct result_value v, struct fault *f)
{
	const struct figure *about = figure_find(name);

	if (about && (about->kind == FIGURE_RATIO || (about->kind == FIGURE_INTERVAL && !v.is_whole)) &&
		v.decimals == RESULT_EXACT)
		v = (struct result_value){.real = v.real, .decimals = 0};
	return list_set_figure(r, name, v, f);
}

/* ---- lists of numbers ------------------------------------------------------------------------- */

/* Reads numbers separated by blanks, tabs or commas as the figures NAME[0], NAME[1], ... */
static int read_list_line(struct results *r, const char *name, const char *s, struct fault *f)
{
	char full[96];
	struct result_value v;

	for (int i = 0; i < 4096; i++) {
		s += strspn(s, " \t,");
		if (!value_parse_printed(s, &s, &v))
			return 0;
		snprintf(full, sizeof(full), "%s[%d]", name, i);
		if (add_printed_number(r, full, v, f) < 0)
			return -1;
	}
	return 0;
}

/* Reads each word "KEY:12" as the figure NAME[KEY]. */
static int read_keyed_line(struct results *r, const char *name, const char *s, struct fault *f)
{
	char full[96];
	struct result_value v;

	for (;;) {
		size_t n;

		s += strspn(s, " \t,");
		n = strcspn(s, ":\t ,");
		if (!n || s[n] != ':' || n > 40)
			return 0;
		snprintf(full, sizeof(full), "%s[%.*s]", name, (int)n, s);
		if (!value_parse_printed(s + n + 1, &s, &v))
			return 0;
		if (add_printed_number(r, full, v, f) < 0)
			return -1;
	}
}

/* Reads "{8:45,40:7,}" after a class of traffic as the figures NAME[8] and NAME[40]. */
static int read_traffic_line(struct results *r, char *name, char *equals, struct fault *f)
{
	const char *s;
	struct result_value v;

	for (char *e = equals; e > name && e[-1] == ' '; e--)
		e[-1] = '\0';
	if (!value_parse_printed(equals + 1, &s, &v))
		return 0;
	if (add_printed_number(r, name, v, f) < 0)
		return -1;
	s += strspn(s, " ");
	return *s == '{' ? read_keyed_line(r, name, s + 1, f) : 0;
}

/* ---- rows by bank ---------------------------------------------------------------------------- */

static const struct {
	const char *heading, *figure; /* heading in the log, and name of the figure */
} headings[] = {
	{"maximum concurrent accesses to same row:", "max_same_row"},
	{"maximum service time to same row:", "max_service_time"},
	{"average row accesses per activate:", "accesses_per_activate"},
	{"number of total memory accesses made:", ""},
	{"number of total read accesses:", "reads"},
	{"number of total write accesses:", "writes"},
	{"average mf latency per bank:", "mf_latency"},
	{"maximum mf latency per bank:", "max_mf_latency"},
};

static bool read_heading_line(struct results *r, const char *line)
{
	for (size_t i = 0; i < sizeof(headings) / sizeof(headings[0]); i++) {
		if (log_line_starts(line, headings[i].heading)) {
			snprintf(r->log.row, sizeof(r->log.row), "%s", headings[i].figure);
			return true;
		}
	}
	return false;
}

/* Reads "dram[3]: 12 none inf 7". A word that is not a number still takes the place of a bank. */
static int read_bank_line(struct results *r, const char *line, struct fault *f)
{
	unsigned channel = (unsigned)num_leading(line + 5);
	const char *s = strchr(line, ':');
	char full[96];

	for (unsigned b = 0; s && *r->log.row && b < 4096; b++) {
		struct result_value v;
		const char *end;

		s += b ? 0 : 1;
		s += strspn(s, " \t");
		if (!*s)
			break;
		if (value_parse_printed(s, &end, &v)) {
			snprintf(full, sizeof(full), "dram[%u].bk[%u].%s", channel, b, r->log.row);
			if (add_printed_number(r, full, v, f) < 0)
				return -1;
			s = end;
		} else {
			s += strcspn(s, " \t");
		}
	}
	return 0;
}

/* ---- channels -------------------------------------------------------------------------------- */

static int add_channel_word(
	struct results *r, const char *name, size_t n, struct result_value v, struct fault *f)
{
	char full[96];

	snprintf(full, sizeof(full), "%s%.*s", r->log.prefix, (int)n, name);
	if (n > 40 || !figure_find(full))
		return 0;
	if (add_printed_number(r, full, v, f) < 0)
		return -1;
	if (!log_line_starts(name, "n_"))
		return 0;
	snprintf(full, sizeof(full), "dram_sum[%.*s]", (int)n, name);
	return list_add_to_figure(r, full, v.count, f);
}

/* Reads "n_cmd=25017 n_nop=24778 ... bw_util=0.03709". */
static int read_words_line(struct results *r, const char *s, struct fault *f)
{
	while (*s) {
		size_t n;
		struct result_value v;
		const char *end;

		s += strspn(s, " ");
		n = strcspn(s, " =");
		if (s[n] == '=' && value_parse_printed(s + n + 1, &end, &v) &&
			add_channel_word(r, s, n, v, f) < 0)
			return -1;
		s += strcspn(s, " ");
	}
	return 0;
}

/* Reads a whole number that follows blanks, `text` and blanks. Returns the number's end; NULL if there is none. */
static const char *read_number_after(const char *s, const char *text, uint64_t *out)
{
	s += strspn(s, " ");
	if (!log_line_starts(s, text))
		return NULL;
	s += strlen(text);
	s += strspn(s, " ");
	return num_digits(&s, NULL, 10, INT64_MAX, out) == NUM_GOOD ? s : NULL;
}

/* Reads "bk0: 32a 24968i bk1: ...". */
static int read_banks_line(struct results *r, const char *s, struct fault *f)
{
	uint64_t bank, access, idle;
	char full[96];

	while ((s = read_number_after(s, "bk", &bank)) && (s = read_number_after(s, ":", &access)) &&
		(s = read_number_after(s, "a", &idle)) && *s++ == 'i') {
		snprintf(full, sizeof(full), "%sbk[%" PRIu64 "].n_access", r->log.prefix, bank);
		if (list_set_figure(r, full, value_of_integer(access), f) < 0)
			return -1;
		snprintf(full, sizeof(full), "%sbk[%" PRIu64 "].n_idle", r->log.prefix, bank);
		if (list_set_figure(r, full, value_of_integer(idle), f) < 0)
			return -1;
	}
	return 0;
}

/* ---- "name = number" ------------------------------------------------------------------------- */

/*
 * Writes the recorded form of a name: trimmed, with '_' instead of inner blanks. Returns false if the text is not a
 * name.
 */
static bool convert_to_recorded_name(char *out, size_t cap, const char *s, const char *end)
{
	size_t n = 0;

	s += strspn(s, " \t");
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	if (s == end || (size_t)(end - s) >= cap || !isalpha((unsigned char)*s))
		return false;
	for (; s < end; s++) {
		if (!isalnum((unsigned char)*s) && !strchr("_[].-/ ", *s))
			return false;
		out[n++] = *s == ' ' ? '_' : *s;
	}
	out[n] = '\0';
	return true;
}

static bool is_already_set(struct results *r, const char *name)
{
	const struct list_name *n = list_name(r, name, NULL);

	return n && n->mark == r->mark;
}

/* Appends the next free index to a name that is printed more than once. */
static void append_free_index(struct results *r, char *name, size_t cap)
{
	size_t n = strlen(name);

	for (unsigned i = 0; i < 64; i++) {
		snprintf(name + n, cap - n, "[%u]", i);
		if (!is_already_set(r, name))
			return;
	}
}

static bool is_known_with_index(const char *name)
{
	char full[160];

	snprintf(full, sizeof(full), "%s[0]", name);
	return figure_find(full);
}

/*
 * Reads "average row locality = 3609/12 = 300.75". The kernel's own quotient is computed from the differences of the
 * parts.
 */
static int read_locality_line(struct results *r, const char *s, struct fault *f)
{
	struct list_name *num = list_hidden_row(r, "average_row_locality", "accesses", f);
	struct list_name *den = num ? list_hidden_row(r, "average_row_locality", "activates", f) : NULL;
	struct list_name *rate = den ? list_name(r, "average_row_locality", f) : NULL;
	uint64_t a, b, n, d;

	if (!rate)
		return -1;
	if (!(s = read_number_after(s, "", &a)) || !read_number_after(s, "/", &b))
		return 0;
	n = list_difference(r, num, a);
	d = list_difference(r, den, b);
	rate->running =
		b ? value_of_real((double)a / (double)b) : (struct result_value){.decimals = INT8_MAX};
	if (r->flags & RESULT_RUNNING) {
		n = a;
		d = b;
	}
	return d ? list_set_figure(r, "average_row_locality", value_of_real((double)n / (double)d), f) : 0;
}

static int read_value_line(struct results *r, const char *line, const char *equals, struct fault *f)
{
	char name[128], full[160];
	const struct figure *about;
	struct result_value v;
	const char *end;

	if (!convert_to_recorded_name(name, sizeof(name), line, equals))
		return 0;
	if (!strcmp(name, "average_row_locality"))
		return read_locality_line(r, equals + 1 + strspn(equals + 1, " "), f);
	if (!value_parse_printed(equals + 1, &end, &v))
		return 0;
	if (*r->log.prefix) {
		snprintf(full, sizeof(full), "%s%s", r->log.prefix, name);
		return figure_find(full) && strncmp(name, "n_", 2) ? add_printed_number(r, full, v, f) : 0;
	}
	about = figure_find(name);
	if (!about && is_known_with_index(name)) {
		append_free_index(r, name, sizeof(name));
		about = figure_find(name);
	}
	if (!about && (memchr(line, ' ', (size_t)(equals - line - 1)) || !strchr(" \r", *end)))
		return 0;
	if (r->kernel.stream == UINT64_MAX && strstr(name, "_breakdown["))
		return 0;
	return add_printed_number(r, name, v, f);
}

/* Reads "L2_cache_bank[0]: Access = 188, Miss = 121, ...". */
static int read_parts_line(struct results *r, const char *line, const char *colon, struct fault *f)
{
	char owner[64], name[64], full[160];
	const char *s = colon + 1;

	if (!convert_to_recorded_name(owner, sizeof(owner), line, colon))
		return 0;
	while (*s) {
		const char *equals = strchr(s, '='), *comma = s + strcspn(s, ","), *end;
		struct result_value v;

		if (!equals)
			break;
		if (equals < comma && convert_to_recorded_name(name, sizeof(name), s, equals) &&
			value_parse_printed(equals + 1, &end, &v)) {
			snprintf(full, sizeof(full), "%s.%s", owner, name);
			if (add_printed_number(r, full, v, f) < 0)
				return -1;
		}
		s = *comma ? comma + 1 : comma;
	}
	return 0;
}

/* ---- shapes ---------------------------------------------------------------------------------- */

/*
 * Reads a line whose meaning depends on the previous line. Returns 1, 0 if the line is another one, or -1 and sets
 * *f.
 */
static int read_following_line(struct results *r, const char *line, struct fault *f)
{
	struct log_state *l = &r->log;

	if (l->distro) {
		l->distro = false;
		return read_list_line(r, "warp_issue", line, f) < 0 ? -1 : 1;
	}
	if (l->occupancy) {
		l->occupancy = false;
		return read_keyed_line(r, "warp_occupancy", line, f) < 0 ? -1 : 1;
	}
	return 0;
}

static bool read_section_line(struct results *r, const char *line)
{
	struct log_state *l = &r->log;

	l->distro = log_line_starts(line, "distro:");
	l->occupancy = log_line_starts(line, "Warp Occupancy Distribution:");
	if (l->distro || l->occupancy || read_heading_line(r, line))
		return true;
	if (log_line_starts(line, "Memory Partition ") || log_line_starts(line, "========= L2 cache stats"))
		l->prefix[0] = '\0';
	else if (log_line_starts(line, "DRAM["))
		snprintf(l->prefix, sizeof(l->prefix), "dram[%u].", (unsigned)num_leading(line + 5));
	else if (strstr(line, "Interconnect-DETAILS"))
		l->in_net = true;
	else
		return false;
	return true;
}

static int read_table_line(struct results *r, const char *line, struct fault *f)
{
	static const char *const table[] = {"mrq_lat_table", "mf_lat_table", "icnt2mem_lat_table",
		"icnt2sh_lat_table", "mf_lat_pw_table"};
	static const char *const issue[] = {"single_issue_nums", "dual_issue_nums"};

	for (size_t i = 0; i < sizeof(table) / sizeof(table[0]); i++)
		if (log_line_starts(line, table[i]) && line[strlen(table[i])] == ':')
			return read_list_line(r, table[i], line + strlen(table[i]) + 1, f) < 0 ? -1 : 1;
	for (size_t i = 0; i < sizeof(issue) / sizeof(issue[0]); i++)
		if (log_line_starts(line, issue[i]) && line[strlen(issue[i])] == ':')
			return read_keyed_line(r, issue[i], line + strlen(issue[i]) + 1, f) < 0 ? -1 : 1;
	return 0;
}

static int read_channel_line(struct results *r, const char *line, struct fault *f)
{
	struct result_value v;
	const char *end;

	if (log_line_starts(line, "n_"))
		return strchr(line, '=') && line[strcspn(line, " =")] == '=' ? read_words_line(r, line, f)
									     : 0;
	if (log_line_starts(line, "bk"))
		return read_banks_line(r, line, f);
	if (log_line_starts(line, "mrqq: max=") && value_parse_printed(line + 10, &end, &v))
		return add_channel_word(r, "mrqq_max", 8, v, f);
	return 0;
}

int log_read_line(struct results *r, char *line, struct fault *f)
{
	char *equals = strchr(line, '='), *colon;
	struct result_value v;
	const char *end;
	int used = read_following_line(r, line, f);

	if (used)
		return used < 0 ? -1 : 0;
	if (read_section_line(r, line))
		return 0;
	if (log_line_starts(line, "dram["))
		return read_bank_line(r, line, f);
	used = read_table_line(r, line, f);
	if (used)
		return used < 0 ? -1 : 0;
	if (*r->log.prefix &&
		(log_line_starts(line, "n_") || log_line_starts(line, "bk") || log_line_starts(line, "mrqq")))
		return read_channel_line(r, line, f);
	if (log_line_starts(line, "ctas_completed ") && value_parse_printed(line + 15, &end, &v))
		return add_printed_number(r, "ctas_completed", v, f);
	if (!equals)
		return 0;
	if (log_line_starts(line, "traffic_breakdown_"))
		return read_traffic_line(r, line, equals, f);
	colon = strstr(line, "]: Access = ");
	if (colon)
		return read_parts_line(r, line, colon + 1, f);
	return read_value_line(r, line, equals, f);
}

int log_read_host_line(struct results *r, char *line, struct fault *f)
{
	char name[64];
	const char *s = strchr(line, '='), *end;
	struct result_value v;

	if (!s || !log_line_starts(line, "gpgpu_si") ||
		!convert_to_recorded_name(name, sizeof(name) - 8, line, s))
		return 0;
	if (log_line_starts(line, "gpgpu_simulation_time") && strchr(s, '('))
		s = strchr(s, '(');
	if (!value_parse_printed(s + 1, &end, &v))
		return 0;
	if (!strcmp(name, "gpgpu_simulation_rate"))
		append_free_index(r, name, sizeof(name));
	return list_set_figure(r, name, v, f);
}
