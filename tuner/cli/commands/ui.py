"""`spark-tuner ui`: the panel on this machine, without Airflow."""

from __future__ import annotations

import ipaddress
import secrets
import socket
import tempfile
import webbrowser
from collections.abc import Iterator
from contextlib import contextmanager
from html import escape
from importlib.util import find_spec
from pathlib import Path
from threading import Thread
from typing import Annotated

import typer

from tuner.cli.options.output import CoreHourPrice
from tuner.cli.options.store import Url, stored_url
from tuner.errors import RequirementError, TunerError

LOOPBACK = "127.0.0.1"
# Browsers that are snaps have a /tmp of their own.
_WITHOUT_FILE = "; where the browser finds no file, open this address in it"
# They would take the terminal, and cannot run the page's scripts.
_IN_TERMINAL = frozenset({"www-browser", "links", "links2", "elinks", "lynx", "w3m"})


def ui(
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 is any free one.")] = 0,
    host: Annotated[str, typer.Option(help="Loopback address to listen on: 127.0.0.1, ::1 or localhost.")] = LOOPBACK,
    url: Url = None,
    core_hour_price: CoreHourPrice = None,
    no_browser: Annotated[bool, typer.Option("--no-browser", help="Print the address and open no browser.")] = False,
) -> None:
    """Show the panel in a browser, to this machine only; Ctrl+C ends it."""
    address = loopback_address(host)
    _require_server()
    store = stored_url(url)
    with _listening(address, port) as listener:
        token, place = secrets.token_urlsafe(32), secrets.token_urlsafe(16)
        at = f"{_in_url(host, address)}:{listener.getsockname()[1]}"
        page, opens = f"http://{at}/{place}/?token={token}", not no_browser and _has_browser()
        how = "" if no_browser else _WITHOUT_FILE if opens else _from_elsewhere(at)
        typer.echo(f"spark-tuner ui: {page}\n(Ctrl+C ends it{how})")
        with tempfile.TemporaryDirectory(prefix="spark-tuner-") as folder:
            if opens:
                _open_browser(page, Path(folder))
            _serve(listener, store, token, place, core_hour_price)


def loopback_address(host: str) -> str:
    """The address of a host that is this machine; TunerError for any other: the panel asks for no password."""
    try:
        address = ipaddress.ip_address(LOOPBACK if host.lower() == "localhost" else host.strip("[]"))
    except ValueError:
        address = None
    # 127.0.0.2 is this machine too, but no name that a browser's request is taken for our own by.
    if address not in (ipaddress.ip_address(LOOPBACK), ipaddress.ip_address("::1")):
        raise TunerError(
            f"--host {host}: the panel only listens on 127.0.0.1, ::1 or localhost; to use it from another "
            "machine, forward the port: ssh -L 8080:127.0.0.1:PORT"
        )
    return str(address)


def _require_server() -> None:
    missing = [name for name in ("fastapi", "uvicorn") if find_spec(name) is None]
    if missing:
        raise RequirementError(f"the panel needs {' and '.join(missing)}: pip install 'airflow-spark-tuner[ui]'")


@contextmanager
def _listening(address: str, port: int) -> Iterator[socket.socket]:
    """A socket that already takes connections: the browser may come before the server is up."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((address, port))
            listener.listen()
        except OSError as error:
            raise TunerError(f"cannot listen on {address}:{port}: {error.strerror}; give another --port") from error
        yield listener


def _in_url(host: str, address: str) -> str:
    return "localhost" if host.lower() == "localhost" else f"[{address}]" if ":" in address else address


def _has_browser() -> bool:
    """Whether the browser that would be opened shows pages beside the terminal."""
    try:
        return Path(webbrowser.get().name).name not in _IN_TERMINAL
    except webbrowser.Error:
        return False


def _from_elsewhere(at: str) -> str:
    port = at.rsplit(":", 1)[1]
    return f"; no browser with a window is here: where one is, ssh -L {port}:{at} THIS_MACHINE and open this address"


def _open_browser(page: str, folder: Path) -> None:
    """By way of a file that only this user can read: arguments of a browser's process can be read by all. Some browsers are
    waited for until they end: not before the server starts."""
    entrance = folder / "open.html"
    entrance.write_text(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(page)}">', encoding="utf-8")
    entrance.chmod(0o600)
    Thread(target=webbrowser.open, args=(entrance.as_uri(),), daemon=True).start()


def _serve(listener: socket.socket, url: str, token: str, place: str, core_hour_price: float | None) -> None:
    import uvicorn

    from tuner.history.store import Store
    from tuner.panel.loopback import loopback_app

    app = loopback_app(lambda: Store.open(url), token, place, core_hour_price)
    # The access log would have the token.
    config = uvicorn.Config(app, log_level="warning", access_log=False, server_header=False, lifespan="off")
    uvicorn.Server(config).run(sockets=[listener])
