import { expect } from 'vitest';
import * as z from 'zod';
import type { Tab } from './browser.ts';
import { TRICKS } from './web.ts';

/** Returns the values that a schema lists: documents can contain no other text in these places. */
function listedValues(node: unknown): readonly unknown[] {
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    if (key === 'enum' && Array.isArray(value)) return value;
    return key === 'const' ? [value] : listedValues(value);
  });
}

/** Returns a document with the texts of an attacker in every place that allows any text, also in ids and times. */
export function withTricks<T>(schema: z.ZodType<T>, document: T): T {
  const listed = new Set(listedValues(z.toJSONSchema(schema, { io: 'output' })));
  const text = TRICKS.join('\n');
  const changed = (value: unknown): unknown => {
    if (typeof value === 'string') return listed.has(value) ? value : text;
    if (Array.isArray(value)) return value.map(changed);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, changed(one)]));
  };
  return schema.parse(changed(document));
}

const MADE =
  'img, iframe, object, embed, svg, link, base, form[action], script[src], style + style, a[href^="javascript" i]';

/** Finds elements that run scripts, and texts with invisible characters: in the page, in labels, and in the title. */
const HARMFUL = `(() => {
  const unseen = /[\\u202e\\u001b\\u0007]/;
  const shown = ['title', 'aria-label', 'placeholder', 'alt'];
  const found = unseen.test(document.title) ? ['title'] : [];
  for (const element of document.querySelectorAll('#app *')) {
    const { tagName, className, attributes, childNodes } = element;
    if ([...childNodes].some((node) => node.nodeType === 3 && unseen.test(node.data))) found.push(tagName + ' ' + className);
    for (const { name, value } of attributes) {
      if (name.startsWith('on') || (shown.includes(name) && unseen.test(value))) found.push(tagName + ' ' + name);
    }
  }
  return found;
})()`;

/** Checks that a page shows the texts of an attacker only as text. */
export async function expectOnlyText(tab: Tab, name: string): Promise<void> {
  await expect.poll(() => tab.textContent('main')).toContain(TRICKS[0]);
  expect([name, await tab.locator(MADE).count()]).toEqual([name, 0]);
  expect([name, await tab.evaluate('document.scripts.length')]).toEqual([name, 2]);
  expect([name, await tab.evaluate(HARMFUL)]).toEqual([name, []]);
}
