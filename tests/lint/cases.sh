# SPDX-License-Identifier: BSD-2-Clause
# A case for each rule of trace-lint. tests/lint/run reads this file and describes the functions.

lint open 'app/none:1:1: error: open: cannot be opened: No such file or directory' \
	'TRACE=app/none; WANT=2'
lint read 'app/kernel-1.traceg:1:1: error: read: cannot be read: Input/output error' \
	'rm $K; ln -s /proc/self/mem $K'
lint is-folder 'app/kernel-1.traceg:1:1: error: is-folder: is a directory (expected a file)' \
	'rm $K; mkdir $K'
lint compressed-truncated 'app/kernel-1.traceg:606:1: error: compressed-truncated: gzip data ends early' \
	'gzip -c $K >x; truncate -s 1000 x; mv x $K'
lint compressed-damaged 'app/kernel-1.traceg:28:1: error: compressed-damaged: damaged xz data (data or check is wrong)' \
	'xz -c $K >x; printf '\''\377\377\377\377'\'' | dd of=x bs=1 seek=400 conv=notrunc status=none; mv x $K'
lint compressed-memory 'app/kernel-1.traceg:1:1: error: compressed-memory: zstd data needs more than 128 MiB of memory to decompress' \
	'head -c 300000000 /dev/zero | zstd -q --ultra --long=31 >$K'
lint line-too-long 'app/kernel-1.traceg:1:1: error: line-too-long: line is longer than 1048576 bytes' \
	'head -c 5000000 /dev/zero | tr "\0" a | sed "s/^/-kernel name = /" >x; cat $K >>x; mv x $K'
lint line-end "app/kernel-1.traceg:1:22: warning: line-end: carriage return before the end of the line" \
	'sed -i "s/\$/\r/" $K'
lint final-newline 'app/kernel-1.traceg:896:1: warning: final-newline: no newline at the end of the file' \
	'awk "{l[NR]=\$0} /END_TB/{e=NR} END{for(i=1;i<e;i++)print l[i]; printf \"%s\", l[e]}" $K >x; mv x $K'
lint block-end 'app/kernel-1.traceg:896:1: note: block-end: file ends without #END_TB after a whole thread block' \
	'awk "{l[NR]=\$0} /END_TB/{e=NR} END{for(i=1;i<e;i++)print l[i]}" $K >x; mv x $K'
lint truncated 'app/kernel-1.traceg:287:1: error: truncated: file ends inside a thread block, after 2 of 8 thread blocks (expected #END_TB)' \
	'truncate -s 9000 $K'
lint list-missing 'app:1:1: error: list-missing: no kernel list in the directory (expected kernelslist.g)' \
	'rm $L; TRACE=app'
lint list-raw 'app:1:1: error: list-raw: raw traces, not grouped by thread block and warp (group them with trace-pack --group app -C DIR)' \
	'mv $K app/kernel-1.trace; mv $L app/kernelslist; TRACE=app'
lint list-empty 'app/kernelslist.g:1:1: error: list-empty: kernel list is empty (expected lines that name kernel files)' \
	': >$L'
lint list-line "app/kernelslist.g:2:1: error: list-line: unexpected 'Kernel-1.traceg' (expected a kernel file name that begins with 'kernel', or 'MemcpyHtoD,<hex address>,<bytes>')" \
	'sed -i s/kernel/Kernel/ $L'
lint list-blank "app/kernelslist.g:2:1: warning: list-blank: blanks before the line's text" \
	'sed -i "s/^kernel/ kernel/" $L'
lint list-no-kernels 'app/kernelslist.g:1:1: warning: list-no-kernels: no kernel in the list' \
	'sed -i /kernel/d $L'
lint list-name "app/kernelslist.g:2:11: warning: list-name: ';' in the name of a kernel file, which the original passes to a shell" \
	'mv $K "app/kernel-1ü;x.traceg"; sed -i "s/^kernel-1/kernel-1ü;x/" $L'
lint list-suffix "app/kernelslist.g:2:1: warning: list-suffix: name of a kernel file without the suffix .traceg or .xz" \
	'gzip $K; sed -i s/traceg/traceg.gz/ $L'
lint list-repeated 'app/kernelslist.g:3:1: warning: list-repeated: kernel file is already named on line 2' \
	'echo kernel-1.traceg >>$L'
lint list-unnamed "app/kernelslist.g:1:1: note: list-unnamed: file 'kernel-2.traceg' is next to the list but not named in it" \
	'cp $K app/kernel-2.traceg'
lint kernel-missing "app/kernelslist.g:3:1: error: kernel-missing: kernel file 'app/kernel-2.traceg' cannot be opened: No such file or directory" \
	'echo kernel-2.traceg >>$L'
lint kernel-skipped "app/kernelslist.g:3:1: warning: kernel-skipped: 2 of 3 kernels are missing and skipped, the first is kernel 2, 'kernel-2.traceg'" \
	'echo kernel-2.traceg >>$L; echo kernel-3.traceg >>$L; ARGS=--skip-missing'
lint memcpy-fields "app/kernelslist.g:1:1: error: memcpy-fields: unexpected 'MemcpyHtoD,0x00007f4000000000' (expected 'MemcpyHtoD,<hex address>,<bytes>')" \
	'sed -i "s/,16384//" $L'
lint memcpy-address "app/kernelslist.g:1:12: error: memcpy-address: invalid address 'zzz' (expected a hexadecimal number of at most 64 bits)" \
	'sed -i "1s/.*/MemcpyHtoD,zzz,16384/" $L'
lint memcpy-count "app/kernelslist.g:1:31: error: memcpy-count: invalid byte count '4294967296' (expected a decimal number below 4294967296)" \
	'sed -i "s/,16384/,4294967296/" $L'
lint memcpy-last 'app/kernelslist.g:3:1: warning: memcpy-last: copy to the device after the last kernel' \
	'echo MemcpyHtoD,0x7f4000000000,64 >>$L'
lint header-line "app/kernel-1.traceg:2:1: error: header-line: unexpected 'hello' (expected a header line that begins with '-', or '#')" \
	'sed -i "2i hello" $K'
lint header-missing "app/kernel-1.traceg:14:1: error: header-missing: header has no line '-grid dim = ...'" \
	'drop "grid dim"'
lint header-default "app/kernel-1.traceg:14:1: warning: header-default: header has no line '-cuda stream id = ...'" \
	'drop "cuda stream"'
lint header-repeated "app/kernel-1.traceg:7:1: warning: header-repeated: '-nregs' occurs twice; the last one is used" \
	'sed -i "5i -nregs = 16" $K'
lint header-unknown "app/kernel-1.traceg:2:1: note: header-unknown: unknown key '-future' is ignored" \
	'sed -i "2i -future key = 7" $K'
lint header-value "app/kernel-1.traceg:3:13: error: header-value: invalid value '-grid dim = (0,1,1)' (expected dimensions of at least 1 with a product of at most 4294967295)" \
	'first "(8,1,1)" "(0,1,1)"'
lint header-original 'app/kernel-1.traceg:1:1: warning: header-original: binary version 90 is unknown to the original simulator' \
	'first "binary version = 80" "binary version = 90"'
lint version-shape 'app/kernel-1.traceg:1:1: warning: version-shape: tracer version 3 does not write lines with 0 columns before the PC and 1 immediate' \
	'first "tracer version = 5" "tracer version = 3"'
lint block-threads 'app/kernel-1.traceg:1:1: warning: block-threads: thread block of 4096,1,1, 4096 threads (expected at most 1024, and 64 in z)' \
	'first "(256,1,1)" "(4096,1,1)"'
lint shmem-size 'app/kernel-1.traceg:1:1: warning: shmem-size: 10485760 bytes of shared memory (expected at most 233472)' \
	'first "shmem = 0" "shmem = 10485760"'
lint nregs-size 'app/kernel-1.traceg:1:1: warning: nregs-size: 500 registers per thread (expected at most 256)' \
	'first "nregs = 16" "nregs = 500"'
lint outside-block "app/kernel-1.traceg:19:1: error: outside-block: unexpected 'thread block = 0,0,0' (expected #BEGIN_TB before it (a raw trace is grouped by trace-pack --group))" \
	'drop "BEGIN_TB"'
lint raw 'app/kernel-1.trace:1:1: error: raw: raw trace (trace-pack --group groups it)' \
	'raw <$K >app/kernel-1.trace; rm $K; sed -i s/traceg/trace/ $L'
lint block-nested "app/kernel-1.traceg:127:1: error: block-nested: unexpected '#BEGIN_TB' (expected #END_TB before it)" \
	'drop "END_TB"'
lint block-line "app/kernel-1.traceg:23:1: error: block-line: unexpected 'insts = -5' (expected 'insts = <number>')" \
	'first "insts = 10" "insts = -5"'
lint block-id "app/kernel-1.traceg:21:1: error: block-id: unexpected 'warp = 0' (expected 'thread block = x,y,z' before the first warp)" \
	'drop "thread block = 0"'
lint block-id-grid 'app/kernel-1.traceg:130:1: error: block-id-grid: thread block 999,0,0 is outside the grid of 8,1,1' \
	'first "thread block = 1,0,0" "thread block = 999,0,0"'
lint block-id-repeated 'app/kernel-1.traceg:130:1: error: block-id-repeated: thread block 0,0,0 occurs twice' \
	'first "thread block = 1,0,0" "thread block = 0,0,0"'
lint block-order 'app/kernel-1.traceg:134:1: warning: block-order: thread block 0,0,0 is after one with a higher id: file order is schedule order' \
	'sed -i "s/block = 1,0,0/block = x,0,0/; s/block = 0,0,0/block = 1,0,0/; s/block = x,0,0/block = 0,0,0/" $K'
lint blocks-missing 'app/kernel-1.traceg:897:1: error: blocks-missing: file ends after 8 of 9 thread blocks (expected #BEGIN_TB)' \
	'first "(8,1,1)" "(9,1,1)"'
lint grid-small 'app/kernel-1.traceg:458:1: error: grid-small: more thread blocks than the 4 of grid 4,1,1 (expected the end of the file)' \
	'first "(8,1,1)" "(4,1,1)"'
lint warp-id 'app/kernel-1.traceg:113:1: error: warp-id: warp 8 does not exist (expected 0 to 7 for a block of 256 threads)' \
	'first "warp = 7" "warp = 8"'
lint warp-repeated 'app/kernel-1.traceg:113:1: error: warp-repeated: warp 6 occurs twice in thread block 0,0,0' \
	'first "warp = 7" "warp = 6"'
lint warp-missing 'app/kernel-1.traceg:113:1: error: warp-missing: 7 warps in thread block 0,0,0 (expected 8): warp 7 is missing' \
	'awk "/^warp = 7/ && !n++ {skip=13} skip-- <= 0" $K >x; mv x $K'
lint warp-empty 'app/kernel-1.traceg:24:1: warning: warp-empty: warp 0 has no instructions' \
	'awk "/^insts/ && !n++ {print \"insts = 0\"; skip=1; next} /^\$/ {skip=0} !skip" $K >x; mv x $K'
lint insts-missing "app/kernel-1.traceg:23:1: error: insts-missing: unexpected '0000 ffffffff 1 R1 IMAD.MOV.U32 2 R255 R255 0 0 ' (expected 'insts = <number>' after the 'warp' line)" \
	'drop "^insts"'
lint insts-count "app/kernel-1.traceg:34:1: error: insts-count: 9 instruction lines in warp 0 (expected 10, from its 'insts' line)" \
	'drop "^0030"'
lint lane-after-exit 'app/kernel-1.traceg:32:6: warning: lane-after-exit: lanes 0000000f of warp 0 are active after their EXIT' \
	'first "^0070 ffffffff 1 R9 FADD 2 R4 R5" "0070 0000000f 0 EXIT 0"'
lint after-end 'app/kernel-1.traceg:29:1: warning: after-end: line after the last EXIT of warp 0' \
	'use ends'
lint lanes-left 'app/kernel-1.traceg:33:1: warning: lanes-left: warp 0 ends without an EXIT of lanes ffffffff' \
	'first EXIT NOP'
lint barrier-count 'app/kernel-1.traceg:59:1: warning: barrier-count: barriers differ: 1 in warp 2, 4 in warp 0 of thread block 0,0,0' \
	'use barrier'
lint barrier-count 'app/kernel-1.traceg:65582:1: warning: barrier-count: barriers differ: 0 in warp 1, 65536 in warp 0 of thread block 0,0,0' \
	'awk "/^insts = 10/ && !done { print \"insts = 65546\"; done = 1; for (i = 0; i < 65536; i++) print \"0000 ffffffff 0 BAR.SYNC.DEFER_BLOCKING 0 0 0 \"; next } 1" "$K" >k; mv k "$K"'
lint depbar-groups 'app/kernel-1.traceg:30:17: warning: depbar-groups: DEPBAR for 9 groups (expected at most 3, the groups that warp 0 has closed)' \
	'use ldgsts; first "DEPBAR.LE 0 0 [0-9]*" "DEPBAR.LE 0 0 9"'
lint inst-line "app/kernel-1.traceg:28:1: error: inst-line: unexpected 'hello world' (expected an instruction line)" \
	'first "^0040.*" "hello world"'
lint dialect 'app/kernel-1.traceg:27:35: error: dialect: 0 columns before the PC and 0 immediates (expected 0 and 1 as on the first line of the kernel)' \
	'first "^0030 \(.*\) 0 0 $" "0030 \1 0 "'
lint prefix "app/kernel-1.traceg:28:1: error: prefix: unexpected 'x' (expected a decimal column before the PC as on other lines)" \
	'use vecadd; sed -i "s/^00[0-9a-f]0 /7 &/; s/enable lineinfo = 0/enable lineinfo = 1/" $K; first "^7 0040" "x 0040"'
lint pc "app/kernel-1.traceg:25:1: error: pc: unexpected 'zz10' (expected a hexadecimal PC)" \
	'first "^0010 " "zz10 "'
lint pc-align 'app/kernel-1.traceg:25:1: warning: pc-align: PC 0014 (expected a multiple of 16)' \
	'first "^0010 " "0014 "'
lint mask "app/kernel-1.traceg:25:6: error: mask: unexpected 'zzzzzzzz' (expected a hexadecimal mask of 32 lanes)" \
	'first "^0010 ffffffff" "0010 zzzzzzzz"'
lint lanes 'app/kernel-1.traceg:115:6: error: lanes: mask has active lanes ffff0000 outside a block of 240 threads, warp 7 (expected none outside 0000ffff)' \
	'first "(256,1,1)" "(240,1,1)"'
lint dst-count "app/kernel-1.traceg:25:15: error: dst-count: unexpected 'x' (expected a number of destination registers up to 255)" \
	'first "1 R6 S2R" "x R6 S2R"'
lint src-count "app/kernel-1.traceg:25:24: error: src-count: unexpected 'x' (expected a number of source registers up to 255)" \
	'first "S2R 0" "S2R x"'
lint operands 'app/kernel-1.traceg:28:23: warning: operands: Accel-Sim does not accept 2 destinations and 2 sources' \
	'first "1 R2 IMAD.WIDE" "2 R2 R3 IMAD.WIDE"'
lint register "app/kernel-1.traceg:25:17: error: register: unexpected 'R999' (expected a register R0 to R255, UR0 to UR255, P<n> or UP<n>)" \
	'first "1 R6 S2R" "1 R999 S2R"'
lint register-nregs "app/kernel-1.traceg:25:21: warning: register-nregs: register R77 (expected a number below 16, '-nregs')" \
	'first "1 R6 S2R" "1 R77 S2R"'
lint opcode "app/kernel-1.traceg:28:20: error: opcode: unexpected '.' (expected an opcode)" \
	'first "IMAD.WIDE" "."'
lint opcode-unknown "app/kernel-1.traceg:28:20: warning: opcode-unknown: opcode 'FOOBAR' is not in the table of ampere, taken as ALU" \
	'first IMAD.WIDE FOOBAR'
lint opcode-approximated "app/kernel-1.traceg:28:20: warning: opcode-approximated: opcode 'UTMACCTL' (TMA) is not modelled, taken as INT" \
	'first "binary version = 80" "binary version = 90"; first "IMAD.WIDE" "UTMACCTL"'
lint values "app/kernel-1.traceg:24:68: error: values: unexpected '2' (expected 1 or 32, the number of values of a register)" \
	'hopper "0010 00000001 0 SYNCS.EXCH.64 2 R4 R6 8 1 0x7f5000000400 8 0 0 Val 2 5"'
lint barrier "app/kernel-1.traceg:24:17: error: barrier: barrier 16 (expected a number below 16)" \
	'hopper "0010 ffffffff 0 BAR.SYNC 0 0 16 32 NoVal"'
lint barrier-threads "app/kernel-1.traceg:24:17: warning: barrier-threads: barrier 1 of 40 threads (expected a multiple of 32 up to the 32 of the block)" \
	'hopper "0010 ffffffff 0 BAR.ARV 0 0 1 40 NoVal"'
lint mbarrier-arrivals "app/kernel-1.traceg:24:17: error: mbarrier-arrivals: wait for the mbarrier at offset 0x400 of shared memory, on which nothing arrives" \
	'hopper "0010 00000001 0 SYNCS.PHASECHK.TRANS64.TRYWAIT 2 R4 R6 8 1 0x7f5000000400 8 0 0 Val 1 0 1 0"'
lint mbarrier-bytes "app/kernel-1.traceg:24:17: warning: mbarrier-bytes: 128 bytes are expected on the mbarrier at offset 0x400, but 64 arrive" \
	'hopper "0010 00000001 0 SYNCS.ARRIVE.TRANS64 2 R4 R6 8 1 0x7f5000000400 8 0 0 Val 1 0 1 80" "0020 00000001 0 UTMALDG.2D 0 4 0x400 0 64 0 3 1 0x7f4000000000 0 0 NoVal"'
lint multicast-cluster "app/kernel-1.traceg:27:17: warning: multicast-cluster: multicast to the blocks 0007 of a cluster (expected ranks up to 1)" \
	'hopper "cluster id = 0,0,0" "cluster cta = 1,0,0" "cluster rank = 1" "0020 00000001 0 UTMALDG.2D 0 4 0x0 1 0x7 64 0 3 1 0x7f4000000000 0 0 NoVal"'
lint opcode-width "app/kernel-1.traceg:29:20: error: opcode-width: opcode 'LDG.E.4' has an access width below 8 or above 524280 bits" \
	'first "LDG.E " "LDG.E.4 "'
lint width "app/kernel-1.traceg:29:31: error: width: unexpected 'x' (expected a width in bytes, 0 for no memory access)" \
	'first "LDG.E 1 R2 4" "LDG.E 1 R2 x"'
lint immediate "app/kernel-1.traceg:27:35: error: immediate: unexpected '0x' (expected a decimal immediate)" \
	'first "^0030 \(.*\) 0 0 $" "0030 \1 0 0x "'
lint columns "app/kernel-1.traceg:27:37: error: columns: unexpected '%' (expected the end of the line, as on other lines)" \
	'first "^0030 \(.*\) 0 0 $" "0030 \1 0 0 %"'
lint line-tail 'app/kernel-1.traceg:27:1: note: line-tail: words after the instruction, which the model does not read' \
	'first "^0030 \(.*\) 0 0 $" "0030 \1 0 0 NoVal"'
lint no-address "app/kernel-1.traceg:29:20: error: no-address: memory opcode 'LDG.E' has no addresses (width 0) (expected one for each lane of mask ffffffff)" \
	'first "LDG.E 1 R2 4 1 0x7f4000000000 4 0" "LDG.E 1 R2 0 0"'
lint mode "app/kernel-1.traceg:29:33: error: mode: unexpected '7' (expected an address mode 0, 1 or 2)" \
	'first "4 1 0x7f4000000000 4" "4 7 0x7f4000000000 4"'
lint address "app/kernel-1.traceg:29:35: error: address: unexpected 'xyz' (expected a hexadecimal base address)" \
	'first "0x7f4000000000 4" "xyz 4"'
lint address-count 'app/kernel-1.traceg:29:56: error: address-count: 3 deltas (expected 31 for mask ffffffff)' \
	'first "4 1 0x7f4000000000 4 0" "4 2 0x7f4000000000 4 4 4"'
lint stride-holes 'app/kernel-1.traceg:29:35: error: stride-holes: address mode 1 with mask fff0ffff (expected consecutive lanes)' \
	'first "ffffffff 1 R4 LDG.E" "fff0ffff 1 R4 LDG.E"'
lint address-null 'app/kernel-1.traceg:29:35: error: address-null: address 0 in an active lane of mask ffffffff' \
	'first "4 1 0x7f4000000000 4" "4 1 0x0 4"'
lint address-range 'app/kernel-1.traceg:29:35: warning: address-range: address 0xffff00000000007c is too large (expected at most 49 bits)' \
	'first "4 1 0x7f4000000000 4" "4 1 0xffff000000000000 4"'
lint address-space 'app/kernel-1.traceg:29:35: warning: address-space: address 0x7f5000000000 of a global access is in the shared window' \
	'first "4 1 0x7f4000000000 4" "4 1 0x7f5000000000 4"'
lint address-window 'app/kernel-1.traceg:29:35: note: address-window: load from 0x7e4000000000 to 0x7e400000007c is outside the windows of the header and the 1 copy before the kernel' \
	'first "4 1 0x7f4000000000 4" "4 1 0x7e4000000000 4"'
lint address-align 'app/kernel-1.traceg:29:35: warning: address-align: addresses from 0x7f4000000002 to 0x7f400000007e are not all multiples of 4' \
	'first "4 1 0x7f4000000000 4" "4 1 0x7f4000000002 4"'
lint shared-beyond "app/kernel-1.traceg:24:33: warning: shared-beyond: access up to byte 0x7f of shared memory (expected within the 64 bytes of '-shmem')" \
	'use shared; first "shmem = 8192" "shmem = 64"'
lint local-beyond 'app/kernel-1.traceg:24:33: warning: local-beyond: access up to byte 0x100003 of local memory (expected within 524288 bytes)' \
	'use spaces; first "STL 2 R1 R4 4 1 0x10" "STL 2 R1 R4 4 1 0x100000"'
lint local-narrow 'app/kernel-1.traceg:24:37: note: local-narrow: local addresses from 0x12 to 0x12 of S8 or S16 are not all multiples of 4' \
	'use spaces; first "STL 2 R1 R4 4 1 0x10" "STL.S16 2 R1 R4 2 1 0x12"'
lint conf-open "none.config:1:1: error: conf-open: cannot be opened: No such file or directory" \
	'ARGS="-c none.config"; WANT=2'
lint conf-option "o.config:1:1: error: conf-option: unknown option '-gpgpu_n_clustres', did you mean '-gpgpu_n_clusters'?" \
	'echo "-gpgpu_n_clustres 4" >o.config; ARGS="-g rtx3070 -c o.config"'
lint conf-idle '-D visualizer_enabled=1:1:1: note: conf-idle: -visualizer_enabled has no effect in trace-sim' \
	'ARGS="-g rtx3070 -D visualizer_enabled=1"'
lint conf-syntax 'o.config:1:24: error: conf-syntax: quote without an end' \
	'echo "-gpgpu_dram_timing_opt \"nbk=16" >o.config; ARGS="-g rtx3070 -c o.config"'
lint conf-value "-D gpgpu_n_clusters=abc:1:1: error: conf-value: -gpgpu_n_clusters: invalid value 'abc' (expected a whole number from 1 to 4096)" \
	'ARGS="-g rtx3070 -D gpgpu_n_clusters=abc"'
lint conf-nest 'o.config:1:9: error: conf-nest: files include each other more than 16 deep' \
	'echo "-config o.config" >o.config; ARGS="-c o.config"'
lint config-cache "o.config:2:18: error: config-cache: -gpgpu_cache:dl1: invalid value 'S:4:128' (expected number of ways after ':' at character 8)" \
	'printf '\''%s\n'\'' "# two" "-gpgpu_cache:dl1 S:4:128" >o.config; ARGS="-g rtx3070 -c o.config"'
lint config-access "o.config:1:18: warning: config-access: -gpgpu_cache:dl1: the miss queue is too small for some misses" \
	'echo "-gpgpu_cache:dl1 S:4:128:64,L:T:m:N:L,A:64:8,1:0,32" >o.config; ARGS="-g rtx3070 -c o.config -D gpgpu_gmem_skip_l1d=1"'
lint config-partitions "o.config:2:34: error: config-partitions: -gpgpu_memory_partition_indexing: value '1' needs a power of two of channels, not 7" \
	'printf "%s\n" "-gpgpu_n_mem 7" "-gpgpu_memory_partition_indexing 1" >o.config; ARGS="-g rtx3070 -c o.config"'
lint conf-machine "o.config:1:24: error: conf-machine: -gpgpu_dram_timing_opt: invalid value 'nbk=15:CCD=2' (expected a value for RRD, which has no default)" \
	'echo "-gpgpu_dram_timing_opt nbk=15:CCD=2" >o.config; ARGS="-g rtx3070 -c o.config"'
# the network description of -network_mode 1
net='for f in "$here"/../../examples/gpus/*.icnt; do :; done; sed "s/^k = .*/k = 64;/" "$f" >n.icnt; ARGS="-g rtx3070 -D network_mode=1 -D inter_config_file=n.icnt"'
lint icnt-file '-D inter_config_file=n.icnt:1:1: error: icnt-file: the network description of -network_mode 1: n.icnt: cannot be opened: No such file or directory' \
	"$net"'; rm n.icnt'
lint icnt-syntax "n.icnt:1:3: error: icnt-syntax: unexpected '4' after 'k' (expected '=')" "$net"'; echo "k 4;" >n.icnt'
lint icnt-name "n.icnt:1:1: error: icnt-name: unknown name 'toplogy', did you mean 'topology'?" \
	"$net"'; echo "toplogy = fly;" >n.icnt'
lint icnt-value "n.icnt:1:38: error: icnt-value: invalid 'topology = ring' (expected mesh, torus, cmesh, fly, fattree, tree4, qtree, flatfly, dragonflynew, anynet)" \
	"$net"'; echo "subnets=2;sim_type=gpgpusim;topology=ring;" >n.icnt'
lint icnt-lacks "n.icnt:1:1: error: icnt-lacks: no entry 'subnets', whose default is 1 (expected at least 2 subnets, the second for replies)" \
	"$net"'; echo "k = 99;" >n.icnt'
lint icnt-nodes 'n.icnt:1:5: error: icnt-nodes: the network has 7 nodes, but 46 clusters and 32 memory sub partitions need 78' \
	"$net"'; { echo "k = 7;"; grep -v "^k " n.icnt; } >m; mv m n.icnt'
any="$net"'; echo "topology = anynet; network_file = l.anynet; routing_function = min;" >>n.icnt; links() { printf "%s\n" "$@" >l.anynet; }'
lint anynet-word "l.anynet:1:1: error: anynet-word: unexpected 'switch' (expected router or node)" "$any"'; links "switch 0"'
lint anynet-number "l.anynet:1:8: error: anynet-number: unexpected 'x' (expected the number of a router, 0 to 8191)" "$any"'; links "router x"'
lint anynet-node 'l.anynet:1:8: error: anynet-node: node 0 is linked to node 1 (expected a router)' "$any"'; links "node 0 node 1"'
lint anynet-links 'l.anynet:129:12: error: anynet-links: more than 16382 links' \
	"$any"'; awk "BEGIN { for (r = 0; r < 200; r++) { printf \"router %d\", r; for (i = 1; i < 65; i++) printf \" router %d\", (r + 300 + i * 7) % 8000; print \"\" } }" >l.anynet'
lint anynet-cycles 'l.anynet:1:17: error: anynet-cycles: cycles from router 0 to router 1 apply to no link in both directions (BookSim reads a number after a node so)' \
	"$any"'; links "router 0 node 1 5 router 2" "router 1 node 0 router 2"'
lint anynet-empty "l.anynet:1:1: error: anynet-empty: no nodes (expected lines such as 'router 0 node 0 router 1')" "$any"'; links ""'
lint anynet-gap 'l.anynet:1:1: error: anynet-gap: node 1 is missing (expected nodes 0 to 2)' "$any"'; links "router 0 node 0 node 2"'
lint anynet-alone 'l.anynet:1:1: error: anynet-alone: router 1 cannot be reached from router 0' \
	"$any"'; links "router 0 node 0" "router 1 node 1"'
lint config-threads 'app/kernel-1.traceg:1:1: error: config-threads: thread block of 256 threads (expected at most 128, the limit of an SM, -gpgpu_shader_core_pipeline)' \
	'ARGS="-g rtx3070 -D gpgpu_shader_core_pipeline=128:32"'
lint config-registers 'app/kernel-1.traceg:1:1: error: config-registers: thread block of 262144 registers (expected at most 65536, the limit of an SM, -gpgpu_shader_registers)' \
	'ARGS="-g rtx3070"; first "nregs = 16" "nregs = 255"; first "(256,1,1)" "(1024,1,1)"'
lint config-shmem 'app/kernel-1.traceg:1:1: error: config-shmem: thread block of 200000 bytes of shared memory (expected at most 102400, the limit of an SM, -gpgpu_shmem_size)' \
	'ARGS="-g rtx3070"; first "shmem = 0" "shmem = 200000"'
lint unit-missing "app/kernel-1.traceg:24:20: error: unit-missing: opcode 'ULDC' of class SPEC4 at pc 0x0 needs a specialized unit (-specialized_unit_4)" \
	'first "MOV" "ULDC"; first "IMAD.ULDC.U32" "ULDC"; ARGS="-g rtx3070 -D specialized_unit_4=0,4,4,4,4,UDP"'
lint werror "app/kernel-1.traceg:25:21: error: register-nregs: register R77 (expected a number below 16, '-nregs')" \
	'ARGS="-Werror"; first "1 R6 S2R" "1 R77 S2R"'
lint for-accel-sim 'app/kernel-1.traceg:1:1: error: header-original: binary version 90 is unknown to the original simulator' \
	'ARGS="--for accel-sim"; first "binary version = 80" "binary version = 90"'
lint for-accel-sim-level 'app/kernel-1.traceg:1:1: note: header-original: binary version 90 is unknown to the original simulator' \
	'ARGS="-W header-original=note --for accel-sim"; first "binary version = 80" "binary version = 90"'
lint cubin 'c:1:1: error: cubin: no cubin (expected a cubin, a fat binary or a program with one)' \
	'cubin; : >c; WANT=2'
lint cubin-missing 'c:1:1: error: cubin: cannot be opened: No such file or directory' \
	'cubin; rm c; WANT=2'
lint cubin-function 'app/kernel-1.traceg:1:1: warning: cubin-function: no function vecadd for sm_80 in the files of --cubin' \
	'cubin; first "binary version = 80" "binary version = 86" && cubin && first "binary version = 86" "binary version = 80"'
lint cubin-pc 'app/kernel-1.traceg:32:1: warning: cubin-pc: PC 0080 is beyond the instructions of the function' \
	'cubin -n 0x80'
lint cubin-opcode "app/kernel-1.traceg:29:20: warning: cubin-opcode: opcode 'LDG.E', but the function has the opcode of 'IMAD.MOV.U32'" \
	'cubin -x 0x50'
lint cubin-share 'app/kernel-1.traceg:1:1: warning: cubin-share: only 9 of 10 instructions of the first thread block match the function' \
	'cubin -x 0x50'
lint cubin-packed 's.tpack/kernel-1.traceg:1:1: warning: cubin-share: only 8 of 10 instructions of the first thread block match the function' \
	'cubin -n 0x80; "$BUILD/trace-pack" --cubin c app >s.tpack; ARGS=; TRACE=s.tpack'

# ---- the power model
power() { sh "$here/../tools/power-xml" "$@" >p.xml; ARGS="-g qv100 -D power_simulation_enabled=1 -D accelwattch_xml_file=p.xml"; }
lint power-xml "p.xml:5:1: error: power-xml: invalid value 'much' of idle_core_power (expected a number)" \
	'power idle_core_power=much'
lint power-hardware 'p.xml:40:1: error: power-hardware: system core_tech_node is 22 (expected 23, to which the energies belong; --power-energies replaces the hardware part)' \
	'power; sed -i "/core_tech_node/s/23/22/" p.xml'
lint power-element "p.xml:26:1: note: power-element: unknown parameter 'TOTINST' has no effect" \
	'power TOTINST=4'
lint power-factor 'p.xml:10:1: warning: power-factor: REG_RD is -1 (expected 0 to 1000)' \
	'power REG_RD=-1'
lint power-table "t.csv:1:1: error: power-table: no row of benchmark 'x' (-hw_perf_bench_name)" \
	'power; echo b,k,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1 >t.csv; ARGS="$ARGS -D power_simulation_mode=1 -D hw_perf_file_name=t.csv -D hw_perf_bench_name=x"'
lint power-sample 'app/kernel-1.traceg:1:1: note: power-sample: a power sample of 1000000 cycles is longer than the kernel of roughly 5220 (-gpgpu_runtime_stat)' \
	'power; ARGS="$ARGS -D gpgpu_runtime_stat=1000000"'
