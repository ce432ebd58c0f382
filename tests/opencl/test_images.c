/* Tests of images and samplers. */
#include "harness.h"

#include <string.h>

static const cl_image_format rgba8 = {CL_RGBA, CL_UNSIGNED_INT8};

static cl_mem image_make(struct cl *cl, cl_mem_flags flags, const cl_image_format *format,
                         cl_mem_object_type type, size_t width, size_t height, size_t depth,
                         void *pointer)
{
    cl_int error;
    cl_image_desc desc = {.image_type = type, .image_width = width, .image_height = height};
    if (type == CL_MEM_OBJECT_IMAGE3D) {
        desc.image_depth = depth;
    } else if (type == CL_MEM_OBJECT_IMAGE2D_ARRAY || type == CL_MEM_OBJECT_IMAGE1D_ARRAY) {
        desc.image_array_size = depth;
    }
    cl_mem image = clCreateImage(cl->context, flags, format, &desc, pointer, &error);
    assert_cl(CL_SUCCESS, error);
    return image;
}

static void descriptors_are_checked(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_image_format unknown = {1, 2}, missing = {CL_RGBA, CL_UNORM_SHORT_565};
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 4, .image_height = 4};
    assert_null(clCreateImage(cl->context, 0, &unknown, &desc, NULL, &error));
    assert_cl(CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, error);
    assert_null(clCreateImage(cl->context, 0, &missing, &desc, NULL, &error));
    assert_cl(CL_IMAGE_FORMAT_NOT_SUPPORTED, error);
    assert_null(clCreateImage(cl->context, 0, &rgba8, NULL, NULL, &error));
    assert_cl(CL_INVALID_IMAGE_DESCRIPTOR, error);
    desc.image_row_pitch = 16; /* only with a pointer */
    assert_null(clCreateImage(cl->context, 0, &rgba8, &desc, NULL, &error));
    assert_cl(CL_INVALID_IMAGE_DESCRIPTOR, error);
    desc.image_row_pitch = 0;
    desc.mem_object = cl_ints(cl, 16);
    assert_null(clCreateImage(cl->context, 0, &rgba8, &desc, NULL, &error));
    assert_cl(CL_INVALID_OPERATION, error); /* 2D images in buffers are optional */
    clReleaseMemObject(desc.mem_object);
    desc.mem_object = NULL;
    desc.image_width = 1u << 30;
    assert_null(clCreateImage(cl->context, 0, &rgba8, &desc, NULL, &error));
    assert_cl(CL_INVALID_IMAGE_SIZE, error);
}

/* Every type of image: what is written into a box is read back from there. */
static void boxes_come_back(void **state)
{
    struct cl *cl = *state;
    static const cl_mem_object_type types[] = {CL_MEM_OBJECT_IMAGE1D, CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                               CL_MEM_OBJECT_IMAGE2D, CL_MEM_OBJECT_IMAGE2D_ARRAY,
                                               CL_MEM_OBJECT_IMAGE3D};
    for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        bool has_y = types[i] != CL_MEM_OBJECT_IMAGE1D;
        bool has_z = types[i] == CL_MEM_OBJECT_IMAGE3D || types[i] == CL_MEM_OBJECT_IMAGE2D_ARRAY;
        const size_t origin[3] = {1, has_y, has_z}, region[3] = {2, has_y ? 2 : 1, has_z ? 2 : 1};
        const size_t zero[3] = {0, 0, 0};
        const size_t whole[3] = {4, has_y ? 4 : 1, has_z ? 4 : 1};
        const cl_uint color[4] = {9, 8, 7, 300};
        unsigned char in[32], out[32] = {0}, all[256];
        cl_mem image = image_make(cl, 0, &rgba8, types[i], 4, has_y ? 4 : 1, 4, NULL);
        for (size_t k = 0; k < sizeof(in); k++) {
            in[k] = (unsigned char)(k + 1);
        }
        assert_cl(CL_SUCCESS,
                  clEnqueueFillImage(cl->queue, image, color, zero, whole, 0, NULL, NULL));
        assert_cl(CL_SUCCESS, clEnqueueWriteImage(cl->queue, image, CL_TRUE, origin, region, 0, 0,
                                                  in, 0, NULL, NULL));
        assert_cl(CL_SUCCESS, clEnqueueReadImage(cl->queue, image, CL_TRUE, origin, region, 0, 0,
                                                 out, 0, NULL, NULL));
        assert_memory_equal(in, out, 8 * region[1] * region[2]);
        assert_cl(CL_SUCCESS, clEnqueueReadImage(cl->queue, image, CL_TRUE, zero, whole, 0, 0, all,
                                                 0, NULL, NULL));
        assert_memory_equal(all, ((unsigned char[]){9, 8, 7, 255}), 4);
        size_t at = 4 + 16 * has_y + 64 * has_z;
        assert_memory_equal(all + at, in, 8);
        assert_cl(CL_INVALID_VALUE, clEnqueueReadImage(cl->queue, image, CL_TRUE, origin, whole, 0,
                                                       0, all, 0, NULL, NULL));
        clReleaseMemObject(image);
    }
}

/* The rows of a 1D array are its slices: the slice pitch is between them. */
static void rows_of_1d_arrays_are_slices(void **state)
{
    struct cl *cl = *state;
    const size_t zero[3] = {0, 0, 0}, whole[3] = {4, 2, 1};
    const cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY,
                                .image_width = 4,
                                .image_array_size = 2,
                                .image_row_pitch = 16,
                                .image_slice_pitch = 32};
    unsigned char memory[64], out[32];
    cl_int error;
    for (size_t i = 0; i < sizeof(memory); i++) {
        memory[i] = (unsigned char)i;
    }
    cl_mem image = clCreateImage(cl->context, CL_MEM_USE_HOST_PTR, &rgba8, &desc, memory, &error);
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS,
              clEnqueueReadImage(cl->queue, image, CL_TRUE, zero, whole, 0, 0, out, 0, NULL, NULL));
    assert_memory_equal(out, memory, 16);
    assert_memory_equal(out + 16, memory + 32, 16);
    clReleaseMemObject(image);
}

static void kernels_read_and_write(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    const cl_image_format real = {CL_RGBA, CL_FLOAT};
    const size_t global[2] = {4, 2}, zero[3] = {0, 0, 0}, whole[3] = {4, 2, 1};
    float in[32], out[32];
    for (int i = 0; i < 32; i++) {
        in[i] = (float)i;
    }
    cl_mem from = image_make(cl, CL_MEM_READ_ONLY | CL_MEM_COPY_HOST_PTR, &real,
                             CL_MEM_OBJECT_IMAGE2D, 4, 2, 1, in);
    cl_mem to = image_make(cl, CL_MEM_WRITE_ONLY, &real, CL_MEM_OBJECT_IMAGE2D, 4, 2, 1, NULL);
    cl_sampler sampler =
        clCreateSampler(cl->context, CL_FALSE, CL_ADDRESS_CLAMP_TO_EDGE, CL_FILTER_NEAREST, &error);
    assert_cl(CL_SUCCESS, error);
    cl_program program = cl_program_build(
        cl,
        "kernel void mirror(read_only image2d_t from, write_only image2d_t to, sampler_t s)\n"
        "{ int2 at = (int2)(get_global_id(0), get_global_id(1));\n"
        "  write_imagef(to, at, read_imagef(from, s, (int2)(3 - at.x, at.y)) * 2.0f); }",
        NULL);
    cl_kernel kernel = cl_kernel_of(program, "mirror", NULL);
    assert_cl(CL_INVALID_ARG_VALUE, clSetKernelArg(kernel, 0, sizeof(to), &to));
    cl_mem buffer = cl_ints(cl, 1);
    assert_cl(CL_INVALID_MEM_OBJECT, clSetKernelArg(kernel, 0, sizeof(buffer), &buffer));
    clReleaseMemObject(buffer);
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(from), &from));
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof(to), &to));
    assert_cl(CL_INVALID_SAMPLER, clSetKernelArg(kernel, 2, sizeof(to), &to));
    assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 2, sizeof(sampler), &sampler));
    assert_cl(CL_SUCCESS,
              clEnqueueNDRangeKernel(cl->queue, kernel, 2, NULL, global, NULL, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueReadImage(cl->queue, to, CL_TRUE, zero, whole, 0, 0, out, 0, NULL, NULL));
    for (int y = 0; y < 2; y++) {
        for (int x = 0; x < 4; x++) {
            assert_true(out[16 * y + 4 * x + 1] == 2 * in[16 * y + 4 * (3 - x) + 1]);
        }
    }
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clReleaseSampler(sampler);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
}

static void images_are_mapped_in_place(void **state)
{
    struct cl *cl = *state;
    cl_int error;
    unsigned char own[4 * 32] = {0};
    const size_t origin[3] = {1, 2, 0}, region[3] = {2, 1, 1};
    size_t row = 0;
    cl_image_desc desc = {.image_type = CL_MEM_OBJECT_IMAGE2D,
                          .image_width = 4,
                          .image_height = 4,
                          .image_row_pitch = 32};
    cl_mem image = clCreateImage(cl->context, CL_MEM_USE_HOST_PTR, &rgba8, &desc, own, &error);
    assert_cl(CL_SUCCESS, error);
    unsigned char *at = clEnqueueMapImage(cl->queue, image, CL_TRUE, CL_MAP_WRITE, origin, region,
                                          &row, NULL, 0, NULL, NULL, &error);
    assert_cl(CL_SUCCESS, error);
    assert_int_equal(row, 32);
    assert_ptr_equal(at, own + 64 + 4);
    memcpy(at, "abcdefgh", 8);
    assert_cl(CL_SUCCESS, clEnqueueUnmapMemObject(cl->queue, image, at, 0, NULL, NULL));
    unsigned char out[8];
    assert_cl(CL_SUCCESS, clEnqueueReadImage(cl->queue, image, CL_TRUE, origin, region, 0, 0, out,
                                             0, NULL, NULL));
    assert_memory_equal(out, "abcdefgh", 8);
    clReleaseMemObject(image);
}

static void buffers_and_images_exchange(void **state)
{
    struct cl *cl = *state;
    const cl_image_format word = {CL_R, CL_SIGNED_INT32};
    const size_t zero[3] = {0, 0, 0}, line[3] = {8, 1, 1};
    cl_int error;
    const int value = 77;
    cl_mem buffer = cl_ints(cl, 16);
    cl_image_desc desc = {
        .image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 8, .mem_object = buffer};
    cl_mem view = clCreateImage(cl->context, 0, &word, &desc, NULL, &error), parent = NULL;
    assert_cl(CL_SUCCESS, error);
    assert_cl(CL_SUCCESS, clGetImageInfo(view, CL_IMAGE_BUFFER, sizeof(parent), &parent, NULL));
    assert_ptr_equal(parent, buffer);
    assert_cl(CL_SUCCESS,
              clEnqueueFillImage(cl->queue, view, (int[]){5, 0, 0, 0}, zero, line, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 7), 5);
    assert_int_equal(cl_int_read(cl, buffer, 8), 0);
    cl_mem image = image_make(cl, 0, &word, CL_MEM_OBJECT_IMAGE2D, 8, 2, 1, NULL);
    assert_cl(CL_SUCCESS, clEnqueueFillBuffer(cl->queue, buffer, &value, 4, 0, 32, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueCopyBufferToImage(cl->queue, buffer, image, 0, zero, line, 0, NULL, NULL));
    assert_cl(CL_SUCCESS,
              clEnqueueCopyImageToBuffer(cl->queue, image, buffer, zero, line, 32, 0, NULL, NULL));
    assert_int_equal(cl_int_read(cl, buffer, 15), 77);
    assert_cl(CL_MEM_COPY_OVERLAP,
              clEnqueueCopyImage(cl->queue, image, image, zero, zero, line, 0, NULL, NULL));
    clReleaseMemObject(image);
    clReleaseMemObject(view);
    clReleaseMemObject(buffer);
}

/* Every format that is listed works: a colour is written and read by kernels of its kind. */
static void formats_hold_colours(void **state)
{
    struct cl *cl = *state;
    cl_image_format formats[64];
    cl_uint count = 0;
    const size_t zero[3] = {0, 0, 0}, one[3] = {1, 1, 1}, global = 1;
    assert_cl(CL_SUCCESS, clGetSupportedImageFormats(cl->context, 0, CL_MEM_OBJECT_IMAGE2D, 64,
                                                     formats, &count));
    assert_true(count >= 16 && count <= 64);
    cl_program program = cl_program_build(cl,
                                          "kernel void f(read_only image2d_t i, global float *o)\n"
                                          "{ vstore4(read_imagef(i, (int2)(0)), 0, o); }\n"
                                          "kernel void s(read_only image2d_t i, global int *o)\n"
                                          "{ vstore4(read_imagei(i, (int2)(0)), 0, o); }\n"
                                          "kernel void u(read_only image2d_t i, global uint *o)\n"
                                          "{ vstore4(read_imageui(i, (int2)(0)), 0, o); }\n",
                                          NULL);
    for (cl_uint i = 0; i < count; i++) {
        cl_channel_type type = formats[i].image_channel_data_type;
        bool is_signed = type >= CL_SIGNED_INT8 && type <= CL_SIGNED_INT32;
        bool is_unsigned = type >= CL_UNSIGNED_INT8 && type <= CL_UNSIGNED_INT32;
        const float reals[4] = {1.0f, 0.0f, 0.0f, 1.0f};
        const cl_uint words[4] = {100, 2, 3, 4};
        const void *color = is_signed || is_unsigned ? (const void *)words : (const void *)reals;
        unsigned channels = formats[i].image_channel_order == CL_R    ? 1
                            : formats[i].image_channel_order == CL_RG ? 2
                                                                      : 4;
        cl_mem image = image_make(cl, 0, &formats[i], CL_MEM_OBJECT_IMAGE2D, 1, 1, 1, NULL);
        cl_mem buffer = cl_ints(cl, 4);
        assert_cl(CL_SUCCESS,
                  clEnqueueFillImage(cl->queue, image, color, zero, one, 0, NULL, NULL));
        cl_kernel kernel = cl_kernel_of(program, is_signed ? "s" : is_unsigned ? "u" : "f", NULL);
        assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 0, sizeof(image), &image));
        assert_cl(CL_SUCCESS, clSetKernelArg(kernel, 1, sizeof(buffer), &buffer));
        assert_cl(CL_SUCCESS,
                  clEnqueueNDRangeKernel(cl->queue, kernel, 1, NULL, &global, NULL, 0, NULL, NULL));
        for (unsigned k = 0; k < channels; k++) {
            int got = cl_int_read(cl, buffer, k), wanted;
            memcpy(&wanted, (const char *)color + 4 * k, 4);
            assert_int_equal(got, wanted);
        }
        clReleaseKernel(kernel);
        clReleaseMemObject(image);
        clReleaseMemObject(buffer);
    }
    clReleaseProgram(program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CL_CASE(descriptors_are_checked),      CL_CASE(boxes_come_back),
        CL_CASE(rows_of_1d_arrays_are_slices), CL_CASE(kernels_read_and_write),
        CL_CASE(images_are_mapped_in_place),   CL_CASE(buffers_and_images_exchange),
        CL_CASE(formats_hold_colours),
    };
    return cmocka_run_group_tests_name("images", tests, NULL, NULL);
}
