/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel lists: the memory copies and kernels of an application in order.
 *
 * A list is small and is read whole; the kernel files that it names are not opened. Blanks, quotes and semicolons are
 * part of a name, trailing carriage returns and blanks are not.
 */
#ifndef KLIST_H
#define KLIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

struct input;
struct pack;
struct trace;
struct trace_options;

/* CMD_COPY_BACK is a copy to the host. It is optional and has no effect unless the kernels are from PTX. */
enum command_kind { CMD_MEMCPY, CMD_KERNEL, CMD_COPY_BACK };

struct command {
	enum command_kind kind;
	uint64_t line;       /* line number in the list; 0: there is no list */
	char *text;          /* text of the line as written */
	char *path;          /* CMD_KERNEL: path of the file, from the list's directory and the name */
	uint64_t address;    /* destination of a memory copy */
	uint64_t bytes;      /* size of a memory copy in bytes */
	uint32_t position;   /* CMD_KERNEL: position among the kernels, from 1 */
	uint32_t kernel;     /* CMD_KERNEL: kernel number in the packed stream */
	bool missing;        /* CMD_KERNEL: the file does not exist, or the packed stream lacks the kernel */
	struct input *input; /* CMD_KERNEL: the file, open at its first byte, or NULL */
};

struct klist {
	char *path;          /* path of the list, or of the directory or kernel file that replaces it */
	struct command *cmd; /* commands of the list */
	uint32_t n_cmds;     /* number of commands */
	uint32_t n_kernels;  /* number of kernels */
	struct pack *pack;   /* packed stream of the list and its kernels; NULL: the kernels are files */
};

/*
 * Reads a kernel list, a directory with a list (kernelslist.g, else the only kernelslist_ctx_*.g), a packed stream, one
 * kernel file, or "-" (a kernel list on standard input, with names relative to the current directory). Returns 0, or -1
 * and sets *f for an empty list, an unknown line, a memcpy with a missing field, or a count that is not a number
 * below 4 GiB.
 */
int klist_read(struct klist *k, const char *path, struct fault *f);
/*
 * Does the same as klist_read() from an open descriptor, which the caller keeps. Messages show name. Kernel names are
 * relative to the directory part of name.
 */
int klist_read_descriptor(struct klist *k, int fd, const char *name, struct fault *f);
/*
 * Does the same as klist_read() for linters. It passes the faults of a line and remarks about its blanks and line end
 * to on_fault(), which returns true to continue with the next line.
 */
int klist_read_on(struct klist *k, const char *path, bool (*on_fault)(void *ctx, const struct fault *f),
	void *ctx, struct fault *f);
/*
 * Reads a list like klist_read(), from an open input. Kernel names are relative to directory ("" or NULL: names as
 * written).
 */
int klist_parse(struct klist *k, struct input *in, const char *directory, struct fault *f);
/* Checks a line of a list, without its end. Returns 0, or -1 and sets *f. */
int klist_check_line(const char *text, size_t n, struct place at, struct fault *f);
/*
 * Opens the kernel of command cmd like trace_open(). A pipe can be opened only once. The list must outlive the trace.
 */
struct trace *klist_open(struct klist *k, uint32_t cmd, const struct trace_options *o, struct fault *f);
/*
 * Passes the text of the kernel of command cmd to use(), piece by piece; use() returns false to stop. Returns 0, or
 * -1 and sets *f.
 */
typedef bool klist_use(void *ctx, const void *bytes, size_t n);
int klist_pass_text(const struct klist *k, uint32_t cmd, klist_use *use, void *ctx, struct fault *f);
/* Decodes the block of the packed stream with the start of the kernel, so that forked processes inherit it. */
void klist_prepare(const struct klist *k, uint32_t cmd);
/*
 * Returns true if the kernel of command cmd can be read more than once, because it is in a packed stream or a regular
 * file.
 */
bool klist_can_reread(const struct klist *k, uint32_t cmd);
/* Checks that the kernel of command cmd is readable. Does not open it. Returns 0, or -1 and sets errno. */
int klist_check(const struct klist *k, uint32_t cmd);
/* Returns true if path does not exist. Returns false for a file that exists but cannot be read. */
bool klist_file_missing(const char *path);
/*
 * Returns true if the kernel of command cmd is missing: its file does not exist, or the packed stream lacks it.
 * Stores the result in the command.
 */
bool klist_missing(struct klist *k, uint32_t cmd);
/* Kernels that are skipped because they are missing. */
struct klist_skipped {
	uint32_t n;             /* number of kernels */
	uint32_t first_command; /* index of the command of the first kernel */
};
/* Counts the kernel of command cmd as skipped. */
void klist_skip(struct klist_skipped *s, uint32_t cmd);
/* Prints one warning if kernels are skipped. */
void klist_warn_skipped(const struct klist *k, const struct klist_skipped *s);
/*
 * Ends the program if output, which -f would replace, is the list or one of its kernel files. Accepts NULL as output.
 */
void klist_check_output(const struct klist *k, const char *output);
void klist_free(struct klist *k);
/* Sets out to the hash with which picks identify their list; see list_hash_new() in picks.h. */
void klist_hash(const struct klist *k, unsigned char out[16]);

/*
 * Parses the value of -k LIST: positions, ranges "7-9", "12-", or name patterns with * and ?, separated by commas; or
 * "@FILE", a picks file. Returns NULL and sets *f on failure. kselect_selects() needs name only if
 * kselect_needs_name() is true.
 */
struct kselect;
struct kselect *kselect_parse(const char *text, struct fault *f);
/* Returns true if the selection has the kernel. Without a selection (s is NULL) it has every kernel. */
bool kselect_selects(const struct kselect *s, uint32_t position, const char *name);
bool kselect_needs_name(const struct kselect *s);
/* Returns true if the selection may have a kernel of unknown name. A missing kernel can match any name pattern. */
bool kselect_may_select(const struct kselect *s, uint32_t position);
struct picks;
/* Checks that the picks of @FILE belong to this list. Returns 0, or -1 and sets *f. */
int kselect_check_list(const struct kselect *s, const struct klist *k, struct fault *f);
/* Warns about each position or range that begins after the last of the n kernels of the list. */
void kselect_warn_beyond(const struct kselect *s, uint32_t n_kernels);
/* Returns the picks of @FILE; NULL: the selection is by positions or names. */
const struct picks *kselect_picks(const struct kselect *s);
/* Ends the program if output, which -f would replace, is @FILE. Accepts NULL as output. */
void kselect_check_output(const struct kselect *s, const char *output);
void kselect_free(struct kselect *s);

#endif
