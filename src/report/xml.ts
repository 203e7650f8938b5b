import { readable } from './readable.ts';

/** An element; its attributes and texts may hold anything. */
export type Xml = {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string | number>>;
  readonly children: readonly (Xml | string)[];
};

/** A document of one element, indented; the text of an element is kept as it is. */
export function xmlDocument(root: Xml): string {
  return `<?xml version="1.0" encoding="UTF-8"?>\n${elementText(root, '')}\n`;
}

function elementText({ name, attributes, children }: Xml, indent: string): string {
  const given = Object.entries(attributes).map(([key, value]) => ` ${key}="${inQuotes(String(value))}"`);
  const head = `${indent}<${name}${given.join('')}`;
  if (children.length === 0) return `${head}/>`;
  if (children.every((child) => typeof child === 'string')) {
    return `${head}>${escaped(children.join(''))}</${name}>`;
  }
  const inner = children.map((child) => (typeof child === 'string' ? '' : elementText(child, `${indent}  `)));
  return `${head}>\n${inner.join('\n')}\n${indent}</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

// What XML 1.0 has no way to write is written out before, or replaced.
function escaped(text: string): string {
  return readable(text)
    .replace(/[\ufffe\uffff]/g, '\ufffd')
    .replace(/[&<>"]/g, (char) => ENTITIES[char] ?? char);
}

/** Line ends and tabs would be read as spaces there. */
function inQuotes(text: string): string {
  return escaped(text).replaceAll('\n', '&#10;').replaceAll('\t', '&#9;');
}
