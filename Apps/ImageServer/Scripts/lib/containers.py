"""Checks the Dockerfile and the compose files without a container. See Apps/ImageServer/Scripts/check-containers."""

import os
import pathlib
import re
import shlex
import subprocess
import sys

import yaml
from dockerfile_parse import DockerfileParser

from processes import Process, free_port

# What the base image has.
BASE = {"libc6", "libgcc-s1", "libstdc++6"}
failures = 0


def expect(name, holds, text=""):
    global failures
    failures += not holds
    print(f"{'ok  ' if holds else 'FAIL'} {name}{f': {text}' if text and not holds else ''}")


def packages(stage):
    """Returns the packages that a stage installs."""
    found = set()
    for entry in stage:
        words = shlex.split(entry["value"]) if entry["instruction"] == "RUN" else []
        if "install" in words:
            rest = words[words.index("install") + 1 :]
            rest = rest[: rest.index("&&")] if "&&" in rest else rest
            found |= {word for word in rest if not word.startswith("-")}
    return found


def stages(path):
    parser = DockerfileParser(path=str(path))
    found = []
    for entry in parser.structure:
        if entry["instruction"] == "FROM":
            found.append([])
        if found:
            found[-1].append(entry)
    return found


def linked_packages(binary):
    """Returns the packages of the libraries that a program is linked with."""
    lines = subprocess.run(["ldd", binary], check=True, capture_output=True, text=True).stdout.splitlines()
    needed = subprocess.run(["readelf", "-d", binary], check=True, capture_output=True, text=True).stdout
    names = set(re.findall(r"NEEDED.*\[(.*)\]", needed))
    paths = {line.split()[0]: line.split()[2] for line in lines if " => /" in line}
    for name in sorted(names & set(paths)):
        path = os.path.realpath(paths[name])
        owner = subprocess.run(["dpkg", "-S", f"*/{path.rpartition('/')[2]}"], capture_output=True, text=True).stdout
        yield name, owner.partition(":")[0]


def check_dockerfile(binary, app):
    build, run = stages(app / "Dockerfile")
    standard = next(entry["value"] for entry in build if entry["instruction"] == "ARG").partition("=")[2]
    traits = re.findall(r"\.trait\(name: \"(\w+)\", description", (app / "Package.swift").read_text())
    expect("TRAITS are those of the package", set(standard.split(",")) == set(traits), f"{standard}; {traits}")
    for package in sorted(packages(build) | packages(run)):
        known = subprocess.run(["apt-cache", "show", package], capture_output=True).returncode == 0
        expect(f"package {package}", known, "Debian has none; run apt-get update first")
    for library, package in linked_packages(binary):
        # The Swift toolchain's own libraries are in the program of the image.
        expect(f"{library} is installed", not package or package in packages(run) | BASE, f"{package} is missing")
    names = [entry["instruction"] for entry in run]
    expect("runs as a user of its own, with a health check", {"USER", "HEALTHCHECK"} <= set(names))
    return dict(re.findall(r"(\w+)=(\S+)", next(entry["value"] for entry in run if entry["instruction"] == "ENV")))


def check_compose(binary, path, image):
    document = yaml.safe_load(path.read_text())
    for name, service in document["services"].items():
        if "build" not in service:
            continue
        context = (path.parent / service["build"]["context"]).resolve()
        expect(f"{path.name}: {name} is built from a Dockerfile", (context / service["build"]["dockerfile"]).exists())
        environment = image | {key: str(value) for key, value in service["environment"].items()}
        port = str(free_port())
        # Only what is different outside of a container.
        flags = ["--port", port, "--host", "127.0.0.1", "--cache-directory", ""]
        with Process([binary, *flags], int(port), environment=environment):
            health = subprocess.run([binary, "health", *flags], env={**os.environ, **environment}, capture_output=True)
            expect(f"{path.name}: {name} starts and is ready", health.returncode == 0, health.stderr.decode())


app = pathlib.Path(sys.argv[2])
image = check_dockerfile(sys.argv[1], app)
for path in sorted(app.glob("compose*.yaml")):
    check_compose(sys.argv[1], path, image)
sys.exit(1 if failures else 0)
