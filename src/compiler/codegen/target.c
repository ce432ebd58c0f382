/* The machine code is made for: an x86-64 level (so that a native binary runs wherever its note
 * says), tuned for one CPU. */
#include "compiler/codegen/internal.h"

#include "native/native.h"

#include <llvm-c/Target.h>

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

struct level {
    const char *name;  /* LLVM's name of the CPU */
    uint32_t features; /* enum geo_native_feature */
    uint32_t vector_bits;
    const char *needs[12]; /* host features that make it usable */
};

/* Best first. */
static const struct level levels[] = {
    {"x86-64-v4",
     GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2 | GEO_FEATURE_AVX512,
     512,
     {"+avx512f", "+avx512bw", "+avx512cd", "+avx512dq", "+avx512vl", "+avx2", "+fma", "+bmi2",
      "+f16c"}},
    {"x86-64-v3",
     GEO_FEATURE_SSE4_2 | GEO_FEATURE_AVX2,
     256,
     {"+avx2", "+fma", "+bmi", "+bmi2", "+f16c", "+movbe", "+lzcnt"}},
    {"x86-64-v2", GEO_FEATURE_SSE4_2, 128, {"+sse4.2", "+popcnt", "+ssse3"}},
    {"x86-64", 0, 128, {NULL}},
};

#define LEVEL_COUNT (sizeof(levels) / sizeof(levels[0]))

static pthread_once_t init_once = PTHREAD_ONCE_INIT;

static void llvm_init(void)
{
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86Target();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86AsmPrinter();
}

/* Is "+name" one of the comma-separated features? */
static bool feature_has(const char *features, const char *name)
{
    size_t length = strlen(name);
    for (const char *at = features; (at = strstr(at, name)); at += length) {
        if ((at == features || at[-1] == ',') && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static bool level_usable(const struct level *level, const char *features)
{
    for (size_t i = 0; i < sizeof(level->needs) / sizeof(level->needs[0]); i++) {
        if (level->needs[i] && !feature_has(features, level->needs[i])) {
            return false;
        }
    }
    return true;
}

/* NULL: memory ran out. */
static const struct level *level_of_host(void)
{
    const struct level *found = NULL;
    char *features = LLVMGetHostCPUFeatures(); /* a copy, NULL where there is no memory for it */
    for (size_t i = 0; features && !found; i++) {
        found = level_usable(&levels[i], features) ? &levels[i] : NULL; /* the last needs nothing */
    }
    LLVMDisposeMessage(features);
    return found;
}

static const struct level *level_named(const char *name)
{
    for (size_t i = 0; i < LEVEL_COUNT; i++) {
        if (strcmp(levels[i].name, name) == 0) {
            return &levels[i];
        }
    }
    return NULL;
}

/* Intel's since Skylake are faster than loads lane by lane. AMD's cost as much as these and taking
 * the addresses out of their vectors do (Zen 5, 16 lanes: 4.8 ns against 2.4 and 2), or more where
 * vectors are short. */
static enum geo_gathers gathers_worth(const struct level *level, const char *tune)
{
    bool amd = strncmp(tune, "znver", 5) == 0;
    return level->vector_bits < 256                 ? GEO_GATHERS_NEVER
           : !amd                                   ? GEO_GATHERS_ALWAYS
           : (level->features & GEO_FEATURE_AVX512) ? GEO_GATHERS_VECTORS
                                                    : GEO_GATHERS_NEVER;
}

static void target_fill(struct geo_codegen_target *target, const struct level *level)
{
    target->cpu = level->name;
    target->native_features = level->features;
    target->facts.vector_bits = level->vector_bits;
    target->facts.has_fma = (level->features & GEO_FEATURE_AVX2) != 0;
    target->facts.has_f16c = (level->features & GEO_FEATURE_AVX2) != 0;
    target->facts.has_round = (level->features & GEO_FEATURE_SSE4_2) != 0;
    target->facts.has_masks = level->vector_bits == 512;
    target->facts.llvm_faults = GEO_LLVM_FAULTS_ALL;
    target->facts.gathers = gathers_worth(level, target->tune);
}

/* ---- machines ---- */

/* The last one that was given back: what LLVM makes for it of the names of processors and their
 * features is a twelfth of the time of the smallest build. Who takes it has it alone. */
static _Atomic(struct geo_codegen_machine *) spare;

static void machine_destroy(struct geo_codegen_machine *machine)
{
    if (machine) {
        LLVMDisposeTargetMachine(machine->llvm);
        free(machine);
    }
}

static struct geo_codegen_machine *machine_create(const char *cpu, enum geo_codegen_effort effort)
{
    static const char triple[] = "x86_64-unknown-linux-gnu";
    struct geo_codegen_machine *machine = malloc(sizeof(*machine));
    LLVMTargetRef llvm_target;
    char *message = NULL;
    if (!machine || LLVMGetTargetFromTriple(triple, &llvm_target, &message)) {
        LLVMDisposeMessage(message);
        free(machine);
        return NULL;
    }
    LLVMCodeGenOptLevel level =
        effort == GEO_CODEGEN_FULL ? LLVMCodeGenLevelDefault : LLVMCodeGenLevelNone;
    *machine = (struct geo_codegen_machine){
        .llvm = LLVMCreateTargetMachine(llvm_target, triple, cpu, "", level, LLVMRelocPIC,
                                        LLVMCodeModelSmall),
        .cpu = cpu,
        .effort = effort,
    };
    return machine;
}

struct geo_codegen_machine *geo_codegen_machine_take(const struct geo_codegen_target *target,
                                                     enum geo_codegen_effort effort)
{
    struct geo_codegen_machine *kept = atomic_exchange(&spare, NULL);
    if (kept && kept->cpu == target->cpu && kept->effort == effort) {
        return kept;
    }
    machine_destroy(kept);
    return machine_create(target->cpu, effort);
}

void geo_codegen_machine_give(struct geo_codegen_machine *machine)
{
    machine_destroy(atomic_exchange(&spare, machine));
}

/* ---- targets ---- */

ze_result_t geo_codegen_target_create(const char *cpu, struct geo_codegen_target **out,
                                      struct geo_strbuf *log)
{
    *out = NULL;
    pthread_once(&init_once, llvm_init);
    const struct level *level = cpu ? level_named(cpu) : level_of_host();
    if (!level && !cpu) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (!level) {
        geo_strbuf_printf(log, "error: target CPU '%s' is not one of x86-64, x86-64-v2, -v3, -v4\n",
                          cpu);
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    struct geo_codegen_target *target = calloc(1, sizeof(*target));
    if (!target) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    char *host = LLVMGetHostCPUName();
    target->tune = host ? strdup(cpu ? cpu : host) : NULL;
    LLVMDisposeMessage(host);
    if (!target->tune) {
        free(target);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    target_fill(target, level);
    *out = target;
    return ZE_RESULT_SUCCESS;
}

void geo_codegen_target_destroy(struct geo_codegen_target *target)
{
    if (target) {
        free(target->tune);
        free(target);
    }
}

void geo_codegen_target_trust(struct geo_codegen_target *target, uint32_t faults)
{
    target->facts.llvm_faults &= ~faults;
}

struct geo_lower_target geo_codegen_target_facts(const struct geo_codegen_target *target)
{
    return target->facts;
}
