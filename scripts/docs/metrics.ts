/** Generates `docs/metrics.md` from the catalog of metrics. */
import { metricSubjects } from '../../src/base/kernel/metrics/catalog.ts';
import { durationBounds } from '../../src/base/kernel/metrics/values.ts';
import { code, table } from './markdown.ts';

const intro = `# Metrics

\`/metrics\` returns these metrics in Prometheus text format. Requests must send the secret key as a bearer token. A metric
is missing if its feature isn't in use. Counters start at zero when the process starts, except those that PostgreSQL provides.

All histograms have the same buckets (in seconds): ${durationBounds.join(', ')}. Routes are patterns such as
\`/rest/v1/:relation\`, so their number doesn't grow with the number of different URLs.

This page is generated from \`src/base/kernel/metrics/catalog.ts\`.`;

export function metricsDocument(): string {
  const sections = Object.entries(metricSubjects).map(([subject, definitions]) => {
    const rows = Object.entries(definitions).map(([name, { type, labels, help }]) => [
      code(name),
      type,
      labels.map(code).join(', '),
      help,
    ]);
    return `## ${subject}\n\n${table(['Name', 'Type', 'Labels', 'Meaning'], rows)}`;
  });
  return `${[intro, ...sections].join('\n\n')}\n`;
}
