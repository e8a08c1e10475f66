"""The measurements of Apps/ImageServer/Scripts/bench."""

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
import sys
import tempfile
import threading
import time

from load import Client, Responses, at_once, at_rate, one_by_one, open_connections
from processes import ImageServer, Nginx, Process, Redis, free_port, get, require_tools, wrk

SIZE, SOURCES = '300x300', 200


class Fixture:
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
        self.photo.write_bytes(get(port, '/images/7.jpg?w=4000&h=3000&quality=85')[2])
        feed.end()
        for number in range(SOURCES):
            (self.sources / f'{number}.jpg').hardlink_to(self.photo)
        print(f'source: {self.photo.stat().st_size} bytes, 4000x3000')

    def server(self, *flags, name='server', level='error'):
        return ImageServer(self.server_binary, self.folder, self.origin.port, *flags, name=name, level=level)

    def paths(self, server):
        """Paths of results that were never asked for, of sources that are in the cache after the first 200."""
        for number in itertools.count():
            yield server.path(f'{number % SOURCES}.jpg', options=f'rs:fit:300:300/q:80/cb:{self.run}x{number}')

    @property
    def origin_requests(self):
        return len(self.origin_log.read_text().splitlines())

    @staticmethod
    def new_results(server, cachebuster):
        """A Lua expression of paths of results that were never asked for."""
        path = server.path('SOURCE', options=f'rs:fit:300:300/q:80/cb:{cachebuster}x"..os.time().."x"..n.."')
        return '"' + path.replace('SOURCE', f'"..(n % {SOURCES})..".jpg') + '"'

    def script(self, name, path):
        """Writes a script of wrk. `path` is a Lua expression of n."""
        file = self.folder / f'{name}.lua'
        file.write_text(f'local n = 0\nrequest = function() n = n + 1; return wrk.format("GET", {path}) end\n')
        return file


def cached(lab):
    """A result in memory, beside the same bytes as a static file, without and with access logs."""
    for level, log in (('error', 'off'), ('info', lab.folder / 'access.log')):
        print(f'access logs: {"off" if log == "off" else "on"}')
        compare_cached(lab, lab.server(name=level, level=level), log)


def compare_cached(lab, server, log):
    files = lab.folder / 'static'
    files.mkdir(exist_ok=True)
    url = server.url('0.jpg', options='rs:fit:480:480/q:80')
    body = server.get('0.jpg', options='rs:fit:480:480/q:80')[2]
    (files / 'a.jpg').write_bytes(body)
    static = Nginx(lab.folder, files, log=log)
    print(f'cached: {len(body)} bytes, requests per second (99th percentile in ms; processor time of each in us)')
    for connections in (64, 1):
        ratios = []
        for _ in range(3):
            costs, line = [], []
            for name, process, address in (('image-server', server, url), ('nginx', static, f'http://127.0.0.1:{static.port}/a.jpg')):
                before = process.seconds
                rate, percentile, failed = wrk(address, connections, lab.seconds)
                costs.append((process.seconds - before) / (rate * lab.seconds) * 1e6)
                line.append(f'{name} {rate:8.0f} ({percentile:.1f}; {costs[-1]:.0f}) failed {failed}')
            ratios.append(costs[0] / costs[1])
            print(f'  {connections:2} connections: {"   ".join(line)}   ratio of the times {ratios[-1]:.2f}')
        print(f'  ratio {statistics.median(ratios):.2f}, goal 3')


def decoding_seconds(lab, iterations=100):
    """The mean processor time of decoding to size alone, with a process for each core and for speed, as the server does."""
    command = [lab.tool, 'bench', 'decode', lab.photo, '--size', SIZE, '--speed']

    def run(count):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        processes = [subprocess.Popen(command + ['--iterations', str(count)], stdout=subprocess.DEVNULL)
                     for _ in range(os.cpu_count())]
        if any([process.wait() for process in processes]):
            raise SystemExit('imageload bench decode failed')
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime

    return (run(iterations + 1) - run(1)) / iterations / os.cpu_count()


def uncached(lab):
    """Results that nobody asked for before, beside nginx' image_filter and thumbor."""
    server = lab.server()
    scripts = {'image-server': (server, lab.script('uncached', lab.new_results(server, 'uncached')))}
    nginx = Nginx(lab.folder, lab.sources, size=300)
    scripts['nginx image_filter'] = (nginx, lab.script('nginx', f'"/"..(n % {SOURCES})..".jpg"'))
    for count in (1, os.cpu_count()) if lab.thumbor else ():
        port = free_port()
        thumbor = Process([lab.thumbor, '-p', port, '--processes', count, '-l', 'error'], port, lab.folder / 'thumbor.log')
        url = f'"/unsafe/fit-in/300x300/filters:quality(80)/http://127.0.0.1:{lab.origin.port}/"..(n % {SOURCES})..".jpg?"..os.time()..n'
        status, headers, body = get(port, f'/unsafe/fit-in/300x300/http://127.0.0.1:{lab.origin.port}/0.jpg')
        assert status == 200 and headers['Content-Type'] == 'image/jpeg', (status, body[:200])
        scripts[f'thumbor, {count} process(es)'] = (thumbor, lab.script(f'thumbor{count}', url))
    print('uncached: 12 megapixels to 300 px, quality 80, 8 connections, thumbnails per second')
    for _ in range(3):
        for name, (process, script) in scripts.items():
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
    capacity = wrk(f'http://127.0.0.1:{server.port}', 8, lab.seconds,
                   lab.script('capacity', lab.new_results(server, 'capacity')))[0]
    unloaded = asyncio.run(one_by_one(server.port, paths, SOURCES))
    print(f'overload: capacity {capacity:.0f} per second; unloaded {unloaded}; {server.resident_mb:.0f} MB')
    peak = []
    responses = asyncio.run(at_rate([server.port], paths, capacity * 10, lab.overload_seconds,
                                  lambda _: peak.append(server.resident_mb)))
    print(f'  {responses.total / lab.overload_seconds:.0f} per second for {lab.overload_seconds} s: {responses}')
    print(f'  {responses.count(200) / lab.overload_seconds:.0f} per second answered; largest resident memory {max(peak):.0f} MB')
    print(f'  99th percentile of the answers {responses.percentile(200, 99) / 1e3:.1f} s, goal: the 10 s of the queue and 1 s')
    time.sleep(2)
    print(f'  two seconds later {asyncio.run(one_by_one(server.port, paths, SOURCES))}; {server.resident_mb:.0f} MB')


def page(lab, browsers=10, connections=6, images=60):
    """A page of new thumbnails of one origin, in several browsers."""
    server, run = lab.server(), itertools.count()

    async def connection(number, responses):
        paths = (server.path(f'{(number * 10 + image) % SOURCES}.jpg', options=f'rs:fit:200:200/cb:{next(run)}')
                 for image in range(images // connections))
        client = Client(server.port)
        for path in paths:
            await client.request(path, responses)
        client.close()

    async def load():
        responses = Responses()
        await asyncio.gather(*[connection(number, responses) for number in range(browsers * connections)])
        return responses

    print(f'page: {asyncio.run(load())}; {server.resident_mb:.0f} MB')


def idle(lab, count=10_000):
    """Many connections that send nothing, or half a request."""
    for name, first in (('idle connections', b''), ('half a request', b'GET / HTTP/1.1\r\nHost: a\r\nX: ')):
        server = lab.server('--idle-seconds', '20')
        server.get('0.jpg')
        before = server.resident_mb

        async def run():
            start = time.monotonic()
            writers = await open_connections(server.port, count, first)
            responses = await one_by_one(server.port, itertools.repeat(server.path('0.jpg')), 500)
            memory = server.resident_mb
            print(f'{name}: {count} opened in {time.monotonic() - start:.1f} s; cached results beside them {responses}; '
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
    responses = asyncio.run(at_once([server.port for server in servers], servers[0].path('3.jpg'), 10_000, 100))
    counts.append(lab.origin_requests)
    print(f'cold: {responses.total} requests over two servers: {responses}; {len(responses.bodies)} different bodies; '
          f'{counts[1] - counts[0]} requests to the origin')
    third = lab.server('--redis-url', redis.url, name='third')
    _, headers, _ = third.get('3.jpg')
    print(f'  a third server: X-Cache {headers["X-Cache"]}, {lab.origin_requests - counts[1]} requests to the origin')


def faults(lab):
    """Two servers on one Redis that stops, is paused, restarts, is full, or responses garbage, and one that is killed."""
    redis = Redis(lab.folder, '--maxmemory', '4mb', '--maxmemory-policy', 'noeviction')
    flags = ['--redis-url', redis.url, '--cache-directory']
    servers = [lab.server(*flags, lab.folder / f'cache{number}', name=f'pair{number}') for number in range(2)]
    ports, expected = [server.port for server in servers], result_of(lab)

    def requests(name, seconds=8, during=None):
        paths = (servers[0].path(f'{number % SOURCES}.jpg', options=f'rs:fit:300:300/q:80/cb:{name}{number // 2}')
                 for number in itertools.count())
        responses = asyncio.run(at_rate(ports, paths, 30, seconds, during))
        print(f'  {name}: {responses}; wrong results: {len(responses.bodies - expected)}')

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
    responses = asyncio.run(one_by_one(victim.port, iter([victim.path(f'{number}.jpg', options=(
        f'rs:fit:300:300/q:80/cb:as-usual{number // 2}')) for number in range(100)]), 100))
    print(f'  results of its disk after that: {responses}; wrong results: {len(responses.bodies - expected)}')


def result_of(lab):
    """The only right result of all sources."""
    server = lab.server(name='reference')
    body = server.get('0.jpg')[2]
    server.end()
    return {hash(body)}


@contextlib.contextmanager
def garbage(port):
    """Answers each piece of a request with bytes that are no answer of Redis, or with a wrong value."""
    def serve(connection):
        with connection, contextlib.suppress(OSError):
            while connection.recv(65_536):
                connection.sendall(random.choice([os.urandom(64), b'$5\r\nhello\r\n', b'+OK\r\n', b'*-7\r\n', b':1\r\n']))

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
    try:
        yield
    finally:
        ended.set()
        thread.join()
        listener.close()


def redis_memory(redis):
    text = subprocess.run(['redis-cli', '-p', str(redis.port), 'info', 'memory'], capture_output=True, text=True).stdout
    return ', '.join(line.strip() for line in text.splitlines() if line.startswith(('used_memory_human', 'maxmemory_human')))


MEASUREMENTS = {'cached': cached, 'uncached': uncached, 'overload': overload, 'page': page, 'idle': idle, 'cold': cold, 'faults': faults}


def raise_file_limit():
    """Allows as many open files as the connections of `idle` need."""
    limit = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    if limit != resource.RLIM_INFINITY and limit < 11_000:
        raise SystemExit(f'at most {limit} open files: raise the hard limit to 11,000')
    resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))


def main():
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    parser = argparse.ArgumentParser(prog='Apps/ImageServer/Scripts/bench')
    parser.add_argument('measurements', nargs='*', help=', '.join(MEASUREMENTS))
    parser.add_argument('--server', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--tool', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--feed-server', required=True, help=argparse.SUPPRESS)
    parser.add_argument('--thumbor', help='the thumbor to compare with')
    parser.add_argument('--seconds', type=int, default=10, help='of each run of wrk')
    parser.add_argument('--overload-seconds', type=int, default=60)
    options = parser.parse_args()
    if unknown := set(options.measurements) - set(MEASUREMENTS):
        parser.error(f'unknown: {", ".join(unknown)}')
    require_tools()
    raise_file_limit()
    with tempfile.TemporaryDirectory(prefix='bench-server-') as folder:
        try:
            lab = Fixture(options, folder)
            lab.overload_seconds = options.overload_seconds
            for name in options.measurements or MEASUREMENTS:
                MEASUREMENTS[name](lab)
        finally:
            Process.end_all()


main()
