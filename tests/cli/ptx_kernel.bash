# SPDX-License-Identifier: BSD-2-Clause
# Loaded by bats files of PTX kernels that have one buffer.

setup() {
	cd "$BATS_TEST_TMPDIR"
	cp "$ROOT"/tests/data/ptx/*.ptx "$ROOT"/tests/data/ptx/*.launch .
}

# Writes a module with kernel "k": parameter a (an address, in %rd1), tid.x in %r1, the body from stdin.
kernel() {
	{
		printf '.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 a)\n{\n'
		printf '.reg .pred %%p<9>;\n.reg .b16 %%h<9>;\n.reg .b32 %%r<20>;\n.reg .f32 %%f<20>;\n.reg .b64 %%rd<20>;\n.reg .f64 %%d<9>;\n'
		printf '.shared .align 8 .b32 s[64];\nld.param.u64 %%rd1, [a];\nmov.u32 %%r1, %%tid.x;\n'
		cat
		printf 'ret;\n}\n'
	} >k.ptx
}

launch() { printf 'module k.ptx\nbuffer A bytes=256 zero\nlaunch k grid=1 block=%s args A\n' "$1" >k.launch; }
