"""Tells the code of a Swift or C file from its comments and its text literals, line by line."""

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
    """One line: its code, with literals emptied, and the comments on it."""

    def __init__(self):
        self.code = ''
        self.comment = ''


@functools.lru_cache(maxsize=None)
def lines(text):
    """The file's lines, comments and the insides of literals taken out of the code."""
    result = [Line()]

    def add(piece, where):
        for number, part in enumerate(piece.split('\n')):
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
    """Behind the closing quote. An unterminated literal of one line ends with the line."""
    stop = re.compile(r'\\' + hashes + r'\((?P<hole>)|\\' + hashes + r'.|' + marks + hashes + r'|\n', re.S)
    while True:
        found = stop.search(text, position)
        if not found:
            return len(text)
        position = found.end()
        if found['hole'] is not None:
            position = end_of_hole(text, position)
        elif found[0] == marks + hashes or (found[0] == '\n' and marks == '"'):
            return position if found[0] != '\n' else position - 1


def end_of_hole(text, position):
    """Behind the bracket that closes an interpolation. What stands in it counts as literal."""
    depth = 1
    while depth and position < len(text):
        character = text[position]
        position += 1
        if character == '"':
            position = end_of_literal(text, position, '"', '')
        elif character in '()':
            depth += 1 if character == '(' else -1
    return position
