/* SPDX-License-Identifier: BSD-2-Clause */
/* Lines of a thread block with a name and numbers: "warp = 3", "cluster id = 0,0,0". */
#include <stdio.h>
#include "reader.h"

int trace_parse_values(struct trace *t, const char *line, size_t len, const char *name, unsigned n,
	uint64_t *v, struct fault *f)
{
	const char *p = line, *end = line + len;
	char q[80];
	bool ok = true;

	for (const char *w = name; ok && *w; w++) {
		ok = p < end && (*w == ' ' ? is_space(*p) : *w == *p);
		p += ok;
		while (*w == ' ' && p < end && is_space(*p))
			p++;
	}
	while (p < end && is_space(*p))
		p++;
	ok = ok && p < end && *p++ == '=';
	for (unsigned i = 0; ok && i < n; i++) {
		while (p < end && is_space(*p))
			p++;
		const char *from = p;
		while (p < end && *p >= '0' && *p <= '9')
			p++;
		ok = tok_parse_u64((struct tok){from, (size_t)(p - from)}, &v[i]);
		if (ok && i + 1 < n)
			ok = p < end && *p++ == ',';
	}
	if (ok && !tok_next(&p, end).n)
		return 0;
	return fault_set(f, text_place(t, line, line), "block-line", "unexpected '%s' (expected '%s = %s')",
		diag_quote(q, sizeof(q), line, len), name, n == 3 ? "x,y,z" : "<number>");
}

int trace_read_placement(struct trace *t, struct tblock *tb, const char *line, size_t len, struct fault *f)
{
	struct cluster_place *c = &tb->cluster;
	uint32_t unused[1];
	const struct {
		const char *first, *second, *name; /* words of the line, and its name */
		unsigned n;                        /* count of numbers */
		uint32_t *to;                      /* destination of the numbers */
	} rows[] = {{"cluster", "id", "cluster id", 3, c->id}, {"cluster", "cta", "cluster cta", 3, c->cta},
		{"cluster", "rank", "cluster rank", 1, &c->rank}, {"sm", NULL, "sm id", 1, unused},
		{NULL, NULL, "core id", 1, unused}};
	const char *p = line;
	uint64_t v[3] = {0};
	struct tok first = tok_next(&p, line + len), second = tok_next(&p, line + len);
	unsigned k = 0;

	while (rows[k].first &&
		!(tok_is(first, rows[k].first) && (!rows[k].second || tok_is(second, rows[k].second))))
		k++;
	if (trace_parse_values(t, line, len, rows[k].name, rows[k].n, v, f) < 0)
		return -1;
	c->is_known |= rows[k].to != unused;
	for (unsigned i = 0; i < rows[k].n; i++)
		rows[k].to[i] = v[i] < UINT32_MAX ? (uint32_t)v[i] : UINT32_MAX;
	return 0;
}
