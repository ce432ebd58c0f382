/* Launches: groups, the order of work-items, barriers and sub-groups. */
#include "internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Groups that run at the same time. */
#define RESIDENT 3u
/* Most instructions that an item executes before another one may run. */
#define SLICE 200u

uint32_t run_random(struct run *run, uint32_t below)
{
    run->random ^= run->random << 13;
    run->random ^= run->random >> 7;
    run->random ^= run->random << 17;
    return (uint32_t)((run->random >> 32) * below >> 32);
}

bool run_fail(struct item *item, const char *format, ...)
{
    struct run *run = item->group->run;
    char text[512];
    va_list arguments;
    if (run->failed) {
        return false;
    }
    run->failed = true;
    va_start(arguments, format);
    vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    const struct frame *frame = item->frame_count ? &item->frames[item->frame_count - 1] : NULL;
    char *code = frame && frame->next
                     ? LLVMPrintValueToString(frame->function->code[frame->next - 1].value)
                     : NULL;
    const uint32_t *group = item->group->id;
    snprintf(run->text, SIMT_TEXT, "%s, group (%u, %u, %u), item (%u, %u, %u): %s%s%s",
             run->launch->kernel, group[0], group[1], group[2], item->id[0], item->id[1],
             item->id[2], text, code ? ":" : "", code ? code : "");
    LLVMDisposeMessage(code);
    return false;
}

uint64_t special_value(const struct item *item, uint32_t number)
{
    const struct run *run = item->group->run;
    switch (number) {
    case SPECIAL_LANE:
        return item->linear % SIMT_LANES;
    case SPECIAL_SIZE:
        return SIMT_LANES;
    case SPECIAL_CLOCK:
        return run->steps;
    case SPECIAL_ACTIVE: /* no lane may rely on others being at the same place */
        return UINT64_C(1) << item->linear % SIMT_LANES;
    default:
        return number < SPECIAL_NTID     ? item->id[number - SPECIAL_TID]
               : number < SPECIAL_CTAID  ? run->launch->local[number - SPECIAL_NTID]
               : number < SPECIAL_NCTAID ? item->group->id[number - SPECIAL_CTAID]
                                         : run->launch->groups[number - SPECIAL_NCTAID];
    }
}

/* ---- sub-groups ---- */

static uint64_t *result_of(const struct item *item)
{
    return item->words + item->frames[item->frame_count - 1].words + item->waits->result;
}

static uint64_t argument(const struct item *item, uint32_t index)
{
    const uint64_t *frame = item->words + item->frames[item->frame_count - 1].words;
    return *operand_words(item, frame, item->waits->operands[index]);
}

/* Returns the lane from which a lane reads; PTX ISA, shfl.sync. */
static uint32_t shuffle_source(uint32_t kind, uint32_t lane, uint32_t by, uint32_t c)
{
    uint32_t segment = c >> 8 & 31, clamp = c & 31;
    uint32_t most = (lane & segment) | (clamp & ~segment), least = lane & segment;
    int32_t from;
    bool good;
    by &= 31;
    switch (kind) {
    case SHUFFLE_UP:
        from = (int32_t)lane - (int32_t)by;
        good = from >= (int32_t)most;
        break;
    case SHUFFLE_DOWN:
        from = (int32_t)(lane + by);
        good = from <= (int32_t)most;
        break;
    case SHUFFLE_BFLY:
        from = (int32_t)(lane ^ by);
        good = from <= (int32_t)most;
        break;
    default:
        from = (int32_t)(least | (by & ~segment & 31));
        good = from <= (int32_t)most;
    }
    return good ? (uint32_t)from : lane;
}

static void shuffle(struct item *lanes, uint32_t count, uint32_t mask)
{
    uint64_t results[SIMT_LANES];
    for (uint32_t i = 0; i < count; i++) {
        if (mask >> i & 1 && lanes[i].waits->detail != SHUFFLE_SYNC) {
            uint32_t from =
                shuffle_source(lanes[i].waits->detail, i, (uint32_t)argument(&lanes[i], 2),
                               (uint32_t)argument(&lanes[i], 3));
            bool there = from < count && mask >> from & 1;
            results[i] = there ? argument(&lanes[from], 1) : SIMT_POISON & UINT32_MAX;
        }
    }
    for (uint32_t i = 0; i < count; i++) {
        if (mask >> i & 1 && lanes[i].waits->detail != SHUFFLE_SYNC) {
            *result_of(&lanes[i]) = results[i];
        }
    }
}

static void vote(struct item *lanes, uint32_t count, uint32_t mask)
{
    uint32_t set = 0, all = mask;
    for (uint32_t i = 0; i < count; i++) {
        set |= mask >> i & 1 ? (uint32_t)(argument(&lanes[i], 1) & 1) << i : 0;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (mask >> i & 1) {
            uint32_t kind = lanes[i].waits->detail;
            *result_of(&lanes[i]) = kind == VOTE_ALL     ? set == all
                                    : kind == VOTE_ANY   ? set != 0
                                    : kind == VOTE_EQUAL ? set == all || !set
                                                         : set;
        }
    }
}

/* Returns the lanes that complete the operation at which item `first` waits, or 0. Lanes that have
 * ended do not count. */
static uint32_t complete(const struct item *lanes, uint32_t count, uint32_t first)
{
    uint32_t mask = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!(lanes[first].lane_mask >> i & 1) || lanes[i].state == ENDED) {
            continue;
        }
        if (lanes[i].state != AT_SUBGROUP || lanes[i].waits != lanes[first].waits ||
            lanes[i].lane_mask != lanes[first].lane_mask) {
            return 0;
        }
        mask |= 1u << i;
    }
    return mask;
}

bool subgroup_release(struct group *group, uint32_t first)
{
    struct item *lanes = group->items + first;
    uint32_t count = group->count - first < SIMT_LANES ? group->count - first : SIMT_LANES;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t mask = lanes[i].state == AT_SUBGROUP ? complete(lanes, count, i) : 0;
        if (!mask) {
            continue;
        }
        if (lanes[i].waits->op == OP_VOTE) {
            vote(lanes, count, mask);
        } else {
            shuffle(lanes, count, mask);
        }
        for (uint32_t k = 0; k < count; k++) {
            lanes[k].state = mask >> k & 1 ? RUNNING : lanes[k].state;
        }
    }
    return true;
}

/* ---- barriers ---- */

/* Lets the group go on if all items that have not ended wait at a barrier. */
static bool barrier_release(struct group *group)
{
    struct item *first = NULL;
    for (uint32_t i = 0; i < group->count; i++) {
        struct item *item = &group->items[i];
        if (item->state == ENDED) {
            continue;
        }
        if (item->state != AT_BARRIER) {
            return true;
        }
        if (first && item->waits != first->waits &&
            (item->waits->aligned || first->waits->aligned)) {
            return run_fail(item,
                            "the barrier is in divergent flow: item (%u, %u, %u) is at another one",
                            first->id[0], first->id[1], first->id[2]);
        }
        first = first ? first : item;
    }
    for (uint32_t i = 0; i < group->count; i++) {
        if (group->items[i].state == AT_BARRIER) {
            group->items[i].state = RUNNING;
        }
    }
    return true;
}

/* Reports that no item of a group can go on. */
static void report_stuck(struct group *group)
{
    struct item *waiting = NULL, *other = NULL;
    for (uint32_t i = 0; i < group->count; i++) {
        struct item *item = &group->items[i];
        if (item->state == AT_BARRIER || item->state == AT_SUBGROUP) {
            other = waiting && item->waits != waiting->waits ? item : other;
            waiting = waiting ? waiting : item;
        }
    }
    char *text = other ? LLVMPrintValueToString(other->waits->value) : NULL;
    run_fail(waiting, "it waits for ever, as item (%u, %u, %u) waits at%s",
             other ? other->id[0] : 0, other ? other->id[1] : 0, other ? other->id[2] : 0,
             text ? text : " the same place with another mask");
    LLVMDisposeMessage(text);
}

/* ---- groups ---- */

static bool arguments_set(struct item *item)
{
    const struct run *run = item->group->run;
    const struct function *kernel = run->kernel;
    for (uint32_t i = 0; i < kernel->parameter_count; i++) {
        const struct simt_argument *from = &run->launch->arguments[i];
        uint64_t *to = item->words + kernel->parameter_at[i];
        if (kernel->by_value[i]) {
            uint64_t offset = memory_local(item, kernel->by_value[i], kernel->by_value_align[i]);
            memcpy(item->local + offset, from->bytes, from->size);
            *to = offset | (uint64_t)WINDOW_LOCAL << SIMT_WINDOW_SHIFT;
            continue;
        }
        const struct layout *layout = kernel->parameters[i];
        for (uint32_t k = 0; k < layout->count; k++) {
            uint32_t bits = layout->leaves[k].bits;
            *to = 0;
            memcpy(to, (const uint8_t *)from->bytes + layout->leaves[k].offset, (bits + 7) / 8);
            *to &= bits_mask(bits < 64 ? bits : 64);
            to += bits > 64 ? 2 : 1;
        }
    }
    return true;
}

static bool group_begin(struct run *run, struct group *group, uint64_t number)
{
    const struct simt_launch *launch = run->launch;
    uint32_t count = launch->local[0] * launch->local[1] * launch->local[2];
    *group = (struct group){.run = run, .count = count, .left = count};
    group->id[0] = (uint32_t)(number % launch->groups[0]);
    group->id[1] = (uint32_t)(number / launch->groups[0] % launch->groups[1]);
    group->id[2] = (uint32_t)(number / launch->groups[0] / launch->groups[1]);
    group->items = calloc(count, sizeof(*group->items));
    group->shared = malloc(run->shared_bytes + 1);
    if (!group->items || !group->shared) {
        abort();
    }
    memset(group->shared, 0xa7, run->shared_bytes);
    for (uint32_t i = 0; i < count; i++) {
        struct item *item = &group->items[i];
        *item = (struct item){.group = group, .linear = i};
        item->id[0] = i % launch->local[0];
        item->id[1] = i / launch->local[0] % launch->local[1];
        item->id[2] = i / launch->local[0] / launch->local[1];
        if (!frame_enter(item, run->kernel) || !arguments_set(item)) {
            return false;
        }
    }
    return true;
}

static void item_finish(struct item *item)
{
    free(item->frames);
    free(item->words);
    free(item->local);
    free(item->valid);
    item->frames = NULL;
    item->words = NULL;
    item->local = item->valid = NULL;
}

static void group_finish(struct group *group)
{
    for (uint32_t i = 0; group->items && i < group->count; i++) {
        item_finish(&group->items[i]);
    }
    free(group->items);
    free(group->shared);
    *group = (struct group){0};
}

/* Runs some instructions of one item. */
static bool item_run(struct item *item)
{
    struct run *run = item->group->run;
    uint32_t count = 1 + run_random(run, SLICE);
    uint64_t limit = run->launch->step_limit;
    while (count-- && item->state == RUNNING) {
        if (limit && run->steps >= limit) {
            return run_fail(item, "the launch has executed %llu instructions and has not ended",
                            (unsigned long long)limit);
        }
        run->steps++;
        if (!step(item)) {
            return false;
        }
    }
    if (item->state == ENDED) {
        item->group->left--;
        item_finish(item);
        return subgroup_release(item->group, item->linear / SIMT_LANES * SIMT_LANES) &&
               barrier_release(item->group);
    }
    return item->state != AT_BARRIER || barrier_release(item->group);
}

/* Returns an item that can run, starting at a random one, or NULL. */
static struct item *group_pick(struct run *run, struct group *group)
{
    uint32_t start = run_random(run, group->count);
    for (uint32_t i = 0; i < group->count; i++) {
        struct item *item = &group->items[(start + i) % group->count];
        if (item->state == RUNNING) {
            return item;
        }
    }
    return NULL;
}

static uint64_t *group_order(struct run *run, uint64_t count)
{
    uint64_t *order = malloc((count + 1) * sizeof(*order));
    if (!order) {
        abort();
    }
    for (uint64_t i = 0; i < count; i++) {
        uint64_t k = run_random(run, (uint32_t)(i + 1));
        order[i] = order[k];
        order[k] = i;
    }
    return order;
}

static bool groups_run(struct run *run)
{
    const uint32_t *groups = run->launch->groups;
    uint64_t count = (uint64_t)groups[0] * groups[1] * groups[2], next = 0;
    uint64_t *order = group_order(run, count);
    struct group resident[RESIDENT] = {{0}};
    uint32_t used = 0;
    while (!run->failed && (next < count || used)) {
        while (used < RESIDENT && next < count && !run->failed) {
            group_begin(run, &resident[used++], order[next++]);
        }
        struct group *group = &resident[run_random(run, used)];
        /* groups move when one ends, so each item finds its group anew */
        struct item *item = run->failed ? NULL : group_pick(run, group);
        if (!run->failed && !item) {
            report_stuck(group);
        } else if (item && item_run(item) && !group->left) {
            group_finish(group);
            *group = resident[--used];
            resident[used] = (struct group){0};
            for (uint32_t i = 0; i < group->count; i++) {
                group->items[i].group = group;
            }
        }
    }
    for (uint32_t i = 0; i < RESIDENT; i++) {
        group_finish(&resident[i]);
    }
    free(order);
    return !run->failed;
}

/* ---- launches ---- */

static const struct function *kernel_find(const struct simt *simt, const char *name)
{
    for (size_t i = 0; i < simt->function_count; i++) {
        if (strcmp(simt->function_list[i]->name, name) == 0 && simt->function_list[i]->decoded) {
            return simt->function_list[i];
        }
    }
    return NULL;
}

static bool launch_check(const struct run *run, char *text)
{
    const struct simt_launch *launch = run->launch;
    const struct function *kernel = run->kernel;
    if (!kernel) {
        snprintf(text, SIMT_TEXT, "there is no kernel %s", launch->kernel);
        return false;
    }
    if (kernel->parameter_count != launch->argument_count) {
        snprintf(text, SIMT_TEXT, "%s has %u parameters, not %u", launch->kernel,
                 kernel->parameter_count, launch->argument_count);
        return false;
    }
    for (uint32_t i = 0; i < launch->argument_count; i++) {
        uint64_t bytes = kernel->by_value[i] ? kernel->by_value[i] : kernel->parameters[i]->bytes;
        if (launch->arguments[i].size != bytes) {
            snprintf(text, SIMT_TEXT, "argument %u of %s has %llu bytes, not %zu", i,
                     launch->kernel, (unsigned long long)bytes, launch->arguments[i].size);
            return false;
        }
    }
    for (uint32_t i = 0; i < 3; i++) {
        if (launch->local[i] == 0 || launch->groups[i] == 0) {
            snprintf(text, SIMT_TEXT, "the launch of %s is empty", launch->kernel);
            return false;
        }
    }
    return true;
}

bool simt_run(struct simt *simt, const struct simt_launch *launch, char text[SIMT_TEXT])
{
    struct run run = {.simt = simt,
                      .launch = launch,
                      .kernel = kernel_find(simt, launch->kernel),
                      .random = (launch->seed + 1) * UINT64_C(0x9e3779b97f4a7c15),
                      .shared_bytes = simt->shared_bytes + launch->shared_bytes,
                      .text = text};
    if (!launch_check(&run, text)) {
        return false;
    }
    bool good = groups_run(&run);
    simt->steps += run.steps;
    return good;
}
