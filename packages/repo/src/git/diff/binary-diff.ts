import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { grouped } from '@onceover/base/kernel/collections';
import { type FileBytes, LARGEST_READABLE, type Readable, readableForm } from '@onceover/base/kernel/readable';
import type { DiffSection, RepositoryPaths } from '@onceover/base/kernel/repository';
import { makeFolder, tryDisk, tryToRemoveFolder } from '@onceover/base/platform/files';
import { NO_USER_PROGRAMS } from '../environment.ts';
import { git, gitFailed, gitText, orThrow } from '../git.ts';
import { withIndex } from '../private-index.ts';
import { blobsOf, type PatchPart, patch, withoutTextReplaced } from './patch.ts';

/** How both versions of a file are shown; `null` where there is none. */
type Versions = { readonly before: Readable | null; readonly after: Readable | null };

type ShownPart = Versions & { readonly part: PatchPart };

/**
 * Returns the sections of files that contain NUL bytes: as a diff of texts where they are readable. A part is missing
 * in the result if git can show both of its versions as text.
 */
export async function readableSections(
  repo: RepositoryPaths,
  parts: readonly PatchPart[],
  asText: readonly string[],
): Promise<ReadonlyMap<PatchPart, DiffSection>> {
  const sections = new Map<PatchPart, DiffSection>();
  const shownParts: ShownPart[] = [];
  for (const { part, before, after } of await readVersions(repo, await partsWithNul(repo, parts))) {
    const { paths, text } = part;
    if (after !== null && after.kind !== 'text') sections.set(part, { paths, text, unseen: after.kind });
    else if (after === null && before?.kind !== 'text') sections.set(part, { paths, text });
    else shownParts.push({ part, before, after });
  }
  const hunks = await hunksOf(repo, shownParts, asText);
  for (const { part, before, after } of shownParts) {
    const { paths, text } = part;
    const lines = hunks.get(paths.at(-1) ?? '');
    const isSame = isText(before) && isText(after) && before.text === after.text;
    // Two versions can be equal in what is shown of them, for example if only their encoding differs.
    const note = `onceover: the old version: ${noteOf(before)}; the new version: ${noteOf(after)}\n`;
    const section = { paths, text: withoutTextReplaced(part, `${note}${lines ?? ''}`) };
    sections.set(part, lines === undefined && !isSame ? { paths, text, unseen: 'opaque' } : section);
  }
  return sections;
}

function noteOf(version: Readable | null): string {
  if (version === null) return 'none';
  return version.kind === 'text' ? version.note : 'not text, and not shown';
}

/** Returns the parts of which a version contains a NUL byte. git shows the others as text. */
async function partsWithNul(repo: RepositoryPaths, parts: readonly PatchPart[]): Promise<readonly PatchPart[]> {
  const idsOf = (part: PatchPart) => versionIds(part).map(({ id }) => id);
  const withNul = new Set<string>();
  await readBlobHeads(repo, [...new Set(parts.flatMap(idsOf))], (id, { hasNul }) => {
    if (hasNul) withNul.add(id);
  });
  return parts.filter((part) => idsOf(part).some((id) => withNul.has(id)));
}

type VersionId = Omit<FileBytes, 'bytes' | 'size'> & { readonly side: 'before' | 'after'; readonly id: string };

function versionIds(part: PatchPart): readonly VersionId[] {
  const { before, after } = blobsOf(part);
  const [oldPath = '', newPath = oldPath] = part.paths;
  return [
    ...(before === null ? [] : [{ side: 'before', id: before, path: oldPath, mode: part.raw.oldMode } as const]),
    ...(after === null ? [] : [{ side: 'after', id: after, path: newPath, mode: part.raw.newMode } as const]),
  ];
}

async function readVersions(repo: RepositoryPaths, parts: readonly PatchPart[]): Promise<readonly ShownPart[]> {
  const versionsById = grouped(
    parts.flatMap((part) => versionIds(part).map((version) => ({ part, ...version }))),
    ({ id }) => id,
  );
  const versions = new Map<PatchPart, { before: Readable | null; after: Readable | null }>(
    parts.map((part) => [part, { before: null, after: null }]),
  );
  await readBlobHeads(repo, [...versionsById.keys()], (id, { bytes, size }) => {
    for (const { part, side, path, mode } of versionsById.get(id) ?? []) {
      const version = versions.get(part);
      if (version !== undefined) version[side] = readableForm({ path, mode, bytes, size });
    }
  });
  return [...versions].map(([part, version]) => ({ part, ...version }));
}

/**
 * Returns the diffs of the readable versions, without git's header, by path. git makes them from trees in which each
 * file has its readable text.
 */
async function hunksOf(
  repo: RepositoryPaths,
  parts: readonly ShownPart[],
  asText: readonly string[],
): Promise<ReadonlyMap<string, string>> {
  if (parts.length === 0) return new Map();
  const texts = [
    ...new Set(parts.flatMap(({ before, after }) => [before, after].filter(isText)).map(({ text }) => text)),
  ];
  const newIds = await storeTexts(repo, texts);
  const idByText = new Map(texts.map((text, i) => [text, newIds[i]]));
  const treeOf = (side: 'before' | 'after') => {
    const lines = parts.flatMap(({ part, [side]: version }) =>
      isText(version) ? [`100644 ${idByText.get(version.text)}\t${part.paths.at(-1)}\0`] : [],
    );
    return treeWith(repo, lines.join(''));
  };
  const trees = { from: await treeOf('before'), to: await treeOf('after') };
  const patches = await patch(repo, trees, [...asText, '--no-renames']);
  return new Map(patches.map(({ paths, text }) => [paths[0] ?? '', text.slice(text.search(/^(?:---|@@) /m))]));
}

function isText(version: Readable | null): version is Extract<Readable, { kind: 'text' }> {
  return version?.kind === 'text';
}

async function treeWith(repo: RepositoryPaths, lines: string): Promise<string> {
  return withIndex(repo, null, async (env) => {
    const options = { env, config: NO_USER_PROGRAMS };
    await git(repo.root, ['update-index', '-z', '--index-info'], { ...options, input: Buffer.from(lines, 'utf8') });
    return gitText(repo.root, ['write-tree'], options);
  });
}

/** Stores texts as blobs, and returns their ids. */
async function storeTexts(repo: RepositoryPaths, texts: readonly string[]): Promise<readonly string[]> {
  if (texts.length === 0) return [];
  const top = orThrow(makeFolder(repo.commonDir, 'onceover'));
  const folder = orThrow(tryDisk('write', top, () => mkdtempSync(join(top, 'index-'))));
  try {
    const paths = texts.map((text, i) => {
      const path = join(folder, String(i));
      orThrow(tryDisk('write', path, () => writeFileSync(path, text)));
      return path;
    });
    const input = Buffer.from(paths.map((path) => `${path}\n`).join(''), 'utf8');
    const args = ['hash-object', '-w', '--no-filters', '--stdin-paths'];
    return (await gitText(repo.root, args, { config: NO_USER_PROGRAMS, input })).split('\n');
  } finally {
    tryToRemoveFolder(folder);
  }
}

/** The size of a blob and its first bytes, at most `LARGEST_READABLE`. `hasNul` is about the whole blob. */
type BlobHead = { readonly size: number; readonly bytes: Buffer; readonly hasNul: boolean };

/**
 * Calls `onBlob` for each blob. It reads the blobs as a stream, so large blobs need little memory.
 */
async function readBlobHeads(
  repo: RepositoryPaths,
  ids: readonly string[],
  onBlob: (id: string, head: BlobHead) => void,
): Promise<void> {
  if (ids.length === 0) return;
  let answerCount = 0;
  let header = '';
  let blob: { size: number; left: number; hasNul: boolean; pieces: Buffer[]; kept: number } | null = null;
  // For each blob, git prints a line that ends with its size, then its content, then a line break.
  function onOutput(chunk: Buffer): void {
    for (let at = 0; at < chunk.length; ) {
      if (blob !== null) {
        const piece = chunk.subarray(at, at + blob.left);
        const content = piece.subarray(0, Math.max(0, blob.left - 1));
        if (content.includes(0)) blob.hasNul = true;
        const wanted = content.subarray(0, LARGEST_READABLE - blob.kept);
        if (wanted.length > 0) blob.pieces.push(wanted);
        blob.kept += wanted.length;
        blob.left -= piece.length;
        at += piece.length;
        if (blob.left > 0) continue;
        const { size, hasNul, pieces } = blob;
        blob = null;
        onBlob(ids[answerCount - 1] ?? '', { size, hasNul, bytes: Buffer.concat(pieces) });
        continue;
      }
      const end = chunk.indexOf('\n', at);
      header += chunk.toString('latin1', at, end === -1 ? chunk.length : end);
      if (end === -1) return;
      at = end + 1;
      const size = / blob (\d+)$/.exec(header)?.[1];
      if (size === undefined) return;
      blob = { size: Number(size), left: Number(size) + 1, hasNul: false, pieces: [], kept: 0 };
      answerCount++;
      header = '';
    }
  }
  const command = ['cat-file', '--batch', '--buffer'];
  const input = Buffer.from(ids.map((id) => `${id}\n`).join(''), 'latin1');
  await git(repo.root, command, { input, onOutput });
  if (answerCount !== ids.length || blob !== null) throw gitFailed(command, header);
}
