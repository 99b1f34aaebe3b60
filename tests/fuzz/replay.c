/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Runs a fuzz target on a corpus without a fuzzer. Each file on the command line is used unchanged, then
 * truncated and with flipped bits at a few places, and then with COUNT damages that depend only on their
 * numbers. A plain build and the sanitizers thus find the faults that fuzzing has found, and some faults that
 * it would find. The result is the same on every host. After a sanitizer's report or an abort, the file and
 * the number of the damage are printed.
 *
 * usage: replay_TARGET [-n COUNT] FILE...
 */
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST (1u << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
void __sanitizer_set_death_callback(void (*)(void)) __attribute__((weak));

static const char *file;
static unsigned long damage;
static uint64_t state;

static void print_damage(void) { fprintf(stderr, "replay: %s, damage %lu\n", file, damage); }
static void report_abort(int sig)
{
	print_damage();
	signal(sig, SIG_DFL);
}

/*
 * Runs the target on an allocation of exactly the input's size, so that a sanitizer reports an access beyond its
 * end.
 */
static void run_target(const uint8_t *bytes, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		exit(2);
	if (n)
		memcpy(copy, bytes, n);
	LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static void run_variations(uint8_t *bytes, size_t n)
{
	run_target(bytes, n);
	for (unsigned i = 1; i < 8; i++)
		run_target(bytes, n * i / 8);
	for (unsigned i = 0; i < 16 && n; i++) {
		size_t at = (n * i / 16 + i) % n;

		bytes[at] ^= (uint8_t)(1u << i % 8);
		run_target(bytes, n);
		bytes[at] ^= (uint8_t)(1u << i % 8);
	}
}

/* Returns a random number below n, which must not be 0. */
static size_t random_below(size_t n)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (size_t)(state % n);
}

/* Replaces `removed' bytes from `at' on by the `len' bytes of `with'. Returns the new size. */
static size_t replace_part(uint8_t *bytes, size_t n, size_t at, size_t removed, const void *with, size_t len)
{
	if (n - removed + len > MOST)
		return n;
	memmove(bytes + at + len, bytes + at + removed, n - at - removed);
	memcpy(bytes + at, with, len);
	return n - removed + len;
}

/*
 * Applies one damage: changes a bit or a byte, removes or doubles a part, or inserts a number at the limit of a
 * type. Returns the new size.
 */
static size_t apply_damage(uint8_t *bytes, size_t n)
{
	static const char *const number[] = {"0", "-1", "1", "65536", "2147483648", "4294967295",
		"4294967296", "9223372036854775807", "18446744073709551616", "1e999", "nan", "0x", "%s", ""};
	static uint8_t part[64];
	size_t at = random_below(n), len = 1 + random_below(n - at < sizeof(part) ? n - at : sizeof(part)),
	       end = at;
	const char *text = number[random_below(sizeof(number) / sizeof(*number))];

	switch (random_below(6)) {
	case 0: bytes[at] ^= (uint8_t)(1u << random_below(8)); return n;
	case 1: bytes[at] = (uint8_t)random_below(256); return n;
	case 2: return replace_part(bytes, n, at, len, "", 0);
	case 3: memcpy(part, bytes + at, len); return replace_part(bytes, n, random_below(n), 0, part, len);
	case 4: memset(bytes + at, random_below(2) ? 0 : 255, len < 8 ? len : 8); return n;
	default:
		while (at < n && (bytes[at] < '0' || bytes[at] > '9'))
			at++;
		for (end = at; end < n && bytes[end] >= '0' && bytes[end] <= '9';)
			end++;
		return replace_part(bytes, n, at, end - at, text, strlen(text));
	}
}

static void run_damaged(const uint8_t *bytes, size_t n, unsigned long count)
{
	static uint8_t bad[MOST];

	for (damage = 1; damage <= count && n; damage++) {
		size_t left = n;

		state = damage * 0x9e3779b97f4a7c15u;
		memcpy(bad, bytes, n);
		for (size_t k = 1 + random_below(4); k && left; k--)
			left = apply_damage(bad, left);
		run_target(bad, left);
	}
	damage = 0;
}

int main(int argc, char **argv)
{
	int first = argc > 2 && !strcmp(argv[1], "-n") ? 3 : 1;
	unsigned long count = first == 3 ? strtoul(argv[2], NULL, 10) : 0;

	if (__sanitizer_set_death_callback)
		__sanitizer_set_death_callback(print_damage);
	signal(SIGABRT, report_abort);
	for (int i = first; i < argc; i++) {
		static uint8_t bytes[MOST];
		FILE *f = fopen(file = argv[i], "rb");
		size_t n;

		if (!f) {
			perror(file);
			return 2;
		}
		n = fread(bytes, 1, sizeof(bytes), f);
		fclose(f);
		run_variations(bytes, n);
		run_damaged(bytes, n, count);
	}
	return 0;
}
