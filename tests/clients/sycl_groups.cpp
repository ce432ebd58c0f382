// Steps of sycl_jit about sub-groups: each source is built for S = 8, 16 and 32.
#include "sycl_jit.hpp"

#include <algorithm>
#include <cstdint>

using Lanes = std::vector<int>;

// A kernel of sub-groups of WIDTH items; it runs in groups of WIDTH items more than a multiple, so that the last sub-group of
// a group is smaller unless `extra` is 0. `wanted` gives what item `lane` of a sub-group writes, from all its items' a and b.
struct Pattern {
    const char *name, *source;
    size_t extra;
    std::function<unsigned(const Lanes &a, const Lanes &b, size_t lane, size_t width)> wanted;
};

static const char votes_source[] = R"(
    KERNEL_OF(WIDTH) votes_WIDTH(const int *a, const int *b, int *c) {
    auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
    auto sub = item.get_sub_group();
    auto odd = sycl::ext::oneapi::group_ballot(sub, a[i] & 1), large = sycl::ext::oneapi::group_ballot(sub, b[i] > 8);
    unsigned bits = 0, hash;
    odd.extract_bits(bits);
    hash = bits;
    hash = hash * 31 + odd.count();
    hash = hash * 31 + (odd.none() ? 99 : unsigned(odd.find_low()[0]));
    hash = hash * 31 + (odd.none() ? 99 : unsigned(odd.find_high()[0]));
    hash = hash * 31 + odd.any() + 2 * odd.none();
    hash = hash * 31 + odd[sub.get_local_id()];
    hash = hash * 31 + (odd & large).count();
    hash = hash * 31 + (odd | large).count();
    hash = hash * 31 + (odd ^ large).count();
    hash = hash * 31 + sycl::all_of_group(sub, b[i] > 1) + 2 * sycl::any_of_group(sub, b[i] > 16)
         + 4 * sycl::none_of_group(sub, b[i] == 3) + 8 * sub.leader();
    c[i] = int(hash); })";

static unsigned votes_wanted(const Lanes &a, const Lanes &b, size_t lane, size_t)
{
    unsigned odd = 0, large = 0, all = 1, any = 0, none = 1;
    for (size_t k = 0; k < a.size(); k++) {
        odd |= static_cast<unsigned>(a[k] & 1) << k;
        large |= static_cast<unsigned>(b[k] > 8) << k;
        all &= b[k] > 1;
        any |= b[k] > 16;
        none &= b[k] != 3;
    }
    unsigned values[] = {odd,
                         static_cast<unsigned>(__builtin_popcount(odd)),
                         odd ? static_cast<unsigned>(__builtin_ctz(odd)) : 99,
                         odd ? 31 - static_cast<unsigned>(__builtin_clz(odd)) : 99,
                         (odd != 0) + 2u * (odd == 0),
                         odd >> lane & 1,
                         static_cast<unsigned>(__builtin_popcount(odd & large)),
                         static_cast<unsigned>(__builtin_popcount(odd | large)),
                         static_cast<unsigned>(__builtin_popcount(odd ^ large)),
                         all + 2 * any + 4 * none + 8 * (lane == 0)};
    unsigned hash = 0;
    for (unsigned value : values) {
        hash = hash * 31 + value;
    }
    return hash;
}

// Every type holds the same numbers, so what is wanted does not depend on it.
static const char moves_source[] = R"(
    struct Mixed { short first; double second; char third; };
    template <typename T> struct As {
        static T make(int v) { return T(v); }
        static unsigned hash(T x) { return unsigned(int(x)); }
    };
    template <typename E, int N> struct As<sycl::vec<E, N>> {
        static sycl::vec<E, N> make(int v) { sycl::vec<E, N> x; for (int k = 0; k < N; k++) x[k] = E(v + k); return x; }
        static unsigned hash(const sycl::vec<E, N> &x) {
            for (int k = 1; k < N; k++) if (int(x[k]) != int(x[0]) + k) return 77777;
            return unsigned(int(x[0]));
        }
    };
    template <> struct As<Mixed> {
        static Mixed make(int v) { return {short(v), v + 0.5, char(v + 1)}; }
        static unsigned hash(const Mixed &x) { return x.second == x.first + 0.5 && x.third == x.first + 1 ? unsigned(x.first) : 77777; }
    };
    template <typename T> unsigned moved(sycl::sub_group sub, int v) {
        unsigned lane = sub.get_local_linear_id(), size = sub.get_local_linear_range();
        T x = As<T>::make(v);
        T crossed = sycl::permute_group_by_xor(sub, x, 5);
        T left = sycl::shift_group_left(sub, x, 3);
        T right = sycl::shift_group_right(sub, x, 2);
        T chosen = sycl::select_from_group(sub, x, (lane * 3 + 1) % size);
        T third = sycl::group_broadcast(sub, x, 2);
        return ((lane ^ 5) < size ? As<T>::hash(crossed) : 0) + 3 * (lane + 3 < size ? As<T>::hash(left) : 0)
             + 5 * (lane >= 2 ? As<T>::hash(right) : 0) + 7 * As<T>::hash(chosen) + 11 * As<T>::hash(third);
    }
    template <typename... T> unsigned moved_all(sycl::sub_group sub, int v) {
        unsigned hash = 0;
        ((hash = hash * 3 + moved<T>(sub, v)), ...);
        return hash;
    }
    KERNEL_OF(WIDTH) moves_WIDTH(const int *a, const int *b, int *c) {
    auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
    c[i] = int(moved_all<TYPES>(item.get_sub_group(), b[i])); })";

static const char moved_types[] = "char, unsigned char, short, int, long, sycl::half, float, double, sycl::vec<char, 4>, "
                                  "sycl::vec<short, 2>, sycl::vec<int, 3>, sycl::vec<long, 2>, sycl::vec<float, 4>, "
                                  "sycl::vec<sycl::half, 8>, sycl::vec<double, 16>, Mixed";

static unsigned moves_wanted(const Lanes &, const Lanes &b, size_t lane, size_t)
{
    size_t size = b.size(), types = 1 + static_cast<size_t>(std::count(moved_types, std::end(moved_types), ',')) - 7;
    int one = ((lane ^ 5) < size ? b[lane ^ 5] : 0) + 3 * (lane + 3 < size ? b[lane + 3] : 0) +
              5 * (lane >= 2 ? b[lane - 2] : 0) + 7 * b[(lane * 3 + 1) % size] + 11 * b[2];
    unsigned hash = 0;
    for (size_t k = 0; k < types; k++) {
        hash = hash * 3 + static_cast<unsigned>(one);
    }
    return hash;
}

// Two groups by a predicate, and chunks of four, of a sub-group.
static const char parts_source[] = R"(
    KERNEL_OF(WIDTH) parts_WIDTH(const int *a, const int *b, int *c) {
    auto item = get_nd_item<1>(); size_t i = item.get_global_linear_id();
    auto sub = item.get_sub_group();
    auto half = syclexp::binary_partition(sub, a[i] & 1);
    unsigned hash = unsigned(sycl::reduce_over_group(half, b[i], sycl::plus<int>()));
    hash = hash * 31 + sycl::inclusive_scan_over_group(half, b[i], sycl::plus<int>());
    hash = hash * 31 + sycl::exclusive_scan_over_group(half, b[i], 0, sycl::maximum<int>());
    hash = hash * 31 + sycl::any_of_group(half, b[i] == 3) + 2 * sycl::all_of_group(half, b[i] < 17);
    hash = hash * 31 + half.get_local_linear_id() + 64 * half.get_local_linear_range();
    hash = hash * 31 + sycl::group_broadcast(half, b[i], half.get_local_linear_range() - 1);
    auto four = syclexp::chunked_partition<4>(sub);
    hash = hash * 31 + sycl::reduce_over_group(four, b[i], sycl::plus<int>());
    hash = hash * 31 + sycl::inclusive_scan_over_group(four, b[i], sycl::plus<int>());
    hash = hash * 31 + sycl::permute_group_by_xor(four, b[i], 1);
    hash = hash * 31 + four.get_group_linear_id();
    c[i] = int(hash); })";

static unsigned parts_wanted(const Lanes &a, const Lanes &b, size_t lane, size_t)
{
    int sum = 0, before = 0, most = 0, any = 0, all = 1, last = 0, four = 0, four_before = 0;
    unsigned place = 0, count = 0;
    for (size_t k = 0; k < a.size(); k++) {
        if ((a[k] & 1) == (a[lane] & 1)) {
            sum += b[k];
            before += k <= lane ? b[k] : 0;
            most = k < lane ? std::max(most, b[k]) : most;
            any |= b[k] == 3;
            all &= b[k] < 17;
            place += k < lane;
            count++;
            last = b[k];
        }
        if (k / 4 == lane / 4) {
            four += b[k];
            four_before += k <= lane ? b[k] : 0;
        }
    }
    int values[] = {before, most, any + 2 * all, static_cast<int>(place + 64 * count), last, four, four_before, b[lane ^ 1],
                    static_cast<int>(lane / 4)};
    unsigned hash = static_cast<unsigned>(sum);
    for (int value : values) {
        hash = hash * 31 + static_cast<unsigned>(value);
    }
    return hash;
}

static const Pattern patterns[] = {
    {"votes_WIDTH", votes_source, 3, votes_wanted},
    {"moves_WIDTH", moves_source, 3, moves_wanted},
    {"parts_WIDTH", parts_source, 0, parts_wanted},
};

static bool pattern_run(const Pattern &pattern, size_t width, sycl::queue &queue, const sycl::kernel &kernel)
{
    const size_t group = 2 * width + pattern.extra, count = COUNT / group * group;
    Data<int> data(queue);
    launch(queue, kernel, [&](sycl::handler &handler) { handler.set_args(data.a, data.b, data.c); }, count, group);
    for (size_t i = 0; i < count; i++) {
        size_t first = i / group * group + i % group / width * width;
        size_t end = std::min(first + width, i / group * group + group);
        Lanes a(data.a + first, data.a + end), b(data.b + first, data.b + end);
        unsigned wanted = pattern.wanted(a, b, i - first, width);
        if (static_cast<unsigned>(data.c[i]) != wanted) {
            std::printf("    item %zu: %#x instead of %#x\n", i, static_cast<unsigned>(data.c[i]), wanted);
            return false;
        }
    }
    return true;
}

static std::string replaced(std::string text, const std::string &what, const std::string &with)
{
    for (size_t at; (at = text.find(what)) != std::string::npos;) {
        text.replace(at, what.size(), with);
    }
    return text;
}

std::vector<Step> group_steps()
{
    std::vector<Step> steps;
    for (const Pattern &pattern : patterns) {
        for (size_t width : {8, 16, 32}) {
            std::string number = std::to_string(width);
            steps.push_back({replaced(pattern.name, "WIDTH", number),
                             replaced(replaced(pattern.source, "TYPES", moved_types), "WIDTH", number),
                             [&pattern, width](sycl::queue &queue, const sycl::kernel &kernel) {
                                 return pattern_run(pattern, width, queue, kernel);
                             }});
        }
    }
    return steps;
}
