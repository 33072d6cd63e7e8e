"""What the Dockerfile and compose.yaml say, as plain processes on this machine.

Their commands, settings, ports and health checks are read from the files. Replaced are only folders, by temporary ones;
names of services and their ports, by free ports of this machine; and the packages of the image, by those of the tests.
"""

import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

from tests.deploy.reading import PROJECT, image_environment, image_healthcheck, services, values
from tests.jobs.ray_cluster import free_port

START_SECONDS = 300
# Of each service, the ports on which it listens. Ray has more of them, which two nodes on one machine cannot share.
PORTS = {"server-1": [8501], "server-2": [8501], "proxy": [8501], "ray-head": [6379, 8265], "ray-worker": [52365]}
FURTHER = {
    "ray-head": ["--port={6379}", "--dashboard-port={8265}", "--ray-client-server-port={}"],
    "ray-worker": ["--num-cpus=2", "--dashboard-agent-listen-port={52365}"],
}


class Stack:
    """The services of compose.yaml. folder: a short path, as Ray has sockets in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.ports = {(name, port): free_port() for name, ports in PORTS.items() for port in ports}
        self.processes: dict[str, subprocess.Popen] = {}
        (folder / "data").mkdir()

    def build(self) -> None:
        """Does what the Dockerfile does to install the app and its models, without a network."""
        places = {
            place: str(self.folder / place.rpartition("/")[2]) for place in ("/opt/microscope", "/wheel", "/models")
        }
        for line in values("RUN", "build"):
            if not re.search("/wheel|/models|venv", line):
                continue  # packages of Debian and of Python
            for place, ours in places.items():
                line = line.replace(place, ours)
            self._shell(line)
            if "venv" in line:
                packages = next(path for path in sys.path if path.endswith("site-packages"))
                (site,) = (self.folder / "microscope/lib").glob("python*/site-packages")
                (site / "packages.pth").write_text(packages)

    def _shell(self, line: str) -> None:
        tools = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
        offline = {"PIP_NO_INDEX": "1", "PIP_NO_BUILD_ISOLATION": "0", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
        line = re.sub(r"python3\.11", f"python3.{sys.version_info.minor}", line)
        subprocess.run(["sh", "-ec", line], check=True, cwd=PROJECT, env={**_own(), "PATH": tools, **offline})

    def command(self, name: str) -> list[str]:
        service = services()[name]
        words = service.get("command") or _words(values("CMD")[-1])
        further = [re.sub(r"{(\d*)}", lambda match: self._port(name, match[1]), word) for word in FURTHER.get(name, [])]
        if name in FURTHER:
            further.append(f"--temp-dir={self._own_folder(name)}")
        return [*(self._here(name, word) for word in words), *further]

    def environment(self, name: str) -> dict[str, str]:
        settings = services()[name].get("environment", {})
        values = {} if name == "proxy" else image_environment()
        paths = [str(self.folder / "microscope/bin"), str(Path(sys.executable).parent), os.environ["PATH"]]
        words = {key: self._here(name, value) for key, value in {**values, **settings}.items() if key != "PATH"}
        return {**_own(), **words, "PATH": os.pathsep.join(paths)}

    def start(self, name: str) -> None:
        command, environment = self.command(name), self.environment(name)
        if shutil.which(command[0], path=environment["PATH"]) is None:
            raise FileNotFoundError(command[0])
        with open(self.log(name), "ab") as log:
            self.processes[name] = subprocess.Popen(
                ["env", *command],
                env=environment,
                cwd=self.folder / "data",
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def run(self, name: str) -> None:
        """Starts a service that ends by itself, and waits until it has."""
        self.start(name)
        assert self.processes.pop(name).wait(60) == 0, self.log(name).read_text()

    def is_healthy(self, name: str) -> bool:
        """Asks as Docker would: by the check in compose.yaml, else by that of the image."""
        check = services()[name].get("healthcheck", {}).get("test", ["CMD", *image_healthcheck()])
        assert check[0] == "CMD"
        command = [self._here(name, word) for word in check[1:]]
        return subprocess.run(command, env=self.environment(name), capture_output=True, timeout=60).returncode == 0

    def wait(self, name: str) -> None:
        """Waits until a service is healthy."""
        deadline = time.monotonic() + START_SECONDS
        while not self.is_healthy(name):
            assert self.processes[name].poll() is None and time.monotonic() < deadline, self.log(name).read_text()[
                -3000:
            ]
            time.sleep(0.5)

    def log(self, name: str) -> Path:
        return self.folder / f"{name}.log"

    def stop(self, name: str) -> int:
        """Stops a service as Docker would; returns with which status it has ended."""
        process, service = self.processes.pop(name), services()[name]
        process.send_signal(signal.Signals[service.get("stop_signal", "SIGTERM")])
        try:
            return process.wait(int(service.get("stop_grace_period", "10s").rstrip("s")) * 3)
        finally:
            _kill(process)

    def close(self) -> None:
        for process in self.processes.values():
            _kill(process)

    def _own_folder(self, name: str) -> Path:
        """The /tmp of a service."""
        folder = self.folder / "tmp" / name
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def _port(self, name: str, port: str) -> str:
        return str(self.ports[name, int(port)] if port else free_port())

    def _here(self, name: str, text: str) -> str:
        """A word of the files as it is on this machine."""
        text = re.sub("^/tmp$", str(self._own_folder(name)), text.replace("/data", str(self.folder / "data")))
        for volume in services()[name].get("volumes", []):
            source, target, *_ = volume.split(":")
            if source.startswith("./") and text == target:
                copy = self.folder / Path(target).name
                copy.write_text(self._addresses(name, (PROJECT / source).read_text("utf-8")), "utf-8")
                return str(copy)
        return self._addresses(name, text)

    def _addresses(self, name: str, text: str) -> str:
        for (other, port), ours in self.ports.items():
            text = re.sub(rf"\b{other}(\.servers)?:{port}\b", f"127.0.0.1:{ours}", text)
            if other == name:  # itself
                text = re.sub(rf"(127\.0\.0\.1|http://):{port}\b", rf"\1:{ours}", text)
                text = str(ours) if text == str(port) else text
        return text


def _own() -> dict[str, str]:
    """The environment of the tests without settings of the app."""
    return {name: value for name, value in os.environ.items() if not name.startswith(("VIZ_", "RAY_", "STREAMLIT_"))}


def _words(command: str) -> list[str]:
    return shlex.split(command.strip("[]").replace(",", " "))


def _kill(process: subprocess.Popen) -> None:
    """Ends what is left of a service: its processes are a group."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
