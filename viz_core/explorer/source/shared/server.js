// Questions to the server that the page came from.

/** The server understood the question, and says in a sentence why it does not answer. */
export class Refusal extends Error {}

/**
 * Posts `body` with the question in it to `url`, and gives the response. language: of the sentence in a Refusal, unless that
 * of the browser will do. signal: aborts it.
 */
export async function post({ url, body }, question, { language, signal } = {}) {
  const headers = { "Content-Type": "application/json", ...(language ? { "Accept-Language": language } : {}) };
  const response = await fetch(new URL(url, document.baseURI), {
    method: "POST", headers, signal, body: JSON.stringify({ ...body, ...question }) });
  if (response.ok) return response;
  const refusal = await response.json().catch(() => null);
  throw refusal?.error ? new Refusal(refusal.error) : new Error(`${response.status} ${response.statusText}`);
}
