#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""lesson_server.py REQUESTS: a server with a thread for each request, and a client that makes so many, one after the other. For
each, query() waits 30 ms, as for a database, and write_log() 10 ms, as for a disk."""

import sys
import threading
import time
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


def query():
    time.sleep(0.03)
    return b"12 apples\n"


def write_log():
    time.sleep(0.01)


class Shop(BaseHTTPRequestHandler):
    def do_GET(self):
        body = query()
        write_log()
        self.send_response(200)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


with ThreadingHTTPServer(("127.0.0.1", 0), Shop) as server:
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    for _ in range(int(sys.argv[1])):
        opener.open(f"http://127.0.0.1:{server.server_port}/").read()
    server.shutdown()
