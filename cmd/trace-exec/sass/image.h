/* SPDX-License-Identifier: BSD-2-Clause */
/* Parts of the loader of cubins. See image.c. */
#ifndef SASS_IMAGE_H
#define SASS_IMAGE_H

#include "sass/elf.h"
#include "sass/sass.h"

#define NO_FUNCTION UINT32_MAX

/* Reads the attributes of a function from .nv.info.NAME. Returns 0, or -1 with *f set. */
int sass_info_function(
	struct sass_function *fn, const struct elf_file *e, const struct elf_section *s, struct fault *f);
/*
 * Reads the attributes of a whole file from .nv.info. of_symbol[i] is the function of ELF symbol i, which is
 * less than n, or NO_FUNCTION. Returns 0, or -1 with *f set.
 */
int sass_info_file(struct sass_image *m, const struct elf_file *e, const struct elf_section *s,
	const uint32_t *of_symbol, uint32_t n, struct fault *f);

/*
 * Reads .debug_line. Returns NULL if it is absent or damaged, which is not an error: code runs without it.
 * of_section[i] is the function of section i, or NO_FUNCTION.
 */
struct sass_lines *sass_lines_read(const struct elf_file *e, const uint32_t *of_section);
void sass_lines_free(struct sass_lines *l);
/* sass_image_positions() for a line table. */
unsigned sass_lines_positions(
	const struct sass_lines *l, uint32_t function, uint32_t pc, struct place *out, unsigned most);
uint32_t sass_lines_find(const struct sass_lines *l, uint32_t function, uint32_t pc, const char **file);

#endif
