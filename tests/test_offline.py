"""The guard that notebooks run under: this machine may be asked, no other."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

GUARD = Path(__file__).resolve().parent / "offline"


def ran(code: str) -> subprocess.CompletedProcess[str]:
    env = os.environ | {"PYTHONPATH": str(GUARD)}
    return subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    "code",
    [
        "import socket; socket.create_connection(('192.0.2.1', 80), timeout=1)",
        "import socket; socket.getaddrinfo('example.org', 443)",
        "import urllib.request; urllib.request.urlopen('http://192.0.2.1', timeout=1)",
        "import socket; socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b'x', ('192.0.2.1', 53))",
    ],
)
def test_another_machine_is_refused(code: str) -> None:
    done = ran(code)
    assert done.returncode != 0
    assert "is not this machine" in done.stderr


def test_this_machine_is_not() -> None:
    code = """
import socket
with socket.create_server(("127.0.0.1", 0)) as server, socket.create_connection(server.getsockname()) as line:
    print(line.getpeername()[0])
"""
    assert ran(code).stdout == "127.0.0.1\n"
