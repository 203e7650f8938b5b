const LONGEST = 60;
const LONGEST_WISH = 300;

/** A name that a gate and the file of its prompt can have, as near as can be to what people call it. */
export function gateName(wish: string, otherwise: string): string {
  const plain = wish
    .slice(0, LONGEST_WISH)
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .replace(/-{2,}/g, '-')
    .replace(/[-.]*\.[-.]*/g, '.')
    .replace(/^[^A-Za-z0-9]+/, '')
    .slice(0, LONGEST)
    .replace(/[^A-Za-z0-9]+$/, '');
  return plain === '' ? otherwise : plain;
}

/** The first of name, name-2, name-3 … that may be had. */
export function firstFree(name: string, isFree: (name: string) => boolean): string {
  for (let i = 1; ; i++) {
    const candidate = i === 1 ? name : `${name}-${i}`;
    if (isFree(candidate)) return candidate;
  }
}
