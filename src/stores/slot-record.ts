import { FINDING_STATES, PRIORITIES } from '../domain/finding.ts';
import type { GateId } from '../domain/gate.ts';
import { isRecord } from '../domain/is-record.ts';
import type { SlotRecord, SlotStatus, Violation } from '../domain/record.ts';
import type { SlotNumber } from '../domain/slot.ts';
import { hasOwnFields, ownDocument, readOwn } from './own-facts.ts';
import { isOneOf, isOrdinal, isText } from './shape.ts';

// The log beside it has the whole; every record is read in every run.
const LONGEST_RAW_OUTPUT = 64 * 1024;
const isStatus = isOneOf<SlotStatus>(['pass', 'fail', 'error', 'skipped_prior_pass']);
const isPriority = isOneOf(PRIORITIES);
const isState = isOneOf(FINDING_STATES);

/** What the name of a slot record's file says. */
type SlotPlace = {
  readonly gate: GateId | null;
  readonly agent: string;
  readonly slot: SlotNumber;
  readonly iteration: number;
};

/** A slot record as it is written. */
export function slotText(record: SlotRecord): string {
  const document = {
    adapter: record.adapter,
    timestamp: record.timestamp,
    status: record.status,
    rawOutput: cutOutput(record.rawOutput),
    violations: record.violations.map(violationDocument),
    ...(record.status === 'skipped_prior_pass' ? { passIteration: record.passIteration } : {}),
    ...(record.own === null ? {} : ownDocument(record, record.own)),
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

/**
 * The slot record that a document is, under the name of its file; null where it is none that can be relied on. Ours
 * names its gate itself, and must be whole; another tool's is read as far as it goes.
 */
export function readSlot(value: unknown, named: SlotPlace): SlotRecord | null {
  if (!isRecord(value) || !isStatus(value['status'])) return null;
  const ours = hasOwnFields(value) ? readOwn(value) : { place: named, own: null };
  const violations = readViolations(value['violations'], ours?.own === null);
  if (ours === null || violations === null) return null;
  const { gate, slot, iteration } = ours.place;
  if (gate === null || slot !== named.slot || iteration !== named.iteration) return null;
  return {
    gate,
    slot,
    iteration,
    adapter: isText(value['adapter']) ? value['adapter'] : named.agent,
    timestamp: isText(value['timestamp']) ? value['timestamp'] : '',
    status: value['status'],
    rawOutput: isText(value['rawOutput']) ? value['rawOutput'] : '',
    violations,
    passIteration: isOrdinal(value['passIteration']) ? value['passIteration'] : null,
    own: ours.own,
  };
}

/** What stands for a record that cannot be read: it is no pass. */
export function unreadableSlot(gate: GateId, named: SlotPlace): SlotRecord {
  return {
    gate,
    slot: named.slot,
    iteration: named.iteration,
    adapter: named.agent,
    timestamp: '',
    status: 'error',
    rawOutput: '',
    violations: [],
    passIteration: null,
    own: null,
  };
}

function cutOutput(text: string): string {
  if (text.length <= LONGEST_RAW_OUTPUT) return text;
  const kept = text.slice(0, LONGEST_RAW_OUTPUT).replace(/[\ud800-\udbff]$/, '');
  return `${kept}\n[cut here: ${text.length - kept.length} more characters]`;
}

function violationDocument(violation: Violation): object {
  const { file, line, issue, fix, priority, status, result, id, code, state } = violation;
  return {
    file,
    line,
    issue,
    fix,
    priority,
    status,
    result,
    ...(id === null ? {} : { id }),
    ...(code === null ? {} : { code }),
    ...(state === null ? {} : { state }),
  };
}

/** Nothing in the list is dropped: a pass with findings is no pass. */
function readViolations(value: unknown, isForeign: boolean): readonly Violation[] | null {
  if (value === undefined) return [];
  return Array.isArray(value) ? value.map((one) => readViolation(one, isForeign)) : null;
}

function readViolation(value: unknown, isForeign: boolean): Violation {
  const fields = isRecord(value) ? value : { issue: value };
  const { file, line, issue, fix, priority, status, result } = fields;
  const { id, code, state } = isForeign ? {} : fields;
  return {
    file: isText(file) ? file : '',
    line: isOrdinal(line) ? line : null,
    issue: isText(issue) ? issue : '',
    fix: isText(fix) ? fix : null,
    priority: isPriority(priority) ? priority : 'critical',
    status: status === 'fixed' || status === 'skipped' ? status : 'new',
    result: isText(result) ? result : null,
    id: isText(id) ? id : null,
    code: isText(code) ? code : null,
    state: isState(state) ? state : null,
  };
}
