/* Inside of linking, for the files that do it: link_resolve.c, link_build.c, module_link.c,
 * module_function.c. What is linked, its members, and the steps over them.
 *
 *     resolve  which part exports what each unlinked module imports: errors end here
 *     build    a member with the parts it needs, directly or through others
 *     bind     gives placed code the addresses of the others' variables
 */
#ifndef GEO_DRIVER_PROGRAM_LINK_H
#define GEO_DRIVER_PROGRAM_LINK_H

#include "driver/program/module.h"

/* One module of the set, each once. */
struct geo_link_member {
    struct geo_module *module;
    uint32_t place; /* in the caller's list */
    struct geo_module_part *part;
    bool pending;                   /* has to be linked: part is one of the new set's */
    struct geo_module_part **units; /* pending: what it is built with, itself first; owned */
    uint32_t unit_count;
};

struct geo_link {
    struct geo_link_member *members;
    uint32_t count, pending_count;
    struct geo_module_code *set;
    struct geo_strbuf *log;
    uint32_t errors;
};

/* One lock keeps links apart: two threads may link the same modules. */
void geo_link_lock(void);
void geo_link_unlock(void);

/* Adds "module 2 (kernel main)" to the log. */
void geo_link_print_member(struct geo_link *link, const struct geo_link_member *member);

/* Sets who exports what each pending member imports; MODULE_LINK_FAILURE names every import that
 * nobody or several define. */
GEO_MUST_CHECK ze_result_t geo_link_resolve(struct geo_link *link);

/* Compiles and places a member. `function`: an exported function of unit 1, to be called by
 * pointer, instead of the member's own sources; NULL: those. */
GEO_MUST_CHECK ze_result_t geo_link_build(struct geo_link *link, struct geo_link_member *member,
                                          const char *function);
/* Makes a part one of the units that the member is built with; its number. OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_link_unit(struct geo_link_member *member,
                                         struct geo_module_part *part, uint32_t *number);

/* Finishes what was placed; everything that it imports from is placed. */
GEO_MUST_CHECK ze_result_t geo_link_bind(struct geo_link *link,
                                         const struct geo_link_member *member);

static inline ze_result_t geo_link_no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to link modules");
}

#endif
