/* A screen in memory. See canvas.h. */
#include "canvas.h"

#include "text.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

bool canvas_begin(struct canvas *canvas, int width, int height)
{
    const size_t count = (size_t)width * (size_t)height;
    if (width != canvas->width || height != canvas->height || !canvas->cells) {
        struct cell *cells = calloc(count ? count : 1, sizeof(*cells));
        if (!cells) {
            return false;
        }
        free(canvas->cells);
        canvas->cells = cells;
        canvas->width = width;
        canvas->height = height;
    }
    for (size_t i = 0; i < count; i++) {
        canvas->cells[i] = (struct cell){' ', STYLE_PLAIN};
    }
    return true;
}

void canvas_finish(struct canvas *canvas)
{
    free(canvas->cells);
    canvas->cells = NULL;
    canvas->width = canvas->height = 0;
}

static void cell_set(struct canvas *canvas, int row, int column, enum style style,
                     uint32_t character)
{
    if (row >= 0 && row < canvas->height && column >= 0 && column < canvas->width) {
        canvas->cells[(size_t)row * (size_t)canvas->width + (size_t)column] =
            (struct cell){character, style};
    }
}

/* The next character as it can be shown in one column. */
static uint32_t character_take(const struct canvas *canvas, const char **text)
{
    uint32_t character;
    const size_t length = text_sequence(*text, &character);
    *text += length ? length : 1;
    if (length == 0 || (character >= 0x80 && (!canvas->utf8 || wcwidth((wchar_t)character) != 1))) {
        return '?';
    }
    return character;
}

int canvas_text(struct canvas *canvas, int row, int column, int width, enum style style,
                const char *text)
{
    int used = 0;
    while (*text && used < width) {
        cell_set(canvas, row, column + used, style, character_take(canvas, &text));
        used++;
    }
    return used;
}

void canvas_right(struct canvas *canvas, int row, int column, int width, enum style style,
                  const char *text)
{
    int length = 0;
    for (const char *at = text; *at;) {
        character_take(canvas, &at);
        length++;
    }
    const int blank = length < width ? width - length : 0;
    canvas_text(canvas, row, column + blank, width - blank, style, text);
}

void canvas_style(struct canvas *canvas, int row, enum style style)
{
    for (int column = 0; row >= 0 && row < canvas->height && column < canvas->width; column++) {
        canvas->cells[(size_t)row * (size_t)canvas->width + (size_t)column].style = style;
    }
}

void canvas_graph(struct canvas *canvas, int row, int column, int width, enum style style,
                  const struct history *history, double scale)
{
    static const char levels[] = "_.-:=+*#";
    const int count = !history ? 0 : (int)history->count < width ? (int)history->count : width;
    for (int i = 0; i < count; i++) { /* the i-th newest */
        const uint32_t at = (history->next + HISTORY_LENGTH - 1 - (uint32_t)i) % HISTORY_LENGTH;
        const double share = scale > 0 ? (double)history->values[at] / scale : 0;
        if (isnan(share)) {
            continue;
        }
        const int level = share <= 0 ? 0 : share >= 1 ? 7 : (int)(share * 8);
        /* U+2581 to U+2588: one eighth to a full block. */
        cell_set(canvas, row, column + width - 1 - i, style,
                 canvas->utf8 ? 0x2581u + (uint32_t)level : (uint32_t)levels[level]);
    }
}
