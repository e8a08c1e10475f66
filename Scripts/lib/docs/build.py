"""build.py ROOT GRAPHS SITE BASE-PATH [--quick]: builds the site from the symbol graphs in GRAPHS/linux and GRAPHS/apple. Uses GRAPHS for the
catalogues and archives, too. Without the symbols, --quick needs no graphs."""

import os
import shutil
import sys
import urllib.parse

import catalogues
import docc
import graphs
import machines
import markdown
import site_files


def main(root, work, site, address, *options):
    base_path = urllib.parse.urlsplit(address).path or '/'
    folders = {name: os.path.join(work, name) for name in ['graphs', 'catalogues', 'targets', 'archives']}
    for folder in folders.values():
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
    combined, only_apple = {}, set()
    if '--quick' not in options:
        combined, only_apple = graphs.combine(graphs.load(os.path.join(work, 'linux')), graphs.load(os.path.join(work, 'apple')))
    graphs.write(combined, folders['graphs'])
    try:
        names = catalogues.build(root, folders['catalogues'], combined, only_apple, graphs.links(combined))
    except markdown.DeadLink as error:
        raise SystemExit(f'error: {error}') from None
    sources = [folders['catalogues'], folders['graphs']]
    targets = docc.convert_all(names, *sources, folders['targets'])
    archives = docc.convert_all(
        names, *sources, folders['archives'], dependencies=targets.values(), base_path=base_path, strict=True)
    made = os.path.join(work, 'site')
    shutil.rmtree(made, ignore_errors=True)
    # The first archive brings the settings of the theme.
    docc.merge([archives.pop(catalogues.FRONT), *archives.values()], made, site_files.TITLE)
    address = address.rstrip('/') + '/'
    machines.write(made, site_files.finish(made, catalogues.FRONT), address, base_path.rstrip('/') + '/')
    site_files.add_front_page(root, made, address)
    shutil.rmtree(site, ignore_errors=True)
    os.makedirs(os.path.dirname(os.path.abspath(site)), exist_ok=True)
    shutil.move(made, site)


main(*sys.argv[1:])
