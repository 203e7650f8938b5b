import type { DoctorReport } from '../domain/doctor.ts';
import type { InstructionsOutcome, Notice, WrittenTask } from '../domain/instructions.ts';
import type { Rule } from '../domain/rule.ts';
import { personaFor } from '../text/instructions.ts';
import { tellNotice } from '../text/notice.ts';
import { definingFile } from '../text/rules.ts';

/** What `instructions --json` and `get_review_instructions` answer with. */
export type InstructionsDocument = {
  tasks: {
    review_id: string;
    rule: string;
    defining_file: string;
    files: string[];
    instruction_file: string;
    agent: string | null;
    /** Further rules that share this review. */
    also?: { rule: string; defining_file: string }[];
  }[];
  skipped: { review_id: string; rule: string; files: string[]; why: string }[];
  warnings: string[];
};

export function instructionsDocument(outcome: InstructionsOutcome, platform: string): InstructionsDocument {
  return {
    tasks: outcome.written.map((written) => taskDocument(written, platform)),
    skipped: outcome.skipped.map((task) => ({
      review_id: task.id,
      rule: task.parts[0].rule.name,
      files: [...task.files],
      why: 'unchanged-since-pass',
    })),
    warnings: outcome.notices.map(tellNotice),
  };
}

function taskDocument(written: WrittenTask, platform: string): InstructionsDocument['tasks'][number] {
  const { task } = written;
  const [first, ...others] = task.parts;
  return {
    review_id: task.id,
    rule: first.rule.name,
    defining_file: definingFile(first.rule),
    files: [...task.files],
    instruction_file: written.file,
    agent: personaFor(written, platform),
    ...(others.length === 0
      ? {}
      : { also: others.map(({ rule }) => ({ rule: rule.name, defining_file: definingFile(rule) })) }),
  };
}

/** What `rules --json` and `get_configured_reviews` answer with. */
export type RulesDocument = {
  rules: { name: string; description: string; defining_file: string }[];
  warnings: string[];
};

export function rulesDocument(rules: readonly Rule[], notices: readonly Notice[]): RulesDocument {
  return {
    rules: rules.map((rule) => ({ name: rule.name, description: rule.description, defining_file: definingFile(rule) })),
    warnings: notices.map(tellNotice),
  };
}

/** What `pass --json` and `mark_review_as_passed` answer with. */
export type PassDocument = { review_id: string; marked: true; instructions_known: boolean };

export function passDocument(marked: { readonly id: string; readonly vouched: boolean }): PassDocument {
  return { review_id: marked.id, marked: true, instructions_known: marked.vouched };
}

/** What `doctor --json` answers with. */
export type DoctorDocument = {
  agents: {
    name: string;
    found: boolean;
    path: string | null;
    version: string | null;
    tested_version: string | null;
    resume: { can: boolean | null; known_from: string | null; why: string | null };
    schema: boolean;
    read_only_by: string;
    usage: string;
    stable_part: string;
    stop_hook: string;
    install: string | null;
  }[];
  git: string | null;
  bubblewrap: string | null;
  node: string;
};

export function doctorDocument(report: DoctorReport): DoctorDocument {
  return {
    agents: report.agents.map((agent) => ({
      name: agent.name,
      found: agent.program !== null,
      path: agent.program,
      version: agent.version,
      tested_version: agent.testedVersion,
      resume: {
        can: agent.resume.kind === 'unknown' ? null : agent.resume.kind === 'yes',
        known_from: agent.resume.kind === 'unknown' ? null : agent.resume.from,
        why: agent.resume.kind === 'no' ? agent.resume.why : null,
      },
      schema: agent.abilities.schema,
      read_only_by: agent.abilities.readOnly,
      usage: agent.abilities.usage,
      stable_part: agent.abilities.stablePart,
      stop_hook: agent.abilities.stopHook,
      install: agent.install,
    })),
    git: report.git,
    bubblewrap: report.bubblewrap,
    node: report.node,
  };
}
