/**
 * Somebody with a browser, as far as an issuer's pages need one: follows redirects, keeps cookies,
 * and sends the form of each page. Answers the address on which nothing of the issuer is left, or
 * the text of the last page.
 */
export type Person = {
  /** What is entered in the fields of forms. */
  readonly fields: Readonly<Record<string, string>>;
};

const pagesMax = 20;

export async function walk(person: Person, issuer: string, from: string): Promise<string> {
  const cookies = new Map<string, string>();
  let next: { url: string; form: URLSearchParams | null } = { url: from, form: null };
  for (let page = 0; page < pagesMax; page++) {
    if (!next.url.startsWith(`${issuer}/`)) return next.url;
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const sent = next.form === null ? {} : { method: 'POST', body: next.form };
    const answer = await fetch(next.url, { headers: { cookie }, redirect: 'manual', ...sent });
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    const text = await answer.text();
    const form = location === null ? formOf(text, person) : null;
    if (location === null && form === null) return text;
    next =
      location === null
        ? { url: new URL(form!.action, next.url).href, form: form!.body }
        : { url: new URL(location, next.url).href, form: null };
  }
  throw new Error(`after ${pagesMax} pages there was another one`);
}

function formOf(html: string, { fields }: Person) {
  const whole = /<form[^>]*action="([^"]+)"[^>]*>([\s\S]*?)<\/form>/.exec(html);
  if (whole === null) return null;
  const [, action = '', inside = ''] = whole;
  const body = new URLSearchParams();
  for (const [input] of inside.matchAll(/<input[^>]*>/g)) {
    const name = /name="([^"]+)"/.exec(input)?.[1];
    const value = /value="([^"]*)"/.exec(input)?.[1];
    if (name !== undefined) body.set(name, value || (fields[name] ?? ''));
  }
  return { action: action.replaceAll('&amp;', '&'), body };
}
