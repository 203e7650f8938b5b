import { isRecord } from '../domain/is-record.ts';

type Fields = Readonly<Record<string, unknown>>;

/**
 * An answer in which every refusal has an issue that whoever fixes can act on: one that does not approve and names nothing
 * that blocks, or calls a level failed without an issue of it, gets one from its own words.
 */
export function withReasons(answer: Fields): Fields {
  const issues: readonly unknown[] = Array.isArray(answer['issues']) ? answer['issues'] : [];
  const added = failedLevels(answer['levels'])
    .filter((level) => !issues.some((one) => isRecord(one) && one['level'] === level))
    .map((level) => blocker(`Level "${level}" is reported as failed, without an issue that says why.`, { level }));
  const all = [...issues, ...added];
  if (answer['approved'] !== false || all.some(isBlocking)) return { ...answer, issues: all };
  return { ...answer, issues: [...all, blocker(refusal(answer['summary']))] };
}

function failedLevels(levels: unknown): readonly string[] {
  return Object.entries(levelResults(levels))
    .filter(([, passed]) => !passed)
    .map(([name]) => name);
}

/** Whether each level passed, as far as that is told. */
export function levelResults(levels: unknown): Readonly<Record<string, boolean>> {
  if (!isRecord(levels)) return {};
  const judged = Object.entries(levels).flatMap(([name, level]) => {
    const passed = isRecord(level) ? level['passed'] : level;
    return typeof passed === 'boolean' ? [[name, passed] as const] : [];
  });
  return Object.fromEntries(judged);
}

function refusal(summary: unknown): string {
  if (typeof summary === 'string' && summary.trim() !== '') return `Not approved: ${summary.trim()}`;
  return 'The reviewer did not approve, and named no reason.';
}

function blocker(description: string, more: Fields = {}): Fields {
  return { severity: 'blocker', description, ...more };
}

// What is no issue at all is left for the schema to refuse.
function isBlocking(issue: unknown): boolean {
  return !isRecord(issue) || issue['severity'] !== 'suggestion';
}
