"""Combines the symbol graphs of two builds: on Linux, and for Apple's platforms over stubs."""

import collections
import json
import os
import re

NOTICE = "> Important: Only on Apple's platforms. This was compiled on Linux over stubs of Apple's frameworks, not with Apple's SDK."


def load(folder):
    """Returns the graphs of a folder by name, such as `ImageLoading` and `ImageLoading@ImageCore`."""
    graphs = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding='utf-8') as file:
            # The build over stubs has links to the sources.
            text = re.sub(r'/\.build-apple/Modules/(\w+)/', r'/Packages/\1/Sources/\1/', file.read())
        graphs[name.removesuffix('.symbols.json')] = json.loads(text)
    return graphs


def identifiers(symbols):
    return {symbol['identifier']['precise'] for symbol in symbols}


def add_missing(graph, other):
    """Adds the symbols that only the other build has, with a notice."""
    known = identifiers(graph['symbols'])
    added = [symbol for symbol in other['symbols'] if symbol['identifier']['precise'] not in known]
    new = identifiers(added)
    inner = {link['source'] for link in other['relationships'] if link['kind'] == 'memberOf' and link['target'] in new}
    for symbol in added:
        if 'docComment' in symbol and symbol['identifier']['precise'] not in inner:
            symbol['docComment']['lines'] += [{'text': ''}, {'text': NOTICE}]
    graph['symbols'] += added
    graph['relationships'] += [link for link in other['relationships'] if link['source'] in new]


def combine(linux, apple):
    """Returns the graphs of both builds, and the names of the modules that only exist on Apple's platforms."""
    combined, only_apple = dict(linux), set()
    for name, graph in apple.items():
        if combined.get(name, {}).get('symbols'):
            add_missing(combined[name], graph)
        elif graph['symbols'] or name not in combined:
            combined[name] = graph
            if '@' not in name:
                only_apple.add(name)
    return combined, only_apple


def write(graphs, folder):
    """Writes a folder of graphs for each module."""
    for name, graph in graphs.items():
        module = os.path.join(folder, name.split('@')[0])
        os.makedirs(module, exist_ok=True)
        with open(os.path.join(module, name + '.symbols.json'), 'w', encoding='utf-8') as file:
            json.dump(graph, file)


def links(graphs):
    """Returns a link for each public type, as `Bitmap`, and for each member that isn't overloaded, as `Bitmap.size`."""
    found = collections.defaultdict(set)
    for module, graph in graphs.items():
        if '@' in module:
            continue
        found[module].add((f'/{module}', module))
        for symbol in graph['symbols']:
            path = symbol['pathComponents']
            found['.'.join(path)].add(('/' + '/'.join([module, *path]), symbol['identifier']['precise']))
    return {name: min(targets)[0] for name, targets in found.items() if len(targets) == 1}
