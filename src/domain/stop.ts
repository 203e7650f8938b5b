/** What an agent's stop is answered with. */
export type StopAnswer =
  /** It may stop; `why` is for the person, and none where there is nothing to say. */
  | { readonly kind: 'let-go'; readonly why: LetGo | null }
  /** It goes on; `reason` is for the agent. */
  | { readonly kind: 'block'; readonly reason: string };

/** Why an agent may stop although the gates do not hold, as far as is known. */
export type LetGo =
  | { readonly kind: 'unjudged'; readonly said: string }
  | { readonly kind: 'still-running'; readonly waits: number }
  | { readonly kind: 'no-progress'; readonly blocks: number; readonly open: readonly string[] }
  /** How often it was held back cannot be written down there. */
  | { readonly kind: 'not-counted'; readonly folder: string }
  | { readonly kind: 'asleep'; readonly until: Date };

/** What was found out about the tree as it is. */
export type StopVerdict =
  | KeptVerdict
  /** Nothing yet: a run goes on for longer than a stop may wait. */
  | { readonly kind: 'running'; readonly reason: string };

/** What holds for as long as nothing changes. */
export type KeptVerdict =
  | { readonly kind: 'holds' }
  /** `open` names what is open or fails, to tell whether there was progress. */
  | { readonly kind: 'fails'; readonly open: readonly string[]; readonly reason: string }
  | { readonly kind: 'unjudged'; readonly why: string };

/** How often a session was blocked, and over what; `waits` counts apart how often in a row it was told to wait for a run. */
export type Blocks = { readonly count: number; readonly open: readonly string[]; readonly waits: number };

/** What changes whenever a file or folder does, by its path; of a path that ends in a slash, also what lies in it. */
export type Traces = Readonly<Record<string, string>>;

/** What the hook knows from one stop to the next, a working tree. */
export type StopMemory = {
  /** The tree that the verdict is about, and what else it depends on. */
  readonly judged: {
    /** What the name of the index begins with that the print was made with. */
    readonly index: string;
    readonly print: string;
    readonly traces: Traces;
    readonly verdict: KeptVerdict;
  } | null;
  /** The run that a stop did not wait for to its end, and the tree that it was started on. */
  readonly awaited: { readonly run: string; readonly print: string } | null;
  readonly sessions: Readonly<Record<string, Blocks>>;
};

/** A working tree, what git keeps of it, and what git keeps of all working trees of the clone. */
export type Spot = { readonly root: string; readonly gitDir: string; readonly commonDir: string };

/** What an agent's program says of the stop. */
export type StopRequest = { readonly cwd: string; readonly session: string; readonly deadlineSeconds: number };
