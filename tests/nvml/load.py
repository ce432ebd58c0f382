#!/usr/bin/env python3
"""Keeps every NVIDIA GPU busy for some seconds: load.py SECONDS. Needs libcuda.so.1 alone, whose compiler makes the kernel of PTX."""

import ctypes
import sys
import time

PTX = b"""
.version 6.0
.target sm_50
.address_size 64
.visible .entry spin(.param .u64 ticks)
{
    .reg .u64 %rd<5>;
    .reg .pred %p1;
    ld.param.u64 %rd1, [ticks];
    mov.u64 %rd2, %clock64;
again:
    mov.u64 %rd3, %clock64;
    sub.u64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p1, %rd4, %rd1;
    @%p1 bra again;
    ret;
}
\0"""


def main():
    cuda = ctypes.CDLL("libcuda.so.1")
    count = ctypes.c_int()
    kernels = []

    def call(name, *arguments):
        result = getattr(cuda, name)(*arguments)
        if result:
            sys.exit(f"{name}: {result}")

    call("cuInit", 0)
    call("cuDeviceGetCount", ctypes.byref(count))
    for index in range(count.value):
        device, context = ctypes.c_int(), ctypes.c_void_p()
        module, kernel = ctypes.c_void_p(), ctypes.c_void_p()
        call("cuDeviceGet", ctypes.byref(device), index)
        call("cuCtxCreate_v2", ctypes.byref(context), 0, device)
        call("cuModuleLoadData", ctypes.byref(module), PTX)
        call("cuModuleGetFunction", ctypes.byref(kernel), module, b"spin")
        kernels.append((context, kernel))
    ticks = ctypes.c_uint64(200_000_000)
    parameters = (ctypes.c_void_p * 1)(ctypes.cast(ctypes.byref(ticks), ctypes.c_void_p))
    end = time.monotonic() + float(sys.argv[1])
    while time.monotonic() < end:
        for context, kernel in kernels:
            call("cuCtxSetCurrent", context)
            for _ in range(4):
                call("cuLaunchKernel", kernel, 264, 1, 1, 256, 1, 1, 0, None, parameters, None)
        for context, _ in kernels:
            call("cuCtxSetCurrent", context)
            call("cuCtxSynchronize")


if __name__ == "__main__":
    main()
