/** All of standard input; null if its first byte does not come within `patience` milliseconds. */
export function readStdin(patience: number | null): Promise<string | null> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const timer =
      patience === null
        ? undefined
        : setTimeout(() => {
            process.stdin.destroy();
            resolve(null);
          }, patience);
    process.stdin.on('data', (chunk: Buffer) => {
      clearTimeout(timer);
      chunks.push(chunk);
    });
    const end = () => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).toString('utf8'));
    };
    process.stdin.on('end', end);
    process.stdin.on('error', end);
  });
}
