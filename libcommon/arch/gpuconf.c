/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Table of options, and the values of a configuration.
 *
 * Always true: every value conforms to its row (type, whole number, bounds), whether it is from a file, from -D or
 * from the table. params*.c has the rules about several options.
 */
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "arena.h"
#include "cli.h"
#include "gpuconf.h"
#include "gpuconf_int.h"
#include "num.h"

#ifndef DATADIR
#define DATADIR "/usr/local/share/warptools"
#endif

const struct conf_row conf_rows[N_OPTIONS] = {
#define OPTION(id, name, type, def, min, max, unit, use, help) \
	[OPT_##id] = {name, def, unit, help, min, max, type, use},
#include "options.def"
#undef OPTION
};

const char gpuconf_names[] =
#define GPU(name, chip, error) " " #name
#include "gpus.def"
#undef GPU
	;

const struct gpuconf_gpu gpuconf_gpus[] = {
#define GPU(name, chip, error) {#name, chip, error},
#include "gpus.def"
#undef GPU
	{NULL, NULL, 0}};

const char gpuconf_help[] = "a shipped configuration, such as rtx3070 or h100-sxm; trace-config(5) lists all";

/*
 * Lengths of the names. conf_find() skips the rows with a name of another length. This saves 290,000 host
 * instructions per configuration: vecadd on rtx3070 takes 1.72 instead of 2.02 million in trace-lint, 19.87 instead
 * of 20.16 million in trace-sim.
 */
static const unsigned char name_length[N_OPTIONS] = {
#define OPTION(id, name, type, def, min, max, unit, use, help) [OPT_##id] = sizeof(name) - 1,
#include "options.def"
#undef OPTION
};

int conf_find(const char *name)
{
	const unsigned char *end = name_length + N_OPTIONS, *at = name_length;
	size_t n;

	if (name[0] == '-')
		name++;
	n = strlen(name) + 1;
	for (; n <= UCHAR_MAX && (at = memchr(at, (int)n, (size_t)(end - at))); at++)
		if (!memcmp(conf_rows[at - name_length].name + 1, name, n))
			return (int)(at - name_length);
	return -1;
}

/*
 * Returns the option that the user may have meant. Users often forget a prefix ("n_clusters"), so endings are tried
 * first.
 */
static const char *suggest_option(const char *dashed)
{
	size_t n = strlen(dashed) - 1;

	for (int i = 0; i < N_OPTIONS && n > 3; i++) {
		size_t len = strlen(conf_rows[i].name);
		if (len > n && strcmp(conf_rows[i].name + len - n, dashed + 1) == 0)
			return conf_rows[i].name;
	}
	return cli_nearest(dashed, conf_rows, N_OPTIONS, sizeof(conf_rows[0]));
}

/* Options of other simulators, for messages. */
static const struct foreign {
	const char *name, *meaning,
		*here; /* name and meaning in the other simulator, replacement in this suite */
} foreign[] = {
#define FOREIGN(name, meaning, here) {name, meaning, here},
#include "foreign.def"
#undef FOREIGN
};

static const struct foreign *find_foreign_option(const char *dashed)
{
	for (size_t i = 0; i < sizeof(foreign) / sizeof(foreign[0]); i++)
		if (!strcmp(foreign[i].name, dashed))
			return &foreign[i];
	return NULL;
}

int conf_unknown(const char *name, struct place at, struct fault *f)
{
	char dashed[CONF_TOKEN_MAX + 2], shown[80];
	snprintf(dashed, sizeof(dashed), "%s%s", name[0] == '-' ? "" : "-", name);
	const char *near = suggest_option(dashed);

	diag_quote(shown, sizeof(shown), dashed, strlen(dashed));
	const struct foreign *other = find_foreign_option(dashed);
	if (other)
		return fault_set(f, at, "conf-option", "option '%s' of another simulator (%s); %s%s", shown,
			other->meaning, *other->here ? "use " : "remove it, the model has no equivalent",
			other->here);
	if (near)
		return fault_set(
			f, at, "conf-option", "unknown option '%s', did you mean '%s'?", shown, near);
	return fault_set(
		f, at, "conf-option", "unknown option '%s' (trace-sim --list-options prints all)", shown);
}

enum number { NUMBER_OK, NUMBER_NOT, NUMBER_OCTAL, NUMBER_WIDE };

/* Parses the whole text as a hexadecimal (0x), octal (other leading 0) or decimal number. */
static enum number parse_conf_number(const char *text, int64_t *out)
{
	const char *p = text;
	bool negative = *p == '-';
	unsigned base = 10;
	uint64_t n;

	if (*p == '-' || *p == '+')
		p++;
	else if (p[0] == '0' && (p[1] | 0x20) == 'x' && p[2])
		base = 16, p += 2;
	else if (p[0] == '0' && p[1])
		base = 8, p++;
	enum num got = num_digits(&p, NULL, base, INT64_MAX, &n);
	if (base == 8 && (*p == '8' || *p == '9'))
		return NUMBER_OCTAL;
	if (got == NUM_NONE || *p)
		return NUMBER_NOT;
	if (got == NUM_LARGE)
		return NUMBER_WIDE;
	*out = negative ? -(int64_t)n : (int64_t)n;
	return NUMBER_OK;
}

static int set_number(
	const struct conf_row *row, const char *text, int64_t *out, struct place at, struct fault *f)
{
	char shown[80], wanted[120];
	int64_t n = 0;
	enum number kind = parse_conf_number(text, &n);

	if (kind == NUMBER_OK && n >= row->min && n <= row->max) {
		*out = n;
		return 0;
	}
	diag_quote(shown, sizeof(shown), text, strlen(text));
	if (row->type == CONF_BOOL)
		return fault_set(
			f, at, "conf-value", "%s: invalid value '%s' (expected 0 or 1)", row->name, shown);
	if (row->min == row->max)
		snprintf(wanted, sizeof(wanted), "%lld", (long long)row->min);
	else
		snprintf(wanted, sizeof(wanted), "a whole number from %lld to %lld", (long long)row->min,
			(long long)row->max);
	if (kind == NUMBER_OCTAL)
		return fault_set(f, at, "conf-value",
			"%s: invalid value '%s', octal because of its leading 0 (expected %s)", row->name,
			shown, wanted);
	return fault_set(
		f, at, "conf-value", "%s: invalid value '%s' (expected %s)", row->name, shown, wanted);
}

int conf_set(struct gpuconf *c, enum conf_id id, const char *text, struct place at, struct fault *f)
{
	struct conf_value *v = &c->value[id];
	int64_t number = 0;

	if (conf_rows[id].type != CONF_STRING && set_number(&conf_rows[id], text, &number, at, f) < 0)
		return -1;
	*v = (struct conf_value){
		.text = arena_strndup(c->arena, text, strlen(text)),
		.number = number,
		.place = at,
		.order = ++c->assigned,
		.shipped = c->shipping,
	};
	return 0;
}

bool conf_lacks_effect(const struct gpuconf *c, enum conf_id id)
{
	const struct conf_value *v = &c->value[id];
	const struct conf_row *row = &conf_rows[id];
	bool asks = row->use == USE_DEBUG || row->use == USE_NONE || row->use == USE_FUNCTIONAL;
	int64_t usual = 0;

	if (!v->order || v->shipped || !asks)
		return false;
	if (row->type == CONF_STRING)
		return strcmp(v->text, row->def) != 0;
	if (row->type == CONF_BOOL && (!v->number || row->use == USE_DEBUG))
		return v->number != 0;
	return parse_conf_number(row->def, &usual) == NUMBER_OK && v->number != usual;
}

void gpuconf_init(struct gpuconf *c)
{
	*c = (struct gpuconf){.arena = xcalloc(1, sizeof(*c->arena))};
	for (int i = 0; i < N_OPTIONS; i++) {
		const struct conf_row *row = &conf_rows[i];
		c->value[i].text = arena_strndup(c->arena, row->def, strlen(row->def));
		if (row->type != CONF_STRING)
			parse_conf_number(row->def, &c->value[i].number);
	}
}

void gpuconf_free(struct gpuconf *c)
{
	arena_free(c->arena);
	free(c->arena);
	*c = (struct gpuconf){0};
}

/*
 * Normalises a value of -D as the reader of files does: trims it and replaces each run of inner blanks by one blank.
 * Returns 0, or -1 and sets *f.
 */
static int normalise_option_value(
	char out[CONF_TOKEN_MAX + 1], const char *text, struct place at, struct fault *f)
{
	size_t n = 0;

	for (const char *p = text; *p; p++) {
		bool blank = *p == ' ' || *p == '\t' || *p == '\n' || *p == '\r';
		if (blank && (n == 0 || out[n - 1] == ' '))
			continue;
		if (*p == '#' || *p == '"' || (!blank && (unsigned char)*p < 0x20))
			return fault_set(f, at, "conf-syntax",
				"the value contains a %s, which no configuration file can hold",
				*p == '#'   ? "'#'"
				: *p == '"' ? "quote"
					    : "control character");
		if (n == CONF_TOKEN_MAX)
			return fault_set(f, at, "conf-syntax", "value longer than %d bytes", CONF_TOKEN_MAX);
		out[n++] = blank ? ' ' : *p;
	}
	if (n && out[n - 1] == ' ')
		n--;
	out[n] = '\0';
	return 0;
}

int gpuconf_override(struct gpuconf *c, const char *assignment, struct fault *f)
{
	char shown[200], where[208], name[CONF_TOKEN_MAX + 1], value[CONF_TOKEN_MAX + 1] = "";
	const char *equals = strchr(assignment, '=');

	diag_quote(shown, sizeof(shown), assignment, strlen(assignment));
	int n = snprintf(where, sizeof(where), "-D %s", shown);
	struct place at = {.file = arena_strndup(c->arena, where, (size_t)n)};

	if (!equals || equals == assignment)
		return fault_set(
			f, at, "conf-syntax", "not NAME=VALUE (expected for example gpgpu_n_clusters=80)");
	size_t len = (size_t)(equals - assignment);
	if (len > CONF_TOKEN_MAX)
		len = CONF_TOKEN_MAX;
	memcpy(name, assignment, len);
	name[len] = '\0';
	int id = conf_find(name);
	if (id < 0) {
		conf_unknown(name, at, f);
		return c->on_unknown && c->on_unknown(c->ctx, f) ? 0 : -1;
	}
	if (normalise_option_value(value, equals + 1, at, f) < 0)
		return -1;
	return conf_set(c, (enum conf_id)id, value, at, f);
}

const char *conf_relative_path(struct arena *a, const char *base, const char *path)
{
	const char *slash = base ? strrchr(base, '/') : NULL;

	if (path[0] == '/' || !slash)
		return path;
	size_t dir = (size_t)(slash - base) + 1, len = strlen(path);
	char *joined = arena_alloc(a, dir + len + 1, 1);
	memcpy(joined, base, dir);
	memcpy(joined + dir, path, len + 1);
	return joined;
}

const char *conf_path(const struct gpuconf *c, enum conf_id id)
{
	const char *relative = conf_relative_path(c->arena, c->value[id].place.file, c->value[id].text);
	return access(relative, F_OK) == 0 ? relative : c->value[id].text;
}

/*
 * Sets a fault whose text is NAME, around[0], the quoted value, around[1], the formatted text and around[2]. Returns
 * -1.
 */
static int report_bad_option_value(const struct gpuconf *c, enum conf_id id, struct fault *f,
	const char *const around[3], const char *fmt, va_list args)
{
	const struct conf_value *v = &c->value[id];
	struct place at = v->place.file ? v->place : (struct place){.file = "built-in configuration"};
	char text[sizeof(f->text)], shown[72];

	vsnprintf(text, sizeof(text), fmt, args);
	diag_quote(shown, sizeof(shown), v->text, strlen(v->text));
	return fault_set(f, at, "conf-machine", "%s: %s '%s' %s%s%s", conf_rows[id].name, around[0], shown,
		around[1], text, around[2]);
}

int conf_fault(const struct gpuconf *c, enum conf_id id, struct fault *f, const char *fmt, ...)
{
	static const char *const around[] = {"invalid value", "(expected ", ")"};
	va_list args;

	va_start(args, fmt);
	report_bad_option_value(c, id, f, around, fmt, args);
	va_end(args);
	return -1;
}

int conf_reject(const struct gpuconf *c, enum conf_id id, struct fault *f, const char *fmt, ...)
{
	static const char *const around[] = {"value", "", ""};
	va_list args;

	va_start(args, fmt);
	report_bad_option_value(c, id, f, around, fmt, args);
	va_end(args);
	return -1;
}

/* ---- shipped configurations ---------------------------------------------------------------------- */

#define N_FOLDERS 5

/*
 * Returns the directories of shipped configurations in order of precedence, "" for none: two from the environment,
 * one relative to the installed program, one in the source tree, and one below DATADIR. The caller frees the array.
 */
static char (*config_directories(void))[PATH_MAX]
{
	char(*dir)[PATH_MAX] = xcalloc(N_FOLDERS, sizeof(*dir));
	const char *gpus = getenv("WARPTOOLS_GPUS"), *data = getenv("WARPTOOLS_DATA");
	char exe[PATH_MAX - 64];
	ssize_t n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	char *slash;

	if (gpus)
		snprintf(dir[0], PATH_MAX, "%s", gpus);
	if (data)
		snprintf(dir[1], PATH_MAX, "%s/gpus", data);
	if (n > 0) {
		exe[n] = '\0';
		slash = strrchr(exe, '/');
		*slash = '\0';
		snprintf(dir[2], PATH_MAX, "%s/../share/warptools/gpus", exe);
		snprintf(dir[3], PATH_MAX, "%s/../examples/gpus", exe);
	}
	snprintf(dir[4], PATH_MAX, "%s/gpus", DATADIR);
	return dir;
}

#define SHIPPED_MAX      64
#define SHIPPED_NAME_MAX 32

/* Sorted names of configurations without duplicates. */
struct shipped {
	char name[SHIPPED_MAX][SHIPPED_NAME_MAX];
	const char *ptr[SHIPPED_MAX]; /* pointers to the elements of name[], without duplicates */
	size_t n;                     /* number of pointers */
};

static int compare_shipped(const void *a, const void *b) { return strcmp(a, b); }

static void list_directory(struct shipped *s, const char *path)
{
	const char suffix[] = ".config";
	DIR *d = *path ? opendir(path) : NULL;

	for (struct dirent *e; d && s->n < SHIPPED_MAX && (e = readdir(d));) {
		size_t len = strlen(e->d_name), n = sizeof(suffix) - 1;

		if (len <= n || len - n >= SHIPPED_NAME_MAX || strcmp(e->d_name + len - n, suffix) != 0)
			continue;
		memcpy(s->name[s->n], e->d_name, len - n);
		s->name[s->n++][len - n] = '\0';
	}
	if (d)
		closedir(d);
}

static void list_shipped(struct shipped *s, char dir[N_FOLDERS][PATH_MAX])
{
	size_t n = 0;

	s->n = 0;
	for (int i = 0; i < N_FOLDERS; i++)
		list_directory(s, dir[i]);
	if (s->n)
		qsort(s->name, s->n, sizeof(s->name[0]), compare_shipped);
	for (size_t i = 0; i < s->n; i++)
		if (!i || strcmp(s->name[i], s->name[i - 1]) != 0)
			s->ptr[n++] = s->name[i];
	s->n = n;
}

/* Writes the names that begin with `begin` to out, separated by commas. Returns their number. */
static size_t list_matching_gpus(const struct shipped *s, const char *begin, char *out, size_t cap)
{
	size_t used = 0, n = 0;

	out[0] = '\0';
	for (size_t i = 0; i < s->n && used + SHIPPED_NAME_MAX + 3 < cap; i++) {
		if (strncmp(s->ptr[i], begin, strlen(begin)) != 0)
			continue;
		used += (size_t)snprintf(out + used, cap - used, "%s%s", n++ ? ", " : "", s->ptr[i]);
	}
	return n;
}

/*
 * Sets the fault of an unknown name. Its text suggests similar names, else all names. If there are no names, it lists
 * the directories searched.
 */
static void report_unknown_gpu(const char *name, char dir[N_FOLDERS][PATH_MAX], struct fault *f)
{
	struct shipped *s = xcalloc(1, sizeof(*s));
	char shown[64], names[230];
	const char *near;

	list_shipped(s, dir);
	diag_quote(shown, sizeof(shown), name, strlen(name));
	near = cli_nearest(name, s->ptr, s->n, sizeof(s->ptr[0]));
	if (!s->n)
		fault_set(f, NOWHERE, "conf-open",
			"unknown GPU '%s': no configuration in %s or %s (set WARPTOOLS_GPUS or use -c FILE)",
			shown, dir[N_FOLDERS - 1], dir[N_FOLDERS - 2]);
	else if (*name && list_matching_gpus(s, name, names, sizeof(names)))
		fault_set(f, NOWHERE, "conf-open", "unknown GPU '%s', did you mean %s?", shown, names);
	else if (near)
		fault_set(f, NOWHERE, "conf-open", "unknown GPU '%s', did you mean %s?", shown, near);
	else if (list_matching_gpus(s, "", names, sizeof(names)))
		fault_set(f, NOWHERE, "conf-open", "unknown GPU '%s' (expected %s)", shown, names);
	free(s);
}

const char *gpuconf_shipped_file(struct gpuconf *c, const char *name, const char *suffix)
{
	char(*dir)[PATH_MAX] = config_directories(), *path = NULL;

	for (int i = 0; i < N_FOLDERS && !path && name[0] && !strchr(name, '/') && strlen(name) < 256; i++) {
		if (!dir[i][0])
			continue;
		size_t cap = strlen(dir[i]) + strlen(name) + strlen(suffix) + 2;
		path = arena_alloc(c->arena, cap, 1);
		snprintf(path, cap, "%s/%s%s", dir[i], name, suffix);
		if (access(path, F_OK) != 0)
			path = NULL;
	}
	free(dir);
	return path;
}

int gpuconf_shipped(struct gpuconf *c, const char *name, struct fault *f)
{
	char(*dir)[PATH_MAX];
	const char *path = gpuconf_shipped_file(c, name, ".config");

	if (path) {
		c->shipping = true;
		int r = gpuconf_file(c, path, f);
		c->shipping = false;
		return r;
	}
	dir = config_directories();
	report_unknown_gpu(name, dir, f);
	free(dir);
	return -1;
}
