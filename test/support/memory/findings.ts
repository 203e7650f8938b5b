import { err, ok } from '@onceover/base/kernel/result';
import { asRefuted, type Finding, isSameResolution, type Resolution } from '@onceover/gates/findings/types';
import type { FindingStore } from '@onceover/gates/src/findings/open-findings.ts';

/** Findings in memory. */
export function memoryFindings(): FindingStore {
  const findings = new Map<string, Finding>();
  const said = new Map<string, Resolution>();
  let last = 0;
  const numberOf = (finding: Finding) => Number(finding.id.slice(1));
  return {
    async all() {
      const known = [...findings.values()].map((one) => ({ ...one, resolution: said.get(one.id) ?? null }));
      return ok(known.sort((a, b) => numberOf(a) - numberOf(b)));
    },
    async add(given) {
      const added = given.map((finding) => ({ ...finding, id: `F${++last}` }));
      for (const one of added) findings.set(one.id, one);
      return ok(added);
    },
    async update(finding) {
      findings.set(finding.id, finding);
      last = Math.max(last, numberOf(finding));
      return ok(undefined);
    },
    async resolve(id, resolution) {
      if (!findings.has(id)) {
        const open = [...findings.values()].filter((one) => one.kept === 'open').map((one) => one.id);
        return err({ kind: 'unknown-finding', id, known: open });
      }
      said.set(id, resolution);
      return ok(undefined);
    },
    async refute(id, claim) {
      const word = said.get(id);
      if (word !== undefined && isSameResolution(word, claim)) said.set(id, asRefuted(claim));
      return ok(undefined);
    },
  };
}
