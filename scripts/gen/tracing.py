"""Generates the parameter structs and callback types of traced functions.

A traced function gets `<name>_params_t` (a pointer to each argument), `<pfn>Cb_t`, and
`zelTracer<Name>RegisterCallback`. The types are in ze_api.h for functions with a slot in the
callback tables of the core API (`callbacks` blocks in the registry). All others are in
zel_tracing_register_cb.h.
"""

from . import ctext
from .registry import pfn_type, short_name, snake


def callback_type(function):
    return pfn_type(function)[:-2] + "Cb_t"


def param_lines(registry, name):
    function = registry.get(name)
    struct = snake(name) + "_params_t"
    lines = [f"/// The arguments of {name}; callbacks may change them through these pointers."]
    if not function.members:
        lines += ["/// No argument: size 0 in C and 1 in C++.", "#if defined(__clang__)",
                  "#pragma clang diagnostic push",
                  '#pragma clang diagnostic ignored "-Wextern-c-compat"', "#endif",
                  f"__extension__ typedef struct _{struct} {{", f"}} {struct};",
                  "#if defined(__clang__)", "#pragma clang diagnostic pop", "#endif", ""]
    else:
        lines.append(f"typedef struct _{struct} {{")
        for member in function.members:
            lines.append("    " + ctext.declare(member.ctype + "*", "p" + member.name) + ";")
        lines += [f"}} {struct};", ""]
    lines += [f"/// Called around {name}.",
              f"typedef void (ZE_APICALL *{callback_type(name)})(",
              f"    {struct} *params,",
              f"    {ctext.pointer(function.returns)}result,",
              "    void *pTracerUserData,",
              "    void **ppTracerInstanceUserData",
              ");", ""]
    return lines


def legacy_names(registry):
    return [f for table in registry.kind("callbacks") for _, f in table.slots]


def legacy_lines(registry):
    lines = ["/* --- Tracing callbacks of the functions of version 1.0 --- */", ""]
    tables = registry.kind("callbacks")
    for table in tables:
        for _, function in table.slots:
            lines += param_lines(registry, function)
        lines += [f"/// Callbacks of the {table.field} functions; null where none is wanted.",
                  f"typedef struct _{table.name} {{"]
        for slot, function in table.slots:
            lines.append(f"    {callback_type(function)} {slot};")
        lines += [f"}} {table.name};", ""]
    lines += ["/// All callback tables.", "typedef struct _ze_callbacks_t {"]
    for table in tables:
        lines.append(f"    {table.name} {table.field};")
    return lines + ["} ze_callbacks_t;", ""]


def alias_lines(registry):
    return []


def register_cb_header(registry):
    legacy = set(legacy_names(registry))
    traced = registry.traced
    lines = [ctext.banner("zel_tracing_register_cb.h", "loader").rstrip(),
             "/* Tracing, one callback at a time: covers every function, also those after 1.0. */"]
    lines += ctext.guard_begin("_ZEL_TRACING_REGISTER_CB_H")
    lines += ['#include "../ze_api.h"', '#include "zel_tracing_api.h"', ""] + ctext.cpp_begin()
    for name in traced:
        if name not in legacy:
            lines += param_lines(registry, name)
    for name in traced:
        slot = registry.slot_of[name]
        lines += [f"/// Sets the callback of a tracer before or after {name}; null removes it.",
                  "ZE_APIEXPORT ze_result_t ZE_APICALL "
                  f"zelTracer{short_name(name)}RegisterCallback(",
                  "    zel_tracer_handle_t hTracer, ///< [in] handle of a disabled tracer",
                  "    zel_tracer_reg_t callback_type, ///< [in] prologue or epilogue",
                  f"    {callback_type(name)} {trace_slot(name, slot)} ///< [in][optional] the callback",
                  ");", ""]
    lines += ["/// Removes all callbacks of a tracer.",
              "ZE_APIEXPORT ze_result_t ZE_APICALL zelTracerResetAllCallbacks(",
              "    zel_tracer_handle_t hTracer ///< [in] handle of a disabled tracer",
              ");", ""]
    lines += ctext.cpp_end() + ["", "#endif // _ZEL_TRACING_REGISTER_CB_H"]
    return "\n".join(lines) + "\n"


def trace_slot(name, slot):
    """Returns the parameter's name: that of the table's slot, with Cb."""
    return slot + "Cb"


def generate(registry):
    return {"include/level_zero/layers/zel_tracing_register_cb.h": register_cb_header(registry)}
