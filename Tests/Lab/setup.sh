#!/usr/bin/env bash
# Installs what the lab needs: QEMU, a stock Debian kernel with its Bluetooth modules, BlueZ, and a Python environment
# with Bumble, bleak and pytest. setup.sh [RELEASE]: with RELEASE (bullseye, trixie, …) that Debian's bluetoothd too,
# out of a folder. Root; idempotent: a second run takes a fraction of a second. All but Debian's own packages
# goes to $LAB_HOME.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
lab=${LAB_HOME:?}
mkdir -p "$lab"
exec 9>"$lab/lock"
flock 9

packages=(busybox-static dbus kmod bluez python3-venv qemu-system-x86)
type -P cc gcc clang >/dev/null || packages+=(gcc libc6-dev)
[[ -n ${1:-} ]] && packages+=(debootstrap)

say() { echo "lab: $*" >&2; }

# Each download is tried again: mirrors have bad minutes.
again() {
  local try
  for try in 1 2 3; do
    "$@" && return
    sleep $((try * 3))
  done
  say "failed three times: $*"
  return 1
}

install_packages() {
  dpkg -s "${packages[@]}" >/dev/null 2>&1 && return
  say "installing ${packages[*]}"
  again apt-get update -q >"$lab/apt.log" 2>&1 || { cat "$lab/apt.log" >&2; exit 1; }
  DEBIAN_FRONTEND=noninteractive again apt-get install -yq --no-install-recommends "${packages[@]}" >"$lab/apt.log" 2>&1 ||
    { cat "$lab/apt.log" >&2; exit 1; }
}

# The kernel is unpacked, not installed: no boot loader is wanted, and the host's /lib/modules stays as it is.
unpack_kernel() {
  [[ -s $lab/kernel/release ]] && return
  say "fetching a kernel"
  local image work
  image=$(apt-cache depends linux-image-amd64 2>/dev/null | awk '/Depends: linux-image/ {print $2; exit}')
  if [[ -z $image ]]; then
    again apt-get update -q >"$lab/apt.log" 2>&1 || { cat "$lab/apt.log" >&2; exit 1; }
    image=$(apt-cache depends linux-image-amd64 | awk '/Depends: linux-image/ {print $2; exit}')
  fi
  work=$(mktemp -d "$lab/kernel.XXXXXX")
  chmod 777 "$work"
  (cd "$work" && again apt-get download -q "$image" >"$lab/apt.log" 2>&1) || { cat "$lab/apt.log" >&2; exit 1; }
  dpkg -x "$work/$image"_*.deb "$work/tree"
  local release
  release=$(ls "$work/tree/lib/modules")
  depmod -b "$work/tree" "$release"
  rm -rf "$lab/kernel"
  mv "$work/tree" "$lab/kernel"
  rm -rf "$work"
  decompress_kernel "$lab/kernel/boot/vmlinuz-$release" "$lab/kernel/vmlinux"
  echo "$release" >"$lab/kernel/release"
}

# QEMU starts an uncompressed kernel directly: the firmware and the kernel's own decompressor cost 7 s under emulation.
decompress_kernel() {
  python3 - "$1" "$2" <<'PYTHON'
import lzma, sys
image = open(sys.argv[1], "rb").read()
start = image.find(b"\xfd7zXZ\0")
kernel = lzma.LZMADecompressor().decompress(image[start:]) if start >= 0 else b""
open(sys.argv[2], "wb").write(kernel if kernel.startswith(b"\x7fELF") else image)
PYTHON
}

# Busybox, the modules that reach the root file system, and guest/init.
build_initramfs() {
  local release target=$lab/initramfs
  release=$(<"$lab/kernel/release")
  [[ $target -nt $here/guest/init && $target -nt $lab/kernel/release ]] && return
  local tree
  tree=$(mktemp -d "$lab/initramfs.XXXXXX")
  mkdir -p "$tree/bin" "$tree/modules"
  cp "$(type -P busybox)" "$tree/bin/busybox"
  install -m 755 "$here/guest/init" "$tree/init"
  local module path
  for module in virtio_pci 9p 9pnet_virtio overlay virtio_console; do
    modprobe -d "$lab/kernel" -S "$release" --show-depends "$module"
  done | awk '$1 == "insmod" && !seen[$2]++ {print $2}' | while read -r path; do
    cp "$path" "$tree/modules/"
    basename "$path" >>"$tree/modules/order"
  done
  (cd "$tree" && find . | busybox cpio -o -H newc 2>/dev/null >"$target.new")
  mv "$target.new" "$target"
  rm -rf "$tree"
}

build_agent() {
  [[ $lab/agent -nt $here/guest/agent.c ]] && return
  local compiler
  compiler=$(type -P cc gcc clang | head -1)
  "$compiler" -O2 -o "$lab/agent.new" "$here/guest/agent.c"
  mv "$lab/agent.new" "$lab/agent"
}

install_python() {
  local stamp=$lab/venv/requirements
  cmp -s "$here/requirements.txt" "$stamp" && return
  say "installing Python packages"
  [[ -x $lab/venv/bin/python ]] || python3 -m venv "$lab/venv"
  again "$lab/venv/bin/pip" install -q --disable-pip-version-check -r "$here/requirements.txt" >&2
  cp "$here/requirements.txt" "$stamp"
}

# Where this machine's apt takes Debian's main archive from.
mirror() {
  local uri
  uri=$(apt-get indextargets --format '$(SITE)|$(ORIGIN)' 2>/dev/null |
    awk -F'|' '$2 == "Debian" && $1 !~ /security/ {print $1; exit}')
  echo "${uri:-http://deb.debian.org/debian}"
}

unpack_release() {
  rm -rf "$2"
  debootstrap --variant=minbase --include=bluez,dbus "$1" "$2" "$(mirror)" >>"$lab/debootstrap.log" 2>&1
}

install_daemon() {
  local release=$1 target=$lab/$1
  [[ -x $target/usr/libexec/bluetooth/bluetoothd ]] && return
  say "fetching Debian $release for its bluetoothd"
  rm -rf "$target"
  : >"$lab/debootstrap.log"
  again unpack_release "$release" "$target.new" ||
    { tail -20 "$lab/debootstrap.log" >&2; say "Debian $release cannot be had from $(mirror)"; exit 1; }
  rm -rf "$target.new/var/cache/apt" "$target.new/var/lib/apt/lists" "$target.new/usr/share/doc"
  [[ -x $target.new/usr/libexec/bluetooth/bluetoothd ]] || {
    mkdir -p "$target.new/usr/libexec/bluetooth"
    ln -s /usr/lib/bluetooth/bluetoothd "$target.new/usr/libexec/bluetooth/bluetoothd"
  }
  mv "$target.new" "$target"
}

install_packages
unpack_kernel
build_initramfs
build_agent
install_python
[[ -n ${1:-} ]] && install_daemon "$1"
exit 0
