#!/usr/bin/env bash
# Installs what draws pictures: Debian's Chromium and fonts, and a parser of Discord's Markdown. Quick where all is there.
set -euo pipefail
cd "$(dirname "$0")"

missing=()
for package in chromium fonts-noto-core fonts-noto-cjk fonts-noto-color-emoji pngquant; do
  dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null | grep -qx installed || missing+=("$package")
done

if [ ${#missing[@]} -gt 0 ]; then
  as_root=()
  [ "$(id -u)" -eq 0 ] || as_root=(sudo)
  echo "installing ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -qq -y --no-install-recommends "${missing[@]}" >/dev/null
fi

bash ../../tests/oracle/install.sh --with-node
