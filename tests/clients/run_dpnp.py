#!/usr/bin/env python3
"""dpnp's own test suite on the driver of a build: some ninety thousand tests that compare kernels' results with numpy's.

usage: run_dpnp.py VENV BUILD [--v2] [--all] [--workers N] [--log FILE]

--all      runs all files. The default is a few files that use many kinds of kernels: about three
           minutes
--workers  number of processes, 2 by default. Each may need 2.5 GiB of memory

The exit status is 1 if a test fails, or if fewer tests passed than LEAST_PASSED. Tests of Fourier
transforms need clang in PATH, because oneMKL has OpenCL C compiled for them.
"""
import argparse
import collections
import sys

from client import tests_run

SHORT = ("test_binary_ufuncs.py", "test_indexing.py", "test_linalg.py", "test_logic.py", "test_random.py", "test_sort.py",
         "test_sum.py", "tensor/test_tensor_accumulation.py", "tensor/test_usm_ndarray_reductions.py",
         "tensor/test_usm_ndarray_top_k.py")
LEAST_PASSED = {False: 15000, True: 85000}
SECONDS = 5400


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("venv")
    parser.add_argument("build")
    parser.add_argument("--v2", action="store_true")
    parser.add_argument("--all", action="store_true")
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--log")
    args = parser.parse_args()
    found = tests_run(args.venv, args.build, args.v2, "dpnp", [] if args.all else SHORT, args.log, SECONDS,
                      args.workers)
    failed = {name: why for name, (state, why) in found.items() if state == "failed"}
    wrong = [f"failed: {name}: {why}" for name, why in failed.items()]
    count = collections.Counter(state for state, _ in found.values())
    if count["passed"] < LEAST_PASSED[args.all]:
        wrong.append(f"only {count['passed']} tests passed, {LEAST_PASSED[args.all]} are the least")
    for line in wrong[:40]:
        print(line)
    print(f"dpnp, Level Zero adapter v{2 if args.v2 else 1}: {count['passed']} passed, {count['failed']} failed, "
          f"{count['skipped']} skipped, {len(wrong)} findings")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
