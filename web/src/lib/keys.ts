// How a text names a graph or a node, by the rule of lists (docs/receipts.md, "Lists"): digits are a number, any other
// text is an external id, and id:17 is the external id "17".
export type Key = number | string;

export function readKey(written: string): { key: Key } | { error: string } {
  const content = written.trim();
  if (content === "") return { error: "Say which one." };
  if (content.startsWith("id:")) {
    return content.length > 3 ? { key: content.slice(3) } : { error: "An id stands behind id:." };
  }
  if (!/^\d+$/.test(content)) return { key: content };
  if (content.length > 1 && content.startsWith("0")) {
    return { error: `It could be a number or an id. Write ${content.replace(/^0+(?=.)/, "")} or id:${content}.` };
  }
  const number = Number(content);
  return Number.isSafeInteger(number)
    ? { key: number }
    : { error: `The number is too large. Write id:${content} for an id.` };
}
