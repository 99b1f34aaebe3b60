#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Reads the pipeline log of trace-sim --pipeline (Kanata format, version 4) strictly.

usage: kanata.py LOG [sm=N[-M],warp=N[-M],cycles=N[-M] [EVENTS]]

Fails with the number of the faulty line unless: instructions are numbered from 0 on, introduced once, used only
between I and R, and all retired or flushed; cycles ascend; a stage begins before it ends, and ends before the next
begins or the instruction retires; stages come in the order of the pipeline; arrows have known ends; only the selected
SMs, warps and cycles occur. With an event log of the same run, the issues and writebacks of the selection are
compared. Prints the number of instructions, flushed ones, arrows and stages.
"""
import re
import sys
from collections import Counter

ORDER = [{"F"}, {"D"}, {"wOrd", "wMem", "wRes", "wRead", "wBar", "wFen", "wCnt", "wJmp", "wUnit", "wReg", "wTurn"}, {"Is"},
         {"Rd", "Mq"}, {"Dp"}, {"Ma"}, {"X", "Xmem"}, {"Wb"}]
RANK = {name: rank for rank, names in enumerate(ORDER) for name in names}
FORM = {"C=": r"\d+", "C": r"[1-9]\d*", "I": r"\d+\t\d+\t\d+", "L": r"\d+\t[01]\t[^\t]+", "S": r"\d+\t0\t\w+", "E": r"\d+\t0\t\w+",
        "R": r"\d+\t\d+\t[01]", "W": r"\d+\t\d+\t0"}


class Inst:
    def __init__(self, thread):
        self.sm, self.warp = divmod(thread, 100)
        self.pc = self.stage = None
        self.since = self.rank = -1
        self.done = False
        self.texts = 0


def choice(text):
    parts = dict(p.split("=") for p in text.split(",")) if text else {}
    ranges = {}
    for name in ("sm", "warp", "cycles"):
        first, _, last = parts.get(name, "0-" + str(2**64)).partition("-")
        ranges[name] = (int(first), int(last or first))
    return ranges


def has(r, v):
    return r[0] <= v <= r[1]


def read(path, only):
    insts, now, retired, seen = [], None, 0, Counter()
    issues, writes, stages = Counter(), Counter(), Counter()

    def check(ok, why):
        if not ok:
            sys.exit("%s:%d: %s: %s" % (path, number, why, line))

    def live(text):
        check(int(text) < len(insts) and not insts[int(text)].done, "unknown or retired instruction")
        return insts[int(text)]

    with open(path, encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            check(line.endswith("\n"), "incomplete line")
            line = line[:-1]
            if number == 1:
                check(line == "Kanata\t0004", "header")
                continue
            command, _, rest = line.partition("\t")
            check(command in FORM and re.fullmatch(FORM[command], rest), "form")
            check((number == 2) == (command == "C="), "C= only after the header")
            arg = rest.split("\t")
            seen[command] += 1
            if command == "C=":
                now = int(arg[0])
                check(now >= only["cycles"][0] or number == 2, "begins before the choice")
            elif command == "C":
                now += int(arg[0])
            elif command == "I":
                check(int(arg[0]) == len(insts), "number of an instruction")
                i = Inst(int(arg[2]))
                check(has(only["sm"], i.sm) and has(only["warp"], i.warp) and has(only["cycles"], now), "not in the choice")
                insts.append(i)
            elif command == "L":
                i = live(arg[0])
                check(i.texts == int(arg[1]) and i.stage is None, "label")
                i.texts += 1
                if arg[1] == "0":
                    i.pc = int(arg[2].split()[0], 16)
            elif command == "S":
                i = live(arg[0])
                check(i.stage is None and arg[2] in RANK and RANK[arg[2]] >= i.rank and i.texts == 2, "stage")
                i.stage, i.since, i.rank = arg[2], now, RANK[arg[2]]
                stages[i.stage] += 1
                if i.stage == "Is":
                    issues[now, i.sm, i.warp, i.pc] += 1
                elif i.stage == "Wb":
                    writes[now, i.sm, i.warp, i.pc] += 1
            elif command == "E":
                i = live(arg[0])
                check(i.stage == arg[2] and i.since < now, "end of a stage")
                i.stage = None
            elif command == "R":
                i = live(arg[0])
                check(i.stage is None and int(arg[1]) == retired, "retirement")
                retired += arg[2] == "0"
                i.done = True
            elif command == "W":
                check(live(arg[0]).rank < RANK["Is"] or live(arg[0]).stage in (None, "Is"), "arrow after issue")
                check(int(arg[1]) < len(insts) and arg[0] != arg[1], "arrow from an unknown instruction")
                p = insts[int(arg[1])]
                check((p.sm, p.warp) == (live(arg[0]).sm, live(arg[0]).warp), "arrow between warps")
        number, line = number + 1, "end"
        check(all(i.done for i in insts), "instructions without end")
    return issues, writes, "%d instructions, %d flushed, %d arrows; %s" % (len(insts), len(insts) - retired, seen["W"], " ".join(
        "%s %d" % s for s in sorted(stages.items())))


def read_events(path, only):
    issues, writes = Counter(), Counter()
    with open(path, encoding="utf-8") as f:
        for line in f:
            e = line.split()
            if e[1] not in ("issue", "writeback", "memdone"):
                continue
            at = (int(e[0]), int(e[2]), int(e[3]), int(e[4], 16))
            if has(only["cycles"], at[0]) and has(only["sm"], at[1]) and has(only["warp"], at[2]):
                (issues if e[1] == "issue" else writes)[at] += 1
    return issues, writes


def compare(name, log, events, only):
    log = Counter({at: n for at, n in log.items() if has(only["cycles"], at[0])})
    if log != events:
        first = sorted(((log - events) + (events - log)).items())[:8]
        sys.exit("%ss differ: log %d, events %d; %s" % (name, sum(log.values()), sum(events.values()), ["%s %+d" % (at, log[at] - events[at]) for at, _ in first]))


def main():
    only = choice(sys.argv[2] if len(sys.argv) > 2 else "")
    issues, writes, text = read(sys.argv[1], only)
    if len(sys.argv) > 3:
        of_events = read_events(sys.argv[3], only)
        compare("issue", issues, of_events[0], only)
        compare("writeback", writes, of_events[1], only)
    print(text)


main()
