# SPDX-License-Identifier: BSD-2-Clause
# Variables of the scripts in this directory. Each may be set in the environment.
#   SWEEP      directory of traces, results and plots (build/sweep in the project's tree, otherwise sweep in this directory)
#   WARPTOOLS  directory with trace-sim and stats-csv that is used instead of PATH (in the project's tree: build)
#   PLOTS      directory with the plot scripts, examples/plots (found next to this directory or in the installed suite)
#   JOBS       number of runs at the same time (the number of processors)
#   LIMITS     limits of a run if its point has none: "time=2h memory=8G" (none)
HERE=$(cd "${SWEEP_HERE-$(dirname "$0")}" && pwd)
TREE=$HERE/../..
if [ -f "$TREE/cmd/trace-sim/main.c" ]; then
	TREE=$(cd "$TREE" && pwd)
	WARPTOOLS=${WARPTOOLS-$TREE/build}
	SWEEP=${SWEEP-$TREE/build/sweep}
	WARPTOOLS_GPUS=${WARPTOOLS_GPUS-$TREE/examples/gpus}
	export WARPTOOLS_GPUS
fi
# The plot scripts: next to this directory, or those of the installed suite if only this directory was copied.
PLOTS=${PLOTS-$HERE/../plots}
if [ ! -d "$PLOTS" ]; then
	PLOTS=$(command -v trace-sim || true)
	PLOTS=${PLOTS%/bin/trace-sim}/share/warptools/examples/plots
fi
SWEEP=${SWEEP-$HERE/sweep}
JOBS=${JOBS-$(nproc)}
LIMITS=${LIMITS-}
case $SWEEP in /*) ;; *) SWEEP=$PWD/$SWEEP ;; esac
PATH=${WARPTOOLS:+$WARPTOOLS:}$PATH
export PATH SWEEP LIMITS
command -v trace-sim >/dev/null || {
	echo "${0##*/}: no trace-sim in PATH (set PATH, or WARPTOOLS=DIRECTORY)" >&2
	exit 2
}
