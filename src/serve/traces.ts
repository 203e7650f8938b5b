import { optionalPackage } from '../team/optional-package.ts';

type Span = { end(): void; recordException(error: unknown): void };

type TraceApi = {
  readonly trace: {
    getTracer(name: string): { startActiveSpan<T>(name: string, work: (span: Span) => T): T };
  };
};

/** Measures how long named parts of the server's work take. */
export type Trace = { span<T>(name: string, work: () => Promise<T>): Promise<T> };

export const NO_TRACE: Trace = { span: (_name, work) => work() };

/**
 * Opens OpenTelemetry tracing; `null` if its package is not installed. The operator's OpenTelemetry SDK decides where
 * the measurements are sent.
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
