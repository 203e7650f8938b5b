/** A text as a YAML value in one line: as it is where that is plain, else in quotes. */
export function yamlWord(text: string): string {
  if (PLAIN.test(text) && !MEANS_SOMETHING.test(text)) return text;
  return JSON.stringify(text).replace(UNSEEN, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** A text as the value of a key that stands `indent` deep: in lines of its own where it has several. */
export function yamlText(text: string, indent: number): string {
  if (!text.includes('\n') || !CAN_BE_BLOCK.test(text)) return yamlWord(text);
  const lines = text.split('\n').map((line) => (line === '' ? '' : `${' '.repeat(indent + 2)}${line}`));
  return `|-\n${lines.join('\n')}`;
}

const PLAIN = /^[A-Za-z0-9_./][A-Za-z0-9_./@+-]*(?: [A-Za-z0-9_./@+=-]+)*$/;
// What YAML takes for something else than a text, of any version.
const MEANS_SOMETHING = /^(?:~|null|true|false|yes|no|on|off|y|n|[-+]?\.?\d[\d_.eExXa-fA-FoO+:-]*|[-+]?\.inf|\.nan)$/i;
const UNSEEN = /[\u007f-\u00a0\u00ad\u2028\u2029\ufeff\ufffe\uffff]/g;
const CAN_BE_BLOCK = /^[\x21-\x7e\u00a1-\u00ac\u00ae-\u1fff][\x20-\x7e\n\t\u00a1-\u00ac\u00ae-\u1fff]*[\x21-\x7e]$/;
