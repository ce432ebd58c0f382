/* Operations of sub-groups: who takes part in which, and what comes out. See evaluate_internal.h.
 *
 * A dynamic instance of an operation is its statement, the chain of calls that led there and the
 * numbers of the iterations of the loops around: the item's path. The ways taken in between do not
 * count: items that come from different branches of an if, through a case or from the one before
 * it, by continue or by the end of the body, are together again where these meet. An item only ever
 * gets a larger path, so when all items of a sub-group wait or have ended, nobody can still come to
 * the smallest path there is: its items take part, and go on. */
#include "evaluate_internal.h"

#include <math.h>
#include <string.h>

enum { MAX_SIZE = 64 };

/* One operation on its way. */
struct act {
    const struct gen_subgroup *subgroup;
    const struct gen_subgroup_info *info;
    const struct gen_type *type; /* of the value; NULL: there is none */
    struct lane *lanes[MAX_SIZE];
    uint32_t size, full; /* items of this sub-group, and of most */
    uint64_t on;         /* bit set */
};

/* ---- moves ---- */

/* The item whose value this one gets; MAX_SIZE and above: none. PAIR: modulo the sub-group. */
static uint32_t source_of(const struct act *act, uint32_t lane)
{
    uint32_t number = (uint32_t)act->lanes[lane]->number, cluster = act->subgroup->cluster;
    cluster = cluster ? cluster : act->full;
    switch (act->subgroup->op) {
    case GEN_SG_SHUFFLE_XOR:
    case GEN_SG_INTEL_XOR:
        return lane ^ number;
    case GEN_SG_SHUFFLE_UP:
        return lane - number;
    case GEN_SG_SHUFFLE_DOWN:
        return lane + number;
    case GEN_SG_INTEL_UP:
        return (lane - number) % act->full;
    case GEN_SG_INTEL_DOWN:
        return (lane + number) % act->full;
    case GEN_SG_ROTATE:
        return ((lane + number) & (cluster - 1)) | (lane & ~(cluster - 1));
    case GEN_SG_QUAD_BROADCAST:
        return (lane & ~3u) | number;
    case GEN_SG_QUAD_SWAP:
        return lane ^ (number + 1);
    default:
        return number;
    }
}

/* UP takes what lies before the first item from its first value, DOWN what lies after the last from
 * its second. */
static bool from_other(const struct act *act, uint32_t lane)
{
    uint64_t number = act->lanes[lane]->number;
    return act->subgroup->op == GEN_SG_INTEL_UP     ? number > lane
           : act->subgroup->op == GEN_SG_INTEL_DOWN ? lane + number >= act->full
                                                    : false;
}

static const char *number_check(const struct act *act, uint32_t lane)
{
    uint64_t number = act->lanes[lane]->number;
    switch (act->subgroup->op) {
    case GEN_SG_QUAD_BROADCAST:
        return number < 4 ? NULL : "number of an item in a quad";
    case GEN_SG_QUAD_SWAP:
        return number < 3 ? NULL : "direction in a quad";
    case GEN_SG_INTEL_UP:
    case GEN_SG_INTEL_DOWN:
    case GEN_SG_SHUFFLE_UP:
    case GEN_SG_SHUFFLE_DOWN:
    case GEN_SG_ROTATE:
        return number < act->full ? NULL : "distance of more than a sub-group";
    default:
        return NULL;
    }
}

static const char *move(const struct act *act, uint32_t i)
{
    struct lane *lane = act->lanes[i];
    uint32_t from = source_of(act, i);
    bool there = from < act->size && (act->on >> from & 1);
    const char *error = number_check(act, i);
    if (error) {
        return error;
    }
    bool safe = act->subgroup->guard == GEN_GUARD_NONE   ? true
                : act->subgroup->guard == GEN_GUARD_SIZE ? from < act->size
                                                         : there;
    if (safe && !there) {
        return "a value from an item that is not there";
    }
    const uint64_t *value = !safe                ? lane->value
                            : from_other(act, i) ? act->lanes[from]->second
                                                 : act->lanes[from]->value;
    memcpy(lane->result, value, act->type->leaves * sizeof(*value));
    return NULL;
}

/* ---- reductions ---- */

static uint64_t identity(enum gen_op join, const struct gen_type *type)
{
    uint64_t most = type->bits >= 64 ? UINT64_MAX : (1ull << type->bits) - 1;
    switch (join) {
    case GEN_MUL:
        return 1;
    case GEN_SMIN:
        return most >> 1;
    case GEN_SMAX:
        return (most >> 1) + 1;
    case GEN_UMIN:
    case GEN_AND:
        return most;
    case GEN_LAND:
        return 1;
    case GEN_FMUL:
        return gen_float_bits(type, 1);
    case GEN_FMIN:
        return gen_float_bits(type, INFINITY);
    case GEN_FMAX:
        return gen_float_bits(type, -INFINITY);
    default:
        return 0;
    }
}

/* Does item `other` count for the result of item `lane`? */
static bool counts_for(const struct act *act, uint32_t other, uint32_t lane)
{
    uint32_t cluster = act->subgroup->cluster;
    if (!(act->on >> other & 1)) {
        return false;
    }
    switch (act->subgroup->operation) {
    case GEN_INCLUSIVE:
        return other <= lane;
    case GEN_EXCLUSIVE:
        return other < lane;
    case GEN_CLUSTERED:
        return other / cluster == lane / cluster;
    default:
        return true;
    }
}

static const char *reduce(const struct act *act, uint32_t lane)
{
    const struct gen_type *scalar = gen_scalar_of(act->type);
    if (act->subgroup->operation == GEN_CLUSTERED && act->subgroup->cluster > act->size) {
        return "a cluster of more than the sub-group";
    }
    for (uint32_t leaf = 0; leaf < act->type->leaves; leaf++) {
        uint64_t sum = identity(act->info->join, scalar);
        bool first = true;
        for (uint32_t i = 0; i < act->size; i++) {
            if (!counts_for(act, i, lane)) {
                continue;
            }
            const uint64_t operands[3] = {sum, act->lanes[i]->value[leaf]};
            const char *error =
                first ? NULL
                      : gen_interpret_scalar(act->info->join, scalar, scalar, operands, NULL, &sum);
            if (error) {
                return error;
            }
            sum = first ? operands[1] : sum;
            first = false;
        }
        act->lanes[lane]->result[leaf] = sum;
    }
    return NULL;
}

/* ---- votes and ballots ---- */

static bool vote(const struct act *act)
{
    bool all = true, any = false;
    for (uint32_t i = 0; i < act->size; i++) {
        bool value = (act->on >> i & 1) && act->lanes[i]->value[0];
        any = any || value;
        all = all && (value || !(act->on >> i & 1));
    }
    return act->info->join == GEN_LAND ? all : any;
}

static const char *all_equal(const struct act *act, bool *result)
{
    const struct gen_type *scalar = gen_scalar_of(act->type);
    const struct lane *first = act->lanes[__builtin_ctzll(act->on)];
    *result = true;
    for (uint32_t i = 0; i < act->size; i++) {
        for (uint32_t leaf = 0; (act->on >> i & 1) && leaf < act->type->leaves; leaf++) {
            uint64_t operands[3] = {first->value[leaf], act->lanes[i]->value[leaf]}, equal;
            equal = operands[0] == operands[1];
            if (scalar->kind == GEN_FLOAT) {
                gen_interpret_scalar(GEN_FEQ, scalar, scalar, operands, NULL, &equal);
            }
            *result = *result && equal;
        }
    }
    return NULL;
}

/* The operations that read a ballot: of its words the first alone counts, up to 32 items. */
static const char *ballot_read(const struct act *act, uint32_t lane)
{
    struct lane *self = act->lanes[lane];
    uint32_t word = (uint32_t)self->value[0];
    uint32_t all = UINT32_MAX >> (32 - act->size), below = (1u << lane) - 1;
    if (act->size < act->full && (word & ~all & (UINT32_MAX >> (32 - act->full)))) {
        return "bits of a ballot beyond a partial sub-group";
    }
    word &= all;
    switch (act->info->form) {
    case GEN_FORM_INVERSE:
        self->result[0] = word >> lane & 1;
        return NULL;
    case GEN_FORM_EXTRACT:
        self->result[0] = self->number < act->size ? word >> self->number & 1 : 0;
        return self->number < act->size ? NULL : "bit of a ballot beyond the sub-group";
    case GEN_FORM_COUNT:
        word &= act->subgroup->operation == GEN_REDUCE      ? all
                : act->subgroup->operation == GEN_INCLUSIVE ? below | 1u << lane
                                                            : below;
        self->result[0] = (uint64_t)__builtin_popcount(word);
        return NULL;
    default:
        if (word == 0) {
            return "first or last bit of an empty ballot";
        }
        self->result[0] = (uint64_t)(act->info->form == GEN_FORM_LSB ? __builtin_ctz(word)
                                                                     : 31 - __builtin_clz(word));
        return NULL;
    }
}

static void ballot(const struct act *act, uint32_t lane)
{
    uint64_t *result = act->lanes[lane]->result;
    memset(result, 0, 4 * sizeof(*result));
    for (uint32_t i = 0; i < act->size; i++) {
        if ((act->on >> i & 1) && act->lanes[i]->value[0]) {
            result[0] |= 1ull << i;
        }
    }
}

/* ---- one operation ---- */

static const char *lane_act(const struct act *act, uint32_t lane)
{
    struct lane *self = act->lanes[lane];
    uint32_t first = (uint32_t)__builtin_ctzll(act->on);
    const char *error = NULL;
    bool truth;
    switch (act->info->form) {
    case GEN_FORM_ELECT:
        self->result[0] = lane == first;
        return NULL;
    case GEN_FORM_VOTE:
        self->result[0] = vote(act);
        return NULL;
    case GEN_FORM_ALL_EQUAL:
        error = all_equal(act, &truth);
        self->result[0] = truth;
        return error;
    case GEN_FORM_FIRST:
        memcpy(self->result, act->lanes[first]->value, act->type->leaves * sizeof(uint64_t));
        return NULL;
    case GEN_FORM_BALLOT:
        ballot(act, lane);
        return NULL;
    case GEN_FORM_BROADCAST:
    case GEN_FORM_SHUFFLE:
    case GEN_FORM_PAIR:
        return move(act, lane);
    case GEN_FORM_REDUCE:
        return reduce(act, lane);
    case GEN_FORM_BLOCK:
        return act->size == act->full ? NULL : "a block of a partial sub-group";
    default:
        return ballot_read(act, lane);
    }
}

/* Operands that must be the same for all who take part. */
static const char *check_same(const struct act *act)
{
    const struct lane *first = act->lanes[__builtin_ctzll(act->on)];
    bool words = act->info->form == GEN_FORM_INVERSE;
    for (uint32_t i = 0; i < act->size; i++) {
        const struct lane *lane = act->lanes[i];
        if ((act->on >> i & 1) &&
            (words ? memcmp(lane->value, first->value, 4 * sizeof(*lane->value)) != 0
                   : lane->number != first->number)) {
            return "an operand differs between items where it may not";
        }
    }
    return NULL;
}

const char *gen_interpret_subgroup(const struct gen_program *program, const struct gen_stmt *stmt,
                                   struct lane *const *lanes, uint32_t size)
{
    struct act act = {.subgroup = stmt->subgroup,
                      .info = &gen_subgroups[stmt->subgroup->op],
                      .type = stmt->value ? stmt->value->type : NULL,
                      .size = size,
                      .full = stmt->subgroup->of_group ? size : program->subgroup_size};
    for (uint32_t i = 0; i < size; i++) {
        act.lanes[i] = lanes[i];
        act.on |= (uint64_t)(lanes[i] != NULL) << i;
    }
    bool whole = act.info->whole || stmt->subgroup->guard == GEN_GUARD_SIZE;
    if (whole && act.on != UINT64_MAX >> (64 - size)) {
        return "an operation of whole sub-groups is not reached by all items";
    }
    const char *error = act.info->same ? check_same(&act) : NULL;
    for (uint32_t i = 0; i < size && !error; i++) {
        error = act.on >> i & 1 ? lane_act(&act, i) : NULL;
    }
    return error;
}

/* ---- who takes part ---- */

int gen_path_compare(const struct item *a, const struct item *b)
{
    for (uint32_t i = 0; i < a->path_length && i < b->path_length; i++) {
        if (a->path[i] != b->path[i]) {
            return a->path[i] < b->path[i] ? -1 : 1;
        }
    }
    return (a->path_length > b->path_length) - (a->path_length < b->path_length);
}

static bool subgroup_advance(struct run *run, struct item *items, uint32_t size)
{
    struct lane *lanes[MAX_SIZE] = {NULL};
    const struct item *least = NULL;
    for (uint32_t i = 0; i < size; i++) {
        if (items[i].state == ITEM_AT_SUBGROUP &&
            (!least || gen_path_compare(&items[i], least) < 0)) {
            least = &items[i];
        }
    }
    if (!least) {
        return false;
    }
    for (uint32_t i = 0; i < size; i++) {
        if (items[i].state == ITEM_AT_SUBGROUP && gen_path_compare(&items[i], least) == 0) {
            lanes[i] = items[i].lane;
            items[i].state = ITEM_READY;
        }
    }
    const char *error = gen_interpret_subgroup(run->program, least->stmt, lanes, size);
    return error ? gen_run_fail(run, error) : true;
}

bool gen_subgroups_advance(struct run *run)
{
    uint32_t full = run->program->subgroup_size, count = gen_local_total(run->program);
    bool any = false;
    for (uint32_t i = 0; full && i < count && !run->failed; i += full) {
        uint32_t size = count - i < full ? count - i : full;
        any = subgroup_advance(run, &run->items[i], size) || any;
    }
    return any && !run->failed;
}

bool gen_group_advance(struct run *run)
{
    struct lane *lanes[MAX_SIZE] = {NULL};
    uint32_t count = gen_local_total(run->program);
    if (count > MAX_SIZE) {
        return gen_run_fail(run, "a group too large for its operations");
    }
    for (uint32_t i = 0; i < count; i++) {
        lanes[i] = run->items[i].lane;
    }
    const char *error = gen_interpret_subgroup(run->program, run->items[0].stmt, lanes, count);
    return error ? gen_run_fail(run, error) : true;
}
