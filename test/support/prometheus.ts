/** Parses the Prometheus text format 0.0.4 strictly. The parser even rejects errors that Prometheus tolerates. */

export interface Sample {
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

export interface Family {
  readonly name: string;
  readonly type: string;
  readonly help: string;
  /** The samples, by the name of their series. For histograms, this name ends with `_bucket`, `_sum` or `_count`. */
  readonly series: ReadonlyMap<string, readonly Sample[]>;
}

interface OpenFamily extends Family {
  readonly series: Map<string, Sample[]>;
}

const sampleLine = /^([a-z_][a-z0-9_]*)(?:\{(.*)\})? (\S+)$/;
const labelPair = /([a-z_][a-z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(?:,|$)/y;

/** Parses a text in the format. @throws {Error} whose message contains the invalid line */
export function parsePrometheus(text: string): ReadonlyMap<string, Family> {
  const families = new Map<string, OpenFamily>();
  const seen = new Set<string>();
  if (!text.endsWith('\n')) throw new Error('The last line has no line break');
  const lines = text.slice(0, -1).split('\n');
  let current: OpenFamily | undefined;
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] as string;
    const fail = (reason: string) => new Error(`${reason}: ${line}`);
    const [, name = '', help = ''] = /^# HELP (\S+) (.+)$/.exec(line) ?? [];
    if (name !== '') {
      if (families.has(name)) throw fail('A family is split');
      const type = /^# TYPE (\S+) (counter|gauge|histogram)$/.exec(lines[++index] ?? '');
      if (type?.[1] !== name) throw fail('TYPE does not follow HELP');
      current = { name, type: type[2] as string, help, series: new Map() };
      families.set(name, current);
      continue;
    }
    const [, series = '', labelText = '', number = ''] = sampleLine.exec(line) ?? [];
    if (series === '' || current === undefined) throw fail('Not a sample');
    const suffix = series.slice(current.name.length);
    const suffixes = current.type === 'histogram' ? ['_bucket', '_sum', '_count'] : [''];
    if (!series.startsWith(current.name) || !suffixes.includes(suffix))
      throw fail('A sample of another family');
    if (!/^-?\d+(?:\.\d+)?(?:e[+-]?\d+)?$/.test(number)) throw fail('Not a number');
    const key = line.slice(0, line.lastIndexOf(' '));
    if (seen.has(key)) throw fail('A sample occurs twice');
    seen.add(key);
    const samples = current.series.get(series) ?? [];
    samples.push({ labels: labelsOf(labelText), value: Number(number) });
    current.series.set(series, samples);
  }
  for (const family of families.values()) if (family.type === 'histogram') checkHistogram(family);
  return families;
}

function labelsOf(text: string): Record<string, string> {
  const labels: Record<string, string> = {};
  labelPair.lastIndex = 0;
  while (labelPair.lastIndex < text.length) {
    const [, name, value] = labelPair.exec(text) ?? [];
    if (name === undefined || value === undefined) throw new Error(`Invalid labels: ${text}`);
    labels[name] = value.replace(/\\(.)/g, (_escape, char: string) => (char === 'n' ? '\n' : char));
  }
  return labels;
}

/** Throws unless, for each combination of labels, the buckets are cumulative and the last bucket equals the count. */
function checkHistogram({ name, series }: Family): void {
  const withoutBound = ({ le: _bound, ...rest }: Readonly<Record<string, string>>) => JSON.stringify(rest);
  const buckets = Map.groupBy(series.get(`${name}_bucket`) ?? [], ({ labels }) => withoutBound(labels));
  for (const { labels, value } of series.get(`${name}_count`) ?? []) {
    const own = buckets.get(JSON.stringify(labels)) ?? [];
    const bounds = own.map((bucket) => Number(bucket.labels.le?.replace('+Inf', 'Infinity')));
    const counts = own.map((bucket) => bucket.value);
    const isSorted = (numbers: readonly number[]) =>
      numbers.every((n, at) => at === 0 || n >= (numbers[at - 1] ?? 0));
    if (
      !isSorted(bounds) ||
      !isSorted(counts) ||
      bounds.at(-1) !== Number.POSITIVE_INFINITY ||
      counts.at(-1) !== value
    )
      throw new Error(`The buckets of ${name} are inconsistent`);
  }
}
