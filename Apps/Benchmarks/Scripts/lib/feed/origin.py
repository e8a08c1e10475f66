"""Serves the images of a folder over a simulated link: N.jpg is image number N modulo the number of images.

    origin.py FOLDER [--latency MS] [--megabits N]

All connections share the link. Each response starts after the latency. Prints the port, and serves until standard input ends.
"""

import argparse
import asyncio
import pathlib
import sys

CHUNK_BYTES = 8_192
# How much the link may send at once after a pause, in seconds. It covers the resolution of timers.
BURST = 0.02


class Link:
    """A link with a limited rate. Chunks are sent in the order in which they are passed to `send`."""

    def __init__(self, bytes_per_second):
        self.bytes_per_second = bytes_per_second
        self.free_at = 0.0

    async def send(self, writer, data):
        for start in range(0, len(data), CHUNK_BYTES):
            chunk = data[start : start + CHUNK_BYTES]
            if self.bytes_per_second:
                await self.wait(len(chunk))
            writer.write(chunk)
            await writer.drain()

    async def wait(self, count):
        loop = asyncio.get_running_loop()
        self.free_at = max(self.free_at, loop.time() - BURST) + count / self.bytes_per_second
        delay = self.free_at - loop.time()
        if delay > 0:
            await asyncio.sleep(delay)


class Origin:
    def __init__(self, images, latency, link):
        self.images, self.latency, self.link = images, latency, link

    async def serve(self, reader, writer):
        try:
            while True:
                request = await reader.readuntil(b"\r\n\r\n")
                await asyncio.sleep(self.latency)
                await self.link.send(writer, self.response(request.split(b" ")[1]))
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def response(self, path):
        number = int(path.rsplit(b"/", 1)[1].split(b".")[0])
        body = self.images[number % len(self.images)]
        head = (
            "HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nCache-Control: max-age=86400\r\n"
            f'ETag: "{number}"\r\nContent-Length: {len(body)}\r\n\r\n'
        )
        return head.encode() + body


async def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--latency", type=float, default=0, help="in milliseconds")
    parser.add_argument("--megabits", type=float, default=0, help="per second; 0 for no limit")
    options = parser.parse_args()
    files = sorted(options.folder.glob("*.jpg"), key=lambda file: int(file.stem))
    origin = Origin([file.read_bytes() for file in files], options.latency / 1_000, Link(options.megabits * 1e6 / 8))
    server = await asyncio.start_server(origin.serve, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await asyncio.get_running_loop().run_in_executor(None, sys.stdin.read)


asyncio.run(main())
