import type { ResumeAbility } from './capability.ts';

/** What an agent can do, as measured on the version that it was tested with. */
export type Abilities = {
  /** Whether its own option makes the model answer by a schema. */
  readonly schema: boolean;
  /** What keeps it from writing: its list of tools, its own sandbox, or nothing, where it is the user's own command. */
  readonly readOnly: 'tools' | 'own-sandbox' | 'nothing';
  /** Whether the usage that it reports is this dispatch's or the session's so far. */
  readonly usage: 'dispatch' | 'session' | 'if-told';
  /** Whether the stable part of two fresh prompts comes from the provider's cache. */
  readonly stablePart: 'cached' | 'not-cached';
  /**
   * Whether its program calls a stop hook of the project's own files: as it is, in folders that the user trusts, once
   * the user has allowed it, or never.
   */
  readonly stopHook: 'yes' | 'when-trusted' | 'when-allowed' | 'none';
};

/** An agent as it is on this machine. */
export type AgentReport = {
  readonly name: string;
  /** Where it is; null: not found. */
  readonly program: string | null;
  readonly version: string | null;
  /** Null for an agent of the user's own. */
  readonly testedVersion: string | null;
  readonly abilities: Abilities;
  readonly resume: ResumeAbility;
  /** How to get it; null for an agent of the user's own. */
  readonly install: string | null;
};

/** What is there to review with, and what is missing. */
export type DoctorReport = {
  readonly agents: readonly AgentReport[];
  readonly git: string | null;
  /** Where it is: commands with `sandbox: true` need it. */
  readonly bubblewrap: string | null;
  readonly node: string;
};
