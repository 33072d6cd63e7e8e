// What fills the window in a presentation: the explorer, or the inside of attention.

const ACROSS = 71, DOWN = 40; // em of the window: a projector of 1280 x 720 px has type of 18 px

/** The theme with type as large as the window allows, and never smaller than it was. */
export function presentedTheme(theme, width, height) {
  const text = Math.max(theme.text, Math.floor(Math.min(width / ACROSS, height / DOWN)));
  const enlarge = (size) => Math.round((size * text) / theme.text);
  return { ...theme, text, small: enlarge(theme.small), title: enlarge(theme.title), side: Math.round(height * 0.75) };
}

/**
 * `{ fill(isFull), close() }`: the root fills the window, in the top layer of the page, where nothing else is in front or
 * clips it; and the window the screen, if the browser allows it. onleave: the person left full screen, with Escape.
 */
export function createFrame(root, onleave) {
  let isFull = false, ownsScreen = false;
  const onchange = () => {
    if (document.fullscreenElement || !ownsScreen) return;
    ownsScreen = false;
    onleave();
  };
  const keepFocus = (event) => { // the page behind is not visible
    if (isFull && !event.composedPath().includes(root)) root.focus({ preventScroll: true });
  };
  root.tabIndex = -1;
  document.addEventListener("focusin", keepFocus);
  document.addEventListener("fullscreenchange", onchange);

  async function enter() {
    root.classList.add("presenting");
    root.focus({ preventScroll: true });
    // A link opens in the window: only a person may fill the screen.
    if (document.fullscreenEnabled && !document.fullscreenElement && navigator.userActivation?.isActive) {
      ownsScreen = await document.documentElement.requestFullscreen().then(() => true, () => false);
    }
    if (!isFull) return leaveScreen();
    root.popover = "manual"; // after the page has filled the screen, or the page would be in front
    root.showPopover?.();
  }

  function leave() {
    root.classList.remove("presenting");
    root.popover = null;
    leaveScreen();
    root.scrollIntoView({ block: "nearest" });
    root.focus({ preventScroll: true });
  }

  function leaveScreen() {
    if (ownsScreen) document.exitFullscreen().catch(() => {});
    ownsScreen = false;
  }

  function fill(should) {
    if (should === isFull) return;
    isFull = should;
    if (isFull) enter();
    else leave();
  }

  return {
    fill,
    close() {
      fill(false);
      document.removeEventListener("focusin", keepFocus);
      document.removeEventListener("fullscreenchange", onchange);
    },
  };
}
