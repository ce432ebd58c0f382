"""Reads registry/ into a model of plain objects. docs/dev/registry.md describes the format.

All output modules use the model. It depends on the format and on the naming rules of the API, but
not on C. Any mistake in the text raises an error with file and line.
"""

import os
import re

APIS = ("ze", "zes", "zet", "zer")
DIRECTIONS = ("in", "out", "inout")
MEMBER_RE = re.compile(r"^(?P<type>.*?[\s*])(?P<name>\w+)(?P<array>\[\w+\])?$")


class RegistryError(Exception):
    """A mistake in the registry text."""


class Item:
    """A described thing: its kind, name and place, and the attributes that all kinds share."""

    def __init__(self, kind, name, where):
        self.kind = kind
        self.name = name
        self.where = where
        self.since = (1, 0)
        self.since_given = False
        self.deprecated = None  # None, or the text that follows "deprecated"
        self.doc = []  # the description
        self.rules = []  # rules for the caller or the implementation
        self.extension = None
        self.words = []  # positional words of the head line

    @property
    def api(self):
        """The API, by the prefix of the name: zesInit is zes's, but zeSamplerCreate is ze's."""
        m = re.match(r"(ze[rstl])(?=[A-Z_])|(ZE[RSTL])(?=_)", self.name)
        return m[0].lower() if m else "ze"


class Value:
    """An enumerator."""

    def __init__(self, name, form, text):
        self.name = name
        self.form = form  # bit, value, version, current, force
        self.text = text  # as written: bit number, number, major.minor; current: the newest version
        self.since = None
        self.deprecated = None
        self.doc = ""

    @property
    def number(self):
        if self.form == "bit":
            return 1 << int(self.text)
        if self.form in ("version", "current"):
            major, minor = self.text.split(".")
            return int(major) << 16 | int(minor)
        if self.form == "force":
            return 0x7FFFFFFF
        return int(self.text, 0)


class Member:
    """A struct field or a function parameter."""

    def __init__(self, direction, ctype, name, array):
        self.direction = direction
        self.ctype = ctype
        self.name = name
        self.array = array  # "" or "[LENGTH]"
        self.optional = False
        self.release = False
        self.create = False
        self.zero = False
        self.alone = False  # threads must not use the same object at once
        self.immediate = False  # the command list must be an immediate one
        self.range = None  # (first, count) as written
        self.since = None
        self.deprecated = None
        self.doc = ""

    @property
    def base(self):
        """The named type without const and pointers."""
        return re.sub(r"\bconst\b|\*", "", self.ctype).strip()

    @property
    def depth(self):
        return self.ctype.count("*")


def parse_version(text, where):
    m = re.fullmatch(r"(\d+)\.(\d+)", text)
    if not m:
        raise RegistryError(f"{where}: '{text}' is not a version: write MAJOR.MINOR")
    return int(m[1]), int(m[2])


def newest(enum):
    """Returns major.minor of the last version that the enumeration has so far."""
    versions = [v for v in enum.values if v.form == "version"]
    if not versions:
        raise ValueError("the enumeration has no version line before this one")
    return max(versions, key=lambda v: v.number).text


def split_doc(text):
    head, sep, doc = text.partition(" : ")
    return head.strip(), doc.strip() if sep else ""


def take_attributes(item, text, where):
    """Strips 'since V' and 'deprecated ...' off the end of a head or member line."""
    m = re.search(r"\sdeprecated(\s.*)?$", text)
    if m:
        item.deprecated = (m[1] or "").strip()
        text = text[: m.start()]
    m = re.search(r"\ssince (\S+)$", text)
    if m:
        item.since = parse_version(m[1], where)
        item.since_given = True
        text = text[: m.start()]
    return text


def parse_member(text, doc, where):
    carrier = Item("member", "", where)
    carrier.since = None
    text = take_attributes(carrier, text, where)
    words = text.split()
    member = Member(words.pop(0), None, None, "")
    while words:
        word = words[0]
        if word == "optional":
            member.optional = True
        elif word == "release":
            member.release = True
        elif word == "create":
            member.create = True
        elif word == "zero":
            member.zero = True
        elif word == "alone":
            member.alone = True
        elif word == "immediate":
            member.immediate = True
        elif word.startswith("range("):
            first, _, count = word[len("range(") : -1].partition(",")
            member.range = (first, count)
        else:
            break
        words.pop(0)
    m = MEMBER_RE.match(" ".join(words))
    if not m:
        raise RegistryError(f"{where}: '{text}' is not a declaration: write TYPE NAME")
    member.ctype, member.name, member.array = m["type"].strip(), m["name"], m["array"] or ""
    member.since, member.deprecated, member.doc = carrier.since, carrier.deprecated, doc
    return member


class Reader:
    """Reads one file and adds its items to the registry."""

    def __init__(self, registry, path, relative):
        self.registry = registry
        self.path = path
        self.relative = relative
        self.item = None
        self.extension = None
        self.section = relative

    def read(self):
        with open(self.path, encoding="utf-8") as f:
            for number, raw in enumerate(f, 1):
                where = f"registry/{self.relative}.txt:{number}"
                line = raw.rstrip()
                if not line or line.startswith("#"):
                    continue
                try:
                    if line.startswith("  "):
                        self.body(line.strip(), where)
                    else:
                        self.head(line, where)
                except (ValueError, IndexError) as error:
                    raise RegistryError(f"{where}: cannot read '{line}': {error}") from error

    def head(self, line, where):
        kind, _, rest = line.partition(" ")
        if kind == "section":
            self.section = rest
            self.extension = None
            self.item = None
            return
        text, doc = split_doc(rest)
        item = Item(kind, "", where)
        text = take_attributes(item, " " + text, where).strip()
        if kind in ("const", "extension"):
            item.name, _, value = text.partition(" ")
            item.words = [value]
        else:
            item.words = text.split()
            item.name = item.words.pop(0)
        if doc:
            item.doc.append(doc)
        item.section, item.file = self.section, self.relative
        if kind == "extension":
            self.extension = item
        item.extension = self.extension
        opener = getattr(self, "open_" + kind, None)
        if not opener:
            raise RegistryError(f"{where}: unknown kind '{kind}'")
        opener(item)
        self.item = item
        self.registry.add(item)

    # --- one opener per kind: reads the positional words of the head line ---

    def open_const(self, item):
        item.value = item.words[0]

    open_extension = open_const

    def open_handle(self, item):
        pass

    def open_alias(self, item):
        item.of = item.words[0]

    def open_enum(self, item):
        item.flags = None
        item.all = item.open = False
        item.values = []

    def open_flags(self, item):
        """Opens flags TYPE_flags_t TYPE_flag_t: the integer type and the enum of its bits."""
        item.flags, item.name = item.name, item.words[0]
        item.kind = "enum"
        item.all = item.open = False
        item.values = []

    def open_struct(self, item):
        item.base = None
        item.tag = "_" + item.name
        item.stypes, item.extends, item.members = [], [], []
        words = list(item.words)
        while words:
            word = words.pop(0)
            if word == "tag":
                item.tag = words.pop(0)
            elif word in ("desc", "properties"):
                item.base = word
            else:
                raise ValueError(f"unknown word '{word}'")

    open_union = open_struct

    def open_function(self, item):
        item.returns = "ze_result_t"
        item.members, item.errors = [], []
        item.hot = ""  # why its entry does not defer cancellation of the thread; "": it does
        item.null_arrays = {}  # array parameter -> why it may be null although its count is not 0
        if item.words:
            if item.words[0] != "returns":
                raise ValueError(f"unknown word '{item.words[0]}'")
            item.returns = " ".join(item.words[1:])

    def open_callback(self, item):
        item.returns = "void"
        item.members = []
        item.convention = item.words[0] if item.words else ""

    def open_table(self, item):
        """Opens table TYPE NAME GETTER: a dispatch table and the export that fills it."""
        item.field, item.getter = item.words
        item.slots = []

    def open_callbacks(self, item):
        item.field = item.words[0]
        item.slots = []

    def open_default(self, item):
        """Opens default TYPE NAME: a constant descriptor."""
        item.type, item.name = item.name, item.words[0]
        item.fields = []

    # --- body lines ---

    def body(self, line, where):
        item = self.item
        if item is None:
            raise RegistryError(f"{where}: line outside a block")
        if line.startswith(": "):
            item.doc.append(line[2:])
            return
        if line.startswith("- "):
            item.rules.append(line[2:])
            return
        word, _, rest = line.partition(" ")
        if word in DIRECTIONS and hasattr(item, "members"):
            text, doc = split_doc(line)
            item.members.append(parse_member(text, doc, where))
        elif word in ("bit", "value", "version", "current", "force") and hasattr(item, "values"):
            text, doc = split_doc(rest)
            value = Value("", word, "")
            text = take_attributes(value, " " + text, where).split()
            if word == "current":
                value.text = newest(item)
            elif word != "force":
                value.text = text.pop(0)
            value.name = text.pop(0)
            value.doc = doc
            item.values.append(value)
        elif word == "all" and item.kind == "enum" and item.flags:
            item.all = True
        elif word == "open" and item.kind == "enum" and not item.flags:
            item.open = True
        elif word == "stype" and item.kind == "struct":
            item.stypes.append(rest)
        elif word == "extends" and item.kind == "struct":
            item.extends.append(rest)
        elif word == "error" and item.kind == "function":
            code, _, when = rest.partition(" when ")
            item.errors.append(("ZE_RESULT_" + code, when))
        elif word == "null" and item.kind == "function":
            name, reason = split_doc(rest)
            if not reason:
                raise ValueError("a null array needs a reason")
            item.null_arrays[name] = reason
        elif word == "hot" and item.kind == "function":
            item.hot = rest.removeprefix(": ").strip()
            if not item.hot:
                raise ValueError("a hot function needs a reason")
        elif word == "slot" and item.kind == "table":
            since, slot, function = rest.split()
            item.slots.append((parse_version(since, where), slot, function))
        elif word == "slot" and item.kind == "callbacks":
            slot, function = rest.split()
            item.slots.append((slot, function))
        elif word == "field" and item.kind == "default":
            item.fields.append(rest)
        else:
            raise RegistryError(f"{where}: '{word}' does not fit in a {item.kind}")


class Registry:
    """All items of registry/, in the order of registry/index.txt."""

    def __init__(self, root):
        self.root = root
        self.items = []
        self.by_name = {}
        self.spec = None
        self.areas = {}  # area name -> list of files
        self.read_index(os.path.join(root, "index.txt"))
        self.check_version()
        for function in self.kind("function"):
            check_arrays(function)
        self.slot_of = {}  # function name -> name of its slot
        for table in self.kind("table"):
            for _, slot, function in table.slots:
                self.slot_of[function] = slot

    def read_index(self, path):
        area = None
        with open(path, encoding="utf-8") as f:
            for raw in f:
                line = raw.strip()
                if not line or line.startswith("#"):
                    continue
                word, _, rest = line.partition(" ")
                if word == "spec":
                    self.spec = rest
                elif word == "area":
                    area = self.areas.setdefault(rest, [])
                else:
                    area.append(line)
                    Reader(self, os.path.join(self.root, line + ".txt"), line).read()

    def check_version(self):
        """Checks that the enumeration of versions ends with the version in index.txt."""
        enum = self.by_name.get("ze_api_version_t")
        if enum and newest(enum) != "{}.{}".format(*self.version):
            raise RegistryError(f"{enum.where}: ends with {newest(enum)}, but registry/index.txt says {self.spec}")

    @property
    def version(self):
        major, minor = self.spec.split(".")[:2]
        return int(major), int(minor)

    def add(self, item):
        if item.name in self.by_name:
            raise RegistryError(f"{item.where}: {item.name} is already defined at "
                                f"{self.by_name[item.name].where}")
        self.by_name[item.name] = item
        self.items.append(item)
        if item.kind == "enum" and item.flags:
            self.by_name[item.flags] = item

    def kind(self, kind, area=None):
        files = self.areas[area] if area else None
        return [i for i in self.items if i.kind == kind and (files is None or i.file in files)]

    @property
    def traced(self):
        """The names of the functions that tracers can trace: the core API and the runtime API."""
        return [f.name for area in ("core", "runtime") for f in self.kind("function", area)]

    def get(self, name):
        return self.by_name.get(name)

    def resolve(self, name):
        """Returns the item of a type, and follows aliases. Returns None for C types."""
        item = self.by_name.get(name)
        while item is not None and item.kind == "alias":
            item = self.by_name.get(item.of)
        return item


NULL_ARRAY_RE = r"\(nullptr == (\w+)\) && \(0 < (\w+)\)"


def array_count(function, member):
    """Returns the parameter with the count of an array that must not be null if the count is not 0.

    Returns None for other parameters. Among them are arrays that the function fills, with a count
    behind a pointer: for a null array, the call only returns the count."""
    if not member.range:
        return None
    name = member.range[1]
    indirect = name.startswith("*")
    if indirect and member.direction != "in":
        return None
    return next((m for m in function.members if m.name == name.lstrip("*")), None)


def check_arrays(function):
    """Checks that optional arrays with a count have an error for null with a count above 0.

    Instead, the registry may give a reason. An array that is not optional needs neither: null is
    always refused."""
    conditions = [re.fullmatch(NULL_ARRAY_RE, when.partition(" unless ")[0]) for _, when in function.errors]
    checked = {(m[1], m[2]) for m in conditions if m}
    reasons = set(function.null_arrays)
    for member in function.members:
        count = array_count(function, member)
        if not member.optional or count is None:
            continue
        if (member.name, count.name) in checked:
            continue
        if member.name not in reasons:
            raise RegistryError(f"{function.where}: {function.name} takes {member.name} with {count.name} entries, but "
                                f"does not say what a null array with a count above 0 is: add 'error ERROR_INVALID_SIZE "
                                f"when (nullptr == {member.name}) && (0 < {count.name})', or 'null {member.name} : WHY'")
        reasons.remove(member.name)
    for name in sorted(reasons):
        raise RegistryError(f"{function.where}: {function.name} needs no reason for a null {name}")


def full_members(struct):
    """Returns all members of a struct, with the implied stype and pNext of extensible structs."""
    if not struct.base:
        return list(struct.members)
    area = {"zes": "zes", "zet": "zet", "zel": "zel"}.get(struct.api, "ze")
    stype = Member("in", area + "_structure_type_t", "stype", "")
    stype.doc = "type of this structure"
    constant = "const " if struct.base == "desc" else ""
    direction = "in" if struct.base == "desc" else "inout"
    pnext = Member(direction, constant + "void*", "pNext", "")
    pnext.optional = True
    pnext.doc = "null, or a structure that extends this one"
    return [stype, pnext] + struct.members


def snake(name):
    """Converts zeCommandListAppendBarrier to ze_command_list_append_barrier."""
    name = re.sub(r"^(ze[rst]?)(?=[A-Z])", r"\1_", name)
    name = re.sub(r"([a-z0-9])([A-Z])", r"\1_\2", name)
    name = re.sub(r"([A-Z]+)([A-Z][a-z])", r"\1_\2", name)
    return name.lower()


def pfn_type(function):
    """Converts zeMemFree to ze_pfnMemFree_t."""
    api = re.match(r"ze[lrst]?(?=[A-Z])", function)[0]
    return f"{api}_pfn{function[len(api):]}_t"


def short_name(function):
    return re.sub(r"^ze[lrst]?(?=[A-Z])", "", function)
