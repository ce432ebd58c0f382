/* Programs as calls in C. See program.h. */
#include "program.h"

#include <inttypes.h>

static const char *const names[OP_KINDS] = {
    [OP_LIST_DESTROY] = "zeCommandListDestroy",
    [OP_LIST_CLOSE] = "zeCommandListClose",
    [OP_LIST_RESET] = "zeCommandListReset",
    [OP_QUEUE_CREATE] = "zeCommandQueueCreate",
    [OP_QUEUE_DESTROY] = "zeCommandQueueDestroy",
    [OP_EVENT_DESTROY] = "zeEventDestroy",
    [OP_EVENT_SIGNAL] = "zeEventHostSignal",
    [OP_EVENT_RESET] = "zeEventHostReset",
    [OP_FENCE_CREATE] = "zeFenceCreate",
    [OP_FENCE_DESTROY] = "zeFenceDestroy",
    [OP_FENCE_RESET] = "zeFenceReset",
    [OP_EXECUTE] = "zeCommandQueueExecuteCommandLists",
    [OP_WAIT_EVENT] = "zeEventHostSynchronize",
    [OP_WAIT_FENCE] = "zeFenceHostSynchronize",
    [OP_WAIT_QUEUE] = "zeCommandQueueSynchronize",
    [OP_WAIT_LIST] = "zeCommandListHostSynchronize",
    [OP_TIMESTAMPS] = "zeEventQueryKernelTimestamp",
    [OP_LAUNCH] = "zeCommandListAppendLaunchKernel",
    [OP_FAULT] = "zeCommandListAppendLaunchKernel",
    [OP_HOST_FUNCTION] = "zeCommandListAppendHostFunction",
    [OP_COPY] = "zeCommandListAppendMemoryCopy",
    [OP_REGION] = "zeCommandListAppendMemoryCopyRegion",
    [OP_FILL] = "zeCommandListAppendMemoryFill",
    [OP_BARRIER] = "zeCommandListAppendBarrier",
    [OP_APPEND_WAIT] = "zeCommandListAppendWaitOnEvents",
    [OP_APPEND_SIGNAL] = "zeCommandListAppendSignalEvent",
    [OP_APPEND_RESET] = "zeCommandListAppendEventReset",
    [OP_STAMP] = "zeCommandListAppendWriteGlobalTimestamp",
    [OP_LISTS] = "zeCommandListImmediateAppendCommandListsExp",
    [OP_CHECK] = "check",
    [OP_WRITE] = "write",
    [OP_JOIN] = "all_threads_meet",
};

static const char *op_name(const struct op *op)
{
    if (op->kind == OP_LIST_CREATE) {
        return op->flags & LIST_IMMEDIATE ? "zeCommandListCreateImmediate" : "zeCommandListCreate";
    }
    if (op->kind == OP_EVENT_CREATE) {
        return op->flags & EVENT_COUNTER && !(op->flags & EVENT_POOL) ? "zeEventCounterBasedCreate"
                                                                      : "zeEventCreate";
    }
    if (op->kind == OP_WAIT_EVENT && (op->how == WAIT_POLL || op->how == WAIT_QUERY)) {
        return "zeEventQueryStatus";
    }
    if (op->kind == OP_WAIT_FENCE && (op->how == WAIT_POLL || op->how == WAIT_QUERY)) {
        return "zeFenceQueryStatus";
    }
    return names[op->kind];
}

static void flags_print(FILE *out, const struct op *op)
{
    if (op->kind == OP_LIST_CREATE || op->kind == OP_QUEUE_CREATE) {
        fprintf(out, "%s%s%s", op->flags & LIST_IN_ORDER ? ", in-order" : "",
                op->flags & LIST_SYNCHRONOUS ? ", synchronous" : "",
                op->flags & LIST_COPY ? ", copy group" : "");
    } else if (op->kind == OP_EVENT_CREATE) {
        fprintf(out, "%s%s", op->flags & EVENT_COUNTER ? ", counter-based" : "",
                op->flags & EVENT_TIMESTAMPS ? ", timestamps" : "");
    } else if (op->kind == OP_FENCE_CREATE) {
        fprintf(out, "%s", op->flags & FENCE_SIGNALLED ? ", signalled" : "");
    } else if (op->kind >= OP_WAIT_EVENT && op->kind <= OP_WAIT_LIST) {
        static const char *const hows[WAIT_HOWS] = {[WAIT_FOREVER] = ", UINT64_MAX",
                                                    [WAIT_AGAIN] = ", 200000 ns until done",
                                                    [WAIT_POLL] = " until done",
                                                    [WAIT_ONCE] = ", 50000 ns",
                                                    [WAIT_QUERY] = " once"};
        fprintf(out, "%s", hows[op->how]);
    }
}

static void work_print(FILE *out, const struct op *op)
{
    switch ((enum op_kind)op->kind) {
    case OP_LAUNCH:
    case OP_HOST_FUNCTION:
        fprintf(out, ", B%d[i] = B%d[i] * %" PRIu32 " + B%d[i] + %" PRIu32, op->destination,
                op->destination, op->multiply, op->source, op->add);
        break;
    case OP_FAULT:
        fprintf(out, ", *NULL = 1");
        break;
    case OP_COPY:
    case OP_REGION:
        fprintf(out, ", B%d + %u, B%d + %u, %u words", op->destination, op->place, op->source,
                op->from, op->size);
        break;
    case OP_FILL:
        fprintf(out, ", B%d + %u, %" PRIu32 ", %u words", op->destination, op->place, op->add,
                op->size);
        break;
    case OP_CHECK:
        fprintf(out, "B%d", op->source);
        break;
    case OP_WRITE:
        fprintf(out, "B%d, %" PRIu32 " + i", op->destination, op->add);
        break;
    default:
        break;
    }
}

static void events_print(FILE *out, const struct op *op)
{
    if (op->signal != NONE) {
        fprintf(out, ", signal E%d", op->signal);
    }
    for (int i = 0; i < op->wait_count; i++) {
        fprintf(out, ", wait E%d", op->waits[i]);
    }
}

static void objects_print(FILE *out, const struct op *op)
{
    const char *comma = "";
    const struct {
        char letter;
        int number;
    } objects[] = {{'L', op->list}, {'Q', op->queue}, {'E', op->event}, {'F', op->fence}};
    for (int i = 0; i < 4; i++) {
        if (objects[i].number != NONE) {
            fprintf(out, "%s%c%d", comma, objects[i].letter, objects[i].number);
            comma = ", ";
        }
    }
    for (int i = 0; i < op->inner_count; i++) {
        fprintf(out, "%s%sL%d", comma, i == 0 ? "{" : "", op->inner[i]);
        comma = ", ";
    }
    fprintf(out, "%s", op->inner_count ? "}" : "");
}

void op_print(FILE *out, const struct op *op)
{
    fprintf(out, "%s(", op_name(op));
    objects_print(out, op);
    flags_print(out, op);
    work_print(out, op);
    events_print(out, op);
    fprintf(out, ");");
}

void program_print(FILE *out, const struct program *program)
{
    for (uint32_t i = 0; i < program->count; i++) {
        const struct op *op = &program->ops[i];
        if (op->index == UINT16_MAX) {
            fprintf(out, "     ");
        } else {
            fprintf(out, "%4u ", op->index);
        }
        if (program->threads > 1) {
            fprintf(out, "thread %u: ", op->thread);
        }
        op_print(out, op);
        fprintf(out, "%s%s%s\n", op->allowed & OUTCOME_SUCCESS ? "" : "  //",
                op->allowed & OUTCOME_NOT_READY && !(op->allowed & OUTCOME_SUCCESS) ? " NOT_READY"
                                                                                    : "",
                op->allowed == OUTCOME_LOST ? " DEVICE_LOST" : "");
    }
}
