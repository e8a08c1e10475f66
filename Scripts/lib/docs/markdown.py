"""Converts the repository's Markdown for DocC: links between files become links between pages, and code spans that name a public
symbol become links to its page."""

import os
import re
import shutil

# Code blocks and headings are skipped.
INLINE = re.compile(
    r'(?P<skipped>^ *(?P<fence>```|~~~)[\s\S]*?^ *(?P=fence) *$|^#.*$)'
    r'|!\[(?P<alt>[^\]]*)\]\((?P<image>[^)\s]+)\)'
    r'|\[(?P<text>(?:[^\[\]`]|`[^`]*`)+)\]\((?P<target>[^)\s]+)\)'
    r'|``(?P<symbol>[^`\n]+)``'
    r'|`(?P<code>[^`\n]+)`', re.M)
WEB = re.compile(r'[a-z]+:')


def is_foreign(found, path):
    """Whether code is of another library: it is in the first column of a table of a guide for migration."""
    line = found.string[found.string.rfind('\n', 0, found.start()) + 1:found.start()]
    return os.path.basename(path).startswith('Migrating') and line.startswith('|') and '|' not in line[1:]


class DeadLink(Exception):
    pass


class Converter:
    """Converts the files of a repository. `names` has a link for each symbol, `pages` one for each file or folder with a page.

    Without symbols, the page of a module is an article, and other symbols are only named."""

    def __init__(self, root, names, pages, has_symbols=True):
        self.root, self.names, self.pages, self.has_symbols = root, names, pages, has_symbols

    def convert(self, path, catalogue):
        """Returns the text of a file for a catalogue, into which it copies the images of other folders.

        The first paragraph is the abstract. It has no links, because DocC leaves them out in the lists of other archives."""
        with open(os.path.join(self.root, path), encoding='utf-8') as file:
            text = file.read()
        end = text.find('\n\n', text.find('\n\n') + 2)

        def replace(found):
            replacement = self.replacement(found, path, catalogue)
            return replacement if found.start() > end else found['text'] or found[0]

        return INLINE.sub(replace, text)

    def replacement(self, found, path, catalogue):
        if found['image']:
            return f'![{found["alt"]}]({self.image(found["image"], path, catalogue)})'
        if found['target']:
            return self.link(found['text'], found['target'], path)
        if found['symbol']:
            return self.reference(self.symbol(found['symbol']))
        target = self.names.get(found['code'])
        return self.reference(target) if target and target != self.pages[path] and not is_foreign(found, path) else found[0]

    def reference(self, target):
        if self.has_symbols:
            return f'``{target}``'
        return f'<doc:{target}>' if target in self.names.values() else f'`{os.path.basename(target)}`'

    def symbol(self, name):
        """A link to another archive begins with a slash and the module."""
        return self.names.get(name) or ('/' + name if name.split('/')[0] in self.names else name)

    def link(self, text, target, path):
        if WEB.match(target):
            return f'[{text}]({target})'
        page = self.pages.get(self.existing(target.split('#')[0], path), '')
        # What has no page on the site is only named, and so are tutorials outside of the guides.
        is_linked = page.startswith('/') or page and self.pages[path].startswith('/Guides')
        return f'[{text}](<doc:{page}>)' if is_linked else text

    def image(self, target, path, catalogue):
        # A name without extension is an image of the catalogue.
        if WEB.match(target) or not os.path.splitext(target)[1]:
            return target
        source = self.existing(target, path)
        name = source.replace('/', '-')
        shutil.copy(os.path.join(self.root, source), os.path.join(catalogue, name))
        return name

    def existing(self, target, path):
        """Returns the path of a linked file in the repository."""
        linked = os.path.normpath(os.path.join(os.path.dirname(path), target))
        if not os.path.exists(os.path.join(self.root, linked)):
            raise DeadLink(f'{path}: {target} does not exist')
        return linked
