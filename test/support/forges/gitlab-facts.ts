import * as z from 'zod';

/**
 * The facts about GitLab's REST API (version 4) that onceover relies on, as strict schemas. GitLab publishes no
 * machine-readable description of these routes on npm.
 */
const sha = z.string().regex(/^[0-9a-f]{40}$/);
const text = z.string().min(1);
const lineCode = z.string().regex(/^[0-9a-f]{40}_\d+_\d+$/);
const rangeEnd = z.strictObject({
  line_code: lineCode,
  type: z.enum(['new', 'old']).nullable(),
  new_line: z.number().int().positive(),
  old_line: z.number().int().positive().optional(),
});
const refs = { base_sha: sha, start_sha: sha, head_sha: sha, old_path: text, new_path: text };
const position = z.discriminatedUnion('position_type', [
  z.strictObject({
    ...refs,
    position_type: z.literal('text'),
    new_line: z.number().int().positive(),
    old_line: z.number().int().positive().optional(),
    line_range: z.strictObject({ start: rangeEnd, end: rangeEnd }).optional(),
  }),
  z.strictObject({ ...refs, position_type: z.literal('file') }),
]);

export type GitlabPosition = z.output<typeof position>;

const noteBody = z.strictObject({ body: text });

const statusBody = z.strictObject({
  name: text.max(255),
  state: z.enum(['pending', 'running', 'success', 'failed', 'canceled', 'skipped']),
  description: z.string().max(255).optional(),
  target_url: z.url().max(255).optional(),
});

const PROJECT = '/projects/:id';
const REQUEST = `${PROJECT}/merge_requests/:iid`;

/** The routes with the body that each accepts; null if it takes none. */
const GITLAB_ROUTES = {
  'GET /user': null,
  [`GET ${PROJECT}/repository/merge_base`]: null,
  [`GET ${PROJECT}/repository/commits/:sha/statuses`]: null,
  [`POST ${PROJECT}/statuses/:sha`]: statusBody,
  [`GET ${REQUEST}`]: null,
  [`GET ${REQUEST}/diffs`]: null,
  [`GET ${REQUEST}/discussions`]: null,
  [`POST ${REQUEST}/discussions`]: z.strictObject({ body: text, position }),
  [`PUT ${REQUEST}/discussions/:discussion`]: z.strictObject({ resolved: z.boolean() }),
  [`POST ${REQUEST}/discussions/:discussion/notes`]: noteBody,
  [`PUT ${REQUEST}/discussions/:discussion/notes/:note`]: noteBody,
  [`DELETE ${REQUEST}/discussions/:discussion/notes/:note`]: null,
  [`POST ${REQUEST}/notes`]: noteBody,
  [`PUT ${REQUEST}/notes/:note`]: noteBody,
  [`DELETE ${REQUEST}/notes/:note`]: null,
} as const satisfies Record<string, z.ZodType | null>;

export type FoundRoute = {
  readonly key: string;
  readonly parameters: Readonly<Record<string, string>>;
  /** Returns what is wrong with the body of a request; null if nothing is. */
  wrongRequest(body: unknown): string | null;
};

/** Finds the route of a request; null if GitLab has none. */
export function findRoute(method: string, path: string): FoundRoute | null {
  const given = path.split('/');
  for (const [key, shape] of Object.entries(GITLAB_ROUTES)) {
    const [verb, route = ''] = key.split(' ');
    const parts = route.split('/');
    const fits = parts.every((part, index) => part.startsWith(':') || part === given[index]);
    if (verb !== method || parts.length !== given.length || !fits) continue;
    const pairs = parts.flatMap((part, index) =>
      part.startsWith(':') ? [[part.slice(1), decodeURIComponent(given[index] ?? '')]] : [],
    );
    return {
      key: `${verb} ${route.replace(REQUEST, '').replace(PROJECT, '')}`,
      parameters: Object.fromEntries(pairs),
      wrongRequest(body) {
        if (shape === null) return body === null ? null : 'a body';
        const read = shape.safeParse(body);
        return read.success ? null : z.prettifyError(read.error);
      },
    };
  }
  return null;
}
