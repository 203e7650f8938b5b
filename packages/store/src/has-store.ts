import { readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { STORE_VARIABLE } from '@onceover/base/platform/store-variable';

/** Returns the path of the user's own config file. */
export function userConfigPath(env: NodeJS.ProcessEnv): string {
  const configHome = env['XDG_CONFIG_HOME'] ?? '';
  return join(
    isAbsolute(configHome) ? configHome : join(env['HOME'] || homedir(), '.config'),
    'onceover',
    'config.yml',
  );
}

/**
 * Whether the user has configured a store for teams. Every command calls this, so it does not parse the config file,
 * but only looks for a line with an address. `readUserConfig` parses the file later and reports its errors.
 */
export function hasTeamStore(env: NodeJS.ProcessEnv = process.env): boolean {
  const address = env[STORE_VARIABLE];
  if (address !== undefined) return address !== '';
  try {
    return /^[^#\n]*postgres/m.test(readFileSync(userConfigPath(env), 'utf8'));
  } catch {
    return false;
  }
}
