import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { PROJECT } from './composite-action.ts';

type Service = {
  readonly image: string;
  readonly build?: { readonly context: string };
  readonly command?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly volumes?: readonly string[];
  readonly ports?: readonly string[];
  readonly healthcheck?: { readonly test: readonly string[] };
  readonly stop_grace_period?: string;
  readonly depends_on?: Readonly<Record<string, object>>;
};

type Compose = {
  readonly services: Readonly<Record<string, Service>>;
  readonly volumes: Readonly<Record<string, null>>;
};

export const deployFile = (name: string) => readFileSync(join(PROJECT, 'deploy', name), 'utf8');

/** Returns compose.yml with its variables replaced. Fails if a variable without a default has no value. */
export function composeWith(values: Readonly<Record<string, string>>): Compose {
  const text = deployFile('compose.yml').replace(
    /\$\{(\w+)(:\?|:-([^}]*))?\}/g,
    (_, name: string, rule = '', or = '') => {
      const value = values[name] || or;
      if (value === '' && rule !== ':-') throw new Error(`${name} has no value`);
      return value;
    },
  );
  return parse(text, { merge: true }) as Compose;
}

/** Returns the words of the command in the systemd unit, from "onceover" on. */
export function unitCommand(): readonly string[] {
  const line = /^ExecStart=\/usr\/bin\/env (onceover .*)$/m.exec(deployFile('onceover-worker.service'))?.[1] ?? '';
  return line.split(' ');
}
