/* Copies of kernels without a handle, which commands of mutable lists launch. See kernel.h. */
#include "driver/program/kernel.h"

#include "base/assert.h"

#include <string.h>

ze_result_t geo_kernel_copy(const struct geo_kernel *kernel, struct geo_kernel **out)
{
    const char *name = geo_native_string(&geo_kernel_binary(kernel)->view, kernel->native->name);
    GEO_CHECK(geo_kernel_create(kernel->module, name, out));
    geo_kernel_copy_assign(*out, kernel);
    return ZE_RESULT_SUCCESS;
}

static void images_assign(struct geo_kernel *kernel, struct geo_object *const *images)
{
    for (uint32_t i = 0; kernel->images && i < kernel->native->argument_count; i++) {
        GEO_ASSERT(kernel->arguments[i].kind == GEO_ARGUMENT_IMAGE || !kernel->images[i]);
        struct geo_object *old = kernel->images[i];
        kernel->images[i] = images ? images[i] : NULL;
        if (kernel->images[i]) {
            geo_object_ref(kernel->images[i]);
        }
        geo_object_unref(old);
    }
}

void geo_kernel_copy_assign(struct geo_kernel *kernel, const struct geo_kernel *from)
{
    const struct geo_native_kernel *native = kernel->native;
    GEO_ASSERT(native == from->native && kernel != from);
    memcpy(kernel->group_size, from->group_size, sizeof(kernel->group_size));
    memcpy(kernel->global_offset, from->global_offset, sizeof(kernel->global_offset));
    memcpy(kernel->local_bytes, from->local_bytes,
           native->argument_count * sizeof(*kernel->local_bytes));
    kernel->group_local_bytes = from->group_local_bytes;
    memcpy(kernel->block, from->block, native->argument_bytes);
    images_assign(kernel, from->images);
}

void geo_kernel_copy_clear(struct geo_kernel *kernel)
{
    const struct geo_native_kernel *native = kernel->native;
    memset(kernel->local_bytes, 0, native->argument_count * sizeof(*kernel->local_bytes));
    geo_kernel_measure_local(kernel);
    memset(kernel->block, 0, native->argument_bytes);
    images_assign(kernel, NULL);
}
