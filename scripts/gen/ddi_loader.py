"""Build-time C for the loader: the exported API as thin trampolines through one table of pointers.

Sets of functions of equal type: exported `zeX` (calls through geo_loader), `relay_zeX` (what layers call: through
geo_loader_base), `stub_zeX` (no driver, or the driver lacks it), `dispatch_zeX` (several drivers: calls through the tables
at the start of the handle). Functions that no handle leads to a driver are written by hand in src/loader: `geo_own_zeX`;
tables hold `geo_held_zeX`, which holds off cancellation around them.
"""

from . import ctext
from .ddi_data import APIS, Layout
from .ddi_driver import failure, failure_value, prototype, unused

# The layout of z*_dditable_driver_t is a prefix of today's from this version on.
HANDLE_LAYOUT = (1, 13)


def arguments(function):
    return ", ".join(m.name for m in function.members)


def leading(layout, function):
    """How to find the driver: 'handle', 'array' (of handles) or None (hand-written)."""
    members = function.members
    if function.name.startswith(("zer", "zetTracerExp")):  # tracers belong to the tracing layer, not to a driver
        return None
    if members and members[0].depth == 0 and layout.kind_of(members[0].base)[0] == "HANDLE":
        return "handle"
    if array_of_handles(layout, function):
        return "array"
    return None


def array_of_handles(layout, function):
    """(count, array) of the first array of handles that goes in."""
    for member in function.members:
        if (member.depth == 1 and member.direction == "in" and member.range and
                layout.kind_of(member.base)[0] == "HANDLE"):
            return member.range[1], member.name
    return None


def trampoline_lines(layout, storage, prefix, tables):
    """One function each, that calls through a set of tables."""
    lines = []
    for function, table, slot in layout.functions:
        api, _, item = layout.tables[table]
        call = f"{tables}->{api}.{item.field}.{item.slots[slot][1]}({arguments(function)});"
        lines += [storage + prototype(function, "ZE_APICALL " + prefix), "{", f"    return {call}", "}", ""]
    return lines


def exports(layout):
    lines = [ctext.banner("ddi_loader_exports.c", "").rstrip(),
             '#include "ddi/geo_ddi_loader.h"', ""]
    lines += trampoline_lines(layout, "", "", "geo_loader_active()")
    for index, (api, _, table) in enumerate(layout.tables):
        lines += [f"ze_result_t ZE_APICALL {table.getter}(ze_api_version_t version, "
                  f"{table.name} *pDdiTable)", "{",
                  f"    return geo_loader_fill_table({layout.table_id(index)}, version, pDdiTable);",
                  "}", ""]
    lines += tables_of(layout, "geo_loader_exports", lambda f: f)
    return "\n".join(lines)


def relays(layout):
    lines = [ctext.banner("ddi_loader_relays.c", "").rstrip(),
             '#include "ddi/geo_ddi_loader.h"', ""]
    lines += trampoline_lines(layout, "static ", "relay_", "geo_loader_base_active()")
    lines += tables_of(layout, "geo_loader_relays", lambda f: f"relay_{f}")
    return "\n".join(lines)


def own_names(layout):
    return {f.name for f, _, _ in layout.functions if leading(layout, f) is None}


def own_header(layout):
    lines = [ctext.banner("geo_loader_own.h", "").rstrip(),
             "/* Written by hand in the loader: the functions that no handle leads to a driver. */",
             "#ifndef GEO_LOADER_OWN_H", "#define GEO_LOADER_OWN_H", "", '#include "ddi/geo_ddi_loader.h"', ""]
    own = [f for f, _, _ in layout.functions if f.name in own_names(layout)]
    lines += [prototype(f, "geo_own_") + ";" for f in own]
    lines += ["", "/* The same with cancellation of the calling thread held off: what callers get. */"]
    lines += [prototype(f, "ZE_APICALL geo_held_") + ";" for f in own]
    return "\n".join(lines + ["", "#endif"]) + "\n"


def tables_of(layout, name, prefix, qualifier="const "):
    lines = [f"{qualifier}struct geo_ddi_table_set {name} = {{"]
    for _, api, _ in APIS:
        lines.append(f"    .{api} = {{")
        for a, _, table in layout.tables:
            if a == api:
                lines.append(f"        .{table.field} = {{")
                lines += [f"            .{slot} = {prefix(function)}," for _, slot, function in
                          table.slots]
                lines.append("        },")
        lines.append("    },")
    return lines + ["};", ""]


def stubs(layout):
    lines = [ctext.banner("ddi_loader_stubs.c", "").rstrip(),
             '#include "base/cancel.h"', '#include "ddi/geo_loader_own.h"', ""]
    own = own_names(layout)
    for function, _, _ in layout.functions:
        if function.name in own:
            lines += [prototype(function, "ZE_APICALL geo_held_"), "{", "    GEO_CANCEL_HOLD;",
                      f"    return geo_own_{function.name}({arguments(function)});", "}", ""]
        lines += ["static " + prototype(function, "ZE_APICALL stub_"), "{"] + unused(function)
        lines += [failure(function, f"geo_loader_missing(GEO_DDI_FN_{function.name})"), "}", ""]
    lines += tables_of(layout, "geo_loader_stubs", lambda f: f"stub_{f}")
    lines += tables_of(layout, "geo_loader_start", lambda f: f"geo_held_{f}" if f in own else f"stub_{f}")
    lines += ["/* Until a driver is found every call ends in a stub, or in the loader. */",
              "_Atomic(const struct geo_ddi_table_set *) geo_loader = &geo_loader_start;",
              "_Atomic(const struct geo_ddi_table_set *) geo_loader_base = &geo_loader_start;", ""]
    return "\n".join(lines)


def dispatch(layout):
    lines = [ctext.banner("ddi_loader_dispatch.c", "").rstrip(),
             '#include "ddi/geo_loader_own.h"', ""]
    pointer = {"ze": "pCore", "zes": "pSysman", "zet": "pTools"}
    for function, table, slot in layout.functions:
        kind = leading(layout, function)
        if kind is None:
            continue
        api, _, item = layout.tables[table]
        since, pfn, _ = item.slots[slot]
        lines += ["static " + prototype(function, "ZE_APICALL dispatch_"), "{"]
        give = lambda code: f"        return {failure_value(function, 'ZE_RESULT_ERROR_' + code)};"
        if kind == "array":
            count, array = array_of_handles(layout, function)
            lines += [f"    if ({array} == NULL)", give("INVALID_NULL_POINTER"),
                      f"    if ({count} == 0)", give("INVALID_SIZE"),
                      f"    const void *object = {array}[0];"]
        else:
            lines.append(f"    const void *object = {function.members[0].name};")
        lines += ["    if (object == NULL)", give("INVALID_NULL_HANDLE"),
                  f"    const {api}_dditable_driver_t *tables = "
                  f"((const ze_handle_t *)object)->{pointer[api]};",
                  "    if (tables->isValidFlag == 0)", give("UNINITIALIZED")]
        tests = [f"tables->{item.field} == NULL", f"tables->{item.field}->{pfn} == NULL"]
        if since > HANDLE_LAYOUT:
            tests.insert(0, "(uint32_t)tables->version < (uint32_t)ZE_MAKE_VERSION({}, {})".format(*since))
        lines += ctext.wrap("if (" + " || ".join(tests) + ") {", "    ")
        lines += ["    " + line for line in
                  failure(function, f"geo_loader_missing(GEO_DDI_FN_{function.name})").split("\n")]
        lines += ["    }", f"    return tables->{item.field}->{pfn}({arguments(function)});", "}", ""]
    own = own_names(layout)
    lines += tables_of(layout, "geo_loader_dispatch", lambda f: f"geo_held_{f}" if f in own else f"dispatch_{f}")
    return "\n".join(lines)


def generate(registry):
    layout = Layout(registry)
    return {
        "ddi/geo_loader_own.h": own_header(layout),
        "ddi/ddi_loader_exports.c": exports(layout),
        "ddi/ddi_loader_relays.c": relays(layout),
        "ddi/ddi_loader_stubs.c": stubs(layout),
        "ddi/ddi_loader_dispatch.c": dispatch(layout),
    }
