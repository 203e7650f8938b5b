import type { ResumeResult } from '../domain/capability.ts';
import type { Capabilities } from '../domain/ports.ts';
import { openListFile } from '../io/list-file.ts';
import { hasShape, isAmount, isText, orNull, readShape, type Shape } from './shape.ts';

/** What agents were seen to do on this machine, in the clone's own folder; what cannot be read is found out again. */
export function openCapabilities(commonDir: string): Capabilities {
  const file = openListFile(commonDir, 'capabilities.json');
  const read = () => file.read().flatMap((one) => readShape(one, RESULT) ?? []);
  return {
    async probed() {
      return read();
    },
    async keep(result) {
      const others = read().filter(({ agent, version }) => agent !== result.agent || version !== result.version);
      return file.write([...others, result]);
    },
  };
}

const FAILED: Shape<NonNullable<ResumeResult['failed']>> = { test: isText, how: isText };

const RESULT: Shape<ResumeResult> = {
  agent: isText,
  version: isText,
  failed: orNull(hasShape(FAILED)),
  freshMs: orNull(isAmount),
  resumedMs: orNull(isAmount),
};
