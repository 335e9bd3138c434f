// The report's Vega-Lite specifications, drawn when they come into view, with the rows that pass the filters.

// A new query each time: one that is read between a change and its event has no event for that change.
const schemeQuery = () => matchMedia('(prefers-color-scheme: dark)');
const isDark = () => schemeQuery().matches;

// What the specifications' colors, made for white paper, are on a dark screen.
const darkColors = {
  '#000000': '#f0f0f0', '#0072B2': '#4aa3df', '#D55E00': '#ff8a3d', '#009E73': '#2fc79a', '#CC79A7': '#e29ac3',
  '#E69F00': '#ffb733', '#56B4E9': '#7cc7f2', '#882255': '#d1639a', '#999933': '#c2c255', '#332288': '#9a8cf0',
  '#777777': '#a5a5a5', '#8C510A': '#c98a4b', '#B5B5B5': '#6a727c', '#F7F7F7': '#2b2f36', '#E08214': '#a85c08', '#4393C3': '#1f6d9e', '#D0D0D0': '#3d434c', white: '#15181d',
};

const font = 'system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

const darkConfig = {
  background: 'transparent', font, view: { stroke: '#3a4048' },
  title: { color: '#e8eaed', subtitleColor: '#a8b0ba' },
  axis: { labelColor: '#c4cad2', titleColor: '#c4cad2', gridColor: '#2c3138', domainColor: '#6b737d', tickColor: '#6b737d' },
  legend: { labelColor: '#c4cad2', titleColor: '#c4cad2' }, header: { labelColor: '#c4cad2', titleColor: '#c4cad2' },
  text: { color: '#e8eaed' },
};

const lightConfig = { background: 'transparent', font };

const merged = (a, b) => Object.fromEntries([...new Set([...Object.keys(a), ...Object.keys(b)])].map((key) => [
  key, b[key] && typeof b[key] === 'object' && a[key] ? merged(a[key], b[key]) : b[key] ?? a[key]]));

function recolored(value) {
  if (typeof value === 'string') return darkColors[value] ?? value;
  if (Array.isArray(value)) return value.map(recolored);
  if (value && typeof value === 'object') return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, recolored(inner)]));
  return value;
}

// A channel that names its words keeps those that are still drawn, each with its color or shape.
function prune(node, drawn) {
  if (!node || typeof node !== 'object') return;
  const { scale, field } = node;
  if (drawn[field] && Array.isArray(scale?.domain) && scale.domain.length === scale.range?.length) {
    const kept = scale.domain.map((word, i) => [word, scale.range[i]]).filter(([word]) => drawn[field].has(word));
    node.scale = { ...scale, domain: kept.map(([word]) => word), range: kept.map(([, value]) => value) };
  }
  // Ticks were chosen for all rows.
  if (node.axis?.values && scale?.type === 'log' && field !== 'size') delete node.axis.values;
  for (const inner of Object.values(node)) prune(inner, drawn);
}

// Rows of a record's plot name their case by its index, those of a plot of several records by its key.
const caseOfRow = ({ record }, row) => (record ? record.cases[row.case] : caseOfKey(row.case));

const rowsOf = ({ specification }) => (specification.datasets ? specification.datasets.samples : specification.data.values);

// The specification with the rows of the cases that pass, or null where none is left. Rows name their case in full.
function filteredSpecification(plot) {
  const spec = structuredClone(plot.specification);
  const all = spec.datasets ? Object.values(spec.datasets) : [spec.data.values];
  const rows = all.map((of) => of.filter((row) => passes(caseOfRow(plot, row))));
  if (rows[0].length === 0) return null;
  for (const row of rows.flat()) {
    const entry = caseOfRow(plot, row);
    row.key = entry.key;
    row.case = entry.name;
  }
  if (spec.datasets) Object.keys(spec.datasets).forEach((name, i) => { spec.datasets[name] = rows[i]; });
  else spec.data.values = rows[0];
  if (isFiltered()) {
    prune({ ...spec, data: null, datasets: null }, Object.fromEntries(['variant', 'kernel', 'record', 'group'].map((field) => [field, new Set(rows.flat().map((row) => row[field]))])));
    withLegend(spec); // lines may end elsewhere
    leaveOutEmptyPanels(spec, rows[0]);
  }
  return { spec, rows: rows[0].length };
}

// A panel whose rows the filters leave out. It says by a filter which rows are its own, or by the field that it draws.
function leaveOutEmptyPanels(spec, rows) {
  if (!spec.concat) return;
  const own = (view) => {
    const filters = [view, ...(view.layer ?? [])].flatMap(({ transform }) => transform ?? []).map(({ filter }) => filter);
    const [, field, value] = filters.map((filter) => /^datum\.(panel|level) === '?([^']*?)'?$/.exec(filter)).find(Boolean) ?? [];
    if (field) return (row) => String(row[field]) === value;
    const [, valid] = filters.map((filter) => /^isValid\(datum\['(.*)'\]\)$/.exec(filter)).find(Boolean) ?? [];
    const drawn = valid ?? view.layer?.at(-1)?.encoding?.y?.field;
    return (row) => drawn === undefined || (row[drawn] !== null && row[drawn] !== undefined);
  };
  const left = spec.concat.filter((view) => rows.some(own(view)));
  if (left.length > 0) spec.concat = left;
}

// Six digits are more than any time here is worth; what is an integer stays one.
const rounded = (value) => (/^-?\d+\.\d{4,}$/.test(String(value)) ? String(Number(Number(value).toPrecision(6))) : String(value));

let isPrinting = false; // on white paper

// A page that was made without Vega has everything but the drawings; it says so at its beginning.
const canDraw = typeof vegaEmbed === 'function';

async function drawSpecification(target, spec, title, renderer = 'svg') {
  if (!canDraw) {
    target.append(make('p', { class: 'missing' }, `Not drawn: ${title}.`));
    return;
  }
  const room = roomFor(target);
  const isNarrow = room < narrowBelow;
  let view = await embed(target, isNarrow ? fitted(spec, room) : spec, title, renderer);
  // What is wider than the page has its legend below, and what still is has its panels below each other.
  for (const fit of isNarrow ? [] : [legendsBelow, fitted]) if (drawnWidth(target) > room) view = await embed(target, fit(spec, room), title, renderer);
  view.addEventListener('click', (event, item) => {
    const row = item?.datum;
    if (row?.key) showDetails(caseOfKey(row.key));
  });
}

const drawnWidth = (target) => {
  const drawn = target.querySelector('svg, canvas');
  return drawn.tagName === 'CANVAS' ? parseFloat(drawn.style.width) : Number(drawn.getAttribute('width'));
};

async function embed(target, { data, datasets, ...frame }, title, renderer) {
  const dark = isDark() && !isPrinting;
  const { aria, ...config } = merged(frame.config ?? {}, dark ? darkConfig : lightConfig);
  const themed = { ...(dark ? recolored(frame) : frame), data, datasets, config, description: title };
  if (!data) delete themed.data;
  if (!datasets) delete themed.datasets;
  const { view } = await vegaEmbed(target, themed, {
    mode: 'vega-lite', renderer,
    ast: true, // expressions are interpreted: the page's policy lets no text be run as script
    actions: { export: true, source: false, compiled: false, editor: false },
    tooltip: { theme: dark ? 'dark' : 'light', sanitize: (value) => rounded(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;') },
  });
  // Vega names gradients and clips by the page's address, which the filters change.
  for (const attribute of ['fill', 'stroke', 'clip-path'])
    for (const element of target.querySelectorAll(`[${attribute}^="url("]`)) element.setAttribute(attribute, element.getAttribute(attribute).replace(/^url\(.*#/, 'url(#'));
  return view;
}

const plotFigures = [];

const drawFigure = (figure) => {
  figure.drawing = drawNow(figure).finally(() => { figure.drawing = null; });
  return figure.drawing;
};

async function drawNow(figure) {
  figure.dirty = false;
  const { element, plot } = figure;
  const filtered = filteredSpecification(plot);
  const turn = (figure.turn = (figure.turn ?? 0) + 1);
  if (!filtered) return;
  const body = make('div', { class: 'plot' });
  await drawSpecification(body, filtered.spec, plot.title, plot.kind === 'picture' ? 'canvas' : 'svg'); // of thousands of points
  if (turn !== figure.turn) return; // the filters changed meanwhile
  element.querySelector('.plot').replaceWith(body);
  element.dataset.rows = filtered.rows;
  element.dataset.drawn = turn;
}

const inView = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    const figure = plotFigures.find(({ element }) => element === target);
    figure.visible = isIntersecting;
    if (isIntersecting && figure.dirty) drawFigure(figure);
  }
}, { rootMargin: '600px' });

// What a plot shows, for those who cannot see it or want the numbers.
function plotData(plot) {
  const internal = new Set(['case', 'place', 'doublings']);
  const fields = [...new Set(rowsOf(plot).flatMap((row) => Object.keys(row)))].filter((field) => !internal.has(field));
  const isNumber = (field) => rowsOf(plot).every((row) => row[field] === null || typeof row[field] === 'number');
  return addTable({
    label: `data of ${plot.title}`,
    columns: [
      { title: 'case', of: (row) => caseOfRow(plot, row).name, cell: (row) => caseLink(caseOfRow(plot, row), `${caseOfRow(plot, row).variant}, ${workloadText(caseOfRow(plot, row))}`) },
      ...fields.map((field) => ({ title: field, number: isNumber(field), of: (row) => row[field], cell: (row) => exact(row[field]) })),
    ],
    rows: () => rowsOf(plot).filter((row) => passes(caseOfRow(plot, row))),
  });
}

// About how high the plot will be, so that what is below it hardly moves when it is drawn.
function likelyHeight(plot) {
  const { specification: spec } = plot;
  const above = 60 + 15 * [spec.title?.subtitle ?? []].flat().length;
  const below = 50;
  const distinct = (field) => new Set(rowsOf(plot).map((row) => row[field])).size;
  const own = (view) => {
    if (typeof view.height === 'number') return view.height;
    const { y } = view.encoding ?? {};
    return (view.height?.step ?? 20) * (y?.field ? distinct(y.field) : 12);
  };
  if (spec.facet) return above + Math.ceil(distinct(spec.facet.field) / (spec.columns ?? 1)) * (own(spec.spec) + 70) + below;
  if (spec.concat) return above + Math.ceil(spec.concat.length / (spec.columns ?? spec.concat.length)) * (own(spec.concat[0]) + 70) + below;
  if (spec.vconcat) return above + spec.vconcat.reduce((sum, view) => sum + own(view) + 30, 0) + below;
  if (spec.hconcat) return above + Math.max(...spec.hconcat.map(own)) + below;
  return above + own(spec) + below;
}

// The room that a plot has on this screen; on paper there is as much as it likes, for all is scaled.
const narrowBelow = 760;
const roomFor = (target) => {
  if (isPrinting) return Infinity;
  if (target.isConnected) return target.clientWidth;
  const content = document.getElementById('content');
  const { paddingLeft, paddingRight } = getComputedStyle(content);
  return content.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
};

// In the font of the plots' labels.
const ruler = document.createElement('canvas').getContext('2d');
function measure(text) {
  ruler.font = `11px ${font}`;
  return ruler.measureText(text).width;
}

// Legends of series below the plot, in as many columns as fit.
function legendsBelow(spec, room) {
  const out = structuredClone(spec);
  withLegend(out);
  fitLegends(out, room - 20, measure, { orient: 'bottom' });
  return out;
}

const brokenTo = (text, letters) => [text].flat().flatMap((line) => {
  const lines = [''];
  for (const word of String(line).split(' ')) {
    const last = lines.at(-1);
    if (last !== '' && last.length + 1 + word.length > letters) lines.push(word);
    else lines[lines.length - 1] = last === '' ? word : `${last} ${word}`;
  }
  return lines;
});

function hasRowNames(view) {
  let found = false;
  eachPart(view, ({ y }) => { found ||= ['nominal', 'ordinal'].includes(y?.type); });
  return found;
}

// On a narrow screen panels are stacked, with legends below the plot; long names are broken.
function fitted(spec, room) {
  const out = legendsBelow(spec, room);
  const labels = Math.round(room * 0.34);
  const width = room - 76;
  const shrink = (view) => {
    if (typeof view.width === 'number') view.width = Math.min(view.width, hasRowNames(view) ? room - labels - 30 : width);
    for (const inner of view.layer ?? []) shrink(inner);
    if (view.spec) shrink(view.spec);
  };
  eachPart(out, (part) => { if (part.legend) part.legend = { ...part.legend, orient: 'bottom' }; });
  // Several legends, one below the other: side by side they would shrink the plot.
  out.config = merged(out.config ?? {}, { legend: { orient: 'bottom', layout: { bottom: { anchor: 'start', direction: 'vertical' } } } });
  if (out.title) out.title = { ...out.title, text: brokenTo(out.title.text, room / 8.5), subtitle: brokenTo(out.title.subtitle ?? [], room / 6) };
  if (out.hconcat) {
    out.vconcat = out.hconcat;
    delete out.hconcat;
  }
  if (out.concat || out.facet) out.columns = 1;
  for (const view of [out, ...(out.concat ?? out.vconcat ?? [])]) {
    shrink(view);
    fitRowNames(view, labels, measure);
  }
  return out;
}

function makePlot(plot) {
  plot.cases = [...new Set(rowsOf(plot).map((row) => caseOfRow(plot, row)))];
  const element = make('figure', { 'data-plot': plot.name, 'data-kind': plot.kind, 'aria-label': plot.title },
    make('div', { class: 'plot', style: canDraw ? `min-height: ${likelyHeight(plot)}px` : '' }),
    plot.kind === 'picture' ? null : lazyDetails('Data', () => plotData(plot), { class: 'data' }));
  plotFigures.push({ element, plot, dirty: true, visible: false });
  inView.observe(element);
  return element;
}

const shownPlots = 4;

// The first plots of a kind, the others on demand.
function plotSection(plots) {
  const figures = plots.map(makePlot);
  const others = figures.slice(shownPlots);
  return [...figures.slice(0, shownPlots),
    others.length === 0 ? null : make('details', { class: 'further' }, make('summary', {}, `${others.length} further plots`), others),
    make('p', { class: 'nothing', hidden: true }, 'No plot of this kind has a case that passes the filters.')].filter(Boolean);
}

// Where the filters leave a few plots of a kind, none of them is folded away.
function unfoldPlots() {
  for (const further of document.querySelectorAll('details.further')) {
    const left = [...further.parentElement.querySelectorAll('figure')].filter((figure) => !figure.hidden);
    if (isFiltered() && left.length <= shownPlots) further.open = true;
    further.hidden = ![...further.querySelectorAll('figure')].some((figure) => !figure.hidden);
  }
}

// After the filters or the colors changed: plots without a row go, those in view are drawn again, others when seen.
function refreshPlots() {
  for (const figure of plotFigures) {
    const { element, plot } = figure;
    element.hidden = !plot.cases.some((entry) => passes(entry));
    figure.dirty = true;
    if (figure.visible && !element.hidden) drawFigure(figure);
  }
}

const isUnfolded = (element) => !element.closest('details:not([open])');

async function drawAllForPrint() {
  isPrinting = true;
  if (isDark()) for (const figure of plotFigures) figure.dirty = true;
  await Promise.all(plotFigures.filter(({ dirty, element }) => dirty && !element.hidden && isUnfolded(element)).map(drawFigure));
}

function endPrint() {
  isPrinting = false;
  if (isDark()) refreshPlots();
}
