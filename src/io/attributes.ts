import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { mayName } from './index-bytes.ts';

/** Files in which git may leave something out. */
export const HIDING = ':(top,attr:ident)';

/** Whether any attributes may be set; false is certain. */
export function mayHaveAttributes(commonDir: string, indexFile: string): boolean {
  if (existsSync(join(commonDir, 'info/attributes'))) return true;
  return mayName(readFileSync(indexFile), '.gitattributes');
}
