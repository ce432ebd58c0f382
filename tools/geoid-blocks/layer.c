/* The layer that counts blocks. It gives the program a module that counts in place of its own, so
 * that all kernels and function pointers come from that. Questions about the binary are answered
 * from the program's own module. */
#include "count.h"

#include <geoid/layer.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define PROFILE_OPTION " -zet-profile-flags 3" /* spare registers, and list the free ones */

/* A module that the program has, and the module that it asked for. */
struct pair {
    struct pair *next;
    ze_module_handle_t given, own;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects `pairs` */
static struct pair *pairs;

struct count_next count_next;

/* Returns the module that the program asked for. */
static ze_module_handle_t own_module(ze_module_handle_t given)
{
    pthread_mutex_lock(&lock);
    const struct pair *pair = pairs;
    while (pair && pair->given != given) {
        pair = pair->next;
    }
    ze_module_handle_t own = pair ? pair->own : given;
    pthread_mutex_unlock(&lock);
    return own;
}

/* Creates the program's module, with a profile if it is built from SPIR-V. */
static ze_result_t own_create(ze_context_handle_t context, ze_device_handle_t device,
                              const ze_module_desc_t *desc, ze_module_handle_t *module,
                              ze_module_build_log_handle_t *log)
{
    char *flags = NULL;
    if (!desc || desc->format != ZE_MODULE_FORMAT_IL_SPIRV ||
        asprintf(&flags, "%s" PROFILE_OPTION, desc->pBuildFlags ? desc->pBuildFlags : "") < 0) {
        return count_next.module.pfnCreate(context, device, desc, module, log);
    }
    ze_module_desc_t changed = *desc;
    changed.pBuildFlags = flags;
    const ze_result_t result = count_next.module.pfnCreate(context, device, &changed, module, log);
    free(flags);
    return result;
}

static ze_result_t ZE_APICALL module_create(ze_context_handle_t context, ze_device_handle_t device,
                                            const ze_module_desc_t *desc,
                                            ze_module_handle_t *module,
                                            ze_module_build_log_handle_t *log)
{
    const ze_result_t result = own_create(context, device, desc, module, log);
    struct pair *pair = result == ZE_RESULT_SUCCESS ? malloc(sizeof(*pair)) : NULL;
    ze_module_handle_t counted = pair ? count_module(context, device, *module) : NULL;
    if (!counted) {
        free(pair);
        return result;
    }
    *pair = (struct pair){.given = counted, .own = *module};
    pthread_mutex_lock(&lock);
    pair->next = pairs;
    pairs = pair;
    pthread_mutex_unlock(&lock);
    *module = counted;
    return result;
}

/* Destroys both modules. */
static ze_result_t ZE_APICALL module_destroy(ze_module_handle_t module)
{
    ze_module_handle_t own = NULL;
    pthread_mutex_lock(&lock);
    for (struct pair **link = &pairs; *link; link = &(*link)->next) {
        if ((*link)->given == module) {
            struct pair *pair = *link;
            own = pair->own;
            *link = pair->next;
            free(pair);
            break;
        }
    }
    pthread_mutex_unlock(&lock);
    if (own) {
        count_next.module.pfnDestroy(own);
    }
    return count_next.module.pfnDestroy(module);
}

static ze_result_t ZE_APICALL native_binary(ze_module_handle_t module, size_t *size,
                                            uint8_t *binary)
{
    return count_next.module.pfnGetNativeBinary(own_module(module), size, binary);
}

static ze_result_t ZE_APICALL debug_info(zet_module_handle_t module,
                                         zet_module_debug_info_format_t format, size_t *size,
                                         uint8_t *info)
{
    return count_next.zet_module.pfnGetDebugInfo(
        (zet_module_handle_t)own_module((ze_module_handle_t)module), format, size, info);
}

/* ---- tables: every version has the functions that are used here ---- */

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetModuleProcAddrTable(ze_api_version_t version,
                                                             ze_module_dditable_t *table)
{
    (void)version;
    count_next.module.pfnCreate = table->pfnCreate;
    count_next.module.pfnDestroy = table->pfnDestroy;
    count_next.module.pfnGetNativeBinary = table->pfnGetNativeBinary;
    count_next.module.pfnGetKernelNames = table->pfnGetKernelNames;
    table->pfnCreate = module_create;
    table->pfnDestroy = module_destroy;
    table->pfnGetNativeBinary = native_binary;
    return ZE_RESULT_SUCCESS;
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zeGetKernelProcAddrTable(ze_api_version_t version,
                                                             ze_kernel_dditable_t *table)
{
    (void)version;
    count_next.kernel.pfnCreate = table->pfnCreate;
    count_next.kernel.pfnDestroy = table->pfnDestroy;
    return ZE_RESULT_SUCCESS;
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zetGetModuleProcAddrTable(ze_api_version_t version,
                                                              zet_module_dditable_t *table)
{
    (void)version;
    count_next.zet_module.pfnGetDebugInfo = table->pfnGetDebugInfo;
    table->pfnGetDebugInfo = debug_info;
    return ZE_RESULT_SUCCESS;
}

ZE_DLLEXPORT ze_result_t ZE_APICALL zetGetKernelProcAddrTable(ze_api_version_t version,
                                                              zet_kernel_dditable_t *table)
{
    (void)version;
    count_next.zet_kernel.pfnGetProfileInfo = table->pfnGetProfileInfo;
    return ZE_RESULT_SUCCESS;
}

void geoidLayerEnd(void)
{
    count_report();
}
