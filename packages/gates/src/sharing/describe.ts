import { describeAgreement } from '@onceover/agents/ledger/agreement';
import { quoteName, showInvisible } from '@onceover/base/kernel/escape';
import { type Styled, UNSTYLED, wrapTo } from '@onceover/base/ui/style';
import { count } from '@onceover/base/ui/wording';
import { describeRefusal } from '../result/describe/refusals.ts';
import { describeAcceptedPass } from '../result/describe/shared.ts';
import { describeProblemOfPasses } from './describe-problem.ts';
import type { CurrentSlot, ListedStatement, PassList, VerifiedFile } from './types.ts';

/** The maximum number of passes and waivers that the text lists. `--json` lists all. */
const MOST_LISTED = 20;

/** Describes the shared passes from other clones, those for the current change first. */
export function describePassList(list: PassList, now: Date, style: Styled = UNSTYLED): string {
  const { carrier, problem, current, statements } = list;
  if (carrier === null) {
    const why =
      problem === null
        ? 'onceover.yml has no "passes", so passes stay in this clone'
        : describeProblemOfPasses(problem);
    return `${why.startsWith('onceover') ? why : upper(why)}.\nTo share passes with other clones, run "onceover init --passes". The page sharing-passes.md of the onceover docs describes the steps.`;
  }
  const firstStatements = statements.slice(0, MOST_LISTED);
  const omittedCount = statements.length - firstStatements.length;
  return [
    section('The current change', current.map(describeSlot), style),
    section(
      `${count(statements.length, 'statement')} of ${showInvisible(carrier)}, newest first`,
      [
        ...firstStatements.map((statement) => describeListed(statement, now)),
        ...(omittedCount > 0 ? [`and ${omittedCount} more (show with --json)`] : []),
      ],
      style,
    ),
    section('Audits', describeAudits(list), style),
  ]
    .filter((text) => text !== '')
    .join('\n\n');
}

function section(title: string, lines: readonly string[], style: Styled): string {
  if (lines.length === 0) return '';
  return [style.paint('strong', title), ...lines.map((line) => wrapTo(`  ${line}`, style, 2))].join('\n');
}

function describeSlot({ gate, slot, shared }: CurrentSlot): string {
  const name = `${quoteName(gate)}@${slot}`;
  if (shared === null) return `${name}  reviewed in this clone`;
  return `${name}  ${shared.kind === 'accepted' ? describeAcceptedPass(shared) : describeRefusal(shared)}`;
}

function describeListed({ statement, signer, isCurrent, counts, why }: ListedStatement, now: Date): string {
  if (statement === null) return 'unreadable statement';
  const by = signer === null ? 'unknown' : showInvisible(signer);
  const [summary, at] =
    statement.kind === 'pass'
      ? [`${quoteName(statement.gate)}@${statement.slot} by ${agentOf(statement)}`, statement.passedAt]
      : [`waiver for ${quoteName(statement.gate)}: ${showInvisible(statement.why)}`, statement.waivedAt];
  const state = !counts ? `does not count: ${why ?? ''}` : isCurrent ? 'counts for the current change' : 'other code';
  return `${describeAge(at, now)}  ${by}  ${summary} (${state})`;
}

function agentOf({ agent, model }: { readonly agent: string; readonly model: string | null }): string {
  return showInvisible(model === null ? agent : `${agent} ${model}`);
}

/** Returns the age of a pass in hours or days, such as "3 d ago". */
function describeAge(at: string, now: Date): string {
  const hours = Math.max(0, Math.floor((now.getTime() - Date.parse(at)) / 3_600_000));
  return hours < 48 ? `${hours} h ago` : `${Math.floor(hours / 24)} d ago`;
}

function describeAudits({ accepted, agreement }: PassList): readonly string[] {
  return [
    ...(accepted === 0 ? [] : [`${count(accepted, 'pass', 'passes')} of other clones counted in runs of this clone`]),
    ...agreement.map(describeAgreement),
  ];
}

/** Describes, for each signer, how often a second review (an audit) came to the same result as the signed passes. */
export function describeSignerAudits(agreement: PassList['agreement']): readonly string[] {
  return agreement.filter(({ by }) => by === 'signer').map(describeAgreement);
}

/** Describes a verified pass or waiver file: who signed it, what it says, and whether it counts. */
export function describeVerified(verifiedFile: VerifiedFile): string {
  const { file, isSigned, keyFingerprint, signer, statement, counts, why } = verifiedFile;
  const about =
    statement === null
      ? 'The file is not a statement of onceover.'
      : statement.kind === 'pass'
        ? `A pass of ${quoteName(statement.gate)}, reviewer ${statement.slot}, by ${agentOf(statement)} on ${statement.passedAt.slice(0, 10)}.`
        : `A waiver for ${quoteName(statement.gate)} by ${showInvisible(statement.by)}: ${showInvisible(statement.why)}`;
  return [
    `${quoteName(file)}: ${isSigned ? 'the signature is valid' : 'the signature is NOT valid'}`,
    about,
    ...(keyFingerprint === null
      ? []
      : [`Key: ${keyFingerprint}${signer === null ? '' : ` of ${showInvisible(signer)}`}`]),
    counts ? 'Its signer may vouch for passes.' : `It does not count: ${why ?? ''}.`,
  ].join('\n');
}

function upper(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}
