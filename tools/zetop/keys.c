/* Handles keys. See view.h; layout.c has the help text of the keys. */
#include "view.h"

#include <string.h>

static const double delays[] = {0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60};

static void delay_change(struct view *view, bool longer)
{
    const size_t count = sizeof(delays) / sizeof(delays[0]);
    for (size_t i = 0; longer && i < count; i++) {
        if (delays[i] > view->delay) {
            view->delay = delays[i];
            return;
        }
    }
    for (size_t i = count; !longer && i-- > 0;) {
        if (delays[i] < view->delay) {
            view->delay = delays[i];
            return;
        }
    }
}

/* Moves within [0, count). */
static size_t moved(size_t at, size_t count, int64_t by)
{
    const int64_t to = (int64_t)at + by;
    return to < 0 || count == 0 ? 0 : (uint64_t)to >= count ? count - 1 : (size_t)to;
}

/* The first line of a window on `total` lines; several keys may come before the next drawing. */
static size_t scrolled(size_t top, size_t total, size_t room, int64_t by)
{
    return moved(top, total > room ? total - room + 1 : 1, by);
}

static void device_choose(struct view *view, int64_t by)
{
    const size_t before = view->device;
    view->device = moved(before, view->device_count, by);
    if (view->device != before) {
        view->part_top = view->process_top = 0;
    }
}

static void filter_key(struct view *view, uint32_t key)
{
    const size_t length = strlen(view->filter);
    view->process_top = 0;
    if (key == KEY_OF_ENTER) {
        view->typing = false;
    } else if (key == KEY_OF_ESCAPE) {
        view->typing = false;
        view->filter[0] = '\0';
    } else if (key == KEY_OF_BACKSPACE && length) {
        view->filter[length - 1] = '\0';
    } else if (key >= ' ' && key < 0x7f && length + 1 < FILTER_TEXT) {
        view->filter[length] = (char)key;
        view->filter[length + 1] = '\0';
    }
}

/* Handles keys that move by lines or pages: they choose a device in the overview, and scroll on
 * other pages. Returns false for other keys. */
static bool move_key(struct view *view, uint32_t key)
{
    const bool overview = view->page == PAGE_OVERVIEW;
    const int64_t all = INT32_MAX;
    const int64_t lines = (int64_t)(overview ? view->device_room : view->part_room);
    const int64_t by = key == KEY_OF_UP || key == 'k'     ? -1
                       : key == KEY_OF_DOWN || key == 'j' ? 1
                       : key == KEY_OF_PAGE_UP            ? -lines
                       : key == KEY_OF_PAGE_DOWN          ? lines
                       : key == KEY_OF_HOME               ? -all
                       : key == KEY_OF_END                ? all
                                                          : 0;
    if (by == 0) {
        return false;
    }
    if (overview) {
        device_choose(view, by);
    } else if (key == KEY_OF_PAGE_UP || key == KEY_OF_PAGE_DOWN) {
        view->part_top = scrolled(view->part_top, view->part_total, view->part_room, by);
    } else {
        view->process_top =
            scrolled(view->process_top, view->process_total, view->process_room, by);
    }
    return true;
}

/* Handles keys that change the page or choose a device. Returns false for other keys. */
static bool page_key(struct view *view, uint32_t key)
{
    switch (key) {
    case '\t':
        view->page = view->page == PAGE_OVERVIEW ? PAGE_DEVICE : PAGE_OVERVIEW;
        return true;
    case KEY_OF_ENTER:
        view->page = PAGE_DEVICE;
        return true;
    case KEY_OF_ESCAPE:
        view->page = view->device_count > 1 ? PAGE_OVERVIEW : PAGE_DEVICE;
        view->filter[0] = '\0';
        return true;
    case KEY_OF_LEFT:
    case 'p':
        device_choose(view, -1);
        return true;
    case KEY_OF_RIGHT:
    case 'n':
        device_choose(view, 1);
        return true;
    default:
        return false;
    }
}

static void plain_key(struct view *view, uint32_t key)
{
    switch (key) {
    case 'q':
        view->quit = true;
        break;
    case 'h':
    case '?':
    case KEY_OF_HELP:
        view->help = true;
        break;
    case 's':
        view->order = (view->order + 1) % ORDERS;
        break;
    case 'r':
        view->reverse = !view->reverse;
        break;
    case '/':
        view->typing = true;
        view->page = PAGE_DEVICE;
        break;
    case '+':
    case '-':
        delay_change(view, key == '+');
        break;
    case ' ':
        view->sample_now = true;
        break;
    default:
        break;
    }
}

void view_key(struct view *view, uint32_t key)
{
    if (view->help) {
        view->help = false; /* any key closes it */
        view->quit = key == 'q';
    } else if (view->typing) {
        filter_key(view, key);
    } else if (!move_key(view, key) && !page_key(view, key)) {
        plain_key(view, key);
    }
}
