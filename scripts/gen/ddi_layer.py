"""Build-time C for layers: one thunk per function, all of one form, and the exports that hand them out.

A thunk knows the index of its function and the types of its arguments, nothing else: it makes an array of pointers to them
and lets src/layers/layer.c decide. What a layer does is hand-written and walks data. A watched call holds off cancellation:
layers take locks, write reports and call back into the program.
"""

from . import ctext
from .ddi_data import Layout
from .ddi_driver import failure_value, prototype


def thunk_lines(layout, function, table, slot):
    """Two functions: the one in the table, which jumps on when nobody watches, and the one that shows the call."""
    api, _, item = layout.tables[table]
    names = [m.name for m in function.members]
    given = ", ".join(names)
    next_function = f"geo_layer_next.{api}.{item.field}.{item.slots[slot][1]}"
    # Those that are const by value may not be changed by a callback either: its structure says so.
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
