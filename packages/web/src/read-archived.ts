import { PREVIOUS } from '@onceover/base/kernel/paths';
import { openFolder } from '@onceover/base/platform/private-files';
import * as z from 'zod';
import type { PageDocument } from './json-schema.ts';

/** The maximum number of characters of one transcript that are shown. */
export const LONGEST_TRANSCRIPT = 16 * 1024 * 1024;

export type TranscriptLog = { readonly text: string; readonly cut: boolean };

/** A transcript that can be opened. `log` returns its text; `null` if the file no longer exists. */
export type OpenableTranscript = {
  readonly listed: PageDocument['logs'][number];
  log(): TranscriptLog | null;
};

/** The maximum number of transcripts of earlier changes that are listed, newest first. */
const MOST_ARCHIVED = 500;

const LARGEST_RECORD = 4 * 1024 * 1024;

// Records of reviews and checks have more fields, but pages need only these.
const archivedRecord = z.object({
  gate: z.string(),
  timestamp: z.string(),
  status: z.string(),
  adapter: z.string().optional(),
});

/**
 * Returns the transcripts of earlier changes. `onceover run` archives the records of gates that have no changes left,
 * and `onceover clean` archives all records.
 */
export function archivedTranscripts(root: string, logDir: string): readonly OpenableTranscript[] {
  const folder = openFolder(root, `${logDir}/${PREVIOUS}`);
  const files = folder.list();
  return (files.ok ? files.value : [])
    .flatMap(({ name }): OpenableTranscript[] => {
      const [, stem, slot, iteration] = /^([^.@]*[^@]*?)(?:@(\d+))?\.(\d+)\.log$/.exec(name) ?? [];
      const record = archivedRecord.safeParse(folder.json(name.replace(/\.log$/, '.json'), LARGEST_RECORD));
      if (stem === undefined || !record.success || record.data.status === 'skipped_prior_pass') return [];
      const { gate, timestamp: at, status, adapter } = record.data;
      return [
        {
          listed: {
            ...{ id: `${PREVIOUS}.${name.replace(/\.log$/, '')}`, kind: slot === undefined ? 'check' : 'review', gate },
            ...{ slot: slot === undefined ? null : Number(slot), iteration: Number(iteration) },
            ...{ agent: adapter ?? null, status, at },
          },
          log() {
            const text = folder.text(name);
            return text.ok && text.value !== null ? cutLog(text.value) : null;
          },
        },
      ];
    })
    .sort((a, b) => (a.listed.at < b.listed.at ? 1 : -1))
    .slice(0, MOST_ARCHIVED);
}

/** Returns a log, cut off at the end if it is too long for a page. */
export function cutLog(text: string): TranscriptLog {
  return { text: text.slice(0, LONGEST_TRANSCRIPT), cut: text.length > LONGEST_TRANSCRIPT };
}
