"""main.py measure [--rounds N] [--lab LAB] [NAME…] | page | check"""

import argparse
import pathlib
import sys

from check import problems, prose
from groups import GROUPS
from measure import measure, read
from page import documents


def main():
    parser = argparse.ArgumentParser(prog='Scripts/bench-all')
    parser.add_argument('action', choices=['measure', 'page', 'check'])
    parser.add_argument('names', nargs='*', metavar='NAME', help=f'of {", ".join(GROUPS)}; by default all, those of other libraries only with a lab')
    parser.add_argument('--rounds', type=int, default=3)
    parser.add_argument('--lab', type=pathlib.Path)
    options = parser.parse_intermixed_args()
    if unknown := set(options.names) - set(GROUPS):
        parser.error(f'unknown: {", ".join(sorted(unknown))}; there are {", ".join(GROUPS)}')
    if options.rounds < 1:
        parser.error('--rounds must be at least 1')
    names = options.names or [name for name in GROUPS if options.lab or not GROUPS[name].needs_lab]
    if missing := [name for name in names if GROUPS[name].needs_lab and not options.lab]:
        parser.error(f'{", ".join(missing)} needs --lab')
    if options.action == 'measure':
        measure(names, options.rounds, options.lab and options.lab.resolve())
    figures = read()
    if options.action == 'check':
        found = list(problems(figures))
        if found:
            sys.exit('\n'.join(found + [f'error: {len(found)} figures differ from Documentation/figures.json']))
        return
    for path, text in [*documents(figures).items(), *prose(figures)]:
        path.write_text(text)


main()
