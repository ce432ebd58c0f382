/* Kernels of modules that no compiler made: the default group size, and which of reading and
 * writing an image the error names. */
#include "unit.h"

#include "driver/core/inventory.h"
#include "driver/image/image.h"
#include "driver/program/kernel.h"

static struct geo_image image;

static void object_destroy(struct geo_object *object)
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
    geo_object_init(&image.base, GEO_OBJECT_IMAGE, driver, object_destroy);
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

static const struct geo_backend_kernel *kernel_stub(struct geo_backend_program *program,
                                                    uint32_t index)
{
    (void)index;
    return (const void *)program;
}

static uint32_t argument_bytes_stub(const struct geo_backend_kernel *kernel)
{
    (void)kernel;
    return 0;
}

static uint64_t local_bytes_stub(const struct geo_backend_kernel *kernel, const uint64_t *sizes)
{
    (void)kernel;
    (void)sizes;
    return 0;
}

/* Creates a kernel with these limits and expects its default group size to be this wide. */
static void expect_width(const uint32_t max_size[3], uint32_t width)
{
    static const char strings[] = "\0kernel";
    struct geo_driver *driver = geo_inventory_driver(0);
    const struct geo_backend_ops *before = driver->ops;
    struct geo_program_ops program_ops = *before->program;
    struct geo_backend_ops ops = *before;
    const struct geo_native_header header = {.kernel_count = 1};
    const struct geo_native_kernel native = {.name = 1,
                                             .preferred_multiple = 8,
                                             .subgroup_size = 8,
                                             .max_size = {max_size[0], max_size[1], max_size[2]}};
    struct geo_module_binary binary = {
        .references = 1, .view = {.header = &header, .kernels = &native, .strings = strings}};
    struct geo_module_part part = {
        .binary = &binary, .native = &binary, .program = (void *)&binary};
    struct geo_module module = {.device = &driver->devices[0], .binary = &binary, .part = &part};
    struct geo_kernel *kernel;
    geo_object_init(&module.base, GEO_OBJECT_MODULE, driver, object_destroy);
    program_ops.kernel = kernel_stub;
    program_ops.argument_bytes = argument_bytes_stub;
    program_ops.local_bytes = local_bytes_stub;
    ops.program = &program_ops;
    driver->ops = &ops;
    assert_int_equal(geo_kernel_create(&module, "kernel", &kernel), ZE_RESULT_SUCCESS);
    driver->ops = before;
    assert_int_equal(kernel->group_size[0], width);
    assert_int_equal(kernel->group_size[1], 1);
    assert_int_equal(kernel->group_size[2], 1);
    assert_true(geo_kernel_allows_group_size(kernel, kernel->group_size));
    geo_object_close(&kernel->base);
}

static void the_default_group_size_keeps_the_limits_of_the_kernel(void **state)
{
    (void)state;
    expect_width((uint32_t[]){0, 0, 0}, 8);
    expect_width((uint32_t[]){64, 1, 1}, 8);
    expect_width((uint32_t[]){4, 1, 1}, 4);
    expect_width((uint32_t[]){2, 8, 1}, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_default_group_size_keeps_the_limits_of_the_kernel),
        cmocka_unit_test(the_error_of_an_image_names_what_its_format_lacks),
    };
    return cmocka_run_group_tests_name("kernel", tests, setup, NULL);
}
