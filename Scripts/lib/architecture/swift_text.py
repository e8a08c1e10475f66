"""Separates the code of a Swift or C file from comments and string literals, line by line."""

import functools
import re

TOKEN = re.compile(
    r'(?P<line>//[^\n]*)'
    r'|(?P<open>/\*)'
    r'|(?P<quote>(?P<hashes>#*)(?P<marks>"""|"))'
    r'|(?P<other>[^/"#]+|.)',
    re.S,
)


class Line:
    """A line: its code with empty literals, and its comments."""

    def __init__(self):
        self.code = ''
        self.comment = ''


@functools.lru_cache(maxsize=None)
def lines(text):
    """Returns the lines of a file, with comments and the contents of literals removed from the code."""
    result = [Line()]

    def add(segment, where):
        for number, part in enumerate(segment.split('\n')):
            if number:
                result.append(Line())
            if where == 'code':
                result[-1].code += part
            elif where == 'comment':
                result[-1].comment += part

    position = 0
    while position < len(text):
        found = TOKEN.match(text, position)
        position = found.end()
        if found['line']:
            add(found['line'], 'comment')
        elif found['open']:
            end = end_of_block_comment(text, position)
            add(text[found.start():end], 'comment')
            position = end
        elif found['quote']:
            end = end_of_literal(text, position, found['marks'], found['hashes'])
            add('"', 'code')
            add(text[position:end], 'literal')
            add('"', 'code')
            position = end
        else:
            add(found['other'], 'code')
    return result


def end_of_block_comment(text, position):
    depth = 1
    while depth and position < len(text):
        found = re.compile(r'/\*|\*/').search(text, position)
        if not found:
            return len(text)
        depth += 1 if found[0] == '/*' else -1
        position = found.end()
    return position


def end_of_literal(text, position, marks, hashes):
    """Returns the position after the closing quote. An unterminated single-line literal ends with its line."""
    stop = re.compile(r'\\' + hashes + r'\((?P<interpolation>)|\\' + hashes + r'.|' + marks + hashes + r'|\n', re.S)
    while True:
        found = stop.search(text, position)
        if not found:
            return len(text)
        position = found.end()
        if found['interpolation'] is not None:
            position = end_of_interpolation(text, position)
        elif found[0] == marks + hashes or (found[0] == '\n' and marks == '"'):
            return position if found[0] != '\n' else position - 1


def end_of_interpolation(text, position):
    """Returns the position after the bracket that closes an interpolation, which counts as part of the literal."""
    depth = 1
    while depth and position < len(text):
        character = text[position]
        position += 1
        if character == '"':
            position = end_of_literal(text, position, '"', '')
        elif character in '()':
            depth += 1 if character == '(' else -1
    return position
