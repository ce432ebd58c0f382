"""Generates build-time C for drivers: prototypes, weak stubs, entries, dispatch tables, exports.

For every function, `geo_<name>` is a weak alias of a stub that reports "unsupported". A driver
implements a function by defining `geo_<name>`. Tables contain `geo_entry_<name>`. It calls
geo_<name> directly if no check of the arguments can fail. Otherwise it first calls geo_api_check,
which walks the checks. The entry defers cancellation of the calling thread, unless the registry
marks the function `hot`.
"""

from . import ctext, ddi_checks
from .ddi_data import APIS, Layout


def params_text(function, names=True):
    if not function.members:
        return "void"
    return ", ".join(ctext.declare(m.ctype, m.name) if names else m.ctype
                     for m in function.members)


def prototype(function, prefix):
    text = f"{ctext.pointer(function.returns)}{prefix}{function.name}({params_text(function)})"
    if len(text) <= ctext.WIDTH:
        return text
    head, _, tail = text.partition("(")
    return head + "(\n" + "\n".join(ctext.wrap(tail, "    "))


def failure_value(function, result):
    """Returns the C text for a failure: the result code, or another value of the return type."""
    if function.returns == "ze_result_t":
        return result
    return "UINT32_MAX" if function.returns == "uint32_t" else "NULL"


def failure(function, call):
    """Returns the return statement of a stub."""
    if function.returns == "ze_result_t":
        return f"    return {call};"
    return f"    (void){call};\n    return {failure_value(function, None)};"


def unused(function):
    return [f"    (void){m.name};" for m in function.members]


def has_entry(layout, function):
    """Returns whether tables contain geo_entry_<name> instead of geo_<name>."""
    return bool(ddi_checks.suspicion(layout, function)) or not function.hot


def api_header(layout):
    lines = [ctext.banner("geo_api.h", "").rstrip(),
             "/* The functions that a driver implements: all functions of the dispatch tables. */",
             "#ifndef GEO_API_H", "#define GEO_API_H", "", '#include "ddi/geo_ddi_driver.h"', ""]
    for function, _, _ in layout.functions:
        lines.append(prototype(function, "geo_") + ";")
    lines += ["", "/* The entries, which check the arguments. Callers get these. */"]
    for function, _, _ in layout.functions:
        if has_entry(layout, function):
            lines.append(prototype(function, "geo_entry_") + ";")
        else:
            lines.append(f"#define geo_entry_{function.name} geo_{function.name}")
    return "\n".join(lines + ["", "#endif"]) + "\n"


def stubs_source(layout):
    lines = [ctext.banner("ddi_driver_stubs.c", "").rstrip(), '#include "ddi/geo_api.h"', ""]
    for function, _, _ in layout.functions:
        lines += ["static " + prototype(function, "geo_stub_"), "{"] + unused(function)
        lines += [failure(function, f'geo_api_unsupported("{function.name}")'), "}",
                  prototype(function, "geo_") +
                  f'\n    __attribute__((weak, alias("geo_stub_{function.name}")));', ""]
    lines.append("const struct geo_api_entry geo_api_entries[GEO_DDI_FUNCTION_COUNT] = {")
    for function, _, _ in layout.functions:
        lines.append(f"    {{(geo_api_fn)geo_{function.name}, (geo_api_fn)geo_stub_{function.name}, "
                     f"(geo_api_fn)geo_entry_{function.name}}},")
    return "\n".join(lines + ["};"]) + "\n"


def checked_lines(function, given):
    """Returns a C function that walks the checks, then calls geo_<name>."""
    pointers = ", ".join("(void *)&" + m.name for m in function.members)
    lines = ["static __attribute__((noinline, cold)) " + prototype(function, "checked_"), "{"]
    lines += ctext.wrap(f"void *arguments[] = {{{pointers}}};", "    ")
    lines += [f"    ze_result_t result = geo_api_check(GEO_DDI_FN_{function.name}, arguments);",
              f"    return result == ZE_RESULT_SUCCESS ? geo_{function.name}({given}) : result;", "}"]
    return lines


def entry_lines(layout, function):
    """Returns the C functions that make up an entry, if the function has one."""
    if not has_entry(layout, function):
        return []
    suspicion = ddi_checks.suspicion(layout, function)
    given = ", ".join(m.name for m in function.members)
    lines = checked_lines(function, given) if suspicion else []
    lines += [prototype(function, "geo_entry_"), "{"]
    if not function.hot:
        lines.append("    GEO_CANCEL_HOLD;")
    if suspicion:
        lines += ctext.wrap(f"if (__builtin_expect({suspicion}, 0))", "    ")
        lines.append(f"        return checked_{function.name}({given});")
    return lines + [f"    return geo_{function.name}({given});", "}", ""]


def entries_source(layout):
    lines = [ctext.banner("ddi_driver_entries.c", "").rstrip(), '#include "base/cancel.h"', '#include "ddi/geo_api.h"',
             '#include "ddi/geo_ddi_facts.h"', ""]
    for function, _, _ in layout.functions:
        lines += entry_lines(layout, function)
    return "\n".join(lines)


def tables_source(layout):
    lines = [ctext.banner("ddi_driver_tables.c", "").rstrip(), '#include "ddi/geo_api.h"', ""]
    for area, api, _ in APIS:
        tables = [t for a, _, t in layout.tables if a == api]
        lines.append(f"static const {api}_dditable_t {api}_tables = {{")
        for table in tables:
            lines.append(f"    .{table.field} = {{")
            lines += [f"        .{slot} = geo_entry_{name}," for _, slot, name in table.slots]
            lines.append("    },")
        lines += ["};", "",
                  "/* The tables are constant; the public type has no const to say so. */",
                  f"const {api}_dditable_driver_t geo_api_{api} = {{",
                  f"    .version = ZE_MAKE_VERSION(1, GEO_DDI_MINOR),",
                  "    .isValidFlag = 1,"]
        lines += [f"    .{t.field} = ({t.name} *)&{api}_tables.{t.field}," for t in tables]
        lines += ["};", ""]
        for index, (a, _, table) in enumerate(layout.tables):
            if a != api:
                continue
            lines += [f"ze_result_t ZE_APICALL {table.getter}(ze_api_version_t version, "
                      f"{table.name} *pDdiTable)", "{",
                      f"    return geo_ddi_table_copy({layout.table_id(index)}, version, "
                      f"&{api}_tables.{table.field}, pDdiTable);", "}", ""]
    return "\n".join(lines) + "\n"


def generate(registry):
    layout = Layout(registry)
    return {
        "ddi/geo_api.h": api_header(layout),
        "ddi/ddi_driver_stubs.c": stubs_source(layout),
        "ddi/ddi_driver_entries.c": entries_source(layout),
        "ddi/ddi_driver_tables.c": tables_source(layout),
    }
