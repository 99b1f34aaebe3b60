/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of the directory of packed streams: rows are read back unchanged, damaged rows are rejected, and the
 * directory is omitted if it does not save bytes.
 */
#include "pack/directory.h"
#include "pack.h"
#include "tap.h"

#define KERNELS 5000u

static void format_kernel_header(char *text, size_t n, unsigned i)
{
	snprintf(text, n,
		"-kernel name = k%u\n-kernel id = %u\n-grid dim = (%u,2,1)\n-block dim = (64,2,1)\n-shmem = 0\n"
		"-nregs = 8\n-binary version = 80\n-cuda stream id = %u\n",
		i % 3, i, i + 1, i % 2);
}

static void fill_directory(struct directory *d)
{
	struct census c = {.has_counts = true, .blocks = 7, .insts = 100};
	char text[512];

	for (unsigned i = 0; i < KERNELS; i++) {
		format_kernel_header(text, sizeof(text), i);
		directory_begin(d, text, strlen(text));
		c.has_counts = i % 7 != 3;
		c.tally = (struct tally){.lanes = i, .loads = 2 * i, .atomics = 5};
		c.tally.of_class[CLASS_LOAD] = i;
		directory_add(d, i, &c);
		c.tally.of_class[CLASS_EXIT] = 1; /* a kernel of two pieces */
		directory_add(d, i, &c);
	}
}

static bool is_row_equal(const struct directory *a, const struct directory *b, uint32_t i)
{
	const struct directory_row *x = &a->row[i], *y = &b->row[i];

	if (!x->name_number || !y->name_number)
		return x->name_number == y->name_number;
	return !strcmp(a->name[x->name_number - 1], b->name[y->name_number - 1]) &&
	       !memcmp(x->grid, y->grid, sizeof(x->grid)) && !memcmp(x->block, y->block, sizeof(x->block)) &&
	       x->stream == y->stream && x->blocks == y->blocks && x->insts == y->insts &&
	       !memcmp(&x->tally, &y->tally, sizeof(x->tally));
}

static void check_read_back(const struct directory *d, const struct buf *b)
{
	struct cur in = cur_of(b->p, b->n);
	uint64_t unpacked = mp_get_uint(&in, UINT64_MAX);
	size_t n;
	const uint8_t *frame = mp_get_str(&in, &n);
	struct directory e;
	bool same = true;

	ok(directory_unpack(&e, KERNELS, frame, n, unpacked), "a packed directory is unpacked");
	for (uint32_t i = 0; i < KERNELS; i++)
		same &= is_row_equal(d, &e, i);
	ok(same, "the rows of an unpacked directory equal the packed rows");
	is_number((long long)e.row[0].blocks, 14, "the blocks of two pieces of a kernel are added");
	is_number(e.row[3].name_number, 0, "a kernel with a piece that was not counted has an empty row");
	directory_free(&e);
	ok(!directory_unpack(&e, KERNELS - 1, frame, n, unpacked),
		"a directory with one row too many is rejected");
	directory_free(&e);
	ok(!directory_unpack(&e, KERNELS + 1, frame, n, unpacked),
		"a directory with one row too few is rejected");
	directory_free(&e);
	ok(!directory_unpack(&e, KERNELS, frame, n, unpacked - 1),
		"a directory with a wrong length is rejected");
	directory_free(&e);
	ok(!directory_unpack(&e, KERNELS, frame, n, pack_limits.directory + 1ull),
		"a directory with a length above the limit is rejected");
	directory_free(&e);
}

/*
 * Changes each byte of the uncompressed directory, and checks that there is a fault or that the rows are
 * within bounds.
 */
static void check_damaged_rows(const uint8_t *bytes, size_t n, uint32_t kernels)
{
	uint8_t *copy = xmalloc(n);
	bool good = true;

	for (size_t i = 0; i < n * 4; i++) {
		static const uint8_t flip[] = {1, 0x80, 0xff, 0x7f};
		struct buf frame = {0};
		struct directory e;

		memcpy(copy, bytes, n);
		copy[i / 4] ^= flip[i % 4];
		frame_pack(&frame, copy, n);
		if (directory_unpack(&e, kernels, frame.p, frame.n, n))
			for (uint32_t k = 0; k < kernels; k++)
				good &= e.row[k].name_number <= e.n_names;
		directory_free(&e);
		buf_free(&frame);
	}
	ok(good, "a damaged row has no name beyond the list of names");
	free(copy);
}

int main(void)
{
	struct directory d = {.n = 0}, few = {.n = 0};
	struct buf b = {0};
	struct census c = {.has_counts = true, .insts = 10};
	char text[512];

	diag_init("test_directory");
	fill_directory(&d);
	ok(directory_pack(&b, &d, UINT64_MAX), "a directory of many kernels is written");
	check_read_back(&d, &b);
	size_t n = b.n;
	ok(!directory_pack(&b, &d, 1000) && b.n == n,
		"a directory that is large for its stream is not written");
	format_kernel_header(text, sizeof(text), 1);
	directory_begin(&few, text, strlen(text));
	directory_add(&few, 0, &c);
	ok(!directory_pack(&b, &few, UINT64_MAX) && b.n == n,
		"a directory of one short kernel is not written");
	directory_begin(&few, "-kernel id = 1\n", 15);
	is_number(few.row[1].name_number, 0, "a kernel without a name has an empty row");
	/* one name "a" and one class "LOAD"; only the first of two kernels has a row */
	static const uint8_t rows[] = {1, 1, 'a', 1, 4, 'L', 'O', 'A', 'D', 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11,
		12, 13, 14, 15, 16, 17, 9, 0};
	check_damaged_rows(rows, sizeof(rows), 2);
	directory_free(&d);
	directory_free(&few);
	buf_free(&b);
	return tap_done();
}
