/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Inputs of the power model (trace-sim-power(7)): an AccelWattch XML file, a table of energies, and a table of
 * counters measured on hardware. trace-sim uses them; trace-lint checks them.
 *
 * Always true of an accepted input: every number is finite, and every name is known or has no effect.
 */
#ifndef POWER_H
#define POWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"

/* Counters of a sample, in the order of the original's report. */
enum power_counter {
#define COUNTER(id)      POWER_##id,
#define UNIT(id, factor) POWER_##id,
#include "../libcommon/power/names.def"
	N_POWER_COUNTERS
};

/* The counters of function units are adjacent. */
#define POWER_UNIT_FIRST POWER_INT_ACC
#define N_POWER_UNITS    (POWER_TEX_ACC - POWER_INT_ACC + 1)

enum power_component {
#define COMPONENT(id) POWER_##id,
#include "../libcommon/power/names.def"
	N_POWER_COMPONENTS
};

enum power_static {
#define STATIC(id, used) POWER_STATIC_##id,
#include "../libcommon/power/names.def"
	N_POWER_STATICS
};

enum power_energy {
#define ENERGY(id, value, unit, event) POWER_ENERGY_##id,
#include "../libcommon/power/energies.def"
#undef ENERGY
	N_POWER_ENERGIES
};

extern const char *const power_counter_names[N_POWER_COUNTERS];
extern const char *const power_component_names[N_POWER_COMPONENTS];

/* Static power of an active SM, for its first lane and for each further lane. */
struct power_lanes {
	double first_watt; /* power of the first lane */
	double more_watt;  /* power of each further lane */
};

/* The coefficients of the model. */
struct power_config {
	double factor[N_POWER_COUNTERS]; /* factor of each counter, included in unit counters */
	double constant_watt;
	double idle_sm_watt;
	double reference_volt;
	struct power_lanes lanes[N_POWER_STATICS]; /* static power by row of names.def */
	double energy[N_POWER_ENERGIES];           /* energy in joules per event, or power in watts */
	bool own_energies;                         /* true if energy[] was read from a table */
};

/* Sets *c to the model without an XML file: every factor is 1, and the energies are the shipped ones. */
void power_config_init(struct power_config *c);

#define POWER_FILE_MAX  (1u << 20) /* largest size of an input file in bytes */
#define POWER_DEPTH_MAX 16         /* largest depth of nested components in an XML file */

/* A number of the XML file, for a linter. name and component are valid during the callback. */
struct power_param {
	const char *component, *name;
	double value;
	bool used; /* whether the model uses the param */
	struct place place;
};

/*
 * Reads an XML file into *c (POWER-xml). If c->own_energies is set, the hardware part is not compared. Calls each(),
 * unless it is NULL, for every param of the system component. Returns 0, or -1 and sets *f.
 */
int power_xml_read(struct power_config *c, const char *path,
	void (*each)(void *ctx, const struct power_param *p), void *ctx, struct fault *f);
/* Reads n bytes in memory like power_xml_read(). */
int power_xml_parse(struct power_config *c, const char *name, const char *bytes, size_t n,
	void (*each)(void *ctx, const struct power_param *p), void *ctx, struct fault *f);

/* Reads a table of energies (POWER-energy-3) into c->energy. Returns 0, or -1 and sets *f. */
int power_energies_read(struct power_config *c, const char *path, struct fault *f);
int power_energies_parse(
	struct power_config *c, const char *name, const char *bytes, size_t n, struct fault *f);

/* Columns of the table of measured counters after the two names (POWER-hw-1). */
enum power_measured {
	POWER_HW_L1_RH,
	POWER_HW_L1_RM,
	POWER_HW_L1_WH,
	POWER_HW_L1_WM,
	POWER_HW_CC_ACC,
	POWER_HW_SHRD_ACC,
	POWER_HW_DRAM_RD,
	POWER_HW_DRAM_WR,
	POWER_HW_L2_RH,
	POWER_HW_L2_RM,
	POWER_HW_L2_WH,
	POWER_HW_L2_WM,
	POWER_HW_NOC,
	POWER_HW_PIPE_DUTY,
	POWER_HW_IDLE_SMS,
	POWER_HW_CYCLES,
	POWER_HW_VOLTAGE,
	N_POWER_HW
};

struct power_hw_row {
	char *benchmark;          /* name of the benchmark */
	char *kernel;             /* name of the kernel; may be empty */
	double value[N_POWER_HW]; /* values of the columns */
	uint64_t line;            /* line number in the file */
};

struct power_hw_table {
	struct power_hw_row *row;
	uint32_t n;   /* number of rows */
	uint32_t cap; /* number of allocated rows */
	const char *file;
};

/* Reads the table. Returns 0, or -1 and sets *f; the caller frees the table in both cases. */
int power_hw_read(struct power_hw_table *t, const char *path, struct fault *f);
int power_hw_parse(struct power_hw_table *t, const char *name, const char *bytes, size_t n, struct fault *f);
void power_hw_free(struct power_hw_table *t);
/*
 * Returns the row of a kernel: the benchmark's first row whose kernel is empty or equal to kernel, else the
 * benchmark's first row. Returns NULL if the benchmark has no row.
 */
const struct power_hw_row *power_hw_find(
	const struct power_hw_table *t, const char *benchmark, const char *kernel);

#endif
