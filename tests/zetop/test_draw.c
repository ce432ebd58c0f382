/* zetop without a terminal and without a driver: orders of processes, keys, drawings of every size.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tools/zetop/view.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- a device to draw ---- */

enum { PARTS = PART_CLASSES, PROCESSES = 5 };
static struct process processes[PROCESSES] = {{30, 5, 9, 1, "beta"},
                                              {4, 700, 2, 2, "Alpha"},
                                              {12, 5, 1, 4, "gamma"},
                                              {99, 80, 2, 0, "alphabet"},
                                              {1, 1, 3, 0, "init"}};
static struct value values[PARTS][2];
static struct history history = {.values = {0, 0.5f, NAN, 1, 2}, .next = 5, .count = 5};
static struct part parts[PARTS];
static struct device devices[3];

static void devices_make(void)
{
    static const enum metric_id firsts[PARTS] = {
        M_ENGINE_UTILIZATION, M_MEMORY_USED,      M_POWER,  M_FREQUENCY,
        M_TEMPERATURE,        M_FAN_SPEED,        M_ERRORS, M_PCI_RECEIVE_RATE,
        M_PSU_CURRENT,        M_PORT_RECEIVE_RATE};
    for (int i = 0; i < PARTS; i++) {
        values[i][0] = (struct value){.metric = firsts[i],
                                      .form = VALUE_REAL,
                                      .real = 0.5,
                                      .label = i == PART_ERRORS ? "reset" : NULL};
        parts[i] = (struct part){.kind = (enum part_class)i,
                                 .subdevice = i % 2 - 1,
                                 .type = "other",
                                 .values = values[i],
                                 .value_count = 1,
                                 .history = i == PART_ERRORS ? NULL : &history};
    }
    for (uint32_t i = 0; i < 3; i++) {
        devices[i] = (struct device){.index = i,
                                     .uuid = "uuid",
                                     .name = "A device whose name is longer than what it is given",
                                     .vendor = "Vendor",
                                     .serial = "",
                                     .version = "1",
                                     .simulated = i == 1,
                                     .lost = i == 2,
                                     .parts = parts,
                                     .part_count = PARTS,
                                     .processes = processes,
                                     .process_count = PROCESSES,
                                     .processes_known = i != 2};
    }
    strcpy(devices[2].failure, "power: error_device_lost: it is gone");
}

static struct view view_make(void)
{
    devices_make();
    return (struct view){.devices = devices, .device_count = 3, .delay = 1};
}

static void keys(struct view *view, const char *text)
{
    for (; *text; text++) {
        view_key(view, (uint32_t)*text);
    }
}

/* The processes of a view by number, as a text. */
static const char *pids(const struct view *view)
{
    static char text[64];
    const struct process *list[PROCESSES];
    const size_t count = view_processes(view, &devices[0], list);
    text[0] = '\0';
    for (size_t i = 0; i < count; i++) {
        snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%u", i ? " " : "",
                 list[i]->pid);
    }
    return text;
}

static void processes_are_sorted_and_filtered(void **state)
{
    struct view view = view_make();
    (void)state;
    assert_string_equal(pids(&view), "4 99 12 30 1");
    keys(&view, "r");
    assert_string_equal(pids(&view), "1 30 12 99 4");
    keys(&view, "rs");
    assert_string_equal(pids(&view), "30 1 4 99 12"); /* shared */
    keys(&view, "s");
    assert_string_equal(pids(&view), "1 4 12 30 99"); /* number */
    keys(&view, "s");
    assert_string_equal(pids(&view), "4 99 30 12 1"); /* name */
    keys(&view, "ss");
    keys(&view, "/ALPHA");
    assert_string_equal(pids(&view), "4 99");
    assert_true(view.typing);
    view_key(&view, KEY_OF_ENTER);
    assert_false(view.typing);
    keys(&view, "/bet");
    assert_string_equal(pids(&view), "99");
    view_key(&view, KEY_OF_BACKSPACE);
    view_key(&view, KEY_OF_ESCAPE);
    assert_string_equal(pids(&view), "30 1 4 99 12");
    keys(&view, "/3q");
    assert_false(view.quit);
    assert_string_equal(pids(&view), "");
    view_key(&view, KEY_OF_BACKSPACE);
    assert_string_equal(pids(&view), "30");
}

static void a_filter_has_an_end(void **state)
{
    struct view view = view_make();
    (void)state;
    keys(&view, "/");
    for (int i = 0; i < 100; i++) {
        keys(&view, "x");
    }
    assert_int_equal(strlen(view.filter), FILTER_TEXT - 1);
    for (int i = 0; i < 100; i++) {
        view_key(&view, KEY_OF_BACKSPACE);
    }
    assert_string_equal(view.filter, "");
    assert_true(view.typing);
}

static void delays_have_steps(void **state)
{
    struct view view = view_make();
    (void)state;
    keys(&view, "+");
    assert_true(view.delay == 2);
    keys(&view, "--------------");
    assert_true(view.delay == 0.1);
    keys(&view, "++++++++++++++++++");
    assert_true(view.delay == 60);
    view.delay = 3600;
    keys(&view, "+");
    assert_true(view.delay == 3600);
    keys(&view, "-");
    assert_true(view.delay == 60);
}

/* ---- drawings ---- */

static void row_text(const struct canvas *canvas, int row, char *text)
{
    int used = 0;
    for (int i = 0; i < canvas->width; i++) {
        const uint32_t character = canvas->cells[row * canvas->width + i].character;
        text[i] = character < 0x80 ? (char)character : '^';
        used = text[i] == ' ' ? used : i + 1;
    }
    text[used] = '\0';
}

static void a_page_fits_every_size(void **state)
{
    static const uint32_t moves[] = {KEY_OF_DOWN, KEY_OF_PAGE_DOWN, KEY_OF_END,     KEY_OF_UP,
                                     'h',         'q' + 0x1000,     KEY_OF_PAGE_UP, '\t'};
    struct view view = view_make();
    struct canvas canvas = {.utf8 = true};
    char text[512];
    (void)state;
    for (int width = 1; width <= 180; width += width < 50 ? 1 : 13) {
        for (int height = 1; height <= 60; height += height < 30 ? 1 : 10) {
            for (size_t i = 0; i < sizeof(moves) / sizeof(moves[0]); i++) {
                view_key(&view, moves[i]);
                assert_true(canvas_begin(&canvas, width, height));
                view_draw(&view, &canvas); /* the sanitizers look on */
                row_text(&canvas, width < 40 || height < 10 ? height / 2 : 0, text);
                assert_memory_equal(text,
                                    width < 40 || height < 10 ? "zetop needs 40x10" : " zetop: ",
                                    (size_t)(width < 8 ? width : 8) - (width < 40 || height < 10));
            }
        }
    }
    canvas_finish(&canvas);
}

static void a_lost_device_keeps_its_name(void **state)
{
    static const char *const names[] = {" A device", " (lost) (sim) A device", " (lost) A device"};
    struct view view = view_make();
    struct canvas canvas = {.utf8 = true};
    char text[512];
    (void)state;
    devices[1].lost = true;
    assert_true(canvas_begin(&canvas, 120, 10));
    view_draw(&view, &canvas);
    for (int i = 0; i < 3; i++) {
        row_text(&canvas, 2 + i, text);
        assert_memory_equal(text + 5, names[i], strlen(names[i]));
    }
    canvas_finish(&canvas);
}

static void keys_between_two_drawings_all_count(void **state)
{
    struct view view = view_make();
    struct canvas canvas = {.utf8 = true};
    (void)state;
    view.page = PAGE_DEVICE;
    assert_true(canvas_begin(&canvas, 80, 11));
    view_draw(&view, &canvas);
    assert_true(view.part_room < PARTS && view.process_room < PROCESSES);
    for (int i = 0; i < 20; i++) {
        view_key(&view, KEY_OF_PAGE_DOWN);
        view_key(&view, KEY_OF_DOWN);
    }
    assert_int_equal(view.part_top, PARTS - view.part_room);
    assert_int_equal(view.process_top, PROCESSES - view.process_room);
    view_key(&view, KEY_OF_HOME);
    view_key(&view, KEY_OF_END);
    view_key(&view, KEY_OF_UP);
    view_draw(&view, &canvas);
    assert_int_equal(view.process_top, PROCESSES - view.process_room - 1);
    canvas_finish(&canvas);
}

static void a_graph_has_a_column_for_each_value(void **state)
{
    static const uint32_t expected[] = {' ', 0x2581, 0x2585, ' ', 0x2588, 0x2588};
    static const char ascii[] = " _= ##";
    struct canvas canvas = {.utf8 = true};
    struct history one = history;
    (void)state;
    assert_true(canvas_begin(&canvas, 6, 1));
    canvas_graph(&canvas, 0, 0, 6, STYLE_GOOD, &one, 1);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(canvas.cells[i].character, expected[i]);
    }
    canvas.utf8 = false;
    assert_true(canvas_begin(&canvas, 6, 1));
    canvas_graph(&canvas, 0, 0, 6, STYLE_GOOD, &one, 1);
    for (int i = 0; i < 6; i++) {
        assert_int_equal(canvas.cells[i].character, (uint32_t)ascii[i]);
    }
    one.next = 1; /* the ring has come around */
    one.count = HISTORY_LENGTH;
    one.values[0] = 0.25f;
    one.values[HISTORY_LENGTH - 1] = 0.5f;
    assert_true(canvas_begin(&canvas, 2, 1));
    canvas_graph(&canvas, 0, 0, 2, STYLE_GOOD, &one, 1);
    assert_int_equal(canvas.cells[0].character, '=');
    assert_int_equal(canvas.cells[1].character, '-');
    canvas_finish(&canvas);
}

static void what_is_chosen_stays_on_the_screen(void **state)
{
    (void)state;
    assert_int_equal(view_top(0, 1000, 10, 999), 990);
    assert_int_equal(view_top(990, 1000, 10, 500), 500);
    assert_int_equal(view_top(495, 1000, 10, 500), 495);
    assert_int_equal(view_top(995, 1000, 10, SIZE_MAX), 990);
    assert_int_equal(view_top(5, 3, 10, 2), 0);
    assert_int_equal(view_top(5, 0, 10, 0), 0);
}

static void terminals_without_utf8_get_none(void **state)
{
    struct canvas canvas = {.utf8 = false};
    char text[16];
    (void)state;
    assert_true(canvas_begin(&canvas, 8, 1));
    assert_int_equal(canvas_text(&canvas, 0, 0, 8, STYLE_PLAIN, "a\xc3\xbc\xe2\x82\xac!"), 4);
    row_text(&canvas, 0, text);
    assert_string_equal(text, "a?"
                              "?!");
    assert_int_equal(canvas_text(&canvas, 0, 6, 8, STYLE_PLAIN, "outside"), 7); /* not beyond */
    canvas_right(&canvas, 0, 0, 4, STYLE_PLAIN, "12");
    row_text(&canvas, 0, text);
    assert_string_equal(text, "a?12  ou");
    canvas_finish(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(processes_are_sorted_and_filtered),
        cmocka_unit_test(a_filter_has_an_end),
        cmocka_unit_test(delays_have_steps),
        cmocka_unit_test(a_page_fits_every_size),
        cmocka_unit_test(a_lost_device_keeps_its_name),
        cmocka_unit_test(keys_between_two_drawings_all_count),
        cmocka_unit_test(a_graph_has_a_column_for_each_value),
        cmocka_unit_test(what_is_chosen_stays_on_the_screen),
        cmocka_unit_test(terminals_without_utf8_get_none),
    };
    setlocale(LC_CTYPE, "C.UTF-8");
    return cmocka_run_group_tests_name("zetop_draw", tests, NULL, NULL);
}
