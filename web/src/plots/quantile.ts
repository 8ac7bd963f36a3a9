// The upper end of the class in which the q-th part of all counts lies: never too small.  null: in the open class.
export function quantileBound(bounds: number[], counts: number[], q: number): number | null {
  const total = counts.reduce((sum, value) => sum + value, 0);
  let seen = 0;
  for (const [index, value] of counts.entries()) {
    seen += value;
    if (seen >= q * total) return bounds[index] ?? null;
  }
  return null;
}
