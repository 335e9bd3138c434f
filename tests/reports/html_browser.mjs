// node html_browser.mjs REPORTS BROWSER RECORD PAGE: opens a report in headless Chromium and holds what it shows against
// the record that it was made of (the one of counted_record.h, or of graded_record.h, which has quality). REPORTS has playwright-core in its node_modules.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [reports, executablePath, recordFile, pageFile] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(reports), 'package.json'))('playwright-core');
const record = JSON.parse(readFileSync(recordFile, 'utf8'));
const cases = record.benchmarks.filter(({ ceiling }) => !ceiling);

const profile = mkdtempSync(join(tmpdir(), 'ablate-chromium-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath, headless: true, colorScheme: 'light', viewport: { width: 1400, height: 900 },
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(20000);
const said = [];
page.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(message.text()));
page.on('pageerror', (error) => said.push(error.stack));
const asked = [];
page.on('request', (request) => /^https?:/.test(request.url()) && asked.push(request.url()));

// Brings a plot into view and waits until it is drawn anew (`after` is what it said before the change).
async function drawn(name, after = 0) {
  const figure = page.locator(`figure[data-plot="${name}"]`);
  await figure.evaluate((element) => element.scrollIntoView({ behavior: 'instant' }));
  await page.waitForFunction(([plot, turn]) => Number(document.querySelector(`figure[data-plot="${plot}"]`).dataset.drawn ?? 0) > turn, [name, after]);
  return figure;
}
const turnOf = async (name) => Number((await page.locator(`figure[data-plot="${name}"]`).getAttribute('data-drawn')) ?? 0);
const marksOf = (figure, kind) => figure.locator(`svg g.role-mark.mark-${kind}`).evaluateAll((groups) => groups.map((group) => group.querySelectorAll('path').length));

const qualityChecks = {
  async 'quality stands beside a time, in both tables'() {
    const entry = cases.find(({ variant }) => variant === 'merged');
    const index = await page.evaluate((name) => JSON.parse(document.getElementById('data').textContent)[0].cases.findIndex((one) => one.name === name), entry.name);
    const beside = page.locator(`[id$="variants-by-workload"] button[data-case="0.${index}"] + small`);
    assert.equal(await beside.innerText(), 'spread_m 6.500\nat_home_share 0.5000');
    const titles = await page.locator('[id$="all-cases"] thead th').allInnerTexts();
    const cells = await page.locator('[id$="all-cases"] tbody tr', { has: page.locator(`button[data-case="0.${index}"]`) }).locator('td').allInnerTexts();
    assert.equal(cells[titles.indexOf('spread_m')], '6.500');
    assert.equal(cells[titles.indexOf('overflow_share')], '0.1250');
    assert.equal(titles.indexOf('spread_m'), titles.indexOf('median µs') + 1);
  },

  async 'the details of a case say its quality and what was counted'() {
    const entry = cases.find(({ picture }) => picture);
    await page.evaluate((name) => { location.hash = `case=${encodeURIComponent(name)}`; }, entry.name);
    await page.waitForSelector('dialog[open][data-case]');
    const said = async (name) => page.locator('dialog dt', { hasText: name }).first().locator('xpath=following-sibling::dd[1]').innerText();
    assert.equal(await said('spread_m'), String(entry.quality.spread_m));
    assert.equal(await said('bin_share'), 'none');
    assert.equal(await said('overflow_share'), String(entry.instrumented.overflow_share));
    assert.equal(await page.locator('dialog', { hasText: 'Pictures of the output' }).count(), 1);
    await page.keyboard.press('Escape');
  },

  async 'quality against time has a mark a case'() {
    const name = await page.locator('figure[data-kind="quality"]').first().getAttribute('data-plot');
    const figure = await drawn(name);
    assert.deepEqual(await marksOf(figure, 'symbol'), [Number(await figure.getAttribute('data-rows'))]);
  },

  async 'a picture has the colors of its scheme'() {
    const name = 'scatter-picture-merged';
    const orange = (figure, [r, g, b]) => figure.locator('canvas').evaluate((canvas, color) => {
      const copy = Object.assign(document.createElement('canvas'), { width: canvas.width, height: canvas.height }).getContext('2d', { willReadFrequently: true });
      copy.drawImage(canvas, 0, 0);
      const { data } = copy.getImageData(0, 0, canvas.width, canvas.height);
      let count = 0;
      for (let i = 0; i < data.length; i += 4) count += color.every((value, k) => data[i + k] === value) ? 1 : 0;
      return count;
    }, [r, g, b]);
    assert.ok((await orange(await drawn(name), [0xd5, 0x5e, 0x00])) > 50);
    const turn = await turnOf(name);
    await page.emulateMedia({ colorScheme: 'dark' });
    const dark = await drawn(name, turn);
    assert.ok((await orange(dark, [0xff, 0x8a, 0x3d])) > 50);
    assert.equal(await orange(dark, [0xd5, 0x5e, 0x00]), 0);
  },
};

const checks = cases.some(({ quality }) => quality) ? qualityChecks : {
  async 'every plot has a mark for each of its rows'() {
    const plots = await page.evaluate(() => JSON.parse(document.getElementById('data').textContent)[0].operations[0].plots
      .map(({ name, kind, specification }) => ({ name, kind, rows: (specification.datasets?.samples ?? specification.data.values), panels: specification.concat?.map(({ layer }) => layer.at(-1).encoding.y.field) })));
    assert.equal(new Set(plots.map(({ kind }) => kind)).size, 7);
    for (const { name, kind, rows, panels } of plots) {
      assert.ok(rows.length > 0, name);
      const figure = await drawn(name);
      assert.equal(Number(await figure.getAttribute('data-rows')), rows.length, name);
      if (kind === 'scaling') assert.deepEqual(await marksOf(figure, 'symbol'), [rows.length, rows.length], name);
      if (kind === 'floor') assert.deepEqual(await marksOf(figure, 'symbol'), [rows.length], name);
      if (kind === 'metrics') assert.deepEqual(await marksOf(figure, 'symbol'), panels.map((field) => rows.filter((row) => row[field] !== null).length), name);
      if (kind === 'speed_up' || kind === 'merging') assert.deepEqual(await marksOf(figure, 'rect'), [rows.length], name);
      if (kind === 'kernels') assert.equal((await marksOf(figure, 'rect')).reduce((a, b) => a + b), rows.length, name);
      if (kind === 'timeline') assert.equal((await marksOf(figure, 'area')).length, 5, name);
    }
  },

  async 'a sweep has the rows of the record'() {
    const figure = await drawn('scatter-scaling-rows-cold-clean');
    const inRecord = cases.filter(({ axes, cache_state }) => axes.layout === 'rows' && cache_state === 'cold-clean');
    assert.equal((await marksOf(figure, 'symbol'))[0], inRecord.length);
  },

  async 'a point tells its case and the exact median'() {
    const figure = await drawn('scatter-scaling-rows-cold-clean');
    await figure.locator('svg g.role-mark.mark-symbol path').nth(3).hover();
    const told = await page.locator('#vg-tooltip-element.visible').innerText();
    const entry = cases.find(({ name }) => told.includes(name));
    assert.ok(entry, told);
    assert.ok(told.split(/\s+/).includes(String(entry.time_us.median)), told);
  },

  async 'a click on a mark opens its case, Escape closes it'() {
    const figure = await drawn('scatter-speedup-cold-clean');
    const at = await figure.locator('svg g.role-mark.mark-rect path').first().evaluate((path) => {
      const { x, y } = path.getBoundingClientRect();
      return { x: x + 4, y: y + 4 }; // beside the cell's text
    });
    await page.mouse.click(at.x, at.y);
    await page.waitForSelector('dialog[open][data-case]');
    const id = await page.locator('dialog .id').innerText();
    assert.ok(cases.some(({ name }) => name === id), id);
    await page.keyboard.press('Escape');
    assert.equal(await page.locator('dialog[open]').count(), 0);
  },

  async 'the details of a case say what the record says, by keyboard'() {
    const entry = cases[9];
    const [, index] = await page.evaluate((name) => {
      const [{ cases: all }] = JSON.parse(document.getElementById('data').textContent);
      return [0, all.findIndex((one) => one.name === name)];
    }, entry.name);
    await page.locator(`[id$="all-cases"] button[data-case="0.${index}"]`).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector(`dialog[open][data-case="0.${index}"]`);
    assert.equal(await page.locator('dialog .id').innerText(), entry.name);
    const median = await page.locator('dialog dt', { hasText: 'median µs' }).locator('xpath=following-sibling::dd[1]').innerText();
    assert.equal(Number(median), entry.time_us.median);
    assert.equal((await marksOf(page.locator('dialog'), 'symbol'))[0], entry.time_us.samples.length);
    const counter = 'sm__cycles_active.avg.pct_of_peak_sustained_elapsed';
    const row = page.locator('dialog tr', { has: page.getByText(counter, { exact: true }) });
    assert.equal(Number(await row.locator('td').nth(1).innerText()), entry.counters.values[counter]);
    await page.keyboard.press('Escape');
  },

  async 'a link opens its case'() {
    await page.evaluate((name) => { location.hash = `case=${encodeURIComponent(name)}`; }, cases[5].name);
    await page.waitForSelector('dialog[open][data-case]');
    assert.equal(await page.locator('dialog .id').innerText(), cases[5].name);
    await page.keyboard.press('Escape');
  },

  async 'a filter changes marks and tables, and can be taken back'() {
    const name = 'scatter-metrics-rows-cold-clean';
    const all = await marksOf(await drawn(name), 'symbol');
    let turn = await turnOf(name);
    await page.locator('#filters input[name="variant"][value="merged"]').check();
    const merged = cases.filter(({ variant }) => variant === 'merged');
    const few = await marksOf(await drawn(name, turn), 'symbol');
    assert.equal(few[0], merged.filter(({ axes }) => axes.layout === 'rows').length);
    assert.ok(few[0] < all[0]);
    assert.equal(await page.locator('[id$="all-cases"] tbody tr').count(), merged.length);
    await page.locator('#filters input[name="axis:layout"][value="columns"]').check();
    assert.equal(await page.locator(`figure[data-plot="${name}"]`).isHidden(), true);
    assert.equal(await page.locator('#filters output').innerText(), `${merged.length / 2} of ${cases.length} cases`);
    turn = await turnOf(name);
    await page.locator('#filters button', { hasText: 'Show all' }).click();
    assert.deepEqual(await marksOf(await drawn(name, turn), 'symbol'), all);
  },

  async 'what was not measured stands there with its reason'() {
    const row = page.locator('[id$="cases-not-measured"] tbody tr');
    assert.equal(await row.count(), record.unmeasured.length);
    const text = await row.first().innerText();
    assert.ok(text.includes(record.unmeasured[0].name) && text.includes(record.unmeasured[0].reason), text);
  },

  async 'the dark scheme draws anew'() {
    const name = 'scatter-scaling-rows-cold-clean';
    await drawn(name);
    const turn = await turnOf(name);
    const colors = () => page.locator(`figure[data-plot="${name}"] svg g.role-mark.mark-line path`).evaluateAll((paths) => paths.map((path) => path.getAttribute('stroke')));
    const light = await colors();
    await page.emulateMedia({ colorScheme: 'dark' });
    await drawn(name, turn);
    assert.notDeepEqual(await colors(), light);
    assert.ok(!(await colors()).includes('#000000'));
  },
};

let failed = false;
try {
  await page.goto(pathToFileURL(resolve(pageFile)).href);
  await page.waitForSelector('html[data-ready]');
  for (const [name, check] of Object.entries(checks)) {
    try {
      await check();
    } catch (error) {
      failed = true;
      console.error(`FAILED: ${name}\n${error.stack}`);
    }
  }
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
for (const [what, list] of [['said on the console', said], ['asked of the network', asked]]) {
  if (list.length === 0) continue;
  failed = true;
  console.error(`FAILED: ${what}: ${list.join('\n')}`);
}
process.exit(failed ? 1 : 0);
