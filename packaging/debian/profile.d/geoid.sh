# Shows Geoid's driver to the Level Zero loader of the package libze1, which has no folder for
# drivers: without this variable it opens libraries of Intel's names only. The list keeps those
# names, and names that are not installed do no harm. Geoid's own loader (package geoid-loader)
# finds the driver by itself; there the variable would hide drivers that manifests name.
if [ -z "${ZE_ENABLE_ALT_DRIVERS+set}" ] && [ ! -e /usr/share/doc/geoid-loader/copyright ] &&
    [ -n "$(ls /usr/lib/*/libze_geoid.so.1 2>/dev/null)" ]; then
    ZE_ENABLE_ALT_DRIVERS=libze_intel_gpu.so.1,libze_intel_gpu_legacy1.so.1
    ZE_ENABLE_ALT_DRIVERS=$ZE_ENABLE_ALT_DRIVERS,libze_intel_vpu.so.1,libze_intel_npu.so.1
    ZE_ENABLE_ALT_DRIVERS=$ZE_ENABLE_ALT_DRIVERS,libze_geoid.so.1
    export ZE_ENABLE_ALT_DRIVERS
fi
