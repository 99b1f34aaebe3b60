#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Writes a cubin with given instructions, for tests of the disassembler.

usage: cubin_code.py SM [LINES] <ENCODINGS >CUBIN

ENCODINGS: one number of 32 hexadecimal digits a line. LINES: "PC:LINE,..." for a line table whose file is kernel.cu.
The only function is a kernel named k.
"""
import struct
import sys

NOP = 0x000fc000000000000000000000007918


def leb(v):
    out = b""
    while True:
        out += bytes([v & 127 | (128 if v > 127 else 0)])
        v >>= 7
        if not v:
            return out


LINE_STRINGS = b"/build\0src\0kernel.cu\0inc/h.cuh\0"  # .debug_line_str of line_table_5()


ADDRESS_AT = 7  # offset of the address operand in line_program()


def line_program(rows, file):
    """Returns a line program for rows (PC, line) or (PC, line, row of the call that was inlined) of file `file`.

    A sequence of one row precedes them, because rows are numbered in each sequence.
    """
    program = b"\1\0\1\1" + b"\0\x09\2" + bytes(8) + b"\4" + leb(file)
    pc, line = 0, 1
    for p, n, *call in rows:
        if call:
            program += b"\0" + leb(2 + len(leb(call[0]))) + b"\x90" + leb(call[0]) + b"\0"
        program += b"\2" + leb(p - pc) + b"\3" + (leb(n - line) if 0 <= n - line < 64 else bytes([n - line & 127])) + b"\1"
        pc, line = p, n
    return program + b"\0\1\1"


def line_table(rows):
    """Returns .debug_line of version 2, and the offset of the address operand."""
    head = bytes([1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1]) + b"src\0\0" + b"kernel.cu\0\1\0\0" + b"\0"
    body = struct.pack("<HI", 2, len(head)) + head + line_program(rows, 1)
    return struct.pack("<I", len(body)) + body, 4 + 2 + 4 + len(head) + ADDRESS_AT


def line_table_5(rows, file=0, wide=False):
    """Returns .debug_line of version 5, with offsets of 8 bytes if `wide`, and the offset of the address operand.

    File 0 is /build/src/kernel.cu, file 1 /build/inc/h.cuh, file 2 /usr/own.cu.
    """
    offset = lambda text: LINE_STRINGS.index(text + b"\0").to_bytes(8 if wide else 4, "little")
    head = bytes([1, 1, 1, 0xfb, 14, 10, 0, 1, 1, 1, 1, 0, 0, 0, 1])
    head += bytes([1, 1, 0x1f]) + leb(2) + offset(b"/build") + offset(b"src")        # directories: line_strp
    head += bytes([4, 1, 0x08, 2, 0x0b, 5, 0x1e, 0x2001 & 127 | 128, 0x40, 0x0f]) + leb(3)  # string, data1, MD5, vendor's
    for name, directory in (b"kernel.cu", 1), (b"inc/h.cuh", 0), (b"/usr/own.cu", 1):
        head += name + b"\0" + bytes([directory]) + bytes(range(16)) + leb(300)
    size = (lambda n: b"\xff\xff\xff\xff" + struct.pack("<Q", n)) if wide else lambda n: struct.pack("<I", n)
    front = struct.pack("<HBB", 5, 8, 0) + (size(len(head))[-8:] if wide else size(len(head)))
    body = front + head + line_program(rows, file)
    return size(len(body)) + body, len(size(0)) + len(front) + len(head) + ADDRESS_AT


def cubin(sm, functions, rows=()):
    """Returns the bytes of a cubin; functions: [(name, [encoding, ...])]."""
    symbols, strings = [bytes(24)], b"\0"
    sections = [("", 0, b"", 0, 0)]  # name, type, contents, link, info
    for name, code in functions:
        symbols.append(struct.pack("<IBBHQQ", len(strings), 0x12, 0x10, len(sections), 0, 16 * len(code)))
        strings += name.encode() + b"\0"
        sections.append((".text." + name, 1, b"".join(c.to_bytes(16, "little") for c in code), 0, 8 << 24))
    if rows:
        table, at = line_table(rows)
        sections.append((".debug_line", 1, table, 0, 0))
        sections.append((".rel.debug_line", 9, struct.pack("<QQ", at, 1 << 32 | 2), 0, len(sections) - 1))
    sections.append((".symtab", 2, b"".join(symbols), len(sections) + 1, 1))
    sections.append((".strtab", 3, strings, 0, 0))
    names = b"\0"
    offsets = []
    for s in sections + [(".shstrtab",)]:
        offsets.append(len(names) if s[0] else 0)
        names += s[0].encode() + b"\0" if s[0] else b""
    sections.append((".shstrtab", 3, names, 0, 0))
    body, table, at = b"", b"", 64
    for offset, (_, kind, data, link, info) in zip(offsets, sections):
        table += struct.pack("<IIQQQQIIQQ", offset, kind, 0, 0, at, len(data), link, info, 16, 0)
        body += data
        at += len(data)
    return (b"\177ELF\2\1\1" + bytes(9) + struct.pack("<HHIQQQIHHHHHH", 2, 190, 1, 0, 0, at, sm, 64, 0, 0, 64,
                                                      len(sections), len(sections) - 1) + body + table)


if __name__ == "__main__":
    table = [tuple(int(x, 0) for x in r.split(":")) for r in sys.argv[2].split(",")] if len(sys.argv) > 2 else ()
    sys.stdout.buffer.write(cubin(int(sys.argv[1]), [("k", [int(x, 16) for x in sys.stdin.read().split()])], table))
