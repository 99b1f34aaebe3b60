#!/usr/bin/env bats
# SPDX-License-Identifier: BSD-2-Clause
# trace-exec --run: programs that call cuBLAS and cublasLt.

bats_require_minimum_version 1.5.0
load helper
load cudart_programs

setup_file() {
	stub_runtime
	stub_library libcublas.so.13 libcublas.so.13 '^cublas'
}

@test "products and vector functions of cuBLAS work" {
	gcc -std=gnu11 -o blas "$ROOT/tests/data/cudart/blas.c" -L. -l:libcublas.so.13 -lcudart -lm
	run -1 trace-exec -n -g a100-40 --run ./blas
	assert_output 'trace-exec: error: not executed: cublasUint8gemmBias (see trace-exec --run --list)'
	# --libs real uses the installed library, which is the stub here
	run -1 trace-exec -n --libs real --run ./blas
	assert_output --partial ': 999, expected 0'
	run -2 trace-exec -n --libs any --run ./blas
	assert_output --partial "unknown value 'any' of --libs (expected suite or real)"
}

@test "cuBLAS handles matrices of each kind and precision" {
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

@test "cuBLAS functions without a handle work" {
	gcc -std=gnu11 -o letters "$ROOT/tests/data/cudart/letters.c" -L. -l:libcublas.so.13 -lcudart -lm
	run -0 trace-exec -n -g a100-40 --run ./letters
	assert_output ''
}

@test "transforms, tiles, FP8 and complex products of cublasLt work" {
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
