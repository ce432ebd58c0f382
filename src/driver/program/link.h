/* Internal interface of linking, for the files that resolve, build and bind modules (link_*.c,
 * module_link.c, module_function.c, module_kernels.c, module_complete.c): the modules of a link and
 * the steps over them.
 *
 *     resolve  find which part exports what each unlinked module imports; errors end here
 *     build    compile a member with the parts it needs, directly or indirectly
 *     bind     give loaded code the addresses of variables in other parts */
#ifndef GEO_DRIVER_PROGRAM_LINK_H
#define GEO_DRIVER_PROGRAM_LINK_H

#include "driver/program/module.h"
#include "driver/program/module_kernels.h"

/* A module of the link; each module appears once. */
struct geo_link_member {
    struct geo_module *module;
    uint32_t place; /* index in the caller's list */
    struct geo_module_part *part;
    bool pending;                   /* has to be linked; `part` is in the new set then */
    struct geo_module_part **units; /* pending: parts that it is built with, itself first; owned */
    uint32_t unit_count;
};

/* A link in progress; on the stack of its function. */
struct geo_link {
    struct geo_link_member *members;
    uint32_t count, pending_count;
    struct geo_module_code *set;
    struct geo_strbuf *log;
    uint32_t errors;
};

/* Serialise links: two threads may link the same modules. */
void geo_module_link_lock(void);
void geo_module_link_unlock(void);
/* Returns whether a thread holds the lock. For assertions. */
bool geo_module_link_lock_held(void);

/* Adds "module 2 (kernel main)" to the log. */
void geo_module_link_print_member(struct geo_link *link, const struct geo_link_member *member);

/* Finds the exporters of each pending member's imports. Returns MODULE_LINK_FAILURE and logs every
 * import that no module, or several modules, define. */
GEO_MUST_CHECK ze_result_t geo_module_link_resolve(struct geo_link *link);

/* Compiles and loads a member. With `function`, it compiles an exported function of unit 1, to be
 * called by pointer, instead of the member's own sources. */
GEO_MUST_CHECK ze_result_t geo_module_link_build(struct geo_link *link,
                                                 struct geo_link_member *member,
                                                 const char *function);
/* Compiles a linked module again: only these kernels, or without names all of them. For named
 * kernels, the module's own part, with its variables, becomes one more unit behind the last. Needs
 * no lock. Returns the errors of geo_build_make. */
GEO_MUST_CHECK ze_result_t geo_module_link_build_again(
    struct geo_link *link, struct geo_link_member *member, enum geo_module_kernels_code code,
    uint32_t kernel_count, const char *const *kernel_names, struct geo_module_binary **native);
/* Adds a part to the units with which the member is built, unless it is there, and returns its
 * number. Returns OUT_OF_HOST_MEMORY. */
GEO_MUST_CHECK ze_result_t geo_module_link_unit(struct geo_link_member *member,
                                                struct geo_module_part *part, uint32_t *number);

/* Binds the imported variables of a loaded member. All parts from which it imports are loaded. */
GEO_MUST_CHECK ze_result_t geo_module_link_bind(struct geo_link *link,
                                                const struct geo_link_member *member);

static inline ze_result_t geo_module_link_no_memory(void)
{
    return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory to link modules");
}

#endif
