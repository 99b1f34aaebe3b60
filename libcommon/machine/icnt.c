/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The .icnt file of network mode 1 (NET-conf): entries "name = value;" over any number of lines,
 * comments from // to the end of the line, later entries win.
 *
 * Always true after a good parse: the file describes the crossbar that booksim.c models. A name that
 * BookSim does not know, or a value that would make another network of it, is refused at its place; so is the
 * lack of an entry whose default would. Unlike in BookSim a whole number is good for a real one, and numbers
 * that do not fit are refused.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cli.h"
#include "icnt.h"

#define BUFFER_MAX 65536
#define WORD_MAX   64

/* FIXED: one value is possible. NUMBER, REAL: from least to most. FREE: nothing modelled depends on it. */
enum kind { FIXED, NUMBER, REAL, FREE };

enum setting { SET_K, SET_FLIT, SET_BUFFER, SET_SOURCE, SET_BOUNDARY, SET_SPEEDUP, SET_NONE };

struct row {
	const char *name;
	enum kind kind;
	const char *def; /* BookSim's; the value wanted is in only */
	const char *only;
	int64_t least, most;
	enum setting setting;
};

#define ONLY(name, def, only) \
	{ \
		name, FIXED, def, only, 0, 0, SET_NONE \
	}
#define BETWEEN(name, kind, def, least, most, setting) \
	{ \
		name, kind, def, NULL, least, most, setting \
	}
#define ANY(name) \
	{ \
		name, FREE, "", NULL, 0, 0, SET_NONE \
	}

static const struct row rows[] = {
	BETWEEN("k", NUMBER, "8", 1, 2 * ICNT_PORTS_MAX, SET_K),
	BETWEEN("flit_size", NUMBER, "32", 1, 65536, SET_FLIT),
	BETWEEN("vc_buf_size", NUMBER, "8", 1, BUFFER_MAX, SET_BUFFER),
	BETWEEN("input_buffer_size", NUMBER, "0", 0, BUFFER_MAX, SET_SOURCE),
	BETWEEN("ejection_buffer_size", NUMBER, "0", 0, INT32_MAX, SET_NONE),
	BETWEEN("boundary_buffer_size", NUMBER, "16", 1, BUFFER_MAX, SET_BOUNDARY),
	BETWEEN("internal_speedup", REAL, "1.0", 1, 1024, SET_SPEEDUP),
	BETWEEN("input_speedup", NUMBER, "1", 1, 1024, SET_NONE),
	ONLY("output_speedup", "1", "1"),
	ONLY("topology", "torus", "fly"),
	ONLY("n", "2", "1"),
	ONLY("routing_function", "none", "dest_tag"),
	ONLY("sim_type", "latency", "gpgpusim"),
	ONLY("subnets", "1", "2"),
	ONLY("use_map", "1", "0"),
	ONLY("num_vcs", "16", "1"),
	ONLY("routing_delay", "1", "0"),
	ONLY("vc_alloc_delay", "1", "1"),
	ONLY("sw_alloc_delay", "1", "1"),
	ONLY("st_prepare_delay", "0", "0"),
	ONLY("st_final_delay", "1", "1"),
	ONLY("credit_delay", "0", "0"),
	ONLY("vc_allocator", "islip", "islip"),
	ONLY("sw_allocator", "islip", "islip"),
	ONLY("wait_for_tail_credit", "0", "0"),
	ONLY("output_buffer_size", "-1", "-1"),
	ONLY("buf_size", "-1", "-1"),
	ONLY("buffer_policy", "private", "private"),
	ONLY("hold_switch_for_packet", "0", "0"),
	ONLY("speculative", "0", "0"),
	ONLY("vc_busy_when_full", "0", "0"),
	ONLY("vc_prioritize_empty", "0", "0"),
	ONLY("vc_shuffle_requests", "0", "0"),
	ONLY("noq", "0", "0"),
	ONLY("priority", "none", "none"),
	ONLY("classes", "1", "1"),
	ONLY("measure_stats", "1", "1"),
	ONLY("router", "iq", "iq"),
	ONLY("print_csv_results", "0", "0"),
	ONLY("read_request_begin_vc", "0", "0"),
	ONLY("read_request_end_vc", "5", "0"),
	ONLY("write_request_begin_vc", "2", "0"),
	ONLY("write_request_end_vc", "7", "0"),
	ONLY("read_reply_begin_vc", "8", "0"),
	ONLY("read_reply_end_vc", "13", "0"),
	ONLY("write_reply_begin_vc", "10", "0"),
	ONLY("write_reply_end_vc", "15", "0"),
	ANY("alloc_iters"),
	ANY("network_count"),
	ANY("traffic"),
	ANY("packet_size"),
	ANY("packet_size_rate"),
	ANY("injection_rate"),
	ANY("read_request_subnet"),
	ANY("read_reply_subnet"),
	ANY("write_request_subnet"),
	ANY("write_reply_subnet"),
	ANY("MATLAB_OUTPUT"),
	ANY("DISPLAY_LAT_DIST"),
	ANY("DISPLAY_HOP_DIST"),
	ANY("DISPLAY_PAIR_LATENCY"),
	ANY("acc_stopping_thres"),
	ANY("acc_warmup_thres"),
	ANY("arb_type"),
	ANY("batch_count"),
	ANY("batch_size"),
	ANY("burst_alpha"),
	ANY("burst_beta"),
	ANY("burst_r1"),
	ANY("c"),
	ANY("channel_file"),
	ANY("channel_sweep"),
	ANY("channel_width"),
	ANY("class_priority"),
	ANY("deadlock_warn_timeout"),
	ANY("enable_link_stats"),
	ANY("fail_seed"),
	ANY("feedback_aging_scale"),
	ANY("feedback_offset"),
	ANY("fixed_lat_per_hop"),
	ANY("in_ports"),
	ANY("include_queuing"),
	ANY("injection_process"),
	ANY("injection_rate_uses_flits"),
	ANY("latency_thres"),
	ANY("link_failures"),
	ANY("max_held_slots"),
	ANY("max_outstanding_requests"),
	ANY("max_samples"),
	ANY("memory_node_map"),
	ANY("network_file"),
	ANY("out_ports"),
	ANY("output_delay"),
	ANY("output_extra_latency"),
	ANY("pair_stats"),
	ANY("perfect_icnt"),
	ANY("perm_seed"),
	ANY("power_output_file"),
	ANY("print_activity"),
	ANY("private_buf_end_vc"),
	ANY("private_buf_size"),
	ANY("private_buf_start_vc"),
	ANY("private_bufs"),
	ANY("read_reply_size"),
	ANY("read_request_size"),
	ANY("sample_period"),
	ANY("seed"),
	ANY("sent_packets_out"),
	ANY("sim_count"),
	ANY("sim_power"),
	ANY("spec_check_cred"),
	ANY("spec_check_elig"),
	ANY("spec_mask_by_reqs"),
	ANY("spec_sw_allocator"),
	ANY("stats_out"),
	ANY("stopping_thres"),
	ANY("tech_file"),
	ANY("use_noc_latency"),
	ANY("use_read_write"),
	ANY("vc_priority_donation"),
	ANY("vct"),
	ANY("viewer_trace"),
	ANY("warmup_periods"),
	ANY("warmup_thres"),
	ANY("watch_file"),
	ANY("watch_flits"),
	ANY("watch_out"),
	ANY("watch_packets"),
	ANY("watch_transactions"),
	ANY("write_fraction"),
	ANY("write_reply_size"),
	ANY("write_request_size"),
	ANY("x"),
	ANY("xr"),
	ANY("y"),
	ANY("yr"),
};

#define N_ROWS (sizeof rows / sizeof rows[0])

/* A word, number or list in braces; "=" and ";" stand for themselves. Empty text: the end of the file. */
struct token {
	struct place at;
	const char *text;
	size_t n;
	char quoted[WORD_MAX]; /* as messages show it */
};

struct reader {
	struct input *in;
	const char *line;
	size_t at, n;
	const char *file;
	double value[SET_NONE];
	bool given[N_ROWS];
	struct place k_at;
};

/* ---- tokens ------------------------------------------------------------------------------------------ */

static bool in_word(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c && strchr("_-/.+(){},", c));
}

/* To the first byte of the next token; false at the end of the line. */
static bool skip_blanks(struct reader *r)
{
	while (r->at < r->n && (r->line[r->at] == ' ' || r->line[r->at] == '\t' || r->line[r->at] == '\r'))
		r->at++;
	if (r->at + 1 < r->n && r->line[r->at] == '/' && r->line[r->at + 1] == '/')
		return false;
	return r->at < r->n;
}

static int next_token(struct reader *r, struct token *t, struct fault *f)
{
	size_t start;

	while (!skip_blanks(r)) {
		int got = input_line(r->in, &r->line, &r->n, f);

		r->at = 0;
		if (got < 0)
			return -1;
		if (!got) {
			r->n = 0;
			*t = (struct token){
				.at = {r->file, input_lineno(r->in), 0}, .quoted = "the end of the file"};
			return 0;
		}
	}
	start = r->at++;
	if (in_word(r->line[start]))
		while (r->at < r->n && in_word(r->line[r->at]))
			r->at++;
	*t = (struct token){.at = {r->file, input_lineno(r->in), (uint32_t)start + 1},
		.text = r->line + start,
		.n = r->at - start};
	diag_quote(t->quoted, sizeof t->quoted, t->text, t->n);
	return 0;
}

static bool is(const struct token *t, char c) { return t->n == 1 && *t->text == c; }

static bool is_value(const struct token *t) { return t->n && in_word(*t->text); }

static int expect(struct reader *r, char c, const char *after, struct fault *f)
{
	struct token t;

	if (next_token(r, &t, f) < 0)
		return -1;
	if (is(&t, c))
		return 0;
	return fault_set(f, t.at, "icnt-syntax", "found %s after %s, wanted \"%c\"", t.quoted, after, c);
}

/* ---- entries ----------------------------------------------------------------------------------------- */

/* The whole of text as a number. */
static bool number(const char *text, bool real, double *out)
{
	char *end;

	errno = 0;
	*out = real ? strtod(text, &end) : (double)strtoll(text, &end, 10);
	return *text && !*end && !errno &&
	       strspn(text, real ? "+-.0123456789eE" : "-0123456789") == strlen(text);
}

static bool same_value(const char *text, const char *only)
{
	double a, b;

	return !strcmp(text, only) || (number(only, false, &b) && number(text, false, &a) && a == b);
}

static int store(
	struct reader *r, const struct row *row, const struct token *t, const char *text, struct fault *f)
{
	double v;

	if (row->kind == FREE)
		return 0;
	if (row->kind == FIXED) {
		if (same_value(text, row->only))
			return 0;
		return fault_set(f, t->at, "icnt-value",
			"found %s = %s, wanted %s: no other network is modelled", row->name, t->quoted,
			row->only);
	}
	if (!number(text, row->kind == REAL, &v) || !(v >= (double)row->least && v <= (double)row->most))
		return fault_set(f, t->at, "icnt-value", "found %s = %s, wanted a %s from %lld to %lld",
			row->name, t->quoted, row->kind == REAL ? "number" : "whole number",
			(long long)row->least, (long long)row->most);
	if (row->setting != SET_NONE)
		r->value[row->setting] = v;
	if (row->setting == SET_K)
		r->k_at = t->at;
	return 0;
}

static const struct row *find(const char *name)
{
	for (size_t i = 0; i < N_ROWS; i++)
		if (!strcmp(rows[i].name, name))
			return &rows[i];
	return NULL;
}

static int unknown(const struct token *t, const char *name, struct fault *f)
{
	const char *near = cli_nearest(name, rows, N_ROWS, sizeof rows[0]);

	if (near)
		return fault_set(f, t->at, "icnt-name",
			"found %s, a name that BookSim does not know; is %s meant?", t->quoted, near);
	return fault_set(f, t->at, "icnt-name",
		"found %s, a name that BookSim does not know; those that decide are k, flit_size, "
		"vc_buf_size, input_buffer_size, boundary_buffer_size and internal_speedup",
		t->quoted);
}

/* The name of the entry is t. */
static int entry(struct reader *r, const struct token *t, struct fault *f)
{
	const struct row *row;
	struct token value;
	char *text;
	int status;

	if (!is_value(t))
		return fault_set(f, t->at, "icnt-syntax",
			"found %s, wanted the name of an entry \"name = value;\"", t->quoted);
	text = xstrndup(t->text, t->n);
	row = find(text);
	status = row ? 0 : unknown(t, text, f);
	free(text);
	if (!row || status || expect(r, '=', t->quoted, f) < 0 || next_token(r, &value, f) < 0)
		return -1;
	if (!is_value(&value))
		return fault_set(f, value.at, "icnt-syntax", "found %s, wanted a value of %s", value.quoted,
			row->name);
	text = xstrndup(value.text, value.n);
	status = store(r, row, &value, text, f);
	free(text);
	r->given[row - rows] = true;
	return status ? status : expect(r, ';', value.quoted, f);
}

/* ---- the file ---------------------------------------------------------------------------------------- */

/* Entries that are not there have BookSim's defaults, many of which make another network. */
static int lacking(struct reader *r, struct fault *f)
{
	for (size_t i = 0; i < N_ROWS; i++) {
		const struct row *row = &rows[i];

		if (r->given[i] || row->kind == FREE)
			continue;
		if (row->kind == FIXED && strcmp(row->def, row->only) != 0)
			return fault_set(f, (struct place){.file = r->file}, "icnt-lacks",
				"found no entry %s, which then is %s, wanted %s = %s;", row->name, row->def,
				row->name, row->only);
		if (row->setting != SET_NONE)
			number(row->def, row->kind == REAL, &r->value[row->setting]);
	}
	return 0;
}

int icnt_parse(struct icnt *c, struct input *in, struct fault *f)
{
	struct reader r = {.in = in, .file = diag_keep(input_name(in))};
	struct token t;

	r.k_at = (struct place){.file = r.file};
	for (;;) {
		if (next_token(&r, &t, f) < 0)
			return -1;
		if (!t.n)
			break;
		if (entry(&r, &t, f) < 0)
			return -1;
	}
	if (lacking(&r, f) < 0)
		return -1;
	*c = (struct icnt){
		.k = (uint32_t)r.value[SET_K],
		.flit_bytes = (uint32_t)r.value[SET_FLIT],
		.buffer = (uint32_t)r.value[SET_BUFFER],
		/* quirk Q4-16: 0 stands for 9, whatever the other buffers hold. */
		.source_max = r.value[SET_SOURCE] > 0 ? (uint32_t)r.value[SET_SOURCE] : 9,
		.boundary_max = (uint32_t)r.value[SET_BOUNDARY],
		.speedup = r.value[SET_SPEEDUP],
		.k_at = r.k_at,
	};
	return 0;
}

int icnt_read(struct icnt *c, const struct params *p, struct fault *f)
{
	uint32_t subs = p->mem.channels * p->mem.subs;
	struct fault open;
	struct input *in = input_open(p->net.file, &open);
	int status;

	if (!in)
		return fault_set(f, p->net.file_at.file ? p->net.file_at : open.at, "icnt-file",
			"the network description of -network_mode 1: %s: %s", p->net.file, open.text);
	status = icnt_parse(c, in, f);
	input_close(in);
	if (status == 0 && c->k < p->clusters + subs)
		return fault_set(f, c->k_at, "icnt-nodes",
			"found a network of k = %u nodes, wanted at least %u: %u clusters and %u memory sub partitions",
			c->k, p->clusters + subs, p->clusters, subs);
	return status;
}
