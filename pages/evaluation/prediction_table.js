// A table of rows made by the server (viz_core/rendering/prediction_table.py): reports clicks on a row or its buttons.

export default function ({ data, parentElement, setTriggerValue }) {
  const container = parentElement.querySelector(".rows");
  if (container.dataset.html !== data.html) {
    container.innerHTML = data.html; // the server escapes the texts in it
    container.dataset.html = data.html;
  }
  container.onclick = ({ target }) => {
    const row = target.closest("[data-row]"), act = target.closest("[data-act]");
    if (!row || getSelection()?.toString()) return; // the visitor is selecting text to copy
    setTriggerValue("act", { row: Number(row.dataset.row), act: act.dataset.act });
  };
}
