import type { House } from './houses.ts';

/** The repository in which a command is tried, and the expected result. */
export type Place = {
  readonly in: House;
  readonly exit: number;
  /** Text that the command must print on either stream; default: any text. */
  readonly says?: RegExp;
  readonly input?: string;
  /** Whether the next commands of the same block run in the same repository, even if their own rows name another. */
  readonly stays?: true;
};

const STOP = JSON.stringify({ hook_event_name: 'Stop', stop_hook_active: false });
const HELLO = JSON.stringify({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'docs', version: '1' } },
});

const SILENT = /^/;

/**
 * The repository for each command of onceover; the first matching row counts. Every row is a command of the docs or its
 * usual form. A command that matches no row, or that ends with another result, needs its own row above.
 */
const PLACES: readonly (readonly [command: RegExp, place: Place])[] = [
  [/^onceover (?:.* )?(?:--help|-h)$/, { in: 'fresh', exit: 0, says: /Usage: onceover/ }],
  [/^onceover (?:--version|-V)$/, { in: 'fresh', exit: 0, says: /^\d+\.\d+\.\d+/ }],

  [/^onceover run .*--until-pass/, { in: 'open', exit: 0, says: /Passed: / }],
  [/^onceover run .*--dry-run/, { in: 'set-up', exit: 1, says: /code-quality/ }],
  // These tests have no forge. packages/forges/test/e2e publishes on a simulated one.
  [/^onceover run --publish/, { in: 'set-up', exit: 3, says: /The result is not published/ }],
  [/^onceover publish --from/, { in: 'set-up', exit: 3, says: /run\.json/ }],
  // These tests have no store for teams. packages/team/test/worker starts workers.
  [/^onceover run --remote/, { in: 'set-up', exit: 3, says: /No store for teams is configured/ }],
  // packages/team/test/serve starts servers.
  [/^onceover serve\b/, { in: 'set-up', exit: 3, says: /No store for teams is configured/ }],
  [/^onceover worker\b/, { in: 'set-up', exit: 3, says: /No store for teams is configured/ }],
  [/^onceover run .*--commit/, { in: 'set-up', exit: 0 }],
  [
    /^onceover run\b/,
    { in: 'set-up', exit: 0, says: /^Passed: (?:1 gate|all \d+ gates)|no_changes|"status": ?"passed/m },
  ],
  [/^onceover status --prompt/, { in: 'open', exit: 1, says: /F1/ }],
  [
    /^onceover status\b/,
    { in: 'held', exit: 0, says: /^Passed: all \d+ gates, unchanged since the last pass|"status": ?"passed/m },
  ],
  [/^onceover explain\b.* --transcript/, { in: 'open', exit: 0, says: /Call 1: / }],
  [/^onceover explain\b/, { in: 'open', exit: 0, says: /src/ }],
  [/^onceover resolve F1\b.* --confirm/, { in: 'open', exit: 3, says: /Only a person can confirm/ }],
  [/^onceover resolve F1\b/, { in: 'open', exit: 0, says: /F1/ }],

  // The repositories of these tests have a short history. packages/prove/test/e2e plays proofs.
  [/^onceover prove --yes\b/, { in: 'set-up', exit: 3, says: /No case was found/ }],
  [/^onceover prove\b/, { in: 'set-up', exit: 0, says: /No case was found/ }],
  // The repositories of these tests have no signing key and no shared passes.
  [/^onceover init --passes/, { in: 'set-up', exit: 2, says: /no SSH key to sign with/ }],
  [/^onceover passes verify/, { in: 'set-up', exit: 3, says: /FILE/ }],
  [/^onceover passes (?:fetch|push|prune)/, { in: 'set-up', exit: 2, says: /onceover init --passes/ }],
  [/^onceover passes\b/, { in: 'set-up', exit: 0, says: /onceover init --passes/ }],
  [/^onceover init --remove/, { in: 'open', exit: 0, says: /onceover\.yml/ }],
  [
    /^onceover init .*--from (?:gauntlet|coderabbit|continue)/,
    { in: 'foreign', exit: 0, says: /onceover\.yml/, stays: true },
  ],
  [/^onceover init .*--from/, { in: 'coderabbit', exit: 0, says: /onceover\.yml/, stays: true }],
  [
    /^onceover init\b/,
    { in: 'fresh', exit: 0, says: /onceover\.yml|\.deepreview|\.mcp\.json|\.claude|\.codex|\.gemini/, stays: true },
  ],
  // The replacements for agents here remember nothing.
  [/^onceover doctor --resume/, { in: 'set-up', exit: 1, says: /resume +no, tested here/ }],
  [/^onceover doctor\b/, { in: 'set-up', exit: 0, says: /Claude Code|claude/ }],
  [/^onceover config check\b/, { in: 'set-up', exit: 0 }],
  [/^onceover completion\b/, { in: 'fresh', exit: 0, says: /onceover/ }],
  [/^onceover trust\b/, { in: 'set-up', exit: 0 }],
  [/^onceover demo\b/, { in: 'fresh', exit: 0, says: /scripted/ }],

  [/^onceover instructions .*onceover pass /, { in: 'set-up', exit: 0, says: /passed/ }],
  [/^onceover instructions\b/, { in: 'set-up', exit: 0, says: /security--src/ }],
  [/^onceover rules\b/, { in: 'set-up', exit: 0, says: /security/ }],
  [/^onceover mcp\b/, { in: 'set-up', exit: 0, says: /"serverInfo"/, input: `${HELLO}\n` }],
  [/^onceover hook stop\b/, { in: 'open', exit: 0, says: /"decision": ?"block"/, input: STOP }],
  [/^onceover hook snooze\b/, { in: 'set-up', exit: 0 }],

  [/^onceover phase .*--step/, { in: 'set-up', exit: 0, says: /approved/i }],
  [/^onceover phase \S+ \S+/, { in: 'set-up', exit: 0, says: /approved|asked/i }],
  [/^onceover workflow list\b/, { in: 'set-up', exit: 0, says: /research_report/ }],
  [/^onceover workflow start\b/, { in: 'set-up', exit: 0, says: /research/ }],
  [/^onceover workflow (?:finish|status|abort)\b/, { in: 'open', exit: 0, says: /research/ }],
  [/^onceover ui\b/, { in: 'open', exit: 130, says: /http:\/\/127\.0\.0\.1:\d+\/[\w-]{32}\// }],
  [/^onceover cost\b/, { in: 'open', exit: 0 }],
  [/^onceover clean\b/, { in: 'open', exit: 0, says: /F1/ }],

  [/^git fetch --unshallow$/, { in: 'set-up', exit: 128, says: /complete repository/ }],
  [/^git config\b/, { in: 'set-up', exit: 0, says: SILENT }],
  [/^git (?:for-each-ref|update-ref)\b/, { in: 'open', exit: 0, says: SILENT }],
  // The command before it writes no signers file here, because there is no key.
  [/^git add onceover\.yml \.onceover\/signers$/, { in: 'set-up', exit: 128, says: /signers/ }],
  [/^git commit -m "Share passes"$/, { in: 'set-up', exit: 1 }],
  [/^git (?:add|commit|checkout|switch)\b/, { in: 'set-up', exit: 0, says: SILENT }],
  [/^git (?:status|diff|log|ls-files|branch|rev-parse)\b/, { in: 'set-up', exit: 0 }],
  [/^echo \S+ >> \.git\/info\/exclude$/, { in: 'set-up', exit: 0, says: SILENT }],
];

/** For commands that the docs show only in a general form. */
export const SAMPLES: readonly string[] = [
  'onceover instructions > /dev/null && onceover pass "$(basename .deepwork/tmp/review_instructions/security--*.md .md)"',
  "onceover workflow start research_report --goal 'Tea or coffee?' --reviewer claude",
  "onceover workflow abort 'The question is settled.'",
  'onceover completion bash',
  'onceover publish --from run.json',
  'onceover passes verify FILE',
  'onceover demo',
  'onceover worker --agents claude',
  'onceover serve --config /etc/onceover/server.yml',
];

/** Options of other programs that sentences name. */
export const OTHERS_OPTIONS: readonly string[] = [
  '--global',
  '--save-dev',
  '--no-install',
  '--dangerously-bypass-hook-trust',
];

/** Complete commands that sentences only name; they are not meant to be run like this. */
export const NAMES: readonly RegExp[] = [
  /^onceover workflow finish$/,
  /^onceover publish$/,
  /^onceover serve$/,
  /^onceover resolve F1$/,
  /^codex exec$/,
  /^gemini --acp$/,
  /^node -e /,
  /^npx --no-install onceover$/,
];

/** Shell lines that only prepare the next line. */
export const STEPS: readonly RegExp[] = [/^cd \S+$/, /^export ONCEOVER_\w+=\S+$/];

/**
 * Commands of other programs, and the file that runs or checks them. Scripts of `npm run` are looked up in
 * package.json.
 */
export const OTHERS: readonly (readonly [command: RegExp, by: string])[] = [
  [/^npm (?:ci|install|pack)\b/, 'packages/onceover/test/setup/e2e/first-use.more.test.ts'],
  [/^node examples\/workflow\/play\.mjs$/, 'packages/loops/test/workflows/e2e/cli.more.test.ts'],
  [/^npx vitest run /, 'vitest.config.ts'],
  [/^tools\/git-matrix\.sh /, 'tools/git-matrix.sh'],
  [/^node tools\/review\/voice\.mjs --list /, 'test/tools/voice.test.ts'],
  [/^node bench\/[\w-]+\.mjs$/, 'bench/all.mjs'],
  [/^git fetch origin "\+refs\/heads\/\$CI_MERGE_REQUEST/, 'test/docs/ci.more.test.ts'],
  [/^claude (?:plugin|mcp) /, 'test/agents/real/docs-commands.test.ts'],
  [/^codex mcp /, 'test/agents/real/docs-commands.test.ts'],
  [/^gemini mcp /, 'test/agents/real/docs-commands.test.ts'],
  [/^(?:rm -rf|npm uninstall) /, 'test/docs/played.more.test.ts'],
  // The block that verifies a pass without onceover, line by line.
  [
    /^(?:ref=refs\/|file=\$\(git ls-tree |grep 'json\$'$|head -n 1\)$|git show "\$ref:)/,
    'packages/gates/test/sharing/commands.more.test.ts',
  ],
  [/^ssh-keygen -Y verify /, 'packages/gates/test/sharing/commands.more.test.ts'],
];

/** Returns the row of a command of onceover or git; null if there is none. */
export function placeOf(command: string): Place | null {
  return PLACES.find(([pattern]) => pattern.test(command))?.[1] ?? null;
}
