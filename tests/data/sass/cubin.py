#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a cubin with one kernel from the numbers of its instructions, for tests.

usage: cubin.py [-s SM] [-r REGISTERS] [-S SHARED] [-m LOCAL] [-p BYTES,BYTES...] [-l PC:LINE,...] [-5 FILE] [-P SM] [-w] NAME <NUMBERS >CUBIN
  NUMBERS has a line for each instruction: the upper and the lower 64 bits, in hexadecimal; # begins a comment
  -p  sizes of the parameters (default 8,8,4)
  -m  bytes of local memory of a thread
  -l  line table, whose file is src/kernel.cu
  -5  line table of DWARF 5 with file FILE of cubin_code.py; FILE + 64: with offsets of 64 bits
  -P  compute capability of the PTX from which the code was compiled, in a note
  -w  parameters in attributes of the form for more than 4 KiB
"""
import struct
import sys
from getopt import getopt
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "cubin"))
from cubin_code import LINE_STRINGS, line_table, line_table_5

PARAM_AT = {7: 0x160, 8: 0x160, 9: 0x210}


def attribute(number, payload):
    return struct.pack("<BBH", 4, number, len(payload)) + payload


def cubin(name, code, sm=80, regs=16, shared=0, sizes=(8, 8, 4), attributes=b"", lines=(), file_5=None,
          wide=False, local=0, ptx_sm=0):
    """Returns the file with kernel `name`. sizes: sizes of the parameters; attributes: additional attributes of the kernel;
    lines: pairs of PC and line; file_5: file of a line table of DWARF 5, or None for DWARF 2."""
    first, at, info = PARAM_AT.get(sm // 10, 0x380), 0, b""
    for i, n in enumerate(sizes):
        align = min(n, 64)
        at = (at + align - 1) // align * align
        info += attribute(0x45 if wide else 0x17, struct.pack("<IHHI", 0, i, at, n | 5 << 24 if wide else n << 18 | 0x1f000))
        at += n
    info = attribute(0x0a, struct.pack("<IHH", 2, first, at)) + struct.pack("<BBH", 3, 0x19, at) + info + attributes
    whole = attribute(0x2f, struct.pack("<II", 1, regs)) + attribute(0x12, struct.pack("<II", 1, local))

    strings = b"\0" + name.encode() + b"\0"
    symbols = bytes(24) + struct.pack("<IBBHQQ", 1, 0x12, 0x10, 6, 0, len(code)) + struct.pack("<IBBHQQ", 0, 3, 0, 5, 0, 0)
    sections = [("", 0, 0, b"", 0, 0), (".shstrtab", 3, 0, b"", 0, 0), (".strtab", 3, 0, strings, 0, 0),
                (".symtab", 2, 0, symbols, 2, 1), (".nv.info", 0x70000000, 0, whole, 3, 0),
                (".nv.constant0." + name, 1, 2, bytes(first + at), 0, 6), (".text." + name, 1, 6, code, 3, 1 | regs << 24),
                (".nv.info." + name, 0x70000000, 0x40, info, 3, 6)]
    if shared:
        sections.append((".nv.shared." + name, 8, 3, b"", 0, 6))
    if ptx_sm:
        sections.append((".note.nv.cuinfo", 7, 0, struct.pack("<III12sHHI", 12, 8, 1000, b"NVIDIA Corp", 2, ptx_sm, 130), 0, 0))
    if lines:
        if file_5 is None:
            table_of_lines, address = line_table(lines)
        else:
            table_of_lines, address = line_table_5(lines, file_5 % 64, file_5 >= 64)
        sections.append((".debug_line", 1, 0, table_of_lines, 0, 0))
        sections.append((".rel.debug_line", 9, 0, struct.pack("<QQ", address, 1 << 32 | 2), 3, len(sections) - 1))
        if file_5 is not None:
            sections.append((".debug_line_str", 1, 0x30, LINE_STRINGS, 0, 0))
    names, where = b"", []
    for s in sections:
        where.append(len(names))
        names += s[0].encode() + b"\0"
    body, table, offset = b"", b"", 64
    for i, (title, kind, flags, data, link, extra) in enumerate(sections):
        data = names if title == ".shstrtab" else data
        size = shared if kind == 8 else len(data)
        table += struct.pack("<IIQQQQIIQQ", where[i], kind, flags, 0, offset if kind else 0, size, link, extra, 16 if kind else 0,
                             24 if kind == 2 else 0)
        body += data
        offset += len(data)
    header = b"\x7fELF\2\1\x33\7" + bytes(8) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, offset, sm << 16 | 5 << 8 | sm, 64, 0, 0,
                                                            64, len(sections), 1)
    return header + body + table


def main():
    options, (name,) = getopt(sys.argv[1:], "s:r:S:m:p:l:5:P:w")
    options = dict(options)
    code = b""
    for line in sys.stdin:
        words = line.partition("#")[0].split()
        if words:
            code += struct.pack("<QQ", int(words[1], 16), int(words[0], 16))
    lines = [tuple(int(x, 0) for x in r.split(":")) for r in options["-l"].split(",")] if "-l" in options else ()
    sys.stdout.buffer.write(cubin(name, code, int(options.get("-s", 80)), int(options.get("-r", 16)), int(options.get("-S", 0)),
                                  [int(n) for n in options.get("-p", "8,8,4").split(",")], lines=lines,
                                  file_5=int(options["-5"]) if "-5" in options else None, wide="-w" in options, local=int(options.get("-m", 0)), ptx_sm=int(options.get("-P", 0))))


if __name__ == "__main__":
    main()
