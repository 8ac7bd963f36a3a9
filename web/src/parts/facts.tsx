import type { ComponentChildren } from "preact";

export type Fact = [name: string, value: ComponentChildren];

// Names and values, one pair per line.
export function Facts({ facts }: { facts: Fact[] }) {
  return (
    <dl class="facts">
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
