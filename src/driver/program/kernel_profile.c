/* Writes profiles of kernels. See kernel_profile.h.
 *
 *     zet_profile_properties_t            flags, numTokens
 *     zet_profile_free_register_token_t   type, size, count
 *     zet_profile_register_sequence_t     start, count; as often as the token says */
#include "driver/program/kernel_profile.h"

#include <geoid/profile.h>

#include <string.h>

#define SEQUENCE_BYTES sizeof(zet_profile_register_sequence_t)

_Static_assert(sizeof(zet_profile_properties_t) + sizeof(zet_profile_free_register_token_t) +
                       GEO_PROFILE_SEQUENCES * SEQUENCE_BYTES <=
                   GEOID_PROFILE_BYTES,
               "the bound that tools know");

/* Writes the token of free registers. */
static void token_write(const zet_profile_register_sequence_t *sequences, uint32_t count,
                        uint8_t *place)
{
    zet_profile_free_register_token_t token = {.type = ZET_PROFILE_TOKEN_TYPE_FREE_REGISTER,
                                               .count = count};
    token.size = (uint32_t)(sizeof(token) + count * SEQUENCE_BYTES);
    memcpy(place, &token, sizeof(token));
    memcpy(place + sizeof(token), sequences, count * SEQUENCE_BYTES);
}

void geo_kernel_profile_write(const struct geo_kernel *kernel, zet_profile_properties_t *properties)
{
    zet_profile_register_sequence_t sequences[GEO_PROFILE_SEQUENCES];
    const bool room = properties->numTokens == GEOID_PROFILE_TOKENS;
    uint32_t count = 0;
    properties->flags =
        kernel->ops->profile ? kernel->ops->profile(kernel->backend, sequences, &count) : 0;
    properties->numTokens = 0;
    if (room && properties->flags & ZET_PROFILE_FLAG_FREE_REGISTER_INFO) {
        properties->numTokens = 1;
        token_write(sequences, count, (uint8_t *)properties + sizeof(*properties));
    }
}
