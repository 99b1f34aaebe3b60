/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Modules and libraries: code that a program loads by a call, its kernels and variables; linking of PTX.
 *
 * Code is PTX as text, a fat binary, machine code (a cubin), or the result of cuLinkComplete(), which has the
 * form "magic, texts ended by NUL, empty text". Always true: a module keeps a copy of its code; the handle of
 * an unloaded module is invalid.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "bytes.h"
#include "cuda/cuda.h"
#include "fatbin.h"
#include "sass/elf.h"

#define LINKED_MAGIC  "warptools linked PTX\n"
#define WRAPPER_MAGIC 0x466243b1u
#define FATBIN_MAGIC  0xba55ed50u
#define ELF_MAGIC     0x464c457fu
#define ELF_FIRST     0x7fu /* first byte of an ELF file, which is larger than any byte of PTX */
#define FATBIN_HEAD   16u
#define FILE_MOST     ((size_t)1 << 30)
/* Size limit for code that the caller passes without a size. The headers of such code are trusted. */
#define UNKNOWN_SIZE ((size_t)1 << 40)

/* Serves as CUmodule and as CUlibrary. */
struct cuda_module {
	struct cuda_module *next;
	uint32_t image;
	char *code;         /* copy of the fat binary, the cubin or the texts */
	size_t n_cubin;     /* bytes of the cubin; 0: none */
	const char **texts; /* PTX texts in `code`, ended by NULL; NULL: no texts */
};
static struct cuda_module *modules;

/* Numbers of the compiler's options. A value is a pointer, or a number stored in a pointer. */
enum { JIT_INFO_LOG = 3, JIT_INFO_LOG_SIZE, JIT_ERROR_LOG, JIT_ERROR_LOG_SIZE };
struct jit_options {
	unsigned n;
	const int *option;
	void **value;
};

static bool is_module(const struct cuda_module *m)
{
	for (const struct cuda_module *i = modules; i; i = i->next)
		if (i == m)
			return true;
	return false;
}

/* Writes a text to the program's log, and its length to the option that gave the size of the log. */
static void write_jit_log(const struct jit_options *o, int log, const char *text)
{
	char *to = NULL;
	size_t cap = 0;

	for (unsigned i = 0; i < o->n; i++) {
		if (o->option[i] == log)
			to = o->value[i];
		if (o->option[i] == log + 1)
			cap = (unsigned)(uintptr_t)o->value[i];
	}
	if (to && cap)
		snprintf(to, cap, "%s", text);
	for (unsigned i = 0; i < o->n; i++)
		if (o->option[i] == log + 1)
			o->value[i] = (void *)(uintptr_t)(strlen(text) < cap ? strlen(text) : cap);
}

/* ---- loading ---- */

/* Returns the first four bytes, which identify the format; 0 if the code is a shorter text. */
static uint32_t read_first_word(const void *code)
{
	uint32_t w = 0;

	if (strnlen(code, sizeof(w)) == sizeof(w))
		memcpy(&w, code, sizeof(w));
	return w;
}

/* Sets m->texts to the texts at `p`. An empty text marks their end. */
static void find_ptx_texts(struct cuda_module *m, const char *p)
{
	uint32_t n = 0, cap = 0;

	for (; *p; p += strlen(p) + 1) {
		grow(&m->texts, &cap, n + 2, sizeof(*m->texts));
		m->texts[n++] = p;
	}
	if (!n)
		m->texts = xcalloc(1, sizeof(*m->texts));
	m->texts[n] = NULL;
}

static char *copy_to_new_memory(const void *bytes, size_t n)
{
	char *p = xmalloc(n + 2);

	memcpy(p, bytes, n);
	p[n] = p[n + 1] = '\0';
	return p;
}

/* Copies the code. Its format gives its size, which is at most `most` bytes. Returns 0 or a status. */
static int copy_module_code(struct cuda_module *m, const char *code, size_t most)
{
	size_t n = 0;

	if (!*code)
		return cudaErrorInvalidKernelImage;
	if (!strncmp(code, LINKED_MAGIC, sizeof(LINKED_MAGIC) - 1)) {
		const char *p = code + sizeof(LINKED_MAGIC) - 1;

		for (n = 0; p[n]; n += strlen(p + n) + 1)
			;
		find_ptx_texts(m, m->code = copy_to_new_memory(p, n));
		return cudaSuccess;
	}
	if (read_first_word(code) == ELF_MAGIC)
		n = m->n_cubin = elf_size_from_headers((const uint8_t *)code, most);
	else if (read_first_word(code) == FATBIN_MAGIC && most >= FATBIN_HEAD)
		n = fatbin_whole_size(code);
	else if ((uint8_t)code[0] < ELF_FIRST)
		find_ptx_texts(m, m->code = copy_to_new_memory(code, strlen(code)));
	if (m->texts)
		return cudaSuccess;
	if (!n || n > most)
		return cudaErrorInvalidKernelImage;
	m->code = copy_to_new_memory(code, n);
	return cudaSuccess;
}

static void free_module_code(struct cuda_module *m)
{
	free(m->code);
	free((void *)m->texts);
	free(m);
}

/*
 * Returns the code that a wrapper points to, or `code` itself if it is not a wrapper. In a wrapper, the address
 * follows two words.
 */
static const char *find_wrapped_code(const void *code)
{
	const char *bytes;

	if (read_first_word(code) != WRAPPER_MAGIC)
		return code;
	memcpy(&bytes, (const char *)code + 8, sizeof(bytes));
	return bytes;
}

/* Loads code of at most `most` bytes as a new module. Returns 0 or a status. */
static int load_module_code(
	struct cuda_module **to, const void *code, size_t most, const struct jit_options *o)
{
	struct fault why = {.id = NULL};
	struct cuda_module *m;
	int e;

	if (!to || !code || (o->n && (!o->option || !o->value)))
		return cudaErrorInvalidValue;
	e = cudart_enter(false);
	m = xcalloc(1, sizeof(*m));
	e = e ? e : copy_module_code(m, most == UNKNOWN_SIZE ? find_wrapped_code(code) : code, most);
	if (!e)
		e = cudart_add_image(
			&(struct image){.bytes = m->code, .n_cubin = m->n_cubin, .texts = m->texts},
			&m->image, &why);
	write_jit_log(o, JIT_ERROR_LOG, why.id ? why.text : "");
	write_jit_log(o, JIT_INFO_LOG, "");
	if (e) {
		/* An image that was added cannot be removed; its kernels become invalid. */
		if (why.id)
			cudart_drop_image(m->image);
		free_module_code(m);
	} else {
		m->next = modules;
		*to = modules = m;
	}
	cudart_leave(cudaSuccess);
	return e;
}

/* Reads a file into memory and adds two NUL bytes. Returns NULL with errno set on failure. */
static char *read_code_file(const char *path, size_t *n)
{
	FILE *f = path ? fopen(path, "rb") : NULL;
	char *text = NULL;
	size_t cap = 0, got;

	*n = 0;
	if (!f)
		return NULL;
	do {
		cap = cap ? 2 * cap : 1 << 16;
		text = xrealloc(text, cap + 2, 1);
		got = fread(text + *n, 1, cap - *n, f);
		*n += got;
	} while (got && *n == cap && cap < FILE_MOST);
	fclose(f);
	text[*n] = text[*n + 1] = '\0';
	return text;
}

static int load_module_file(struct cuda_module **to, const char *path, const struct jit_options *o)
{
	size_t n;
	char *text = read_code_file(path, &n);
	int e = text   ? load_module_code(to, text, n, o)
		: path ? cudaErrorFileNotFound
		       : cudaErrorInvalidValue;

	free(text);
	return e;
}

static int unload_module(struct cuda_module *m)
{
	int e = cudart_enter(false);

	for (struct cuda_module **i = &modules; !e; i = &(*i)->next) {
		if (!*i) {
			e = cudaErrorInvalidResourceHandle;
		} else if (*i == m) {
			*i = m->next;
			cudart_drop_image(m->image);
			free_module_code(m);
			break;
		}
	}
	cudart_leave(cudaSuccess);
	return e;
}

#define NO_OPTIONS       (&(struct jit_options){0, NULL, NULL})
#define OPTIONS(n, o, v) (&(struct jit_options){n, o, v})

DRIVER(cuModuleLoad, load_module_file(to, path, NO_OPTIONS), struct cuda_module **to, const char *path)
DRIVER(cuModuleLoadData, load_module_code(to, code, UNKNOWN_SIZE, NO_OPTIONS), struct cuda_module **to,
	const void *code)
ALSO(cuModuleLoadFatBinary, cuModuleLoadData);
DRIVER(cuModuleLoadDataEx, load_module_code(to, code, UNKNOWN_SIZE, OPTIONS(n, option, value)),
	struct cuda_module **to, const void *code, unsigned n, const int *option, void **value)
DRIVER(cuModuleUnload, unload_module(m), struct cuda_module *m)
/* Modules are loaded immediately: CU_MODULE_EAGER_LOADING. */
DEVICE(cuModuleGetLoadingMode, STORED(to, 1), int *to)
DRIVER(cuLibraryLoadData,
	((void)more, (void)values, (void)n_more,
		load_module_code(to, code, UNKNOWN_SIZE, OPTIONS(n, option, value))),
	struct cuda_module **to, const void *code, const int *option, void **value, unsigned n,
	const int *more, void **values, unsigned n_more)
DRIVER(cuLibraryLoadFromFile,
	((void)more, (void)values, (void)n_more, load_module_file(to, path, OPTIONS(n, option, value))),
	struct cuda_module **to, const char *path, const int *option, void **value, unsigned n,
	const int *more, void **values, unsigned n_more)
DRIVER(cuLibraryUnload, unload_module(m), struct cuda_module *m)

/* ---- kernels and variables ---- */

static int get_kernel(const void **to, const struct cuda_module *m, const char *name)
{
	int e = cudart_enter(false);

	if (!e && !is_module(m))
		e = cudaErrorInvalidResourceHandle;
	if (!e && (!to || !name))
		e = cudaErrorInvalidValue;
	if (!e)
		e = cudart_find_image_kernel(m->image, name, to);
	cudart_leave(cudaSuccess);
	return e;
}
DRIVER(cuModuleGetFunction, get_kernel(to, m, name), const void **to, const struct cuda_module *m,
	const char *name)
DRIVER(cuLibraryGetKernel, get_kernel(to, m, name), const void **to, const struct cuda_module *m,
	const char *name)

static unsigned count_kernels(const struct cuda_module *m)
{
	unsigned n = 0;

	while (cudart_image_kernel_name(m->image, n))
		n++;
	return n;
}
DRIVER(cuModuleGetFunctionCount, is_module(m) ? STORED(to, count_kernels(m)) : cudaErrorInvalidResourceHandle,
	unsigned *to, const struct cuda_module *m)
DRIVER(cuLibraryGetKernelCount, is_module(m) ? STORED(to, count_kernels(m)) : cudaErrorInvalidResourceHandle,
	unsigned *to, const struct cuda_module *m)

static int list_kernels(const void **to, unsigned n, const struct cuda_module *m)
{
	int e = !is_module(m) ? cudaErrorInvalidResourceHandle
		: to || !n    ? cudaSuccess
			      : cudaErrorInvalidValue;

	for (unsigned i = 0; !e && i < n && cudart_image_kernel_name(m->image, i); i++)
		e = get_kernel(&to[i], m, cudart_image_kernel_name(m->image, i));
	return e;
}
DRIVER(cuModuleEnumerateFunctions, list_kernels(to, n, m), const void **to, unsigned n,
	const struct cuda_module *m)
DRIVER(cuLibraryEnumerateKernels, list_kernels(to, n, m), const void **to, unsigned n,
	const struct cuda_module *m)

int cuda_find_variable(const struct symbol **to, const struct cuda_module *m, const char *name)
{
	if (!is_module(m))
		return cudaErrorInvalidResourceHandle;
	if (!name)
		return cudaErrorInvalidValue;
	*to = cudart_find_variable(&cudart.image[m->image], name);
	return *to ? cudaSuccess : cudaErrorSymbolNotFound;
}

static int get_variable(uint64_t *to, size_t *bytes, const struct cuda_module *m, const char *name)
{
	const struct symbol *s;
	int e = cuda_find_variable(&s, m, name);

	if (e)
		return e;
	if (!to && !bytes)
		return cudaErrorInvalidValue;
	if (to)
		*to = s->addr;
	if (bytes)
		*bytes = s->size;
	return cudaSuccess;
}
DRIVER(cuModuleGetGlobal_v2, get_variable(to, bytes, m, name), uint64_t *to, size_t *bytes,
	const struct cuda_module *m, const char *name)
DRIVER(cuLibraryGetGlobal, get_variable(to, bytes, m, name), uint64_t *to, size_t *bytes,
	const struct cuda_module *m, const char *name)
/* A CUlibrary is a CUmodule, and a CUkernel is a CUfunction. */
DRIVER(cuLibraryGetModule, is_module(m) ? STORED(to, m) : cudaErrorInvalidResourceHandle,
	struct cuda_module **to, struct cuda_module *m)
DRIVER(cuKernelGetFunction, STORED(to, kernel), const void **to, const void *kernel)

/* Stores the module of a kernel at *to. Returns 0 or a status. */
static int module_of_kernel(struct cuda_module **to, const void *kernel)
{
	int e = cudart_enter(false);
	const struct kernel *k = e ? NULL : cudart_find_kernel(kernel, &e);
	struct cuda_module *m = modules;

	while (k && m && m->image != k->image)
		m = m->next;
	cudart_leave(cudaSuccess);
	return e ? e : !m ? cudaErrorSymbolNotFound : STORED(to, m);
}
DRIVER(cuFuncGetModule, module_of_kernel(to, kernel), struct cuda_module **to, const void *kernel)
DRIVER(cuKernelGetLibrary, module_of_kernel(to, kernel), struct cuda_module **to, const void *kernel)

/* ---- linking ---- */

struct cuda_link {
	struct bytes texts; /* LINKED_MAGIC, then the texts */
	struct bytes code;  /* machine code, which must be the only input */
	struct jit_options options;
};
enum { INPUT_CUBIN, INPUT_PTX, INPUT_FATBIN };

static int start_link(struct cuda_link **to, const struct jit_options *o)
{
	struct cuda_link *l;

	if (!to || (o->n && (!o->option || !o->value)))
		return cudaErrorInvalidValue;
	l = xcalloc(1, sizeof(*l));
	l->options = *o;
	bytes_puts(&l->texts, LINKED_MAGIC);
	*to = l;
	return cudaSuccess;
}
DRIVER(cuLinkCreate_v2, start_link(to, OPTIONS(n, option, value)), unsigned n, const int *option,
	void **value, struct cuda_link **to)
ALSO(cuLinkCreate, cuLinkCreate_v2);

/* Reports that machine code cannot be linked with other inputs. */
static int refuse_linking_machine_code(void)
{
	return cudart_unsupported("cuLinkAddData",
		"machine code together with other inputs; add PTX of all inputs, or link them with nvlink and add its cubin");
}

/* Stores a cubin or a fat binary, which must be the only input and becomes the result. */
static int link_machine_code(struct cuda_link *l, const char *code, size_t n)
{
	size_t extent = n < FATBIN_HEAD                      ? 0
			: read_first_word(code) == ELF_MAGIC ? elf_size_from_headers((const uint8_t *)code, n)
			: read_first_word(code) == FATBIN_MAGIC ? fatbin_whole_size(code)
								: 0;

	if (!extent || extent > n)
		return cudaErrorInvalidKernelImage;
	if (l->code.n || l->texts.n > sizeof(LINKED_MAGIC) - 1)
		return refuse_linking_machine_code();
	bytes_add(&l->code, code, extent);
	return cudaSuccess;
}

/* Adds an input of n bytes. PTX ends at its first NUL, if it has one. */
static int link_ptx_text(struct cuda_link *l, int kind, const char *text, size_t n)
{
	if (!l || !text)
		return cudaErrorInvalidValue;
	if (kind == INPUT_CUBIN || kind == INPUT_FATBIN)
		return link_machine_code(l, text, n);
	if (kind != INPUT_PTX)
		return cudart_unsupported("cuLinkAddData",
			"an object or a library; add PTX, or link it with nvlink and add its cubin");
	if (l->code.n)
		return refuse_linking_machine_code();
	bytes_add(&l->texts, text, strnlen(text, n));
	bytes_add(&l->texts, "", 1);
	return cudaSuccess;
}
DRIVER(cuLinkAddData_v2, ((void)name, (void)m, (void)option, (void)value, link_ptx_text(l, kind, text, n)),
	struct cuda_link *l, int kind, const char *text, size_t n, const char *name, unsigned m,
	const int *option, void **value)
ALSO(cuLinkAddData, cuLinkAddData_v2);

static int link_code_file(struct cuda_link *l, int kind, const char *path)
{
	size_t n;
	char *text = l ? read_code_file(path, &n) : NULL;
	int e = text        ? link_ptx_text(l, kind, text, n)
		: path && l ? cudaErrorFileNotFound
			    : cudaErrorInvalidValue;

	free(text);
	return e;
}
DRIVER(cuLinkAddFile_v2, ((void)n, (void)option, (void)value, link_code_file(l, kind, path)),
	struct cuda_link *l, int kind, const char *path, unsigned n, const int *option, void **value)
ALSO(cuLinkAddFile, cuLinkAddFile_v2);

/* Returns the result. The texts are linked when they are loaded, so only loading reports a missing name. */
static int complete_link(struct cuda_link *l, void **to, size_t *n)
{
	if (!l || !to)
		return cudaErrorInvalidValue;
	bytes_add(&l->texts, "", 1);
	write_jit_log(&l->options, JIT_ERROR_LOG, "");
	write_jit_log(&l->options, JIT_INFO_LOG, "");
	*to = l->code.n ? l->code.p : l->texts.p;
	if (n)
		*n = l->code.n ? l->code.n : l->texts.n;
	return cudaSuccess;
}
DRIVER(cuLinkComplete, complete_link(l, to, n), struct cuda_link *l, void **to, size_t *n)

static int end_link(struct cuda_link *l)
{
	if (!l)
		return cudaErrorInvalidValue;
	bytes_free(&l->texts);
	bytes_free(&l->code);
	free(l);
	return cudaSuccess;
}
DRIVER(cuLinkDestroy, end_link(l), struct cuda_link *l)
