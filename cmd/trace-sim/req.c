/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The request pool. Handles given back are handed out again last in, first out, so that the records in use
 * stay few and warm in the host's cache; pages of records never reached are never touched.
 */
#include <assert.h>
#include <string.h>
#include "arena.h"
#include "req.h"

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
	*p = (struct req_pool){.limit = limit};
	p->at = reserve((size_t)limit + 1, sizeof *p->at);
	p->free = reserve((size_t)limit + 1, sizeof *p->free);
}

void req_pool_free(struct req_pool *p)
{
	if (!p->at)
		return;
	reserve_free(p->at, (size_t)p->limit + 1, sizeof *p->at);
	reserve_free(p->free, (size_t)p->limit + 1, sizeof *p->free);
	*p = (struct req_pool){0};
}

uint32_t req_new(struct req_pool *p)
{
	uint32_t handle;

	if (p->n_free) {
		handle = p->free[--p->n_free];
		memset(&p->at[handle], 0, sizeof p->at[handle]);
	} else {
		assert(p->made < p->limit);
		handle = ++p->made;
	}
	p->live++;
	return handle;
}

void req_free(struct req_pool *p, uint32_t handle)
{
	assert(handle && handle <= p->made && p->live);
	p->live--;
	p->free[p->n_free++] = handle;
}
