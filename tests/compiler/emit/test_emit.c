/* The text of what was emitted for kernels/emit.cl at W = 16: see each test. */
#include "program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static struct program *programs[2]; /* -O0, -O2 */

static int build(void **state)
{
    const struct program_options options = {.lanes = 16, .optimize = true, .cpu = "x86-64-v4"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        char path[1024];
        snprintf(path, sizeof(path), "%s/emit_O%d", EMIT_KERNELS, i * 2);
        programs[i] = program_build(path, &options);
    }
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    program_destroy(programs[0]);
    program_destroy(programs[1]);
    return 0;
}

/* The kernel's function in a module's text, without the version for ids that may wrap. */
static char *kernel_text(const char *module, const char *kernel)
{
    char head[128];
    snprintf(head, sizeof(head), "@kernel.%s(", kernel);
    const char *start = module;
    do {
        start = strstr(start, "\ndefine ");
        assert_non_null(start);
        start++;
        const char *line = strchr(start, '\n');
        const char *name = strstr(start, head);
        if (name && name < line) {
            break;
        }
    } while (true);
    const char *end = strstr(start, "\n}\n");
    const char *any = strstr(start, "\nids.any:");
    assert_non_null(end);
    end = any && any < end ? any : end;
    return strndup(start, (size_t)(end - start));
}

static unsigned count(const char *text, const char *what)
{
    unsigned found = 0;
    for (const char *at = text; (at = strstr(at, what)); at += strlen(what)) {
        found++;
    }
    return found;
}

/* Counts in both builds; `minimum` to `maximum` each. */
static void expect(const char *kernel, bool final, const char *what, unsigned minimum,
                   unsigned maximum)
{
    for (int i = 0; i < 2; i++) {
        char *text =
            kernel_text(final ? program_final(programs[i]) : program_lowered(programs[i]), kernel);
        unsigned found = count(text, what);
        if (found < minimum || found > maximum) {
            print_error("%s -O%d: %u of \"%s\" instead of %u to %u:\n%s\n", kernel, i * 2, found,
                        what, minimum, maximum, text);
        }
        free(text);
        assert_true(found >= minimum && found <= maximum);
    }
}

/* In the version for ids that fit: only the text before optimisation tells the versions apart. */
static void expect_no_masks(const char *kernel)
{
    expect(kernel, false, "<16 x i1>", 0, 0);
    expect(kernel, false, ".masked.", 0, 0);
}

static void saxpy_has_full_width_loads_and_no_mask(void **state)
{
    (void)state;
    expect_no_masks("saxpy");
    expect("saxpy", true, "load <16 x float>", 2, 16);
    expect("saxpy", true, "store <16 x float>", 1, 8);
    expect("saxpy", false, "load <16 x float>", 2, 2);
    expect("saxpy", true, "load float", 1, 1); /* the argument */
}

static void a_bounds_check_masks_accesses_that_stay_consecutive(void **state)
{
    (void)state;
    expect("saxpy_int", false, "call <16 x float> @llvm.masked.load", 2, 2);
    expect("saxpy_int", false, "call void @llvm.masked.store", 1, 1);
    expect("saxpy_int", false, "gather", 0, 0);
}

/* The version for ids that may wrap is a function of scalars, also with barriers. */
static void ids_that_may_wrap_take_items_one_by_one(void **state)
{
    (void)state;
    expect("saxpy_int.any", false, "<16 x", 0, 0);
    expect("saxpy_int.any", false, "load float", 3, 3); /* two elements, the argument */
    expect("offsets.any", false, "<16 x", 0, 0);
}

/* The sum lives across barriers. In the version for ids that may wrap, each item has a record of
 * its own, so a chunk needs the bytes of 16 records. */
static void records_of_items_fit_the_chunks(void **state)
{
    (void)state;
    expect("keeps_a_sum.any", false, "<16 x", 0, 0);
    for (int i = 0; i < 2; i++) {
        const struct geo_native_cpu_kernel *record = program_record(programs[i], "keeps_a_sum");
        assert_int_equal(record->lanes, 16);
        assert_int_equal(record->chunk_bytes, 16 * GEO_ABI_SCRATCH_ALIGN);
    }
}

/* Of the four that over the groups, where the kernel requires a size. */
static void loops_of_the_frame_without_a_known_end_are_not_copied(void **state)
{
    (void)state;
    expect("saxpy", false, "!llvm.loop", 1, 1);
}

static void neighbours_are_consecutive(void **state)
{
    (void)state;
    expect("stencil", false, "call <16 x float> @llvm.masked.load", 3, 3);
    expect("stencil", false, "gather", 0, 0);
    expect("stencil", false, "scatter", 0, 0);
}

static void rows_of_32_bit_indices_are_consecutive(void **state)
{
    (void)state;
    expect("row_major", false, "call <16 x float> @llvm.masked.load", 1, 1);
    expect("row_major", false, "gather", 0, 0);
    expect("row_major", false, "scatter", 0, 0);
    expect("column_sum", false, "gather", 0, 0);
    expect("column_sum", true, "load <16 x float>", 1, 64);
    expect_no_masks("column_sum");
}

static void a_grid_stride_loop_is_consecutive(void **state)
{
    (void)state;
    expect("grid_stride", false, "gather", 0, 0);
    expect("grid_stride", false, "scatter", 0, 0);
    expect("grid_stride", false, "call <16 x float> @llvm.masked.load", 1, 1);
}

/* All lanes are inside until the last iterations, which are a loop of their own. */
static void a_loop_over_a_row_is_masked_at_its_end_only(void **state)
{
    static const char *const kernels[] = {"grid_stride", "row_sum"};
    (void)state;
    for (int i = 0; i < 2; i++) {
        expect(kernels[i], true, "load <16 x float>, ptr", 1, 64);
        expect(kernels[i], false, "call <16 x float> @llvm.masked.load", 1, 1);
    }
    expect("row_sum", false, "gather", 0, 0);
    expect("row_sum", false, "llvm.ssub.sat", 1, 2); /* the bound; at -O2 the guard's, too */
}

static void mandelbrot_is_one_masked_loop(void **state)
{
    (void)state;
    expect("mandelbrot", true, "phi <16 x i1>", 0, 1);
    expect("mandelbrot", true, "to i16", 1, 2); /* any lane on? */
    expect("mandelbrot", true, "gather", 0, 0);
    expect("mandelbrot", true, "store <16 x i32>", 1, 1);
}

static void sparse_rows_gather(void **state)
{
    (void)state;
    expect("spmv", false, "call <16 x float> @llvm.masked.gather", 2, 2); /* values, x */
    expect("spmv", false, "call <16 x i32> @llvm.masked.gather", 1, 1);   /* columns */
    expect("spmv", false, "scatter", 0, 0);
    expect("spmv", false, "store <16 x float>", 1, 8);
}

/* LLVM takes gathers for slow on AVX2 CPUs that it is not told about, and makes branches of them.
 */
static void avx2_gathers_too(void **state)
{
    const struct program_options options = {.lanes = 8, .optimize = true, .cpu = "x86-64-v3"};
    (void)state;
    struct program *program = program_build(EMIT_KERNELS "/emit_O2", &options);
    char *text = kernel_text(program_final(program), "spmv");
    assert_in_range(count(text, "call <8 x float> @llvm.masked.gather"), 2, 8);
    free(text);
    program_destroy(program);
}

static void a_uniform_branch_stays_a_branch(void **state)
{
    (void)state;
    expect_no_masks("uniform_branch");
    expect("uniform_branch", false, "select", 0, 3); /* of the group's place only */
    expect("uniform_branch", true, "store <16 x float>", 2, 16);
}

static void a_uniform_loop_in_a_divergent_branch_counts_in_scalars(void **state)
{
    (void)state;
    expect("uniform_loop", false, "load float, ptr %", 1, 8);
    expect("uniform_loop", false, "gather", 0, 0);
    expect("uniform_loop", false, "icmp slt <16 x i32>", 0, 0);
    expect("uniform_loop", false, "to i16", 1, 1); /* the branch, not every turn */
}

static void barriers_save_what_lives_across_them(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        const struct geo_native_kernel *kernel = program_kernel(programs[i], "tiles");
        assert_int_equal(kernel->flags & GEO_KERNEL_BARRIER, GEO_KERNEL_BARRIER);
        assert_int_equal(kernel->local_bytes, 256);
        const struct geo_native_cpu_kernel *record = program_record(programs[i], "tiles");
        assert_int_equal(record->local_bytes, 256);
        assert_int_equal(record->frame_bytes, 0);
        /* The sum, and scalars: the counter, an offset. */
        assert_in_range(record->chunk_bytes, 64, 128);
        assert_int_equal(kernel->private_bytes, record->chunk_bytes / record->lanes);
        assert_int_equal(kernel->preferred_multiple, record->lanes);
        assert_int_equal(program_record(programs[i], "saxpy")->chunk_bytes, 0);
    }
    expect("tiles", false, "gather", 0, 0);
}

/* They are computed again from the id, so the accesses stay consecutive. */
static void offsets_keep_their_shape_across_barriers(void **state)
{
    (void)state;
    expect("offsets", false, "gather", 0, 0);
    expect("offsets", false, "scatter", 0, 0);
}

/* Chunks inside load vectors, those at a border gather. The copy for partial chunks has the same. */
static void clamped_indexes_are_consecutive_inside(void **state)
{
    (void)state;
    expect("clamped", true, "load <16 x float>, ptr", 3, 64);
    expect("clamped", false, "call <16 x float> @llvm.masked.gather", 3, 6);
}

/* The quotient is the same for all lanes of a chunk inside, so it loads a scalar. */
static void indexes_that_wrap_around_are_consecutive_inside(void **state)
{
    (void)state;
    expect("wrapped", true, "load <16 x float>, ptr", 2, 64);
    expect("wrapped", true, "load float, ptr", 1, 32);
    expect("wrapped", false, "call <16 x float> @llvm.masked.gather", 3, 6);
}

/* Full chunks inside have no masks. Others run the copy for partial chunks, which masks. */
static void chunks_inside_of_borders_have_no_mask(void **state)
{
    (void)state;
    expect("bordered", false, "load <16 x float>", 4, 4);
    expect("bordered", false, "store <16 x float>", 1, 1);
    expect("bordered", false, "call <16 x float> @llvm.masked.gather", 2, 2);
    expect("bordered", false, "call void @llvm.masked.store", 1, 1);
}

/* Full chunks compare scalars. Only the copy for partial chunks compares all lanes. */
static void borders_of_extended_indexes_are_compared_once(void **state)
{
    (void)state;
    expect("bordered_extended", true, "icmp sgt <16 x i64>", 1, 1);
    expect("bordered_extended", false, "store <16 x float>", 1, 1);
}

/* A kernel that is cut at barriers has several starts of chunks. */
static void chunks_between_barriers_do_not_start_again(void **state)
{
    (void)state;
    expect("bordered_between_barriers", false, "agreed", 0, 0);
    expect("bordered_between_barriers", false, "store", 1, 1000);
}

/* Scalar loads take their values from the scalar stores before them. */
static void a_stack_is_accessed_lane_by_lane(void **state)
{
    (void)state;
    expect("stack_of_items", false, "gather", 0, 0);
    expect("stack_of_items", false, "scatter", 0, 0);
}

/* Twice the lanes, unless the launch's groups may be too small. */
static void a_kernel_that_waits_for_itself_has_twice_the_lanes(void **state)
{
    static const struct {
        const char *cpu;
        uint32_t waits, works;
    } levels[] = {{"x86-64-v3", 16, 8}, {"x86-64-v4", 32, 16}};
    (void)state;
    for (size_t i = 0; i < sizeof(levels) / sizeof(levels[0]); i++) {
        const struct program_options options = {.optimize = true, .cpu = levels[i].cpu};
        struct program *program = program_build(EMIT_KERNELS "/emit_O2", &options);
        assert_int_equal(program_record(program, "waits_for_itself")->lanes, levels[i].waits);
        assert_int_equal(program_record(program, "waits_in_its_group")->lanes, levels[i].works);
        assert_int_equal(program_record(program, "works_all_the_time")->lanes, levels[i].works);
        assert_int_equal(program_record(program, "saxpy")->lanes, levels[i].works);
        program_destroy(program);
    }
}

/* Rows of groups are as long as rows of local memory, if items have two dimensions. */
static void chunks_fit_rows_of_local_memory(void **state)
{
    static const struct {
        const char *kernel;
        uint32_t v3, v4;
    } cases[] = {{"turned_8", 8, 8},
                 {"turned_9", 8, 8},
                 {"turned_2", 4, 4},
                 {"turned_16", 8, 16},
                 {"turned_by_hand", 16, 16}};
    (void)state;
    for (int level = 3; level <= 4; level++) {
        const struct program_options options = {.optimize = true,
                                                .cpu = level == 3 ? "x86-64-v3" : "x86-64-v4"};
        struct program *program = program_build(EMIT_KERNELS "/emit_O2", &options);
        for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
            assert_int_equal(program_record(program, cases[i].kernel)->lanes,
                             level == 3 ? cases[i].v3 : cases[i].v4);
        }
        program_destroy(program);
    }
}

static void kernels_run_in_any_groups_unless_they_know_theirs(void **state)
{
    static const struct {
        const char *kernel;
        bool any;
    } cases[] = {
        {"knows_the_grid", true},      {"knows_its_size", false},
        {"knows_local_memory", false}, {"knows_what_its_group_sees", false},
        {"fence_group", false},        {"tiles", false},
        {"fills_its_chunks", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t flags = program_record(programs[1], cases[i].kernel)->flags;
        assert_int_equal((flags & GEO_KERNEL_ANY_GROUPS) != 0, cases[i].any);
        assert_true(cases[i].any || !(flags & GEO_KERNEL_LONG_ROWS));
    }
    assert_true(program_record(programs[1], "clamped")->flags & GEO_KERNEL_LONG_ROWS);
    assert_true(program_record(programs[1], "bordered")->flags & GEO_KERNEL_LONG_ROWS);
}

static void kernels_contend_unless_their_groups_need_each_other(void **state)
{
    static const struct {
        const char *kernel;
        bool contends;
    } cases[] = {
        {"knows_the_grid", true},   {"knows_what_its_group_sees", true}, {"knows_its_size", false},
        {"waits_in_a_call", false}, {"meets_all_groups", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        uint32_t flags = program_record(programs[1], cases[i].kernel)->flags;
        assert_int_equal((flags & GEO_KERNEL_CONTENDS) != 0, cases[i].contends);
    }
}

/* A group is one thread: only what reaches beyond it is a fence, and an instruction only where the
 * processor would reorder. */
static void barriers_and_fences_order_what_their_scope_says(void **state)
{
    (void)state;
    expect("fence_group", false, "fence ", 0, 0);
    expect("fence_device", false, " fence acq_rel", 3, 3);
    expect("fence_device", false, " fence syncscope(\"singlethread\") acq_rel", 1, 1);
    expect("fence_passed_by", false, " fence acq_rel", 1, 1);
    expect("fence_order", false, " fence seq_cst", 2, 2);
    expect("fence_order", true, " fence seq_cst", 1, 64);
}

static void what_lanes_read_of_each_other_is_frozen(void **state)
{
    (void)state;
    expect("shuffled", false, " = freeze <16 x i32>", 3, 64);
}

/* With AVX-512, a second copy of a large body is emitted only where masks are slow. */
static void large_bodies_have_one_copy_unless_masks_are_slow(void **state)
{
    (void)state;
    expect("large", false, "  store <16 x float>", 0, 0);
    expect("large_between_barriers", false, "  store <16 x float>", 2, 2);
    expect("large_bordered", false, "  store <16 x float>", 1, 3);
    expect("large_records", false, "  store <16 x float>", 1, 1);
}

/* Arithmetic with what they read would be slow if it were denormal. */
static void inactive_lanes_of_records_read_zeros(void **state)
{
    (void)state;
    expect("record_guarded", false, " = alloca [8 x i64]", 1, 1);
    expect("record_guarded", false, "store [8 x i64] zeroinitializer, ptr %zeros", 1, 1);
    expect("record_guarded", false, "%no.use", 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stack_is_accessed_lane_by_lane),
        cmocka_unit_test(a_kernel_that_waits_for_itself_has_twice_the_lanes),
        cmocka_unit_test(chunks_fit_rows_of_local_memory),
        cmocka_unit_test(kernels_run_in_any_groups_unless_they_know_theirs),
        cmocka_unit_test(kernels_contend_unless_their_groups_need_each_other),
        cmocka_unit_test(barriers_and_fences_order_what_their_scope_says),
        cmocka_unit_test(what_lanes_read_of_each_other_is_frozen),
        cmocka_unit_test(inactive_lanes_of_records_read_zeros),
        cmocka_unit_test(large_bodies_have_one_copy_unless_masks_are_slow),
        cmocka_unit_test(saxpy_has_full_width_loads_and_no_mask),
        cmocka_unit_test(a_bounds_check_masks_accesses_that_stay_consecutive),
        cmocka_unit_test(ids_that_may_wrap_take_items_one_by_one),
        cmocka_unit_test(records_of_items_fit_the_chunks),
        cmocka_unit_test(loops_of_the_frame_without_a_known_end_are_not_copied),
        cmocka_unit_test(neighbours_are_consecutive),
        cmocka_unit_test(rows_of_32_bit_indices_are_consecutive),
        cmocka_unit_test(a_grid_stride_loop_is_consecutive),
        cmocka_unit_test(a_loop_over_a_row_is_masked_at_its_end_only),
        cmocka_unit_test(mandelbrot_is_one_masked_loop),
        cmocka_unit_test(sparse_rows_gather),
        cmocka_unit_test(avx2_gathers_too),
        cmocka_unit_test(a_uniform_branch_stays_a_branch),
        cmocka_unit_test(a_uniform_loop_in_a_divergent_branch_counts_in_scalars),
        cmocka_unit_test(barriers_save_what_lives_across_them),
        cmocka_unit_test(offsets_keep_their_shape_across_barriers),
        cmocka_unit_test(clamped_indexes_are_consecutive_inside),
        cmocka_unit_test(indexes_that_wrap_around_are_consecutive_inside),
        cmocka_unit_test(chunks_inside_of_borders_have_no_mask),
        cmocka_unit_test(borders_of_extended_indexes_are_compared_once),
        cmocka_unit_test(chunks_between_barriers_do_not_start_again),
    };
    return cmocka_run_group_tests(tests, build, destroy);
}
