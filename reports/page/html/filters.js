// What the reader has chosen: a selection of cases (selection.js), and records where the page has several.

let picked; // a Selection among all cases of the page
const pickedRecords = new Set(); // labels; none: all

const properties = [
  { key: 'record', title: 'record', of: (entry) => entry.record.label },
  { key: 'operation', title: 'operation', of: (entry) => entry.operation },
  { key: 'variant', title: 'variant', of: (entry) => entry.variant },
  { key: 'cache', title: 'cache state', of: (entry) => entry.cache_state },
];

const plottedCases = () => records.flatMap((record) => record.cases.filter((entry) => !entry.ceiling));

// The properties by which the cases differ, each with its values: integers by value, words as in the record.
function facets() {
  const axes = new Set(plottedCases().flatMap((entry) => Object.keys(entry.axes)));
  const all = [...properties, ...[...axes].map((axis) => ({ key: axis, title: axis, of: (entry) => entry.axes[axis] }))];
  return all.map((property) => {
    const counts = new Map();
    for (const entry of [...plottedCases(), ...records.flatMap((record) => record.unmeasured)]) {
      const value = property.of(entry);
      if (value !== undefined) counts.set(value, (counts.get(value) ?? 0) + 1);
    }
    const values = [...counts.keys()];
    if (values.every((value) => /^-?\d+$/.test(value))) values.sort((a, b) => a - b);
    return { ...property, values, counts };
  }).filter(({ values }) => values.length > 1);
}

let allFacets = [];

const passes = (entry) => (pickedRecords.size === 0 || pickedRecords.has(entry.record.label)) && picked.selects(entry);

// A calibration is measured for all operations: no filter hides it.
const passesTable = (entry) => Boolean(entry.ceiling) || passes(entry);

const isFiltered = () => pickedRecords.size + picked.ids.length + picked.terms.size + picked.parts.length > 0;

// The values chosen of each name.
const pickedTerms = () => [...(pickedRecords.size > 0 ? [['record', [...pickedRecords]]] : []), ...picked.terms];

const isPicked = (key, value) => (key === 'record' ? pickedRecords.has(value) : Boolean(picked.terms.get(key)?.includes(value)));

function pick(key, value, on) {
  if (key === 'record') {
    pickedRecords[on ? 'add' : 'delete'](value);
    return;
  }
  const values = (picked.terms.get(key) ?? []).filter((one) => one !== value);
  if (on) values.push(value);
  if (values.length > 0) picked.terms.set(key, values);
  else picked.terms.delete(key);
}

// What is chosen as the command line says it: variant=global_atomic points=65536,131072 lidar
const filterText = () => [...pickedTerms().map(([key, values]) => `${key}=${values.join(',')}`), ...picked.ids, ...picked.parts]
  .map((word) => (/[ \t\n\r\f\v]/.test(word) ? `"${word}"` : word)).join(' ');

function pickRecords(labels) {
  const known = records.map(({ label }) => label);
  for (const label of labels) {
    if (!known.includes(label)) throw noSuch('record', label, known);
    pickedRecords.add(label);
  }
}

// Takes over what `steps` choose, one after another; what is wrong with some of them.
function pickAnew(steps) {
  picked = new Selection([...plottedCases(), ...records.flatMap(({ unmeasured }) => unmeasured)]);
  pickedRecords.clear();
  return steps.flatMap((step) => {
    try {
      step();
      return [];
    } catch (error) {
      return [error.message];
    }
  });
}

const recordsIn = (text) => (records.some(({ label }) => label === text) ? [text] : text.split(',').filter(Boolean));

const readFilters = (text) => pickAnew(selectionWords(text).map((word) => (
  word.startsWith('record=') ? () => pickRecords(recordsIn(word.slice('record='.length))) : () => picked.add(word))));

// The address says it too, in the same words: ?variant=global_atomic&points=65536,131072&id=lidar
function writeAddress() {
  const query = [...pickedTerms().map(([key, values]) => `${encodeURIComponent(key)}=${values.map(encodeURIComponent).join(',')}`),
    ...[...picked.ids, ...picked.parts].map((word) => `id=${encodeURIComponent(word)}`)].join('&');
  history.replaceState(null, '', `${location.pathname}${query ? `?${query}` : ''}${location.hash}`);
}

function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

const readAddress = () => pickAnew(location.search.slice(1).split('&').filter(Boolean).map((pair) => {
  const [key, ...rest] = pair.split('=');
  const values = rest.join('=').split(',').map(decoded);
  if (key === 'id') return () => picked.add(decoded(rest.join('=')));
  if (key === 'record') return () => pickRecords(values);
  return () => picked.addTerm(picked.knownTerm(decoded(key), values));
}));

function makeFilters(form, changed) {
  allFacets = facets();
  const boxes = [];
  const count = make('output', { class: 'count', 'aria-live': 'polite' });
  const wrong = make('p', { class: 'missing', role: 'status', hidden: true });
  const update = () => {
    const cases = plottedCases();
    count.textContent = `${cases.filter(passes).length} of ${cases.length} cases`;
    reset.disabled = !isFiltered();
    for (const { box, key, value } of boxes) box.checked = isPicked(key, value);
    writeAddress();
    changed();
  };
  const tell = (complaints) => {
    wrong.hidden = complaints.length === 0;
    wrong.textContent = complaints.map((complaint) => `${complaint}.`).join(' ');
    update();
  };
  const read = (text) => tell(readFilters(text));
  const search = make('input', {
    type: 'search', placeholder: 'axis=value … or an id', 'aria-label': 'filters: axis=value, or an id, variant, value or cache state in full', spellcheck: 'false',
    oninput: ({ target }) => read(target.value),
  });
  const reset = make('button', {
    type: 'button',
    onclick: () => {
      search.value = '';
      read('');
    },
  }, 'Show all');
  form.addEventListener('submit', (event) => event.preventDefault());
  form.append(make('div', { class: 'filters-head' }, make('h2', {}, 'Filters'), count, reset), search, wrong);
  const all = make('details', { open: isWide }, make('summary', {}, 'By operation, variant, axis'));
  form.append(all);
  for (const { key, title, values, counts } of allFacets) {
    const labels = values.map((value) => {
      const box = make('input', {
        type: 'checkbox', name: key, value,
        onchange: ({ target }) => {
          pick(key, value, target.checked);
          search.value = filterText();
          update();
        },
      });
      boxes.push({ box, key, value });
      return make('label', {}, box, make('span', {}, value), make('small', {}, String(counts.get(value))));
    });
    all.append(make('details', { open: isWide && (['operation', 'variant', 'cache'].includes(key) || values.length <= 4) },
      make('summary', {}, title), make('div', { class: 'choices', role: 'group', 'aria-label': title }, labels)));
  }
  const complaints = readAddress();
  search.value = filterText();
  tell(complaints);
}
