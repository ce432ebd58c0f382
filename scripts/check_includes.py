#!/usr/bin/env python3
"""Checks every #include of src/, tools/, examples/ and tests/api/ against the rules of the layout.

The table RULES lists for each folder which of our headers its files may include, as path prefixes
below src/. The longest prefix of a file's path that has a row counts. FOREIGN lists the headers of
other projects that only some folders may include.
The folders of src/ must not include each other in a circle, whatever RULES allows.
Usage: check_includes.py [ROOT]
Prints a line per violation; then the exit status is 1.
"""
import os
import re
import sys

PUBLIC = "level_zero/"  # the public headers
# Headers that several rooms of the compiler may include. The lowest room is the model (ir).
COMPILER_IR = ["base/", "native/kernel.h", "native/native.h", "native/specialize.h", "compiler/ir/", PUBLIC]
COMPILER_ANALYSIS = COMPILER_IR + ["compiler/analysis/"]
# LOWER: what all rooms of lowering may include. LOWER_ROOMS: the rooms that know what a kernel means; each may also include
# those before it, and module.c may include all. They reach the machine by the table of lower/machine.h alone: neither the
# rooms of a machine nor the CPU's calling contract (native/abi.h) are open to them.
LOWER = ["base/", "native/native.h", "compiler/ir/", "compiler/analysis/", "compiler/link/symbol.h",
         "compiler/lower/lower.h", "compiler/lower/arch.h", "compiler/lower/machine.h", PUBLIC]
LOWER_ROOMS = ["state", "emit", "arch", "arith", "global", "value", "instruction", "memory", "ext", "dispatch", "debug"]
# The rooms of the CPU as a machine, above all of LOWER_ROOMS. Each may include those before it; the files beside them
# stand above.
LOWER_CPU = LOWER + [f"compiler/lower/{room}/" for room in LOWER_ROOMS] + ["native/abi.h"]
LOWER_CPU_ROOMS = ["frame", "group", "instance", "call", "control", "function"]
# The rooms of transforms, each above those before it. canonicalize.c stands over all of them; transform.h declares the passes.
TRANSFORM = COMPILER_ANALYSIS + ["compiler/fold/", "compiler/validate/validate.h", "compiler/builtins/builtins.h",
                                 "compiler/transform/transform.h"]
TRANSFORM_ROOMS = ["pass", "simplify", "memory", "loops", "calls", "expand"]
# The rooms of the host runtime, which runs records by the calling contract of kernels. Each may include those before it.
EXEC = ["base/", "backend/command.h", "backend/command.def", "backend/fault.h", "machine/machine.h", "native/abi.h", PUBLIC]
EXEC_ROOMS = ["thread", "wait", "crew", "job", "record", "stream"]
# The driver's rooms. Each may include those before it.
DRIVER_CORE = ["base/", "ddi/", "backend/backend.h", "backend/command.h", "backend/command.def", "backend/fault.h", "rtas/format.h", "driver/core/", PUBLIC]
DRIVER_MEM = DRIVER_CORE + ["driver/mem/"]
DRIVER_IMAGE = DRIVER_MEM + ["backend/image.h", "driver/image/"]
DRIVER_COMPILE = DRIVER_CORE + ["cache/cache.h", "compiler/compiler.h", "machine/identity.h", "native/native.h", "native/select.h",
                                "native/specialize.h", "driver/compile/"]
DRIVER_PROGRAM = DRIVER_IMAGE + ["cache/cache.h", "compiler/compiler.h", "native/native.h", "driver/compile/", "driver/program/"]
DRIVER_EVENT = DRIVER_MEM + ["driver/event/"]
DRIVER_CMD = DRIVER_PROGRAM + ["driver/event/", "driver/cmd/"]
DRIVER_GRAPH = DRIVER_CMD + ["driver/graph/"]

# The loader's rooms. Each may include those before it; the files beside them stand above all rooms.
LOADER = ["base/", "ddi/", "machine/machine.h", PUBLIC]
LOADER_ROOMS = ["discovery", "handle", "library", "state", "layers"]
# The validation layer's rooms, each above those before it.
VALIDATION = ["base/", "ddi/", "layers/*", "layers/validation/validation.h", "layers/validation/messages.def", PUBLIC]
VALIDATION_ROOMS = ["report", "address", "objects", "uses", "model", "commands", "calls"]

# {folder or file: which of our headers it may include}. "x/*" means the files directly in x, "x/"
# all files below x. Other entries are names of files.
RULES = {
    "src/base": ["base/", PUBLIC],
    "src/ddi": ["base/", "ddi/", PUBLIC],
    "src/native": ["base/", "native/", PUBLIC],
    # The architecture that the library runs on, as constants and inline functions.
    "src/machine": ["native/native.h", "machine/", PUBLIC],
    "src/cache": ["base/", "cache/"],
    # A client of Level Zero: the public API and nothing else of the driver.
    "src/opencl": ["base/", "cache/cache.h", "clang/clang.h", "opencl/", PUBLIC],
    # Runs clang as a program, for geoidc and the OpenCL driver.
    "src/clang": ["base/", "clang/"],
    # Converts arrays to bytes. It depends on no other room.
    "src/rtas": ["rtas/", PUBLIC],
    "src/loader": LOADER + ["loader/"],
    "src/layers": ["base/", "ddi/", "layers/", PUBLIC],
    "src/driver/core": DRIVER_CORE,
    "src/driver/mem": DRIVER_MEM,
    "src/driver/image": DRIVER_IMAGE,
    "src/driver/compile": DRIVER_COMPILE,
    "src/driver/program": DRIVER_PROGRAM,
    "src/driver/event": DRIVER_EVENT,
    "src/driver/cmd": DRIVER_CMD,
    "src/driver/graph": DRIVER_GRAPH,
    "src/driver/rtas": DRIVER_CORE + ["rtas/", "driver/rtas/"],
    "src/driver/api": DRIVER_GRAPH + ["rtas/", "driver/rtas/", "driver/sysman/", "driver/tools/", "driver/api/"],
    "src/driver/sysman": DRIVER_CORE + ["backend/sysman.h", "driver/sysman/"],
    "src/driver/tools": DRIVER_CMD + ["backend/metric.h", "backend/debug.h", "driver/tools/"],
    "src/backend": ["base/", "backend/*", "native/native.h", PUBLIC],
    "src/backend/backends.c": ["backend/backend.h", "backend/null/null.h", "backend/cpu/cpu.h", "backend/cuda/cuda.h", "backend/simulated/simulated.h"],
    "src/backend/backends_null.c": ["backend/backend.h", "backend/null/null.h"],
    # Code that several backends on the host's cores share, above the host runtime.
    "src/backend/host": ["base/", "backend/*", "exec/", "backend/host/", "native/native.h", PUBLIC],
    "src/backend/null": ["base/", "backend/*", "exec/", "backend/host/", "backend/null/", "machine/machine.h", "native/abi.h", "native/native.h", PUBLIC],
    "src/backend/cpu": ["base/", "backend/*", "exec/", "backend/host/", "backend/cpu/", "machine/", "native/abi.h",
                        "native/native.h", "native/registers.h", "native/surface.h", PUBLIC],
    # Debugs what the executor runs. It does not depend on how code is loaded.
    "src/backend/cpu/debug": ["base/", "backend/*", "backend/host/device.h", "backend/host/host.h", "backend/host/roster.h", "exec/",
                              "backend/cpu/debug/", "machine/machine.h", "machine/registers.h", PUBLIC],
    # Measures what the executor runs. It does not depend on how code is loaded.
    "src/backend/cpu/metric": ["base/", "backend/*", "backend/host/device.h", "exec/", "backend/cpu/metric/", "machine/machine.h", PUBLIC],
    # Reads the machine's state from files of the system. It does not depend on how code runs.
    "src/backend/cpu/sysman": ["base/", "backend/*", "backend/host/census.h", "backend/host/device.h", "backend/host/node.h",
                               "backend/host/watchdog.h", "backend/cpu/sysman/", "machine/arm64_name.h", "machine/machine.h", PUBLIC],
    # Devices that a file describes. The format uses the names of the API's enumerators.
    "src/backend/simulated": ["base/", "ddi/geo_ddi.h", "backend/backend.h", "backend/command.h", "backend/fault.h", "backend/metric.h",
                              "backend/sysman.h", "backend/simulated/", PUBLIC],
    # NVIDIA's prototypes are in backend/cuda/driver (libcuda) and backend/cuda/nvml.
    "src/backend/cuda/driver": ["base/", "backend/cuda/driver/", PUBLIC],
    "src/backend/cuda/nvml": ["base/", "backend/*", "backend/cuda/nvml/", PUBLIC],
    "src/backend/cuda/sysman": ["base/", "backend/*", "backend/cuda/nvml/", "backend/cuda/sysman/", PUBLIC],
    "src/backend/cuda/compute": ["base/", "backend/*", "backend/cuda/driver/", "backend/cuda/nvml/", "backend/cuda/compute/",
                                 "backend/host/arguments.h", "native/native.h", "native/nvidia.h", PUBLIC],
    "src/backend/cuda": ["base/", "backend/*", "backend/cuda/", PUBLIC],
    "src/compiler": ["base/", "compiler/*", PUBLIC],
    "src/compiler/ir": COMPILER_IR,
    "src/compiler/fold": COMPILER_IR + ["compiler/fold/"],
    "src/compiler/analysis": COMPILER_ANALYSIS,
    "src/compiler/validate": COMPILER_ANALYSIS + ["compiler/validate/"],
    "src/compiler/spirv": COMPILER_IR + ["compiler/fold/", "compiler/validate/rules.h", "compiler/spirv/"],
    "src/compiler/link": COMPILER_IR + ["compiler/link/"],
    # Reads library functions, links them into the module and validates the result.
    "src/compiler/builtins": COMPILER_IR + ["compiler/spirv/reader.h", "compiler/link/copy.h", "compiler/validate/rules.h", "rtas/format.h",
                                            "compiler/builtins/"],
    "src/compiler/transform": TRANSFORM + ["compiler/transform/"],
    "src/compiler/lower": LOWER + ["compiler/lower/*"] + [f"compiler/lower/{room}/" for room in LOWER_ROOMS],
    "src/compiler/lower/cpu": LOWER_CPU + ["compiler/lower/cpu/"],
    # The other machine: it shares nothing with cpu/ and does not see the CPU's contract.
    "src/compiler/lower/simt": LOWER + ["compiler/lower/*"] + [f"compiler/lower/{room}/" for room in LOWER_ROOMS]
                               + ["native/nvidia.h", "compiler/lower/simt/"],
    "src/compiler/codegen": LOWER + ["native/", "compiler/link/", "compiler/codegen/", "machine/identity.h", "machine/machine.h"],
    "src/compiler/codegen/ptx": LOWER + ["compiler/codegen/ptx/"],
    "src/compiler/facade": LOWER + ["native/registers.h", "native/specialize.h", "compiler/*", "compiler/validate/", "compiler/spirv/", "compiler/link/",
                                             "compiler/transform/", "compiler/codegen/", "compiler/facade/", "machine/machine.h"],
    "src/compiler/process": ["base/", "compiler/*", "compiler/ir/budget.h", "compiler/facade/", "compiler/process/", PUBLIC],
    "tools": [PUBLIC, "tools/"],
    # The offline compiler asks the compiler's library, as the driver does, and reads native binaries.
    "tools/geoidc": [PUBLIC, "tools/", "base/strbuf.h", "clang/clang.h", "compiler/compiler.h", "native/abi.h", "native/native.h",
                     "native/specialize.h"],
    "examples": [PUBLIC, "examples/"],
    "tests/api": [PUBLIC, "tests/"],
}
for place, room in enumerate(EXEC_ROOMS):
    RULES[f"src/exec/{room}"] = EXEC + [f"exec/{below}/" for below in EXEC_ROOMS[:place + 1]]
for place, room in enumerate(LOWER_ROOMS):
    RULES[f"src/compiler/lower/{room}"] = LOWER + [f"compiler/lower/{below}/" for below in LOWER_ROOMS[:place + 1]]
for place, room in enumerate(LOWER_CPU_ROOMS):
    RULES[f"src/compiler/lower/cpu/{room}"] = LOWER_CPU + [f"compiler/lower/cpu/{below}/" for below in LOWER_CPU_ROOMS[:place + 1]]
for place, room in enumerate(LOADER_ROOMS):
    RULES[f"src/loader/{room}"] = LOADER + [f"loader/{below}/" for below in LOADER_ROOMS[:place + 1]]
for place, room in enumerate(VALIDATION_ROOMS):
    RULES[f"src/layers/validation/{room}"] = VALIDATION + [f"layers/validation/{below}/" for below in VALIDATION_ROOMS[:place + 1]]

# Files that depend on the folders beside them: the lists of backends, and the top of lowering. The
# search for circles of folders leaves them out.
ABOVE = ["src/backend/backends.c", "src/backend/backends_null.c", "src/compiler/lower/module.c", "src/compiler/transform/canonicalize.c"]

# Headers of other projects that only the listed folders may include. All others are open to all.
FOREIGN = [
    (re.compile(r"^llvm(-c)?/"), ["src/compiler/lower", "src/compiler/codegen", "src/compiler/facade", "tools/geoid-blocks"]),
    (re.compile(r"^(cuda|nvml|cupti|nvPTXCompiler|nvJitLink)[\w]*\.h$"), ["src/backend/cuda"]),
    (re.compile(r"^hwloc"), []),
    (re.compile(r"^CL/"), ["src/opencl"]),
]

INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^">]+)[">]')


def rule_of(path):
    """Returns the longest prefix of `path` that has a rule, or None."""
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
    """Returns the path of an included file of ours, or None for a header of another project.

    The path is relative to src/. In tests, tools and examples it is relative to the root."""
    if name.startswith(PUBLIC) or os.path.exists(os.path.join(root, "include", name)):
        return name if name.startswith(PUBLIC) else PUBLIC + name
    beside = os.path.normpath(os.path.join(folder, name))
    if quoted and os.path.exists(os.path.join(root, beside)):
        return beside[len("src/"):] if beside.startswith("src/") else beside
    for base in ("src", ""):
        if os.path.exists(os.path.join(root, base, name)):
            return name
    # A generated header has the name of the folder that generates it: gen/ddi/..., gen/compiler/...
    if quoted and "/" in name and os.path.isdir(os.path.join(root, "src", name.split("/")[0])):
        return name
    return None


def check_file(root, path, edges):
    """Returns the violations of one file.

    Adds to `edges` which folder includes which: {(folder, included folder): place of the first}."""
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
    """Returns a line for each include that is part of a circle of folders."""
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
