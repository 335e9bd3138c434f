// Advance widths of a font's file (TrueType or OpenType), in ems by code point.
import { readFileSync } from 'node:fs';

const longestFile = 64 << 20; // bytes

export function advancesOf(file) {
  const bytes = readFileSync(file);
  if (bytes.length > longestFile) throw new Error(`${file}: expected a font of at most ${longestFile} bytes`);
  const begin = bytes.toString('latin1', 0, 4) === 'ttcf' ? bytes.readUInt32BE(12) : 0; // the first font of a collection
  const tables = new Map();
  for (let i = 0; i < bytes.readUInt16BE(begin + 4); ++i) {
    const at = begin + 12 + 16 * i;
    tables.set(bytes.toString('latin1', at, at + 4), bytes.readUInt32BE(at + 8));
  }
  const [head, hhea, hmtx, cmap] = ['head', 'hhea', 'hmtx', 'cmap'].map((name) => {
    if (!tables.has(name)) throw new Error(`${file}: expected a table '${name}'`);
    return tables.get(name);
  });
  const unitsPerEm = bytes.readUInt16BE(head + 18);
  const metrics = bytes.readUInt16BE(hhea + 34); // of the glyphs from the first on; those behind have the last one's
  const glyphs = glyphsOf(bytes, cmap, file);
  return (letter) => {
    const glyph = glyphs(letter.codePointAt(0));
    return glyph === 0 ? undefined : bytes.readUInt16BE(hmtx + 4 * Math.min(glyph, metrics - 1)) / unitsPerEm;
  };
}

// The glyph of a code point, 0 where the font has none: by the segments of Unicode's basic plane (format 4), which every font has.
function glyphsOf(bytes, cmap, file) {
  for (let i = 0; i < bytes.readUInt16BE(cmap + 2); ++i) {
    const [platform, at] = [bytes.readUInt16BE(cmap + 4 + 8 * i), cmap + bytes.readUInt32BE(cmap + 8 + 8 * i)];
    if ((platform !== 0 && platform !== 3) || bytes.readUInt16BE(at) !== 4) continue;
    const segments = bytes.readUInt16BE(at + 6) / 2;
    const [ends, starts] = [at + 14, at + 16 + 2 * segments];
    const [deltas, offsets] = [starts + 2 * segments, starts + 4 * segments];
    return (code) => {
      for (let segment = 0; segment < segments; ++segment) {
        if (code > bytes.readUInt16BE(ends + 2 * segment)) continue;
        const start = bytes.readUInt16BE(starts + 2 * segment);
        if (code < start) return 0;
        const [delta, offset] = [bytes.readUInt16BE(deltas + 2 * segment), bytes.readUInt16BE(offsets + 2 * segment)];
        if (offset === 0) return (code + delta) & 0xffff;
        const glyph = bytes.readUInt16BE(offsets + 2 * segment + offset + 2 * (code - start));
        return glyph === 0 ? 0 : (glyph + delta) & 0xffff;
      }
      return 0;
    };
  }
  throw new Error(`${file}: expected a table of characters in format 4`);
}
