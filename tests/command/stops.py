#!/usr/bin/env python3
# A run that stops when two bodies are near, when one escapes or leaves a box: exit code 6, a line that says why, and --resume.
import json
import math
import os
import signal
import shutil
import subprocess
import time

from tap import KYOHO, check, finish, folder, run, run_json, wait_for

# Ids 3 and 7 fall towards each other from rest and pass at a distance; 9 leaves along x with the speed 3, from 20 on.
BODIES = """id,mass,x,y,z,vx,vy,vz{0}
3,0.5,-1,0,0,0,0.1,0{1}
7,0.5,1,0,0,0,-0.1,0{2}
9,0,20,0,0,3,0,0{3}
"""
STEP = 1 / 128
MOVES = ["--softening", "0", "--force", "direct", "--step", STEP, "--end", "4", "--every", "0.5", "--engine", "cpu", "--quiet"]


def about(where):
    return json.load(open(os.path.join(where, "run.json")))


with folder() as top:
    def path(name):
        return os.path.join(top, name)

    def rows(where, count):
        """The bodies of a snapshot as text with all digits."""
        ending = next(name.rsplit(".", 1)[1] for name in os.listdir(where) if name.startswith("snapshot_0000"))
        run("convert", os.path.join(where, f"snapshot_{count:04}.{ending}"), path("scratch.csv"), "--overwrite", "--quiet")
        return [line for line in open(path("scratch.csv")).read().splitlines() if not line.startswith("#")]

    with open(path("bare.csv"), "w") as file:
        file.write(BODIES.format("", "", "", ""))
    with open(path("round.csv"), "w") as file:
        file.write(BODIES.format(",radius", ",0.3", ",0.2", ",0"))
    run("run", path("bare.csv"), *MOVES, "--output", path("plain"))
    run("run", path("round.csv"), *MOVES, "--output", path("round"))

    # the time of a stop, and the words of its line; 9 is at 25 and more after 5/3
    escape = -(-5 / 3 // STEP) * STEP
    cases = (("collision", ["--stop-collision"], "round.csv", ["a collision of bodies 3 and 7", "sum of their radii 0.5"], None),
             ("radius", ["--stop-collision", "--body-radius", "0.25"], "bare.csv", ["bodies 3 and 7", "sum of their radii 0.5"], None),
             ("pair", ["--stop-pair", "0.5"], "bare.csv", ["the pair of bodies 3 and 7", "--stop-pair 0.5"], None),
             ("escape", ["--stop-escape", "25"], "bare.csv", ["the escape of body 9", "--stop-escape 25"], escape),
             ("box", ["--stop-box", "50"], "bare.csv", ["body 9 outside the box", "--stop-box 50"], escape))
    near = []
    for name, words, bodies, said, when in cases:
        where = path(name)
        stopped = run("run", path(bodies), *MOVES, *words, "--output", where, code=6, name=f"--stop of {name} exits with 6")
        line = stopped.stderr.strip().split("\n")[-1]  # after a warning about the step
        told = about(where)
        check(all(word in line for word in said) and "--resume" in line and f"at time {told['time']:.10g}" in line,
              f"{name}: a line says which bodies, when and at what distance", line)
        check(told["outcome"] == "stopped early" and all(word in told["reason"] for word in said) and told["resume"]["time"] == told["time"],
              f"{name}: run.json says so too", told["reason"])
        if when is None:
            near.append(told["time"])
        else:
            check(told["time"] == when, f"{name}: in the first step behind the limit", told["time"])
        asked = words[0][2:]
        check(told["options"][asked] == (asked == "stop-collision" or float(words[1])), f"{name}: run.json has the option", told["options"][asked])
        before = len([row for row in os.listdir(where) if row.startswith("snapshot_")])
        again = run("run", "--resume", where, "--quiet")
        check(about(where)["outcome"] == "done" and again.returncode == 0, f"{name}: --resume goes on to the end")
        whole = path("round" if bodies == "round.csv" else "plain")
        energies = [[row.rsplit(",", 1)[0] for row in open(os.path.join(one, "energy.csv")).read().splitlines()] for one in (where, whole)]
        check(before < 9 and all(rows(where, k) == rows(whole, k) for k in range(9)) and energies[0] == energies[1],
              f"{name}: as a run that never stopped, bit for bit, with every row and snapshot")
    check(near[0] == near[1] == near[2] and 3 < near[0] < 3.2, "the same distance by radii and by --stop-pair stops in the same step", near)

    # a stop at the very time of a snapshot loses neither this nor its row; nor does a stop in the last step
    run("run", path("bare.csv"), *MOVES, "--stop-box", "42.99", "--output", path("at"), code=6)
    check(about(path("at"))["time"] == 0.5 and rows(path("at"), 1) == rows(path("plain"), 1), "a stop at the time of a snapshot writes it")
    far = next(float(row.split(",")[2]) for row in rows(path("plain"), 8) if row.startswith("9,"))
    run("run", path("bare.csv"), *MOVES, "--stop-box", 2 * far - 0.01, "--output", path("last"), code=6)
    run("run", "--resume", path("last"), "--quiet")
    check(about(path("last"))["outcome"] == "done" and rows(path("last"), 8) == rows(path("plain"), 8), "a stop in the last step, and --resume ends the run")
    for more in ([], ["--overwrite"]):  # which makes the first step before it removes the old results
        once = run("run", path("bare.csv"), *MOVES[:6], "--steps", "1", "--engine", "cpu", "--quiet", "--stop-box", "1", "--output", path("once"), *more, code=6)
        check("body 9 outside the box" in once.stderr and about(path("once"))["outcome"] == "stopped early",
              " ".join(["a stop in the only step of a run", *more]), once.stderr)

    # several conditions stop one after the other
    run("run", path("round.csv"), *MOVES, "--stop-collision", "--stop-box", "50", "--stop-pair", "0.2", "--output", path("several"), code=6)
    reasons = [about(path("several"))["reason"]]
    while about(path("several"))["outcome"] != "done" and len(reasons) < 9:
        run("run", "--resume", path("several"), "--quiet", code=None)
        reasons.append(about(path("several"))["reason"] or "done")
    check([next(word for word in ("box", "collision", "pair", "done") if word in reason) for reason in reasons] == ["box", "collision", "pair", "done"],
          "several conditions stop a run each once", reasons)

    # a run.json repeats a run with its conditions
    run("run", path("collision/run.json"), "--output", path("repeated"), "--quiet", code=6)
    check(about(path("repeated"))["time"] == near[0], "run.json repeats the run with its stop")

    # steps of the bodies' own
    for integrator, more in (("block", ["--step-length", "0.01"]), ("hermite4", [])):
        words = [*MOVES, "--integrator", integrator, *more, "--stop-pair", "0.5"]
        run("run", path("bare.csv"), *words, "--output", path(integrator), code=6)
        check(abs(about(path(integrator))["time"] - near[0]) < 0.02, f"{integrator} stops at that time too", about(path(integrator))["time"])

    # Two of the bodies are a tight pair, so that a longest step takes seconds: every kind of stop ends the run within the step.
    def tight(separation, others):
        speed = (2 * 0.01 / separation) ** 0.5 / 2
        rows = [f"0,0.01,{0.5 + separation / 2!r},0,0,0,{speed!r},0", f"1,0.01,{0.5 - separation / 2!r},0,0,0,{-speed!r},0"]
        return "\n".join(["id,mass,x,y,z,vx,vy,vz", *rows, *(f"{k},0.06,{math.cos(k)!r},{math.sin(k)!r},{k / 50},0,0,{0.3 * (-1) ** k}" for k in range(2, 2 + others))]) + "\n"

    def used(process):
        """Seconds of processor of a run; infinite once it has ended. It takes 0.01 to begin, on a busy machine too."""
        try:
            with open(f"/proc/{process.pid}/stat") as file:
                return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK") if process.poll() is None else math.inf
        except FileNotFoundError:
            return time.sleep(0.2) or math.inf

    def stop_by(words, deed):
        """Runs kyoho, calls `deed` once the run has begun, and returns the last line of kyoho."""
        process = subprocess.Popen([KYOHO, *map(str, words)], stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        wait_for(lambda: os.path.exists(os.path.join(where, "restart.kyo")) and used(process) > 0.15, "the run is within its step")
        deed(process)
        try:
            said = process.communicate(timeout=60)[1]
        except subprocess.TimeoutExpired:
            process.kill()
            said = process.communicate()[1] + "the run did not end"
        return said if process.returncode == 6 else f"exit {process.returncode}: {said}"

    where = path("tight")
    with open(path("tight.csv"), "w") as file:
        file.write(tight(1.2e-5, 4))
    slow = ["run", path("tight.csv"), "--softening", "0", "--integrator", "hermite4", "--step", 1 / 32, "--end", 1 / 32, "--every", 1 / 32, "--engine", "cpu", "--threads", "1", "--quiet"]
    again = ["run", "--resume", where, "--quiet"]

    def stop_anew(words, deed):
        """stop_by of the run from its beginning."""
        shutil.rmtree(where, ignore_errors=True)
        return stop_by([*slow, "--restart-every", "0.1", "--output", where, *words], deed)

    def stop_by_clock():
        """--max-wall within the step. A busy machine may not have begun it after half a second, and gets more."""
        for seconds in (0.5, 2, 8):
            line = stop_anew(["--max-wall", seconds], lambda process: None)
            if "within a longest step" in line:
                break
        return line

    def stop_by_file():
        """The file is looked for once a second: what two other stops leave of the step may be shorter."""
        return stop_anew([], lambda process: open(os.path.join(where, "stop"), "w").close())

    for name, stopped in (("--max-wall", stop_by_clock), ("SIGTERM", lambda: stop_by(again, lambda process: process.terminate())),
                          ("a file named stop", stop_by_file)):
        line = stopped()
        check("within a longest step" in line and "bodies 0 and 1, " in line and "apart, need steps of " in line and "--resume" in line and "at time 0;" in line,
              f"{name} ends a run within its longest step, and the line names the pair", line)
        check("within a longest step" in about(where)["reason"] and about(where)["outcome"] == "stopped early", f"{name}: run.json says so too", about(where)["reason"])
    run(*again)
    run(*slow, "--output", path("whole"))
    told = [[rows(one, 1), [row.rsplit(",", 1)[0] for row in open(os.path.join(one, "energy.csv"))]] for one in (path("whole"), where)]
    check(len(told[0][1]) > 2 and told[1] == told[0], "stopped three times within a step, and with restart files within it, a run has the bits of one that never stopped")

    # what is refused, before anything is written
    for words, said in ((["--stop-collision"], ["--body-radius", "Radius"]), (["--stop-pair", "0"], ["--stop-pair", "above 0"]),
                        (["--stop-pair", "-1"], ["--stop-pair", "above 0"]), (["--stop-box", "-1"], ["--stop-box", "above 0"]), (["--stop-pair", "nan"], ["--stop-pair"]), (["--stop-box", "inf"], ["--stop-box"]),
                        (["--stop-box", "0"], ["--stop-box", "above 0"]), (["--stop-escape", "-2"], ["--stop-escape"]),
                        (["--body-radius", "0.1"], ["--stop-collision"]), (["--stop-collision", "--body-radius", "-0.1"], ["body-radius"])):
        for dry in ([], ["--dry-run"]):
            refused = run("run", path("bare.csv"), *MOVES, *words, "--output", path("refused"), *dry, code=2)
            check(all(word in refused.stderr for word in said) and refused.stderr.count("\n") == 1 and not os.path.exists(path("refused")),
                  f"{' '.join(words + dry)} is refused", refused.stderr)
    run("run", path("round.csv"), *MOVES, "--stop-collision", "--dry-run", "--output", path("refused"))
    run("run", "--resume", path("plain"), "--stop-pair", "0.5", code=2)
    said = run("run", path("bare.csv"), *MOVES, "--stop-collision", "--body-radius", "1e308", "--output", path("huge"), code=6).stderr
    check("sum of their radii over 1.79769e+308)" in said, "radii whose sum no number holds", said)
    for count in (1, 2):
        with open(path("few.csv"), "w") as file:
            file.write("".join(BODIES.format(",radius", ",0", ",0", ",0").splitlines(keepends=True)[:1 + count]))
        run("run", path("few.csv"), *MOVES, "--stop-collision", "--stop-pair", "1e-9", "--stop-escape", "100", "--stop-box", "100", "--output", path(f"few{count}"))
    check(about(path("few1"))["outcome"] == about(path("few2"))["outcome"] == "done", "one body, and two without radii, run to the end")

    # radii in files
    run("convert", path("round.csv"), path("copy.csv"), "--quiet")
    check(open(path("copy.csv")).read().count("radius") == 1, "convert keeps radii")
    units = run_json("run", path("round.csv"), *MOVES, "--units", "cluster", "--stop-pair", "0.5pc", "--dry-run", code=0)
    check(units["n"] == 3, "distances may have units")
finish()
