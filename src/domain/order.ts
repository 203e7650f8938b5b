/** Orders strings by code point, as everything that is hashed, joined or listed is ordered. */
export function byCodePoint(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(i);
    if (left !== right) return fixup(left) - fixup(right);
  }
  return a.length - b.length;
}

// UTF-16 puts surrogates (code points over U+FFFF) before U+E000 to U+FFFF; by code point they come after.
function fixup(unit: number): number {
  if (unit < 0xd800) return unit;
  return unit < 0xe000 ? unit + 0x2000 : unit - 0x800;
}
