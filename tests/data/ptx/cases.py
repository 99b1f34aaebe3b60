# SPDX-License-Identifier: BSD-2-Clause
"""The results of arithmetic instructions as the PTX manual defines them, independent of the program.

A case is a text with operands D (result) and A, B, C, E (sources), their kinds, and a function of the bits of the
sources. It returns the bits of the result, or a predicate that accepts correct bits (approximations, any NaN).
"""
import math
import itertools
import exact as x

INTS = ("u16", "s16", "u32", "s32", "u64", "s64")
BITS = {"pred": 1, "u8": 8, "s8": 8, "u16": 16, "s16": 16, "b16": 16, "f16": 16, "bf16": 16, "u32": 32, "s32": 32, "b32": 32,
        "f32": 32, "tf32": 32, "shift": 32, "small": 32, "f16x2": 32, "bf16x2": 32, "u16x2": 32, "s16x2": 32,
        "e4m3x2": 16, "e5m2x2": 16, "e2m1x2": 8, "e2m3x2": 16, "e3m2x2": 16, "ue8m0x2": 16, "u64": 64, "s64": 64, "b64": 64, "f64": 64, "f32x2": 64}
ROUND = ("rn", "rz", "rm", "rp")


def val(bits, t):
    n = BITS[t]
    bits &= (1 << n) - 1
    return bits - (1 << n) if t[0] == "s" and t != "shift" and t != "small" and bits >> n - 1 else bits


def limits(t):
    n = int(t[1:].split("x")[0])
    return (-(1 << n - 1), (1 << n - 1) - 1) if t[0] == "s" else (0, (1 << n) - 1)


def clamp(v, t):
    low, high = limits(t)
    return min(max(v, low), high)


def quotient(a, b):
    q = abs(a) // abs(b)
    return -q if (a < 0) != (b < 0) else q


def halves(fn, n=16):
    """Returns a function that applies fn to both parts of n bits of a word."""
    mask = (1 << n) - 1

    def both(*words):
        return (fn(*(w & mask for w in words)) & mask) | (fn(*(w >> n for w in words)) & mask) << n
    return both


def case(text, d, sources, fn):
    return dict(text=text, d=d, sources=tuple(sources), fn=fn)


# ---- integers ----

def integers():
    for t in INTS:
        n = BITS[t]

        def one(name, fn, k=2, t=t, d=None, last=None):
            kinds = [t] * k
            if last:
                kinds[-1] = last
            names = ", ".join("ABC"[:k])
            return case(f"{name}.{t} D, {names};", d or t, kinds,
                        lambda *a: fn(*(val(v, s) for v, s in zip(a, kinds))))

        yield one("add", lambda a, b: a + b)
        yield one("sub", lambda a, b: a - b)
        yield one("mul.lo", lambda a, b: a * b)
        yield one("mul.hi", lambda a, b, n=n: a * b >> n)
        yield one("mad.lo", lambda a, b, c: a * b + c, 3)
        yield one("mad.hi", lambda a, b, c, n=n: (a * b >> n) + c, 3)
        yield one("div", lambda a, b, t=t: quotient(a, b) if b else (lambda r: True))
        yield one("rem", lambda a, b: a - b * quotient(a, b) if b else (lambda r: True))
        yield one("min", min)
        yield one("max", max)
        yield one("sad", lambda a, b, c: c + abs(a - b), 3)
        if t[0] == "s":
            yield one("abs", abs, 1)
            yield one("neg", lambda a: -a, 1)
        if n < 64:
            wide = t[0] + str(2 * n)
            yield one("mul.wide", lambda a, b: a * b, d=wide)
            yield one("mad.wide", lambda a, b, c: a * b + c, 3, d=wide, last=wide)
        yield one("shr", lambda a, b: a >> min(b, 200), last="shift")
        for cmp, fn in (("eq", lambda a, b: a == b), ("ne", lambda a, b: a != b), ("lt", lambda a, b: a < b),
                        ("le", lambda a, b: a <= b), ("gt", lambda a, b: a > b), ("ge", lambda a, b: a >= b)):
            yield one("setp." + cmp, fn, d="pred")
            yield case(f"set.{cmp}.u32.{t} D, A, B;", "u32", (t, t),
                       lambda a, b, fn=fn, t=t: -fn(val(a, t), val(b, t)))
            yield case(f"set.{cmp}.f32.{t} D, A, B;", "f32", (t, t),
                       lambda a, b, fn=fn, t=t: 0x3f800000 * fn(val(a, t), val(b, t)))
        if t[0] == "u":
            for cmp, fn in (("lo", lambda a, b: a < b), ("ls", lambda a, b: a <= b), ("hi", lambda a, b: a > b),
                            ("hs", lambda a, b: a >= b)):
                yield one("setp." + cmp, fn, d="pred")
    for t in ("s32",):
        for name, fn in (("add.sat", lambda a, b: a + b), ("sub.sat", lambda a, b: a - b)):
            yield case(f"{name}.s32 D, A, B;", t, (t, t), lambda a, b, fn=fn: clamp(fn(val(a, "s32"), val(b, "s32")), "s32"))
        yield case("mad.hi.sat.s32 D, A, B, C;", t, (t, t, t), lambda a, b, c: clamp(
            (val(a, "s32") * val(b, "s32") >> 32) + val(c, "s32"), "s32"))
    for name, fn in (("min", min), ("max", max)):
        yield case(f"{name}.relu.s32 D, A, B;", "s32", ("s32", "s32"),
                   lambda a, b, fn=fn: max(0, fn(val(a, "s32"), val(b, "s32"))))
        yield case(f"{name}.relu.s16x2 D, A, B;", "s16x2", ("s16x2", "s16x2"),
                   halves(lambda a, b, fn=fn: max(0, fn(val(a, "s16"), val(b, "s16")))))
        for t in ("u16", "s16"):
            yield case(f"{name}.{t}x2 D, A, B;", t + "x2", (t + "x2",) * 2,
                       halves(lambda a, b, fn=fn, t=t: fn(val(a, t), val(b, t))))
    for t in ("u16x2", "s16x2"):
        yield case(f"add.{t} D, A, B;", t, (t, t), halves(lambda a, b: a + b))
    yield from products24()
    yield from dots()
    yield from carries()


def products24():
    def low24(v, t):
        v &= 0xffffff
        return v - (1 << 24) if t == "s32" and v >> 23 else v

    for t in ("u32", "s32"):
        for half, shift in (("lo", 0), ("hi", 16)):
            yield case(f"mul24.{half}.{t} D, A, B;", t, (t, t),
                       lambda a, b, t=t, s=shift: low24(a, t) * low24(b, t) >> s)
            yield case(f"mad24.{half}.{t} D, A, B, C;", t, (t, t, t),
                       lambda a, b, c, t=t, s=shift: (low24(a, t) * low24(b, t) >> s) + c)
    yield case("mad24.hi.sat.s32 D, A, B, C;", "s32", ("s32",) * 3, lambda a, b, c: clamp(
        (low24(a, "s32") * low24(b, "s32") >> 16) + val(c, "s32"), "s32"))


def dots():
    def part(v, i, n, t):
        return val(v >> i * n, t[0] + str(n))

    for ta, tb in itertools.product(("u32", "s32"), repeat=2):
        yield case(f"dp4a.{ta}.{tb} D, A, B, C;", "b32", ("b32",) * 3, lambda a, b, c, ta=ta, tb=tb: c + sum(
            part(a, i, 8, ta) * part(b, i, 8, tb) for i in range(4)))
        for half, first in (("lo", 0), ("hi", 2)):
            yield case(f"dp2a.{half}.{ta}.{tb} D, A, B, C;", "b32", ("b32",) * 3,
                       lambda a, b, c, ta=ta, tb=tb, f=first: c + sum(
                           part(a, i, 16, ta) * part(b, i + f, 8, tb) for i in range(2)))


def carries():
    """Yields pairs of instructions whose result is the upper half of a number of twice the width."""
    for t in ("u32", "s32", "u64", "s64"):
        n = BITS[t]
        full = (1 << n) - 1
        yield case(f"add.cc.{t} T, A, B; addc.{t} D, C, E;", t, (t,) * 4,
                   lambda a, b, c, e, n=n: c + e + (a + b >> n))
        yield case(f"sub.cc.{t} T, A, B; subc.{t} D, C, E;", t, (t,) * 4, lambda a, b, c, e: c - e - (a < b))
        yield case(f"sub.cc.{t} T, A, B; addc.{t} D, C, E;", t, (t,) * 4, lambda a, b, c, e: c + e + (a >= b))
        yield case(f"add.cc.{t} T, A, B; subc.{t} D, C, E;", t, (t,) * 4,
                   lambda a, b, c, e, n=n: c - e - 1 + (a + b >> n))
        yield case(f"add.cc.{t} T, A, B; addc.cc.{t} T, C, E; addc.{t} D, 0, 0;", t, (t,) * 4,
                   lambda a, b, c, e, n=n: c + e + (a + b >> n) >> n)
        yield case(f"sub.cc.{t} T, A, B; subc.cc.{t} T, C, E; subc.{t} D, 0, 0;", t, (t,) * 4,
                   lambda a, b, c, e: -(c < e + (a < b)))
        yield case(f"mad.lo.cc.{t} T, A, B, C; addc.{t} D, E, 0;", t, (t,) * 4,
                   lambda a, b, c, e, n=n, f=full: e + ((a * b & f) + c >> n))
        yield case(f"mad.hi.cc.{t} T, A, B, C; addc.{t} D, E, 0;", t, (t,) * 4,
                   lambda a, b, c, e, n=n, f=full, t=t: e + ((val(a, t) * val(b, t) >> n & f) + c >> n))
        for half, shift in (("lo", 0), ("hi", n)):
            yield case(f"add.cc.{t} T, C, E; madc.{half}.{t} D, A, B, C;", t, (t,) * 4,
                       lambda a, b, c, e, n=n, t=t, s=shift: (val(a, t) * val(b, t) >> s) + c + (c + e >> n))
        yield case(f"add.cc.{t} T, C, E; madc.lo.cc.{t} T, A, B, C; madc.hi.{t} D, A, B, 0;", t, (t,) * 4,
                   lambda a, b, c, e, n=n, t=t, f=full: (val(a, t) * val(b, t) >> n) + (
                       (a * b & f) + c + (c + e >> n) >> n))


# ---- bits ----

def bit(v, i):
    return v >> i & 1


def bfe(a, b, c, t):
    n = BITS[t]
    pos, length = b & 255, c & 255
    top = 0 if t[0] == "u" or not length else bit(a, min(pos + length - 1, n - 1))
    return sum((bit(a, pos + i) if i < length and pos + i < n else top) << i for i in range(n))


def bfi(a, b, pos, length, n):
    pos, length = pos & 255, length & 255
    for i in range(n):
        if i < length and pos + i < n:
            b = b & ~(1 << pos + i) | bit(a, i) << pos + i
    return b


def fns(mask, base, n):
    base, n = base & 31, val(n, "s32")
    if n == 0:
        return base if bit(mask, base) else -1
    steps = range(base, 32) if n > 0 else range(base, -1, -1)
    found = [i for i in steps if bit(mask, i)]
    return found[abs(n) - 1] if len(found) >= abs(n) else -1


def prmt(a, b, s):
    data = [(b << 32 | a) >> 8 * i & 255 for i in range(8)]
    out = 0
    for i in range(4):
        nibble = s >> 4 * i & 15
        v = data[nibble & 7]
        out |= ((255 if v & 128 else 0) if nibble & 8 else v) << 8 * i
    return out


MODES = {  # bytes 3 2 1 0 of the result for c = 0 .. 3
    "f4e": ((3, 2, 1, 0), (4, 3, 2, 1), (5, 4, 3, 2), (6, 5, 4, 3)),
    "b4e": ((5, 6, 7, 0), (6, 7, 0, 1), (7, 0, 1, 2), (0, 1, 2, 3)),
    "rc8": ((0, 0, 0, 0), (1, 1, 1, 1), (2, 2, 2, 2), (3, 3, 3, 3)),
    "ecl": ((3, 2, 1, 0), (3, 2, 1, 1), (3, 2, 2, 2), (3, 3, 3, 3)),
    "ecr": ((0, 0, 0, 0), (1, 1, 1, 0), (2, 2, 1, 0), (3, 2, 1, 0)),
    "rc16": ((1, 0, 1, 0), (3, 2, 3, 2), (1, 0, 1, 0), (3, 2, 3, 2))}


def permute_mode(a, b, c, mode):
    out = 0
    for k in MODES[mode][c & 3]:
        out = out << 8 | (b << 32 | a) >> 8 * k & 255
    return out


def find(a, t, amount):
    n, v = BITS[t], val(a, t)
    v = ~v if v < 0 else v
    at = v.bit_length() - 1
    return -1 if at < 0 else n - 1 - at if amount else at


def bits():
    for n in (16, 32, 64):
        t = f"b{n}"
        for name, fn in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
            yield case(f"{name}.{t} D, A, B;", t, (t, t), fn)
        yield case(f"not.{t} D, A;", t, (t,), lambda a: ~a)
        yield case(f"cnot.{t} D, A;", t, (t,), lambda a: a == 0)
        yield case(f"shl.{t} D, A, B;", t, (t, "shift"), lambda a, b: a << min(b, 200))
        yield case(f"shr.{t} D, A, B;", t, (t, "shift"), lambda a, b: a >> min(b, 200))
        yield case(f"selp.{t} D, A, B, C;", t, (t, t, "pred"), lambda a, b, c: a if c else b)
        yield case(f"selp.{t} D, A, B, !C;", t, (t, t, "pred"), lambda a, b, c: b if c else a)
        yield case(f"slct.{t}.s32 D, A, B, C;", t, (t, t, "s32"), lambda a, b, c: a if val(c, "s32") >= 0 else b)
        for ftz in ("", ".ftz"):
            yield case(f"slct{ftz}.{t}.f32 D, A, B, C;", t, (t, t, "f32"), lambda a, b, c, f=ftz: a if x.compare(
                x.decode(x.flush(c, "f32") if f else c, "f32"), x.number(0)) in (0, 1) else b)
    for name, fn in (("and", lambda a, b: a & b), ("or", lambda a, b: a | b), ("xor", lambda a, b: a ^ b)):
        yield case(f"{name}.pred D, A, B;", "pred", ("pred", "pred"), fn)
    yield case("not.pred D, A;", "pred", ("pred",), lambda a: not a)
    for n in (32, 64):
        t, mask = f"b{n}", (1 << n) - 1
        yield case(f"popc.{t} D, A;", "u32", (t,), lambda a: bin(a).count("1"))
        yield case(f"clz.{t} D, A;", "u32", (t,), lambda a, n=n: n - a.bit_length())
        yield case(f"brev.{t} D, A;", t, (t,), lambda a, n=n: int(f"{a:0{n}b}"[::-1], 2))
        yield case(f"bfi.{t} D, A, B, C, E;", t, (t, t, "small", "small"),
                   lambda a, b, c, e, n=n: bfi(a, b, c, e, n))
        for t in (f"u{n}", f"s{n}"):
            yield case(f"bfe.{t} D, A, B, C;", t, (t, "small", "small"), lambda a, b, c, t=t: bfe(a, b, c, t))
            yield case(f"bfind.{t} D, A;", "u32", (t,), lambda a, t=t: find(a, t, False))
            yield case(f"bfind.shiftamt.{t} D, A;", "u32", (t,), lambda a, t=t: find(a, t, True))
    for mode in ("wrap", "clamp"):
        cut = (lambda c: c & 31) if mode == "wrap" else (lambda c: min(c, 32))
        yield case(f"shf.l.{mode}.b32 D, A, B, C;", "b32", ("b32", "b32", "shift"),
                   lambda a, b, c, cut=cut: (b << 32 | a) << cut(c) >> 32)
        yield case(f"shf.r.{mode}.b32 D, A, B, C;", "b32", ("b32", "b32", "shift"),
                   lambda a, b, c, cut=cut: (b << 32 | a) >> cut(c))
        if mode == "clamp":
            mask = lambda a, b: ((1 << min(b, 32)) - 1) << a if a < 32 else 0  # noqa: E731
        else:
            mask = lambda a, b: ((1 << (b & 31)) - 1) << (a & 31)  # noqa: E731
        yield case(f"bmsk.{mode}.b32 D, A, B;", "b32", ("shift", "shift"), mask)
        for t in ("u32", "s32"):
            def extend(a, b, t=t, wrap=mode == "wrap"):
                b = b & 31 if wrap else b
                return a if b >= 32 else 0 if not b else (a & (1 << b) - 1) - (
                    1 << b if t == "s32" and bit(a, b - 1) else 0)
            yield case(f"szext.{mode}.{t} D, A, B;", t, ("b32", "shift"), extend)
    yield case("fns.b32 D, A, B, C;", "b32", ("b32", "small", "small"), lambda a, b, c: fns(a, b, c))
    yield case("fns.b32 D, A, 5, B;", "b32", ("b32", "count"), lambda a, c: fns(a, 5, c))
    yield case("fns.b32 D, A, 27, B;", "b32", ("b32", "count"), lambda a, c: fns(a, 27, c))
    yield case("prmt.b32 D, A, B, C;", "b32", ("b32",) * 3, prmt)
    for mode in MODES:
        yield case(f"prmt.b32.{mode} D, A, B, C;", "b32", ("b32", "b32", "small"),
                   lambda a, b, c, m=mode: permute_mode(a, b, c, m))
    for lut in (0, 0x1e, 0x80, 0x96, 0xca, 0xe8, 0xfe, 0xff):
        def table(a, b, c, lut=lut):
            return sum(bit(lut, bit(a, i) << 2 | bit(b, i) << 1 | bit(c, i)) << i for i in range(32))
        yield case(f"lop3.b32 D, A, B, C, {lut:#x};", "b32", ("b32",) * 3, table)
        for how in ("and", "or"):
            yield case(f"lop3.{how}.b32 T|D, A, B, C, {lut:#x}, E;", "pred", ("b32", "b32", "b32", "pred"),
                       lambda a, b, c, e, table=table, how=how: (table(a, b, c) != 0) & e if how == "and"
                       else (table(a, b, c) != 0) | e)
    for how in ("and", "or", "xor"):
        def joined(a, b, c, how=how):
            v = val(a, "s32") < val(b, "s32")
            return {"and": v & c, "or": v | c, "xor": v ^ c}[how]

        def other(a, b, c, how=how):
            v = val(a, "s32") >= val(b, "s32")
            return {"and": v & c, "or": v | c, "xor": v ^ c}[how]
        kinds = ("s32", "s32", "pred")
        yield case(f"setp.lt.{how}.s32 D|P, A, B, C;", "pred", kinds, joined)
        yield case(f"setp.lt.{how}.s32 P|D, A, B, C;", "pred", kinds, other)
        yield case(f"setp.lt.{how}.s32 D, A, B, !C;", "pred", kinds, lambda a, b, c, j=joined: j(a, b, 1 - c))
        yield case(f"set.lt.{how}.u32.s32 D, A, B, C;", "u32", kinds, lambda a, b, c, j=joined: -j(a, b, c))
    yield case("setp.lt.s32 P|D, A, B;", "pred", ("s32", "s32"), lambda a, b: val(a, "s32") >= val(b, "s32"))


# ---- video ----

def video():
    def join(v, c, how, td):
        return {"": v, "add": v + c, "min": min(val(v, td), val(c, td)), "max": max(val(v, td), val(c, td))}[how]

    ops = {"vadd": lambda a, b: a + b, "vsub": lambda a, b: a - b, "vabsdiff": lambda a, b: abs(a - b),
           "vmin": min, "vmax": max, "vavrg": lambda a, b: a + b + (a + b >= 0) >> 1}
    cmps = {"eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b,
            "le": lambda a, b: a <= b, "gt": lambda a, b: a > b, "ge": lambda a, b: a >= b}
    kinds = list(itertools.product(("u32", "s32"), repeat=3))
    for i, (name, (td, ta, tb)) in enumerate(itertools.product(ops, kinds)):
        fn = ops[name]
        sat = i % 2 == 1
        for how in ("", "add", "min", "max")[:4 if name != "vavrg" else 0]:
            def one(a, b, c=0, td=td, ta=ta, tb=tb, fn=fn, how=how, sat=sat):
                v = fn(val(a, ta), val(b, tb))
                return join((clamp(v, td) if sat else v) & 0xffffffff, c, how, td)
            suffix = (".sat" if sat else "") + ("." + how if how else "")
            yield case(f"{name}.{td}.{ta}.{tb}{suffix} D, A, B{', C' if how else ''};", "b32",
                       ("b32",) * (3 if how else 2), one)

        def part(a, b, c, td=td, ta=ta, tb=tb, fn=fn, sat=sat):
            v = fn(val(a >> 8, ta[0] + "8"), val(b >> 16, tb[0] + "16"))
            v = clamp(v, td[0] + "8") if sat else v
            return c & ~0xff0000 | (v & 255) << 16
        if name != "vavrg":
            yield case(f"{name}.{td}.{ta}.{tb}{'.sat' if sat else ''} D.b2, A.b1, B.h1, C;", "b32", ("b32",) * 3, part)
        for n in (2, 4):
            w = 32 // n
            for how in ("", "sat", "add"):
                def many(a, b, c, td=td, ta=ta, tb=tb, fn=fn, n=n, w=w, how=how):
                    parts = [fn(val(a >> w * e, ta[0] + str(w)), val(b >> w * e, tb[0] + str(w))) for e in range(n)]
                    if how == "add":
                        return c + sum(parts)
                    return sum((clamp(v, td[0] + str(w)) if how == "sat" else v) % (1 << w) << w * e
                               for e, v in enumerate(parts))
                if how == "add" and td != "u32" and (ta, tb) == ("u32", "u32"):
                    continue
                yield case(f"{name}{n}.{td}.{ta}.{tb}{'.' + how if how else ''} D, A, B, C;", "b32", ("b32",) * 3, many)
    for (ta, tb), (cmp, fn) in itertools.product(itertools.product(("u32", "s32"), repeat=2), cmps.items()):
        yield case(f"vset.{ta}.{tb}.{cmp} D, A, B;", "b32", ("b32",) * 2,
                   lambda a, b, fn=fn, ta=ta, tb=tb: fn(val(a, ta), val(b, tb)))
        for n in (2, 4):
            w = 32 // n
            yield case(f"vset{n}.{ta}.{tb}.{cmp} D, A, B, C;", "b32", ("b32",) * 3,
                       lambda a, b, c, fn=fn, ta=ta, tb=tb, n=n, w=w: sum(
                           fn(val(a >> w * e, ta[0] + str(w)), val(b >> w * e, tb[0] + str(w))) << w * e for e in range(n)))
            yield case(f"vset{n}.{ta}.{tb}.{cmp}.add D, A, B, C;", "b32", ("b32",) * 3,
                       lambda a, b, c, fn=fn, ta=ta, tb=tb, n=n, w=w: c + sum(
                           fn(val(a >> w * e, ta[0] + str(w)), val(b >> w * e, tb[0] + str(w))) for e in range(n)))
    for td, ta in itertools.product(("u32", "s32"), repeat=2):
        for mode in ("clamp", "wrap"):
            cut = (lambda n: n & 31) if mode == "wrap" else (lambda n: min(n, 32))
            yield case(f"vshl.{td}.{ta}.u32.{mode} D, A, B;", "b32", ("b32", "shift"),
                       lambda a, b, ta=ta, cut=cut: val(a, ta) << cut(b))
            yield case(f"vshr.{td}.{ta}.u32.{mode} D, A, B;", "b32", ("b32", "shift"),
                       lambda a, b, ta=ta, cut=cut: val(a, ta) >> cut(b))
    yield from video_mad()


def video_mad():
    for ta, tb in itertools.product(("u32", "s32"), repeat=2):
        signed = "s32" in (ta, tb)
        td = "s32" if signed else "u32"
        for shift, scale in ((0, ""), (7, ".shr7"), (15, ".shr15")):
            for sat in ("", ".sat"):
                def mad(a, b, c, ta=ta, tb=tb, td=td, shift=shift, sat=sat, extra=0):
                    v = val(a, ta) * val(b, tb) + val(c, td) + extra >> shift
                    return clamp(v, td) if sat else v
                yield case(f"vmad.{td}.{ta}.{tb}{sat}{scale} D, A, B, C;", "b32", ("b32",) * 3, mad)
                yield case(f"vmad.{td}.{ta}.{tb}.po{sat}{scale} D, A, B, C;", "b32", ("b32",) * 3,
                           lambda a, b, c, mad=mad: mad(a, b, c, extra=1))
    yield case("vmad.s32.s32.s32 D, A, B, -C;", "b32", ("b32",) * 3,
               lambda a, b, c: val(a, "s32") * val(b, "s32") - val(c, "s32"))
    yield case("vmad.s32.u32.u32 D, -A.b1, B.h0, C;", "b32", ("b32",) * 3,
               lambda a, b, c: -(a >> 8 & 255) * (b & 0xffff) + val(c, "s32"))
