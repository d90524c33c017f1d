"""``python -m aeron_cluster.cli``: the command ``aeron-cluster`` without its script."""

from aeron_cluster.cli.main import main

if __name__ == "__main__":
    main(prog_name="aeron-cluster")
