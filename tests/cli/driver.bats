#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --run: programs of the CUDA driver interface, with PTX, cubins, Triton launches and NVRTC.

bats_require_minimum_version 1.5.0
load helper
load cudart_programs

setup_file() {
	stub_runtime
	program vecadd vecadd "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
}

@test "green contexts, runtime libraries, batched copies and graphs printed as text work" {
	driver_program green
	run -0 trace-exec -n -g a100-40 --run ./green "$ROOT/tests/data/cudart/kernels.ptx"
	assert_output ''
	run -0 cat graph.dot
	assert_line --index 0 'digraph dot {'
	assert_line '"graph_1_node_0" -> "graph_1_node_2";'
	assert_line '"graph_1_node_1" -> "graph_1_node_2";'
	assert_line '"graph_1_node_2"[shape="box" label="2\nGRAPH"];'
	assert_line '"graph_2_node_0"[shape="box" label="0\nEMPTY"];'
	gcc -std=gnu11 -Wno-unused -DFATBIN='"vecadd.fatbin"' -o batches "$ROOT/tests/data/cudart/batches.c" -L. -lcudart
	run -0 trace-exec -n --run ./batches "$ROOT/tests/data/cudart/kernels.ptx"
	assert_output ''
	run -0 cat batches.dot
	assert_line '"graph_1_node_0"[shape="box" label="0\nMEMCPY\nhost to device, 16 x 1 x 1"];'
	assert_line '"graph_1_node_1"[shape="box" label="1\nKERNEL\nadd\ngrid (3,1,1), block (32,2,1), shared memory 16"];'
}

@test "user objects of graphs, events of contexts, and copies of arrays and boxes work" {
	driver_program objects -lcudart
	run -0 trace-exec -n -g a100-40 --run ./objects
	assert_output ''
}

@test "a program of the driver interface runs, and each call that is not executed is named" {
	driver_program driver
	run -1 trace-exec -n -g a100-40 --run ./driver "$ROOT/tests/data/cudart/kernels.ptx"
	local what
	for what in 'cuStreamWaitValue: a value that the host writes after the call' cuMulticastCreate 'cuGetExportTable: the program has its own copy of the runtime (link it with -cudart shared)'; do
		assert_line "trace-exec: error: not executed: $what (see trace-exec --run --list)"
	done
	assert_line "trace-exec: driver.3.1.ptx:3:23: error: unknown or unsupported instruction 'nonsense'"
	assert_line 'trace-exec: driver: error: no cubin (expected a cubin, a fat binary or a program with one)'
	assert_line "trace-exec: driver.7.1.ptx:7:34: error: call of 'seven', which no module defines"
	[ "${#lines[@]}" -eq 6 ]
}

@test "a runtime call initialises the driver" {
	driver_program driver
	cat >both.c <<-'C'
		int cudaFree(void *), cuCtxGetDevice(int *);
		int main(void)
		{
			int device = 1, before = cuCtxGetDevice(&device), e = cudaFree(0);

			return before != 3 || e || cuCtxGetDevice(&device) || device;
		}
	C
	gcc -o both both.c -L. -lcuda -lcudart
	run -0 trace-exec -n --run ./both
	assert_output ''
}

@test "a library with its own copy of the runtime is reported once" {
	driver_program driver
	cat >own.c <<-'C'
		int cuGetExportTable(const void **, const void *);
		int own_runtime(void)
		{
			const void *table = "";
			int e = cuGetExportTable(&table, 0);

			return table ? -1 : e;
		}
	C
	cat >both.c <<-'C'
		int own_runtime(void);
		int main(void)
		{
			return own_runtime() != 801 || own_runtime() != 801;
		}
	C
	gcc -shared -fPIC -o libown.so own.c -L. -lcuda
	gcc -o both both.c -L. -lown -lcuda
	LD_LIBRARY_PATH=$PWD run -0 trace-exec -n --run ./both
	assert_output 'trace-exec: libown.so: warning: the library has its own copy of the runtime, and its calls of it fail'
}

# Prints what the program cubin must print for a kernel with $1 registers, of which $2 blocks fit on an SM.
cubin_lines() {
	python3 - "$@" <<-'EOF'
		import sys
		def steps(v, n=0):
		    while v > 1 and n < 30:
		        v, n = v * 3 + 1 if v & 1 else v >> 1, n + 1
		    return n
		values = " ".join(str(steps(63 - i) * 100 + steps(i ^ 1)) for i in range(64))
		for call in ("cuModuleLoad", "cuLibraryLoadFromFile", "cuModuleLoadData", "cuModuleLoadFatBinary", "cuLibraryLoadData", "cuLinkComplete"):
		    print(f"{call} 0 {sys.argv[1]} registers, {sys.argv[2]} blocks: {values}")
	EOF
}

@test "a program of the driver interface loads machine code from a cubin and a fat binary" {
	local none='cuModuleLoad 209 nothing' option
	driver_program cubin
	"$ROOT/tests/data/sass/cubin.py" -S 256 -r 16 k <"$ROOT/tests/data/sass/steps.sass" >k.cubin
	python3 "$ROOT/tests/data/cudart/mkfat" k.fatbin "ptx:70:$ROOT/tests/data/cudart/kernels.ptx" elf:80:k.cubin
	python3 "$ROOT/tests/data/cudart/mkfat" packed.fatbin elf:80:lz4:k.cubin
	for option in '--code auto' '--code sass'; do
		for file in k.cubin k.fatbin packed.fatbin; do
			# shellcheck disable=SC2086
			run -0 trace-exec -n -g a100-40 $option --run ./cubin $file k
			assert_output "$(cubin_lines 16 32)"
		done
	done
	# a warp of 36 registers takes 1280, and 12 such warps fit on a sub-core
	"$ROOT/tests/data/sass/cubin.py" -S 256 -r 36 k <"$ROOT/tests/data/sass/steps.sass" >k36.cubin
	run -0 trace-exec -n -g a100-40 --run ./cubin k36.cubin k
	assert_output "$(cubin_lines 36 24)"
	# a note says from which PTX the code was compiled; sm_86 executes code for sm_80
	run -0 trace-exec -n -g rtx3070 --run ./cubin k.cubin k versions
	assert_line 'cuModuleLoad 0 PTX 80, binary 80'
	"$ROOT/tests/data/sass/cubin.py" -S 256 -r 16 -P 75 k <"$ROOT/tests/data/sass/steps.sass" >note.cubin
	run -0 trace-exec -n -g rtx3070 --run ./cubin note.cubin k versions
	assert_line 'cuModuleLoad 0 PTX 75, binary 80'
	run -0 trace-exec -o out -g a100-40 --run ./cubin k.cubin k
	run -0 grep -c 'binary version = 80' out/kernel-1.traceg
	# the machine code is for another GPU, and --code ptx accepts no machine code
	run -1 trace-exec -n -g qv100 --run ./cubin k.cubin k
	assert_line --partial 'cubin: error: machine code for sm_80, not for sm_70 (choose the GPU with -g)'
	assert_line "$none"
	run -1 trace-exec -n -g a100-40 --code ptx --run ./cubin k.cubin k
	assert_line --partial 'cubin: error: machine code without PTX, which --code ptx needs'
	assert_line "$none"
	# the other GPU gets the PTX of the fat binary, which lacks the kernel
	run -0 trace-exec -n -g qv100 --run ./cubin k.fatbin k
	assert_line 'cuModuleLoad 0 nothing'
}

@test "machine code that cannot be executed is reported, and PTX in the same file is executed instead" {
	local ptx="ptx:70:$ROOT/tests/data/cudart/kernels.ptx" reason
	printf '%s\n' '000fe400078e00ff 0000000000000111' '000fea0003800000 000000000000794d' |
		"$ROOT/tests/data/sass/cubin.py" -p 8,8,8,4 add >unknown.cubin
	reason='code.1.sm_80.cubin: %s: not executed: UNKNOWN.0x111'
	program code vecadd "$ptx" elf:80:unknown.cubin
	run -0 trace-exec -n -g a100-40 --run ./code 100
	# shellcheck disable=SC2059
	assert_line --partial "$(printf "$reason" warning)"
	assert_line --partial ': its PTX is executed instead'
	assert_line '0 of 100 elements are wrong'
	run -1 trace-exec -n -g a100-40 --code sass --run ./code 100
	# shellcheck disable=SC2059
	assert_line --partial "$(printf "$reason" error)"
	# without PTX the message gives the reason why the machine code is rejected
	program code vecadd elf:80:unknown.cubin
	run -1 trace-exec -n -g a100-40 --run ./code 100
	# shellcheck disable=SC2059
	assert_line --partial "$(printf "$reason" error)"
	refute_output --partial PTX
	# the cubin is damaged
	head -c 300 unknown.cubin >cut.cubin
	program code vecadd "$ptx" elf:80:cut.cubin
	run -0 trace-exec -n -g a100-40 --run ./code 100
	assert_line --regexp '^trace-exec: .*warning: .*: its PTX is executed instead$'
	assert_line '0 of 100 elements are wrong'
}

@test "textures and surfaces of the driver interface work" {
	driver_program texels
	run -1 trace-exec -n --run ./texels "$ROOT/tests/data/cudart/images.ptx"
	local what
	for what in 'cuTexObjectCreate: a view of a resource' 'cudaCreateTextureObject: sRGB or a seamless cube' 'cuTexObjectCreate: a packed or compressed format'; do
		assert_line "trace-exec: error: not executed: $what (see trace-exec --run --list)"
	done
	[ "${#lines[@]}" -eq 3 ]
	driver_program references
	run -0 trace-exec -n --run ./references "$ROOT/tests/data/cudart/images.ptx"
	assert_output ''
}

@test "kernels that share memory across functions, and links of machine code, are rejected with the reason" {
	driver_program triton
	gcc -std=gnu11 -o refusals "$ROOT/tests/data/cudart/refusals.c" -L. -lcuda -lcudart
	"$ROOT/tests/data/sass/cubin.py" -S 256 k <"$ROOT/tests/data/sass/steps.sass" >good.cubin
	run -1 trace-exec -n -g a100-40 --run ./refusals good.cubin
	local shared='each process has a GPU of its own, so processes cannot share memory' what
	for what in "cudaIpcOpenMemHandle: $shared or events" \
		"cudaIpcOpenEventHandle: $shared or events" \
		'cudaIpcOpenEventHandle: an event of the same process' \
		'cudaHostGetDevicePointer: memory of a file or of several processes' \
		"cudaMemPoolExportToShareableHandle: $shared" \
		'cuLinkAddData: an object or a library; add PTX, or link it with nvlink and add its cubin' \
		'cuLinkAddData: machine code together with other inputs; add PTX of all inputs, or link them with nvlink and add its cubin'; do
		assert_line "trace-exec: error: not executed: $what (see trace-exec --run --list)"
	done
	[ "${#lines[@]}" -eq 7 ]
}

@test "a damaged cubin or fat binary that a program loads is an error" {
	driver_program cubin
	"$ROOT/tests/data/sass/cubin.py" -S 256 k <"$ROOT/tests/data/sass/steps.sass" >good.cubin
	python3 "$ROOT/tests/data/cudart/mkfat" good.fatbin elf:80:good.cubin
	for good in good.cubin good.fatbin; do
		for n in 4 17 63 64 200 1000; do
			head -c $n $good >cut
			run trace-exec -n -g a100-40 --run ./cubin cut k files
			[ "$status" -le 2 ]
			assert_line --regexp '^cuModuleLoad 2(00|09|18) nothing$'
		done
		for seed in 1 2 3 4 5 6 7 8; do
			python3 - $good $seed <<-'EOF'
				import random, sys
				d = bytearray(open(sys.argv[1], "rb").read())
				r = random.Random(int(sys.argv[2]))
				for _ in range(4):
				    d[r.randrange(4, len(d))] = r.randrange(256)
				open("changed", "wb").write(d)
			EOF
			run trace-exec -n -g a100-40 --limit 100000 --run ./cubin changed k files
			[ "$status" -le 2 ]
		done
	done
}

@test "a launch in the manner of Triton works" {
	driver_program triton
	run -0 trace-exec -o out -g a100-40 --run ./triton "$ROOT/tests/data/cudart/triton.ptx"
	assert_output '0 of 1000 elements are wrong'
	run -0 trace-lint -q out/kernelslist.g
	run -0 grep -h '^-\(kernel name\|dynamic shmem\|block dim\)' out/kernel-1.traceg
	assert_line '-kernel name = add_kernel'
	assert_line '-dynamic shmem = 512'
	assert_line '-block dim = (128,1,1)'
}

@test "code that NVRTC compiles runs" {
	local root
	root=$(command -v nvcc) || root=/usr/local/cuda/bin/nvcc
	root=$(dirname "$(dirname "$root")")
	[ -e "$root/include/nvrtc.h" ] || skip "NVRTC is not installed"
	driver_program driver
	gcc -std=gnu11 -I"$root/include" -o nvrtc "$ROOT/tests/data/cudart/nvrtc.c" -L. -L"$root/lib64" -lcuda -lnvrtc
	run -0 env LD_LIBRARY_PATH="$root/lib64" "$BUILD/trace-exec" -n --run ./nvrtc
	assert_output '0 of 1000 elements are wrong'
}
