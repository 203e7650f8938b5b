import type { McpServer } from '@modelcontextprotocol/server';
import {
  describeInstructions,
  describeNotice,
  describePass,
  describeRules,
  nextOfInstructions,
} from '@onceover/gates/rules/describe';
import { instructions, rules } from '@onceover/gates/rules/instructions';
import { instructionsDocument, passDocument, rulesDocument } from '@onceover/gates/rules/json';
import { instructionsSchema, passSchema, rulesSchema } from '@onceover/gates/rules/json-schema';
import * as z from 'zod';
import { pass } from '../api.ts';
import { passedInRuns } from '../passed-tasks.ts';
import { answer, onlyInput, pathList } from './tool.ts';

/** Adds the tools that list review rules, write review instructions, and mark a review as passed. */
export function addRuleTools(server: McpServer, root: string, platform: string): void {
  server.registerTool(
    'get_review_instructions',
    {
      title: 'Get the reviews to do',
      description:
        'Writes one instruction file for each review that the current change needs, and lists what to run. Skips reviews that passed and whose files have not changed.',
      inputSchema: onlyInput({ files: pathList('Files to review instead of the change') }),
      outputSchema: instructionsSchema.extend({ next: z.string().describe('A text that says what to do next.') }),
    },
    async (input) =>
      answer(
        await instructions(root, { files: givenFiles(input.files), base: null, passedTasks: passedInRuns }),
        (outcome) => {
          const next = nextOfInstructions(outcome);
          const taskList = describeInstructions(outcome, platform);
          const text = taskList.endsWith(next) ? taskList : `${taskList}\n\n${next}`;
          const document = { ...instructionsDocument(outcome, platform), next };
          return [text, document, outcome.notices.map(describeNotice)];
        },
      ),
  );

  server.registerTool(
    'get_configured_reviews',
    {
      title: 'List the review rules',
      description: 'Lists the review rules of this repository, whether or not their reviews passed.',
      inputSchema: onlyInput({ only_rules_matching_files: pathList('Only rules that match one of these files') }),
      outputSchema: rulesSchema,
      annotations: { readOnlyHint: true },
    },
    async (input) => {
      const files = givenFiles(input.only_rules_matching_files);
      return answer(await rules(root, files), (listing) => [
        describeRules(listing.rules, files?.names ?? null),
        rulesDocument(listing.rules, listing.notices),
        listing.notices.map(describeNotice),
      ]);
    },
  );

  server.registerTool(
    'mark_review_as_passed',
    {
      title: 'Mark a review as passed',
      description:
        'Marks a review as passed, so that it is skipped until one of its files changes. Call this tool only after you did the review and found nothing to change.',
      inputSchema: onlyInput({ review_id: z.string().describe('The id exactly as the instruction file gives it.') }),
      outputSchema: passSchema,
      annotations: { idempotentHint: true },
    },
    async (input) =>
      answer(await pass(root, input.review_id, 'mcp'), (receipt) => [
        describePass(receipt, { isExact: true }),
        passDocument(receipt),
      ]),
  );
}

function givenFiles(names: readonly string[] | null | undefined) {
  return names === null || names === undefined ? null : ({ names, source: 'tool' } as const);
}
