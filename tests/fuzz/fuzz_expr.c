/* SPDX-License-Identifier: BSD-2-Clause */
/* Fuzz target for expressions: the value of every valid expression is finite or NaN. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include "arena.h"
#include "expr.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static double value_of_name(void *ctx, const char *name)
{
	(void)ctx;
	return strlen(name) > 4 ? (double)NAN : (double)strlen(name) - 2;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = xstrndup((const char *)data, size);
	struct fault f = {0};
	struct expr *e = expr_parse(text, "fuzz", 1, &f);

	if (!e && (!f.id || !*f.text))
		abort();
	if (e && isinf(expr_value(e, value_of_name, NULL)))
		abort();
	expr_free(e);
	free(text);
	return 0;
}
