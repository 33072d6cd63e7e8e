// The bundle: the atlas as a Streamlit component that also opens itself in a document that contains its data.

import { reportTheme } from "../instrument/page_theme.js";
import { mount } from "../shared/mount.js";
import { openAtlas } from "./atlas.js";
import { readAtlas } from "./measures.js";

export default function (component) {
  const { data, parentElement, setTriggerValue } = component;
  const atlas = readAtlas(data), { id, theme, language, turns } = atlas;
  reportTheme(theme, parentElement, setTriggerValue);
  return mount(component, { id, theme, language, turns },
    (report, earlier) => openAtlas(parentElement.querySelector(".atlas"), atlas, report, earlier));
}

const data = document.querySelector("#atlas-data");
if (data) {
  const bytes = Uint8Array.from(atob(data.textContent), (character) => character.charCodeAt(0));
  openAtlas(/** @type {HTMLElement} */ (document.querySelector(".atlas")), readAtlas(bytes));
}
