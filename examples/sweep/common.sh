# SPDX-License-Identifier: BSD-2-Clause
# Read by the scripts of this folder: where things are. Each may be set in the environment.
#   SWEEP      traces, results and plots of the sweep (build/sweep)
#   WARPTOOLS  folder with trace-sim and stats-csv (build), of a suite that is not installed
#   JOBS       runs at the same time (the number of processors)
HERE=$(cd "${SWEEP_HERE-$(dirname "$0")}" && pwd)
ROOT=$(cd "$HERE/../.." && pwd)
WARPTOOLS=${WARPTOOLS-$ROOT/build}
SWEEP=${SWEEP-$ROOT/build/sweep}
JOBS=${JOBS-$(nproc)}
case $SWEEP in /*) ;; *) SWEEP=$PWD/$SWEEP ;; esac
PATH=$WARPTOOLS:$PATH
WARPTOOLS_GPUS=${WARPTOOLS_GPUS-$ROOT/examples/gpus}
export PATH SWEEP WARPTOOLS WARPTOOLS_GPUS
