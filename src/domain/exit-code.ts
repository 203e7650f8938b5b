import type { Failure } from './failure.ts';

/** 2: wrong usage or configuration; 3: could not judge. */
export function exitCode(failure: Failure): 2 | 3 {
  switch (failure.kind) {
    case 'not-a-repository':
    case 'odd-root':
    case 'bare-repository':
    case 'git-missing':
    case 'git-too-old':
    case 'git-failed':
    case 'agent-not-tried':
    case 'path-in-the-way':
    case 'disk':
    case 'input-cut-off':
    case 'lock-held':
    case 'inside-a-run':
    case 'waived-inside-a-run':
    case 'agreed-inside-a-run':
    case 'config-changed':
    case 'not-trusted':
    case 'no-reviewer':
    case 'unnameable-code':
    case 'no-verdict':
    case 'outputs-changed':
    case 'reviewer-not-here':
    case 'unreadable-session':
    case 'session-busy':
      return 3;
    case 'no-merge-base':
      return failure.shallow ? 3 : 2;
    case 'unknown-base':
    case 'ambiguous-name':
    case 'several-merge-bases':
    case 'no-base':
    case 'broken-config':
    case 'log-dir-hides':
    case 'bad-review-id':
    case 'unknown-agent':
    case 'cannot-fix':
    case 'path-outside':
    case 'wrong-usage':
    case 'unreadable-json':
    case 'unknown-commit':
    case 'unknown-path':
    case 'unknown-gate':
    case 'unknown-finding':
    case 'finding-closed':
    case 'unknown-subject':
    case 'ambiguous-subject':
    case 'unknown-run':
    case 'unknown-phase':
    case 'no-feature':
    case 'feature-without-loops':
    case 'unusable-artifact':
    case 'artifact-too-long':
    case 'nothing-to-implement':
    case 'no-waiting-loop':
    case 'unjudged-round':
    case 'unknown-loop':
    case 'round-goes-on':
    case 'unreadable-loop':
    case 'unknown-job':
    case 'unknown-workflow':
    case 'unknown-session':
    case 'no-active-session':
    case 'which-session':
    case 'session-ended':
    case 'session-outdated':
    case 'no-such-step':
    case 'step-finished':
    case 'step-not-begun':
    case 'which-step':
    case 'unknown-output':
    case 'missing-outputs':
    case 'wrong-output-type':
    case 'unusable-output':
    case 'override-refused':
      return 2;
  }
}
