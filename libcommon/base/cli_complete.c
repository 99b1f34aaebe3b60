/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Completions for bash, zsh and fish, made from a table of options.
 *
 * Always true: the output depends only on the program's name and its table; every text from the table is quoted for
 * the shell. Operands complete to file names. For rows with "@", the completion calls the program, because the words
 * depend on the trace or result on the command line.
 */
#include <string.h>
#include "cli_internal.h"
#include "diag.h"

enum complete_kind { KIND_NONE, KIND_FILE, KIND_DIR, KIND_WORDS, KIND_ASK, KIND_ASK_LIST };

static enum complete_kind completion_kind(const struct cli_row *r)
{
	if (!r->complete || !strcmp(r->complete, "none"))
		return KIND_NONE;
	if (!strcmp(r->complete, "file"))
		return KIND_FILE;
	if (*r->complete == '@')
		return r->complete[1] == ',' ? KIND_ASK_LIST : KIND_ASK;
	return strcmp(r->complete, "dir") ? KIND_WORDS : KIND_DIR;
}

/* Returns the KIND part of "@KIND" or "@,KIND". */
static const char *completion_word_kind(const struct cli_row *r)
{
	return r->complete + 1 + (r->complete[1] == ',');
}

/* Prints text for use inside single quotes of a shell. Characters that are in escape get a backslash. */
static void put_quoted(FILE *out, const char *text, const char *escape)
{
	for (; *text; text++) {
		if (*text == '\'') {
			fputs("'\\''", out);
			continue;
		}
		if (strchr(escape, *text))
			fputc('\\', out);
		fputc(*text, out);
	}
}

/* Prints the program's name as part of a function name. */
static void print_function_name(FILE *out)
{
	for (const char *p = diag_program(); *p; p++) {
		bool word = (*p >= 'a' && *p <= 'z') || (*p >= 'A' && *p <= 'Z') || (*p >= '0' && *p <= '9');

		fputc(word ? *p : '_', out);
	}
}

/* ---- bash --------------------------------------------------------------------------------- */

static void print_bash_value(const struct cli_row *r, FILE *out)
{
	fputs("\t", out);
	if (cli_has_letter(r))
		fprintf(out, "-%c|", r->letter);
	fprintf(out, "--%s)\n", r->name);
	switch (completion_kind(r)) {
	case KIND_NONE: break;
	case KIND_FILE:
		fputs("\t\tcompopt -o filenames\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n",
			out);
		break;
	case KIND_DIR:
		fputs("\t\tcompopt -o filenames\n"
		      "\t\tmapfile -t COMPREPLY < <(compgen -d -- \"$cur\")\n",
			out);
		break;
	case KIND_ASK:
		fprintf(out,
			"\t\tcompopt -o nospace\n"
			"\t\tmapfile -t COMPREPLY < <(compgen -W "
			"\"$(\"$1\" --complete %s \"${COMP_WORDS[@]:1}\" 2>/dev/null | cut -f1)\" -- \"$cur\")\n",
			completion_word_kind(r));
		break;
	case KIND_ASK_LIST:
		fprintf(out,
			"\t\tcompopt -o nospace\n"
			"\t\t[[ $cur != *,* ]] || head=${cur%%,*},\n"
			"\t\tmapfile -t COMPREPLY < <(compgen -P \"$head\" -W "
			"\"$(\"$1\" --complete %s \"${COMP_WORDS[@]:1}\" 2>/dev/null | cut -f1)\" -- \"${cur##*,}\")\n",
			completion_word_kind(r));
		break;
	case KIND_WORDS:
		fputs("\t\tmapfile -t COMPREPLY < <(compgen -W '", out);
		put_quoted(out, r->complete, "");
		fputs("' -- \"$cur\")\n", out);
		break;
	}
	fputs("\t\treturn ;;\n", out);
}

static void print_bash(const struct cli *c, FILE *out)
{
	const char *space = "";

	fprintf(out, "# bash completion for %s, made from its table of options\n_", diag_program());
	print_function_name(out);
	fputs("()\n{\n\tlocal cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} head=\n"
	      "\n"
	      "\t# --name=value arrives as three words\n"
	      "\tif [[ $cur == = ]]; then\n"
	      "\t\tcur=\n"
	      "\telif [[ $prev == = ]]; then\n"
	      "\t\tprev=${COMP_WORDS[COMP_CWORD - 2]}\n"
	      "\tfi\n"
	      "\tCOMPREPLY=()\n"
	      "\tcase $prev in\n",
		out);
	for (size_t i = 0; i < c->n_rows; i++) {
		if (cli_is_shown(&c->row[i]) && c->row[i].value)
			print_bash_value(&c->row[i], out);
	}
	fputs("\tesac\n\tif [[ $cur == -* ]]; then\n\t\tmapfile -t COMPREPLY < <(compgen -W '", out);
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++) {
		const struct cli_row *r = cli_row_at(c, i);

		if (!cli_is_shown(r))
			continue;
		if (cli_has_letter(r))
			fprintf(out, "%s-%c", space, r->letter);
		fprintf(out, "%s--%s", cli_has_letter(r) ? " " : space, r->name);
		space = " ";
	}
	fputs("' -- \"$cur\")\n\t\treturn\n\tfi\n"
	      "\tcompopt -o filenames\n"
	      "\tmapfile -t COMPREPLY < <(compgen -f -- \"$cur\")\n"
	      "}\ncomplete -F _",
		out);
	print_function_name(out);
	fprintf(out, " %s\n", diag_program());
}

/* ---- zsh ---------------------------------------------------------------------------------- */

static void print_zsh_row(const struct cli_row *r, FILE *out)
{
	static const char *const action[] = {" ", "_files", "_files -/", "", "", ""};

	fputs("\t'*'", out);
	if (cli_has_letter(r))
		fprintf(out, "{-%c%s,--%s%s}", r->letter, r->value ? "+" : "", r->name, r->value ? "=" : "");
	else
		fprintf(out, "--%s%s", r->name, r->value ? "=" : "");
	fputs("'[", out);
	put_quoted(out, r->help, "[]\\");
	fputs("]", out);
	if (r->value) {
		fputs(":", out);
		put_quoted(out, r->value, ":\\");
		fprintf(out, ":%s", action[completion_kind(r)]);
		if (completion_kind(r) >= KIND_ASK) {
			fputs(" _", out);
			print_function_name(out);
			fprintf(out, "_words %s%s", completion_word_kind(r),
				completion_kind(r) == KIND_ASK_LIST ? " list" : "");
		}
		if (completion_kind(r) == KIND_WORDS) {
			fputs("(", out);
			put_quoted(out, r->complete, ":()\\");
			fputs(")", out);
		}
	}
	fputs("' \\\n", out);
}

static void print_zsh(const struct cli *c, FILE *out)
{
	fprintf(out, "#compdef %s\n# zsh completion, made from the table of options\n", diag_program());
	if (c->words) {
		fputs("_", out);
		print_function_name(out);
		fputs("_words() {\n"
		      "\tlocal -a found\n"
		      "\tfound=(${(f)\"$($words[1] --complete $1 ${words[2,-1]} 2>/dev/null)\"})\n"
		      "\t[[ -z $2 ]] || compset -P '*,'\n"
		      "\tcompadd -S '' -- ${found%%$'\\t'*}\n"
		      "}\n",
			out);
	}
	fputs("_arguments -s -S \\\n", out);
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++)
		if (cli_is_shown(cli_row_at(c, i)))
			print_zsh_row(cli_row_at(c, i), out);
	fputs("\t'*:file:_files'\n", out);
}

/* ---- fish --------------------------------------------------------------------------------- */

/* Prints text for use inside single quotes of fish, which has two escapes. */
static void put_fish(FILE *out, const char *text)
{
	for (; *text; text++) {
		if (*text == '\'' || *text == '\\')
			fputc('\\', out);
		fputc(*text, out);
	}
}

static void print_fish_row(const struct cli_row *r, FILE *out)
{
	fprintf(out, "complete -c %s", diag_program());
	if (cli_has_letter(r))
		fprintf(out, " -s %c", r->letter);
	fprintf(out, " -l %s", r->name);
	if (r->value) {
		switch (completion_kind(r)) {
		case KIND_NONE: fputs(" -x", out); break;
		case KIND_FILE: fputs(" -r -F", out); break;
		case KIND_DIR: fputs(" -x -a '(__fish_complete_directories)'", out); break;
		case KIND_ASK:
			fprintf(out, " -x -a '(%s --complete %s (commandline -opc)[2..-1])'", diag_program(),
				completion_word_kind(r));
			break;
		case KIND_ASK_LIST:
			fprintf(out,
				" -x -a '(__fish_complete_list , \"%s --complete %s (commandline -opc)[2..-1]\")'",
				diag_program(), completion_word_kind(r));
			break;
		case KIND_WORDS:
			fputs(" -x -a '", out);
			put_fish(out, r->complete);
			fputs("'", out);
			break;
		}
	}
	fputs(" -d '", out);
	put_fish(out, r->help);
	fputs("'\n", out);
}

static void print_fish(const struct cli *c, FILE *out)
{
	fprintf(out, "# fish completion for %s, made from its table of options\n", diag_program());
	for (size_t i = 0; i < c->n_rows + CLI_COMMON; i++)
		if (cli_is_shown(cli_row_at(c, i)))
			print_fish_row(cli_row_at(c, i), out);
}

bool cli_print_completion(const struct cli *c, const char *shell, FILE *out)
{
	if (!strcmp(shell, "bash"))
		print_bash(c, out);
	else if (!strcmp(shell, "zsh"))
		print_zsh(c, out);
	else if (!strcmp(shell, "fish"))
		print_fish(c, out);
	else
		return false;
	return true;
}
