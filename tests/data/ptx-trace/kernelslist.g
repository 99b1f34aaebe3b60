MemcpyHtoD,0xc0000000,16384
kernel-1.traceg
MemcpyDtoH,0xc0000000,16384
kernel-1.traceg
