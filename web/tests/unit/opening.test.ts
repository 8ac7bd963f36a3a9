import { expect, it } from "vitest";
import { parseObject } from "../../src/proof/json";
import { commitmentOf, readOpening } from "../../src/proof/opening";
import { fixture, flip } from "./fixtures";

const line = fixture("opening.json");
const commitments = parseObject(fixture("receipt-subject.json")).commitments as string[];

it("an opening of the program opens the commitment of the receipt", () => {
  expect(commitments).toContain(commitmentOf(readOpening(line)));
});

it("the example of docs/receipts.md has its commitment", () => {
  const opening = { request: parseObject('{"id":"user-3","forget":"subject"}'), salt: "09".repeat(32) };
  expect(commitmentOf(opening)).toBe("8a080124d247cbd6e254e8eea3bd3cbac63ed08d2d14945859d2bd75b4d5241b");
});

it("another request or another salt does not open it", () => {
  const salt = line.indexOf('"salt":"') + 8;
  expect(commitments).not.toContain(commitmentOf(readOpening(flip(line, salt))));
  expect(commitments).not.toContain(commitmentOf(readOpening(line.replace("account-00007", "account-00008"))));
});

it.each(["", "{}", '{"request":{},"salt":"00"}', '{"request":[],"salt":"' + "0".repeat(64) + '"}'])(
  "%j is refused",
  (bad) => expect(() => readOpening(bad)).toThrow(),
);
