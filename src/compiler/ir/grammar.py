#!/usr/bin/env python3
"""Turns Khronos' grammars (spirv-headers' spirv.core, extinst.opencl.std and those of the debug instruction sets),
numbers.def, opcodes.def and opencl_std.def into the tables behind ir/grammar.h.

usage: grammar.py SPIRV.json OPENCL.json OPENCL-DEBUG.json SHADER-DEBUG.json numbers.def opcodes.def opencl_std.def
                  OUT.inc

Each instruction's operands become a string of letters, explained in ir/grammar.h and read by spirv/. Its row of
opcodes.def or opencl_std.def gives the traits of an instruction of functions; CLASS_TRAITS and TRAITS give those of the
instructions outside of functions. A name or class that is missing in the grammar, an instruction of OpenCL.std that has
no row, and a row that cannot be read end the build.
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

# Kinds of rows of each file, and the traits of all their instructions. The last column of a ROW has its own.
OPCODES_KINDS = {
    "ROW": None,
    "VALUE": {"PURE"},
    "ELEMENTS": {"PURE", "ELEMENTWISE"},
    "ATOMIC": {"ATOMIC"},
    "GROUP": {"GROUP", "COLLECTIVE"},
}
OPENCL_KINDS = {
    "ROW": None,
    "FUNCTION": {"PURE"},
    "FLOATS": {"PURE"},
    "INTEGERS": {"PURE"},
}

# Words of our opcodes' names that are one letter of SPIR-V's names and a word.
LETTER_WORDS = {"IMUL": "IMul", "FMUL": "FMul"}


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
    """The rows of a file: by name of the instruction in the grammar, the place of its row from 1 on, and its traits."""

    def __init__(self, file, text, kinds, grammar_name):
        self.places, self.traits = {}, {}
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        text = re.sub(r"^#.*(\\\n.*)*$", "", text, flags=re.MULTILINE)
        for kind, cells in re.findall(r"^([A-Z]+)\((.*?)\)$", text, re.MULTILINE | re.DOTALL):
            if kind not in kinds:
                sys.exit(f"grammar.py: {file} has a row of the unknown kind {kind}")
            opcode = cells.split(",")[0].strip()
            name = grammar_name(opcode)
            if name in self.places:
                sys.exit(f"grammar.py: {file} has two rows of {opcode}")
            traits = kinds[kind]
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


def spoken(name):
    """Returns an OpenCL.std instruction's name without its case and underscores: C has SAbs_diff, the grammar s_abs_diff."""
    return name.replace("_", "").lower()


def check_opencl(opencl, rows, file):
    """Ends the build if an instruction has no row, or a row no instruction."""
    missing = [instruction["opname"] for instruction in opencl if spoken(instruction["opname"]) not in rows.places]
    if missing:
        sys.exit(f"grammar.py: {file} has no row of the OpenCL.std instruction {', '.join(missing)}")
    check_known(rows.places, [spoken(instruction["opname"]) for instruction in opencl], "OpenCL.std instruction")


def trait_text(traits):
    return " | ".join("GEO_IS_" + trait for trait in sorted(traits)) or "0"


def table(name, instructions, traits, place_of):
    """Writes the rows of a table, and an index: for each number 1 + the position of its row."""
    rows = {}
    for instruction in instructions:
        number = instruction["opcode"]
        place = place_of(instruction["opname"])
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
    (spirv_path, opencl_path, opencl_debug_path, shader_debug_path, numbers_path, opcodes_path, opencl_std_path,
     target) = sys.argv[1:9]
    with open(numbers_path) as numbers_file:
        numbers = numbers_file.read()
    younger_instructions, younger_debug, younger_capabilities = younger(numbers)
    young = {"GEO_SPV_" + row[0]: row[2] for row in ROW_OP.findall(numbers)}
    with open(opcodes_path) as opcodes_file:
        opcodes = Rows("opcodes.def", opcodes_file.read(), OPCODES_KINDS,
                       lambda op: op.replace("SpvOp", "Op", 1) if op.startswith("SpvOp") else young.get(op, op))
    with open(opencl_std_path) as opencl_std_file:
        opencl_std = Rows("opencl_std.def", opencl_std_file.read(), OPENCL_KINDS, spoken)
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
    check_opencl(opencl, opencl_std, "opencl_std.def")
    check_known(set(opcodes.places) - set(opcodes.ours()), [i["opname"] for i in spirv], "instruction")
    with open(target, "w") as file:
        file.write("/* Made by grammar.py: {number, name, operands, traits, row}, ascending. */\n")
        file.write(table("spirv", spirv, lambda i: outside_traits(i) | opcodes.traits.get(i["opname"], set()),
                         lambda name: opcodes.places.get(name, 0)))
        file.write(table("opencl", opencl, lambda i: opencl_std.traits[spoken(i["opname"])],
                         lambda name: opencl_std.places[spoken(name)]))
        file.write(table("opencl_debug", opencl_debug, lambda _: set(), lambda _: 0))
        file.write(table("shader_debug", shader_debug, lambda _: set(), lambda _: 0))
        file.write("/* By enum geo_ir_op. */\nstatic const struct geo_grammar ours_table[] = {\n")
        for op in opcodes.ours():
            file.write(f'    [{op} - GEO_OP_FIRST] = {{{op}, "{title(op)}", NULL, {trait_text(opcodes.traits[op])}, '
                       f'{opcodes.places[op]}}},\n')
        file.write(f"}};\n_Static_assert(GEO_ROW_COUNT == {len(opcodes.places) + 1}, "
                   '"grammar.py and C read the same rows of opcodes.def");\n'
                   f"_Static_assert(GEO_OPENCL_ROW_COUNT == {len(opencl_std.places) + 1}, "
                   '"grammar.py and C read the same rows of opencl_std.def");\n')
        file.write(capabilities(grammar["operand_kinds"], younger_capabilities))


if __name__ == "__main__":
    main()
