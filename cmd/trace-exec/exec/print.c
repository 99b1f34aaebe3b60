/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * printf of kernels, and strings in their memory.
 *
 * Always true: each conversion is parsed and checked, then printed with the host's printf; text that is not a
 * conversion in CUDA, and conversions after 32 arguments, are printed as written; output is in the order of
 * execution of lanes, warps and thread blocks.
 */
#include <stdio.h>
#include <string.h>
#include "bytes.h"
#include "exec/check.h"
#include "exec/print.h"
#include "exec/undefined.h"
#include "lang/ieee.h"

#define ARGUMENTS_MOST 32u
#define WIDTH_MOST     65535u /* largest width and precision; larger ones are reduced to it */

static enum state_space space_of_address(uint64_t a)
{
	return a >= LOCAL_BASE && a < SHARED_BASE  ? SP_LOCAL
	       : a >= SHARED_BASE && a < HEAP_BASE ? SP_SHARED
						   : SP_GLOBAL;
}

uint8_t *print_find_bytes(const struct warp *w, unsigned lane, uint64_t a, uint64_t n)
{
	if (w->grid->machine && a >> 32 == LOCAL_WINDOW_BASE >> 32) /* a string that machine code passes */
		a = LOCAL_BASE + (uint32_t)a;
	else if (w->grid->machine && a >> 32 == SHARED_WINDOW_BASE >> 32)
		a = SHARED_BASE + (uint32_t)a;
	const enum state_space space = space_of_address(a);

	if (space == SP_GLOBAL)
		return memory_host_address(w->mem, a, n);
	const uint64_t size = space == SP_LOCAL ? w->local_stride : w->cta->shared_bytes;
	uint8_t *from = space == SP_LOCAL ? w->local + (size_t)w->local_stride * lane : w->cta->shared;

	a -= space == SP_LOCAL ? LOCAL_BASE : SHARED_BASE;
	return a <= size && size - a >= n ? from + a : NULL;
}

void print_string(const struct warp *w, unsigned lane, uint64_t addr, char *out, size_t cap)
{
	size_t n = 0;
	const uint8_t *c;

	while (n + 1 < cap && (c = print_find_bytes(w, lane, addr + n, 1)) && *c)
		out[n++] = (char)*c;
	out[n] = '\0';
}

/* State of one lane's printf. */
struct printing {
	struct warp *warp;
	const struct op *op;
	unsigned lane;
	uint64_t args; /* address of the arguments */
	uint64_t next; /* offset of the next argument */
	unsigned used;
	struct bytes out;
};

static bool fail_printf_outside(struct printing *p, uint64_t addr, uint64_t n)
{
	const enum state_space space = space_of_address(addr);

	addr -= space == SP_LOCAL ? LOCAL_BASE : space == SP_SHARED ? SHARED_BASE : 0;
	checker_report_outside(p->warp, p->op, p->lane, space, addr, n);
	return false;
}

/* Appends the string at addr. Returns false if the launch has failed. */
static bool add_string_text(struct printing *p, struct bytes *to, uint64_t addr)
{
	const uint8_t *c;

	bytes_add(to, "", 0);
	for (; (c = print_find_bytes(p->warp, p->lane, addr, 1)) && *c; addr++)
		bytes_add(to, c, 1);
	return c || fail_printf_outside(p, addr, 1);
}

/* Reads the next argument, of 4 or 8 bytes. Returns false if the launch has failed. */
static bool take_printf_argument(struct printing *p, unsigned size, uint64_t *v)
{
	p->next = (p->next + size - 1) / size * size;
	const uint8_t *a = print_find_bytes(p->warp, p->lane, p->args + p->next, size);

	*v = 0;
	if (!a)
		return fail_printf_outside(p, p->args + p->next, size);
	memcpy(v, a, size);
	undefined_note_print(p->warp, p->op, p->lane, a, size);
	p->next += size;
	p->used++;
	return true;
}

/* The parts of a conversion such as "%-8.*hhd". */
struct conversion {
	char flags[8], letter;
	bool width_taken, has_precision, precision_taken,
		wide; /* *_taken: the size is an argument of the call */
	unsigned width, precision;
	unsigned n_shorts; /* number of letters h */
};

static const char *read_conversion_size(const char *s, bool *taken, unsigned *v)
{
	*taken = *s == '*';
	s += *taken;
	for (*v = 0; !*taken && *s >= '0' && *s <= '9'; s++)
		*v = *v * 10 + (unsigned)(*s - '0') < WIDTH_MOST ? *v * 10 + (unsigned)(*s - '0')
								 : WIDTH_MOST;
	return s;
}

static void add_conversion_flag(struct conversion *c, char flag)
{
	size_t n = strlen(c->flags);

	if (!strchr(c->flags, flag))
		c->flags[n] = flag;
}

/* Parses a conversion after '%'. Returns its end, after the letter, or NULL if it is not a conversion. */
static const char *read_conversion(const char *s, struct conversion *c)
{
	memset(c, 0, sizeof(*c));
	for (; *s && strchr("-+ #0", *s); s++)
		add_conversion_flag(c, *s);
	s = read_conversion_size(s, &c->width_taken, &c->width);
	c->has_precision = *s == '.';
	if (c->has_precision)
		s = read_conversion_size(s + 1, &c->precision_taken, &c->precision);
	for (; *s && strchr("hlLjzt", *s); s++) {
		c->n_shorts += *s == 'h';
		c->wide |= *s != 'h' && *s != 'L';
	}
	c->letter = *s;
	return *s && strchr("%cdiouxXpeEfFgGaAs", *s) ? s + 1 : NULL;
}

/*
 * Reads the width and the precision from the arguments, if they are '*'. Returns false if the launch has
 * failed.
 */
static bool take_conversion_sizes(struct printing *p, struct conversion *c)
{
	uint64_t v;

	if (c->width_taken) {
		if (!take_printf_argument(p, 4, &v))
			return false;
		if ((int32_t)v < 0)
			add_conversion_flag(c, '-');
		v = (int32_t)v < 0 ? 0 - (uint64_t)(int32_t)v : v;
		c->width = v < WIDTH_MOST ? (unsigned)v : WIDTH_MOST;
	}
	if (c->precision_taken) {
		if (!take_printf_argument(p, 4, &v))
			return false;
		c->has_precision = (int32_t)v >= 0; /* a negative precision means none */
		c->precision = v < WIDTH_MOST ? (unsigned)v : WIDTH_MOST;
	}
	return true;
}

/* Truncates an integer to the conversion's size. */
static uint64_t truncate_integer(const struct conversion *c, uint64_t v)
{
	const unsigned cut = c->wide ? 0 : c->n_shorts > 1 ? 56 : c->n_shorts ? 48 : 32;

	return c->letter == 'd' || c->letter == 'i' ? (uint64_t)((int64_t)(v << cut) >> cut)
						    : v << cut >> cut;
}

/* Appends v, or the text, in the format of c. */
static void add_formatted(struct printing *p, const struct conversion *c, uint64_t v, const char *text)
{
	const bool number = strchr("diouxX", c->letter);
	char width[12] = "", precision[12] = "", spec[48];

	if (c->width)
		snprintf(width, sizeof(width), "%u", c->width);
	if (c->has_precision)
		snprintf(precision, sizeof(precision), ".%u", c->precision);
	snprintf(spec, sizeof(spec), "%%%s%s%s%s%c", c->flags, width, precision, number ? "ll" : "",
		c->letter);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (number)
		bytes_printf(&p->out, spec, (long long)truncate_integer(c, v));
	else if (c->letter == 's')
		bytes_printf(&p->out, spec, text);
	else if (c->letter == 'c')
		bytes_printf(&p->out, spec, (int)v);
	else if (c->letter == 'p')
		bytes_printf(&p->out, spec, (void *)(uintptr_t)v);
	else
		bytes_printf(&p->out, spec, ieee_f64(v));
#pragma GCC diagnostic pop
}

/* Prints one conversion with its arguments. Returns false if the launch has failed. */
static bool print_conversion(struct printing *p, struct conversion *c)
{
	const bool number = strchr("diouxX", c->letter);
	struct bytes text = {0};
	uint64_t v;
	bool good;

	if (!take_conversion_sizes(p, c))
		return false;
	if (c->letter == '%') {
		bytes_add(&p->out, "%", 1);
		return true;
	}
	good = take_printf_argument(p, c->letter == 'c' || (number && !c->wide) ? 4 : 8, &v);
	if (good && c->letter == 's') {
		if (v)
			good = add_string_text(p, &text, v);
		else
			bytes_puts(&text, "(null)");
	}
	if (good)
		add_formatted(p, c, v, text.p);
	bytes_free(&text);
	return good;
}

static bool print_format(struct printing *p, const char *s)
{
	while (*s) {
		const size_t plain = strcspn(s, "%");
		struct conversion c;

		bytes_add(&p->out, s, plain);
		s += plain;
		if (!*s)
			break;
		const char *end = read_conversion(s + 1, &c);
		const unsigned wants = end ? 0u + c.width_taken + c.precision_taken + (c.letter != '%') : 0;

		if (!end || p->used + wants > ARGUMENTS_MOST) {
			bytes_add(&p->out, s, end ? (size_t)(end - s) : 1);
			p->used = end ? ARGUMENTS_MOST : p->used;
			s = end ? end : s + 1;
			continue;
		}
		if (!print_conversion(p, &c))
			return false;
		s = end;
	}
	return true;
}

int print_lane(struct warp *w, const struct op *o, unsigned lane, uint64_t format, uint64_t args)
{
	struct printing p = {.warp = w, .op = o, .lane = lane, .args = args};
	struct bytes text = {0};
	bool good;

	w->cta->has_outside_effect = true;
	if (!format)
		return -1;
	good = add_string_text(&p, &text, format) && print_format(&p, text.p);
	if (good && p.out.n) {
		pthread_mutex_lock(&w->cta->grid->lock);
		fwrite(p.out.p, 1, p.out.n, w->grid->print);
		pthread_mutex_unlock(&w->cta->grid->lock);
	}
	bytes_free(&text);
	bytes_free(&p.out);
	return good ? (int)p.used : -1;
}
