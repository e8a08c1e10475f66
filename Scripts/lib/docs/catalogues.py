"""Writes the DocC catalogues of the site. The page of a module is its README, and the pages about the project are the documents of the
repository: so nothing is written twice. Guides and tutorials are catalogues of their own in Documentation."""

import glob
import os
import shutil

import markdown

STUBS = """> Important: This module is for Apple's platforms. The declarations below were compiled on Linux over stubs of Apple's frameworks, not
> with Apple's SDK."""
# Catalogues in Documentation, whose root pages have their names.
FRONT, GUIDES, PROJECT = 'Site', 'Guides', 'Project'


def documents(root):
    """Returns the documents that are articles of the site, by page name."""
    found = {}
    for pattern in ['*.md', 'Documentation/*.md', 'Tests/README.md', 'Apps/*/README.md', 'Apps/*/Documentation/*.md']:
        for path in glob.glob(os.path.join(root, pattern)):
            path = os.path.relpath(path, root)
            folder, name = os.path.split(path)
            stem = os.path.basename(folder) if name == 'README.md' else name.removesuffix('.md')
            if stem:
                found[stem.capitalize().replace('_', '-') if stem.isupper() else stem] = path
    return found


def articles(root):
    """Yields the files of the catalogues in Documentation, and the articles of modules, with their catalogues.

    Tutorials are part of the guides, because DocC resolves links to tutorials only within an archive."""
    for catalogue in glob.glob(os.path.join(root, 'Documentation/*.docc')) + glob.glob(os.path.join(root, 'Packages/*/Sources/*/*.docc')):
        name = os.path.basename(catalogue).removesuffix('.docc')
        if os.path.exists(os.path.join(catalogue, name + '.tutorial')):
            name = GUIDES
        for folder, _, names in os.walk(catalogue):
            yield from ((name, os.path.relpath(os.path.join(folder, file), root)) for file in sorted(names))


def pages(root, modules):
    """Returns the link to the page of each file or folder that has one."""
    found = {}
    for module in modules:
        found[f'Packages/{module}'] = found[f'Packages/{module}/README.md'] = f'/{module}'
    for name, path in documents(root).items():
        found[path] = f'/{PROJECT}/{name}'
        if path.endswith('/README.md'):
            found[os.path.dirname(path)] = found[path]
    for name, path in articles(root):
        stem, extension = os.path.splitext(os.path.basename(path))
        if extension == '.tutorial':
            found[path] = stem
        elif extension == '.md':
            found[path] = f'/{name}' if stem == name else f'/{name}/{stem}'
    return found


def write(text, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        file.write(text)


def module_page(text, module, has_symbols, is_only_apple):
    """Makes the page of a module from its README, whose first paragraph is the abstract. Without symbols, it is an article."""
    heading, abstract, rest = text.split('\n\n', 2)
    if heading != f'# {module}':
        raise SystemExit(f'error: the README of {module} must begin with "# {module}" and a paragraph')
    if not has_symbols:
        return '\n\n'.join([heading, abstract, '@Metadata {\n    @TechnologyRoot\n}', rest])
    return '\n\n'.join([f'# ``{module}``', abstract, *([STUBS] if is_only_apple else []), rest])


def extension_pages(graphs, module):
    """Returns the pages of the extensions of other modules' types, which have no comment of their own."""
    found = {}
    for name, graph in graphs.items():
        extending, _, extended = name.partition('@')
        if extending != module or not extended:
            continue
        found[f'{module}/{extended}'] = f'What {module} adds to {extended}.'
        for symbol in graph['symbols']:
            if symbol['kind']['identifier'].endswith('.extension') and 'docComment' not in symbol:
                path = '/'.join([module, extended, *symbol['pathComponents']])
                found[path] = f'What {module} adds to `{symbol["names"]["title"]}` of {extended}.'
    return found


def build(root, folder, graphs, only_apple, names):
    """Writes all catalogues. Returns their names, which are those of their archives. Without graphs, the pages of symbols are missing."""
    modules = sorted(name for name in graphs or os.listdir(os.path.join(root, 'Packages')) if '@' not in name)
    names = names or {module: f'/{module}' for module in modules}
    converter = markdown.Converter(root, names, pages(root, modules), has_symbols=bool(graphs))
    catalogues = {name: os.path.join(folder, name + '.docc') for name in [*modules, PROJECT, *(name for name, _ in articles(root))]}
    for catalogue in catalogues.values():
        os.makedirs(catalogue)
    for module in modules:
        text = converter.convert(f'Packages/{module}/README.md', catalogues[module])
        write(module_page(text, module, bool(graphs), module in only_apple), catalogues[module], module + '.md')
        for path, abstract in extension_pages(graphs, module).items():
            write(f'# ``{path}``\n\n{abstract}\n', catalogues[module], path.replace('/', '-') + '.md')
    for name, path in documents(root).items():
        write(converter.convert(path, catalogues[PROJECT]), catalogues[PROJECT], name + '.md')
    for name, path in articles(root):
        if os.path.exists(os.path.join(catalogues[name], os.path.basename(path))):
            raise SystemExit(f'error: {path}: the README is the page of the module')
        if path.endswith('.md'):
            text = converter.convert(path, catalogues[name])
            # The page of a symbol has its name.
            if graphs or not text.startswith('# ``'):
                write(text, catalogues[name], os.path.basename(path))
        else:
            shutil.copy(os.path.join(root, path), catalogues[name])
    return sorted(catalogues)
