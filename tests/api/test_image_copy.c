/* API test of copies to, from and between images: the bytes of every pixel, by arithmetic of the
 * test's own. */
#include "image_support.h"

/* An image and the same pixels here, packed: x fastest, then y, z. */
struct picture {
    ze_image_handle_t image;
    uint32_t bytes, width, height, depth; /* of a pixel; as regions count */
    uint8_t *pixels;
};

static size_t picture_bytes(const struct picture *picture)
{
    return (size_t)picture->bytes * picture->width * picture->height * picture->depth;
}

static uint8_t *pixel_at(const struct picture *picture, uint32_t x, uint32_t y, uint32_t z)
{
    return picture->pixels +
           (((size_t)z * picture->height + y) * picture->width + x) * picture->bytes;
}

/* Filled through the list. */
static struct picture picture_create(struct api *api, struct api_list *list,
                                     const ze_image_desc_t *desc, uint32_t bytes, unsigned seed)
{
    struct picture picture = {.image = image_create(api, desc),
                              .bytes = bytes,
                              .width = (uint32_t)desc->width,
                              .height = 1,
                              .depth = 1};
    switch (desc->type) {
    case ZE_IMAGE_TYPE_1DARRAY: /* y counts its levels, as its rows */
        picture.height = desc->arraylevels;
        break;
    case ZE_IMAGE_TYPE_2DARRAY:
        picture.height = desc->height;
        picture.depth = desc->arraylevels;
        break;
    case ZE_IMAGE_TYPE_2D:
        picture.height = desc->height;
        break;
    case ZE_IMAGE_TYPE_3D:
        picture.height = desc->height;
        picture.depth = desc->depth;
        break;
    case ZE_IMAGE_TYPE_BUFFER:
        picture.width = (uint32_t)desc->width / bytes;
        break;
    default:
        break;
    }
    picture.pixels = image_bytes(picture_bytes(&picture), seed);
    assert_success(zeCommandListAppendImageCopyFromMemory(list->list, picture.image, picture.pixels,
                                                          NULL, NULL, 0, NULL));
    api_list_run(api, list);
    return picture;
}

/* What is in the image is what is here. */
static void picture_check(struct api *api, struct api_list *list, const struct picture *picture)
{
    size_t bytes = picture_bytes(picture);
    uint8_t *read = image_bytes(bytes + 1, 99);
    read[bytes] = 0xa5;
    assert_success(zeCommandListAppendImageCopyToMemory(list->list, read, picture->image, NULL,
                                                        NULL, 0, NULL));
    api_list_run(api, list);
    assert_memory_equal(read, picture->pixels, bytes);
    assert_int_equal(read[bytes], 0xa5);
    free(read);
}

static void picture_destroy(struct picture *picture)
{
    assert_success(zeImageDestroy(picture->image));
    free(picture->pixels);
}

static ze_image_format_type_t first_type(uint32_t types)
{
    return (ze_image_format_type_t)__builtin_ctz(types);
}

/* One of each type, of pixels of four bytes. */
static const struct {
    ze_image_type_t type;
    uint64_t width;
    uint32_t height, depth, levels;
} shapes[] = {
    {ZE_IMAGE_TYPE_1D, 61, 0, 0, 0},  {ZE_IMAGE_TYPE_1DARRAY, 61, 0, 0, 5},
    {ZE_IMAGE_TYPE_2D, 61, 13, 0, 0}, {ZE_IMAGE_TYPE_2DARRAY, 61, 13, 0, 5},
    {ZE_IMAGE_TYPE_3D, 61, 13, 5, 0}, {ZE_IMAGE_TYPE_BUFFER, 244, 0, 0, 0},
};
enum { SHAPES = sizeof(shapes) / sizeof(shapes[0]) };

static ze_image_desc_t shape_desc(size_t i)
{
    return image_desc(shapes[i].type, ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UINT,
                      shapes[i].width, shapes[i].height, shapes[i].depth, shapes[i].levels);
}

/* ---- whole images ---- */

/* IMG-1, CPY-6: through an image and a copy of it, every format comes back as it was */
static void pixels_of_every_format_come_back(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t i = 0; i < IMAGE_LAYOUTS; i++) {
        ze_image_desc_t desc =
            image_desc_2d(image_layouts[i].layout, first_type(image_layouts[i].types), 37, 11);
        struct picture one = picture_create(api, &list, &desc, image_layouts[i].bytes, 1);
        struct picture two = picture_create(api, &list, &desc, image_layouts[i].bytes, 77);
        picture_check(api, &list, &one);
        assert_success(
            zeCommandListAppendImageCopy(list.list, two.image, one.image, NULL, 0, NULL));
        api_list_run(api, &list);
        memcpy(two.pixels, one.pixels, picture_bytes(&one));
        picture_check(api, &list, &two);
        picture_destroy(&one);
        picture_destroy(&two);
    }
    api_list_destroy(&list);
}

/* IMG-12, CPY-5, CPY-6: null regions are the whole image */
static void images_of_every_type_are_copied(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t i = 0; i < SHAPES; i++) {
        const ze_image_desc_t desc = shape_desc(i);
        struct picture one = picture_create(api, &list, &desc, 4, 3);
        struct picture two = picture_create(api, &list, &desc, 4, 5);
        picture_check(api, &list, &one);
        assert_success(zeCommandListAppendImageCopyRegion(list.list, two.image, one.image, NULL,
                                                          NULL, NULL, 0, NULL));
        api_list_run(api, &list);
        memcpy(two.pixels, one.pixels, picture_bytes(&one));
        picture_check(api, &list, &two);
        picture_destroy(&one);
        picture_destroy(&two);
    }
    api_list_destroy(&list);
}

/* ---- regions ---- */

/* A box of an image of this type, from (x, y, z) where there is such a direction. */
static ze_image_region_t box_of(const struct picture *picture, uint32_t x, uint32_t y, uint32_t z,
                                uint32_t width, uint32_t height, uint32_t depth)
{
    ze_image_region_t box = {x, y, z, width, height, depth};
    if (picture->height == 1) {
        box.originY = 0;
        box.height = 1;
    }
    if (picture->depth == 1) {
        box.originZ = 0;
        box.depth = 1;
    }
    return box;
}

/* The same copy here. */
static void box_copy(const struct picture *to, const ze_image_region_t *at,
                     const struct picture *from, const ze_image_region_t *box)
{
    for (uint32_t z = 0; z < box->depth; z++) {
        for (uint32_t y = 0; y < box->height; y++) {
            memcpy(pixel_at(to, at->originX, at->originY + y, at->originZ + z),
                   pixel_at(from, box->originX, box->originY + y, box->originZ + z),
                   (size_t)box->width * to->bytes);
        }
    }
}

/* CPY-5: equal extents, different origins */
static void boxes_are_copied_between_images(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t i = 0; i < SHAPES; i++) {
        const ze_image_desc_t desc = shape_desc(i);
        struct picture one = picture_create(api, &list, &desc, 4, 3);
        struct picture two = picture_create(api, &list, &desc, 4, 5);
        const ze_image_region_t from = box_of(&one, 7, 3, 2, 41, 1, 3);
        const ze_image_region_t to = box_of(&two, 20, 4, 1, 41, 1, 3);
        assert_success(zeCommandListAppendImageCopyRegion(list.list, two.image, one.image, &to,
                                                          &from, NULL, 0, NULL));
        api_list_run(api, &list);
        box_copy(&two, &to, &one, &from);
        picture_check(api, &list, &two);
        picture_check(api, &list, &one);
        picture_destroy(&one);
        picture_destroy(&two);
    }
    api_list_destroy(&list);
}

/* CPY-6: rows of the memory follow each other without gaps */
static void boxes_are_copied_to_and_from_memory(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t i = 0; i < SHAPES; i++) {
        const ze_image_desc_t desc = shape_desc(i);
        struct picture picture = picture_create(api, &list, &desc, 4, 3);
        const ze_image_region_t box = box_of(&picture, 9, 2, 1, 30, 3, 4);
        struct picture memory = {
            .bytes = 4, .width = box.width, .height = box.height, .depth = box.depth};
        const ze_image_region_t all = {0, 0, 0, box.width, box.height, box.depth};
        memory.pixels = image_bytes(picture_bytes(&memory), 200);
        uint8_t *read = image_bytes(picture_bytes(&memory), 201);
        assert_success(zeCommandListAppendImageCopyFromMemory(list.list, picture.image,
                                                              memory.pixels, &box, NULL, 0, NULL));
        api_list_run(api, &list);
        box_copy(&picture, &box, &memory, &all);
        picture_check(api, &list, &picture);
        assert_success(zeCommandListAppendImageCopyToMemory(list.list, read, picture.image, &box,
                                                            NULL, 0, NULL));
        api_list_run(api, &list);
        assert_memory_equal(read, memory.pixels, picture_bytes(&memory));
        free(read);
        free(memory.pixels);
        picture_destroy(&picture);
    }
    api_list_destroy(&list);
}

/* CPY-6: what is between rows and slices of the memory is neither read nor written. */
static void pitches_of_memory_leave_gaps(void **state)
{
    enum { ROW = 320, SLICE = ROW * 20 + 64 };
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    for (size_t i = 0; i < SHAPES; i++) {
        const ze_image_desc_t desc = shape_desc(i);
        struct picture picture = picture_create(api, &list, &desc, 4, 3);
        const ze_image_region_t box = box_of(&picture, 9, 2, 1, 30, 3, 4);
        const size_t bytes = (size_t)SLICE * 5;
        uint8_t *memory = image_bytes(bytes, 17), *expected = image_bytes(bytes, 17);
        assert_success(zeCommandListAppendImageCopyToMemoryExt(list.list, memory, picture.image,
                                                               &box, ROW, SLICE, NULL, 0, NULL));
        api_list_run(api, &list);
        for (uint32_t z = 0; z < box.depth; z++) {
            for (uint32_t y = 0; y < box.height; y++) {
                memcpy(expected + (size_t)z * SLICE + (size_t)y * ROW,
                       pixel_at(&picture, box.originX, box.originY + y, box.originZ + z),
                       (size_t)box.width * 4);
            }
        }
        assert_memory_equal(memory, expected, bytes);
        for (size_t k = 0; k < bytes; k++) {
            memory[k] = (uint8_t)(memory[k] ^ 0x3c);
        }
        assert_success(zeCommandListAppendImageCopyFromMemoryExt(list.list, picture.image, memory,
                                                                 &box, ROW, SLICE, NULL, 0, NULL));
        api_list_run(api, &list);
        for (uint32_t z = 0; z < box.depth; z++) {
            for (uint32_t y = 0; y < box.height; y++) {
                memcpy(pixel_at(&picture, box.originX, box.originY + y, box.originZ + z),
                       memory + (size_t)z * SLICE + (size_t)y * ROW, (size_t)box.width * 4);
            }
        }
        picture_check(api, &list, &picture);
        free(memory);
        free(expected);
        picture_destroy(&picture);
    }
    api_list_destroy(&list);
}

/* ---- what is refused ---- */

/* CPY-5, VAL-11 */
static void boxes_beyond_the_image_are_refused(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    static uint8_t memory[1 << 16];
    for (size_t i = 0; i < SHAPES; i++) {
        const ze_image_desc_t desc = shape_desc(i);
        struct picture picture = picture_create(api, &list, &desc, 4, 3);
        const ze_image_region_t good = {0, 0, 0, picture.width, picture.height, picture.depth};
        ze_image_region_t bad[6] = {good, good, good, good, good, good};
        bad[0].width++;
        bad[1].height++;
        bad[2].depth++;
        bad[3].originX = UINT32_MAX;
        bad[4].originY = UINT32_MAX;
        bad[5].originZ = UINT32_MAX;
        for (size_t k = 0; k < 6; k++) {
            bool none = (k % 3 == 1 && picture.height == 1) || (k % 3 == 2 && picture.depth == 1);
            if (none) { /* a direction that the type does not have says nothing */
                assert_success(zeCommandListAppendImageCopyToMemory(
                    list.list, memory, picture.image, &bad[k], NULL, 0, NULL));
                continue;
            }
            assert_result(zeCommandListAppendImageCopyToMemory(list.list, memory, picture.image,
                                                               &bad[k], NULL, 0, NULL),
                          ZE_RESULT_ERROR_INVALID_SIZE);
            assert_result(zeCommandListAppendImageCopyFromMemory(list.list, picture.image, memory,
                                                                 &bad[k], NULL, 0, NULL),
                          ZE_RESULT_ERROR_INVALID_SIZE);
        }
        api_list_run(api, &list);
        picture_destroy(&picture);
    }
    api_list_destroy(&list);
}

/* CPY-5, VAL-11: in one image, but also through a view of it */
static void boxes_that_overlap_are_refused(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc = shape_desc(2);
    struct picture picture = picture_create(api, &list, &desc, 4, 3);
    ze_image_handle_t view;
    const ze_image_region_t from = {0, 0, 0, 20, 5, 1};
    ze_image_region_t to = {19, 4, 0, 20, 5, 1};
    assert_success(zeImageViewCreateExt(api->context, api->device, &desc, picture.image, &view));
    ze_image_handle_t both[] = {picture.image, view};
    for (size_t i = 0; i < 2; i++) {
        to.originX = 19;
        assert_result(zeCommandListAppendImageCopyRegion(list.list, both[i], picture.image, &to,
                                                         &from, NULL, 0, NULL),
                      ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
        to.originX = 20;
        assert_success(zeCommandListAppendImageCopyRegion(list.list, both[i], picture.image, &to,
                                                          &from, NULL, 0, NULL));
        api_list_run(api, &list);
    }
    assert_result(zeCommandListAppendImageCopy(list.list, picture.image, view, NULL, 0, NULL),
                  ZE_RESULT_ERROR_OVERLAPPING_REGIONS);
    to.width = 19;
    assert_result(zeCommandListAppendImageCopyRegion(list.list, picture.image, picture.image, &to,
                                                     &from, NULL, 0, NULL),
                  ZE_RESULT_ERROR_INVALID_SIZE);
    assert_success(zeImageDestroy(view));
    picture_destroy(&picture);
    api_list_destroy(&list);
}

/* CPY-4: pixels of one size are copied whatever they mean */
static void formats_have_to_agree(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t words =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_32, ZE_IMAGE_FORMAT_TYPE_FLOAT, 9, 6);
    const ze_image_desc_t bytes =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_8_8_8_8, ZE_IMAGE_FORMAT_TYPE_UNORM, 9, 6);
    const ze_image_desc_t shorts =
        image_desc_2d(ZE_IMAGE_FORMAT_LAYOUT_16, ZE_IMAGE_FORMAT_TYPE_UINT, 18, 6);
    struct picture one = picture_create(api, &list, &words, 4, 8);
    struct picture two = picture_create(api, &list, &bytes, 4, 9);
    struct picture three = picture_create(api, &list, &shorts, 2, 9);
    assert_success(zeCommandListAppendImageCopy(list.list, two.image, one.image, NULL, 0, NULL));
    api_list_run(api, &list);
    if (api->executes) {
        memcpy(two.pixels, one.pixels, picture_bytes(&one));
        picture_check(api, &list, &two);
    }
    assert_result(zeCommandListAppendImageCopy(list.list, three.image, one.image, NULL, 0, NULL),
                  ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    assert_result(
        zeCommandListAppendImageCopy(list.list, api_foreign_handle(), one.image, NULL, 0, NULL),
        ZE_RESULT_ERROR_INVALID_ARGUMENT);
    picture_destroy(&one);
    picture_destroy(&two);
    picture_destroy(&three);
    api_list_destroy(&list);
}

/* IMG-8 */
static void media_images_are_not_copied_to_memory(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    static const ze_image_format_layout_t media[] = {
        ZE_IMAGE_FORMAT_LAYOUT_Y8, ZE_IMAGE_FORMAT_LAYOUT_NV12, ZE_IMAGE_FORMAT_LAYOUT_YUYV};
    static uint8_t memory[4096];
    for (size_t i = 0; i < 3; i++) {
        const ze_image_desc_t desc = image_desc_2d(media[i], ZE_IMAGE_FORMAT_TYPE_UNORM, 8, 8);
        ze_image_handle_t image = image_create(api, &desc);
        assert_result(
            zeCommandListAppendImageCopyToMemory(list.list, memory, image, NULL, NULL, 0, NULL),
            ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
        assert_result(zeCommandListAppendImageCopyFromMemoryExt(list.list, image, memory, NULL, 64,
                                                                64, NULL, 0, NULL),
                      ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
        assert_success(zeImageDestroy(image));
    }
    api_list_destroy(&list);
}

/* ---- with everything else ---- */

/* An empty box copies nothing; directions that a type does not have are not looked at. */
static void empty_boxes_copy_nothing(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc = shape_desc(4), line = shape_desc(0);
    struct picture box = picture_create(api, &list, &desc, 4, 3);
    struct picture row = picture_create(api, &list, &line, 4, 4);
    uint8_t *memory = image_bytes(picture_bytes(&row), 50);
    static const ze_image_region_t empty[] = {
        {1, 1, 1, 0, 2, 2}, {1, 1, 1, 2, 0, 2}, {1, 1, 1, 2, 2, 0}};
    for (size_t i = 0; i < 3; i++) {
        assert_success(zeCommandListAppendImageCopyFromMemory(list.list, box.image, memory,
                                                              &empty[i], NULL, 0, NULL));
    }
    api_list_run(api, &list);
    picture_check(api, &list, &box);
    const ze_image_region_t zeros = {0, 7, 1, row.width, 0, 0};
    assert_success(zeCommandListAppendImageCopyFromMemory(list.list, row.image, memory, &zeros,
                                                          NULL, 0, NULL));
    api_list_run(api, &list);
    memcpy(row.pixels, memory, picture_bytes(&row));
    picture_check(api, &list, &row);
    free(memory);
    picture_destroy(&box);
    picture_destroy(&row);
    api_list_destroy(&list);
}

/* CPY-7: nothing is copied before the event, and the next event comes after the copy */
static void image_copies_wait_and_signal(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc = shape_desc(2);
    struct picture picture = picture_create(api, &list, &desc, 4, 3);
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 2};
    ze_event_pool_handle_t pool;
    ze_event_handle_t events[2];
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    for (uint32_t i = 0; i < 2; i++) {
        ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC, .index = i};
        assert_success(zeEventCreate(pool, &event, &events[i]));
    }
    uint8_t *memory = image_bytes(picture_bytes(&picture), 60);
    assert_success(zeCommandListAppendImageCopyToMemory(list.list, memory, picture.image, NULL,
                                                        events[1], 1, events));
    if (list.queue) {
        assert_success(zeCommandListClose(list.list));
        assert_success(zeCommandQueueExecuteCommandLists(list.queue, 1, &list.list, NULL));
    }
    assert_result(zeEventQueryStatus(events[1]), ZE_RESULT_NOT_READY);
    assert_success(zeEventHostSignal(events[0]));
    assert_success(zeEventHostSynchronize(events[1], UINT64_MAX));
    assert_memory_equal(memory, picture.pixels, picture_bytes(&picture));
    if (list.queue) {
        assert_success(zeCommandQueueSynchronize(list.queue, UINT64_MAX));
    }
    free(memory);
    assert_success(zeEventDestroy(events[0]));
    assert_success(zeEventDestroy(events[1]));
    assert_success(zeEventPoolDestroy(pool));
    picture_destroy(&picture);
    api_list_destroy(&list);
}

/* A list keeps what it copies: the handles may go before it runs, and their memory is nobody
 * else's. */
static void lists_keep_their_images(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api), other = api_list_create(api);
    const ze_image_desc_t desc = shape_desc(2);
    struct picture one = picture_create(api, &list, &desc, 4, 3);
    struct picture two = picture_create(api, &list, &desc, 4, 5);
    ze_event_pool_desc_t pool_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC,
                                      .flags = ZE_EVENT_POOL_FLAG_HOST_VISIBLE,
                                      .count = 1};
    ze_event_desc_t event_desc = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    ze_event_pool_handle_t pool;
    ze_event_handle_t gate;
    assert_success(zeEventPoolCreate(api->context, &pool_desc, 0, NULL, &pool));
    assert_success(zeEventCreate(pool, &event_desc, &gate));
    uint8_t *memory = image_bytes(picture_bytes(&one), 60);
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 1, &gate));
    assert_success(zeCommandListAppendImageCopy(list.list, two.image, one.image, NULL, 0, NULL));
    assert_success(zeCommandListAppendBarrier(list.list, NULL, 0, NULL));
    assert_success(
        zeCommandListAppendImageCopyToMemory(list.list, memory, two.image, NULL, NULL, 0, NULL));
    assert_success(zeImageDestroy(one.image));
    assert_success(zeImageDestroy(two.image));
    struct picture third = picture_create(api, &other, &desc, 4, 7); /* would take their memory */
    struct picture fourth = picture_create(api, &other, &desc, 4, 9);
    assert_success(zeEventHostSignal(gate));
    api_list_run(api, &list);
    assert_memory_equal(memory, one.pixels, picture_bytes(&one));
    picture_check(api, &other, &third);
    picture_check(api, &other, &fourth);
    picture_destroy(&third);
    picture_destroy(&fourth);
    free(one.pixels);
    free(two.pixels);
    free(memory);
    assert_success(zeEventDestroy(gate));
    assert_success(zeEventPoolDestroy(pool));
    api_list_destroy(&list);
    api_list_destroy(&other);
}

/* Lists of a group that only copies. */
static void copy_queues_copy_images(void **state)
{
    struct api *api = *state;
    struct api_list list = api_list_create(api);
    const ze_image_desc_t desc = shape_desc(3);
    struct picture picture = picture_create(api, &list, &desc, 4, 3);
    ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
                                     .ordinal = 1,
                                     .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    ze_command_list_handle_t copies;
    uint8_t *memory = image_bytes(picture_bytes(&picture), 60);
    assert_success(zeCommandListCreateImmediate(api->context, api->device, &queue, &copies));
    assert_success(
        zeCommandListAppendImageCopyToMemory(copies, memory, picture.image, NULL, NULL, 0, NULL));
    assert_memory_equal(memory, picture.pixels, picture_bytes(&picture));
    assert_success(zeCommandListDestroy(copies));
    free(memory);
    picture_destroy(&picture);
    api_list_destroy(&list);
}

static const struct api_case cases[] = {
    API_RUN_CASE(pixels_of_every_format_come_back),
    API_RUN_CASE(images_of_every_type_are_copied),
    API_RUN_CASE(boxes_are_copied_between_images),
    API_RUN_CASE(boxes_are_copied_to_and_from_memory),
    API_RUN_CASE(pitches_of_memory_leave_gaps),
    API_LIST_CASE(boxes_beyond_the_image_are_refused),
    API_LIST_CASE(boxes_that_overlap_are_refused),
    API_LIST_CASE(formats_have_to_agree),
    API_LIST_CASE(media_images_are_not_copied_to_memory),
    API_RUN_CASE(empty_boxes_copy_nothing),
    API_RUN_CASE(image_copies_wait_and_signal),
    API_RUN_CASE(lists_keep_their_images),
    API_RUN_CASE(copy_queues_copy_images),
};
API_MAIN("image_copy", cases)
