/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The AccelWattch XML file (POWER-xml). Its upper part has coefficients. Its hardware part must equal hardware.def,
 * to which the energies belong, unless the user gave a table of energies.
 *
 * Always true: memory and depth are bounded. A document type declaration is rejected, and with it every entity.
 */
#include <expat.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#define XXH_STATIC_LINKING_ONLY
#include <xxhash.h>
#include "power_int.h"

static const struct hardware_row {
	const char *component, *name, *value;
} hardware_rows[] = {
#define HARDWARE(component, name, value) {component, name, value},
#include "hardware.def"
#undef HARDWARE
};
#define N_HARDWARE (sizeof(hardware_rows) / sizeof(*hardware_rows))

#define ID_MAX 64 /* size of a component's id in bytes */

struct xml_reader {
	XML_Parser parser;
	struct power_config *config;
	const char *file;
	void (*each)(void *ctx, const struct power_param *p);
	void *ctx;
	struct fault *fault;
	bool failed;                      /* true after a fault */
	unsigned depth;                   /* number of open components */
	bool in_leaf;                     /* true while the position is inside of param or stat */
	char id[POWER_DEPTH_MAX][ID_MAX]; /* ids of the open components */
	bool system_seen;                 /* true after the system component began */
	bool public;                      /* true if the hardware part equals the public one byte for byte */
	uint64_t line[N_HARDWARE];        /* line of each param, or of the last such one; 0: none */
	uint32_t column[N_HARDWARE];      /* column of each param */
	bool equals_row[N_HARDWARE];      /* true if the param has the row's value */
	char other_value[N_HARDWARE][ID_MAX]; /* values of the file that differ from the rows */
};

static struct place xml_place(const struct xml_reader *r)
{
	return (struct place){.file = r->file,
		.line = XML_GetCurrentLineNumber(r->parser),
		.col = (uint32_t)XML_GetCurrentColumnNumber(r->parser) + 1};
}

/* Stops parsing. The caller has set the fault; the first fault is kept. */
static void stop_parsing(struct xml_reader *r)
{
	r->failed = true;
	XML_StopParser(r->parser, XML_FALSE);
}

static const char *xml_attribute(const char **atts, const char *name)
{
	for (; *atts; atts += 2)
		if (!strcmp(*atts, name))
			return atts[1];
	return NULL;
}

/*
 * ---- the upper part of the XML file (POWER-xml-2) ----------------------------------------------------------------
 */

struct upper_row {
	const char *name;
	size_t offset; /* offset of the member in struct power_config */
	bool used;     /* whether the model uses the coefficient */
};

#define FACTOR(id) offsetof(struct power_config, factor) + POWER_##id * sizeof(double)
#define LANES(id)  offsetof(struct power_config, lanes) + POWER_STATIC_##id * sizeof(struct power_lanes)
#define MORE       offsetof(struct power_lanes, more_watt)

static const struct upper_row upper_rows[] = {
#define COUNTER(id)      {#id, FACTOR(id), true},
#define UNIT(id, factor) {factor, FACTOR(id), true},
#define STATIC(id, used) \
	{"static_" #id "_flane", LANES(id), used}, {"static_" #id "_addlane", LANES(id) + MORE, used},
#include "names.def"
	{"constant_power", offsetof(struct power_config, constant_watt), true},
	{"idle_core_power", offsetof(struct power_config, idle_sm_watt), true},
	{"modeled_chip_voltage_ref", offsetof(struct power_config, reference_volt), true},
};
#define N_UPPER (sizeof(upper_rows) / sizeof(*upper_rows))

/*
 * Returns the row of a name. Searches from the end, because constant_power is both a counter and a coefficient, and
 * here means the coefficient.
 */
static const struct upper_row *find_coefficient_row(const char *name)
{
	for (size_t i = N_UPPER; i-- > 0;)
		if (!strcmp(upper_rows[i].name, name))
			return &upper_rows[i];
	return NULL;
}

static int find_hardware(const char *component, const char *name)
{
	for (size_t i = 0; i < N_HARDWARE; i++)
		if (!strcmp(hardware_rows[i].name, name) && !strcmp(hardware_rows[i].component, component))
			return (int)i;
	return -1;
}

static bool find_coefficient(const char *component, const char *name, enum power_energy *out)
{
	static const struct {
		const char *name;
		enum power_energy energy; /* energy that the coefficient replaces */
	} rows[] = {{"dram_rd_coeff", POWER_ENERGY_dram_read}, {"dram_wr_coeff", POWER_ENERGY_dram_write},
		{"dram_pre_coeff", POWER_ENERGY_dram_precharge}};

	for (size_t i = 0; !strcmp(component, "system.mc") && i < sizeof(rows) / sizeof(*rows); i++)
		if (!strcmp(rows[i].name, name)) {
			*out = rows[i].energy;
			return true;
		}
	return false;
}

/* Parses the number of a param. Ignores trailing text, as the original does ("3.8e-8f"). */
static bool parse_param_value(struct xml_reader *r, const char *name, const char *text, double *out)
{
	char q[64];
	const char *end;

	if (power_read_number(text, &end, out))
		return true;
	fault_set(r->fault, xml_place(r), "power-xml", "invalid value '%s' of %s (expected a number)",
		diag_quote(q, sizeof(q), text, strlen(text)), name);
	stop_parsing(r);
	return false;
}

static void report_param(
	struct xml_reader *r, const char *component, const char *name, double value, bool used)
{
	if (r->each)
		r->each(r->ctx, &(struct power_param){component, name, value, used, xml_place(r)});
}

/* Records a param of the hardware part. Compares values as numbers if possible, else as texts. */
static void record_hardware_param(struct xml_reader *r, int row, const char *value)
{
	const char *want = hardware_rows[row].value, *end_a, *end_b;
	double a, b;

	r->line[row] = xml_place(r).line;
	r->column[row] = xml_place(r).col;
	r->equals_row[row] = !strcmp(want, value) ||
			     (power_read_number(want, &end_a, &a) && power_read_number(value, &end_b, &b) &&
				     a == b && !*end_a && !*end_b);
	diag_quote(r->other_value[row], ID_MAX, value, strlen(value));
}

static void apply_param(struct xml_reader *r, const char *name, const char *value)
{
	const char *component = r->id[r->depth - 1];
	const struct upper_row *upper = r->depth == 2 ? find_coefficient_row(name) : NULL;
	int row = upper ? -1 : find_hardware(component, name);
	enum power_energy energy;
	double v;

	if (upper) {
		if (!parse_param_value(r, name, value, &v))
			return;
		*(double *)(void *)((char *)r->config + upper->offset) = v;
		report_param(r, component, name, v, upper->used);
	} else if (find_coefficient(component, name, &energy)) {
		if (parse_param_value(r, name, value, &v) && !r->config->own_energies)
			r->config->energy[energy] = v;
	} else if (row >= 0) {
		record_hardware_param(r, row, value);
	} else if (r->depth == 2) {
		report_param(r, component, name, NAN, false);
	}
}

/* ---- elements (POWER-xml-1) ------------------------------------------------------------------------ */

static void open_component(struct xml_reader *r, const char **atts)
{
	const char *id = xml_attribute(atts, "id");
	static const char *const outer[] = {"root", "system"};

	if (!id)
		fault_set(r->fault, xml_place(r), "power-xml", "component without an id");
	else if (strlen(id) >= ID_MAX)
		fault_set(r->fault, xml_place(r), "power-xml", "id of a component longer than %d bytes",
			ID_MAX - 1);
	else if (r->depth == POWER_DEPTH_MAX)
		fault_set(r->fault, xml_place(r), "power-xml", "components are nested more than %d deep",
			POWER_DEPTH_MAX);
	else if (r->depth < 2 && strcmp(id, outer[r->depth]) != 0)
		fault_set(r->fault, xml_place(r), "power-xml",
			"component with another id (expected id=\"%s\")", outer[r->depth]);
	else if (r->depth == 1 && r->system_seen)
		fault_set(r->fault, xml_place(r), "power-xml",
			"second component with id=\"system\" (expected one)");
	else {
		r->system_seen |= r->depth == 1;
		strcpy(r->id[r->depth++], id);
		return;
	}
	stop_parsing(r);
}

static void start_element(void *ctx, const char *element, const char **atts)
{
	struct xml_reader *r = ctx;
	const char *name = xml_attribute(atts, "name"), *value = xml_attribute(atts, "value");
	bool param = !strcmp(element, "param"), leaf = param || !strcmp(element, "stat");
	char q[64];

	if (r->failed)
		return;
	if (!r->in_leaf && !strcmp(element, "component")) {
		open_component(r, atts);
		return;
	}
	if (r->in_leaf || !leaf || r->depth < 2) {
		fault_set(r->fault, xml_place(r), "power-xml", "unexpected element '%s' (expected %s)",
			diag_quote(q, sizeof(q), element, strlen(element)),
			r->depth < 2 ? "component" : "component, param or stat");
		stop_parsing(r);
		return;
	}
	if (!name || !value) {
		fault_set(r->fault, xml_place(r), "power-xml", "element %s without attribute %s", element,
			name ? "value" : "name");
		stop_parsing(r);
		return;
	}
	r->in_leaf = true;
	if (param)
		apply_param(r, name, value);
}

static void end_element(void *ctx, const char *element)
{
	struct xml_reader *r = ctx;

	if (r->failed)
		return;
	if (!strcmp(element, "component"))
		r->depth--;
	else
		r->in_leaf = false;
}

static void reject_doctype(void *ctx, const char *name, const char *system, const char *public, int internal)
{
	struct xml_reader *r = ctx;

	(void)name, (void)system, (void)public, (void)internal;
	fault_set(r->fault, xml_place(r), "power-xml",
		"document type, which may define entities (expected none)");
	stop_parsing(r);
}

/* ---- the hardware part (POWER-xml-4) -------------------------------------------------------------- */

static int check_hardware(const struct xml_reader *r)
{
	for (size_t i = 0; i < N_HARDWARE; i++) {
		const struct hardware_row *h = &hardware_rows[i];

		if (!r->line[i])
			return fault_set(r->fault, (struct place){.file = r->file}, "power-hardware",
				"%s lacks %s (expected %s; --power-energies replaces the hardware part)",
				h->component, h->name, h->value);
		if (!r->equals_row[i])
			return fault_set(r->fault, (struct place){r->file, r->line[i], r->column[i]},
				"power-hardware",
				"%s %s is %s (expected %s, to which the energies belong; --power-energies replaces the hardware part)",
				h->component, h->name, r->other_value[i], h->value);
	}
	return 0;
}

/* From this comment on, all public files have the same bytes. This part is recognised and not parsed. */
#define PUBLIC_BEGIN "<!-- LEAVE BELOW UNCHANGED"
#define PUBLIC_BYTES 30110u
#define PUBLIC_LOW   0xca3532ab1df4b862ull
#define PUBLIC_HIGH  0xa820af67e116cf79ull

/* Returns the number of bytes before the public hardware part; n if the text does not end with it. */
static size_t bytes_before_public(const char *bytes, size_t n)
{
	XXH128_hash_t hash;
	size_t before;

	if (n < PUBLIC_BYTES || memcmp(bytes + n - PUBLIC_BYTES, PUBLIC_BEGIN, strlen(PUBLIC_BEGIN)) != 0)
		return n;
	before = n - PUBLIC_BYTES;
	hash = XXH3_128bits(bytes + before, PUBLIC_BYTES);
	return hash.low64 == PUBLIC_LOW && hash.high64 == PUBLIC_HIGH ? before : n;
}

static bool parse_xml_text(struct xml_reader *r, const char *bytes, size_t n)
{
	static const char end[] = "</component></component>";
	size_t before = bytes_before_public(bytes, n);

	r->public = before < n;
	if (!r->public)
		return XML_Parse(r->parser, bytes, (int)n, 1) == XML_STATUS_OK;
	return XML_Parse(r->parser, bytes, (int)before, 0) == XML_STATUS_OK &&
	       XML_Parse(r->parser, end, sizeof(end) - 1, 1) == XML_STATUS_OK;
}

int power_xml_parse(struct power_config *c, const char *name, const char *bytes, size_t n,
	void (*each)(void *ctx, const struct power_param *p), void *ctx, struct fault *f)
{
	struct xml_reader *r = calloc(1, sizeof(*r)); /* the struct is too large for a small stack */
	XML_Parser parser = r ? XML_ParserCreate(NULL) : NULL;
	int status = 0;

	if (!parser)
		die("out of memory");
	r->parser = parser;
	r->config = c;
	r->file = name;
	r->each = each;
	r->ctx = ctx;
	r->fault = f;
	XML_SetUserData(parser, r);
	XML_SetElementHandler(parser, start_element, end_element);
	XML_SetStartDoctypeDeclHandler(parser, reject_doctype);
	if (!parse_xml_text(r, bytes, n) && !r->failed)
		status = fault_set(f, xml_place(r), "power-xml", "malformed XML: %s",
			XML_ErrorString(XML_GetErrorCode(parser)));
	else if (r->failed)
		status = -1;
	else if (!r->system_seen)
		status = fault_set(
			f, (struct place){.file = name}, "power-xml", "no component with id=\"system\"");
	else if (!c->own_energies && !r->public)
		status = check_hardware(r);
	if (status == 0 && !(c->reference_volt > 0))
		status = fault_set(f, (struct place){.file = name}, "power-xml",
			"modeled_chip_voltage_ref is %g (expected more than 0)", c->reference_volt);
	XML_ParserFree(parser);
	free(r);
	return status;
}

int power_xml_read(struct power_config *c, const char *path,
	void (*each)(void *ctx, const struct power_param *p), void *ctx, struct fault *f)
{
	struct bytes b = {0};
	int r = power_load(&b, path, f);

	if (r == 0)
		r = power_xml_parse(c, diag_keep(path), b.p, b.n, each, ctx, f);
	bytes_free(&b);
	return r;
}
