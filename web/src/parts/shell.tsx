// The frame around every page: skip link, name, navigation, connection, sign out.
import type { ComponentChildren } from "preact";
import { Link, useLocation } from "wouter-preact";
import { useLive } from "../live/live";
import { useSession } from "../session/session";
import { ThemeChoice } from "./theme";

const PAGES = [
  ["/", "Overview"],
  ["/requests", "Requests"],
  ["/ledger", "Ledger"],
  ["/settings", "Settings"],
  ["/check", "Receipts"],
] as const;

export function Shell({ children }: { children: ComponentChildren }) {
  const { phase } = useSession();
  const [place] = useLocation();
  return (
    <>
      <a class="skip-link" href="#content" onClick={skip}>
        Skip to the content
      </a>
      <header class="top">
        <Link href="/" class="brand" aria-label="unscatter: overview">
          unscatter
        </Link>
        {phase === "in" && <Navigation />}
        {phase === "in" && <Account />}
        {phase !== "in" && place === "/check" && (
          <Link href="/" class="sign-in-link">
            Sign in
          </Link>
        )}
      </header>
      <main id="content" tabIndex={-1}>
        {children}
      </main>
      <footer class="bottom">
        <p class="small muted">Times are in your zone.</p>
        <ThemeChoice />
      </footer>
    </>
  );
}

function Navigation() {
  const [place] = useLocation();
  const isHere = (path: string) => (path === "/" ? place === "/" : place === path || place.startsWith(path + "/"));
  return (
    <nav aria-label="Pages">
      <ul>
        {PAGES.map(([path, name]) => (
          <li key={path}>
            <Link href={path} aria-current={isHere(path) ? "page" : undefined}>
              {name}
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Account() {
  const { session, signOut } = useSession();
  const { connection } = useLive();
  const words = { connecting: "Connecting", live: "Live", lost: "No live updates" }[connection];
  return (
    <div class="account">
      <span class={`connection connection-${connection}`}>{words}</span>
      <span class="small muted" title="Id of the token">
        {session?.token}
      </span>
      <button type="button" class="button-quiet" onClick={signOut}>
        Sign out
      </button>
    </div>
  );
}

// The address stays as it is: it names the page.
function skip(event: Event): void {
  event.preventDefault();
  document.getElementById("content")?.focus();
}
