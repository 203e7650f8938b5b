import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { GateId, RepoPath } from '@onceover/base/kernel/ids';
import type { Gate } from '@onceover/gates/gate-types';
import { gateNames } from '@onceover/gates/run/decide/cycles';
import { openRecords } from '@onceover/gates/run/record/records';
import type { GateName, RecordHistory, SlotRecord } from '@onceover/gates/run/record-types';
import { temporaryFolder } from './repo.ts';

/** The gate of `slotRecord()`, and the files of that record. */
export const QUALITY = 'review:src:code-quality';
export const FILE = 'review_src_code-quality_codex@1.1.json';
export const LOG = 'review_src_code-quality_codex@1.1.log';

export const LOG_DIR = '.deepwork/logs' as RepoPath;

/** Returns the names of gates if only these exist. */
export function nameAll(...ids: GateId[]): readonly GateName[] {
  return gateNames(ids.map((id) => ({ id, kind: id.slice(0, id.indexOf(':')) as Gate['kind'] })));
}

export function nameOf(id: GateId): GateName {
  return nameAll(id)[0] as GateName;
}

/** A record of another tool. */
export function foreign(differs: object = {}): object {
  return {
    adapter: 'codex',
    timestamp: '2026-03-01T12:00:00.000Z',
    status: 'pass',
    rawOutput: '…',
    violations: [],
    ...differs,
  };
}

/** Opens records in a new folder, with shortcuts to write and read them. */
export function openFolder(root = temporaryFolder()) {
  const folder = join(root, LOG_DIR);
  const records = openRecords(root, LOG_DIR);
  return {
    root,
    folder,
    records,
    /** Writes a file there: a document or bytes. */
    put(name: string, content: unknown = ''): void {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      const isRaw = typeof content === 'string' || content instanceof Uint8Array;
      writeFileSync(join(folder, name), isRaw ? content : JSON.stringify(content));
    },
    names: (below = '.') => readdirSync(join(folder, below)).sort(),
    async past(ids: readonly GateId[] = [QUALITY], tracked: readonly string[] = []): Promise<RecordHistory> {
      const paths = new Set(tracked.map((name) => `${LOG_DIR}/${name}` as RepoPath));
      const read = await records.read(nameAll(...ids), paths);
      if (!read.ok) throw new Error(JSON.stringify(read.failure));
      return read.value;
    },
    write: (record: SlotRecord, agent = record.adapter, log = '') =>
      records.writeSlot(record, { gate: nameOf(record.gate), agent }, log),
  };
}
