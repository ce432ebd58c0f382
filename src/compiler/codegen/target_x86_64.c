/* Code for x86-64: the levels of the psABI, and two beyond. See target.h. */
#include "compiler/codegen/target.h"

#include "compiler/lower/machine.h"
#include "native/native.h"

#include <llvm-c/Target.h>
#include <string.h>

static void init(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

static void init_disassembler(void)
{
    LLVMInitializeX86Disassembler();
}

#define COMMON                                                                                     \
    .arch = &geo_lower_x86_64, .machine = &geo_lower_cpu, .llvm_faults = GEO_LLVM_FAULTS_ALL
#define COMMON_V2 COMMON, .has_round = true
#define COMMON_V3 COMMON_V2, .has_fma = true, .has_half = true
#define COMMON_V4 COMMON_V3, .vector_bits = 512, .has_masks = true

#define MORE_VNNI "+avx512vnni,+avx512vbmi,+avx512vbmi2,+avx512bitalg,+avx512vpopcntdq"

static const struct geo_codegen_level levels[] = {
    {.name = "x86-64-v4-fp16",
     .cpu = "x86-64-v4",
     .more = MORE_VNNI ",+avx512fp16",
     .facts = {COMMON_V4, .computes_half = true}},
    {.name = "x86-64-v4-vnni", .cpu = "x86-64-v4", .more = MORE_VNNI, .facts = {COMMON_V4}},
    {.name = "x86-64-v4", .cpu = "x86-64-v4", .facts = {COMMON_V4}},
    {.name = "x86-64-v3",
     .cpu = "x86-64-v3",
     .facts = {COMMON_V3, .vector_bits = 256, .wide_masks = true}},
    {.name = "x86-64-v2", .cpu = "x86-64-v2", .facts = {COMMON_V2, .vector_bits = 128}},
    {.name = "x86-64", .cpu = "x86-64", .facts = {COMMON, .vector_bits = 128}},
};

/* Chooses how gathers are used. Intel's gathers since Skylake are faster than loads lane by lane.
 * AMD's take as long as extracting the addresses and loading lane by lane (Zen 5, 16 lanes: 4.8 ns
 * against 2.4 and 2), or longer with short vectors. */
static enum geo_gathers gathers(const struct geo_lower_target *facts, bool amd)
{
    return facts->vector_bits < 256 ? GEO_GATHERS_NEVER
           : !amd                   ? GEO_GATHERS_ALWAYS
           : facts->has_masks       ? GEO_GATHERS_VECTORS
                                    : GEO_GATHERS_NEVER;
}

/* On AMD's Zen 4, atomics on local memory can take some 30 cycles for each lane if the lanes'
 * addresses are taken out of vector registers. Probably addresses of later lanes are then known
 * before those of earlier ones, and the core loads memory too early. If the addresses are read from
 * memory, a lane takes 2 to 3 cycles (`radix_scatter` and `kmeans_step` of the bench). */
static void tune_facts(struct geo_lower_target *facts, const char *tune)
{
    bool amd = strncmp(tune, "znver", 5) == 0;
    facts->gathers = gathers(facts, amd);
    facts->lanes_from_memory = amd;
}

const struct geo_codegen_arch geo_codegen_x86_64 = {
    .target = GEO_TARGET_X86_64,
    .triple = "x86_64-unknown-linux-gnu",
    .init = init,
    .init_disassembler = init_disassembler,
    .levels = levels,
    .level_count = sizeof(levels) / sizeof(levels[0]),
    .tune = tune_facts,
};
