/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Marks of races that outlast a launch. The next launch needs neither new nor cleared pages, because the marks contain
 * a number that grows from launch to launch: BlackScholes of the CUDA samples with 4 launches takes 4.7 s instead of
 * 6.0 s.
 */
#include <stdlib.h>
#include "exec/check.h"

#define SPARE_MAX   ((size_t)8 << 30) /* largest size of all spare marks of a memory, in bytes */
#define SPARE_COUNT 16u               /* largest number of spare arrays of marks of a memory */

struct spare_marks {
	struct spare_marks *next;
	enum marks_kind kind;
	uint64_t words;          /* number of words of memory, rounded up */
	uint64_t highest_number; /* the highest number in the marks */
	uint64_t arrays;         /* number of elements of arrays that the latest launch used */
	void *marks;
};

/* The numbers of words have steps, so that a memory that grows between launches can use the same marks again. */
uint64_t marks_round_up(uint64_t words)
{
	uint64_t step = 4096;

	while (words / step > 16)
		step *= 2;
	return round_up_u64(words, step);
}

/* Returns the bytes of the marks of a memory, with elements of arrays. words: the number of words, rounded up. */
static size_t bytes_of_marks(enum marks_kind kind, uint64_t words, uint64_t arrays)
{
	return kind == MARKS_OF_WARPS
		       ? words / WARP_REGION * sizeof(uint64_t)
		       : words / MARKED_LINE * 2 * sizeof(uint64_t) + arrays * sizeof(union line_array);
}

#define ARRAYS_RESERVED 65536u /* elements of arrays that a memory of any size can use */
#define ARRAYS_OF_LINE  42u    /* largest number of elements that a line uses: two kinds of 1, 4 and 16 */

/*
 * Returns the bytes of address space of the marks. It is a mapping of its own, whose unused pages cost nothing when it
 * is freed.
 */
static size_t reserved_bytes_of_marks(enum marks_kind kind, uint64_t words)
{
	uint64_t arrays = words / MARKED_LINE * ARRAYS_OF_LINE;

	return bytes_of_marks(
		kind, words, min_u64(arrays > ARRAYS_RESERVED ? arrays : ARRAYS_RESERVED, LINE_ARRAYS_MAX));
}

static void free_spare(struct spare_marks *s)
{
	reserve_free(s->marks, reserved_bytes_of_marks(s->kind, s->words), 1);
	free(s);
}

/* Frees the spare marks of other numbers of words, so that they and new marks do not use memory at the same time. */
static void drop_spares_of_other_sizes(struct memory *m, uint64_t words)
{
	for (struct spare_marks **at = &m->spare_marks, *s; (s = *at);)
		if (s->words == words) {
			at = &s->next;
		} else {
			*at = s->next;
			free_spare(s);
		}
}

void *marks_take(struct memory *m, enum marks_kind kind, uint64_t words, uint64_t *last)
{
	struct spare_marks **at = &m->spare_marks, *s;
	void *marks = NULL;

	words = marks_round_up(words);
	pthread_mutex_lock(&m->lock);
	drop_spares_of_other_sizes(m, words);
	while ((s = *at) && (s->kind != kind || s->words != words || s->highest_number > *last))
		at = &s->next;
	if (s) {
		*at = s->next;
		*last = s->highest_number;
		marks = s->marks;
		free(s);
	}
	pthread_mutex_unlock(&m->lock);
	if (!marks)
		*last = 0;
	return marks ? marks : reserve(reserved_bytes_of_marks(kind, words), 1);
}

void marks_return(
	struct memory *m, enum marks_kind kind, uint64_t words, uint64_t last, void *marks, uint64_t arrays)
{
	struct spare_marks *s = xcalloc(1, sizeof(*s)), *old = NULL;
	size_t bytes;
	unsigned count = 1;

	words = marks_round_up(words);
	bytes = bytes_of_marks(kind, words, arrays);
	*s = (struct spare_marks){NULL, kind, words, last, arrays, marks};
	if (bytes > SPARE_MAX) {
		free_spare(s);
		return;
	}
	pthread_mutex_lock(&m->lock);
	s->next = m->spare_marks;
	m->spare_marks = s;
	for (struct spare_marks **at = &s->next; *at;) {
		bytes += bytes_of_marks((*at)->kind, (*at)->words, (*at)->arrays);
		if ((*at)->words == words && bytes <= SPARE_MAX && ++count <= SPARE_COUNT) {
			at = &(*at)->next;
			continue;
		}
		struct spare_marks *drop = *at;

		*at = drop->next;
		drop->next = old;
		old = drop;
	}
	pthread_mutex_unlock(&m->lock);
	for (struct spare_marks *next; old; old = next) {
		next = old->next;
		free_spare(old);
	}
}

void marks_free(struct memory *m)
{
	for (struct spare_marks *s = m->spare_marks, *next; s; s = next) {
		next = s->next;
		free_spare(s);
	}
	m->spare_marks = NULL;
}
