/* SPDX-License-Identifier: BSD-2-Clause */
/* Unit tests of PTX opcodes in the timing model: row, class, list of latencies, space, type, vector size. */
#include <string.h>
#include "ptx.h"
#include "tap.h"

static void test_forms(void)
{
	static const struct {
		const char *opcode;
		uint8_t class, list, entry, space, elements, bytes;
		bool bypass;
	} want[] = {
		{"add.rn.ftz.f32", CLASS_SP, PTX_LIST_FP, 0, SPACE_NONE, 1, 4, false},
		{"add.f16x2", CLASS_INT, PTX_LIST_INT, 0, SPACE_NONE, 1, 4, false},
		{"fma.rn.f64", CLASS_DP, PTX_LIST_DP, 3, SPACE_NONE, 1, 8, false},
		{"mad.wide.u16", CLASS_INT, PTX_LIST_INT, 3, SPACE_NONE, 1, 2, false},
		{"max.s64", CLASS_INT, PTX_LIST_INT, 1, SPACE_NONE, 1, 8, false},
		{"mul24.lo.s32", CLASS_INT, PTX_LIST_INT, 2, SPACE_NONE, 1, 4, false},
		{"div.rn.f32", CLASS_SFU, PTX_LIST_FP, 4, SPACE_NONE, 1, 4, false},
		{"rem.u32", CLASS_SFU, PTX_LIST_INT, 4, SPACE_NONE, 1, 4, false},
		{"rcp.rn.f64", CLASS_SFU, PTX_LIST_SFU, 0, SPACE_NONE, 1, 8, false},
		{"shfl.sync.down.b32", CLASS_ALU, PTX_LIST_INT, 5, SPACE_NONE, 1, 4, false},
		{"cvt.rn.f32.s64", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 4, false},
		{"mov.b64", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 8, false},
		{"cvta.to.global.u64", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 8, false},
		{"ld.global.nc.v4.f32", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_GLOBAL, 4, 4, false},
		{"ld.param.u64", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_PARAM, 1, 8, false},
		{"ld.param::func.u64", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_LOCAL_PARAM, 1, 8, false},
		{"ld.volatile.u8", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_GENERIC, 1, 1, false},
		{"ld.global.cg.u32", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_GLOBAL, 1, 4, true},
		{"st.shared.v2.b64", CLASS_STORE, PTX_LIST_NONE, 0, SPACE_SHARED, 2, 8, false},
		{"atom.shared.add.u32", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_SHARED, 1, 4, true},
		{"cp.async.ca.shared.global", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_GLOBAL, 1, 0, false},
		{"cp.async.wait_group", CLASS_MEMBAR, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"tex.1d.v4.f32.s32", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_TEX, 4, 4, false},
		{"wmma.mma.sync.row.col.m16n16k16.f16.f16", CLASS_TENSOR, PTX_LIST_TENSOR, 0, SPACE_NONE, 1,
			2, false},
		{"wmma.load.a.sync.row.m16n16k16.shared.f16", CLASS_LOAD, PTX_LIST_NONE, 0, SPACE_SHARED, 1,
			2, false},
		{"bar.sync", CLASS_BARRIER, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"bar.warp.sync", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"barrier.cluster.arrive", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"membar.gl", CLASS_MEMBAR, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"exit", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"ret.uni", CLASS_RET, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"bra", CLASS_BRANCH, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
		{"foo.f32", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 4, false},
		{"", CLASS_ALU, PTX_LIST_NONE, 0, SPACE_NONE, 1, 0, false},
	};

	for (size_t i = 0; i < sizeof(want) / sizeof(want[0]); i++) {
		struct ptx_form f;

		ptx_form_of(&f, want[i].opcode, strlen(want[i].opcode));
		ok(f.class == want[i].class && f.list == want[i].list && f.entry == want[i].entry,
			"%s has class %s, latency list %u, entry %u", want[i].opcode,
			isa_class_name((enum isa_class)f.class), f.list, f.entry);
		ok(f.space == want[i].space && f.elements == want[i].elements && f.bytes == want[i].bytes &&
				f.bypasses_l1 == want[i].bypass,
			"%s: space %s, %u elements of %u bytes%s", want[i].opcode,
			ptx_space_name((enum space)f.space), f.elements, f.bytes,
			f.bypasses_l1 ? ", bypasses the L1" : "");
	}
}

static void test_rows(void)
{
	unsigned n = 0;

	for (const struct ptx_op *op; (op = ptx_op_at(n)); n++)
		if (ptx_op_find(op->stem, strlen(op->stem)) != op)
			ok(false, "the row of %s is found", op->stem);
	ok(n > 100, "each of %u rows is found by its stem", n);
	ok(!ptx_op_find("foo.add", 7), "an unknown opcode has no row");
	ok(ptx_op_find("mma.sync.aligned.m16n8k16", 25)->reason[0] != 0,
		"mma.sync is approximated and has a reason");
	ok(!ptx_op_find("wmma.mma.sync", 13)->reason[0], "wmma.mma is not approximated");
}

int main(void)
{
	test_rows();
	test_forms();
	return tap_done();
}
