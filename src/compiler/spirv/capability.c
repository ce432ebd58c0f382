/* Checks the capabilities that a module declares. Even in a module whose capabilities are accepted,
 * an instruction that lowering cannot translate fails. docs/user/features.md has the table for
 * users. */
#include "compiler/spirv/capability.h"

#include "compiler/ir/grammar.h"

static bool capability_ok(uint32_t capability)
{
    switch (capability) {
    case SpvCapabilityAddresses:
    case SpvCapabilityLinkage:
    case SpvCapabilityKernel:
    case SpvCapabilityVector16:
    case SpvCapabilityFloat16Buffer:
    case SpvCapabilityFloat16:
    case SpvCapabilityFloat64:
    case SpvCapabilityInt64:
    case SpvCapabilityInt64Atomics:
    case SpvCapabilityInt16:
    case SpvCapabilityInt8:
    case SpvCapabilityImageBasic:
    case SpvCapabilityImageReadWrite:
    case SpvCapabilityImageMipmap:
    case SpvCapabilityLiteralSampler:
    case SpvCapabilitySampled1D:
    case SpvCapabilityImage1D:
    case SpvCapabilitySampledBuffer:
    case SpvCapabilityImageBuffer:
    case SpvCapabilityGroups:
    case SpvCapabilityGenericPointer:
    case SpvCapabilitySubgroupDispatch:
    case SpvCapabilityGroupNonUniform:
    case SpvCapabilityGroupNonUniformVote:
    case SpvCapabilityGroupNonUniformArithmetic:
    case SpvCapabilityGroupNonUniformBallot:
    case SpvCapabilityGroupNonUniformShuffle:
    case SpvCapabilityGroupNonUniformShuffleRelative:
    case SpvCapabilityGroupNonUniformClustered:
    case SpvCapabilityGroupNonUniformQuad:
    case SpvCapabilityGroupNonUniformPartitionedNV:
    case SpvCapabilityGroupNonUniformRotateKHR:
    case SpvCapabilitySplitBarrierINTEL:
    case SpvCapabilitySubgroupBallotKHR:
    case SpvCapabilitySubgroupVoteKHR:
    case SpvCapabilityDenormPreserve:
    case SpvCapabilityDenormFlushToZero:
    case SpvCapabilitySignedZeroInfNanPreserve:
    case SpvCapabilityRoundingModeRTE:
    case SpvCapabilityRoundingModeRTZ:
    case SpvCapabilityRoundToInfinityINTEL:
    case SpvCapabilityFloatingPointModeINTEL:
    case SpvCapabilitySubgroupShuffleINTEL:
    case SpvCapabilitySubgroupBufferBlockIOINTEL:
    case SpvCapabilitySubgroupImageBlockIOINTEL:
    case SpvCapabilitySubgroupImageMediaBlockIOINTEL:
    case SpvCapabilityFunctionPointersINTEL:
    case SpvCapabilityIndirectReferencesINTEL:
    case SpvCapabilityAsmINTEL:
    case SpvCapabilityArbitraryPrecisionIntegersINTEL:
    case SpvCapabilityAtomicFloat32AddEXT:
    case SpvCapabilityAtomicFloat64AddEXT:
    case SpvCapabilityAtomicFloat16AddEXT:
    case SpvCapabilityAtomicFloat32MinMaxEXT:
    case SpvCapabilityAtomicFloat64MinMaxEXT:
    case SpvCapabilityAtomicFloat16MinMaxEXT:
    case SpvCapabilityIntegerFunctions2INTEL:
    case SpvCapabilityVectorAnyINTEL:
    case SpvCapabilityExpectAssumeKHR:
    case SpvCapabilityFPFastMathModeINTEL:
    case SpvCapabilityMemoryAccessAliasingINTEL:
    case SpvCapabilityUnstructuredLoopControlsINTEL:
    case SpvCapabilityKernelAttributesINTEL:
    case SpvCapabilityOptNoneINTEL:
    case SpvCapabilityLongConstantCompositeINTEL:
    case SpvCapabilityBitInstructions:
    case SpvCapabilityDotProduct:
    case SpvCapabilityDotProductInputAll:
    case SpvCapabilityDotProductInput4x8Bit:
    case SpvCapabilityDotProductInput4x8BitPacked:
    case SpvCapabilityShaderClockKHR:
    case SpvCapabilityGroupUniformArithmeticKHR:
    case SpvCapabilityUniformDecoration:
    case SpvCapabilityVariableLengthArrayINTEL:
    case SpvCapabilityUSMStorageClassesINTEL:
    case SpvCapabilityRuntimeAlignedAttributeINTEL:
    case SpvCapabilityDebugInfoModuleINTEL:
    case SpvCapabilityFPGAMemoryAttributesINTEL:
    case SpvCapabilityFPGALoopControlsINTEL:
    case SpvCapabilityFPGAKernelAttributesINTEL:
    case SpvCapabilityFPGAMemoryAccessesINTEL:
    case SpvCapabilityFPGAClusterAttributesINTEL:
    case SpvCapabilityLoopFuseINTEL:
    case SpvCapabilityFPGADSPControlINTEL:
    case SpvCapabilityFPGAInvocationPipeliningAttributesINTEL:
    case SpvCapabilityFPGABufferLocationINTEL:
    case SpvCapabilityFPGARegINTEL:
    case GEO_CAPABILITY_POISON_FREEZE_KHR:
    case GEO_CAPABILITY_WEAK_LINKAGE_AMD:
    case GEO_CAPABILITY_REPLICATED_COMPOSITES_EXT:
    case GEO_CAPABILITY_FLOAT_CONTROLS_2:
    case GEO_CAPABILITY_FMA_KHR:
    case GEO_CAPABILITY_COOPERATIVE_MATRIX_KHR:
    case GEO_CAPABILITY_BFLOAT16_MATRIX_KHR:
    case GEO_CAPABILITY_MATRIX_CHECKED_INTEL:
    case GEO_CAPABILITY_MATRIX_PREFETCH_INTEL:
    case GEO_CAPABILITY_TF32_ROUNDING_INTEL:
    case GEO_CAPABILITY_MATRIX_PACKED_INTEL:
    case GEO_CAPABILITY_MATRIX_INVOCATION_INTEL:
    case GEO_CAPABILITY_MATRIX_TF32_INTEL:
    case GEO_CAPABILITY_MATRIX_BFLOAT16_INTEL:
    case GEO_CAPABILITY_ARITHMETIC_FENCE_EXT:
    case GEO_CAPABILITY_BFLOAT16_CONVERSION_INTEL:
    case GEO_CAPABILITY_BFLOAT16_TYPE_KHR:
    case GEO_CAPABILITY_BFLOAT16_DOT_PRODUCT_KHR:
    case GEO_CAPABILITY_GLOBAL_VARIABLE_DECORATIONS_INTEL:
    case GEO_CAPABILITY_FPGA_CLUSTER_ATTRIBUTES_V2_INTEL:
    case GEO_CAPABILITY_FPGA_KERNEL_ATTRIBUTES_V2_INTEL:
    case GEO_CAPABILITY_FP_MAX_ERROR_INTEL:
    case GEO_CAPABILITY_FPGA_LATENCY_CONTROL_INTEL:
    case GEO_CAPABILITY_FPGA_ARGUMENT_INTERFACES_INTEL:
    case GEO_CAPABILITY_GLOBAL_VARIABLE_HOST_ACCESS_INTEL:
    case GEO_CAPABILITY_GLOBAL_VARIABLE_FPGA_INTEL:
    case GEO_CAPABILITY_SUBGROUP_BUFFER_PREFETCH_INTEL:
    case GEO_CAPABILITY_SUBGROUP_2D_BLOCK_IO_INTEL:
    case GEO_CAPABILITY_SUBGROUP_2D_BLOCK_TRANSFORM_INTEL:
    case GEO_CAPABILITY_SUBGROUP_2D_BLOCK_TRANSPOSE_INTEL:
    case GEO_CAPABILITY_SUBGROUP_MATRIX_MULTIPLY_ACCUMULATE_INTEL:
    case GEO_CAPABILITY_TERNARY_BITWISE_FUNCTION_INTEL:
    case GEO_CAPABILITY_PREDICATED_IO_INTEL:
    case GEO_CAPABILITY_ROUNDED_DIVIDE_SQRT_INTEL:
    case GEO_CAPABILITY_MASKED_GATHER_SCATTER_INTEL:
    case GEO_CAPABILITY_CACHE_CONTROLS_INTEL:
    case GEO_CAPABILITY_REGISTER_LIMITS_INTEL:
    case GEO_CAPABILITY_BINDLESS_IMAGES_INTEL:
        return true;
    default:
        return false;
    }
}

bool spirv_read_capability(struct spirv_reader *reader)
{
    if (!spirv_need(reader, 1)) {
        return false;
    }
    if (!capability_ok(reader->operands[0])) {
        const char *name = geo_grammar_capability(reader->operands[0]);
        return name ? spirv_error(reader, "capability %s (%u) is not supported", name,
                                  reader->operands[0])
                    : spirv_error(reader, "capability %u is not supported", reader->operands[0]);
    }
    reader->module->function_pointers |= reader->operands[0] == SpvCapabilityFunctionPointersINTEL;
    reader->predicated_io |= reader->operands[0] == GEO_CAPABILITY_PREDICATED_IO_INTEL;
    reader->bindless_images |= reader->operands[0] == GEO_CAPABILITY_BINDLESS_IMAGES_INTEL;
    return true;
}
