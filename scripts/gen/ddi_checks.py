"""Derives the checks of arguments: which checks each function and structure has, and their C forms.

The same list of checks makes two things. One is the data that geo_ddi_check_call walks
(src/ddi/check.c). The other is a condition in the entry of each function: if it is false, no check
can fail, and the entry does without the walk.
"""

import re

from . import ctext
from .registry import RegistryError, full_members

# The order of checks. It decides which error is returned when several checks fail.
HANDLES, POINTERS, VALUES, CHAINS, REST = range(5)
STAGE_OF = {"ZE_RESULT_ERROR_INVALID_NULL_HANDLE": HANDLES, "ZE_RESULT_ERROR_INVALID_NULL_POINTER": POINTERS,
            "ZE_RESULT_ERROR_INVALID_ENUMERATION": VALUES, "ZE_RESULT_ERROR_UNSUPPORTED_FEATURE": CHAINS}

# The forms that the condition of an `error` line may have: (pattern, kind of check).
FORMS = (
    (r"\(nullptr == (?P<a>\w+)\) && \(0 < (?P<b>\w+)\)", "NULL_ARRAY"),
    (r"nullptr == (?P<a>\w+->\w+)", "NULL"),
    (r"0 == (?P<a>\w+(->\w+)?)", "ZERO"),
    (r"(?P<a>\w+) % (?P<b>\w+) != 0", "NO_MULTIPLE"),
    (r"0 != \((?P<a>\w+) & \((?P=a) - 1\)\)", "NO_POWER_OF_TWO"),
    (r"unknown\((?P<a>\w+)\)", "UNKNOWN_LINK"),
)

# C conditions that are true if the check can fail. {a} and {b} are the values, {mask} the known
# bits of flags, {type} an enumeration.
SUSPICIONS = {
    "NULL": "{a} == NULL",
    "FLAGS": "({a} & ~{mask}) != 0",
    "ENUM": "!GEO_DDI_IS_{type}((uint32_t){a})",
    "NULL_ARRAY": "({a} == NULL && {b} != 0)",
    "ZERO": "{a} == 0",
    "NO_MULTIPLE": "({b} != 0 && {a} % {b} != 0)",
    "NO_POWER_OF_TWO": "({a} & ({a} - 1)) != 0",
    "UNKNOWN_LINK": "{a} != NULL",
    "LINKS": "{a} != NULL",
}


class Check:
    """One check. A place is a pair of indices: of the parameter, and of the member or -1."""

    def __init__(self, kind, result, a, b=(-1, -1), index="-1", unless="-1"):
        self.kind, self.result, self.a, self.b, self.index, self.unless = kind, result, a, b, index, unless
        self.size, self.offset, self.suspicion = "0", "0", ""


def value_check(layout, member, place):
    """Returns the check that the type of a parameter or member requires, or None."""
    kind, index = layout.kind_of(member.base)
    if member.depth > 0 or kind == "CALLBACK":
        return None if member.optional else Check("NULL", "ZE_RESULT_ERROR_INVALID_NULL_POINTER", place)
    if kind == "HANDLE":
        return None if member.optional else Check("NULL", "ZE_RESULT_ERROR_INVALID_NULL_HANDLE", place)
    if kind in ("FLAGS", "ENUM") and index >= 0 and not member.array:
        return Check(kind, "ZE_RESULT_ERROR_INVALID_ENUMERATION", place, index=str(index))
    return None


def members_of(struct):
    """Returns [(index, member)] of the members that a caller sets, without stype and pNext."""
    return [(n, m) for n, m in enumerate(full_members(struct)) if not (struct.base and n < 2) and
            (m.direction == "in" or (m.direction == "inout" and m.depth > 0))]


def struct_checks(layout, struct):
    """Returns the checks of a structure in a chain."""
    checks = []
    for index, member in members_of(struct):
        check = value_check(layout, member, (-1, index))
        if check:
            check.size, check.offset = member_size(struct, member)
            checks.append(check)
    return sorted(checks, key=lambda check: STAGE_OF[check.result])


def member_size(struct, member):
    return f"sizeof((({struct.name} *)0)->{member.name})", f"offsetof({struct.name}, {member.name})"


def chain_has_checks(layout, base):
    return any(base in s.extends and struct_checks(layout, s) for s in layout.structs)


def described_struct(layout, member):
    """Returns the structure that a parameter points to, if its members need checks, else None."""
    if member.depth != 1 or member.range or member.direction == "out" or layout.kind_of(member.base)[0] != "STRUCT":
        return None
    struct = layout.registry.resolve(member.base)
    return struct if struct.kind == "struct" else None


def error_checks(layout, function):
    """Returns the checks that the function's `error` lines require."""
    checks = []
    names = [m.name for m in function.members]

    def place(text):
        if text is None:
            return -1, -1
        name, _, inner = text.partition("->")
        if name not in names:
            raise RegistryError(f"{function.where}: unknown parameter {name}")
        if not inner:
            return names.index(name), -1
        struct = layout.registry.resolve(function.members[names.index(name)].base)
        members = [m.name for m in full_members(struct)]
        if inner not in members:
            raise RegistryError(f"{function.where}: {struct.name} has no member {inner}")
        return names.index(name), members.index(inner)

    for result, when in function.errors:
        if not when:
            continue
        when, _, unless = when.partition(" unless ")
        form = kind = None
        for pattern, kind in FORMS:
            form = re.fullmatch(pattern, when)
            if form:
                break
        if not form:
            raise RegistryError(f"{function.where}: the generator does not know the form of '{when}'")
        if unless and unless not in layout.struct_index:
            raise RegistryError(f"{function.where}: unknown structure {unless}")
        index = f"GEO_DDI_STRUCT_COUNT + GEO_DDI_FN_{function.name}" if kind == "UNKNOWN_LINK" else "-1"
        checks.append(Check(kind, result, place(form["a"]), place(form.groupdict().get("b")), index,
                            str(layout.struct_index[unless]) if unless else "-1"))
    return checks


def function_checks(layout, function):
    """Returns all checks of a function in their order."""
    if function.returns != "ze_result_t":
        return []
    checks = []
    for number, member in enumerate(function.members):
        check = value_check(layout, member, (number, -1))
        if check:
            checks.append(check)
        struct = described_struct(layout, member)
        if struct:
            for index, inner in members_of(struct):
                check = value_check(layout, inner, (number, index))
                if check:
                    checks.append(check)
            if struct.base and chain_has_checks(layout, struct.name):
                checks.append(Check("LINKS", "ZE_RESULT_SUCCESS", (number, 1),
                                    index=str(layout.struct_index[struct.name])))
        elif member.name == "pNext" and chain_has_checks(layout, function.name):
            checks.append(Check("LINKS", "ZE_RESULT_SUCCESS", (number, -1),
                                index=f"GEO_DDI_STRUCT_COUNT + GEO_DDI_FN_{function.name}"))
    checks += error_checks(layout, function)
    for check in checks:
        complete(layout, function, check)
    return sorted(checks, key=lambda check: CHAINS if check.kind == "LINKS" else STAGE_OF.get(check.result, REST))


def complete(layout, function, check):
    """Sets the fields that follow from the place: size, offset, and the suspicion in C."""
    member = function.members[check.a[0]]
    text = member.name
    check.size = f"sizeof({member.ctype})"
    if check.a[1] >= 0:
        struct = layout.registry.resolve(member.base)
        member = full_members(struct)[check.a[1]]
        check.size, check.offset = member_size(struct, member)
        text += "->" + member.name
    other = function.members[check.b[0]].name if check.b[0] >= 0 else ""
    item = layout.registry.resolve(member.base)
    mask = 0
    if check.kind == "FLAGS":
        enum = layout.enums[int(check.index)]
        mask = sum(v.number for v in enum.values if v.form == "bit")
    suspicion = SUSPICIONS[check.kind].format(a=text, b=other, mask=f"0x{mask:x}u", type=item.name if item else "")
    if check.a[1] >= 0:
        suspicion = f"({function.members[check.a[0]].name} != NULL && {suspicion})"
    check.suspicion = suspicion


def suspicion(layout, function):
    """Returns the condition under which the entry of a function walks its checks, or "".

    Leaves out the first handle: the function first looks it up, which also refuses null."""
    checks = function_checks(layout, function)
    if checks and checks[0].result == "ZE_RESULT_ERROR_INVALID_NULL_HANDLE":
        checks = checks[1:]
    return " || ".join(check.suspicion for check in checks)


def suspicion_lines(layout, function):
    """Returns a C function that tells from the arguments whether a check can fail, or None."""
    checks = function_checks(layout, function)
    if not checks:
        return None
    condition = " || ".join(check.suspicion for check in checks)
    words = set(re.findall(r"\w+", condition))
    lines = [f"static bool suspect_{function.name}(void *const *arguments)", "{"]
    for number, member in enumerate(function.members):
        if member.name in words:
            ctype = ctext.pointer(member.ctype).strip()
            constant = "" if ctype.startswith("const ") and member.depth == 0 else "const "
            place = f"{ctype}const *" if ctype.endswith("*") else f"{constant}{ctype} *"
            lines.append(f"    {ctext.pointer(member.ctype)}{member.name} = *({place})arguments[{number}];")
    return lines + ctext.wrap(f"return {condition};", "    ") + ["}", ""]


def suspicions(layout):
    lines = [ctext.banner("ddi_suspicions.c", "").rstrip(), '#include "ddi/geo_ddi.h"',
             '#include "ddi/geo_ddi_facts.h"', ""]
    rows = []
    for function, _, _ in layout.functions:
        part = suspicion_lines(layout, function)
        lines += part or []
        rows.append(f"    suspect_{function.name}," if part else "    NULL,")
    lines += ["bool (*const geo_ddi_suspicions[GEO_DDI_FUNCTION_COUNT])(void *const *arguments) = {"] + rows + ["};"]
    return "\n".join(lines) + "\n"


def check_line(check, owner):
    place = lambda pair: f"{{{pair[0]}, {pair[1]}}}"
    return (f"    {{{check.result}, GEO_DDI_CHECK_{check.kind}, {check.size}, {place(check.a)}, {place(check.b)}, "
            f"{check.offset}, {check.index}, {check.unless}}}, /* {owner} */")


def source(layout):
    lines = [ctext.banner("ddi_checks.c", "").rstrip(), '#include "ddi/geo_ddi_internal.h"', "",
             "const struct geo_ddi_check geo_ddi_checks[] = {"]
    for function, _, _ in layout.functions:
        lines += [check_line(check, function.name) for check in function_checks(layout, function)]
    for struct in layout.structs:
        lines += [check_line(check, struct.name) for check in struct_checks(layout, struct)]
    return "\n".join(lines + ["};"]) + "\n"
