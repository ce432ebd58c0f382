"""Measures launches with waits through dpctl, on an in-order and an out-of-order queue.

Prints "launch LEAST MEDIAN" in microseconds for each queue.

usage: dpctl_launch.py KERNELS.spv DEVICE
scripts/bench runs it with the Python environment that has dpctl.
"""
import sys
import time

import dpctl
import dpctl.memory
import dpctl.program

LAUNCHES, ITEMS = 3000, 64


def main():
    path, device = sys.argv[1:]
    with open(path, "rb") as file:
        spirv = file.read()
    for properties in ({"property": "in_order"}, {}):
        queue = dpctl.SyclQueue(device, **properties)
        kernel = dpctl.program.create_program_from_spirv(queue, spirv, "").get_sycl_kernel("sin_pow")
        x, y = (dpctl.memory.MemoryUSMDevice(4 * ITEMS, queue=queue) for _ in range(2))
        times = []
        for _ in range(LAUNCHES):
            start = time.perf_counter_ns()
            queue.submit(kernel, [x, y], [ITEMS]).wait()
            times.append(time.perf_counter_ns() - start)
        times.sort()
        print("launch", times[0] / 1e3, times[LAUNCHES // 2] / 1e3)


main()
