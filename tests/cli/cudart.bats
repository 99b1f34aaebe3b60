#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --run: programs of the CUDA runtime without a GPU, its runtime or its compiler: built by gcc over a header
# of our own, with a fat binary made here and an empty library in the runtime's place.

bats_require_minimum_version 1.5.0
load helper

setup_file() {
	cd "$BATS_FILE_TMPDIR" || return
	trace-exec --run --list | awk '{ print "int " $2 "(void); int " $2 "(void) { return 999; }" }' >stub.c
	gcc -shared -fPIC -Wl,-soname,libcudart.so.13 -o libcudart.so.13 stub.c
	ln -sf libcudart.so.13 libcudart.so
	program vecadd vecadd "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	program calls calls "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	program graphs graphs "ptx:70:$ROOT/tests/data/cudart/kernels.ptx"
	program images images "ptx:70:$ROOT/tests/data/cudart/images.ptx"
	program shared shared "ptx:90:$ROOT/tests/data/cudart/shared.ptx"
	MODE='-fno-pie -no-pie' program fixed shared "ptx:90:$ROOT/tests/data/cudart/shared.ptx"
	program maps maps "ptx:90:$ROOT/tests/data/cudart/maps.ptx"
	program queries queries "ptx:90:$ROOT/tests/data/cudart/shared.ptx"
}

# program NAME SOURCE ENTRY...: NAME from tests/data/cudart/SOURCE.c with a fat binary of the entries.
program() {
	local name=$1 source=$2
	shift 2
	python3 "$ROOT/tests/data/cudart/mkfat" "$name.fatbin" "$@"
	# shellcheck disable=SC2086
	gcc -std=gnu11 -Wno-unused ${MODE-} -DFATBIN="\"$name.fatbin\"" -o "$name" "$ROOT/tests/data/cudart/$source.c" -L. -lcudart
}

setup() {
	cd "$BATS_FILE_TMPDIR"
	export LD_LIBRARY_PATH=$BATS_FILE_TMPDIR
	rm -rf out
}

@test "a program gives what it is meant to" {
	run -0 trace-exec -n --run ./vecadd 5000
	assert_output '0 of 5000 elements are wrong'
	run -0 trace-exec -n --no-check --run ./vecadd 5000
	assert_output '0 of 5000 elements are wrong'
}

@test "no runtime need be installed" {
	mkdir -p absent
	echo 'libcudart.so.11.0 { *; };' >absent/map
	gcc -shared -fPIC -Wl,-soname,libcudart.so.11.0 -Wl,--version-script=absent/map -o absent/libcudart.so stub.c
	gcc -std=gnu11 -Wno-unused -DFATBIN='"vecadd.fatbin"' -o old "$ROOT/tests/data/cudart/vecadd.c" -Labsent -lcudart
	run -0 env -u LD_LIBRARY_PATH "$BUILD/trace-exec" -n --run ./old 5000
	assert_output '0 of 5000 elements are wrong'
	make -s -C "$ROOT" BUILD="$BUILD" install PREFIX=/usr DESTDIR="$BATS_TEST_TMPDIR/root" >/dev/null
	run -0 env -u LD_LIBRARY_PATH "$BATS_TEST_TMPDIR/root/usr/bin/trace-exec" -n --run ./old 5000
	assert_output '0 of 5000 elements are wrong'
}

@test "its trace does not replace the program" {
	mkdir out
	cp vecadd out/kernelslist.g
	run -2 trace-exec -f -o out --run out/kernelslist.g 500
	assert_output --partial 'out/kernelslist.g: the output is also an input'
	cmp vecadd out/kernelslist.g
}

@test "its trace is a directory with the copies and kernels in its order" {
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

@test "a stream on stdout is the directory's, and the program's output is elsewhere" {
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

@test "a stream packed from records is the directory's, in a file, on stdout, with any number of threads" {
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
	assert_output --partial 'direct.tpack: exists'
	run -1 trace-exec -o failed.tpack --run ./vecadd 100 stale
	[ ! -e failed.tpack ]
	cp vecadd program.tpack
	run -2 trace-exec -f -o program.tpack --run ./program.tpack 500
	assert_output --partial 'program.tpack: the output is also an input'
	cmp vecadd program.tpack
}

@test "damaged messages of a program leave no stream, and end" {
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

@test "the trace as machine code is packed, too" {
	trace-exec --as sass -o out --run ./vecadd 500
	trace-exec --as sass -o sass.tpack --run ./vecadd 500
	mkdir -p unpacked
	trace-pack -f -d -C unpacked sass.tpack
	run -0 diff out/kernel-1.traceg unpacked/kernel-1.traceg
}

@test "launches are chosen by kernel and number, and keep their numbers" {
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
	assert_line --partial 'warning: no launch was traced'
	run -0 trace-pack -l none.tpack
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

@test "the same kernel from a launch file has the same trace" {
	trace-exec -o out --run ./vecadd 500
	cp "$ROOT/tests/data/cudart/kernels.ptx" .
	printf 'module kernels.ptx\nbuffer A bytes=2000 f32=iota\nbuffer B bytes=2000 f32=iota\nbuffer C bytes=2000 zero nocopy\nlaunch add grid=2 block=256 args A,B,C,i32:500\n' >add.launch
	trace-exec -f -o launched add.launch
	run -0 diff out/kernel-1.traceg launched/kernel-1.traceg
}

@test "PTX is found plain, packed with LZ4 or zstd, and the best of several is taken" {
	local ptx=$ROOT/tests/data/cudart
	program lz4 vecadd "ptx:70:lz4:$ptx/kernels.ptx"
	run -0 trace-exec -n --run ./lz4
	assert_output '0 of 1000 elements are wrong'
	program zstd vecadd "ptx:70:zstd:$ptx/kernels.ptx"
	run -0 trace-exec -n --run ./zstd
	assert_output '0 of 1000 elements are wrong'
	# of 60, 75 and 90 the one for 75 on a device of 8.6; the others cannot be executed
	program several vecadd "ptx:60:$ptx/odd.ptx" "elf:75:$ptx/odd.ptx" "ptx:75:$ptx/kernels.ptx" "ptx:90:$ptx/odd.ptx"
	run -0 trace-exec -q -n --run ./several
	assert_output '0 of 1000 elements are wrong'
}

@test "PTX of an architecture's own features is for that GPU, of a family's for its later ones, before plain PTX" {
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

@test "files that were compiled separately are linked by name" {
	local ptx=$ROOT/tests/data/cudart
	for p in user maker; do
		python3 "$ptx/mkfat" $p.fatbin "ptx:75:$ptx/$p.ptx" "elf:75:$ptx/odd.ptx"
	done
	# machine code for the device and PTX for later ones, as in the toolkit's own part; no PTX where it is registered
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
}

@test "calls return what they return with a GPU" {
	run -1 trace-exec -n -g qv100 --run ./calls
	assert_line 'trace-exec: error: not executed: cudaDeviceFlushGPUDirectRDMAWrites (see trace-exec --run --list)'
	refute_line --partial 'found '[0-9]
	refute_line --partial 'ended with status'
}

@test "--stack applies to the kernels of a program; without it, to those before sm_70 only" {
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

@test "managed variables and memory are the host's, a reset gives variables their first values" {
	run -0 trace-exec -n -g h100-sxm --run ./shared
	assert_output ''
}

@test "a program at a fixed place, where static variables would be" {
	run -0 trace-exec -n -g h100-sxm --run ./fixed
	assert_output ''
}

@test "functions have the form of the release that the program is linked with" {
	local release name
	for release in 11 12; do
		name=libcudart.so.$release
		[ $release = 12 ] || name=$name.0
		mkdir -p at$release
		echo "$name { *; };" >at$release/map
		gcc -shared -fPIC -Wl,-soname,$name -Wl,--version-script=at$release/map -o at$release/libcudart.so stub.c
		gcc -std=gnu11 -Wno-unused -DRELEASE=$release -DFATBIN='"vecadd.fatbin"' -o older "$ROOT/tests/data/cudart/older.c" -Lat$release -lcudart
		run -0 env -u LD_LIBRARY_PATH "$BUILD/trace-exec" -n --run ./older
		assert_output ''
	done
}

@test "tensor maps are made by the driver's function" {
	run -1 trace-exec -n -g h100-sxm --run ./maps
	local what
	for what in 'cuTensorMapEncodeTiled: a swizzle of pieces of more than 16 bytes' 'cuTensorMapEncodeTiled: an interleaved layout' "cudaGetDriverEntryPoint: the driver's cuAbsent"; do
		assert_line "trace-exec: error: not executed: $what (see trace-exec --run --list)"
	done
	[ "${#lines[@]}" -eq 3 ]
}

# driver_program NAME [LIBRARY]: a program of the driver alone, which is absent.
driver_program() {
	awk '$2 ~ /^cu[A-Z]/ { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' <<<"$(trace-exec --run --list)" >driver-stub.c
	gcc -shared -fPIC -Wl,-soname,libcuda.so.1 -o libcuda.so driver-stub.c
	gcc -std=gnu11 -o "$1" "$ROOT/tests/data/cudart/$1.c" -L. -lcuda "${@:2}"
}

@test "green contexts, libraries of the runtime, batches of copies, graphs as text" {
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

@test "user objects of graphs, events of contexts, copies of arrays and boxes" {
	driver_program objects -lcudart
	run -0 trace-exec -n -g a100-40 --run ./objects
	assert_output ''
}

@test "a program of the driver" {
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

@test "a call of the runtime initializes the driver" {
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

@test "a library with its own copy of the runtime is named once" {
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
	assert_output 'trace-exec: warning: libown.so: the library has its own copy of the runtime, and its calls of it fail'
}

# Lines that the program cubin prints for a kernel of the steps: its registers, the blocks that fit on an SM.
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

@test "machine code that a program of the driver loads: a cubin, a fat binary" {
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
	run -0 trace-exec -o out -g a100-40 --run ./cubin k.cubin k
	run -0 grep -c 'binary version = 80' out/kernel-1.traceg
	# machine code of another GPU, and none where PTX is asked for
	run -1 trace-exec -n -g qv100 --run ./cubin k.cubin k
	assert_line --partial 'cubin: error: machine code for sm_80, not for sm_70 (choose the GPU with -g)'
	assert_line "$none"
	run -1 trace-exec -n -g a100-40 --code ptx --run ./cubin k.cubin k
	assert_line --partial 'cubin: error: machine code without PTX, which --code ptx needs'
	assert_line "$none"
	# for the other GPU the PTX of the fat binary is loaded, which lacks the kernel
	run -0 trace-exec -n -g qv100 --run ./cubin k.fatbin k
	assert_line 'cuModuleLoad 0 nothing'
}

@test "machine code that cannot be executed is named, and PTX beside it is executed instead" {
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
	# without PTX the reason is the machine code's
	program code vecadd elf:80:unknown.cubin
	run -1 trace-exec -n -g a100-40 --run ./code 100
	# shellcheck disable=SC2059
	assert_line --partial "$(printf "$reason" error)"
	refute_output --partial PTX
	# a damaged cubin
	head -c 300 unknown.cubin >cut.cubin
	program code vecadd "$ptx" elf:80:cut.cubin
	run -0 trace-exec -n -g a100-40 --run ./code 100
	assert_line --regexp '^trace-exec: .*warning: .*: its PTX is executed instead$'
	assert_line '0 of 100 elements are wrong'
}

@test "textures and surfaces of the driver" {
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

@test "functions that share memory, and links of machine code, are refused with the reason" {
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

@test "a damaged cubin or fat binary that a program loads has an error" {
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

@test "a launch as Triton makes it" {
	driver_program triton
	run -0 trace-exec -o out -g a100-40 --run ./triton "$ROOT/tests/data/cudart/triton.ptx"
	assert_output '0 of 1000 elements are wrong'
	run -0 trace-lint -q out/kernelslist.g
	run -0 grep -h '^-\(kernel name\|dynamic shmem\|block dim\)' out/kernel-1.traceg
	assert_line '-kernel name = add_kernel'
	assert_line '-dynamic shmem = 512'
	assert_line '-block dim = (128,1,1)'
}

@test "products and vectors of cuBLAS" {
	awk '$2 ~ /^cublas/ { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' <<<"$(trace-exec --run --list)" >blas-stub.c
	gcc -shared -fPIC -Wl,-soname,libcublas.so.13 -o libcublas.so.13 blas-stub.c
	gcc -std=gnu11 -o blas "$ROOT/tests/data/cudart/blas.c" -L. -l:libcublas.so.13 -lcudart -lm
	run -1 trace-exec -n -g a100-40 --run ./blas
	assert_output 'trace-exec: error: not executed: cublasUint8gemmBias (see trace-exec --run --list)'
	# the installed library, which is a stub here
	run -1 trace-exec -n --libs real --run ./blas
	assert_output --partial ': 999, expected 0'
	run -2 trace-exec -n --libs any --run ./blas
	assert_output --partial "unknown value 'any' of --libs (expected suite or real)"
}

@test "matrices of every kind and precision with cuBLAS" {
	awk '$2 ~ /^cublas/ { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' <<<"$(trace-exec --run --list)" >blas-stub.c
	gcc -shared -fPIC -Wl,-soname,libcublas.so.13 -o libcublas.so.13 blas-stub.c
	gcc -std=gnu11 -I"$ROOT/tests/data/cudart" -o matrices "$ROOT/tests/data/cudart/matrices.c" -L. -l:libcublas.so.13 -lcudart -lm -ldl
	run -0 trace-exec -n -g a100-40 --run ./matrices
	assert_output ''
	gcc -std=gnu11 -Wno-unused-function -I"$ROOT/tests/data/cudart" -o bands "$ROOT/tests/data/cudart/bands.c" -L. -l:libcublas.so.13 -lcudart -lm -ldl
	run -0 trace-exec -n -g a100-40 --run ./bands
	assert_output ''
	gcc -std=gnu11 -Wno-unused-function -I"$ROOT/tests/data/cudart" -o typed "$ROOT/tests/data/cudart/typed.c" -L. -l:libcublas.so.13 -lcudart -lm -ldl
	run -1 trace-exec -n -g a100-40 --run ./typed
	assert_output "trace-exec: error: not executed: cublasAxpyEx: these types (see trace-exec --run --list)"
}

@test "functions of cuBLAS without a handle" {
	awk '$2 ~ /^cublas/ { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' <<<"$(trace-exec --run --list)" >blas-stub.c
	gcc -shared -fPIC -Wl,-soname,libcublas.so.13 -o libcublas.so.13 blas-stub.c
	gcc -std=gnu11 -o letters "$ROOT/tests/data/cudart/letters.c" -L. -l:libcublas.so.13 -lcudart -lm
	run -0 trace-exec -n -g a100-40 --run ./letters
	assert_output ''
}

@test "transforms, tiles, FP8 and complex products of cublasLt" {
	awk '$2 ~ /^cublas/ { print "int " $2 "(void); int " $2 "(void) { return 999; }" }' <<<"$(trace-exec --run --list)" >blas-stub.c
	gcc -shared -fPIC -Wl,-soname,libcublas.so.13 -o libcublas.so.13 blas-stub.c
	gcc -std=gnu11 -o layouts "$ROOT/tests/data/cudart/layouts.c" -L. -l:libcublas.so.13 -lcudart -lm
	run -0 trace-exec -n -g h100-sxm --run ./layouts
	assert_output ''
	while read -r which message; do
		run -1 trace-exec -n -g a100-40 --run ./layouts "$which"
		assert_output "trace-exec: error: not executed: $message (see trace-exec --run --list)"
	done <<-'END'
		order cublasLtMatrixTransform: this order of a matrix
		plane cublasLtMatrixTransform: a plane offset of a real matrix
		blocks cublasLtMatmul: a scale that is not one number for the matrix
		complex cublasLtMatmul: an epilogue of a complex product
		types cublasLtMatrixTransform: these types
		scale cublasLtMatmul: a scale of a matrix that is not of FP8
		fp8 cublasLtMatmul: FP8 on a GPU before sm_89
	END
}

@test "code that NVRTC compiles" {
	local root
	root=$(command -v nvcc) || root=/usr/local/cuda/bin/nvcc
	root=$(dirname "$(dirname "$root")")
	[ -e "$root/include/nvrtc.h" ] || skip "NVRTC is not installed"
	driver_program driver
	gcc -std=gnu11 -I"$root/include" -o nvrtc "$ROOT/tests/data/cudart/nvrtc.c" -L. -L"$root/lib64" -lcuda -lnvrtc
	run -0 env LD_LIBRARY_PATH="$root/lib64" "$BUILD/trace-exec" -n --run ./nvrtc
	assert_output '0 of 1000 elements are wrong'
}

@test "questions have answers, and wrong ones errors" {
	run -0 trace-exec -n -g h100-sxm --run ./queries
	assert_output ''
}

@test "attributes that no configuration has follow from the compute capability" {
	local row
	for row in a100-40:108:31457280 a100-40:87:2 rtx3070:87:64 rtx2060:87:32 rtx3070:108:0 h100-sxm:87:2; do
		IFS=: read -r gpu number value <<<"$row"
		run -0 trace-exec -n -g "$gpu" --run ./queries "$number"
		assert_output "$value"
	done
}

@test "a kernel that waits for the host runs on when the host has written; one that waits for no thread is a deadlock" {
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
	assert_output "trace-exec: error: kernel add, launch 1: waits for a write to memory, but the program has ended"
	run -1 trace-exec -q -n --run ./waits host
	assert_line --regexp "waits\.1\.sm_70\.ptx:1[345]:[0-9]+: error: 32 lanes of warp 0 wait in a loop for the host to write to 'cudaMallocHost 1', but the host waits for the kernel"
	assert_line cudaErrorLaunchTimeout
	run -1 trace-exec -q -n --run ./waits device
	assert_line --regexp 'ptx:1[345]:[0-9]+: error: .*deadlock'
}

# repeated HOW [OPTION...]: sets $repeats to the number of launches that "repeats HOW" does not execute, and tests that
# it has the same results and the same number of instructions as with all launches executed. PROGRAM: instead of repeats.
repeated() {
	trace-exec -n -v "${@:2}" --run "./${PROGRAM-repeats}" "$1" >got.out 2>got.err
	trace-exec -n -v "${@:2}" --every-launch --run "./${PROGRAM-repeats}" "$1" >want.out 2>want.err
	cmp got.out want.out
	repeats=$(awk '/ launches were not executed because they repeat$/ { n = $2 } END { print n + 0 }' got.err)
	diff <(grep -v ' launches were not executed' got.err) want.err
}

@test "a launch that repeats an earlier one and changes nothing is not executed" {
	program repeats repeats "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	for o in --check --no-check '-j 2'; do
		# shellcheck disable=SC2086
		repeated same $o
		assert_equal "$repeats" 8
	done
	assert_equal "$(cat got.out)" "0 0 0 0 0 0 0 0 0 0 no error"
	for how in sum print clock; do
		repeated $how
		assert_equal "$how $repeats" "$how 0"
	done
	repeated sum
	assert_equal "$(cat got.out)" "1 2 3 4 5 6 7 8 9 10 no error"
	repeated print
	assert_equal "$(grep -c print got.out)" 10
}

@test "a launch is executed again when memory has changed since it was executed" {
	program repeats repeats "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	for how in copy pinned constant; do
		repeated $how
		assert_equal "$how $(cat got.out)" "$how 0 0 0 0 0 5 5 5 5 5 no error"
		[ "$repeats" -ge 3 ]
	done
	repeated other
	assert_equal "$(cat got.out)" "0 0 0 0 0 1 1 1 1 1 no error"
	[ "$repeats" -ge 3 ]
	repeated again
	assert_equal "$(cat got.out)" "0 0 0 0 0 0 0 0 0 0 no error"
	[ "$repeats" -ge 3 ]
}

@test "the effect of a launch that repeats is stored in memory instead of executing it" {
	local ones='1 1 1 1 1 1 1 1 1 1' how least out
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	program counts effects "ptx:70:$ROOT/tests/data/cudart/effects.ptx"
	while IFS=: read -r PROGRAM how least out; do
		for o in --check --no-check '-j 2'; do
			# shellcheck disable=SC2086
			repeated $how $o
			assert_equal "$how $(cat got.out)" "$how $out no error"
			assert [ "$repeats" -ge "$least" ]
		done
	done <<-END
		effects:reset:17:$ones $ones
		effects:restore:14:1024 1024 1024 1024 1024 1024 1024 1024 1024 1024 1025 1025 1025 1025 1025 1025 1025 1025 1025 1025
		effects:managed:17:$ones $ones
		effects:graph:17:$ones $ones
		effects:swap:10:1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4 1 2 3 4
		counts:counter:17:1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030 1030
		effects:thread:7:$ones $ones
		counts:texture:15:0 0 0 0 0 0 0 0 0 0 84215045 84215045 84215045 84215045 84215045 84215045 84215045 84215045 84215045 84215045
	END
}

@test "a launch repeats an earlier one after memory of the same size was freed and allocated a few times" {
	local ones='1 1 1 1 1 1 1 1 1 1' o
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	for o in --check '-j 2'; do
		# shellcheck disable=SC2086
		PROGRAM=effects repeated fresh $o
		assert_equal "$(cat got.out)" "$ones $ones no error"
		assert [ "$repeats" -ge 8 ]
		assert [ "$repeats" -le 15 ] # the first five addresses differ
	done
	# without checks a launch may access freed memory
	PROGRAM=effects repeated fresh --no-check
	assert_equal "$repeats $(cat got.out)" "0 $ones $ones no error"
}

@test "a launch that repeats an earlier one with a finding is not executed: the finding is reported once" {
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	run -1 --separate-stderr trace-exec -n -v --every-launch --run ./effects unset
	assert_equal "$(grep -c uninitialised <<<"$stderr")" 1
	local out=$output all=$stderr
	run -1 --separate-stderr trace-exec -n -v --run ./effects unset
	assert_equal "$output" "$out"
	assert_equal "$(grep -v ' launches were not executed' <<<"$stderr")" "$all"
	[[ $stderr == *' launches were not executed because they repeat'* ]]
}

@test "a launch whose memory never repeats, or that has effects outside of memory, is executed" {
	local how
	program effects effects "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	program counts effects "ptx:70:$ROOT/tests/data/cudart/effects.ptx"
	PROGRAM=effects repeated thread
	[ "$repeats" -le 8 ] # the host has a second thread from the eleventh launch on
	PROGRAM=effects repeated half
	assert_equal "$repeats $(cat got.out)" '0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 no error'
	for how in count malloc number; do
		PROGRAM=counts repeated $how
		assert_equal "$how $repeats" "$how 0"
	done
}

@test "every launch is executed for a trace, and the first one with checks if others have none" {
	program repeats repeats "ptx:70:$ROOT/tests/data/cudart/repeats.ptx"
	run -0 trace-exec -v -o out --run ./repeats same
	refute_output --partial 'not executed'
	assert_equal "$(grep -c kernel- out/kernelslist.g)" 10
	cmp <(grep -v 'kernel id' out/kernel-2.traceg) <(grep -v 'kernel id' out/kernel-10.traceg)
	repeated same --launches 6-
	assert_equal "$repeats" 6
}

@test "traces of kernels that run while another waits for the host follow its trace" {
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

@test "blocks that claim their work share it if the GPU executes all of them at once" {
	program claims claims "ptx:70:$ROOT/tests/data/cudart/claims.ptx"
	run -0 trace-exec -g qv100 -o out --run ./claims 4
	assert_line --regexp '^status 0: 1[5-7] 1[5-7] 1[5-7] 1[5-7]$'
	run -0 trace-exec -g qv100 -n -j 2 --run ./claims 4
	assert_line --regexp '^status 0: 1[5-7] 1[5-7] 1[5-7] 1[5-7]$'
	# with --order, and in a grid that the GPU executes in parts, blocks run one after another
	run -0 trace-exec -g qv100 -n --order --run ./claims 4
	assert_line 'status 0: 64 0 0 0'
	run -0 trace-exec -g qv100 -n --run ./claims 3000
	assert_line 'status 0: 64 0 0 0'
}

@test "launches by kernels are named by their refusal" {
	program nested vecadd "ptx:70:$ROOT/tests/data/cudart/nested.ptx"
	run -1 trace-exec -n --run ./nested
	assert_line --partial "nested.1.sm_70.ptx:18:13: error: kernels that launch kernels (dynamic parallelism) are not executed: call of 'cudaLaunchDeviceV2'"
}

@test "graphs, put together and recorded from streams" {
	run -1 trace-exec -n --run ./graphs
	assert_output "trace-exec: error: not executed: a copy of an array: in a stream that records (see trace-exec --run --list)"
	run -1 trace-exec -o out --run ./graphs
	run -0 cat out/kernelslist.g
	assert_output "$(cat "$ROOT/tests/data/cudart/graphs.list")"
	run -0 trace-lint -W address-window=off out
}

@test "graphs whose nodes have a condition that a kernel sets" {
	program conditions conditions "ptx:70:$ROOT/tests/data/cudart/conditions.ptx"
	run -0 trace-exec -n --run ./conditions
	refute_output
	run -0 trace-exec -o out --run ./conditions
	run -0 grep -c '^kernel' out/kernelslist.g
	assert_output 23
	run -1 trace-exec -n --run ./conditions wild
	assert_line --regexp 'ptx:23:[0-9]+: error: 0xc0000000 is not the handle of a graph condition'
}

@test "arrays, textures and surfaces, objects and references" {
	run -1 trace-exec -n --run ./images
	assert_line --index 0 'trace-exec: error: not executed: cudaCreateTextureObject: sRGB or a seamless cube (see trace-exec --run --list)'
	assert_line --index 1 'trace-exec: error: not executed: cudaCreateTextureObject: anisotropy over several levels (see trace-exec --run --list)'
	[ "${#lines[@]}" -eq 2 ]
	run -1 trace-exec -o out --run ./images
	run -0 grep -c . out/kernelslist.g
	assert_output 25
	run -0 head -4 out/kernelslist.g
	assert_output "$(printf '%s\n' MemcpyHtoD,0xc0000000,140 MemcpyDtoH,0xc0000100,140 kernel-1.traceg MemcpyDtoH,0xc0000200,140)"
}

@test "a kernel that fails is named, and its error stays" {
	run -1 trace-exec -o out -g qv100 --run ./calls fail
	assert_line --regexp "calls\.1\.sm_70\.ptx:[0-9]+:[0-9]+: error: .*write of 4 bytes at 0x[0-9a-f]+, 0 bytes after 'cudaMalloc [0-9]+' of 1024 bytes"
	refute_line --partial 'ended with status'
	[ ! -e out/kernelslist.g ]
}

@test "memory that is used when it was freed is named" {
	run -1 trace-exec -n --run ./vecadd 100 stale
	# a kernel that is launched after the failed one does not begin
	assert_line --index 0 --partial "write of 4 bytes at 0xc0000400, at byte 0 of 'cudaMalloc 3' of 400 bytes, which was freed"
	assert_line --index 1 '99 of 100 elements are wrong'
}

@test "memory that is not freed is found, and the trace is whole" {
	run -0 trace-exec -o out --run ./vecadd 100 leak
	assert_line 'trace-exec: warning: leak: 1 allocation of the program, 400 bytes'
	[ -e out/kernelslist.g ]
	run -1 trace-exec -n --leaks --run ./vecadd 100 leak
	assert_line 'trace-exec: error: leak: 1 allocation of the program, 400 bytes'
	run -0 trace-exec -n --leaks --run ./vecadd 100
	run -0 trace-exec -n --no-check --run ./vecadd 100 leak
}

@test "what the program makes of itself is told" {
	run -5 trace-exec -n --run ./vecadd 100 exit 5
	assert_output '0 of 100 elements are wrong'
	run -137 trace-exec -o out --run ./vecadd 100 die
	assert_line --partial './vecadd: ended by signal 9'
	[ ! -e out/kernelslist.g ]
	run -0 trace-exec -n --run true
	assert_output --partial 'warning: true: ended without a call of the CUDA runtime'
	run -1 trace-exec -n --run false
	assert_output ''
	run -7 trace-exec -n --run sh -c 'echo usage; exit 7'
	assert_output usage
	run -2 trace-exec -n --run ./nothing
	assert_output --partial './nothing: No such file or directory'
}

@test "programs that cannot be helped are named: linked statically, with the runtime inside, without a library" {
	echo 'int main(void) { return 0; }' >main.c
	gcc -static -o static main.c || skip 'no static C library'
	run -2 trace-exec -n --run ./static
	assert_output 'trace-exec: error: ./static: linked statically: its calls cannot be executed (link it with nvcc -cudart shared)'
	echo '__attribute__((section(".nv_fatbin"))) int code = 1; int main(void) { return 3; }' >inside.c
	gcc -o inside inside.c
	run -2 trace-exec -n --run ./inside
	assert_output 'trace-exec: error: ./inside: linked statically with the CUDA runtime: its calls cannot be executed (link it with nvcc -cudart shared)'
	echo 'int cublas(void) { return 0; }' >absent.c
	gcc -shared -fPIC -Wl,-soname,libabsent.so.1 -o libabsent.so absent.c
	echo 'int cublas(void); int main(void) { return cublas(); }' >user.c
	gcc -o user user.c -L. -labsent
	run -127 trace-exec -n --run ./user
	assert_output --partial './user: error while loading shared libraries: libabsent.so.1'
}

@test "a program ends with trace-exec, whatever ends that" {
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

@test "the library may lie in a path that the loader would take apart" {
	local dir
	for dir in 'a blank' 'a:colon' '$ORIGIN' 'semi;colon'; do
		mkdir -p "$BATS_TEST_TMPDIR/$dir"
		cp -a "$BUILD"/trace-exec "$BUILD"/libtrace-exec-cudart.so "$BUILD"/cudart "$BATS_TEST_TMPDIR/$dir"
		run -0 "$BATS_TEST_TMPDIR/$dir/trace-exec" -n --run ./vecadd 5000
		assert_output '0 of 5000 elements are wrong'
	done
	# nothing empty, which would be the current directory, in the lists
	# shellcheck disable=SC2016
	run -0 env -u LD_LIBRARY_PATH -u LD_PRELOAD "$BATS_TEST_TMPDIR/a:colon/trace-exec" -q -n --run sh -c 'echo "$LD_LIBRARY_PATH $LD_PRELOAD"'
	assert_output --regexp '^/proc/self/fd/[0-9]+ /proc/self/fd/[0-9]+$'
}

@test "PTX that cannot be executed is refused with its place when a kernel of it is launched" {
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
}

@test "damaged fat binaries are refused" {
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

@test "every thread count writes the same bytes" {
	trace-exec --run ./vecadd 20000 >one 2>/dev/null
	trace-exec -j 3 --run ./vecadd 20000 >three 2>/dev/null
	run -0 cmp one three
}

@test "options after the name of the program are its own, and options for programs need --run" {
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

@test "the list has every function once" {
	trace-exec --run --list >list
	run -0 grep -c . list
	[ "$output" -gt 1000 ]
	run -0 grep -P '^executed\tcudaMalloc$' list
	run -0 grep -P '^executed\tcuMemAlloc_v2$' list
	run -0 grep -P '^refused\tcuMulticastCreate$' list
	run -0 grep -P '^refused\tcudaDeviceFlushGPUDirectRDMAWrites$' list
	run -1 grep -vP '^(executed|refused)\t(__)?cu[A-Za-z]\w+$' list
	run -0 bash -c 'cut -f2 list | sort | uniq -d'
	assert_output ''
	# the library has them all
	run -0 bash -c "nm -D --defined-only '$BUILD/libtrace-exec-cudart.so' '$BUILD/libtrace-exec-cublas.so' | awk '\$2 ~ /[TW]/ { print \$3 }' | grep -v '^cudart_report$' | sort >have; cut -f2 list | sort >want; comm -3 have want"
	assert_output ''
}

@test "a program that nvcc has compiled" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >nv.cu <<-'C'
		#include <cstdio>
		__device__ int seen[4];
		template <typename T> __global__ void axpy(T a, const T *x, T *y, int n)
		{
			extern __shared__ char room[];
			T *s = (T *)room;
			int i = blockIdx.x * blockDim.x + threadIdx.x;
			s[threadIdx.x] = i < n ? x[i] : T(0);
			__syncthreads();
			if (i < n)
				y[i] = a * s[threadIdx.x] + y[i];
			if (!threadIdx.x)
				atomicAdd(&seen[blockIdx.x % 4], 1);
			if (!i)
				printf("thread %d of %d\n", i, n);
		}
		int main()
		{
			const int n = 1000;
			double *x, *y;
			int h[4];
			cudaMallocManaged(&x, n * sizeof *x);
			cudaMallocManaged(&y, n * sizeof *y);
			for (int i = 0; i < n; i++)
				x[i] = i, y[i] = 1;
			axpy<<<8, 128, 128 * sizeof(double)>>>(2.0, x, y, n);
			cudaError_t e = cudaDeviceSynchronize();
			cudaMemcpyFromSymbol(h, seen, sizeof h);
			cudaDeviceProp p;
			cudaGetDeviceProperties(&p, 0);
			printf("%s %g %d %s %d\n", cudaGetErrorString(e), y[999], h[3], p.name, p.multiProcessorCount);
			cudaFree(x);
			cudaFree(y);
		}
	C
	nvcc -cudart shared -arch=sm_75 -o nv nv.cu || skip 'nvcc does not work here'
	run -0 trace-exec -n -g qv100 --run ./nv
	assert_line 'thread 0 of 1000'
	assert_line 'no error 1999 2 qv100 80'
	run -0 trace-exec -o out --run ./nv
	run -0 grep -c . out/kernelslist.g
	assert_line '1'
	run -0 grep '^-nregs' out/kernel-1.traceg
	refute_line '-nregs = 0'
}

@test "machine code prints strings of local and shared memory" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >text.cu <<-'C'
		#include <cstdio>
		__global__ void say(int n)
		{
			char s[16];
			__shared__ char t[16];
			for (int i = 0; i < 15; i++)
				s[i] = 'a' + i % n, t[i] = 'A' + i % n;
			s[15] = t[15] = 0;
			printf("%s %s\n", s, t);
		}
		int main() { say<<<1, 1>>>(4); return cudaDeviceSynchronize(); }
	C
	nvcc -arch=sm_80 -cudart shared -o text text.cu
	run -0 trace-exec -n -g a100 --code sass --run ./text
	assert_line 'abcdabcdabcdabc ABCDABCDABCDABC'
}

@test "a function that calls itself has the stack of the limit" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >deep.cu <<-'C'
		#include <cstdio>
		#include <cstdlib>
		__device__ __noinline__ int step(int n) { return n ? step(n - 1) * 3 ^ n : 1; }
		__global__ void all(int *x, int n) { x[threadIdx.x] = step(n); }
		int main(int argc, char **argv)
		{
			int *x, back[32], n = atoi(argv[1]);
			if (argc > 2)
				cudaDeviceSetLimit(cudaLimitStackSize, atoi(argv[2]));
			cudaMalloc(&x, sizeof back);
			all<<<1, 32>>>(x, n);
			cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
			printf("%d\n", back[31]);
			cudaFree(x);
		}
	C
	nvcc -arch=sm_80 -cudart shared -o deep deep.cu
	run -0 trace-exec -n -g a100 --code sass --run ./deep 12
	assert_line 276217
	run -1 trace-exec -n -g a100 --code sass --run ./deep 900
	assert_line --regexp 'error: write of 4 bytes at byte [0-9]+ of .local, which has 10[0-9]+ bytes'
	trace-exec -n -g a100 --code ptx --run ./deep 900 >ptx
	trace-exec -n -g a100 --code sass --run ./deep 900 65536 >sass
	cmp ptx sass
}

@test "graphs as nvcc writes them" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >g.cu <<-'C'
		#include <cstdio>
		__global__ void more(int *x, int by) { x[threadIdx.x] += by; }
		int main()
		{
			int *x, back[32] = {}, by = 2;
			size_t n = 0;
			void *args[] = {&x, &by};
			cudaStream_t s;
			cudaGraph_t g, h;
			cudaGraphExec_t e;
			cudaGraphNode_t a, b;
			cudaMemsetParams zero = {};
			cudaKernelNodeParams k = {};
			cudaStreamCreate(&s);
			cudaMalloc(&x, sizeof back);
			cudaMemset(x, 0, sizeof back);
			cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
			for (int i = 0; i < 3; i++)
				more<<<1, 32, 0, s>>>(x, i);
			cudaMemcpyAsync(back, x, sizeof back, cudaMemcpyDeviceToHost, s);
			cudaStreamEndCapture(s, &g);
			cudaGraphGetNodes(g, nullptr, &n);
			cudaGraphInstantiate(&e, g, 0);
			for (int i = 0; i < 4; i++)
				cudaGraphLaunch(e, s);
			cudaStreamSynchronize(s);
			printf("%zu nodes, %d\n", n, back[31]);
			cudaGraphCreate(&h, 0);
			k.func = (void *)more, k.gridDim = dim3(1), k.blockDim = dim3(32), k.kernelParams = args;
			zero.dst = x, zero.elementSize = 4, zero.width = 32, zero.height = 1, zero.value = 40;
			cudaGraphAddKernelNode(&a, h, nullptr, 0, &k);
			cudaGraphAddMemsetNode(&b, h, nullptr, 0, &zero);
		#if CUDART_VERSION >= 13000
			cudaGraphAddDependencies(h, &b, &a, nullptr, 1);
		#else
			cudaGraphAddDependencies(h, &b, &a, 1);
		#endif
			cudaGraphExecDestroy(e);
			cudaGraphInstantiate(&e, h, 0);
			cudaGraphLaunch(e, s);
			cudaMemcpy(back, x, sizeof back, cudaMemcpyDeviceToHost);
			printf("%d, %s\n", back[31], cudaGetErrorString(cudaGetLastError()));
			cudaGraphExecDestroy(e), cudaGraphDestroy(g), cudaGraphDestroy(h), cudaStreamDestroy(s);
			cudaFree(x);
		}
	C
	nvcc -cudart shared -arch=sm_75 -o g g.cu || skip 'nvcc does not work here'
	run -0 trace-exec -n --run ./g
	assert_line '4 nodes, 12'
	assert_line '42, no error'
}

@test "textures, surfaces, clusters and a barrier of the grid as nvcc writes them" {
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'no nvcc'
	cat >more.cu <<-'C'
		#include <cstdio>
		#include <cooperative_groups.h>
		namespace cg = cooperative_groups;
		__device__ unsigned total;
		__global__ void fetch(cudaTextureObject_t t, cudaSurfaceObject_t s, float *o)
		{
			float4 v = tex2D<float4>(t, (threadIdx.x + .5f) / 8, .5f / 4);
			o[threadIdx.x] = v.x + v.w;
			surf2Dwrite(make_uchar4(1, 2, 3, threadIdx.x), s, threadIdx.x * 4, 2);
		}
		__global__ void together(unsigned *o)
		{
			cg::grid_group g = cg::this_grid();
			for (int i = 0; i < 3; i++) {
				if (!threadIdx.x)
					atomicAdd(&total, blockIdx.x + 1);
				g.sync();
				if (threadIdx.x == i)
					o[blockIdx.x * 3 + i] = total;
				g.sync();
			}
		}
		__global__ void __cluster_dims__(2, 1, 1) pair(unsigned *o)
		{
			__shared__ unsigned v;
			cg::cluster_group c = cg::this_cluster();
			v = blockIdx.x * 10;
			c.sync();
			o[blockIdx.x] = *c.map_shared_rank(&v, 1 - c.block_rank());
			c.sync();
		}
		__global__ void quad(unsigned *o) { o[blockIdx.x] = cg::this_cluster().num_blocks(); }
		int main()
		{
			uchar4 h[4][8];
			for (int i = 0; i < 32; i++)
				h[i / 8][i % 8] = make_uchar4(i * 8, 0, 0, 255);
			cudaChannelFormatDesc d = cudaCreateChannelDesc<uchar4>();
			cudaArray_t a;
			cudaMallocArray(&a, &d, 8, 4, cudaArraySurfaceLoadStore);
			cudaMemcpy2DToArray(a, 0, 0, h, 32, 32, 4, cudaMemcpyHostToDevice);
			cudaResourceDesc r = {};
			r.res.array.array = a;
			cudaTextureDesc t = {};
			t.readMode = cudaReadModeNormalizedFloat;
			t.normalizedCoords = 1;
			cudaTextureObject_t to;
			cudaSurfaceObject_t so;
			cudaCreateTextureObject(&to, &r, &t, 0);
			cudaCreateSurfaceObject(&so, &r);
			float *o;
			unsigned *u;
			cudaMallocManaged(&o, 64);
			cudaMallocManaged(&u, 256);
			fetch<<<1, 8>>>(to, so, o);
			printf("%s %g\n", cudaGetErrorString(cudaDeviceSynchronize()), o[7]);
			cudaMemcpy2DFromArray(h, 32, a, 0, 0, 32, 4, cudaMemcpyDeviceToHost);
			printf("%d %d\n", h[2][5].w, h[2][5].y);
			void *args[] = {&u};
			cudaLaunchCooperativeKernel((void *)together, dim3(5), dim3(64), args, 0, 0);
			printf("%s", cudaGetErrorString(cudaDeviceSynchronize()));
			for (int i = 0; i < 15; i++)
				printf(" %u", u[i]);
			pair<<<4, 1>>>(u);
			printf("\n%s", cudaGetErrorString(cudaDeviceSynchronize()));
			cudaLaunchConfig_t c = {};
			cudaLaunchAttribute attribute[1];
			attribute[0].id = cudaLaunchAttributeClusterDimension;
			attribute[0].val.clusterDim = {4, 1, 1};
			c.gridDim = 8;
			c.blockDim = 32;
			c.attrs = attribute;
			c.numAttrs = 1;
			int e = cudaLaunchKernelEx(&c, quad, u + 4);
			c.gridDim = 6;
			int f = cudaLaunchKernelEx(&c, quad, u + 4);
			cudaDeviceSynchronize();
			for (int i = 0; i < 5; i++)
				printf(" %u", u[i]);
			printf("\n%d %d\n", e, f);
			cudaFree(u);
			cudaFree(o);
			cudaDestroyTextureObject(to);
			cudaDestroySurfaceObject(so);
			cudaFreeArray(a);
		}
	C
	nvcc -cudart shared -arch=compute_90 -o more more.cu || skip 'nvcc does not work here'
	run -0 env -u LD_LIBRARY_PATH trace-exec -n -g h100-sxm --run ./more
	assert_output "$(printf '%s\n' 'no error 1.21961' '5 2' 'no error 15 30 45 15 30 45 15 30 45 15 30 45 15 30 45' 'no error 10 0 30 20 4' '0 912')"
}

@test "the examples give right results from source to table, with nvcc and without" {
	local p
	NVCC=no run -0 env WARPTOOLS="$BUILD" sh "$ROOT/examples/cuda/run" -o "$BATS_TEST_TMPDIR/launched"
	assert_line 'no nvcc: kernels from launch files'
	for p in vecadd matmul reduce histogram bfs; do
		assert_line --regexp "^$BATS_TEST_TMPDIR/launched/$p.json,complete,[0-9]+,[0-9]+,"
	done
	run -0 python3 "$ROOT/tests/data/cudart/results" "$BATS_TEST_TMPDIR/launched"
	assert_output ''
	run -2 sh "$ROOT/examples/cuda/run" -o "$BATS_TEST_TMPDIR/out" bfs nothing
	assert_output "run: error: unknown program 'nothing' (expected one of: vecadd matmul reduce histogram bfs)"
	run -2 sh "$ROOT/examples/hopper/run" -o "$BATS_TEST_TMPDIR/out" nothing
	assert_output "run: error: unknown kernel 'nothing' (expected one of: copy gemm multicast histogram attention)"
	[ ! -e "$BATS_TEST_TMPDIR/out" ]
	PATH=$PATH:/usr/local/cuda/bin
	command -v nvcc >/dev/null || skip 'the rest needs nvcc'
	run -0 env WARPTOOLS="$BUILD" sh "$ROOT/examples/cuda/run" -o "$BATS_TEST_TMPDIR/run"
	for p in vecadd matmul reduce histogram bfs; do
		assert_line "$p: right"
	done
}
