import { createRequire } from 'node:module';

type Span = {
  end(): void;
  recordException(error: unknown): void;
  spanContext(): { readonly traceId: string };
};

type Tracer = {
  startSpan(name: string): Span;
  startActiveSpan<T>(name: string, work: (span: Span) => T): T;
};

type TraceApi = { readonly trace: { getTracer(name: string): Tracer } };

/** Measures how long named parts of the server's work take. */
export type Trace = { span<T>(name: string, work: () => Promise<T>): Promise<T> };

export const NO_TRACE: Trace = { span: (_name, work) => work() };

/**
 * Opens OpenTelemetry tracing. The operator's OpenTelemetry SDK decides where the measurements are sent. Returns the
 * reason if there is no tracing: the package is not installed, or no SDK uses the same version of it.
 */
export function openTrace(): Trace | 'no-package' | 'no-sdk' {
  const api = traceApi();
  if (api === null) return 'no-package';
  const tracer = api.trace.getTracer('onceover');
  const span = tracer.startSpan('onceover start');
  span.end();
  // Without an SDK, the package accepts all spans, drops them, and gives them an id of zeros.
  if (/^0*$/.test(span.spanContext().traceId)) return 'no-sdk';
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

/** Returns the package of OpenTelemetry if the operator installed it next to this package; otherwise `null`. */
function traceApi(): TraceApi | null {
  try {
    return createRequire(import.meta.url)('@opentelemetry/api');
  } catch {
    return null;
  }
}
