/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Loading of fat binaries that the program registers (register.c) or loads by a call; kernels and variables in them.
 *
 * The library uses a fat binary's PTX with the highest target up to the device's, or the lowest target if all
 * are higher. It loads modules at the first use of a kernel or variable. Modules that are registered later
 * follow the loaded ones in the PC space and in static memory. Separately compiled files register one fat
 * binary without PTX, which points to the fat binaries of the files; these are linked by name.
 *
 * Always true: a module that cannot be executed does not affect another; a name belongs to the fat binary
 * that registered it, so that two modules can have the same name.
 */
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "cubin.h"
#include "cudart/pause.h"
#include "fatbin.h"
#include "machine/machine.h"

/* Returns the number of bytes of an image's fat binary or cubin. */
static size_t image_bytes(const struct image *m)
{
	return m->n_cubin ? m->n_cubin : cudart_fatbin_extent(m->bytes);
}

/*
 * Writes the name of a PTX text for messages. part: separately compiled file, counted from 1; 0: the fat binary
 * itself.
 */
static void write_image_name(uint32_t i, uint32_t part, const struct fatbin_entry *e, char *out, size_t cap)
{
	char number[16] = "";

	if (part)
		snprintf(number, sizeof(number), ".%u", part);
	snprintf(out, cap, "%s.%u%s.sm_%u%.1s.ptx", program_invocation_short_name, i + 1, number, e->sm,
		(const char[]){fatbin_variant(e), '\0'});
}

static unsigned device_sm(void) { return (unsigned)(10 * cudart.wire.major + cudart.wire.minor); }

/*
 * Returns the rank of an entry for the device; the highest rank is the best. sm_NNa fits only this capability;
 * sm_NNf also fits later ones with the same major number. Both have a higher rank than plain sm_NN.
 */
static int64_t rank_fatbin_entry(const struct fatbin_entry *e)
{
	char variant = fatbin_variant(e);
	unsigned device = device_sm(), sm = e->sm;
	bool fits = variant == 'a'   ? sm == device
		    : variant == 'f' ? sm <= device && sm / 10 == device / 10
				     : sm <= device;

	return (fits ? (int64_t)sm : -1000000 - (int64_t)sm) * 4 + (variant == 'a' ? 2 : variant == 'f');
}

static bool is_better_fatbin_entry(const struct fatbin_entry *a, const struct fatbin_entry *b)
{
	return !b->bytes || rank_fatbin_entry(a) > rank_fatbin_entry(b);
}

/* Parses the PTX of an entry. The text ends at its first NUL, or at the end of the entry. */
static int parse_fatbin_ptx(uint32_t i, uint32_t part, const struct fatbin *b, const struct fatbin_entry *e)
{
	struct image *m = &cudart.image[i];
	size_t n = fatbin_size(b, e, &m->fault);
	struct module *module = NULL;
	char name[300];
	uint8_t *text;

	if (!n)
		return -1;
	text = xmalloc(n + 1);
	if (!fatbin_unpack(b, e, text, &m->fault)) {
		text[n] = '\0';
		write_image_name(i, part, e, name, sizeof(name));
		module = module_read_text(name, text, strlen((char *)text), &m->fault);
	}
	free(text);
	if (!module)
		return -1;
	grow(&m->module, &m->cap_modules, m->n_modules + 1, sizeof(struct module *));
	m->module[m->n_modules++] = module;
	return 0;
}

static bool can_execute_image(struct image *m);

/*
 * Returns true if the entry is machine code for the device. If it is, the PTX of the same fat binary is for other
 * GPUs.
 */
static bool is_native_code(const struct fatbin_entry *e)
{
	unsigned device = device_sm();

	return e->kind == FATBIN_CUBIN && e->sm / 10 == device / 10 && e->sm <= device;
}

/*
 * Reads the best PTX of a fat binary, if it has any. The toolkit's own files, which are linked to separately
 * compiled files, have machine code for the device and PTX for later GPUs only. This PTX is ignored.
 */
static int read_best_ptx(uint32_t i, uint32_t part, const void *bytes)
{
	struct image *m = &cudart.image[i];
	size_t n = cudart_fatbin_extent(bytes), whole;
	struct fatbin_entry e, best = {.bytes = NULL};
	const char *file = program_invocation_short_name;
	bool coded = false;
	struct fatbin b;
	int got;

	if (!n)
		return fault_set(&m->fault, (struct place){.file = file}, "fatbin",
			"no fat binary where the program registered one");
	if (fatbin_open(&b, bytes, n, &whole, file, &m->fault))
		return -1;
	while ((got = fatbin_next(&b, &e, &m->fault)) > 0) {
		coded |= part && is_native_code(&e);
		if (e.kind == FATBIN_PTX && is_better_fatbin_entry(&e, &best))
			best = e;
	}
	if (got < 0)
		return -1;
	if (coded && best.sm > device_sm()) {
		m->ignored_ptx = best.sm;
		return 0;
	}
	m->has_ptx |= best.bytes != NULL;
	return best.bytes ? parse_fatbin_ptx(i, part, &b, &best) : 0;
}

/* Parses the texts of PTX that the program passed. */
static int read_ptx_texts(uint32_t i)
{
	struct image *m = &cudart.image[i];
	char name[300];

	m->has_ptx = true;
	for (uint32_t k = 0; m->texts[k]; k++) {
		snprintf(name, sizeof(name), "%s.%u.%u.ptx", program_invocation_short_name, i + 1, k + 1);
		struct module *module = module_read_text(name, m->texts[k], strlen(m->texts[k]), &m->fault);

		if (!module)
			return -1;
		grow(&m->module, &m->cap_modules, m->n_modules + 1, sizeof(struct module *));
		m->module[m->n_modules++] = module;
	}
	return 0;
}

#define OTHER_GPU "other-gpu" /* id of the fault if all machine code is for other GPUs */

/* Returns true if an image has no machine code for the device. */
static bool lacks_machine_code(const struct fault *f)
{
	return f->id && (!strcmp(f->id, CUBINS_NONE) || !strcmp(f->id, OTHER_GPU));
}

/* Returns the best machine code for the device, or NULL with *f set if there is none. */
static const struct cubin_image *find_best_cubin(
	const struct cubins *c, const struct image *m, struct fault *f)
{
	const struct cubin_image *best = NULL;
	struct place at = {.file = program_invocation_short_name};

	for (uint32_t k = 0; k < cubins_image_count(c); k++)
		if (machine_can_run(device_sm(), cubins_image(c, k)->sm) &&
			(!best || cubins_image(c, k)->sm > best->sm))
			best = cubins_image(c, k);
	if (!best && cubins_image_count(c))
		fault_set(f, at, OTHER_GPU,
			"machine code for sm_%u, not for sm_%u (choose the GPU with -g%s)",
			cubins_image(c, 0)->sm, device_sm(), m->n_cubin ? "" : ", or compile it also to PTX");
	else if (!best)
		fault_set(f, at, CUBINS_NONE,
			"fat binary without machine code for sm_%u (compile it with -arch=sm_%u)",
			device_sm(), device_sm());
	return best;
}

/*
 * Reads the best machine code of an image for the device. Returns 1 if the code can be executed. Otherwise sets
 * *why, and returns 0 if PTX may be executed instead, else -1.
 */
static int read_machine_code(uint32_t i, struct fault *why)
{
	struct image *m = &cudart.image[i];
	int otherwise = cudart.wire.code == CODE_MACHINE || m->n_cubin ? -1 : 0;
	struct cubins *c = cubins_new();
	const struct cubin_image *best;
	struct module *module = NULL;
	char name[300];

	if (cubins_add_bytes(c, m->bytes, image_bytes(m), program_invocation_short_name, why)) {
		cubins_free(c);
		return otherwise;
	}
	best = find_best_cubin(c, m, why);
	if (best) {
		snprintf(name, sizeof(name), "%s.%u.sm_%u.cubin", program_invocation_short_name, i + 1,
			best->sm);
		module = machine_module(name, best->bytes, best->n, why);
	}
	cubins_free(c);
	if (!module)
		return otherwise;
	grow(&m->module, &m->cap_modules, m->n_modules + 1, sizeof(struct module *));
	m->module[m->n_modules++] = module;
	if (can_execute_image(m))
		return 1;
	*why = m->fault;
	if (!otherwise)
		module_free(m->module[--m->n_modules]);
	return otherwise;
}

/* Reads the PTX of a fat binary, and of the separately compiled files that are linked to it. */
static int read_ptx_of_image(uint32_t i)
{
	struct image *m = &cudart.image[i];

	if (!m->parts && read_best_ptx(i, 0, m->bytes))
		return -1;
	for (uint32_t k = 0; m->parts && m->parts[k]; k++)
		if (read_best_ptx(i, k + 1, m->parts[k]))
			return -1;
	if (!m->n_modules && m->ignored_ptx)
		return fault_set(&m->fault, (struct place){.file = program_invocation_short_name}, "fatbin",
			"separately compiled files with PTX for sm_%u, not for sm_%u (choose the GPU with -g, or "
			"use --code sass)",
			m->ignored_ptx, device_sm());
	if (!m->n_modules)
		return fault_set(&m->fault, (struct place){.file = program_invocation_short_name}, "fatbin",
			"fat binary without PTX (compile it with -gencode arch=..,code=compute_..)");
	return 0;
}

/* Reads the code of an image. Returns -1 with the image's fault set if the code cannot be executed. */
static int read_image_code(uint32_t i)
{
	struct image *m = &cudart.image[i];
	struct fault why = {.id = NULL}; /* reason why the image's machine code is not executed */
	int got = 0;

	if (m->texts)
		return read_ptx_texts(i) || !can_execute_image(m) ? -1 : 0;
	if (cudart.wire.code != CODE_PTX && m->bytes)
		got = read_machine_code(i, &why);
	if (got > 0)
		return 0;
	m->fault = why;
	if (got < 0)
		return -1;
	if (m->n_cubin)
		return fault_set(&m->fault, (struct place){.file = program_invocation_short_name}, "fatbin",
			"machine code without PTX, which --code ptx needs");
	m->fault.id = NULL;
	if (read_ptx_of_image(i)) {
		if (why.id && !m->has_ptx && strcmp(why.id, CUBINS_NONE) != 0)
			m->fault = why;
		return -1;
	}
	if (why.id && !lacks_machine_code(&why))
		diag_warn((struct place){why.place.file, 0, 0}, "%s: its PTX is executed instead", why.text);
	return can_execute_image(m) ? 0 : -1;
}

/* Resets the register slots, because a module is bound twice: first alone, then with the other modules. */
static void unbind_registers(const struct module *m)
{
	for (uint32_t i = 0; i < m->n_funcs; i++)
		for (uint32_t k = 0; k < m->func[i]->n_regs; k++)
			m->func[i]->reg[k].slot = 0;
}

/* Returns true if the modules of the image can be executed without other images. */
static bool can_execute_image(struct image *m)
{
	struct program p = {0};
	struct bound_code c = {0};
	bool good;

	for (uint32_t i = 0; i < m->n_modules; i++)
		program_add_module(&p, m->module[i]);
	good = !program_link(&p, &m->fault) && !bind_program(&c, &p, &m->fault);
	if (c.prog)
		bind_free(&c);
	for (uint32_t i = 0; i < m->n_modules; i++)
		unbind_registers(m->module[i]);
	free(p.module);
	free(p.func);
	return good;
}

static int link_images(struct fault *f)
{
	if (cudart.code.prog)
		bind_free(&cudart.code);
	memset(&cudart.code, 0, sizeof(cudart.code));
	for (uint32_t i = 0; i < cudart.prog.n_modules; i++)
		unbind_registers(cudart.prog.module[i]);
	return program_link(&cudart.prog, f) || bind_program(&cudart.code, &cudart.prog, f) ? -1 : 0;
}

int cudart_load_images(void)
{
	uint32_t first = cudart.n_loaded, before = cudart.prog.n_modules;
	struct fault f;
	int e;

	if (first == cudart.n_images)
		return cudaSuccess;
	if ((e = pause_wait_all())) /* all kernels are bound again, so no launch may be in progress */
		return e;
	cudart.n_loaded = cudart.n_images;
	for (uint32_t i = first; i < cudart.n_images; i++) {
		struct image *m = &cudart.image[i];

		m->refused = read_image_code(i) != 0;
		if (!m->refused && (e = cudart_place_variables(i)))
			return cudart.broken = e;
		for (uint32_t k = 0; !m->refused && k < m->n_modules; k++)
			program_add_module(&cudart.prog, m->module[k]);
	}
	if (before == cudart.prog.n_modules)
		return cudaSuccess;
	if (link_images(&f)) {
		diag_fault(&f);
		cudart_send(WIRE_FOUND, NULL, 0);
		return cudart.broken = cudaErrorInvalidPtx;
	}
	cudart.mem.static_bytes = cudart.prog.static_end;
	for (uint32_t i = before; i < cudart.prog.n_modules; i++)
		cudart_init_variables(cudart.prog.module[i]);
	return cudaSuccess;
}

/* Reports once that a fat binary cannot be executed. Returns a status. */
static int report_unexecutable(struct image *m)
{
	if (m->fault.id) {
		diag_fault(&m->fault);
		cudart_send(WIRE_FOUND, NULL, 0);
		m->fault.id = NULL;
	}
	return m->has_ptx ? cudaErrorInvalidPtx : cudaErrorNoKernelImageForDevice;
}

/* A program calls this before it accesses a managed variable of the fat binary. */
API(char, __cudaInitModule, void **handle)
{
	struct image *m;

	if (!cudart_enter(false) && !cudart_load_images() &&
		(m = &cudart.image[cudart_image_of_handle(handle)])->refused)
		report_unexecutable(m);
	cudart_leave(cudaSuccess);
	return 1;
}

/* ---- images that the program loads by a call ---- */

int cudart_add_image(const struct image *from, uint32_t *image, struct fault *why)
{
	/* the registered images come first, because the number of an image never changes */
	int e = cudart_load_images();
	struct image *m;

	if (e)
		return e;
	grow(&cudart.image, &cudart.cap_images, cudart.n_images + 1, sizeof(*cudart.image));
	cudart.image[cudart.n_images] =
		(struct image){.bytes = from->bytes, .n_cubin = from->n_cubin, .texts = from->texts};
	*image = cudart.n_images++;
	e = cudart_load_images();
	m = &cudart.image[*image];
	*why = m->fault;
	if (!e && m->refused)
		e = report_unexecutable(m);
	return e;
}

void cudart_drop_image(uint32_t image)
{
	cudart.image[image].bytes = NULL;
	cudart.image[image].texts = NULL;
	for (uint32_t i = 0; i < cudart.n_kernels; i++)
		if (cudart.kernel[i].image == image)
			cudart.kernel[i].host = NULL; /* the handle is no longer valid */
}

static struct func *find_kernel_function(const struct image *m, const char *name);

int cudart_find_image_kernel(uint32_t image, const char *name, const void **handle)
{
	struct image *m = &cudart.image[image];
	struct kernel *k;

	for (uint32_t i = 0; i < cudart.n_kernels; i++)
		if (cudart.kernel[i].image == image && cudart.kernel[i].host &&
			!strcmp(cudart.kernel[i].name, name)) {
			*handle = cudart.kernel[i].host;
			return cudaSuccess;
		}
	if (m->refused || !find_kernel_function(m, name))
		return cudaErrorSymbolNotFound;
	grow(&cudart.kernel, &cudart.cap_kernels, cudart.n_kernels + 1, sizeof(*cudart.kernel));
	k = &cudart.kernel[cudart.n_kernels];
	/* The copy of the name is also the handle: its address is unique and never freed. */
	*k = (struct kernel){.name = xstrdup(name), .image = image, .max_dynamic_shared = -1, .carveout = -1};
	*handle = k->host = k->name;
	table_add(&cudart.kernels, cudart_address_hash(k->host), cudart.n_kernels++);
	return cudaSuccess;
}

const char *cudart_image_kernel_name(uint32_t image, uint32_t number)
{
	const struct image *m = &cudart.image[image];

	for (uint32_t k = 0; k < m->n_modules; k++)
		for (uint32_t i = 0; i < m->module[k]->n_funcs; i++)
			if (m->module[k]->func[i]->entry && !number--)
				return m->module[k]->func[i]->name;
	return NULL;
}

/* ---- lookup ---- */

static struct func *find_kernel_function(const struct image *m, const char *name)
{
	for (uint32_t k = 0; k < m->n_modules; k++)
		for (uint32_t i = 0; i < m->module[k]->n_funcs; i++)
			if (m->module[k]->func[i]->entry && !strcmp(m->module[k]->func[i]->name, name))
				return sym_definition(m->module[k]->func[i]->sym)->func;
	return NULL;
}

/* Returns a kernel's registers from a cubin of the fat binary, or 0 if it has none. */
static uint32_t registers_of_kernel(struct image *m, const char *name)
{
	struct fault f;

	if (!m->cubins) {
		m->cubins = cubins_new();
		(void)cubins_add_bytes(m->cubins, m->bytes, image_bytes(m), "", &f);
	}
	for (uint32_t i = 0; i < cubins_count(m->cubins); i++)
		if (!strcmp(cubins_function_at(m->cubins, i)->name, name))
			return cubins_function_at(m->cubins, i)->regs;
	return 0;
}

/*
 * Returns the name of a C++ kernel with its template arguments and parameters, but without its result, which is
 * void. Returns NULL if the name is not that of a C++ function, or if the program has no function for such names:
 * a program that is linked with the C++ library has one.
 */
static const char *source_name_of_kernel(const char *name)
{
	char *(*demangle)(const char *, char *, size_t *, int *);
	const char *text;
	int status;

	*(void **)&demangle = dlsym(RTLD_DEFAULT, "__cxa_demangle");
	text = demangle && !strncmp(name, "_Z", 2) ? demangle(name, NULL, NULL, &status) : NULL;
	return text && !strncmp(text, "void ", 5) ? text + 5 : text;
}

struct kernel *cudart_find_kernel(const void *host, int *status)
{
	struct kernel *k = NULL;

	*status = cudart_load_images();
	if (*status)
		return NULL;
	FOR_TABLE (w, &cudart.kernels, cudart_address_hash(host))
		if (cudart.kernel[w.number].host == host)
			k = &cudart.kernel[w.number];
	if (!k) {
		*status = cudaErrorInvalidDeviceFunction;
		return NULL;
	}
	struct image *m = &cudart.image[k->image];
	if (m->refused) {
		*status = report_unexecutable(m);
		return NULL;
	}
	if (!k->func && (k->func = find_kernel_function(m, k->name))) {
		k->regs =
			k->func->machine ? machine_register_count(k->func) : registers_of_kernel(m, k->name);
		k->func->source_name = source_name_of_kernel(k->name);
		k->shared_bytes = k->func->machine ? machine_shared_bytes(k->func) : k->func->shared_end;
	}
	if (!k->func)
		*status = cudaErrorInvalidDeviceFunction;
	return k->func ? k : NULL;
}

/* A managed variable is also found by its own address. */
struct variable *cudart_variable_of_host(const void *host)
{
	const struct grant *g = cudart_find_grant((uintptr_t)host);

	FOR_TABLE (w, &cudart.variables, cudart_address_hash(host))
		if (cudart.variable[w.number].host == host)
			return &cudart.variable[w.number];
	for (uint32_t i = 0; g && g->is_variable && i < cudart.n_variables; i++)
		if (cudart.variable[i].managed && *cudart.variable[i].managed == host)
			return &cudart.variable[i];
	return NULL;
}

int cudart_find_symbol(const void *host, uint64_t *addr, size_t *size)
{
	const struct symbol *s;
	const struct variable *v;
	int status = cudart_load_images();

	if (status)
		return status;
	if (!(v = cudart_variable_of_host(host)))
		return cudaErrorInvalidSymbol;
	struct image *m = &cudart.image[v->image];
	if (m->refused)
		return report_unexecutable(m);
	if (!(s = cudart_find_variable(m, v->name)))
		return cudaErrorInvalidSymbol;
	*addr = s->addr;
	*size = s->size;
	return cudaSuccess;
}
