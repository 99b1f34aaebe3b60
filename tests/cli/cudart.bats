#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --run: programs of the CUDA runtime run without a GPU, an installed runtime or nvcc.

bats_require_minimum_version 1.5.0
load helper
load cudart_programs

setup_file() {
	stub_runtime
	program vecadd vecadd "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	program calls calls "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	program graphs graphs "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	program images images "ptx:70:$ROOT/tests/data/cudart/images.ptx"
	program shared shared "ptx:90:$ROOT/tests/data/cudart/shared.ptx"
	MODE='-fno-pie -no-pie' program fixed shared "ptx:90:$ROOT/tests/data/cudart/shared.ptx"
	program maps maps "ptx:90:$ROOT/tests/data/cudart/maps.ptx"
	program queries queries "ptx:90:$ROOT/tests/data/cudart/shared.ptx"
}

@test "a program prints the results that a GPU would give, with checks and without" {
	run -0 trace-exec -n --run ./vecadd 5000
	assert_output '0 of 5000 elements are wrong'
	run -0 trace-exec -n --no-check --run ./vecadd 5000
	assert_output '0 of 5000 elements are wrong'
}

@test "a program runs where no CUDA runtime is installed" {
	mkdir -p absent
	echo 'libcudart.so.11.0 { *; };' >absent/map
	gcc -shared -fPIC -Wl,-soname,libcudart.so.11.0 -Wl,--version-script=absent/map -o absent/libcudart.so libcudart.so.c
	gcc -std=gnu11 -Wno-unused -DFATBIN='"vecadd.fatbin"' -o old "$ROOT/tests/data/cudart/vecadd.c" -Labsent -lcudart
	run -0 env -u LD_LIBRARY_PATH "$BUILD/trace-exec" -n --run ./old 5000
	assert_output '0 of 5000 elements are wrong'
	make -s -C "$ROOT" BUILD="$BUILD" install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root" >/dev/null
	run -0 env -u LD_LIBRARY_PATH "$BATS_TEST_TMPDIR/root/usr/bin/trace-exec" -n --run ./old 5000
	assert_output '0 of 5000 elements are wrong'
}

@test "the trace never overwrites the program" {
	mkdir out
	cp vecadd out/kernelslist.g
	run -2 trace-exec -f -o out --run out/kernelslist.g 500
	assert_output --partial 'out/kernelslist.g: error: the output is also an input'
	cmp vecadd out/kernelslist.g
}

@test "the trace is a directory with copies and kernels in program order" {
	run -0 trace-exec -o out --run ./vecadd 500
	assert_output '0 of 500 elements are wrong'
	run -0 cat out/kernelslist.g
	assert_output "$(printf '%s\n' MemcpyHtoD,0xc0000000,2000 MemcpyHtoD,0xc0000800,2000 kernel-1.traceg MemcpyDtoH,0xc0001000,2000)"
	run -0 head -5 out/kernel-1.traceg
	assert_line '-kernel name = add'
	assert_line '-grid dim = (2,1,1)'
	run -0 trace-lint out/kernelslist.g
	run -2 trace-exec -o out --run ./vecadd 500
	assert_output --partial 'exists'
}

@test "a stream on stdout equals the directory, and the output of the program goes to stderr" {
	trace-exec -o out --run ./vecadd 500
	trace-exec --run ./vecadd 500 >out.tpack 2>words
	run -0 cat words
	assert_output '0 of 500 elements are wrong'
	mkdir -p unpacked
	trace-pack -f -d -C unpacked out.tpack
	run -0 diff -r out unpacked
	run -0 bash -c 'trace-exec --run ./vecadd 500 2>/dev/null | trace-sim -q -g qv100'
	assert_line --regexp '^gpu_sim_insn [0-9]+ '
}

@test "a stream packed from records equals the directory, in a file and on stdout, for any number of threads" {
	for n in 500 300000; do
		trace-exec -f -o out --run ./vecadd $n
		run -0 trace-exec -f -o direct.tpack --run ./vecadd $n
		assert_output "0 of $n elements are wrong"
		rm -rf unpacked
		trace-pack -d -C unpacked direct.tpack
		run -0 diff -r out unpacked
		run -0 trace-pack -t direct.tpack
		trace-exec -j 3 -F pack --run ./vecadd $n >piped.tpack 2>/dev/null
		run -0 cmp direct.tpack piped.tpack
		trace-exec -f -F pack -o other.name --run ./vecadd $n
		run -0 cmp direct.tpack other.name
	done
	trace-exec -F text -o named.tpack --run ./vecadd 500
	[ -d named.tpack ]
	run -2 trace-exec -o direct.tpack --run ./vecadd 500
	assert_output --partial 'direct.tpack: error: exists already'
	run -1 trace-exec -o failed.tpack --run ./vecadd 100 stale
	[ ! -e failed.tpack ]
	cp vecadd program.tpack
	run -2 trace-exec -f -o program.tpack --run ./program.tpack 500
	assert_output --partial 'program.tpack: error: the output is also an input'
	cmp vecadd program.tpack
}

@test "damaged messages from a program end the run and leave no stream" {
	cat >liar.c <<-'EOF'
		#include <signal.h>
		#include <stdint.h>
		#include <stdio.h>
		#include <stdlib.h>
		#include <string.h>
		#include <unistd.h>
		enum { KERNEL = 2, CODE = 5, BLOCK = 6 };
		static int fd, token;
		static void tell(uint32_t kind, const void *body, uint32_t n) {
			uint32_t head[2] = {kind, n};
			if (write(fd, head, 8) != 8 || write(fd, body, n) != n) _exit(0);
		}
		int main(int argc, char **argv) {
			const char *text = getenv("TRACE_PTX_RUN");
			struct { uint64_t n; uint32_t inst[2]; char header[24]; } code = {1, {0, 0}, "-kernel name = k\n"};
			struct { uint32_t id[3], n_warps, runs, more, words, unused; uint64_t text; uint32_t run[4]; } block = {.n_warps = 1, .runs = 1, .run = {0, 1, 1}};
			char byte;
			signal(SIGPIPE, SIG_IGN);
			if (!text || sscanf(text, "fd=%d token=%d", &fd, &token) != 2 || read(token, &byte, 1) != 1) return 3;
			switch (atoi(argv[argc - 1])) {
			case 0: code.n = UINT64_MAX / 4; break;
			case 1: block.n_warps = 33; break;
			case 2: block.run[1] = 7; break;
			case 3: block.words = UINT32_MAX; break;
			case 4: block.text = UINT64_MAX - 3; break;
			}
			tell(KERNEL, "kernel-1.traceg", 15);
			tell(CODE, &code, sizeof(code));
			tell(BLOCK, &block, sizeof(block));
			return 0;
		}
	EOF
	gcc -o liar liar.c
	for lie in 0 1 2 3 4; do
		run -2 timeout 60 trace-exec -o lie.tpack --run ./liar $lie
		assert_line --partial 'its trace is incomplete'
		[ ! -e lie.tpack ]
	done
}

@test "a machine-code trace can also be written as a packed stream" {
	trace-exec --as sass -o out --run ./vecadd 500
	trace-exec --as sass -o sass.tpack --run ./vecadd 500
	mkdir -p unpacked
	trace-pack -f -d -C unpacked sass.tpack
	run -0 diff out/kernel-1.traceg unpacked/kernel-1.traceg
}

@test "--kernels and --launches choose launches, which keep their numbers" {
	run -1 trace-exec -o all -g qv100 --run ./calls
	run grep -c kernel all/kernelslist.g
	local count=$output
	[ "$count" -gt 4 ]
	run -1 trace-exec -g qv100 --launches 2,4- -o out --run ./calls
	run -0 diff <(grep -v -x -e kernel-1.traceg -e kernel-3.traceg all/kernelslist.g) out/kernelslist.g
	run -0 cmp all/kernel-2.traceg out/kernel-2.traceg
	[ ! -e out/kernel-1.traceg ]
	rm -rf out
	run -1 trace-exec -g qv100 --kernels "s*e,nothing" -o out --run ./calls
	for k in all/kernel-*; do
		[ -e "out/${k#all/}" ] && chosen=yes || chosen=no
		case $(head -1 "$k") in
		'-kernel name = scale') [ $chosen = yes ] ;;
		*) [ $chosen = no ] ;;
		esac
	done
	run -0 trace-exec --launches 1-2 --kernels nothing -o none.tpack --run ./vecadd 100
	assert_line --regexp '^trace-exec: ./vecadd: warning: --kernels and --launches choose none of the launches .there are [0-9]+.$'
	run -0 trace-pack -l none.tpack
	run -0 trace-exec -n --kernels nothing --run ./vecadd 100
	assert_line --partial 'warning: --kernels and --launches choose none of the launches'
	run -1 trace-exec --launches 1 -n --run ./vecadd 100 stale
	assert_output --partial 'which was freed'
	run -1 trace-exec --launches 3 -n --run ./vecadd 100 stale
	refute_output --partial 'which was freed'
	for bad in 0 3-2 x 1,,2 5x 99999999999; do
		run -2 trace-exec --launches $bad --run ./vecadd
		assert_output --partial "--launches: invalid range"
	done
	run -2 trace-exec --kernels , --run ./vecadd
	assert_output --partial '--kernels: no pattern'
}

@test "a kernel has the same trace from a program and from a launch file" {
	trace-exec -o out --run ./vecadd 500
	cp "$ROOT/tests/data/cudart/kernels.ptx" .
	printf 'module kernels.ptx\nbuffer A bytes=2000 f32=iota\nbuffer B bytes=2000 f32=iota\nbuffer C bytes=2000 zero nocopy\nlaunch add grid=2 block=256 args A,B,C,i32:500\n' >add.launch
	trace-exec -f -o launched add.launch
	run -0 diff out/kernel-1.traceg launched/kernel-1.traceg
}

@test "PTX is found uncompressed and compressed with LZ4 or zstd, and the best version is chosen" {
	local ptx=$ROOT/tests/data/cudart
	program lz4 vecadd "ptx:70:lz4:$ptx/kernels.ptx"
	run -0 trace-exec -n --run ./lz4
	assert_output '0 of 1000 elements are wrong'
	program zstd vecadd "ptx:70:zstd:$ptx/kernels.ptx"
	run -0 trace-exec -n --run ./zstd
	assert_output '0 of 1000 elements are wrong'
	# of the PTX for 60, 75 and 90, a GPU of 8.6 can execute only the one for 75
	program several vecadd "ptx:60:$ptx/odd.ptx" "elf:75:$ptx/odd.ptx" "ptx:75:$ptx/kernels.ptx" "ptx:90:$ptx/odd.ptx"
	run -0 trace-exec -q -n --run ./several
	assert_output '0 of 1000 elements are wrong'
}

@test "PTX for sm_NNa and sm_NNf is chosen before plain PTX where the GPU allows it" {
	local ptx=$ROOT/tests/data/cudart g
	program own vecadd "ptx:90:$ptx/odd.ptx" "ptx:90a:$ptx/kernels.ptx" "ptx:100:$ptx/odd.ptx"
	run -0 trace-exec -n -g h100-sxm --run ./own
	assert_output '0 of 1000 elements are wrong'
	program other vecadd "ptx:90a:$ptx/odd.ptx" "ptx:80:$ptx/kernels.ptx" "ptx:80a:$ptx/odd.ptx" "ptx:75f:$ptx/odd.ptx"
	run -0 trace-exec -n -g rtx3070 --run ./other
	assert_output '0 of 1000 elements are wrong'
	program family vecadd "ptx:90a:$ptx/odd.ptx" "ptx:90f:$ptx/kernels.ptx" "ptx:90:$ptx/odd.ptx" "ptx:100a:$ptx/odd.ptx"
	run -0 trace-exec -n -g h100-sxm -D gpgpu_compute_capability_minor=3 --run ./family
	assert_output '0 of 1000 elements are wrong'
	program foreign vecadd "ptx:90a:$ptx/odd.ptx"
	run -1 trace-exec -n -g rtx3070 --run ./foreign
	assert_output --partial 'foreign.1.sm_90a.ptx:8:2: '
}

@test "separately compiled files are linked by name" {
	local ptx=$ROOT/tests/data/cudart
	for p in user maker; do
		python3 "$ptx/mkfat" $p.fatbin "ptx:75:$ptx/$p.ptx" "elf:75:$ptx/odd.ptx"
	done
	# machine code for this GPU and PTX for later GPUs, as in the CUDA libraries; the registered part has no PTX
	python3 "$ptx/mkfat" code.fatbin "elf:86:$ptx/odd.ptx" "ptx:120:$ptx/odd.ptx"
	program linked linked
	run -0 trace-exec -n --run ./linked
	assert_output 206
	run -1 trace-exec -n -g qv100 --run ./linked
	assert_line --index 0 --partial "linked.2.3.sm_120.ptx:8:2: error: "
	assert_line --index 0 --partial "'frobnicate'"
	python3 "$ptx/mkfat" maker.fatbin "elf:75:$ptx/odd.ptx"
	program linked linked
	run -1 trace-exec -n --run ./linked
	assert_line --partial "linked.2.1.sm_75.ptx:7:31: error: "
	assert_output --partial "'total'"
	cp code.fatbin user.fatbin
	cp code.fatbin maker.fatbin
	program linked linked
	run -1 trace-exec -n --code ptx --run ./linked
	assert_line --partial 'linked: error: separately compiled files with PTX for sm_120, not for sm_86 (choose the GPU with -g, or use --code sass)'
}

@test "CUDA calls return the same values as with a GPU" {
	run -1 trace-exec -n -g qv100 --run ./calls
	assert_line 'trace-exec: error: not executed: cudaDeviceFlushGPUDirectRDMAWrites (see trace-exec --run --list)'
	refute_line --partial ', expected '
	refute_line --partial 'error: ended'
}

@test "--stack applies to all kernels of a program; by default only kernels before sm_70 have a reconvergence stack" {
	sed '0,/@%p1 bra DONE;/s//@%p1 bra DONE;\n\tbar.sync 0;/' "$ROOT/tests/data/cudart/kernels.ptx" >barrier.ptx
	sed -e 's/sm_70/sm_60/' barrier.ptx >early.ptx
	program exits vecadd ptx:70:barrier.ptx
	program early vecadd ptx:60:early.ptx
	run -0 trace-exec -n --run ./exits 500
	assert_output '0 of 500 elements are wrong'
	run -0 trace-exec -n --stack volta --run ./early 500
	assert_output '0 of 500 elements are wrong'
	run -1 trace-exec -n --run ./early 500
	assert_line --partial 'with --stack volta'
	run -1 trace-exec -n --stack simt --run ./exits 500
	assert_line --partial 'live lanes of warp'
}

@test "managed variables and memory are shared with the host, and a device reset restores initial values" {
	run -0 trace-exec -n -g h100-sxm --run ./shared
	assert_output ''
}

@test "a program linked at a fixed address runs" {
	run -0 trace-exec -n -g h100-sxm --run ./fixed
	assert_output ''
}

@test "functions behave as in the CUDA release that the program is linked with" {
	local release name
	for release in 11 12; do
		name=libcudart.so.$release
		[ $release = 12 ] || name=$name.0
		mkdir -p at$release
		echo "$name { *; };" >at$release/map
		gcc -shared -fPIC -Wl,-soname,$name -Wl,--version-script=at$release/map -o at$release/libcudart.so libcudart.so.c
		gcc -std=gnu11 -Wno-unused -DRELEASE=$release -DFATBIN='"vecadd.fatbin"' -o older "$ROOT/tests/data/cudart/older.c" -Lat$release -lcudart
		run -0 env -u LD_LIBRARY_PATH "$BUILD/trace-exec" -n --run ./older
		assert_output ''
	done
}

@test "cuTensorMapEncode functions make tensor maps" {
	run -1 trace-exec -n -g h100-sxm --run ./maps
	local what
	for what in 'cuTensorMapEncodeTiled: a swizzle of pieces of more than 16 bytes' 'cuTensorMapEncodeTiled: an interleaved layout' "cudaGetDriverEntryPoint: the driver's cuAbsent"; do
		assert_line "trace-exec: error: not executed: $what (see trace-exec --run --list)"
	done
	[ "${#lines[@]}" -eq 3 ]
}

@test "queries return answers, and wrong queries return errors" {
	run -0 trace-exec -n -g h100-sxm --run ./queries
	assert_output ''
}

@test "attributes that no configuration lists follow from the compute capability" {
	local row
	for row in a100-40:108:31457280 a100-40:87:2 rtx3070:87:64 rtx2060:87:32 rtx3070:108:0 h100-sxm:87:2; do
		IFS=: read -r gpu number value <<<"$row"
		run -0 trace-exec -n -g "$gpu" --run ./queries "$number"
		assert_output "$value"
	done
}

@test "a kernel that waits for the host continues after the host writes; one that waits for no thread is a deadlock" {
	program waits waits "ptx:70:$ROOT/tests/data/cudart/waits.ptx"
	run -0 trace-exec -q -n --run ./waits release
	assert_output $'before: 0\nafter: 3\ncudaSuccess'
	run -0 trace-exec -q -n --run ./waits copy
	assert_output $'copied: 2\ncudaSuccess'
	run -0 trace-exec -q -n --run ./waits answer
	assert_output $'answer: 42\ncudaSuccess'
	run -0 trace-exec -n --run ./waits stack
	assert_output $'answer: 42, more: 7\ncudaSuccess'
	for o in --check --no-check '-j 2'; do
		run -0 trace-exec $o -q -n --run ./waits time
		assert_output $'cudaSuccess\nended by time: 2'
	done
	run -1 trace-exec -q -n --run ./waits end
	assert_output "trace-exec: error: kernel add, launch 1 waits for a write to memory, but the program has ended"
	run -1 trace-exec -q -n --run ./waits host
	assert_line --regexp "waits\.1\.sm_70\.ptx:1[345]:[0-9]+: error: 32 lanes of warp 0 wait in a loop for the host to write to 'cudaMallocHost 1', but the host waits for the kernel"
	assert_line cudaErrorLaunchTimeout
	run -1 trace-exec -q -n --run ./waits device
	assert_line --regexp 'ptx:1[345]:[0-9]+: error: .*deadlock'
}

@test "traces of kernels that run while another kernel waits for the host come after its trace" {
	program waits waits "ptx:70:$ROOT/tests/data/cudart/waits.ptx"
	for o in '-o out' '-o a.tpack'; do
		run -0 trace-exec -q -f $o --run ./waits release
		run -0 trace-lint -q "${o#-o }"
	done
	run -0 cat out/kernelslist.g
	assert_output --regexp $'^kernel-1.traceg\nMemcpyHtoD,0x[0-9a-f]+,12\nkernel-2.traceg\nMemcpyDtoH,0x[0-9a-f]+,12$'
	run -0 grep -h '^-kernel name' out/kernel-1.traceg out/kernel-2.traceg
	assert_output $'-kernel name = add\n-kernel name = scale'
	run -0 trace-exec -q -f --as sass -o as-sass --run ./waits release
	assert_output $'before: 0\nafter: 3\ncudaSuccess'
	run -0 trace-lint -q as-sass
	run -0 grep -h '^-kernel name' as-sass/kernel-1.traceg as-sass/kernel-2.traceg
	assert_output $'-kernel name = add\n-kernel name = scale'
}

@test "blocks that claim work dynamically share it if the GPU holds all of them at once" {
	program claims claims "ptx:70:$ROOT/tests/data/cudart/claims.ptx"
	run -0 trace-exec -g qv100 -o out --run ./claims 4
	assert_line --regexp '^status 0: 1[5-7] 1[5-7] 1[5-7] 1[5-7]$'
	run -0 trace-exec -g qv100 -n -j 2 --run ./claims 4
	assert_line --regexp '^status 0: 1[5-7] 1[5-7] 1[5-7] 1[5-7]$'
	# blocks run one after another with --order, and in a grid that the GPU executes in parts
	run -0 trace-exec -g qv100 -n --order --run ./claims 4
	assert_line 'status 0: 64 0 0 0'
	run -0 trace-exec -g qv100 -n --run ./claims 3000
	assert_line 'status 0: 64 0 0 0'
}

@test "launches from kernels are rejected by name" {
	program nested vecadd "ptx:70:$ROOT/tests/data/cudart/nested.ptx"
	run -1 trace-exec -n --run ./nested
	assert_line --partial "nested.1.sm_70.ptx:18:13: error: kernels that launch kernels (dynamic parallelism) are not executed: call of 'cudaLaunchDeviceV2'"
	sed 's/cudaLaunchDeviceV2/__cudaCDP2GetLastError/' "$ROOT/tests/data/cudart/nested.ptx" >other.ptx
	program nested vecadd "ptx:70:other.ptx"
	run -1 trace-exec -n --run ./nested
	assert_line --partial "error: call of '__cudaCDP2GetLastError' of the device runtime, which is not executed"
}

@test "graphs built by calls and graphs recorded from streams run" {
	run -1 trace-exec -n --run ./graphs
	assert_output "trace-exec: error: not executed: a copy of an array: in a stream that records (see trace-exec --run --list)"
	run -1 trace-exec -o out --run ./graphs
	run -0 cat out/kernelslist.g
	assert_output "$(cat "$ROOT/tests/data/cudart/graphs.list")"
	run -0 trace-lint -W address-window=off out
}

@test "graphs run conditional nodes whose condition a kernel sets" {
	program conditions conditions "ptx:70:$ROOT/tests/data/cudart/conditions.ptx"
	run -0 trace-exec -n --run ./conditions
	refute_output
	run -0 trace-exec -o out --run ./conditions
	run -0 grep -c '^kernel' out/kernelslist.g
	assert_output 23
	run -1 trace-exec -n --run ./conditions wild
	assert_line --regexp 'ptx:23:[0-9]+: error: 0xc0000000 is not the handle of a graph condition'
}

@test "arrays, textures, surfaces, objects and references work" {
	run -1 trace-exec -n --run ./images
	assert_line --index 0 'trace-exec: error: not executed: cudaCreateTextureObject: sRGB or a seamless cube (see trace-exec --run --list)'
	assert_line --index 1 'trace-exec: error: not executed: cudaCreateTextureObject: anisotropy over several levels (see trace-exec --run --list)'
	[ "${#lines[@]}" -eq 2 ]
	run -1 trace-exec -o out --run ./images
	run -0 grep -c . out/kernelslist.g
	assert_output 26
	run -0 head -4 out/kernelslist.g
	assert_output "$(printf '%s\n' MemcpyHtoD,0xc0000000,140 MemcpyDtoH,0xc0000100,140 kernel-1.traceg MemcpyDtoH,0xc0000200,140)"
}

@test "a failed kernel is named, and its error persists" {
	run -1 trace-exec -o out -g qv100 --run ./calls fail
	assert_line --regexp "calls\.1\.sm_70\.ptx:[0-9]+:[0-9]+: error: .*write of 4 bytes at 0x[0-9a-f]+, 0 bytes after 'cudaMalloc [0-9]+' of 1024 bytes"
	refute_line --partial 'error: ended'
	[ ! -e out/kernelslist.g ]
}

@test "use of freed memory is reported" {
	run -1 trace-exec -n --run ./vecadd 100 stale
	# a kernel that is launched after the failed one does not start
	assert_line --index 0 --partial "write of 4 bytes at 0xc0000400, at byte 0 of 'cudaMalloc 3' of 400 bytes, which was freed"
	assert_line --index 1 '99 of 100 elements are wrong'
}

@test "memory that is never freed is reported, and the trace is complete" {
	run -0 trace-exec -o out --run ./vecadd 100 leak
	assert_line 'trace-exec: warning: leak: 1 allocation of the program, 400 bytes ('\''cudaMalloc 3'\'')'
	[ -e out/kernelslist.g ]
	run -1 trace-exec -n --leaks --run ./vecadd 100 leak
	assert_line 'trace-exec: error: leak: 1 allocation of the program, 400 bytes ('\''cudaMalloc 3'\'')'
	run -0 trace-exec -n --leaks --run ./vecadd 100
	run -0 trace-exec -n --no-check --run ./vecadd 100 leak
}

@test "memory that is zeroed before its first use takes no memory" {
	gcc -std=gnu11 -o zeros "$ROOT/tests/data/cudart/zeros.c" -L. -lcudart
	for o in '' --no-check; do
		run -0 trace-exec $o -n --run ./zeros
		assert_output $'small\n0 bytes are wrong'
	done
}

@test "how a program ended is reported" {
	run -5 trace-exec -n --run ./vecadd 100 exit 5
	assert_output '0 of 100 elements are wrong'
	run -137 trace-exec -o out --run ./vecadd 100 die
	assert_line --partial './vecadd: error: ended by signal 9'
	[ ! -e out/kernelslist.g ]
	run -0 trace-exec -n --run true
	assert_output --partial 'true: warning: ended without a call of the CUDA runtime'
	run -1 trace-exec -n --run false
	assert_output ''
	run -7 trace-exec -n --run sh -c 'echo usage; exit 7'
	assert_output usage
	run -2 trace-exec -n --run ./nothing
	assert_output --partial './nothing: error: cannot be executed: No such file or directory'
	echo '#!/nothing' >script
	chmod +x script
	run -2 trace-exec -n --run ./script
	assert_output 'trace-exec: ./script: error: the interpreter that its first line or its ELF header names cannot be executed: No such file or directory'
	# an ELF header that names RISC-V
	cp "$(type -P true)" foreign
	printf '\363' | dd of=foreign bs=1 seek=18 conv=notrunc status=none
	run -2 trace-exec -n --run ./foreign
	assert_line 'trace-exec: ./foreign: error: program for another processor (compile it on this computer)'
	run -2 trace-exec -n ./foreign
	assert_output 'trace-exec: ./foreign: error: program or object file (expected a launch file; --run executes a program)'
}

@test "programs that cannot run are reported with the reason: static runtime, missing library" {
	echo 'int main(void) { return 0; }' >main.c
	gcc -static -o static main.c || skip 'no static C library'
	run -2 trace-exec -n --run ./static
	assert_output 'trace-exec: ./static: error: linked statically: its calls cannot be executed (link it with nvcc -cudart shared)'
	echo '__attribute__((section(".nv_fatbin"))) int code = 1; int main(void) { return 3; }' >inside.c
	gcc -o inside inside.c
	run -2 trace-exec -n --run ./inside
	assert_output 'trace-exec: ./inside: error: linked statically with the CUDA runtime: its calls cannot be executed (link it with nvcc -cudart shared)'
	echo 'int cublas(void) { return 0; }' >absent.c
	gcc -shared -fPIC -Wl,-soname,libabsent.so.1 -o libabsent.so absent.c
	echo 'int cublas(void); int main(void) { return cublas(); }' >user.c
	gcc -o user user.c -L. -labsent
	run -127 trace-exec -n --run ./user
	assert_output --partial './user: error while loading shared libraries: libabsent.so.1'
}

@test "a program ends when trace-exec ends, for any reason" {
	for signal in TERM KILL; do
		rm -f pid
		# shellcheck disable=SC2016
		trace-exec -n --run sh -c 'echo $$ >new; mv new pid; exec sleep 600' 3>&- &
		exec_pid=$!
		until [ -e pid ]; do sleep 0.1; done
		kill -$signal $exec_pid
		wait $exec_pid || true
		for ((i = 0; i < 100; i++)); do
			kill -0 "$(cat pid)" 2>/dev/null || break
			sleep 0.1
		done
		run ! kill -0 "$(cat pid)"
	done
}

@test "the library may be in a path with characters that the loader interprets" {
	local dir
	for dir in 'a blank' 'a:colon' '$ORIGIN' 'semi;colon'; do
		mkdir -p "$BATS_TEST_TMPDIR/$dir"
		cp -a "$BUILD"/trace-exec "$BUILD"/libtrace-exec-cudart.so "$BUILD"/cudart "$BATS_TEST_TMPDIR/$dir"
		run -0 "$BATS_TEST_TMPDIR/$dir/trace-exec" -n --run ./vecadd 5000
		assert_output '0 of 5000 elements are wrong'
	done
	# the lists have no empty entry, which would mean the current directory
	# shellcheck disable=SC2016
	run -0 env -u LD_LIBRARY_PATH -u LD_PRELOAD "$BATS_TEST_TMPDIR/a:colon/trace-exec" -q -n --run sh -c 'echo "$LD_LIBRARY_PATH $LD_PRELOAD"'
	assert_output --regexp '^/proc/self/fd/[0-9]+ /proc/self/fd/[0-9]+$'
}

@test "messages name C++ kernels as in the source if the program has the C++ library" {
	local data=$ROOT/tests/data/cudart name=_Z3addIfEvPKT_S2_PS0_j
	mkdir -p cxx
	sed "s/entry add(/entry $name(/" "$data/kernels.ptx" >cxx/kernels.ptx
	sed "s/\"add\"/\"$name\"/" "$data/cuda.h" >cxx/cuda.h
	cp "$data/vecadd.c" cxx
	cat >>cxx/vecadd.c <<-'END'
		char *__cxa_demangle(const char *, char *, size_t *, int *);
		char *__cxa_demangle(const char *name, char *to, size_t *n, int *status)
		{
			return strdup(strcmp(name, "_Z3addIfEvPKT_S2_PS0_j") ? "other" : "void add<float>(float const*)");
		}
	END
	python3 "$data/mkfat" cxx.fatbin ptx:70:cxx/kernels.ptx
	gcc -std=gnu11 -Wno-unused -DFATBIN='"cxx.fatbin"' -o mangled cxx/vecadd.c -L. -lcudart
	gcc -std=gnu11 -Wno-unused -rdynamic -DFATBIN='"cxx.fatbin"' -o named cxx/vecadd.c -L. -lcudart
	run -1 trace-exec -n --run ./mangled 100 stale
	assert_output --partial "(kernel $name, thread"
	run -1 trace-exec -n --run ./named 100 stale
	assert_output --partial '(kernel add<float>(float const*), thread'
	run -1 trace-exec -n --kernels "$name" --run ./named 100 stale
	assert_output --partial 'which was freed'
}

@test "PTX that cannot be executed is rejected with its place when one of its kernels is launched" {
	program odd vecadd "ptx:70:$ROOT/tests/data/cudart/odd.ptx"
	run -1 trace-exec -n --run ./odd
	assert_line --regexp '^trace-exec: odd\.1\.sm_70\.ptx:8:2: error: .*frobnicate'
	assert_line 'a PTX JIT compilation failed'
	program none vecadd "elf:70:$ROOT/tests/data/cudart/odd.ptx"
	run -1 trace-exec -n --run ./none
	assert_line --partial 'none: error: an entry of the fat binary is not a cubin'
	run -1 trace-exec -n --code ptx --run ./none
	assert_line --partial 'none: error: fat binary without PTX'
	assert_line 'no kernel image is available for execution on the device'
	"$ROOT/tests/data/sass/cubin.py" -S 256 -r 16 k <"$ROOT/tests/data/sass/steps.sass" >k.cubin
	program other vecadd elf:80:k.cubin
	run -1 trace-exec -n -g qv100 --run ./other
	assert_line 'trace-exec: other: error: machine code for sm_80, not for sm_70 (choose the GPU with -g, or compile it also to PTX)'
	assert_line 'no kernel image is available for execution on the device'
}

@test "damaged fat binaries are rejected" {
	local at
	python3 "$ROOT/tests/data/cudart/mkfat" good.bin "ptx:70:lz4:$ROOT/tests/data/cudart/kernels.ptx"
	for at in 4 6 20 24 56 72 73 80 200; do
		cp good.bin damaged.fatbin
		printf '\377\377' | dd of=damaged.fatbin bs=1 seek=$at conv=notrunc status=none
		gcc -std=gnu11 -Wno-unused -DFATBIN='"damaged.fatbin"' -o damaged "$ROOT/tests/data/cudart/vecadd.c" -L. -lcudart
		run -1 trace-exec -n --run ./damaged
		assert_line --regexp '^trace-exec: damaged'
	done
}

@test "any number of threads writes the same bytes" {
	trace-exec --run ./vecadd 20000 >one 2>/dev/null
	trace-exec -j 3 --run ./vecadd 20000 >three 2>/dev/null
	run -0 cmp one three
}

@test "options after the program name belong to the program, and options for programs require --run" {
	run -0 trace-exec --run -n ./vecadd 100
	assert_output '0 of 100 elements are wrong'
	run -6 trace-exec --run -n ./vecadd 100 -o 6
	assert_output '0 of 100 elements are wrong'
	run -2 trace-exec -g qv100 "$ROOT/tests/data/ptx/basic.launch"
	assert_output --partial 'a GPU requires --run, --as sass or machine code'
	run -2 trace-exec --list
	assert_output --partial '--list requires --run'
	run -2 trace-exec --run
	assert_output --partial '--run requires a program'
	run -2 trace-exec -g nothing --run ./vecadd
	assert_output --partial "unknown GPU 'nothing'"
	run -2 trace-exec -C . --run ./vecadd
	assert_output --partial '-C needs a launch file'
	WARPTOOLS_CUDART=/nowhere.so run -2 trace-exec --run -n ./vecadd
	assert_output --partial '/nowhere.so'
}

@test "--list prints each function once" {
	trace-exec --run --list >list
	run -0 grep -c . list
	[ "$output" -gt 1000 ]
	run -0 grep -P '^executed\tcudaMalloc$' list
	run -0 grep -P '^executed\tcuMemAlloc_v2$' list
	run -0 grep -P '^not executed\tcuMulticastCreate$' list
	run -0 grep -P '^not executed\tcudaDeviceFlushGPUDirectRDMAWrites$' list
	run -1 grep -vP '^((not )?executed)\t(__)?cu[A-Za-z]\w+$' list
	run -0 bash -c 'cut -f2 list | sort | uniq -d'
	assert_output ''
	# the libraries export exactly the listed functions
	run -0 bash -c "nm -D --defined-only '$BUILD/libtrace-exec-cudart.so' '$BUILD/libtrace-exec-cublas.so' | awk '\$2 ~ /[TW]/ { print \$3 }' | grep -v '^cudart_report$' | sort >have; cut -f2 list | sort >want; comm -3 have want"
	assert_output ''
}
