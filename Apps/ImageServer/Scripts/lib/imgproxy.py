"""Asks the image server what imgproxy's documentation answers. See Apps/ImageServer/Scripts/check-imgproxy and imgproxy.txt.

The server runs with the variables of imgproxy in Apps/ImageServer/compose.imgproxy.yaml."""

import base64
import hashlib
import hmac
import http.server
import io
import pathlib
import sys
import threading
from urllib.parse import quote, unquote

import yaml
from PIL import Image

from processes import Process, free_port, get

COLORS = {"red": (255, 0, 0), "green": (0, 255, 0), "blue": (0, 0, 255), "white": (255, 255, 255)}
NAMES = {"strange": "a ü+@.png"}


def encoded(image, **options):
    data = io.BytesIO()
    image.save(data, **options)
    return data.getvalue()


def sources():
    land = Image.new("RGB", (400, 300))
    for index, color in enumerate(COLORS.values()):
        land.paste(color, (index % 2 * 200, index // 2 * 150, index % 2 * 200 + 200, index // 2 * 150 + 150))
    border = Image.new("RGB", (100, 100), "white")
    border.paste((200, 30, 30), (20, 20, 80, 80))
    exif = Image.Exif()
    exif[0x0112] = 6
    images = {
        "land": land, "port": land.resize((300, 400)), "small": land.resize((100, 75)), "border": border,
        "clear": Image.new("RGBA", (40, 40), (0, 0, 0, 0)), NAMES["strange"]: land,
    }
    files = {name: encoded(image, format="PNG") for name, image in images.items()}
    return files | {"turned": encoded(land, format="JPEG", exif=exif)}


def origin(files, asked):
    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            asked.append(self.path)
            data = files.get(unquote(self.path.partition("?")[0])[1:])
            self.send_response(200 if data else 404)
            self.send_header("Content-Length", str(len(data or b"")))
            self.end_headers()
            self.wfile.write(data or b"")

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return f"http://127.0.0.1:{server.server_port}/"


def signed_path(key, salt, path):
    digest = hmac.new(bytes.fromhex(key), bytes.fromhex(salt) + path.encode(), hashlib.sha256).digest()
    return "/" + base64.urlsafe_b64encode(digest).decode().rstrip("=") + path


def request(wanted, sent, base, sign):
    """Returns the path as it is sent, and header fields."""
    options, _, source = wanted.rpartition("/") if "?" not in wanted else wanted.partition("/")
    source, _, extension = source.partition("@")
    name, _, query = source.partition("?")
    url = base + quote(NAMES.get(name, name), safe="+@") + (f"?{query}" if query else "")
    if "base64" in sent:
        text = base64.urlsafe_b64encode(url.encode()).decode().rstrip("=")
        if "chunks" in sent:
            text = "/".join(text[start : start + 16] for start in range(0, len(text), 16))
        path = sign(f"/{options}/{text}" + (f".{extension}" if extension else ""))
    else:
        # Escapes of the source, and what has a meaning for imgproxy, are escaped.
        path = sign(f"/{options}/plain/{quote(url, safe=':/+&=')}" + (f"@{extension}" if extension else ""))
    if sent in ["// merged", "both"]:
        path = path.replace("//", "/")
    if sent in [": as %3A", "both"]:
        path = path.replace(":", "%3A")
    if sent == "a query":
        path += "?utm_source=a&b"
    if sent == "another signature":
        path = "/AAAA" + path[path.index("/", 1) :]
    return path, {"Accept": sent[8:]} if sent.startswith("Accept") else {}


def answer(port, path, headers, wanted, asked):
    """Returns the parts of the answer that the table has."""
    status, fields, body = get(port, path, headers)
    if status != 200:
        return str(status)
    image = Image.open(io.BytesIO(body))
    parts = [f"{image.width}x{image.height}"]
    for part in wanted.split()[1:]:
        if part in ["png", "jpeg", "webp"]:
            parts.append(image.format.lower())
        if part in COLORS:
            pixel = image.convert("RGB").getpixel((image.width // 2, image.height // 2))
            nearest = min(COLORS, key=lambda name: sum(abs(a - b) for a, b in zip(COLORS[name], pixel)))
            parts.append(nearest)
        if part == "asks":
            parts += ["asks", asked[-1] if asked else "nothing"]
    return " ".join(parts)


def main(binary, compose, table):
    environment = yaml.safe_load(pathlib.Path(compose).read_text())["services"]["imgproxy"]["environment"]
    environment = {name: str(value) for name, value in environment.items()}
    key, salt = environment["IMGPROXY_KEY"], environment["IMGPROXY_SALT"]
    asked, port = [], free_port()
    base = origin(sources(), asked)
    # Only what is different outside of a container. Each source is loaded again, to see what the origin is asked for.
    flags = {"port": port, "allowed-ports": base.split(":")[2][:-1], "allowed-addresses": "127.0.0.1"}
    failures = 0
    with Process([binary, *[f"--{name}={value}" for name, value in flags.items()]], port, environment=environment):
        for line in pathlib.Path(table).read_text().splitlines():
            if not line or line.startswith("#"):
                continue
            wanted, sent, documented, page = line.split(" | ")
            path, headers = request(wanted, sent, base, lambda path: signed_path(key, salt, path))
            asked.clear()
            own = answer(port, path, headers, documented, asked)
            mark = "ok  " if own == documented else "FAIL"
            failures += own != documented
            print(f"{mark} {path}{f' ({sent})' if sent != '-' else ''}\n     {page}: {documented}; here: {own}")
    return f"{failures} answers differ from imgproxy's documentation" if failures else 0


sys.exit(main(*sys.argv[1:]))
