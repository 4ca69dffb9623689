#!/bin/sh
# Starts Node in new user, mount, PID, network, IPC and UTS namespaces, with only the files that are listed below,
# without capabilities and without a way to get any. Needs util-linux 2.33 or newer and coreutils, but not root.
#
#   isolate.sh start PARENT NODE PROJECT CODE LIBRARIES COMPILED ACCESS ARGUMENT...
#
# PARENT     process id of the caller; everything here is killed when it ends, also when it is killed
# NODE       executable; mounted as /bin/node
# PROJECT    folder; only CODE is mounted from it, read-only, below /project
# CODE       files and folders of PROJECT, one a line
# LIBRARIES  the shared libraries of Node, chroot and setpriv, one a line; mounted at the same paths
# COMPILED   folder of Node's compile cache, mounted as /compiled; may be empty
# ACCESS     ro or rw: whether COMPILED may be written to
# ARGUMENT   argument of Node
#
# Node inherits standard error and descriptor 3 (the channel to the parent). Standard output gets one line before Node
# runs: Node's process id in the namespace of the parent.
set -euf
PATH=/usr/sbin:/usr/bin:/sbin:/bin
stage=$1 parent=$2
shift 2

case $stage in
start)
  # From here on the kernel kills this process when its parent ends. Both exec calls keep the process id.
  exec setpriv --pdeathsig KILL /bin/sh "$0" unshare "$parent" "$@"
  ;;
unshare)
  # If the parent ended before pdeathsig was set, the kernel does not kill this process.
  [ "$PPID" = "$parent" ] || exit 1
  # The user keeps its id outside and has id 0 inside, which mount(8) requires. --kill-child: process 1 of the new
  # namespace is killed with this process, and the kernel then kills all other processes of the namespace.
  exec unshare --user --map-root-user --mount --pid --net --ipc --uts --fork --kill-child=KILL \
    /bin/sh "$0" enter $$ "$@"
  ;;
esac

# Process 1 of the new namespace. It keeps its capabilities there, so that processes without them can neither trace it
# nor read its memory.
cd /
ulimit -c 0
# /proc still belongs to the old namespace, and so do the process ids in it.
read -r own name state seen rest </proc/self/stat
[ "$seen" = "$parent" ] || exit 1
node=$1 project=$2 code=$3 libraries=$4 compiled=$5 access=$6
shift 6
chroot=$(command -v chroot) setpriv=$(command -v setpriv) umount=$(command -v umount)

# The new root is built on /sys: that folder always exists, and no needed file is below it.
root=/sys
mount -t tmpfs -o mode=755,size=1m,nosuid,nodev tmpfs $root
IFS='
'
folders='' files=''
for path in $code; do
  if [ -d "$project/$path" ]; then folders="$folders$IFS$root/project/$path"; else files="$files$IFS$path"; fi
done
for path in $files; do folders="$folders$IFS$root/project/$(dirname "$path")"; done
for path in $libraries; do folders="$folders$IFS$root${path%/*}"; done
mkdir -p $root/old $root/jail $root/bin $root/dev $root/proc $root/tmp $root/compiled $root/project $folders

# SOURCE TARGET: mounts SOURCE read-only at TARGET below the new root.
mount_read_only() {
  [ -e "$root$2" ] || : >"$root$2"
  mount -o bind,ro,nosuid,nodev "$1" "$root$2"
}
for path in $code; do mount_read_only "$project/$path" "/project/$path"; done
for path in $libraries; do mount_read_only "$path" "$path"; done
mount_read_only "$node" /bin/node
mount_read_only "$chroot" /bin/chroot
mount_read_only "$setpriv" /bin/setpriv
if [ -n "$compiled" ]; then mount -o "bind,$access,nosuid,nodev,noexec" "$compiled" $root/compiled; fi
# Read-only: the devices can still be written to, but their modes and owners, which belong to the host, not changed.
for device in null urandom; do
  : >$root/dev/$device
  mount -o bind,ro,nosuid,noexec /dev/$device $root/dev/$device
done
mount -t tmpfs -o mode=1777,size=1m,nosuid,nodev,noexec tmpfs $root/tmp
# Where a container masks parts of /proc, the kernel rejects a new mount of it; /proc is then empty.
mount -t proc -o ro,nosuid,nodev,noexec,subset=pid,hidepid=2 proc $root/proc 2>/dev/null || :
mount -o remount,bind,ro,nosuid,nodev $root
# A chrooted process may not create a user namespace, where it would have capabilities: the same files as the chroot.
mount --rbind $root $root/jail
cd $root

(
  read -r own rest </proc/self/stat
  echo "$own"
  pivot_root . old
  # Detaches the old root with umount, which is the last file that is opened there.
  /bin/chroot /old "$umount" --lazy /
  exec /bin/chroot /jail /bin/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all \
    /bin/node "$@" </dev/null >/dev/null
) &
exec >/dev/null
wait "$!"
