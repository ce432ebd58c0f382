/* Writes the error text of a fault: the operation, the position in it, and the reason. See
 * fault_text.h. */
#include "driver/core/fault_text.h"

#include "backend/command.h"
#include "base/assert.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define NAME_BYTES 160 /* longest part of a kernel's name, so that the rest of the text has room */

struct text {
    char *at, *end;
};

static void __attribute__((format(printf, 2, 3))) add(struct text *text, const char *format, ...)
{
    va_list args;
    GEO_ASSERT(text->at < text->end); /* there is always room for the terminator */
    va_start(args, format);
    int length = vsnprintf(text->at, (size_t)(text->end - text->at), format, args);
    va_end(args);
    if (length > 0) {
        size_t room = (size_t)(text->end - text->at) - 1;
        text->at += (size_t)length < room ? (size_t)length : room;
    }
    GEO_ASSERT(text->at < text->end && *text->at == '\0');
}

static void kernel_add(struct text *text, const char *name)
{
    const char *more = strlen(name) > NAME_BYTES ? "..." : "";
    add(text, "kernel `%.*s%s`", NAME_BYTES, name, more);
}

static void group_add(struct text *text, const uint32_t group[3])
{
    add(text, "(%" PRIu32 ",%" PRIu32 ",%" PRIu32 ")", group[0], group[1], group[2]);
}

/* Adds the global id of the first or last work-item of a group. */
static void item_add(struct text *text, const struct geo_fault *fault, bool last)
{
    uint64_t id[3];
    for (int i = 0; i < 3; i++) {
        id[i] = fault->global_offset[i] + (uint64_t)fault->first_group[i] * fault->local_size[i] +
                (last ? fault->local_size[i] - 1 : 0);
    }
    add(text, "(%" PRIu64 ",%" PRIu64 ",%" PRIu64 ")", id[0], id[1], id[2]);
}

static void launch_add(struct text *text, const struct geo_fault *fault)
{
    if (fault->counts) {
        add(text, "the group counts of ");
        kernel_add(text, fault->kernel);
        add(text, " could not be read");
        return;
    }
    kernel_add(text, fault->kernel);
    if (fault->unstarted) {
        add(text, " did not run");
        return;
    }
    const char *what = fault->stopped ? "was stopped" : "faulted";
    if (memcmp(fault->first_group, fault->last_group, sizeof(fault->first_group)) == 0) {
        add(text, " %s in work-group ", what);
        group_add(text, fault->first_group);
        add(text, ", global ids ");
        item_add(text, fault, false);
        add(text, " to ");
        item_add(text, fault, true);
        return;
    }
    add(text, " %s in one of the work-groups ", what);
    group_add(text, fault->first_group);
    add(text, " to ");
    group_add(text, fault->last_group);
    if (fault->hint) {
        add(text, " (%s)", fault->hint);
    }
}

/* ---- one function for each `fault` of command.def ---- */

static void copy_add(struct text *text, const struct geo_fault *fault)
{
    add(text, "a copy of %" PRIu64 " bytes from 0x%" PRIxPTR " to 0x%" PRIxPTR " faulted",
        fault->bytes, (uintptr_t)fault->source, (uintptr_t)fault->destination);
}

static void fill_add(struct text *text, const struct geo_fault *fault)
{
    add(text, "a fill of %" PRIu64 " bytes at 0x%" PRIxPTR " faulted", fault->bytes,
        (uintptr_t)fault->destination);
}

static void timestamp_add(struct text *text, const struct geo_fault *fault)
{
    add(text, "a timestamp written to 0x%" PRIxPTR " faulted", (uintptr_t)fault->destination);
}

static void query_add(struct text *text, const struct geo_fault *fault)
{
    add(text, "timestamps of events written to 0x%" PRIxPTR " faulted",
        (uintptr_t)fault->destination);
}

static void semaphores_add(struct text *text, const struct geo_fault *fault)
{
    (void)fault;
    add(text, "external semaphores were not signalled");
}

static void other_add(struct text *text, const struct geo_fault *fault)
{
    (void)fault;
    add(text, "a command did not run");
}

static void operation_add(struct text *text, const struct geo_fault *fault)
{
    static void (*const adders[GEO_COMMAND_OPERATION_COUNT])(struct text *,
                                                             const struct geo_fault *) = {
#define GEO_COMMAND(operation, payload, name, run, dump, fault, capture)                           \
    [GEO_COMMAND_##operation] = fault##_add,
#include "backend/command.def"
#undef GEO_COMMAND
    };
    if (fault->operation < GEO_COMMAND_OPERATION_COUNT) {
        adders[fault->operation](text, fault);
    } else {
        other_add(text, fault);
    }
}

void geo_error_describe_fault(const struct geo_fault *fault, char *buffer, size_t bytes)
{
    struct text text = {.at = buffer, .end = buffer + bytes};
    GEO_ASSERT(bytes > 0 && fault->reason);
    buffer[0] = '\0';
    if (fault->kernel) {
        launch_add(&text, fault);
    } else {
        operation_add(&text, fault);
    }
    add(&text, ": %s", fault->reason);
    if (fault->touched) {
        add(&text, " at 0x%" PRIx64, fault->address);
    } else if (fault->instruction) {
        add(&text, ", instruction 0x%" PRIx64, fault->instruction);
    }
}
