/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Processors of this machine, as the system tells: /proc/self/cgroup and /sys/fs/cgroup (version 2),
 * /proc/loadavg. What cannot be read bounds nothing, and is idle never. See cpus.h.
 */
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "cpus.h"
#include "num.h"

/* The first line of a file that begins with `start`, without that and its end; false: there is none. */
static bool line_of(const char *path, const char *start, char *text, size_t size)
{
	FILE *f = fopen(path, "r");
	size_t n = strlen(start);
	bool found = false;

	while (f && !found && fgets(text, (int)size, f))
		found = !strncmp(text, start, n);
	if (f)
		fclose(f);
	if (!found)
		return false;
	text[strcspn(text, "\n")] = 0;
	memmove(text, text + n, strlen(text + n) + 1);
	return true;
}

/* "max 100000", or microseconds of processor in so many of time */
static uint64_t quota(const char *group)
{
	char path[4200], text[64];
	const char *period;
	uint64_t of;

	snprintf(path, sizeof(path), "/sys/fs/cgroup%s/cpu.max", group);
	if (!line_of(path, "", text, sizeof(text)) || text[0] == 'm')
		return UINT64_MAX;
	period = strchr(text, ' ');
	of = period ? num_leading(period + 1) : 0;
	return of ? (num_leading(text) + of - 1) / of : UINT64_MAX;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

unsigned cpus_allowed(void)
{
	char group[4096] = "", *end;
	cpu_set_t set;
	uint64_t n = 1;

	if (!sched_getaffinity(0, sizeof(set), &set))
		n = (uint64_t)CPU_COUNT(&set);
	if (line_of("/proc/self/cgroup", "0::", group, sizeof(group))) {
		end = group + strlen(group);
		do {
			*end = 0;
			n = least(n, quota(group));
			end = strrchr(group, '/');
		} while (end);
	}
	return n ? (unsigned)n : 1;
}

/* "0.20 0.18 0.12 1/80 11206": the fourth field begins with the threads that run, this one among them. */
bool cpus_idle(unsigned more)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	char text[128], *at = text;

	if (!line_of("/proc/loadavg", "", text, sizeof(text)))
		return false;
	for (unsigned i = 0; at && i < 3; i++)
		at = strchr(at + (i ? 1 : 0), ' ');
	return at && online > 0 && num_leading(at + 1) + more <= (uint64_t)online;
}
