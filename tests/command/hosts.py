#!/usr/bin/env python3
# Ranks on several hosts with a folder that they share: the bits of a run, its files, processors and devices of each host, and how a run
# ends where a host lacks something, fails, or is cut off. The hosts are namespaces on this machine (machines.py).
import os
import re
import signal
import subprocess
import time

import machines
import mpis
from tap import check, finish, folder, skip, wait_for

def model(n):
    return ["--model", "plummer", "-n", n, "--seed", "2", "--softening", "0.05"]


BODIES, FEW = model("9000"), model("1500")  # of 4,096 bodies and fewer one rank has all, but for Hermite steps
STEPS = ["--step", "0.0078125", "--every", "0.015625"]
CPU = ["--engine", "cpu"]
TREE = ["--force", "tree", *STEPS]
KINDS = {"tree": [*BODIES, *TREE], "fmm": [*BODIES, "--force", "fmm", *STEPS], "Hermite steps": [*FEW, "--integrator", "hermite4", "--every", "0.015625"],
         "block steps": [*BODIES, "--force", "tree", "--integrator", "block", "--step", "0.015625", "--every", "0.015625"]}
END = 0.0625
LONG = ["run", *BODIES, *CPU, "--force", "tree", "--step", "0.0078125", "--every", "0.125", "--quiet"]
LONG_END = 0.5
START = ["start.hdf5", "--softening", "0.05"]
# Starts a program; before, says something on one host.
ON_HOST = 'host=$1; shift; [ "$(hostname)" != "$host" ] || {}; exec "$@"'
SLOTS = {"a": 2, "b": 2}
OTHER_SLOTS = {"b": 1, machines.FRONT: 1, "a": 1}


def on(mpi, hosts, slots):
    """From now on ranks are started on these hosts: {name: ranks}."""
    path = os.path.join(hosts.place, "slots")
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{name} slots={count}\n" if mpi.is_open_mpi else f"{name}:{count}\n" for name, count in slots.items())
    mpi.options = ["--hostfile" if mpi.is_open_mpi else "-f", path]


def alone(place, name, *words):
    output = os.path.join(place, "alone-" + name.replace(" ", "-"))
    done = mpis.run(mpis.KYOHO, "run", *words, "--output", output, "--quiet")
    return mpis.snapshots(output) if check(done.returncode == 0, f"a run without ranks: {name}", done.stderr) else None


def lines_of(done):
    return [line for line in done.stderr.splitlines() if line.startswith("kyoho")]


def one_line(done, code, text, name):
    """Exactly one line of ours on standard error, with this text; launchers have lines of their own."""
    lines = lines_of(done)
    return check(done.returncode == code and len(lines) == 1 and text in lines[0], name, (done.returncode, done.stderr))


def places(mpi, size):
    """[(local rank, ranks of its host) of each rank], or what the helper said."""
    done = mpi.run(size, mpi.ranks, timeout=60)
    found = {int(rank): (int(local), int(count)) for rank, local, count in re.findall(r"rank (\d+) of \d+, (\d+) of (\d+) here", done.stdout)}
    return [found.get(rank) for rank in range(size)] if done.returncode == 0 else done.stdout + done.stderr


def neighbours(mpi, hosts):
    """Which ranks are on one host."""
    on(mpi, hosts, SLOTS)
    told = places(mpi, 4)
    check(told == [(0, 2), (1, 2), (0, 2), (1, 2)], f"{mpi.name}: four ranks on two hosts know which are on their own", told)
    on(mpi, hosts, {"a": 2, "b": 1, machines.FRONT: 1})
    told = places(mpi, 4)
    check(sorted(told) == [(0, 1), (0, 1), (0, 2), (1, 2)], f"{mpi.name}: so do four on three hosts", told)
    if mpi.is_open_mpi:
        skip(f"{mpi.name}: two hosts of one name", "Open MPI's own start waits for ever")
        return
    on(mpi, hosts, SLOTS)
    for name in SLOTS:
        hosts.call(name, "hostname node")
    told = places(mpi, 4)
    check(told == [(0, 2), (1, 2), (0, 2), (1, 2)], f"{mpi.name}: so do they where both hosts say that they have one name", told)
    for name in SLOTS:
        hosts.call(name, f"hostname {name}")


def same_bits(mpi, hosts, place, bits):
    on(mpi, hosts, SLOTS)
    for name, words in KINDS.items():
        output = os.path.join(place, name.replace(" ", "-"))
        done = mpi.run(4, mpi.kyoho, "run", *CPU, *words, "--end", END, "--output", output)
        check(done.returncode == 0 and mpis.snapshots(output) == bits[name] and len(bits[name]) == 5,
              f"{mpi.name}: {name} of four ranks on two hosts: the bits of a run without ranks", done.stdout + done.stderr)
    output = os.path.join(place, "read")
    done = mpi.run(4, mpi.kyoho, "run", *START, *CPU, *TREE, "--end", END, "--output", output, "--pieces")
    with open(os.path.join(output, "run.log"), encoding="utf-8") as file:
        log = file.read()
    check(done.returncode == 0 and "each rank has read its own bodies" in log and "4 ranks by " in log,
          f"{mpi.name}: ranks on two hosts read their own bodies of a snapshot", log + done.stderr)
    pieces, whole = mpis.snapshots(output), bits["read"]
    check([pieces.get(name.replace(".hdf5", ".0.hdf5"), [])[1:] for name in whole] == [lines[1:] for lines in whole.values()],
          f"{mpi.name}: and write snapshots in pieces with the same bits", (sorted(pieces), sorted(whole)))


def goes_on(mpi, hosts, place, bits):
    output = os.path.join(place, "goes-on")
    words = ["run", *CPU, *KINDS["tree"], "--output", output, "--quiet"]
    calls = [(2, {"a": 1, "b": 1}, [*words, "--end", END / 4]), (3, OTHER_SLOTS, ["run", "--resume", output, "--end", END / 2, "--quiet"]),
             (4, SLOTS, ["run", "--resume", output, "--end", 3 * END / 4, "--quiet"])]
    codes = []
    for size, slots, call in calls:
        on(mpi, hosts, slots)
        codes.append(mpi.run(size, mpi.kyoho, *call).returncode)
    codes.append(mpis.run(mpi.kyoho, "run", "--resume", output, "--end", END, "--ranks", "1", "--quiet").returncode)
    check(codes == [0] * 4 and mpis.snapshots(output) == bits["tree"],
          f"{mpi.name}: a run goes on on other hosts, in another order, and on one, bit for bit", codes)


def threads_of(mpi, size, place, *before):
    done = mpi.run(size, *before, mpi.kyoho, "run", *FEW, *CPU, "--steps", "1", "--output", os.path.join(place, "threads"), "--overwrite")
    found = re.search(r"ranks by .*, (\d+) threads? each", done.stdout + done.stderr)
    return int(found[1]) if found else done.stdout + done.stderr


def processors(mpi, hosts, place):
    """Ranks of one host divide its processors. Another host has ranks with other ones."""
    cores = len(os.sched_getaffinity(0))
    if cores < 2:
        skip(f"{mpi.name}: ranks of a host share its processors", "this machine has one")
        return
    on(mpi, hosts, {"a": 1, "b": 1})
    one = threads_of(mpi, 2, place)
    on(mpi, hosts, SLOTS)
    both = [threads_of(mpi, 4, place), threads_of(mpi, 4, place, "sh", "-c", ON_HOST.format("taskset -pc 0 $$ >/dev/null"), "sh", "b")]
    check(isinstance(one, int) and one > 1 and both == [one // 2] * 2,
          f"{mpi.name}: ranks of one host share its processors, also where those of the other have fewer", (one, both))


def devices(mpi, hosts, place):
    """Each host has two devices, of which each of its ranks takes one."""
    two = ["env", "POCL_DEVICES=pthread pthread"]
    if mpis.run(*two, mpi.kyoho, "devices").stdout.count("opencl:") < 2:
        skip(f"{mpi.name}: devices of two hosts", "there is no PoCL with two devices")
        return
    words = ["run", "--engine", "opencl", *KINDS["tree"], "--end", END, "--output"]
    states = []
    for name, call in (("device", mpis.run), ("devices", lambda *given: mpi.run(4, *given))):
        done = call(*two, mpi.kyoho, *words, os.path.join(place, name))
        states.append((done.returncode, done.returncode or mpis.snapshots(os.path.join(place, name))))
    check(states[0] == states[1] and states[0][0] == 0, f"{mpi.name}: four ranks with devices on two hosts have the bits of one device", done.stderr)
    with open(os.path.join(place, "devices", "run.log"), encoding="utf-8") as file:
        log = file.read()
    check("4 ranks by " in log and " on opencl:0, opencl:1: " in log and "share" not in log and "not used" not in log,
          f"{mpi.name}: each rank has the device of its place among those of its host", log)


def lacks(mpi, hosts, place):
    """A host without the folder of the run, the input, the MPI library, or with another build."""
    on(mpi, hosts, SLOTS)
    words = ["run", *CPU, *KINDS["tree"], "--end", END]
    done = mpi.run(4, mpi.kyoho, *words, "--output", "/tmp/results")
    one_line(done, 7, "rank 2 on b cannot open the file, as every rank has to", f"{mpi.name}: a host that does not see the folder of the run is named")
    hosts.call("a", "! ls /tmp | grep results")
    hosts.call("a", f"cp {os.path.join(hosts.place, START[0])} /tmp")
    done = mpi.run(4, mpi.kyoho, "run", "/tmp/" + START[0], *START[1:], *CPU, *TREE, "--end", END, "--output", os.path.join(place, "lacks"))
    one_line(done, 4, "rank 2 on b cannot open the file, as every rank has to", f"{mpi.name}: so is one that does not see the input")
    words += ["--output", os.path.join(place, "lacks")]
    hosts.call("a", "seq -f '%g 0 0 0' 0 4 >/tmp/centre")
    done = mpi.run(4, mpi.kyoho, *words, "--field", "point:mass=1,centre=@/tmp/centre")
    one_line(done, 4, "rank 2 on b: external field: there is no file /tmp/centre", f"{mpi.name}: and one that does not see the table of a field")
    script = 'test "$(uname -n)" = b || exec "$@"; export LD_PRELOAD="$HIDES"; exec "$@"'
    done = mpi.run(4, "env", f"HIDES={mpis.HIDDEN}", "KYOHO_TEST_HIDDEN=libmpi", "sh", "-c", script, "sh", mpi.kyoho, *words)
    one_line(done, 3, "an MPI launcher has started this program on b ", f"{mpi.name}: so is one without the MPI library")
    other = os.path.join(place, "other")
    with open(mpi.kyoho, "rb") as file, open(other, "wb") as changed:
        version = mpis.run(mpi.kyoho, "--version").stdout.split()[1]
        changed.write(file.read().replace(version.encode() + b"\0", re.sub(r"\d", "9", version).encode() + b"\0"))
    os.chmod(other, 0o755)
    hosts.call("b", f"mount --bind '{other}' '{mpi.kyoho}'")
    done = mpi.run(4, mpi.kyoho, *words)
    one_line(done, 3, f"rank 2 on b: this build of Kyoho ({re.sub(chr(92) + 'd', '9', version)}) differs from the build of rank 0 on a ({version}): ",
             f"{mpi.name}: so is one with another version")
    hosts.call("b", f"umount --lazy '{mpi.kyoho}'")
    check(not os.path.exists(words[-1]), f"{mpi.name}: and no folder is left")


def processes(output):
    """{(host, pid)} of the ranks of a run."""
    found = set()
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as file:
                words = file.read().decode(errors="replace").split("\0")
            host = os.readlink(f"/proc/{pid}/ns/uts")
        except OSError:
            continue
        if output in words and os.path.basename(words[0]) == "kyoho":
            found.add((host, int(pid)))
    return found


def of_host(hosts, name, found):
    with open(os.path.join(hosts.place, "pid." + name), encoding="utf-8") as file:
        own = os.readlink(f"/proc/{file.read()}/ns/uts")
    return [pid for host, pid in found if host == own]


def is_whole(output):
    """A restart file has taken the place of another one."""
    return os.path.exists(os.path.join(output, "restart.kyo.previous"))


def broken(mpi, hosts, place, whole, what, act, has_code=True, limit=10):
    """A run in whose midst something happens to host b. It ends in time, with a code if the launcher has one for it, and goes on elsewhere."""
    output = os.path.join(place, what.replace(" ", "-"))
    on(mpi, hosts, SLOTS)
    with open(output + ".err", "w+", encoding="utf-8") as errors:
        process = subprocess.Popen(mpi.words(4, mpi.kyoho, *LONG, "--end", LONG_END, "--restart-every", "0.2", "--output", output),
                                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=errors, env=mpis.VALUES)
        is_found = wait_for(lambda: is_whole(output) or process.poll() is not None, f"{mpi.name}: a run for {what}") and process.poll() is None
        act(of_host(hosts, "b", processes(output)))
        begin = time.monotonic()
        try:
            code = process.wait(timeout=limit)
            while processes(output) and time.monotonic() - begin < limit:
                time.sleep(0.02)
        except subprocess.TimeoutExpired:
            code = None
        left = processes(output)
        for _, pid in left:
            os.kill(pid, signal.SIGKILL)
        process.kill()
        process.wait()
        errors.seek(0)
        check(is_found and code is not None and (code or not has_code) and not left, f"{mpi.name}: {what} ends the run within {limit} s",
              f"found: {is_found}, code {code} after {time.monotonic() - begin} s, left: {left}\n{errors.read()}")
    on(mpi, hosts, {"a": 1, machines.FRONT: 1})
    done = mpi.run(2, mpi.kyoho, "run", "--resume", output, "--end", LONG_END, "--quiet")
    check(done.returncode == 0 and mpis.snapshots(output) == whole, f"{mpi.name}: after that --resume goes on on other hosts, bit for bit", done.stderr)


def ends(mpi, hosts, place, whole):
    broken(mpi, hosts, place, whole, "SIGKILL of a rank on another host", lambda ranks: [os.kill(pid, signal.SIGKILL) for pid in ranks[:1]])
    cut(mpi, hosts, place, whole)
    broken(mpi, hosts, place, whole, "the failure of another host", lambda ranks: hosts.end("b"), has_code=not mpi.is_open_mpi)
    hosts.begin("b")


def cut(mpi, hosts, place, whole):
    """A network that is gone for a moment."""
    output = os.path.join(place, "cut")
    on(mpi, hosts, SLOTS)
    process = subprocess.Popen(mpi.words(4, mpi.kyoho, *LONG, "--end", LONG_END, "--output", output), stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=mpis.VALUES)
    is_found = wait_for(lambda: os.path.exists(os.path.join(output, "snapshot_0001.hdf5")) or process.poll() is not None, f"{mpi.name}: a run for a cut")
    machines.call("ip", "link", "set", "dev", "b", "down")
    time.sleep(2)
    is_found = is_found and process.poll() is None
    machines.call("ip", "link", "set", "dev", "b", "up")
    try:
        code = process.wait(timeout=120)
    except subprocess.TimeoutExpired:
        process.kill()
        code = process.wait()
    check(is_found and code == 0 and mpis.snapshots(output) == whole, f"{mpi.name}: a network that is gone for 2 s leaves the bits of the run", (is_found, code))


def all_of(mpi, hosts, place, bits, whole):
    os.makedirs(place)
    neighbours(mpi, hosts)
    same_bits(mpi, hosts, place, bits)
    goes_on(mpi, hosts, place, bits)
    processors(mpi, hosts, place)
    devices(mpi, hosts, place)
    lacks(mpi, hosts, place)
    ends(mpi, hosts, place, whole)


def main():
    if "KYOHO_TEST_ALL" not in os.environ:
        return skip("ranks on several hosts", "make check-all runs them")
    found, lacking = mpis.find()
    # not those of Debian 12: MPICH 4.0.2 at times hangs in MPI_Finalize between hosts, and mpiexec of Open MPI 4.1.4 outlives a host that fails
    found = [mpi for mpi in found if mpi.mpiexec.startswith(mpis.BUILD + os.sep) and not mpi.abi]
    if not found:
        return skip("ranks on several hosts", "; ".join(lacking.values()))
    why = machines.enter()
    if why:
        return skip("ranks on several hosts", why)
    mpis.VALUES.pop("PRTE_MCA_rmaps_default_mapping_policy")  # would fill the first host
    with folder() as place:
        hosts = machines.Hosts(place, ["a", "b"])
        mpis.VALUES.update(HYDRA_LAUNCHER="ssh", HYDRA_LAUNCHER_EXEC=hosts.shell, PRTE_MCA_plm_ssh_agent=hosts.shell, OMPI_MCA_plm_rsh_agent=hosts.shell)
        os.chdir(place)
        bits = {name: alone(place, name, *CPU, *words, "--end", END) for name, words in KINDS.items()}
        mpis.run(mpis.KYOHO, "model", *BODIES[1:-2], "-o", START[0], "--quiet")
        bits["read"] = alone(place, "read", *START, *CPU, *TREE, "--end", END)
        whole = alone(place, "long", *LONG[1:-1], "--end", LONG_END)
        for k, mpi in enumerate(found):
            all_of(mpi, hosts, os.path.join(place, str(k)), bits, whole)


main()
finish()
