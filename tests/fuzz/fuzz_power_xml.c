/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Fuzz target for the inputs of the power model: the first byte selects the XML file, the table of energies or the
 * table of measured counters. The coefficients of an accepted input must be finite.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include "power.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_xml(const char *text, size_t n, bool own_energies)
{
	struct power_config c;
	struct fault f = {0};

	power_config_init(&c);
	c.own_energies = own_energies;
	if (power_xml_parse(&c, "fuzz", text, n, NULL, NULL, &f) < 0)
		return;
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		if (!isfinite(c.factor[i]))
			abort();
	if (!isfinite(c.constant_watt) || !(c.reference_volt > 0))
		abort();
}

static void check_energies(const char *text, size_t n)
{
	struct power_config c;
	struct fault f = {0};

	power_config_init(&c);
	if (power_energies_parse(&c, "fuzz", text, n, &f) < 0)
		return;
	for (unsigned i = 0; i < N_POWER_ENERGIES; i++)
		if (!(c.energy[i] >= 0) || !isfinite(c.energy[i]))
			abort();
}

static void check_counter_table(const char *text, size_t n)
{
	struct power_hw_table t = {.n = 0};
	struct fault f = {0};

	if (power_hw_parse(&t, "fuzz", text, n, &f) == 0)
		power_hw_find(&t, "b", "k");
	power_hw_free(&t);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *text = (const char *)data + 1;

	if (!size)
		return 0;
	switch (data[0]) {
	case 'e': check_energies(text, size - 1); break;
	case 't': check_counter_table(text, size - 1); break;
	default: check_xml(text, size - 1, data[0] == 'o'); break;
	}
	return 0;
}
