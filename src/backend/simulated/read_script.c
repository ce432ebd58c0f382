/* Reads scripts. See read.h and script.h.
 *
 *     42  "ok"  ["a", "b"]  {"index": 2, "plus": 1}     constant values
 *     {"ramp": {"from": 0, "to": 9, "start_s": 1, "end_s": 4}}
 *     {"steps": [[0, 10], [2.5, 20]]}                   from each time on
 *     {"sine": {"mean": 50, "amplitude": 5, "period_s": 60}}
 *     {"noise": {"mean": 50, "amplitude": 5, "period_s": 1, "seed": 7}}
 *     {"counter": {"rate_per_s": SCRIPT, "start": 0, "bits": 32}}
 *     {"sum": [SCRIPT, SCRIPT]}
 */
#include "backend/simulated/read.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define POINTS 1024u /* maximum number of steps */
#define TERMS  16u
#define DEPTH  6u /* maximum nesting of scripts */

/* The bounds keep sums and integrals finite. */
#define ANY .min = -1e18, .max = 1e18

#define AT(field) offsetof(struct sim_script, field)

struct context {
    struct sim_reader *reader;
    const struct sim_key *key;
    uint32_t depth;
    bool integrated; /* the value is a rate, so it must not contain counters */
};

static bool script_read(const struct context *context, const struct sim_json *json,
                        struct sim_script *script);

static bool ramp_finish(struct sim_reader *reader, void *item)
{
    const struct sim_script *script = item;
    return script->end_s > script->start_s ||
           sim_wrong(reader, "\"end_s\" is not after \"start_s\"");
}

static const struct sim_key ramp_keys[] = {
    {"from", SIM_REAL, AT(from), ANY, .required = true, .help = "the value until `start_s`"},
    {"to", SIM_REAL, AT(to), ANY, .required = true, .help = "the value from `end_s` on"},
    {"start_s", SIM_REAL, AT(start_s), .max = 0x1p53, .help = "0"},
    {"end_s", SIM_REAL, AT(end_s), .max = 0x1p53, .required = true,
     .help = "end of the ramp, after `start_s`"},
};
static const struct sim_key sine_keys[] = {
    {"mean", SIM_REAL, AT(mean), ANY, .help = "0"},
    {"amplitude", SIM_REAL, AT(amplitude), ANY, .required = true,
     .help = "largest difference from the mean"},
    {"period_s", SIM_REAL, AT(period_s), .min = 1e-6, .max = 1e12, .required = true,
     .help = "duration of a wave"},
    {"phase_s", SIM_REAL, AT(phase_s), .min = -1e12, .max = 1e12,
     .help = "start of the first wave; 0"},
};
static const struct sim_key noise_keys[] = {
    {"mean", SIM_REAL, AT(mean), ANY, .help = "0"},
    {"amplitude", SIM_REAL, AT(amplitude), ANY, .required = true,
     .help = "largest difference from the mean"},
    {"period_s", SIM_REAL, AT(period_s), .min = 1e-6, .max = 1e12, .required = true,
     .help = "time for which a value stays"},
    {"seed", SIM_U64, AT(seed), .help = "selects the noise; every device has its own; 0"},
};
struct counter {
    struct sim_script script;
    const struct sim_json *rate;
};
static const struct sim_key counter_keys[] = {
    {"rate_per_s", SIM_JSON, offsetof(struct counter, rate), .required = true,
     .help = "increase per second: a script without counters"},
    {"start", SIM_REAL, AT(from), .max = 0x1p53, .help = "the value at 0 s; 0"},
    {"bits", SIM_U32, AT(bits), .min = 1, .max = 64, .help = "the counter wraps at 2^bits; 64"},
};
static const struct counter counter_defaults = {.script = {.bits = 64}};

const struct sim_table sim_ramp_table = {"ramp", SIM_KEYS(ramp_keys),
                                         .bytes = sizeof(struct sim_script), .finish = ramp_finish};
const struct sim_table sim_sine_table = {"sine", SIM_KEYS(sine_keys),
                                         .bytes = sizeof(struct sim_script)};
const struct sim_table sim_noise_table = {"noise", SIM_KEYS(noise_keys),
                                          .bytes = sizeof(struct sim_script)};
const struct sim_table sim_counter_table = {"counter", SIM_KEYS(counter_keys),
                                            .bytes = sizeof(struct counter),
                                            .defaults = &counter_defaults};

/* ---- kinds ---- */

static bool value_read(const struct context *context, const struct sim_json *json, double *out)
{
    const struct sim_key *key = context->key;
    return sim_read_number(context->reader, json, key->words, key->min, key->max, out);
}

static bool by_table(const struct context *context, const struct sim_json *json,
                     const struct sim_table *table, enum sim_script_kind kind,
                     struct sim_script *script)
{
    const bool right = sim_walk(context->reader, json, table, sim_read_scalar, script);
    script->kind = kind;
    script->seed = script->seed * UINT64_C(0xD1342543DE82EF95) + context->reader->seed;
    return right;
}

/* Checks that all values of a varying script are in the allowed range. */
static bool range_check(const struct context *context, double one, double other)
{
    const struct sim_key *key = context->key;
    const double low = fmin(one, other), high = fmax(one, other);
    return (low >= key->min && high <= key->max) ||
           sim_wrong(context->reader, "%.10g is not from %.10g to %.10g",
                     low < key->min ? low : high, key->min, key->max);
}

static bool ramp_read(const struct context *context, const struct sim_json *json,
                      struct sim_script *script)
{
    return by_table(context, json, &sim_ramp_table, SIM_RAMP, script) &&
           range_check(context, script->from, script->to);
}

/* Reads a sine or noise script. */
static bool swing_read(const struct context *context, const struct sim_json *json,
                       const struct sim_table *table, enum sim_script_kind kind,
                       struct sim_script *script)
{
    return by_table(context, json, table, kind, script) &&
           range_check(context, script->mean - script->amplitude, script->mean + script->amplitude);
}

static bool sine_read(const struct context *context, const struct sim_json *json,
                      struct sim_script *script)
{
    return swing_read(context, json, &sim_sine_table, SIM_SINE, script);
}

static bool noise_read(const struct context *context, const struct sim_json *json,
                       struct sim_script *script)
{
    return swing_read(context, json, &sim_noise_table, SIM_NOISE, script);
}

static bool steps_read(const struct context *context, const struct sim_json *json,
                       struct sim_script *script)
{
    struct sim_reader *reader = context->reader;
    if (json->kind != GEO_JSON_ARRAY || json->count == 0 || json->count > POINTS) {
        return sim_wrong(reader, "steps are 1 to %u pairs [SECONDS, VALUE]", POINTS);
    }
    struct sim_point *points = geo_arena_new_array(reader->arena, struct sim_point, json->count);
    if (!points) {
        return sim_no_memory(reader);
    }
    script->kind = SIM_STEPS;
    script->points = points;
    for (const struct sim_json *pair = json->first; pair; pair = pair->next) {
        struct sim_point *point = &points[script->count++];
        reader->line = pair->line;
        if (pair->kind != GEO_JSON_ARRAY || pair->count != 2) {
            return sim_wrong(reader, "a step is a pair [SECONDS, VALUE]");
        }
        if (!sim_read_number(reader, pair->first, NULL, 0, 0x1p53, &point->t) ||
            !value_read(context, pair->first->next, &point->value)) {
            return false;
        }
        if (point > points && point->t <= point[-1].t) {
            return sim_wrong(reader, "the times of steps do not rise");
        }
    }
    return true;
}

/* Reads a nested script. */
static bool inner_read(const struct context *context, const struct sim_json *json,
                       const struct sim_key *key, bool integrated, const struct sim_script **out)
{
    const struct context inner = {context->reader, key, context->depth + 1,
                                  context->integrated || integrated};
    struct sim_script *script = geo_arena_new(context->reader->arena, struct sim_script);
    if (!script) {
        return sim_no_memory(context->reader);
    }
    *out = script;
    return script_read(&inner, json, script);
}

static bool counter_read(const struct context *context, const struct sim_json *json,
                         struct sim_script *script)
{
    static const struct sim_key any = {.name = "rate_per_s", .max = 1e18};
    struct counter counter = {0};
    if (context->integrated) {
        return sim_wrong(context->reader, "a counter inside of a rate");
    }
    if (!sim_walk(context->reader, json, &sim_counter_table, sim_read_scalar, &counter)) {
        return false;
    }
    *script = counter.script;
    script->kind = SIM_COUNTER;
    return inner_read(context, counter.rate, &any, true, &script->rate);
}

static bool sum_read(const struct context *context, const struct sim_json *json,
                     struct sim_script *script)
{
    static const struct sim_key any = {.name = "sum", ANY};
    struct sim_reader *reader = context->reader;
    if (json->kind != GEO_JSON_ARRAY || json->count == 0 || json->count > TERMS) {
        return sim_wrong(reader, "a sum is an array of 1 to %u scripts", TERMS);
    }
    const struct sim_script **terms =
        geo_arena_new_array(reader->arena, const struct sim_script *, json->count);
    if (!terms) {
        return sim_no_memory(reader);
    }
    script->kind = SIM_SUM;
    script->terms = terms;
    for (const struct sim_json *term = json->first; term; term = term->next) {
        if (!inner_read(context, term, &any, false, &terms[script->count++])) {
            return false;
        }
    }
    return true;
}

static const struct {
    const char *name;
    bool (*read)(const struct context *context, const struct sim_json *json,
                 struct sim_script *script);
    bool words; /* its values may be words */
} kinds[] = {
    {"ramp", ramp_read, false},   {"steps", steps_read, true},      {"sine", sine_read, false},
    {"noise", noise_read, false}, {"counter", counter_read, false}, {"sum", sum_read, false},
};

/* ---- dispatch ---- */

static bool constant_read(const struct context *context, const struct sim_json *json,
                          struct sim_script *script)
{
    script->kind = SIM_CONSTANT;
    return value_read(context, json, &script->from);
}

/* Returns whether the value is {"index": FACTOR, "plus": SUMMAND}. */
static bool is_by_device(const struct sim_json *json)
{
    const char *key = json->first ? json->first->key : "";
    return strcmp(key, "index") == 0 || strcmp(key, "plus") == 0;
}

static bool script_read(const struct context *context, const struct sim_json *json,
                        struct sim_script *script)
{
    struct sim_reader *reader = context->reader;
    reader->line = json->line;
    if (context->depth > DEPTH) {
        return sim_wrong(reader, "more than %u scripts in each other", DEPTH);
    }
    if (json->kind != GEO_JSON_OBJECT || is_by_device(json)) {
        return constant_read(context, json, script);
    }
    if (json->count != 1) {
        return sim_wrong(reader, "a script is one of its kinds; \"sum\" adds several");
    }
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (strcmp(json->first->key, kinds[i].name) != 0) {
            continue;
        }
        if (context->key->words && !kinds[i].words) {
            return sim_wrong(reader, "words change by \"steps\" only");
        }
        if (!sim_enter(reader, kinds[i].name, -1, json->first) ||
            !kinds[i].read(context, json->first, script)) {
            return false;
        }
        sim_leave(reader);
        return true;
    }
    return sim_wrong(reader, "unknown kind of script \"%.60s\"", json->first->key);
}

bool sim_read_script(struct sim_reader *reader, const struct sim_json *json,
                     const struct sim_key *key, const struct sim_script **out)
{
    const struct context outside = {reader, key, 0, key->type == SIM_RATE};
    return inner_read(&outside, json, key, false, out);
}
