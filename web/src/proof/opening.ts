// An opening shows that a commitment is about a request (docs/receipts.md, "Commitments").
import { digest, isHex } from "./digest";
import { type Exact, isObject, parseObject, sortKeys, spell, text } from "./json";

export interface Opening {
  request: Exact;
  salt: string;
}

// A line that `unscatter forget --openings` wrote.
export function readOpening(line: string): Opening {
  const fields = parseObject(line.trim());
  const salt = text(fields.salt);
  if (!isObject(fields.request) || !isHex(salt, 64)) {
    throw new Error("An opening has a request and a salt of 64 hexadecimal digits.");
  }
  return { request: fields.request, salt };
}

export function commitmentOf({ request, salt }: Opening): string {
  return digest(["unscatter request 1", spell(sortKeys(request), 0)], salt);
}
