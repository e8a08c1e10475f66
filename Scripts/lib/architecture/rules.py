"""The rules. Each is a function from the repository to findings. A finding gives the location, the problem and the fix."""

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
# Build products and reports that git ignores.
IGNORED = {'out', 'Package.resolved'}
LIBRARY_MODULES = {'FoundationEssentials', 'Foundation', 'Synchronization', 'Glibc', 'Musl', 'Darwin', 'Dispatch', 'Observation'}
APPLE_MODULES = LIBRARY_MODULES | {'ImageIO', 'CoreGraphics', 'UniformTypeIdentifiers', 'UIKit', 'SwiftUI', 'AppKit'}
SYSTEM_C = {'Glibc', 'Musl', 'Darwin'}

# Checking the type of an injected clock (`clock as? ContinuousClock`) is allowed.
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


# The part of a README that says how to replace a module. ImageCore has a table of all protocols. ImageContractTesting needs none.
REPLACEMENT = ['\n## Custom implementations\n', '| to replace | conform to |', '# ImageContractTesting\n']


class Module:
    """A module: a row of the table."""

    def __init__(self, name, dependencies, notes):
        self.name = name
        self.dependencies = dependencies
        self.has_c_module = 'C module' in notes
        self.is_composition = 'composition' in notes
        self.is_apple_adapter = 'Apple adapter' in notes
        self.has_monotonic_time = 'monotonic time' in notes

    @property
    def c_module(self):
        return 'C' + self.name


class Repository:
    """The input of the rules: the table, the manifest as SwiftPM reads it, and the sources."""

    def __init__(self, root):
        self.root = root
        self.modules = read_table(os.path.join(root, TABLE))
        with open(os.path.join(root, 'Package.swift'), encoding='utf-8') as file:
            self.manifest = read_manifest(root, file.read())
        self.targets = {target['name']: target for target in self.manifest['targets']}
        self.files = list(self.read_files('Packages', 'Apps'))
        self.tests = [file for file in self.files if '/Tests/' in file[0]] + list(self.read_files('Tests'))

    def read_files(self, *tops):
        """Yields each source file in these folders as (path, module or None, lines)."""
        for top in tops:
            for folder, folders, names in os.walk(os.path.join(self.root, top)):
                folders[:] = sorted(name for name in folders if not name.startswith('.'))
                for name in sorted(names):
                    if os.path.splitext(name)[1] not in ('.swift', '.c', '.h'):
                        continue
                    path = os.path.relpath(os.path.join(folder, name), self.root)
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        yield path, self.module_of(path), swift_text.lines(file.read())

    def module_of(self, path):
        parts = path.split(os.sep)
        return self.modules.get(parts[1]) if parts[0] == 'Packages' else None

    def code(self, suffixes, modules_only=True):
        """Yields each line in files with these suffixes as (path, number, line, previous line, module)."""
        for path, module, lines in self.files:
            if not path.endswith(suffixes) or (modules_only and not path.startswith('Packages')):
                continue
            before = swift_text.Line()
            for number, line in enumerate(lines, 1):
                yield path, number, line, before, module
                before = line


@functools.lru_cache(maxsize=None)
def read_manifest(root, text):
    """Returns the manifest as SwiftPM reads it. Caches the result by text."""
    dump = subprocess.run(['swift', 'package', '--package-path', root, 'dump-package'], capture_output=True, text=True)
    if dump.returncode:
        raise SystemExit('error: Package.swift can\'t be read:\n' + dump.stderr)
    return json.loads(dump.stdout)


def read_table(path):
    """Returns the modules by name, from the table under the heading."""
    if not os.path.exists(path):
        raise SystemExit(f'error: {TABLE} is missing; its table under "{HEADING}" defines the allowed dependencies')
    modules, inside = {}, False
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith('## '):
                inside = line.strip() == HEADING
            cells = [cell.strip() for cell in line.strip().strip('|').split('|')]
            if inside and line.startswith('| `') and len(cells) == 3:
                name = cells[0].strip('`')
                modules[name] = Module(name, set(re.findall(r'`(\w+)`', cells[1])), cells[2])
    if not modules:
        raise SystemExit(f'error: {TABLE} has no table under "{HEADING}"')
    return modules


def names_of(target):
    """Yields the names of the targets and products that a target depends on."""
    for dependency in target['dependencies']:
        for kind in ('byName', 'target', 'product'):
            if kind in dependency:
                yield dependency[kind][0]


def edges(repository):
    """The targets of a module only have the dependencies that the table allows."""
    for target in repository.manifest['targets']:
        path = (target.get('path') or '').split('/')
        if path[0] != 'Packages' or target['type'] == 'test':
            continue
        module = repository.modules.get(path[1])
        if module is None:
            yield f'Package.swift: {target["name"]} is in the module {path[1]}, which is missing in {TABLE}; add a row'
            continue
        if path != ['Packages', module.name, 'Sources', target['name']]:
            yield f'Package.swift: the path of {target["name"]} is {"/".join(path)}; it must be Packages/{module.name}/Sources/{target["name"]}'
        for name in names_of(target):
            if not is_allowed(repository, module, target, name):
                yield (f'Package.swift: {target["name"]} must not depend on {name}; {TABLE} allows {module.name}: '
                       f'{", ".join(sorted(module.dependencies)) or "nothing"}. Use a protocol of ImageCore instead')


def is_allowed(repository, module, target, name):
    if target['name'] == module.name:
        return name in module.dependencies or (module.has_c_module and name == module.c_module)
    other = repository.targets.get(name)
    if target['name'] != module.c_module or other is None:
        return False
    # A C module may use its system libraries, and the C targets in its row.
    is_own_library = other['type'] == 'system' and other['path'].startswith(f'Packages/{module.name}/')
    return is_own_library or (name in module.dependencies and name not in repository.modules)


def inventory(repository):
    """There is one library product per module of the table, and no other."""
    products = {product['name']: product['targets'] for product in repository.manifest['products']}
    for name in sorted(set(products) - set(repository.modules)):
        yield f'Package.swift: the product {name} is missing in {TABLE}; add a row, or remove the product'
    for name in sorted(set(repository.modules) - set(products)):
        yield f'{TABLE}: {name} is not a product of Package.swift; add the product, or remove the row'
    for name, targets in sorted(products.items()):
        if targets != [name]:
            yield f'Package.swift: the product {name} must only contain the module {name}, not {", ".join(targets)}'
    for name in sorted(set(repository.modules) & set(products)):
        path = os.path.join(repository.root, 'Packages', name, 'README.md')
        if not os.path.exists(path):
            yield f'Packages/{name}: README.md is missing; describe the module, give an example, and say when to use it'
        elif not any(heading in open(path, encoding='utf-8').read() for heading in REPLACEMENT):
            yield f'Packages/{name}/README.md: say under "## Custom implementations" which protocol a replacement of this module conforms to'


def layout(repository):
    """The top level only contains the expected files and folders."""
    for name in sorted(os.listdir(repository.root)):
        if not name.startswith('.') and name not in TOP_LEVEL | IGNORED:
            yield f'{name}: does not belong at the top level; move it to Packages, Apps, Tests or Scripts'


def module_names(repository):
    """No public type has the name of a module, because it would shadow the module's name."""
    modules = set(repository.targets) | {'HTTPTypes', 'Crypto'}
    for path, number, line, _, _ in repository.code('.swift'):
        for found in PUBLIC_TYPE.finditer(line.code):
            if found['name'] in modules:
                yield f'{path}:{number}: public type with the name of the module {found["name"]}; rename it'


def imports(repository):
    """Modules only import what the table allows. C modules are internal to the module that owns them."""
    for path, number, line, before, module in repository.code('.swift'):
        found = IMPORT.match(line.code)
        if not found or module is None:
            continue
        imported, exposed = found['module'], re.search(r'public|package|@_exported', found['before'])
        is_own_c = module.has_c_module and imported == module.c_module
        library = APPLE_MODULES if module.is_apple_adapter else LIBRARY_MODULES
        if (is_own_c or imported in SYSTEM_C) and exposed:
            yield f'{path}:{number}: C module {imported} must not be in public signatures; write plain "import {imported}"'
        if imported == 'Foundation' and before.code.strip() != '#else' and not module.is_apple_adapter:
            yield (f'{path}:{number}: imports all of Foundation; write "#if canImport(FoundationEssentials)", '
                   '"import FoundationEssentials", "#else", "import Foundation", "#endif"')
        if not (is_own_c or imported in module.dependencies | library):
            yield (f'{path}:{number}: {module.name} must not import {imported}; {TABLE} allows: '
                   f'{", ".join(sorted(module.dependencies)) or "nothing"}')


def clocks(repository):
    """Modules don't read clocks, sleep or use globals, except for composition modules."""
    for path, number, line, _, module in repository.code('.swift'):
        if module is not None and (module.is_composition or module.is_apple_adapter):
            continue
        if found := CLOCKS.search(line.code):
            yield f'{path}:{number}: reads a clock or sleeps ({found[0].strip()}); take "any Clock<Duration>" or "now: () -> Date" as a parameter'
        if found := GLOBALS.search(line.code):
            yield f'{path}:{number}: uses a global ({found[0].strip()}); take it as a parameter, and pass it in ImageLoaderKit'
    for path, number, line, _, module in repository.code(('.c', '.h')):
        code = MONOTONIC.sub('', line.code) if module and module.has_monotonic_time else line.code
        if found := C_CLOCKS.search(code):
            yield f'{path}:{number}: C reads a clock or sleeps ({found[0].strip()}); pass the time from Swift'


def apple_interfaces(repository):
    """Only Apple adapters use UIKit, SwiftUI and AppKit."""
    for path, number, line, _, module in repository.code('.swift'):
        if APPLE_UI.search(line.code) and not (module and module.is_apple_adapter):
            yield f'{path}:{number}: {APPLE_UI.search(line.code)[0]} outside an Apple adapter; move the code into one'


def reasons(repository):
    """Code that the compiler can't check has a comment, on its line or the one before, that says why it is safe."""
    for path, number, line, before, _ in repository.code('.swift', modules_only=False):
        found = UNSOUND.search(line.code)
        if found and not is_reason(line.comment) and not (is_reason(before.comment) and not before.code.strip()):
            yield f'{path}:{number}: {found[0]} without a reason; avoid it, or say in a comment on or above the line why it is safe'


def processes(repository):
    """Tests don't start processes with Foundation, which crashes on Linux if more than 1,024 files are open."""
    for path, _, lines in repository.tests:
        for number, line in enumerate(lines, 1):
            if path.endswith('.swift') and FOUNDATION_PROCESS.search(line.code):
                yield f'{path}:{number}: Foundation\'s Process in a test; use CommandResult.run from Tests/Support/CommandRunning'


def is_reason(comment):
    """Returns whether the comment has at least three words."""
    return len(re.findall(r'\w+', comment)) >= 3


RULES = [edges, inventory, layout, module_names, imports, clocks, apple_interfaces, reasons, processes]


def findings(root):
    repository = Repository(root)
    return [finding for rule in RULES for finding in rule(repository)]
