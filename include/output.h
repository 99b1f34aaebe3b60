/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Writing a result: to stdout ("-" or NULL) or to a file under a temporary name beside the final one
 * that is renamed when complete. A run that fails or is killed never leaves a half-written file under
 * the final name. A write to a closed pipe ends the program quietly as SIGPIPE would.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct output;

/* force: an existing file may be replaced. Dies on failure. */
struct output *output_open(const char *path, bool force);
/*
 * Ends the program when output, which -f would replace, is the file input, which is read. NULL: no such file.
 */
void output_spare(const char *output, const char *input);
/*
 * The same, but the temporary name is NAME.part, which others may read meanwhile. One that a dead process
 * left is replaced with a warning; one that another process writes is the end of this one.
 */
struct output *output_open_part(const char *path, bool force);
/*
 * Flush, as output_flush() does; from now on what output_open_part() made stays under NAME.part should the
 * program end without a commit.
 */
void output_keep(struct output *o);
FILE *output_stream(struct output *o);
/* A new file without a name in $TMPDIR or /tmp, gone when it is closed. NULL and errno. */
FILE *output_spool(void);
/*
 * Flush. The path under which all that was written can be read now, NULL: none (standard output, a device),
 * or a write failed, which output_commit() will tell.
 */
const char *output_written(struct output *o);
/* Flush, check every earlier write, rename into place. Dies with the reason when anything failed. */
void output_commit(struct output *o);
/* What was written so far leaves the program, or the program ends with a message. */
void output_flush(struct output *o);
/*
 * Remove the temporary file. Also done at exit, and on SIGINT, SIGTERM, SIGHUP and SIGPIPE where these had
 * their default action when the output was opened; a program with own handlers calls output_discard_all().
 */
void output_discard(struct output *o);
/* Remove every temporary file of this process; async-signal-safe. The outputs must not be used again. */
void output_discard_all(void);

/* Tests whether a name, which an input gives, is a path inside of a directory: relative and without "..". */
bool output_is_inside(const char *name);

#endif
