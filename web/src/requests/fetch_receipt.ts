import { client, take } from "../api/client";

// The bytes of the file: what was signed is not the object but its text.
export async function fetchReceipt(sequence: number): Promise<string> {
  const answer = await take(client.GET("/v1/receipts/{sequence}", { params: { path: { sequence } }, parseAs: "text" }));
  return answer as string;
}
