# SPDX-License-Identifier: BSD-2-Clause
"""Atomics and exchanges between the lanes of a warp; cases as in cases.py. M and S in a text are 16 bytes of global and of
shared memory for each thread. Cases with warp=True compute the results of 32 lanes at once."""
import itertools
import exact as x
from cases import case, halves, val
from reals import finish


def summed(t, flushed=False):
    def fn(a, b):
        if flushed:
            a, b = x.flush(a, t), x.flush(b, t)
        return finish(x.add(x.decode(a, t), x.decode(b, t)), t, ftz=flushed)
    return fn


def operations():
    """Yields name, type, and a function that returns the new value of the memory."""
    for t in ("u32", "s32", "u64"):
        yield "add", t, lambda a, b: a + b
    for t in ("f64", "f16", "bf16"):
        yield "add" + (".noftz" if t != "f64" else ""), t, summed(t)
    for t in ("f16", "bf16"):
        yield "add.noftz", t + "x2", halves(summed(t))
    for t in ("u32", "s32", "u64", "s64"):
        yield "min", t, lambda a, b, t=t: min(val(a, t), val(b, t))
        yield "max", t, lambda a, b, t=t: max(val(a, t), val(b, t))
    yield "inc", "u32", lambda a, b: 0 if a >= b else a + 1
    yield "dec", "u32", lambda a, b: b if a == 0 or a > b else a - 1
    for t in ("b32", "b64"):
        yield "and", t, lambda a, b: a & b
        yield "or", t, lambda a, b: a | b
        yield "xor", t, lambda a, b: a ^ b


def location(i):
    """Returns the space of the memory, its address, and the space in the text of the access, which may be empty."""
    return (("global", "M", ".global"), ("shared", "S", ".shared"), ("global", "M", ""))[i % 3]


def accesses(i, op, t, kinds, old, new, values):
    """Yields cases for the result of atom, and for the new value after atom and red."""
    memory, at, space = location(i)
    plain = f"b{16 if t in ('f16', 'bf16', 'b16') else 32 if t[-2:] == 'x2' else t[-2:]}"
    scope = ("", ".relaxed.gpu", ".acq_rel.cta", ".relaxed.sys")[i % 4]
    begin = f"st.{memory}.{plain} [{at}], A;"
    end = f"ld.{memory}.{plain} D, [{at}];"
    yield case(f"{begin} atom{scope}{space}.{op}.{t} D, [{at}], {values};", t, kinds, old)
    yield case(f"{begin} atom{scope}{space}.{op}.{t} T, [{at}], {values}; {end}", t, kinds, new)
    if op not in ("exch", "cas"):
        scope = scope if scope != ".acq_rel.cta" else ".release.cta"
        yield case(f"{begin} red{scope}{space}.{op}.{t} [{at}], {values}; {end}", t, kinds, new)


def atomics():
    i = 0
    for op, t, new in operations():
        for i in range(i, i + 4):
            yield from accesses(i, op, t, (t, t), lambda a, b: a, new, "B")
    for t in ("b32", "b64"):
        for i in range(3):
            yield from accesses(i, "exch", t, (t, t), lambda a, b: a, lambda a, b: b, "B")
    for t in ("b16", "b32", "b64"):
        for i in range(3):
            yield from accesses(i, "cas", t, (t, t, t), lambda a, b, c: a, lambda a, b, c: c if a == b else a, "B, C")
            yield from accesses(i, "cas", t, (t, t), lambda a, b: a, lambda a, b: b, "A, B")
    for memory, at in (("global", "M"), ("shared", "S")):
        yield case(f"st.{memory}.f32 [{at}], A; red.{memory}.add.f32 [{at}], B; ld.{memory}.f32 D, [{at}];", "f32", ("f32", "f32"),
                   summed("f32", memory == "global"))
    yield case("st.global.f32 [M], A; red.add.f32 [M], B; ld.global.f32 D, [M];", "f32", ("f32", "f32"), summed("f32", True))
    for k, names in ((0, "D, T"), (4, "T, D")):
        yield case("st.global.v2.f32 [M], {A, B}; red.global.v2.f32.add [M], {B, A}; ld.global.v2.f32 {%s}, [M];" % names,
                   "f32", ("f32", "f32"), lambda a, b: summed("f32", True)(a, b))


# ---- between lanes ----

def shuffle(how, c):
    """Returns a function that computes the result and the predicate of each lane by the steps of the PTX manual."""
    def lanes(rows):
        out = []
        for lane, (a, b) in enumerate(rows):
            b &= 31
            segment, clamp = c >> 8 & 31, c & 31
            low = lane & segment
            high = low | clamp & ~segment
            j = {"up": lane - b, "down": lane + b, "bfly": lane ^ b, "idx": low | b & ~segment}[how]
            good = j >= high if how == "up" else j <= high
            out.append((rows[j][0] if good else a, good))
        return out
    return lanes


def warps():
    for how, c in itertools.product(("up", "down", "bfly", "idx"), (0, 31, 0x1c03, 0x1800, 0x1807, 0x100f)):
        for k in range(2):
            yield dict(case(f"shfl.sync.{how}.b32 {('D|P', 'T|D')[k]}, A, B, {c}, -1;", ("b32", "pred")[k], ("b32", "small"),
                            lambda rows, f=shuffle(how, c), k=k: [v[k] for v in f(rows)]), warp=True)
    for name, fn in (("all", all), ("any", any), ("uni", lambda v: len(set(v)) == 1)):
        for sign in ("", "!"):
            yield dict(case(f"vote.sync.{name}.pred D, {sign}A, -1;", "pred", ("pred",), lambda rows, fn=fn, s=sign: [
                fn([(not r[0]) if s else bool(r[0]) for r in rows])] * 32), warp=True)
    yield dict(case("vote.sync.ballot.b32 D, A, -1;", "b32", ("pred",), lambda rows: [
        sum(r[0] << i for i, r in enumerate(rows))] * 32), warp=True)
    for t, cut in (("b32", 3), ("b64", 1)):
        begin = f"and.{t} T, A, {cut};"
        yield dict(case(f"{begin} match.any.sync.{t} D, T, -1;" if t == "b32" else
                        f"{begin} match.any.sync.{t} %r8, T, -1; cvt.u64.u32 D, %r8;", t, (t,), lambda rows, cut=cut: [
                            sum((o[0] & cut == r[0] & cut) << i for i, o in enumerate(rows)) for r in rows]), warp=True)
        for keep in (0, cut):
            yield dict(case(f"and.{t} T, A, {keep}; match.all.sync.{t} %r8|P, T, -1; selp.{t} D, 1, 0, P;", t, (t,),
                            lambda rows, keep=keep: [len({r[0] & keep for r in rows}) == 1] * 32), warp=True)
    folds = {"add": lambda a, b: a + b, "min": min, "max": max, "and": lambda a, b: a & b, "or": lambda a, b: a | b,
             "xor": lambda a, b: a ^ b}
    for name, fn in folds.items():
        for t in ("u32", "s32") if name in ("add", "min", "max") else ("b32",):
            def fold(rows, fn=fn, t=t):
                v = val(rows[0][0], t)
                for r in rows[1:]:
                    v = fn(v, val(r[0], t))
                return [v] * 32
            yield dict(case(f"redux.sync.{name}.{t} D, A, -1;", t, (t,), fold), warp=True)
    yield dict(case("elect.sync T|D, -1;", "pred", ("b32",), lambda rows: [1] + [0] * 31), warp=True)
    yield dict(case("activemask.b32 D;", "b32", ("b32",), lambda rows: [0xffffffff] * 32), warp=True)
