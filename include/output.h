/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Output to stdout ("-" or NULL) or to a file. The file has a temporary name in the same directory until it is
 * complete, so a run that fails or is killed never leaves a half-written file under the final name. A write to a closed
 * pipe ends the program quietly, as SIGPIPE would.
 */
#ifndef OUTPUT_H
#define OUTPUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct output;

/*
 * Prepares a process for files. Opens /dev/null on descriptors 0 to 2 that are closed, in the direction in which each
 * is not used, so that its use still fails and no file gets its number. Makes writes beyond a file size limit fail with
 * EFBIG. A program that is executed finds the descriptors closed and the limit's signal with its default action.
 */
void output_prepare_process(void);
/*
 * Opens path. If force is set, an existing file may be replaced. Ends the program on failure, and if standard output
 * is already the path of an output that is not yet committed.
 */
struct output *output_open(const char *path, bool force);
/* Ends the program if output, which -f would replace, is the file input. Accepts NULL for both. */
void output_check_input(const char *output, const char *input);
/*
 * Opens path like output_open() with the temporary name NAME.part, which other processes may read meanwhile. Replaces
 * the file of a process that has ended, with a warning. Ends the program if another process is writing the file.
 */
struct output *output_open_part(const char *path, bool force);
/*
 * Returns the path NAME.part that output_open_part() gives to the output of path; if path is a symbolic link, NAME is
 * its target. The caller frees the path.
 */
char *output_part_path(const char *path);
/*
 * Opens an existing NAME.part like output_open_part() with force, and keeps only its first `keep` bytes. Ends the
 * program if the file is shorter.
 */
struct output *output_reopen_part(const char *path, uint64_t keep);
/* Truncates the NAME.part of an output to its first n bytes. No more bytes may be written to it. */
void output_truncate(struct output *o, uint64_t n);
/*
 * Flushes like output_flush(). From then on, the NAME.part of output_open_part() stays if the program ends without a
 * commit.
 */
void output_keep_part(struct output *o);
FILE *output_stream(struct output *o);
/* Opens a new unnamed file in $TMPDIR or /tmp; fclose() deletes it. Ends the program with a message on failure. */
FILE *output_open_unnamed(void);
/* Like output_open_unnamed(), but returns NULL and sets errno on failure. */
FILE *output_try_unnamed(void);
/*
 * Flushes and returns the path of the file with the output so far. Returns NULL if it has no path (standard output, a
 * device) or a write failed; output_commit() then reports the failure.
 */
const char *output_flushed_path(struct output *o);
/* Flushes, checks that all writes succeeded, and renames the file. Ends the program with a message on failure. */
void output_commit(struct output *o);
/* Flushes the output. Ends the program with a message on failure. */
void output_flush(struct output *o);
/*
 * Removes the temporary file. This also happens at exit, and on SIGINT, SIGTERM, SIGHUP and SIGPIPE if they had their
 * default action when the output was opened. A program with its own handlers calls output_discard_all().
 */
void output_discard(struct output *o);
/*
 * Removes every temporary file of this process. The function is async-signal-safe. The outputs must not be used
 * afterwards.
 */
void output_discard_all(void);

/*
 * Returns true if a name from an input is relative and has no "..", and so stays inside the directory to which it is
 * appended.
 */
bool output_is_inside(const char *name);

#endif
