#!/usr/bin/env python3
"""Divides SPIR-V libraries into slices: one small module per exported function.

usage: slice.py SPIRV_GRAMMAR.json OUT.bin OUT.inc LIBRARY.spv...

library.c finds a slice by the name of its function. A slice is a valid module. It contains only the
function and everything that it calls or refers to, with ids renumbered. Reading a slice while a
kernel is built takes microseconds; reading the whole library would take tens of milliseconds.
A name in a later library replaces the same name in an earlier one.
OUT.bin has the slices one after another; OUT.inc has {name, offset, bytes} sorted by name.
"""
import hashlib
import json
import struct
import sys

MAGIC = 0x07230203
HEADER_WORDS = 5
OP_NAME, OP_MEMBER_NAME, OP_ENTRY_POINT = 5, 6, 15
OP_EXT_INST_IMPORT, OP_EXT_INST, OP_MEMORY_MODEL, OP_CAPABILITY = 11, 12, 14, 17
OP_CONSTANT, OP_SPEC_CONSTANT, OP_SWITCH = 43, 50, 251
OP_DECORATE, OP_FUNCTION, OP_FUNCTION_END, OP_FUNCTION_CALL = 71, 54, 56, 57
LINKAGE_ATTRIBUTES, LINKAGE_EXPORT = 41, 0
DROPPED = {OP_NAME, OP_MEMBER_NAME, OP_ENTRY_POINT, 2, 3, 4, 7, 8, 10, 317, 330}  # sources, strings, lines, extensions
ID_KINDS = {"IdResultType", "IdResult", "IdRef", "IdScope", "IdMemorySemantics"}
PAIRS = {"PairIdRefIdRef": (True, True), "PairIdRefLiteralInteger": (True, False)}
MEMORY_ALIGNED = 2
# OpenCL.std: vector loads, and stores with a rounding mode. Their last operand is a literal.
LITERAL_LAST = {171, 174, 176, 178, 179, 181}


OP_CONSTANT_TRUE, OP_RETURN_VALUE = 41, 254
# Functions by which libclc asks for features of the device. They are compiled to return false;
# in slices they return true.
ANSWERED_YES = {"__clc_fp16_subnormals_supported", "__clc_fp32_subnormals_supported",
                "__clc_fp64_subnormals_supported", "__clc_runtime_has_hw_fma32"}


class Instruction:
    """One instruction: its words, and the positions of ids among them."""

    __slots__ = ("op", "words", "ids", "result")

    def __init__(self, op, words, ids, result):
        self.op, self.words, self.ids, self.result = op, words, ids, result


def load_grammar(path):
    with open(path) as file:
        grammar = json.load(file)
    return {i["opcode"]: i.get("operands", []) for i in grammar["instructions"]}


def string_words(words, at):
    count = 0
    while True:
        count += 1
        if 0 in struct.pack("<I", words[at + count - 1]):
            return count


def decode(grammar, words, widths):
    """Returns the positions of ids among the words of one instruction, and the id of its result."""
    op = words[0] & 0xFFFF
    ids, result, at = [], None, 1
    if op == OP_SWITCH:
        selector_words = 2 if widths.get(words[1]) == 64 else 1
        ids = [1, 2] + list(range(3 + selector_words, len(words), selector_words + 1))
        return ids, None
    for operand in grammar[op]:
        kind, many = operand["kind"], operand.get("quantifier") == "*"
        while at < len(words):
            if kind in ID_KINDS:
                if kind == "IdResult":
                    result = words[at]
                ids.append(at)
                at += 1
            elif kind in PAIRS:
                ids += [at + i for i, is_id in enumerate(PAIRS[kind]) if is_id]
                at += 2
            elif kind == "LiteralString":
                at += string_words(words, at)
            elif kind == "LiteralContextDependentNumber":
                at = len(words)
            elif kind == "MemoryAccess":
                at += 2 if words[at] & MEMORY_ALIGNED else 1
            elif kind in ("Decoration", "LoopControl", "ImageOperands"):
                at = len(words)
            else:
                at += 1
            if not many:
                break
    if op == OP_EXT_INST and words[4] in LITERAL_LAST:
        ids.pop()
    return ids, result


class Library:
    """A parsed module: module-scope instructions by id, functions, decorations by target."""

    def __init__(self, path, grammar):
        with open(path, "rb") as file:
            data = file.read()
        self.words = struct.unpack(f"<{len(data) // 4}I", data)
        if self.words[0] != MAGIC:
            sys.exit(f"slice.py: {path} is not a SPIR-V module")
        self.preamble, self.globals, self.order = [], {}, []
        self.functions, self.decorations, self.exports = {}, {}, {}
        self.read(grammar)
        self.answer()

    def answer(self):
        yes = [i for i, instruction in self.globals.items() if instruction.op == OP_CONSTANT_TRUE]
        for name in ANSWERED_YES & self.exports.keys():
            for instruction in self.functions[self.exports[name]]:
                if instruction.op == OP_RETURN_VALUE:
                    if not yes:
                        sys.exit("slice.py: the library has no constant true")
                    instruction.words = (instruction.words[0], yes[0])

    def read(self, grammar):
        widths, at, function = {}, HEADER_WORDS, None
        types = {}
        while at < len(self.words):
            count = self.words[at] >> 16
            words = self.words[at:at + count]
            op = words[0] & 0xFFFF
            at += count
            if op in DROPPED:
                continue
            ids, result = decode(grammar, words, widths)
            instruction = Instruction(op, words, ids, result)
            if op == 21:  # OpTypeInt
                types[words[1]] = words[2]
            elif result is not None and len(words) > 2 and words[1] in types:
                widths[result] = types[words[1]]
            if op == OP_FUNCTION:
                function = []
                self.functions[result] = function
            if function is not None:
                function.append(instruction)
                if op == OP_FUNCTION_END:
                    function = None
            elif op in (OP_CAPABILITY, OP_EXT_INST_IMPORT, OP_MEMORY_MODEL):
                self.preamble.append(instruction)
            elif op == OP_DECORATE:
                self.add_decoration(instruction)
            elif result is not None:
                self.globals[result] = instruction
                self.order.append(result)

    def add_decoration(self, instruction):
        words = instruction.words
        self.decorations.setdefault(words[1], []).append(instruction)
        if words[2] == LINKAGE_ATTRIBUTES and words[-1] == LINKAGE_EXPORT:
            text = struct.pack(f"<{len(words) - 4}I", *words[3:-1])
            self.exports[text.split(b"\0")[0].decode()] = words[1]

    def closure(self, root):
        """Returns what a function needs: ids of functions in order of discovery, and of globals."""
        functions, needed, pending = [], set(), [root]
        seen = {root}
        while pending:
            item = pending.pop()
            if item in self.functions:
                functions.append(item)
                instructions = self.functions[item]
            else:
                needed.add(item)
                instructions = [self.globals[item]]
            for instruction in instructions:
                for position in instruction.ids:
                    target = instruction.words[position]
                    if target not in seen and (target in self.functions or target in self.globals):
                        seen.add(target)
                        pending.append(target)
        return functions, needed

    def slice(self, root):
        functions, needed = self.closure(root)
        body = list(self.preamble)
        included = needed | set(functions)
        for function in functions:
            included |= {i.result for i in self.functions[function] if i.result is not None}
        for target in sorted(included):
            body += self.decorations.get(target, [])
        body += [self.globals[i] for i in self.order if i in needed]
        # declarations (imports) come before definitions
        functions.sort(key=lambda f: len(self.functions[f]) > 2 and any(i.op == 248 for i in self.functions[f]))
        for function in functions:
            body += self.functions[function]
        numbers, out = {}, []
        for instruction in body:
            words = list(instruction.words)
            for position in instruction.ids:
                words[position] = numbers.setdefault(words[position], len(numbers) + 1)
            out += words
        header = [MAGIC, self.words[1], self.words[2], len(numbers) + 1, 0]
        return struct.pack(f"<{len(out) + HEADER_WORDS}I", *header, *out)


GEOMETRIC = ("length", "distance", "normalize", "cross")


def wanted(name):
    """Returns whether a function gets a slice: scalar and geometric functions, image and block access, ray queries."""
    return name.startswith(("geo_image_", "geo_block2d_", "geo_ray_")) or name.startswith("_Z") and ("Dv" not in name or any(word in name for word in GEOMETRIC)) \
        and not any(word in name for word in ("async_", "vload", "vstore"))


def main():
    grammar_path, binary_path, index_path, *libraries = sys.argv[1:]
    grammar = load_grammar(grammar_path)
    slices = {}
    for path in libraries:
        library = Library(path, grammar)
        for name, root in library.exports.items():
            if wanted(name) and root in library.functions:
                slices[name] = library.slice(root)
    names = sorted(slices, key=lambda n: n.encode())
    blob = b"".join(slices[name] for name in names)
    with open(binary_path, "wb") as binary:
        binary.write(blob)
    offset = 0
    with open(index_path, "w") as index:
        index.write("/* Made by slice.py: {name, offset, bytes}, sorted by name. */\n")
        # library.c includes the binary with .incbin, which ccache does not see in its depend mode.
        index.write(f"/* SHA-256 of the binary: {hashlib.sha256(blob).hexdigest()} */\n")
        for name in names:
            index.write(f'{{"{name}", {offset}u, {len(slices[name])}u}},\n')
            offset += len(slices[name])


if __name__ == "__main__":
    main()
