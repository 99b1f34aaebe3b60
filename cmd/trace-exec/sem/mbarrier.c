/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mbarriers: arrivals of threads and of bytes that copies write.
 *
 * The 64 bits of an mbarrier of PTX are, from the lowest: pending arrivals (20 bits), arrivals per phase (20),
 * phase (1), pending bytes (22, signed), and a bit that is 1 for every initialised mbarrier. Machine code has
 * the layout of GPUs, because it computes with the words: an unused bit, 2^20 minus the arrivals per phase (20
 * bits), pending bytes (22, signed; in a position of our choice), 2^20 minus the pending arrivals (20, 0 for none),
 * phase (1). Always true: a phase ends when neither arrivals nor bytes are pending. A wait that fails yields,
 * so that other warps can arrive.
 */
#include "exec/check.h"
#include "sem/async.h"

#define COUNT_MOST 0xfffff

struct mbarrier_state {
	u64 pending; /* number of arrivals that the phase lacks */
	u64 count;   /* number of arrivals of each phase */
	u64 phase;   /* parity of the number of completed phases */
	s64 pending_bytes;
};

/* Returns 2^20 minus a number of arrivals, in 20 bits. */
static u64 complement_count(u64 n) { return ((u64)COUNT_MOST + 1 - n) & COUNT_MOST; }

static u64 pack_mbarrier(const struct warp *w, const struct mbarrier_state *s)
{
	u64 bytes = (u64)s->pending_bytes & 0x3fffff;

	if (w->grid->machine)
		return complement_count(s->count) << 1 | bytes << 21 |
		       (s->pending ? complement_count(s->pending) : 0) << 43 | (s->phase & 1) << 63;
	return s->pending | s->count << 20 | (s->phase & 1) << 40 | bytes << 41 | 1ull << 63;
}

static struct mbarrier_state unpack_mbarrier(const struct warp *w, u64 v)
{
	if (w->grid->machine)
		return (struct mbarrier_state){complement_count(v >> 43 & COUNT_MOST),
			complement_count(v >> 1 & COUNT_MOST), v >> 63, (s64)(v << 21) >> 42};
	return (struct mbarrier_state){
		v & COUNT_MOST, v >> 20 & COUNT_MOST, v >> 40 & 1, (s64)(v << 1) >> 42};
}

/* Returns true if the word of an mbarrier is initialised. */
static bool is_mbarrier_initialised(const struct warp *w, u64 v)
{
	return w->grid->machine ? v >> 1 & COUNT_MOST : v >> 63;
}

/* Begins the next phase of the mbarrier at host address `at` if nothing is pending. */
static void end_complete_phase(const struct warp *w, const uint8_t *at, struct mbarrier_state *s)
{
	if (s->pending || s->pending_bytes)
		return;
	bulk_flight_end_phase(w->cta, at);
	s->pending = s->count;
	s->phase ^= 1;
}

/* ---- one mbarrier ---- */

static bool check_mbarrier_alignment(struct warp *w, const struct op *o, unsigned lane)
{
	if (w->addr[lane] % 8 == 0)
		return true;
	exec_fail(w, o, 1u << lane, "misaligned",
		"mbarrier at byte %llu of .shared (expected a multiple of 8)",
		(unsigned long long)w->addr[lane]);
	return false;
}

/*
 * Reads the mbarrier at host address `at`, whose offset is w->addr[lane]. If there is none, fails the launch and
 * returns false.
 */
static bool read_mbarrier(struct warp *w, const struct op *o, unsigned lane, const uint8_t *at, u64 *v)
{
	memcpy(v, at, 8);
	if (is_mbarrier_initialised(w, *v))
		return true;
	exec_fail(w, o, 1u << lane, "mbarrier",
		"no mbarrier at byte %llu of .shared (expected an mbarrier.init before)",
		(unsigned long long)w->addr[lane]);
	return false;
}

static bool subtract_arrivals(
	struct warp *w, const struct op *o, unsigned lane, struct mbarrier_state *s, u64 n)
{
	if (n && n <= s->pending) {
		s->pending -= n;
		return true;
	}
	exec_fail(w, o, 1u << lane, "mbarrier",
		"%llu arrivals at an mbarrier with %llu pending (expected 1 to the number pending)",
		(unsigned long long)n, (unsigned long long)s->pending);
	return false;
}

/* Adds n pending bytes; n is negative for bytes that have arrived. Returns false if the launch has failed. */
static bool add_pending_bytes(
	struct warp *w, const struct op *o, unsigned lane, struct mbarrier_state *s, s64 n)
{
	long long sum = s->pending_bytes + n;

	if (sum <= COUNT_MOST && sum >= -COUNT_MOST) {
		s->pending_bytes = sum;
		return true;
	}
	exec_fail(w, o, 1u << lane, "mbarrier", "%lld pending bytes of an mbarrier (expected at most %d)",
		sum, COUNT_MOST);
	return false;
}

bool async_change_mbarrier(struct warp *w, const struct op *o, unsigned lane, uint8_t *at,
	const struct mbarrier_change *x, uint64_t *old)
{
	struct mbarrier_state s;
	u64 v;

	if (!check_mbarrier_alignment(w, o, lane) || !read_mbarrier(w, o, lane, at, &v))
		return false;
	*old = v;
	s = unpack_mbarrier(w, v);
	if (!add_pending_bytes(w, o, lane, &s, x->bytes) ||
		(x->arrives && !subtract_arrivals(w, o, lane, &s, x->arrivals)))
		return false;
	s.count -= x->drop ? x->arrivals : 0;
	end_complete_phase(w, at, &s);
	v = pack_mbarrier(w, &s);
	memcpy(at, &v, 8);
	w->changed |= v != *old;
	return true;
}

bool async_test_phase(
	struct warp *w, const struct op *o, unsigned lane, const uint8_t *at, uint64_t parity, bool *over)
{
	struct mbarrier_state s;
	u64 v;

	if (!check_mbarrier_alignment(w, o, lane) || !read_mbarrier(w, o, lane, at, &v))
		return false;
	s = unpack_mbarrier(w, v);
	*over = s.phase != parity;
	if (*over)
		bulk_flight_pass_wait(w->cta, at);
	else
		w->mbarrier_wait =
			(struct mbarrier_wait){true, w->addr[lane], s.pending, s.pending_bytes, w->insts};
	return true;
}

bool async_complete_bytes(struct warp *w, const struct op *o, unsigned lane, uint8_t *mbarrier, uint64_t n)
{
	const struct mbarrier_change x = {.bytes = -(int64_t)n};
	u64 old;

	if (w->space != SP_SHARED || w->addr[lane] % 8) {
		exec_fail(w, o, 1u << lane, "misaligned",
			"mbarrier at byte %llu of .%s (expected a multiple of 8 of .shared)",
			(unsigned long long)w->addr[lane], space_name[w->space]);
		return false;
	}
	return async_change_mbarrier(w, o, lane, mbarrier, &x, &old);
}

/* ---- instructions ---- */

enum mb_op { MB_INIT, MB_INVAL, MB_ARRIVE, MB_DROP, MB_EXPECT, MB_COMPLETE, MB_COPIES, MB_TEST };
/*
 * Indices of x->aux. AUX_TX: the operand is a number of bytes, or a parity for MB_TEST. AUX_INCOMPLETE: the suffix
 * .noComplete, or .noinc for MB_COPIES.
 */
enum { AUX_TX, AUX_INCOMPLETE };

/*
 * Checks that generic addresses are in the shared memory of the own thread block. Returns false if the launch
 * has failed.
 */
static bool check_own_block(struct warp *w, const struct op *o, uint32_t m)
{
	if (o->space != SP_GENERIC)
		return true;
	FOR_BITS32 (i, m)
		if (w->addr[i] < SHARED_BASE || w->addr[i] >= SHARED_BASE + CLUSTER_STRIDE) {
			exec_fail(w, o, 1u << i, "mbarrier",
				"mbarrier at 0x%llx (expected one in shared memory of the thread block)",
				(unsigned long long)w->addr[i]);
			return false;
		}
	return true;
}

/* Sets at[] to the host addresses of the lanes' mbarriers. Returns false if the launch has failed. */
static bool find_mbarriers(struct warp *w, const struct op *o, uint32_t m, uint8_t **at)
{
	bool change = o->n == MB_INIT || o->n == MB_INVAL;

	exec_compute_addresses(w, o);
	if (!check_own_block(w, o, m) || !mem_find_host(w, o, m, (enum state_space)o->space, 8, at))
		return false;
	FOR_BITS32 (i, m)
		if (!check_mbarrier_alignment(w, o, i))
			return false;
	return !w->grid->options->check ||
	       (change ? check_write(w, o, m, 8, at) : check_read(w, o, m, 8, at));
}

static bool init_mbarrier(struct warp *w, const struct op *o, unsigned lane, u64 n, u64 *v)
{
	struct mbarrier_state s = {n, n, 0, 0};

	if (!n || n > COUNT_MOST) {
		exec_fail(w, o, 1u << lane, "mbarrier", "mbarrier for %llu arrivals (expected 1 to %d)",
			(unsigned long long)n, COUNT_MOST);
		return false;
	}
	*v = pack_mbarrier(w, &s);
	return true;
}

/*
 * Applies the op with operand n to the word v of the mbarrier at host address `at`. Returns false if the launch has
 * failed.
 */
static bool apply_mbarrier_op(
	struct warp *w, const struct op *o, unsigned lane, u64 n, const uint8_t *at, u64 *v)
{
	struct mbarrier_state s = unpack_mbarrier(w, *v);
	bool tx = o->x->aux[AUX_TX], incomplete = o->x->aux[AUX_INCOMPLETE], good;
	u64 phase = s.phase, arrivals = tx ? 1 : n;

	if (o->n == MB_EXPECT) {
		good = add_pending_bytes(w, o, lane, &s, (s64)n);
		*v = pack_mbarrier(w, &s);
		return good;
	}
	if (o->n == MB_COMPLETE) {
		good = add_pending_bytes(w, o, lane, &s, -(s64)n);
	} else if (o->n == MB_COPIES) {
		good = !incomplete || subtract_arrivals(w, o, lane, &s, 1);
	} else {
		good = (!tx || add_pending_bytes(w, o, lane, &s, (s64)n)) &&
		       subtract_arrivals(w, o, lane, &s, arrivals);
		if (o->n == MB_DROP)
			s.count -= arrivals;
	}
	if (!good)
		return false;
	end_complete_phase(w, at, &s);
	if (incomplete && o->n != MB_COPIES && s.phase != phase) {
		exec_fail(w, o, 1u << lane, "mbarrier",
			"last arrival of a phase with .noComplete (expected other arrivals to be pending)");
		return false;
	}
	*v = pack_mbarrier(w, &s);
	return true;
}

static void execute_mbarrier(struct warp *w, const struct op *o, uint32_t m)
{
	uint8_t *at[LANES];

	if (!find_mbarriers(w, o, m, at))
		return;
	if (o->n == MB_COPIES) { /* a wait for the mbarrier includes these copies */
		flight_commit(w, m);
		flight_wait(w, m, 0);
	}
	FOR_BITS32 (i, m) {
		u64 v = 0, old = 0, n = o->b ? REG(u32, w, o->b)[i] : 1;
		/* Two objects of C++ may share a barrier's memory, so that it is invalidated twice. No GPU objects. */
		bool good = o->n == MB_INIT    ? init_mbarrier(w, o, i, n, &v)
			    : o->n == MB_INVAL ? true
					       : read_mbarrier(w, o, i, at[i], &old);

		if (good && o->n > MB_INVAL) {
			v = old;
			good = apply_mbarrier_op(w, o, i, n, at[i], &v);
		}
		if (!good)
			return;
		checker_mark_written(w->cta, at[i], 8);
		w->changed |= v != old;
		memcpy(at[i], &v, 8);
		if (o->d)
			REG(u64, w, o->d)[i] = old;
	}
}

/* Sets the predicate to whether the phase of the token or parity is complete. */
static void execute_mbarrier_wait(struct warp *w, const struct op *o, uint32_t m)
{
	bool parity = o->x->aux[AUX_TX];
	uint8_t *at[LANES];
	uint32_t p = 0, *d = &PRED(w, o->d);

	if (!find_mbarriers(w, o, m, at))
		return;
	w->mbarrier_wait.failed = false;
	FOR_BITS32 (i, m) {
		u64 phase = parity ? REG(u32, w, o->b)[i] : unpack_mbarrier(w, REG(u64, w, o->b)[i]).phase;
		bool over;

		if (phase > 1)
			exec_note_finding(w, o, 1u << i, "parity",
				"parity %llu of a phase (expected 0 or 1); its lowest bit is used, as in compiled code",
				(unsigned long long)phase);
		if (!async_test_phase(w, o, i, at[i], phase & 1, &over))
			return;
		p |= (u32)over << i;
	}
	*d = (*d & ~m) | p;
	if (p != m)
		w->stop |= WARP_YIELD;
	checker_note_barrier(w->cta);
}

static void execute_pending_count(struct warp *w, const struct op *o, uint32_t m)
{
	FOR_BITS32 (i, m)
		REG(u32, w, o->d)[i] = (u32)unpack_mbarrier(w, REG(u64, w, o->a)[i]).pending;
}

/* ---- binding ---- */

/*
 * Forms of the instruction. A statement has the first form whose suffix it has. result: a state or predicate precedes
 * the address.
 */
static const struct mb_form {
	enum modifier modifier;
	enum mb_op op;
	uint8_t result, min_operands, max_operands;
	bool remote; /* the mbarrier may be in another block of the cluster */
} forms[] = {
	{M_INIT, MB_INIT, 0, 2, 2, false},
	{M_INVAL, MB_INVAL, 0, 1, 1, false},
	{M_ARRIVE, MB_ARRIVE, 1, 2, 3, true},
	{M_ARRIVE_DROP, MB_DROP, 1, 2, 3, true},
	{M_TEST_WAIT, MB_TEST, 1, 3, 3, false},
	{M_TRY_WAIT, MB_TEST, 1, 3, 4, false},
	{M_COMPLETE_TX, MB_COMPLETE, 0, 2, 2, true},
	{M_EXPECT_TX, MB_EXPECT, 0, 2, 2, true},
};

static const struct mb_form *find_mbarrier_form(const struct stmt *in)
{
	for (unsigned i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (stmt_has(in, forms[i].modifier))
			return &forms[i];
	return NULL;
}

static int bind_pending_count(struct bind *b, struct op *o)
{
	const struct operand *k = b->stmt->operand;

	o->execute = execute_pending_count;
	return bind_operands(b, 2, 2) || (o->d = bind_dst(b, &k[0], 32)) == UINT32_MAX ||
			       (o->a = bind_src(b, &k[1], T_B64)) == UINT32_MAX
		       ? -1
		       : 0;
}

/* Binds the operands after the address. */
static int bind_after_address(struct bind *b, struct op *o, const struct operand *k, unsigned n)
{
	bool parity = stmt_has(b->stmt, M_PARITY), test = o->n == MB_TEST;

	o->b = 0;
	if (n && (o->b = bind_src(b, &k[0], test && !parity ? T_B64 : T_U32)) == UINT32_MAX)
		return -1;
	if (parity && k[0].kind == O_INT && k[0].value != 0 && k[0].value != 1)
		return bind_fault(b, &k[0], "operand", "parity %lld of a phase (expected 0 or 1)",
			(long long)k[0].value);
	return n > 1 && bind_src(b, &k[1], T_U32) == UINT32_MAX ? -1 : 0;
}

int bind_mbarrier(struct bind *b, struct op *o)
{
	const struct stmt *in = b->stmt;
	const struct operand *k = in->operand;
	const struct mb_form *r = find_mbarrier_form(in);
	bool tx = stmt_has(in, M_EXPECT_TX), incomplete = stmt_has(in, M_NOCOMPLETE),
	     cluster = stmt_has(in, M_SHARED__CLUSTER);

	if (stmt_has(in, M_PENDING_COUNT))
		return bind_pending_count(b, o);
	if (!r)
		return bind_fault(
			b, NULL, "suffix", "%s (expected an operation such as .init or .arrive)", in->text);
	if (bind_operands(b,
		    r->result && r->op != MB_TEST && (tx || incomplete) ? r->max_operands : r->min_operands,
		    r->max_operands))
		return -1;
	if (cluster && (!r->remote || (r->result && k[0].kind != O_NULL)))
		return bind_fault(b, NULL, "suffix", "%s (expected .shared::cta%s)", in->text,
			r->remote ? " or _ for a state" : "");
	o->execute = r->op == MB_TEST ? execute_mbarrier_wait : execute_mbarrier;
	o->n = (uint8_t)r->op;
	bind_ext(b, o)->aux[AUX_TX] = r->op == MB_TEST ? stmt_has(in, M_PARITY) : tx;
	o->x->aux[AUX_INCOMPLETE] = incomplete;
	o->space = (uint8_t)bind_space(b);
	o->d = 0;
	if (r->result && (o->d = bind_dst(b, &k[0], r->op == MB_TEST ? 1 : 64)) == UINT32_MAX)
		return -1;
	return bind_address(b, o, &k[r->result], (enum state_space)o->space) ||
			       bind_after_address(b, o, k + r->result + 1, in->n_operands - r->result - 1u)
		       ? -1
		       : 0;
}

int bind_copies_arrive(struct bind *b, struct op *o)
{
	o->execute = execute_mbarrier;
	o->n = MB_COPIES;
	bind_ext(b, o)->aux[AUX_INCOMPLETE] = stmt_has(b->stmt, M_NOINC);
	o->space = (uint8_t)bind_space(b);
	return bind_operands(b, 1, 1) ? -1
				      : bind_address(b, o, &b->stmt->operand[0], (enum state_space)o->space);
}
