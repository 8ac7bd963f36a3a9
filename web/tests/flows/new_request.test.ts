// A request of every kind, with its preview, until it is done.
import { expect, it } from "vitest";
import { api, setPolicy, someSubject } from "../service/api";
import { forgive, signedIn, useBrowser } from "../service/browser";

useBrowser();

it("a subject is previewed with picture, exposure and cost, sent, and done", async () => {
  await setPolicy({ verify: false });
  const subject = await someSubject();
  const { page } = await signedIn("/requests");
  await page.getByRole("link", { name: "New request" }).click();
  await page.getByLabel("Subject", { exact: true }).last().fill(subject);
  await page.getByRole("button", { name: "Preview" }).click();

  const preview = page.getByRole("region", { name: "Preview" });
  await preview.getByRole("heading", { name: "Preview" }).waitFor();
  for (const name of ["What changes", "Exposure", "Cost", "Certificate"])
    await preview.getByText(name).first().waitFor();
  await preview.getByText(/\d ms|\d s|below 1 ms/).waitFor();
  const before = await preview
    .getByRole("img", { name: /^Before/ })
    .first()
    .getAttribute("aria-label");
  const after = await preview
    .getByRole("img", { name: /^After/ })
    .first()
    .getAttribute("aria-label");
  expect(before).toContain(subject);
  expect(nodes(after!)).toBe(nodes(before!) - 1);
  // A preview changes nothing.
  expect((await api().GET("/v1/subjects/{id}", { params: { path: { id: subject } } })).data?.held).toBe(true);

  await page.getByRole("button", { name: "Send this request" }).click();
  await page.getByRole("heading", { name: /^Request \d+$/ }).waitFor();
  await page.getByText("The signature is right").waitFor();
  expect(await page.locator("main").innerText()).not.toContain(subject);
});

it.each(["node", "features", "edge", "graph"] as const)("%s: previewed and done", async (kind) => {
  const subject = await someSubject();
  const { data } = await api().GET("/v1/subjects/{id}", { params: { path: { id: subject } } });
  const graph = data!.graphs.find((one) => one.nodes[0]!.edges.length > 0)!;
  const [node] = graph.nodes;
  const edge = node!.edges[0]!;
  const { page } = await signedIn("/requests/new");
  const labels = { node: "Node", features: "Features of a node", edge: "Edge", graph: "Graph" };
  await page.getByRole("radio", { name: new RegExp(`^${labels[kind]}`) }).check();
  await page.getByRole("textbox", { name: "Graph" }).fill(String(graph.number));
  if (kind === "node" || kind === "features") await page.getByRole("textbox", { name: "Node" }).fill(subject);
  if (kind === "edge") {
    const [from, to] = edge.direction === "to" ? [edge.node, node!.number] : [node!.number, edge.node];
    await page.getByRole("textbox", { name: "From node" }).fill(String(from));
    await page.getByRole("textbox", { name: "To node" }).fill(String(to));
  }
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("button", { name: "Send this request" }).click();
  await page.getByText("The signature is right").waitFor();
});

it("what is missing or cannot be read is named at its field", async () => {
  const { page } = await signedIn("/requests/new");
  await page.getByRole("radio", { name: /^Edge/ }).check();
  await page.getByRole("textbox", { name: "Graph" }).fill("007");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByText("It could be a number or an id. Write 7 or id:007.").waitFor();
  expect(await page.locator("[aria-invalid=true]").count()).toBe(3);
});

it("a request for something that is not there is refused in words", async () => {
  const { page } = await signedIn("/requests/new");
  await page.getByLabel("Subject", { exact: true }).last().fill("nobody-of-this-name");
  await page.getByRole("button", { name: "Preview" }).click();
  await page.getByRole("alert").waitFor();
  expect(forgive("Failed to load resource")).toBeGreaterThan(0);
});

function nodes(label: string): number {
  return Number(/(\d+) nodes?/.exec(label)![1]);
}
