#!/usr/bin/env python3
# `kyoho run run.json` repeats a run, bit for bit.
import json
import os
import subprocess

from tap import KYOHO, check, finish, folder, run

QUICK = ["--end", "0.5", "--every", "0.25", "--quiet"]


def about(where):
    return json.load(open(os.path.join(where, "run.json")))


def results(where, scratch):
    """The rows of energy.csv without the seconds on the clock, and all bodies with all digits."""
    rows = [row.rsplit(",", 1)[0] for row in open(os.path.join(where, "energy.csv")).read().splitlines()]
    bodies = []
    for name in sorted(os.listdir(where)):
        if name.startswith("snapshot_") and name.endswith((".hdf5", ".tipsy")):
            run("convert", os.path.join(where, name), scratch, "--overwrite", "--quiet")
            bodies.append([line for line in open(scratch).read().splitlines() if not line.startswith("#|")])
    return rows, bodies


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    def repeats(name, *words, cwd=None):
        run("run", path(name + "/run.json"), "--output", path("again"), "--overwrite", "--quiet", *words, cwd=cwd)
        first, second = results(path(name), path("scratch.csv")), results(path("again"), path("scratch.csv"))
        one, other = about(path(name)), about(path("again"))
        check(first == second and one["options"] == other["options"] and one["bodies_hash"] == other["bodies_hash"], f"run.json repeats {name}",
              {key: (value, other["options"].get(key)) for key, value in one["options"].items() if value != other["options"].get(key)})

    # models with options of their own, every interval, other forces
    run("run", "--model", "king", "-n", "300", "--w0", "5", "--seed", "12345678901234567890", "--softening", "0.05", "--at", "0.1,0.35",
        "--energy-every", "0.05", "--theta", "0.55", *QUICK, "--output", path("king"))
    repeats("king")
    options = about(path("king"))["options"]
    check(options["theta"] == 0.55 and options["seed"] == 12345678901234567890 and options["bodies"] == 300 and options["w0"] == 5
          and options["compress"] is False and options["force"] == "tree" and options["energy-every"] == 0.05
          and options["leaf"] == 16 and "output" not in options, "run.json holds numbers as numbers", options)
    check(about(path("king"))["units"] == {"length_cm": 0, "mass_g": 0, "velocity_cm_s": 0, "g": 1}, "run.json has the units")
    run("run", "--model", "two-body", "--eccentricity", "0.3", "--step", "0.01", "--steps", "20", "--softening", "0", "--force", "direct", "--g", "1", "--quiet",
        "--output", path("pair"))
    repeats("pair")
    run("run", "--model", "plummer", "-n", "100", "--softening", "0.1", "--step", "-0.03125", "--steps", "8", "--opening", "relative", "--quiet",
        "--output", path("back"))
    repeats("back")

    run("run", "--model", "hernquist", "-n", "300", "--softening", "0.1", "--integrator", "block", "--eta", "0.15", "--step-max", "0.07", "--step-min", "0.001",
        "--engine", "cpu", *QUICK, "--output", path("block"))
    repeats("block")
    run("run", "--model", "plummer", "-n", "100", "--softening", "0", "--force", "direct", "--integrator", "hermite4", "--eta", "0.03", "--corrections", "2",
        "--step-max", "0.07", "--step-min", "1e-9", "--precision", "double", "--engine", "cpu", *QUICK, "--output", path("hermite4"))
    repeats("hermite4")

    # files by a relative name, from another folder, with softenings of the bodies' own, and with units
    run("model", "plummer", "-n", "200", "--softening", "0.1", "-o", path("in.csv"))
    rows = [line for line in open(path("in.csv")).read().splitlines() if not line.startswith("#")]
    with open(path("own.csv"), "w") as own:
        own.write(rows[0] + ",softening\n" + "".join(f"{row},{0.05 + 0.001 * k}\n" for k, row in enumerate(rows[1:])))
    run("run", "in.csv", "--softening", "0.1", *QUICK, "--output", "file", cwd=top)
    repeats("file", cwd="/")
    check(about(path("file"))["options"]["input"] == os.path.realpath(path("in.csv")) and about(path("file"))["origin"] == "in.csv",
          "an input is named by its whole path", about(path("file"))["options"])
    run("run", "--input", path("own.csv"), "--softening-kind", "symmetric", "--step", "0.015625", *QUICK, "--output", path("own"))
    repeats("own")
    run("run", "--model", "plummer", "-n", "200", "--units", "cluster", "--mass", "1000", "--radius", "2", "--steps", "4", "--quiet", "--output", path("units"))
    repeats("units")

    run("run", "--model", "two-body", "--eccentricity", "0.5", "--end", "0.5", "--quiet", "--output", path("two"))
    repeats("two")
    check(about(path("two"))["seed"] is None, "two bodies have no seed")

    # a run that was stopped, and resumed to a later end
    run("run", "--model", "plummer", "-n", "200", "--softening", "0.1", "--step", "0.015625", *QUICK, "--at", "0.125", "--output", path("whole"))
    run("run", "--model", "plummer", "-n", "200", "--softening", "0.1", "--step", "0.015625", "--end", "0.25", "--every", "0.25", "--at", "0.125", "--quiet",
        "--output", path("part"))
    run("run", "--resume", path("part"), "--end", "0.5", "--quiet")
    check(about(path("part"))["options"] == about(path("whole"))["options"], "run.json of a resumed run is that of the whole run")
    repeats("part")

    # a run that is resumed beyond its end: the first end is then one of its times of snapshots
    run("run", "--model", "plummer", "-n", "100", "--softening", "0.1", "--step", "0.0625", "--end", "0.25", "--quiet", "--output", path("further"))
    for end in ("0.5", "1"):
        run("run", "--resume", path("further"), "--end", end, "--quiet")
    check(about(path("further"))["at"] == [0.25, 0.5] and about(path("further"))["snapshots"] == 4, "the ends that a run had are times of snapshots", about(path("further")))
    repeats("further")

    # times within a step, and a run that stops within a step
    divided = ["run", "--model", "plummer", "-n", "100", "--softening", "0.1", "--step", "0.0625", "--shorten", "--quiet"]
    run(*divided, "--end", "0.4", "--at", "0.3,0.28", "--output", path("divided"))
    snapshot_times = [row.split(",")[0] for row in results(path("divided"), path("scratch.csv"))[0][1:]]
    check({"0.28", "0.3", "0.4"} <= {f"{float(time):.6g}" for time in snapshot_times} and about(path("divided"))["steps"] == 9 and
          about(path("divided"))["body_steps"] == 900, "--shorten: snapshots within a step, which is completed", about(path("divided")))
    repeats("divided")
    run(*divided, "--end", "0.3", "--at", "0.28", "--output", path("within"))
    run("run", "--resume", path("within"), "--end", "0.4", "--quiet")
    check(results(path("within"), path("scratch.csv")) == results(path("divided"), path("scratch.csv")), "a run that stopped within a step goes on as if it had not")
    process = run(*[word for word in divided if word != "--shorten"], "--end", "0.4", "--output", path("refused"), code=2)
    check("no step ends at 0.4" in process.stderr and "0.375 and 0.4375" in process.stderr, "without --shorten it is refused", process.stderr)

    # awkward file names, standard input, a snapshot in several files
    run("model", "plummer", "-n", "50", "--softening", "0.1", "-o", path("new\nl\\ine\\n.csv"))
    run("run", "new\nl\\ine\\n.csv", *QUICK, "--output", "newline", cwd=top)
    repeats("newline", cwd="/")
    command = [KYOHO, "run", "--input", "-", *QUICK, "--output", path("piped")]
    with open(path("new\nl\\ine\\n.csv")) as bodies:
        check(subprocess.run(command, stdin=bodies).returncode == 0 and about(path("piped"))["options"]["input"] == "-", "a run of standard input")
    command = [KYOHO, "run", path("piped/run.json"), "--quiet", "--output", path("again"), "--overwrite"]
    with open(path("new\nl\\ine\\n.csv")) as bodies:
        process = subprocess.run(command, stdin=bodies)
    check(process.returncode == 0 and results(path("piped"), path("scratch.csv")) == results(path("again"), path("scratch.csv")),
          "run.json repeats a run of standard input with the same bodies")
    with open(path("in.csv")) as bodies:
        process = subprocess.run(command, stdin=bodies, capture_output=True, text=True)
    check(process.returncode == 4 and "standard input has changed" in process.stderr, "other bodies on standard input are refused", process.stderr)
    if "HDF5: yes" in run("--version").stdout:
        run("convert", path("in.csv"), path("several.0.hdf5"))
        run("run", "several", *QUICK, "--output", "pieces", cwd=top)
        repeats("pieces", cwd="/")

    # the command line has the last word
    run("run", path("whole/run.json"), "--end", "0.25", "--output", path("end"), "--quiet")
    run("run", path("whole/run.json"), "--steps", "16", "--output", path("steps"), "--quiet")
    check(about(path("end"))["time"] == 0.25 and about(path("steps"))["steps"] == 16, "--end or --steps in place of what run.json says")
    run("run", path("king/run.json"), "--seed", "2", "--output", path("other"), "--quiet")
    check(about(path("other"))["bodies_hash"] != about(path("king"))["bodies_hash"], "other bodies, when they are asked for")

    # an input that has changed is refused
    run("model", "plummer", "-n", "200", "--softening", "0.1", "--seed", "2", "-o", path("in.csv"), "--overwrite")
    refused = run("run", path("file/run.json"), "--output", path("changed"), code=4)
    check("changed" in refused.stderr and not os.path.exists(path("changed")), "an input that has changed is refused", refused.stderr)
    os.remove(path("in.csv"))
    check("in.csv" in run("run", path("file/run.json"), "--output", path("gone"), code=4).stderr, "an input that is gone is an error")

    # JSON files that are no run.json
    for text, says in [("", "JSON object"), ("[1]", "JSON object"), ("{}", '"options"'), ('{"options": {"tehta": 1}}', "did you mean theta"), ('{"options": {"theta": 1e9}}', "range"),
                       ('{"options": {"theta": "x"}}', "line 1: theta"), ('{"options": {"theta": 0.5}', "missing"), ('{"options": {"theta": 0.5}} x', "after the end"),
                       ('{"options": {\n"theta": .5}}', "line 2"),
                       ('{"options": {"end": 1,\n"end": 2}}', "line 2: end: is given twice"), ('{"options": ' + "[" * 100, "brackets")]:
        with open(path("bad.json"), "w") as out:
            out.write(text)
        refused = run("run", path("bad.json"), "--output", path("bad"), code=2)
        check(says in refused.stderr and refused.stderr.count("\n") == 1, f"refused: {text[:40]!r}", refused.stderr)
    with open(path("hand.json"), "w") as out:
        out.write('{"options": {"model": "plummer", "bodies": 50, "softening": 0.1, "step": 0.125, "end": 0.5, "every": null, "quiet": true}}')
    run("run", path("hand.json"), "--output", path("hand"))
    check(about(path("hand"))["steps"] == 4, "a JSON file that was written by hand starts a run")
finish()
