"""Generates build-time C for tests that treat all functions of the API alike.

    tests/driver_side.inc   a driver: each function passes its arguments to driver_called, which
                            sets the result
    tests/callers.inc       callers[id]: calls a function through the tables `wrapped`, with
                            arguments of arguments_invent
    tests/getters.inc       GETTER(function, type, id) for each table
"""

from . import ctext
from .ddi_data import APIS, Layout
from .ddi_driver import failure_value, prototype
from .ddi_loader import arguments


def pointers(function):
    return ", ".join("(void *)&" + m.name for m in function.members) or "NULL"


def driver_lines(function):
    lines = ["static " + prototype(function, "ZE_APICALL driver_"), "{"]
    lines += ctext.wrap(f"void *const given[] = {{{pointers(function)}}};", "    ")
    return lines + [f"    {ctext.pointer(function.returns)}answer = {failure_value(function, 'ZE_RESULT_SUCCESS')};",
                    f"    driver_called(GEO_DDI_FN_{function.name}, given, &answer, sizeof(answer));",
                    "    return answer;", "}", ""]


def driver_side(layout):
    lines = [ctext.banner("driver_side.inc", "").rstrip(), ""]
    for function, _, _ in layout.functions:
        lines += driver_lines(function)
    lines += ["static const struct geo_ddi_table_set driver_tables = {"]
    for _, api, _ in APIS:
        lines.append(f"    .{api} = {{")
        for a, _, table in layout.tables:
            if a == api:
                lines.append(f"        .{table.field} = {{")
                lines += [f"            .{slot} = driver_{name}," for _, slot, name in table.slots]
                lines.append("        },")
        lines.append("    },")
    return "\n".join(lines + ["};", ""])


def caller_lines(layout, function, table, slot):
    api, _, item = layout.tables[table]
    lines = [f"static void call_{function.name}(void *answer)", "{"]
    for member in function.members:
        lines.append("    " + ctext.declare(member.ctype.removeprefix("const ") if member.depth == 0 else member.ctype,
                                            member.name) + ";")
    lines += ctext.wrap(f"void *const invented[] = {{{pointers(function)}}};", "    ")
    call = f"wrapped.{api}.{item.field}.{item.slots[slot][1]}({arguments(function)});"
    return lines + [f"    arguments_invent(GEO_DDI_FN_{function.name}, invented);",
                    f"    {ctext.pointer(function.returns)}result = {call}",
                    "    memcpy(answer, &result, sizeof(result));", "}", ""]


def callers(layout):
    lines = [ctext.banner("callers.inc", "").rstrip(), ""]
    for function, table, slot in layout.functions:
        lines += caller_lines(layout, function, table, slot)
    lines += ["static void (*const callers[GEO_DDI_FUNCTION_COUNT])(void *answer) = {"]
    lines += [f"    call_{function.name}," for function, _, _ in layout.functions]
    return "\n".join(lines + ["};", ""])


def getters(layout):
    lines = [ctext.banner("getters.inc", "").rstrip(), ""]
    lines += [f"GETTER({table.getter}, {table.name}, {layout.table_id(index)})"
              for index, (_, _, table) in enumerate(layout.tables)]
    return "\n".join(lines + [""])


def generate(registry):
    layout = Layout(registry)
    return {"tests/driver_side.inc": driver_side(layout), "tests/callers.inc": callers(layout),
            "tests/getters.inc": getters(layout)}
