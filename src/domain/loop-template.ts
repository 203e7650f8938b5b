import type { LoopTemplate } from './phase.ts';

/** Whether a prompt of a loop begins a session or goes on with one. */
export function dispatchBy(template: LoopTemplate): 'fresh' | 'resumed' {
  switch (template) {
    case 'I2':
    case 'I2-FV':
    case 'I7-resumed':
      return 'resumed';
    case 'I1-R4':
    case 'I3':
    case 'I7-fresh':
      return 'fresh';
  }
}
