"""Makes the pages of figures in Documentation, and their plots."""

import math
import pathlib
import re
import statistics
import xml.sax.saxutils

from groups import GROUPS
from measure import ROOT

TEMPLATES = [pathlib.Path(__file__).with_name(name) for name in ('Performance.md', 'PerformanceTables.md')]
FOLDER = ROOT / 'Documentation'
VIPS = ", of vips-8.18's time"
UNITS = {'ns': ('µs', 1e3), 'µs': ('ms', 1e3), 'ms': ('s', 1e3), 'B': ('kB', 1e3)}
# A row of `bench-peers`: a goal, what was measured, ours, and the limit.
PEERS = re.compile(r'^\| \d+ \| (.+?) \| (-?[\d.]+) \|')
MARK = re.compile(r'\{([a-z-]+)(?:/(.+?)(/ratio)?)?\}')


def number(value):
    """Returns three significant digits, at most two decimals."""
    return f'{value:.0f}' if value >= 100 else f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def spread(numbers):
    """Returns the least and the most as text: one number if both read the same."""
    least, most = number(min(numbers)), number(max(numbers))
    return least if least == most else f'{least} to {most}'


def time(row):
    """The range of a value over all rounds, with its unit."""
    unit, factor = row['unit'], 1
    while min(row['values']) / factor >= 1000 and unit in UNITS:
        unit, factor = UNITS[unit][0], factor * UNITS[unit][1]
    return f'{spread([value / factor for value in row["values"]])} {unit}'


def ratio(row):
    return f'{spread(row["ratios"])} ×'


def goal(row):
    if 'goal' not in row:
        return ''
    median = statistics.median(row.get('ratios') or row['values'])
    limit = f'{row["goal"]:g} {"×" if "ratios" in row else row["unit"]}'
    return limit if median <= row['goal'] else f'{limit}: not reached'


def table(rows, baseline):
    has_ratio, has_goal = any('ratios' in row for row in rows.values()), any('goal' in row for row in rows.values())
    heads = ['', 'measured'] + [f'relative to {baseline or "the comparison"}'] * has_ratio + ['goal'] * has_goal
    lines = ['| ' + ' | '.join(heads) + ' |', '|---' * len(heads) + '|']
    for name, row in rows.items():
        cells = [name, time(row)] + [ratio(row) if 'ratios' in row else ''] * has_ratio + [goal(row)] * has_goal
        lines.append('| ' + ' | '.join(cells) + ' |')
    return lines


def plot(rows, baseline):
    """Draws the ratios as bars, with their range, and the goals as marks. The line is 1: as fast as the baseline."""
    rows = {name: row for name, row in rows.items() if 'ratios' in row and set(row['ratios']) != {1}}
    width, left, right, step = 860, 360, 60, 26
    largest = max(max(row['ratios'] + [row.get('goal', 0), 1]) for row in rows.values())
    largest = min(largest, 2.5)
    x = lambda value: left + min(value, largest) / largest * (width - left - right)
    parts = [f'<text x="14" y="24" font-size="15" font-weight="bold">Time relative to {baseline}: less is faster</text>']
    for index, (name, row) in enumerate(rows.items()):
        y, median = 40 + index * step, statistics.median(row['ratios'])
        parts.append(f'<text x="{left - 10}" y="{y + 14}" text-anchor="end">{xml.sax.saxutils.escape(name)}</text>')
        parts.append(f'<rect x="{left}" y="{y + 3}" width="{x(median) - left:.1f}" height="15" fill="#4c78a8"/>')
        parts.append(f'<path d="M{x(min(row["ratios"])):.1f} {y + 10.5}H{x(max(row["ratios"])):.1f}" stroke="#1b2a3a" stroke-width="2"/>')
        parts.append(f'<text x="{x(max(row["ratios"])) + 7:.1f}" y="{y + 15}">{number(median)}</text>')
        if 'goal' in row:
            parts.append(f'<path d="M{x(row["goal"]):.1f} {y}v21" stroke="#d62728" stroke-width="2"/>')
    height = 40 + len(rows) * step + 34
    parts.append(f'<path d="M{x(1):.1f} 34V{height - 30}" stroke="#555555" stroke-dasharray="4 3"/>')
    notes = 'Bar: median. Dark line: range of the rounds. Dashed: as fast as the baseline.'
    parts.append(f'<text x="14" y="{height - 10}" font-size="12">{notes}{" Red: goal." if any("goal" in row for row in rows.values()) else ""}</text>')
    return drawing(width, height, parts)


def hit_ratios(text):
    """Draws the hit ratios of eviction policies relative to the optimum, by their tables: dots, and the mean as a line."""
    width, left, right, top, step = 480, 112, 430, 58, 34
    parts, height = [], 0
    for panel, (title, lines) in enumerate(zip(('by count', 'by bytes'), '\n'.join(text).split('\n\n'))):
        rows = [[cell.split(' / ')[0].strip() for cell in line.strip('| ').split(' | ')] for line in lines.split('\n')]
        policies = [(float(rows[-1][column]), name, [float(row[column]) / float(row[-1]) for row in rows[2:-1]])
                    for column, name in enumerate(rows[0]) if 0 < column < len(rows[0]) - 1]
        start, shift = math.floor(min(min(ratios) for *_, ratios in policies) * 10) / 10, panel * width
        x = lambda value: shift + left + (min(value, 1) - start) / (1 - start) * (right - left)
        bottom = top + step * len(policies)
        height = max(height, bottom + 44)
        parts.append(f'<text x="{shift + 14}" y="24" font-size="15" font-weight="bold">Hit ratio against the optimum, {title}</text>')
        for tick in range(round(start * 10), 11):
            parts.append(f'<path d="M{x(tick / 10):.1f} {top - 14}V{bottom}" stroke="#dddddd"/>')
            parts.append(f'<text x="{x(tick / 10):.1f}" y="{bottom + 20}" text-anchor="middle" fill="#666666">{tick / 10}</text>')
        for index, (mean, name, ratios) in enumerate(sorted(policies, reverse=True)):
            y = top + step * index + 4
            parts.append(f'<text x="{shift + left - 12}" y="{y + 5}" text-anchor="end">{name}</text>')
            parts += [f'<circle cx="{x(ratio):.1f}" cy="{y}" r="4" fill="#3b76b8" fill-opacity="0.35"/>' for ratio in ratios]
            parts.append(f'<rect x="{x(mean) - 1.5:.1f}" y="{y - 9}" width="3" height="18" fill="#c8501e"/>')
            parts.append(f'<text x="{shift + right + 10}" y="{y + 5}" fill="#c8501e">{mean:.3f}</text>')
    return drawing(2 * width, height, parts)


def drawing(width, height, parts):
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
            f'font-family="Helvetica, Arial, sans-serif" font-size="13" fill="#222222">\n<rect width="100%" height="100%" fill="#ffffff"/>\n' + '\n'.join(parts) + '\n</svg>\n')


def peers(result):
    """Returns the figures of `bench-peers` by name."""
    return dict(found.groups() for line in result['text'] if (found := PEERS.match(line)))


def section(name, result):
    """Returns the command, when and where it ran, and what it printed."""
    group = GROUPS[name]
    command = group.command.replace('benchmarks', 'swift run -c release benchmarks', 1) if group.command.startswith('benchmarks') else group.command
    rounds = 'one run' if result['rounds'] == 1 else f'{result["rounds"]} runs'
    load = spread(result['load'])
    lines = [f'`{command}`, {result["date"]}, commit `{result["commit"]}`, {rounds}, load of the machine before each {load}:', '']
    if 'figures' in result:
        if group.baseline:
            lines += [f'![Times relative to {group.baseline}](figures-{name}.svg)', '']
        return lines + table(result['figures'], group.baseline)
    if group.prints == 'markdown':
        return lines + result['text']
    return lines + ['```', *result['text'], '```']


def shown(figures, name, row, is_ratio):
    """The text of one figure in prose."""
    found = (peers(figures[name]) if name == 'peers' else figures.get(name, {}).get('figures', {})).get(row)
    if found is None:
        raise SystemExit(f'error: there is no figure {name}/{row} in Documentation/figures.json')
    return found if name == 'peers' else ratio(found) if is_ratio else time(found)


def documents(figures):
    """Returns the generated files with their texts."""
    machines = sorted({result['machine'] for result in figures.values()})

    def fill(match):
        name, row, is_ratio = match.groups()
        if name == 'machine':
            return '; '.join(machines)
        if row:
            return shown(figures, name, row, is_ratio)
        return '\n'.join(section(name, figures[name])) if name in figures else 'Not measured yet.'

    files = {FOLDER / template.name: MARK.sub(fill, template.read_text()) for template in TEMPLATES}
    if 'eviction' in figures:
        files[FOLDER / 'hit-ratios.svg'] = hit_ratios(figures['eviction']['text'])
    if 'peers' in figures:
        rows = {name.removesuffix(VIPS): {'ratios': [float(value)]} for name, value in peers(figures['peers']).items() if name.endswith(VIPS)}
        files[FOLDER / 'figures-peers.svg'] = plot(rows, 'libvips 8.18')
    for name, result in figures.items():
        if GROUPS[name].baseline:
            files[FOLDER / f'figures-{name}.svg'] = plot(result['figures'], GROUPS[name].baseline)
    return files
