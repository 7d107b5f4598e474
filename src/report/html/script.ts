/**
 * The script of a report: search, filter and order of the table of people. The search leaves out records, because each record names all
 * features. Without the script the table shows all people, and its records open as well. The script is text: it runs in the reader's
 * browser and not here.
 */
export const SCRIPT = `
'use strict';
(() => {
  const table = document.getElementById('people');
  if (!table) return;
  const body = table.tBodies[0];
  const rows = Array.from(body.rows);
  const parts = (row) => [row.cells[0], row.querySelector('summary'), row.querySelector('p'), row.cells[4]];
  const textOf = (row) => parts(row).map((part) => (part ? part.textContent : '')).join(' ').toLowerCase();
  const texts = rows.map(textOf);
  const search = document.getElementById('search');
  const status = document.getElementById('status');
  const told = document.getElementById('told');
  const more = document.getElementById('more');
  const PAGE = 100;
  let shown = PAGE;
  let order = rows.map((_, i) => i);
  const show = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let matches = 0;
    for (const i of order) {
      const fits = (!status.value || rows[i].dataset.status === status.value) && words.every((word) => texts[i].includes(word));
      if (fits) matches++;
      rows[i].hidden = !fits || matches > shown;
    }
    more.hidden = matches <= shown;
    told.textContent = Math.min(matches, shown).toLocaleString('en-US') + ' of ' + matches.toLocaleString('en-US') + ' shown';
  };
  const restart = () => { shown = PAGE; show(); };
  search.addEventListener('input', restart);
  status.addEventListener('change', restart);
  more.addEventListener('click', () => { shown = Infinity; show(); });
  const valueOf = (row, column, isNumber) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent;
    return isNumber ? (text === '' ? NaN : Number(text)) : text;
  };
  Array.from(table.tHead.rows[0].cells).forEach((head, column) => {
    const button = document.createElement('button');
    button.type = 'button';
    button.textContent = head.textContent;
    head.textContent = '';
    head.append(button);
    button.addEventListener('click', () => {
      const sign = head.getAttribute('aria-sort') === 'ascending' ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute('aria-sort');
      head.setAttribute('aria-sort', sign > 0 ? 'ascending' : 'descending');
      const isNumber = head.classList.contains('n');
      const values = rows.map((row) => valueOf(row, column, isNumber));
      const compare = isNumber
        ? (a, b) => (values[a] - values[b]) * sign || Number.isNaN(values[a]) - Number.isNaN(values[b])
        : (a, b) => sign * values[a].localeCompare(values[b], 'en', { numeric: true });
      order = rows.map((_, i) => i).sort((a, b) => compare(a, b) || a - b);
      body.append(...order.map((i) => rows[i]));
      show();
    });
  });
  document.getElementById('tools').hidden = false;
  show();
})();
`.trim();
