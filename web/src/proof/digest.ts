// BLAKE2b-256 as the workspace uses it (docs/workspace-format.md, "Digests").
import { blake2b } from "@noble/hashes/blake2b";
import { bytesToHex, concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils";

// Of the parts in their order, each with its length before it as 8 bytes, the lowest first.
export function digest(parts: string[], salt?: string): string {
  const bytes = parts.flatMap((part) => {
    const content = utf8ToBytes(part);
    return [lengthBytes(content.length), content];
  });
  const key = salt === undefined ? {} : { key: hexToBytes(salt) };
  return bytesToHex(blake2b(concatBytes(...bytes), { dkLen: 32, ...key }));
}

function lengthBytes(length: number): Uint8Array {
  const bytes = new Uint8Array(8);
  new DataView(bytes.buffer).setBigUint64(0, BigInt(length), true);
  return bytes;
}

export function isHex(value: string, digits: number): boolean {
  return value.length === digits && /^[0-9a-f]*$/.test(value);
}
