/* Property queries with extension chains. See query.h.
 *
 * An extension's structure is filled with a pattern before the call. A driver that does not know it
 * skips it, so it counts as answered when something of the pattern is gone. */
#include "query.h"

#include "describe.h"

#include <stdlib.h>
#include <string.h>

#define CHAIN_LIMIT 32
#define PATTERN     0xA5
#define COUNT_LIMIT 65536

/* The first members of every extensible structure. */
struct header {
    uint32_t stype;
    void *next;
};

struct chain {
    size_t count;
    struct {
        const struct describe_struct *type;
        struct header *data;
    } links[CHAIN_LIMIT];
};

static bool extends(const struct describe_struct *type, const struct describe_struct *base)
{
    for (size_t i = 0; i < type->extends_count; i++) {
        if (type->extends[i] == base) {
            return true;
        }
    }
    return false;
}

static void chain_free(struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        free(chain->links[i].data);
    }
    chain->count = 0;
}

static void chain_make(struct chain *chain, const struct describe_struct *base, struct header *head)
{
    chain->count = 0;
    for (size_t i = 0; i < describe_struct_count && chain->count < CHAIN_LIMIT; i++) {
        const struct describe_struct *type = describe_structs[i];
        struct header *data = extends(type, base) ? malloc(type->size) : NULL;
        if (data) {
            memset(data, PATTERN, type->size);
            data->stype = type->stype;
            data->next = head->next;
            head->next = data;
            chain->links[chain->count].type = type;
            chain->links[chain->count++].data = data;
        }
    }
}

static bool is_answered(const struct describe_struct *type, const struct header *data)
{
    for (size_t i = 0; i < type->member_count; i++) {
        const struct describe_member *member = &type->members[i];
        const unsigned char *bytes = (const unsigned char *)data + member->offset;
        size_t size = member->size * (member->count ? member->count : 1);
        for (size_t j = 0; j < size; j++) {
            if (bytes[j] != PATTERN) {
                return true;
            }
        }
    }
    return false;
}

/* "ze_device_ip_version_ext_t" becomes "device_ip_version_ext". */
static void key_of(const struct describe_struct *type, char *key, size_t size)
{
    const char *name = strncmp(type->name, "ze_", 3) == 0 ? type->name + 3 : type->name;
    size_t length = strlen(name);
    length -= length > 2 && strcmp(name + length - 2, "_t") == 0 ? 2 : 0;
    length = length < size - 1 ? length : size - 1;
    memcpy(key, name, length);
    key[length] = '\0';
}

static void chain_print(struct emit *emit, const struct chain *chain)
{
    for (size_t i = 0; i < chain->count; i++) {
        const struct describe_struct *type = chain->links[i].type;
        if (is_answered(type, chain->links[i].data)) {
            char key[96];
            key_of(type, key, sizeof(key));
            emit_begin(emit, key, EMIT_OBJECT);
            describe_print(emit, type, chain->links[i].data);
            emit_end(emit);
        }
    }
}

static void error_print(struct emit *emit, const char *key, ze_result_t result)
{
    emit_begin(emit, key, EMIT_OBJECT);
    emit_text(emit, "error", describe_result(result));
    emit_end(emit);
}

void query_struct(struct emit *emit, const char *key, const char *name, query_struct_fn query,
                  void *handle)
{
    const struct describe_struct *type = describe_find(name);
    struct header *data = type ? calloc(1, type->size) : NULL;
    if (!data) {
        error_print(emit, key, ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY);
        return;
    }
    struct chain chain;
    data->stype = type->stype;
    chain_make(&chain, type, data);
    ze_result_t result = query(handle, data);
    if (result != ZE_RESULT_SUCCESS && chain.count) { /* perhaps for the chain's sake */
        chain_free(&chain);
        data->next = NULL;
        result = query(handle, data);
    }
    if (result == ZE_RESULT_SUCCESS) {
        emit_begin(emit, key, EMIT_OBJECT);
        describe_print(emit, type, data);
        chain_print(emit, &chain);
        emit_end(emit);
    } else {
        error_print(emit, key, result);
    }
    chain_free(&chain);
    free(data);
}

static void list_print(struct emit *emit, const char *key, const struct describe_struct *type,
                       const char *data, const struct chain *chains, uint32_t count)
{
    emit_begin(emit, key, EMIT_LIST);
    for (uint32_t i = 0; i < count; i++) {
        emit_begin(emit, NULL, EMIT_OBJECT);
        describe_print(emit, type, data + i * type->size);
        chain_print(emit, &chains[i]);
        emit_end(emit);
    }
    emit_end(emit);
}

void query_list(struct emit *emit, const char *key, const char *name, query_list_fn query,
                void *handle)
{
    const struct describe_struct *type = describe_find(name);
    uint32_t count = 0;
    ze_result_t result = type ? query(handle, &count, NULL) : ZE_RESULT_ERROR_UNKNOWN;
    if (result == ZE_RESULT_SUCCESS && count > COUNT_LIMIT) {
        result = ZE_RESULT_ERROR_INVALID_SIZE;
    }
    uint32_t room = result == ZE_RESULT_SUCCESS ? count : 0;
    char *data = calloc(room + 1, type ? type->size : 1);
    struct chain *chains = calloc(room + 1, sizeof(*chains));
    if (!data || !chains) {
        result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
        room = 0;
    }
    for (uint32_t i = 0; i < room; i++) {
        struct header *head = (struct header *)(void *)(data + i * type->size);
        head->stype = type->stype;
        chain_make(&chains[i], type, head);
    }
    if (result == ZE_RESULT_SUCCESS && room) {
        result = query(handle, &count, data);
    }
    if (result == ZE_RESULT_SUCCESS) {
        list_print(emit, key, type, data, chains, count < room ? count : room);
    } else {
        error_print(emit, key, result);
    }
    for (uint32_t i = 0; i < room; i++) {
        chain_free(&chains[i]);
    }
    free(chains);
    free(data);
}

void **query_handles(query_handles_fn query, void *handle, uint32_t *count, ze_result_t *result)
{
    *count = 0;
    *result = query(handle, count, NULL);
    uint32_t room = *count;
    void **handles = *result == ZE_RESULT_SUCCESS && room && room <= COUNT_LIMIT
                         ? calloc(room, sizeof(*handles))
                         : NULL;
    if (handles) {
        *result = query(handle, count, handles);
    }
    if (!handles || *result != ZE_RESULT_SUCCESS) {
        free(handles);
        *count = 0;
        return NULL;
    }
    *count = *count < room ? *count : room;
    return handles;
}
