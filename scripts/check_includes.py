#!/usr/bin/env python3
"""Checks every #include of src/, tools/ and tests/api/ against the layout's rules of who may see whom.

The table RULES is the rule: for a folder (the longest matching prefix counts) it lists the headers of ours that its
files may include, as path prefixes below src/, and the foreign headers that are closed to everybody else.
No two folders of src/ may include each other, directly or around a circle: that is found in what the files really include.
Usage: check_includes.py [ROOT]; exit status 1 and one line per violation.
"""
import os
import re
import sys

PUBLIC = "level_zero/"  # the public headers
# The compiler's rooms, from the model upwards: each sees those that it is made of.
COMPILER_IR = ["base/", "native/", "compiler/ir/", PUBLIC]
COMPILER_ANALYSIS = COMPILER_IR + ["compiler/analysis/"]
# The rooms of lowering, each above those before it; module.c and lower.h stand over all of them.
LOWER = COMPILER_ANALYSIS + ["compiler/link/symbol.h", "compiler/builtins/opencl.def", "compiler/lower/lower.h", "compiler/lower/arch.h"]
LOWER_ROOMS = ["state", "emit", "arch", "arith", "global", "value", "instruction", "memory", "frame", "group", "ext", "instance",
               "call", "control", "function"]
# The driver's rooms, each above those before it.
DRIVER_CORE = ["base/", "ddi/", "backend/backend.h", "backend/command.h", "backend/fault.h", "rtas/format.h", "driver/core/", PUBLIC]
DRIVER_MEM = DRIVER_CORE + ["driver/mem/"]
DRIVER_IMAGE = DRIVER_MEM + ["backend/image.h", "driver/image/"]
DRIVER_COMPILE = DRIVER_CORE + ["cache/cache.h", "compiler/compiler.h", "machine/identity.h", "native/native.h", "native/specialize.h", "driver/compile/"]
DRIVER_PROGRAM = DRIVER_IMAGE + ["cache/cache.h", "compiler/compiler.h", "native/native.h", "native/abi.h", "driver/compile/", "driver/program/"]
DRIVER_CMD = DRIVER_PROGRAM + ["driver/cmd/"]

# folder, or file: what of ours it may include. "x/*" means files directly in x, "x/" everything below it, else one file.
RULES = {
    "src/base": ["base/", PUBLIC],
    "src/ddi": ["base/", "ddi/", PUBLIC],
    "src/native": ["base/", "native/", PUBLIC],
    # What this library runs on. Rows of constants and inline functions, for whoever has to know.
    "src/machine": ["native/native.h", "machine/", PUBLIC],
    "src/cache": ["base/", "cache/"],
    # Arrays in, bytes out: it knows nothing of the driver, nor of anything else of ours.
    "src/rtas": ["rtas/", PUBLIC],
    "src/loader": ["base/", "ddi/", "loader/", "machine/machine.h", PUBLIC],
    "src/layers": ["base/", "ddi/", "layers/", PUBLIC],
    "src/driver/core": DRIVER_CORE,
    "src/driver/mem": DRIVER_MEM,
    "src/driver/image": DRIVER_IMAGE,
    "src/driver/compile": DRIVER_COMPILE,
    "src/driver/program": DRIVER_PROGRAM,
    "src/driver/cmd": DRIVER_CMD,
    "src/driver/rtas": DRIVER_CORE + ["rtas/", "driver/rtas/"],
    "src/driver/api": DRIVER_CMD + ["rtas/", "driver/rtas/", "driver/sysman/", "driver/tools/", "driver/api/"],
    "src/driver/sysman": DRIVER_CORE + ["backend/sysman.h", "driver/sysman/"],
    "src/driver/tools": DRIVER_CMD + ["backend/metric.h", "backend/debug.h", "driver/tools/"],
    "src/backend": ["base/", "backend/*", PUBLIC],
    "src/backend/backends.c": ["backend/backend.h", "backend/null/null.h", "backend/cpu/cpu.h", "backend/cuda/cuda.h", "backend/simulated/simulated.h"],
    "src/backend/backends_null.c": ["backend/backend.h", "backend/null/null.h"],
    # The host runtime: it runs records by the kernels' contract. Above it what backends on the host's cores share.
    "src/exec": ["base/", "backend/command.h", "backend/fault.h", "exec/", "machine/machine.h", "native/abi.h", PUBLIC],
    "src/backend/host": ["base/", "backend/*", "exec/", "backend/host/", PUBLIC],
    "src/backend/null": ["base/", "backend/*", "exec/", "backend/host/", "backend/null/", "machine/machine.h", "native/native.h", PUBLIC],
    "src/backend/cpu": ["base/", "backend/*", "exec/", "backend/host/", "backend/cpu/", "machine/", "native/abi.h",
                        "native/native.h", "native/surface.h", PUBLIC],
    # What the system shows of the machine, in files; nothing of how code runs.
    "src/backend/cpu/sysman": ["base/", "backend/*", "backend/host/census.h", "backend/host/device.h", "backend/host/node.h",
                               "backend/host/watchdog.h", "backend/cpu/sysman/", "machine/arm64_name.h", "machine/machine.h", PUBLIC],
    # What a file describes; words of its format are the API's enumerators.
    "src/backend/simulated": ["base/", "ddi/geo_ddi.h", "backend/backend.h", "backend/command.h", "backend/fault.h", "backend/sysman.h",
                              "backend/simulated/", PUBLIC],
    # NVIDIA's prototypes are in the first of these, which the two others see.
    "src/backend/cuda/nvml": ["base/", "backend/*", "backend/cuda/nvml/", PUBLIC],
    "src/backend/cuda/sysman": ["base/", "backend/*", "backend/cuda/nvml/", "backend/cuda/sysman/", PUBLIC],
    "src/backend/cuda": ["base/", "backend/*", "backend/cuda/", PUBLIC],
    "src/compiler": ["base/", "compiler/*", PUBLIC],
    "src/compiler/ir": COMPILER_IR,
    "src/compiler/fold": COMPILER_IR + ["compiler/fold/"],
    "src/compiler/analysis": COMPILER_ANALYSIS,
    "src/compiler/validate": COMPILER_ANALYSIS + ["compiler/validate/"],
    "src/compiler/spirv": COMPILER_IR + ["compiler/fold/", "compiler/validate/rules.h", "compiler/spirv/"],
    "src/compiler/link": COMPILER_IR + ["compiler/link/"],
    # Library functions are read, linked into the program, and what calls them follows the rules.
    "src/compiler/builtins": COMPILER_IR + ["compiler/spirv/reader.h", "compiler/link/copy.h", "compiler/validate/rules.h",
                                            "compiler/builtins/"],
    "src/compiler/transform": COMPILER_ANALYSIS + ["compiler/fold/", "compiler/validate/validate.h",
                                                   "compiler/builtins/builtins.h", "compiler/transform/"],
    "src/compiler/lower": LOWER + ["compiler/lower/"],
    "src/compiler/codegen": LOWER + ["compiler/link/", "compiler/codegen/", "machine/identity.h", "machine/machine.h"],
    "src/compiler/facade": LOWER + ["compiler/*", "compiler/validate/", "compiler/spirv/", "compiler/link/",
                                             "compiler/transform/", "compiler/codegen/", "compiler/facade/", "machine/machine.h"],
    "src/compiler/process": ["base/", "compiler/*", "compiler/ir/budget.h", "compiler/facade/", "compiler/process/", PUBLIC],
    "tools": [PUBLIC, "tools/"],
    "examples": [PUBLIC, "examples/"],
    "tests/api": [PUBLIC, "tests/"],
}
for place, room in enumerate(LOWER_ROOMS):
    RULES[f"src/compiler/lower/{room}"] = LOWER + [f"compiler/lower/{below}/" for below in LOWER_ROOMS[:place + 1]]

# Files that stand above the folders that they lie beside: the lists of backends, lowering's top.
ABOVE = ["src/backend/backends.c", "src/backend/backends_null.c", "src/compiler/lower/module.c"]

# Foreign headers that only some folders may see; every other foreign header is open to all.
FOREIGN = [
    (re.compile(r"^llvm(-c)?/"), ["src/compiler/lower", "src/compiler/codegen", "src/compiler/facade"]),
    (re.compile(r"^(cuda|nvml|cupti|nvPTXCompiler|nvJitLink)[\w]*\.h$"), ["src/backend/cuda"]),
    (re.compile(r"^hwloc"), []),
    (re.compile(r"^CL/"), []),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def rule_of(path):
    """The longest prefix of `path` that has a rule, or None."""
    while path:
        if path in RULES:
            return path
        path = os.path.dirname(path)
    return None


def is_allowed(target, allowed):
    for pattern in allowed:
        if pattern.endswith("/*"):
            if os.path.dirname(target) == pattern[:-2]:
                return True
        elif pattern.endswith("/"):
            if target.startswith(pattern):
                return True
        elif target == pattern:
            return True
    return False


def resolve(root, folder, name, quoted):
    """Path of an included file of ours relative to src/ (tests, tools, examples: to the root); None when it is foreign."""
    if name.startswith(PUBLIC) or os.path.exists(os.path.join(root, "include", name)):
        return name if name.startswith(PUBLIC) else PUBLIC + name
    beside = os.path.normpath(os.path.join(folder, name))
    if quoted and os.path.exists(os.path.join(root, beside)):
        return beside[len("src/"):] if beside.startswith("src/") else beside
    for base in ("src", ""):
        if os.path.exists(os.path.join(root, base, name)):
            return name
    # A generated header is named after the folder that generates it: gen/ddi/..., gen/compiler/...
    if quoted and "/" in name and os.path.isdir(os.path.join(root, "src", name.split("/")[0])):
        return name
    return None


def check_file(root, path, edges):
    """The violations of one file; edges gets the pairs of folders that its includes tie, with a place each."""
    folder = os.path.dirname(path)
    rule = rule_of(path)
    problems = []
    with open(os.path.join(root, path), encoding="utf-8") as source:
        for number, line in enumerate(source, 1):
            found = INCLUDE.match(line)
            if not found:
                continue
            name = found.group(2)
            target = resolve(root, folder, name, found.group(1) == '"')
            if target is None:
                for pattern, folders in FOREIGN:
                    if pattern.match(name) and not any((folder + "/").startswith(f + "/") for f in folders):
                        problems.append(f"{path}:{number}: <{name}> may not be included here")
            else:
                if not is_allowed(target, RULES[rule]):
                    problems.append(f"{path}:{number}: {rule} may not include {target}")
                below = os.path.join("src", os.path.dirname(target))
                if folder.startswith("src/") and path not in ABOVE and below != folder and os.path.isdir(os.path.join(root, below)):
                    edges.setdefault((folder, below), f"{path}:{number}")
    return problems


def folder_circles(edges):
    """One line per pair of folders that reach each other."""
    reach = {}
    for start in {folder for pair in edges for folder in pair}:
        seen, work = set(), [start]
        while work:
            at = work.pop()
            for user, below in edges:
                if user == at and below not in seen:
                    seen.add(below)
                    work.append(below)
        reach[start] = seen
    return [f"{place}: {user} includes {below}, which comes back to it: a circle of folders" for (user, below), place in sorted(edges.items())
            if user in reach[below]]


def main():
    root = sys.argv[1] if len(sys.argv) > 1 else os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    count, problems, edges = 0, [], {}
    for top in ("src", "tools", "examples", "tests/api"):
        for folder, _, names in os.walk(os.path.join(root, top)):
            relative = os.path.relpath(folder, root)
            for name in sorted(names):
                if not name.endswith((".c", ".h", ".cpp")):
                    continue
                if rule_of(relative) is None:
                    problems.append(f"{relative}/{name}: no rule for this folder in check_includes.py")
                    continue
                problems += check_file(root, os.path.join(relative, name), edges)
                count += 1
    problems += folder_circles(edges)
    for problem in problems:
        print(problem)
    print(f"includes: {count} files, {len(problems)} violations")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
