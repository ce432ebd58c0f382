// SYCL source, compiled at run time by SYCL's own JIT, on whatever device the selector names: what DPC++ emits, run and checked.
//
//     usage: sycl_jit [KERNEL...]      (run_clients builds and starts it)
//
// The host side needs no SYCL compiler. Every kernel is a free function in a source of its own, so that one that does not
// build costs itself only. One line per kernel; the exit status says whether all were right.
#include <sycl/sycl.hpp>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace exp_ns = sycl::ext::oneapi::experimental;

static const char preamble[] = R"(
#include <sycl/sycl.hpp>
namespace syclexp = sycl::ext::oneapi::experimental;
using sycl::ext::oneapi::this_work_item::get_nd_item;
#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) void
#define KERNEL_16 extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::sub_group_size<16>)) \
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) void
)";

constexpr size_t COUNT = 4096, GROUP = 128;

// Two inputs and an output of one type, filled with small numbers.
template <typename T> struct Data {
    explicit Data(sycl::queue &queue)
        : queue(queue), a(sycl::malloc_shared<T>(COUNT, queue)), b(sycl::malloc_shared<T>(COUNT, queue)),
          c(sycl::malloc_shared<T>(COUNT, queue))
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

static void launch(sycl::queue &queue, const sycl::kernel &kernel, const Setup &arguments)
{
    queue
        .submit([&](sycl::handler &handler) {
            arguments(handler);
            handler.parallel_for(sycl::nd_range<1>(COUNT, GROUP), kernel);
        })
        .wait_and_throw();
}

// Runs kernel(a, b, c) and compares c with what `wanted` gives for each item.
template <typename T>
static bool check(sycl::queue &queue, const sycl::kernel &kernel, const std::function<double(const Data<T> &, size_t)> &wanted,
                  double tolerance = 0)
{
    Data<T> data(queue);
    launch(queue, kernel, [&](sycl::handler &handler) { handler.set_args(data.a, data.b, data.c); });
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
    const char *name, *source;
    std::function<bool(sycl::queue &, const sycl::kernel &)> run;
};

static const Step steps[] = {
    {"vector_add", R"(KERNEL vector_add(const float *a, const float *b, float *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = a[i] + b[i]; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<float>(queue, kernel, [](const Data<float> &d, size_t i) { return d.a[i] + d.b[i]; });
     }},
    {"doubles", R"(KERNEL doubles(const double *a, const double *b, double *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = sycl::sqrt(b[i]) * sycl::sin(a[i]); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<double>(
             queue, kernel, [](const Data<double> &d, size_t i) { return std::sqrt(d.b[i]) * std::sin(d.a[i]); }, 1e-14);
     }},
    {"halves", R"(KERNEL halves(const sycl::half *a, const sycl::half *b, sycl::half *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = a[i] * b[i] + a[i]; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<sycl::half>(queue, kernel, [](const Data<sycl::half> &d, size_t i) {
             return static_cast<double>(static_cast<float>(d.a[i]) * static_cast<float>(d.b[i]) + static_cast<float>(d.a[i]));
         });
     }},
    {"divergent_loops", R"(KERNEL divergent_loops(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        unsigned n = i + 1; int steps = 0;
        while (n != 1) { if (n & 1) n = 3 * n + 1; else n /= 2; if (++steps > 300) break; }
        c[i] = steps + (a[i] > 3 ? b[i] : 0); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             unsigned n = static_cast<unsigned>(i) + 1;
             int count = 0;
             while (n != 1) {
                 n = n & 1 ? 3 * n + 1 : n / 2;
                 if (++count > 300) {
                     break;
                 }
             }
             return static_cast<double>(count + (d.a[i] > 3 ? d.b[i] : 0));
         });
     }},
    {"local_memory", R"(KERNEL local_memory(const float *a, const float *b, float *c, sycl::local_accessor<float, 1> tile) {
        auto item = get_nd_item<1>();
        size_t row = item.get_group(0) % 8, l = item.get_local_id(0);
        float sum = 0;
        for (size_t k = 0; k < 256; k += 128) {
            tile[l] = a[row * 256 + k + l];
            item.barrier(sycl::access::fence_space::local_space);
            for (size_t j = 0; j < 128; j++) sum += tile[j] * b[(k + j) * 16 % 4096 + l % 16];
            item.barrier(sycl::access::fence_space::local_space);
        }
        c[item.get_global_id(0)] = sum; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         Data<float> d(queue);
         queue
             .submit([&](sycl::handler &handler) {
                 handler.set_args(d.a, d.b, d.c, sycl::local_accessor<float, 1>(GROUP, handler));
                 handler.parallel_for(sycl::nd_range<1>(COUNT, GROUP), kernel);
             })
             .wait_and_throw();
         for (size_t i = 0; i < COUNT; i++) {
             float sum = 0; // whole numbers: exact in any order
             for (size_t k = 0; k < 256; k++) {
                 sum += d.a[i / GROUP % 8 * 256 + k] * d.b[k * 16 % 4096 + i % GROUP % 16];
             }
             if (d.c[i] != sum) {
                 std::printf("    item %zu: %g instead of %g\n", i, static_cast<double>(d.c[i]), static_cast<double>(sum));
                 return false;
             }
         }
         return true;
     }},
    {"float_atomics", R"(KERNEL float_atomics(const float *a, const float *b, float *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        sycl::atomic_ref<float, sycl::memory_order::relaxed, sycl::memory_scope::device> sum(c[i % 4]);
        sum.fetch_add(a[i]); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<float>(queue, kernel, [](const Data<float> &d, size_t i) {
             double sum = 0;
             for (size_t k = i; i < 4 && k < COUNT; k += 4) {
                 sum += d.a[k];
             }
             return sum;
         });
     }},
    {"group_reduction", R"(KERNEL group_reduction(const int *a, const int *b, int *c) {
        auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
        c[i] = sycl::reduce_over_group(item.get_group(), a[i], sycl::plus<int>()) * 100
             + sycl::reduce_over_group(item.get_group(), b[i], sycl::maximum<int>()); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             int sum = 0, most = 0;
             for (size_t k = i / GROUP * GROUP; k < (i / GROUP + 1) * GROUP; k++) {
                 sum += d.a[k];
                 most = std::max(most, d.b[k]);
             }
             return static_cast<double>(sum * 100 + most);
         });
     }},
    {"group_scan", R"(KERNEL group_scan(const int *a, const int *b, int *c) {
        auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
        c[i] = sycl::inclusive_scan_over_group(item.get_group(), a[i], sycl::plus<int>())
             + sycl::exclusive_scan_over_group(item.get_group(), b[i], sycl::plus<int>()); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             int sum = -d.b[i];
             for (size_t k = i / GROUP * GROUP; k <= i; k++) {
                 sum += d.a[k] + d.b[k];
             }
             return static_cast<double>(sum);
         });
     }},
    {"sub_groups", R"(KERNEL_16 sub_groups(const int *a, const int *b, int *c) {
        auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
        auto sub = item.get_sub_group();
        int sum = sycl::reduce_over_group(sub, a[i], sycl::plus<int>());
        int scan = sycl::inclusive_scan_over_group(sub, b[i], sycl::plus<int>());
        int next = sycl::select_from_group(sub, a[i], (sub.get_local_linear_id() + 1) % 16);
        int all = sycl::all_of_group(sub, b[i] < 17) + 2 * sycl::any_of_group(sub, a[i] > 16);
        c[i] = sum + 1000 * scan + 7 * next + 5 * all; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             size_t begin = i / 16 * 16;
             int sum = 0, scan = 0, all = 1, any = 0;
             for (size_t k = begin; k < begin + 16; k++) {
                 sum += d.a[k];
                 scan += k <= i ? d.b[k] : 0;
                 all &= d.b[k] < 17;
                 any |= d.a[k] > 16;
             }
             int next = d.a[begin + (i - begin + 1) % 16];
             return static_cast<double>(sum + 1000 * scan + 7 * next + 5 * (all + 2 * any));
         });
     }},
};

static bool step_run(sycl::queue &queue, const Step &step)
{
    try {
        auto source = exp_ns::create_kernel_bundle_from_source(queue.get_context(), exp_ns::source_language::sycl,
                                                               std::string(preamble) + step.source);
        auto bundle = exp_ns::build(source);
        return step.run(queue, bundle.ext_oneapi_get_kernel(step.name));
    } catch (const std::exception &error) {
        std::printf("    %.300s\n", error.what());
        return false;
    }
}

int main(int argc, char **argv)
{
    sycl::queue queue;
    unsigned failed = 0, ran = 0;
    std::setvbuf(stdout, nullptr, _IOLBF, 0);
    std::printf("%s\n", queue.get_device().get_info<sycl::info::device::name>().c_str());
    for (const Step &step : steps) {
        bool wanted = argc == 1;
        for (int i = 1; i < argc; i++) {
            wanted |= std::strcmp(argv[i], step.name) == 0;
        }
        if (wanted) {
            bool good = step_run(queue, step);
            std::printf("%s %s\n", good ? "passed" : "FAILED", step.name);
            failed += !good;
            ran++;
        }
    }
    std::printf("sycl: %u kernels right, %u not\n", ran - failed, failed);
    return failed || !ran;
}
