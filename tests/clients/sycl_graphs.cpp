// Graphs and images of SYCL, as its extensions have them: recorded, built and changed command graphs, bindless images.
#include "sycl_jit.hpp"

#include <sycl/ext/oneapi/bindless_images.hpp>
#include <sycl/ext/oneapi/experimental/graph.hpp>

namespace exp_ns = sycl::ext::oneapi::experimental;

// c = 2 c + a: what it gives says how often it ran, and behind what.
static const char doubling[] = R"((const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = 2 * c[i] + a[i]; })";

static void append(sycl::handler &handler, const sycl::kernel &kernel, const int *a, const int *b, int *c)
{
    handler.set_args(a, b, c);
    handler.parallel_for(sycl::nd_range<1>(COUNT, GROUP), kernel);
}

static bool all(const int *got, const std::function<int(size_t)> &wanted)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (got[i] != wanted(i)) {
            std::printf("    item %zu: %d instead of %d\n", i, got[i], wanted(i));
            return false;
        }
    }
    return true;
}

// A queue's commands are recorded, not run; what is made of them runs as often as it is asked for, on what memory has then.
static bool records(sycl::queue &queue, const sycl::kernel &kernel)
{
    Data<int> d(queue);
    exp_ns::command_graph graph(queue.get_context(), queue.get_device());
    graph.begin_recording(queue);
    sycl::event filled = queue.submit([&](sycl::handler &handler) { handler.memset(d.c, 1, COUNT * sizeof(int)); });
    sycl::event once = queue.submit([&](sycl::handler &handler) {
        handler.depends_on(filled);
        append(handler, kernel, d.a, d.b, d.c);
    });
    sycl::event copied = queue.submit([&](sycl::handler &handler) {
        handler.depends_on(once);
        handler.memcpy(d.b, d.c, COUNT * sizeof(int));
    });
    queue.submit([&](sycl::handler &handler) {
        handler.depends_on(copied);
        append(handler, kernel, d.b, d.a, d.c);
    });
    graph.end_recording(queue);
    bool untouched = all(d.c, [](size_t) { return 0; });
    auto executable = graph.finalize();
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < COUNT; i++) {
            d.a[i] = static_cast<int>(i) + round;
        }
        queue.ext_oneapi_graph(executable).wait_and_throw();
        if (!all(d.c, [round](size_t i) { return 3 * (2 * 0x01010101 + static_cast<int>(i) + round); })) {
            return false;
        }
    }
    return untouched;
}

// Two branches meet; the graph is part of another.
static bool joins(sycl::queue &queue, const sycl::kernel &kernel)
{
    Data<int> d(queue), other(queue);
    exp_ns::command_graph inner(queue.get_context(), queue.get_device()), outer(queue.get_context(), queue.get_device());
    auto left = inner.add([&](sycl::handler &handler) { append(handler, kernel, d.a, d.b, d.c); });
    auto right = inner.add([&](sycl::handler &handler) { append(handler, kernel, d.b, d.a, other.c); });
    inner.add([&](sycl::handler &handler) { append(handler, kernel, other.c, d.b, d.c); },
              {exp_ns::property::node::depends_on(left, right)});
    auto part = inner.finalize();
    auto before = outer.add([&](sycl::handler &handler) { handler.memset(d.c, 5, COUNT * sizeof(int)); });
    auto cleared = outer.add([&](sycl::handler &handler) { handler.memset(other.c, 0, COUNT * sizeof(int)); });
    outer.add([&](sycl::handler &handler) { handler.ext_oneapi_graph(part); },
              {exp_ns::property::node::depends_on(before, cleared)});
    auto whole = outer.finalize();
    for (int round = 0; round < 2; round++) {
        queue.ext_oneapi_graph(whole).wait_and_throw();
        if (!all(d.c, [&](size_t i) { return 2 * (2 * 0x05050505 + d.a[i]) + d.b[i]; })) {
            return false;
        }
    }
    return true;
}

// Arguments and range of a node change between runs.
static bool updates(sycl::queue &queue, const sycl::kernel &kernel)
{
    Data<int> d(queue), other(queue);
    exp_ns::command_graph graph(queue.get_context(), queue.get_device());
    exp_ns::dynamic_parameter<int *> input(d.a), output(d.c);
    auto node = graph.add([&](sycl::handler &handler) {
        handler.set_arg(0, input);
        handler.set_arg(1, d.b);
        handler.set_arg(2, output);
        handler.parallel_for(sycl::nd_range<1>(COUNT, GROUP), kernel);
    });
    auto executable = graph.finalize(exp_ns::property::graph::updatable{});
    queue.ext_oneapi_graph(executable).wait_and_throw();
    input.update(d.b);
    output.update(other.c);
    executable.update(node);
    queue.ext_oneapi_graph(executable).wait_and_throw();
    node.update_nd_range(sycl::nd_range<1>(COUNT / 2, GROUP / 2));
    executable.update(node);
    queue.ext_oneapi_graph(executable).wait_and_throw();
    return all(d.c, [&](size_t i) { return d.a[i]; }) &&
           all(other.c, [&](size_t i) { return i < COUNT / 2 ? 3 * d.b[i] : d.b[i]; });
}

/* ---- images ---- */

constexpr size_t WIDTH = 64, HEIGHT = COUNT / WIDTH;

// Pixels of floats are read at whole places and between them, and written.
static bool samples(sycl::queue &queue, const sycl::kernel &kernel)
{
    Data<float> d(queue);
    exp_ns::image_descriptor shape({WIDTH, HEIGHT}, 1, sycl::image_channel_type::fp32);
    exp_ns::image_mem from(shape, queue), to(shape, queue);
    exp_ns::bindless_image_sampler linear(sycl::addressing_mode::clamp_to_edge, sycl::coordinate_normalization_mode::unnormalized,
                                          sycl::filtering_mode::linear);
    queue.ext_oneapi_copy(d.a, from.get_handle(), shape).wait_and_throw();
    auto sampled = exp_ns::create_image(from, linear, shape, queue);
    auto written = exp_ns::create_image(to, shape, queue);
    launch(queue, kernel, [&](sycl::handler &handler) {
        handler.set_args(d.a, d.b, d.c, sampled.raw_handle, written.raw_handle);
    });
    queue.ext_oneapi_copy(to.get_handle(), d.b, shape).wait_and_throw();
    exp_ns::destroy_image_handle(sampled, queue);
    exp_ns::destroy_image_handle(written, queue);
    for (size_t i = 0; i < COUNT; i++) {
        size_t right = i % WIDTH + 1 < WIDTH ? i + 1 : i;
        float between = 0.5f * d.a[i] + 0.5f * d.a[right];
        if (d.c[i] != between || d.b[i] != 3 * d.a[i]) {
            std::printf("    pixel %zu: %g and %g instead of %g and %g\n", i, static_cast<double>(d.c[i]),
                        static_cast<double>(d.b[i]), static_cast<double>(between), static_cast<double>(3 * d.a[i]));
            return false;
        }
    }
    return true;
}

std::vector<Step> graph_steps()
{
    return {
        {"graph_recorded", std::string("KERNEL graph_recorded") + doubling, records},
        {"graph_joined", std::string("KERNEL graph_joined") + doubling, joins},
        {"graph_updated", std::string("KERNEL graph_updated") + doubling, updates},
        {"images", R"(#include <sycl/ext/oneapi/bindless_images.hpp>
        KERNEL images(const float *a, const float *b, float *c, unsigned long sampled, unsigned long written) {
        size_t i = get_nd_item<1>().get_global_linear_id(); int x = i % 64, y = i / 64;
        c[i] = syclexp::sample_image<float>(syclexp::sampled_image_handle(sampled), sycl::float2(x + 1, y + 0.5f));
        syclexp::write_image(syclexp::unsampled_image_handle(written), sycl::int2(x, y),
                             3 * syclexp::sample_image<float>(syclexp::sampled_image_handle(sampled), sycl::float2(x + 0.5f, y + 0.5f))); })",
         samples},
    };
}
