#!/usr/bin/env bash
# Runs tests with the git of other Debian releases, for example: tools/git-matrix.sh "bullseye sid" packages/repo/test/git
# It needs root and debootstrap. Each release is installed once, below ONCEOVER_MATRIX (default: a folder in ~/.cache).
set -euo pipefail
cd "$(dirname "$0")/.."

releases=${1:-trixie sid}
shift || true
tests=("$@")
[ ${#tests[@]} -gt 0 ] || tests=(packages/repo/test/git packages/passes/test)
cache=${ONCEOVER_MATRIX:-${XDG_CACHE_HOME:-$HOME/.cache}/onceover-git-matrix}
node=$(readlink -f "$(command -v node)")

# Installs a Debian release with its git, and takes the name only when it is complete.
install_release() {
  local release=$1 root=$cache/$1
  [ -e "$root/usr/bin/git" ] && return
  mkdir -p "$cache"
  rm -rf "$root.part"
  debootstrap --variant=minbase --include=git,openssh-client,procps "$release" "$root.part" >"$root.log" 2>&1 ||
    { tail -n 5 "$root.log" >&2; exit 3; }
  mv "$root.part" "$root"
}

# Runs the tests in the release's root, in a mount namespace of their own, so that nothing stays mounted.
run_release() {
  local root=$cache/$1
  mkdir -p "$root/work" "$root/usr/local/bin"
  touch "$root/usr/local/bin/node"
  unshare --mount bash -euc '
    root=$1 node=$2; shift 2
    mount --make-rprivate /
    mount --bind "$PWD" "$root/work"
    mount --bind "$node" "$root/usr/local/bin/node"
    mount -t proc proc "$root/proc"
    mount --rbind /dev "$root/dev"
    modules=$(readlink -f node_modules)
    if [ "$modules" != "$PWD/node_modules" ]; then
      mkdir -p "$root$modules"
      mount --bind "$modules" "$root$modules"
    fi
    exec chroot "$root" /usr/bin/env -i PATH=/usr/local/bin:/usr/bin:/bin HOME=/root LANG=C.UTF-8 CI=true \
      sh -c "cd /work && git --version && node node_modules/vitest/vitest.mjs run --project unit --project more \"\$@\"" sh "$@"
  ' bash "$root" "$node" "${tests[@]}"
}

failed=()
for release in $releases; do
  install_release "$release"
  run_release "$release" || failed+=("$release")
done
[ ${#failed[@]} -eq 0 ] || { echo "failed with the git of: ${failed[*]}" >&2; exit 1; }
