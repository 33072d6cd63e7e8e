// Two windows of one browser: that of a presenter says which card the other one shows. Nothing goes through the server.

import { same } from "../shared/remember.js";

const NAME = "attention microscope: lesson", HELLO = "hello";

/**
 * follow(shown): called in a window that does not present when what it is to show has changed.
 *
 * @param {(shown: object) => void} follow
 */
export function joinWindows(follow) {
  const channel = new BroadcastChannel(NAME);
  let /** @type {object | null} */ presents = null, /** @type {unknown} */ followed = null;

  channel.onmessage = ({ data }) => {
    if (presents) {
      if (data === HELLO) channel.postMessage(presents);
    } else if (data !== HELLO && !same(data, followed)) {
      followed = data;
      follow(data);
    }
  };
  channel.postMessage(HELLO);
  return {
    /** What this window presents; null if it does not. @param {object | null} shown */
    present(shown) {
      if (shown && !same(shown, presents)) channel.postMessage(shown);
      presents = shown;
    },
    leave: () => channel.close(),
  };
}
