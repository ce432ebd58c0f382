/* Structures made of scenes, with guards around all memory that the builder was given. */
#ifndef TESTS_UNIT_RTAS_MADE_H
#define TESTS_UNIT_RTAS_MADE_H

#include "scene.h"

#include "rtas/build.h"

enum made_quality {
    LOW = ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_LOW,
    MEDIUM = ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_MEDIUM,
    HIGH = ZE_RTAS_BUILDER_BUILD_QUALITY_HINT_EXT_HIGH,
};

enum made_flags {
    COMPACT = ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_COMPACT,
    WHOLE = ZE_RTAS_BUILDER_BUILD_OP_EXT_FLAG_NO_DUPLICATE_ANYHIT_INVOCATION,
};

struct made {
    void *structure; /* aligned; owned */
    size_t bytes;    /* that it takes, or would */
    bool too_small;
    ze_rtas_aabb_ext_t bounds;
    struct geo_rtas_plan plan;
    void *scratch;
};

struct geo_rtas_input made_input(const struct scene *scene, enum made_quality quality,
                                 uint32_t flags);

/* Builds with `threads` threads in a buffer of `room` bytes; 0: of the most that it can take. Fails
 * the test when anything was written beyond what it may. */
struct made made_build(const struct scene *scene, enum made_quality quality, uint32_t flags,
                       uint32_t threads, size_t room);
void made_free(struct made *made);

#endif
