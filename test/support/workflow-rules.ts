import * as z from 'zod';
import { ACTION_INPUTS } from './docs-commands/yaml-fences.ts';

const permissions = z.record(z.string(), z.enum(['read', 'write', 'none']));
const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()]));

const step = z.strictObject({
  name: z.string().optional(),
  uses: z.string().optional(),
  with: texts.optional(),
  run: z.string().optional(),
  env: texts.optional(),
});

const job = z.strictObject({
  name: z.string().optional(),
  needs: z.string().optional(),
  'runs-on': z.string(),
  container: z.string().optional(),
  environment: z.string().optional(),
  permissions: permissions.optional(),
  'timeout-minutes': z.int().optional(),
  strategy: z.strictObject({ 'fail-fast': z.boolean(), matrix: z.record(z.string(), z.array(z.unknown())) }).optional(),
  steps: z.array(step).min(1),
});

/** The part of GitHub's workflow syntax that our workflows use. Other keys are a mistake or need a new line here. */
export const workflowSchema = z.strictObject({
  name: z.string(),
  on: z.record(z.string(), z.unknown()),
  permissions: permissions.optional(),
  concurrency: z
    .strictObject({ group: z.string(), 'cancel-in-progress': z.union([z.boolean(), z.string()]) })
    .optional(),
  jobs: z.record(z.string(), job),
});

type Workflow = z.infer<typeof workflowSchema>;
type Step = z.infer<typeof step>;

export type Rule = {
  readonly title: string;
  /** Returns what violates the rule. `lines` are the lines of the file, with comments. */
  readonly violations: (workflow: Workflow, lines: readonly string[]) => readonly string[];
};

/** These events run code of a pull request with the rights of the base branch. */
const DANGEROUS_EVENTS = ['pull_request_target', 'workflow_run', 'issue_comment'];

/** The rights to write that a job may have, by the action or command that needs the right. */
const WRITES: Readonly<Record<string, RegExp>> = {
  'security-events': /codeql-action\/(?:analyze|upload-sarif)/,
  'id-token': /npm publish .*--provenance/,
  contents: /gh release create/,
};

const MOST_MINUTES = 180;
const IMAGE = /^[\w./-]+:[\w.-]+$/;
const MAJOR_TAG = /^[\w-]+(?:\/[\w-]+)+@v\d+$/;
const PINNED = /uses: [\w-]+(?:\/[\w-]+)+@[0-9a-f]{40} # v\d+(?:\.\d+)*$/;

const stepsOf = ({ jobs }: Workflow): readonly Step[] => Object.values(jobs).flatMap(({ steps }) => steps);
const wordsOf = ({ uses = '', run = '' }: Step) => `${uses} ${run}`;

export const RULES: readonly Rule[] = [
  {
    title: 'the workflow limits the rights of its jobs, and gives none to write',
    violations: ({ permissions: rights }) =>
      rights === undefined ? ['no permissions'] : Object.keys(rights).filter((scope) => rights[scope] === 'write'),
  },
  {
    title: 'a job has a right to write only if one of its steps needs the right',
    violations: ({ jobs }) =>
      Object.entries(jobs).flatMap(([name, { permissions: rights = {}, steps }]) =>
        Object.keys(rights)
          .filter((scope) => rights[scope] === 'write')
          .filter((scope) => !steps.some((one) => WRITES[scope]?.test(wordsOf(one))))
          .map((scope) => `${name}: ${scope}`),
      ),
  },
  {
    title: 'no event runs code of a pull request with the rights of the base branch',
    violations: ({ on }) => Object.keys(on).filter((event) => DANGEROUS_EVENTS.includes(event)),
  },
  {
    title: 'a new run cancels or awaits the run before',
    violations: ({ concurrency }) => (concurrency === undefined ? ['no concurrency'] : []),
  },
  {
    title: 'every job times out',
    violations: ({ jobs }) =>
      Object.entries(jobs).flatMap(([name, { 'timeout-minutes': minutes = 360 }]) =>
        minutes > MOST_MINUTES ? [name] : [],
      ),
  },
  {
    title: 'a script contains no expression; values go through the environment',
    violations: (workflow) => stepsOf(workflow).flatMap(({ run = '' }) => (run.includes('${{') ? [run] : [])),
  },
  {
    title: 'every action and image has a version: a major tag, or a commit with the version in a comment',
    violations: (workflow, lines) => [
      ...stepsOf(workflow).flatMap(({ uses }) => {
        if (uses === undefined || MAJOR_TAG.test(uses)) return [];
        return lines.some((line) => line.includes(uses) && PINNED.test(line)) ? [] : [uses];
      }),
      ...Object.values(workflow.jobs).flatMap(({ container }) =>
        container === undefined || (IMAGE.test(container) && !container.endsWith(':latest')) ? [] : [container],
      ),
    ],
  },
  {
    title: 'every action is known, and gets inputs that it has',
    violations: (workflow) =>
      stepsOf(workflow).flatMap(({ uses, with: inputs = {} }) => {
        if (uses === undefined) return [];
        const [action = ''] = uses.split('@');
        const known = Object.entries(ACTION_INPUTS).find(([name]) => name.startsWith(`${action}@`))?.[1];
        if (known === undefined) return [uses];
        return Object.keys(inputs)
          .filter((name) => !known.includes(name))
          .map((name) => `${uses}: ${name}`);
      }),
  },
  {
    title: 'a checkout does not leave its token for later steps',
    violations: (workflow) =>
      stepsOf(workflow)
        .filter(({ uses = '', with: inputs = {} }) => {
          return uses.startsWith('actions/checkout@') && inputs['persist-credentials'] !== false;
        })
        .map(wordsOf),
  },
  {
    title: 'a job that may publish installs no packages',
    violations: ({ jobs }) =>
      Object.entries(jobs).flatMap(([name, { permissions: rights = {}, steps }]) => {
        const mayPublish = rights['id-token'] === 'write' || rights['contents'] === 'write';
        return mayPublish && steps.some(({ run = '' }) => /npm (?:ci|install)\b/.test(run)) ? [name] : [];
      }),
  },
];
