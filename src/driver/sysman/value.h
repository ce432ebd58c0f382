/* How structures of the API are written: the caller's stype and pNext stay, everything else comes
 * from a value that is whole; models of simulated devices say so. */
#ifndef GEO_DRIVER_SYSMAN_VALUE_H
#define GEO_DRIVER_SYSMAN_VALUE_H

#include "driver/sysman/component.h"

/* *out = *value, which gets the head of *out. */
#define GEO_VALUE_WRITE(out, value)                                                                \
    do {                                                                                           \
        (value)->stype = (out)->stype;                                                             \
        (value)->pNext = (out)->pNext;                                                             \
        *(out) = *(value);                                                                         \
    } while (0)

/* Sets onSubdevice and subdeviceId of a structure of properties. */
#define GEO_PLACE_WRITE(properties, component)                                                     \
    do {                                                                                           \
        (properties)->onSubdevice = (component)->subdevice >= 0;                                   \
        (properties)->subdeviceId =                                                                \
            (component)->subdevice >= 0 ? (uint32_t)(component)->subdevice : 0;                    \
    } while (0)

/* The description's properties of a component, and where it is. */
#define GEO_PROPERTIES_WRITE(out, part)                                                            \
    do {                                                                                           \
        void *const next_ = (out)->pNext;                                                          \
        const uint32_t stype_ = (uint32_t)(out)->stype;                                            \
        *(out) = (part)->properties;                                                               \
        (out)->stype = (zes_structure_type_t)stype_;                                               \
        (out)->pNext = next_;                                                                      \
        GEO_PLACE_WRITE(out, &(part)->base);                                                       \
    } while (0)

/* A text of `size` bytes with zeros behind it; what does not fit is cut. Of something simulated it
 * ends with " (simulated)". */
void geo_sysman_text(char *out, size_t size, const char *text, bool simulated);

#endif
