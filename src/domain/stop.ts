/** What an agent's stop is answered with. */
export type StopAnswer =
  /** It may stop; `message` is for the person, and none where there is nothing to say. */
  | { readonly kind: 'let-go'; readonly message: string | null }
  /** It goes on; `reason` is for the agent. */
  | { readonly kind: 'block'; readonly reason: string };

/** What was found out about the tree as it is. */
export type StopVerdict =
  | { readonly kind: 'holds' }
  /** `open` names what is open or fails, to tell whether there was progress. */
  | { readonly kind: 'fails'; readonly open: readonly string[]; readonly reason: string }
  | { readonly kind: 'unjudged'; readonly why: string };

/** How often a session was blocked, and over what. */
export type Blocks = { readonly count: number; readonly open: readonly string[] };

/** What the hook knows from one stop to the next, a working tree. */
export type StopMemory = {
  /** The tree that the verdict is about, and what else it depends on. */
  readonly judged: {
    readonly print: string;
    readonly traces: Readonly<Record<string, string>>;
    readonly verdict: StopVerdict;
  } | null;
  readonly sessions: Readonly<Record<string, Blocks>>;
};

/** A working tree and what git keeps of it. */
export type Spot = { readonly root: string; readonly commonDir: string };

/** What an agent's program says of the stop. */
export type StopRequest = { readonly cwd: string; readonly session: string; readonly deadlineSeconds: number };
