// The page's selections against the examples that C++ and Python are held to: node selections.mjs SELECTION_JS EXAMPLES
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';

const [script, examples] = process.argv.slice(2);
const { Selection, selectionWords } = new Function(`'use strict';\n${readFileSync(script, 'utf8')}\nreturn { Selection, selectionWords };`)();
const shared = JSON.parse(readFileSync(examples, 'utf8'));

const cases = shared.cases.map(({ operation, variant, cache, axes }) => ({
  name: [operation, variant, ...Object.entries(axes).map(([axis, value]) => `${axis}=${value}`), `@${cache}`].join('/'), operation, variant, cache_state: cache, axes,
}));

function selected(words) {
  const chosen = new Selection(cases);
  words.forEach((word) => chosen.add(word));
  return cases.flatMap((entry, i) => (chosen.selects(entry) ? [i] : []));
}

for (const { words, selects, says } of shared.selections) {
  if (says === undefined) assert.deepEqual(selected(words), selects, words.join(' '));
  else assert.throws(() => selected(words), (error) => error.message.includes(says) || assert.fail(`${words.join(' ')}: ${error.message}, expected ${says}`));
}
for (const { text, words } of shared.texts) assert.deepEqual(selectionWords(text), words, text);
console.log(`${shared.selections.length} selections, ${shared.texts.length} texts`);
