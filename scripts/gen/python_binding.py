"""Generates the Python bindings: ctypes modules ze.py, zes.py, zet.py, zer.py with the names of C.

The import of a module creates the types. The first call opens the loader. The modules are made by
the build and installed, never committed.
"""

import re

from .api_header import sorted_structs
from .registry import full_members, newest

# {module: areas of the registry}
MODULES = {"ze": ("core", "loader", "tracing"), "zes": ("sysman",), "zet": ("tools",), "zer": ("runtime",)}

C_TYPES = {
    "char": "c_char", "bool": "c_bool", "int": "c_int", "float": "c_float", "double": "c_double", "size_t": "c_size_t",
    "int8_t": "c_int8", "int16_t": "c_int16", "int32_t": "c_int32", "int64_t": "c_int64", "uint8_t": "c_uint8",
    "uint16_t": "c_uint16", "uint32_t": "c_uint32", "uint64_t": "c_uint64", "uintptr_t": "c_size_t",
    "unsigned int": "c_uint",
}
# Types without a description in the registry. The API has only pointers to them.
OPAQUE = ("ze_callbacks_t",)

RUNTIME = '''\
def ZE_MAKE_VERSION(major, minor):
    """A version number: major in the high, minor in the low 16 bits."""
    return major << 16 | minor & 0xffff


def ZE_MAJOR_VERSION(version):
    """The major part of a version number."""
    return version >> 16


def ZE_MINOR_VERSION(version):
    """The minor part of a version number."""
    return version & 0xffff


def ZE_BIT(i):
    """A flag: the number with only bit i set."""
    return 1 << i


class _Tagged(_c.Structure):
    """A structure with stype and pNext. Sets stype, unless members are given by position."""
    _stype_ = 0

    def __init__(self, *args, **members):
        if not args:
            members.setdefault("stype", self._stype_)
        super().__init__(*args, **members)


class _Function:
    """A function of the loader, which the first call opens. Results with a name are ze_result_v."""
    _library = None

    def __init__(self, name, restype, *argtypes):
        self.__name__ = name
        self.restype = restype
        self.argtypes = argtypes
        self._call = None

    def _bind(self):
        if _Function._library is None:
            _Function._library = _c.CDLL("libze_loader.so.1")
        call = getattr(_Function._library, self.__name__)
        call.argtypes = self.argtypes
        call.restype = _result if self.restype is ze_result_t else self.restype
        self._call = call
        return call

    def __call__(self, *args):
        return (self._call or self._bind())(*args)

    def __repr__(self):
        return f"<function {self.__name__} of Level Zero>"


def _result(code):
    return _results.get(code, code)
'''


class Writer:
    """Writes one module, and names the types of its items."""

    def __init__(self, registry, module):
        self.registry = registry
        self.module = module
        self.files = [f for area in MODULES[module] for f in registry.areas[area]]
        self.lines = []

    def kind(self, *kinds):
        return [i for i in self.registry.items if i.kind in kinds and i.file in self.files]

    # --- types ---

    def plain(self, base, where):
        """Returns the Python type of a C type without pointers."""
        if base in C_TYPES:
            return "_c." + C_TYPES[base]
        if self.registry.get(base) is None:
            raise ValueError(f"{where}: the Python type of '{base}' is unknown: add it to C_TYPES")
        return base

    def is_opaque(self, base):
        item = self.registry.get(base)
        return base == "void" or (item is not None and item.kind == "alias" and item.of in OPAQUE)

    def type_of(self, member, where):
        depth, base = member.depth, member.base
        if self.is_opaque(base):
            expression, depth = "_c.c_void_p", depth - 1
        elif base == "char" and depth > 0:
            expression, depth = "_c.c_char_p", depth - 1
        else:
            expression = self.plain(base, where)
        for _ in range(depth):
            expression = f"_c.POINTER({expression})"
        return f"{expression} * {member.array[1:-1]}" if member.array else expression

    # --- one function per kind of item ---

    def constants(self):
        for item in self.kind("const", "extension"):
            current = re.fullmatch(r"current\((\w+)\)", item.value)
            if current:
                major, minor = newest(self.registry.get(current[1])).split(".")
                value = f"{int(major) << 16 | int(minor):#x}"
            elif item.value == "(~(0ULL))":
                value = "0xffffffffffffffff"
            else:
                value = item.value
            self.lines.append(f"{item.name} = {value}")

    def enums(self):
        for enum in self.kind("enum"):
            name = (enum.flags or enum.name)[:-2] + "_v"
            self.lines += ["", "", f"class {name}(_IntEnum):"]
            if enum.doc:
                self.lines.append(f"    {docstring(enum.doc)}")
            self.lines += [f"    {value.name} = {value.number:#x}" for value in enum.values]
            self.lines += ["", "", f"{enum.name} = _c.c_int"]
            if enum.flags:
                self.lines.append(f"{enum.flags} = _c.c_uint32")
            self.lines.append(f"globals().update({name}.__members__)")

    def names(self):
        """Writes handles, aliases, and structures still without members."""
        self.lines += ["", ""]
        aliases = self.kind("alias")
        self.lines += [f"{a.name} = {self.plain(a.of, a.where)}" for a in aliases if self.registry.get(a.of) is None
                       and a.of not in OPAQUE]
        for handle in self.kind("handle"):
            self.lines += ["", "", f"class {handle.name}(_c.c_void_p):", f"    {docstring(handle.doc)}"]
        for struct in self.kind("struct", "union"):
            base = "_c.Union" if struct.kind == "union" else "_Tagged" if struct.base else "_c.Structure"
            self.lines += ["", "", f"class {struct.name}({base}):", f"    {docstring(struct.doc)}"]
            if struct.stypes:
                self.lines.append(f"    _stype_ = {struct.stypes[0]}")
        self.lines += ["", ""]
        self.lines += [f"{a.name} = {a.of}" for a in aliases if self.registry.get(a.of) is not None]

    def callbacks(self):
        for item in self.kind("callback"):
            returns = "None" if item.returns == "void" else self.plain(item.returns, item.where)
            types = [returns] + [self.type_of(m, item.where) for m in item.members]
            self.lines.append(f"{item.name} = _c.CFUNCTYPE({', '.join(types)})")

    def fields(self):
        """Writes the members of structures, each after those that it embeds."""
        for struct in sorted_structs(self.kind("struct", "union")):
            self.lines.append(f"{struct.name}._fields_ = [")
            for member in full_members(struct):
                self.lines.append(f'    ("{member.name}", {self.type_of(member, struct.where)}),')
            self.lines.append("]")

    def defaults(self):
        for item in self.kind("default"):
            names = [m.name for m in full_members(self.registry.resolve(item.type))]
            values = ["None" if name == "pNext" else field for name, field in zip(names, item.fields)]
            pairs = ", ".join(f"{name}={value}" for name, value in zip(names, values))
            self.lines.append(f"{item.name} = {item.type}({pairs})")

    def functions(self):
        for item in self.kind("function"):
            returns = "None" if item.returns == "void" else self.plain(item.returns, item.where)
            types = [f'"{item.name}"', returns] + [self.type_of(m, item.where) for m in item.members]
            self.lines.append(f"{item.name} = _Function({', '.join(types)})")

    # --- the whole ---

    def text(self):
        api = self.module
        self.lines = [f'"""Level Zero {self.registry.spec} for Python: {api}_api.h by ctypes, with the names of C.']
        self.lines += [*ABOUT[api].split("\n"), '"""', "",
                       f"# {api}.py: generated by scripts/gen/main.py from registry/{MODULES[api][0]}; do not edit.",
                       "import ctypes as _c", "from enum import IntEnum as _IntEnum", ""]
        if api != "ze":
            self.lines += ["from ze import *", "from ze import _Function, _Tagged", ""]
        self.constants()
        self.enums()
        if api == "ze":
            self.lines += ["", "", *RUNTIME.rstrip("\n").split("\n"), "", "",
                           "_results = {int(value): value for value in ze_result_v}"]
        self.names()
        self.callbacks()
        self.fields()
        self.functions()
        self.defaults()
        return re.sub(r"\n{4,}", "\n\n\n", "\n".join(self.lines)) + "\n"


def docstring(texts):
    text = " ".join(texts).replace("\\", "\\\\").replace('"', "'")
    return f'"""{text}"""'


ABOUT = {
    "ze": '''
    import ctypes, ze
    ze.zeInit(0)
    count = ctypes.c_uint32(0)
    ze.zeDriverGet(count, None)
    drivers = (ze.ze_driver_handle_t * count.value)()
    ze.zeDriverGet(count, drivers)

Pass numbers, and objects for pointers to write to, as they are, or by ctypes.byref. Enumerations
are classes NAME_v, for ze_result_t ze_result_v. Their members are also names of the module.
Structures set their stype, except elements of arrays. This module also has the functions of the
loader (zel*).''',
    "zes": '''
Sysman. The module also has all names of ze.''',
    "zet": '''
Tools. The module also has all names of ze.''',
    "zer": '''
The runtime API. The module also has all names of ze.''',
}


def generate(registry):
    return {f"python/{module}.py": Writer(registry, module).text() for module in MODULES}
