/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output to stdout ("-" or NULL) or to a file, which has a temporary name in the same folder until it is
 * complete. A run that fails or is killed never leaves a half-written file under the final name. A write to a
 * closed pipe ends the program quietly as SIGPIPE would.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output;

/* Opens path; force: an existing file may be replaced. Ends the program on failure. */
struct output *output_open(const char *path, bool force);
/* Ends the program if output, which -f would replace, is the file input. Either may be NULL. */
void output_check_input(const char *output, const char *input);
/*
 * Opens path like output_open(), but the temporary name is NAME.part, which other processes may read meanwhile. A
 * file left by a process that has ended is replaced with a warning. Ends the program if another process is writing
 * the file.
 */
struct output *output_open_part(const char *path, bool force);
/*
 * Opens an existing NAME.part, as output_open_part() with force, and keeps its first `keep` bytes only. Ends the
 * program if the file is shorter.
 */
struct output *output_open_rest(const char *path, uint64_t keep);
/* Truncates NAME.part of an output to its first n bytes. No more may be written to it. */
void output_cut(struct output *o, uint64_t n);
/*
 * Flushes as output_flush() does. From then on, NAME.part of output_open_part() stays if the program ends
 * without a commit.
 */
void output_keep(struct output *o);
FILE *output_stream(struct output *o);
/* Opens a new unnamed file in $TMPDIR or /tmp, which fclose() deletes. Returns NULL and sets errno on failure. */
FILE *output_spool(void);
/*
 * Flushes and returns the path of the file written so far; NULL if it has no path (standard output, a device) or a
 * write failed, which output_commit() will report.
 */
const char *output_written(struct output *o);
/* Flushes, checks all writes and renames the file. Ends the program with a message if one of these failed. */
void output_commit(struct output *o);
/* Flushes all that was written so far; ends the program with a message on failure. */
void output_flush(struct output *o);
/*
 * Removes the temporary file. Also done at exit, and on SIGINT, SIGTERM, SIGHUP and SIGPIPE where these had
 * their default action when the output was opened; a program with own handlers calls output_discard_all().
 */
void output_discard(struct output *o);
/* Removes every temporary file of this process; async-signal-safe. The outputs must not be used again. */
void output_discard_all(void);

/*
 * Reports whether a name from an input stays inside the directory to which it is appended: it is relative and has no
 * "..".
 */
bool output_is_inside(const char *name);

#endif
