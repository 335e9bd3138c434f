// Which cases words mean: the grammar and its semantics are those of base/record/selection.h, and
// tests/reports/data/selections.json tests both.

const canonicalName = (name) => new Map([['variants', 'variant'], ['cache_state', 'cache']]).get(name) ?? name;

const isInteger = (word) => /^-?[0-9]+$/.test(word);
const isNumber = (word) => /^-?([0-9]+([.][0-9]+)?|[.][0-9]+)([eE][-+]?[0-9]+)?$/.test(word) && Number.isFinite(Number(word));
// Integers of any length, other numbers as doubles: 0.50 is 0.5.
const sameValue = (a, b) => a === b || (isInteger(a) && isInteger(b) ? BigInt(a) === BigInt(b) : isNumber(a) && isNumber(b) && Number(a) === Number(b));
const once = (words) => [...new Set(words)];

// The words of one text: split at spaces, except in double quotes.
const selectionWords = (text) => (text.match(/(?:[^ \t\n\r\f\v"]|"[^"]*(?:"|$))+/g) ?? []).map((word) => word.replaceAll('"', ''));

const inBytes = (word) => new TextEncoder().encode(word);

function edits(a, b) {
  const row = Array.from({ length: b.length + 1 }, (_, j) => j);
  a.forEach((one, i) => {
    let diagonal = row[0];
    row[0] = i + 1;
    b.forEach((other, j) => {
      const replaced = diagonal + (one === other ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = Math.min(replaced, row[j + 1] + 1, row[j] + 1);
    });
  });
  return row[b.length];
}

function didYouMean(name, known) {
  const of = inBytes(name);
  let near = null;
  let fewest = Math.max(2, Math.floor(of.length / 2)) + 1;
  for (const candidate of known) {
    const to = inBytes(candidate);
    const distance = edits(of, to);
    if (distance < fewest && distance < to.length) [near, fewest] = [candidate, distance];
  }
  return near === null ? '' : ` (did you mean '${near}'?)`;
}

const noSuch = (kind, name, known) => new Error(`no ${kind} '${name}'${didYouMean(name, known)}; ${known.length === 0 ? 'there is none' : `expected one of ${known.map((one) => `'${one}'`).join(', ')}`}`);

// Of cases with {name, operation, variant, cache_state, axes}. A word that means none of them throws an Error.
class Selection {
  constructor(cases) {
    this.all = cases;
    this.ids = [];
    this.terms = new Map(); // name -> values, as the cases spell them
    this.parts = [];
  }

  static value(entry, name) {
    if (name === 'operation' || name === 'variant') return entry[name];
    return name === 'cache' ? entry.cache_state : entry.axes[name];
  }

  static hasPart(entry, part) {
    if (part.startsWith('@')) return entry.cache_state === part.slice(1);
    return [entry.operation, entry.variant, entry.cache_state].includes(part) || Object.values(entry.axes).some((value) => sameValue(value, part));
  }

  values(name) {
    return once(this.all.map((entry) => Selection.value(entry, name)).filter((value) => value !== undefined));
  }

  // {name, values} of "points=65536,131072", the values as the cases spell them.
  term(word) {
    const equals = word.indexOf('=');
    const written = equals < 0 ? '' : word.slice(0, equals);
    const text = word.slice(equals + 1);
    const values = text.split(',').filter(Boolean);
    if (written === '' || values.length === 0) throw new Error(`expected AXIS=VALUE[,VALUE...], found '${word}'`);
    return this.knownTerm(written, this.values(canonicalName(written)).includes(text) ? [text] : values);
  }

  knownTerm(written, wanted) {
    const name = canonicalName(written);
    const known = this.values(name);
    if (known.length === 0) throw noSuch('axis', name, once([...this.all.flatMap((entry) => Object.keys(entry.axes)), 'operation', 'variant', 'cache']));
    const isAxis = !['operation', 'variant', 'cache'].includes(name);
    const kind = isAxis ? `value of axis '${name}'` : name === 'cache' ? 'cache state' : name;
    return { name, values: once(wanted.map((word) => {
      const value = isAxis && word === 'all' && known.every(isInteger) ? '0' : word;
      const same = known.includes(value) ? value : known.find((one) => sameValue(one, value));
      if (same === undefined) throw noSuch(kind, value, known);
      return same;
    })) };
  }

  isTerm(word) {
    try {
      return Boolean(this.term(word));
    } catch {
      return false;
    }
  }

  addTerm({ name, values }) {
    if (this.terms.has(name)) throw new Error(`'${name}' is given twice; expected its values together, separated by commas`);
    this.terms.set(name, values);
  }

  add(word) {
    const pieces = word.split('/').filter(Boolean);
    if (this.all.some(({ name }) => name === word)) this.ids.push(word);
    else if (this.isTerm(word)) this.addTerm(this.term(word));
    else if (this.all.some((entry) => Selection.hasPart(entry, word))) this.parts.push(word);
    else if (pieces.length > 1 || word.endsWith('/')) pieces.forEach((piece) => this.add(piece));
    else if (word.includes('=')) this.addTerm(this.term(word));
    else {
      const known = once(this.all.flatMap((entry) => (word.startsWith('@') ? [`@${entry.cache_state}`] : [entry.operation, entry.variant, entry.cache_state, ...Object.values(entry.axes)])));
      throw new Error(`no case is or has '${word}'${didYouMean(word, known)}; expected an id, axis=value, or an operation, variant, value or cache state in full`);
    }
  }

  selects(entry) {
    return (this.ids.length === 0 || this.ids.includes(entry.name))
      && [...this.terms].every(([name, values]) => {
        const own = Selection.value(entry, name);
        return own !== undefined && values.some((value) => sameValue(own, value));
      })
      && this.parts.every((part) => Selection.hasPart(entry, part));
  }
}
