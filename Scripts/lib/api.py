"""Compares the public API in symbol graphs with a baseline: a text file per module with a line per symbol."""

import collections
import json
import os
import sys

ADVICE = """The public API differs from the baseline in Documentation/API.
If the change is intended, run `Scripts/check-api --update`, add a line to CHANGELOG.md, and commit the files.
Lines with - are breaking changes: they need a new minor version before 1.0, and a new major version after it."""


def read(graphs):
    """Returns the symbols of each module, including its extensions of other modules."""
    modules = collections.defaultdict(list)
    for name in sorted(os.listdir(graphs)):
        with open(os.path.join(graphs, name), encoding='utf-8') as file:
            graph = json.load(file)
        modules[name.split('.')[0].split('@')[0]] += graph['symbols']
    return modules


def line(symbol):
    declaration = ''.join(part['spelling'] for part in symbol['declarationFragments'])
    constraints = symbol.get('swiftExtension', {}).get('constraints', [])
    where = ', '.join(f'{item["lhs"]} {item["kind"]} {item["rhs"]}' for item in constraints)
    return '.'.join(symbol['pathComponents']) + ': ' + ' '.join(declaration.split()) + (f' [{where}]' if where else '')


def undocumented(modules):
    """Yields the public symbols without documentation that are declared in this repository."""
    for module, symbols in sorted(modules.items()):
        for symbol in symbols:
            if 'docComment' not in symbol and 'location' in symbol and '/Packages/' in symbol['location']['uri']:
                yield f'{module}: {line(symbol)}'


def update(modules, folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for module, symbols in modules.items():
        with open(os.path.join(folder, module + '.txt'), 'w', encoding='utf-8') as file:
            file.writelines(text + '\n' for text in sorted(set(map(line, symbols))))


def differences(modules, folder):
    """Yields a line per difference: `-` for a removed symbol, `+` for a new one."""
    baselines = {name.removesuffix('.txt') for name in os.listdir(folder)} if os.path.isdir(folder) else set()
    for module in sorted(baselines | set(modules)):
        path, old = os.path.join(folder, module + '.txt'), set()
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                old = set(file.read().splitlines())
        new = set(map(line, modules.get(module, [])))
        yield from (f'- {module}: {text}' for text in sorted(old - new))
        yield from (f'+ {module}: {text}' for text in sorted(new - old))


def main(graphs, folder, *options):
    modules = read(graphs)
    if not modules:
        raise SystemExit('error: no symbol graphs found')
    if options == ('--update',):
        return update(modules, folder)
    if options == ('--undocumented',):
        return print(*undocumented(modules), sep='\n')
    if options:
        raise SystemExit(f'error: unknown options: {" ".join(options)}; use --update or --undocumented')
    missing = list(undocumented(modules))
    if missing:
        print(*missing, sep='\n')
        raise SystemExit('error: these public symbols have no documentation comment; add one to each')
    found = list(differences(modules, folder))
    if found:
        print(*found, sep='\n')
        raise SystemExit('error: ' + ADVICE)
    print(f'==> the API of {len(modules)} modules matches the baseline, and each symbol is documented', file=sys.stderr)


if __name__ == '__main__':
    main(*sys.argv[1:])
