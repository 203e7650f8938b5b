import * as z from 'zod';
import { IMPORT_TOOLS } from './import/types.ts';

const ACCESS = z.enum(['yes', 'no', 'unknown']);

/** The schema of the JSON document of `doctor --json`. */
export const doctorSchema = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      found: z.boolean(),
      path: z.string().nullable(),
      version: z.string().nullable(),
      tested_version: z.string().nullable(),
      resume: z.object({
        can: z.boolean().nullable().describe('Whether sessions can be resumed; null if this version was never tested.'),
        known_from: z.enum(['tested', 'probed', 'config']).nullable(),
        why: z.string().nullable(),
      }),
      fork: z
        .object({
          can: z
            .boolean()
            .nullable()
            .describe('Whether onceover can copy sessions of this agent; null if this version was never tested.'),
          known_from: z.enum(['tested', 'probed', 'config']).nullable(),
          why: z.string().nullable(),
          cached: z
            .boolean()
            .describe('Whether the provider still caches the conversation after onceover has copied the session.'),
        })
        .describe(
          'Whether onceover can copy sessions of this agent, so that several reviews share what one session read.',
        ),
      can_review: z
        .boolean()
        .describe(
          'Whether the agent can review: it is installed, not known to be logged out, and its model service is not known to be unreachable.',
        ),
      login: z.object({ state: ACCESS, why: z.string().nullable() }),
      service: z.object({ state: ACCESS, why: z.string().nullable() }),
      schema: z.boolean(),
      read_only_by: z.enum(['tools', 'own-sandbox', 'copy', 'nothing']),
      usage: z.enum(['dispatch', 'session', 'if-told']),
      stable_part: z.enum(['cached', 'not-cached']),
      stop_hook: z.enum(['yes', 'when-trusted', 'when-allowed', 'none']),
      install: z.string().nullable(),
    }),
  ),
  git: z.string().nullable(),
  bubblewrap: z
    .string()
    .nullable()
    .describe('The path of bubblewrap; null if it is not installed. onceover uses it for commands with sandbox: true.'),
  node: z.string(),
  lifted_cooldowns: z
    .array(
      z.object({
        agent: z.string(),
        until: z.string().describe('The time until which onceover had planned not to call the agent.'),
        said: z.string().describe('The error message of the agent when it reached the limit.'),
      }),
    )
    .describe(
      'Agents that had reached a usage limit. The next run calls these agents again, even if their limit still applies.',
    ),
});

/** The schema of the JSON document of `init --json`. */
export const setUpSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      did: z.enum(['written', 'extended', 'left']),
      ignored: z.boolean().describe('Whether git ignores the file.'),
    }),
  ),
  carried_over: z
    .object({
      tool: z.enum(IMPORT_TOOLS),
      source: z.string().describe('The imported file or folder.'),
      not_carried_over: z.array(z.string()).describe('Settings that were not imported, each with place and reason.'),
      gates_to_add: z.string().nullable().describe('Gates to add to your existing onceover.yml, as YAML.'),
    })
    .optional()
    .describe('The result of the import; only with the option --from.'),
  also_here: z.array(z.enum(IMPORT_TOOLS)).optional().describe('Tools whose settings --from can import.'),
});

/** The schema of the JSON document of `init --remove --json`. */
export const removalSchema = z.object({
  removed: z.boolean().describe('Whether the files were removed. Without --yes they are only listed.'),
  taken: z.array(
    z.object({
      kind: z.enum(['file', 'server', 'hook', 'records', 'generated', 'git-folder', 'refs']),
      path: z.string().nullable().describe('The path; null for git refs.'),
      count: z.number().int().describe('The number of files, entries or refs.'),
    }),
  ),
  left: z.array(
    z.object({
      path: z.string(),
      why: z
        .enum(['yours', 'named', 'unreadable'])
        .describe(
          'The reason. yours: you wrote or changed the file. named: settings that stay refer to it. unreadable: it is not valid JSON.',
        ),
    }),
  ),
});

export type DoctorDocument = z.infer<typeof doctorSchema>;
export type SetUpDocument = z.infer<typeof setUpSchema>;
export type RemovalDocument = z.infer<typeof removalSchema>;
