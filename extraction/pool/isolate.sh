#!/bin/sh
# Starts Node where there is nothing but what it is given: in user, mount, PID, network, IPC and UTS namespaces of its
# own, without capabilities and without a way to get any. Needs util-linux 2.33 or newer and coreutils; no root.
#
#   isolate.sh start PARENT NODE PROJECT CODE LIBRARIES COMPILED ACCESS ARGUMENT...
#
# PARENT     process id of the caller: when that ends, however it ends, everything here is killed
# NODE       file; it becomes /bin/node
# PROJECT    folder; of it only CODE is there, read-only, below /project
# CODE       files and folders of PROJECT, one a line
# LIBRARIES  the shared libraries of Node, chroot and setpriv, one a line; each keeps its path
# COMPILED   folder that becomes /compiled, for Node's compile cache; may be empty
# ACCESS     ro or rw: whether COMPILED may be written to
# ARGUMENT   what Node is given
#
# Standard error and descriptor 3 (the channel to the parent) are handed on. Standard output gets one line, Node's
# process id as the parent sees it, before Node runs.
set -euf
PATH=/usr/sbin:/usr/bin:/sbin:/bin
stage=$1 parent=$2
shift 2

case $stage in
start)
  # From here on the kernel kills this process with its parent. The same id is kept by exec, twice.
  exec setpriv --pdeathsig KILL /bin/sh "$0" unshare "$parent" "$@"
  ;;
unshare)
  # Where the parent ended before that was asked for, nobody would.
  [ "$PPID" = "$parent" ] || exit 1
  # The user keeps its id outside and is called 0 inside, as mount(8) demands. --kill-child: process 1 of the new
  # namespace is killed with this process, and with process 1 the kernel kills all others there.
  exec unshare --user --map-root-user --mount --pid --net --ipc --uts --fork --kill-child=KILL \
    /bin/sh "$0" enter $$ "$@"
  ;;
esac

# Process 1 of the new namespace. It keeps the capabilities that it has within it, so that what it starts can neither
# trace it nor read its memory.
cd /
ulimit -c 0
# /proc is still that of the old namespace, and so are the ids in it.
read -r own name state seen rest </proc/self/stat
[ "$seen" = "$parent" ] || exit 1
node=$1 project=$2 code=$3 libraries=$4 compiled=$5 access=$6
shift 6
chroot=$(command -v chroot) setpriv=$(command -v setpriv) umount=$(command -v umount)

# The new root is put together on /sys: it is always there, and nothing of what is needed lies below it.
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

# SOURCE TARGET: shows one at the other, read-only.
show() {
  [ -e "$root$2" ] || : >"$root$2"
  mount -o bind,ro,nosuid,nodev "$1" "$root$2"
}
for path in $code; do show "$project/$path" "/project/$path"; done
for path in $libraries; do show "$path" "$path"; done
show "$node" /bin/node
show "$chroot" /bin/chroot
show "$setpriv" /bin/setpriv
if [ -n "$compiled" ]; then mount -o "bind,$access,nosuid,nodev,noexec" "$compiled" $root/compiled; fi
# Read-only: what they hold can be written all the same, but their modes and owners, which are the machine's, cannot.
for device in null urandom; do
  : >$root/dev/$device
  mount -o bind,ro,nosuid,noexec /dev/$device $root/dev/$device
done
mount -t tmpfs -o mode=1777,size=1m,nosuid,nodev,noexec tmpfs $root/tmp
# Containers hide parts of /proc, and where they do the kernel gives no new one: then there is none.
mount -t proc -o ro,nosuid,nodev,noexec,subset=pid,hidepid=2 proc $root/proc 2>/dev/null || :
mount -o remount,bind,ro,nosuid,nodev $root
# Whoever is chrooted may not make a user namespace, in which it had capabilities again: the same files once more.
mount --rbind $root $root/jail
cd $root

(
  read -r own rest </proc/self/stat
  echo "$own"
  pivot_root . old
  # The last that is reached of the old root is the program that detaches it.
  /bin/chroot /old "$umount" --lazy /
  exec /bin/chroot /jail /bin/setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all \
    /bin/node "$@" </dev/null >/dev/null
) &
exec >/dev/null
wait "$!"
