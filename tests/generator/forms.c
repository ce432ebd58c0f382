/* What a range of seeds really has: how many programs have each form, in their SPIR-V or their
 * tree, and how often. A form that no program has is a fault of the generator. See check.h. */
#include "check.h"

#include "generate.h"
#include "spirv.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum form {
    VOLATILE_LOAD,
    VOLATILE_STORE,
    VOLATILE_POINTER,
    NONTEMPORAL,
    COPY,
    COPY_VOLATILE,
    COPY_BYTES,
    BY_VALUE,
    BY_VALUE_CHANGED,
    KERNEL_BY_VALUE_CHANGED,
    CAST_EXPLICIT,
    ATOMIC_CROSS_DEVICE, /* in the order of SPIR-V's scopes */
    ATOMIC_DEVICE,
    ATOMIC_GROUP,
    ATOMIC_SUBGROUP,
    ATOMIC_RELAXED,
    ATOMIC_ACQUIRE,
    ATOMIC_RELEASE,
    ATOMIC_BOTH,
    ATOMIC_SEQUENTIAL,
    ATOMIC_STORE,
    ATOMIC_EXCHANGE,
    BARRIER_GROUP,
    BARRIER_SUBGROUP,
    BARRIER_DEVICE_MEMORY,
    FENCE,
    FALL_THROUGH,
    RETURN_BEFORE_BARRIER,
    ABSENT_ITEM,
    FORM_COUNT
};

static const char *const names[FORM_COUNT] = {
    [VOLATILE_LOAD] = "loads that are Volatile",
    [VOLATILE_STORE] = "stores that are Volatile",
    [VOLATILE_POINTER] = "pointers and variables decorated Volatile",
    [NONTEMPORAL] = "accesses that are Nontemporal",
    [COPY] = "copies of objects",
    [COPY_VOLATILE] = "copies that are Volatile",
    [COPY_BYTES] = "copies of bytes",
    [BY_VALUE] = "structures by value to functions",
    [BY_VALUE_CHANGED] = "the same, and the function writes to its copy",
    [KERNEL_BY_VALUE_CHANGED] = "structures by value that kernels write to",
    [CAST_EXPLICIT] = "casts of generic pointers that may fail",
    [ATOMIC_CROSS_DEVICE] = "atomics of scope CrossDevice",
    [ATOMIC_DEVICE] = "atomics of scope Device",
    [ATOMIC_GROUP] = "atomics of scope Workgroup",
    [ATOMIC_SUBGROUP] = "atomics of scope Subgroup",
    [ATOMIC_RELAXED] = "atomics without order",
    [ATOMIC_ACQUIRE] = "atomics that acquire",
    [ATOMIC_RELEASE] = "atomics that release",
    [ATOMIC_BOTH] = "atomics that acquire and release",
    [ATOMIC_SEQUENTIAL] = "atomics that are sequentially consistent",
    [ATOMIC_STORE] = "atomic stores",
    [ATOMIC_EXCHANGE] = "loops of compare-exchange",
    [BARRIER_GROUP] = "barriers of the group",
    [BARRIER_SUBGROUP] = "barriers of the sub-group",
    [BARRIER_DEVICE_MEMORY] = "barriers that order memory for the device",
    [FENCE] = "fences",
    [FALL_THROUGH] = "switch cases that fall through",
    [RETURN_BEFORE_BARRIER] = "items that return before barriers",
    [ABSENT_ITEM] = "values from items that may not be there",
};

struct counts {
    uint64_t programs[FORM_COUNT], times[FORM_COUNT];
};

/* Values of constants by id; 0 of everything else. */
struct module {
    const uint32_t *words;
    size_t count;
    uint32_t *constants;
};

/* ---- instructions ---- */

static void atomic_count(const struct module *module, const uint32_t *operands, uint64_t *found)
{
    uint32_t scope = module->constants[operands[0]], semantics = module->constants[operands[1]];
    found[ATOMIC_CROSS_DEVICE + scope]++;
    found[semantics & SpvMemorySemanticsAcquireMask                  ? ATOMIC_ACQUIRE
          : semantics & SpvMemorySemanticsReleaseMask                ? ATOMIC_RELEASE
          : semantics & SpvMemorySemanticsAcquireReleaseMask         ? ATOMIC_BOTH
          : semantics & SpvMemorySemanticsSequentiallyConsistentMask ? ATOMIC_SEQUENTIAL
                                                                     : ATOMIC_RELAXED]++;
}

/* `at`: the operand that would be the mask. */
static void access_count(const uint32_t *words, uint32_t at, enum form is_volatile, uint64_t *found)
{
    uint32_t mask = at < words[0] >> 16 ? words[at] : 0;
    found[is_volatile] += (mask & SpvMemoryAccessVolatileMask) != 0;
    found[NONTEMPORAL] += (mask & SpvMemoryAccessNontemporalMask) != 0;
}

static void instruction_count(const struct module *module, const uint32_t *words, uint64_t *found)
{
    switch (words[0] & 0xffff) {
    case SpvOpLoad:
        access_count(words, 4, VOLATILE_LOAD, found);
        break;
    case SpvOpStore:
        access_count(words, 3, VOLATILE_STORE, found);
        break;
    case SpvOpCopyMemory:
        found[COPY]++;
        access_count(words, 3, COPY_VOLATILE, found);
        break;
    case SpvOpCopyMemorySized:
        found[COPY_BYTES]++;
        access_count(words, 4, COPY_VOLATILE, found);
        break;
    case SpvOpDecorate:
        found[VOLATILE_POINTER] += words[2] == SpvDecorationVolatile;
        break;
    case SpvOpGenericCastToPtrExplicit:
        found[CAST_EXPLICIT]++;
        break;
    case SpvOpAtomicStore:
        found[ATOMIC_STORE]++;
        atomic_count(module, words + 2, found);
        break;
    case SpvOpAtomicCompareExchange:
        found[ATOMIC_EXCHANGE]++;
        atomic_count(module, words + 4, found);
        break;
    case SpvOpControlBarrier:
        found[BARRIER_GROUP] += module->constants[words[1]] == SpvScopeWorkgroup;
        found[BARRIER_SUBGROUP] += module->constants[words[1]] == SpvScopeSubgroup;
        found[BARRIER_DEVICE_MEMORY] += module->constants[words[2]] == SpvScopeDevice;
        break;
    case SpvOpMemoryBarrier:
        found[FENCE]++;
        break;
    default:
        if ((words[0] & 0xffff) >= SpvOpAtomicLoad && (words[0] & 0xffff) <= SpvOpAtomicXor) {
            atomic_count(module, words + 4, found);
        }
        break;
    }
}

static void module_count(const struct gen_program *program, uint64_t *found)
{
    enum { HEAD = 5 };
    struct module module;
    uint32_t *words = gen_emit_spirv(program, &module.count);
    module.words = words;
    module.constants = calloc(words[3], sizeof(*module.constants));
    for (size_t at = HEAD; module.constants && at < module.count; at += words[at] >> 16) {
        if (words[at] == (4u << 16 | SpvOpConstant)) {
            module.constants[words[at + 2]] = words[at + 3];
        }
        instruction_count(&module, words + at, found);
    }
    free(module.constants);
    free(words);
}

/* ---- the tree ---- */

static void block_count(const struct gen_block *block, uint64_t *found)
{
    for (uint32_t i = 0; i < block->count; i++) {
        const struct gen_stmt *stmt = block->items[i];
        for (uint32_t c = 0; c < stmt->case_count; c++) {
            found[FALL_THROUGH] += stmt->cases[c].falls_through && stmt->cases[c].body.count > 0;
            block_count(&stmt->cases[c].body, found);
        }
        for (uint32_t p = 0; stmt->kind == GEN_CALL && p < stmt->function->parameters.count; p++) {
            const struct gen_variable *parameter = stmt->function->parameters.items[p];
            found[BY_VALUE] += parameter->is_byref;
            found[BY_VALUE_CHANGED] += parameter->is_changed;
        }
        found[ABSENT_ITEM] += stmt->kind == GEN_SUBGROUP && stmt->subgroup->guard != GEN_GUARD_NONE;
        block_count(&stmt->body, found);
        block_count(&stmt->other, found);
    }
}

static void program_count(const struct gen_program *program, struct counts *counts)
{
    const struct gen_function *kernel = gen_kernel(program);
    uint64_t found[FORM_COUNT] = {0};
    module_count(program, found);
    for (uint32_t i = 0; i < program->functions.count; i++) {
        block_count(&program->functions.items[i]->body, found);
    }
    for (uint32_t i = 0; i < kernel->parameters.count; i++) {
        found[KERNEL_BY_VALUE_CHANGED] += kernel->parameters.items[i]->is_changed;
    }
    found[RETURN_BEFORE_BARRIER] += program->returns;
    for (uint32_t i = 0; i < FORM_COUNT; i++) {
        counts->programs[i] += found[i] != 0;
        counts->times[i] += found[i];
    }
}

bool gen_count_forms(uint64_t seed, uint64_t count)
{
    struct counts counts = {0};
    bool all = true;
    for (uint64_t i = 0; i < count; i++) {
        struct gen_program *program = gen_program_make(seed + i);
        program_count(program, &counts);
        gen_program_destroy(program);
    }
    printf("programs  times  of %llu from seed %llu\n", (unsigned long long)count,
           (unsigned long long)seed);
    for (uint32_t i = 0; i < FORM_COUNT; i++) {
        printf("%8llu %6llu  %s%s\n", (unsigned long long)counts.programs[i],
               (unsigned long long)counts.times[i], names[i],
               counts.programs[i] ? "" : "   MISSING");
        all = all && counts.programs[i];
    }
    return all;
}
