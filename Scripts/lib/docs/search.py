"""Makes the index of the search page, Documentation/FrontPage/search. It is our own, so that the site needs no network to be built, and
the checks no browser to search it."""

import collections
import math
import os
import re

import site_files

GROUPS = ['Guides', 'Modules and documents', 'Symbols']
WORD = re.compile(r'[^\W_]+')
PART = re.compile(r'[A-Z]*[a-z0-9]+|[A-Z]+')
HEADING = re.compile(r'^#+ .*', re.M)
# What an occurrence in the title, the summary or a heading weighs. In the text, the number of occurrences counts less and less.
TITLE, SUMMARY, SECTION, TEXT = 12, 5, 6, 4


def words(text):
    """Yields words in lower case, the parts of names such as `cachedImage`, and the singular of plurals."""
    for name in WORD.findall(text):
        for word in {name.lower(), *(part.lower() for part in PART.findall(name))}:
            yield word
            if word.endswith('ies'):
                yield word[:-3] + 'y'


def group(url, role):
    if url.startswith(('/documentation/guides', '/tutorials/')):
        return 0
    return 1 if role in ('article', 'collection', 'project') else 2


def scores(title, summary, text):
    """Returns the score of each word of a page."""
    found = collections.Counter()
    for word, count in collections.Counter(words(text)).items():
        found[word] = TEXT * count / (count + 4)
    for part, weight in [(title, TITLE), (summary, SUMMARY), (' '.join(HEADING.findall(text)), SECTION)]:
        for word in set(words(part)):
            found[word] += weight
    return found


def build(site, titles, summaries):
    """Returns the index. The text of a symbol's page is left out: its title and summary say what it is."""
    pages, postings = [], collections.defaultdict(list)
    for url in sorted(titles):
        role = site_files.read(site, 'data' + url + '.json')['metadata'].get('role')
        path = os.path.join(site, url.lstrip('/') + '.md')
        kind = group(url, role)
        text = site_files.text(path) if kind < 2 and os.path.exists(path) else ''
        for word, score in scores(titles[url], summaries[url], text).items():
            postings[word].append((len(pages), score))
        pages.append([titles[url], url.lstrip('/') + '/', summaries[url], kind])
    return {'groups': GROUPS, 'pages': pages, 'words': {
        word: [item for page, score in found for item in (page, round(score * math.log(1 + len(pages) / len(found)), 1))]
        for word, found in sorted(postings.items())}}


def find(index, term):
    """Returns the addresses of the guides that have a term, the best first, as the page does."""
    found = collections.Counter()
    for word, entries in index['words'].items():
        if word.startswith(term):
            for page, score in zip(entries[::2], entries[1::2]):
                found[page] = max(found[page], score if word == term else score / 2)
    return [index['pages'][page][1] for page, _ in found.most_common() if not index['pages'][page][3]]
