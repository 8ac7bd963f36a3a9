interface PagerProps {
  page: number;
  next: boolean;
  onPrevious: () => void;
  onNext: () => void;
}

// Buttons stay where they are when there is nothing more: the focus does not get lost.
export function Pager({ page, next, onPrevious, onNext }: PagerProps) {
  if (page === 1 && !next) return null;
  return (
    <nav class="pager" aria-label="Pages of the list">
      <button type="button" class="button" aria-disabled={page === 1} onClick={() => page > 1 && onPrevious()}>
        Previous
      </button>
      <span aria-live="polite">Page {page}</span>
      <button type="button" class="button" aria-disabled={!next} onClick={() => next && onNext()}>
        Next
      </button>
    </nav>
  );
}
