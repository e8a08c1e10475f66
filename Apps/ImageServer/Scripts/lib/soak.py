"""A long mixed load with failures. See Apps/ImageServer/Scripts/soak."""

import contextlib
import hashlib
import http.client
import http.server
import os
import pathlib
import random
import signal
import struct
import sys
import tempfile
import threading
import time
import zlib
from urllib.parse import quote

from processes import Process, Redis, free_port

# All URLs are asked for in the first minute, so that what the server keeps of them is complete then.
SOURCES, WIDTHS, VERSIONS, CLIENTS = 40, range(8, 40, 4), 4, 8
# The process that starts workers, and the idle workers that are kept. A killed one counts until it would be used.
MOST_PROCESSES = 1 + 4


def picture(number):
    """A PNG of 96 x 64 pixels with bands of colors that differ by number."""
    def chunk(kind, data):
        return struct.pack('>I', len(data)) + kind + data + struct.pack('>I', zlib.crc32(kind + data))

    rows = b''.join(b'\0' + bytes((x * 5 + number * 31 + y // 8 * (c + 3)) % 256 for x in range(96) for c in range(3))
                    for y in range(64))
    return (b'\x89PNG\r\n\x1a\n' + chunk(b'IHDR', struct.pack('>IIBBBBB', 96, 64, 8, 2, 0, 0, 0))
            + chunk(b'IDAT', zlib.compress(rows)) + chunk(b'IEND', b''))


class Origin(http.server.BaseHTTPRequestHandler):
    """Serves pictures, and fails now and then: with a status, half a body, a reset connection or no answer for a while."""

    protocol_version = 'HTTP/1.1'
    pictures = [picture(number) for number in range(SOURCES)]
    failing = False

    def do_GET(self):
        body = self.pictures[int(self.path.strip('/').split('.')[0])]
        kind = random.choice(['status', 'half', 'reset', 'slow']) if self.failing and random.random() < 0.3 else ''
        if kind == 'status':
            return self.send_error(random.choice([404, 500, 503]))
        if kind == 'reset':
            self.close_connection = True
            return
        if kind == 'slow':
            time.sleep(1)
        self.send_response(200)
        self.send_header('Content-Length', str(len(body)))
        self.send_header('Cache-Control', f'max-age={random.choice([1, 5, 60])}')
        self.end_headers()
        self.wfile.write(body[:len(body) // 2] if kind == 'half' else body)
        self.close_connection = kind == 'half'

    def log_message(self, *_):
        pass


class Soak:
    def __init__(self, binary, minutes, folder):
        self.seconds, self.folder, self.ended = minutes * 60, folder, threading.Event()
        self.lock, self.counts, self.expected, self.wrong = threading.Lock(), {}, {}, []
        self.origin = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Origin)
        self.origin.handle_error = lambda *_: None  # the server has closed a connection
        threading.Thread(target=self.origin.serve_forever, daemon=True).start()
        self.redis = Redis(folder)
        self.presets = folder / 'presets'
        self.presets.write_text('small=rs:fit:20:20\n')
        port = free_port()
        self.server = Process([
            binary, '--port', port, '--allow-unsigned', 'true', '--allowed-addresses', '127.0.0.1', '--allowed-ports',
            self.origin.server_port, '--cache-directory', folder / 'cache', '--redis-url', self.redis.url,
            '--purge-secret', 'secret', '--presets-file', self.presets, '--memory-cache-bytes', 4 << 20,
            '--result-cache-bytes', 8 << 20, '--source-cache-bytes', 1 << 20, '--idle-seconds', 5,
            '--missing-lifetime', 1, '--log-level', 'error'], port, folder / 'server.log')
        self.port = port

    def count(self, what):
        with self.lock:
            self.counts[what] = self.counts.get(what, 0) + 1

    def path(self, number, options):
        return f'/_/{options}/plain/http:%2F%2F127.0.0.1:{self.origin.server_port}%2F{quote(str(number), safe="")}@png'

    def check(self, number, options, body):
        """Compares a result with the first one of the same picture and options."""
        digest = hashlib.sha256(body).digest()
        with self.lock:
            if self.expected.setdefault((number, options), digest) != digest:
                self.wrong.append((number, options))

    def get(self, number, buster):
        connection = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60)
        connection.request('GET', self.path(f'{number}.png?{buster}', 'w:8'))
        connection.getresponse().read()
        connection.close()

    def client(self):
        connection, random_ = http.client.HTTPConnection('127.0.0.1', self.port, timeout=60), random.Random()
        while not self.ended.is_set():
            number, width = random_.randrange(SOURCES), random_.choice(WIDTHS)
            options = random_.choice([f'w:{width}', 'pr:small', f'w:{width}/bl:2'])
            buster = f'/cb:{random_.randrange(VERSIONS)}' if random_.random() < 0.3 else ''
            kind = random_.choices(['get', 'leave', 'purge', 'slow'], [90, 5, 1, 1])[0]
            try:
                if kind == 'purge':
                    connection.request('DELETE', f'/purge/plain/http:%2F%2F127.0.0.1:{self.origin.server_port}%2F{number}.png',
                                       headers={'Authorization': 'Bearer secret'})
                else:
                    connection.request('GET', self.path(f'{number}.png', options + buster))
                if kind == 'leave':
                    connection.close()
                    self.count('left')
                    continue
                response = connection.getresponse()
                if kind == 'slow':
                    self.ended.wait(0.5)
                body = response.read()
                if kind != 'purge' and response.status == 200:
                    self.check(number, options, body)
                self.count(f'{kind} {response.status}')
            except (OSError, http.client.HTTPException) as error:
                self.count(type(error).__name__)
                connection.close()
            time.sleep(0.002)
        connection.close()

    def disturb(self, second):
        """Starts and ends failures. Each kind has its own period."""
        Origin.failing = second % 20 < 10
        if second % 30 == 7:
            self.redis.end(signal.SIGKILL)
        if second % 30 == 17:
            self.redis.start()
        if second % 11 == 0:
            self.server.send_signal(signal.SIGHUP)
        self.kill_workers()

    def kill_workers(self):
        """Ends each worker with a probability of a half. Its image fails, or is decoded again by another one."""
        for file in pathlib.Path(f'/proc/{self.server.popen.pid}').glob('task/*/children'):
            for child in file.read_text().split():
                if random.random() < 0.5:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(int(child), signal.SIGKILL)
                        self.count('killed workers')

    def state(self):
        """Memory, open files and processes after a second without load."""
        proc = pathlib.Path(f'/proc/{self.server.popen.pid}')
        children = sum(len(file.read_text().split()) for file in proc.glob('task/*/children'))
        return self.server.resident_mb, len(os.listdir(proc / 'fd')), children

    def load(self, start, end):
        self.ended.clear()
        threads = [threading.Thread(target=self.client) for _ in range(CLIENTS)]
        for thread in threads:
            thread.start()
        for second in range(start, end):
            self.disturb(second)
            time.sleep(1)
        self.ended.set()
        for thread in threads:
            thread.join()
        # What follows is measured with all parts back, no connections of clients, and all that are kept to origins.
        if self.redis.popen.poll() is not None:
            self.redis.start()
        Origin.failing = False
        time.sleep(8)
        threads = [threading.Thread(target=self.get, args=[number, f'{start}x{number}']) for number in range(SOURCES)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        time.sleep(8)

    def run(self):
        sixth = self.seconds // 6
        self.load(0, sixth)
        first = self.state()
        print(f'after {sixth} s: {first[0]:.1f} MB, {first[1]} open files, {first[2]} child processes', flush=True)
        self.load(sixth, self.seconds)
        last = self.state()
        print(f'after {self.seconds} s: {last[0]:.1f} MB, {last[1]} open files, {last[2]} child processes')
        print(f'requests: {dict(sorted(self.counts.items()))}')
        print(f'{len(self.expected)} different results, {len(self.wrong)} wrong; memory {last[0] / first[0]:.3f} of the first')
        if self.server.popen.poll() is not None:
            return 'the server ended'
        grown = last[0] > 1.05 * first[0] or last[1] > first[1] or last[2] > max(first[2], MOST_PROCESSES)
        return 'wrong results' if self.wrong else 'the server has grown' if grown else None


with tempfile.TemporaryDirectory(prefix='soak-') as path, contextlib.ExitStack() as stack:
    stack.callback(Process.end_all)
    soak = Soak(sys.argv[1], float(sys.argv[2]), pathlib.Path(path))
    soak.seconds = int(soak.seconds)
    sys.exit(soak.run())
