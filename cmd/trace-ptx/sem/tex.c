/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Textures: linear memory through a texture reference (tex.1d).
 *
 * Always true: a coordinate outside of the buffer gives zeros; the elements that the memory does not have are 0, 0
 * and 1.
 */
#include <math.h>
#include "sem/sem.h"

static void tex(struct warp *w, const struct op *o, uint32_t m)
{
	const struct symbol *sym = o->x->sym;
	const struct texture *t = NULL;

	for (uint32_t i = w->g->n_textures; i-- > 0 && !t;)
		if (w->g->texture[i].sym == sym)
			t = &w->g->texture[i];
	if (!t) {
		exec_fail(w, o, m, "texture",
			"found texture '%s' without memory, wanted a texture line that binds it", sym->name);
		return;
	}
	FOR_BITS32 (i, m) {
		s64 at = o->n ? (s64)floorf(REG(float, w, o->b)[i]) : REG(s32, w, o->b)[i];
		bool inside = at >= 0 && (uint64_t)at < t->elems;
		u32 v = 0, one = t->integer ? 1 : 0x3f800000;

		w->addr[i] = t->addr + (uint64_t)(inside ? at : 0) * 4;
		if (inside)
			memcpy(&v, memory_at(w->mem, w->addr[i], 4), 4);
		for (unsigned k = 0; k < 4; k++)
			REG(u32, w, o->x->slot[k])[i] = !k ? v : k < 3 ? 0 : one;
	}
}

int bind_tex(struct bind *b, struct op *o)
{
	const struct stmt *in = b->in;
	const struct operand *k = in->operand;
	struct ext *x = bind_ext(b, o);

	if (bind_types(b, 2) || bind_operands(b, 2, 2))
		return -1;
	if (!has(in, M_1D) || !has(in, M_V4) || types[in->type[0]].bits != 32)
		return bind_refuse(b, "textures other than linear memory of 32-bit elements");
	if (k[1].kind != O_ADDR || !k[1].sym || sym_def(k[1].sym)->type != T_TEXREF || k[1].n != 1)
		return bind_refuse(b, "texture objects, samplers or more coordinates");
	const struct operand *c = &k[1].elem[0];
	if (c->kind == O_VEC && c->n >= 1)
		c = &c->elem[0];
	if (k[0].kind != O_VEC || k[0].n != 4)
		return bind_fault(b, &k[0], "operand", "found no vector of 4, wanted {..}");
	for (unsigned i = 0; i < 4; i++)
		if ((x->slot[i] = bind_dst(b, &k[0].elem[i], 32)) == UINT32_MAX)
			return -1;
	x->sym = sym_def(k[1].sym);
	o->n = in->type[1] == T_F32;
	o->memory = 1;
	o->bytes = 4;
	o->space = SP_GLOBAL;
	o->fn = tex;
	return (o->b = bind_src(b, c, o->n ? T_F32 : T_S32)) == UINT32_MAX ? -1 : 0;
}
