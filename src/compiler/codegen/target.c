/* The target of code generation: a level of an architecture, so that a native binary runs wherever
 * its note says, tuned for one CPU. */
#include "compiler/codegen/internal.h"
#include "machine/identity.h"
#include "machine/machine.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

/* Architectures that LLVM and this library were built with: CMake's GEOID_TARGETS. */
static const struct geo_codegen_arch *const archs[] = {
#ifdef GEOID_TARGET_X86_64
    &geo_codegen_x86_64,
#endif
#ifdef GEOID_TARGET_AARCH64
    &geo_codegen_aarch64,
#endif
};

#define ARCH_COUNT (sizeof(archs) / sizeof(archs[0]))

static pthread_once_t init_once = PTHREAD_ONCE_INIT;

static void llvm_init(void)
{
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        archs[i]->init();
    }
}

/* A chosen level; NULL: none. */
struct choice {
    const struct geo_codegen_arch *arch;
    const struct geo_codegen_level *level;
};

static struct choice choice_named(const char *name)
{
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        for (uint32_t k = 0; k < archs[i]->level_count; k++) {
            if (strcmp(archs[i]->levels[k].name, name) == 0) {
                return (struct choice){archs[i], &archs[i]->levels[k]};
            }
        }
    }
    return (struct choice){NULL, NULL};
}

/* Chooses the best level that this machine supports. */
static struct choice choice_of_host(void)
{
    const struct geo_native_level *best =
        geo_native_target_level_best(GEO_MACHINE_TARGET, geo_machine_features());
    return best ? choice_named(best->name) : (struct choice){NULL, NULL};
}

static void names_print(struct geo_strbuf *log)
{
    for (size_t i = 0; i < ARCH_COUNT; i++) {
        for (uint32_t k = archs[i]->level_count; k > 0; k--) {
            geo_strbuf_printf(log, " %s", archs[i]->levels[k - 1].name);
        }
    }
}

/* ---- machines ---- */

/* The machine that was returned last, for reuse: LLVM's parsing of CPU names and features takes a
 * twelfth of the smallest build's time. A build that takes it owns it. */
static _Atomic(struct geo_codegen_machine *) spare;

static void machine_destroy(struct geo_codegen_machine *machine)
{
    if (machine) {
        LLVMDisposeTargetMachine(machine->llvm);
        free(machine);
    }
}

static struct geo_codegen_machine *machine_create(const struct geo_codegen_target *target,
                                                  LLVMCodeGenOptLevel effort)
{
    const char *triple = target->arch->triple, *more = target->level->more;
    struct geo_codegen_machine *machine = malloc(sizeof(*machine));
    LLVMTargetRef llvm_target;
    char *message = NULL;
    if (!machine || LLVMGetTargetFromTriple(triple, &llvm_target, &message)) {
        LLVMDisposeMessage(message);
        free(machine);
        return NULL;
    }
    *machine = (struct geo_codegen_machine){
        .llvm = LLVMCreateTargetMachine(llvm_target, triple, target->level->cpu, more ? more : "",
                                        effort, LLVMRelocPIC, LLVMCodeModelSmall),
        .level = target->level,
        .effort = effort,
    };
    return machine;
}

struct geo_codegen_machine *geo_codegen_target_machine_take(const struct geo_codegen_target *target,
                                                            LLVMCodeGenOptLevel effort)
{
    struct geo_codegen_machine *kept = atomic_exchange(&spare, NULL);
    if (kept && kept->level == target->level && kept->effort == effort) {
        return kept;
    }
    machine_destroy(kept);
    return machine_create(target, effort);
}

void geo_codegen_target_machine_give(struct geo_codegen_machine *machine)
{
    machine_destroy(atomic_exchange(&spare, machine));
}

/* ---- targets ---- */

/* Returns the CPU to tune for: this machine's, unless the caller named a level; then the level's.
 * NULL when memory runs out. */
static char *tune_make(const struct choice *choice, bool named)
{
    char *host = LLVMGetHostCPUName();
    char *tune = host ? strdup(named ? choice->level->cpu : host) : NULL;
    LLVMDisposeMessage(host);
    return tune;
}

ze_result_t geo_codegen_target_create(const char *cpu, struct geo_codegen_target **out,
                                      struct geo_strbuf *log)
{
    *out = NULL;
    pthread_once(&init_once, llvm_init);
    struct choice choice = cpu ? choice_named(cpu) : choice_of_host();
    const struct geo_native_level *native =
        choice.level ? geo_native_target_level_find(choice.level->name) : NULL;
    if (!native) {
        geo_strbuf_printf(log, "error: target CPU '%s' is not one of", cpu ? cpu : "host");
        names_print(log);
        geo_strbuf_printf(log, "\n");
        return ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
    }
    struct geo_codegen_target *target = calloc(1, sizeof(*target));
    if (!target) {
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    target->arch = choice.arch;
    target->level = choice.level;
    target->facts = choice.level->facts;
    target->facts.features = native->features;
    target->tune = tune_make(&choice, cpu != NULL);
    if (!target->tune) {
        free(target);
        return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    }
    if (choice.arch->tune) {
        choice.arch->tune(&target->facts, target->tune);
    }
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
