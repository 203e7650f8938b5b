import { resolve } from 'node:path';
import { serve } from '../../mcp/server.ts';

export async function mcpCommand(options: { readonly root?: string; readonly for: string }): Promise<void> {
  await serve({ root: resolve(options.root ?? '.'), platform: options.for });
}
