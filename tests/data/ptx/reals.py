# SPDX-License-Identifier: BSD-2-Clause
"""The results of floating-point instructions and conversions as the PTX manual defines them; cases as in cases.py."""
import itertools
import math
import exact as x
from cases import BITS, INTS, ROUND, case, clamp, halves, limits, val

ONE = {"f16": 0x3c00, "bf16": 0x3f80, "f32": 0x3f800000, "f64": 0x3ff0000000000000}


def finish(v, t, rnd="rn", ftz=False, sat=False, relu=False):
    """Returns the bits of a number as the result of an instruction of type t."""
    if v == x.NAN:
        if sat:
            return 0
        return (lambda r: x.is_nan(r, "f64")) if t == "f64" else x.canonical(t)
    bits = x.encode(v, t, rnd)
    bits = x.flush(bits, t) if ftz else bits
    negative = bits >> BITS[t] - 1
    if (sat or relu) and negative:
        return 0
    return ONE[t] if sat and bits > ONE[t] else bits


def numeric(fn, t, rnd="rn", ftz=False, sat=False, relu=False):
    def compute(*sources):
        if ftz:
            sources = [x.flush(s, t) for s in sources]
        return finish(fn(*(x.decode(s, t) for s in sources)), t, rnd, ftz, sat, relu)
    return compute


def fused(rnd):
    return lambda a, b, c: x.add(x.multiply(a, b), c, rnd)


def suffixes(rnd, ftz, sat):
    return "." + rnd + (".ftz" if ftz else "") + (".sat" if sat else "")


def arithmetic():
    two = {"add": lambda r: lambda a, b: x.add(a, b, r), "sub": lambda r: lambda a, b: x.add(a, x.negate(b), r),
           "mul": lambda r: x.multiply}
    for rnd in ROUND:
        for ftz, sat in itertools.product((False, True), repeat=2):
            s = suffixes(rnd, ftz, sat)
            for name, fn in two.items():
                yield case(f"{name}{s}.f32 D, A, B;", "f32", ("f32",) * 2, numeric(fn(rnd), "f32", rnd, ftz, sat))
            for name in ("fma", "mad"):
                yield case(f"{name}{s}.f32 D, A, B, C;", "f32", ("f32",) * 3, numeric(fused(rnd), "f32", rnd, ftz, sat))
        for ftz in (False, True):
            s = suffixes(rnd, ftz, False)
            yield case(f"div{s}.f32 D, A, B;", "f32", ("f32",) * 2, numeric(x.over, "f32", rnd, ftz))
            yield case(f"rcp{s}.f32 D, A;", "f32", ("f32",), numeric(lambda a: x.over(x.number(1), a), "f32", rnd, ftz))
            yield case(f"sqrt{s}.f32 D, A;", "f32", ("f32",), numeric(x.root, "f32", rnd, ftz))
            for name, fn in two.items():
                yield case(f"{name}{s}.f32x2 D, A, B;", "f32x2", ("f32x2",) * 2,
                           halves(numeric(fn(rnd), "f32", rnd, ftz), 32))
            yield case(f"fma{s}.f32x2 D, A, B, C;", "f32x2", ("f32x2",) * 3,
                       halves(numeric(fused(rnd), "f32", rnd, ftz), 32))
        for name, fn in two.items():
            yield case(f"{name}.{rnd}.f64 D, A, B;", "f64", ("f64",) * 2, numeric(fn(rnd), "f64", rnd))
        for name in ("fma", "mad"):
            yield case(f"{name}.{rnd}.f64 D, A, B, C;", "f64", ("f64",) * 3, numeric(fused(rnd), "f64", rnd))
        yield case(f"div.{rnd}.f64 D, A, B;", "f64", ("f64",) * 2, numeric(x.over, "f64", rnd))
        yield case(f"rcp.{rnd}.f64 D, A;", "f64", ("f64",), numeric(lambda a: x.over(x.number(1), a), "f64", rnd))
        yield case(f"sqrt.{rnd}.f64 D, A;", "f64", ("f64",), numeric(x.root, "f64", rnd))
    for t, pairs in itertools.product(("f16", "bf16"), (False, True)):
        wide, wrap = (t + "x2", halves) if pairs else (t, lambda fn: fn)
        for ftz, sat in ((False, False), (True, False), (False, True), (True, True))[:4 if t == "f16" else 1]:
            s = (".rn" if ftz else "") + (".ftz" if ftz else "") + (".sat" if sat else "")
            for name, fn in two.items():
                yield case(f"{name}{s}.{wide} D, A, B;", wide, (wide,) * 2, wrap(numeric(fn("rn"), t, "rn", ftz, sat)))
            s = ".rn" + (".ftz" if ftz else "") + (".sat" if sat else "")
            yield case(f"fma{s}.{wide} D, A, B, C;", wide, (wide,) * 3, wrap(numeric(fused("rn"), t, "rn", ftz, sat)))
        for ftz in ("", ".ftz")[:2 if t == "f16" else 1]:
            yield case(f"fma.rn{ftz}.relu.{wide} D, A, B, C;", wide, (wide,) * 3,
                       wrap(numeric(fused("rn"), t, "rn", bool(ftz), relu=True)))
    yield from signs()
    yield from extremes()


def one_nan(fn, t):
    """Returns fn with the canonical NaN as the result for a NaN; in f64, any NaN is accepted."""
    return lambda a: ((lambda r: x.is_nan(r, t)) if t == "f64" else x.canonical(t)) if x.is_nan(a, t) else fn(a)


def signs():
    for t in ("f16", "bf16", "f32", "f64"):
        top = 1 << BITS[t] - 1
        for ftz in ("", ".ftz")[:2 if t in ("f16", "f32") else 1]:
            def change(fn, t=t, ftz=ftz):
                return one_nan(lambda a: fn(x.flush(a, t) if ftz else a), t)
            yield case(f"abs{ftz}.{t} D, A;", t, (t,), change(lambda a, top=top: a & ~top))
            yield case(f"neg{ftz}.{t} D, A;", t, (t,), change(lambda a, top=top: a ^ top))
            if t in ("f16", "bf16"):
                pair = f"{t}x2"

                def two(fn, t=t):
                    def test(word):
                        def good(r):
                            for s in (0, 16):
                                w = fn(word >> s & 0xffff)
                                p = r >> s & 0xffff
                                if not (w(p) if callable(w) else w == p):
                                    return False
                            return True
                        return good
                    return test
                yield case(f"abs{ftz}.{pair} D, A;", pair, (pair,), two(change(lambda a: a & 0x7fff)))
                yield case(f"neg{ftz}.{pair} D, A;", pair, (pair,), two(change(lambda a: a ^ 0x8000)))
        if t in ("f32", "f64"):
            yield case(f"copysign.{t} D, A, B;", t, (t, t), lambda a, b, top=top: a & top | b & ~top)
            kinds = {"finite": lambda v, s: v[0] == "num", "infinite": lambda v, s: v[0] == "inf",
                     "number": lambda v, s: v != x.NAN, "notanumber": lambda v, s: v == x.NAN,
                     "normal": lambda v, s: v[0] == "num" and not s, "subnormal": lambda v, s: s}
            for name, fn in kinds.items():
                yield case(f"testp.{name}.{t} D, A;", "pred", (t,),
                           lambda a, fn=fn, t=t: fn(x.decode(a, t), x.subnormal(a, t)))
            yield case(f"selp.{t} D, A, B, C;", t, (t, t, "pred"), lambda a, b, c: a if c else b)


def pick(t, high, ftz, nan, xorsign):
    top = 1 << BITS[t] - 1

    def fn(a, b):
        if ftz:
            a, b = x.flush(a, t), x.flush(b, t)
        sign = (a ^ b) & top
        if x.is_nan(a, t) or x.is_nan(b, t):
            if nan or (x.is_nan(a, t) and x.is_nan(b, t)):
                return (lambda r: x.is_nan(r, t)) if t == "f64" else x.canonical(t)
            return b if x.is_nan(a, t) else a
        va, vb = ((x.decode(v & ~top, t) for v in (a, b)) if xorsign else (x.decode(v, t) for v in (a, b)))
        order = x.compare(va, vb)
        if xorsign:
            return (a if order == (1 if high else -1) else b) & ~top | sign
        if order == 0:  # -0 is below +0
            return (a & b) if high else (a | b)
        return a if (order > 0) == high else b
    return fn


def extremes():
    for name, high in (("min", False), ("max", True)):
        for t in ("f16", "bf16", "f32", "f64"):
            for ftz, nan, xors in itertools.product((False, True), repeat=3):
                if (t == "f64" and (ftz or nan or xors)) or (t == "bf16" and ftz):
                    continue
                s = (".ftz" if ftz else "") + (".NaN" if nan else "") + (".xorsign.abs" if xors else "")
                fn = pick(t, high, ftz, nan, xors)
                if xors:  # the sign is undefined for a NaN
                    fn = (lambda fn, t: lambda a, b: fn(a, b) if not x.is_nan(a, t) and not x.is_nan(b, t)
                          else lambda r: True)(fn, t)
                yield case(f"{name}{s}.{t} D, A, B;", t, (t, t), fn)
                if t in ("f16", "bf16") and not xors:
                    yield case(f"{name}{s}.{t}x2 D, A, B;", t + "x2", (t + "x2",) * 2, halves(fn))
        for ftz, nan, magnitude in itertools.product((False, True), repeat=3):
            s = (".ftz" if ftz else "") + (".NaN" if nan else "") + (".abs" if magnitude else "")
            fn, cut = pick("f32", high, ftz, nan, False), 0x7fffffff if magnitude else 0xffffffff
            yield case(f"{name}{s}.f32 D, A, B, C;", "f32", ("f32",) * 3,
                       lambda a, b, c, fn=fn, cut=cut: fn(fn(a & cut, b & cut), c & cut))


def comparisons():
    relations = {"eq": (0,), "ne": (-1, 1), "lt": (-1,), "le": (-1, 0), "gt": (1,), "ge": (0, 1)}
    for t in ("f16", "bf16", "f32", "f64"):
        for name, good in list(relations.items()):
            for unordered in (False, True):
                for ftz in ("", ".ftz")[:2 if t in ("f16", "f32") else 1]:
                    def fn(a, b, t=t, ftz=ftz, good=good + ((None,) if unordered else ())):
                        a, b = (x.flush(v, t) if ftz else v for v in (a, b))
                        return x.compare(x.decode(a, t), x.decode(b, t)) in good
                    cmp = name + ("u" if unordered else "") + ftz
                    yield case(f"setp.{cmp}.{t} D, A, B;", "pred", (t, t), fn)
                    yield case(f"set.{cmp}.u32.{t} D, A, B;", "u32", (t, t), lambda a, b, fn=fn: -fn(a, b))
                    if t in ("f16", "bf16"):
                        yield case(f"set.{cmp}.{t}.{t} D, A, B;", t, (t, t), lambda a, b, fn=fn, t=t: ONE[t] * fn(a, b))
                        yield case(f"set.{cmp}.{t}x2.{t}x2 D, A, B;", t + "x2", (t + "x2",) * 2,
                                   halves(lambda a, b, fn=fn, t=t: ONE[t] * fn(a, b)))
                        for k, names in ((0, "D|P"), (16, "P|D")):
                            yield case(f"setp.{cmp}.{t}x2 {names}, A, B;", "pred", (t + "x2",) * 2,
                                       lambda a, b, fn=fn, k=k: fn(a >> k & 0xffff, b >> k & 0xffff))
                    else:
                        yield case(f"set.{cmp}.f32.{t} D, A, B;", "f32", (t, t), lambda a, b, fn=fn: ONE["f32"] * fn(a, b))
        for name, want in (("num", False), ("nan", True)):
            yield case(f"setp.{name}.{t} D, A, B;", "pred", (t, t),
                       lambda a, b, t=t, w=want: (x.is_nan(a, t) or x.is_nan(b, t)) == w)


# ---- approximations: within the error that the PTX manual states ----

def close(want, t, relative=0.0, absolute=0.0, ftz=False):
    """Returns a predicate that accepts bits within the stated error of want."""
    def good(r):
        v = x.real(x.decode(r, t))
        if math.isnan(want):
            return math.isnan(v)
        low = 2.0 ** (2 - (1 << x.FORMATS[t][0] - 1))
        if math.isinf(want) or want == 0:
            return v == want and math.copysign(1, v) == math.copysign(1, want)
        error = max(abs(want) * relative, absolute, 0 if ftz else low * 2.0 ** -x.FORMATS[t][1])
        if ftz and abs(want) < low * (1 + 2 ** -10):
            return v == 0 or abs(v - want) <= error
        top = x.real(x.decode(x.greatest(t, False), t))
        if abs(want) > top:
            return abs(v) >= top and (v > 0) == (want > 0)
        return abs(v - want) <= error
    return good


def approximations():
    def guard(fn):
        def safe(v):
            try:
                return fn(v)
            except OverflowError:
                return math.inf
            except ValueError:
                return math.nan
        return safe

    def inverse(v):
        return math.copysign(math.inf, v) if v == 0 else 1 / v

    table = {"rcp": (inverse, 2.0 ** -22, 0), "sqrt": (lambda v: v if v == 0 else math.sqrt(v), 2.0 ** -22, 0),
             "rsqrt": (lambda v: inverse(v) if v == 0 else 1 / math.sqrt(v), 2.0 ** -21.5, 0),
             "sin": (math.sin, 0, 2.0 ** -20.5), "cos": (math.cos, 0, 2.0 ** -20.5),
             "lg2": (lambda v: -math.inf if v == 0 else math.log2(v), 2.0 ** -22, 2.0 ** -22),
             "ex2": (lambda v: 2.0 ** v, 2.0 ** -21.5, 0)}
    for name, (fn, relative, absolute) in table.items():
        for ftz in ("", ".ftz"):
            def approx(a, fn=guard(fn), relative=relative, absolute=absolute, ftz=ftz):
                return close(fn(x.real(x.decode(x.flush(a, "f32") if ftz else a, "f32"))), "f32", relative, absolute,
                             bool(ftz))
            yield case(f"{name}.approx{ftz}.f32 D, A;", "f32", ("angle" if name in ("sin", "cos") else "f32",), approx)
    for t, relative in (("f32", 2.0 ** -11), ("f16", 2.0 ** -10.987), ("bf16", 2.0 ** -8)):
        yield case(f"tanh.approx.{t} D, A;", t, (t,), lambda a, t=t, r=relative: close(
            math.tanh(x.real(x.decode(a, t))), t, r))
    yield case("ex2.approx.f16 D, A;", "f16", ("f16",), lambda a: close(
        guard(lambda v: 2.0 ** v)(x.real(x.decode(a, "f16"))), "f16", 2.0 ** -9.9))
    yield case("ex2.approx.ftz.bf16 D, A;", "bf16", ("bf16",), lambda a: close(
        guard(lambda v: 2.0 ** v)(x.real(x.decode(x.flush(a, "bf16"), "bf16"))), "bf16", 2.0 ** -7, ftz=True))
    for name, half in (("ex2.approx", "f16x2"), ("tanh.approx", "f16x2"), ("tanh.approx", "bf16x2")):
        t = half[:-2]
        f = (guard(lambda v: 2.0 ** v), 2.0 ** -9.9) if name[0] == "e" else (math.tanh, 2.0 ** -10 if t == "f16" else 2.0 ** -8)

        def both(a, f=f, t=t):
            goods = [close(f[0](x.real(x.decode(a >> s & 0xffff, t))), t, f[1]) for s in (0, 16)]
            return lambda r: goods[0](r & 0xffff) and goods[1](r >> 16)
        yield case(f"{name}.{half} D, A;", half, (half,), both)
    yield from quotients()


def quotients():
    """Yields approximate quotients, and approximate results of f64 whose lower 32 bits are zero."""
    for name, ftz in itertools.product(("approx", "full"), ("", ".ftz")):
        def divided(a, b, name=name, ftz=ftz):
            if ftz:
                a, b = x.flush(a, "f32"), x.flush(b, "f32")
            va, vb = x.decode(a, "f32"), x.decode(b, "f32")
            size = abs(x.real(vb))
            if name == "approx" and 2.0 ** 126 < size < math.inf and va != x.NAN:
                return x.canonical("f32") if va[0] == "inf" else close(-0.0 if va[1] != vb[1] else 0.0, "f32")
            if 0 < size < 2.0 ** -126:
                return lambda r: True  # no error is stated
            want = x.over(va, vb)
            try:
                want = x.real(want)
            except OverflowError:
                want = math.inf if not want[1] else -math.inf
            return close(want, "f32", 2.0 ** -21.9, ftz=bool(ftz))
        yield case(f"div.{name}{ftz}.f32 D, A, B;", "f32", ("f32",) * 2, divided)
    for name, fn in (("rcp", lambda v: x.over(x.number(1), v)), ("rsqrt", lambda v: x.over(x.number(1), x.root(v)))):
        def gross(a, fn=fn, name=name):
            v = x.decode(x.flush(a & ~0xffffffff, "f64"), "f64")
            if x.is_nan(a, "f64"):
                return lambda r: x.is_nan(r, "f64") and not r & 0xffffffff
            good = close(x.real(fn(v)) if v != x.NAN else math.nan, "f64", 2.0 ** -19, ftz=True)
            return lambda r: good(r) and not r & 0xffffffff
        yield case(f"{name}.approx.ftz.f64 D, A;", "f64", ("f64",), gross)
    yield case("rsqrt.approx.f64 D, A;", "f64", ("f64",), lambda a: close(
        math.nan if x.is_nan(a, "f64") else x.real(x.over(x.number(1), x.root(x.decode(a, "f64")))), "f64", 2.0 ** -19))


# ---- conversions ----

REG = {8: "b32", 16: "b16", 32: "b32", 64: "b64"}


def to_type(v, d, wide):
    """Returns an integer in a register of `wide` bits."""
    return val(v, d) & (1 << wide) - 1


def whole_conversions():
    kinds = ("u8", "s8") + INTS
    for d, s in itertools.product(kinds, repeat=2):
        for sat in ("", ".sat"):
            rd, rs = REG[BITS[d]], REG[BITS[s]]
            yield case(f"cvt{sat}.{d}.{s} D, A;", rd, (rs,), lambda a, d=d, s=s, sat=sat, n=BITS[rd]: to_type(
                clamp(val(a, s), d) if sat else val(a, s), d, n))
    for d in ("u8", "s8", "u16", "s16"):  # registers wider than the types
        yield case(f"cvt.{d}.s64 D, A;", "b64", ("b64",), lambda a, d=d: to_type(a, d, 64))
        yield case(f"cvt.s64.{d} D, A;", "b64", ("b64",), lambda a, d=d: val(a, d))


def float_to_int():
    rounds = {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}
    for s, d, r in itertools.product(("f16", "bf16", "f32", "f64"), ("u8", "s8") + INTS, rounds):
        for ftz in ("", ".ftz")[:2 if s == "f32" else 1]:
            rd = REG[BITS[d]]

            def fn(a, s=s, d=d, r=rounds[r], ftz=ftz, n=BITS[rd]):
                v = x.decode(x.flush(a, s) if ftz else a, s)
                if v == x.NAN:
                    return to_type(0 if s != "f64" and BITS[d] < 64 else 1 << BITS[d] - 1, d, n)
                low, high = limits(d)
                if v[0] == "inf":
                    return to_type(low if v[1] else high, d, n)
                return to_type(clamp(x.to_integer(v, r), d), d, n)
            yield case(f"cvt.{r}{ftz}.{d}.{s} D, A;", rd, (s,), fn)


def int_to_float():
    for s, d, r in itertools.product(("u8", "s8") + INTS, ("f16", "bf16", "f32", "f64"), ROUND):
        yield case(f"cvt.{r}.{d}.{s} D, A;", d, (REG[BITS[s]],),
                   lambda a, s=s, d=d, r=r: x.encode(x.number(val(a, s)), d, r))
    yield case("cvt.rn.sat.f32.s32 D, A;", "f32", ("s32",), lambda a: ONE["f32"] * (val(a, "s32") > 0))


def changed(s, d, rnd="rn", ftz="", sat=False, relu=False, satfinite=False):
    def fn(a):
        v = x.decode(x.flush(a, s) if ftz and s == "f32" else a, s)
        if v == x.NAN:
            return 0 if sat else (lambda r: x.is_nan(r, d)) if d in ("f64", "tf32") else x.canonical(d)
        if v[1] and (sat or relu):
            return (lambda r: r << 1 & (1 << x.width(d)) - 1 == 0) if x.zero(v) and relu else 0
        bits = x.encode(v, d, rnd, satfinite)
        if sat and bits > ONE[d]:
            return ONE[d]
        return x.flush(bits, d) if ftz and d == "f32" else bits
    return fn


def integral(t, r, ftz, sat):
    """Returns a function that rounds a number to an integer of the same type."""
    def fn(a):
        v = x.decode(x.flush(a, t) if ftz else a, t)
        if v == x.NAN:
            return 0 if sat else lambda r: x.is_nan(r, t)
        if v[0] == "inf":
            bits = x.infinity(t, v[1])
        else:
            bits = x.encode(x.number(x.to_integer(v, r), sign=v[1]), t)
        return bits if not sat else 0 if v[1] else min(bits, ONE[t])
    return fn


def float_to_float():
    for d, s in (("f16", "f32"), ("f16", "f64"), ("f32", "f64"), ("bf16", "f32"), ("bf16", "f64"), ("bf16", "f16"),
                 ("f16", "bf16")):
        for r in ROUND:
            for ftz in ("", ".ftz")[:2 if "f32" in (d, s) and d != "bf16" else 1]:
                yield case(f"cvt.{r}{ftz}.{d}.{s} D, A;", d, (s,), changed(s, d, r, ftz))
        if d != "bf16" and s != "bf16":
            yield case(f"cvt.rn.sat.{d}.{s} D, A;", d, (s,), changed(s, d, sat=True))
    for d, s in (("f32", "f16"), ("f64", "f16"), ("f64", "f32"), ("f32", "bf16"), ("f64", "bf16")):
        # ptxas shifts bf16, so a NaN keeps its bits
        yield case(f"cvt.{d}.{s} D, A;", d, (s,), changed(s, d) if (d, s) != ("f32", "bf16") else lambda a: a << 16)
        if "bf16" not in s:
            yield case(f"cvt.sat.{d}.{s} D, A;", d, (s,), changed(s, d, sat=True))
    yield case("cvt.ftz.f64.f32 D, A;", "f64", ("f32",), changed("f32", "f64", ftz=".ftz"))
    for t, (name, r) in itertools.product(("f16", "f32", "f64"), {"rni": "rn", "rzi": "rz", "rmi": "rm", "rpi": "rp"}.items()):
        for sat in ("", ".sat"):
            for ftz in ("", ".ftz")[:2 if t == "f32" else 1]:
                yield case(f"cvt.{name}{ftz}{sat}.{t}.{t} D, A;", t, (t,), integral(t, r, ftz, bool(sat)))
    for t in ("f16", "bf16"):
        for r, relu in itertools.product(("rn", "rz"), ("", ".relu")):
            yield case(f"cvt.{r}{relu}.{t}.f32 D, A;", t, ("f32",), changed("f32", t, r, relu=bool(relu)))
            fn = changed("f32", t, r, relu=bool(relu))
            yield case(f"cvt.{r}{relu}.{t}x2.f32 D, A, B;", "b32", ("f32", "f32"), packed(fn, 16))
    for s in ("rna", "rn", "rz", "rn.relu", "rz.relu", "rna.satfinite", "rn.satfinite", "rn.satfinite.relu"):
        yield case(f"cvt.{s}.tf32.f32 D, A;", "b32", ("f32",), changed(
            "f32", "tf32", s.split(".")[0], relu="relu" in s, satfinite="satfinite" in s))
    for t, relu in itertools.product(("e4m3", "e5m2"), ("", ".relu")):
        fn = changed("f32", t, relu=bool(relu), satfinite=True)
        yield case(f"cvt.rn.satfinite{relu}.{t}x2.f32 D, A, B;", "b16", ("f32", "f32"), packed(fn, 8))
        fn = changed("f16", t, relu=bool(relu), satfinite=True)
        yield case(f"cvt.rn.satfinite{relu}.{t}x2.f16x2 D, A;", "b16", ("f16x2",),
                   lambda a, fn=fn: packed(fn, 8)(a >> 16, a & 0xffff))
        fn = changed(t, "f16", relu=bool(relu))
        yield case(f"cvt.rn{relu}.f16x2.{t}x2 D, A;", "f16x2", (t + "x2",),
                   lambda a, fn=fn: packed(fn, 16)(a >> 8, a & 0xff))


def narrow_conversions():
    """Yields pairs of formats of at most 8 bits and of powers of two, and four numbers with random bits. e2m1x2 is in
    registers of 8 bits."""
    for t, relu in itertools.product(("e2m1", "e2m3", "e3m2"), ("", ".relu")):
        n = 4 if t == "e2m1" else 8
        source = "b16" if n == 8 else "b8"
        to, back = ("D", "A") if n == 8 else ("%c8", "%c0")
        after = "" if n == 8 else " cvt.u16.u8 D, %c8;"
        before = "" if n == 8 else "cvt.u8.u16 %c0, A; "
        fn = changed("f32", t, relu=bool(relu), satfinite=True)
        yield case(f"cvt.rn.satfinite{relu}.{t}x2.f32 {to}, A, B;{after}", "b16", ("f32", "f32"), packed(fn, n))
        for s in ("f16", "bf16"):
            fn = changed(s, t, relu=bool(relu), satfinite=True)
            yield case(f"cvt.rn.satfinite{relu}.{t}x2.{s}x2 {to}, A;{after}", "b16", (s + "x2",),
                       lambda a, fn=fn, n=n: packed(fn, n)(a >> 16, a & 0xffff))
        for d in ("f16", "bf16"):
            fn = changed(t, d, relu=bool(relu))
            yield case(f"{before}cvt.rn{relu}.{d}x2.{t}x2 D, {back};", d + "x2", (source,),
                       lambda a, fn=fn, n=n: packed(fn, 16)(a >> n & (1 << n) - 1, a & (1 << n) - 1))
    for t, relu in itertools.product(("e4m3", "e5m2"), ("", ".relu")):
        fn = changed("bf16", t, relu=bool(relu), satfinite=True)
        yield case(f"cvt.rn.satfinite{relu}.{t}x2.bf16x2 D, A;", "b16", ("bf16x2",),
                   lambda a, fn=fn: packed(fn, 8)(a >> 16, a & 0xffff))
        fn = changed(t, "bf16", relu=bool(relu))
        yield case(f"cvt.rn{relu}.bf16x2.{t}x2 D, A;", "bf16x2", (t + "x2",),
                   lambda a, fn=fn: packed(fn, 16)(a >> 8, a & 0xff))
    for r, sat in itertools.product(("rz", "rp"), ("", ".satfinite")):
        def scales(a, b, s, r=r, sat=sat):
            return sum(x.scale(x.decode(v, s), r == "rp", bool(sat)) << k for v, k in ((a, 8), (b, 0)))
        yield case(f"cvt.{r}{sat}.ue8m0x2.f32 D, A, B;", "b16", ("f32", "f32"), lambda a, b, f=scales: f(a, b, "f32"))
        yield case(f"cvt.{r}{sat}.ue8m0x2.bf16x2 D, A;", "b16", ("bf16x2",),
                   lambda a, f=scales: f(a >> 16, a & 0xffff, "bf16"))
    yield case("cvt.rn.bf16x2.ue8m0x2 D, A;", "b32", ("b16",), lambda a: sum(
        (0x7fff if c == 255 else c << 7 if c else 0x40) << k for c, k in ((a >> 8, 16), (a & 255, 0))))
    for r, sat, relu, t in itertools.product(("rn", "rz"), (".satfinite",), ("", ".relu"), ("f16", "bf16")):
        fn = changed("f32", t, r, relu=bool(relu), satfinite=bool(sat))
        yield case(f"cvt.{r}{relu}{sat}.{t}.f32 D, A;", t, ("f32",), fn)
        yield case(f"cvt.{r}{relu}{sat}.{t}x2.f32 D, A, B;", "b32", ("f32", "f32"), packed(fn, 16))
    for t in ("bf16",):
        for r in ROUND:
            yield case(f"cvt.{r}.ftz.{t}.f32 D, A;", t, ("f32",), changed("f32", t, r, ".ftz"))
        yield case(f"cvt.ftz.f32.{t} D, A;", "f32", (t,), changed(t, "f32", ftz=".ftz"))


def fields(r, t):
    """Returns the random bits of each element, the uppermost first, and their number. The bit numbers are measured."""
    def take(numbers):
        return sum((r >> at & 1) << len(numbers) - 1 - k for k, at in enumerate(numbers))
    high, low = list(range(31, 15, -1)), list(range(15, -1, -1))
    if t == "f16x2":
        return [take(high[3:]), take(low[3:])], 13
    if t == "bf16x2":
        return [take(high), take(low)], 16
    if t == "e2m1x4":
        high, low = high[:8] + low[:8], high[8:] + low[8:]
    return [take(high[::-1]), take(high), take(low[::-1]), take(low)], 16


def random_rounding():
    def stochastic(t, relu, sat):
        kind, k = t.split("x")
        step = 32 // int(k) if t != "e2m1x4" else 4

        def fn(*sources):
            randoms, n = fields(sources[-1], t)
            out = 0
            for v, r in zip(sources, randoms):
                v = x.decode(v, "f32")
                if relu and v != x.NAN and v[1]:
                    v = x.number(0)
                out = out << step | x.encode(v, kind, ("rs", r, n), sat)
            return out
        return fn
    for relu in ("", ".relu"):
        for t, sat in itertools.product(("f16x2", "bf16x2"), ("", ".satfinite")):
            yield case(f"cvt.rs{relu}{sat}.{t}.f32 D, A, B, C;", "b32", ("f32", "f32", "b32"), stochastic(t, relu, bool(sat)))
        for t in ("e2m1x4", "e4m3x4", "e5m2x4", "e2m3x4", "e3m2x4"):
            # all four are made from two sources, as their signs and halves differ
            text = f"neg.f32 %r5, A; mul.f32 %r6, B, 0f3f000000; cvt.rs{relu}.satfinite.{t}.f32 D, {{A, B, %r5, %r6}}, C;"
            yield case(text, "b16" if t == "e2m1x4" else "b32", ("f32", "f32", "b32"),
                       lambda a, b, c, fn=stochastic(t, relu, True): fn(
                           a, b, a ^ 1 << 31, finish(x.multiply(x.decode(b, "f32"), x.number(1, 2)), "f32"), c))


def mixed_precision():
    for t, r, sat in itertools.product(("f16", "bf16"), ("",) + ROUND, (False, True)):
        s, rnd = ("." + r if r else "") + (".sat" if sat else ""), r or "rn"

        def numbers(fn, rnd=rnd, sat=sat, t=t):
            return lambda *v: finish(fn(*(x.decode(w, t) for w in v[:-1]), x.decode(v[-1], "f32")), "f32", rnd, sat=sat)
        yield case(f"add{s}.f32.{t} D, A, B;", "f32", (t, "f32"), numbers(lambda a, c, r=rnd: x.add(a, c, r)))
        yield case(f"sub{s}.f32.{t} D, A, B;", "f32", (t, "f32"), numbers(lambda a, c, r=rnd: x.add(a, x.negate(c), r)))
        if r:
            yield case(f"fma{s}.f32.{t} D, A, B, C;", "f32", (t, t, "f32"), numbers(fused(rnd)))


def packed(fn, n):
    """Returns a function of two operands whose results are the parts of a register. The first is the upper part."""
    def both(a, b):
        wants = fn(b), fn(a)

        def good(r):
            parts = r & (1 << n) - 1, r >> n
            return all(w(p) if callable(w) else w == p for w, p in zip(wants, parts))
        return good
    return both
