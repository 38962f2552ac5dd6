#!/usr/bin/env python3
# A run that was stopped in any way goes on as if it had not been stopped: snapshots and rows are the same bit for bit.
import json
import math
import os
import random
import shutil
import signal
import subprocess
import time

from tap import KYOHO, check, finish, folder, run, run_json, skip, wait_for

random.seed(20)
MODEL = ["--model", "plummer", "-n", "2000", "--softening", "0.05", "--step", "0.0078125", "--every", "0.0625",
         "--restart-every", "0.05", "--quiet"]


def csv(snapshot, scratch):
    """The bodies of a snapshot as text with all digits, without the parameters, which may differ in threads."""
    run("convert", snapshot, scratch, "--overwrite", "--quiet")
    return [line for line in open(scratch).read().splitlines() if not line.startswith("#|")]


def state(where, scratch):
    """Everything that a run writes, without the seconds on the clock."""
    rows = [row.rsplit(",", 1)[0] for row in open(os.path.join(where, "energy.csv")).read().splitlines()]
    names = sorted(name for name in os.listdir(where) if name.startswith("snapshot_"))
    return rows, [(name, csv(os.path.join(where, name), scratch)) for name in names]


def start(*words):
    return subprocess.Popen([KYOHO, "run", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)


def stopped(where, how):
    """Starts a run that is stopped when it has a restart file: by a signal, or by the file named stop. Returns its code and what it
    said. On a busy machine a run may have ended before: then it is started again, ten times at most."""
    for _ in range(10):
        shutil.rmtree(where, ignore_errors=True)
        process = start(*MODEL, "--end", "0.5", "--output", where)
        wait_for(lambda: os.path.exists(os.path.join(where, "restart.kyo")), "a restart file")
        if how:
            process.send_signal(how)
        else:
            open(os.path.join(where, "stop"), "w").close()
        text = process.communicate(timeout=60)[1]
        if process.returncode != 0:
            break
    return process.returncode, text


ENDING = ".hdf5" if "HDF5: yes" in run("--version").stdout else ".tipsy"

with folder() as top:
    def path(name):
        return os.path.join(top, name)

    scratch = path("scratch.csv")
    begin = time.time()
    run("run", *MODEL, "--end", "0.5", "--output", path("whole"))
    length = time.time() - begin
    expected = state(path("whole"), scratch)
    check(len(expected[0]) == 66 and len(expected[1]) == 9, "the run that is not stopped", f"{len(expected[0])} rows, {len(expected[1])} snapshots")

    kills = 0
    while kills < 4:  # at random moments of one run, or of several if one ends before
        if os.path.exists(path("killed/restart.kyo")):
            process = start("--resume", path("killed"), "--restart-every", "0.05", "--quiet")
        else:
            shutil.rmtree(path("killed"), ignore_errors=True)
            process = start(*MODEL, "--end", "0.5", "--output", path("killed"))
        time.sleep(random.uniform(0.02, 0.3) * length)
        process.send_signal(signal.SIGKILL)
        if process.wait(timeout=60) == -signal.SIGKILL:
            kills += 1
        else:
            shutil.rmtree(path("killed"))
    if not os.path.exists(path("killed/restart.kyo")):  # the last kill came before the first restart file
        run("run", *MODEL, "--end", "0.5", "--output", path("killed"), "--overwrite")
    run("run", "--resume", path("killed"), "--quiet")
    got = state(path("killed"), scratch)
    check(got[0] == expected[0], "energy.csv after SIGKILL is that of the whole run")
    check(got[1] == expected[1], "snapshots after SIGKILL are those of the whole run, bit for bit")
    check(not [n for n in os.listdir(path("killed")) if n.endswith(".part")], "no temporary files are left", os.listdir(path("killed")))

    # signals, the stop file and --max-wall: code 6, and the run can be resumed
    for name, how in [("sigint", signal.SIGINT), ("sigterm", signal.SIGTERM), ("stop", None)]:
        code, text = stopped(path(name), how)
        check(code == 6 and "--resume" in text, f"{name}: exit code 6 and how to go on", f"{code} {text}")
        run("run", "--resume", path(name), "--quiet")
        check(state(path(name), scratch) == expected, f"{name}: goes on to the same end")
    process = run("run", *MODEL, "--end", "0.5", "--max-wall", "0.01", "--output", path("wall"), code=6)
    check("--resume" in process.stderr, "--max-wall: code 6")
    run("run", "--resume", path("wall"), "--quiet")
    check(state(path("wall"), scratch) == expected, "--max-wall: goes on to the same end")

    # a run is resumed beyond its end, with another number of threads
    run("run", *MODEL, "--end", "0.25", "--output", path("short"), "--threads", "1")
    run("run", "--resume", path("short"), "--end", "0.5", "--threads", "2", "--quiet")
    check(state(path("short"), scratch) == expected, "--resume --end goes further")
    # an instruction set that was asked for is kept, here not the best one
    plain = [*MODEL, "--isa", "plain"]
    run("run", *plain, "--end", "0.5", "--output", path("plain"))
    run("run", *plain, "--end", "0.25", "--output", path("plain2"))
    run("run", "--resume", path("plain2"), "--end", "0.5", "--quiet")
    check(state(path("plain"), scratch) == state(path("plain2"), scratch), "a resumed run keeps its instruction set")
    # A warning tells of other last digits: here by another instruction set, elsewhere by a processor of another maker.
    best = next((isa for isa in ("avx512", "avx2") if not run("force", "--model", "plummer", "-n", "2", "--isa", isa, "--quiet", code=None).returncode), None)
    if best:
        for isa, end in (("plain", "0.5625"), (best, "0.625")):
            text = run("run", "--resume", path("plain2"), "--end", end, "--isa", isa).stderr
            check(("differ in bits" in text) == (isa != "plain"), f"a run of plain C that goes on with {isa}: {'the same' if isa == 'plain' else 'other'} bits", text)
    else:
        skip("a run that goes on with other bits warns", "neither AVX-512 nor AVX2")

    # steps of the bodies' own continue too, also from within a longest step
    for name, words in (("block", ["--softening", "0.02"]),
                        ("hermite4", ["--softening", "0", "--force", "direct", "--eta", "0.1", "--corrections", "2"])):
        own = ["--model", "hernquist", "-n", "1500" if name == "block" else "200", "--integrator", name, "--step", "0.03125", "--engine", "cpu", *words, "--quiet"]
        run("run", *own, "--at", "0.1", "--end", "0.26", "--shorten", "--output", path(name))
        run("run", *own, "--end", "0.1", "--shorten", "--output", path(name + "2"))
        run("run", "--resume", path(name + "2"), "--end", "0.26", "--quiet")
        check(state(path(name), scratch)[0][-1] == state(path(name + "2"), scratch)[0][-1], f"steps of {name} go on from a restart file")
        told, whole = (json.load(open(path(name + which + "/run.json")))["blocks"] for which in ("2", ""))
        told.pop("gflops", None), whole.pop("gflops", None)  # these depend on the clock
        check(told == whole, "counts of blocks and steps continue", f"{told} {whole}")
        check(told["count"] > 16 and 1 < told["mean_bodies"] < 1500 and told["shortest_step"] < 0.03125 and told["steps_cut"] == 0,
              "run.json has the counts", told)
    cut = [*own, "--every", "0.0625", "--restart-every", "0.01"]  # hermite4 is killed during the run
    run("run", *cut, "--end", "0.5", "--output", path("hermite"))
    process = start(*cut, "--end", "0.5", "--output", path("hermite2"))
    wait_for(lambda: os.path.exists(path("hermite2/snapshot_0002" + ENDING)) or process.poll() is not None, "a third snapshot")
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    run("run", "--resume", path("hermite2"), "--quiet")
    check(state(path("hermite"), scratch) == state(path("hermite2"), scratch), "hermite4 after SIGKILL is the whole run")

    # A close encounter without softening stops a run once. Two bodies fall towards each other; the second of three is far away.
    with open(path("fall.csv"), "w") as bodies:
        bodies.write("id,m,x,y,z,vx,vy,vz\n7,0.5,0,0,0,0,0,0\n8,1e-9,0,100,0,0,0,0\n9,0.5,1,0,0,0,0,0\n")
    fall = [path("fall.csv"), "--integrator", "hermite4", "--force", "direct", "--softening", "0", "--step", "0.0625", "--step-min", str(2.0 ** -24),
            "--every", "0.25", "--end", "2", "--engine", "cpu"]
    for name in ("fall", "fall2"):
        process = run("run", *fall, "--output", path(name), code=6)
        about = json.load(open(path(name + "/run.json")))
        check("encounter of bodies 7 and 9," in process.stderr and "--resume" in process.stderr, "a close encounter: code 6, the pair, and how to go on",
              process.stderr)
        check(abs(about["time"] / (math.pi / math.sqrt(8)) - 1) < 1e-4, "at a close encounter all bodies are at one time", about["time"])
        check(len(open(path(name + "/energy.csv")).read().splitlines()) > 18, "energy.csv has the rows before the close encounter")
    run("run", "--resume", path("fall"), "--quiet")
    about = json.load(open(path("fall/run.json")))
    check(about["time"] == 2 and about["blocks"]["steps_cut"] > 0, "the resumed run passes the close encounter and goes on to the end", about)
    run("run", "--resume", path("fall2"), "--end", "1.5", "--quiet")
    run("run", "--resume", path("fall2"), "--end", "2", "--quiet")
    check(state(path("fall"), scratch) == state(path("fall2"), scratch), "a run past a close encounter can be stopped once more")

    # one run at a time in a folder
    process = start(*MODEL, "--end", "50", "--output", path("live"))
    wait_for(lambda: os.path.exists(path("live/restart.kyo")), "a restart file")
    os.mkdir(path("live/starting.part"))  # as while it begins
    log = open(path("live/run.log")).read()
    check("another run is using" in run("run", "--resume", path("live"), code=2).stderr, "a run that is at work is not resumed")
    check("another run is using" in run("run", *MODEL, "--end", "1", "--output", path("live"), "--overwrite", code=2).stderr, "a run that is at work is not replaced")
    check(log and open(path("live/run.log")).read().startswith(log) and os.path.exists(path("live/starting.part")), "its run.log and its first files stay", open(path("live/run.log")).read())
    os.rmdir(path("live/starting.part"))
    process.terminate()
    check(process.wait(timeout=60) == 6, "the run at work goes on undisturbed")
    check("past" in run("run", "--resume", path("short"), "--end", "0.25", code=2).stderr, "an end before the present time is refused")
    for words in (["--theta", "0.3"], ["--step", "0.1"], ["--dry-run"]):
        refused = run("run", "--resume", path("short"), *words, code=2).stderr
        check(f"{words[0]} cannot be combined with --resume" in refused, f"--resume with {words[0]} is refused", refused)
    for end, says in (("0.503", "the nearest are 0.5 and 0.5078125"), ("0.53125", "the nearest are 0.5 and 0.5625"), ("-1", "is not ahead")):
        refused = run("run", "--resume", path("short"), "--end", end, code=2).stderr
        check(says in refused and "--step" not in refused, f"the error for an end that does not fit has no --step: {end}", refused)
    before = json.load(open(path("short/run.json")))["energy_change"]
    run("run", "--resume", path("short"), "--quiet")
    after = json.load(open(path("short/run.json")))["energy_change"]
    check(state(path("short"), scratch) == expected, "resuming a finished run changes nothing")
    check(before == after and abs(before) < 1e-2, "nor does it change the energy in run.json", f"{before} {after}")

    # times of --at, through a kill and a resumption
    listed = [*MODEL, "--at", "0.3203125,0.0078125,0.25", "--end", "0.5"]
    run("run", *listed, "--output", path("at"))
    process = start(*listed, "--output", path("at2"))
    wait_for(lambda: os.path.exists(path("at2/snapshot_0003" + ENDING)) or process.poll() is not None, "a fourth snapshot")
    process.send_signal(signal.SIGKILL)
    process.wait(timeout=60)
    run("run", "--resume", path("at2"), "--quiet")
    whole = state(path("at"), scratch)
    check(len(whole[1]) == 11 and whole == state(path("at2"), scratch), "snapshots of --at are those of the whole run", len(whole[1]))

    # all snapshots have the universe of the bodies, and another run can begin with one of them
    if ENDING == ".hdf5":
        ways = ["--expansion", "bodies", "--step", "0.01", "--quiet"]
        run("run", "--model", "cosmic", "-n", "200", "--redshift", "99", *ways, "--steps", "2", "--output", path("young"))
        run("run", "--resume", path("young"), "--steps", "4", "--quiet")
        space = run_json("info", path("young/snapshot_0002.hdf5"))["space"]
        check((space["hubble"], space["omega_matter"], space["omega_lambda"], space["comoving"]) == (0.5, 1, 0, False),
              "snapshots keep the universe, also those of a resumed run", space)
        run("run", "--input", path("young/snapshot_0002.hdf5"), *ways, "--steps", "2", "--output", path("younger"))

        # the cosmological constant of the bodies acts, or the run says that it does not
        run("model", "cosmic", "-n", "60", "--omega-m", "0.3", "--omega-lambda", "0.7", "--hubble", "0.7", "-o", path("lambda.hdf5"), "--quiet")
        pushed = ["run", "--input", path("lambda.hdf5"), "--steps", "1"]
        run(*pushed, *ways, "--field", "point:mass=1", "--output", path("pushed"))
        field = json.load(open(path("pushed/run.json")))["options"]["field"]
        check(field == "point:mass=1 lambda:omega=0.7,h0=0.07", "the field of the bodies' cosmological constant follows from the file", field)
        refused = run(*pushed, *ways, "--field", "lambda:omega=0.7,h0=0.05", "--output", path("wrong"), code=2).stderr
        check("give lambda:omega=0.7,h0=0.07" in refused, "a field that contradicts the cosmological constant is refused", refused)
        refused = run(*pushed, "--expansion", "omega-m=0.3,omega-lambda=0.6,h0=0.07", *ways[2:], "--output", path("wrong"), code=2).stderr
        check("which is omega-m=0.3,omega-lambda=0.7,h0=0.07" in refused, "an --expansion that contradicts the universe of the bodies is refused", refused)
        lost = run("convert", path("lambda.hdf5"), path("lambda.csv")).stderr
        check("does not store the cosmology" in lost and "universe" not in run("convert", path("lambda.hdf5"), path("again.hdf5")).stderr,
              "a format that loses the universe says so", lost)
        run(*pushed, *ways, "--field", "lambda:omega=1.4,h0=0.0495", "--output", path("right"))
        warned = run(*pushed, "--step", "0.001", "--quiet", "--output", path("still")).stderr
        check("cosmological constant, which does not act" in warned, "without --expansion bodies there is a warning", warned)
        warned = run(*pushed, "--step", "0.001", "--quiet", "--field", field, "--output", path("moved")).stderr
        check("cosmological constant" not in warned, "with the field there is no warning", warned)

    # a damaged restart file: the one before is taken; if both are damaged there is an error
    with open(path("short/restart.kyo"), "r+b") as file:
        file.seek(200)
        file.write(b"\0\1\2\3\4\5\6\7")
    with open(path("short/restart.kyo.previous"), "rb") as file:
        whole = file.read()
    shutil.copytree(path("short"), path("kept"))
    run("run", "--resume", path("kept"), "--end", "0.5", "--max-wall", "0", "--quiet", code=None)
    with open(path("kept/restart.kyo.previous"), "rb") as file:
        check(file.read() == whole, "a damaged restart file does not take the place of the one before, which is whole")
    process = run("run", "--resume", path("short"), "--end", "0.5")
    check("previous one" in process.stderr, "a damaged restart file: the one before is taken", process.stderr)
    check(state(path("short"), scratch) == expected, "the run from the restart file before has the same result")
    for name in os.listdir(path("short")):
        if name.startswith("restart"):
            os.truncate(path("short/" + name), 100)
    check("restart" in run("run", "--resume", path("short"), code=4).stderr, "no whole restart file: code 4")
    check(run("run", "--resume", path("nowhere"), code=4).stderr.count("\n") == 1, "no folder: code 4")

    # --opening relative needs the last accelerations, which are in the restart file
    relative = ["--model", "plummer", "-n", "1000", "--softening", "0.05", "--step", "0.0625", "--every", "0.5", "--opening",
                "relative", "--quiet"]
    run("run", *relative, "--end", "1", "--output", path("rel"))
    run("run", *relative, "--end", "0.5", "--output", path("rel2"))
    run("run", "--resume", path("rel2"), "--end", "1", "--quiet")
    check(state(path("rel"), scratch) == state(path("rel2"), scratch), "--opening relative resumes bit for bit")
    # a resumed run keeps the engine that --engine auto has chosen
    auto = [*MODEL, "--end", "0.0625", "--engine", "auto", "--force", "tree", "--output", path("auto")]
    line = run("run", *[word for word in auto if word != "--quiet"]).stderr
    check("engine cpu (" in line and "for 2000 bodies" in line or "cuda" in line or "opencl" in line,
          "--engine auto says what it has chosen", line)
    chosen = json.load(open(path("auto/run.json")))["options"]["engine"]
    run("run", "--resume", path("auto"), "--end", "0.125", "--engine", "auto", "--quiet")
    kept = json.load(open(path("auto/run.json")))["options"]["engine"]
    check(chosen != "auto" and kept == chosen, "a resumed run keeps the engine that was chosen", f"{chosen} {kept}")
    # a run on a device stays there when it is resumed; unit/device.c resumes every method on every device
    if any(device["engine"] == "opencl:0" and device["usable"] for device in run_json("devices")["devices"]):
        device = ["--model", "plummer", "-n", "300", "--softening", "0.1", "--step", "0.0625", "--every", "0.25", "--engine", "opencl:0", "--force", "direct", "--quiet"]
        run("run", *device, "--end", "0.5", "--output", path("device"))
        run("run", *device, "--end", "0.25", "--output", path("device2"))
        run("run", "--resume", path("device2"), "--end", "0.5", "--quiet")
        engine = json.load(open(path("device2/run.json")))["options"]["engine"]
        check(engine == "opencl:0" and state(path("device"), scratch) == state(path("device2"), scratch), "a run on a device resumes there bit for bit", engine)
        run("run", "--resume", path("auto"), "--end", "0.1875", "--engine", "opencl:0", "--quiet")
        run("run", "--resume", path("auto"), "--end", "0.25", "--quiet")
        engine = json.load(open(path("auto/run.json")))["options"]["engine"]
        check(engine == "opencl:0", "an engine that is named at a resumption is kept from then on", engine)
        text = run("run", "--resume", path("auto"), "--end", "0.25", "--isa", "plain", code=2).stderr
        check("--isa has no effect with an --engine other than cpu" in text, "an instruction set for a run on a device is refused", text)
        # where the tree of a device is built has no place on the CPU
        run("run", *device[:-3], "--force", "walk", "--tree", "host", "--end", "0.25", "--output", path("of-host"), "--quiet")
        run("run", path("of-host/run.json"), "--engine", "cpu", "--output", path("of-cpu"), "--quiet")
        run("run", "--resume", path("of-host"), "--end", "0.5", "--engine", "cpu", "--quiet")
        options = [json.load(open(path(name + "/run.json")))["options"] for name in ("of-host", "of-cpu")]
        check(all(option["engine"] == "cpu" and option["force"] == "walk" and option["tree"] is None for option in options), "a run with the host's tree goes on on the CPU", options)
    else:
        skip("a run on a device resumes there bit for bit", "no OpenCL device here")
finish()
