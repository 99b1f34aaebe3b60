/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Checksums of blocks, and folding of the kernel list: a line is folded to a single byte if it equals the previous
 * line with its first number increased by one.
 *
 * Always true: unfolding restores the bytes of any folded list. For any input, unfolding stops at the bound of
 * limits.def.
 */
#include <stdio.h>
#include <xxhash.h>
#include "diag.h"
#include "stream.h"

#define NEXT_LINE 1u /* byte of a folded line; no line of a list begins with it (stream_fold_list) */
#define AS_IT_IS  2u

/* Version of XXH3_64bits_update() that uses the vectors of the processor. Not every libxxhash has it. */
__attribute__((weak)) XXH_errorcode XXH3_64bits_update_dispatch(XXH3_state_t *h, const void *p, size_t n);

uint64_t stream_sum(const void *head, size_t n_head, const void *body, size_t n_body)
{
	XXH3_state_t *s = XXH3_createState();

	if (!s)
		die("out of memory");
	XXH3_64bits_reset(s);
	XXH3_64bits_update(s, head, n_head);
	(XXH3_64bits_update_dispatch ? XXH3_64bits_update_dispatch : XXH3_64bits_update)(s, body, n_body);
	uint64_t h = XXH3_64bits_digest(s);
	XXH3_freeState(s);
	return h;
}

/* Sets out to the line with its first number increased by one. Returns false if it has no number. */
static bool next_list_line(struct buf *out, const char *line, size_t n)
{
	size_t a = 0, b;

	while (a < n && (line[a] < '0' || line[a] > '9'))
		a++;
	for (b = a; b < n && b - a < 9 && line[b] >= '0' && line[b] <= '9'; b++)
		;
	if (a == b)
		return false;
	unsigned long v = 0;
	for (size_t i = a; i < b; i++)
		v = v * 10 + (unsigned long)(line[i] - '0');
	char t[32];
	out->n = 0;
	buf_add(out, line, a);
	buf_add(out, t, (size_t)snprintf(t, sizeof(t), "%lu", v + 1));
	buf_add(out, line + b, n - b);
	return true;
}

void stream_fold_list(struct buf *out, const char *text, size_t n)
{
	struct buf want = {0};
	const char *end = text + n;

	for (const char *s = text; s < end;) {
		const char *nl = memchr(s, '\n', (size_t)(end - s));
		size_t len = (size_t)((nl ? nl + 1 : end) - s);

		if (want.p && want.n == len && !memcmp(want.p, s, len)) {
			buf_byte(out, NEXT_LINE);
		} else {
			if ((uint8_t)*s == NEXT_LINE || (uint8_t)*s == AS_IT_IS)
				buf_byte(out, AS_IT_IS);
			buf_add(out, s, len);
		}
		if (!next_list_line(&want, s, len))
			want.n = 0;
		s += len;
	}
	buf_free(&want);
}

bool stream_unfold_list(struct buf *out, struct cur in)
{
	struct buf want = {0};

	while (in.p < in.end && out->n <= pack_limits.list) {
		size_t from = out->n;

		if (*in.p == NEXT_LINE) {
			in.p++;
			buf_add(out, want.p, want.n);
		} else {
			in.p += *in.p == AS_IT_IS;
			const uint8_t *nl = memchr(in.p, '\n', cur_left(&in));
			size_t n = nl ? (size_t)(nl + 1 - in.p) : cur_left(&in);
			buf_add(out, in.p, n);
			in.p += n;
		}
		if (!next_list_line(&want, (const char *)out->p + from, out->n - from))
			want.n = 0;
	}
	buf_free(&want);
	return in.p == in.end && out->n <= pack_limits.list;
}

bool stream_is_blank(const uint8_t *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (s[i] != '\n' && s[i] != ' ' && s[i] != '\r' && s[i] != '\t')
			return false;
	return true;
}
