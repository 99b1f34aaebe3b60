/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace-pack: the arguments of the command line, and the interfaces between the files of the program.
 *
 *   main.c       the command line
 *   pack.c       packing: kernels in list order into one stream
 *   source.c     inputs of packing: list, directory, kernel file, packed stream
 *   directory.c  the kernel list of a directory
 *   missing.c    kernels that the list names but that do not exist
 *   slice.c      some thread blocks of a kernel's text
 *   group.c      raw traces by thread block and warp, in bounded memory
 *   convert.c    --to and --group: kernels as files of another form
 *   tracez.c     archives of Accel-Sim 2.0
 *   unpack.c     unpacking into files or one text; testing a stream
 *   list.c       the table of kernels
 *   codes.c      control codes that are packed with the kernels
 */
#ifndef TOOL_H
#define TOOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "diag.h"
#include "input.h"
#include "klist.h"
#include "pack.h"
#include "table.h"

enum mode { MODE_PACK, MODE_CONVERT, MODE_GROUP, MODE_UNPACK, MODE_TEST, MODE_TABLE };

/* Form of the files that --to writes. */
enum file_form { FORM_TEXT, FORM_TRACEZ };

struct pack_args {
	enum mode mode;
	enum file_form target_form; /* with MODE_CONVERT */
	const char *output, *directory, *kernels, *blocks, *format;
	uint64_t first_block,
		last_block;        /* first and last thread block of --tb; 0 and UINT64_MAX without it */
	uint64_t max_memory_bytes; /* maximum number of bytes of text that --group holds in memory */
	int level;                 /* compression level */
	unsigned threads;
	bool force;
	bool quiet;
	bool verbose;
	bool no_verify;
	bool all; /* raw files in addition to grouped files */
	bool skip_missing;
	struct kselect *select;
	const char **cubin; /* files of control codes */
	uint32_t n_cubins;
};

/* A kernel to pack. */
struct item {
	char *path;        /* path of the file; NULL if the kernel is in the pack */
	char *name;        /* name under which the kernel is unpacked */
	uint32_t number;   /* number of the kernel in the pack that is the source */
	uint32_t position; /* position of the kernel's first line in the list, counted from 1 */
	bool raw;
	bool missing;     /* true if the list names the kernel but the kernel does not exist */
	struct input *in; /* open input, if the file can be read only once; or NULL */
};

struct source {
	char *list_name; /* name of the list; NULL if there is no list */
	char *list;      /* text of the list */
	size_t n_list;   /* size of the text in bytes */
	struct item *item;
	uint32_t n_items, cap_items;
	struct table names;     /* indices of the items by name */
	struct pack *pack;      /* packed stream given as operand, or NULL */
	char *list_path;        /* path of the list; NULL if the list was not read from a file */
	const char *operand;    /* the operand of the command line; -: stdin */
	struct list_hash *hash; /* if -k names picks, hash of the list's lines; otherwise NULL */
	uint32_t n_listed;      /* number of kernels in the list, including kernels that -k does not select */
	struct item *missing;   /* selected kernels that are missing, after source_separate_missing() */
	uint32_t *missing_index; /* index of each missing kernel among all selected kernels */
	uint32_t n_missing;
};

/* Returns the name of the operand for messages. */
struct place source_place(const struct source *s);
/* Opens the operand and selects kernels as the command line requests. Ends the program on failure. */
void source_open(struct source *s, const char *operand, const struct pack_args *a);
/* Selects kernels of the packed stream s->pack, which the caller has opened. Ends the program on failure. */
void source_select_packed(struct source *s, const struct pack_args *a);
void source_close(struct source *s);
/*
 * Returns the name of the kernel list of a directory, which the caller frees, or NULL if there is none. Prefers a list
 * of raw traces if raw_first is set. Ends the program if there are several lists and none for all contexts.
 */
char *directory_find_list(const char *path, bool raw_first);

/* ---- missing.c ---- */
/* Ends the program if -k selects no kernel. Warns about each position of -k that the list does not have. */
void source_check_selection(const struct source *s, const struct pack_args *a);
/*
 * Removes the missing kernels from the items, and reports them. Ends the program if no kernel is left. Also
 * ends the program if kernels of a packed stream are missing and --skip-missing is not given.
 */
void source_separate_missing(struct source *s, const struct pack_args *a);
void source_free_missing(struct source *s);
/*
 * Ends the program if the directory has a file with the name of a missing kernel, because the unpacked list
 * would refer to that file.
 */
void source_check_missing_absent(const struct source *s, const char *directory);
/* Marks the missing kernels of the source in the stream. */
void source_mark_missing(const struct source *s, struct pack_writer *w);
/* Ends the program if a picked kernel is missing, because the weights of the other kernels would be wrong. */
void source_reject_missing_picks(const struct source *s, const struct pack_args *a);

/* Returns the hash of the list as it is packed; see klist_hash(). */
void source_list_hash(const struct source *s, unsigned char hash[16]);
/* Ends the program if -k names picks that were made for a list other than the stream's list. */
void source_check_picks(struct pack *p, const struct pack_args *a);

/* Control codes that are written to a stream. Codes of --cubin take precedence over codes of a packed source. */
struct codes {
	struct cubins *cubins; /* control codes from all sources; NULL if there are none */
	uint32_t kernels;      /* number of kernels with control codes */
};
void codes_open(struct codes *c, const struct source *s, const struct pack_args *a);
/*
 * Adds the control codes that a packed source has for its kernel i. Must be called before the kernel is
 * packed.
 */
void codes_add_kernel(struct codes *c, const struct source *s, uint32_t i);
/*
 * Counts kernel i, which was packed with the control codes of `insts` instructions. Warns if --cubin has no
 * control codes for it.
 */
void codes_count_kernel(
	struct codes *c, const struct source *s, const struct pack_args *a, uint32_t i, uint32_t insts);
/* Reads the control codes of n kernels back from the stream, and ends the program if they have changed. */
void codes_verify(const struct codes *c, struct pack *p, uint32_t n, const struct pack_args *a);
void codes_close(struct codes *c, const struct source *s, const struct pack_args *a);

/* Destination of text. write() returns false on failure. */
struct sink {
	bool (*write)(void *ctx, const void *bytes, size_t n);
	void *ctx;
};

/* The thread blocks `first_block` to `last_block` of a kernel's text, and their destination. */
struct slice {
	uint64_t first_block, last_block;
	struct sink sink;
};
/*
 * Passes the header and the thread blocks of s to s->sink. Returns 0. On failure or if no block is selected, returns -1
 * and sets *f.
 */
int slice_text(struct input *in, const struct slice *s, struct fault *f);

/*
 * Creates the directories in `name`, and returns the path directory/name. Ends the program if the path is outside
 * the directory.
 */
char *tool_prepare_target(const char *directory, const char *name);
/* Ends the program if path exists and force is false. */
void tool_check_absent(const char *path, bool force);
/* Writes the list of the source to `path`. With `force`, replaces an existing file. */
void tool_write_list(const struct source *s, const char *path, bool force);
/* Opens the file of an item at its first byte. Ends the program on failure. */
struct input *tool_open(struct item *i);
/* Passes all text of an input to the sink. Returns 0, or -1 and sets *f. */
int tool_copy_text(struct input *in, const struct sink *to, struct fault *f);

/*
 * Ends the program with a message: the reason of the failed write to o if f is the fault "write", otherwise
 * f.
 */
struct output;
_Noreturn void die_writing(struct output *o, const struct fault *f);

/* The modes of the program. Each returns the exit status, and ends the program on a fault of the input or output. */
int pack_operand(const char *operand, const struct pack_args *a);
int convert_operand(const char *operand, const struct pack_args *a);
int unpack_stream(const char *operand, const struct pack_args *a);
int unpack_test_stream(const char *operand, const struct pack_args *a);
int list_print_table(const char *operand, const struct pack_args *a);

/* Passes the grouped text of a raw trace to the sink. Returns 0, or -1 and sets *f. */
int group_text(struct input *in, uint64_t memory, const struct sink *to, struct fault *f);
/*
 * Returns 1 if the input is a raw trace, and 0 if it is not. On failure, returns -1 and sets *f. Consumes no
 * input.
 */
int group_is_raw(struct input *in, struct fault *f);

#endif
