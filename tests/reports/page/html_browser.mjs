// node html_browser.mjs REPORTS BROWSER CHECKS RECORD PAGE: opens a report in headless Chromium and holds what it shows
// against the record that it was made of. CHECKS: asked (of asked_record.h), exhibits (of
// exhibit_record.h), launches (of asked_launches.h), counted (the one of counted_record.h), graded (of
// graded_record.h, which has quality), sides (two_builds.h, RECORD is the later), bare (made without Vega), committed, sizes or labels
// (of results/). REPORTS has playwright-core in its node_modules.
import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [reports, executablePath, checksName, recordFile, pageFile] = process.argv.slice(2);
const { chromium } = createRequire(join(resolve(reports), 'package.json'))('playwright-core');
const { readRecord } = await import(pathToFileURL(join(resolve(reports), 'read_record.mjs')));
const record = readRecord(recordFile);
const cases = record.benchmarks.filter(({ ceiling }) => !ceiling);
const unpacked = new Function(`${readFileSync(join(resolve(reports), 'page', 'html', 'unpack.js'), 'utf8')}; return unpacked;`)();
const data = unpacked(JSON.parse(/<script type="application\/json" id="data">(.*?)<\/script>/s.exec(readFileSync(pageFile, 'utf8'))[1]));
const indexOf = (name, place = 0) => data.records[place].cases.findIndex((one) => one.name === name);

const profile = mkdtempSync(join(tmpdir(), 'ablate-chromium-'));
const context = await chromium.launchPersistentContext(profile, {
  executablePath, headless: true, colorScheme: 'light', viewport: { width: 1400, height: 900 },
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
});
const page = context.pages()[0] ?? (await context.newPage());
page.setDefaultTimeout(60000); // of machines that do much else
const said = [];
page.on('console', (message) => ['error', 'warning'].includes(message.type()) && said.push(message.text()));
page.on('pageerror', (error) => said.push(error.stack));
const asked = [];
page.on('request', (request) => /^https?:/.test(request.url()) && asked.push(request.url()));

// Brings a plot into view and waits until it is redrawn (`after` is what it said before the change). What is drawn above it
// meanwhile pushes it out of view again, so that it is brought there until then.
async function drawn(name, after = 0) {
  const figure = page.locator(`figure[data-plot="${name}"]`);
  await figure.evaluate((element) => {
    const folded = element.closest('details.further');
    if (folded) folded.open = true;
  });
  // Asked by a clock, not by frames, which a busy machine may leave out.
  const isDrawn = page.waitForFunction(([plot, turn]) => {
    const element = document.querySelector(`figure[data-plot="${plot}"]`);
    element.scrollIntoView({ behavior: 'instant' });
    return Number(element.dataset.drawn ?? 0) > turn;
  }, [name, after], { polling: 100 });
  await isDrawn.catch(async (error) => {
    const state = await figure.evaluate((element) => ({
      drawn: element.dataset.drawn, hidden: element.hidden, top: element.getBoundingClientRect().top, height: element.offsetHeight,
      dark: matchMedia('(prefers-color-scheme: dark)').matches, visible: document.visibilityState, hash: location.hash,
    }));
    throw new Error(`${error.message} after ${after}: ${JSON.stringify(state)}; ${said.join('; ')}`);
  });
  return figure;
}
const turnOf = async (name) => Number((await page.locator(`figure[data-plot="${name}"]`).getAttribute('data-drawn')) ?? 0);
const marksOf = (figure, kind) => figure.locator(`svg g.role-mark.mark-${kind}`).evaluateAll((groups) => groups.map((group) => group.querySelectorAll('path').length));

// A number of the record as the page shows it, with six digits.
const rounded = (value) => (Number.isInteger(value) ? value : Number(value.toPrecision(6)));

// Opens what is folded. A browser tells the page of it some time after the click, and only then is the content made.
async function unfold(details) {
  await details.locator(':scope > summary').click();
  await details.locator(':scope > summary + *').waitFor();
}

// All columns of the wide tables of a part.
async function widen(part) {
  for (const button of await part.locator('button.wide').all()) if (await button.isVisible()) await button.click();
}

// Where a link leads to, in pixels below the upper edge, when nothing moves any more.
async function landing(id) {
  await page.evaluate(() => { delete document.documentElement.dataset.landed; scrollTo({ top: 0, behavior: 'instant' }); });
  await page.evaluate((hash) => { history.replaceState(null, '', location.pathname + location.search); location.hash = hash; }, id);
  await page.waitForFunction((name) => document.documentElement.dataset.landed === name, id);
  await page.waitForTimeout(150);
  return page.evaluate((name) => {
    const { top } = document.getElementById(name).getBoundingClientRect();
    const end = document.documentElement.scrollHeight - innerHeight - scrollY; // what cannot be scrolled farther
    return [top, end];
  }, id);
}

// What a record might bring into the page, were it not escaped: a script, a handler, a text that is run later.
const policyChecks = {
  async 'no script runs but those that the page was made with'() {
    const before = said.length;
    const ran = await page.evaluate(async () => {
      const script = document.createElement('script');
      script.textContent = 'window.injected = "script"';
      document.body.append(script);
      const handler = document.createElement('p');
      handler.innerHTML = '<button onclick="window.injected = \'handler\'"></button>';
      document.body.append(handler);
      handler.firstChild.click();
      setTimeout('window.injected = "text"', 0);
      await new Promise((resolve) => { setTimeout(resolve, 200); });
      script.remove();
      handler.remove();
      return window.injected;
    });
    assert.equal(ran, undefined);
    const refused = said.splice(before);
    assert.ok(refused.length >= 3 && refused.every((line) => line.includes('Content Security Policy')), refused.join('\n'));
  },
};

const qualityChecks = {
  async 'quality stands beside a time, in both tables'() {
    const entry = cases.find(({ variant }) => variant === 'merged');
    const index = indexOf(entry.name);
    const beside = page.locator(`[id$="variants-by-workload"] button[data-case="0.${index}"] + .quality`);
    const shown = async () => (await beside.locator('small').evaluateAll((lines) => lines.filter((line) => line.checkVisibility()).map((line) => line.textContent)));
    assert.deepEqual(await shown(), ['spread_m 6.500'], 'one line, the others folded');
    await beside.locator('summary').click();
    assert.deepEqual(await shown(), ['spread_m 6.500', 'at_home_share 0.5000']);
    await beside.locator('summary').click();
    await widen(page.locator('[id$="all-cases"]'));
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
    assert.equal(await said('spread_m'), String(rounded(entry.quality.spread_m)));
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

// What every page has to be, whatever it shows.
const commonChecks = {
  async 'no page scrolls sideways, at 200 % zoom neither'() {
    for (const width of [1400, 640, 400]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(100);
      const [needed, there] = await page.evaluate(() => [document.documentElement.scrollWidth, innerWidth]);
      assert.ok(needed <= there, `${needed} of ${there} pixels`);
    }
    await page.setViewportSize({ width: 1400, height: 900 });
  },

  async 'the first key leads past contents and filters'() {
    await page.evaluate(() => { document.activeElement.blur(); scrollTo(0, 0); });
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.className), 'skip');
    await page.keyboard.press('Enter');
    assert.equal(await page.evaluate(() => document.activeElement.id), 'content');
    await page.evaluate(() => { history.replaceState(null, '', location.pathname); });
  },

  async 'whatever the keyboard reaches shows it'() {
    let reached = 0;
    for (let i = 0; i < 60; ++i) {
      await page.keyboard.press('Tab');
      const [what, outline] = await page.evaluate(() => {
        const at = document.activeElement;
        return at === document.body ? [] : [at.outerHTML.slice(0, 120), getComputedStyle(at).outlineStyle];
      });
      if (!what) continue; // a plot that is drawn meanwhile lets go of what stood in it
      assert.notEqual(outline, 'none', what);
      ++reached;
    }
    assert.ok(reached > 50, `${reached} of 60`);
  },

  async 'ids stand once, and the contents lead to them'() {
    const [ids, links] = await page.evaluate(() => [[...document.querySelectorAll('[id]')].map(({ id }) => id), [...document.querySelectorAll('nav a, main a[href^="#"]:not(.vega-actions a), header a[href^="#"]')].map((a) => a.getAttribute('href').slice(1))]);
    assert.equal(new Set(ids).size, ids.length, ids.filter((id, i) => ids.indexOf(id) !== i).join(', '));
    for (const link of links) assert.ok(ids.includes(link), link);
  },

  async 'the data of a plot can be read as a table'() {
    const figure = page.locator('figure[data-kind="scaling"], figure[data-kind="records"]').first();
    await drawn(await figure.getAttribute('data-plot'));
    await figure.locator('summary', { hasText: 'Data' }).focus();
    await page.keyboard.press('Enter');
    await figure.locator('.data tbody tr').first().waitFor();
    assert.equal(await figure.locator('.data tbody tr').count(), Math.min(100, Number(await figure.getAttribute('data-rows'))));
    await figure.locator('.data button.case').first().focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('dialog[open][data-case]');
    await page.keyboard.press('Escape');
  },

  async 'on paper plots are dark on white, and nothing is cut off'() {
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
    await page.emulateMedia({ colorScheme: 'dark', media: 'print' });
    await page.setViewportSize({ width: 720, height: 1000 }); // A4 without its margins
    const figure = page.locator('figure:visible').first();
    await figure.locator('svg').first().waitFor();
    await page.waitForTimeout(500);
    const [paper, ink] = await page.evaluate(() => [getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]);
    assert.deepEqual([paper, ink], ['rgb(255, 255, 255)', 'rgb(0, 0, 0)']);
    assert.equal(await page.locator('aside').isVisible(), false);
    const titles = await figure.locator('svg .role-title-text text').evaluateAll((texts) => texts.map((text) => text.getAttribute('fill')));
    assert.ok(titles.every((fill) => fill === '#000' || fill === 'black' || fill === '#000000'), titles.join());
    for (const box of await page.locator('.scroll:visible').all()) {
      const [inner, outer, across, wide, label] = await box.evaluate((element) => [element.scrollHeight, element.clientHeight, element.scrollWidth, element.clientWidth, element.getAttribute('aria-label')]);
      assert.ok(inner <= outer + 1, `${inner} of ${outer}`);
      assert.ok(across <= wide + 1, `${label}: columns are cut, ${across} of ${wide}`);
    }
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.emulateMedia({ colorScheme: 'light', media: 'screen' });
    await page.evaluate(() => dispatchEvent(new Event('afterprint')));
  },

  async 'links land, though plots above them are drawn late'() {
    await page.setViewportSize({ width: 1280, height: 900 });
    const ids = await page.evaluate(() => [...document.querySelectorAll('nav a')].map((a) => a.getAttribute('href').slice(1)));
    for (const id of [...ids].reverse().filter((_, i) => i % 3 === 0)) {
      const [top, end] = await landing(id);
      assert.ok((top >= -2 && top <= 40) || end <= 2, `${id} lies at ${top}, ${end} from the end`);
    }
    await page.evaluate(() => { history.replaceState(null, '', location.pathname); scrollTo({ top: 0, behavior: 'instant' }); });
    await page.setViewportSize({ width: 1400, height: 900 });
  },

  async 'no table is wider than the screen at first, and its first column stays'() {
    await page.setViewportSize({ width: 1280, height: 900 });
    let widest = 0;
    for (const box of await page.locator('main .scroll:visible').all()) {
      const [inner, outer, label] = await box.evaluate((element) => [element.scrollWidth, document.documentElement.clientWidth, element.getAttribute('aria-label')]);
      assert.ok(inner <= outer, `${label}: ${inner} of ${outer} pixels`);
      widest = Math.max(widest, inner);
    }
    console.log(`widest default table: ${widest} of 1280 pixels`);
    const cell = page.locator('[id$="all-cases"] tbody td').first();
    if (await cell.count()) assert.equal(await cell.evaluate((element) => getComputedStyle(element).position), 'sticky');
    await page.setViewportSize({ width: 1400, height: 900 });
  },

  async 'on a phone no plot is cropped'() {
    await page.setViewportSize({ width: 400, height: 800 });
    const name = await page.locator('figure[data-plot]:visible').first().getAttribute('data-plot');
    await page.evaluate(() => dispatchEvent(new Event('resize')));
    const turn = await turnOf(name);
    await page.waitForTimeout(600);
    const figure = await drawn(name, turn > 0 ? turn - 1 : 0);
    const [right, width] = await figure.locator('.plot').evaluate((plot) => [plot.querySelector('svg, canvas').getBoundingClientRect().right, innerWidth]);
    assert.ok(right <= width, `${right} of ${width} pixels`);
    await page.setViewportSize({ width: 1400, height: 900 });
    await page.waitForTimeout(400);
  },
};

const sidesChecks = {
  async 'each case stands beside itself with its verdict'() {
    const rows = page.locator('[id$="case-by-case"] tbody tr');
    assert.equal(await rows.count(), data.sides.rows.length);
    const merged = cases.filter(({ variant }) => variant === 'merged');
    for (const [entry, word] of [[merged.at(0), 'INCONCLUSIVE'], [merged.at(-1), 'FASTER']]) {
      const row = page.locator('[id$="case-by-case"] tbody tr', { has: page.locator(`button[data-case="1.${indexOf(entry.name, 1)}"]`) });
      assert.equal(await row.locator('.verdict').innerText(), word, entry.name);
      assert.match(await row.innerText(), /1\.250 \(/);
    }
  },

  async 'the counts say how many'() {
    const cells = await page.locator('#sides-which-is-faster--and-where tbody tr').first().locator('td').allInnerTexts();
    // The same gain of `merged` is sure at the largest size of two layouts alone: the others take less than 20 µs.
    assert.deepEqual(cells.slice(2, 7), ['42', '2', '0', '28', '12']);
  },

  async 'a plot has the curves of both'() {
    const figure = await drawn('scatter-records-rows-cold-clean');
    assert.equal((await marksOf(figure, 'symbol')).reduce((a, b) => a + b), Number(await figure.getAttribute('data-rows')));
    assert.equal((await marksOf(figure, 'line')).length, 6); // three variants, two records
  },

  async 'a link says which record it is of'() {
    const { name } = cases[4];
    await page.evaluate((id) => { location.hash = `record=1&case=${encodeURIComponent(id)}`; }, name);
    await page.waitForSelector('dialog[open][data-case^="1."]');
    assert.match(await page.locator('dialog').innerText(), /commit fedcba9/);
    await page.keyboard.press('Escape');
  },

  async 'one record alone can be looked at'() {
    const [, later] = data.records;
    const name = 'scatter-records-rows-cold-clean';
    const turn = await turnOf(name);
    await page.locator(`#filters input[name="record"][value="${later.label}"]`).check();
    assert.equal((await marksOf(await drawn(name, turn), 'line')).length, 3);
    await page.locator('#filters button', { hasText: 'Show all' }).click();
  },
};

const firstPlotChecks = {
  async 'the answer comes first, and its picture within 400 pixels'() {
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    assert.equal(await page.locator('main h2').first().innerText(), data.records[0].answer.text);
    const figure = await drawn('answer');
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    const { y } = await figure.locator('svg.marks').boundingBox();
    console.log(`pixels to the first plot: ${Math.round(y)}`);
    assert.ok(y <= 400, `the picture begins ${y} pixels down`);
    await page.setViewportSize({ width: 1400, height: 900 });
  },
};

const launchesChecks = {
  async 'the answer says how far its baseline moved, also on a phone, in the dark and on paper'() {
    const said = page.locator('#record0-answer .verdict-text');
    for (const [width, media] of [[1280, {}], [400, {}], [1280, { colorScheme: 'dark' }], [720, { media: 'print' }]]) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia(media);
      assert.match(await said.innerText(), /Unsteady ground: the best of without itself took up to 40 % longer in one of the 2 records/);
      const { x, width: wide } = await said.boundingBox();
      assert.ok(x >= 0 && x + wide <= width + 1, `${x + wide} of ${width} pixels`);
    }
    await page.emulateMedia({ media: 'screen', colorScheme: 'light' });
    await page.setViewportSize({ width: 1400, height: 900 });
    assert.match(await page.locator('#record0-answer tbody tr').first().innerText(), /† 40 %/);
    assert.match(await page.locator('#record0-answer .note').last().innerText(), /† marks a ratio over a time that itself moved/);
  },

  async 'the samples of a case stand in a strip a launch, with the median of each and the mean over all'() {
    const entry = data.records[0].cases.find(({ name }) => name === 'scatter/merged/items=4096/layout=rows/@cold-clean');
    await page.evaluate((id) => { location.hash = `case=${encodeURIComponent(id)}`; }, entry.name);
    await page.waitForSelector('dialog[open][data-case]');
    const figure = page.locator('dialog .plot');
    assert.deepEqual(entry.launches.map(({ samples }) => samples.length), [3, 3]);
    assert.deepEqual(await marksOf(figure, 'symbol'), [6]);
    // A stroke a launch at its median, above each other as these are.
    const strokes = await figure.locator('svg g.role-mark.mark-rect, svg g.role-mark.mark-rule').evaluateAll((groups) => groups.map((group) => group.childElementCount));
    assert.ok(strokes.includes(2), strokes.join());
    const words = await figure.locator('svg text').allTextContents();
    for (const word of ['launch', '1', '2', 'time (µs)']) assert.ok(words.includes(word), `${word} in ${words}`);
    const [first, second] = entry.launches.map(({ median }) => median);
    assert.ok(Math.abs(second / first - 1.4) < 1e-6);
    const said = await page.locator('dialog dt', { hasText: 'mean of 2 launches' }).locator('xpath=following-sibling::dd[1]').innerText();
    assert.ok(Math.abs(Number(said) / Math.sqrt(first * second) - 1) < 1e-4, `${said} of ${first} and ${second}`);
    assert.match(await page.locator('dialog').innerText(), /A later launch keeps medians of 5 consecutive samples/);
    await page.keyboard.press('Escape');
  },

  async 'the details of a case say how many launches a speed-up covers'() {
    const name = 'scatter/staged/items=4096/layout=rows/@cold-clean';
    await page.evaluate((id) => { location.hash = `case=${encodeURIComponent(id)}`; }, name);
    await page.waitForSelector('dialog[open][data-case]');
    assert.match(await page.locator('dialog dt', { hasText: 'speed-up' }).locator('xpath=following-sibling::dd[1]').innerText(), /, in 2 launches$/);
    await page.keyboard.press('Escape');
  },
};

const askedChecks = {
  async 'the verdict is said in words'() {
    assert.match(await page.locator('#record0-answer .verdict-text').innerText(), /^It depends\. Against the best of without, the best of staging is faster/);
  },

  async 'the picture has a mark a workload, and diamonds for recorded scans'() {
    const figure = await drawn('answer');
    const rows = data.records[0].answer.plot.specification.data.values;
    assert.equal((await marksOf(figure, 'symbol'))[0], rows.length);
    await page.locator('#filters input[name="layout"][value="street"]').check();
    const left = rows.filter(({ cloud }) => cloud === 'recorded scan');
    assert.equal((await marksOf(await drawn('answer', await turnOf('answer') - 1), 'symbol'))[0], left.length);
    await page.locator('#filters button', { hasText: 'Show all' }).click();
  },

  async 'the table says where it holds'() {
    const rows = page.locator('#record0-answer tbody tr');
    assert.equal(await rows.count(), data.records[0].answer.parts[0].table.lines.length);
    assert.match(await rows.first().innerText(), /FASTER 2 \(items ≥ 4096\)/);
  },
};

const exhibitChecks = {
  async 'a published figure has a panel a metric and a mark a forward'() {
    const rows = data.records[0].exhibits[0].plot.specification.data.values;
    const wanted = ['sm_active_pct', 'sm_issue_pct', 'tensor_pct', 'dram_read_pct'].map((key) => rows.filter((row) => row[key] !== null).length).filter((marks) => marks > 0);
    assert.deepEqual(await marksOf(await drawn('exhibit-activity'), 'symbol'), wanted);
  },

  async 'its table says why a forward was not sampled'() {
    const rows = page.locator('#record0-exhibit-activity tbody tr');
    assert.equal(await rows.count(), data.records[0].exhibits[0].table.lines.length);
    assert.match(await rows.last().innerText(), /another program has the counters/);
  },

  async 'a published table stands beside what was measured'() {
    const cells = page.locator('#record0-exhibit-table1 tbody tr').first().locator('td, th');
    assert.deepEqual(await cells.allInnerTexts(), data.records[0].exhibits[1].table.lines[0].cells);
  },
};

const countedChecks = {
  async 'the first screen says what each switch is worth'() {
    const { ablation, name } = data.records[0].operations[0];
    const table = page.locator('#record0-what-each-switch-is-worth table').first();
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }));
    assert.equal(await table.locator('tbody tr').count(), Math.min(10, ablation.worths.lines.length));
    const { cells } = ablation.worths.lines[0];
    const said = await table.locator('tbody tr').first().innerText();
    for (const word of [cells[0], /[A-Z]{4,}/.exec(cells[2])[0]]) assert.ok(said.includes(word), `${word} in ${said}`);
    const { y, height } = await table.boundingBox();
    assert.ok(y + height < 900, 'it is on the first screen');
    assert.match(await page.locator('#record0-what-each-switch-is-worth h3').first().innerText(), new RegExp(`${name} over direct; fastest: .* of 14 workloads`));
    assert.equal(await page.locator('main th', { hasText: 'worst to best' }).count(), 1, 'the table stands once');
  },

  async 'claims stand with their verdicts and figures'() {
    const rows = page.locator('#record0-claims tbody tr');
    assert.deepEqual(await rows.locator('.verdict').allInnerTexts(), ['reproduced', 'refuted']);
    await unfold(rows.first().locator('details'));
    const figures = rows.first().locator('table tbody tr');
    assert.equal(await figures.count(), 2);
    await figures.first().locator('button.case').first().click();
    await page.waitForSelector('dialog[open][data-case]');
    assert.match(await page.locator('dialog .id').innerText(), /scatter\/merged\/items=1048576/);
    await page.keyboard.press('Escape');
    assert.match(await page.locator('#header').innerText(), /1 reproduced, 1 refuted/);
  },

  async 'noise and device state are drawn, and said not to be all'() {
    assert.match(await page.locator('#record0-noise').innerText(), /not those between process launches/);
    const noise = await drawn('noise');
    assert.equal(await noise.locator('svg g.role-mark.mark-symbol path').count(), cases.length);
    await drawn('device-state');
    await unfold(page.locator('#record0-noise > details'));
    const titles = await page.locator('#record0-noise > details thead th').allInnerTexts();
    const cells = await page.locator('#record0-noise > details tbody tr').first().locator('td').allInnerTexts();
    assert.equal(cells[titles.indexOf('within this launch (%)')], '0.6000');
  },

  async 'declared work stands beside counted'() {
    const part = page.locator('#record0-scatter-declared-against-counted-work');
    await unfold(part.locator('details'));
    await widen(part);
    const titles = await part.locator('details thead th').allInnerTexts();
    const row = part.locator('details tbody tr', { has: page.locator(`button[data-case="0.${indexOf(cases[9].name)}"]`) });
    const cells = await row.locator('td').allInnerTexts();
    assert.equal(cells[titles.indexOf('binding floor')], cases[9].floors.binding);
    assert.equal(cells[titles.indexOf('waste')], '1.195');
  },

  async 'every plot has a mark for each of its rows'() {
    const plots = data.records[0].operations[0].plots
      .map(({ name, kind, specification }) => ({ name, kind, rows: (specification.datasets?.samples ?? specification.data.values), panels: specification.concat?.map(({ layer }) => layer.at(-1).encoding.y.field) }));
    assert.equal(new Set(plots.map(({ kind }) => kind)).size, 9);
    for (const { name, kind, rows, panels } of plots) {
      assert.ok(rows.length > 0, name);
      const figure = await drawn(name);
      assert.equal(Number(await figure.getAttribute('data-rows')), rows.length, name);
      if (kind === 'scaling') assert.deepEqual(await marksOf(figure, 'symbol'), [rows.length, rows.length], name);
      if (kind === 'floor') assert.deepEqual(await marksOf(figure, 'symbol'), [rows.length], name);
      if (kind === 'metrics') assert.deepEqual(await marksOf(figure, 'symbol'), panels.map((field) => rows.filter((row) => row[field] !== null).length), name);
      if (kind === 'speed_up' || kind === 'merging') assert.deepEqual(await marksOf(figure, 'rect'), [rows.length], name);
      if (kind === 'best') assert.deepEqual(await marksOf(figure, 'rect'), [rows.length, 7], name); // 7 sizes have a fastest
      if (kind === 'kernels') assert.equal((await marksOf(figure, 'rect')).reduce((a, b) => a + b), rows.length, name);
      if (kind === 'waterfall') assert.deepEqual(await marksOf(figure, 'rect'), [rows.length], name);
      if (kind === 'timeline') assert.equal((await marksOf(figure, 'area')).length, 5, name);
    }
  },

  async 'a sweep has the rows of the record'() {
    const figure = await drawn('scatter-scaling-rows-cold-clean');
    const inRecord = cases.filter(({ axes, cache_state }) => axes.layout === 'rows' && cache_state === 'cold-clean');
    assert.equal((await marksOf(figure, 'symbol'))[0], inRecord.length);
  },

  async 'a point tells its case and the median'() {
    const figure = await drawn('scatter-scaling-rows-cold-clean');
    await figure.locator('svg g.role-mark.mark-symbol path').nth(3).hover();
    const told = await page.locator('#vg-tooltip-element.visible').innerText();
    const entry = cases.find(({ name }) => told.includes(name));
    assert.ok(entry, told);
    assert.ok(told.split(/\s+/).map(Number).includes(rounded(entry.time_us.median)), told);
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
    const index = indexOf(entry.name);
    await page.locator(`[id$="all-cases"] button[data-case="0.${index}"]`).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector(`dialog[open][data-case="0.${index}"]`);
    assert.equal(await page.locator('dialog .id').innerText(), entry.name);
    const median = await page.locator('dialog dt', { hasText: 'median µs' }).locator('xpath=following-sibling::dd[1]').innerText();
    assert.equal(Number(median), rounded(entry.time_us.median));
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
    await page.emulateMedia({ colorScheme: 'light' });
    const all = await marksOf(await drawn(name), 'symbol');
    let turn = await turnOf(name);
    await page.locator('#filters input[name="variant"][value="merged"]').check();
    const merged = cases.filter(({ variant }) => variant === 'merged');
    const few = await marksOf(await drawn(name, turn), 'symbol');
    assert.equal(few[0], merged.filter(({ axes }) => axes.layout === 'rows').length);
    assert.ok(few[0] < all[0]);
    assert.equal(await page.locator('[id$="all-cases"] tbody tr').count(), merged.length);
    await page.locator('#filters input[name="layout"][value="columns"]').check();
    assert.equal(await page.locator(`figure[data-plot="${name}"]`).isHidden(), true);
    assert.equal(await page.locator('#filters output').innerText(), `${merged.length / 2} of ${cases.length} cases`);
    turn = await turnOf(name);
    await page.locator('#filters button', { hasText: 'Show all' }).click();
    assert.deepEqual(await marksOf(await drawn(name, turn), 'symbol'), all);
  },

  async 'filters are words of the command line, and stand in the address'() {
    const field = page.locator('#filters input[type="search"]');
    const merged = cases.filter(({ variant, axes }) => variant === 'merged' && axes.layout === 'columns');
    await field.fill('variant=merged layout=columns');
    assert.equal(await page.locator('#filters output').innerText(), `${merged.length} of ${cases.length} cases`);
    assert.equal(await page.locator('#filters input[name="variant"][value="merged"]').isChecked(), true);
    assert.equal(await page.evaluate(() => location.search), '?variant=merged&layout=columns');
    await page.locator('#filters input[name="variant"][value="direct"]').check();
    assert.equal(await field.inputValue(), 'variant=merged,direct layout=columns');
    await field.fill('itmes=1024');
    assert.match(await page.locator('#filters .missing').innerText(), /no axis 'itmes' \(did you mean 'items'\?\)/);
    const count = page.locator('#filters output');
    const at = (items) => cases.filter(({ axes }) => axes.items === items);
    const [size] = cases.map(({ axes }) => axes.items).filter((items) => items.length > 1);
    await field.fill(`items=${size}`);
    assert.equal(await count.innerText(), `${at(size).length} of ${cases.length} cases`);
    for (const part of [`items=${size.slice(0, -1)}`, `items=${size.slice(1)}`, 'items=.*', 'variant=merge', size.slice(1)]) {
      if (cases.some(({ axes }) => axes.items === part.replace('items=', ''))) continue;
      await field.fill(part);
      assert.match(await page.locator('#filters .missing').innerText(), /^no /i, part);
      assert.equal(await count.innerText(), `${cases.length} of ${cases.length} cases`, part);
    }
    await page.goto(`${pathToFileURL(resolve(pageFile)).href}?variant=merged&id=rows`);
    await page.waitForSelector('html[data-ready]');
    const rows = cases.filter(({ variant, name }) => variant === 'merged' && name.includes('/layout=rows/'));
    assert.equal(await page.locator('#filters output').innerText(), `${rows.length} of ${cases.length} cases`);
    await page.locator('#filters button', { hasText: 'Show all' }).click();
    assert.equal(await page.evaluate(() => location.search), '');
  },

  async 'the fastest variant of a workload is marked, and none else'() {
    const part = page.locator('[id$="variants-by-workload"]');
    const [operation] = data.records[0].operations;
    const marked = await part.locator('td.fastest button').evaluateAll((links) => links.map((link) => Number(link.dataset.case.split('.')[1])));
    const fastest = operation.rows.map((row) => Object.values(row).sort((a, b) => data.records[0].cases[a].time_us.median - data.records[0].cases[b].time_us.median)[0]);
    assert.deepEqual(marked.sort((a, b) => a - b), fastest.sort((a, b) => a - b));
  },

  async 'what was not measured stands there with its reason'() {
    const row = page.locator('[id$="wrong-and-missing-cases"] tbody tr');
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

  async 'a page that is printed while the scheme changes has the colors of the new one'() {
    const name = 'scatter-scaling-rows-cold-clean';
    const colorsAre = (scheme) => page.waitForFunction(([plot, isDark]) => {
      const paths = [...document.querySelectorAll(`figure[data-plot="${plot}"] svg g.role-mark.mark-line path`)];
      return paths.length > 0 && paths.some((path) => path.getAttribute('stroke') === '#000000') !== isDark;
    }, [name, scheme === 'dark'], { polling: 100 });
    for (let round = 0; round < 3; ++round) {
      await page.emulateMedia({ colorScheme: 'dark' });
      await colorsAre('dark');
      const change = page.emulateMedia({ colorScheme: 'light' });
      // Long enough for the change to fall into it.
      await page.evaluate(() => {
        for (const end = performance.now() + 20; performance.now() < end;) for (const side of ['beforeprint', 'afterprint']) dispatchEvent(new Event(side));
      });
      await change;
      await colorsAre('light');
    }
  },
};

// Of the counted record, made where Vega was not installed.
const bareChecks = {
  async 'it says first what is missing, and has every table'() {
    const missing = page.locator('main > [data-missing="plots"]');
    assert.match(await missing.innerText(), /has no plots: the package vega is not installed here/);
    assert.equal(await page.locator('[id$="all-cases"] tbody tr').count(), cases.length);
    assert.ok((await page.locator('#record0-what-each-switch-is-worth .verdict').count()) > 0);
  },

  async 'a plot says its title, and its data are there'() {
    const figure = await drawn('scatter-scaling-rows-cold-clean');
    assert.match(await figure.locator('.plot').innerText(), /^Not drawn: /);
    await figure.locator('summary', { hasText: 'Data' }).click();
    await figure.locator('.data tbody tr').first().waitFor();
  },

  async 'the details of a case open without a drawing of its samples'() {
    await page.evaluate((name) => { location.hash = `case=${encodeURIComponent(name)}`; }, cases[5].name);
    await page.waitForSelector('dialog[open][data-case]');
    assert.equal(await page.locator('dialog .id').innerText(), cases[5].name);
    assert.match(await page.locator('dialog').innerText(), /Not drawn: samples of/);
    await page.keyboard.press('Escape');
  },
};

// What is the harder to keep the more a record holds.
const sizeChecks = {
  ...firstPlotChecks,
  ...Object.fromEntries(['no page scrolls sideways, at 200 % zoom neither', 'no table is wider than the screen at first, and its first column stays'].map((name) => [name, commonChecks[name]])),
};

// Legends and labels of a figure that are cut off: beyond its drawing or its place in the page, or ended by …
const cutOff = (figure) => figure.evaluate((element) => {
  const svg = element.querySelector('svg.marks');
  const place = element.querySelector('.plot').getBoundingClientRect(), whole = svg.getBoundingClientRect();
  const [left, right] = [Math.max(place.left, whole.left), Math.min(place.right, whole.right)];
  const texts = [...svg.querySelectorAll('.role-legend-label text, .role-legend-title text, .role-axis-label text, .role-axis-title text, .role-title text')];
  return texts.filter((text) => text.textContent && text.getAttribute('opacity') !== '0').filter((text) => {
    const box = text.getBoundingClientRect();
    return text.textContent.endsWith('…') || box.left < left - 1 || box.right > right + 1 || box.top < whole.top - 1 || box.bottom > whole.bottom + 1;
  }).map((text) => text.textContent);
});

const labelChecks = {
  async 'no legend and no label is cut off, on a screen or a phone'() {
    const [shown] = data.records;
    const plots = [...shown.operations.flatMap((operation) => operation.plots), ...shown.run_plots, ...[shown.answer?.plot, shown.ladder?.plot, ...shown.exhibits.map(({ plot }) => plot)].filter(Boolean)];
    const kinds = new Set();
    const turns = new Map(); // on the wider screen
    let cut = 0, words = 0;
    for (const width of [1280, 400]) {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForTimeout(600); // until what is in view is redrawn
      for (const { name, kind } of plots) {
        if (kind === 'picture') continue; // a canvas
        const figure = await drawn(name, turns.get(name) ?? 0);
        const found = await cutOff(figure);
        if (found.length > 0) console.error(`${name} at ${width} px: cut off are ${found.slice(0, 3).join(' | ')}`);
        cut += found.length;
        words += await figure.locator('svg .role-legend-label text').count();
        kinds.add(kind);
      }
      for (const { name } of plots) turns.set(name, await turnOf(name));
    }
    console.log(`${words} labels of legends, ${cut} words cut off; kinds: ${[...kinds].join(', ')}`);
    assert.equal(cut, 0);
    assert.ok(words > 0);
  },

  async 'one that is cut off is seen'() {
    const name = await page.locator('figure[data-plot]:visible', { has: page.locator('.role-legend-label text') }).first().getAttribute('data-plot');
    const figure = page.locator(`figure[data-plot="${name}"]`);
    assert.deepEqual(await cutOff(figure), []);
    await figure.locator('.role-legend-label text').last().evaluate((text) => { text.textContent = 'a name that is much longer than '.repeat(12); });
    assert.equal((await cutOff(figure)).length, 1);
    await page.setViewportSize({ width: 1400, height: 900 });
  },
};

const committedChecks = {
  ...firstPlotChecks,
  ...Object.fromEntries(['no table is wider than the screen at first, and its first column stays', 'links land, though plots above them are drawn late',
    'on paper plots are dark on white, and nothing is cut off'].map((name) => [name, commonChecks[name]])),

  async 'every plot has marks, and no mark or word that is cut off'() {
    const [shown] = data.records;
    const plots = [...shown.operations.flatMap((operation) => operation.plots), ...shown.run_plots];
    if (shown.answer?.plot) plots.unshift(shown.answer.plot);
    assert.ok(plots.some(({ kind }) => kind === 'roofline'));
    for (const { name, kind } of plots) {
      const figure = await drawn(name);
      if (kind === 'picture') continue; // a canvas
      const marks = await Promise.all(['symbol', 'rect', 'line', 'area'].map((mark) => marksOf(figure, mark)));
      assert.ok(marks.flat().reduce((a, b) => a + b, 0) > 0, name);
      const [inner, outer] = await figure.locator('svg.marks').evaluate((svg) => {
        const at = svg.getBoundingClientRect();
        const { x, y, right, bottom } = svg.querySelector('g').getBoundingClientRect();
        return [[x - at.x, y - at.y, right - at.x, bottom - at.y], [at.width, at.height]];
      });
      assert.ok(inner[0] > -2 && inner[1] > -2 && inner[2] < outer[0] + 2 && inner[3] < outer[1] + 2, `${name}: ${inner} in ${outer}`);
    }
  },
};

const checks = { asked: { ...commonChecks, ...policyChecks, ...firstPlotChecks, ...askedChecks }, exhibits: exhibitChecks, launches: { ...commonChecks, ...launchesChecks }, counted: { ...commonChecks, ...countedChecks }, graded: { ...commonChecks, ...qualityChecks }, sides: { ...commonChecks, ...sidesChecks }, bare: bareChecks, committed: committedChecks, sizes: sizeChecks, labels: labelChecks }[checksName];

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
