#!/usr/bin/env python3
# kyoho run --ranks N: what a run writes does not depend on the number of ranks, runs go on with any number of them, and
# what ranks cannot do is refused before the run begins.
import json
import os
import shutil
import signal
import subprocess

from tap import KYOHO, check, finish, folder, run, skip, wait_for

ALL = bool(os.environ.get("KYOHO_TEST_ALL"))
PRELOAD = os.path.abspath(os.path.join(os.environ.get("BUILD", "build"), "tests/faults/preload.so"))
# The options of runs; the bodies come from a file, since each rank makes the tables of a model anew, in 30 ms.
MODEL = ["--softening", "0.02", "--step", "0.0078125", "--every", "0.03125", "--force", "tree", "--engine", "cpu", "--quiet"]
SHORT = ["--softening", "0.02", "--step", "0.0078125", "--steps", "2", "--force", "tree", "--engine", "cpu", "--quiet"]


def plummer(number):
    """The words for this model."""
    return ["--model", "plummer", "-n", number]


def plain_words(number="4500"):
    """A run of a model on an engine that is still to be named."""
    return plummer(number) + [word for word in OPTIONS if word not in ("--engine", "cpu", "--quiet")]


def bodies(snapshot, scratch):
    """The bodies of a snapshot as text with all digits, without the parameters, of which --ranks is one."""
    run("convert", snapshot, scratch, "--overwrite", "--quiet")
    return [line for line in open(scratch).read().splitlines() if not line.startswith("#|")]


def rows(where):
    """energy.csv without the seconds on the clock."""
    return [row.rsplit(",", 1)[0] for row in open(os.path.join(where, "energy.csv")).read().splitlines()]


def snapshots(where):
    names = sorted(name for name in os.listdir(where) if name.startswith("snapshot_") and not name.endswith((".param", ".iord")))
    return [(name, bodies(os.path.join(where, name), os.path.join(where, "scratch.csv"))) for name in names]


def state(where):
    return rows(where), snapshots(where)


def start(*words):
    return subprocess.Popen([KYOHO, "run", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    OPTIONS = SHORT
    for number in "6000", "4500", "4200", "3":
        run("model", *plummer(number)[1:], "--softening", "0.02", "-o", path(f"{number}.hdf5"), "--quiet")
    MODEL, SHORT = [path("6000.hdf5"), *MODEL], [path("4500.hdf5"), *SHORT]

    # ---- the same numbers ----
    numbers = (None, 1, 2, 3, 8) if ALL else (None, 3)
    for ranks in numbers:
        run("run", *MODEL, "--steps", "8", *(["--ranks", ranks] if ranks else []), "--output", path(f"whole-{ranks}"))
    one = state(path("whole-None"))
    check(len(one[0]) == 10 and len(one[1]) == 3, "a run without --ranks", (len(one[0]), len(one[1])))
    for ranks in numbers[1:]:
        rows_now, snapshots_now = state(path(f"whole-{ranks}"))
        check(snapshots_now == one[1], f"snapshots of {ranks} ranks are those of a run without them, bit for bit")
        check(rows_now == one[0], f"energy.csv of {ranks} ranks is that of a run without them, bit for bit", f"{one[0]}\n{rows_now}")
    about = json.load(open(path("whole-3/run.json")))
    check(about["steps"] == 8 and about["device"].startswith("3 ranks, each "), "run.json of ranks", about)

    # ---- to be continued ----
    for first, then in ((3, ["--ranks", "8"]), (8, []), (None, ["--ranks", "2"]), (2, ["--ranks", "1"]))[: None if ALL else 1]:
        name = path(f"half-{first}")
        run("run", *MODEL, "--steps", "4", *(["--ranks", first] if first else []), "--output", name)
        run("run", "--resume", name, "--steps", "8", *then, "--quiet")
        check(snapshots(name) == one[1], f"begun with {first or 'no'} ranks, and resumed with {then or 'the same'}: the same snapshots")
        check(rows(name) == one[0], "and the same energies")

    expansions = ["fmm" if word == "tree" else word for word in MODEL]
    run("run", *expansions, "--steps", "8", "--output", path("fmm"))
    run("run", *expansions, "--steps", "4", "--ranks", "4", "--output", path("fmm-half"))
    check(any(name.startswith("restart.kyo.") and name.endswith(".3") for name in os.listdir(path("fmm-half"))), "--force fmm: each of four ranks has written its piece of a restart file")
    run("run", "--resume", path("fmm-half"), "--steps", "8", "--ranks", "2", "--quiet")
    check(state(path("fmm-half")) == state(path("fmm")), "--force fmm: begun with four ranks and resumed with two, as without ranks")

    long = [*MODEL, "--end", "0.25", "--restart-every", "0.01"]
    run("run", *long, "--ranks", "2", "--output", path("long"))
    expected = state(path("long"))
    for name, how, code in (("sigint", signal.SIGINT, 6), ("sigterm", signal.SIGTERM, 6), ("stop", None, 6), ("sigkill", signal.SIGKILL, -signal.SIGKILL))[None if ALL else 2 :]:
        process = start(*long, "--ranks", "3", "--output", path(name))
        wait_for(lambda: os.path.exists(path(name + "/restart.kyo")), "a restart file")
        if how:
            process.send_signal(how)
        else:
            open(path(name + "/stop"), "w").close()
        _, text = process.communicate(timeout=120)
        if process.returncode:  # a fast machine may have come to the end
            check(process.returncode == code and (code < 0 or "--resume" in text), f"ranks end by {name}", f"{process.returncode} {text}")
            run("run", "--resume", path(name), "--ranks", "5", "--quiet")
        check(state(path(name)) == expected, f"{name}: five ranks go on to the end of two")
    process = run("run", *long, "--ranks", "3", "--max-wall", "0.001", "--output", path("wall"), code=6)
    check("--resume" in process.stderr, "--max-wall: code 6", process.stderr)
    two_at_once = [start(*long, "--ranks", "3", "--output", path(f"beside{k}")) for k in range(2)]
    for k, process in enumerate(two_at_once):
        _, text = process.communicate(timeout=240)
        check(process.returncode == 0 and state(path(f"beside{k}")) == expected, f"two runs of three ranks beside each other: run {k}", text)

    # ---- options that ranks obey ----
    run("model", "plummer", "-n", "4500", "-o", path("in.csv"), "--quiet")
    run("convert", path("in.csv"), path("in.tipsy"), "--quiet")
    with open(path("run.ini"), "w") as file:
        file.write("[engine]\nranks = 3\n")
    files = ["--softening", "0.05", "--step", "0.0078125", "--steps", "2", "--force", "tree", "--engine", "cpu", "--quiet"]
    for name in ("massless", "own"):  # beside bodies enough for several ranks
        lines = open(path("in.csv")).read().splitlines()
        columns = next(k for k, line in enumerate(lines) if not line.startswith("#"))
        place = lines[columns].split(",").index("mass" if "mass" in lines[columns].split(",") else "m")
        bodies_of = [line.split(",") for line in lines[columns + 1:]]
        for k, row in enumerate(bodies_of):
            row[place] = "0" if name == "massless" and k % 3 == 0 else row[place]
        with open(path(name + ".csv"), "w") as file:
            file.write(lines[columns] + (",softening" if name == "own" else "") + "\n")
            file.writelines(",".join(row) + (f",{0.01 + 0.01 * (k % 4)}" if name == "own" else "") + "\n" for k, row in enumerate(bodies_of))
    undivided = [word for word in SHORT if word not in ("--force", "tree")]
    obeyed = [
        ("--field", [*SHORT, "--field", "point:mass=1"]), ("massless bodies", [path("massless.csv"), *files]),
        ("--core", [*SHORT, "--core"]), ("--escape-radius", [*SHORT, "--escape-radius", "4"]),
        ("--follow", [*SHORT, "--follow", "17,0,4000"]), ("--compress", [*SHORT, "--compress"]),
        ("--integrator block", [*SHORT, "--integrator", "block", "--core", "--escape-radius", "4", "--follow", "17,0,4000"]),
        ("--expansion", ["--model", "cosmic", "-n", "4500", "--expansion", "bodies", "--force", "tree", "--softening", "0.5", "--step", "0.01", "--steps", "2", "--engine", "cpu", "--quiet"]),
        ("a file of text", [path("in.csv"), *files]), ("a file of TIPSY", [path("in.tipsy"), *files]),
    ]
    # tests/unit/ranks.c has forces and integrators in every check
    obeyed += [
        ("--force fmm", [*undivided, "--force", "fmm", "--core", "--escape-radius", "4", "--follow", "17,0,4000"]),
        ("--force fmm, block steps", [*undivided, "--force", "fmm", "--integrator", "block", "--core"]),
    ]
    obeyed += ALL * [
        ("--integrator hermite4", ["--model", "plummer", "-n", "300", "--integrator", "hermite4", "--softening", "0.01", "--step", "0.03125", "--steps", "2", "--quiet"]),
        ("--force direct", [*undivided, "--force", "direct"]), ("--cell edge", [*SHORT, "--cell", "edge"]), ("--curve none", [*SHORT, "--curve", "none"]),
        ("bodies' own softenings", [path("own.csv"), *files[2:]]),
        ("--stop-core", [*SHORT, "--stop-core", "1e9"]),
        ("--stop-escape", [*SHORT, "--stop-escape", "1000"]), ("--stop-box", [*SHORT, "--stop-box", "1e6"]),
        ("--precision", [*SHORT, "--precision", "double"]),
        ("steps backwards", [path("in.csv"), "--softening", "0.05", "--step=-0.0078125", "--steps", "2", "--force", "tree", "--engine", "cpu", "--quiet"]),
    ]
    for name, words in obeyed:
        got = []
        for ranks in ("1", "3", "4") if ALL else ("1", "3"):
            where = path("obeyed-" + ranks)
            shutil.rmtree(where, ignore_errors=True)
            process = run("run", *words, "--ranks", ranks, "--output", where, code=None)
            if process.returncode:
                got.append((process.returncode, process.stderr))
                continue
            names = {file for file in os.listdir(where) if file.endswith(".csv") and file != "energy.csv" and not file.startswith("snapshot_")}
            tables = [(file, open(os.path.join(where, file)).read()) for file in sorted(names)]
            got.append((0, snapshots(where), tables, rows(where)))
        good = got[0][0] == 0 and all(each == got[0] for each in got[1:])
        check(good, f"{name}: three ranks do what one does", [each[1] if each[0] else "other numbers" for each in got])
    process = run("run", path("run.ini"), *SHORT, "--output", path("ini"))
    run("run", *SHORT, "--ranks", "3", "--output", path("line"))
    check(state(path("ini")) == state(path("line")), "ranks from a parameter file")
    for threads, idle in ("3", 1), ("4", 0):
        shutil.rmtree(path("idle"), ignore_errors=True)
        process = run("run", *[word for word in SHORT if word != "--quiet"], "--ranks", "2", "--threads", threads, "--output", path("idle"))
        check((f"{idle} of the {threads} threads of --threads is idle" in process.stderr) == bool(idle) and ("idle" in process.stderr) == bool(idle), f"{threads} threads of two ranks: {idle} idle", process.stderr)
    process = run("run", *SHORT, "--ranks", "3", "--dry-run", "--output", path("dry"))
    check("4500 bodies" in process.stdout and "memory" in process.stdout and not os.path.exists(path("dry")), "--dry-run", process.stdout)
    chosen = [word for word in SHORT if word not in ("--force", "tree", "--quiet")]
    for ranks in "1", "3":
        process = run("run", *chosen, "--ranks", ranks, "--dry-run", "--output", path("dry"))
        check("--force fmm" in process.stderr and "the fastest from" in process.stderr, f"--force auto says why with --ranks {ranks}", process.stderr)
    process = run("run", *plummer("3000"), "--error", "1e-3", "--engine", "cpu", "--ranks", "2", "--steps", "1", "--output", path("timed"))
    check(process.returncode == 0 and "the fastest here" in process.stderr, "--force auto with --error compares times in a run with ranks", process.stderr)
    if "opencl:" in run("devices").stdout:
        words = [word for word in chosen[1:] if word not in ("--engine", "cpu")]
        for number, more, text in (("30", [], "--force direct for"), ("50000", [], "the fastest from"), ("50000", ["--integrator", "block"], "the fastest from"), ("50000", ["--error", "1e-9"], "--force direct")):
            process = run("run", *plummer(number), *words, *more, "--engine", "opencl", "--ranks", "2", "--dry-run", "--output", path("dry"))
            check(text in process.stderr, f"--force auto of ranks with devices, {number} bodies {' '.join(more)}", process.stderr)
        process = run("run", *plain_words(), "--engine", "opencl:0", "--ranks", "2", "--output", path("one-device"))
        check("on opencl:0: each has a part" in process.stdout + process.stderr, "the log names the devices of ranks", process.stdout + process.stderr)
        check("2 ranks of this computer share 1 device" in process.stderr, "and warns where ranks share one", process.stderr)
        lists = [word if word != "tree" else "list" for word in plain_words("450")]
        for name, more in ("list", ["--ranks", "2"]), ("list-host", ["--ranks", "2", "--tree", "host"]), ("list-alone", []):
            run("run", *lists, "--engine", "opencl:0", *more, "--output", path(name))
        check(snapshots(path("list-host")) == snapshots(path("list")) == snapshots(path("list-alone")), "--force list of ranks: --tree host, which is its default, may be said")
        same_work, own, parts = "each of the 2 ranks computes all forces", "every rank has all bodies (bodies' own softenings)", "each has a part of the bodies"
        for name, kind, one in ("own", own, "ranks do not share bodies' own softenings"), ("massless", parts, "it is faster than several below"):
            blocks = [path(name + ".csv"), *(files[2:-3] if name == "own" else files[:-3]), "--integrator", "block"]
            run("run", *blocks, "--engine", "opencl:0", "--output", path(name + "-1"))
            process = run("run", *blocks, "--engine", "opencl:0", "--ranks", "2", "--output", path(name + "-2"))
            check(state(path(name + "-1")) == state(path(name + "-2")), f"{name} in block steps of ranks with devices: the numbers of one device")
            check(kind in process.stderr and (same_work in process.stderr) == (name == "own"), "and the log says whether the devices do the same work", process.stderr)
            process = run("run", *blocks, "--engine", "cuda:7,8", "--dry-run", "--output", path("dry"), code=None)
            check(f"only the first of the 2 devices: {one}" in process.stderr, "without --ranks only the first of two devices works", process.stderr)
            for ranks in "1", "2":  # the CPU's ranks do not divide massless bodies in pieces of ranks that do
                shutil.copytree(path(name + "-2"), path(name + "-on" + ranks))
                run("run", "--resume", path(name + "-on" + ranks), "--engine", "cpu", "--ranks", ranks, "--end", "0.03125", "--quiet")
            check(state(path(name + "-on1")) == state(path(name + "-on2")), f"{name}: ranks of the CPU go on")
        process = run("run", *plain_words(), "--engine", "opencl", "--ranks", "2", "--output", path("any-device"), env={"POCL_DEVICES": "pthread"})
        check(("on opencl:0, opencl:1:" in process.stdout + process.stderr) != ("share 1 device of --engine opencl," in process.stderr), "also where --engine has no list", process.stderr)
    # several devices of one process are ranks where that is faster; it need not have them to say so
    for number, more, text in (("4000000", [], "2 ranks, one for each device"), ("3999999", [], "only the first of the 2 devices: it is faster than several below 4000000 bodies"), ("4000000", ["--ranks", "1"], "devices: because of --ranks 1"), ("8000000", ["--integrator", "block"], "2 ranks, one for each device"),
                               ("4000000", ["--curve", "none"], "devices: ranks do not share --curve none")):
        process = run("run", *plain_words(number), *more, "--engine", "cuda:7,8", "--dry-run", "--output", path("dry"), code=None)
        lines = [line for line in process.stderr.splitlines() if ("only the first of" in line or "one for each device" in line) and not line.startswith("kyoho")]
        check(len(lines) == 1 and text in lines[0], f"{number} bodies on two devices {' '.join(more)}: {text}", process.stderr)
    for engine in "opencl:0,0", "opencl:0,99", "cuda:98,99":
        process = run("run", *plain_words("450"), "--engine", engine, "--output", path("refused"), code=None)
        check(process.returncode in (2, 3) and len(process.stderr.splitlines()) == 1, f"--engine {engine}: no word of ranks where the devices are not there", process.stderr)
    for engine in "nosuch", "opencl:99":
        for more in [], ["--ranks", "2"]:
            process = run("run", *[word for word in plain_words("450") if word not in ("--force", "tree")], *more, "--engine", engine, "--output", path("refused"), code=None)
            check(process.returncode in (2, 3) and len(process.stderr.splitlines()) == 1, f"--engine {engine} {' '.join(more)}: no word of a force that is chosen", process.stderr)
    # also where the force is chosen by the number of bodies, before the ranks
    words = [word for word in plain_words()[4:] if word not in ("--force", "tree")]
    for number, more, force, text in (("8000000", ["--integrator", "block"], "--force fmm", "2 ranks, one for each device"), ("450", ["--integrator", "block"], "--force direct", "devices: it is faster than several below 131072 bodies"),
                                      ("8000000", ["--integrator", "block", "--error", "1e-2"], "--force fmm", "2 ranks, one for each device"), ("4000000", [], "--force fmm", "2 ranks, one for each device"),
                                      ("3999999", [], "--force fmm", "devices: it is faster than several below 4000000 bodies")):
        process = run("run", *plummer(number), *words, *more, "--engine", "cuda:7,8", "--dry-run", "--output", path("dry"), code=None)
        check(force in process.stderr and text in process.stderr and "give --ranks" not in process.stderr, f"{number} bodies on two devices {' '.join(more)}, with a force that is chosen", process.stderr)
    few = [path("3.hdf5"), "--softening", "0.1", "--step", "0.01", "--steps", "2", "--quiet"]
    run("run", *few, "--output", path("few-1"))
    run("run", *few, "--ranks", "200" if ALL else "64", "--force", "tree", "--output", path("few"))
    run("run", *few, "--ranks", "2", "--force", "tree", "--output", path("few-2"))
    check(state(path("few")) == state(path("few-2")), "three bodies on more ranks than bodies")

    # ---- what is refused ----
    refused = [
        (3, "--mutual", ["--mutual"]), (3, "--force tree", ["--force", "list"]),
        (3, "--force tree", ["--force", "walk", "--engine", "opencl"]),
        (3, "--tree", ["--tree", "device"]),
    ]
    plain = [word for word in SHORT if word not in ("--engine", "cpu", "--force", "tree")]
    for code, word, words in refused:
        process = run("run", *plain, *words, "--ranks", "2", "--output", path("refused"), code=None)
        check(process.returncode == code and word in process.stderr and len(process.stderr.splitlines()) == 1 and not os.path.exists(path("refused")),
              f"{' '.join(words)}: refused before the start, with what to do", f"{process.returncode} {process.stderr}")
    # lists of devices are read as without ranks, also where no such device is there
    for text in ("opencl:", "opencl:0,", "opencl:0x", "opencl:-1", "opencl:99999999999999999999", "cuda:0,,1"):
        process = run("run", *plain, "--force", "tree", "--engine", text, "--ranks", "2", "--output", path("refused"), code=None)
        check(process.returncode == 2 and "numbers of devices" in process.stderr and not os.path.exists(path("refused")), f"--engine {text}: code 2", process.stderr)
    process = run("run", *plain, "--force", "tree", "--engine", "cuda:3,0,3", "--ranks", "2", "--output", path("refused"), code=None)
    check(process.returncode == 2 and "device 3 is named twice" in process.stderr, "a device that is named twice: code 2", process.stderr)
    for text in ("0", "1025", "-1", "two", "2.5", ""):
        process = run("run", *SHORT, "--ranks", text, "--output", path("refused"), code=None)
        check(process.returncode == 2 and "ranks" in process.stderr and not os.path.exists(path("refused")), f"--ranks '{text}': code 2", process.stderr)
    snapshot = path("in.csv")
    for words in (["force", snapshot, "--softening", "0.1"], ["density", snapshot], ["groups", snapshot, "--linking-length", "0.1"], ["neighbours", snapshot, "--radius", "0.1"]):
        process = run(*words, "--ranks", "2", code=None)
        check(process.returncode in (2, 3) and "ranks" in process.stderr, f"kyoho {words[0]} --ranks 2: refused", f"{process.returncode} {process.stderr}")

    # ---- one rank of three whose memory is out ----
    if not os.path.exists(PRELOAD):
        skip("faults", "the library that makes calls fail was not built")
    else:
        n, faults, bad = 1, 0, None
        words = [path("4200.hdf5"), *OPTIONS, "--threads", "1", "--ranks", "3"]
        while not bad:
            shutil.rmtree(path("fault"), ignore_errors=True)
            process = run("run", *words, "--output", path("fault"), code=None, env={"LD_PRELOAD": PRELOAD, "KYOHO_FAIL_ALLOCATION": str(n)})
            lines = [line for line in process.stderr.splitlines() if line != "fault injected" and not line.startswith("warning: ")]
            if "fault injected" not in process.stderr:
                break
            faults += 1
            if process.returncode and (process.returncode != 1 or len(lines) != 1):
                bad = f"allocation {n}: exit code {process.returncode}, {lines}"
            n += 1 if ALL else 101
        check(not bad and faults > 20, f"{faults} faults of memory, one at a time: a clear end", bad)
finish()
