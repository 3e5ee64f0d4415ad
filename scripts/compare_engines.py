#!/usr/bin/env python3
"""Compares the speed of inference and training with other libraries.

    pip install torch onnx onnxruntime openvino numpy
    scripts/compare_engines.py [--rounds 5] [--seconds 1] [--program PATH]

On a machine that others use too, many short rounds tell more than few long ones, with only the rows
that matter, pinned to one core:

    taskset -c 0 scripts/compare_engines.py --only inference --rounds 30 --seconds 0.2 \\
        --rows "auto|int8|bf16" --batches 16,64,256

The network is that of `tavoliere bench`: 64 channels, 5 residual blocks, for Connect Four. In each
round all libraries are measured in turn with one batch size after the other, so that disturbances of
the machine affect all of them. Prints Markdown tables: medians over the rounds, with the smallest and
the largest in brackets, and how many times as fast as each of the others `auto` is, by the median of
the ratios of the rounds. Inference runs on one thread, training (batch 256, AdamW) on
--threads, by default all. Engines that the CPU lacks are left out, and libraries that are not installed.

With --device, it compares with PyTorch on that graphics processor, for several batch sizes; the copies
to it and back are part of what is timed. The program needs the feature of that name; `wgpu` also runs
where PyTorch says `cuda`:

    scripts/compare_engines.py --device cuda
"""

import argparse
import functools
import json
import os
import re
import statistics
import subprocess
import sys
import time

PLANES, HEIGHT, WIDTH = 2, 6, 7
CHANNELS, BLOCKS, HIDDEN = 64, 5, 64
BATCHES = [1, 16, 64, 256]
TRAINING_BATCH = 256
# On a graphics processor.
DEVICE_BATCHES = [64, 256, 1024, 4096]


def rate(step, amount, seconds):
    """The amount done per second, by steps that each do `amount`."""
    for _ in range(3):
        step()
    begun, done = time.perf_counter(), 0
    while time.perf_counter() - begun < seconds:
        step()
        done += amount
    return done / (time.perf_counter() - begun)


class Tavoliere:
    """This program, measured by `tavoliere bench`."""

    def __init__(self, program, bench, threads, *options):
        self.command = [program, "bench", bench, "--threads", str(threads), "--json", *options]

    def rate(self, batch, seconds):
        command = self.command + ["--batch", str(batch), "--seconds", str(seconds)]
        result = subprocess.run(command, capture_output=True, text=True)
        if result.returncode != 0:
            raise RuntimeError(result.stderr.strip())
        return json.loads(result.stdout)["value"]


def onnx_network():
    """The network for inference: norms folded, random weights."""
    import numpy as np
    from onnx import TensorProto, helper, numpy_helper

    rng = np.random.default_rng(0)
    nodes, weights = [], []

    def add(kind, inputs, output, **attributes):
        nodes.append(helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(name, shape):
        values = rng.standard_normal(shape) / np.sqrt(np.prod(shape[1:] or [1]))
        weights.append(numpy_helper.from_array(values.astype(np.float32), name))
        return name

    def convolution(name, source, inputs, outputs, kernel):
        weight = constant(f"{name}.weight", (outputs, inputs, kernel, kernel))
        pads = [kernel // 2] * 4
        return add("Conv", [source, weight, constant(f"{name}.bias", (outputs,))], name, pads=pads)

    def linear(name, source, inputs, outputs):
        weight = constant(f"{name}.weight", (inputs, outputs))
        return add("Gemm", [source, weight, constant(f"{name}.bias", (outputs,))], name)

    def relu(source):
        return add("Relu", [source], f"{source}.relu")

    trunk = relu(convolution("stem", "observation", PLANES, CHANNELS, 3))
    for block in range(BLOCKS):
        first = relu(convolution(f"{block}.first", trunk, CHANNELS, CHANNELS, 3))
        second = convolution(f"{block}.second", first, CHANNELS, CHANNELS, 3)
        trunk = relu(add("Add", [trunk, second], f"{block}.sum"))
    hidden = relu(convolution("policy.hidden", trunk, CHANNELS, CHANNELS, 1))
    add("Flatten", [convolution("policy.out", hidden, CHANNELS, 1, 1)], "policy")
    features = relu(convolution("value.features", trunk, CHANNELS, CHANNELS, 1))
    mean = add("Flatten", [add("GlobalAveragePool", [features], "mean.cells")], "mean")
    largest = add("Flatten", [add("GlobalMaxPool", [features], "largest.cells")], "largest")
    pooled = add("Concat", [mean, largest], "pooled", axis=1)
    linear("wdl", relu(linear("value.hidden", pooled, 2 * CHANNELS, HIDDEN)), HIDDEN, 3)

    number = TensorProto.FLOAT
    shape = ["batch", PLANES, HEIGHT, WIDTH]
    graph = helper.make_graph(
        nodes,
        "network",
        [helper.make_tensor_value_info("observation", number, shape)],
        [helper.make_tensor_value_info(name, number, ["batch", size]) for name, size in (("policy", 42), ("wdl", 3))],
        weights,
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])
    model.ir_version = 9
    return model.SerializeToString()


def quantized(model):
    """The same network with eight-bit products, by onnxruntime's static quantization."""
    import tempfile

    from onnxruntime import quantization

    class Positions(quantization.CalibrationDataReader):
        """Ranges of activations are those of these positions."""

        def __init__(self):
            self.batches = iter([{"observation": observations(64)}] * 4)

        def get_next(self):
            return next(self.batches, None)

    with tempfile.TemporaryDirectory() as folder:
        source, target = os.path.join(folder, "f32.onnx"), os.path.join(folder, "int8.onnx")
        with open(source, "wb") as file:
            file.write(model)
        quantization.quantize_static(
            source,
            target,
            Positions(),
            quant_format=quantization.QuantFormat.QDQ,
            per_channel=True,
            activation_type=quantization.QuantType.QUInt8,
            weight_type=quantization.QuantType.QInt8,
        )
        with open(target, "rb") as file:
            return file.read()


class OnnxRuntime:
    def __init__(self, model):
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        self.session = onnxruntime.InferenceSession(model, options, providers=["CPUExecutionProvider"])

    def rate(self, batch, seconds):
        inputs = {"observation": observations(batch)}
        return rate(lambda: self.session.run(None, inputs), batch, seconds)


class OpenVino:
    def __init__(self, model, precision):
        import openvino

        self.core, self.precision, self.requests = openvino.Core(), precision, {}
        self.model = self.core.read_model(model=model)

    def request(self, batch):
        model = self.model.clone()
        model.reshape({"observation": [batch, PLANES, HEIGHT, WIDTH]})
        settings = {
            "INFERENCE_NUM_THREADS": 1,
            "NUM_STREAMS": 1,
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": self.precision,
        }
        return self.core.compile_model(model, "CPU", settings).create_infer_request()

    def rate(self, batch, seconds):
        # A model is compiled once for each batch size.
        if batch not in self.requests:
            self.requests[batch] = self.request(batch)
        request, inputs = self.requests[batch], {"observation": observations(batch)}
        return rate(lambda: request.infer(inputs, share_inputs=True), batch, seconds)


def observations(batch):
    import numpy as np

    return np.random.default_rng(1).standard_normal((batch, PLANES, HEIGHT, WIDTH)).astype("float32")


def torch_network():
    """The network for training, with batch norms."""
    import torch
    from torch import nn
    from torch.nn import functional

    def norm_convolution(inputs, kernel):
        convolution = nn.Conv2d(inputs, CHANNELS, kernel, padding=kernel // 2, bias=False)
        return nn.Sequential(convolution, nn.BatchNorm2d(CHANNELS))

    class Block(nn.Module):
        def __init__(self):
            super().__init__()
            self.first, self.second = norm_convolution(CHANNELS, 3), norm_convolution(CHANNELS, 3)

        def forward(self, x):
            return functional.relu(x + self.second(functional.relu(self.first(x))))

    class Network(nn.Module):
        def __init__(self):
            super().__init__()
            self.stem = norm_convolution(PLANES, 3)
            self.blocks = nn.Sequential(*[Block() for _ in range(BLOCKS)])
            self.hidden, self.out = norm_convolution(CHANNELS, 1), nn.Conv2d(CHANNELS, 1, 1)
            self.features = norm_convolution(CHANNELS, 1)
            self.value = nn.Sequential(nn.Linear(2 * CHANNELS, HIDDEN), nn.ReLU(), nn.Linear(HIDDEN, 3))

        def forward(self, x):
            trunk = self.blocks(functional.relu(self.stem(x)))
            policy = self.out(functional.relu(self.hidden(trunk))).flatten(1)
            features = functional.relu(self.features(trunk))
            return policy, self.value(torch.cat([features.mean((2, 3)), features.amax((2, 3))], 1))

    return Network()


class Torch:
    """PyTorch, in f32 or with bf16 autocast; `last` selects channels-last memory."""

    def __init__(self, half, last, threads, device="cpu", compiled=False):
        import torch

        self.torch, self.half, self.threads = torch, half, threads
        self.device, self.compiled, self.steps = device, compiled, {}
        self.format = torch.channels_last if last else torch.contiguous_format
        if device == "cuda":
            # Products of f32 on tensor cores, as users set it.
            torch.set_float32_matmul_precision("high")
            torch.backends.cudnn.allow_tf32 = torch.backends.cudnn.benchmark = True

    def prepare(self, batch):
        self.torch.set_num_threads(self.threads)
        x = self.torch.from_numpy(observations(batch)).contiguous(memory_format=self.format)
        network = torch_network().to(self.device, memory_format=self.format)
        return network, x.pin_memory() if self.device == "cuda" else x

    def on_device(self, tensor):
        return tensor.to(self.device, non_blocking=True)

    def compile(self, network):
        return self.torch.compile(network, dynamic=False) if self.compiled else network

    def autocast(self):
        return self.torch.autocast(self.device, self.torch.bfloat16, enabled=self.half)


    def rate(self, batch, seconds):
        # A network is compiled once for each batch size, which takes long.
        if batch not in self.steps:
            self.steps[batch] = self.step(batch)
        return rate(self.steps[batch], batch, seconds)


class TorchInference(Torch):
    def step(self, batch):
        network, x = self.prepare(batch)
        network = self.compile(network.eval())

        def step():
            with self.torch.inference_mode(), self.autocast():
                for output in network(self.on_device(x)):
                    output.cpu()

        return step


class TorchTraining(Torch):
    def step(self, batch):
        network, x = self.prepare(batch)
        optimizer = self.torch.optim.AdamW(network.parameters(), 1e-3, fused=self.device == "cuda")
        network = self.compile(network)
        cross_entropy = self.torch.nn.functional.cross_entropy
        policy = self.torch.softmax(self.torch.randn(batch, HEIGHT * WIDTH), 1)
        wdl = self.torch.softmax(self.torch.randn(batch, 3), 1)

        def step():
            with self.autocast():
                found = network(self.on_device(x))
            targets = self.on_device(policy), self.on_device(wdl)
            loss = sum(cross_entropy(output.float(), target) for output, target in zip(found, targets))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            # As this program does after each step.
            loss.item()

        return step


def measure(libraries, batches, rounds, seconds):
    """The speeds of each library and batch size, one for each round."""
    found = {}
    for number in range(rounds):
        for batch in batches:
            for name, library in libraries.items():
                print(f"round {number + 1} of {rounds}: {name}, batch {batch}", file=sys.stderr)
                found.setdefault((name, batch), []).append(library.rate(batch, seconds))
    return found


def header(title, batches):
    print(f"| {title} | " + " | ".join(f"batch {batch}" for batch in batches) + " |")
    print("|---|" + "---|" * len(batches))


def table(title, libraries, batches, found):
    header(title, batches)
    for name in libraries:
        cells = [found[name, batch] for batch in batches]
        cells = [f"{statistics.median(cell):,.0f} ({min(cell):,.0f} to {max(cell):,.0f})" for cell in cells]
        print(f"| {name} | " + " | ".join(cells) + " |")
    print()


def ratios(own, libraries, batches, found):
    """How many times as fast as each of the libraries the row `own` is."""
    others = [name for name in libraries if name != own]
    if own not in libraries or not others:
        return
    header(f"{own} is as fast as", batches)
    for name in others:
        pairs = [zip(found[own, batch], found[name, batch]) for batch in batches]
        cells = [statistics.median(ours / theirs for ours, theirs in pair) for pair in pairs]
        print(f"| {name} | " + " | ".join(f"{cell:.2f} times" for cell in cells) + " |")
    print()


def made_or_none(name, make):
    """What measures a library, if that is installed."""
    try:
        return make()
    except ModuleNotFoundError as error:
        print(f"without {name}: {error}", file=sys.stderr)
        return None


def compare(title, libraries, batches, arguments, seconds, row="tavoliere auto"):
    """Measures the libraries whose names match, and prints what it found."""
    libraries = {name: make for name, make in libraries.items() if re.search(arguments.rows, name)}
    libraries = {name: made for name, make in libraries.items() if (made := made_or_none(name, make))}
    if libraries:
        found = measure(libraries, batches, arguments.rounds, seconds)
        table(title, libraries, batches, found)
        ratios(row, libraries, batches, found)


def engines(program, bench):
    """The engines of this program that this CPU can run."""
    names = ["auto", "burn", "portable", "avx2", "avx512", "avx512_bf16", "amx_bf16"]
    if bench == "inference":
        names += ["int8_portable", "int8_avx2", "int8_avx_vnni", "int8_avx512", "int8_amx"]
    command = [program, "bench", "playouts", "--game", "tic_tac_toe", "--seconds", "0.01", "--engine"]
    return [name for name in names if subprocess.run(command + [name], capture_output=True).returncode == 0]


def own(arguments, bench, threads):
    """The rows of this program."""

    def row(name):
        return lambda: Tavoliere(arguments.program, bench, threads, "--engine", name)

    return {f"tavoliere {name}": row(name) for name in engines(arguments.program, bench)}


def torch_on_device(kind, threads):
    """PyTorch's ways to compute on a graphics processor."""
    return {
        "PyTorch f32 (TF32)": lambda: kind(False, False, threads, "cuda"),
        "PyTorch bf16 autocast, channels last": lambda: kind(True, True, threads, "cuda"),
        "PyTorch bf16 autocast, channels last, compiled": lambda: kind(True, True, threads, "cuda", True),
    }


def compare_on_cpu(arguments):
    if arguments.only != "training":
        model = functools.cache(onnx_network)
        of_bytes = functools.cache(lambda: quantized(model()))
        libraries = own(arguments, "inference", 1) | {
            "onnxruntime f32": lambda: OnnxRuntime(model()),
            "onnxruntime int8": lambda: OnnxRuntime(of_bytes()),
            "OpenVINO f32": lambda: OpenVino(model(), "f32"),
            "OpenVINO bf16": lambda: OpenVino(model(), "bf16"),
            "OpenVINO int8": lambda: OpenVino(of_bytes(), "f32"),
            "PyTorch f32": lambda: TorchInference(False, True, 1),
            "PyTorch bf16": lambda: TorchInference(True, True, 1),
        }
        batches = arguments.batches or BATCHES
        compare("evaluations/s, one thread", libraries, batches, arguments, arguments.seconds)
    if arguments.only != "inference":
        threads = arguments.threads
        libraries = own(arguments, "training", threads) | {
            "PyTorch f32": lambda: TorchTraining(False, False, threads),
            "PyTorch f32, channels last": lambda: TorchTraining(False, True, threads),
            "PyTorch bf16 autocast": lambda: TorchTraining(True, False, threads),
            "PyTorch bf16 autocast, channels last": lambda: TorchTraining(True, True, threads),
        }
        title, seconds = f"training positions/s, {threads} threads", max(arguments.seconds, 3.0)
        compare(title, libraries, [TRAINING_BATCH], arguments, seconds)


def compare_on_device(arguments):
    name, threads = arguments.device, arguments.threads
    for bench, kind, title in (
        ("inference", TorchInference, "evaluations/s"),
        ("training", TorchTraining, "training positions/s"),
    ):
        if arguments.only in (None, bench):
            row, used = f"tavoliere {name}", threads if bench == "training" else 1
            libraries = {row: lambda: Tavoliere(arguments.program, bench, used, "--device", name)}
            libraries |= torch_on_device(kind, threads)
            batches = arguments.batches or DEVICE_BATCHES
            compare(f"{title}, {name}", libraries, batches, arguments, arguments.seconds, row)


def sizes(text):
    """Batch sizes of a list with commas."""
    return [int(size) for size in text.split(",")]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/tavoliere", help="path of the program")
    parser.add_argument("--rounds", type=int, default=5, help="number of measurements of each figure")
    parser.add_argument("--seconds", type=float, default=1.0, help="duration of a measurement; at least 3 in training")
    parser.add_argument("--threads", type=int, default=os.cpu_count(), help="threads of training")
    parser.add_argument("--rows", default="", metavar="REGEX", help="measure only rows whose names match")
    parser.add_argument("--batches", type=sizes, help="sizes of batches of inference, like 16,64,256")
    parser.add_argument("--only", choices=["inference", "training"], help="measure only this")
    parser.add_argument("--device", choices=["cpu", "cuda", "wgpu"], default="cpu", help="where to compute")
    arguments = parser.parse_args()
    if arguments.device == "cpu":
        compare_on_cpu(arguments)
    else:
        compare_on_device(arguments)


if __name__ == "__main__":
    main()
