#!/bin/sh
# Starts the installed onceover: the one on PATH, else the one that the project depends on. It never downloads a package.
if command -v onceover >/dev/null 2>&1; then exec onceover "$@"; fi
exec npx --no-install onceover "$@"
