// node legends_browser.mjs REPORTS BROWSER OUT NAME.vl.json…: draws each specification as reports do, for a screen, for a column of a
// paper (3.4in) and for one in a font that is not installed, and opens the drawings in headless Chromium, where words have the
// widths of the font that is drawn. Every name of a legend is there whole, and no word is cut off. Then it cuts one off
// itself and expects to see it.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';

const [reports, executablePath, out, ...files] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(reports), 'package.json'))('playwright-core');

const forms = [['screen', null], ['column', { width_px: 3.4 * 96, title: true }], ['font', { width_px: 3.4 * 96, font: 'No Such Serif', font_size_px: 8 * 96 / 72, title: false }]];

// As a drawing spells it: names of kernels have angle brackets.
const inMarkup = (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
const letters = (text) => String(text).replaceAll(/\s/g, '');

// The names in the legends of a specification, those at the ends of lines among them.
function namesOf(value, legend) {
  if (value === null || typeof value !== 'object') return [];
  const own = ['color', 'shape'].flatMap((channel) => {
    const { scale, legend: shown, field } = value[channel] ?? {};
    return field && field !== 'hue' && Array.isArray(scale?.domain) && scale.domain.every((word) => typeof word === 'string') && (shown !== null || legend) ? scale.domain : [];
  });
  return [...own, ...Object.entries(value).filter(([key]) => !['data', 'datasets', 'usermeta'].includes(key)).flatMap(([, inner]) => namesOf(inner, legend))];
}

// In the page: what is cut off of the drawing, and all words that are there.
function wordsOf() {
  const box = (element) => element.getBoundingClientRect();
  const whole = box(document.querySelector('svg'));
  const texts = [...document.querySelectorAll('text')].filter((text) => text.textContent && text.getAttribute('opacity') !== '0');
  const isCut = (text) => { const { left, right, top, bottom } = box(text); return left < whole.left - 1 || right > whole.right + 1 || top < whole.top - 1 || bottom > whole.bottom + 1; };
  return { cut: texts.filter(isCut).map((text) => text.textContent), words: texts.map((text) => text.textContent) };
}

async function faultsOf(page, svg, names) {
  await page.setContent(`<!doctype html><style>html, body { margin: 0 } svg { display: block }</style>${svg}`);
  const { cut, words } = await page.evaluate(wordsOf);
  const there = new Set(words.map(letters));
  return [...cut.map((word) => `'${word}' is cut off`), ...[...new Set(names)].filter((name) => name !== '' && !there.has(letters(name))).map((name) => `the legend lacks '${name}'`)];
}

const profile = mkdtempSync(join(tmpdir(), 'ablate-chromium-'));
const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
let drawn = 0, names = 0, faults = 0, planted = 0, narrow = 0;
try {
  const page = context.pages()[0] ?? (await context.newPage());
  for (const [form, paper] of forms) {
    const folder = join(out, form);
    mkdirSync(folder, { recursive: true });
    const specifications = files.map((file) => {
      const spec = JSON.parse(readFileSync(file, 'utf8'));
      if (paper) spec.usermeta = { ...spec.usermeta, paper };
      const to = join(folder, basename(file));
      writeFileSync(to, JSON.stringify(spec));
      return { to, spec };
    });
    const made = spawnSync('node', [join(resolve(reports), 'render.mjs'), folder, ...specifications.map(({ to }) => to)], { encoding: 'utf8' });
    assert.notEqual(made.status, 1, made.stderr);
    // A table of many columns has no room in one of a paper, which is said.
    const without = new Set(made.stderr.split('\n').filter((line) => line.includes('does not fit')).map((line) => line.split(': ')[0]));
    narrow += without.size;
    for (const { to, spec } of specifications) {
      const name = basename(to, '.vl.json');
      if (without.has(name)) continue;
      const svg = readFileSync(to.replace(/\.vl\.json$/, '.svg'), 'utf8');
      const all = namesOf(spec, spec.usermeta?.legend);
      const found = await faultsOf(page, svg, all);
      for (const fault of found) console.error(`${name}, ${form}: ${fault}`);
      drawn += 1;
      names += new Set(all).size;
      faults += found.length;
      if (all.length > 0 && planted < 3) {
        // As if the drawing had been made for narrower words.
        const narrower = svg.replace(/ width="([\d.]+)"/, (_, width) => ` width="${Number(width) / 2}"`).replace(/ viewBox="([-\d.]+) ([-\d.]+) ([\d.]+)/, (_, x, y, width) => ` viewBox="${x} ${y} ${Number(width) / 2}`);
        assert.ok((await faultsOf(page, narrower, all)).length > 0, `${name}: half of the drawing is cut off, which nobody sees`);
        assert.ok((await faultsOf(page, svg.replaceAll(inMarkup(all[0]), `${inMarkup(all[0].slice(0, 3))}…`), all)).length > 0 || all[0].length <= 3, `${name}: a name is cut, which nobody sees`);
        planted += 1;
      }
    }
  }
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
console.log(`${drawn} drawings with ${names} names in legends: ${faults} cut off; ${narrow} do not fit into a column; ${planted} planted`);
assert.ok(planted > 0);
process.exit(faults > 0 ? 1 : 0);
