// node render.mjs OUT SPEC…: draws each Vega-Lite specification NAME.vl.json as OUT/NAME.svg. Exit code 1 when one
// cannot be drawn, 2 when one does not fit into the width that is asked for; the others are drawn all the same.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vega from 'vega';
import { compile } from 'vega-lite';
import { DoesNotFit, drawForPaper } from './paper.mjs';
import { textWidth } from './text_width.mjs';

const screenFont = 'system-ui, sans-serif';

const escaped = (text) => text.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;');

// Vega repeats the font and what is the default on every mark, and writes coordinates to 15 digits. Those stand in
// tags; the numbers of labels stand between them.
function smaller(svg, font) {
  return svg
    .replaceAll(/ (aria-[a-z]+|role|class|pointer-events)="[^"]*"/g, '')
    .replaceAll(/ (opacity|stroke-width)="1"| font-family="[^"]*"/g, '')
    .replaceAll(/<path d="(M0,0h0v0h0Z)?"( fill="[^"]*")?( display="none")?\/>/g, '')
    .replaceAll(/<[^>]*>/g, (tag) =>
      tag.replaceAll(/-?\d+\.\d{3,}/g, (number) => String(Math.round(Number(number) * 100) / 100)),
    )
    .replace('<svg ', `<svg font-family="${escaped(font)}" `);
}

// Squares as one path for each color and size: a short stroke with square ends is a third of an outline's text.
function onePathAColor(squares) {
  const paths = new Map();
  for (const [, x, y, side, fill] of squares) {
    const key = `fill="none" stroke="${fill}" stroke-width="${side}" stroke-linecap="square"`;
    if (!paths.has(key)) paths.set(key, []);
    paths.get(key).push(`M${[x, y].map((place) => Math.round(Number(place) * 10) / 10)}h.1`);
  }
  return [...paths].map(([key, strokes]) => `<path d="${strokes.join('')}" ${key}/>`).join('');
}

// Runs of many small squares without an outline are merged.
function merged(svg) {
  const mark = /<path transform="translate\(([-\d.]+),([-\d.]+)\)" d="M-[\d.]+,-[\d.]+h([\d.]+)v\3h-\3Z" fill="([^"]*)"(?: stroke-width="2")?\/>/g;
  let out = '';
  let copied = 0;
  let run = [];
  const end = () => {
    if (run.length < 200) return;
    const last = run.at(-1);
    out += svg.slice(copied, run[0].index) + onePathAColor(run);
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

// Vega's own estimate is half as much again, which tears panels apart.
vega.textMetrics.width = ({ text, fontSize, fontWeight, font, limit }, line) => {
  const ems = textWidth(line ?? text ?? '', { font, bold: fontWeight === 'bold' || fontWeight >= 600 });
  return Math.min(limit > 0 ? limit : Infinity, (fontSize ?? 11) * ems);
};

const draw = async (spec) => new vega.View(vega.parse(compile(spec).spec), { renderer: 'none', logLevel: vega.Error }).toSVG();

const [out, ...specs] = process.argv.slice(2);
let code = 0;
for (const file of specs) {
  try {
    const spec = JSON.parse(readFileSync(file, 'utf8'));
    const paper = spec.usermeta?.paper;
    const svg = paper ? await drawForPaper(spec, draw) : await draw(spec);
    writeFileSync(join(out, basename(file, '.vl.json') + '.svg'), merged(smaller(svg, paper?.font || screenFont)) + '\n');
  } catch (error) {
    console.error(`${basename(file, '.vl.json')}: ${error.message}`);
    code = error instanceof DoesNotFit ? 2 : 1;
  }
}
process.exit(code);
