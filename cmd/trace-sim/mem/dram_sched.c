/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * DRAM schedulers, which choose the waiting request that enters a free bank (MEM-frfcfs, MEM-fifo, MEM-row).
 *
 * FR-FCFS keeps the waiting rows of each bank in the order of their oldest request. A row in service leaves
 * that list and is served completely, including requests for it that arrive meanwhile. Only the row in
 * service loses requests, so the order of creation of the rows is the order of their age.
 */
#include <assert.h>
#include "bits.h"
#include "dram.h"

/* Appends a request to the queue of its row. */
static void append_to_row(struct dram *d, struct row_queue *q, uint32_t req)
{
	struct req *node = d->pool->req;
	const struct req *r = &node[req];
	uint32_t first = q->first_row;

	node[req].row_tail = req;
	node[req].next = node[req].next_row = REQ_NONE;
	node[req].key = r->row;
	if (q->service.count && q->row == r->row) {
		mem_fifo_push(node, &q->service, req);
		return;
	}
	while (first && node[first].key != r->row)
		first = node[first].next_row;
	if (first) {
		node[node[first].row_tail].next = req;
		node[first].row_tail = req;
		return;
	}
	if (q->first_row)
		node[q->last_row].next_row = req;
	else
		q->first_row = req;
	q->last_row = req;
}

void dram_enqueue_for_bank(struct dram *d, uint32_t req, uint32_t bank)
{
	int set = d->separate_writes && d->pool->req[req].flags & REQ_WRITE;
	uint32_t n = d->pending[set]++;

	if (!set)
		d->n.ave_mrqs -= (uint32_t)(d->ticks + 1);
	if (d->params->fr_fcfs) {
		d->waiting_banks[set] |= 1ull << bank;
		append_to_row(d, &d->bank[bank].queue[set], req);
		return;
	}
	d->fifo[n].req = req;
	d->fifo[n].bank = bank;
	d->waiting_banks[0] = 1ull << d->fifo[0].bank;
}

/* Counts a change of the bank's row (MEM-row-1). quirk Q4-30: `cycle` restarts at 0 with each kernel. */
static void count_row_change(struct dram *d, uint32_t bank, uint32_t cycle)
{
	struct dram_bank *b = &d->bank[bank];
	uint32_t at = d->id * d->memstat->banks + bank;

	if (cycle > b->row_stamp && cycle - b->row_stamp > d->memstat->max_service[at])
		d->memstat->max_service[at] = cycle - b->row_stamp;
	b->row_stamp = cycle;
	if (b->same_row > d->memstat->max_conc_same_row[at])
		d->memstat->max_conc_same_row[at] = b->same_row;
	b->same_row = 0;
	d->memstat->activates[at]++;
}

/*
 * Puts a row of the bank into service. Returns true for a row hit. quirk Q4-5: the bank's open_row counts as
 * open even if it was closed or never opened. Initially it is row 0.
 */
static bool start_row_service(struct dram *d, struct row_queue *q, uint32_t bank, uint32_t cycle)
{
	struct req *node = d->pool->req;
	uint32_t open_row = d->bank[bank].open_row, before = REQ_NONE, first = q->first_row;
	bool hit;

	while (first && node[first].key != open_row) {
		before = first;
		first = node[first].next_row;
	}
	hit = first != REQ_NONE;
	if (!hit) {
		before = REQ_NONE;
		first = q->first_row;
		count_row_change(d, bank, cycle);
	}
	if (before)
		node[before].next_row = node[first].next_row;
	else
		q->first_row = node[first].next_row;
	if (q->last_row == first)
		q->last_row = before;
	/* `next` links the requests of the row; only zero and nonzero counts are distinguished */
	q->service = (struct mem_fifo){first, node[first].row_tail, 1};
	q->row = node[first].key;
	return hit;
}

static uint32_t take_request_from_row(struct dram *d, int set, uint32_t bank, uint32_t cycle)
{
	struct row_queue *q = &d->bank[bank].queue[set];
	bool hit = q->service.count || start_row_service(d, q, bank, cycle);
	uint32_t req = q->service.head, next = d->pool->req[req].next;
	bool write = d->pool->req[req].flags & REQ_WRITE;

	q->service = next ? (struct mem_fifo){next, q->service.tail, 1} : (struct mem_fifo){0};
	if (!next && !q->first_row)
		d->waiting_banks[set] &= ~(1ull << bank);
	d->pending[set]--;
	d->dequeued = true;
	if (!set)
		d->n.ave_mrqs += (uint32_t)d->ticks;
	if (write) {
		d->n.write_num++;
		d->n.hits_write_num += hit;
	} else {
		d->n.read_num++;
		d->n.hits_read_num += hit;
	}
	d->memstat->row_access[d->id * d->memstat->banks + bank]++;
	d->bank[bank].same_row++;
	return req;
}

/* Returns the counter of column commands for the kind of request r. */
static uint64_t *column_counter(struct dram *d, const struct req *r)
{
	if (r->flags & REQ_WRITE)
		return r->type == L2_WRBK_ACC ? &d->n.n_wr_WB : &d->n.n_wr;
	return r->type == L2_WR_ALLOC_R ? &d->n.n_rd_L2_A : &d->n.n_rd;
}

static void assign_to_bank(struct dram *d, uint32_t bank, uint32_t req)
{
	struct dram_bank *b = &d->bank[bank];
	const struct req *r = &d->pool->req[req];
	uint64_t bit = 1ull << bank;

	dram_stat_count_assigned(d, bank, d->ticks);
	b->req = req;
	b->row = r->row;
	b->bytes_left = r->size;
	b->columns = column_counter(d, r);
	d->progressed = true;
	d->busy_banks |= bit;
	d->write_banks = r->flags & REQ_WRITE ? d->write_banks | bit : d->write_banks & ~bit;
	if (d->params->refresh_interval && d->open_banks & bit)
		dram_close_refreshed_row(d, bank);
	if (d->open_banks & bit && b->open_row == b->row) {
		dram_stat_count_bus(d, d->ticks);
		dram_stat_count_row_hit(d, bank, d->ticks);
		d->row_hit_banks |= bit;
	}
	dram_note_bank_change(d, bank);
}

/* Updates the mode (read or write) of a channel with a separate write queue. */
static void update_write_mode(struct dram *d)
{
	if (!d->write_mode && d->pending[1] >= d->params->write_high)
		d->write_mode = true;
	else if (d->write_mode && d->pending[1] < d->params->write_low)
		d->write_mode = false;
}

/*
 * Returns the first free bank, from prio on, with a waiting request of the current mode; DRAM_BANKS: none.
 * quirk Q4-9: the mode is updated for every bank that is examined. A second update has no effect unless the
 * low watermark is above the high watermark. In that case the mode may toggle each time.
 */
static uint32_t find_bank_to_serve(struct dram *d, uint64_t free)
{
	uint64_t low = (1ull << d->prio) - 1, m;

	if (d->separate_writes && d->params->write_low > d->params->write_high) {
		for (int half = 0; half < 2; half++) {
			FOR_BITS64 (bank, half ? free & low : free & ~low) {
				update_write_mode(d);
				if (d->waiting_banks[d->write_mode] >> bank & 1)
					return (uint32_t)bank;
			}
		}
		return DRAM_BANKS;
	}
	if (d->separate_writes && free)
		update_write_mode(d);
	m = free & d->waiting_banks[d->write_mode];
	return m ? bit_next_cyclic64(m, d->prio) : DRAM_BANKS;
}

void dram_skip_schedules(struct dram *d, uint64_t n)
{
	uint64_t visits = n * bit_count64(d->all_banks & ~d->busy_banks);

	if (!visits)
		return;
	if (d->pending[1] >= d->params->write_high && d->pending[1] < d->params->write_low)
		d->write_mode ^= visits & 1;
	else
		update_write_mode(d);
}

static void schedule_fr_fcfs(struct dram *d, uint64_t now, uint32_t cycle)
{
	uint32_t bank = find_bank_to_serve(d, d->all_banks & ~d->busy_banks), req;

	if (bank == DRAM_BANKS)
		return;
	req = take_request_from_row(d, d->write_mode, bank, cycle);
	d->prio = d->prio + 1 < d->params->nbk ? d->prio + 1 : 0;
	assign_to_bank(d, bank, req);
	memstat_count_scheduled(d->memstat, (uint32_t)now - d->pool->req[req].pushed);
}

static void schedule_fifo(struct dram *d)
{
	if (!(d->waiting_banks[0] & ~d->busy_banks))
		return;
	assign_to_bank(d, d->fifo[0].bank, d->fifo[0].req);
	d->fifo[0] = d->fifo[1];
	d->waiting_banks[0] = --d->pending[0] ? 1ull << d->fifo[0].bank : 0;
	d->dequeued = true;
	d->n.ave_mrqs += (uint32_t)d->ticks;
}

void dram_schedule(struct dram *d, uint64_t now, uint32_t cycle)
{
	if (d->params->fr_fcfs)
		schedule_fr_fcfs(d, now, cycle);
	else
		schedule_fifo(d);
}

void dram_update_max_queue(struct dram *d)
{
	d->request_arrived = false;
	if (d->pending[0] > d->n.max_mrqs)
		d->n.max_mrqs = d->pending[0];
}

/*
 * Returns true if a request can enter a bank in the next tick. With a separate write queue, the scheduler has work in
 * all ticks up to the first tick without progress.
 */
bool dram_can_schedule_next(const struct dram *d)
{
	if (d->separate_writes && d->pending[0] + d->pending[1])
		return d->progressed || d->request_arrived || d->params->write_low > d->params->write_high;
	return d->waiting_banks[0] & ~d->busy_banks;
}
