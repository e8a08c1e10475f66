"""The rules. Each is a function from the repository to findings. A finding gives the location, the problem and the fix."""

import functools
import json
import os
import re
import subprocess

import swift_text

PAGE = 'ARCHITECTURE.md'
HEADING = '## Layers'
# The modules with rights of their own. ARCHITECTURE.md gives the reasons under "Invariants".
COMPOSITION = {'ImageLoaderKit'}
# Modules whose interface has types of a C library, whose clock they use.
TOOLKITS = {'ImagePresentingGTK'}
# Ends tests that hang.
WAIT_GUARD = 'ImageTesting/WaitGuard.swift'
APPLE_ADAPTERS = {'ImageCodecImageIO', 'ImageTransportURLSession', 'ImagePresentingUIKit', 'ImagePresentingAppKit', 'ImagePresentingSwiftUI'}
# Targets without a product, which codecs and ImageMetadata share.
SHARED = {'ISOBoxes'}
MONOTONIC_TIME = {'ImageTransportCurl', 'ImageDecodingIsolation'}
TOP_LEVEL = {
    'Packages', 'Apps', 'Tests', 'Scripts', 'Documentation', 'Package.swift', 'ARCHITECTURE.md', 'README.md', 'CHANGELOG.md',
    'CONTRIBUTING.md', 'SECURITY.md', 'LICENSE',
}
# Build products and reports that git ignores.
IGNORED = {'out', 'Package.resolved'}
LIBRARY_MODULES = {'FoundationEssentials', 'Foundation', 'Synchronization', 'Glibc', 'Musl', 'Darwin', 'Dispatch', 'Observation'}
APPLE_MODULES = LIBRARY_MODULES | {'Accessibility', 'ImageIO', 'Combine', 'CoreGraphics', 'UniformTypeIdentifiers', 'UIKit', 'SwiftUI', 'AppKit'}
# A framework of Apple's that one module may import.
OWN_FRAMEWORKS = {'ImageMonitoring': {'Network'}, 'ImageObserving': {'os'}, 'ImageTieredCaching': {'CryptoKit'}}
SYSTEM_C = {'Glibc', 'Musl', 'Darwin'}

# Checking the type of an injected clock (`clock as? ContinuousClock`) is allowed, and so is the default of an optional parameter.
CLOCKS = re.compile(
    r'(?<!-> Date = { )\bDate\s*\(\s*\)|\bDate\.now\b|\bDate\s*\(\s*timeIntervalSinceNow|(?<!as\? )(?<!\(any Clock<Duration>\)\? = )(?<!: any Clock<Duration> = )\b(?:Continuous|Suspending)Clock\b'
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


class Repository:
    """The input of the rules: the layers, the manifest as SwiftPM reads it, and the sources."""

    def __init__(self, root):
        self.root = root
        self.layers = read_layers(os.path.join(root, PAGE))
        with open(os.path.join(root, 'Package.swift'), encoding='utf-8') as file:
            self.manifest = read_manifest(root, file.read())
        self.targets = {target['name']: target for target in self.manifest['targets']}
        self.files = list(self.read_files('Packages', 'Apps'))
        self.tests = [file for file in self.files if '/Tests/' in file[0]] + list(self.read_files('Tests'))

    def read_files(self, *tops):
        """Yields each source file in these folders as (path, lines)."""
        for top in tops:
            for folder, folders, names in os.walk(os.path.join(self.root, top)):
                folders[:] = sorted(name for name in folders if not name.startswith('.'))
                for name in sorted(names):
                    if os.path.splitext(name)[1] not in ('.swift', '.c', '.h'):
                        continue
                    path = os.path.relpath(os.path.join(folder, name), self.root)
                    with open(os.path.join(folder, name), encoding='utf-8') as file:
                        yield path, swift_text.lines(file.read())

    def code(self, suffixes, modules_only=True):
        """Yields each line in files with these suffixes as (path, number, line, previous line, name of the module)."""
        for path, lines in self.files:
            parts = path.split(os.sep)
            module = parts[1] if parts[0] == 'Packages' else None
            if not path.endswith(suffixes) or (modules_only and module is None):
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


def read_layers(path):
    """Returns the number of the layer of each module, from the table under the heading. The lowest layer has number 1."""
    layers, inside = {}, False
    with open(path, encoding='utf-8') as file:
        for line in file:
            if line.startswith('## '):
                inside = line.strip() == HEADING
            if inside and (row := re.match(r'\| (\d+) \| ([^|]*)\|', line)):
                layers.update({name: int(row[1]) for name in re.findall(r'`(\w+)`', row[2])})
    if not layers:
        raise SystemExit(f'error: {PAGE} has no table under "{HEADING}"')
    return layers


def names_of(target):
    """Returns the names of the targets and products that a target depends on."""
    return {dependency[kind][0] for dependency in target['dependencies'] for kind in ('byName', 'target', 'product') if kind in dependency}


def folder_of(target):
    """Returns the name of the module whose folder has the target, or None."""
    path = (target.get('path') or '').split('/')
    return path[1] if path[0] == 'Packages' else None


def edges(repository):
    """A module only depends on modules of lower layers and on its own C targets; a C target on no Swift module."""
    for target in repository.manifest['targets']:
        module = folder_of(target)
        if module is None or target['type'] == 'test':
            continue
        if target['path'] != f'Packages/{module}/Sources/{target["name"]}':
            yield f'Package.swift: the path of {target["name"]} is {target["path"]}; it must be Packages/{module}/Sources/{target["name"]}'
        if repository.layers.get(target['name']) == 1 and names_of(target):
            yield f'Package.swift: {target["name"]} must depend on nothing, not on {", ".join(sorted(names_of(target)))}'
        for name in sorted(names_of(target) & set(repository.targets)):
            if not is_allowed(repository, target, repository.targets[name]):
                yield (f'Package.swift: {target["name"]} must not depend on {name}, which is not in a lower layer of {PAGE}; '
                       'use a protocol of ImageCore instead')


def is_allowed(repository, target, other):
    layers = repository.layers
    if other['name'] in layers:
        return layers.get(target['name'], 2 if target['name'] in SHARED else 0) > layers[other['name']]
    if other['name'] in SHARED:
        return layers.get(target['name'], 2) > 1
    is_over_c = target['name'] not in layers or target['name'] in TOOLKITS
    return folder_of(target) == folder_of(other) and (is_over_c or other['type'] != 'system')


def inventory(repository):
    """There is one library product per module of the layers, and no other. Each has a README."""
    products = {product['name']: product['targets'] for product in repository.manifest['products']}
    for name in sorted(set(products) - set(repository.layers)):
        yield f'Package.swift: the product {name} is missing in {PAGE}; add it to a layer, or remove the product'
    for name in sorted(set(repository.layers) - set(products)):
        yield f'{PAGE}: {name} is not a product of Package.swift; add the product, or remove it from the layers'
    for name, targets in sorted(products.items()):
        if targets != [name]:
            yield f'Package.swift: the product {name} must only contain the module {name}, not {", ".join(targets)}'
        if not os.path.exists(os.path.join(repository.root, 'Packages', name, 'README.md')):
            yield f'Packages/{name}: README.md is missing; describe the module, give an example, and say when to use it'


def layout(repository):
    """The top level only contains the expected files and folders."""
    for name in sorted(os.listdir(repository.root)):
        if not name.startswith('.') and name not in TOP_LEVEL | IGNORED:
            yield f'{name}: does not belong at the top level; move it to Packages, Apps, Tests or Scripts'


def links(repository):
    """Nothing is a symbolic link, because an app of a user can't link either: what two packages share is a product."""
    for top in ('Packages', 'Apps', 'Tests'):
        for folder, folders, names in os.walk(os.path.join(repository.root, top)):
            for name in sorted(folders + names):
                if os.path.islink(os.path.join(folder, name)) and not name.startswith('.'):
                    path = os.path.relpath(os.path.join(folder, name), repository.root)
                    yield f'{path}: is a symbolic link; make what it links to a product, or a target of Tests/Support'
            folders[:] = [name for name in folders if not name.startswith('.')]


def module_names(repository):
    """No public type has the name of a module, because it would shadow the module's name."""
    modules = set(repository.targets) | {'HTTPTypes', 'Crypto'}
    for path, number, line, _, _ in repository.code('.swift'):
        for found in PUBLIC_TYPE.finditer(line.code):
            if found['name'] in modules:
                yield f'{path}:{number}: public type with the name of the module {found["name"]}; rename it'


def imports(repository):
    """Modules import no system library beyond a few, no test framework, and all of Foundation only where it is the only one."""
    for path, number, line, before, module in repository.code('.swift'):
        found = IMPORT.match(line.code)
        if not found or module not in repository.targets:
            continue
        imported, exposed = found['module'], re.search(r'public|package|@_exported', found['before'])
        dependencies, is_adapter = names_of(repository.targets[module]), module in APPLE_ADAPTERS
        is_own_c = imported in dependencies and imported.startswith('C')
        if (is_own_c and module not in TOOLKITS or imported in SYSTEM_C) and exposed:
            yield f'{path}:{number}: C module {imported} must not be in public signatures; write plain "import {imported}"'
        if imported == 'Foundation' and before.code.strip() != '#else' and not is_adapter:
            yield (f'{path}:{number}: imports all of Foundation; write "#if canImport(FoundationEssentials)", '
                   '"import FoundationEssentials", "#else", "import Foundation", "#endif"')
        allowed = (APPLE_MODULES if is_adapter else LIBRARY_MODULES) | OWN_FRAMEWORKS.get(module, set())
        if imported not in dependencies | allowed:
            yield f'{path}:{number}: {module} must not import {imported}, which is not among its dependencies in Package.swift'


def clocks(repository):
    """Modules don't read clocks, sleep or use globals, except for composition modules."""
    for path, number, line, _, module in repository.code('.swift'):
        if module in COMPOSITION | APPLE_ADAPTERS | TOOLKITS or path.endswith(WAIT_GUARD):
            continue
        if found := CLOCKS.search(line.code):
            yield f'{path}:{number}: reads a clock or sleeps ({found[0].strip()}); take "any Clock<Duration>" or "now: () -> Date" as a parameter'
        if found := GLOBALS.search(line.code):
            yield f'{path}:{number}: uses a global ({found[0].strip()}); take it as a parameter, and pass it in ImageLoaderKit'
    for path, number, line, _, module in repository.code(('.c', '.h')):
        code = MONOTONIC.sub('', line.code) if module in MONOTONIC_TIME else line.code
        if found := C_CLOCKS.search(code):
            yield f'{path}:{number}: C reads a clock or sleeps ({found[0].strip()}); pass the time from Swift'


def apple_interfaces(repository):
    """Only Apple adapters use UIKit, SwiftUI and AppKit."""
    for path, number, line, _, module in repository.code('.swift'):
        if APPLE_UI.search(line.code) and module not in APPLE_ADAPTERS:
            yield f'{path}:{number}: {APPLE_UI.search(line.code)[0]} outside an Apple adapter; move the code into one'


def reasons(repository):
    """Code that the compiler can't check has a comment, on its line or the one before, that says why it is safe."""
    for path, number, line, before, _ in repository.code('.swift', modules_only=False):
        found = UNSOUND.search(line.code)
        if found and not is_reason(line.comment) and not (is_reason(before.comment) and not before.code.strip()):
            yield f'{path}:{number}: {found[0]} without a reason; avoid it, or say in a comment on or above the line why it is safe'


def processes(repository):
    """Tests don't start processes with Foundation, which crashes on Linux if more than 1,024 files are open."""
    for path, lines in repository.tests:
        for number, line in enumerate(lines, 1):
            if path.endswith('.swift') and FOUNDATION_PROCESS.search(line.code):
                yield f'{path}:{number}: Foundation\'s Process in a test; use CommandResult.run from Tests/Support/CommandRunning'


def is_reason(comment):
    """Returns whether the comment has at least three words."""
    return len(re.findall(r'\w+', comment)) >= 3


RULES = [edges, inventory, layout, links, module_names, imports, clocks, apple_interfaces, reasons, processes]


def findings(root):
    repository = Repository(root)
    return [finding for rule in RULES for finding in rule(repository)]
