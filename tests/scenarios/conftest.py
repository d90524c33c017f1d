import pytest


def pytest_addoption(parser):
    parser.addoption("--rewrite", action="store_true", help="write the current output of scenarios")


@pytest.fixture
def rewrite(request):
    return request.config.getoption("--rewrite", default=False)
