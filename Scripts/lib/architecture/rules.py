"""The rules, each a function from the repository to findings. A finding says where, what, and the cure."""

import functools
import json
import os
import re
import subprocess

import swift_text

TABLE = 'ARCHITECTURE.md'
HEADING = '## Allowed edges'
TOP_LEVEL = {
    'Packages', 'Apps', 'Tests', 'Scripts', 'Documentation', 'Package.swift', 'ARCHITECTURE.md', 'README.md', 'CHANGELOG.md',
    'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE',
}
# Build products and reports, which git ignores.
IGNORED = {'out', 'Package.resolved'}
LIBRARY_MODULES = {'FoundationEssentials', 'Foundation', 'Synchronization', 'Glibc', 'Musl', 'Darwin', 'Dispatch', 'Observation'}
APPLE_MODULES = LIBRARY_MODULES | {'ImageIO', 'CoreGraphics', 'UniformTypeIdentifiers', 'UIKit', 'SwiftUI', 'AppKit'}
SYSTEM_C = {'Glibc', 'Musl', 'Darwin'}

# To recognise a clock that was handed in (`clock as? ContinuousClock`) is not to take one.
CLOCKS = re.compile(
    r'\bDate\s*\(\s*\)|\bDate\.now\b|\bDate\s*\(\s*timeIntervalSinceNow|(?<!as\? )\b(?:Continuous|Suspending)Clock\b'
    r'|\bTask\.sleep\b|\bThread\.sleep\b|\bDispatch(?:Wall)?Time\b|\basyncAfter\b'
    r'|(?<![.\w])(?<!func )(?:sleep|usleep|nanosleep|clock_gettime|gettimeofday|time|mach_absolute_time|CFAbsoluteTimeGetCurrent)\s*\('
)
GLOBALS = re.compile(
    r'\.shared\b|\bstatic\s+(?:let|var)\s+shared\b|\bDispatchQueue\.(?:main|global)\b|\bUserDefaults\.standard\b'
    r'|\bNotificationCenter\.default\b|\bProcessInfo\.processInfo\b|\bgetenv\s*\('
    r'|\bstatic\s+let\s+\w+\s*(?::\s*\w+(?:<.*>)?\s*)?=\s*(?:Mutex|Atomic)\b'
)
MONOTONIC = re.compile(r'\bclock_gettime\s*\(\s*CLOCK_MONOTONIC\b')
C_CLOCKS = re.compile(r'(?<![.>\w])(?:sleep|usleep|nanosleep|clock_gettime|gettimeofday|time)\s*\(')
UNSOUND = re.compile(r'@unchecked\s+Sendable|\bnonisolated\s*\(\s*unsafe\s*\)|\btry!|\bas!|\bfatalError\s*\(')
FOUNDATION_PROCESS = re.compile(r'(?<![.\w])(?:Foundation\.)?Process\s*\(')
IMPORT = re.compile(
    r'^\s*(?P<before>(?:@\w+(?:\([^)]*\))?\s+|public\s+|package\s+|internal\s+|fileprivate\s+|private\s+)*)import\s+'
    r'(?:(?:struct|class|enum|protocol|typealias|func|var|let)\s+)?(?P<module>\w+)'
)
PUBLIC_TYPE = re.compile(
    r'\b(?:public|open)\s+(?:(?:final|indirect|nonisolated|distributed)\s+)*'
    r'(?:class|struct|enum|actor|protocol|typealias)\s+(?P<name>\w+)'
)
APPLE_UI = re.compile(r'canImport\s*\(\s*(?:UIKit|SwiftUI|AppKit)\s*\)')


# Where a room's README says what goes in its place; ImageCore's has a table for all ports, and whoever proves ports has none.
REPLACEMENT = ['\n## In its place\n', '| to replace | conform to |', '# ImageContractTesting\n']


class Room:
    """A row of the table."""

    def __init__(self, name, knows, notes):
        self.name = name
        self.knows = knows
        self.has_c_module = 'C module' in notes
        self.is_composition = 'composition' in notes
        self.is_apple_adapter = 'Apple adapter' in notes
        self.has_monotonic_time = 'monotonic time' in notes

    @property
    def c_module(self):
        return 'C' + self.name


class Repository:
    """What the rules look at: the table, the manifest as SwiftPM reads it, and the sources."""

    def __init__(self, root):
        self.root = root
        self.rooms = read_table(os.path.join(root, TABLE))
        with open(os.path.join(root, 'Package.swift'), encoding='utf-8') as file:
            self.manifest = read_manifest(root, file.read())
        self.targets = {target['name']: target for target in self.manifest['targets']}
        self.files = list(self.read_files('Packages', 'Apps'))
        self.tests = [file for file in self.files if '/Tests/' in file[0]] + list(self.read_files('Tests'))

    def read_files(self, *tops):
        """Every source in these folders, as (path, room or None, lines)."""
        for top in tops:
            for folder, folders, names in os.walk(os.path.join(self.root, top)):
                folders[:] = sorted(name for name in folders if not name.startswith('.'))
                for name in sorted(names):
                    if os.path.splitext(name)[1] not in ('.swift', '.c', '.h'):
                        continue
                    path = os.path.relpath(os.path.join(folder, name), self.root)
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        yield path, self.room_of(path), swift_text.lines(file.read())

    def room_of(self, path):
        parts = path.split(os.sep)
        return self.rooms.get(parts[1]) if parts[0] == 'Packages' else None

    def code(self, suffixes, rooms_only=True):
        """Every line of code in files with these suffixes, as (path, number, line, line before, room)."""
        for path, room, lines in self.files:
            if not path.endswith(suffixes) or (rooms_only and not path.startswith('Packages')):
                continue
            before = swift_text.Line()
            for number, line in enumerate(lines, 1):
                yield path, number, line, before, room
                before = line


@functools.lru_cache(maxsize=None)
def read_manifest(root, text):
    """The manifest as SwiftPM reads it, once for each text."""
    dump = subprocess.run(['swift', 'package', '--package-path', root, 'dump-package'], capture_output=True, text=True)
    if dump.returncode:
        raise SystemExit('error: Package.swift can\'t be read:\n' + dump.stderr)
    return json.loads(dump.stdout)


def read_table(path):
    """The rooms by name, from the table under the heading."""
    if not os.path.exists(path):
        raise SystemExit(f'error: there is no {TABLE}, whose table under "{HEADING}" is the rule')
    rooms, inside = {}, False
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith('## '):
                inside = line.strip() == HEADING
            cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
            if inside and line.startswith('| `') and len(cells) == 3:
                name = cells[0].strip('`')
                rooms[name] = Room(name, set(re.findall(r'`(\w+)`', cells[1])), cells[2])
    if not rooms:
        raise SystemExit(f'error: {TABLE} has no table under "{HEADING}"')
    return rooms


def names_of(target):
    """What a target depends on: names of targets and of products."""
    for dependency in target['dependencies']:
        for kind in ('byName', 'target', 'product'):
            if kind in dependency:
                yield dependency[kind][0]


def edges(repository):
    """No target of a room depends on anything but what the table allows."""
    for target in repository.manifest['targets']:
        path = (target.get('path') or '').split('/')
        if path[0] != 'Packages' or target['type'] == 'test':
            continue
        room = repository.rooms.get(path[1])
        if room is None:
            yield f'Package.swift: {target["name"]} stands in the room {path[1]}, which {TABLE} does not have; add its row'
            continue
        if path != ['Packages', room.name, 'Sources', target['name']]:
            yield f'Package.swift: {target["name"]} stands at {"/".join(path)}, not at Packages/{room.name}/Sources/{target["name"]}'
        for name in names_of(target):
            if not is_allowed(repository, room, target, name):
                yield (f'Package.swift: {target["name"]} may not know {name}; {TABLE} allows {room.name}: '
                       f'{", ".join(sorted(room.knows)) or "nothing"}. Go through a port of ImageCore instead')


def is_allowed(repository, room, target, name):
    if target['name'] == room.name:
        return name in room.knows or (room.has_c_module and name == room.c_module)
    other = repository.targets.get(name)
    return (target['name'] == room.c_module and other is not None and other['type'] == 'system'
            and other['path'].startswith(f'Packages/{room.name}/'))


def inventory(repository):
    """One library product per room, all rooms of the table and no other."""
    products = {product['name']: product['targets'] for product in repository.manifest['products']}
    for name in sorted(set(products) - set(repository.rooms)):
        yield f'Package.swift: the product {name} is no room of {TABLE}; add its row, or publish nothing'
    for name in sorted(set(repository.rooms) - set(products)):
        yield f'{TABLE}: {name} is no product of Package.swift; a room comes with its code, not before'
    for name, targets in sorted(products.items()):
        if targets != [name]:
            yield f'Package.swift: the product {name} must be the room {name} alone, not {", ".join(targets)}'
    for name in sorted(set(repository.rooms) & set(products)):
        path = os.path.join(repository.root, 'Packages', name, 'README.md')
        if not os.path.exists(path):
            yield f'Packages/{name}: has no README.md; say what it is, with one example, and when to pick it'
        elif not any(heading in open(path, encoding='utf-8').read() for heading in REPLACEMENT):
            yield f'Packages/{name}/README.md: say under "## In its place" what goes in the place of this room'


def layout(repository):
    """The top level holds what it should and nothing else."""
    for name in sorted(os.listdir(repository.root)):
        if not name.startswith('.') and name not in TOP_LEVEL | IGNORED:
            yield f'{name}: does not belong at the top level; find it a place in Packages, Apps, Tests or Scripts'


def module_names(repository):
    """No public type is named like a module, which would hide the module's name from its users."""
    modules = set(repository.targets) | {'HTTPTypes', 'Crypto'}
    for path, number, line, _, _ in repository.code('.swift'):
        for found in PUBLIC_TYPE.finditer(line.code):
            if found['name'] in modules:
                yield f'{path}:{number}: public type named like the module {found["name"]}; give it another name'


def imports(repository):
    """Rooms import what the table allows; C stays internal and in the rooms that own it; no test framework."""
    for path, number, line, before, room in repository.code('.swift'):
        found = IMPORT.match(line.code)
        if not found or room is None:
            continue
        module, exposed = found['module'], re.search(r'public|package|@_exported', found['before'])
        is_own_c = room.has_c_module and module == room.c_module
        library = APPLE_MODULES if room.is_apple_adapter else LIBRARY_MODULES
        if (is_own_c or module in SYSTEM_C) and exposed:
            yield f'{path}:{number}: C module {module} must not be in public signatures; write plain "import {module}"'
        if module == 'Foundation' and before.code.strip() != '#else' and not room.is_apple_adapter:
            yield (f'{path}:{number}: imports all of Foundation; write "#if canImport(FoundationEssentials)", '
                   '"import FoundationEssentials", "#else", "import Foundation", "#endif"')
        if not (is_own_c or module in room.knows | library):
            yield (f'{path}:{number}: {room.name} may not import {module}; {TABLE} allows: '
                   f'{", ".join(sorted(room.knows)) or "nothing"}')


def clocks(repository):
    """Nothing in the rooms reads a clock, sleeps, or reaches for a global. Composition may."""
    for path, number, line, _, room in repository.code('.swift'):
        if room is not None and (room.is_composition or room.is_apple_adapter):
            continue
        if found := CLOCKS.search(line.code):
            yield f'{path}:{number}: reads a clock or sleeps ({found[0].strip()}); take "any Clock<Duration>" or "now: () -> Date" as a parameter'
        if found := GLOBALS.search(line.code):
            yield f'{path}:{number}: a global ({found[0].strip()}); take it as a parameter, and let ImageLoaderKit pass it'
    for path, number, line, _, room in repository.code(('.c', '.h')):
        code = MONOTONIC.sub('', line.code) if room and room.has_monotonic_time else line.code
        if found := C_CLOCKS.search(code):
            yield f'{path}:{number}: C reads a clock or sleeps ({found[0].strip()}); let Swift pass the time'


def apple_interfaces(repository):
    """UIKit, SwiftUI and AppKit appear in the Apple adapters alone."""
    for path, number, line, _, room in repository.code('.swift'):
        if APPLE_UI.search(line.code) and not (room and room.is_apple_adapter):
            yield f'{path}:{number}: {APPLE_UI.search(line.code)[0]} outside an Apple adapter; move it into one'


def reasons(repository):
    """What the compiler can't check says in a comment, on its line or the one before, why it is sound."""
    for path, number, line, before, _ in repository.code('.swift', rooms_only=False):
        found = UNSOUND.search(line.code)
        if found and not is_reason(line.comment) and not (is_reason(before.comment) and not before.code.strip()):
            yield f'{path}:{number}: {found[0]} without a reason; do without, or say in a comment on it or above why it is sound'


def processes(repository):
    """Tests do not start processes with Foundation, which crashes on Linux once more than 1,024 files are open."""
    for path, _, lines in repository.tests:
        for number, line in enumerate(lines, 1):
            if path.endswith('.swift') and FOUNDATION_PROCESS.search(line.code):
                yield f'{path}:{number}: Foundation\'s Process in a test; use CommandResult.run of Tests/Support/CommandRunning'


def is_reason(comment):
    """A few words at least: an empty "//" gives no reason."""
    return len(re.findall(r'\w+', comment)) >= 3


RULES = [edges, inventory, layout, module_names, imports, clocks, apple_interfaces, reasons, processes]


def findings(root):
    repository = Repository(root)
    return [finding for rule in RULES for finding in rule(repository)]
