/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Batches of QR factors by Householder reflections (geqrfBatched), and of least squares by them (gelsBatched), in
 * single and double precision.
 *
 * One thread block works on each matrix, which is stored column by column. The reflections have the form of LAPACK: the
 * vector of reflection k is 1 at its diagonal element, and its other elements are in the column below.
 */
#include "cublas/general.h"

struct least_args {
	uint64_t a;      /* array of addresses */
	uint64_t b;      /* array of addresses */
	uint64_t scales; /* array of addresses; 0: none */
	uint64_t info;   /* array of addresses of results; 0: none */
	uint32_t m, n, columns, pitch_a, pitch_b, unused;
};

/*
 * For each column k, thread 0 makes the reflection; then each thread applies it to every 64th column of a and b. With
 * b, a triangular solution follows. %v: vector of the reflection; %c: a column.
 */
static const char least_text[] =
	".version 7.0\n.target sm_60\n.address_size 64\n"
	".visible .entry least(.param .align 8 .b8 p[56])\n{\n"
	".shared .align 8 .b64 factor;\n"
	".reg .pred %t, %q, %has_b, %has_scales;\n"
	".reg .b32 %x, %z, %m, %n, %all, %la, %lb, %k, %i, %j, %last, %at, %bad;\n"
	".reg .b64 %a, %b, %s, %f, %v, %c, %u, %w;\n"
	".reg .$T %alpha, %sum, %beta, %scale, %tau, %e, %g;\n"
	"ld.param.u32 %m, [p+32];\nld.param.u32 %n, [p+36];\nld.param.u32 %all, [p+40];\nadd.u32 %all, %all, %n;\n"
	"ld.param.u32 %la, [p+44];\nld.param.u32 %lb, [p+48];\nmov.u32 %x, %tid.x;\nmov.u32 %z, %ctaid.x;\n"
	"ld.param.u64 %a, [p];\nmad.wide.u32 %a, %z, 8, %a;\nld.global.u64 %a, [%a];\n"
	"ld.param.u64 %b, [p+8];\nsetp.ne.u64 %has_b, %b, 0;\n@%has_b mad.wide.u32 %b, %z, 8, %b;\n@%has_b ld.global.u64 %b, [%b];\n"
	"ld.param.u64 %s, [p+16];\nsetp.ne.u64 %has_scales, %s, 0;\n"
	"@%has_scales mad.wide.u32 %s, %z, 8, %s;\n@%has_scales ld.global.u64 %s, [%s];\n"
	"min.u32 %last, %m, %n;\nmov.u32 %k, 0;\n"
	"COLUMN:\nsetp.ge.u32 %t, %k, %last;\n@%t bra SOLVE;\n"
	"mul.lo.u32 %at, %k, %la;\nmad.wide.u32 %v, %at, $B, %a;\nmad.wide.u32 %w, %k, $B, %v;\n"
	"setp.ne.u32 %t, %x, 0;\n@%t bra MADE;\n"
	"ld.global.$T %alpha, [%w];\nmov.$T %sum, $0;\nadd.u32 %i, %k, 1;\n"
	"NORM:\nsetp.ge.u32 %t, %i, %m;\n@%t bra NORMED;\nmad.wide.u32 %u, %i, $B, %v;\nld.global.$T %e, [%u];\n"
	"fma.rn.$T %sum, %e, %e, %sum;\nadd.u32 %i, %i, 1;\nbra NORM;\n"
	"NORMED:\nmov.$T %tau, $0;\nsetp.eq.$T %t, %sum, $0;\n@%t bra KEEP;\n"
	"fma.rn.$T %beta, %alpha, %alpha, %sum;\nsqrt.rn.$T %beta, %beta;\n"
	"setp.ge.$T %t, %alpha, $0;\n@%t neg.$T %beta, %beta;\n"
	"sub.rn.$T %tau, %beta, %alpha;\ndiv.rn.$T %tau, %tau, %beta;\n"
	"sub.rn.$T %scale, %alpha, %beta;\nst.global.$T [%w], %beta;\nadd.u32 %i, %k, 1;\n"
	"SCALE:\nsetp.ge.u32 %t, %i, %m;\n@%t bra KEEP;\nmad.wide.u32 %u, %i, $B, %v;\nld.global.$T %e, [%u];\n"
	"div.rn.$T %e, %e, %scale;\nst.global.$T [%u], %e;\nadd.u32 %i, %i, 1;\nbra SCALE;\n"
	"KEEP:\nst.shared.$T [factor], %tau;\nmad.wide.u32 %u, %k, $B, %s;\n@%has_scales st.global.$T [%u], %tau;\n"
	"MADE:\nbar.sync 0;\nld.shared.$T %tau, [factor];\nadd.u32 %j, %k, 1;\nadd.u32 %j, %j, %x;\n"
	"APPLY:\nsetp.ge.u32 %t, %j, %all;\n@%t bra APPLIED;\n"
	"mul.lo.u32 %at, %j, %la;\nmad.wide.u32 %c, %at, $B, %a;\n"
	"setp.lt.u32 %t, %j, %n;\n@%t bra TAKEN;\n"
	"sub.u32 %at, %j, %n;\nmul.lo.u32 %at, %at, %lb;\nmad.wide.u32 %c, %at, $B, %b;\n"
	"TAKEN:\nmad.wide.u32 %w, %k, $B, %c;\nld.global.$T %sum, [%w];\nadd.u32 %i, %k, 1;\n"
	"DOT:\nsetp.ge.u32 %t, %i, %m;\n@%t bra DOTTED;\n"
	"mad.wide.u32 %u, %i, $B, %v;\nld.global.$T %e, [%u];\nmad.wide.u32 %u, %i, $B, %c;\nld.global.$T %g, [%u];\n"
	"fma.rn.$T %sum, %e, %g, %sum;\nadd.u32 %i, %i, 1;\nbra DOT;\n"
	"DOTTED:\nmul.rn.$T %sum, %sum, %tau;\nld.global.$T %g, [%w];\nsub.rn.$T %g, %g, %sum;\nst.global.$T [%w], %g;\n"
	"neg.$T %sum, %sum;\nadd.u32 %i, %k, 1;\n"
	"TAKE:\nsetp.ge.u32 %t, %i, %m;\n@%t bra NEXT;\n"
	"mad.wide.u32 %u, %i, $B, %v;\nld.global.$T %e, [%u];\nmad.wide.u32 %u, %i, $B, %c;\nld.global.$T %g, [%u];\n"
	"fma.rn.$T %g, %sum, %e, %g;\nst.global.$T [%u], %g;\nadd.u32 %i, %i, 1;\nbra TAKE;\n"
	"NEXT:\nadd.u32 %j, %j, 64;\nbra APPLY;\n"
	"APPLIED:\nbar.sync 0;\nadd.u32 %k, %k, 1;\nbra COLUMN;\n"
	/* the number of the first diagonal element that is 0, counted from 1 */
	"SOLVE:\n@!%has_b bra END;\nmov.u32 %bad, 0;\nmov.u32 %k, 0;\n"
	"TEST:\nsetp.ge.u32 %t, %k, %n;\n@%t bra TESTED;\nmad.lo.u32 %at, %k, %la, %k;\nmad.wide.u32 %u, %at, $B, %a;\n"
	"ld.global.$T %e, [%u];\nadd.u32 %k, %k, 1;\nsetp.eq.$T %t, %e, $0;\n@%t mov.u32 %bad, %k;\n@!%t bra TEST;\n"
	"TESTED:\nld.param.u64 %f, [p+24];\nmad.wide.u32 %u, %z, 4, %f;\n"
	"setp.eq.u64 %t, %f, 0;\nsetp.ne.or.u32 %t, %x, 0, %t;\n@!%t st.global.u32 [%u], %bad;\n"
	"setp.ne.u32 %t, %bad, 0;\n@%t bra END;\nadd.u32 %j, %n, %x;\n"
	"SIDE:\nsetp.ge.u32 %t, %j, %all;\n@%t bra END;\n"
	"sub.u32 %at, %j, %n;\nmul.lo.u32 %at, %at, %lb;\nmad.wide.u32 %c, %at, $B, %b;\nmov.u32 %k, %n;\n"
	"BACK:\nsetp.eq.u32 %t, %k, 0;\n@%t bra SOLVED;\nsub.u32 %k, %k, 1;\n"
	"mad.wide.u32 %w, %k, $B, %c;\nld.global.$T %sum, [%w];\nadd.u32 %i, %k, 1;\n"
	"TERM:\nsetp.ge.u32 %t, %i, %n;\n@%t bra DIVIDE;\nmad.lo.u32 %at, %i, %la, %k;\nmad.wide.u32 %u, %at, $B, %a;\n"
	"ld.global.$T %e, [%u];\nneg.$T %e, %e;\nmad.wide.u32 %u, %i, $B, %c;\nld.global.$T %g, [%u];\n"
	"fma.rn.$T %sum, %e, %g, %sum;\nadd.u32 %i, %i, 1;\nbra TERM;\n"
	"DIVIDE:\nmad.lo.u32 %at, %k, %la, %k;\nmad.wide.u32 %u, %at, $B, %a;\nld.global.$T %e, [%u];\n"
	"div.rn.$T %sum, %sum, %e;\nst.global.$T [%w], %sum;\nbra BACK;\n"
	"SOLVED:\nadd.u32 %j, %j, 64;\nbra SIDE;\n"
	"END:\nret;\n}\n";

/* Makes the QR factors of a batch. With b, also solves for its columns. */
static int run_least(
	struct cublas_handle *h, int type, const struct least_args *given, int batches, int *host_info)
{
	struct least_args p = *given;
	int m = (int)p.m, n = (int)p.n, columns = (int)p.columns, wrong = 0;

	if (!h)
		return CUBLAS_NOT_INITIALIZED;
	if (m < 0 || n < 0 || columns < 0 || batches < 0 || (int)p.pitch_a < (m > 1 ? m : 1) ||
		(p.b && (int)p.pitch_b < (m > 1 ? m : 1)))
		wrong = m < 0 ? 2 : n < 0 ? 3 : 4;
	if (host_info)
		*host_info = -wrong;
	if (wrong)
		return CUBLAS_INVALID_VALUE;
	if (p.b && m < n)
		return cublas_unsupported("cublas gelsBatched", "fewer rows than columns");
	if (!m || !n || !batches)
		return CUBLAS_SUCCESS;
	if (m > 32768 || n > 32768 || columns > 32768)
		return cublas_unsupported("cublas batch of factors", "a matrix of this size");
	return cublas_launch_lines(
		h, "least", least_text, type, (unsigned[]){(unsigned)batches, 1, 1}, 64, 1, &p);
}

#define LEAST(L, type, code) \
	API(int, cublas##L##geqrfBatched, struct cublas_handle *h, int m, int n, type *const *a, int pitch, \
		type *const *scales, int *info, int batches) \
	{ \
		return run_least(h, code, \
			&(struct least_args){(uintptr_t)a, 0, (uintptr_t)scales, 0, (uint32_t)m, \
				(uint32_t)n, 0, (uint32_t)pitch, 0, 0}, \
			batches, info); \
	} \
	API(int, cublas##L##gelsBatched, struct cublas_handle *h, int op, int m, int n, int columns, \
		type *const *a, int pitch_a, type *const *b, int pitch_b, int *info, int *results, \
		int batches) \
	{ \
		if (op) \
			return cublas_unsupported("cublas gelsBatched", "a transposed matrix"); \
		return run_least(h, code, \
			&(struct least_args){(uintptr_t)a, (uintptr_t)b, 0, (uintptr_t)results, (uint32_t)m, \
				(uint32_t)n, (uint32_t)columns, (uint32_t)pitch_a, (uint32_t)pitch_b, 0}, \
			batches, info); \
	}
LEAST(S, float, TYPE_F32)
LEAST(D, double, TYPE_F64)
