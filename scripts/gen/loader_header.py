"""Generates include/level_zero/loader/ze_loader.h and layers/zel_tracing_api.h.

They declare the loader's own functions."""

from . import api_header, ctext


def header(registry, area, name, guard, includes, title):
    lines = [ctext.banner(name, "loader").rstrip(), f"/* {title} */"]
    lines += ctext.guard_begin(guard)
    lines += includes + [""] + ctext.cpp_begin()
    lines += api_header.body_lines(registry, area)
    lines += ctext.cpp_end() + ["", f"#endif // {guard}"]
    return "\n".join(lines) + "\n"


def generate(registry):
    boolean = ["#if !defined(__cplusplus)", "#include <stdbool.h>", "#endif", "#include <stddef.h>",
               "", '#include "../ze_api.h"']
    return {
        "include/level_zero/loader/ze_loader.h": header(
            registry, "loader", "ze_loader.h", "_ZE_LOADER_H", boolean,
            "The loader's own functions: versions, handle translation, teardown, tracing switch."),
        "include/level_zero/layers/zel_tracing_api.h": header(
            registry, "tracing", "zel_tracing_api.h", "_ZEL_TRACING_API_H",
            ['#include "../ze_api.h"'], "Tracers: callbacks around the calls of an application."),
    }
