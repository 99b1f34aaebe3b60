# SPDX-License-Identifier: BSD-2-Clause
"""Floating-point formats in exact integers: bits to numbers, arithmetic without rounding, one rounding at the end.

A number is a tuple: ("nan",), ("inf", sign) or ("num", sign, n, d), which is n / d with n >= 0 and d > 0. No
function except real() uses floating point.
"""
from math import isqrt

# exponent bits, mantissa bits, bits below the mantissa in a register
FORMATS = {"f16": (5, 10, 0), "bf16": (8, 7, 0), "tf32": (8, 10, 13), "f32": (8, 23, 0), "f64": (11, 52, 0),
           "e4m3": (4, 3, 0), "e5m2": (5, 2, 0), "e2m1": (2, 1, 0), "e2m3": (2, 3, 0), "e3m2": (3, 2, 0)}
FINITE = ("e2m1", "e2m3", "e3m2")  # every code is a number
NAN = ("nan",)


def width(fmt):
    e, m, low = FORMATS[fmt]
    return 1 + e + m + low


def number(n, d=1, sign=None):
    """Returns n / d as a number; sign is the sign of a zero."""
    if d < 0:
        n, d = -n, -d
    return ("num", (n < 0) if n else bool(sign), abs(n), d)


def decode(bits, fmt):
    e, m, low = FORMATS[fmt]
    bits >>= low
    sign, exp, man = bool(bits >> e + m & 1), bits >> m & (1 << e) - 1, bits & (1 << m) - 1
    if exp == (1 << e) - 1 and fmt not in FINITE and (fmt != "e4m3" or man == 7):
        return NAN if man else ("inf", sign)
    power = max(exp, 1) - (1 << e - 1) + 1 - m
    man |= (1 << m) if exp else 0
    return ("num", sign, man << max(power, 0), 1 << max(-power, 0))


def signed(v):
    """Returns the numerator with its sign."""
    return -v[2] if v[1] else v[2]


def zero(v):
    return v[0] == "num" and not v[2]


def is_nan(bits, fmt):
    return decode(bits, fmt) == NAN


def subnormal(bits, fmt):
    e, m, low = FORMATS[fmt]
    bits >>= low
    return not bits >> m & (1 << e) - 1 and bits & (1 << m) - 1 != 0


def flush(bits, fmt):
    return bits & 1 << width(fmt) - 1 if subnormal(bits, fmt) else bits


def canonical(fmt):
    """Returns the canonical NaN, or the greatest number in formats without NaN."""
    e, m, low = FORMATS[fmt]
    return (1 << e + m) - 1 << low


def infinity(fmt, sign):
    e, m, low = FORMATS[fmt]
    top = 0x7f if fmt == "e4m3" else (1 << e) - 1 << m
    return (top | sign << e + m) << low


def greatest(fmt, sign):
    e, m, low = FORMATS[fmt]
    top = 0x7e if fmt == "e4m3" else (1 << e + m) - 1 if fmt in FINITE else ((1 << e) - 1 << m) - 1
    return (top | sign << e + m) << low


def choose(sign, whole, rest, rnd):
    """Returns whole or whole + 1. rest compares the remainder with a half: -1, 0 or 1; None: there is no remainder."""
    if rest is None or isinstance(rnd, tuple):
        return whole
    up = {"rn": rest > 0 or (rest == 0 and whole & 1), "rna": rest >= 0, "rz": False, "rm": sign, "rp": not sign}[rnd]
    return whole + bool(up)


def divide(n, d):
    whole, left = divmod(n, d)
    return whole, None if not left else (2 * left > d) - (2 * left < d)


def to_integer(v, rnd):
    """Returns the integer to which a number is rounded."""
    whole, rest = divide(v[2], v[3])
    whole = choose(v[1], whole, rest, rnd)
    return -whole if v[1] else whole


def scale(v, up, satfinite):
    """Returns the ue8m0 exponent of the power of two above or below the absolute value."""
    if v == NAN:
        return 0xff
    top = 0xfe if satfinite else 0xff
    if v[0] == "inf":
        return top
    code = 0
    while code < 0xff and (_times(v, code + (not up)) > 0 if up else _times(v, code + 1) >= 0):
        code += 1
    return code if code < 0xff else top


def _times(v, code):
    """Returns the sign of the absolute value minus 2^(code - 127)."""
    n, d = v[2] << max(127 - code, 0), v[3] << max(code - 127, 0)
    return (n > d) - (n < d)


def encode(v, fmt, rnd="rn", satfinite=False):
    """Returns the bits of a number. With rnd ("rs", r, n), n random bits r are added to the first n removed bits."""
    e, m, low = FORMATS[fmt]
    if v == NAN:
        return canonical(fmt)
    sign = v[1]
    if v[0] == "inf":
        return greatest(fmt, sign) if satfinite else infinity(fmt, sign)
    n, d = v[2], v[3]
    if not n:
        return sign << e + m + low
    bias = (1 << e - 1) - 1
    power = n.bit_length() - d.bit_length()  # 2^power <= n/d < 2^(power+1), after this:
    if (n << max(-power, 0)) < (d << max(power, 0)):
        power -= 1
    last = max(power, 1 - bias) - m  # exponent of the last place
    whole, rest = divide(n << max(-last, 0), d << max(last, 0))
    whole = choose(sign, whole, rest, rnd)
    if isinstance(rnd, tuple):
        whole = ((n << max(-last, 0) + rnd[2]) // (d << max(last, 0)) + rnd[1]) >> rnd[2]
    if whole >> m + 1:
        whole >>= 1
        last += 1
    exp = last + m + bias
    bits = whole if whole < 1 << m else (exp << m) + whole - (1 << m)
    if bits > greatest(fmt, False) >> low:
        away = rnd in ("rn", "rna") or isinstance(rnd, tuple) or (rnd == "rp" and not sign) or (rnd == "rm" and sign)
        return greatest(fmt, sign) if satfinite or not away else infinity(fmt, sign)
    return (bits | sign << e + m) << low


def negate(v):
    return v if v == NAN else (v[0], not v[1]) + v[2:]


def multiply(a, b):
    if NAN in (a, b):
        return NAN
    sign = a[1] != b[1]
    if "inf" in (a[0], b[0]):
        return NAN if zero(a) or zero(b) else ("inf", sign)
    return ("num", sign, a[2] * b[2], a[3] * b[3])


def add(a, b, rnd="rn"):
    if NAN in (a, b):
        return NAN
    if a[0] == "inf" or b[0] == "inf":
        if a[0] == b[0] and a[1] != b[1]:
            return NAN
        return a if a[0] == "inf" else b
    if zero(a) and zero(b):
        return a if a[1] == b[1] else number(0, sign=rnd == "rm")
    n = signed(a) * b[3] + signed(b) * a[3]
    return number(n, a[3] * b[3], sign=rnd == "rm")


def over(a, b):
    if NAN in (a, b):
        return NAN
    sign = a[1] != b[1]
    if a[0] == "inf":
        return NAN if b[0] == "inf" else ("inf", sign)
    if b[0] == "inf":
        return ("num", sign, 0, 1)
    if zero(b):
        return NAN if zero(a) else ("inf", sign)
    return ("num", sign, a[2] * b[3], a[3] * b[2])


def root(v):
    """Returns the square root: exact, or so close that every rounding gives the same result."""
    if v == NAN or zero(v):
        return v
    if v[1]:
        return NAN
    if v[0] == "inf":
        return v
    shift = 2400
    n, d = v[2] << shift, v[3]
    if d.bit_length() % 2 == 0:  # a power of two: make its exponent even
        n, d = 2 * n, 2 * d
    low = isqrt(n)
    exact = low * low == n
    return ("num", False, 2 * low + (not exact), 2 << shift // 2 + (d.bit_length() - 1) // 2)


def compare(a, b):
    """Returns -1, 0 or 1, or None if the operands are unordered."""
    if NAN in (a, b):
        return None
    key = []
    for v, other in ((a, b), (b, a)):
        if v[0] == "inf":
            key.append((-1 if v[1] else 1, 0))
        else:
            key.append((0, signed(v) * (other[3] if other[0] == "num" else 1)))
    return (key[0] > key[1]) - (key[0] < key[1])


def real(v):
    """Returns the number as a Python float, for approximations only."""
    if v == NAN:
        return float("nan")
    if v[0] == "inf":
        return float("-inf") if v[1] else float("inf")
    r = v[2] / v[3]
    return -r if v[1] else r
