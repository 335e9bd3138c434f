// What the reader has chosen, per property of a case; nothing chosen of a property means all of it.

const chosen = new Map(); // "operation", "points" … -> Set of values
let searched = []; // parts of a case's id, all of which it has

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

function passes(entry) {
  if (!searched.every((part) => entry.name.includes(part))) return false;
  return allFacets.every(({ key, of }) => !chosen.get(key)?.size || chosen.get(key).has(of(entry)));
}

// A calibration is measured for all operations: no filter hides it.
const passesTable = (entry) => Boolean(entry.ceiling) || passes(entry);

const isFiltered = () => searched.length > 0 || [...chosen.values()].some((values) => values.size > 0);

// What is chosen as the command line says it: "variant=global_atomic points=65536,131072 lidar".
const filterText = () => [...[...chosen].filter(([, values]) => values.size > 0).map(([key, values]) => `${key}=${[...values].join(',')}`), ...searched].join(' ');

// Takes over such a text; the names that no case has, with the nearest ones.
function readFilters(text) {
  chosen.clear();
  searched = [];
  const unknown = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const [, key, values] = /^([^=]+)=(.+)$/.exec(word) ?? [];
    const facet = allFacets.find((one) => one.key === key);
    if (!key) searched.push(word);
    else if (facet) chosen.set(key, new Set(values.split(',')));
    else if (plottedCases().some((entry) => entry.name.includes(word))) searched.push(word); // an axis with a single value
    else unknown.push(key);
  }
  return unknown;
}

// The address says it too, in the same words: ?variant=global_atomic&points=65536,131072&id=lidar
function writeAddress() {
  const query = [...[...chosen].filter(([, values]) => values.size > 0).map(([key, values]) => `${encodeURIComponent(key)}=${[...values].map(encodeURIComponent).join(',')}`),
    ...searched.map((part) => `id=${encodeURIComponent(part)}`)].join('&');
  history.replaceState(null, '', `${location.pathname}${query ? `?${query}` : ''}${location.hash}`);
}

const textOfAddress = () => [...new URLSearchParams(location.search)].map(([key, value]) => (key === 'id' ? value : `${key}=${value}`)).join(' ');

function makeFilters(form, changed) {
  allFacets = facets();
  const boxes = [];
  const count = make('output', { class: 'count', 'aria-live': 'polite' });
  const wrong = make('p', { class: 'missing', hidden: true });
  const update = () => {
    const cases = plottedCases();
    count.textContent = `${cases.filter(passes).length} of ${cases.length} cases`;
    reset.disabled = !isFiltered();
    for (const { box, key, value } of boxes) box.checked = Boolean(chosen.get(key)?.has(value));
    writeAddress();
    changed();
  };
  const read = (text) => {
    const unknown = readFilters(text);
    wrong.hidden = unknown.length === 0;
    wrong.textContent = `No case differs in ${unknown.map((name) => `“${name}”`).join(', ')}. Axes here: ${allFacets.map(({ key }) => key).join(', ')}.`;
    update();
  };
  const search = make('input', {
    type: 'search', placeholder: 'axis=value … or part of an id', 'aria-label': 'filters, as axis=value or as part of a case id', spellcheck: 'false',
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
          if (!chosen.has(key)) chosen.set(key, new Set());
          chosen.get(key)[target.checked ? 'add' : 'delete'](value);
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
  search.value = textOfAddress();
  read(search.value);
}
