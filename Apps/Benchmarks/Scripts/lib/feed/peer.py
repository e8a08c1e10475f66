"""Shows the images of an origin at 300 pixels without this package, and keeps the downloaded files in a folder.

    peer.py vips|pillow ORIGIN FOLDER COUNT

`vips` downloads with libcurl and decodes with libvips in threads; `pillow` does both in threads, with requests and Pillow. Six
connections, and a decoding thread per core. Images whose files are in the folder aren't downloaded. Prints a line of JSON.
"""

import concurrent.futures
import json
import os
import pathlib
import queue
import resource
import sys
import threading
import time

CONNECTIONS = 6
SIDE = 300
CORES = os.cpu_count()


def file_of(folder, number):
    return folder / f"{number}.jpg"


class Vips:
    """libcurl's multi interface on one thread, libvips on others."""

    def __init__(self):
        # One thread per image, because several images are decoded at a time.
        os.environ["VIPS_CONCURRENCY"] = "1"
        import pycurl
        import pyvips

        self.pycurl, self.pyvips = pycurl, pyvips
        pyvips.cache_set_max(0)

    def decode(self, data):
        image = self.pyvips.Image.thumbnail_buffer(data, SIDE, height=SIDE)
        return image.write_to_memory(), max(image.width, image.height)

    def download(self, origin, numbers, deliver):
        multi, idle, waiting = self.pycurl.CurlMulti(), [self.pycurl.Curl() for _ in range(CONNECTIONS)], list(numbers)
        waiting.reverse()
        running = 0
        while waiting or running:
            while waiting and idle:
                self.start(multi, idle.pop(), origin, waiting.pop())
                running += 1
            multi.perform()
            _, done, failed = multi.info_read()
            if failed:
                raise RuntimeError(failed[0][2])
            for handle in done:
                multi.remove_handle(handle)
                deliver(handle.number, b"".join(handle.chunks))
                idle.append(handle)
                running -= 1
            if not done:
                multi.select(0.1)

    def start(self, multi, handle, origin, number):
        handle.number, handle.chunks = number, []
        handle.setopt(self.pycurl.URL, f"{origin}/{number}.jpg")
        handle.setopt(self.pycurl.FAILONERROR, True)
        handle.setopt(self.pycurl.WRITEFUNCTION, handle.chunks.append)
        multi.add_handle(handle)


class Pillow:
    """requests in six threads, Pillow in others."""

    def __init__(self):
        import PIL.Image
        import requests

        self.image, self.requests = PIL.Image, requests

    def decode(self, data):
        import io

        image = self.image.open(io.BytesIO(data))
        # Lets libjpeg decode at a smaller scale.
        image.draft("RGB", (SIDE, SIDE))
        image.thumbnail((SIDE, SIDE))
        return image.tobytes(), max(image.size)

    def download(self, origin, numbers, deliver):
        local = threading.local()

        def fetch(number):
            if not hasattr(local, "session"):
                local.session = self.requests.Session()
            response = local.session.get(f"{origin}/{number}.jpg")
            response.raise_for_status()
            deliver(number, response.content)

        with concurrent.futures.ThreadPoolExecutor(CONNECTIONS) as pool:
            list(pool.map(fetch, numbers))


def show(peer, origin, folder, count):
    """Returns how many images were downloaded."""
    failures = queue.SimpleQueue()

    def decode(data):
        _, side = peer.decode(data)
        if side != SIDE:
            failures.put(f"{side} pixels")

    with concurrent.futures.ThreadPoolExecutor(CORES) as decoders:
        tasks = []

        def deliver(number, data):
            file_of(folder, number).write_bytes(data)
            tasks.append(decoders.submit(decode, data))

        stored = [number for number in range(count) if file_of(folder, number).exists()]
        missing = sorted(set(range(count)) - set(stored))
        tasks += [decoders.submit(lambda number: decode(file_of(folder, number).read_bytes()), number) for number in stored]
        peer.download(origin, missing, deliver)
        for task in tasks:
            task.result()
    if not failures.empty():
        raise RuntimeError(failures.get())
    return len(missing)


def main():
    name, origin, folder, count = sys.argv[1], sys.argv[2], pathlib.Path(sys.argv[3]), int(sys.argv[4])
    folder.mkdir(parents=True, exist_ok=True)
    peer = {"vips": Vips, "pillow": Pillow}[name]()
    start, processor = time.monotonic(), time.process_time()
    downloaded = show(peer, origin, folder, count)
    seconds, processor = time.monotonic() - start, time.process_time() - processor
    sources = {"network": downloaded, "disk": count - downloaded}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    print(
        json.dumps({
            "images": count, "seconds": seconds, "processorSeconds": processor, "peakBytes": peak,
            "sources": {name: number for name, number in sources.items() if number},
        })
    )


main()
