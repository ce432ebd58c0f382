"""Generates include/level_zero/compat/ze_api_0_9.h, for programs of versions 0.91 and 0.95.

Reads registry/compat/0_9.txt, which describes the differences to today's core API.

- An old structure gets a type of its own (ze09_...) and a function that converts it.
- An old function gets an adapter, which is derived from today's prototype. It passes parameters by
  name, converts structures, and takes the context from the driver or the device.
- Macros with the old names come last, so that the code above them uses today's names.

"Text" means the specification of one version: 91 or 95.
"""

import os
import re
import textwrap

from . import ctext
from .registry import RegistryError, parse_member, split_doc

FILE = "compat/0_9"
TEXTS = ("91", "95")
# The order of the kinds of entries in the header.
ORDER = ("gone", "value", "enum", "struct", "code", "function", "name")
# Today's parameters that old functions lacked, and their arguments.
ABSENT = {"numWaitEvents": "0", "phWaitEvents": "NULL"}


class Entry:
    """A block of registry/compat/0_9.txt."""

    def __init__(self, kind, text, words, doc, where):
        self.kind, self.text, self.words, self.doc, self.where = kind, text, words, doc, where
        self.members = []  # of struct and function: each Member, with the expression it is set from
        self.now = {}  # today's member or parameter -> expression
        self.lines = {"before": [], "after": [], "choose": [], "body": []}

    @property
    def name(self):
        return self.words[0]

    def word(self, key):
        """Returns the word that follows `key` in the head line, or None."""
        return self.words[self.words.index(key) + 1] if key in self.words else None


def read_member(entry, line, where):
    declaration, _, expression = line.partition(" = ")
    apart = declaration.endswith(" apart")
    member = parse_member("in " + (declaration[: -len(" apart")] if apart else declaration), "", where)
    member.source = None if apart else expression or "now->" + member.name
    entry.members.append(member)


def read(root):
    entries, text, entry, raw = [], "both", None, None
    with open(os.path.join(root, FILE + ".txt"), encoding="utf-8") as f:
        for number, line in enumerate(f, 1):
            where, line = f"registry/{FILE}.txt:{number}", line.rstrip()
            if raw is not None and (line.startswith(raw) or not line):
                entry.lines["body"].append(line[len(raw):])
                continue
            raw = None
            if not line or line.startswith("#"):
                continue
            if not line.startswith("  "):
                head, doc = split_doc(line)
                kind, *words = head.split()
                if kind == "text":
                    text = words[0]
                    continue
                if kind == "value":
                    words = [words[0], head.split(None, 2)[2]]
                entry = Entry(kind, text, words, doc, where)
                entries.append(entry)
                raw = "  " if kind == "code" else None
                continue
            word, _, rest = line.strip().partition(" ")
            if word == ":":
                entry.doc = rest
            elif word == "body":
                raw = "    "
            elif word in entry.lines:
                entry.lines[word].append(line.strip()[len(word) + 1:])
            elif word == "now":
                name, _, expression = rest.partition(" = ")
                entry.now[name] = expression
            else:
                read_member(entry, line.strip(), where)
    for entry in entries:
        while entry.lines["body"] and not entry.lines["body"][-1]:
            entry.lines["body"].pop()
    return entries


def old_name(name):
    """Converts ze_fence_desc_t to ze09_fence_desc_t and zeFenceCreate to ze09FenceCreate."""
    return "ze09" + name[2:]


class Section:
    """The declarations for one text, or for both."""

    def __init__(self, registry, text, structs):
        self.registry, self.text, self.structs = registry, text, structs
        self.lines, self.macros = [], []

    def fail(self, entry, why):
        raise RegistryError(f"{entry.where}: {entry.name}: {why}")

    def today(self, struct):
        item = self.registry.get(struct.word("of") or struct.name)
        if item is None:
            self.fail(struct, "today's API lacks this structure")
        return item

    def old_type(self, ctype):
        """Returns the type of an old parameter by its name in the header, without the macros."""
        base = re.sub(r"\bconst\b|\*", "", ctype).strip()
        return ctype.replace(base, old_name(base)) if base in self.structs else ctype

    def macro(self, name, value):
        self.macros.append(f"#define {name} {value}")

    # --- one method for each kind of entry ---

    def add_name(self, entry):
        new = entry.words[1]
        known = any(v.name == new for e in self.registry.kind("enum") for v in e.values)
        if not (known or self.registry.get(new) or new.startswith("ZE_KERNEL_ATTRIBUTE_")):
            self.fail(entry, f"today's API lacks {new}")
        self.macro(entry.name, new)

    def add_value(self, entry):
        value = entry.words[1]
        note = [f"/* {entry.doc} */"] if entry.doc else []
        self.lines += note + [f"#define {entry.name} " + (value if value.isdigit() else f"({value})")]

    def add_enum(self, entry):
        self.lines += ["", f"typedef enum _{entry.name} {{"]
        self.lines += [f"    {value} = {number}," for number, value in enumerate(entry.words[1:])]
        self.lines += [f"}} {entry.name};"]

    def add_code(self, entry):
        self.lines += [""] + entry.lines["body"]

    def add_struct(self, entry):
        version = entry.word("version")
        lines = [""]
        if version:
            kind = re.sub(r"_t$", "_version_t", entry.name)
            lines += [f"typedef enum _{kind} {{", f"    {version} = ZE_MAKE_VERSION(0, 91),", f"}} {kind};", ""]
            first = [f"    {kind} version;"]
        else:
            first = ["    ze_structure_type_t stype;", "    void *pNext;"]
        lines += [f"typedef struct _{old_name(entry.name)} {{"] + first
        lines += ["    " + ctext.declare(m.ctype, m.name, m.array) + ";" for m in entry.members]
        lines += [f"}} {old_name(entry.name)};"]
        self.macro(entry.name, old_name(entry.name))
        self.lines += lines
        if "alone" not in entry.words:
            item = self.today(entry)
            self.lines += self.from_old(entry, item) if item.base == "desc" else self.to_old(entry, item)

    def from_old(self, entry, item):
        """Returns a function that converts an old descriptor to today's."""
        lines = ["", f"static inline {item.name} {old_name(entry.name)[:-2]}_now(const {old_name(entry.name)} *old)", "{",
                 f"    {item.name} now;", "    memset(&now, 0, sizeof(now));", f"    now.stype = {item.stypes[0]};"]
        have = {m.name for m in entry.members}
        for member in item.members:
            if member.name in entry.now:
                lines.append(f"    now.{member.name} = {entry.now[member.name]};")
            elif member.name in have:
                lines.append(f"    now.{member.name} = old->{member.name};")
            else:
                self.fail(entry, f"nothing gives {member.name}")
        return lines + ["    return now;", "}"]

    def to_old(self, entry, item):
        """Returns a function that fills an old structure from today's properties."""
        have = {m.name for m in item.members}
        lines = ["", f"static inline void {old_name(entry.name)[:-2]}_fill({old_name(entry.name)} *old, const {item.name} *now)",
                 "{"]
        for member in entry.members:
            if member.source is None:
                continue
            if re.fullmatch(r"now->\w+", member.source) and member.source[5:] not in have:
                self.fail(entry, f"nothing gives {member.name}")
            if member.array:
                lines.append(f"    memcpy(old->{member.name}, {member.source}, sizeof(old->{member.name}));")
            else:
                lines.append(f"    old->{member.name} = {member.source};")
        return lines + ["}"]

    def add_function(self, entry):
        params = ", ".join(ctext.declare(self.old_type(m.ctype), m.name) for m in entry.members)
        head = f"static inline ze_result_t {old_name(entry.name)}({params})"
        lines = ["", f"/* {entry.doc} */"] if entry.doc else [""]
        self.lines += lines + ctext_wrap(head) + ["{"]
        if entry.lines["body"]:
            self.lines += ["    " + line if line else "" for line in entry.lines["body"]]
        else:
            self.lines += Adapter(self, entry).lines()
        self.lines += ["}"]
        self.macro(entry.name, old_name(entry.name))


def ctext_wrap(head):
    """Wraps a prototype to lines of at most ctext.WIDTH."""
    return textwrap.wrap(head, ctext.WIDTH, subsequent_indent="    ", break_long_words=False)


class Adapter:
    """The body of an old function, which calls today's function."""

    def __init__(self, section, entry):
        self.section, self.entry = section, entry
        self.function = section.registry.get(entry.words[1])
        if self.function is None or self.function.kind != "function":
            section.fail(entry, f"today's API lacks the function {entry.words[1]}")
        self.params = {m.name: m for m in entry.members}
        self.declared, self.steps, self.after, self.release = [], [], [], []
        self.written = []  # parameters that point to an old structure to fill

    def lines(self):
        arguments = [self.argument(p) for p in self.function.members]
        result = "ze_result_t result"
        lines = self.declared + self.entry.lines["before"] + self.steps
        for choice in self.entry.lines["choose"]:
            target, _, which = choice.partition(" ")
            name, _, member = target.partition(".")
            lines += [f"if ({name}) {{", "    uint32_t queues;",
                      f"    result = ze09_group_for(hDevice, {which}, &now_{name}.{member}, &queues);",
                      "    if (result != ZE_RESULT_SUCCESS) {", "        return result;", "    }", "}"]
        call = f"{self.function.name}({', '.join(arguments)})"
        after = self.after + [f"result = {expression};" for expression in self.entry.lines["after"]]
        if not after and not self.release:
            lines.append(f"return {call};")
        else:
            lines.append(f"result = {call};")
            written = "".join(f" && {name}" for name in self.written)
            lines += [f"if (result == ZE_RESULT_SUCCESS{written}) {{"] + ["    " + line for line in after] + ["}"]
            lines += self.release + ["return result;"]
        if any("result" in line for line in lines if not line.startswith("return ze")):
            lines.insert(0, result + ";")
        return ["    " + line for line in lines]

    def argument(self, param):
        name = param.name
        if name in self.entry.now:
            return self.entry.now[name]
        if name == "hContext" and name not in self.params:
            kind = "driver" if "hDriver" in self.params else "device"
            self.declared.append("ze_context_handle_t hContext;")
            self.steps += [f"result = ze09_{kind}_context(h{kind.capitalize()}, &hContext);",
                           "if (result != ZE_RESULT_SUCCESS) {", "    return result;", "}"]
            return name
        if name not in self.params:
            if name in ABSENT:
                return ABSENT[name]
            self.section.fail(self.entry, f"nothing gives {name}")
        old = self.params[name]
        struct = self.section.structs.get(old.base)
        if struct is None:
            return name
        item = self.section.today(struct)
        if item.base == "desc":
            self.declared.append(f"{item.name} now_{name};")
            self.steps += [f"if ({name}) {{", f"    now_{name} = {old_name(old.base)[:-2]}_now({name});", "}"]
            return f"{name} ? &now_{name} : NULL"
        return self.array(name, old, item) if param.range else self.properties(name, old, item, struct)

    def properties(self, name, old, item, struct):
        self.declared.append(f"{item.name} now_{name};")
        self.steps += [f"memset(&now_{name}, 0, sizeof(now_{name}));", f"now_{name}.stype = {item.stypes[0]};"]
        if not struct.word("version"):
            self.steps += [f"now_{name}.pNext = {name} ? {name}->pNext : NULL;"]
        self.written.append(name)
        self.after.append(f"{old_name(old.base)[:-2]}_fill({name}, &now_{name});")
        return f"{name} ? &now_{name} : NULL"

    def array(self, name, old, item):
        self.declared += [f"{item.name} *now_{name} = NULL;", "uint32_t i;"]
        self.steps += [f"if ({name} && pCount && *pCount) {{",
                       f"    now_{name} = ({item.name} *)calloc(*pCount, sizeof(*now_{name}));",
                       f"    if (!now_{name}) {{", "        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;", "    }",
                       "    for (i = 0; i < *pCount; i++) {", f"        now_{name}[i].stype = {item.stypes[0]};", "    }", "}"]
        self.after += [f"for (i = 0; now_{name} && i < *pCount; i++) {{",
                       f"    {old_name(old.base)[:-2]}_fill(&{name}[i], &now_{name}[i]);", "}"]
        self.release.append(f"free(now_{name});")
        return "now_" + name


HEAD = """\
/* Lets programs for version 0.91 or 0.95 of the specification use today's API.
 *
 * Include this header instead of ze_api.h, before other headers of Level Zero. It declares what
 * these versions have and today's API lacks or has changed. Define ZE_API_0_9 as 91 or 95 (the
 * default) to choose the version. Functions without a context parameter use the driver's default
 * context. All functions are static, so programs need to link only the loader.
 *"""


def gone_lines(entries):
    lines = []
    for entry in entries:
        if entry.kind == "gone":
            lines.append(f" *   {entry.name}: {entry.doc}")
    return [" * Without a counterpart:"] + lines if lines else []


def function_needs_structs(entry, structs):
    return any(m.base in structs for m in entry.members)


def generate(registry):
    entries = read(registry.root)
    structs = {text: {e.name: e for e in entries if e.kind == "struct" and e.text == text} for text in TEXTS}
    either = {**structs["91"], **structs["95"]}
    both = Section(registry, "both", {})
    sections = {text: Section(registry, text, structs[text]) for text in TEXTS}
    for entry in sorted(entries, key=lambda e: ORDER.index(e.kind)):
        if entry.kind == "gone":
            continue
        shared = entry.text == "both" and not (entry.kind == "function" and function_needs_structs(entry, either))
        for section in [both] if shared else [sections[t] for t in TEXTS if entry.text in ("both", t)]:
            getattr(section, "add_" + entry.kind)(entry)
    lines = [ctext.banner("ze_api_0_9.h", FILE).rstrip()] + HEAD.split("\n") + gone_lines(entries) + [" */"]
    lines += ctext.guard_begin("ZE_API_0_9_H")
    lines += ['#include "../ze_api.h"', '#include "../zet_api.h"', '#include "../zes_api.h"', "",
              "#include <stdlib.h>", "#include <string.h>", "",
              "#ifndef ZE_API_0_9", "#define ZE_API_0_9 95", "#endif", ""]
    lines += both.lines + ["", "#if ZE_API_0_9 == 91"] + sections["91"].lines + [""] + sections["91"].macros
    lines += ["", "#else"] + sections["95"].lines + [""] + sections["95"].macros + ["", "#endif", ""]
    lines += both.macros + ["", "#endif // ZE_API_0_9_H"]
    return {"include/level_zero/compat/ze_api_0_9.h": "\n".join(lines) + "\n"}
