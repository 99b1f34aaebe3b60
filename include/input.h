/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Input: a path or "-", plain, gzip, xz, zstd or an archive of a kernel trace (.tracez), recognised by content and
 * never by name.
 *
 * Always true: memory is bounded by one window of decompressed text, which grows only for a longer line, up to
 * INPUT_LINE_MAX (archives are the exception: they are read as a whole); a compressed stream that ends early or is
 * damaged is a fault, never a silent end of file; no name is passed to a shell.
 */
#ifndef INPUT_H
#define INPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

/* Largest length of a line in bytes; a longer line is a fault "line-too-long". */
#define INPUT_LINE_MAX (1u << 20)

struct input;

enum input_coding { INPUT_PLAIN, INPUT_GZIP, INPUT_XZ, INPUT_ZSTD, INPUT_TRACEZ };

/*
 * Opens path; "-" is standard input, which a process can open once. Returns NULL and sets *f on failure; a directory is
 * a fault "is-folder".
 */
struct input *input_open(const char *path, struct fault *f);
/*
 * Opens a duplicate of the descriptor fd at the current offset; the caller keeps fd. Messages show name. Returns NULL
 * and sets *f on failure.
 */
struct input *input_descriptor(int fd, const char *name, struct fault *f);
/*
 * Opens bytes in memory, which must outlive the input (for fuzzing and packed text); compressed bytes are
 * decompressed.
 */
struct input *input_memory(const char *name, const void *bytes, size_t n, struct fault *f);
/*
 * Opens plain text that is generated while it is read: make() writes up to n bytes to buf and returns their number,
 * or 0 at the end. ctx must outlive the input.
 */
struct input *input_generated(const char *name, size_t (*make)(void *ctx, void *buf, size_t n), void *ctx);
void input_close(struct input *in); /* accepts NULL */

const char *input_name(const struct input *in); /* Returns the name for messages; "<stdin>" for "-". */
enum input_coding input_coding(const struct input *in);
/* Returns true if the path can be opened again: false for pipes, devices and standard input. */
bool input_can_reopen(const struct input *in);

/*
 * Returns a new descriptor of the input's file if this is a plain regular file whose first byte is the input's first
 * byte; else -1.
 */
int input_duplicate(const struct input *in);

/* Consumes a byte order mark of UTF-8 at the current offset, which some editors write at the start of a text. */
void input_skip_byte_order_mark(struct input *in);

/*
 * Reads the next line without its end, which is a newline or a carriage return and a newline, and without a NUL.
 * Returns 1, 0 at the end, or -1 and sets *f. *text is valid until the next call. A last line without newline counts.
 */
int input_line(struct input *in, const char **text, size_t *len, struct fault *f);
uint64_t input_lineno(const struct input *in); /* returns the number of the last returned line, from 1 */
uint64_t input_offset(const struct input *in); /* returns the number of decompressed bytes read */
/* Returns true if the last returned line ended with a newline. */
bool input_line_had_newline(const struct input *in);

/*
 * Sets *bytes to the buffered bytes, for fast parsers: at least `want` bytes unless the input ends first. Returns
 * their number (0 at the end), or -1 and sets *f. input_consume() consumes the first `bytes` of them, which contain
 * `lines` newlines.
 */
long input_window(struct input *in, size_t want, const char **bytes, struct fault *f);
void input_consume(struct input *in, size_t bytes, uint64_t lines);

/* Reads up to n bytes into buf. Returns their number, 0 at the end, or -1 and sets *f. */
long input_read(struct input *in, void *buf, size_t n, struct fault *f);

#endif
