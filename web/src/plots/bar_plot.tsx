// Bars by uPlot.  The canvas is for the eye; the label and the table beside it say the same in words.
import { useEffect, useRef } from "preact/hooks";
import uPlot from "uplot";
import { barOptions, type Series } from "./bar_options";

interface PlotProps {
  label: string;
  names: string[];
  height?: number;
  series: [Series] | [Series, Series];
}

const USUAL_HEIGHT = 190;

export function BarPlot({ label, names, series, height = USUAL_HEIGHT }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current!;
    let plot: uPlot | null = null;
    const draw = () => {
      plot?.destroy();
      const data: uPlot.AlignedData = [names.map((_, index) => index), ...series.map((one) => one.values)];
      plot = new uPlot(barOptions(names, series, element.clientWidth, height), data, element);
    };
    const resize = new ResizeObserver(() => plot?.setSize({ width: element.clientWidth, height }));
    const system = matchMedia("(prefers-color-scheme: dark)");
    draw();
    resize.observe(element);
    system.addEventListener("change", draw);
    window.addEventListener("unscatter-theme", draw);
    return () => {
      system.removeEventListener("change", draw);
      window.removeEventListener("unscatter-theme", draw);
      resize.disconnect();
      plot?.destroy();
    };
  }, [JSON.stringify([names, series, height])]);
  return (
    <figure class="plot">
      <div ref={place} role="img" aria-label={label} class="plot-canvas" />
      {series.length > 1 && (
        <figcaption class="legend small">
          {series.map((one, index) => (
            <span key={one.name}>
              <span class={`key key-plot-${index + 1}`} /> {one.name}
            </span>
          ))}
        </figcaption>
      )}
    </figure>
  );
}
