"""main.py TOOL [--only TEXT] [--self-test]: decodes generated images with the tool and with independent decoders."""

import argparse
import collections
import pathlib
import re
import sys
import tempfile
import time

import gif_cases
import jpeg_cases
import memory_cases
import png_cases
import size_cases
import webp_cases
from harness import Harness

SUBJECTS = {"jpeg": jpeg_cases, "png": png_cases, "gif": gif_cases, "webp": webp_cases, "size": size_cases}
SHOWN = 40


def gathered(folder, only):
    """All checks whose names contain `only`; of one subject alone when it begins with one."""
    named = [subject for subject in SUBJECTS if only.startswith(subject)]
    if only.startswith("memory"):
        return []
    checks = [check for subject in named or SUBJECTS for check in SUBJECTS[subject].checks(folder)]
    return [check for check in checks if only in check.name]


def report(failures, names, started):
    for name, reason, cure in failures[:SHOWN]:
        print(f"{name}: {reason}\n    {cure}")
    if len(failures) > SHOWN:
        print(f"... and {len(failures) - SHOWN} more")
    totals = collections.Counter(re.split("[- ]", name)[0] for name in names)
    print(", ".join(f"{name} {count}" for name, count in totals.items()), f"in {time.monotonic() - started:.0f} s")
    print(f"{len(names) - len(failures)} passed, {len(failures)} failed")


def self_test(tool, folder, checks):
    """With a fault in every answer of the tool, every check must fail."""
    checks = checks[::7]
    failed = {check.name for check, _ in Harness(tool, folder, sabotage=True).run(checks)}
    blind = [check.name for check in checks if check.name not in failed]
    for name in blind:
        print(f"{name}: does not notice a wrong image")
    print(f"{len(checks) - len(blind)} passed, {len(blind)} failed")
    return not blind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--only", default="", help="the checks whose names contain this")
    parser.add_argument("--keep", type=pathlib.Path, help="leave the images in this folder")
    parser.add_argument("--self-test", action="store_true", help="that a wrong image is noticed")
    arguments = parser.parse_args()
    started = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="differential-") as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        checks = gathered(folder, arguments.only)
        if arguments.self_test:
            sys.exit(not self_test(arguments.tool, folder, checks))
        failures = [
            (check.name, reason, f"imageload decode {' '.join([str(check.file), *check.options])}")
            for check, reason in Harness(arguments.tool, folder).run(checks)]
        outcomes = list(memory_cases.outcomes(arguments.tool, folder, arguments.only))
        failures += [(name, reason, "imageload bench decode") for name, reason in outcomes if reason]
        names = [check.name for check in checks] + [name for name, _ in outcomes]
        report(failures, names, started)
    sys.exit(bool(failures) or not names)


main()
