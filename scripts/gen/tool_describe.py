"""Generates build-time C for tools: property structures of the core API as data, and all functions.

Tools walk and print the data. It includes public headers only, as tools do."""

from . import ctext
from .ddi_data import Layout, c_string

KINDS = {"float": "FLOAT", "double": "FLOAT", "ze_bool_t": "BOOL", "bool": "BOOL", "int32_t": "INT", "int64_t": "INT"}


def described(registry):
    """Returns the property structures of the core area and those in them, innermost first."""
    found, order = set(), []

    def visit(struct):
        if struct.name in found:
            return
        found.add(struct.name)
        for member in struct.members:
            inner = registry.resolve(member.base)
            if inner is not None and inner.kind == "struct" and member.depth == 0:
                visit(inner)
        order.append(struct)

    structs = registry.kind("struct", "core")
    bases = {s.name for s in structs if s.base == "properties"}
    for struct in structs:
        if struct.name in bases or bases.intersection(struct.extends):
            visit(struct)
    return order


def short_values(enum):
    """Returns [(name without the common prefix, name)], without the value that sets the width."""
    values = [v for v in enum.values if v.form != "force"]
    prefix = enum.name[:-2].upper() + "_"
    if not all(v.name.startswith(prefix) for v in values):
        first = values[0].name
        length = len(first)
        while length and not all(v.name.startswith(first[:length]) for v in values):
            length -= 1
        prefix = first[:first.rfind("_", 0, length) + 1] if len(values) > 1 else "ZE_"
    return [(v.name[len(prefix):], v.name) for v in values]


def enum_lines(enum):
    lines = [f"static const struct describe_value values_{enum.name}[] = {{"]
    lines += [f"    {{{c_string(short)}, {name}}}," for short, name in short_values(enum)]
    version = all(v.form in ("version", "current", "force") for v in enum.values)
    kind = "DESCRIBE_VERSION" if version else "DESCRIBE_FLAGS" if enum.flags else "DESCRIBE_ENUM"
    count = len(short_values(enum))
    return lines + ["};", f"static const struct describe_enum enum_{enum.name} = "
                          f"{{{kind}, {count}, values_{enum.name}}};", ""]


def member_line(registry, struct, member):
    whole = f"(({struct.name} *)0)->{member.name}"
    size = f"sizeof({whole}[0])" if member.array else f"sizeof({whole})"
    count = f"sizeof({whole}) / sizeof({whole}[0])" if member.array else "0"
    item = registry.resolve(member.base)
    values, inner = "NULL", "NULL"
    if member.depth:
        kind = "OTHER"
    elif member.base == "char":
        kind = "TEXT"
    elif item is not None and item.kind == "enum":
        kind, values = "ENUM", f"&enum_{item.name}"
    elif item is not None and item.kind == "struct":
        kind, inner = "STRUCT", f"&struct_{item.name}"
    elif item is not None:
        kind = "OTHER"
    elif member.base == "uint8_t" and member.array:
        kind = "BYTES"
    else:
        kind = KINDS.get(member.base, "UINT")
    return (f"    {{{c_string(member.name)}, DESCRIBE_{kind}, offsetof({struct.name}, {member.name}), {size}, {count}, "
            f"{values}, {inner}}},")


def struct_lines(registry, struct, names):
    members = [m for m in struct.members]
    lines = [f"static const struct describe_member members_{struct.name}[] = {{"]
    lines += [member_line(registry, struct, m) for m in members]
    lines.append("};")
    extends = [e for e in struct.extends if e in names]
    if extends:
        lines.append(f"static const struct describe_struct *const extends_{struct.name}[] = {{"
                     + ", ".join(f"&struct_{e}" for e in extends) + "};")
    stype = struct.stypes[-1] if struct.stypes else "0"
    return lines + [f"static const struct describe_struct struct_{struct.name} = {{",
                    f"    {c_string(struct.name)}, {stype}, sizeof({struct.name}), {len(members)}, "
                    f"members_{struct.name}, {len(extends)}, {'extends_' + struct.name if extends else 'NULL'}}};", ""]


def data_source(registry):
    structs = [s for s in described(registry) if s.members]
    names = {s.name for s in structs}
    lines = [ctext.banner("describe_data.c", "").rstrip(), '#include "tools/zeinfo/describe.h"', "",
             "#include <level_zero/ze_api.h>", ""]
    seen = []
    for struct in structs:
        for member in struct.members:
            item = registry.resolve(member.base)
            if item is not None and item.kind == "enum" and item not in seen and not member.depth:
                seen.append(item)
    result = registry.get("ze_result_t")
    for enum in seen + ([result] if result not in seen else []):
        lines += enum_lines(enum)
    lines += ["const struct describe_enum *const describe_results = &enum_ze_result_t;", ""]
    for struct in structs:
        lines.append(f"static const struct describe_struct struct_{struct.name};")
    lines.append("")
    for struct in structs:
        lines += struct_lines(registry, struct, names)
    lines.append("const struct describe_struct *const describe_structs[] = {")
    lines += [f"    &struct_{s.name}," for s in structs]
    lines += ["};", f"const size_t describe_struct_count = {len(structs)};", "",
              "const struct describe_function describe_functions[] = {"]
    layout = Layout(registry)
    for function, table, slot in layout.functions:
        lines.append(f"    {{{c_string(function.name)}, {c_string(layout.tables[table][2].getter)}, {slot}, "
                     f"{function.since[1]}}},")
    return "\n".join(lines + ["};", f"const size_t describe_function_count = {len(layout.functions)};"]) + "\n"


def generate(registry):
    return {"tools/describe_data.c": data_source(registry)}
