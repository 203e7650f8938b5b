import type { RepoPath } from '@onceover/base/kernel/ids';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { openSigner } from '@onceover/passes/sign';
import { DEFAULT_SIGNERS, SETTINGS_FILE, type Settings } from '@onceover/repo/config/settings';
import { asResult, gitText } from '@onceover/repo/git/git';
import type { TextChange } from './agent-config.ts';
import type { WantedFile } from './project-files.ts';

const BLOCK = `passes:
  remote: origin               # the git remote that carries passes
  share: auto                  # share passes after every run
  signers: ${DEFAULT_SIGNERS}   # who may vouch; read from the base branch
`;

// With the default, `run`, a gate that has to run makes reviewers of other gates run too, even if their passes count.
// In a new clone every check has to run, so no pass would be used.
const REST = `unchanged_gates: rest          # skip gates that pass, also while another gate runs
`;

/**
 * Plans the setting `passes`, `unchanged_gates: rest` if nothing is set, and a line with the user's own key in the signers file. Fails if git has no SSH key for
 * signing.
 */
export async function planSharing(root: string, { passes }: Settings): Promise<Result<readonly WantedFile[]>> {
  const signer = await openSigner(root, process.env);
  if (!signer.ok) return signer;
  const key = await signer.value.publicKey();
  if (!key.ok) return key;
  const email = await asResult(gitText(root, ['config', 'user.email'], { expected: [0, 1] }));
  if (!email.ok) return email;
  // The name becomes a field of the signers file, where spaces and commas separate fields.
  if (!/^[!-~]+$/.test(email.value) || /[,*?!"]/.test(email.value)) {
    return err({ kind: 'no-signing-key', format: null });
  }
  const signers = (passes?.signers ?? DEFAULT_SIGNERS) as RepoPath;
  const line = `${email.value} namespaces="onceover" ${key.value}\n`;
  return ok([
    { path: signers, change: (present) => withLine(present, line, key.value) },
    {
      path: SETTINGS_FILE,
      change: (present) => (passes === null ? withLine(present, settingsFor(present), null) : LEAVE),
    },
  ]);
}

function settingsFor(present: string | null): string {
  return /^["']?unchanged_gates["']?:/m.test(present ?? '') ? BLOCK : `${BLOCK}${REST}`;
}

const LEAVE: TextChange = { kind: 'leave' };

/** Adds text at the end of a file, unless the file already contains `marker`. */
function withLine(present: string | null, addition: string, marker: string | null): TextChange {
  if (present === null || present === '') return { kind: 'write', text: addition, added: addition };
  if (marker !== null && present.includes(marker)) return LEAVE;
  return { kind: 'write', text: `${present.replace(/\n*$/, '\n')}${addition}`, added: addition };
}
