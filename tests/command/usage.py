#!/usr/bin/env python3
# The command line: help, options, exit codes, JSON, files that are not replaced, remarks and warnings.
import glob
import json
import os
import re
import shutil
import subprocess

from tap import KYOHO, check, finish, folder, run, run_json

COMMANDS = ["model", "run", "force", "info", "draw", "view", "convert", "merge", "neighbours", "density", "groups", "orbit", "field", "bench", "devices"]

# Options that every release keeps, with the same name in all commands.
PROMISED = {
    "model": "bodies seed mass radius units g softening output overwrite json help",
    "run": "input end step steps integrator force engine output every resume model bodies seed isa threads theta opening "
           "alpha cell multipole curve leaf group precision softening softening-kind energy-every restart-every "
           "max-wall dry-run overwrite units json view view-port view-bodies",
    "force": "check repeat output model bodies theta force engine json",
    "view": "max-wall view-port view-bodies json", "info": "json", "convert": "overwrite json", "draw": "output json", "bench": "json", "devices": "json",
    "neighbours": "radius lists output overwrite engine threads model bodies json",
    "density": "neighbours output overwrite engine threads model bodies json",
    "groups": "linking-length linking-fraction volume minimum types output overwrite engine threads model bodies json",
    "orbit": "field position velocity start end rows units g output overwrite json",
    "field": "field position time units g output overwrite json",
    "merge": "mass radius units g separation pericentre eccentricity output json",
}

top = run("--help")
check(all(re.search(rf"^  {name} ", top.stdout, re.M) for name in COMMANDS), "kyoho --help lists every command", top.stdout)
codes = " ".join(top.stdout[top.stdout.index("Exit codes: ") + 12:].split())
with open("docs/man/kyoho.1") as page, open("docs/command.md") as manual:
    check(codes == page.read().split(".SH EXIT STATUS\n")[1].split("\n.SH")[0], "--help and the man page name the same exit codes", codes)
    check(re.findall(r"\d(?= \w)", codes) == re.findall(r"^\| (\d) \|", manual.read(), re.M), "the manual has a line for each exit code")
version = run("--version")
check(re.match(r"kyoho \d+\.\d+\.\d+\n", version.stdout) and "HDF5" in version.stdout, "--version tells version and features")
examples = []
for name in COMMANDS:
    short, text = run(name, "--help").stdout, run(name, "--help", "--all").stdout
    found = re.findall(r"^  (kyoho .*)$", short.split("examples:")[1].split("\n\n")[0], re.M) if "examples:" in short else []
    examples += found
    names = set(re.findall(r"^  (?:-., |    )--([a-z0-9-]+)", text, re.M))
    check(found and len(short.splitlines()) <= 110 and all(len(line) <= 100 for line in short.splitlines())
          and len(short.splitlines()) <= len(text.splitlines()) and run("help", name, "--all").stdout == text,
          f"kyoho {name} --help is short, with an example; kyoho help {name} --all is the whole", short)
    unsaid = names - set(re.findall(r"--([a-z0-9-]+)", short))
    check("kyoho help model NAME" in short or not unsaid, f"the short help of {name} names every option", str(unsaid))
    missing = [o for o in PROMISED[name].split() if not re.search(rf"^  (-., |    )--{o}\b", text, re.M)]
    check(not missing and all(len(line) <= 100 for line in text.splitlines()),
          f"kyoho {name} --help lists its options in 100 columns", f"missing: {missing}")
    check(run("help", name).stdout == short == run("--help", name).stdout == run(name, "--nonsense", "3", "-h", "--end").stdout,
          f"kyoho help {name}, and --help beside anything")

plummer = run("model", "plummer", "--help").stdout
check("--cutoff" in plummer and "-n, --bodies" in plummer and "--w0" not in plummer and "king" not in plummer
      and run("help", "model", "plummer").stdout == plummer, "kyoho model plummer --help has its options alone", plummer)
check("plummer" in run("model", "plumer", "--help", code=2).stderr, "there is no help about an unknown model")
check("--seed" not in run("model", "two-body", "--help").stdout and run("model", "two-body", "--seed", "3", "-o", "none.csv", code=2).stderr.count("\n") == 1,
      "two-body draws nothing at random and takes no seed")
check("--cutoff" in run("model", "hernquist", "--help").stdout and "--radius" not in run("model", "two-body", "--help").stdout,
      "the help of a model has all options that it uses, and no others")
check("force" in run("help", "forc", code=2).stderr, "kyoho help of a misspelt command")

with folder() as where:  # as a user would run them: in an empty folder, one after the other
    for line in examples:
        done = subprocess.run(["sh", "-c", line], cwd=where, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                              env={**os.environ, "PATH": os.path.dirname(KYOHO) + os.pathsep + os.environ["PATH"]})
        check(done.returncode == 0, f"the example `{line}`", done.stderr)

completion = """. docs/completion/kyoho.bash
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
_kyoho
echo "${COMPREPLY[*]}" """
for words, says in [(["kyoho", "gr"], "groups"), (["kyoho", "run", "--expa"], "--expansion"), (["kyoho", "model", "jaf"], "jaffe"),
                    (["kyoho", "run", "--force", "tr"], "tree"), (["kyoho", "run", "--model", "=", "ki"], "king"),
                    (["kyoho", "help", "den"], "density"), (["kyoho", "help", "uni"], "units"), (["kyoho", "help", "model", "jaf"], "jaffe"), (["kyoho", "force", "--engine", "cu"], "cuda"), (["kyoho", "info", "--theta"], "")]:
    done = subprocess.run(["bash", "-c", completion, "bash", *words], capture_output=True, text=True)
    check(done.stdout.strip() == says and not done.stderr, f"bash completes {words[1:]}", done.stdout + done.stderr)
check("bash or zsh" in run("--completion", code=2).stderr and run("--completion", "fish", code=2).returncode == 2, "no completion for other shells")
if shutil.which("zsh"):
    done = subprocess.run(["zsh", "-n", "docs/completion/_kyoho"], capture_output=True, text=True)
    check(done.returncode == 0, "zsh reads its completion", done.stderr)

man = run("--man").stdout
check(all(f"kyoho {name}" in man for name in COMMANDS) and ".TH KYOHO 1" in man, "--man covers every command")
check(all(line.replace("-", "\\-") in man.split(".SH EXAMPLES")[1] for line in examples) and ".SH SEE ALSO" in man,
      "--man has all examples")

with folder() as where:
    def path(name):
        return os.path.join(where, name)

    # wrong usage: code 2, one line that names the remedy, and no file
    for words, says in [
        (["run", "--tehta", "0.5"], "--theta"),
        (["run", "--the", "0.5"], "unknown option --the"),
        (["run", "--dt", "0.1"], "mean --step?"),
        (["run", "--opening_angle", "0.5"], "mean --theta?"),
        (["run", "--eps", "0.1"], "mean --softening?"),
        (["run", "--infile", "x"], "mean --input?"),
        (["run", "--tend", "1"], "mean --end?"),
        (["run", "tstop=1", "in=a.csv"], "'tstop=1' is not an option; did you mean --end?"),
        (["run", "softening=0.1"], "write --softening 0.1"),
        (["run", "step=0.1"], "mean --every, or --step"),
        (["model", "--tend", "1"], "--tend; --help"),
        (["run", path("a.csv"), "--write-ini", path("x")], "--input"),
        (["run", "--theta", "-1"], "range"),
        (["run", "--theta", "abc"], "not a number"),
        (["run", "--theta"], "needs a value"),
        (["run", "-theta", "0.5"], "did you mean --theta"),
        (["force", "--model", "plummer", "-n", "10", "--step", "0.1"], "unknown option --step"),
        (["force", "--model", "plummer", "-n", "10", "--overwrite"], "without -o FILE"),
        (["density", "--model", "plummer", "-n", "10", "--overwrite"], "without -o FILE.csv"),
        (["bench", "--theta", "0.5"], "unknown option --theta"),
        (["force", "--model", "plummer", "-n", "10", "--opening", "offset", "--alpha", "0.1"], "alpha"),
        (["force", "--model", "plummer", "-n", "10", "--theta", "0.5", "--alpha", "0.1"], "give the opening"),
        (["bench", "tree", "--precision", "double"], "unknown option --precision"),
        (["info", path("x.csv"), "--quiet"], "unknown option --quiet"),
        (["run", "--opening", "offst"], "geometric|offset"),
        (["run", "--end", "1"], "--output"),
        (["run", "--end", "1", "--output", path("x")], "no bodies"),
        (["run", "--model", "plumer", "-n", "10", "--end", "1", "--output", path("x")], "plummer"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--step", "0.1"], "give --end, or --steps of at least 1"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--step", "0.1", "--end", "0.25"], "no step ends at 0.25"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--step", "0.1", "--end", "1", "--every", "0.25"], "multiple"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--step", "0.1", "--end", "1", "--every", "0.3"], "multiple"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--step", "0", "--end", "1"], "step"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--step", "0.1", "--end", "-1"], "ahead"),
        (["run", "--model", "plummer", "-n", "10", "--output", path("x"), "--end", "1", "--steps", "3", "--step", "1"], "both"),
        (["model", "plummer", "-n", "10"], "-o FILE"),
        (["model", "plummer", "-n", "10", "--binary-periods", "sana", "-o", path("x.csv")], "--binary-periods has no effect without --binaries"),
        (["run", "--model", "plummer", "-n", "10", "--eigenevolution", "--end", "1", "--output", path("x")], "--eigenevolution has no effect without --binaries"),
        (["model", "plummer", "-n", "10", "--w0", "5", "-o", path("x.csv")], "mass radius g mass-function rotation binaries binary-periods binary-axis-min binary-axis-max binary-eccentricities binary-ratios eigenevolution position velocity orientation cutoff"),
        (["model", "plummer", "-n", "0", "-o", path("x.csv")], ""),
        (["model", "plummer", "-n", "1.5", "-o", path("x.csv")], "whole"),
        (["model", "plummer", "-n", "10", "-o", path("x.xyz")], ""),
        (["model"], "usage"),
        (["merge", "a"], "usage"),
        (["merge", "a", "b", "--separation", "3", "-o", path("x.csv")], "--pericentre LENGTH"),
        (["draw", path("x")], "-o"),
        (["bench", "nothing"], "nothing"),
        (["bench", "tree", "direct", "tree"], "'tree' is given twice"),
        (["bench", "tree", "-n", "1000"], "unknown option -n"),
        (["force", "--model", "plummer", "-n", "10", "--repeat", "0"], "range"),
        (["force", "--model", "plummer", "-n", "10", "--engine", "abacus"], "abacus"),
        (["force", "--model", "plummer", "-n", "10", "--engine", "cpu:3"], "one CPU"),
        (["force", "--model", "plummer", "-n", "10", "--threads", "65536"], "range"),
        (["run", "--model", "plummer", "-n", "10", "--step", "0.1", "--end", "0.35", "--output", path("x/y/z")], "the nearest are 0.3 and 0.4"),
        (["run", "--model", "plummer", "-n", "10", "--output", "--overwrite"], "needs a value"),
        (["run", path("a.csv"), "--input", path("b.csv"), "--end", "1", "--output", path("x")], "two files"),
        (["run", path("a.csv"), "--model", "plummer", "--end", "1", "--output", path("x")], "give one of the two"),
        (["force", path("a.csv"), "--model", "plummer", "-n", "9"], "give one of the two"),
        (["force", "--quiet"], "no bodies"),
        (["model", "plummer", "-n", "100", "--cutoff", "1e-300", "-o", path("x.csv")], "--cutoff 1e-300: it must be 0, the default of the model, or at least"),
        (["run", "--model", "plummer", "-n", "10", "--end", "1", "--at", ".5", "--at", ".25", "--output", path("x")], "--at TIME,TIME..."),
        (["force", "--model", "plummer", "-n", "10", "--theta", "0.5", "--theta=0.6"], "--theta is given twice"),
        (["run", path("a.csv"), "--w0", "3", "--end", "1", "--output", path("x")], "--model"),
        (["draw", path("a.csv"), "-o", path("x.jpg")], ".png"),
        (["frce"], "force"),
        (["run", path("none.ini")], "none.ini"),
    ]:
        process = run(*words, code=2)
        lines = process.stderr.splitlines()
        check(process.returncode == 2 and len(lines) == 1 and lines[0] == lines[0].strip() and says in lines[0] and not process.stdout
              and not os.path.exists(path("x")) and not os.path.exists(path("x.csv")),
              f"code 2: {' '.join(os.path.basename(w) for w in words)}", process.stderr + process.stdout)
    check(run(code=2).returncode == 2, "no command at all is wrong usage")

    # what is not available here: code 3
    check("cuda" in run("force", "--model", "plummer", "-n", "10", "--engine", "cuda:7", code=3).stderr, "code 3: an engine that is not in this build")

    # an existing file is kept
    run("model", "plummer", "-n", "10", "-o", path("a.csv"))
    before = open(path("a.csv")).read()
    refused = run("model", "plummer", "-n", "20", "-o", path("a.csv"), code=2)
    check("--overwrite" in refused.stderr and open(path("a.csv")).read() == before, "an existing file is kept without --overwrite")
    open(path("a.png"), "w").close()
    for words in ["merge", path("b.csv"), path("b.csv"), "-o", path("a.csv")], ["density", path("b.csv"), "-o", path("a.csv")], \
            ["draw", path("no.csv"), "-o", path("a.png")]:
        check(f"{words[-1]} exists; --overwrite replaces it" in run(*words, code=2).stderr, f"{words[0]} refuses an existing file in the same words")
    os.mkdir(path("folder.csv"))
    for more in ([], ["--overwrite"]):
        said = run("model", "plummer", "-n", "9", "-o", path("folder.csv"), *more, code=7).stderr
        check("is a folder; give the name of a file" in said, f"a folder in place of a file is named as such {more}", said)
    run("model", "plummer", "-n", "20", "-o", path("a.csv"), "--overwrite")
    check(len(open(path("a.csv")).read().splitlines()) > len(before.splitlines()), "an existing file is replaced with --overwrite")

    # a folder with results is kept
    quick = ["--model", "plummer", "-n", "50", "--softening", "0.1", "--step", "0.125", "--end", "0.5", "--quiet"]
    run("run", *quick, "--output", path("r"))
    refused = run("run", *quick, "--output", path("r"), code=2)
    check("--resume" in refused.stderr and "--overwrite" in refused.stderr, "results in a folder are kept")
    run("run", *quick, "--output", path("r"), "--overwrite")
    check(sorted(os.listdir(path("r")))[0] == "energy.csv", "results in a folder are replaced with --overwrite")
    summary = json.load(open(path("r/run.json")))
    check(summary["outcome"] == "done" and summary["n"] == 50 and summary["options"]["softening"] == 0.1
          and summary["origin"] == "plummer -n 50 --seed 1 --softening 0.1" and summary["version"] in version.stdout
          and summary["seed"] == 1 and summary["engine"] == "cpu" and summary["host"] == os.uname().nodename
          and summary["compiler"] and summary["end"] == 0.5, "run.json has the facts of the run", summary)
    with open(path("r/snapshot_0003.png"), "w") as picture:
        picture.write("a picture of the user's")
    run("run", *quick, "--output", path("r"), "--overwrite")
    check(os.path.exists(path("r/snapshot_0003.png")), "--overwrite leaves what no run wrote")
    check(run_json("info", path("r"))["snapshots"] == 2, "info counts snapshots alone")
    run("run", "--model", "plummer", "-n", "50", "--step", "0.0009765625", "--end", "1000", "--energy-every", "1000", "--max-wall", "0.3",
        "--output", path("stopped"), "--quiet", code=6)
    stood, facts = json.load(open(path("stopped/run.json"))), run_json("info", path("stopped"))
    check(facts["steps"] == stood["steps"] and facts["time"] == stood["time"], "info tells where a run was stopped between two rows", facts)
    rows = open(path("r/energy.csv")).read().splitlines()
    check(rows[0].startswith("time,steps,kinetic,potential,energy,de,dew,") and len(rows) == 6, "energy.csv has a row for each step", rows[0])

    # an INI file has the same names; the command line comes before it
    with open(path("p.ini"), "w") as ini:
        ini.write("[force]\nsoftening = 0.25\ntheta = 0.4\n[run]\nend = 0.5\n[integrator]\nstep = 0.25\n")
    run("run", path("p.ini"), "--model", "plummer", "-n", "20", "--theta", "0.5", "--output", path("ini"), "--quiet")
    options = json.load(open(path("ini/run.json")))["options"]
    check(options["softening"] == 0.25 and options["theta"] == 0.5, "parameters from a file, the command line wins", options)
    with open(path("bad.ini"), "w") as ini:
        ini.write("[force]\nsofening = 0.25\n[Gadget]\nTimeMax = 5\ntheta = 0.5\nseed = x\n")
    refused = run("run", path("bad.ini"), "--model", "plummer", "-n", "9", "--output", path("no"), code=2).stderr
    check(all(part in refused for part in ("line 2: unknown option 'sofening'; did you mean softening?", "line 4: unknown option 'TimeMax'; did you mean end?",
                                           "line 6: seed: 'x'")) and "line 5" not in refused and refused.count("\n") == 1,
          "all errors of a parameter file are told at once, with what the names may mean", refused)
    # every word in the table of other programs, also words of our own, in a parameter file
    with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../docs/from-others.md"), encoding="utf-8") as page:
        table = page.read().split("Options that you know from other programs", 1)[1].split("\n\n")[1]
    cells = [cell for line in table.splitlines()[2:] for cell in line.split("|")[2:-2]]
    words = {word.lstrip("-") for cell in cells for word in re.findall(r"`((?:--)?(?:sim\.)?[A-Za-z][A-Za-z_0-9]+)(?:=| = [^`]*)?`", cell)}
    words, refused = sorted(words - {"save_to_file", "snaptipsy"}), ""
    for first in range(0, len(words), 5):  # so many fit into one error
        with open(path("words.ini"), "w") as ini:
            ini.writelines(f"{word} = x\n" for word in words[first:first + 5])
        refused += run("run", path("words.ini"), "--model", "plummer", "-n", "9", "--output", path("no"), code=2).stderr
    lost = [word for word in words if re.search(rf"unknown option '{re.escape(word)}'(?!; did you mean)", refused)]
    check(len(words) > 30 and not lost and "and more" not in refused and "'direct'; did you mean force = direct?" in refused, "errors know the words of other programs", f"{lost} {refused}")
    run("run", "--model", "plummer", "-n", "9", "--step", "0.125", "--end", "0.25", "--softening", "0.1", "--output", path("written"), "--write-ini", path("w.ini"))
    run("run", "--write-ini", path("w.ini"), code=2)
    run("run", path("w.ini"), "--quiet")
    options = json.load(open(path("written/run.json")))["options"]
    check(options["step"] == 0.125 and options["bodies"] == 9, "a file that --write-ini wrote starts the run", options)

    # JSON: one object on standard output and nothing else
    forces = run_json("force", "--model", "plummer", "-n", "300", "--check", "100", "--softening", "0.01")
    check(set("engine device force n theta alpha multipole opening precision seconds interactions particles_per_s "
              "interactions_per_s error error_potential".split()) <= set(forces), "force --json has its fields", forces)
    check(set("keys sort build moments walk total".split()) <= set(forces["seconds"])
          and forces["error"]["samples"] == 100 and forces["error"]["p99"] < 0.02, "force --json has seconds by phase, and errors", forces)
    check(run_json("force", "--model", "plummer", "-n", "30")["error"] is None, "without --check there are no errors")
    check(0.1 < forces["error_of_rms"] / forces["error"]["rms"] < 10 and forces["error_of_rms"] < forces["error_of_peculiar"],
          "errors against the rms acceleration, and against that without its linear part", forces)
    with open(path("turns.csv"), "w") as file: # every 16th body is far from all others: its force has another error
        file.write("x,y,z,vx,vy,vz,mass\n" + "".join(f"{k % 13},{k % 11 + (9e3 * k if k % 16 == 0 else 0)},{k % 7 + k / 9e3},0,0,0,1\n" for k in range(2048)))
    some, all_bodies = (run_json("force", path("turns.csv"), "--softening", "0.1", "--engine", "cpu", "--check", count)["error"]["p90"]
                        for count in ["128", "2048"])
    check(0.5 < some / all_bodies < 2, "the bodies of --check are of both components that take turns", (some, all_bodies))
    by_theta = run_json("force", "--model", "plummer", "-n", "300", "--theta", "0.9")
    check(forces["opening"] == "relative" and forces["alpha"] == 0.005 and by_theta["opening"] == "offset"
          and by_theta["theta"] == 0.9 and by_theta["alpha"] is None, "the opening is relative, but offset where --theta is given",
          (forces, by_theta))
    for words in [["info", path("a.csv")], ["info", path("r")], ["devices"], ["model", "king", "-n", "30", "-o", path("k.csv")],
                  ["convert", path("a.csv"), path("a.tipsy")],
                  ["run", "--model", "two-body", "--step", "0.01", "--end", "0.1", "--output", path("j")],
                  ["run", "--model", "two-body", "--step", "0.01", "--end", "0.1", "--output", path("d"), "--dry-run"]]:
        check(isinstance(run_json(*words), dict), "JSON: " + words[0])
    check(not os.path.exists(path("d")), "--dry-run writes nothing")
    run("run", "--model", "plummer", "-n", "100", "--step", "0.1", "--end", "1", "--engine", "cpu", "--force", "list", "--dry-run", code=3)
    run("run", "--model", "plummer", "-n", "100", "--step", "0.1", "--end", "1", "--engine", "cuda:7", "--dry-run", code=3)
    plan = run_json("run", "--model", "plummer", "-n", "1000", "--step", "0.125", "--end", "1", "--every", "0.25", "--threads", "2",
                    "--dry-run")
    check(plan["steps"] == 8 and plan["snapshots"] == 5 and 1e7 < plan["host_bytes"] < 4e7 and plan["largest_n"] > 1e5,
          "--dry-run says what the run would need", plan)
    run("run", "--model", "king", "-n", "20", "--w0", "9", "--seed", "18446744073709551615", "--step", "0.1", "--end", "0.1", "--output", path("seed"))
    summary = json.load(open(path("seed/run.json")))
    check(summary["seed"] == 2 ** 64 - 1 and summary["origin"] == "king -n 20 --seed 18446744073709551615 --w0 9",
          "the seed and the model's options are kept exactly", summary)
    # an option of two models goes to the model that is made
    for name, cutoff in ("plummer", "3"), ("hernquist", "5"):
        run("model", name, "-n", "400", "--cutoff", cutoff, "-o", path(name + ".csv"))
        run("model", name, "-n", "400", "-o", path(name + "-whole.csv"))
        near, whole = (run_json("info", path(name + end))["lagrangian_radii"][-1] for end in (".csv", "-whole.csv"))
        check(0 < near < 0.9 * whole, f"{name} --cutoff {cutoff} is less extended", (near, whole))
    with open(path("own.csv"), "w") as bodies:
        bodies.write("m,x,y,z,vx,vy,vz,softening\n1,0,0,0,0,0,0,0.1\n1,1,0,0,0,1,0,0.2\n")
    check("derived" in run("run", path("own.csv"), "--steps", "2", "--output", path("own")).stderr, "the bodies' own softening gives a step")
    with open(path("two.ini"), "w") as ini:
        ini.write("[run]\n   end = 0.25\n  output = " + path("o5") + " # indented\n")
    run("run", path("two.ini"), "--model", "plummer", "-n", "9", "--softening", "0.1", "--step", "0.125", "--quiet")
    check(os.path.exists(path("o5/run.json")), "an indented line is a line of its own")
    check(json.loads(run("force", "--nope", "--json", code=2).stdout)["code"] == 2, "a wrong option as JSON")
    error = json.loads(run("info", path("missing"), "--json", code=4).stdout)
    check(error["code"] == 4 and "missing" in error["error"], "an error as JSON")

    # letters with attached values, words that look like options, and --quiet
    os.chdir(where)
    run("model", "plummer", "-n100", "-o-m.csv", "-q")
    check(not run("convert", "--", "-m.csv", "./n.csv", code=0).stderr and os.path.exists("n.csv"), "-n100, -oFILE, --")
    check(run("force", "n.csv", "--softening", "0.1", "-q").stdout == "", "force --quiet is quiet")
    check(run_json("force", "n.csv", "--softening", "0.1", "-q")["n"] == 100, "force --quiet --json prints JSON")

    # energies of two bodies by hand: masses 1 and 3 at a distance of 2, which move past each other and together
    with open("two.csv", "w") as bodies:
        bodies.write("mass,x,y,z,vx,vy,vz\n1,0,0,0,0,0.5,0\n3,2,0,0,0,-0.5,0\n")
    two = run_json("force", "two.csv", "--softening", "0", "--force", "direct", "--precision", "double")
    kinetic, potential = 0.5 * 1 * 0.25 + 0.5 * 3 * 0.25, -1 * 3 / 2
    inner = kinetic - 0.5 * 4 * 0.25 ** 2  # without the motion of the centre of mass at -0.25
    check(abs(two["kinetic"] - kinetic) < 1e-14 and abs(two["potential"] - potential) < 1e-14
          and abs(two["energy"] - kinetic - potential) < 1e-14, "force has the energies", two)
    check(abs(two["virial_ratio"] - 2 * inner / -potential) < 1e-12, "force has the virial ratio, without the bulk motion", two["virial_ratio"])
    check(re.search(r"energy: kinetic 0\.5 +potential -1\.5 .*virial ratio 0\.5 ", run("force", "two.csv", "--softening", "0").stdout),
          "force prints energies as text")
    for words, says in ((["--force", "direct", "--theta", "0.5"], "--theta has no effect with --force direct: leave out --theta, or change the other option"),
                        (["--mutual", "--leaf", "8"], "--leaf has no effect with --mutual: leave out --leaf"), (["--engine", "cpu", "--tree", "host"], "--tree has no effect with --engine cpu"),
                        (["--force", "fmm", "--opening", "offset", "--error", "1e-3"], "--error and --opening offset"),
                        (["--force", "tree", "--mutual"], "--mutual has no effect with --force tree")):
        for command in ["force"], ["run", "--step", "0.125", "--steps", "1", "--output", "never"]:
            idle = run(*command, "n.csv", "--softening", "0.1", *words, code=2).stderr
            check(says in idle and idle.count("\n") == 1, f"{command[0]}: {' '.join(words)} is refused in one line", idle)
    for words in (["neighbours", "n.csv", "--radius", "0.1"], ["groups", "n.csv"], ["binaries", "n.csv"], ["tune", "n.csv"], ["few", "n.csv", "--end", "1"], ["bench"]):
        idle = run(*words, "--engine", "opencl", "--isa", "plain", code=2).stderr
        check("--isa has no effect with an --engine other than cpu" in idle and idle.count("\n") == 1, f"{words[0]}: instructions of the CPU are refused beside a device", idle)
    check("--tree has no effect with --engine cpu" in run("binaries", "n.csv", "--engine", "cpu", "--tree", "host", code=2).stderr, "a tree of a device is refused beside the CPU")
    with open("idle.ini", "w") as ini:
        ini.write("theta = 0.5\nsoftening = 0.1\nleaf = 8\n")
    alone = ["run", "idle.ini", "n.csv", "--step", "0.125", "--steps", "1", "--output", "warned", "--quiet"]
    idle = run(*alone, "--force", "direct").stderr
    check(idle.count("has no effect with --force direct") == 2, "options of a parameter file without effect are warned of", idle)
    idle = run(*alone, "--force", "direct", "--group", "8", code=2).stderr
    check("--group has no effect with --force direct" in idle and idle.count("\n") == 1, "an option beside a parameter file that has no effect is refused", idle)
    idle = run(*alone, "--error", "1e-3", code=2).stderr
    check("--error and --theta" in idle and idle.count("\n") == 1, "an error beside the angle of a parameter file is refused", idle)
    run("run", "n.csv", "--softening", "0.1", "--step", "0.125", "--steps", "1", "--output", "earlier", "--overwrite", "--quiet")
    with open("earlier/run.json") as file:
        told = file.read()
    for value, code in (("tuned", 0), ("none", 2)):
        with open("earlier.json", "w") as file:
            file.write(told.replace('"softening":', f'"unroll": "{value}", "softening":', 1))
        said = run("run", "earlier.json", "--output", "again", "--overwrite", "--quiet", code=code).stderr
        check(code == 0 or "unroll: is not an option" in said, f"run.json of an earlier version, with unroll {value}, ends with {code}", said)
    with open("late.csv", "w") as bodies:
        bodies.write("# time: 1000000\nmass,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
    said = run("run", "late.csv", "--softening", "0.1", "--step", "0.03125", "--end", "1000001", "--output", "late").stderr
    check("done at time 1000001 after 32 steps" in said, "a late time is printed whole", said)
    refused = run("run", "n.csv", "--softening", "0.1", "--end", "1", "--at", "0.333,0.7071", "--output", "never", code=2).stderr
    check("--shorten" in refused, "where no step fits --at, --shorten is named", refused)
    said = run("run", "n.csv", "--softening", "0.1", "--step", "0.125", "--steps", "2", "--output", "said").stderr.splitlines()
    check(said and len(said) == len(set(said)), "a remark is printed once", said)
    # the softening of a run is the option's, the bodies' own, the file's, or the model's; else there is an error
    def softening_of(*words):
        run("run", *words, "--steps", "1", "--step", "0.01", "--output", path("s"), "--overwrite", "--quiet")
        text = run("info", path("s")).stdout
        used = json.load(open(path("s/run.json")))["options"]["softening"]
        return "" if used is None else str(used), text, open(path("s/run.log")).read()
    run("model", "plummer", "-n", "20", "--softening", "0.125", "--softening-kind", "symmetric", "-o", path("soft.csv"))
    used, text, log = softening_of(path("soft.csv"))
    check(float(used) == 0.125 and "0.125 (symmetric)" in text and "stored with the bodies" in log, "the softening of the file", used + text + log)
    last = max(glob.glob(path("s/snapshot_*")))
    os.rename(last, path("last" + os.path.splitext(last)[1]))
    used, text, log = softening_of(path("last" + os.path.splitext(last)[1]))
    check(float(used) == 0.125 and "0.125 (symmetric)" in text, "a run's own snapshot goes on with its softening", used + text)
    used, text, log = softening_of(path("soft.csv"), "--softening", "0.25")
    check(float(used) == 0.25 and "0.25" in text and "0.25 replaces 0.125" in log, "the option says what it replaces", used + text + log)
    used, text, log = softening_of(path("own.csv"))
    check(not used and "from 0.1 to 0.2" in text and "own" in log, "the bodies' own", str(used) + text + log)
    used, text, log = softening_of(path("own.csv"), "--softening", "0.25")
    check(float(used) == 0.25 and "0.25 (plummer)" in text and "replaces the bodies' own, from 0.1 to 0.2" in log,
          "an option in place of the bodies' own", used + text + log)
    used, text, log = softening_of("--model", "plummer", "-n", "1000")
    check(0.09 < float(used) < 0.1, "the softening of the model: 0.75 r_h N^-0.26", used)
    check(float(softening_of("--model", "two-body")[0]) == 0, "the softening of the model of two bodies is 0")
    with open(path("bare.csv"), "w") as bodies:
        bodies.write("m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
    # two bodies at rest fall, and meet for a very short time: the derived step is so short that there is a warning
    with open(path("rest.csv"), "w") as bodies:
        bodies.write("m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,0,0\n")
    rest = ["run", path("rest.csv"), "--softening", "0", "--end", "1"]
    for more, code in ((["--dry-run"], 0), (["--max-wall", "0", "--output", path("rest")], 6)):
        said = run(*rest, *more, code=code).stderr
        check(re.search(r"leads to \d{7,} steps; a longer --step or a larger --softening", said), f"millions of derived steps are warned of: {more[0]}", said)
    check("leads to" not in run(*rest, "--step", "0.0000001", "--dry-run").stderr, "many steps are not warned of if --step was given")

    for words in (["run", path("bare.csv"), "--steps", "1", "--step", "0.01", "--output", path("none")], ["force", path("bare.csv")]):
        refused = run(*words, code=2).stderr
        check("--softening (0.3" in refused and refused.count("\n") == 1 and not os.path.exists(path("none")),
              "without a softening there is an error that recommends one: " + words[0], refused)
    check("none in the file" in run("info", path("bare.csv")).stdout, "info says that there is no softening")
    run("merge", path("soft.csv"), path("soft.csv"), "--separation", "3", "--pericentre", "1", "-o", path("both.csv"))
    check("0.125 (symmetric)" in run("info", path("both.csv")).stdout, "merge keeps the softening of both")
    run("convert", path("soft.csv"), path("rounded.csv"))
    text = open(path("rounded.csv")).read()
    with open(path("rounded.csv"), "w") as rounded:
        rounded.write(text.replace("softening: 0.125", "softening: 0.12500000001"))
    merged = run("merge", path("soft.csv"), path("rounded.csv"), "--separation", "3", "--pericentre", "1", "-o", path("both.csv"), "--overwrite")
    check("0.12500000001" in open(path("rounded.csv")).read() and "larger of" not in merged.stderr,
          "softenings that differ in rounding alone are the same", merged.stderr)
    with open(path("own.csv"), "w") as own:
        own.write("m,x,y,z,vx,vy,vz,softening\n1,0,0,0,0,0,0,0.1\n1,1,0,0,0,1,0,0.2\n")
    merged = run("merge", path("own.csv"), path("soft.csv"), "--separation", "3", "--pericentre", "1", "--softening", "0.5", "-o", path("half.csv"))
    text = open(path("half.csv")).read()
    check("# softening: 0.5" in text and ",softening" not in text, "merge --softening is that of all bodies", text)
    check("own.csv: softening 0.5 replaces the bodies' own, from 0.1 to 0.2" in merged.stderr
          and "soft.csv: softening 0.5 replaces 0.125, stored with the bodies" in merged.stderr, "merge says what --softening replaces", merged.stderr)
    said = run("convert", path("own.csv"), path("one-own.csv")).stdout
    check("2 bodies at time" in said and "softening of each body's own" in said and "nan" not in said, "softenings of the bodies' own are no number", said)
    with open(path("single.csv"), "w") as single:
        single.write("m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n")
    said = run("convert", path("single.csv"), path("single2.csv")).stdout + run("info", path("single.csv")).stdout \
        + run("model", "plummer", "-n", "1", "-o", path("one.csv")).stdout
    with open(path("massless.csv"), "w") as massless:
        massless.write("m,x,y,z,vx,vy,vz\n0,1,0,0,0,2,0\n0,3,0,0,0,4,0\n")
    facts = run_json("info", path("massless.csv"))
    check(facts["centre_of_mass"] == [2, 0, 0] and facts["mean_velocity"] == [0, 3, 0], "bodies without mass have means", facts)
    check(said.count("1 body") == 3 and "1 bodies" not in said, "one body is not written as a plural", said)
    refused = run("merge", path("own.csv"), path("bare.csv"), "--separation", "3", "--pericentre", "1", "-o", path("mixed.csv"), code=2).stderr
    check("need one too; give --softening" in refused, "merge refuses bodies with and without softenings", refused)

    # a first run needs only a model and an end
    run("run", "--model", "plummer", "-n", "1000", "--end", "0.5", "--output", path("first"), "--quiet")
    for e, most in (("0", 1e-6), ("0.9", 5e-2)):
        said = run("run", "--model", "two-body", "--eccentricity", e, "--end", "1", "--output", path("pair"), "--overwrite").stderr
        change = abs(run_json("info", path("pair"))["energy_change"])
        check("softening 0" in said and "free fall" in said and change < most, f"two bodies run at once, e = {e}", f"{said} dE/E {change}")
    said = run("run", "--model", "two-body", "--step", "0.25", "--end", "1", "--output", path("pair"), "--overwrite").stderr
    check("warning" in said and "without softening" in said, "a step too long without softening is warned of", said)

    # a model is made for the units and the G of the run; a file keeps its own
    def virial_ratio(*words):
        return run_json("force", *words)["virial_ratio"]
    for words in (["--units", "cluster"], ["--g", "2"], ["--units", "galaxy", "--mass", "7", "--radius", "3"], ["--radius", "0.1"]):
        ratio = virial_ratio("--model", "plummer", "-n", "2000", *words)
        check(0.9 < ratio < 1.1, "a model is in equilibrium with " + " ".join(words), ratio)
        run("model", "plummer", "-n", "2000", *words, "-o", path("scaled.csv"), "--overwrite")
        check(abs(virial_ratio(path("scaled.csv")) - ratio) < 1e-6, "the file of a model is in equilibrium too")
    run("model", "plummer", "-n", "50", "--units", "cluster", "--mass", "100", "--radius", "2", "-o", path("pc.csv"))
    facts = run_json("info", path("pc.csv"))
    check(facts["units"]["g"] == 0.0043009 and abs(facts["units"]["length_cm"] - 3.085678e18) < 1e12 and abs(facts["mass"] - 100) < 1e-9,
          "the file tells units and G", facts["units"])
    check("contradicts" in run("force", path("pc.csv"), "--units", "galaxy", code=2).stderr, "other units than the file's are refused")
    run("force", path("pc.csv"), "--units", "cluster")
    with open(path("kpc.csv"), "w") as bodies:
        bodies.write("# length_cm: 3.085678e21\n# mass_g: 1.989e33\n# velocity_cm_s: 1e5\n# g: 4.3009e-6\n# softening: 0.1\n"
                     "m,x,y,z,vx,vy,vz\n1,0,0,0,0,0,0\n1,1,0,0,0,1,0\n")
    check("contradicts" in run("force", path("kpc.csv"), "--units", "galaxy", code=2).stderr, "the mass is compared too")
    run("model", "plummer", "-n", "50", "-o", path("bodies.csv"))
    check("G = 1" in run("force", path("bodies.csv"), "--units", "galaxy", code=2).stderr, "a model for G = 1 is not taken for kpc and km/s")
    check("replaces 1" in run("force", path("bodies.csv"), "--g", "2").stderr, "--g says what it replaces")
    said = run("force", path("pc.csv"), "--g", "1", code=2).stderr
    check("contradicts" in said and said.count("\n") == 1, "--g that contradicts the units of a file is refused in one line", said)
    check("contradicts" in run("model", "plummer", "-n", "9", "--units", "galaxy", "--g", "1", "-o", path("no.csv"), code=2).stderr,
          "--g that contradicts --units is refused")
    run("merge", path("bodies.csv"), path("bodies.csv"), "--separation", "9", "--pericentre", "1", "--g", "4", "-o", path("g4.csv"))
    check(run_json("info", path("g4.csv"))["units"]["g"] == 4, "merge --g is kept")
    run("merge", path("bodies.csv"), path("bodies.csv"), "--mass", "0.25", "--separation", "9", "--pericentre", "1", "-o", path("quarter.csv"))
    check(abs(run_json("info", path("quarter.csv"))["mass"] - 1.25) < 1e-9, "merge --mass scales the second system")

    # a model in memory and its file give the same forces
    run("model", "plummer", "-n", "200", "-o", path("m.csv"))
    run("force", path("m.csv"), "-o", path("f1.csv"))
    run("force", "--model", "plummer", "-n", "200", "-o", path("f2.csv"))
    check(open(path("f1.csv")).read() == open(path("f2.csv")).read(), "a model in memory is the same as its file")
    check("warning" in run("run", "--model", "plummer", "-n", "50", "--softening", "0.01", "--step", "0.5", "--end", "1",
                           "--output", path("w")).stderr, "too long a step is warned of")
    check("relaxation" in run("run", "--model", "plummer", "-n", "50", "--softening", "0.5", "--step", "0.25", "--end", "100",
                              "--output", path("w2")).stderr, "a run beyond the relaxation time is warned of")
    # documented runs of models that expand, turn or fall have no false warning
    for name, words in {"cartwheel": ["--step", "0.0078125"], "galaxy": [], "cosmic": ["--step", "0.00369047619"]}.items():
        done = run("run", "--model", name, "-n", "2000", *words, "--steps", "1", "--overwrite", "--output", path("w3"), "--quiet", code=None)
        check(done.returncode in (0, 3) and "warning" not in done.stderr, f"{name} as documented: no warning", done.stderr)
    quiet_universe = ["--model", "cosmic", "-n", "4000", "--force", "tree", "--sigma8", "0.1", "--steps", "1", "--step", "0.003", "--overwrite", "--engine", "cpu", "--output", path("w3")]
    coarse = run("run", *quiet_universe)
    told = re.search(r"use --alpha (\S+) for", coarse.stderr)
    check(told and "is recommended" in coarse.stderr, "forces that are coarse against peculiar accelerations are told", coarse.stderr)
    fine = run("run", *quiet_universe, "--alpha", told.group(1) if told else "1", "--quiet")
    check("peculiar" not in fine.stderr, "not with the recommended alpha", fine.stderr)
    expands = [word if word != "tree" else "fmm" for word in quiet_universe]
    told = re.search(r"use --error (\S+) for", run("run", *expands).stderr)
    fine = run("run", *expands, "--error", told.group(1) if told else "1", "--quiet")
    check(told and "peculiar" not in fine.stderr, "where cells act on cells an error is recommended, with which they are not coarse", fine.stderr)

    def body(k): # 3 is an escaper; 60 and 61 are in one place; so are 62 and 63, with the same velocity
        place, moves = {61: (60, 61), 63: (62, 62)}.get(k, (k, k))
        return (f"{7 * k},{place * 37 % 101},{place * 53 % 97},{place * 29 % 89},{1e6 if k == 3 else moves % 3 - 1},"
                f"{moves % 7 - 3},{moves % 5 - 2},1\n")
    with open(path("odd.csv"), "w") as file:
        file.write("id,x,y,z,vx,vy,vz,mass\n" + "".join(map(body, range(100))))
    warned = [run("run", "--input", path("odd.csv"), "--softening", eps, "--steps", "1", "--output", path("odd" + eps), "--quiet").stderr for eps in "01"]
    check(all("1 body is more" in text and "id 21," in text for text in warned), "an escaper is named", warned)
    check("1 pair of" in warned[0] and "ids 420 and 427)" in warned[0] and "one place" not in warned[1],
          "so are bodies in one place with different velocities and no softening", warned)
finish()
