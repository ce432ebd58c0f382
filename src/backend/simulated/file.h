/* A description file: what it says of all devices. */
#ifndef GEO_BACKEND_SIMULATED_FILE_H
#define GEO_BACKEND_SIMULATED_FILE_H

#include "backend/simulated/device.h"

#define SIM_FILE_BYTES  (1u << 20)  /* of a file, at most */
#define SIM_JSON_BYTES  (64u << 20) /* of what is made of it */
#define SIM_ALL_DEVICES 16384u      /* roots and tiles */

struct sim_file {
    struct geo_arena arena;
    bool manual; /* "clock" */
    struct geo_backend_device *devices;
    uint32_t count;
};

/* False: `problem` says "PATH:LINE: place: what", or is empty when memory ran out. The file is
 * zeroed; finish accepts it either way. */
bool sim_file_read(const char *path, struct sim_file *file, struct geo_strbuf *problem);
bool sim_file_parse(const char *bytes, size_t size, struct sim_file *file,
                    struct geo_strbuf *problem);
void sim_file_finish(struct sim_file *file);

extern const struct sim_table sim_root_table;

#endif
