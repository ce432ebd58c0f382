/* Build options of modules: which of them are known. The compiler reads them itself; here every
 * word is looked up so that the build log can say which were not understood. */
#ifndef GEO_DRIVER_PROGRAM_BUILD_OPTIONS_H
#define GEO_DRIVER_PROGRAM_BUILD_OPTIONS_H

#include "base/strbuf.h"

/* Adds one warning per unknown option to the log. NULL is no options. Text is untrusted. */
void geo_build_options_check(const char *options, struct geo_strbuf *log);

#endif
