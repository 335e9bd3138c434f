// A record's JSON, from a file as `ablate run` writes it or compressed by xz; its contents tell which. If there is no file of
// this name, the one with .xz appended.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';

const magicOfXz = Buffer.from('\xfd7zXZ\0', 'latin1');
const mostBytes = 256 << 20; // more is no record: the largest one has a ninth of it

export function readRecord(named) {
  const file = !existsSync(named) && existsSync(`${named}.xz`) ? `${named}.xz` : named;
  const bytes = readFileSync(file);
  if (!bytes.subarray(0, magicOfXz.length).equals(magicOfXz)) return JSON.parse(bytes.toString('utf8'));
  try {
    return JSON.parse(execFileSync('xz', ['-d', '-c', '-q'], { input: bytes, maxBuffer: mostBytes, encoding: 'utf8', stdio: 'pipe' }));
  } catch (error) {
    const said = String(error.stderr ?? '').trim() || error.message;
    throw new Error(`expected a whole file as xz writes it: ${said.split('\n')[0]}; fetch or compress it again`);
  }
}
