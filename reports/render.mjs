// node render.mjs OUT SPEC…: draws each Vega-Lite specification NAME.vl.json as OUT/NAME.svg. Exit code 1 when one
// cannot be drawn, 2 when one does not fit into the width that is asked for; the others are drawn all the same.
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vega from 'vega';
import { compile } from 'vega-lite';
import { DoesNotFit, drawForPaper } from './paper.mjs';
import { smaller } from './small_svg.mjs';
import { textWidth } from './text_width.mjs';
import { writeWhole } from './write_whole.mjs';

const screenFont = 'system-ui, sans-serif';

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
    writeWhole(join(out, basename(file, '.vl.json') + '.svg'), smaller(svg, paper?.font || screenFont) + '\n');
  } catch (error) {
    console.error(`${basename(file, '.vl.json')}: ${error.message}`);
    code = error instanceof DoesNotFit ? 2 : 1;
  }
}
process.exit(code);
