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


def make(place, *words):
    """Makes the libraries and the command in a folder of the build. Returns the folder."""
    to = os.path.join(BUILD, "cross", place)
    process = subprocess.run(["make", "-s", "-j2", f"BUILD={to}", *WITHOUT, *words, "all"], cwd=TOP, capture_output=True, text=True,
                             stdin=subprocess.DEVNULL)
    check(process.returncode == 0 and "warning:" not in process.stderr, f"{place}: compiles and links without a warning", process.stderr[-3000:])
    return to


def kind(path):
    """The first four bytes, and the processor of an ELF or Mach-O file."""
    with open(path, "rb") as file:
        head = file.read(20)
    return head[:4], head[4:8] if head[:4] != b"\x7fELF" else head[18:20]


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
        ends = [open(f"{place}/{name}/energy.csv", encoding="utf-8").read().splitlines()[-1] for name in ("whole", "half")]
        check(ends[0] == ends[1], f"{name}: a run that was resumed ends with the same energies", ends)
    return None


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
