/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Kernel lists: the commands of an application in order, memory copies and kernels.
 *
 * A list is read whole (it is small); kernel files are only named here. Names are taken as they are:
 * blanks, quotes and semicolons are part of a name, trailing carriage returns and blanks are not.
 */
#ifndef KLIST_H
#define KLIST_H

#include <stdbool.h>
#include <stdint.h>
#include "diag.h"

struct input;
struct pack;
struct trace;
struct trace_options;

/* CMD_COPY_BACK: to the host; without effect but among kernels from PTX, and no command that a list needs. */
enum command_kind { CMD_MEMCPY, CMD_KERNEL, CMD_COPY_BACK };

struct command {
	enum command_kind kind;
	uint64_t line;           /* in the list, 0 when there is none */
	char *text;              /* the line as written */
	char *path;              /* CMD_KERNEL: folder of the list + "/" + name */
	uint64_t address, bytes; /* of copies */
	uint32_t position;       /* CMD_KERNEL: 1, 2, ... among the kernels */
	uint32_t kernel;         /* CMD_KERNEL: its number in the list's packed stream */
	struct input *in; /* CMD_KERNEL: the file, open at its first byte, where it was looked into; or NULL */
};

struct klist {
	char *path; /* of the list, or of the folder or kernel file it was made from */
	struct command *cmd;
	uint32_t n_cmds, n_kernels;
	struct pack *pack; /* the packed stream that list and kernels came in; NULL: they are files */
};

/*
 * path: a kernel list, a folder with one (kernelslist.g, else the only kernelslist_ctx_*.g), a packed stream,
 * one kernel file, or "-" (a kernel list on stdin, names relative to the current folder). 0, or -1 and *f:
 * empty list, unknown line, memcpy with a missing field, non-numeric or >= 4 GiB count.
 */
int klist_read(struct klist *k, const char *path, struct fault *f);
/*
 * The same for linters: a fault of a line is given to on_fault, true: go on with the next line; so are
 * remarks about blanks around a line and line ends.
 */
int klist_read_on(struct klist *k, const char *path, bool (*on_fault)(void *ctx, const struct fault *f),
	void *ctx, struct fault *f);
/* The same from an open input; folder is prefixed to kernel names ("" or NULL: as written). */
int klist_parse(struct klist *k, struct input *in, const char *folder, struct fault *f);
/*
 * The kernel that command number cmd names, as trace_open gives it. An operand that is a pipe can be read
 * once only. The list must live longer than the trace.
 */
struct trace *klist_open(struct klist *k, uint32_t cmd, const struct trace_options *o, struct fault *f);
/* Can the kernel be had as far as can be told without opening it? 0, or -1 and errno. */
int klist_check(const struct klist *k, uint32_t cmd);
/*
 * Ends the program when output, which -f would replace, is the list or a kernel file of it. NULL: no output.
 */
void klist_spare(const struct klist *k, const char *output);
void klist_free(struct klist *k);
/* By which picks know their list: see list_hash_new() in picks.h. */
void klist_hash(const struct klist *k, unsigned char out[16]);

/*
 * -k LIST: positions, ranges "7-9", "12-", or name patterns with * and ?, separated by commas; or "@FILE",
 * picks. NULL with *f. kselect_has answers for a kernel's position and name; a pattern needs the name.
 */
struct kselect;
struct kselect *kselect_parse(const char *text, struct fault *f);
bool kselect_has(const struct kselect *s, uint32_t position, const char *name); /* s NULL: all */
bool kselect_needs_name(const struct kselect *s);
struct picks;
/* 0, or -1 and *f where s are picks made for another list. */
int kselect_fits(const struct kselect *s, const struct klist *k, struct fault *f);
const struct picks *kselect_picks(const struct kselect *s); /* what @FILE held; NULL: positions or names */
/* Ends the program when output, which -f would replace, is @FILE. NULL: none. */
void kselect_spare(const struct kselect *s, const char *output);
void kselect_free(struct kselect *s);

#endif
