"""Generates include/level_zero/{ze,zes,zet,zer}_api.h: types, constants and prototypes of one area.

Order in a header: macros, constants, handles, enums, forward declarations, callback types, structs
(each after the structs that it embeds), constant descriptors, functions, tracing callbacks.
"""

import re

from . import ctext, tracing
from .registry import full_members, newest

PREAMBLE = """\
#include <stddef.h>
#include <stdint.h>

#ifndef ZE_MAKE_VERSION
/// A version number: major in the high, minor in the low 16 bits.
#define ZE_MAKE_VERSION(_major, _minor) (((_major) << 16) | ((_minor) & 0x0000ffff))
#endif

#ifndef ZE_MAJOR_VERSION
/// The major part of a version number.
#define ZE_MAJOR_VERSION(_ver) ((_ver) >> 16)
#endif

#ifndef ZE_MINOR_VERSION
/// The minor part of a version number.
#define ZE_MINOR_VERSION(_ver) ((_ver) & 0x0000ffff)
#endif

#ifndef ZE_BIT
/// A flag: the number with only bit _i set.
#define ZE_BIT(_i) (1 << (_i))
#endif

#ifndef ZE_APICALL
/// Calling convention of every API function.
#if defined(_WIN32)
#define ZE_APICALL __cdecl
#else
#define ZE_APICALL
#endif
#endif

#ifndef ZE_CALLBACK_CONV
/// Calling convention of functions that the application passes to the API.
#if defined(_WIN32)
#define ZE_CALLBACK_CONV __stdcall
#else
#define ZE_CALLBACK_CONV
#endif
#endif

#ifndef ZE_APIEXPORT
/// Makes a function visible outside its library.
#if defined(_WIN32)
#define ZE_APIEXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define ZE_APIEXPORT __attribute__ ((visibility ("default")))
#else
#define ZE_APIEXPORT
#endif
#endif

#ifndef ZE_DLLEXPORT
/// Makes a function visible outside its library.
#if defined(_WIN32)
#define ZE_DLLEXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define ZE_DLLEXPORT __attribute__ ((visibility ("default")))
#else
#define ZE_DLLEXPORT
#endif
#endif
""".split("\n")


def direction_text(member):
    text = {"in": "[in]", "out": "[out]", "inout": "[in,out]"}[member.direction]
    if member.optional:
        text += "[optional]"
    if member.release:
        text += "[release]"
    if member.range:
        text += "[range({}, {})]".format(*member.range)
    return text


# Documentation of members and parameters that have one meaning in the whole API.
COMMON_TEXTS = {
    "hSignalEvent": "event that the command signals when it completes; null: none",
    "numWaitEvents": "number of events in phWaitEvents; 0 if that is null",
    "phWaitEvents": "events that must be signaled before the command starts",
    "onSubdevice": "true: belongs to sub-device subdeviceId; false: to the whole device",
    "subdeviceId": "index of the sub-device; valid only if onSubdevice is true",
    "canControl": "whether a caller with sufficient permissions can change the settings",
}


def default_text(member, siblings):
    """Returns the documentation of a member for which the registry has none."""
    if member.name in COMMON_TEXTS:
        return COMMON_TEXTS[member.name]
    for other in siblings:
        if (member.direction == "inout" and member.depth == 1 and other.optional and other.range and
                other.range[1] == "*" + member.name):
            return f"in: entries that fit in {other.name}, 0 to query; out: entries available, or written"
    return ""


def member_text(member, siblings):
    text = direction_text(member)
    if member.zero:
        text += " must be 0"
    doc = member.doc or default_text(member, siblings)
    if doc:
        text += " " + doc
    notes = []
    if member.since:
        notes.append("Since " + ctext.version_text(member.since) + ".")
    note = ctext.deprecated_text(member)
    if note:
        notes.append(note)
    if notes:
        text += ("." if doc and not text.endswith(".") else "") + " " + " ".join(notes)
    return text


def const_lines(item, registry):
    value = item.value
    current = re.fullmatch(r"current\((\w+)\)", value)
    if current:
        value = "ZE_MAKE_VERSION( {}, {} )".format(*newest(registry.get(current[1])).split("."))
    lines = [f"#ifndef {item.name}"]
    lines += ctext.doc_block(item)
    return lines + [f"#define {item.name} {value}", "#endif", ""]


def enum_value(value):
    if value.form == "bit":
        return f"ZE_BIT({value.text})"
    if value.form in ("version", "current"):
        return "ZE_MAKE_VERSION({}, {})".format(*value.text.split("."))
    if value.form == "force":
        return "0x7fffffff"
    return value.text


def tagged_structs(registry):
    """Returns {structure type: name of its struct}."""
    return {stype: struct.name for struct in registry.kind("struct") for stype in struct.stypes}


def enum_lines(item, tagged):
    lines = ctext.doc_block(item)
    if item.flags:
        lines.append(f"typedef uint32_t {item.flags};")
        lines.append(f"/// The bits of {item.flags}.")
    lines.append(f"typedef enum _{item.name} {{")
    for value in item.values:
        doc = value.doc or tagged.get(value.name, "")
        notes = []
        if value.since:
            notes.append("Since " + ctext.version_text(value.since) + ".")
        note = ctext.deprecated_text(value)
        if note:
            notes.append(note)
        if value.form == "force":
            doc = "makes the type 32 bits wide"
        if notes:
            doc = (doc + ". " if doc else "") + " ".join(notes)
        lines += ctext.trailing(f"    {value.name} = {enum_value(value)},", doc)
    return lines + [f"}} {item.name};", ""]


def struct_lines(item):
    extra = []
    if item.extends:
        extra.append("Extends " + ", ".join(item.extends) + " (through pNext).")
    if item.stypes:
        extra.append("Its stype: " + ", ".join(item.stypes) + ".")
    lines = ctext.doc_block(item, extra)
    members = full_members(item)
    if not members:
        # An empty struct has size 0 in C and 1 in C++, as in other providers' headers.
        lines = ["#if defined(__clang__)", "#pragma clang diagnostic push",
                 '#pragma clang diagnostic ignored "-Wextern-c-compat"', "#endif"] + lines
        return lines + [f"__extension__ typedef struct {item.tag} {{", f"}} {item.name};",
                        "#if defined(__clang__)", "#pragma clang diagnostic pop", "#endif", ""]
    if item.kind == "union" or item.tag != "_" + item.name:
        lines.append(f"typedef {item.kind} {item.tag} {{")
        close = f"}} {item.name};"
    else:
        lines.append(f"struct {item.tag} {{")
        close = "};"
    for member in members:
        code = "    " + ctext.declare(member.ctype, member.name, member.array) + ";"
        lines += ctext.trailing(code, member_text(member, members))
    return lines + [close, ""]


def callback_lines(item):
    lines = ctext.doc_block(item)
    convention = item.convention + " " if item.convention else ""
    if not item.members:
        # The published headers declare this type without a parameter list.
        return (["#if defined(__GNUC__) && !defined(__cplusplus)", "#pragma GCC diagnostic push",
                 '#pragma GCC diagnostic ignored "-Wstrict-prototypes"', "#endif"] + lines +
                [f"typedef {item.returns} ({convention}*{item.name})();",
                 "#if defined(__GNUC__) && !defined(__cplusplus)", "#pragma GCC diagnostic pop",
                 "#endif", ""])
    params = ", ".join(ctext.declare(m.ctype, m.name) for m in item.members)
    return lines + [f"typedef {item.returns} ({convention}*{item.name})({params});", ""]


def function_lines(item):
    errors = [code + (f" when {when}" if when else "") for code, when in item.errors]
    lines = ctext.doc_block(item, errors=errors)
    lines.append(f"ZE_APIEXPORT {ctext.pointer(item.returns)}ZE_APICALL {item.name}(")
    if not item.members:
        lines[-1] += "void);"
        return lines + [""]
    for member in item.members:
        last = member is item.members[-1]
        code = "    " + ctext.declare(member.ctype, member.name) + ("" if last else ",")
        lines += ctext.trailing(code, member_text(member, item.members))
    return lines + [");", ""]


def default_lines(item):
    lines = ctext.doc_block(item)
    lines.append(f"static const {item.type} {item.name} = {{")
    for field in item.fields:
        lines.append(f"    {field},")
    return lines + ["};", ""]


def sorted_structs(structs):
    """Keeps the order of the registry, but puts each struct after those that it embeds by value."""
    byname = {s.name: s for s in structs}
    done, order = set(), []

    def visit(struct):
        if struct.name in done:
            return
        done.add(struct.name)
        for member in struct.members:
            if member.depth == 0 and member.base in byname:
                visit(byname[member.base])
        order.append(struct)

    for struct in structs:
        visit(struct)
    return order


def section_title(title):
    return ["/* " + "-" * 94 + " */", f"/* {title}", " */"]


def body_lines(registry, area):
    """Returns the lines of one area, without preamble and guards."""
    pick = lambda kind: registry.kind(kind, area)
    lines = []
    for item in registry.items:
        if item.kind in ("const", "extension") and item.file in registry.areas[area]:
            lines += const_lines(item, registry)
    aliases = pick("alias")
    for item in aliases:
        if registry.get(item.of) is None:
            lines += ctext.doc_block(item) + [f"typedef {item.of} {item.name};", ""]
    for item in pick("handle"):
        lines += ctext.doc_block(item) + [f"typedef struct _{item.name} *{item.name};", ""]
    for item in aliases:
        target = registry.get(item.of)
        if target is not None and target.kind == "handle":
            lines += ctext.doc_block(item) + [f"typedef {item.of} {item.name};", ""]
    tagged = tagged_structs(registry)
    for item in pick("enum"):
        lines += enum_lines(item, tagged)
    structs = [s for s in registry.items
               if s.kind in ("struct", "union") and s.file in registry.areas[area]]
    for struct in structs:
        if struct.kind == "struct" and struct.tag == "_" + struct.name and full_members(struct):
            lines.append(f"typedef struct {struct.tag} {struct.name};")
    lines.append("")
    late = [c for c in pick("callback")]
    for item in late:
        lines += callback_lines(item)
    for item in sorted_structs(structs):
        lines += struct_lines(item)
    for item in aliases:
        target = registry.get(item.of)
        if target is not None and target.kind in ("struct", "union"):
            lines += ctext.doc_block(item) + [f"typedef {item.of} {item.name};", ""]
    for item in pick("default"):
        lines += default_lines(item)
    section = None
    for item in pick("function"):
        if item.section != section:
            section = item.section
            lines += ["/* --- " + section + " --- */", ""]
        lines += function_lines(item)
    return lines


def generate(registry):
    outputs = {}
    for area, api in (("core", "ze"), ("sysman", "zes"), ("tools", "zet"), ("runtime", "zer")):
        name = f"{api}_api.h"
        lines = [ctext.banner(name, area).rstrip(),
                 f"/* Level Zero {registry.spec}, {area} programming interface. */"]
        lines += ctext.guard_begin(f"_{api.upper()}_API_H")
        lines += PREAMBLE if api == "ze" else ['#include "ze_api.h"', ""]
        lines += ctext.cpp_begin()
        lines += body_lines(registry, area)
        if api == "ze":
            lines += tracing.legacy_lines(registry)
        if api == "zet":
            lines += tracing.alias_lines(registry)
        lines += ctext.cpp_end() + ["", f"#endif // _{api.upper()}_API_H"]
        outputs["include/level_zero/" + name] = "\n".join(lines) + "\n"
    return outputs
