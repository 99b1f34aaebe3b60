/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf of kernels, and texts in their memory.
 *
 * Always true: a conversion is printed with the host's printf one at a time, its flags and widths checked
 * first; at most 32 arguments; output is in the order in which lanes execute, warps and thread blocks in
 * their order of execution on one thread.
 */
#include <stdio.h>
#include <string.h>
#include "exec/print.h"
#include "lang/ieee.h"

static const uint8_t *byte_at(const struct warp *w, unsigned lane, uint64_t a, uint64_t n)
{
	if (a >= LOCAL_BASE && a < SHARED_BASE) {
		a -= LOCAL_BASE;
		return a <= w->local_stride && w->local_stride - a >= n
			       ? w->local + (size_t)w->local_stride * lane + a
			       : NULL;
	}
	if (a >= SHARED_BASE && a < HEAP_BASE) {
		a -= SHARED_BASE;
		return a <= w->cta->shared_bytes && w->cta->shared_bytes - a >= n ? w->cta->shared + a : NULL;
	}
	return memory_at(w->mem, a, n);
}

static void text_at(const struct warp *w, unsigned lane, uint64_t addr, char *out, size_t cap)
{
	size_t n = 0;
	const uint8_t *c;

	while (n + 1 < cap && (c = byte_at(w, lane, addr + n, 1)) && *c)
		out[n++] = (char)*c;
	out[n] = '\0';
}

void print_text(const struct warp *w, uint64_t addr, char *out, size_t cap) { text_at(w, 0, addr, out, cap); }

struct printing {
	char *out;
	size_t n, cap;
};

static void put(struct printing *p, const char *s, size_t n)
{
	if (n > p->cap - p->n)
		n = p->cap - p->n;
	memcpy(p->out + p->n, s, n);
	p->n += n;
}

/* One conversion: spec is "%-8" and so on without length; conv its letter. */
static bool convert(struct printing *p, const struct warp *w, unsigned lane, char *spec, size_t len,
	char conv, bool wide, uint64_t v)
{
	char text[1200], str[1000];
	int n;

	if (conv == 's') {
		text_at(w, lane, v, str, sizeof(str));
		memcpy(spec + len, "s", 2);
	} else if (strchr("diouxXc", conv)) {
		memcpy(spec + len, conv == 'c' ? "c" : (const char[]){'l', 'l', conv, 0},
			conv == 'c' ? 2 : 4);
		if (!wide)
			v = conv == 'd' || conv == 'i' ? (uint64_t)(int64_t)(int32_t)v : (uint32_t)v;
	} else {
		memcpy(spec + len, (const char[]){conv, 0}, 2);
	}
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	n = conv == 's'                ? snprintf(text, sizeof(text), spec, str)
	    : strchr("feEgGaAF", conv) ? snprintf(text, sizeof(text), spec, ieee_f64(v))
	    : conv == 'p'              ? snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v)
	    : conv == 'c'              ? snprintf(text, sizeof(text), spec, (int)v)
				       : snprintf(text, sizeof(text), spec, (long long)v);
#pragma GCC diagnostic pop
	if (n < 0)
		return false;
	put(p, text, (size_t)n < sizeof(text) ? (size_t)n : sizeof(text) - 1);
	return true;
}

int print_lane(struct warp *w, const struct op *o, unsigned lane, uint64_t format, uint64_t args)
{
	char fmt[4096], out[8192];
	struct printing p = {out, 0, sizeof(out)};
	unsigned used = 0;
	uint64_t at = 0;

	(void)o;
	text_at(w, lane, format, fmt, sizeof(fmt));
	for (const char *s = fmt; *s; s++) {
		char spec[40] = "%";
		size_t len = 1;
		bool wide = false;

		if (*s != '%' || s[1] == '%') {
			put(&p, s, 1);
			s += *s == '%';
			continue;
		}
		for (s++; *s && strchr("-+ #0123456789.*", *s) && len < 20; s++) {
			if (*s == '*') {
				const uint8_t *a = byte_at(w, lane, args + at, 4);
				int32_t v = 0;

				if (a)
					memcpy(&v, a, 4);
				at += 4;
				len += (size_t)snprintf(
					spec + len, sizeof(spec) - len, "%d", v < 0 || v > 999 ? 0 : v);
			} else {
				spec[len++] = *s;
			}
		}
		for (; *s == 'l' || *s == 'h' || *s == 'z' || *s == 'j' || *s == 't'; s++)
			wide |= *s == 'l' || *s == 'z' || *s == 'j' || *s == 't';
		if (!*s || !strchr("diouxXcsfeEgGaAFp", *s))
			break;
		wide |= strchr("sfeEgGaAFp", *s) != NULL;
		uint64_t size = wide ? 8 : 4, v = 0;
		at = (at + size - 1) / size * size;
		const uint8_t *a = byte_at(w, lane, args + at, size);
		if (!a || used == 32)
			return -1;
		memcpy(&v, a, size);
		at += size;
		used++;
		/* Widths beyond 999 are cut: the host would print them all. */
		for (size_t i = 1, digits = 0; i < len; i++) {
			digits = spec[i] >= '0' && spec[i] <= '9' ? digits + 1 : 0;
			if (digits > 3)
				spec[i] = '0', len = i;
		}
		if (!convert(&p, w, lane, spec, len, *s, wide, v))
			return -1;
	}
	pthread_mutex_lock(&w->cta->g->lock);
	fwrite(out, 1, p.n, w->g->print);
	pthread_mutex_unlock(&w->cta->g->lock);
	return (int)used;
}
