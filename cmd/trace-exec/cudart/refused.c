/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the interface that are not executed: each reports its name and returns cudaErrorNotSupported.
 * Their arguments are ignored. The table of addresses proves that every executed function of cudart.def is
 * defined.
 */
#include "cudart/cudart.h"

#define REFUSED(name) \
	API(int, name, void) { return cudart_leave((cudart_enter(false), cudart_unsupported(#name, NULL))); }
#define DONE(name)
#include "cudart/cudart.def"
#undef DONE
#undef REFUSED

#define REFUSED(name)
#define DONE(name) extern const char done_##name __asm__(#name);
#include "cudart/cudart.def"
#undef DONE
#define DONE(name) &done_##name,
extern const char *const cudart_done[];
__attribute__((used)) const char *const cudart_done[] = {
#include "cudart/cudart.def"
	NULL};
