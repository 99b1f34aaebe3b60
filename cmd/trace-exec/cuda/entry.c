/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Look-up of the driver's functions by name; names and texts of its errors; the functions that are not
 * executed.
 *
 * A name without a version means the newest version up to the release that the caller names, as the driver
 * documents it. A name with a version is found too. A function that is not executed is found, and reports its
 * name when it is called. Always true: every row of cuda.def is exported.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include "cuda/cuda.h"

#define REFUSED(name, base, since) \
	API(int, name, void) \
	{ \
		int e = cuda_enter_device(); \
\
		return cuda_leave(e ? e : cudart_unsupported(#name, NULL)); \
	}
#define DONE(name, base, since) extern const char done_##name __asm__(#name);
#include "cuda/cuda.def"
#undef REFUSED
#undef DONE

#define REFUSED(name, base, since) {#name, #base, since, (const void *)(uintptr_t)name},
#define DONE(name, base, since)    {#name, #base, since, &done_##name},
static const struct {
	const char *name, *base;
	int since; /* CUDA release: 1000 * major + 10 * minor */
	const void *function;
} rows[] = {
#include "cuda/cuda.def"
};
#undef REFUSED
#undef DONE
#define N_ROWS (sizeof(rows) / sizeof(rows[0]))

/* ---- functions by name ---- */

enum { FOUND, NOT_FOUND, TOO_NEW, FLAGS_MOST = 2 };

/*
 * Returns the function with this name. Returns NULL if there is none (*state: NOT_FOUND), or if it is newer
 * than `version` (*state: TOO_NEW).
 */
static const void *find_driver_function(const char *name, int version, int *state)
{
	const void *found = NULL;
	int since = -1;

	*state = NOT_FOUND;
	for (unsigned i = 0; i < N_ROWS; i++) {
		if (!strcmp(rows[i].base, name)) {
			*state = found ? FOUND : TOO_NEW;
			if (rows[i].since <= version && rows[i].since > since) {
				since = rows[i].since;
				found = rows[i].function;
				*state = FOUND;
			}
		}
	}
	for (unsigned i = 0; !found && *state == NOT_FOUND && i < N_ROWS; i++)
		if (!strcmp(rows[i].name, name)) {
			*state = FOUND;
			found = rows[i].function;
		}
	return found;
}

static int get_driver_function(
	const char *name, const void **to, int version, unsigned long long flags, int *state)
{
	int found;

	if (!name || !to || flags > FLAGS_MOST)
		return cudaErrorInvalidValue;
	*to = find_driver_function(name, version, &found);
	if (state) {
		*state = found;
		return cudaSuccess;
	}
	return *to ? cudaSuccess : cudaErrorSymbolNotFound;
}

API(int, cuGetProcAddress_v2, const char *name, const void **to, int version, unsigned long long flags,
	int *state)
{
	return get_driver_function(name, to, version, flags, state);
}

API(int, cuGetProcAddress, const char *name, const void **to, int version, unsigned long long flags)
{
	return get_driver_function(name, to, version, flags, NULL);
}

/* Returns the file of the library that contains the address, or NULL if the program itself contains it. */
static const char *library_of_address(const void *addr)
{
	Dl_info of, program;
	bool found = dladdr(addr, &of) && dladdr((const void *)getauxval(AT_ENTRY), &program);

	return !found || of.dli_fbase != program.dli_fbase ? found ? of.dli_fname : "a library" : NULL;
}

/* Warns, once for each library, that the library has its own runtime. Compilers work without the tables. */
static void warn_of_own_runtime(const char *library)
{
	static char reported[16][128];
	const char *slash = strrchr(library, '/'), *name = slash ? slash + 1 : library;

	if (!strncmp(name, "libnvrtc", 8) || !strncmp(name, "libnvJitLink", 12))
		return;
	for (unsigned i = 0; i < sizeof(reported) / sizeof(reported[0]); i++) {
		if (!strncmp(reported[i], name, sizeof(reported[i]) - 1))
			return;
		if (*reported[i])
			continue;
		snprintf(reported[i], sizeof(reported[i]), "%s", name);
		diag_warn((struct place){.file = name},
			"the library has its own copy of the runtime, and its calls of it fail");
		return;
	}
}

/*
 * Undocumented tables. NVIDIA's runtime requests them if it is linked into the program or into a library, where it
 * cannot be replaced.
 */
API(int, cuGetExportTable, const void **to, const void *id)
{
	const char *library = library_of_address(__builtin_return_address(0));

	(void)id;
	cudart_enter(false);
	if (to)
		*to = NULL;
	if (library) {
		warn_of_own_runtime(library);
		return cudart_leave(cudaErrorNotSupported);
	}
	return cudart_leave(cudart_unsupported("cuGetExportTable",
		"the program has its own copy of the runtime (link it with -cudart shared)"));
}

/* ---- functions by name, for programs of the runtime ---- */

static int get_entry_point(
	const char *name, const void **to, int version, unsigned long long flags, int *found)
{
	int e = cudart_enter(false), state = NOT_FOUND;
	char what[64];

	if (!e)
		e = get_driver_function(name, to, version, flags, &state);
	if (e)
		return cudart_leave(e);
	if (found)
		*found = state;
	snprintf(what, sizeof(what), "the driver's %s", name);
	return cudart_leave(*to ? cudaSuccess : cudart_unsupported("cudaGetDriverEntryPoint", what));
}

/* The parameter `found` exists since release 12. */
API(int, cudaGetDriverEntryPoint, const char *name, const void **to, unsigned long long flags, int *found)
{
	int release = cudart_runtime_release();

	return get_entry_point(name, to, release * 1000 + 999, flags, release < 12 ? NULL : found);
}
ALSO(cudaGetDriverEntryPoint_ptsz, cudaGetDriverEntryPoint);

API(int, cudaGetDriverEntryPointByVersion, const char *name, const void **to, unsigned version,
	unsigned long long flags, int *found)
{
	return get_entry_point(name, to, (int)version, flags, found);
}
ALSO(cudaGetDriverEntryPointByVersion_ptsz, cudaGetDriverEntryPointByVersion);

/* ---- errors ---- */

static const struct {
	int code;
	const char *name, *text;
} errors[] = {
#define E(code, name, text) {code, #name, text},
#include "cuda/errors.def"
#undef E
};

static int find_error_text(const char **to, int code, bool text)
{
	if (!to)
		return cudaErrorInvalidValue;
	*to = NULL;
	for (unsigned i = 0; i < sizeof(errors) / sizeof(errors[0]); i++)
		if (errors[i].code == code)
			*to = text ? errors[i].text : errors[i].name;
	return *to ? cudaSuccess : cudaErrorInvalidValue;
}

API(int, cuGetErrorName, int code, const char **to) { return find_error_text(to, code, false); }
API(int, cuGetErrorString, int code, const char **to) { return find_error_text(to, code, true); }
