"""main.py TOOL [--only TEXT] [--self-test]: decodes generated images with the tool and with independent decoders."""

import argparse
import collections
import pathlib
import re
import sys
import tempfile
import time

import apng_cases
import avif_cases
import encoded_cases
import gainmap_cases
import gif_cases
import hdr_cases
import heif_cases
import jpeg_cases
import jxl_cases
import memory_cases
import newest_cases
import png_cases
import size_cases
import thumbhash_cases
import webp_cases
from harness import Harness

GROUPS = {"jpeg": jpeg_cases, "png": png_cases, "apng": apng_cases, "gif": gif_cases, "webp": webp_cases, "size": size_cases}
#: Groups that need a trait of the tool, and packages that aren't installed by default.
OPTIONAL_GROUPS = {"avif": avif_cases, "heif": heif_cases, "jxl": jxl_cases, "newest": newest_cases}
SHOWN = 40


def available_groups(tool):
    """Returns the groups that can run, and prints why the others can't."""
    groups = dict(GROUPS)
    for name, cases in OPTIONAL_GROUPS.items():
        reason = cases.unavailable(tool)
        if reason:
            print(f"{name}: skipped, because {reason}")
        else:
            groups[name] = cases
    return groups


def selected_checks(groups, folder, only):
    """Returns the checks whose names contain `only`. If it starts with the name of a group, only checks of that group."""
    named = [group for group in groups if only.startswith(group)]
    if only.startswith(("memory", "thumbhash", "encoded", "gainmap", "hdr")):
        return []
    checks = [check for group in named or groups for check in groups[group].checks(folder)]
    return [check for check in checks if only in check.name]


def report(failures, names, started):
    for name, reason, command in failures[:SHOWN]:
        print(f"{name}: {reason}\n    {command}")
    if len(failures) > SHOWN:
        print(f"... and {len(failures) - SHOWN} more")
    totals = collections.Counter(re.split("[- ]", name)[0] for name in names)
    print(", ".join(f"{name} {count}" for name, count in totals.items()), f"in {time.monotonic() - started:.0f} s")
    print(f"{len(names) - len(failures)} passed, {len(failures)} failed")


def self_test(tool, folder, checks):
    """Puts an error into each result of the tool. Returns whether all checks fail."""
    checks = checks[::7]
    failed = {check.name for check, _ in Harness(tool, folder, corrupts=True).run(checks)}
    blind = [check.name for check in checks if check.name not in failed]
    for name in blind:
        print(f"{name}: does not detect a wrong image")
    print(f"{len(checks) - len(blind)} passed, {len(blind)} failed")
    return not blind


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("--only", default="", help="only run checks whose names contain this text")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the images in this folder")
    parser.add_argument("--self-test", action="store_true", help="check that wrong images are detected")
    arguments = parser.parse_args()
    started = time.monotonic()
    groups = available_groups(arguments.tool)
    with tempfile.TemporaryDirectory(prefix="differential-") as temporary:
        folder = arguments.keep or pathlib.Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        checks = selected_checks(groups, folder, arguments.only)
        if arguments.self_test:
            sys.exit(not self_test(arguments.tool, folder, checks))
        failures = [
            (check.name, reason, f"imageload decode {' '.join([str(check.file), *check.options])}")
            for check, reason in Harness(arguments.tool, folder).run(checks)]
        names = [check.name for check in checks]
        converting = dict.fromkeys([encoded_cases, gainmap_cases, hdr_cases, apng_cases], "convert")
        for cases, command in {memory_cases: "bench decode", thumbhash_cases: "thumbhash", **converting}.items():
            outcomes = list(cases.outcomes(arguments.tool, folder, arguments.only))
            failures += [(name, reason, f"imageload {command}") for name, reason in outcomes if reason]
            names += [name for name, _ in outcomes]
        report(failures, names, started)
    sys.exit(bool(failures) or not names)


main()
