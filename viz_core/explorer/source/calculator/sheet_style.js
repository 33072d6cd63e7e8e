// The style of a sheet of paper. Black on white, whatever the theme of the page.

export const SHEET_STYLE = `
@font-face { /* Chinese fonts, which follow where the font of the page is missing, draw these signs as wide as a character */
  font-family: Signs; unicode-range: U+D7, U+F7, U+221A, U+221E, U+2248;
  src: local("Segoe UI"), local("Helvetica Neue"), local("Arial"), local("Roboto"), local("Liberation Sans"), local("DejaVu Sans Condensed"), local("DejaVu Sans");
}
@page { size: A4; margin: 14mm; }
:root { color-scheme: only light; }
body {
  margin: 0 auto; max-width: 182mm; font: 10.5pt/1.4 "Source Sans 3", Signs, "Noto Sans CJK SC", "PingFang SC", "Microsoft YaHei", sans-serif;
  color: CanvasText; background: Canvas;
}
h1 { font-size: 16pt; margin: 0; } h2 { font-size: 11.5pt; margin: 0; } p { margin: 1mm 0; }
.top { display: flex; justify-content: space-between; align-items: end; gap: 8mm; border-bottom: 0.4mm solid; padding-bottom: 2mm; }
.lines { display: flex; gap: 6mm; } .lines span::after { content: ""; display: inline-block; width: 32mm; border-bottom: 0.2mm solid; margin-left: 2mm; }
.equation { text-align: center; font-size: 12pt; margin: 3mm 0; }
.step { margin-top: 5mm; break-inside: avoid; }
.groups { display: flex; flex-wrap: wrap; align-items: end; gap: 3mm 5mm; margin-top: 1mm; }
.group { display: flex; align-items: end; gap: 4mm; break-inside: avoid; }
.stack { display: grid; gap: 2mm; justify-items: end; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.matrix { display: grid; justify-items: end; }
.caption { white-space: nowrap; font-size: 9.5pt; padding-bottom: 0.5mm; }
.formula { font-weight: 600; } .size { margin-left: 1.5mm; opacity: 0.75; font-size: 8pt; }
td[data-block] { border: 0.2mm solid; width: 10.6mm; min-width: 10.6mm; height: 7mm; padding: 0 1mm; text-align: right; box-sizing: border-box; }
th { font-weight: 400; font-size: 8.5pt; padding: 0 1mm; max-width: 16mm; overflow: hidden; white-space: nowrap; }
th[scope="row"] { text-align: right; }
.weights td, .input td { border-style: dotted; }
.blank td[data-block] { border-width: 0.4mm; }
.solved td[data-block] { border-width: 0.4mm; font-weight: 700; }
sub, sup { font-size: 70%; line-height: 0; }
@media screen { body { padding: 14mm; } }
@media print { body { min-width: 182mm; } } /* WebKit, which ignores the margins above, would enlarge what fits: to two sheets */
`;
