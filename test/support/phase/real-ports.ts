import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RepoPath } from '@onceover/base/kernel/ids';
import { openFeatureFiles, openPhaseLogs, openPhaseLoops } from '@onceover/loops/src/phases/record/store.ts';
import { omittedFolders } from '@onceover/repo/config/settings';
import { openCommits } from '@onceover/repo/git/commit';
import { findRepository } from '@onceover/repo/git/locate';
import { openSnapshots } from '@onceover/repo/git/snapshot';
import { readVisibility } from '@onceover/repo/git/visibility';
import { openContents } from '@onceover/repo/git/working-files';
import { repoWith, type TestRepo } from '../repo.ts';
import { value } from '../snapshots.ts';
import { FEATURE, openScene, type PlayPorts, type Scene, type SceneOptions } from './scene.ts';

/** A scene in a repository with git and a disk; the agents are still scripted. */
export type RealScene = Omit<Scene, 'git' | 'read' | 'history' | 'meta' | 'commits' | 'snapshots'> & {
  readonly repo: TestRepo;
  readonly ports: PlayPorts;
  history(): string;
};

const FILES = {
  'docs/f/prd.md': '# PRD\n\nWe want it.\n',
  'docs/f/spec.md': '# Spec\n\nIt is fast.\n',
  'docs/f/design.md': '# Design\n\nA way.\n',
  'docs/f/plan.md': '# Plan\n\nSteps.\n',
  'docs/f/tasks.md': '# Tasks\n\n1. Do it.\n',
  'src/a.ts': 'one\n',
};

/** Makes a repository with a feature, on branch work, without changes. */
export async function realScene(options: SceneOptions = {}): Promise<RealScene> {
  const given = Object.entries({ ...FILES, ...options.files });
  const repo = repoWith(Object.fromEntries(given.flatMap(([path, text]) => (text === null ? [] : [[path, text]]))));
  repo.git('config', 'user.name', 'Test');
  repo.git('config', 'user.email', 'test@example.invalid');
  const place = value(await findRepository(repo.root));
  const scene = openScene(options);
  const ports: PlayPorts = {
    ...scene.ports,
    snapshots: openSnapshots(place),
    feature: openFeatureFiles(place.root, FEATURE),
    loops: openPhaseLoops(place, '1.0.0'),
    logs: openPhaseLogs(place.root, '.deepwork/logs' as RepoPath),
    commits: openCommits(place),
    contents: openContents(place.root),
    visibility: () => readVisibility(place, omittedFolders(scene.request.settings)),
  };
  return {
    ...scene,
    repo,
    ports,
    history: () => readFileSync(join(repo.root, FEATURE, '.review-history.md'), 'utf8'),
    try: (request, other) => scene.try({ root: place.root, ...request }, { ...ports, ...other }),
    play: (request, other) => scene.play({ root: place.root, ...request }, { ...ports, ...other }),
  };
}
