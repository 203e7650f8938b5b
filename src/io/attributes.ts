import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Files in which git may leave something out. */
export const HIDING = ':(top,attr:ident)';

/** Whether any attributes may be set; false is certain. */
export function mayHaveAttributes(commonDir: string, indexFile: string): boolean {
  if (existsSync(join(commonDir, 'info/attributes'))) return true;
  const index = readFileSync(indexFile);
  // From version 4 on, names are not written out.
  return index.readUInt32BE(4) >= 4 || index.includes('.gitattributes');
}
