"""Checks that each rule works: plants one violation at a time in a temporary copy and expects its finding."""

import multiprocessing
import os
import re
import shutil
import tempfile

import rules

MEMORY = 'Packages/ImageMemoryCaching/Sources/ImageMemoryCaching'
JPEG = 'Packages/ImageCodecJPEG/Sources/ImageCodecJPEG'
CURL = 'Packages/ImageTransportCurl/Sources/CImageTransportCurl'
SHIM = 'Packages/ImageCodecJPEG/Sources/CImageCodecJPEG'


def manifest(pattern, replacement):
    """Returns a violation in Package.swift."""
    return ('Package.swift', lambda text: re.sub(pattern, replacement, text, count=1))


def planted(path, text):
    """Returns a violation in a new file."""
    return (path, lambda _: text + '\n')


# The name, the change, and the text that the finding must contain.
VIOLATIONS = [
    ('a dependency on a module of the same layer', manifest(r'(module\("ImageMemoryCaching", uses: \[)', r'\1"ImageDiskCaching", '),
     'ImageMemoryCaching must not depend on ImageDiskCaching'),
    ('a dependency on a module of a higher layer', manifest(r'module\("ImageCore", ', 'module("ImageCore", uses: ["ImageLoading"], '),
     'ImageCore must not depend on ImageLoading'),
    ('a dependency of ImageCore', manifest(r'module\("ImageCore", ', 'module("ImageCore", uses: [httpTypes], '),
     'ImageCore must depend on nothing, not on HTTPTypes'),
    ('a dependency on another module\'s C module', manifest(r'(module\("ImageProcessing", uses: \[)', r'\1"CImageCodecJPEG", '),
     'ImageProcessing must not depend on CImageCodecJPEG'),
    ('a shim of another module\'s library',
     manifest(r'(shim\("CImageCodecJPEG", in: "ImageCodecJPEG", over: )"CLibJPEG"', r'\1"CLibPNG"'),
     'CImageCodecJPEG must not depend on CLibPNG'),
    ('a module in no layer',
     manifest(r'module\("ImageCore", ', 'module("ImageGuessing"), module("ImageCore", '), 'the product ImageGuessing is missing in ARCHITECTURE.md'),
    ('a layer with a module that does not exist', ('ARCHITECTURE.md', lambda text: text.replace(
        '| 1 | `ImageCore`', '| 1 | `ImageGuessing`, `ImageCore`')), 'ImageGuessing is not a product of Package.swift'),
    ('a product of two modules', manifest(r'targets: \[\$0\.name\]', 'targets: [$0.name, "ImageCore"]'),
     'must only contain the module ImageDecoding'),
    ('an unexpected folder at the top level', planted('Utilities/README', ''), 'Utilities: does not belong at the top level'),
    ('a symbolic link', ('Apps/planted', None), 'Apps/planted: is a symbolic link'),
    ('a public type with the name of a module', planted(f'{MEMORY}/Planted.swift', 'public struct ImageMemoryCaching {}'),
     'with the name of the module ImageMemoryCaching'),
    ('a public final class with the name of another module',
     planted(f'{MEMORY}/Planted.swift', 'public final class HTTPTypes {}'), 'with the name of the module HTTPTypes'),
    ('a C module in another module', planted(f'{MEMORY}/Planted.swift', 'import CImageCodecJPEG'),
     'ImageMemoryCaching must not import CImageCodecJPEG'),
    ('a C module in public signatures', planted(f'{JPEG}/Planted.swift', 'public import CImageCodecJPEG'),
     'C module CImageCodecJPEG must not be in public signatures'),
    ('a system library without its shim', planted(f'{JPEG}/Planted.swift', 'import CLibJPEG'), 'must not import CLibJPEG'),
    ('an import of a module that is no dependency', planted(f'{MEMORY}/Planted.swift', 'import ImageTransporting'),
     'ImageMemoryCaching must not import ImageTransporting'),
    ('Foundation\'s networking', planted(f'{MEMORY}/Planted.swift', 'import FoundationNetworking'),
     'must not import FoundationNetworking'),
    ('all of Foundation', planted(f'{MEMORY}/Planted.swift', 'import Foundation'), 'imports all of Foundation'),
    ('a test framework', planted('Packages/ImageTesting/Sources/ImageTesting/Planted.swift', 'import Testing'),
     'ImageTesting must not import Testing'),
    *[(f'a clock or a sleep: {code}', planted(f'{MEMORY}/Planted.swift', f'let planted = {code}'), 'reads a clock or sleeps')
      for code in ('Date()', 'Date.now', 'ContinuousClock()', 'ContinuousClock.now', 'SuspendingClock()', 'DispatchTime.now()',
                   'try await Task.sleep(for: .seconds(1))', 'usleep(10)', 'clock_gettime(CLOCK_REALTIME, &t)')],
    *[(f'a global: {code}', planted(f'{MEMORY}/Planted.swift', code), 'uses a global')
      for code in ('let session = URLSession.shared', 'enum A { static let shared = A() }', 'let q = DispatchQueue.global()',
                   'enum A { static let all = Mutex<[Int]>([]) }', 'let p = ProcessInfo.processInfo')],
    ('a sleep in C', planted(f'{SHIM}/planted.c', 'void f(void) { usleep(10); }'), 'C reads a clock or sleeps'),
    ('a wall clock in C where only monotonic time is allowed',
     planted(f'{CURL}/planted.c', 'void f(void) { clock_gettime(CLOCK_REALTIME, &t); }'), 'C reads a clock or sleeps'),
    ('monotonic time in C where none is allowed',
     planted(f'{SHIM}/planted.c', 'void f(void) { clock_gettime(CLOCK_MONOTONIC, &t); }'), 'C reads a clock or sleeps'),
    ('UIKit outside an adapter', planted(f'{MEMORY}/Planted.swift', '#if canImport(UIKit)\n#endif'),
     'outside an Apple adapter'),
    *[(f'code without a reason: {code}', planted(f'{MEMORY}/Planted.swift', code), 'without a reason')
      for code in ('final class A: @unchecked Sendable {}', 'nonisolated(unsafe) var a = 1', 'let a = try! f()',
                   '//\nlet a = try! f()', 'let a = b as! Int', 'func f() { fatalError("no") }')],
    *[(f'Foundation\'s Process in {folder}', planted(f'{folder}/Planted.swift', 'let process = Process()'),
       'Foundation\'s Process in a test') for folder in ('Tests/HTTPTransportTests', 'Apps/imageload/Tests/ImageLoadToolTests')],
]

# Code that resembles violations but is allowed.
ALLOWED = '''
// Date() and Task.sleep in a comment; URLSession.shared too.
/* nested /* import CLibJPEG */ try! f() */
let text = "Date() \\(name("x")) .shared try! // not a comment"
let raw = #"a "quoted" Date()"#
let long = """
    import CLibJPEG
    Task.sleep and fatalError( in a literal
    """
/// The caller's thread holds the lock during each access.
final class Reasoned: @unchecked Sendable {}
let sure = try! f()  // the pattern is a literal that was tried
let later = clock.now, size = file.time(of: 3), other = response.date()
struct ImageMemoryCachingStatistics {}
func sleep(until deadline: Int) {}
#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif
'''

CHANGES = [change for _, change, _ in VIOLATIONS] + [planted(f'{MEMORY}/Planted.swift', ALLOWED)]


def copy(root, scratch):
    """Copies the files that the rules read."""
    for name in os.listdir(root):
        source, target = os.path.join(root, name), os.path.join(scratch, name)
        if name in ('Packages', 'Apps'):
            shutil.copytree(source, target, ignore=shutil.ignore_patterns('.build*', '*.docc'))
        elif name.endswith(('.md', '.swift')):
            shutil.copy(source, target)


def apply(scratch, change):
    """Changes the copy, or makes a link if there is no edit. Returns a function that undoes the change."""
    name, edit = change
    path = os.path.join(scratch, name)
    if edit is None:
        os.symlink('nowhere', path)
        return lambda: os.remove(path)
    existed = os.path.exists(path)
    before = open(path, encoding='utf-8').read() if existed else ''
    after = edit(before)
    if existed and after == before:
        # No SystemExit: it would end the worker process, and the pool would wait for its result for ever.
        raise ValueError(f'the self-test could not plant its violation in {name}; update self_test.py')
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, 'w', encoding='utf-8') as file:
        file.write(after)

    def undo():
        if existed:
            with open(path, 'w', encoding='utf-8') as file:
                file.write(before)
        else:
            os.remove(path)
            if not os.listdir(os.path.dirname(path)):
                os.rmdir(os.path.dirname(path))
    return undo


def fresh_findings(number):
    """Returns the findings that this change causes."""
    undo = apply(Copy.path, CHANGES[number])
    found = set(rules.findings(Copy.path)) - Copy.known
    undo()
    return found


class Copy:
    """The copy of a worker process, and its findings without changes."""

    path = known = None

    @classmethod
    def make(cls, root, folder):
        cls.path = tempfile.mkdtemp(dir=folder)
        copy(root, cls.path)
        cls.known = set(rules.findings(cls.path))


def run(root):
    """Returns true if each planted violation is found and allowed code is not."""
    failures = 0
    with tempfile.TemporaryDirectory(prefix='architecture-') as folder, \
            multiprocessing.Pool(initializer=Copy.make, initargs=(root, folder)) as pool:
        *violations, false_findings = pool.map(fresh_findings, range(len(CHANGES)), chunksize=1)
        for (name, _, expected), fresh in zip(VIOLATIONS, violations):
            if not any(expected in finding for finding in fresh):
                failures += 1
                print(f'not found: {name}; expected "{expected}" among: {sorted(fresh)}')
        for finding in sorted(false_findings):
            failures += 1
            print(f'found in allowed code: {finding}')
    print(f'architecture, self-test: {len(VIOLATIONS) + 1 - failures} of {len(VIOLATIONS) + 1} as expected')
    return failures == 0
