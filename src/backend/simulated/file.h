/* A description file with all devices. */
#ifndef GEO_BACKEND_SIMULATED_FILE_H
#define GEO_BACKEND_SIMULATED_FILE_H

#include "backend/simulated/device.h"

#define SIM_FILE_BYTES  (1u << 20)  /* maximum file size */
#define SIM_JSON_BYTES  (64u << 20) /* maximum memory for the parsed file */
#define SIM_ALL_DEVICES 16384u      /* maximum root devices and sub-devices */

struct sim_file {
    struct geo_arena arena;
    bool manual; /* the clock is manual */
    struct geo_backend_device *devices;
    uint32_t count;
};

/* Read a description. Return false with `problem` as "PATH:LINE: place: error", or with an empty
 * `problem` when memory ran out. `file` must be zeroed. sim_file_finish may be called in both
 * cases. */
bool sim_file_read(const char *path, struct sim_file *file, struct geo_strbuf *problem);
bool sim_file_parse(const char *bytes, size_t size, struct sim_file *file,
                    struct geo_strbuf *problem);
void sim_file_finish(struct sim_file *file);

extern const struct sim_table sim_root_table;

#endif
