#!/usr/bin/env python3
"""Turns Khronos' SPIR-V grammar (spirv-headers' spirv.core.grammar.json) into the table behind ir/grammar.h.

usage: grammar.py GRAMMAR.json OUT.inc

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
    "GroupOperation", "PackedVectorFormat", "SelectionControl", "SourceLanguage", "FunctionControl",
}


def letters(operand):
    kind = operand["kind"]
    letter = LETTERS.get(kind) or ("l" if kind in WORDS else None)
    if letter is None:
        sys.exit(f"grammar.py: operand kind {kind} is new: give it a letter")
    return letter + operand.get("quantifier", "")


def main():
    source, target = sys.argv[1:3]
    with open(source) as file:
        grammar = json.load(file)
    rows = {}
    for instruction in grammar["instructions"]:
        pattern = "".join(letters(o) for o in instruction.get("operands", []))
        rows.setdefault(instruction["opcode"], (instruction["opname"], pattern))
    with open(target, "w") as file:
        file.write("/* Made by grammar.py from spirv.core.grammar.json: {opcode, name, operands} by opcode. */\n")
        for opcode, (name, pattern) in sorted(rows.items()):
            file.write(f'{{{opcode}, "{name}", "{pattern}"}},\n')


if __name__ == "__main__":
    main()
