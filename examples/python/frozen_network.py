"""Certified removal behind a frozen network: a small network of PyTorch learns from public digits, and is never changed
again.  Private digits are embedded by its hidden layer, one at a time.  People then leave with all of their digits.

    scripts/setup.sh torch                        # python3-torch of Debian
    python3 examples/python/frozen_network.py [PICTURE.png]
"""
import sys
from typing import Any, List

import matplotlib

matplotlib.use("Agg")
import numpy as np
import numpy.typing as npt
import torch
from matplotlib import pyplot
from sklearn.datasets import load_digits

import unscatter
from unscatter import plot

Images = npt.NDArray[np.float32]
PEOPLE = 40


def train_on_public(images: Images, digits: npt.NDArray[Any]) -> Any:
    """Layers up to the hidden one, frozen.  Nothing private was seen."""
    torch.manual_seed(1)
    torch.set_num_threads(1)
    nn = torch.nn
    hidden = nn.Sequential(nn.Conv2d(1, 16, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Flatten(),
                           nn.Linear(256, 64), nn.ReLU())
    network = nn.Sequential(hidden, nn.Linear(64, 10))
    optimizer = torch.optim.Adam(network.parameters(), lr=3e-3)
    X, y = torch.from_numpy(images)[:, None], torch.from_numpy(digits)
    for _ in range(80):
        optimizer.zero_grad()
        nn.functional.cross_entropy(network(X), y).backward()
        optimizer.step()
    return hidden.requires_grad_(False).eval()


def embed(hidden: Any, images: Images) -> npt.NDArray[np.float64]:
    """One image at a time: a row that depends on its neighbours in a batch would not be a function of its image."""
    return np.array([hidden(torch.from_numpy(image)[None, None])[0].numpy() for image in images], dtype=np.float64)


def draw(images: Images, certificates: List[unscatter.Certificate], accuracies: List[float], picture: str) -> None:
    figure = pyplot.figure(figsize=(11, 3.6), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    framed = [np.pad(image, 1) for image in images]
    left.imshow(np.block([framed[5 * row:5 * row + 5] for row in range(4)]), cmap="gray_r")
    left.set_title("digits of the first who left")
    left.set_axis_off()
    plot.removals(certificates, middle)
    right.plot(range(len(accuracies)), accuracies, "o-", markersize=3)
    right.set_ylim(0, 1)
    right.set_xlabel("people who left")
    right.set_ylabel("accuracy of the published model")
    figure.savefig(picture)
    print(f"picture: {picture}")


def main(picture: str) -> None:
    X, y = load_digits(return_X_y=True)
    images: Images = (X.reshape(-1, 8, 8) / 16).astype(np.float32)
    public, private, test = slice(0, 600), slice(600, 1400), slice(1400, None)
    hidden = train_on_public(images[public], y[public])

    # The scale is a public constant: it comes from the public part.
    scale = float(np.linalg.norm(embed(hidden, images[public]), axis=1).max())
    people = [f"person-{i % PEOPLE}" for i in range(800)]
    rows, others = embed(hidden, images[private]), embed(hidden, images[test])
    model = unscatter.ForgettingClassifier(f"rows:{scale:.3g}").fit(rows, y[private], subjects=people)
    accuracies = [model.score(others, y[test])]
    print(f"accuracy of the published model: {accuracies[0]:.3f}")
    certificates: List[unscatter.Certificate] = []
    for person in range(10):
        certificates.append(model.forget(subject=f"person-{person}"))
        accuracies.append(model.score(others, y[test]))
    print(f"10 people left with {800 - certificates[-1].graphs} digits; certified: "
          f"{all(certificate.satisfied for certificate in certificates)}")
    print(f"accuracy of the model published last: {accuracies[-1]:.3f}")
    draw(images[private][::PEOPLE], certificates, accuracies, picture)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "frozen_network.png")
