import * as z from 'zod';
import { FOREIGN_TOOLS } from '../domain/carry-over.ts';

const place = z.string().describe('path/.deepreview:LINE');

/** The document of `instructions --json` and of `get_review_instructions`. */
export const instructionsSchema = z.object({
  tasks: z
    .array(
      z.object({
        review_id: z.string(),
        rule: z.string(),
        defining_file: place,
        files: z.array(z.string()),
        instruction_file: z.string().describe('Relative to the root of the repository.'),
        agent: z.string().nullable().describe('The persona that the rule names for the platform.'),
        also: z
          .array(z.object({ rule: z.string(), defining_file: place }))
          .optional()
          .describe('Further rules that share this review.'),
      }),
    )
    .describe('The reviews to do.'),
  skipped: z
    .array(z.object({ review_id: z.string(), rule: z.string(), files: z.array(z.string()), why: z.string() }))
    .describe('The reviews that need not be done.'),
  warnings: z.array(z.string()),
});

/** The document of `rules --json` and of `get_configured_reviews`. */
export const rulesSchema = z.object({
  rules: z.array(z.object({ name: z.string(), description: z.string(), defining_file: place })),
  warnings: z.array(z.string()),
});

/** The document of `pass --json` and of `mark_review_as_passed`. */
export const passSchema = z.object({
  review_id: z.string(),
  marked: z.literal(true),
  instructions_known: z.boolean().describe('Whether an instruction file with this id was written here before.'),
});

/** The document of `explain --json`. */
export const explainSchema = z.object({
  review_id: z.string(),
  state: z.enum(['to-do', 'skipped', 'changed', 'not-asked-for']),
  why: z.string(),
  current_review_id: z.string().nullable(),
  rules: z.array(z.object({ name: z.string(), defining_file: place })),
  files: z.array(z.string()),
  passed: z.boolean(),
  passed_at: z.string().nullable(),
  passed_by: z.string().nullable(),
});

/** The document of `doctor --json`. */
export const doctorSchema = z.object({
  agents: z.array(
    z.object({
      name: z.string(),
      found: z.boolean(),
      path: z.string().nullable(),
      version: z.string().nullable(),
      tested_version: z.string().nullable(),
      resume: z.object({
        can: z.boolean().nullable().describe('Null: this version was never tried.'),
        known_from: z.enum(['tested', 'probed', 'config']).nullable(),
        why: z.string().nullable(),
      }),
      schema: z.boolean(),
      read_only_by: z.enum(['tools', 'own-sandbox', 'nothing']),
      usage: z.enum(['dispatch', 'session', 'if-told']),
      stable_part: z.enum(['cached', 'not-cached']),
      stop_hook: z.enum(['yes', 'when-trusted', 'when-allowed', 'none']),
      install: z.string().nullable(),
    }),
  ),
  git: z.string().nullable(),
  bubblewrap: z.string().nullable().describe('Where it is; commands with sandbox: true need it.'),
  node: z.string(),
});

/** The document of `init --json`. */
export const setUpSchema = z.object({
  files: z.array(
    z.object({
      path: z.string(),
      did: z.enum(['written', 'extended', 'left']),
      ignored: z
        .boolean()
        .describe('Whether the ignore rules of the repository hide the file, so that it is never read.'),
    }),
  ),
  carried_over: z
    .object({
      tool: z.enum(FOREIGN_TOOLS),
      source: z.string().describe('The file or folder that it was read from.'),
      not_carried_over: z.array(z.string()).describe('Each with its place, and why.'),
      gates_to_add: z.string().nullable().describe('What an onceover.yml that was there lacks, as YAML.'),
    })
    .optional()
    .describe('With --from.'),
  also_here: z.array(z.enum(FOREIGN_TOOLS)).optional().describe('Tools that --from could carry over.'),
});

/** The document of `init --remove --json`. */
export const removalSchema = z.object({
  removed: z.boolean().describe('False: it was only shown; --yes takes it away.'),
  taken: z.array(
    z.object({
      kind: z.enum(['file', 'server', 'hook', 'records', 'generated', 'git-folder', 'refs']),
      path: z.string().nullable().describe('Null: refs.'),
      count: z.number().int().describe('Files, entries or refs.'),
    }),
  ),
  left: z.array(
    z.object({
      path: z.string(),
      why: z
        .enum(['yours', 'named', 'unreadable'])
        .describe('Not as init wrote it; named by settings that are left; JSON that cannot be read.'),
    }),
  ),
});

/** What every error has. */
export const errorSchema = z.object({
  error: z.object({ kind: z.string(), message: z.string(), next: z.string() }),
});
