/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Names and shipped energies of the power model, the reader of a table of energies (POWER-energy), and functions that
 * its readers share.
 */
#include "power.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "cli.h"
#include "input.h"
#include "power_int.h"

const char *const power_counter_names[N_POWER_COUNTERS] = {
#define COUNTER(id)      #id,
#define UNIT(id, factor) #id,
#include "names.def"
};

const char *const power_component_names[N_POWER_COMPONENTS] = {
#define COMPONENT(id) #id,
#include "names.def"
};

static const char *const power_energy_names[N_POWER_ENERGIES] = {
#define ENERGY(id, value, unit, event) #id,
#include "energies.def"
#undef ENERGY
};

static const double shipped_energies[N_POWER_ENERGIES] = {
#define ENERGY(id, value, unit, event) value,
#include "energies.def"
#undef ENERGY
};

static const char *const energy_units[N_POWER_ENERGIES] = {
#define ENERGY(id, value, unit, event) unit,
#include "energies.def"
#undef ENERGY
};

/* Sets every factor to 1 and the energies to the shipped ones. quirk Q7-22: the constant power is 1 W. */
void power_config_init(struct power_config *c)
{
	*c = (struct power_config){.constant_watt = 1, .reference_volt = 1};
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		c->factor[i] = 1;
	memcpy(c->energy, shipped_energies, sizeof(c->energy));
}

bool power_read_number(const char *text, const char **end, double *out)
{
	char *stop;
	double v;

	if (strspn(text, " \t") == strlen(text) || !strncmp(text + strspn(text, " \t+-"), "0x", 2))
		return false;
	v = strtod(text, &stop);
	if (stop == text || !isfinite(v))
		return false;
	*end = stop;
	*out = v;
	return true;
}

int power_load(struct bytes *b, const char *path, struct fault *f)
{
	struct input *in = input_open(path, f);
	long n;

	if (!in)
		return -1;
	do {
		bytes_reserve(b, 1u << 16);
		n = input_read(in, b->p + b->n, 1u << 16, f);
		b->n += n > 0 ? (size_t)n : 0;
		b->p[b->n] = '\0';
		if (b->n > POWER_FILE_MAX)
			n = fault_set(f, (struct place){.file = diag_keep(path)}, "power-xml",
				"file larger than %u bytes", POWER_FILE_MAX);
	} while (n > 0);
	input_close(in);
	return n < 0 ? -1 : 0;
}

size_t power_line(struct bytes *line, const char *text, size_t n)
{
	const char *end = memchr(text, '\n', n);
	size_t len = end ? (size_t)(end - text) : n;

	line->n = 0;
	bytes_add(line, text, len);
	return len + 1;
}

/* ---- table of energies (POWER-energy-3) --------------------------------------------------------- */

static int find_energy(const char *name)
{
	for (int i = 0; i < N_POWER_ENERGIES; i++)
		if (!strcmp(power_energy_names[i], name))
			return i;
	return -1;
}

/* Parses a row: NAME VALUE UNIT, separated by blanks or tabs. */
static int parse_energy(struct power_config *c, char *line, struct place at, bool *seen, struct fault *f)
{
	char *save, *name = strtok_r(line, " \t\r", &save), *value, *unit, q[80];
	const char *end;
	int row;

	if (!name || *name == '#')
		return 0;
	at.col = place_column(line, name);
	row = find_energy(name);
	diag_quote(q, sizeof(q), name, strlen(name));
	if (row < 0)
		return fault_set(f, at, "power-energies", "unknown energy '%s'", q);
	if (seen[row])
		return fault_set(f, at, "power-energies", "second row of energy '%s'", q);
	seen[row] = true;
	value = strtok_r(NULL, " \t\r", &save);
	at.col = place_column(line, value ? value : name);
	if (!value || !power_read_number(value, &end, &c->energy[row]) || *end || c->energy[row] < 0)
		return fault_set(
			f, at, "power-energies", "no energy for '%s' (expected a number, at least 0)", q);
	unit = strtok_r(NULL, " \t\r", &save);
	at.col = place_column(line, unit ? unit : value);
	if (!unit || strcmp(unit, energy_units[row]) != 0 || strtok_r(NULL, " \t\r", &save))
		return fault_set(f, at, "power-energies", "missing or wrong unit of '%s' (expected %s)", q,
			energy_units[row]);
	return 0;
}

int power_energies_parse(
	struct power_config *c, const char *name, const char *bytes, size_t n, struct fault *f)
{
	struct place at = {.file = name};
	bool seen[N_POWER_ENERGIES] = {false};
	struct bytes line = {0};
	int r = 0;

	for (size_t i = 0; i < n && r == 0;) {
		i += power_line(&line, bytes + i, n - i);
		at.line++;
		if (strlen(line.p) != line.n)
			r = fault_set(f, at, "power-energies", "NUL byte (expected text)");
		else
			r = parse_energy(c, line.p, at, seen, f);
	}
	bytes_free(&line);
	for (unsigned i = 0; r == 0 && i < N_POWER_ENERGIES; i++)
		if (!seen[i])
			r = fault_set(f, (struct place){.file = name}, "power-energies",
				"no row for energy '%s' (expected all %d)", power_energy_names[i],
				(int)N_POWER_ENERGIES);
	c->own_energies = r == 0;
	return r;
}

int power_energies_read(struct power_config *c, const char *path, struct fault *f)
{
	struct bytes b = {0};
	int r = power_load(&b, path, f);

	if (r == 0)
		r = power_energies_parse(c, diag_keep(path), b.p, b.n, f);
	bytes_free(&b);
	return r;
}
