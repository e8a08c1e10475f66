"""main.py TOOL [options]: compares the colors of the tool with Little CMS, libvips and the formulas of the standards."""

import argparse
import pathlib
import sys
import tempfile

import banding
import cases
import edge_cases
import page
import samples
import self_test
import written
from comparison import COLORS, Comparison
from tool import Tool


def generated(tool, folder, only):
    """Yields the results of all generated images whose names contain `only`."""
    comparison = Comparison(tool, folder)
    colors = COLORS if tool.has_colors else ["srgb"]
    for group, options in [(cases.all_cases, []), (edge_cases.all_cases, []), (edge_cases.resized, ["--size", "120x88"])]:
        chosen = [case for case in group(folder) if only in case.name]
        if chosen:
            yield from comparison.rows(chosen, colors, options)
    yield from banding.rows(tool, folder, only, colors)
    yield from written.rows(tool, folder, only, colors)


def of_samples(tool, folder, source, only):
    chosen = [case for case in samples.all_cases(source, folder) if only in case.name]
    return Comparison(tool, folder).rows(chosen, COLORS if tool.has_colors else ["srgb"]) if chosen else []


def report(rows):
    """Prints results as they come. Returns whether there are some, and all pass."""
    print(f"{'image':44} {'color':5} {'reference':9} {'average':>7} {'largest':>7}")
    passed = failed = 0
    for row in rows:
        print(row.text, flush=True)
        passed, failed = passed + row.passes, failed + (not row.passes)
    print(f"{passed} passed, {failed} failed (CIEDE2000; the limits are 1 on average and 3 at most)")
    return passed > 0 and failed == 0


def run_self_test(folder):
    problems = list(self_test.problems(folder))
    for problem in problems:
        print(problem)
    print(f"{len(self_test.ERRORS)} planted errors, {len(problems)} problems")
    return not problems


def write_page(tool, before, target, source):
    target.mkdir(parents=True, exist_ok=True)
    extra = list(samples.all_cases(source, target)) if source else []
    path, rows, passes = page.write(target.resolve(), tool, before and Tool(before), extra)
    print(path, page.render(path, rows) or "(Chromium is missing: Scripts/bootstrap --for-browser)", sep="\n")
    return passes


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool", type=pathlib.Path)
    parser.add_argument("samples", type=pathlib.Path, nargs="?", help="also compare the images in this folder")
    parser.add_argument("--only", default="", help="only compare images whose names contain this text")
    parser.add_argument("--keep", type=pathlib.Path, help="keep the images in this folder")
    parser.add_argument("--self-test", action="store_true", help="check that errors are found")
    parser.add_argument("--page", type=pathlib.Path, help="write a page of images into this folder")
    parser.add_argument("--before", type=pathlib.Path, help="the imageload whose images the page shows first")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="color-") as temporary:
        folder = (arguments.keep or pathlib.Path(temporary)).resolve()
        folder.mkdir(parents=True, exist_ok=True)
        if arguments.self_test:
            sys.exit(not run_self_test(folder))
        tool = Tool(arguments.tool)
        if arguments.page:
            sys.exit(not write_page(tool, arguments.before, arguments.page, arguments.samples))
        if arguments.samples:
            sys.exit(not report(of_samples(tool, folder, arguments.samples.resolve(), arguments.only)))
        sys.exit(not report(generated(tool, folder, arguments.only)))


main()
