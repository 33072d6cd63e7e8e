"""Every environment variable of the app: its name, what it does, its default.

docs/settings.md is written from here.
"""

from dataclasses import dataclass


@dataclass(frozen=True)
class Variable:
    """An environment variable.

    Attributes:
        name: Name of the variable.
        meaning: What it does, as a sentence.
        default: What holds without it, as a sentence or a value.
        group: A heading of docs/settings.md.
    """

    name: str
    meaning: str
    default: str
    group: str


VARIABLES: dict[str, Variable] = {}


def _variable(name: str, meaning: str, default: str, group: str) -> str:
    """Register a variable; returns its name."""
    VARIABLES[name] = Variable(name, meaning, default, group)
    return name


_FOLDERS = "Folders"
HOME = _variable(
    "VIZ_HOME",
    "Folder for everything the app writes: runs, saved models, corpora.",
    "the checkout; `~/attention-microscope` if the app was installed with pip",
    _FOLDERS,
)
RUNS_DIR = _variable("VIZ_RUNS_DIR", "Folder of the training runs.", "`runs/` in `VIZ_HOME`", _FOLDERS)
CHECKPOINTS_DIR = _variable(
    "VIZ_CHECKPOINTS_DIR",
    "Folder of the models. Set it, and only the models in it are offered.",
    "`checkpoints/` in `VIZ_HOME`, and the models that ship",
    _FOLDERS,
)
MODELS_URL = _variable(
    "VIZ_MODELS_URL",
    "Where `attention-microscope models fetch` gets models that are not in the wheel: an address, a folder or a zip.",
    "none: say it with `--from`",
    _FOLDERS,
)
DATA_DIR = _variable(
    "VIZ_DATA_DIR", "Folder searched first for corpora; downloads go there.", "`data/` in `VIZ_HOME`", _FOLDERS
)
TASKS_DIR = _variable(
    "VIZ_TASKS_DIR", "Folder of the tasks that people make of their own data.", "`tasks/` in `VIZ_HOME`", _FOLDERS
)
LESSONS_DIR = _variable("VIZ_LESSONS_DIR", "Folder of your own lessons, shown after those that ship.", "none", _FOLDERS)

_NETWORK = "A class on a network"
TEACHER_KEY = _variable(
    "VIZ_TEACHER_KEY",
    "Password of the teacher, 12 characters or more: manage everyone's runs, open models from elsewhere.",
    "no teacher",
    _NETWORK,
)
HOSTS = _variable(
    "VIZ_HOSTS",
    "Further names of the server, separated by commas: `viz.school.edu`, `*.school.edu`; `*` is any.",
    "only this machine's own names and addresses",
    _NETWORK,
)
FRAME_ANCESTORS = _variable(
    "VIZ_FRAME_ANCESTORS",
    "Sites whose pages may embed the app, separated by commas: `https://moodle.school.edu`.",
    "none",
    _NETWORK,
)
ADDRESS_SHARE = _variable(
    "VIZ_ADDRESS_SHARE",
    "How much of all that the server takes on at once one address may use, in percent. A class behind one router, or "
    "everybody behind a proxy that does not pass addresses on, is one address.",
    "75",
    _NETWORK,
)
ALONE = _variable(
    "VIZ_ALONE",
    "`1`: nobody else can reach the server, so its user may do what a teacher may.",
    "set by `make run` and `attention-microscope` for a local server; empty with another host or `VIZ_HOSTS`",
    _NETWORK,
)

SERVER = _variable(
    "VIZ_SERVER",
    "Which of several servers with the same folders and one proxy this is: `2/3`.",
    "the only one; `attention-microscope --servers 3` sets it",
    _NETWORK,
)
DRAIN_SECONDS = _variable(
    "VIZ_DRAIN_SECONDS",
    "How long a server that is to end leaves the pages connected that are open on it, in seconds, up to 3600.",
    "10",
    _NETWORK,
)
METRICS = _variable(
    "VIZ_METRICS",
    "`all`: everybody who reaches the server may read `/metrics`, its numbers for Prometheus.",
    "only from this machine",
    _NETWORK,
)

_RUNS = "Training runs"
_NOT_FOR_TRAIN = "; for the command `train` no limit"
RUN_MINUTES = _variable("VIZ_RUN_MINUTES", "Longest duration of a run, in minutes.", f"60{_NOT_FOR_TRAIN}", _RUNS)
RUNS_PER_VISITOR = _variable(
    "VIZ_RUNS_PER_VISITOR", "Runs that one visitor may have waiting.", f"3{_NOT_FOR_TRAIN}", _RUNS
)
RUNS_FREE_MB = _variable(
    "VIZ_RUNS_FREE_MB", "Disk space that must stay free, in MB; with less, no run starts.", "500", _RUNS
)
EXECUTOR = _variable(
    "VIZ_EXECUTOR",
    "Where the worker starts runs: a name in `EXECUTORS` (`viz_core/jobs/executors.py`).",
    "`ray` with `VIZ_RAY`, else `local`: this machine",
    _RUNS,
)
RAY = _variable(
    "VIZ_RAY",
    "Address of a [Ray cluster](deployment.md#trainings-on-a-ray-cluster) that carries out the runs: `http://head:8265`.",
    "none: this machine",
    _RUNS,
)
RAY_CPUS = _variable("VIZ_RAY_CPUS", "Cores of a Ray cluster that each run gets.", "1", _RUNS)
RUN_ATTEMPT = _variable(
    "VIZ_RUN_ATTEMPT", "Set by the worker for the process of a run: which attempt this is.", "do not set it", _RUNS
)
RUN_HANDLE = _variable(
    "VIZ_RUN_HANDLE", "Set for the process of a run by an executor elsewhere: how to find it.", "do not set it", _RUNS
)

_OWN = "Tasks of one's own"
TASK_DAYS = _variable(
    "VIZ_TASK_DAYS", "Days until a task that somebody made of a table is deleted; `0` is never.", "30", _OWN
)
TASKS_PER_VISITOR = _variable("VIZ_TASKS_PER_VISITOR", "Tasks of their own that one visitor may have.", "10", _OWN)
TASK_MB = _variable("VIZ_TASK_MB", "Largest table that may be uploaded, in MB, up to 100.", "100", _OWN)
TASK_ROWS = _variable("VIZ_TASK_ROWS", "Most rows of an uploaded table, up to 200,000.", "200000", _OWN)

LOG = _variable(
    "VIZ_LOG",
    "Level of the log: `debug`, `info`, `warning` or `error`. No line has text that a visitor typed.",
    "`info`",
    "Log",
)
