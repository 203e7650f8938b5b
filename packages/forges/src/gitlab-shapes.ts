import * as z from 'zod';

const id = z.number().int();

const note = z.object({
  id,
  body: z.string(),
  system: z.boolean(),
  author: z.object({ id }),
  resolvable: z.boolean(),
  resolved: z.boolean().optional(),
  resolved_by: z.object({ id }).nullish(),
});

export type GitlabNote = z.output<typeof note>;

const discussion = z.object({ id: z.string(), individual_note: z.boolean(), notes: z.array(note) });

export const discussionsAnswer = z.array(discussion);

export const userAnswer = z.object({ id });

/** The best common ancestor of two commits. */
export const mergeBaseAnswer = z.object({ id: z.string() });

const diffRefs = z.object({ base_sha: z.string(), start_sha: z.string(), head_sha: z.string() });

export type DiffRefs = z.output<typeof diffRefs>;

/** The commits of a merge request. `diff_refs` is null until GitLab has computed the diff of the newest push. */
export const mergeRequestAnswer = z.object({ sha: z.string(), diff_refs: diffRefs.nullable() });

/**
 * The facts of a merge request that decide whether and how onceover reviews it. The source project is null if the fork
 * was deleted.
 */
export const mergeRequestFacts = z.object({
  state: z.string(),
  draft: z.boolean().nullish(),
  sha: z.string(),
  target_branch: z.string(),
  source_project_id: z.number().nullable(),
  target_project_id: z.number(),
  web_url: z.url(),
});

export const diffsAnswer = z.array(
  z.object({
    old_path: z.string(),
    new_path: z.string(),
    diff: z.string(),
    too_large: z.boolean().nullish(),
    collapsed: z.boolean().nullish(),
  }),
);

export const statusesAnswer = z.array(
  z.object({ id, name: z.string(), status: z.string(), target_url: z.string().nullish() }),
);
