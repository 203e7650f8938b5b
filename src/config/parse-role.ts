import { REVIEWER_ROLES, type ReviewForm, type Role, type RoleName } from '../domain/role.ts';
import { splitFrontMatter } from './front-matter.ts';
import { ROLE_SCHEMAS } from './role-schema.ts';
import { checkShape, type PlacedProblem, readYaml } from './yaml-file.ts';

export type ParsedRole =
  | { readonly ok: true; readonly role: Role }
  | { readonly ok: false; readonly problems: readonly PlacedProblem[] };

/** Reads a role's Markdown: the text is the rubric; what the front matter leaves out is as in `base`. */
export function parseRole(name: RoleName, text: string, base: Role | null): ParsedRole {
  const split = splitFrontMatter(text);
  if (!split.ok) return { ok: false, problems: [split.problem] };
  const inFile = (problems: readonly PlacedProblem[]): ParsedRole => ({
    ok: false,
    problems: problems.map((one) => ({ ...one, line: one.line + split.shift })),
  });
  const read = readYaml(split.yaml);
  if (!read.ok) return inFile(read.problems);
  const checked = checkShape(ROLE_SCHEMAS[name], read.value ?? {}, read.yaml);
  if (!checked.ok) return inFile(checked.problems);
  const rubric = split.body.trim();
  if (rubric === '') {
    const what = { kind: 'missing-key', key: 'rubric' } as const;
    return { ok: false, problems: [{ line: split.bodyLine, column: 1, what }] };
  }
  const said = checked.value;
  return {
    ok: true,
    role: {
      name,
      rubric,
      coda: said.coda ?? base?.coda ?? null,
      checklist: said.checklist ?? base?.checklist ?? null,
      artifacts: said.artifacts ?? base?.artifacts ?? [],
      expectations: ('expectations' in said ? said.expectations : undefined) ?? base?.expectations ?? null,
      form: isReviewer(name) ? formOf('schema' in said ? said.schema : undefined, base?.form ?? PLAIN_FORM) : null,
      models: base === null ? {} : (said.model ?? {}),
      usualModels: base === null ? (said.model ?? {}) : base.usualModels,
    },
  };
}

const PLAIN_FORM: ReviewForm = { categories: [], place: 'location', levels: [], evidence: false, compact: false };

/** The form of an answer: key by key, what is said, else as in `base`. */
function formOf(said: Said<ReviewForm> | undefined, base: ReviewForm): ReviewForm {
  return {
    categories: said?.categories ?? base.categories,
    place: said?.place ?? base.place,
    levels: said?.levels ?? base.levels,
    evidence: said?.evidence ?? base.evidence,
    compact: said?.compact ?? base.compact,
  };
}

type Said<T> = { readonly [K in keyof T]?: T[K] | undefined };

function isReviewer(name: RoleName): boolean {
  return REVIEWER_ROLES.some((one) => one === name);
}
