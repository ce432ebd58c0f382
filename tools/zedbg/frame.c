/* Unwinds the stack of a thread. See frame.h. */
#include "frame.h"

#include "error.h"
#include "line.h"
#include "memory.h"

#include <stdlib.h>
#include <string.h>

#define FRAME_LIMIT 200

static bool state_memory(void *context, uint64_t address, void *bytes, size_t size)
{
    const struct frame *frame = context;
    return frame->reader->read_memory(frame->reader->context, address, bytes, size);
}

static bool state_register(void *context, unsigned number, void *bytes, size_t size)
{
    const struct frame *frame = context;
    if (number < MACHINE_GENERAL) {
        if (!frame->known[number] || size > sizeof(uint64_t)) {
            return error_set("the value of %s is not known in this frame", machine_general(number));
        }
        memcpy(bytes, &frame->general[number], size);
        return true;
    }
    return frame->innermost
               ? frame->reader->read_register(frame->reader->context, number, bytes, size)
               : error_set("vector registers are not known in frames of callers");
}

static void frame_bind(struct frame *frame)
{
    frame->state.context = frame;
    frame->state.read_memory = state_memory;
    frame->state.read_register = state_register;
}

static void frame_place(struct frame *frame)
{
    struct image *image = frame->state.image;
    uint64_t start, size;
    const struct line_row *row = line_near(image, frame->state.pc);
    const char *symbol = image_symbol(image, frame->state.pc, &start, &size);
    frame->name = symbol ? symbol : "??";
    if (row) {
        frame->file = row->file;
        frame->line = row->line;
    }
}

/* ---- callers ---- */

/* Finds the stack pointer before the call, and the information for unwinding, which the caller
 * frees. */
static bool cfa_find(struct frame *frame, Dwarf_Frame **information)
{
    Dwarf_Op *ops;
    size_t count;
    struct state *state = &frame->state;
    *information = NULL;
    state->cfa_known = state->image->cfi &&
                       dwarf_cfi_addrframe(state->image->cfi, state->pc, information) == 0 &&
                       dwarf_frame_cfa(*information, &ops, &count) == 0 &&
                       location_number(state, ops, count, &state->cfa);
    return state->cfa_known;
}

/* Fills the registers of a frame's caller. Returns false if the return address is not known. */
static bool caller_find(const struct frame *frame, Dwarf_Frame *information, struct frame *caller)
{
    for (int i = 0; i < MACHINE_GENERAL; i++) {
        Dwarf_Op room[3], *ops;
        size_t count;
        if (dwarf_frame_register(information, i, room, &ops, &count) != 0) {
            continue;
        }
        if (!ops && count == 0 && i != MACHINE_PC) { /* the same as in the frame */
            caller->general[i] = frame->general[i];
            caller->known[i] = frame->known[i];
        } else if (count > 0) {
            caller->known[i] = location_saved(&frame->state, ops, count, &caller->general[i]);
        }
    }
    caller->general[MACHINE_SP] = frame->state.cfa;
    caller->known[MACHINE_SP] = true;
    return caller->known[MACHINE_PC];
}

/* ---- inlined calls ---- */

/* Adds a frame for each function at the frame's address. Returns their number, at least 1. */
static size_t frames_divide(struct frame *frames, size_t room)
{
    struct scope *scopes;
    const struct frame whole = frames[0];
    size_t count = scopes_at(whole.state.image, whole.state.pc, &scopes);
    count = count < room ? count : room;
    for (size_t i = 0; i < count; i++) {
        frames[i] = whole;
        frames[i].scope = &scopes[i];
        frames[i].name = *scopes[i].name ? scopes[i].name : whole.name;
        if (i > 0) { /* it continues behind the inlined call */
            frames[i].file = scopes[i - 1].call_file;
            frames[i].line = scopes[i - 1].call_line;
        }
        frame_bind(&frames[i]);
    }
    return count ? count : 1;
}

static bool innermost_read(const struct thread_reader *reader, struct frame *frame)
{
    for (unsigned i = 0; i < MACHINE_GENERAL; i++) {
        if (!reader->read_register(reader->context, i, &frame->general[i],
                                   sizeof(frame->general[i]))) {
            return false;
        }
        frame->known[i] = true;
    }
    frame->innermost = true;
    return true;
}

size_t frames_make(const struct thread_reader *reader, struct frame **frames)
{
    struct frame next = {.reader = reader};
    size_t count = 0;
    *frames = scratch_alloc(FRAME_LIMIT * sizeof(**frames));
    if (!innermost_read(reader, &next)) {
        return 0;
    }
    while (count < FRAME_LIMIT) {
        struct frame *frame = &(*frames)[count];
        Dwarf_Frame *information;
        next.pc = next.general[MACHINE_PC];
        next.state.image = reader->image(reader->context, next.pc);
        if (!next.state.image) {
            break; /* the host */
        }
        next.state.pc = next.pc - (next.innermost ? 0 : 1);
        *frame = next;
        frame_bind(frame);
        frame_place(frame);
        const bool found = cfa_find(frame, &information);
        count += frames_divide(frame, FRAME_LIMIT - count);
        next = (struct frame){.reader = reader};
        const bool more = found && caller_find(frame, information, &next) &&
                          next.general[MACHINE_SP] > frame->general[MACHINE_SP];
        free(information);
        if (!more) {
            break;
        }
    }
    return count ? count
                 : (size_t)error_set("the thread is at 0x%llx, which is not in a module",
                                     (unsigned long long)next.pc);
}
