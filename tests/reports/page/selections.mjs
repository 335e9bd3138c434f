// The page's selections against the examples that C++ and Python are held to: node selections.mjs HTML_FOLDER EXAMPLES
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const [folder, examples] = process.argv.slice(2);
const shared = JSON.parse(readFileSync(examples, 'utf8'));
const record = { label: 'H200, two words', unmeasured: [] };
record.cases = shared.cases.map(({ operation, variant, cache, axes }) => ({
  name: [operation, variant, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`), `@${cache}`].join('/'), operation, variant, cache_state: cache, axes, record,
}));
const { cases } = record;

const location = { search: '', pathname: '', hash: '' };
const history = { replaceState: (state, title, address) => { location.search = address; } };
const scripts = ['selection.js', 'filters.js'].map((name) => readFileSync(`${folder}/${name}`, 'utf8')).join('\n');
const page = new Function('records', 'location', 'history', `'use strict';\n${scripts}\nreturn { Selection, selectionWords, passes, pick, filterText, readFilters, readAddress, writeAddress };`)([record], location, history);

function selected(words) {
  const chosen = new page.Selection(cases);
  words.forEach((word) => chosen.add(word));
  return cases.flatMap((entry, i) => (chosen.selects(entry) ? [i] : []));
}

for (const { words, selects, says } of shared.selections) {
  if (says === undefined) assert.deepEqual(selected(words), selects, words.join(' '));
  else assert.throws(() => selected(words), (error) => error.message.includes(says) || assert.fail(`${words.join(' ')}: ${error.message}, expected ${says}`));
}
for (const { text, words } of shared.texts) assert.deepEqual(page.selectionWords(text), words, text);

// What boxes choose is in the address, whatever the names contain, and one name is in the field too.
const passing = () => cases.flatMap((entry, i) => (page.passes(entry) ? [i] : []));
for (const [i, one] of cases.entries())
  for (const other of cases.slice(i)) {
    assert.deepEqual(page.readFilters(''), []);
    page.pick('record', record.label, true);
    for (const { variant } of [one, other]) page.pick('variant', variant, true);
    const wanted = passing();
    page.writeAddress();
    if (one === other) {
      assert.deepEqual(page.readFilters(page.filterText()), [], one.variant);
      assert.deepEqual(passing(), wanted, one.variant);
    }
    assert.deepEqual(page.readAddress(), [], location.search);
    assert.deepEqual(passing(), wanted, location.search);
  }
assert.deepEqual(page.readFilters('points=1 variant=direct').length, 1);
assert.deepEqual(passing(), selected(['variant=direct']), 'what no case has is told and left out');
