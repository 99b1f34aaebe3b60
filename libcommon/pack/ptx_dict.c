/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The preset dictionary of the metadata of PTX. It is part of PACK_WORDED and must not change. It contains the forms
 * of "-code" lines as lines.c writes them, then common text of headers and lists. The most common text is last,
 * because near matches are the cheapest.
 */
#include "format.h"

static const char text[] =
	"-file 1 = /\nmembar.gl\nactivemask.b32 D\npopc.b32 D S\nbrev.b32 D S\nclz.b32 D S\n"
	"bfi.b32 D S S S S\nbfe.u32 D S S S\nprmt.b32 D S S S\nlop3.b32 D S S S\nshf.l.wrap.b32 D S S S\n"
	"vote.sync.ballot.b32 D S S\nshfl.sync.bfly.b32 D D S S S S\nshfl.sync.down.b32 D D S S S S\n"
	"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 D D D D S S S S S S S S S S\n"
	"ldmatrix.sync.aligned.m8n8.x4.shared.b16 D D D D A\ncp.async.cg.shared.global A A\n"
	"cp.async.commit_group\ncp.async.wait_group\n"
	"atom.global.cas.b32 D S S A\natom.shared.add.u32 D S A\nred.global.add.u32 S A\n"
	"atom.global.add.u32 D S A\natom.global.add.f32 D S A\n"
	"sin.approx.f32 D S\ncos.approx.f32 D S\nlg2.approx.f32 D S\nex2.approx.ftz.f32 D S\n"
	"ex2.approx.f32 D S\nrsqrt.approx.f32 D S\nrcp.rn.f32 D S\nsqrt.rn.f32 D S\ndiv.rn.f32 D S S\n"
	"fma.rn.f64 D S S S\nmul.f64 D S S\nadd.f64 D S S\nld.global.f64 D A\nst.global.f64 S A\nmov.f64 D\n"
	"cvt.f64.f32 D S\ncvt.f32.f64 D S\ncvt.rn.f16.f32 D S\ncvt.f32.f16 D S\ncvt.rn.f32.s32 D S\n"
	"cvt.rn.f32.u32 D S\ncvt.rzi.s32.f32 D S\ncvt.u16.u32 D S\ncvt.u32.u16 D S\n"
	"ld.volatile.shared.u32 D A\nld.local.u32 D A\nst.local.u32 S A\nld.local.f32 D A\nst.local.f32 S A\n"
	"ld.const.f32 D\nld.const.u32 D A\nst.param.b32 S s:local\nld.param.b32 D s:local\ncall\ncall.uni\n"
	"ld.global.u8 D A\nst.global.u8 S A\nld.global.s8 D A\nld.global.u16 D A\nst.global.u16 S A\nmov.b16 D S\n"
	"ld.global.v4.u32 D D D D A\nst.global.v4.u32 V V V V A\nld.global.v2.f32 D D A\nst.global.v2.f32 V V A\n"
	"ld.shared.v4.f32 D D D D A\nld.global.v4.f32 D D D D A\nst.global.v4.f32 V V V V A\n"
	"ld.global.nc.u32 D A\nld.global.nc.f32 D A\nld.global.u64 D A\nst.global.u64 S A\n"
	"div.s32 D S S\nrem.s32 D S S\ndiv.u32 D S S\nrem.u32 D S S\nmul.hi.u32 D S\nmul.hi.s32 D S\n"
	"min.s32 D S S\nmax.s32 D S S\nmin.f32 D S S\nmax.f32 D S S\nabs.f32 D S\nneg.f32 D S\nneg.s32 D S\n"
	"abs.s32 D S\nnot.b32 D S\nxor.b32 D S S\nor.b32 D S S\nor.b32 D S\nand.b32 D S S\nnot.pred D S\n"
	"xor.pred D S S\nand.pred D S S\nor.pred D S S\nmov.pred D\nselp.f32 D S S S\nselp.b32 D S S S\n"
	"selp.u32 D S\nshr.u64 D S\nshr.s32 D S\nshr.u32 D S\nand.b64 D S S\nor.b64 D S S\nmul.lo.s64 D S S\n"
	"mad.lo.s64 D S S S\nsub.s64 D S S\nadd.u64 D S S\nadd.u32 D S S\nadd.u32 D S\nmul.lo.u32 D S S\n"
	"sub.s32 D S S\nsub.s32 D S\nsub.f32 D S S\nsetp.leu.f32 D S S\nsetp.geu.f32 D S S\nsetp.lt.f32 D S S\n"
	"setp.gt.f32 D S S\nsetp.eq.b32 D S\nsetp.gt.u32 D S\nsetp.ge.u32 D S S\nsetp.lt.u32 D S S\n"
	"setp.lt.u32 D S\nsetp.eq.u32 D S\nsetp.le.s32 D S S\nsetp.eq.s32 D S S\nsetp.ne.s32 D S S\n"
	"setp.lt.s32 D S\nsetp.gt.s32 D S\nsetp.gt.s32 D S S\nsetp.eq.s32 D S\nsetp.ne.s32 D S\n"
	"ld.global.s32 D A\nst.shared.u32 S A\nld.shared.u32 D A\nst.shared.f32 S A\nld.shared.f32 D\n"
	"ld.shared.f32 D A\ncvt.u64.u32 D S\ncvt.u32.u64 D S\ncvt.s64.s32 D S\nshl.b64 D S\nmov.u16 D\nmov.u64 D\n"
	"mov.f32 D S\nmov.u32 D S\nmov.b32 D S\nmov.f32 D\nmul.lo.s32 D S\nmul.lo.s32 D S S\nmul.wide.u32 D S\n"
	"mul.f32 D S S\nadd.f32 D S S\nfma.rn.f32 D S S S\nsetp.lt.s32 D S S\nadd.s32 D S\nshl.b32 D S\n"
	"and.b32 D S\nmad.lo.s32 D S S\nbra.uni\nbra P\nbar.sync b:0\nst.global.u32 S A\nld.global.u32 D A\n"
	"ld.param.u64 D\nld.param.u32 D\nmov.u32 D\nmad.lo.s32 D S S S\nsetp.ge.s32 D S S\nbra P\n"
	"cvta.to.global.u64 D S\nmul.wide.s32 D S\nadd.s64 D S S\nadd.s64 D S\nadd.s32 D S S\nld.global.f32 D A\n"
	"st.global.f32 S A\nret\nret ends\n"
	"-dynamic shmem = -kernel name = _Z\n-kernel id = 1\n-grid dim = (1,1,1)\n-block dim = (256,1,1)\n-shmem = 0\n"
	"-nregs = 32\n-cuda stream id = 0\n-isa = ptx 9.0\n-ptx hash = \n-code end = 0x00\n"
	"#traces format = PC mask width [mode addresses] [i:issue] [b:barrier] [s:space]\n"
	"kernelslist.g\nMemcpyHtoD,0xc0000000,\nMemcpyDtoH,0xc0000200,\nkernel-1.traceg\n"
	"\x00\x01\x00\x02\x00\x03\x10\x10\x10\x10\x10\x10\x10\x10";
const struct primer pack_words = {text, sizeof(text) - 1, 0};
