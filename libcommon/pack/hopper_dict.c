/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The preset dictionary of traces of version 6, which are of Hopper and later GPUs. It is part of PACK_VALUED and must
 * not change. It contains opcodes, forms of texts as tail.c writes them, then common text of lists and headers. The
 * most common text is last, because near matches are the cheapest.
 */
#include "dict.h"
#include "format.h"

static const char text[] = DICT_OPCODES
	"ELECT\nACQBULK\nPREEXIT\nSTAS\nREDAS\nUTMAPF.L2.2D\nUTMACCTL.PF\nUTMACCTL.IV\nUTMAREDG.2D.ADD\nUTMASTG.1D\n"
	"UTMASTG.3D\nUTMASTG.2D\nUTMALDG.1D\nUTMALDG.4D\nUTMALDG.5D\nUTMALDG.3D\nUTMALDG.2D.MULTICAST\nUTMALDG.2D\n"
	"UBLKPF.L2\nUBLKRED.G.S.ADD\nUSETMAXREG.DEALLOC.CTAPOOL\nUSETMAXREG.TRY_ALLOC.CTAPOOL\nLDGMC.E.ADD.F32\n"
	"R2UR.BROADCAST\nVOTEU.ALL\nWARPSYNC.COLLECTIVE\nNANOSLEEP.SYNCS\nBAR.ARV\nSYNCS.CCTL.IV\n"
	"SYNCS.ARRIVE.TRANS64.RED.A0T1\nSYNCS.ARRIVE.TRANS64.A0T1\nSYNCS.ARRIVE.TRANS64.OPTOUT.A1T0\n"
	"SYNCS.PHASECHK.TRANS64\nIGMMA.64x128x32.S8.S8\nQGMMA.64x64x32.F32.E4M3.E4M3\nQGMMA.64x128x32.F32.E4M3.E4M3\n"
	"QGMMA.64x256x32.F32.E4M3.E4M3\nHGMMA.64x256x16.F32.BF16\nHGMMA.64x192x16.F32\nHGMMA.64x256x16.F32\n"
	"HGMMA.64x128x16.F32.BF16\nHGMMA.64x128x16.F32\nHGMMA.64x64x16.F32.BF16\nREDG.E.ADD.STRONG.GPU\n"
	"ATOMS.POPC.INC.32\nSTSM.16.M88.4\nSTSM.16.MT88.4\nCS2R\nCS2R.32\nF2FP.F16.F32.PACK_AB\nFSETP.GEU.AND\n"
	"FMNMX\nIMAD.U32\nIMAD.HI.U32\nLDC.64\nISETP.LE.OR\nISETP.LT.OR\nISETP.NE.OR\nUISETP.GT.AND\n"
	"UISETP.GE.U32.AND\nUISETP.NE.U32.AND\nUISETP.NE.AND\nUISETP.GE.AND\nUISETP.EQ.AND\nUSHF.L.U64.HI\n"
	"USHF.R.S32.HI\nUSHF.R.U32.HI\nULEA.HI\nULEA.HI.X\nUIADD3.X\nUIMAD\nUIMAD.WIDE\nUIMAD.WIDE.U32\nUPLOP3.LUT\n"
	"USEL\nUFLO.U32\nUP2UR\nBRA.U\nBRA.U.ANY\nULOP3.LUT\nUSHF.L.U32\nUMOV\nULEA\nUIADD3\nS2UR\nR2UR\nCCTL.IVALL\n"
	"MEMBAR.ALL.CTA\nMEMBAR.ALL.GPU\nCGAERRBAR\nERRBAR\nUCGABAR_ARV\nUCGABAR_WAIT\n"
	"P\x01 R\x01 HGMMA.\x01x\x01x\x01.F\x01 \x01 R\x01 \x01 \x01 \x01 \x01 NoVal \x02\x10\x80\x01\x80\x01 @ UBLKC"
	"P.G.S \x01 \x01 \x02 \x01 \x01 \x01 \x01 \x02 \x01 UBLKCP.S.G.MULTICAST \x01 \x01 \x02 \x01 0x0003 \x01 \x01"
	" \x01 \x02 \xe2\x17\x01 UBLKCP.S.G \x01 \x01 \x02 \x01 \x01 \x01 \x01 \x02 \x01 \x01 \x01 \x01 \x01 \x01 "
	"\x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 "
	"\x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 "
	"\x01 \x01 \x01 \x01 \x01 \x01 \x01 \x01 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16"
	" 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 16 0 0 NoVal \x00\x00 \x80\x10Z\x01 R\x01 HGMMA.\x01x\x01x"
	"\x01.F\x01 \x01 UR\x01 R\x01 \x01 \x01 \x01 \x01 Val \x05\x05\x05\x02"
	"0\x80\x01\x80\x01 @\x04\x08"
	"0\x00"
	"\x00\x00\x00\x0eVal \x05\x05\x10Val \x05\x05\x05\x00\x00\x00\x04\x00\x00\x00\x00"
	"8cluster id = 0,0,0\n"
	"cluster cta = 0,0,0\ncluster rank = 0\n\x00\x01\x00\x04\x00\x00\x00\x00"
	"8cluster id = 0,0,0\n"
	"cluster cta = 0,1,0\ncluster rank = 1\n"
	"\x01\x00\x00\x08\x00\x00\x00\x08!\x00\x00\x08@\x04\x04\x08"
	"A\x00\x00\x08"
	"a\x00\x00\x08@\x0c\x08\x07\x00"
	"\x10\x10\x10\x10\x10\x10\x10\x10\x10\x10\x10\x10\x00\x00\x00\x00\x00\x00\x00\x00kernelslist_ctx_\n"
	"MemcpyHtoD,0x00007f\n00000,1024\nkernel-1-ctx_0x55\n.traceg\n"
	"\x01kernelslist.g\xc4MemcpyHtoD,0xc0000000,65536\nkernel-1.traceg\n\x01\x17\xcc\x80\xda\x01-kernel name = \n"
	"-kernel id = 1\n-grid dim = (2,1,1)\n-block dim = (128,1,1)\n-cluster dim = (1,2,1)\n-shmem = 49408\n"
	"-nregs = 42\n-binary version = 90\n-cuda stream id = 0\n-shmem base_addr = 0x00007f0000000000\n"
	"-local mem base_addr = 0x00007f1000000000\n-nvbit version = 1.7.6\n-accelsim tracer version = 6\n"
	"-enable lineinfo = 0\n\n"
	"#traces format = [line_num] PC mask dest_num [reg_dests] opcode src_num [reg_srcs] mem_width [adrrescompress"
	"?] [mem_addresses] immediate immediate2 values\n\nLD.E\nLDG.E.U8\nSTS\nSHFL.BFLY\nSHFL.IDX\nVIADD\nPRMT\n"
	"SEL\nFADD\nFMUL\nFFMA\nMUFU.EX2\nMUFU.RCP\nLEA.HI\nSHF.R.U64\nSHF.L.U64.HI\nWARPSYNC.ALL\nYIELD\nVOTEU.ANY\n"
	"UTMACMDFLUSH\nDEPBAR.LE\nBSSY\nBSYNC\nISETP.GE.AND\nISETP.NE.AND\nISETP.GT.U32.AND\nIMAD.IADD\n"
	"IMAD.SHL.U32\nIMAD.MOV.U32\nIMAD.WIDE.U32\nIMAD.WIDE\nLDC\nULDC\nPLOP3.LUT\nIADD3.X\n"
	"SYNCS.ARRIVE.TRANS64.A1T0\nSYNCS.ARRIVE.TRANS64.RED.A1T0\nWARPGROUP.ARRIVE\nWARPGROUP.DEPBAR.LE\n"
	"SHF.R.S32.HI\nSHF.R.U32.HI\nLOP3.LUT\nSHF.L.U32\nLEA\nLEA.HI.X\nSTG.E\nNOP\nBAR.SYNC.DEFER_BLOCKING\n"
	"SYNCS.ARRIVE.TRANS64\nSYNCS.PHASECHK.TRANS64.TRYWAIT\nULDC.64\nIADD3\nIMAD\nEXIT\nMOV\nS2R\nISETP.LT.AND\n"
	"BRA\nSYNCS.EXCH.64\nFENCE.VIEW.ASYNC.S\n";
/*
 * Texts below this size in bytes share the frame of the metadata, so that their forms begin from the dictionary. The
 * text of a product on Hopper (multicast.ptx) then takes 139 bytes, not 252.
 */
#define JOINED_TEXT (64u << 10)

const struct primer pack_hopper = {text, sizeof(text) - 1, JOINED_TEXT};
