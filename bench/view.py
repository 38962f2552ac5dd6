#!/usr/bin/env python3
"""What the view of a run costs: view.py [KYOHO] [ROUNDS] [WORD...]

KYOHO is the program (build/kyoho), ROUNDS the number of measurements (default 9). The parts, of which WORDs choose some:
frame    processor time for a frame of a run that is paused, made and sent: of 100,000 bodies, and of a sample of 200,000 of a million,
         on one core of the CPU and with a GPU under CUDA if there is one
nobody   runs with --view and without in turn, while no page is open: the least processor time of each, and their ratio
picture  the page's first picture of 100,000 bodies in Chromium without a window, from the call of the address on"""
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "tests", "command"))
arguments = sys.argv[1:]
os.environ["KYOHO"] = arguments.pop(0) if arguments and os.path.exists(arguments[0]) else os.environ.get("KYOHO", "build/kyoho")
ROUNDS = int(arguments.pop(0)) if arguments and arguments[0].isdigit() else 9

import chromium  # noqa: E402  (they take the program from the environment)
from viewing import View  # noqa: E402

RUN = ["run", "--threads", "1", "--quiet", "--model", "plummer", "--restart-every", "0", "--engine"]


def processor_seconds(process):
    """Of a process that lives."""
    with open(f"/proc/{process.pid}/stat", encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


def many_bodies(n, engine, folder):
    return View(*RUN, engine, "-n", n, "--softening", "0.01", "--step", "0.001", "--steps", "1000000", "--output", os.path.join(folder, str(n)),
                "--overwrite", "--view")


def has_cuda():
    listed = subprocess.run([os.environ["KYOHO"], "devices", "--json"], check=True, capture_output=True, text=True).stdout
    return any(device["engine"].startswith("cuda:") and device["usable"] for device in json.loads(listed)["devices"])


def frames(folder):
    for n, engine in ((100000, "cpu"), (1000000, "cpu"), *([(1000000, "cuda")] if has_cuda() else [])):
        view = many_bodies(n, engine, folder)
        text = view.pause(view.frame()[0]["number"])
        number, taken, waited = text["number"], [], []
        for _ in range(ROUNDS):
            begin, clock, count = processor_seconds(view.process), time.monotonic(), 20
            for _ in range(count):  # an order makes a new frame of the same time
                view.code("/pause", "POST")
                number = view.frame(number)[0]["number"]
            taken.append((processor_seconds(view.process) - begin) / count)
            waited.append((time.monotonic() - clock) / count)
        print(f"frame of {text['shown']} of {n} bodies, {engine}: {1e3 * statistics.median(taken):.1f} ms of one core, least {1e3 * min(taken):.1f} ms; "
              f"{1e3 * statistics.median(waited):.1f} ms until a client has read it", flush=True)
        view.code("/stop", "POST")
        view.end()


def nobody(folder):
    for n, steps in ((3, 1000000), (100, 30000), (3000, 150)):
        taken = {(): [], ("--view",): []}
        for k in range(ROUNDS):
            for how in taken if k % 2 else reversed(taken):
                before = resource.getrusage(resource.RUSAGE_CHILDREN)
                subprocess.run([os.environ["KYOHO"], *RUN, "cpu", "-n", str(n), "--softening", "0.1", "--step", "0.001", "--steps", str(steps), "--energy-every",
                                str(steps / 1000), "--output", os.path.join(folder, "nobody"), "--overwrite", *how], check=True, stderr=subprocess.DEVNULL)
                after = resource.getrusage(resource.RUSAGE_CHILDREN)
                taken[how].append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
        without, with_it = (min(times) for times in taken.values())
        medians = [statistics.median(times) for times in taken.values()]
        print(f"nobody looks, {n} bodies, {steps} steps: {without:.3f} s without a view, {with_it:.3f} s with it: {100 * (with_it / without - 1):+.2f} %; "
              f"medians {100 * (medians[1] / medians[0] - 1):+.2f} %", flush=True)


def picture(folder):
    if not chromium.find():
        print("picture: chromium is not installed")
        return
    view = many_bodies(100000, "cpu", folder)
    view.frame()
    taken, loops = [], []
    with chromium.Browser() as browser:
        for _ in range(ROUNDS):
            page = browser.open("about:blank")
            begin = time.monotonic()
            page.call("Page.navigate", url=view.address)
            page.until("view.frames > 0")
            taken.append(time.monotonic() - begin)
            lit = page.value("view.lit()")
            loops.append(page.value("(() => { const begin = performance.now(); for (let k = 0; k < 5; k++) { upload(); view.lit(); } return (performance.now() - begin) / 5; })()"))
            page.call("Page.navigate", url="about:blank")
    print(f"first picture of 100000 bodies: {statistics.median(taken):.2f} s, {min(taken):.2f} to {max(taken):.2f} s, {lit} lit pixels; "
          f"drawn again in {statistics.median(loops):.0f} ms", flush=True)
    view.code("/stop", "POST")
    view.end()


with tempfile.TemporaryDirectory(prefix="kyoho-bench-") as place:
    for name, part in (("frame", frames), ("nobody", nobody), ("picture", picture)):
        if not arguments or name in arguments:
            part(place)
