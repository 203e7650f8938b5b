#!/usr/bin/env node
import { version } from '../version.ts';

// The shortest questions are answered before anything else is loaded.
const [first, ...rest] = process.argv.slice(2);
if (rest.length === 0 && (first === '--version' || first === '-V')) process.stdout.write(`${version}\n`);
else if (process.platform === 'win32') {
  process.stderr.write('onceover does not support Windows yet. Use it inside WSL.\n');
  process.exitCode = 3;
} else await (await import('./program.ts')).runProgram(process.argv);
