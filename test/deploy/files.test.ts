import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describeStoreFailure } from '@onceover/base/ui/describe-store-failure';
import { onceover } from '@onceover/testing/cli.ts';
import { PROJECT } from '@onceover/testing/composite-action.ts';
import { composeWith, deployFile, unitCommand } from '@onceover/testing/deploy.ts';
import { expect, test } from 'vitest';

const VALUES = { POSTGRES_PASSWORD: 'a-password', AGENT_NAMES: 'claude' };

const { services, volumes } = composeWith(VALUES);

const commands = Object.entries(services).flatMap(([name, { command }]) => (command ? [[name, command] as const] : []));

test('the services are PostgreSQL, the server, and two workers that differ only in their volume', () => {
  expect(Object.keys(services)).toEqual(['postgres', 'server', 'worker-1', 'worker-2']);
  const { volumes: one, ...first } = services['worker-1'] ?? {};
  const { volumes: two, ...second } = services['worker-2'] ?? {};
  expect(first).toEqual(second);
  expect(one).not.toEqual(two);
});

test('passwords have no default, and no port is open to other machines by default', () => {
  expect(() => composeWith({ AGENT_NAMES: 'claude' })).toThrow('POSTGRES_PASSWORD');
  for (const { ports = [] } of Object.values(services)) {
    for (const port of ports) expect(port).toMatch(/^127\.0\.0\.1:\d+:\d+$/);
  }
});

test('every program of onceover gets the address of the store, and waits for PostgreSQL', () => {
  for (const [name] of commands) {
    const { environment, depends_on } = services[name] ?? {};
    expect(environment?.['ONCEOVER_STORE']).toBe('postgres://onceover:a-password@postgres/onceover');
    expect(depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
  }
});

test('every named volume is declared, and every declared one is used', () => {
  const used = Object.values(services).flatMap((one) => (one.volumes ?? []).map((text) => text.split(':')[0] ?? ''));
  expect(used.filter((name) => /^\w/.test(name)).sort()).toEqual(Object.keys(volumes).sort());
});

test.each([...commands.map(([, command]) => command), unitCommand().slice(1)])(
  '"onceover %s" has all flags of its command',
  async (...words) => {
    const [command = ''] = words;
    const { code, stdout } = await onceover(PROJECT, [command, '--help']);
    expect([code, stdout]).toEqual([0, expect.stringContaining(`Usage: onceover ${command} `)]);
    for (const flag of words.filter((word) => word.startsWith('--'))) expect(stdout).toContain(`${flag} `);
  },
);

test('the workers of compose.yml and of the unit are started with the command "worker"', () => {
  expect(commands.map(([, [name]]) => name)).toEqual(['serve', 'worker', 'worker']);
  expect(unitCommand().slice(0, 2)).toEqual(['onceover', 'worker']);
});

test('the image has onceover and @onceover/team, and does not run as root', () => {
  const lines = deployFile('Dockerfile').replaceAll('\\\n', ' ').split('\n');
  const instructions = lines
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => line.split(' ', 1)[0]);
  const known = new Set(['FROM', 'RUN', 'ARG', 'COPY', 'USER', 'WORKDIR', 'ENTRYPOINT']);
  expect(instructions.filter((one) => !known.has(one ?? ''))).toEqual([]);
  expect(lines).toContain('COPY onceover-*.tgz /tmp/');
  const page = readFileSync(join(PROJECT, 'docs/team.md'), 'utf8');
  const advice = describeStoreFailure({ kind: 'store-failed', where: 'x', why: 'no-package', said: '' }).next;
  expect(advice).toContain('npm install --global @onceover/team@');
  expect(page).toContain('./onceover-team-0.1.0.tgz');
  expect(instructions.lastIndexOf('USER')).toBeGreaterThan(instructions.lastIndexOf('RUN'));
  expect(lines).toContain('USER node');
  expect(lines).toContain('ENTRYPOINT ["onceover"]');
});

test.skipIf(!existsSync('/usr/bin/systemd-analyze'))('systemd accepts the unit', () => {
  const end = spawnSync('systemd-analyze', ['verify', join(PROJECT, 'deploy/onceover-worker.service')], {
    encoding: 'utf8',
  });
  expect(end.stderr.split('\n').filter((line) => line.includes('onceover-worker'))).toEqual([]);
});
