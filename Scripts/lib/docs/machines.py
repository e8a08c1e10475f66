"""Writes what machines read: titles in the HTML files, a Markdown file beside each page, the index of the search, and llms.txt
(https://llmstxt.org), a list of these files."""

import html
import os
import re

import search
import site_files

# DocC's icons are those of Swift.
ICONS = re.compile(r'<link rel="icon"[^>]*><link rel="mask-icon"[^>]*>')
BAR = """<div class="site-bar"><a href="{0}"><img src="{0}favicon.svg" alt="">swift-image-loading</a><a href="{0}documentation/guides">Guides</a>\
<a href="{0}documentation">Modules</a><form role="search" action="{0}search/"><input type="search" name="q" placeholder="Search the text" \
aria-label="Search the documentation"></form></div>"""
NOTE = 'Each page of the site is also a Markdown file: add `.md` to its address.'
# A link as DocC writes it: to a page, to a symbol of another archive, or to an image.
LINK = re.compile(r'\]\((?P<page>(?:doc:/)?/(?:[^()\s]|\([^()\s]*\))+)\)'
                  r'|[`<](?P<external>doc://[^`>\s]+)[`>]'
                  r'|!\[(?P<alt>[^\]]*)\]\((?P<image>[^():\s]+)\)')


def plain(content, references):
    """Returns the text of inline content."""
    parts = []
    for item in content:
        if item['type'] == 'reference':
            # A link to another site is its own title.
            parts.append(item.get('overridingTitle') or references.get(item['identifier'], {}).get('title') or item['identifier'])
        else:
            parts.append(item.get('text') or item.get('code') or plain(item.get('inlineContent', []), references))
    return ''.join(parts)


class Files:
    """The Markdown files of a site."""

    def __init__(self, site):
        self.site, self.titles, self.abstracts, self.urls = site, {}, {}, {}
        self.images = [os.path.relpath(os.path.join(parent, name), site)
                       for parent, _, names in os.walk(os.path.join(site, 'images')) for name in names]
        for path in site_files.data_files(site, '.json'):
            page, url = site_files.read(site, 'data', path), '/' + path.removesuffix('.json')
            self.titles[url] = page['metadata'].get('title', '')
            self.abstracts[url] = plain(site_files.summary(page), page.get('references', {})).strip()
            self.urls[page['identifier']['url']] = url

    def link(self, found, folder):
        if found['image']:
            return f'![{found["alt"]}]({self.image(found["image"], folder)})'
        address = found['page'] or found['external']
        url = self.urls.get(address) if address.startswith('doc:') else address.lower()
        if url not in self.titles:
            return found[0]
        target = os.path.relpath(url + '.md', folder)
        return f']({target})' if found['page'] else f'[{self.titles[url]}]({target})'

    def image(self, name, folder):
        """Returns the path of an image, which DocC names by its file or without its extension."""
        stem = os.path.splitext(os.path.basename(name))[0]
        found = [path for path in self.images if os.path.splitext(os.path.basename(path))[0] == stem]
        return os.path.relpath('/' + found[0], folder) if found else name

    def has_text(self, url):
        return os.path.exists(os.path.join(self.site, url.lstrip('/') + '.md'))

    def move(self):
        """Moves each file beside its page, with links to the other files."""
        for path in list(site_files.data_files(self.site, '.md')):
            folder = '/' + os.path.dirname(path)
            with open(os.path.join(self.site, 'data', path), encoding='utf-8') as file:
                text = LINK.sub(lambda found: self.link(found, folder), file.read())
            os.remove(os.path.join(self.site, 'data', path))
            with open(os.path.join(self.site, path), 'w', encoding='utf-8') as file:
                file.write(text)

    def describe(self, address, base):
        """Puts the title, the summary and the picture of each page into its HTML file, for search engines and previews of links, and a
        bar with a search of the text."""
        for url, title in self.titles.items():
            head = [f'<title>{html.escape(title)} | {site_files.TITLE}</title>',
                    f'<meta name="description" content="{html.escape(self.abstracts[url])}">',
                    f'<meta property="og:title" content="{html.escape(title)}">', f'<meta property="og:image" content="{address}social.png">']
            if self.has_text(url):
                head.append(f'<link rel="alternate" type="text/markdown" href="../{html.escape(os.path.basename(url))}.md">')
            path = os.path.join(self.site, url.lstrip('/'), 'index.html')
            text = site_files.text(path).replace('<title>Documentation</title>', ''.join(head), 1)
            text = ICONS.sub(f'<link rel="icon" href="{base}favicon.svg" type="image/svg+xml">', text)
            text = text.replace('<div id="app">', BAR.format(base) + '<div id="app">', 1)
            with open(path, 'w', encoding='utf-8') as file:
                file.write(text)

    def entry(self, url):
        """Returns a line of llms.txt."""
        target = url.lstrip('/') + ('.md' if self.has_text(url) else '/index.html')
        return f'- [{self.titles[url]}]({target}): {self.abstracts[url]}'

    def list(self, front):
        """Yields the lines of llms.txt: the front page, then the pages below each link of it."""
        yield f'# {self.titles["/documentation"]}\n\n> {self.abstracts["/documentation"]}\n\n{NOTE}'
        optional = []
        for section in front['topicSections']:
            yield f'\n## {section["title"]}\n'
            for link in section['identifiers']:
                url = front['references'][link]['url']
                yield self.entry(url)
                page = site_files.read(self.site, 'data' + url + '.json')
                links = [page['references'][item]['url'] for group in page.get('topicSections', []) for item in group['identifiers']]
                below = [url for url in links if url in self.titles]
                if page['metadata'].get('symbolKind') == 'module':
                    optional += below
                else:
                    yield from map(self.entry, below)
        # The format's name for what can be left out.
        yield '\n## Optional\n'
        yield from map(self.entry, optional)


def write(site, front, address, base):
    """Writes all of it, for a site at that address, whose path is the base."""
    files = Files(site)
    files.move()
    files.describe(address, base)
    os.makedirs(os.path.join(site, 'search'))
    site_files.write(search.build(site, files.titles, files.abstracts), site, 'search/index.json')
    with open(os.path.join(site, 'llms.txt'), 'w', encoding='utf-8') as file:
        file.writelines(line + '\n' for line in files.list(front))
