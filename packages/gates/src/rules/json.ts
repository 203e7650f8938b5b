import type * as z from 'zod';
import { definingFile, describeNotice, personaFor } from './describe.ts';
import type { instructionsSchema, passSchema, rulesSchema } from './json-schema.ts';
import type { InstructionsOutcome, Notice, Rule } from './types.ts';

export type InstructionsDocument = ReturnType<typeof instructionsDocument>;

export type RulesDocument = ReturnType<typeof rulesDocument>;

export type PassDocument = ReturnType<typeof passDocument>;

export function instructionsDocument({ written, skipped, notices }: InstructionsOutcome, platform: string) {
  return {
    tasks: written.map(({ task, file }) => {
      const [{ rule }, ...otherParts] = task.parts;
      const also = otherParts.map((part) => ({ rule: part.rule.name, defining_file: definingFile(part.rule) }));
      return {
        review_id: task.id,
        rule: rule.name,
        defining_file: definingFile(rule),
        files: [...task.files],
        instruction_file: file,
        agent: personaFor(task, platform),
        ...(also.length === 0 ? {} : { also }),
      };
    }),
    skipped: skipped.map((task) => ({
      review_id: task.id,
      rule: task.parts[0].rule.name,
      files: [...task.files],
      why: 'unchanged-since-pass',
    })),
    warnings: notices.map(describeNotice),
  } satisfies z.input<typeof instructionsSchema>;
}

export function rulesDocument(rules: readonly Rule[], notices: readonly Notice[]) {
  return {
    rules: rules.map((rule) => ({ name: rule.name, description: rule.description, defining_file: definingFile(rule) })),
    warnings: notices.map(describeNotice),
  } satisfies z.input<typeof rulesSchema>;
}

export function passDocument({ id, vouched }: { readonly id: string; readonly vouched: boolean }) {
  return { review_id: id, marked: true, instructions_known: vouched } satisfies z.input<typeof passSchema>;
}
