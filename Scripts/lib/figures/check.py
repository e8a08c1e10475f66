"""Finds figures that differ from the measured ones, and figures that nobody measured."""

import re

from measure import ROOT
from page import documents, shown

# A measured time or ratio. Delays, limits and durations of the product are in ms, s or bytes.
NUMBER = r'(?:\d(?:\.\d+)?|two|three|four|five|six|seven|eight|nine|ten)'
FIGURE = re.compile(
    r'\d ?(?:µs|ns)\b|\d ms (?:per|of processor)|\d\.\d+ ?×|\d % (?:faster|slower|less time)'
    rf'|(?:{NUMBER} ?(?:×|times)|twice) (?:as fast|as slow|as long|faster|slower|the time|libvips)')
# A figure in prose: <!-- figure: decode/AVIF, 4 MP, in full -->58.7 ms<!-- -->, with /ratio at the end of the name for its ratio.
MARK = re.compile(r'(<!-- figure: ([a-z-]+)/(.+?)(/ratio)? -->).*?(<!-- -->)')
PROSE = ['*.md', 'Packages/*/README.md', 'Apps/*/README.md', 'Documentation/Guides.docc/*.md', 'Documentation/Comparison.md',
         'Apps/*/Documentation/*.md', 'Documentation/FrontPage/*.html', 'Scripts/lib/pictures/*.html']
# Texts that have no figures.
OTHERS = ['Packages/*/Sources/**/*.swift', 'Documentation/StepByStep.docc/*.tutorial', 'Documentation/Site.docc/*.md', 'Documentation/Project.docc/*.md']


def prose(figures):
    """Yields each document with figures in prose, and its text with the measured ones."""
    for path in sorted(path for pattern in PROSE for path in ROOT.glob(pattern)):
        yield path, MARK.sub(lambda mark: mark[1] + shown(figures, *mark.group(2, 3, 4)) + mark[5], path.read_text())


def problems(figures):
    texts = list(prose(figures))
    for path, text in [*documents(figures).items(), *texts]:
        if not path.exists() or path.read_text() != text:
            yield f'{path.relative_to(ROOT)}: is not what Documentation/figures.json says; run Scripts/bench-all --page'
    others = [(path, path.read_text()) for pattern in OTHERS for path in sorted(ROOT.glob(pattern))]
    for path, text in texts + others:
        for number, line in enumerate(text.splitlines(), 1):
            if found := FIGURE.search(MARK.sub('', line)):
                yield (f'{path.relative_to(ROOT)}:{number}: "{found[0]}" reads like a measured figure; put it between <!-- figure: GROUP/NAME --> and '
                       '<!-- -->, or link to Performance.md')
