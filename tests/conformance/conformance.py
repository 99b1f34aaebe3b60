#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
"""Compares trace-sim with the recorded figures and event logs of Accel-Sim.

usage: conformance.py [-e | -k | -n | -p | -w] [-j N] [-v] REFERENCE [PATTERN...]

REFERENCE is the directory with reference/, traces/, synth/, bench/ and gpus/. A case is a file
reference/TRACE.GPU[+VARIANT].tsv (with -e: reference/events/TRACE.GPU[+VARIANT].tsv.zst; with -k: a kernel of
reference/perkernel/TRACE.GPU.tsv alone, its cycles and instructions; with -n: reference/networks/NETWORK.TRACE.tsv,
run with the options of reference/networks/cases.tsv; with -p: ptx/cases/NAME/ref.GPU.tsv as NAME.GPU, whose launch file the
trace-exec next to trace-sim executes; with -w: reports and samples of power, see conformance_power.py); PATTERN
selects cases. Prints a row for each case: kernels, our cycles, those of the reference, error, number of equal
figures, first different figure.
TRACE_SIM names the binary. Figures in tests/conformance/except cannot be equal and are not compared.
The exit status is 0 only if everything is equal. A run of all cases from a clean checkout writes the file
"conformance" next to the binary, for tests/golden/run -u.
"""
import concurrent.futures as futures
import fnmatch
import glob
import os
import re
import subprocess
import sys
import tempfile

import conformance_power

TESTS = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SIM = os.environ.get("TRACE_SIM", "build/trace-sim")
# Cases from PTX whose figures depend on the order of races or atomics.
ORDER = ("bfs", "cas-loop", "threadfence-reduce")


def variants(ref):
    rows = {}
    for line in open(ref + "/reference/variants.tsv"):
        name, _, text = line.rstrip("\n").split("\t")
        words = text.split()
        rows[name] = list(zip(words[::2], words[1::2]))
    return rows


def exceptions():
    names = []
    for line in open(TESTS + "/conformance/except"):
        if line.strip() and not line.startswith("#"):
            names.append(line.split()[0])
    return [re.compile(n) for n in names]


def find_trace(ref, name):
    for directory in ("traces", "synth", "bench"):
        if os.path.isdir("%s/%s/%s" % (ref, directory, name)):
            return "%s/%s/%s" % (ref, directory, name)
    return None


def command(ref, case, rows, *more):
    trace, rest = case.split(".", 1)
    gpu, _, variant = rest.partition("+")
    cmd = [SIM, "-q", "-c", "%s/gpus/%s.config" % (ref, gpu)]
    for name, value in rows.get(variant, []):
        cmd += ["-D", "%s=%s" % (name, value)]
    return cmd + list(more) + [find_trace(ref, trace)]


def load(lines):
    table = {}
    for line in lines:
        kernel, name, value = line.rstrip("\n").split("\t")
        table.setdefault((int(kernel), name), []).append(value.strip().replace("-nan", "nan"))
    return table


def networks(ref):
    """Returns the options of each network of reference/networks."""
    rows = {}
    for line in open(ref + "/reference/networks/cases.tsv"):
        name, clusters, controllers, more = (line.rstrip("\n").split("\t") + [""])[:4]
        rows[name] = ["gpgpu_n_clusters=" + clusters, "gpgpu_n_mem=" + controllers, "network_mode=1",
            "inter_config_file=%s/reference/networks/%s.icnt" % (os.path.abspath(ref), name)] + more.split()
    return rows


def network_command(ref, case):
    network, trace = case.split(".", 1)
    cmd = [SIM, "-q", "-c", ref + "/gpus/rtx3070.config"]
    for setting in networks(ref)[network]:
        cmd += ["-D", setting]
    return cmd + ["-F", "accelsim", find_trace(ref, trace)]


def network_figures(ref, case, rows, free):
    return compare(ref, "networks/" + case, case, network_command(ref, case), free)


def ptx_figures(ref, case, _rows, free):
    name, gpu = case.rsplit(".", 1)
    directory = "%s/ptx/cases/%s" % (ref, name)
    with tempfile.TemporaryDirectory() as d:
        cmd = [os.path.join(os.path.dirname(SIM), "trace-exec"), "-q", "--no-check", "--stack", "simt", "-o", d + "/trace", "-C", d, directory + "/launch"]
        run = subprocess.run(cmd, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        if run.returncode:
            return "%-44s not executed" % case, ["    " + run.stderr.decode(errors="replace").strip()[:400]], False, 0, 1
        cmd = [SIM, "-q", "-c", "%s/ptx/gpus/%s.config" % (ref, gpu), "-F", "accelsim", d + "/trace"]
        return compare(ref, "../ptx/cases/%s/ref.%s" % (name, gpu), case, cmd, free)


def ptx_cases(ref):
    found = [(p.split("/")[-2], os.path.basename(p)[4:-4]) for p in glob.glob(ref + "/ptx/cases/*/ref.*.tsv")]
    return sorted("%s.%s" % case for case in found if case[0] not in ORDER)


def power_figures(ref, case, _rows, _free):
    return conformance_power.check(SIM, ref, case, find_trace)


def figures(ref, case, rows, free):
    return compare(ref, case, case, command(ref, case, rows, "-F", "accelsim"), free)


def compare(ref, path, case, cmd, free):
    with tempfile.NamedTemporaryFile("w+", suffix=".log") as log:
        run = subprocess.run(cmd, stdout=log, stderr=subprocess.PIPE)
        text = subprocess.run([sys.executable, ref + "/reference/log2tsv.py", log.name], capture_output=True, text=True)
    want = load(open("%s/reference/%s.tsv" % (ref, path)))
    got = load(text.stdout.splitlines())
    names = [k for k in want if not any(f.fullmatch(k[1]) for f in free)]
    bad = [k for k in names if got.get(k) != want[k]]
    cycles = [k for k in want if k[1] == "gpu_tot_sim_cycle"]
    last = max(cycles) if cycles else None
    theirs = int(want[last][0]) if last else 0
    ours = int(got[last][0]) if last in got else 0
    insts = all(got.get(k) == want[k] for k in want if k[1] in ("gpu_tot_sim_insn", "gpgpu_n_tot_w_icount"))
    row = "%-44s %3d %9d %9d %+8.3f%% %6d/%d%s" % (case, len(cycles), ours, theirs,
        100.0 * (ours - theirs) / theirs if theirs else 0, len(names) - len(bad), len(names), "" if insts else " INSTS")
    detail = ["    kernel %d %s: want %s, got %s" % (k[0], k[1], want[k], got.get(k)) for k in bad]
    if run.returncode:
        detail.insert(0, "    exit %d: %s" % (run.returncode, run.stderr.decode(errors="replace").strip()[:400]))
    return row, detail, not bad and run.returncode == 0, len(names) - len(bad), len(names)


def first_difference(a, b):
    """Returns the number of the first different line, and the lines near it."""
    before = []
    with open(a, errors="replace") as fa, open(b, errors="replace") as fb:
        number = 0
        while True:
            la, lb = fa.readline(), fb.readline()
            number += 1
            if la != lb or not la:
                after = [fa.readline().rstrip("\n"), fb.readline().rstrip("\n")]
                return number, ["    " + l for l in before[-4:]] + ["  - " + la.rstrip("\n"), "  + " + lb.rstrip("\n"),
                    "  -   " + after[0], "  +   " + after[1]]
            before = before[-4:] + [la.rstrip("\n")]


def events(ref, case, rows, _free):
    with tempfile.TemporaryDirectory() as d:
        want, got = d + "/want", d + "/got"
        run = subprocess.run(command(ref, case, rows, "-f", "-o", d + "/result", "--events", got), stderr=subprocess.PIPE)
        with open(want, "wb") as out:
            subprocess.run(["zstd", "-qdc", "%s/reference/events/%s.tsv.zst" % (ref, case)], stdout=out, check=True)
        if not os.path.exists(got):
            open(got, "w").close()
        lines = sum(1 for _ in open(want, "rb"))
        if run.returncode == 0 and subprocess.run(["cmp", "-s", want, got]).returncode == 0:
            return "%-44s %8d lines equal" % (case, lines), [], True, lines, lines
        number, detail = first_difference(want, got)
        if run.returncode:
            detail.append("    exit %d: %s" % (run.returncode, run.stderr.decode(errors="replace").strip()[:400]))
        return "%-44s %8d lines, first difference in line %d" % (case, lines, number), detail, False, number - 1, lines


def kernel_alone(ref, case, _rows, _free):
    trace, gpu, kernel = case.split(".", 2)
    for line in open("%s/reference/perkernel/%s.%s.tsv" % (ref, trace, gpu)):
        want = line.split()
        if want[0] == kernel:
            break
    run = subprocess.run([SIM, "-q", "-c", "%s/gpus/%s.config" % (ref, gpu), find_trace(ref, trace) + "/" + kernel],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    got = dict(line.split()[:2] for line in run.stdout.decode().splitlines() if not line.startswith("#"))
    ours = [got.get(n, "none") for n in ("gpu_sim_cycle", "gpu_sim_insn", "gpgpu_n_tot_w_icount")]
    same = sum(a == b for a, b in zip(ours, want[1:]))
    detail = [] if same == 3 else ["    cycles, thread insts, warp insts: want %s, got %s" % (want[1:], ours)]
    return "%-60s %9s %9s %d/3" % (case, ours[0], want[1], same), detail, same == 3, same, 3


def kernels_alone(ref):
    cases = []
    for path in sorted(glob.glob(ref + "/reference/perkernel/*.tsv")):
        cases += [os.path.basename(path)[:-4] + "." + line.split()[0] for line in list(open(path))[1:]]
    return cases


def list_cases(ref, check):
    if check is kernel_alone:
        return kernels_alone(ref)
    if check is ptx_figures:
        return ptx_cases(ref)
    if check is power_figures:
        return sorted(conformance_power.rows(ref))
    if check is network_figures:
        files = glob.glob(ref + "/reference/networks/*.*.tsv")
        return sorted(os.path.basename(p)[:-4] for p in files)
    where, tail = ("/reference/events/*.tsv.zst", ".tsv.zst") if check is events else ("/reference/*.tsv", ".tsv")
    cases = sorted(os.path.basename(p)[:-len(tail)] for p in glob.glob(ref + where))
    return [c for c in cases if "." in c and find_trace(ref, c.split(".")[0])]


def keep(summary):
    """Writes the file from which golden figures are refreshed: the commit, if the build is without changes, and the
    result."""
    git = lambda *words: subprocess.run(("git", "-C", TESTS) + words, capture_output=True, text=True)
    commit, changes = git("rev-parse", "HEAD"), git("status", "--porcelain")
    if commit.returncode == 0 and changes.returncode == 0 and not changes.stdout:
        with open(os.path.join(os.path.dirname(SIM), "conformance"), "w") as f:
            f.write("commit %s\n%s\n" % (commit.stdout.strip(), summary))


def main():
    args, jobs, check, verbose = sys.argv[1:], os.cpu_count() or 1, figures, False
    while args and args[0].startswith("-"):
        flag = args.pop(0)
        if flag == "-e":
            check = events
        elif flag == "-k":
            check = kernel_alone
        elif flag == "-p":
            check = ptx_figures
        elif flag == "-w":
            check = power_figures
        elif flag == "-n":
            check = network_figures
        elif flag == "-v":
            verbose = True
        elif flag == "-j" and args:
            jobs = int(args.pop(0))
        else:
            sys.exit(__doc__)
    if not args:
        sys.exit(__doc__)
    ref, patterns = args[0], args[1:] or ["*"]
    cases = [c for c in list_cases(ref, check) if any(fnmatch.fnmatch(c, p) for p in patterns)]
    rows, free = variants(ref), exceptions()
    good = same = total = 0
    with futures.ThreadPoolExecutor(jobs) as pool:
        for row, detail, equal, n, of in pool.map(lambda c: check(ref, c, rows, free), cases):
            print(row, flush=True)
            for line in detail[:None if verbose else 9 if check is events else 3]:
                print(line)
            good, same, total = good + equal, same + n, total + of
    summary = "%d of %d cases equal, %d of %d %s" % (good, len(cases), same, total, "lines" if check is events else "figures")
    print(summary)
    if check is figures and not args[1:]:
        keep(summary)
    return 0 if cases and good == len(cases) else 1


sys.exit(main())
