/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The request pool. The handle that was freed last is reused first, so that few records are in use and remain in the
 * host's cache. Pages of unused records are never touched.
 */
#include <assert.h>
#include <string.h>
#include "arena.h"
#include "inlining.h"
#include "request/req.h"
#include "threads/threads.h"

const char *const acc_type_names[N_ACC_TYPES] = {
	"GLOBAL_ACC_R",
	"LOCAL_ACC_R",
	"CONST_ACC_R",
	"TEXTURE_ACC_R",
	"GLOBAL_ACC_W",
	"LOCAL_ACC_W",
	"L1_WRBK_ACC",
	"L2_WRBK_ACC",
	"INST_ACC_R",
	"L1_WR_ALLOC_R",
	"L2_WR_ALLOC_R",
};

void req_pool_init(struct req_pool *p, uint32_t limit)
{
	*p = (struct req_pool){.limit = limit + 3 * REQ_PILE * MAX_THREADS};
	p->req = reserve((size_t)p->limit + 1, sizeof(*p->req));
	p->store = reserve(p->limit / REQ_PILE + 1, sizeof(*p->store));
	p->by_thread = reserve(MAX_THREADS, sizeof(*p->by_thread));
}

void req_pool_free(struct req_pool *p)
{
	if (!p->req)
		return;
	reserve_free(p->req, (size_t)p->limit + 1, sizeof(*p->req));
	reserve_free(p->store, p->limit / REQ_PILE + 1, sizeof(*p->store));
	reserve_free(p->by_thread, MAX_THREADS, sizeof(*p->by_thread));
	*p = (struct req_pool){0};
}

/* Takes the lock of the pool, which a thread holds for a few instructions once per REQ_PILE requests. */
static void lock_pool(struct req_pool *p)
{
	while (__atomic_test_and_set(&p->lock, __ATOMIC_ACQUIRE))
		;
}

static void unlock_pool(struct req_pool *p) { __atomic_clear(&p->lock, __ATOMIC_RELEASE); }

/* Makes a full list of REQ_PILE new handles, from `first` on. Returns the head of the list. */
static uint32_t make_handle_list(struct req_pool *p, uint32_t first)
{
	for (uint32_t i = 0; i < REQ_PILE - 1; i++)
		p->req[first + i].next = first + i + 1;
	p->req[first + REQ_PILE - 1].next = REQ_NONE;
	return first;
}

static uint32_t take_handle_list(struct req_pool *p)
{
	uint32_t head, first;

	lock_pool(p);
	if (p->n_store) {
		head = p->store[--p->n_store];
		unlock_pool(p);
		return head;
	}
	assert(p->made + REQ_PILE <= p->limit);
	first = p->made + 1;
	p->made += REQ_PILE;
	unlock_pool(p);
	return make_handle_list(p, first);
}

static ALWAYS_INLINE uint32_t alloc_handle(struct req_pool *p)
{
	struct req_piles *m = &p->by_thread[thread_index];
	uint32_t handle;

	if (!m->count) {
		m->head = m->spare ? m->spare : take_handle_list(p);
		m->spare = REQ_NONE;
		m->count = REQ_PILE;
	}
	handle = m->head;
	m->head = p->req[handle].next;
	m->count--;
	m->live++;
	return handle;
}

uint32_t req_new(struct req_pool *p)
{
	uint32_t handle = alloc_handle(p);

	memset(&p->req[handle], 0, sizeof(p->req[handle]));
	return handle;
}

uint32_t req_copy(struct req_pool *p, const struct req *model)
{
	uint32_t handle = alloc_handle(p);

	p->req[handle] = *model;
	return handle;
}

void req_free(struct req_pool *p, uint32_t handle)
{
	struct req_piles *m = &p->by_thread[thread_index];

	assert(handle);
	if (m->count == REQ_PILE) {
		if (m->spare) {
			lock_pool(p);
			p->store[p->n_store++] = m->spare;
			unlock_pool(p);
		}
		m->spare = m->head;
		m->head = REQ_NONE;
		m->count = 0;
	}
	p->req[handle].next = m->head;
	m->head = handle;
	m->count++;
	m->live--;
}

uint64_t req_count_live(const struct req_pool *p)
{
	int64_t n = 0;

	for (unsigned i = 0; i < MAX_THREADS; i++)
		n += p->by_thread[i].live;
	return (uint64_t)n;
}
