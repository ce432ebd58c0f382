/* Kernel objects: creation, group size, arguments. See kernel.h. */
#include "driver/program/kernel.h"

#include "base/log.h"
#include "driver/image/image.h"
#include "driver/image/sampler.h"
#include "driver/program/module_deferred.h"

#include <stdlib.h>
#include <string.h>

/* Returns whether the kernel's tables are those of the binary of its module, and every argument is
 * inside the block. */
static bool kernel_is_valid(const struct geo_kernel *kernel)
{
    const struct geo_native_view *view = &geo_kernel_binary(kernel)->view;
    const struct geo_native_kernel *native = kernel->native;
    if (native < view->kernels || native >= view->kernels + view->header->kernel_count ||
        kernel->arguments != &view->arguments[native->first_argument]) {
        return false;
    }
    for (uint32_t i = 0; i < native->argument_count; i++) {
        const struct geo_native_argument *argument = &kernel->arguments[i];
        const bool image = argument->kind == GEO_ARGUMENT_IMAGE;
        if (argument->size > native->argument_bytes ||
            argument->offset > native->argument_bytes - argument->size ||
            (image && !kernel->images) || (!image && kernel->images && kernel->images[i]) ||
            (argument->kind != GEO_ARGUMENT_LOCAL && kernel->local_bytes[i] != 0)) {
            return false;
        }
    }
    return kernel->block && kernel->local_bytes && kernel->backend &&
           kernel->record_bytes >= native->argument_bytes;
}

static void kernel_destroy(struct geo_object *object)
{
    struct geo_kernel *kernel = (struct geo_kernel *)object;
    for (uint32_t i = 0; kernel->images && i < kernel->native->argument_count; i++) {
        geo_object_unref(kernel->images[i]);
    }
    free(kernel->images);
    free(kernel->local_bytes);
    free(kernel->block);
    geo_object_unref(&kernel->module->base);
    free(kernel);
}

/* Returns the largest extent of a group in this dimension. */
static uint32_t axis_limit(const struct geo_kernel *kernel, int dimension)
{
    const uint32_t own = kernel->native->max_size[dimension];
    const uint32_t device = kernel->module->device->info->max_group_size[dimension];
    return own && own < device ? own : device;
}

/* Sets the default group size (KRN-3): the required size, or else the hint, or else one sub-group
 * along x. */
static void default_group_size(struct geo_kernel *kernel)
{
    const struct geo_native_kernel *native = kernel->native;
    const uint32_t *size = native->required_size[0] ? native->required_size : native->size_hint;
    if (size[0] &&
        geo_kernel_set_group_size(kernel, size[0], size[1], size[2]) == ZE_RESULT_SUCCESS) {
        return;
    }
    const uint32_t items = geo_kernel_max_items(kernel), axis = axis_limit(kernel, 0);
    const uint32_t limit = items < axis ? items : axis;
    kernel->group_size[0] = native->subgroup_size < limit ? native->subgroup_size : limit;
    kernel->group_size[1] = kernel->group_size[2] = 1;
}

/* Rejects a kernel that no launch could ever run when it is created, not when it is launched. */
static ze_result_t kernel_check_device(const struct geo_kernel *kernel)
{
    const struct geo_native_kernel *native = kernel->native;
    const struct geo_device_info *info = kernel->module->device->info;
    if (kernel->group_local_bytes > info->max_local_bytes) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY,
                        "the kernel needs %llu bytes of local memory: the device has %u",
                        (unsigned long long)kernel->group_local_bytes, info->max_local_bytes);
    }
    const uint32_t *size = native->required_size;
    bool possible = true;
    for (int i = 0; i < 3; i++) {
        possible = possible && size[i] > 0 && size[i] <= info->max_group_size[i];
    }
    if (size[0] && (!possible || (uint64_t)size[0] * size[1] > info->max_group_items ||
                    (uint64_t)size[0] * size[1] * size[2] > info->max_group_items)) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_FEATURE,
                        "the kernel requires groups of %ux%ux%u, which the device does not support",
                        size[0], size[1], size[2]);
    }
    return ZE_RESULT_SUCCESS;
}

static bool takes_images(const struct geo_kernel *kernel)
{
    for (uint32_t i = 0; i < kernel->native->argument_count; i++) {
        if (kernel->arguments[i].kind == GEO_ARGUMENT_IMAGE) {
            return true;
        }
    }
    return false;
}

static ze_result_t kernel_fill(struct geo_kernel *kernel, const char *name)
{
    struct geo_module *module = kernel->module;
    struct geo_module_part *part = geo_module_part(module);
    uint32_t number;
    if (!geo_module_binary_kernel(part->native, name, &kernel->index)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_NAME,
                        "the module has no kernel \"%.100s\"%s", name,
                        geo_module_binary_hint(part->native, name));
    }
    GEO_CHECK(geo_module_deferred_load(module, kernel->index, &part, &number));
    kernel->part = part;
    kernel->native = &part->native->view.kernels[number];
    kernel->arguments = &part->native->view.arguments[kernel->native->first_argument];
    kernel->ops = module->base.driver->ops->program;
    kernel->backend = kernel->ops->kernel(part->program, number);
    kernel->restricted = kernel->native->flags & GEO_KERNEL_RESTRICTED;
    kernel->record_bytes = kernel->ops->argument_bytes(kernel->backend);
    uint32_t count = kernel->native->argument_count;
    kernel->local_bytes = calloc(count ? count : 1, sizeof(uint64_t));
    kernel->block = calloc(1, kernel->native->argument_bytes ? kernel->native->argument_bytes : 1);
    bool images = takes_images(kernel);
    kernel->images = images ? calloc(count, sizeof(struct geo_object *)) : NULL;
    if (!kernel->local_bytes || !kernel->block || (images && !kernel->images)) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a kernel");
    }
    geo_kernel_measure_local(kernel);
    GEO_CHECK(kernel_check_device(kernel));
    default_group_size(kernel);
    GEO_ASSERT(kernel_is_valid(kernel));
    GEO_ASSERT(geo_kernel_allows_group_size(kernel, kernel->group_size));
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_kernel_create(struct geo_module *module, const char *name, struct geo_kernel **out)
{
    GEO_CHECK(geo_module_check_linked(module));
    struct geo_kernel *kernel = calloc(1, sizeof(*kernel));
    if (!kernel) {
        return geo_fail(ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "no memory for a kernel");
    }
    geo_object_init(&kernel->base, GEO_OBJECT_KERNEL, module->base.driver, kernel_destroy);
    geo_object_ref(&module->base);
    kernel->module = module;
    ze_result_t result = kernel_fill(kernel, name);
    if (result != ZE_RESULT_SUCCESS) {
        geo_object_close(&kernel->base);
        return result;
    }
    *out = kernel;
    return ZE_RESULT_SUCCESS;
}

/* ---- group size ---- */

uint32_t geo_kernel_max_items(const struct geo_kernel *kernel)
{
    const uint32_t *required = kernel->native->required_size;
    const struct geo_device_info *info = kernel->module->device->info;
    if (required[0]) {
        return required[0] * required[1] * required[2];
    }
    uint64_t limit = info->max_group_items;
    const uint32_t *most = kernel->native->max_size;
    uint64_t product = (uint64_t)most[0] * (most[1] ? most[1] : 1);
    if (product && product <= UINT32_MAX && product * (most[2] ? most[2] : 1) < limit) {
        limit = product * (most[2] ? most[2] : 1);
    }
    return (uint32_t)limit;
}

static bool axes_allowed(const struct geo_kernel *kernel, const uint32_t size[3])
{
    const struct geo_native_kernel *native = kernel->native;
    for (int i = 0; i < 3; i++) {
        bool allowed = size[i] > 0 && size[i] <= axis_limit(kernel, i) &&
                       (!native->required_size[0] || size[i] == native->required_size[i]);
        if (!allowed) {
            return false;
        }
    }
    return true;
}

static bool items_allowed(const struct geo_kernel *kernel, const uint32_t size[3])
{
    uint64_t plane = (uint64_t)size[0] * size[1], most = geo_kernel_max_items(kernel);
    return plane <= most && plane * size[2] <= most;
}

bool geo_kernel_allows_group_size(const struct geo_kernel *kernel, const uint32_t size[3])
{
    return axes_allowed(kernel, size) && items_allowed(kernel, size);
}

ze_result_t geo_kernel_set_group_size(struct geo_kernel *kernel, uint32_t x, uint32_t y, uint32_t z)
{
    const uint32_t size[3] = {x, y, z};
    if (!axes_allowed(kernel, size)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                        "a group size of %ux%ux%u exceeds the limits of the kernel or the device",
                        x, y, z);
    }
    if (!items_allowed(kernel, size)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION,
                        "a group size of %ux%ux%u exceeds the limit of %u items", x, y, z,
                        geo_kernel_max_items(kernel));
    }
    memcpy(kernel->group_size, size, sizeof(size));
    return ZE_RESULT_SUCCESS;
}

/* Returns the largest divisor of n that is at most `limit`, preferably a multiple of `multiple`. */
static uint32_t divisor_choose(uint32_t n, uint32_t limit, uint32_t multiple)
{
    uint32_t any = 1;
    GEO_ASSERT(limit > 0 && multiple > 0);
    for (uint32_t d = limit < n ? limit : n; d >= 1; d--) {
        if (n % d == 0) {
            if (d % multiple == 0) {
                return d;
            }
            any = any > d ? any : d;
        }
    }
    return any;
}

void geo_kernel_suggest_group_size(const struct geo_kernel *kernel, const uint32_t global[3],
                                   uint32_t group[3])
{
    const struct geo_native_kernel *native = kernel->native;
    if (native->required_size[0]) {
        memcpy(group, native->required_size, 3 * sizeof(uint32_t));
        return;
    }
    uint32_t left = geo_kernel_max_items(kernel);
    if (left > 256) {
        /* enough items to hide the cost of a group, few enough to spread groups over cores */
        left = 256;
    }
    for (int i = 0; i < 3; i++) {
        const uint32_t axis = axis_limit(kernel, i);
        uint32_t limit = left < axis ? left : axis;
        group[i] = divisor_choose(global[i], limit ? limit : 1, i ? 1 : native->preferred_multiple);
        GEO_ASSERT(group[i] > 0 && group[i] <= (limit ? limit : 1));
        left /= group[i];
    }
}

/* ---- arguments ---- */

uint32_t geo_kernel_argument_count(const struct geo_kernel *kernel)
{
    return kernel->native->argument_count;
}

size_t geo_kernel_argument_size(const struct geo_kernel *kernel, uint32_t index)
{
    GEO_ASSERT(index < kernel->native->argument_count);
    const struct geo_native_argument *argument = &kernel->arguments[index];
    return argument->kind == GEO_ARGUMENT_LOCAL ? 0 : argument->size;
}

static ze_result_t argument_set_local(struct geo_kernel *kernel, uint32_t index, size_t bytes,
                                      const void *value)
{
    if (value) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "argument %u is local memory: it has a size but no value", index);
    }
    if (bytes == 0 || bytes > kernel->module->device->info->max_local_bytes) {
        return geo_fail(
            ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
            "argument %u: the size must be 1 to %u, the local memory of the device, not %zu", index,
            kernel->module->device->info->max_local_bytes, bytes);
    }
    kernel->local_bytes[index] = bytes;
    geo_kernel_measure_local(kernel);
    return ZE_RESULT_SUCCESS;
}

/* Checks that the image's format and flags allow what the kernel does with it (IMG-6). */
static ze_result_t image_check(const struct geo_kernel *kernel, uint32_t index,
                               const struct geo_image *image)
{
    const struct geo_native_argument *argument = &kernel->arguments[index];
    bool reads = !(argument->flags & GEO_ARGUMENT_WRITE_ONLY);
    bool writes = !(argument->flags & GEO_ARGUMENT_READ_ONLY);
    if (!geo_device_covers(image->device, kernel->module->device)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "argument %u: the image belongs to another device", index);
    }
    if (argument->image && argument->image - 1 != (uint32_t)image->desc.type) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "argument %u: the image has ze_image_type_t %u, but the kernel expects %u",
                        index, (unsigned)image->desc.type, argument->image - 1);
    }
    const bool no_read = reads && !image->info.kernels_read;
    const bool no_write = writes && !image->info.kernels_write;
    if (no_read || no_write) {
        return geo_fail(ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT,
                        "argument %u: kernels cannot %s images of layout %u, type %u", index,
                        !no_write  ? "read"
                        : !no_read ? "write"
                                   : "read and write",
                        (unsigned)image->desc.format.layout, (unsigned)image->desc.format.type);
    }
    if (writes && !(image->desc.flags & ZE_IMAGE_FLAG_KERNEL_WRITE)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "argument %u: the kernel writes an image that was created without "
                        "ZE_IMAGE_FLAG_KERNEL_WRITE",
                        index);
    }
    return ZE_RESULT_SUCCESS;
}

static ze_result_t image_resolve(struct geo_kernel *kernel, uint32_t index, const void *value,
                                 uint64_t *number)
{
    ze_image_handle_t handle;
    struct geo_image *image;
    memcpy(&handle, value, sizeof(handle));
    GEO_CHECK(geo_image_from(handle, &image));
    GEO_CHECK(image_check(kernel, index, image));
    GEO_ASSERT(kernel->images);
    geo_object_ref(&image->base);
    geo_object_unref(kernel->images[index]);
    kernel->images[index] = &image->base;
    *number = geo_image_argument(image);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t sampler_resolve(const struct geo_kernel *kernel, uint32_t index,
                                   const void *value, uint64_t *number)
{
    ze_sampler_handle_t handle;
    struct geo_sampler *sampler;
    memcpy(&handle, value, sizeof(handle));
    GEO_CHECK(geo_sampler_from(handle, &sampler));
    if (!geo_device_covers(sampler->device, kernel->module->device)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "argument %u: the sampler belongs to another device", index);
    }
    *number = geo_sampler_argument(sampler);
    return ZE_RESULT_SUCCESS;
}

static ze_result_t argument_set_handle(struct geo_kernel *kernel, uint32_t index, size_t bytes,
                                       const void *value)
{
    const struct geo_native_argument *argument = &kernel->arguments[index];
    uint64_t number = 0;
    if (!value) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_ARGUMENT,
                        "argument %u is an image or sampler: it cannot be null", index);
    }
    if (bytes != sizeof(ze_image_handle_t)) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                        "argument %u is a handle of %zu bytes: the given size is %zu", index,
                        sizeof(ze_image_handle_t), bytes);
    }
    GEO_CHECK(argument->kind == GEO_ARGUMENT_IMAGE
                  ? image_resolve(kernel, index, value, &number)
                  : sampler_resolve(kernel, index, value, &number));
    GEO_ASSERT(argument->size == sizeof(number) && kernel_is_valid(kernel));
    memcpy(kernel->block + argument->offset, &number, sizeof(number));
    return ZE_RESULT_SUCCESS;
}

/* Sets an argument from a value shorter than its parameter. Programs pass an int for a size_t, and
 * devices in the field accept it. So a single number is extended with zeros; composite values and
 * addresses are rejected. */
static ze_result_t argument_set_short(const struct geo_native_argument *argument, uint32_t index,
                                      size_t bytes, const void *value, uint8_t *place)
{
    GEO_ASSERT(bytes < argument->size && value);
    bool number = argument->kind == GEO_ARGUMENT_VALUE && argument->size <= sizeof(uint64_t) &&
                  argument->size == argument->align;
    if (!number || bytes == 0) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_SIZE,
                        "argument %u has %u bytes: the given size is %zu", index, argument->size,
                        bytes);
    }
    geo_log("driver", GEO_LOG_WARN, "argument %u has %u bytes, not %zu: extended with zeros", index,
            argument->size, bytes);
    memset(place, 0, argument->size);
    memcpy(place, value, bytes);
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_kernel_set_argument(struct geo_kernel *kernel, uint32_t index, size_t bytes,
                                    const void *value)
{
    if (index >= kernel->native->argument_count) {
        return geo_fail(ZE_RESULT_ERROR_INVALID_KERNEL_ARGUMENT_INDEX,
                        "argument %u is out of range: the kernel has %u arguments", index,
                        kernel->native->argument_count);
    }
    const struct geo_native_argument *argument = &kernel->arguments[index];
    if (argument->kind == GEO_ARGUMENT_LOCAL) {
        return argument_set_local(kernel, index, bytes, value);
    }
    if (argument->kind == GEO_ARGUMENT_IMAGE || argument->kind == GEO_ARGUMENT_SAMPLER) {
        return argument_set_handle(kernel, index, bytes, value);
    }
    uint8_t *place = kernel->block + argument->offset;
    if (!value) { /* a null argument, whatever its size (KRN-5) */
        memset(place, 0, argument->size);
        return ZE_RESULT_SUCCESS;
    }
    if (bytes >= argument->size) { /* only the low bytes of a longer value count */
        memcpy(place, value, argument->size);
        return ZE_RESULT_SUCCESS;
    }
    return argument_set_short(argument, index, bytes, value, place);
}

uint32_t geo_kernel_list_allocations(const struct geo_kernel *kernel, uint32_t count,
                                     ze_kernel_allocation_exp_properties_t *out)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < kernel->native->argument_count; i++) {
        const struct geo_native_argument *argument = &kernel->arguments[i];
        struct geo_memory_info info;
        void *pointer = NULL;
        if (argument->kind == GEO_ARGUMENT_GLOBAL) {
            memcpy(&pointer, kernel->block + argument->offset, sizeof(pointer));
        }
        if (!pointer || !geo_memory_find(pointer, &info)) {
            continue;
        }
        if (found < count) {
            out[found].base = info.base;
            out[found].size = info.bytes;
            out[found].type = info.type;
            out[found].argIndex = i;
        }
        found++;
    }
    return found;
}
