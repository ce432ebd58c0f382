/* Addresses of exported functions (zeModuleGetFunctionPointer). The module's own code has
 * descriptors of the functions that it calls by pointer itself. For other functions, code is built
 * at the first call, linked with the module, and stored with it. See module_link.h. */
#include "driver/program/module_link.h"

#include "driver/program/link.h"

#include <stdlib.h>
#include <string.h>

/* Builds the function as a part of its own, unit 0, that uses the module, unit 1. */
static ze_result_t function_build(struct geo_link *link, struct geo_link_member *member,
                                  const char *name)
{
    struct geo_module_part *owner = geo_module_part(member->module);
    uint32_t number;
    GEO_ASSERT(geo_module_link_lock_held() && owner);
    member->part = &link->set->parts[0];
    GEO_CHECK(geo_module_code_part_init(member->part, member->module->binary));
    GEO_CHECK(geo_module_code_use(link->set, owner->code));
    GEO_CHECK(geo_module_link_unit(member, member->part, &number));
    GEO_CHECK(geo_module_link_unit(member, owner, &number));
    GEO_ASSERT(number == 1);
    GEO_CHECK(geo_module_link_build(link, member, name));
    return geo_module_link_bind(link, member);
}

static ze_result_t function_keep(struct geo_module *module, struct geo_module_code *code,
                                 const char *name, void **address)
{
    const struct geo_module_part *part = &code->parts[0];
    GEO_ASSERT(geo_module_link_lock_held() && part->native && part->program);
    const struct geo_native_symbol *symbol =
        geo_module_binary_symbol(part->native, 1u << GEO_SYMBOL_EXPORT_FUNCTION, name);
    struct geo_module_function *function = malloc(sizeof(*function) + strlen(name) + 1);
    if (!function) {
        return geo_module_link_no_memory();
    }
    if (!symbol ||
        code->ops->symbol(part->program, geo_native_string(&part->native->view, symbol->symbol),
                          &function->address) != ZE_RESULT_SUCCESS) {
        free(function);
        return geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME, "%.100s cannot be called by pointer",
                        name);
    }
    strcpy(function->name, name);
    function->code = geo_module_code_ref(code);
    function->next = module->functions;
    module->functions = function;
    *address = function->address;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t function_make(struct geo_module *module, const char *name, void **address)
{
    struct geo_strbuf log;
    struct geo_link link = {.log = &log};
    struct geo_link_member member = {.module = module};
    geo_strbuf_init(&log, 4096);
    log.shown = true;
    link.set = geo_module_code_create(module->base.driver->ops->program,
                                      module->device->backend_device, 1);
    ze_result_t result =
        link.set ? function_build(&link, &member, name) : geo_module_link_no_memory();
    if (result == ZE_RESULT_SUCCESS) {
        result = function_keep(module, link.set, name, address);
    } else if (result == ZE_RESULT_ERROR_MODULE_LINK_FAILURE) {
        result =
            geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                     "%.100s cannot be called by pointer: %.300s", name, geo_strbuf_text(&log));
    }
    geo_module_code_unref(link.set);
    free(member.units);
    geo_strbuf_finish(&log);
    return result;
}

ze_result_t geo_module_function(struct geo_module *module, const char *name, void **address)
{
    const struct geo_module_part *part = geo_module_part(module);
    GEO_ASSERT(part && part->native);
    const struct geo_native_view *view = &part->native->view;
    const struct geo_native_symbol *symbol =
        geo_module_binary_symbol(part->native, 1u << GEO_SYMBOL_EXPORT_FUNCTION, name);
    if (!symbol) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                        "the module exports no function \"%.100s\"%s", name,
                        geo_module_binary_hint(part->native, name));
    }
    const char *descriptor = geo_native_string(view, symbol->symbol);
    if (descriptor[0]) {
        return part->code->ops->symbol(part->program, descriptor, address) == ZE_RESULT_SUCCESS
                   ? ZE_RESULT_SUCCESS
                   : geo_fail(ZE_RESULT_ERROR_INVALID_FUNCTION_NAME,
                              "the module's binary has no address for function %.100s: "
                              "build the module again",
                              name);
    }
    geo_module_link_lock();
    const struct geo_module_function *known = module->functions;
    while (known && strcmp(known->name, name) != 0) {
        known = known->next;
    }
    ze_result_t result = ZE_RESULT_SUCCESS;
    if (known) {
        *address = known->address;
    } else {
        result = function_make(module, name, address);
    }
    geo_module_link_unlock();
    return result;
}
