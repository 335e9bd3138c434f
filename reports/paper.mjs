// A figure as a paper needs it: in its width and font, the legend below the data, two lines under the title at most.
// The request is in the specification's `usermeta.paper`: width_px, font, font_size_px, title.
import { readFileSync } from 'node:fs';
import { textWidth } from './text_width.mjs';

// The page's own, which is no module.
const { eachPart, withLegend, fitLegends, fitRowNames } = new Function(`${readFileSync(new URL('page/html/labels.js', import.meta.url), 'utf8')}; return { eachPart, withLegend, fitLegends, fitRowNames };`)();

const usualFontSize = 11; // of labels in all specifications
const [leastOfTwo, leastOfMore] = [0.6, 0.45]; // of a panel's usual width: with less it is below the other
const [flattest, steepest, stacked] = [0.62, 0.75, 0.5]; // height over width
const highEnough = 200; // px: a wide figure may be flatter
const leastView = 48; // px of data, below which a figure does not fit
const leastStep = 8; // px of a column without text
const padding = 2; // px on each side
const usualWidth = 640; // px, for the lines of a title where no width is asked for

export class DoesNotFit extends Error {}

function scaleFonts(spec, factor) {
  eachPart(spec, (part) => {
    for (const [key, value] of Object.entries(part)) if (typeof value === 'number' && /(fontSize|LineHeight)$/i.test(key)) part[key] = Math.round(value * factor * 100) / 100;
  });
}

// The parts of a line that fit, or else words of the first; what does not is in the caption that the command prints.
function fitting(parts, separator, { font, size }, width) {
  const fits = (line) => size * textWidth(line, { font }) <= width;
  for (let count = parts.length; count > 0; --count) {
    const line = parts.slice(0, count).join(separator);
    if (fits(line)) return line;
  }
  const words = (parts[0] ?? '').split(' ');
  while (words.length > 1 && !fits(`${words.join(' ')} …`)) words.pop();
  return `${words.join(' ')} …`;
}

function brokenLines(text, { font, size }, width) {
  const lines = [];
  for (const word of [text].flat().join(' ').split(' ')) {
    const longer = lines.length > 0 ? `${lines.at(-1)} ${word}` : word;
    if (lines.length > 0 && size * textWidth(longer, { font, bold: true }) <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines;
}

function shortenTitle(spec, width) {
  const { text, subtitle } = spec.title;
  const { font } = spec.config;
  const above = { font, size: spec.config.title.fontSize }, below = { font, size: spec.config.title.subtitleFontSize };
  spec.title.text = brokenLines(text, above, width);
  const lines = [subtitle].flat();
  const facts = lines.slice(0, -1).filter((line) => !line.startsWith('usual: ')).flatMap((line) => line.split(' · '));
  spec.title.subtitle = [fitting(facts, ' · ', below, width), fitting(lines.at(-1).split('; '), '; ', below, width)].filter(Boolean);
}

const measureOf = ({ font }, size) => (text) => size * textWidth(text, { font });

function putLegendsBelow(spec, width) {
  fitLegends(spec, width, measureOf(spec.config, spec.config.legend.labelFontSize), { orient: 'bottom' });
  eachPart(spec, (part) => {
    for (const channel of ['color', 'shape']) {
      const encoding = part[channel];
      if (encoding?.title === 'variant' && encoding.legend) encoding.legend.title = null; // its names say so
      if (!encoding?.field || encoding.legend === null || encoding.type === 'nominal') continue;
      encoding.legend = { ...encoding.legend, orient: 'bottom', titleOrient: 'left', titleLimit: width };
    }
  });
  Object.assign(spec.config.legend, { offset: 6, columnPadding: 8, rowPadding: 1, symbolSize: 50, layout: { bottom: { anchor: 'middle', direction: 'vertical', center: true, margin: 3 } } });
}

// Names beside the data leave it nearly half of the width, labels above it are steep, and an axis has its name alone.
function limitLabels(spec, width) {
  for (const view of new Set([spec, ...viewsOf(spec)])) fitRowNames(view, 0.5 * width, measureOf(spec.config, spec.config.axis.labelFontSize));
  eachPart(spec, (part) => {
    if (part.field === 'size' && typeof part.title === 'string') part.title = part.title.replace(/ \(.*/, '');
    if (part.orient === 'top' && part.labelAngle) Object.assign(part, { labelAngle: -50, labelPadding: 6 });
  });
}

// Of panels over one axis the lowest say what it is.
function titleLowestAxes(spec) {
  const views = spec.concat ?? [];
  const axis = views.at(-1)?.encoding?.x;
  if (axis?.field !== 'size') return;
  views.forEach(({ encoding: { x } }, i) => { x.axis = { ...x.axis, title: i + spec.columns < views.length ? null : axis.title }; });
}

const isSide = (value) => typeof value === 'number' || typeof value?.step === 'number';
const viewsOf = (spec) => (spec.concat ?? spec.vconcat ?? [spec.spec ?? spec]).filter(({ width }) => isSide(width));

// Panels beside each other, at most as many as keep room for their axes.
function arrange(spec, width) {
  if (spec.hconcat) {
    spec.concat = spec.hconcat;
    spec.columns = spec.concat.length;
    delete spec.hconcat;
  }
  if (spec.columns) {
    const [{ width: usual }] = viewsOf(spec);
    const least = spec.concat?.length > 2 || usual.step ? leastOfMore : leastOfTwo;
    spec.columns = Math.max(1, Math.min(spec.columns, spec.concat?.length ?? Infinity, Math.floor(width / (least * (usual.step ? 10 * usual.step : usual)))));
    spec.spacing = { row: 14, column: 12 };
    delete spec.bounds; // axes are part of a panel
  }
}

function scaled(spec, factor) {
  const out = structuredClone(spec);
  titleLowestAxes(out);
  for (const view of viewsOf(out)) {
    if (typeof view.width === 'number') {
      const wide = Math.round(view.width * factor * 10) / 10;
      const high = wide * view.height / view.width;
      const [least, most] = out.columns === 1 && out.concat?.length > 1 ? [stacked, stacked] : [Math.min(flattest, highEnough / wide), steepest];
      // A lane keeps its height, and a map its shape.
      if (view.height > 80) view.height = Math.round(spec.usermeta.equal_units ? high : Math.max(least * wide, Math.min(high, most * wide)));
      if (view.title && view !== out) view.title.text = brokenLines(view.title.text, { font: spec.config.font, size: view.title.fontSize }, wide);
      view.width = wide;
    } else {
      view.width = { step: view.width.step * factor };
    }
  }
  return out;
}

// A column of a table is as wide as the text in its cells.
function leastStepOf(spec) {
  const texts = (spec.data?.values ?? []).map(({ text }) => text).filter(Boolean);
  const { font, axis } = spec.config;
  return Math.max(leastStep, ...texts.map((text) => axis.labelFontSize * textWidth(text, { font }) + 4));
}

const widthOf = (svg) => Number(/^<svg[^>]* width="([\d.]+)"/.exec(svg)[1]);

// The drawing is as wide as its data and what surrounds them, which depends on the numbers on its axes, or as its
// title. Searches for the widest data that fit.
async function fitted(spec, width, draw) {
  const views = viewsOf(spec);
  const beside = spec.columns ?? 1;
  let least = Math.max(...views.map((view) => (view.width.step ? leastStepOf(spec) / view.width.step : leastView / view.width)));
  let most = Math.max(least, ...views.map((view) => width / beside / (view.width.step ?? view.width)));
  const tried = async (factor) => {
    const svg = await draw(scaled(spec, factor));
    return { svg, wide: widthOf(svg) };
  };
  let best = await tried(least);
  if (best.wide > width) return null;
  const closeEnough = 0.2 / Math.max(...views.map((view) => view.width.step ?? view.width)); // px
  while (most - least > closeEnough) {
    const middle = (least + most) / 2;
    const next = await tried(middle);
    if (next.wide > width) {
      most = middle;
    } else {
      least = middle;
      best = next;
    }
  }
  return best;
}

// The exact width, so that a paper need not scale it.
function inWidth({ svg, wide }, width) {
  const [, high] = /^<svg[^>]* height="([\d.]+)"/.exec(svg);
  const left = Math.round((width - wide) * 50) / 100; // the rest is on both sides
  return svg.replace(/^(<svg[^>]*?) width="[\d.]+" height="[\d.]+" viewBox="[^"]*"/, `$1 width="${width}" height="${high}" viewBox="${-left} 0 ${width} ${high}"`)
    .replace(/<rect width="[\d.]+" height="[\d.]+" fill="white"/, `<rect x="${-left}" width="${width}" height="${high}" fill="white"`);
}

// Draws it by draw(specification), which gives an SVG.
export async function drawForPaper(given, draw) {
  const spec = structuredClone(given);
  const { width_px: width, font, font_size_px: size, title } = spec.usermeta.paper;
  spec.padding = padding;
  if (font) spec.config.font = font;
  if (size) scaleFonts(spec, size / usualFontSize);
  if (!title) delete spec.title;
  const room = (width ?? usualWidth) - 2 * padding;
  if (title) shortenTitle(spec, room);
  if (!width) return draw(spec);
  withLegend(spec);
  putLegendsBelow(spec, room);
  limitLabels(spec, room);
  arrange(spec, room);
  let found = await fitted(spec, width, draw);
  while (!found && spec.columns > 1) {
    --spec.columns;
    found = await fitted(spec, width, draw);
  }
  if (!found) throw new DoesNotFit(`does not fit into ${Math.round(width / 96 * 100) / 100} in: its labels leave no room for data`);
  return inWidth(found, width);
}
