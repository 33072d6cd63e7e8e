// A table of rows made by the server (viz_core/rendering/answer_table.py): a click on a row or on one of its buttons is told.

export default function ({ data, parentElement, setTriggerValue }) {
  const place = parentElement.querySelector(".rows");
  if (place.dataset.html !== data.html) {
    place.innerHTML = data.html; // texts in it are escaped where it is made
    place.dataset.html = data.html;
  }
  place.onclick = ({ target }) => {
    const row = target.closest("[data-row]"), act = target.closest("[data-act]");
    if (!row || getSelection()?.toString()) return; // somebody marks a word to copy it
    setTriggerValue("act", { row: Number(row.dataset.row), act: act.dataset.act });
  };
}
