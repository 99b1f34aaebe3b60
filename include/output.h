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
/* Ends the program when output, which -f would replace, is the file input. NULL: no file. */
void output_spare(const char *output, const char *input);
/*
 * Opens path as output_open does, but the temporary name is NAME.part, which other processes may read
 * meanwhile. A leftover of a dead process is replaced with a warning; a file that another process is writing
 * ends the program.
 */
struct output *output_open_part(const char *path, bool force);
/*
 * Opens an existing NAME.part, as output_open_part() with force, and keeps its first `keep` bytes only. Ends the
 * program if the file is shorter.
 */
struct output *output_open_rest(const char *path, uint64_t keep);
/* Cuts NAME.part of an output after its first n bytes. Nothing must be written to it afterwards. */
void output_cut(struct output *o, uint64_t n);
/*
 * Flushes as output_flush() does. From then on, NAME.part of output_open_part() stays if the program ends
 * without a commit.
 */
void output_keep(struct output *o);
FILE *output_stream(struct output *o);
/* Opens a new unnamed file in $TMPDIR or /tmp, which fclose() deletes. NULL and errno. */
FILE *output_spool(void);
/*
 * Flushes and returns the path of the file written so far; NULL: it has none (standard output, a device), or
 * a write failed, which output_commit() will report.
 */
const char *output_written(struct output *o);
/* Flushes, checks all writes and renames the file. Ends the program with the reason when one failed. */
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

/* Tests whether a name, which an input gives, is a path inside of a directory: relative and without "..". */
bool output_is_inside(const char *name);

#endif
