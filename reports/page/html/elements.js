// What every page of a report is made with: elements, and times as text.

// An element with attributes, listeners (on…) and children; text is never read as HTML.
function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, '');
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

// Four significant digits, thousands apart.
function significant(value) {
  if (value === null || value === undefined) return '';
  if (value === 0) return '0';
  const digits = Math.max(0, Math.min(6, 3 - Math.floor(Math.log10(Math.abs(value)))));
  return value.toLocaleString('en-US', { minimumFractionDigits: digits, maximumFractionDigits: digits });
}
