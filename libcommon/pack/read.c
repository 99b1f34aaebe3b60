/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opening of packed streams: magic, version, end marker, index, list.
 *
 * Always true of an open file: the blocks of the index fill the file from the magic to the index without gaps;
 * numbers of kernels never decrease. Blocks are checked when they are read.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "input.h"
#include "output.h"
#include "bodies.h"
#include "codec.h"
#include "directory.h"

#define FIRST       PACK_FIRST
#define LAST        8u /* size of the index, and the end marker */
#define LINE_WANTED "(expected a complete, unchanged stream of trace-pack)"

int pack_bad(const struct pack *p, uint64_t at, struct fault *f, const char *id, const char *what)
{
	return fault_set(f, (struct place){p->name, 0, 0}, id, "byte %llu: %s " LINE_WANTED,
		(unsigned long long)at, what);
}

/* Reads n bytes at an offset. Returns 0 or -1. */
static int read_stream_bytes(const struct pack *p, uint64_t at, void *to, size_t n, struct fault *f)
{
	if (at > p->size || n > p->size - at)
		return pack_bad(p, p->size, f, "pack-truncated", "the stream ends early");
	if (p->fd < 0) {
		if (n)
			memcpy(to, p->bytes + at, n);
		return 0;
	}
	for (uint8_t *t = to; n;) {
		ssize_t got = pread(p->fd, t, n, (off_t)at);

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fault_set(f, (struct place){p->name, 0, 0}, "read",
				"cannot read byte %llu: %s", (unsigned long long)at,
				got ? strerror(errno) : "the file became shorter");
		t += got;
		at += (uint64_t)got;
		n -= (size_t)got;
	}
	return 0;
}

uint8_t *pack_frame(
	const struct pack *p, uint64_t at, uint8_t type, size_t *n, uint64_t *size, struct fault *f)
{
	uint8_t head[11], sum[8] = {0};
	size_t have = p->size - at < sizeof(head) ? (size_t)(p->size - at) : sizeof(head);

	if (at >= p->size) {
		pack_bad(p, p->size, f, "pack-truncated", "the stream ends early");
		return NULL;
	}
	if (read_stream_bytes(p, at, head, have, f) < 0)
		return NULL;
	struct cur c = cur_of(head, have);
	uint8_t is = cur_byte(&c);
	uint64_t len = cur_var(&c);
	size_t n_head = (size_t)(c.p - head);
	if (c.bad || is != type) {
		pack_bad(p, at, f, "pack-damaged", "no block begins here");
		return NULL;
	}
	if (len > p->size - at - n_head || p->size - at - n_head - len < 8) {
		pack_bad(p, at, f, "pack-truncated", "a block is longer than the rest of the stream");
		return NULL;
	}
	uint8_t *body = xmalloc(len + 1);
	if (read_stream_bytes(p, at + n_head, body, len, f) < 0 ||
		read_stream_bytes(p, at + n_head + len, sum, 8, f) < 0) {
		free(body);
		return NULL;
	}
	uint64_t want = 0;
	for (int i = 0; i < 8; i++)
		want |= (uint64_t)sum[i] << 8 * i;
	if (stream_sum(head, n_head, body, len) != want) {
		pack_bad(p, at, f, "pack-damaged", "the checksum of a block is wrong");
		free(body);
		return NULL;
	}
	*n = len;
	*size = n_head + len + 8;
	return body;
}

/* ---- index of the blocks, and kernel list ----------------------------------------------------------------------- */

static bool read_index_picks(struct pack *p, struct cur *in)
{
	size_t n = 0;
	const uint8_t *s = mp_get_str(in, &n);

	if (!s || memchr(s, '\0', n))
		return false;
	char *picks = xstrndup((const char *)s, n);
	free(p->picks);
	p->picks = picks;
	return true;
}

static bool read_index_directory(struct pack *p, struct cur *in)
{
	size_t n = 0;

	p->unpacked = mp_get_uint(in, pack_limits.directory);
	const uint8_t *s = mp_get_str(in, &n);
	if (!s || !n)
		return false;
	p->packed.n = 0;
	buf_add(&p->packed, s, n);
	return true;
}

bool pack_index_end(struct pack *p, struct cur *in)
{
	bool good = !(p->features & PACK_PICKED) || read_index_picks(p, in);

	if (good && p->features & PACK_COUNTED && cur_left(in))
		good = read_index_directory(p, in);
	return good && !in->bad && !cur_left(in);
}

static int read_index(struct pack *p, struct fault *f)
{
	uint8_t end[LAST] = {0};
	size_t n;
	uint64_t size, at = FIRST, kernel = 0, bodies = 0;

	if (p->size >= FIRST + LAST && read_stream_bytes(p, p->size - LAST, end, LAST, f) < 0)
		return -1;
	if (memcmp(end + 4, PACK_END, 4))
		return pack_bad(p, p->size, f, "pack-truncated", "no end marker");
	uint64_t back =
		(uint64_t)end[0] | (uint64_t)end[1] << 8 | (uint64_t)end[2] << 16 | (uint64_t)end[3] << 24;
	if (back > p->size - FIRST - LAST)
		return pack_bad(p, p->size - LAST, f, "pack-damaged", "the index is longer than the stream");
	uint64_t index = p->size - LAST - back;
	uint8_t *body = pack_frame(p, index, BLOCK_INDEX, &n, &size, f);
	if (!body)
		return -1;
	struct cur in = cur_of(body, n);
	uint32_t count = (uint32_t)mp_get_uint(&in, n);
	p->entry = xcalloc(count + 1u, sizeof(p->entry[0]));
	for (uint32_t i = 0; i < count && !in.bad; i++) {
		struct pack_entry *e = &p->entry[p->n_entries++];

		e->offset = at;
		e->size = mp_get_uint(&in, index - at);
		kernel += mp_get_uint(&in, UINT32_MAX - kernel - 1);
		e->kernel = (uint32_t)kernel;
		uint64_t before = mp_get_uint(&in, UINT64_MAX);
		e->begins = !before;
		e->first_block = before - !e->begins;
		if (p->features & PACK_SHARED) {
			e->first_body = (uint32_t)bodies;
			e->bodies = (uint32_t)mp_get_uint(&in, pack_limits.pieces);
			bodies += e->bodies;
			in.bad |= bodies >= NONE;
		}
		at += e->size;
	}
	bool good = !in.bad && size == back && pack_index_end(p, &in) && count, joined = good && at < index;
	free(body);
	if (joined)
		return pack_bad(
			p, at, f, "pack-damaged", "the index does not list the bytes that begin here");
	good = good && at == index;
	return good ? 0 : pack_bad(p, index, f, "pack-damaged", "the index does not fit the blocks");
}

static bool is_blank_byte(char c) { return c == ' ' || c == '\t' || c == '\r'; }

static int64_t find_kernel_entry(const struct table *t, char *const *name, const char *s, size_t n)
{
	FOR_TABLE (w, t, table_hash(s, n))
		if (strlen(name[w.number]) == n && !memcmp(name[w.number], s, n))
			return w.number;
	return -1;
}

int64_t pack_find_kernel(const struct pack *p, const char *name)
{
	return find_kernel_entry(&p->names, p->kernel, name, strlen(name));
}

bool pack_lacks_kernel(const struct pack *p, const char *name)
{
	return find_kernel_entry(&p->missing_names, p->missing, name, strlen(name)) >= 0;
}

static void add_indexed_name(
	struct table *t, char ***name, uint32_t *n_names, uint32_t *cap, const char *s, size_t n)
{
	table_add(t, table_hash(s, n), *n_names);
	grow(name, cap, *n_names + 1, sizeof(**name));
	(*name)[(*n_names)++] = xstrndup(s, n);
}

/*
 * Reads the names of kernels from the list. missing has an entry for each kernel that the stream lacks: the number of
 * kernels that the list names between the previous missing kernel and this one. Returns false if the list names fewer
 * kernels.
 */
static bool read_kernel_names(struct pack *p, struct cur missing)
{
	bool lacks = cur_left(&missing) > 0;
	uint64_t before = lacks ? cur_var(&missing) : 0;
	size_t bytes;
	const char *s = pack_list_text(p, &bytes), *end = s + bytes;

	while (s < end) {
		const char *nl = memchr(s, '\n', (size_t)(end - s)), *a = s, *b = nl ? nl : end;

		s = nl ? nl + 1 : end;
		while (p->list_name && a < b && is_blank_byte(*a))
			a++;
		while (p->list_name && b > a && is_blank_byte(b[-1]))
			b--;
		size_t n = (size_t)(b - a);
		if (!n || (p->list_name && (n < 6 || memcmp(a, "kernel", 6))) ||
			find_kernel_entry(&p->names, p->kernel, a, n) >= 0 ||
			find_kernel_entry(&p->missing_names, p->missing, a, n) >= 0)
			continue;
		if (!lacks || before--) {
			add_indexed_name(&p->names, &p->kernel, &p->n_kernels, &p->cap_kernels, a, n);
			continue;
		}
		add_indexed_name(&p->missing_names, &p->missing, &p->n_missing, &p->cap_missing, a, n);
		lacks = cur_left(&missing) > 0;
		before = lacks ? cur_var(&missing) : 0;
	}
	return !lacks && !missing.bad;
}

/*
 * Checks that the index has no block after the kernels of the list. The first block is exempt, because it contains
 * the list.
 */
static bool index_fits_list(const struct pack *p)
{
	uint32_t last = p->n_entries - 1;

	return p->input || p->n_entries < 2 || p->entry[last].kernel < p->n_kernels;
}

int pack_read_list(struct pack *p, struct fault *f)
{
	struct pack_block *b = block_get_list(p, f);

	if (!b)
		return -1;
	bool good = b->list && b->list_name && stream_unfold_list(&p->list, cur_of(b->list, b->list_len)) &&
		    !memchr(p->list.p ? (void *)p->list.p : "", '\0', p->list.n);
	if (good && b->list_name_len)
		p->list_name = xstrndup((const char *)b->list_name, b->list_name_len);
	bool named = good && read_kernel_names(p, cur_of(b->missing, b->missing_len));
	block_put(p, b);
	if (!good)
		return pack_bad(p, FIRST, f, "pack-damaged", "no kernel list in the first block");
	if (!named || (p->n_missing && (!p->list_name || !index_fits_list(p))))
		return pack_bad(
			p, FIRST, f, "pack-damaged", "the kernels that the stream lacks do not fit its list");
	return 0;
}

uint32_t pack_first_entry(const struct pack *p, uint32_t kernel, uint64_t first_block)
{
	uint32_t lo = 0, hi = p->n_entries;

	/*
	 * Finds the last entry that does not begin after the thread block. The entry's block may begin with the
	 * previous kernel.
	 */
	while (hi - lo > 1) {
		uint32_t m = lo + (hi - lo) / 2;
		const struct pack_entry *e = &p->entry[m];

		if (e->kernel < kernel ||
			(e->kernel == kernel &&
				(e->begins || (first_block && e->first_block <= first_block))))
			lo = m;
		else
			hi = m;
	}
	return lo;
}

/* ---- opening ------------------------------------------------------------------------------ */

int pack_check_magic(struct pack *p, const uint8_t m[FIRST], struct fault *f)
{
	if (memcmp(m, PACK_MAGIC, 7))
		return pack_bad(p, 0, f, "pack-magic", "not a packed stream");
	p->features = (uint8_t)(m[7] - PACK_VERSION);
	if (m[7] < PACK_VERSION || m[7] > PACK_NEWEST)
		return fault_set(f, (struct place){p->name, 0, 0}, "pack-version",
			"version %u of the packed format (expected at most %u; use the trace-pack that wrote it)",
			m[7], PACK_NEWEST);
	/* No checksum covers the version. A wrong dictionary would yield other metadata, not always a fault. */
	const unsigned words = p->features & (PACK_LINED | PACK_WORDED | PACK_VALUED);
	if (words != 0 && words != PACK_LINED && words != (PACK_LINED | PACK_WORDED) &&
		words != (PACK_WORDED | PACK_VALUED) && words != (PACK_LINED | PACK_VALUED))
		return pack_bad(
			p, 7, f, "pack-damaged", "no program writes this version of the packed format");
	return 0;
}

static int check_magic(struct pack *p, struct fault *f)
{
	uint8_t m[FIRST] = {0};

	if (p->size >= FIRST && read_stream_bytes(p, 0, m, FIRST, f) < 0)
		return -1;
	return pack_check_magic(p, m, f);
}

void pack_lock_init(struct pack *p)
{
	pthread_mutexattr_t a;

	pthread_mutexattr_init(&a);
	pthread_mutexattr_settype(&a, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&p->lock, &a);
	pthread_mutexattr_destroy(&a);
}

static struct pack *finish_opening(struct pack *p, struct fault *f)
{
	pack_lock_init(p);
	if (check_magic(p, f) == 0 && read_index(p, f) == 0 && pack_read_list(p, f) == 0)
		return p;
	pack_close(p);
	return NULL;
}

static struct pack *open_over_file(int fd, const char *name, struct fault *f)
{
	off_t size = lseek(fd, 0, SEEK_END);
	struct pack *p = xcalloc(1, sizeof(*p));

	p->name = name;
	p->fd = fd;
	p->size = size < 0 ? 0 : (uint64_t)size;
	return finish_opening(p, f);
}

struct pack *pack_open_copy(struct input *in, struct fault *f)
{
	char buf[1 << 13];
	struct pack shown = {.name = input_name(in)};
	uint8_t magic[FIRST] = {0};
	const char *first;
	long n = input_window(in, FIRST, &first, f);

	/* Input that is not a packed stream is not copied, because it may never end. */
	if (n < 0)
		return NULL;
	memcpy(magic, first, n < FIRST ? (size_t)n : FIRST);
	if (pack_check_magic(&shown, magic, f) < 0)
		return NULL;
	FILE *t = output_try_unnamed();
	bool good = t != NULL;

	while (good && (n = input_read(in, buf, sizeof(buf), f)) > 0)
		good = fwrite(buf, 1, (size_t)n, t) == (size_t)n;
	good = good && !fflush(t);
	if (!good)
		fault_set(f, (struct place){input_name(in), 0, 0}, "spool",
			"cannot copy the stream to a temporary file: %s", strerror(errno));
	int fd = good && n == 0 ? dup(fileno(t)) : -1;
	if (t)
		fclose(t);
	return fd < 0 ? NULL : open_over_file(fd, input_name(in), f);
}

bool pack_input_begins(struct input *in)
{
	const char *p;

	return input_window(in, 7, &p, NULL) >= 7 && !memcmp(p, PACK_MAGIC, 7);
}

struct pack *pack_open(const char *path, struct fault *f)
{
	int fd = pack_has_signature(path) ? open(path, O_RDONLY | O_CLOEXEC) : -1;

	if (fd >= 0)
		return open_over_file(fd, diag_keep(path), f);
	struct input *in = input_open(path, f);
	struct pack *p = in ? pack_open_copy(in, f) : NULL;
	input_close(in);
	return p;
}

struct pack *pack_open_input(struct input **in, struct fault *f)
{
	int fd = input_duplicate(*in);

	if (fd >= 0)
		return open_over_file(fd, input_name(*in), f);
	struct pack *p = pack_open_forward(*in, f);
	if (p)
		*in = NULL;
	return p;
}

struct pack *pack_open_memory(const char *name, const void *bytes, size_t n, struct fault *f)
{
	struct pack *p = xcalloc(1, sizeof(*p));

	p->name = diag_keep(name);
	p->fd = -1;
	p->bytes = bytes;
	p->size = n;
	return finish_opening(p, f);
}

bool pack_has_signature(const char *path)
{
	char m[7];
	struct stat st;

	/* Pipes are not probed: the bytes would be lost, and the writer could get SIGPIPE. */
	if (!strcmp(path, "-") || stat(path, &st) || !S_ISREG(st.st_mode))
		return false;
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return false;
	bool is = pread(fd, m, 7, 0) == 7 && !memcmp(m, PACK_MAGIC, 7);
	close(fd);
	return is;
}

void pack_close(struct pack *p)
{
	if (!p)
		return;
	block_free(p->cache);
	if (p->fd >= 0)
		close(p->fd);
	for (uint32_t i = 0; i < p->n_kernels; i++)
		free(p->kernel[i]);
	free(p->kernel);
	table_free(&p->names);
	for (uint32_t i = 0; i < p->n_missing; i++)
		free(p->missing[i]);
	free(p->missing);
	table_free(&p->missing_names);
	free(p->entry);
	free(p->list_name);
	free(p->picks);
	buf_free(&p->packed);
	if (p->directory)
		directory_free(p->directory);
	free(p->directory);
	static_cache_free(p->statics);
	bodies_free(p->bodies);
	buf_free(&p->list);
	input_close(p->input);
	for (uint32_t i = 0; p->frame && i < p->n_entries; i++)
		buf_free(&p->frame[i]);
	free(p->frame);
	free(p->walk);
	pthread_mutex_destroy(&p->lock);
	free(p);
}

const char *pack_path(const struct pack *p) { return p->name; }
const char *pack_list_name(const struct pack *p) { return p->list_name; }
uint32_t pack_kernels(const struct pack *p) { return p->n_kernels; }
uint32_t pack_missing_count(const struct pack *p) { return p->n_missing; }
const char *pack_picks(const struct pack *p) { return p->picks; }
bool pack_has_codes(const struct pack *p) { return p->features & PACK_CODED; }
uint64_t pack_bytes(const struct pack *p) { return p->size; }

const char *pack_list_text(const struct pack *p, size_t *n)
{
	*n = p->list.n;
	return p->list.p ? (const char *)p->list.p : "";
}
