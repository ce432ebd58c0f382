"""Generates build-time C for tests/api/test_codes.c.

It contains all questions about wrong arguments that the registry answers, and all places that a
function must write. A question is a call with valid arguments of which something is changed. The
answer is a result code, or that the arguments pass. Questions are made from the registry alone.
They share no code with ddi_checks.py, which tells drivers how to find the answer.
"""

import re

from . import ctext
from .ddi_data import Layout, c_string
from .registry import full_members

HANDLE, POINTER, VALUE = "ERROR_INVALID_NULL_HANDLE", "ERROR_INVALID_NULL_POINTER", "ERROR_INVALID_ENUMERATION"
UNKNOWN_TYPE = 0x0BADF00D  # an stype that no structure has


class Write:
    """A change of a call's arguments.

    It writes an argument, the memory that it points to, or the newest link of a chain. Or it adds a
    link in front of a chain, which begins in an argument or in that memory (enum codes_where)."""

    def __init__(self, where, param, offset, size, value, pointer=False):
        self.fields = (f"CODES_{where}", str(param), offset, size, f"0x{value & 0xFFFFFFFFFFFFFFFF:x}u",
                       "true" if pointer else "false")

    def text(self):
        return "{" + ", ".join(self.fields) + "}"


def offset_of(struct, member):
    return f"offsetof({struct.name}, {member.name})"


def size_of(struct, member):
    return f"sizeof((({struct.name} *)0)->{member.name})"


def unknown_value(enum):
    return max(v.number for v in enum.values if v.form != "force") + 1


def unknown_bits(enum):
    known = sum(v.number for v in enum.values if v.form == "bit")
    return [1 << bit for bit in range(32) if not known >> bit & 1]


class Target:
    """A parameter or a member, and a function that returns the writes to it."""

    def __init__(self, layout, member, name, write):
        self.member, self.name, self.write = member, name, write
        self.kind, self.index = layout.kind_of(member.base)
        self.enum = layout.enums[self.index] if self.kind in ("ENUM", "FLAGS") and self.index >= 0 else None

    @property
    def pointer(self):
        return self.member.depth > 0 or self.kind == "CALLBACK"

    @property
    def handle(self):
        return not self.pointer and self.kind == "HANDLE"

    def wrongs(self):
        """Returns (text, writes, code) for each value that is invalid for this parameter or member.

        text describes it ("hDevice is null"), writes are the changes that store it in the arguments,
        and code is the name of the result that the call must return."""
        if self.pointer or self.handle:
            code = POINTER if self.pointer else HANDLE
            return [] if self.member.optional else [(f"{self.name} is null", self.write(0), code)]
        if self.member.depth or self.member.array or not self.enum:
            return []
        if self.kind == "ENUM":
            values = [unknown_value(self.enum), 0x7FFFFFFF, 0xFFFFFFFF]
        else:
            values = unknown_bits(self.enum)
        return [(f"{self.name} is 0x{value:x}", self.write(value), VALUE) for value in values]

    def rights(self):
        if self.pointer or self.handle:
            return [(f"{self.name} is null", self.write(0))] if self.member.optional else []
        if self.member.depth or self.member.array or not self.enum:
            return []
        if self.kind == "FLAGS":
            known = sum(v.number for v in self.enum.values if v.form == "bit")
            values = [known] if known else []
            values += [0xFFFFFFFF] if self.enum.all else []
        else:
            values = sorted({v.number for v in self.enum.values if v.form != "force"})
        return [(f"{self.name} is 0x{value:x}", self.write(value)) for value in values]


class Function:
    """A function: valid arguments, and the questions."""

    def __init__(self, layout, function, place):
        self.layout, self.item, self.place = layout, function, place
        self.defaults, self.questions = [], []
        self.targets = []  # of parameters
        self.inner = []  # of members of input structures
        self.chains = []  # (name, base of the extensions, write that adds a link, structure)
        for number, member in enumerate(function.members):
            self.add_param(number, member)
        self.ask()

    def add_param(self, number, member):
        write = lambda value, pointer=False: [Write("ARGUMENT", number, "0", f"sizeof({member.ctype})", value, pointer)]
        target = Target(self.layout, member, member.name, write)
        self.targets.append(target)
        if member.name == "pNext":
            self.chains.append((member.name, self.item.name,
                                lambda stype: [Write("CHAIN_OF_CALL", number, "0", "0", stype)], None))
        elif target.pointer:
            self.defaults += write(0, True)
            self.add_struct(number, member)
        elif target.handle:
            self.defaults += [] if member.optional else [Write("HANDLE", number, "0", "8", 0)]
        elif target.kind == "ENUM":
            self.defaults += write(target.enum.values[0].number)
        elif target.kind == "VALUE" and member.depth == 0:
            self.defaults += write(1)

    def add_struct(self, number, member):
        if member.depth != 1 or member.range or member.direction == "out":
            return
        if self.layout.kind_of(member.base)[0] != "STRUCT":
            return
        struct = self.layout.registry.resolve(member.base)
        if struct.kind != "struct":
            return
        for inner in full_members(struct):
            write = lambda value, pointer=False, m=inner: [
                Write("BEHIND", number, offset_of(struct, m), size_of(struct, m), value, pointer)]
            if inner.name == "stype":
                self.defaults.append(Write("BEHIND", number, offset_of(struct, inner), "4", self.stype(struct)))
            elif inner.name == "pNext":
                self.chains.append((f"{member.name}->pNext", struct.name,
                                    lambda stype, m=inner: [Write("CHAIN", number, offset_of(struct, m), "0", stype)],
                                    struct))
            elif inner.direction == "in" or (inner.direction == "inout" and inner.depth):
                target = Target(self.layout, inner, f"{member.name}->{inner.name}", write)
                self.inner.append(target)
                if target.pointer:
                    self.defaults += write(0, True)
                elif target.kind == "ENUM" and not inner.array:
                    self.defaults += write(target.enum.values[0].number)
                elif target.kind == "VALUE" and not inner.array:
                    self.defaults += write(1)
                elif target.kind == "FLAGS" and not inner.array:
                    self.defaults += write(min(v.number for v in target.enum.values if v.form == "bit"))

    def stype(self, struct):
        name = struct.stypes[0]
        return next(v.number for e in self.layout.enums for v in e.values if v.name == name)

    def extensions(self, base):
        return [s for s in self.layout.structs if base in s.extends]

    # --- questions ---

    def question(self, what, writes, code):
        self.questions.append((what, writes, code))

    def ask(self):
        first = self.targets[0] if self.targets else None
        self.reaches = bool(first and first.handle and not first.member.optional)
        self.question("right arguments", [], "PASSES")
        for target in self.targets + self.inner:
            for what, writes, code in target.wrongs():
                self.question(what, writes, code)
            if any(when.startswith(f"nullptr == {target.name}") for _, when in self.item.errors):
                continue  # whether it may be null depends on other arguments
            for what, writes in target.rights():
                self.question(what, writes + self.empty(target), "PASSES")
        self.ask_rules()
        self.ask_chains()
        self.ask_order()

    def empty(self, target):
        """Returns writes that set the count of a null array to 0."""
        count = target.member.range[1] if target.member.range else None
        return [w for t in self.targets if t.name == count for w in t.write(0)]

    def place_of(self, text):
        return next(t for t in self.targets + self.inner if t.name == text)

    def ask_rules(self):
        for code, when in self.item.errors:
            when, _, unless = when.partition(" unless ")
            code = code[len("ZE_RESULT_"):]
            form = re.fullmatch(r"\(nullptr == (\w+)\) && \(0 < (\w+)\)", when)
            writes = None
            if form:
                array, count = self.place_of(form[1]), self.place_of(form[2])
                if not array.member.optional:
                    code = POINTER  # null is refused before the count is checked
                self.question(f"{form[1]} is null, {form[2]} is 0", array.write(0) + count.write(0),
                              "PASSES" if array.member.optional else code)
                writes = array.write(0) + count.write(1)
            form = re.fullmatch(r"(?:0|nullptr) == (\w+(?:->\w+)?)", when)
            if form:
                writes = self.place_of(form[1]).write(0)
            form = re.fullmatch(r"(\w+) % (\w+) != 0", when)
            if form:
                self.question(f"{form[1]} is 8, {form[2]} is 4",
                              self.place_of(form[1]).write(8) + self.place_of(form[2]).write(4), "PASSES")
                writes = self.place_of(form[1]).write(9) + self.place_of(form[2]).write(4)
            form = re.fullmatch(r"0 != \((\w+) & .*\)", when)
            if form:
                if f"0 == {form[1]}" not in (condition for _, condition in self.item.errors):
                    self.question(f"{form[1]} is 0", self.place_of(form[1]).write(0), "PASSES")
                writes = self.place_of(form[1]).write(24)
            if writes:
                self.question(when, writes, code)
            if unless:
                struct = self.layout.registry.get(unless)
                for name, base, add, _ in self.chains:
                    if base in struct.extends:
                        self.question(f"{when}, but {name} has {unless}", writes + self.link(add, struct), "PASSES")

    def link(self, add, struct, change=()):
        """Returns writes that add a valid link of that type, then change it."""
        writes = add(self.stype(struct))
        for member in full_members(struct):
            if member.name != "pNext" and member.depth > 0:
                writes.append(Write("LINK", -1, offset_of(struct, member), "8", 0, True))
        return writes + list(change)

    def ask_chains(self):
        strict = {when[len("unknown("):-1]: code[len("ZE_RESULT_"):] for code, when in self.item.errors
                  if when.startswith("unknown(")}
        for name, base, add, struct in self.chains:
            refusal = strict.get(name, "PASSES")
            allowed = self.extensions(base)
            api = struct.api if struct else "ze"
            wrong = next(s for s in self.layout.structs if s.stypes and s not in allowed and s.api == api)
            self.question(f"{name} has an unknown structure", add(UNKNOWN_TYPE), refusal)
            self.question(f"{name} has {wrong.name}", add(self.stype(wrong)), refusal)
            for extension in allowed:
                self.question(f"{name} has {extension.name}", self.link(add, extension), "PASSES")
                self.question(f"{name} has {extension.name} and an unknown structure",
                              self.link(add, extension) + add(UNKNOWN_TYPE), refusal)
                self.ask_link(name, add, extension)

    def ask_link(self, name, add, struct):
        for member in full_members(struct):
            if member.name in ("stype", "pNext") or not (member.direction == "in" or
                                                         (member.direction == "inout" and member.depth)):
                continue
            write = lambda value, m=member: [Write("LINK", -1, offset_of(struct, m), size_of(struct, m), value)]
            target = Target(self.layout, member, f"{struct.name}::{member.name}", write)
            for what, writes, code in target.wrongs():
                self.question(f"{name}: {what}", self.link(add, struct, writes), code)
                self.question(f"{name}, behind an unknown structure: {what}",
                              add(UNKNOWN_TYPE) + self.link(add, struct, writes), code)

    def ask_order(self):
        """Asks which of two faults is reported. The order: handles, pointers, values, the rest."""
        stages = {}
        for what, writes, code in self.questions:
            if code != "PASSES" and not any(w.fields[0].startswith("CODES_CHAIN") for w in writes):
                stages.setdefault(code, (what, writes))
        rest = [c for c in stages if c not in (HANDLE, POINTER, VALUE)]
        order = [c for c in (HANDLE, POINTER, VALUE) if c in stages] + rest[:1]
        for before, after in zip(order, order[1:]):
            self.question(f"{stages[before][0]} and {stages[after][0]}", stages[after][1] + stages[before][1], before)


# Letters for the test's objects, by the type of their handle.
OBJECTS = {"ze_driver_handle_t": "R", "ze_device_handle_t": "D", "ze_context_handle_t": "C", "ze_module_handle_t": "M",
           "ze_kernel_handle_t": "K", "ze_fabric_vertex_handle_t": "V", "ze_image_handle_t": "I"}


def leaves(layout, struct, path, base):
    """Returns [(C expression, use)] of the members of a structure, without stype and pNext."""
    found = []
    for member in full_members(struct):
        if member.name in ("stype", "pNext") and struct.base:
            continue
        name = path + member.name
        if base and member.direction != "out":
            found.append((name, "INPUT"))
            continue
        kind, _ = layout.kind_of(member.base)
        inner = layout.registry.resolve(member.base)
        if member.depth == 0 and kind == "STRUCT" and inner.kind == "struct" and not member.array:
            found += leaves(layout, inner, name + ".", False)
        else:
            found.append((name, "TEXT" if member.base == "char" and member.array else "OUTPUT"))
    return found


def output_of(layout, function):
    """Returns (form, filled structure), or None if the test cannot make the call.

    The form has a letter for each parameter: S for the structure, N for its count."""
    form, filled = "", None
    for member in function.members:
        kind, _ = layout.kind_of(member.base)
        item = layout.registry.resolve(member.base)
        if member.depth == 0 and kind == "HANDLE" and item.name in OBJECTS:
            form += OBJECTS[item.name]
        elif member.depth == 1 and kind == "STRUCT" and member.direction != "in" and item.kind == "struct" and not filled:
            form += "S"
            filled = item
        elif member.depth == 1 and member.base == "uint32_t" and member.direction == "inout":
            form += "N"
        elif member.depth == 1 and member.base == "void":
            form += "P"
        elif member.depth == 1 and member.direction == "out":
            form += "O"
        else:
            return None
    return (form, filled) if filled else None


def output_lines(layout, functions):
    """Returns tables of the places that functions write.

    They have a row for each structure alone, and one for each structure allowed in its chain."""
    places, rows = [], []
    for f in functions:
        output = output_of(layout, f.item)
        if not output:
            continue
        form, base = output
        links = [s for s in layout.structs if base.name in s.extends and base.base]
        for struct in [base] + links:
            first = len(places)
            for name, use in leaves(layout, struct, "", True):
                places.append(f"    {{{c_string(name)}, offsetof({struct.name}, {name}), "
                              f"sizeof((({struct.name} *)0)->{name}), CODES_{use}}},")
            if len(places) == first:
                continue
            tag = lambda s: f"0x{f.stype(s):x}u" if s.stypes else "0"
            rows.append(f"    {{{c_string(f.item.name)}, call_{f.item.name}, {c_string(form)}, {c_string(struct.name)}, "
                        f"{tag(base)}, {tag(struct) if struct is not base else '0'}, {first}, {len(places) - first}}},")
    return (["", "static const struct codes_place codes_places[] = {"] + places +
            ["};", "", "static const struct codes_output codes_outputs[] = {"] + rows + ["};"])


def caller_lines(function, place):
    api, table, slot = place
    arguments = ", ".join(f"*({m.ctype} *)a[{n}]" for n, m in enumerate(function.members))
    return [f"static ze_result_t call_{function.name}(const struct codes_tables *t, void **a)", "{",
            "    (void)a;", *ctext.wrap(f"return t->{api}->{table}->{slot}({arguments});", "    "), "}"]


def generate(registry):
    layout = Layout(registry)
    lines = [ctext.banner("codes.inc", "").rstrip(), ""]
    functions = []
    for item, table, slot in layout.functions:
        if item.returns == "ze_result_t" and item.members:
            api, _, owner = layout.tables[table]
            place = (api, owner.field, owner.slots[slot][1])
            lines += caller_lines(item, place)
            functions.append(Function(layout, item, place))
    writes, questions, rows = [], [], []
    for f in functions:
        first = len(writes)
        writes += f.defaults
        rows.append(f"    {{{c_string(f.item.name)}, call_{f.item.name}, {first}, {len(f.defaults)}, {len(questions)}, "
                    f"{len(f.questions)}, {len(f.item.members)}, {'true' if f.reaches else 'false'}}},")
        for what, changes, code in f.questions:
            code = "CODES_PASSES" if code == "PASSES" else "ZE_RESULT_" + code
            questions.append(f"    {{{c_string(what)}, {code}, {len(writes)}, {len(changes)}}},")
            writes += changes
    lines += ["", "static const struct codes_write codes_writes[] = {"]
    lines += ["    " + write.text() + "," for write in writes]
    lines += ["};", "", "static const struct codes_question codes_questions[] = {"] + questions
    lines += ["};", "", "static const struct codes_function codes_functions[] = {"] + rows + ["};"]
    lines += output_lines(layout, functions)
    return {"tests/codes.inc": "\n".join(lines) + "\n"}
