#!/usr/bin/env python3
# kyoho tune: the table, the options that it finds, and their error, which kyoho force measures too.
import os

from tap import check, finish, folder, run, run_json

with folder() as where:
    file = os.path.join(where, "a.hdf5" if "HDF5: yes" in run("--version").stdout else "a.tipsy")
    run("model", "plummer", "-n", "2000", "-o", file)
    some = ["--engine", "cpu", "--check", "2000", "--repeat", "1"]  # all bodies, so that `force` measures the same ones
    said = run_json("tune", file, *some, "--error", "1e-3")
    rows, found = said["settings"], said["found"]
    kinds = {(row["force"], row["opening"]) for row in rows}
    check({("tree", "relative"), ("tree", "offset"), ("walk", "relative"), ("direct", None)} <= kinds and said["left_out"] == 0, "settings of every method", kinds)
    for force, opening in kinds:
        of = [row for row in rows if (row["force"], row["opening"]) == (force, opening)]
        check(len(of) == 1 or of[0]["error"] > 3 * of[-1]["error"], f"{force} {opening}: from coarse to fine", [row["error"] for row in of])
    check(all(row["seconds"] > 0 and row["engine"] == "cpu" for row in rows), "each setting has its time")
    check(found["error"] <= 1e-3, "the options that are found keep the error", found)
    again = run_json("force", file, *found["options"].split(), "--check", "2000")
    check(again["error"]["p99"] == found["error"] and again["force"] == found["force"], "kyoho force measures the same with them", (found, again["error"]))

    said = run_json("tune", file, *some, "--force", "walk", "--opening", "minimum")
    check({(row["force"], row["opening"]) for row in said["settings"]} == {("walk", "minimum")} and said["found"] is None, "one method alone is measured", said["settings"][:1])
    text = run("tune", file, *some, "--force", "direct", "--precision", "double", "--error", "1e-9").stdout
    check(text.splitlines()[0].startswith("engine") and "--force direct --engine cpu" in text and "measured: 99 %" in text, "as text", text)
    check(run("tune", file, *some, "--force", "direct", "--error", "1e-3", "--quiet").stdout == "--force direct --engine cpu\n", "--quiet prints the options alone")
    text = run("tune", file, *some, "--force", "tree", "--error", "1e-12", code=3).stderr
    check("no measured setting has an error of 1e-12" in text, "an error that no setting keeps: code 3", text)
    text = run("tune", "--model", "plummer", "-n", "200000", "--force", "direct", "--seconds", "0.1", "--engine", "cpu", "--check", "10", code=2).stderr
    check("--seconds 0.1 is too short" in text, "an evaluation that takes longer than --seconds is not begun", text)
    for words, code, says in [
        (["tune", file, "--error", "0"], 2, "range"),
        (["tune", file, "--theta", "0.5"], 2, "theta"),
        (["tune", file, "--engine", "cpu", "--force", "list"], 3, "list"),
        (["tune", file, "--engine", "none"], 2, "none"),
        (["tune"], 2, "no bodies"),
    ]:
        process = run(*words, code=code)
        check(says in process.stderr, f"code {code}: {' '.join(os.path.basename(w) for w in words)}", process.stderr)
    check(len(run_json("tune", "--model", "plummer", "-n", "1", "--engine", "cpu", "--repeat", "1", "--check", "1")["settings"]) > 5, "a single body")
finish()
