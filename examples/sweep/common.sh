# SPDX-License-Identifier: BSD-2-Clause
# Read by the scripts of this folder: where things are. Each may be set in the environment.
#   SWEEP      traces, results and plots of the sweep (build/sweep in the project's tree, else sweep in this folder)
#   WARPTOOLS  folder with trace-sim and stats-csv, where PATH is not to be asked (in the project's tree: build)
#   JOBS       runs at the same time (the number of processors)
#   LIMITS     of a run, where its point has none of its own: "time=2h memory=8G" (none)
HERE=$(cd "${SWEEP_HERE-$(dirname "$0")}" && pwd)
TREE=$HERE/../..
if [ -f "$TREE/cmd/trace-sim/main.c" ]; then
	TREE=$(cd "$TREE" && pwd)
	WARPTOOLS=${WARPTOOLS-$TREE/build}
	SWEEP=${SWEEP-$TREE/build/sweep}
	WARPTOOLS_GPUS=${WARPTOOLS_GPUS-$TREE/examples/gpus}
	export WARPTOOLS_GPUS
fi
# The plots: next to this folder, or those of the installed suite where the folder was copied alone.
PLOTS=$HERE/../plots
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
	echo "${0##*/}: no trace-sim in PATH (set PATH, or WARPTOOLS=FOLDER)" >&2
	exit 2
}
