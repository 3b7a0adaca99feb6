#!/usr/bin/env bash
# Installs the parser of Discord's Markdown that tests and pictures ask; quick where it's there. Node is taken from
# Debian where this runs with --with-node, and otherwise has to be there: without it, nothing is installed.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
# Node may come from elsewhere than Debian, and then brings npm by itself.
command -v node >/dev/null || missing+=(nodejs)
command -v npm >/dev/null || missing+=(npm)
if [ ${#missing[@]} -gt 0 ]; then
  if [ "${1:-}" != --with-node ]; then
    echo "without Node, no test asks a parser of Discord's Markdown what is alive" >&2
    exit 0
  fi
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi

if [ ! node_modules/.package-lock.json -nt package-lock.json ]; then
  npm ci --ignore-scripts --no-audit --no-fund --no-update-notifier --loglevel=error
fi
