"""The measurements of Scripts/bench-server."""

import argparse
import asyncio
import contextlib
import itertools
import os
import pathlib
import random
import resource
import signal
import socket
import statistics
import subprocess
import tempfile
import threading
import time

from load import at_once, at_rate, hold, one_by_one
from processes import ImageServer, Nginx, Process, Redis, free_port, get, needs, wrk

SIZE, SOURCES = '300x300', 200


class Lab:
    """The binaries, a folder for the run, and an origin with photos of 12 megapixels."""

    def __init__(self, options, folder):
        self.server_binary, self.tool, self.feed_server = options.server, options.tool, options.feed_server
        self.thumbor, self.seconds, self.folder = options.thumbor, options.seconds, pathlib.Path(folder)
        self.run = int(time.time())
        self.sources = self.folder / 'sources'
        self.sources.mkdir()
        os.chmod(folder, 0o755)
        self.make_sources()
        self.origin_log = self.folder / 'origin.log'
        self.origin = Nginx(self.folder, self.sources, log=self.origin_log)

    def make_sources(self):
        """Writes one photo under many names."""
        port = free_port()
        feed = Process([self.feed_server, '--port', port], port, self.folder / 'feed.log')
        self.photo = self.sources / 'photo.jpg'
        self.photo.write_bytes(get(f'http://127.0.0.1:{port}/images/7.jpg?w=4000&h=3000&quality=85')[2])
        feed.end()
        for number in range(SOURCES):
            (self.sources / f'{number}.jpg').hardlink_to(self.photo)
        print(f'source: {self.photo.stat().st_size} bytes, 4000x3000')

    def server(self, *flags, name='server'):
        return ImageServer(self.server_binary, self.folder, self.origin.port, *flags, name=name)

    def paths(self, server):
        """Paths of results that were never asked for, of sources that are in the cache after the first 200."""
        for number in itertools.count():
            yield server.path(f'{number % SOURCES}.jpg', options=f'rs:fit:300:300/q:80/cb:{self.run}x{number}')

    @property
    def origin_requests(self):
        return len(self.origin_log.read_text().splitlines())

    def script(self, name, path):
        """Writes a script of wrk. `path` is a Lua expression of n."""
        file = self.folder / f'{name}.lua'
        file.write_text(f'local n = 0\nrequest = function() n = n + 1; return wrk.format("GET", {path}) end\n')
        return file


def cached(lab):
    """A result in memory, beside the same bytes as a static file."""
    server, files = lab.server(), lab.folder / 'static'
    files.mkdir()
    body = get(server.url('0.jpg'))[2]
    (files / 'a.jpg').write_bytes(body)
    static = Nginx(lab.folder, files)
    print(f'cached: {len(body)} bytes, 64 connections, requests per second (99th percentile in ms)')
    ratios = []
    for _ in range(3):
        ours = wrk(server.url('0.jpg'), 64, lab.seconds)
        peer = wrk(f'http://127.0.0.1:{static.port}/a.jpg', 64, lab.seconds)
        ratios.append(ours[0] / peer[0])
        print(f'  image-server {ours[0]:8.0f} ({ours[1]:.1f})   nginx {peer[0]:8.0f} ({peer[1]:.1f})   '
              f'ratio {ratios[-1]:.2f}   failed {ours[2] + peer[2]}')
    print(f'  ratio {statistics.median(ratios):.2f}, goal 0.5; 99th percentile, goal 50 ms')


def decoding_seconds(lab, iterations=100):
    """The mean processor time of decoding to size alone, with a process for each core, as the server does."""
    command = [lab.tool, 'bench', 'decode', lab.photo, '--size', SIZE]

    def run(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        processes = [subprocess.Popen(command + ['--iterations', str(count)], stdout=subprocess.DEVNULL)
                     for _ in range(os.cpu_count())]
        for process in processes:
            process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return (run(iterations + 1) - run(1)) / iterations / os.cpu_count()


def uncached(lab):
    """Results that nobody asked for before, beside nginx' image_filter and thumbor."""
    server = lab.server()
    path = '"' + server.path('"..n % 200 .."', options='rs:fit:300:300/q:80/cb:"..os.time().."x"..n.."').replace(
        '@jpg', '.jpg@jpg') + '"'
    scripts = {'image-server': (server, lab.script('ours', path), 1)}
    filter = Nginx(lab.folder, lab.sources, size=300)
    scripts['nginx image_filter'] = (filter, lab.script('filter', '"/"..n % 200 ..".jpg"'), 1)
    for count in (1, os.cpu_count()) if lab.thumbor else ():
        port = free_port()
        thumbor = Process([lab.thumbor, '-p', port, '--processes', count, '-l', 'error'], port, lab.folder / 'thumbor.log')
        url = f'"/unsafe/fit-in/300x300/filters:quality(80)/http://127.0.0.1:{lab.origin.port}/"..n % 200 ..".jpg?"..os.time()..n'
        status, headers, body = get(f'http://127.0.0.1:{port}/unsafe/fit-in/300x300/http://127.0.0.1:{lab.origin.port}/0.jpg')
        assert status == 200 and headers['Content-Type'] == 'image/jpeg', (status, body[:200])
        scripts[f'thumbor, {count} process(es)'] = (thumbor, lab.script(f'thumbor{count}', url), count)
    print('uncached: 12 megapixels to 300 px, quality 80, 8 connections, thumbnails per second')
    for _ in range(3):
        for name, (process, script, _) in scripts.items():
            before = process.seconds
            rate, _, failed = wrk(f'http://127.0.0.1:{process.port}', 8, lab.seconds, script)
            cost = (process.seconds - before) / (rate * lab.seconds)
            extra = ''
            if process is server:
                alone = decoding_seconds(lab)
                extra = f'   {cost * 1e3:.1f} ms of processor time; decoding alone {alone * 1e3:.1f}; ratio {cost / alone:.2f}'
            print(f'  {name:24} {rate:7.1f}   failed {failed}{extra}')


def overload(lab):
    """Ten times as many new results as the server can make."""
    server = lab.server()
    paths = lab.paths(server)
    asyncio.run(one_by_one(server.port, paths, SOURCES))
    capacity = wrk(f'http://127.0.0.1:{server.port}', 8, lab.seconds, lab.script('ours', '"' + server.path(
        '"..n % 200 .."', options='rs:fit:300:300/q:80/cb:capacity"..n.."').replace('@jpg', '.jpg@jpg') + '"'))[0]
    unloaded = asyncio.run(one_by_one(server.port, paths, SOURCES))
    print(f'overload: capacity {capacity:.0f} per second; unloaded {unloaded}; {server.resident_mb:.0f} MB')
    peak = []
    answers = asyncio.run(at_rate([server.port], paths, capacity * 10, lab.overload_seconds,
                                  lambda _: peak.append(server.resident_mb)))
    print(f'  {answers.total / lab.overload_seconds:.0f} per second for {lab.overload_seconds} s: {answers}')
    print(f'  {answers.count(200) / lab.overload_seconds:.0f} per second answered; largest resident memory {max(peak):.0f} MB')
    print(f'  answered in {answers.median(200) / unloaded.median(200):.2f} of the unloaded time '
          f'(99th percentile {answers.percentile(200, 99) / unloaded.median(200):.2f}), goal 2')
    time.sleep(2)
    print(f'  two seconds later {asyncio.run(one_by_one(server.port, paths, SOURCES))}; {server.resident_mb:.0f} MB')


def idle(lab, count=10_000):
    """Many connections that send nothing, or half a request."""
    for name, first in (('idle connections', b''), ('half a request', b'GET / HTTP/1.1\r\nHost: a\r\nX: ')):
        server = lab.server('--idle-seconds', '20')
        get(server.url('0.jpg'))
        before = server.resident_mb

        async def run():
            start = time.monotonic()
            writers = await hold(server.port, count, first)
            answers = await one_by_one(server.port, itertools.repeat(server.path('0.jpg')), 500)
            memory = server.resident_mb
            print(f'{name}: {count} opened in {time.monotonic() - start:.1f} s; cached results beside them {answers}; '
                  f'{(memory - before) * 1e3 / count:.1f} kB each')
            await asyncio.sleep(25)
            for writer in writers:
                writer.close()

        asyncio.run(run())
        open_files = len(os.listdir(f'/proc/{server.popen.pid}/fd'))
        print(f'  after the idle time: {open_files} open files')
        server.end()


def cold(lab):
    """10,000 requests for one result that no cache has, over two servers on one Redis."""
    redis = Redis(lab.folder)
    servers = [lab.server('--redis-url', redis.url, name=f'pair{number}') for number in range(2)]
    counts = [lab.origin_requests]
    answers = asyncio.run(at_once([server.port for server in servers], servers[0].path('3.jpg'), 10_000, 100))
    counts.append(lab.origin_requests)
    print(f'cold: {answers.total} requests over two servers: {answers}; {len(answers.bodies)} different bodies; '
          f'{counts[1] - counts[0]} requests to the origin')
    lone = lab.server('--redis-url', redis.url, name='third')
    _, headers, _ = get(lone.url('3.jpg'))
    print(f'  a third server: X-Cache {headers["X-Cache"]}, {lab.origin_requests - counts[1]} requests to the origin')


def faults(lab):
    """Two servers on one Redis that stops, is paused, restarts, is full, or answers garbage, and one that is killed."""
    redis = Redis(lab.folder, '--maxmemory', '4mb', '--maxmemory-policy', 'noeviction')
    flags = ['--redis-url', redis.url, '--cache-directory']
    servers = [lab.server(*flags, lab.folder / f'cache{number}', name=f'pair{number}') for number in range(2)]
    ports, expected = [server.port for server in servers], result_of(lab)

    def requests(name, seconds=8, during=None):
        paths = (servers[0].path(f'{number % SOURCES}.jpg', options=f'rs:fit:300:300/q:80/cb:{name}{number // 2}')
                 for number in itertools.count())
        answers = asyncio.run(at_rate(ports, paths, 30, seconds, during))
        print(f'  {name}: {answers}; wrong results: {len(answers.bodies - expected)}')

    print('faults: 30 requests per second, each new result asked for from both servers')
    requests('as-usual')
    redis.send_signal(signal.SIGSTOP)
    requests('paused')
    redis.send_signal(signal.SIGCONT)
    requests('resumed')
    redis.end(signal.SIGKILL)
    requests('stopped')
    with garbage(redis.port):
        requests('garbage')
    redis.start()
    requests('restarted')
    requests('full', seconds=40)
    print(f'  memory of Redis: {redis_memory(redis)}')

    victim = servers[1]

    def kill(second):
        if second == 3:
            victim.end(signal.SIGKILL)
            victim.start()

    requests('killed-under-load', seconds=12, during=kill)
    answers = asyncio.run(one_by_one(victim.port, iter([victim.path(f'{number}.jpg', options=(
        f'rs:fit:300:300/q:80/cb:as-usual{number // 2}')) for number in range(100)]), 100))
    print(f'  results of its disk after that: {answers}; wrong results: {len(answers.bodies - expected)}')


def result_of(lab):
    """The only right result of all sources."""
    server = lab.server(name='reference')
    body = get(server.url('0.jpg'))[2]
    server.end()
    return {hash(body)}


@contextlib.contextmanager
def garbage(port):
    """Answers each piece of a request with bytes that are no answer of Redis, or with a wrong value."""
    def serve(connection):
        with connection:
            while connection.recv(65_536):
                try:
                    connection.sendall(random.choice([os.urandom(64), b'$5\r\nhello\r\n', b'+OK\r\n', b'*-7\r\n', b':1\r\n']))
                except OSError:
                    return

    listener = socket.create_server(('127.0.0.1', port), reuse_port=False)
    listener.settimeout(0.2)
    ended = threading.Event()

    def accept():
        while not ended.is_set():
            try:
                connection, _ = listener.accept()
            except TimeoutError:
                continue
            connection.setblocking(True)
            threading.Thread(target=serve, args=[connection], daemon=True).start()

    thread = threading.Thread(target=accept)
    thread.start()
    yield
    ended.set()
    thread.join()
    listener.close()


def redis_memory(redis):
    text = subprocess.run(['redis-cli', '-p', str(redis.port), 'info', 'memory'], capture_output=True, text=True).stdout
    return ', '.join(line.strip() for line in text.splitlines() if line.startswith(('used_memory_human', 'maxmemory_human')))


MEASUREMENTS = {'cached': cached, 'uncached': uncached, 'overload': overload, 'idle': idle, 'cold': cold, 'faults': faults}


def main():
    parser = argparse.ArgumentParser(prog='Scripts/bench-server')
    parser.add_argument('measurements', nargs='*', choices=[[], *MEASUREMENTS])
    parser.add_argument('--server', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--tool', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--feed-server', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--thumbor', help='the thumbor to compare with')
    parser.add_argument('--seconds', type=int, default=10, help='of each run of wrk')
    parser.add_argument('--overload-seconds', type=int, default=60)
    options = parser.parse_args()
    needs('wrk', 'nginx', 'redis-server')
    with tempfile.TemporaryDirectory(prefix='bench-server-') as folder:
        try:
            lab = Lab(options, folder)
            lab.overload_seconds = options.overload_seconds
            for name in options.measurements or MEASUREMENTS:
                MEASUREMENTS[name](lab)
        finally:
            Process.end_all()


main()
