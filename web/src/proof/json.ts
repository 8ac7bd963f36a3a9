// JSON in one spelling.  Signatures and hashes are about bytes, so numbers keep the digits that the file has.
import { isLosslessNumber, parse, stringify } from "lossless-json";

export type Exact = { [key: string]: unknown };

// An object whose text is exactly what the program writes: `indent` spaces (0: none), keys sorted, no key twice.
// Everything that is shown afterwards comes from this object, so nothing can be shown that was not signed.
export function readExact(text: string, indent: 0 | 2): Exact {
  const value = parseObject(text);
  if (spell(value, indent) !== text) throw new Error("The text is not in the one spelling that is signed.");
  requireSortedKeys(value);
  return value;
}

export function parseObject(text: string): Exact {
  let value: unknown;
  try {
    value = parse(text);
  } catch {
    throw new Error("This is not JSON.");
  }
  if (!isObject(value)) throw new Error("This is not a JSON object.");
  return value;
}

// Without spaces, or with two of them per level and a newline at the end.
export function spell(value: unknown, indent: 0 | 2): string {
  const text = stringify(value, undefined, indent || undefined) ?? "";
  return indent ? text + "\n" : text;
}

// The text with keys in order, as commitments are made of.
export function sortKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortKeys);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.keys(value)
      .sort()
      .map((key) => [key, sortKeys(value[key])]),
  );
}

export function text(value: unknown): string {
  if (typeof value === "string") return value;
  return isLosslessNumber(value) ? value.toString() : "";
}

// NaN if it is not a number: comparisons with it are false.
export function number(value: unknown): number {
  return isLosslessNumber(value) ? Number(value.toString()) : NaN;
}

export function isObject(value: unknown): value is Exact {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !isLosslessNumber(value);
}

function requireSortedKeys(value: unknown): void {
  if (Array.isArray(value)) return value.forEach(requireSortedKeys);
  if (!isObject(value)) return;
  const keys = Object.keys(value);
  if (keys.some((key, i) => i > 0 && key <= keys[i - 1]!)) throw new Error("The keys are not in order.");
  Object.values(value).forEach(requireSortedKeys);
}
