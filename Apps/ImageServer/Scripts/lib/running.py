"""Starts the image server for checks, and asks it for images."""

import contextlib
import http.client
import os
import socket
import subprocess
import time

from processes import free_port


@contextlib.contextmanager
def running(command, port, environment=None):
    """Runs a program until the block ends. It is ready when its port accepts connections."""
    process = subprocess.Popen(command, env=environment and {**os.environ, **environment}, stderr=subprocess.DEVNULL)
    try:
        for _ in range(300):
            with contextlib.suppress(OSError), socket.create_connection(("127.0.0.1", port), 1):
                break
            if process.poll() is not None:
                raise SystemExit(f"error: {command[0]} ended with status {process.returncode}")
            time.sleep(0.1)
        else:
            raise SystemExit(f"error: {command[0]} doesn't listen at port {port}")
        yield
    finally:
        process.terminate()
        process.wait()


def get(port, path, headers={}):
    """Returns status, header fields in lower case and body."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request("GET", path, headers=headers)
    response = connection.getresponse()
    fields = {name.lower(): value for name, value in response.getheaders()}
    return response.status, fields, response.read()
