/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The directory as bytes: first the distinct names and classes, then a row of numbers for each kernel. Similar
 * kernels have similar rows, which compress well.
 *
 * Always true: the size is checked before unpacking. Each row has a name.
 */
#include "directory.h"
#include "pack.h"

#define WORTH_WORK  (1u << 20) /* smallest number of instructions for which counting again is slow */
#define KERNEL_WORK 256u       /* number of instructions that take as long as opening a kernel */
/* minimum size of the stream divided by the size of the directory, so that the directory adds at most 0.3 percent */
#define LEAST_SHARE 334u

#define CLASSES_MOST 64u
_Static_assert(N_CLASSES <= CLASSES_MOST, "a bit for each class");

/* ---- rows --------------------------------------------------------------------------------- */

/*
 * Returns the number of a name plus 1. Adds the name if it is new. Returns 0 for NULL and for a name longer than the
 * limit of a line.
 */
static uint32_t number_of_name(struct directory *d, const char *name)
{
	size_t n = name ? strlen(name) : SIZE_MAX;

	if (n > pack_limits.line)
		return 0;
	uint64_t h = table_hash(name, n);
	FOR_TABLE (w, &d->names, h)
		if (!strcmp(d->name[w.number], name))
			return w.number + 1;
	table_add(&d->names, h, d->n_names);
	grow(&d->name, &d->cap_names, d->n_names + 1, sizeof(*d->name));
	d->name[d->n_names++] = xstrndup(name, n);
	return d->n_names;
}

void directory_begin(struct directory *d, const char *header, size_t n)
{
	struct pack_kernel k = {.text = 0};

	header_kernel(&k, header, n);
	grow(&d->row, &d->cap, d->n + 1, sizeof(*d->row));
	struct directory_row *r = &d->row[d->n++];
	*r = (struct directory_row){.name_number = number_of_name(d, k.name), .stream = k.stream};
	memcpy(r->grid, k.grid, sizeof(r->grid));
	memcpy(r->block, k.block, sizeof(r->block));
	free(k.name);
}

void directory_add(struct directory *d, uint32_t kernel, const struct census *c)
{
	struct directory_row *r = &d->row[kernel];

	if (!c->has_counts)
		r->name_number = 0;
	r->blocks += c->blocks;
	r->insts += c->insts;
	tally_add(&r->tally, &c->tally);
}

void directory_free(struct directory *d)
{
	for (uint32_t i = 0; i < d->n_names; i++)
		free(d->name[i]);
	free(d->name);
	free(d->row);
	table_free(&d->names);
	*d = (struct directory){.n = 0};
}

/* The numbers of a row in order, without the grid and the classes. */
#define ROW_NUMBERS(r) \
	{ \
		&(r)->stream, &(r)->blocks, &(r)->insts, TALLY_FIELDS(ROW_NUMBER) \
	}
#define ROW_NUMBER(name) &r->tally.name,
#define N_NUMBERS        (3u + sizeof(struct tally) / sizeof(uint64_t) - N_CLASSES)

/* ---- to bytes ----------------------------------------------------------------------------- */

static void put_string(struct buf *b, const char *s)
{
	buf_var(b, strlen(s));
	buf_add(b, s, strlen(s));
}

static uint64_t classes_in_use(const struct directory *d)
{
	uint64_t used = 0;

	for (uint32_t i = 0; i < d->n; i++)
		for (unsigned c = 0; c < N_CLASSES; c++)
			used |= (uint64_t)(d->row[i].tally.of_class[c] != 0) << c;
	return used;
}

static void put_directory_row(struct buf *b, struct directory_row *r, uint64_t classes)
{
	const uint64_t *const number[N_NUMBERS] = ROW_NUMBERS(r);

	buf_var(b, r->name_number);
	for (unsigned i = 0; i < 3 && r->name_number; i++) {
		buf_var(b, r->grid[i]);
		buf_var(b, r->block[i]);
	}
	for (unsigned i = 0; i < N_NUMBERS && r->name_number; i++)
		buf_var(b, *number[i]);
	for (unsigned c = 0; c < N_CLASSES && r->name_number; c++)
		if (classes >> c & 1)
			buf_var(b, r->tally.of_class[c]);
}

static void put_rows(struct buf *b, const struct directory *d)
{
	uint64_t classes = classes_in_use(d);

	buf_var(b, d->n_names);
	for (uint32_t i = 0; i < d->n_names; i++)
		put_string(b, d->name[i]);
	buf_var(b, (uint64_t)__builtin_popcountll(classes));
	for (unsigned c = 0; c < N_CLASSES; c++)
		if (classes >> c & 1)
			put_string(b, isa_class_name((enum isa_class)c));
	for (uint32_t i = 0; i < d->n; i++)
		put_directory_row(b, &d->row[i], classes);
}

bool directory_pack(struct buf *out, const struct directory *d, uint64_t stream)
{
	struct buf all = {0}, frame = {0};
	uint64_t work = (uint64_t)d->n * KERNEL_WORK;

	for (uint32_t i = 0; i < d->n; i++)
		work += d->row[i].name_number ? d->row[i].insts : 0;
	if (work < WORTH_WORK)
		return false;
	put_rows(&all, d);
	bool fits = all.n <= pack_limits.directory;
	if (fits)
		frame_pack(&frame, all.p, all.n);
	fits = fits && frame.n <= stream / LEAST_SHARE;
	if (fits) {
		mp_uint(out, all.n);
		mp_bin(out, frame.p, frame.n);
	}
	buf_free(&all);
	buf_free(&frame);
	return fits;
}

/* ---- and back ----------------------------------------------------------------------------- */

static const uint8_t *get_string(struct cur *in, size_t *n)
{
	uint64_t len = cur_var(in);

	*n = (size_t)len;
	return len <= cur_left(in) ? cur_bytes(in, *n) : cur_bytes(in, SIZE_MAX);
}

static uint32_t get_dimension(struct cur *in)
{
	uint64_t v = cur_var(in);

	in->bad |= v >= NONE;
	return (uint32_t)v;
}

static void get_row(struct cur *in, struct directory *d, const int *class, uint64_t n_classes)
{
	struct directory_row *r = &d->row[d->n++];
	uint64_t *const number[N_NUMBERS] = ROW_NUMBERS(r), name = cur_var(in);

	in->bad |= name > d->n_names;
	if (!name || in->bad)
		return;
	r->name_number = (uint32_t)name;
	for (unsigned i = 0; i < 3; i++) {
		r->grid[i] = get_dimension(in);
		r->block[i] = get_dimension(in);
	}
	for (unsigned i = 0; i < N_NUMBERS; i++)
		*number[i] = cur_var(in);
	for (uint64_t c = 0; c < n_classes; c++)
		r->tally.of_class[class[c]] += cur_var(in);
}

static void get_names(struct directory *d, struct cur *in)
{
	uint64_t n_names = cur_var(in);
	size_t n;

	in->bad |= n_names > cur_left(in); /* a name takes at least a byte */
	for (uint64_t i = 0; i < n_names && !in->bad; i++) {
		const uint8_t *s = get_string(in, &n);

		in->bad |= !s || n > pack_limits.line || memchr(s, '\0', n);
		if (in->bad)
			return;
		grow(&d->name, &d->cap_names, d->n_names + 1, sizeof(*d->name));
		d->name[d->n_names++] = xstrndup((const char *)s, n);
	}
}

/* Reads the rows. Classes that this program does not know are counted as NONE. */
static bool get_rows(struct directory *d, uint32_t kernels, struct cur *in)
{
	int class[CLASSES_MOST];
	size_t n;

	get_names(d, in);
	uint64_t n_classes = cur_var(in);
	in->bad |= n_classes > CLASSES_MOST;
	for (uint64_t c = 0; c < n_classes && !in->bad; c++) {
		const char *s = (const char *)get_string(in, &n);
		int is = s ? isa_class_parse(s, n) : -1;

		class[c] = is < 0 ? CLASS_NONE : is;
	}
	if (in->bad || kernels > cur_left(in))
		return false;
	d->row = xcalloc((size_t)kernels + 1, sizeof(*d->row));
	while (!in->bad && d->n < kernels)
		get_row(in, d, class, n_classes);
	return !in->bad && !cur_left(in);
}

bool directory_unpack(struct directory *d, uint32_t kernels, const uint8_t *frame, size_t n_frame, uint64_t n)
{
	*d = (struct directory){.n = 0};
	if (n > pack_limits.directory)
		return false;
	uint8_t *all = xmalloc((size_t)n + 1);
	struct cur in = cur_of(all, (size_t)n);
	bool good = frame_unpack(all, (size_t)n, frame, n_frame) && get_rows(d, kernels, &in);

	free(all);
	return good;
}
