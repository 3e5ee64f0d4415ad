#!/usr/bin/env python3
"""What it costs to train by a worker over a NATS server instead of in one program, on one machine.

    scripts/cluster_cost.py --config configs/neutron5.toml --iterations 8 --pairs 3

Trains the first iterations of a preset in turns: locally, and by a learner with one worker, on as many
threads. Prints the seconds of each and the throughput of the worker as a share of the local one. Needs
a quiet machine, `nats-server` on the path and the program with the feature `cluster`.
"""

import argparse
import pathlib
import shutil
import statistics
import subprocess
import tempfile
import time

from cluster import Cluster


def seconds_of(command, log):
    begun = time.monotonic()
    with open(log, "ab") as output:
        subprocess.run(command, check=True, stdout=output, stderr=output)
    return time.monotonic() - begun


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--config", type=pathlib.Path, default="configs/neutron5.toml")
    parser.add_argument("--iterations", type=int, default=8)
    parser.add_argument("--pairs", type=int, default=3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--program", type=pathlib.Path, default="target/release/tavoliere")
    options = parser.parse_args()
    folder = pathlib.Path(tempfile.mkdtemp(prefix="tavoliere-cost-"))
    changes = [f"iterations={options.iterations}", "evaluation.every=0"]
    settings = [word for change in changes for word in ("--set", change)]
    train = [options.program.resolve(), "train", options.config, *settings]
    train += ["--threads", str(options.threads)]
    cluster = Cluster(options.program.resolve(), folder, 1, [])
    cluster.threads = options.threads
    shares = []
    try:
        cluster.start_server()
        cluster.start_worker(0)
        for pair in range(options.pairs):
            places = {"local": [], "worker": ["--cluster", cluster.address]}
            taken = {
                name: seconds_of([*train, "--run", folder / f"{name}{pair}", *place], folder / "log")
                for name, place in places.items()
            }
            shares.append(taken["local"] / taken["worker"])
            print(f"local {taken['local']:.1f} s, worker {taken['worker']:.1f} s: {shares[-1]:.3f}")
    finally:
        cluster.stop_all()
    print(f"median share of the local throughput: {statistics.median(shares):.3f}")
    shutil.rmtree(folder)


if __name__ == "__main__":
    main()
