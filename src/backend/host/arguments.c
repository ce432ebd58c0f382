/* Writes the arguments of kernels into launch records. See arguments.h. */
#include "backend/host/arguments.h"

#include "base/assert.h"

#include <stdlib.h>

bool geo_host_arguments_init(struct geo_host_arguments *arguments,
                             const struct geo_native_view *view,
                             const struct geo_native_kernel *kernel, uint64_t variable_bytes)
{
    const struct geo_native_argument *all = &view->arguments[kernel->first_argument];
    uint32_t locals = 0;
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        locals += all[i].kind == GEO_ARGUMENT_LOCAL;
    }
    *arguments = (struct geo_host_arguments){
        .bytes = kernel->argument_bytes,
        .variable_bytes = geo_host_arguments_round(variable_bytes),
    };
    if (locals == 0) {
        return true;
    }
    arguments->locals = calloc(locals, sizeof(*arguments->locals));
    if (!arguments->locals) {
        return false;
    }
    for (uint32_t i = 0; i < kernel->argument_count; i++) {
        if (all[i].kind == GEO_ARGUMENT_LOCAL) {
            arguments->locals[arguments->local_count++] =
                (struct geo_host_local){.index = i, .offset = all[i].offset};
        }
    }
    GEO_ASSERT(arguments->local_count == locals);
    return true;
}

void geo_host_arguments_finish(struct geo_host_arguments *arguments)
{
    free(arguments->locals);
    *arguments = (struct geo_host_arguments){0};
}

uint64_t geo_host_arguments_local(const struct geo_host_arguments *arguments, const uint64_t *sizes)
{
    uint64_t total = arguments->variable_bytes; /* cannot overflow: the driver bounds each size */
    for (uint32_t i = 0; i < arguments->local_count; i++) {
        total += geo_host_arguments_round(sizes[arguments->locals[i].index]);
    }
    return total;
}
