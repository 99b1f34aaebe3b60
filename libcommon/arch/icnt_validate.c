/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Validation of a network file: topology, routing, nodes. icnt_virtual.c validates virtual channels, buffers
 * and allocators.
 *
 * Always true: a network that passes can be simulated. A network on which BookSim stops or runs forever is rejected
 * with the place of the entry at fault and the possible values.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bits.h"
#include "cli.h"
#include "arch/icnt_int.h"
#include "output.h"

const struct icnt_row icnt_topologies[N_TOPOLOGIES] = {
#define TOPOLOGY(name, text) {#name, text},
#include "arch/network.def"
};

const struct icnt_routing_row icnt_routings[N_ROUTINGS] = {
#define ROUTING(topology, name, need, looks, draws, inject, step, text) \
	{#name, text, TOPOLOGY_##topology, NEED_##need},
#include "arch/network.def"
};

/* Returns base to the power of exponent, but at most ICNT_NODES_MAX + 1. */
static uint32_t bounded_power(uint32_t base, uint32_t exponent)
{
	uint64_t p = 1;

	while (exponent-- && p <= ICNT_NODES_MAX)
		p *= base;
	return p <= ICNT_NODES_MAX ? (uint32_t)p : ICNT_NODES_MAX + 1;
}

/* ---- shapes ------------------------------------------------------------------------------------------- */

static int validate_square(const struct icnt *c, struct fault *f)
{
	if (icnt_int(c, ICNT_y) != icnt_int(c, ICNT_x))
		return icnt_reject(c, ICNT_y, f, "y = x = %d", icnt_int(c, ICNT_x));
	if (icnt_int(c, ICNT_yr) != icnt_int(c, ICNT_xr))
		return icnt_reject(c, ICNT_yr, f, "yr = xr = %d", icnt_int(c, ICNT_xr));
	return 0;
}

static int validate_cmesh(struct icnt *c, struct fault *f)
{
	if (validate_square(c, f) < 0)
		return -1;
	if (c->n != 2)
		return icnt_reject(c, ICNT_n, f, "n = 2 for a cmesh");
	if (c->c != 4)
		return icnt_reject(c, ICNT_c, f, "c = 4 for a cmesh");
	if (c->xr != 2)
		return icnt_reject(c, ICNT_xr, f, "xr = 2 and yr = 2 for a cmesh");
	if (c->k % 2)
		return icnt_reject(c, ICNT_k, f, "an even k for a cmesh");
	c->nodes = 4 * bounded_power(c->k, 2);
	return 0;
}

static int validate_flatfly(struct icnt *c, struct fault *f)
{
	uint32_t routers = bounded_power(c->k, c->n);

	if (validate_square(c, f) < 0)
		return -1;
	if (c->n > 4)
		return icnt_reject(c, ICNT_n, f, "n from 1 to 4");
	if (c->c != c->xr * c->xr)
		return icnt_reject(c, ICNT_c, f, "c = xr yr = %u", c->xr * c->xr);
	if ((uint64_t)c->x * c->x != routers)
		return icnt_reject(
			c, ICNT_x, f, "x y = the %u routers of k = %u, n = %u", routers, c->k, c->n);
	c->nodes = routers * c->c;
	return 0;
}

static int validate_tree(struct icnt *c, struct fault *f)
{
	if (c->k != 4)
		return icnt_reject(c, ICNT_k, f, "k = 4 for a %s", icnt_topologies[c->topology].name);
	if (c->n != 3)
		return icnt_reject(c, ICNT_n, f, "n = 3 for a %s", icnt_topologies[c->topology].name);
	c->nodes = 64;
	return 0;
}

static int validate_dragonfly(struct icnt *c, struct fault *f)
{
	if (c->n != 1)
		return icnt_reject(c, ICNT_n, f, "n = 1");
	c->nodes = c->k > 8 ? ICNT_NODES_MAX + 1 : 2 * c->k * c->k * (2 * c->k * c->k + 1);
	return 0;
}

static char *relative_path(const char *file, const char *name)
{
	const char *slash = strrchr(file, '/');
	size_t n = slash && *name != '/' ? (size_t)(slash + 1 - file) : 0;
	char *path = xmalloc(n + strlen(name) + 1);

	memcpy(path, file, n);
	strcpy(path + n, name);
	return path;
}

static int validate_anynet(struct icnt *c, struct fault *f)
{
	const char *name = icnt_text(c, ICNT_network_file);
	struct fault open;
	struct input *in;
	char *path;

	if (!*name)
		return icnt_reject(c, ICNT_network_file, f, "the file with the links of the anynet");
	path = relative_path(c->file, name);
	in = input_open(path, &open);
	free(path);
	if (!in)
		return icnt_reject(c, ICNT_network_file, f, "a file that can be read: %s", open.text);
	c->anynet = anynet_read(in, f);
	input_close(in);
	if (!c->anynet)
		return -1;
	c->nodes = c->anynet->nodes;
	return 0;
}

static const char topology_names[] =
#define TOPOLOGY(name, text) ", " #name
#include "arch/network.def"
	;

static int validate_topology(struct icnt *c, struct fault *f)
{
	const char *name = icnt_text(c, ICNT_topology);
	uint32_t t;
	int status = 0;

	for (t = 0; t < N_TOPOLOGIES && strcmp(name, icnt_topologies[t].name); t++)
		;
	if (t == N_TOPOLOGIES)
		return icnt_reject(c, ICNT_topology, f, "%s", topology_names + 2);
	c->topology = (enum icnt_topology)t;
	c->k = (uint32_t)icnt_int(c, ICNT_k);
	c->n = (uint32_t)icnt_int(c, ICNT_n);
	c->c = t == TOPOLOGY_cmesh || t == TOPOLOGY_flatfly ? (uint32_t)icnt_int(c, ICNT_c) : 1;
	c->x = (uint32_t)icnt_int(c, ICNT_x);
	c->xr = (uint32_t)icnt_int(c, ICNT_xr);
	c->chip_latency = icnt_int(c, ICNT_use_noc_latency) == 1;
	switch (c->topology) {
	case TOPOLOGY_cmesh: status = validate_cmesh(c, f); break;
	case TOPOLOGY_flatfly: status = validate_flatfly(c, f); break;
	case TOPOLOGY_tree4:
	case TOPOLOGY_qtree: status = validate_tree(c, f); break;
	case TOPOLOGY_dragonflynew: status = validate_dragonfly(c, f); break;
	case TOPOLOGY_anynet: status = validate_anynet(c, f); break;
	default: c->nodes = bounded_power(c->k, c->n);
	}
	if (status < 0)
		return -1;
	if (c->nodes > ICNT_NODES_MAX)
		return icnt_reject(c, ICNT_k, f, "at most %u nodes", ICNT_NODES_MAX);
	return 0;
}

void icnt_ports(const struct icnt *c, uint32_t *least, uint32_t *most)
{
	switch (c->topology) {
	case TOPOLOGY_mesh:
	case TOPOLOGY_torus: *least = *most = 2 * c->n + 1; break;
	case TOPOLOGY_cmesh: *least = *most = 8; break;
	case TOPOLOGY_fattree:
		*least = c->k;
		*most = c->n > 1 ? 2 * c->k : c->k;
		break;
	case TOPOLOGY_tree4:
		*least = 6;
		*most = 8;
		break;
	case TOPOLOGY_qtree:
		*least = 4;
		*most = 5;
		break;
	case TOPOLOGY_flatfly: *least = *most = c->c + (c->k - 1) * c->n; break;
	case TOPOLOGY_dragonflynew: *least = *most = 4 * c->k - 1; break;
	case TOPOLOGY_anynet:
		*least = UINT32_MAX;
		*most = 0;
		for (uint32_t r = 0; r < c->anynet->routers; r++) {
			uint32_t ports = c->anynet->node_start[r + 1] - c->anynet->node_start[r] +
					 c->anynet->link_start[r + 1] - c->anynet->link_start[r];

			*least = ports < *least ? ports : *least;
			*most = ports > *most ? ports : *most;
		}
		break;
	default: *least = *most = c->k;
	}
}

/* ---- routing ------------------------------------------------------------------------------------------- */

static int validate_routing(struct icnt *c, struct fault *f)
{
	const char *name = icnt_text(c, ICNT_routing_function);
	char all[160] = "";
	size_t n = 0;

	for (uint32_t r = 0; r < N_ROUTINGS; r++) {
		if (icnt_routings[r].topology != c->topology)
			continue;
		if (!strcmp(icnt_routings[r].name, name)) {
			c->routing = (enum icnt_routing)r;
			if (icnt_routings[r].need == NEED_UNSET)
				return icnt_conflict(c, ICNT_routing_function, f,
					"reads an uninitialised variable in BookSim");
			return 0;
		}
		if (n < sizeof(all) && icnt_routings[r].need != NEED_UNSET)
			n += (size_t)snprintf(
				all + n, sizeof(all) - n, "%s%s", n ? ", " : "", icnt_routings[r].name);
	}
	return icnt_reject(
		c, ICNT_routing_function, f, "one of %s: %s", icnt_topologies[c->topology].name, all);
}

static int validate_words(struct icnt *c, struct fault *f)
{
	static const char *const priorities[] = {
		"none", "class", "age", "network_age", "local_age", "queue_length", "hop_count", "sequence"};
	const char *priority = icnt_text(c, ICNT_priority);
	uint32_t i;

	if (strcmp(icnt_text(c, ICNT_router), "iq") != 0)
		return icnt_reject(c, ICNT_router, f, "iq");
	if (strcmp(icnt_text(c, ICNT_sim_type), "gpgpusim") != 0)
		return icnt_reject(c, ICNT_sim_type, f, "gpgpusim");
	for (i = 0; i < sizeof(priorities) / sizeof(priorities[0]) && strcmp(priority, priorities[i]); i++)
		;
	if (i == sizeof(priorities) / sizeof(priorities[0]))
		return icnt_reject(c, ICNT_priority, f,
			"none, class, age, network_age, local_age, queue_length, hop_count or sequence");
	c->priority = (enum icnt_priority)i;
	return 0;
}

/* ---- nodes --------------------------------------------------------------------------------------------- */

static int validate_nodes(struct icnt *c, struct fault *f)
{
	int64_t *list = xcalloc(ICNT_NODES_MAX + 1, sizeof(*list));
	int n = icnt_list(c, ICNT_memory_node_map, list, (int)ICNT_NODES_MAX + 1, f);
	uint64_t *seen = xcalloc(BITSET_WORDS(ICNT_NODES_MAX), sizeof(*seen));
	int status = n < 0 ? -1 : 0;

	c->memory_node = xcalloc((size_t)(n > 0 ? n : 1), sizeof(*c->memory_node));
	for (int i = 0; i < n && status == 0; i++) {
		c->memory_node[i] = (uint32_t)list[i];
		if (c->memory_node[i] >= c->nodes)
			status = icnt_reject(c, ICNT_memory_node_map, f, "nodes from 0 to %u", c->nodes - 1);
		else if (bitset_test(seen, c->memory_node[i]))
			status = icnt_conflict(
				c, ICNT_memory_node_map, f, "repeats node %u", c->memory_node[i]);
		else
			bitset_set(seen, c->memory_node[i]);
	}
	c->memory_nodes = n > 0 ? (uint32_t)n : 0;
	free(seen);
	free(list);
	if (status < 0)
		return -1;
	c->flit_bytes = (uint32_t)icnt_int(c, ICNT_flit_size);
	c->source_max = (uint32_t)icnt_int(c, ICNT_input_buffer_size);
	if (!c->source_max) /* quirk Q4-16: 0 means 9; the other buffers do not matter */
		c->source_max = 9;
	c->boundary_max = (uint32_t)icnt_int(c, ICNT_boundary_buffer_size);
	c->speedup = c->value[ICNT_internal_speedup].number;
	c->crossbar_delay = (uint32_t)(icnt_int(c, ICNT_st_prepare_delay) + icnt_int(c, ICNT_st_final_delay));
	if (!c->crossbar_delay)
		return icnt_reject(
			c, ICNT_st_final_delay, f, "at least 1 cycle together with st_prepare_delay");
	return 0;
}

static int validate_class_lists(struct icnt *c, struct fault *f)
{
	int64_t list[66];
	int n = icnt_list(c, ICNT_measure_stats, list, 66, f);

	if (n < 0)
		return -1;
	for (int i = 0; i < 64; i++)
		c->measured[i] = n ? list[i < n ? i : n - 1] != 0 : true;
	n = icnt_list(c, ICNT_class_priority, list, 66, f);
	if (n < 0)
		return -1;
	c->class_priority = n ? (int32_t)list[0] : 0;
	return 0;
}

int icnt_validate(struct icnt *c, struct fault *f)
{
	/* The default value of subnets is invalid, so the file must set it. */
	if (icnt_int(c, ICNT_subnets) < 2)
		return icnt_reject(c, ICNT_subnets, f, "at least 2 subnets, the second for replies");
	if (validate_words(c, f) < 0 || validate_topology(c, f) < 0 || validate_routing(c, f) < 0 ||
		validate_nodes(c, f) < 0 || validate_class_lists(c, f) < 0)
		return -1;
	return icnt_validate_virtual(c, f) < 0 ? -1 : icnt_validate_alloc(c, f);
}

/* ---- mapping to nodes ---------------------------------------------------------------------------------- */

/* Placements of memory sub partitions that BookSim has built in for some GPUs. */
static const struct preset {
	uint32_t clusters, subs; /* numbers of clusters and sub partitions */
	uint8_t node[11];        /* nodes of the sub partitions */
} presets[] = {
	{8, 8, {1, 3, 4, 6, 9, 11, 12, 14}},
	{28, 8, {3, 7, 10, 12, 23, 25, 28, 32}},
	{56, 8, {3, 15, 17, 29, 36, 47, 49, 61}},
	{110, 11, {12, 20, 25, 28, 57, 60, 63, 92, 95, 100, 108}},
};

static int map_nodes(const struct icnt *c, uint32_t clusters, uint32_t subs, uint32_t *node, struct fault *f)
{
	const struct preset *p = NULL;
	uint32_t next = 0, skipped = 0;

	for (size_t i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (presets[i].clusters == clusters && presets[i].subs == subs)
			p = &presets[i];
	if (c->memory_nodes && c->memory_nodes != subs)
		return icnt_reject(c, ICNT_memory_node_map, f,
			"a node for each of %u memory sub partitions, not %u", subs, c->memory_nodes);
	if (!c->memory_nodes && !p)
		return icnt_reject(c, ICNT_use_map, f,
			"use_map = 0, or a memory_node_map for %u clusters and %u memory sub partitions",
			clusters, subs);
	for (uint32_t i = 0; i < subs; i++)
		node[clusters + i] = c->memory_nodes ? c->memory_node[i] : p->node[i];
	for (uint32_t i = 0; i < clusters; i++) {
		/* quirk Q4-38: a node of the map is skipped only if it is the map's next one */
		while (skipped < subs && next == node[clusters + skipped]) {
			next++;
			skipped++;
		}
		node[i] = next++;
	}
	return 0;
}

/* Returns the smallest k for which a network of n dimensions and c nodes per router has `need` nodes. */
static uint32_t smallest_k_with_nodes(const struct icnt *c, uint32_t need)
{
	for (uint32_t k = c->k;; k++) {
		uint64_t nodes = c->c;

		for (uint32_t i = 0; i < c->n && nodes < need; i++)
			nodes *= k;
		if (nodes >= need)
			return k;
	}
}

static int report_too_few_nodes(
	const struct icnt *c, uint32_t clusters, uint32_t subs, uint32_t need, struct fault *f)
{
	bool grid = c->topology == TOPOLOGY_mesh || c->topology == TOPOLOGY_torus;
	char next[40] = "";

	if (grid)
		snprintf(next, sizeof(next), ": set k = %u", smallest_k_with_nodes(c, need));
	return fault_set(f, c->value[c->anynet ? ICNT_network_file : ICNT_k].place, "icnt-nodes",
		"the network has %u node%s, but %u clusters and %u memory sub partitions need %u%s", c->nodes,
		c->nodes == 1 ? "" : "s", clusters, subs, need, next);
}

int icnt_assign_nodes(const struct icnt *c, uint32_t clusters, uint32_t subs, uint32_t *node, struct fault *f)
{
	uint32_t need = 0;

	if (icnt_int(c, ICNT_use_map)) {
		if (map_nodes(c, clusters, subs, node, f) < 0)
			return -1;
	} else {
		for (uint32_t i = 0; i < clusters + subs; i++)
			node[i] = i;
	}
	for (uint32_t i = 0; i < clusters + subs; i++)
		need = max_u32(need, node[i] + 1);
	return need > c->nodes ? report_too_few_nodes(c, clusters, subs, need, f) : 0;
}

void icnt_check_output(const struct params *p, const char *output)
{
	struct icnt c;
	struct fault f;
	char *links;

	output_check_input(output, p->net.file);
	if (!output || !p->net.file)
		return;
	if (icnt_load(&c, p->net.file, p->net.file_at, &f) == 0 && c.anynet) {
		links = relative_path(p->net.file, icnt_text(&c, ICNT_network_file));
		output_check_input(output, links);
		free(links);
	}
	icnt_free(&c);
}

int icnt_check(const struct params *p, struct fault *f)
{
	uint32_t subs = p->mem.channels * p->mem.subs, *node = xcalloc(p->clusters + subs, sizeof(*node));
	struct icnt c;
	int status = icnt_load(&c, p->net.file, p->net.file_at, f);

	if (status == 0)
		status = icnt_assign_nodes(&c, p->clusters, subs, node, f);
	icnt_free(&c);
	free(node);
	return status;
}
