#!/usr/bin/env python3
"""Finds SPIR-V modules inside of any files: libraries of SYCL programs carry their kernels that way.

usage: extract_spirv.py OUT_FOLDER FILE_OR_FOLDER...

A module starts with the magic number in little endian and is walked instruction by instruction
to its last OpFunctionEnd. Equal modules are written once, as OUT_FOLDER/<first 16 digits of SHA-256>.spv. Prints how many.
"""
import hashlib
import mmap
import os
import struct
import sys

MAGIC = struct.pack("<I", 0x07230203)
HEADER_BYTES = 20
OP_FUNCTION_END = 56
MAX_BOUND = 1 << 22
# Opcodes that may start an instruction: the core's below 500, vendors' and Khronos' extensions from 4160 on.
LAST_CORE_OPCODE, FIRST_EXTENSION_OPCODE, LAST_OPCODE = 410, 4160, 6600


def module_end(data, start):
    """Offset behind the module's last OpFunctionEnd, or None when this is not a module."""
    if start + HEADER_BYTES > len(data):
        return None
    version, _, bound, schema = struct.unpack_from("<4I", data, start + 4)
    if version & 0xFF0000FF or not 0x10000 <= version <= 0x10600 or not 0 < bound <= MAX_BOUND or schema:
        return None
    at, end = start + HEADER_BYTES, None
    while at + 4 <= len(data):
        word = struct.unpack_from("<I", data, at)[0]
        opcode, count = word & 0xFFFF, word >> 16
        known = opcode <= LAST_CORE_OPCODE or FIRST_EXTENSION_OPCODE <= opcode <= LAST_OPCODE
        if count == 0 or not known or at + 4 * count > len(data):
            break
        at += 4 * count
        if opcode == OP_FUNCTION_END:
            end = at
    return end


def modules(path):
    """The bytes of every module in a file."""
    if os.path.getsize(path) < HEADER_BYTES:
        return
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        at = data.find(MAGIC)
        while at >= 0:
            end = module_end(data, at)
            if end is not None:
                yield data[at:end]
            at = data.find(MAGIC, end if end is not None else at + 4)


def files(paths):
    for path in paths:
        if os.path.isdir(path):
            for folder, _, names in os.walk(path):
                yield from (os.path.join(folder, name) for name in sorted(names))
        else:
            yield path


def main():
    out, *paths = sys.argv[1:]
    os.makedirs(out, exist_ok=True)
    found, seen = 0, set()
    for path in files(paths):
        if not os.path.isfile(path) or os.path.islink(path):
            continue
        for module in modules(path):
            found += 1
            name = hashlib.sha256(module).hexdigest()[:16]
            if name not in seen:
                seen.add(name)
                with open(os.path.join(out, name + ".spv"), "wb") as file:
                    file.write(module)
    print(f"{found} modules, {len(seen)} different")


if __name__ == "__main__":
    main()
