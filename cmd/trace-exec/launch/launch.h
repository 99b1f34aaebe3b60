/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launch files (trace-launch(5)): modules, buffers and their values, launches, what is saved.
 *
 * Always true of a file that was read: every name it uses is declared before, every kernel exists and has as
 * many arguments of the right sizes, every buffer has its address; so that nothing but the kernels themselves
 * can fail later, apart from files that are read and written.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "exec/exec.h"
#include "sem/tensor.h"

enum step_kind { CMD_BUFFER, CMD_SYMBOL, CMD_TEXTURE, CMD_LAUNCH, CMD_SAVE, CMD_SAVESYM, CMD_EXPECT };

enum init_kind { INIT_ZERO, INIT_UNSET, INIT_FILE, INIT_IOTA, INIT_FILL, INIT_LIST, INIT_RANDOM };

struct init {
	uint8_t kind, type; /* type: of the elements */
	const char *text;   /* INIT_FILL, INIT_LIST: the values; INIT_FILE: the path */
	uint64_t seed, mod;
	double low, high;
};

struct step {
	uint8_t kind;
	bool nocopy;
	struct place at; /* CMD_BUFFER, CMD_SYMBOL: of the values; CMD_LAUNCH: of the arguments */
	uint32_t name_col, size_col, cluster_col; /* size_col: of bytes= or block= */
	const char *name, *path;
	uint64_t addr, bytes;
	struct init init;
	struct symbol *sym;
	struct launch launch; /* CMD_LAUNCH */
	uint32_t regs, shared;
	struct texture texture; /* CMD_TEXTURE: textures, surfaces, samplers; addr: the handle */
	bool used;              /* by an argument */
};

/* A tensor map that arguments name; its own line makes no step. */
struct named_map {
	const char *name;
	struct tensor_map map;
};

struct script {
	const char *path, *folder; /* folder: with its slash; "" for the one in hand */
	struct program prog;
	struct bound_code code;
	struct step *command;
	uint32_t n_commands, cap_commands;
	struct named_map *map;
	uint32_t n_maps, cap_maps;
	uint64_t heap_bytes; /* of all buffers */
	uint32_t n_textures;
	const char *ptx; /* script_memory: of every module */
	struct arena arena;
};

/* 0, or -1 and *f. */
int script_read(struct script *s, const char *path, struct fault *f);
/* The same from memory, every module being the text ptx. */
int script_memory(struct script *s, const void *text, size_t n, const char *ptx, struct fault *f);
/*
 * Ends the program when output, which would be replaced, is the launch file, a module or, with values, a file
 * that values are read from: what a line saves may be what another reads.
 */
void script_spare(const struct script *s, const char *output, bool values);
void script_free(struct script *s);
/* Values of n bytes. 0, or -1 and *f (a file that cannot be read or is too short). */
int init_fill(const struct init *i, uint8_t *to, uint64_t n, struct place at, struct fault *f);
/* "type=kind:values" or "zero" or "file=path". 0, or -1 and *f. */
int init_parse(struct init *i, const char *text, const char *folder, struct arena *a, struct place at,
	struct fault *f);
/* Do n bytes have whole elements alone? 0, or -1 and *f. */
int init_fits(const struct init *i, uint64_t n, struct place at, struct fault *f);

#endif
