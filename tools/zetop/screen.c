/* The terminal, by ncurses. See screen.h. */
#include "screen.h"

#include "event.h"
#include "view.h"

#include <langinfo.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>
#include <wchar.h>

#define NCURSES_WIDECHAR 1
#include <curses.h>
#include <term.h>

/* The most cells of a terminal that are used: ncurses takes 28 bytes for each of its three copies. */
#define CELLS_MAX (4u << 20)

/* The time after which a screen that has just begun has its first rates. */
#define FIRST_DELAY_NS UINT64_C(200000000)

static SCREEN *screen;
static struct termios settings; /* of the terminal, before */
static char farewell[128];      /* what leaves the screen, for a signal's handler */
static bool coloured;
static struct winsize terminal; /* the terminal's size when it was last asked */

/* ---- begin and end ---- */

enum screen_kind screen_kind(void)
{
    int problem = 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        fputs("zetop: standard input and output must be a terminal; use --batch for other output\n",
              stderr);
        return SCREEN_NONE;
    }
    if (setupterm(NULL, STDOUT_FILENO, &problem) != OK) {
        const char *type = getenv("TERM");
        fprintf(stderr, "zetop: the terminal type \"%s\" is unknown; set TERM or use --batch\n",
                type ? type : "");
        return SCREEN_NONE;
    }
    const char *move = tigetstr("cup");
    const enum screen_kind kind = move && move != (char *)-1 ? SCREEN_FULL : SCREEN_PLAIN;
    del_curterm(cur_term);
    return kind;
}

/* Returns false when the terminal is larger than ncurses can handle, which counts rows and columns
 * in a short without a check. It also asks for the size itself, whenever it writes. */
static bool terminal_fits(void)
{
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &terminal) != 0 ||
           (terminal.ws_row <= SHRT_MAX && terminal.ws_col <= SHRT_MAX &&
            (unsigned)terminal.ws_row * terminal.ws_col <= CELLS_MAX);
}

static void farewell_add(const char *capability)
{
    const char *text = tigetstr(capability);
    if (text && text != (char *)-1 && strlen(farewell) + strlen(text) < sizeof(farewell)) {
        strcat(farewell, text);
    }
}

static void screen_leave_at_once(void)
{
    if (write(STDOUT_FILENO, farewell, strlen(farewell)) >= 0) {
        tcsetattr(STDIN_FILENO, TCSANOW, &settings);
    }
}

static void screen_close(void)
{
    if (screen) {
        event_set_emergency(NULL);
        endwin();
        delscreen(screen);
        screen = NULL;
    }
}

static void colours_begin(void)
{
    static const struct {
        enum style style;
        short colour;
    } pairs[] = {{STYLE_FAINT, COLOR_CYAN},
                 {STYLE_GOOD, COLOR_GREEN},
                 {STYLE_HIGH, COLOR_YELLOW},
                 {STYLE_BAD, COLOR_RED}};
    const char *no = getenv("NO_COLOR");
    coloured = !(no && *no) && has_colors() && start_color() == OK;
    if (coloured) {
        use_default_colors();
        for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
            init_pair((short)pairs[i].style, pairs[i].colour, -1);
        }
    }
}

static bool screen_open(void)
{
    tcgetattr(STDIN_FILENO, &settings);
    screen = newterm(NULL, stdout, stdin);
    if (!screen) {
        fputs("zetop: the terminal cannot be set up; use --batch\n", stderr);
        return false;
    }
    atexit(screen_close);
    farewell_add("sgr0");
    farewell_add("cnorm");
    farewell_add("rmcup");
    event_set_emergency(screen_leave_at_once);
    set_term(screen);
    cbreak();
    noqiflush(); /* ^C would throw away what is on its way to the terminal, and ncurses not know */
    noecho();
    nonl();
    keypad(stdscr, TRUE);
    nodelay(stdscr, TRUE);
    set_escdelay(50);
    curs_set(0);
    colours_begin();
    return true;
}

/* ---- showing ---- */

static attr_t attributes(enum style style)
{
    switch (style) {
    case STYLE_HEAD:
        return A_BOLD;
    case STYLE_TITLE:
        return A_REVERSE;
    case STYLE_BAD:
        return coloured ? COLOR_PAIR(STYLE_BAD) | A_BOLD : A_BOLD;
    case STYLE_FAINT:
    case STYLE_GOOD:
    case STYLE_HIGH:
        return coloured ? (attr_t)COLOR_PAIR(style) : A_NORMAL;
    default:
        return A_NORMAL;
    }
}

static void row_show(const struct canvas *canvas, int row)
{
    const struct cell *cells = &canvas->cells[(size_t)row * (size_t)canvas->width];
    wchar_t text[256];
    for (int from = 0; from < canvas->width;) {
        int count = 0;
        const enum style style = cells[from].style;
        while (from + count < canvas->width && cells[from + count].style == style &&
               count < (int)(sizeof(text) / sizeof(text[0]))) {
            text[count] = (wchar_t)cells[from + count].character;
            count++;
        }
        attrset((int)attributes(style));
        mvaddnwstr(row, from, text, count);
        from += count;
    }
}

static bool screen_show(struct view *view, struct canvas *canvas)
{
    if (!canvas_begin(canvas, COLS, LINES)) {
        return false;
    }
    view_draw(view, canvas);
    for (int row = 0; row < canvas->height; row++) {
        row_show(canvas, row);
    }
    refresh();
    return true;
}

static void screen_resize(void)
{
    if (terminal_fits() && terminal.ws_row && terminal.ws_col) {
        resizeterm(terminal.ws_row, terminal.ws_col);
        clearok(stdscr, TRUE);
    }
}

/* ---- keys ---- */

static uint32_t key_of(int key)
{
    switch (key) {
    case KEY_UP:
        return KEY_OF_UP;
    case KEY_DOWN:
        return KEY_OF_DOWN;
    case KEY_LEFT:
        return KEY_OF_LEFT;
    case KEY_RIGHT:
        return KEY_OF_RIGHT;
    case KEY_PPAGE:
        return KEY_OF_PAGE_UP;
    case KEY_NPAGE:
        return KEY_OF_PAGE_DOWN;
    case KEY_HOME:
        return KEY_OF_HOME;
    case KEY_END:
        return KEY_OF_END;
    case KEY_ENTER:
    case '\r':
    case '\n':
        return KEY_OF_ENTER;
    case KEY_BACKSPACE:
    case 0x7f:
    case '\b':
        return KEY_OF_BACKSPACE;
    case 0x1b:
        return KEY_OF_ESCAPE;
    case KEY_F(1):
        return KEY_OF_HELP;
    default:
        return key < 0x7f ? (uint32_t)key : UINT32_MAX;
    }
}

/* All keys that are there. False: none was, the terminal is gone. */
static bool keys_take(struct view *view)
{
    bool any = false;
    for (int key = getch(); key != ERR; key = getch()) {
        any = true;
        if (key == '\f') {
            clearok(stdscr, TRUE); /* something else wrote on the screen */
        } else {
            view_key(view, key_of(key));
        }
    }
    return any;
}

/* ---- the loop ---- */

/* Snapshots are taken device by device, and keys are heeded in between: a thousand devices, or slow
 * ones, do not make the screen wait. */
struct loop {
    struct sampler *sampler;
    struct view view;
    struct canvas canvas;
    size_t next;    /* device to take; device_count: none */
    uint64_t until; /* the next snapshot's time */
    int empty;      /* times in a row that there was input and no key */
    bool first;     /* no snapshot is whole yet */
};

/* A device of the snapshot on its way. */
static bool loop_sample(struct loop *loop, bool *changed)
{
    if (!sampler_take(&loop->sampler->devices[loop->next++])) {
        return false;
    }
    if (loop->next == loop->sampler->device_count) {
        const uint64_t now = event_now_ns();
        const uint64_t delay = (uint64_t)(loop->view.delay * 1e9);
        *changed = true;
        loop->until = loop->first && delay > FIRST_DELAY_NS ? now + FIRST_DELAY_NS : now + delay;
        loop->first = false;
    }
    return true;
}

static void loop_input(struct loop *loop)
{
    const double delay = loop->view.delay;
    loop->empty = keys_take(&loop->view) ? 0 : loop->empty + 1;
    loop->view.quit |= loop->empty > 10;
    if (loop->view.delay != delay) {
        loop->until = event_now_ns() + (uint64_t)(loop->view.delay * 1e9);
    }
    if (loop->view.sample_now && loop->next == loop->sampler->device_count) {
        loop->until = 0;
    }
    loop->view.sample_now = false;
}

/* Shows and samples until the user ends it or the terminal no longer fits. False: no memory. */
static bool loop_run(struct loop *loop)
{
    const size_t count = loop->sampler->device_count;
    bool changed = true;
    while (!loop->view.quit) {
        const bool sampling = loop->next < count;
        if (!terminal_fits()) {
            return true;
        }
        if (changed && !screen_show(&loop->view, &loop->canvas)) {
            return false;
        }
        changed = true;
        switch (event_wait(STDIN_FILENO, sampling ? 0 : loop->until)) {
        case EVENT_STOP:
            return true;
        case EVENT_RESIZE:
            screen_resize();
            break;
        case EVENT_INPUT:
            loop_input(loop);
            break;
        case EVENT_TIME:
            changed = false;
            loop->next = sampling ? loop->next : 0;
            if (!loop_sample(loop, &changed)) {
                return false;
            }
            break;
        }
    }
    return true;
}

int screen_run(struct sampler *sampler, double delay)
{
    struct loop loop = {.sampler = sampler,
                        .view = {.devices = sampler->devices,
                                 .device_count = sampler->device_count,
                                 .page = sampler->device_count > 1 ? PAGE_OVERVIEW : PAGE_DEVICE,
                                 .delay = delay},
                        .canvas = {.utf8 = strcmp(nl_langinfo(CODESET), "UTF-8") == 0},
                        .first = true};
    bool fits = terminal_fits();
    bool good = true;
    if (fits) {
        if (!screen_open()) {
            return 1;
        }
        good = loop_run(&loop);
        fits = terminal_fits();
        screen_close();
        canvas_finish(&loop.canvas);
    }
    if (!fits) {
        fprintf(stderr,
                "zetop: the terminal has %u rows and %u columns, more than zetop can fill: "
                "make it smaller, or use --batch\n",
                terminal.ws_row, terminal.ws_col);
    }
    if (!good) {
        fputs("zetop: out of memory\n", stderr);
    }
    return good && fits ? 0 : 1;
}
