// The record's data as the page uses it, and words for numbers.

const { records, sides } = unpacked(JSON.parse(document.getElementById('data').textContent));

for (const [place, record] of records.entries()) {
  record.place = place;
  record.cases.forEach((entry, index) => Object.assign(entry, { record, index, key: `${place}.${index}` }));
  for (const entry of record.unmeasured) entry.record = record;
  for (const operation of record.operations) operation.record = record;
}

const caseOfKey = (key) => {
  const [place, index] = key.split('.').map(Number);
  return records[place]?.cases[index];
};

// Of one of the case's kernels.
const kernelCounters = (entry, i) => entry.counters.kernels[i]?.values ?? {};

// Follows figures made of counters whose launch took another time than the timed ones: § and the ratio.
const regimeMark = ({ counters }) => (counters.over_timed ? ` § ${counters.over_timed.toFixed(2)}×` : '');
const aboutRegimeMark = '§ marks counters of a launch whose time differs from the timed ones, with the ratio: they describe another regime';

const hasCounters = (entry) => Object.values(entry.counters.values).some((value) => value !== null);

function withPrefix(value) {
  const prefixes = ['', 'k', 'M', 'G', 'T', 'P'];
  let i = 0;
  for (; Math.abs(value) >= 999.5 && i + 1 < prefixes.length; ++i) value /= 1000;
  return `${value.toPrecision(3)} ${prefixes[i]}`;
}

const medianText = ({ median, ci95_low, ci95_high }) => {
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(median))));
  return `${significant(median)} ± ${((ci95_high - ci95_low) / 2).toFixed(digits)}`;
};

// A demangled name without return type, parameters and the operation's namespace.
function shortKernel(name, operation) {
  const short = withoutSignature(name);
  const common = `ablate::${operation}::`;
  return short.startsWith(common) ? short.slice(common.length) : short;
}

function withoutSignature(name) {
  const anonymous = '(anonymous namespace)';
  let depth = 0;
  let begin = 0;
  for (let i = 0; i < name.length; ++i) {
    if (name.startsWith(anonymous, i)) {
      i += anonymous.length - 1;
      continue;
    }
    if (name[i] === '<') ++depth;
    if (name[i] === '>') --depth;
    if (depth > 0) continue;
    if (name[i] === ' ') begin = i + 1;
    if (name[i] === '(') return name.slice(begin, i);
  }
  return name.slice(begin);
}

const operationOf = (entry) => entry.record.operations.find(({ name }) => name === entry.operation);

// "lidar, natural, grid 128": the axes that vary in the operation; of many, those that set a workload apart from the usual one; and the mark
// of a degenerate input.
function workloadText(entry) {
  const operation = operationOf(entry);
  const axes = operation ? operation.axes.filter(({ values }) => values.length > 1) : Object.keys(entry.axes).map((name) => ({ name }));
  const told = axes.filter(({ name }) => name in entry.axes && operation?.usual[name] !== entry.axes[name]);
  return (told.map(({ name, integer }) => (integer ? `${name} ` : '') + entry.axes[name]).join(', ') || 'usual') + (entry.input_mark ?? '');
}

const hasManyAxes = (operation) => Object.keys(operation.usual).length > 0;

// A whole number as it is, another with four significant digits.
const plain = (value) => (Number.isInteger(value) ? value.toLocaleString('en-US') : significant(value));

// "locality_rms_m 4.5": the first figure of quality that the case has, with the others folded behind it.
function qualityBeside(entry) {
  const [first, ...others] = Object.entries(entry.quality ?? {}).filter(([, value]) => value !== null).map(([name, value]) => make('small', {}, `${name} ${plain(value)}`));
  if (!first || others.length === 0) return first ?? null;
  return make('details', { class: 'quality' }, make('summary', {}, first), others);
}

// **strong** and `code` of the report's sentences, and verdicts.
function sentence(text) {
  return text.split(/(\*\*[^*]+\*\*|`[^`]+`)/).flatMap((part) => {
    if (part.startsWith('**')) return [make('strong', {}, part.slice(2, -2))];
    if (part.startsWith('`')) return [make('code', {}, breakable(part.slice(1, -1)))];
    return withVerdicts(part);
  });
}

// A word of a verdict, with the number of cases that have it.
const verdictWords = /\b((?:FASTER|SLOWER|SAME|INCONCLUSIVE|INVALID)(?: \d+)?)\b/;

const badge = (word, said = word) => make('span', { class: `verdict ${word.toLowerCase().replace(/\W.*/, '')}` }, said);

const withVerdicts = (text) => text.split(verdictWords).map((part, i) => (i % 2 ? badge(part) : part)).filter((part) => part !== '');

// A list of words that each begin with a verdict: one to a line; `all` is appended to one that is the whole text.
const verdictList = (text, all) => text.split(/, (?=FASTER|SLOWER|SAME|INCONCLUSIVE|INVALID)/).filter((part) => !/^[A-Z]+ 0\b/.test(part))
  .map((part) => make('div', {}, ...withVerdicts(part), all && verdictWords.exec(text)?.[0] === text ? ` ${all}` : ''));

// A long name may break after its underscores and commas.
const breakable = (text) => (typeof text === 'string' ? text.split(/(?<=[_,/])/).flatMap((part, i) => (i > 0 ? [document.createElement('wbr'), part] : [part])) : [text]);

// Opens the case's details; says its id.
const caseLink = (entry, text) => make('button', { type: 'button', class: 'case', title: entry.name, 'data-case': entry.key }, breakable(text));

// Made when it is opened first.
function lazyDetails(title, content, attributes = {}) {
  const details = make('details', { ...attributes, ontoggle: () => {
    if (details.open && !details.dataset.made) {
      details.dataset.made = 'true';
      details.append(content());
    }
  } }, make('summary', {}, title));
  return details;
}
