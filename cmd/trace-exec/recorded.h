/* SPDX-License-Identifier: BSD-2-Clause */
/* Option --compare: compares the trace of an execution with a recorded trace of the same program. */
#ifndef RECORDED_H
#define RECORDED_H

/* Returns the path of a new file for a trace, which is removed when the program ends. Exits on an error. */
const char *recorded_new_file(void);
/*
 * Compares trace `executed` with trace `recorded`, kernel by kernel, and writes a line for each kernel to stdout.
 * Returns EXIT_GOOD if they are equal, EXIT_NO if not; exits on an error.
 */
int recorded_compare(const char *executed, const char *recorded);

#endif
