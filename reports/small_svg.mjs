// An SVG as Vega writes it, in a third of the text and the same picture.

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

// Vega repeats the font and what is the default on every mark, and writes coordinates to 15 digits. Those are in
// tags; the numbers of labels are between them.
function withoutDefaults(svg, font) {
  let out = svg
    .replaceAll(/ (aria-[a-z]+|role|class|pointer-events)="[^"]*"/g, '')
    .replaceAll(/ (opacity|stroke-width)="1"| font-family="[^"]*"| font-weight="normal"| [xy]2="0"| transform="translate\(0,0\)"/g, '')
    .replaceAll(/<path d="(M0,0h0v0h0Z)?"( fill="[^"]*")?( display="none")?\/>|<path d="[^"]*"\/>/g, '')
    .replaceAll(/<[^>]*>/g, (tag) =>
      tag.replaceAll(/-?\d+\.\d{3,}/g, (number) => String(Math.round(Number(number) * 100) / 100)),
    )
    .replace('<svg ', `<svg font-family="${escaped(font)}" `);
  for (let before = ''; before !== out;) {
    before = out;
    out = out.replaceAll('<g></g>', '');
  }
  return out;
}

// Runs of at least `fewest` neighbors that `mark` finds become what `joined` makes of their matches.
function runsJoined(svg, mark, fewest, joined) {
  let out = '';
  let copied = 0;
  let run = [];
  const end = () => {
    if (run.length < fewest) return;
    const last = run.at(-1);
    out += svg.slice(copied, run[0].index) + joined(run);
    copied = last.index + last[0].length;
  };
  for (const found of svg.matchAll(mark)) {
    const last = run.at(-1);
    if (last && found.index !== last.index + last[0].length) {
      end();
      run = [];
    }
    run.push(found);
  }
  end();
  return out + svg.slice(copied);
}

// Many small squares without an outline: one path for each color and size. A short stroke with square ends is a third of
// an outline's text; squares that coincide to half a pixel are one.
function squaresJoined(svg) {
  const square = /<path transform="translate\(([-\d.]+),([-\d.]+)\)" d="M-[\d.]+,-[\d.]+h([\d.]+)v\3h-\3Z" fill="([^"]*)"(?: stroke-width="2")?\/>/g;
  return runsJoined(svg, square, 200, (squares) => {
    const paths = new Map();
    for (const [, x, y, side, fill] of squares) {
      const key = `fill="none" stroke="${fill}" stroke-width="${side}" stroke-linecap="square"`;
      if (!paths.has(key)) paths.set(key, new Set());
      paths.get(key).add(`M${[x, y].map((place) => Math.round(Number(place) * 2) / 2)}h.1`);
    }
    return [...paths].map(([key, strokes]) => `<path d="${[...strokes].join('')}" ${key}/>`).join('');
  });
}

// Grid lines and ticks beside each other: one path.
function linesJoined(svg) {
  const line = /<line transform="translate\(([-\d.]+),([-\d.]+)\)"(?: x2="([-\d.]+)")?(?: y2="([-\d.]+)")?( stroke="[^"]*")\/>/g;
  return runsJoined(svg, line, 2, (lines) => {
    const paths = new Map();
    for (const [, x, y, right, down, stroke] of lines) {
      const drawn = `M${x},${y}${right ? `h${right}` : ''}${down ? `v${down}` : ''}`;
      paths.set(stroke, (paths.get(stroke) ?? '') + drawn);
    }
    return [...paths].map(([stroke, drawn]) => `<path d="${drawn}"${stroke}/>`).join('');
  });
}

// A mark that is drawn many times: its outline once.
function marksShared(svg) {
  const mark = /<path transform="translate\(([-\d.]+),([-\d.]+)\)" (d="[^"]*"[^>]*)\/>/g;
  const counts = new Map();
  for (const [, , , drawn] of svg.matchAll(mark)) counts.set(drawn, (counts.get(drawn) ?? 0) + 1);
  const shared = [...counts].filter(([, count]) => count > 3).map(([drawn]) => drawn);
  if (shared.length === 0) return svg;
  const places = new Map(shared.map((drawn, i) => [drawn, `m${i}`]));
  const outlines = [...places].map(([drawn, id]) => `<path id="${id}" ${drawn}/>`).join('');
  return svg.replaceAll(mark, (whole, x, y, drawn) => (places.has(drawn) ? `<use xlink:href="#${places.get(drawn)}" x="${x}" y="${y}"/>` : whole))
    .replace(/^<svg[^>]*>/, (tag) => `${tag}<defs>${outlines}</defs>`);
}

export const smaller = (svg, font) => marksShared(linesJoined(squaresJoined(withoutDefaults(svg, font))));
