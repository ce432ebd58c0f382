/* The place that the user looks at: a stopped thread, a frame of it, and a work-item. */
#ifndef ZEDBG_VIEW_H
#define ZEDBG_VIEW_H

#include "debuggee.h"
#include "expression.h"

/* The place that commands refer to. */
struct focus {
    struct thread *thread; /* NULL: no thread is stopped */
    size_t frame;
    uint64_t lane;
    struct item_id item; /* the work-item of this lane; its parts may be unknown */
};

extern struct focus focus;

/* The state of a place, in scratch memory. */
struct view {
    struct thread *thread;
    struct frame *frames;
    size_t count;
    const struct frame *frame; /* the one in focus */
    bool chunk_known;
    struct chunk chunk;
};

/* Reads a thread. Fails if it is not stopped. */
bool view_thread(struct thread *thread, size_t frame, struct view *view);
/* Reads what is in focus. */
bool view_make(struct view *view);
/* Returns where expressions of the view are evaluated, for a lane. */
struct place view_place(const struct view *view, uint64_t lane);

/* Puts a thread into focus, with its innermost frame. The work-item in focus stays the same if it
 * is in the chunk and not off. Otherwise it is the first one that is not off. */
void focus_set(struct thread *thread);
/* Puts a lane of the thread in focus into focus. */
bool focus_lane(uint64_t lane);
/* Puts a work-item into focus by its global id: of the thread in focus, or of another that is
 * stopped. */
bool focus_item(const int64_t item[3]);

#endif
