/* SPDX-License-Identifier: BSD-2-Clause */
/* Launches to trace and check: --kernels and --launches. */
#ifndef CHOICE_H
#define CHOICE_H

#include <stdbool.h>
#include <stdint.h>
#include "namelist.h"

struct launch_range {
	uint32_t first, last;
};

/* A zeroed struct chooses all launches. */
struct launch_choice {
	struct namelist kernels;
	struct launch_range *launches;
	uint32_t n_launches, cap_launches;
};

/* Adds patterns of kernel names, separated by commas. */
void choice_add_kernels(struct launch_choice *c, const char *patterns);
/* Adds numbers and ranges, "3,7-9,12-". Returns the first invalid item, or NULL if all were added. */
const char *choice_add_launches(struct launch_choice *c, const char *ranges);
/* Returns true if the launch with this number, counted from 1, is chosen. */
bool choice_includes_launch(const struct launch_choice *c, uint32_t number, const char *kernel);
void choice_free(struct launch_choice *c);

#endif
