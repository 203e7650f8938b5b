import { teamStore } from '@onceover/store/store';
import { memoryPassStore } from '@onceover/testing/memory/pass-carrier.ts';
import { bareWithClones, carrierAt, okValue, storedSample } from '@onceover/testing/pass-clones.ts';
import { startPassStore } from '@onceover/testing/pass-store.ts';
import { newGitFolder, onPostgres } from '@onceover/testing/team-store.ts';
import { describe, expect, test } from 'vitest';
import { openHttpCarrier } from '../src/http-carrier.ts';
import { postgresCarrier } from '../src/postgres-carrier.ts';
import { LARGEST_STATEMENT, type PassCarrier, type StoredFile } from '../src/types.ts';

/** Opens two carriers, as of two clones, that share one remote side. */
type OpenTwo = () => Promise<readonly [PassCarrier, PassCarrier]>;

carrierContract('in memory', { canList: true, hasCopy: true }, async () => {
  const store = memoryPassStore();
  return [store.carrier(), store.carrier()];
});

carrierContract('over git', { canList: true, hasCopy: true }, async () => {
  const clones = bareWithClones();
  return [carrierAt(clones.join('a')), carrierAt(clones.join('b'))];
});

carrierContract('over HTTP', { canList: false, hasCopy: false }, async () => {
  const { address } = await startPassStore('secret');
  const open = () => okValue(openHttpCarrier(address, { token: 'secret' }));
  return [open(), open()];
});

onPostgres(() =>
  carrierContract('on PostgreSQL', { canList: true, hasCopy: false }, async () => {
    const commonDir = newGitFolder();
    const open = () => postgresCarrier('the store', () => teamStore(commonDir));
    return [open(), open()];
  }),
);

/** The contract of every implementation of PassCarrier. */
function carrierContract(
  name: string,
  /** `hasCopy`: whether a clone has its own copy of the files, which `fetch` brings up to date. */
  { canList, hasCopy }: { readonly canList: boolean; readonly hasCopy: boolean },
  open: OpenTwo,
): void {
  const found = async (carrier: PassCarrier, ...keys: readonly string[]) => {
    const files = okValue(await carrier.find(keys));
    return Object.fromEntries([...files].map(([key, list]) => [key, list.map(shown).sort()]));
  };
  const [one, two] = [storedSample('one'), storedSample('two')];
  // The same key, as of the same content that two people passed.
  const other: StoredFile = { key: one.key, file: storedSample('one', 'by another').file };

  describe(`carrier ${name}`, () => {
    test('has nothing at first', async () => {
      const [a] = await open();
      expect((await a.fetch(null)).ok).toBe(true);
      expect(await found(a, one.key, two.key)).toEqual({});
    });

    test('finds nothing before the first fetch', async () => {
      const [a] = await open();
      expect(await found(a, one.key)).toEqual({});
    });

    test('brings files from one clone to another, byte for byte', async () => {
      const [a, b] = await open();
      expect(okValue(await a.push([one, two], null))).toEqual({ added: 2 });
      expect(okValue(await b.fetch(null))).toBe(hasCopy);
      expect(okValue(await b.fetch(null))).toBe(false);
      expect(await found(b, one.key, two.key)).toEqual({ [one.key]: [shown(one.file)], [two.key]: [shown(two.file)] });
    });

    test('leaves out keys without files, and texts that are not keys', async () => {
      const [a] = await open();
      await a.push([one], null);
      const odd = ['', 'x', '../..', `${one.key}\n`, `${one.key}:0`, one.key.toUpperCase(), '-h'];
      expect(await found(a, ...odd, two.key, one.key, one.key)).toEqual({ [one.key]: [shown(one.file)] });
    });

    test('finds its own files after a push', async () => {
      const [a] = await open();
      await a.push([one], null);
      expect(await found(a, one.key)).toEqual({ [one.key]: [shown(one.file)] });
    });

    test('keeps several files under a key', async () => {
      const [a, b] = await open();
      await a.push([one], null);
      expect(okValue(await b.push([other], null))).toEqual({ added: 1 });
      await a.fetch(null);
      expect(await found(a, one.key)).toEqual({ [one.key]: [shown(one.file), shown(other.file)].sort() });
    });

    test('keeps two signatures of one statement', async () => {
      const [a] = await open();
      const again = { ...one, file: { ...one.file, signature: other.file.signature } };
      expect(okValue(await a.push([one, again], null))).toEqual({ added: 2 });
      expect((await found(a, one.key))[one.key]).toHaveLength(2);
    });

    test('counts only new files', async () => {
      const [a, b] = await open();
      await a.push([one], null);
      expect(okValue(await a.push([one, two, two], null))).toEqual({ added: 1 });
      expect(okValue(await b.push([two], null))).toEqual({ added: 0 });
      expect(okValue(await b.push([], null))).toEqual({ added: 0 });
    });

    test('keeps the files of a clone that pushes at the same time', async () => {
      const [a, b] = await open();
      const [first, second] = await Promise.all([a.push([one], null), b.push([two, other], null)]);
      expect([okValue(first), okValue(second)]).toEqual([{ added: 1 }, { added: 2 }]);
      await a.fetch(null);
      expect(await found(a, one.key, two.key)).toEqual({
        [one.key]: [shown(one.file), shown(other.file)].sort(),
        [two.key]: [shown(two.file)],
      });
    });

    test('stores no file that is too large or has a wrong key', async () => {
      const [a] = await open();
      const large = { key: one.key, file: { ...one.file, statement: Buffer.alloc(LARGEST_STATEMENT + 1, 97) } };
      const signed = { key: one.key, file: { ...one.file, signature: 'x'.repeat(16 * 1024 + 1) } };
      const odd = { ...one, key: '../x' };
      expect(okValue(await a.push([large, signed, odd], null))).toEqual({ added: 0 });
      expect(await found(a, one.key)).toEqual({});
    });

    test('stores a file of the largest size', async () => {
      const [a, b] = await open();
      const statement = Buffer.alloc(LARGEST_STATEMENT, 97);
      const file = { key: one.key, file: { statement, signature: 'x'.repeat(16 * 1024) } };
      expect(okValue(await a.push([file], null))).toEqual({ added: 1 });
      await b.fetch(null);
      expect(await found(b, one.key)).toEqual({ [one.key]: [shown(file.file)] });
    });

    if (canList) {
      test('lists all files', async () => {
        const [a, b] = await open();
        await a.push([one, two, other], null);
        await b.fetch(null);
        const all = okValue(await b.all());
        expect(all.map(({ key, file }) => `${key} ${shown(file)}`).sort()).toEqual(
          [one, two, other].map(({ key, file }) => `${key} ${shown(file)}`).sort(),
        );
      });

      test('lists nothing at first', async () => {
        const [a] = await open();
        expect(okValue(await a.all())).toEqual([]);
      });

      test('prunes old files for every clone', async () => {
        const [a, b] = await open();
        await a.push([one, two, other], null);
        await b.fetch(null);
        expect(okValue(await b.prune(({ file }) => shown(file) === shown(one.file)))).toEqual({ removed: 1 });
        expect(okValue(await b.prune(() => false))).toEqual({ removed: 0 });
        await a.fetch(null);
        expect(await found(a, one.key, two.key)).toEqual({
          [one.key]: [shown(other.file)],
          [two.key]: [shown(two.file)],
        });
        expect(okValue(await a.prune(() => true))).toEqual({ removed: 2 });
        expect(okValue(await a.push([one], null))).toEqual({ added: 1 });
      });
    } else {
      test('says that it cannot list or prune', async () => {
        const [a] = await open();
        const failure = { kind: 'passes-carrier', why: 'cannot-list' };
        expect(await a.all()).toMatchObject({ ok: false, failure });
        expect(await a.prune(() => true)).toMatchObject({ ok: false, failure });
      });
    }
  });
}

function shown({ statement, signature }: StoredFile['file']): string {
  return `${Buffer.from(statement).toString('base64')} ${signature}`;
}
