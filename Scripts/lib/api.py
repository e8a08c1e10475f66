"""Compares the public API in symbol graphs with a baseline: a text file per module with a line per symbol."""

import collections
import json
import os
import sys

ADVICE = """The public API differs from the baseline in Documentation/API.
If the change is intended, run `Scripts/check-api --update`, add a line to CHANGELOG.md, and commit the files.
Lines with - or ! are breaking changes: they need a new minor version before 1.0, and a new major version after it.
A line with ! is a new requirement without a default implementation."""

# What the compiler adds to others.
IMPLIED = {'Copyable', 'Escapable', 'SendableMetatype'}


def read(graphs):
    """Returns the symbols and relationships of each module, including its extensions of other modules."""
    modules = collections.defaultdict(lambda: ([], []))
    for name in sorted(os.listdir(graphs)):
        with open(os.path.join(graphs, name), encoding='utf-8') as file:
            graph = json.load(file)
        symbols, relationships = modules[name.split('.')[0].split('@')[0]]
        symbols += graph['symbols']
        relationships += graph['relationships']
    return dict(modules)


def condition(constraints):
    return ', '.join(f'{item["lhs"]} {item["kind"]} {item["rhs"]}' for item in constraints)


def notes(relationships, names):
    """Returns what each symbol conforms to, and whether it is a requirement or a default implementation, by identifier.

    Names are those of this repository's symbols: the compiler leaves out some of them."""
    found = collections.defaultdict(set)
    for item in relationships:
        source = item['source']
        if item['kind'] == 'conformsTo':
            protocol = names.get(item['target'], item.get('targetFallback', item['target'])).split('.')[-1]
            where = condition(item.get('swiftConstraints', []))
            if protocol not in IMPLIED:
                found[source].add(f'{protocol} where {where}' if where else protocol)
        elif item['kind'] in ('requirementOf', 'optionalRequirementOf'):
            found[source].add('requirement')
        elif item['kind'] == 'defaultImplementationOf':
            found[source].add('default implementation')
    return found


def line(symbol, noted=()):
    declaration = ''.join(part['spelling'] for part in symbol['declarationFragments'])
    where = condition(symbol.get('swiftExtension', {}).get('constraints', []))
    texts = ['.'.join(symbol['pathComponents']) + ': ' + ' '.join(declaration.split())]
    return ' '.join(texts + [f'[{text}]' for text in (where, ', '.join(sorted(noted))) if text])


def lines(platforms):
    """Returns the lines of each module. Those that only one of its platforms has name it."""
    modules = collections.defaultdict(dict)
    for platform, graphs in platforms.items():
        names = {
            symbol['identifier']['precise']: symbol['pathComponents'][-1] for symbols, _ in graphs.values() for symbol in symbols}
        for module, (symbols, relationships) in graphs.items():
            noted = notes(relationships, names)
            found = {line(symbol, noted[symbol['identifier']['precise']]) for symbol in symbols}
            if found:
                modules[module][platform] = found
    return {module: {
        text if all(text in other for other in found.values()) else f'{text} ({platform} only)'
        for platform, texts in found.items() for text in texts
    } for module, found in modules.items()}


def undocumented(modules):
    """Yields the public symbols without documentation that are declared in this repository."""
    for module, (symbols, _) in sorted(modules.items()):
        for symbol in symbols:
            if 'docComment' not in symbol and '/Packages/' in symbol.get('location', {}).get('uri', ''):
                yield f'{module}: {line(symbol)}'


def update(modules, folder):
    os.makedirs(folder, exist_ok=True)
    for name in os.listdir(folder):
        os.remove(os.path.join(folder, name))
    for module, texts in modules.items():
        with open(os.path.join(folder, module + '.txt'), 'w', encoding='utf-8') as file:
            file.writelines(text + '\n' for text in sorted(texts))


def differences(modules, folder):
    """Yields a line per difference: `-` for a removed symbol, `!` for a new requirement of an old protocol, else `+`."""
    baselines = {name.removesuffix('.txt') for name in os.listdir(folder)} if os.path.isdir(folder) else set()
    for module in sorted(baselines | set(modules)):
        path, old = os.path.join(folder, module + '.txt'), set()
        if os.path.exists(path):
            with open(path, encoding='utf-8') as file:
                old = set(file.read().splitlines())
        new = modules.get(module, set())
        known = {text.split(':')[0] for text in old}
        defaults = {text.split(' [')[0] for text in new if '[default implementation]' in text}
        yield from (f'- {module}: {text}' for text in sorted(old - new))
        for text in sorted(new - old):
            is_required = '[requirement]' in text and text.split(' [')[0] not in defaults
            breaks = is_required and text.split(':')[0].rpartition('.')[0] in known
            yield f'{"!" if breaks else "+"} {module}: {text}'


def main(graphs, folder, *options):
    platforms = {name: read(os.path.join(graphs, name)) for name in sorted(os.listdir(graphs))}
    modules = lines(platforms)
    if not modules:
        raise SystemExit('error: no symbol graphs found')
    if options == ('--update',):
        return update(modules, folder)
    missing = sorted({text for found in platforms.values() for text in undocumented(found)})
    if options == ('--undocumented',):
        return print(*missing, sep='\n')
    if options:
        raise SystemExit(f'error: unknown options: {" ".join(options)}; use --update or --undocumented')
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
