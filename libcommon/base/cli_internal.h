/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Interface between cli*.c: the options of every program, and the functions that print a table.
 *
 * Always true: cli_row_at() has the program's rows first, then -h and --version.
 */
#ifndef CLI_INTERNAL_H
#define CLI_INTERNAL_H

#include <stdbool.h>
#include <stdio.h>
#include "cli.h"

enum cli_letter {
	CLI_HELP = 'h',
	CLI_VERSION = 0x10000, /* larger than the letters of options without a short name */
	CLI_COMPLETION,        /* hidden option */
	CLI_MAN_OPTIONS,       /* hidden option */
	CLI_MAN_TABLE          /* hidden option */
};

#define CLI_COMMON 2u /* number of visible rows that every program has */
#define CLI_HIDDEN 3u /* number of hidden rows that every program has */

extern const struct cli_row cli_common[CLI_COMMON + CLI_HIDDEN];

static inline const struct cli_row *cli_row_at(const struct cli *c, size_t i)
{
	return i < c->n_rows ? &c->row[i] : &cli_common[i - c->n_rows];
}

static inline bool cli_is_group(const struct cli_row *r) { return r->letter == CLI_GROUP; }

/* Returns true for an option that -h, the manual page and the completions show. */
static inline bool cli_is_shown(const struct cli_row *r) { return !cli_is_group(r) && r->help; }

static inline bool cli_has_letter(const struct cli_row *r) { return r->letter > 0 && r->letter < 256; }

/* Print the text of -h, and the OPTIONS part of the man page. */
void cli_print_help(const struct cli *c, FILE *out);
void cli_print_man(const struct cli *c, FILE *out);
/* Prints the table `name` of a manual page. An unknown name is a usage error. */
void cli_print_man_table(const struct cli *c, const char *name, FILE *out);
/* Prints the completion for a shell. Returns false if the shell is unknown. */
bool cli_print_completion(const struct cli *c, const char *shell, FILE *out);

#endif
