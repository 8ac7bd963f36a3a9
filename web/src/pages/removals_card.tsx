import type { Schemas } from "../api/client";
import { Card } from "../parts/card";
import { BarPlot } from "../plots/bar_plot";
import { DataTable } from "../plots/data_table";
import { fillDays } from "./fill_days";

export function RemovalsCard({ figures, count }: { figures: Schemas["Statistics"]; count: number }) {
  const days = fillDays(figures.days, count);
  const received = days.map((day) => day.received);
  const done = days.map((day) => day.done);
  const total = (values: number[]) => values.reduce((sum, value) => sum + value, 0);
  if (total(received) + total(done) === 0) {
    return (
      <Card title="Removals over time" wide>
        <p class="empty">No request came in the last {days.length} days.</p>
      </Card>
    );
  }
  return (
    <Card title="Removals over time" wide>
      <BarPlot
        height={270}
        label={`Requests per day: ${total(received)} received and ${total(done)} done in ${days.length} days`}
        names={days.map((day) => day.day.slice(5))}
        series={[
          { name: "Received", values: received, tone: "--plot-one" },
          { name: "Done", values: done, tone: "--plot-two" },
        ]}
      />
      <DataTable
        title="The numbers as a table"
        head={["Day", "Received", "Done", "Late"]}
        rows={days
          .filter((day) => day.received + day.done + day.late > 0)
          .map((day) => [day.day, day.received, day.done, day.late])}
      />
    </Card>
  );
}
