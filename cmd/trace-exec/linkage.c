/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Linkage of a program, from its ELF headers: the loader's name (PT_INTERP), the libraries that it needs
 * (DT_NEEDED), and the sections in which nvcc puts fat binaries.
 *
 * Always true: an offset is checked against the file's size before it is used.
 */
#include <elf.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include "linkage.h"

#define RUNTIME_NAME "libcudart.so"
#define FATBIN_NAME  ".nv_fatbin"

struct elf_view {
	const uint8_t *bytes;
	uint64_t n;
};

static const void *elf_bytes_at(const struct elf_view *v, uint64_t offset, uint64_t n)
{
	return offset <= v->n && n <= v->n - offset ? v->bytes + offset : NULL;
}

static const Elf64_Phdr *elf_segment(const struct elf_view *v, unsigned i)
{
	const Elf64_Ehdr *h = elf_bytes_at(v, 0, sizeof(*h));

	return i < h->e_phnum
		       ? elf_bytes_at(v, h->e_phoff + (uint64_t)i * sizeof(Elf64_Phdr), sizeof(Elf64_Phdr))
		       : NULL;
}

static const Elf64_Phdr *elf_segment_of_type(const struct elf_view *v, uint32_t type)
{
	const Elf64_Phdr *p;

	for (unsigned i = 0; (p = elf_segment(v, i)); i++)
		if (p->p_type == type)
			return p;
	return NULL;
}

/* Returns the offset in the file of the byte at an address; UINT64_MAX: the file does not contain the byte. */
static uint64_t elf_offset(const struct elf_view *v, uint64_t addr)
{
	const Elf64_Phdr *p;

	for (unsigned i = 0; (p = elf_segment(v, i)); i++)
		if (p->p_type == PT_LOAD && addr >= p->p_vaddr && addr - p->p_vaddr < p->p_filesz)
			return p->p_offset + (addr - p->p_vaddr);
	return UINT64_MAX;
}

/* Returns true if the file needs a library whose name begins with RUNTIME_NAME. */
static bool needs_runtime(const struct elf_view *v)
{
	const Elf64_Phdr *p = elf_segment_of_type(v, PT_DYNAMIC);
	uint64_t strings = UINT64_MAX;
	const Elf64_Dyn *d;

	for (unsigned i = 0; p && (d = elf_bytes_at(v, p->p_offset + i * sizeof(*d), sizeof(*d))) && d->d_tag;
		i++)
		if (d->d_tag == DT_STRTAB)
			strings = elf_offset(v, d->d_un.d_ptr);
	for (unsigned i = 0; p && strings <= v->n &&
			     (d = elf_bytes_at(v, p->p_offset + i * sizeof(*d), sizeof(*d))) && d->d_tag;
		i++) {
		const char *name =
			d->d_tag == DT_NEEDED && d->d_un.d_val <= v->n
				? elf_bytes_at(v, strings + d->d_un.d_val, sizeof(RUNTIME_NAME) - 1)
				: NULL;

		if (name && !memcmp(name, RUNTIME_NAME, sizeof(RUNTIME_NAME) - 1))
			return true;
	}
	return false;
}

/* Returns true if the ELF header names the processor of this program, or if that is unknown. */
static bool is_for_this_processor(const Elf64_Ehdr *h)
{
	Elf64_Ehdr own;
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	bool same = fd < 0 || read(fd, &own, sizeof(own)) != sizeof(own) || own.e_machine == h->e_machine;

	if (fd >= 0)
		close(fd);
	return same;
}

static enum program_linkage elf_linkage(const struct elf_view *v)
{
	const Elf64_Ehdr *h = elf_bytes_at(v, 0, sizeof(*h));

	if (!h || memcmp(h->e_ident, ELFMAG "\2\1", SELFMAG + 2) != 0 ||
		h->e_phentsize != sizeof(Elf64_Phdr) || h->e_phoff % 8 ||
		(h->e_type != ET_EXEC && h->e_type != ET_DYN))
		return LINKAGE_OTHER;
	if (!is_for_this_processor(h))
		return LINKAGE_FOREIGN;
	if (!elf_segment_of_type(v, PT_INTERP))
		return LINKAGE_STATIC;
	if (needs_runtime(v))
		return LINKAGE_RUNTIME;
	return memmem(v->bytes, v->n, FATBIN_NAME, sizeof(FATBIN_NAME)) ? LINKAGE_STATIC_RUNTIME
									: LINKAGE_OTHER;
}

/*
 * Opens the file that execvp() finds: `name` itself if it has a slash, else the first in the directories of
 * PATH.
 */
static int open_command(const char *name)
{
	const char *dir = getenv("PATH");
	char path[PATH_MAX];

	if (strchr(name, '/') || !dir)
		return open(name, O_RDONLY | O_CLOEXEC);
	for (size_t n; *dir; dir += n + (dir[n] == ':')) {
		n = strcspn(dir, ":");
		snprintf(path, sizeof(path), "%.*s/%s", n ? (int)n : 1, n ? dir : ".", name);
		if (!access(path, X_OK))
			return open(path, O_RDONLY | O_CLOEXEC);
	}
	return -1;
}

enum program_linkage linkage_of_program(const char *name)
{
	enum program_linkage l = LINKAGE_OTHER;
	int fd = open_command(name);
	struct stat st;
	void *at;

	if (fd < 0)
		return l;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0) {
		at = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
		if (at != MAP_FAILED) {
			l = elf_linkage(&(struct elf_view){at, (uint64_t)st.st_size});
			munmap(at, (size_t)st.st_size);
		}
	}
	close(fd);
	return l;
}
