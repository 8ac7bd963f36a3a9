// Which page is shown.  The page's place stands behind the # of the address, so it is never sent to the service.
import { Redirect, Route, Router, Switch, useLocation } from "wouter-preact";
import { useHashLocation } from "wouter-preact/use-hash-location";
import { CheckPage } from "./check/check_page";
import { LedgerPage } from "./ledger/ledger_page";
import { LiveProvider } from "./live/live";
import { Overview } from "./pages/overview";
import { Announcer } from "./parts/announcer";
import { Loading } from "./parts/loading";
import { ProblemNotice } from "./parts/notice";
import { Shell } from "./parts/shell";
import { NewRequest } from "./requests/new_request";
import { RequestPage } from "./requests/request_page";
import { RequestsPage } from "./requests/requests_page";
import { SessionProvider, useSession } from "./session/session";
import { SignIn } from "./session/sign_in";
import { SettingsPage } from "./settings/settings_page";

export function App() {
  return (
    <Router hook={useHashLocation}>
      <Signed />
    </Router>
  );
}

// The public page asks the service for nothing, not even who is signed in.
function Signed() {
  const [place] = useLocation();
  return (
    <SessionProvider ask={place !== "/check"}>
      <Announcer>
        <Pages />
      </Announcer>
    </SessionProvider>
  );
}

function Asking() {
  const { problem, retry } = useSession();
  return problem ? <ProblemNotice problem={problem} retry={retry} /> : <Loading what="your session" />;
}

function Pages() {
  const { phase } = useSession();
  return (
    <LiveProvider active={phase === "in"}>
      <Shell>
        <Switch>
          <Route path="/check" component={CheckPage} />
          {phase === "asking" && (
            <Route>
              <Asking />
            </Route>
          )}
          {phase === "out" && <Route component={SignIn} />}
          <Route path="/" component={Overview} />
          <Route path="/requests" component={RequestsPage} />
          <Route path="/requests/new" component={NewRequest} />
          <Route path="/requests/:id">{({ id }) => <RequestPage key={id} id={id} />}</Route>
          <Route path="/ledger" component={LedgerPage} />
          <Route path="/settings" component={SettingsPage} />
          <Route>
            <Redirect to="/" />
          </Route>
        </Switch>
      </Shell>
    </LiveProvider>
  );
}
