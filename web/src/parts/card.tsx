import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

export function Card({
  title,
  children,
  wide,
  aside,
}: {
  title: string;
  children: ComponentChildren;
  wide?: boolean;
  aside?: ComponentChildren;
}) {
  const id = useId();
  return (
    <section class={`card${wide ? " card-wide" : ""}`} aria-labelledby={id}>
      <div class="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </div>
      {children}
    </section>
  );
}
