import { type Finding, isSameWord, type Resolution, refuted } from '../../../src/domain/finding.ts';
import type { Findings } from '../../../src/domain/ports.ts';
import { done, failed } from '../../../src/domain/result.ts';

/** Findings that are forgotten with the test. */
export function memoryFindings(): Findings {
  const findings = new Map<string, Finding>();
  const said = new Map<string, Resolution>();
  let last = 0;
  const numberOf = (finding: Finding) => Number(finding.id.slice(1));
  return {
    async all() {
      const known = [...findings.values()].map((one) => ({ ...one, resolution: said.get(one.id) ?? null }));
      return done(known.sort((a, b) => numberOf(a) - numberOf(b)));
    },
    async add(finding) {
      const added = { ...finding, id: `F${++last}` };
      findings.set(added.id, added);
      return done(added);
    },
    async update(finding) {
      findings.set(finding.id, finding);
      last = Math.max(last, numberOf(finding));
      return done(undefined);
    },
    async resolve(id, resolution) {
      if (!findings.has(id)) {
        const open = [...findings.values()].filter((one) => one.kept === 'open').map((one) => one.id);
        return failed({ kind: 'unknown-finding', id, known: open });
      }
      said.set(id, resolution);
      return done(undefined);
    },
    async refute(id, claim) {
      const word = said.get(id);
      if (word !== undefined && isSameWord(word, claim)) said.set(id, refuted(claim));
      return done(undefined);
    },
  };
}
