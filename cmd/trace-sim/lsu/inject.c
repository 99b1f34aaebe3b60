/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Injection of requests from an SM into the network: the test for free space, and the push with all counts (LSU-inject,
 * LSU-perfect).
 *
 * Always true: the network counts failed tests, so a test is made only for a request that is ready to be sent.
 * Addresses are decoded here unless they had to be decoded earlier (ldst.decode_early).
 */
#include "ldst_int.h"
#include "request/addrdec.h"
#include "instrument/traffic.h"

bool inject_can_push_bytes(struct sm *s, uint32_t bytes, bool write)
{
	if (s->core->perfect_mem)
		return s->replies->count < s->params->net.eject_max;
	return net_has_buffer(s->net, s->cluster, write ? bytes : 8);
}

bool inject_can_push(struct sm *s, const struct req *r, bool bypass)
{
	unsigned carries = bypass ? REQ_STORE | REQ_ATOMIC : REQ_WRITE;

	return inject_can_push_bytes(s, r->size + 8u, r->flags & carries);
}

/* Decodes the original address of a request, because the req.addr of a miss is the address of its atom. */
static void decode_request_address(struct sm *s, struct req *r)
{
	uint64_t addr = r->addr;
	uint16_t channel = r->channel, sub = r->sub;

	if (r->type != L1_WRBK_ACC) {
		r->addr = r->orig_addr ? r->orig_addr : addr;
		addrdec_decode_request(s->dec, r);
		r->addr = addr;
		return;
	}
	addrdec_decode_request(s->dec, r);
	r->channel = channel; /* quirk Q3-8: the partition is that of the request that evicted the line */
	r->sub = sub;
}

/*
 * Counts a request by type. quirk Q3-35: write-backs count as global writes. Allocate-reads and instruction fetches are
 * not counted.
 */
static void count_request_type(struct sm_counts *n, const struct req *r)
{
	switch (r->type) {
	case GLOBAL_ACC_R: n->mem_read_global++; break;
	case LOCAL_ACC_R: n->mem_read_local++; break;
	case CONST_ACC_R: n->mem_const++; break;
	case TEXTURE_ACC_R: n->mem_texture++; break;
	case GLOBAL_ACC_W:
	case L1_WRBK_ACC: n->mem_write_global++; break;
	case LOCAL_ACC_W: n->mem_write_local++; break;
	default: break;
	}
}

void inject(struct sm *s, uint32_t handle)
{
	struct req *r = ldst_req(s, handle);
	uint32_t bytes = req_bytes_of_request(r);

	if (!s->ldst->decode_early || r->flags & REQ_BLANK)
		decode_request_address(s, r);
	s->n.flits_out += (bytes + s->params->net.flit_bytes - 1) / s->params->net.flit_bytes;
	if (s->core->perfect_mem) {
		ring_push(s->replies, handle);
		bitset_set(s->clusters_with_replies, s->cluster);
		return;
	}
	count_request_type(&s->n, r);
	traffic_count_packet(s->traffic_out, r, bytes);
	if (s->events)
		events_log_request(s->events, s->now, s->id, r->warp, r->addr, bytes, r->type, r->sub);
	net_push(s->net, s->cluster, s->params->clusters + r->sub, handle, bytes);
}
