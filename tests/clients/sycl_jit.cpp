// SYCL source, compiled at run time by SYCL's own JIT, on whatever device the selector names: what DPC++ emits, run and checked.
//
//     usage: sycl_jit [KERNEL...]      (run_clients builds and starts it)
//
// The host side needs no SYCL compiler. Every kernel is a free function in a source of its own, so that one that does not
// build costs itself only. One line per kernel; the exit status says whether all were right.
#include "sycl_jit.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <set>
#include <sstream>
#include <utility>

#include <sys/wait.h>
#include <unistd.h>

namespace exp_ns = sycl::ext::oneapi::experimental;

static const char preamble[] = R"(
#include <sycl/sycl.hpp>
namespace syclexp = sycl::ext::oneapi::experimental;
using sycl::ext::oneapi::this_work_item::get_nd_item;
#define KERNEL extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) void
#define KERNEL_OF(width) extern "C" SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::sub_group_size<width>)) \
    SYCL_EXT_ONEAPI_FUNCTION_PROPERTY((syclexp::nd_range_kernel<1>)) void
)";

// What `work` writes to standard output.
static std::string caught(const std::function<void()> &work)
{
    std::FILE *file = std::tmpfile();
    std::fflush(stdout);
    int kept = dup(STDOUT_FILENO);
    dup2(fileno(file), STDOUT_FILENO);
    work();
    std::fflush(stdout);
    dup2(kept, STDOUT_FILENO);
    close(kept);
    std::rewind(file);
    std::string text;
    for (int c = std::fgetc(file); c != EOF; c = std::fgetc(file)) {
        text += static_cast<char>(c);
    }
    std::fclose(file);
    return text;
}

static bool prints(sycl::queue &queue, const sycl::kernel &kernel)
{
    std::multiset<std::string> wanted, got;
    bool right = false;
    std::istringstream text(caught([&] {
        right = check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
            return static_cast<double>(d.a[i]);
        });
    }));
    for (std::string line; std::getline(text, line);) {
        got.insert(line);
    }
    for (int i = 3; i < static_cast<int>(COUNT); i += 5) {
        char line[100];
        std::snprintf(line, sizeof(line), "item %d: %d in words, %.3f, %lx", i, i * 7 % 23 - 5,
                      i * 0.125, static_cast<unsigned long>(i) << 33);
        wanted.insert(line);
    }
    if (got != wanted) {
        std::printf("    %zu lines instead of %zu, the first: %s\n", got.size(), wanted.size(),
                    got.empty() ? "" : got.begin()->c_str());
    }
    return right && got == wanted;
}

// An assertion that holds, and one that fails, in a process of its own: it ends in abort with a message.
static bool asserts(sycl::queue &queue, const sycl::kernel &kernel)
{
    bool right = check<int>(
        queue, kernel, [](const Data<int> &d, size_t i) { return static_cast<double>(d.a[i]); });
    char self[4096] = "";
    if (readlink("/proc/self/exe", self, sizeof(self) - 1) < 0) {
        return false;
    }
    std::FILE *child = popen(("exec '" + std::string(self) + "' failing_assert 2>&1").c_str(), "r");
    std::string text;
    for (int c = std::fgetc(child); c != EOF; c = std::fgetc(child)) {
        text += static_cast<char>(c);
    }
    int status = pclose(child);
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    bool said = text.find("global id: [3,0,0], local id: [3,0,0] Assertion `i != 3` failed.") !=
                std::string::npos;
    if (!aborted || !said) {
        std::printf("    status 0x%x, %s\n", static_cast<unsigned>(status), text.c_str());
    }
    return right && aborted && said;
}

static const Step single_steps[] = {
    {"vector_add", R"(KERNEL vector_add(const float *a, const float *b, float *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = a[i] + b[i]; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<float>(queue, kernel,
                             [](const Data<float> &d, size_t i) { return d.a[i] + d.b[i]; });
     }},
    {"doubles", R"(KERNEL doubles(const double *a, const double *b, double *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = sycl::sqrt(b[i]) * sycl::sin(a[i]); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<double>(
             queue, kernel,
             [](const Data<double> &d, size_t i) { return std::sqrt(d.b[i]) * std::sin(d.a[i]); },
             1e-14);
     }},
    {"halves", R"(KERNEL halves(const sycl::half *a, const sycl::half *b, sycl::half *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); c[i] = a[i] * b[i] + a[i]; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<sycl::half>(queue, kernel, [](const Data<sycl::half> &d, size_t i) {
             return static_cast<double>(static_cast<float>(d.a[i]) * static_cast<float>(d.b[i]) +
                                        static_cast<float>(d.a[i]));
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
    {"local_memory",
     R"(KERNEL local_memory(const float *a, const float *b, float *c, sycl::local_accessor<float, 1> tile) {
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
                 std::printf("    item %zu: %g instead of %g\n", i, static_cast<double>(d.c[i]),
                             static_cast<double>(sum));
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
    {"sub_groups", R"(KERNEL_OF(16) sub_groups(const int *a, const int *b, int *c) {
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
    {"sub_groups_of_8", R"(KERNEL_OF(8) sub_groups_of_8(const float *a, const float *b, float *c) {
        auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
        auto sub = item.get_sub_group();
        float before = sycl::exclusive_scan_over_group(sub, a[i], sycl::plus<float>());
        float crossed = sycl::permute_group_by_xor(sub, b[i], 3);
        float next = sycl::shift_group_left(sub, b[i], 1);
        float fifth = sycl::group_broadcast(sub, a[i], 5);
        c[i] = before + 100 * crossed + (sub.get_local_linear_id() < 7 ? 1000 * next : 0) + 10000 * fifth
             + 2 * sub.get_group_linear_id(); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<float>(queue, kernel, [](const Data<float> &d, size_t i) {
             size_t begin = i / 8 * 8, lane = i - begin;
             float before = 0; // whole numbers: exact in any order
             for (size_t k = begin; k < i; k++) {
                 before += d.a[k];
             }
             return before + 100 * d.b[begin + (lane ^ 3)] + (lane < 7 ? 1000 * d.b[i + 1] : 0) +
                    10000 * d.a[begin + 5] + 2 * static_cast<float>(i % GROUP / 8);
         });
     }},
    {"sub_groups_of_32",
     R"(KERNEL_OF(32) sub_groups_of_32(const double *a, const double *b, double *c) {
        auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
        auto sub = item.get_sub_group();
        double scan = sycl::inclusive_scan_over_group(sub, a[i], sycl::plus<double>());
        double least = sycl::reduce_over_group(sub, b[i], sycl::minimum<double>());
        double before = sycl::shift_group_right(sub, b[i], 2);
        c[i] = scan + 100 * least + (sub.get_local_linear_id() >= 2 ? 1000 * before : 0) + 7 * sub.get_max_local_range()[0]; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<double>(queue, kernel, [](const Data<double> &d, size_t i) {
             size_t begin = i / 32 * 32;
             double scan = 0, least = d.b[begin];
             for (size_t k = begin; k < begin + 32; k++) {
                 scan += k <= i ? d.a[k] : 0;
                 least = std::min(least, d.b[k]);
             }
             return scan + 100 * least + (i - begin >= 2 ? 1000 * d.b[i - 2] : 0) + 7 * 32;
         });
     }},
    {"double_atomics", R"(KERNEL double_atomics(const double *a, const double *b, double *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        using Atomic = sycl::atomic_ref<double, sycl::memory_order::relaxed, sycl::memory_scope::device>;
        Atomic(c[0]).fetch_add(a[i]); Atomic(c[1]).fetch_min(a[i]); Atomic(c[2]).fetch_max(b[i]); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<double>(queue, kernel, [](const Data<double> &d, size_t i) {
             double found[3] = {0, 0, 0};
             for (size_t k = 0; k < COUNT; k++) {
                 found[0] += d.a[k];
                 found[1] = std::min(found[1], d.a[k]);
                 found[2] = std::max(found[2], d.b[k]);
             }
             return i < 3 ? found[i] : 0;
         });
     }},
    {"long_atomics", R"(KERNEL long_atomics(const long *a, const long *b, long *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        using Atomic = sycl::atomic_ref<long, sycl::memory_order::acq_rel, sycl::memory_scope::device>;
        Atomic(c[0]) += a[i]; Atomic(c[1]) |= b[i]; Atomic(c[2]) ^= a[i];
        Atomic last(c[3]); long old = last.load();
        while (!last.compare_exchange_weak(old, old + b[i])) { } })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<long>(queue, kernel, [](const Data<long> &d, size_t i) {
             long found[4] = {0, 0, 0, 0};
             for (size_t k = 0; k < COUNT; k++) {
                 found[0] += d.a[k];
                 found[1] |= d.b[k];
                 found[2] ^= d.a[k];
                 found[3] += d.b[k];
             }
             return static_cast<double>(i < 4 ? found[i] : 0);
         });
     }},
    {"joint_algorithms", R"(KERNEL joint_algorithms(const float *a, const float *b, float *c) {
        auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
        auto group = item.get_group();
        size_t first = i - item.get_local_linear_id(), count = item.get_local_range(0);
        float sum = sycl::joint_reduce(group, a + first, a + first + count, sycl::plus<float>());
        sycl::joint_inclusive_scan(group, b + first, b + first + count, c + first, sycl::plus<float>());
        sycl::group_barrier(group);
        c[i] += 1000 * sum + 7 * sycl::any_of_group(group, a[i] > 16) + 3 * sycl::group_broadcast(group, b[i], 77); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<float>(queue, kernel, [](const Data<float> &d, size_t i) {
             size_t first = i / GROUP * GROUP;
             float sum = 0, scan = 0;
             bool any = false;
             for (size_t k = first; k < first + GROUP; k++) {
                 sum += d.a[k];
                 scan += k <= i ? d.b[k] : 0;
                 any |= d.a[k] > 16;
             }
             return scan + 1000 * sum + 7 * any + 3 * d.b[first + 77];
         });
     }},
    {"vectors", R"(KERNEL vectors(const float *a, const float *b, float *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        sycl::vec<float, 4> v{a[i], b[i], 1, 2};
        auto w = v.swizzle<3, 2, 1, 0>() * v;
        c[i] = sycl::length(v) + sycl::dot(v, v) + w[0] + w[1] + sycl::pow(b[i], 1.5f) + sycl::atan2(a[i], b[i])
             + sycl::fma(a[i], b[i], 1.f) + sycl::clz(int(b[i])) + sycl::popcount(int(b[i])); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<float>(
             queue, kernel,
             [](const Data<float> &d, size_t i) {
                 double a = d.a[i], b = d.b[i], square = a * a + b * b + 5;
                 unsigned bits = static_cast<unsigned>(b);
                 return std::sqrt(square) + square + 2 * a + b + std::pow(b, 1.5) +
                        std::atan2(a, b) + a * b + 1 + __builtin_clz(bits) +
                        __builtin_popcount(bits);
             },
             1e-5);
     }},
    {"complex_numbers", R"(#include <complex>
        KERNEL complex_numbers(const double *a, const double *b, double *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        std::complex<double> z(a[i], b[i]);
        z = z * z / std::complex<double>(1, 2);
        c[i] = z.real() + 10 * z.imag() + 100 * std::abs(z); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<double>(
             queue, kernel,
             [](const Data<double> &d, size_t i) {
                 double square = d.a[i] * d.a[i] - d.b[i] * d.b[i], cross = 2 * d.a[i] * d.b[i];
                 double real = (square + 2 * cross) / 5, imaginary = (cross - 2 * square) / 5;
                 return real + 10 * imaginary + 100 * std::hypot(real, imaginary);
             },
             1e-12);
     }},
    {"sorted_structs", R"(
        struct Pair { int key; short count; };
        KERNEL sorted_structs(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        Pair pairs[8];
        for (int k = 0; k < 8; k++) pairs[k] = {a[(i + k * 3) % 4096], short(b[(i + k) % 4096])};
        for (int k = 1; k < 8; k++) {
            Pair moved = pairs[k]; int j = k;
            for (; j > 0 && moved.key < pairs[j - 1].key; j--) pairs[j] = pairs[j - 1];
            pairs[j] = moved;
        }
        int hash = 0;
        for (const Pair &pair : pairs) hash = (hash * 3 + pair.key + 2 * pair.count) % 10007;
        switch (b[i] & 3) { case 0: hash++; break; case 1: hash ^= 3; [[fallthrough]]; case 2: hash -= 7; break; default: hash = -hash; }
        c[i] = hash; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             std::vector<std::pair<int, int>> pairs;
             for (size_t k = 0; k < 8; k++) {
                 pairs.emplace_back(d.a[(i + k * 3) % COUNT], d.b[(i + k) % COUNT]);
             }
             std::stable_sort(pairs.begin(), pairs.end(),
                              [](const auto &x, const auto &y) { return x.first < y.first; });
             int hash = 0;
             for (const auto &pair : pairs) {
                 hash = (hash * 3 + pair.first + 2 * pair.second) % 10007;
             }
             int after[] = {hash + 1, (hash ^ 3) - 7, hash - 7, -hash};
             return static_cast<double>(after[d.b[i] & 3]);
         });
     }},
    {"printing", R"(KERNEL printing(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id();
        static const char format[] = "item %d: %d in words, %.3f, %lx\n";
        if (i % 5 == 3) syclexp::printf(format, int(i), a[i], float(i) * 0.125f, (unsigned long)i << 33);
        c[i] = a[i]; })",
     prints},
    {"function_pointers", R"(typedef int (*function)(int, int);
        __attribute__((noinline)) int sum(int a, int b) { return a + b; }
        __attribute__((noinline)) int product(int a, int b) { return a * b; }
        __attribute__((noinline)) int larger(int a, int b) { return a > b ? a : b; }
        KERNEL function_pointers(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); function table[] = {sum, product, larger};
        c[i] = table[(i * 5 + i / 7) % 3](a[i], b[i]); })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             int a = static_cast<int>(d.a[i]), b = static_cast<int>(d.b[i]);
             size_t which = (i * 5 + i / 7) % 3;
             return static_cast<double>(which == 0 ? a + b : which == 1 ? a * b : a > b ? a : b);
         });
     },
     false, "-fsycl-allow-func-ptr"},
    {"asserting", R"(#include <cassert>
        KERNEL asserting(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); assert(a[i] < 1000); c[i] = a[i]; })",
     asserts},
    // in one item: which of several comes first is open
    {"failing_assert", R"(#include <cassert>
        KERNEL failing_assert(const int *a, const int *b, int *c) {
        size_t i = get_nd_item<1>().get_global_linear_id(); assert(i != 3); c[i] = a[i]; })",
     [](sycl::queue &queue, const sycl::kernel &kernel) {
         return check<int>(queue, kernel, [](const Data<int> &d, size_t i) {
             return static_cast<double>(d.a[i]);
         });
     },
     true},
};

sycl::kernel_bundle<sycl::bundle_state::executable>
bundle_build(sycl::queue &queue, const std::string &text, const std::string &option)
{
    auto source = exp_ns::create_kernel_bundle_from_source(
        queue.get_context(), exp_ns::source_language::sycl, preamble + text);
    return option.empty()
               ? exp_ns::build(source)
               : exp_ns::build(source, exp_ns::properties{exp_ns::build_options{
                                           std::vector<std::string>{"-Xclang", option}}});
}

static bool step_run(sycl::queue &queue, const Step &step)
{
    try {
        auto bundle = bundle_build(queue, step.source, step.option);
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
    std::vector<Step> steps(std::begin(single_steps), std::end(single_steps));
    for (const auto &more : {group_steps, graph_steps, global_steps, matrix_steps}) {
        for (Step &step : more()) {
            steps.push_back(std::move(step));
        }
    }
    for (const Step &step : steps) {
        bool wanted = argc == 1 && !step.apart;
        for (int i = 1; i < argc; i++) {
            wanted |= step.name == argv[i];
        }
        if (wanted) {
            bool good = step_run(queue, step);
            std::printf("%s %s\n", good ? "passed" : "FAILED", step.name.c_str());
            failed += !good;
            ran++;
        }
    }
    std::printf("sycl: %u kernels right, %u not\n", ran - failed, failed);
    return failed || !ran;
}
