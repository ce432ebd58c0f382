#!/usr/bin/env python3
"""Prints a function of COUNT products and their sums, in one block: the case of chains_squared.md and blocks_counted.md.

usage: chain.py COUNT [TERMS]     TERMS: of each sum (all)
"""
import sys

VARIABLES = 16


def main():
    vector, place = "<16 x i32>", "getelementptr i8, ptr %p, i64"
    print(f"define void @f(ptr %p) {{\n  %s = load {vector}, ptr %p")
    for i in range(VARIABLES):
        print(f"  %p{i} = {place} {64 * (i + 1)}\n  %v{i} = load {vector}, ptr %p{i}")
    values, total = [f"%v{i}" for i in range(VARIABLES)], "%s"
    count = int(sys.argv[1])
    terms = int(sys.argv[2]) if len(sys.argv) > 2 else count
    for i in range(count):
        print(f"  %m{i} = mul {vector} {values[i % VARIABLES]}, %s\n  %s{i} = add {vector} {total}, %m{i}")
        values[i % VARIABLES], total = f"%m{i}", f"%s{i}"
        if (i + 1) % terms == 0 and i + 1 < count:
            print(f"  %q{i} = {place} {64 * i}\n  store {vector} {total}, ptr %q{i}")
            total = "%s"
    print(f"  store {vector} {total}, ptr %p\n  ret void\n}}")


if __name__ == "__main__":
    main()
