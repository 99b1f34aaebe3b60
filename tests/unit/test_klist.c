/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of kernel lists and of the selection of kernels. */
#include <stdint.h>
#include <sys/stat.h>
#include "bytes.h"
#include "input.h"
#include "klist.h"
#include "tap.h"

static int parse_list(struct klist *k, const char *text, size_t len, const char *directory, struct fault *f)
{
	struct input *in = input_memory("list", text, len, NULL);
	int rc;

	*k = (struct klist){0};
	rc = klist_parse(k, in, directory, f);
	input_close(in);
	return rc;
}

static void test_good(void)
{
	static const char text[] = "MemcpyHtoD,0x00007f40,200000\r\n\n  kernel-1.traceg \nMemcpyDtoH,0x10,4\n"
				   "MemcpyHtoD,ff, 0 ,data file.bin\nkernel \"2\";touch x;'.traceg\nkernel-3";
	struct klist k;
	struct fault f;

	is_number(parse_list(&k, text, sizeof(text) - 1, "app", &f), 0, "a kernel list is parsed");
	ok(k.n_cmds == 6 && k.n_kernels == 3, "a kernel list has six commands with three kernels");
	ok(k.cmd[0].kind == CMD_MEMCPY && k.cmd[0].address == 0x7f40 && k.cmd[0].bytes == 200000,
		"a copy to the GPU has its address and its size");
	is_text(k.cmd[1].path, "app/kernel-1.traceg",
		"the path of a kernel begins with the directory of the list");
	is_text(k.cmd[1].text, "kernel-1.traceg", "the text of a kernel is its name in the list");
	ok(k.cmd[1].line == 3 && k.cmd[1].position == 1, "a kernel has its line and its position");
	ok(k.cmd[2].kind == CMD_COPY_BACK && k.cmd[2].address == 0x10, "a copy to the host has its address");
	ok(k.cmd[3].address == 0xff && k.cmd[3].bytes == 0,
		"a copy with a file name has its address and its size");
	is_text(k.cmd[4].path, "app/kernel \"2\";touch x;'.traceg",
		"a kernel name with shell characters is kept");
	ok(k.cmd[5].position == 3 && k.cmd[5].line == 7, "a last line without a newline is read");
	klist_free(&k);
	is_number(parse_list(&k, "kernel-1", 8, NULL, &f), 0, "a kernel list without a directory is parsed");
	is_text(k.cmd[0].path, "kernel-1", "the path of a kernel in a list without a directory is its name");
	klist_free(&k);
}

static void test_bad(void)
{
	static const struct {
		const char *text, *id;
		unsigned line, col;
	} bad[] = {
		{"", "list-empty", 0, 0},
		{"\n \r\n", "list-empty", 0, 0},
		{"MemcpyDtoH,0x10,4\n", "list-empty", 0, 0},
		{"kernel-1\nKernel-2\n", "list-line", 2, 1},
		{"  garbage", "list-line", 1, 3},
		{"MemcpyHtoD,0x7f00", "memcpy-fields", 1, 1},
		{"MemcpyHtoDx,1,1", "memcpy-fields", 1, 1},
		{"MemcpyHtoD,zzz,abc", "memcpy-address", 1, 12},
		{"MemcpyHtoD,,4", "memcpy-address", 1, 12},
		{"MemcpyHtoD,0x11112222333344445,4", "memcpy-address", 1, 12},
		{"MemcpyHtoD,0x10,abc", "memcpy-count", 1, 17},
		{"MemcpyHtoD,0x10,", "memcpy-count", 1, 17},
		{"MemcpyHtoD,0x10,-1", "memcpy-count", 1, 17},
		{"MemcpyHtoD,0x10,4294967296", "memcpy-count", 1, 17},
		{"MemcpyHtoD,0x10,99999999999999999999999", "memcpy-count", 1, 17},
	};
	struct klist k;
	struct fault f;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (!ok(parse_list(&k, bad[i].text, strlen(bad[i].text), "", &f) < 0 &&
				    !strcmp(f.id, bad[i].id) && f.place.line == bad[i].line &&
				    f.place.col == bad[i].col && *f.text && !strstr(f.text, "wanted"),
			    "a kernel list with the fault %s is rejected at its place (%zu)", bad[i].id, i))
			printf("# %s %u:%u %s\n", f.id, (unsigned)f.place.line, (unsigned)f.place.col,
				f.text);
		klist_free(&k);
	}
	ok(parse_list(&k, "kernel\0-1", 9, "", &f) < 0, "a kernel list with a NUL byte is rejected");
	klist_free(&k);
}

static void put_test_file(const char *directory, const char *name, const char *text)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	out = fopen(path, "w");
	if (!out || fputs(text, out) < 0 || fclose(out))
		abort();
}

static void remove_test_file(const char *directory, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", directory, name);
	unlink(path);
}

static void test_paths(void)
{
	char directory[] = "/tmp/test_klist_XXXXXX", path[100], want[100];
	struct klist k;
	struct fault f;

	if (!mkdtemp(directory))
		abort();
	ok(klist_read(&k, directory, &f) < 0 && !strcmp(f.id, "list-missing"),
		"a directory without a kernel list is rejected");
	klist_free(&k);
	put_test_file(directory, "kernelslist", "kernel-7.trace\n");
	ok(klist_read(&k, directory, &f) < 0 && !strcmp(f.id, "list-raw"),
		"a directory with only the tracer's unprocessed list is rejected");
	klist_free(&k);
	put_test_file(directory, "kernelslist_ctx_0x1.g", "kernel-7\n");
	ok(klist_read(&k, directory, &f) == 0 && k.n_kernels == 1,
		"a directory with the kernel list of one context is read");
	snprintf(want, sizeof(want), "%s/kernel-7", directory);
	is_text(k.cmd[0].path, want, "the path of the context's kernel begins with the directory");
	klist_free(&k);
	put_test_file(directory, "kernelslist_ctx_0x2.g", "kernel-8\n");
	ok(klist_read(&k, directory, &f) < 0 && !strcmp(f.id, "list-missing"),
		"a directory with the kernel lists of two contexts is rejected");
	klist_free(&k);
	put_test_file(directory, "kernelslist.g", "kernel-1\nkernel-2\n");
	ok(klist_read(&k, directory, &f) == 0 && k.n_kernels == 2, "a directory with kernelslist.g is read");
	klist_free(&k);
	put_test_file(directory, "kernel-1", "\n -kernel name = x\n");
	snprintf(path, sizeof(path), "%s/kernel-1", directory);
	ok(klist_read(&k, path, &f) == 0 && k.n_kernels == 1 && !strcmp(k.cmd[0].path, path),
		"a kernel file is read as a list of one kernel");
	klist_free(&k);
	snprintf(path, sizeof(path), "%s/none", directory);
	ok(klist_read(&k, path, &f) < 0 && strstr(f.place.file, "/none"), "a missing file is rejected");
	klist_free(&k);
	remove_test_file(directory, "kernelslist_ctx_0x1.g");
	remove_test_file(directory, "kernelslist_ctx_0x2.g");
	remove_test_file(directory, "kernelslist.g");
	remove_test_file(directory, "kernelslist");
	remove_test_file(directory, "kernel-1");
	rmdir(directory);
}

static bool join_text(void *ctx, const void *bytes, size_t n)
{
	bytes_add(ctx, bytes, n);
	return true;
}

static bool stop_after_text(void *ctx, const void *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)ctx += n;
	return false;
}

static void test_text(void)
{
	char directory[] = "/tmp/test_klist_XXXXXX", path[100];
	struct bytes text = {0};
	size_t n = 0;
	struct klist k;
	struct fault f;

	if (!mkdtemp(directory))
		abort();
	put_test_file(directory, "kernelslist.g", "kernel-1\nkernel-2\nkernel-3\n");
	put_test_file(directory, "kernel-1", "-kernel name = x\nno trace");
	snprintf(path, sizeof(path), "%s/kernel-3", directory);
	if (mkfifo(path, 0600) || klist_read(&k, directory, &f) < 0)
		abort();
	ok(klist_pass_text(&k, 0, join_text, &text, &f) == 0, "the text of a kernel is passed");
	is_text(text.p, "-kernel name = x\nno trace", "the text of a kernel is passed unchanged");
	ok(klist_pass_text(&k, 0, stop_after_text, &n, &f) == 0 && n > 0,
		"passing the text of a kernel ends if the callback returns false");
	ok(klist_pass_text(&k, 1, join_text, &text, &f) < 0, "the text of a missing kernel is not passed");
	ok(klist_can_reread(&k, 0) && !klist_can_reread(&k, 1) && !klist_can_reread(&k, 2),
		"a file can be read again, but a missing file or a pipe cannot");
	bytes_free(&text);
	klist_free(&k);
	remove_test_file(directory, "kernelslist.g");
	remove_test_file(directory, "kernel-1");
	remove_test_file(directory, "kernel-3");
	rmdir(directory);
}

static void check_is_selected(const char *list, uint32_t position, const char *name, bool want)
{
	struct kselect *s = kselect_parse(list, NULL);

	ok(s && kselect_selects(s, position, name) == want, "-k '%s' %s kernel %u %s", list,
		want ? "selects" : "does not select", (unsigned)position, name ? name : "");
	kselect_free(s);
}

static void test_select(void)
{
	static const char *const bad[] = {"", "0", "3,,4", "9-7", "-3", "1-2-3", "99999999999", "3-0"};
	struct kselect *s;
	struct fault f;

	ok(kselect_selects(NULL, 5, NULL), "without a selection each kernel is selected");
	check_is_selected("3,7-9", 3, NULL, true);
	check_is_selected("3,7-9", 8, "x", true);
	check_is_selected("3,7-9", 4, NULL, false);
	check_is_selected("12-", 4000000000u, NULL, true);
	check_is_selected("*gemm*", 1, "sgemm_nn", true);
	check_is_selected("*gemm*", 1, "gem", false);
	check_is_selected("*gemm*", 1, NULL, false);
	check_is_selected("a?c*e", 1, "abcde", true);
	check_is_selected("a?c*e", 1, "acde", false);
	check_is_selected("vec-2", 1, "vec-2", true);
	check_is_selected("*a*b*c", 1, "aabbabc", true);
	check_is_selected("2,x*", 2, "y", true);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		s = kselect_parse(bad[i], &f);
		ok(!s && !strcmp(f.id, "kernel-list"), "-k '%s' is rejected", bad[i]);
		kselect_free(s);
	}
	s = kselect_parse("1,2-3", NULL);
	ok(!kselect_needs_name(s), "a selection of positions does not need kernel names");
	kselect_free(s);
	s = kselect_parse("1,x", NULL);
	ok(kselect_needs_name(s), "a selection with a pattern needs kernel names");
	kselect_free(s);
}

int main(void)
{
	test_good();
	test_bad();
	test_paths();
	test_text();
	test_select();
	return tap_done();
}
