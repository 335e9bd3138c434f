// node collection_browser.mjs REPORTS BROWSER PAGE: opens the page over all records in headless Chromium and holds what it shows
// against the data in it. REPORTS has playwright-core in its node_modules.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [reports, executablePath, pageFile] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(reports), 'package.json'))('playwright-core');
const data = JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(pageFile, 'utf8'))[1]);
const operation = data.operations.find(({ name }) => name === 'voxelize') ?? data.operations[0];

const profile = mkdtempSync(join(tmpdir(), 'ablate-chromium-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath, headless: true, viewport: { width: 1280, height: 900 },
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(60000);
const said = [];
page.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(message.text()));
page.on('pageerror', (error) => said.push(error.stack));
page.on('request', (request) => /^https?:/.test(request.url()) && said.push(`asked the network for ${request.url()}`));

const address = pathToFileURL(resolve(pageFile)).href;
const shown = (name) => page.waitForSelector(`html[data-shown="${name}"]`);
// Where each kind of GPU measured a workload, the fullest record counts, of equal ones the latest.
function counted(workloads) {
  const best = new Map();
  for (const one of workloads) {
    const from = data.records[one.record];
    const key = JSON.stringify([from.chip, one.cache, one.axes]);
    const other = best.get(key);
    if (!other || one.times.length > other.times.length || (one.times.length === other.times.length && from.date > data.records[other.record].date)) best.set(key, one);
  }
  return [...best.values()].filter(({ times }) => times.length > 1);
}

let failed = false;
try {
  const began = Date.now();
  await page.goto(address);
  await shown(operation.name);
  const firstAnswer = Date.now() - began;
  assert.ok(firstAnswer < 5000, `the first answer took ${firstAnswer} ms`);
  assert.equal(await page.locator('#choices select[name=op] option').count(), data.operations.length);

  for (const { name, variants, workloads } of data.operations) {
    await page.evaluate((op) => { location.hash = `#op=${op}`; }, name);
    await shown(name);
    const here = counted(workloads);
    if (here.length === 0) continue;
    // The score of each variant, formed here by another way.
    const ratios = variants.map(() => []);
    for (const { times } of here) {
      const least = Math.min(...times.map(([, us]) => us));
      for (const [variant, us] of times) ratios[variant].push(us / least);
    }
    const mean = (of) => of.reduce((product, ratio) => product * ratio ** (1 / of.length), 1);
    const usual = variants.map((variant, i) => ({ variant, score: mean(ratios[i]), count: ratios[i].length })).filter(({ count }) => count * 2 >= here.length);
    const rows = await page.locator('#scores tbody tr:not(.few)').evaluateAll((lines) => lines.map((line) => [...line.cells].map((cell) => cell.textContent)));
    assert.equal(rows[0][0].replace(' (rival)', ''), usual.length > 0 ? usual.sort((a, b) => a.score - b.score)[0].variant : rows[0][0].replace(' (rival)', ''), name);
    for (const row of rows) {
      const i = variants.indexOf(row[0].replace(' (rival)', ''));
      assert.ok(Math.abs(parseFloat(row[2]) - mean(ratios[i])) < 0.006 + 1e-4 * mean(ratios[i]), `${name}: ${row[0]} ${row[2]}, not ${mean(ratios[i])}`);
      assert.equal(Number(row.at(-1)), ratios[i].length);
    }
    // Bars by rank, the first one marked as the best.
    const bars = await page.locator('section.workload').first().locator('tr').evaluateAll((lines) => lines.map((line) => [line.className, parseFloat(line.querySelector('.bar').style.width)]));
    assert.equal(bars[0][0], 'best');
    for (let i = 1; i < bars.length; ++i) assert.ok(bars[i][1] >= bars[i - 1][1] - 1e-6, `${name}: bars are not in order`);
  }

  // The choice is in the address and persists when the page is reopened.
  const many = data.operations.find(({ workloads }) => new Set(workloads.map(({ cache }) => cache)).size > 1);
  if (many) {
    const { cache } = many.workloads[0];
    await page.evaluate((op) => { location.hash = `#op=${op}`; }, many.name);
    await shown(many.name);
    await page.locator('#choices select[name=cache]').selectOption(cache);
    assert.match(page.url(), new RegExp(`op=${many.name}&cache=${cache}`));
    await page.reload();
    await shown(many.name);
    assert.equal(await page.locator('#choices select[name=cache]').inputValue(), cache);
    for (const text of await page.locator('section.workload h3 small').allTextContents()) assert.ok(text.includes(`, ${cache},`), text);
  }

  // A case leads to the command that explains it.
  await page.locator('section.workload button.case').first().click();
  assert.match(await page.locator('.command').first().textContent(), /^ablate explain .* variant=/);

  // A narrow screen needs no scrolling sideways.
  await page.setViewportSize({ width: 400, height: 800 });
  const [inner, outer] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
  assert.ok(inner <= outer + 1, `${inner} pixels on a screen of ${outer}`);
} catch (error) {
  failed = true;
  console.error(error.stack);
} finally {
  await context.close();
  rmSync(profile, { recursive: true, force: true });
}
if (said.length > 0) console.error(`FAILED: said: ${said.join('\n')}`);
process.exit(failed || said.length > 0 ? 1 : 0);
