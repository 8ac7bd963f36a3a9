"""How the figures look: colours, words, shaded bands, labels."""

import math

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402
from matplotlib.lines import Line2D  # noqa: E402
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter  # noqa: E402

# Okabe and Ito's colours, which people with the common kinds of colour blindness can tell apart.
BLACK, ORANGE, SKY, GREEN = "#000000", "#E69F00", "#56B4E9", "#009E73"
BLUE, VERMILION, PURPLE = "#0072B2", "#D55E00", "#CC79A7"

METHODS = {  # in the order of legends: colour, marker, words
    "release": (BLUE, "o", "unscatter (release)"),
    "release-tombstone": (SKY, "P", "unscatter, degrees kept"),
    "ours-paper": (VERMILION, "s", "the paper's method"),
    "uu": (GREEN, "^", "UU (removes whole graphs)"),
    "retrain": (BLACK, "D", "Retrain"),
    "gin-retrain": (PURPLE, "v", "GIN, Retrain"),
}
BACKBONES = {"gst": ("-", "GST"), "linear-gst": ((0, (4, 2)), "linear-GST"), "gft": (":", "GFT"),
             "gft-signs": (":", "GFT, arbitrary signs"), "gin": ("-", "GIN")}

# Where a band on a logarithmic scale would come near zero, it is cut at this share of the mean.
LOWEST_SHARE = 0.3

plt.rcParams.update(
    {
        "font.size": 9,
        "axes.titlesize": 10,
        "axes.spines.top": False,
        "axes.spines.right": False,
        "axes.grid": True,
        "grid.color": "#DDDDDD",
        "grid.linewidth": 0.6,
        "axes.axisbelow": True,
        "legend.frameon": False,
        "svg.hashsalt": "unscatter",  # the same figure is the same file
    }
)


def known_points(xs, band, positive=False):
    """x, mean, stddev where something was measured, and above 0 if it goes on a logarithmic scale."""
    points = [
        (x, m, s or 0.0)
        for x, m, s in zip(xs, band.mean, band.stddev)
        if m is not None and (m > 0 or not positive)
    ]
    return ([p[i] for p in points] for i in range(3))


def draw_band(axes, xs, band, color, style="-", marker=None, logarithmic=False, edges=False):
    """A line of means with one standard deviation shaded; `edges` tells apart bands that lie on one another."""
    x, mean, stddev = known_points(xs, band, logarithmic)
    if not x:
        return
    # Zero is infinitely far down on a logarithmic scale.
    low = [max(m - s, m * LOWEST_SHARE) if logarithmic else m - s for m, s in zip(mean, stddev)]
    high = [m + s for m, s in zip(mean, stddev)]
    axes.fill_between(x, low, high, color=color, alpha=0.10, linewidth=0)
    for edge in (low, high) if edges else ():
        axes.plot(x, edge, color=color, linestyle=style, linewidth=0.5, alpha=0.45)
    every = max(1, len(x) // 6)
    axes.plot(x, mean, color=color, linestyle=style, linewidth=1.4, marker=marker, markersize=3.5, markevery=every)


def logarithmic_scale(axes, values):
    """A logarithmic y axis around `values`, with numbers as people write them."""
    values = [value for value in values if value is not None and value > 0]
    axes.set_yscale("log")
    if not values:
        return
    axes.set_ylim(min(values) / 1.8, max(values) * 1.8)
    decades = math.log10(max(values) / min(values) * 1.8**2)
    axes.yaxis.set_major_locator(LogLocator(subs=(1, 2, 5) if decades < 1.7 else (1,), numticks=12))
    axes.yaxis.set_minor_formatter(NullFormatter())
    if decades < 6:
        axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))


def logarithmic_values(axes, values):
    """A logarithmic x axis with a mark at each of `values`."""
    axes.set_xscale("log")
    axes.minorticks_off()
    axes.set_xticks(values, [f"{value:g}" for value in values])


def whole_numbers(axes):
    axes.xaxis.set_major_locator(MaxNLocator(integer=True, nbins=6))


def label_ends(axes, labels, gap=0.07):
    """Words at the right ends of curves, pushed apart until none covers another: (value, words, colour)."""
    if not labels:
        return
    to_axes = axes.transData + axes.transAxes.inverted()
    x = axes.get_xlim()[1]
    places = sorted((to_axes.transform((x, value))[1], words, color) for value, words, color in labels)
    heights = [place[0] for place in places]
    for i in range(1, len(heights)):
        heights[i] = max(heights[i], heights[i - 1] + gap)
    overflow = max(0.0, heights[-1] - 1.0)
    for height, (_, words, color) in zip(heights, places):
        axes.annotate(
            words, (1.0, height - overflow), xycoords="axes fraction", xytext=(4, 0), textcoords="offset points",
            va="center", color=color
        )


def method_handles(methods, remarks=None):
    """`remarks`: what to add to a method's words."""
    return [
        Line2D([], [], color=METHODS[m][0], marker=METHODS[m][1], markersize=4, linewidth=1.6,
               label=METHODS[m][2] + (remarks or {}).get(m, ""))
        for m in METHODS
        if m in methods
    ]


def backbone_handles(backbones):
    return [
        Line2D([], [], color="#555555", linestyle=BACKBONES[b][0], linewidth=1.6, label=BACKBONES[b][1])
        for b in BACKBONES
        if b in backbones
    ]


def estimate_handle():
    return Line2D(
        [], [], color="#555555", linestyle="", marker="o", markerfacecolor="white", markersize=6,
        label="estimated: mean time × removals"
    )


def canvas(rows, columns, width, height, below=0.6, sharex="none"):
    """A grid of axes, in inches, with room for a legend and notes below."""
    figure, axes = plt.subplots(rows, columns, figsize=(width, height), squeeze=False, sharex=sharex)
    figure.set_layout_engine("constrained", rect=(0, below / height, 1, 1 - below / height))
    return figure, axes


def write_below(figure, handles, notes=()):
    """The legend, and notes beneath it."""
    height = figure.get_figheight()
    for i, note in enumerate(reversed(notes)):
        figure.text(0.5, (0.06 + 0.16 * i) / height, note, ha="center", va="bottom", fontsize=7.5, color="#444444")
    if handles:
        at = (0.06 + 0.16 * len(notes)) / height
        columns = min(len(handles), max(1, int(figure.get_figwidth() / 1.75)))
        columns = -(-len(handles) // -(-len(handles) // columns))  # rows of equal length
        figure.legend(handles=handles, loc="lower center", bbox_to_anchor=(0.5, at), ncol=columns, columnspacing=1.6)


def save(figure, folder, name):
    folder.mkdir(parents=True, exist_ok=True)
    for suffix in ("png", "svg"):
        figure.savefig(folder / f"{name}.{suffix}", dpi=130, metadata={"Date": None} if suffix == "svg" else None)
    plt.close(figure)
