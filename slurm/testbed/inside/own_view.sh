# SPDX-License-Identifier: BSD-3-Clause
# What makes a set of namespaces look like a machine of its own. Sourced by login and node.

# own_view NAME: run once, as PID 1 in new mount (made private), UTS, IPC, network and PID namespaces.
own_view() {
  local identity
  hostname "$1"
  mount -t tmpfs -o mode=755 run /run
  mount -t tmpfs -o mode=1777 shm /dev/shm
  mount -t sysfs -o ro sysfs /sys # /sys/class/net of this network, not of the machine's
  mount --bind "$rig/etc/hosts" /etc/hosts
  ip link set lo up # PMIx clients reach their server there

  # Libraries compare these to find out whether two processes run on one host. One kernel has one, so nodes get theirs.
  identity=$(</proc/sys/kernel/random/uuid)
  mkdir -p /run/lock /run/identity
  echo "$identity" >/run/identity/boot
  echo "${identity//-/}" >/run/identity/machine
  mount --bind /run/identity/boot /proc/sys/kernel/random/boot_id
  [[ ! -e /etc/machine-id ]] || mount --bind /run/identity/machine /etc/machine-id
}

# at_login COMMAND...: runs it in the login node's network, where the switches are. Process ids keep their meaning.
at_login() {
  nsenter --net="$rig/run/network" "$@"
}

# wait_for SECONDS WHAT COMMAND...: until the command succeeds; else ends with a sentence that says what was waited for.
wait_for() {
  local last=$((SECONDS + $1 * ${TESTBED_PATIENCE:-1})) what=$2
  until "${@:3}" 2>/dev/null; do
    if ((SECONDS > last)); then
      echo "$what" >&2
      exit 1
    fi
    sleep 0.02
  done
}

# stay: what PID 1 does for the rest of its life. It ends only when it is killed, and takes everything along.
stay() {
  set +e
  while :; do
    sleep infinity &
    wait $!
  done
}
