/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of records in their three formats. */
#include <float.h>
#include <jansson.h>
#include <locale.h>
#include <math.h>
#include <msgpack.h>
#include <stdint.h>
#include "record.h"
#include "results/record_format.h"
#include "tap.h"

static char *written;
static size_t n_written;

static void write_records(enum record_format format)
{
	FILE *out;
	struct record_writer *w;

	free(written);
	out = open_memstream(&written, &n_written);
	w = record_open(out, format);
	record_begin(w, "run");
	record_string(w, "version", "0.1.0");
	record_end(w);
	record_begin(w, "kernel");
	record_string(w, "name", "void f<int, 3>(float*)\n\"q\" 50% \xc3\xa4 \xff");
	record_string(w, "empty", "");
	record_uint(w, "most", UINT64_MAX, NULL);
	record_int(w, "least", INT64_MIN, "cycles");
	record_bool(w, "slice", true);
	record_group(w, "grid");
	record_uint(w, "x", 196, "");
	record_group(w, "deep er");
	record_bool(w, "y", false);
	record_group_end(w);
	record_group_end(w);
	record_group(w, "stats");
	record_uint(w, "gpu_sim_cycle", 6980, "cycles");
	record_group(w, "l2");
	record_real(w, "miss_rate", 0.1, "1");
	record_group_end(w);
	record_real(w, "ipc", 100.0, "instructions/cycle");
	record_real(w, "none", (double)NAN, "-");
	record_real(w, "inf", HUGE_VAL, NULL);
	record_group_end(w);
	record_group(w, "nothing");
	record_group_end(w);
	record_uint(w, "after", 1, NULL);
	record_end(w);
	record_close(w);
	fclose(out);
}

static void test_text(void)
{
	write_records(RECORD_TEXT);
	is_text(written,
		"# run\nversion 0.1.0 -\n# kernel\n"
		"name void%20f<int,%203>(float*)%0A%22q%22%2050%25%20\xc3\xa4%20%FF -\n"
		"empty \"\" -\n"
		"most 18446744073709551615 -\nleast -9223372036854775808 cycles\nslice true -\n"
		"grid.x 196 -\ngrid.deep%20er.y false -\n"
		"gpu_sim_cycle 6980 cycles\nl2.miss_rate 0.1 1\nipc 100 instructions/cycle\n"
		"none nan -\ninf nan -\n"
		"after 1 -\n",
		"a record in text form has the expected lines");
}

static void test_json(void)
{
	const char *second;
	json_t *v;

	write_records(RECORD_JSON);
	is_text(written,
		"{\"record\":\"run\",\"version\":\"0.1.0\"}\n"
		"{\"record\":\"kernel\",\"name\":\"void f<int, 3>(float*)\\n\\\"q\\\" 50% \xc3\xa4 \\\\xff\","
		"\"empty\":\"\","
		"\"most\":18446744073709551615,\"least\":-9223372036854775808,\"slice\":true,"
		"\"grid\":{\"x\":196,\"deep er\":{\"y\":false}},"
		"\"stats\":{\"gpu_sim_cycle\":6980,\"l2\":{\"miss_rate\":0.1},"
		"\"ipc\":100.0,\"none\":null,\"inf\":null},"
		"\"nothing\":{},\"after\":1}\n",
		"a record in JSON form has the expected lines");
	second = strchr(written, '\n') + 1;
	v = json_loads(second, JSON_DECODE_INT_AS_REAL, NULL);
	ok(json_real_value(json_object_get(v, "after")) == 1.0, "jansson reads a JSON record");
	json_decref(v);
}

/* Returns true if jansson reads a record of one string and one real and then writes the same text. */
static bool is_jansson_equal(const char *string, double real)
{
	size_t flags = JSON_COMPACT | JSON_PRESERVE_ORDER, n = 0;
	char *line = NULL, *again;
	FILE *out = open_memstream(&line, &n);
	struct record_writer *w = record_open(out, RECORD_JSON);
	json_t *v;
	bool same;

	record_begin(w, string);
	record_real(w, string, real, NULL);
	record_end(w);
	record_close(w);
	fclose(out);
	line[n - 1] = '\0';
	v = json_loads(line, 0, NULL);
	again = json_dumps(v, flags | JSON_REAL_PRECISION((size_t)record_real_digits(real)));
	same = again && !strcmp(line, again);
	if (!same)
		printf("# found: %s\n# expected: %s\n", line, again ? again : "what can be read");
	json_decref(v);
	free(again);
	free(line);
	return same;
}

/*
 * Writes the record of a kernel with the given id. The figures of the record are its own, or n bytes copied
 * from another record.
 */
static size_t write_record_as(enum record_format format, uint64_t id, const void *figures, size_t n)
{
	struct record_writer *w;
	FILE *out;

	out = open_memstream(&written, &n_written);
	w = record_open(out, format);
	record_begin(w, "kernel");
	record_uint(w, "id", id, NULL);
	record_dim(w, "grid", (const uint32_t[3]){1, 2, 3});
	if (figures) {
		record_end_with(w, figures, n);
	} else {
		record_group(w, "stats");
		record_uint(w, "gpu_sim_cycle", 6980, "cycles");
		record_real(w, "ipc", 1.5, "instructions/cycle");
		record_group_end(w);
		record_end(w);
		n = record_last_group(w);
	}
	record_close(w);
	fclose(out);
	return n;
}

static void test_end_as(void)
{
	free(written); /* frees the record of an earlier test */
	for (enum record_format f = RECORD_TEXT; f <= RECORD_MSGPACK; f++) {
		char *first, *wanted;
		size_t n = write_record_as(f, 1, NULL, 0), n_first = n_written, n_wanted;

		first = written;
		write_record_as(f, 2, NULL, 0);
		wanted = written;
		n_wanted = n_written;
		write_record_as(f, 2, first + n_first - n, n);
		ok(n < n_first && n_written == n_wanted && !memcmp(written, wanted, n_wanted),
			"record_end_with() writes the figures of another record, format %d", (int)f);
		free(first);
		free(wanted);
		free(written);
		written = NULL;
	}
}

static void test_as_jansson(void)
{
	static const double reals[] = {0, -0.0, 1, -1, 0.1, 1 / 3.0, 100, 123456789012345, 999999999999999,
		1e15, 1e16, -1e15, 1e17, 1e100, 0.0001, 0.00001, 1e-300, 0.1 + 0.2, DBL_MAX, DBL_MIN,
		4503599627370496.5};
	char string[] = "a b";
	bool same = true;

	for (int c = 1; c < 0x80; c++) {
		string[1] = (char)c;
		same &= is_jansson_equal(string, 0.5);
	}
	ok(same, "JSON strings equal those of jansson");
	same = true;
	for (size_t i = 0; i < sizeof(reals) / sizeof(*reals); i++)
		same &= is_jansson_equal("a", reals[i]);
	ok(same, "JSON reals equal those of jansson");
}

static void test_msgpack(void)
{
	msgpack_unpacked u;
	size_t at = 0;
	FILE *out;
	char *text = NULL;
	size_t n;

	write_records(RECORD_MSGPACK);
	msgpack_unpacked_init(&u);
	out = open_memstream(&text, &n);
	while (msgpack_unpack_next(&u, written, n_written, &at) == MSGPACK_UNPACK_SUCCESS) {
		msgpack_object_print(out, u.data);
		fputc('\n', out);
	}
	fclose(out);
	msgpack_unpacked_destroy(&u);
	is_number((long long)at, (long long)n_written, "msgpack records are read to their end");
	ok(strstr(text, "{\"record\"=>\"run\", \"version\"=>\"0.1.0\"}\n{\"record\"=>\"kernel\"") == text,
		"msgpack records have their kind and strings");
	ok(strstr(text,
		   "\"most\"=>18446744073709551615, \"least\"=>-9223372036854775808, \"slice\"=>true, "
		   "\"grid\"=>{\"x\"=>196, \"deep er\"=>{\"y\"=>false}}, \"stats\"=>{\"gpu_sim_cycle\"=>6980, "
		   "\"l2\"=>{\"miss_rate\"=>0.1") != NULL,
		"msgpack records have their integers, booleans and groups");
	ok(strstr(text, "\"none\"=>nil, \"inf\"=>nil}, \"nothing\"=>{}, \"after\"=>1}\n") != NULL,
		"msgpack writes numbers that are not finite as nil");
	if (tap_failed)
		printf("# %s\n", text);
	free(text);
}

/* Returns the text of a real number in a record, without its name and unit. */
static const char *real_as_text(double v)
{
	struct record_writer *w;
	FILE *out;

	free(written);
	out = open_memstream(&written, &n_written);
	w = record_open(out, RECORD_TEXT);
	record_begin(w, "x");
	record_real(w, "v", v, NULL);
	record_end(w);
	record_close(w);
	fclose(out);
	written[strlen(written) - 3] = '\0';
	return written + 6;
}

static void test_reals(void)
{
	uint64_t x = 88172645463325252ull;
	unsigned bad = 0;

	is_text(real_as_text(1.0 / 3), "0.3333333333333333", "the real 1/3 is written with 16 digits");
	is_text(real_as_text(0.1 + 0.2), "0.30000000000000004",
		"the real 0.1 + 0.2 is written with 17 digits");
	is_text(real_as_text(1e300), "1e+300", "a large real is written with an exponent");
	is_text(real_as_text(-0.0), "-0", "the real -0 keeps its sign");
	is_text(real_as_text(DBL_MIN / 2), "1.1125369292536007e-308", "a subnormal real is written exactly");
	for (int i = 0; i < 2000; i++) {
		double v;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		memcpy(&v, &x, sizeof(v));
		if (isfinite(v))
			bad += strtod(real_as_text(v), NULL) != v;
	}
	is_number(bad, 0, "random reals are equal after writing and reading");
	if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) {
		ok(true, "reals have a point in a locale with a comma # SKIP none installed");
		return;
	}
	is_text(real_as_text(0.5), "0.5", "reals have a point in a locale with a comma");
	test_json();
}

int main(void)
{
	test_text();
	test_json();
	test_as_jansson();
	test_end_as();
	test_msgpack();
	test_reals();
	free(written);
	return tap_done();
}
