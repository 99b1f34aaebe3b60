/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of the XML reader, the tables and the arithmetic of the power model. */
#include <math.h>
#include "power/meter.h"
#include "tap.h"

static struct fault fault;

static int parse_xml_with(struct power_config *c, const char *upper)
{
	char text[2000];

	snprintf(text, sizeof(text),
		"<component id=\"root\"><component id=\"system\">%s</component></component>", upper);
	power_config_init(c);
	c->own_energies = true; /* the XML then needs no hardware part */
	return power_xml_parse(c, "x", text, strlen(text), NULL, NULL, &fault);
}

static void test_xml(void)
{
	struct power_config c;

	is_number(parse_xml_with(&c, ""), 0, "an XML file with an empty system is accepted");
	ok(c.factor[POWER_TOT_INST] == 1 && c.constant_watt == 1,
		"factors and the constant power are 1 by default");
	ok(c.idle_sm_watt == 0 && c.lanes[POWER_STATIC_cat1].first_watt == 0,
		"static and idle power are 0 by default");
	parse_xml_with(&c, "<param name=\"FP_ACC\" value=\"2\"/><param name=\"FP_ACC\" value=\"0.5f\"/>");
	ok(c.factor[POWER_FPU_ACC] == 0.5,
		"the last param of a name counts, and text after its number is ignored");
	parse_xml_with(&c, "<param name=\"constant_power\" value=\"32\"/>");
	ok(c.constant_watt == 32 && c.factor[POWER_constant_power] == 1,
		"constant_power sets the constant watts and no factor");
	parse_xml_with(&c, "<component id=\"system.x\"><param name=\"TOT_INST\" value=\"9\"/></component>");
	ok(c.factor[POWER_TOT_INST] == 1, "a param of a nested component is not a factor");
	parse_xml_with(&c, "<stat name=\"TOT_INST\" value=\"9\"/>");
	ok(c.factor[POWER_TOT_INST] == 1, "a stat is not a factor");
	parse_xml_with(&c,
		"<param name=\"static_cat2_flane\" value=\"18\"/><param name=\"static_cat2_addlane\" value=\"0.5\"/>");
	ok(c.lanes[POWER_STATIC_cat2].first_watt == 18 && c.lanes[POWER_STATIC_cat2].more_watt == 0.5,
		"static_cat2_flane and _addlane set the watts of the lanes");
	is_number(parse_xml_with(&c, "<param name=\"TOT_INST\" value=\"\"/>"), -1,
		"a param without a number is rejected");
	is_text(fault.id, "power-xml", "the fault of a param without a number has its id");
	ok(fault.place.line == 1 && fault.place.col == 45,
		"the fault of a param without a number has its place");
	power_config_init(&c);
	is_number(power_xml_parse(&c, "x", "<component id=\"root\"><component id=\"system\"/></component>",
			  57, NULL, NULL, &fault),
		-1, "an XML file without the hardware part is rejected");
	is_text(fault.id, "power-hardware", "the fault of a missing hardware part has its id");
}

static void test_table(void)
{
	static const char text[] =
		"b,,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,9.5,1\n"
		"c,k,2,1,1,1,1,1,1,1,1,1,1,1,1,1,1,9,1\r\nc,l,3,1,1,1,1,1,1,1,1,1,1,1,1,1,1,9,1";
	struct power_hw_table t = {.n = 0};

	is_number(power_hw_parse(&t, "t", text, sizeof(text) - 1, &fault), 0,
		"a table of hardware power is read");
	is_number(t.n, 3, "a table of hardware power has three rows");
	ok(power_hw_find(&t, "b", "any") == &t.row[0], "a row with an empty kernel name matches any kernel");
	ok(power_hw_find(&t, "c", "l") == &t.row[2], "a row is found by the name of its kernel");
	ok(power_hw_find(&t, "c", "m") == &t.row[1], "an unknown kernel has the first row of its benchmark");
	ok(!power_hw_find(&t, "d", "k"), "an unknown benchmark has no row");
	power_hw_free(&t);
}

/* ---- arithmetic ---------------------------------------------------------------------------------------- */

static const struct power_gpu gpu = {1000, 10};

static struct power_sample sample_of(const struct power_config *c, enum power_counter i, double n)
{
	struct power_sample s = {.cycles = 500, .threads = 0};

	s.count[i] = n;
	power_model(c, &gpu, &s);
	return s;
}

static void test_components(void)
{
	struct power_config c;
	struct power_sample s;

	power_config_init(&c);
	c.factor[POWER_TOT_INST] = 10;
	s = sample_of(&c, POWER_TOT_INST, 500);
	ok(fabs(s.watt[POWER_IBP] - 5000 * c.energy[POWER_ENERGY_inst_buffer] / 5e-7) < 1e-15,
		"a factor scales the energy of its component");
	ok(s.watt[POWER_MCP] == c.energy[POWER_ENERGY_mc_background_watt],
		"an idle memory controller has its background power");
	c.factor[POWER_INT_ACC] = 7;
	s = sample_of(&c, POWER_INT_ACC, 500);
	ok(fabs(s.watt[POWER_INTP] - 500 * c.energy[POWER_ENERGY_int] / 5e-7) < 1e-15,
		"a unit's factor is part of its count and does not scale its energy");
	s = sample_of(&c, POWER_DC_RM, -500);
	ok(s.watt[POWER_DCP] < 0, "a negative number of misses gives negative power");
	s = sample_of(&c, POWER_TENSOR_ACC, 500);
	ok(s.watt[POWER_TENSORP] > 0 && s.watt[POWER_TEXP] == 0 && s.watt[POWER_DP_DIVP] == 0,
		"tensor accesses give tensor power and no texture or division power");
	ok(fabs(s.total - s.dynamic - 1) < 1e-12, "the total power includes the constant power");
	c.reference_volt = 0.5;
	power_model_scale_voltage(&c, 1, &s);
	ok(s.watt[POWER_CONSTP] == 4 && s.total == s.dynamic + 4,
		"voltage scaling leaves the dynamic power in the total unchanged");
}

static double static_power_of(struct power_config *c, const enum power_counter *set, unsigned n, double lanes)
{
	struct power_sample s = {.cycles = 500, .threads = lanes};

	for (unsigned i = 0; i < n; i++)
		s.count[set[i]] = 1;
	s.count[POWER_IDLE_CORE_N] = 5;
	power_model(c, &gpu, &s);
	return s.watt[POWER_STATICP];
}

static void test_static(void)
{
	static const enum power_counter fp[] = {POWER_FPU_ACC, POWER_DPU_ACC, POWER_FP_EXP_ACC},
					mul[] = {POWER_INT_DIV_ACC},
					tensor[] = {POWER_FP_MUL_ACC, POWER_TENSOR_ACC},
					alone[] = {POWER_DPU_ACC}, tex[] = {POWER_FP_MUL_ACC, POWER_TEX_ACC};
	struct power_config c;

	power_config_init(&c);
	for (unsigned i = 0; i < N_POWER_STATICS; i++)
		c.lanes[i] = (struct power_lanes){100 * (i + 1), 1};
#define ROW(id) (100 * (POWER_STATIC_##id + 1) / 2.0)
	ok(static_power_of(&c, NULL, 0, 0) == ROW(l1),
		"without used units, static power is the L1's row for the active SMs");
	ok(static_power_of(&c, NULL, 0, 1) == ROW(intadd),
		"static power with integer additions only is the row intadd");
	ok(static_power_of(&c, mul, 1, 1) == ROW(cat1), "static power with multiplications is the row cat1");
	ok(static_power_of(&c, fp, 1, 1) == ROW(cat2), "static power with floating point is the row cat2");
	ok(static_power_of(&c, fp, 2, 1) == ROW(cat3),
		"static power with single and double precision is the row cat3");
	ok(static_power_of(&c, fp, 3, 1) == ROW(geomean),
		"static power with more kinds of units is the mean");
	ok(static_power_of(&c, tensor, 2, 1) == ROW(cat6), "static power with tensor cores is the row cat6");
	ok(static_power_of(&c, tex, 2, 1) == ROW(cat5), "static power with textures is the row cat5");
	ok(static_power_of(&c, alone, 1, 1) == ROW(geomean),
		"static power with double precision only is the mean");
	ok(static_power_of(&c, fp, 1, 2.5) == ROW(cat2) + 1,
		"the number of lanes of static power is rounded up");
}

static void test_sums(void)
{
	struct power_sums s = {.n = 0};
	struct power_sample a = {.total = 50}, b = {.total = 40}, c = {.total = 60};

	a.watt[POWER_IBP] = 1;
	b.watt[POWER_IBP] = 9;
	power_sums_add(&s, &a);
	power_sums_add(&s, &b);
	power_sums_add(&s, &c);
	ok(s.n == 3 && s.total == 150, "the sums of three samples have their number and total");
	ok(s.highest.total == 60 && s.highest.watt[POWER_IBP] == 0,
		"the highest sample has the watts of the greatest total");
	ok(s.lowest.total == 40 && s.lowest.watt[POWER_IBP] == 9,
		"the lowest sample has the watts of the least total");
}

static void test_classes(void)
{
	struct inst in = {.opcode = "IMAD.MOV.U32", .class = CLASS_INT};
	struct power_op op;

	power_op_make(&op, &in, 2);
	is_number(op.unit, POWER_INT_MUL_ACC - POWER_UNIT_FIRST, "IMAD.MOV.U32 counts as a multiplication");
	in.opcode = "IMAD.MOV";
	power_op_make(&op, &in, 2);
	is_number(op.unit, 0, "IMAD.MOV does not count as a multiplication");
	in = (struct inst){.opcode = "MUFU.TANH", .class = CLASS_SFU};
	power_op_make(&op, &in, 1);
	ok(op.unit == POWER_FP_SIN_ACC - POWER_UNIT_FIRST && op.floating, "MUFU.TANH counts as a sine");
	in = (struct inst){.opcode = "LDC", .class = CLASS_ALU};
	power_op_make(&op, &in, 1);
	ok(op.unit == POWER_NO_UNIT && op.load_constant && op.floating,
		"LDC counts as a constant load of no unit");
	ok(power_ptx_is_floating("cvt.u32.f32", 11) && !power_ptx_is_floating("cvt.f32.u32", 11),
		"the second type of a PTX cvt decides whether it is floating point");
	ok(power_ptx_is_floating("ld.global.f32", 13) && !power_ptx_is_floating("bra", 3),
		"a PTX load of f32 is floating point, and a branch is not");
}

static void test_register_lanes(void)
{
	struct power_tables t = {.gating_group = 0};

	is_number(power_register_lanes(&t, 1), 32, "without gating, a register access counts 32 lanes");
	t.gating_group = 8;
	is_number(power_register_lanes(&t, 0x10001), 16, "lanes in two groups of 8 count 16 lanes");
	t.gating_group = 64;
	is_number(power_register_lanes(&t, 1), 64, "a gating group of 64 lanes counts 64 lanes");
}

int main(void)
{
	test_xml();
	test_table();
	test_components();
	test_static();
	test_sums();
	test_classes();
	test_register_lanes();
	return tap_done();
}
