/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * How many processors there are to use. Used by threads.c and share.c; nothing that is computed may
 * depend on it.
 */
#ifndef CPUS_H
#define CPUS_H

#include <stdbool.h>

/*
 * Those that this process may use: its affinity, and the quotas of its control group and of those above; at
 * least 1.
 */
unsigned cpus_allowed(void);
/* Would all that runs on this machine now, and so many threads more, find a processor each? */
bool cpus_idle(unsigned more);

#endif
