# SPDX-License-Identifier: BSD-2-Clause
"""Atomics and what the lanes of a warp tell each other; cases as in cases.py. M and S: 16 bytes of global and shared
memory for each thread."""


def atomics():
    return ()


def warps():
    return ()
