/* SPDX-License-Identifier: BSD-2-Clause */
/* Size of fat binaries. A program registers only their addresses. */
#include <link.h>
#include "cudart/cudart.h"
#include "fatbin.h"

struct segment_span {
	/* left: number of bytes from `start` to the end of its segment; 0: no segment contains it */
	uintptr_t start, left;
};

static int find_loaded_segment(struct dl_phdr_info *info, size_t n, void *found)
{
	struct segment_span *s = found;

	(void)n;
	for (unsigned i = 0; i < info->dlpi_phnum; i++) {
		uintptr_t first = info->dlpi_addr + info->dlpi_phdr[i].p_vaddr,
			  size = info->dlpi_phdr[i].p_memsz;

		if (info->dlpi_phdr[i].p_type == PT_LOAD && s->start >= first && s->start - first < size)
			s->left = size - (s->start - first);
	}
	return s->left != 0;
}

size_t cudart_fatbin_extent(const void *bytes)
{
	struct segment_span s = {(uintptr_t)bytes, 0};
	uint64_t n = bytes ? fatbin_whole_size(bytes) : 0;

	if (n && dl_iterate_phdr(find_loaded_segment, &s) && n > s.left)
		n = s.left;
	return n;
}
