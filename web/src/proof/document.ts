// Receipts and published models: is the signature right?  docs/receipts.md says what is signed.
import { allPassed, check, type Check } from "./checks";
import { isHex } from "./digest";
import { type Exact, parseObject, readExact, spell, text } from "./json";
import { isSignedBy, type Verifier } from "./signature";

// `signed`: by the trusted key.  `unknown-key`: by the key that it names itself, which proves nothing alone.
export type Verdict = "signed" | "unknown-key" | "wrong";

export interface DocumentCheck {
  verdict: Verdict;
  kind: "receipt" | "model" | null;
  fields: Exact;
  checks: Check[];
}

const FIRST_LINES: Record<string, { kind: "receipt" | "model"; line: string }> = {
  "unscatter-receipt-1": { kind: "receipt", line: "unscatter receipt 1\n" },
  "unscatter-receipt-2": { kind: "receipt", line: "unscatter receipt 2\n" },
  "unscatter-model-2": { kind: "model", line: "unscatter model 2\n" },
};

// `trustedKey`: 64 digits that came from the operator in some other way than the file; empty if there is none.
export async function checkDocument(file: string, trustedKey: string, by?: Verifier): Promise<DocumentCheck> {
  let fields: Exact;
  try {
    fields = readDocument(file);
  } catch (error) {
    return wrong((error as Error).message);
  }
  const form = FIRST_LINES[text(fields.format)];
  if (!form) return wrong("This is neither a receipt nor a published model.");

  const { signature, ...signedFields } = fields;
  const signer = text(fields.signer);
  const genuine = await isSignedBy(signer, form.line + spell(signedFields, 0), text(signature), by);
  const checks = [
    check("The file can be read", true, "It is spelled as the program spells it.", ""),
    check(
      "Signature",
      genuine,
      "It fits every byte of the file and the key that the file names.",
      "It does not fit. The file was changed, or somebody else made it.",
    ),
  ];
  if (trustedKey !== "") {
    checks.push(
      check(
        "Key",
        signer === trustedKey,
        "The file names the key that you gave.",
        "The file names another key than the one that you gave.",
      ),
    );
  }
  const verdict = !allPassed(checks) ? "wrong" : trustedKey === "" ? "unknown-key" : "signed";
  return { verdict, kind: form.kind, fields, checks };
}

// A model has all weights of a class on one line; its other lines are those of a receipt.
function readDocument(file: string): Exact {
  const fields = parseObject(file);
  return text(fields.format) === "unscatter-model-2" ? readExact(spell(fields, 0), 0) : readExact(file, 2);
}

function wrong(reason: string): DocumentCheck {
  return { verdict: "wrong", kind: null, fields: {}, checks: [check("The file can be read", false, "", reason)] };
}

// From a public key file (`unscatter-public-key-1 `, 64 digits) or the digits alone; null if it is neither.
export function readPublicKey(content: string): string | null {
  const digits = content.trim().replace(/^unscatter-public-key-1 /, "");
  return isHex(digits, 64) ? digits : null;
}
