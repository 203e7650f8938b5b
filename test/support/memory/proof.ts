import type { Proof } from '../../../src/domain/ports.ts';
import { done } from '../../../src/domain/result.ts';

/** Proof that nobody can write to; it tells whoever listens when it is noted and taken back. */
export function memoryProof(hear: (what: 'noted' | 'taken back') => readonly string[] = () => []): Proof {
  return {
    async note() {
      hear('noted');
      return { takeBack: async () => done(hear('taken back')) };
    },
  };
}
