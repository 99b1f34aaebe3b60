/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Status codes, their names and texts, and the last error of a thread.
 *
 * Always true: cudaErrorNotReady is not an error; cudaGetLastError() does not clear cudart.broken.
 */
#include <string.h>
#include "cudart/cudart.h"

static _Thread_local int last;

void cudart_set_last_error(int status)
{
	if (status != cudaSuccess && status != cudaErrorNotReady)
		last = status;
}

int cudart_fault_status(const struct fault *f)
{
	static const struct {
		const char *id;
		int status;
	} known[] = {
		{"out-of-bounds", cudaErrorIllegalAddress},
		{"misaligned", cudaErrorMisalignedAddress},
		{"assert", cudaErrorAssert},
		{"deadlock", cudaErrorLaunchTimeout},
		{"limit", cudaErrorLaunchTimeout},
		{"call-depth", cudaErrorHardwareStackError},
		{"call-address", cudaErrorInvalidPc},
	};

	for (unsigned i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (f->id && !strcmp(f->id, known[i].id))
			return known[i].status;
	return cudaErrorLaunchFailure;
}

int cudart_exchange_last_error(int status)
{
	int before = last;

	last = status;
	return before;
}

API(int, cudaGetLastError, void)
{
	int status = last;

	if (!status && cudart.broken)
		status = cudart.broken;
	last = cudaSuccess;
	return status;
}

API(int, cudaPeekAtLastError, void) { return last ? last : cudart.broken; }

static const struct {
	int code;
	const char *name, *text;
} rows[] = {
#define E(code, name, text) {code, #name, text},
#include "cudart/errors.def"
#undef E
};

API(const char *, cudaGetErrorName, int status)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == status)
			return rows[i].name;
	return "unrecognized error code";
}

API(const char *, cudaGetErrorString, int status)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i].code == status)
			return rows[i].text;
	return "unrecognized error code";
}
