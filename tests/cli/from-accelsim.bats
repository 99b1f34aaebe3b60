#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# examples/sweep/from-accelsim reads Accel-Sim's files define-*-cfgs.yml and define-*-apps.yml.

bats_require_minimum_version 1.5.0
load helper

setup() {
	cd "$BATS_TEST_TMPDIR"
	unset GPGPUSIM_ROOT ACCELSIM_ROOT
	cat >cfgs.yml <<-'END'
	# Basefile Configs

	#Volta
	QV100:
	    base_file: "$GPGPUSIM_ROOT/configs/tested-cfgs/SM7_QV100/gpgpusim.config"
	ODD:
	    base_file: "$GPGPUSIM_ROOT/configs/tested-cfgs/SM9_ODD/gpgpusim.config"

	SASS:
	    extra_params: "#SASS-Driven Accel-Sim"
	########
	SMALL:
	    extra_params: "-gpgpu_n_clusters 2 -gpgpu_scheduler gto"
	Power:
	    extra_params: "-power_simulation_enabled 0
	    \n-power_simulation_mode 0"
	END
	cat >apps.yml <<-'END'
	#   execs:
	suite-1.0:
	    exec_dir: "$GPUAPPS_ROOT/bin/$CUDA_VERSION/release/"
	    data_dirs: ""
	    execs:
	        - vec_add:
	            - args:  4096 ./data/out.txt
	              accel-sim-mem: 1G
	            - args:  -n 7
	#        - old:
	#            - args:  1
	        - dir/no-args:
	            - args:
	              accel-sim-mem: 2G
	other:
	    exec_dir: ""
	    data_dirs: ""
	    execs:
	        - nothing:
	            - args: # none
	END
	mkdir -p t/9.1/vec_add/4096___data_out_txt t/vec_add/_n_7 t/a/b/dir_no-args/NO_ARGS
	d=$(trace vecadd)
	for at in t/9.1/vec_add/4096___data_out_txt t/vec_add/_n_7 t/a/b/dir_no-args/NO_ARGS; do ln -s "$d" $at/traces; done
	script=$ROOT/examples/sweep/from-accelsim
}

@test "from-accelsim converts points, modifiers, configurations and applications" {
	run -0 "$script" sweep t QV100-SASS,QV100-SASS-SMALL suite-1.0 cfgs.yml apps.yml
	assert_output '2 points, 3 applications'
	run -0 cat sweep/points
	assert_output $'QV100 + SASS\nQV100 + SASS + SMALL'
	run -0 cat sweep/modifiers
	assert_line --index 1 $'QV100\t-g qv100'
	assert_line --index 3 $'SMALL\t-c '"$PWD/sweep/configs/SMALL.config"
	run -0 cat sweep/configs/SMALL.config
	assert_output $'-gpgpu_n_clusters 2\n-gpgpu_scheduler gto'
	run -0 cut -f1 sweep/apps
	assert_output $'# name, traces\nvec_add-0\nvec_add-1\ndir_no-args-0'
	run -0 sh sweep/jobs -n
	assert_line --index 5 $'dir_no-args-0\tQV100+SASS+SMALL'
}

@test "a run of the converted sweep has the options of the original" {
	"$script" sweep t QV100-SMALL suite-1.0:vec_add:1 cfgs.yml apps.yml
	WARPTOOLS=$BUILD SWEEP=$PWD/out sh sweep/setup
	WARPTOOLS=$BUILD SWEEP=$PWD/out sh sweep/run vec_add-1 QV100+SMALL
	grep -q '"gpgpu_n_clusters":2[,}]' out/results/vec_add-1.QV100+SMALL.json
	grep -q '"gpgpu_scheduler":"gto"' out/results/vec_add-1.QV100+SMALL.json
}

@test "an existing base file is used with its trace.config; values may span lines" {
	mkdir -p sim/configs/tested-cfgs/SM9_ODD acc/configs/tested-cfgs/SM9_ODD
	touch sim/configs/tested-cfgs/SM9_ODD/gpgpusim.config acc/configs/tested-cfgs/SM9_ODD/trace.config
	export GPGPUSIM_ROOT=$PWD/sim ACCELSIM_ROOT=$PWD/acc
	run -0 "$script" sweep t ODD-Power suite-1.0 cfgs.yml apps.yml
	grep -q "^ODD	-c $PWD/sim/configs/.*/gpgpusim.config -c $PWD/acc/configs/.*/trace.config\$" sweep/modifiers
	run -0 cat sweep/configs/Power.config
	assert_output $'-power_simulation_enabled 0\n-power_simulation_mode 0'
}

@test "errors name the missing input, and no directory is left" {
	run -1 "$script" sweep t QV100-NONE suite-1.0 cfgs.yml apps.yml
	assert_output "from-accelsim: QV100-NONE: 'NONE' is no extra_params"
	run -1 "$script" sweep t ODD suite-1.0 cfgs.yml apps.yml
	assert_output --partial 'SM9_ODD/gpgpusim.config does not exist'
	run -1 "$script" sweep t QV100 none cfgs.yml apps.yml
	assert_output "from-accelsim: no suite 'none' (expected one of other, suite-1.0)"
	run -1 "$script" sweep t QV100 suite-1.0:vec cfgs.yml apps.yml
	assert_output "from-accelsim: suite 'suite-1.0' has no program 'vec'"
	run -1 "$script" sweep t QV100 other cfgs.yml apps.yml
	assert_line 'from-accelsim: t: no traces of the 1 applications (expected PROGRAM/ARGUMENTS/traces)'
	printf 'QV100\n' >bad.yml
	run -1 "$script" sweep t QV100 other bad.yml
	assert_output "from-accelsim: bad.yml:1: unexpected line 'QV100' (expected 'name:' or 'name: value')"
	run -2 "$script" sweep
	[ ! -e sweep ]
	mkdir sweep
	run -1 "$script" sweep t QV100 suite-1.0 cfgs.yml apps.yml
	assert_output "from-accelsim: $PWD/sweep exists already"
}

@test "from-accelsim reads the files of Accel-Sim itself" {
	files=$ROOT/../shared/reference/accel-sim-framework/util/job_launching
	[ -d "$files" ] || skip "no files of Accel-Sim"
	run -1 "$script" sweep t QV100-SASS rodinia_2.0-ft "$files"/configs/define-*.yml "$files"/apps/define-*.yml
	assert_output --partial 'no traces of the 10 applications'
}
