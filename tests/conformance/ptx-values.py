#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares the buffers written by trace-exec with a reference directory:
REFERENCE/ptx/{cases,values}/NAME/{launch,expect/*}.

usage: ptx-values.py REFERENCE [PATTERN...]    TRACE_PTX names the program (build/trace-exec)

Bytes must be equal, except for the cases of CLOSE: buffers of approximate instructions, and results that the reference
rounded twice where a fused multiply-add rounds once. A directory without expect/ is run but not compared."""
import fnmatch
import os
import struct
import subprocess
import sys
import tempfile

# name: (type of the elements, greatest relative difference, greatest absolute difference, reason)
FUSED = "the reference rounds a multiply-add twice"
APPROX = "approximate instructions"
CLOSE = {
    "const-mem": ("f", 1e-5, 1e-5, FUSED), "f64": ("d", 1e-14, 1e-14, FUSED), "half-arith": ("e", 2e-3, 2e-3, FUSED),
    "matmul-naive": ("f", 1e-5, 1e-5, FUSED), "matmul-tiled": ("f", 1e-5, 1e-5, FUSED), "spmv": ("f", 1e-5, 1e-5, FUSED),
    "nbody": ("f", 1e-4, 1e-4, APPROX), "trig": ("f", 2e-6, 1e-6, APPROX),
    **{n: ("f", 2e-6, 1e-6, APPROX) for n in ("sin", "cos", "lg2", "ex2", "rsqrt", "sqrt", "tanh", "div_approx", "rcp")},
}
EXCEPT = {
    "micro-sfu": "the reference's rsqrt.approx.f64 of 1.5 is infinite",
    "bar_red_and_pred": "its launch gives one argument to a kernel of two, which stores through the other",
}


def close(got, want, fmt, rel, absolute):
    size = struct.calcsize(fmt)
    for (g,), (w,) in zip(struct.iter_unpack("<" + fmt, got), struct.iter_unpack("<" + fmt, want)):
        if g != w and not (g != g and w != w) and not abs(g - w) <= max(absolute, rel * abs(w)):
            return f"{g!r} (expected {w!r})"
    return None if len(got) == len(want) and len(got) % size == 0 else "another length"


def run(program, directory, name):
    with tempfile.TemporaryDirectory() as out:
        r = subprocess.run([program, "-q", "-n", "-C", out, os.path.join(directory, "launch")], capture_output=True, text=True,
                           timeout=300)
        if r.returncode:
            return r.stderr.strip().splitlines()[0] if r.stderr.strip() else f"exit status {r.returncode}"
        expect = os.path.join(directory, "expect")
        for f in sorted(os.listdir(expect)) if os.path.isdir(expect) else []:
            got = open(os.path.join(out, f), "rb").read()
            want = open(os.path.join(expect, f), "rb").read()
            if got == want:
                continue
            if name not in CLOSE:
                return f"{f}: other bytes"
            fmt, rel, absolute, _ = CLOSE[name]
            if (why := close(got, want, fmt, rel, absolute)):
                return f"{f}: {why}"
    return None


def main():
    program = os.environ.get("TRACE_PTX", "build/trace-exec")
    patterns = sys.argv[2:] or ["*"]
    good = total = 0
    for kind in ("cases", "values"):
        base = os.path.join(sys.argv[1], "ptx", kind)
        for name in sorted(os.listdir(base)) if os.path.isdir(base) else []:
            directory = os.path.join(base, name)
            if not os.path.isfile(os.path.join(directory, "launch")) or not any(fnmatch.fnmatch(name, p) for p in patterns):
                continue
            if name in EXCEPT:
                print(f"skip {kind}/{name}: {EXCEPT[name]}")
                continue
            total += 1
            why = run(program, directory, name)
            good += why is None
            if why:
                print(f"not ok {kind}/{name}: {why}")
    print(f"ptx-values: {good} of {total} cases have the expected buffers")
    return good != total


if __name__ == "__main__":
    sys.exit(main())
