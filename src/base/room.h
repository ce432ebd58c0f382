/* Arrays and structures of the heap that end with the block that they are declared in. A thread of
 * the program may have a stack of 16 KiB (PTHREAD_STACK_MIN), of which calls of ours are nested and
 * the C library takes a part: what is larger than a KiB lies here. The build refuses frames that
 * are larger than GEOID_FRAME_BYTES (cmake/GeoidOptions.cmake). */
#ifndef GEO_BASE_ROOM_H
#define GEO_BASE_ROOM_H

#include <stdlib.h>

static inline void geo_room_free(void *room)
{
    free(*(void **)room);
}

/* Declares `name`, a pointer to `count` zeroed objects; NULL: there is no memory. */
#define GEO_ROOM(type, name, count)                                                                \
    __attribute__((cleanup(geo_room_free))) type *name = calloc((count), sizeof(type))

/* Declares a string that is freed at the end of the block, set to the given one of the heap. */
#define GEO_ROOM_TEXT(name, text) __attribute__((cleanup(geo_room_free))) char *name = (text)

#endif
