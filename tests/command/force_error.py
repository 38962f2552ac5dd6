#!/usr/bin/env python3
# --error and --force auto in the command: what is said, refused and stored; resumptions bit for bit; run.json repeats the force that was chosen.
import json
import os
import re

from tap import check, finish, folder, run, run_json, skip

CPU = ["--engine", "cpu", "--model", "plummer"]


def about(where):
    return json.load(open(os.path.join(where, "run.json")))


with folder() as top:
    def path(*names):
        return os.path.join(top, *names)

    def state(where):
        names = sorted(name for name in os.listdir(path(where)) if name.startswith("snapshot_"))
        run("convert", path(where, names[-1]), path("state.csv"), "--overwrite", "--quiet")
        return [line for line in open(path("state.csv")) if not line.startswith("#|")]

    # the first line says what was chosen and why
    first = run("force", *CPU, "-n", "13000", "--error", "2e-3").stdout.splitlines()[0]
    check(first.startswith("--force fmm --order 4 --alpha ") and "for --error 0.002" in first and "sampled accelerations within" in first, "force: the first line", first)
    first = run("force", *CPU, "-n", "500").stdout.splitlines()[0]
    check(re.fullmatch(r"--force direct for 500 bodies on this engine, the fastest below \d+ bodies", first) is not None, "force: the first line without an error", first)
    first = run("force", *CPU, "-n", "500", "--theta", "0.5").stdout.splitlines()[0]
    check(first == "--force tree --opening offset --theta 0.5", "force: the first line of a force that options choose", first)
    said = run_json("force", *CPU, "-n", "4000", "--force", "tree", "--error", "1e-3", "--check", "4000")
    choice = said["error_choice"]
    check(said["force"] == "tree" and choice["asked"] == 1e-3 and choice["samples"] == said["n"] and 3e-4 < said["error"]["p99"] <= 1e-3
          and abs(choice["measured"] / said["error"]["p99"] - 1) < 0.5 and said["chosen"].startswith("--force tree --alpha"), "force --json", said)
    # and can be copied
    for words, has in [(["--error", "2e-3", "--force", "fmm"], "--force fmm --order 4 --alpha "), (["--error", "1e-9"], "--force direct --precision double"), (["--error", "1e-6", "--force", "fmm"], " --precision double"),
                       (["--error", "1e-3", "--mutual"], " --mutual"), (["--error", "1e-3", "--force", "direct", "--precision", "single"], "--force direct --precision single"),
                       (["--error", "1e-2", "--leaf", "8", "--curve", "none", "--group", "16"], " --curve none --leaf 8 --group 16"), (["--precision", "double"], "--force direct --precision double")]:
        said = run_json("force", *CPU, "-n", "3000", "--check", "500", *words)
        copied = said["chosen"].split(" for ")[0]
        again = run_json("force", *CPU, "-n", "3000", "--check", "500", *copied.split())
        check(has in copied and all(said[name] == again[name] for name in ("force", "precision", "interactions", "error", "error_potential")), f"the line of {' '.join(words)} gives the same again", (said, again))
    first = run("force", *CPU, "-n", "500", "--mutual").stdout.splitlines()[0]
    check(first == "--force fmm --order 4 --alpha 0.0005 --mutual", "force: the first line has --mutual", first)
    for words, force in [(["--multipole", "2"], "tree"), (["--group", "64"], "tree"), (["--opening", "relative"], "tree"), (["--order", "4"], "fmm"),
                         (["--order", "4", "--alpha", "0.01"], "fmm"), ([], "direct"), (["--force", "auto"], "direct")]:
        said = run_json("force", *CPU, "-n", "100", *words)
        check(said["force"] == force, f"{' '.join(words)}: {force}, even where the value is the default", said)
    for words, says in [(["--error", "1e-3", "--alpha", "0.005"], "--alpha"), (["--error", "1e-3", "--theta", "0.7"], "--theta"), (["--error", "1e-3", "--order", "4"], "--order"),
                        (["--error", "1e-3", "--opening", "offset"], "--opening"), (["--theta", "0.5", "--order", "4"], "--order is for --force fmm, which does not use --theta: leave out one"),
                        (["--error", "0"], "out of range"),
                        (["--error", "1e-9", "--force", "tree"], "or --force direct\n"), (["--error", "1e-9", "--mutual"], "--error 1e-09: the smallest error of --mutual is 3e-08; give a larger --error, or --force direct without --mutual"),
                        (["--force", "tree", "--mutual"], "--mutual has no effect with --force tree"),
                        (["--error", "1e-7", "--precision", "single"], "leave out")]:
        process = run("force", *CPU, "-n", "100", *words, code=2)
        check(says in process.stderr and process.stderr.count("\n") == 1, f"refused: {' '.join(words)}", process.stderr)
    if any(device["engine"] == "opencl:0" and device["usable"] for device in run_json("devices")["devices"]):
        for words in [], ["--force", "fmm"]:
            process = run("force", "--model", "plummer", "-n", "100", "--engine", "opencl:0", "--tree", "host", *words, code=3)
            check(process.stderr == "kyoho force: --tree host is for --force walk and list: give one of these, or leave out --tree\n",
                  f"refused on a device, by what was given alone: {' '.join(['--tree host', *words])}", process.stderr)
    else:
        skip("refused on a device: --tree host --force fmm", "no OpenCL device here")
    if not any(device["engine"] != "cpu" and device["usable"] and not device["on_cpu"] for device in run_json("devices")["devices"]):
        process = run("force", "--model", "plummer", "-n", "100", "--tree", "host", code=3)
        check(process.stderr == "kyoho force: --tree is for devices, not for engine cpu: leave out --tree, or name a device with --engine\n",
              "refused where auto takes the CPU: --tree host", process.stderr)
    for n, why in ("3000", "the fastest here"), ("90", "which keeps it in this precision"):
        said = run_json("force", *CPU, "-n", n, "--error", "3e-5", "--precision", "single", "--check", "1000")
        check(said["force"] in ("tree", "fmm") and said["error"]["p99"] <= 3e-5 and why in said["chosen"], f"cells where the exact sum does not keep the error in the precision, {n} bodies", said)
    said = run_json("force", *CPU, "-n", "1000", "--error", "1e-9", "--check", "1000")
    check(said["force"] == "direct" and said["precision"] == "double" and said["error"]["p99"] < 1e-9, "an error below what floats hold takes double", said)
    for n in "1", "2":
        check(run_json("force", *CPU, "-n", n, "--softening", "0.1", "--error", "1e-3")["force"] == "direct", f"{n} of a model")

    # of methods that take about the same time auto measures each
    said = run_json("force", *CPU, "-n", "2600", "--error", "1e-2")
    times = [float(time) for time in re.findall(r"([0-9.e+-]+) ms", said["chosen"])]
    check("the fastest here: " in said["chosen"] and len(times) in (2, 3) and all(times[0] < 1.06 * time for time in times) and said["force"] in ("direct", "tree", "fmm"), "auto measures methods that take about the same time", said["chosen"])
    copied = said["chosen"].split(" for ")[0].split()
    check(run_json("force", *CPU, "-n", "2600", *copied)["force"] == said["force"], "and its line can be copied", said["chosen"])

    # a run stores what was chosen, and is the same as one with these options
    words = [*CPU, "-n", "3000", "--force", "fmm", "--step", "0.0625", "--every", "0.25"]
    told = run("run", *words, "--error", "1e-3", "--end", "0.5", "--output", path("whole"))
    stored = about(path("whole"))
    options = stored["options"]
    check(any(line.startswith("--force fmm --order 4 --alpha") for line in told.stderr.splitlines()), "run: it is said", told.stderr)
    check("sampled accelerations within" in open(path("whole", "run.log")).read(), "run.log has it")
    check(options["force"] == "fmm" and options["order"] == 4 and options["alpha"] > 0 and options.get("error") is None
          and stored["error"]["asked"] == 1e-3 and 3e-4 < stored["error"]["measured"] <= 1e-3, "run.json has the parameters in force, and the error", (options, stored["error"]))
    run("run", *words, "--order", "4", "--alpha", repr(options["alpha"]), "--end", "0.5", "--output", path("named"), "--quiet")
    check(state("named") == state("whole"), "a run with the options that were chosen is the same, bit for bit")
    run("run", path("whole", "run.json"), "--output", path("again"), "--quiet")
    check(state("again") == state("whole") and about(path("again"))["options"] == options, "run.json repeats it without measuring")
    text = run("run", path("whole", "run.json"), "--error", "1e-2", "--alpha", "0.01", "--output", path("no"), code=2).stderr
    check("give one of the two" in text, "run.json with --error and --alpha is refused", text)
    run("run", path("whole", "run.json"), "--error", "1e-2", "--output", path("coarse"), "--quiet")
    check(about(path("coarse"))["error"]["asked"] == 1e-2 and about(path("coarse"))["options"]["alpha"] > options["alpha"], "run.json with another error", about(path("coarse"))["options"])
    for more, alpha in [(["--force", "tree"], 0.005), (["--order", "2"], 0.0001), (["--force", "fmm", "--alpha", "0.003"], 0.003)]:
        run("run", path("whole", "run.json"), *more, "--end", "0.25", "--output", path("other" + "".join(more).strip("-")), "--quiet")
        check(about(path("other" + "".join(more).strip("-")))["options"]["alpha"] == alpha, f"run.json with {' '.join(more)}: tolerances of the file are those of its own force and order", about(path("other" + "".join(more).strip("-")))["options"])
    for more, force in [([], "direct"), (["--order", "4"], "fmm"), (["--error", "1e-9"], "direct")]:
        run("run", path("whole", "run.json"), "--force", "auto", *more, "--end", "0.25", "--output", path("auto", *more), "--quiet")
        check(about(path("auto", *more))["options"]["force"] == force, f"run.json with --force auto {' '.join(more)}: {force}", about(path("auto", *more))["options"])
    run("run", *words, "--mutual", "--end", "0.25", "--output", path("mutual"), "--quiet")
    for where, more, says in [("whole", ["--theta", "0.5"], "--theta has no effect with --force fmm"),
                              ("whole", ["--force", "direct", "--group", "32"], "--group has no effect with --force direct"), ("mutual", ["--leaf", "8"], "--leaf has no effect with --mutual")]:
        text = run("run", path(where, "run.json"), *more, "--output", path("no"), code=2).stderr
        check(says in text and text.count("\n") == 1, f"run.json of {where} with an option that has no effect: {' '.join(more)}", text)
    for more, force in [(["--mutual=no", "--leaf", "8"], "fmm"), (["--force", "auto", "--leaf", "8"], "tree"), (["--force", "auto", "--mutual=no"], "direct"),
                        (["--force", "walk", "--mutual=no"], "walk")]:
        run("run", path("mutual", "run.json"), *more, "--output", path(force), "--quiet")
        check(about(path(force))["options"]["force"] == force and about(path(force))["options"]["leaf"] == (8 if "8" in more else 16), f"run.json of mutual with {' '.join(more)}", about(path(force))["options"])
    run("run", *words, "--error", "1e-3", "--end", "0.25", "--output", path("part"), "--quiet")
    resumed = run("run", "--resume", path("part"), "--end", "0.5")
    check(state("part") == state("whole") and "--force" not in resumed.stderr, "a resumed run does not choose again and is the same, bit for bit", resumed.stderr)
    check(about(path("part"))["error"] == stored["error"] and about(path("part"))["options"]["alpha"] == options["alpha"], "it still has the error")
    text = run("run", "--resume", path("part"), "--end", "0.75", "--error", "1e-2", code=2).stderr
    check("cannot be combined with --resume" in text, "no other error beside --resume", text)

    # auto: the method is stored, not the word
    for n, force in [(300, "direct"), (6000, "fmm")]:
        run("run", *CPU, "-n", n, "--step", "0.0625", "--end", "0.0625", "--output", path("of", force), "--quiet")
        check(about(path("of", force))["options"]["force"] == force and about(path("of", force))["error"] is None, f"{n} bodies: {force} is stored", about(path("of", force))["options"])
    run("run", "--resume", path("of", "fmm"), "--end", "0.125", "--quiet")
    check(about(path("of", "fmm"))["options"]["force"] == "fmm", "a resumed run keeps its method")
    run("run", *CPU, "-n", "300", "--integrator", "hermite4", "--end", "0.0625", "--output", path("hermite"), "--quiet")
    check(about(path("hermite"))["options"]["force"] == "direct", "hermite4 takes the exact sum")
    # beside a run.json too, whatever its force and precision
    for k, (words, more, precision, warned) in enumerate([(["--force", "fmm"], [], "double", 1), (["--mutual"], [], "double", 1), (["--force", "direct", "--precision", "single"], [], "double", 1),
                                                          (["--force", "direct", "--precision", "single"], ["--precision", "double"], "double", 0), (["--force", "tree", "--precision", "double"], [], "double", 1),
                                                          (["--force", "direct", "--precision", "double"], [], "double", 0), (["--force", "direct"], [], "extended", 0)]):
        run("run", *CPU, "-n", "100", *words, "--step", "0.0625", "--steps", "1", "--output", path(f"leap{k}"), "--quiet")
        said = run("run", path(f"leap{k}", "run.json"), "--integrator", "hermite4", *more, "--output", path(f"hermite{k}"), "--quiet").stderr
        options = about(path(f"hermite{k}"))["options"]
        check(options["force"] == "direct" and options["precision"] == precision and not options["mutual"] and said.count("force, tolerances and precision of the file are ignored") == warned,
              f"hermite4 beside run.json of {' '.join(words)} {' '.join(more)}", (options, said))
    for more, says in [(["--precision", "single"], "single precision is not accurate enough: give --precision extended or double"), (["--force", "tree"], "give --force direct"), (["--theta", "0.5"], "give --force direct")]:
        said = run("run", path("leap0", "run.json"), "--integrator", "hermite4", *more, "--output", path("no"), code=2).stderr
        check(says in said, f"hermite4 beside run.json with {' '.join(more)} is refused", said)

    # memory
    few, many = (run_json("run", *CPU, "-n", n, "--step", "0.0625", "--end", "1", "--output", path("dry"), "--dry-run", "--error", "1e-3") for n in ("10000", "1000000"))
    check("--force fmm --order 4" in many["choice"] and "--error 0.001" in many["choice"], "--dry-run says what would be chosen", many["choice"])
    plan = run_json("force", *CPU, "-n", "1000000", "--dry-run", "--error", "1e-3")
    check(plan["choice"] == many["choice"], "and so does that of force", plan["choice"])
    check(run_json("force", *CPU, "-n", "1000", "--dry-run", "--force", "tree")["choice"] is None, "where there is something to choose")
    named = run_json("run", *CPU, "-n", "1000000", "--step", "0.0625", "--end", "1", "--output", path("dry"), "--dry-run", "--force", "fmm")
    check(many["host_bytes"] >= named["host_bytes"] > few["host_bytes"], "--dry-run counts the forces beside the bodies", (few, many, named))
finish()
