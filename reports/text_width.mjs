// How wide a text is, in ems, in the font that is drawn. Of a named font that is the one that this machine has, or draws in its
// place, by the widths in its file. A screen's font is not known; it and what cannot be asked are measured by the advance widths
// of Helvetica, in thousandths. ABLATE_FONT_METRICS=asked measures in the named font, whether it is here or not.
import { execFileSync } from 'node:child_process';
import { advancesOf } from './font_file.mjs';

const widths = new Map(Object.entries({
  222: "'|ijl", 278: ' !,./:;I[\\]ft·', 333: '()-`r', 355: '"', 389: '*', 500: 'Jckvsxyz', 556: '#$0123456789?L_abdeghnopqu–', 584: '+<=>~±×≤≥≠µ',
  611: 'FTZ', 667: '&ABEKPSVXY', 722: 'CDHNRUw', 778: 'GOQ', 833: 'Mm', 889: '%', 944: 'W', 1015: '@',
}).flatMap(([width, letters]) => [...letters].map((letter) => [letter, Number(width) / 1000])));
const unknown = 1; // arrows, dashes, other scripts
const bolder = 1.13;
const narrow = /times|libertin|termes|roman|garamond|\bserif/i;
const generic = /^(system-ui|sans-serif|serif|monospace)\b/;
// Over Helvetica: the widest that a screen may have, where the font is left to it; a paper's.
const breadthOf = (font) => (!font || generic.test(font) ? 1.15 : narrow.test(font) ? 0.93 : 1);

const drawnFonts = new Map();

// The widths of the font that is drawn here for a named one, or null.
function drawnFont(font, bold) {
  if (!font || generic.test(font) || process.env.ABLATE_FONT_METRICS === 'asked') return null;
  const pattern = `${font.replace(/[\\:,-]/g, '\\$&')}${bold ? ':bold' : ''}`;
  if (!drawnFonts.has(pattern)) {
    let found = null;
    try {
      found = advancesOf(execFileSync('fc-match', ['--format', '%{file}', pattern], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
    } catch { /* there is no fontconfig, or it names no such file */ }
    drawnFonts.set(pattern, found);
  }
  return drawnFonts.get(pattern);
}

export function textWidth(text, { font, bold = false } = {}) {
  const drawn = drawnFont(font, bold);
  let ems = 0;
  for (const letter of String(text)) ems += drawn?.(letter) ?? (widths.get(letter) ?? unknown) * breadthOf(font) * (bold ? bolder : 1);
  return ems;
}
