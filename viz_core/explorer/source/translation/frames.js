// The response of the server as it arrives: frames of a length, a kind and as many bytes (pages/routes/streams.py).

const HEAD = 5, JSON_KIND = 0; // bytes before the content of a frame

/** The frames of a response: `{ json }` of an object, `{ packed }` of an input of the explorer. */
export async function* readFrames(response) {
  const reader = response.body.getReader();
  let buffer = new Uint8Array(0);
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    buffer = concatenate(buffer, value);
    for (let frame = first(buffer); frame; frame = first(buffer)) {
      yield frame.kind === JSON_KIND ? { json: JSON.parse(new TextDecoder().decode(frame.content)) }
        : { packed: frame.content };
      buffer = buffer.slice(HEAD + frame.content.length);
    }
  }
}

/** The first frame of the buffer; null until all of it is there. */
function first(buffer) {
  if (buffer.length < HEAD) return null;
  const end = HEAD + new DataView(buffer.buffer, buffer.byteOffset).getUint32(0, true);
  return buffer.length < end ? null : { kind: buffer[4], content: buffer.slice(HEAD, end) };
}

function concatenate(first, second) {
  const both = new Uint8Array(first.length + second.length);
  both.set(first);
  both.set(second, first.length);
  return both;
}
