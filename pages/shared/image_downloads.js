// Two buttons that save the view next to them as PNG or SVG, in the browser. A Plotly chart is saved by Plotly's own
// exporter, reached through the chart's mode bar; an HTML view is wrapped into an SVG and, for PNG, painted on a canvas.

const SCALE = 2; // pixels per CSS pixel of a PNG, so that it stays sharp on a projector
const MARGIN = 24; // px around an HTML view

function savePlotly(chart, format, name) {
  chart._context.toImageButtonOptions = { format, filename: name, scale: format === "png" ? SCALE : 1 };
  const buttons = chart._fullLayout._modeBar.buttons.flat();
  buttons.find((button) => button.name === "toImage").click(chart);
}

function download(url, name) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

function asSvg(node, page) {
  const box = node.getBoundingClientRect(), [width, height] = [box.width + 2 * MARGIN, box.height + 2 * MARGIN];
  const style = getComputedStyle(node);
  const copy = node.cloneNode(true);
  copy.setAttribute("xmlns", "http://www.w3.org/1999/xhtml");
  copy.style.cssText += `;font:${style.font};color:${style.color};background:${page};` +
    `width:${box.width}px;padding:${MARGIN}px`;
  const body = new XMLSerializer().serializeToString(copy);
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">` +
    `<foreignObject width="100%" height="100%">${body}</foreignObject></svg>`;
  return { url: "data:image/svg+xml;charset=utf-8," + encodeURIComponent(svg), width, height };
}

async function saveHtml(node, page, format, name) {
  const { url, width, height } = asSvg(node, page);
  if (format === "svg") return download(url, `${name}.svg`);
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = width * SCALE;
  canvas.height = height * SCALE;
  const context = canvas.getContext("2d");
  context.scale(SCALE, SCALE);
  context.drawImage(image, 0, 0);
  download(canvas.toDataURL("image/png"), `${name}.png`);
}

export default function ({ data, parentElement }) {
  const row = parentElement.querySelector(".formats");
  row.replaceChildren(...Object.entries(data.labels).map(([format, label]) => {
    const button = document.createElement("button");
    button.textContent = label;
    button.onclick = async () => {
      try {
        const view = document.querySelector(`.st-key-${data.target}`);
        const chart = view.querySelector(".js-plotly-plot");
        if (chart) savePlotly(chart, format, data.name);
        else {
          const page = getComputedStyle(row).getPropertyValue("--st-background-color");
          await saveHtml(view.querySelector(".view"), page, format, data.name);
        }
      } catch (error) {
        console.error(error);
        const failed = document.createElement("p");
        failed.className = "failed";
        failed.textContent = data.failed;
        row.append(failed);
      }
    };
    return button;
  }));
}
