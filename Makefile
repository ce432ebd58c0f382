# Geoid in one word each: everything here calls CMake (see CMakePresets.json) or a script.
.PHONY: all
all:
	cmake --preset default
	cmake --build build
