import type { AgentFailure } from './agent.ts';
import type { RepoPath } from './brand.ts';
import type { DocumentPhase, PhaseName } from './phase.ts';
import type { Problem } from './problem.ts';
import type { Cooling } from './record.ts';
import type { WorkflowFailure } from './workflow-failure.ts';

/** Expected trouble: a kind and its facts. The sentence for people is made in `text/`. */
export type Failure =
  | WorkflowFailure
  | { readonly kind: 'not-a-repository'; readonly folder: string }
  | { readonly kind: 'odd-root'; readonly folder: string }
  | { readonly kind: 'bare-repository'; readonly folder: string }
  | { readonly kind: 'git-missing' }
  | { readonly kind: 'git-too-old' }
  | { readonly kind: 'git-failed'; readonly command: string; readonly said: string }
  | { readonly kind: 'unknown-base'; readonly base: string }
  /** More than one branch or tag has that name. */
  | { readonly kind: 'ambiguous-name'; readonly name: string }
  | { readonly kind: 'no-base'; readonly tried: readonly string[] }
  | { readonly kind: 'no-merge-base'; readonly base: string; readonly shallow: boolean }
  | { readonly kind: 'several-merge-bases'; readonly base: string }
  | { readonly kind: 'broken-config'; readonly problems: readonly Problem[] }
  | { readonly kind: 'log-dir-hides'; readonly logDir: string; readonly files: readonly string[] }
  | { readonly kind: 'bad-review-id'; readonly id: string; readonly why: BadReviewId }
  | { readonly kind: 'unknown-agent'; readonly name: string; readonly known: readonly string[] }
  /** It cannot be given leave to write. */
  | { readonly kind: 'cannot-fix'; readonly name: string; readonly able: readonly string[] }
  | { readonly kind: 'agent-not-tried'; readonly agent: string; readonly failure: AgentFailure }
  | { readonly kind: 'path-outside'; readonly path: string }
  | { readonly kind: 'path-in-the-way'; readonly path: string; readonly found: InTheWay }
  | { readonly kind: 'disk'; readonly action: 'read' | 'write'; readonly path: string; readonly code: string }
  /** Standard input failed before its end. */
  | { readonly kind: 'input-cut-off'; readonly code: string }
  | { readonly kind: 'wrong-usage'; readonly said: string; readonly command: string | null }
  | { readonly kind: 'lock-held'; readonly pid: number; readonly host: string; readonly since: string }
  | { readonly kind: 'inside-a-run' }
  /** Whoever a run has started cannot waive what it finds. */
  | { readonly kind: 'waived-inside-a-run' }
  | { readonly kind: 'agreed-inside-a-run' }
  | { readonly kind: 'unknown-path'; readonly path: string }
  | { readonly kind: 'config-changed' }
  | { readonly kind: 'unknown-commit'; readonly commit: string }
  | { readonly kind: 'unknown-gate'; readonly gate: string; readonly known: readonly string[] }
  | { readonly kind: 'unknown-finding'; readonly id: string; readonly known: readonly string[] }
  | { readonly kind: 'finding-closed'; readonly id: string }
  | { readonly kind: 'unknown-subject'; readonly name: string }
  | { readonly kind: 'ambiguous-subject'; readonly name: string; readonly gates: readonly string[] }
  | { readonly kind: 'not-trusted'; readonly commands: readonly string[] }
  | { readonly kind: 'unknown-run'; readonly id: string | null }
  | { readonly kind: 'unknown-phase'; readonly name: string }
  /** The ledger has no review loop of it. */
  | { readonly kind: 'feature-without-loops'; readonly feature: string; readonly known: readonly string[] }
  | { readonly kind: 'no-feature'; readonly path: string; readonly why: 'missing' | 'not-a-folder' }
  /** A document that the phase needs. `phase`: the one that is about it. */
  | {
      readonly kind: 'unusable-artifact';
      readonly path: RepoPath;
      readonly why: 'missing' | 'empty' | 'not-text' | 'ignored' | 'withheld' | 'symlink' | 'generated';
      readonly phase: DocumentPhase | null;
      readonly needs: PhaseName;
    }
  | {
      readonly kind: 'artifact-too-long';
      readonly path: RepoPath;
      readonly characters: number;
      readonly limit: number;
      readonly agent: string;
    }
  | { readonly kind: 'nothing-to-implement'; readonly base: string | null }
  /** Names of changed files that are not UTF-8, a character a byte: nobody can be told to open them. */
  | { readonly kind: 'unnameable-code'; readonly names: readonly string[] }
  | { readonly kind: 'no-reviewer'; readonly wanted: readonly string[]; readonly cooling: readonly Cooling[] }
  | { readonly kind: 'no-waiting-loop'; readonly phase: PhaseName; readonly feature: string }
  /** It was told what was done, and has yet to judge what was done before that. */
  | { readonly kind: 'unjudged-round'; readonly phase: PhaseName; readonly feature: string }
  | { readonly kind: 'unknown-loop'; readonly id: string }
  /** It was told what was done, and is not waiting for that. */
  | { readonly kind: 'round-goes-on'; readonly id: string }
  | { readonly kind: 'unreadable-loop'; readonly phase: PhaseName; readonly feature: string }
  | { readonly kind: 'unreadable-json'; readonly path: string; readonly said: string };

/** What stands where something of ours should be. */
export type InTheWay = 'symlink' | 'folder' | 'file' | 'repository' | 'other';

/** Why a string cannot be the id of a pass. */
export type BadReviewId = 'empty' | 'dots' | 'absolute' | 'separator' | 'nul' | 'too-long';
