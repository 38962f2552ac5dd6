#!/usr/bin/env python3
# The folder of a run: nothing in it is lost, and run.json has the state of the run.
import csv
import json
import os
import resource
import shutil
import signal
import subprocess
import time

from tap import KYOHO, check, finish, folder, run, run_json, wait_for

MODEL = ["--model", "plummer", "-n", "200", "--softening", "0.1", "--step", "0.0625", "--every", "0.25", "--quiet"]
signal.signal(signal.SIGHUP, signal.SIG_DFL)  # under nohup it would be ignored
LONG = [*MODEL, "--end", "1000000", "--energy-every", "0.0625", "--restart-every", "0.2"]


def contents(where):
    return {name: open(os.path.join(where, name), "rb").read() for name in sorted(os.listdir(where))}


def about(where):
    return json.load(open(os.path.join(where, "run.json")))


class Started(subprocess.Popen):
    """Starts a run that is ended with the `with` block, also if the block fails."""
    def __exit__(self, kind, value, trace):
        if kind:
            self.kill()
        super().__exit__(kind, value, trace)


def start(*words, **options):
    return Started([KYOHO, "run", *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, text=True, **options)


def columns(path):
    """The rows of an energy.csv without the seconds on the clock."""
    return [row.rsplit(",", 1)[0] for row in open(path).read().splitlines()]


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    # --overwrite removes nothing until the new run has begun
    run("run", *MODEL, "--end", "1", "--output", path("old"))
    before = contents(path("old"))
    with open(path("heavy.csv"), "w") as bodies:
        bodies.write("m,x,y,z,vx,vy,vz\n1e200,0,0,0,0,0,0\n1e200,1,0,0,0,0,0\n")
    run("run", path("heavy.csv"), "--softening", "0.1", "--step", "1", "--steps", "3", "--overwrite", "--output", path("old"), "--quiet", code=4)
    check(contents(path("old")) == before, "a start that fails leaves the old results, byte for byte")
    run("run", "--model", "plummer", "-n", "200", "--step", "1e10", "--steps", "1", "--quiet", "--output", path("old"), "--overwrite", code=4)
    check(contents(path("old")) == before, "a start whose first step fails leaves the old results")
    process = subprocess.run([KYOHO, "run", *MODEL, "--end", "1", "--seed", "2", "--output", path("old"), "--overwrite"],
                             capture_output=True, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (15000, 15000)))
    check(process.returncode == 7 and contents(path("old")) == before, "a start without room on the disk leaves the old results", process.stderr)
    last = path("old/snapshot_0004.hdf5")
    if not os.path.exists(last):
        last = path("old/snapshot_0004.tipsy")
    words = [last, "--softening", "0.1", "--step", "0.0625", "--steps", "1", "--quiet"]
    refused = run("run", *words, "--output", path("old"), "--overwrite", code=2)
    check(last in refused.stderr and contents(path("old")) == before, "an input among the results is not removed", refused.stderr)
    os.symlink(last, path("link.hdf5"))
    run("run", path("link.hdf5"), *words[1:], "--output", path("old"), "--overwrite", code=2)
    check(contents(path("old")) == before, "an input among the results is not removed through a link either")
    run("run", *words, "--output", path("next"))
    run("run", *MODEL, "--end", "0.5", "--seed", "2", "--output", path("new"))
    run("run", *MODEL, "--end", "0.5", "--seed", "2", "--output", path("old"), "--overwrite")
    check(sorted(contents(path("old"))) == sorted(contents(path("new"))) and columns(path("old/energy.csv")) == columns(path("new/energy.csv")),
          "a start that succeeds replaces them", sorted(contents(path("old"))))
    check(open(path("old/run.log")).read().count("done") == 1, "run.log is that of the new run")

    # a start that is killed at any moment: the old run or the new one can be resumed
    run("run", *MODEL, "--end", "0.25", "--seed", "2", "--output", path("first"))
    for state, old in (("starting.part", True), ("starting", True), ("started", False), ("started", "half")):
        shutil.rmtree(path("killed"), ignore_errors=True)
        if old is True:
            run("run", *MODEL, "--end", "0.25", "--output", path("killed"))
        else:
            os.mkdir(path("killed"))
        os.mkdir(path("killed/" + state))
        for k, name in enumerate(sorted(contents(path("first")))):
            target = "killed" if old == "half" and k < 2 else "killed/" + state
            if name != "run.log":
                shutil.copy(path("first/" + name), path(target))
        run("run", "--resume", path("killed"), "--end", "0.5", "--quiet")
        expected = 1 if state == "starting.part" else 2
        check(about(path("killed"))["seed"] == expected and about(path("killed"))["time"] == 0.5
              and not os.path.exists(path("killed/starting")) and not os.path.exists(path("killed/started")),
              f"a start that was killed as {state}: the {'old' if expected == 1 else 'new'} run goes on", os.listdir(path("killed")))

    # a table does not replace the bodies that it is made of
    run("model", "plummer", "-n", "100", "-o", path("bodies.csv"))
    bodies = open(path("bodies.csv")).read()
    os.link(path("bodies.csv"), path("same.csv"))
    for words in (["density"], ["neighbours", "--radius", "0.1"]):
        for name in ("bodies.csv", "same.csv"):
            refused = run(*words, path("bodies.csv"), "-o", path(name), "--overwrite", code=2)
            check("input" in refused.stderr and open(path("bodies.csv")).read() == bodies, f"{words[0]} does not replace its input", refused.stderr)

    # a snapshot or a picture does not replace the snapshot that it is made of
    run("model", "plummer", "-n", "100", "--seed", "2", "-o", path("other.csv"))
    shutil.copy(path("bodies.csv"), path("bodies.png"))
    for words in (["convert", path("bodies.csv"), path("same.csv")], ["convert", path("bodies.csv"), "--physical", "-o", path("bodies.csv")],
                  ["force", path("bodies.csv"), "-o", path("bodies.csv")], ["draw", path("other.csv"), path("bodies.png"), "-o", path("bodies.png")],
                  ["merge", path("other.csv"), path("bodies.csv"), "--separation", "3", "--pericentre", "1", "-o", path("same.csv")]):
        refused = run(*words, "--overwrite", code=2).stderr
        check("is the input" in refused and open(path("bodies.csv")).read() == bodies == open(path("bodies.png")).read(),
              f"{words[0]} does not replace its input", refused)

    # energy.csv removed or replaced during a run
    with start(*LONG, "--output", path("live"), stderr=subprocess.PIPE) as process:
        wait_for(lambda: os.path.exists(path("live/energy.csv")), "the run starts")
        os.remove(path("live/energy.csv"))
        wait_for(lambda: os.path.exists(path("live/energy.csv")), "energy.csv is written again")
        size = os.path.getsize(path("live/energy.csv"))
        wait_for(lambda: os.path.getsize(path("live/energy.csv")) > size, "the new energy.csv has the next row")
        with open(path("live/mine"), "w") as mine:
            mine.write("mine\n")
        os.rename(path("live/mine"), path("live/energy.csv"))
        wait_for(lambda: os.path.exists(path("live/energy.csv.previous")), "energy.csv is written once more")
        process.send_signal(signal.SIGHUP)
        text = process.communicate(timeout=60)[1]
    check("removed" in text and "replaced" in text, "energy.csv removed or replaced during a run: a warning", text)
    check(open(path("live/energy.csv.previous")).read() == "mine\n", "the file that replaced energy.csv is kept")
    steps = about(path("live"))["steps"]
    rows = columns(path("live/energy.csv"))
    check([row.split(",")[1] for row in rows] == ["steps", *map(str, range(steps + 1))], "no row of energy.csv is missing", rows[:3])

    # energy.csv is cut short in place
    with start(*LONG, "--output", path("cut"), stderr=subprocess.PIPE) as process:
        wait_for(lambda: os.path.exists(path("cut/restart.kyo.previous")), "the run is on its way")
        for times in range(1, 21):  # sometimes just as a row is written
            os.truncate(path("cut/energy.csv"), os.path.getsize(path("cut/energy.csv")) - 7)
            if not wait_for(lambda: open(path("cut/run.log")).read().count("was truncated from") == times, "a file that was cut short is noticed"):
                break
        os.truncate(path("cut/energy.csv"), 0)
        wait_for(lambda: " to 0 bytes" in open(path("cut/run.log")).read(), "a file that was emptied is noticed")
        process.send_signal(signal.SIGTERM)
        text = process.communicate(timeout=60)[1]
    rows = open(path("cut/energy.csv")).read().splitlines()
    check(text.count("the rest is lost") == 21 and rows[0].startswith("time,steps,") and len({row.count(",") for row in rows}) == 1
          and "\0" not in "".join(rows), "energy.csv cut short during a run: a warning, and whole rows after it", text + "\n".join(rows[:3]))
    run("run", "--resume", path("cut"), "--max-wall", "0", "--quiet", code=6)
    for remove, says in ((lambda name: os.truncate(name, 9), "is shorter"), (os.remove, "is missing")):
        remove(path("cut/energy.csv"))
        text = run("run", "--resume", path("cut"), "--quiet", code=4).stderr
        check(says in text and "begin a new run" in text and text.count("\n") == 1, f"energy.csv {says}: the error says how to go on", text)
    check("starting.part" not in open(path("cut/run.log")).read(), "run.log names the files as they are called in the end")

    # signals: exit code 6, and run.json says why and from where
    check(process.returncode == 6, "SIGHUP: exit code 6", process.returncode)
    summary = about(path("live"))
    check("stopped by a signal at time " in open(path("live/run.log")).read(), "run.log has the reason too")
    check(summary["outcome"] == "stopped early" and summary["reason"] == "a signal"
          and summary["resume"] == {"time": summary["time"], "steps": summary["steps"]}, "run.json after a signal", summary)
    with start("--resume", path("live"), "--quiet") as process:
        wait_for(lambda: about(path("live"))["outcome"] == "running", "run.json of a resumed run says that it is running")
        process.send_signal(signal.SIGKILL)
        process.wait()
    summary = about(path("live"))
    check(summary["outcome"] == "running" and summary["reason"] is None and summary["resume"]["steps"] >= steps, "run.json after SIGKILL says from where the run goes on", summary)
    reader, writer = os.pipe()
    with start(*[word for word in LONG if word != "--quiet"], "--output", path("pipe"), stderr=writer) as process:
        os.close(writer)
        os.close(reader)  # nobody reads the output of the run
        process.wait(timeout=60)
    check(process.returncode == 6 and (not os.path.exists(path("pipe")) or about(path("pipe"))["outcome"] == "stopped early"),
          "SIGPIPE: exit code 6, before the first step without a folder, else resumable", process.returncode)
    with start(*LONG, "--output", path("nohup"), preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN)) as process:
        wait_for(lambda: os.path.exists(path("nohup/restart.kyo")), "the run starts")
        process.send_signal(signal.SIGHUP)
        time.sleep(0.2)
        check(process.poll() is None, "SIGHUP that is ignored (nohup) does not end a run")
        process.terminate()
        process.wait(timeout=60)

    # a disk that becomes full during the run
    process = subprocess.run([KYOHO, "run", *MODEL, "--end", "100", "--energy-every", "0.0625", "--output", path("full")], capture_output=True, text=True,
                             preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (60000, 60000)))
    summary = about(path("full"))
    check(process.returncode == 7 and summary["outcome"] == "failed" and "energy.csv" in summary["reason"]
          and summary["resume"] == {"time": 0, "steps": 0}, "run.json after a failure", f"{process.stderr} {summary}")
    run("run", "--resume", path("full"), "--end", "1", "--quiet")
    check(about(path("full"))["outcome"] == "done" and about(path("full"))["reason"] is None, "a run goes on after a full disk")

    # the folder of a run in place of a file
    refused = run("run", path("full"), "--end", "2", "--output", path("x"), code=2)
    check("--resume " + path("full") in refused.stderr, "run FOLDER suggests --resume", refused.stderr)

    # with any name of a folder run.json is JSON, and an error is one line
    for name in ("a" * 255, "new\nline", os.fsdecode(b"b\xffd"), 'q"uo\\te'):
        run("run", *MODEL, "--end", "0.25", "--output", path(name), "--max-wall", "0", code=6)
        run("run", "--resume", path(name), "--quiet")
        lines = run("run", *MODEL, "--end", "0.25", "--output", path(name), code=2).stderr.count("\n")
        with open(path(name + "/run.json"), "rb") as file:
            summary = json.loads(file.read().decode())
        check(summary["outcome"] == "done" and lines == 1, f"a folder named {ascii(name)[:20]}", lines)

    # energies alone, without snapshots and restart files, for systems that are larger than the disk
    bare = ["--model", "plummer", "-n", "1000", "--softening", "0.01", "--steps", "3", "--every", "0", "--quiet"]
    run("run", *bare, "--restart-every", "0", "--output", path("energies"))
    check(sorted(os.listdir(path("energies"))) == ["energy.csv", "run.json", "run.log"], "--every 0 --restart-every 0: energies alone",
          os.listdir(path("energies")))
    rows = columns(path("energies/energy.csv"))
    check(len(rows) == 5 and rows[-1].split(",")[1] == "3", "a run of energies alone has all rows", rows)
    run("run", path("energies/run.json"), "--quiet", "--output", path("energies2"))
    check(columns(path("energies2/energy.csv")) == rows and not os.path.exists(path("energies2/restart.kyo")), "run.json repeats a run of energies alone")
    told = json.loads(run("info", path("energies"), "--json").stdout)
    check(told["steps"] == 3 and told["snapshots"] == 0 and told["last_snapshot"] is None, "info says how far the run is", told)
    with open(path("energies/energy.csv")) as file:  # the same columns in another order, and one more
        table = [line.split(",") for line in file.read().splitlines()]
    with open(path("energies/energy.csv"), "w") as file:
        for row in table:
            file.write(",".join(["more"] + row[::-1] if row is table[0] else ["7"] + row[::-1]) + "\n")
    os.remove(path("energies/run.json"))
    again = json.loads(run("info", path("energies"), "--json").stdout)
    check(all(again[name] == told[name] for name in ("time", "steps", "energy_change")), "info reads columns by their names", (again, told))
    check("--overwrite" in run("run", *bare, "--output", path("energies"), code=2).stderr, "a run of energies alone is not replaced unasked")
    check("restart.kyo" in run("run", "--resume", path("energies"), "--quiet", code=4).stderr, "a run of energies alone is not resumed")
    stopped = run("run", *bare, "--restart-every", "0", "--max-wall", "0", "--output", path("energies3"), code=6).stderr
    check("cannot continue" in stopped and "--resume" not in stopped, "a run without restart files says that it cannot continue", stopped)
    check(about(path("energies3"))["resume"] is None and about(path("energies3"))["outcome"] == "stopped early", "run.json of a run without restart files has no resumption")
    run("run", *bare, "--output", path("bare"))  # with restart files the run can be resumed, still without snapshots
    run("run", "--resume", path("bare"), "--steps", "5", "--quiet")
    check(not [name for name in os.listdir(path("bare")) if name.startswith("snapshot")] and len(columns(path("bare/energy.csv"))) == 7,
          "--every 0 stays so in a resumed run", os.listdir(path("bare")))
    run("run", *bare, "--restart-every", "0", "--output", path("bare"), "--overwrite")
    check(sorted(os.listdir(path("bare"))) == ["energy.csv", "run.json", "run.log"], "--overwrite leaves no restart file of before")
    plan = run_json("run", *bare, "--restart-every", "0", "--dry-run")
    check(plan["snapshots"] == 0 and plan["disk_bytes"] < 2000, "--dry-run counts no files", plan)

    # an eta so small that only rounding would decide on steps
    for precision, said in (("extended", True), ("double", False)):
        gave = run("run", "--model", "plummer", "-n", "8", "--softening", "0.2", "--integrator", "hermite4", "--force", "direct", "--precision", precision,
                   "--eta", "0.001", "--step", "0.03125", "--steps", "1", "--engine", "cpu", "--output", path("rounding"), "--overwrite", "--quiet").stderr
        check(("too small for forces" in gave) == said, f"a small eta in {precision}", gave)

    # bodies that are followed
    few = ["--model", "plummer", "-n", "60", "--step", "0.0625", "--engine", "cpu", "--quiet", "--core"]
    run("run", *few, "--steps", "4", "--follow", "59,3", "--output", path("followed"))
    run("run", "--resume", path("followed"), "--steps", "8", "--quiet")
    run("run", *few, "--steps", "8", "--follow", "59,3", "--output", path("followed2"))
    table = columns(path("followed/energy.csv"))
    check(table[0].endswith(",x_59,y_59,z_59,x_3,y_3,z_3") and table == columns(path("followed2/energy.csv")),
          "--follow has columns, also in a resumed run", table[0])
    run("convert", os.path.join(path("followed2"), sorted(os.listdir(path("followed2")))[-1]), path("last.csv"))
    with open(path("last.csv")) as file:
        last = {row["id"]: row for row in csv.DictReader(line for line in file if line[0] != "#")}
    check([float(x) for x in table[-1].split(",")[-6:-3]] == [float(last["59"][c]) for c in "xyz"], "columns of --follow have the positions of the bodies", (table[-1], last["59"]))
    run("run", path("followed/run.json"), "--output", path("followed3"), "--quiet")
    check(columns(path("followed3/energy.csv"))[0] == table[0], "run.json repeats --follow")
    with open(path("named.csv"), "w") as file:  # ids that are not the indices, and a body that escapes
        file.write("id,mass,x,y,z,vx,vy,vz\n4,1,0,0,0,0,0,0\n2,1,1,0,0,0,0.3,0\n7,0.001,3,0,0,50,0,0\n90,1,0,1,0,0.2,0,0.1\n0,1,0,0,1,0,0,0\n")
    run("run", path("named.csv"), "--softening", "0.1", "--step", "0.0625", "--steps", "4", "--follow", "90,7,0", "--escape-radius", "8", "--quiet",
        "--engine", "cpu", "--output", path("named"))
    run("convert", os.path.join(path("named"), [f for f in sorted(os.listdir(path("named"))) if f.startswith("snapshot")][-1]), path("left.csv"))
    with open(path("left.csv")) as file:
        left = {row["id"]: row for row in csv.DictReader(line for line in file if line[0] != "#")}
    with open(path("named/energy.csv")) as file:
        rows = list(csv.DictReader(file))
    check(rows[0]["x_7"] == "3" and rows[-1]["x_7"] == "" and "7" not in left
          and all(float(rows[-1][f"{c}_{i}"]) == float(left[i][c]) for c in "xyz" for i in ("90", "0")),
          "bodies are followed by their ids, until they are removed", rows)
    with open(path("named/escapers.csv")) as file:
        gone = list(csv.DictReader(file))
    check([row["id"] for row in gone] == ["7"] and float(gone[0]["time"]) in [float(row["time"]) for row in rows] and float(gone[0]["x"]) > 8
          and float(gone[0]["vx"]) > 40 and gone[0]["mass"] == "0.001" and rows[-1]["bodies"] == "4" and rows[0]["bodies"] == "5",
          "escapers.csv has the body that was removed, with time, place and velocity", gone)
    lists = ["--input", path("named.csv"), "--softening", "0.1", "--step", "0.0625", "--escapers", "1.5", "--quiet", "--engine", "cpu"]
    run("run", *lists, "--steps", "3", "--output", path("listed"))
    with open(path("listed/escapers.csv"), "a") as file:  # as after a run that went on and was killed
        file.write("4,9,9,9,9,9,9,9,9\n")
    run("run", "--resume", path("listed"), "--steps", "12", "--quiet")
    run("run", *lists, "--steps", "12", "--output", path("listed2"))
    table = open(path("listed2/escapers.csv")).read()
    ids = [row.split(",")[0] for row in table.splitlines()]
    with open(path("listed2/energy.csv")) as file:
        rows = list(csv.DictReader(file))
    check(ids[0] == "id" and ids[1] == "7" and len(set(ids)) == len(ids) and table == open(path("listed/escapers.csv")).read()
          and all(row["bodies"] == "5" for row in rows) and float(rows[0]["bound_mass"]) < float(rows[0]["mass"]),
          "--escapers lists each once and removes none, also in a resumed run", table)
    os.remove(path("listed/escapers.csv"))
    check("escapers.csv is missing" in run("run", "--resume", path("listed"), "--steps", "13", code=4).stderr, "a missing escapers.csv is an error")
    check("give one of the two" in run("run", *lists, "--escape-radius", "3", "--steps", "1", "--output", path("listed3"), code=2).stderr
          and not os.path.exists(path("listed3")), "--escapers and --escape-radius together are refused")

    with open(path("pair.csv"), "w") as file:
        file.write("x,y,z,vx,vy,vz,mass\n10,0,0,5,0,0,1\n-10,0,0,-5,0,0,1\n")
    run("run", path("pair.csv"), "--softening", "0", "--step", "0.5", "--steps", "2", "--escape-radius", "1", "--output", path("empty"), "--quiet")
    left = run("info", path("empty")).stdout
    check("2 snapshots; time 1 after 2 steps" in left and "no body is left" in left, "info tells of a run that all bodies have left", left)

    # with 20,000 to 40,000 bodies every second row has the bound mass, and every row with a snapshot
    run("run", "--model", "plummer", "-n", "20001", "--theta", "1", "--step", "0.0078125", "--steps", "3", "--every", "0", "--at", "0.0234375", "--engine", "cpu", "--quiet",
        "--output", path("many"))
    with open(path("many/energy.csv")) as file:
        rows = list(csv.DictReader(file))
    check([row["bound_mass"] != "" for row in rows] == [True, False, True, True] and all(row["bodies"] == "20001" for row in rows),
          "bound masses of many bodies", rows)

    for text in ("", "3,3", "60", "3,", "x", "3x", "-1", ",".join(map(str, range(17)))):
        run("run", *few, "--steps", "4", f"--follow={text}", "--output", path("followed4"), code=2)
    run("run", *few, "--steps", "4", "--follow", "60", "--dry-run", code=2)

    # a plan makes no bodies
    def small():
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 29, 1 << 29))

    for step, expected in (([], None), (["--step", "0.125"], 8)):
        process = subprocess.run([KYOHO, "run", "--model", "plummer", "-n", "1e9", "--end", "1", "--every", "0.25", "--at", "0.125", *step, "--engine", "cpu",
                                  "--dry-run", "--json"], capture_output=True, text=True, timeout=60, preexec_fn=small)
        plan = json.loads(process.stdout) if process.returncode == 0 else {}
        check(plan.get("n") == 10 ** 9 and plan["host_bytes"] > 1e11 and plan["snapshots"] == 6 and (plan["steps"] == 8 if step else plan["step"] is None),
              f"a plan for a billion bodies in half a gigabyte, {'with' if step else 'without'} a step", process.stderr + str(plan))
    check("plummer" in run("run", "--model", "plumer", "-n", "1e9", "--end", "1", "--dry-run", code=2).stderr, "a plan checks the model")
    check("--w0" in run("run", "--model", "plummer", "-n", "1e9", "--w0", "3", "--end", "1", "--dry-run", code=2).stderr, "a plan checks the options of the model")

    # a plan reads no bodies of a file with more than 100,000, in any format
    def smaller():
        resource.setrlimit(resource.RLIMIT_DATA, (1 << 23, 1 << 23))

    endings = [".csv", ".tipsy", ".hdf5"] if "HDF5: yes" in run("--version").stdout else [".csv", ".tipsy"]
    run("model", "uniform-cube", "-n", "100001", "--softening", "0.1", "-o", path("many.tipsy"))
    for ending in endings:
        if ending != ".tipsy":
            run("convert", path("many.tipsy"), path("many" + ending))
        for step, expected in (([], None), (["--step", "0.125"], 8)):
            process = subprocess.run([KYOHO, "run", path("many" + ending), "--end", "1", *step, "--engine", "cpu", "--threads", "1", "--dry-run", "--json"],
                                     capture_output=True, text=True, timeout=60, preexec_fn=smaller)
            plan = json.loads(process.stdout) if process.returncode == 0 else {}
            check(plan.get("n") == 100001 and plan["step"] == (0.125 if step else None) and (not step or plan["steps"] == expected),
                  f"a plan for many bodies in {ending} in 8 megabytes, {'with' if step else 'without'} a step", process.stderr + str(plan))

    # --threads counts for all that a run does
    with start("--model", "plummer", "-n", "50000", "--engine", "cpu", "--softening", "0.1", "--step", "0.01", "--steps", "1", "--threads", "1", "--quiet", "--output", path("one"),
               env=dict(os.environ, OMP_NUM_THREADS="3")) as process:
        most = 0
        while process.poll() is None:
            try:
                most = max(most, len(os.listdir(f"/proc/{process.pid}/task")))
            except OSError:  # it has ended, or the system has no /proc
                pass
            time.sleep(0.001)
    check(process.returncode == 0 and most <= 1, "--threads 1 starts no other thread", most)
finish()
