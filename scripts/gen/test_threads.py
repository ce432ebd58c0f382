"""Generates build-time C for tests/stress: calls that several threads may make at once.

It lists the functions without a parameter that is `alone` or `release`, each with a call on objects
that the threads share. The test itself has the calls that create such objects.
"""

from . import ctext
from .ddi_data import Layout, c_string

# Objects that the test shares between its threads, by the type of their handle.
SHARED = {"ze_driver_handle_t": "DRIVER", "ze_device_handle_t": "DEVICE", "ze_context_handle_t": "CONTEXT",
          "ze_command_queue_handle_t": "QUEUE", "ze_command_list_handle_t": "LIST", "ze_fence_handle_t": "FENCE",
          "ze_event_pool_handle_t": "POOL", "ze_event_handle_t": "EVENT", "ze_module_handle_t": "MODULE",
          "ze_module_build_log_handle_t": "LOG", "ze_kernel_handle_t": "KERNEL",
          "ze_physical_mem_handle_t": "PHYSICAL", "ze_fabric_vertex_handle_t": "VERTEX",
          "ze_image_handle_t": "IMAGE", "ze_sampler_handle_t": "SAMPLER"}
ENTRIES = 2  # of each array that a call fills


def is_free(function):
    return not any(m.alone or m.release for m in function.members)


class Call:
    """The declarations and arguments of a call.

    `absent` is the type of a handle that the call needs and the test does not have."""

    objects, memory = SHARED, "storm_memory(storm)"

    def __init__(self, layout, function):
        self.layout, self.absent, self.by_hand = layout, None, False
        self.lines, self.arguments = [], []
        for member in function.members:
            self.add(member)

    def shared(self, member):
        item = self.layout.registry.resolve(member.base)
        return self.objects.get(item.name) if item else None

    def pick(self, member):
        """Returns a C expression for an object of the parameter's type."""
        return f"storm_pick(storm, STORM_{self.shared(member)})"

    def callback(self, _):
        return "NULL"

    def add(self, member):
        kind, _ = self.layout.kind_of(member.base)
        if member.create and self.shared(member):
            self.by_hand = True
        if member.depth == 0:
            self.arguments.append(self.value(member, kind))
        elif member.optional and (member.direction == "in" or not member.range):
            self.arguments.append("NULL")
        elif member.base == "void" and member.depth == 1:
            self.arguments.append(self.memory)
        elif member.base == "char" and member.depth == 1:
            self.arguments.append('"ids"')
        else:
            self.place(member, kind)

    def value(self, member, kind):
        if kind == "HANDLE":
            if member.optional:
                return "NULL"
            if not self.shared(member):
                self.absent = member.base
            return f"({member.ctype}){self.pick(member)}"
        if kind == "CALLBACK":
            return self.callback(member)
        if kind == "STRUCT":
            self.lines += [f"{member.base} {member.name};", f"memset(&{member.name}, 0, sizeof({member.name}));"]
            return member.name
        return f"({member.ctype}){0 if member.optional else 1}"

    def place(self, member, kind):
        """Declares a variable that the call reads or fills, and passes it."""
        item = self.layout.registry.resolve(member.base)
        struct = kind == "STRUCT" and member.depth == 1
        stype = item.stypes[0] if struct and item.kind == "struct" and item.stypes else None
        ctype = member.ctype.replace("const ", "", 1) if member.direction == "in" and member.depth == 1 else member.ctype
        ctype = ctype.rsplit("*", 1)[0].strip()
        entries = f"[{ENTRIES}]" if member.range else ""
        self.arguments.append(member.name if member.range else "&" + member.name)
        if struct and not stype:
            self.lines.append(f"{ctype} {member.name}{entries};")
            self.lines.append(f"memset(&{member.name}, 0, sizeof({member.name}));")
            return
        first = f"{{.stype = {stype}}}" if stype else "0"
        if member.range and self.shared(member):
            first = self.pick(member)
        elif member.range and kind == "HANDLE" and member.direction != "out":
            self.absent = member.base
        if member.base == "uint32_t" and member.direction == "inout":
            first = str(ENTRIES)
        self.lines.append(f"{ctype} {member.name}{entries} = {'{' + first + ', ' + first + '}' if entries else first};")


def call_lines(function, call):
    arguments = ", ".join(call.arguments)
    return ([f"static ze_result_t storm_{function.name}(struct storm *storm)", "{", "    (void)storm;"] +
            [part for line in call.lines for part in ctext.wrap(line, "    ")] +
            [*ctext.wrap(f"return {function.name}({arguments});", "    "), "}", ""])


def generate(registry):
    layout = Layout(registry)
    lines = [ctext.banner("threads.inc", "").rstrip(), ""]
    rows = []
    for function, _, _ in layout.functions:
        if function.returns != "ze_result_t" or not is_free(function):
            continue
        call = Call(layout, function)
        made = not call.absent and not call.by_hand
        if made:
            lines += call_lines(function, call)
        row = f".run = storm_{function.name}" if made else f".absent = {c_string(call.absent)}" if call.absent else ""
        rows.append(f"    {{.name = {c_string(function.name)}{', ' + row if row else ''}}},")
    lines += ["static const struct storm_call storm_calls[] = {"] + rows + ["};"]
    return {"tests/threads.inc": "\n".join(lines) + "\n"}
