"""A convolutional network of MNIST's digits, for Hearsay to train:

    hearsay run examples/external/digits.yaml --model 'python3 examples/external/digits.py FOLDER'

FOLDER has MNIST's four files, zipped or not. A participant of a federation holds a part of the digits only: I/N behind
FOLDER takes every N-th, beginning with number I.
"""
import gzip
import pathlib
import sys

import numpy
import torch

try:
    import hearsay.trainer
except ImportError:  # in a clone, without pip install ./python
    sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "python"))
    import hearsay.trainer


def read(name, header):
    path = pathlib.Path(sys.argv[1]) / name
    data = path.read_bytes() if path.exists() else gzip.decompress(path.with_name(name + ".gz").read_bytes())
    return numpy.frombuffer(data, numpy.uint8, offset=header)


def digits(part):
    pictures = read(part + "-images-idx3-ubyte", 16).reshape(-1, 1, 28, 28)
    labels = read(part + "-labels-idx1-ubyte", 8)
    first, step = map(int, sys.argv[2].split("/")) if len(sys.argv) > 2 and part == "train" else (0, 1)
    pictures, labels = pictures[first::step], labels[first::step]
    return torch.utils.data.TensorDataset(torch.tensor(pictures / 255, dtype=torch.float32), torch.tensor(labels, dtype=torch.long))


torch.manual_seed(1)
net = torch.nn.Sequential(
    torch.nn.Conv2d(1, 16, 8, stride=2, padding=3), torch.nn.Tanh(), torch.nn.MaxPool2d(2, 1),
    torch.nn.Conv2d(16, 32, 4, stride=2), torch.nn.Tanh(), torch.nn.MaxPool2d(2, 1),
    torch.nn.Flatten(), torch.nn.Linear(512, 32), torch.nn.Tanh(), torch.nn.Linear(32, 10))
hearsay.trainer.serve(net, torch.nn.functional.cross_entropy, train=digits("train"), test=digits("t10k"), name="digits-cnn")
