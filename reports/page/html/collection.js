// Every record on one page: an operation's variants ranked over the chosen workloads, and on each of them.

const { root, records, operations, left_out: leftOut } = JSON.parse(document.getElementById('data').textContent);

for (const operation of operations)
  for (const workload of operation.workloads) {
    workload.from = records[workload.record];
    workload.chip = workload.from.chip;
    workload.times = workload.times
      .map(([variant, us, low, high]) => ({
        variant: operation.variants[variant], us, low, high,
        level: (workload.level ?? []).includes(variant), rival: (workload.rivals ?? []).includes(variant),
      }))
      .sort((a, b) => a.us - b.us);
  }

// What is chosen is in the address: op, chip, cache, and an axis by its name.
const chosen = () => new URLSearchParams(location.hash.slice(1));
function choose(name, value) {
  const all = name === 'op' ? new URLSearchParams() : chosen();
  if (value === '') all.delete(name);
  else all.set(name, value);
  history.replaceState(null, '', `#${all}`);
  show();
}

const isNumber = (text) => /^-?\d+(\.\d+)?$/.test(text);
const inOrder = (values) => [...values].sort((a, b) => (isNumber(a) && isNumber(b) ? a - b : a < b ? -1 : a > b ? 1 : 0));
const distinct = (workloads, of) => inOrder(new Set(workloads.map(of).filter((value) => value !== undefined)));

const size = (value) => (/^\d{5,}$/.test(value) ? Number(value).toLocaleString('en-US') : value);

const axesOf = (operation) => [...new Set(operation.workloads.flatMap(({ axes }) => Object.keys(axes)))];
const keyOf = ({ cache, axes }) => JSON.stringify([cache, Object.entries(axes)]);

// Of records that measured one workload on one kind of GPU, the one with the most variants counts, of these the latest.
function fullest(workloads) {
  const out = new Map();
  for (const workload of workloads) {
    const key = `${workload.chip} ${keyOf(workload)}`;
    const other = out.get(key);
    if (!other || workload.times.length > other.times.length ||
        (workload.times.length === other.times.length && workload.from.date > other.from.date)) out.set(key, workload);
  }
  return [...out.values()];
}

function scores(workloads) {
  const byVariant = new Map();
  for (const { times } of workloads)
    for (const one of times) {
      const score = byVariant.get(one.variant) ?? { variant: one.variant, logs: 0, count: 0, wins: 0, within: [0, 0, 0], rival: one.rival };
      const ratio = one.us / times[0].us;
      score.logs += Math.log(ratio);
      ++score.count;
      if (one === times[0] || one.level) ++score.wins;
      [1.02, 1.05, 1.1].forEach((bound, i) => { if (ratio <= bound) ++score.within[i]; });
      byVariant.set(one.variant, score);
    }
  const all = [...byVariant.values()];
  for (const score of all) score.ratio = Math.exp(score.logs / score.count);
  const isUsual = ({ count }) => 2 * count >= workloads.length;
  return all.sort((a, b) => isUsual(b) - isUsual(a) || a.ratio - b.ratio);
}

const name = ({ variant, rival }) => [make('code', {}, variant), rival ? ' (rival)' : null];

function scoreTable(workloads) {
  const ranked = scores(workloads);
  const percent = (count, of) => `${Math.round((100 * count) / of)} %`;
  const head = make('tr', {}, make('th', {}, 'variant'), make('th', { class: 'bars' }), make('th', { class: 'number' }, 'time over the fastest'),
    make('th', { class: 'number' }, 'fastest or tied'), ...['2', '5', '10'].map((pct) => make('th', { class: 'number extra' }, `within ${pct} %`)),
    make('th', { class: 'number' }, 'workloads'));
  const isFew = ({ count }) => 2 * count < workloads.length;
  const few = make('tr', { class: 'few' }, make('td', { colspan: '8' }, 'measured on fewer than half of them'));
  return make('table', { id: 'scores' }, make('thead', {}, head), make('tbody', {}, ranked.slice(0, 25).flatMap((score, i) => [
    isFew(score) && (i === 0 || !isFew(ranked[i - 1])) ? few : null,
    make('tr', { class: i === 0 ? 'best' : '' }, make('td', { class: 'name' }, ...name(score)),
      make('td', { class: 'bars' }, make('div', { class: 'bar', style: `width:${100 / score.ratio}%` })),
      make('td', { class: 'number' }, `${score.ratio.toFixed(2)}×`), make('td', { class: 'number' }, percent(score.wins, score.count)),
      ...score.within.map((count) => make('td', { class: 'number extra' }, percent(count, score.count))),
      make('td', { class: 'number' }, `${score.count}`))]).filter(Boolean)));
}

const label = (workload, telling) => telling.filter((axis) => workload.axes[axis] !== undefined)
  .map((axis) => (isNumber(workload.axes[axis]) || workload.axes[axis] === 'all' ? `${axis} ${size(workload.axes[axis])}` : workload.axes[axis]))
  .concat(workload.mark ?? []).join(', ');

// The words that `ablate explain` finds the case by.
const commandOf = (workload, { variant }) => ['ablate explain', `${root}/${workload.from.name}`, `variant=${variant}`,
  ...Object.entries(workload.axes).map(([axis, value]) => `${axis}=${value}`), `cache=${workload.cache}`].join(' ');

const shownTimes = 12;

function workloadTable(operation, workload, telling) {
  const shown = workload.times.slice(0, shownTimes);
  const longest = Math.max(...shown.map(({ high }) => high));
  const share = (us) => (100 * us) / longest;
  const rows = shown.map((one, i) => {
    const button = make('button', { class: 'case', type: 'button', 'aria-expanded': 'false' }, ...name(one));
    const cell = make('td', { class: 'name' }, button);
    button.addEventListener('click', () => {
      const command = cell.querySelector('.command');
      button.setAttribute('aria-expanded', String(!command));
      if (command) command.remove();
      else cell.append(make('code', { class: 'command' }, commandOf(workload, one)));
    });
    return make('tr', { class: i === 0 ? 'best' : one.level ? 'tied' : '' }, cell,
      make('td', { class: 'bars' }, make('div', { class: 'bar', style: `width:${share(one.us)}%` },
        make('div', { class: 'whisker', style: `left:${(100 * one.low) / one.us}%;width:${(100 * (one.high - one.low)) / one.us}%` }))),
      make('td', { class: 'number' }, `${significant(one.us)} µs`),
      make('td', { class: 'number' }, i === 0 ? '' : `${one.level ? '≈ ' : ''}${(one.us / workload.times[0].us).toFixed(2)}×`));
  });
  const more = workload.times.length - rows.length;
  const from = `${workload.chip}, ${workload.cache}, ${workload.from.name}${workload.from.stale ? ' †' : ''}${workload.from.launches > 1 ? `, ${workload.from.launches} launches` : ''}`;
  return make('section', { class: 'workload' }, make('h3', {}, `${label(workload, telling) || operation.name} `, make('small', {}, from)),
    make('table', {}, make('tbody', {}, rows)), more > 0 ? make('p', { class: 'note' }, `and ${more} slower ones`) : null);
}

// Workloads of both chips whose fastest variant is another one on each, ties apart.
function flips(workloads) {
  const byKey = Map.groupBy ? Map.groupBy(workloads, keyOf) : workloads.reduce((all, one) => all.set(keyOf(one), [...(all.get(keyOf(one)) ?? []), one]), new Map());
  const both = [...byKey.values()].filter((all) => all.length === 2);
  const differ = both.filter(([a, b]) => {
    const fastest = a.times[0].variant;
    const there = b.times.find(({ variant }) => variant === fastest);
    return there && there !== b.times[0] && !there.level;
  });
  return { both, differ };
}

function select(title, name, values, current, any) {
  const element = make('select', { name }, any === null ? null : make('option', { value: '' }, any),
    ...values.map((value) => {
      const option = make('option', { value }, size(value));
      option.selected = value === current;
      return option;
    }));
  element.addEventListener('change', () => choose(name, element.value));
  return make('label', {}, title, element);
}

let shownWorkloads = 8;
function show() {
  const wanted = chosen();
  const operation = operations.find(({ name: known }) => known === wanted.get('op')) ?? operations.find(({ name: known }) => known === 'voxelize') ?? operations[0];
  const axes = axesOf(operation);
  const of = { chip: (w) => w.chip, cache: (w) => w.cache, ...Object.fromEntries(axes.map((axis) => [axis, (w) => w.axes[axis]])) };
  const fits = (workload, without) => Object.entries(of).every(([axis, value]) => axis === without || !wanted.get(axis) || value(workload) === wanted.get(axis));
  const found = operation.workloads.filter((workload) => fits(workload));
  const workloads = fullest(found).filter(({ times }) => times.length > 1);

  const choices = document.getElementById('choices');
  choices.replaceChildren(select('operation', 'op', operations.map(({ name: known }) => known), operation.name, null),
    ...Object.entries(of).map(([axis, value]) => {
      const values = distinct(operation.workloads.filter((workload) => fits(workload, axis)), value);
      return values.length > 1 || wanted.get(axis) ? select(axis, axis, values, wanted.get(axis), 'any') : null;
    }).filter(Boolean));

  const telling = axes.filter((axis) => distinct(workloads, of[axis]).length > 1);
  const parts = [make('p', { class: 'said' }, make('code', {}, operation.name), operation.description ? `: ${operation.description}` : '')];
  if (workloads.length === 0) {
    parts.push(make('p', { class: 'said' }, found.length > 0 ? 'Only one variant was measured here.' : 'No record has this workload.'));
  } else {
    const [first] = scores(workloads);
    parts.push(make('p', { class: 'said', id: 'answer' }, make('strong', {}, make('code', {}, first.variant)),
      workloads.length === 1 ? ` is the fastest: ${significant(workloads[0].times[0].us)} µs.`
        : ` leads: ${first.ratio.toFixed(2)}× the fastest variant's time over ${first.count} of ${workloads.length} workloads, fastest or tied on ${first.wins}.`),
      make('h2', {}, 'Over these workloads'), scoreTable(workloads),
      make('p', { class: 'note' }, 'Time over the fastest: the geometric mean, over the workloads that a variant was measured on, of its time over that of the fastest variant there. Tied: the interval of the ratio to the fastest holds 1; in records of one launch, the intervals of the medians meet.'));
    const { both, differ } = flips(workloads);
    if (both.length > 0)
      parts.push(make('h2', {}, 'On both kinds of GPU'), make('p', { class: 'said', id: 'flips' },
        `On ${both.length - differ.length} of ${both.length} workloads measured on both, the same variant is the fastest or tied.`),
      ...differ.slice(0, 10).map(([a, b]) => make('p', { class: 'note' }, `${label(a, telling)}: `, make('code', {}, a.times[0].variant), ` on ${a.chip}, `, make('code', {}, b.times[0].variant), ` on ${b.chip}`)));
    parts.push(make('h2', {}, 'By workload'), ...workloads.slice(0, shownWorkloads).map((workload) => workloadTable(operation, workload, telling)));
    if (workloads.length > shownWorkloads) {
      const more = make('button', { type: 'button', id: 'more' }, `Show ${Math.min(40, workloads.length - shownWorkloads)} more of ${workloads.length}`);
      more.addEventListener('click', () => { shownWorkloads += 40; show(); });
      parts.push(make('p', {}, more));
    }
  }
  if (workloads.some(({ from }) => from.stale)) parts.push(make('p', { class: 'note' }, '† the record is of kernels that have changed since.'));
  for (const line of leftOut) parts.push(make('p', { class: 'note' }, `Left out: ${line}`));
  document.getElementById('content').replaceChildren(...parts);
  document.documentElement.dataset.shown = operation.name;
}

document.getElementById('what').textContent = `${records.length} records on ${[...new Set(records.map(({ chip }) => chip))].sort().join(', ')}; ${operations.length} operations. Times are medians in microseconds; shorter is better.`;
addEventListener('hashchange', () => { shownWorkloads = 8; show(); });
show();
