/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of kernel lists and of the selection of kernels. */
#include <stdint.h>
#include <sys/stat.h>
#include "bytes.h"
#include "input.h"
#include "klist.h"
#include "tap.h"

static int parse_list(struct klist *k, const char *text, size_t len, const char *folder, struct fault *f)
{
	struct input *in = input_memory("list", text, len, NULL);
	int rc;

	*k = (struct klist){0};
	rc = klist_parse(k, in, folder, f);
	input_close(in);
	return rc;
}

static void test_good(void)
{
	static const char text[] = "MemcpyHtoD,0x00007f40,200000\r\n\n  kernel-1.traceg \nMemcpyDtoH,0x10,4\n"
				   "MemcpyHtoD,ff, 0 ,data file.bin\nkernel \"2\";touch x;'.traceg\nkernel-3";
	struct klist k;
	struct fault f;

	is_number(parse_list(&k, text, sizeof(text) - 1, "app", &f), 0, "a list");
	ok(k.n_cmds == 6 && k.n_kernels == 3, "its commands");
	ok(k.cmd[0].kind == CMD_MEMCPY && k.cmd[0].address == 0x7f40 && k.cmd[0].bytes == 200000, "a copy");
	is_text(k.cmd[1].path, "app/kernel-1.traceg", "a kernel's path");
	is_text(k.cmd[1].text, "kernel-1.traceg", "a kernel's text");
	ok(k.cmd[1].line == 3 && k.cmd[1].position == 1, "a kernel's place");
	ok(k.cmd[2].kind == CMD_COPY_BACK && k.cmd[2].address == 0x10, "a copy to the host");
	ok(k.cmd[3].address == 0xff && k.cmd[3].bytes == 0, "a copy with a file name");
	is_text(k.cmd[4].path, "app/kernel \"2\";touch x;'.traceg", "a name is only a name");
	ok(k.cmd[5].position == 3 && k.cmd[5].line == 7, "a last line without newline");
	klist_free(&k);
	is_number(parse_list(&k, "kernel-1", 8, NULL, &f), 0, "without folder");
	is_text(k.cmd[0].path, "kernel-1", "the name as written");
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
			    "a list with %s (%zu)", bad[i].id, i))
			printf("# %s %u:%u %s\n", f.id, (unsigned)f.place.line, (unsigned)f.place.col,
				f.text);
		klist_free(&k);
	}
	ok(parse_list(&k, "kernel\0-1", 9, "", &f) < 0, "a list with a NUL byte");
	klist_free(&k);
}

static void put_test_file(const char *folder, const char *name, const char *text)
{
	char path[200];
	FILE *out;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	out = fopen(path, "w");
	if (!out || fputs(text, out) < 0 || fclose(out))
		abort();
}

static void remove_test_file(const char *folder, const char *name)
{
	char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	unlink(path);
}

static void test_paths(void)
{
	char folder[] = "/tmp/test_klist_XXXXXX", path[100], want[100];
	struct klist k;
	struct fault f;

	if (!mkdtemp(folder))
		abort();
	ok(klist_read(&k, folder, &f) < 0 && !strcmp(f.id, "list-missing"), "a folder without a list");
	klist_free(&k);
	put_test_file(folder, "kernelslist", "kernel-7.trace\n");
	ok(klist_read(&k, folder, &f) < 0 && !strcmp(f.id, "list-raw"),
		"a folder with the tracer's own list");
	klist_free(&k);
	put_test_file(folder, "kernelslist_ctx_0x1.g", "kernel-7\n");
	ok(klist_read(&k, folder, &f) == 0 && k.n_kernels == 1, "a folder with a list of a context");
	snprintf(want, sizeof(want), "%s/kernel-7", folder);
	is_text(k.cmd[0].path, want, "its kernel");
	klist_free(&k);
	put_test_file(folder, "kernelslist_ctx_0x2.g", "kernel-8\n");
	ok(klist_read(&k, folder, &f) < 0 && !strcmp(f.id, "list-missing"), "a folder with two of them");
	klist_free(&k);
	put_test_file(folder, "kernelslist.g", "kernel-1\nkernel-2\n");
	ok(klist_read(&k, folder, &f) == 0 && k.n_kernels == 2, "a folder with a list");
	klist_free(&k);
	put_test_file(folder, "kernel-1", "\n -kernel name = x\n");
	snprintf(path, sizeof(path), "%s/kernel-1", folder);
	ok(klist_read(&k, path, &f) == 0 && k.n_kernels == 1 && !strcmp(k.cmd[0].path, path),
		"a kernel file");
	klist_free(&k);
	snprintf(path, sizeof(path), "%s/none", folder);
	ok(klist_read(&k, path, &f) < 0 && strstr(f.place.file, "/none"), "no such file");
	klist_free(&k);
	remove_test_file(folder, "kernelslist_ctx_0x1.g");
	remove_test_file(folder, "kernelslist_ctx_0x2.g");
	remove_test_file(folder, "kernelslist.g");
	remove_test_file(folder, "kernelslist");
	remove_test_file(folder, "kernel-1");
	rmdir(folder);
}

static bool join_text(void *ctx, const void *bytes, size_t n)
{
	bytes_add(ctx, bytes, n);
	return true;
}

static bool refuse_text(void *ctx, const void *bytes, size_t n)
{
	(void)bytes;
	*(size_t *)ctx += n;
	return false;
}

static void test_text(void)
{
	char folder[] = "/tmp/test_klist_XXXXXX", path[100];
	struct bytes text = {0};
	size_t n = 0;
	struct klist k;
	struct fault f;

	if (!mkdtemp(folder))
		abort();
	put_test_file(folder, "kernelslist.g", "kernel-1\nkernel-2\nkernel-3\n");
	put_test_file(folder, "kernel-1", "-kernel name = x\nno trace");
	snprintf(path, sizeof(path), "%s/kernel-3", folder);
	if (mkfifo(path, 0600) || klist_read(&k, folder, &f) < 0)
		abort();
	ok(klist_pass_text(&k, 0, join_text, &text, &f) == 0, "the text of a kernel");
	is_text(text.p, "-kernel name = x\nno trace", "is passed as it is");
	ok(klist_pass_text(&k, 0, refuse_text, &n, &f) == 0 && n > 0, "or its start");
	ok(klist_pass_text(&k, 1, join_text, &text, &f) < 0, "a missing kernel has none");
	ok(klist_can_reread(&k, 0) && !klist_can_reread(&k, 1) && !klist_can_reread(&k, 2),
		"a file can be read again, a pipe cannot");
	bytes_free(&text);
	klist_free(&k);
	remove_test_file(folder, "kernelslist.g");
	remove_test_file(folder, "kernel-1");
	remove_test_file(folder, "kernel-3");
	rmdir(folder);
}

static void check_is_selected(const char *list, uint32_t position, const char *name, bool want)
{
	struct kselect *s = kselect_parse(list, NULL);

	ok(s && kselect_selects(s, position, name) == want, "-k '%s' %s %u %s", list, want ? "has" : "lacks",
		(unsigned)position, name ? name : "");
	kselect_free(s);
}

static void test_select(void)
{
	static const char *const bad[] = {"", "0", "3,,4", "9-7", "-3", "1-2-3", "99999999999", "3-0"};
	struct kselect *s;
	struct fault f;

	ok(kselect_selects(NULL, 5, NULL), "no list: all");
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
		ok(!s && !strcmp(f.id, "kernel-list"), "-k '%s' is refused", bad[i]);
		kselect_free(s);
	}
	s = kselect_parse("1,2-3", NULL);
	ok(!kselect_needs_name(s), "positions need no name");
	kselect_free(s);
	s = kselect_parse("1,x", NULL);
	ok(kselect_needs_name(s), "a pattern needs one");
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
