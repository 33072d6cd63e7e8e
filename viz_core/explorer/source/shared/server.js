// Requests to the server that the page came from.

/** The server rejected the request, or would; the message is a sentence to show. status: of the response. */
export class Refusal extends Error {
  constructor(message, status = 0) {
    super(message);
    this.status = status;
  }
}

/**
 * Posts `body` merged with `payload` to `url` and returns the response. language: of the message in a Refusal; by
 * default the browser's. signal: aborts the request. Throws Refusal, or Error where the response is not from this app.
 *
 * @param {{ url: string, body?: object }} request
 * @param {object} payload
 * @param {{ language?: string, signal?: AbortSignal }} [options]
 */
export async function post({ url, body }, payload, { language, signal } = {}) {
  const headers = { "Content-Type": "application/json", ...(language ? { "Accept-Language": language } : {}) };
  const response = await fetch(new URL(url, document.baseURI), {
    method: "POST", headers, signal, body: JSON.stringify({ ...body, ...payload }) });
  if (response.ok) return response;
  const refusal = await response.json().catch(() => null);
  throw refusal?.error ? new Refusal(refusal.error, response.status) : new Error(`${response.status} ${response.statusText}`);
}

/** The bytes of the response to a request; arguments as of `post`. @type {(...request: Parameters<typeof post>) => Promise<Uint8Array>} */
export const postForBytes = async (...request) => new Uint8Array(await (await post(...request)).arrayBuffer());
