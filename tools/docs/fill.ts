/** The generated parts of a page, by name. */
export type Parts = Readonly<Record<string, string>>;

const PART = /<!-- generated: ([\w-]+) -->\n[\s\S]*?<!-- \/generated -->/g;

/** Fills the generated parts into a page. Throws if a part has no place, or a place has no part. */
export function fill(page: string, parts: Parts): string {
  const unused = new Set(Object.keys(parts));
  const filled = page.replace(PART, (_old, name: string) => {
    const text = parts[name];
    if (text === undefined) throw new Error(`No generator makes the part "${name}".`);
    unused.delete(name);
    return `<!-- generated: ${name} -->\n${text.trim()}\n<!-- /generated -->`;
  });
  if (unused.size > 0) throw new Error(`The page has no place for: ${[...unused].join(', ')}.`);
  return filled;
}
