"""The files of the containers agree with the app and with one another, and what they start may do little."""

import re
import tomllib

import pytest
import yaml

from tests.deploy.reading import (
    MANIFESTS,
    PROJECT,
    compose,
    container,
    image_environment,
    image_healthcheck,
    manifests,
    pods,
    services,
    stages,
    values,
)
from viz_core.commands.proxy import caddyfile
from viz_core.servers import HEALTH, READY, Place, _read
from viz_core.variables import DRAIN_SECONDS, HOME, SERVER, VARIABLES

SERVERS = ("server-1", "server-2")
DIGEST = re.compile(r"\S+:\S+@sha256:[0-9a-f]{64}")
VERSION = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["project"]["version"]


def test_caddy_has_the_configuration_of_the_command_with_servers():
    upstreams = [f"{name}.servers:8501" for name in SERVERS]
    assert (PROJECT / "deploy/Caddyfile").read_text("utf-8") == caddyfile("", 8501, upstreams)


def test_images_of_others_are_pinned_by_their_digest():
    text = (PROJECT / "Dockerfile").read_text("utf-8")
    assert DIGEST.fullmatch(re.search("^ARG PYTHON=(.*)$", text, re.MULTILINE)[1])
    bases = re.findall("^FROM (\\S+)", text, re.MULTILINE)
    assert all(base == "${PYTHON}" or base in stages() for base in bases)
    assert DIGEST.fullmatch(services()["proxy"]["image"])
    assert container("proxy")["image"] == services()["proxy"]["image"]


def test_images_of_ours_have_the_version_of_the_app():
    ours = {"attention-microscope": "", "attention-microscope-ray": "ray"}
    for name, service in services().items():
        if name != "proxy":
            image, version = service["image"].split(":")
            build = service["build"]
            assert version == VERSION and ours[image] == (build["target"] if isinstance(build, dict) else "")
    images = {container(name)["image"] for name in pods() if name != "proxy"}
    assert images == {f"{image}:{VERSION}" for image in ours}


@pytest.mark.parametrize("stage", ["", "ray"])
def test_the_image_runs_as_a_user_without_rights_and_offline(stage):
    assert values("USER", stage)[-1] == "10001:10001"
    environment = image_environment(stage)
    assert (environment[HOME], environment["HOME"], environment["HF_HUB_OFFLINE"]) == ("/data", "/tmp", "1")
    assert values("VOLUME", stage) == ["/data"]


def test_the_image_takes_only_what_it_is_built_from():
    lines = (PROJECT / ".dockerignore").read_text("utf-8").splitlines()
    patterns = [line for line in lines if line and not line.startswith("#")]
    assert patterns[0] == "*"
    included = {pattern[1:] for pattern in patterns if pattern.startswith("!")}
    assert all((PROJECT / name).exists() for name in included)
    wheel = tomllib.loads((PROJECT / "pyproject.toml").read_text("utf-8"))["tool"]["hatch"]["build"]["targets"]["wheel"]
    needed = {
        "pyproject.toml",
        "hatch_build.py",
        "README.md",
        "LICENSE",
        *wheel["only-include"],
        *wheel["force-include"],
    }
    assert {name for name in needed if not any(name == one or name.startswith(f"{one}/") for one in included)} == set()


def test_health_is_asked_by_python_as_the_image_has_no_curl():
    assert image_healthcheck()[0] == "python" and f":8501/{HEALTH}'" in image_healthcheck()[-1]
    assert image_healthcheck("ray") == []
    for name in ("ray-head", "ray-worker"):
        assert services()[name]["healthcheck"]["test"][:2] == ["CMD", "python"]


def test_the_probes_of_kubernetes_ask_the_routes_of_the_app():
    server = container("server")
    probes = {name: server[f"{name}Probe"]["httpGet"]["path"] for name in ("startup", "liveness", "readiness")}
    assert probes == {"startup": f"/{HEALTH}", "liveness": f"/{HEALTH}", "readiness": f"/{READY}"}
    for name in ("ray-head", "ray-worker"):
        asked, check = container(name)["livenessProbe"]["httpGet"], services()[name]["healthcheck"]["test"][-1]
        assert f":{asked['port']}{asked['path']}'" in check


def test_each_service_may_do_little():
    for name, service in services().items():
        assert service["read_only"] and service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"] and "privileged" not in service, name
        assert "ports" not in service or name == "proxy"
        assert service.get("networks") != ["outside"] and (service.get("user") or name != "proxy")
    assert compose()["networks"]["inside"]["internal"]
    assert [name for name, service in services().items() if "outside" in service.get("networks", [])] == ["proxy"]


def test_each_pod_may_do_little():
    for name, pod in pods().items():
        inside = container(name)["securityContext"]
        assert pod["securityContext"]["runAsNonRoot"] and not pod["automountServiceAccountToken"], name
        assert inside["readOnlyRootFilesystem"] and not inside["allowPrivilegeEscalation"], name
        assert inside["capabilities"]["drop"] == ["ALL"], name


def test_servers_know_their_places():
    places = [_read(services()[name]["environment"][SERVER]) for name in SERVERS]
    assert places == [Place(1, 2), Place(2, 2)]
    for name in SERVERS:
        assert services()[name]["networks"]["inside"]["aliases"] == [f"{name}.servers"]
    stateful = manifests()["StatefulSet", "server"]["spec"]
    count = len(SERVERS)
    assert (stateful["replicas"], stateful["ordinals"]["start"], stateful["serviceName"]) == (count, 1, "servers")
    assert environment_of("server")[SERVER] == f"$(INDEX)/{count}"


def environment_of(pod: str) -> dict[str, str | None]:
    return {entry["name"]: entry.get("value") for entry in container(pod)["env"]}


def test_variables_exist_and_are_the_same_in_both():
    ours = {**services()["server-1"]["environment"], **environment_of("server"), **image_environment()}
    assert {name for name in ours if name.startswith("VIZ_")} <= set(VARIABLES)
    for name in ("VIZ_RAY", "FORWARDED_ALLOW_IPS"):
        assert services()["server-1"]["environment"][name] == environment_of("server")[name]
    assert [container(name)["command"] for name in ("ray-head", "ray-worker", "proxy")] == [
        services()[name]["command"] for name in ("ray-head", "ray-worker", "proxy")
    ]


def test_no_secret_is_in_the_files():
    assert all(entry.get("valueFrom") for entry in container("server")["env"] if entry["name"] == "VIZ_TEACHER_KEY")
    assert manifests()["Secret", "microscope"]["stringData"] == {}
    (file,) = services()["server-1"]["env_file"]
    assert not file["required"] and f"/{file['path']}" in (PROJECT / ".gitignore").read_text("utf-8").splitlines()
    assert "VIZ_TEACHER_KEY" not in services()["server-1"]["environment"]


def test_an_end_leaves_time_for_open_pages():
    drain = 10  # VIZ_DRAIN_SECONDS is nowhere set
    assert DRAIN_SECONDS not in services()["server-1"]["environment"]
    server = services()["server-1"]
    assert server["stop_signal"] == "SIGUSR1" and int(server["stop_grace_period"].rstrip("s")) >= drain + 30
    assert pods()["server"]["terminationGracePeriodSeconds"] >= drain + 30
    assert "kill -USR1 1" in container("server")["lifecycle"]["preStop"]["exec"]["command"][-1]


def test_kustomize_applies_every_manifest_except_the_template_of_the_secret():
    listed = yaml.safe_load((PROJECT / "deploy/kustomization.yaml").read_text("utf-8"))
    assert sorted(listed["resources"]) == [f"kubernetes/{file.name}" for file in MANIFESTS if file.stem != "secret"]
    assert {kind for kind, _ in manifests()}.isdisjoint({"Ingress"})


def test_services_find_the_pods_that_they_name():
    labels = {
        name: one["spec"]["template"]["metadata"]["labels"]
        for (kind, name), one in manifests().items()
        if kind in ("Deployment", "StatefulSet")
    }
    chosen = {
        name: [pod for pod, has in labels.items() if one["spec"]["selector"].items() <= has.items()]
        for (kind, name), one in manifests().items()
        if kind == "Service"
    }
    assert chosen == {"servers": ["server"], "microscope": ["proxy"], "ray-head": ["ray-head"]}
