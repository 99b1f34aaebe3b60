/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GPU configurations in Accel-Sim's option syntax (trace-config(5)).
 *
 * libcommon/arch/options.def has one row for every option that the original registers: identifier, name, type,
 * default, bounds, unit, group, one line of help. The parser, --list-options, --dump-config, the completions and
 * man/trace-config.5 are made from it. Every value has the place that set it, for messages about impossible values.
 * The reader is stricter than the original: numbers must be whole, integers must not overflow, and a boolean must be
 * 0 or 1.
 */
#ifndef GPUCONF_H
#define GPUCONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

enum conf_type { CONF_BOOL, CONF_INT, CONF_UNSIGNED, CONF_INT64, CONF_STRING };

/* Effect of an option. */
enum conf_use {
	USE_MODEL, /* the timing model reads the option */
	USE_QUERY, /* the option is for device queries by programs, or for a setting that traces do not record */
	USE_NONE,       /* the option has no effect on timing in trace mode, not even in the original */
	USE_FUNCTIONAL, /* the option is for functional simulation (PTX) only */
	USE_POWER,      /* the option is for the power model only */
	USE_DEBUG       /* the option is for debug logs and the visualizer only */
};

enum conf_id {
#define OPTION(id, name, type, def, min, max, unit, use, help) OPT_##id,
#include "arch/options.def"
#undef OPTION
	N_OPTIONS
};

struct conf_row {
	const char *name; /* name with dash: "-gpgpu_n_clusters" */
	const char *def;  /* default, spelled as in Accel-Sim */
	const char *unit; /* unit of the value: "cycles", "bytes", "-" */
	const char *help;
	int64_t min; /* smallest value of a number */
	int64_t max; /* largest value of a number */
	enum conf_type type;
	enum conf_use use; /* effect of the option */
};

extern const struct conf_row conf_rows[N_OPTIONS];
/* Names of the shipped configurations of gpus.def, each after a blank. */
extern const char gpuconf_names[];
/* Help text of the option -g. */
extern const char gpuconf_help[];

/* A shipped configuration. */
struct gpuconf_gpu {
	const char *name, *chip;
	double error; /* mean error of its selftest in percent; negative: there are no measurements */
};
extern const struct gpuconf_gpu gpuconf_gpus[]; /* array that ends with a row without name */

struct conf_value {
	char *text;         /* value as written, never NULL */
	int64_t number;     /* value of booleans and integers */
	struct place place; /* place of the assignment; .file NULL: the value is the default */
	uint32_t order;     /* number of the assignment, from 1; 0: the value is the default */
	bool shipped;       /* true if a shipped configuration set the value */
};

struct conf_source; /* a file that was read */

struct gpuconf {
	struct conf_value value[N_OPTIONS]; /* values of all options */
	struct arena *arena;                /* arena of the texts and of the file names of places */
	uint32_t assigned;           /* number of assignments so far; quirk Q4-1 depends on their order */
	bool shipping;               /* true while a shipped configuration is read */
	struct conf_source *sources; /* files that were read, newest first */
	/*
	 * Callback for an option without a row. It returns true to skip the option and its value. NULL: such an
	 * option is a fault. Set after gpuconf_init().
	 */
	bool (*on_unknown)(void *ctx, const struct fault *f);
	void *ctx; /* argument of on_unknown() */
};

void gpuconf_init(struct gpuconf *c); /* sets all options to their defaults */
void gpuconf_free(struct gpuconf *c); /* invalidates the faults and places from c */
/*
 * Reads one file; later values replace earlier ones. Returns 0, or -1 and sets *f. Follows "-config FILE" to a depth
 * of 16.
 */
int gpuconf_file(struct gpuconf *c, const char *path, struct fault *f);
int gpuconf_stream(struct gpuconf *c, FILE *in, const char *name, struct fault *f);
/* Ends the program if output would replace one of the files that were read. */
void gpuconf_check_output(const struct gpuconf *c, const char *output);
/*
 * Assigns "NAME=VALUE", which is split at the first '='; the dash before NAME is optional. Returns 0, or -1 and sets
 * *f.
 */
int gpuconf_override(struct gpuconf *c, const char *assignment, struct fault *f);
/*
 * Reads the configuration file of a shipped GPU ("rtx3070") from $WARPTOOLS_GPUS, $WARPTOOLS_DATA/gpus or a directory
 * relative to the program.
 */
int gpuconf_shipped(struct gpuconf *c, const char *name, struct fault *f);
/*
 * Returns the path of a shipped configuration's file with the suffix (".measured"), from the same directories as
 * gpuconf_shipped(); NULL if there is none. The path is valid until c is freed.
 */
const char *gpuconf_shipped_file(struct gpuconf *c, const char *name, const char *suffix);

/*
 * Returns true if the user enabled something that trace-sim lacks with this option. A switch enables something if it
 * is on, another option if its value is not the default. Options that describe the GPU to CUDA programs never do.
 */
bool conf_lacks_effect(const struct gpuconf *c, enum conf_id id);
int conf_find(const char *name); /* returns enum conf_id, or -1; the dash before name is optional */
void gpuconf_dump(const struct gpuconf *c, FILE *out); /* writes a configuration file */
void gpuconf_list(FILE *out);                          /* prints the table of options */
/* Print the tables of trace-config(5): options, and shipped configurations. */
void gpuconf_man_options(FILE *out);
void gpuconf_man_gpus(FILE *out);

static inline int64_t conf_num(const struct gpuconf *c, enum conf_id id) { return c->value[id].number; }
static inline unsigned conf_uint(const struct gpuconf *c, enum conf_id id)
{
	return (unsigned)c->value[id].number;
}
static inline bool conf_bool(const struct gpuconf *c, enum conf_id id) { return c->value[id].number != 0; }
static inline const char *conf_text(const struct gpuconf *c, enum conf_id id) { return c->value[id].text; }
/*
 * Returns the path of a file that an option names: next to the file that set the option if it exists there, else as
 * written. The path is valid until c is freed.
 */
const char *conf_path(const struct gpuconf *c, enum conf_id id);
/* Sets a fault "NAME: invalid value 'V' (expected FMT)" at the place that set the option. Returns -1. */
int conf_fault(const struct gpuconf *c, enum conf_id id, struct fault *f, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* Sets a fault "NAME: value 'V' FMT" like conf_fault(). Returns -1. */
int conf_reject(const struct gpuconf *c, enum conf_id id, struct fault *f, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

#endif
