/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Launch files (trace-launch(5)): modules, buffers and their values, launches, files to save.
 *
 * Always true of a file that was read: every name it uses is declared before, every kernel exists, arguments fit
 * its parameters, every buffer has its address. Later only kernels, and files that are read or written, can
 * fail.
 */
#ifndef LAUNCH_H
#define LAUNCH_H

#include "exec/exec.h"
#include "machine/machine.h"
#include "sem/tensor.h"

enum step_kind { CMD_BUFFER, CMD_SYMBOL, CMD_TEXTURE, CMD_LAUNCH, CMD_SAVE, CMD_SAVESYM, CMD_EXPECT };

enum init_kind { INIT_ZERO, INIT_UNSET, INIT_FILE, INIT_IOTA, INIT_FILL, INIT_LIST, INIT_RANDOM };

struct init {
	uint8_t kind;     /* enum init_kind */
	uint8_t type;     /* type of the elements */
	const char *text; /* INIT_FILL, INIT_LIST: the values; INIT_FILE: the path */
	uint64_t seed, mod;
	double low, high;
};

struct step {
	uint8_t kind;       /* enum step_kind */
	bool nocopy;        /* the trace has no copy to the buffer */
	struct place place; /* place of the values (CMD_BUFFER, CMD_SYMBOL) or of the arguments (CMD_LAUNCH) */
	uint32_t name_col, cluster_col;
	uint32_t size_col; /* column of bytes= or block= */
	const char *name, *path;
	uint64_t addr, bytes;
	struct init init;
	struct symbol *sym;
	struct launch launch; /* CMD_LAUNCH */
	uint32_t regs, shared_bytes;
	struct texture texture; /* CMD_TEXTURE: textures, surfaces, samplers; addr: the handle */
	bool used;              /* an argument names the texture */
};

/* A tensor map that arguments name; its line adds no step. */
struct named_map {
	const char *name;
	struct tensor_map map;
};

struct script {
	const char *path;
	const char *directory; /* directory of the file, with its slash; "": current directory */
	struct program prog;
	struct bound_code code;
	struct step *command;
	uint32_t n_commands, cap_commands;
	struct named_map *map;
	uint32_t n_maps, cap_maps;
	uint64_t heap_bytes; /* size of all buffers */
	uint32_t n_textures;
	uint64_t stack_bytes; /* stack of a thread; 0: the default */
	const char *ptx;      /* script_read_text: text of every module */
	enum code_kind code_kind;
	unsigned sm; /* compute capability of the chosen GPU; 0: none was chosen */
	struct arena arena;
};

/*
 * Reads a launch file whose modules have code of this kind, for compute capability sm (0: any). Returns 0, or -1 with
 * *f set.
 */
int script_read_code(struct script *s, const char *path, enum code_kind kind, unsigned sm, struct fault *f);
/* Returns true if a module is machine code. */
bool script_has_machine_code(const struct script *s);
/* Reads a launch file from memory; ptx is the text of every module. */
int script_read_text(struct script *s, const void *text, size_t n, const char *ptx, struct fault *f);
/*
 * Exits with a message if writing `output` would replace the launch file, a module, or, with `values`, a file
 * of values. A saved file is checked without `values`, because a line may save a file that another line reads.
 */
void script_protect_files(const struct script *s, const char *output, bool values);
void script_free(struct script *s);
/* Writes n bytes of values. Returns 0, or -1 with *f set (a file that cannot be read or is too short). */
int init_fill_bytes(const struct init *i, uint8_t *to, uint64_t n, struct place at, struct fault *f);
/* Parses "type=kind:values", "zero" or "file=path". Returns 0, or -1 with *f set. */
int init_parse_values(struct init *i, const char *text, const char *directory, struct arena *a,
	struct place at, struct fault *f);
/* Checks that n bytes are a whole number of elements. Returns 0, or -1 with *f set. */
int init_check_size(const struct init *i, uint64_t n, struct place at, struct fault *f);

#endif
