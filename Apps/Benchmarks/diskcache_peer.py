"""Runs PyPI's diskcache for the disk benchmarks: diskcache_peer.py FOLDER BYTES

Reads the commands "put FROM TO" and "get NUMBER NUMBER..." from standard input. Prints the processor time of each command in
microseconds.
"""

import os
import sys
import time

import diskcache


def name(number):
    return f'https://images.example.org/albums/17/photos/{number}.jpg'


def main(folder, byte_count):
    cache = diskcache.Cache(folder, size_limit=1 << 40, eviction_policy='least-recently-stored')
    value = os.urandom(byte_count)
    print('ready', flush=True)
    for line in sys.stdin:
        command, *numbers = line.split()
        names = [name(int(number)) for number in numbers]
        if command == 'put':
            names = [name(number) for number in range(int(numbers[0]), int(numbers[1]))]
        start = time.process_time()
        if command == 'put':
            for key in names:
                cache.set(key, value)
        else:
            for key in names:
                assert len(cache.get(key)) == byte_count
        print((time.process_time() - start) * 1e6, flush=True)
    cache.close()


if __name__ == '__main__':
    main(sys.argv[1], int(sys.argv[2]))
