/* SPDX-License-Identifier: BSD-2-Clause */
/* Functions that are not executed: each reports its name and returns CUBLAS_NOT_SUPPORTED. */
#include "cublas/cublas.h"

#define REFUSED(name) \
	API(int, name, void) { return cublas_unsupported(#name, NULL); }
#define DONE(name)
#include "cublas/cublas.def"
