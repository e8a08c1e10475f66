"""Follows the guides to a first image in empty folders, with the code that stands in them, and prints how long each step takes."""

import contextlib
import functools
import http.server
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
GUIDES = ROOT / 'Documentation/Guides.docc'


def write_package(folder, guide, repository):
    """Writes the first manifest and the first program of a guide."""
    manifest, program = re.findall(r'^```swift\n(.*?)^```$', (GUIDES / guide).read_text(), re.M | re.S)[:2]
    sources = folder / 'Sources' / folder.name
    sources.mkdir(parents=True)
    (folder / 'Package.swift').write_text(manifest.replace('<URL of this repository>', repository.as_uri()))
    (sources / 'main.swift').write_text(program)


def report(name, folder, *commands, environment=None):
    """Prints the time that commands take one after another."""
    start = time.monotonic()
    for command in commands:
        subprocess.run(command, cwd=folder, check=True, stdout=sys.stderr, env=environment)
    print(json.dumps({'name': name, 'unit': 's', 'value': time.monotonic() - start}))


@contextlib.contextmanager
def web_address(folder):
    """Serves a folder."""
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
    with http.server.ThreadingHTTPServer(('127.0.0.1', 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f'http://127.0.0.1:{server.server_port}'
        server.shutdown()


def main():
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        program, window, photos = folder / 'thumbnail', folder / 'window', folder / 'photos'
        # The last image has 1.6 times the mean: 12 megapixels.
        subprocess.run([ROOT / '.build/release/benchmarks', 'feed-images', photos, '2', '7.5'], check=True, stdout=sys.stderr)
        # SwiftPM names a package after its folder.
        repository = folder / 'swift-image-loading'
        subprocess.run(['git', 'clone', '-q', ROOT, repository], check=True)
        write_package(program, 'FirstImageOnLinux.md', repository)
        write_package(window, 'ImagesInGTK.md', repository)
        report('build of a program', program, ['swift', 'build'])
        report('build of a window', window, ['swift', 'build'])
        with web_address(photos) as address:
            url = f'{address}/1.jpg'
            run = ['.build/debug/thumbnail', url, 'thumbnail.jpg']
            environment = os.environ | {'XDG_CACHE_HOME': str(folder / 'cache')}
            report('first image', program, run, environment=environment)
            report('second image', program, run, environment=environment)
            report('vipsthumbnail', folder, ['curl', '-sfo', 'photo.jpg', url],
                   ['vipsthumbnail', 'photo.jpg', '--size', '300x300', '-o', 'thumbnail.jpg'])


main()
