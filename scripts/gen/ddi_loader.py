"""Generates build-time C for the loader: the exported API as trampolines through a table.

There are several functions of the same type for each function zeX of the API:

    zeX            exported; calls through the table geo_loader
    relay_zeX      layers call it; calls through the table geo_loader_base
    stub_zeX       fails, if there are no drivers or the driver lacks the function
    dispatch_zeX   for several drivers; calls through the tables at the start of the handle
    geo_own_zeX    hand-written in src/loader, for functions without a handle that tells the driver
    geo_held_zeX   calls geo_own_zeX with cancellation of the thread deferred; tables contain it
"""

from . import ctext
from .ddi_data import APIS, Layout
from .ddi_driver import failure, failure_value, prototype, unused

# Since this version, later versions of z*_dditable_driver_t only append members.
HANDLE_LAYOUT = (1, 13)


def arguments(function):
    return ", ".join(m.name for m in function.members)


def leading(layout, function):
    """Returns what tells the driver of a call: 'handle', 'array' (of handles), or None."""
    members = function.members
    # The runtime API is the loader's own, and tracers belong to the tracing layer.
    if function.name.startswith(("zer", "zetTracerExp")):
        return None
    if members and members[0].depth == 0 and layout.kind_of(members[0].base)[0] == "HANDLE":
        return "handle"
    if array_of_handles(layout, function):
        return "array"
    return None


def array_of_handles(layout, function):
    """Returns (count, array) of the first parameter that is an input array of handles, or None."""
    for member in function.members:
        if (member.depth == 1 and member.direction == "in" and member.range and
                layout.kind_of(member.base)[0] == "HANDLE"):
            return member.range[1], member.name
    return None


def trampoline_lines(layout, storage, prefix, tables):
    """Returns a C function for each function of the API, which calls through a set of tables."""
    lines = []
    for function, table, slot in layout.functions:
        api, _, item = layout.tables[table]
        call = f"{tables}->{api}.{item.field}.{item.slots[slot][1]}({arguments(function)});"
        lines += [storage + prototype(function, "ZE_APICALL " + prefix), "{", f"    return {call}", "}", ""]
    return lines


def exports(layout):
    lines = [ctext.banner("ddi_loader_exports.c", "").rstrip(),
             '#include "ddi/geo_ddi_loader.h"', ""]
    lines += trampoline_lines(layout, "", "", "geo_ddi_loader_active()")
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
    lines += trampoline_lines(layout, "static ", "relay_", "geo_ddi_loader_base_active()")
    lines += tables_of(layout, "geo_loader_relays", lambda f: f"relay_{f}")
    return "\n".join(lines)


def own_names(layout):
    return {f.name for f, _, _ in layout.functions if leading(layout, f) is None}


def own_header(layout):
    lines = [ctext.banner("geo_loader_own.h", "").rstrip(),
             "/* Hand-written functions: for calls without a handle that tells the driver. */",
             "#ifndef GEO_LOADER_OWN_H", "#define GEO_LOADER_OWN_H", "", '#include "ddi/geo_ddi_loader.h"', ""]
    own = [f for f, _, _ in layout.functions if f.name in own_names(layout)]
    lines += [prototype(f, "geo_own_") + ";" for f in own]
    lines += ["", "/* The same with cancellation of the thread deferred. Callers get these. */"]
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
    lines += ["/* Until a driver is found, calls end in stubs or in the loader's own functions. */",
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
