// Puts the page together.

const kinds = [
  ['waterfall', 'Waterfall: one switch a step'],
  ['speed_up', 'Speed-up over the baseline'],
  ['quality', 'Quality of the output against time'],
  ['picture', 'Pictures of the output'],
  ['scaling', 'Time and throughput against input size'],
  ['metrics', 'Time and counters against input size'],
  ['kernels', 'Cycles by kernel'],
  ['timeline', 'Activity over time'],
  ['floor', 'Time over the binding floor'],
  ['merging', 'Atomics: points merged into one'],
  ['trend', 'Times by date'],
];

const identifier = (...words) => words.join('-').replaceAll(/[^A-Za-z0-9_-]/g, '-').toLowerCase();

// A heading that the contents name.
function section(contents, level, title, ...children) {
  const id = identifier(contents.prefix, title);
  contents.entries.push({ level, title, id });
  return make('section', { id }, make(`h${level}`, {}, title), ...children);
}

// Why plots of counters are missing, in the record's own words.
function countersMissing(record) {
  const counted = record.cases.filter(hasCounters).length;
  if (counted > 0) return null;
  const rung = record.evidence.find(({ rung: name, available }) => name === 'range_counters' && !available);
  const reasons = [...new Set(record.cases.map(({ counters }) => counters.reason).filter(Boolean))];
  const reason = [rung?.reason, ...reasons].filter(Boolean).join('; ') || 'the record does not say why';
  return make('p', { class: 'missing', 'data-missing': 'counters' }, `This record has no hardware counters: ${reason}.`);
}

// What each switch is worth, and what follows from it.
function ablationSections(record, operation, contents) {
  const { ablation } = operation;
  if (ablation.worths.lines.length === 0) return [];
  const table = (from, label) => textTable(record, from, `${operation.name}: ${label}`);
  const folded = (title, from, label) => (from.lines.length === 0 ? null
    : make('details', {}, make('summary', {}, title), table(from, label)));
  const out = [section(contents, 3, 'What each switch is worth',
    ...[make('p', { class: 'note' }, `${ablation.how} Over all workloads, whatever the filters.`),
      table(ablation.worths, 'what each switch is worth'),
      ablation.more_worths > 0 ? make('p', { class: 'note' }, `${ablation.more_worths} further pairs of values, of smaller effect, stand in ablation.csv.`) : null,
      folded('Where the winner changes along an axis', ablation.crossovers, 'where the winner changes'),
      folded('Two switches together, against the product of their single effects', ablation.interactions, 'two switches together')].filter(Boolean))];
  if (ablation.waterfalls.length > 0 || ablation.without_waterfall.length > 0)
    out.push(section(contents, 3, 'From the baseline to the fastest variant',
      ...ablation.waterfalls.flatMap(({ heading, steps }, i) => [make('p', {}, ...sentence(heading)), table(steps, `waterfall ${i + 1}`)]),
      ...ablation.without_waterfall.map((text) => make('p', { class: 'note' }, ...sentence(text)))));
  return out;
}

function operationSections(record, operation, contents) {
  for (const plot of operation.plots) {
    plot.record = record;
    const rows = plot.specification.datasets?.samples ?? plot.specification.data.values;
    plot.cases = [...new Set(rows.map((row) => row.case))].map((i) => record.cases[i]);
  }
  const element = section(contents, 2, operation.name, make('p', {}, operation.description),
    make('p', { class: 'note' }, `Baseline: ${operation.baseline}. Point at a mark for its case and exact values; click it, or any number in a table, for everything that the record says of that case.`));
  element.dataset.operation = operation.name;
  if (hasManyAxes(operation))
    element.append(make('p', { class: 'note' }, `The usual workload: ${Object.entries(operation.usual).map(([axis, value]) => `${axis}=${value}`).join(', ')}. Another is told by what sets it apart from this one.`));
  element.append(section(contents, 3, 'Variants by workload', comparisonTable(record, operation)));
  element.append(...ablationSections(record, operation, contents));
  if (operation.policies.lines.length > 0)
    element.append(section(contents, 3, 'Dispatch policies',
      make('p', { class: 'note' }, 'Over all workloads where a policy’s pick and another variant were measured, whatever the filters: how often it is within 2 % of the best, and its time over the best.'),
      textTable(record, operation.policies, `${operation.name}: dispatch policies`)));
  for (const [kind, title] of kinds) {
    const plots = operation.plots.filter((plot) => plot.kind === kind);
    if (kind === 'metrics') {
      const missing = countersMissing(record);
      if (missing) element.append(section(contents, 3, 'Counters', missing));
    }
    if (plots.length === 0) continue;
    const here = section(contents, 3, title, plots.map(makePlot), make('p', { class: 'nothing', hidden: true }, 'No plot of this kind has a case that passes the filters.'));
    if (kind === 'scaling' && operation.scaling_left_out > 0) here.append(make('p', { class: 'note' }, `${operation.scaling_left_out} further sweeps are not plotted; the tables have them.`));
    element.append(here);
  }
  if (casesOf(record, operation).some((entry) => hasCounters(entry) && entry.counters.kernels.length > 0))
    element.append(section(contents, 3, 'Counters of each kernel', kernelTable(record, operation)));
  if (operation.kernels.lines.length > 0)
    element.append(section(contents, 3, 'Static facts and theoretical occupancy', textTable(record, operation.kernels, `${operation.name}: static facts`)));
  element.append(section(contents, 3, 'All cases', caseTable(record, operation)));
  return element;
}

function recordSections(record, contents) {
  const out = record.operations.map((operation) => operationSections(record, operation, contents));
  out.push(section(contents, 2, 'Cases not measured', record.unmeasured.length === 0
    ? make('p', {}, 'None: every case of the suite was measured.') : unmeasuredTable(record)));
  out.push(section(contents, 2, 'Measured ceilings', record.ceilings.lines.length === 0
    ? make('p', {}, 'None was measured in this run, so no case has floors.') : textTable(record, record.ceilings, 'measured ceilings')));
  out.push(section(contents, 2, 'Cache states and timing', textTable(record, record.cache_states, 'cache states')));
  out.push(section(contents, 2, 'How every number was measured', make('ul', {}, record.how.map((line) => make('li', {}, sentence(line))))));
  return out;
}

function recordHeader(record) {
  return make('div', { class: 'record' },
    make('h1', {}, `${record.suite} `, make('span', {}, `on ${record.device}`)),
    make('p', {}, record.description),
    make('dl', {}, record.facts.flatMap(([name, value]) => [make('dt', {}, name), make('dd', {}, ...sentence(value))])));
}

const isWide = matchMedia('(min-width: 901px)').matches;

function start() {
  document.getElementById('header').append(...records.map(recordHeader));
  const main = document.getElementById('content');
  const nav = document.getElementById('contents');
  makeFiltersReady(() => {
    for (const [i, record] of records.entries()) {
      const contents = { prefix: `record${i}`, entries: [] };
      if (records.length > 1) main.append(make('h1', {}, record.device));
      main.append(...recordSections(record, contents));
      nav.append(make('details', { open: isWide }, make('summary', {}, records.length > 1 ? record.device : 'Contents'),
        make('ul', {}, contents.entries.map(({ level, title, id }) => make('li', { class: `level${level}` }, make('a', { href: `#${id}` }, title))))));
    }
  });
  openLinked();
  document.documentElement.dataset.ready = 'true';
}

function refresh() {
  refreshTables();
  refreshPlots();
  for (const nothing of document.querySelectorAll('.nothing'))
    nothing.hidden = [...nothing.parentElement.querySelectorAll('figure')].some((figure) => !figure.hidden);
}

// Tables and plots ask the filters, so these come first.
function makeFiltersReady(makeContent) {
  allFacets = facets();
  makeContent();
  makeFilters(document.getElementById('filters'), refresh);
}

function openLinked() {
  const linked = /^#case=(.+)$/.exec(location.hash);
  if (!linked) return;
  const name = decodeURIComponent(linked[1]);
  const entry = records.flatMap(({ cases }) => cases).find((one) => one.name === name);
  if (entry) showDetails(entry);
}

document.addEventListener('click', ({ target }) => {
  const link = target.closest?.('button.case');
  if (link) showDetails(caseOfKey(link.dataset.case));
});
document.getElementById('details').addEventListener('close', () => history.replaceState(null, '', location.pathname + location.search));
document.getElementById('details').addEventListener('click', ({ target, currentTarget }) => {
  if (target === currentTarget) currentTarget.close(); // beside the panel
});
addEventListener('hashchange', openLinked);
addEventListener('beforeprint', drawAllForPrint);
darkScheme.addEventListener('change', refreshPlots);
start();
