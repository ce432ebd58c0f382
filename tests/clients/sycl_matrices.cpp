// Steps of sycl_jit about joint_matrix (sycl_ext_oneapi_matrix). SYCL lists combinations of types and shapes for the
// architectures that it knows, by the IP version, and drops kernels that the list does not cover. So run_clients runs these
// steps with GEOID_DEVICE_IP_VERSION.
#include "sycl_jit.hpp"

#include <cstdint>
#include <cstring>

namespace mx = sycl::ext::oneapi::experimental::matrix;
using mx::matrix_type;

static const char matrix_preamble[] = R"(
namespace mx = sycl::ext::oneapi::experimental::matrix;
namespace imx = sycl::ext::intel::experimental::matrix;
using sycl::ext::oneapi::bfloat16;
template <typename T> auto global(T *p) {
    return sycl::address_space_cast<sycl::access::address_space::global_space, sycl::access::decorated::no>(p);
}
template <typename T, size_t M, size_t N> using Sum = mx::joint_matrix<sycl::sub_group, T, mx::use::accumulator, M, N>;
)";

// Kernels that compute D = C + A B on 2 x 2 tiles of M x N elements, in three steps of K. Each sub-group of a work-group of
// four computes one tile.
static const char product_template[] = R"(
template <typename A, typename B, typename C, typename D, size_t M, size_t N, size_t K, mx::layout LA, mx::layout LB,
          typename SA, typename SB>
inline void product(const SA *a, const SB *b, const C *c, D *d) {
    constexpr size_t steps = 3, tiles = 2, factor = LB == mx::layout::ext_intel_packed ? 4 / sizeof(SB) : 1;
    auto sub = get_nd_item<1>().get_sub_group();
    size_t row = sub.get_group_linear_id() / tiles, column = sub.get_group_linear_id() % tiles;
    size_t place = row * M * tiles * N + column * N;
    mx::joint_matrix<sycl::sub_group, A, mx::use::a, M, K, LA> ma;
    mx::joint_matrix<sycl::sub_group, B, mx::use::b, K, N, LB> mb;
    Sum<C, M, N> mc;
    Sum<D, M, N> md;
    mx::joint_matrix_load(sub, mc, global(c) + place, tiles * N, mx::layout::row_major);
    for (size_t step = 0; step < steps; step++) {
        if constexpr (LA == mx::layout::row_major)
            mx::joint_matrix_load(sub, ma, global(a) + row * M * steps * K + step * K, steps * K);
        else
            mx::joint_matrix_load(sub, ma, global(a) + step * K * tiles * M + row * M, tiles * M);
        if constexpr (LB == mx::layout::col_major)
            mx::joint_matrix_load(sub, mb, global(b) + column * N * steps * K + step * K, steps * K);
        else
            mx::joint_matrix_load(sub, mb, global(b) + step * K * tiles * N + column * N * factor, tiles * N * factor);
        mx::joint_matrix_mad(sub, md, ma, mb, mc);
        if (step + 1 < steps) mx::joint_matrix_copy(sub, md, mc);
    }
    mx::joint_matrix_store(sub, md, global(d) + place, tiles * N, mx::layout::row_major);
}
)";

constexpr size_t STEPS = 3, TILES = 2;

struct Product {
    matrix_type a, b, c, d;
    size_t m, n, k;
    mx::layout layout_a = mx::layout::row_major, layout_b = mx::layout::row_major;
    size_t width = 16; // of sub-groups
};

// ---- numbers of each type ----

struct Kind {
    matrix_type type;
    const char *name, *matrix, *memory; // for steps, as element of a matrix, in memory
    size_t bytes;
};

static const Kind kinds[] = {
    {matrix_type::bf16, "bf16", "bfloat16", "bfloat16", 2},
    {matrix_type::fp16, "fp16", "sycl::half", "sycl::half", 2},
    {matrix_type::tf32, "tf32", "mx::precision::tf32", "float", 4},
    {matrix_type::fp32, "fp32", "float", "float", 4},
    {matrix_type::sint8, "sint8", "int8_t", "int8_t", 1},
    {matrix_type::uint8, "uint8", "uint8_t", "uint8_t", 1},
    {matrix_type::sint32, "sint32", "int32_t", "int32_t", 4},
};

static const Kind &kind_of(matrix_type type)
{
    for (const Kind &kind : kinds) {
        if (kind.type == type) {
            return kind;
        }
    }
    throw std::runtime_error("a type of matrices that this test does not know");
}

// Numbers of one type in memory that the device reads and writes.
struct Numbers {
    Numbers(sycl::queue &queue, matrix_type type, size_t count)
        : queue(queue), type(type), bytes(kind_of(type).bytes),
          memory(sycl::malloc_shared<uint8_t>(count * bytes, queue))
    {
        std::memset(memory, 0xa5, count * bytes);
    }
    ~Numbers()
    {
        sycl::free(memory, queue);
    }
    Numbers(const Numbers &) = delete;
    Numbers &operator=(const Numbers &) = delete;

    template <typename T> void put_as(size_t at, int value)
    {
        T number = static_cast<T>(value);
        std::memcpy(memory + at * bytes, &number, sizeof(T));
    }
    template <typename T> double get_as(size_t at) const
    {
        T number;
        std::memcpy(&number, memory + at * bytes, sizeof(T));
        return static_cast<double>(static_cast<float>(number));
    }
    void put(size_t at, int value)
    {
        switch (type) {
        case matrix_type::bf16:
            put_as<sycl::ext::oneapi::bfloat16>(at, value);
            break;
        case matrix_type::fp16:
            put_as<sycl::half>(at, value);
            break;
        case matrix_type::sint8:
            put_as<int8_t>(at, value);
            break;
        case matrix_type::uint8:
            put_as<uint8_t>(at, value);
            break;
        case matrix_type::sint32:
            put_as<int32_t>(at, value);
            break;
        default:
            put_as<float>(at, value);
            break;
        }
    }
    double get(size_t at) const
    {
        switch (type) {
        case matrix_type::bf16:
            return get_as<sycl::ext::oneapi::bfloat16>(at);
        case matrix_type::fp16:
            return get_as<sycl::half>(at);
        case matrix_type::sint8:
            return get_as<int8_t>(at);
        case matrix_type::uint8:
            return get_as<uint8_t>(at);
        case matrix_type::sint32:
            return get_as<int32_t>(at);
        default:
            return get_as<float>(at);
        }
    }

    sycl::queue &queue;
    matrix_type type;
    size_t bytes;
    uint8_t *memory;
};

// ---- products ----

static std::string layout_name(mx::layout layout)
{
    return layout == mx::layout::row_major   ? "row_major"
           : layout == mx::layout::col_major ? "col_major"
                                             : "ext_intel_packed";
}

static std::string product_name(const Product &p)
{
    std::string name = "matrix";
    for (matrix_type type : {p.a, p.b, p.c, p.d}) {
        name += std::string("_") + kind_of(type).name;
    }
    name += "_" + std::to_string(p.m) + "x" + std::to_string(p.n) + "x" + std::to_string(p.k);
    return name + "_" + layout_name(p.layout_a) + "_" + layout_name(p.layout_b) + "_" +
           std::to_string(p.width);
}

static std::string product_kernel(const Product &p)
{
    const Kind &a = kind_of(p.a), &b = kind_of(p.b), &c = kind_of(p.c), &d = kind_of(p.d);
    std::string types = std::string(a.matrix) + ", " + b.matrix + ", " + c.matrix + ", " + d.matrix;
    std::string shape =
        std::to_string(p.m) + ", " + std::to_string(p.n) + ", " + std::to_string(p.k);
    std::string layouts =
        "mx::layout::" + layout_name(p.layout_a) + ", mx::layout::" + layout_name(p.layout_b);
    return "KERNEL_OF(" + std::to_string(p.width) + ") " + product_name(p) + "(const " + a.memory +
           " *a, const " + b.memory + " *b, const " + c.memory + " *c, " + d.memory +
           " *d) { product<" + types + ", " + shape + ", " + layouts + ">(a, b, c, d); }\n";
}

// Small numbers, so that every sum is exact in every type.
static int small_number(matrix_type type, size_t row, size_t column)
{
    int number = static_cast<int>((row * 7 + column * 13 + row * column % 5) % 4);
    return type == matrix_type::uint8 ? number / 2 + 254 * (number == 3 && row == column)
                                      : number - 1;
}

static size_t place_of(mx::layout layout, size_t row, size_t column, size_t rows, size_t columns,
                       size_t bytes)
{
    size_t factor = layout == mx::layout::ext_intel_packed ? 4 / bytes : 1;
    return layout == mx::layout::col_major
               ? column * rows + row
               : row / factor * columns * factor + column * factor + row % factor;
}

static bool product_run(const Product &p, sycl::queue &queue, const sycl::kernel &kernel)
{
    const size_t rows = TILES * p.m, columns = TILES * p.n, depth = STEPS * p.k;
    Numbers a(queue, p.a, rows * depth), b(queue, p.b, depth * columns),
        c(queue, p.c, rows * columns), d(queue, p.d, rows * columns);
    for (size_t i = 0; i < rows; i++) {
        for (size_t k = 0; k < depth; k++) {
            a.put(place_of(p.layout_a, i, k, rows, depth, a.bytes), small_number(p.a, i, k));
        }
        for (size_t j = 0; j < columns; j++) {
            c.put(i * columns + j, small_number(p.c, i, j));
        }
    }
    for (size_t k = 0; k < depth; k++) {
        for (size_t j = 0; j < columns; j++) {
            b.put(place_of(p.layout_b, k, j, depth, columns, b.bytes), small_number(p.b, k + 3, j));
        }
    }
    const size_t items = TILES * TILES * p.width;
    launch(
        queue, kernel,
        [&](sycl::handler &handler) { handler.set_args(a.memory, b.memory, c.memory, d.memory); },
        items, items);
    for (size_t i = 0; i < rows; i++) {
        for (size_t j = 0; j < columns; j++) {
            int sum = small_number(p.c, i, j);
            for (size_t k = 0; k < depth; k++) {
                sum += small_number(p.a, i, k) * small_number(p.b, k + 3, j);
            }
            if (d.get(i * columns + j) != sum) {
                std::printf("    %s: row %zu, column %zu: %g instead of %d\n",
                            product_name(p).c_str(), i, j, d.get(i * columns + j), sum);
                return false;
            }
        }
    }
    return true;
}

// Layouts and sizes of sub-groups that the list does not name.
static const Product products[] = {
    {matrix_type::bf16, matrix_type::bf16, matrix_type::fp32, matrix_type::fp32, 8, 16, 16,
     mx::layout::row_major, mx::layout::ext_intel_packed},
    {matrix_type::bf16, matrix_type::bf16, matrix_type::bf16, matrix_type::fp32, 16, 16, 16,
     mx::layout::col_major, mx::layout::col_major, 32},
    {matrix_type::tf32, matrix_type::tf32, matrix_type::fp32, matrix_type::fp32, 8, 16, 8,
     mx::layout::col_major},
    {matrix_type::sint8, matrix_type::sint8, matrix_type::sint32, matrix_type::sint32, 8, 16, 32,
     mx::layout::row_major, mx::layout::ext_intel_packed},
    {matrix_type::uint8, matrix_type::sint8, matrix_type::sint32, matrix_type::sint32, 5, 16, 32,
     mx::layout::row_major, mx::layout::col_major},
};

// Builds and runs the products above and each combination that the device lists.
static bool products_run(sycl::queue &queue, const sycl::kernel &)
{
    std::vector<Product> all(std::begin(products), std::end(products));
    auto list = queue.get_device()
                    .get_info<sycl::ext::oneapi::experimental::info::device::matrix_combinations>();
    if (list.empty() || !queue.get_device().has(sycl::aspect::ext_intel_matrix)) {
        std::printf("    SYCL lists no combinations for this IP version\n");
        return false;
    }
    for (const auto &entry : list) {
        // a size of 0 stands for every size up to the largest
        all.push_back({entry.atype, entry.btype, entry.ctype, entry.dtype,
                       entry.msize ? entry.msize : entry.max_msize,
                       entry.nsize ? entry.nsize : entry.max_nsize,
                       entry.ksize ? entry.ksize : entry.max_ksize});
    }
    std::string source = std::string(matrix_preamble) + product_template;
    for (const Product &p : all) {
        source += product_kernel(p);
    }
    auto bundle = bundle_build(queue, source);
    size_t right = 0;
    for (const Product &p : all) {
        right += product_run(p, queue, bundle.ext_oneapi_get_kernel(product_name(p)));
    }
    std::printf("    %zu of %zu products are right, %zu of them of SYCL's list\n", right,
                all.size(), list.size());
    return right == all.size();
}

// ---- elements ----

static const char elements_source[] = R"(
    KERNEL_OF(16) matrix_elements(const float *a, const float *b, float *c) {
    auto item = get_nd_item<1>();
    auto sub = item.get_sub_group();
    size_t tile = item.get_global_linear_id() / 16 * 128;
    mx::joint_matrix<sycl::sub_group, bfloat16, mx::use::a, 8, 16, mx::layout::row_major> ones;
    mx::joint_matrix<sycl::sub_group, bfloat16, mx::use::b, 16, 16, mx::layout::row_major> twos;
    Sum<float, 8, 16> x, y;
    mx::joint_matrix_fill(sub, ones, 1);
    mx::joint_matrix_fill(sub, twos, 2);
    mx::joint_matrix_load(sub, x, global(a) + tile, 16, mx::layout::row_major);
    mx::joint_matrix_load(sub, y, global(b) + tile, 8, mx::layout::col_major);
    imx::joint_matrix_apply(sub, ones, [](bfloat16 &value, size_t row, size_t column) { value = row == column ? 3 : 0; });
    mx::joint_matrix_mad(sub, x, ones, twos, x);
    mx::joint_matrix_apply(sub, x, y, [](float &left, float &right) { left += 100 * right; });
    imx::joint_matrix_apply(sub, x, [](float &value, size_t row, size_t column) { value += row * 0.5f + column * 0.25f; });
    mx::joint_matrix_store(sub, x, global(c) + tile, 8, mx::layout::col_major); })";

static bool elements_run(sycl::queue &queue, const sycl::kernel &kernel)
{
    Data<float> data(queue);
    launch(
        queue, kernel, [&](sycl::handler &handler) { handler.set_args(data.a, data.b, data.c); },
        COUNT / 8);
    for (size_t i = 0; i < COUNT; i++) {
        size_t tile = i / 128 * 128, row = i % 8, column = i % 128 / 8;
        float wanted = data.a[tile + row * 16 + column] + 6 + 100 * data.b[i] +
                       static_cast<float>(row) * 0.5f + static_cast<float>(column) * 0.25f;
        if (data.c[i] != wanted) {
            std::printf("    element %zu: %g instead of %g\n", i, static_cast<double>(data.c[i]),
                        static_cast<double>(wanted));
            return false;
        }
    }
    return true;
}

// Loads, multiplies and stores matrices that reach beyond an array. The array has 13 rows of 21 numbers; a row begins 24 numbers
// behind the one before. Numbers outside of the array are read as 0, and are not written.
static const char edges_source[] = R"(
    KERNEL_OF(16) matrix_edges(const float *a, const float *b, float *c) {
    auto sub = get_nd_item<1>().get_sub_group();
    size_t row = get_nd_item<1>().get_group(0) * 8, column = sub.get_group_linear_id() * 16;
    if (row >= 16 || column >= 32) return;
    Sum<float, 8, 16> x;
    imx::joint_matrix_load_checked(sub, x, global(a), 24, mx::layout::row_major, 13, 21, row, column);
    mx::joint_matrix_apply(sub, x, [](float &value) { value += 1000; });
    imx::joint_matrix_store_checked(sub, x, global(c), 24, mx::layout::row_major, 13, 21, row, column);
    imx::joint_matrix_load_checked(sub, x, global(b), 24, mx::layout::row_major, 13, 21, row, column);
    mx::joint_matrix_store(sub, x, global(c) + 1024 + row * 32 + column, 32, mx::layout::row_major); })";

static bool edges_run(sycl::queue &queue, const sycl::kernel &kernel)
{
    Data<float> data(queue);
    launch(
        queue, kernel, [&](sycl::handler &handler) { handler.set_args(data.a, data.b, data.c); },
        64, 32);
    for (size_t i = 0; i < 2048; i++) {
        size_t row = i < 1024 ? i / 24 : i % 1024 / 32, column = i < 1024 ? i % 24 : i % 32;
        bool inside = row < 13 && column < 21;
        float wanted = !inside ? 0 : i < 1024 ? data.a[i] + 1000 : data.b[row * 24 + column];
        if (data.c[i] != wanted) {
            std::printf("    element %zu: %g instead of %g\n", i, static_cast<double>(data.c[i]),
                        static_cast<double>(wanted));
            return false;
        }
    }
    return true;
}

std::vector<Step> matrix_steps()
{
    return {
        {"matrix_elements", std::string(matrix_preamble) + elements_source, elements_run, true},
        {"matrix_edges", std::string(matrix_preamble) + edges_source, edges_run, true},
        {"matrix_products", "KERNEL matrix_products(int *) {}", products_run, true},
    };
}
