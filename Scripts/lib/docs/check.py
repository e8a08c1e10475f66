"""check.py SITE GRAPHS [--self-test]: fails if a link of the site leads nowhere, a page has no text, a public symbol no comment, or if an
example needs scrolling."""

import os
import re
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))

import api
import catalogues
import search
import self_test
import site_files

MARKDOWN_LINK = re.compile(r'\]\(([^()\s]*(?:\([^()\s]*\)[^()\s]*)*)\)')
CODE_BLOCK = re.compile(r'^```.*?^```', re.M | re.S)
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), '../../..'))
# How many characters of a line are visible in articles and tutorials, in a window of 1,280 pixels with scroll bars.
# The guides that people who search these words must find first, second or third.
SEARCHES = {
    'install': 'firstimageonlinux', 'convert': 'recipes', 'fade': 'recipes', 'gif': 'previewsandanimations',
    'heic': 'choosingmodules', 'placeholder': 'previewsandanimations', 'retry': 'recipes'}
FRONT_LINK = re.compile(r' (?:href|src|action)="([^"]+)"')
WIDTHS = {'.md': 74, '.swift': 89}


class Site:
    """The pages of a site by URL, its navigator, its Markdown files, the names of all its files, and the sources with examples."""

    def __init__(self, folder, graphs):
        self.pages = {'/' + path.removesuffix('.json'): site_files.read(folder, 'data', path)
                      for path in site_files.data_files(folder, '.json')}
        self.navigator = site_files.read(folder, 'index/index.json')['interfaceLanguages']
        self.files = {os.path.relpath(os.path.join(parent, name), folder) for parent, _, names in os.walk(folder) for name in names}
        self.texts = {name: site_files.text(folder, name) for name in sorted(self.files)
                      if name == 'llms.txt' or name.startswith(('documentation/', 'tutorials/')) and name.endswith('.md')}
        self.front = {name: site_files.text(folder, name) for name in ['index.html', 'search/index.html']}
        self.index = site_files.read(folder, 'search/index.json')
        modules = [os.path.join(graphs, module) for module in os.listdir(graphs)]
        self.symbols = {os.path.basename(module): api.read(module) for module in modules}
        sources = [f'Packages/{module}/README.md' for module in self.symbols] + [path for _, path in catalogues.articles(ROOT)]
        self.sources = {path: site_files.text(ROOT, path) for path in sources if path.endswith(tuple(WIDTHS))}


def values(node, key):
    """Yields all values of a key in JSON."""
    if isinstance(node, dict):
        if key in node:
            yield node[key]
        for value in node.values():
            yield from values(value, key)
    elif isinstance(node, list):
        for value in node:
            yield from values(value, key)


def reference_problem(site, reference):
    """Returns why a reference leads nowhere, or None."""
    url = reference.get('url', '')
    kind = reference['type']
    if kind in ('image', 'video'):
        missing = [variant['url'] for variant in reference['variants'] if variant['url'].lstrip('/') not in site.files]
        return f'the file {missing[0]} is missing' if missing else None
    if kind == 'link':
        return None if re.match(r'https?:|mailto:', url) else f'the link {url} is relative'
    if kind not in ('topic', 'section') or not url:
        return None
    path, _, anchor = url.partition('#')
    if path not in site.pages:
        return f'the page {url} is missing'
    if anchor and anchor not in values(site.pages[path], 'anchor'):
        return f'the page {path} has no section {anchor}'
    return None


def dead_links(site):
    """Finds references to pages, sections and files that don't exist, and identifiers without a reference."""
    for url, page in site.pages.items():
        references = page.get('references', {})
        # The chapters of tutorials have no page.
        chapters = {chapter['reference'] for chapter in page.get('hierarchy', {}).get('modules', [])}
        for reference in (value for key, value in references.items() if key not in chapters):
            problem = reference_problem(site, reference)
            if problem:
                yield f'{url}: {problem}'
        used = [item['identifier'] for item in walk([page.get('abstract', []), page.get('primaryContentSections', [])]) if item.get('type') == 'reference']
        used += [link for group in page.get('topicSections', []) + page.get('seeAlsoSections', []) for link in group['identifiers']]
        yield from (f'{url}: the link {link} has no target' for link in used if link not in references)
        if url.lstrip('/') + '/index.html' not in site.files:
            yield f'{url}: the HTML file is missing'


def incomplete_lists(site):
    """Finds links in the abstracts of lists whose pages are unknown there, because they are in another archive: DocC leaves them out."""
    for url, page in site.pages.items():
        references = page.get('references', {})
        listed = {link for group in page.get('topicSections', []) + page.get('seeAlsoSections', []) for link in group['identifiers']}
        for link in sorted(listed & references.keys()):
            yield from (f'{url}: the abstract of {link} has a gap in the list' for item in references[link].get('abstract', [])
                        if item['type'] == 'reference' and item['identifier'] not in references)


def walk(node):
    """Yields all objects in JSON."""
    if isinstance(node, dict):
        yield node
        node = list(node.values())
    if isinstance(node, list):
        for value in node:
            yield from walk(value)


def dead_navigator(site):
    for path in values(site.navigator, 'path'):
        if path not in site.pages:
            yield f'navigator: the page {path} is missing'


def missing_text(site):
    """Finds pages without an abstract, and modules and articles without a text."""
    for url, page in site.pages.items():
        if not site_files.summary(page):
            yield f'{url}: the page has no abstract'
        is_module = page['metadata'].get('symbolKind') == 'module'
        if (is_module or page['metadata'].get('role') == 'article') and not any(
                section['kind'] == 'content' for section in page.get('primaryContentSections', [])):
            yield f'{url}: the page has no text'


def undocumented(site):
    """Finds symbols without a comment. Extensions have a page that the build writes."""
    for symbols in site.symbols.values():
        yield from (f'{line}: has no comment' for line in api.undocumented(symbols) if ': extension ' not in line)


def dead_markdown(site):
    """Finds links of llms.txt and of the Markdown files to files that don't exist."""
    for name, text in site.texts.items():
        for target in MARKDOWN_LINK.findall(CODE_BLOCK.sub('', text)):
            path = os.path.normpath(os.path.join(os.path.dirname(name), target))
            if not re.match(r'https?:|mailto:', target) and path not in site.files:
                yield f'{name}: the file {target} is missing'
        if '`doc://' in text:
            yield f'{name}: a link has no target'


def dead_front_page(site):
    """Finds links of the pages that aren't DocC's to files and sections that don't exist."""
    for name, text in site.front.items():
        for target in FRONT_LINK.findall(text):
            path, _, anchor = target.partition('#')
            found = os.path.normpath(os.path.join(os.path.dirname(name), path))
            if path.endswith('/') or not path:
                found = os.path.normpath(found + '/index.html') if path else name
            if found not in site.files or anchor and f' id="{anchor}"' not in text:
                yield f'{name}: the link {target} leads nowhere'


def foreign_links(site):
    """Finds links in the columns of other libraries, the first of tables in the guides for migration: our types have the same names."""
    for url, page in site.pages.items():
        tables = [item for item in walk(page.get('primaryContentSections', [])) if item.get('type') == 'table']
        if '/migratingfrom' in url:
            yield from (f'{url}: the column of another library links to {item["identifier"]}' for table in tables
                        for row in table['rows'] for item in walk(row[0]) if item.get('type') == 'reference')


def unfound(site):
    """Finds words whose search doesn't list the right guide among the first three."""
    for word, guide in SEARCHES.items():
        if f'documentation/guides/{guide}/' not in search.find(site.index, word)[:3]:
            yield f'search: "{word}" does not find the guide {guide} among the first three'


def unlisted(site):
    """Finds modules, guides and documents that llms.txt doesn't list."""
    for url, page in site.pages.items():
        role = page['metadata'].get('role')
        if role in ('article', 'collection', 'project') and url != '/documentation' and f']({url[1:]}.md)' not in site.texts['llms.txt']:
            yield f'llms.txt: the page {url} is missing'


def long_lines(site):
    """Finds lines of code blocks, and of the files of tutorials, that need scrolling."""
    for path, text in site.sources.items():
        extension = os.path.splitext(path)[1]
        is_code = extension == '.swift'
        for number, line in enumerate(text.splitlines(), 1):
            if line.startswith('```'):
                is_code = not is_code
            elif is_code and len(line) > WIDTHS[extension]:
                yield f'{path}:{number}: the line has {len(line)} characters, of which {WIDTHS[extension]} are visible; break it'


RULES = [dead_links, incomplete_lists, dead_navigator, missing_text, undocumented, dead_markdown, dead_front_page, foreign_links, unfound, unlisted, long_lines]


def findings(site):
    return [finding for rule in RULES for finding in rule(site)]


def main(folder, graphs, *options):
    if not os.path.exists(os.path.join(folder, 'llms.txt')):
        raise SystemExit(f'error: there is no site in {folder}; run Scripts/docs')
    site = Site(folder, graphs)
    if options == ('--self-test',):
        return self_test.run(site, findings)
    found = findings(site)
    print(*found, sep='\n', file=sys.stderr)
    if found:
        raise SystemExit(f'error: {len(found)} problems of the site')
    symbols = sum(len(symbols) for modules in site.symbols.values() for symbols, _ in modules.values())
    print(f'==> {len(site.pages)} pages: each link leads somewhere, each page has text, and each of {symbols} public symbols a comment',
          file=sys.stderr)


if __name__ == '__main__':
    main(*sys.argv[1:])
