// Puts the page together.

const kinds = [
  ['scaling', 'Time and throughput against input size'],
  ['speed_up', 'Speed-up over the baseline'],
  ['best', 'Time over the fastest variant, by size'],
  ['energy', 'Energy of a launch against time'],
  ['waterfall', 'Waterfall: one switch a step'],
  ['metrics', 'Time and counters against input size'],
  ['roofline', 'Roofline'],
  ['floor', 'Time over the binding floor'],
  ['kernels', 'Cycles by kernel'],
  ['merging', 'Atomics: points merged into one'],
  ['quality', 'Quality of the output against time'],
  ['picture', 'Pictures of the output'],
  ['timeline', 'Activity over time'],
  ['trend', 'Times by date'],
];

const identifier = (...words) => words.join('-').replaceAll(/[^A-Za-z0-9_-]/g, '-').toLowerCase();

// A heading that the contents name; its id ends in `name`, or else in the title.
function section(contents, level, title, ...children) {
  return namedSection(contents, level, title, title, ...children);
}

function namedSection(contents, level, title, name, ...children) {
  const id = identifier(contents.prefix, name);
  contents.entries.push({ level, title, id });
  return make('section', { id }, make(`h${level}`, {}, title), ...children);
}

// The parts of the first operation are open, those of others folded.
function contentsList(entries) {
  const link = ({ title, id }) => make('a', { href: `#${id}` }, title);
  const tops = entries.flatMap((entry, i) => {
    if (entry.level > 2) return [];
    const next = entries.findIndex(({ level }, j) => j > i && level === 2);
    return [{ entry, parts: entries.slice(i + 1, next < 0 ? entries.length : next) }];
  });
  const first = tops.find(({ parts }) => parts.length > 0);
  return make('ul', {}, tops.map((top) => make('li', {}, top.parts.length === 0 ? link(top.entry)
    : make('details', { open: top === first }, make('summary', {}, link(top.entry)), make('ul', {}, top.parts.map((part) => make('li', {}, link(part))))))));
}

// The contents of a part, whose ids begin with its name.
const within = (contents, name) => ({ prefix: identifier(contents.prefix, name), entries: contents.entries });

// Why plots of counters are missing, in the record's own words.
function countersMissing(record) {
  const counted = record.cases.filter(hasCounters).length;
  if (counted > 0) return null;
  const rung = record.evidence.find(({ rung: name, available }) => name === 'range_counters' && !available);
  const reasons = [...new Set(record.cases.map(({ counters }) => counters.reason).filter(Boolean))];
  const reason = [rung?.reason, ...reasons].filter(Boolean).join('; ') || 'the record does not say why';
  return make('p', { class: 'missing', 'data-missing': 'counters' }, `This record has no hardware counters: ${reason}.`);
}

// What follows from the switches; the overview has the switches themselves.
function ablationSections(record, operation, contents) {
  const { ablation } = operation;
  const table = (from, label) => textTable(record, from, `${operation.name}: ${label}`);
  const folded = (title, from, label) => (from.lines.length === 0 ? null
    : make('details', {}, make('summary', {}, title), table(from, label)));
  const out = [];
  if (ablation.crossovers.lines.length > 0 || ablation.interactions.lines.length > 0)
    out.push(namedSection(contents, 3, 'Switches along an axis, and together', 'switches',
      ...[make('p', { class: 'note' }, `${ablation.how} Over all workloads, ignoring the filters.`),
        folded('Where the winner changes along an axis', ablation.crossovers, 'where the winner changes'),
        folded('Two switches together, against the product of their single effects', ablation.interactions, 'two switches together')].filter(Boolean)));
  const { shares } = operation;
  if (shares)
    out.push(section(contents, 3, 'What each switch is worth, in any order',
      make('p', {}, ...sentence(shares.heading)), make('p', { class: 'note' }, shares.about),
      table(shares.table, 'what each switch is worth'),
      ...shares.sentences.map((text) => make('p', { class: 'note' }, ...sentence(text)))));
  if (ablation.waterfalls.length > 0 || ablation.without_waterfall.length > 0)
    out.push(section(contents, 3, 'From the baseline to the fastest variant',
      ...ablation.waterfalls.flatMap(({ heading, steps }, i) => [make('p', {}, ...sentence(heading)), table(steps, `waterfall ${i + 1}`)]),
      ...ablation.without_waterfall.map((text) => make('p', { class: 'note' }, ...sentence(text)))));
  return out;
}

// The text table of C++ by variant, and every case.
function workSection(record, operation, contents) {
  if (operation.work.lines.length === 0) return null;
  return section(contents, 3, 'Declared against counted work',
    make('p', { class: 'note' }, 'How many times the declared bytes, FLOPs and atomics were counted: the waste factor. DRAM bytes leave out what stays in L2, so a factor may be below 1.'),
    textTable(record, operation.work, `${operation.name}: declared against counted work`),
    lazyDetails('Floors and work of each case', () => workTable(operation)));
}

function operationSections(record, operation, recordContents) {
  for (const plot of operation.plots) plot.record = record;
  const element = section(recordContents, 2, operation.name, make('p', {}, operation.description),
    make('p', { class: 'note' }, `Baseline: ${operation.baseline}. Point at a mark for its case and exact values; click it, or any number in a table, for everything that the record says about that case.`));
  const contents = within(recordContents, operation.name);
  element.dataset.operation = operation.name;
  if (hasManyAxes(operation))
    element.append(make('p', { class: 'note' }, `The usual workload: ${Object.entries(operation.usual).map(([axis, value]) => `${axis}=${value}`).join(', ')}. Others are named by how they differ from it.`));
  element.append(...ablationSections(record, operation, contents));
  element.append(section(contents, 3, 'Variants by workload', comparisonTable(record, operation)));
  if (operation.turns.lines.length > 0)
    element.append(section(contents, 3, 'Against rivals, in turns', make('p', { class: 'note' }, operation.about_turns),
      textTable(record, operation.turns, `${operation.name}: against rivals, in turns`)));
  if (operation.policies.lines.length > 0)
    element.append(section(contents, 3, 'Dispatch policies',
      make('p', { class: 'note' }, 'Over all workloads where a policy’s pick and another variant were measured, ignoring the filters: how often it is within 2 % of the best, and its time over the best.'),
      textTable(record, operation.policies, `${operation.name}: dispatch policies`)));
  for (const [kind, title] of kinds) {
    const plots = operation.plots.filter((plot) => plot.kind === kind);
    if (kind === 'metrics') {
      const missing = countersMissing(record);
      if (missing) element.append(section(contents, 3, 'Counters', missing));
    }
    if (kind === 'floor') {
      const work = workSection(record, operation, contents);
      if (work) element.append(work);
    }
    if (plots.length === 0) continue;
    const here = section(contents, 3, title, ...plotSection(plots));
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
  return [
    answerSection(record, contents),
    ladderSection(record, contents),
    ...exhibitSections(record, contents),
    overviewSection(record, contents),
    ...record.operations.map((operation) => operationSections(record, operation, contents)),
    section(contents, 2, 'Wrong and missing cases', record.unmeasured.length === 0
      ? make('p', {}, 'None: every case of the suite was measured and correct.') : unmeasuredTable(record)),
    claimsSection(record, contents),
    noiseSection(record, contents),
    deviceSection(record, contents),
    section(contents, 2, 'Measured ceilings', record.ceilings.lines.length === 0
      ? make('p', {}, 'None was measured in this run, so no case has floors.') : textTable(record, record.ceilings, 'measured ceilings')),
    section(contents, 2, 'Cache states and timing', textTable(record, record.cache_states, 'cache states')),
    section(contents, 2, 'How every number was measured', make('ul', {}, record.how.map((line) => make('li', {}, sentence(line))))),
  ].filter(Boolean);
}

const isWide = matchMedia('(min-width: 901px)').matches;

function start() {
  document.getElementById('header').append(...records.map(recordHeader));
  const main = document.getElementById('content');
  const nav = document.getElementById('contents');
  makeFiltersReady(() => {
    const add = (title, contents, elements, open) => {
      main.append(...elements);
      nav.append(make('details', { open }, make('summary', {}, title), contentsList(contents.entries)));
    };
    if (sides) {
      const contents = { prefix: 'sides', entries: [] };
      add('Side by side', contents, sideSections(contents), isWide);
    }
    for (const record of records) {
      const contents = { prefix: `record${record.place}`, entries: [] };
      add(sides ? record.label : 'Contents', contents, [sides ? make('h1', {}, record.label) : null, ...recordSections(record, contents)].filter(Boolean), isWide && !sides);
    }
  });
  document.getElementById('print').addEventListener('click', async () => {
    await drawAllForPrint();
    print();
  });
  openLinked();
  document.documentElement.dataset.ready = 'true';
}

function refresh() {
  refreshTables();
  refreshPlots();
  unfoldPlots();
  for (const nothing of document.querySelectorAll('.nothing'))
    nothing.hidden = [...nothing.parentElement.querySelectorAll('figure')].some((figure) => !figure.hidden);
}

// Tables and plots ask the filters, so these come first.
function makeFiltersReady(makeContent) {
  allFacets = facets();
  readAddress();
  makeContent();
  makeFilters(document.getElementById('filters'), refresh);
}

// Plots are drawn when they come into view, which shifts what is below. Stays on the target until nothing above it
// moves any more.
async function landOn(target) {
  for (let folded = target.closest('details:not([open])'); folded; folded = folded.closest('details:not([open])')) folded.open = true;
  for (let round = 0, last = null; round < 40; ++round) {
    target.scrollIntoView({ behavior: 'instant', block: 'start' });
    await new Promise((resume) => { requestAnimationFrame(() => requestAnimationFrame(resume)); });
    await Promise.all(plotFigures.map(({ drawing }) => drawing).filter(Boolean));
    const { top } = target.getBoundingClientRect();
    if (top === last && !plotFigures.some(({ visible, dirty, element }) => visible && dirty && !element.hidden)) break;
    last = top;
  }
  document.documentElement.dataset.landed = target.id;
}

function openLinked() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (target) landOn(target);
  const linked = new URLSearchParams(location.hash.slice(1));
  const name = linked.get('case');
  if (!name) return;
  const of = linked.has('record') ? [records[linked.get('record')]].filter(Boolean) : records;
  const entry = of.flatMap(({ cases }) => cases).find((one) => one.name === name);
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
addEventListener('afterprint', endPrint);
const schemeListened = schemeQuery(); // kept, so that its events come
schemeListened.addEventListener('change', refreshPlots);
let lastWidth = innerWidth;
let resized = null;
addEventListener('resize', () => {
  clearTimeout(resized);
  resized = setTimeout(() => {
    if (Math.min(innerWidth, lastWidth) < 900 && innerWidth !== lastWidth) refreshPlots(); // wider screens show plots as they are
    lastWidth = innerWidth;
  }, 200);
});
start();
