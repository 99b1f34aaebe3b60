# SPDX-License-Identifier: BSD-2-Clause
"""Reads kernel lists, kernel traces and results of warptools, with libwarptools.

    import warptools
    with warptools.open("app.tpack") as app:
        for kernel in app:
            for block in kernel:
                print(kernel.name, block.number, len(block.code))
    for record in warptools.results("run.json"):
        print(record.kind, record.name, record.figures.get("gpu_sim_cycle"))

Columns are memoryviews, which numpy.asarray() uses without a copy. They keep their values when the next thread block
is read. The library is libwarptools.so.1, which the loader finds, or the file that WARPTOOLS_LIBRARY names.
"""
import ctypes
import os
from array import array
from collections import namedtuple

__all__ = ["open", "results", "version", "Error", "List", "Kernel", "Block", "Accesses", "Command", "Instruction", "Record",
           "LOAD", "STORE", "ATOMIC", "LANES"]

LANES = 32
LOAD, STORE, ATOMIC = 1, 2, 4
KINDS = ("copy to device", "kernel", "copy to host")
RECORDS = (None, "run", "kernel", "end", "interval")
LIBRARY = "libwarptools.so.1"  # make install-python sets the path

# ---- the interface of warptools.h -------------------------------------------------------------

_u8, _u16, _u32, _u64, _text, _ptr = (ctypes.c_uint8, ctypes.c_uint16, ctypes.c_uint32, ctypes.c_uint64, ctypes.c_char_p,
                                      ctypes.c_void_p)


def _struct(name, *fields):
    return type(name, (ctypes.Structure,), {"_fields_": [(f, t) for t, names in fields for f in names.split()]})


_Error = _struct("wt_error", (_u64, "line"), (_u32, "column reserved"), (ctypes.c_char * 32, "id"), (ctypes.c_char * 4096, "file"),
                 (ctypes.c_char * 512, "text"))
_Command = _struct("wt_command", (_u32, "kind position"), (_u64, "line address bytes"), (_text, "text path"))
_Instruction = _struct("wt_instruction", (_text, "opcode"), (ctypes.POINTER(_u16), "destination source"), (_u64, "immediate"),
                       (_u32, "pc line file"), (_u16, "size"), (_u8, "n_destinations n_sources space access class_ ptx"),
                       (_u32, "reserved"))
_Info = _struct("wt_kernel_info", (_text, "name path"), (_u64, "stream blocks shared_base local_base"), (_u32, "id"),
                (_u32 * 3, "grid block"), (_u32, "warps registers shared dynamic_shared compute_capability"),
                (_u8, "ptx slice has_lines"), (_u8 * 5, "reserved"))
_Block = _struct("wt_block", (_u64, "number"), (_u32, "x y z n_warps n_instructions n_accesses"), (_ptr, "warp code mask"))
_Accesses = _struct("wt_accesses", (_u32, "n reserved"), (_ptr, "instruction space lane"))
_Setting = _struct("wt_setting", (_text, "name value"), (_u32, "about reserved"))
_Figure = _struct("wt_figure", (_text, "name unit"), (ctypes.c_double, "value"), (_u64, "count"), (_u32, "whole id"))
_Record = _struct("wt_record", (_u32, "kind run position n_figures n_settings reserved"), (_u64, "id stream first_cycle cycles"),
                  (_text, "name grid block status hash"), (ctypes.POINTER(_Figure), "figure"),
                  (ctypes.POINTER(_Setting), "setting"))
_to = ctypes.POINTER
_FUNCTIONS = {
    "version": (_text,), "open": (_ptr, _text, _ptr), "open_fd": (_ptr, ctypes.c_int, _text, _ptr), "close": (None, _ptr),
    "commands": (_to(_Command), _ptr, _ptr), "instructions": (_to(_Instruction), _ptr, _ptr),
    "class_name": (_text, ctypes.c_uint), "space_name": (_text, ctypes.c_uint), "on_warning": (None, _ptr, _ptr, _ptr),
    "kernel_open": (_ptr, _ptr, _u32, _ptr), "kernel_close": (None, _ptr), "kernel_info": (_to(_Info), _ptr),
    "kernel_source": (_text, _ptr, _u32), "kernel_next": (ctypes.c_int, _ptr, _ptr, _ptr),
    "kernel_seek": (ctypes.c_int, _ptr, _u64, _ptr), "kernel_accesses": (_to(_Accesses), _ptr, _ptr),
    "results_open": (_ptr, _text, ctypes.c_uint, _ptr), "results_open_fd": (_ptr, ctypes.c_int, _text, ctypes.c_uint, _ptr),
    "results_close": (None, _ptr), "results_next": (ctypes.c_int, _ptr, _ptr, _ptr),
}
_WARN = ctypes.CFUNCTYPE(None, _ptr, _to(_Error))


class _Library:
    """The functions of the library without their prefix, loaded at the first use."""

    def __getattr__(self, _):
        library = ctypes.CDLL(os.environ.get("WARPTOOLS_LIBRARY", LIBRARY))
        for name, (result, *arguments) in _FUNCTIONS.items():
            function = getattr(library, "wt_" + name)
            function.restype, function.argtypes = result, arguments
            setattr(self, name, function)
        return getattr(self, _)


_wt = _Library()


class Error(Exception):
    """An error of an input: file, line (0: the whole input), column, id and text."""

    def __init__(self, e):
        self.file, self.line, self.column = _str(e.file), e.line, e.column
        self.id, self.text = _str(e.id), _str(e.text)
        place = "".join(":%d" % n for n in (self.line, self.column if self.line else 0) if n)
        super().__init__((self.file + place + ": " if self.file else "") + self.text)


def _str(b):
    return b.decode("utf-8", "replace") if b is not None else None


def _call(function, *arguments):
    """Calls a function whose last argument is the error; raises Error if it returns NULL or -1."""
    e = _Error()
    result = function(*arguments, ctypes.byref(e))
    if result is None or result == -1 or (isinstance(result, ctypes._Pointer) and not result):
        raise Error(e)
    return result


def _view(address, n, kind, width=1):
    """Returns a copy of n * width numbers at an address as a memoryview, with two dimensions if width is above 1."""
    size = {"B": 1, "I": 4, "Q": 8}[kind]
    view = memoryview(ctypes.string_at(address, n * width * size) if n else b"")
    return view.cast(kind, (n, width)) if width > 1 and n else view.cast(kind)


def version():
    """Returns the version of the suite, such as "0.2.0"."""
    return _str(_wt.version())


# ---- traces -----------------------------------------------------------------------------------

Command = namedtuple("Command", "kind position line address bytes text path")
Instruction = namedtuple("Instruction", "opcode destinations sources immediate pc line file size space access class_ ptx")
Warp = namedtuple("Warp", "first count line")


class List:
    """A kernel list; iterating yields its kernels. kernel(position) opens a kernel; positions start at 1."""

    def __init__(self, handle):
        self._l, self._instructions, self.warnings = handle, [], []
        self._warn = _WARN(lambda _, e: self.warnings.append(str(Error(e[0]))))
        _wt.on_warning(handle, ctypes.cast(self._warn, _ptr), None)
        n = _u32()
        commands = _wt.commands(handle, ctypes.byref(n))
        self.commands = [Command(KINDS[c.kind], c.position, c.line, c.address, c.bytes, _str(c.text), _str(c.path))
                         for c in commands[:n.value]]
        self._positions = [c.position for c in self.commands if c.position]

    def _handle(self):
        if self._l is None:
            raise ValueError("the list is closed")
        return self._l

    def close(self):
        """Closes the list and its kernels."""
        if self._l is not None:
            _wt.close(self._l)
            self._l = None

    __del__ = close

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def __len__(self):
        return len(self._positions)

    def __iter__(self):
        return (self.kernel(p) for p in self._positions)

    def kernel(self, position):
        """Opens the kernel at a position; positions start at 1."""
        return Kernel(self, _call(_wt.kernel_open, self._handle(), position))

    @property
    def instructions(self):
        """The distinct instructions of the blocks read so far; Block.code contains indices into it."""
        n = _u32()
        table = _wt.instructions(self._handle(), ctypes.byref(n))
        for i in range(len(self._instructions), n.value):
            x = table[i]
            self._instructions.append(Instruction(
                _str(x.opcode), tuple(x.destination[:x.n_destinations]), tuple(x.source[:x.n_sources]), x.immediate, x.pc, x.line,
                x.file, x.size, _str(_wt.space_name(x.space)), x.access, _str(_wt.class_name(x.class_)), bool(x.ptx)))
        return self._instructions


class Kernel:
    """A kernel with its header as attributes (name, grid, block, stream, ...); iterating yields its thread blocks."""

    def __init__(self, parent, handle):
        self.list, self._k = parent, handle
        info = _wt.kernel_info(handle)[0]
        for name, _ in _Info._fields_:
            value = getattr(info, name)
            setattr(self, name, _str(value) if isinstance(value, bytes) else tuple(value) if name in ("grid", "block") else value)

    def _handle(self):
        self.list._handle()
        if self._k is None:
            raise ValueError("the kernel is closed")
        return self._k

    def close(self):
        """Closes the kernel; closing the list also closes it."""
        if self._k is not None and self.list._l is not None:
            _wt.kernel_close(self._k)
        self._k = None

    __del__ = close

    def __iter__(self):
        return self

    def __next__(self):
        block = _to(_Block)()
        if _call(_wt.kernel_next, self._handle(), ctypes.byref(block)) == 0:
            raise StopIteration
        return Block(self, block[0])

    def seek(self, block):
        """Moves to a thread block by its number in the trace, counted from 0."""
        _call(_wt.kernel_seek, self._handle(), block)

    def source(self, file):
        """Returns the name of the source file with a number of Instruction; None: unknown."""
        return _str(_wt.kernel_source(self._handle(), file))


class Block:
    """A thread block: number, x, y, z, warps, and its instructions as the columns code and mask, ordered by warp."""

    def __init__(self, kernel, b):
        self.kernel, self.number, self.x, self.y, self.z = kernel, b.number, b.x, b.y, b.z
        self.code, self.mask = (_view(a, b.n_instructions, "I") for a in (b.code, b.mask))
        warps = _view(b.warp, b.n_warps * 2, "Q").tolist()
        self.warps = [Warp(pair & 0xffffffff, pair >> 32, line) for pair, line in zip(warps[::2], warps[1::2])]

    def column(self, field):
        """Returns a field of Instruction ("pc", "line", "size", ...) for each instruction of the block, as a
        memoryview or a list."""
        table = self.kernel.list.instructions
        values = [getattr(table[c], field) for c in self.code]
        return memoryview(array("Q", values)) if field in ("pc", "line", "file", "size", "access", "immediate") else values

    def accesses(self):
        """Returns the addresses of the block, which must be the last one that was read."""
        a = _call(_wt.kernel_accesses, self.kernel._handle())[0]
        return Accesses(_view(a.instruction, a.n, "I"), _view(a.space, a.n, "B"), _view(a.lane, a.n, "Q", LANES))


class Accesses(namedtuple("Accesses", "instruction space lane")):
    """Columns with a row for each instruction that has addresses: its number in the block, its space and 32
    addresses."""

    def space_names(self):
        """Returns the spaces as names, such as "global"."""
        return [_str(_wt.space_name(s)) for s in self.space]


def open(source, name=None):  # noqa: A001, as gzip.open and others
    """Opens a kernel list, directory, packed stream or kernel file by path, or by descriptor, which the caller keeps."""
    if isinstance(source, int):
        return List(_call(_wt.open_fd, source, os.fsencode(name or "<fd %d>" % source)))
    return List(_call(_wt.open, os.fsencode(source)))


# ---- results ----------------------------------------------------------------------------------

Record = namedtuple("Record", "kind run position id stream name grid block status hash first_cycle cycles figures units settings")


def results(source, running=False, intervals=False, name=None):
    """Yields the records of results of trace-sim or of a log of Accel-Sim; figures are a dict of int and float."""
    flags = (1 if running else 0) | (2 if intervals else 0)
    if isinstance(source, int):
        handle = _call(_wt.results_open_fd, source, os.fsencode(name or "<fd %d>" % source), flags)
    else:
        handle = _call(_wt.results_open, os.fsencode(source), flags)
    record = _to(_Record)()
    try:
        while _call(_wt.results_next, handle, ctypes.byref(record)):
            x = record[0]
            figures, settings = x.figure[:x.n_figures], x.setting[:x.n_settings]
            yield Record(RECORDS[x.kind], x.run, x.position, x.id, x.stream, _str(x.name), _str(x.grid), _str(x.block),
                         _str(x.status), _str(x.hash), x.first_cycle, x.cycles,
                         {_str(f.name): f.count if f.whole else f.value for f in figures},
                         {_str(f.name): _str(f.unit) for f in figures}, {_str(s.name): _str(s.value) for s in settings})
    finally:
        _wt.results_close(handle)
