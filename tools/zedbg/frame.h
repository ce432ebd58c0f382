/* Frames of a stopped thread: the functions of kernels that it is in, innermost first. A call that
 * was inlined is a frame of its own. The host's functions that called the kernel are not shown. */
#ifndef ZEDBG_FRAME_H
#define ZEDBG_FRAME_H

#include "location.h"
#include "machine.h"
#include "scope.h"

/* Reads a thread for its frames. */
struct thread_reader {
    void *context;
    bool (*read_memory)(void *context, uint64_t address, void *bytes, size_t size);
    bool (*read_register)(void *context, unsigned number, void *bytes, size_t size);
    /* Returns the image with code at an address, or NULL. */
    struct image *(*image)(void *context, uint64_t address);
};

struct frame {
    struct state state; /* its context is the frame */
    const struct thread_reader *reader;
    uint64_t general[MACHINE_GENERAL]; /* by DWARF's numbers, as they were at the call */
    bool known[MACHINE_GENERAL];
    bool innermost;      /* all registers are known */
    uint64_t pc;         /* where it continues */
    const char *name;    /* of the function; "??": unknown */
    struct scope *scope; /* NULL: it has no debug information */
    const char *file;    /* NULL: unknown */
    int line;            /* 0: unknown */
};

/* Returns the frames of a thread, in scratch memory. Returns 0 with an error if its registers
 * cannot be read. */
size_t frames_make(const struct thread_reader *reader, struct frame **frames);

#endif
