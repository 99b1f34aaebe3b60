/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Unit tests of configurations: reading, places of faults, rejected values, dumps, and the parameters derived
 * from them.
 *
 * The tests change a few options of a small built-in configuration. The supplied configurations are tested if
 * examples/gpus is found ($WARPTOOLS_GPUS, or below the current directory).
 */
#include <sys/stat.h>
#include "config_cases.h"
#include "params.h"
#include "tap.h"

/* A GPU of four clusters of two SMs, two schedulers, sub-core model, adaptive L1, four channels of two slices. */
static const char small[] =
	"-gpgpu_n_clusters 4 -gpgpu_n_cores_per_cluster 2 -gpgpu_n_mem 4\n"
	"-gpgpu_n_sub_partition_per_mchannel 2 -gpgpu_clock_domains 1000:900.5:800:700\n"
	"-gpgpu_shader_core_pipeline 512:32 -gpgpu_num_sched_per_core 2 -gpgpu_scheduler lrr\n"
	"-gpgpu_pipeline_widths 2,2,2,2,2,2,2,2,2,2,4,2,2\n"
	"-gpgpu_num_sp_units 2 -gpgpu_num_dp_units 2 -gpgpu_num_int_units 2 -gpgpu_num_sfu_units 2\n"
	"-gpgpu_tensor_core_avail 1 -gpgpu_num_tensor_core_units 2 -gpgpu_sub_core_model 1\n"
	"-gpgpu_enable_specialized_operand_collector 0 -gpgpu_operand_collector_num_units_gen 4\n"
	"-gpgpu_operand_collector_num_in_ports_gen 4 -gpgpu_operand_collector_num_out_ports_gen 4\n"
	"-ptx_opcode_latency_int 4,6,4,5,145 -ptx_opcode_latency_fp 4,6,4,5,39\n"
	"-ptx_opcode_latency_dp 8,12,8,8,330 -specialized_unit_1 1,2,4,2,2,BRA\n"
	"-gpgpu_shmem_size 65536 -gpgpu_adaptive_cache_config 1 -gpgpu_shmem_option 64,0,32\n"
	"-gpgpu_unified_l1d_size 128 -gpgpu_cache:dl1 S:4:128:64,L:T:m:L:L,A:256:8,16:0,32\n"
	"-gpgpu_flush_l1_cache 1 -gpgpu_coalesce_arch 70 -gpgpu_shmem_warp_parts 1\n"
	"-gpgpu_cache:il1 N:64:128:4,L:R:f:N:L,S:2:48,4 -gpgpu_const_cache:l1 N:32:64:4,L:R:f:N:L,S:2:64,4\n"
	"-gpgpu_tex_cache:l1 N:4:128:8,L:R:m:N:L,T:16:8,128:2\n"
	"-gpgpu_cache:dl2 S:32:128:8,L:B:m:L:P,A:64:4,32:0,32 -network_mode 2\n"
	"-gpgpu_frfcfs_dram_sched_queue_size 16 -gpgpu_dram_return_queue_size 16\n"
	"-gpgpu_mem_addr_mapping "
	"dramid@8;00000000.00000000.00000000.00000000.0000RRRR.RRRRRRRR.RBBBCCCC.BCCSSSSS\n"
	"-gpgpu_dram_timing_opt \"nbk=16:CCD=2:RRD=3:RCD=12:RAS=28:RP=12:RC=40:\n"
	"\t CL=12:WL=2:CDLR=3:WR=10:nbkgrp=4:CCDL=2:RTPL=3\"\n"
	"-dram_bnkgrp_indexing_policy 1\n";

static int read_text(struct gpuconf *c, const char *text, struct fault *f)
{
	FILE *in = fmemopen((void *)text, strlen(text), "r");
	int rc = gpuconf_stream(c, in, "t", f);

	fclose(in);
	return rc;
}

/* Applies overrides, one per line. */
static int apply_overrides(struct gpuconf *c, const char *changes, struct fault *f)
{
	char one[512];

	while (*changes) {
		size_t n = strcspn(changes, "\n");
		snprintf(one, sizeof(one), "%.*s", (int)n, changes);
		if (gpuconf_override(c, one, f) < 0)
			return -1;
		changes += n + (changes[n] == '\n');
	}
	return 0;
}

/* Builds the small configuration with changes. Returns -1 and sets *f if a step rejects it. */
static int build_params(struct gpuconf *c, struct params *p, const char *changes, struct fault *f)
{
	gpuconf_init(c);
	if (read_text(c, small, f) < 0 || apply_overrides(c, changes, f) < 0)
		return -1;
	return params_init(p, c, f);
}

static char *dump_of(const struct gpuconf *c)
{
	char *text = NULL;
	size_t n = 0;
	FILE *out = open_memstream(&text, &n);

	gpuconf_dump(c, out);
	fclose(out);
	return text;
}

/* ---- the table ------------------------------------------------------------------------------------ */

static void test_table(void)
{
	bool found = true, bounded = true, helped = true;
	int own_options = 0; /* number of options that Accel-Sim does not have */
	struct gpuconf c;

	gpuconf_init(&c);
	for (int i = 0; i < N_OPTIONS; i++) {
		const struct conf_row *row = &conf_rows[i];
		own_options +=
			!strncmp(row->name, "-l2_sides", 9) || !strncmp(row->name, "-l2_far_", 8) ||
			!strncmp(row->name, "-core_", 6) || !strncmp(row->name, "-dram_refresh_", 14) ||
			!strcmp(row->name, "-icnt_cluster_ports") || !strcmp(row->name, "-l2_fetch_pairs") ||
			!strcmp(row->name, "-ptx_vector_access") || !strcmp(row->name, "-ptx_streams");
		found &= row->name[0] == '-' && conf_find(row->name) == i && conf_find(row->name + 1) == i;
		if (row->type != CONF_STRING)
			bounded &= c.value[i].number >= row->min && c.value[i].number <= row->max;
		helped &= row->help[0] && row->unit[0] && row->help[strlen(row->help) - 1] != '.';
	}
	ok(N_OPTIONS - own_options == 237, "each of the 237 options of Accel-Sim has a row (found %d)",
		N_OPTIONS - own_options);
	ok(found, "each option name is unique and is found with and without its dash");
	ok(bounded, "the default of each option is in its range");
	ok(helped, "each option has a unit and a help text without a final dot");
	ok(conf_find("-gpgpu_n_cluster") == -1 && conf_find("") == -1, "an unknown option name is not found");
	gpuconf_free(&c);

	char *text = NULL;
	size_t n = 0, lines = 0;
	FILE *out = open_memstream(&text, &n);
	gpuconf_list(out);
	fclose(out);
	for (size_t i = 0; i < n; i++)
		lines += text[i] == '\n';
	ok(lines == N_OPTIONS + 1, "the list of options has a heading and one line for each option");
	free(text);
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static void test_values(void)
{
	static const char text[] = "\xef\xbb\xbf# a comment\r\n"
				   "-gpgpu_n_clusters 0x10 -gpgpu_n_mem 010 # 16 and 8\r\n"
				   "\t-gpgpu_scheduler\n"
				   "   gto\n"
				   "-gpgpu_warpdistro_shader -1 -gpgpu_max_cycle 0x7fffffffffffffff\n"
				   "-gpgpu_dram_timing_opt \"nbk=16: # the rest follows\n"
				   "   CCD=2  RRD=8\" -trace \"\" -hw_perf_bench_name \"-config\"\n"
				   "-gpgpu_n_mem 12#and so on\n"
				   "-gpgpu_icnt_nonsense_";
	struct gpuconf c;
	struct fault f = {0};

	gpuconf_init(&c);
	ok(read_text(&c, text, &f) == -1 && f.place.line == 9 && f.place.col == 1,
		"a last line without a newline is read");
	is_number(conf_num(&c, OPT_gpgpu_n_clusters), 16, "a value that begins with 0x is hexadecimal");
	is_number(conf_num(&c, OPT_gpgpu_n_mem), 12,
		"the last value of an option is used, and a comment ends it");
	is_number(conf_num(&c, OPT_gpgpu_warpdistro_shader), -1, "a negative value is read");
	is_number(conf_num(&c, OPT_gpgpu_max_cycle), INT64_MAX, "the largest 64-bit value is read");
	is_text(conf_text(&c, OPT_gpgpu_scheduler), "gto", "the value of an option may be on the next line");
	is_text(conf_text(&c, OPT_gpgpu_dram_timing_opt), "nbk=16: CCD=2 RRD=8",
		"a quoted value may contain several words and lines");
	is_text(conf_text(&c, OPT_trace), "", "an empty quoted value is read");
	is_text(conf_text(&c, OPT_hw_perf_bench_name), "-config", "a quoted value may begin with a dash");
	const struct place *at = &c.value[OPT_gpgpu_n_clusters].place;
	ok(at->line == 2 && at->col == 19 && !strcmp(at->file, "t"),
		"a value has its place in the file (%llu:%u)", (unsigned long long)at->line, at->col);
	at = &c.value[OPT_gpgpu_scheduler].place;
	ok(at->line == 4 && at->col == 4, "a value on the line after its option has its own place (%llu:%u)",
		(unsigned long long)at->line, at->col);
	ok(!c.value[OPT_gpgpu_num_sp_units].place.file, "a default value has no place");
	gpuconf_free(&c);
}

static void test_rejected_text(void)
{
	static const struct {
		const char *text, *id;
		unsigned line, col;
		const char *says;
	} row[] = {
		{"-gpgpu_n_cluster 3", "conf-option", 1, 1, "'-gpgpu_n_clusters'"},
		{"\n -smem_latency 3", "conf-option", 2, 2, "'-gpgpu_smem_latency'"},
		{"-gpgpu_sub_core_model\n-gpgpu_n_mem 3", "conf-value", 1, 1, "bare flag"},
		{"-gpgpu_sub_core_model -x", "conf-value", 1, 23, "expected 0 or 1"},
		{"-gpgpu_sub_core_model 2", "conf-value", 1, 23, "expected 0 or 1"},
		{"-gpgpu_n_mem 3 -gpgpu_sub_core_model", "conf-value", 1, 16, "end of the file"},
		{"-gpgpu_n_mem", "conf-value", 1, 1, "missing value"},
		{"-gpgpu_scheduler -config", "conf-value", 1, 1, "'-config'"},
		{"-gpgpu_n_mem 12abc", "conf-value", 1, 14, "'12abc'"},
		{"-gpgpu_n_mem 08", "conf-value", 1, 14, "octal"},
		{"-gpgpu_n_mem 0x", "conf-value", 1, 14, "'0x'"},
		{"-gpgpu_n_mem -", "conf-value", 1, 14, "whole number"},
		{"-gpgpu_n_mem -1", "conf-value", 1, 14, "from 1"},
		{"-gpgpu_n_mem 1.5", "conf-value", 1, 14, "whole number"},
		{"-gpgpu_n_mem 4294967297", "conf-value", 1, 14, "whole number"},
		{"-gpgpu_n_mem 99999999999999999999999999", "conf-value", 1, 14, "whole number"},
		{"-gpgpu_n_mem \"\"", "conf-value", 1, 14, "''"},
		{"-gpgpu_simd_model 2", "conf-value", 1, 19, "expected 1"},
		{"gpgpu_n_mem 3", "conf-syntax", 1, 1, "expected an option"},
		{"\"-gpgpu_n_mem\" 3", "conf-syntax", 1, 1, "expected an option"},
		{"- 3", "conf-syntax", 1, 1, "expected an option"},
		{"-trace \"a\nb", "conf-syntax", 1, 8, "quote"},
		{"-trace \"", "conf-syntax", 1, 8, "quote"},
		{"-trace a\001b", "conf-syntax", 1, 9, "0x01"},
		{"-config /nonexistent/x", "conf-open", 1, 9, "/nonexistent/x"},
		{"-config /", "conf-open", 1, 9, "directory"},
		{"-config", "conf-value", 1, 1, "missing value"},
		{"\xef\xbb-gpgpu_n_mem 3", "conf-syntax", 1, 1, "byte 0xef"},
	};
	struct gpuconf c;
	struct fault f;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		f = (struct fault){0};
		gpuconf_init(&c);
		bool rejected = read_text(&c, row[i].text, &f) == -1;
		bool good = rejected && !strcmp(f.id, row[i].id) && f.place.line == row[i].line &&
			    f.place.col == row[i].col && strstr(f.text, row[i].says);
		if (!ok(good, "invalid text %zu is rejected with its fault and place", i))
			printf("# %s\n# %s:%llu:%u: %s\n", row[i].text, f.id ? f.id : "accepted",
				(unsigned long long)f.place.line, f.place.col, f.text);
		gpuconf_free(&c);
	}
}

static void test_long_text(void)
{
	size_t n = 20u << 20;
	char *text = malloc(n + 1);
	struct gpuconf c;
	struct fault f = {0};

	memset(text, 'x', n);
	memcpy(text, "-trace ", 7);
	text[5000] = '\0';
	gpuconf_init(&c);
	ok(read_text(&c, text, &f) == -1 && !strcmp(f.id, "conf-syntax"),
		"a token of 5000 bytes is rejected");
	memset(text, '\n', n);
	text[n] = '\0';
	ok(read_text(&c, text, &f) == -1 && strstr(f.text, "MiB"),
		"a file of 20 MiB of newlines is rejected");
	FILE *in = fmemopen((char[]){'-', 't', 0, 'x'}, 4, "r");
	ok(gpuconf_stream(&c, in, "t", &f) == -1 && f.place.col == 3, "a NUL byte is rejected");
	fclose(in);
	gpuconf_free(&c);
	free(text);
}

static void put_config_file(const char *path, const char *text)
{
	FILE *out = fopen(path, "w");

	if (!out || fputs(text, out) < 0 || fclose(out))
		abort();
}

static void test_files(void)
{
	char dir[] = "/tmp/test_config.XXXXXX", path[64], sub[64];
	struct gpuconf c;
	struct params p;
	struct fault f;

	if (!mkdtemp(dir))
		abort();
	snprintf(sub, sizeof(sub), "%s/sub dir", dir);
	mkdir(sub, 0777);
	snprintf(path, sizeof(path), "%s/sub dir/in.config", dir);
	put_config_file(path, "-gpgpu_n_mem 5\n-gpgpu_n_mm 4\n");
	snprintf(path, sizeof(path), "%s/self.config", dir);
	put_config_file(path, "-config self.config -config self.config");
	snprintf(path, sizeof(path), "%s/out.config", dir);
	put_config_file(path, "-gpgpu_n_clusters 7 -config \"sub dir/in.config\" -gpgpu_n_mem 6");

	gpuconf_init(&c);
	ok(gpuconf_file(&c, path, &f) == -1 && f.place.line == 2 && strstr(f.place.file, "sub dir/in.config"),
		"an included file is found in the directory of the including file");
	snprintf(sub, sizeof(sub), "%s/sub dir/in.config", dir);
	put_config_file(sub, "-gpgpu_n_mem 5");
	ok(gpuconf_file(&c, path, &f) == 0 && conf_num(&c, OPT_gpgpu_n_mem) == 6 &&
			conf_num(&c, OPT_gpgpu_n_clusters) == 7,
		"an option after an included file replaces the included value");
	snprintf(path, sizeof(path), "%s/self.config", dir);
	ok(gpuconf_file(&c, path, &f) == -1 && !strcmp(f.id, "conf-nest"),
		"a file that includes itself is rejected");
	ok(gpuconf_file(&c, dir, &f) == -1 && !strcmp(f.id, "conf-open") && !strcmp(f.place.file, dir),
		"a directory is rejected");
	ok(gpuconf_file(&c, "/nonexistent", &f) == -1 && !strcmp(f.id, "conf-open"),
		"a missing file is rejected");
	gpuconf_free(&c);

	snprintf(path, sizeof(path), "%s/net.config", dir);
	put_config_file(path, "-network_mode 1 -inter_config_file net.icnt");
	snprintf(sub, sizeof(sub), "%s/net.icnt", dir);
	gpuconf_init(&c);
	ok(read_text(&c, small, &f) == 0 && gpuconf_file(&c, path, &f) == 0 && params_init(&p, &c, &f) == 0,
		"network mode 1 is accepted");
	is_text(p.net.file, "net.icnt",
		"a network file that the configuration's directory lacks keeps its name");
	put_config_file(sub, "");
	ok(params_init(&p, &c, &f) == 0 && p.net.file_at.line == 1,
		"the network file option has its place in the configuration");
	is_text(p.net.file, sub, "the network file is found in the directory of the configuration");
	gpuconf_free(&c);

	unlink(sub);
	for (int i = 0; i < 4; i++) {
		static const char *const name[] = {
			"sub dir/in.config", "self.config", "out.config", "net.config"};
		snprintf(path, sizeof(path), "%s/%s", dir, name[i]);
		unlink(path);
	}
	snprintf(path, sizeof(path), "%s/sub dir", dir);
	rmdir(path);
	rmdir(dir);
}

static void test_overrides(void)
{
	static const char *const bad[] = {"", "=", "=3", "gpgpu_n_mem", "gpgpu_n_mem=", "gpgpu_n_mem=x",
		"nothing=1", "trace=a#b", "trace=a\"b", "trace=a\001b", "-config=x"};
	struct gpuconf c;
	struct fault f;

	gpuconf_init(&c);
	ok(gpuconf_override(&c, "gpgpu_n_mem=6", &f) == 0 && conf_num(&c, OPT_gpgpu_n_mem) == 6,
		"an override without a dash is accepted");
	ok(gpuconf_override(&c, "-gpgpu_cache:dl1=none", &f) == 0, "an override with a dash is accepted");
	ok(gpuconf_override(&c, "gpgpu_dram_timing_opt= nbk=16:  CCD=2 ", &f) == 0,
		"an override is split at the first '='");
	is_text(conf_text(&c, OPT_gpgpu_dram_timing_opt), "nbk=16: CCD=2",
		"blanks in an override are joined as in a file");
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		f = (struct fault){0};
		ok(gpuconf_override(&c, bad[i], &f) == -1 && !strncmp(f.place.file, "-D ", 3),
			"invalid override %zu is rejected at the place of its -D", i);
	}
	gpuconf_free(&c);
}

/* ---- dumps and the order of two options ------------------------------------------------------------- */

static void check_dump(const char *changes, bool write_queue, const char *name)
{
	struct gpuconf a, b;
	struct params p, q;
	struct fault f = {0};

	bool good = ok(
		build_params(&a, &p, changes, &f) == 0 && p.mem.dram.write_queue == write_queue, "%s", name);
	if (!good)
		printf("# %s\n", f.text);
	char *first = dump_of(&a);
	gpuconf_init(&b);
	ok(read_text(&b, first, &f) == 0, "%s: its dump is read", name);
	char *second = dump_of(&b);
	ok(!strcmp(first, second), "%s: the dump of its dump is the same", name);
	ok(params_init(&q, &b, &f) == 0 && q.mem.dram.write_queue == write_queue,
		"%s: its dump describes the same GPU", name);
	free(first);
	free(second);
	gpuconf_free(&a);
	gpuconf_free(&b);
}

static void test_dump(void)
{
	check_dump("", false, "the small GPU is accepted");
	check_dump("trace=a b\nhw_perf_bench_name=-x\ngpgpu_n_mem=010", false,
		"a value with a blank or a dash is accepted");
	check_dump("dram_dual_bus_interface=1\ndram_seperate_write_queue_enable=1", true,
		"the write queue is used if its option follows the bus option");
	check_dump("dram_seperate_write_queue_enable=1\ndram_dual_bus_interface=1", false,
		"the write queue is not used if the bus option follows its option");
	check_dump("dram_seperate_write_queue_enable=1\ndram_dual_bus_interface=257", true,
		"a bus option of 257 enables the write queue");
	check_dump("dram_dual_bus_interface=256", true, "a bus option of 256 enables the write queue");
	check_dump("dram_dual_bus_interface=257\ndram_seperate_write_queue_enable=0", false,
		"a write queue option after a bus option of 257 disables the queue");
}

/* ---- the parameters ------------------------------------------------------------------------- */

static void test_small_gpu(void)
{
	struct gpuconf c;
	struct params p;
	struct fault f = {0};

	if (!ok(build_params(&c, &p, "", &f) == 0, "the small GPU is valid"))
		printf("# %s\n", f.text);
	ok(p.sms == 8 && p.core.warps == 16 && p.core.max_issue == 2 && p.kernel_window == 1,
		"the numbers of SMs, warps, issues and kernels follow from the options");
	ok(p.hz[0] == 1000.0 * 1000000 && p.hz[1] == 900.5 * 1000000,
		"the clock frequencies follow from the clock option in MHz");
	ok(p.core.unit[UNIT_INT].depth == 512 && p.core.unit[UNIT_SP].depth == 6 &&
			p.core.unit[UNIT_SFU].depth == 330,
		"the pipeline depths of the units follow from the options");
	ok(p.core.n_specs == 1 && p.core.unit[UNIT_SPEC].units == 2,
		"the small GPU has one kind of specialized unit with two units");
	ok(p.core.latency[CLASS_BRANCH].latency == 4 && p.core.latency[CLASS_LOAD].latency == 1,
		"the latencies of branches and loads follow from the options");
	ok(p.core.n_shmem_options == 3 && p.core.shmem_option_bytes[0] == 0 &&
			p.core.shmem_option_bytes[2] == 65536,
		"the shared memory sizes are in ascending order");
	const struct cache_params *l = &p.core.l1d;
	ok(l->kind == CACHE_SECTOR && l->sets == 4 && l->ways == 64 && l->ways_max == 256 &&
			l->atom_bytes == 32 && l->write == WRITE_THROUGH && l->alloc == ALLOC_ON_MISS &&
			l->walloc == WALLOC_LAZY && l->index == INDEX_LINEAR && l->mshr == MSHR_ASSOC &&
			l->mshr_entries == 256 && l->mshr_merge == 8 && l->miss_queue == 16 &&
			l->port_bytes == 32 && l->line_log2 == 7 && l->sets_log2 == 2,
		"the parameters of the L1 data cache follow from its option");
	l = &p.core.l1t;
	ok(l->mshr == MSHR_SECTOR_TEX_FIFO && l->result_fifo == 2 && l->port_bytes == 128 &&
			l->ways_max == 32,
		"the parameters of the texture cache follow from its option");
	const struct dram_params *d = &p.mem.dram;
	ok(d->nbk == 16 && d->tRCDWR == 9 && d->tRTW == 14 && d->tWTR == 7 && d->tWTP == 14 &&
			d->atom_bytes == 16 && d->burst_cycles == 2 && d->tCCDL == 2,
		"the DRAM timing follows from its option");
	gpuconf_free(&c);
}

static void test_valid_changes(void)
{
	struct gpuconf c;
	struct params p;
	struct fault f;

	for (size_t i = 0; i < sizeof(valid_changes) / sizeof(valid_changes[0]); i++) {
		f = (struct fault){0};
		if (!ok(build_params(&c, &p, valid_changes[i], &f) == 0,
			    "valid change %zu of the small GPU is accepted", i))
			printf("# %s\n# %s\n", valid_changes[i], f.text);
		gpuconf_free(&c);
	}
}

static void test_invalid_changes(void)
{
	struct gpuconf c;
	struct params p;
	struct fault f;

	for (size_t i = 0; i < sizeof(invalid_changes) / sizeof(invalid_changes[0]); i++) {
		const char *option = invalid_changes[i].option, *at = invalid_changes[i].at;
		f = (struct fault){0};
		bool good = build_params(&c, &p, invalid_changes[i].changes, &f) < 0 &&
			    !strncmp(f.text, option, strlen(option)) && f.text[strlen(option)] == ':' &&
			    !strncmp(f.place.file, at, strlen(at)) && !strcmp(f.id, "conf-machine");
		if (!ok(good, "invalid change %zu is rejected with its option and place", i))
			printf("# %s\n# %s: %s\n", invalid_changes[i].changes,
				f.place.file ? f.place.file : "-", f.text);
		gpuconf_free(&c);
	}
}

static void test_defaults(void)
{
	struct gpuconf c;
	struct params p;
	struct fault f = {0};

	gpuconf_init(&c);
	ok(params_init(&p, &c, &f) == -1 && strstr(f.place.file, "built-in"),
		"the defaults of Accel-Sim alone are rejected");
	gpuconf_free(&c);
	ok(build_params(&c, &p, "", &f) == 0, "the small GPU is valid after a rejected configuration");
	gpuconf_free(&c);
}

/* ---- shipped configurations ------------------------------------------------------------------------- */

static void test_shipped(void)
{
	static const char *const name[] = {
#define GPU(name, chip, error) #name,
#include "arch/gpus.def"
#undef GPU
	};
	struct gpuconf c;
	struct params p;
	struct fault f;

	if (access("examples/gpus/qv100.config", R_OK) == 0)
		setenv("WARPTOOLS_GPUS", "examples/gpus", 0);
	if (!getenv("WARPTOOLS_GPUS")) {
		ok(true, "the shipped configurations are valid # SKIP no examples/gpus here");
		return;
	}
	for (size_t i = 0; i < sizeof(name) / sizeof(name[0]); i++) {
		f = (struct fault){0};
		gpuconf_init(&c);
		bool good = gpuconf_shipped(&c, name[i], &f) == 0 && params_init(&p, &c, &f) == 0;
		if (!ok(good, "the shipped configuration %s is valid", name[i]))
			printf("# %s: %s\n", f.place.file ? f.place.file : "-", f.text);
		if (good && p.net.mode == 1)
			ok(access(p.net.file, R_OK) == 0,
				"the network file of a shipped configuration is found");
		if (good && !strcmp(name[i], "titanv"))
			ok(p.mem.dram.write_queue && p.mem.dram.dual_bus,
				"the shipped TITAN V has a write queue and a dual bus");
		gpuconf_free(&c);
	}
	gpuconf_init(&c);
	ok(gpuconf_shipped(&c, "rtx9999", &f) == -1 && strstr(f.text, "rtx3070"),
		"the fault of an unknown GPU name lists the known names");
	ok(gpuconf_shipped(&c, "../gpus/qv100", &f) == -1 && gpuconf_shipped(&c, "", &f) == -1,
		"a path or an empty text is rejected as a GPU name");
	gpuconf_free(&c);
}

int main(void)
{
	test_table();
	test_values();
	test_rejected_text();
	test_long_text();
	test_files();
	test_overrides();
	test_dump();
	test_small_gpu();
	test_valid_changes();
	test_invalid_changes();
	test_defaults();
	test_shipped();
	return tap_done();
}
