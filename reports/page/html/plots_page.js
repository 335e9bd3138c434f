// The script of plots.html: plots below each other.
'use strict';
(async () => {
  const content = document.getElementById('content');
  for (const { title, specification } of JSON.parse(document.getElementById('data').textContent)) {
    const figure = document.createElement('figure');
    content.append(figure);
    await vegaEmbed(figure, { ...specification, description: title }, {
      mode: 'vega-lite', ast: true, renderer: 'svg', actions: { export: true, source: false, compiled: false, editor: false },
      tooltip: { sanitize: (value) => String(value).replaceAll('&', '&amp;').replaceAll('<', '&lt;') },
    });
  }
  document.documentElement.dataset.ready = 'true';
})();
