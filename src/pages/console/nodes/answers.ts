/**
 * Answers the questions of other nodes about this node's logs, metrics and functions. All nodes have the same keys, so
 * the asking node masks secrets in the answers. Text searches match masked text here.
 */

import type { GroupView } from '../../../platform/group/types.ts';
import type { Keys } from '../../../platform/keys/types.ts';
import type {
  Cursor,
  LogFilter,
  LogPage,
  LogRange,
  LogSort,
  MetricRange,
  Telemetry,
} from '../../../platform/telemetry/types.ts';
import type { FunctionsService } from '../../../services/functions/index.ts';
import { createRedact, masks } from '../functions/redact.ts';
import { questions } from './questions.ts';
import { Tails } from './tails.ts';

export interface AnswerDeps {
  readonly view: GroupView;
  readonly telemetry: Telemetry;
  readonly functions: Pick<FunctionsService, 'logs' | 'invocations' | 'activity'>;
  readonly keys: Keys;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
}

/** The maximum size of an answer with log entries, which is well below the maximum size of a message. */
const maxAnswerChars = 2 * 1024 * 1024;

type FunctionLogFilter = Parameters<FunctionsService['logs']['recent']>[0];

export function answerQuestions({ view, telemetry, functions, keys, now }: AnswerDeps): void {
  const shown = createRedact(keys);
  const { logs, invocations, activity } = functions;
  const logTails = new Tails((filter: LogFilter, onEntry: Parameters<Telemetry['follow']>[1]) =>
    telemetry.follow({ ...filter, shown, masks }, onEntry),
  );
  const functionTails = new Tails(logs.follow);
  const list = (filter: LogFilter, limit: number, cursor?: Cursor, sort?: LogSort): Promise<LogPage> =>
    fittingPage((size) => telemetry.list({ ...filter, shown, masks }, size, cursor, sort), limit);

  view.answer(
    questions.logs,
    (input: { filter: LogFilter; limit: number; cursor?: Cursor; sort?: LogSort }) =>
      list(input.filter, input.limit, input.cursor, input.sort),
  );
  view.answer(questions.logCounts, ({ filter, range }: { filter: LogFilter; range: LogRange }) =>
    telemetry.counts({ ...filter, shown, masks }, range),
  );
  view.answer(questions.logFailures, ({ filter, range }: { filter: LogFilter; range: LogRange }) =>
    telemetry.failures({ ...filter, shown, masks }, range),
  );
  view.answer(questions.trace, async ({ requestId }: { requestId: string }) => {
    const { entries } = await list({ requestId }, maxTraceEntries);
    return entries.toReversed();
  });
  view.answer(questions.tail, ({ id, filter }: { id: string; filter: LogFilter }) =>
    logTails.read(id, filter),
  );
  view.answer(questions.requestCounts, ({ rangeMs }: { rangeMs: number }) =>
    telemetry.recentMetrics.save(now(), rangeMs),
  );
  view.answer(questions.metricSamples, (range: MetricRange) => telemetry.metricHistory.read(range));
  view.answer(questions.functionActivity, ({ slug }: { slug: string }) =>
    activity.save(now()).filter(([name]) => name === slug),
  );
  view.answer(questions.invocations, ({ slug, limit }: { slug: string; limit: number }) =>
    invocations.recent(slug, limit),
  );
  view.answer(questions.functionLines, ({ filter }: { filter: FunctionLogFilter }) => logs.recent(filter));
  view.answer(questions.functionTail, ({ id, filter }: { id: string; filter: object }) =>
    functionTails.read(id, filter),
  );
}

const maxTraceEntries = 500;

/** Reads a smaller page if the entries of the page are too large for a message. */
async function fittingPage(read: (limit: number) => Promise<LogPage>, limit: number): Promise<LogPage> {
  const page = await read(limit);
  if (limit <= 1 || JSON.stringify(page).length <= maxAnswerChars) return page;
  return await fittingPage(read, Math.ceil(limit / 4));
}
