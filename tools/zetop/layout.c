/* The screen as a whole: title, page, foot; the help. See view.h. */
#include "view.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

size_t view_top(size_t top, size_t count, size_t room, size_t chosen)
{
    if (chosen < count) {
        top = chosen < top ? chosen : top;
        top = room && chosen >= top + room ? chosen - room + 1 : top;
    }
    const size_t last = count > room ? count - room : 0;
    return top < last ? top : last;
}

enum style view_style(double share)
{
    return isnan(share)   ? STYLE_FAINT
           : share < 0.6  ? STYLE_GOOD
           : share < 0.85 ? STYLE_HIGH
                          : STYLE_BAD;
}

static void title_draw(const struct view *view, struct canvas *canvas)
{
    const struct device *device = &view->devices[view->device];
    char left[160], right[40];
    if (view->page == PAGE_OVERVIEW) {
        snprintf(left, sizeof(left), " zetop: %zu devices", view->device_count);
    } else {
        snprintf(left, sizeof(left), " zetop: device %zu/%zu %s%s%s", view->device + 1,
                 view->device_count, device->name, device->simulated ? " (sim)" : "",
                 device->lost ? " (lost)" : "");
    }
    snprintf(right, sizeof(right), "every %g s ", view->delay);
    canvas_right(canvas, 0, 0, canvas->width, STYLE_TITLE, right);
    canvas_text(canvas, 0, 0, canvas->width - (int)strlen(right) - 1, STYLE_TITLE, left);
    canvas_style(canvas, 0, STYLE_TITLE);
}

static void foot_draw(const struct view *view, struct canvas *canvas)
{
    const int row = canvas->height - 1;
    const struct device *device = &view->devices[view->device];
    char text[DEVICE_FAILURE + 16];
    if (view->typing) {
        snprintf(text, sizeof(text), " filter: %s_", view->filter);
    } else if (*device->failure) {
        snprintf(text, sizeof(text), " refused: %s", device->failure);
    } else if (view->page == PAGE_OVERVIEW) {
        snprintf(text, sizeof(text), " q quit  h help  Enter device  arrows select");
    } else {
        snprintf(text, sizeof(text), " q quit  h help  Tab overview  s sort  / filter");
    }
    canvas_text(canvas, row, 0, canvas->width, STYLE_TITLE, text);
    canvas_style(canvas, row, STYLE_TITLE);
}

static void help_draw(struct canvas *canvas)
{
    static const char *const lines[] = {
        "Tab Enter Esc  device and overview",
        "left right n p previous, next device",
        "up down k j    select, or scroll",
        "PgUp PgDn      select, or scroll parts",
        "Home End       first, last",
        "s  r           sort; reverse the order",
        "/              filter by name or number",
        "+ -  space     delay; snapshot now",
        "h q            this help; quit",
        "-: not known or not supported",
        "(sim): simulated; see zetop --help",
    };
    const int count = sizeof(lines) / sizeof(lines[0]);
    for (int i = 0; i < count && i + 1 < canvas->height; i++) {
        canvas_text(canvas, i + 1, 1, canvas->width - 1, STYLE_PLAIN, lines[i]);
    }
    canvas_text(canvas, 0, 0, canvas->width, STYLE_TITLE, " zetop: keys (any key goes back)");
    canvas_style(canvas, 0, STYLE_TITLE);
}

void view_draw(struct view *view, struct canvas *canvas)
{
    if (canvas->width < VIEW_MIN_WIDTH || canvas->height < VIEW_MIN_HEIGHT) {
        char text[64];
        snprintf(text, sizeof(text), "zetop needs %dx%d", VIEW_MIN_WIDTH, VIEW_MIN_HEIGHT);
        canvas_text(canvas, canvas->height / 2, 0, canvas->width, STYLE_PLAIN, text);
        return;
    }
    if (view->help) {
        help_draw(canvas);
        return;
    }
    title_draw(view, canvas);
    if (view->page == PAGE_OVERVIEW) {
        overview_draw(view, canvas, 1, canvas->height - 1);
    } else {
        device_draw(view, canvas, 1, canvas->height - 1);
    }
    foot_draw(view, canvas);
}
