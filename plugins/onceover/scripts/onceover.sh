#!/bin/sh
# Starts onceover: the one that is installed, else that of npx.
if command -v onceover >/dev/null 2>&1; then exec onceover "$@"; fi
exec npx -y onceover "$@"
