import { resolve } from 'node:path';
import { serve } from '../../mcp/server.ts';
import { untilClosed } from '../interrupt.ts';
import { type Flags, wrongUsage } from '../output.ts';

export async function mcpCommand(
  options: Flags<'root' | 'reviewer', 'selfReview'> & { readonly for: string },
): Promise<void> {
  const { reviewer = null, selfReview = false } = options;
  if (selfReview && reviewer !== null) return wrongUsage('mcp', 'Use either --reviewer or --self-review.');
  const root = resolve(options.root ?? '.');
  await untilClosed((stop) => serve({ root, platform: options.for, reviewer, selfReview }, stop));
}
