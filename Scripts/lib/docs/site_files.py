"""Turns merged archives into one site: a front page, one navigator with one search, a Markdown file beside each page, and llms.txt."""

import glob
import json
import os
import shutil

ROOT = 'doc://swift-image-loading/documentation'
TITLE = 'swift-image-loading'
# Files of single archives, which only their builds need.
LEFTOVERS = ['link-hierarchy.json', 'linkable-entities.json', 'metadata.json']


def read(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return json.load(file)


def text(*path):
    with open(os.path.join(*path), encoding='utf-8') as file:
        return file.read()


def write(value, *path):
    with open(os.path.join(*path), 'w', encoding='utf-8') as file:
        json.dump(value, file, ensure_ascii=False, separators=(',', ':'))


def data_files(site, extension):
    """Yields the paths of the pages' data, such as `documentation/imagecore.json`."""
    data = os.path.join(site, 'data')
    for folder, _, names in os.walk(data):
        for name in sorted(names):
            if name.endswith(extension):
                yield os.path.relpath(os.path.join(folder, name), data)


def summary(page):
    """Returns the content of a page's abstract, which a tutorial has in its first section."""
    if page.get('abstract'):
        return page['abstract']
    paragraphs = [block for section in page.get('sections', []) for block in section.get('content') or [] if 'inlineContent' in block]
    return paragraphs[0]['inlineContent'] if paragraphs else []


def front_page(site, name):
    """Replaces the landing page that DocC makes by the root page of a catalogue. Returns it."""
    path = os.path.join(site, 'data/documentation', name.lower())
    page = read(path + '.json')
    page['identifier']['url'] = ROOT
    page['variants'] = [{'paths': ['/documentation'], 'traits': [{'interfaceLanguage': 'swift'}]}]
    page['hierarchy'] = {'paths': [[]]}
    page['references'] = {key: value for key, value in page['references'].items() if value.get('url') != '/documentation/' + name.lower()}
    write(page, site, 'data/documentation.json')
    for file in [path + '.json', path + '.md']:
        os.remove(file)
    folder = os.path.join(site, 'documentation', name.lower())
    os.remove(os.path.join(folder, 'index.html'))
    os.rmdir(folder)
    return page


def put_below_front_page(site):
    """Makes the front page the root of each page's hierarchy, because the navigator, its filter and the search show what is below."""
    root = {'identifier': ROOT, 'type': 'topic', 'kind': 'article', 'role': 'collection', 'title': TITLE, 'url': '/documentation', 'abstract': []}
    for path in data_files(site, '.json'):
        page = read(site, 'data', path)
        if 'hierarchy' in page and path.startswith('documentation/'):
            page['hierarchy']['paths'] = [[ROOT, *parents] for parents in page['hierarchy'].get('paths') or [[]]]
            page.setdefault('references', {})[ROOT] = root
            write(page, site, 'data', path)


def describe_groups(site):
    """Gives a summary to the pages that DocC makes for the members that a type has by a protocol."""
    for path in data_files(site, '.json'):
        page = read(site, 'data', path)
        if page['metadata'].get('role') == 'collectionGroup' and not page.get('abstract'):
            parent = page['references'][page['hierarchy']['paths'][0][-1]]['title']
            protocol = page['metadata']['title'].removesuffix(' Implementations')
            page['abstract'] = [{'type': 'text', 'text': f'What {parent} has because it conforms to {protocol}.'}]
            write(page, site, 'data', path)


def without_external(node):
    """Removes links to other archives, which the navigator would take for the archives."""
    if 'children' in node:
        node['children'] = [without_external(child) for child in node['children'] if not child.get('external')]
    return node


def navigator(site, front):
    """Arranges the navigator like the front page. In a module, DocC would show only what is in the module, and search only there."""
    index = read(site, 'index/index.json')
    (root,) = index['interfaceLanguages']['swift']
    nodes = {node.get('path'): without_external(node) for node in root['children']}
    children = []
    for section in front['topicSections']:
        children.append({'type': 'groupMarker', 'title': section['title']})
        for link in section['identifiers']:
            path = front['references'][link]['url']
            children.append({**nodes.pop(path), 'type': 'collection'})
            # The tutorials are in the archive of the guides.
            if path == '/documentation/guides':
                children += [nodes.pop(path) for path in list(nodes) if path.startswith('/tutorials/')]
    nodes.pop('/documentation/site', None)
    if nodes:
        raise SystemExit(f'error: the front page has no link to {", ".join(map(str, nodes))}; add it to Documentation/Site.docc/Site.md')
    index['interfaceLanguages']['swift'] = [{**root, 'title': TITLE, 'children': children}]
    write(index, site, 'index/index.json')


def finish(site, name):
    front = front_page(site, name)
    put_below_front_page(site)
    describe_groups(site)
    navigator(site, front)
    for leftover in LEFTOVERS:
        if os.path.exists(os.path.join(site, leftover)):
            os.remove(os.path.join(site, leftover))
    return front


def add_front_page(root, site, address):
    """Adds the pages that aren't DocC's, and the pictures that they share with the documents of the repository."""
    for name in ['favicon.ico', 'developer-og.jpg', 'developer-og-twitter.jpg']:
        os.remove(os.path.join(site, name))
    shutil.copytree(os.path.join(root, 'Documentation/FrontPage'), site, dirs_exist_ok=True)
    shutil.copy(os.path.join(root, 'Documentation/figures-peers.svg'), site)
    shutil.copy(os.path.join(root, 'Apps/GtkPhotoFeed/Screenshots/feed-900.jpg'), os.path.join(site, 'feed.jpg'))
    (style,) = glob.glob(os.path.join(site, 'css/index.*.css'))
    with open(style, 'a', encoding='utf-8') as file:
        file.write(text(site, 'docc.css'))
    os.remove(os.path.join(site, 'docc.css'))
    page = text(site, 'index.html').replace('content="social.png"', f'content="{address}social.png"')
    with open(os.path.join(site, 'index.html'), 'w', encoding='utf-8') as file:
        file.write(page)
