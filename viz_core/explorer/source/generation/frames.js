// What the server sends of a text.

/** @import { ServerRequest } from "../shared/records.js" */

import { post, Refusal } from "../shared/server.js";
import { readFrames } from "../translation/frames.js";

/**
 * The frames of a response as objects. Throws Refusal, or Error where the response does not come to its end.
 *
 * @param {ServerRequest} request
 * @param {object} payload
 * @param {AbortSignal} signal
 */
export async function* framesOf(request, payload, signal) {
  const response = await post(request, payload, { language: request.body.language, signal });
  let isWhole = false;
  for await (const { json } of readFrames(response)) {
    if (signal.aborted) return;
    if (json.error) throw new Refusal(json.error, json.status);
    isWhole = Boolean(json.end);
    yield json;
  }
  if (!isWhole) throw new Error("the response has no end");
}
