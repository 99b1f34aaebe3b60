/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Differences between two strings: bytes to copy from the old string, to skip in it, and to insert.
 *
 * Always true: the old string is read once from its beginning, so a patched string is at most as long as the old
 * string and the inserted bytes together. After a difference the strings are aligned at the nearest equal bytes, else
 * at the next occurrence of the same bytes.
 */
#include "body.h"

#define NEAR     24u /* largest number of skipped and inserted bytes that is tried first */
#define SAME     4u  /* number of equal bytes that must follow a near difference */
#define FAR_SAME 8u  /* number of equal bytes that must follow any other difference */

struct differ {
	const uint8_t *old; /* old string */
	const uint8_t *new; /* new string */
	size_t n_a, n_b;    /* sizes of a and b in bytes */
	uint32_t *slot;     /* offset plus 1 of the first FAR_SAME bytes in a, by hash; or NULL */
	unsigned bits;      /* logarithm of the number of slots */
};

static uint32_t bytes_hash(const struct differ *d, const uint8_t *p)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return (uint32_t)(v * 0x9e3779b97f4a7c15u >> (64 - d->bits));
}

static void make_slots(struct differ *d)
{
	for (d->bits = 10; (size_t)1 << d->bits < 2 * d->n_a; d->bits++)
		;
	d->slot = xcalloc((size_t)1 << d->bits, sizeof(d->slot[0]));
	for (size_t i = d->n_a >= FAR_SAME ? d->n_a - FAR_SAME + 1 : 0; i-- > 0;)
		d->slot[bytes_hash(d, d->old + i)] = (uint32_t)i + 1;
}

static bool matches_at(const struct differ *d, size_t i, size_t j, size_t n)
{
	return i + n <= d->n_a && j + n <= d->n_b && !memcmp(d->old + i, d->new + j, n);
}

/*
 * Finds the smallest change at *i and *j after which the strings are equal again. Tries changes of equal length
 * first.
 */
static bool match_near(const struct differ *d, size_t *i, size_t *j)
{
	for (size_t n = 1; n <= NEAR; n++) {
		if (matches_at(d, *i + n, *j + n, SAME)) {
			*i += n;
			*j += n;
			return true;
		}
		for (size_t k = 0; k < n; k++) {
			bool less = matches_at(d, *i + n, *j + k, FAR_SAME);

			if (!less && !matches_at(d, *i + k, *j + n, FAR_SAME))
				continue;
			*i += less ? n : k;
			*j += less ? k : n;
			return true;
		}
	}
	return false;
}

/* Finds the next occurrence of the same bytes after at most `most` new bytes. */
static bool match_far(struct differ *d, size_t *i, size_t *j, size_t most)
{
	const size_t end = most < d->n_b - *j ? *j + most + 1 : d->n_b;

	if (!d->slot)
		make_slots(d);
	for (size_t to = *j; to < end && to + FAR_SAME <= d->n_b; to++) {
		uint32_t at = d->slot[bytes_hash(d, d->new + to)];

		if (at > *i && matches_at(d, at - 1, to, FAR_SAME)) {
			*i = at - 1;
			*j = to;
			return true;
		}
	}
	return false;
}

bool patch_make(struct patch *p, const struct buf *a, const struct buf *b, size_t most)
{
	struct differ d = {.old = a->p, .new = b->p, .n_a = a->n, .n_b = b->n};
	struct buf ops = {0};
	uint64_t n = 0;
	size_t i = 0, j = 0;
	bool good = true;

	*p = (struct patch){.ops = {0}};
	while (good && j < b->n) {
		size_t from = j;

		while (i < a->n && j < b->n && a->p[i] == b->p[j])
			i++, j++;
		if (j == b->n)
			break; /* the rest is copied without an entry */
		size_t copied = j - from, was = i, fresh = j;
		if (!match_near(&d, &i, &j) && !match_far(&d, &i, &j, most - ops.n - p->fresh.n)) {
			i = a->n;
			j = b->n;
		}
		buf_var(&ops, copied);
		buf_var(&ops, i - was);
		buf_var(&ops, j - fresh);
		buf_add(&p->fresh, b->p + fresh, j - fresh);
		n++;
		good = ops.n + p->fresh.n <= most;
	}
	buf_var(&p->ops, n);
	buf_var(&p->ops, a->n - i - (b->n - j)); /* number of bytes left at the end of a */
	buf_add(&p->ops, ops.p, ops.n);
	buf_free(&ops);
	free(d.slot);
	return good;
}

bool patch_read(struct cur *ops, struct cur *fresh, struct patch *p)
{
	const uint8_t *from = ops->p, *bytes = fresh->p;
	uint64_t n = cur_var(ops);

	cur_var(ops);
	if (n > cur_left(ops))
		return false;
	for (uint64_t k = 0; k < n && !ops->bad && !fresh->bad; k++) {
		cur_var(ops);
		cur_var(ops);
		cur_bytes(fresh, cur_var(ops));
	}
	if (ops->bad || fresh->bad)
		return false;
	if (p) {
		buf_add(&p->ops, from, (size_t)(ops->p - from));
		buf_add(&p->fresh, bytes, (size_t)(fresh->p - bytes));
	}
	return true;
}

bool patch_apply(struct buf *out, const struct patch *p, const uint8_t *a, size_t n)
{
	struct cur ops = cur_of(p->ops.p, p->ops.n), fresh = cur_of(p->fresh.p, p->fresh.n),
		   old = cur_of(a, n);
	uint64_t n_ops = cur_var(&ops), left = cur_var(&ops);

	for (uint64_t k = 0; k < n_ops && !ops.bad; k++) {
		uint64_t copy = cur_var(&ops), skip = cur_var(&ops), insert = cur_var(&ops);
		const uint8_t *s = cur_bytes(&old, copy);

		if (!s || !cur_bytes(&old, skip))
			return false;
		buf_add(out, s, copy);
		s = cur_bytes(&fresh, insert);
		if (!s)
			return false;
		buf_add(out, s, insert);
	}
	if (ops.bad || left > cur_left(&old))
		return false;
	buf_add(out, old.p, cur_left(&old) - left);
	return true;
}

void patch_free(struct patch *p)
{
	buf_free(&p->ops);
	buf_free(&p->fresh);
}
