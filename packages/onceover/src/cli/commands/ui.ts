import { userInfo } from 'node:os';
import { commandActor } from '@onceover/gates/findings/waivers';
import { ui } from '../../api.ts';
import { untilClosed } from '../interrupt.ts';
import { exitWith, type Flags, printJson, printResult, workingDirectory } from '../output.ts';

export async function uiCommand(options: Flags & { readonly port?: number; readonly open?: boolean }): Promise<void> {
  const { port = null, open = true, json = false } = options;
  const isTerminal = process.stdin.isTTY === true;
  const by = commandActor(process.env, { isTerminal, user: userInfo().username });
  const serverResult = await ui(workingDirectory(), { port, by });
  if (!serverResult.ok) return exitWith(serverResult.failure, json);
  const { value: server } = serverResult;
  if (json) printJson({ address: server.address, port: server.port });
  else {
    printResult(`Open ${server.address}`);
    printResult('Keep the link to yourself: it contains the token. Press Ctrl-C to stop the server.');
  }
  if (open && !json) server.open();
  const endMessage = {
    what: 'Stopped the server. A run that you started goes on.',
    next: 'Start it again: onceover ui',
  };
  await untilClosed(async (stop) => {
    await new Promise<void>((resolve) => stop.addEventListener('abort', () => resolve(), { once: true }));
    await server.close();
  }, endMessage);
}
