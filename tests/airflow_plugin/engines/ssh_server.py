"""An SSH server of this machine, by paramiko, that has a shell run what it is sent, and drops variables as sshd does."""

from __future__ import annotations

import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import paramiko


@dataclass
class SshServer:
    """`shell` is the login shell of its one user, `environment` what it has there; `commands` are those that were run."""

    shell: str = "/bin/bash"
    environment: dict[str, str] = field(default_factory=lambda: {"PATH": os.environ["PATH"]})
    commands: list[str] = field(default_factory=list)
    port: int = 0

    def run(self, command: str) -> subprocess.CompletedProcess[bytes]:
        self.commands.append(command)
        environment = {**self.environment, "SHELL": self.shell}
        return subprocess.run([self.shell, "-c", command], env=environment, capture_output=True, check=False)


class _Session(paramiko.ServerInterface):
    def __init__(self, server: SshServer) -> None:
        self.server = server

    def check_channel_request(self, kind: str, chanid: int) -> int:
        return int(paramiko.OPEN_SUCCEEDED)

    def check_auth_password(self, username: str, password: str) -> int:
        return int(paramiko.AUTH_SUCCESSFUL)

    def get_allowed_auths(self, username: str) -> str:
        return "password"

    def check_channel_env_request(self, channel: paramiko.Channel, name: bytes, value: bytes) -> bool:
        return False

    def check_channel_pty_request(self, *_: object) -> bool:
        return True

    def check_channel_exec_request(self, channel: paramiko.Channel, command: bytes) -> bool:
        threading.Thread(target=self._answer, args=(channel, command.decode()), daemon=True).start()
        return True

    def _answer(self, channel: paramiko.Channel, command: str) -> None:
        # A client ends its input once it has been told that the command is taken: an end of the channel before that
        # is an error to it.
        while channel.recv(1024):
            pass
        done = self.server.run(command)
        channel.sendall(done.stdout)
        channel.sendall_stderr(done.stderr)
        channel.send_exit_status(done.returncode)
        channel.close()


@contextmanager
def ssh_server() -> Iterator[SshServer]:
    """One that listens as long as it lasts."""
    server, key = SshServer(), paramiko.RSAKey.generate(2048)
    listening = socket.create_server(("127.0.0.1", 0))
    server.port = listening.getsockname()[1]
    transports: list[paramiko.Transport] = []

    def accept() -> None:
        while True:
            try:
                client, _ = listening.accept()
            except OSError:  # Closed.
                return
            transport = paramiko.Transport(client)
            transport.add_server_key(key)
            transports.append(transport)
            transport.start_server(server=_Session(server))

    thread = threading.Thread(target=accept, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        listening.shutdown(socket.SHUT_RDWR)
        listening.close()
        for transport in transports:
            transport.close()
        thread.join(10)
