"""serve.py SITE: serves the site on a free port of 127.0.0.1, and opens it if there is a browser. Ends with Control-C."""

import functools
import http.server
import sys
import webbrowser


class Handler(http.server.SimpleHTTPRequestHandler):
    extensions_map = {**http.server.SimpleHTTPRequestHandler.extensions_map, '.md': 'text/markdown; charset=utf-8',
                      '.txt': 'text/plain; charset=utf-8'}

    def log_message(self, *arguments):
        pass


with http.server.ThreadingHTTPServer(('127.0.0.1', 0), functools.partial(Handler, directory=sys.argv[1])) as server:
    address = f'http://127.0.0.1:{server.server_port}/'
    print(f'==> open {address}; press Control-C to end', flush=True)
    webbrowser.open(address)
    try:
        server.serve_forever()
    except KeyboardInterrupt:
        pass
