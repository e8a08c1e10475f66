"""Measures imageload beside other programs: converting, quality by similarity, optimizing.

    measure.py TOOL LAB OUT convert|quality|optimize [--count N]

LAB is a folder that Apps/imageload/Scripts/bench creates. Results are printed; the files stay in OUT. Processor time is that of a process and its
children. All contenders of a table run in one call, so that they share the state of the machine.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import time

VIPS_SCRIPT = pathlib.Path(__file__).parent / 'vips_thumbnails.py'
TASKS = {'webp': ('webp', 1080), 'jpeg': ('jpg', 300)}
QUALITY = 80
# The encoders of the peers' libwebp 1.5 reach a similarity that Debian's 1.2 reaches with one more.
OWN_QUALITY = {'webp': 81, 'jpg': 80}


def run(command, **options):
    """Runs a command. Returns its seconds of processor time and of wall time."""
    start = time.monotonic()
    process = subprocess.Popen([str(part) for part in command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, **options)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = status
    if status:
        print(f'failed: {command[0]}', file=sys.stderr)
    return usage.ru_utime + usage.ru_stime, time.monotonic() - start


def shell(script, files):
    """Runs a shell script for each file, $1, two at a time."""
    text = '\0'.join(str(file) for file in files)
    listing = pathlib.Path('/tmp') / f'files-{os.getpid()}'
    listing.write_text(text + '\0')
    return run(['xargs', '-0', '-P', '2', '-n', '1', '-a', listing, 'sh', '-c', script, 'sh'])


class Converting:
    def __init__(self, tool, lab, out, files):
        self.tool, self.lab, self.out, self.files = tool, lab, out, files

    def folder(self, name, suffix):
        folder = self.out / f'{name}-{suffix}'
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        return folder

    def contenders(self, suffix, size):
        """Yields names, and functions that convert all files to a folder."""
        box, python = f'{size}x{size}', self.lab / 'venv/bin/python'
        target = f'"$0/$(basename "$1" .jpg).{suffix}"'
        yield 'imageload', lambda folder: run(
            [self.tool, 'convert', *self.files, '--to', suffix, '--size', size, '--quality', OWN_QUALITY[suffix], '--output', folder,
             '--quiet'])
        # vips_thumbnails.py makes the calls of vipsthumbnail with the build of libvips on PyPI, which has no programs.
        yield 'vips 8.18', lambda folder: run([python, VIPS_SCRIPT, folder, suffix, size, QUALITY, *self.files])
        yield 'vips 8.18, 2 processes', lambda folder: run(
            ['xargs', '-0', '-P', '2', '-n', (len(self.files) + 1) // 2, '-a', self.listing(), python, VIPS_SCRIPT, folder, suffix, size,
             QUALITY], env={**os.environ, 'VIPS_CONCURRENCY': '1'})
        yield 'vipsthumbnail (Debian)', lambda folder: run(
            ['vipsthumbnail', *self.files, '--size', box, '-o', f'{folder}/%s.{suffix}[Q={QUALITY},strip]'])
        yield 'ImageMagick', lambda folder: shell(
            f'convert-im6.q16 -define jpeg:size={2 * size}x{2 * size} "$1" -thumbnail {box} -quality {QUALITY} '
            + target.replace('$0', str(folder)), self.files)
        if suffix == 'webp':
            yield 'cwebp', lambda folder: shell(
                f'cwebp -quiet -q {QUALITY} -resize {size} 0 "$1" -o ' + target.replace('$0', str(folder)), self.files)

    def listing(self):
        path = self.out / 'listing'
        path.write_text('\0'.join(str(file) for file in self.files) + '\0')
        return path

    def measure(self):
        for suffix, size in TASKS.values():
            print(f'\n{len(self.files)} photographs to {size} pixels, {suffix}, quality {QUALITY} (imageload {OWN_QUALITY[suffix]})')
            print(f'{"":24}{"processor s":>12}{"wall s":>9}{"kB":>9}{"SSIM":>9}')
            for name, convert in self.contenders(suffix, size):
                folder = self.folder(name.split(' (')[0].replace(' ', '-').replace(',', ''), suffix)
                processor, wall = convert(folder)
                size_sum = sum(file.stat().st_size for file in folder.iterdir())
                print(f'{name:24}{processor:12.2f}{wall:9.2f}{size_sum / 1000:9.0f}{self.similarity(folder):9.4f}', flush=True)

    def similarity(self, folder):
        """The mean similarity of every tenth result to a Lanczos reference, by scikit-image."""
        scores = similarities(self.lab, folder, self.files[::10])
        return sum(scores) / len(scores)


def similarities(lab, folder, sources):
    """The similarity of each result in a folder to its source, by scikit-image."""
    command = [lab / 'venv/bin/python', pathlib.Path(__file__).parent / 'similarity.py', folder, *sources]
    done = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True)
    return [float(line) for line in done.stdout.splitlines()]


def quality(tool, lab, out, files, size=480):
    """The similarities and sizes of --quality auto, beside those of a fixed quality.

    The similarities are measured by scikit-image on pixels of other decoders. An image that is more similar even with quality 1, such as
    a smooth background, can't come nearer to the target, and is counted apart.
    """
    target = 0.97

    def convert(folder, suffix, *options):
        shutil.rmtree(folder, ignore_errors=True)
        command = [tool, 'convert', *files, '--to', suffix, '--size', size, '--output', folder, '--json', *options]
        lines = subprocess.run([str(part) for part in command], capture_output=True, text=True, check=True).stdout
        return [json.loads(line) for line in lines.splitlines()]

    references = [report['output'] for report in convert(out / 'reference', 'png')]
    print(f'{len(files)} photographs to {size} pixels, --quality auto:{target}')
    print(f'{"":6}{"lowest":>9}{"highest":>9}{"within 1 %":>11}{"quality 1":>10}{"encodes":>9}{"most":>6}{"kB":>9}{"fixed kB":>10}')
    for suffix in ('jpeg', 'webp', 'avif', 'jxl', 'heic'):
        reports = convert(out / f'auto-{suffix}', suffix, '--quality', f'auto:{target}')
        fixed = convert(out / f'fixed-{suffix}', suffix, '--quality', QUALITY)
        ssim = similarities(lab, out / f'auto-{suffix}', references)
        within = [abs(value - target) <= target * 0.01 for value in ssim]
        least = sum(not near and report['quality'] == 1 for near, report in zip(within, reports))
        encodes = [report['encodes'] for report in reports]
        sizes = [sum(report['outputBytes'] for report in each) / 1000 for each in (reports, fixed)]
        print(f'{suffix:6}{min(ssim):9.4f}{max(ssim):9.4f}{sum(within):11}{least:10}{sum(encodes) / len(encodes):9.1f}{max(encodes):6}'
              f'{sizes[0]:9.0f}{sizes[1]:10.0f}', flush=True)


OPTIMIZERS = {
    '.jpg': {'jpegtran': 'jpegtran -copy icc -optimize -progressive -outfile "$1.new" "$1"'},
    '.png': {
        'optipng -o2': 'optipng -quiet -o2 -strip all -out "$1.new" "$1"',
        'optipng -o5': 'optipng -quiet -o5 -strip all -out "$1.new" "$1"',
        'zopflipng': 'zopflipng -y "$1" "$1.new"',
    },
    '.gif': {'gifsicle -O3': 'gifsicle -O3 --no-warnings "$1" -o "$1.new"'},
}


def optimize(tool, lab, out, files):
    """The sizes and times of optimize beside those of other programs."""
    for suffix, programs in OPTIMIZERS.items():
        sources = sorted((lab / 'optimize').rglob(f'*{suffix}'))
        before = sum(file.stat().st_size for file in sources)
        print(f'\n{len(sources)} files {suffix}, {before / 1000:.0f} kB')
        for name, script in {'imageload': None, **programs}.items():
            folder = out / f'optimize-{name.replace(" ", "")}{suffix}'
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
            copies = [pathlib.Path(shutil.copy(file, folder / f'{index:04}{suffix}')) for index, file in enumerate(sources)]
            if script is None:
                processor, wall = run([tool, 'optimize', folder, '--quiet'])
                after = sum(file.stat().st_size for file in copies)
            else:
                processor, wall = shell(script, copies)
                # A program that finds nothing smaller leaves the file.
                after = sum(min(file.stat().st_size, new.stat().st_size if new.exists() else 1 << 62)
                            for file in copies for new in [file.with_name(file.name + '.new')])
            print(f'{name:14}{after / 1000:9.0f} kB {100 * after / before:6.1f} %{processor:9.2f} s processor{wall:9.2f} s wall', flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('tool', type=pathlib.Path)
    parser.add_argument('lab', type=pathlib.Path)
    parser.add_argument('out', type=pathlib.Path)
    parser.add_argument('what', choices=['convert', 'quality', 'optimize'])
    parser.add_argument('--count', type=int, default=200)
    given = parser.parse_args()
    given.out.mkdir(parents=True, exist_ok=True)
    files = sorted((given.lab / 'photos').glob('*.jpg'))[:given.count]
    if given.what == 'convert':
        Converting(given.tool, given.lab, given.out, files).measure()
    else:
        {'quality': quality, 'optimize': optimize}[given.what](given.tool, given.lab, given.out, files)


main()
