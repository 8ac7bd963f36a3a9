// A signer can sign nonsense.  These entries are signed well by a key of the test, and break one rule each.
import { getPublicKey, sign } from "@noble/ed25519";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils";
import { expect, it } from "vitest";
import { checkEntry, type CheckedEntry, type RawEntry } from "../../src/proof/chain";
import { digest } from "../../src/proof/digest";
import { ledger } from "./fixtures";

const secret = new Uint8Array(32).fill(7);
const signer = bytesToHex(getPublicKey(secret));

// The program's ledger again under the key of the test, with `change` done to the body of entry `at`.
async function faultAt(at: number, change: (body: string) => string): Promise<string | null> {
  let before: CheckedEntry | null = null;
  for (const entry of ledger().entries.slice(0, at + 1)) {
    const previous = before ? before.hash : "0".repeat(64);
    const linked = entry.body.replace(/"previous":"[0-9a-f]{64}"/, `"previous":"${previous}"`);
    before = await checkEntry(signed(entry, entry.sequence === at ? change(linked) : linked), before, signer);
    if (before.sequence < at) expect(before.fault).toBeNull();
  }
  return before!.fault;
}

function signed(entry: RawEntry, body: string): RawEntry {
  const hash = digest(["unscatter ledger 1", body]);
  return {
    ...entry,
    body,
    hash,
    signature: bytesToHex(sign(utf8ToBytes("unscatter ledger entry 1\n" + hash), secret)),
  };
}

it("the same entries under another key are good", async () => {
  expect(await faultAt(5, (body) => body)).toBeNull();
});

it.each([
  ["other data before", 1, /"data_before":"[0-9a-f]/, '"data_before":"x', /begin with the data/],
  ["data changed by a release", 2, /"data_after":"[0-9a-f]/, '"data_after":"x', /changes data/],
  ["one graph more", 4, /"graphs":\d+,"graphs_edited"/, '"graphs":40,"graphs_edited"', /count of graphs/],
  ["a release that is not counted", 2, /"published":1/, '"published":0', /published models/],
  ["a removal that counts a model", 3, /"published":1/, '"published":2', /published models/],
  ["another workspace", 1, /"workspace":"[0-9a-f]/, '"workspace":"x', /another workspace/],
  ["an older version", 1, /"version":2/, '"version":1', /version/],
  ["other spelling", 1, /"version":2/, '"version": 2', /spelling/],
])("%s is noticed", async (_, at, from, to, words) => {
  const found = await faultAt(at, (body) => {
    const changed = body.replace(from, to);
    expect(changed).not.toBe(body);
    return changed;
  });
  expect(found).toMatch(words);
});
