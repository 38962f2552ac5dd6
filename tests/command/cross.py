#!/usr/bin/env python3
"""Other processors and systems, by cross compilers: Linux on AArch64, whose program then runs under qemu, and macOS on both processors
(compiled and linked; nothing here runs it), by the clang of the package ziglang, which is installed once into a folder of the build."""
import os
import shutil
import subprocess

import tap
import wheels
from tap import check, finish, folder, skip
from wheels import BUILD, TOP

WITHOUT = [f"{library}=no" for library in ("HDF5", "PNG", "CAIRO", "OPENCL", "CUDA")]


UNITS = ("sums", "gravity", "octree", "cpu_direct", "cpu_moving", "fmm", "general_walk", "few", "groups")  # unit tests with most of the lanes; the others are linked


def make(place, *words, goals=("all",)):
    """Makes the libraries and the command, or these goals, in a folder of the build. Returns the folder."""
    to = os.path.join(BUILD, "cross", place)
    process = subprocess.run(["make", "-s", "-j2", f"BUILD={to}", *WITHOUT, *words, *goals], cwd=TOP, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    check(process.returncode == 0 and "warning:" not in process.stderr, f"{place}: compiles and links without a warning: {' '.join(goals)}", process.stderr[-3000:])
    return to


def kind(path):
    """The first four bytes, and the processor of an ELF or Mach-O file."""
    with open(path, "rb") as file:
        head = file.read(20)
    return head[:4], head[4:8] if head[:4] != b"\x7fELF" else head[18:20]


def units_on_aarch64(emulator):
    """Unit tests under qemu, with plain C and NEON, where cmocka for AArch64 is installed."""
    name, gcc, found = "AArch64: unit tests", "aarch64-linux-gnu-gcc", ["-idirafter", "/usr/include"]
    linked = subprocess.run([gcc, *found, "-include", "stdarg.h", "-include", "stddef.h", "-include", "stdint.h", "-include", "setjmp.h", "-include", "cmocka.h", "-x", "c",
                             "-", "-o", os.devnull, "-lcmocka"], input="int main(void) { return 0; }", capture_output=True, text=True, check=False)
    if linked.returncode:
        return skip(name, "no cmocka for AArch64 here: install libcmocka-dev:arm64")
    to = make("aarch64-linux", f"CC={gcc}", "CMOCKA=cmocka", "TEST_FLAGS=" + " ".join(found), goals=["tests"])
    for unit in UNITS:
        words = [emulator, "-L", "/usr/aarch64-linux-gnu", "-E", "LD_LIBRARY_PATH=/usr/lib/aarch64-linux-gnu", f"{to}/tests/unit/{unit}"]
        done = subprocess.run(words, cwd=TOP, env=dict(os.environ, CMOCKA_MESSAGE_OUTPUT="TAP"), capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)
        passed = [line for line in done.stdout.splitlines() if line.startswith("ok ")]
        check(done.returncode == 0 and passed,
              f"{name}: {unit}, {len(passed)} cases", done.stdout[-3000:] + done.stderr[-1000:])
    return None


def on_aarch64():
    name = "AArch64 with gcc"
    emulator = shutil.which("qemu-aarch64-static") or shutil.which("qemu-aarch64")
    if not shutil.which("aarch64-linux-gnu-gcc"):
        return skip(name, "no aarch64-linux-gnu-gcc here: install gcc-aarch64-linux-gnu")
    to = make("aarch64-linux", "CC=aarch64-linux-gnu-gcc")
    check(kind(os.path.join(to, "kyoho")) == (b"\x7fELF", b"\xb7\0"), f"{name}: the command is one for AArch64")
    if not emulator:
        return skip(f"{name}: runs", "no qemu-aarch64 here: install qemu-user-static")
    tap.KYOHO = os.path.join(BUILD, "cross", "aarch64")
    with open(tap.KYOHO, "w", encoding="utf-8") as script:
        script.write(f'#!/bin/sh\nexec {emulator} -L /usr/aarch64-linux-gnu {to}/kyoho "$@"\n')
    os.chmod(tap.KYOHO, 0o755)
    for isa in ("plain", "neon"):
        for force, most in (("direct", 1e-6), ("tree", 2e-3), ("fmm", 1e-3)):
            told = tap.run_json("force", "--model", "plummer", "-n", 2000, "--force", force, "--isa", isa, "--engine", "cpu", "--threads", 2,
                                "--check", 200)
            check(0 < told["error"]["p99"] < most, f"{name}: {force} with {isa}: 99 % of the errors are below {most:g}", told)
    with folder() as place:
        tap.run("run", "--model", "plummer", "-n", 500, "--end", 0.25, "--output", f"{place}/whole", "--engine", "cpu")
        tap.run("run", "--model", "plummer", "-n", 500, "--end", 0.125, "--output", f"{place}/half", "--engine", "cpu")
        tap.run("run", "--resume", f"{place}/half", "--end", 0.25)
        # without the seconds of the clock
        ends = [open(f"{place}/{name}/energy.csv", encoding="utf-8").read().rpartition(",")[0].splitlines()[-1] for name in ("whole", "half")]
        check(ends[0] == ends[1], f"{name}: a run that was resumed ends with the same energies", ends)
    return units_on_aarch64(emulator)


def on_macos():
    programs, why = wheels.install(os.path.join("cross", "venv"), "ziglang")
    if why:
        return skip("macOS", why)
    python = os.path.join(programs, "python")
    for processor, mark in (("aarch64", b"\x0c\0\0\1"), ("x86_64", b"\7\0\0\1")):
        tools = {}
        for tool, words in (("cc", f"cc -target {processor}-macos"), ("ar", "ar")):
            tools[tool] = os.path.join(BUILD, "cross", f"{processor}-{tool}")
            with open(tools[tool], "w", encoding="utf-8") as script:
                script.write(f'#!/bin/sh\nexec {python} -m ziglang {words} "$@"\n')
            os.chmod(tools[tool], 0o755)
        to = make(f"{processor}-macos", f"CC={tools['cc']}", f"AR={tools['ar']}")
        check(kind(os.path.join(to, "kyoho")) == (b"\xcf\xfa\xed\xfe", mark), f"macOS on {processor}: the command is one for it")
        check(os.path.exists(os.path.join(to, "libkyoho.dylib")), f"macOS on {processor}: the library is a dylib")
    return None


os.makedirs(os.path.join(BUILD, "cross"), exist_ok=True)
on_aarch64()
on_macos()
finish()
