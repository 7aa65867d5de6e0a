/**
 * Stores samples of metrics in files: one line per sample, and one file per level and day. Coarser samples are computed
 * from the samples of minutes when their period is over, so that a crash loses at most the current minute.
 */
import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { SavedMetrics } from '../core/metrics.ts';
import { createPace } from '../history/pace.ts';
import type { GaugeValues, MetricRange } from '../types.ts';
import {
  bySteps,
  combined,
  type Gauges,
  type MetricSample,
  parseSample,
  type SampleLevel,
  sampleLevels,
  sampleLine,
} from './samples.ts';

export interface SampleStore {
  /** Stores the minutes since the last call, with the values measured in the last minute. */
  sample(now: number, gauges: GaugeValues): Promise<void>;
  read(range: MetricRange): Promise<readonly MetricSample[]>;
}

export interface SampleStoreOptions {
  readonly dir: string;
  /** Returns the counts of the last `rangeMs` in slots of half a minute. */
  readonly save: (now: number, rangeMs: number) => SavedMetrics;
  /** How long samples are kept. */
  readonly keptMs: () => number;
}

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
const slotsPerMinute = 2;
/** The number of minutes whose counts are still in memory. */
const maxMissed = 350;
/** Coarser samples of missed periods are computed as long as the samples of minutes are kept. */
const maxCatchUpMs = 2 * dayMs;
const fileName = /^(minute|ten|hour)-(\d{4}-\d\d-\d\d)\.jsonl$/;

export function createSampleStore({ dir, save, keptMs }: SampleStoreOptions): SampleStore {
  /** For each level, the beginning of the last period that was stored. */
  const stored = new Map<SampleLevel['name'], number>();
  let running: Promise<void> = Promise.resolve();
  let prunedOn = '';

  const pathOf = (level: SampleLevel, at: number): string => join(dir, `${level.name}-${dayOf(at)}.jsonl`);

  /** Returns the samples of a level, in the order of time. */
  async function readLevel(level: SampleLevel, since: number, until: number): Promise<MetricSample[]> {
    const pace = createPace();
    const found = new Map<number, MetricSample>();
    for (let day = Math.floor(since / dayMs) * dayMs; day < until; day += dayMs) {
      for (const line of await linesOf(pathOf(level, day))) {
        const pause = pace();
        if (pause !== undefined) await pause;
        const sample = parseSample(line);
        if (sample !== undefined && sample.at >= since && sample.at < until) found.set(sample.at, sample);
      }
    }
    return [...found.values()].sort((one, other) => one.at - other.at);
  }

  /** Returns the beginning of the first period that isn't stored yet. */
  async function firstMissing(level: SampleLevel, now: number, maxMs: number): Promise<number> {
    const earliest = Math.floor((now - maxMs) / level.ms) * level.ms;
    let last = stored.get(level.name);
    if (last === undefined) last = (await readLevel(level, earliest, now)).at(-1)?.at;
    return last === undefined ? earliest : Math.max(earliest, last + level.ms);
  }

  async function append(level: SampleLevel, samples: readonly MetricSample[]): Promise<void> {
    const texts = new Map<string, string>();
    for (const sample of samples) {
      const path = pathOf(level, sample.at);
      // A line that was cut off in a crash is ended by the line break.
      const isFirst = !stored.has(level.name) && texts.size === 0;
      texts.set(path, `${texts.get(path) ?? (isFirst ? '\n' : '')}${sampleLine(sample)}`);
    }
    for (const [path, text] of texts) await appendFile(path, text, { mode: 0o600 });
  }

  async function storeMinutes(now: number, gauges: GaugeValues): Promise<void> {
    const [level] = sampleLevels;
    const last = Math.floor(now / minuteMs) * minuteMs - minuteMs;
    const first = await firstMissing(level, now, maxMissed * minuteMs);
    if (first > last) return;
    const slots = save(now, now - first + minuteMs);
    const samples: MetricSample[] = [];
    for (let at = first; at <= last; at += minuteMs) {
      const sample = { at, ...minuteOf(slots, at / minuteMs), gauges: at === last ? pairsOf(gauges) : {} };
      if (sample.requests.length > 0 || at === last) samples.push(sample);
    }
    await append(level, samples);
    stored.set(level.name, last);
  }

  async function storeCoarser(level: SampleLevel, now: number): Promise<void> {
    const last = Math.floor(now / level.ms) * level.ms - level.ms;
    const first = await firstMissing(level, now, maxCatchUpMs);
    if (first > last) return;
    const minutes = await readLevel(sampleLevels[0], first, last + level.ms);
    const steps = (last - first) / level.ms + 1;
    await append(level, bySteps(minutes, { start: first, stepMs: level.ms, steps }));
    stored.set(level.name, last);
  }

  /** Deletes files of days whose samples are all too old. */
  async function prune(now: number): Promise<void> {
    if (prunedOn === dayOf(now)) return;
    for (const name of await readdir(dir)) {
      const [, levelName, day] = fileName.exec(name) ?? [];
      const level = sampleLevels.find((each) => each.name === levelName);
      if (level === undefined || day === undefined) continue;
      const kept = Math.min(level.keptMs ?? Number.POSITIVE_INFINITY, keptMs());
      if (Date.parse(day) + dayMs < now - kept) await rm(join(dir, name), { force: true });
    }
    prunedOn = dayOf(now);
  }

  return {
    sample(now, gauges) {
      running = running
        .catch(() => undefined)
        .then(async () => {
          await mkdir(dir, { recursive: true, mode: 0o700 });
          await storeMinutes(now, gauges);
          for (const level of sampleLevels.slice(1)) await storeCoarser(level, now);
          await prune(now);
        });
      return running;
    },
    async read({ start, stepMs, steps, now }) {
      const until = start + stepMs * steps;
      const usable = sampleLevels.filter(({ ms }) => ms <= stepMs).toReversed();
      const found: MetricSample[] = [];
      let from = start;
      // The end of the range is read from finer samples, because a coarser sample is stored when its period is over.
      for (const level of usable) {
        const isKept = level.keptMs === undefined || start >= now - level.keptMs;
        if (!isKept && found.length === 0) from = Math.max(from, now - level.keptMs);
        const samples = await readLevel(level, from, until);
        found.push(...samples);
        const last = samples.at(-1);
        if (last !== undefined) from = last.at + level.ms;
      }
      return bySteps(found, { start, stepMs, steps });
    },
  };
}

const dayOf = (at: number): string => new Date(at).toISOString().slice(0, 10);

/** Returns the counts of a minute, which consists of two slots. */
function minuteOf(slots: SavedMetrics, minute: number): Pick<MetricSample, 'requests'> {
  const parts = slots.map(([service, lists]): MetricSample => {
    const own = lists.filter(([slot = -1]) => Math.floor(slot / slotsPerMinute) === minute);
    return combined(
      0,
      own.map(([, ...packed]) => ({ at: 0, requests: [[service, [packed]]], gauges: {} })),
    );
  });
  return { requests: parts.flatMap(({ requests }) => requests) };
}

const pairsOf = (values: GaugeValues): Gauges =>
  Object.fromEntries(
    Object.entries(values)
      .filter(([, value]) => Number.isFinite(value))
      .map(([name, value]) => [name, [value, value]]),
  );

/** Returns the lines of a file, if it exists. */
async function linesOf(path: string): Promise<readonly string[]> {
  try {
    return (await readFile(path, 'utf8')).split('\n');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}
