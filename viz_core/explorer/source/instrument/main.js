// The bundle: a Streamlit component that also opens itself in a page that contains an explorer's data.

import { openStandalone } from "./standalone.js";

export { default } from "./streamlit.js";

openStandalone(document, document.querySelector("#explorer-data"));
