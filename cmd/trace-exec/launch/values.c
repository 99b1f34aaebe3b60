/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Values of buffers: zeros, files, counts, lists, random numbers of a fixed generator.
 *
 * Always true: the same words give the same bytes on every host. Each random element is the result of one step
 * s = s * 6364136223846793005 + 1442695040888963407.
 */
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "lang/small.h"
#include "launch/launch.h"

enum value_type { V_U8, V_I16, V_I32, V_I64, V_F16, V_F32, V_F64, N_VALUES };
static const struct {
	const char *name;
	uint8_t bytes;
	bool real;
} value[N_VALUES] = {
	{"u8", 1, false},
	{"i16", 2, false},
	{"i32", 4, false},
	{"i64", 8, false},
	{"f16", 2, true},
	{"f32", 4, true},
	{"f64", 8, true},
};
static const struct {
	const char *alias;
	uint8_t type;
} aliases[] = {
	{"i8", V_U8},
	{"u16", V_I16},
	{"u32", V_I32},
	{"u64", V_I64},
};

static int set_values_fault(struct place at, struct fault *f, const char *found, const char *expected)
{
	char quoted[100];

	diag_quote(quoted, sizeof(quoted), found, strlen(found));
	return fault_set(f, at, "values", "invalid values '%s' (expected %s)", quoted, expected);
}

static int find_value_type(const char *s, size_t n)
{
	for (int i = 0; i < N_VALUES; i++)
		if (strlen(value[i].name) == n && !memcmp(value[i].name, s, n))
			return i;
	for (unsigned i = 0; i < sizeof(aliases) / sizeof(aliases[0]); i++)
		if (strlen(aliases[i].alias) == n && !memcmp(aliases[i].alias, s, n))
			return aliases[i].type;
	return -1;
}

static int parse_random(struct init *i, const char *s, struct place at, struct fault *f)
{
	char *end;

	i->low = 0;
	i->high = 1;
	i->seed = strtoull(s, &end, 0);
	if (end == s)
		return set_values_fault(at, f, s, "a seed");
	if (*end == ':' && !value[i->type].real) {
		const char *m = end + 1;

		i->mod = strtoull(m, &end, 0);
		if (end == m || !i->mod)
			return set_values_fault(at, f, s, "SEED:MOD with MOD above 0");
	} else if (*end == ':') {
		const char *m = end + 1;

		i->low = strtod(m, &end);
		if (end == m || *end != ':')
			return set_values_fault(at, f, s, "SEED:LOW:HIGH");
		m = end + 1;
		i->high = strtod(m, &end);
		if (end == m)
			return set_values_fault(at, f, s, "SEED:LOW:HIGH");
	}
	return *end ? set_values_fault(at, f, s, "nothing after the numbers") : 0;
}

/* Parses one element; *end: its end. Returns false if it does not fit. */
static bool parse_element(const char *s, char **end, unsigned type, uint8_t *out)
{
	errno = 0;
	if (value[type].real) {
		double d = strtod(s, end);
		float x = (float)d;
		uint16_t h = (uint16_t)small_of_double(d, SMALL_F16, ROUND_RN, false);

		memcpy(out,
			type == V_F64   ? (void *)&d
			: type == V_F32 ? (void *)&x
					: (void *)&h,
			value[type].bytes);
	} else {
		uint64_t v = *s == '-' ? (uint64_t)strtoll(s, end, 0) : strtoull(s, end, 0);
		unsigned bits = 8u * value[type].bytes;

		if (bits < 64 && v >> bits && (int64_t)v < -(1ll << (bits - 1)))
			return false;
		if (bits < 64 && v >> bits && (int64_t)v > 0)
			return false;
		memcpy(out, &v, value[type].bytes);
	}
	return *end != s && !(errno == ERANGE && !value[type].real);
}

static const char *values_path(const char *directory, const char *name, struct arena *a)
{
	size_t n = strlen(directory) + strlen(name) + 1;
	char *path = arena_alloc(a, n, 1);

	snprintf(path, n, "%s%s", *name == '/' ? "" : directory, name);
	return path;
}

static int parse_value_list(struct init *i, const char *text, struct place at, struct fault *f)
{
	uint8_t bytes[8];
	char *end;

	i->text = text;
	for (const char *s = text;; s = end + 1) {
		if (!parse_element(s, &end, i->type, bytes) || (*end && *end != ','))
			return set_values_fault(at, f, s, "list:NUMBER,NUMBER... of the type");
		if (!*end)
			return 0;
	}
}

int init_parse_values(struct init *i, const char *text, const char *directory, struct arena *a,
	struct place at, struct fault *f)
{
	const char *eq = strchr(text, '='), *kind = eq ? eq + 1 : "";
	uint8_t bytes[8];
	char *end;

	memset(i, 0, sizeof(*i));
	if (!strcmp(text, "zero"))
		return 0;
	if (!strcmp(text, "unset")) {
		i->kind = INIT_UNSET;
		return 0;
	}
	if (!strncmp(text, "file=", 5) && text[5]) {
		i->kind = INIT_FILE;
		i->text = values_path(directory, kind, a);
		return 0;
	}
	int type = eq ? find_value_type(text, (size_t)(eq - text)) : -1;
	if (type < 0)
		return set_values_fault(at, f, text,
			"zero, unset, file=PATH or TYPE=... with a type of u8 i16 i32 i64 f16 f32 f64");
	i->type = (uint8_t)type;
	if (!strcmp(kind, "iota")) {
		i->kind = INIT_IOTA;
	} else if (!strncmp(kind, "random:", 7)) {
		i->kind = INIT_RANDOM;
		return parse_random(i, kind + 7, at, f);
	} else if (!strncmp(kind, "fill:", 5)) {
		i->kind = INIT_FILL;
		i->text = kind + 5;
		if (!parse_element(i->text, &end, i->type, bytes) || *end)
			return set_values_fault(at, f, kind, "fill:NUMBER of the type");
	} else if (!strncmp(kind, "list:", 5)) {
		i->kind = INIT_LIST;
		return parse_value_list(i, kind + 5, at, f);
	} else {
		return set_values_fault(at, f, kind, "iota, fill:V, list:V,V... or random:SEED");
	}
	return 0;
}

int init_check_size(const struct init *i, uint64_t n, struct place at, struct fault *f)
{
	unsigned bytes = i->kind == INIT_ZERO || i->kind == INIT_UNSET || i->kind == INIT_FILE
				 ? 1
				 : value[i->type].bytes;

	if (n % bytes)
		return fault_set(f, at, "values",
			"%llu bytes for values of %u bytes (expected a multiple of %u)",
			(unsigned long long)n, bytes, bytes);
	return 0;
}

static int fill_from_file(const struct init *i, uint8_t *to, uint64_t n, struct place at, struct fault *f)
{
	FILE *in = fopen(i->text, "rb");

	if (!in)
		return fault_set(f, at, "file", "cannot open %s: %s", i->text, strerror(errno));
	uint64_t got = fread(to, 1, n, in);
	bool more = fgetc(in) != EOF;
	fclose(in);
	if (got < n || more)
		return fault_set(f, at, "file", "%s%llu bytes in %s (expected %llu)",
			more ? "more than " : "", (unsigned long long)got, i->text, (unsigned long long)n);
	return 0;
}

static uint64_t next_random(uint64_t s) { return s * 6364136223846793005ull + 1442695040888963407ull; }

static void fill_random_f64(const struct init *i, uint8_t *to, uint64_t count)
{
	uint64_t s = i->seed;

	for (uint64_t k = 0; k < count; k++) {
		s = next_random(s);
		double v = i->low + (double)(s >> 11) * 0x1p-53 * (i->high - i->low);

		memcpy(to + 8 * k, &v, 8);
	}
}

/* Fills memory with f32 values, or with f16 values that are rounded from f32. */
static void fill_random_f32(const struct init *i, uint8_t *to, uint64_t count, bool half)
{
	const float low = (float)i->low, range = (float)i->high - (float)i->low;
	uint64_t s = i->seed;

	for (uint64_t k = 0; k < count; k++) {
		s = next_random(s);
		float v = low + (float)(s >> 40) * 0x1p-24f * range;

		if (!half) {
			memcpy(to + 4 * k, &v, 4);
			continue;
		}
		uint16_t h = (uint16_t)small_of_double((double)v, SMALL_F16, ROUND_RN, false);
		memcpy(to + 2 * k, &h, 2);
	}
}

/* bytes: size of an element. Each caller passes a constant, so that the copy is one instruction. */
static inline void fill_random_whole(const struct init *i, uint8_t *to, uint64_t count, unsigned bytes)
{
	uint64_t s = i->seed;

	for (uint64_t k = 0; k < count; k++) {
		s = next_random(s);
		uint64_t v = bytes == 8 ? s : s >> 32;

		v = i->mod ? v % i->mod : v;
		memcpy(to + k * bytes, &v, bytes);
	}
}

static void fill_random(const struct init *i, uint8_t *to, uint64_t count)
{
	switch ((enum value_type)i->type) {
	case V_F64: fill_random_f64(i, to, count); return;
	case V_F32: fill_random_f32(i, to, count, false); return;
	case V_F16: fill_random_f32(i, to, count, true); return;
	case V_I64: fill_random_whole(i, to, count, 8); return;
	case V_I32: fill_random_whole(i, to, count, 4); return;
	case V_I16: fill_random_whole(i, to, count, 2); return;
	default: fill_random_whole(i, to, count, 1); return;
	}
}

static void fill_iota(const struct init *i, uint8_t *to, uint64_t count)
{
	unsigned bytes = value[i->type].bytes;

	for (uint64_t k = 0; k < count; k++) {
		double d = (double)k;
		float x = (float)k;
		uint16_t h = i->type == V_F16 ? (uint16_t)small_of_double(d, SMALL_F16, ROUND_RN, false) : 0;

		memcpy(to + k * bytes,
			i->type == V_F64   ? (void *)&d
			: i->type == V_F32 ? (void *)&x
			: i->type == V_F16 ? (void *)&h
					   : (void *)&k,
			bytes);
	}
}

static int fill_from_list(const struct init *i, uint8_t *to, uint64_t n, struct place at, struct fault *f)
{
	unsigned bytes = value[i->type].bytes;
	const char *s = i->text;
	char *end;

	for (uint64_t k = 0;; k++, s = end + 1) {
		if (k == n / bytes)
			return fault_set(f, at, "values",
				"more values than the buffer's %llu bytes hold (expected fewer)",
				(unsigned long long)n);
		parse_element(s, &end, i->type, to + k * bytes);
		if (!*end)
			return 0;
	}
}

int init_fill_bytes(const struct init *i, uint8_t *to, uint64_t n, struct place at, struct fault *f)
{
	unsigned bytes = value[i->type].bytes;
	uint64_t count = n / bytes;
	const char *s = i->text;
	uint8_t one[8];
	char *end;

	memset(to, 0, n);
	switch (i->kind) {
	case INIT_FILE: return fill_from_file(i, to, n, at, f);
	case INIT_RANDOM: fill_random(i, to, count); return 0;
	case INIT_IOTA: fill_iota(i, to, count); return 0;
	case INIT_FILL:
		parse_element(s, &end, i->type, one);
		for (uint64_t k = 0; k < count; k++)
			memcpy(to + k * bytes, one, bytes);
		return 0;
	case INIT_LIST: return fill_from_list(i, to, n, at, f);
	default: return 0;
	}
}
