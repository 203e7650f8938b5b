import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { fileName } from '@onceover/passes/src/stored-files.ts';
import { normaliseRemote } from '@onceover/store/decide-identity';
import { expect } from 'vitest';
import { PROJECT } from './composite-action.ts';
import { failing } from './gates.ts';
import type { Clone, Team } from './sharing.ts';
import { HAS_STORE } from './ways.ts';

/** A statement as JSON, for tests that change its fields. */
export type Json = { [key: string]: unknown };

/** A file of the ref that carries passes. */
export type RefFile = { readonly path: string; readonly bytes: string | Uint8Array };

/** Signs and publishes statements that no honest clone would publish. */
export type Forger = ReturnType<typeof openForger>;

/** Opens a forger. `laptop` has shared the pass of one gate, whose statement the forger changes. */
export function openForger(house: Team, laptop: Clone) {
  const store = house.clone();
  const statements = HAS_STORE ? storedStatements(house) : null;
  const { original, signature, key } = statements?.read() ?? passInRef();

  function passInRef() {
    store.git('fetch', '-q', 'origin', 'refs/onceover/passes');
    const listed = store.git('ls-tree', '-r', '--name-only', 'FETCH_HEAD').trim().split('\n');
    const [path = ''] = listed.filter((name) => name.endsWith('.json'));
    const show = (name: string) => store.git('show', `FETCH_HEAD:${name}`);
    return { original: show(path), signature: show(`${path}.sig`), key: dirname(path) };
  }

  /** Signs bytes with a key of the team. */
  function sign(bytes: string | Uint8Array, name = 'dev@example.com', namespace = 'onceover'): string {
    const file = join(house.folder, 'to-sign');
    writeFileSync(file, bytes);
    rmSync(`${file}.sig`, { force: true });
    house.key(name);
    execFileSync('ssh-keygen', ['-Y', 'sign', '-n', namespace, '-f', house.keyFile(name), file], { stdio: 'pipe' });
    return readFileSync(`${file}.sig`, 'utf8');
  }

  /** Replaces the ref by one commit with these files, or the statements in a store for teams. */
  function publish(files: readonly RefFile[]): void {
    if (statements === null) pushRef(files);
    else statements.replace(files);
  }

  function pushRef(files: readonly RefFile[]): void {
    store.git('checkout', '-q', '--orphan', 'forged');
    store.git('rm', '-rfq', '--ignore-unmatch', '.');
    for (const file of files) {
      mkdirSync(dirname(join(store.root, file.path)), { recursive: true });
      writeFileSync(join(store.root, file.path), file.bytes);
    }
    store.git('add', '-A', '-f');
    store.git('commit', '-q', '--allow-empty', '-m', 'passes');
    store.git('push', '-q', '-f', 'origin', 'HEAD:refs/onceover/passes');
    store.git('checkout', '-q', 'main');
    store.git('branch', '-q', '-D', 'forged');
  }

  /** Returns the two files of a statement, under its key or another. */
  function stored(bytes: string | Uint8Array, sig: string, under = key): readonly RefFile[] {
    const name = `${under}/${fileName({ statement: Buffer.from(bytes), signature: sig })}.json`;
    return [{ path: name, bytes }, ...(sig === '' ? [] : [{ path: `${name}.sig`, bytes: sig }])];
  }

  return {
    ...{ original, signature, key, sign, publish, stored, laptop },
    /** Returns the statement with changed fields of its predicate. */
    changed(predicate: Json, envelope: Json = {}): string {
      const document = JSON.parse(original) as Json & { predicate: Json };
      return `${JSON.stringify({ ...document, ...envelope, predicate: { ...document.predicate, ...predicate } })}\n`;
    },
    /** Replaces the ref by a tree in which this many names of a shard, or of the key, mean the same object. */
    publishMany(count: number, place: 'keys' | 'files'): void {
      const feed = (input: string | Uint8Array, ...args: readonly string[]) =>
        execFileSync('git', args, { cwd: store.root, input, encoding: 'utf8' }).trim();
      const names = Array.from({ length: count }, (_, n) => `${key.slice(3, 5)}${n.toString(16).padStart(62, '0')}`);
      const blob = feed(original, 'hash-object', '-w', '--stdin');
      // `git mktree` takes many seconds for so many names. All names here are sorted already, or few.
      const tree = (entries: readonly Entry[]) =>
        feed(Buffer.concat(entries.map(treeEntry)), 'hash-object', '-t', 'tree', '-w', '--stdin', '--literally');
      const folder = (name: string, id: string): Entry => ({ mode: '40000', name, id });
      const files = names.flatMap((name) =>
        [`${name}.json`, `${name}.json.sig`].map((one): Entry => ({ mode: '100644', name: one, id: blob })),
      );
      const own = place === 'files' ? files : files.slice(0, 2);
      const id = tree(own);
      const keys = [...new Set([key.slice(3), ...(place === 'keys' ? names : [])])].sort();
      const shard = tree(keys.map((name) => folder(name, id)));
      store.git(
        'push',
        '-q',
        '-f',
        'origin',
        `${feed('', 'commit-tree', '-m', 'many', tree([folder(key.slice(0, 2), shard)]))}:refs/onceover/passes`,
      );
    },
    /** Changes each line (mode, type, id and name) of the folder with the pass, and publishes the result. */
    reshape(change: (line: string) => string): void {
      const feed = (input: string, ...args: readonly string[]) =>
        execFileSync('git', args, { cwd: store.root, input, encoding: 'utf8' }).trim();
      store.git('fetch', '-q', 'origin', 'refs/onceover/passes');
      const lines = store.git('ls-tree', `FETCH_HEAD:${key}`).trim().split('\n');
      const folder = (name: string, id: string) => feed(`040000 tree ${id}\t${name}\n`, 'mktree');
      const own = feed(`${lines.map(change).join('\n')}\n`, 'mktree', '--missing');
      const root = folder(key.slice(0, 2), folder(key.slice(3), own));
      store.git('push', '-q', '-f', 'origin', `${feed('', 'commit-tree', '-m', 'x', root)}:refs/onceover/passes`);
    },
    pointRefAt: (object: string) => store.git('push', '-q', '-f', 'origin', `${object}:refs/onceover/passes`),
    git: store.git,
  };
}

const OWN = 'repository = (SELECT id FROM onceover.repositories WHERE remote = $1)';

/** Reads and replaces the statements of a team in the store for teams. */
function storedStatements({ bare }: Team) {
  const remote = normaliseRemote(`file://${bare}`);
  return {
    read() {
      const [row] = sqlAtOnce(
        `SELECT key, convert_from(statement, 'UTF8') AS original, convert_from(signature, 'UTF8') AS signature
         FROM onceover.statements WHERE ${OWN} ORDER BY written_at LIMIT 1`,
        [remote],
      );
      const { key = '', original = '', signature = '' } = row ?? {};
      return { original, signature, key: `${key.slice(0, 2)}/${key}` };
    },
    replace(files: readonly RefFile[]): void {
      sqlAtOnce(`DELETE FROM onceover.statements WHERE ${OWN}`, [remote]);
      for (const { path, bytes } of files.filter((file) => file.path.endsWith('.json'))) {
        const signature = files.find((file) => file.path === `${path}.sig`)?.bytes ?? '';
        const base64 = (given: string | Uint8Array) => Buffer.from(given).toString('base64');
        sqlAtOnce(
          `INSERT INTO onceover.statements (repository, key, name, statement, signature)
           SELECT id, $2, $3, decode($4, 'base64'), decode($5, 'base64') FROM onceover.repositories WHERE remote = $1`,
          [remote, basename(dirname(path)), basename(path, '.json'), base64(bytes), base64(signature)],
        );
      }
    },
  };
}

const SQL_PROGRAM = `const { Client } = require('pg');
const { url, text, values } = JSON.parse(require('node:fs').readFileSync(0, 'utf8'));
const client = new Client({ connectionString: url });
client.connect().then(() => client.query(text, values)).then(({ rows }) => {
  process.stdout.write(JSON.stringify(rows));
  return client.end();
});`;

/** Runs SQL on the store of the tests and waits for its rows, as git commands do. */
export function sqlAtOnce(text: string, values: readonly string[] = []): readonly Readonly<Record<string, string>>[] {
  const input = JSON.stringify({ url: process.env['ONCEOVER_STORE'], text, values });
  return JSON.parse(execFileSync(process.execPath, ['-e', SQL_PROGRAM], { cwd: PROJECT, input, encoding: 'utf8' }));
}

type Entry = { readonly mode: string; readonly name: string; readonly id: string };

function treeEntry({ mode, name, id }: Entry): Buffer {
  return Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(id, 'hex')]);
}

/** Returns the clone as it was before its first run. In a store for teams, only the signed statements remain. */
function cleaned({ bare }: Team, clone: Clone): Clone {
  if (HAS_STORE) {
    for (const table of ['receipts', 'findings']) {
      sqlAtOnce(`DELETE FROM onceover.${table} WHERE ${OWN}`, [normaliseRemote(`file://${bare}`)]);
    }
  }
  rmSync(join(clone.root, '.git/onceover'), { recursive: true, force: true });
  rmSync(join(clone.root, '.deepwork'), { recursive: true, force: true });
  const refs = clone.git('for-each-ref', '--format=%(refname)', 'refs/onceover').trim().split('\n');
  for (const ref of refs.filter((one) => one !== '')) clone.git('update-ref', '-d', ref);
  return clone;
}

/** Expects that no pass counts: a reviewer runs, its objection fails the run, and the reason is the given one. */
export async function expectNotAccepted(
  house: Team,
  clone: Clone,
  why: string | null,
): Promise<{ readonly stderr: string }> {
  house.forget();
  house.answers(failing('src/a.txt', 'work', { line: 2 }));
  const run = await cleaned(house, clone).run();
  const slots = run.gates.flatMap((gate) => gate.slots);
  expect(slots.map(({ accepted }) => accepted)).toEqual([null]);
  expect([run.code, house.calls()]).toEqual([1, 1]);
  if (why !== null) expect(slots[0]?.not_accepted?.why).toBe(why);
  return run;
}
