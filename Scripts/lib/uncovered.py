"""uncovered.py COVERAGE.json MODULE…: lists the lines of modules that no test ran, from the coverage that `swift test` exports.

Files whose names begin with Linux are left out, because no Apple platform compiles them.
"""

import itertools
import json
import pathlib
import sys


def uncovered(segments):
    """Returns the lines that never ran. A segment is [line, column, count, has a count, begins a region, is a gap]."""
    lines = set()
    for start, end in itertools.pairwise(segments):
        if start[3] and not start[5] and start[2] == 0:
            lines.update(range(start[0], max(start[0] + 1, end[0] + (end[1] > 1))))
    return sorted(lines)


def ranges(lines):
    """Returns lines as text, such as 3-5, 9."""
    parts = []
    for _, group in itertools.groupby(enumerate(lines), lambda pair: pair[1] - pair[0]):
        numbers = [line for _, line in group]
        parts.append(f'{numbers[0]}-{numbers[-1]}' if len(numbers) > 1 else f'{numbers[0]}')
    return ', '.join(parts)


def main(path, *modules):
    files = json.loads(pathlib.Path(path).read_text())['data'][0]['files']
    for module in modules:
        found = [file for file in files if f'/{module}/' in file['filename'] and '/Linux' not in file['filename']]
        if not found:
            sys.exit(f'error: {module} is not in the coverage')
        count = sum(file['summary']['lines']['count'] for file in found)
        never = {file['filename'].split(f'/{module}/')[-1]: uncovered(file['segments']) for file in found}
        print(f'{module}: {sum(map(len, never.values()))} of {count} lines never ran')
        for name, lines in sorted(never.items()):
            if lines:
                print(f'  {name}: {ranges(lines)}')


main(*sys.argv[1:])
