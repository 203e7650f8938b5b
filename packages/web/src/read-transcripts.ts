import { join } from 'node:path';
import { type LoggedConversation, readTranscript } from '@onceover/agents/dispatch/describe-transcript';
import { usageDocument } from '@onceover/agents/ledger/describe';
import type { LedgerEntry } from '@onceover/agents/ledger/entries';
import { byCodePoint, grouped } from '@onceover/base/kernel/collections';
import type { RepositoryPaths } from '@onceover/base/kernel/repository';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { statIfPresent } from '@onceover/base/platform/files';
import { openFolder } from '@onceover/base/platform/private-files';
import type { Preview } from '@onceover/gates/run/open-run';
import type { CheckRecord, SlotRecord } from '@onceover/gates/run/record-types';
import { transcriptId } from './describe-timeline.ts';
import type { TranscriptDocument } from './json-schema.ts';
import {
  archivedTranscripts,
  cutLog,
  LONGEST_TRANSCRIPT,
  type OpenableTranscript,
  type TranscriptLog,
} from './read-archived.ts';

/** The maximum number of characters that all transcripts of a page may have together. */
const LARGEST_PAGE = 48 * 1024 * 1024;

/** The maximum number of runs of `onceover phase` whose transcripts are listed, newest first. */
const MOST_PHASES = 20;

/** Returns the transcripts of the current change's reviews, checks and fixes, newest first. */
export async function gateTranscripts(root: string, { facts, ports }: Preview): Promise<readonly OpenableTranscript[]> {
  const logOf = ports.records.openLogs(LONGEST_TRANSCRIPT);
  const records = [
    ...facts.reviews.flatMap(({ cycle }) => cycle).filter(({ status }) => status !== 'skipped_prior_pass'),
    ...facts.past.checks,
  ];
  const fixes = (await ports.records.fixLogs()).map(({ agent, iteration, path, log }) => ({
    listed: {
      ...{ id: `fix.${iteration}`, kind: 'fix' as const, gate: 'fix', slot: null, iteration, agent },
      status: /^Status: ERROR/m.test(log) ? 'error' : 'done',
      at: changedAt(join(root, path)),
    },
    log: () => cutLog(log),
  }));
  return newestFirst([...records.map((record) => recordTranscript(record, logOf)), ...fixes]);
}

function recordTranscript(
  record: SlotRecord | CheckRecord,
  logOf: ReturnType<Preview['ports']['records']['openLogs']>,
): OpenableTranscript {
  const { gate, iteration, timestamp: at, status } = record;
  const slot = 'slot' in record ? record.slot : null;
  const agent = 'adapter' in record ? record.adapter : null;
  const kind = slot === null ? 'check' : 'review';
  return {
    listed: { id: transcriptId(gate, slot, iteration), kind, gate, slot, iteration, agent, status, at },
    log: () => logOf(gate, slot, iteration),
  };
}

/**
 * Returns the transcripts of the newest runs of `onceover phase`, newest first. If `run` is given, only those of that
 * run.
 */
export function phaseTranscripts(
  root: string,
  logDir: string,
  entries: readonly LedgerEntry[],
  run?: string,
): readonly OpenableTranscript[] {
  const loops = grouped(
    entries.filter((entry) => entry.kind === 'loop'),
    (entry) => `${entry.run} ${entry.role}`,
  );
  const folders = openFolder(root, `${logDir}/phases`).list();
  const runs = (folders.ok ? folders.value : []).flatMap(({ name }) => {
    const [, phase, id] = /^([a-z]+)_([\w-]+)$/.exec(name) ?? [];
    if (phase === undefined || id === undefined || (run !== undefined && id !== run)) return [];
    return [{ phase, id, at: changedAt(join(root, logDir, 'phases', name)) }];
  });
  const newest = runs.sort((a, b) => byCodePoint(b.at, a.at)).slice(0, MOST_PHASES);
  return newestFirst(
    newest.flatMap(({ phase, id }) => {
      const folder = openFolder(root, `${logDir}/phases/${phase}_${id}`);
      const files = folder.list();
      const callCounts = new Map<string, number>();
      return (files.ok ? files.value : [])
        .map(({ name }) => name)
        .sort(byCodePoint)
        .flatMap((name) => {
          // The log of a call that prepares the work before the first round has two numbers in its name:
          // "00_1_code-simplifier.log".
          const [, round, role] = /^(\d+)(?:_\d+)?_([a-z].*)\.log$/.exec(name) ?? [];
          if (round === undefined || role === undefined) return [];
          const nth = callCounts.get(role) ?? 0;
          callCounts.set(role, nth + 1);
          // The cost ledger does not store rounds, but it lists the calls of a role in the same order as the logs.
          const call = loops.get(`${id} ${role}`)?.[nth];
          return [
            {
              listed: {
                ...{ id: `${phase}_${id}.${name.replace(/\.log$/, '')}`, kind: 'phase' as const, slot: null },
                ...{ gate: `${phase}: ${role}`, iteration: Number(round), agent: call?.agent ?? null },
                ...{ status: call?.status ?? 'done', at: call?.at ?? changedAt(join(folder.path, name)) },
              },
              log: () => {
                const text = folder.text(name);
                return text.ok && text.value !== null ? cutLog(text.value) : null;
              },
            },
          ];
        });
    }),
  );
}

/**
 * Returns every transcript of a working tree: those of the current change, of the newest runs of `onceover phase`, and
 * archived ones.
 */
export async function allTranscripts(
  { root }: Pick<RepositoryPaths, 'root'>,
  preview: Preview,
  entries: readonly LedgerEntry[],
): Promise<readonly OpenableTranscript[]> {
  const { logDir } = preview.request.settings;
  const phases = phaseTranscripts(root, logDir, entries);
  return newestFirst([...(await gateTranscripts(root, preview)), ...phases, ...archivedTranscripts(root, logDir)]);
}

function newestFirst(transcripts: readonly OpenableTranscript[]): readonly OpenableTranscript[] {
  return [...transcripts].sort((a, b) => byCodePoint(b.listed.at, a.listed.at));
}

function changedAt(path: string): string {
  return statIfPresent(path)?.mtime.toISOString() ?? '';
}

/** Reads the given transcripts for a page, in their order, until the size limit is reached. */
export function readTranscripts(sources: readonly OpenableTranscript[]): {
  readonly transcripts: readonly TranscriptDocument[];
  readonly leftOut: number;
} {
  const transcripts: TranscriptDocument[] = [];
  let size = 0;
  let leftOut = 0;
  for (const { listed, log } of sources) {
    const content = log();
    if (content === null) continue;
    if (size + content.text.length > LARGEST_PAGE) leftOut++;
    else {
      size += content.text.length;
      transcripts.push(transcriptOf(listed, content));
    }
  }
  return { transcripts, leftOut };
}

/** Returns one transcript by its id. The id is only compared with the list; it never becomes part of a path. */
export function findTranscript(transcripts: readonly OpenableTranscript[], id: string): Result<TranscriptDocument> {
  const transcript = transcripts.find(({ listed }) => listed.id === id);
  const log = transcript?.log() ?? null;
  return transcript === undefined || log === null
    ? err({ kind: 'unknown-subject', name: id })
    : ok(transcriptOf(transcript.listed, log));
}

function transcriptOf(entry: OpenableTranscript['listed'], { text, cut }: TranscriptLog): TranscriptDocument {
  if (entry.kind === 'check') return { ...entry, head: [], calls: [], result: text.trimEnd().split('\n'), cut };
  const { head, calls, result } = readTranscript(text);
  return { ...entry, head: [...head], calls: calls.map(callDocument), result: [...result], cut };
}

function callDocument({ usage, filesRead, notes, turns, ...call }: LoggedConversation['calls'][number]) {
  return {
    ...call,
    usage: usageDocument(usage),
    turns: turns.map((turn) => ({ did: turn.did, usage: usageDocument(turn.usage) })),
    files_read: filesRead === null ? null : [...filesRead],
    notes: [...notes],
  };
}
