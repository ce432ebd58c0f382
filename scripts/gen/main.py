#!/usr/bin/env python3
"""Generates all files that are made from registry/.

usage: main.py [--verify] [--build DIR]
  (nothing)    writes the public headers to include/
  --verify     writes nothing; prints the differences and fails if include/ is out of date
  --build DIR  writes C files for the build (src/ddi, tools, tests) and the Python modules to DIR
"""

import argparse
import difflib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(os.path.dirname(HERE))
sys.path.insert(0, os.path.dirname(HERE))

from gen import (api_header, compat_header, ddi_data, ddi_driver, ddi_facts, ddi_header, ddi_layer,  # noqa: E402
                 ddi_loader, ddi_translate, loader_header, loader_tracing, python_binding, test_codes, test_functions,
                 test_lists, test_threads, test_tracing, tool_describe, tool_words, tracing)
from gen.registry import Registry, RegistryError  # noqa: E402

HEADER_MODULES = (api_header, compat_header, ddi_header, loader_header, tracing)
BUILD_MODULES = (ddi_data, ddi_facts, ddi_driver, ddi_layer, ddi_loader, ddi_translate, loader_tracing, python_binding,
                 test_codes, test_functions, test_lists, test_threads, test_tracing, tool_describe, tool_words)


def write(path, text):
    """Writes a file if its text has changed, so that builds stay incremental."""
    if os.path.exists(path):
        with open(path, encoding="utf-8") as f:
            if f.read() == text:
                return False
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8") as f:
        f.write(text)
    return True


def verify(outputs):
    stale = 0
    for name, text in sorted(outputs.items()):
        path = os.path.join(ROOT, name)
        have = open(path, encoding="utf-8").read() if os.path.exists(path) else ""
        if have != text:
            stale += 1
            sys.stdout.writelines(difflib.unified_diff(
                have.splitlines(True), text.splitlines(True), name, "generated", n=1))
    if stale:
        print(f"{stale} generated files are out of date: run python3 scripts/gen/main.py")
    return stale == 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--verify", action="store_true")
    parser.add_argument("--build", metavar="DIR")
    arguments = parser.parse_args()
    try:
        registry = Registry(os.path.join(ROOT, "registry"))
    except RegistryError as error:
        sys.exit(f"error: {error}")
    outputs = {}
    for module in BUILD_MODULES if arguments.build else HEADER_MODULES:
        outputs.update(module.generate(registry))
    if arguments.build:
        for name, text in outputs.items():
            write(os.path.join(arguments.build, name), text)
        return
    if arguments.verify:
        sys.exit(0 if verify(outputs) else 1)
    for name, text in outputs.items():
        if write(os.path.join(ROOT, name), text):
            print("wrote " + name)


if __name__ == "__main__":
    main()
