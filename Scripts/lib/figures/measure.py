"""Runs the measurements of Scripts/bench-all, and writes their results into one file."""

import contextlib
import datetime
import json
import os
import pathlib
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile

from groups import GROUPS

ROOT = pathlib.Path(__file__).resolve().parents[3]
FILE = ROOT / 'Documentation/figures.json'


def read():
    return json.loads(FILE.read_text()) if FILE.exists() else {}


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def machine():
    """Describes this machine in one line."""
    lines = pathlib.Path('/proc/cpuinfo').read_text().splitlines()
    model = next((line.split(': ')[1] for line in lines if line.startswith('model name')), platform.machine())
    system = dict(line.split('=', 1) for line in pathlib.Path('/etc/os-release').read_text().splitlines() if '=' in line)
    memory = os.sysconf('SC_PAGE_SIZE') * os.sysconf('SC_PHYS_PAGES') / 2**30
    swift = next(word for line in output('swift', '--version').splitlines() for word in line.split() if word[0].isdigit())
    return f'{os.cpu_count()} cores of {model}, {memory:.0f} GiB, {system["PRETTY_NAME"].strip(chr(34))}, Swift {swift}'


def commit():
    """Returns the commit, and whether sources differ from it."""
    return output('git', 'rev-parse', '--short', 'HEAD') + (' with changes' if output('git', 'status', '--porcelain', 'Packages', 'Apps') else '')


@contextlib.contextmanager
def new_file_system():
    """Yields a folder on a new ext4 file system, because files are created more slowly where many were removed. Root only; else a temporary folder."""
    with tempfile.TemporaryDirectory(prefix='figures-') as folder:
        if os.getuid():
            yield folder
            return
        image = pathlib.Path(folder) / 'image'
        output('truncate', '-s', '4G', str(image))
        output('mkfs.ext4', '-q', str(image))
        mounted = pathlib.Path(folder) / 'mounted'
        mounted.mkdir()
        output('mount', '-o', 'loop', str(image), str(mounted))
        try:
            yield str(mounted)
        finally:
            output('umount', str(mounted))


def run(command, lab, is_json):
    """Returns what a command prints. A command that fails ends the measurements."""
    words = [str(lab) if word == 'LAB' else word for word in shlex.split(command)]
    # bench-peers adds to the results in its folder.
    shutil.rmtree(ROOT / 'out/figures', ignore_errors=True)
    if words[0] == 'benchmarks':
        words = [str(ROOT / '.build/release/benchmarks'), *words[1:], *(['--json'] if is_json else [])]
    environment = os.environ | ({'PYTHON': str(lab / 'venv/bin/python')} if lab else {})
    with new_file_system() if command.startswith('benchmarks disk') else contextlib.nullcontext(tempfile.gettempdir()) as folder:
        result = subprocess.run(words, cwd=ROOT, stdout=subprocess.PIPE, text=True, env=environment | {'TMPDIR': folder})
    if result.returncode:
        sys.exit(f'error: {command} ended with status {result.returncode}\n{result.stdout}')
    return result.stdout


def figure(row):
    return row | {'unit': row['unit'].replace('times', '×')}


def merge(rounds):
    """Merges the rows of all rounds: one for each name, with the values of all rounds."""
    rows = {}
    for row in (figure(row) for rows_of_round in rounds for row in rows_of_round):
        merged = rows.setdefault(row['name'], {'unit': row['unit'], 'values': []})
        merged['values'].append(float(f'{row["value"]:.6g}'))
        if row.get('ratio') is not None:
            merged.setdefault('ratios', []).append(round(row['ratio'], 4))
        if row.get('goal') is not None:
            merged['goal'] = row['goal']
        for other in row.get('beside', []):
            name = f'{row["name"]}: {other["name"]}'
            rows.setdefault(name, {'unit': row['unit'], 'values': []})['values'].append(float(f'{other["value"]:.6g}'))
    return rows


def measure(names, rounds, lab):
    figures = read()
    for name in names:
        group = GROUPS[name]
        count = group.rounds or rounds
        result = {
            'date': datetime.date.today().isoformat(), 'machine': machine(), 'rounds': count,
            'commit': commit(), 'load': [],
        }
        outputs = []
        for number in range(count):
            print(f'{name}: {number + 1} of {count}', file=sys.stderr)
            result['load'].append(round(os.getloadavg()[0], 1))
            outputs.append(run(group.command, lab, group.prints == 'figures'))
        if group.prints == 'figures':
            result['figures'] = merge([[json.loads(line) for line in text.splitlines()] for text in outputs])
        else:
            result['text'] = outputs[0].rstrip().splitlines()
        figures[name] = result
        FILE.write_text(json.dumps({key: figures[key] for key in GROUPS if key in figures}, indent=1, ensure_ascii=False) + '\n')
