/* The memory layout of images: planes, rows, slices, and limits of the extents. See image.h.
 *
 *     slice 0 | plane 0: row 0 ... | plane 1: row 0 ... |   slice 1 | ...
 *             |<- row_pitch ->|
 *             |<-------------- slice_pitch ------------>|
 */
#include "backend/host/image.h"

#include <string.h>

/* Rows start at a cache line. */
#define PITCH_ALIGN 64u
#define PITCH_MAX   (UINT64_C(1) << 30) /* well below the 32-bit offsets of kernels */
/* The minimum that OpenCL requires, as hardware has. */
#define WIDTH_MAX        16384u
#define DEPTH_MAX        2048u
#define LEVELS_MAX       2048u
#define BUFFER_BYTES_MAX (UINT64_C(1) << 31)

/* The pixels of a format layout. The planes after the first have one colour value per block of
 * pixels. */
struct layout {
    uint8_t bytes; /* bytes of a pixel in the first plane */
    uint8_t share; /* number of pixels in a row that share their bytes */
    uint8_t planes, plane_bytes;
    uint8_t shift_x, shift_y; /* block size of these planes, as powers of two */
};

/* clang-format off */
static const struct layout layouts[] = {
    [ZE_IMAGE_FORMAT_LAYOUT_8] = {.bytes = 1},
    [ZE_IMAGE_FORMAT_LAYOUT_16] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_32] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_8_8] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_16_16] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_16_16_16_16] = {.bytes = 8},
    [ZE_IMAGE_FORMAT_LAYOUT_32_32] = {.bytes = 8},
    [ZE_IMAGE_FORMAT_LAYOUT_32_32_32_32] = {.bytes = 16},
    [ZE_IMAGE_FORMAT_LAYOUT_10_10_10_2] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_11_11_10] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_5_6_5] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_5_5_5_1] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_4_4_4_4] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_8_8_8] = {.bytes = 3},
    [ZE_IMAGE_FORMAT_LAYOUT_16_16_16] = {.bytes = 6},
    [ZE_IMAGE_FORMAT_LAYOUT_32_32_32] = {.bytes = 12},
    /* one plane, independent pixels */
    [ZE_IMAGE_FORMAT_LAYOUT_Y8] = {.bytes = 1},
    [ZE_IMAGE_FORMAT_LAYOUT_Y16] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_P8] = {.bytes = 1},
    [ZE_IMAGE_FORMAT_LAYOUT_A8P8] = {.bytes = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_IA44] = {.bytes = 1},
    [ZE_IMAGE_FORMAT_LAYOUT_AI44] = {.bytes = 1},
    [ZE_IMAGE_FORMAT_LAYOUT_400P] = {.bytes = 1},
    [ZE_IMAGE_FORMAT_LAYOUT_AYUV] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_Y410] = {.bytes = 4},
    [ZE_IMAGE_FORMAT_LAYOUT_Y416] = {.bytes = 8},
    /* one plane, two pixels of a row share their colour */
    [ZE_IMAGE_FORMAT_LAYOUT_YUYV] = {.bytes = 2, .share = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_VYUY] = {.bytes = 2, .share = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_YVYU] = {.bytes = 2, .share = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_UYVY] = {.bytes = 2, .share = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_YUY2] = {.bytes = 2, .share = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_Y210] = {.bytes = 4, .share = 2},
    [ZE_IMAGE_FORMAT_LAYOUT_Y216] = {.bytes = 4, .share = 2},
    /* both colour components in a second plane */
    [ZE_IMAGE_FORMAT_LAYOUT_NV12] = {1, 0, 1, 2, 1, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_P010] = {2, 0, 1, 4, 1, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_P012] = {2, 0, 1, 4, 1, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_P016] = {2, 0, 1, 4, 1, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_P216] = {2, 0, 1, 4, 1, 0},
    /* one plane per component */
    [ZE_IMAGE_FORMAT_LAYOUT_I420] = {1, 0, 2, 1, 1, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_YV12] = {1, 0, 2, 1, 1, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_422H] = {1, 0, 2, 1, 1, 0},
    [ZE_IMAGE_FORMAT_LAYOUT_422V] = {1, 0, 2, 1, 0, 1},
    [ZE_IMAGE_FORMAT_LAYOUT_444P] = {1, 0, 2, 1, 0, 0},
    [ZE_IMAGE_FORMAT_LAYOUT_RGBP] = {1, 0, 2, 1, 0, 0},
    [ZE_IMAGE_FORMAT_LAYOUT_BRGP] = {1, 0, 2, 1, 0, 0},
};
/* clang-format on */

void geo_host_image_limits(struct geo_backend_device *device, struct geo_image_limits *limits)
{
    uint64_t most = device->info.max_allocation_bytes;
    *limits = (struct geo_image_limits){
        .max_width_1d = WIDTH_MAX,
        .max_width_2d = WIDTH_MAX,
        .max_width_3d = DEPTH_MAX,
        .max_buffer_bytes = most < BUFFER_BYTES_MAX ? most : BUFFER_BYTES_MAX,
        .max_array_levels = LEVELS_MAX,
        .linear_width = WIDTH_MAX,
        .linear_height = WIDTH_MAX,
        .pitch_align = PITCH_ALIGN,
        .max_pitch = PITCH_MAX,
    };
}

static bool extents_fit(const struct geo_image_limits *limits, const struct geo_image_desc *desc,
                        uint32_t pixel_bytes)
{
    uint64_t most = 0;
    switch (desc->type) {
    case ZE_IMAGE_TYPE_1D:
    case ZE_IMAGE_TYPE_1DARRAY:
        most = limits->max_width_1d;
        break;
    case ZE_IMAGE_TYPE_2D:
    case ZE_IMAGE_TYPE_2DARRAY:
        most = limits->max_width_2d;
        break;
    case ZE_IMAGE_TYPE_3D:
        most = limits->max_width_3d;
        break;
    case ZE_IMAGE_TYPE_BUFFER:
        most = limits->max_buffer_bytes / pixel_bytes;
        break;
    default:
        break;
    }
    return desc->width <= most && desc->height <= most && desc->depth <= most &&
           desc->levels <= limits->max_array_levels;
}

static uint64_t blocks_of(uint64_t pixels, uint32_t shift)
{
    return (pixels + (UINT64_C(1) << shift) - 1) >> shift;
}

static uint64_t round_up(uint64_t number, uint64_t multiple)
{
    return (number + multiple - 1) / multiple * multiple;
}

/* Fills the extents of all planes and the minimum size of a row and a slice. Offsets are set when
 * the pitch is known. */
static void planes_fill(const struct layout *layout, const struct geo_image_desc *desc,
                        struct geo_image_info *info)
{
    uint32_t share = layout->share ? layout->share : 1;
    info->plane_count = 1u + layout->planes;
    info->pixel_bytes = layout->planes ? 0 : layout->bytes;
    info->unit_bytes = info->pixel_bytes * share;
    info->planes[0] = (struct geo_image_plane){.width = round_up(desc->width, share),
                                               .height = desc->height,
                                               .pixel_bytes = layout->bytes};
    for (uint32_t i = 1; i < info->plane_count; i++) {
        info->planes[i] = (struct geo_image_plane){
            .width = blocks_of(desc->width, layout->shift_x),
            .height = (uint32_t)blocks_of(desc->height, layout->shift_y),
            .pixel_bytes = layout->plane_bytes,
        };
    }
    for (uint32_t i = 0; i < info->plane_count; i++) {
        const struct geo_image_plane *plane = &info->planes[i];
        uint64_t bytes = plane->width * plane->pixel_bytes;
        info->row_bytes = bytes > info->row_bytes ? bytes : info->row_bytes;
        info->rows += plane->height;
    }
}

/* Sets the row pitch: the requested one, or the default. */
static ze_result_t row_pitch_fill(const struct geo_image_limits *limits,
                                  const struct geo_image_desc *desc, struct geo_image_info *info)
{
    bool lone = info->rows == 1; /* a single row: the pitch is not used */
    if (!desc->row_pitch) {
        info->row_pitch = desc->type == ZE_IMAGE_TYPE_BUFFER
                              ? info->row_bytes
                              : round_up(info->row_bytes, limits->pitch_align);
        return ZE_RESULT_SUCCESS;
    }
    if (desc->row_pitch < info->row_bytes || (!lone && desc->row_pitch > limits->max_pitch)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    if (!lone && desc->row_pitch % limits->pitch_align) {
        return ZE_RESULT_ERROR_UNSUPPORTED_ALIGNMENT;
    }
    info->row_pitch = desc->row_pitch;
    return ZE_RESULT_SUCCESS;
}

static ze_result_t slices_fill(const struct geo_image_desc *desc, struct geo_image_info *info)
{
    uint64_t slices = (uint64_t)desc->depth * desc->levels, last;
    uint64_t needed = info->row_pitch * info->rows;
    if (desc->slice_pitch && desc->slice_pitch < needed) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    info->slice_pitch = desc->slice_pitch ? desc->slice_pitch : needed;
    if (__builtin_mul_overflow(slices - 1, info->slice_pitch, &last) ||
        __builtin_add_overflow(last, info->row_pitch * (info->rows - 1) + info->row_bytes,
                               &info->bytes)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    return ZE_RESULT_SUCCESS;
}

ze_result_t geo_host_image_plan(struct geo_backend_device *device,
                                const struct geo_image_desc *desc, struct geo_image_info *info)
{
    struct geo_image_limits limits;
    struct geo_image_info plan = {.linear = true, .alignment = PITCH_ALIGN};
    uint32_t index = (uint32_t)desc->format.layout;
    if (index >= sizeof(layouts) / sizeof(layouts[0]) || !layouts[index].bytes) {
        return ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT;
    }
    geo_host_image_limits(device, &limits);
    if (!extents_fit(&limits, desc, layouts[index].bytes)) {
        return ZE_RESULT_ERROR_UNSUPPORTED_SIZE;
    }
    planes_fill(&layouts[index], desc, &plan);
    ze_result_t result = row_pitch_fill(&limits, desc, &plan);
    if (result == ZE_RESULT_SUCCESS) {
        result = slices_fill(desc, &plan);
    }
    if (result != ZE_RESULT_SUCCESS) {
        return result;
    }
    for (uint32_t i = 1; i < plan.plane_count; i++) {
        plan.planes[i].offset =
            plan.planes[i - 1].offset + plan.row_pitch * plan.planes[i - 1].height;
    }
    *info = plan;
    return ZE_RESULT_SUCCESS;
}
