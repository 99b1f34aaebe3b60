/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Opens the inputs of packing: a list with its kernels, a directory, a kernel file, or kernels of a packed stream.
 *
 * Always true of an open source: every kernel has a unique name without a compression suffix, and the list
 * uses these names. Memory copies are kept even if the kernels after them are not selected.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "arena.h"
#include "bytes.h"
#include "picks.h"
#include "tool.h"

#define HEAD_TEXT 65536u

struct place source_place(const struct source *s)
{
	return (struct place){.file = strcmp(s->operand, "-") ? s->operand : "<stdin>"};
}

static bool ends_with(const char *s, const char *suffix)
{
	size_t n = strlen(s), m = strlen(suffix);

	return n > m && !strcmp(s + n - m, suffix);
}

/* Returns the name under which the uncompressed text is unpacked. */
static char *unpacked_name(const char *name, enum input_coding coding, bool raw)
{
	static const char *const suffix[] = {".gz", ".xz", ".zst", ".zstd"};
	size_t n = strlen(name);
	char *s = xmalloc(n + 2);

	memcpy(s, name, n + 1);
	for (size_t i = 0; coding != INPUT_PLAIN && i < 4; i++) {
		if (ends_with(s, suffix[i])) {
			s[strlen(s) - strlen(suffix[i])] = '\0';
			break;
		}
	}
	if (coding == INPUT_TRACEZ && ends_with(s, ".tracez"))
		s[strlen(s) - 1] = 'g';
	if (raw && ends_with(s, ".trace"))
		memcpy(s + strlen(s), "g", 2);
	return s;
}

static struct item *find_source_item(const struct source *s, const char *name, size_t n)
{
	FOR_TABLE (w, &s->names, table_hash(name, n))
		if (strlen(s->item[w.number].name) == n && !memcmp(s->item[w.number].name, name, n))
			return &s->item[w.number];
	return NULL;
}

static struct item *add_source_item(struct source *s, char *path, char *name, bool raw)
{
	grow(&s->item, &s->cap_items, s->n_items + 1, sizeof(s->item[0]));
	table_add(&s->names, table_hash(name, strlen(name)), s->n_items);
	s->item[s->n_items] = (struct item){.path = path, .name = name, .raw = raw};
	return &s->item[s->n_items++];
}

/* Returns the "-kernel name" at the start of a kernel's text, or "" if it is absent. */
static char *read_kernel_name(struct input *in)
{
	const char *p;
	long n = input_window(in, HEAD_TEXT, &p, NULL);
	const char *at = n > 0 ? memmem(p, (size_t)n, "-kernel name = ", 15) : NULL;
	const char *nl = at ? memchr(at, '\n', (size_t)(p + n - at)) : NULL;

	return nl ? xstrndup(at + 15, (size_t)(nl - at - 15)) : xstrdup("");
}

/* Adds a kernel whose file does not exist. It keeps its name in the list, because its compression is unknown. */
static struct item *add_missing_file(struct source *s, char *path, const char *name, uint32_t position)
{
	struct item *item = find_source_item(s, name, strlen(name));

	if (item && strcmp(item->path, path))
		die_at(source_place(s), "two kernel files have the name %s", name);
	if (item) {
		free(path);
		return item;
	}
	item = add_source_item(s, path, xstrdup(name), false);
	item->position = position;
	item->missing = true;
	return item;
}

/* Adds the kernel of a file, named by the file's compression and form. Returns NULL if it is not selected. */
static struct item *add_kernel_file(
	struct source *s, char *path, const char *name, uint32_t position, const struct pack_args *a)
{
	struct fault f;
	struct item *item = NULL;

	if (a->select && !kselect_needs_name(a->select) && !kselect_selects(a->select, position, NULL)) {
		free(path);
		return NULL;
	}
	if (a->skip_missing && klist_file_missing(path))
		return add_missing_file(s, path, name, position);
	struct input *in = input_open(path, &f);
	int raw = in ? group_is_raw(in, &f) : -1;

	if (raw < 0)
		die_fault(&f);
	char *inside = read_kernel_name(in);
	char *as = unpacked_name(name, input_coding(in), raw);
	if (input_can_reopen(in)) {
		input_close(in);
		in = NULL;
	}
	if (!a->select || kselect_selects(a->select, position, inside)) {
		if ((item = find_source_item(s, as, strlen(as))) && strcmp(item->path, path)) {
			free(as); /* both the raw and the grouped file of a kernel are kept */
			as = unpacked_name(name, INPUT_XZ, false);
			item = find_source_item(s, as, strlen(as));
			if (item && strcmp(item->path, path))
				die_at(source_place(s), "two kernel files have the name %s", as);
		}
		if (!item) {
			item = add_source_item(s, path, as, raw);
			item->position = position;
			item->in = in;
			free(inside);
			return item;
		}
	}
	input_close(in);
	free(inside);
	free(as);
	free(path);
	return item;
}

static char *join_source_path(const char *directory, const char *name, size_t n)
{
	size_t m = name[0] == '/' ? 0 : strlen(directory);
	char *s = xmalloc(m + n + 2);

	memcpy(s, directory, m);
	if (m && s[m - 1] != '/')
		s[m++] = '/';
	memcpy(s + m, name, n);
	s[m + n] = '\0';
	return s;
}

/* ---- packed streams ----------------------------------------------------------------------- */

static bool is_packed_selected(
	struct source *s, uint32_t kernel, uint32_t position, const struct pack_args *a)
{
	struct pack_kernel k;
	struct fault f;

	if (!kselect_needs_name(a->select))
		return kselect_selects(a->select, position, NULL);
	if (pack_kernel(s->pack, kernel, &k, &f) < 0)
		die_fault(&f);
	bool has = kselect_selects(a->select, position, k.name);
	free(k.name);
	return has;
}

/* Adds a kernel that the list of the stream names, if the kernel is selected. Returns false if it is not selected. */
static bool add_packed_kernel(
	struct source *s, const char *name, size_t n, uint32_t position, const struct pack_args *a)
{
	char *own = xstrndup(name, n);
	int64_t kernel = pack_find_kernel(s->pack, own);
	bool missing = kernel < 0 && pack_lacks_kernel(s->pack, own);
	bool selected = missing ? kselect_may_select(a->select, position)
				: kernel >= 0 && is_packed_selected(s, (uint32_t)kernel, position, a);

	if (selected && !find_source_item(s, own, n)) {
		struct item *item = add_source_item(s, NULL, own, false);

		item->number = missing ? 0 : (uint32_t)kernel;
		item->position = position;
		item->missing = missing;
		return true;
	}
	free(own);
	return selected;
}

void source_list_hash(const struct source *s, unsigned char hash[16])
{
	struct list_hash *h = list_hash_new();

	for (const char *p = s->list, *end = p + s->n_list; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *to = nl ? nl : end, *next = to + 1;

		while (p < to && strchr(" \t\r", *p))
			p++;
		while (to > p && strchr(" \t\r", to[-1]))
			to--;
		if (to > p)
			list_hash_line(h, p, (size_t)(to - p));
		p = next;
	}
	list_hash_end(h, hash);
}

void source_check_picks(struct pack *p, const struct pack_args *a)
{
	struct klist k = {.path = NULL};
	struct fault f;

	if (!kselect_picks(a->select))
		return;
	if (pack_read_klist(p, &k, &f) < 0 || kselect_check_list(a->select, &k, &f) < 0)
		die_fault(&f);
	klist_free(&k);
}

void source_select_packed(struct source *s, const struct pack_args *a)
{
	size_t n;

	source_check_picks(s->pack, a);
	struct bytes t = {0};
	const char *list = pack_list_text(s->pack, &n), *end = list + n;

	s->list_name = pack_list_name(s->pack) ? xstrdup(pack_list_name(s->pack)) : NULL;
	for (const char *p = list; p < end;) {
		const char *nl = memchr(p, '\n', (size_t)(end - p)), *to = nl ? nl + 1 : end;
		const char *blanks = s->list_name ? " \t\r\n" : "\n", *from = p, *last = to;

		while (from < last && strchr(blanks, *from))
			from++;
		while (last > from && strchr(blanks, last[-1]))
			last--;
		size_t len = (size_t)(last - from);
		bool kernel = !s->list_name || (len >= 6 && !memcmp(from, "kernel", 6));
		if (!kernel || (len && add_packed_kernel(s, from, len, ++s->n_listed, a)))
			bytes_add(&t, p, (size_t)(to - p));
		p = to;
	}
	s->list = t.p;
	s->n_list = t.n;
}

/* ---- lists -------------------------------------------------------------------------------- */

/*
 * Appends a line, with its end, to the list t. If the line names a selected kernel, adds this to the source. Ends the
 * program if readers of the packed list would reject the line.
 */
static void add_list_line(struct source *s, struct bytes *t, const char *line, size_t len, struct place at,
	const char *directory, uint32_t *position, const struct pack_args *a)
{
	size_t from = 0, to = len;
	struct fault f;

	while (from < to && strchr(" \t\r\n", line[from]))
		from++;
	while (to > from && strchr(" \t\r\n", line[to - 1]))
		to--;
	if (s->hash && to > from)
		list_hash_line(s->hash, line + from, to - from);
	if (to - from < 6 || memcmp(line + from, "kernel", 6)) {
		if (to > from && klist_check_line(line, to, at, &f) < 0)
			die_fault(&f);
		bytes_add(t, line, len);
		return;
	}
	char *name = xstrndup(line + from, to - from);
	struct item *item =
		add_kernel_file(s, join_source_path(directory, name, to - from), name, ++*position, a);
	free(name);
	if (!item)
		return;
	bytes_add(t, line, from);
	bytes_puts(t, item->name);
	bytes_add(t, line + to, len - to);
}

static void read_source_list(
	struct source *s, struct input *in, const char *directory, const struct pack_args *a)
{
	struct bytes all = {0}, t = {0};
	struct fault f;
	char buf[8192];
	long n;
	uint32_t position = 0;
	struct place at = {.file = input_name(in)};

	input_skip_byte_order_mark(in);
	while ((n = input_read(in, buf, sizeof(buf), &f)) > 0) {
		if (memchr(buf, '\0', (size_t)n))
			die_at(source_place(s), "NUL byte in a kernel list (expected a text file)");
		bytes_add(&all, buf, (size_t)n);
		if (!pack_list_fits(all.n))
			die_at(source_place(s),
				"kernel list too long for a stream (expected at most %zu bytes)",
				all.n - (size_t)n);
	}
	if (n < 0)
		die_fault(&f);
	for (char *p = all.p, *end = all.p + all.n; p < end;) {
		char *nl = memchr(p, '\n', (size_t)(end - p));
		char *to = nl ? nl + 1 : end;

		at.line++;
		add_list_line(s, &t, p, (size_t)(to - p), at, directory, &position, a);
		p = to;
	}
	s->n_listed = position;
	if (!position)
		die_at(source_place(s), "no line begins with 'kernel' (expected a kernel list)");
	free(all.p);
	s->list = t.p;
	s->n_list = t.n;
}

static bool is_kernel_text(struct input *in)
{
	const char *p;
	long n = input_window(in, 4096, &p, NULL);

	for (long i = 0; i < n; i++)
		if (!strchr(" \t\r\n", p[i]))
			return p[i] == '-';
	return false;
}

static void make_list_of_items(struct source *s)
{
	struct bytes t = {0};

	for (uint32_t i = 0; i < s->n_items; i++) {
		bytes_puts(&t, s->item[i].name);
		bytes_puts(&t, "\n");
	}
	s->list = t.p;
	s->n_list = t.n;
}

static const char *last_component(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Converts the tracer's list to the list of the grouped files: appends .g to its name, and removes empty lines. */
static void rename_to_grouped_list(struct source *s)
{
	struct bytes t = {0};
	bool raw = false;

	for (uint32_t i = 0; i < s->n_items; i++)
		raw |= s->item[i].raw;
	if (!raw || ends_with(s->list_name, ".g"))
		return;
	size_t n = strlen(s->list_name);
	s->list_name = xrealloc(s->list_name, n + 3, 1);
	memcpy(s->list_name + n, ".g", 3);
	for (char *p = s->list, *end = s->list + s->n_list; p < end;) {
		size_t len = strcspn(p, "\r\n"), gap = strspn(p + len, "\r\n");

		bytes_add(&t, p, len);
		bytes_add(&t, "\n", len > 0);
		p += len + gap;
	}
	free(s->list);
	s->list = t.p;
	s->n_list = t.n;
}

static void open_source_file(struct source *s, const char *path, const struct pack_args *a)
{
	struct fault f;
	bool standard = !strcmp(path, "-");
	struct input *in = input_open(path, &f);

	if (!in)
		die_fault(&f);
	if (pack_input_begins(in)) {
		s->pack = a->select ? pack_open_copy(in, &f) : pack_open_forward(in, &f);
		if (!s->pack)
			die_fault(&f);
		if (a->select)
			input_close(in);
		source_select_packed(s, a);
		return;
	}
	if (is_kernel_text(in)) {
		int raw = group_is_raw(in, &f);

		if (raw < 0)
			die_fault(&f);
		char *name = standard || !input_can_reopen(in)
				     ? xstrdup("kernel-1.traceg")
				     : unpacked_name(last_component(path), input_coding(in), raw);
		if (s->hash)
			list_hash_line(s->hash, path, strlen(path));
		s->n_listed = 1;
		add_source_item(s, xstrdup(path), name, raw)->in = in;
		make_list_of_items(s);
		return;
	}
	char *directory =
		strrchr(path, '/') ? xstrndup(path, (size_t)(strrchr(path, '/') - path) + 1) : xstrdup("");
	s->list_name =
		unpacked_name(standard ? "kernelslist.g" : last_component(path), input_coding(in), false);
	s->list_path = standard ? NULL : xstrdup(path);
	read_source_list(s, in, directory, a);
	rename_to_grouped_list(s);
	free(directory);
	input_close(in);
}

/* ---- directories ------------------------------------------------------------------------------ */

static bool is_grouped_file(const struct dirent *e)
{
	return strstr(e->d_name, ".traceg") || strstr(e->d_name, ".tracez");
}

/* Returns true if two names of kernel files are equal up to and including ".trace". */
static bool are_same_kernel_files(const struct dirent *a, const struct dirent *b)
{
	size_t n = (size_t)(strstr(a->d_name, ".trace") - a->d_name);

	return !strncmp(a->d_name, b->d_name, n + strlen(".trace"));
}

/* Orders kernel files by number. The grouped file of a kernel precedes its raw file. */
static int compare_entries_by_number(const struct dirent **a, const struct dirent **b)
{
	if (are_same_kernel_files(*a, *b) && is_grouped_file(*a) != is_grouped_file(*b))
		return is_grouped_file(*a) ? -1 : 1;
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int is_kernel_entry(const struct dirent *e)
{
	return !strncmp(e->d_name, "kernel-", 7) && strstr(e->d_name, ".trace") != NULL;
}

/*
 * Adds the kernel files of a directory without a list in the order of their numbers. Without --all, skips the
 * raw file of a kernel that has a grouped file.
 */
static void add_files_of_directory(struct source *s, const char *path, const struct pack_args *a)
{
	struct dirent **e = NULL;
	struct place at = {diag_keep(path), 0, 0};
	uint32_t taken = 0, passed = 0;
	int n = scandir(path, &e, is_kernel_entry, compare_entries_by_number);
	unsigned raw = 0;

	if (n <= 0)
		die_at((struct place){.file = path}, "the directory has no kernel list and no kernel files");
	for (int i = 0, last = 0; i < n; i++) {
		if (i && !a->all && !is_grouped_file(e[i]) && is_grouped_file(e[last]) &&
			are_same_kernel_files(e[last], e[i])) {
			passed++;
			continue;
		}
		last = i;
		raw += !is_grouped_file(e[i]);
		add_kernel_file(s, join_source_path(path, e[i]->d_name, strlen(e[i]->d_name)), e[i]->d_name,
			++taken, a);
	}
	diag_warn(at, "no kernel list: %u kernel %s taken in the order of their numbers", taken,
		taken == 1 ? "file" : "files");
	if (raw)
		diag_warn(at,
			"%u raw kernel %s packed as text, which trace-sim does not read (group them with trace-pack --group %s -C DIR)",
			raw, raw == 1 ? "file" : "files", path);
	if (passed)
		diag_warn(at, "%u raw %s left out in favour of grouped ones (--all keeps both)", passed,
			passed == 1 ? "file" : "files");
	for (int i = 0; i < n; i++)
		free(e[i]);
	free(e);
	make_list_of_items(s);
	s->list_name = xstrdup("kernelslist.g");
}

static void open_directory(struct source *s, const char *path, const struct pack_args *a)
{
	char *name = directory_find_list(path, a->mode == MODE_GROUP);
	char *list = name ? join_source_path(path, name, strlen(name)) : NULL;

	if (list)
		open_source_file(s, list, a);
	else
		add_files_of_directory(s, path, a);
	free(name);
	free(list);
}

/* Ends the program if the name of a file is outside the directory, or is the directory of another kernel. */
static void check_kernel_name(const struct source *s, const char *name)
{
	size_t n = strlen(name);

	if (s->list_name && !strcmp(name, s->list_name))
		die_at(source_place(s), "the list names itself, '%s', as a kernel", name);
	for (const char *p = name; p; p = strchr(p, '/') ? strchr(p, '/') + 1 : NULL) {
		size_t len = strcspn(p, "/");
		const struct item *directory =
			p[len] ? find_source_item(s, name, (size_t)(p - name) + len) : NULL;

		if (!len || (len == 2 && !memcmp(p, "..", 2)))
			die_at(source_place(s), "kernel '%s' leads out of the directory of the list", name);
		if (directory)
			die_at(source_place(s),
				"kernels '%s' and '%s' need a file and a directory of one name",
				directory->name, name);
	}
	if (n > NAME_MAX * 8)
		die_at(source_place(s), "kernel name of %zu bytes is too long", n);
}

void source_open(struct source *s, const char *operand, const struct pack_args *a)
{
	struct stat st;
	struct fault f;

	*s = (struct source){.operand = operand, .hash = kselect_picks(a->select) ? list_hash_new() : NULL};
	if (strcmp(operand, "-") && stat(operand, &st) == 0 && S_ISDIR(st.st_mode))
		open_directory(s, operand, a);
	else if (!pack_has_signature(operand))
		open_source_file(s, operand, a);
	else if ((s->pack = pack_open(operand, &f)))
		source_select_packed(s, a);
	else
		die_fault(&f);
	if (s->hash) {
		unsigned char hash[16];

		list_hash_end(s->hash, hash);
		if (!s->pack && picks_fit(kselect_picks(a->select), hash, s->n_listed, &f) < 0)
			die_fault(&f);
	}
	source_check_selection(s, a);
	for (uint32_t i = 0; i < s->n_items; i++)
		check_kernel_name(s, s->item[i].name);
	source_separate_missing(s, a);
}

void source_close(struct source *s)
{
	for (uint32_t i = 0; i < s->n_items; i++) {
		free(s->item[i].path);
		free(s->item[i].name);
		input_close(s->item[i].in);
	}
	free(s->item);
	source_free_missing(s);
	table_free(&s->names);
	free(s->list_path);
	free(s->list_name);
	free(s->list);
	pack_close(s->pack);
}
