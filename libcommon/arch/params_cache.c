/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Option strings of caches (CACHE-conf), the sizes of the adaptive L1 (CACHE-size), and rules between caches.
 *
 * Rules by role: L1T has MSHR kind F or T, the other caches have A or S; L1I and L1C are read-only, L1D and L2 are
 * not; only L1D and L2 may be "none". For an unused L1I (-gpgpu_perfect_inst_const_cache) and for the caches that
 * machine code does not access (L1C, L1T) only the syntax is checked.
 */
#include <string.h>
#include "params_int.h"

#define MAX_LINES   (1u << 24) /* largest number of lines of one cache */
#define MAX_ENTRIES (1u << 20) /* largest number of entries of MSHRs and queues */

/* ---- the string --------------------------------------------------------------------------------------- */

static const char replace_letters[] = {
#define REPLACE(name, letter) letter,
#include "replace.def"
#undef REPLACE
	'\0'};

/*
 * Fields of the option string. Each has the separator before the field, its letters in the order of the enum (NULL:
 * the field is a number), and its name.
 */
static const struct {
	char before;                /* separator before the field */
	const char *letters, *name; /* letters in the order of the enum, or NULL */
} field[] = {
	{'\0', "NS", "cache type N or S"},
	{':', NULL, "number of sets"},
	{':', NULL, "line size"},
	{':', NULL, "number of ways"},
	{',', replace_letters, "replacement L or F"},
	{':', "RBTEL", "write policy R, B, T, E or L"},
	{':', "mfs", "allocation m, f or s"},
	{':', "NWFL", "write allocation N, W, F or L"},
	{':', "LXPHC", "set index L, X, P, H or C"},
	{',', "ASFT", "MSHR kind A, S, F or T"},
	{':', NULL, "number of MSHR entries"},
	{':', NULL, "requests of an MSHR entry"},
	{',', NULL, "miss queue size"},
	{':', NULL, "result FIFO size"},
	{',', NULL, "port width"},
};

enum {
	F_TYPE,
	F_SETS,
	F_LINE,
	F_WAYS,
	F_REPLACE,
	F_WRITE,
	F_ALLOC,
	F_WALLOC,
	F_INDEX,
	F_MSHR,
	F_ENTRIES,
	F_MERGE,
	F_QUEUE,
	F_RESULT,
	F_PORT,
	N_FIELDS
};

/* Parses the string into v. Returns the number of fields, or -1 and sets *f. */
static int scan_cache_fields(uint32_t v[N_FIELDS], const struct gpuconf *c, enum conf_id id, struct fault *f)
{
	const char *text = conf_text(c, id), *s = text;
	int n = 0;

	for (; n < N_FIELDS; n++) {
		if (n > F_QUEUE && !*s)
			break;
		bool good = !field[n].before || *s == field[n].before;
		if (good && field[n].before)
			s++;
		if (good && field[n].letters) {
			const char *letter = *s ? strchr(field[n].letters, *s) : NULL;
			good = letter != NULL;
			v[n] = letter ? (uint32_t)(letter - field[n].letters) : 0;
			s += good;
		} else if (good) {
			good = param_number(&s, &v[n]);
		}
		if (!good)
			return conf_fault(c, id, f, "%s%s%s%.1s%s at character %d%s",
				n > F_QUEUE ? "the end or " : "", field[n].name,
				field[n].before ? " after '" : "", &field[n].before,
				field[n].before ? "'" : "", (int)(s - text) + 1,
				c->value[id].place.file
					? ""
					: "; the original's built-in string is invalid too, set the option");
	}
	if (*s)
		return conf_fault(c, id, f, "the end of the string at character %d", (int)(s - text) + 1);
	return n;
}

static void set_cache_fields(struct cache_params *p, const uint32_t v[N_FIELDS])
{
	*p = (struct cache_params){
		.present = true,
		.kind = (enum cache_kind)v[F_TYPE],
		.sets = v[F_SETS],
		.line_bytes = v[F_LINE],
		.ways = v[F_WAYS],
		.atom_bytes = v[F_TYPE] == CACHE_SECTOR ? 32 : v[F_LINE],
		.replacement = (enum replacement)v[F_REPLACE],
		.write = (enum write_policy)v[F_WRITE],
		.alloc = v[F_ALLOC] == 0 ? ALLOC_ON_MISS : ALLOC_ON_FILL,
		.streaming = v[F_ALLOC] == 2,
		.walloc = (enum write_alloc)v[F_WALLOC],
		.index = (enum set_index)v[F_INDEX],
		.mshr = (enum mshr_kind)v[F_MSHR],
		.mshr_entries = v[F_ENTRIES],
		.mshr_merge = v[F_MERGE],
		.miss_queue = v[F_QUEUE],
		.result_fifo = v[F_RESULT],
		.port_bytes = v[F_PORT] ? v[F_PORT] : v[F_LINE],
		.line_log2 = log2_floor(v[F_LINE]),
		.sets_log2 = log2_floor(v[F_SETS]),
	};
}

/* ---- one cache ------------------------------------------------------------------------------ */

static int check_cache_geometry(
	const struct cache_params *p, const struct gpuconf *c, enum conf_id id, struct fault *f)
{
	if (!p->sets || !p->ways || (uint64_t)p->sets * p->ways > MAX_LINES / 4)
		return conf_fault(c, id, f, "at least one set and way, and at most %u lines", MAX_LINES / 4);
	if (!is_pow2(p->line_bytes) || p->line_bytes < 16 || p->line_bytes > 4096)
		return conf_fault(c, id, f, "a line size that is a power of two from 16 to 4096");
	if (p->kind == CACHE_SECTOR && p->line_bytes != 128)
		return conf_fault(c, id, f, "lines of 128 bytes in a sector cache (S)");
	if (p->line_bytes % p->port_bytes)
		return conf_fault(c, id, f, "a port width that divides the line of %u bytes", p->line_bytes);
	if (p->alloc == ALLOC_ON_FILL && p->write == WRITE_BACK)
		return conf_fault(c, id, f, "allocation m with write-back (B), which would lose dirty lines");
	if (p->alloc == ALLOC_ON_FILL && (p->walloc == WALLOC_FETCH || p->walloc == WALLOC_LAZY))
		return conf_fault(c, id, f, "allocation m with write allocation F or L");
	if (p->mshr_entries > MAX_ENTRIES || p->mshr_merge > MAX_ENTRIES || p->miss_queue > MAX_ENTRIES ||
		p->result_fifo > MAX_ENTRIES)
		return conf_fault(c, id, f, "at most %u entries in MSHRs and queues", MAX_ENTRIES);
	return 0;
}

/* Checks that no request blocks a cache forever. */
static int check_cache_cannot_block(
	const struct cache_params *p, const struct gpuconf *c, enum conf_id id, bool data, struct fault *f)
{
	if (p->index == INDEX_IPOLY && (!is_pow2(p->sets) || p->sets > HASH_IPOLY_MAX))
		return conf_fault(
			c, id, f, "a power of two of at most %u sets with set index P", HASH_IPOLY_MAX);
	if (p->index == INDEX_FERMI && p->sets != 32 && p->sets != 64)
		return conf_fault(c, id, f, "32 or 64 sets with set index H");
	if (p->line_bytes > 128 || (data && p->line_bytes < 32))
		return conf_fault(
			c, id, f, "a line size of at most 128 bytes%s", data ? ", at least 32" : "");
	if (!p->mshr_entries)
		return conf_fault(c, id, f, "at least 1 MSHR entry");
	if (!p->miss_queue)
		return conf_fault(c, id, f, "at least 1 miss queue entry");
	return 0;
}

static int check_cache_role(const struct cache_params *p, const struct gpuconf *c, enum conf_id id,
	enum cache_role role, struct fault *f)
{
	bool tex = p->mshr == MSHR_TEX_FIFO || p->mshr == MSHR_SECTOR_TEX_FIFO;
	bool data = role == ROLE_L1D || role == ROLE_L2;

	if (tex != (role == ROLE_L1T))
		return conf_fault(c, id, f, "MSHR kind %s in this cache", tex ? "A or S" : "F or T");
	if (role == ROLE_L1T && (p->write != WRITE_READ_ONLY || p->alloc != ALLOC_ON_MISS))
		return conf_fault(c, id, f, "write policy R and allocation m in the texture cache");
	if (data && p->write == WRITE_READ_ONLY)
		return conf_fault(c, id, f, "a write policy other than R in a data cache");
	if (role == ROLE_L1I && !conf_bool(c, OPT_gpgpu_perfect_inst_const_cache)) {
		if (p->write != WRITE_READ_ONLY || p->kind != CACHE_LINE)
			return conf_fault(
				c, id, f, "cache type N and write policy R in the instruction cache");
		if (p->line_bytes < 32) /* replies have 32 bytes, so no miss would match them by address */
			return conf_fault(c, id, f, "lines of at least 32 bytes in the instruction cache");
		return check_cache_cannot_block(p, c, id, false, f);
	}
	return data ? check_cache_cannot_block(p, c, id, true, f) : 0;
}

/* Sets the largest number of ways that the cache has with any split of the adaptive L1 (CACHE-size-1). */
static int set_ways_max(struct cache_params *p, const struct gpuconf *c, enum conf_id id,
	enum cache_role role, struct fault *f)
{
	uint32_t unified = role == ROLE_L1D ? conf_uint(c, OPT_gpgpu_unified_l1d_size) : 0, times = 4;

	if (unified) {
		uint64_t kib = (uint64_t)p->sets * p->ways * p->line_bytes / 1024;
		if (!kib || unified % kib)
			return conf_fault(c, OPT_gpgpu_unified_l1d_size, f,
				"a multiple of the %llu KiB of -gpgpu_cache:dl1", (unsigned long long)kib);
		times = (uint32_t)(unified / kib);
	}
	if ((uint64_t)p->sets * p->ways * times > MAX_LINES)
		return conf_fault(c, id, f, "at most %u lines", MAX_LINES);
	p->ways_max = p->ways * times;
	return 0;
}

int params_parse_cache(struct cache_params *p, const struct gpuconf *c, enum conf_id id, enum cache_role role,
	struct fault *f)
{
	uint32_t v[N_FIELDS] = {0};

	*p = (struct cache_params){0};
	if (strcmp(conf_text(c, id), "none") == 0) {
		if (role == ROLE_L1D || role == ROLE_L2)
			return 0;
		return conf_fault(
			c, id, f, "a cache; only -gpgpu_cache:dl1 and -gpgpu_cache:dl2 may be none");
	}
	int n = scan_cache_fields(v, c, id, f);
	if (n < 0)
		return -1;
	set_cache_fields(p, v);
	if (role == ROLE_L1T && n < F_RESULT + 1)
		return conf_fault(c, id, f, "a result FIFO size after the miss queue size, as in 128:2");
	if (check_cache_geometry(p, c, id, f) < 0 || check_cache_role(p, c, id, role, f) < 0 ||
		set_ways_max(p, c, id, role, f) < 0)
		return -1;
	if (role == ROLE_L1D)
		p->write_ratio = conf_uint(c, OPT_gpgpu_l1_cache_write_ratio);
	return 0;
}

/* ---- rules between caches and coalescer ----------------------------------------------------- */

/* Returns true if requests are split to 32 bytes before the L1 (LSU-gen-3). */
static bool splits_to_sectors(const struct core_params *k)
{
	return k->coalesce_arch >= 40 ||
	       (k->coalesce_arch >= 20 && k->coalesce_arch <= 38 && k->gmem_skip_l1d);
}

/* Returns true if each line that l1 requests returns as a whole, or in sectors that the MSHRs of l1 count. */
static bool replies_fill_lines(const struct cache_params *l1, const struct cache_params *l2)
{
	return l1->mshr == MSHR_SECTOR_ASSOC || !l2->present || l2->kind != CACHE_SECTOR ||
	       l1->atom_bytes <= 32;
}

/* Returns true if replies to the first-level caches are sectors. */
static bool replies_in_sectors(const struct params *p)
{
	return p->mem.l2.present && p->mem.l2.kind == CACHE_SECTOR && !p->core.perfect_mem;
}

/*
 * Checks that replies of the L2 have the size that a first-level cache expects. The L1D is checked at the
 * first access, because many kernels have none.
 */
static int check_replies_fit_l1(const struct cache_params *l1, const struct params *p,
	const struct gpuconf *c, enum conf_id id, struct fault *f)
{
	const struct cache_params *l2 = &p->mem.l2;
	bool data = id == OPT_gpgpu_cache_dl1;

	if (!data && l1->mshr == MSHR_SECTOR_ASSOC && !replies_in_sectors(p))
		return conf_fault(c, id, f, "MSHR kind A: %s",
			p->core.perfect_mem ? "-gpgpu_perfect_mem 1 does not answer in sectors"
					    : "the L2 is no sector cache");
	if (!data && !p->core.perfect_mem && !replies_fill_lines(l1, l2))
		return conf_fault(c, id, f, "MSHR kind S: the L2 answers a line of %u bytes in sectors",
			l1->line_bytes);
	if (l2->present && l2->kind != CACHE_SECTOR && l1->atom_bytes > l2->line_bytes)
		return conf_fault(c, id, f, "at most the %u bytes of an L2 line in a request, not %u",
			l2->line_bytes, l1->atom_bytes);
	return 0;
}

#define NEVER_QUEUE  "the miss queue is too small for some misses"
#define NEVER_ANSWER "writes get no reply with write allocation F and write-through (T)"
#define NEVER_READ   "partly written lines cannot be read with write allocation L without sectors"

const struct unfit_row unfit_rows[N_UNFIT] = {
	{UNFIT_L1_BYTES, OPT_gpgpu_coalesce_arch, "accesses may be larger than a sector of the L1"},
	{UNFIT_L1_FILL, OPT_gpgpu_cache_dl1, "the L2 replies in sectors, not in lines of the L1"},
	{UNFIT_L2_BYTES, OPT_gpgpu_coalesce_arch,
		"accesses that bypass the L1 may be larger than those of the L2"},
	{UNFIT_L2, OPT_gpgpu_dram_partition_queues, "the first queue is too small for a request"},
	{UNFIT_L1_QUEUE, OPT_gpgpu_cache_dl1, NEVER_QUEUE},
	{UNFIT_L1_ANSWER, OPT_gpgpu_cache_dl1, NEVER_ANSWER},
	{UNFIT_L1_READ, OPT_gpgpu_cache_dl1, NEVER_READ},
	{UNFIT_L1_PIECES, OPT_gpgpu_cache_dl1, "MSHR kind S waits for sectors that do not arrive"},
	{UNFIT_L2_QUEUE, OPT_gpgpu_cache_dl2, NEVER_QUEUE},
	{UNFIT_L2_ANSWER, OPT_gpgpu_cache_dl2, NEVER_ANSWER},
	{UNFIT_L2_READ, OPT_gpgpu_cache_dl2, NEVER_READ},
	{UNFIT_L2_FILL, OPT_gpgpu_cache_dl2, "MSHR kind S waits for sectors that do not arrive"},
};

/*
 * Returns the kinds of accesses that a data cache would reject forever, as a set of enum unfit. enum cache_never of
 * trace-sim has the conditions.
 */
static uint32_t unsupported_set_of_cache(
	const struct cache_params *p, uint32_t queue, uint32_t answer, uint32_t read)
{
	uint32_t set = 0;

	if (p->miss_queue < (p->walloc == WALLOC_NAIVE ? 3 : 2))
		set |= queue;
	if (p->write == WRITE_THROUGH && p->walloc == WALLOC_FETCH)
		set |= answer;
	if (p->kind == CACHE_LINE && p->walloc == WALLOC_LAZY)
		set |= read;
	return set;
}

/* Returns the kinds of accesses that kernels must not make with this L1D and L2, as a set of enum unfit. */
static uint32_t unsupported_access_set(const struct params *p)
{
	const struct cache_params *l1 = &p->core.l1d, *l2 = &p->mem.l2;
	bool small_l2 = l2->present && (l2->kind == CACHE_SECTOR || l2->line_bytes < 128);
	uint32_t set = 0;

	if (l1->present)
		set |= unsupported_set_of_cache(l1, UNFIT_L1_QUEUE, UNFIT_L1_ANSWER, UNFIT_L1_READ);
	if (l2->present)
		set |= unsupported_set_of_cache(l2, UNFIT_L2_QUEUE, UNFIT_L2_ANSWER, UNFIT_L2_READ);
	if (l2->present && l2->mshr == MSHR_SECTOR_ASSOC)
		set |= UNFIT_L2_FILL;
	if (l1->present && l1->atom_bytes < 128 && !splits_to_sectors(&p->core))
		set |= UNFIT_L1_BYTES;
	if (l1->present && l1->mshr == MSHR_SECTOR_ASSOC && (!replies_in_sectors(p) || l1->atom_bytes < 128))
		set |= UNFIT_L1_PIECES;
	if (p->core.perfect_mem)
		return set;
	if (l1->present && !replies_fill_lines(l1, l2))
		set |= UNFIT_L1_FILL;
	if (small_l2 && !splits_to_sectors(&p->core) && (!l1->present || p->core.gmem_skip_l1d))
		set |= UNFIT_L2_BYTES;
	if (p->mem.queue_icnt_l2 < 4)
		set |= UNFIT_L2;
	return set;
}

/* Checks the texture cache. Only MSHR kind T counts sectors, and each queue must have an entry. */
static int check_texture(
	const struct cache_params *t, const struct params *p, const struct gpuconf *c, struct fault *f)
{
	const enum conf_id id = OPT_gpgpu_tex_cache_l1;

	if (check_cache_cannot_block(t, c, id, false, f) < 0)
		return -1;
	if (!t->mshr_merge || !t->result_fifo)
		return conf_fault(c, id, f, "at least 1 entry in the request and the result queue");
	if ((t->mshr == MSHR_SECTOR_TEX_FIFO) != replies_in_sectors(p))
		return conf_fault(c, id, f, "MSHR kind %s: the memory below answers %s",
			replies_in_sectors(p) ? "T" : "F",
			replies_in_sectors(p) ? "in sectors" : "whole lines");
	return 0;
}

/*
 * Checks the constant and texture caches. Few kernels access them, so their faults are reported at the first access.
 */
static void check_readonly(struct params *p, const struct gpuconf *c)
{
	const struct cache_params *l1c = &p->core.l1c;
	const enum conf_id id = OPT_gpgpu_const_cache_l1;
	struct fault f;

	if (check_cache_cannot_block(l1c, c, id, false, &f) < 0 ||
		check_replies_fit_l1(l1c, p, c, id, &f) < 0)
		p->core.no_constants = f;
	if (check_texture(&p->core.l1t, p, c, &f) < 0)
		p->core.no_textures = f;
}

static int check_l1d(const struct params *p, const struct gpuconf *c, struct fault *f)
{
	const struct core_params *k = &p->core;
	const struct cache_params *l1 = &k->l1d;

	if (!l1->present)
		return k->adaptive_l1 ? conf_fault(c, OPT_gpgpu_adaptive_cache_config, f,
						"0 without an L1 data cache")
				      : 0;
	if (!p->modern.enabled && k->l1_latency == 0)
		return conf_fault(c, OPT_gpgpu_l1_latency, f, "at least 1 with an L1 data cache");
	if (k->l1_bank_hash == INDEX_IPOLY && k->l1_banks != 16 && k->l1_banks != 32 && k->l1_banks != 64)
		return conf_fault(
			c, OPT_gpgpu_l1_banks, f, "16, 32 or 64 with -gpgpu_l1_banks_hashing_function 2");
	if (k->l1_bank_hash == INDEX_FERMI && k->l1_banks != 32 && k->l1_banks != 64)
		return conf_fault(
			c, OPT_gpgpu_l1_banks, f, "32 or 64 with -gpgpu_l1_banks_hashing_function 3");
	return check_replies_fit_l1(l1, p, c, OPT_gpgpu_cache_dl1, f);
}

/*
 * Returns the largest odd number of sets that is at most n. The set of a line is the remainder of the line number, so
 * strides of a power of 2 use all sets if their number is odd.
 */
static uint32_t largest_odd_up_to(uint64_t n) { return n ? (uint32_t)((n - 1) | 1) : 0; }

/* Applies -core_l1_ways: the L1 has the largest odd number of sets that fits its size (CACHE-size-3). */
static int set_l1_from_ways(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct cache_params *l1 = &p->core.l1d;
	uint32_t ways = p->modern.l1_ways;

	if (!ways || !l1->present)
		return 0;
	if (l1->write != WRITE_THROUGH && l1->write != WRITE_EVICT)
		return conf_fault(c, OPT_core_l1_ways, f,
			"0 with an L1 that keeps written lines (write policy B or L of -gpgpu_cache:dl1)");
	l1->sets = largest_odd_up_to(
		(uint64_t)l1->sets * (p->core.adaptive_l1 ? l1->ways_max : l1->ways) / ways);
	if (!l1->sets)
		return conf_fault(c, OPT_core_l1_ways, f, "at most as many as the L1 has lines");
	l1->ways = l1->ways_max = ways;
	l1->index = INDEX_MODULO;
	l1->write_ratio = 0; /* otherwise a set that is full of written lines would never evict one */
	return 0;
}

/* ---- adaptive L1 ---------------------------------------------------------------------------- */

static int read_split_sizes(struct core_params *k, const struct gpuconf *c, struct fault *f)
{
	uint32_t kib[32];
	int n = param_numbers(conf_text(c, OPT_gpgpu_shmem_option), ',', kib, 32);

	if (n < 1)
		return conf_fault(c, OPT_gpgpu_shmem_option, f, "1 to 32 numbers separated by commas");
	/* The list is short and mostly sorted, so an insertion sort suffices. */
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && kib[j] < kib[j - 1]; j--) {
			uint32_t swap = kib[j];
			kib[j] = kib[j - 1];
			kib[j - 1] = swap;
		}
	if (kib[n - 1] > UINT32_MAX / 1024)
		return conf_fault(
			c, OPT_gpgpu_shmem_option, f, "sizes in KiB of at most %u", UINT32_MAX / 1024);
	k->n_shmem_options = (uint32_t)n;
	for (int i = 0; i < n; i++)
		k->shmem_option_bytes[i] = kib[i] * 1024;
	return 0;
}

/*
 * Computes in single precision like the original (LAUNCH-l1-1). With -core_l1_ways the result is a whole number of
 * sets (CACHE-size-3).
 */
uint32_t params_set_l1_rows(const struct params *p, uint32_t shmem)
{
	const struct cache_params *l1 = &p->core.l1d;
	uint64_t total = p->core.unified_l1_kb * UINT64_C(1024),
		 taken = (uint64_t)shmem + p->modern.l1_reserved;
	float ratio = 1 - (float)taken / (float)total;

	if (p->modern.l1_ways)
		return taken < total ? largest_odd_up_to((total - taken) / l1->line_bytes / l1->ways) : 0;
	return ratio >= 0 ? (uint32_t)((float)l1->ways_max * ratio + 0.5f) : 0;
}

/* Checks the adaptive L1. The launch of a kernel selects its split and checks the remaining L1. */
static int check_adaptive_l1(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct core_params *k = &p->core;

	if (!k->unified_l1_kb)
		return conf_fault(c, OPT_gpgpu_unified_l1d_size, f,
			"the size of the unified memory with -gpgpu_adaptive_cache_config 1");
	if (read_split_sizes(k, c, f) < 0)
		return -1;
	if (!params_set_l1_rows(p, k->shmem_option_bytes[0]))
		return conf_fault(c, p->modern.l1_reserved ? OPT_core_l1_reserved : OPT_gpgpu_shmem_option, f,
			"a size below the %u KiB of -gpgpu_unified_l1d_size, the rest of which is the L1",
			k->unified_l1_kb);
	return 0;
}

int params_set_caches(struct params *p, const struct gpuconf *c, struct fault *f)
{
	struct core_params *k = &p->core;

	if (params_parse_cache(&k->l1d, c, OPT_gpgpu_cache_dl1, ROLE_L1D, f) < 0 ||
		set_l1_from_ways(p, c, f) < 0 ||
		(!p->modern.enabled &&
			params_parse_cache(&k->l1i, c, OPT_gpgpu_cache_il1, ROLE_L1I, f) < 0) ||
		params_parse_cache(&k->l1c, c, OPT_gpgpu_const_cache_l1, ROLE_L1C, f) < 0 ||
		params_parse_cache(&k->l1t, c, OPT_gpgpu_tex_cache_l1, ROLE_L1T, f) < 0 ||
		params_parse_cache(&p->mem.l2, c, OPT_gpgpu_cache_dl2, ROLE_L2, f) < 0)
		return -1;
	p->mem.l2.fetch_pairs = p->mem.l2.present && conf_bool(c, OPT_l2_fetch_pairs);
	if (p->mem.l2.fetch_pairs && (p->mem.l2.kind != CACHE_SECTOR || p->mem.l2.mshr_entries < 2))
		return conf_fault(c, OPT_l2_fetch_pairs, f,
			"0 unless -gpgpu_cache:dl2 has sectors and two MSHR entries");
	/* Without an L2 there is nothing to warm or flush, and the original crashes. */
	p->mem.memcpy_warms_l2 = p->mem.memcpy_warms_l2 && p->mem.l2.present;
	p->mem.flush_l2 = p->mem.flush_l2 && p->mem.l2.present;
	k->flush_l1 = k->flush_l1 && k->l1d.present;
	k->unfit = unsupported_access_set(p);
	check_readonly(p, c);
	if (check_l1d(p, c, f) < 0)
		return -1;
	if (p->modern.enabled && params_set_modern_l1i(p, c, f) < 0)
		return -1;
	if (!k->perfect_icache && !(p->modern.enabled && p->modern.l1i_miss_latency) &&
		check_replies_fit_l1(
			&k->l1i, p, c, p->modern.enabled ? OPT_core_cache_l1i : OPT_gpgpu_cache_il1, f) < 0)
		return -1;
	return k->adaptive_l1 ? check_adaptive_l1(p, c, f) : 0;
}
