/* Growing strings and arrays: always terminated, cut at a limit or where memory ends. */
#include "unit.h"

#include "sweep.h"

#include "base/array.h"
#include "base/strbuf.h"

static void text_is_terminated_at_every_length(void **state)
{
    (void)state;
    struct geo_strbuf buffer;
    char expected[2001] = "";
    geo_strbuf_init(&buffer, 0);
    assert_string_equal(geo_strbuf_text(&buffer), "");
    for (size_t i = 0; i < 2000; i++) {
        char letter = (char)('a' + i % 26);
        geo_strbuf_add(&buffer, &letter, 1);
        expected[i] = letter;
        assert_int_equal(buffer.length, i + 1);
        assert_string_equal(geo_strbuf_text(&buffer), expected);
    }
    assert_false(buffer.truncated);
    geo_strbuf_finish(&buffer);
    assert_string_equal(geo_strbuf_text(&buffer), "");
}

static void formatted_and_plain_text_follow_each_other(void **state)
{
    (void)state;
    struct geo_strbuf buffer;
    char large[300];
    memset(large, 'x', sizeof(large) - 1);
    large[sizeof(large) - 1] = '\0';
    geo_strbuf_init(&buffer, 0);
    geo_strbuf_printf(&buffer, "%s", "");
    assert_string_equal(geo_strbuf_text(&buffer), "");
    geo_strbuf_printf(&buffer, "%d-%s;", 7, "a");
    geo_strbuf_add(&buffer, "b\0c", 3); /* bytes, whatever they are */
    geo_strbuf_printf(&buffer, "%s.", large);
    assert_int_equal(buffer.length, 4 + 3 + 299 + 1);
    assert_memory_equal(geo_strbuf_text(&buffer), "7-a;b\0cxxx", 10);
    assert_string_equal(geo_strbuf_text(&buffer) + 7 + 298, "x.");
    geo_strbuf_finish(&buffer);
}

static void a_limit_cuts_exactly(void **state)
{
    (void)state;
    for (size_t limit = 1; limit < 300; limit += 7) {
        struct geo_strbuf plain, formatted;
        char text[300];
        memset(text, 'y', sizeof(text));
        geo_strbuf_init(&plain, limit);
        geo_strbuf_init(&formatted, limit);
        geo_strbuf_add(&plain, text, limit); /* to the brim is whole */
        geo_strbuf_printf(&formatted, "%.*s", (int)limit, text);
        assert_false(plain.truncated || formatted.truncated);
        geo_strbuf_add(&plain, "z", 1);
        geo_strbuf_printf(&formatted, "%c", 'z');
        assert_true(plain.truncated && formatted.truncated);
        assert_int_equal(plain.length, limit);
        assert_int_equal(formatted.length, limit);
        assert_int_equal(strlen(geo_strbuf_text(&plain)), limit);
        assert_string_equal(geo_strbuf_text(&plain), geo_strbuf_text(&formatted));
        geo_strbuf_finish(&plain);
        geo_strbuf_finish(&formatted);
    }
}

/* What does not fit is cut, not left out. */
static void a_long_text_is_cut_at_the_limit(void **state)
{
    (void)state;
    struct geo_strbuf buffer;
    geo_strbuf_init(&buffer, 10);
    geo_strbuf_printf(&buffer, "%s", "01234");
    geo_strbuf_printf(&buffer, "%s", "56789abcdef");
    geo_strbuf_printf(&buffer, "%s", "more");
    assert_string_equal(geo_strbuf_text(&buffer), "0123456789");
    assert_true(buffer.truncated);
    geo_strbuf_finish(&buffer);
}

static void a_text_that_is_taken_belongs_to_the_taker(void **state)
{
    (void)state;
    struct geo_strbuf buffer;
    size_t length;
    geo_strbuf_init(&buffer, 5);
    geo_strbuf_printf(&buffer, "%s", "abcdef");
    char *text = geo_strbuf_take(&buffer, &length);
    assert_string_equal(text, "abcde");
    assert_int_equal(length, 5);
    free(text);
    assert_false(buffer.truncated); /* empty, with the same limit */
    assert_int_equal(buffer.limit_bytes, 5);
    char *nothing = geo_strbuf_take(&buffer, &length);
    assert_string_equal(nothing, "");
    assert_int_equal(length, 0);
    free(nothing);
    geo_strbuf_finish(&buffer);
}

static struct geo_strbuf swept;

/* Cut where memory ended, with no hole in the text. */
static ze_result_t do_text(void)
{
    geo_strbuf_init(&swept, 0);
    for (int i = 0; i < 400; i++) {
        geo_strbuf_printf(&swept, "%03d,", i);
        geo_strbuf_add(&swept, "....", 4);
    }
    const char *text = geo_strbuf_text(&swept);
    assert_int_equal(strlen(text), swept.length);
    if (!swept.truncated) {
        return ZE_RESULT_SUCCESS;
    }
    geo_strbuf_finish(&swept);
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static void undo_text(void)
{
    assert_int_equal(swept.length, 3200);
    geo_strbuf_finish(&swept);
}

static ze_result_t do_take(void)
{
    size_t length = 1;
    geo_strbuf_init(&swept, 0);
    char *text = geo_strbuf_take(&swept, &length);
    assert_int_equal(length, 0);
    free(text);
    return text ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

static void lack_of_memory_cuts_the_text(void **state)
{
    (void)state;
    static const struct sweep text = {.name = "strbuf", .run = do_text, .undo = undo_text};
    static const struct sweep take = {.name = "strbuf taken", .run = do_take};
    sweep_run(&text);
    sweep_run(&take);
}

/* ---- what people read ---- */

static void what_cannot_be_seen_is_escaped(void **state)
{
    (void)state;
    static const struct {
        const char *text, *shown;
    } cases[] = {
        {"kernel `a\\b' 100% ~", "kernel `a\\b' 100% ~"},
        {"\033[31m\a\x7f", "\\x1b[31m\\x07\\x7f"},
        {"a\nb\tc\r\n", "a\\nb\\tc\\r\\n"},
        {"gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8d",
         "gr\xc3\xbc\xc3\x9f \xe2\x82\xac \xf0\x9f\x8c\x8d"},
        {"\xc2\x9b"
         "31m",
         "\\xc2\\x9b31m"},                                     /* a control character in UTF-8 */
        {"a\xff\xc3", "a\\xff\\xc3"},                          /* no UTF-8; cut off */
        {"\xc0\x8a\xe0\x80\x8a", "\\xc0\\x8a\\xe0\\x80\\x8a"}, /* longer than needed */
        {"\xed\xa0\x80\xf4\x90\x80\x80", "\\xed\\xa0\\x80\\xf4\\x90\\x80\\x80"}, /* no characters */
        {"x\xe2\x80\xaey", "x\\xe2\\x80\\xaey"},                                 /* right to left */
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct geo_strbuf buffer;
        char text[100];
        size_t length = strlen(cases[i].text), expected = strlen(cases[i].shown);
        geo_strbuf_init(&buffer, 0);
        geo_strbuf_add_shown(&buffer, cases[i].text, length);
        assert_string_equal(geo_strbuf_text(&buffer), cases[i].shown);
        assert_int_equal(geo_strbuf_shown(text, sizeof(text), cases[i].text, length), expected);
        assert_string_equal(text, cases[i].shown);
        for (size_t size = 1; size <= expected; size++) { /* no half escapes, no half characters */
            size_t used = geo_strbuf_shown(text, size, cases[i].text, length);
            assert_true(used < size && size - used <= 4 && text[used] == '\0');
            assert_memory_equal(text, cases[i].shown, used);
            assert_true((cases[i].shown[used] & 0xc0) != 0x80);
        }
        geo_strbuf_finish(&buffer);
    }
    char zero[8];
    assert_int_equal(geo_strbuf_shown(zero, sizeof(zero), "\0", 1), 4);
    assert_string_equal(zero, "\\x00");
}

static void a_buffer_for_people_escapes_what_is_formatted(void **state)
{
    (void)state;
    struct geo_strbuf buffer;
    geo_strbuf_init(&buffer, 0);
    buffer.shown = true;
    geo_strbuf_printf(&buffer, "error: %s\n", "a\nerror: b\n");
    geo_strbuf_printf(&buffer, "%s", "c\n");
    geo_strbuf_add(&buffer, "d\n", 2);
    assert_string_equal(geo_strbuf_text(&buffer), "error: a\\nerror: b\\n\nc\\nd\n");
    size_t length;
    free(geo_strbuf_take(&buffer, &length));
    assert_true(buffer.shown);
    geo_strbuf_finish(&buffer);
}

/* ---- arrays ---- */

static void arrays_grow_and_keep_their_items(void **state)
{
    (void)state;
    struct {
        uint64_t *items;
        size_t count, capacity;
    } array = {0};
    for (uint64_t i = 0; i < 1000; i++) {
        assert_true(geo_array_reserve(&array, 1));
        assert_true(array.capacity > array.count);
        array.items[array.count++] = i;
    }
    for (uint64_t i = 0; i < 1000; i++) {
        assert_int_equal(array.items[i], i);
    }
    uint64_t *before = array.items;
    assert_true(geo_array_reserve(&array, 0));
    assert_false(
        geo_array_reserve(&array, SIZE_MAX / 2)); /* no number of items has so many bytes */
    assert_false(geo_array_reserve(&array, SIZE_MAX / 8 - 1000));
    allocations_fail(1, true);
    bool grown = geo_array_reserve(&array, 5000);
    allocations_end();
    assert_false(grown);
    assert_ptr_equal(array.items, before);
    assert_int_equal(array.count, 1000);
    assert_int_equal(array.items[999], 999);
    geo_array_finish(&array);
    assert_null(array.items);
    assert_int_equal(array.capacity, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(text_is_terminated_at_every_length),
        cmocka_unit_test(formatted_and_plain_text_follow_each_other),
        cmocka_unit_test(a_limit_cuts_exactly),
        cmocka_unit_test(a_long_text_is_cut_at_the_limit),
        cmocka_unit_test(a_text_that_is_taken_belongs_to_the_taker),
        cmocka_unit_test(lack_of_memory_cuts_the_text),
        cmocka_unit_test(what_cannot_be_seen_is_escaped),
        cmocka_unit_test(a_buffer_for_people_escapes_what_is_formatted),
        cmocka_unit_test(arrays_grow_and_keep_their_items),
    };
    return cmocka_run_group_tests_name("strbuf", tests, NULL, NULL);
}
