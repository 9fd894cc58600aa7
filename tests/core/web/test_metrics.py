"""The metrics page: requests by route, never by path; jobs, modules, processes and the database."""

import os
import resource

import pytest
from prometheus_client.parser import text_string_to_metric_families

from core.jobs.table import Job
from core.web.builtin_services import CONTENT_TYPE, metrics_text

pytestmark = pytest.mark.usefixtures("without_natives")


def read(text):
    return {
        (sample.name, frozenset(sample.labels.items())): sample.value
        for family in text_string_to_metric_families(text.decode())
        for sample in family.samples
    }


def key(name, **labels):
    return name, frozenset((label, str(value)) for label, value in labels.items())


@pytest.fixture
def metric(sample_server):
    """The present value: ``metric("comptoir_http_requests_total", route="/status", …)``."""
    return lambda name, **labels: read(metrics_text()).get(key(name, **labels), 0.0)


@pytest.mark.natives
def test_requests_are_counted_by_method_route_and_status(sample_server, metric):
    client, stranger = sample_server.client(), sample_server.client(None)
    made = client.ask("POST", "/thirdparties", {"name": "Counted Ltd"})
    asked = [
        (lambda: client.get(f"/thirdparties/{made}"), "/thirdparties/{id}", "GET", 200, 3),
        (lambda: client.get("/api/index.php/THIRDPARTIES/999999", status=404), "/thirdparties/{id}", "GET", 404, 2),
        (lambda: stranger.get("/thirdparties", status=401), "/thirdparties", "GET", 401, 1),
        (lambda: client.get("/geheim/nothing", status=404), "", "GET", 404, 2),
        (lambda: client.simulate_get("/explorer/openapi/status.json"), "/explorer/openapi/*", "GET", 200, 1),
    ]
    for ask, route, method, status, times in asked:
        labels = {"route": route, "method": method}
        before = metric("comptoir_http_requests_total", **labels, status=status)
        timed = metric("comptoir_http_request_duration_seconds_count", **labels)
        for _ in range(times):
            ask()
        assert metric("comptoir_http_requests_total", **labels, status=status) == before + times
        assert metric("comptoir_http_request_duration_seconds_count", **labels) == timed + times
        assert metric("comptoir_http_request_duration_seconds_bucket", **labels, le="+Inf") == timed + times
    in_database, in_all = (
        metric(name, route="/thirdparties", method="POST")
        for name in ("comptoir_http_request_database_seconds_total", "comptoir_http_request_duration_seconds_sum")
    )
    assert 0 < in_database < in_all
    assert b"geheim" not in metrics_text()
    assert b"/999999" not in metrics_text()


@pytest.mark.natives
@pytest.mark.filterwarnings("ignore:Unknown REQUEST_METHOD")
def test_a_client_creates_no_series_by_unknown_methods(sample_server, metric):
    before = metric("comptoir_http_requests_total", route="", method="other", status=405)
    for method in ("BREW", "BREW2"):
        sample_server.client().simulate_request(method, "/status")
    assert b"BREW" not in metrics_text()
    assert metric("comptoir_http_requests_total", route="", method="other", status=405) == before + 2


def test_jobs_are_counted_by_state(sample_server):
    Job.delete().execute()
    for status in (0, 0, 2, 3):
        Job.insert(module="post", name="send", arguments="{}", due=0, created=0, status=status).execute()
    page = read(sample_server.client().simulate_get("/metrics").content)
    states = {state: page[key("comptoir_jobs", state=state)] for state in ("waiting", "running", "given_up")}
    assert states == {"waiting": 2, "running": 0, "given_up": 1}
    assert page[key("comptoir_database_up")] == 1
    Job.delete().execute()


@pytest.mark.natives
def test_modules_are_counted_by_state(serve, folder, write):
    client = serve(modules=str(folder)).client()
    before = read(client.simulate_get("/metrics").content)
    write("broken/class/api_broken.py", "import nothing_of_this_name\n")
    client.get("/broken", status=501)
    after = read(client.simulate_get("/metrics").content)
    assert [page[key("comptoir_modules", state="failed")] for page in (before, after)] == [0, 1]
    loaded = [page[key("comptoir_modules", state="loaded")] for page in (before, after)]
    served = [each for each in os.listdir("modules") if os.path.isdir(f"modules/{each}/class")]
    assert loaded[0] == loaded[1] == len(served)


def test_the_standard_metrics_of_a_process_are_included(sample_server):
    page = read(sample_server.client().simulate_get("/metrics").content)
    assert page[key("process_max_fds")] == resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    names = ("resident_memory_bytes", "virtual_memory_bytes", "cpu_seconds_total", "open_fds", "start_time_seconds")
    assert page.keys() >= {key(f"process_{name}") for name in names}


def test_the_page_requires_its_permission(sample_server):
    sample_server.client(None).get("/metrics", status=401)
    sample_server.user("thirdparties.read").get("/metrics", status=401)
    answer = sample_server.user("metrics.read").simulate_get("/api/index.php/metrics")
    assert answer.status_code == 200
    assert answer.headers["content-type"] == CONTENT_TYPE
    assert b"# TYPE comptoir_http_request_duration_seconds histogram" in answer.content


def test_the_permission_can_be_granted():
    from core.loading.assembly import assemble

    assert "metrics.read" in assemble(1, [], []).rights
