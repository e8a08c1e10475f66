"""Runs DocC. The archives are built twice: first for the targets of links between them, then with these links."""

import concurrent.futures
import os
import shutil
import subprocess
import sys

BUNDLE = 'swift-image-loading'


def tool():
    """DocC is part of the toolchain, beside the compiler."""
    found = shutil.which('docc') or os.path.join(os.path.dirname(os.path.realpath(shutil.which('swiftc') or '')), 'docc')
    if not os.access(found, os.X_OK):
        raise SystemExit('error: docc is missing; it is part of the toolchains of https://www.swift.org/install')
    return found


def convert(catalogue, graphs, archive, dependencies=(), base_path='/', strict=False):
    """Converts a catalogue. Returns what DocC says, or nothing if all is well."""
    name = os.path.basename(catalogue).removesuffix('.docc')
    options = [
        '--output-path', archive, '--fallback-display-name', name, '--fallback-bundle-identifier', f'{BUNDLE}.{name}',
        '--fallback-default-module-kind', 'Module', '--hosting-base-path', base_path, '--transform-for-static-hosting',
        '--enable-experimental-external-link-support', '--enable-experimental-markdown-output']
    if os.path.isdir(graphs):
        options += ['--additional-symbol-graph-dir', graphs]
    for dependency in dependencies:
        options += ['--dependency', dependency]
    if strict:
        options += ['--warnings-as-errors']
    done = subprocess.run([tool(), 'convert', catalogue, *options], capture_output=True, text=True)
    problems = done.stdout + done.stderr
    return f'{name}:\n{problems}' if done.returncode or strict and problems.strip() else ''


def convert_all(names, catalogues, graphs, archives, **options):
    """Converts the catalogues at the same time, because DocC uses one core. Returns the paths of the archives by name."""
    paths = {name: os.path.join(archives, name + '.doccarchive') for name in names}
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        problems = list(pool.map(lambda name: convert(
            os.path.join(catalogues, name + '.docc'), os.path.join(graphs, name), paths[name], **options), names))
    found = [text for text in problems if text]
    if found:
        print(*found, sep='\n', file=sys.stderr)
        raise SystemExit(f'error: DocC warns about {len(found)} catalogues')
    return paths


def merge(archives, site, title):
    subprocess.run([tool(), 'merge', *archives, '--synthesized-landing-page-name', title, '--output-path', site], check=True)
