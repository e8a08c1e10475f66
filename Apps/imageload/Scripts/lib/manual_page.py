"""Turns the description that a tool of swift-argument-parser prints into a manual page (man(7)).

    imageload --experimental-dump-help | page.py VERSION > imageload.1
"""

import json
import sys


def escaped(text):
    text = text.replace('\\', '\\e').replace('-', '\\-')
    return '\\&' + text if text.startswith(('.', "'")) else text


def is_heading(line):
    return bool(line) and line == line.upper() and line.replace(' ', '').isalpha()


def discussion(text, heading):
    """Yields paragraphs. Indented lines keep their breaks, and lines in capitals are headings."""
    indented = False
    for line in text.split('\n'):
        if line.startswith('  ') != indented:
            indented = not indented
            yield '.RS 4\n.nf' if indented else '.fi\n.RE'
        if is_heading(line):
            yield f'{heading} "{line}"'
        elif line.strip():
            yield escaped(line[2:] if indented else line)
        elif not indented:
            yield '.PP'
    if indented:
        yield '.fi\n.RE'


def names(argument):
    """Returns an option as it is written: `-o, --output <output>`."""
    if argument['kind'] == 'positional':
        return f'<{argument["valueName"]}>' + ('...' if argument['isRepeating'] else '')
    dashes = {'short': '-', 'long': '--', 'longWithSingleDash': '-'}
    spelled = ', '.join(dashes[name['kind']] + name['name'] for name in argument['names'])
    return spelled if argument['kind'] == 'flag' else f'{spelled} <{argument["valueName"]}>'


def arguments(command):
    for argument in command.get('arguments', []):
        if not argument['shouldDisplay'] or argument['valueName'] in ('help', 'version'):
            continue
        text = argument.get('abstract', '')
        values, default = ', '.join(argument.get('allValues', [])), argument.get('defaultValue')
        if argument['kind'] == 'option' and (values or default):
            text += f' ({"; ".join([f"values: {values}"] * bool(values) + [f"default: {default}"] * bool(default))})'
        yield f'.TP\n\\fB{escaped(names(argument))}\\fR\n{escaped(text)}'


def commands(command, prefix):
    for child in command.get('subcommands', []):
        if not child['shouldDisplay'] or child['commandName'] == 'help':
            continue
        name = f'{prefix} {child["commandName"]}'
        yield f'.SS "{name}"\n{escaped(child["abstract"])}\n.PP'
        yield from discussion(child.get('discussion', ''), '.PP\n.B')
        yield from arguments(child)
        yield from commands(child, name)


def page(command, version):
    name = command['commandName']
    yield f'.TH {name.upper()} 1 "" "{name} {version}" "User Commands"'
    yield f'.SH NAME\n{name} \\- {escaped(command["abstract"].rstrip(".").lower())}'
    yield f'.SH SYNOPSIS\n.B {name}\n\\fIsubcommand\\fR [\\fIoption\\fR...]\n.PP\n.B {name} help\n[\\fIsubcommand\\fR]'
    yield '.SH COMMANDS'
    yield from commands(command, name)
    yield from discussion(command.get('discussion', ''), '.SH')


def without_empty_paragraphs(lines):
    """Leaves out .PP where a heading or another paragraph follows."""
    for line, following in zip(lines, lines[1:] + ['.SH']):
        if line != '.PP' or not following.startswith(('.PP', '.TP', '.SS', '.SH', '.RS')):
            yield line


lines = '\n'.join(page(json.load(sys.stdin)['command'], sys.argv[1])).split('\n')
print('\n'.join(without_empty_paragraphs(lines)))
