"""worker_calls.py TOOL FOLDER…: prints the calls of locked workers, with the number of calls and the formats of each."""

import collections
import os
import re
import subprocess
import sys
import tempfile

CALL = re.compile(r'^(?P<process>\d+) +(?:<\.\.\. )?(?P<name>\w+)(?:\(| resumed)')
SIGNATURES = [
    (b'\xff\xd8', 'jpeg'), (b'\x89PNG', 'png'), (b'GIF8', 'gif'), (b'BM', 'bmp'), (b'II', 'tiff'), (b'MM', 'tiff'), (b'\xff\n', 'jxl'),
    (b'\0\0\0\x0cJXL', 'jxl'), (b'\0\0\1\0', 'ico'),
]


def format_of(path):
    with open(path, 'rb') as file:
        start = file.read(32)
    if start[8:12] == b'WEBP':
        return 'webp'
    if start[4:8] == b'ftyp':
        return 'avif' if b'avi' in start[8:] else 'heic'
    return next((name for signature, name in SIGNATURES if start.startswith(signature)), 'svg' if b'<' in start else 'other')


def files_by_format(folders):
    found = collections.defaultdict(list)
    for folder in folders:
        for parent, _, names in os.walk(folder):
            for name in names:
                path = os.path.join(parent, name)
                if os.path.getsize(path) > 0:
                    found[format_of(path)].append(path)
    return found


def calls(tool, files):
    """Returns the number of calls by name, after a process has installed its filter."""
    counts = collections.Counter()
    with tempfile.TemporaryDirectory() as folder:
        log = os.path.join(folder, 'log')
        command = ['strace', '-f', '-qq', '-o', log, tool, 'fetch', '--isolated', '--cache', os.path.join(folder, 'cache'), *files]
        # Damaged files fail, which is no failure here.
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=False)
        locked, parents = set(), {}
        with open(log, encoding='utf-8', errors='replace') as lines:
            for line in lines:
                match = CALL.match(line)
                if not match:
                    continue
                process, name = match['process'], match['name']
                if name in ('clone', 'clone3') and (child := re.search(r'= (\d+)$', line)):
                    parents[child[1]] = process
                if process in locked or parents.get(process) in locked:
                    if 'resumed' not in line[:line.find(name) + len(name) + 9]:
                        counts[name] += 1
                if name == 'seccomp' and 'SECCOMP_SET_MODE_FILTER' in line:
                    locked.add(process)
    return counts


def main(tool, folders):
    needs = collections.defaultdict(dict)
    for name, files in sorted(files_by_format(folders).items()):
        for call, count in calls(tool, files).items():
            needs[call][name] = count
    if not needs:
        raise SystemExit('error: no worker was started')
    for call, formats in sorted(needs.items()):
        print(f'{call:20}', ' '.join(f'{name} {count}' for name, count in sorted(formats.items())))


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2:])
