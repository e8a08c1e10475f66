"""Checks that each rule works: plants one fault at a time in a site that is free of them, and expects its finding."""

import os
import pickle
import tempfile

import docc


def first(site, matches):
    return next(page for page in site.pages.values() if matches(page))


def reference(site, kind):
    """Returns a reference of that type on some page."""
    return next(item for page in site.pages.values() for item in page.get('references', {}).values() if item['type'] == kind)


def link_to_missing_page(site):
    reference(site, 'topic')['url'] = '/documentation/nowhere'


def link_to_missing_section(site):
    reference(site, 'topic')['url'] = '/documentation/imagecore#Nowhere'


def missing_image(site):
    reference(site, 'image')['variants'][0]['url'] = '/images/nowhere.png'


def relative_link(site):
    page = next(iter(site.pages.values()))
    page['references']['planted'] = {'type': 'link', 'url': '../nowhere.md'}


def link_without_target(site):
    first(site, lambda page: page.get('topicSections'))['topicSections'][0]['identifiers'].append('doc://nowhere')


def link_in_abstract_of_list(site):
    page = site.pages['/documentation']
    link = page['topicSections'][0]['identifiers'][0]
    page['references'][link]['abstract'].append({'type': 'reference', 'identifier': 'doc://nowhere'})


def missing_html(site):
    site.files.remove('documentation/imagecore/index.html')


def missing_page_of_navigator(site):
    site.navigator['swift'][0]['children'].append({'path': '/documentation/nowhere'})


def symbol_without_abstract(site):
    first(site, lambda page: page['metadata'].get('role') == 'symbol')['abstract'] = []


def module_without_text(site):
    site.pages['/documentation/imagecore']['primaryContentSections'] = []


def article_without_text(site):
    first(site, lambda page: page['metadata'].get('role') == 'article')['primaryContentSections'] = []


def symbol_without_comment(site):
    symbols, _ = site.symbols['ImageCore']['ImageCore']
    del next(symbol for symbol in symbols if '/Packages/' in symbol.get('location', {}).get('uri', ''))['docComment']


def dead_link_of_list(site):
    site.texts['llms.txt'] += '- [Nowhere](documentation/nowhere.md): nothing\n'


def dead_link_of_markdown(site):
    site.texts['documentation/imagecore.md'] += '[Nowhere](nowhere.md)\n'


def dead_link_of_front_page(site):
    site.front['index.html'] += '<a href="documentation/nowhere/">Nowhere</a>'


def dead_section_of_front_page(site):
    site.front['index.html'] += '<a href="#nowhere">Nowhere</a>'


def link_of_another_library(site):
    section = site.pages['/documentation/guides/migratingfromnuke']['primaryContentSections'][0]
    link = {'type': 'reference', 'identifier': next(iter(site.pages['/documentation/guides/migratingfromnuke']['references']))}
    section['content'].append({'type': 'table', 'rows': [[[link], []]]})


def word_that_is_not_found(site):
    site.index['words'].pop('heic')


def unlisted_page(site):
    site.texts['llms.txt'] = site.texts['llms.txt'].replace('(documentation/imagecore.md)', '(documentation/imageloading.md)')


def long_line_of_article(site):
    site.sources['Documentation/Guides.docc/Guides.md'] = '```swift\n' + 'x' * 74 + '\n' + 'x' * 75 + '\n```\n' + 'x' * 75


def long_line_of_tutorial(site):
    site.sources['Documentation/StepByStep.docc/Code/thumbnails-1.swift'] = 'x' * 89 + '\n' + 'x' * 90


# The faults, and a text that the finding must contain.
FAULTS = [
    (link_to_missing_page, 'the page /documentation/nowhere is missing'),
    (link_to_missing_section, 'the page /documentation/imagecore has no section Nowhere'),
    (missing_image, 'the file /images/nowhere.png is missing'),
    (relative_link, 'the link ../nowhere.md is relative'),
    (link_without_target, 'the link doc://nowhere has no target'),
    (link_in_abstract_of_list, 'has a gap in the list'),
    (missing_html, '/documentation/imagecore: the HTML file is missing'),
    (missing_page_of_navigator, 'navigator: the page /documentation/nowhere is missing'),
    (symbol_without_abstract, 'the page has no abstract'),
    (module_without_text, '/documentation/imagecore: the page has no text'),
    (article_without_text, 'the page has no text'),
    (symbol_without_comment, 'has no comment'),
    (dead_link_of_list, 'llms.txt: the file documentation/nowhere.md is missing'),
    (dead_link_of_markdown, 'documentation/imagecore.md: the file nowhere.md is missing'),
    (dead_link_of_front_page, 'index.html: the link documentation/nowhere/ leads nowhere'),
    (dead_section_of_front_page, 'index.html: the link #nowhere leads nowhere'),
    (link_of_another_library, 'the column of another library links to'),
    (word_that_is_not_found, '"heic" does not find the guide'),
    (unlisted_page, 'llms.txt: the page /documentation/imagecore is missing'),
    (long_line_of_article, 'Guides.docc/Guides.md:3: the line has 75 characters'),
    (long_line_of_tutorial, 'thumbnails-1.swift:2: the line has 90 characters'),
]
# Texts that DocC must reject.
WARNINGS = {
    'a link to a symbol that does not exist': '# Planted\n\nAn abstract with ``Nowhere``.\n',
    'a link to an article that does not exist': '# Planted\n\nAn abstract with <doc:Nowhere>.\n',
    'an image that does not exist': '# Planted\n\nAn abstract.\n\n![Nothing](nowhere)\n',
}


def misses_of_docc():
    for name, text in WARNINGS.items():
        with tempfile.TemporaryDirectory() as folder:
            catalogue = os.path.join(folder, 'Planted.docc')
            os.mkdir(catalogue)
            with open(os.path.join(catalogue, 'Planted.md'), 'w', encoding='utf-8') as file:
                file.write(text.replace('\n\n', '\n\n@Metadata { @TechnologyRoot }\n\n', 1))
            if not docc.convert(catalogue, '', os.path.join(folder, 'Planted.doccarchive'), strict=True):
                yield name


def run(site, findings):
    found = findings(site)
    if found:
        raise SystemExit(f'error: the site has problems of its own, such as: {found[0]}')
    missed = list(misses_of_docc())
    for plant, expected in FAULTS:
        faulty = pickle.loads(pickle.dumps(site))
        plant(faulty)
        if not any(expected in finding for finding in findings(faulty)):
            missed.append(plant.__name__)
    if missed:
        raise SystemExit(f'error: these planted faults are not found: {", ".join(missed)}')
    print(f'==> {len(FAULTS) + len(WARNINGS)} planted faults are found')
