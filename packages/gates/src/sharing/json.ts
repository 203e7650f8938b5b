import type { TravellingStatement } from '@onceover/passes/types';
import type * as z from 'zod';
import { describeRefusal } from '../result/describe/refusals.ts';
import { describeProblemOfPasses } from './describe-problem.ts';
import type { passesSchema, passesVerifySchema } from './json-schema.ts';
import type { CurrentSlot, PassList, VerifiedFile } from './types.ts';

type PassesDocument = z.output<typeof passesSchema>;

type VerifyDocument = z.output<typeof passesVerifySchema>;

/** Returns the JSON document of `passes --json`. */
export function passesDocument(list: PassList): PassesDocument {
  return {
    carrier: list.carrier,
    problem: list.problem === null ? null : describeProblemOfPasses(list.problem),
    current: list.current.map(currentDocument),
    statements: list.statements.map(({ statement, signer, isCurrent: current, counts, why }) => {
      return { ...statementDocument(statement), signer, current, counts, why_not: why };
    }),
    accepted: list.accepted,
    agreement: list.agreement.map((agreement) => ({ ...agreement })),
  };
}

function currentDocument({ gate, slot, shared }: CurrentSlot): PassesDocument['current'][number] {
  const acceptedBy = shared?.kind === 'accepted' ? shared.signers.map(({ principal }) => principal) : null;
  const notAccepted = shared?.kind === 'refused' ? { why: shared.why, detail: describeRefusal(shared) } : null;
  return { gate, slot, accepted_by: acceptedBy, not_accepted: notAccepted };
}

function statementDocument(statement: TravellingStatement | null): VerifyDocument['statement'] {
  if (statement?.kind === 'pass') {
    const { kind, gate, slot, agent, model, session, passedAt: at } = statement;
    return { kind, gate, slot, agent, model, session, at };
  }
  const emptyFields = { slot: null, agent: null, model: null, session: null };
  if (statement === null) return { kind: null, gate: null, at: null, ...emptyFields };
  return { kind: statement.kind, gate: statement.gate, at: statement.waivedAt, ...emptyFields };
}

/** Returns the JSON document of `passes verify --json`. */
export function verifyDocument(verifiedFile: VerifiedFile): VerifyDocument {
  const { file, isSigned, keyFingerprint: key, signer, counts, why, statement } = verifiedFile;
  return { file, signed: isSigned, key, signer, counts, why_not: why, statement: statementDocument(statement) };
}
