/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Reader of the links of an anynet: lines "router R node N ... router S [CYCLES] ..." or "node N router R", words
 * separated by blanks. A link between routers has two directions; CYCLES is the latency of the direction that is
 * written. The opposite direction takes one cycle unless it is written, too.
 *
 * A number after a node is not the latency of that node (quirk Q4-39). "router R node N CYCLES" sets the link from
 * router R to router N, which may be R itself; "node N router R CYCLES" sets the latency of node R at router N. If a
 * link or node is repeated without cycles, it has one cycle.
 *
 * Always true of the result: routers and nodes are numbered from 0 without gaps, each node is at one router,
 * every link has both directions, every router can be reached from every other.
 */
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "icnt.h"

#define ROUTERS_MAX ICNT_NODES_MAX
#define LINKS_MAX   (1u << 20)

struct anynet_edge {
	uint32_t from;        /* router at the start of the channel */
	uint32_t to;          /* router at its end */
	uint32_t cycles;      /* latency of the channel */
	struct place one_way; /* place of a link without its opposite; without a file: none */
};

struct anynet_reader {
	const char *file, *line;
	size_t n;   /* length of the line */
	size_t col; /* column of the reader */
	uint64_t lineno;
	uint32_t routers;      /* number of routers so far */
	uint32_t nodes;        /* number of nodes so far */
	uint64_t *router_seen; /* set of the routers that occurred */
	uint64_t *node_seen;   /* set of the nodes that occurred */
	uint32_t *router_of;   /* router to which each node is connected */
	uint32_t *cycles_of;   /* latency between each node and its router */
	struct claim {
		uint32_t router;    /* router to which a node with cycles must belong */
		struct place place; /* place in the file; without a file: there is no such node */
	} * claim;                  /* by node */
	struct anynet_edge *link;
	uint32_t n_links, cap_links;
};

struct anynet_word {
	const char *text;
	size_t n; /* number of bytes of text */
	struct place place;
	char quoted[42]; /* quoted word for messages */
};

static bool next_word(struct anynet_reader *r, struct anynet_word *w)
{
	char shown[40];
	size_t start;

	while (r->col < r->n && r->line[r->col] == ' ')
		r->col++;
	start = r->col;
	while (r->col < r->n && r->line[r->col] != ' ')
		r->col++;
	*w = (struct anynet_word){.text = r->line + start,
		.n = r->col - start,
		.place = {r->file, r->lineno, (uint32_t)start + 1}};
	if (w->n)
		snprintf(w->quoted, sizeof(w->quoted), "'%s'",
			diag_quote(shown, sizeof(shown), w->text, w->n));
	else
		snprintf(w->quoted, sizeof(w->quoted), "end of line");
	return w->n != 0;
}

static bool word_is(const struct anynet_word *w, const char *text)
{
	return w->n == strlen(text) && !memcmp(w->text, text, w->n);
}

static bool word_number(const struct anynet_word *w, uint32_t *out)
{
	uint64_t v = 0;

	for (size_t i = 0; i < w->n; i++) {
		if (w->text[i] < '0' || w->text[i] > '9' || v > UINT32_MAX)
			return false;
		v = v * 10 + (uint64_t)(w->text[i] - '0');
	}
	*out = (uint32_t)v;
	return w->n && v <= UINT32_MAX;
}

/* Reads the number after "router" or "node". Returns 1 for a router, 0 for a node, or -1 and sets *f. */
static int read_endpoint(
	struct anynet_reader *r, const struct anynet_word *kind, uint32_t *id, struct fault *f)
{
	bool router = word_is(kind, "router");
	struct anynet_word w;

	if (!router && !word_is(kind, "node"))
		return fault_set(f, kind->place, "anynet-word", "unexpected %s (expected router or node)",
			kind->quoted);
	if (!next_word(r, &w) || !word_number(&w, id) || *id >= ROUTERS_MAX)
		return fault_set(f, w.place, "anynet-number",
			"unexpected %s (expected the number of a %s, 0 to %u)", w.quoted,
			router ? "router" : "node", ROUTERS_MAX - 1);
	if (router) {
		bitset_set(r->router_seen, *id);
		r->routers = *id >= r->routers ? *id + 1 : r->routers;
	}
	return router;
}

static int assign_node_to_router(
	struct anynet_reader *r, uint32_t node, uint32_t router, const struct anynet_word *w, struct fault *f)
{
	if (bitset_test(r->node_seen, node) && r->router_of[node] != router)
		return fault_set(f, w->place, "anynet-node", "node %u is at router %u and at router %u", node,
			r->router_of[node], router);
	bitset_set(r->node_seen, node);
	r->nodes = node >= r->nodes ? node + 1 : r->nodes;
	r->router_of[node] = router;
	r->cycles_of[node] = 1;
	return 0;
}

static struct anynet_edge *find_link(struct anynet_reader *r, uint32_t from, uint32_t to)
{
	for (uint32_t i = r->n_links; i-- > 0;)
		if (r->link[i].from == from && r->link[i].to == to)
			return &r->link[i];
	return NULL;
}

static struct anynet_edge *set_link(struct anynet_reader *r, uint32_t from, uint32_t to, struct place at)
{
	if (r->n_links == r->cap_links)
		grow(&r->link, &r->cap_links, r->n_links + 1, sizeof(*r->link));
	r->link[r->n_links] = (struct anynet_edge){from, to, 1, at};
	return &r->link[r->n_links++];
}

/* Adds one direction of a link, and the opposite direction if `back` is set. */
static int add_link(struct anynet_reader *r, uint32_t from, uint32_t to, const struct anynet_word *w,
	uint32_t cycles, bool back, struct fault *f)
{
	struct anynet_edge *l;

	if (r->n_links + 2 > LINKS_MAX / 64)
		return fault_set(f, w->place, "anynet-links", "more than %u links", LINKS_MAX / 64 - 2);
	l = find_link(r, from, to);
	if (!l)
		l = set_link(r, from, to, back ? (struct place){0} : w->place);
	l->cycles = cycles;
	if (back && !find_link(r, to, from))
		set_link(r, to, from, (struct place){0});
	return 0;
}

/*
 * Applies the cycles written after a node (quirk Q4-39): after "router R node N" to the link from router R to router
 * N, after "node N router R" to node R, which must belong to router N.
 */
static int apply_cycles_after_node(struct anynet_reader *r, bool head_router, uint32_t head, uint32_t id,
	const struct anynet_word *w, uint32_t cycles, struct fault *f)
{
	if (head_router)
		return add_link(r, head, id, w, cycles, false, f);
	if (r->claim[id].place.file && r->claim[id].router != head)
		return fault_set(f, w->place, "anynet-cycles",
			"cycles of node %u are given at router %u and at router %u", id, r->claim[id].router,
			head);
	r->claim[id] = (struct claim){head, w->place};
	if (bitset_test(r->node_seen, id) && r->router_of[id] == head)
		r->cycles_of[id] = cycles;
	return 0;
}

/* Reads optional cycles; *cycles is 0 without them. Returns 0, or -1 and sets *f. */
static int read_cycles(struct anynet_reader *r, uint32_t *cycles, struct anynet_word *at, struct fault *f)
{
	size_t back = r->col;
	struct anynet_word w;

	*cycles = 0;
	if (!next_word(r, &w) || word_is(&w, "router") || word_is(&w, "node")) {
		r->col = back;
		return 0;
	}
	*at = w;
	if (!word_number(&w, cycles) || !*cycles || *cycles > 65536)
		return fault_set(f, w.place, "anynet-cycles",
			"unexpected %s (expected router, node, or cycles from 1 to 65536)", w.quoted);
	return 0;
}

static int read_links(struct anynet_reader *r, struct fault *f)
{
	struct anynet_word w, number;
	uint32_t head = 0, id = 0, cycles = 0;
	int router;

	if (!next_word(r, &w))
		return 0;
	router = read_endpoint(r, &w, &head, f);
	if (router < 0)
		return -1;
	if (!router) { /* quirk Q4-38: BookSim also makes a router with the number of the node */
		bitset_set(r->router_seen, head);
		r->routers = head >= r->routers ? head + 1 : r->routers;
	}
	while (next_word(r, &w)) {
		int other = read_endpoint(r, &w, &id, f);

		if (other < 0)
			return -1;
		if (!router && !other)
			return fault_set(f, w.place, "anynet-node",
				"node %u is linked to node %u (expected a router)", head, id);
		if (read_cycles(r, &cycles, &number, f) < 0)
			return -1;
		if (router && other
				? add_link(r, head, id, &w, cycles ? cycles : 1, true, f) < 0
				: assign_node_to_router(r, router ? id : head, router ? head : id, &w, f) < 0)
			return -1;
		if (cycles && !(router && other) &&
			apply_cycles_after_node(r, router, head, id, &number, cycles, f) < 0)
			return -1;
	}
	return 0;
}

/* ---- result -------------------------------------------------------------------------------------------- */

static int compare_edges(const void *a, const void *b)
{
	const struct anynet_edge *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static struct anynet *make_anynet(struct anynet_reader *r)
{
	struct anynet *a = xcalloc(1, sizeof(*a));
	uint32_t n = 0;

	a->routers = r->routers;
	a->nodes = r->nodes;
	a->links = r->n_links;
	a->node_start = xcalloc(a->routers + 1, sizeof(*a->node_start));
	a->node = xcalloc(a->nodes ? a->nodes : 1, sizeof(*a->node));
	a->node_cycles = xcalloc(a->nodes ? a->nodes : 1, sizeof(*a->node_cycles));
	memcpy(a->node_cycles, r->cycles_of, a->nodes * sizeof(*a->node_cycles));
	a->link_start = xcalloc(a->routers + 1, sizeof(*a->link_start));
	a->link = xcalloc(a->links ? a->links : 1, sizeof(*a->link));
	if (a->links)
		qsort(r->link, a->links, sizeof(*r->link), compare_edges);
	for (uint32_t i = 0; i < a->links; i++) {
		a->link[i] = (struct anynet_link){r->link[i].to, r->link[i].cycles};
		a->link_start[r->link[i].from + 1]++;
	}
	for (uint32_t i = 0; i < a->nodes; i++)
		a->node_start[r->router_of[i] + 1]++;
	for (uint32_t i = 0; i < a->routers; i++) {
		a->node_start[i + 1] += a->node_start[i];
		a->link_start[i + 1] += a->link_start[i];
		for (uint32_t d = 0; d < a->nodes && n < a->node_start[i + 1]; d++)
			if (r->router_of[d] == i)
				a->node[n++] = d;
	}
	return a;
}

/*
 * Returns the first router that router 0 cannot reach; a->routers if there is none. Since links have two directions,
 * checking from router 0 is enough.
 */
static uint32_t first_unreachable_router(const struct anynet *a)
{
	uint32_t *todo = xcalloc(a->routers, sizeof(*todo)), n = 1, alone = 0;
	uint64_t *seen = xcalloc(BITSET_WORDS(a->routers), sizeof(*seen));

	bitset_set(seen, 0);
	while (n) {
		uint32_t r = todo[--n];

		for (uint32_t i = a->link_start[r]; i < a->link_start[r + 1]; i++) {
			if (bitset_test(seen, a->link[i].to))
				continue;
			bitset_set(seen, a->link[i].to);
			todo[n++] = a->link[i].to;
		}
	}
	while (alone < a->routers && bitset_test(seen, alone))
		alone++;
	free(seen);
	free(todo);
	return alone;
}

/* Checks that the cycles written after a node belong to an existing link or node. */
static int check_cycle_targets(struct anynet_reader *r, struct fault *f)
{
	for (uint32_t i = 0; i < r->n_links; i++)
		if (r->link[i].one_way.file && !find_link(r, r->link[i].to, r->link[i].from))
			return fault_set(f, r->link[i].one_way, "anynet-cycles",
				"cycles from router %u to router %u apply to no link in both directions (BookSim reads a number after a node so)",
				r->link[i].from, r->link[i].to);
	for (uint32_t i = 0; i < ROUTERS_MAX; i++)
		if (r->claim[i].place.file &&
			(!bitset_test(r->node_seen, i) || r->router_of[i] != r->claim[i].router))
			return fault_set(f, r->claim[i].place, "anynet-cycles",
				"cycles of node %u at router %u apply to no node there (BookSim reads a number after a node's router so)",
				i, r->claim[i].router);
	return 0;
}

static int check_numbers_without_gaps(const struct anynet_reader *r, struct fault *f)
{
	struct place at = {.file = r->file};

	if (!r->nodes)
		return fault_set(f, at, "anynet-empty",
			"no nodes (expected lines such as 'router 0 node 0 router 1')");
	for (uint32_t i = 0; i < r->nodes; i++)
		if (!bitset_test(r->node_seen, i))
			return fault_set(f, at, "anynet-gap", "node %u is missing (expected nodes 0 to %u)",
				i, r->nodes - 1);
	for (uint32_t i = 0; i < r->routers; i++)
		if (!bitset_test(r->router_seen, i))
			return fault_set(f, at, "anynet-gap",
				"router %u is missing (expected routers 0 to %u)", i, r->routers - 1);
	return 0;
}

static struct anynet *check_and_make_anynet(struct anynet_reader *r, struct fault *f)
{
	struct anynet *a;
	uint32_t alone;

	if (check_numbers_without_gaps(r, f) < 0 || check_cycle_targets(r, f) < 0)
		return NULL;
	a = make_anynet(r);
	alone = first_unreachable_router(a);
	if (alone == a->routers)
		return a;
	fault_set(f, (struct place){.file = r->file}, "anynet-alone",
		"router %u cannot be reached from router 0", alone);
	anynet_free(a);
	return NULL;
}

struct anynet *anynet_read(struct input *in, struct fault *f)
{
	struct anynet_reader r = {.file = diag_keep(input_name(in))};
	struct anynet *a = NULL;
	int got;

	r.router_seen = xcalloc(BITSET_WORDS(ROUTERS_MAX), sizeof(*r.router_seen));
	r.node_seen = xcalloc(BITSET_WORDS(ROUTERS_MAX), sizeof(*r.node_seen));
	r.router_of = xcalloc(ROUTERS_MAX, sizeof(*r.router_of));
	r.cycles_of = xcalloc(ROUTERS_MAX, sizeof(*r.cycles_of));
	r.claim = xcalloc(ROUTERS_MAX, sizeof(*r.claim));
	while ((got = input_line(in, &r.line, &r.n, f)) > 0) {
		r.col = 0;
		r.lineno = input_lineno(in);
		if (read_links(&r, f) < 0)
			break;
	}
	if (!got)
		a = check_and_make_anynet(&r, f);
	free(r.router_seen);
	free(r.node_seen);
	free(r.router_of);
	free(r.cycles_of);
	free(r.claim);
	free(r.link);
	return a;
}

void anynet_free(struct anynet *a)
{
	if (!a)
		return;
	free(a->node_start);
	free(a->node);
	free(a->node_cycles);
	free(a->link_start);
	free(a->link);
	free(a);
}
