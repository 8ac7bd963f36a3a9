import { describe, expect, it } from "vitest";
import { checkDocument, readPublicKey } from "../../src/proof/document";
import { browserVerifier, libraryVerifier } from "../../src/proof/signature";
import { fixture, flip, operatorKey } from "./fixtures";

const verifiers = [
  ["browser", browserVerifier],
  ["library", libraryVerifier],
] as const;
const files = ["receipt-subject.json", "receipt-graph.json", "model.json"];

describe.each(verifiers)("with Ed25519 of the %s", (_, by) => {
  it.each(files)("%s is signed by the operator's key", async (name) => {
    const found = await checkDocument(fixture(name), operatorKey, by);
    expect(found.verdict).toBe("signed");
    expect(found.checks.every((one) => one.passed)).toBe(true);
  });

  it("changed bytes of a receipt are noticed", async () => {
    const content = fixture("receipt-subject.json");
    const unnoticed: number[] = [];
    for (let at = 0; at < content.length; at += by === libraryVerifier ? 5 : 1) {
      const changed = flip(content, at);
      if (changed === content) continue;
      if ((await checkDocument(changed, operatorKey, by)).verdict !== "wrong") unnoticed.push(at);
    }
    expect(unnoticed).toEqual([]);
  });

  it("without a trusted key the verdict says so", async () => {
    expect((await checkDocument(fixture(files[0]!), "", by)).verdict).toBe("unknown-key");
  });

  it("another key than the trusted one is noticed", async () => {
    const found = await checkDocument(fixture(files[0]!), flip(operatorKey, 5), by);
    expect(found.verdict).toBe("wrong");
    expect(found.checks.find((one) => one.name === "Key")?.passed).toBe(false);
  });
});

describe("a receipt in another spelling is refused", () => {
  const content = fixture("receipt-subject.json");
  it.each([
    ["no spaces", JSON.stringify(JSON.parse(content))],
    ["one more space", content.replace('"delta": ', '"delta":  ')],
    ["no newline at the end", content.trimEnd()],
    ["a byte order mark", "\uFEFF" + content],
    ["a number with other digits", content.replace('"epsilon": 1.0', '"epsilon": 1.00')],
    ["a key twice", content.replace('  "epsilon": 1.0,', '  "epsilon": 1.0,\n  "epsilon": 2.0,')],
    ["two keys changed places", content.replace(/( {2}"delta": .*,\n)( {2}"entry": .*,\n)/, "$2$1")],
    ["a prototype", content.replace('  "delta"', '  "__proto__": {},\n  "delta"')],
  ])("%s", async (_, changed) => {
    expect(changed).not.toBe(content);
    expect((await checkDocument(changed, operatorKey)).verdict).toBe("wrong");
  });
});

it.each(["", "{", "[]", "null", "17", '"text"', "{}", '{"format":"unscatter-receipt-3"}', "\0"])(
  "%j is refused with a sentence",
  async (content) => {
    const found = await checkDocument(content, operatorKey);
    expect(found.verdict).toBe("wrong");
    expect(found.checks[0]!.detail).toMatch(/^[A-Z].*\.$/);
  },
);

it("a receipt's signature does not pass for one of a model", async () => {
  const content = fixture("receipt-subject.json").replace("unscatter-receipt-2", "unscatter-model-2");
  expect((await checkDocument(content, operatorKey)).verdict).toBe("wrong");
});

it("public keys are read as files or digits, and nothing else", () => {
  expect(readPublicKey(fixture("operator.pub"))).toBe(operatorKey);
  expect(readPublicKey(operatorKey)).toBe(operatorKey);
  for (const bad of ["", "x", operatorKey.toUpperCase(), operatorKey + "0", "unscatter-signing-key-1 " + operatorKey]) {
    expect(readPublicKey(bad)).toBeNull();
  }
});
