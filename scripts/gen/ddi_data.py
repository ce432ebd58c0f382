"""Generates build-time C data for src/ddi: ids, functions, tables, parameters, checks, types.

The functions that walk the data are hand-written (src/ddi/geo_ddi.h).
"""

from . import ctext, ddi_checks
from .registry import full_members

APIS = (("core", "ze", "GEO_DDI_ZE"), ("sysman", "zes", "GEO_DDI_ZES"),
        ("tools", "zet", "GEO_DDI_ZET"), ("runtime", "zer", "GEO_DDI_ZER"))
SCALARS = {"float": "FLOAT", "double": "FLOAT", "ze_bool_t": "BOOL", "bool": "BOOL", "char": "TEXT",
           "void": "VOID"}


# The constants of the data for the type of a function's result, by its kind.
RETURNS = {"ENUM": "GEO_DDI_RESULT", "HANDLE": "GEO_DDI_RETURNS_HANDLE", "VALUE": "GEO_DDI_RETURNS_NUMBER"}

def c_string(text):
    return "NULL" if text is None else '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class Layout:
    """The numbering that all build-time outputs share."""

    def __init__(self, registry):
        self.registry = registry
        self.tables = []  # (api, api constant, table item)
        self.functions = []  # (function item, table index, slot index)
        for area, api, constant in APIS:
            for table in registry.kind("table", area):
                for slot, (_, _, name) in enumerate(table.slots):
                    self.functions.append((registry.get(name), len(self.tables), slot))
                self.tables.append((api, constant, table))
        self.enums = [e for e in registry.items if e.kind == "enum"]
        self.structs = [s for s in registry.items if s.kind in ("struct", "union") and
                        full_members(s)]
        self.enum_index = {}
        for index, enum in enumerate(self.enums):
            self.enum_index[enum.name] = index
            if enum.flags:
                self.enum_index[enum.flags] = index
        self.struct_index = {s.name: n for n, s in enumerate(self.structs)}
        self.handles = [h for h in registry.items if h.kind == "handle"]
        self.handle_index = {h.name: n for n, h in enumerate(self.handles)}
        self.callbacks = [name for table in registry.kind("callbacks") for _, name in table.slots]

    def table_id(self, index):
        api, _, table = self.tables[index]
        return f"GEO_DDI_TABLE_{api}_{table.field}"

    def prefix(self, table, minor):
        """Returns how many slots version 1.minor of the table has. Later versions append slots."""
        count = 0
        for since, _, _ in table.slots:
            if since[1] > minor:
                break
            count += 1
        return count

    def enum_of_flags_alias(self, name):
        """Returns the index of the enumeration for a packed flags type, or -1.

        Such a type is ze_rtas_builder_packed_geometry_ext_flags_t: flags in a byte."""
        return self.enum_index.get(name.replace("_packed", ""), -1)

    def kind_of(self, base):
        """Returns the GEO_DDI_ kind of a named type, and its index or -1."""
        registry = self.registry
        item = registry.resolve(base)
        if base in SCALARS:
            return SCALARS[base], -1
        if item is None:
            alias = registry.get(base)
            if alias is not None and base.endswith("_flags_t"):
                return "FLAGS", self.enum_of_flags_alias(base)
            if alias is not None and alias.of == "ze_callbacks_t":
                return "VOID", -1
            return "VALUE", -1
        if item.kind == "enum":
            return ("FLAGS" if item.flags else "ENUM"), self.enum_index[item.name]
        if item.kind == "handle":
            return "HANDLE", self.handle_index[item.name]
        if item.kind == "callback":
            return "CALLBACK", -1
        if item.kind in ("struct", "union"):
            return "STRUCT", self.struct_index.get(item.name, -1)
        return "VALUE", -1


def ids_header(layout):
    lines = [ctext.banner("geo_ddi_ids.h", "").rstrip(), "#ifndef GEO_DDI_IDS_H",
             "#define GEO_DDI_IDS_H", "", "/* Position in geo_ddi_functions. */",
             "enum geo_ddi_function_id {"]
    lines += [f"    GEO_DDI_FN_{function.name}," for function, _, _ in layout.functions]
    lines += ["    GEO_DDI_FUNCTION_COUNT", "};", "", "/* Position in geo_ddi_tables. */",
              "enum geo_ddi_table_id {"]
    lines += [f"    {layout.table_id(n)}," for n in range(len(layout.tables))]
    lines += ["    GEO_DDI_TABLE_COUNT", "};", "", "/* Position in geo_ddi_handles. */", "enum geo_ddi_handle_id {"]
    lines += [f"    GEO_DDI_HANDLE_{h.name}," for h in layout.handles]
    values = sum(len(e.values) for e in layout.enums)
    stypes = sum(len(s.stypes) for s in layout.structs if s.api != "zel")
    lines += ["    GEO_DDI_HANDLE_COUNT", "};", "",
              f"#define GEO_DDI_MINOR {layout.registry.version[1]} /* newest 1.x described */",
              f"#define GEO_DDI_ENUM_COUNT {len(layout.enums)}",
              f"#define GEO_DDI_VALUE_COUNT {values}",
              f"#define GEO_DDI_STRUCT_COUNT {len(layout.structs)}",
              f"#define GEO_DDI_STYPE_COUNT {stypes}",
              f"#define GEO_DDI_CALLBACK_COUNT {len(layout.callbacks)}", "", "#endif"]
    return "\n".join(lines) + "\n"


def prologue(name):
    return [ctext.banner(name, "").rstrip(), '#include "ddi/geo_ddi.h"', ""]


def returned_handle(layout, function):
    kind, index = layout.kind_of(function.returns)
    return index if kind == "HANDLE" else -1


def functions_source(layout):
    lines = prologue("ddi_functions.c")
    lines.append("const struct geo_ddi_function geo_ddi_functions[GEO_DDI_FUNCTION_COUNT] = {")
    first = check = 0
    for function, table, slot in layout.functions:
        members = function.members
        handle = None
        if members and members[0].depth == 0 and layout.kind_of(members[0].base)[0] == "HANDLE":
            handle = members[0].base
        checks = len(ddi_checks.function_checks(layout, function))
        lines.append(f"    {{{c_string(function.name)}, {c_string(handle)}, "
                     f"{layout.table_id(table)}, {slot}, {first}, {check}, {len(members)}, {checks}, "
                     f"{function.since[1]}, {RETURNS[layout.kind_of(function.returns)[0]]}, "
                     f"{'true' if function.deprecated is not None else 'false'}, "
                     f"{'true' if function.hot else 'false'}, {returned_handle(layout, function)}}},")
        first += len(members)
        check += checks
    lines += ["};", "", "const struct geo_ddi_table geo_ddi_tables[GEO_DDI_TABLE_COUNT] = {"]
    first = 0
    for api, constant, table in layout.tables:
        slots = ", ".join(str(layout.prefix(table, m))
                          for m in range(layout.registry.version[1] + 1))
        lines.append(f"    {{{c_string(table.field)}, {c_string(table.name)}, "
                     f"{c_string(table.getter)}, {constant}, {first}, {len(table.slots)}, "
                     f"offsetof({api}_dditable_t, {table.field}), "
                     f"offsetof({api}_dditable_driver_t, {table.field}), {{{slots}}}}},")
        first += len(table.slots)
    return "\n".join(lines + ["};"]) + "\n"


def count_of(member, siblings):
    """Returns (expression of the count, index of the sibling with it, whether by a pointer)."""
    if not member.range:
        return None, -1, False
    text = member.range[1]
    name = text.lstrip("*")
    for index, other in enumerate(siblings):
        if other.name == name:
            return text, index, text.startswith("*")
    return text, -1, False


def element_size(member):
    """Returns a C expression for the size of an element that the pointer points to."""
    if member.depth == 0:
        return "0"
    if member.depth > 1:
        return "sizeof(void *)"
    return "0" if member.base == "void" else f"sizeof({member.base})"


def param_line(layout, member, siblings, struct=None):
    kind, index = layout.kind_of(member.base)
    count, count_param, indirect = count_of(member, siblings)
    ctype = ctext.pointer(member.ctype).strip()
    if struct:
        whole = f"(({struct} *)0)->{member.name}"
        size = f"sizeof({whole})"
        offset = f"offsetof({struct}, {member.name})"
        length = f"sizeof({whole}) / sizeof({whole}[0])" if member.array else "0"
        if member.array and not count:
            count = member.array[1:-1]
    else:
        size, offset, length = f"sizeof({member.ctype})", "0", "0"
    flag = lambda value: "true" if value else "false"
    direction = {"in": "GEO_DDI_IN", "out": "GEO_DDI_OUT", "inout": "GEO_DDI_INOUT"}
    minor = member.since[1] if member.since else 0
    return (f"    {{{c_string(member.name)}, {c_string(ctype)}, {c_string(count)}, GEO_DDI_{kind}, "
            f"{member.depth}, {direction[member.direction]}, {minor}, {size}, "
            f"{element_size(member)}, {offset}, {length}, {index}, {count_param}, {flag(indirect)}, "
            f"{flag(member.optional)}, {flag(member.release)}, {flag(member.create)}, "
            f"{flag(member.ctype.startswith('const'))}, {flag(member.zero)}, "
            f"{flag(member.name == 'pNext' and member.base == 'void')}, {flag(member.alone)}}},")


def params_source(layout):
    lines = prologue("ddi_params.c")
    lines += ['#include "ddi/geo_ddi_internal.h"', "",
              "const struct geo_ddi_param geo_ddi_params[] = {"]
    for function, _, _ in layout.functions:
        for member in function.members:
            lines.append(param_line(layout, member, function.members))
    return "\n".join(lines + ["};"]) + "\n"


def enums_source(layout):
    lines = prologue("ddi_enums.c")
    lines += ['#include "ddi/geo_ddi_internal.h"', "",
              "const struct geo_ddi_value geo_ddi_values[GEO_DDI_VALUE_COUNT] = {"]
    for enum in layout.enums:
        for value in enum.values:
            minor = (value.since or enum.since)[1]
            lines.append(f"    {{{c_string(value.name)}, {value.name}, {minor}}},")
    lines += ["};", "", "const struct geo_ddi_enum geo_ddi_enums[GEO_DDI_ENUM_COUNT] = {"]
    first = 0
    for enum in layout.enums:
        mask = 0
        for value in enum.values:
            mask |= value.number if enum.flags and value.form == "bit" else 0
        lines.append(f"    {{{c_string(enum.name)}, {c_string(enum.flags)}, {first}, "
                     f"{len(enum.values)}, 0x{mask:x}u, {'true' if enum.all else 'false'}, "
                     f"{'true' if enum.open else 'false'}}},")
        first += len(enum.values)
    return "\n".join(lines + ["};"]) + "\n"


def results_source(layout):
    lines = prologue("ddi_results.c")
    lines += ['#include "ddi/geo_ddi_internal.h"', ""]
    result = layout.registry.get("ze_result_t")
    values = [v for v in result.values if v.form != "force"]
    lines.append("const struct geo_ddi_result geo_ddi_results[] = {")
    for value in values:
        lines.append(f"    {{{value.name}, {c_string(value.name)}, {c_string(value.doc)}}},")
    lines += ["};", f"const size_t geo_ddi_result_count = {len(values)};"]
    return "\n".join(lines) + "\n"


def api_of(item):
    return {"zes": "GEO_DDI_ZES", "zet": "GEO_DDI_ZET"}.get(item.api, "GEO_DDI_ZE")


def structs_source(layout):
    lines = prologue("ddi_structs.c")
    lines += ['#include "ddi/geo_ddi_internal.h"', "",
              "const struct geo_ddi_struct geo_ddi_structs[GEO_DDI_STRUCT_COUNT] = {"]
    first = extend = 0
    check = sum(len(ddi_checks.function_checks(layout, function)) for function, _, _ in layout.functions)
    for struct in layout.structs:
        members = full_members(struct)
        checks = len(ddi_checks.struct_checks(layout, struct))
        lines.append(f"    {{{c_string(struct.name)}, sizeof({struct.name}), {first}, {len(members)}, "
                     f"{api_of(struct)}, {'true' if struct.base else 'false'}, "
                     f"{'true' if struct.base == 'desc' else 'false'}, "
                     f"{'true' if struct.kind == 'union' else 'false'}, {len(struct.extends)}, "
                     f"{checks}, {extend}, {check}}},")
        first += len(members)
        extend += len(struct.extends)
        check += checks
    lines += ["};", "", "const uint16_t geo_ddi_extends[] = {"]
    for struct in layout.structs:
        for base in struct.extends:
            if base in layout.struct_index:
                where = f"{layout.struct_index[base]}"
            else:
                where = f"GEO_DDI_STRUCT_COUNT + GEO_DDI_FN_{base}"
            lines.append(f"    {where}, /* {struct.name} -> {base} */")
    lines += ["};", "", "const struct geo_ddi_stype geo_ddi_stypes[GEO_DDI_STYPE_COUNT] = {"]
    order = {"GEO_DDI_ZE": 0, "GEO_DDI_ZES": 1, "GEO_DDI_ZET": 2}
    numbers = {v.name: v.number for e in layout.enums for v in e.values}
    tagged = [(order[api_of(struct)], numbers[stype], stype, index)
              for index, struct in enumerate(layout.structs) for stype in struct.stypes
              if not stype.startswith("ZEL_")]
    for api, _, stype, index in sorted(tagged):
        lines.append(f"    {{{c_string(stype)}, {stype}, {index}, {list(order)[api]}}},")
    return "\n".join(lines + ["};"]) + "\n"


def handles_source(layout):
    lines = prologue("ddi_handles.c")
    lines.append("const struct geo_ddi_handle geo_ddi_handles[GEO_DDI_HANDLE_COUNT] = {")
    for handle in layout.handles:
        lines.append(f"    {{{c_string(handle.name)}, {api_of(handle)}}},")
    return "\n".join(lines + ["};"]) + "\n"


def callbacks_source(layout):
    lines = prologue("ddi_callbacks.c")
    lines.append("const uint16_t geo_ddi_callbacks[GEO_DDI_CALLBACK_COUNT] = {")
    lines += [f"    GEO_DDI_FN_{name}," for name in layout.callbacks]
    return "\n".join(lines + ["};"]) + "\n"


def members_source(layout):
    lines = prologue("ddi_members.c")
    lines += ['#include "ddi/geo_ddi_internal.h"', "",
              "const struct geo_ddi_param geo_ddi_members[] = {"]
    for struct in layout.structs:
        members = full_members(struct)
        for member in members:
            lines.append(param_line(layout, member, members, struct.name))
    return "\n".join(lines + ["};"]) + "\n"


def generate(registry):
    layout = Layout(registry)
    return {
        "ddi/geo_ddi_ids.h": ids_header(layout),
        "ddi/ddi_functions.c": functions_source(layout),
        "ddi/ddi_params.c": params_source(layout),
        "ddi/ddi_checks.c": ddi_checks.source(layout),
        "ddi/ddi_suspicions.c": ddi_checks.suspicions(layout),
        "ddi/ddi_enums.c": enums_source(layout),
        "ddi/ddi_results.c": results_source(layout),
        "ddi/ddi_structs.c": structs_source(layout),
        "ddi/ddi_callbacks.c": callbacks_source(layout),
        "ddi/ddi_handles.c": handles_source(layout),
        "ddi/ddi_members.c": members_source(layout),
    }
