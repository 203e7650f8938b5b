#!/bin/sh
# Runs the stop hook in repositories that have gates. If anything fails here, the agent may stop.
root=$(git -C "${CLAUDE_PROJECT_DIR:-.}" rev-parse --show-toplevel 2>/dev/null) || exit 0
if [ ! -e "$root/onceover.yml" ] && [ ! -e "$root/.deepreview" ]; then
  # The file can be in a folder, or missing from a sparse checkout.
  git -C "$root" ls-files -- onceover.yml .deepreview '*/.deepreview' 2>/dev/null | grep -q . || exit 0
fi
# The hook that "onceover init --hook claude" wrote does the same.
grep -qs 'onceover hook stop' "$root/.claude/settings.json" "$root/.claude/settings.local.json" && exit 0
exec sh "$(dirname "$0")/onceover.sh" hook stop
