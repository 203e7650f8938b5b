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
  const findShown = async (carrier: PassCarrier, ...keys: readonly string[]) => {
    const files = okValue(await carrier.find(keys));
    return Object.fromEntries([...files].map(([key, list]) => [key, list.map(textOf).sort()]));
  };
  const [firstFile, secondFile] = [storedSample('one'), storedSample('two')];
  // The same key, as of the same content that two people passed.
  const sameKeyFile: StoredFile = { key: firstFile.key, file: storedSample('one', 'by another').file };

  describe(`carrier ${name}`, () => {
    test('has nothing at first', async () => {
      const [a] = await open();
      expect((await a.fetch(null)).ok).toBe(true);
      expect(await findShown(a, firstFile.key, secondFile.key)).toEqual({});
    });

    test('finds nothing before the first fetch', async () => {
      const [a] = await open();
      expect(await findShown(a, firstFile.key)).toEqual({});
    });

    test('brings files from one clone to another, byte for byte', async () => {
      const [a, b] = await open();
      expect(okValue(await a.push([firstFile, secondFile], null))).toEqual({ added: 2 });
      expect(okValue(await b.fetch(null))).toBe(hasCopy);
      expect(okValue(await b.fetch(null))).toBe(false);
      expect(await findShown(b, firstFile.key, secondFile.key)).toEqual({
        [firstFile.key]: [textOf(firstFile.file)],
        [secondFile.key]: [textOf(secondFile.file)],
      });
    });

    test('leaves out keys without files, and texts that are not keys', async () => {
      const [a] = await open();
      await a.push([firstFile], null);
      const odd = ['', 'x', '../..', `${firstFile.key}\n`, `${firstFile.key}:0`, firstFile.key.toUpperCase(), '-h'];
      expect(await findShown(a, ...odd, secondFile.key, firstFile.key, firstFile.key)).toEqual({
        [firstFile.key]: [textOf(firstFile.file)],
      });
    });

    test('finds its own files after a push', async () => {
      const [a] = await open();
      await a.push([firstFile], null);
      expect(await findShown(a, firstFile.key)).toEqual({ [firstFile.key]: [textOf(firstFile.file)] });
    });

    test('keeps several files under a key', async () => {
      const [a, b] = await open();
      await a.push([firstFile], null);
      expect(okValue(await b.push([sameKeyFile], null))).toEqual({ added: 1 });
      await a.fetch(null);
      expect(await findShown(a, firstFile.key)).toEqual({
        [firstFile.key]: [textOf(firstFile.file), textOf(sameKeyFile.file)].sort(),
      });
    });

    test('keeps two signatures of one statement', async () => {
      const [a] = await open();
      const again = { ...firstFile, file: { ...firstFile.file, signature: sameKeyFile.file.signature } };
      expect(okValue(await a.push([firstFile, again], null))).toEqual({ added: 2 });
      expect((await findShown(a, firstFile.key))[firstFile.key]).toHaveLength(2);
    });

    test('counts only new files', async () => {
      const [a, b] = await open();
      await a.push([firstFile], null);
      expect(okValue(await a.push([firstFile, secondFile, secondFile], null))).toEqual({ added: 1 });
      expect(okValue(await b.push([secondFile], null))).toEqual({ added: 0 });
      expect(okValue(await b.push([], null))).toEqual({ added: 0 });
    });

    test('keeps the files of a clone that pushes at the same time', async () => {
      const [a, b] = await open();
      const [first, second] = await Promise.all([a.push([firstFile], null), b.push([secondFile, sameKeyFile], null)]);
      expect([okValue(first), okValue(second)]).toEqual([{ added: 1 }, { added: 2 }]);
      await a.fetch(null);
      expect(await findShown(a, firstFile.key, secondFile.key)).toEqual({
        [firstFile.key]: [textOf(firstFile.file), textOf(sameKeyFile.file)].sort(),
        [secondFile.key]: [textOf(secondFile.file)],
      });
    });

    test('stores no file that is too large or has a wrong key', async () => {
      const [a] = await open();
      const large = {
        key: firstFile.key,
        file: { ...firstFile.file, statement: Buffer.alloc(LARGEST_STATEMENT + 1, 97) },
      };
      const longSignature = { key: firstFile.key, file: { ...firstFile.file, signature: 'x'.repeat(16 * 1024 + 1) } };
      const odd = { ...firstFile, key: '../x' };
      expect(okValue(await a.push([large, longSignature, odd], null))).toEqual({ added: 0 });
      expect(await findShown(a, firstFile.key)).toEqual({});
    });

    test('stores a file of the largest size', async () => {
      const [a, b] = await open();
      const statement = Buffer.alloc(LARGEST_STATEMENT, 97);
      const file = { key: firstFile.key, file: { statement, signature: 'x'.repeat(16 * 1024) } };
      expect(okValue(await a.push([file], null))).toEqual({ added: 1 });
      await b.fetch(null);
      expect(await findShown(b, firstFile.key)).toEqual({ [firstFile.key]: [textOf(file.file)] });
    });

    if (canList) {
      test('lists all files', async () => {
        const [a, b] = await open();
        await a.push([firstFile, secondFile, sameKeyFile], null);
        await b.fetch(null);
        const files = okValue(await b.all());
        expect(files.map(({ key, file }) => `${key} ${textOf(file)}`).sort()).toEqual(
          [firstFile, secondFile, sameKeyFile].map(({ key, file }) => `${key} ${textOf(file)}`).sort(),
        );
      });

      test('lists nothing at first', async () => {
        const [a] = await open();
        expect(okValue(await a.all())).toEqual([]);
      });

      test('prunes old files for every clone', async () => {
        const [a, b] = await open();
        await a.push([firstFile, secondFile, sameKeyFile], null);
        await b.fetch(null);
        expect(okValue(await b.prune(({ file }) => textOf(file) === textOf(firstFile.file)))).toEqual({ removed: 1 });
        expect(okValue(await b.prune(() => false))).toEqual({ removed: 0 });
        await a.fetch(null);
        expect(await findShown(a, firstFile.key, secondFile.key)).toEqual({
          [firstFile.key]: [textOf(sameKeyFile.file)],
          [secondFile.key]: [textOf(secondFile.file)],
        });
        expect(okValue(await a.prune(() => true))).toEqual({ removed: 2 });
        expect(okValue(await a.push([firstFile], null))).toEqual({ added: 1 });
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

function textOf({ statement, signature }: StoredFile['file']): string {
  return `${Buffer.from(statement).toString('base64')} ${signature}`;
}
