import type { Trust } from '../domain/ports.ts';
import { openListFile } from '../io/list-file.ts';

const MOST_DIGESTS = 100;

/** Configurations that a person has agreed to, in the clone's own folder; a list that cannot be read trusts nothing. */
export function openTrust(commonDir: string): Trust {
  const file = openListFile(commonDir, 'trusted.json');
  return {
    async isTrusted(digest) {
      return file.read().includes(digest);
    },
    async trust(digest) {
      const others = file.read().filter((one) => typeof one === 'string' && one !== digest);
      return file.write([...others, digest].slice(-MOST_DIGESTS));
    },
  };
}
