#!/usr/bin/env python3
"""Turns Khronos' grammars (spirv-headers' spirv.core and extinst.opencl.std) into the tables behind ir/grammar.h.

usage: grammar.py SPIRV.json OPENCL.json OUT.inc

Each instruction's operands become a string of letters, read by spirv/ and explained in ir/grammar.h.
"""
import json
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


# Instructions younger than Debian 12's grammar that producers emit.
YOUNGER = {
    6116: ("OpConvertFToBF16INTEL", "tri"),
    6117: ("OpConvertBF16ToFINTEL", "tri"),
    6145: ("OpArithmeticFenceEXT", "tri"),
}


def letters(operand):
    kind = operand["kind"]
    letter = LETTERS.get(kind) or ("l" if kind in WORDS else None)
    if letter is None:
        sys.exit(f"grammar.py: operand kind {kind} is new: give it a letter")
    return letter + operand.get("quantifier", "")


def table(path, younger=None):
    with open(path) as file:
        grammar = json.load(file)
    rows = dict(younger or {})
    for instruction in grammar["instructions"]:
        pattern = "".join(letters(o) for o in instruction.get("operands", []))
        rows.setdefault(instruction["opcode"], (instruction["opname"], pattern))
    return "".join(f'    {{{op}, "{name}", "{pattern}"}},\n' for op, (name, pattern) in sorted(rows.items()))


def main():
    spirv, opencl, target = sys.argv[1:4]
    with open(target, "w") as file:
        file.write("/* Made by grammar.py: {number, name, operands}, ascending. */\n")
        file.write("static const struct geo_grammar spirv_table[] = {\n" + table(spirv, YOUNGER) + "};\n")
        file.write("static const struct geo_grammar opencl_table[] = {\n" + table(opencl) + "};\n")


if __name__ == "__main__":
    main()
