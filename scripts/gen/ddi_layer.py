"""Generates build-time C for layers: a thunk per function, and exports that return tables of them.

A thunk knows only the index of its function and the types of its arguments. It makes an array of
pointers to the arguments, and src/layers/layer.c does the rest. The layers themselves are
hand-written and walk the data. A function is watched while a layer wants to see its calls. The
thunk of a watched function defers cancellation of the thread during the call, because layers take
locks, write reports and call back into the program.
"""

from . import ctext
from .ddi_data import Layout
from .ddi_driver import failure_value, prototype


def thunk_lines(layout, function, table, slot):
    """Returns two C functions: the thunk, and the function that reports a watched call.

    The thunk jumps to the next library if no part of the layer watches the function."""
    api, _, item = layout.tables[table]
    names = [m.name for m in function.members]
    given = ", ".join(names)
    next_function = f"geo_layer_next.{api}.{item.field}.{item.slots[slot][1]}"
    # Parameters that are const by value are also const in the structure that callbacks get.
    pointers = ", ".join(("(void *)&" if m.ctype.startswith("const ") and m.depth == 0 else "&") + m.name
                         for m in function.members) or "NULL"
    lines = ["static __attribute__((noinline)) " + prototype(function, "ZE_APICALL watched_"), "{"]
    lines += ctext.wrap(f"void *arguments[] = {{{pointers}}};", "    ")
    lines += [f"    {ctext.pointer(function.returns)}result = {failure_value(function, 'ZE_RESULT_SUCCESS')};",
              "    struct geo_layer_call call;", "    GEO_CANCEL_HOLD;",
              f"    geo_layer_begin(&call, GEO_DDI_FN_{function.name}, arguments, &result);",
              "    if (geo_layer_before(&call))", f"        result = {next_function}({given});",
              "    if (call.parts)", "        geo_layer_after(&call);", "    return result;", "}",
              "static " + prototype(function, "ZE_APICALL thunk_"), "{",
              f"    if (geo_layer_is_watched(GEO_DDI_FN_{function.name}))", f"        return watched_{function.name}({given});",
              f"    return {next_function}({given});", "}", ""]
    return lines


def generate(registry):
    layout = Layout(registry)
    lines = [ctext.banner("ddi_layer_thunks.c", "").rstrip(), '#include "base/cancel.h"',
             '#include "layers/layer.h"', ""]
    for function, table, slot in layout.functions:
        lines += thunk_lines(layout, function, table, slot)
    lines.append("const geo_layer_fn geo_layer_thunks[GEO_DDI_FUNCTION_COUNT] = {")
    lines += [f"    (geo_layer_fn)thunk_{function.name}," for function, _, _ in layout.functions]
    lines += ["};", ""]
    for index, (_, _, table) in enumerate(layout.tables):
        lines += [f"ze_result_t ZE_APICALL {table.getter}(ze_api_version_t version, {table.name} *pDdiTable)", "{",
                  f"    return geo_layer_wrap({layout.table_id(index)}, version, pDdiTable);", "}", ""]
    return {"ddi/ddi_layer_thunks.c": "\n".join(lines)}
