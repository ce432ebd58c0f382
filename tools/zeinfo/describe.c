/* The program zeinfo: printing structures by their description. See describe.h. */
#include "describe.h"

#include <stdio.h>
#include <string.h>

const struct describe_struct *describe_find(const char *name)
{
    for (size_t i = 0; i < describe_struct_count; i++) {
        if (strcmp(describe_structs[i]->name, name) == 0) {
            return describe_structs[i];
        }
    }
    return NULL;
}

static const char *value_name(const struct describe_enum *values, int64_t value)
{
    for (size_t i = 0; i < values->count; i++) {
        if (values->values[i].value == value) {
            return values->values[i].name;
        }
    }
    return NULL;
}

const char *describe_result(int64_t result)
{
    const char *name = value_name(describe_results, result);
    return name ? name : "an unknown result";
}

static uint64_t integer_read(const void *data, size_t size)
{
    uint64_t value = 0;
    memcpy(&value, data, size < sizeof(value) ? size : sizeof(value)); /* little-endian hosts */
    return value;
}

static int64_t signed_read(const void *data, size_t size)
{
    uint64_t value = integer_read(data, size);
    unsigned shift = (unsigned)(64 - 8 * size);
    return size < 8 ? (int64_t)(value << shift) >> shift : (int64_t)value;
}

static double float_read(const void *data, size_t size)
{
    float narrow = 0;
    double wide = 0;
    if (size == sizeof(float)) {
        memcpy(&narrow, data, sizeof(narrow));
        return (double)narrow;
    }
    memcpy(&wide, data, sizeof(wide));
    return wide;
}

/* Bits that have names become those; the others stay a number. */
static void flags_print(struct emit *emit, const char *key, const struct describe_enum *values,
                        uint64_t bits)
{
    emit_begin(emit, key, EMIT_ROW);
    for (size_t i = 0; i < values->count; i++) {
        uint64_t bit = (uint64_t)values->values[i].value;
        if (bit && (bits & bit) == bit) {
            emit_text(emit, NULL, values->values[i].name);
            bits &= ~bit;
        }
    }
    if (bits) {
        char text[32];
        snprintf(text, sizeof(text), "0x%llx", (unsigned long long)bits);
        emit_text(emit, NULL, text);
    }
    emit_end(emit);
}

static void enum_print(struct emit *emit, const char *key, const struct describe_enum *values,
                       uint64_t value)
{
    char text[32];
    const char *name = value_name(values, (int64_t)value);
    if (values->kind == DESCRIBE_FLAGS) {
        flags_print(emit, key, values, value);
        return;
    }
    if (values->kind == DESCRIBE_VERSION) {
        snprintf(text, sizeof(text), "%u.%u", (unsigned)(value >> 16), (unsigned)(value & 0xFFFF));
    } else {
        snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
    }
    emit_text(emit, key, name && values->kind == DESCRIBE_ENUM ? name : text);
}

static void bytes_print(struct emit *emit, const char *key, const uint8_t *bytes, size_t count)
{
    char text[256] = "";
    for (size_t i = 0; i < count && i < sizeof(text) / 2 - 1; i++) {
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    }
    emit_text(emit, key, text);
}

static bool is_one_of(const char *name, const char *const *names)
{
    while (*names && strcmp(*names, name) != 0) {
        names++;
    }
    return *names != NULL;
}

/* Returns whether a plain number is a number of bytes. Only the name of the member tells. */
static bool names_bytes(const char *name)
{
    static const char *const names[] = {"maxSharedLocalMemory", NULL};
    size_t length = strlen(name);
    bool size =
        length >= 4 && (strcmp(name + length - 4, "Size") == 0 || strcmp(name, "size") == 0);
    return is_one_of(name, names) || (size && !strstr(name, "Group") && !strstr(name, "Dims"));
}

static bool names_identity(const char *name)
{
    static const char *const names[] = {"vendorId", "deviceId", "driverVersion", "ipVersion", NULL};
    return is_one_of(name, names);
}

static bool names_version(const char *name)
{
    static const char *const names[] = {"spirvVersionSupported", NULL};
    return is_one_of(name, names);
}

static void number_print(struct emit *emit, const char *key, const char *name, uint64_t number)
{
    char text[32];
    if (names_version(name)) {
        snprintf(text, sizeof(text), "%u.%u", (unsigned)(number >> 16),
                 (unsigned)(number & 0xFFFF));
        emit_text(emit, key, text);
        return;
    }
    emit_number(emit, key, number,
                names_bytes(name)      ? EMIT_BYTES
                : names_identity(name) ? EMIT_HEX
                                       : EMIT_PLAIN);
}

static void value_print(struct emit *emit, const char *key, const struct describe_member *member,
                        const char *data)
{
    switch (member->kind) {
    case DESCRIBE_UINT:
        number_print(emit, key, member->name, integer_read(data, member->size));
        break;
    case DESCRIBE_INT:
        emit_signed(emit, key, signed_read(data, member->size));
        break;
    case DESCRIBE_FLOAT:
        emit_real(emit, key, float_read(data, member->size));
        break;
    case DESCRIBE_BOOL:
        emit_bool(emit, key, *data != 0);
        break;
    case DESCRIBE_STRUCT:
        emit_begin(emit, key, EMIT_OBJECT);
        describe_print(emit, member->type, data);
        emit_end(emit);
        break;
    default:
        enum_print(emit, key, member->values, integer_read(data, member->size));
    }
}

static void member_print(struct emit *emit, const struct describe_member *member, const char *data)
{
    if (member->kind == DESCRIBE_OTHER) {
        return;
    }
    const struct describe_struct *type = member->type;
    if (type && type->member_count == 1 && type->members[0].kind == DESCRIBE_BYTES) {
        /* a UUID is a value, not a structure of one member */
        bytes_print(emit, member->name, (const uint8_t *)data, type->members[0].count);
    } else if (member->kind == DESCRIBE_TEXT) {
        char text[1024];
        snprintf(text, sizeof(text), "%.*s", (int)member->count, data);
        emit_text(emit, member->name, text);
    } else if (member->kind == DESCRIBE_BYTES) {
        bytes_print(emit, member->name, (const uint8_t *)data, member->count);
    } else if (member->count) {
        emit_begin(emit, member->name, member->kind == DESCRIBE_STRUCT ? EMIT_LIST : EMIT_ROW);
        for (size_t i = 0; i < member->count; i++) {
            value_print(emit, NULL, member, data + i * member->size);
        }
        emit_end(emit);
    } else {
        value_print(emit, member->name, member, data);
    }
}

void describe_print(struct emit *emit, const struct describe_struct *type, const void *data)
{
    for (size_t i = 0; i < type->member_count; i++) {
        member_print(emit, &type->members[i], (const char *)data + type->members[i].offset);
    }
}
