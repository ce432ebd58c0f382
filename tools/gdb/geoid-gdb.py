"""Commands and printers of gdb for kernels of Geoid: docs/user/debugging.md.

Compiled kernels describe themselves by two conventions (src/compiler/lower/debug):

  geoid_chunk       a variable in each function: the ids of lane 0, the number of lanes, the mask
  geoid_lanes_W     a type with a copy of the variable for each of W lanes:
                      an array of copies, or of structures `lane` (copies with a gap), or
                      a union `interleaved` (element i of all copies side by side)
"""
import re

import gdb

LANES = re.compile(r"geoid_lanes_(\d+)$")
VECTOR = re.compile(r"(u?(?:char|short|int|long)|half|float|double)(2|3|4|8|16)$")
AXES = "xyz"

focus = {}  # by thread's number: the global id that the user chose


# ---- lanes ----

def lanes_of(kind):
    """Returns the number of lanes of a type with a copy for each lane, or None."""
    found = LANES.match(kind.name or "")
    return int(found.group(1)) if found else None


def interleaved_copy(value, lane, lanes):
    """Returns one lane's copy of an interleaved variable."""
    rows = value["elements"].type
    row_bytes = rows.target().sizeof
    size = row_bytes // lanes
    memory = gdb.selected_inferior().read_memory(value.address, value.type.sizeof).tobytes()
    copy = b"".join(memory[at + lane * size:at + (lane + 1) * size]
                    for at in range(0, len(memory), row_bytes))
    return gdb.Value(copy, value["value"].type)


def lane_value(value, lane):
    """Returns one lane's copy of a value. A value that all lanes share is its own copy."""
    lanes = lanes_of(value.type)
    if lanes is None:
        return value
    plain = value.type.strip_typedefs()
    if plain.code == gdb.TYPE_CODE_UNION:
        return interleaved_copy(value.cast(plain), lane, lanes)
    copy = value[lane]
    return copy["value"] if copy.type.name == "lane" else copy


# ---- the chunk ----

def blocks_of(frame, inlined_callers):
    """Yields the blocks of a frame, innermost first."""
    try:
        block = frame.block()
    except RuntimeError:
        return
    while block and not block.is_static and not block.is_global:
        yield block
        if block.function and not inlined_callers:
            return
        block = block.superblock


def chunk_find():
    """Returns the chunk that the selected frame, or a caller of it, works on."""
    frame = gdb.selected_frame()
    while frame:
        for block in blocks_of(frame, True):
            for symbol in block:
                if symbol.name == "geoid_chunk":
                    return Chunk(symbol.value(frame))
        frame = frame.older()
    raise gdb.GdbError("The selected frame is not in a kernel with debug information (-g).")


class Chunk:
    """The work-items that run together, in the lanes of vectors."""

    def __init__(self, value):
        self.value = value
        self.lanes = int(value["lanes"])
        self.mask = self.field("mask")

    def field(self, name):
        """Returns a field, or None if the optimised code does not keep it."""
        try:
            return int(self.value[name])
        except (gdb.error, gdb.MemoryError):
            return None

    def vector(self, name):
        return [self.field("%s_%s" % (name, axis)) for axis in AXES]

    def local_id(self, lane):
        local, size = self.vector("local"), self.vector("local_size")
        if not self.field("is_linear"):
            return [local[0] + lane if local[0] is not None else None] + local[1:]
        first = self.field("linear")
        if first is None or None in size:
            return [None] * 3
        item = first + lane
        return [item % size[0], item // size[0] % size[1], item // size[0] // size[1]]

    def global_id(self, lane):
        parts = zip(self.vector("group"), self.vector("local_size"), self.local_id(lane),
                    self.vector("global_offset"))
        return [None if None in (group, size, local) else group * size + local + (offset or 0)
                for group, size, local, offset in parts]

    def state(self, lane):
        """Returns whether a lane is active: yes, no, or ? if the code does not tell."""
        size, local = self.vector("local_size"), self.local_id(lane)
        if any(s is not None and l is not None and l >= s for s, l in zip(size, local)):
            return "no"
        return "?" if self.mask is None else "yes" if self.mask >> lane & 1 else "no"

    def find(self, item):
        """Returns the lane of a work-item, or None."""
        for lane in range(self.lanes):
            if self.global_id(lane) == list(item):
                return lane
        return None


def id_text(numbers):
    return ",".join("?" if number is None else str(number) for number in numbers)


def id_read(text):
    try:
        numbers = [int(part, 0) for part in text.replace(" ", "").split(",")]
    except ValueError:
        numbers = []
    if not 1 <= len(numbers) <= 3:
        raise gdb.GdbError("Usage: geoid focus X[,Y[,Z]] - the global id of a work-item")
    return tuple(numbers + [0] * (3 - len(numbers)))


def lane_chosen(chunk):
    """Returns the lane of the work-item in focus, or the first active lane."""
    thread = gdb.selected_thread()
    item = focus.get(thread.num) if thread else None
    if item is not None:
        lane = chunk.find(item)
        if lane is None:
            raise gdb.GdbError("Work-item %s is not in this chunk: geoid work-items lists those "
                               "that are." % id_text(item))
        return lane
    for lane in range(chunk.lanes):
        if chunk.state(lane) != "no":
            return lane
    return 0


# ---- commands ----

class Geoid(gdb.Command):
    """Work-items of kernels that run on Geoid."""

    def __init__(self):
        super().__init__("geoid", gdb.COMMAND_DATA, prefix=True)


class WorkItems(gdb.Command):
    """List the work-items of the chunk at which the thread stopped: geoid work-items

Each work-item is a lane. The marked one is in focus."""

    def __init__(self):
        super().__init__("geoid work-items", gdb.COMMAND_DATA)

    def invoke(self, _argument, _from_tty):
        chunk = chunk_find()
        try:
            chosen = lane_chosen(chunk)
        except gdb.GdbError:
            chosen = None
        print("  lane  active  global id      local id       group")
        for lane in range(chunk.lanes):
            print("%s %4d  %-6s  %-13s  %-13s  %s" % (
                "*" if lane == chosen else " ", lane, chunk.state(lane),
                id_text(chunk.global_id(lane)), id_text(chunk.local_id(lane)),
                id_text(chunk.vector("group"))))


class Focus(gdb.Command):
    """Choose the work-item that geoid locals and geoid print show: geoid focus X[,Y[,Z]]

The number is a global id. Without one the focus ends: the first active lane is shown."""

    def __init__(self):
        super().__init__("geoid focus", gdb.COMMAND_DATA)

    def invoke(self, argument, _from_tty):
        thread = gdb.selected_thread()
        if not thread:
            raise gdb.GdbError("No thread is selected.")
        if not argument.strip():
            focus.pop(thread.num, None)
            return
        item = id_read(argument)
        chunk = chunk_find()
        lane = chunk.find(item)
        focus[thread.num] = item
        if lane is None:
            print("Work-item %s is in focus, but not in this chunk." % id_text(item))
        else:
            print("Work-item %s is in focus: lane %d%s." % (
                id_text(item), lane, "" if chunk.state(lane) != "no" else ", which is not active"))


def text_of(value):
    try:
        return value.format_string()
    except (gdb.error, gdb.MemoryError) as error:
        return "<%s>" % error


class Locals(gdb.Command):
    """Show the arguments and variables of the work-item in focus: geoid locals"""

    def __init__(self):
        super().__init__("geoid locals", gdb.COMMAND_DATA)

    def invoke(self, _argument, _from_tty):
        lane = lane_chosen(chunk_find())
        frame = gdb.selected_frame()
        for block in blocks_of(frame, False):
            for symbol in block:
                if not (symbol.is_variable or symbol.is_argument) or symbol.name == "geoid_chunk":
                    continue
                try:
                    text = text_of(lane_value(symbol.value(frame), lane))
                except (gdb.error, gdb.MemoryError) as error:
                    text = "<%s>" % error
                print("%s = %s" % (symbol.name, text))


class Print(gdb.Command):
    """Print an expression for the work-item in focus: geoid print EXPRESSION"""

    def __init__(self):
        super().__init__("geoid print", gdb.COMMAND_DATA)

    def invoke(self, argument, _from_tty):
        lane = lane_chosen(chunk_find())
        frame = gdb.selected_frame()

        def replace(match):
            name = match.group(0)
            symbol = gdb.lookup_symbol(name)[0]
            if not symbol or not (symbol.is_variable or symbol.is_argument):
                return name
            value = symbol.value(frame) if symbol.needs_frame else symbol.value()
            if lanes_of(value.type) is None:
                return name
            gdb.set_convenience_variable("geoid_" + name, lane_value(value, lane))
            return "$geoid_" + name

        # names of variables: not of members, and not those that begin with $
        text = re.sub(r"(?<![\w.$])(?<!->)[A-Za-z_]\w*", replace, argument)
        print("%s = %s" % (argument, text_of(gdb.parse_and_eval(text))))


class Item(gdb.Function):
    """Tell whether the chunk has this work-item: $geoid_item(X, Y, Z), for conditions of
breakpoints."""

    def __init__(self):
        super().__init__("geoid_item")

    def invoke(self, x, y=0, z=0):
        chunk = chunk_find()
        lane = chunk.find((int(x), int(y), int(z)))
        return lane is not None and chunk.state(lane) != "no"


# ---- printers ----

class VectorPrinter:
    """A vector of OpenCL, as it is written there."""

    def __init__(self, value, name, count):
        self.value, self.name, self.count = value, name, count

    def to_string(self):
        parts = (self.value[i].format_string() for i in range(self.count))
        return "(%s)(%s)" % (self.name, ", ".join(parts))


class LanesPrinter:
    """The copies of all lanes."""

    def __init__(self, value, lanes):
        self.value, self.lanes = value, lanes

    def children(self):
        for lane in range(self.lanes):
            yield str(lane), lane_value(self.value, lane)

    def display_hint(self):
        return "array"


def printer_find(value):
    name = value.type.unqualified().name or ""
    vector = VECTOR.match(name)
    if vector and value.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
        return VectorPrinter(value, name, int(vector.group(2)))
    lanes = lanes_of(value.type)
    return LanesPrinter(value, lanes) if lanes else None


if not any(getattr(printer, "__name__", "") == "printer_find" for printer in gdb.pretty_printers):
    gdb.pretty_printers.append(printer_find)
for command in (Geoid, WorkItems, Focus, Locals, Print, Item):
    command()
