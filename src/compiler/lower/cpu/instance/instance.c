/* Declares, finds and measures instances; see instance.h. */
#include "compiler/lower/cpu/instance/instance.h"

#include "base/array.h"
#include "base/assert.h"
#include "compiler/lower/cpu/instance/signature.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct geo_lower_instance *instance_create(struct geo_lower_function *f,
                                                  struct geo_lower_code *code, uint32_t lanes,
                                                  bool linear)
{
    struct geo_lower *lower = f->lower;
    struct geo_lower_requests *requests = geo_instance_requests(lower, code);
    GEO_ASSERT(lanes && (lanes & (lanes - 1)) == 0 && lanes <= GEO_LOWER_LANES_LIMIT);
    GEO_ASSERT((code->canonical || lanes == 1) && !code->barriers.count);
    struct geo_lower_instance *instance = geo_arena_new(&lower->arena, struct geo_lower_instance);
    const struct geo_ir_type *signature = code->function->value.type;
    LLVMTypeRef type = instance ? geo_signature_type(f, signature->element, signature->members,
                                                     (uint32_t)signature->count, lanes)
                                : NULL;
    if (!type || f->failed) {
        geo_state_no_memory(f);
        return NULL;
    }
    char name[256];
    const char *label = code->function->value.name ? code->function->value.name : "function";
    bool taken = strncmp(label, "llvm.", 5) == 0; /* LLVM treats such names as intrinsics */
    snprintf(name, sizeof(name), "%s%.200s.w%u%s", taken ? "function." : "", label, lanes,
             linear ? "l" : "");
    *instance = (struct geo_lower_instance){.code = code,
                                            .lanes = lanes,
                                            .linear = linear,
                                            .type = type,
                                            .next_of_code = requests->instances,
                                            .next_queued = lower->frame->queue,
                                            .next = lower->frame->instances};
    instance->function = LLVMAddFunction(lower->llvm_module, name, type);
    LLVMSetLinkage(instance->function, LLVMInternalLinkage);
    requests->instances = lower->frame->queue = lower->frame->instances = instance;
    return instance;
}

struct geo_lower_instance *geo_instance_find(const struct geo_lower *lower,
                                             const struct geo_lower_code *code, uint32_t lanes,
                                             bool linear)
{
    struct geo_lower_instance *i = geo_instance_requests(lower, code)->instances;
    for (; i; i = i->next_of_code) {
        if (i->lanes == lanes && i->linear == linear) {
            return i;
        }
    }
    return NULL;
}

struct geo_lower_instance *geo_instance_get(struct geo_lower_function *f,
                                            struct geo_lower_code *code, uint32_t lanes,
                                            bool linear)
{
    struct geo_lower_instance *found = geo_instance_find(f->lower, code, lanes, linear);
    return found ? found : instance_create(f, code, lanes, linear);
}

/* ---- private memory of chains of calls ---- */

/* An instance needs its own frame and that of its deepest chain of calls. Walks the call graph,
 * which has no cycles, with a stack in memory: callees are measured before their callers. */
bool geo_instance_measure(struct geo_lower_instance *root)
{
    size_t capacity = 0, depth = 0;
    struct geo_lower_instance **stack = NULL;
    if (!geo_array_grow((void **)&stack, &capacity, 1, sizeof(*stack))) {
        return false;
    }
    GEO_ASSERT(root->function);
    stack[depth++] = root;
    while (depth) {
        struct geo_lower_instance *at = stack[depth - 1];
        if (at->measured) {
            depth--; /* several callers pushed this instance; it was measured for another one */
            continue;
        }
        uint64_t deepest = 0;
        size_t unmeasured = 0;
        for (size_t i = 0; i < at->callees.count; i++) {
            struct geo_lower_instance *callee = at->callees.items[i];
            if (callee->measured) {
                deepest = callee->total_bytes > deepest ? callee->total_bytes : deepest;
                continue;
            }
            if (!geo_array_grow((void **)&stack, &capacity, depth + unmeasured + 1,
                                sizeof(*stack))) {
                free(stack);
                return false;
            }
            stack[depth + unmeasured++] = callee;
        }
        depth += unmeasured;
        if (!unmeasured) {
            at->total_bytes = at->frame_bytes + deepest;
            at->measured = true;
            depth--;
        }
    }
    free(stack);
    return true;
}

void geo_instances_finish(struct geo_lower *lower)
{
    for (struct geo_lower_instance *i = lower->frame->instances; i; i = i->next) {
        geo_array_finish(&i->callees);
    }
}
