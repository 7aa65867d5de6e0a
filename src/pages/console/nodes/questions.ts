/** The questions that nodes ask each other about their logs, metrics and functions. */
export const questions = {
  logs: 'logs',
  trace: 'log-trace',
  logCounts: 'log-counts',
  logFailures: 'log-failures',
  tail: 'log-tail',
  requestCounts: 'request-counts',
  metricSamples: 'metric-samples',
  functionActivity: 'function-activity',
  invocations: 'function-invocations',
  functionLines: 'function-lines',
  functionTail: 'function-tail',
} as const;
