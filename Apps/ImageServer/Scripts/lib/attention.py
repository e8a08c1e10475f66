"""Compares the crops of gravity:sm with those of libvips' attention. See Apps/ImageServer/Scripts/check-attention."""

import argparse
import pathlib
import sys
import tempfile

import numpy
import pyvips
from processes import Process, free_port, get

# Crops as fractions of width and height. The square has the shorter side.
SHAPES = {'square': None, 'wide': (1, 1 / 3), 'tall': (1 / 3, 1), 'banner': (1, 1 / 6), 'quarter': (0.5, 0.5)}
COLORS = {'skin': (224, 172, 140), 'red': (220, 30, 40), 'green': (30, 170, 60), 'blue': (40, 70, 220), 'yellow': (240, 200, 30)}


def crop_size(shape, width, height):
    if SHAPES[shape] is None:
        return min(width, height), min(width, height)
    x, y = SHAPES[shape]
    return max(1, int(width * x)), max(1, int(height * y))


class Server:
    def __init__(self, binary, folder):
        self.port = free_port()
        Process([binary, '--port', self.port, '--allow-unsigned', 'true', '--file-roots', folder, '--access-log', 'false'],
                self.port, pathlib.Path(folder) / 'log')

    def crop(self, path, width, height):
        _, _, body = get(self.port, f'/_/c:{width}:{height}:sm/f:png/plain/file://{path}')
        return pyvips.Image.new_from_buffer(body, '').numpy()[:, :, :3].astype(int)


def position(image, part):
    """Returns the left and top of a part in an image, by comparing some of its pixels."""
    height, width = part.shape[:2]
    best = None
    ys, xs = numpy.arange(0, height, max(1, height // 24)), numpy.arange(0, width, max(1, width // 24))
    sample = part[ys][:, xs]
    for top in range(image.shape[0] - height + 1):
        rows = image[top + ys]
        for left in range(image.shape[1] - width + 1):
            difference = numpy.abs(rows[:, left + xs] - sample).mean()
            if best is None or difference < best[0]:
                best = (difference, left, top)
    assert best[0] < 3, f'the part was not found: {best}'
    return best[1], best[2]


def overlap(a, b, width, height):
    common = max(0, width - abs(a[0] - b[0])) * max(0, height - abs(a[1] - b[1]))
    return common / (2 * width * height - common)


def photographs(server, folder, photos, count):
    results = {shape: [] for shape in SHAPES}
    for path in sorted(photos.glob('*.jpg'))[:count]:
        # Small, because positions are searched in it. Both programs read the same pixels.
        image = pyvips.Image.thumbnail(str(path), 240).copy_memory()
        file = folder / f'{path.stem}.png'
        image.write_to_file(str(file))
        pixels = image.numpy()[:, :, :3].astype(int)
        for shape in SHAPES:
            width, height = crop_size(shape, image.width, image.height)
            theirs = image.smartcrop(width, height, interesting='attention')
            ours = position(pixels, server.crop(file, width, height))
            results[shape].append(overlap(ours, (-theirs.xoffset, -theirs.yoffset), width, height))
    for shape, values in results.items():
        print(f'{shape:8} {numpy.mean(values):.3f} on average, {numpy.median(values):.3f} in the middle, {len(values)} photographs')
    return numpy.mean([value for values in results.values() for value in values])


def grounds(width, height):
    random = numpy.random.default_rng(1)
    y, x = numpy.mgrid[0:height, 0:width]
    yield 'gray', numpy.full((height, width), 128)
    yield 'dark', numpy.full((height, width), 24)
    yield 'white', numpy.full((height, width), 250)
    yield 'gradient', 60 + (x + y) * 120 // (width + height)
    yield 'noise', random.integers(90, 166, (height, width))
    yield 'checks', 100 + 50 * ((x // 6 + y // 6) % 2)


def count_color(pixels, color):
    return int((pixels.astype(int) == color).all(axis=2).sum())


def planted(server, folder):
    """Returns the number of figures that are cut, in the crops of this server and of libvips, and the number of all."""
    random = numpy.random.default_rng(2)
    cut, cut_there, total = 0, 0, 0
    width, height, w, h = 480, 360, 40, 40
    y, x = numpy.mgrid[0:height, 0:width]
    for name, ground in grounds(width, height):
        for color_name, color in COLORS.items():
            for number in range(4):
                left, top = int(random.integers(0, width - w + 1)), int(random.integers(0, height - h + 1))
                dx, dy = (2 * (x - left) + 1 - w) / w, (2 * (y - top) + 1 - h) / h
                pixels = numpy.repeat(ground[:, :, None], 3, 2).astype(numpy.uint8)
                figure = dx * dx + dy * dy <= 1
                pixels[figure] = color
                pixels[figure & (numpy.abs(dy) < 0.2)] = 250
                image = pyvips.Image.new_from_array(pixels)
                file = folder / f'planted-{name}-{color_name}-{number}.png'
                image.write_to_file(str(file))
                for shape in SHAPES:
                    cw, ch = crop_size(shape, width, height)
                    part = server.crop(file, cw, ch)
                    expected = count_color(pixels, color)
                    total += 1
                    if count_color(part, color) < expected:
                        cut += 1
                        print(f'cut: {color_name} on {name} at {left}, {top}, {shape}')
                    theirs = image.smartcrop(cw, ch, interesting='attention').numpy()
                    cut_there += count_color(theirs, color) < expected
    return cut, cut_there, total


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--server', required=True)
    parser.add_argument('--photos', type=pathlib.Path, required=True)
    parser.add_argument('--count', type=int, default=100)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder).resolve()
        server = Server(arguments.server, folder)
        try:
            average = photographs(server, folder, arguments.photos, arguments.count)
            cut, cut_there, total = planted(server, folder)
        finally:
            Process.end_all()
    print(f'overlap with libvips: {average:.3f}; planted figures cut: {cut} of {total} (libvips: {cut_there})')
    if average < 0.7 or cut:
        sys.exit('the crops of gravity:sm got worse')


if __name__ == '__main__':
    main()
