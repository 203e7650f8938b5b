import { documentWith, findingOn, GATE, publishOptions } from '@onceover/testing/forges/documents.ts';
import { memoryForge } from '@onceover/testing/forges/memory-forge.ts';
import { openWorld } from '@onceover/testing/forges/world.ts';
import { hostileText } from '@onceover/testing/hostile.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { markerOf, withMarker } from '../src/describe-marker.ts';
import type { Marker } from '../src/marker-schema.ts';
import { publishRun } from '../src/publish.ts';

const PRINT = '0123456789abcdef'.repeat(2);

const findings = fc.array(fc.record({ id: hostileText, gate: hostileText, slot: fc.nat({ max: 9 }) }), {
  maxLength: 3,
});

describe('a marker', () => {
  test('of a thread is read back, whatever its gates are called, and ends where it should', () => {
    fc.assert(
      fc.property(findings, fc.boolean(), hostileText, (named, isClosed, text) => {
        const marker: Marker = { kind: 'thread', isClosed, fingerprints: [PRINT], findings: named };
        const body = withMarker(marker, text);
        expect(markerOf(body)).toEqual(marker);
        const [line = ''] = body.split('\n');
        expect(line).toMatch(/^<!-- [\w "{}[\]:,./\\]+ -->$/);
        expect(line.slice(4, -3)).not.toContain('--');
      }),
    );
  });

  test.each<[string, string]>([
    ['no JSON', '<!-- onceover {x} -->'],
    ['another kind', '<!-- onceover {"kind":"other"} -->'],
    ['a field that no version writes', '<!-- onceover {"kind":"closed","also":1} -->'],
    ['a wrong fingerprint', '<!-- onceover {"kind":"thread","isClosed":false,"fingerprints":["x"],"findings":[]} -->'],
    ['not in the first line', '\n<!-- onceover {"kind":"closed"} -->'],
  ])('is none: %s', (_title, body) => {
    expect(markerOf(body)).toBeNull();
  });
});

/** Comments as the version before JSON markers wrote them. */
const OLD = {
  thread: `<!-- onceover thread open ${PRINT} -->
**F1 high** · \`review:src:a@\u200bb\`, reviewer 2 (\`claude\`)

The sum is wrong.

<sub>Fix the code and push, or waive it in a clone: \`onceover resolve F1 --skip "why"\`. Only the reviewer closes a finding.</sub>
`,
  closedThread: `<!-- onceover thread closed ${PRINT} -->\n**F1** fixed\n`,
  summary: `<!-- onceover summary failed 0123456789abcdef ${PRINT} -->\n### x\n`,
  emptySummary: '<!-- onceover summary passed 0123456789abcdef - -->\n### x\n',
  verdict: '<!-- onceover verdict passed 1a2b -->\nx\n',
  closed: '<!-- onceover closed -->\nx\n',
  reopened: '<!-- onceover reopened -->\nx\n',
} as const;

describe('a comment of the version before', () => {
  test.each<[keyof typeof OLD, Marker]>([
    [
      'thread',
      {
        ...{ kind: 'thread', isClosed: false, fingerprints: [PRINT] },
        findings: [{ id: 'F1', gate: 'review:src:a@b', slot: 2 }],
      },
    ],
    ['closedThread', { kind: 'thread', isClosed: true, fingerprints: [PRINT], findings: [] }],
    ['summary', { kind: 'summary', verdict: 'failed', digest: '0123456789abcdef', posted: [PRINT] }],
    ['emptySummary', { kind: 'summary', verdict: 'passed', digest: '0123456789abcdef', posted: [] }],
    ['verdict', { kind: 'verdict', verdict: 'passed', commit: '1a2b' }],
    ['closed', { kind: 'closed' }],
    ['reopened', { kind: 'reopened' }],
  ])('is understood: %s', (name, marker) => {
    expect(markerOf(OLD[name])).toEqual(marker);
  });

  test('keeps its thread: no second thread for an open finding, and closed when its gate passes', async () => {
    const finding = findingOn('src/a.ts', 'const added = 1;');
    const [{ fingerprint = '' } = {}] = documentWith([finding]).findings;
    const world = openWorld({ files: { 'src/a.ts': 'const added = 1;\n' } });
    const body = `<!-- onceover thread open ${fingerprint} -->\n**F1 high** · \`${GATE}\`, reviewer 1 (\`claude\`)\n`;
    const comment = { id: 1, author: world.viewer, body, isMinimized: false };
    world.data.threads.push({ id: 2, path: 'src/a.ts', line: 1, resolvedBy: null, comments: [comment] });
    const publish = (document: Parameters<typeof publishOptions>[0]) =>
      publishRun(memoryForge(world), publishOptions(document, world.data.head), async () => {});
    await publish(documentWith([finding]));
    expect(world.data.threads).toMatchObject([{ id: 2, resolvedBy: null }]);
    // The run does not know the finding any more, so only the gate that the thread names can close it.
    await publish(documentWith([], { gateIds: ['review:docs:other'] }));
    expect(world.data.threads).toMatchObject([{ resolvedBy: null }]);
    await publish(documentWith([]));
    expect(world.data.threads).toMatchObject([{ resolvedBy: world.viewer }]);
  });
});
