/** The forges whose webhooks the server receives. */
export type ForgeName = 'github' | 'gitlab';

/** The rights of a person on the server. Each scope is granted separately. */
export const SCOPES = ['read', 'run', 'waive', 'administer'] as const;

export type AccessScope = (typeof SCOPES)[number];

/** A person or program that is logged in, with the scopes of their token. */
export type Visitor = {
  readonly name: string;
  readonly scopes: ReadonlySet<AccessScope>;
  /** The time at which the token expires; `null` if it does not. */
  readonly until: Date | null;
};

/** The handling of the commands (`checks`) of a repository. */
export const CHECK_MODES = ['not_run', 'elsewhere', 'own_branches'] as const;

/**
 * `not_run`: no command runs, and a run with checks cannot pass. `elsewhere`: another job runs the checks, so the run is
 * about the reviews alone. `own_branches`: the server runs them, but not for pull requests from forks.
 */
type CheckMode = (typeof CHECK_MODES)[number];

export type ForgeSettings = {
  readonly name: ForgeName;
  readonly api: string;
  /** The address of GitHub's GraphQL API; '' for GitLab. */
  readonly graphql: string;
  /** The address below which repositories are cloned, such as `https://github.com`. */
  readonly clone: string;
  /** The repositories that the server reviews, as `owner/name`. */
  readonly repositories: readonly string[];
  /** The secret of the webhooks. */
  readonly secret: string;
  /** The token to read pull requests, fetch commits and publish results. */
  readonly token: string;
};

type StaticToken = { readonly name: string; readonly sha256: string; readonly scopes: readonly AccessScope[] };

export type OidcSettings = {
  readonly issuer: string;
  readonly audience: string;
  /** The claim that has the groups or scopes of a person. */
  readonly claim: string;
  /** For each scope, the values of the claim that grant it. */
  readonly grants: Readonly<Partial<Record<AccessScope, readonly string[]>>>;
};

export type ServerSettings = {
  readonly host: string;
  readonly port: number;
  /** The public address of the server; `null` if it has none. */
  readonly address: string | null;
  /** The folder for clones; `null` for a folder in the user's cache. */
  readonly folder: string | null;
  readonly runsAtOnce: number;
  readonly runMinutes: number;
  readonly checks: CheckMode;
  readonly drafts: boolean;
  readonly keepRunsDays: number;
  readonly traces: boolean;
  readonly forges: readonly ForgeSettings[];
  readonly tokens: readonly StaticToken[];
  readonly oidc: OidcSettings | null;
};

/** A pull request or merge request. `project` is the name as the settings write it. */
export type PullName = { readonly forge: ForgeName; readonly project: string; readonly number: number };

/** The wish of a webhook. Everything else about the pull request is read from the forge. */
export type WebhookWish =
  | { readonly kind: 'review' | 'closed'; readonly pull: PullName; readonly head: string }
  | { readonly kind: 'ignored'; readonly why: string };

/** How a run of a pull request ended. */
export type PullRunEnd = {
  readonly verdict: 'passed' | 'failed' | 'error';
  /** The kind of the error; `null` if there is a verdict. */
  readonly error: string | null;
  readonly said: string;
  /** The document of the run; `null` if there is none. */
  readonly document: string | null;
};

/** A run that this server has taken. */
export type TakenRun = {
  readonly id: string;
  readonly job: string;
  readonly retryCount: number;
  readonly pull: PullName;
  readonly head: string;
  readonly tries: number;
};

/** A run of a pull request, as pages list it. */
export type ListedRun = {
  readonly id: string;
  readonly forge: string;
  readonly project: string;
  readonly number: number;
  readonly head: string;
  readonly state: 'waiting' | 'running' | 'ended' | 'dropped';
  readonly verdict: 'passed' | 'failed' | 'error' | null;
  readonly said: string | null;
  readonly started_by: string;
  readonly created_at: string;
  readonly ended_at: string | null;
};

/** The standard input of the process of a run. */
export type ReviewRequest = { readonly checks: CheckMode; readonly isFork: boolean; readonly base: string };

/** An event of the server, for its log. */
export type ServerEvent =
  | { readonly kind: 'started'; readonly address: string; readonly runs_at_once: number }
  | {
      readonly kind: 'webhook';
      readonly forge: ForgeName;
      readonly delivery: string;
      readonly status: number;
      readonly result: string;
      readonly run: string | null;
    }
  | {
      readonly kind: 'request';
      readonly method: string;
      readonly path: string;
      readonly status: number;
      readonly by: string | null;
    }
  | {
      readonly kind: 'run-started';
      readonly run: string;
      readonly pull: string;
      readonly head: string;
      readonly tries: number;
    }
  | {
      readonly kind: 'run-ended';
      readonly run: string;
      readonly pull: string;
      readonly outcome: 'passed' | 'failed' | 'error' | 'put-back' | 'dropped';
      readonly said: string;
      readonly duration_ms: number;
    }
  | { readonly kind: 'store-lost'; readonly said: string }
  | { readonly kind: 'store-back' }
  | { readonly kind: 'bug'; readonly said: string }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' };
