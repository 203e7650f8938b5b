#!/bin/sh
# Has the gates decide whether the agent may stop, in repositories that have gates; whatever goes wrong here, it may.
root=$(git -C "${CLAUDE_PROJECT_DIR:-.}" rev-parse --show-toplevel 2>/dev/null) || exit 0
if [ ! -e "$root/onceover.yml" ] && [ ! -e "$root/.deepreview" ]; then
  # Deeper down, or left out by a sparse checkout.
  git -C "$root" ls-files -- onceover.yml .deepreview '*/.deepreview' 2>/dev/null | grep -q . || exit 0
fi
# "onceover init --hook claude" was here: its hook does the same.
grep -qs 'onceover hook stop' "$root/.claude/settings.json" "$root/.claude/settings.local.json" && exit 0
exec sh "$(dirname "$0")/onceover.sh" hook stop
