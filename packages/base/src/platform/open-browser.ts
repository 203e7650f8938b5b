import { spawn } from 'node:child_process';

/** Opens an address in the user's browser. Does nothing if no program can do that. */
export function openBrowser(address: string, platform: NodeJS.Platform = process.platform): void {
  const child = spawn(platform === 'darwin' ? 'open' : 'xdg-open', [address], { detached: true, stdio: 'ignore' });
  child.on('error', () => {});
  child.unref();
}
