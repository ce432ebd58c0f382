/* Images: linear memory that the host can see too, and an image of Level Zero in it
 * (ze_image_pitched_exp_desc_t). So an image is mapped in place, and copies are copies of boxes. */
#include "opencl/image.h"

#include "opencl/image_format.h"
#include "opencl/info.h"
#include "opencl/result.h"

#include <string.h>

bool geo_ocl_image_is(cl_mem image)
{
    return geo_ocl_memory_is(image) && image->type != CL_MEM_OBJECT_BUFFER;
}

/* The second coordinate of a 1D array counts its slices. */
static struct geo_ocl_box box_of(const struct _cl_mem *image, char *base, size_t row, size_t slice,
                                 const size_t origin[3])
{
    bool is_row_array = image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY;
    struct geo_ocl_box box = {base, is_row_array ? slice : row, slice ? slice : image->bytes};
    box.pointer += origin[0] * image->element_bytes + origin[1] * box.row + origin[2] * box.slice;
    return box;
}

struct geo_ocl_box geo_ocl_image_box(const struct _cl_mem *image, const size_t origin[3])
{
    return box_of(image, image->pointer, image->desc.image_row_pitch, image->desc.image_slice_pitch,
                  origin);
}

struct geo_ocl_box geo_ocl_image_host_box(const struct _cl_mem *image, const size_t origin[3])
{
    return box_of(image, image->host, image->host_row, image->host_slice, origin);
}

/* Writes the extents of the three coordinates. */
static void extents(const struct _cl_mem *image, size_t out[3])
{
    const cl_image_desc *desc = &image->desc;
    out[0] = desc->image_width;
    out[1] = out[2] = 1;
    switch (image->type) {
    case CL_MEM_OBJECT_IMAGE1D_ARRAY:
        out[1] = desc->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE2D_ARRAY:
        out[1] = desc->image_height;
        out[2] = desc->image_array_size;
        break;
    case CL_MEM_OBJECT_IMAGE3D:
        out[2] = desc->image_depth;
        out[1] = desc->image_height;
        break;
    case CL_MEM_OBJECT_IMAGE2D:
        out[1] = desc->image_height;
        break;
    default:
        break;
    }
}

bool geo_ocl_image_contains(const struct _cl_mem *image, const size_t *origin, const size_t *region)
{
    size_t most[3];
    if (!origin || !region) {
        return false;
    }
    extents(image, most);
    for (int i = 0; i < 3; i++) {
        if (region[i] == 0 || origin[i] > most[i] || region[i] > most[i] - origin[i]) {
            return false;
        }
    }
    return true;
}

/* Returns whether devices can use the application's memory as it is. */
static bool is_used_in_place(cl_context context, const struct _cl_mem *image,
                             const void *host_pointer)
{
    size_t align = context->devices[0]->image_pitch_align;
    return (image->flags & CL_MEM_USE_HOST_PTR) && context->uses_system_memory &&
           (uintptr_t)host_pointer % align == 0 && image->host_row % align == 0 &&
           image->host_slice % align == 0;
}

/* Checks the descriptor, and completes its pitches. */
static cl_int desc_check(cl_context context, const cl_image_desc *desc, const void *host_pointer,
                         struct _cl_mem *image)
{
    const ze_device_image_properties_t *limits = &context->devices[0]->image;
    bool is_array = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                    desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    bool is_deep = desc->image_type == CL_MEM_OBJECT_IMAGE3D;
    bool is_buffer = desc->image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    size_t size[3];
    if (desc->image_type == CL_MEM_OBJECT_IMAGE2D && desc->mem_object) {
        return CL_INVALID_OPERATION; /* no 2D images in buffers */
    }
    if (desc->image_type < CL_MEM_OBJECT_IMAGE2D ||
        desc->image_type > CL_MEM_OBJECT_IMAGE1D_BUFFER || desc->num_mip_levels ||
        desc->num_samples || (desc->mem_object != NULL) != is_buffer ||
        (!host_pointer && !is_buffer && (desc->image_row_pitch || desc->image_slice_pitch))) {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    image->desc = *desc;
    extents(image, size);
    size_t most = is_deep     ? limits->maxImageDims3D
                  : is_buffer ? limits->maxImageBufferSize
                              : limits->maxImageDims2D;
    if (size[0] == 0 || size[1] == 0 || size[2] == 0) {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    if (size[0] > most || (!is_array && (size[1] > most || size[2] > most)) ||
        (desc->image_type == CL_MEM_OBJECT_IMAGE2D_ARRAY && size[1] > most) ||
        (is_array && desc->image_array_size > limits->maxImageArraySlices)) {
        return CL_INVALID_IMAGE_SIZE;
    }
    size_t row = size[0] * image->element_bytes;
    size_t lines = desc->image_type == CL_MEM_OBJECT_IMAGE1D_ARRAY ? 1 : size[1];
    if ((desc->image_row_pitch &&
         (desc->image_row_pitch < row || desc->image_row_pitch % image->element_bytes))) {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    const size_t align = is_buffer ? 1 : context->devices[0]->image_pitch_align;
    bool has_slices = is_array || is_deep;
    image->host_row = desc->image_row_pitch ? desc->image_row_pitch : row;
    image->host_slice = desc->image_slice_pitch ? desc->image_slice_pitch : image->host_row * lines;
    if (has_slices &&
        (image->host_slice < image->host_row * lines || image->host_slice % image->host_row)) {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    image->desc.image_row_pitch = (row + align - 1) / align * align;
    image->desc.image_slice_pitch = has_slices ? image->desc.image_row_pitch * lines : 0;
    image->host_slice = has_slices ? image->host_slice : 0;
    if (is_used_in_place(context, image, host_pointer)) {
        image->desc.image_row_pitch = image->host_row;
        image->desc.image_slice_pitch = image->host_slice;
    }
    image->bytes =
        has_slices ? image->desc.image_slice_pitch * (is_deep ? size[2] : desc->image_array_size)
                   : image->desc.image_row_pitch * size[1];
    return CL_SUCCESS;
}

/* Creates the image of Level Zero in the object's memory. */
static cl_int handle_create(struct _cl_mem *image, const ze_image_format_t *format)
{
    static const ze_image_type_t types[] = {
        [0] = ZE_IMAGE_TYPE_2D, /* CL_MEM_OBJECT_IMAGE2D */
        [CL_MEM_OBJECT_IMAGE3D - CL_MEM_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_3D,
        [CL_MEM_OBJECT_IMAGE2D_ARRAY - CL_MEM_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_2DARRAY,
        [CL_MEM_OBJECT_IMAGE1D - CL_MEM_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_1D,
        [CL_MEM_OBJECT_IMAGE1D_ARRAY - CL_MEM_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_1DARRAY,
        [CL_MEM_OBJECT_IMAGE1D_BUFFER - CL_MEM_OBJECT_IMAGE2D] = ZE_IMAGE_TYPE_BUFFER,
    };
    const cl_image_desc *desc = &image->desc;
    const ze_custom_pitch_exp_desc_t pitches = {
        .stype = ZE_STRUCTURE_TYPE_CUSTOM_PITCH_EXP_DESC,
        .rowPitch = desc->image_row_pitch,
        .slicePitch = desc->image_slice_pitch,
    };
    const ze_image_pitched_exp_desc_t memory = {
        .stype = ZE_STRUCTURE_TYPE_PITCHED_IMAGE_EXP_DESC,
        .pNext = image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER ? NULL : &pitches,
        .ptr = image->pointer,
    };
    bool is_array =
        image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    const ze_image_desc_t ze = {
        .stype = ZE_STRUCTURE_TYPE_IMAGE_DESC,
        .pNext = &memory,
        .flags = ZE_IMAGE_FLAG_KERNEL_WRITE,
        .type = types[image->type - CL_MEM_OBJECT_IMAGE2D],
        .format = *format,
        .width = desc->image_width,
        .height = desc->image_height ? (uint32_t)desc->image_height : 1,
        .depth = image->type == CL_MEM_OBJECT_IMAGE3D ? (uint32_t)desc->image_depth : 1,
        .arraylevels = is_array ? (uint32_t)desc->image_array_size : 0,
    };
    ze_result_t result = zeImageCreate(image->context->handle, image->context->devices[0]->handle,
                                       &ze, &image->image);
    if (result != ZE_RESULT_SUCCESS) {
        image->image = NULL;
    }
    return geo_ocl_result(result);
}

/* Takes the memory of a buffer for an image in it. */
static cl_int buffer_take(struct _cl_mem *image, cl_mem buffer)
{
    if (!geo_ocl_memory_is_buffer(buffer) || buffer->context != image->context) {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    if (image->bytes > buffer->bytes) {
        return CL_INVALID_IMAGE_SIZE;
    }
    image->parent = geo_ocl_object_hold(buffer);
    image->pointer = image->host = buffer->pointer;
    return CL_SUCCESS;
}

/* Allocates the image's memory, unless it is the application's, whose content it gets. */
static cl_int memory_take(struct _cl_mem *image, void *host_pointer)
{
    const cl_mem_flags flags = image->flags;
    const size_t zero[3] = {0, 0, 0};
    size_t size[3];
    if (is_used_in_place(image->context, image, host_pointer)) {
        return geo_ocl_memory_allocate(image, host_pointer);
    }
    image->flags &= ~(cl_mem_flags)(CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR);
    cl_int result = geo_ocl_memory_allocate(image, NULL);
    image->flags = flags;
    if (result != CL_SUCCESS) {
        return result;
    }
    extents(image, size);
    image->host = host_pointer ? host_pointer : image->pointer;
    const struct geo_ocl_box to = geo_ocl_image_box(image, zero);
    const struct geo_ocl_box from = geo_ocl_image_host_box(image, zero);
    for (size_t z = 0; z < size[2] && host_pointer; z++) {
        for (size_t y = 0; y < size[1]; y++) {
            memcpy(to.pointer + z * to.slice + y * to.row,
                   from.pointer + z * from.slice + y * from.row, size[0] * image->element_bytes);
        }
    }
    if (flags & CL_MEM_USE_HOST_PTR) {
        image->host_pointer = host_pointer;
    } else {
        image->host = image->pointer;
        image->host_row = image->desc.image_row_pitch;
        image->host_slice = image->desc.image_slice_pitch;
    }
    return CL_SUCCESS;
}

static cl_int image_create(cl_context context, const cl_mem_properties *properties,
                           cl_mem_flags flags, const cl_image_format *format,
                           const cl_image_desc *desc, void *host_pointer, cl_mem *out)
{
    ze_image_format_t ze;
    size_t element_bytes;
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if (!context->devices[0]->has_images || context->device_count > 1) {
        return CL_INVALID_OPERATION;
    }
    if (!format || !geo_ocl_image_format_is_valid(format)) {
        return CL_INVALID_IMAGE_FORMAT_DESCRIPTOR;
    }
    if (!desc) {
        return CL_INVALID_IMAGE_DESCRIPTOR;
    }
    bool has_buffer = geo_ocl_memory_is_buffer(desc->mem_object);
    cl_int result =
        geo_ocl_memory_flags(&flags, host_pointer, has_buffer ? desc->mem_object : NULL);
    if (result != CL_SUCCESS) {
        return result;
    }
    if (!geo_ocl_image_format_convert(format, &ze, &element_bytes)) {
        return CL_IMAGE_FORMAT_NOT_SUPPORTED;
    }
    cl_mem image = geo_ocl_memory_create(context, desc->image_type, flags);
    if (!image) {
        return CL_OUT_OF_HOST_MEMORY;
    }
    image->format = *format;
    image->element_bytes = element_bytes;
    result = desc_check(context, desc, host_pointer, image);
    result = result == CL_SUCCESS ? geo_ocl_memory_properties(image, properties) : result;
    if (result == CL_SUCCESS) {
        result = desc->mem_object ? buffer_take(image, desc->mem_object)
                                  : memory_take(image, host_pointer);
    }
    result = result == CL_SUCCESS ? handle_create(image, &ze) : result;
    if (result != CL_SUCCESS) {
        geo_ocl_object_drop(image);
        return result;
    }
    *out = image;
    return CL_SUCCESS;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImageWithProperties(
    cl_context context, const cl_mem_properties *properties, cl_mem_flags flags,
    const cl_image_format *format, const cl_image_desc *desc, void *host_pointer, cl_int *error)
{
    cl_mem image = NULL;
    cl_int result = image_create(context, properties, flags, format, desc, host_pointer, &image);
    geo_ocl_object_error(error, result);
    return image;
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage(cl_context context, cl_mem_flags flags,
                                              const cl_image_format *format,
                                              const cl_image_desc *desc, void *host_pointer,
                                              cl_int *error)
{
    return clCreateImageWithProperties(context, NULL, flags, format, desc, host_pointer, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage2D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width,
                                                size_t height, size_t row, void *host_pointer,
                                                cl_int *error)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                                .image_width = width,
                                .image_height = height,
                                .image_row_pitch = row};
    return clCreateImageWithProperties(context, NULL, flags, format, &desc, host_pointer, error);
}

CL_API_ENTRY cl_mem CL_API_CALL clCreateImage3D(cl_context context, cl_mem_flags flags,
                                                const cl_image_format *format, size_t width,
                                                size_t height, size_t depth, size_t row,
                                                size_t slice, void *host_pointer, cl_int *error)
{
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE3D,
                                .image_width = width,
                                .image_height = height,
                                .image_depth = depth,
                                .image_row_pitch = row,
                                .image_slice_pitch = slice};
    return clCreateImageWithProperties(context, NULL, flags, format, &desc, host_pointer, error);
}

CL_API_ENTRY cl_int CL_API_CALL clGetSupportedImageFormats(cl_context context, cl_mem_flags flags,
                                                           cl_mem_object_type type, cl_uint count,
                                                           cl_image_format *formats,
                                                           cl_uint *count_ret)
{
    if (!geo_ocl_context_is(context)) {
        return CL_INVALID_CONTEXT;
    }
    if ((formats && count == 0) || type < CL_MEM_OBJECT_IMAGE2D ||
        type > CL_MEM_OBJECT_IMAGE1D_BUFFER ||
        (!(flags & CL_MEM_KERNEL_READ_AND_WRITE) &&
         geo_ocl_memory_flags(&flags, NULL, NULL) == CL_INVALID_VALUE)) {
        return CL_INVALID_VALUE;
    }
    bool has_images = context->devices[0]->has_images && context->device_count == 1;
    cl_uint all = has_images ? (cl_uint)geo_ocl_image_format_count() : 0;
    for (cl_uint i = 0; formats && i < count && i < all; i++) {
        formats[i] = geo_ocl_image_format_at(i);
    }
    if (count_ret) {
        *count_ret = all;
    }
    return CL_SUCCESS;
}

CL_API_ENTRY cl_int CL_API_CALL clGetImageInfo(cl_mem image, cl_image_info name, size_t size,
                                               void *value, size_t *size_ret)
{
    const struct geo_ocl_info info = {size, value, size_ret};
    if (!geo_ocl_image_is(image)) {
        return CL_INVALID_MEM_OBJECT;
    }
    const cl_image_desc *desc = &image->desc;
    bool is_line = image->type == CL_MEM_OBJECT_IMAGE1D ||
                   image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                   image->type == CL_MEM_OBJECT_IMAGE1D_BUFFER;
    bool is_array =
        image->type == CL_MEM_OBJECT_IMAGE1D_ARRAY || image->type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
    switch (name) {
    case CL_IMAGE_FORMAT:
        return geo_ocl_info_value(&info, cl_image_format, image->format.image_channel_order,
                                  image->format.image_channel_data_type);
    case CL_IMAGE_ELEMENT_SIZE:
        return geo_ocl_info_value(&info, size_t, image->element_bytes);
    case CL_IMAGE_ROW_PITCH:
        return geo_ocl_info_value(&info, size_t, image->host_row);
    case CL_IMAGE_SLICE_PITCH:
        return geo_ocl_info_value(&info, size_t, image->host_slice);
    case CL_IMAGE_WIDTH:
        return geo_ocl_info_value(&info, size_t, desc->image_width);
    case CL_IMAGE_HEIGHT:
        return geo_ocl_info_value(&info, size_t, is_line ? 0 : desc->image_height);
    case CL_IMAGE_DEPTH:
        return geo_ocl_info_value(&info, size_t,
                                  image->type == CL_MEM_OBJECT_IMAGE3D ? desc->image_depth : 0);
    case CL_IMAGE_ARRAY_SIZE:
        return geo_ocl_info_value(&info, size_t, is_array ? desc->image_array_size : 0);
    case CL_IMAGE_BUFFER:
        return geo_ocl_info_value(&info, cl_mem, image->parent);
    case CL_IMAGE_NUM_MIP_LEVELS:
    case CL_IMAGE_NUM_SAMPLES:
        return geo_ocl_info_value(&info, cl_uint, 0);
    default:
        return CL_INVALID_VALUE;
    }
}

/* Pipes are optional, and no device has them. */
CL_API_ENTRY cl_mem CL_API_CALL clCreatePipe(cl_context context, cl_mem_flags flags, cl_uint size,
                                             cl_uint packets, const cl_pipe_properties *properties,
                                             cl_int *error)
{
    (void)flags, (void)size, (void)packets, (void)properties;
    geo_ocl_object_error(error,
                         geo_ocl_context_is(context) ? CL_INVALID_OPERATION : CL_INVALID_CONTEXT);
    return NULL;
}

CL_API_ENTRY cl_int CL_API_CALL clGetPipeInfo(cl_mem pipe, cl_pipe_info name, size_t size,
                                              void *value, size_t *size_ret)
{
    (void)pipe, (void)name, (void)size, (void)value, (void)size_ret;
    return CL_INVALID_MEM_OBJECT;
}
