/* Runs kernels of nvptx64 modules on the CPU, as an NVIDIA GPU would: one work-item is a thread.
 *
 * Work-items run in random order, a few instructions at a time, and groups overlap. The seed of a
 * launch determines the order. A barrier waits for all work-items of the group that have not ended.
 * Work-items with neighbouring linear ids form sub-groups of 32 lanes, for shuffles and votes.
 *
 * Each address space is a memory of its own. An access that leaves an object, is misaligned or goes
 * to the wrong space ends the launch with an error, as do a division by zero, an unknown
 * instruction, a barrier in divergent flow that must not be there, and a launch that cannot go on.
 *
 * Values that LLVM leaves undefined (poison, undef) have a fixed unusual value. So a result that
 * depends on one is wrong, and not right by accident. */
#ifndef GEO_TESTS_SIMT_H
#define GEO_TESTS_SIMT_H

#include <llvm-c/Core.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct simt;

/* The number of lanes of a sub-group. */
#define SIMT_LANES 32u
/* Bytes of an error text. */
#define SIMT_TEXT 1024u

/* Translates all functions of a module, which must outlive the result. Returns NULL with the reason
 * in `text` if the module has something that no kernel may use here. */
struct simt *simt_create(LLVMModuleRef module, char text[SIMT_TEXT]);
void simt_destroy(struct simt *simt);

/* Makes memory of the caller accessible to kernels as one object of the global space. Its address
 * is aligned to exactly `align` bytes, or to 4 GiB if that is 0. */
uint64_t simt_buffer_add(struct simt *simt, void *memory, size_t bytes, size_t align);
/* Removes all buffers. */
void simt_buffers_clear(struct simt *simt);

/* The bytes of one kernel argument, as its parameter has them in memory. */
struct simt_argument {
    const void *bytes;
    size_t size;
};

struct simt_launch {
    const char *kernel; /* name of the function */
    uint32_t groups[3], local[3];
    const struct simt_argument *arguments;
    uint32_t argument_count;
    uint64_t shared_bytes; /* of the shared space behind the module's own variables */
    uint64_t seed;
    uint64_t step_limit; /* instructions of all work-items together; 0: no limit */
};

/* Runs one launch. Returns false with the reason in `text`; buffers then hold what was written up
 * to the error. */
bool simt_run(struct simt *simt, const struct simt_launch *launch, char text[SIMT_TEXT]);
/* Returns the number of instructions that all launches have executed. */
uint64_t simt_steps(const struct simt *simt);

#endif
