/** The parts of a page that are made from the program's own data, by name. */
export type Parts = Readonly<Record<string, string>>;

const PART = /<!-- generated: ([\w-]+) -->\n[\s\S]*?<!-- \/generated -->/g;

/** The page with every part as it is to be; a part that the page has no place for, or a place without a part, is an error. */
export function fill(page: string, parts: Parts): string {
  const unused = new Set(Object.keys(parts));
  const filled = page.replace(PART, (_old, name: string) => {
    const text = parts[name];
    if (text === undefined) throw new Error(`Nobody makes the part "${name}".`);
    unused.delete(name);
    return `<!-- generated: ${name} -->\n${text.trim()}\n<!-- /generated -->`;
  });
  if (unused.size > 0) throw new Error(`The page has no place for: ${[...unused].join(', ')}.`);
  return filled;
}
