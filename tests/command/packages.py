#!/usr/bin/env python3
"""What packages need: one version everywhere, licences of all libraries, and a program that runs where OpenCL and cairo are not installed."""
import glob
import json
import os
import platform
import re
import shutil
import subprocess
import sys

import wheels
from tap import KYOHO, check, finish, folder, run, skip

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.dirname(os.path.abspath(KYOHO))


def tool(*words, cwd=TOP, **more):
    return subprocess.run(words, cwd=cwd, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300, **more)


def versions():
    """mk/set-version, on a copy of the files that it knows."""
    said = tool("mk/set-version", "--check")
    check(said.returncode == 0 and not said.stderr, "every recipe has the version, address and checksum of mk/version", said.stderr)
    with folder() as place:
        for path in ("mk", "include", "packaging", "debian", "docs/man", "docs/packages.md", "CITATION.cff", "codemeta.json", "CHANGELOG.md", "pyproject.toml"):
            copy = shutil.copytree if os.path.isdir(path) else shutil.copy
            os.makedirs(os.path.join(place, os.path.dirname(path)), exist_ok=True)
            copy(path, os.path.join(place, path))
        setter = os.path.join(place, "mk/set-version")
        said = tool(setter, "version=9.8.7", "url=https://kyoho.test", "sha256=" + "ab" * 32)
        check(said.returncode == 1 and len(said.stderr.splitlines()) == 2 and "debian/changelog" in said.stderr and "CHANGELOG.md" in said.stderr,
              "a new version lacks only its two texts", said.stderr)
        check(os.path.exists(os.path.join(place, "packaging/easybuild/Kyoho-9.8.7-foss-2023b.eb")), "the recipe of EasyBuild has the version in its name")
        left = tool("grep", "-rlE", r"example\.org|0{64}", "packaging", "pyproject.toml", cwd=place).stdout
        check(not left, "no recipe keeps the old address or checksum", left)
        one = os.path.join(place, "packaging/conda/recipe.yaml")
        with open(one, encoding="utf-8") as file:
            text = file.read()
        with open(one, "w", encoding="utf-8") as file:
            file.write(text.replace("9.8.7", "9.8.6"))
        said = tool(setter, "--check")
        check(said.returncode == 1 and "recipe.yaml: 9.8.6 instead of 9.8.7" in said.stderr, "a recipe of another version is named", said.stderr)
        check(tool(setter, "colour=red").returncode == 2, "other names are refused")
        for wrong in ("version=1.2", "version=", "date=tomorrow", "sha256=0", "url=kyoho"):
            said = tool(setter, wrong)
            check(said.returncode == 2 and wrong in said.stderr and "Traceback" not in said.stderr, f"{wrong} is refused", said.stderr)
        with open(os.path.join(place, "mk/version"), encoding="utf-8") as file:
            check("version=9.8.7\n" in file.read(), "and mk/version stays as it was")


def recipes():
    """Recipes in Python compile, and the page has the commands of EasyBuild's."""
    recipe, = glob.glob("packaging/easybuild/*.eb")
    with open(recipe, encoding="utf-8") as file, open("docs/packages.md", encoding="utf-8") as page:
        told = re.findall(r"(?m)^#   (.*)$", file.read())
        known = [line.strip() for line in page]
    check(len(told) == 2 and set(told) <= set(known), "packages.md has the commands of EasyBuild's recipe", "\n".join(told))
    for path in glob.glob("packaging/**/*.py", recursive=True) + glob.glob("packaging/easybuild/*.eb"):
        with open(path, encoding="utf-8") as file:
            text = file.read()
        try:
            compile(text, path, "exec")
            problem = ""
        except SyntaxError as why:
            problem = str(why)
        check(not problem, f"{path} is Python", problem)


# Prints conda's recipe as rattler-build reads it, a line of JSON for each platform.
RENDER = """
import json
from rattler_build import PlatformConfig, RenderConfig, Stage0Recipe, VariantConfig
for name in ("linux-64", "osx-arm64"):
    platform = PlatformConfig(target_platform=name, build_platform=name, host_platform=name)
    one, = Stage0Recipe.from_file("packaging/conda/recipe.yaml").render(VariantConfig({"c_stdlib": ["sysroot"]}), RenderConfig(platform=platform))
    print(json.dumps(one.recipe.to_dict(), default=str))
"""


def conda():
    """conda's recipe, as rattler-build reads it, of an archive and of a checkout."""
    if not os.environ.get("KYOHO_TEST_ALL"):
        return skip("conda's recipe, read by rattler-build", "make check-all runs this")
    programs, why = wheels.install(os.path.join("tests", "rattler-build"), "py-rattler-build")
    if not programs:
        return skip("conda's recipe, read by rattler-build", why)
    for checkout, keys in ("", {"url", "sha256"}), (TOP, {"path"}):
        said = tool(os.path.join(programs, "python"), "-c", RENDER, env=dict(os.environ, KYOHO_CHECKOUT=checkout))
        read = [json.loads(line) for line in said.stdout.splitlines()]
        check([set(one["source"][0]) for one in read] == [keys] * 2, f"conda's recipe takes {' and '.join(sorted(keys))}", said.stdout + said.stderr)
        check(["opencl-headers" in one["requirements"]["host"] for one in read] == [True, False], "it has OpenCL on Linux alone", said.stdout + said.stderr)
    return None


def licences():
    """mk/licences on this build, and on a library that NOTICE does not list."""
    files = [path for path in glob.glob(os.path.join(BUILD, "lib*.so")) + [KYOHO] if os.path.exists(path)]
    said = tool("mk/licences", *files)
    check(said.returncode == 0 and re.search(r"(?m)^c +LGPL", said.stdout), "every library that the build needs is in NOTICE", said.stdout + said.stderr)
    said = tool("mk/licences", "-lfftw3", *files)
    check(said.returncode == 1 and "needs fftw3, which NOTICE does not list" in said.stderr, "FFTW would be noticed", said.stderr)
    with folder() as place:
        source, made = os.path.join(place, "a.c"), os.path.join(place, "a.so")
        with open(source, "w", encoding="utf-8") as file:
            file.write("void fftw_execute(void *plan); void a(void); void a(void) { fftw_execute(0); }\n")
        built = tool(os.environ.get("CC", "cc").split()[-1], "-shared", "-fPIC", "-o", made, source)
        said = tool("mk/licences", made)
        check(built.returncode == 0 and said.returncode == 1 and "fftw_execute, a symbol of a library under the GPL" in said.stderr,
              "a symbol of FFTW would be noticed", built.stderr + said.stderr)


def parts():
    """packaging/static-parts, with an apt-get that has nothing to give: where it looks for sources, and what it leaves of the machine's."""
    if not os.path.exists("/usr/lib/apt/apt-helper"):
        skip("sources of the wheel's parts", "no apt here")
        return
    with folder() as place:
        release = platform.freedesktop_os_release()
        system = "bookworm" if release["ID"] == "debian" else release["VERSION_CODENAME"]
        for name, text in (("bin/apt-get", '#!/bin/sh\necho "$@" >>"$0.log"\ncase $* in *source\\ -y*) exit 1 ;; esac\n'), (f"mirror/dists/{system}/InRelease", "")):
            os.makedirs(os.path.dirname(os.path.join(place, name)), exist_ok=True)
            with open(os.path.join(place, name), "w", encoding="utf-8") as file:
                file.write(text)
        os.chmod(os.path.join(place, "bin/apt-get"), 0o755)
        before = sorted(os.listdir("/etc/apt/sources.list.d"))
        for mirror, code in ((f"copy:{place}/none", 2), (f"copy:{place}/mirror", 1)):
            said = tool("packaging/static-parts", os.path.join(place, "parts"), env=dict(os.environ, PATH=f"{place}/bin:{os.environ['PATH']}", MIRROR=mirror))
            check(said.returncode == code and ("name one by MIRROR" in said.stderr) == (code == 2), f"sources of the wheel's parts: {mirror.rpartition('/')[2]}", said.stdout + said.stderr)
        with open(os.path.join(place, "parts/apt/sources.list"), encoding="utf-8") as lists, open(os.path.join(place, "bin/apt-get.log"), encoding="utf-8") as log:
            check(f"deb-src copy:{place}/mirror {system} main" in lists.read() and log.read().count("sourceparts=- ") == 2, "they come from a list of their own")
        check(sorted(os.listdir("/etc/apt/sources.list.d")) == before, "and those of the machine stay as they are")


def without_libraries():
    """OpenCL's loader and cairo are opened when they are needed; here they seem not to be installed."""
    hide = os.path.join(BUILD, "tests/faults/hidden.so")
    needed = tool("readelf", "-d", KYOHO).stdout
    # clang links LLVM's OpenMP
    check("NEEDED" in needed and not re.search("NEEDED.*(OpenCL|cairo|libcuda|gomp)", needed), "the program starts without OpenCL, cairo, CUDA and GNU's OpenMP", needed)
    if not os.path.exists(hide):
        skip("a machine without OpenCL and cairo", "no " + hide)
        return
    env = {"LD_PRELOAD": hide, "KYOHO_TEST_HIDDEN": "libOpenCL libcairo"}
    built = run("--version").stdout
    said = run("devices", env=env).stdout
    check("OpenCL: no" in built or "libOpenCL.so.1 is not on this machine; install ocl-icd-libopencl1" in said, "kyoho devices says what to install", said)
    with folder() as place:
        path = os.path.join(place, "a")
        run("run", "--model", "plummer", "-n", "50", "--end", "0.125", "--output", path, "--quiet", env=env)
        if "PNG: yes" in built:
            drawn = run("draw", path, "-o", path + ".png", env=env)
            check(os.path.getsize(path + ".png") > 1000, "pictures are drawn without cairo", drawn.stderr)
        if "cairo: yes" in built:
            check("cairo: no, so that letters are coarse" in run("--version", env=env).stdout, "kyoho --version says that cairo is not there")
            said = run("draw", path, "-o", path + ".pdf", env=env, code=3).stderr
            check("install libcairo2" in said and len(said.splitlines()) == 1 and not os.path.exists(path + ".pdf"), "one line says what a PDF needs", said)


def old_driver():
    """With a driver that is older than the CUDA of this build, kyoho devices names the driver that is needed."""
    name, stub = "an old NVIDIA driver", os.path.join(BUILD, "tests/faults/old_driver.so")
    said = run("devices").stdout
    if "CUDA: yes" not in run("--version").stdout or "the host in place of a GPU" in said or not os.path.exists(stub):
        skip(name, "this build has no CUDA, or no " + stub)
        return
    with folder() as place:
        shutil.copy(stub, os.path.join(place, "libcuda.so.1"))
        said = run("devices", env={"LD_LIBRARY_PATH": place}).stdout
        check(re.search(r"(?m)^cuda .*the NVIDIA driver is too old: this build \(CUDA 1\d\) needs driver \d+ or newer$", said) and "\ncpu " in said, f"{name}: kyoho devices says which one is needed", said)


os.chdir(TOP)
versions()
recipes()
conda()
licences()
parts()
without_libraries()
old_driver()
finish()
