// Labels and legends in the room that there is. `measure(text)` is how wide a text is in the font that is drawn, in pixels.
// Also read by paper.mjs.

const isObject = (value) => value !== null && typeof value === 'object';

function eachObject(value, visit) {
  if (!isObject(value)) return;
  if (!Array.isArray(value)) visit(value);
  for (const inner of Object.values(value)) eachObject(inner, visit);
}

/// Everything of a specification but its data.
function eachPart(spec, visit) {
  for (const [key, value] of Object.entries(spec)) if (key !== 'data' && key !== 'datasets' && key !== 'usermeta') eachObject(value, visit);
  visit(spec);
}

// Replaces names at the ends of lines by the legend, where the names have no room.
function withLegend(spec) {
  const legend = spec.usermeta?.legend;
  if (!legend) return;
  eachPart(spec, (part) => {
    if (Array.isArray(part.layer)) part.layer = part.layer.filter(({ name }) => name !== 'line_ends');
    for (const channel of ['color', 'shape']) if (part[channel]?.field === 'variant') part[channel].legend = { ...legend };
  });
}

// Lines of at most `limit` pixels, broken after spaces, commas, underscores and signs; a longer word has its own line.
function brokenLabel(label, limit, measure) {
  const lines = [''];
  for (const word of String(label).split(/(?<=[ ,_+/=→:])/)) {
    if (lines.at(-1) !== '' && measure((lines.at(-1) + word).trimEnd()) > limit) lines.push(word);
    else lines[lines.length - 1] += word;
  }
  return lines.map((line) => line.trimEnd());
}

// An expression for the lines of each label, and how many the longest has.
function brokenLabels(labels, limit, measure) {
  const lines = Object.fromEntries(labels.map((label) => [label, brokenLabel(label, limit, measure)]));
  return { expression: (name) => `${JSON.stringify(lines)}[${name}]`, most: Math.max(1, ...Object.values(lines).map(({ length }) => length)) };
}

// The legends of series: no label is cut, and there are as many columns as fit.
function fitLegends(spec, width, measure, attributes = {}) {
  const besideLabel = 24; // a symbol and the room around it
  eachPart(spec, (part) => {
    for (const channel of ['color', 'shape', 'fill']) {
      const encoding = part[channel];
      if (!encoding?.field || encoding.legend === null || encoding.type !== 'nominal' || !Array.isArray(encoding.scale?.domain)) continue;
      const labels = encoding.scale.domain;
      const limit = width - besideLabel;
      const legend = { ...encoding.legend, ...attributes, labelLimit: 0, columns: columnsOf(labels.map(measure), besideLabel, width) };
      if (labels.some((label) => measure(label) > limit)) legend.labelExpr = brokenLabels(labels, limit, measure).expression('datum.label');
      encoding.legend = legend;
    }
  });
}

// As many columns as the width has room for, each as wide as its widest label.
function columnsOf(widths, besideLabel, width) {
  for (let columns = widths.length; columns > 1; --columns) {
    const widest = Array(columns).fill(0);
    widths.forEach((label, i) => { widest[i % columns] = Math.max(widest[i % columns], label + besideLabel); });
    if (widest.reduce((a, b) => a + b, 0) <= width) return columns;
  }
  return 1;
}

// The names beside the rows of a view: broken where they are longer than `limit`, and the rows as high as these need.
function fitRowNames(view, limit, measure) {
  const lineHeight = 13;
  let most = 1;
  eachPart(view, (part) => {
    const { y } = part;
    if (!isObject(y?.axis) || !['nominal', 'ordinal'].includes(y.type)) return;
    const named = /^(\[.*\])\[datum\.value\]$/s.exec(y.axis.labelExpr ?? '');
    const labels = named ? JSON.parse(named[1]) : Array.isArray(y.sort) ? y.sort : null;
    if (!labels) return;
    const { labelLimit, ...axis } = y.axis;
    y.axis = { ...axis, labelLimit: 0 };
    if (labels.every((label) => measure(label) <= limit)) return;
    const broken = brokenLabels(labels, limit, measure);
    y.axis.labelExpr = named ? broken.expression(`${named[1]}[datum.value]`) : broken.expression('datum.label');
    y.axis.labelLineHeight = lineHeight;
    most = Math.max(most, broken.most);
  });
  if (most > 1 && view.height?.step) view.height = { step: Math.max(view.height.step, lineHeight * most + 5) };
}
