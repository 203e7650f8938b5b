/**
 * Draws terminal output as an SVG picture: takes text with SGR sequences and returns one text element per row. The
 * picture uses a font of the reader; each run of cells is stretched to its width in a terminal.
 */
export function terminalSvg(recording, { columns, title }) {
  const rows = rowsOf(recording.replace(/\n+$/, ''));
  const width = columns * CELL.width + 2 * MARGIN;
  const height = rows.length * CELL.height + BAR + 2 * MARGIN - 8;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${round(width)}" height="${round(height)}" viewBox="0 0 ${round(width)} ${round(height)}" role="img" aria-label="${escaped(title)}">`,
    `<title>${escaped(title)}</title>`,
    `<style>text{font:${CELL.size}px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;white-space:pre;fill:${COLOURS.plain}}.b{font-weight:700}</style>`,
    `<rect width="100%" height="100%" rx="8" fill="${COLOURS.ground}"/>`,
    ...['#ff5f57', '#febc2e', '#28c840'].map(
      (fill, at) => `<circle cx="${18 + at * 18}" cy="16" r="5.5" fill="${fill}"/>`,
    ),
    ...rows.map((cells, at) => line(cells, MARGIN + BAR + CELL.height * at + CELL.size - 4)).filter(Boolean),
    '</svg>',
    '',
  ].join('\n');
}

const CELL = { width: 8.4, height: 19, size: 14 };
const MARGIN = 16;
const BAR = 24;
const COLOURS = {
  ground: '#161b22',
  plain: '#d7dde4',
  30: '#6e7681',
  31: '#ff7b72',
  32: '#56d364',
  33: '#e3b341',
  34: '#79c0ff',
  35: '#d2a8ff',
  36: '#56d4dd',
  37: '#d7dde4',
  90: '#8b949e',
  91: '#ffa198',
  92: '#7ee787',
  93: '#f2cc60',
  94: '#a5d6ff',
  95: '#e2c5ff',
  96: '#8ddfe5',
  97: '#ffffff',
};

function line(cells, y) {
  const runs = [];
  let column = 0;
  for (const { text, style } of cells) {
    const lead = text.length - text.trimStart().length;
    const shown = text.trim();
    if (shown !== '') {
      const attributes = [
        `x="${round(MARGIN + (column + lead) * CELL.width)}"`,
        `textLength="${round([...shown].length * CELL.width)}"`,
        style.colour === null ? '' : `fill="${style.colour}"`,
        style.bold ? 'class="b"' : '',
        style.dim ? 'opacity=".65"' : '',
      ].filter(Boolean);
      runs.push(`<tspan ${attributes.join(' ')}>${escaped(shown)}</tspan>`);
    }
    column += [...text].length;
  }
  return runs.length === 0 ? '' : `<text y="${y}">${runs.join('')}</text>`;
}

/** Splits rows into runs of cells with the same style. As in a terminal, a style continues in the next row. */
function rowsOf(recording) {
  let style = PLAIN;
  return recording.split('\n').map((row) => {
    const cells = [];
    for (const part of row.split(/(\u001b\[[0-9;]*m)/)) {
      const codes = /^\u001b\[([0-9;]*)m$/.exec(part);
      if (codes !== null) style = (codes[1] || '0').split(';').map(Number).reduce(styled, style);
      else if (part !== '') cells.push(...words(part).map((text) => ({ text, style })));
    }
    return cells;
  });
}

/**
 * Splits text at columns: two spaces or more. Each part is placed by itself, so that columns stay straight in any font.
 */
function words(text) {
  return text.split(/(?<=\s{2,})(?=\S)/);
}

function styled(style, code) {
  if (code === 0) return PLAIN;
  if (code === 1) return { ...style, bold: true };
  if (code === 2) return { ...style, dim: true };
  if (code === 22) return { ...style, bold: false, dim: false };
  if (code === 39) return { ...style, colour: null };
  return code in COLOURS ? { ...style, colour: COLOURS[code] } : style;
}

const PLAIN = { colour: null, bold: false, dim: false };
const escaped = (text) =>
  text.replace(/[&<>"]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[sign]);
const round = (number) => Math.round(number * 10) / 10;
