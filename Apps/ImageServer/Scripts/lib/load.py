"""A client that sends requests at a rate, whether or not the server keeps up, and one that holds connections open."""

import asyncio
import statistics
import time


class Responses:
    """The status and the time in ms of each request. Status 0 is a failed connection."""

    def __init__(self):
        self.times = {}
        self.bodies = set()

    def add(self, status, seconds, body=b''):
        self.times.setdefault(status, []).append(seconds * 1e3)
        if status == 200:
            self.bodies.add(hash(body))

    def count(self, status):
        return len(self.times.get(status, []))

    @property
    def total(self):
        return sum(map(len, self.times.values()))

    def percentile(self, status, percent):
        times = sorted(self.times.get(status, [0]))
        return times[min(len(times) - 1, len(times) * percent // 100)]

    def median(self, status):
        return statistics.median(self.times.get(status, [0]))

    def __str__(self):
        return '; '.join(
            f'{status}: {len(times)} (median {self.median(status):.1f} ms, 99th percentile '
            f'{self.percentile(status, 99):.1f})' for status, times in sorted(self.times.items()))


class Client:
    """Reuses connections that are idle, as a proxy does."""

    def __init__(self, port):
        self.port, self.idle = port, []

    async def request(self, path, responses, timeout=60):
        start = time.perf_counter()
        writer = None
        try:
            reader, writer = self.idle.pop() if self.idle else await asyncio.open_connection('127.0.0.1', self.port)
            writer.write(f'GET {path} HTTP/1.1\r\nHost: a\r\n\r\n'.encode())
            head = await asyncio.wait_for(reader.readuntil(b'\r\n\r\n'), timeout)
            length = next(int(line.split(b':')[1]) for line in head.split(b'\r\n')
                          if line.lower().startswith(b'content-length'))
            body = await asyncio.wait_for(reader.readexactly(length), timeout)
            responses.add(int(head[9:12]), time.perf_counter() - start, body)
            self.idle.append((reader, writer))
        except (OSError, EOFError, asyncio.TimeoutError, StopIteration):
            responses.add(0, time.perf_counter() - start)
            if writer:
                writer.close()

    def close(self):
        for _, writer in self.idle:
            writer.close()


async def at_rate(ports, paths, rate, seconds, during=None):
    """Sends requests at a rate, to the ports by turns. `during` is called each second with the seconds so far."""
    responses, clients, tasks = Responses(), [Client(port) for port in ports], set()
    start, sent, second = time.perf_counter(), 0, 0
    while (passed := time.perf_counter() - start) < seconds:
        while sent < passed * rate:
            task = asyncio.create_task(clients[sent % len(clients)].request(next(paths), responses))
            tasks.add(task)
            task.add_done_callback(tasks.discard)
            sent += 1
        if during and int(passed) > second:
            second = int(passed)
            tasks.add(asyncio.create_task(asyncio.to_thread(during, second)))
        await asyncio.sleep(0.002)
    await asyncio.gather(*tasks)
    for client in clients:
        client.close()
    return responses


async def one_by_one(port, paths, count):
    responses, client = Responses(), Client(port)
    for _ in range(count):
        await client.request(next(paths), responses)
    client.close()
    return responses


async def at_once(ports, path, count, connections):
    """Sends equal requests over a number of connections to each port."""
    responses, left = Responses(), iter(range(count))

    async def worker(port):
        client = Client(port)
        for _ in left:
            await client.request(path, responses)
        client.close()

    await asyncio.gather(*[worker(port) for port in ports for _ in range(connections)])
    return responses


async def open_connections(port, count, first_bytes=b''):
    """Opens connections that send nothing, or the beginning of a request, and returns them."""
    writers = []
    for _ in range(count):
        _, writer = await asyncio.open_connection('127.0.0.1', port)
        if first_bytes:
            writer.write(first_bytes)
        writers.append(writer)
    return writers
