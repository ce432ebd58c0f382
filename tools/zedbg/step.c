/* Steps by lines. See step.h. An instruction at a time runs by the flag that stops after it; calls
 * run to a breakpoint behind them. */
#include "step.h"

#include "error.h"
#include "line.h"
#include "memory.h"
#include "place.h"

#include <string.h>

#define CALL_BYTES 15 /* the longest instruction of x86-64 */

/* Where a thread is, as far as stepping is concerned. */
struct position {
    uint64_t pc, sp;
    uint64_t function; /* the address of its first instruction */
    size_t depth;      /* number of calls that were inlined around the address */
    Dwarf_Off call;    /* the innermost of them, or the function */
    const struct line_row *row;
};

static struct position position_of(struct thread *thread)
{
    struct position position = {0};
    uint64_t size;
    struct scope *scopes;
    if (!thread_general(thread)) {
        return position;
    }
    position.pc = thread->general[MACHINE_PC];
    position.sp = thread->general[MACHINE_SP];
    struct module *module = debuggee_module(position.pc);
    if (!module) {
        return position;
    }
    position.row = line_of(&module->image, position.pc);
    (void)image_symbol(&module->image, position.pc, &position.function, &size);
    position.depth = scopes_at(&module->image, position.pc, &scopes);
    if (position.depth > 0) {
        position.call = dwarf_dieoffset(&scopes[0].dies[scopes[0].count - 1]);
    }
    return position;
}

/* ---- calls ---- */

/* Returns whether the last instruction was a call, and where it returns to. */
static bool was_call(struct thread *thread, const struct position *before,
                     const struct position *now, uint64_t *back)
{
    return now->function != before->function && now->sp == before->sp - sizeof(*back) &&
           debuggee_read(thread, now->sp, back, sizeof(*back)) && *back > before->pc &&
           *back - before->pc <= CALL_BYTES;
}

/* Runs a function that was just called: to the first line of its work-items if there is one and
 * `into` is set, else to its return. `entered` tells which. */
static struct run_result call_run(struct thread *thread, const struct position *now, uint64_t back,
                                  bool into, bool *entered)
{
    struct module *module = debuggee_module(now->pc);
    uint64_t start, size, *entries = NULL;
    size_t count = 0;
    struct scope *scopes;
    if (into && module && scopes_at(&module->image, now->pc, &scopes) > 0 &&
        image_symbol(&module->image, now->pc, &start, &size)) {
        const size_t all = place_of_function(&module->image, scopes[0].name, &entries);
        for (size_t i = 0; i < all; i++) { /* only of this function, not where it is inlined */
            if (entries[i] >= start && entries[i] - start < size) {
                entries[count++] = entries[i];
            }
        }
    }
    uint64_t *addresses = scratch_alloc((count + 1) * sizeof(*addresses));
    if (count) {
        memcpy(addresses, entries, count * sizeof(*addresses));
    }
    addresses[count] = back;
    /* At the entries the stack is deeper: only the return needs the stack pointer of the caller. */
    const struct run_result result =
        run_until(thread, addresses, count + 1, count ? 0 : now->sp + sizeof(back));
    *entered = result.reason == RUN_STEP && result.thread && thread->general[MACHINE_PC] != back;
    return result;
}

/* ---- lines ---- */

/* Returns whether the work-item in focus is off where the thread is. */
static bool is_off(struct thread *thread, const struct item_id *item)
{
    struct frame *frames;
    struct chunk chunk;
    const size_t count = frames_make(&thread->reader, &frames);
    if (count == 0 || !chunk_read(frames, count, 0, &chunk) || focus.lane >= chunk.lanes) {
        return false;
    }
    const struct item_id now = chunk_global(&chunk, focus.lane);
    for (int i = 0; i < 3; i++) {
        if (now.known[i] != item->known[i] || now.axis[i] != item->axis[i]) {
            return false; /* other work-items run now */
        }
    }
    return chunk_state(&chunk, focus.lane) == LANE_OFF;
}

/* Returns whether the thread is at the beginning of a line that is not the one it came from. */
static bool is_new_line(const struct position *start, const struct position *now, bool into)
{
    const struct line_row *row = now->row;
    if (!row || !row->line || !row->statement || row->address != now->pc) {
        return false;
    }
    if (!into && now->function == start->function && now->depth > start->depth) {
        return false; /* in an inlined call, which `next` passes over */
    }
    return !start->row || row->line != start->row->line || now->call != start->call ||
           strcmp(row->file, start->row->file) != 0;
}

/* Lets the functions that the frame in focus has called return. Stores where the frame is then. */
static struct run_result frame_return(const struct view *view, struct position *start,
                                      struct line_row *row)
{
    struct run_result result = {.reason = RUN_STEP, .thread = view->thread};
    const size_t index = (size_t)(view->frame - view->frames);
    size_t callee = index;
    while (callee > 0 &&
           (!view->frames[callee - 1].scope || view->frames[callee - 1].scope->is_inlined)) {
        callee--;
    }
    if (callee > 0) { /* the frame before is of a function with code of its own */
        const struct frame *frame = &view->frames[callee];
        result = run_until(view->thread, &frame->pc, 1, frame->general[MACHINE_SP]);
        if (result.reason != RUN_STEP || !result.thread) {
            return result;
        }
    }
    *start = position_of(view->thread);
    *row = (struct line_row){.file = view->frame->file ? view->frame->file : "",
                             .line = view->frame->line};
    start->row = view->frame->line ? row : NULL;
    start->depth = 0;
    for (size_t i = index; i < view->count && view->frames[i].scope; i++) {
        start->depth++;
        if (!view->frames[i].scope->is_inlined) {
            break;
        }
    }
    if (view->frame->scope) {
        const struct scope *scope = view->frame->scope;
        start->call = dwarf_dieoffset(&scope->dies[scope->count - 1]);
    }
    return result;
}

struct run_result step_line(const struct view *view, bool into)
{
    struct thread *thread = view->thread;
    struct position start, before;
    struct line_row row;
    const struct item_id item =
        view->chunk_known ? chunk_global(&view->chunk, focus.lane) : (struct item_id){0};
    if (!view->frame->line) {
        error_set("no line is known here: use `stepi`, `finish` or `continue`");
        return (struct run_result){.reason = RUN_FAILED};
    }
    const struct run_result first = frame_return(view, &start, &row);
    if (first.reason != RUN_STEP || !first.thread) {
        return first.thread ? first : run_continue();
    }
    before = start;
    for (;;) {
        struct run_result result = run_instruction(thread);
        uint64_t back;
        bool entered = false;
        if (result.reason != RUN_STEP) {
            return result;
        }
        if (!result.thread) {
            return run_continue(); /* the kernel has ended on this thread */
        }
        struct position now = position_of(thread);
        if (was_call(thread, &before, &now, &back)) {
            result = call_run(thread, &now, back, into, &entered);
            if (result.reason != RUN_STEP) {
                return result;
            }
            if (!result.thread) {
                return run_continue();
            }
            now = position_of(thread);
        }
        if (entered || (is_new_line(&start, &now, into) && !is_off(thread, &item))) {
            thread->passed = true;
            return result;
        }
        before = now;
    }
}

struct run_result step_out(const struct view *view)
{
    struct thread *thread = view->thread;
    size_t caller = (size_t)(view->frame - view->frames) + 1;
    if (view->frame->scope && view->frame->scope->is_inlined) { /* leave the inlined call */
        const struct position start = position_of(thread);
        for (;;) {
            const struct run_result result = run_instruction(thread);
            if (result.reason != RUN_STEP) {
                return result;
            }
            if (!result.thread) {
                return run_continue();
            }
            const struct position now = position_of(thread);
            if (now.function == start.function && now.depth < start.depth && now.row &&
                now.row->line) {
                return result;
            }
        }
    }
    if (caller >= view->count) {
        error_set("`finish` has no meaning in the outermost function: use `continue`");
        return (struct run_result){.reason = RUN_FAILED};
    }
    const struct frame *frame = &view->frames[caller];
    const struct run_result result = run_until(thread, &frame->pc, 1, frame->general[MACHINE_SP]);
    return result.reason == RUN_STEP && !result.thread ? run_continue() : result;
}
