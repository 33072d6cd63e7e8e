// The bundle: a Streamlit component, which also opens itself where its page holds an explorer's data.

import { openStandalone } from "./standalone.js";

export { default } from "./streamlit.js";

openStandalone(document.querySelector(".explorer"), document.querySelector("#explorer-data"));
