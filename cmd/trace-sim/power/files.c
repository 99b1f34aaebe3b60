/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The original's traces and steady states (POWER-file), as sequences of gzip members. The header is a member,
 * and so is each row.
 */
#include "meter.h"
#include <math.h>
#include <zlib.h>

/* Writes text as a gzip member. */
static void put_gzip_member(FILE *out, const struct bytes *b, int level)
{
	z_stream z = {0};
	unsigned char buffer[1u << 14];
	int status;

	if (deflateInit2(&z, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
		die("out of memory");
	z.next_in = (unsigned char *)b->p;
	z.avail_in = (unsigned)b->n;
	do {
		z.next_out = buffer;
		z.avail_out = sizeof(buffer);
		status = deflate(&z, Z_FINISH);
		fwrite(buffer, 1, sizeof(buffer) - z.avail_out, out);
	} while (status == Z_OK);
	deflateEnd(&z);
}

static void put_gzip_member_and_free(FILE *out, struct bytes *b, int level)
{
	put_gzip_member(out, b, level);
	bytes_free(b);
}

static void put_counter_names(struct bytes *b)
{
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		bytes_printf(b, "%s%s", power_counter_names[i], i + 1 < N_POWER_COUNTERS ? "," : "");
	bytes_puts(b, "\n");
}

/*
 * Writes the names of the components. quirk Q7-15: there is no comma after CONSTP, so the header has one column less
 * than the rows.
 */
static void put_component_names(struct bytes *b)
{
	bytes_puts(b, "power,");
	for (unsigned i = 0; i < N_POWER_COMPONENTS; i++)
		bytes_printf(b, "%s%s", power_component_names[i], i < POWER_CONSTP ? "," : "");
	bytes_puts(b, "\n");
}

void power_files_write_headers(const struct power_meter *m)
{
	const struct power_setup *s = m->setup;
	struct bytes b = {0};

	if (s->power_trace) {
		put_component_names(&b);
		put_gzip_member_and_free(s->power_trace, &b, s->level);
		put_counter_names(&b);
		put_gzip_member_and_free(s->metric_trace, &b, s->level);
	}
	if (s->steady_file) {
		bytes_puts(&b, "start,end,power,IPC,");
		put_counter_names(&b);
		put_gzip_member_and_free(s->steady_file, &b, s->level);
	}
}

static void write_power_values(struct bytes *b, const double *v, unsigned n, double divisor)
{
	for (unsigned i = 0; i < n; i++) {
		bytes_fixed(b, v[i] / divisor, 0, 6);
		bytes_puts(b, ",");
	}
}

void power_files_write_row(const struct power_meter *m, const struct power_sample *p)
{
	const struct power_setup *s = m->setup;
	struct bytes b = {0};

	if (!s->power_trace)
		return;
	write_power_values(&b, &p->total, 1, 1);
	write_power_values(&b, p->watt, N_POWER_COMPONENTS, 1);
	bytes_puts(&b, "\n");
	put_gzip_member_and_free(s->power_trace, &b, Z_DEFAULT_COMPRESSION);
	write_power_values(&b, p->count, N_POWER_COUNTERS, 1);
	bytes_puts(&b, "\n");
	put_gzip_member_and_free(s->metric_trace, &b, Z_DEFAULT_COMPRESSION);
}

/* ---- steady states (POWER-file-3) ------------------------------------------------------------------- */

/* Writes the open steady state as a row. insts: thread instructions of the run so far. */
static void write_steady_row(struct power_meter *m, uint64_t insts)
{
	const struct power_setup *s = m->setup;
	struct power_steady *y = &m->steady;
	struct bytes b = {0};

	y->written = true;
	bytes_printf(&b, "%u,%d,", y->start, (int)y->n_samples);
	write_power_values(&b, &y->sum, 1, y->n);
	bytes_fixed(&b, (double)(insts - y->insts) / ((double)y->n * s->interval), 0, 6);
	bytes_puts(&b, ",");
	write_power_values(&b, y->count, N_POWER_COUNTERS, y->n);
	bytes_puts(&b, "\n");
	put_gzip_member_and_free(s->steady_file, &b, Z_DEFAULT_COMPRESSION);
}

void power_steady_end(struct power_meter *m, uint64_t insts, bool at_block)
{
	struct power_steady *y = &m->steady;
	struct bytes b = {0};

	if (!m->setup->steady_file)
		return;
	if (y->n > m->setup->steady_samples) {
		write_steady_row(m, insts);
	} else if (at_block && !y->written) {
		bytes_puts(&b, "ERROR! Not enough steady state points to generate average\n");
		put_gzip_member_and_free(m->setup->steady_file, &b, Z_DEFAULT_COMPRESSION);
	}
	y->n = y->start = 0;
	y->insts = insts;
}

/* Adds a sample to the open steady state. quirk Q7-16: the sample that ends a steady state belongs to no state. */
void power_steady_sample(struct power_meter *m, const struct power_sample *p, uint64_t insts)
{
	struct power_steady *y = &m->steady;

	if (!m->setup->steady_file)
		return;
	if (!y->n) {
		y->start = y->n_samples;
		y->sum = 0;
		y->insts = insts;
		memset(y->count, 0, sizeof(y->count));
	} else if (!(fabs(p->dynamic - y->sum / y->n) < m->setup->steady_deviation)) {
		power_steady_end(m, insts, false);
		y->n_samples++;
		return;
	}
	y->n++;
	y->sum += p->dynamic;
	for (unsigned i = 0; i < N_POWER_COUNTERS; i++)
		y->count[i] += p->count[i];
	y->n_samples++;
}
