// Steps of sycl_jit about variables of device code (sycl_ext_oneapi_device_global).
#include "sycl_jit.hpp"

// Launches that read and change a variable, which the host reads and writes by its address between them.
static bool device_globals(sycl::queue &queue, const sycl::kernel &kernel)
{
    auto bundle = kernel.get_kernel_bundle();
    if (!bundle.ext_oneapi_has_device_global("totals")) {
        std::printf("    the bundle has no variable \"totals\"\n");
        return false;
    }
    void *totals = bundle.ext_oneapi_get_device_global_address("totals", queue.get_device());
    Data<int> data(queue);
    std::vector<int> values(COUNT);
    auto run = [&] {
        launch(queue, kernel, [&](sycl::handler &handler) { handler.set_args(data.a, data.b, data.c); });
    };
    run();
    queue.memcpy(values.data(), totals, COUNT * sizeof(int)).wait_and_throw();
    for (size_t i = 0; i < COUNT; i++) {
        if (data.c[i] != 0 || values[i] != data.a[i]) {
            std::printf("    item %zu: %d and then %d instead of 0 and %d\n", i, data.c[i], values[i], data.a[i]);
            return false;
        }
        values[i] = static_cast<int>(i) * 3;
    }
    queue.memcpy(totals, values.data(), COUNT * sizeof(int)).wait_and_throw();
    run();
    queue.memcpy(values.data(), totals, COUNT * sizeof(int)).wait_and_throw();
    for (size_t i = 0; i < COUNT; i++) {
        int written = static_cast<int>(i) * 3;
        if (data.c[i] != written || values[i] != written + data.a[i]) {
            std::printf("    item %zu: %d and then %d instead of %d and %d\n", i, data.c[i], values[i], written,
                        written + data.a[i]);
            return false;
        }
    }
    return true;
}

std::vector<Step> global_steps()
{
    return {
        {"device_globals", R"(syclexp::device_global<int[4096]> totals;
        KERNEL device_globals(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = totals[i]; totals[i] += a[i]; })",
         device_globals},
    };
}
