"""Build-time C for tests/layers/test_functions.c: for every function a driver's side that notes its arguments, a caller
that invents them, and the function that registers a tracer's callback."""

from . import ctext
from .ddi_data import Layout
from .ddi_driver import failure_value, prototype
from .registry import short_name
from .ddi_loader import arguments


def pointers(function):
    return ", ".join("(void *)&" + m.name for m in function.members) or "NULL"


def function_lines(layout, function, table, slot):
    api, _, item = layout.tables[table]
    pfn = item.slots[slot][1]
    identity = f"GEO_DDI_FN_{function.name}"
    returns = ctext.pointer(function.returns)
    lines = ["static " + prototype(function, "ZE_APICALL driver_"), "{"]
    lines += ctext.wrap(f"void *const given[] = {{{pointers(function)}}};", "    ")
    lines += [f"    {returns}answer = {failure_value(function, 'ZE_RESULT_SUCCESS')};",
              f"    driver_called({identity}, given, &answer, sizeof(answer));",
              "    return answer;", "}",
              f"static void call_{function.name}(void *answer)", "{"]
    for member in function.members:
        lines.append("    " + ctext.declare(member.ctype.removeprefix("const ") if member.depth == 0 else member.ctype,
                                            member.name) + ";")
    lines += ctext.wrap(f"void *const invented[] = {{{pointers(function)}}};", "    ")
    lines += [f"    arguments_invent({identity}, invented);",
              f"    const {returns}result = wrapped.{api}.{item.field}.{pfn}({arguments(function)});".replace(
                  "const " + returns, returns),
              "    memcpy(answer, &result, sizeof(result));", "}", ""]
    return lines


def generate(registry):
    layout = Layout(registry)
    traced = set(registry.traced)
    lines = [ctext.banner("tracing.inc", "").rstrip(), ""]
    for function, table, slot in layout.functions:
        lines += function_lines(layout, function, table, slot)
    lines += ["static const struct geo_ddi_table_set driver_tables = {"]
    for api in ("ze", "zes", "zet", "zer"):
        lines.append(f"    .{api} = {{")
        for a, _, table in layout.tables:
            if a == api:
                lines.append(f"        .{table.field} = {{")
                lines += [f"            .{slot} = driver_{name}," for _, slot, name in table.slots]
                lines.append("        },")
        lines.append("    },")
    lines += ["};", "", "static const struct subject subjects[GEO_DDI_FUNCTION_COUNT] = {"]
    for function, _, _ in layout.functions:
        register = (f"(any_fn)zelTracer{short_name(function.name)}RegisterCallback" if function.name in traced
                    else "NULL")
        lines.append(f"    {{call_{function.name}, {register}}},")
    lines += ["};", "", "static const table_getter getters[GEO_DDI_TABLE_COUNT] = {"]
    lines += [f"    (table_getter){table.getter}," for _, _, table in layout.tables]
    return {"tests/tracing.inc": "\n".join(lines + ["};", ""])}
