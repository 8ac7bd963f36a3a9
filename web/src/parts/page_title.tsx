// The heading of a page.  It gets the focus when the page changes, so that screen readers say where one is.
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";

let first = true;

// For what takes itself away when it is used: the focus must not fall out of the page with it.
export function focusHeading(): void {
  document.querySelector<HTMLElement>("main h1")?.focus();
}

export function PageTitle({ title, children }: { title: string; children?: ComponentChildren }) {
  const heading = useRef<HTMLHeadingElement>(null);
  // Before anything else can happen: a key that is pressed as soon as the page is there starts from its heading.
  useLayoutEffect(() => {
    document.title = `${title} · unscatter`;
    if (!first) heading.current?.focus();
    first = false;
  }, [title]);
  return (
    <div class="page-title">
      <h1 ref={heading} tabIndex={-1}>
        {title}
      </h1>
      {children && <div class="page-actions">{children}</div>}
    </div>
  );
}
