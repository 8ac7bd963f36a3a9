import { type State, STATES } from "../lib/words";

export interface Filters {
  search: string;
  state: State | "";
  overdue: boolean;
}

export const NO_FILTERS: Filters = { search: "", state: "", overdue: false };
// `verified` occurs in histories only.
const CHOICES = (Object.keys(STATES) as State[]).filter((state) => state !== "verified");

export function FilterBar({ filters, onChange }: { filters: Filters; onChange: (next: Filters) => void }) {
  return (
    <form class="filters" role="search" onSubmit={(event) => event.preventDefault()}>
      <label class="filter-search">
        <span class="filter-name">Search</span>
        <input
          type="search"
          value={filters.search}
          maxLength={200}
          autocomplete="off"
          spellcheck={false}
          aria-describedby="search-hint"
          onInput={(event) => onChange({ ...filters, search: event.currentTarget.value })}
        />
      </label>
      <label>
        <span class="filter-name">State</span>
        <select
          value={filters.state}
          onChange={(event) => onChange({ ...filters, state: event.currentTarget.value as State | "" })}
        >
          <option value="">All</option>
          {CHOICES.map((state) => (
            <option key={state} value={state}>
              {STATES[state]}
            </option>
          ))}
        </select>
      </label>
      <label class="filter-check">
        <input
          type="checkbox"
          checked={filters.overdue}
          onChange={(event) => onChange({ ...filters, overdue: event.currentTarget.checked })}
        />
        <span>Overdue only</span>
      </label>
      <p class="hint" id="search-hint">
        The beginning of a request’s id, or the subject or graph that an open request names.
      </p>
    </form>
  );
}
