/* Links modules: collects them and runs the steps of link.h in order. All modules are loaded before
 * any is bound, because two may use each other's variables. See module_link.h. */
#include "driver/program/module_link.h"

#include "base/assert.h"
#include "driver/program/link.h"
#include "driver/program/module_ahead.h"
#include "driver/program/module_complete.h"
#include "driver/program/module_deferred.h"

#include <stdlib.h>

/* ---- the modules of a link ---- */

static ze_result_t members_collect(struct geo_link *link, uint32_t count,
                                   struct geo_module *const *modules)
{
    link->members = calloc(count, sizeof(*link->members));
    if (!link->members) {
        return geo_module_link_no_memory();
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t known = 0;
        while (known < link->count && link->members[known].module != modules[i]) {
            known++;
        }
        if (known < link->count) {
            continue;
        }
        if (modules[i]->device != modules[0]->device) {
            geo_strbuf_printf(link->log, "error: module %u is for another device than module 0\n",
                              i);
            return geo_fail(ZE_RESULT_ERROR_MODULE_LINK_FAILURE,
                            "the modules are for different devices");
        }
        struct geo_link_member *member = &link->members[link->count++];
        *member = (struct geo_link_member){
            .module = modules[i], .place = i, .part = geo_module_part(modules[i])};
        member->pending = member->part == NULL;
        link->pending_count += member->pending;
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t set_create(struct geo_link *link)
{
    const struct geo_module *first = link->members[0].module;
    uint32_t next = 0;
    GEO_ASSERT(geo_module_link_lock_held() && !link->set && link->pending_count > 0);
    GEO_ASSERT(link->pending_count <= link->count);
    link->set = geo_module_code_create(first->base.driver->ops->program,
                                       first->device->backend_device, link->pending_count);
    if (!link->set) {
        return geo_module_link_no_memory();
    }
    for (uint32_t i = 0; i < link->count; i++) {
        struct geo_link_member *member = &link->members[i];
        if (member->pending) {
            GEO_ASSERT(next < link->pending_count);
            member->part = &link->set->parts[next++];
            GEO_CHECK(geo_module_code_part_init(member->part, member->module->binary));
        }
    }
    GEO_ASSERT(next == link->pending_count);
    return ZE_RESULT_SUCCESS;
}

/* ---- steps ---- */

static ze_result_t pending_build(struct geo_link *link, struct geo_link_member *member)
{
    uint32_t own;
    GEO_CHECK(geo_module_link_unit(member, member->part, &own));
    GEO_ASSERT(own == 0);
    return geo_module_link_build(link, member, NULL);
}

/* Completes a member that was built, except for making its code known. */
static ze_result_t pending_bind(struct geo_link *link, const struct geo_link_member *member)
{
    GEO_CHECK(geo_module_link_bind(link, member));
    GEO_ASSERT(!geo_module_binary_restricts(member->part->native));
    if (!geo_module_binary_defers(member->part->native)) {
        return ZE_RESULT_SUCCESS;
    }
    GEO_CHECK(geo_module_complete_create(member->module));
    return geo_module_deferred_create(member->module, member->part->native);
}

static ze_result_t link_run(struct geo_link *link)
{
    GEO_CHECK(set_create(link));
    GEO_CHECK(geo_module_link_resolve(link));
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->members[i].pending) {
            GEO_CHECK(pending_build(link, &link->members[i]));
        }
    }
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->members[i].pending) {
            GEO_CHECK(pending_bind(link, &link->members[i]));
        }
    }
    for (uint32_t i = 0; i < link->count; i++) {
        if (link->members[i].pending) {
            geo_module_set_part(link->members[i].module, link->members[i].part);
            geo_module_ahead_begin(link->members[i].module);
        }
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_module_link(uint32_t count, struct geo_module *const *modules,
                            struct geo_strbuf *log)
{
    struct geo_link link = {.log = log};
    geo_module_link_lock();
    ze_result_t result = members_collect(&link, count, modules);
    if (result == ZE_RESULT_SUCCESS && link.pending_count) {
        result = link_run(&link);
    }
    geo_module_link_unlock();
    geo_module_code_unref(link.set); /* after success the modules reference it */
    for (uint32_t i = 0; i < link.count; i++) {
        free(link.members[i].units);
    }
    free(link.members);
    return result;
}
