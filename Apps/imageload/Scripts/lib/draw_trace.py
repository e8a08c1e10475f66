"""draw_trace.py TRACE SVG: draws a trace in the Trace Event Format, with a row for each thread."""

import json
import math
import sys
from xml.sax.saxutils import escape

COLORS = {
    'lookup': '#9aa5b5', 'queue': '#f0c36d', 'download': '#3f7fbf', 'decode': '#4b9144', 'process': '#a05fb5', 'join': '#d9a0a0',
}
WIDTH, LEFT, RIGHT, TOP, ROW = 760, 150, 20, 64, 24
FONT = "-apple-system, 'Segoe UI', 'DejaVu Sans', Helvetica, Arial, sans-serif"
MOST_ROWS = 40


def rows(events):
    """Returns a name, the request and its stages for each thread, in the order of their starts."""
    threads = {}
    for event in events:
        thread = threads.setdefault(event['tid'], {'name': '', 'request': None, 'stages': []})
        if event['ph'] == 'M' and event['name'] == 'thread_name':
            thread['name'] = event['args']['name'].rstrip('/').rsplit('/', 1)[-1]
        elif event['ph'] == 'X' and event['name'] == 'request':
            thread['request'] = event
        elif event['ph'] == 'X':
            thread['stages'].append(event)
    complete = [thread for thread in threads.values() if thread['request']]
    return sorted(complete, key=lambda thread: thread['request']['ts'])[:MOST_ROWS]


def step(milliseconds):
    """Returns the distance of grid lines: 1, 2 or 5 times a power of ten, for at most ten lines."""
    power = 10 ** math.floor(math.log10(milliseconds / 10))
    return next(power * factor for factor in [1, 2, 5, 10] if milliseconds / (power * factor) <= 10)


def draw(events):
    threads = rows(events)
    start = min(thread['request']['ts'] for thread in threads)
    end = max(thread['request']['ts'] + thread['request']['dur'] for thread in threads)
    scale = (WIDTH - LEFT - RIGHT) / max(end - start, 1)
    height = TOP + len(threads) * ROW + 36

    def x(time):
        return LEFT + (time - start) * scale

    yield (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
           f'font-family="{FONT}" font-size="13" fill="#1c2430" role="img" aria-labelledby="title">')
    yield f'<title id="title">The stages of {len(threads)} requests over {(end - start) / 1e3:.0f} milliseconds</title>'
    yield f'<rect x="1" y="1" width="{WIDTH - 2}" height="{height - 2}" rx="14" fill="#f7f8fa" stroke="#c6ccd6"/>'
    used = [name for name in COLORS if any(stage['name'] == name for thread in threads for stage in thread['stages'])]
    for index, name in enumerate(used):
        left = LEFT + index * 96
        yield f'<rect x="{left}" y="20" width="14" height="14" rx="3" fill="{COLORS[name]}"/>'
        yield f'<text x="{left + 20}" y="32">{name}</text>'
    bottom = TOP + len(threads) * ROW
    distance = step((end - start) / 1e3)
    for number in range(int((end - start) / 1e3 / distance) + 1):
        position = x(start + number * distance * 1e3)
        yield f'<path d="M{position:.1f} {TOP - 8}V{bottom + 4}" stroke="#dde1e7"/>'
        yield f'<text x="{position:.1f}" y="{bottom + 22}" text-anchor="middle" fill="#5b6675">{number * distance:g}</text>'
    yield f'<text x="20" y="{bottom + 22}" fill="#5b6675">milliseconds</text>'
    for index, thread in enumerate(threads):
        top = TOP + index * ROW
        name = thread['name'] if len(thread['name']) <= 17 else thread['name'][:16] + '…'
        yield f'<text x="20" y="{top + 13}">{escape(name)}</text>'
        request = thread['request']
        yield (f'<rect x="{x(request["ts"]):.1f}" y="{top}" width="{max(request["dur"] * scale, 1):.1f}" height="17" rx="3" '
               f'fill="#ffffff" stroke="#c6ccd6"/>')
        for stage in thread['stages']:
            opacity = ' opacity="0.45"' if stage['args'] else ''
            yield (f'<rect x="{x(stage["ts"]):.1f}" y="{top}" width="{max(stage["dur"] * scale, 0.6):.1f}" height="17" '
                   f'fill="{COLORS.get(stage["name"], "#333333")}"{opacity}/>')
    yield '</svg>'


def main(trace, picture):
    with open(trace, encoding='utf-8') as file:
        events = json.load(file)['traceEvents']
    if not rows(events):
        raise SystemExit(f'error: {trace} has no complete request')
    with open(picture, 'w', encoding='utf-8') as file:
        file.write('\n'.join(draw(events)) + '\n')


if __name__ == '__main__':
    main(*sys.argv[1:])
