/* Requests and answers as byte sequences. See message.h. */
#include "compiler/facade/message.h"

#include "base/array.h"
#include "base/clock.h"
#include "base/option.h"
#include "compiler/codegen/codegen.h"
#include "compiler/ir/remark.h"
#include "native/specialize.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#define NO_TEXT       UINT64_MAX
#define COUNT_MAX     (UINT64_C(1) << 20) /* bound on the number of sources and of links */
#define MESSAGE_MAX   (UINT64_C(8) << 30)
#define MESSAGE_CHUNK ((size_t)1 << 20)
#define NS_PER_MS     UINT64_C(1000000)

/* ---- writing ---- */

/* Appends `count` bytes, padded with zeros to a multiple of 8. Returns their place; NULL when
 * memory runs out. */
static uint8_t *message_add(struct geo_message *message, size_t count)
{
    size_t padded;
    if (__builtin_add_overflow(count, message->count + 7, &padded)) {
        return NULL;
    }
    padded &= ~(size_t)7;
    if (!geo_array_grow((void **)&message->bytes, &message->capacity, padded, 1)) {
        return NULL;
    }
    uint8_t *place = message->bytes + message->count;
    memset(place, 0, padded - message->count);
    message->count = padded;
    return place;
}

static bool word_write(struct geo_message *message, uint64_t word)
{
    uint8_t *place = message_add(message, sizeof(word));
    return place && memcpy(place, &word, sizeof(word));
}

static bool block_write(struct geo_message *message, const void *bytes, size_t count)
{
    uint8_t *place = word_write(message, count) ? message_add(message, count) : NULL;
    return place && (count == 0 || memcpy(place, bytes, count));
}

static bool text_write(struct geo_message *message, const char *text)
{
    return text ? block_write(message, text, strlen(text) + 1) : word_write(message, NO_TEXT);
}

/* ---- reading ---- */

/* A position in a message. `bad`: the message is malformed; all further reads fail. */
struct reader {
    const struct geo_message *message;
    size_t at;
    bool bad;
};

static uint64_t word_read(struct reader *reader)
{
    uint64_t word = 0;
    if (reader->bad || reader->message->count - reader->at < sizeof(word)) {
        reader->bad = true;
        return 0;
    }
    memcpy(&word, reader->message->bytes + reader->at, sizeof(word));
    reader->at += sizeof(word);
    return word;
}

static uint8_t *block_take(struct reader *reader, uint64_t count)
{
    size_t left = reader->message->count - reader->at;
    if (reader->bad || count > left || ((count + 7) & ~UINT64_C(7)) > left) {
        reader->bad = true;
        return NULL;
    }
    uint8_t *place = reader->message->bytes + reader->at;
    reader->at += (count + 7) & ~UINT64_C(7);
    return place;
}

static uint8_t *block_read(struct reader *reader, size_t *count)
{
    *count = word_read(reader);
    return block_take(reader, *count);
}

static const char *text_read(struct reader *reader)
{
    uint64_t count = word_read(reader);
    if (count == NO_TEXT || reader->bad) {
        return NULL;
    }
    const char *text = (const char *)block_take(reader, count);
    if (text && (count == 0 || text[count - 1] != '\0')) {
        reader->bad = true;
    }
    return reader->bad ? NULL : text;
}

static uint64_t count_read(struct reader *reader)
{
    uint64_t count = word_read(reader);
    reader->bad |= count > COUNT_MAX;
    return reader->bad ? 0 : count;
}

/* ---- orders ---- */

static bool source_write(struct geo_message *message, const struct geo_compiler_source *source)
{
    return block_write(message, source->spirv, source->bytes) &&
           text_write(message, source->options) && word_write(message, source->unit);
}

uint64_t geo_order_memory_limit(void)
{
    return geo_option_number("GEOID_BUILD_MEMORY", 0, 1u << 24) << 20;
}

/* Returns the level that GEOID_CPU names, or NULL. A variable that is set to nothing counts as
 * unset, because build systems export such variables. */
static const char *level_asked(void)
{
    const char *level = geo_option_string("GEOID_CPU");
    return level && *level != '\0' ? level : NULL;
}

static bool request_write(struct geo_message *message, const struct geo_compiler_request *request)
{
    const char *cpu = request->target_cpu ? request->target_cpu : level_asked();
    uint64_t lanes = request->lanes ? request->lanes : geo_option_number("GEOID_LANES", 0, 64);
    uint64_t tile = request->tile ? request->tile : geo_option_number("GEOID_TILE", 0, 16);
    bool good =
        text_write(message, GEO_CODEGEN_IDENTITY) &&
        word_write(message, 0) && /* the attempt, changed by geo_order_set_attempt */
        word_write(message, geo_option_number("GEOID_BUILD_TIME", 0, 1u << 20)) &&
        word_write(message, geo_order_memory_limit()) &&
        word_write(message, geo_option_number("GEOID_BUILD_CODE", 0, 1u << 24) << 20) &&
        text_write(message, cpu) && word_write(message, lanes) && word_write(message, tile) &&
        word_write(message, request->forms) && text_write(message, request->function) &&
        word_write(message, request->kernels) && word_write(message, request->restricted) &&
        word_write(message, request->counted) && word_write(message, request->instrumented) &&
        word_write(message, request->near_null) && word_write(message, request->kernel_count) &&
        word_write(message, request->unit_count) && word_write(message, request->source_count) &&
        word_write(message, request->link_count);
    for (uint32_t i = 0; i < request->source_count && good; i++) {
        good = source_write(message, &request->sources[i]);
    }
    for (uint32_t i = 0; i < request->link_count && good; i++) {
        good = word_write(message, request->links[i].importer) &&
               word_write(message, request->links[i].exporter) &&
               text_write(message, request->links[i].name);
    }
    for (uint32_t i = 0; i < request->kernel_count && good; i++) {
        good = text_write(message, request->kernel_names[i]);
    }
    return good;
}

static uint8_t *attempt_place(const struct geo_order *order)
{
    return order->message.bytes + sizeof(uint64_t) + ((sizeof(GEO_CODEGEN_IDENTITY) + 7) & ~7u);
}

static void sources_read(struct reader *reader, struct geo_compiler_source *sources, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        sources[i].spirv = block_read(reader, &sources[i].bytes);
        sources[i].options = text_read(reader);
        sources[i].unit = (uint32_t)word_read(reader);
    }
}

static void links_read(struct reader *reader, struct geo_compiler_link *links, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        links[i].importer = (uint32_t)word_read(reader);
        links[i].exporter = (uint32_t)word_read(reader);
        links[i].name = text_read(reader);
        reader->bad |= !links[i].name;
    }
}

static void names_read(struct reader *reader, const char **names, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        names[i] = text_read(reader);
        reader->bad |= !names[i];
    }
}

/* Decodes an order. Returns false when memory runs out. A malformed order sets reader->bad. */
static bool order_fill(struct geo_order *order, struct reader *reader)
{
    struct geo_compiler_request *request = &order->request;
    const char *identity = text_read(reader);
    reader->bad |= !identity || strcmp(identity, GEO_CODEGEN_IDENTITY) != 0;
    order->attempt = word_read(reader);
    order->seconds = word_read(reader);
    order->memory_bytes = word_read(reader);
    order->code_bytes = word_read(reader);
    request->target_cpu = text_read(reader);
    request->lanes = (uint32_t)word_read(reader);
    request->tile = (uint32_t)word_read(reader);
    request->forms = (uint32_t)word_read(reader);
    request->function = text_read(reader);
    uint64_t kernels = word_read(reader);
    reader->bad |= kernels > GEO_COMPILER_KERNELS_APART;
    request->kernels = (enum geo_compiler_kernels)kernels;
    request->restricted = word_read(reader) != 0;
    request->counted = word_read(reader) != 0;
    request->instrumented = word_read(reader) != 0;
    request->near_null = word_read(reader) != 0;
    request->kernel_count = (uint32_t)count_read(reader);
    request->unit_count = (uint32_t)count_read(reader);
    request->source_count = (uint32_t)count_read(reader);
    request->link_count = (uint32_t)count_read(reader);
    struct geo_compiler_source *sources = calloc(request->source_count + 1, sizeof(*sources));
    struct geo_compiler_link *links = calloc(request->link_count + 1, sizeof(*links));
    const char **names = calloc(request->kernel_count + 1, sizeof(*names));
    request->sources = sources;
    request->links = links;
    request->kernel_names = names;
    if (sources && links && names) {
        sources_read(reader, sources, request->source_count);
        links_read(reader, links, request->link_count);
        names_read(reader, names, request->kernel_count);
    }
    return sources && links && names;
}

static struct geo_order *order_new(struct geo_message *message)
{
    struct geo_order *order = calloc(1, sizeof(*order));
    if (!order) {
        free(message->bytes);
        *message = (struct geo_message){0};
        return NULL;
    }
    order->message = *message;
    *message = (struct geo_message){0};
    atomic_store(&order->references, 1);
    struct reader reader = {.message = &order->message};
    if (!order_fill(order, &reader) || reader.bad) {
        geo_order_unref(order);
        return NULL;
    }
    return order;
}

/* Writes the request's specialisation constants into the order's copies of the sources. */
static bool order_specialize(struct geo_order *order, const struct geo_compiler_request *request)
{
    bool good = true;
    for (uint32_t i = 0; i < request->source_count && good; i++) {
        const struct geo_compiler_source *from = &request->sources[i];
        struct geo_spirv_constant *constants = calloc(from->constant_count + 1, sizeof(*constants));
        for (uint32_t k = 0; k < from->constant_count && constants; k++) {
            constants[k].id = from->constant_ids[k];
            constants[k].value = from->constant_values[k];
        }
        good = constants && geo_spirv_specialize((void *)order->request.sources[i].spirv,
                                                 from->bytes, constants, from->constant_count);
        free(constants);
    }
    return good;
}

struct geo_order *geo_order_create(const struct geo_compiler_request *request)
{
    struct geo_message message = {0};
    if (!request_write(&message, request)) {
        free(message.bytes);
        return NULL;
    }
    struct geo_order *order = order_new(&message);
    if (order && !order_specialize(order, request)) {
        geo_order_unref(order);
        return NULL;
    }
    return order;
}

struct geo_order *geo_order_read(struct geo_message *message)
{
    return order_new(message);
}

void geo_order_set_attempt(struct geo_order *order, uint64_t attempt)
{
    order->attempt = attempt;
    memcpy(attempt_place(order), &attempt, sizeof(attempt));
}

struct geo_order *geo_order_ref(struct geo_order *order)
{
    atomic_fetch_add(&order->references, 1);
    return order;
}

void geo_order_unref(struct geo_order *order)
{
    if (order && atomic_fetch_sub(&order->references, 1) == 1) {
        free((void *)order->request.sources);
        free((void *)order->request.links);
        free((void *)(uintptr_t)order->request.kernel_names);
        free(order->message.bytes);
        free(order);
    }
}

/* ---- answers ---- */

void geo_answer_finish(struct geo_answer *answer)
{
    free(answer->log);
    free(answer->binary);
    free(answer->texts.bytes);
    *answer = (struct geo_answer){0};
}

bool geo_answer_write(const struct geo_answer *answer, struct geo_message *out)
{
    return word_write(out, (uint64_t)answer->result) && word_write(out, answer->gave_up) &&
           word_write(out, answer->last) && text_write(out, answer->log) &&
           block_write(out, answer->binary, answer->binary ? answer->binary_bytes : 0) &&
           (!answer->texts.count || block_write(out, answer->texts.bytes, answer->texts.count));
}

/* Reads a result code. Returns whether it is one that a build can have. */
static bool result_read(struct reader *reader, ze_result_t *result)
{
    *result = (ze_result_t)word_read(reader);
    return *result == ZE_RESULT_SUCCESS || *result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
           *result == ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY ||
           *result == ZE_RESULT_ERROR_INVALID_ARGUMENT ||
           *result == ZE_RESULT_ERROR_UNKNOWN; /* an assertion failed */
}

bool geo_answer_read(const struct geo_message *message, struct geo_answer *answer)
{
    struct reader reader = {.message = message};
    *answer = (struct geo_answer){0};
    reader.bad |= !result_read(&reader, &answer->result);
    answer->gave_up = word_read(&reader) != 0;
    answer->last = word_read(&reader) != 0;
    const char *log = text_read(&reader);
    const uint8_t *binary = block_read(&reader, &answer->binary_bytes);
    bool built = answer->result == ZE_RESULT_SUCCESS;
    const uint8_t *texts = NULL;
    if (!reader.bad && reader.at < message->count) {
        texts = block_read(&reader, &answer->texts.count);
    }
    /* PTX is a text without a binary beside it */
    bool made = answer->binary_bytes != 0 || (built && texts);
    if (reader.bad || built != made) {
        answer->texts.count = 0;
        return false;
    }
    answer->texts.bytes = texts ? malloc(answer->texts.count + 1) : NULL;
    if (answer->texts.bytes) {
        memcpy(answer->texts.bytes, texts, answer->texts.count);
    } else {
        answer->texts.count = 0;
    }
    built = built && answer->binary_bytes != 0;
    answer->log = log ? strdup(log) : NULL;
    answer->binary = built ? malloc(answer->binary_bytes) : NULL;
    if (answer->binary) {
        memcpy(answer->binary, binary, answer->binary_bytes);
    }
    return (!log || answer->log) && (!built || answer->binary);
}

/* ---- texts ---- */

_Static_assert((uint32_t)GEO_COMPILER_REPORT == GEO_REMARK_REPORT &&
                   (uint32_t)GEO_COMPILER_MODELS == GEO_REMARK_MODELS &&
                   (uint32_t)GEO_COMPILER_LLVM == GEO_REMARK_LLVM &&
                   (uint32_t)GEO_COMPILER_PTX == GEO_REMARK_PTX,
               "forms of builds");

static bool form_write(struct geo_message *out, uint32_t form, const char *name, const char *text)
{
    return word_write(out, form) && text_write(out, name) && text_write(out, text);
}

bool geo_answer_texts_write(struct geo_answer *answer, const struct geo_remarks *remarks)
{
    bool report = remarks->wanted & GEO_REMARK_REPORT;
    struct geo_strbuf array;
    geo_strbuf_init(&array, 0);
    geo_strbuf_printf(&array, "[\n");
    geo_strbuf_add(&array, geo_strbuf_text(&remarks->items), remarks->items.length);
    geo_strbuf_printf(&array, "\n]\n");
    bool good =
        !array.truncated && !remarks->failed &&
        word_write(&answer->texts, remarks->texts.count + report) &&
        (!report || form_write(&answer->texts, GEO_COMPILER_REPORT, "", geo_strbuf_text(&array)));
    for (size_t i = 0; i < remarks->texts.count && good; i++) {
        const struct geo_remark_text *text = &remarks->texts.items[i];
        good = form_write(&answer->texts, text->form, text->name, text->text);
    }
    geo_strbuf_finish(&array);
    return good;
}

struct geo_compiler_text *geo_answer_texts_read(const struct geo_message *message, uint32_t *count)
{
    struct reader reader = {.message = message};
    *count = message->count ? (uint32_t)count_read(&reader) : 0;
    struct geo_compiler_text *texts = *count ? calloc(*count, sizeof(*texts)) : NULL;
    for (uint32_t i = 0; i < *count && texts; i++) {
        texts[i].form = (uint32_t)word_read(&reader);
        texts[i].name = text_read(&reader);
        texts[i].text = text_read(&reader);
        texts[i].length = texts[i].text ? strlen(texts[i].text) : 0;
        reader.bad |= !texts[i].name || !texts[i].text;
    }
    if (reader.bad || !texts) {
        free(texts);
        *count = 0;
        return NULL;
    }
    return texts;
}

/* ---- transfer over a socket ---- */

uint64_t geo_message_now_ns(void)
{
    return geo_clock_ns();
}

/* Waits until the socket is ready. Returns false when the time is over. Child processes have no
 * time limit and never call it: their system call filter forbids poll. */
static bool socket_await(int socket, short events, const struct geo_message_bounds *bounds)
{
    struct pollfd state = {.fd = socket, .events = events};
    int ready = 0;
    while (ready <= 0) {
        uint64_t now = geo_message_now_ns();
        if (now >= bounds->until_ns) {
            return false;
        }
        uint64_t ms = (bounds->until_ns - now) / NS_PER_MS + 1;
        ready = poll(&state, 1, ms > INT_MAX ? INT_MAX : (int)ms);
        if (ready < 0 && errno != EINTR) {
            return false;
        }
    }
    return true;
}

/* Sends or receives a part and returns its size. 0: the other side has closed. -1 with EINTR or
 * EAGAIN: nothing was moved yet. */
static ssize_t part_move(int socket, void *bytes, size_t count, bool out, int flags)
{
    return out ? send(socket, bytes, count, MSG_NOSIGNAL | flags)
               : recv(socket, bytes, count, flags);
}

static bool bytes_move(int socket, void *bytes, size_t count, bool out,
                       const struct geo_message_bounds *bounds)
{
    bool ends = bounds && bounds->until_ns != UINT64_MAX;
    for (size_t done = 0; done < count;) {
        if (ends && !socket_await(socket, out ? POLLOUT : POLLIN, bounds)) {
            return false;
        }
        ssize_t moved =
            part_move(socket, (char *)bytes + done, count - done, out, ends ? MSG_DONTWAIT : 0);
        if (moved == 0 || (moved < 0 && errno != EINTR && errno != EAGAIN)) {
            return false;
        }
        done += moved > 0 ? (size_t)moved : 0;
    }
    return true;
}

bool geo_message_send(int socket, const struct geo_message *message,
                      const struct geo_message_bounds *bounds)
{
    uint64_t count = message->count;
    return bytes_move(socket, &count, sizeof(count), true, bounds) &&
           bytes_move(socket, message->bytes, message->count, true, bounds);
}

/* Receives a message. Memory grows with the bytes received, since the length that the sender claims
 * is untrusted. */
bool geo_message_receive(int socket, struct geo_message *message,
                         const struct geo_message_bounds *bounds)
{
    uint64_t count, most = bounds && bounds->bytes < MESSAGE_MAX ? bounds->bytes : MESSAGE_MAX;
    *message = (struct geo_message){0};
    if (!bytes_move(socket, &count, sizeof(count), false, bounds) || count > most) {
        return false;
    }
    while (message->count < count) {
        size_t part = count - message->count;
        part = part < MESSAGE_CHUNK ? part : MESSAGE_CHUNK;
        if (!geo_array_grow((void **)&message->bytes, &message->capacity, message->count + part,
                            1) ||
            !bytes_move(socket, message->bytes + message->count, part, false, bounds)) {
            free(message->bytes);
            *message = (struct geo_message){0};
            return false;
        }
        message->count += part;
    }
    return true;
}
