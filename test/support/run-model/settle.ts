import type { RepoPath } from '@onceover/base/kernel/ids';
import type { Priority } from '@onceover/repo/config/settings';
import { isBelow, isOpen, type ModelFinding, type ModelReceipt, type Standing } from './model.ts';
import type { Answer, Report } from './observed.ts';
import type { Setup } from './setup.ts';
import type { ModelGate, Stand } from './stand.ts';

/** A review that ended with a verdict. */
export type VerdictLook = {
  readonly stand: Stand;
  readonly gate: ModelGate;
  readonly slot: number;
  readonly answer: Answer;
  readonly isStale: boolean;
  /** Whether the slot gave a verdict before in this cycle. */
  readonly isRerun: boolean;
  readonly standing: readonly Standing[];
  readonly setup: Setup;
};

/** The required new state of the slot's findings, and its final verdict; `null` for a stale pass, which is an error. */
export type Settled = {
  /** By issue, because the store gives them their ids. */
  readonly added: ReadonlyMap<string, Omit<ModelFinding, 'id'>>;
  readonly updated: readonly ModelFinding[];
  /** Claims of a fix that the reviewer rejected. */
  readonly refuted: readonly string[];
  readonly verdict: ModelReceipt['verdict'];
  /** Findings that are open after the review, or waived and reported again: by id, new ones by issue. */
  readonly behind: readonly string[];
  readonly open: number;
  readonly violations: number;
} | null;

/** Combines a slot's answer with its earlier findings, by the rules of closing. */
export function settle(look: VerdictLook): Settled {
  const { gate, slot, answer, setup } = look;
  const own = look.standing.filter(({ finding }) => finding.slot === slot);
  const matched = new Map<Report, Standing>();
  const added = new Map<string, Omit<ModelFinding, 'id'>>();
  const updated: ModelFinding[] = [];
  const waived: ModelFinding[] = [];
  for (const report of answer.reports) {
    const place = placeOf(look, report);
    const earlier = ORDER.flatMap((states) => own.filter(({ state }) => states.includes(state))).find(
      (one) => ![...matched.values()].includes(one) && isSame(place, report.priority, one),
    );
    const fresh = { ...place, ...common(look), priority: report.priority };
    if (earlier === undefined) {
      const warns =
        isBelow(report.priority, setup.failOn) ||
        (look.isRerun && isBelow(report.priority, setup.rerunNewIssueThreshold));
      added.set(report.issue, { ...fresh, kept: warns ? 'warning' : 'open', isOfRerun: look.isRerun, said: null });
      continue;
    }
    matched.set(report, earlier);
    if (earlier.finding.said === 'skipped') waived.push(earlier.finding);
    else updated.push(again(earlier, fresh, setup));
  }
  // A reviewer that reports it again says that it is not fixed.
  const refuted = [...matched.values()]
    .filter(({ finding }) => finding.said === 'fixed')
    .map(({ finding }) => finding.id);
  const stays: ModelFinding[] = [];
  let staying = 0;
  for (const one of own) {
    const { finding, state } = one;
    if (state !== 'warning' && !isOpen(state)) continue;
    const isRepeated = [...matched.values()].includes(one);
    if (!isRepeated && isClosed(look, finding)) updated.push({ ...finding, kept: 'closed' });
    else {
      if (!isRepeated && state === 'fixed_claimed') refuted.push(finding.id);
      if (!isRepeated && isOpen(state)) {
        staying++;
        // A finding that is called open counts as reported on the current content.
        if (wordOn(look, finding) === 'open') updated.push(confirmed(finding));
        else stays.push(finding);
      }
    }
  }
  if (answer.status === 'fail' && answer.reports.length === 0 && staying === 0) {
    const nowhere = { file: null, isNamed: false, anchor: null, entry: null, seen: null };
    added.set(answer.message, {
      ...nowhere,
      ...common(look),
      priority: 'critical',
      kept: 'open',
      isOfRerun: look.isRerun,
      said: null,
    });
  }
  const news = [...added].filter(([, { kept }]) => kept === 'open').map(([issue]) => issue);
  const open = [...stays, ...updated.filter(({ kept }) => kept === 'open')].map(({ id }) => id);
  if (look.isStale && news.length + open.length === 0) return null;
  const warnings = [...added.values(), ...updated].filter(({ kept }) => kept === 'warning').length;
  return {
    added,
    updated,
    refuted,
    verdict: news.length + open.length + waived.length > 0 ? 'fail' : 'pass',
    behind: [...news, ...open, ...waived.map(({ id }) => id)],
    open: news.length + open.length,
    violations: news.length + open.length + waived.length + warnings,
  };

  function confirmed(finding: ModelFinding): ModelFinding {
    const entry = gate.entries.find(({ path }) => path === finding.file) ?? finding.entry;
    const now = finding.file === null ? {} : { seen: seenAs(look, finding.file), entry };
    return { ...finding, ...now, content: gate.content, where: look.stand.where, cycleEnded: false, kept: 'open' };
  }

  function common({ stand }: VerdictLook) {
    return {
      gate: gate.id,
      scope: stand.scope.key,
      slot,
      content: gate.content,
      where: stand.where,
      cycleEnded: false,
    };
  }
}

/** Open findings match before warnings, then waived ones, then closed ones. */
const ORDER: readonly (readonly Standing['state'][])[] = [
  ['open', 'fixed_claimed'],
  ['warning'],
  ['waived', 'gone'],
  ['closed'],
];

type Place = Pick<ModelFinding, 'file' | 'isNamed' | 'anchor' | 'entry' | 'seen'>;

function isSame(place: Place, priority: Priority, { finding, state }: Standing): boolean {
  if (state === 'gone' && finding.said !== 'skipped') return false;
  if (place.anchor === null || finding.anchor === null || place.file !== finding.file) return false;
  if (place.anchor.text !== finding.anchor.text || place.anchor.occurrence !== finding.anchor.occurrence) return false;
  // A problem more severe than the waived one is a new finding.
  return finding.said !== 'skipped' || !isBelow(finding.priority, priority);
}

/** An open finding stays open, even if it is reported as less severe now. */
function again({ finding, state }: Standing, now: Place & { readonly priority: Priority }, setup: Setup): ModelFinding {
  const priority = isBelow(finding.priority, now.priority) ? now.priority : finding.priority;
  const warns =
    state === 'warning'
      ? isBelow(priority, setup.failOn) || (finding.isOfRerun && isBelow(priority, setup.rerunNewIssueThreshold))
      : state === 'closed' && isBelow(priority, setup.failOn);
  return { ...finding, ...now, priority, kept: warns ? 'warning' : 'open', said: null };
}

/** Closed by its own slot's answer, or silently if its file has changed. */
function isClosed(look: VerdictLook, finding: ModelFinding): boolean {
  const { gate, isStale } = look;
  // A stale review closes no finding.
  if (isStale) return false;
  switch (wordOn(look, finding)) {
    case 'withdrawn':
      return true;
    case 'fixed':
      return finding.content !== gate.content;
    case 'open':
      return false;
    case undefined:
      // Without a file it is about all code of the gate. If the named file is unknown, no change can fix it.
      if (finding.file === null) return !finding.isNamed && finding.content !== gate.content;
      return finding.seen !== null && finding.seen !== seenAs(look, finding.file);
  }
}

/** If there are several answers about a finding, `open` counts. */
function wordOn({ answer }: VerdictLook, { id }: ModelFinding) {
  const words = answer.words.filter((one) => one.id === id);
  return (words.find(({ state }) => state === 'open') ?? words[0])?.state;
}

const DELETED = 'deleted';

/** Returns a file's text, or that it was deleted; `null` if nothing is known about it. */
function seenAs({ stand, gate }: VerdictLook, file: RepoPath | null): string | null {
  if (file === null) return null;
  const text = stand.files.get(file)?.text;
  const hasEntry = gate.entries.some(({ path }) => path === file);
  if (text !== undefined) return `text ${text}`;
  return hasEntry ? DELETED : null;
}

function placeOf(look: VerdictLook, report: Report): Place {
  const { stand, gate } = look;
  const name = report.file.replace(/^\.\//, '');
  const file = name === '' || name.startsWith('..') ? null : (name as RepoPath);
  const text = file === null ? undefined : stand.files.get(file)?.text;
  return {
    file,
    isNamed: name !== '',
    anchor: text === undefined ? null : anchorIn(text, report),
    entry: gate.entries.find(({ path }) => path === file) ?? null,
    seen: seenAs(look, file),
  };
}

/** Returns the quoted code nearest to the line or, without a quotation, the line's own text. */
function anchorIn(text: string, { line, code }: Report): ModelFinding['anchor'] {
  const lines = text.split('\n').map((one) => one.trim());
  const wanted = code?.trim() || (line === null ? '' : (lines[line - 1] ?? ''));
  if (wanted === '') return null;
  const found = lines.flatMap((one, i) => (one === wanted ? [i + 1] : []));
  const distances = found.map((one) => Math.abs(one - (line ?? 1)));
  const nearest = distances.indexOf(Math.min(...distances));
  return nearest === -1 ? null : { text: wanted, occurrence: nearest + 1 };
}
