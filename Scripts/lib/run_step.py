"""Runs a step of a longer job: shows its progress on one line, logs its output, and adds a row of results.

The progress on standard error is like "building 312/700" or "testing ImageDiskCaching, 812 of 1000 tests". If the command fails,
prints the relevant lines of the log and exits with 1. With --events, a command that is silent for two minutes is ended, and the tests
that it didn't end are printed.
The tab-separated row has the step's name, seconds, passed tests, failed tests, and "ok" or "failed".
"""

import argparse
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time

BUILDING = re.compile(r'^\[(\d+)/(\d+)\] ')
SAYING = re.compile(r'^==> (.+)')
# The summary lines of Swift Testing and of XCTest.
TEST_RUN = re.compile(r'Test run with (\d+) tests?\b.* (passed|failed) after ')
XCTEST_RUN = re.compile(r'^\s*Executed (\d+) tests?, with .*?(\d+) failures?')
FAILED_TEST = re.compile(r'^\S+ +Test (?!run with ).* failed after ')
# The relevant lines of a failed step.
RELEVANT = re.compile(
    r'^error: |:\d+: error: |recorded an issue|^\S+ Test .* failed after |^ *↳ |Fatal error|ERROR: |a promise (is|was) broken|^not found: ')
MOST_LINES = 40
INTERVAL_ON_TERMINAL, INTERVAL_IN_LOG = 0.2, 30
MOST_SILENCE = 120  # seconds without a line or event from tests


class ProgressLine:
    """A line that is updated in place on a terminal, and printed at intervals elsewhere."""

    def __init__(self, name):
        self.name = name
        self.is_terminal = sys.stderr.isatty() and os.environ.get('TERM', 'dumb') != 'dumb'
        self.interval = INTERVAL_ON_TERMINAL if self.is_terminal else INTERVAL_IN_LOG
        self.start = self.last = time.monotonic()
        if not self.is_terminal:
            print(f'==> {name}', file=sys.stderr, flush=True)

    @property
    def is_due(self):
        return time.monotonic() - self.last >= self.interval

    def show(self, text):
        self.last = time.monotonic()
        text = f'{self.name}: {text}, {self.last - self.start:.0f} s'
        if self.is_terminal:
            print(f'\r\x1b[K{text[:100]}', end='', file=sys.stderr, flush=True)
        else:
            print(f'    {text}', file=sys.stderr, flush=True)

    def clear(self):
        if self.is_terminal:
            print('\r\x1b[K', end='', file=sys.stderr, flush=True)


class TestEvents:
    """Follows the event stream of Swift Testing, which has the module of each test."""

    def __init__(self, path):
        self.path, self.file, self.rest = path, None, ''
        self.tests = self.ended = 0
        self.module = None
        self.running = set()

    def read(self):
        if self.file is None and os.path.exists(self.path):
            self.file = open(self.path, encoding='utf-8', errors='replace')
        if self.file:
            *lines, self.rest = (self.rest + self.file.read()).split('\n')
            for line in lines:
                self.note(json.loads(line))

    def note(self, event):
        payload = event['payload']
        if event['kind'] == 'test':
            self.tests += payload['kind'] == 'function'
        # Suites also start and end, but their IDs have no function.
        elif payload['kind'] == 'testStarted' and '/' in payload['testID']:
            self.running.add(payload['testID'])
        elif payload['kind'] == 'testEnded' and '/' in payload['testID']:
            self.running.discard(payload['testID'])
            self.ended += 1
            self.module = payload['testID'].split('.')[0].removesuffix('Tests')

    def last_change(self):
        return os.stat(self.path).st_mtime if os.path.exists(self.path) else 0

    def text(self):
        self.read()
        return f'testing {self.module}, {self.ended} of {self.tests} tests' if self.module else 'starting the tests'


def end(process_id):
    """Ends a process after those that it started."""
    children = subprocess.run(['pgrep', '-P', str(process_id)], stdout=subprocess.PIPE, text=True).stdout
    for child in children.split():
        end(int(child))
    with contextlib.suppress(ProcessLookupError):
        os.kill(process_id, signal.SIGKILL)


class Step:
    """A command and its test results."""

    def __init__(self, options):
        self.options = options
        self.events = TestEvents(options.events) if options.events else None
        self.swift_tests = self.xctests = self.swift_failures = self.xctest_failures = 0
        self.last_line, self.was_silent = time.time(), False

    @property
    def tests(self):
        return self.swift_tests + self.xctests

    @property
    def failures(self):
        return self.swift_failures + self.xctest_failures

    def run(self):
        """Runs the command. Returns true if it and all its tests succeeded."""
        line, activity = ProgressLine(self.options.name), 'starting'
        with open(self.options.log, 'w', encoding='utf-8') as log:
            with subprocess.Popen(self.options.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  stdin=subprocess.DEVNULL, text=True, encoding='utf-8', errors='replace') as process:
                if self.events:
                    threading.Thread(target=self.end_if_silent, args=(process,), daemon=True).start()
                for output in process.stdout:
                    self.last_line = time.time()
                    log.write(output)
                    activity = self.read(output) or activity
                    if line.is_due:
                        line.show(self.events.text() if self.events else activity)
        line.clear()
        self.seconds = time.monotonic() - line.start
        lacks_tests = self.options.needs_tests and self.tests == 0
        return process.returncode == 0 and self.failures == 0 and not lacks_tests

    def end_if_silent(self, process):
        """Ends tests that hang, sooner than their time limits of ten minutes, and all of them, also those that block a thread."""
        while process.poll() is None:
            time.sleep(1)
            if time.time() - max(self.last_line, self.events.last_change()) > MOST_SILENCE:
                self.was_silent = True
                end(process.pid)
                return

    def read(self, output):
        """Counts tests. Returns the current activity if the line describes it."""
        if found := BUILDING.match(output):
            return f'building {found[1]}/{found[2]}'
        if found := SAYING.match(output):
            return found[1]
        if found := TEST_RUN.search(output):
            self.swift_tests += int(found[1])
        elif found := XCTEST_RUN.match(output):
            # XCTest prints this line for each suite, and last for all of them.
            self.xctests, self.xctest_failures = int(found[1]), int(found[2])
        elif FAILED_TEST.match(output):
            self.swift_failures += 1
        return None

    def row(self, succeeded):
        failures = 0 if succeeded else max(1, self.failures)
        outcome = 'ok' if succeeded else 'failed'
        return [self.options.name, round(self.seconds), max(0, self.tests - self.failures), failures, outcome]

    def relevant_lines(self):
        with open(self.options.log, encoding='utf-8') as log:
            lines = [line.rstrip() for line in log]
        relevant = list(dict.fromkeys(line for line in lines if RELEVANT.search(line)))
        relevant = relevant[:MOST_LINES] or lines[-20:]
        if self.was_silent:
            self.events.read()
            relevant += [f'error: ended after {MOST_SILENCE} s without a line. These tests had not ended:', *sorted(self.events.running)]
        return relevant


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('--name', required=True)
    parser.add_argument('--log', required=True, help='the log file for the command\'s output')
    parser.add_argument('--results', help='the file that the row is appended to')
    parser.add_argument('--events', help='the event stream that `swift test` writes')
    parser.add_argument('--needs-tests', action='store_true', help='fail if the command runs no tests')
    parser.add_argument('command', nargs='+')
    step = Step(parser.parse_args())
    succeeded = step.run()
    if step.options.results:
        with open(step.options.results, 'a', encoding='utf-8') as results:
            print(*step.row(succeeded), sep='\t', file=results)
    if not succeeded:
        print(f'failed: {step.options.name}', *step.relevant_lines(), f'full output: {step.options.log}',
              sep='\n', file=sys.stderr)
    return 0 if succeeded else 1


if __name__ == '__main__':
    sys.exit(main())
