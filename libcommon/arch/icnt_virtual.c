/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Validation of a network file: virtual channels that the routing needs, buffers, allocators.
 *
 * Always true afterwards: each class of packets has the number of channels that its routing needs; the parts of a
 * shared buffer cover every channel once; BookSim can build the allocators for every router of the network.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "arch/icnt_int.h"

/* Largest size of all buffers of one subnet, in flits. */
#define FLITS_MAX (1ull << 26)

static const enum icnt_id begins[4] = {ICNT_read_request_begin_vc, ICNT_write_request_begin_vc,
	ICNT_read_reply_begin_vc, ICNT_write_reply_begin_vc};
static const enum icnt_id ends[4] = {
	ICNT_read_request_end_vc, ICNT_write_request_end_vc, ICNT_read_reply_end_vc, ICNT_write_reply_end_vc};

/* ---- channels ------------------------------------------------------------------------------------------ */

static int validate_class_channels(struct icnt *c, struct fault *f)
{
	for (int i = 0; i < 4; i++) {
		int32_t begin = icnt_int(c, begins[i]), end = icnt_int(c, ends[i]),
			half = (int32_t)c->vcs / 2;

		if (begin < 0)
			begin = i < 2 ? 0 : half;
		if (end < 0)
			end = i < 2 ? half - 1 : (int32_t)c->vcs - 1;
		if (begin >= (int32_t)c->vcs)
			return icnt_reject(c, begins[i], f, "a channel below num_vcs = %u", c->vcs);
		if (end >= (int32_t)c->vcs)
			return icnt_reject(c, ends[i], f, "a channel below num_vcs = %u", c->vcs);
		if (end < begin)
			return icnt_reject(
				c, ends[i], f, "at least the first channel of the class, %d", begin);
		c->vc_begin[i] = (uint32_t)begin;
		c->vc_end[i] = (uint32_t)end;
	}
	return 0;
}

static uint32_t channels_needed(const struct icnt *c, enum icnt_need need)
{
	switch (need) {
	case NEED_PAIR:
	case NEED_FIRST: return 2;
	case NEED_FOUR: return 4;
	case NEED_NODES: return c->nodes;
	case NEED_RADIX: return c->k;
	case NEED_TWICE: return 2 * c->k - 1;
	default: return 1;
	}
}

static int validate_channels_of_routing(const struct icnt *c, struct fault *f)
{
	const struct icnt_routing_row *r = &icnt_routings[c->routing];
	uint32_t least = channels_needed(c, r->need);

	if (r->need == NEED_TWO && c->vcs < 2)
		return icnt_reject(
			c, ICNT_num_vcs, f, "at least 2: routing_function = %s changes channels", r->name);
	if (r->need == NEED_THREE && c->vcs != 3)
		return icnt_reject(c, ICNT_num_vcs, f, "num_vcs = 3 for routing_function = %s", r->name);
	if (r->need == NEED_TWICE && c->k != c->c)
		return icnt_reject(c, ICNT_c, f, "c = k = %u for routing_function = %s", c->k, r->name);
	if (r->need == NEED_TWO || r->need == NEED_THREE)
		return 0;
	for (int i = 0; i < 4; i++) {
		if (c->vc_end[i] - c->vc_begin[i] + 1 < least)
			return icnt_reject(c, ends[i], f,
				"at least %u channels starting at %u, which routing_function = %s of %s divides",
				least, c->vc_begin[i], r->name, icnt_topologies[c->topology].name);
		if (r->need == NEED_FIRST && c->vc_begin[i])
			return icnt_reject(c, begins[i], f,
				"channel 0, which routing_function = %s falls back to", r->name);
	}
	return 0;
}

/* Checks the option noq, which divides a packet's channels among the outputs of the next router. */
static int validate_noq(const struct icnt *c, struct fault *f)
{
	const struct icnt_routing_row *r = &icnt_routings[c->routing];
	uint32_t least, most, parts = channels_needed(c, r->need);

	if (icnt_int(c, ICNT_noq) <= 0)
		return 0;
	if (icnt_int(c, ICNT_routing_delay))
		return icnt_reject(c, ICNT_noq, f, "0, or routing_delay = 0");
	if (!strcmp(r->name, "min_adapt"))
		return icnt_reject(c, ICNT_noq, f, "0 with routing_function = min_adapt");
	if (r->need == NEED_TWO || r->need == NEED_THREE || !strcmp(r->name, "chaos"))
		return icnt_reject(c, ICNT_noq, f, "0 with routing_function = %s", r->name);
	icnt_ports(c, &least, &most);
	for (int i = 0; i < 4; i++)
		if ((c->vc_end[i] - c->vc_begin[i] + 1) / parts < most)
			return icnt_reject(c, ends[i], f,
				"at least %u channels starting at %u: with noq each of %u outputs of a router has its own",
				parts * most, c->vc_begin[i], most);
	return 0;
}

/* ---- buffers ------------------------------------------------------------------------------------------- */

static const char policy_names[] =
#define POLICY(name, id, text) ", " #name
#include "arch/network.def"
	;

static int validate_policy(struct icnt *c, struct fault *f)
{
	static const char *const names[N_POLICIES] = {
#define POLICY(name, id, text) #name,
#include "arch/network.def"
	};
	const char *name = icnt_text(c, ICNT_buffer_policy);
	uint32_t i;

	for (i = 0; i < N_POLICIES && strcmp(name, names[i]); i++)
		;
	if (i == N_POLICIES)
		return icnt_reject(c, ICNT_buffer_policy, f, "%s", policy_names + 2);
	c->policy = (enum icnt_policy)i;
	return 0;
}

/*
 * Sets the first channel of each part of the buffer, or if `end` is set, the last one. The option lists the channels;
 * otherwise they are evenly spread.
 */
static int set_part_bounds(const struct icnt *c, enum icnt_id id, int64_t *list, bool end, struct fault *f)
{
	int n = icnt_list(c, id, list, 1026, f);

	if (n < 0)
		return -1;
	if (n == 1 && list[0] < 0) {
		for (uint32_t i = 0; i < c->private_bufs; i++)
			list[i] = end ? (int64_t)((i + 1) * c->vcs / c->private_bufs) - 1
				      : i * c->vcs / c->private_bufs;
		return 0;
	}
	if ((uint32_t)n < c->private_bufs)
		return icnt_reject(
			c, id, f, "a channel for each of %u parts (private_bufs)", c->private_bufs);
	return 0;
}

static int validate_parts(struct icnt *c, int64_t *begin, int64_t *end, struct fault *f)
{
	if (set_part_bounds(c, ICNT_private_buf_start_vc, begin, false, f) < 0 ||
		set_part_bounds(c, ICNT_private_buf_end_vc, end, true, f) < 0)
		return -1;
	for (uint32_t i = 0; i < c->vcs; i++)
		c->private_of[i] = UINT32_MAX;
	for (uint32_t i = 0; i < c->private_bufs; i++) {
		if (begin[i] < 0 || end[i] < begin[i] || end[i] >= (int64_t)c->vcs)
			return icnt_reject(c, ICNT_private_buf_end_vc, f,
				"channels below num_vcs = %u, not before those of private_buf_start_vc",
				c->vcs);
		for (int64_t v = begin[i]; v <= end[i]; v++) {
			if (c->private_of[v] != UINT32_MAX)
				return icnt_reject(
					c, ICNT_private_buf_end_vc, f, "channel %d in one part", (int)v);
			c->private_of[v] = i;
		}
	}
	for (uint32_t i = 0; i < c->vcs; i++)
		if (c->private_of[i] == UINT32_MAX)
			return icnt_reject(c, ICNT_private_buf_end_vc, f,
				"a part for each of %u channels; %u is in none", c->vcs, i);
	return 0;
}

static int validate_part_sizes(struct icnt *c, struct fault *f)
{
	int64_t *list = xcalloc(1026, sizeof(*list)), left = c->buffer;
	int n = icnt_list(c, ICNT_private_buf_size, list, 1026, f), status = n < 0 ? -1 : 0;

	for (uint32_t i = 0; status == 0 && i < c->private_bufs; i++) {
		int64_t size = n ? list[(int)i < n ? (int)i : n - 1] : 1;

		c->private_size[i] = size < 0 ? c->buffer / c->private_bufs : (uint32_t)size;
		left -= c->private_size[i];
	}
	free(list);
	if (status < 0)
		return -1;
	if (left < 0)
		return icnt_reject(c, ICNT_private_buf_size, f,
			"parts that fit into the %u flits of buf_size", c->buffer);
	c->shared_size = (uint32_t)left;
	return 0;
}

static int validate_shared(struct icnt *c, struct fault *f)
{
	int32_t parts = icnt_int(c, ICNT_private_bufs), held = icnt_int(c, ICNT_max_held_slots);
	int64_t *list = xcalloc(2 * 1026, sizeof(*list));
	int status;

	c->private_bufs = parts < 0 ? c->vcs : parts ? (uint32_t)parts : 1;
	c->private_size = xcalloc(c->private_bufs, sizeof(*c->private_size));
	c->private_of = xcalloc(c->vcs, sizeof(*c->private_of));
	status = validate_parts(c, list, list + 1026, f);
	free(list);
	if (status < 0 || validate_part_sizes(c, f) < 0)
		return -1;
	c->held_max = c->policy == POLICY_LIMITED && held >= 0 ? (uint32_t)held : c->buffer;
	if (!c->held_max)
		return icnt_reject(c, ICNT_max_held_slots, f, "at least one flit");
	if ((c->policy == POLICY_DYNAMIC || c->policy == POLICY_SHIFTING) && c->buffer < c->vcs)
		return icnt_reject(c, ICNT_buf_size, f, "a flit for each of %u channels", c->vcs);
	for (uint32_t i = 0; i < c->vcs; i++)
		if (!c->private_size[c->private_of[i]] && !c->shared_size)
			return icnt_reject(
				c, ICNT_private_buf_size, f, "a flit for each channel, %u has none", i);
	c->vc_buffer = c->buffer;
	return 0;
}

static int validate_buffers(struct icnt *c, struct fault *f)
{
	int32_t size = icnt_int(c, ICNT_buf_size), each = icnt_int(c, ICNT_vc_buf_size);

	if (validate_policy(c, f) < 0)
		return -1;
	if (!size)
		return icnt_reject(c, ICNT_buf_size, f,
			"at least 1 flit, or a number below 0 for num_vcs times vc_buf_size");
	c->buffer = size < 0 ? c->vcs * (uint32_t)each : (uint32_t)size;
	if (c->policy != POLICY_PRIVATE)
		return validate_shared(c, f);
	c->vc_buffer = size < 0 ? (uint32_t)each : (uint32_t)size / c->vcs;
	if (!c->vc_buffer)
		return icnt_reject(c, ICNT_buf_size, f, "a flit for each of %u channels", c->vcs);
	return 0;
}

int icnt_validate_virtual(struct icnt *c, struct fault *f)
{
	uint32_t least, most;

	c->vcs = (uint32_t)icnt_int(c, ICNT_num_vcs);
	if (validate_class_channels(c, f) < 0 || validate_channels_of_routing(c, f) < 0 ||
		validate_noq(c, f) < 0 || validate_buffers(c, f) < 0)
		return -1;
	icnt_ports(c, &least, &most);
	/* The number of channels of all nodes is an upper bound of the number of buffers of a subnet. */
	if (most > 4096 || (uint64_t)most * c->vcs > 65536)
		return icnt_reject(c, ICNT_num_vcs, f, "at most %u for routers of %u ports",
			65536 / (most ? most : 1), most);
	if ((uint64_t)c->nodes * c->vcs * c->vc_buffer > FLITS_MAX)
		return icnt_reject(c, ICNT_num_vcs, f, "buffers of less than %llu flits for %u nodes",
			(unsigned long long)FLITS_MAX, c->nodes);
	return 0;
}

/* ---- allocators ---------------------------------------------------------------------------------------- */

static const char *const allocators[N_ALLOCATORS] = {
#define ALLOCATOR(name, id, text) #name,
#include "arch/network.def"
};

static const char allocator_names[] =
#define ALLOCATOR(name, id, text) ", " #name
#include "arch/network.def"
	;

/* Parses the n bytes of an arbiter in brackets. The form tree(g,inner) may be nested. */
static bool parse_arbiter(struct icnt_alloc *a, const char *text, size_t n)
{
	char *end;
	long groups;

	if (n == 11 && !memcmp(text, "round_robin", n)) {
		a->arbiter = ARBITER_ROUND_ROBIN;
		return true;
	}
	if (n == 6 && !memcmp(text, "matrix", n)) {
		a->arbiter = ARBITER_MATRIX;
		return true;
	}
	if (n < 8 || memcmp(text, "tree(", 5) || text[n - 1] != ')' || a->depth == ICNT_DEPTH_MAX)
		return false;
	groups = strtol(text + 5, &end, 10);
	if (*end != ',' || groups < 1 || groups > 65536)
		return false;
	a->groups[a->depth++] = (uint32_t)groups;
	return parse_arbiter(a, end + 1, (size_t)(text + n - 1 - (end + 1)));
}

static int parse_alloc(const struct icnt *c, enum icnt_id id, struct icnt_alloc *a, struct fault *f)
{
	const char *text = icnt_text(c, id), *open = strchr(text, '('), *close = strrchr(text, ')');
	size_t n = open ? (size_t)(open - text) : strlen(text), inner = 0;
	uint32_t k;
	char *end;

	*a = (struct icnt_alloc){.rounds = 1};
	for (k = 0; k < N_ALLOCATORS && !(strlen(allocators[k]) == n && !memcmp(allocators[k], text, n)); k++)
		;
	if (k == N_ALLOCATORS)
		return icnt_reject(c, id, f, "%s%s",
			id == ICNT_spec_sw_allocator ? "prio, "
			: id == ICNT_vc_allocator    ? "piggyback, "
						     : "",
			allocator_names + 2);
	a->kind = (enum icnt_allocator)k;
	if (open)
		inner = close && close > open ? (size_t)(close - open - 1) : strlen(open + 1);
	if (!inner)
		return 0;
	if (k == ALLOCATOR_SEPARABLE_INPUT_FIRST || k == ALLOCATOR_SEPARABLE_OUTPUT_FIRST)
		return parse_arbiter(a, open + 1, inner)
			       ? 0
			       : icnt_reject(c, id, f,
					 "round_robin, matrix or tree(groups,arbiter) in the brackets");
	if (k != ALLOCATOR_ISLIP && k != ALLOCATOR_PIM && k != ALLOCATOR_SELECT)
		return 0;
	a->rounds = (uint32_t)strtol(open + 1, &end, 10);
	if (end == open + 1 || (size_t)(end - open - 1) != inner || a->rounds < 1 || a->rounds > 1024)
		return icnt_reject(c, id, f, "from 1 to 1024 rounds in the brackets");
	return 0;
}

/* Checks that the groups of tree arbiters evenly divide `size` inputs and `other` inputs. */
static int validate_trees(const struct icnt *c, enum icnt_id id, const struct icnt_alloc *a, uint32_t size,
	uint32_t other, struct fault *f)
{
	for (uint32_t d = 0; d < a->depth; d++) {
		if (size % a->groups[d] || other % a->groups[d])
			return icnt_reject(c, id, f, "groups that divide the %u requests of an arbiter",
				size % a->groups[d] ? size : other);
		/* On the next level, one arbiter chooses a member of a group, and one chooses a group. */
		size /= a->groups[d];
		other = a->groups[d];
	}
	return 0;
}

static int validate_groups(const struct icnt *c, enum icnt_id id, const struct icnt_alloc *a, uint32_t in,
	uint32_t out, struct fault *f)
{
	uint32_t least, most;

	icnt_ports(c, &least, &most);
	if (validate_trees(c, id, a, least * in, least * out, f) < 0)
		return -1;
	return validate_trees(c, id, a, most * in, most * out, f);
}

/* Checks the options of piggyback, in which only a request for the switch gives a head flit its channel. */
static int validate_piggyback(const struct icnt *c, struct fault *f)
{
	if (icnt_int(c, ICNT_spec_check_elig) > 0 || icnt_int(c, ICNT_spec_check_cred) <= 0)
		return 0;
	return icnt_reject(
		c, ICNT_spec_check_elig, f, "1, or spec_check_cred = 0; otherwise no flit would pass");
}

int icnt_validate_alloc(struct icnt *c, struct fault *f)
{
	uint32_t in = (uint32_t)icnt_int(c, ICNT_input_speedup),
		 out = (uint32_t)icnt_int(c, ICNT_output_speedup);
	bool held = icnt_int(c, ICNT_hold_switch_for_packet) > 0;

	c->speculative = icnt_int(c, ICNT_speculative) > 0;
	if (c->speculative && !strcmp(icnt_text(c, ICNT_vc_allocator), "piggyback"))
		c->vc_alloc = (struct icnt_alloc){.kind = ALLOCATOR_PIGGYBACK};
	else if (parse_alloc(c, ICNT_vc_allocator, &c->vc_alloc, f) < 0 ||
		 validate_groups(c, ICNT_vc_allocator, &c->vc_alloc, c->vcs, c->vcs, f) < 0)
		return -1;
	if (parse_alloc(c, ICNT_sw_allocator, &c->sw_alloc, f) < 0 ||
		validate_groups(c, ICNT_sw_allocator, &c->sw_alloc, in, out, f) < 0)
		return -1;
	c->spec_alloc = (struct icnt_alloc){.kind = ALLOCATOR_PRIO};
	if (c->speculative && strcmp(icnt_text(c, ICNT_spec_sw_allocator), "prio") != 0 &&
		(parse_alloc(c, ICNT_spec_sw_allocator, &c->spec_alloc, f) < 0 ||
			validate_groups(c, ICNT_spec_sw_allocator, &c->spec_alloc, in, out, f) < 0))
		return -1;
	if (held && out > 1 && icnt_int(c, ICNT_output_buffer_size) >= 0)
		return icnt_reject(c, ICNT_output_buffer_size, f,
			"-1 with hold_switch_for_packet and output_speedup = %u", out);
	if (c->vc_alloc.kind == ALLOCATOR_PIGGYBACK && validate_piggyback(c, f) < 0)
		return -1;
	if (!icnt_int(c, ICNT_output_buffer_size))
		return icnt_reject(c, ICNT_output_buffer_size, f, "at least 1 flit, or -1");
	return 0;
}
