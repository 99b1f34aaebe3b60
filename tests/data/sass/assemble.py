# SPDX-License-Identifier: BSD-2-Clause
"""Assembles machine code of sm_90 for tests: each method appends an instruction. Operands are numbers of registers. The
positions of fields follow from published pairs of encoding and text (PantheonSim, nvidia/tests/data/sass/sm_90a.txt)."""

RZ, URZ, PT = 255, 63, 7
SHARED = 0x400  # first shared address of a thread block
PARAMETERS = 0x210


class Code:
    def __init__(self):
        self.words = []

    def put(self, opcode, guard=PT, inverted=0, **fields):
        """Appends an instruction. The name of a field is "b" and its first bit."""
        word = opcode | guard << 12 | inverted << 15 | 0xfe2 << 104
        for name, value in fields.items():
            word |= value << int(name[1:])
        self.words.append(word)

    def bytes(self):
        return b"".join(w.to_bytes(16, "little") for w in self.words)

    def here(self):
        return len(self.words)

    # ---- registers

    def s2r(self, d, number):
        self.put(0x919, b16=d, b72=number)

    def s2ur(self, d, number):
        self.put(0x9c3, b16=d, b72=number)

    def mov(self, d, value):
        self.put(0x802, b16=d, b32=value & 0xffffffff, b72=15)

    def umov(self, d, value):
        self.put(0x882, b16=d, b32=value & 0xffffffff, b91=1)

    def ldc64(self, d, parameter):
        self.put(0xb82, b16=d, b24=RZ, b38=PARAMETERS + parameter, b73=5)

    def uldc64(self, d, offset):
        self.put(0xab9, b16=d, b38=offset, b73=5, b91=1)

    def shl(self, d, a, n):
        self.put(0x819, b16=d, b24=a, b32=n, b64=RZ, b73=3)

    def add(self, d, a, value, guard=PT, inverted=0):
        self.put(0x810, guard, inverted, b16=d, b24=a, b32=value & 0xffffffff, b64=RZ, b77=15, b81=7, b84=7, b87=7, b90=1)

    def uadd(self, d, a, value):
        self.put(0x890, b16=d, b24=a, b32=value & 0xffffffff, b64=URZ, b77=15, b81=7, b84=7, b87=7, b90=1, b91=1)

    def mad_wide(self, d, a, factor, c):
        """Sets the pair d to a times a number plus the pair c."""
        self.put(0x825, b16=d, b24=a, b32=factor, b64=c, b81=7)

    def permute(self, d, a, selector, c):
        self.put(0x816, b16=d, b24=a, b32=selector, b64=c)

    def upermute(self, d, a, selector, c):
        self.put(0x896, b16=d, b24=a, b32=selector, b64=c, b91=1)

    def is_less(self, p, a, value):
        self.put(0x80c, b24=a, b32=value, b68=7, b76=1, b81=p, b84=7, b87=7)

    def is_not(self, p, a, value):
        self.put(0x80c, b24=a, b32=value, b68=7, b76=5, b81=p, b84=7, b87=7)

    def select(self, d, value, other, p):
        """Sets d to the number if the predicate is true, otherwise to register `other`."""
        self.put(0x807, b16=d, b24=other, b32=value, b87=p, b90=1)

    def elect(self, p, ud=URZ):
        self.put(0x82f, b16=ud, b81=p, b87=7)

    # ---- flow

    def branch(self, to, guard=PT, inverted=0):
        offset = (to - self.here() - 1) * 4
        self.put(0x947, guard, inverted, b16=offset & 0xff, b34=offset >> 8 & (1 << 48) - 1, b87=7)

    def branch_over(self, guard=PT, inverted=0):
        """Appends a branch whose target land() sets."""
        self.branch(self.here() + 1, guard, inverted)
        return self.here() - 1, guard, inverted

    def land(self, branch):
        """Makes the next instruction the target of the branch."""
        at, guard, inverted = branch
        rest, to, self.words = self.words[at + 1:], self.here(), self.words[:at]
        self.branch(to, guard, inverted)
        self.words += rest

    def exit(self):
        self.put(0x94d, b87=7)

    def bar(self):
        self.put(0xb1d, b80=1)

    def bar_by_register(self, number, count):
        self.put(0x91d, b32=count, b54=number, b80=1)

    def cluster_arrive(self):
        self.put(0x9c7, b91=1)

    def cluster_wait(self):
        self.put(0xdc7, b91=1)

    # ---- memory: size 4 is 32 bits, 5 is 64, 6 is 128

    def lds(self, d, a, offset=0, size=4):
        self.put(0x984, b16=d, b24=a, b40=offset, b73=size)

    def sts(self, a, v, offset=0, size=4, guard=PT, inverted=0):
        self.put(0x388, guard, inverted, b24=a, b32=v, b40=offset, b73=size)

    def ldg(self, d, a, offset=0, size=4):
        self.put(0x381, b16=d, b24=a, b40=offset, b72=1, b73=size, b81=7, b84=1)

    def stg(self, a, v, offset=0, size=4):
        self.put(0x386, b24=a, b32=v, b40=offset, b72=1, b73=size, b84=1)

    def stsm(self, a, v, count=0, transposed=0, offset=0):
        """Stores matrices; count is the binary logarithm of their number."""
        self.put(0x844, b24=a, b32=v, b40=offset, b72=count, b78=transposed)

    # ---- mbarriers; the address is register a plus uniform register u

    def mbarrier_init(self, u, pair):
        self.put(0x5b2, b16=URZ, b24=u, b32=pair, b72=1, b91=1)

    def arrive(self, u, v=RZ, d=RZ, a=RZ, mode=0, drop=0, no_result=0, guard=PT, inverted=0):
        """Arrives at an mbarrier; mode: 0 A1TR, 1 A1T0, 2 A0T1, 3 A0TR, 4 A0TX, 5 ART0."""
        self.put(0x9a7, guard, inverted, b16=d, b24=a, b32=v, b64=u, b73=2 * no_result, b75=drop, b84=mode, b91=1)

    def test_phase(self, p, u, v=RZ, a=RZ):
        self.put(0x5a7, b24=a, b32=v, b64=u, b70=1, b72=1, b81=p, b91=1)

    def mbarrier_end(self, u):
        self.put(0x9b1, b24=RZ, b64=u, b91=1)

    def copies_arrive(self, u, mode):
        """Makes earlier copies arrive at an mbarrier; mode 1 counts an arrival, mode 2 a byte."""
        self.put(0x9b0, b24=RZ, b64=u, b70=mode, b73=5, b91=1)

    def store_async(self, a, v, size=4):
        self.put(0xdbd, b24=a, b32=v, b64=URZ, b73=size, b90=1, b91=1)

    def reduce_async(self, a, v, op, size=0):
        self.put(0xdbe, b24=a, b32=v, b64=URZ, b72=1, b73=size, b87=op, b91=1)

    # ---- bulk and tensor copies

    def bulk_copy(self, to, start, size, to_shared, from_shared, many=0, policy=None):
        """Copies bytes; policy is the register of a cache policy."""
        hint = {} if policy is None else {"b40": policy, "b76": 1}
        self.put(0x3ba, b24=start, b32=to, b64=size, b73=to_shared, b74=from_shared, b75=many, b91=1, **hint)

    def bulk_reduce(self, to, start, size, to_shared, op, kind, policy=None):
        hint = {} if policy is None else {"b40": policy, "b76": 1}
        self.put(0x3bb, b24=start, b32=to, b64=size, b73=to_shared, b74=1, b81=kind, b87=op, b91=1, **hint)

    def bulk_prefetch(self, start, size):
        self.put(0x3bc, b24=start, b64=size, b91=1)

    def tensor_load(self, rank, block, tensor_map):
        self.put(0x5b4, b24=tensor_map, b32=block, b79=rank - 1, b91=1)

    def tensor_load_extra(self, rank, block, tensor_map, extra, pixels=0, many=0):
        self.put(0x3b4, b24=tensor_map, b32=block, b64=extra, b75=many, b79=rank - 1, b82=pixels, b91=1)

    def tensor_store(self, rank, block, tensor_map):
        self.put(0x3b5, b24=tensor_map, b32=block, b79=rank - 1, b91=1)

    def tensor_reduce(self, rank, block, tensor_map, op):
        self.put(0x3b6, b24=tensor_map, b32=block, b79=rank - 1, b87=op, b91=1)

    def tensor_prefetch(self, rank, block, tensor_map):
        self.put(0x5b8, b24=tensor_map, b32=block, b79=rank - 1, b91=1)

    def commit_copies(self):
        self.put(0x9b7)
        self.put(0x91a, b47=1)

    # ---- products of warpgroups

    def group_begin(self):
        self.put(0x9c5)

    def group_wait(self):
        self.put(0x9c5, b47=1, b80=1)

    def product(self, kind, d, c, descriptors, size, a=None, **fields):
        """Multiplies; kind: 0 HGMMA, 1 IGMMA, 2 BGMMA, 3 QGMMA; a: register of matrix A, or None if it is in shared memory."""
        if a is None:
            self.put(0x9f0 | kind, b16=d, b24=descriptors, b53=size, b64=c, b91=1, **fields)
        else:
            self.put(0xdf0 | kind, b16=d, b24=a, b32=descriptors, b53=size, b64=c, b91=1, **fields)
