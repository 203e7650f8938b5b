import type { GateId } from '@onceover/base/kernel/ids';
import { isRecord } from '@onceover/base/kernel/json';
import {
  hasAnyOf,
  isOneOf,
  isOrdinal,
  isString,
  readShape,
  type Shaped,
  withKeyOrder,
} from '@onceover/base/kernel/shape';
import { PRIORITIES } from '@onceover/repo/config/settings';
import { FINDING_STATES } from '../../findings/types.ts';
import type { CheckRecord, SlotRecord, SlotStatus, Violation } from '../record-types.ts';
import { CHECK_RECORD, OWN } from './shapes.ts';

export function checkText(record: CheckRecord): string {
  return `${JSON.stringify(withKeyOrder(record, CHECK_RECORD), null, 2)}\n`;
}

/**
 * Returns a check's record from parsed JSON; `null` if a field is missing or the iteration differs from the one in the
 * file name.
 */
export function readCheck(value: unknown, iteration: number): CheckRecord | null {
  const record = readShape<CheckRecord>(value, CHECK_RECORD);
  return record?.iteration === iteration ? record : null;
}

export function unreadableCheck(gate: GateId, iteration: number): CheckRecord {
  const empty = { timestamp: '', command: '', exitCode: null, durationMs: 0, tree: '', scope: '', why: null };
  return { ...empty, gate, iteration, status: 'error', branch: null, mergeBase: null, iterationTookPlace: undefined };
}

const OWN_RECORD = { gate: isString, slot: isOrdinal, iteration: isOrdinal, ...OWN };

// Every run reads all records, so a record contains only the start of a long answer. The log contains all of it.
const LONGEST_RAW_OUTPUT = 64 * 1024;

const isStatus = isOneOf<SlotStatus>(['pass', 'fail', 'error', 'skipped_prior_pass']);
const isPriority = isOneOf(PRIORITIES);
const isState = isOneOf(FINDING_STATES);

type SlotFileParts = Pick<SlotRecord, 'slot' | 'iteration'> & { readonly gate: GateId | null; readonly agent: string };

export function slotText(record: SlotRecord): string {
  const { gate, slot, iteration, adapter, timestamp, status, rawOutput, passIteration, own } = record;
  const document = {
    adapter,
    timestamp,
    status,
    rawOutput: cutOutput(rawOutput),
    violations: record.violations.map(violationDocument),
    ...(status === 'skipped_prior_pass' ? { passIteration } : {}),
    ...(own === null ? {} : withKeyOrder({ gate, slot, iteration, ...own }, OWN_RECORD)),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/** Returns a reviewer's record from parsed JSON; `null` if it is invalid or contradicts its file name (`nameParts`). */
export function readSlot(value: unknown, nameParts: SlotFileParts): SlotRecord | null {
  if (!isRecord(value) || !isStatus(value['status'])) return null;
  const isOurs = hasAnyOf(value, OWN_RECORD);
  const ownFields = isOurs ? readShape<Shaped<typeof OWN_RECORD>>(value, OWN_RECORD) : null;
  const violations = readViolations(value['violations'], isOurs);
  if ((isOurs && ownFields === null) || violations === null) return null;
  const { gate, slot, iteration, ...own } = ownFields ?? nameParts;
  if (gate === null || slot !== nameParts.slot || iteration !== nameParts.iteration) return null;
  return {
    gate,
    slot,
    iteration,
    adapter: isString(value['adapter']) ? value['adapter'] : nameParts.agent,
    timestamp: isString(value['timestamp']) ? value['timestamp'] : '',
    status: value['status'],
    rawOutput: isString(value['rawOutput']) ? value['rawOutput'] : '',
    violations,
    passIteration: isOrdinal(value['passIteration']) ? value['passIteration'] : null,
    own: 'content' in own ? own : null,
  };
}

/** Returns a record that stands for an unreadable file. Its status is `error`, so it never counts as a pass. */
export function unreadableSlot(gate: GateId, { slot, iteration, agent }: SlotFileParts): SlotRecord {
  const empty = { timestamp: '', rawOutput: '', violations: [], passIteration: null, own: null };
  return { ...empty, gate, slot, iteration, adapter: agent, status: 'error' };
}

function cutOutput(text: string): string {
  if (text.length <= LONGEST_RAW_OUTPUT) return text;
  const beginning = text.slice(0, LONGEST_RAW_OUTPUT).replace(/[\ud800-\udbff]$/, '');
  return `${beginning}\n[cut here: ${text.length - beginning.length} more characters]`;
}

/**
 * Returns a reported problem as JSON. `id`, `code` and `state` are left out if `null`, as in records of other tools.
 */
function violationDocument({ id, code, state, ...common }: Violation): object {
  const { file, line, issue, fix, priority, status, result } = common;
  const ownFields = Object.entries({ id, code, state }).filter(([, value]) => value !== null);
  return { file, line, issue, fix, priority, status, result, ...Object.fromEntries(ownFields) };
}

/**
 * Returns all reported problems; `null` if `value` is not a list. A problem that cannot be read is kept, so that the
 * record does not count as a pass.
 */
function readViolations(value: unknown, isOurs: boolean): readonly Violation[] | null {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map((violation) => readViolation(violation, isOurs)) : null;
}

function readViolation(value: unknown, isOurs: boolean): Violation {
  const fields = isRecord(value) ? value : { issue: value };
  const { file, line, issue, fix, priority, status, result } = fields;
  const { id, code, state } = isOurs ? fields : {};
  return {
    file: isString(file) ? file : '',
    line: isOrdinal(line) ? line : null,
    issue: isString(issue) ? issue : '',
    fix: isString(fix) ? fix : null,
    priority: isPriority(priority) ? priority : 'critical',
    status: status === 'fixed' || status === 'skipped' ? status : 'new',
    result: isString(result) ? result : null,
    id: isString(id) ? id : null,
    code: isString(code) ? code : null,
    state: isState(state) ? state : null,
  };
}
