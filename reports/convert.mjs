// node convert.mjs BROWSER ZOOM FILE.svg…: prints each drawing as FILE.pdf, one page of its size, and FILE.png, ZOOM times
// as many points. BROWSER is Chromium's program. Exit code 1 when one cannot be made.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [executablePath, zoom, ...files] = process.argv.slice(2);
const profile = mkdtempSync(join(tmpdir(), 'ablate-chromium-'));
let failed = false;
try {
  const context = await chromium.launchPersistentContext(profile, {
    executablePath, headless: true, colorScheme: 'light', deviceScaleFactor: Number(zoom),
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update', '--disable-sync'],
  });
  const page = context.pages()[0] ?? (await context.newPage());
  for (const file of files) {
    try {
      const svg = readFileSync(file, 'utf8');
      await page.setContent(`<!doctype html><style>html, body { margin: 0 } svg { display: block }</style>${svg}`);
      const { width, height } = await page.locator('svg').first().boundingBox();
      const name = file.replace(/\.svg$/, '');
      const [wide, high] = [Math.ceil(width), Math.ceil(height)];
      await page.pdf({ path: `${name}.pdf`, width: `${wide}px`, height: `${high + 1}px`, pageRanges: '1', printBackground: true });
      await page.setViewportSize({ width: wide, height: high });
      await page.screenshot({ path: `${name}.png` });
    } catch (error) {
      console.error(`${file}: ${error.message}`);
      failed = true;
    }
  }
  await context.close();
} catch (error) {
  console.error(error.message);
  failed = true;
} finally {
  rmSync(profile, { recursive: true, force: true });
}
process.exit(failed ? 1 : 0);
