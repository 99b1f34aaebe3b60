/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of packed streams in which kernels of their lists are missing, and of invalid marks of missing
 * kernels.
 */
#include <stdlib.h>
#include <string.h>
#include "klist.h"
#include "pack.h"
#include "tap.h"

/* Writes a stream of n kernels whose list names 4 kernels. The kernels in missing[] are marked as missing. */
static char *make_with_missing(unsigned n, const uint32_t *missing, uint32_t n_missing, size_t *size)
{
	static const char list[] = "kernel-0\nMemcpyHtoD,0x0,4\nkernel-1\nkernel-2\nkernel-1\nkernel-3\n";
	char *packed;
	FILE *out = open_memstream(&packed, size);
	struct pack_writer *w = pack_writer_new(out, 1, 1);

	pack_write_missing(w, missing, n_missing);
	pack_write_list(w, "kernelslist.g", list, sizeof(list) - 1);
	for (unsigned i = 0; i < n; i++) {
		pack_begin_kernel(w);
		pack_add_text(w, "text\n", 5);
		pack_end_kernel(w, NULL);
	}
	pack_writer_close(w);
	fclose(out);
	return packed;
}

/*
 * Opens a stream of make_with_missing(). Returns 1 if it is valid, 0 if pack_verify() finds damage, -1 if it
 * cannot be opened.
 */
static int try_open_missing(unsigned n, const uint32_t *missing, uint32_t n_missing)
{
	size_t size;
	char *packed = make_with_missing(n, missing, n_missing, &size);
	struct fault f;
	struct pack *p = pack_open_memory("s", packed, size, &f);
	int r = !p ? -1 : pack_verify(p, &f) == 0;

	if (r != 1 && strcmp(f.id, "pack-damaged") != 0)
		r = -2;
	pack_close(p);
	free(packed);
	return r;
}

static void test_missing_kernels(void)
{
	size_t size, len;
	char *packed = make_with_missing(2, (const uint32_t[]){1, 3}, 2, &size);
	struct klist k = {.path = NULL};
	struct fault f;
	struct pack *p = pack_open_memory("s", packed, size, &f);

	ok(p && packed[7] == 66 && pack_kernels(p) == 2 && pack_missing_count(p) == 2 &&
			pack_lacks_kernel(p, "kernel-1") && pack_lacks_kernel(p, "kernel-3") &&
			!pack_lacks_kernel(p, "kernel-0") && pack_find_kernel(p, "kernel-1") == -1 &&
			pack_find_kernel(p, "kernel-2") == 1,
		"the missing kernels of a stream are known by name");
	ok(p && strstr(pack_list_text(p, &len), "kernel-2\nkernel-1\nkernel-3\n"),
		"the list of a stream names its missing kernels");
	ok(p && pack_read_klist(p, &k, &f) == 0 && k.n_kernels == 5 && k.cmd[2].missing && k.cmd[4].missing &&
			k.cmd[3].position == 3 && !k.cmd[3].missing && k.cmd[3].kernel == 1,
		"a list read from a stream marks its missing kernels");
	klist_free(&k);
	pack_close(p);
	free(packed);
	ok(try_open_missing(2, (const uint32_t[]){1, 3}, 2) == 1,
		"a stream that lacks two of four kernels is valid");
	ok(try_open_missing(4, NULL, 0) == 1, "a stream that lacks no kernel is valid");
	ok(try_open_missing(0, (const uint32_t[]){0, 1, 2, 3}, 4) == 1,
		"a stream that lacks all kernels is valid");
	ok(try_open_missing(3, (const uint32_t[]){4}, 1) == -1,
		"a mark of a kernel after the last one is rejected");
	ok(try_open_missing(2, (const uint32_t[]){2, UINT32_MAX - 1}, 2) == -1,
		"a mark of a kernel far after the last one is rejected");
	ok(try_open_missing(3, (const uint32_t[]){2, 3}, 2) == 0,
		"a kernel that exists although it is marked as missing is damage");
	ok(try_open_missing(3, NULL, 0) == 0, "a missing kernel that is not marked as missing is damage");
	ok(try_open_missing(1, (const uint32_t[]){0, 1, 2, 3}, 4) == 0,
		"one kernel that exists although all are marked as missing is damage");
}

int main(void)
{
	diag_init("test_pack_missing");
	test_missing_kernels();
	return tap_done();
}
