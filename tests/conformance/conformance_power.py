# SPDX-License-Identifier: BSD-2-Clause
"""Power, for conformance.py -w: cases of reference/power/cases.tsv.

A case TRACE.GPU[+VARIANT] is run in a directory of its own with the XML file and the options of its row. The comparison
includes every line of the report with reference/power/CASE.tsv, the counters of each sample (with -power_trace_enabled) with
samples/CASE.tsv or CASE.metric.tsv, the powers of each sample with CASE.power.tsv, the steady states with
CASE.steady.csv, and the whole text with raw/CASE.log.

Two kinds of cases, which their rows mark, are compared differently. If the original aborts, only the blocks before the
abort are compared (none if it aborts in the first kernel). If its PTX parser misreads an immediate (REWRITTEN), it
executes a different program, so that program is simulated.
"""
import glob
import gzip
import os
import re
import subprocess
import tempfile


# The original cuts integer immediates to 32 bits, so that it executes "and.b64 ..., 0" here and takes another branch.
# trace-exec reads the immediate as PTX defines it; the case compares the power of the original's program.
REWRITTEN = {"ptx-int64": (b"-4294967296", b"0")}


def rows(ref):
    table = {}
    for line in list(open(ref + "/reference/power/cases.tsv"))[1:]:
        case, xml, options, note = (line.rstrip("\n").split("\t") + [""])[:4]
        table[case] = (xml, options.split(), note)
    return table


def settings(ref, xml, words):
    """Returns the -D words of a case; file names are those of gpus/power."""
    directory = os.path.abspath(ref) + "/gpus/power/"
    result = [("power_simulation_enabled", "1"), ("accelwattch_xml_file", directory + xml), ("power_trace_enabled", "1")]
    for name, value in zip(words[::2], words[1::2]):
        result.append((name[1:], directory + value if name == "-hw_perf_file_name" else value))
    return [word for pair in result for word in ("-D", "%s=%s" % pair)]


def prepare(sim, ref, case, directory, find_trace):
    """Returns the words of the configuration and the path of the trace."""
    trace, rest = case.split(".", 1)
    gpu = rest.partition("+")[0]
    if not trace.startswith("ptx-"):
        return ["-c", "%s/gpus/%s.config" % (os.path.abspath(ref), gpu)], os.path.abspath(find_trace(ref, trace))
    tool = os.path.join(os.path.dirname(os.path.abspath(sim)), "trace-exec")
    source = "%s/ptx/cases/%s" % (ref, trace[4:])
    os.mkdir(directory + "/source")
    for name in glob.glob(source + "/*"):
        if os.path.isfile(name):
            data = open(name, "rb").read()
            if name.endswith(".ptx"):
                data = data.replace(*REWRITTEN.get(trace, (b"", b"")))
            open(directory + "/source/" + os.path.basename(name), "wb").write(data)
    launch = directory + "/source/launch"
    run = subprocess.run([tool, "-q", "--no-check", "-o", directory + "/trace", "-C", directory, launch], capture_output=True)
    if run.returncode:
        raise RuntimeError(run.stderr.decode(errors="replace"))
    config = "%s/ptx/gpus/%s.config" % (os.path.abspath(ref), gpu)
    return ["-c", config, "-D", "gpgpu_runtime_stat=500"], directory + "/trace"


def report_lines(path, occupancy):
    """Returns {(block, name): value} of a report without zeros, like reference/power/CASE.tsv."""
    table, block = {}, 0
    for line in open(path):
        name, equals, value = line.rstrip("\n").partition(" = ")
        if not equals:
            continue
        block += name == "kernel_name"
        value = value.strip()
        if value != "0":
            table[block, name.rstrip(",")] = value
    for (block, name), value in occupancy.items():
        table[block, name] = value
    return table


def occupancies(text):
    table, count = {}, {}
    for name, value in re.findall(r"^(gpu_occupancy|gpu_tot_occupancy) = (\S+?)%? *%? *$", text, re.M):
        count[name] = count.get(name, 0) + 1
        table[count[name], name] = value + "%"
    return table


def expected_lines(path):
    table = {}
    for line in open(path) if os.path.exists(path) else ():  # no file if the original aborts before its first block
        block, name, value = line.rstrip("\n").split("\t")
        table[int(block), name] = value.strip()
    return table


def trace_rows(path):
    """Returns the rows of a trace file as {column: value} without zeros. Adds the comma that the header lacks."""
    text = gzip.open(path, "rt").read().splitlines()
    names = text[0].replace("CONSTPSTATICP", "CONSTP,STATICP").split(",")
    return [{n: v for n, v in zip(names, line.rstrip(",").split(",")) if float(v) != 0} for line in text[1:]]


def expected_rows(path):
    table = {}
    for line in open(path):
        row, column, value = line.rstrip("\n").split("\t")
        table.setdefault(int(row), {})[column] = value
    return table


def compare_rows(got, want, what, detail):
    same = total = 0
    for number in sorted(set(want) | set(range(1, len(got) + 1))):
        ours = got[number - 1] if number <= len(got) else None
        theirs = want.get(number, {})
        total += 1
        if ours == theirs:
            same += 1
        else:
            names = sorted(n for n in set(ours or {}) | set(theirs) if (ours or {}).get(n) != theirs.get(n))
            detail.append("    %s row %d: %s" % (what, number, ["%s: want %s, got %s" % (n, theirs.get(n),
                          (ours or {}).get(n)) for n in names[:4]] if ours is not None else "missing"))
    return same, total


def without_block_rows(rows_all, text, interval):
    """Returns the rows without the additional row that each block has after its samples."""
    cycles = [int(c) for c in re.findall(r"^gpu_tot_sim_cycle = (\d+)", text, re.M)]
    extra = {c // interval + k for k, c in enumerate(cycles)}
    return [r for i, r in enumerate(rows_all) if i not in extra]


def check(sim, ref, case, find_trace):
    xml, words, note = rows(ref)[case]
    base, detail = ref + "/reference/power/", []
    with tempfile.TemporaryDirectory() as directory:
        try:
            config, trace = prepare(sim, ref, case, directory, find_trace)
        except RuntimeError as error:
            return "%-40s not executed" % case, ["    " + str(error)[:300]], False, 0, 1
        cmd = [os.path.abspath(sim), "-q"] + config + settings(ref, xml, words)
        run = subprocess.run(cmd + ["-F", "accelsim", "-o", "out", trace], cwd=directory, capture_output=True, text=True)
        if run.returncode:
            return "%-40s exit %d" % (case, run.returncode), ["    " + run.stderr[:400]], False, 0, 1
        text = open(directory + "/out").read()
        report = directory + "/accelwattch_power_report.log"
        got, want = report_lines(report, occupancies(text)), expected_lines(base + case + ".tsv")
        if "aborts" in note:
            last = max((k[0] for k in want), default=0)
            got = {k: v for k, v in got.items() if k[0] <= last}
        bad = sorted(k for k in set(got) | set(want) if got.get(k) != want.get(k) and k[1] != "kernel_launch_uid")
        detail += ["    block %d %s: want %s, got %s" % (k[0], k[1], want.get(k), got.get(k)) for k in bad]
        same, total = len(want) - len(bad), len(want)
        metric = trace_rows(glob.glob(directory + "/gpgpusim_metric_trace_report__*")[0])
        power = trace_rows(glob.glob(directory + "/gpgpusim_power_trace_report__*")[0])
        rows_same = rows_total = 0
        for name, ours in ((case + ".metric.tsv", metric), (case + ".power.tsv", power)):
            if os.path.exists(base + name):
                counts = compare_rows(ours, expected_rows(base + name), name.split(".")[-2], detail)
                rows_same, rows_total = rows_same + counts[0], rows_total + counts[1]
        if os.path.exists(base + "samples/" + case + ".tsv"):
            interval = int(dict(zip(words[::2], words[1::2])).get("-gpgpu_runtime_stat", 500))
            ours = metric if "-power_simulation_mode" in words else without_block_rows(metric, text, interval)
            want_rows = expected_rows(base + "samples/" + case + ".tsv")
            if "aborts" in note:
                ours = ours[:max(want_rows, default=0)]
            counts = compare_rows(ours, want_rows, "sample", detail)
            rows_same, rows_total = rows_same + counts[0], rows_total + counts[1]
        for name, ours in ((base + case + ".steady.csv", glob.glob(directory + "/gpgpusim_steady*")),
                           (base + "raw/" + case + ".log", [report])):
            if os.path.exists(name):
                opened = gzip.open(ours[0], "rt") if ours[0].endswith(".gz") else open(ours[0])
                ok = opened.read() == open(name).read()
                rows_same, rows_total = rows_same + ok, rows_total + 1
                if not ok:
                    detail.append("    %s differs" % os.path.basename(name))
    row = "%-40s %5d/%d lines %5d/%d samples" % (case, same, total, rows_same, rows_total)
    if "aborts" in note:
        row += "; the original aborts after %d blocks" % max((k[0] for k in want), default=0)
    if case.split(".")[0] in REWRITTEN:
        row += "; program as the original misreads it"
    return row, detail, not detail, same + rows_same, total + rows_total
