// One text in this browser's storage.  Browsers may refuse storage; then nothing is remembered.
export function remembered(name: string) {
  return {
    get(): string | null {
      try {
        return localStorage.getItem(name);
      } catch {
        return null;
      }
    },
    set(value: string | null): void {
      try {
        if (value === null) localStorage.removeItem(name);
        else localStorage.setItem(name, value);
      } catch {
        // Without storage the page works, and forgets.
      }
    },
  };
}
