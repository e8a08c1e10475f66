"""The processes of benchmarks and checks: the image server, nginx, Redis and thumbor, each on a free port, and wrk."""

import http.client
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import time

TICK = os.sysconf('SC_CLK_TCK')


def free_port():
    with socket.socket() as listener:
        listener.bind(('127.0.0.1', 0))
        return listener.getsockname()[1]


def get(port, path, headers={}):
    """Returns the status, the headers and the body of a response."""
    connection = http.client.HTTPConnection('127.0.0.1', port, timeout=60)
    connection.request('GET', path, headers=headers)
    response = connection.getresponse()
    return response.status, response.headers, response.read()


class Process:
    """A process that is ready when something listens at its port, and that ends with the block or with the benchmark."""

    running = []

    def __init__(self, command, port, log=os.devnull, environment={}):
        self.command, self.port, self.log, self.environment = [str(part) for part in command], port, log, environment
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.end()

    def start(self):
        with open(self.log, 'a') as log:
            self.popen = subprocess.Popen(
                self.command, stdout=log, stderr=subprocess.STDOUT, env=os.environ | self.environment)
        if self not in Process.running:
            Process.running.append(self)
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline:
            if self.popen.poll() is not None:
                raise self.failure('ended')
            with socket.socket() as client:
                if client.connect_ex(('127.0.0.1', self.port)) == 0:
                    return
            time.sleep(0.05)
        raise self.failure('does not listen')

    def failure(self, what):
        return SystemExit(f'{self.command[0]} {what}: {pathlib.Path(self.log).read_text()[-2000:]}')

    def send_signal(self, number):
        self.popen.send_signal(number)

    def end(self, number=signal.SIGTERM):
        if self.popen.poll() is None:
            self.popen.send_signal(signal.SIGCONT)
            self.popen.send_signal(number)
        self.popen.wait()

    @property
    def seconds(self):
        """The processor time so far, with that of its child processes."""
        children = pathlib.Path(f'/proc/{self.popen.pid}/task/{self.popen.pid}/children').read_text().split()
        fields = [pathlib.Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()
                  for process in [self.popen.pid, *children]]
        return sum(int(times[11]) + int(times[12]) for times in fields) / TICK

    @property
    def resident_mb(self):
        status = pathlib.Path(f'/proc/{self.popen.pid}/status').read_text()
        return int(re.search(r'VmRSS:\s+(\d+)', status)[1]) / 1024

    @classmethod
    def end_all(cls):
        for process in cls.running:
            process.end()
        cls.running = []


class Nginx(Process):
    """Serves a folder; with `size`, images of it that image_filter scales; with `log`, notes each request."""

    MODULE = '/usr/lib/nginx/modules/ngx_http_image_filter_module.so'

    def __init__(self, folder, files, size=None, log='off'):
        port = free_port()
        scaling = ''
        load = ''
        if size:
            load = f'load_module {self.MODULE};'
            scaling = f'image_filter resize {size} {size}; image_filter_jpeg_quality 80; image_filter_buffer 32M;'
        configuration = folder / f'nginx-{port}.conf'
        configuration.write_text(f'''{load}
            worker_processes auto; daemon off; pid {folder}/nginx-{port}.pid; error_log {folder}/nginx-{port}.log;
            events {{ worker_connections 4096; }}
            http {{ access_log {log}; client_body_temp_path {folder}; proxy_temp_path {folder}; sendfile on;
                fastcgi_temp_path {folder}; uwsgi_temp_path {folder}; scgi_temp_path {folder};
                keepalive_requests 1000000; add_header Cache-Control max-age=3600;
                server {{ listen 127.0.0.1:{port} backlog=4096; root {files}; location / {{ {scaling} }} }} }}''')
        super().__init__(['nginx', '-c', configuration], port, folder / 'nginx.log')


class ImageServer(Process):
    """Accepts unsigned URLs of sources on loopback."""

    def __init__(self, binary, folder, origin_port, *flags, name='server', level='error'):
        port = free_port()
        command = [binary, '--port', port, '--allow-unsigned', 'true', '--allowed-ports', origin_port,
                   '--allowed-addresses', '127.0.0.1', '--log-level', level, *flags]
        self.origin_port = origin_port
        super().__init__(command, port, folder / f'{name}.log')

    def path(self, source, options='rs:fit:300:300/q:80', extension='jpg'):
        return f'/_/{options}/plain/http:%2F%2F127.0.0.1:{self.origin_port}%2F{source}@{extension}'

    def url(self, source, **arguments):
        return f'http://127.0.0.1:{self.port}{self.path(source, **arguments)}'

    def get(self, source, **arguments):
        return get(self.port, self.path(source, **arguments))


class Redis(Process):
    def __init__(self, folder, *flags):
        port = free_port()
        super().__init__(['redis-server', '--port', port, '--bind', '127.0.0.1', '--save', '', '--dir', folder, *flags],
                         port, folder / 'redis.log')
        self.url = f'redis://127.0.0.1:{port}'


def wrk(url, connections, seconds, script=None):
    """Returns requests per second, the 99th percentile in ms, and the number of failed requests."""
    command = ['wrk', '-t1', f'-c{connections}', f'-d{seconds}', '--latency']
    if script:
        command += ['-s', script]
    done = subprocess.run(command + [url], capture_output=True, text=True, check=True)
    if done.stderr:  # wrk goes on after an error in its script
        raise SystemExit(f'wrk: {done.stderr.splitlines()[0]}')
    text = done.stdout
    percentile = re.search(r'99%\s+([\d.]+)(us|ms|s)', text)
    factor = {'us': 1e-3, 'ms': 1, 's': 1e3}[percentile[2]]
    failed = re.search(r'Non-2xx or 3xx responses: (\d+)', text)
    errors = re.search(r'Socket errors: connect (\d+), read (\d+), write (\d+), timeout (\d+)', text)
    return (float(re.search(r'Requests/sec:\s+([\d.]+)', text)[1]), float(percentile[1]) * factor,
            (int(failed[1]) if failed else 0) + (sum(map(int, errors.groups())) if errors else 0))


def require_tools():
    os.environ['PATH'] += ':/usr/sbin'  # where Debian installs nginx
    missing = [tool for tool in ('wrk', 'nginx', 'redis-server', 'redis-cli') if not shutil.which(tool)]
    if not os.path.exists(Nginx.MODULE):
        missing.append('image_filter of nginx')
    if missing:
        raise SystemExit(f'not installed: {", ".join(missing)}; to install: apt-get install wrk nginx '
                         'libnginx-mod-http-image-filter redis-server')
