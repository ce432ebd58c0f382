/* Writes structures of the API: the caller's stype and pNext stay, and everything else is copied
 * from a complete value. Names of simulated devices say that they are simulated. */
#ifndef GEO_DRIVER_SYSMAN_VALUE_H
#define GEO_DRIVER_SYSMAN_VALUE_H

#include "driver/sysman/component.h"

/* Copies *value to *out, but keeps stype and pNext of *out. */
#define GEO_VALUE_WRITE(out, value)                                                                \
    do {                                                                                           \
        (value)->stype = (out)->stype;                                                             \
        (value)->pNext = (out)->pNext;                                                             \
        *(out) = *(value);                                                                         \
    } while (0)

/* Sets onSubdevice and subdeviceId in a properties structure. */
#define GEO_PLACE_WRITE(properties, component)                                                     \
    do {                                                                                           \
        (properties)->onSubdevice = (component)->subdevice >= 0;                                   \
        (properties)->subdeviceId =                                                                \
            (component)->subdevice >= 0 ? (uint32_t)(component)->subdevice : 0;                    \
    } while (0)

/* Copies the properties of the component `part` to *out, a zes_*_properties_t of the caller. Keeps
 * stype and pNext, and sets onSubdevice and subdeviceId to the component's sub-device. */
#define GEO_PROPERTIES_WRITE(out, part)                                                            \
    do {                                                                                           \
        void *const next_ = (out)->pNext;                                                          \
        const uint32_t stype_ = (uint32_t)(out)->stype;                                            \
        *(out) = (part)->properties;                                                               \
        (out)->stype = (zes_structure_type_t)stype_;                                               \
        (out)->pNext = next_;                                                                      \
        GEO_PLACE_WRITE(out, &(part)->base);                                                       \
    } while (0)

/* Copies a text to a field of `size` bytes and pads it with zeros; it is cut if too long. With
 * `simulated`, it ends with " (simulated)". */
void geo_sysman_text(char *out, size_t size, const char *text, bool simulated);

#endif
