#!/usr/bin/env python3
"""Turns Khronos' grammars (spirv-headers' spirv.core, extinst.opencl.std and those of the debug instruction sets),
numbers.def and opcodes.def into the tables behind ir/grammar.h.

usage: grammar.py SPIRV.json OPENCL.json OPENCL-DEBUG.json SHADER-DEBUG.json numbers.def opcodes.def OUT.inc

Each instruction's operands become a string of letters, explained in ir/grammar.h and read by spirv/. Its row of
opcodes.def gives the traits of an instruction of functions; CLASS_TRAITS and TRAITS give those of the instructions
outside of functions. A name or class that is missing in the grammar, and a row that cannot be read, end the build.
"""
import json
import re
import sys

LETTERS = {
    "IdResultType": "t",
    "IdResult": "r",
    "IdRef": "i",
    "IdScope": "i",
    "IdMemorySemantics": "i",
    "LiteralString": "s",
    "LiteralContextDependentNumber": "n",
    "PairIdRefIdRef": "P",
    "PairLiteralIntegerIdRef": "S",
    "PairIdRefLiteralInteger": "p",
    "MemoryAccess": "M",
    "ImageOperands": "I",
    "LoopControl": "L",
    "ExecutionMode": "L",
    "Decoration": "L",
    "LiteralSpecConstantOpInteger": "L",
}
# Operand kinds that are one literal word.
WORDS = {
    "LiteralInteger", "LiteralExtInstInteger", "StorageClass", "AddressingModel", "MemoryModel", "ExecutionModel",
    "Capability", "AccessQualifier", "ImageFormat", "Dim", "SamplerAddressingMode", "SamplerFilterMode",
    "GroupOperation", "PackedVectorFormat", "SelectionControl", "SourceLanguage", "FunctionControl", "FPRoundingMode",
    "DebugInfoFlags", "DebugBaseTypeAttributeEncoding", "DebugCompositeType", "DebugTypeQualifier", "DebugOperation",
    "DebugImportedEntity",
}


# Rows of numbers.def; strings may stand on the next line.
ROW_OP = re.compile(r'^OP\((\w+),\s+(\d+),\s+"(\w+)",\s+"([^"]*)",\s+"([^"]*)",', re.MULTILINE)
ROW_DEBUG_OP = re.compile(r'^DEBUG_OP\((\w+),\s+(\d+),\s+"(\w+)",\s+"([^"]*)",', re.MULTILINE)
ROW_CAPABILITY = re.compile(r'^CAPABILITY\((\w+),\s+(\d+),\s+"(\w+)",', re.MULTILINE)


# Corrections of that grammar: it lists one operand too many.
CORRECTED = {"OpFPGARegINTEL": "tri"}

# Traits of the instructions of a class that stand outside of functions.
CLASS_TRAITS = {
    "Type-Declaration": {"TYPE"},
    "Constant-Creation": {"CONSTANT"},
    "Annotation": {"ANNOTATION"},
}

# Traits of single instructions that do not follow from their class.
TRAITS = {
    "CONSTANT": "OpUndef OpConstantFunctionPointerINTEL",
    "ANNOTATION": "OpName OpMemberName OpEntryPoint OpExecutionMode OpExecutionModeId OpAliasDomainDeclINTEL "
                  "OpAliasScopeDeclINTEL OpAliasScopeListDeclINTEL",
}

# Kinds of rows of opcodes.def, and the traits of all their instructions. The last column of a ROW has its own.
ROW_TRAITS = {
    "ROW": None,
    "VALUE": {"PURE"},
    "ELEMENTS": {"PURE", "ELEMENTWISE"},
    "ATOMIC": {"ATOMIC"},
    "GROUP": {"GROUP", "COLLECTIVE"},
}

# Words of our opcodes' names that are one letter of SPIR-V's names and a word.
LETTER_WORDS = {"IMUL": "IMul", "FMUL": "FMul"}

# OpenCL.std instructions that are not pure: they write through a pointer, print, or allocate memory.
OPENCL_EFFECTS = (
    "fract frexp lgamma_r modf remquo sincos vstoren vstore_half vstore_half_r vstore_halfn vstore_halfn_r "
    "vstorea_halfn vstorea_halfn_r printf prefetch").split()


def letters(operand):
    kind = operand["kind"]
    letter = LETTERS.get(kind) or ("l" if kind in WORDS else None)
    if letter is None:
        sys.exit(f"grammar.py: operand kind {kind} is new: give it a letter")
    return letter + operand.get("quantifier", "")


def pattern(instruction):
    if instruction["opname"] in CORRECTED:
        return CORRECTED[instruction["opname"]]
    operands = instruction.get("operands", [])
    return operands if isinstance(operands, str) else "".join(letters(operand) for operand in operands)


def check_known(wanted, known, what):
    missing = sorted(set(wanted) - set(known))
    if missing:
        sys.exit(f"grammar.py: the grammar has no {what} {', '.join(missing)}")


class Rows:
    """The rows of opcodes.def: by name of the opcode, the place of its row from 1 on, and its traits."""

    def __init__(self, text, young):
        self.places, self.traits = {}, {}
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.MULTILINE)
        names = {"GEO_SPV_" + row[0]: row[2] for row in young}
        for kind, cells in re.findall(r"^([A-Z]+)\((.*?)\)$", text, re.MULTILINE | re.DOTALL):
            if kind not in ROW_TRAITS:
                sys.exit(f"grammar.py: opcodes.def has a row of the unknown kind {kind}")
            opcode = cells.split(",")[0].strip()
            name = opcode.replace("SpvOp", "Op", 1) if opcode.startswith("SpvOp") else names.get(opcode, opcode)
            if name in self.places:
                sys.exit(f"grammar.py: opcodes.def has two rows of {opcode}")
            traits = ROW_TRAITS[kind]
            if traits is None:
                traits = set(cells.rsplit(",", 1)[1].replace("|", " ").split()) - {"0"}
            self.places[name], self.traits[name] = len(self.places) + 1, traits

    def ours(self):
        """Returns the opcodes of ours, in order of their rows."""
        return [name for name in self.places if name.startswith("GEO_OP_")]


def outside_traits(instruction):
    traits = {trait for trait, names in TRAITS.items() if instruction["opname"] in names.split()}
    traits |= CLASS_TRAITS.get(instruction.get("class"), set())
    if "CONSTANT" in traits and not pattern(instruction).startswith("tr"):
        traits.remove("CONSTANT")  # it only continues a long constant
    return traits


def opencl_traits(instruction):
    return set() if instruction["opname"] in OPENCL_EFFECTS else {"PURE"}


def trait_text(traits):
    return " | ".join("GEO_IS_" + trait for trait in sorted(traits)) or "0"


def table(name, instructions, traits, places):
    """Writes the rows of a table, and an index: for each number 1 + the position of its row."""
    rows = {}
    for instruction in instructions:
        number = instruction["opcode"]
        place = places.get(instruction["opname"], 0)
        if number in rows:  # a second name of the same number
            rows[number][2].update(traits(instruction))
            rows[number][3].append(place)
        else:
            rows[number] = (instruction["opname"], pattern(instruction), traits(instruction), [place])
    text = f"static const struct geo_grammar {name}_table[] = {{\n"
    for number, (opname, operands, found, of) in sorted(rows.items()):
        text += f'    {{{number}, "{opname}", "{operands}", {trait_text(found)}, {max(of)}}},\n'
    text += f"}};\nstatic const uint16_t {name}_rows[] = {{\n"
    for place, number in enumerate(sorted(rows)):
        text += f"    [{number}] = {place + 1},\n"
    return text + "};\n"


def younger(text):
    """Reads the instructions, debug instructions and capabilities of numbers.def, which are missing in Debian 12's grammar."""
    instructions = [{"opcode": int(number), "opname": opname, "operands": operands, "class": of}
                    for _, number, opname, operands, of in ROW_OP.findall(text)]
    capabilities = {int(number): name for _, number, name in ROW_CAPABILITY.findall(text)}
    debug = [{"opcode": int(number), "opname": opname, "operands": operands}
             for _, number, opname, operands in ROW_DEBUG_OP.findall(text)]
    for macro, found in (("OP", instructions), ("DEBUG_OP", debug), ("CAPABILITY", capabilities)):
        rows = len(re.findall(rf"^{macro}\(", text, re.MULTILINE))
        if rows != len(found):
            sys.exit(f"grammar.py: {rows - len(found)} rows of {macro} in numbers.def cannot be read")
    return instructions, debug, capabilities


def capabilities(kinds, younger_names):
    """Writes a row for each capability, in ascending order; of several names for a number, the first."""
    names = dict(younger_names)
    for enumerant in next(kind for kind in kinds if kind["kind"] == "Capability")["enumerants"]:
        if names.get(enumerant["value"]) in (None, younger_names.get(enumerant["value"])):
            names[enumerant["value"]] = enumerant["enumerant"]
    rows = "".join(f'    {{{number}, "{name}"}},\n' for number, name in sorted(names.items()))
    return f"static const struct capability capability_table[] = {{\n{rows}}};\n"


def title(opcode):
    """Returns the name for messages of an opcode of ours: PtrAdd of GEO_OP_PTR_ADD."""
    words = opcode.removeprefix("GEO_OP_").split("_")
    return "".join(LETTER_WORDS.get(word) or word.capitalize() for word in words)


def main():
    spirv_path, opencl_path, opencl_debug_path, shader_debug_path, numbers_path, opcodes_path, target = sys.argv[1:8]
    with open(numbers_path) as numbers_file:
        numbers = numbers_file.read()
    younger_instructions, younger_debug, younger_capabilities = younger(numbers)
    with open(opcodes_path) as opcodes_file:
        opcodes = Rows(opcodes_file.read(), ROW_OP.findall(numbers))
    with open(opencl_debug_path) as opencl_debug_file, open(shader_debug_path) as shader_debug_file:
        opencl_debug = json.load(opencl_debug_file)["instructions"]
        shader_debug = json.load(shader_debug_file)["instructions"] + younger_debug
    with open(spirv_path) as spirv_file, open(opencl_path) as opencl_file:
        grammar = json.load(spirv_file)
        spirv = grammar["instructions"]
        opencl = json.load(opencl_file)["instructions"]
    known = {instruction["opcode"] for instruction in spirv}
    spirv += [instruction for instruction in younger_instructions if instruction["opcode"] not in known]
    check_known(" ".join(TRAITS.values()).split(), [i["opname"] for i in spirv], "instruction")
    check_known(CLASS_TRAITS, [i.get("class") for i in spirv], "class")
    check_known(OPENCL_EFFECTS, [i["opname"] for i in opencl], "OpenCL.std instruction")
    check_known(set(opcodes.places) - set(opcodes.ours()), [i["opname"] for i in spirv], "instruction")
    with open(target, "w") as file:
        file.write("/* Made by grammar.py: {number, name, operands, traits, row}, ascending. */\n")
        file.write(table("spirv", spirv, lambda i: outside_traits(i) | opcodes.traits.get(i["opname"], set()),
                         opcodes.places))
        file.write(table("opencl", opencl, opencl_traits, {}))
        file.write(table("opencl_debug", opencl_debug, lambda _: set(), {}))
        file.write(table("shader_debug", shader_debug, lambda _: set(), {}))
        file.write("/* By enum geo_ir_op. */\nstatic const struct geo_grammar ours_table[] = {\n")
        for op in opcodes.ours():
            file.write(f'    [{op} - GEO_OP_FIRST] = {{{op}, "{title(op)}", NULL, {trait_text(opcodes.traits[op])}, '
                       f'{opcodes.places[op]}}},\n')
        file.write(f"}};\n_Static_assert(GEO_ROW_COUNT == {len(opcodes.places) + 1}, "
                   '"grammar.py and C read the same rows of opcodes.def");\n')
        file.write(capabilities(grammar["operand_kinds"], younger_capabilities))


if __name__ == "__main__":
    main()
