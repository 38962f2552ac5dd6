# Several hosts on one machine, for tests of ranks on several machines: each has its own network, name, processes, /tmp and
# /dev/shm, in namespaces of Linux, and sees the folders of the test as it would see those of a network disk. All of them end with the
# process that made them, however that ends, and nothing of the machine is changed. It is not a test itself, since it is not executable.
import os
import shutil
import subprocess
import sys
import time

import mpis

INSIDE = "KYOHO_TEST_FRONT"  # set in the process that makes hosts
FRONT, NETWORK = "front", "10.77.0."
KINDS = ["--net", "--uts", "--mount", "--ipc", "--pid"]
# What a host begins with: its name, folders that it shares up to "--", and a command. What of these folders lies below /tmp or
# /dev/shm is seen in the host's own ones too.
BEGIN = r"""
set -eu
hostname "$1"
mount -t proc proc /proc
mount -t tmpfs kyoho /mnt
mkdir /mnt/tmp /mnt/dev /mnt/dev/shm
while shift; [ "$1" != -- ]; do
    case $1 in /tmp/*|/dev/shm/*) mkdir -p "/mnt$1" && mount --bind "$1" "/mnt$1" ;; esac
done
shift
mount --rbind /mnt/tmp /tmp
mount --rbind /mnt/dev/shm /dev/shm
ip link set lo up
exec "$@"
"""
# What stands for ssh: options, a host, and a command for its shell, which gets none of the caller's variables. Like ssh it ends with
# 255 where the host fails.
SHELL = r"""#!/bin/sh
while case $1 in -*) ;; *) false ;; esac do shift; done
pid=$(cat '{place}/pid.'"$1") || exit 255
shift
env -i PATH="$PATH" HOME="${{HOME:-/}}" nsenter --target "$pid" {kinds} sh -c "$*"
code=$?
[ $code -lt 128 ] || code=255
exit $code
"""


def begin(name, folders, *words):
    """The command that starts another on a host of this name."""
    return ["unshare", *KINDS, "--fork", "--kill-child", "sh", "-c", BEGIN, "host", name, *folders, "--", *words]


def enter():
    """Starts the program again on a host of its own, the front, from which launchers start others, and ends with its exit code.
    Returns why that is not possible, or "" on the front."""
    if INSIDE in os.environ:
        return ""
    lacking = [name for name in ("ip", "unshare", "nsenter", "mount") if not shutil.which(name)]
    if lacking:
        return f"there is no {lacking[0]}"
    if os.getuid():
        return "namespaces are made by root"
    done = subprocess.run(begin(FRONT, [], "ip", "link", "add", "net", "type", "bridge"), capture_output=True, text=True, timeout=60)
    if done.returncode:
        return f"no hosts can be made here: {done.stderr.strip()}"
    sys.exit(subprocess.run(begin(FRONT, [mpis.TOP, mpis.BUILD], sys.executable, *sys.argv), env=dict(os.environ, **{INSIDE: "1"})).returncode)


def call(*words):
    subprocess.run([*map(str, words)], check=True, stdin=subprocess.DEVNULL)


class Hosts:
    """The front, and other hosts on one network with it."""

    def __init__(self, place, names):
        self.place, self.first, self.addresses = place, {}, {name: f"{NETWORK}{k + 1}" for k, name in enumerate([FRONT, *names])}
        self.shell, table = os.path.join(place, "shell"), os.path.join(place, "addresses")
        with open(table, "w", encoding="utf-8") as file:
            file.write("127.0.0.1 localhost\n" + "".join(f"{address} {name}\n" for name, address in self.addresses.items()))
        with open(self.shell, "w", encoding="utf-8") as file:
            file.write(SHELL.format(place=place, kinds=" ".join(KINDS)))
        os.chmod(self.shell, 0o755)
        call("mount", "--bind", table, "/etc/hosts")
        call("ip", "link", "add", "net", "type", "bridge")
        call("ip", "link", "set", "net", "up")
        self.connect(FRONT, [])
        call("ip", "address", "add", self.addresses[FRONT] + "/24", "dev", "eth0")
        call("ip", "link", "set", "eth0", "up")
        for name in names:
            self.begin(name)

    def begin(self, name):
        """A host, whose first process waits until its standard input ends."""
        process = subprocess.Popen(begin(name, [mpis.TOP, mpis.BUILD, self.place], "sh", "-c", "echo ready; exec cat"), stdin=subprocess.PIPE,
                                   stdout=subprocess.PIPE)
        if process.stdout.readline() != b"ready\n":
            raise RuntimeError(f"host {name} does not begin")
        with open(f"/proc/{process.pid}/task/{process.pid}/children", encoding="utf-8") as file:
            pid = file.read().strip()
        with open(os.path.join(self.place, "pid." + name), "w", encoding="utf-8") as file:
            file.write(pid)
        self.first[name] = process
        self.connect(name, ["netns", pid])
        self.call(name, f"ip address add {self.addresses[name]}/24 dev eth0 && ip link set eth0 up")

    def connect(self, name, where):
        """A cable from the bridge to the card of a host, eth0. Others remember the number of the card, also when the host begins again."""
        number = f"02:00:00:00:00:{int(self.addresses[name].rsplit('.', 1)[1]):02x}"
        call("ip", "link", "add", "name", name, "type", "veth", "peer", "name", "eth0", "address", number, *where)
        call("ip", "link", "set", "dev", name, "master", "net", "up")

    def call(self, name, command):
        """Runs a command of the shell on a host. Fails if that does."""
        call(self.shell, name, command)

    def end(self, name):
        """The host fails: its processes and its network are gone at once."""
        self.first[name].kill()
        self.first[name].wait()
        for _ in range(1000):
            if not os.path.exists("/sys/class/net/" + name):
                return
            time.sleep(0.01)
        raise RuntimeError(f"host {name} does not end")
