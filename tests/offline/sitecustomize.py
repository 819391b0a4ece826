"""On ``PYTHONPATH``: every Python process that starts may speak with this machine and with no other.

``PYTHONPATH=tests/offline make notebooks`` runs the notebooks so, kernels included.
"""

import sys

_HERE = ("127.", "::1", "localhost", "0.0.0.0")  # names of this machine, nothing listens by them


def _refuse(event: str, told: tuple[object, ...]) -> None:
    if event == "socket.getaddrinfo":
        host = told[0]
    elif event in {"socket.connect", "socket.sendto"}:
        # A path of this machine's file system is no address.
        host = told[1][0] if isinstance(told[1], tuple) else None
    else:
        return
    name = host.decode(errors="replace") if isinstance(host, bytes) else host
    if isinstance(name, str) and name and not name.startswith(_HERE):
        raise ConnectionRefusedError(f"offline: {name} is not this machine")


sys.addaudithook(_refuse)
