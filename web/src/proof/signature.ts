// Ed25519 (RFC 8032): by the browser where it has it, otherwise by a library.  Both are tested with the same cases.
import { etc, verify as verifyByLibrary } from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2";
import { concatBytes, hexToBytes, utf8ToBytes } from "@noble/hashes/utils";
import { isHex } from "./digest";

// Browsers offer WebCrypto on secure pages only, so the library must not depend on it.
etc.sha512Sync = (...parts: Uint8Array[]) => sha512(concatBytes(...parts));

export type Verifier = (key: Uint8Array, message: Uint8Array, signature: Uint8Array) => Promise<boolean>;

export const libraryVerifier: Verifier = async (key, message, signature) => {
  try {
    return verifyByLibrary(signature, message, key, { zip215: false });
  } catch {
    return false;
  }
};

export const browserVerifier: Verifier = async (key, message, signature) => {
  const imported = await crypto.subtle.importKey("raw", view(key), { name: "Ed25519" }, false, ["verify"]);
  return crypto.subtle.verify({ name: "Ed25519" }, imported, view(signature), view(message));
};

// Some browsers know the name and refuse the operation, so one real signature decides: the first test of RFC 8032.
const PROBE_KEY = "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a";
const PROBE_SIGNATURE =
  "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155" +
  "5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b";

let chosen: Promise<Verifier> | undefined;

export function chooseVerifier(): Promise<Verifier> {
  chosen ??= browserVerifier(hexToBytes(PROBE_KEY), new Uint8Array(), hexToBytes(PROBE_SIGNATURE))
    .then((good) => (good ? browserVerifier : libraryVerifier))
    .catch(() => libraryVerifier);
  return chosen;
}

// False for a key or a signature that is not in lower-case digits of the right length.
export async function isSignedBy(key: string, message: string, signature: string, by?: Verifier): Promise<boolean> {
  if (!isHex(key, 64) || !isHex(signature, 128)) return false;
  const verifier = by ?? (await chooseVerifier());
  try {
    return await verifier(hexToBytes(key), utf8ToBytes(message), hexToBytes(signature));
  } catch {
    return false;
  }
}

function view(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
  return new Uint8Array(bytes);
}
