"""Generates build-time C for the loader: functions that translate handles for some drivers.

They serve drivers whose handles do not begin with dispatch tables. The loader gives applications
handles of its own for these drivers, which begin with tables of the functions generated here. Each
function replaces the loader's handles by the driver's, calls the driver, and wraps the handles that
the driver returns. The code that does not depend on the function is hand-written
(src/loader/handle/translate.h).

The registry tells where handles are. If they cannot be translated there, the build stops.
"""

from . import ctext
from .ddi_data import Layout
from .ddi_driver import failure_value, prototype
from .ddi_loader import array_of_handles, leading, own_names, tables_of
from .registry import RegistryError, full_members

# Functions that take handles as values of kernel arguments: hand-written in
# src/loader/handle/translate_arguments.c.
BY_HAND = ("zeKernelSetArgumentValue", "zeCommandListAppendLaunchKernelWithArguments")
# Structures with a pointer to a value that may be a handle: (the pointer, the size of the value).
VALUES = {"ze_mutable_kernel_argument_exp_desc_t": ("pArgValue", "argSize")}
# Untyped parameters that point to a structure with an stype.
DESCRIPTORS = ("pObjDesc",)
# Address parameters that may be handles: {(function, parameter): type of the handle}.
ADDRESSES = {("zeMemGetIpcHandleWithProperties", "ptr"): "ze_physical_mem_handle_t"}
# Objects that a call may create even if it fails.
MADE_BY_FAILURE = ("ze_module_build_log_handle_t",)


def handle_id(layout, member):
    return f"GEO_DDI_HANDLE_{layout.registry.resolve(member.base).name}"


def handles_of(layout, struct):
    """Returns the members of a structure that are handles. Refuses handles in other positions."""
    found = []
    for member in full_members(struct):
        kind, index = layout.kind_of(member.base)
        if kind == "HANDLE":
            if member.depth or member.array or member.direction != "in":
                raise RegistryError(f"{struct.where}: {member.name}: "
                                    "only single input handles can be translated here")
            found.append(member)
        elif kind == "STRUCT" and index >= 0 and carries(layout, layout.structs[index]):
            raise RegistryError(f"{struct.where}: {member.name}: "
                                "handles in nested structures cannot be translated")
    return found


def carries(layout, struct):
    """Returns whether a structure itself, without its chain, contains handles."""
    return struct.name in VALUES or bool(handles_of(layout, struct))


def links_of(layout, base):
    """Returns the structures that are allowed in the chain of `base`, a structure or a function."""
    return [s for s in layout.structs if base in s.extends]


def reaches(layout, base, struct=None):
    return (struct is not None and carries(layout, struct)) or any(carries(layout, s) for s in links_of(layout, base))


def all_links(layout):
    """Returns the structures with handles, and those allowed in the same chains.

    A chain is copied as a whole if one of its structures contains a handle."""
    carriers = [s for s in layout.structs if s.base and carries(layout, s)]
    bases = {base for s in carriers for base in s.extends if base in layout.struct_index}
    names = {s.name for s in carriers} | bases
    names |= {s.name for base in bases for s in links_of(layout, base)}
    return [s for s in layout.structs if s.name in names]


class Body:
    """The parts of a generated function, in the order in which they run."""

    def __init__(self, layout, function, lead):
        self.layout, self.function, self.lead = layout, function, lead
        self.declared = []  # C lines
        self.steps = []  # C expressions of type ze_result_t; the first that fails ends the steps
        self.after = []  # C lines after the call
        self.ends = []  # C lines at the end, also after failures
        self.given = []  # the driver's arguments
        for member in function.members:
            self.add(member)

    def add(self, member):
        kind, index = self.layout.kind_of(member.base)
        if kind == "HANDLE":
            self.add_handle(member)
            return
        address = ADDRESSES.get((self.function.name, member.name))
        if address:
            self.given.append(f"geo_translate_chain_address(lead, GEO_DDI_HANDLE_{address}, {member.name})")
            return
        self.given.append(member.name)
        if kind == "STRUCT" and index >= 0:
            self.add_struct(member, self.layout.structs[index])
        elif member.base == "void" and (member.name in DESCRIPTORS or
                                        (member.name == "pNext" and reaches(self.layout, self.function.name))):
            self.add_chain(member)

    def add_struct(self, member, struct):
        if not reaches(self.layout, struct.name, struct):
            return
        if member.depth != 1 or member.range or member.direction == "out" or not struct.base:
            raise RegistryError(f"{self.function.where}: {member.name}: "
                                "handles in this parameter cannot be translated")
        self.add_chain(member)

    def add_chain(self, member):
        self.given[-1] = f"link_{member.name}"
        self.declared += [f"struct geo_translate_chain chain_{member.name};", f"chain_{member.name}.heap = NULL;",
                          f"const void *link_{member.name} = NULL;"]
        self.steps.append(f"geo_translate_chain_begin(&chain_{member.name}, lead, {member.name}, &link_{member.name})")
        self.ends.append(f"geo_translate_chain_end(&chain_{member.name});")

    def add_handle(self, member):
        if member.depth == 0:
            self.add_one(member)
        elif member.depth != 1:
            raise RegistryError(f"{self.function.where}: {member.name}: "
                                "pointers to pointers to handles cannot be translated")
        elif member.direction == "in":
            self.add_array(member)
        elif not member.range:
            self.add_made(member)
        elif member.range[1].startswith("*"):
            self.add_list(member)
        else:
            self.add_exchanged(member)

    def add_one(self, member):
        self.given.append(f"({member.ctype})own_{member.name}")
        if self.lead == member.name:
            return
        self.declared.append(f"void *own_{member.name} = NULL;")
        self.steps.append(f"geo_translate_in(lead, {member.name}, &own_{member.name})")

    def add_array(self, member):
        """Adds an input array of handles."""
        self.given.append(f"({member.ctype})array_{member.name}.items")
        self.declared += [f"struct geo_translate_array array_{member.name};", f"array_{member.name}.heap = NULL;"]
        self.steps.append(f"geo_translate_array_begin(&array_{member.name}, lead, {member.range[1]}, {member.name})")
        self.ends.append(f"geo_translate_array_end(&array_{member.name});")

    def add_made(self, member):
        """Adds an output handle."""
        name = member.name
        self.given.append(f"{name} ? ({member.ctype})&out_{name} : NULL")
        if not member.create:
            self.declared.append(f"void *out_{name} = GEO_TRANSLATE_UNWRITTEN;")
            self.after.append(f"result = geo_translate_out(lead, {handle_id(self.layout, member)}, result, out_{name}, {name});")
            return
        self.declared.append(f"void *out_{name} = NULL;")
        made = "result == ZE_RESULT_SUCCESS" + (f" || out_{name}" if member.base in MADE_BY_FAILURE else "")
        self.declared.append(f"struct geo_handle *new_{name} = NULL;")
        self.steps.append(f"geo_translate_reserve(lead, {handle_id(self.layout, member)}, {name} ? 1 : 0, &new_{name})")
        self.ends.append(f"geo_translate_made(new_{name}, {made}, &out_{name}, {name} ? 1 : 0, {name});")

    def add_list(self, member):
        """Adds an array of handles that the driver fills up to its count."""
        name, count = member.name, member.range[1][1:]
        self.given.append(name)
        room = f"geo_translate_room({count})" if member.create else f"*{count}"
        self.declared.append(f"const uint32_t room_{name} = {name} && {count} ? {room} : 0;")
        if not member.create:
            self.after += [f"if (result == ZE_RESULT_SUCCESS && room_{name})",
                           f"    result = geo_translate_list(lead, {handle_id(self.layout, member)}, room_{name}, *{count}, {name});"]
            return
        self.declared.append(f"struct geo_handle *new_{name} = NULL;")
        self.steps.append(f"geo_translate_reserve(lead, {handle_id(self.layout, member)}, room_{name}, &new_{name})")
        self.ends.append(f"geo_translate_made(new_{name}, result == ZE_RESULT_SUCCESS, {name}, "
                         f"geo_translate_least(room_{name}, {count}), {name});")

    def add_exchanged(self, member):
        """Adds an array of handles that the driver reads and writes."""
        self.add_array(member)
        self.after.append("if (result == ZE_RESULT_SUCCESS)")
        self.after.append(f"    result = geo_translate_array_out(&array_{member.name}, lead, "
                          f"{handle_id(self.layout, member)}, {member.range[1]}, {member.name});")


def released(function):
    for member in function.members:
        if member.release and member.depth == 0:
            return member.name
    return None


def lead_lines(layout, function, kind, refuse):
    """Returns C that finds `lead`, the loader's handle that tells the driver of the call."""
    if kind == "handle":
        name = function.members[0].name
        return name, [f"const struct geo_handle *lead = geo_translate_lead({name});",
                      f"void *own_{name} = geo_translate_own(lead);", f"if (own_{name} == NULL)",
                      f"    return {failure_value(function, f'geo_translate_refuse({name})')};"]
    count, name = array_of_handles(layout, function)
    return None, [f"if ({name} == NULL)", f"    return {refuse('INVALID_NULL_POINTER')};",
                  f"if ({count} == 0)", f"    return {refuse('INVALID_SIZE')};",
                  f"if ({name}[0] == NULL)", f"    return {refuse('INVALID_NULL_HANDLE')};",
                  f"const struct geo_handle *lead = geo_translate_lead({name}[0]);"]


def returned_lines(layout, function, call):
    """Returns the end of a C function that returns a handle."""
    kind = f"GEO_DDI_HANDLE_{layout.registry.resolve(function.returns).name}"
    return [f"void *out = {call};", "void *given = NULL;",
            f"(void)geo_translate_out(lead, {kind}, ZE_RESULT_SUCCESS, out, &given);", f"return ({function.returns})given;"]


def result_lines(body, function, call):
    """Returns the C lines of the steps, of the call, and those after it."""
    gone = released(function)
    if not body.steps and not body.after and not gone:
        return [f"return {call};"]
    lines = []
    steps = body.steps + ([f"geo_translate_release_begin({gone})"] if gone else [])
    for number, step in enumerate(steps):
        if number:
            lines += ["if (result == ZE_RESULT_SUCCESS)", f"    result = {step};"]
        else:
            lines.append(f"ze_result_t result = {step};")
    if gone:
        lines += ["if (result == ZE_RESULT_SUCCESS) {", f"    result = {call};",
                  f"    geo_translate_release_end({gone}, result == ZE_RESULT_SUCCESS);", "}"]
    elif steps:
        lines += ["if (result == ZE_RESULT_SUCCESS)", f"    result = {call};"]
    else:
        lines.append(f"ze_result_t result = {call};")
    return lines + body.after + body.ends + ["return result;"]


def function_lines(layout, function, table, slot):
    api, _, item = layout.tables[table]
    refuse = lambda code: failure_value(function, "ZE_RESULT_ERROR_" + code)
    lead, lines = lead_lines(layout, function, leading(layout, function), refuse)
    body = Body(layout, function, lead)
    call = f"geo_translate_functions(lead)->{api}.{item.field}.{item.slots[slot][1]}({', '.join(body.given)})"
    lines += body.declared
    if function.returns == "ze_result_t":
        lines += result_lines(body, function, call)
    elif body.steps or body.after or layout.kind_of(function.returns)[0] != "HANDLE":
        raise RegistryError(f"{function.where}: "
                            f"a function that returns {function.returns} cannot be translated")
    else:
        lines += returned_lines(layout, function, call)
    return ["static " + prototype(function, "ZE_APICALL translate_"), "{"] + indented(lines) + ["}", ""]


def indented(lines):
    """Indents the lines of a function's body, and wraps long ones."""
    result = []
    for line in lines:
        indent = " " * (4 + len(line) - len(line.lstrip()))
        first, *rest = ctext.wrap(line.strip(), indent)
        result += [first] + ["    " + more for more in rest]
    return result


def links(layout):
    """Returns the table that the walk over chains uses: types, sizes and places of handles."""
    lines = [ctext.banner("loader_links.c", "").rstrip(), '#include "loader/handle/translate.h"', "",
             "const struct geo_translate_link geo_translate_links[] = {"]
    for struct in all_links(layout):
        handles = handles_of(layout, struct)
        if struct.api != "ze" or len(handles) > 1:
            raise RegistryError(f"{struct.where}: {struct.name}: its handles cannot be translated")
        place = lambda name: f"offsetof({struct.name}, {name})"
        handle = place(handles[0].name) if handles else "0"
        value, size = (place(n) for n in VALUES[struct.name]) if struct.name in VALUES else ("0", "0")
        lines += [f"    {{{stype}, sizeof({struct.name}), {handle}, {value}, {size}}}," for stype in struct.stypes]
    return "\n".join(lines + ["};", "const size_t geo_translate_link_count =",
                              "    sizeof(geo_translate_links) / sizeof(geo_translate_links[0]);", ""])


def translate(layout):
    lines = [ctext.banner("loader_translate.c", "").rstrip(), '#include "loader/handle/translate.h"', "",
             '#include "ddi/geo_loader_own.h"', ""]
    own = own_names(layout)
    for function, table, slot in layout.functions:
        if function.name not in own and function.name not in BY_HAND:
            lines += function_lines(layout, function, table, slot)

    def name(function):
        if function in own:
            return f"geo_held_{function}"
        return f"geo_translate_{function}" if function in BY_HAND else f"translate_{function}"
    lines += tables_of(layout, "geo_translate_tables", name)
    return "\n".join(lines)


def generate(registry):
    layout = Layout(registry)
    return {"ddi/loader_translate.c": translate(layout), "ddi/loader_links.c": links(layout)}
