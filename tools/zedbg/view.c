/* Keeps the focus. See view.h. */
#include "view.h"

#include "error.h"
#include "memory.h"

struct focus focus;

bool view_thread(struct thread *thread, size_t frame, struct view *view)
{
    *view = (struct view){.thread = thread};
    if (!thread || !thread->stopped) {
        return error_set(debuggee.pid ? "no thread is stopped in a kernel"
                                      : "no program is debugged: `run` starts it");
    }
    view->count = frames_make(&thread->reader, &view->frames);
    if (view->count == 0) {
        return false;
    }
    view->frame = &view->frames[frame < view->count ? frame : view->count - 1];
    view->chunk_known =
        chunk_read(view->frames, view->count, (size_t)(view->frame - view->frames), &view->chunk);
    return true;
}

bool view_make(struct view *view)
{
    return view_thread(focus.thread, focus.frame, view);
}

struct place view_place(const struct view *view, uint64_t lane)
{
    return (struct place){view->frame, view->chunk_known ? &view->chunk : NULL, lane};
}

bool focus_lane(uint64_t lane)
{
    struct view view;
    if (!view_make(&view)) {
        return false;
    }
    if (!view.chunk_known || lane >= view.chunk.lanes) {
        return error_set("lane %llu does not exist: `info work-items` lists those that do",
                         (unsigned long long)lane);
    }
    focus.lane = lane;
    focus.item = chunk_global(&view.chunk, lane);
    return true;
}

void focus_set(struct thread *thread)
{
    struct view view;
    uint64_t lane;
    const struct item_id *item = &focus.item;
    focus.thread = thread;
    focus.frame = 0;
    if (!thread || !view_make(&view) || !view.chunk_known) {
        focus.lane = 0;
        return;
    }
    const bool kept = item->known[0] && item->known[1] && item->known[2] &&
                      chunk_find(&view.chunk, item->axis, &lane) &&
                      chunk_state(&view.chunk, lane) != LANE_OFF;
    (void)focus_lane(kept ? lane : chunk_first(&view.chunk));
}

static bool item_in(struct thread *thread, const int64_t item[3])
{
    struct view view;
    uint64_t lane;
    const size_t frame = thread == focus.thread ? focus.frame : 0;
    if (!thread || !thread->stopped || !view_thread(thread, frame, &view) || !view.chunk_known ||
        !chunk_find(&view.chunk, item, &lane)) {
        return false;
    }
    focus.thread = thread;
    focus.frame = frame;
    return focus_lane(lane);
}

bool focus_item(const int64_t item[3])
{
    bool found = item_in(focus.thread, item);
    for (struct thread *thread = debuggee_next(NULL); thread && !found;
         thread = debuggee_next(thread)) {
        found = item_in(thread, item);
    }
    return found || error_set("work-item %lld,%lld,%lld is in no chunk that is stopped: `info "
                              "work-items all` lists those that are",
                              (long long)item[0], (long long)item[1], (long long)item[2]);
}
