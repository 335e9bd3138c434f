// node render.mjs OUT SPEC…: draws each Vega-Lite specification NAME.vl.json as OUT/NAME.svg. Exit code 1 when one
// cannot be drawn; the others are drawn all the same.
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import * as vega from 'vega';
import { compile } from 'vega-lite';

const font = 'system-ui, sans-serif';

// Vega repeats the font and what is the default on every mark, and writes coordinates to 15 digits.
function smaller(svg) {
  return svg
    .replaceAll(/ (aria-[a-z]+|role|class|pointer-events)="[^"]*"/g, '')
    .replaceAll(/ (opacity|stroke-width)="1"| font-family="sans-serif"/g, '')
    .replaceAll(/<path d="(M0,0h0v0h0Z)?"( fill="[^"]*")?( display="none")?\/>/g, '')
    .replaceAll(/-?\d+\.\d{3,}/g, (number) => String(Math.round(Number(number) * 100) / 100))
    .replace('<svg ', `<svg font-family="${font}" `);
}

const [out, ...specs] = process.argv.slice(2);
let failed = false;
for (const file of specs) {
  try {
    const spec = JSON.parse(readFileSync(file, 'utf8'));
    const view = new vega.View(vega.parse(compile(spec).spec), { renderer: 'none', logLevel: vega.Error });
    writeFileSync(join(out, basename(file, '.vl.json') + '.svg'), smaller(await view.toSVG()) + '\n');
  } catch (error) {
    console.error(`${basename(file)}: ${error.message}`);
    failed = true;
  }
}
process.exit(failed ? 1 : 0);
