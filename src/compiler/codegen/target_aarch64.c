/* Code for arm64: the common base of such processors (Armv8.0 with NEON). See target.h. */
#include "compiler/codegen/target.h"

#include "compiler/lower/machine.h"
#include "native/native.h"

#include <llvm-c/Target.h>

static void init(void)
{
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64Target();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64AsmPrinter();
}

static void init_disassembler(void)
{
    LLVMInitializeAArch64Disassembler();
}

/* LLVM faults outside of the x86 back end. */
#define FAULTS (GEO_LLVM_MOVED_MASKED_LOAD | GEO_LLVM_FATAL_ERROR | GEO_LLVM_SILENT_ERROR)

static const struct geo_codegen_level levels[] = {
    {.name = "aarch64",
     .cpu = "generic",
     .facts = {.arch = &geo_lower_aarch64,
               .machine = &geo_lower_cpu,
               .llvm_faults = FAULTS,
               .vector_bits = 128,
               .gathers = GEO_GATHERS_NEVER,
               .has_fma = true,
               .has_half = true,
               .has_round = true}},
};

const struct geo_codegen_arch geo_codegen_aarch64 = {
    .target = GEO_TARGET_AARCH64,
    .triple = "aarch64-unknown-linux-gnu",
    .init = init,
    .init_disassembler = init_disassembler,
    .levels = levels,
    .level_count = sizeof(levels) / sizeof(levels[0]),
};
