const BASE_SECONDS = 240;
const FILES_IN_BASE = 5;
const SECONDS_PER_FURTHER_FILE = 30;

/** How long a reviewer may take to judge so many files. */
export function qualityTimeoutSeconds(fileCount: number): number {
  return BASE_SECONDS + SECONDS_PER_FURTHER_FILE * Math.max(0, fileCount - FILES_IN_BASE);
}
