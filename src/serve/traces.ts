import { optionalPackage } from '../team/optional-package.ts';

type Span = { end(): void; recordException(error: unknown): void };

type TraceApi = {
  readonly trace: {
    getTracer(name: string): { startActiveSpan<T>(name: string, work: (span: Span) => T): T };
  };
};

/** Records how long the parts of the server's work take. */
export type Trace = { span<T>(name: string, work: () => Promise<T>): Promise<T> };

export const NO_TRACE: Trace = { span: (_name, work) => work() };

/**
 * Opens OpenTelemetry; `null` if its package is not installed. The package is loaded only here. Where the spans go is
 * decided by the SDK that the operator loads into the process.
 */
export function openTrace(): Trace | null {
  const api = optionalPackage('@opentelemetry/api') as TraceApi | null;
  if (api === null) return null;
  const tracer = api.trace.getTracer('onceover');
  return {
    span: (name, work) =>
      tracer.startActiveSpan(`onceover ${name}`, async (span) => {
        try {
          return await work();
        } catch (error) {
          span.recordException(error);
          throw error;
        } finally {
          span.end();
        }
      }),
  };
}
