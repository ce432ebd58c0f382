/* The table of messages. See messages.def. */
#include "layers/validation/validation.h"

const struct geo_val_message_row geo_val_messages[GEO_VAL_MESSAGE_COUNT] = {
#define GEO_MESSAGE(id, name, check, severity, requirement, section, text)                         \
    [GEO_VAL_##id] = {name, requirement, section, text, GEO_VAL_##check, GEO_VAL_##severity},
#include "layers/validation/messages.def"
#undef GEO_MESSAGE
};
