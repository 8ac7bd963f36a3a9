import uPlot from "uplot";

export interface Series {
  name: string;
  values: number[];
  tone: string; // name of a colour of the style sheet
}

const GROUP_WIDTH = 0.8; // part of the room of one name that bars take

export function barOptions(
  names: string[],
  series: [Series] | [Series, Series],
  width: number,
  height: number,
): uPlot.Options {
  const axis = {
    stroke: colour("--muted"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
    font: "12px system-ui, sans-serif",
  };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { time: false, range: [-0.5, names.length - 0.5] },
      y: { range: (_, __, high) => [0, Math.max(high, 1)] },
    },
    axes: [
      {
        ...axis,
        grid: { show: false },
        size: 26,
        splits: () => labelled(names, width),
        values: (_, splits) => splits.map((index) => names[index] ?? ""),
      },
      { ...axis, size: 36, incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000, 10_000, 100_000, 1_000_000] },
    ],
    series: [
      {},
      ...series.map((one, index) => ({
        label: one.name,
        fill: colour(one.tone),
        stroke: colour(one.tone),
        width: 0,
        points: { show: false },
        paths: besideEachOther(index, series.length),
      })),
    ],
  };
}

// As many names as there is room for.
function labelled(names: string[], width: number): number[] {
  const longest = Math.max(...names.map((name) => name.length));
  const step = Math.max(1, Math.ceil((names.length * longest * 9) / Math.max(width - 36, 1)));
  return names.map((_, index) => index).filter((index) => index % step === 0);
}

// Bars of one name stand beside each other: one in the middle, or one on each side of it.
function besideEachOther(index: number, count: number): uPlot.Series.PathBuilder {
  const align = count === 1 ? 0 : index === 0 ? -1 : 1;
  return uPlot.paths.bars!({ size: [GROUP_WIDTH / count, 48], align });
}

// A colour of the style sheet as the canvas takes it, in the theme that is shown now.
function colour(name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(${name})`;
  document.body.append(probe);
  const shown = getComputedStyle(probe).color;
  probe.remove();
  return shown;
}
