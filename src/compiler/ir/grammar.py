#!/usr/bin/env python3
"""Turns Khronos' grammars (spirv-headers' spirv.core and extinst.opencl.std) and numbers.def into the tables behind ir/grammar.h.

usage: grammar.py SPIRV.json OPENCL.json numbers.def OUT.inc

Each instruction's operands become a string of letters, explained in ir/grammar.h and read by spirv/. Its kind becomes
a set of traits: CLASS_TRAITS gives those of the grammar's classes, TRAITS those of single instructions. A name or class
that is missing in the grammar ends the build.
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
}


# Rows of numbers.def; strings may stand on the next line.
ROW_OP = re.compile(r'^OP\((\w+),\s+(\d+),\s+"(\w+)",\s+"([^"]*)",\s+"([^"]*)",', re.MULTILINE)
ROW_CAPABILITY = re.compile(r'^CAPABILITY\((\w+),\s+(\d+),\s+"(\w+)",', re.MULTILINE)


# Corrections of that grammar: it lists one operand too many.
CORRECTED = {"OpFPGARegINTEL": "tri"}

# Opcodes of ours (enum geo_ir_op, in its order): name for messages, traits.
OURS = [
    ("GEO_OP_BUILTIN", "Builtin", {"PURE"}),
    ("GEO_OP_PTR_ADD", "PtrAdd", {"PURE", "POINTER_STEP"}),
    ("GEO_OP_LOCAL_IMUL", "LocalIMul", {"ATOMIC"}),
    ("GEO_OP_LOCAL_FMUL", "LocalFMul", {"ATOMIC"}),
    ("GEO_OP_ASSERT_FAIL", "AssertFail", set()),
    ("GEO_OP_GUESS_INVERSE", "GuessInverse", {"PURE"}),
    ("GEO_OP_GUESS_INVERSE_ROOT", "GuessInverseRoot", {"PURE"}),
    ("GEO_OP_SCALE", "Scale", {"PURE"}),
    ("GEO_OP_HANDLE", "Handle", {"PURE"}),
]

# Traits of all instructions of a class.
CLASS_TRAITS = {
    "Type-Declaration": {"TYPE"},
    "Constant-Creation": {"CONSTANT"},
    "Annotation": {"ANNOTATION"},
    "Conversion": {"PURE"},
    "Composite": {"PURE"},
    "Arithmetic": {"PURE"},
    "Bit": {"PURE"},
    "Relational_and_Logical": {"PURE"},
    "Atomic": {"ATOMIC"},
    "Group": {"GROUP", "COLLECTIVE"},
    "Non-Uniform": {"GROUP", "COLLECTIVE"},
}

# Traits of single instructions that do not follow from their class.
TRAITS = {
    "TERMINATOR": "OpBranch OpBranchConditional OpSwitch OpReturn OpReturnValue OpUnreachable OpKill",
    "EXIT": "OpReturn OpReturnValue OpUnreachable OpKill",
    "CALL": "OpFunctionCall OpFunctionPointerCallINTEL",
    "ACCESS_CHAIN": "OpAccessChain OpInBoundsAccessChain OpPtrAccessChain OpInBoundsPtrAccessChain",
    "ELEMENT_CHAIN": "OpPtrAccessChain OpInBoundsPtrAccessChain",
    "IN_BOUNDS_CHAIN": "OpInBoundsAccessChain OpInBoundsPtrAccessChain",
    "SAME_ADDRESS": "OpBitcast OpPtrCastToGeneric OpGenericCastToPtr OpCopyObject",
    "POINTER_STEP": "OpAccessChain OpInBoundsAccessChain OpPtrAccessChain OpInBoundsPtrAccessChain "
                    "OpBitcast OpPtrCastToGeneric OpGenericCastToPtr OpCopyObject",
    "INTEGER_DIVISION": "OpUDiv OpSDiv OpUMod OpSRem OpSMod",
    "COLLECTIVE": "OpControlBarrier OpNamedBarrierInitialize OpMemoryNamedBarrier OpControlBarrierArriveINTEL "
                  "OpControlBarrierWaitINTEL",
    "PURE": "OpUndef OpSizeOf OpPhi OpVariable OpAccessChain OpInBoundsAccessChain OpPtrAccessChain "
            "OpInBoundsPtrAccessChain OpPtrEqual OpPtrNotEqual OpPtrDiff OpGenericPtrMemSemantics OpExpectKHR OpSampledImage "
            "OpConvertHandleToSampledImageINTEL",
    "CONSTANT": "OpUndef OpConstantFunctionPointerINTEL",
    "ANNOTATION": "OpName OpMemberName OpEntryPoint OpExecutionMode OpExecutionModeId OpAliasDomainDeclINTEL "
                  "OpAliasScopeDeclINTEL OpAliasScopeListDeclINTEL",
}

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


def spirv_traits(instruction):
    traits = {trait for trait, names in TRAITS.items() if instruction["opname"] in names.split()}
    traits |= CLASS_TRAITS.get(instruction.get("class"), set())
    if "CONSTANT" in traits and not pattern(instruction).startswith("tr"):
        traits.remove("CONSTANT")  # it only continues a long constant
    return traits


def opencl_traits(instruction):
    return set() if instruction["opname"] in OPENCL_EFFECTS else {"PURE"}


def trait_text(traits):
    return " | ".join("GEO_IS_" + trait for trait in sorted(traits)) or "0"


def table(name, instructions, traits):
    """Writes the rows of a table, and an index: for each number 1 + the position of its row."""
    rows = {}
    for instruction in instructions:
        number = instruction["opcode"]
        if number in rows:  # a second name of the same number
            rows[number][2].update(traits(instruction))
        else:
            rows[number] = (instruction["opname"], pattern(instruction), traits(instruction))
    text = f"static const struct geo_grammar {name}_table[] = {{\n"
    for number, (opname, operands, found) in sorted(rows.items()):
        text += f'    {{{number}, "{opname}", "{operands}", {trait_text(found)}}},\n'
    text += f"}};\nstatic const uint16_t {name}_rows[] = {{\n"
    for place, number in enumerate(sorted(rows)):
        text += f"    [{number}] = {place + 1},\n"
    return text + "};\n"


def younger(text):
    """Reads the instructions and capabilities of numbers.def, which are missing in Debian 12's grammar."""
    instructions = [{"opcode": int(number), "opname": opname, "operands": operands, "class": of}
                    for _, number, opname, operands, of in ROW_OP.findall(text)]
    capabilities = {int(number): name for _, number, name in ROW_CAPABILITY.findall(text)}
    for macro, found in (("OP", instructions), ("CAPABILITY", capabilities)):
        rows = len(re.findall(rf"^{macro}\(", text, re.MULTILINE))
        if rows != len(found):
            sys.exit(f"grammar.py: {rows - len(found)} rows of {macro} in numbers.def cannot be read")
    return instructions, capabilities


def capabilities(kinds, younger_names):
    """Writes a row for each capability, in ascending order; of several names for a number, the first."""
    names = dict(younger_names)
    for enumerant in next(kind for kind in kinds if kind["kind"] == "Capability")["enumerants"]:
        if names.get(enumerant["value"]) in (None, younger_names.get(enumerant["value"])):
            names[enumerant["value"]] = enumerant["enumerant"]
    rows = "".join(f'    {{{number}, "{name}"}},\n' for number, name in sorted(names.items()))
    return f"static const struct capability capability_table[] = {{\n{rows}}};\n"


def main():
    spirv_path, opencl_path, numbers_path, target = sys.argv[1:5]
    with open(numbers_path) as numbers_file:
        younger_instructions, younger_capabilities = younger(numbers_file.read())
    with open(spirv_path) as spirv_file, open(opencl_path) as opencl_file:
        grammar = json.load(spirv_file)
        spirv = grammar["instructions"]
        opencl = json.load(opencl_file)["instructions"]
    known = {instruction["opcode"] for instruction in spirv}
    spirv += [instruction for instruction in younger_instructions if instruction["opcode"] not in known]
    check_known(" ".join(TRAITS.values()).split(), [i["opname"] for i in spirv], "instruction")
    check_known(CLASS_TRAITS, [i.get("class") for i in spirv], "class")
    check_known(OPENCL_EFFECTS, [i["opname"] for i in opencl], "OpenCL.std instruction")
    with open(target, "w") as file:
        file.write("/* Made by grammar.py: {number, name, operands, traits}, ascending. */\n")
        file.write(table("spirv", spirv, spirv_traits) + table("opencl", opencl, opencl_traits))
        file.write("/* By enum geo_ir_op. */\nstatic const struct geo_grammar ours_table[] = {\n")
        for op, name, traits in OURS:
            file.write(f'    [{op} - GEO_OP_FIRST] = {{{op}, "{name}", NULL, {trait_text(traits)}}},\n')
        file.write("};\n" + capabilities(grammar["operand_kinds"], younger_capabilities))


if __name__ == "__main__":
    main()
