"""The files of ``examples/deploy`` are valid for their programs and name existing things."""

import configparser
import json
import re
import shlex
import shutil
import string
import subprocess
import sys

import click
import pytest

from aeron_cluster.cli.exit_codes import ExitCode
from aeron_cluster.cli.main import main
from tests.conftest import ROOT
from tests.pages import block_of

yaml = pytest.importorskip("yaml")
pytest.importorskip("prometheus_client")

DEPLOY = ROOT / "examples" / "deploy"
if not DEPLOY.exists():
    pytest.skip("not a source tree", allow_module_level=True)

UNIT = DEPLOY / "systemd" / "aeron-cluster@.service"
PROGRAM = "/opt/aeron-cluster/bin/aeron-cluster"
INSTRUCTIONS = {
    *("FROM", "RUN", "WORKDIR", "COPY", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL"),
    *("HEALTHCHECK", "ENTRYPOINT", "CMD"),
}


def parsed(arguments):
    """Return the options that a command line of ``aeron-cluster`` sets, without running it."""
    name, *rest = arguments
    with click.Context(main) as context:
        command = main.get_command(context, name)
        return command.make_context(name, list(rest), parent=context).params


# ---- systemd ----


def environment():
    lines = (UNIT.parent / "cluster.env").read_text().splitlines()
    pairs = (line.partition("=") for line in lines if line and not line.startswith("#"))
    return {name: value for name, _, value in pairs}


def unit():
    text = UNIT.read_text().replace("\\\n", " ")
    found = configparser.RawConfigParser(strict=True, comment_prefixes=("#",))
    found.optionxform = str
    found.read_string(text)
    return found


def test_the_unit_starts_a_member_of_the_hosts_in_its_environment():
    start = unit()["Service"]["ExecStart"].replace("%i", "1")
    program, *arguments = shlex.split(string.Template(start).substitute(environment()))
    assert program == PROGRAM
    options = parsed(arguments)
    assert options["services"] == ("my_service:MyService",)
    assert options["hosts"].count(",") == 2
    assert (options["member_id"], options["port_base"]) == (1, 9000)
    assert options["directory"] == "/var/lib/aeron-cluster/1"
    assert options["metrics"] == "localhost:9100"


def test_the_unit_does_not_repeat_a_start_that_cannot_succeed():
    service = unit()["Service"]
    assert service["Restart"] == "on-failure"
    codes = {int(each) for each in service["RestartPreventExitStatus"].split()}
    assert codes == {ExitCode.USAGE, ExitCode.DAMAGED}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="no systemd-analyze")
def test_systemd_accepts_the_unit(tmp_path):
    # The started program and the user must exist.
    text = UNIT.read_text().replace(PROGRAM, sys.executable)
    text = re.sub(r"(?m)^(User|Group)=.*", r"\1=root", text)
    copy = tmp_path / "aeron-cluster@0.service"
    copy.write_text(text)
    command = ["systemd-analyze", "verify", "--man=no", str(copy)]
    done = subprocess.run(command, check=False, capture_output=True, text=True)
    of_the_unit = [line for line in done.stderr.splitlines() if "aeron-cluster" in line]
    assert of_the_unit == []


# ---- Docker ----


def instructions():
    """Return the instructions of the Dockerfile with their arguments."""
    text = "\n".join(
        line
        for line in (DEPLOY / "docker" / "Dockerfile").read_text().splitlines()
        if not line.startswith("#")
    ).replace("\\\n", " ")
    return [line.split(maxsplit=1) for line in text.splitlines() if line.strip()]


def test_the_image_has_known_instructions_in_two_stages():
    found = instructions()
    assert {name for name, _ in found} <= INSTRUCTIONS
    stages = [rest for name, rest in found if name == "FROM"]
    assert len(stages) == 2
    assert stages[0].endswith(" AS build")
    # The last user is not root.
    assert [rest for name, rest in found if name == "USER"][-1].isdecimal()


def test_the_image_copies_what_the_build_needs():
    copied = set()
    for name, rest in instructions():
        if name == "COPY" and not rest.startswith("--from="):
            *sources, _ = rest.split()
            assert [each for each in sources if not (ROOT / each).exists()] == []
            copied |= set(sources)
    assert {"setup.py", "pyproject.toml", "aeron_cluster", "include"} <= copied
    project = (ROOT / "pyproject.toml").read_text()
    for named in ("README.md", "LICENSE", "pyspark_aeron_cluster"):
        assert named in project
        assert any(each.startswith(named) for each in copied)


def test_the_scripts_of_the_image_are_shell():
    scripts = [rest for name, rest in instructions() if name == "RUN"]
    assert len(scripts) >= 3
    for script in scripts:
        subprocess.run(["sh", "-n", "-c", script], check=True)


def test_the_image_runs_the_command():
    found = dict(reversed(instructions()))  # the first argument of each
    assert json.loads(found["ENTRYPOINT"]) == ["aeron-cluster"]
    parsed(json.loads(found["CMD"]))
    probe = json.loads(found["HEALTHCHECK"].partition(" CMD ")[2])
    assert probe[0] == "aeron-cluster"
    assert parsed(probe[1:])["directory"] == "/data"


# ---- Kubernetes ----


@pytest.fixture(scope="module")
def objects():
    text = (DEPLOY / "kubernetes" / "cluster.yaml").read_text()
    return {each["kind"]: each for each in yaml.safe_load_all(text)}


def test_the_objects_select_the_members(objects):
    assert set(objects) == {"Service", "PodDisruptionBudget", "StatefulSet"}
    members = objects["StatefulSet"]["spec"]
    labels = members["template"]["metadata"]["labels"]
    assert members["selector"]["matchLabels"] == labels
    assert objects["Service"]["spec"]["selector"] == labels
    assert objects["PodDisruptionBudget"]["spec"]["selector"]["matchLabels"] == labels
    assert members["serviceName"] == objects["Service"]["metadata"]["name"]


def test_members_start_together_and_find_each_other_before_they_are_ready(objects):
    # One at a time, the first would never be ready: it has no majority.
    assert objects["StatefulSet"]["spec"]["podManagementPolicy"] == "Parallel"
    assert objects["Service"]["spec"]["clusterIP"] == "None"
    assert objects["Service"]["spec"]["publishNotReadyAddresses"] is True


def test_the_members_are_started_with_their_hosts_and_probed(objects):
    members = objects["StatefulSet"]["spec"]
    (container,) = members["template"]["spec"]["containers"]
    options = parsed([each.replace("$(MEMBER_ID)", "2") for each in container["args"]])
    name, service = objects["StatefulSet"]["metadata"]["name"], members["serviceName"]
    assert options["hosts"].split(",") == [
        f"{name}-{index}.{service}" for index in range(members["replicas"])
    ]
    assert options["member_id"] == 2
    (port,) = container["ports"]
    assert options["metrics"] == f":{port['containerPort']}"
    paths = {
        probe: container[f"{probe}Probe"]["httpGet"]
        for probe in ("startup", "liveness", "readiness")
    }
    assert {probe: each["path"] for probe, each in paths.items()} == {
        "startup": "/live",
        "liveness": "/live",
        "readiness": "/ready",
    }
    assert {each["port"] for each in paths.values()} == {port["name"]}
    mounts = {each["name"]: each["mountPath"] for each in container["volumeMounts"]}
    assert mounts["data"] == options["directory"]
    assert mounts["shm"] == "/dev/shm"
    volumes = {each["name"] for each in members["template"]["spec"]["volumes"]}
    claims = {each["metadata"]["name"] for each in members["volumeClaimTemplates"]}
    assert set(mounts) == volumes | claims
    # Otherwise a quota stops the spinning threads.
    assert container["resources"]["requests"] == container["resources"]["limits"]


# ---- Grafana ----


@pytest.fixture(scope="module")
def dashboard():
    return json.loads((DEPLOY / "grafana" / "aeron-cluster.json").read_text())


def queries(dashboard):
    found = [target["expr"] for panel in dashboard["panels"] for target in panel.get("targets", ())]
    return found + [
        each["definition"] for each in dashboard["templating"]["list"] if "definition" in each
    ]


def test_each_metric_of_the_dashboard_is_exported(dashboard):
    from aeron_cluster.cli.metrics.families import FAMILIES  # noqa: PLC0415 - needs the package
    from aeron_cluster.cli.metrics.readings import HEALTH_METRICS, LATENCY_METRIC  # noqa: PLC0415

    exported = {each.exported_name for each in FAMILIES} | set(HEALTH_METRICS)
    exported |= {f"{LATENCY_METRIC}_{part}" for part in ("bucket", "sum", "count")}
    used = {name for query in queries(dashboard) for name in re.findall(r"\baeron_\w+", query)}
    assert len(used) > 25
    assert sorted(used - exported) == []


def test_each_label_of_the_dashboard_is_exported(dashboard):
    from aeron_cluster.cli.metrics.families import FAMILIES  # noqa: PLC0415 - needs the package

    labels = {label for each in FAMILIES for label in each.labels}
    labels |= {"job", "instance", "stage", "le"}  # labels of the scrape and of histograms
    for query in queries(dashboard):
        assert query.count("{") == query.count("}")
        assert query.count("(") == query.count(")")
        for selector in re.findall(r"{([^}]*)}", query):
            assert {each.partition("=")[0].strip("~!") for each in selector.split(",")} <= labels
    for panel in dashboard["panels"]:
        for target in panel.get("targets", ()):
            assert set(re.findall(r"{{(\w+)}}", target["legendFormat"])) <= labels


def test_panels_of_the_dashboard_do_not_overlap(dashboard):
    panels = dashboard["panels"]
    ids = [panel["id"] for panel in panels]
    assert len(ids) == len(set(ids))
    cells = set()
    for panel in panels:
        place = panel["gridPos"]
        assert place["x"] + place["w"] <= 24
        own = {
            (x, y)
            for x in range(place["x"], place["x"] + place["w"])
            for y in range(place["y"], place["y"] + place["h"])
        }
        assert not own & cells, panel["title"]
        cells |= own


# ---- the configurations of docs/metrics.md ----


def scraped_jobs(prometheus):
    """Return the ports that a configuration scrapes; its keys are Prometheus's."""
    (job,) = prometheus["scrape_configs"]
    assert set(job) == {"job_name", "static_configs"}
    (static,) = job["static_configs"]
    return {target.rpartition(":")[2] for target in static["targets"]}


def test_the_pages_configurations_are_valid():
    prometheus = yaml.safe_load(block_of("docs/metrics.md", "scrape_configs:").text)
    assert set(prometheus) == {"scrape_configs"}
    assert scraped_jobs(prometheus) == {"9100"}
    collector = yaml.safe_load(block_of("docs/metrics.md", "receivers:").text)
    assert set(collector) == {"receivers", "exporters", "service"}
    assert scraped_jobs(collector["receivers"]["prometheus"]["config"]) == {"9100"}
    (pipeline,) = collector["service"]["pipelines"].values()
    for part in ("receivers", "exporters"):
        assert pipeline[part] == list(collector[part])
