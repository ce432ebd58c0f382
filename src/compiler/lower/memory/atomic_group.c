/* Emits several atomic operations lane by lane; see atomic_group.h.
 *
 * A program that adds up records in local memory updates several words of each:
 *
 *     atomic_add(&sums[3 * k], x);        lanes k = 2 5 2 7
 *     atomic_add(&sums[3 * k + 1], y);
 *     atomic_inc(&sums[3 * k + 2]);
 *
 * Operation by operation, each lane's address is taken out of a vector three times, and lanes that
 * meet at one word follow each other closely. Lane by lane, the address is taken out once. */
#include "compiler/lower/memory/atomic_group.h"

#include "base/assert.h"
#include "compiler/ir/remark.h"
#include "compiler/lower/emit/emit.h"
#include "compiler/lower/emit/memory.h"

#define STEPS_LIMIT 8u /* constant steps between two members' addresses */

/* The group while its turns are emitted. */
struct group {
    const struct geo_atomic *members;
    uint32_t count;
    /* Member i's address is `bytes` behind that of member `root`, which may be itself. */
    struct {
        uint32_t root;
        int64_t bytes;
        struct geo_address address; /* only of roots */
    } places[GEO_ATOMIC_GROUP_LIMIT];
};

/* Returns the pointers that others are a constant number of bytes behind, and adds that number. */
static LLVMValueRef steps_strip(LLVMValueRef pointers, int64_t *bytes)
{
    for (uint32_t i = 0; i < STEPS_LIMIT; i++) {
        if (!LLVMIsAGetElementPtrInst(pointers) || LLVMGetNumOperands(pointers) != 2) {
            break;
        }
        LLVMTypeRef unit = LLVMGetGEPSourceElementType(pointers);
        LLVMValueRef index = LLVMGetOperand(pointers, 1);
        LLVMValueRef base = LLVMGetOperand(pointers, 0);
        bool is_bytes =
            LLVMGetTypeKind(unit) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(unit) == 8;
        if (!is_bytes || !LLVMIsAConstantInt(index) || LLVMTypeOf(base) != LLVMTypeOf(pointers)) {
            break;
        }
        *bytes += LLVMConstIntGetSExtValue(index);
        pointers = base;
    }
    return pointers;
}

/* Finds for member `at` an earlier member at a constant distance. Inactive lanes access dummy
 * memory instead, which limits the distance. */
static void place_find(struct group *group, uint32_t at)
{
    int64_t bytes = 0;
    LLVMValueRef base = steps_strip(group->members[at].address.base, &bytes);
    group->places[at].root = at;
    group->places[at].bytes = 0;
    group->places[at].address = group->members[at].address;
    for (uint32_t i = 0; i < at; i++) {
        int64_t root_bytes = 0;
        if (group->places[i].root != i ||
            steps_strip(group->members[i].address.base, &root_bytes) != base) {
            continue;
        }
        int64_t distance = bytes - root_bytes;
        if (distance >= 0 &&
            distance + (int64_t)group->members[at].type->size <= (int64_t)GEO_SPREAD_BYTES) {
            group->places[at].root = i;
            group->places[at].bytes = distance;
            return;
        }
    }
}

/* Executes the lane's operations. */
static LLVMValueRef group_turn(struct geo_lower_function *f, const struct geo_turn *turn,
                               void *data)
{
    const struct group *group = data;
    LLVMValueRef pointers[GEO_ATOMIC_GROUP_LIMIT];
    for (uint32_t i = 0; i < group->count; i++) {
        const struct geo_atomic *member = &group->members[i];
        uint32_t root = group->places[i].root;
        pointers[i] = root == i ? geo_lane_address_turn(f, group->places[i].address, turn)
                                : geo_emit_offset_const(f, pointers[root], group->places[i].bytes);
        (void)geo_atomic_operation_emit(f, member, pointers[i],
                                        geo_emit_turn_value(f, turn, member->value), NULL);
    }
    return NULL;
}

void geo_atomic_group_lanes(struct geo_lower_function *f, const struct geo_atomic *members,
                            uint32_t count)
{
    struct group group = {.members = members, .count = count};
    LLVMValueRef mask = f->body.mask;
    bool in_loop = f->options->target.lanes_from_memory || !geo_emit_turns_written_out(f);
    GEO_ASSERT(count > 1 && count <= GEO_ATOMIC_GROUP_LIMIT);
    for (uint32_t i = 0; i < count; i++) {
        GEO_ASSERT(members[i].plain && !members[i].used && members[i].value &&
                   members[i].address.kind == GEO_SHAPE_VARYING);
        place_find(&group, i);
        if (!in_loop && group.places[i].root == i) {
            group.places[i].address = geo_lane_address_spread(f, group.places[i].address);
        }
    }
    if (!in_loop) {
        f->body.mask = NULL;
    }
    (void)geo_emit_turns(f, NULL, in_loop ? GEO_TURN_LOOPED : GEO_TURN_SMALL, group_turn, &group);
    f->body.mask = mask;
}
