/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of picks from a path: a picks file, or a packed stream with picks in its index.
 *
 * picks.c parses both, so messages and bounds are the same.
 */
#include <string.h>
#include "input.h"
#include "pack.h"
#include "picks.h"

static int read_picks_of_stream(struct picks *p, const char *path, struct fault *f)
{
	struct pack *s = pack_open(path, f);
	int r = -1;

	if (s && !pack_picks(s)) {
		fault_set(f, (struct place){diag_keep(path), 0, 0}, "picks",
			"packed stream has no picks (expected one made by trace-pack -k @FILE)");
	} else if (s) {
		struct input *in = input_memory(path, pack_picks(s), strlen(pack_picks(s)), f);

		r = in ? picks_parse(p, in, f) : -1;
		input_close(in);
	}
	pack_close(s);
	return r;
}

int picks_read(struct picks *p, const char *path, struct fault *f)
{
	*p = (struct picks){0};
	if (pack_has_signature(path))
		return read_picks_of_stream(p, path, f);
	struct input *in = input_open(path, f);
	int r = in ? picks_parse(p, in, f) : -1;

	input_close(in);
	return r;
}
