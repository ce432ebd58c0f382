#!/usr/bin/env python3
"""Turns Khronos' grammars (spirv-headers' spirv.core and extinst.opencl.std) into the tables behind ir/grammar.h.

usage: grammar.py SPIRV.json OPENCL.json OUT.inc

Each instruction's operands become a string of letters, read by spirv/ and explained in ir/grammar.h. What kind of
instruction it is becomes a set of traits: from the grammar's class where that says it (CLASS_TRAITS), from the lists
below where it does not (TRAITS). A name or class that the grammar does not have ends the build.
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
YOUNGER = [
    {"opcode": 4427, "opname": "OpFmaKHR", "operands": "triii", "class": "Arithmetic"},
    {"opcode": 4433, "opname": "OpExtInstWithForwardRefsKHR", "operands": "trili*"},
    {"opcode": 4456, "opname": "OpTypeCooperativeMatrixKHR", "operands": "riiiii", "class": "Type-Declaration"},
    {"opcode": 4457, "opname": "OpCooperativeMatrixLoadKHR", "operands": "triii?M?", "class": "Group"},
    {"opcode": 4458, "opname": "OpCooperativeMatrixStoreKHR", "operands": "iiii?M?", "class": "Group"},
    {"opcode": 4459, "opname": "OpCooperativeMatrixMulAddKHR", "operands": "triiil?", "class": "Group"},
    {"opcode": 4460, "opname": "OpCooperativeMatrixLengthKHR", "operands": "tri"},
    {"opcode": 4461, "opname": "OpConstantCompositeReplicateEXT", "operands": "tri", "class": "Constant-Creation"},
    {"opcode": 4462, "opname": "OpSpecConstantCompositeReplicateEXT", "operands": "tri", "class": "Constant-Creation"},
    {"opcode": 4463, "opname": "OpCompositeConstructReplicateEXT", "operands": "tri", "class": "Composite"},
    {"opcode": 5158, "opname": "OpPoisonKHR", "operands": "tr", "class": "Constant-Creation"},
    {"opcode": 5159, "opname": "OpFreezeKHR", "operands": "tri", "class": "Composite"},
    {"opcode": 6096, "opname": "OpCompositeConstructContinuedINTEL", "operands": "i*"},
    {"opcode": 6116, "opname": "OpConvertFToBF16INTEL", "operands": "tri"},
    {"opcode": 6117, "opname": "OpConvertBF16ToFINTEL", "operands": "tri"},
    {"opcode": 6145, "opname": "OpArithmeticFenceEXT", "operands": "tri"},
    {"opcode": 6193, "opname": "OpCooperativeMatrixLoadCheckedINTEL", "operands": "triiiiiii?M?", "class": "Group"},
    {"opcode": 6194, "opname": "OpCooperativeMatrixStoreCheckedINTEL", "operands": "iiiiiiii?M?", "class": "Group"},
    {"opcode": 6195, "opname": "OpCooperativeMatrixConstructCheckedINTEL", "operands": "triiiii"},
    {"opcode": 6221, "opname": "OpSubgroupBlockPrefetchINTEL", "operands": "iiM?"},
    {"opcode": 6231, "opname": "OpSubgroup2DBlockLoadINTEL", "operands": "iiiiiiiiii"},
    {"opcode": 6232, "opname": "OpSubgroup2DBlockLoadTransformINTEL", "operands": "iiiiiiiiii"},
    {"opcode": 6233, "opname": "OpSubgroup2DBlockLoadTransposeINTEL", "operands": "iiiiiiiiii"},
    {"opcode": 6234, "opname": "OpSubgroup2DBlockPrefetchINTEL", "operands": "iiiiiiiii"},
    {"opcode": 6235, "opname": "OpSubgroup2DBlockStoreINTEL", "operands": "iiiiiiiiii"},
    {"opcode": 6242, "opname": "OpBitwiseFunctionINTEL", "operands": "triiii", "class": "Bit"},
    {"opcode": 6258, "opname": "OpPredicatedLoadINTEL", "operands": "triiiM?"},
    {"opcode": 6259, "opname": "OpPredicatedStoreINTEL", "operands": "iiiM?"},
    {"opcode": 6426, "opname": "OpRoundFToTF32INTEL", "operands": "tri", "class": "Conversion"},
    {"opcode": 6428, "opname": "OpMaskedGatherINTEL", "operands": "trilii"},
    {"opcode": 6429, "opname": "OpMaskedScatterINTEL", "operands": "iili"},
    {"opcode": 6440, "opname": "OpCooperativeMatrixGetElementCoordINTEL", "operands": "trii"},
    {"opcode": 6449, "opname": "OpCooperativeMatrixPrefetchINTEL", "operands": "iiiiilii?"},
    {"opcode": 6529, "opname": "OpConvertHandleToImageINTEL", "operands": "tri", "class": "Image"},
    {"opcode": 6530, "opname": "OpConvertHandleToSamplerINTEL", "operands": "tri", "class": "Image"},
    {"opcode": 6531, "opname": "OpConvertHandleToSampledImageINTEL", "operands": "tri", "class": "Image"},
]

# What that grammar has wrong: a word more than there is.
CORRECTED = {"OpFPGARegINTEL": "tri"}

# Capabilities that it does not know, for messages.
YOUNGER_CAPABILITIES = {
    4212: "Float8EXT", 4473: "UntypedPointersKHR", 5112: "Int4TypeINTEL", 5116: "BFloat16TypeKHR",
    5117: "BFloat16DotProductKHR", 5118: "BFloat16CooperativeMatrixKHR", 5120: "AbortKHR", 5146: "ConstantDataKHR",
    5156: "PoisonFreezeKHR", 5181: "WeakLinkageAMD", 5404: "AtomicFloat16VectorNV", 5425: "LongVectorEXT",
    6022: "CooperativeMatrixKHR", 6024: "ReplicatedCompositesEXT", 6029: "FloatControls2", 6030: "FMAKHR",
    6115: "BFloat16ConversionINTEL", 6118: "JointMatrixINTEL", 6144: "ArithmeticFenceEXT",
    6146: "GlobalVariableDecorationsINTEL", 6150: "FPGAClusterAttributesV2INTEL", 6161: "FPGAKernelAttributesv2INTEL",
    6162: "TaskSequenceINTEL", 6169: "FPMaxErrorINTEL", 6171: "FPGALatencyControlINTEL",
    6174: "FPGAArgumentInterfacesINTEL", 6187: "GlobalVariableHostAccessINTEL",
    6189: "GlobalVariableFPGADecorationsINTEL", 6192: "CooperativeMatrixCheckedInstructionsINTEL",
    6220: "SubgroupBufferPrefetchINTEL", 6228: "Subgroup2DBlockIOINTEL", 6229: "Subgroup2DBlockTransformINTEL",
    6230: "Subgroup2DBlockTransposeINTEL", 6236: "SubgroupMatrixMultiplyAccumulateINTEL",
    6241: "TernaryBitwiseFunctionINTEL", 6243: "UntypedVariableLengthArrayINTEL", 6245: "SpecConditionalINTEL",
    6246: "FunctionVariantsINTEL", 6257: "PredicatedIOINTEL", 6265: "RoundedDivideSqrtINTEL",
    6411: "CooperativeMatrixPrefetchINTEL", 6425: "TensorFloat32RoundingINTEL", 6427: "MaskedGatherScatterINTEL",
    6434: "PackedCooperativeMatrixINTEL", 6435: "CooperativeMatrixInvocationInstructionsINTEL",
    6436: "CooperativeMatrixTF32ComponentTypeINTEL", 6437: "CooperativeMatrixBFloat16ComponentTypeINTEL",
    6441: "CacheControlsINTEL", 6460: "RegisterLimitsINTEL", 6528: "BindlessImagesINTEL",
}

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

# What classes do not say.
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

# The same of OpenCL.std: all are pure but those that write through a pointer, print or ask for memory.
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
        traits.remove("CONSTANT")  # the rest of a long one
    return traits


def opencl_traits(instruction):
    return set() if instruction["opname"] in OPENCL_EFFECTS else {"PURE"}


def trait_text(traits):
    return " | ".join("GEO_IS_" + trait for trait in sorted(traits)) or "0"


def table(name, instructions, traits):
    """Rows, and where the row of each number is: 1 + its place in the table."""
    rows = {}
    for instruction in instructions:
        number = instruction["opcode"]
        if number in rows:  # one of them again, under another name
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


def capabilities(kinds):
    """A row for each capability, ascending; of names for one number the first."""
    names = dict(YOUNGER_CAPABILITIES)
    for enumerant in next(kind for kind in kinds if kind["kind"] == "Capability")["enumerants"]:
        if names.get(enumerant["value"]) in (None, YOUNGER_CAPABILITIES.get(enumerant["value"])):
            names[enumerant["value"]] = enumerant["enumerant"]
    rows = "".join(f'    {{{number}, "{name}"}},\n' for number, name in sorted(names.items()))
    return f"static const struct capability capability_table[] = {{\n{rows}}};\n"


def main():
    spirv_path, opencl_path, target = sys.argv[1:4]
    with open(spirv_path) as spirv_file, open(opencl_path) as opencl_file:
        grammar = json.load(spirv_file)
        spirv = grammar["instructions"]
        opencl = json.load(opencl_file)["instructions"]
    known = {instruction["opcode"] for instruction in spirv}
    spirv += [instruction for instruction in YOUNGER if instruction["opcode"] not in known]
    check_known(" ".join(TRAITS.values()).split(), [i["opname"] for i in spirv], "instruction")
    check_known(CLASS_TRAITS, [i.get("class") for i in spirv], "class")
    check_known(OPENCL_EFFECTS, [i["opname"] for i in opencl], "OpenCL.std instruction")
    with open(target, "w") as file:
        file.write("/* Made by grammar.py: {number, name, operands, traits}, ascending. */\n")
        file.write(table("spirv", spirv, spirv_traits) + table("opencl", opencl, opencl_traits))
        file.write("/* By enum geo_ir_op. */\nstatic const struct geo_grammar ours_table[] = {\n")
        for op, name, traits in OURS:
            file.write(f'    [{op} - GEO_OP_FIRST] = {{{op}, "{name}", NULL, {trait_text(traits)}}},\n')
        file.write("};\n" + capabilities(grammar["operand_kinds"]))


if __name__ == "__main__":
    main()
