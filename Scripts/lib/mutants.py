"""Tries the faults of Tests/faults.txt: see Scripts/mutants."""

import argparse
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

MARKER = '.mutants'  # in a copy, which may be changed
TIME_LIMIT = 300  # seconds for the tests of a module
BUILD_OPTIONS = os.environ['BUILD_OPTIONS'].split()
Fault = namedtuple('Fault', 'name file before after tests')
Build = namedtuple('Build', 'package options test')

ROOT = Build('.', (), ('swift', 'test', '--disable-xctest'))
TRAITS = Build('.', ('--enable-all-traits', '--scratch-path', '.build-traits'), ROOT.test)
SERVER = Build('Apps/ImageServer', ('--enable-all-traits',), ROOT.test)
DESKTOP = Build('Apps/GtkPhotoFeed', (), ('Scripts/lib/on-virtual-screen', 'swift', 'test', '--disable-swift-testing'))
BEHIND_TRAITS = re.compile(r'ImageCodec(AVIF|HEIF|JXL|SVG|TIFF)/|ImageRedisCaching/|ImageTransportAsyncHTTPClient/|ImageObserving/(Loader|RequestSpan)')

FOUND = re.compile(r'^\S+ Test (?!run with )(.+?) recorded an issue|error: (\S+) : |^\S+ Suite (.+?) recorded an issue|Fatal error: (.+)', re.M)
COUNT = re.compile(r'Test run with (\d+) test|Executed (\d+) test')
SWIFT_SWITCH = '''#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

private nonisolated let activeFault = ProcessInfo.processInfo.environment["FAULT"]
nonisolated func isFault(_ name: String) -> Bool { name == activeFault }
'''
C_SWITCH = '''extern char *getenv(const char *);
extern int strcmp(const char *, const char *);
static inline int isFault(const char *name) { return getenv("FAULT") && !strcmp(getenv("FAULT"), name); }
'''


def read(path):
    """Returns the faults of the list."""
    faults, file, tests = [], None, None
    for line in path.read_text().splitlines():
        if line.startswith('['):
            file, _, tests = line.strip('[]').partition(' ')
            module, _, rest = file.partition('/')
            file = file if module in ('Apps', 'Packages') else f'Packages/{module}/Sources/{module}/{rest}'
            tests = tests or f'{file.split("/")[1]}Tests'
        elif line and not line.startswith('#'):
            name, _, change = line.partition(': ')
            before, _, after = change.partition(' =>')
            faults.append(Fault(name, file, before, after.strip(), tests))
    return faults


def build_of(fault, with_traits):
    if fault.file.startswith('Apps/ImageServer'):
        return SERVER
    if 'GTK' in fault.file or 'Gtk' in fault.file:
        return DESKTOP
    return TRAITS if with_traits or BEHIND_TRAITS.search(fault.file) else ROOT


def put_in(fault, text):
    """Returns the text with the fault, which its name switches on."""
    pattern = r'\s+'.join(re.escape(word) for word in fault.before.split())
    count = len(re.findall(pattern, text))
    if count != 1:
        sys.exit(f'error: the list is out of date: {fault.name}: the text is {count} times in {fault.file}\n       {fault.before}')
    is_on = f'isFault("{fault.name}")'
    if 'FAULT' in fault.after:
        change = fault.after.replace('FAULT', is_on)
    elif fault.after:
        change = f'({is_on} ? ({fault.after}) : ({fault.before}))'
    else:
        change = f'if (!{is_on}) {{ {fault.before} }}' if fault.file.endswith('.c') else f'if !{is_on} {{ {fault.before} }}'
    return re.sub(pattern, lambda _: change, text)


def changed_files(root, faults):
    """Returns the contents of the files that have a fault, and of those that switch them."""
    files = {}
    for fault in faults:
        path = fault.file
        if path not in files:
            files[path] = (C_SWITCH if path.endswith('.c') else '') + (root / path).read_text()
        files[path] = put_in(fault, files[path])
        if path.endswith('.swift'):
            target = path[:path.index('/', path.index('/Sources/') + len('/Sources/'))]
            files[f'{target}/FaultSwitch.swift'] = SWIFT_SWITCH
    return {path: text.encode() for path, text in files.items()}


def check_syntax(changes):
    """Ends the program if a fault makes a file that Swift can't parse."""
    with tempfile.TemporaryDirectory() as folder:
        files = {str(Path(folder, path.replace('/', '-'))): data for path, data in changes.items() if path.endswith('.swift')}
        for file, data in files.items():
            Path(file).write_bytes(data)
        result = subprocess.run(['swiftc', '-frontend', '-parse', '-enable-bare-slash-regex', *files], stderr=subprocess.PIPE, text=True)
    if result.returncode:
        sys.exit('error: a fault of the list is not Swift\n' + result.stderr.replace(folder + '/', ''))


def update_copy(root, copy, changes):
    """Makes the copy like the repository with the changes. Keeps files that are equal, and builds. Removes others."""
    if copy.exists() and any(copy.iterdir()) and not (copy / MARKER).exists():
        sys.exit(f'error: {copy} is no copy of an earlier run, and its files would be removed: choose an empty folder')
    copy.mkdir(parents=True, exist_ok=True)
    (copy / MARKER).touch()
    listed = subprocess.run(['git', '-C', root, 'ls-files', '-co', '--exclude-standard'], stdout=subprocess.PIPE, text=True, check=True)
    wanted = {path for path in listed.stdout.splitlines() if (root / path).is_file()} | changes.keys()
    for path in wanted:
        data, target = changes.get(path) or (root / path).read_bytes(), copy / path
        if not target.exists() or target.read_bytes() != data:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(data)
        if path not in changes:
            target.chmod((root / path).stat().st_mode)
    wanted.add(MARKER)
    for folder, folders, files in os.walk(copy):
        folders[:] = [name for name in folders if not name.startswith('.build') and name != '.git']
        for path in (Path(folder) / name for name in files):
            if str(path.relative_to(copy)) not in wanted:
                path.unlink()


def compile_copy(copy, build):
    tests = ['--product', 'swift-image-loadingPackageTests'] if build == ROOT else ['--build-tests']
    command = ['swift', 'build', '--package-path', build.package, *tests, *build.options, *BUILD_OPTIONS]
    # Traits come in the same order each time, as in Scripts/lib/common.sh.
    result = subprocess.run(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            env={**os.environ, 'SWIFT_DETERMINISTIC_HASHING': '1'})
    if result.returncode:
        lines = [line for line in result.stdout.splitlines() if 'error:' in line] or result.stdout.splitlines()
        sys.exit('error: the copy with the faults does not build\n' + '\n'.join(lines[:20]))


def run_tests(copy, build, tests, fault=''):
    """Returns what noticed the fault, or None if the tests passed."""
    # On Linux, the tests of a package are a program, which starts faster without `swift test`.
    folder = copy / build.package / ('.build-traits' if build == TRAITS else '.build') / 'debug'
    programs = [path for path in folder.glob('*PackageTests.xctest') if path.is_file() and build != DESKTOP]
    command = [programs[0], '--testing-library', 'swift-testing'] if programs else [
        *build.test, '--package-path', build.package, *build.options, '--skip-build']
    command += ['--filter', tests if tests.startswith('(') else '^' + tests]
    with subprocess.Popen(command, cwd=copy, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors='replace',
                          env={**os.environ, 'FAULT': fault}, start_new_session=True) as run:
        timer = threading.Timer(TIME_LIMIT, os.killpg, (run.pid, signal.SIGKILL))
        timer.start()
        has_run = False
        for line in run.stdout:
            if found := FOUND.search(line):
                os.killpg(run.pid, signal.SIGKILL)
                break
            has_run = has_run or any(int(count or 0) for match in COUNT.findall(line) for count in match)
        run.wait()
        timer.cancel()
    if found:
        return next(name for name in found.groups() if name)
    if run.returncode:
        return f'a crash or hang: {run.returncode}'
    if not has_run:
        sys.exit(f'error: no test matches {tests}')
    return None


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('root', type=Path)
    parser.add_argument('names', nargs='*')
    parser.add_argument('--all', action='store_true')
    parser.add_argument('--check', action='store_true')
    parser.add_argument('--copy', type=Path)
    parser.add_argument('--list', type=Path)
    parser.add_argument('--jobs', type=int, default=1)
    options = parser.parse_intermixed_args()
    faults = read(options.list or options.root / 'Tests/faults.txt')
    changes = changed_files(options.root, faults)
    if options.check:
        check_syntax(changes)
        return 0
    if options.names:
        chosen = [fault for fault in faults if any(name in fault.name or name in fault.file for name in options.names)]
    else:
        chosen = [fault for fault in faults if options.all or build_of(fault, False) == ROOT]
    if not chosen:
        sys.exit('error: no such fault')
    copy = options.copy or options.root / 'out/mutants'
    update_copy(options.root, copy, changes)
    groups = {}
    for fault in chosen:
        groups.setdefault(build_of(fault, options.all), []).append(fault)
    survivors, untried = 0, []
    for build, group in groups.items():
        compile_copy(copy, build)
        with ThreadPoolExecutor(options.jobs) as pool:
            suites = list(dict.fromkeys(fault.tests for fault in group))
            for tests, failed in zip(suites, pool.map(lambda tests: run_tests(copy, build, tests), suites)):
                if failed:
                    untried += [fault.name for fault in group if fault.tests == tests]
                    print(f'error: {tests} fail without a fault: {failed}', flush=True)
            group = [fault for fault in group if fault.name not in untried]
            for fault, found in zip(group, pool.map(lambda fault: run_tests(copy, build, fault.tests, fault.name), group)):
                survivors += found is None
                print(f'{fault.name}: found by {found}' if found else f'{fault.name}: SURVIVED in {fault.file}', flush=True)
    if untried:
        print('not tried: ' + ', '.join(untried))
    print(f'{len(chosen)} faults, {survivors} survived, {len(untried)} not tried')
    return 1 if survivors or untried else 0


sys.exit(main())
