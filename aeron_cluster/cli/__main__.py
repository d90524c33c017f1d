"""``python -m aeron_cluster.cli``: runs the command ``aeron-cluster`` as a module."""

from aeron_cluster.cli.main import main

if __name__ == "__main__":
    main(prog_name="aeron-cluster")
