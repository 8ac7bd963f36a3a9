import type { Schemas } from "../api/client";
import { duration } from "../lib/time";
import { Card } from "../parts/card";
import { BarPlot } from "../plots/bar_plot";
import { DataTable } from "../plots/data_table";
import { quantileBound } from "../plots/quantile";

export function LatencyCard({ figures }: { figures: Schemas["Statistics"] }) {
  const { latency_bounds: bounds, latencies, process } = figures;
  const count = latencies.reduce((sum, value) => sum + value, 0);
  if (count === 0)
    return (
      <Card title="From received to done">
        <p class="empty">No request was done yet.</p>
      </Card>
    );
  const names = latencies.map((_, index) => className(bounds, index));
  const [half, most] = [quantileBound(bounds, latencies, 0.5), quantileBound(bounds, latencies, 0.99)];
  return (
    <Card title="From received to done">
      <p>
        Half of the requests: <strong>{boundWords(half)}</strong>. 99 of 100: <strong>{boundWords(most)}</strong>.
      </p>
      {process.updates > 0 && (
        <p class="muted">
          One update takes {duration(process.update_seconds / process.updates)} and honours{" "}
          {(process.requests / process.updates).toFixed(1)} requests on average.
        </p>
      )}
      <BarPlot
        label={`How long ${count} requests took`}
        names={names}
        series={[{ name: "Requests", values: latencies, tone: "--plot-two" }]}
      />
      <DataTable
        title="The numbers as a table"
        head={["Time", "Requests"]}
        rows={names.map((name, index) => [name, latencies[index] ?? 0] as [string, number]).filter((row) => row[1] > 0)}
      />
    </Card>
  );
}

function className(bounds: number[], index: number): string {
  const bound = bounds[index];
  return bound === undefined ? `> ${duration(bounds.at(-1) ?? 0)}` : `≤ ${duration(bound)}`;
}

function boundWords(bound: number | null): string {
  return bound === null ? "longer than the last class" : `at most ${duration(bound)}`;
}
