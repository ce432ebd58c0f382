// Shared by the files of sycl_jit: buffers, launches, comparing, and what a step of the program is.
#ifndef GEOID_TESTS_SYCL_JIT_HPP
#define GEOID_TESTS_SYCL_JIT_HPP

#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

constexpr size_t COUNT = 4096, GROUP = 128;

// Two inputs and an output of one type, filled with small numbers.
template <typename T> struct Data {
    explicit Data(sycl::queue &queue)
        : queue(queue), a(sycl::malloc_shared<T>(COUNT, queue)),
          b(sycl::malloc_shared<T>(COUNT, queue)), c(sycl::malloc_shared<T>(COUNT, queue))
    {
        for (size_t i = 0; i < COUNT; i++) {
            a[i] = static_cast<T>(static_cast<int>(i * 7 % 23) - 5);
            b[i] = static_cast<T>(static_cast<int>(i * 5 % 17) + 1);
            c[i] = static_cast<T>(0);
        }
    }
    ~Data()
    {
        sycl::free(a, queue);
        sycl::free(b, queue);
        sycl::free(c, queue);
    }
    Data(const Data &) = delete;
    Data &operator=(const Data &) = delete;

    sycl::queue &queue;
    T *a, *b, *c;
};

using Setup = std::function<void(sycl::handler &)>;

inline void launch(sycl::queue &queue, const sycl::kernel &kernel, const Setup &arguments,
                   size_t count = COUNT, size_t group = GROUP)
{
    queue
        .submit([&](sycl::handler &handler) {
            arguments(handler);
            handler.parallel_for(sycl::nd_range<1>(count, group), kernel);
        })
        .wait_and_throw();
}

// Runs kernel(a, b, c) and compares c with what `wanted` gives for each item.
template <typename T>
bool check(sycl::queue &queue, const sycl::kernel &kernel,
           const std::function<double(const Data<T> &, size_t)> &wanted, double tolerance = 0)
{
    Data<T> data(queue);
    launch(queue, kernel,
           [&](sycl::handler &handler) { handler.set_args(data.a, data.b, data.c); });
    for (size_t i = 0; i < COUNT; i++) {
        double expected = wanted(data, i), got = static_cast<double>(data.c[i]);
        if (!(std::fabs(got - expected) <= tolerance * std::fabs(expected))) {
            std::printf("    item %zu: %.9g instead of %.9g\n", i, got, expected);
            return false;
        }
    }
    return true;
}

struct Step {
    std::string name, source;
    std::function<bool(sycl::queue &, const sycl::kernel &)> run;
    bool apart = false;      // runs only when it is named
    std::string option = ""; // of the compiler
};

// Sub-groups at every size, moved values of every type, groups within sub-groups (sycl_groups.cpp).
std::vector<Step> group_steps();
// Command graphs and bindless images (sycl_graphs.cpp).
std::vector<Step> graph_steps();
std::vector<Step> global_steps();
// joint_matrix (sycl_matrices.cpp).
std::vector<Step> matrix_steps();

// Builds a source after the preamble that all steps share (sycl_jit.cpp).
sycl::kernel_bundle<sycl::bundle_state::executable>
bundle_build(sycl::queue &queue, const std::string &source, const std::string &option = "");

#endif
