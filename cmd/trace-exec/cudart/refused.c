/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Functions of the interface that are not there: each says its name and returns cudaErrorNotSupported.
 * Whatever their arguments are, they are not looked at. And the proof that those of cudart.def which are
 * there, are.
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
