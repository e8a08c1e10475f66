"""Finds figures that differ from the measured ones, and figures that nobody measured."""

import re

from measure import ROOT
from page import documents, shown

# A measured time or ratio. Delays, limits and durations of the product are in ms, s or bytes.
FIGURE = re.compile(
    r'\d ?(?:µs|ns)\b|\d ms (?:per|of processor)|\d(?:\.\d+)? ?(?:×|times) (?:as fast|faster|slower|the time|libvips)|\d\.\d+ ?×|\d % (?:faster|slower|less time)')
MARK = re.compile(r'<!-- figure: ([a-z-]+)/(.+?)(/ratio)? -->')
PROSE = ['README.md', 'Packages/*/README.md', 'Apps/*/README.md', 'Documentation/Guides.docc/*.md', 'Documentation/Comparison.md',
         'Documentation/Scaling.md']


def problems(figures):
    for path, text in documents(figures).items():
        if not path.exists() or path.read_text() != text:
            yield f'{path.relative_to(ROOT)}: is not what Documentation/figures.json says; run Scripts/bench-all --page'
    for path in sorted(path for pattern in PROSE for path in ROOT.glob(pattern)):
        for number, line in enumerate(path.read_text().splitlines(), 1):
            yield from (f'{path.relative_to(ROOT)}:{number}: {problem}' for problem in wrong(line, figures))


def wrong(line, figures):
    """Yields what is wrong with the figures of a line."""
    marks = list(MARK.finditer(line))
    for mark in marks:
        try:
            expected = shown(figures, *mark.groups())
        except KeyError as missing:
            yield f'no such figure: {missing.args[0]}'
            continue
        if expected not in line:
            yield f'{mark[1]}/{mark[2]} is {expected}'
    if not marks and (found := FIGURE.search(line)):
        yield f'"{found[0]}" reads like a measured figure; mark it with <!-- figure: GROUP/NAME -->, or link to Performance.md'
