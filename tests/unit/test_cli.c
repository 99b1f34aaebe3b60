/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of command lines: options, help, sources of manual pages, completions, and suggestions for
 * mistyped names.
 */
#include <stdint.h>
#include <stdlib.h>
#include "cli.h"
#include "diag.h"
#include "roff.h"
#include "tap.h"

#ifndef VERSION
#define VERSION "unversioned"
#endif
#define N(a) (sizeof(a) / sizeof((a)[0]))

static const struct cli_row rows[] = {
	{'c', "config", "FILE", "GPU configuration; repeatable", "file"},
	{'F', "format", "FORMAT", "output format", "text json msgpack"},
	{'C', "folder", "DIR", "write here", "dir"},
	{'k', "kernels", "LIST", "kernels: positions [1-] or it's name", NULL},
	{'q', "quiet", NULL, "no warnings", NULL},
	{CLI_GROUP, "Other outputs", NULL, NULL, NULL},
	{'v', "verbose", NULL, "more", NULL},
	{300, "events", "FILE", "write the event log, with a line for each event, when the program has ended",
		"file"},
	{302, "an-option-wider-than-its-column", NULL, "help in the next line", NULL},
	{301, "strict", NULL, ".leading dot and \\ back", NULL},
	{301, "stern", NULL, NULL, NULL},
};
static void print_table(FILE *out)
{
	roff_sentence(
		out, "a line with an escape \\ wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww fits");
	roff_printf(out, "%s",
		"'quoted' 1234567890123456789012345678901234567890123456789012345678901234567 .so");
	fprintf(out, " %zu\n", roff_words(out, roff_words(out, 0, " a  b"), "c\\"));
}

static const struct cli_man_table man_tables[] = {{"words", print_table}, {NULL, NULL}};
static const struct cli cli = {
	"[-c CONFIG]... [-F FORMAT] [-C DIR] [-k LIST]... [-qv] [--events FILE] [TRACE]\n--list", "simulate",
	"Status: 0, 1, 2\nThis sentence is longer than a line of eighty columns, and so it is continued in the next one",
	rows, N(rows), NULL, man_tables};

static void note_option(void *ctx, int letter, const char *value)
{
	char one[100];

	snprintf(one, sizeof(one), letter < 256 ? "%c=%s;" : "%d=%s;", letter, value ? value : "");
	strcat(ctx, one);
}

static void parse_words(void *arg)
{
	char *argv[16] = {(char *)"test"}, line[200], seen[512] = "";
	int argc = 1, n;

	diag_init("test");
	snprintf(line, sizeof(line), "%s", (const char *)arg);
	for (char *p = strtok(line, " "); p; p = strtok(NULL, " "))
		argv[argc++] = p;
	n = cli_parse(&cli, argc, argv, note_option, seen);
	printf("%s", seen);
	for (int i = 0; i < n; i++)
		printf(" %s", argv[i]);
	printf("%s", argv[n] ? "?" : "");
}

static void check_parsed_words(const char *words, int status, const char *want)
{
	char text[4096];
	int rc = in_child(parse_words, (void *)(uintptr_t)words, text, sizeof(text));
	bool good = ok(rc == status && !strcmp(text, want), "command line: %s", words);

	if (!good)
		printf("# found %d: %s\n# expected %d: %s\n", rc, text, status, want);
}

static void test_options(void)
{
	check_parsed_words("-qv -kLIST a -k LIST b", 0, "q=;v=;k=LIST;k=LIST; a b");
	check_parsed_words("--config=x=y --config z --strict", 0, "c=x=y;c=z;301=;");
	check_parsed_words("--stern", 0, "301=;");
	check_parsed_words("--stearn", 2, "test: error: unknown option '--stearn'\nTry 'test -h'.\n");
	check_parsed_words("-qc file - -- -q --config", 0, "q=;c=file; - -q --config");
	check_parsed_words("--config=", 0, "c=;");
	check_parsed_words("--version", 0, "test (warptools) " VERSION "\n");
	check_parsed_words("--confog x", 2,
		"test: error: unknown option '--confog', did you mean '--config'?\nTry 'test -h'.\n");
	check_parsed_words("--zzzzzzz", 2, "test: error: unknown option '--zzzzzzz'\nTry 'test -h'.\n");
	check_parsed_words("-config x", 0, "c=onfig; x");
	check_parsed_words("-events x", 2,
		"test: error: unknown option '-events', did you mean '--events'?\nTry 'test -h'.\n");
	check_parsed_words("-x", 2, "test: error: unknown option '-x'\nTry 'test -h'.\n");
	check_parsed_words("-k", 2, "test: error: -k: missing value (expected LIST)\nTry 'test -h'.\n");
	check_parsed_words(
		"--events", 2, "test: error: --events: missing value (expected FILE)\nTry 'test -h'.\n");
	check_parsed_words("--quiet=1", 2, "test: error: --quiet takes no value\nTry 'test -h'.\n");
	check_parsed_words("--completion tcsh", 2,
		"test: error: --completion: unknown shell 'tcsh' (expected bash, zsh or fish)\nTry 'test -h'.\n");
	check_parsed_words("--Other", 2, "test: error: unknown option '--Other'\nTry 'test -h'.\n");
}

static void test_printed_texts(void)
{
	check_parsed_words("--man-options -x", 0,
		".It Fl c Ar FILE , Fl -config Ns = Ns Ar FILE\nGPU configuration; repeatable.\n"
		".It Fl F Ar FORMAT , Fl -format Ns = Ns Ar FORMAT\noutput format.\n"
		".It Fl C Ar DIR , Fl -folder Ns = Ns Ar DIR\nwrite here.\n"
		".It Fl k Ar LIST , Fl -kernels Ns = Ns Ar LIST\nkernels: positions [1-] or it's name.\n"
		".It Fl q , Fl -quiet\nno warnings.\n"
		".It Sy Other outputs\n"
		".It Fl v , Fl -verbose\nmore.\n"
		".It Fl -events Ns = Ns Ar FILE\n"
		"write the event log, with a line for each event, when the program has ended.\n"
		".It Fl -an-option-wider-than-its-column\nhelp in the next line.\n"
		".It Fl -strict\n\\&.leading dot and \\e back.\n"
		".It Fl h , Fl -help\nshow this help.\n.It Fl -version\nshow the version.\n");
	check_parsed_words("--man-table words -x", 0,
		"A line with an escape \\e wwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwwww\nfits.\n"
		"\\&'quoted' 1234567890123456789012345678901234567890123456789012345678901234567\n"
		"\\&.so\na b c\\e 7\n");
	check_parsed_words(
		"--man-table rows", 2, "test: error: --man-table: unknown table 'rows'\nTry 'test -h'.\n");
	check_parsed_words("-qh", 0,
		"usage: test [-c CONFIG]... [-F FORMAT] [-C DIR] [-k LIST]... [-qv]\n"
		"            [--events FILE] [TRACE]\n"
		"       test --list\n"
		"simulate\n\n"
		"  -c, --config=FILE    GPU configuration; repeatable\n"
		"  -F, --format=FORMAT  output format\n"
		"  -C, --folder=DIR     write here\n"
		"  -k, --kernels=LIST   kernels: positions [1-] or it's name\n"
		"  -q, --quiet          no warnings\n"
		"\nOther outputs:\n"
		"  -v, --verbose        more\n"
		"      --events=FILE    write the event log, with a line for each event, when the\n"
		"                       program has ended\n"
		"      --an-option-wider-than-its-column\n"
		"                       help in the next line\n"
		"      --strict         .leading dot and \\ back\n"
		"  -h, --help           show this help\n"
		"      --version        show the version\n"
		"\nStatus: 0, 1, 2\n"
		"This sentence is longer than a line of eighty columns, and so it is continued in\n"
		"the next one\n");
}

/* Compares the completion with the output of a shell, if the shell is installed. */
static void check_completion(const char *shell, const char *command)
{
	char text[16384], name[] = "/tmp/test_cli.XXXXXX", line[600];
	char words[40], label[60];
	int fd, rc;

	snprintf(words, sizeof(words), "--completion %s", shell);
	rc = in_child(parse_words, words, text, sizeof(text));
	ok(!rc && strstr(text, "events") && strstr(text, "msgpack"),
		"the completion for %s has option names and values", shell);
	snprintf(line, sizeof(line), "command -v %s >/dev/null 2>&1", shell);
	if (system(line)) {
		ok(true, "the shell %s reads its completion # SKIP no %s", shell, shell);
		return;
	}
	fd = mkstemp(name);
	rc = fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text);
	snprintf(line, sizeof(line), command, name);
	snprintf(label, sizeof(label), "the shell %s reads its completion", shell);
	is_number(rc ? -1 : system(line), 0, label);
	close(fd);
	unlink(name);
}

static void test_completion(void)
{
	check_completion("bash",
		"bash -c '. %s; compopt() { :; }; COMP_WORDS=(test --format = js); COMP_CWORD=3;"
		" _test; test \"${COMPREPLY[*]}\" = json && COMP_WORDS=(test --ev) COMP_CWORD=1 &&"
		" _test && test \"${COMPREPLY[*]}\" = --events'");
	check_completion("zsh", "zsh -n %s");
	check_completion("fish", "fish -n %s");
}

static void test_nearest(void)
{
	static const struct {
		const char *name;
		int x;
	} table[] = {{"-gpgpu_n_clusters", 1}, {NULL, 0}, {"-gpgpu_n_mem", 2}, {"-gpgpu_clock_domains", 3}};
	static const char *const words[] = {"config", "format", "on"};

	is_text(cli_nearest("-gpgpu_n_cluster", table, N(table), sizeof(table[0])), "-gpgpu_n_clusters",
		"cli_nearest() finds a name with one letter missing");
	is_text(cli_nearest("-gpgpu_n_mme", table, N(table), sizeof(table[0])), "-gpgpu_n_mem",
		"cli_nearest() counts two swapped letters as one edit");
	is_text(cli_nearest("on", words, N(words), sizeof(words[0])), "on",
		"cli_nearest() finds an equal name");
	is_text(cli_nearest("no", words, N(words), sizeof(words[0])), "on",
		"cli_nearest() finds a short name with its two letters swapped");
	ok(!cli_nearest("xy", words, N(words), sizeof(words[0])),
		"cli_nearest() finds nothing near to another short word");
	ok(!cli_nearest("", words, N(words), sizeof(words[0])),
		"cli_nearest() finds nothing near to an empty word");
	ok(!cli_nearest("kernel_window", words, N(words), sizeof(words[0])),
		"cli_nearest() finds nothing near to another long word");
}

static void test_size_option(void)
{
	static const struct {
		const char *text;
		int rc;
		unsigned long long value;
	} cases[] = {{"0", 0, 0}, {"17", 0, 17}, {"4K", 0, 4096}, {"3m", 0, 3u << 20}, {"2G", 0, 2ull << 30},
		{"18446744073709551615", 0, UINT64_MAX}, {"18446744073709551616", -1, 0},
		{"17179869184G", -1, 0}, {"", -1, 0}, {"K", -1, 0}, {"-1", -1, 0}, {"+1", -1, 0},
		{" 1", -1, 0}, {"1 ", -1, 0}, {"1KB", -1, 0}, {"0x10", -1, 0}, {"1.5K", -1, 0}};

	for (size_t i = 0; i < N(cases); i++) {
		unsigned long long v = 0;
		int rc = cli_size(cases[i].text, &v);

		ok(rc == cases[i].rc && v == cases[i].value, "cli_size() %s '%s'",
			cases[i].rc ? "rejects" : "reads", cases[i].text);
	}
}

int main(void)
{
	test_options();
	test_printed_texts();
	test_completion();
	test_nearest();
	test_size_option();
	return tap_done();
}
