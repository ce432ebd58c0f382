/* Parses the build options of the API's string. See options.h. */
#include "compiler/facade/options.h"

#include "native/registers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define WARNINGS_MAX 32u /* further warnings are replaced by one */

/* Forms of options. */
enum option_form {
    FORM_WORD,   /* -name */
    FORM_EQUALS, /* -name=value */
    FORM_NEXT,   /* -name value */
    FORM_VALUE,  /* -name=value or -name value */
    FORM_PREFIX, /* any option with this prefix */
};

/* Effects of options. */
enum option_effect {
    EFFECT_NONE, /* for other hardware, or a choice that does not exist here */
    EFFECT_OPT_DISABLE,
    EFFECT_OPT_LEVEL,
    EFFECT_CORRECT_DIVIDE,
    EFFECT_MAD,
    EFFECT_NO_SIGNED_ZEROS,
    EFFECT_UNSAFE,
    EFFECT_FINITE,
    EFFECT_RELAXED,
    EFFECT_LARGE_BUFFERS,
    EFFECT_PROFILE,
};

/* Options that clients are known to send. */
static const struct option {
    const char *name;
    enum option_form form;
    enum option_effect effect;
} option_table[] = {
    {"-ze-opt-disable", FORM_WORD, EFFECT_OPT_DISABLE},
    {"-ze-opt-level", FORM_VALUE, EFFECT_OPT_LEVEL},
    {"-ze-opt-greater-than-4GB-buffer-required", FORM_WORD, EFFECT_LARGE_BUFFERS},
    {"-ze-intel-greater-than-4GB-buffer-required", FORM_WORD, EFFECT_LARGE_BUFFERS},
    {"-cl-intel-greater-than-4GB-buffer-required", FORM_WORD, EFFECT_LARGE_BUFFERS},
    {"-ze-opt-has-buffer-offset-arg", FORM_WORD, EFFECT_NONE},
    {"-ze-opt-large-register-file", FORM_WORD, EFFECT_NONE},
    {"-ze-opt-large-grf-kernel", FORM_NEXT, EFFECT_NONE},
    {"-ze-opt-regular-grf-kernel", FORM_NEXT, EFFECT_NONE},
    {"-ze-exp-register-file-size", FORM_VALUE, EFFECT_NONE},
    {"-ze-intel-", FORM_PREFIX, EFFECT_NONE},
    {"-ze-kernel-scheduling-mode-", FORM_PREFIX, EFFECT_NONE},
    {"-ze-fp32-correctly-rounded-divide-sqrt", FORM_WORD, EFFECT_CORRECT_DIVIDE},
    {"-ze-denorms-are-zero", FORM_WORD, EFFECT_NONE},
    {"-ze-take-global-address", FORM_WORD, EFFECT_NONE},
    {"-ze-library-compilation", FORM_WORD, EFFECT_NONE},
    {"-ze-collect-cost-info", FORM_WORD, EFFECT_NONE},
    {"-zet-profile-flags", FORM_VALUE, EFFECT_PROFILE},

    {"-cl-opt-disable", FORM_WORD, EFFECT_OPT_DISABLE},
    {"-cl-fp32-correctly-rounded-divide-sqrt", FORM_WORD, EFFECT_CORRECT_DIVIDE},
    {"-cl-mad-enable", FORM_WORD, EFFECT_MAD},
    {"-cl-std", FORM_EQUALS, EFFECT_NONE},
    {"-cl-denorms-are-zero", FORM_WORD, EFFECT_NONE},
    {"-cl-no-signed-zeros", FORM_WORD, EFFECT_NO_SIGNED_ZEROS},
    {"-cl-unsafe-math-optimizations", FORM_WORD, EFFECT_UNSAFE},
    {"-cl-finite-math-only", FORM_WORD, EFFECT_FINITE},
    {"-cl-fast-relaxed-math", FORM_WORD, EFFECT_RELAXED},
    {"-cl-single-precision-constant", FORM_WORD, EFFECT_NONE},
    {"-cl-uniform-work-group-size", FORM_WORD, EFFECT_NONE},
    {"-cl-kernel-arg-info", FORM_WORD, EFFECT_NONE},
    {"-cl-store-cache-default", FORM_EQUALS, EFFECT_NONE},
    {"-cl-load-cache-default", FORM_EQUALS, EFFECT_NONE},
    {"-cl-intel-", FORM_PREFIX, EFFECT_NONE},

    {"-g", FORM_WORD, EFFECT_NONE},
    {"-w", FORM_WORD, EFFECT_NONE},
    {"-Werror", FORM_WORD, EFFECT_NONE},
    {"-O", FORM_PREFIX, EFFECT_NONE},
    {"-D", FORM_PREFIX, EFFECT_NONE},
    {"-vc-", FORM_PREFIX, EFFECT_NONE},
    {"-library-compilation", FORM_WORD, EFFECT_NONE},
    {"-igc_opts", FORM_NEXT, EFFECT_NONE},
    {"-device", FORM_NEXT, EFFECT_NONE},
};

/* A word of the option text. It is not terminated. */
struct word {
    const char *text;
    size_t length; /* 0: no word */
};

/* The reading of the options of all sources. */
struct reader {
    const char *rest;
    struct geo_build_options options; /* of the current source */
    bool instrumented;                /* the request's */
    struct geo_strbuf *log;           /* NULL: no warnings */
    struct geo_strbuf warnings;       /* all warnings so far, each once */
    uint32_t warning_count;
};

/* ---- warnings ---- */

static void warn(struct reader *reader, struct word word, const char *reason)
{
    if (!reader->log) {
        return;
    }
    if (reader->warning_count == WARNINGS_MAX) {
        reader->warning_count++;
        geo_strbuf_printf(&reader->warnings, "warning: more build options have no effect\n");
    }
    if (reader->warning_count > WARNINGS_MAX) {
        return;
    }
    struct geo_strbuf line;
    geo_strbuf_init(&line, 0);
    line.shown = true;
    geo_strbuf_printf(&line, "warning: build option '%.*s' %s\n",
                      (int)(word.length < 200 ? word.length : 200), word.text, reason);
    const char *text = geo_strbuf_text(&line);
    if (!strstr(geo_strbuf_text(&reader->warnings), text)) {
        geo_strbuf_add(&reader->warnings, text, strlen(text));
        reader->warning_count++;
    }
    geo_strbuf_finish(&line);
}

/* ---- words ---- */

/* Returns the next word. Blanks inside single or double quotes belong to it. */
static struct word word_next(struct reader *reader)
{
    const char *start = reader->rest + strspn(reader->rest, " \t\n");
    const char *end = start;
    char quote = 0;
    while (*end && (quote || !strchr(" \t\n", *end))) {
        if (quote ? *end == quote : *end == '\'' || *end == '"') {
            quote = quote ? 0 : *end;
        }
        end++;
    }
    reader->rest = end;
    return (struct word){start, (size_t)(end - start)};
}

/* Returns whether a word is this option. `tail` is the text behind the name and behind "=" if
 * present. */
static bool option_matches(const struct option *option, struct word word, struct word *tail)
{
    size_t name = strlen(option->name);
    if (word.length < name || memcmp(word.text, option->name, name) != 0) {
        return false;
    }
    bool equals = word.length > name && word.text[name] == '=';
    *tail = (struct word){word.text + name + equals, word.length - name - equals};
    switch (option->form) {
    case FORM_PREFIX:
        return true;
    case FORM_EQUALS:
        return equals;
    case FORM_VALUE:
        return equals || word.length == name;
    default:
        return word.length == name;
    }
}

static const struct option *option_find(struct word word, struct word *tail)
{
    for (size_t i = 0; i < sizeof(option_table) / sizeof(option_table[0]); i++) {
        if (option_matches(&option_table[i], word, tail)) {
            return &option_table[i];
        }
    }
    return NULL;
}

/* ---- effects ---- */

/* Flags of options that imply others (OpenCL C, Optimization Options). */
#define FINITE (GEO_VALUE_FAST_NOT_NAN | GEO_VALUE_FAST_NOT_INF)
#define UNSAFE                                                                                     \
    (GEO_VALUE_FAST_CONTRACT | GEO_VALUE_FAST_NSZ | GEO_VALUE_FAST_ALLOW_RECIP |                   \
     GEO_VALUE_FAST_REASSOC | GEO_VALUE_RELAXED)

/* Reads a combination of zet_profile_flag_t in hexadecimal, with or without 0x. */
static bool profile_read(struct word value, uint32_t *flags)
{
    char text[16], *end = text;
    if (value.length == 0 || value.length >= sizeof(text) || !isxdigit((uint8_t)value.text[0])) {
        return false;
    }
    memcpy(text, value.text, value.length);
    text[value.length] = '\0';
    unsigned long long number = strtoull(text, &end, 16);
    *flags = (uint32_t)number;
    return *end == '\0' && (number & ~(unsigned long long)GEO_NATIVE_PROFILE_FLAGS) == 0;
}

static void profile_apply(struct reader *reader, struct word word, struct word value)
{
    uint32_t flags;
    if (!profile_read(value, &flags)) {
        warn(reader, word, "has no effect: the value is a number from 0 to 3, in hexadecimal");
    } else if (!reader->instrumented) {
        warn(reader, word, "has no effect without ZET_ENABLE_PROGRAM_INSTRUMENTATION=1");
    } else {
        reader->options.profile_flags |= flags;
    }
}

static void option_apply(struct reader *reader, const struct option *option, struct word word,
                         struct word value)
{
    switch (option->effect) {
    case EFFECT_OPT_DISABLE:
        reader->options.optimize = false;
        break;
    case EFFECT_OPT_LEVEL:
        if (value.length != 1 || *value.text < '0' || *value.text > '2') {
            warn(reader, word, "has no effect: levels are 0 to 2");
        } else {
            reader->options.optimize = *value.text != '0';
        }
        break;
    case EFFECT_CORRECT_DIVIDE:
        reader->options.correctly_rounded_divide_sqrt = true;
        break;
    case EFFECT_MAD:
        reader->options.fast_math |= GEO_VALUE_FAST_CONTRACT;
        break;
    case EFFECT_NO_SIGNED_ZEROS:
        reader->options.fast_math |= GEO_VALUE_FAST_NSZ;
        break;
    case EFFECT_UNSAFE:
        reader->options.fast_math |= UNSAFE;
        break;
    case EFFECT_FINITE:
        reader->options.fast_math |= FINITE;
        break;
    case EFFECT_RELAXED:
        reader->options.fast_math |= UNSAFE | FINITE;
        break;
    case EFFECT_LARGE_BUFFERS:
        reader->options.large_buffers = true;
        break;
    case EFFECT_PROFILE:
        profile_apply(reader, word, value);
        break;
    case EFFECT_NONE:
        break;
    }
}

static void word_read(struct reader *reader, struct word word)
{
    struct word value;
    const struct option *option = option_find(word, &value);
    if (!option) {
        warn(reader, word, "is not known and has no effect");
        return;
    }
    bool attached = word.length > strlen(option->name);
    if (option->form == FORM_NEXT || (option->form == FORM_VALUE && !attached)) {
        value = word_next(reader);
        if (value.length == 0) {
            warn(reader, word, "lacks its value");
            return;
        }
        word.length = (size_t)(value.text + value.length - word.text);
    }
    option_apply(reader, option, word, value);
}

/* Parses the options of one source. By the specification, optimisation level 2 is the default. */
static struct geo_build_options source_read(struct reader *reader, const char *text)
{
    reader->rest = text ? text : "";
    reader->options = (struct geo_build_options){.optimize = true};
    for (struct word word = word_next(reader); word.length; word = word_next(reader)) {
        word_read(reader, word);
    }
    return reader->options;
}

void geo_facade_options_read(const struct geo_compiler_request *request,
                             struct geo_build_options *options, struct geo_strbuf *log)
{
    bool link = request->unit_count > 1 || request->function || request->kernel_count;
    struct reader reader = {.log = link ? NULL : log, .instrumented = request->instrumented};
    geo_strbuf_init(&reader.warnings, 0);
    *options = source_read(&reader, request->sources[0].options);
    for (uint32_t i = 1; i < request->source_count; i++) {
        if (request->sources[i].unit == request->sources[0].unit) {
            struct geo_build_options more = source_read(&reader, request->sources[i].options);
            options->optimize &= more.optimize;
            options->correctly_rounded_divide_sqrt |= more.correctly_rounded_divide_sqrt;
            options->fast_math &= more.fast_math;
            options->large_buffers |= more.large_buffers;
            options->profile_flags |= more.profile_flags;
        }
    }
    if (reader.warning_count) {
        geo_strbuf_add(log, geo_strbuf_text(&reader.warnings), reader.warnings.length);
    }
    geo_strbuf_finish(&reader.warnings);
}
