#!/usr/bin/env python3
"""Intel's MPI with buffers in memory of Level Zero, on the driver of a build.

usage: run_mpi.py VENV BUILD [--short]

Builds mpi_exchange.c against the library of the package and runs it with two, three and four ranks: every byte of every pair of kinds
of memory and of sizes up to 16 MiB has to arrive. Then Intel's own benchmark, IMB-MPI1-GPU, which only has to end well. --short: two
ranks, sizes up to 64 KiB, no benchmark. Exit status 1 when a check was wrong, or when there were fewer of them than there should be.
"""
import argparse
import os
import re
import subprocess
import sys

from client import environment

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = 4  # device, host, shared, malloc
CHECKS = 3  # of each exchange: what was sent, what it was sent from, what was broadcast
SHORT, LARGEST = 64 << 10, 16 << 20
SECONDS = 1200


def mpi_environment(venv, build):
    return {**environment(venv, build), "I_MPI_ROOT": os.path.abspath(venv), "I_MPI_OFFLOAD": "1", "I_MPI_FABRICS": "shm",
            "I_MPI_PIN": "0", "I_MPI_HYDRA_BOOTSTRAP": "fork",
            # more ranks than cores: whoever waits lets others run
            "I_MPI_THREAD_YIELD": "3",
            # looks for tiles that the device has not, and ends in a fault where four ranks have more than 1,000 elements
            "I_MPI_OFFLOAD_ALLREDUCE_KERNEL_MDFI_AWARE": "0"}


def checks_expected(ranks, largest):
    sizes = {power + step for power in (1 << bit for bit in range(64)) if power <= largest for step in (-1, 0, 1)}
    sums = sum(4 * 10 ** digits <= largest for digits in range(12))
    return ranks * (KINDS * KINDS * CHECKS * sum(0 < size <= largest for size in sizes) + KINDS * sums)


def run(venv, build, ranks, program, *arguments, first=None):
    """The output of the program under mpiexec, and whether it ended well. `first`: a folder of libraries before all others."""
    environ = mpi_environment(venv, build)
    if first:
        environ["LD_LIBRARY_PATH"] = first + ":" + environ["LD_LIBRARY_PATH"]
    command = [os.path.join(venv, "bin", "mpiexec.hydra"), "-n", str(ranks), program, *arguments]
    try:
        done = subprocess.run(command, env=environ, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired as end:
        return (end.stdout or b"").decode(errors="replace") + f"\nnot through after {SECONDS} s", False
    return done.stdout, done.returncode == 0


def exchange_build(venv, build):
    program = os.path.join(build, "clients", "mpi_exchange")
    os.makedirs(os.path.dirname(program), exist_ok=True)
    subprocess.run([os.environ.get("CC", "cc"), "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-I" + os.path.join(HERE, "../../include"),
                    os.path.join(HERE, "mpi_exchange.c"), "-o", program, "-L" + os.path.join(build, "lib"), "-lze_loader",
                    os.path.join(venv, "lib", "libmpi.so.12")], check=True)
    return program


def exchange(venv, build, program, ranks, largest):
    text, well = run(venv, build, ranks, program, str(largest))
    found = re.search(r"^(\d+) ranks, (\d+) checks, (\d+) wrong$", text, re.MULTILINE)
    expected = checks_expected(ranks, largest)
    good = well and found is not None and found.groups() == (str(ranks), str(expected), "0")
    print(found.group(0) if found else f"{ranks} ranks: no result")
    if not good:
        print("\n".join(text.splitlines()[-20:]), f"\nexpected: {expected} checks, 0 wrong")
    return good


def benchmark(venv, build, ranks):
    """IMB takes CUDA's runtime where it finds one, also without a device: it finds a file that is none."""
    folder = os.path.join(build, "clients", "no-cuda")
    os.makedirs(folder, exist_ok=True)
    with open(os.path.join(folder, "libcudart.so"), "w", encoding="ascii") as file:
        file.write("none\n")
    text, well = run(venv, build, ranks, os.path.join(venv, "bin", "IMB-MPI1-GPU"), "-msglog", "16", "-time", "1", "PingPong", "Sendrecv",
                     "Allreduce", "Bcast", "Alltoall", first=folder)
    good = well and "All processes entering MPI_Finalize" in text and "Benchmarking Alltoall" in text and "ERROR" not in text
    print(f"IMB-MPI1-GPU, {ranks} ranks: {'ended well' if good else 'FAILED'}")
    if not good:
        print("\n".join(text.splitlines()[-20:]))
    return good


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("venv")
    parser.add_argument("build")
    parser.add_argument("--short", action="store_true")
    args = parser.parse_args()
    venv, build = os.path.abspath(args.venv), os.path.abspath(args.build)
    program = exchange_build(venv, build)
    if args.short:
        return 0 if exchange(venv, build, program, 2, SHORT) else 1
    results = [exchange(venv, build, program, ranks, LARGEST) for ranks in (2, 3, 4)]
    results += [benchmark(venv, build, ranks) for ranks in (2, 4)]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
