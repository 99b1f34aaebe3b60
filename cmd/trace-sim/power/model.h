/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The arithmetic of the power model, which converts counters to watts (POWER-component, POWER-static,
 * POWER-total).
 */
#ifndef POWER_MODEL_H
#define POWER_MODEL_H

#include "power.h"

/* Properties of the GPU that the power model uses. */
struct power_gpu {
	uint32_t mhz; /* core clock, truncated */
	uint32_t sms;
};

struct power_sample {
	double count[N_POWER_COUNTERS];
	double cycles;
	double threads; /* mean number of active lanes per executed instruction; 0: none was executed */
	double watt[N_POWER_COMPONENTS];
	double dynamic; /* all components except constant and static power */
	double total;
};

/* Computes the components, the dynamic and the total power of s from its counters, cycles and threads. */
void power_model(const struct power_config *c, const struct power_gpu *g, struct power_sample *s);
/* Scales the components by a voltage (POWER-total-3). */
void power_model_scale_voltage(const struct power_config *c, double volt, struct power_sample *s);
double power_model_seconds(const struct power_gpu *g, double cycles);

#endif
