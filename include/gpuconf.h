/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * GPU configurations in Accel-Sim's option syntax (trace-config(5)).
 *
 * libcommon/arch/options.def has one row for every option that the original registers: identifier, name,
 * type, default, bounds, unit, group, one line of help. The parser, --list-options, --dump-config, the
 * completions and man/trace-config.5 follow from it. Every value remembers the place that set it, so
 * that whoever finds it impossible can point there. Unlike the original, numbers must be whole, an
 * integer may not wrap and a boolean needs its 0 or 1.
 */
#ifndef GPUCONF_H
#define GPUCONF_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include "diag.h"

enum conf_type { CONF_BOOL, CONF_INT, CONF_UNSIGNED, CONF_INT64, CONF_STRING };

/* What the suite does with an option. */
enum conf_use {
	USE_MODEL,      /* read by the timing model */
	USE_NONE,       /* registered by the original without effect on timing in trace mode */
	USE_FUNCTIONAL, /* functional (PTX) simulation only */
	USE_POWER,      /* power model only */
	USE_DEBUG       /* logs and visualizer only */
};

enum conf_id {
#define OPTION(id, name, type, def, min, max, unit, use, help) OPT_##id,
#include "arch/options.def"
#undef OPTION
	N_OPTIONS
};

struct conf_row {
	const char *name; /* "-gpgpu_n_clusters" */
	const char *def;  /* default as the original writes it */
	const char *unit; /* "cycles", "bytes", "-" */
	const char *help;
	int64_t min, max; /* numbers only */
	enum conf_type type;
	enum conf_use use;
};

extern const struct conf_row conf_rows[N_OPTIONS];
/* The shipped configurations of gpus.def: their names, a blank before each; and the help of an option -g. */
extern const char gpuconf_names[], gpuconf_help[];

struct conf_value {
	char *text;      /* as written, never NULL */
	int64_t number;  /* bool and integers */
	struct place at; /* .file NULL: default */
	uint32_t order;  /* running number of the assignment, from 1; 0: default */
	bool shipped;    /* set by a shipped configuration */
};

struct conf_source; /* a file that was read */

struct gpuconf {
	struct conf_value v[N_OPTIONS];
	struct arena *arena;      /* owns the texts and the file names of places */
	uint32_t assigned;        /* assignments so far; their order matters to quirk Q4-1 */
	bool shipping;            /* a shipped configuration is being read */
	struct conf_source *read; /* the last first */
	/*
	 * Told of an option that no row has; true: it is passed over, with its value. NULL: a fault. Set
	 * behind gpuconf_init().
	 */
	bool (*on_unknown)(void *ctx, const struct fault *f);
	void *ctx;
};

void gpuconf_init(struct gpuconf *c); /* all defaults */
void gpuconf_free(struct gpuconf *c); /* faults and places that came from c end here */
/* Read one file; later values win. 0, or -1 and *f. "-config FILE" inside is followed (16 levels at most). */
int gpuconf_file(struct gpuconf *c, const char *path, struct fault *f);
int gpuconf_stream(struct gpuconf *c, FILE *in, const char *name, struct fault *f);
/* Ends the program when output would replace one of the files that were read. */
void gpuconf_spare(const struct gpuconf *c, const char *output);
/* "NAME=VALUE", NAME with or without its dash, split at the first '='. */
int gpuconf_override(struct gpuconf *c, const char *assignment, struct fault *f);
/* A shipped configuration by name ("rtx3070"): $WARPTOOLS_GPUS, $WARPTOOLS_DATA/gpus, beside the program. */
int gpuconf_shipped(struct gpuconf *c, const char *name, struct fault *f);
/*
 * The file of that suffix (".measured") that comes with it, from the same folders; NULL: none. Lives as long
 * as c.
 */
const char *gpuconf_shipped_file(struct gpuconf *c, const char *name, const char *suffix);

/*
 * Was the option set by the user, a switch on, anything else to another value than its default, and nothing
 * comes of it where the original would do something: simulate power, write a log?
 */
bool conf_is_idle(const struct gpuconf *c, enum conf_id id);
int conf_find(const char *name);                       /* enum conf_id, or -1; name with or without dash */
void gpuconf_dump(const struct gpuconf *c, FILE *out); /* loads again */
void gpuconf_list(FILE *out);                          /* the table of options */
void gpuconf_man_options(FILE *out); /* rows of trace-config(5): options, shipped configurations */
void gpuconf_man_gpus(FILE *out);

static inline int64_t conf_num(const struct gpuconf *c, enum conf_id id) { return c->v[id].number; }
static inline unsigned conf_uint(const struct gpuconf *c, enum conf_id id)
{
	return (unsigned)c->v[id].number;
}
static inline bool conf_bool(const struct gpuconf *c, enum conf_id id) { return c->v[id].number != 0; }
static inline const char *conf_text(const struct gpuconf *c, enum conf_id id) { return c->v[id].text; }
/*
 * A file that an option names: beside the file that set the option when it is there, else as written.
 * Lives as long as c.
 */
const char *conf_path(const struct gpuconf *c, enum conf_id id);
/* Fault at the place that set the option, naming it; for defaults the place is the option itself. */
int conf_fault(const struct gpuconf *c, enum conf_id id, struct fault *f, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

#endif
