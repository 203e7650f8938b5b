import { readFileSync } from 'node:fs';
import { dirname, isAbsolute, join } from 'node:path';
import type { Failure } from '@onceover/base/kernel/failure';
import { err, ok, type Result } from '@onceover/base/kernel/result';
import { errorCode } from '@onceover/base/platform/files';
import { decodeUtf8, readPlainFile } from '@onceover/base/platform/private-files';
import { addressOf } from '@onceover/forges/decide-target';
import { checkShape, readYaml } from '@onceover/repo/config/yaml';
import { userConfigPath } from '@onceover/store/has-store';
import * as z from 'zod';
import { CHECK_MODES, type ForgeName, type ForgeSettings, SCOPES, type ServerSettings } from './types.ts';

const LARGEST_BYTES = 256 * 1024;

const SHORTEST_SECRET = 16;

const project = z
  .string()
  .regex(/^[\w.-]+(?:\/[\w.-]+)+$/, 'a repository such as "owner/name"')
  .refine(
    (name) => name.split('/').every((part) => !/^\.{1,2}$|^-|\.git$/.test(part)),
    'a repository such as "owner/name"',
  );

const apiAddress = z.string().refine((text) => addressOf(text) !== null, 'an https address');

const cloneAddress = z
  .string()
  .refine((text) => addressOf(text) !== null || /^file:\/\/\/./.test(text), 'an https address, or a file address');

const forge = { clone: cloneAddress.optional(), repositories: z.array(project).min(1) };

const SERVER = z.strictObject({
  listen: z
    .string()
    .regex(/^(?:\[[0-9a-fA-F:]+\]|[\w.-]+):\d{1,5}$/, 'a host and a port such as "127.0.0.1:8080"')
    .optional(),
  address: apiAddress.optional(),
  folder: z.string().refine(isAbsolute, 'an absolute path').optional(),
  runs_at_once: z.number().int().min(1).max(64).optional(),
  run_minutes: z.number().int().min(1).max(1440).optional(),
  checks: z.enum(CHECK_MODES).optional(),
  drafts: z.boolean().optional(),
  keep_runs_days: z.number().int().min(1).max(3650).optional(),
  traces: z.boolean().optional(),
  github: z.strictObject({ api: apiAddress.optional(), graphql: apiAddress.optional(), ...forge }).optional(),
  gitlab: z.strictObject({ api: apiAddress.optional(), ...forge }).optional(),
  tokens: z
    .array(
      z.strictObject({
        name: z.string().min(1).max(100),
        sha256: z.string().regex(/^[0-9a-f]{64}$/, 'the SHA-256 digest of a token'),
        scopes: z.array(z.enum(SCOPES)).min(1),
      }),
    )
    .optional(),
  oidc: z
    .strictObject({
      issuer: apiAddress,
      audience: z.string().min(1),
      claim: z.string().min(1).optional(),
      grants: z.partialRecord(z.enum(SCOPES), z.array(z.string().min(1))),
    })
    .optional(),
});

type FileSettings = z.output<typeof SERVER>;

/**
 * Returns the path of the server's settings file. It is in the folder of the user's own config file, never in a
 * repository.
 */
export function serverConfigPath(env: NodeJS.ProcessEnv): string {
  return join(dirname(userConfigPath(env)), 'server.yml');
}

/** Reads the server's settings file. Webhook secrets and forge tokens are read from environment variables instead. */
export function readServerSettings(path: string, env: NodeJS.ProcessEnv): Result<ServerSettings> {
  const file = readPlainFile(path, LARGEST_BYTES);
  if (!file.ok) return err({ kind: 'disk', action: 'read', path, code: file.code });
  const text = file.cut ? null : (decodeUtf8(file.bytes)?.text ?? null);
  if (text === null) return badSettings(path, 'is too large, or is not UTF-8 text');
  const yaml = readYaml(text);
  const result = yaml.ok ? checkShape(SERVER, yaml.value ?? {}, yaml.yaml) : yaml;
  if (!result.ok)
    return err({ kind: 'broken-config', problems: result.problems.map((problem) => ({ file: path, ...problem })) });
  return settingsOf(result.value, path, env);
}

function settingsOf(file: FileSettings, path: string, env: NodeJS.ProcessEnv): Result<ServerSettings> {
  const forges: ForgeSettings[] = [];
  for (const name of ['github', 'gitlab'] as const) {
    const forgeResult = forgeOf(name, file, env);
    if (forgeResult === null) continue;
    if (!forgeResult.ok) return forgeResult;
    forges.push(forgeResult.value);
  }
  if (forges.length === 0)
    return badSettings(path, 'names no repository: write "github" or "gitlab" with "repositories"');
  const names = (file.tokens ?? []).map(({ name }) => name);
  if (new Set(names).size < names.length) return badSettings(path, 'gives two tokens the same name');
  const { oidc } = file;
  const listen = file.listen ?? '127.0.0.1:8080';
  const at = listen.lastIndexOf(':');
  return ok({
    host: listen.slice(0, at).replace(/^\[|\]$/g, ''),
    port: Number(listen.slice(at + 1)),
    address: file.address === undefined ? null : addressOf(file.address),
    folder: file.folder ?? null,
    runsAtOnce: file.runs_at_once ?? 2,
    runMinutes: file.run_minutes ?? 60,
    checks: file.checks ?? 'not_run',
    drafts: file.drafts ?? false,
    keepRunsDays: file.keep_runs_days ?? 30,
    traces: file.traces ?? false,
    forges,
    tokens: file.tokens ?? [],
    oidc:
      oidc === undefined
        ? null
        : { issuer: oidc.issuer, audience: oidc.audience, claim: oidc.claim ?? 'groups', grants: oidc.grants },
  });
}

const PLACES = {
  github: { api: 'https://api.github.com', clone: 'https://github.com' },
  gitlab: { api: 'https://gitlab.com/api/v4', clone: 'https://gitlab.com' },
} as const;

function forgeOf(name: ForgeName, file: FileSettings, env: NodeJS.ProcessEnv): Result<ForgeSettings> | null {
  const forge = file[name];
  if (forge === undefined) return null;
  const variable = (suffix: string) => `ONCEOVER_${name.toUpperCase()}_${suffix}`;
  const secret = secretIn(env, variable('SECRET'));
  if (!secret.ok) return secret;
  if (secret.value.length < SHORTEST_SECRET)
    return wrong(`${variable('SECRET')} must have at least ${SHORTEST_SECRET} characters.`);
  const token = secretIn(env, variable('TOKEN'));
  if (!token.ok) return token;
  const api = addressOf(forge.api ?? PLACES[name].api) ?? '';
  const graphql = 'graphql' in forge ? forge.graphql : undefined;
  return ok({
    name,
    api,
    graphql: name === 'gitlab' ? '' : (addressOf(graphql ?? graphqlOf(api)) ?? ''),
    clone: (forge.clone ?? PLACES[name].clone).replace(/\/+$/, ''),
    repositories: forge.repositories,
    secret: secret.value,
    token: token.value,
  });
}

/**
 * Returns the address of the GraphQL API for a REST API address. GitHub Enterprise Server has it at another path than
 * github.com.
 */
function graphqlOf(api: string): string {
  return /\/api\/v3$/.test(api) ? api.replace(/\/v3$/, '/graphql') : `${api}/graphql`;
}

/** Returns a secret from an environment variable, or from the file that the variable with the suffix `_FILE` names. */
function secretIn(env: NodeJS.ProcessEnv, name: string): Result<string> {
  const direct = env[name] ?? '';
  if (direct !== '') return ok(direct);
  const path = env[`${name}_FILE`] ?? '';
  if (path === '') return wrong(`${name} is not set. Set it, or name a file with ${name}_FILE.`);
  try {
    const text = readFileSync(path, 'utf8').trim();
    return text === '' ? wrong(`The file of ${name}_FILE is empty.`) : ok(text);
  } catch (error) {
    return err({ kind: 'disk', action: 'read', path, code: errorCode(error) });
  }
}

function wrong(message: string): { readonly ok: false; readonly failure: Failure } {
  return err({ kind: 'wrong-usage', said: message, command: 'serve' });
}

function badSettings(path: string, message: string) {
  return wrong(`${path} ${message}.`);
}
