/* Arrays and structures on the heap that are freed at the end of the block in which they are
 * declared. A thread of the program may have a stack of only 16 KiB (PTHREAD_STACK_MIN), and calls
 * nest. So objects larger than a KiB are allocated here. The build refuses frames that are larger
 * than GEOID_FRAME_BYTES (CMakeLists.txt). */
#ifndef GEO_BASE_ROOM_H
#define GEO_BASE_ROOM_H

#include <stdlib.h>

static inline void geo_room_free(void *room)
{
    free(*(void **)room);
}

/* Declares `name`, a pointer to `count` zeroed objects, or NULL if memory ran out. */
#define GEO_ROOM(type, name, count)                                                                \
    __attribute__((cleanup(geo_room_free))) type *name = calloc((count), sizeof(type))

/* Declares `name`, a string on the heap that is freed at the end of the block. */
#define GEO_ROOM_TEXT(name, text) __attribute__((cleanup(geo_room_free))) char *name = (text)

#endif
