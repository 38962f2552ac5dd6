#!/usr/bin/env python3
# kyoho bench unroll: the table of unrollings, and the error of an engine that has none.
import os
import re

from tap import check, finish, run, run_json, skip

refused = run("bench", "unroll", "--engine", "cpu", code=3)
check("unrolled kernels" in refused.stderr and "kyoho devices" in refused.stderr and not refused.stdout,
      "the CPU engine has no unrollings, and the error says which engines have", refused.stderr)

SIDES = (1, 2, 4, 8)
NAMES = [f"{sinks}x{sources}" for sinks in SIDES for sources in SIDES] + ["tuned"]
devices = [d for d in run_json("devices")["devices"] if d["usable"] and d["engine"] != "cpu"]
if not devices:
    skip("the table of unrollings", "no CUDA or OpenCL device here")


def three(engine):
    extended = run_json("bench", "unroll", "--engine", engine, "-n", "300", "--precision", "extended")
    check([row["unroll"] for row in extended["bench"]] == ["1x1", "4x1", "4x4", "tuned"],
          "other precisions have none, simple, double and tuned", extended["bench"])


def sweep(engine):
    table = run_json("bench", "unroll", "--engine", engine, "-n", "700")
    rows = {row["unroll"]: row for row in table["bench"]}
    check([row["unroll"] for row in table["bench"]] == NAMES, "every unrolling and tuned are measured", list(rows))
    check(all(row["n"] == 700 and row["interactions_per_s"] > 0 and 0 < row["error"]["median"] < 1e-6
              and row["force"] == "direct" for row in rows.values()), "each row has interactions a second and a small error", rows)
    answer = table["unroll"]
    speed = {name: row["interactions_per_s"] for name, row in rows.items()}
    best = max(NAMES[:-1], key=speed.get)
    check(answer["best"] == best and answer["n"] == 700
          and all(abs(answer["over_" + name] * speed[other] / speed[best] - 1) < 1e-9
                  for name, other in (("none", "1x1"), ("simple", "4x1"), ("double", "4x4")))
          and abs(answer["tuned_over_best"] * speed[best] / speed["tuned"] - 1) < 1e-9,
          "the answer follows from the table", answer)
    text = run("bench", "unroll", "--engine", engine, "-n", "300").stdout.splitlines()
    check(len(text) == 9 and all(re.match(rf" +{side}( +[0-9.e+]+ +[0-9.e-]+){{4}}$", line)
                                 for side, line in zip(SIDES, text[3:7]))
          and text[7].startswith("tuned") and re.match(r"\dx\d is the fastest", text[8]),
          "the table on the terminal, and a line with the answer", "\n".join(text))


for device in devices[:1]:
    three(device["engine"])
    if "a CPU" in (device.get("reason") or "") and not os.environ.get("KYOHO_TEST_ALL"):
        skip("the table of unrollings", "its 16 kernels take 20 s to compile on a processor: make check-all")
    else:
        sweep(device["engine"])
finish()
