import type { Finding } from './finding.ts';

/** What a reviewer concluded; `error` means that it could not judge. */
export type Verdict =
  | { readonly kind: 'pass'; readonly warnings: readonly Finding[] }
  | { readonly kind: 'fail'; readonly findings: readonly [Finding, ...Finding[]] }
  | { readonly kind: 'error'; readonly why: string };
