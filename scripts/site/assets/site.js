/**
 * The search field the buttons that copy, the menu on a phone. Without this script the site is whole but for these.
 * What is looked through is a file beside the pages, fetched when the field is first used.
 */
const resultsMax = 20;
const termsMax = 8;
const wordsBefore = 60;
const wordsAfter = 120;
const top_ = document.documentElement.dataset.top;

/** @type {Promise<{pages: [string, string][], sections: [number, string, string, string][]}>} */
let entries;

function loadEntries() {
  entries ??= new Promise((resolve, reject) => {
    window.edgewiseSearch = resolve;
    const script = document.createElement('script');
    script.src = `${top_}assets/search.js`;
    script.onerror = () => {
      entries = undefined;
      script.remove();
      reject(new Error('The search could not be loaded.'));
    };
    document.head.append(script);
  });
  return entries;
}

/** Every term has to be there; a heading says more than a text, the beginning of a word more. */
function scoreOf(terms, title, heading, text) {
  let score = heading === terms.join(' ') ? 20 : 0;
  if (terms.every((term) => heading.includes(term))) score += 15;
  for (const term of terms) {
    const at = heading.indexOf(term);
    const inHeading = at < 0 ? 0 : at === 0 || heading[at - 1] === ' ' ? 10 : 5;
    const here = inHeading + (title.includes(term) ? 4 : 0) + (text.includes(term) ? 2 : 0);
    if (here === 0) return 0;
    score += here;
  }
  return score;
}

function find({ pages, sections }, query) {
  const terms = query.toLowerCase().split(/\s+/).filter(Boolean).slice(0, termsMax);
  if (terms.length === 0) return { terms, found: [] };
  const found = [];
  sections.forEach(([page, anchor, heading, text], order) => {
    const [file, title] = pages[page];
    const lower = [title, heading, text].map((it) => it.toLowerCase());
    const score = scoreOf(terms, ...lower);
    if (score > 0) found.push({ score, order, file, title, anchor, heading, text });
  });
  found.sort((a, b) => b.score - a.score || a.order - b.order);
  return { terms, found: found.slice(0, resultsMax) };
}

/** The words around the first term that is there, with all terms marked. */
function excerpt(text, terms) {
  const lower = text.toLowerCase();
  const first = Math.min(...terms.map((term) => lower.indexOf(term)).filter((at) => at >= 0));
  const from = Number.isFinite(first) ? Math.max(0, first - wordsBefore) : 0;
  const part = text.slice(from, from + wordsBefore + wordsAfter);
  const words = document.createElement('span');
  words.className = 'words';
  words.append(from > 0 ? '…' : '');
  const escaped = terms.map((term) => term.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&'));
  // What is split by a group keeps what it was split by at every second place.
  for (const [at, piece] of part.split(new RegExp(`(${escaped.join('|')})`, 'i')).entries()) {
    if (at % 2 === 0) {
      words.append(piece);
      continue;
    }
    const mark = document.createElement('mark');
    mark.textContent = piece;
    words.append(mark);
  }
  return words;
}

function resultItem({ file, title, anchor, heading, text }, terms, at) {
  const item = document.createElement('li');
  item.id = `result-${at}`;
  item.setAttribute('role', 'option');
  item.setAttribute('aria-selected', 'false');
  item.dataset.href = `${top_}${file}#${anchor}`;
  const where = document.createElement('span');
  where.className = 'where';
  where.textContent = title === heading ? title : `${title} › ${heading}`;
  item.append(where, excerpt(text, terms));
  return item;
}

function searchField(place) {
  const input = document.createElement('input');
  input.type = 'search';
  input.placeholder = 'Search ( / )';
  input.maxLength = 200;
  const list = document.createElement('ul');
  list.id = 'results';
  list.className = 'results';
  list.hidden = true;
  list.setAttribute('role', 'listbox');
  list.setAttribute('aria-label', 'What was found');
  for (const [name, value] of [
    ['role', 'combobox'],
    ['aria-label', 'Search the documentation'],
    ['aria-controls', list.id],
    ['aria-expanded', 'false'],
    ['aria-autocomplete', 'list'],
    ['autocomplete', 'off'],
  ]) {
    input.setAttribute(name, value);
  }
  place.append(input, list);
  place.hidden = false;
  return { input, list };
}

function startSearch() {
  const { input, list } = searchField(document.querySelector('.search'));
  let chosen = -1;

  const choose = (at) => {
    const items = list.querySelectorAll('li[data-href]');
    if (items.length === 0) return;
    items[chosen]?.setAttribute('aria-selected', 'false');
    chosen = (at + items.length) % items.length;
    items[chosen].setAttribute('aria-selected', 'true');
    items[chosen].scrollIntoView({ block: 'nearest' });
    input.setAttribute('aria-activedescendant', items[chosen].id);
  };
  const close = () => {
    list.hidden = true;
    input.setAttribute('aria-expanded', 'false');
    input.removeAttribute('aria-activedescendant');
  };
  const say = (sentence) => {
    const item = document.createElement('li');
    item.setAttribute('role', 'option');
    item.setAttribute('aria-disabled', 'true');
    item.textContent = sentence;
    list.replaceChildren(item);
  };
  const show = async () => {
    const query = input.value;
    if (query.trim() === '') return close();
    list.hidden = false;
    input.setAttribute('aria-expanded', 'true');
    try {
      const { terms, found } = find(await loadEntries(), query);
      if (query !== input.value) return;
      chosen = -1;
      if (found.length === 0) return say(`Nothing has “${query.trim()}”.`);
      list.replaceChildren(...found.map((it, at) => resultItem(it, terms, at)));
      choose(0);
    } catch (error) {
      say(error.message);
    }
  };
  const open = (item) => {
    if (item?.dataset.href) location.href = item.dataset.href;
    close();
  };

  input.addEventListener('focus', () => loadEntries().catch(() => {}), { once: true });
  input.addEventListener('input', show);
  input.addEventListener('keydown', (event) => {
    if (event.key === 'ArrowDown') choose(chosen + 1);
    else if (event.key === 'ArrowUp') choose(chosen - 1);
    else if (event.key === 'Enter') open(list.querySelectorAll('li[data-href]')[chosen]);
    else if (event.key === 'Escape') close();
    else return;
    event.preventDefault();
  });
  list.addEventListener('click', (event) => open(event.target.closest('li')));
  document.addEventListener('click', (event) => {
    if (!event.target.closest('.search')) close();
  });
  document.addEventListener('keydown', (event) => {
    const typing = event.target.closest('input, textarea, [contenteditable]');
    if (event.key !== '/' || typing || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    input.focus();
  });
}

/** A button on each block of code, where the browser can copy. */
function offerCopies() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll('pre')) {
    const frame = document.createElement('div');
    frame.className = 'block';
    const button = document.createElement('button');
    button.type = 'button';
    button.className = 'copy';
    button.textContent = 'Copy';
    button.addEventListener('click', async () => {
      const copied = await navigator.clipboard.writeText(block.textContent).then(
        () => true,
        () => false,
      );
      button.textContent = copied ? 'Copied' : 'Not copied';
    });
    block.replaceWith(frame);
    frame.append(block, button);
  }
}

/** Where the menu stands above the words it is closed at first. */
function closeMenuOnPhones() {
  if (matchMedia('(max-width: 52rem)').matches)
    document.querySelector('.menu details').open = false;
}

closeMenuOnPhones();
startSearch();
offerCopies();
