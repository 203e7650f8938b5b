import { fence } from '../domain/fence.ts';
import type { Finding } from '../domain/finding.ts';
import { quoteName } from '../domain/quote-name.ts';

/** What a prompt says of a finding. */
export type FindingFacts = Pick<Finding, 'id' | 'priority' | 'line' | 'code' | 'issue' | 'fix'> & {
  readonly file: string | null;
};

/** A finding as a block of a prompt, with what else there is to say of it. */
export function toldFinding(finding: FindingFacts, more: readonly string[] = []): string {
  const { id, priority, file, line, code, issue, fix } = finding;
  const place = file === null ? null : `${quoteName(file)}${line === null ? '' : `:${line}`}`;
  return fence(
    [
      `id: ${id}`,
      `priority: ${priority}`,
      ...(place === null ? [] : [`place: ${place}`]),
      ...(code === null ? [] : [`code: ${code}`]),
      `issue: ${issue}`,
      ...(fix === null ? [] : [`fix: ${fix}`]),
      ...more,
    ].join('\n'),
  );
}
