#!/bin/bash
# Compares sysman with nvidia-smi on a machine with NVIDIA's driver: what tests/nvml/pack put beside this script, Python 3, no more.
# At rest, and with work on the GPUs. Nothing is set: machines are shared.
cd "$(dirname "$0")" || exit 1
export LD_LIBRARY_PATH=$PWD/lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}
export ZE_ENABLE_ALT_DRIVERS=$PWD/lib/libze_geoid.so.1
nvidia-smi -L
id -u
echo "=== start: milliseconds of zesInit, of the first zesDriverGet, drivers"
for _ in 1 2 3 4 5; do ./sysman start; done
echo "=== at rest"
python3 compare.py ./values
rest=$?
echo "=== with work"
python3 compare.py ./values --load
work=$?
echo "=== GEOID_NVIDIA=off"
GEOID_NVIDIA=off ./values
echo "=== results: at rest $rest, with work $work"
exit $((rest + work))
