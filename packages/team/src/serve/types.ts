/** The forges whose webhooks the server receives. */
export type ForgeName = 'github' | 'gitlab';

/** The rights that a person can have on the server. Each scope is granted separately. */
export const SCOPES = ['read', 'run', 'waive', 'administer'] as const;

export type AccessScope = (typeof SCOPES)[number];

/** A person or program that is logged in, with the scopes that their token grants. */
export type Visitor = {
  readonly name: string;
  readonly scopes: ReadonlySet<AccessScope>;
  /** The time at which the token expires; `null` if it never expires. */
  readonly until: Date | null;
};

/** The possible values of the setting `checks`: how the server treats the commands of a repository. */
export const CHECK_MODES = ['not_run', 'elsewhere', 'own_branches'] as const;

/**
 * `not_run`: the server runs no command, and a review run that has checks cannot pass. `elsewhere`: another CI job runs
 * the checks, so this run covers only the reviews. `own_branches`: the server runs the commands, except for pull
 * requests from forks.
 */
type CheckMode = (typeof CHECK_MODES)[number];

export type ForgeSettings = {
  readonly name: ForgeName;
  readonly api: string;
  /** The address of GitHub's GraphQL API; an empty text for GitLab. */
  readonly graphql: string;
  /** The base address for cloning repositories, such as `https://github.com`. */
  readonly clone: string;
  /** The names of the repositories that the server reviews, such as `owner/name`. */
  readonly repositories: readonly string[];
  /** The secret that proves that a webhook comes from the forge. */
  readonly secret: string;
  /** The token to read pull requests, fetch commits and publish results. */
  readonly token: string;
};

type StaticToken = { readonly name: string; readonly sha256: string; readonly scopes: readonly AccessScope[] };

export type OidcSettings = {
  readonly issuer: string;
  readonly audience: string;
  /** The name of the token claim that lists the groups or scopes of a person. */
  readonly claim: string;
  /** For each scope, the claim values that grant it. */
  readonly grants: Readonly<Partial<Record<AccessScope, readonly string[]>>>;
};

export type ServerSettings = {
  readonly host: string;
  readonly port: number;
  /** The public address of the server; `null` if the server has none. */
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

/** A pull request or merge request. `project` is the repository name, spelled as in the server's settings. */
export type PullName = { readonly forge: ForgeName; readonly project: string; readonly number: number };

/** The request that a webhook makes. All other facts about the pull request are read from the forge. */
export type WebhookWish =
  | { readonly kind: 'review' | 'closed'; readonly pull: PullName; readonly head: string }
  | { readonly kind: 'ignored'; readonly why: string };

/** How a review run of a pull request ended. */
export type PullRunEnd = {
  readonly verdict: 'passed' | 'failed' | 'error';
  /** The kind of the error; `null` if the review reached a verdict. */
  readonly error: string | null;
  readonly said: string;
  /** The JSON document of the review run; `null` if the run left none. */
  readonly document: string | null;
};

/** A review run of a pull request that this server took from the queue. */
export type TakenRun = {
  readonly id: string;
  readonly job: string;
  readonly retryCount: number;
  readonly pull: PullName;
  readonly head: string;
  readonly tries: number;
};

/** A review run of a pull request, with the fields that the pages show. */
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

/** The request that the server sends to the process of a review run, through its standard input. */
export type ReviewRequest = { readonly checks: CheckMode; readonly isFork: boolean; readonly base: string };

/** Something that happened in the server, for its log. */
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
  | { readonly kind: 'bug'; readonly said: string }
  | { readonly kind: 'stopping'; readonly running: number }
  | { readonly kind: 'stopped' };
