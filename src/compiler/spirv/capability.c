/* Which capabilities a module may declare. Declaring one promises nothing: an instruction that
 * lowering cannot do still fails. docs/compatibility.md has the table for people. */
#include "compiler/spirv/capability.h"

#include "compiler/ir/grammar.h"

/* Numbers that Khronos' header of Debian 12 does not name yet. */
#define CAPABILITY_BFLOAT16_TYPE_KHR         5116
#define CAPABILITY_BFLOAT16_DOT_PRODUCT_KHR  5117
#define CAPABILITY_BFLOAT16_MATRIX_KHR       5118
#define CAPABILITY_POISON_FREEZE_KHR         5156
#define CAPABILITY_WEAK_LINKAGE_AMD          5181
#define CAPABILITY_COOPERATIVE_MATRIX_KHR    6022
#define CAPABILITY_REPLICATED_COMPOSITES_EXT 6024
#define CAPABILITY_FLOAT_CONTROLS_2          6029
#define CAPABILITY_FMA_KHR                   6030
#define CAPABILITY_BFLOAT16_CONVERSION_INTEL 6115
#define CAPABILITY_ARITHMETIC_FENCE_EXT      6144
#define CAPABILITY_MATRIX_CHECKED_INTEL      6192
#define CAPABILITY_MATRIX_PREFETCH_INTEL     6411
#define CAPABILITY_TF32_ROUNDING_INTEL       6425
#define CAPABILITY_MATRIX_PACKED_INTEL       6434
#define CAPABILITY_MATRIX_INVOCATION_INTEL   6435
#define CAPABILITY_MATRIX_TF32_INTEL         6436
#define CAPABILITY_MATRIX_BFLOAT16_INTEL     6437
/* Of global variable decorations, before that extension became two others, and of those. */
#define CAPABILITY_GLOBAL_VARIABLE_DECORATIONS_INTEL 6146
#define CAPABILITY_FPGA_CLUSTER_ATTRIBUTES_V2_INTEL  6150
#define CAPABILITY_FPGA_KERNEL_ATTRIBUTES_V2_INTEL   6161
#define CAPABILITY_FP_MAX_ERROR_INTEL                6169
#define CAPABILITY_FPGA_LATENCY_CONTROL_INTEL        6171
#define CAPABILITY_FPGA_ARGUMENT_INTERFACES_INTEL    6174
#define CAPABILITY_GLOBAL_VARIABLE_HOST_ACCESS_INTEL 6187
#define CAPABILITY_GLOBAL_VARIABLE_FPGA_INTEL        6189
#define CAPABILITY_SUBGROUP_BUFFER_PREFETCH_INTEL    6220
#define CAPABILITY_SUBGROUP_2D_BLOCK_IO_INTEL        6228
#define CAPABILITY_SUBGROUP_2D_BLOCK_TRANSFORM_INTEL 6229
#define CAPABILITY_SUBGROUP_2D_BLOCK_TRANSPOSE_INTEL 6230
#define CAPABILITY_TERNARY_BITWISE_FUNCTION_INTEL    6241
#define CAPABILITY_PREDICATED_IO_INTEL               6257
#define CAPABILITY_ROUNDED_DIVIDE_SQRT_INTEL         6265
#define CAPABILITY_MASKED_GATHER_SCATTER_INTEL       6427
#define CAPABILITY_CACHE_CONTROLS_INTEL              6441
#define CAPABILITY_REGISTER_LIMITS_INTEL             6460
#define CAPABILITY_BINDLESS_IMAGES_INTEL             6528

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
    case CAPABILITY_POISON_FREEZE_KHR:
    case CAPABILITY_WEAK_LINKAGE_AMD:
    case CAPABILITY_REPLICATED_COMPOSITES_EXT:
    case CAPABILITY_FLOAT_CONTROLS_2:
    case CAPABILITY_FMA_KHR:
    case CAPABILITY_COOPERATIVE_MATRIX_KHR:
    case CAPABILITY_BFLOAT16_MATRIX_KHR:
    case CAPABILITY_MATRIX_CHECKED_INTEL:
    case CAPABILITY_MATRIX_PREFETCH_INTEL:
    case CAPABILITY_TF32_ROUNDING_INTEL:
    case CAPABILITY_MATRIX_PACKED_INTEL:
    case CAPABILITY_MATRIX_INVOCATION_INTEL:
    case CAPABILITY_MATRIX_TF32_INTEL:
    case CAPABILITY_MATRIX_BFLOAT16_INTEL:
    case CAPABILITY_ARITHMETIC_FENCE_EXT:
    case CAPABILITY_BFLOAT16_CONVERSION_INTEL:
    case CAPABILITY_BFLOAT16_TYPE_KHR:
    case CAPABILITY_BFLOAT16_DOT_PRODUCT_KHR:
    case CAPABILITY_GLOBAL_VARIABLE_DECORATIONS_INTEL:
    case CAPABILITY_FPGA_CLUSTER_ATTRIBUTES_V2_INTEL:
    case CAPABILITY_FPGA_KERNEL_ATTRIBUTES_V2_INTEL:
    case CAPABILITY_FP_MAX_ERROR_INTEL:
    case CAPABILITY_FPGA_LATENCY_CONTROL_INTEL:
    case CAPABILITY_FPGA_ARGUMENT_INTERFACES_INTEL:
    case CAPABILITY_GLOBAL_VARIABLE_HOST_ACCESS_INTEL:
    case CAPABILITY_GLOBAL_VARIABLE_FPGA_INTEL:
    case CAPABILITY_SUBGROUP_BUFFER_PREFETCH_INTEL:
    case CAPABILITY_SUBGROUP_2D_BLOCK_IO_INTEL:
    case CAPABILITY_SUBGROUP_2D_BLOCK_TRANSFORM_INTEL:
    case CAPABILITY_SUBGROUP_2D_BLOCK_TRANSPOSE_INTEL:
    case CAPABILITY_TERNARY_BITWISE_FUNCTION_INTEL:
    case CAPABILITY_PREDICATED_IO_INTEL:
    case CAPABILITY_ROUNDED_DIVIDE_SQRT_INTEL:
    case CAPABILITY_MASKED_GATHER_SCATTER_INTEL:
    case CAPABILITY_CACHE_CONTROLS_INTEL:
    case CAPABILITY_REGISTER_LIMITS_INTEL:
    case CAPABILITY_BINDLESS_IMAGES_INTEL:
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
    return true;
}
