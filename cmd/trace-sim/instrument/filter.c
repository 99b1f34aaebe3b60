/* SPDX-License-Identifier: BSD-2-Clause */
/* Parses filters by SM, warp and cycle; see filter.h. */
#include "instrument/filter.h"
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Reads a decimal number and moves *p to its end. */
static bool read_filter_number(const char **p, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	errno = 0;
	*v = strtoull(*p, &end, 10);
	*p = end;
	return !errno;
}

/* Reads "N" or "N-M" and moves *p to its end. */
static bool read_filter_range(const char **p, uint64_t range[2])
{
	if (!read_filter_number(p, &range[0]))
		return false;
	range[1] = range[0];
	if (**p != '-')
		return true;
	++*p;
	return read_filter_number(p, &range[1]) && range[1] >= range[0];
}

const char *filter_parse(struct filter *f, const char *text)
{
	const struct {
		const char *name;
		uint64_t *range;
	} parts[] = {{"sm=", f->sm}, {"warp=", f->warp}, {"cycles=", f->cycles}};
	const char *p = text;

	f->active = true;
	for (size_t i = 0; i < 3; i++) {
		parts[i].range[0] = 0;
		parts[i].range[1] = UINT64_MAX;
	}
	do {
		size_t i = 0;

		while (i < 3 && strncmp(p, parts[i].name, strlen(parts[i].name)) != 0)
			i++;
		if (i == 3)
			return p;
		p += strlen(parts[i].name);
		if (!read_filter_range(&p, parts[i].range))
			return p;
	} while (*p++ == ',');
	return p[-1] ? p - 1 : NULL;
}
