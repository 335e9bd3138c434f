// node figures_browser.mjs REPORTS BROWSER FILE.svg…: opens figures in headless Chromium, where words have their true
// widths: none is cut off or on another, and no legend, which NAME.vl.json beside the figure names, is on the data.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const [reports, executablePath, ...files] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(reports), 'package.json'))('playwright-core');

function domainsOf(value) {
  if (value === null || typeof value !== 'object') return [];
  const own = value.color?.scale?.domain?.every?.((word) => typeof word === 'string') && value.color.legend !== null ? value.color.scale.domain : [];
  return [...own, ...Object.entries(value).filter(([key]) => key !== 'data').flatMap(([, inner]) => domainsOf(inner))];
}

// In the page: boxes of words, of the data's frames, and of the whole.
function boxes() {
  const box = (element) => { const { left, right, top, bottom } = element.getBoundingClientRect(); return { left, right, top, bottom }; };
  const words = [...document.querySelectorAll('text')].filter((text) => text.textContent && getComputedStyle(text).opacity !== '0' && text.getAttribute('opacity') !== '0')
    .flatMap((text) => (text.querySelector('tspan') ? [...text.querySelectorAll('tspan')] : [text]).map((line) => ({ text: line.textContent, slanted: /rotate\((?!-90|0)/.test(text.getAttribute('transform')), ...box(line) })));
  return { words, frames: [...document.querySelectorAll('path[stroke="#cccccc"]')].map(box), whole: box(document.querySelector('svg')) };
}

const meet = (a, b, room) => a.left < b.right - room && b.left < a.right - room && a.top < b.bottom - room && b.top < a.bottom - room;

const profile = mkdtempSync(join(tmpdir(), 'ablate-chromium-'));
const context = await chromium.launchPersistentContext(profile, { executablePath, headless: true, args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'] });
let failed = false;
try {
  const page = context.pages()[0] ?? (await context.newPage());
  for (const file of files) {
    try {
      await page.setContent(`<!doctype html><style>html, body { margin: 0 }</style>${readFileSync(file, 'utf8')}`);
      const { words, frames, whole } = await page.evaluate(boxes);
      assert.ok(words.length > 4 && frames.length > 0);
      for (const word of words) assert.ok(word.left > whole.left - 1 && word.right < whole.right + 1 && word.top > whole.top - 1 && word.bottom < whole.bottom + 1, `'${word.text}' is cut off`);
      const level = words.filter(({ slanted }) => !slanted);
      for (const [i, a] of level.entries()) for (const b of level.slice(i + 1)) assert.ok(!meet(a, b, 2), `'${a.text}' is on '${b.text}'`);
      const legend = new Set(domainsOf(JSON.parse(readFileSync(file.replace(/\.svg$/, '.vl.json'), 'utf8'))));
      for (const word of words.filter(({ text }) => legend.has(text))) for (const frame of frames) assert.ok(!meet(word, frame, 1), `the legend's '${word.text}' is on the data`);
    } catch (error) {
      failed = true;
      console.error(`FAILED: ${file}: ${error.message}`);
    }
  }
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
