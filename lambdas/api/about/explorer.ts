/**
 * The explorer page: plain HTML, style and script, served as three files so that its policy needs
 * no exception. The token stays in the page's memory and is gone when it is closed.
 */
export const explorerPage = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Edgewise API</title>
<link rel="stylesheet" href="/docs/explorer.css">
<header>
  <h1>Edgewise API</h1>
  <label>Token <input id="token" type="password" autocomplete="off" spellcheck="false"></label>
  <label>Find <input id="find" type="search" placeholder="path or words"></label>
  <a href="/openapi.json">openapi.json</a>
</header>
<main id="operations" aria-live="polite"><p>Reading the document …</p></main>
<script src="/docs/explorer.js" defer></script>
</html>
`;

export const explorerStyle = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0 auto; max-width: 60rem; padding: 0 1rem 4rem; }
header { display: flex; flex-wrap: wrap; gap: 1rem; align-items: baseline; padding: 1rem 0; }
h1 { font-size: 1.4rem; margin: 0; flex: 1; }
details { padding: .4rem 0; border-top: 1px solid;
  border-color: color-mix(in srgb, currentColor 20%, transparent); }
summary { cursor: pointer; display: flex; gap: .8rem; align-items: baseline; }
.method { font: 600 .8rem ui-monospace, monospace; min-width: 4.5rem; }
.path { font-family: ui-monospace, monospace; overflow-wrap: anywhere; }
.words { opacity: .75; margin-left: auto; text-align: right; }
form { display: grid; gap: .5rem; margin: .8rem 0; }
form label { display: grid; grid-template-columns: 12rem 1fr; gap: .5rem; align-items: center; }
textarea { min-height: 8rem; font: .9rem ui-monospace, monospace; }
input, textarea, button { font: inherit; padding: .3rem .5rem; }
pre { overflow: auto; max-height: 24rem; padding: .6rem; border: 1px solid; border-radius: .3rem; }
button { justify-self: start; }
@media (max-width: 40rem) { form label { grid-template-columns: 1fr; } .words { display: none; } }
`;

export const explorerScript = `'use strict';
const place = document.getElementById('operations');
const element = (name, props, ...children) => {
  const node = Object.assign(document.createElement(name), props);
  node.append(...children);
  return node;
};
const resolve = (spec, schema) => {
  if (!schema || !schema.$ref) return schema;
  return schema.$ref.split('/').slice(1).reduce((at, key) => at && at[key], spec);
};
const show = (schema) => JSON.stringify(schema, null, 2);

function operationView(spec, method, path, operation) {
  const form = element('form', {});
  for (const parameter of operation.parameters || []) {
    const input = element('input', { name: parameter.in + ':' + parameter.name });
    if (parameter.description) input.placeholder = parameter.description;
    if (parameter.required) input.required = true;
    form.append(element('label', {}, parameter.name, input));
  }
  const content = operation.requestBody && operation.requestBody.content;
  const type = content && Object.keys(content)[0];
  let body = null;
  if (type) {
    body = element('textarea', { value: '{}', spellcheck: false });
    form.append(element('label', {}, 'body', body));
    const schema = resolve(spec, content[type].schema);
    form.append(element('details', {}, element('summary', {}, 'what the body may hold'),
      element('pre', { textContent: show(schema) })));
  }
  const answer = element('pre', { hidden: true });
  form.append(element('button', {}, 'Try it'), answer);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    tryIt(method, path, form, body && body.value, type).then((text) => {
      answer.textContent = text;
      answer.hidden = false;
    });
  });
  return element('details', {},
    element('summary', {},
      element('span', { className: 'method', textContent: method.toUpperCase() }),
      element('span', { className: 'path', textContent: path }),
      element('span', { className: 'words', textContent: operation.summary || '' })),
    form);
}

async function tryIt(method, path, form, body, type) {
  const headers = {};
  const token = document.getElementById('token').value.trim();
  if (token) headers.authorization = 'Bearer ' + token;
  const query = new URLSearchParams();
  let url = path;
  for (const input of form.querySelectorAll('input')) {
    const [kind, name] = input.name.split(':');
    if (input.value === '') continue;
    if (kind === 'path') url = url.replace('{' + name + '}', encodeURIComponent(input.value));
    if (kind === 'query') query.set(name, input.value);
    if (kind === 'header') headers[name] = input.value;
  }
  const init = { method: method.toUpperCase(), headers };
  if (body !== null && body !== undefined) {
    init.body = body;
    headers['content-type'] = type;
  }
  try {
    const answer = await fetch(url + (query.size ? '?' + query : ''), init);
    const isJson = (answer.headers.get('content-type') || '').includes('json');
    return answer.status + ' ' + answer.statusText + '\\n' +
      (isJson ? show(await answer.json()) : await answer.text());
  } catch (error) {
    return 'No answer: ' + error.message;
  }
}

fetch('/openapi.json').then((answer) => answer.json()).then((spec) => {
  place.replaceChildren();
  for (const [path, methods] of Object.entries(spec.paths)) {
    for (const [method, operation] of Object.entries(methods)) {
      place.append(operationView(spec, method, path, operation));
    }
  }
}).catch((error) => { place.textContent = 'The document could not be read: ' + error.message; });

document.getElementById('find').addEventListener('input', (event) => {
  const wanted = event.target.value.toLowerCase();
  for (const item of place.children) {
    item.hidden = !item.querySelector('summary').textContent.toLowerCase().includes(wanted);
  }
});
`;
