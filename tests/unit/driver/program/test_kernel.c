/* Images as arguments of a kernel: which of reading and writing the error names. */
#include "unit.h"

#include "driver/core/inventory.h"
#include "driver/image/image.h"
#include "driver/program/kernel.h"

static struct geo_image image;

static void image_destroy(struct geo_object *object)
{
    (void)object;
}

static int setup(void **state)
{
    (void)state;
    if (geo_inventory_open() != ZE_RESULT_SUCCESS) {
        return 1;
    }
    struct geo_driver *driver = geo_inventory_driver(0);
    geo_object_init(&image.base, GEO_OBJECT_IMAGE, driver, image_destroy);
    image.device = &driver->devices[0];
    return 0;
}

/* Sets an image whose format kernels can read or write as the only argument of a kernel that does
 * what the flags say. Returns the text of the error. */
static const char *refusal(bool read, bool write, uint32_t flags)
{
    const struct geo_native_argument argument = {
        .kind = GEO_ARGUMENT_IMAGE, .flags = flags, .size = 8, .align = 8};
    const struct geo_native_kernel native = {.argument_count = 1, .argument_bytes = 8};
    struct geo_module module = {.device = image.device};
    uint8_t block[8] = {0};
    uint64_t local_bytes[1] = {0};
    struct geo_object *images[1] = {NULL};
    struct geo_kernel kernel = {.module = &module,
                                .native = &native,
                                .arguments = &argument,
                                .local_bytes = local_bytes,
                                .block = block,
                                .images = images};
    ze_image_handle_t handle = geo_image_handle(&image);
    image.info.kernels_read = read;
    image.info.kernels_write = write;
    assert_int_equal(geo_kernel_set_argument(&kernel, 0, sizeof(handle), &handle),
                     ZE_RESULT_ERROR_UNSUPPORTED_IMAGE_FORMAT);
    assert_null(images[0]);
    return geo_error_text();
}

static void the_error_of_an_image_names_what_its_format_lacks(void **state)
{
    (void)state;
    assert_non_null(strstr(refusal(false, true, 0), "kernels cannot read images"));
    assert_non_null(strstr(refusal(true, false, 0), "kernels cannot write images"));
    assert_non_null(strstr(refusal(false, false, 0), "kernels cannot read and write images"));
    assert_non_null(
        strstr(refusal(false, false, GEO_ARGUMENT_READ_ONLY), "kernels cannot read images"));
    assert_non_null(
        strstr(refusal(false, false, GEO_ARGUMENT_WRITE_ONLY), "kernels cannot write images"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_error_of_an_image_names_what_its_format_lacks),
    };
    return cmocka_run_group_tests_name("kernel", tests, setup, NULL);
}
